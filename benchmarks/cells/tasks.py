"""Tasks of `cells`: one model on one set, in a fresh process."""

import warnings
from dataclasses import dataclass

from sklearn.metrics import zero_one_loss

from ..bench.job import Job
from ..bench.measure import Clock
from . import files, mixing, streams
from .models import MODELS
from .sets import CASES, FOREST, N_TEST, forest


@dataclass(frozen=True)
class CellJob(Job):
    """A model and a set, or the number of samples and classes of a generated one."""

    model: str = "lasvc"
    set: str = ""
    n_train: int = 50_000
    n_classes: int = 2
    # Processor time of SVC on a part of the samples.
    seconds: float = 60.0
    # Samples in files: their kind, and the format.
    kind: str = "dense"
    source: str = "text"
    # Worker processes of a cluster.
    n_workers: int = 1


def measured(model, X, y, X_test, y_test):
    """Fit and predict; return times and the error."""
    # A search in a cell may find its parameters at the edge of the grid.
    warnings.simplefilter("ignore")
    clock = Clock()
    model.fit(X, y)
    # A model that is used for the first time optimizes over its support set.
    model.predict(X_test[:1])
    fit = getattr(model, "fit_clock_", None) or clock.read()
    clock = Clock()
    predicted = model.predict(X_test)
    predict = getattr(model, "predict_clock_", None) or clock.read()
    return {
        "n_fitted": getattr(model, "n_fitted_", len(y)),
        "error": zero_one_loss(y_test, predicted),
        **{f"fit_{name}": [value] for name, value in fit.items()},
        **{f"predict_{name}": [value] for name, value in predict.items()},
    }


def fit_cells(job):
    """Fit a model on a real set."""
    case = CASES[job.set]
    X, y, X_test, y_test = case.load(job.seed)
    if job.quick:
        X, y, X_test, y_test = X[:1500], y[:1500], X_test[:500], y_test[:500]
    return measured(MODELS[job.model](case, job), X, y, X_test, y_test)


def fit_forest(job):
    """Fit a model on generated samples."""
    n, n_test = (2000, 500) if job.quick else (job.n_train, N_TEST)
    X, y = forest(n + n_test, job.seed, job.n_classes)
    return measured(MODELS[job.model](FOREST, job), X[:n], y[:n], X[n:], y[n:])


def fit_cluster(job):
    """Fit cells on worker processes."""
    from . import cluster  # needs dask

    return cluster.fit_cluster(job)


JOB = CellJob
TASKS = {
    "fit_cells": fit_cells,
    "fit_forest": fit_forest,
    "fit_cluster": fit_cluster,
    **files.TASKS,
    **mixing.TASKS,
    **streams.TASKS,
}
