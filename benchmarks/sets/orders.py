"""Streams in several orders, and streams that change."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_selection import f_classif

from ..bench.data import imbalanced, load_paper_dataset
from . import local, regression
from .streams import DRIFT_GAMMA, N_FEATURES, curved_boundary

N_TEST, N_QUICK = 5000, 400
SHUFFLED, BY_CLASS, BY_FEATURE = "shuffled", "by class", "by a feature"
BURSTS = [f"bursts of {n}" for n in (20, 200, 1000)]
OTHERS = [BY_CLASS, "reverse", "two first", BY_FEATURE]
ORDERS = [SHUFFLED, BY_CLASS, "reverse", *BURSTS, "two first", BY_FEATURE]
# A stream whose boundary turns at half of its samples, by an angle.
N_DRIFT, ANGLE = 8000, 2.0


@dataclass(frozen=True)
class Set:
    """Samples and parameters; ``make`` returns those of the training and those of the test."""

    title: str
    make: Callable
    n_train: int
    params: dict

    def load(self, seed, quick=False):
        """Return samples and labels of a stream in random order, and those of the test."""
        X, y, X_test, y_test = self.make()
        n_train, n_test = (N_QUICK, N_QUICK) if quick else (self.n_train, N_TEST)
        order = np.random.default_rng(seed).permutation(len(y))[:n_train]
        return X[order], y[order], X_test[:n_test], y_test[:n_test]


def _text():
    """Return weights of words; samples have unit length."""
    data = load_paper_dataset("newsgroups20")
    order = np.random.default_rng(0).permutation(len(data.y_test))
    return data.X_train, data.y_train, data.X_test[order], data.y_test[order]


def _many_classes():
    """Return two clusters for each of 100 classes, which overlap."""
    rng, n = np.random.default_rng(0), 6000 + N_TEST
    cluster = rng.integers(0, 200, n)
    X = rng.normal(size=(200, 16))[cluster] + 0.7 * rng.normal(size=(n, 16))
    X, y = (X - X.mean(axis=0)) / (4 * X.std(axis=0)), cluster % 100
    return X[N_TEST:], y[N_TEST:], X[:N_TEST], y[:N_TEST]


def _rare():
    """Return pages of the web, of which 1 in 101 is of the category."""
    data = load_paper_dataset("w8a")
    X, y = imbalanced(data.X_train, data.y_train, ratio=100)
    test, train = np.split(np.random.default_rng(0).permutation(len(y)), [N_TEST])
    return X[train], y[train], X[test], y[test]


def _real(name, C, n_train=6000):
    chosen = local.SETS.get(name) or local.Set("mush\N{SOFT HYPHEN}rooms", name)
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
    "mushrooms": _real("mushrooms", 10, 5000),
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


REGRESSION_SETS = {
    **{name: regression.SETS[name] for name in ("friedman1", "housing", "energy")},
    "whole": regression.Set("Whole numbers", _whole, 0.5),
    "abalone": regression.REAL_SETS["abalone"],
}


def order_of(name, X, y, seed):
    """Return an order of samples that are shuffled; None if there is none of this name.

    ``"two first"``: two classes, then the other ones. ``"by a feature"``: the one that
    distinguishes the classes best.
    """
    if name in BURSTS:
        return bursts(y, int(name.split()[-1]), seed)
    if name == "two first" and len(np.unique(y)) == 2:
        return None
    keys = {
        SHUFFLED: lambda: np.zeros(len(y)),
        BY_CLASS: lambda: y,
        "reverse": lambda: -y,
        "two first": lambda: ~np.isin(y, np.unique(y)[:2]),
        BY_FEATURE: lambda: _best_feature(X, y),
    }
    return np.argsort(keys[name](), kind="stable")


def _best_feature(X, y):
    with np.errstate(all="ignore"):  # constant features
        column = X[:, [int(np.nanargmax(f_classif(X, y)[0]))]]
    return (column.toarray() if issparse(column) else column).ravel()


def bursts(y, size, seed):
    """Return an order in which so many samples of one class follow each other."""
    found = []
    for label in np.unique(y):
        of_class = np.flatnonzero(y == label)
        found += np.split(of_class, range(size, len(of_class), size))
    return np.concatenate([found[k] for k in np.random.default_rng(seed).permutation(len(found))])


def vanishing(y, seed):
    """Return the order of a shuffled stream in whose second half one class is missing."""
    gone, half = np.random.default_rng(seed).choice(np.unique(y)), len(y) // 2
    return np.flatnonzero((np.arange(len(y)) < half) | (y != gone))


def drifting(drift, set, seed, quick):
    """Return a stream that changes at half, where that is, and parameters of LASVC."""
    if drift == "a class":
        X, y, _, _ = SETS[set].load(seed, quick)
        order = vanishing(y, seed)
        return X[order], y[order], len(y) // 2, SETS[set].params
    rng, half = np.random.default_rng(seed), (2000 if quick else N_DRIFT) // 2
    X = rng.normal(size=(2 * half, N_FEATURES))
    angle = np.repeat([0.0, ANGLE], half)
    y = curved_boundary(X, angle, rng).astype(np.int32)
    if drift == "boundary, bursts":
        order = np.concatenate([bursts(y[:half], 200, seed), half + bursts(y[half:], 200, seed)])
        X, y = X[order], y[order]
    return X, y, half, {"gamma": DRIFT_GAMMA}
