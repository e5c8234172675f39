"""Sets on which parameters are searched for, with grids, and tables with several metrics."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score, f1_score, log_loss, r2_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR

from ..bench.data import load_abalone, load_all_samples, load_paper_dataset
from .workloads import Split

N_TEST = 10_000

# Metrics of the tables: title, method of the model that it needs, and score without its sign.
METRICS = {
    "accuracy": ("accuracy", "predict", accuracy_score),
    "f1": ("f1", "predict", partial(f1_score, zero_division=0)),
    "roc_auc": ("AUC", "decision_function", roc_auc_score),
    "neg_log_loss": ("log-loss", "predict_proba", log_loss),
    "r2": ("R²", "predict", r2_score),
}


@dataclass(frozen=True)
class Table:
    """A function of a number of samples and a generator, a metric and a grid.

    There are ten values of each parameter, or eight where fits are long, evenly spaced on a
    logarithmic scale.
    """

    title: str
    n_train: int
    make: Callable
    n_features: int
    scoring: str = "accuracy"
    # Powers of ten; gamma of the rbf kernel times the number of features.
    C: tuple[float, float] = (-1, 3)
    gamma: tuple[float, float] = (-2, 1.5)
    n_values: int = 10

    def load(self, seed, quick=False):
        """Training and test samples of the same distribution; the seed draws and orders them."""
        n = 300 if quick else self.n_train
        X, y = self.make(n + N_TEST, np.random.default_rng([2026, seed]))
        X = StandardScaler().fit(X[:n]).transform(X)
        return Split(X[:n], y[:n], X[n:], y[n:])

    def grid(self, quick=False):
        C, gamma = (np.logspace(*ends, self.n_values) for ends in (self.C, self.gamma))
        values = {"C": C, "gamma": gamma / self.n_features}
        return {name: v.round(8)[:: 4 if quick else 1].tolist() for name, v in values.items()}

    def model(self):
        if self.scoring == "r2":
            return LASVR(epsilon=0.1, random_state=0)
        return LASVC(probability=self.scoring == "neg_log_loss", random_state=0)

    def standard_error(self, first, second, split, n_draws=200):
        """Return that of the difference of two scores on the test set, by the bootstrap."""
        _, method, score = METRICS[self.scoring]
        outputs = [getattr(model, method)(split.X_test) for model in (first, second)]
        y, rng, differences = split.y_test, np.random.default_rng(0), []
        for _ in range(n_draws):
            rows = rng.integers(0, len(y), len(y))
            one, other = (score(y[rows], output[rows]) for output in outputs)
            differences.append(one - other)
        return float(np.std(differences))


def flipped(y, share, rng):
    return np.where(rng.random(len(y)) < share, 1 - y, y)


def _some(X, y, n, rng):
    order = rng.permutation(len(y))[:n]
    return X[order], y[order]


def _fixed(name):
    """Draws what is the same for every seed: centres of clusters, directions, phases."""
    return np.random.default_rng([2028, *name.encode()])


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
    return U @ directions.T, flipped(y, 0.03, rng)


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
    X, y, _ = load_all_samples("letter")
    return _some(X, (y == 8).astype(int), n, rng)


def digits(n, rng):
    return _some(*load_digits(return_X_y=True), n, rng)


def abalone(n, rng):
    """Age by size and weight; the sex becomes two indicators."""
    X, y = load_abalone()
    return _some(X[:, 1:], (y - 10) / 3, n, rng)


def covtype_1v2(n, rng):
    """Spruce against pine, the two classes that are most often confused."""
    data = load_paper_dataset("covtype_first20k")
    X = np.vstack([data.X_train, data.X_test, data.X_rest])
    y = np.concatenate([data.y_train, data.y_test, data.y_rest])
    chosen = np.isin(y, np.unique(y)[:2])
    return _some(X[chosen], y[chosen], n, rng)


def of_file(name, n, rng):
    """Samples of a file in another order, with or without its test part."""
    X, y, _ = load_all_samples(name, dense=True)
    return _some(X, y, n, rng)


# Tables that were made after the rules of the search, to test them.
FRESH = {
    "spirals": Table("Two spirals", 4000, spirals, 2, gamma=(0, 3.5)),
    "rotated_checker": Table("Rotated chessboard", 8000, rotated_checker, 6, gamma=(-1, 2.5)),
    "shells": Table("Shells", 20_000, shells, 4, C=(-1, 2), gamma=(-1, 2.5), n_values=8),
    "covtype_1v2": Table("CoverType, 1 against 2", 5000, covtype_1v2, 54),
    "thirty_classes": Table("30 classes", 5000, thirty_classes, 12, C=(-1, 2)),
    "rare_islands": Table("Islands, 60:1", 8000, rare_islands, 6, "f1", gamma=(-1.5, 2)),
    "letter_h": Table("Letter H, 26:1", 7000, letter_h, 16, "f1"),
    "latent": Table("200 features", 4000, latent, 200, "roc_auc", C=(-2, 2)),
    "svmguide1": Table("svmguide1", 3000, partial(of_file, "svmguide1"), 4, "neg_log_loss"),
    "digits": Table("Digits", 600, digits, 64, "neg_log_loss"),
    "abalone": Table("Abalone", 2500, abalone, 9, "r2", C=(-2, 2)),
    "ripples": Table("Ripples", 4000, ripples, 4, "r2", gamma=(-0.5, 3)),
}

# Fits of the winner take up to a second, so that searches take minutes.
LARGER = {
    "letter": Table("Letter", 15_000, partial(of_file, "letter"), 16),
    "magic04": Table("MAGIC", 14_000, partial(of_file, "magic04"), 10),
    "satimage": Table("Satimage", 4500, partial(of_file, "satimage"), 36),
    "usps": Table("USPS", 7000, partial(of_file, "usps"), 256),
}
