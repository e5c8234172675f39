"""The sets, with three to thirty classes, and what both forms are tuned on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import issparse
from sklearn.datasets import load_digits, load_iris, load_wine

from ..bench.data import load_all_samples, scaled
from . import generators

N_QUICK = 300
# Samples of a generated set, from which each split draws.
N_POOL = 12_000


@dataclass(frozen=True)
class Set:
    """Samples, which each seed divides into another training and test part."""

    title: str
    samples: Callable[[], tuple]
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
        X, y = self.samples()
        X = X.tocsr() if issparse(X) else X
        n_train, n_test = (N_QUICK, N_QUICK) if quick else (self.n_train, self.n_test)
        order = np.random.default_rng([seed, 77]).permutation(len(y))
        n_test = min(n_test, len(y) // 3)
        train, test = order[: min(n_train, len(y) - n_test)], order[-n_test:]
        X_train, X_test = scaled(X[train], X[test], self.scale)
        return X_train, y[train], X_test, y[test]

    def grid(self):
        """Return the values of C, and of gamma for an rbf kernel."""
        return {"C": self.C} | ({"gamma": self.gamma} if self.kernel == "rbf" else {})


def scale_of(X):
    """Return the value of gamma="scale"."""
    if issparse(X):
        variance = X.multiply(X).mean() - X.mean() ** 2
    else:
        variance = X.var()
    return 1.0 / (X.shape[1] * float(variance))


def _file(name):
    return load_all_samples(name)[:2]


def _sklearn(load):
    return load(return_X_y=True)


def _abalone(group):
    """Shell measures, and the rings in three groups, or all rings of at least five samples."""
    X, y = _file("abalone")
    X = np.hstack([X[:, :1] == [0, 1, 2], X[:, 1:]]).astype(np.float32)
    if group:
        return X, np.digitize(y, [8.5, 10.5])
    frequent = np.bincount(y)[y] >= 5
    return X[frequent], y[frequent]


# Grids where a fit takes longer.
FEWER = {"C": (1.0, 10.0, 100.0, 1000.0), "gamma": (0.3, 1.0, 3.0, 10.0)}
REAL = {
    "iris": Set("Iris", partial(_sklearn, load_iris), 100, 50, seeds=10),
    "wine": Set("Wine", partial(_sklearn, load_wine), 120, 58, seeds=10),
    "digits": Set("Digits", partial(_sklearn, load_digits), 1200, 597, scale=16.0),
    "letter": Set("Letter", partial(_file, "letter"), 15_000, 5000, **FEWER, seeds=3),
    "letter_1000": Set("Letter, 1000 samples", partial(_file, "letter"), 1000, 5000, **FEWER),
    "satimage": Set("Satimage", partial(_file, "satimage"), 4435, 2000),
    "usps": Set("USPS", partial(_file, "usps"), 7291, 2007, scale=1.0, seeds=3),
    "mnist": Set("MNIST", partial(_file, "mnist"), 6000, 5000, scale=255.0, seeds=3),
    "dna": Set("DNA", partial(_file, "dna"), 2000, 1186, scale=1.0),
    "shuttle": Set("Shuttle", partial(_file, "shuttle"), 10_000, 10_000, seeds=3),
    "covtype": Set("Covertype", partial(_file, "covtype_first20k"), 11_340, 3780, seeds=3),
    "poker": Set(
        "Poker", partial(_file, "poker_train25010"), 8000, 8000,
        C=(0.1, 1.0, 10.0, 100.0), seeds=3,
    ),
    "abalone_3": Set("Abalone, 3 groups", partial(_abalone, True), 2784, 1393),
    "abalone_rings": Set("Abalone, all rings", partial(_abalone, False), 2784, 1380),
    "newsgroups": Set(
        "20 Newsgroups", partial(_file, "newsgroups20"), 6000, 5000, scale=1.0,
        C=(1.0, 10.0, 100.0), gamma=(0.1, 0.3, 1.0), seeds=3,
    ),
    "newsgroups_linear": Set(
        "20 Newsgroups, linear", partial(_file, "newsgroups20"), 6000, 5000, scale=1.0,
        kernel="linear", C=(0.1, 1.0, 10.0), seeds=3,
    ),
    "satimage_linear": Set(
        "Satimage, linear", partial(_file, "satimage"), 2500, 2000, kernel="linear",
        C=(0.01, 0.1, 1.0, 10.0), seeds=3,
    ),
    "digits_linear": Set(
        "Digits, linear", partial(_sklearn, load_digits), 1200, 597, scale=16.0, kernel="linear",
        C=(0.01, 0.1, 1.0, 10.0),
    ),
}  # fmt: skip


def _generated(title, draw, **options):
    return Set(title, partial(draw, N_POOL), 1500, 3000, **options)


SMALLER = {"C": (0.1, 1.0, 10.0, 100.0), "gamma": (0.1, 0.3, 1.0, 3.0), "seeds": 3}
FINE = (0.3, 1.0, 3.0, 10.0, 30.0)
UNEQUAL = [0.5, 0.25, 0.12, 0.07, 0.04, 0.02]
GENERATED = {
    "clusters_3": _generated("3 classes, 20 % noise", generators.clusters(3, 0.2)),
    "clusters_5": _generated("5 classes, 5 % noise", generators.clusters(5, 0.05)),
    "clusters_8": _generated("8 classes", generators.clusters(8)),
    "clusters_8_noise": _generated("8 classes, 20 % noise", generators.clusters(8, 0.2)),
    "clusters_12": _generated("12 classes, 5 % noise", generators.clusters(12, 0.05)),
    "clusters_30": _generated(
        "30 classes", generators.clusters(30, n_clusters=1, apart=1.5), **SMALLER
    ),
    "clusters_30_noise": _generated(
        "30 classes, 20 % noise", generators.clusters(30, 0.2, n_clusters=1, apart=1.5), **SMALLER
    ),
    "unequal": _generated("6 unequal classes", generators.clusters(6, weights=UNEQUAL)),
    "unequal_noise": _generated(
        "6 unequal classes, 10 % noise", generators.clusters(6, 0.1, weights=UNEQUAL)
    ),
    "wide": _generated(
        "5 classes, 8 of 200 features",
        generators.clusters(5, n_features=200, n_informative=8, apart=1.5),
    ),
    "blobs": _generated("15 overlapping blobs", generators.blobs),
    "spirals": _generated("5 spirals", generators.spirals, gamma=FINE),
    "grades": _generated("5 grades", generators.grades),
    "categories": _generated("6 classes, categories", generators.categories, scale=1.0),
    "colours": _generated("6 colours", generators.colours, gamma=FINE),
}
SETS = REAL | GENERATED
