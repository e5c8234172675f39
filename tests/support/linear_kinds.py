"""Linear learners with parameters of every kind, rows for them, and exact comparisons."""

import numpy as np
from hypothesis import HealthCheck, settings
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_regressor

from sklearn_online_svm.linear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)

quickly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
JOINT = dict(multi_class="crammer_singer")


def cspa(**params):
    return CostSensitivePassiveAggressiveClassifier(**{"average": False, **params})


FIRST_ORDER = [
    PassiveAggressiveClassifier(C=0.5),
    PassiveAggressiveClassifier(C=np.inf),
    PassiveAggressiveClassifier(C=0.5, loss="squared_hinge"),
    PassiveAggressiveClassifier(C=0.5, average=3),
    PassiveAggressiveClassifier(C=0.5, **JOINT),
    PassiveAggressiveClassifier(C=0.5, loss="squared_hinge", average=True, **JOINT),
]
STEPWISE = [
    PerceptronClassifier(positive_margin=0.3),
    PerceptronClassifier(average=True),
    PerceptronClassifier(**JOINT),
]
COST_SENSITIVE = [
    cspa(C=2.0),
    cspa(C=2.0, rho=3.0, rule="prediction"),
    cspa(C=2.0, rule="max_loss", **JOINT),
]
SECOND_ORDER = [
    model.set_params(covariance=covariance)
    for covariance in ("diag", "full")
    for model in (
        SecondOrderPerceptronClassifier(a=2.0),
        ConfidenceWeightedClassifier(eta=0.8),
        SCWClassifier(C=0.5),
        SCWClassifier(C=0.5, loss="squared_hinge"),
        AROWClassifier(r=0.5),
    )
]
REGRESSION = [
    PassiveAggressiveRegressor(C=0.5),
    PassiveAggressiveRegressor(C=0.5, loss="squared_epsilon_insensitive", average=True),
]
CLASSIFIERS = FIRST_ORDER + STEPWISE + COST_SENSITIVE + SECOND_ORDER
MODELS = CLASSIFIERS + REGRESSION
# Alike for dense and for sparse rows; by default it depends on the rows.
for _model in FIRST_ORDER + STEPWISE + COST_SENSITIVE + REGRESSION:
    _model.set_params(intercept_scaling=1.0)


def clouds(n=100, n_features=4, n_classes=2, seed=0, *, dtype=np.float64, flipped=0.15):
    """Overlapping clouds; labels 0, 1, ..."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n)
    X = rng.normal(size=(n, n_features)) + rng.normal(size=(n_classes, n_features))[labels]
    wrong = rng.random(n) < flipped
    labels[wrong] = rng.integers(n_classes, size=wrong.sum())
    return X.astype(dtype), labels


def line(n=100, n_features=4, seed=0, *, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)).astype(dtype)
    return X, X @ rng.normal(size=n_features) + 0.3 * rng.normal(size=n)


def state_of(model):
    """All numbers that a model shows."""
    numbers = [model.coef_, model.intercept_, model.n_updates_, model.t_]
    if hasattr(model, "covariance_"):
        numbers.append(model.covariance_)
    return [np.array(number) for number in numbers]


def assert_same(*models):
    """To the last bit."""
    first = state_of(models[0])
    for model in models[1:]:
        for one, other in zip(first, state_of(model), strict=True):
            assert_array_equal(other, one)


def assert_close(one, other, rtol=1e-9, atol=1e-9):
    """But for the number of updates: rows may meet their margin exactly, but for rounding."""
    for i, (a, b) in enumerate(zip(state_of(one), state_of(other), strict=True)):
        if i != 2:
            assert_allclose(a, b, rtol=rtol, atol=atol * max(1.0, np.abs(b).max()))


def taught(model, X, y, classes=None, chunk=None, sample_weight=None):
    """A clone that has learnt the rows by partial_fit."""
    model, first = clone(model), {}
    if not is_regressor(model):
        first = {"classes": np.unique(y) if classes is None else classes}
    chunk = chunk or len(y)
    for start in range(0, len(y), chunk):
        rows = slice(start, start + chunk)
        more = {} if sample_weight is None else {"sample_weight": sample_weight[rows]}
        model.partial_fit(X[rows], y[rows], **first, **more)
        first = {}
    return model


def decide(model, X):
    return model.predict(X) if is_regressor(model) else model.decision_function(X)
