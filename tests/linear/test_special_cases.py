"""Linear learners that are special cases of others, of ours and of scikit-learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Perceptron, SGDClassifier, SGDRegressor

from sklearn_online_svm.active import (
    AllQuery,
    LabelEfficientClassifier,
    MarginQuery,
    RandomQuery,
)
from sklearn_online_svm.linear import (
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.linear_kinds import (
    CLASSIFIERS,
    assert_same,
    clouds,
    line,
    taught,
)
from tests.support.samples import LAYOUTS

# -- special cases ------------------------------------------------------------------------


def test_a_stiff_second_order_perceptron_is_a_perceptron():
    X, y = clouds()
    plain = taught(PerceptronClassifier(), X, y)
    for covariance in ("diag", "full"):
        stiff = SecondOrderPerceptronClassifier(a=1e12, covariance=covariance)
        assert_allclose(1e12 * taught(stiff, X, y).coef_, plain.coef_, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_asking_always_is_learning_always(model, n_classes):
    X, y = clouds(60, n_classes=n_classes)
    plain = taught(model, X, y)
    for rule in (AllQuery(), RandomQuery(1.0), MarginQuery(1e300)):
        asking = LabelEfficientClassifier(model, rule, shuffle=False).fit(X, y)
        assert_same(asking.estimator_, plain)
        assert asking.n_queries_ == 60 and asking.queried_.all()
    never = LabelEfficientClassifier(model, RandomQuery(0.0), shuffle=False).fit(X, y)
    assert never.n_queries_ == 0 and not never.queried_.any()
    assert not never.online_predictions_.any()
    # A model with a mean is taught row by row, and has met none.
    if not model.get_params().get("average"):
        assert never.estimator_.n_updates_ == 0 and not never.estimator_.coef_.any()


# -- scikit-learn ---------------------------------------------------------------------------

PASSES = dict(max_iter=3, tol=None, shuffle=False, fit_intercept=False)


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


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("C", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
@pytest.mark.parametrize("prefix, rate", [("", "pa1"), ("squared_", "pa2")])
def test_regressor_of_scikit_learn(prefix, rate, epsilon, C, layout):
    X, y = line(150, 7)
    X = LAYOUTS[layout](X)
    shared = dict(epsilon=epsilon, **PASSES)
    ours = PassiveAggressiveRegressor(C=C, loss=prefix + "epsilon_insensitive", **shared)
    theirs = SGDRegressor(
        loss="epsilon_insensitive", penalty=None, learning_rate=rate, eta0=C, **shared
    )
    assert_allclose(ours.fit(X, y).coef_, theirs.fit(X, y).coef_, rtol=0, atol=1e-10)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_perceptron_of_scikit_learn(n_classes):
    X, y = clouds(150, 7, n_classes)
    passes = {**PASSES, "fit_intercept": True}
    ours, theirs = PerceptronClassifier(**passes).fit(X, y), Perceptron(**passes).fit(X, y)
    assert_allclose(ours.coef_, theirs.coef_, rtol=0, atol=1e-10)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=0, atol=1e-10)
