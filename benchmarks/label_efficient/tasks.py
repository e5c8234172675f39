"""Tasks of `label_efficient`: what runs inside a fresh process."""

import time
from dataclasses import dataclass, field, replace

import numpy as np

from ..bench.job import Job
from . import models, streams
from .models import Choice
from .paper import ADAPTIVE_DELTA

# Permutations of the samples that are reported, and others, with seeds of their own, on which C
# and delta are chosen: more where positive samples are few and the share of labels varies.
N_RUNS, N_TRIALS, N_UNEVEN_TRIALS = 20, 5, 40
FIRST_TRIAL = 1000
CS = [2.0**k for k in range(-5, 6)]
# r of AROW.
RS = [8.0**k for k in range(-2, 3)]
# Constants of a curve: of even and of uneven classes, and of the adaptive rule, which divides
# delta by the number of samples seen.
DELTAS = [2.0**k for k in range(-10, 11)]
COST_DELTAS = DELTAS[::2]
ADAPTIVE_DELTAS = [2.0**k for k in range(-4, 21, 2)]
# Where labels are queried at random, the share itself is set.
RATES = [0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
# Share of the labels of the large stream.
URL_RATE = 0.02


@dataclass(frozen=True)
class StreamJob(Job):
    """An algorithm on a stream with a label budget."""

    # Names in `streams.STREAMS` and in `models.ALGORITHMS`.
    stream: str = ""
    algorithm: str = ""
    # Negative samples for each positive one; None: as they come.
    ratio: int | None = None
    # Shares of the labels to query.
    rates: list = field(default_factory=list)

    @property
    def full(self):
        return self.algorithm in models.FULL

    @property
    def random(self):
        return self.algorithm in models.RANDOM

    @property
    def adaptive(self):
        return self.algorithm == "CSPAA(a)"

    def choices(self, y):
        """One for each C to choose from; in the paper it is the ratio of the classes, if given."""
        rho = 1.0 if self.ratio is None else float(np.sum(y == -1) / np.sum(y == 1))
        if self.algorithm in models.AROW_COST:
            Cs = RS
        elif self.ratio is not None:
            Cs = [rho]
        else:
            Cs = CS if self.algorithm in models.TUNED else [1.0]
        return [Choice(C=C, rho=rho) for C in Cs[:: 5 if self.quick else 1]]

    def curve_values(self):
        """Shares or constants of the query rule that give the curve, of the paper's algorithms."""
        if self.full or self.algorithm not in models.PAPER:
            return []
        values = DELTAS if self.ratio is None else COST_DELTAS
        values = ADAPTIVE_DELTAS if self.adaptive else RATES if self.random else values
        return values[:: 5 if self.quick else 1]

    def score(self, y, predicted):
        """Accuracy; of two classes F, or with a ratio the mean of sensitivity and specificity."""
        if not set(np.unique(y)) <= {-1, 1}:
            return float(np.mean(y == predicted))
        if self.ratio is not None:
            right = [np.mean(predicted[y == label] == label) for label in (-1, 1)]
            return float(sum(right)) / 2
        found = np.sum((y == 1) & (predicted == 1))
        return float(2 * found / max(1, np.sum(y == 1) + np.sum(predicted == 1)))


POINT = ("share", "score")


def _permuted(X, y, seed):
    order = np.random.default_rng([seed, 16]).permutation(len(y))
    return X[order], y[order]


def one_pass(job, X, y, choice):
    """One pass over the samples in their order."""
    model = models.build(job.algorithm, choice)
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    score = job.score(y, model.online_predictions_)
    return {"seconds": seconds, "share": model.n_queries_ / len(y), "score": score}


# ---------------------------------------------------------------------------
# C and delta
# ---------------------------------------------------------------------------

# log2 of delta is sought between these, until the share of labels is within so much of the rate.
LOWEST, HIGHEST = -24, 24
CLOSE, STEPS = 0.01, 14
# A choice that queries more than this times the rate is not compared.
TOO_MANY = 1.1


def choice_at(job, trials, choice, rate):
    """The choice that queries this share of the labels, and its mean score on the trials."""

    def mean(choice):
        results = [one_pass(job, X, y, replace(choice, seed=seed)) for seed, X, y in trials]
        return [float(np.mean([result[name] for result in results])) for name in POINT]

    if job.full:
        return choice, mean(choice)[1]
    if job.random:
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
    # A negative offset may query more labels than asked for, with any delta.
    return choice, score if share < TOO_MANY * rate else -np.inf


def tuned(job, rates, X, y):
    """For each rate the choice with the best C: that with the best mean score over the rates."""
    starts = job.choices(y)
    n_trials = N_TRIALS if job.ratio is None else N_UNEVEN_TRIALS // len(starts)
    n_trials = 1 if job.quick else n_trials
    seeds = range(FIRST_TRIAL, FIRST_TRIAL + n_trials)
    trials = [(seed, *_permuted(X, y, seed)) for seed in seeds]
    tried = []
    for start in starts:
        choices, scores = zip(*(choice_at(job, trials, start, rate) for rate in rates))
        tried.append((np.mean(scores), choices))
    return max(tried, key=lambda found: found[0])[1]


# ---------------------------------------------------------------------------
# Tasks
# ---------------------------------------------------------------------------


def asked_labels(job):
    """Choose C and delta; then the rates, and the curve over the share of labels.

    Without a ratio each rate twice: by the constant delta found for it, and by a rule with this
    `rate` (the same where labels are queried at random). CSPAA(a) also starts with the delta of
    the paper.
    """
    X, y = streams.STREAMS[job.stream].load(job.quick, job.ratio)
    rates = [1.0] if job.full else job.rates
    choices = dict(zip(rates, tuned(job, rates, X, y)))
    plans = {("delta", rate): choice for rate, choice in choices.items()}
    if job.ratio is None and not job.random:
        plans |= {("rate", rate): replace(choices[rate], rate=rate) for rate in rates}
    start = replace(choices[rates[0]], delta=1.0, rate=None)
    if job.adaptive:
        plans["start", ADAPTIVE_DELTA] = replace(start, delta=ADAPTIVE_DELTA)
    name = "rate" if job.random else "delta"
    points = {value: replace(start, **{name: value}) for value in job.curve_values()}
    found = {key: [] for key in (*plans, *points)}
    for seed in range(2 if job.quick else N_RUNS):
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
    n_rows, chunk = (20_000, 5_000) if job.quick else (1_000_000, 10_000)
    source = streams.url_like(1 / (1 + job.ratio))
    query = {"delta": ADAPTIVE_DELTA} if job.adaptive else {"rate": URL_RATE}
    model = models.build(job.algorithm, Choice(C=job.ratio, rho=job.ratio, **query))
    labels, seconds, curve = [], 0.0, []
    for n_seen in range(chunk, n_rows + 1, chunk):
        X, y = source.rows(chunk)
        start = time.perf_counter()
        model.partial_fit(X, y, classes=[-1, 1])
        seconds += time.perf_counter() - start
        labels.append(y)
        curve.append([n_seen, seconds])
    labels = np.concatenate(labels)
    return {
        "seconds": seconds,
        "curve_seconds": curve,
        "share": int(model.n_queries_) / n_rows,
        "score": job.score(labels, model.online_predictions_),
    }


JOB = StreamJob
TASKS = {task.__name__: task for task in (asked_labels, large_stream)}
