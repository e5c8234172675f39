"""Cells: models on real sets, and more and more generated samples."""

import os

from ..bench.harness import grid
from . import files, mixing, streams
from .sets import CASES

LIMIT = 1800
SETS_MODELS = ("lasvc", "cells", "lasvc_search", "cells_search", "intelex", "lpd", "boosting")
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


def sets(settings):
    """Measure every model on every real set, on one core."""
    records = []
    for name in CASES:
        for model in _models(SETS_MODELS):
            asked = dict(set=name, model=model)
            records.append(settings.record("fit_cells", asked, limit=LIMIT))
            if model == "cells":
                seconds = min(records[-1].get("fit_cpu_seconds", [60.0]))
                asked = dict(set=name, model="svc_part", seconds=seconds)
                records.append(settings.record("fit_cells", asked, limit=LIMIT))
    return {"records": records}


def curve(settings):
    """Measure models on more and more samples, on two cores."""
    cases = [
        dict(model=model, n_train=n, n_classes=n_classes, threads=2)
        for n_classes, largest in ((2, 2_000_000), (7, 500_000))
        for n in (SIZES[:1] if settings.quick else SIZES)
        for model in _models(CURVE)
        if n <= min(CURVE[model], largest)
    ]
    return settings.records("fit_forest", cases, limit=LIMIT)


def from_files(settings):
    """Measure one pass over files, text and Parquet, on two cores."""
    records = []
    for asked in grid(kind=files.SHAPES, n_train=[2000 if settings.quick else files.N_TRAIN]):
        settings.record("write_files", asked, limit=LIMIT)
        for model, source in files.RUNS[asked["kind"]]:
            run = dict(asked, model=model, source=source, threads=2)
            # Several times: a run takes seconds.
            found = settings.records("train_file", [run] * settings.seeds, limit=LIMIT)
            records += found["records"]
        settings.record("remove_files", asked, limit=LIMIT)
    return {"records": records}


def stream(settings):
    """Measure models along a stream, on one core."""
    return settings.records("train_stream", grid(model=streams.MODELS), limit=LIMIT)


def cluster(settings):
    """Measure training on worker processes."""
    sizes = CLUSTER_SIZES[:1] if settings.quick else CLUSTER_SIZES
    cases = grid(n_train=sizes, n_workers=CLUSTER_WORKERS)
    return settings.records("fit_cluster", cases, limit=CLUSTER_LIMIT)


def mixed(settings):
    """Measure the errors of linear models that are mixed from models of partitions."""
    cases = [dict(set=name, model=model) for name, model in mixing.RUNS]
    return settings.records("mix_partitions", cases, limit=LIMIT)


STEPS = {
    "cells_mixing": mixed,
    "cells_stream": stream,
    "cells_sets": sets,
    "cells_curve": curve,
    "cells_files": from_files,
    "cells_cluster": cluster,
}
