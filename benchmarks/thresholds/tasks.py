"""Tasks of `thresholds`: many draws of one set, or one stream, in a fresh process."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import make_scorer, precision_score, recall_score
from sklearn.model_selection import TunedThresholdClassifierCV

from sklearn_online_svm import LASVC
from sklearn_online_svm.evaluation import AdaptiveThreshold, misclassification_cost
from sklearn_online_svm.evaluation._left_out_scores import left_out_scores
from sklearn_online_svm.evaluation._thresholds import choose

from ..bench.job import Job
from .sets import PER_DAY, SETS, days, draw

# The target, its value, and whether it is guaranteed.
TARGETS = {
    "recall": ("recall", 0.9, False),
    "precision": ("precision", 0.7, False),
    "alarm_rate": ("alarm_rate", 0.05, False),
    "costs": ("costs", (1.0, 10.0), False),
    "recall, guarantee": ("recall", 0.9, True),
    "precision, guarantee": ("precision", 0.7, True),
    "alarm_rate, guarantee": ("alarm_rate", 0.05, True),
}
N_FOLDS, LEVEL = 10, 0.95
RATES = ("recall", "precision", "alarm_rate", "cost")
# Days before the fixed threshold is selected.
N_BEGIN = 3
ALARM_RATE, STEP_SIZE = 0.02, 0.002


@dataclass(frozen=True)
class ThresholdJob(Job):
    """A set, the number of positive training samples and of draws; or a target in a stream."""

    set: str = ""
    n_positive: int = 100
    n_draws: int = 0
    scores: str = "leave-one-out"
    target: str = ""


def attained(threshold, positive, negative, share):
    """Return the rates of a threshold, given test scores and the share of positive samples."""
    recall, false_alarms = np.mean(positive >= threshold), np.mean(negative >= threshold)
    alarm_rate = share * recall + (1 - share) * false_alarms
    precision = share * recall / alarm_rate if alarm_rate else np.nan
    cost = 10 * share * (1 - recall) + (1 - share) * false_alarms
    return dict(zip(RATES, (recall, precision, alarm_rate, cost)))


def cover(job):
    """Attained rates on test samples, and how often their intervals contain them."""
    X, positive = SETS[job.set].load()
    rng = np.random.default_rng(job.seed)
    found = {name: [] for name in TARGETS}
    for _ in range(2 if job.quick else job.n_draws):
        rows, *tests = draw(positive, 20 if job.quick else job.n_positive, rng)
        y = positive[rows].astype(int)
        model = LASVC(random_state=0).fit(X[rows], y)
        scores = [model.decision_function(X[test]) for test in tests]
        cv = None if job.scores == "leave-one-out" else N_FOLDS
        left_out = left_out_scores(model, X[rows], y, model.classes_, cv)
        for name, (target, value, guarantee) in TARGETS.items():
            try:
                choice = choose(left_out, y == 1, model.classes_, target, value, guarantee, LEVEL)
            except ValueError:  # cannot be reached
                continue
            rates = attained(choice.threshold, *scores, y.mean())
            run = {}
            for rate in RATES[: 4 if target == "costs" else 3]:
                low, high = getattr(choice, f"{rate}_interval")
                run[rate] = [float(rates[rate]), bool(low <= rates[rate] <= high)]
            found[name].append(run)
    return {
        "targets": {
            name: {
                "n_reached": len(runs),
                **{
                    rate: {
                        "mean": float(np.nanmean([run[rate][0] for run in runs])),
                        "covered": float(np.mean([run[rate][1] for run in runs])),
                        "reached": is_reached(name, rate, runs),
                    }
                    for rate in (runs[0] if runs else ())
                },
            }
            for name, runs in found.items()
        }
    }


def is_reached(name, rate, runs):
    """Return how often a target was reached on test samples."""
    target, value, _ = TARGETS[name]
    if rate != target or target == "costs":
        return None
    sign = -1 if rate == "alarm_rate" else 1
    return float(np.mean([sign * run[rate][0] >= sign * value for run in runs]))


def at_recall(y_true, y_pred):
    """Precision if the recall is at least 0.9; otherwise a negative number that grows with it."""
    recall = recall_score(y_true, y_pred)
    return precision_score(y_true, y_pred, zero_division=0) if recall >= 0.9 else recall - 1


def tune(job):
    """Rates attained with the thresholds of TunedThresholdClassifierCV."""
    X, positive = SETS[job.set].load()
    rng = np.random.default_rng(job.seed)
    scorers = {
        "recall": make_scorer(at_recall),
        "costs": make_scorer(
            misclassification_cost, greater_is_better=False, normalize=True, cost_p=10, cost_n=1
        ),
    }
    found = {name: [] for name in scorers}
    for _ in range(2 if job.quick else job.n_draws):
        rows, *tests = draw(positive, 20 if job.quick else job.n_positive, rng)
        y = positive[rows].astype(int)
        for name, scorer in scorers.items():
            tuned = TunedThresholdClassifierCV(
                LASVC(random_state=0), scoring=scorer, response_method="decision_function"
            ).fit(X[rows], y)
            scores = [tuned.estimator_.decision_function(X[test]) for test in tests]
            found[name].append(attained(tuned.best_threshold_, *scores, y.mean()))
    return {
        "targets": {
            name: {rate: float(np.nanmean([run[rate] for run in runs])) for rate in RATES}
            for name, runs in found.items()
        }
    }


def follow(job):
    """Alarms and hits of each day of a stream with drift, with three kinds of thresholds."""
    rng = np.random.default_rng(job.seed)
    n_per_day = 200 if job.quick else PER_DAY
    target = {"alarm_rate": {"alarm_rate": ALARM_RATE}, "recall": {"recall": 0.9}}[job.target]
    window = dict(window_size=N_BEGIN * n_per_day if job.target == "alarm_rate" else 150)
    ways = {
        "fixed": AdaptiveThreshold(**target, **window, step_size=0),
        "window": AdaptiveThreshold(**target, **window, step_size=0),
        "adaptive": AdaptiveThreshold(**target, **window, step_size=STEP_SIZE),
    }
    model = LASVC(window_size=3 * n_per_day, gamma=0.1, random_state=0)
    counts = {name: [] for name in ways}
    n_positive = []
    for day, (X, y) in enumerate(days(n_per_day, rng)):
        if day:
            for name, way in ways.items():
                is_kept = name == "fixed" and day > N_BEGIN
                found = way.predict(model, X) if is_kept else way.update(model, X, y)
                counts[name].append([int(found.sum()), int(found[y == 1].sum())])
            n_positive.append(int(y.sum()))
        model.partial_fit(X, y, classes=[0, 1])
    return {"days": counts, "n_positive": n_positive, "n_per_day": n_per_day}


JOB = ThresholdJob
TASKS = {"threshold_coverage": cover, "threshold_tuned": tune, "threshold_stream": follow}
