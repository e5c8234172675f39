"""Generated problems of several classes. What a class is does not depend on the samples drawn."""

import numpy as np
from sklearn.datasets import make_blobs, make_classification

# What defines a problem is drawn with this seed, its samples with the seed of a split.
PROBLEM = 2028


def clusters(
    n_classes, noise=0.0, n_features=20, n_informative=10, n_clusters=2, weights=None, apart=1.0
):
    """A function of a number of samples: Gaussian clusters at the corners of a hypercube."""

    def draw(n_samples):
        return make_classification(
            n_samples,
            n_features=n_features,
            n_informative=n_informative,
            n_redundant=n_informative // 4,
            n_classes=n_classes,
            n_clusters_per_class=n_clusters,
            weights=weights,
            flip_y=noise,
            class_sep=apart,
            random_state=PROBLEM,
        )

    return draw


def blobs(n_samples):
    """15 Gaussian clusters in 5 dimensions that overlap, a class each."""
    return make_blobs(n_samples, 5, centers=15, cluster_std=3.5, random_state=PROBLEM)


def spirals(n_samples):
    """Five arms of a spiral in the plane, with noise."""
    rng = np.random.default_rng(PROBLEM)
    y = rng.integers(5, size=n_samples)
    radius = np.sqrt(rng.uniform(0.02, 1.0, n_samples))
    angle = 3 * np.pi * radius + 2 * np.pi * y / 5
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + 0.03 * rng.standard_normal(X.shape), y


def grades(n_samples):
    """Five grades of equal size of a smooth function of six features, with noise."""
    rng = np.random.default_rng(PROBLEM)
    X = rng.uniform(-1, 1, (n_samples, 6))
    value = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] ** 2 - X[:, 4]
    value += 0.15 * rng.standard_normal(n_samples)
    return X, np.searchsorted(np.quantile(value, [0.2, 0.4, 0.6, 0.8]), value)


def categories(n_samples, n_columns=10, n_categories=4, n_classes=6):
    """Indicators of categories; categories and pairs of categories add to the score of a class."""
    rng = np.random.default_rng(PROBLEM)
    single = rng.normal(size=(n_columns, n_categories, n_classes))
    pairs = rng.normal(size=(n_columns, n_categories, n_categories, n_classes))
    codes = rng.integers(n_categories, size=(n_samples, n_columns))
    columns = np.arange(n_columns)
    scores = single[columns, codes].sum(axis=1)
    scores += pairs[columns, codes, np.roll(codes, 1, axis=1)].sum(axis=1)
    X = (codes[:, :, None] == np.arange(n_categories)).reshape(n_samples, -1)
    return X.astype(np.float64), scores.argmax(axis=1)


def colours(n_samples, n_fields=6):
    """A checkerboard of 36 fields in six colours; no label is wrong."""
    rng = np.random.default_rng(PROBLEM)
    X = rng.uniform(0, n_fields, (n_samples, 2))
    column, row = np.floor(X).astype(int).T
    return X, (column + 2 * row) % 6
