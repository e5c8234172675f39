"""Data sets of `cores`, with the parameters of all models."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.preprocessing import StandardScaler

from ..bench.data import load_all_samples


@dataclass(frozen=True)
class Case:
    """Samples, and parameters; ``epsilon`` is that of a regression."""

    title: str
    load: Callable
    C: float
    gamma: float | str
    epsilon: float | None = None
    several: bool = False


def adult():
    X, y, n_train = load_all_samples("adult_a9a", dense=True)
    return X[:n_train], y[:n_train]


def chessboard(n=30_000):
    """Sixteen fields, two of eight features matter, 10 % of the labels are wrong."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 4, size=(n, 8))
    X[:, 2:] /= 8
    y = (np.floor(X[:, 0]) + np.floor(X[:, 1])).astype(int) % 2
    return X, np.where(rng.random(n) < 0.1, 1 - y, y)


def friedman(n=25_000):
    X, y = make_friedman1(n, noise=1.0, random_state=0)
    return X, (y - y.mean()) / y.std()


def standardized(name, n):
    X, y, _ = load_all_samples(name, dense=True)
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return StandardScaler().fit_transform(X[rows]), y[rows]


def mnist(n=20_000):
    X, y, _ = load_all_samples("mnist", dense=True)
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return np.ascontiguousarray(X[rows] / X.max(), dtype=np.float32), y[rows]


CASES = {
    "adult": Case("Adult, dense", adult, C=100, gamma=0.005),
    "chessboard": Case("Chessboard, 30 000, 10 % noise", chessboard, C=10, gamma=1.0),
    "friedman": Case(
        "Friedman 1, 25 000, regression", friedman, C=10, gamma=0.1, epsilon=0.1
    ),
    "mnist": Case("MNIST, ten classes, 20 000", mnist, C=10, gamma=0.02, several=True),
    "covtype": Case(
        "CoverType, seven classes, 20 000", lambda: standardized("covtype_first20k", 20_000),
        C=10, gamma="scale", several=True,
    ),
    "letter": Case(
        "Letter, 26 classes", lambda: standardized("letter", 20_000),
        C=10, gamma="scale", several=True,
    ),
    "small": Case(
        "Chessboard, 1500", lambda: chessboard(1500), C=10, gamma=1.0
    ),
}  # fmt: skip
