"""Sets of `small_sets`, by kind and title: functions that return training and test samples."""

from functools import partial

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
N_CLASSES, N_PER_CLASS = (3, 5, 10, 30, 100, 300), (5, 20, 100, 500)
MOST_SAMPLES = 20_000
CURVE = (20, 40, 80, 150, 300)
SIZES = (50, 100, 200, 400, 800, 1500, 3000)


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


def real(load):
    """Return a standardized set, of which 30 % are test samples."""
    X, y = load(return_X_y=True)
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


def title(n, n_features, n_classes):
    return f"{n} x {n_features}, {n_classes}"


# Samples, features and classes.
GENERATED = [
    *((50, 10, 2), (100, 10, 2), (300, 10, 2), (150, 10, 3), (300, 10, 5), (400, 100, 40)),
    *((1500, 200, 5), (1000, 20, 20), (3000, 20, 20), (5000, 30, 30), (2000, 30, 80)),
    *((1500, 64, 150), (6000, 64, 60)),
]
CURVE_TITLES = {k: title(25 * k, 32, k) for k in CURVE}
GRID = {
    (k, n): title(n * k, 20, k) for k in N_CLASSES for n in N_PER_CLASS if n * k <= MOST_SAMPLES
}
FEW = {k: f"{k} classes of 1 to 10" for k in (200, 300)}
STREAMS = {k: (6000, 64, k) for k in (60, 150)}
LARGE, THREADS, FILE, TURNS = (15_000, 64, 150), (2000, 32, 80), (2625, 32, 105), (20_000, 20, 2)
_CLUSTERS = {title(*shape): partial(clusters, *shape) for shape in (
    *GENERATED, *((25 * k, 32, k) for k in CURVE), *((n * k, 20, k) for k, n in GRID),
    *STREAMS.values(), LARGE, THREADS, FILE, TURNS,
)}  # fmt: skip
_FEW = {name: partial(few_of_each, k) for k, name in FEW.items()}
_REAL = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}
SETS = {
    "classes": _CLUSTERS | _FEW | {name: partial(real, load) for name, load in _REAL.items()},
    "regression": {str(n): partial(friedman, n) for n in SIZES},
    "novelty": {str(n): partial(outliers, n) for n in SIZES},
}
COMPARED = [*(title(*shape) for shape in GENERATED), *_REAL, *_FEW, *CURVE_TITLES.values()]


def load(kind, name, quick):
    """Return X_train, X_test, y_train and y_test; if quick, 200 samples of ten classes."""
    X, X_test, y, y_test = SETS[kind][name]()
    if quick:
        chosen = np.flatnonzero(y < 10)[:200]
        X, y = X[chosen], y[chosen]
    return X, X_test, y, y_test
