"""Cells compared with one model for all samples, on real sets and on many generated samples."""

import os
import subprocess
import tempfile
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import zero_one_loss
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, KernelAROWClassifier
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.model_selection import ProgressiveSearch

from ..bench.data import chunks
from ..bench.frames import frame, median, points, verdict, where
from ..bench.measure import Stopwatch, processor_seconds, resident
from ..bench.models import intelex, on_nystroem
from ..bench.rst import count, cross, joined, list_table, number, percent, table
from ..bench.study import Study, grid, named, step
from ..sets.cells import CASES, FOREST, N_TEST, forest

LIMIT = 300
# Samples from which parameters for all cells are found.
N_TUNED = 10_000
# The curve has these numbers of samples; a model is trained on at most so many.
SIZES = (50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000)
CURVE = {
    "cells_tuned": 2_000_000,
    "lasvc": 100_000,
    "intelex": 100_000,
    "nystroem": 500_000,
    "lpd": 500_000,
    "boosting": 500_000,
}
# The stream has chunks of this size, and errors are measured after these numbers of samples. A
# model gets no more samples after so many seconds of processor time.
CHUNK, STREAM, STREAM_LIMIT = 1000, (20_000, 50_000, 100_000, 200_000, 500_000), 100


class TunedCells(CellClassifier):
    """Cells with the parameters that a search on a part of the samples finds."""

    def fit(self, X, y):
        self.estimator = self.estimator.fit(X[:N_TUNED], y[:N_TUNED]).best_estimator_
        return super().fit(X, y)


class PartialSVC(SVC):
    """SVC on as many random samples as can be fitted in a given processor time."""

    def __init__(self, *, C=1.0, gamma="scale", seconds=60.0, random_state=None):
        super().__init__(C=C, gamma=gamma, cache_size=1000, random_state=random_state)
        self.seconds = seconds

    def fit(self, X, y):
        order = np.random.default_rng(self.random_state).permutation(len(y))
        n = 1000
        while True:
            with Stopwatch() as watch:
                super().fit(X[order[:n]], y[order[:n]])
            self.fit_clock_, self.n_fitted_ = watch.read(), min(n, len(y))
            # The time grows at least as the square of the number of samples.
            share = self.seconds / max(self.fit_clock_["cpu_seconds"], 1e-3)
            next_n = int(n * min(2.0, share**0.5))
            if n >= len(y) or next_n < 1.1 * n:
                return self
            n = next_n


class LPDSVM(ClassifierMixin, BaseEstimator):
    """LPD-SVM, a program in the folder that the environment variable LPD_SVM names.

    Its times include reading files in its binary format, but not writing them.
    """

    def __init__(self, C, gamma):
        self.C, self.gamma = C, gamma

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.folder_ = tempfile.TemporaryDirectory()
        options = ("model", self.C, "gaussian", "-gamma", self.gamma)
        self.fit_clock_ = self._run("train", X, codes, *options)
        return self

    def predict(self, X):
        self.predict_clock_ = self._run("predict", X, np.zeros(X.shape[0]), "model", "predictions")
        found = np.loadtxt(Path(self.folder_.name, "predictions"))
        return self.classes_[found.astype(int)]

    def _run(self, mode, X, y, *arguments):
        folder, X = self.folder_.name, sparse.csr_array(X)
        with open(Path(folder, "data"), "wb") as file:
            file.write(b"CSR\n")
            np.array(X.shape, dtype=np.uint32).tofile(file)
            np.array([X.nnz], dtype=np.uint64).tofile(file)
            y.astype(np.float32).tofile(file)
            X.indptr.astype(np.uint64).tofile(file)
            X.indices.astype(np.uint32).tofile(file)
            X.data.astype(np.float32).tofile(file)
        program = Path(os.environ["LPD_SVM"], "cpu-svm")
        command = [program, mode, "data", *map(str, arguments)]
        with Stopwatch() as watch:
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return watch.read()


def _search(case, seed):
    return ProgressiveSearch(LASVC(random_state=seed), case.grid, random_state=seed)


def _lasvc(case, seed, threads):
    return LASVC(C=case.C, gamma=case.gamma, n_jobs=threads, random_state=seed)


def _searched_cells(case, seed, threads, of=CellClassifier):
    return of(_search(case, seed), n_jobs=threads, random_state=seed)


# Title, and the model of a case, a seed and a number of threads.
MODELS = {
    "lasvc": ("LASVC", _lasvc),
    "cells": (
        "cells",
        lambda case, seed, threads: CellClassifier(
            _lasvc(case, seed, None), n_jobs=threads, random_state=seed
        ),
    ),
    "lasvc_search": ("LASVC, tuned", lambda case, seed, threads: _search(case, seed)),
    "cells_search": ("cells, each tuned", _searched_cells),
    "cells_tuned": ("cells, tuned once", partial(_searched_cells, of=TunedCells)),
    "intelex": (
        "intelex",
        lambda case, seed, threads: intelex(
            "SVC", C=case.C, gamma=case.gamma, cache_size=1000, n_jobs=threads
        ),
    ),
    "svc_part": (
        "SVC, part",
        lambda case, seed, threads: PartialSVC(C=case.C, gamma=case.gamma, random_state=seed),
    ),
    "nystroem": (
        "Nystroem + SGD",
        lambda case, seed, threads: on_nystroem(
            SGDClassifier(alpha=1e-6, random_state=seed), gamma=case.gamma, random_state=seed
        ),
    ),
    "lpd": ("LPD-SVM", lambda case, seed, threads: LPDSVM(case.C, case.gamma)),
    "boosting": (
        "boosting",
        lambda case, seed, threads: HistGradientBoostingClassifier(random_state=seed),
    ),
}
TITLES = {name: title for name, (title, _) in MODELS.items()}
SVM = dict(C=FOREST.C, gamma=FOREST.gamma)
STREAM_MODELS = {
    "cells": ("cells", lambda **seed: CellClassifier(LASVC(**SVM, **seed), **seed)),
    "lasvm": ("LASVC", partial(LASVC, **SVM)),
    "lasvm-nc": ("LASVC, lasvm-nc", partial(LASVC, **SVM, algorithm="lasvm-nc")),
    "arow": ("kernel AROW", partial(KernelAROWClassifier, gamma=FOREST.gamma)),
}


def measured(model, X, y, X_test, y_test):
    """Fit and predict; return times and the error."""
    # A search in a cell may find its parameters at the edge of the grid.
    warnings.simplefilter("ignore")
    with Stopwatch() as fitting:
        # A model that is used for the first time optimizes over its support set.
        model.fit(X, y).predict(X_test[:1])
    with Stopwatch() as predicting:
        predicted = model.predict(X_test)
    fit = getattr(model, "fit_clock_", fitting.read())
    predict = getattr(model, "predict_clock_", predicting.read())
    return {
        "n_fitted": getattr(model, "n_fitted_", len(y)),
        "error": zero_one_loss(y_test, predicted),
        **{f"fit_{name}": [value] for name, value in fit.items()},
        **{f"predict_{name}": [value] for name, value in predict.items()},
    }


def fit_set(model, set, seconds=None, seed=0, threads=1, quick=False):
    """Fit a model on a real set; `seconds`: of PartialSVC."""
    case = CASES[set]
    X, y, X_test, y_test = case.load(seed)
    if quick:
        X, y, X_test, y_test = X[:1500], y[:1500], X_test[:500], y_test[:500]
    made = MODELS[model][1](case, seed, threads)
    made = made if seconds is None else made.set_params(seconds=seconds)
    return measured(made, X, y, X_test, y_test)


def fit_forest(model, n_train, n_classes=2, seed=0, threads=1, quick=False):
    """Fit a model on generated samples."""
    n, n_test = (2000, 500) if quick else (n_train, N_TEST)
    X, y = forest(n + n_test, seed, n_classes)
    return measured(MODELS[model][1](FOREST, seed, threads), X[:n], y[:n], X[n:], y[n:])


def train_stream(model, seed=0, quick=False):
    """Train on a stream; return processor time, memory and the error at some of its points."""
    shown, n_test = ((1000, 2000), 500) if quick else (STREAM, N_TEST)
    X, y = forest(shown[-1] + n_test, seed)
    X_test, y_test = X[-n_test:], y[-n_test:]
    made, before, spent, found = STREAM_MODELS[model][1](random_state=seed), resident(), 0.0, []
    for part in chunks(shown[-1], CHUNK):
        spent += processor_seconds(partial(made.partial_fit, X[part], y[part], [0, 1]))[1]
        if part.stop in shown:
            predicted, predicting = processor_seconds(partial(made.predict, X_test))
            found.append(
                {
                    "n_samples": part.stop,
                    "seconds": spent,
                    "predict_seconds": predicting,
                    "megabytes": resident() - before,
                    "error": zero_one_loss(y_test, predicted),
                }
            )
        if spent > STREAM_LIMIT:
            break
    return {"points": found}


# Models of the tables of sets.
WITH_KERNEL = ("lasvc", "cells", "lasvc_search", "cells_search")
OTHERS = ("svc_part", "intelex", "lpd", "boosting")
ERRORS = [
    (WITH_KERNEL, "error", 100, "Test error, percent"),
    (OTHERS, "error", 100, "Test error of other models, percent"),
]
PREDICTING = ("lasvc", "cells", "intelex", "boosting")
TIMES = [
    (WITH_KERNEL, "fit_cpu_seconds", 1, "Time of fit, seconds"),
    (OTHERS, "fit_cpu_seconds", 1, "Time of fit of other models, seconds"),
    (PREDICTING, "predict_cpu_seconds", 1, "Time of predictions, seconds"),
]


def by_set(shown, results):
    """Tables of real sets: the models of each, the field, its factor and the title."""
    found = frame("cells_sets", results, failed=True)
    sets = {name: case.title for name, case in CASES.items()}
    tables = []
    for models, field, factor, title in shown:
        columns = {model: TITLES[model] for model in models}
        form = partial(number, factor=factor)
        tables.append(cross(found, ("set", sets), ("model", columns), field, form, title))
    return joined(tables)


def cells_curve(results):
    """Times and errors over the number of samples."""
    found, rows = frame("cells_curve", results, failed=True), []
    for case in grid(n_train=SIZES, model=CURVE):
        of = where(found, **case)
        if len(of):
            fit = median(of, "fit_seconds")
            cells = number(median(of, "predict_seconds")), number(median(of, "error"), 100)
            titles = count(case["n_train"]), TITLES[case["model"]]
            rows.append([*titles, verdict(of) if fit is None else number(fit), *cells])
    header = ["samples", "model", "fit (s)", "predict (s)", "error (%)"]
    return list_table(header, rows, n_keys=2)


def cells_stream(results):
    """Time, memory and error along a stream."""
    found = points(frame("cells_stream", results), "points", "model")
    columns = {
        "model": found.model.map(lambda model: STREAM_MODELS[model][0]),
        "samples": found.n_samples.map(count),
        "time (s)": found.seconds.map(number),
        "memory (MB)": found.megabytes.map(number),
        "error": found.error.map(percent),
    }
    return table(columns, n_keys=2)


def _available(models):
    """Return the models without LPD-SVM if its program is not there."""
    return [model for model in models if model != "lpd" or "LPD_SVM" in os.environ]


def measure_sets(settings):
    """Measure every model on every real set; PartialSVC has the time of cells."""
    records = []
    for asked in grid(set=CASES, model=_available([*WITH_KERNEL, *OTHERS])):
        if asked["model"] == "svc_part":
            cells = next(r for r in records if r["set"] == asked["set"] and r["model"] == "cells")
            asked["seconds"] = min(cells.get("fit_cpu_seconds", [60.0]))
        records.append(settings.record(fit_set, asked, limit=LIMIT))
    return {"records": records}


def _curve(settings):
    return [
        dict(model=model, n_train=n, threads=2)
        for n in (SIZES[:1] if settings.quick else SIZES)
        for model in _available(CURVE)
        if n <= CURVE[model]
    ]


STUDY = Study(
    steps={
        "cells_sets": measure_sets,
        "cells_curve": step(fit_forest, _curve, limit=LIMIT),
        "cells_stream": step(train_stream, grid(model=STREAM_MODELS), limit=LIMIT),
    },
    tables=named(cells_stream, cells_curve)
    | {"cells_errors": partial(by_set, ERRORS), "cells_times": partial(by_set, TIMES)},
)
