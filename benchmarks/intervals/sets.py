"""Tables of `intervals`: standardized features and targets, real ones and generated ones."""

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from ..bench.data import load_paper_dataset
from ..sets.tables import REGRESSION, TABLES
from ..sets.workloads import Split

N_TRAIN, N_TEST = 1000, 4000
# Targets of very different size.
_OF_LOGARITHM = ("ames", "computers", "diamonds", "saratoga", "stackoverflow")
REAL = tuple(name for name, table in TABLES.items() if table.kind == REGRESSION)


def _real(name, seed, n, n_test):
    split = TABLES[name].load(seed)
    indicators = OneHotEncoder(handle_unknown="ignore", min_frequency=10, sparse_output=False)
    columns = make_column_transformer(
        (indicators, make_column_selector(dtype_include="category")), remainder="passthrough"
    )
    X = columns.fit_transform(split.X_train[:n])
    scale = np.log if name in _OF_LOGARITHM else np.asarray
    y, y_test = scale(split.y_train[:n]), scale(split.y_test[:n_test])
    return X, y, columns.transform(split.X_test[:n_test]), y_test


def _diabetes(seed, n, n_test):
    X, y = load_diabetes(return_X_y=True)
    order, n = np.random.default_rng(seed).permutation(len(y)), min(n, 300)
    return X[order[:n]], y[order[:n]], X[order[n:]], y[order[n:]]


def _friedman(X):
    x = X.T
    smooth = 10 * np.sin(np.pi * x[0] * x[1]) + 20 * (x[2] - 0.5) ** 2 + 10 * x[3] + 5 * x[4]
    return smooth / 5


def _generated(name, seed, n, n_test):
    rng, n = np.random.default_rng(seed), min(n, 100) if name == "hundred" else n
    X, _ = make_friedman1(n + n_test, random_state=seed)
    noise = rng.normal(size=len(X))
    if name == "integers":
        X = np.floor(5 * X)
        y = _friedman(X / 5) + 0.3 * noise
    elif name == "heteroscedastic":
        y = _friedman(X) + (0.1 + 0.8 * X[:, 5]) * noise
    elif name == "outliers":
        far = 3 * rng.standard_t(2, len(X)) * (rng.random(len(X)) < 0.05)
        y = _friedman(X) + 0.2 * noise + far
    else:
        y = _friedman(X) + 0.2 * noise
    return X[:n], y[:n], X[n:], y[n:]


GENERATED = ("friedman", "heteroscedastic", "hundred", "integers", "outliers")
SETS = (*REAL, "diabetes", *GENERATED)


def load(name, seed, n=N_TRAIN, n_test=N_TEST):
    """Return a `Split` of at most ``n`` training samples."""
    if name in REAL:
        X, y, X_test, y_test = _real(name, seed, n, n_test)
    elif name == "diabetes":
        X, y, X_test, y_test = _diabetes(seed, n, n_test)
    else:
        X, y, X_test, y_test = _generated(name, seed, n, n_test)
    scaler = StandardScaler().fit(X)
    mean, deviation = y.mean(), y.std()
    y, y_test = ((values - mean) / deviation for values in (y, y_test))
    return Split(scaler.transform(X), y, scaler.transform(X_test), y_test)


# Sets of classes, and the number of training samples.
CLASSES = {
    "covtype_first20k": 2000,
    "letter": 2000,
    "satimage": 1000,
    "spambase": 1000,
    "usps": 1000,
}


def load_classes(name, seed, quick):
    """Return a `Split` of classes."""
    data = load_paper_dataset(name)
    n = 200 if quick else CLASSES[name]
    order = np.random.default_rng(seed).permutation(len(data["y_train"]))[: n + N_TEST]
    X, y = data["X_train"][order].astype(float), data["y_train"][order]
    X = StandardScaler().fit(X[:n]).transform(X)
    return Split(X[:n], y[:n], X[n:], y[n:])
