"""Sets of `stream_order`: samples in random order, with parameters of the models."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import issparse

from ..bench.data import imbalanced, load_paper_dataset
from ..sets.local import SETS as LOCAL
from ..sets.local import Set as LocalSet
from ..sets.regression import REAL_SETS
from ..sets.regression import SETS as REGRESSION
from ..sets.regression import Set as RegressionSet

N_TEST, N_QUICK = 5000, 400
N_RARE = 100  # negative samples for each positive one
N_CLUSTERS, N_CLASSES, DEVIATION = 200, 100, 0.7


@dataclass(frozen=True)
class Set:
    """``make`` returns training samples and labels, test samples and labels."""

    title: str
    make: Callable = field(repr=False)
    n_train: int = 6000
    params: dict = field(default_factory=dict)

    def load(self, seed, quick=False):
        """Return samples and labels of a stream in random order, and those of the test."""
        X, y, X_test, y_test = self.make()
        order = np.random.default_rng(seed).permutation(len(y))
        order = order[: N_QUICK if quick else self.n_train]
        n_test = N_QUICK if quick else N_TEST
        return X[order], y[order], X_test[:n_test], y_test[:n_test]


def for_linear(X):
    """Return standardized features: those of the sets are divided by a number for all of them."""
    return X if issparse(X) else np.sqrt(X.shape[1]) * X


def _text():
    """Return weights of words; samples have unit length."""
    data = load_paper_dataset("newsgroups20")
    order = np.random.default_rng(0).permutation(len(data.y_test))
    return data.X_train, data.y_train, data.X_test[order], data.y_test[order]


def _many_classes():
    """Return two clusters for each class, which overlap."""
    rng, n = np.random.default_rng(0), 6000 + N_TEST
    of_cluster = rng.integers(0, N_CLUSTERS, n)
    X = rng.normal(size=(N_CLUSTERS, 16))[of_cluster] + DEVIATION * rng.normal(size=(n, 16))
    X, y = (X - X.mean(axis=0)) / (4 * X.std(axis=0)), of_cluster % N_CLASSES
    return X[N_TEST:], y[N_TEST:], X[:N_TEST], y[:N_TEST]


def _rare():
    """Return pages of the web, of which 1 in 101 is of the category."""
    data = load_paper_dataset("w8a")
    X, y = imbalanced(data.X_train, data.y_train, N_RARE)
    order = np.random.default_rng(0).permutation(len(y))
    test, train = order[:N_TEST], order[N_TEST:]
    return X[train], y[train], X[test], y[test]


def _real(name, C, n_train=6000, chosen=None):
    chosen = chosen or LOCAL[name]
    return Set(chosen.title, chosen.load, n_train, {"C": C})


SETS = {
    "covtype": _real("covtype", 10),
    "adult": _real("adult", 1, 4000),
    "letter": _real("letter", 10),
    "usps": _real("usps", 10),
    "mnist": _real("mnist", 10, 4000),
    "magic04": _real("magic04", 1),
    "newsgroups": Set("20 groups", _text, 4000, {"kernel": "linear", "C": 1}),
    "clusters": Set("100 classes", _many_classes, 6000, {"C": 1}),
    "rare": Set("w8a, 1:100", _rare, 6000, {"C": 10, "gamma": 0.1}),
    "mushrooms": _real("mushrooms", 10, 5000, LocalSet("mush\N{SOFT HYPHEN}rooms", "mushrooms")),
    "poker": _real("poker", 1),
    "banana": _real("banana", 1),
    "satimage": _real("satimage", 10),
    "codrna": _real("codrna", 10),
    "spambase": _real("spambase", 1),
}


def _whole(n_samples, noise, random_state):
    """Return features, and whole numbers, of which many are equal."""
    rng = np.random.default_rng(random_state)
    X = rng.random((n_samples, 8))
    y = 8 * X[:, 0] + 4 * np.sin(5 * X[:, 1]) + 5 * X[:, 2] * X[:, 3]
    return X, np.round(y + noise * rng.normal(size=n_samples))


N_REGRESSION = 5000
REGRESSION_SETS = {
    "friedman1": REGRESSION["friedman1"],
    "housing": REGRESSION["housing"],
    "energy": REGRESSION["energy"],
    "whole": RegressionSet("Whole numbers", _whole, 0.5),
    "abalone": REAL_SETS["abalone"],
}
