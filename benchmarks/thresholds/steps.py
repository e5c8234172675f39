"""Thresholds: coverage of intervals, tuned thresholds, and alarms on a stream with drift."""

from ..bench.harness import grid
from .sets import SETS

N_POSITIVE = [20, 40, 100, 400]
N_DRAWS = {20: 200, 40: 200, 100: 200, 400: 100}
SCORES = ["leave-one-out", "10 folds"]
N_SEEDS = 3
# Too few negative samples for the largest number.
SMALL = "svmguide1"


def cases(sizes, **axes):
    return [
        dict(case, n_draws=N_DRAWS[case["n_positive"]])
        for case in grid(set=SETS, n_positive=sizes, **axes)
        if (case["set"], case["n_positive"]) != (SMALL, 400)
    ]


def measure_coverage(settings):
    return settings.records("threshold_coverage", cases(N_POSITIVE, scores=SCORES))


def measure_tuned(settings):
    asked = [dict(case, n_draws=50) for case in cases([100])]
    return settings.records("threshold_tuned", asked)


def measure_streams(settings):
    asked = grid(target=["alarm_rate", "recall"], seed=settings.runs(N_SEEDS))
    return settings.records("threshold_stream", asked)


STEPS = {
    "thresholds_coverage": measure_coverage,
    "thresholds_tuned": measure_tuned,
    "thresholds_streams": measure_streams,
}
