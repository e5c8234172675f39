"""Problems of twelve kinds with more than 5000 samples, on which one epoch may not be enough.

Heavy tails, offsets, discrete and one-hot columns, noise, two to eight classes, and rare classes
of one sample in 30 to 1000.
"""

import numpy as np


def heavy_tails(r, n, d, ratio):
    X = np.clip(r.standard_t(r.uniform(1.1, 2.5), (n, d)), -1e4, 1e4)
    f = X @ r.normal(size=d) + 0.2 * np.abs(X).sum(axis=1)
    return X, (f > np.median(f)) ^ (r.random(n) < 0.05)


def offsets(r, n, d, ratio):
    Z = r.normal(size=(n, d))
    y = Z @ r.normal(size=d) + Z[:, 0] * Z[:, -1] + 0.5 * r.normal(size=n) > 0
    return Z * np.exp(r.normal(size=d)) + 20.0 * r.normal(size=d), y


def one_hot(r, n, d, ratio):
    n_values, d = r.integers(3, 9), 2 + d // 2
    codes = r.integers(0, n_values, (n, d))
    f = r.normal(size=(d, n_values))[np.arange(d), codes].sum(axis=1) + 0.5 * r.normal(size=n)
    return np.eye(n_values)[codes].reshape(n, -1), f > np.median(f)


def rare_tail(r, n, d, ratio):
    X = r.normal(size=(n, d))
    f = X @ r.normal(size=d) + 0.3 * r.normal(size=n)
    return X, (f > np.quantile(f, 1 - 1 / ratio)) ^ (r.random(n) < 0.002)


def rare_and_heavy_tails(r, n, d, ratio):
    X = np.clip(r.standard_t(2, (n, d)), -1e3, 1e3)
    f = X[:, 0] - np.abs(X[:, 1]) + 0.3 * r.normal(size=n)
    return X, f > np.quantile(f, 1 - 1 / ratio)


def rare_cluster(r, n, d, ratio):
    X, y = r.normal(size=(n, d)), r.random(n) < 1 / ratio
    X[y] = 0.5 * X[y] + 1.5 * r.normal(size=d)
    return X, y


def classes(r, n, d, ratio, rare=False):
    k = r.integers(3, 9)
    shares = np.full(k, 1 / k)
    if rare:
        shares = np.append(np.full(k - 1, (1 - 1 / ratio) / (k - 1)), 1 / ratio)
    y = r.choice(k, n, p=shares)
    centers = r.uniform(0.7, 2.0) * r.normal(size=(k, d))
    return centers[y] + r.normal(size=(n, d)), y


def rare_class_of_several(r, n, d, ratio):
    return classes(r, n, d, ratio, rare=True)


def lognormal(r, n, d, ratio):
    Z = 1.5 * r.normal(size=(n, d))
    return np.exp(Z), Z @ r.normal(size=d) + 0.5 * r.normal(size=n) > 0


def whole_numbers(r, n, d, ratio):
    X = r.integers(0, 6, (n, d)).astype(float)
    f = np.sin(X) @ r.normal(size=d) + 0.3 * r.normal(size=n)
    return X, f > np.median(f)


def wrong_labels(r, n, d, ratio):
    X = r.normal(size=(n, d))
    return X, (X @ r.normal(size=d) > 0) ^ (r.random(n) < r.uniform(0.05, 0.25))


def checkerboard(r, n, d, ratio):
    X = r.uniform(-2, 2, (n, 2))
    y = (np.floor(X).sum(axis=1) % 2 > 0) ^ (r.random(n) < 0.05)
    return np.hstack([X, 0.1 * r.normal(size=(n, d))]), y


KINDS = [
    *(heavy_tails, offsets, one_hot, rare_tail, rare_and_heavy_tails, rare_cluster),
    *(classes, rare_class_of_several, lognormal, whole_numbers, wrong_labels, checkerboard),
]
# Kinds in which large values are part of the problem.
UNSCALED = (heavy_tails, lognormal)


def problem(seed, n=None):
    """Return samples to train and to test, and parameters; ``n``: number of samples to train."""
    r = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    size = int(r.integers(5100, 20_001 if r.random() < 0.5 else 9000))
    n = size if n is None else n
    d, ratio = int(r.integers(2, 12)), int(np.exp(r.uniform(np.log(30), np.log(1000))))
    is_rare = "rare" in kind.__name__
    # About 60 samples of the rare class to test.
    X, y = kind(r, n + (min(60_000, max(4000, 60 * ratio)) if is_rare else 4000), d, ratio)
    if kind not in UNSCALED and r.random() < 0.5:
        X = (X - X[:n].mean(axis=0)) / (X[:n].std(axis=0) + 1e-12)
    weight = "balanced" if r.random() < 0.3 else None
    largest = 3.0 if kind in (wrong_labels, checkerboard) or (is_rare and weight) else 30.0
    C = min(largest, float(10 ** r.uniform(-1.0, 1.5)))
    y = y.astype(int)
    return (X[:n], y[:n]), (X[n:], y[n:]), dict(C=C, class_weight=weight)
