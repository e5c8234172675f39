"""The classifier of the page on new ideas: its steps are those of the compiled models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from examples.update_rule import UpdateRuleClassifier
from sklearn_online_svm.linear import (
    AROWClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.linear_models import with_layouts
from tests.support.linear_tasks import CLOSE, Stream


def pa1(margin, curvature, C):
    return min(C, max(0.0, 1.0 - margin) / curvature), 0.0


def pa2(margin, curvature, C):
    return max(0.0, 1.0 - margin) / (curvature + 0.5 / C), 0.0


def perceptron(margin, curvature, C):
    return (C if margin <= 0 else 0.0), 0.0


def second_order_perceptron(margin, curvature, C):
    b = C / (1.0 + C * curvature) if margin <= 0 else 0.0
    return (1.0 - margin) * b, b


def arow(margin, curvature, C):
    b = 1.0 / (curvature + 1.0 / C) if margin < 1 else 0.0
    return (1.0 - margin) * b, b


def passive_aggressive(**params):
    return PassiveAggressiveClassifier(**{"intercept_scaling": 1.0, **params})


SAME = [
    (UpdateRuleClassifier(pa1, C=0.3), passive_aggressive(C=0.3)),
    (UpdateRuleClassifier(pa1, C=np.inf), passive_aggressive(C=np.inf)),
    (UpdateRuleClassifier(pa2, C=0.3), passive_aggressive(C=0.3, loss="squared_hinge")),
    (UpdateRuleClassifier(perceptron), PerceptronClassifier(intercept_scaling=1.0)),
    (
        UpdateRuleClassifier(pa1, C=0.3, intercept_scaling=0.1),
        passive_aggressive(C=0.3, intercept_scaling=0.1),
    ),
    (
        UpdateRuleClassifier(pa1, C=0.3, intercept_scaling=0),
        passive_aggressive(C=0.3, fit_intercept=False),
    ),
    *(
        (
            UpdateRuleClassifier(arow, C=2.0, covariance=covariance),
            AROWClassifier(r=0.5, covariance=covariance),
        )
        for covariance in ("diag", "full")
    ),
    *(
        (
            UpdateRuleClassifier(second_order_perceptron, covariance=covariance),
            SecondOrderPerceptronClassifier(covariance=covariance),
        )
        for covariance in ("diag", "full")
    ),
]


@pytest.mark.parametrize("model, compiled", SAME, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("n_classes", [2, 3])
@with_layouts
def test_each_sample(model, compiled, n_classes, layout):
    model, compiled, stream = clone(model), clone(compiled), Stream(n_classes)
    for ours, theirs in zip(stream.teach(model, layout), stream.teach(compiled, layout)):
        assert_allclose(ours.coef_, theirs.coef_, **CLOSE[np.float64])
        assert_allclose(ours.intercept_, theirs.intercept_, **CLOSE[np.float64])
        assert ours.n_updates_ == theirs.n_updates_
        if model.covariance is not None:
            assert_allclose(ours.covariance_, theirs.covariance_, **CLOSE[np.float64])
    assert 4 < model.n_updates_ < len(stream.X)
    scores = model.decision_function(stream.X), compiled.decision_function(stream.X)
    assert_allclose(*scores, **CLOSE[np.float64])
    assert_array_equal(model.predict(csr_matrix(stream.X)), compiled.predict(stream.X))


def test_duplicate_entries_of_a_sample_are_added():
    X = csr_matrix(([1.0, 2.0, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    model = UpdateRuleClassifier(pa1, C=0.1)
    coef = clone(model).partial_fit(X, [1, 0], [0, 1]).coef_
    assert_allclose(coef, clone(model).partial_fit(X.toarray(), [1, 0], [0, 1]).coef_)


def test_fit_resets_the_model_and_shuffles_each_epoch():
    stream = Stream(3, weighted=False)
    X, y = stream.X, np.array(["a", "b", "c"])[stream.labels]
    model = UpdateRuleClassifier(pa1, C=0.3, max_iter=2, random_state=4)
    model.fit(X[:, :2], y == "a").fit(X, y)
    stepwise, random = clone(model), np.random.RandomState(4)  # noqa: NPY002 - as fit does
    for _ in range(2):
        order = random.permutation(len(y))
        stepwise.partial_fit(X[order], y[order], classes=["c", "b", "a"])
    assert_array_equal(model.coef_, stepwise.coef_)
    assert_array_equal(model.predict(X), stepwise.predict(X))
    assert model.n_updates_ == stepwise.n_updates_
    assert clone(model).set_params(random_state=5).fit(X, y).n_updates_ != model.n_updates_


def test_partial_fit_needs_all_classes():
    model = UpdateRuleClassifier(pa1)
    with pytest.raises(ValueError, match="the first call"):
        model.partial_fit([[1.0]], [0])
    model.partial_fit([[1.0]], [0], classes=[0, 1])
    with pytest.raises(ValueError, match="not in classes_"):
        model.partial_fit([[1.0]], [2])


@pytest.mark.parametrize("covariance", [None, "full"])
def test_checks_of_scikit_learn(covariance):
    exceptions = {
        "check_all_zero_sample_weights_error": "samples of weight 0 are skipped",
        "check_sample_weight_equivalence_on_dense_data": "two updates differ from a longer one",
        "check_sample_weight_equivalence_on_sparse_data": "two updates differ from a longer one",
    }
    model = UpdateRuleClassifier(arow if covariance else pa1, covariance=covariance)
    check_estimator(model, expected_failed_checks=exceptions)
