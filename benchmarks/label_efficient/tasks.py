"""Tasks of `label_efficient`: what runs inside a fresh process."""

import time
from dataclasses import dataclass, field, replace

import numpy as np

from ..bench.job import Job
from ..linear import models as linear_models
from ..linear import streams
from ..linear.models import Choice


@dataclass(frozen=True)
class StreamJob(Job):
    """An algorithm of the paper on a stream with a label budget."""

    # Names in `streams` and in `linear_models.PAPER`.
    stream: str = ""
    algorithm: str = ""
    # Negative samples for each positive one; None: as they come.
    ratio: int | None = None
    # Shares of the labels to query.
    rates: list = field(default_factory=list)
    # Shares, or constants of the query rule, that give a curve.
    values: list = field(default_factory=list)
    # A further constant of the query rule.
    start: float | None = None
    # Values to choose C from; with a ratio it is that of the classes.
    Cs: list = field(default_factory=lambda: [1.0])
    # Permutations that are reported, and others, on which C and delta are chosen.
    n_runs: int = 20
    n_trials: int = 5
    # Of a generated stream.
    n_rows: int = 0
    n_columns: int = 0
    per_row: int = 0
    chunk: int = 0

    def data(self):
        if self.ratio is None:
            return streams.STREAMS[self.stream].load(self.quick)
        stream = streams.COST_STREAMS[self.stream]
        X, y = streams.imbalanced(*stream.load(), self.ratio)
        if self.quick:
            rows = np.random.default_rng(0).permutation(len(y))[: 4 * streams.QUICK_ROWS]
            X, y = X[rows], y[rows]
        return X, y

    def choices(self, y):
        """One for each C."""
        if self.ratio is None:
            return [Choice(C=C) for C in self.Cs]
        rho = float(np.sum(y == -1) / np.sum(y == 1))
        return [Choice(C=rho, rho=rho)]

    def score(self, y, predicted):
        """Accuracy; of two classes F, or with a ratio the mean of sensitivity and specificity."""
        if not set(np.unique(y)) <= {-1, 1}:
            return float(np.mean(y == predicted))
        right = {label: np.mean(predicted[y == label] == label) for label in (-1, 1)}
        if self.ratio is not None:
            return float(right[-1] + right[1]) / 2
        found = np.sum((y == 1) & (predicted == 1))
        return float(2 * found / max(1, np.sum(y == 1) + np.sum(predicted == 1)))


# Seeds of the permutations on which C and delta are chosen begin here.
FIRST_TRIAL = 1000


def _permuted(X, y, seed):
    order = np.random.default_rng([seed, 16]).permutation(len(y))
    return X[order], y[order]


def one_pass(job, X, y, choice):
    """One pass over the samples in their order."""
    model = linear_models.PAPER[job.algorithm](choice)
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "share": model.n_queries_ / len(y),
        "score": job.score(y, model.online_predictions_),
    }


# ---------------------------------------------------------------------------
# C and delta
# ---------------------------------------------------------------------------

# log2 of delta is sought between these, until the share of labels is within so much of the rate.
LOWEST, HIGHEST = -24, 24
CLOSE, STEPS = 0.01, 14


def choice_at(job, trials, choice, rate):
    """The choice that queries this share of the labels, and its mean score on the trials."""

    def mean(choice):
        results = [one_pass(job, X, y, replace(choice, seed=seed)) for seed, X, y in trials]
        return [float(np.mean([result[name] for result in results])) for name in POINT]

    if job.algorithm in linear_models.FULL:
        return choice, 0.0
    if job.algorithm in linear_models.RANDOM:
        choice = replace(choice, rate=rate)
        return choice, mean(choice)[1]
    low, high = LOWEST, HIGHEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        choice = replace(choice, delta=2.0**middle)
        share, score = mean(choice)
        if abs(share - rate) <= CLOSE * rate:
            break
        low, high = (middle, high) if share < rate else (low, middle)
    return choice, score


def tuned(job, X, y):
    """For each rate the choice with the best C: that with the best mean score over the rates."""
    seeds = range(FIRST_TRIAL, FIRST_TRIAL + job.n_trials)
    trials = [(seed, *_permuted(X, y, seed)) for seed in seeds]
    tried = []
    for start in job.choices(y):
        found = [choice_at(job, trials, start, rate) for rate in job.rates]
        tried.append((np.mean([value for _, value in found]), [choice for choice, _ in found]))
    return max(tried, key=lambda found: found[0])[1]


# ---------------------------------------------------------------------------
# Tasks
# ---------------------------------------------------------------------------

POINT = ("share", "score")


def asked_labels(job):
    """Choose C and delta; then the rates, and the curve over the share of labels.

    Without a ratio each rate twice: by the constant delta found for it, and by a rule with this
    `rate` (the same where labels are queried at random).
    """
    X, y = job.data()
    choices = tuned(job, X, y)
    random = job.algorithm in linear_models.RANDOM
    plans = {("delta", rate): choice for rate, choice in zip(job.rates, choices)}
    if job.ratio is None and not random:
        plans |= {("rate", c[1]): replace(plans[c], rate=c[1]) for c in list(plans)}
    start = replace(choices[0], delta=1.0, rate=None)
    if job.start is not None:
        plans["start", job.start] = replace(start, delta=job.start)
    name = "rate" if random else "delta"
    points = {value: replace(start, **{name: value}) for value in job.values}
    found = {key: [] for key in (*plans, *points)}
    for seed in range(job.n_runs):
        rows = _permuted(X, y, seed)
        for key, choice in (plans | points).items():
            found[key].append(one_pass(job, *rows, replace(choice, seed=seed)))

    def lists(key):
        fields = ("seconds", *POINT)
        return {name: [round(result[name], 7) for result in found[key]] for name in fields}

    return {
        "fixed": [{"way": key[0], "rate": key[1], **lists(key)} for key in plans],
        "curve": [{name: float(np.mean(lists(key)[name])) for name in POINT} for key in points],
        "n_rows": len(y),
        "n_features": X.shape[1],
        "n_classes": len(np.unique(y)),
    }


def large_stream(job):
    """A stream of chunks, each discarded after use: cumulative training time."""
    source = streams.TextLike(
        job.n_columns, job.per_row, seed=0, positive_share=1 / (1 + job.ratio)
    )
    choice = Choice(C=job.ratio, rho=job.ratio)
    if job.start is not None:
        choice = replace(choice, delta=job.start)
    if job.rates:
        choice = replace(choice, rate=job.rates[0])
    model = linear_models.PAPER[job.algorithm](choice)
    labels, seconds, curve = [], 0.0, []
    while len(labels) * job.chunk < job.n_rows:
        X, y = source.rows(job.chunk)
        start = time.perf_counter()
        model.partial_fit(X, y, classes=[-1, 1])
        seconds += time.perf_counter() - start
        labels.append(y)
        curve.append([len(labels) * job.chunk, seconds])
    labels = np.concatenate(labels)
    return {
        "seconds": seconds,
        "curve_seconds": curve,
        "share": int(model.n_queries_) / len(labels),
        "score": job.score(labels, model.online_predictions_),
    }


JOB = StreamJob
TASKS = {task.__name__: task for task in (asked_labels, large_stream)}
