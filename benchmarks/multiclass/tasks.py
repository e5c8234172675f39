"""Tasks of `multiclass`: one split of a set, one stream, in a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from sklearn_online_svm import LASVC

from ..bench.data import load_all_samples, scaled
from ..bench.job import Job
from ..new_classes.tasks import along_late_letters
from .sets import SETS, scale_of

FORMS = ("ovr", "ovo")
N_FOLDS, N_SEARCH = 3, 2000
# Values of C with gamma="scale": what is used without a search.
UNTUNED = (1.0, 10.0)
REPEATS = 3
# Parameters of the streams, and numbers of samples: of a chunk, of the stream, for the test.
STREAM = dict(C=10.0, gamma=0.2)
CHUNK, N_STREAM, N_TEST = 500, 15_000, 5000


@dataclass(frozen=True)
class MulticlassJob(Job):
    """A set and its number of splits, or their parameters; for a stream, what is trained."""

    set: str = ""
    n_seeds: int = 1
    # A dict of both forms for each split.
    tuned: tuple = ()
    form: str = "ovr"
    algorithm: str = "lasvm"


def _model(case, form, factor=1.0, X=None, **params):
    """Return a model with ``factor`` times gamma="scale" of the training samples."""
    if case.kernel == "rbf":
        params["gamma"] = factor * scale_of(X)
    return LASVC(kernel=case.kernel, multi_class=form, random_state=0, **params)


def _fitted(model, X, y):
    """Fit; a model that is used for the first time optimizes over its support set."""
    model.fit(X, y).predict(X[:1])
    return model


def search(case, form, X, y, folds):
    """Return the best parameters, gamma as a multiple of "scale", and their error."""
    grid, scale = case.grid(), scale_of(X)
    if "gamma" in grid:
        grid["gamma"] = [factor * scale for factor in grid["gamma"]]
    model = LASVC(kernel=case.kernel, multi_class=form, random_state=0)
    found = GridSearchCV(model, grid, cv=folds, refit=False).fit(X, y)
    params = dict(found.best_params_)
    if "gamma" in params:
        params["gamma"] = case.gamma[grid["gamma"].index(params["gamma"])]
    return params, 1 - found.best_score_


def _compared(models, X, y, X_test, y_test):
    """Fit both forms; return errors, and the samples that only one of them misclassifies."""
    answers, wrong = {}, {}
    for form, model in models.items():
        wrong[form] = _fitted(model, X, y).predict(X_test) != y_test
        answers[form] = {"error": wrong[form].mean(), "n_vectors": len(model.support_)}
    ties = models["ovo"].set_params(break_ties=True).predict(X_test) != y_test
    answers["ovo"]["error_break_ties"] = ties.mean()
    answers["ovr"]["n_only"] = int((wrong["ovr"] & ~wrong["ovo"]).sum())
    answers["ovo"]["n_only"] = int((wrong["ovo"] & ~wrong["ovr"]).sum())
    return answers


def _with_tuned(case, tuned, X):
    """Return a model of each form with its parameters, gamma as a multiple of "scale"."""
    models = {}
    for form in FORMS:
        params = dict(tuned[form])
        factor = params.pop("gamma", None)
        models[form] = _model(case, form, factor, X, **params)
    return models


def tune(job):
    """Tune both forms on the same folds; errors with these parameters and without a search."""
    return {"runs": [_tune(job, seed) for seed in range(job.n_seeds)]}


def _tune(job, seed):
    case = SETS[job.set]
    X, y, X_test, y_test = case.load(seed, job.quick)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    X_search, y_search = X[:N_SEARCH], y[:N_SEARCH]
    tuned, answers = {}, {}
    for form in FORMS:
        start = time.process_time()
        tuned[form], error = search(case, form, X_search, y_search, folds)
        answers[form] = {"search_seconds": time.process_time() - start, "search_error": error}
    found = _compared(_with_tuned(case, tuned, X), X, y, X_test, y_test)
    for form in FORMS:
        answers[form] |= {"params": tuned[form], **found[form]}
    for C in UNTUNED:
        models = {form: _model(case, form, 1.0, X, C=C) for form in FORMS}
        answers[f"C{C:g}"] = _compared(models, X, y, X_test, y_test)
    sizes = {
        "seed": seed,
        "n_train": len(y),
        "n_test": len(y_test),
        "n_classes": len(np.unique(y)),
    }
    return sizes | {"tuned": {form: answers.pop(form) for form in FORMS}} | answers


def measure(job):
    """Time fits and predictions of both forms, which alternate: tuned, and with C=1."""
    return {"runs": [_times(job, seed, tuned) for seed, tuned in enumerate(job.tuned)]}


def _times(job, seed, tuned):
    case = SETS[job.set]
    X, y, X_test, _ = case.load(seed, job.quick)
    default = {"C": 1.0, "gamma": 1.0} if case.kernel == "rbf" else {"C": 1.0}
    untuned = dict.fromkeys(FORMS, default)
    answers = {"seed": seed}
    for name, params in {"tuned": tuned, "C1": untuned}.items():
        answers[name] = {form: {"fit_seconds": [], "predict_seconds": []} for form in FORMS}
        for _ in range(1 if job.quick else REPEATS):
            for form, model in _with_tuned(case, params, X).items():
                start = time.process_time()
                _fitted(model, X, y)
                fitted = time.process_time()
                model.predict(X_test)
                answers[name][form]["fit_seconds"].append(fitted - start)
                answers[name][form]["predict_seconds"].append(time.process_time() - fitted)
    return answers


def stream(job):
    """Train on chunks of letters; test error and cumulated time after each of them."""
    X, y, _ = load_all_samples("letter")
    order = np.random.default_rng(job.seed).permutation(len(y))
    n_stream, n_test = (1000, 500) if job.quick else (N_STREAM, N_TEST)
    rows, test = order[:n_stream], order[-n_test:]
    X_train, X_test = scaled(X[rows], X[test])
    model = LASVC(multi_class=job.form, algorithm=job.algorithm, random_state=job.seed, **STREAM)
    points, seconds = [], 0.0
    for first in range(0, n_stream, CHUNK):
        part = slice(first, first + CHUNK)
        start = time.process_time()
        model.partial_fit(X_train[part], y[rows[part]], classes=np.unique(y))
        model.predict(X_test[:1])
        seconds += time.process_time() - start
        points.append(
            {
                "n_seen": model.n_samples_seen_,
                "error": (model.predict(X_test) != y[test]).mean(),
                "n_vectors": len(model.support_),
                "seconds": seconds,
            }
        )
    return {"points": points}


def late(job):
    """Errors on former and new letters, five of which come late (`new_classes`)."""
    model = LASVC(multi_class=job.form, algorithm=job.algorithm, random_state=job.seed, **STREAM)
    return along_late_letters(model, job.seed, job.quick)


JOB = MulticlassJob
TASKS = {
    "tune_multiclass": tune,
    "time_multiclass": measure,
    "stream_multiclass": stream,
    "late_multiclass": late,
}
