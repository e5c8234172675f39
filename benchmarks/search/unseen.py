"""Tables that no rule of the search was chosen on, made from a seed, with a metric and a grid.

Each has training and test samples of the same distribution; the seed also orders the samples.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from scipy.sparse import vstack
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import make_classification
from sklearn.metrics import get_scorer
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR

from ..bench.data import load_paper_dataset
from ..sets.workloads import Split

N_TEST = 10_000
QUICK = 300


@dataclass(frozen=True)
class Unseen:
    """A table; ``make`` returns samples and targets for a number of samples and a generator."""

    title: str
    n_train: int
    make: Callable = field(repr=False)
    scoring: str = "accuracy"
    C: tuple = (0.3, 1, 3, 10, 30)
    # gamma of the rbf kernel, times the number of features.
    gamma: tuple = (0.03, 0.1, 0.3, 1, 3)
    is_regression: bool = False
    # Whether the search is inside a TransformedTargetRegressor.
    scales_target: bool = False

    def load(self, seed, quick=False):
        n = QUICK if quick else self.n_train
        X, y = self.make(n + N_TEST, np.random.default_rng([2026, seed]))
        if not hasattr(X, "tocsr"):
            X = StandardScaler().fit(X[:n]).transform(X)
        return Split(X[:n], y[:n], X[n:], y[n:])

    def grid(self, n_features):
        gamma = self.gamma if self.title.startswith("Text") else np.divide(self.gamma, n_features)
        return {"C": list(self.C), "gamma": [float(value) for value in gamma]}

    def model(self):
        return LASVR(epsilon=0.1, random_state=0) if self.is_regression else LASVC(random_state=0)

    def wrapped(self, search):
        """The search, and around it what scales the target."""
        if not self.scales_target:
            return search
        return TransformedTargetRegressor(search, transformer=StandardScaler())

    def score(self, model, split):
        return float(get_scorer(self.scoring)(model, split.X_test, split.y_test))


def flipped(y, share, rng):
    return np.where(rng.random(len(y)) < share, 1 - y, y)


def chessboard(n, rng):
    X = rng.uniform(0, 20, (n, 2))
    return X, flipped(np.floor(X).sum(axis=1).astype(int) % 2, 0.1, rng)


def exclusive_or(n, rng):
    X = rng.uniform(-1, 1, (n, 6))
    return X, flipped((X > 0).sum(axis=1) % 2, 0.1, rng)


def deep_tree(n, rng):
    """Leaves of a tree with random cuts, twelve levels deep, of random classes."""
    X, leaf = rng.normal(size=(n, 8)), np.zeros(n, dtype=int)
    fixed = np.random.default_rng(2026)
    for _ in range(12):
        feature, cut = fixed.integers(0, 8, 2**12), 0.8 * fixed.normal(size=2**12)
        leaf = (2 * leaf + (X[np.arange(n), feature[leaf % 2**12]] > cut[leaf % 2**12])) % 2**12
    return X, flipped(fixed.integers(0, 2, 2**12)[leaf], 0.05, rng)


def rare(ratio, n, rng):
    X, y = make_classification(
        n, 15, n_informative=6, weights=[ratio / (1 + ratio)], flip_y=0.002, class_sep=1.2,
        random_state=2026,
    )  # fmt: skip
    order = rng.permutation(n)
    return X[order], y[order]


def table(n_features, n_classes, n, rng, flip=0.05):
    X, y = make_classification(
        n, n_features, n_informative=min(12, n_features), n_classes=n_classes,
        n_clusters_per_class=2 if n_classes < 10 else 1, flip_y=flip, random_state=2026,
    )  # fmt: skip
    order = rng.permutation(n)
    return X[order], y[order]


def newsgroups(n, rng):
    """Computers against the rest: a part of both parts of 20 Newsgroups."""
    data = load_paper_dataset("newsgroups20")
    X, y = vstack([data.X_train, data.X_test]).tocsr(), np.r_[data.y_train, data.y_test]
    order = rng.permutation(len(y))[:n]
    return X[order], np.isin(y[order], np.unique(y)[1:6]).astype(int)


def curve(noise, scale, n, rng):
    X = rng.normal(size=(n, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * np.abs(X[:, 3])
    return X, scale * (y + noise * rng.normal(size=n))


UNSEEN = {
    "chessboard_400": Unseen(
        "Chessboard of 400 fields", 30_000, chessboard, gamma=(10, 30, 100, 300, 1000)
    ),
    "xor": Unseen("Exclusive or of six signs", 30_000, exclusive_or),
    "deep_tree": Unseen("Deep random tree", 30_000, deep_tree),
    **{
        f"rare_{ratio}_{scoring}": Unseen(
            f"{ratio}:1, {scoring.replace('_', ' ')}", 8000, partial(rare, ratio), scoring,
            C=(0.1, 1, 10, 100),
        )
        for ratio in (50, 140, 300)
        for scoring in ("accuracy", "f1", "average_precision")
    },
    **{
        f"balanced_{scoring}": Unseen(
            f"Balanced, {scoring.replace('_', ' ')}", 4800, partial(rare, 1), scoring,
            C=(0.1, 1, 10, 100),
        )
        for scoring in ("accuracy", "f1", "roc_auc", "average_precision")
    },
    "wide_60": Unseen("60 features", 2000, partial(table, 60, 2)),
    "wide_200": Unseen("200 features", 8000, partial(table, 200, 2)),
    "classes_30": Unseen("30 classes", 2400, partial(table, 20, 30)),
    "text": Unseen("Text", 4000, newsgroups, gamma=(0.1, 0.3, 1, 3)),
    "curve": Unseen("Regression", 5000, partial(curve, 0.1, 1.0), "r2", is_regression=True),
    "noisy_curve": Unseen(
        "Regression, noisy", 5000, partial(curve, 1.0, 1.0), "r2", is_regression=True
    ),
    "scaled_curve": Unseen(
        "Regression, scaled target", 5000, partial(curve, 0.3, 1e4), "r2", is_regression=True,
        scales_target=True,
    ),
}  # fmt: skip
