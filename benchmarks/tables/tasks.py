"""Tasks of `tables`: models on one table, in a fresh process."""

from dataclasses import dataclass

import numpy as np

from sklearn_online_svm import KernelMetric

from ..bench.job import Job
from ..bench.measure import processor_seconds
from ..sets.tables import TABLES
from .generated import N_FEATURES, N_RELEVANT, make_table
from .models import MODELS
from .tuning import N_TRIALS, SEARCHES, error_of

# Numbers of features of generated tables.
WIDTHS = (5, 10, 20, 50, 100)
COMPARED = ("metric", "without", "boosting", "svm")


@dataclass(frozen=True)
class TableJob(Job):
    """A model on a table, whose samples are at random or in order of time."""

    table: str = ""
    model: str = ""
    in_order: bool = False
    # The generated table.
    function: str = ""
    kind: str = ""
    seeds: tuple = ()


def _measured(model, split, kind):
    """Error, and processor times; short fits are repeated, since the first one loads modules."""
    fit_seconds = []
    while sum(fit_seconds) < 1 and len(fit_seconds) < 3:
        fit_seconds.append(processor_seconds(lambda: model.fit(split.X_train, split.y_train))[1])
    predicted, predict_seconds = processor_seconds(lambda: model.predict(split.X_test))
    return {
        "n_train": len(split.y_train),
        "n_test": len(split.y_test),
        "n_features": split.X_train.shape[1],
        "n_categorical": split.X_train.select_dtypes("category").shape[1],
        "fit_seconds": fit_seconds,
        "predict_seconds": [predict_seconds],
        "error": error_of(kind, split.y_test, predicted),
    }


def fit(job):
    """Fit a model with its defaults."""
    table = TABLES[job.table]
    split = table.load(job.seed, job.quick, job.in_order)
    model = MODELS[job.model](table.kind, job.seed, split.X_train)
    return _measured(model, split, table.kind)


def tune(job):
    """Search for the parameters of a model."""
    table = TABLES[job.table]
    search = SEARCHES[job.model](table.kind, job.seed, 2 if job.quick else N_TRIALS)
    return _measured(search, table.load(job.seed, job.quick), table.kind)


def add_irrelevant(job):
    """Errors by the number of features, of which five are relevant."""
    points = []
    for n_features in WIDTHS[: 2 if job.quick else None]:
        split, _ = make_table(job.function, job.kind, n_features, job.seed, job.quick)
        point = {"n_features": n_features}
        for name in COMPARED:
            model = MODELS[name](job.kind, job.seed, split.X_train)
            model.fit(split.X_train, split.y_train)
            point[name] = error_of(job.kind, split.y_test, model.predict(split.X_test))
        points.append(point)
    return {"points": points}


def find_relevant(job):
    """Share of the relevant features among those with the largest widths: mean, and each seed."""
    found = []
    for seed in job.seeds:
        split, relevant = make_table(job.function, job.kind, N_FEATURES, seed, job.quick)
        metric = KernelMetric(random_state=seed).fit(split.X_train, split.y_train)
        largest = np.argsort(metric.widths_)[-N_RELEVANT:]
        found.append(float(np.isin(largest, relevant).mean()))
    return {"share": float(np.mean(found)), "shares": found}


JOB = TableJob
TASKS = {
    "fit_table": fit,
    "tune_on_table": tune,
    "add_irrelevant_features": add_irrelevant,
    "find_relevant_features": find_relevant,
}
