"""Linear models with all kinds of parameters, and samples with numbers as labels."""

import numpy as np
from hypothesis import HealthCheck, settings
from numpy.testing import assert_allclose
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
from tests.support.linear_models import state_of, train

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
    cspa(C=2.0, sensitivity_weight=0.75, rule="prediction"),
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
# The same for dense and for sparse samples; the default differs.
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


def regression(n=100, n_features=4, seed=0, *, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)).astype(dtype)
    return X, X @ rng.normal(size=n_features) + 0.3 * rng.normal(size=n)


def assert_close(one, other, rtol=1e-9, atol=1e-9):
    """Compare all attributes but the number of updates, which rounding may change."""
    ours, theirs = state_of(one), state_of(other)
    for name in ours.keys() - {"n_updates_"}:
        scale = max(1.0, np.abs(theirs[name]).max())
        assert_allclose(ours[name], theirs[name], rtol=rtol, atol=atol * scale, err_msg=name)


def trained(model, X, y, classes=None, chunk=None, sample_weight=None):
    """A clone, trained by partial_fit."""
    return train(clone(model), X, y, chunk, 0, classes, sample_weight)


def decide(model, X):
    return model.predict(X) if is_regressor(model) else model.decision_function(X)
