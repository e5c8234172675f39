"""Streams in any order: errors, regression, late classes, drift, sizes, times."""

from ..bench.harness import grid
from .orders import BY_CLASS, SHUFFLED
from .sets import REGRESSION_SETS, SETS
from .tasks import LATE

N_SEEDS = 5
# Number of seeds for other models and for variants.
N_FEW = 3
BOTH = ["lasvc", "off"]
C_VALUES = (0.1, 1.0, 10.0)
PANELS = ("covtype", "letter", "adult")
DRIFTS = (
    *({"drift": name, "set": ""} for name in ("boundary", "boundary, bursts")),
    *({"drift": "a class", "set": name} for name in ("covtype", "letter", "usps")),
)
PIXELS = "mnist"
TIMED = ("covtype", "adult", "letter", "usps", "magic04")


def _in_orders(settings, models, n_seeds, **fixed):
    cases = grid(set=list(SETS)[:: 6 if settings.quick else 1])
    return _records(settings, "learn_in_orders", cases, n_seeds, models=models, **fixed)


def _records(settings, task, cases, n_seeds, **fixed):
    """Return a record for each case, with a run for each seed."""
    return settings.records(task, cases, seeds=list(settings.runs(n_seeds)), **fixed)


def measure_errors(settings):
    return _in_orders(settings, BOTH, N_SEEDS)


def measure_variants(settings):
    return _in_orders(settings, ["4000", "scale"], N_FEW)


def measure_peers(settings):
    return _in_orders(settings, ["sgd", "arow"], 1, orders=[SHUFFLED, BY_CLASS])


def measure_along(settings):
    return _records(settings, "errors_along_order", grid(set=PANELS), 1)


def measure_regression(settings):
    cases = grid(set=REGRESSION_SETS, C=C_VALUES)[:: 9 if settings.quick else 1]
    return _records(settings, "regress_in_orders", cases, N_FEW, models=BOTH)


def measure_late(settings):
    models = [*BOTH, "4000"]
    return _records(settings, "add_late_classes", grid(set=LATE), N_SEEDS, models=models)


def measure_drift(settings):
    return _records(settings, "follow_change", DRIFTS, N_SEEDS, models=BOTH)


def measure_sizes(settings):
    cases = grid(set=[PIXELS], order=[SHUFFLED, BY_CLASS])
    return settings.records("size_of_models", cases, models=BOTH)


def measure_times(settings):
    cases = grid(set=TIMED[:: 4 if settings.quick else 1], predicting=[False, True])
    return settings.records("time_in_orders", cases)


STEPS = {
    "stream_order": measure_errors,
    "stream_order_variants": measure_variants,
    "stream_order_peers": measure_peers,
    "stream_order_along": measure_along,
    "stream_order_regression": measure_regression,
    "stream_order_late": measure_late,
    "stream_order_drift": measure_drift,
    "stream_order_sizes": measure_sizes,
    "stream_order_times": measure_times,
}
