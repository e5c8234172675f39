"""The data sets on which parameters are searched for, each with its grid.

Features are standardised, except pixels and indicators, which are scaled to [0, 1]. A grid has ten
values of C and ten of gamma, evenly spaced on a logarithmic scale: four decades each, wide enough
for the best pair to lie inside.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ..bench.data import load_paper_dataset, scaled
from ..sets.workloads import QUICK_TEST, QUICK_TRAIN, Split
from .generators import make_chessboard, make_many_clusters, make_rough_field

N_VALUES = 10
QUICK_VALUES = 3


@dataclass(frozen=True)
class SearchSet:
    """Training and test samples, and a grid; ``make`` returns an unscaled `Split`."""

    title: str
    make: Callable = field(repr=False)
    # Powers of ten of the smallest C and of the smallest gamma.
    C_from: float = -1.0
    gamma_from: float = -2.0
    # Divides all features; None: they are standardised.
    scale: float | None = None

    def load(self, seed, quick=False):
        """The same split for every seed; the seed orders the training samples."""
        split = self.make()
        if quick:
            split = split.head(QUICK_TRAIN, QUICK_TEST)
        parts = (X.astype(np.float64) for X in (split.X_train, split.X_test))
        X, X_test = (np.float32(X) for X in scaled(*parts, self.scale))
        order = np.random.default_rng(seed).permutation(len(split.y_train))
        return Split(X[order], split.y_train[order], X_test, split.y_test)

    def grid(self, quick=False):
        """Values of C and gamma, as `param_grid` has them."""
        n = QUICK_VALUES if quick else N_VALUES
        return {
            name: np.logspace(first, first + 4.0, n).round(8).tolist()
            for name, first in (("C", self.C_from), ("gamma", self.gamma_from))
        }


def _published(name):
    """The published split."""

    def make():
        data = load_paper_dataset(name)
        dense = [X.toarray() if hasattr(X, "toarray") else X for X in (data.X_train, data.X_test)]
        return Split(dense[0], data.y_train, dense[1], data.y_test)

    return make


def _drawn(name, test=0.25):
    """A random share of a data set without a test part becomes one."""

    def make():
        data = load_paper_dataset(name)
        order = np.random.default_rng(2026).permutation(len(data.y_train))
        n_test = int(test * len(order))
        X, y = data.X_train[order], data.y_train[order]
        return Split(X[n_test:], y[n_test:], X[:n_test], y[:n_test])

    return make


def _generated(generate, n_train, n_test=10_000):
    def make():
        X, y = generate(n_train + n_test, 0)
        return Split(X[:n_train], y[:n_train], X[n_train:], y[n_train:])

    return make


def _eight_against_rest():
    split = _published("mnist")()
    y_train, y_test = (np.where(y == 8, 1, -1) for y in (split.y_train, split.y_test))
    return Split(split.X_train, y_train, split.X_test, y_test)


_CLUSTERS_16 = partial(make_many_clusters, n_classes=10, n_clusters=12, spread=1.3)
_CLUSTERS_68 = partial(make_many_clusters, n_features=68, n_classes=4, n_clusters=40, spread=2.6)
SETS = {
    "adult": SearchSet("Adult", _published("adult_a9a"), gamma_from=-4.0, scale=1),
    "letter": SearchSet("Letter", _published("letter")),
    "magic04": SearchSet("MAGIC", _drawn("magic04")),
    "covtype_3v4": SearchSet("CoverType, 3 against 4", _drawn("covtype_3v4")),
    "covtype_20k": SearchSet("CoverType, 7 classes", _published("covtype_first20k")),
    "poker": SearchSet("Poker", _drawn("poker_train25010")),
    "satimage": SearchSet("Satimage", _published("satimage")),
    "shuttle": SearchSet("Shuttle", _published("shuttle"), C_from=0.0),
    "usps": SearchSet("USPS", _published("usps"), gamma_from=-4.0, scale=1),
    "codrna": SearchSet("cod-rna", _drawn("codrna")),
    "spambase": SearchSet("Spambase", _drawn("spambase"), gamma_from=-4.0),
    "banana": SearchSet("Banana", _drawn("banana")),
    "mnist_8": SearchSet(
        "MNIST, 8 against the rest", _eight_against_rest, gamma_from=-4.0, scale=255
    ),
    "chessboard": SearchSet(
        "Chessboard", _generated(make_chessboard, 30_000), gamma_from=-1.0, scale=1
    ),
    "rough_8": SearchSet("Rough field, 8 features", _generated(make_rough_field, 31_000)),
    "clusters_16": SearchSet("Clusters, 10 classes", _generated(_CLUSTERS_16, 7500)),
    "clusters_68": SearchSet(
        "Clusters, 68 features", _generated(_CLUSTERS_68, 7700), gamma_from=-4.0
    ),
}  # fmt: skip
