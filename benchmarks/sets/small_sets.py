"""Small sets, by their titles: generated ones and some of scikit-learn."""

import re

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_friedman1,
)
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

N_TEST = 1000
REAL = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
# Generated sets by their titles: samples, features and classes.
GENERATED = [
    "50 x 10, 2", "100 x 10, 2", "300 x 10, 2", "150 x 10, 3", "300 x 10, 5", "400 x 100, 40",
    "1500 x 200, 5", "1000 x 20, 20", "3000 x 20, 20", "5000 x 30, 30", "2000 x 30, 80",
    "1500 x 64, 150", "6000 x 64, 60",
]  # fmt: skip
CURVE = {k: f"{25 * k} x 32, {k}" for k in (20, 40, 80, 150, 300)}
N_CLASSES, N_PER_CLASS, MOST_SAMPLES = (3, 5, 10, 30, 100, 300), (5, 20, 100, 500), 20_000
GRID = {
    (k, n): f"{n * k} x 20, {k}" for k in N_CLASSES for n in N_PER_CLASS if n * k <= MOST_SAMPLES
}
FEW = {k: f"{k} classes of 1 to 10" for k in (200, 300)}
COMPARED = [*GENERATED, *REAL, *FEW.values(), *CURVE.values()]
# Samples of regression and novelty detection.
SIZES = ["50", "100", "200", "400", "800", "1500", "3000"]


def clusters(n, n_features, n_classes):
    """Return a cluster for each class, at corners of a hypercube; 5 % of the labels are wrong."""
    X, y = make_classification(
        n + N_TEST,
        n_features,
        n_informative=min(n_features, 8) if n_classes < 40 else 20,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.05,
        random_state=1,
    )
    return train_test_split(X, y, train_size=n, stratify=y, random_state=0)


def few_of_each(n_classes):
    """Return Gaussian clusters, one for each class, of 1 to 10 training samples."""
    r = np.random.default_rng(0)
    centers = r.normal(size=(n_classes, 32))
    y = np.repeat(np.arange(n_classes), r.integers(1, 11, n_classes))
    y_test = r.integers(0, n_classes, N_TEST)
    X, X_test = (centers[k] + 0.7 * r.normal(size=(len(k), 32)) for k in (y, y_test))
    return X, X_test, y, y_test


def real(name):
    """Return a standardized set, of which 30 % are test samples."""
    X, y = REAL[name](return_X_y=True)
    X = StandardScaler().fit_transform(X)
    return train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)


def friedman(n):
    X, y = make_friedman1(n + N_TEST, noise=1.0, random_state=0)
    y = (y - y.mean()) / y.std()
    return X[:n], X[n:], y[:n], y[n:]


def outliers(n):
    """Return three clusters; half of the test samples are outliers, uniformly distributed."""
    r = np.random.default_rng(0)
    X = r.normal(size=(n + N_TEST, 10)) + 3 * np.eye(10)[r.integers(0, 3, n + N_TEST)]
    y = np.ones(n + N_TEST, dtype=int)
    X[-N_TEST // 2 :], y[-N_TEST // 2 :] = r.uniform(-4, 6, (N_TEST // 2, 10)), -1
    return X[:n], X[n:], y[:n], y[n:]


def load(name, quick=False, kind="classes"):
    """Return X_train, X_test, y_train and y_test; if quick, 200 samples of ten classes."""
    if name in REAL:
        X, X_test, y, y_test = real(name)
    else:
        numbers = [int(text) for text in re.findall(r"\d+", name)]
        make = {"regression": friedman, "novelty": outliers, "classes": clusters}[kind]
        make, numbers = (few_of_each, numbers[:1]) if name in FEW.values() else (make, numbers)
        X, X_test, y, y_test = make(*numbers)
    if quick:
        chosen = np.flatnonzero(y < 10)[:200]
        X, y = X[chosen], y[chosen]
    return X, X_test, y, y_test
