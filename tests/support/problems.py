"""Random classification problems: families of samples, and parameters that fit well or badly."""

from itertools import count

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import make_circles, make_classification, make_moons
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

N_FRESH = 2000
SIZES = (100, 300, 1000)


def clusters(rng, n):
    """Half a hypercube's vertices for each class, among features that say nothing."""
    d = int(rng.choice([2, 5, 10, 20, 60]))
    return make_classification(
        n,
        d,
        n_informative=min(d, int(rng.integers(2, 9))),
        n_redundant=0,
        n_clusters_per_class=int(rng.integers(1, 3)),
        weights=[rng.uniform(0.5, 0.9)],
        flip_y=0.0,
        class_sep=rng.uniform(0.5, 1.5),
        random_state=int(rng.integers(2**31)),
    )


def discrete(rng, n):
    X, y = clusters(rng, n)
    return np.round(X), y


def wide(rng, n):
    X, y = clusters(rng, n)
    return np.hstack([X, rng.normal(size=(n, 150))]), y


def several_classes(rng, n):
    return make_classification(
        n,
        int(rng.choice([10, 20, 60])),
        n_informative=int(rng.integers(5, 10)),
        n_redundant=0,
        n_classes=int(rng.integers(3, 9)),
        n_clusters_per_class=1,
        flip_y=0.0,
        class_sep=rng.uniform(0.5, 1.5),
        random_state=int(rng.integers(2**31)),
    )


def moons(rng, n):
    return make_moons(n, noise=rng.uniform(0.1, 0.35), random_state=int(rng.integers(2**31)))


def circles(rng, n):
    noise, factor = rng.uniform(0.05, 0.15), rng.uniform(0.3, 0.8)
    return make_circles(n, noise=noise, factor=factor, random_state=int(rng.integers(2**31)))


def clouds(rng, n):
    """Two normal distributions of different width."""
    X, y = rng.normal(size=(n, rng.choice([2, 5, 20]))), rng.random(n) > rng.uniform(0.5, 0.9)
    X[y] = 0.7 + rng.uniform(0.3, 3.0) * X[y]
    return X, y.astype(int)


def text(rng, n):
    """Word counts; the words of one class are more frequent than those of the other."""
    y = (rng.random(n) > rng.uniform(0.5, 0.9)).astype(int)
    frequencies = np.exp(0.5 * rng.normal(size=(2, 500))) / np.arange(1, 501)
    frequencies *= 40.0 / frequencies.sum(axis=1, keepdims=True)
    counts = csr_matrix(rng.poisson(frequencies[y]))
    return TfidfTransformer().fit_transform(counts), y


FAMILIES = (
    *(clusters, clusters, clusters, clusters, clusters, clusters),
    *(discrete, wide, several_classes, moons, circles, clouds, text),
)


def random_classification(seed, sizes=SIZES):
    """Return training samples (X, y), fresh samples (X, y) and parameters of a classifier."""
    for attempt in count():
        rng = np.random.default_rng([seed, attempt])
        make = FAMILIES[rng.integers(len(FAMILIES))]
        n = int(rng.choice(sizes))
        X, y = make(rng, n + N_FRESH)
        n_classes = y.max() + 1
        wrong = rng.random(len(y)) < rng.choice([0.0, 0.02, 0.05, 0.1, 0.2])
        y = np.where(wrong, rng.integers(0, n_classes, len(y)), y)
        if len(np.unique(y[:n])) == n_classes:
            break
    if isinstance(X, np.ndarray):
        X = StandardScaler().fit(X[:n]).transform(X)
    # One-vs-rest: a plane between a class and all the others is next to constant.
    planes = "rbf" if make is several_classes else "linear"
    kernel = str(rng.choice(["rbf", "rbf", planes, "poly"]))
    gamma = rng.choice([0.1, 0.3, 1.0, 3.0, 10.0]) / (1 if make is text else X.shape[1])
    # Larger ones with another kernel take SVC more than a million steps.
    most = 4 if kernel == "rbf" else 2
    params = dict(
        kernel=kernel,
        C=float(10.0 ** rng.integers(-3, most)),
        gamma=float(gamma if kernel == "rbf" else min(gamma, 1.0 / X.shape[1])),
        class_weight=rng.choice([None, "balanced"]),
    )
    return (X[:n], y[:n]), (X[n:], y[n:]), params


def random_regression(seed, sizes=(*SIZES, 3000)):
    """Return training samples (X, y), fresh samples (X, y) and parameters of a regressor.

    The width of the tube is at most the standard deviation of the targets.
    """
    rng = np.random.default_rng([seed, 1])
    n, d = int(rng.choice(sizes)), int(rng.choice([1, 2, 5, 10, 20]))
    X = rng.normal(size=(n + N_FRESH, d))
    X = np.round(2 * X) / 2 if rng.random() < 0.2 else X
    Z = X @ rng.normal(size=(d, 3)) / np.sqrt(d)
    shapes = (
        Z[:, 0],
        np.sin(2 * Z[:, 0]) + Z[:, 1] ** 2,
        np.abs(Z[:, 0]) * np.sign(Z[:, 1]),
        np.exp(0.7 * Z[:, 0]),
    )
    y = shapes[rng.integers(len(shapes))]
    heavy = rng.random() < 0.3
    noise = rng.standard_t(2, len(y)) if heavy else rng.normal(size=len(y))
    y = (y - y.mean()) / y.std() + rng.choice([0.0, 0.1, 0.3, 1.0]) * noise
    y = rng.choice([0.1, 1.0, 10.0]) * y + rng.choice([0.0, 5.0])
    kernel = str(rng.choice(["rbf", "rbf", "linear", "poly"]))
    gamma = rng.choice([0.1, 0.3, 1.0, 3.0, 10.0]) / d
    params = dict(
        kernel=kernel,
        C=float(10.0 ** rng.integers(-3, 4 if kernel == "rbf" else 2)),
        gamma=float(gamma if kernel == "rbf" else min(gamma, 1.0 / d)),
        epsilon=float(rng.choice([0.01, 0.1, 0.5]) * y[:n].std()),
    )
    return (X[:n], y[:n]), (X[n:], y[n:]), params
