"""References of the linear models with every rule, and samples for them."""

import numpy as np

from tests.reference.linear import (
    Arow,
    ConfidenceWeighted,
    CostSensitivePassiveAggressive,
    LinearTwin,
    PassiveAggressive,
    PassiveAggressiveRegression,
    Perceptron,
    SecondOrderPerceptron,
    SoftConfidenceWeighted,
)

FIRST_ORDER = [
    PassiveAggressive(np.inf),
    PassiveAggressive(0.5),
    PassiveAggressive(0.5, "squared_hinge"),
    Perceptron(0.2, 0.1),
    CostSensitivePassiveAggressive(0.5),
    CostSensitivePassiveAggressive(0.5, "prediction"),
    CostSensitivePassiveAggressive(0.5, "max_loss"),
]
SECOND_ORDER = [
    SecondOrderPerceptron(),
    ConfidenceWeighted(0.8),
    SoftConfidenceWeighted(0.5, 0.8),
    SoftConfidenceWeighted(0.5, 0.8, "squared_hinge"),
    Arow(2.0),
]
REGRESSION = [
    PassiveAggressiveRegression(0.5),
    PassiveAggressiveRegression(0.5, "squared_epsilon_insensitive", 0.2),
]


def name_of(rule):
    return f"{type(rule).__name__}-{'-'.join(str(v) for v in vars(rule).values())}"


def clouds(seed=0, n=60, n_features=3, n_classes=2, flipped=0.1):
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, n_features)) + 1.5 * rng.normal(size=(n_classes, n_features))[labels]
    wrong = rng.random(n) < flipped
    labels[wrong] = rng.integers(n_classes, size=wrong.sum())
    return X, labels


def learn(twin, X, labels, weights=None):
    weights = np.ones(len(X)) if weights is None else weights
    return [twin.learn_row(x, label, c) for x, label, c in zip(X, labels, weights)]


def random_twin(seed, rule, n_features=3, n_classes=2, **params):
    """Return a twin with random weights and covariances."""
    rng = np.random.default_rng(seed)
    twin = LinearTwin(n_features, n_classes, rule, **params)
    twin.W[:] = rng.normal(size=twin.W.shape)
    if twin.covariance is not None and twin.covariance.ndim == 2:
        twin.covariance[:] = rng.uniform(0.2, 1.5, twin.covariance.shape)
    elif twin.covariance is not None:
        for S in twin.covariance:
            A = rng.normal(size=S.shape)
            S[:] = np.linalg.inv(np.eye(len(S)) + A @ A.T)
    return twin, rng.normal(size=n_features), rng
