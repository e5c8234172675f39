"""The positive class of models that treat the two classes differently, and costs of classes."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from sklearn_online_svm import CostSensitivePassiveAggressiveClassifier, PerceptronClassifier
from tests.support.linear_kinds import clouds, trained

UNEVEN = [
    CostSensitivePassiveAggressiveClassifier(sensitivity_weight=0.8),
    CostSensitivePassiveAggressiveClassifier(sensitivity_weight=0.8, rule="max_loss"),
    PerceptronClassifier(positive_margin=2.0),
    PerceptronClassifier(positive_margin=2.0, average=True),
]


@pytest.mark.parametrize("model", UNEVEN, ids=str)
def test_positive_class_is_1_or_pos_label(model):
    """The positive class is 1; with other labels pos_label is required."""
    X, y = clouds()
    expected = trained(model, X, y)
    for labels in (2 * y - 1, y == 1, y.astype(float), np.array([3, 1])[y]):
        other = trained(model, X, labels)
        turned = np.array_equal(other.classes_, [1, 3])
        assert_array_equal(-other.coef_ if turned else other.coef_, expected.coef_)
    for names in (["legit", "spam"], ["normal", "fraud"], [0, 2]):
        labels = np.array(names)[y]
        unnamed = "pos_label=None means 1, which is not one of the classes"
        with pytest.raises(ValueError, match=unnamed):
            clone(model).fit(X, labels)
        with pytest.raises(ValueError, match=unnamed):
            clone(model).partial_fit(X, labels, names)
        named = clone(model).set_params(pos_label=names[1])
        sign = 1 if names == sorted(names) else -1
        assert_array_equal(sign * trained(named, X, labels).coef_, expected.coef_)
        # After an invalid pos_label the stream can continue.
        stream = clone(named).partial_fit(X[:50], labels[:50], names)
        stream.set_params(pos_label="maybe")
        with pytest.raises(ValueError, match="pos_label='maybe' is not one of the classes"):
            stream.partial_fit(X[50:], labels[50:])
        stream.set_params(pos_label=names[1]).partial_fit(X[50:], labels[50:])
        whole = clone(named).partial_fit(X, labels, names)
        assert_array_equal(stream.coef_, whole.coef_)
    # With more classes each is the positive one in turn.
    X3, y3 = clouds(n_classes=3)
    trained(model, X3, np.array(["a", "b", "c"])[y3])


@pytest.mark.parametrize("names", [["a", "b"], ["b", "a"], [3, 1], [False, True], [2.0, 4.0]])
@pytest.mark.parametrize("keys", [np.array, np.ndarray.tolist], ids=["scalars", "objects"])
def test_costs_by_label(names, keys):
    """The keys may be scalars of NumPy; ``pos_label`` is not used."""
    X, y = clouds()
    names = np.array(names)
    model = CostSensitivePassiveAggressiveClassifier(C=1.0, average=False)
    expected = trained(clone(model).set_params(costs={0: 0.5, 1: 3.0}), X, y).coef_
    costs = dict(zip(keys(names), (0.5, 3.0)))
    for pos_label in (None, names[0], "other"):
        found = trained(model.set_params(costs=costs, pos_label=pos_label), X, names[y])
        assert_array_equal(found.coef_ if names[0] < names[1] else -found.coef_, expected)


@pytest.mark.parametrize("rule", ["cost_sensitive", "prediction", "max_loss"])
def test_scale_of_costs(rule):
    """It is that of the weights and of C; without C only the ratio of the costs matters."""
    X, y = clouds()
    factor = 16.0 if rule == "cost_sensitive" else 4.0
    for C, larger_C in ((None, None), (0.5, 0.5 * factor)):
        model = CostSensitivePassiveAggressiveClassifier(C=C, costs={1: 3.0}, rule=rule)
        expected = trained(model, X, y)
        model.set_params(C=larger_C, costs={0: 16.0, 1: 48.0})
        assert_array_equal(trained(model, X, y).coef_, factor * expected.coef_)
        assert_array_equal(trained(model, X, y).predict(X), expected.predict(X))


def test_costs_may_change_in_place():
    X, y = clouds()
    costs, model = {1: 3.0}, CostSensitivePassiveAggressiveClassifier()
    expected = trained(model.set_params(costs=costs), X, y)
    expected.set_params(costs={1: 9.0}).partial_fit(X, y)
    model.partial_fit(X, y, classes=[0, 1])
    costs[1] = 9.0
    assert_array_equal(model.partial_fit(X, y).coef_, expected.coef_)
    costs[1] = -1.0
    with pytest.raises(ValueError, match=r"costs\[1\] must be a finite number > 0, got -1"):
        model.partial_fit(X, y)


@pytest.mark.parametrize(
    "model",
    [
        CostSensitivePassiveAggressiveClassifier(),
        CostSensitivePassiveAggressiveClassifier(costs=[[0.0, 0.5], [3.0, 0.0]]),
        PerceptronClassifier(positive_margin=0.5, negative_margin=0.5),
    ],
    ids=str,
)
def test_pos_label_is_optional_with_equal_costs(model):
    X, y = clouds()
    assert_array_equal(
        trained(model, X, np.array(["no", "yes"])[y]).coef_, trained(model, X, y).coef_
    )
