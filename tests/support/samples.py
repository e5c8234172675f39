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
