"""Files: a full disk, a directory without permission, files replaced while they are read, maps."""

import contextlib
import copy
import gzip
import io
import os
import tempfile
import warnings
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import joblib
import numpy as np
import pandas
from scipy import sparse
from sklearn.base import is_classifier

from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.callback import Checkpoint
from sklearn_online_svm.command_line import main
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.export import save_libsvm, save_model
from sklearn_online_svm.readers import (
    fit_stream,
    read_arrays,
    read_csv,
    read_parquet,
    read_svmlight,
)
from tests.support.programs import in_fork
from tests.support.trainable import FITTED_AT_ONCE, MODELS, samples_of, seeded

PROMISE = (
    "Where a file cannot be written, the old one stays, no temporary file is left, and the error "
    "names the file. Files replaced while they are read, and read-only memory maps, give the same "
    "results as others."
)
X, Y = make_banana_like(60, random_state=0)
MODEL = LASVC(gamma=1.0, random_state=0).fit(X, Y)
NOBODY = 65534


def campaign(quick):
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        folder.chmod(0o755)
        dump_text(X, Y, folder / "data.svm")
        save_model(MODEL, folder / "given.skops")
        if hasattr(os, "fork"):
            for name, write in WRITERS.items():
                found = full_disk(folder / name, write, n_positions=3 if quick else 30)
                yield record(f"{name}, full disk", found)
                found = read_only_directory(folder / f"{name}, locked", write)
                yield record(f"{name}, read-only directory", found)
        for name, reader in READERS.items():
            found = replaced(folder, *reader, n_samples=400 if quick else 4000)
            yield record(f"{name}, file replaced", found)
        yield record("read_svmlight, replaced between readings", replaced_between_readings(folder))
        names = [*MODELS][::10] if quick else MODELS
        yield record("read-only maps of samples", maps_of_samples(folder, names))
        yield record("read-only maps of models", maps_of_models(folder, names))


def record(what, found):
    """Return a record of pairs (case, reason of a failure or None)."""
    found = [*found]
    failures = [f"{what}, {case}: {reason}" for case, reason in found if reason is not None]
    return {"what": what, "cases": len(found), "failures": failures}


def dump_text(X, y, path):
    """Write samples in svmlight format."""
    rows = (" ".join(f"{k}:{v!r}" for k, v in enumerate(row.tolist(), 1)) for row in X)
    text = "".join(f"{label} {row}\n" for label, row in zip(y, rows, strict=True))
    with (gzip.open if path.suffix == ".gz" else open)(path, "wb") as file:
        file.write(text.encode())


# ------------------------------------------------------------------------------- writers


def command(*arguments):
    """Run a command; raise OSError for what it reports."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        code = main([*map(str, arguments)])
    if code:
        raise OSError(f"{code}: {errors.getvalue()}")


def write_checkpoint(path):
    model = LASVC(gamma=1.0, random_state=0).set_callbacks(Checkpoint(path, every=0))
    try:
        model.fit(X, Y)
    except OSError:
        assert not hasattr(model, "n_samples_seen_")  # unchanged, as after any error of a callback
        raise


def write_position(path):
    """Write a checkpoint, and continue from one with another epoch."""
    options = {"classes": [-1, 1], "checkpoint": path, "checkpoint_every": 0}
    epochs = 1 + path.exists()
    fit_stream(
        AROWClassifier(), lambda: read_arrays(X, Y, chunk_size=20), epochs=epochs, **options
    )


def of_folder(*arguments):
    """Return a function that runs a command with files of the folder, and writes a file."""
    return lambda path: command(
        *(path.parent.parent / a if a.endswith((".svm", ".skops")) else a for a in arguments),
        *("-o", path),
    )


WRITERS = {
    "save_model": partial(save_model, MODEL),
    "save_libsvm": partial(save_libsvm, MODEL),
    "Checkpoint": write_checkpoint,
    "fit_stream": write_position,
    "command train": of_folder("train", "data.svm", "--quiet"),
    "command tune": of_folder("tune", "data.svm", "-g", "C=1,2", "--quiet"),
    "command predict": of_folder("predict", "data.svm", "given.skops", "--decision", "--quiet"),
}


def full_disk(folder, write, n_positions):
    """Let writing fail after so many bytes, at positions spread over the file."""
    import resource

    path = folder / "file"
    folder.mkdir()
    write(path)
    content = path.read_bytes()
    size = len(content)

    def attempt(position):
        resource.setrlimit(resource.RLIMIT_FSIZE, (position, resource.RLIM_INFINITY))
        reason = refused(write, path, OSError)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        return left(path, content, write) or reason

    # Another file of the same model may be a few bytes smaller.
    for position in range(0, size * 9 // 10, max(1, size // n_positions)):
        reason = in_fork(partial(attempt, position))
        yield f"after {position} of {size} bytes", reason
        path.write_bytes(content)


def read_only_directory(folder, write):
    """Let writing fail for want of a permission."""
    path = folder / "file"
    folder.mkdir()
    write(path)
    content = path.read_bytes()

    def attempt():
        folder.chmod(0o555)
        if os.getuid() == 0:
            os.setuid(NOBODY)  # root needs no permission
        return refused(write, path, OSError) or left(path, content)

    yield "", in_fork(attempt)
    folder.chmod(0o755)


def refused(write, path, error):
    """Return the reason why writing was not refused with a clear error, or None."""
    try:
        write(path)
    except error as raised:
        return None if str(path) in str(raised) else f"unclear error: {raised}"
    return "no error"


def left(path, content, write=None):
    """Return what is wrong with the files left, or None; ``write`` then succeeds."""
    if path.read_bytes() != content:
        return "the file has changed"
    if os.listdir(path.parent) != [path.name]:
        return f"files left: {os.listdir(path.parent)}"
    if write is not None:
        write(path)
    return None


# ------------------------------------------------------------------------------- readers


def frame_of(X, y):
    return pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})


# Name -> (name of a file, function that writes samples, function that returns their chunks).
READERS = {
    "read_svmlight": (
        "file.svm",
        dump_text,
        partial(read_svmlight, n_features=2, zero_based=False, chunk_size=100),
    ),
    "read_svmlight, twice": ("file.svm", dump_text, partial(read_svmlight, chunk_size=100)),
    "read_svmlight, gzip": ("file.svm.gz", dump_text, partial(read_svmlight, chunk_size=100)),
    "read_csv": (
        "file.csv",
        lambda X, y, path: frame_of(X, y).to_csv(path, index=False),
        partial(read_csv, target="y", chunk_size=100),
    ),
    "read_parquet": (
        "file.parquet",
        lambda X, y, path: frame_of(X, y).to_parquet(path, row_group_size=100),
        partial(read_parquet, target="y", chunk_size=100),
    ),
}
if find_spec("pyarrow") is None:
    del READERS["read_parquet"]


def replaced(folder, name, dump, read, n_samples):
    """Replace a file after each number of chunks: the samples are those of the former file."""
    X, y = make_banana_like(n_samples, random_state=0)
    path, other = folder / name, folder / f"other-{name}"
    dump(X, y, path)
    expected = list(read(path))
    for k in range(len(expected)):
        dump(X, y, path)
        dump(1.0 - X, -y, other)
        chunks = read(path)
        found = [next(chunks) for _ in range(k)]
        os.replace(other, path)
        former = k > 0 or None
        found += chunks
        yield f"after {k} chunks", compared(found, expected if former else list(read(path)))


def compared(found, expected):
    if len(found) != len(expected):
        return f"{len(found)} chunks, expected {len(expected)}"
    for one, other in zip(found, expected, strict=True):
        for a, b in zip(one, other, strict=True):
            if sparse.issparse(a):
                a, b = a.toarray(), b.toarray()
            if not np.array_equal(a, b):
                return "other samples"
    return None


def replaced_between_readings(folder):
    """Replace the second of two files, whose indices would then be read as those of the first."""
    paths, other = [folder / "first", folder / "second"], folder / "other"
    for path in paths:
        path.write_text("1 0:0.5 1:1\n-1 0:0.25\n")
    other.write_text("1 1:0.5 2:1\n")
    chunks = read_svmlight(paths, chunk_size=2)
    next(chunks)
    os.replace(other, paths[1])
    try:
        yield "", f"no error: {next(chunks)}"
    except ValueError as error:
        yield "", None if "second has changed" in str(error) else str(error)


# ------------------------------------------------------------------------------- memory maps


def mapped(folder, arrays):
    """Return read-only memory maps of arrays, and of those of sparse matrices."""
    found = []
    for k, array in enumerate(arrays):
        if sparse.issparse(array):
            parts = mapped(folder / f"sparse{k}", [array.data, array.indices, array.indptr])
            found.append(sparse.csr_matrix(tuple(parts), shape=array.shape))
            continue
        folder.mkdir(exist_ok=True)
        np.save(folder / f"{k}.npy", array)
        found.append(np.load(folder / f"{k}.npy", mmap_mode="r"))
    return found


def outputs(model, X):
    """Return the bytes of all predictions."""
    methods = ("predict", "decision_function", "predict_proba", "score_samples", "transform")
    found = [getattr(model, method)(X) for method in methods if hasattr(model, method)]
    return [np.asarray(a.toarray() if sparse.issparse(a) else a).tobytes() for a in found]


def trained(name, X, y, weights):
    """Return predictions of a model after ``fit``, and after ``partial_fit``."""
    given = {} if weights is None else {"sample_weight": weights}
    model = seeded(name).fit(X, y, **given)
    found = [outputs(model, X)]
    if name not in FITTED_AT_ONCE:
        model = seeded(name)
        for chunk in (slice(40), slice(40, 80)):
            part = {key: value[chunk] for key, value in given.items()}
            if is_classifier(model) and chunk.start is None:
                part["classes"] = np.unique(y)
            model.partial_fit(X[chunk], y[chunk], **part)
        found.append(outputs(model, X))
    return found


def maps_of_samples(folder, names):
    for name in names:
        X, y = samples_of(name, 80)
        # A window has no weights; a pipeline and a search pass them under other names.
        weighted = name != "one class, window" and not name.startswith(("pipeline", "search"))
        weights = np.linspace(0.5, 2.0, len(y)) if weighted else None
        for layout, samples in (("dense", X), ("csr", sparse.csr_matrix(X))):
            given = [each for each in (samples, y, weights) if each is not None]
            maps = [*mapped(folder, given), *([] if weighted else [None])]
            yield (
                f"{name}, {layout}",
                differs(
                    partial(trained, name, *maps), partial(trained, name, samples, y, weights)
                ),
            )


def differs(found, expected):
    """Return a reason if two functions return different values, or the first one an error."""
    expected = expected()
    try:
        return None if found() == expected else "other predictions"
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def maps_of_models(folder, names):
    path = folder / "model.joblib"
    for name in names:
        X, y = samples_of(name, 80)
        joblib.dump(seeded(name).fit(X, y), path)
        content = path.read_bytes()

        def use(mmap_mode, name=name, X=X, y=y):
            model = joblib.load(path, mmap_mode=mmap_mode)
            found = [outputs(model, X)]
            if name not in FITTED_AT_ONCE:
                copied = copy.deepcopy(model)
                found += [outputs(one.partial_fit(X[:30], y[:30]), X) for one in (model, copied)]
            return found

        reason = differs(partial(use, "r"), partial(use, None))
        if path.read_bytes() != content:
            reason = "the file has changed"
        yield name, reason
