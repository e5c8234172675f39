"""The problem over support vectors and reservoir: its weights, and its optimum."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC, SVR

from tests.support.internals import (
    beside,
    has_joint_solution,
    joint_problem,
    reservoir_of,
)
from tests.support.sorted_streams import JOINT, learn, new, stream, values

OF_CLASSES = ["lasvm", "lasvm-g", "4 classes", "pairs", "lasvm-g, pairs", "linear", "balanced"]
OF_TARGETS = ["lasvr", "lasvr, squared"]


def half(name):
    """Return a model in mid-stream, samples, and the number of those that it has seen."""
    X, y = stream(name)
    n = len(y) * 2 // 3
    return learn(name, new(name), X[:n], y[:n], 60), X, y, n


@pytest.mark.parametrize("name", [*OF_CLASSES, *OF_TARGETS])
def test_upper_bounds_add_up_to_those_of_the_stream(name):
    """In each class, or range of targets, when solved anew and when continued."""
    model, X, y, n = half(name)
    begun = 0
    for first in range(n, len(y), 20):
        reservoir, (_, encoded, cost, row_ids) = (
            reservoir_of(model),
            joint_problem(model, scaled=False),
        )
        classes = reservoir.classes
        assert len(np.unique(row_ids)) == len(row_ids) and (cost > 0.0).all()
        codes = reservoir.classes_of(encoded if encoded.ndim == 1 else encoded[:, 0])
        sums = np.bincount(codes, cost, len(classes))
        # Support vectors that have left the reservoir may exceed the total of their class; that of
        # a range is estimated.
        assert (sums >= classes["total"] * (1 - 1e-9))[classes["stored"] > 0].all()
        assert_allclose(sums, classes["total"], rtol=1e-9 if name in OF_CLASSES else np.inf)
        if name not in ("balanced", *OF_TARGETS):
            assert_allclose(classes["total"], 2.0 * np.bincount(y[:first], minlength=len(classes)))
        values(model, X)
        begun += 1
        more = slice(first, first + 20)
        learn(name, model, X[more], y[more])
    assert begun > 3 and has_joint_solution(model)


@pytest.mark.parametrize("name", [*OF_CLASSES, "lasvr"])
def test_optimum_of_the_weighted_problem(name):
    """Decision values are those of scikit-learn for the same samples and weights."""
    X, y = stream(name)
    model = learn(name, new(name, tol=1e-5), X, y, 90)
    assert has_joint_solution(model)
    vectors, encoded, cost, _ = joint_problem(model)
    params = dict(C=1.0, gamma=0.3, tol=1e-6, kernel=model.kernel)
    if name == "lasvr":
        other = SVR(**params, epsilon=model.epsilon).fit(vectors, encoded[:, 0], cost)
        expected = other.predict(X)
    elif getattr(model, "multi_class", "ovo") == "ovr" and len(model.classes_) > 2:
        expected = np.column_stack(
            [
                SVC(**params).fit(vectors, encoded == k, cost).decision_function(X)
                for k in range(len(model.classes_))
            ]
        )
    else:
        model.set_params(decision_function_shape="ovo")
        other = SVC(**params, decision_function_shape="ovo").fit(vectors, encoded, cost)
        expected = other.decision_function(X)
    has_bias = "lasvm-g" not in name  # which regularizes the bias
    if has_bias:
        # The tolerance of LASVR is a part of epsilon.
        assert_allclose(values(model, X), expected, atol=0.02 if name == "lasvr" else 2e-3)
    finished = learn(name, new(name, tol=1e-5), X, y, 90).finish()
    if name not in ("lasvr",):
        finished.set_params(decision_function_shape=model.decision_function_shape)
    assert_allclose(values(finished, X), values(model, X), atol=0.02 if name == "lasvr" else 2e-3)


@pytest.mark.sampled
@pytest.mark.parametrize("name", JOINT)
def test_continued_solution(name):
    """It stays close to one that is solved anew, and is so each time the stream has grown."""
    model, X, y, n = half(name)
    other = new(name).set_params(**model.get_params())
    learn(name, other, X[:n], y[:n], 60)
    for first in range(n, len(y), 30):
        more = slice(first, first + 30)
        for one in (model, other):
            learn(name, one, X[more], y[more])
        values(model, X)
    ours, theirs = values(model, X), values(other, X)
    scale = np.abs(theirs).mean()
    assert np.abs(ours - theirs).mean() < 0.15 * scale
    # finish() does not depend on predictions made before.
    for one in (model, other):
        one.finish()
    assert_array_equal(values(model, X), values(other, X))
    assert not has_joint_solution(model)  # that of finish is used
    assert_array_equal(model.support_, np.unique(model.support_))


def test_hard_margin():
    """Regression test: with C=inf, samples of the reservoir had no part in the solution."""
    model, X, *_ = half("hard")
    *_, row_ids = joint_problem(model)
    assert np.isin(reservoir_of(model).samples["row_id"], row_ids).all()
    assert np.isfinite(values(model, X)).all() and has_joint_solution(model)
    assert np.isfinite(model.dual_coef_).all() and np.isfinite(model.finish().dual_coef_).all()


@pytest.mark.parametrize("name", OF_TARGETS)
def test_new_ranges_of_targets(name):
    """Regression test: a solution was continued with sums over the former ranges."""
    X, y = stream(name)
    X, y = np.vstack([X, X]), np.concatenate([y, y])
    model, other = (learn(name, new(name), X[:1000], y[:1000], 60) for _ in range(2))
    assert has_joint_solution(model)
    values(model, X)
    for one in (model, other):
        learn(name, one, X[1000:1030], y[1000:1030])  # 1024: the ranges are divided again
    assert_array_equal(values(model, X), values(other, X))


def test_a_chunk_without_new_support_vectors():
    """Regression test: a prediction raised an error, as sums over no samples are integers."""
    model, X, _, _ = half("lasvm")
    values(model, X)
    reservoir, none = reservoir_of(model), np.zeros(0)
    known, sums = reservoir.samples["row_id"], reservoir.classes["total"]
    of_none = none.astype(np.int64), none.astype(np.int32), none
    places, more, cost, total = beside(model, *of_none, known, sums)
    assert len(places) == len(more) == len(cost) == 0
    assert_allclose(total, sums)
