"""Attributes, labels and scores of the linear models; millions of features."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import is_regressor
from sklearn.datasets import load_diabetes, load_digits
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    AROWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.internals import update_state
from tests.support.linear_models import (
    CLASSIFIERS,
    OF_NUMBERS,
    SECOND_ORDER,
    dense,
    line,
    model_of,
    once,
    regressor,
    samples_of,
    with_both,
    with_classifiers,
    with_dtypes,
    with_layouts,
)
from tests.support.samples import breast_cancer

# -- attributes -------------------------------------------------------------------------


@with_classifiers
@with_both
@with_layouts
@with_dtypes
def test_shapes_types_and_predictions(name, problem, layout, dtype):
    X, y = samples_of(problem, layout, dtype)
    model = model_of(name, max_iter=3, tol=None).fit(X, y)
    K = 1 if problem == "binary" else 3
    full = model.get_params().get("covariance") == "full"
    assert model.coef_.shape == (K, 4) and type(model.coef_) is np.ndarray
    assert model.coef_.dtype == (np.float64 if full else dtype)
    assert model.intercept_.shape == (K,) and model.intercept_.dtype == np.float64
    assert model.n_iter_ == 3 and model.t_ == 1 + 3 * 200
    assert 0 < model.n_updates_ <= 600
    assert model.n_features_in_ == 4
    assert_array_equal(model.classes_, np.unique(y))
    if name in SECOND_ORDER:
        assert model.covariance_.shape == ((K, 5, 5) if full else (K, 5))
        bare = model_of(name, fit_intercept=False).fit(X, y)
        assert bare.covariance_.shape == ((K, 4, 4) if full else (K, 4))
        assert_array_equal(bare.intercept_, 0.0)
    else:
        assert not hasattr(model, "covariance_") and not hasattr(model, "decision_variance")

    decisions = dense(X @ model.coef_.T) + model.intercept_
    assert_allclose(
        model.decision_function(X), decisions[:, 0] if K == 1 else decisions, rtol=1e-6, atol=1e-6
    )
    codes = (decisions[:, 0] > 0).astype(int) if K == 1 else decisions.argmax(axis=1)
    assert_array_equal(model.predict(X), model.classes_[codes])
    assert model.score(X, y) > 0.55


@with_layouts
@with_dtypes
@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("average", [False, True])
def test_regression(layout, dtype, loss, average):
    X, y = line(layout=layout, dtype=dtype)
    model = regressor(loss=loss, average=average, C=0.1, max_iter=5, tol=None).fit(X, y)
    assert is_regressor(model)
    assert model.coef_.shape == (4,) and model.coef_.dtype == dtype
    assert model.intercept_.shape == (1,)
    assert model.n_iter_ == 5 and model.t_ == 1001 and 0 < model.n_updates_ <= 1000
    assert_allclose(model.predict(X), X @ model.coef_ + model.intercept_, rtol=1e-5, atol=1e-5)
    assert model.predict(X).shape == (200,)
    # The targets are noisy, and each of the last samples changed the model by up to C.
    assert_allclose(model.coef_, [1.0, -2.0, 0.5, 0.0], atol=0.15)
    assert_allclose(model.intercept_, 0.7, atol=0.15)
    assert not hasattr(model, "classes_")


@with_classifiers
def test_without_an_intercept(name):
    binary = once(name, fit_intercept=False).fit(*samples_of("binary"))
    # A decision value of 0 means the first class.
    assert_array_equal(binary.predict(np.zeros((2, 4))), ["no", "no"])
    X, y = samples_of("multiclass")
    model = model_of(name, fit_intercept=False).fit(X, y)
    assert_array_equal(model.intercept_, 0.0)
    assert_array_equal(model.decision_function(np.zeros((1, 4))), np.zeros((1, 3)))
    model.partial_fit(X, y)
    assert_array_equal(model.intercept_, 0.0)


# -- how well ---------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name", [*CLASSIFIERS])
@pytest.mark.parametrize("data", ["breast cancer", "digits"])
def test_accuracy_compared_with_sgd_classifier(name, data):
    X, y = breast_cancer() if data == "breast cancer" else load_digits(return_X_y=True)
    X = X if data == "breast cancer" else X[:900] / 16
    y = y[: len(X)]
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    params = dict(max_iter=10, tol=None, **OF_NUMBERS.get(name, {}))
    if name.startswith(("pa", "cost")):
        params["C"] = 0.1
    gains = []
    for seed in range(3):
        ours, sgd = model_of(name, random_state=seed, **params), SGDClassifier(random_state=seed)
        ours, sgd = (model.fit(X, y).score(X_test, y_test) for model in (ours, sgd))
        gains.append(ours - sgd)
    # The last weights of a perceptron are noisy: the standard deviation over seeds is 0.02, and
    # the mean -0.03; of the others 0.01 and -0.015, on both data sets.
    assert np.mean(gains) > (-0.08 if name.startswith("perceptron") else -0.04)


def test_regression_compared_with_sgd_regressor():
    X, y = load_diabetes(return_X_y=True)
    y = (y - y.mean()) / y.std()
    X = StandardScaler().fit_transform(X)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    sgd = SGDRegressor(random_state=0).fit(X, y).score(X_test, y_test)
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        model = regressor(C=0.003, loss=loss, average=True, max_iter=30, tol=None).fit(X, y)
        assert model.score(X_test, y_test) > sgd - 0.05


# -- second order -----------------------------------------------------------------------


def test_full_covariance_larger_than_memory():
    X = csr_matrix((np.ones(3), np.arange(3), np.arange(4)), shape=(3, 2_000_000))
    for model in (AROWClassifier(covariance="full"), SecondOrderPerceptronClassifier()):
        with pytest.raises(ValueError, match="covariance='full' keeps .* use covariance='diag'"):
            model.fit(X, [0, 1, 0])


# -- millions of features -----------------------------------------------------------------

WIDE = 3_000_000


def wide_samples(n=300, per_row=40, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    columns = np.sort(rng.integers(0, WIDE, (n, per_row)), axis=1)
    values = rng.normal(size=n * per_row).astype(dtype)
    indptr = np.arange(0, n * per_row + 1, per_row)
    return csr_matrix((values, columns.ravel(), indptr), shape=(n, WIDE))


def peak_of(action):
    """Return the peak of additional memory in bytes."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["pa", "pa-joint", "perceptron", "cost", "arow", "cw"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_millions_of_features(name, n_classes):
    X = wide_samples(dtype=np.float32)
    y = np.random.default_rng(1).integers(0, n_classes, 300)
    K = 1 if n_classes == 2 else 3
    per_array = 4 * WIDE * K
    model = once(name, max_iter=3, **OF_NUMBERS.get(name, {}))
    n_arrays = 2 if name in SECOND_ORDER else 1
    # Training allocates only the arrays of the model.
    assert peak_of(lambda: model.fit(X, y)) < n_arrays * per_array + 1e6
    assert model.score(X, y) == 1.0
    touched = np.unique(X.indices)
    assert set(np.flatnonzero(model.coef_.any(axis=0))) <= set(touched)
    assert np.count_nonzero(model.coef_) > 1000
    if name in SECOND_ORDER:
        untouched = np.ones(WIDE, dtype=bool)
        untouched[touched] = False
        variances = update_state(model).arrays["variances"]
        assert (variances[:, untouched] == 1).all() and (variances < 1).any()
        del variances  # arrays in use would be copied

    one = wide_samples(1, dtype=np.float32, seed=2)
    before = model.coef_.copy(order="K")
    wrong = (model.predict(one) + 1) % n_classes
    assert peak_of(lambda: model.partial_fit(one, wrong)) < 1e5
    assert peak_of(lambda: model.decision_function(one)) < 1e5
    changed = np.flatnonzero((model.coef_ != before).any(axis=0))
    assert 0 < len(changed) <= 40 and set(changed) <= set(one.indices)


@with_both
def test_average_with_millions_of_features(problem):
    X = wide_samples(60)
    y = np.arange(60) % (2 if problem == "binary" else 3)
    model = once("pa", average=True, shuffle=False).fit(X, y)
    columns = np.unique(X.indices)
    narrow = once("pa", average=True, shuffle=False).fit(X[:, columns], y)
    assert_allclose(model.coef_[:, columns], narrow.coef_, rtol=1e-12)
    assert np.count_nonzero(model.coef_) == np.count_nonzero(narrow.coef_)
