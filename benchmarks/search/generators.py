"""Generated data sets with a detailed decision boundary."""

import numpy as np


def make_chessboard(n_samples, seed, n_fields=12):
    """Squares of a chessboard with ``n_fields ** 2`` fields; no label is wrong.

    Returns
    -------
    X : ndarray of shape (n_samples, 2), float32, uniform in [0, n_fields]
    y : ndarray of shape (n_samples,), of -1 and 1
    """
    rng = np.random.default_rng([seed, 144])
    X = rng.uniform(0, n_fields, (n_samples, 2))
    return X.astype(np.float32), np.where(np.floor(X).sum(axis=1) % 2, 1, -1)


def make_rough_field(n_samples, seed, n_features=8, roughness=0.8, noise=0.35):
    """Sign of a smooth random function that oscillates several times across the data.

    The function is a sum of 400 cosine waves; its frequencies differ between features by up to a
    factor of five. Gaussian noise is added before the sign is taken.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float32, standard normal
    y : ndarray of shape (n_samples,), of -1 and 1
    """
    # The function is the same for every seed.
    fixed = np.random.default_rng([2026, n_features])
    frequencies = roughness * np.geomspace(0.4, 2.0, n_features)
    waves = fixed.standard_normal((400, n_features)) * frequencies
    phases = fixed.uniform(0, 2 * np.pi, 400)
    rng = np.random.default_rng([seed, n_features])
    X = rng.standard_normal((n_samples, n_features))
    values = np.cos(X @ waves.T + phases).sum(axis=1) / np.sqrt(200)
    values += noise * rng.standard_normal(n_samples)
    return X.astype(np.float32), np.where(values > 0, 1, -1)


def make_many_clusters(n_samples, seed, n_features=16, n_classes=10, n_clusters=12, spread=1.0):
    """Classes that consist of many Gaussian clusters each, of different widths.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features), float32
    y : ndarray of shape (n_samples,), integers below ``n_classes``
    """
    fixed = np.random.default_rng([2027, n_features])
    n = n_classes * n_clusters
    centres = fixed.standard_normal((n, n_features))
    widths = spread * fixed.uniform(0.3, 0.8, n)
    shapes = fixed.standard_normal((n, n_features, n_features)) / np.sqrt(n_features)
    rng = np.random.default_rng([seed, n_features, n_classes])
    cluster = rng.integers(0, n, n_samples)
    X = rng.standard_normal((n_samples, n_features))
    X = np.einsum("sf,sfg->sg", X, shapes[cluster]) * widths[cluster, None] + centres[cluster]
    return X.astype(np.float32), cluster % n_classes
