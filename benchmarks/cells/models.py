"""The models that are compared: cells, one model for all samples, and peers."""

import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.partitioned import CellClassifier

from ..bench.measure import Clock

# Samples from which parameters for all cells are found.
N_TUNED = 10_000


class TunedCells(ClassifierMixin, BaseEstimator):
    """Cells with the parameters that a search on a part of the samples finds."""

    def __init__(self, grid, n_jobs, seed):
        self.grid, self.n_jobs, self.seed = grid, n_jobs, seed

    def fit(self, X, y):
        search = _search(self.grid, self.seed).fit(X[:N_TUNED], y[:N_TUNED])
        self.model_ = CellClassifier(
            search.best_estimator_, n_jobs=self.n_jobs, random_state=self.seed
        ).fit(X, y)
        return self

    def predict(self, X):
        return self.model_.predict(X)


class PartialSVC(SVC):
    """SVC on as many random samples as can be fitted in a given processor time."""

    def __init__(self, *, C=1.0, gamma="scale", seconds=60.0, random_state=None):
        super().__init__(C=C, gamma=gamma, cache_size=1000, random_state=random_state)
        self.seconds = seconds

    def fit(self, X, y):
        order = np.random.default_rng(self.random_state).permutation(len(y))
        n = 1000
        while True:
            clock = Clock()
            super().fit(X[order[:n]], y[order[:n]])
            self.fit_clock_, self.n_fitted_ = clock.read(), min(n, len(y))
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
        self.fit_clock_ = self._run(
            "train", X, codes, "model", self.C, "gaussian", "-gamma", self.gamma
        )
        return self

    def predict(self, X):
        self.predict_clock_ = self._run("predict", X, np.zeros(X.shape[0]), "model", "predictions")
        found = np.loadtxt(Path(self.folder_.name, "predictions"))
        return self.classes_[found.astype(int)]

    def _run(self, mode, X, y, *arguments):
        folder = self.folder_.name
        with open(Path(folder, "data"), "wb") as file:
            _write_csr(file, sparse.csr_array(X), y)
        program = Path(os.environ["LPD_SVM"], "cpu-svm")
        clock = Clock()
        subprocess.run(
            [program, mode, "data", *map(str, arguments)],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return clock.read()


def _write_csr(file, X, y):
    """Write samples in the binary format of LPD-SVM."""
    file.write(b"CSR\n")
    np.array(X.shape, dtype=np.uint32).tofile(file)
    np.array([X.nnz], dtype=np.uint64).tofile(file)
    y.astype(np.float32).tofile(file)
    X.indptr.astype(np.uint64).tofile(file)
    X.indices.astype(np.uint32).tofile(file)
    X.data.astype(np.float32).tofile(file)


def _search(grid, seed):
    return ProgressiveSearch(LASVC(random_state=seed), grid, random_state=seed)


def _intelex(case, job):
    from sklearnex.svm import SVC as IntelSVC

    return IntelSVC(C=case.C, gamma=case.gamma, cache_size=1000, n_jobs=job.threads)


def _one(case, job):
    return LASVC(C=case.C, gamma=case.gamma, n_jobs=job.threads, random_state=job.seed)


def _cells(case, job, estimator=None):
    return CellClassifier(
        estimator or LASVC(C=case.C, gamma=case.gamma, random_state=job.seed),
        n_jobs=job.threads,
        random_state=job.seed,
    )


def _nystroem(case, job):
    return make_pipeline(
        Nystroem(gamma=case.gamma, n_components=500, random_state=job.seed),
        SGDClassifier(alpha=1e-6, random_state=job.seed),
    )


MODELS = {
    "lasvc": _one,
    "cells": _cells,
    "lasvc_search": lambda case, job: _search(case.grid, job.seed),
    "cells_search": lambda case, job: _cells(case, job, _search(case.grid, job.seed)),
    "cells_tuned": lambda case, job: TunedCells(case.grid, job.threads, job.seed),
    "intelex": _intelex,
    "svc_part": lambda case, job: PartialSVC(
        C=case.C, gamma=case.gamma, seconds=job.seconds, random_state=job.seed
    ),
    "nystroem": _nystroem,
    "lpd": lambda case, job: LPDSVM(case.C, case.gamma),
    "boosting": lambda case, job: HistGradientBoostingClassifier(random_state=job.seed),
}

TITLES = {
    "lasvc": "LASVC",
    "cells": "cells",
    "lasvc_search": "LASVC, tuned",
    "cells_search": "cells, each tuned",
    "cells_tuned": "cells, tuned once",
    "intelex": "intelex",
    "svc_part": "SVC, part",
    "nystroem": "Nystroem + SGD",
    "lpd": "LPD-SVM",
    "boosting": "boosting",
}
