"""Tasks of `search`: what runs inside a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from ..bench.job import Job
from ..bench.measure import PeakMemory
from ..svc import models as svc_models
from . import models
from .sets import SETS, uneven_plane

N_SEEDS = 5
# Digits of scores and errors along a search.
DIGITS = 6


@dataclass(frozen=True)
class SearchJob(Job):
    """A search, or a fit with its outcome, on a set."""

    # Names in `sets`, `models.SEARCHES` and `svc.models`.
    work: str = ""
    search: str = "progressive"
    model: str = "lasvc"
    C: float = 1.0
    gamma: float = 1.0
    # The first rows only, while parameters are chosen.
    n_chosen_on: int | None = None
    # Of a search that a clock stops.
    given_seconds: float = 1.0

    def data(self):
        return SETS[self.work].load(self.seed, self.quick)

    def grid(self):
        return SETS[self.work].grid(self.quick)

    def build(self, model=None, **fields):
        """The model of the job, or another one, with other parameters."""
        known = dict(C=self.C, gamma=self.gamma, threads=self.threads, seed=self.seed)
        return svc_models.build(model or self.model, svc_models.Setting(**known | fields))


def error_of(model, split):
    return float(np.mean(model.predict(split.X_test) != split.y_test))


def seconds_of(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _some_of_each(split, n=40):
    """So many rows of each class."""
    labels = np.unique(split.y_train)
    rows = np.concatenate([np.flatnonzero(split.y_train == label)[:n] for label in labels])
    return split.X_train[rows], split.y_train[rows]


# ---------------------------------------------------------------------------
# A grid for a kernel model
# ---------------------------------------------------------------------------


def search_progressively(job):
    """Our search, and one fit with the parameters that it has found."""
    split = job.data()
    # What is loaded on first use.
    few = {name: values[:2] for name, values in job.grid().items()}
    models.progressive(job.build(), few, job.seed).fit(*_some_of_each(split))
    search = models.progressive(job.build(), job.grid(), job.seed, job.threads)
    with PeakMemory() as memory:
        seconds = seconds_of(lambda: search.fit(split.X_train, split.y_train))
    best = {name: float(value) for name, value in search.best_params_.items()}
    alone = job.build(**best)
    one_fit_seconds = seconds_of(lambda: alone.fit(split.X_train, split.y_train))
    return {
        **best,
        "seconds": seconds,
        "one_fit_seconds": one_fit_seconds,
        "error": error_of(search, split),
        "one_fit_error": error_of(alone, split),
        "peak_mb": memory.megabytes,
        "rungs": rungs_of(search.cv_results_),
    }


def rungs_of(table, names=("C", "gamma")):
    """Who was compared on each rung, by which rows, and who went on."""
    rungs = []
    for number in np.unique(table["rung"]):
        lines = np.flatnonzero(table["rung"] == number)
        rung = {"n_rows": int(table["n_resources"][lines[0]])}
        rung |= {name: [table["params"][line][name] for line in lines] for name in names}
        rung["scores"] = table["mean_test_score"][lines].round(DIGITS).tolist()
        rung["goes_on"] = table["goes_on"][lines].astype(int).tolist()
        rungs.append(rung)
    return rungs


def search_as_peers(job):
    """A search of scikit-learn, on all rows or on some, and the fit of its choice to all."""
    split = job.data()
    job.build().fit(*_some_of_each(split))
    X, y = split.X_train[: job.n_chosen_on], split.y_train[: job.n_chosen_on]
    search = models.peer(job.search, job.build(), job.grid(), job.seed, job.threads)
    chosen = seconds_of(lambda: search.fit(X, y))
    best = search.best_params_
    model = job.build(**best)
    fitted = seconds_of(lambda: model.fit(split.X_train, split.y_train))
    return {**best, "seconds": chosen + fitted, "error": error_of(model, split)}


def search_boosting(job):
    """HistGradientBoosting, in the time of another search."""
    split = job.data()
    models.boosting(0.0, job.seed).estimator.fit(*_some_of_each(split))
    search = models.boosting(job.given_seconds, job.seed)
    seconds = seconds_of(lambda: search.fit(split.X_train, split.y_train))
    return {"seconds": seconds, "n_tried": search.n_tried_, "error": error_of(search, split)}


def fit_once(job):
    """One fit with given parameters."""
    split = job.data()
    job.build().fit(*_some_of_each(split))
    model = job.build()
    seconds = seconds_of(lambda: model.fit(split.X_train, split.y_train))
    return {"seconds": seconds, "error": error_of(model, split)}


def choose_exhaustively(job):
    """All pairs on five folds of some rows by an exact solver, and the best on all rows."""
    split, grid = job.data(), job.grid()
    n = SETS[job.work].grid_rows
    X, y = split.X_train[:n], split.y_train[:n]
    folds = StratifiedKFold(models.N_FOLDS, shuffle=True, random_state=job.seed)
    errors = np.empty((len(grid["C"]), len(grid["gamma"]), models.N_FOLDS))
    for i, C in enumerate(grid["C"]):
        for j, gamma in enumerate(grid["gamma"]):
            for fold, (learnt, tested) in enumerate(folds.split(X, y)):
                model = job.build(C=C, gamma=gamma).fit(X[learnt], y[learnt])
                errors[i, j, fold] = np.mean(model.predict(X[tested]) != y[tested])
    means = errors.mean(axis=2)
    i, j = np.unravel_index(means.argmin(), means.shape)
    best = {"C": grid["C"][i], "gamma": grid["gamma"][j]}
    return {
        "n_chosen_on": len(y),
        "grid": grid,
        "cv_errors": means.round(DIGITS).tolist(),
        "cv_deviations": errors.std(axis=2).round(DIGITS).tolist(),
        **best,
        "error": error_of(job.build(**best).fit(split.X_train, split.y_train), split),
        "lasvc_errors": _lasvc_errors(job, best),
    }


def _lasvc_errors(job, best):
    """Of LASVC with these parameters on all rows, in the orders in which a search has them."""
    errors = []
    for seed in range(1 if job.quick else N_SEEDS):
        split = SETS[job.work].load(seed, job.quick)
        model = job.build("lasvc", **best, seed=seed).fit(split.X_train, split.y_train)
        errors.append(error_of(model, split))
    return errors


# ---------------------------------------------------------------------------
# Linear models
# ---------------------------------------------------------------------------


def search_linear(job):
    """Sixty candidates in one pass, and one pass of the best alone."""
    split = uneven_plane(job.seed, job.quick)
    classes = np.unique(split.y_train)
    estimator, grid = models.linear_candidates(job.seed, job.quick)
    models.progressive(estimator, grid, job.seed).fit(split.X_train[:600], split.y_train[:600])
    search = models.progressive(estimator, grid, job.seed, job.threads)
    with PeakMemory() as memory:
        seconds = seconds_of(lambda: search.fit(split.X_train, split.y_train))
    best = clone(search.best_params_["model"])
    best.set_params(**_inner(search.best_params_))
    with PeakMemory() as one_fit_memory:
        one_fit_seconds = seconds_of(
            lambda: best.partial_fit(split.X_train, split.y_train, classes=classes)
        )
    rungs = rungs_of(search.cv_results_, names=())
    table = search.cv_results_
    for number, rung in enumerate(rungs):
        lines = np.flatnonzero(table["rung"] == number)
        rung["families"] = [type(table["params"][line]["model"]).__name__ for line in lines]
    return {
        "best": repr(best),
        "seconds": seconds,
        "one_fit_seconds": one_fit_seconds,
        "error": error_of(search, split),
        "one_fit_error": error_of(best, split),
        "peak_mb": memory.megabytes,
        "one_fit_peak_mb": one_fit_memory.megabytes,
        "rows_mb": split.X_train.nbytes / 2**20,
        "rungs": rungs,
    }


def _inner(params):
    """Parameters of the model itself."""
    return {
        name.removeprefix("model__"): value
        for name, value in params.items()
        if name.startswith("model__")
    }


def search_sgd(job):
    """Random parameters of SGDClassifier, one pass each, in the time of another search."""
    split = uneven_plane(job.seed, job.quick)
    search = models.sgd(job.given_seconds, job.seed)
    with PeakMemory() as memory:
        seconds = seconds_of(lambda: search.fit(split.X_train, split.y_train))
    record = {"seconds": seconds, "n_tried": search.n_tried_, "error": error_of(search, split)}
    return record | {"best": repr(search.best_estimator_), "peak_mb": memory.megabytes}


JOB = SearchJob
TASKS = {
    "search_progressively": search_progressively,
    "search_as_peers": search_as_peers,
    "search_boosting": search_boosting,
    "fit_once": fit_once,
    "choose_exhaustively": choose_exhaustively,
    "search_linear": search_linear,
    "search_sgd": search_sgd,
}
