"""Calls of models in which an allocation fails.

Each attempt is made in a fork of the process that has prepared the model: a crash is seen, and all
attempts begin in the same state. What is looked for: a ``MemoryError``, and a model as it
was before the call, which afterwards learns and predicts the same bits as an untouched copy.

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
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from functools import cache, partial
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    VirtualLASVC,
)
from sklearn_online_svm.active import MarginQuery
from tests.support import ROOT
from tests.support.internals import machine_of
from tests.support.programs import in_fork
from tests.support.trainable import (
    MODELS,
    REPRESENTATION,
    samples_of,
    seeded,
    state_of,
)

# What a failed call may change: counts of work, those of the warning of sorted streams, solutions
# that are stored for later predictions, and the division of the cache among cells.
OF_STREAM = (".limits", "_class_order", "_targets.order")
WORK = (*REPRESENTATION, *OF_STREAM, ".optimized_", ".cache_size")
KINDS = {"package": 1, "objects": 2, "arrays": 4, "any": 8}
EVER = 2**31


# ---------------------------------------------------------------------------- models


def rational(A, B):
    A, B = (M.toarray() if sparse.issparse(M) else M for M in (A, B))
    # Without exp, whose last bits depend on where in an array a number lies.
    return 1.0 / (1.0 + ((A[:, None] - B[None]) ** 2).sum(axis=2))


N = 260


def models():
    """Return a dict from names to (estimator, X, y): the table of all estimators, and more.

    What follows the table are settings and layouts that it does not have.
    """
    table = {name: (seeded(name), *samples_of(name, N)) for name in MODELS}
    for model, _, _ in table.values():
        if hasattr(model, "error_score"):  # otherwise an error eliminates a candidate
            model.set_params(error_score="raise")
    X3, y3 = samples_of("lasvm", N)
    X, y = samples_of("lasvm, 2 classes", N)
    S, S3 = csr_matrix(X), csr_matrix(X3)
    kernel = {"gamma": 0.5, "C": 3.0, "random_state": 0}
    strings = np.array(["", "a", "b", "c"])[y3 // 10]
    return table | {
        "lasvm, epochs": (LASVC(max_iter=2, **kernel), X[:200], y[:200]),
        "lasvm, sparse": (LASVC(**kernel), S, y),
        "lasvm, sparse, 3 classes": (LASVC(**kernel), S3.astype(np.float32), y3),
        "lasvm, linear": (LASVC(kernel="linear"), X, y),
        "lasvm, far": (LASVC(kernel="linear"), X3 + 1e4, y3),
        "lasvm, small cache": (LASVC(cache_size=0.01, **kernel), X, y),
        "lasvm, callable, sparse": (LASVC(kernel=rational), S3, y3),
        "lasvm, precomputed": (LASVC(kernel="precomputed"), rational(X[:90], X[:90]), y[:90]),
        "lasvm, balanced": (LASVC(class_weight="online_balanced", **kernel), X, y),
        "lasvm, threads": (LASVC(n_jobs=2, **kernel), X3, y3),
        "virtual, sparse": (VirtualLASVC(**kernel), S3, y3),
        "pa, sparse": (PassiveAggressiveClassifier(C=0.1, random_state=0), S3, y3),
        "pa, early stopping": (
            PassiveAggressiveClassifier(early_stopping=True, random_state=0),
            *(X, y),
        ),
        "labels, arow, strings": (
            LabelEfficientClassifier(
                AROWClassifier(), query_strategy=MarginQuery(rate=0.3), random_state=0
            ),
            S3,
            strings,
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
        # Queried labels are kept, and a search has trained the model that it shows.
        self.keeps = hasattr(estimator, "query_strategy") or hasattr(estimator, "min_resources")
        self.classes = np.unique(y) if is_classifier(estimator) else None

    def prepare(self):
        """The model before the call."""
        self.model = clone(self.estimator)
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
        self.rest_of_chunk(model, 0, 50)

    def next_chunk(self, model):
        self.rest_of_chunk(model, len(self.y) - 140, 40)

    def long_chunk(self, model):
        """More than a block of samples; kernel models count those of complete blocks."""
        self.rest_of_chunk(model, len(self.y) - 140, 130)

    def rest_of_chunk(self, model, first, n):
        """Train on the samples of a chunk that the model has not counted."""
        n_processed = getattr(model, "n_samples_seen_", self.n_seen) - self.n_seen
        assert 0 <= n_processed <= n
        if n_processed < n:
            self.chunk(model, first + n_processed, first + n)

    def predict(self, model):
        return model.predict(self.X[-70:])

    def finish(self, model):
        model.finish()

    def store(self, model):
        return pickle.dumps(model) and None

    def load(self, model):
        loaded = pickle.loads(self.stored)
        return digest(loaded)

    def go_on(self, model, error=None):
        """What becomes of the model; numbers as bytes."""
        seen = [digest(model)]
        is_taken = any("has taken" in note for note in getattr(error, "__notes__", ()))
        with contextlib.suppress(NotFittedError):
            seen.append(repr(model.resume() and None if is_taken else self.call(model)))
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
    """All cases, or those that begin with one of the names."""
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
            if not names or case.name.startswith(tuple(names)):
                yield case


def digest(model):
    """Return a hash of the state of a model, without counts of work done."""
    return hashlib.sha1(repr(sorted(compared(model).items())).encode()).hexdigest()


def compared(model):
    """Return what is compared of the state of a model."""
    state = state_of(model)
    return {path: value for path, value in state.items() if not any(part in path for part in WORK)}


# ---------------------------------------------------------------------------- trying


def attempt(case, preloaded, kind, first, last, expected, sabotage=None):
    """One attempt: (allocations met, outcome, message)."""
    model, error, result = case.model, None, None
    before = expected[0]
    preloaded.allocations_begin(KINDS[kind], first, last)
    try:
        result = case.call(model)
    except BaseException as raised:
        error = raised
    finally:
        met = preloaded.allocations_end()
    message = "" if error is None else f"{type(error).__name__}: {error}"
    if sabotage == "crash":
        ctypes.string_at(8)
    elif sabotage == "change":
        error, machine = MemoryError(), machine_of(model)
        machine.violation, machine.n_seen = -1.0, case.n_seen
    if met < first:
        return met, "through", message
    if error is None:
        outcome = "survived"
        same = [digest(model), repr(result)] == [expected[2], expected[1]]
        if not same:
            return met, "wrong result", message
        return met, outcome, message
    chunks = case.first_chunk, case.next_chunk, case.long_chunk
    counted = case.call in chunks and getattr(model, "n_samples_seen_", 0) > case.n_seen
    try:
        now = case.go_on(model, error)
    except BaseException as later:
        return met, "broken", f"{message}; then {type(later).__name__}: {later}"
    # The solution is kept if memory ran out after it was complete, and counted samples are.
    is_complete = case.call in (case.predict, case.finish) and now[0] == expected[2]
    may_change = case.keeps or is_complete or counted
    if now[0] != before and not may_change:
        return met, "changed", message
    if now[1:] != expected[1:]:
        where = [a == b for a, b in zip(now, expected, strict=False)]
        return met, "goes on otherwise", f"{message} {where}"
    if not isinstance(error, MemoryError):
        return met, "other error", message
    return met, "clean", ""


def try_case(case, preloaded, kind, trace, most=EVER, sabotage=None):
    """Yield (case, kind, failure, outcome, message, trace) of at most so many attempts.

    They are spread evenly over the allocations of the call. In every second one of the kind
    "package" all later allocations fail, too. (Without memory for small objects, Cython's ``with``
    statement follows a null pointer, the traceback that could not be made.)
    """
    expected = in_fork(lambda: case.go_on(case.model))
    if isinstance(expected, str) or expected[1] == "fails":
        yield case.name, kind, "none", "no reference", str(expected), ""
        return
    total, _, _ = in_fork(partial(attempt, case, preloaded, kind, EVER, EVER, expected))
    numbers = range(1, total + 1)
    if total > most:
        numbers = [1 + (2 * k + 1) * total // (2 * most) for k in range(most)]
    for k, number in enumerate(numbers):
        trace.seek(0)
        trace.truncate()
        lasts = kind == "package" and k % 2
        given = case, preloaded, kind, number, EVER if lasts else number, expected, sabotage
        answer = in_fork(partial(attempt, *given))
        trace.seek(0)
        if isinstance(answer, str):
            answer = 0, answer, ""
        failure = f"{number} and all later" if lasts else f"{number}"
        yield case.name, kind, f"{failure} of {total}", *answer[1:], trace.read()


def run(names, kinds, every, **options):
    """In the process that was started with the library preloaded."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    preloaded = ctypes.CDLL(None)
    preloaded.allocations_begin.argtypes = [ctypes.c_int, ctypes.c_long, ctypes.c_long]
    preloaded.allocations_begin.restype = None
    preloaded.allocations_end.restype = ctypes.c_long
    with tempfile.TemporaryFile("w+") as trace:
        chosen = list(cases(names))[::every]
        for case in chosen:  # all modules are loaded then
            case.prepare()
            case.go_on(case.model)
        preloaded.allocations_prepare(trace.fileno())
        for case in chosen:
            case.prepare()
            for kind in kinds:
                for found in try_case(case, preloaded, kind, trace, **options):
                    print(json.dumps(found), flush=True)


def is_foreign(found):
    """Return whether NumPy, SciPy, Cython or the interpreter went wrong.

    When an allocation fails, NumPy's ufuncs and array methods return without an exception, SciPy's
    conversions and PyFunction_NewWithQualName of Python 3.13.0 follow a null pointer, and list
    comprehensions of Cython 3.3 release an item twice, which crashes later. Without an exception,
    Cython's handling of exceptions crashes in PyException_SetTraceback.

    The trace says who asked for the memory, and after it, where there was a crash, who crashed.
    """
    *_, outcome, message, trace = found
    frames = [
        [line for line in part.splitlines() if _module(line)] for part in trace.split("\n\n")
    ]
    if outcome == "other error":
        callers = "<ufunc", "<built-in", "<method", "<class 'numpy.", "error return"
        by_caller = any(caller in message for caller in callers)
        return by_caller and message.startswith("SystemError") and _module(frames[0][0]) in FOREIGN
    if not outcome.startswith("crash") or len(frames) < 2:
        return False
    crashed = frames[1][0]
    asked = [_function(line) for line in frames[0][:2]]
    return (
        _module(crashed) in FOREIGN
        or asked[0] == "PyList_Append"
        or (_module(frames[0][0]) in FOREIGN and _function(crashed) == "PyException_SetTraceback")
        or (_function(crashed) and _function(crashed) in asked)
    )


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


def outcomes(library, names=(), kinds=("package", "objects", "arrays"), every=1, **options):
    """Return (case, kind, failure, outcome, message, trace) of attempts at every n-th case."""
    environment = os.environ | {
        "LD_PRELOAD": str(library),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONMALLOC": "malloc",
    }
    options["every"] = every
    child = subprocess.run(
        [sys.executable, "-m", "tests.support.allocations", json.dumps([names, kinds, options])],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        env=environment,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in child.stdout.splitlines()]


if __name__ == "__main__":
    names, kinds, options = json.loads(sys.argv[1])
    run(names, kinds, **options)
