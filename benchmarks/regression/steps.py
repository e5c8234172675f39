"""Regression: models on sets, time over numbers of samples, several outputs."""

from functools import partial

from ..bench.harness import grid
from .sets import REAL_SETS, SETS, SIZES, WIDTHS
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


def outputs(settings):
    """Measure one model of several outputs, and a model of each."""
    cases = grid(n_features=WIDTHS, model=OUTPUT_MODELS)
    return settings.records("regress_outputs", cases, limit=LIMIT)


STEPS = {
    "regression_sets": partial(models, sets=SETS),
    "regression_curve": curve,
    "regression_real": partial(models, sets=REAL_SETS),
    "regression_outputs": outputs,
}
