"""Twelve tables that were made after the rules of the search, to test them: real and generated.

A seed draws the samples, or the split of a real table. Ten values of C and ten of gamma (eight
where fits are long) are evenly spaced on a logarithmic scale, over three or four decades.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, f1_score, log_loss, r2_score, roc_auc_score

from sklearn_online_svm import LASVC

from ..bench.data import load_paper_dataset, load_parts
from .unseen import Unseen

QUICK_VALUES = 3
# What a metric needs of a model, and the score, without its sign.
METRICS = {
    "accuracy": ("predict", accuracy_score),
    "f1": ("predict", partial(f1_score, zero_division=0)),
    "roc_auc": ("decision_function", roc_auc_score),
    "neg_log_loss": ("predict_proba", log_loss),
    "r2": ("predict", r2_score),
}


@dataclass(frozen=True)
class Fresh(Unseen):
    """A table of this module; its grid is given by powers of ten."""

    # Exponents of the smallest and the largest value; gamma is divided by the number of features.
    C: tuple = (-1, 3)
    gamma: tuple = (-2, 1.5)
    n_values: int = 10
    # For the table of results.
    n_features: int = 2

    def grid(self, n_features, quick=False):
        n = QUICK_VALUES if quick else self.n_values
        gamma = np.logspace(*self.gamma, n) / n_features
        return {"C": np.logspace(*self.C, n).round(8).tolist(), "gamma": gamma.round(8).tolist()}

    def prepared(self, seed, quick=False):
        """Samples and grid, after a first fit, which loads what is loaded on first use."""
        split = self.load(seed, quick)
        y = np.arange(60) / 60 if self.is_regression else np.arange(60) % 2
        self.model().fit(split.X_train[:60], y)
        return split, self.grid(split.X_train.shape[1], quick)

    def model(self):
        if self.scoring == "neg_log_loss":
            return LASVC(probability=True, random_state=0)
        return super().model()

    def standard_error(self, first, second, split, n_draws=200):
        """Return that of the difference of two scores on the test set, by the bootstrap."""
        method, score = METRICS[self.scoring]
        outputs = [getattr(model, method)(split.X_test) for model in (first, second)]
        y, rng, differences = split.y_test, np.random.default_rng(0), []
        for _ in range(n_draws):
            rows = rng.integers(0, len(y), len(y))
            one, other = (score(y[rows], output[rows]) for output in outputs)
            differences.append(one - other)
        return float(np.std(differences))


def _fixed(name):
    """Draws what is the same for every seed: centres of clusters, directions, phases."""
    return np.random.default_rng([2028, *name.encode()])


def _some(X, y, n, rng):
    order = rng.permutation(len(y))[:n]
    return X[order], y[order]


def spirals(n, rng, turns=5):
    """Two spirals around each other, with noise that mixes the arms a little."""
    y, t = rng.integers(0, 2, n), np.sqrt(rng.uniform(0.01, 1, n))
    angle = 2 * np.pi * turns * t + np.pi * y
    X = np.column_stack([t * np.cos(angle), t * np.sin(angle)])
    return X + 0.028 * rng.normal(size=X.shape), y


def rotated_checker(n, rng, n_fields=4):
    """Fields of a chessboard in the plane of two directions of six features."""
    directions = np.linalg.qr(_fixed("checker").normal(size=(6, 6)))[0]
    U = rng.uniform(-1, 1, (n, 6))
    y = np.floor((U[:, :2] + 1) / 2 * n_fields).astype(int).sum(axis=1) % 2
    U[:, 2:] *= 0.3
    return U @ directions.T, np.where(rng.random(n) < 0.03, 1 - y, y)


def shells(n, rng):
    """Shells around two centres, of alternating classes, in four features."""
    X = rng.normal(size=(n, 4))
    near = np.minimum(*(np.linalg.norm(X - c, axis=1) for c in (-0.8, 0.8)))
    return X, np.where(rng.random(n) < 0.02, rng.integers(0, 2, n), np.floor(1.6 * near) % 2)


def rare_islands(n, rng, ratio=60):
    """One sample in 61 is in one of twelve islands, which others surround and cross."""
    centres = 1.2 * _fixed("islands").normal(size=(12, 6))
    y = (rng.random(n) < 1 / (1 + ratio)).astype(int)
    island = centres[rng.integers(0, 12, n)] + 0.35 * rng.normal(size=(n, 6))
    return np.where(y[:, None] == 1, island, 1.3 * rng.normal(size=(n, 6))), y


def latent(n, rng):
    """Six hidden factors with a curved boundary, seen through 200 noisy features."""
    fixed = _fixed("latent")
    factors = rng.normal(size=(n, 6))
    value = np.sin(2 * factors[:, 0]) + factors[:, 1] * factors[:, 2] + 0.5 * factors[:, 3]
    X = np.tanh(factors @ fixed.normal(size=(6, 200)) / 2) + 0.8 * rng.normal(size=(n, 200))
    return X, (value + 0.3 * rng.normal(size=n) > 0).astype(int)


def thirty_classes(n, rng):
    """Each class consists of two clusters of different shapes, in twelve features."""
    fixed = _fixed("thirty")
    centres, shapes = 1.1 * fixed.normal(size=(60, 12)), fixed.normal(size=(60, 12, 12))
    cluster = rng.integers(0, 60, n)
    noise = np.einsum("sf,sfg->sg", rng.normal(size=(n, 12)), shapes[cluster]) / np.sqrt(12)
    return centres[cluster] + noise, cluster % 30


def ripples(n, rng):
    """A wave whose frequency grows, times another one, and two features of a smooth trend."""
    X = rng.uniform(-1, 1, (n, 4))
    y = np.sin(4 * (X[:, 0] + 1) ** 2) * np.cos(5 * X[:, 1]) + X[:, 2] * X[:, 3]
    return X, y + 0.15 * rng.normal(size=n)


def letter_h(n, rng):
    X, y = load_parts("letter", "train", "test")
    return _some(X, (y == 8).astype(int), n, rng)


def svmguide1(n, rng):
    return _some(*load_parts("svmguide1", "train", "test"), n, rng)


def digits(n, rng):
    return _some(*load_digits(return_X_y=True), n, rng)


def abalone(n, rng):
    """Age by size and weight; the sex becomes two indicators."""
    data = load_paper_dataset("abalone")
    sex, rest = data.X_train[:, 0], data.X_train[:, 1:]
    X = np.column_stack([sex == 1, sex == 2, rest])
    return _some(X, (data.y_train - 10) / 3, n, rng)


def covtype_1v2(n, rng):
    """Spruce against pine, the two classes that are most often confused."""
    data = load_paper_dataset("covtype_first20k")
    X = np.vstack([data.X_train, data.X_test, data.X_rest])
    y = np.concatenate([data.y_train, data.y_test, data.y_rest])
    chosen = np.isin(y, np.unique(y)[:2])
    return _some(X[chosen], y[chosen], n, rng)


FRESH = {
    "spirals": Fresh("Two spirals", 4000, spirals, gamma=(0, 3.5)),
    "rotated_checker": Fresh(
        "Rotated chessboard", 8000, rotated_checker, gamma=(-1, 2.5), n_features=6
    ),
    "shells": Fresh(
        "Shells", 20_000, shells, C=(-1, 2), gamma=(-1, 2.5), n_values=8, n_features=4
    ),
    "covtype_1v2": Fresh("CoverType, 1 against 2", 5000, covtype_1v2, n_features=54),
    "thirty_classes": Fresh("30 classes", 5000, thirty_classes, C=(-1, 2), n_features=12),
    "rare_islands": Fresh(
        "Islands, 60:1", 8000, rare_islands, "f1", gamma=(-1.5, 2), n_features=6
    ),
    "letter_h": Fresh("Letter H, 26:1", 7000, letter_h, "f1", n_features=16),
    "latent": Fresh("200 features", 4000, latent, "roc_auc", C=(-2, 2), n_features=200),
    "svmguide1": Fresh("svmguide1", 3000, svmguide1, "neg_log_loss", n_features=4),
    "digits": Fresh("Digits", 600, digits, "neg_log_loss", n_features=64),
    "abalone": Fresh("Abalone", 2500, abalone, "r2", is_regression=True, C=(-2, 2), n_features=9),
    "ripples": Fresh(
        "Ripples", 4000, ripples, "r2", is_regression=True, gamma=(-0.5, 3), n_features=4
    ),
}
