"""Reference implementation of one-vs-one: the votes, and the optimum of SVC."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC
from sklearn.utils.multiclass import _ovr_decision_function

from tests.reference.lasvm import ReferenceLasvm, rbf_kernel
from tests.reference.one_vs_one import ReferenceOneVsOne, class_values, predicted


def test_votes_by_hand():
    # Pairs (0, 1), (0, 2), (1, 2).
    assert_array_equal(
        predicted([[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]], 3), [0, 1, 2]
    )
    # One vote for each class; 0 is a vote for the second class.
    assert_array_equal(
        predicted([[1.0, -1.0, 1.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0]], 3), [0, 0, 1]
    )
    # The sums are 3, 0 and -3.
    assert_allclose(class_values([[1.0, 2.0, 1.0]], 3), [[2 + 3 / 12, 1, -3 / 12]])


@pytest.mark.parametrize("n_classes", [3, 4, 7])
def test_class_values_are_those_of_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    values = np.round(rng.normal(size=(200, n_classes * (n_classes - 1) // 2)), 1)
    expected = _ovr_decision_function(values < 0, -values, n_classes)
    assert_allclose(class_values(values, n_classes), expected, rtol=1e-12, atol=1e-12)


def test_optimum_of_all_pairs_is_that_of_svc():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 60)
    X = rng.normal(size=(60, 2)) + 1.5 * np.eye(4, 2)[codes]
    K = rbf_kernel(X, X, gamma=0.5)
    cost = rng.uniform(0.5, 2.0, 60)
    twin = ReferenceOneVsOne(codes, 4, lambda y: ReferenceLasvm(K, y, cost, tol=1e-6))
    for _ in range(20):
        for k in range(60):
            twin.learn(k)
        twin.finish()
    svc = SVC(kernel="precomputed", tol=1e-8, decision_function_shape="ovo").fit(K, codes, cost)
    values = twin.decision_function()
    assert_allclose(values, svc.decision_function(K), atol=1e-5)
    assert_array_equal(predicted(values, 4), svc.predict(K))
    svc.decision_function_shape = "ovr"
    assert_allclose(class_values(values, 4), svc.decision_function(K), atol=1e-4)
