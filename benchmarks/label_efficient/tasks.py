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
    # Algorithms that are measured together, with the values of delta (or the shares) of a curve.
    curves: dict = field(default_factory=dict)
    # Negative samples for each positive one; None: as they come.
    ratio: int | None = None
    # Shares of the labels to query.
    rates: list = field(default_factory=list)
    # Constants of the query rule that give a curve.
    deltas: list = field(default_factory=list)
    # Values to choose C from.
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


# ---------------------------------------------------------------------------
# Passes over permuted samples
# ---------------------------------------------------------------------------

# Seeds of the permutations on which C and delta are chosen begin here.
FIRST_TRIAL = 1000


def _permuted(X, y, seed):
    order = np.random.default_rng([seed, 16]).permutation(len(y))
    return X[order], y[order]


def one_pass(algorithm, X, y, choice):
    """One pass over the samples in their order: predictions and time."""
    model = linear_models.PAPER[algorithm](choice)
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    predicted = model.online_predictions_
    return {
        "seconds": seconds,
        "share": model.n_queries_ / len(y),
        "score": score(y, predicted),
        **confusion(y, predicted),
    }


def confusion(y, predicted):
    """Counts of a binary problem with the labels -1 and 1; nothing for another one."""
    if not set(np.unique(y)) <= {-1, 1}:
        return {}
    cells = {"tp": (1, 1), "fn": (1, -1), "fp": (-1, 1), "tn": (-1, -1)}
    return {
        name: int(np.sum((y == true) & (predicted == said)))
        for name, (true, said) in cells.items()
    }


def score(y, predicted):
    """F of the positive class; with more than two classes the accuracy."""
    counts = confusion(y, predicted)
    if not counts:
        return float(np.mean(y == predicted))
    wrong = counts["fp"] + counts["fn"]
    return 2 * counts["tp"] / max(1, 2 * counts["tp"] + wrong)


def _together(results, fields):
    """A list for each field, rounded to seven digits."""
    return {name: [round(result[name], 7) for result in results] for name in fields}


# ---------------------------------------------------------------------------
# C and delta
# ---------------------------------------------------------------------------

# log2 of delta is sought between these, until the share of labels is within so much of the rate.
LOWEST, HIGHEST = -24, 24
CLOSE, STEPS = 0.01, 14


def choice_at(algorithm, trials, choice, rate):
    """The choice that queries this share of the labels, and its mean score on the trials."""

    def mean(field, results):
        return float(np.mean([result[field] for result in results]))

    if algorithm in linear_models.RANDOM:
        choice = replace(choice, rate=rate)
        return choice, mean("score", _runs(algorithm, trials, choice))
    low, high = LOWEST, HIGHEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        choice = replace(choice, delta=2.0**middle)
        results = _runs(algorithm, trials, choice)
        share = mean("share", results)
        if abs(share - rate) <= CLOSE * rate:
            break
        low, high = (middle, high) if share < rate else (low, middle)
    return choice, mean("score", results)


def _runs(algorithm, trials, choice):
    return [one_pass(algorithm, X, y, replace(choice, seed=seed)) for seed, X, y in trials]


def _trials(job, X, y):
    seeds = range(FIRST_TRIAL, FIRST_TRIAL + job.n_trials)
    return [(seed, *_permuted(X, y, seed)) for seed in seeds]


def tuned(job, X, y):
    """For each rate the choice with the best C: that with the best mean score over the rates."""
    trials = _trials(job, X, y)
    tried = []
    for C in job.Cs:
        found = [choice_at(job.algorithm, trials, Choice(C=C), rate) for rate in job.rates]
        tried.append((np.mean([value for _, value in found]), [choice for choice, _ in found]))
    return max(tried, key=lambda found: found[0])[1]


# ---------------------------------------------------------------------------
# Tasks
# ---------------------------------------------------------------------------


POINT = ("share", "score")
UNEVEN_FIELDS = ("seconds", "share", "tp", "fn", "fp", "tn")


def asked_labels(job):
    """Choose C and delta; then the rates, and the curve over the share of labels.

    Each rate twice: by the constant delta found for it, and by a rule with this `rate`
    (the same where labels are queried at random).
    """
    X, y = job.data()
    choices = tuned(job, X, y)
    plans = {("delta", rate): choice for rate, choice in zip(job.rates, choices)}
    if job.algorithm not in linear_models.RANDOM:
        plans |= {("rate", c[1]): replace(plans[c], rate=c[1]) for c in list(plans)}
    C = choices[0].C
    points = {value: _at_point(job.algorithm, Choice(C=C), value) for value in job.deltas}
    fixed, curve = (
        _in_turns(job.n_runs, X, y, {key: (job.algorithm, choice) for key, choice in each.items()})
        for each in (plans, points)
    )
    return {
        "C": C,
        "Cs": job.Cs,
        "fixed": [
            {"way": way, "rate": rate, **_together(found, ("seconds", "share", "score"))}
            for (way, rate), found in fixed.items()
        ],
        "curve": [
            {name: float(np.mean([result[name] for result in found])) for name in POINT}
            for found in curve.values()
        ],
        "n_rows": len(y),
        "n_features": X.shape[1],
        "n_classes": len(np.unique(y)),
    }


def _at_point(algorithm, choice, value):
    """The choice with a value of a curve: the share of labels, or the constant of the rule."""
    return replace(choice, **{"rate" if algorithm in linear_models.RANDOM else "delta": value})


def _in_turns(n_runs, X, y, plans):
    """The runs of each plan, an algorithm and its choice, over the permutations that are reported.

    They take turns on each permutation, and another begins each time: a slow period of the
    machine affects all of them.
    """
    results = {key: [] for key in plans}
    keys = list(plans)
    for seed in range(n_runs):
        rows = _permuted(X, y, seed)
        turn = seed % max(1, len(keys))
        for key in keys[turn:] + keys[:turn]:
            algorithm, choice = plans[key]
            results[key].append(one_pass(algorithm, *rows, replace(choice, seed=seed)))
    return results


def uneven_classes(job):
    """Sum and cost of several algorithms: at rates (with the delta that gives them), and at the
    values of their curves.
    """
    X, y = job.data()
    n_positive = int(np.sum(y == 1))
    rho = (len(y) - n_positive) / n_positive
    start = Choice(C=rho, rho=rho)
    trials = _trials(job, X, y)
    plans, points = {}, {}
    for algorithm, values in job.curves.items():
        if algorithm in linear_models.FULL:
            plans[algorithm, 1.0] = algorithm, start
            continue
        for rate in job.rates:
            choice, _ = choice_at(algorithm, trials, start, rate)
            plans[algorithm, rate] = algorithm, choice
        for value in values:
            points[algorithm, value] = algorithm, _at_point(algorithm, start, value)
    each = {name: {"algorithm": name, "fixed": [], "curve": []} for name in job.curves}
    for (name, rate), found in _in_turns(job.n_runs, X, y, plans).items():
        about = {"rate": rate, "delta": plans[name, rate][1].delta}
        each[name]["fixed"].append(about | _together(found, UNEVEN_FIELDS))
    for (name, value), found in _in_turns(job.n_runs, X, y, points).items():
        each[name]["curve"].append({"value": value} | _together(found, UNEVEN_FIELDS))
    return {"n_rows": len(y), "n_positive": n_positive, "algorithms": list(each.values())}


def large_stream(job):
    """A stream of chunks, each discarded after use: cumulative training time."""
    source = streams.TextLike(
        job.n_columns, job.per_row, seed=0, positive_share=1 / (1 + job.ratio)
    )
    choice = Choice(C=job.ratio, rho=job.ratio)
    if job.deltas:
        choice = replace(choice, delta=job.deltas[0])
    if job.rates:
        choice = replace(choice, rate=job.rates[0])
    model = linear_models.PAPER[job.algorithm](choice)
    n_seen, seconds, curve = 0, 0.0, []
    counts = dict.fromkeys(("tp", "fn", "fp", "tn"), 0)
    while n_seen < job.n_rows:
        X, y = source.rows(job.chunk)
        start = time.perf_counter()
        model.partial_fit(X, y, classes=[-1, 1])
        seconds += time.perf_counter() - start
        found = confusion(y, model.online_predictions_[n_seen:])
        counts = {name: counts[name] + found[name] for name in counts}
        n_seen += len(y)
        curve.append([n_seen, seconds])
    return {
        "seconds": seconds,
        "curve_seconds": curve,
        "n_rows": n_seen,
        "n_queries": int(model.n_queries_),
        **counts,
    }


JOB = StreamJob
TASKS = {task.__name__: task for task in (asked_labels, uneven_classes, large_stream)}
