"""Tasks of `linear`: what runs inside a fresh process."""

import time
from dataclasses import dataclass, field

import numpy as np

from ..bench.job import Job
from ..bench.measure import microseconds_of_calls
from . import streams
from .models import SPEED, C


@dataclass(frozen=True)
class ModelsJob(Job):
    """Models fitted in turns on the same samples."""

    # A name in `WORK`, or an axis in `AXES` with a value on it.
    work: str = ""
    axis: str = ""
    value: int = 0
    # Names in `models.SPEED`.
    models: list = field(default_factory=list)
    repeats: int = 15

    def data(self):
        if self.axis:
            return AXES[self.axis](self.value, self.seed, self.quick)
        return WORK[self.work](self.seed, self.quick)


# ---------------------------------------------------------------------------
# Data
# ---------------------------------------------------------------------------


def _few(quick, few, many):
    return few if quick else many


def _plane(quick, few, many, n_features, seed, **options):
    return streams.noisy_plane(_few(quick, few, many), n_features, seed, **options)


def _text(quick, few, many, per_row, seed, **options):
    return streams.csr_text(_few(quick, few, many), 47_000, per_row, seed, **options)


def _newsgroups(seed, quick):
    X, y = streams.STREAMS["newsgroups"].load(quick)
    order = np.random.default_rng(seed).permutation(len(y))
    return X[order], y[order]


# From a seed and "quick" to samples and labels.
WORK = {
    "dense_64": lambda seed, quick: _plane(quick, 5000, 200_000, 100, seed),
    "dense_32": lambda seed, quick: _plane(quick, 5000, 200_000, 100, seed, dtype=np.float32),
    "text": lambda seed, quick: _text(quick, 1000, 20_000, 75, seed),
    "newsgroups": _newsgroups,
    "small_dense": lambda seed, quick: _plane(quick, 500, 20_000, 100, seed),
}

# From a value on the axis, a seed and "quick" to samples and labels.
AXES = {
    "rows": lambda n, seed, quick: _plane(quick, n // 50, n, 100, seed),
    # As many values in all.
    "features": lambda d, seed, quick: _plane(quick, 40_000 // d, 8_000_000 // d, d, seed),
    "nonzeros": lambda n, seed, quick: _text(quick, 500, 20_000, n, seed),
    "dense_classes": lambda k, seed, quick: _plane(quick, 500, 20_000, 100, seed, n_classes=k),
    "sparse_classes": lambda k, seed, quick: _text(quick, 300, 5_000, 75, seed, n_classes=k),
    "covariance": lambda d, seed, quick: _plane(quick, 300, 4_000, d, seed),
}


# ---------------------------------------------------------------------------
# Fits
# ---------------------------------------------------------------------------


def fit_in_turns(job):
    """Fit all models again and again, one after the other, on the same arrays."""
    X, y = job.data()
    warm = min(len(y), 500)
    for name in job.models:
        SPEED[name].build().fit(X[:warm], y[:warm])
    seconds = {name: [] for name in job.models}
    for repeat in range(job.repeats):
        # Each of them comes after each other one.
        turn = repeat % len(job.models)
        for name in job.models[turn:] + job.models[:turn]:
            model = SPEED[name].build()
            start = time.perf_counter()
            model.fit(X, y)
            seconds[name].append(time.perf_counter() - start)
    return {
        "seconds": seconds,
        "errors": {name: _error(name, X, y) for name in job.models},
    }


def _error(name, X, y):
    """Of one pass over four fifths of the samples, on the rest."""
    n_learnt = 4 * len(y) // 5
    model = SPEED[name].build().fit(X[:n_learnt], y[:n_learnt])
    return float(np.mean(model.predict(X[n_learnt:]) != y[n_learnt:]))


# ---------------------------------------------------------------------------
# One sample, and a hundred of them
# ---------------------------------------------------------------------------

N_FEATURES, CHUNK = 100, 100


class _ScikitLearn:
    """A scikit-learn estimator, with samples of an array."""

    def __init__(self, name):
        self._model = SPEED[name].build()

    def prepare(self, X, y):
        self._X, self._y = X, y
        self._model.partial_fit(X[:1], y[:1], classes=[-1, 1])

    def rows(self, size, start, stop):
        return [(self._X[i : i + size], self._y[i : i + size]) for i in range(start, stop, size)]

    def calls(self, task, start, stop):
        if task == "predict":
            return self._model.predict, [(X,) for X, _ in self.rows(1, start, stop)]
        size = 1 if task == "learn" else CHUNK
        return self._model.partial_fit, self.rows(size, start, stop)


class _River:
    """River takes one sample at a time, as a dict; the dicts are there beforehand."""

    def __init__(self):
        from river.linear_model import PAClassifier

        self._model = PAClassifier(C=C, mode=1)

    def prepare(self, X, y):
        self._rows = [(dict(enumerate(row)), label > 0) for row, label in zip(X.tolist(), y)]

    def calls(self, task, start, stop):
        rows = self._rows[start:stop]
        if task == "predict":
            return self._model.predict_one, [(x,) for x, _ in rows]
        if task == "learn":
            return self._model.learn_one, rows
        return self._train_on_chunk, _chunks(rows)

    def _train_on_chunk(self, rows):
        learn = self._model.learn_one
        for x, y in rows:
            learn(x, y)


class _VowpalWabbit:
    """Vowpal Wabbit takes one example at a time: parsed beforehand, or a line of text.

    It has no passive-aggressive rule; this is its own, with the hinge loss.
    """

    def __init__(self, parsed):
        from vowpalwabbit import Workspace

        self._model = Workspace("--quiet --loss_function hinge")
        self._parsed = parsed

    def prepare(self, X, y):
        lines = [_line(x, label) for x, label in zip(X.tolist(), y)]
        self._rows = [self._model.example(line) for line in lines] if self._parsed else lines

    def calls(self, task, start, stop):
        rows = self._rows[start:stop]
        if task == "chunk":
            return self._train_on_chunk, _chunks(rows)
        call = self._model.predict if task == "predict" else self._model.learn
        return call, [(row,) for row in rows]

    def _train_on_chunk(self, rows):
        learn = self._model.learn
        for row in rows:
            learn(row)


def _line(x, label):
    values = " ".join(f"{column}:{value:.6g}" for column, value in enumerate(x))
    return f"{label} | {values}"


def _chunks(rows):
    return [(rows[i : i + CHUNK],) for i in range(0, len(rows), CHUNK)]


PEERS = {
    "pa": lambda: _ScikitLearn("pa"),
    "sgd": lambda: _ScikitLearn("sgd"),
    "river": _River,
    "vw_parsed": lambda: _VowpalWabbit(parsed=True),
    "vw_text": lambda: _VowpalWabbit(parsed=False),
}
CALL_TASKS = ("learn", "chunk", "predict")


def calls_in_turns(job):
    """Microseconds of calls with one sample, and of training on a hundred samples at once.

    All models take turns on the same samples; of each turn the median call counts.
    """
    n_turns = _few(job.quick, 2, 20)
    per_turn = {"learn": 200, "predict": 200, "chunk": 20 * CHUNK}
    n_rows = max(per_turn.values()) * n_turns
    X, y = streams.noisy_plane(n_rows, N_FEATURES, job.seed)
    peers = {name: PEERS[name]() for name in job.models}
    for peer in peers.values():
        peer.prepare(X, y)
    microseconds = {task: {name: [] for name in peers} for task in CALL_TASKS}
    for task in CALL_TASKS:
        for turn in range(n_turns):
            start = turn * per_turn[task]
            for name, peer in peers.items():
                call, items = peer.calls(task, start, start + per_turn[task])
                times = microseconds_of_calls(call, items)
                microseconds[task][name].append(float(np.median(times)))
    return {"microseconds": microseconds, "n_features": N_FEATURES, "chunk": CHUNK}


JOB = ModelsJob
TASKS = {task.__name__: task for task in (fit_in_turns, calls_in_turns)}
