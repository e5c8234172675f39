"""Small data sets that several test files share."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm.datasets import make_banana_like, make_waveform

LAYOUTS = {"dense": np.ascontiguousarray, "csr": csr_matrix}

# Values of the parameter of LASVC: with a bias, and those driven by the duality gap.
GAP_DRIVEN = ("lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full")
ALGORITHMS = ("lasvm", *GAP_DRIVEN)


def two_classes(n=200, n_features=4, seed=0, *, noise=0.5):
    """Two overlapping classes with a curved boundary; labels "no" and "yes"."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    score = X[:, 0] + X[:, 1] ** 2 - 1 + noise * rng.normal(size=n)
    return X, np.where(score > 0, "yes", "no")


def three_classes(n=240, n_features=4, seed=0, *, distance=2.0):
    """Three overlapping clouds of unequal size; labels 10, 20 and 30."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    X = rng.normal(size=(n, n_features))
    X[np.arange(n), codes] += distance
    return X, 10 * (codes + 1)


def digits_pair(first=3, second=8):
    X, y = load_digits(return_X_y=True)
    pair = np.isin(y, (first, second))
    return X[pair] / 16, y[pair]


def breast_cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def waveform():
    return make_waveform(500, random_state=0)


def banana():
    return make_banana_like(600, random_state=0)


def random_problem(seed):
    """Return (rng, X, y, weights, kernel parameters) of a small regression problem.

    Some have duplicates, constant or few different targets, or weights 1 and 2.
    """
    rng = np.random.default_rng(seed)
    n, d = rng.integers(4, 61), rng.integers(1, 6)
    X = rng.normal(size=(n, d))
    if rng.random() < 0.3:
        X = X[rng.integers(0, max(2, n // 2), n)]
    params = dict(kernel=str(rng.choice(["linear", "poly", "rbf"])))
    if params["kernel"] == "rbf":
        params["gamma"] = float(10 ** rng.uniform(-1, 0.5))
    if params["kernel"] == "poly":
        params |= dict(gamma=float(rng.uniform(0.1, 0.5)), degree=int(rng.integers(2, 4)), coef0=1)
    y = np.sin(X @ rng.normal(size=d)) + 0.3 * rng.normal(size=n)
    kind = rng.random()
    if kind < 0.2:
        y = np.full(n, 2.0) if kind < 0.1 else np.round(y)
    weights = np.ones(n) if rng.random() < 0.5 else rng.integers(1, 3, n).astype(float)
    return rng, X, y, weights, params


def targets(n=300, n_features=3, seed=0, *, noise=0.1):
    """Samples and targets of a smooth function with normal noise."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, n_features))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + noise * rng.normal(size=n)
