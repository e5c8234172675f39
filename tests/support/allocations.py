"""Calls of models in which each allocation fails once.

``python -m tests.support.allocations KIND [CASE ...]`` tries all of them and prints what goes
wrong. Each attempt is made in a fork of the process that has prepared the model, so that a crash
is seen, and every attempt begins in the same state. What is looked for: a ``MemoryError``, and a
model as it was before the call, which afterwards learns and predicts the same bits as an untouched
copy.

Kinds of allocations, by who asks for them (``allocations.h``, preloaded):

- ``package``: the C code of this package;
- ``objects``: Python objects that the compiled modules of this package make;
- ``arrays``: the data of NumPy's arrays, whoever makes these;
- ``any``: all of the process, those of the interpreter and of other packages among them.
"""

import contextlib
import ctypes
import hashlib
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy import sparse

from tests.support import ROOT

KINDS = {"package": 1, "objects": 2, "arrays": 4, "any": 8}
SECONDS = 60  # until a process that hangs is ended; the work takes far less
EVER = 2**31


# ---------------------------------------------------------------------------- models


def rational(A, B):
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    # Without exp, whose last bits depend on where in an array a number lies.
    return 1.0 / (1.0 + ((A[:, None] - B[None]) ** 2).sum(axis=2))


def blobs(n_rows, n_classes, seed=0):
    random = np.random.RandomState(seed)
    y = np.arange(n_rows) % n_classes
    X = np.array([[-1.0, 0], [1, 0], [0, 1.5]])[y] + random.normal(size=(n_rows, 2))
    X = np.column_stack([X, random.normal(size=(n_rows, 3)) * 0.3])
    flips = random.uniform(size=n_rows) < 0.15
    y[flips] = (y[flips] + 1) % n_classes
    return X, y


def models():
    """Name -> (estimator, X, y)."""
    import sklearn_online_svm as package
    from sklearn_online_svm import active

    X, y = blobs(260, 2)
    X3, y3 = blobs(260, 3)
    S, S3 = (sparse.csr_matrix(np.where(abs(M) > 0.4, M, 0)) for M in (X, X3))
    LASVC, Ramp = package.LASVC, package.RampSVC
    PA = package.PassiveAggressiveClassifier
    Costs = package.CostSensitivePassiveAggressiveClassifier
    Labels = package.LabelEfficientClassifier
    kernel = {"gamma": 0.5, "C": 3.0}
    return {
        "lasvm": (LASVC(**kernel), X, y),
        "lasvm, passes": (LASVC(max_iter=2, **kernel), X[:200], y[:200]),
        "lasvm, 3 classes": (LASVC(multi_class="ovr", **kernel), X3, y3),
        "lasvm, pairs": (LASVC(**kernel), X3, y3),
        "lasvm, sparse": (LASVC(**kernel), S, y),
        "lasvm, sparse, 3 classes": (LASVC(**kernel), S3.astype(np.float32), y3),
        "lasvm, linear": (LASVC(kernel="linear"), X, y),
        "lasvm, far": (LASVC(kernel="linear"), X3 + 1e4, y3),
        "lasvm, small cache": (LASVC(cache_size=0.01, **kernel), X, y),
        "lasvm, no finishing": (LASVC(finishing=False, **kernel), X, y),
        "lasvm, callable": (LASVC(kernel=rational), X, y),
        "lasvm, callable, sparse": (LASVC(kernel=rational), S3, y3),
        "lasvm, precomputed": (LASVC(kernel="precomputed"), rational(X[:90], X[:90]), y[:90]),
        "lasvm, balanced": (LASVC(class_weight="online_balanced", **kernel), X, y),
        "lasvm-g": (LASVC(algorithm="lasvm-g", **kernel), X, y),
        "lasvm-nc": (LASVC(algorithm="lasvm-nc", **kernel), X3, y3),
        "lasvm-i": (LASVC(algorithm="lasvm-i", **kernel), S, y),
        "lasvm-full": (LASVC(algorithm="lasvm-full", **kernel), X3, y3),
        "lasvm, window": (LASVC(window_size=70, **kernel), X, y),
        "lasvm, window, 3 classes": (LASVC(window_size=70, **kernel), S3, y3),
        "lasvm, active": (package.ActiveLASVC(selection="active", random_state=0, **kernel), X, y),
        "lasvm, autoactive, 3 classes": (
            package.ActiveLASVC(
                selection="autoactive", stopping="n_support", random_state=0, **kernel
            ),
            X3,
            y3,
        ),
        "virtual": (package.VirtualLASVC(random_state=0, **kernel), X, y),
        "virtual, sparse, 3 classes": (package.VirtualLASVC(random_state=0, **kernel), S3, y3),
        "lasvm, threads": (LASVC(n_jobs=2, **kernel), X3, y3),
        "ramp": (Ramp(gamma=0.5), X[:100], y[:100]),
        "ramp, 3 classes": (Ramp(fit_intercept=False, gamma=0.5), X3[:80], y3[:80]),
        "pa": (PA(), X, y),
        "pa, sparse, 3 classes": (PA(C=0.1), S3, y3),
        "pa, average": (PA(average=True), X3.astype(np.float32), y3),
        "pa, crammer_singer": (PA(multi_class="crammer_singer"), X3, y3),
        "pa, early stopping": (PA(early_stopping=True), X, y),
        "pa regressor": (package.PassiveAggressiveRegressor(), X, X[:, 1]),
        "perceptron": (package.PerceptronClassifier(average=True), S, y),
        "second order perceptron": (package.SecondOrderPerceptronClassifier(), X3, y3),
        "cw": (package.ConfidenceWeightedClassifier(), X, y),
        "scw, full": (package.SCWClassifier(covariance="full"), X, y),
        "arow": (package.AROWClassifier(), S3, y3),
        "costs": (Costs(pos_label=1), X, y),
        "costs of pairs": (Costs(rule="max_loss", multi_class="crammer_singer"), X3, y3),
        "labels": (Labels(random_state=0), X, y),
        "labels, arow": (
            Labels(package.AROWClassifier(), query_strategy=active.MarginQuery(rate=0.3)),
            S3,
            np.array(["a", "b", "c"])[y3],
        ),
        "labels, lasvc": (
            Labels(LASVC(gamma=0.5), query_strategy=active.RandomQuery(0.5, random_state=0)),
            X3,
            y3,
        ),
    }


class Case:
    """A model, a call that is tried, and the calls after it."""

    def __init__(self, name, estimator, X, y, call):
        self.name, self.call = f"{name}: {call}", getattr(self, call)
        self.estimator, self.X, self.y = estimator, X, y
        self.streams = hasattr(estimator, "partial_fit") and not (
            getattr(estimator, "early_stopping", False)
            or getattr(estimator, "kernel", None) == "precomputed"
        )
        self.keeps = hasattr(estimator, "query_strategy")
        self.classes = None if y.dtype.kind == "f" else np.unique(y)

    def prepare(self):
        """The model before the call."""
        from sklearn.base import clone

        self.model = clone(self.estimator)
        if "random_state" in self.model.get_params():
            self.model.set_params(random_state=0)
        if self.call not in (self.fit, self.first_chunk):
            self.learn(self.model)
        if self.call == self.load:
            self.stored = pickle.dumps(self.model)
        self.n_seen = getattr(self.model, "n_samples_seen_", 0)

    def learn(self, model):
        if not self.streams:
            model.fit(self.X, self.y)
            return
        half = len(self.y) - 140
        self.chunk(model, 0, 20)
        model.predict(self.X[:3])
        self.chunk(model, 20, half)

    def chunk(self, model, first, last):
        given = {} if self.classes is None or first else {"classes": self.classes}
        model.partial_fit(self.X[first:last], self.y[first:last], **given)

    # Calls that are tried.

    def fit(self, model):
        model.fit(self.X[:150], self.y[:150])

    def refit(self, model):
        model.fit(self.X[-150:], self.y[-150:])

    def first_chunk(self, model):
        self.chunk(model, 0, 50)

    def next_chunk(self, model):
        self.chunk(model, len(self.y) - 140, len(self.y) - 100)

    def long_chunk(self, model):
        """More than a block of samples; kernel models count those of complete blocks."""
        n_processed = getattr(model, "n_samples_seen_", self.n_seen) - self.n_seen
        assert n_processed in (0, 64, 128, 130)
        if n_processed < 130:
            self.chunk(model, len(self.y) - 140 + n_processed, len(self.y) - 10)

    def predict(self, model):
        return model.predict(self.X[-70:])

    def finish(self, model):
        model.finish()

    def store(self, model):
        return pickle.dumps(model) and None

    def load(self, model):
        loaded = pickle.loads(self.stored)
        return digest(loaded)

    def go_on(self, model):
        """What becomes of the model; numbers as bytes."""
        from sklearn.exceptions import NotFittedError

        seen = [digest(model)]
        with contextlib.suppress(NotFittedError):
            seen.append(repr(self.call(model)))
            seen.append(digest(model))
            if self.streams:
                self.chunk(model, len(self.y) - 10, len(self.y))
            decide = getattr(model, "decision_function", model.predict)
            seen.append(hashlib.sha1(np.ascontiguousarray(decide(self.X))).hexdigest())
            seen.append(digest(model))
        return seen


CALLS = (
    "fit",
    "refit",
    "first_chunk",
    "next_chunk",
    "long_chunk",
    "predict",
    "finish",
    "store",
    "load",
)


def cases(names=()):
    """All cases, or those that contain one of the names."""
    for name, (estimator, X, y) in models().items():
        for call in CALLS:
            case = Case(name, estimator, X, y, call)
            if "chunk" in call and not case.streams:
                continue
            if call == "finish" and not hasattr(estimator, "finish"):
                continue
            # With sample selection, samples used before memory ran out are kept.
            choice = getattr(estimator, "_choice", None)
            if call in ("next_chunk", "long_chunk") and getattr(choice, "leaves_out", False):
                continue
            if not names or any(part in case.name for part in names):
                yield case


def digest(model):
    """What a model is, but for the counts of work done."""
    hashed = hashlib.sha1()
    for part in _parts(model, ""):
        hashed.update(part)
    return hashed.hexdigest()


def _parts(value, path):
    yield path.encode()
    # Counts of work, and what belongs to one call or epoch.
    if path.endswith(("n_evaluations", ".n_processed", ".limits", ".epoch", ".checksum")):
        return
    if path.endswith(".counters"):
        value = value[2:]
    if hasattr(value, "get_params") or type(value).__module__.startswith("sklearn_online_svm"):
        state = value.__getstate__() if hasattr(value, "__getstate__") else value.__dict__
        yield from _parts(state or {}, path)
    elif isinstance(value, dict):
        if "alive" in value:  # g of free slots is undefined
            free = value["alive"] == 0
            for name in {"g", "optimized_g"} & set(value):
                value[name] = np.where(free, 0, value[name])
        for key in sorted(value, key=str):
            yield from _parts(value[key], f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _parts(item, f"{path}.{number}")
    elif sparse.issparse(value):
        yield value.toarray().tobytes()
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype}{value.shape}".encode()
        yield str(value.tolist()).encode() if value.dtype == object else value.tobytes()
    elif isinstance(value, np.random.RandomState):
        yield from _parts(value.get_state(), path)
    else:
        yield repr(value).encode() if not callable(value) else value.__name__.encode()


# ---------------------------------------------------------------------------- trying


def attempt(case, preloaded, kind, first, last, least, expected, sabotage=False):
    """One attempt: (allocations met, outcome, message)."""
    model, error, result = case.model, None, None
    before = expected[0]
    preloaded.allocations_begin(KINDS[kind], first, last, least)
    try:
        result = case.call(model)
    except BaseException as raised:
        error = raised
    finally:
        met = preloaded.allocations_end()
    message = "" if error is None else f"{type(error).__name__}: {error}"
    if sabotage and first % 2:
        ctypes.string_at(8)
    elif sabotage:
        error, model.n_samples_seen_ = MemoryError(), 0
    if met < first:
        return met, "through", message
    if error is None:
        outcome = "survived"
        same = [digest(model), repr(result)] == [expected[2], expected[1]]
        if not same:
            return met, "wrong result", message
        return met, outcome, message
    try:
        now = case.go_on(model)
    except BaseException as later:
        return met, "broken", f"{message}; then {type(later).__name__}: {later}"
    # Those who ask for a decision may leave the solution behind that it comes from.
    # Labels bought are kept.
    may_change = (
        case.keeps
        or (case.call == case.predict and now[0] == expected[2])
        or (case.call == case.long_chunk and hasattr(model, "n_samples_seen_"))
    )
    if now[0] != before and not may_change:
        return met, "changed", message
    if now[1:] != expected[1:]:
        where = [a == b for a, b in zip(now, expected, strict=False)]
        return met, "goes on otherwise", f"{message} {where}"
    if not isinstance(error, MemoryError):
        return met, "other error", message
    return met, "clean", ""


def in_fork(work, seconds=SECONDS):
    """What ``work()`` returns in a fork; a string when that crashes or hangs."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(seconds)
        os.close(read)
        try:
            answer = json.dumps(work())
        except BaseException as error:
            answer = json.dumps([-1, "fails", f"{type(error).__name__}: {error}"])
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "hangs" if number == signal.SIGALRM else f"crash {number}"
    return json.loads(answer)


def try_case(
    case, preloaded, kind, trace, *, ever=False, least=1, most=EVER, stride=1, sabotage=False
):
    """Yield (number, outcome, message, trace) until nothing fails any more."""
    case.prepare()
    expected = in_fork(lambda: case.go_on(case.model), 60)
    if isinstance(expected, str) or (len(expected) == 3 and expected[1] == "fails"):
        yield 0, "no reference", str(expected), ""
        return
    for number in range(1, most + 1, stride):
        trace.seek(0)
        trace.truncate()
        last = EVER if ever else number
        given = case, preloaded, kind, number, last, least, expected, sabotage
        answer = in_fork(partial(attempt, *given))
        trace.seek(0)
        if isinstance(answer, str):
            answer = 0, answer, ""
        _, outcome, message = answer
        if outcome == "through":
            return
        yield number, outcome, message, trace.read()


def run(kind, names, options):
    """In the process that was started with the library preloaded."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    preloaded = ctypes.CDLL(None)
    preloaded.allocations_begin.argtypes = [
        ctypes.c_int,
        ctypes.c_long,
        ctypes.c_long,
        ctypes.c_size_t,
    ]
    preloaded.allocations_begin.restype = None
    preloaded.allocations_end.restype = ctypes.c_long
    with tempfile.TemporaryFile("w+") as trace:
        chosen = list(cases(names))
        for case in chosen:  # all modules are loaded then
            case.prepare()
            case.go_on(case.model)
        preloaded.allocations_prepare(trace.fileno())
        for case in chosen:
            for found in try_case(case, preloaded, kind, trace, **options):
                print(json.dumps([case.name, *found]), flush=True)


def is_foreign(found):
    """Whether NumPy, SciPy or the interpreter went wrong themselves: NumPy's ufuncs and array
    methods return without an exception, and SciPy's conversions and PyFunction_NewWithQualName of
    Python 3.13.0 follow a null pointer, when an allocation fails.

    The trace says who asked for the memory, and after it, where there was a crash, who crashed.
    """
    _, _, outcome, message, trace = found
    frames = [
        [line for line in part.splitlines() if _module(line)] for part in trace.split("\n\n")
    ]
    if outcome == "other error":
        callers = "<ufunc", "<built-in", "<class 'numpy.", "error return"
        by_caller = any(caller in message for caller in callers)
        return by_caller and message.startswith("SystemError") and _module(frames[0][0]) in FOREIGN
    if not outcome.startswith("crash") or len(frames) < 2:
        return False
    crashed = frames[1][0]
    asked = [_function(line) for line in frames[0][:2]]
    return _module(crashed) in FOREIGN or (_function(crashed) and _function(crashed) in asked)


FOREIGN = ("_multiarray_umath", "_sparsetools")


def _function(line):
    """Name of an exported function of the interpreter in a frame, or an empty string."""
    name = line.split("(")[1].split("+")[0] if "(" in line else ""
    return name if name.startswith(("Py", "_Py")) else ""


def _module(line):
    """Name of the module of a frame; empty for those of the C library and of the test itself."""
    name = line.split("(")[0].rsplit("/", 1)[-1].split(".")[0]
    return "" if name in ("libc", "allocations") else name


def compiler():
    """The C compiler that Python was made with, if it is there; Linux only."""
    name = (sysconfig.get_config_var("CC") or "cc").split()[0]
    return shutil.which(name) if sys.platform == "linux" else None


@cache
def build(folder):
    """Compile the library into a folder."""
    library = Path(folder) / "allocations.so"
    source = Path(__file__).with_name("allocations.h")
    command = [compiler(), "-O1", "-Wall", "-shared", "-fPIC", "-x", "c", source, "-o", library]
    subprocess.run(command, check=True)
    return library


def outcomes(library, kind, names=(), **options):
    """(case, number, outcome, message, trace) of all attempts."""
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    if kind != "package":
        environment["PYTHONMALLOC"] = "malloc"
    arguments = [kind, json.dumps(list(names)), json.dumps(options)]
    child = subprocess.run(
        [sys.executable, "-m", "tests.support.allocations", *arguments],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in child.stdout.splitlines()]


if __name__ == "__main__":
    run(sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3]))
