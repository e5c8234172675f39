"""Tasks of `search`: what runs inside a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from sklearn_online_svm import LASVC

from ..bench.job import Job
from . import models
from .sets import LINEAR_SETS, SETS, uneven_plane

# Digits of the errors of a curve.
DIGITS = 6
# Candidates of the exhaustive choice that are also trained on all samples: the best ones.
N_FINISHED = 25


@dataclass(frozen=True)
class SearchJob(Job):
    """A search on a data set."""

    # Names in `sets` and `models.SEARCHES`.
    work: str = ""
    search: str = "progressive"
    # Seconds after which a candidate of the exhaustive choice is given up.
    stopped_after: float = 15.0

    def data(self):
        return SETS[self.work].load(self.seed, self.quick)

    def grid(self):
        return SETS[self.work].grid(self.quick)


def error_of(model, split):
    return float(np.mean(model.predict(split.X_test) != split.y_test))


def seconds_of(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _some_of_each(split, n=40):
    """Some samples of each class, to load what is loaded on first use."""
    labels = np.unique(split.y_train)
    rows = np.concatenate([np.flatnonzero(split.y_train == label)[:n] for label in labels])
    return split.X_train[rows], split.y_train[rows]


# ---------------------------------------------------------------------------
# A grid for LASVC
# ---------------------------------------------------------------------------


def search_progressively(job):
    """Our search, and one fit with the parameters that it has found."""
    split = job.data()
    few = {name: values[:2] for name, values in job.grid().items()}
    models.progressive(LASVC(), few, job.seed).fit(*_some_of_each(split))
    search = models.progressive(LASVC(), job.grid(), job.seed, n_jobs=job.threads)
    seconds = seconds_of(lambda: search.fit(split.X_train, split.y_train))
    best = {name: float(value) for name, value in search.best_params_.items()}
    alone = LASVC(**best, random_state=job.seed)
    one_fit = [seconds_of(lambda: alone.fit(split.X_train, split.y_train))]
    # Short fits are measured several times.
    for _ in range(0 if one_fit[0] > 1 else 4):
        one_fit.append(seconds_of(lambda: clone(alone).fit(split.X_train, split.y_train)))
    return {
        **best,
        "seconds": seconds,
        "one_fit_seconds": min(one_fit),
        "error": error_of(search, split),
    }


def search_as_peers(job):
    """Another search, and the fit of its choice to all samples."""
    split = job.data()
    LASVC().fit(*_some_of_each(split))
    choose = {"grid": models.grid, "halving": models.halving, "optuna": models.optuna}[job.search]
    start = time.perf_counter()
    best = choose(job.grid(), split.X_train, split.y_train, job.seed)
    model = LASVC(**best, random_state=job.seed).fit(split.X_train, split.y_train)
    seconds = time.perf_counter() - start
    return {**best, "seconds": seconds, "error": error_of(model, split)}


def record_curves(job):
    """All pairs: errors on a held-out quarter along the samples, and the best ones on all samples.

    A pair whose training and scores take longer than ``stopped_after`` seconds is given up.
    """
    split, grid = job.data(), job.grid()
    X, y, classes = split.X_train, split.y_train, np.unique(split.y_train)
    n_train = len(y) - int(models.HELD_OUT * len(y))
    X_held, y_held = X[n_train:], y[n_train:]
    ends = models.rungs_of(n_train)
    lines, best, exhaustive = [], [], 0.0
    for number, params in enumerate(ParameterGrid(grid)):
        model, begin, trained, scored, errors = LASVC(**params), 0, 0.0, 0.0, []
        for end in ends:
            start = time.perf_counter()
            model.partial_fit(X[begin:end], y[begin:end], classes=classes)
            trained += time.perf_counter() - start
            start = time.perf_counter()
            errors.append(float(np.mean(model.predict(X_held) != y_held)))
            last = time.perf_counter() - start
            begin, scored = end, scored + last
            if trained + scored > job.stopped_after:
                break
        exhaustive += trained + last
        errors = np.round(errors, DIGITS).tolist()
        lines.append({**params, "errors": errors, "seconds": trained + last})
        if len(errors) == len(ends):
            best = sorted([*best, (errors[-1], number, model, trained)], key=lambda b: b[:2])
            del best[N_FINISHED:]
    for _, number, model, trained in best:
        start = time.perf_counter()
        model.partial_fit(X_held, y_held).finish()
        lines[number]["fit_seconds"] = trained + time.perf_counter() - start
        lines[number]["error"] = error_of(model, split)
    return {"n_samples": ends, "seconds": exhaustive, "pairs": lines}


# ---------------------------------------------------------------------------
# Linear models
# ---------------------------------------------------------------------------


def search_linear(job):
    """Sixty linear models: our search, one pass of its choice, and the choice from all of them."""
    if job.work:
        split = LINEAR_SETS[job.work](job.seed, job.quick)
    else:
        split = uneven_plane(job.seed, job.quick)
    X, y, classes = split.X_train, split.y_train, np.unique(split.y_train)
    estimator, grid = models.linear_candidates(job.seed, job.quick)
    models.progressive(estimator, grid, job.seed).fit(*_some_of_each(split))
    search = models.progressive(estimator, grid, job.seed, n_jobs=job.threads)
    seconds = seconds_of(lambda: search.fit(X, y))

    def trained(params, n):
        model = clone(estimator).set_params(**clone(params, safe=False))[-1]
        return model.partial_fit(X[:n], y[:n], classes=classes)

    n_all = X.shape[0]
    one_pass = min(seconds_of(lambda: trained(search.best_params_, n_all)) for _ in range(3))
    found = {
        "seconds": seconds,
        "one_fit_seconds": one_pass,
        "error": error_of(search, split),
    }
    n_train = n_all - int(models.HELD_OUT * n_all)
    best_score, best = -np.inf, None
    start = time.perf_counter()
    for params in ParameterGrid(grid):
        score = trained(params, n_train).score(X[n_train:], y[n_train:])
        if score > best_score:
            best_score, best = score, params
    model = trained(best, n_all)
    found["exhaustive_seconds"] = time.perf_counter() - start
    return found | {"exhaustive_error": error_of(model, split)}


JOB = SearchJob
TASKS = {
    "search_progressively": search_progressively,
    "search_as_peers": search_as_peers,
    "record_curves": record_curves,
    "search_linear": search_linear,
}
