"""Regression: models on six sets, time over the number of samples, prefixes of a stream."""

from ..bench import harness
from .sets import SETS, SIZES
from .tasks import MODELS

CURVE = ("lasvr", "svr", "sklearnex")
LIMIT = 1500


def _call(step, settings, task, **asked):
    record = settings.call(task, limit=LIMIT, **asked)
    harness.say(step, record, **asked)
    return {**asked, **record}


def sets(settings):
    """Measure every model on every set."""
    return {
        "records": [
            _call("regression_sets", settings, "regress", set=name, model=model)
            for name in SETS
            for model in MODELS
        ]
    }


def curve(settings):
    """Measure support vector models on more and more samples."""
    sizes = SIZES[:1] if settings.quick else SIZES
    return {
        "records": [
            _call("regression_curve", settings, "regress", n_train=n, model=model)
            for n in sizes
            for model in CURVE
        ]
    }


def prefixes(settings):
    """Score a stream at ten points."""
    return {
        "records": [
            _call("regression_prefixes", settings, "regress_prefixes", set=name, n_train=10_000)
            for name in SETS
        ]
    }


STEPS = {
    "regression_sets": sets,
    "regression_curve": curve,
    "regression_prefixes": prefixes,
}
