"""The constant feature of the intercept in first-order linear models."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone, is_regressor
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron, SGDClassifier
from sklearn.model_selection import train_test_split

from sklearn_online_svm.linear import (
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
)

MODELS = [
    PassiveAggressiveClassifier(C=0.3),
    PassiveAggressiveClassifier(C=np.inf, loss="squared_hinge", average=True),
    PassiveAggressiveClassifier(multi_class="crammer_singer"),
    PassiveAggressiveRegressor(C=0.3),
    PerceptronClassifier(),
    CostSensitivePassiveAggressiveClassifier(),
]
for_models = pytest.mark.parametrize("model", MODELS, ids=str)


def samples(model, n=300, seed=0):
    X, y = make_classification(n, 6, n_informative=4, n_classes=3, random_state=seed)
    X[np.abs(X) < 0.5] = 0.0
    return X, X[:, 0] + 0.5 if is_regressor(model) else y


def learn(model, X, y, **params):
    model = clone(model).set_params(**params)
    return model.partial_fit(X, y, **({} if is_regressor(model) else {"classes": [0, 1, 2]}))


def with_constant(X, s):
    column = np.full((X.shape[0], 1), s)
    return sparse.hstack([X, column]).tocsr() if sparse.issparse(X) else np.hstack([X, column])


@for_models
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("s", [0.1, 1.0, 3.0])
def test_the_intercept_is_a_constant_feature(model, kind, s):
    X, y = samples(model)
    X = kind(X)
    one = learn(model, X, y, intercept_scaling=s)
    other = learn(model, with_constant(X, s), y, fit_intercept=False)
    coef = np.atleast_2d(other.coef_)
    assert_allclose(np.atleast_2d(one.coef_), coef[:, :-1], rtol=1e-9, atol=1e-12)
    assert_allclose(one.intercept_, s * coef[:, -1], rtol=1e-9, atol=1e-12)
    assert one.n_updates_ == other.n_updates_ > 10


@for_models
def test_auto_is_1_for_dense_and_01_for_sparse_samples(model):
    X, y = samples(model)
    stored = sparse.csr_matrix(X)
    dense, thin = learn(model, X, y), learn(model, stored, y)
    assert_array_equal(dense.coef_, learn(model, X, y, intercept_scaling=1.0).coef_)
    assert_array_equal(thin.coef_, learn(model, stored, y, intercept_scaling=0.1).coef_)
    assert np.abs(dense.intercept_ - thin.intercept_).max() > 1e-3
    # A stream that changes from dense to sparse samples, or from sparse to dense.
    for first, then, kinds in ((X, stored, (1.0, 0.1)), (stored, X, (0.1, 1.0))):
        turning = learn(model, first[:100], y[:100]).partial_fit(then[100:], y[100:])
        given = learn(model, first[:100], y[:100], intercept_scaling=kinds[0])
        given.set_params(intercept_scaling=kinds[1]).partial_fit(then[100:], y[100:])
        assert_array_equal(turning.coef_, given.coef_)
        assert_array_equal(turning.intercept_, given.intercept_)


@pytest.mark.parametrize("s", [0.01, 0.5, 10.0])
def test_hard_margin_step_is_minimal(s):
    x, hard = np.array([[1.0, -2.0]]), PassiveAggressiveClassifier(C=np.inf, intercept_scaling=s)
    hard.partial_fit(x, [1], classes=[0, 1])
    assert_allclose(hard.decision_function(x), 1.0)
    # The smallest |w|^2 + (b / s)^2 with w.x + b = 1.
    tau = 1 / (5 + s**2)
    assert_allclose(hard.coef_, tau * x)
    assert_allclose(hard.intercept_, tau * s**2)


def test_perceptron_of_scikit_learn_on_sparse_samples():
    """Its intercept changes by 0.01 per step for sparse samples."""
    X, y = samples(MODELS[0])
    options = dict(shuffle=False, max_iter=3, tol=None)
    for kind in (np.asarray, sparse.csr_matrix):
        ours = PerceptronClassifier(**options).fit(kind(X), y)
        theirs = Perceptron(**options).fit(kind(X), y)
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)
        assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("s", [1e-100, 1e100])
def test_extreme_scalings_give_finite_models(s):
    X, y = samples(MODELS[0])
    for model in MODELS:
        target = X[:, 0] if is_regressor(model) else y
        for kind in (np.asarray, sparse.csr_matrix):
            fitted = learn(model, kind(X), target, intercept_scaling=s)
            assert np.isfinite(fitted.coef_).all() and np.isfinite(fitted.intercept_).all()


def sgd(seed):
    return SGDClassifier(
        loss="hinge",
        penalty=None,
        learning_rate="pa1",
        eta0=1.0,
        max_iter=1,
        tol=None,
        random_state=seed,
    )


@pytest.mark.slow
def test_error_on_newsgroups_compared_with_scikit_learn(paper_data):
    data = paper_data("newsgroups20")
    X, y = sparse.vstack([data.X_train, data.X_test]).tocsr(), np.r_[data.y_train, data.y_test]
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    error = {}
    for name, make in (
        ("ours", lambda s: PassiveAggressiveClassifier(max_iter=1, tol=None, random_state=s)),
        ("theirs", sgd),
    ):
        error[name] = np.mean([1 - make(s).fit(X, y).score(X_test, y_test) for s in range(3)])
    assert error["ours"] < error["theirs"] + 0.003
