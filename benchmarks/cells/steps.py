"""Cells: models on real sets, and more and more generated samples."""

from ..bench import harness
from .sets import CASES
from .tasks import MODELS

LIMIT = 900
SIZES = [50_000, 100_000, 200_000, 500_000]
# Models of the curve, and the most samples that each is trained on.
CURVE = {"lasvc": 100_000, "cells_4000": 500_000, "nystroem": 100_000, "boosting": 500_000}

# Samples of the runs on worker processes, and the numbers of these.
CLUSTER_SIZES = [500_000, 4_000_000]
CLUSTER_WORKERS = [1, 2]
CLUSTER_LIMIT = 6 * 3600


def _call(step, settings, task, limit=LIMIT, **asked):
    record = settings.call(task, limit=limit, **asked)
    harness.say(step, record, **asked)
    return {**asked, **record}


def sets(settings):
    """Measure every model on every real set."""
    return {
        "records": [
            _call("cells_sets", settings, "fit_cells", set=name, model=model)
            for name in CASES
            for model in MODELS
        ]
    }


def curve(settings):
    """Measure models on more and more samples."""
    sizes = SIZES[:1] if settings.quick else SIZES
    return {
        "records": [
            _call("cells_curve", settings, "fit_forest", model=model, n_train=n)
            for n in sizes
            for model, most in CURVE.items()
            if n <= most
        ]
    }


def cluster(settings):
    """Measure training on worker processes."""
    sizes = CLUSTER_SIZES[:1] if settings.quick else CLUSTER_SIZES
    return {
        "records": [
            _call(
                "cells_cluster",
                settings,
                "fit_cluster",
                limit=CLUSTER_LIMIT,
                n_train=n,
                n_workers=n_workers,
            )
            for n in sizes
            for n_workers in CLUSTER_WORKERS
        ]
    }


STEPS = {"cells_sets": sets, "cells_curve": curve, "cells_cluster": cluster}
