"""Tasks of `label_efficient`: what runs inside a fresh process."""

import contextlib
import ctypes
import time
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.svm import LinearSVC

from ..bench.job import Job
from ..bench.measure import PeakMemory
from ..linear import models as linear_models
from ..linear import streams
from ..linear.models import Choice

MEGABYTE = 2**20


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
    # Call `partial_fit` of the estimator alone, without predicting first.
    plain: bool = False

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


def asked_labels(job):
    """Choose C and delta; then the rates, and the curve over the share of labels.

    Each rate twice: by the constant delta found for it, and by a rule with this `rate`
    (the same where labels are queried at random).
    """
    X, y = job.data()
    choices = tuned(job, X, y)
    random = job.algorithm in linear_models.RANDOM
    plans = {("delta", rate): choice for rate, choice in zip(job.rates, choices)}
    if not random:
        plans |= {("rate", c[1]): replace(plans[c], rate=c[1]) for c in list(plans)}
    C = choices[0].C
    points = {value: _at_point(job.algorithm, Choice(C=C), value) for value in job.deltas}

    def runs(choices):
        all_plans = {key: (job.algorithm, choice) for key, choice in choices.items()}
        return _in_turns(job.n_runs, X, y, all_plans)

    fixed, curve = runs(plans), runs(points)
    return {
        "C": C,
        "Cs": job.Cs,
        "fixed": [
            {"way": way, "rate": rate, **_together(found, ("seconds", "share", "score"))}
            for (way, rate), found in fixed.items()
        ],
        "curve": [
            {
                "share": float(np.mean([result["share"] for result in found])),
                "score": float(np.mean([result["score"] for result in found])),
            }
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


UNEVEN_FIELDS = ("seconds", "share", "tp", "fn", "fp", "tn")


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
    fixed = _in_turns(job.n_runs, X, y, plans)
    curve = _in_turns(job.n_runs, X, y, points)
    return {
        "n_rows": len(y),
        "n_positive": n_positive,
        "algorithms": [
            {
                "algorithm": algorithm,
                "fixed": [
                    {
                        "rate": rate,
                        "delta": plans[name, rate][1].delta,
                        **_together(found, UNEVEN_FIELDS),
                    }
                    for (name, rate), found in fixed.items()
                    if name == algorithm
                ],
                "curve": [
                    {"value": value, **_together(found, UNEVEN_FIELDS)}
                    for (name, value), found in curve.items()
                    if name == algorithm
                ],
            }
            for algorithm in job.curves
        ],
    }


# Shares of labels that are made wrong.
WRONG = (0.05, 0.1)


def cpa_reasons(job):
    """PE and CPA on all samples, on those that a linear model can classify, with wrong labels."""
    X, y = job.data()
    rho = float(np.sum(y == -1) / np.sum(y == 1))
    start = Choice(C=rho, rho=rho)
    line = LinearSVC(fit_intercept=False, class_weight={1: rho, -1: 1.0}, max_iter=100).fit(X, y)
    right = line.predict(X) == y
    labels = {"all": y, "separable": y}
    for share in WRONG:
        wrong = np.random.default_rng(job.seed).random(len(y)) < share
        labels[f"{share:.0%} wrong"] = np.where(wrong, -y, y)
    plans = {"PE": ("PE", start), "CPA": ("CPA", start), "C=1": ("CPA", replace(start, C=1.0))}
    found = []
    for part, of_part in labels.items():
        rows = right if part == "separable" else np.ones(len(y), dtype=bool)
        results = _in_turns(job.n_runs, X[rows], of_part[rows], plans)
        for name, runs in results.items():
            found.append({"part": part, "algorithm": name, **_together(runs, UNEVEN_FIELDS[1:])})
    return {"n_rows": len(y), "n_separable": int(np.sum(right)), "runs": found}


def large_stream(job):
    """A stream of chunks, each discarded after use: cumulative training time, and memory."""
    source = streams.TextLike(
        job.n_columns, job.per_row, seed=0, positive_share=1 / (1 + job.ratio)
    )
    choice = Choice(C=job.ratio, rho=job.ratio)
    if job.deltas:
        choice = replace(choice, delta=job.deltas[0])
    if job.rates:
        choice = replace(choice, rate=job.rates[0])
    model = _learner(job, choice)
    n_seen, n_values, n_positive, seconds, peaks = 0, 0, 0, 0.0, []
    curve, counts = [], dict.fromkeys(("tp", "fn", "fp", "tn"), 0)
    while n_seen < job.n_rows:
        X, y = source.rows(job.chunk)
        _give_back()
        with PeakMemory() as memory:
            start = time.perf_counter()
            model.partial_fit(X, y, classes=[-1, 1])
            seconds += time.perf_counter() - start
        peaks.append(memory.megabytes)
        if hasattr(model, "online_predictions_"):
            found = confusion(y, model.online_predictions_[n_seen:])
            counts = {name: counts[name] + found[name] for name in counts}
        n_seen += len(y)
        n_values += X.nnz
        n_positive += int(np.sum(y == 1))
        curve.append([n_seen, seconds])
    learner = getattr(model, "estimator_", model)
    arrays = [getattr(learner, name, None) for name in ("coef_", "covariance_")]
    peaks = [peak for peak in peaks if peak is not None]
    return {
        "seconds": seconds,
        "curve_seconds": curve,
        "n_rows": n_seen,
        "n_values": n_values,
        "n_positive": n_positive,
        # The first chunk brings the model into memory, the others what a chunk takes.
        "first_peak_mb": peaks[0] if peaks else None,
        "later_peak_mb": max(peaks[1:], default=None),
        "model_mb": sum(array.nbytes for array in arrays if array is not None) / MEGABYTE,
        "n_queries": int(getattr(model, "n_queries_", n_seen)),
        **counts,
    }


def _give_back():
    """Free memory goes back to the system: what is reused from there would not be seen."""
    # Outside Linux with its C library there is no such function.
    with contextlib.suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _learner(job, choice):
    """The model of the paper, its estimator alone, or another model of the speed tables."""
    if job.algorithm in linear_models.SPEED:
        return linear_models.SPEED[job.algorithm].build()
    model = linear_models.PAPER[job.algorithm](choice)
    return model.estimator if job.plain else model


JOB = StreamJob
TASKS = {task.__name__: task for task in (asked_labels, uneven_classes, cpa_reasons, large_stream)}
