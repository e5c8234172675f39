"""Fits, streams, predictions and pickles, on generated data of fixed size."""

import pickle
from functools import partial

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1

import sklearn_online_svm as svm
from sklearn_online_svm.model_selection import ProgressiveSearch


def dense(n, n_classes=2):
    """Return samples of 20 features, and classes that overlap."""
    clusters = dict(n_classes=n_classes, n_clusters_per_class=8 if n_classes == 2 else 1)
    X, y = make_classification(n, n_informative=10, **clusters, flip_y=0.05, random_state=0)
    return X.astype(np.float32), y


def sparse(n, n_classes=2):
    """Return samples with 50 of 5000 features, and classes that planes separate."""
    random, shape = np.random.default_rng(0), (n, 5000)
    indices = random.integers(shape[1], size=50 * n)
    X = csr_matrix((np.ones(50 * n, np.float32), indices, 50 * np.arange(n + 1)), shape)
    X.sum_duplicates()
    return X, np.argmax(X @ random.normal(size=(shape[1], n_classes)), axis=1)


SEED = dict(random_state=0)
BUDGET = svm.KernelPassiveAggressiveClassifier(max_support_vectors=200, **SEED)
GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.01, 0.03, 0.1, 0.3]}
# An estimator, what returns its samples, and their numbers of samples and of classes.
FITS = {
    "LASVC, 50 samples": (svm.LASVC(**SEED), dense, 50),
    "LASVC, 300 samples, 10 classes": (svm.LASVC(**SEED), dense, 300, 10),
    "LASVC, 30 classes": (svm.LASVC(**SEED), dense, 1500, 30),
    "LASVC, 30 classes, one-vs-rest": (svm.LASVC(multi_class="ovr", **SEED), dense, 1500, 30),
    "LASVC, 100 classes": (svm.LASVC(**SEED), dense, 3000, 100),
    "LASVC, 5000 samples": (svm.LASVC(**SEED), dense, 5000),
    "LASVC, probabilities": (svm.LASVC(probability=True, **SEED), dense, 3000),
    "LASVR": (svm.LASVR(epsilon=1.0, **SEED), partial(make_friedman1, noise=1.0, **SEED), 3000),
    "OneClassLASVM": (svm.OneClassLASVM(nu=0.1, **SEED), dense, 5000),
    "kernel PA, budget": (BUDGET, dense, 5000),
    "search": (ProgressiveSearch(svm.LASVC(**SEED), GRID, **SEED), dense, 2000),
    "PA": (svm.PassiveAggressiveClassifier(**SEED), dense, 50_000),
    "PA, 30 classes": (svm.PassiveAggressiveClassifier(**SEED), dense, 10_000, 30),
    "PA, sparse, 10 classes": (svm.PassiveAggressiveClassifier(**SEED), sparse, 10_000, 10),
    "AROW": (svm.AROWClassifier(**SEED), dense, 50_000),
    "AROW, sparse": (svm.AROWClassifier(**SEED), sparse, 20_000),
}
STREAMS = {
    "LASVC": (svm.LASVC(**SEED), 2),
    "LASVC, 10 classes": (svm.LASVC(**SEED), 10),
    "LASVC, window": (svm.LASVC(window_size=500, **SEED), 2),
    "kernel PA, budget": (BUDGET, 2),
}
# Samples of a stream and of its chunks; those before the single ones, and their number.
N_STREAM, CHUNK, N_FIRST, N_SINGLE = 3000, 100, 1000, 100


class _Cases:
    """asv calls `setup` before it measures a case, again for each of a few measurements."""

    rounds, repeat, warmup_time = 1, (2, 5, 2.0), 0.0
    param_names = ["case"]


class Fit(_Cases):
    params = list(FITS)

    def setup(self, case):
        estimator, load, *sizes = FITS[case]
        self.model, (self.X, self.y) = clone(estimator), load(*sizes)

    def time_fit(self, case):
        self.model.fit(self.X, self.y)
        # Some models optimize, or calibrate probabilities, when they are used for the first time.
        getattr(self.model, "predict_proba", self.model.predict)(self.X[:1])


class Stream(_Cases):
    params = list(STREAMS)
    number = 1  # call in a measurement: another one would not find the same model

    def setup(self, case):
        estimator, n_classes = STREAMS[case]
        self.X, self.y = dense(N_STREAM, n_classes)
        self.model, self.begun = clone(estimator), clone(estimator)
        self.begun.partial_fit(self.X[:N_FIRST], self.y[:N_FIRST], classes=range(n_classes))

    def time_chunks(self, case):
        for i in range(0, N_STREAM, CHUNK):
            X, y = self.X[i : i + CHUNK], self.y[i : i + CHUNK]
            self.model.partial_fit(X, y, classes=self.begun.classes_)

    def time_single_samples(self, case):
        for i in range(N_FIRST, N_FIRST + N_SINGLE):
            self.begun.partial_fit(self.X[i : i + 1], self.y[i : i + 1])

    def track_kernel_evaluations(self, case):
        self.time_chunks(case)
        return self.model.n_kernel_evaluations_


class Predict(_Cases):
    params = ["LASVC, 5000 samples", "LASVC, 300 samples, 10 classes", "LASVC, 100 classes", "PA"]

    def setup(self, case):
        estimator, load, *sizes = FITS[case]
        self.X, y = load(*sizes)
        self.model = clone(estimator).fit(self.X, y)
        # A model that is used for the first time optimizes over its support set.
        self.model.predict(self.X[:1])
        self.dumped = pickle.dumps(self.model)

    def time_many_samples(self, case):
        self.model.predict(self.X[:2000])

    def time_single_samples(self, case):
        for i in range(N_SINGLE):
            self.model.predict(self.X[i : i + 1])

    def time_dumps(self, case):
        pickle.dumps(self.model)

    def time_loads(self, case):
        pickle.loads(self.dumped)
