"""Tasks of `search`: what runs inside a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, ParameterGrid

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection import ProgressiveSearch

from ..bench.job import Job
from . import models
from .fresh import FRESH
from .sets import SETS
from .unseen import UNSEEN

# Candidates of the exhaustive choice that are also trained on all samples: the best ones.
N_FINISHED = 25


@dataclass(frozen=True)
class SearchJob(Job):
    """A search on a data set."""

    # Names in `sets` and `models.PEERS`.
    work: str = ""
    search: str = ""
    # Seconds after which a candidate of the exhaustive choice is given up.
    stopped_after: float = 15.0
    # Parameters of the exhaustive choice on a table of `fresh`, or nothing.
    exhaustive_C: float | None = None
    exhaustive_gamma: float | None = None
    # What a search of others may take on a table of `fresh`.
    seconds: float | None = None

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


def search_progressively(job):
    """Our search, and one fit with the parameters that it has found."""
    split = job.data()
    few = {name: values[:2] for name, values in job.grid().items()}
    ProgressiveSearch(LASVC(), few, random_state=job.seed).fit(*_some_of_each(split))
    search = ProgressiveSearch(LASVC(), job.grid(), random_state=job.seed, n_jobs=job.threads)
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
    start = time.perf_counter()
    best = models.PEERS[job.search](job.grid(), split.X_train, split.y_train, job.seed)
    model = LASVC(**best, random_state=job.seed).fit(split.X_train, split.y_train)
    seconds = time.perf_counter() - start
    return {**best, "seconds": seconds, "error": error_of(model, split)}


def record_curves(job):
    """All pairs: errors on a held-out quarter, and the best ones on all samples.

    A pair whose training takes longer than ``stopped_after`` seconds is given up.
    """
    split, grid = job.data(), job.grid()
    X, y, classes = split.X_train, split.y_train, np.unique(split.y_train)
    n_train = len(y) - int(models.HELD_OUT * len(y))
    X_held, y_held = X[n_train:], y[n_train:]
    lines, best, exhaustive = [], [], 0.0
    for number, params in enumerate(ParameterGrid(grid)):
        model, begin, start = LASVC(**params), 0, time.perf_counter()
        for end in models.rungs_of(n_train):
            model.partial_fit(X[begin:end], y[begin:end], classes=classes)
            begin, trained = end, time.perf_counter() - start
            if trained > job.stopped_after:
                break
        error = float(np.mean(model.predict(X_held) != y_held))
        seconds = time.perf_counter() - start
        exhaustive += seconds
        lines.append({**params, "seconds": seconds})
        if begin == n_train:
            lines[-1]["held_out_error"] = round(error, 6)
            best = sorted([*best, (error, number, model, trained)], key=lambda b: b[:2])
            del best[N_FINISHED:]
    for _, number, model, trained in best:
        start = time.perf_counter()
        model.partial_fit(X_held, y_held).finish()
        lines[number]["fit_seconds"] = trained + time.perf_counter() - start
        lines[number]["error"] = error_of(model, split)
    return {"seconds": exhaustive, "pairs": lines}


def search_unseen(job):
    """Our search, or a grid search, on a table of `unseen`; processor times."""
    table = UNSEEN[job.work]
    split = table.load(job.seed, job.quick)
    grid, y = table.grid(split.X_train.shape[1]), split.y_train
    table.model().fit(split.X_train[:200], y[:200] if table.is_regression else np.arange(200) % 2)
    given = dict(scoring=table.scoring)
    if job.search == "progressive":
        search = ProgressiveSearch(table.model(), grid, random_state=job.seed, **given)
    else:
        search = GridSearchCV(table.model(), grid, cv=int(job.search[-1]), **given)
    model, start = table.wrapped(search), time.process_time()
    model.fit(split.X_train, y)
    seconds = time.process_time() - start
    found = model.regressor_ if table.scales_target else model
    alone = table.wrapped(clone(table.model()).set_params(**found.best_params_))
    start = time.process_time()
    alone.fit(split.X_train, y)
    one_fit = time.process_time() - start
    return {
        **{name: float(value) for name, value in found.best_params_.items()},
        "seconds": seconds,
        "one_fit_seconds": one_fit,
        "score": table.score(model, split),
        "is_constant": bool(np.ptp(model.predict(split.X_test)) == 0),
    }


def search_exhaustively(job):
    """A grid search with three folds on a table of `fresh`; processor times."""
    table = FRESH[job.work]
    split, grid = table.prepared(job.seed, job.quick)
    search = GridSearchCV(table.model(), grid, cv=3, scoring=table.scoring)
    start = time.process_time()
    search.fit(split.X_train, split.y_train)
    return {
        **search.best_params_,
        "seconds": time.process_time() - start,
        "score": table.score(search, split),
        # A score for each pair; gamma changes first.
        "mean_test_scores": search.cv_results_["mean_test_score"].round(6).tolist(),
    }


def search_fresh(job):
    """Our search on a table of `fresh`; processor times.

    With the parameters of the exhaustive choice, also the standard error of the difference to it.
    """
    table = FRESH[job.work]
    split, grid = table.prepared(job.seed, job.quick)
    search = ProgressiveSearch(
        table.model(), grid, scoring=table.scoring, random_state=job.seed
    )  # fmt: skip
    start = time.process_time()
    search.fit(split.X_train, split.y_train)
    seconds = time.process_time() - start
    best = {name: float(value) for name, value in search.best_params_.items()}
    found = {
        **best,
        "seconds": seconds,
        "one_fit_seconds": _one_fit(table.model().set_params(**best), split),
        "cost": float(search.cost_),
        "score": table.score(search, split),
    }
    if job.exhaustive_C is not None:
        chosen = table.model().set_params(C=job.exhaustive_C, gamma=job.exhaustive_gamma)
        chosen.fit(split.X_train, split.y_train)
        found["standard_error"] = table.standard_error(search, chosen, split)
    return found


def search_fresh_as_peers(job):
    """Another search on a table of `fresh`, and the fit of its choice; processor times."""
    table = FRESH[job.work]
    split, grid = table.prepared(job.seed, job.quick)
    given = (table.model(), grid, split.X_train, split.y_train, table.scoring, job.seed)
    start = time.process_time()
    best = models.WITHIN[job.search](*given, job.seconds)
    model = table.model().set_params(**best).fit(split.X_train, split.y_train)
    seconds = time.process_time() - start
    return {**best, "seconds": seconds, "score": table.score(model, split)}


def _one_fit(model, split):
    """Processor time of a fit; short ones are measured several times."""
    seconds = []
    while sum(seconds) < 1 and len(seconds) < 5:
        start = time.process_time()
        clone(model).fit(split.X_train, split.y_train)
        seconds.append(time.process_time() - start)
    return min(seconds)


JOB = SearchJob
TASKS = {
    "search_progressively": search_progressively,
    "search_as_peers": search_as_peers,
    "record_curves": record_curves,
    "search_unseen": search_unseen,
    "search_exhaustively": search_exhaustively,
    "search_fresh": search_fresh,
    "search_fresh_as_peers": search_fresh_as_peers,
}
