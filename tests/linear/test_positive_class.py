"""The positive class of models that treat the two classes differently."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from sklearn_online_svm import CostSensitivePassiveAggressiveClassifier, PerceptronClassifier
from tests.support.linear_kinds import clouds, trained

UNEVEN = [
    CostSensitivePassiveAggressiveClassifier(eta_p=0.8),
    CostSensitivePassiveAggressiveClassifier(objective="cost", cost_p=5.0, cost_n=1.0),
    CostSensitivePassiveAggressiveClassifier(rho=4.0, rule="max_loss"),
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


@pytest.mark.parametrize(
    "model",
    [
        CostSensitivePassiveAggressiveClassifier(),
        CostSensitivePassiveAggressiveClassifier(objective="cost"),
        CostSensitivePassiveAggressiveClassifier(objective="cost", cost_p=2.0, cost_n=2.0),
        CostSensitivePassiveAggressiveClassifier(rho=1.0),
        CostSensitivePassiveAggressiveClassifier(rho=[[0.0, 0.5], [3.0, 0.0]]),
        PerceptronClassifier(positive_margin=0.5, negative_margin=0.5),
    ],
    ids=str,
)
def test_pos_label_is_optional_with_equal_costs(model):
    X, y = clouds()
    assert_array_equal(
        trained(model, X, np.array(["no", "yes"])[y]).coef_, trained(model, X, y).coef_
    )
