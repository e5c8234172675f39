"""Tasks of `linear`: what runs inside a fresh process."""

import time
import warnings
from dataclasses import dataclass, field
from functools import partial
from itertools import islice

import numpy as np

from ..bench.job import Job
from ..bench.measure import microseconds_of_calls
from ..sets.linear import AXES, WORK, noisy_plane
from .models import SPEED, TUNED, C
from .sets import SETS


@dataclass(frozen=True)
class ModelsJob(Job):
    """Models fitted in turns on the same samples."""

    # A name in `WORK`, or an axis in `AXES` with a value on it.
    work: str = ""
    axis: str = ""
    value: int = 0
    # A name in `sets.SETS`.
    set: str = ""
    # Names in `models.SPEED`, in `models.TUNED`, or in `PEERS`.
    models: list = field(default_factory=list)
    repeats: int = 15

    def data(self):
        parts = 40 if self.quick else 1
        if self.axis:
            return AXES[self.axis].make(self.value, parts, self.seed)
        return WORK[self.work](parts, self.seed)


def fit_in_turns(job):
    """Fit all models again and again, one after the other, on the same arrays."""
    X, y = job.data()
    for name in job.models:
        SPEED[name].build().fit(X[:500], y[:500])
    seconds = {name: [] for name in job.models}
    for repeat in range(job.repeats):
        # Each of them comes after each other one.
        turn = repeat % len(job.models)
        for name in job.models[turn:] + job.models[:turn]:
            model = SPEED[name].build()
            start = time.perf_counter()
            model.fit(X, y)
            seconds[name].append(time.perf_counter() - start)
    return {"seconds": seconds, "errors": {name: _error(name, X, y) for name in job.models}}


def _error(name, X, y):
    """Of one pass over four fifths of the samples, on the rest."""
    n_learnt = 4 * len(y) // 5
    model = SPEED[name].build().fit(X[:n_learnt], y[:n_learnt])
    return float(np.mean(model.predict(X[n_learnt:]) != y[n_learnt:]))


# ---------------------------------------------------------------------------
# Parameters chosen on a part of the training samples
# ---------------------------------------------------------------------------

# Samples on which a parameter is chosen, at most: so many to fit, and half as many to score.
N_CHOICE = 8000
# A fast set is fitted again until this time has passed, or so many times.
MIN_SECONDS, MAX_ROUNDS = 2.0, 7


def choose_and_fit(job):
    """Errors and times of models, each with its defaults and with the best of five values.

    The models are fitted in turns on all training samples.
    """
    warnings.simplefilter("ignore")
    X, X_test, y, y_test = SETS[job.set].load(job.quick)
    found = {name: {"choice": _choice(TUNED[name], X, y, job.seed)} for name in job.models}
    variants = {
        (name, variant): value
        for name, model in found.items()
        for variant, value in (("default", None), ("chosen", model["choice"]))
    }
    seconds = {key: [] for key in variants}
    start = time.perf_counter()
    for _ in range(MAX_ROUNDS):
        for (name, variant), value in variants.items():
            model = TUNED[name].build(value, job.seed)
            begin = time.perf_counter()
            model.fit(X, y)
            seconds[name, variant].append(time.perf_counter() - begin)
            error = float(np.mean(model.predict(X_test) != y_test))
            found[name][variant] = {"error": error, "n_iter": int(model.n_iter_)}
        if time.perf_counter() - start > MIN_SECONDS:
            break
    for (name, variant), times in seconds.items():
        found[name][variant]["seconds"] = times
    shape = dict(n_train=len(y), n_test=len(y_test), n_features=X.shape[1])
    return {**shape, "n_classes": len(np.unique(y)), "models": found}


def _choice(model, X, y, seed):
    """The value with the fewest errors on held-out training samples."""
    rows = np.random.default_rng(seed).permutation(len(y))
    n = min(N_CHOICE, len(y) * 2 // 3)
    fit, score = rows[:n], rows[n : n + n // 2]
    errors = [
        np.mean(model.build(value, seed).fit(X[fit], y[fit]).predict(X[score]) != y[score])
        for value in model.values
    ]
    return model.values[int(np.argmin(errors))]


# ---------------------------------------------------------------------------
# One sample, and a hundred of them
# ---------------------------------------------------------------------------

N_FEATURES, CHUNK = 100, 100


def _arrays(name, X, y):
    """Calls of a scikit-learn estimator, with samples of an array."""
    model = SPEED[name].build().partial_fit(X[:1], y[:1], classes=[-1, 1])

    def rows(size):
        return ((X[i : i + size], y[i : i + size]) for i in range(0, len(y), size))

    return {
        "learn": (model.partial_fit, rows(1)),
        "chunk": (model.partial_fit, rows(CHUNK)),
        "predict": (model.predict, ((x,) for x, _ in rows(1))),
    }


def _one_by_one(learn, predict, rows):
    """Calls of a model that takes one sample at a time; the samples are there beforehand."""

    def learn_chunk(*chunk):
        for row in chunk:
            learn(*row)

    return {
        "learn": (learn, iter(rows)),
        "chunk": (learn_chunk, (rows[i : i + CHUNK] for i in range(0, len(rows), CHUNK))),
        "predict": (predict, (row[:1] for row in rows)),
    }


def _river(X, y):
    from river.linear_model import PAClassifier

    model = PAClassifier(C=C, mode=1)
    rows = [(dict(enumerate(row)), label > 0) for row, label in zip(X.tolist(), y)]
    return _one_by_one(model.learn_one, model.predict_one, rows)


def _vowpal_wabbit(parsed, X, y):
    """Examples parsed beforehand, or lines of text.

    It has no passive-aggressive rule; this is its own, with the hinge loss.
    """
    from vowpalwabbit import Workspace

    model = Workspace("--quiet --loss_function hinge")
    lines = [_line(x, label) for x, label in zip(X.tolist(), y)]
    rows = [(model.example(line) if parsed else line,) for line in lines]
    return _one_by_one(model.learn, model.predict, rows)


def _line(x, label):
    values = " ".join(f"{column}:{value:.6g}" for column, value in enumerate(x))
    return f"{label} | {values}"


PEERS = {
    "pa": partial(_arrays, "pa"),
    "sgd": partial(_arrays, "sgd"),
    "river": _river,
    "vw_parsed": partial(_vowpal_wabbit, True),
    "vw_text": partial(_vowpal_wabbit, False),
}
# Calls in a turn.
CALLS = {"learn": 200, "chunk": 20, "predict": 200}


def calls_in_turns(job):
    """Microseconds of calls with one sample, and of training on a hundred samples at once.

    All models take turns on the same samples; of each turn the median call counts.
    """
    n_turns = 2 if job.quick else 20
    X, y = noisy_plane(n_turns * CALLS["chunk"] * CHUNK, N_FEATURES, job.seed)
    peers = {name: PEERS[name](X, y) for name in job.models}
    microseconds = {task: {name: [] for name in peers} for task in CALLS}
    for task, n_calls in CALLS.items():
        for _ in range(n_turns):
            for name, calls in peers.items():
                function, items = calls[task]
                times = microseconds_of_calls(function, islice(items, n_calls))
                microseconds[task][name].append(float(np.median(times)))
    return {"microseconds": microseconds, "n_features": N_FEATURES, "chunk": CHUNK}


JOB = ModelsJob
TASKS = {task.__name__: task for task in (fit_in_turns, choose_and_fit, calls_in_turns)}
