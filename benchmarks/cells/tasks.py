"""Tasks of `cells`: one model on one set, in a fresh process."""

import time
from dataclasses import dataclass

from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import zero_one_loss
from sklearn.pipeline import make_pipeline

from sklearn_online_svm import LASVC
from sklearn_online_svm.partitioned import CellClassifier

from ..bench.job import Job
from .sets import CASES, FOREST, N_TEST, forest


@dataclass(frozen=True)
class CellJob(Job):
    """A model and a set, or the number of samples of a generated one."""

    model: str = "lasvc"
    set: str = ""
    n_train: int = 50_000
    # Worker processes of a cluster.
    n_workers: int = 1


def _cells(cell_size, overlap):
    return lambda params, seed: CellClassifier(
        LASVC(**params, random_state=seed),
        cell_size=cell_size,
        overlap=overlap,
        random_state=seed,
    )


MODELS = {
    "lasvc": lambda params, seed: LASVC(**params, random_state=seed),
    "cells_4000": _cells(4000, 0.2),
    "cells_4000_apart": _cells(4000, 0.0),
    "cells_2000": _cells(2000, 0.2),
    "nystroem": lambda params, seed: make_pipeline(
        Nystroem(gamma=params["gamma"], n_components=500, random_state=seed),
        SGDClassifier(alpha=1e-6, random_state=seed),
    ),
    "boosting": lambda params, seed: HistGradientBoostingClassifier(random_state=seed),
}


def measured(model, X, y, X_test, y_test):
    """Fit and predict; return processor times and the error."""
    begun = time.process_time()
    model.fit(X, y)
    # A model that is used for the first time optimizes over its support set.
    model.predict(X_test[:1])
    fitted = time.process_time()
    predicted = model.predict(X_test)
    return {
        "n_train": len(y),
        "n_cells": getattr(model, "n_cells_", None),
        "seconds_fit": fitted - begun,
        "seconds_predict": time.process_time() - fitted,
        "error": zero_one_loss(y_test, predicted),
    }


def fit_cells(job):
    """Fit a model on a real set."""
    case = CASES[job.set]
    X, y, X_test, y_test = case.load(job.seed)
    if job.quick:
        X, y, X_test, y_test = X[:1500], y[:1500], X_test[:500], y_test[:500]
    model = MODELS[job.model](dict(C=case.C, gamma=case.gamma), job.seed)
    return measured(model, X, y, X_test, y_test)


def fit_forest(job):
    """Fit a model on generated samples."""
    n, n_test = (2000, 500) if job.quick else (job.n_train, N_TEST)
    X, y = forest(n + n_test, job.seed)
    model = MODELS[job.model](FOREST, job.seed)
    return measured(model, X[:n], y[:n], X[n:], y[n:])


def fit_cluster(job):
    """Fit cells on worker processes."""
    from . import cluster  # needs dask

    return cluster.fit_cluster(job)


JOB = CellJob
TASKS = {"fit_cells": fit_cells, "fit_forest": fit_forest, "fit_cluster": fit_cluster}
