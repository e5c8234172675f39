"""Training and prediction, of many samples and of one."""

import warnings

import numpy as np
from sklearn.datasets import make_classification, make_friedman1

from sklearn_online_svm import (
    LASVC,
    LASVR,
    AROWClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
)
from sklearn_online_svm.partitioned import CellClassifier

# An estimator, and the number of samples that it is trained on.
ESTIMATORS = {
    "LASVC": (lambda: LASVC(random_state=0), 10_000),
    "LASVR": (lambda: LASVR(random_state=0), 5000),
    "OneClassLASVM": (lambda: OneClassLASVM(nu=0.1, random_state=0), 10_000),
    "CellClassifier": (lambda: CellClassifier(LASVC(random_state=0), random_state=0), 20_000),
    "PassiveAggressiveClassifier": (PassiveAggressiveClassifier, 50_000),
    "AROWClassifier": (AROWClassifier, 50_000),
}
WITHOUT_CLASSES = ("LASVR", "OneClassLASVM")
N_TEST = 2000
# Samples that a stream begins with, and those that follow one by one.
N_FIRST, N_SINGLE = 1000, 100


def samples(n, name="LASVC"):
    """Samples of 20 features; two classes that overlap, or targets of a regression."""
    if name == "LASVR":
        X, y = make_friedman1(n, 20, noise=1.0, random_state=0)
    else:
        X, y = make_classification(
            n, n_informative=10, n_clusters_per_class=8, flip_y=0.05, random_state=0
        )
    return X.astype(np.float32), y


class _Estimators:
    """asv calls `setup` before every call that it times, so that each finds the same model."""

    params = list(ESTIMATORS)
    param_names = ("estimator",)
    rounds, repeat, warmup_time = 1, (2, 5, 5.0), 0.1

    def setup(self, name):
        # CellClassifier warns that one model would be more accurate on so few samples.
        warnings.simplefilter("ignore")
        make, n = ESTIMATORS[name]
        self.model = make()
        self.X, self.y = samples(n, name)
        self.prepare(name)

    def prepare(self, name):
        pass


class Fit(_Estimators):
    def time_fit(self, name):
        self.model.fit(self.X, self.y)


class Predict(_Estimators):
    def prepare(self, name):
        # A model that is used for the first time optimizes over its support set.
        self.model.fit(self.X, self.y).predict(self.X[:1])

    def time_predict(self, name):
        self.model.predict(self.X[:N_TEST])

    def time_predict_100_single_samples(self, name):
        for i in range(N_SINGLE):
            self.model.predict(self.X[i : i + 1])


class PartialFit(_Estimators):
    def prepare(self, name):
        classes = {} if name in WITHOUT_CLASSES else {"classes": [0, 1]}
        self.model.partial_fit(self.X[:N_FIRST], self.y[:N_FIRST], **classes)

    def time_partial_fit_100_single_samples(self, name):
        for i in range(N_FIRST, N_FIRST + N_SINGLE):
            self.model.partial_fit(self.X[i : i + 1], self.y[i : i + 1])
