"""Weights of rows and classes; averaged, sparse and given weights of linear models."""

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_regressor

from sklearn_online_svm import (
    ConfidenceWeightedClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)
from tests.support.linear_models import (
    assert_same,
    dense,
    learn,
    line,
    model_of,
    once,
    regressor,
    rows_of,
    with_averaging,
    with_both,
    with_dtypes,
    with_layouts,
    with_states,
)

# -- weights ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pa", "pa2", "pa-joint", "cost", "cost-joint", "scw"])
@with_both
def test_a_weight_is_a_factor_of_c(name, problem):
    X, y = rows_of(problem)
    c = 0.05
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 200)
    doubled = once(name, C=c).fit(X, y, np.full(200, 2.0))
    assert_same(doubled, once(name, C=2 * c).fit(X, y))
    assert_same(once(name, C=c).fit(X, y, 2 * weight), once(name, C=2 * c).fit(X, y, weight))
    assert_same(once(name, C=c).fit(X, y, np.ones(200)), once(name, C=c).fit(X, y))
    assert (doubled.coef_ != once(name, C=c).fit(X, y).coef_).any()


def test_a_weight_divides_r_of_arow_and_multiplies_steps_of_perceptrons():
    X, y = rows_of("binary")
    two = np.full(200, 2.0)
    assert_same(once("arow", r=4.0).fit(X, y, two), once("arow", r=2.0).fit(X, y), rtol=1e-12)
    # Steps twice as long, nothing else: the signs are the same.
    plain = PerceptronClassifier(max_iter=1, tol=None, random_state=0).fit(X, y)
    heavy = clone(plain).fit(X, y, two)
    assert_array_equal(heavy.coef_, 2 * plain.coef_)
    # A hard margin is a hard margin.
    for hard in (PassiveAggressiveClassifier(C=np.inf), ConfidenceWeightedClassifier()):
        hard.set_params(max_iter=1, tol=None, random_state=0)
        assert_same(clone(hard).fit(X, y, two), clone(hard).fit(X, y))


def test_targets_of_any_type():
    X, y = line()
    y = np.round(5 * y)
    model = learn(regressor(), X, y)
    for targets in (y.astype(np.float32), y.astype(np.int16), y[::-1][::-1]):
        assert_same(learn(regressor(), X, targets, 70), model)
    other = regressor().partial_fit(X.tolist(), y.astype(int).tolist())
    assert_same(other, model)


def test_weights_of_regression():
    X, y = line()
    one = regressor(C=0.02, max_iter=1, tol=None)
    assert_same(clone(one).fit(X, y, np.full(200, 2.0)), clone(one).set_params(C=0.04).fit(X, y))
    weight = np.random.default_rng(0).choice([0.0, 1.0], 200)
    kept = np.flatnonzero(weight)
    model, short = regressor().partial_fit(X, y, weight), regressor().partial_fit(X[kept], y[kept])
    assert_array_equal(model.coef_, short.coef_)


# -- averages ---------------------------------------------------------------------------


def states_of(model, X, y):
    """Weights and intercepts after each row."""
    states = []
    first_call = {} if is_regressor(model) else {"classes": np.unique(y)}
    for i in range(X.shape[0]):
        model.partial_fit(X[i : i + 1], y[i : i + 1], **first_call)
        states.append(np.column_stack([np.atleast_2d(model.coef_), model.intercept_]))
    return np.array(states)


@with_averaging
@with_both
@with_layouts
@with_dtypes
@pytest.mark.parametrize("average", [True, 1, 2, 70])
def test_averages_are_means_of_the_states(name, problem, layout, dtype, average):
    X, y = rows_of(problem, layout, dtype, n=90)
    states = states_of(model_of(name), X, y).astype(np.float64)
    model = model_of(name, average=average)
    begin = 0 if average is True else average - 1
    tolerance = 1e-4 if dtype == np.float32 else 1e-12
    for first in range(0, 90, 30):
        part = slice(first, first + 30)
        model.partial_fit(X[part], y[part], classes=np.unique(y))
        n = first + 30
        # Before the average begins, the newest weights predict.
        mean = states[begin:n].mean(axis=0) if n > begin else states[n - 1]
        assert_allclose(model.coef_, mean[:, :-1], rtol=tolerance, atol=tolerance)
        assert_allclose(model.intercept_, mean[:, -1], rtol=tolerance, atol=tolerance)
        decisions = dense(X @ model.coef_.T) + model.intercept_
        assert_allclose(
            model.decision_function(X).reshape(90, -1), decisions, rtol=1e-5, atol=1e-5
        )


def test_averages_over_several_passes():
    X, y = rows_of("multiclass", n=60)
    thrice = (np.tile(X, (3, 1)), np.tile(y, 3))
    mean = states_of(model_of("pa"), *thrice)[9:].mean(axis=0)
    params = dict(average=10, max_iter=3, tol=None, shuffle=False)
    model = model_of("pa", **params).fit(X, y)
    assert_allclose(model.coef_, mean[:, :-1], rtol=1e-12)
    assert_allclose(model.intercept_, mean[:, -1], rtol=1e-12)


def test_averages_of_regression():
    X, y = line(90)
    mean = states_of(regressor(), X, y).mean(axis=0)[0]
    model = regressor(average=True).partial_fit(X, y)
    assert_allclose(model.coef_, mean[:-1], rtol=1e-12)
    assert_allclose(model.intercept_, mean[-1:], rtol=1e-12)


def test_an_average_counts_rows_of_weight_zero():
    X, y = rows_of("binary")
    weight = np.random.default_rng(0).choice([0.0, 1.0], 200)
    plain, states = model_of("pa"), []
    for i in range(200):
        part = slice(i, i + 1)
        plain.partial_fit(X[part], y[part], classes=["no", "yes"], sample_weight=weight[part])
        states.append(plain.coef_[0].copy())
    model = model_of("pa", average=True)
    model.partial_fit(X, y, classes=["no", "yes"], sample_weight=weight)
    assert_allclose(model.coef_[0], np.mean(states, axis=0), rtol=1e-12)


def test_no_average():
    X, y = rows_of("binary")
    for average in (False, 0):
        assert_same(once("pa", average=average).fit(X, y), once("pa").fit(X, y))


# -- sparse weights, given weights ------------------------------------------------------


@with_states
@with_both
@with_layouts
@with_dtypes
def test_sparsify_and_densify(name, problem, layout, dtype):
    X, y = rows_of(problem, layout, dtype)
    model = learn(model_of(name), X[:100], y[:100])
    other = copy.deepcopy(model)
    coef, decisions = model.coef_.copy(), model.decision_function(X)
    for _ in range(2):
        assert model.sparsify() is model
        assert sparse.issparse(model.coef_) and model.coef_.format == "csr"
        assert_array_equal(model.coef_.toarray(), coef)
        assert model.coef_.dtype == coef.dtype
        for rows in (X, dense(X), csr_matrix(X), X[:1]):
            expected = other.decision_function(rows)
            assert_allclose(model.decision_function(rows), expected, rtol=1e-5, atol=1e-5)
            assert type(model.decision_function(rows)) is np.ndarray
        assert_array_equal(model.predict(X), other.predict(X))
        assert model.t_ == 101 and model.n_updates_ == other.n_updates_
    restored = pickle.loads(pickle.dumps(model))
    assert sparse.issparse(restored.coef_)
    assert_allclose(restored.decision_function(X), decisions, rtol=1e-5, atol=1e-5)
    for way in (model, restored):
        assert way.densify() is way
        assert type(way.densify().coef_) is np.ndarray
        assert_same(way, other)
    # Learning makes them dense by itself.
    for way in (model.sparsify(), restored.sparsify()):
        assert_same(
            way.partial_fit(X[100:], y[100:]), copy.deepcopy(other).partial_fit(X[100:], y[100:])
        )
        assert type(way.coef_) is np.ndarray
    assert_same(model.sparsify().fit(X, y), model_of(name).fit(X, y))


@with_layouts
def test_sparsify_a_regressor(layout):
    X, y = line(layout=layout)
    model = learn(regressor(), X, y)
    expected = model.predict(X)
    model.sparsify()
    assert sparse.issparse(model.coef_)
    assert_allclose(model.predict(X), expected, rtol=1e-12)
    assert_same(model.partial_fit(X, y), learn(learn(regressor(), X, y), X, y))
    assert model.coef_.shape == (4,)


def test_sparse_weights_take_less_memory():
    X = csr_matrix((np.ones(50), (np.arange(50), np.arange(50))), shape=(50, 500_000))
    model = once("pa").fit(X, np.arange(50) % 2)
    decisions = model.decision_function(X)
    assert decisions.any() and len(pickle.dumps(model)) > 4e6
    assert len(pickle.dumps(model.sparsify())) < 1e5
    assert_allclose(model.decision_function(X), decisions, rtol=1e-12)


@pytest.mark.parametrize("name", ["pa", "arow", "arow-full"])
@with_layouts
def test_weights_can_be_given(name, layout):
    X, y = rows_of("multiclass", layout)
    model = learn(model_of(name), X, y)
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


def test_weights_of_a_regressor_can_be_given():
    X, y = line()
    model = learn(regressor(), X, y)
    model.coef_, model.intercept_ = [1.0, 2.0, 3.0, 4.0], [5.0]
    assert_allclose(model.predict(X), X @ [1.0, 2.0, 3.0, 4.0] + 5.0, rtol=1e-12)


@with_both
def test_wrong_weights_are_refused(problem):
    X, y = rows_of(problem)
    model = learn(model_of("pa"), X, y)
    coef = model.coef_.copy()
    for wrong in (np.zeros((2, 4)), np.zeros((len(coef), 5)), np.zeros((4, 3)), 0.0):
        with pytest.raises(ValueError, match=r"coef_ must have shape \(\d, 4\), got"):
            model.coef_ = wrong
    with pytest.raises(ValueError, match="coef_ must be finite"):
        model.coef_ = np.full(coef.shape, np.nan)
    with pytest.raises(ValueError, match="intercept_ must have shape"):
        model.intercept_ = np.zeros(7)
    assert_array_equal(model.coef_, coef)
    averaged = learn(model_of("pa", average=True), X, y)
    with pytest.raises(ValueError, match="average"):
        averaged.coef_ = np.zeros(coef.shape)
