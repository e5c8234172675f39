"""Linear models that are special cases of others, or equal to those of scikit-learn."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.utils.fixes import parse_version

from sklearn_online_svm.linear import (
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.linear_kinds import clouds, regression, trained
from tests.support.samples import LAYOUTS

# -- special cases ------------------------------------------------------------------------


def test_second_order_perceptron_with_large_a_is_a_perceptron():
    X, y = clouds()
    plain = trained(PerceptronClassifier(), X, y)
    for covariance in ("diag", "full"):
        stiff = SecondOrderPerceptronClassifier(a=1e12, covariance=covariance)
        assert_allclose(1e12 * trained(stiff, X, y).coef_, plain.coef_, rtol=1e-6, atol=1e-6)


# -- scikit-learn ---------------------------------------------------------------------------

with_rates_of_sgd = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="SGDClassifier has the learning rates of PassiveAggressiveClassifier since 1.8",
)
PASSES = dict(max_iter=3, tol=None, shuffle=False, fit_intercept=False)


@with_rates_of_sgd
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("average", [False, True, 25])
@pytest.mark.parametrize("loss, rate", [("hinge", "pa1"), ("squared_hinge", "pa2")])
def test_classifier_of_scikit_learn(loss, rate, average, C, n_classes, layout):
    X, y = clouds(150, 7, n_classes)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = 0.0
    X = LAYOUTS[layout](X)
    ours = PassiveAggressiveClassifier(C=C, loss=loss, average=average, **PASSES).fit(X, y)
    theirs = SGDClassifier(
        loss="hinge", penalty=None, learning_rate=rate, eta0=C, average=average, **PASSES
    ).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-10)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.t_ == theirs.t_ == 451.0
    assert np.abs(ours.coef_).max() > 0.01


@with_rates_of_sgd
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("prefix, rate", [("", "pa1"), ("squared_", "pa2")])
def test_regressor_of_scikit_learn(prefix, rate, epsilon, C, layout):
    X, y = regression(150, 7)
    X = LAYOUTS[layout](X)
    shared = dict(epsilon=epsilon, **PASSES)
    ours = PassiveAggressiveRegressor(C=C, loss=prefix + "epsilon_insensitive", **shared)
    theirs = SGDRegressor(
        loss="epsilon_insensitive", penalty=None, learning_rate=rate, eta0=C, **shared
    )
    assert_allclose(ours.fit(X, y).coef_, theirs.fit(X, y).coef_, rtol=0, atol=1e-10)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9)
