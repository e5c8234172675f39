"""Regression: models on sets, time over numbers of samples and outputs, prefixes of a stream."""

from ..bench import harness
from .sets import N_OUTPUTS, REAL_SETS, SETS, SIZES, WIDTHS
from .tasks import MODELS, OUTPUT_MODELS

CURVE = ("lasvr", "svr", "sklearnex")
LIMIT = 1800


def _call(step, settings, task, **asked):
    record = settings.call(task, limit=LIMIT, **asked)
    harness.say(step, record, **asked)
    return {**asked, **record}


def _models(step, settings, names):
    return {
        "records": [
            _call(step, settings, "regress", set=name, model=model)
            for name in names
            for model in MODELS
        ]
    }


def sets(settings):
    """Measure every model on every generated set."""
    return _models("regression_sets", settings, SETS)


def real(settings):
    """Measure every model on real sets."""
    return _models("regression_real", settings, REAL_SETS)


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


def outputs(settings):
    """Measure models on one output, and on several of the same samples."""
    return {
        "records": [
            _call(
                "regression_outputs",
                settings,
                "regress_outputs",
                model=model,
                n_features=n_features,
                n_outputs=n_outputs,
            )
            for n_features in WIDTHS
            for model in OUTPUT_MODELS
            for n_outputs in (1, N_OUTPUTS)
        ]
    }


STEPS = {
    "regression_sets": sets,
    "regression_curve": curve,
    "regression_prefixes": prefixes,
    "regression_real": real,
    "regression_outputs": outputs,
}
