"""Cells: models on real sets, and more and more generated samples."""

import os

from ..bench import harness
from . import files, mixing, streams
from .sets import CASES

LIMIT = 1800
SETS_MODELS = (
    "lasvc", "cells", "cells_apart", "lasvc_search", "cells_search", "intelex", "nystroem",
    "lpd", "boosting",
)  # fmt: skip
SIZES = (50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000)
# Models of the curve, and the most samples that each is trained on.
CURVE = {
    "cells_tuned": 2_000_000,
    "lasvc": 100_000,
    "intelex": 100_000,
    "nystroem": 500_000,
    "lpd": 500_000,
    "boosting": 500_000,
}


def _models(models):
    """Return the models without LPD-SVM if its program is not there."""
    return [model for model in models if model != "lpd" or "LPD_SVM" in os.environ]


# Samples of the runs on worker processes, and the numbers of these.
CLUSTER_SIZES = [500_000, 4_000_000]
CLUSTER_WORKERS = [1, 2]
CLUSTER_LIMIT = 6 * 3600


def _call(step, settings, task, limit=LIMIT, **asked):
    record = settings.call(task, limit=limit, **asked)
    harness.say(step, record, **asked)
    return {**asked, **record}


def sets(settings):
    """Measure every model on every real set, on one core."""
    records = []
    for name in CASES:
        for model in _models(SETS_MODELS):
            records.append(_call("cells_sets", settings, "fit_cells", set=name, model=model))
            if model == "cells":
                part = dict(
                    model="svc_part", seconds=min(records[-1].get("fit_cpu_seconds", [60.0]))
                )
                records.append(_call("cells_sets", settings, "fit_cells", set=name, **part))
    return {"records": records}


def curve(settings):
    """Measure models on more and more samples, on two cores."""
    sizes = SIZES[:1] if settings.quick else SIZES
    records = []
    for n_classes, largest in ((2, 2_000_000), (7, 500_000)):
        for n in sizes:
            for model in _models(CURVE):
                if n <= min(CURVE[model], largest):
                    asked = dict(model=model, n_train=n, n_classes=n_classes, threads=2)
                    records.append(_call("cells_curve", settings, "fit_forest", **asked))
    return {"records": records}


def from_files(settings):
    """Measure one pass over files, text and Parquet, on two cores."""
    records = []
    for kind in files.SHAPES:
        for n in (2000,) if settings.quick else files.SIZES:
            asked = dict(kind=kind, n_train=n)
            _call("cells_files", settings, "write_files", **asked)
            for model, source in files.RUNS[kind]:
                run = dict(asked, model=model, source=source, threads=2)
                # Three times: a run takes seconds.
                records += [
                    _call("cells_files", settings, "train_file", **run)
                    for _ in range(settings.seeds)
                ]
            _call("cells_files", settings, "remove_files", **asked)
    return {"records": records}


def stream(settings):
    """Measure models along a stream, on one core."""
    return {
        "records": [
            _call("cells_stream", settings, "train_stream", model=model)
            for model in streams.MODELS
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


def mixed(settings):
    """Measure the errors of linear models that are mixed from models of partitions."""
    return {
        "records": [
            _call("cells_mixing", settings, "mix_partitions", set=name, model=model)
            for name, model in mixing.RUNS
        ]
    }


STEPS = {
    "cells_mixing": mixed,
    "cells_stream": stream,
    "cells_sets": sets,
    "cells_curve": curve,
    "cells_files": from_files,
    "cells_cluster": cluster,
}
