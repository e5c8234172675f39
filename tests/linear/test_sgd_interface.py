"""What scikit-learn's own tests of SGDClassifier check of its interface, for the classifiers here.

The tests are grouped as in ``sklearn/linear_model/tests/test_sgd.py``. Those of losses, penalties
and learning rates have no counterpart.
"""

import pickle
import warnings

import joblib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import RandomizedSearchCV, StratifiedShuffleSplit
from sklearn.preprocessing import MinMaxScaler, scale

from tests.support import ROOT
from tests.support.linear_models import (
    CLASSIFIERS,
    FIRST_ORDER,
    OF_NUMBERS,
    assert_same,
    dense,
    model_of,
    once,
    samples_of,
    with_averaging,
    with_both,
    with_classifiers,
    with_dtypes,
    with_layouts,
)

FORMATS = {
    "list": lambda X: X.tolist(),
    "fortran": np.asfortranarray,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "csc": sparse.csc_matrix,
    "triplets": sparse.coo_matrix,
    "csr_array": sparse.csr_array,
    "64-bit indices": lambda X: _with_long_indices(sparse.csr_matrix(X)),
}
# A weight other than 0 has no effect on them.
HARD = ("cw", "cw-full")
# Their first step does not depend on an earlier covariance or on class counts.
WITHOUT_MEMORY = [name for name in FIRST_ORDER if not name.startswith("cost")]


def _with_long_indices(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def iris():
    """Samples of three classes, two of which overlap."""
    X, y = load_iris(return_X_y=True)
    return scale(X), y


def numbered(name, **params):
    """A model for labels that are numbers."""
    return model_of(name, **{**OF_NUMBERS.get(name, {}), **params})


@pytest.mark.parametrize("keyword", SGDClassifier().get_params())
def test_every_parameter_of_sgd_classifier_is_on_the_page(keyword):
    page = (ROOT / "doc" / "migrating_from_sgd.rst").read_text()
    section = page.split("\nParameters\n", 1)[1].split("\nMethods and attributes\n", 1)[0]
    assert f"``{keyword}``" in section


# -- common to classification and regression ------------------------------------------------------


@with_layouts
@pytest.mark.parametrize("name", WITHOUT_MEMORY)
def test_explicit_and_implicit_warm_start(name, layout):
    X, y = samples_of("multiclass", layout)
    first = once(name, shuffle=False).fit(X, y)
    explicit = once(name, shuffle=False, intercept_scaling=0.5)
    explicit.fit(X, y, coef_init=first.coef_.copy(), intercept_init=first.intercept_.copy())
    implicit = once(name, shuffle=False, warm_start=True).fit(X, y)
    assert_same(first, implicit)
    implicit.set_params(intercept_scaling=0.5).fit(X, y)
    assert implicit.t_ == explicit.t_
    assert_allclose(implicit.coef_, explicit.coef_, rtol=1e-12, atol=1e-12)
    assert_allclose(implicit.intercept_, explicit.intercept_, rtol=1e-12, atol=1e-12)
    assert not np.allclose(implicit.coef_, first.coef_)


@pytest.mark.sampled
@with_both
@with_classifiers
@pytest.mark.parametrize("form", FORMATS)
def test_input_formats(name, problem, form):
    """The model is that of C-contiguous or of CSR samples."""
    X, y = samples_of(problem)
    same = FORMATS[form](X)
    expected = once(name).fit(sparse.csr_matrix(X) if sparse.issparse(same) else X, y)
    found = once(name).fit(same, y)
    assert_same(found, expected)
    assert_array_equal(found.predict(same), expected.predict(X))
    assert_same(once(name).fit(same, y.tolist()), expected)


@with_classifiers
def test_labels_have_one_dimension(name):
    X, y = samples_of("binary")
    with pytest.raises(ValueError, match="y should be a 1d array"):
        model_of(name).fit(X, np.c_[y, y])
    with pytest.warns(DataConversionWarning, match="column-vector y was passed"):
        column = once(name).fit(X, y[:, None])
    assert_same(column, once(name).fit(X, y))


@with_both
@with_classifiers
def test_clone(name, problem):
    X, y = samples_of(problem)
    fitted = once(name).fit(X, y)
    copy = clone(fitted)
    assert not hasattr(copy, "coef_")
    assert copy.get_params() == fitted.get_params()
    assert_same(
        copy.set_params(fit_intercept=False).fit(X, y), once(name, fit_intercept=False).fit(X, y)
    )
    assert not np.array_equal(copy.coef_, fitted.coef_)


@with_averaging
def test_averaging_that_begins_later(name):
    """average=n is the mean of the weights after sample n, n + 1, ..."""
    X, y = samples_of("multiclass", n=60)
    classes = np.unique(y)
    plain, never = model_of(name), model_of(name, average=1000)
    late = model_of(name, average=21)
    weights = []
    for i in range(len(y)):
        plain.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes)
        weights.append(np.c_[plain.coef_, plain.intercept_])
    for model in (never, late):
        model.partial_fit(X, y, classes=classes)
    assert_array_equal(never.coef_, plain.coef_)
    assert_array_equal(never.intercept_, plain.intercept_)
    expected = np.mean(weights[20:], axis=0)
    assert_allclose(np.c_[late.coef_, late.intercept_], expected, rtol=1e-10, atol=1e-12)


@with_classifiers
@pytest.mark.parametrize("early_stopping", [False, True])
def test_training_stops_before_max_iter(name, early_stopping):
    X, y = iris()
    options = dict(early_stopping=early_stopping, max_iter=2000)
    n_iter = [
        numbered(name, n_iter_no_change=n, tol=1e-3, **options).fit(X, y).n_iter_
        for n in (2, 5, 20)
    ]
    # The order of the samples is the same: a larger number can only stop later.
    assert n_iter == sorted(n_iter)
    assert n_iter[0] < n_iter[-1] < 2000


@with_classifiers
def test_validation_samples_are_not_used_for_training(name):
    X, y = iris()
    options = dict(max_iter=7, tol=None, shuffle=False)
    stopped = numbered(name, early_stopping=True, validation_fraction=0.4, **options).fit(X, y)
    assert stopped.n_iter_ == 7
    splitter = StratifiedShuffleSplit(test_size=0.4, random_state=np.random.RandomState(0))
    kept = np.sort(next(splitter.split(X, y))[0])
    assert_same(stopped, numbered(name, **options).fit(X[kept], y[kept]))
    assert stopped.t_ == 1 + 7 * len(kept)


@with_classifiers
def test_too_few_samples_for_early_stopping(name):
    X, y = samples_of("binary", n=8)
    with pytest.raises(ValueError):
        model_of(name, early_stopping=True, validation_fraction=0.99).fit(X, y)


@with_classifiers
def test_early_stopping_with_partial_fit(name):
    X, y = samples_of("binary")
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        model_of(name, early_stopping=True).partial_fit(X, y, classes=["no", "yes"])


# -- initial weights ------------------------------------------------------------------------------


@with_both
@with_classifiers
def test_initial_weights(name, problem):
    X, y = samples_of(problem)
    n_problems = 1 if problem == "binary" else 3
    options = dict(coef_init=np.zeros((n_problems, 4)), intercept_init=np.zeros(n_problems))
    assert_same(once(name).fit(X, y, **options), once(name).fit(X, y))
    trained = once(name).fit(X, y)
    again = once(name).fit(X, y, intercept_init=trained.intercept_)
    assert not np.array_equal(again.intercept_, trained.intercept_)
    for wrong in (np.zeros(3), np.zeros((2, 2)), np.zeros((n_problems, 5))):
        with pytest.raises(ValueError, match="coef_init must have shape"):
            once(name).fit(X, y, coef_init=wrong)
    for wrong in (np.zeros(n_problems + 1), np.zeros((2, 2))):
        with pytest.raises(ValueError, match="intercept_init must have shape"):
            once(name).fit(X, y, intercept_init=wrong)


@with_classifiers
def test_initial_intercept_of_two_classes_may_be_a_number(name):
    X, y = samples_of("binary")
    number = once(name).fit(X, y, intercept_init=0.7)
    assert_same(number, once(name).fit(X, y, intercept_init=[0.7]))
    assert not np.array_equal(number.intercept_, once(name).fit(X, y).intercept_)


# -- classes --------------------------------------------------------------------------------------


@with_classifiers
def test_at_least_two_classes(name):
    X, _ = samples_of("binary")
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        numbered(name).fit(X, np.ones(len(X)))


@with_layouts
@with_both
@with_classifiers
def test_shapes_of_a_stream(name, problem, layout):
    """Labels are strings or numbers; the first chunk has samples of one class only."""
    X, y = samples_of(problem, layout)
    classes = np.unique(y)
    n_problems = 1 if problem == "binary" else 3
    model = model_of(name).partial_fit(X[:1], y[:1], classes=classes)
    for _ in range(2):
        assert model.coef_.shape == (n_problems, 4)
        assert model.intercept_.shape == (n_problems,)
        assert_array_equal(model.classes_, classes)
        values = model.decision_function(X)
        assert values.shape == ((len(y),) if problem == "binary" else (len(y), 3))
        exact = X @ model.coef_.T + model.intercept_
        assert_allclose(values.reshape(len(y), -1), exact, rtol=1e-10, atol=1e-12)
        codes = values > 0 if problem == "binary" else values.argmax(axis=1)
        assert_array_equal(model.predict(X), classes[codes.astype(int)])
        model.partial_fit(X[1:], y[1:])
    assert model.score(X, y) > np.mean(y == y[0])


@with_classifiers
def test_first_partial_fit_needs_classes(name):
    X, y = samples_of("binary")
    model = model_of(name)
    with pytest.raises(ValueError, match="classes must be passed on the first call"):
        model.partial_fit(X, y)
    assert not hasattr(model, "classes_")
    model.partial_fit(X, y, classes=["no", "yes"])
    with pytest.raises(ValueError, match="not the same as on last call to partial_fit"):
        model.partial_fit(X, y, classes=["no", "maybe"])
    with pytest.raises(ValueError, match="not among the classes"):
        model.partial_fit(X[:1], ["maybe"])


@with_layouts
@with_classifiers
def test_number_of_features_does_not_change(name, layout):
    X, y = samples_of("binary", layout)
    model = model_of(name).partial_fit(X, y, classes=["no", "yes"])
    for call in (model.predict, model.decision_function, lambda Z: model.partial_fit(Z, y)):
        with pytest.raises(ValueError, match="X has 3 features, but .* is expecting 4"):
            call(X[:, :3])


@with_both
@with_classifiers
def test_partial_fit_after_fit_is_another_epoch(name, problem):
    X, y = samples_of(problem)
    continued = once(name, shuffle=False).fit(X, y).partial_fit(X, y)
    whole = once(name, shuffle=False, max_iter=2).fit(X, y)
    assert_same(continued, whole)
    stream = model_of(name)
    for _ in range(2):
        stream.partial_fit(X, y, classes=np.unique(y))
    assert_same(stream, whole)


@with_classifiers
def test_fit_again_with_other_labels_and_features(name):
    X, y = samples_of("multiclass")
    model = once(name).fit(X, y)
    words = np.where(y == 10, "no", "yes")
    assert_same(model.fit(X[:, :3], words), once(name).fit(X[:, :3], words))
    assert model.n_features_in_ == 3
    assert_array_equal(model.classes_, ["no", "yes"])


@with_classifiers
def test_no_probabilities(name):
    """As SGDClassifier with the hinge loss."""
    X, y = samples_of("binary")
    model = once(name).fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")


# -- weights --------------------------------------------------------------------------------------


@with_classifiers
def test_a_small_class_weight_moves_the_boundary(name):
    X, y = samples_of("binary")
    shares = []
    for weight in (None, {"no": 1e-3} if name not in HARD else {"no": 0.0}):
        model = model_of(name, class_weight=weight, max_iter=20, tol=None).fit(X, y)
        shares.append(np.mean(model.predict(X) == "no"))
    assert shares[1] < shares[0] - 0.1


@with_both
@with_classifiers
def test_class_weights_of_1_are_none(name, problem):
    X, y = samples_of(problem)
    expected = once(name).fit(X, y)
    ones = dict.fromkeys(np.unique(y).tolist(), 1.0)
    assert_same(once(name, class_weight=ones).fit(X, y), expected)
    assert_same(once(name).fit(X, y, sample_weight=np.ones(len(y))), expected)


@with_classifiers
def test_invalid_class_weights(name):
    X, y = samples_of("binary")
    for wrong in ("equal", 0.5, [0.5, 0.5]):
        with pytest.raises(ValueError, match="The 'class_weight' parameter of"):
            model_of(name, class_weight=wrong).fit(X, y)
    with pytest.raises(ValueError, match="class_weight has no label"):
        model_of(name, class_weight={"maybe": 0.5}).fit(X, y)
    with pytest.raises(ValueError, match="class_weight.*'balanced' is not supported"):
        model_of(name, class_weight="balanced").partial_fit(X, y, classes=["no", "yes"])


@with_both
@with_classifiers
def test_class_weights_multiply_sample_weights(name, problem):
    X, y = samples_of(problem)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    class_weight = {label: 0.3 + i for i, label in enumerate(np.unique(y).tolist())}
    product = weight * np.array([class_weight[label] for label in y.tolist()])
    found = once(name, class_weight=class_weight).fit(X, y, sample_weight=weight)
    assert_same(found, once(name).fit(X, y, sample_weight=product), rtol=1e-9, atol=1e-9)
    unweighted = once(name).fit(X, y)
    assert np.array_equal(found.coef_, unweighted.coef_) == (name in HARD)


@with_classifiers
def test_balanced_class_weight(name):
    """No effect on balanced classes; otherwise n / (n_classes * n_c) for each class."""
    X, y = iris()
    plain, balanced = (
        once(name, class_weight=w, **OF_NUMBERS.get(name, {})) for w in (None, "balanced")
    )
    assert_same(balanced.fit(X, y), plain.fit(X, y))
    many = np.r_[np.arange(len(y)), np.tile(np.flatnonzero(y == 1), 10)]
    X, y = X[many], y[many]
    expected = dict(enumerate(len(y) / (3 * np.bincount(y))))
    weighted = clone(plain).set_params(class_weight=expected).fit(X, y)
    assert_same(balanced.fit(X, y), weighted)
    assert np.array_equal(weighted.coef_, plain.fit(X, y).coef_) == (name in HARD)


@with_layouts
@with_both
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "pa-average"])
def test_samples_of_weight_0_are_left_out(name, problem, layout):
    """An average counts them, as in SGDClassifier."""
    X, y = samples_of(problem, layout)
    weight = np.random.default_rng(0).choice([0.0, 1.0], len(y))
    kept = weight > 0
    found = once(name, shuffle=False).fit(X, y, sample_weight=weight)
    expected = once(name, shuffle=False).fit(X[kept], y[kept])
    assert_array_equal(dense(found.coef_), dense(expected.coef_))
    assert_array_equal(found.intercept_, expected.intercept_)
    assert found.n_updates_ == expected.n_updates_ > 0


@with_classifiers
def test_invalid_sample_weights(name):
    X, y = samples_of("binary")
    for wrong in (np.ones(len(y) + 1), np.ones((len(y), 2)), np.zeros(len(y)), -np.ones(len(y))):
        with pytest.raises(ValueError, match="(?i)sample.?weight"):
            model_of(name).fit(X, y, sample_weight=wrong)


# -- numbers --------------------------------------------------------------------------------------


@with_classifiers
def test_underflow_or_overflow(name):
    """Scaled samples are no problem; otherwise the message says what to do."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 10))
    X[:, :2] *= 1e300
    scaled = MinMaxScaler().fit_transform(X)
    y = np.where(scaled @ rng.normal(size=10) > 0.0, "yes", "no")
    assert len(set(y)) == 2
    with np.errstate(all="raise"):
        model = once(name).fit(scaled, y)
        assert np.isfinite(model.coef_).all()
        with pytest.raises(ValueError, match="squared norm that is too large.*scale the features"):
            model.fit(X, y)
    # The model is as before.
    assert_same(model, once(name).fit(scaled, y))


REGULARIZED = {
    "pa": dict(C=1e-9),
    "pa2": dict(C=1e-9),
    "pa-joint": dict(C=1e-9),
    "pa-average": dict(C=1e-9),
    "cost": dict(C=1e-9),
    "arow": dict(r=1e9),
    "arow-full": dict(r=1e9),
    "scw": dict(C=1e-9),
    "scw2-full": dict(C=1e-9),
}


@pytest.mark.parametrize("name", REGULARIZED)
def test_large_regularization(name):
    X, y = iris()
    model = numbered(name, max_iter=6, tol=None, **REGULARIZED[name])
    with np.errstate(all="raise"):
        model.fit(X, y)
    assert 0 < np.abs(model.coef_).max() < 1e-5


@with_classifiers
def test_tol(name):
    X, y = iris()
    y = (y == 1).astype(int)
    assert numbered(name, tol=None, max_iter=42).fit(X, y).n_iter_ == 42
    exact, coarse = (
        numbered(name, tol=tol, max_iter=2000).fit(X, y).n_iter_ for tol in (0.0, 0.1)
    )
    assert 2000 > exact >= coarse > 3
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = numbered(name, tol=1e-3, max_iter=3).fit(X, y)
    assert model.n_iter_ == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbered(name, tol=None, max_iter=3).fit(X, y)


@with_both
@with_classifiers
def test_random_state(name, problem):
    X, y = samples_of(problem)
    first, again, other = (once(name, random_state=seed).fit(X, y) for seed in (0, 0, 1))
    assert_same(first, again)
    assert not np.allclose(first.coef_, other.coef_)


@with_layouts
@with_dtypes
@with_classifiers
def test_dtype_of_the_weights(name, dtype, layout):
    X, y = samples_of("binary", layout, dtype)
    model = once(name).fit(X, y)
    full = model.get_params().get("covariance") == "full"
    assert model.coef_.dtype == (np.float64 if full else dtype)


@with_classifiers
def test_float32_and_float64(name):
    """The values of the samples are the same in both."""
    X, y = samples_of("multiclass", dtype=np.float32)
    single, double = (
        once(name, shuffle=False).fit(X.astype(dtype), y) for dtype in (np.float32, np.float64)
    )
    assert_allclose(single.coef_, double.coef_, rtol=1e-3, atol=1e-3)


# -- sparse weights, threads ----------------------------------------------------------------------


def copy_of(model):
    return pickle.loads(pickle.dumps(model))


@with_both
@with_classifiers
def test_sparsify(name, problem):
    X, y = samples_of(problem)
    model = once(name).fit(X, y)
    before, values = model.coef_.copy(), model.decision_function(X)
    model.sparsify()
    for copy in (model, copy_of(model)):
        assert sparse.issparse(copy.coef_)
        assert_allclose(copy.decision_function(X), values, rtol=1e-12, atol=1e-12)
    # Also back, explicitly or by training.
    assert_array_equal(copy_of(model).densify().coef_, before)
    assert_same(model.partial_fit(X, y), once(name).fit(X, y).partial_fit(X, y))
    assert not sparse.issparse(model.coef_)


@with_classifiers
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_n_jobs_has_no_effect(name, backend):
    X, y = samples_of("multiclass", "csr")
    with joblib.parallel_backend(backend):
        found = once(name, n_jobs=2).fit(X, y)
    assert_same(found, once(name).fit(X, y))


@with_classifiers
def test_search_with_early_stopping(name):
    X, y = iris()
    grid = {"n_iter_no_change": [3, 5, 10], "tol": [1e-3, 1e-2]}
    search = RandomizedSearchCV(
        numbered(name, early_stopping=True), grid, n_iter=3, random_state=0
    )
    assert search.fit(X, y).best_score_ > 0.75
