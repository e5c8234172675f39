"""What `CostSensitivePassiveAggressiveClassifier` does at its defaults."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import geometric_mean_score
from sklearn_online_svm.linear import (
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
)


def fraud():
    return make_classification(
        20_000, 20, n_informative=6, weights=[0.995], flip_y=0.002, random_state=0
    )


def waves():
    return make_waveform(6000, imbalance_ratio=32, random_state=0)


def gmeans(model, X, y, n_seeds=3, **params):
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    return [
        geometric_mean_score(
            y_test, model.set_params(random_state=s, **params).fit(X, y).predict(X_test)
        )
        for s in range(n_seeds)
    ]


@pytest.mark.parametrize("passes", [{}, dict(max_iter=1, tol=None)], ids=str)
@pytest.mark.parametrize("data, least", [(fraud, 0.7), (waves, 0.8)])
def test_recall_of_the_rare_class(data, least, passes):
    X, y = data()
    ours = gmeans(CostSensitivePassiveAggressiveClassifier(), X, y, **passes)
    assert min(ours) > least
    for other in (
        PassiveAggressiveClassifier(),
        PassiveAggressiveClassifier(class_weight="balanced"),
        CostSensitivePassiveAggressiveClassifier(C=1.0, average=False),
    ):
        # For some orders of the samples the others are as good, but not for most.
        assert min(ours) > min(gmeans(other, X, y, n_seeds=8, **passes)) + 0.05


def test_invariance_to_the_scale_of_samples():
    X, y = fraud()
    params = dict(max_iter=2, tol=None, random_state=0)
    one, other = (
        CostSensitivePassiveAggressiveClassifier(intercept_scaling=s, **params).fit(s * X, y)
        for s in (1.0, 1000.0)
    )
    assert_allclose(one.decision_function(X), other.decision_function(1000 * X), rtol=1e-6)


@pytest.mark.parametrize("rule", ["cost_sensitive", "prediction", "max_loss"])
def test_maximum_step_for_C_None(rule):
    x = np.array([[1.0, 2.0]])
    asked = 3.0 if rule == "cost_sensitive" else 3.0**0.5
    model = CostSensitivePassiveAggressiveClassifier(costs={1: 3.0}, rule=rule, average=False)
    # Margins before and after the step; the largest change is twice the target margin.
    for start, wanted in ((-asked, asked), (-10.0, 2 * asked - 10.0), (0.0, asked)):
        fitted = model.partial_fit(x, [0], classes=[0, 1])
        fitted.coef_, fitted.intercept_ = np.array([[start, 0.0]]), np.zeros(1)
        assert_allclose(fitted.partial_fit(x, [1]).decision_function(x), wanted)
        # Half the weight halves the maximum step.
        fitted.coef_, fitted.intercept_ = np.array([[-10.0, 0.0]]), np.zeros(1)
        fitted.partial_fit(x, [1], sample_weight=[0.5])
        assert_allclose(fitted.decision_function(x), asked - 10.0)


def test_numeric_C_is_that_of_the_papers():
    x = np.array([[1.0, 2.0]])
    model = CostSensitivePassiveAggressiveClassifier(C=0.01, costs={1: 100.0}, average=False)
    model.partial_fit(x, [1], classes=[0, 1])
    assert_allclose(model.coef_, 0.01 * x)
