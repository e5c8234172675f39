"""Sample and class weights; averaged, sparse and given weights of linear models."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csr_matrix

from tests.support.linear_models import (
    assert_same,
    dense,
    line,
    model_of,
    once,
    regressor,
    samples_of,
    train,
    with_both,
    with_dtypes,
    with_layouts,
    with_states,
)

# -- weights ----------------------------------------------------------------------------


def test_targets_of_any_type():
    X, y = line()
    y = np.round(5 * y)
    model = train(regressor(), X, y)
    for targets in (y.astype(np.float32), y.astype(np.int16), y[::-1][::-1]):
        assert_same(train(regressor(), X, targets, 70), model)
    other = regressor().partial_fit(X.tolist(), y.astype(int).tolist())
    assert_same(other, model)


# -- averages ---------------------------------------------------------------------------


def test_no_average():
    X, y = samples_of("binary")
    for average in (False, 0):
        assert_same(once("pa", average=average).fit(X, y), once("pa").fit(X, y))


# -- sparse weights, given weights ------------------------------------------------------


@pytest.mark.sampled
@with_states
@with_both
@with_layouts
@with_dtypes
def test_sparsify_and_densify(name, problem, layout, dtype):
    X, y = samples_of(problem, layout, dtype)
    model = train(model_of(name), X[:100], y[:100])
    other = copy.deepcopy(model)
    coef, decisions = model.coef_.copy(), model.decision_function(X)
    for _ in range(2):
        assert model.sparsify() is model
        assert sparse.issparse(model.coef_) and model.coef_.format == "csr"
        assert_array_equal(model.coef_.toarray(), coef)
        assert model.coef_.dtype == coef.dtype
        for samples in (X, dense(X), csr_matrix(X), X[:1]):
            expected = other.decision_function(samples)
            assert_allclose(model.decision_function(samples), expected, rtol=1e-5, atol=1e-5)
            assert type(model.decision_function(samples)) is np.ndarray
        assert_array_equal(model.predict(X), other.predict(X))
        assert model.t_ == 101 and model.n_updates_ == other.n_updates_
    restored = pickle.loads(pickle.dumps(model))
    assert sparse.issparse(restored.coef_)
    assert_allclose(restored.decision_function(X), decisions, rtol=1e-5, atol=1e-5)
    for way in (model, restored):
        assert way.densify() is way
        assert type(way.densify().coef_) is np.ndarray
        assert_same(way, other)
    # partial_fit converts them back.
    for way in (model.sparsify(), restored.sparsify()):
        assert_same(
            way.partial_fit(X[100:], y[100:]), copy.deepcopy(other).partial_fit(X[100:], y[100:])
        )
        assert type(way.coef_) is np.ndarray
    assert_same(model.sparsify().fit(X, y), model_of(name).fit(X, y))
    warm, other = (model_of(name, warm_start=True).fit(X, y) for _ in range(2))
    assert_same(warm.sparsify().fit(X, y), other.fit(X, y))


def test_sparse_weights_take_less_memory():
    X = csr_matrix((np.ones(50), (np.arange(50), np.arange(50))), shape=(50, 500_000))
    model = once("pa").fit(X, np.arange(50) % 2)
    decisions = model.decision_function(X)
    assert decisions.any() and len(pickle.dumps(model)) > 4e6
    assert len(pickle.dumps(model.sparsify())) < 1e5
    assert_allclose(model.decision_function(X), decisions, rtol=1e-12)


@pytest.mark.parametrize("name", ["pa", "arow", "arow-full"])
@with_layouts
def test_setting_weights(name, layout):
    X, y = samples_of("multiclass", layout)
    model = train(model_of(name), X, y)
    rng = np.random.default_rng(0)
    coef, intercept = rng.normal(size=(3, 4)), rng.normal(size=3)
    for given in (coef, coef.tolist(), csr_matrix(coef)):
        model.coef_ = np.zeros((3, 4))
        model.coef_, model.intercept_ = given, intercept
        decisions = dense(X @ coef.T) + intercept
        assert_allclose(model.decision_function(X), decisions, rtol=1e-12, atol=1e-12)
    model.coef_[:] = 0.0
    assert_array_equal(coef, np.random.default_rng(0).normal(size=(3, 4)))  # it is a copy
    model.coef_ = coef
    if name == "pa":
        expected = once("pa", shuffle=False).fit(X, y, coef_init=coef, intercept_init=intercept)
        assert_array_equal(model.partial_fit(X, y).coef_, expected.coef_)
    model.sparsify()
    model.coef_ = coef
    assert type(model.coef_) is np.ndarray
    assert_array_equal(model.coef_, coef)
    assert_array_equal(pickle.loads(pickle.dumps(model)).coef_, coef)


def test_setting_weights_of_a_regressor():
    X, y = line()
    model = train(regressor(), X, y)
    model.coef_, model.intercept_ = [1.0, 2.0, 3.0, 4.0], [5.0]
    assert_allclose(model.predict(X), X @ [1.0, 2.0, 3.0, 4.0] + 5.0, rtol=1e-12)


@with_both
def test_setting_invalid_weights(problem):
    X, y = samples_of(problem)
    model = train(model_of("pa"), X, y)
    coef = model.coef_.copy()
    for wrong in (np.zeros((2, 4)), np.zeros((len(coef), 5)), np.zeros((4, 3)), 0.0):
        with pytest.raises(ValueError, match=r"coef_ must have shape \(\d, 4\), got"):
            model.coef_ = wrong
    with pytest.raises(ValueError, match="coef_ must be finite"):
        model.coef_ = np.full(coef.shape, np.nan)
    with pytest.raises(ValueError, match="intercept_ must have shape"):
        model.intercept_ = np.zeros(7)
    assert_array_equal(model.coef_, coef)
    averaged = train(model_of("pa", average=True), X, y)
    with pytest.raises(ValueError, match="average"):
        averaged.coef_ = np.zeros(coef.shape)


@with_states
def test_a_refused_chunk_leaves_sparse_weights(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = model_of(name).fit(X, y).sparsify()
    before, huge = model.decision_function(X), X[:10].copy()
    huge[7] = 1e200
    with pytest.raises(ValueError, match="Row 7 of X has a squared norm"):
        model.partial_fit(csr_matrix(huge), y[:10])
    assert_array_equal(model.decision_function(X), before)
