"""Damaged files of every format that is read: mutations of good ones, and coverage-guided fuzzing.

The full size also runs atheris, if it is installed: ``pip install atheris``. What it found is kept
in ``corpus``, one folder for each target.
"""

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from functools import cache, partial
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import dump_svmlight_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sklearn_online_svm as package
from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.command_line import main as command
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import load_libsvm, load_model, save_libsvm, save_model
from sklearn_online_svm.readers import fit_stream, read_csv, read_parquet, read_svmlight
from tests.support import ROOT

from .isolated import limit_memory, records

PROMISE = (
    "Reading a damaged file returns data, or raises ValueError or OSError; it does not crash, and "
    "uses at most 1 GB of memory."
)
CORPUS = Path(__file__).with_name("corpus")
X, Y = make_banana_like(40, random_state=0)
X = X.round(3)
# The time that atheris has for each target; the commands read the same files.
FUZZED = ("read_svmlight", "load_libsvm", "load_model")
SECONDS = 240


def campaign(quick):
    yield from records("fuzz_files", quick)
    if not quick and importlib.util.find_spec("atheris"):
        for target in FUZZED:
            yield from fuzzed(target)
    elif not quick:
        yield {"what": "atheris is not installed", "cases": 0, "failures": [], "seconds": 0.0}


# -- targets -------------------------------------------------------------------------------------
# Each reads a file; a ValueError or an OSError is raised for what is damaged.


def svmlight(path, **options):
    for A, y in read_svmlight(path, chunk_size=7, **options):
        A.check_format()
        assert A.shape == (len(y), A.shape[1]) and np.isfinite(A.data).all()


def csv(path):
    for frame, y in read_csv(path, target="label", chunk_size=7):
        assert len(frame) == len(y)


def parquet(path):
    for frame, y in read_parquet(path, target="label", chunk_size=7):
        assert len(frame) == len(y)


def model_file(path):
    model = load_model(path)
    assert isinstance(model, BaseEstimator)
    used(model, X)


def libsvm_model(path):
    used(load_libsvm(path), X)


def used(model, samples):
    """Predict, and train further; whatever a model raises, it must not crash."""
    for call in ("predict", "decision_function", "predict_proba", "decision_variance"):
        with contextlib.suppress(Exception):
            getattr(model, call)(samples)
    with contextlib.suppress(Exception):
        model.partial_fit(samples[:20], model.predict(samples[:20]))
        model.predict(samples)


def checkpoint(path):
    fit_stream(AROWClassifier(), lambda: [(X, Y)], classes=[-1, 1], checkpoint=path)


def commands(line):
    """Return a target that calls a command, whose exit code says that a file is invalid."""
    words = line.split()

    def call(path):
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()) as errors,
        ):
            path = str(path)
            names = {"FILE": path, "OUT": f"{folder}/out", "MODEL": f"{folder}/model"}
            if "MODEL" in words:
                Path(names["MODEL"]).write_bytes(good("model.skops"))
            if "DATA" in words:
                names["DATA"] = f"{folder}/data.svm"
                Path(names["DATA"]).write_bytes(good("data.svm"))
            code = command([names.get(word, word) for word in words])
        if code:
            message = errors.getvalue()
            assert code in (1, 2) and "error: " in message, (code, message)
            raise ValueError(message)

    return call


TARGETS = {
    "read_svmlight": ("data.svm", svmlight),
    "read_svmlight, zero_based": ("data.svm", partial(svmlight, n_features=9, zero_based=True)),
    "read_svmlight, gzip": ("data.svm.gz", svmlight),
    "read_svmlight, bzip2": ("data.svm.bz2", svmlight),
    "read_svmlight, xz": ("data.svm.xz", svmlight),
    "read_csv": ("data.csv", csv),
    "read_parquet": ("data.parquet", parquet),
    "load_model": ("model.skops", model_file),
    "load_libsvm": ("data.model", libsvm_model),
    "fit_stream, checkpoint": ("data.checkpoint", checkpoint),
    "train, svmlight": (
        "data.svm",
        commands("train FILE -o OUT --model AROWClassifier"),
    ),
    "train, csv": (
        "data.csv",
        commands("train FILE -o OUT --target label -p C=1"),
    ),
    "predict, data": ("data.svm", commands("predict FILE MODEL")),
    "predict, model": ("model.skops", commands("predict DATA FILE")),
    "inspect": ("model.skops", commands("inspect FILE")),
}


def outcome(target, data):
    """Read the bytes as a file; return what is wrong."""
    name, read = TARGETS[target]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        Path(path).write_bytes(data)
        try:
            read(path)
        except (ValueError, OSError) as error:
            return None if str(error) else "an error without a message"
    return None


# -- good files ----------------------------------------------------------------------------------


@cache
def good(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        WRITERS[name](path)
        return Path(path).read_bytes()


def compressed(path):
    opener = {"gz": "gzip", "bz2": "bz2", "xz": "lzma"}[path.rpartition(".")[2]]
    with importlib.import_module(opener).open(path, "wb") as file:
        file.write(good("data.svm"))


def table():
    return importlib.import_module("pandas").DataFrame({"a": X[:, 0], "b": X[:, 1], "label": Y})


WRITERS = {
    "data.svm": lambda path: dump_svmlight_file(X, Y, path, zero_based=False, comment="a"),
    **dict.fromkeys(("data.svm.gz", "data.svm.bz2", "data.svm.xz"), compressed),
    "data.csv": lambda path: table().to_csv(path, index=False),
    "data.parquet": lambda path: table().to_parquet(path),
    "model.skops": lambda path: save_model(
        make_pipeline(StandardScaler(with_mean=False), LASVC(gamma=1.0)).fit(X, Y), path
    ),
    "data.model": lambda path: save_libsvm(lasvc(), path),
    "data.checkpoint": lambda path: checkpoint(path),
}


def lasvc():
    return LASVC(gamma=1.0, random_state=0).fit(X, np.where(X[:, 0] > 1, 2, Y))


# -- mutations -----------------------------------------------------------------------------------

NUMBERS = (
    "0 -1 1e999 -inf nan 2147483647 2147483648 99999999999999999999 1e-400 0x10 1_0 4300000000"
)
TOKENS = [
    *(word.encode() for word in f'{NUMBERS} : , # null true [] {{}} label qid:1 "'.split()),
    *(b"\n", b"\r", b"\0", b" ", b"\xff", b"9" * 400, b"\xef\xbb\xbf", b"(1000000000000,)"),
    *(b"\xff" * 4, b"\0\0\0\x80", b"\xff" * 7 + b"\x7f"),
]


def mutated(data, random):
    """Return changed bytes."""
    for _ in range(random.integers(1, 4)):
        at, end = np.sort(random.integers(len(data) + 1, size=2)).tolist()
        way = random.integers(7)
        token = TOKENS[random.integers(len(TOKENS))]
        if way == 0 and len(data):
            at = random.integers(len(data))
            data = data[:at] + bytes([random.integers(256)]) + data[at + 1 :]
        elif way == 1:
            data = data[:at] + token + data[at:]
        elif way == 2:
            data = data[:at] + token + data[at + len(token) :]
        elif way == 3:
            data = data[:at] + data[end:]
        elif way == 4:
            data = data[:at] + data[at : min(end, at + 300)] * 2 + data[at:]
        elif way == 5:
            data = data[:at]
        else:  # another number
            found = list(re.finditer(rb"\d+(\.\d+)?", data))
            if found:
                number = found[random.integers(len(found))]
                data = data[: number.start()] + token + data[number.end() :]
    return data


def mutated_members(data, random):
    """Return a zip file with a changed member, whose checksum is right."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    name = list(content)[random.integers(len(content))]
    if random.random() < 0.5:
        name = "schema.json"
    content[name] = mutated(content[name], random)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, member in content.items():
            archive.writestr(name, member)
    return file.getvalue()


def read_mutation(target, seed):
    random = np.random.default_rng(seed)
    data = good(TARGETS[target][0])
    inside = data[:2] == b"PK" and random.random() < 0.8
    data = mutated_members(data, random) if inside else mutated(data, random)
    return outcome(target, data)


# These failed once, with the given seed.
KEPT = [("read_parquet", seed) for seed in (251, 394, 469, 581)]
if importlib.util.find_spec("pyarrow") is None:
    del TARGETS["read_parquet"]
    KEPT.clear()


def read_kept(target, path):
    return outcome(target, path.read_bytes())


# -- cases ---------------------------------------------------------------------------------------

N_MUTATIONS = {True: 40, False: 800}


def cases(quick):
    for target in TARGETS:
        for path in sorted((CORPUS / target).glob("*")):
            yield target, f"{target}, {path.name}", partial(read_kept, target, path)
    for target in TARGETS:
        seeds = {*range(N_MUTATIONS[quick]), *(seed for of, seed in KEPT if of == target)}
        for seed in sorted(seeds):
            yield target, f"{target}, mutation {seed}", partial(read_mutation, target, seed)


# -- atheris -------------------------------------------------------------------------------------


def fuzzed(target):
    """Run atheris in a process of its own, and yield a record."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        options = [f"-max_total_time={SECONDS}", f"-artifact_prefix={folder}/", "-timeout=60"]
        (Path(folder) / "seeds").mkdir()
        (Path(folder) / "seeds" / "good").write_bytes(good(TARGETS[target][0]))
        sources = [str(Path(folder) / "seeds")]
        if (CORPUS / target).exists():
            sources.append(str(CORPUS / target))
        process = [sys.executable, "-m", __name__, target, *options, *sources]
        done = subprocess.run(process, cwd=ROOT, capture_output=True, text=True)
        counts = re.findall(r"^#(\d+)", done.stderr, re.MULTILINE)
        failures = []
        for path in Path(folder).glob("*-*"):  # crash-..., timeout-..., oom-...
            (CORPUS / target).mkdir(parents=True, exist_ok=True)
            (CORPUS / target / path.name).write_bytes(path.read_bytes())
            failures.append(f"{target}, {path.name}: {done.stderr[-400:]}")
        if done.returncode and not failures:
            failures = [f"{target} ended with {done.returncode}: {done.stderr[-400:]}"]
    seconds = time.perf_counter() - begin
    n = max(map(int, counts), default=0)
    yield {"what": f"{target}, atheris", "cases": n, "failures": failures, "seconds": seconds}


def fuzz(target):
    import warnings

    import atheris

    warnings.simplefilter("ignore")
    good(TARGETS[target][0])
    for name, module in list(sys.modules.items()):
        if name.startswith(package.__name__) and getattr(module, "__file__", "").endswith(".py"):
            for function in vars(module).values():
                if getattr(function, "__module__", None) == name and hasattr(function, "__code__"):
                    function.__code__ = atheris.instrument_func(function).__code__

    def test(data):
        failure = outcome(target, data)
        assert failure is None, failure

    limit_memory()
    atheris.Setup([sys.argv[0], *sys.argv[2:]], test)
    atheris.Fuzz()


if __name__ == "__main__":
    fuzz(sys.argv[1])
