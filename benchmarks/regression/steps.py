"""Regression: models on sets, time over numbers of samples and outputs, prefixes of a stream."""

from functools import partial

from ..bench.harness import grid
from .sets import N_OUTPUTS, REAL_SETS, SETS, SIZES, WIDTHS
from .tasks import MODELS, OUTPUT_MODELS

CURVE = ("lasvr", "svr", "sklearnex")
LIMIT = 1800


def models(settings, sets):
    """Measure every model on every set."""
    return settings.records("regress", grid(set=sets, model=MODELS), limit=LIMIT)


def curve(settings):
    """Measure support vector models on more and more samples."""
    sizes = SIZES[:1] if settings.quick else SIZES
    return settings.records("regress", grid(n_train=sizes, model=CURVE), limit=LIMIT)


def prefixes(settings):
    """Score a stream at ten points."""
    return settings.records("regress_prefixes", grid(set=SETS, n_train=[10_000]), limit=LIMIT)


def outputs(settings):
    """Measure models on one output, and on several of the same samples."""
    cases = grid(n_features=WIDTHS, model=OUTPUT_MODELS, n_outputs=(1, N_OUTPUTS))
    return settings.records("regress_outputs", cases, limit=LIMIT)


STEPS = {
    "regression_sets": partial(models, sets=SETS),
    "regression_curve": curve,
    "regression_prefixes": prefixes,
    "regression_real": partial(models, sets=REAL_SETS),
    "regression_outputs": outputs,
}
