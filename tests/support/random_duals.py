"""Random problems of kernel machines: samples, targets and parameters, from a seed."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.metrics.pairwise import pairwise_kernels


@dataclass
class Problem:
    """Samples, targets and parameters, drawn at random from a seed."""

    seed: int
    rng: np.random.Generator
    X: object
    y: np.ndarray
    weights: np.ndarray | None
    params: dict

    def __post_init__(self):
        if self.weights is not None and self.params.get("gamma") == "scale":
            self.params["gamma"] = "auto"  # SVC does not use the weights for "scale"

    def unweighted(self):
        self.weights = None
        if self.y is not None and "class_weight" in self.params:
            self.params["class_weight"] = None
        return self

    @property
    def dense(self):
        X = self.X.toarray() if issparse(self.X) else self.X
        return X.astype(np.float64)

    @property
    def rows(self):
        """The samples for the peer: SVC numbers its support vectors as if there were no others.

        Whole weights of the one-class SVM are repetitions.
        """
        n = self.X.shape[0]
        if self.weights is None:
            return np.arange(n)
        return np.repeat(
            np.arange(n), self.weights.astype(int) if self.y is None else self.weights > 0
        )

    def values_for_peer(self, rows):
        """Return the given samples as the peer takes them."""
        if self.params["kernel"] == "precomputed":
            return self.X[np.ix_(rows, self.rows)]
        return self.X[rows]

    def for_peer(self):
        rows = self.rows
        X = self.values_for_peer(rows)
        if self.y is None:
            return (X,)
        return X, self.y[rows], None if self.weights is None else self.weights[rows]

    def kernel(self, gamma):
        """Return the kernel matrix, and the errors of the rounded values that solvers use."""
        X, p = self.dense, self.params
        eps = 2.0**-24
        if p["kernel"] == "precomputed":
            return X, eps * np.abs(X)
        products = X @ X.T
        if p["kernel"] == "linear":
            K, of_products = products, 1.0
        elif p["kernel"] == "poly":
            inner = gamma * products + p["coef0"]
            K = inner ** p["degree"]
            of_products = p["degree"] * gamma * np.abs(inner) ** (p["degree"] - 1)
        elif p["kernel"] == "sigmoid":
            K, of_products = np.tanh(gamma * products + p["coef0"]), gamma
        else:
            K = pairwise_kernels(X, metric="rbf", gamma=gamma)
            of_products = 2.0 * gamma * K
        # float32 samples have float32 products.
        sizes = np.linalg.norm(X, axis=1)
        most = np.maximum.outer(sizes**2, sizes**2)
        single = 8.0 * most * of_products if self.X.dtype == np.float32 else 0.0
        return K, eps * (2.0 * np.abs(K) + single)


def random_samples(rng, n, d):
    """Return samples of a few kinds: with duplicates, unscaled columns, many zeros."""
    X = rng.normal(size=(n, d))
    kind = rng.choice(
        ["normal", "rounded", "zeros", "unscaled", "far"], p=[0.4, 0.2, 0.2, 0.1, 0.1]
    )
    if kind == "rounded":
        X = np.round(X)
    elif kind == "zeros":
        X[rng.random((n, d)) < 0.7] = 0.0
    elif kind == "unscaled":
        X *= 10.0 ** rng.uniform(-2, 2, d)
    elif kind == "far":
        X += 10.0 ** rng.uniform(0, 2, d)
    return X


def random_params(rng, d):
    """Return parameters of the kernel, C and tol."""
    kernel = str(rng.choice(["rbf", "rbf", "rbf", "linear", "poly", "precomputed", "sigmoid"]))
    gamma = rng.choice(["scale", "auto", "number"], p=[0.5, 0.1, 0.4])
    number = 10.0 ** rng.uniform(-2, 1) / d
    return dict(
        kernel=kernel,
        C=float(10.0 ** rng.uniform(-3, 3)),
        gamma=float(number) if gamma == "number" or kernel == "precomputed" else str(gamma),
        coef0=float(rng.choice([0.0, 1.0])) if kernel in ("poly", "sigmoid") else 0.0,
        degree=int(rng.integers(2, 4)),
        tol=float(rng.choice([1e-3, 1e-4, 1e-5])),
    )


def random_weights(rng, n, whole=False):
    """Return weights of all samples, or None; some are 0."""
    kind = rng.choice(["none", "one or two" if whole else "any", "some zero"], p=[0.5, 0.35, 0.15])
    if kind == "none":
        return None
    weights = rng.integers(1, 3, n).astype(float) if whole else rng.uniform(0.2, 3.0, n)
    if kind == "some zero":
        weights[rng.random(n) < 0.3] = 0.0
    return weights


def given(rng, X, params):
    """Return the samples in a random layout and precision."""
    if params["kernel"] == "precomputed":
        return pairwise_kernels(X, metric="rbf", gamma=params["gamma"])
    X = X.astype(np.float32) if rng.random() < 0.2 else X
    return csr_matrix(X) if rng.random() < 0.3 else X


def size_of(rng):
    return int(rng.integers(4, 20) if rng.random() < 0.3 else rng.integers(20, 301))


def n_features_of(rng):
    return int(rng.choice([2, 3, 5, 10, 30, 200]))


def classification(seed, most_classes=10):
    rng = np.random.default_rng([seed, 1])
    n, d = size_of(rng), n_features_of(rng)
    n_classes = min(2 if rng.random() < 0.6 else int(rng.integers(3, 11)), most_classes, n // 2)
    X, params = random_samples(rng, n, d), random_params(rng, d)
    # Rare classes have two samples at least.
    shares = rng.dirichlet(np.full(n_classes, rng.choice([0.3, 2.0, 100.0])))
    every = np.tile(np.arange(n_classes), 2)
    codes = np.append(every, rng.choice(n_classes, n - len(every), p=shares))
    X += rng.choice([0.0, 1.0, 3.0]) * X.std() * rng.normal(size=(n_classes, d))[codes]
    if rng.random() < 0.3:  # duplicates, some of them with another label
        X = X[rng.integers(0, max(2, n // 2), n)]
    order = rng.permutation(n)
    X, codes = X[order], codes[order]
    letters = np.array([*"abcdefghijkl"])[rng.permutation(n_classes)]
    labels = letters if rng.random() < 0.5 else 7 - 3 * np.arange(n_classes)
    weights = random_weights(rng, n)
    if weights is not None and (weights == 0).any():
        weights[[np.flatnonzero(codes == c)[0] for c in range(n_classes)]] = 1.0
    some = {label: float(rng.uniform(0.3, 3.0)) for label in labels[::2].tolist()}
    # SVC before scikit-learn 1.9 balances the classes without the weights of samples.
    choices = [None, None, some] + ["balanced"] * (weights is None)
    params["class_weight"] = choices[rng.integers(len(choices))]
    return Problem(seed, rng, given(rng, X, params), labels[codes], weights, params)


def regression(seed):
    rng = np.random.default_rng([seed, 2])
    n, d = size_of(rng), n_features_of(rng)
    X, params = random_samples(rng, n, d), random_params(rng, d)
    if rng.random() < 0.3:
        X = X[rng.integers(0, max(2, n // 2), n)]
    y = np.sin(2.0 * X @ rng.normal(size=d) / np.linalg.norm(X.std(axis=0) + 1e-3))
    y += rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=n)
    kind = rng.random()
    if kind < 0.2:
        y = np.full(n, 2.0) if kind < 0.05 else np.round(2.0 * y)
    y = float(rng.choice([0.1, 1.0, 10.0])) * y + float(rng.choice([0.0, 5.0]))
    params["epsilon"] = float(rng.choice([0.0, 10.0 ** rng.uniform(-3, 0)]))
    return Problem(seed, rng, given(rng, X, params), y, random_weights(rng, n), params)


def one_class(seed):
    rng = np.random.default_rng([seed, 3])
    n, d = size_of(rng), n_features_of(rng)
    X, params = random_samples(rng, n, d), random_params(rng, d)
    if rng.random() < 0.3:
        X = X[rng.integers(0, max(2, n // 2), n)]
    del params["C"]
    params["nu"] = float(rng.uniform(0.01, 1.0))
    weights = random_weights(rng, n, whole=True)
    return Problem(seed, rng, given(rng, X, params), None, weights, params)
