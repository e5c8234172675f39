"""Sets with three to thirty classes, real and generated, and grids of parameters."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs, make_classification

from ..bench.data import load_abalone, load_all_samples, scaled

N_QUICK = 300
# Samples of a generated set, from which each split draws, and the seed of its definition.
N_POOL, PROBLEM = 12_000, 2028


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
REAL = {
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


def blobs(n_samples):
    """15 Gaussian clusters in 5 dimensions that overlap, a class each."""
    return make_blobs(n_samples, 5, centers=15, cluster_std=3.5, random_state=PROBLEM)


def spirals(n_samples):
    """Five arms of a spiral in the plane, with noise."""
    rng = np.random.default_rng(PROBLEM)
    y = rng.integers(5, size=n_samples)
    radius = np.sqrt(rng.uniform(0.02, 1.0, n_samples))
    angle = 3 * np.pi * radius + 2 * np.pi * y / 5
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + 0.03 * rng.standard_normal(X.shape), y


def grades(n_samples):
    """Five grades of equal size of a smooth function of six features, with noise."""
    rng = np.random.default_rng(PROBLEM)
    X = rng.uniform(-1, 1, (n_samples, 6))
    value = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] ** 2 - X[:, 4]
    value += 0.15 * rng.standard_normal(n_samples)
    return X, np.searchsorted(np.quantile(value, [0.2, 0.4, 0.6, 0.8]), value)


def categories(n_samples, n_columns=10, n_categories=4, n_classes=6):
    """Indicators of categories; categories and pairs of categories add to the score of a class."""
    rng = np.random.default_rng(PROBLEM)
    single = rng.normal(size=(n_columns, n_categories, n_classes))
    pairs = rng.normal(size=(n_columns, n_categories, n_categories, n_classes))
    codes = rng.integers(n_categories, size=(n_samples, n_columns))
    columns = np.arange(n_columns)
    scores = single[columns, codes].sum(axis=1)
    scores += pairs[columns, codes, np.roll(codes, 1, axis=1)].sum(axis=1)
    X = (codes[:, :, None] == np.arange(n_categories)).reshape(n_samples, -1)
    return X.astype(np.float64), scores.argmax(axis=1)


def colours(n_samples, n_fields=6):
    """A checkerboard of 36 fields in six colours; no label is wrong."""
    rng = np.random.default_rng(PROBLEM)
    X = rng.uniform(0, n_fields, (n_samples, 2))
    column, row = np.floor(X).astype(int).T
    return X, (column + 2 * row) % 6


def _generated(title, draw, **options):
    return Set(title, partial(draw, N_POOL), 1500, 3000, **options)


def _clusters(
    title, n_classes, noise=0.0, *, n_features=20, n_informative=10, per_class=2, weights=None,
    apart=1.0, **options,
):  # fmt: skip
    """Return a set of Gaussian clusters at the corners of a hypercube."""
    draw = partial(
        make_classification,
        n_features=n_features,
        n_informative=n_informative,
        n_redundant=n_informative // 4,
        n_classes=n_classes,
        n_clusters_per_class=per_class,
        weights=weights,
        flip_y=noise,
        class_sep=apart,
        random_state=PROBLEM,
    )
    return _generated(title, draw, **options)


THIRTY = dict(
    per_class=1, apart=1.5, C=(0.1, 1.0, 10.0, 100.0), gamma=(0.1, 0.3, 1.0, 3.0), seeds=3
)
FINE = (0.3, 1.0, 3.0, 10.0, 30.0)
UNEQUAL = [0.5, 0.25, 0.12, 0.07, 0.04, 0.02]
WIDE = dict(n_features=200, n_informative=8, apart=1.5)
GENERATED = {
    "clusters_3": _clusters("3 classes, 20 % noise", 3, 0.2),
    "clusters_5": _clusters("5 classes, 5 % noise", 5, 0.05),
    "clusters_8": _clusters("8 classes", 8),
    "clusters_8_noise": _clusters("8 classes, 20 % noise", 8, 0.2),
    "clusters_12": _clusters("12 classes, 5 % noise", 12, 0.05),
    "clusters_30": _clusters("30 classes", 30, **THIRTY),
    "clusters_30_noise": _clusters("30 classes, 20 % noise", 30, 0.2, **THIRTY),
    "unequal": _clusters("6 unequal classes", 6, weights=UNEQUAL),
    "unequal_noise": _clusters("6 unequal classes, 10 % noise", 6, 0.1, weights=UNEQUAL),
    "wide": _clusters("5 classes, 8 of 200 features", 5, **WIDE),
    "blobs": _generated("15 overlapping blobs", blobs),
    "spirals": _generated("5 spirals", spirals, gamma=FINE),
    "grades": _generated("5 grades", grades),
    "categories": _generated("6 classes, categories", categories, scale=1.0),
    "colours": _generated("6 colours", colours, gamma=FINE),
}
SETS = REAL | GENERATED
