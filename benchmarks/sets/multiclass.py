"""Sets with three to 26 classes, and grids of parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import load_digits, load_iris, load_wine

from ..bench.data import load_abalone, load_all_samples, scaled

N_QUICK = 300


@dataclass(frozen=True)
class Set:
    """Samples of a file or a function, which each seed divides into another two parts."""

    title: str
    source: str | Callable
    n_train: int
    n_test: int
    # Divides all features; None: they are standardized.
    scale: float | None = None
    kernel: str = "rbf"
    C: tuple[float, ...] = (0.1, 1.0, 10.0, 100.0, 1000.0)
    # Values for the rbf kernel, as multiples of gamma="scale".
    gamma: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 10.0)
    seeds: int = 4

    def load(self, seed, quick=False):
        """Return training samples and labels, test samples and labels."""
        X, y = self.source() if callable(self.source) else load_all_samples(self.source)[:2]
        X = X.tocsr() if issparse(X) else X
        n_train, n_test = (N_QUICK, N_QUICK) if quick else (self.n_train, self.n_test)
        order = np.random.default_rng([seed, 77]).permutation(len(y))
        n_test = min(n_test, len(y) // 3)
        train, test = order[: min(n_train, len(y) - n_test)], order[-n_test:]
        X_train, X_test = scaled(X[train], X[test], self.scale)
        return X_train, y[train], X_test, y[test]

    def grid(self, factor=1.0):
        """Return the values of C, and of gamma for an rbf kernel, times a factor."""
        gamma = {"gamma": [factor * value for value in self.gamma]}
        return {"C": self.C} | (gamma if self.kernel == "rbf" else {})


def _abalone(group):
    """Shell measures, and the rings in three groups, or all rings of at least five samples."""
    X, y = load_abalone()
    if group:
        return X, np.digitize(y, [8.5, 10.5])
    frequent = np.bincount(y)[y] >= 5
    return X[frequent], y[frequent]


# Grids where a fit takes longer.
FEWER = dict(C=(1.0, 10.0, 100.0, 1000.0), gamma=(0.3, 1.0, 3.0, 10.0))
LINEAR = dict(kernel="linear", C=(0.01, 0.1, 1.0, 10.0))
DIGITS = (partial(load_digits, return_X_y=True), 1200, 597, 16.0)
NEWSGROUPS = ("newsgroups20", 6000, 5000, 1.0)
SETS = {
    "iris": Set("Iris", partial(load_iris, return_X_y=True), 100, 50, seeds=10),
    "wine": Set("Wine", partial(load_wine, return_X_y=True), 120, 58, seeds=10),
    "digits": Set("Digits", *DIGITS),
    "letter": Set("Letter", "letter", 15_000, 5000, **FEWER, seeds=3),
    "letter_1000": Set("Letter, 1000 samples", "letter", 1000, 5000, **FEWER),
    "satimage": Set("Satimage", "satimage", 4435, 2000),
    "usps": Set("USPS", "usps", 7291, 2007, scale=1.0, seeds=3),
    "mnist": Set("MNIST", "mnist", 6000, 5000, scale=255.0, seeds=3),
    "dna": Set("DNA", "dna", 2000, 1186, scale=1.0),
    "shuttle": Set("Shuttle", "shuttle", 10_000, 10_000, seeds=3),
    "covtype": Set("Covertype", "covtype_first20k", 11_340, 3780, seeds=3),
    "poker": Set("Poker", "poker_train25010", 8000, 8000, C=(0.1, 1.0, 10.0, 100.0), seeds=3),
    "abalone_3": Set("Abalone, 3 groups", partial(_abalone, True), 2784, 1393),
    "abalone_rings": Set("Abalone, all rings", partial(_abalone, False), 2784, 1380),
    "newsgroups": Set(
        "20 Newsgroups", *NEWSGROUPS, C=(1.0, 10.0, 100.0), gamma=(0.1, 0.3, 1.0), seeds=3
    ),
    "newsgroups_linear": Set(
        "20 Newsgroups, linear", *NEWSGROUPS, kernel="linear", C=(0.1, 1.0, 10.0), seeds=3
    ),
    "satimage_linear": Set("Satimage, linear", "satimage", 2500, 2000, **LINEAR, seeds=3),
    "digits_linear": Set("Digits, linear", *DIGITS, **LINEAR),
}
