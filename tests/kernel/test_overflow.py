"""Overflow: an error names the cause, and the model is left unchanged."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from sklearn_online_svm import (
    LASVC,
    LASVR,
    AROWClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    RampSVC,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.samples import ALGORITHMS, LAYOUTS, two_classes

CLASSES = ["no", "yes"]
KERNELS = ("linear", "poly", "rbf", "sigmoid")
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


@pytest.fixture(autouse=True)
def no_warnings():
    """Fail on RuntimeWarnings of NumPy, except those of the check for overflow."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.filterwarnings(
            "ignore", "(overflow|invalid value) encountered in (reduce|matmul)"
        )
        yield


def scaled(factor, dtype=np.float64, layout="dense"):
    X, y = two_classes()
    return LAYOUTS[layout]((X * factor).astype(dtype)), y


# -- samples ----------------------------------------------------------------------------


@with_layouts
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("factor", [1e160, 1e200])
@pytest.mark.parametrize("make", [LASVC, RampSVC])
def test_fit_rejects_samples_whose_squares_overflow(make, kernel, factor, layout):
    X, y = scaled(factor, layout=layout)
    model = make(kernel=kernel, gamma=1.0, random_state=0)
    with pytest.raises(ValueError, match=r"Row \d+ of X has a squared norm .* float64"):
        model.fit(X, y)
    assert not hasattr(model, "classes_")
    if kernel == "linear":  # whose values overflow in single precision
        with pytest.raises(ValueError, match=r"[Rr]ow \d+ of X"):
            model.fit(*scaled(1e25, layout=layout))


@with_layouts
@pytest.mark.parametrize("factor", [1e25, 1e-30])
@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid"])
def test_float32_samples_are_converted_to_double_if_necessary(kernel, factor, layout):
    """Squares of large samples, and gamma of tiny ones, are beyond single precision."""
    X, y = scaled(factor, np.float32, layout)
    model = LASVC(kernel=kernel, random_state=0).fit(X, y)
    same = LASVC(kernel=kernel, random_state=0).fit(X.astype(float), y)
    assert (model.gamma_ > 1e50) == (factor < 1)
    assert_array_equal(model.decision_function(X), same.decision_function(X))
    assert model.score(X, y) > 0.6


@with_layouts
@pytest.mark.parametrize("dtype, factor", [(np.float32, 1e25), (np.float64, 1e160)])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_rows", [1, 150])
def test_partial_fit_rejects_samples_and_can_continue(kernel, dtype, factor, layout, n_rows):
    """The whole chunk is rejected, wherever the sample is."""
    X, y = scaled(1, dtype, layout)
    params = dict(kernel=kernel, gamma=0.3, random_state=0)
    model, other = (LASVC(**params).partial_fit(X, y, classes=CLASSES) for _ in range(2))
    wrong = two_classes()[0].astype(dtype)[:n_rows]
    wrong[-1] *= factor
    wrong = LAYOUTS[layout](wrong)
    with pytest.raises(ValueError, match=rf"[Rr]ow {n_rows - 1} of X"):
        model.partial_fit(wrong, y[:n_rows])
    assert model.n_samples_seen_ == 200
    for m in (model, other):
        m.partial_fit(X[:20], y[:20])
    assert_array_equal(model.dual_coef_, other.dual_coef_)
    assert_array_equal(model.decision_function(X), other.decision_function(X))


@with_layouts
@pytest.mark.parametrize("dtype, factor", [(np.float32, 1e25), (np.float64, 1e160)])
@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid"])
@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_predict_rejects_samples_whose_squares_overflow(kernel, dtype, factor, layout, method):
    """Regression test: distances of inf - inf became 0."""
    X, y = scaled(1, dtype, layout)
    model = LASVC(kernel=kernel, gamma=0.3, random_state=0).fit(X, y)
    before = model.decision_function(X)
    far = two_classes()[0].astype(dtype)
    far[137] *= factor
    with pytest.raises(ValueError, match=r"Row 137 of X has a squared norm"):
        getattr(model, method)(LAYOUTS[layout](far))
    assert_array_equal(model.decision_function(X), before)


@with_layouts
@pytest.mark.parametrize("kernel, size", [("poly", 1e25), ("linear", 1.5e308)])
def test_decisions_that_are_not_finite(kernel, size, layout):
    X, y = scaled(1, layout=layout)
    model = LASVC(kernel=kernel, gamma=0.3, C=1e3, random_state=0).fit(X, y)
    far = two_classes()[0]
    far[137] = size * (np.sign(model.coef_) if kernel == "linear" else 1)
    with pytest.raises(ValueError, match=r"row 137 of X is not finite"):
        model.predict(LAYOUTS[layout](far))


@with_layouts
def test_linear_predictions_beyond_single_precision(layout):
    X, y = scaled(1, layout=layout)
    model = LASVC(kernel="linear", random_state=0).fit(X, y)
    far = model.decision_function(X * 1e40) - model.intercept_
    assert_allclose(far, 1e40 * (model.decision_function(X) - model.intercept_), rtol=1e-9)


def test_a_polynomial_kernel_with_a_negative_constant():
    """K(x, x) does not bound the other values there."""
    X = np.array([[1.0, 0.0], [-1.0, 0.0]] * 10) * 1e3
    y = ["no", "yes"] * 10
    with pytest.raises(ValueError, match="not finite"):
        LASVC(kernel="poly", degree=7, gamma=1.0, coef0=-1e6).fit(X, y)


# -- gamma ------------------------------------------------------------------------------


@with_layouts
@pytest.mark.parametrize("factor", [1e160, 1e200, 1e-160, 1e-200])
@pytest.mark.parametrize("kernel", ["poly", "rbf", "sigmoid"])
def test_gamma_scale_beyond_a_double(kernel, factor, layout):
    X, y = scaled(factor, layout=layout)
    for learn in (
        lambda m: m.fit(X, y),
        lambda m: m.partial_fit(X, y, classes=CLASSES),
    ):
        model = LASVC(kernel=kernel)
        with pytest.raises(ValueError, match="gamma='scale' is .* variance .* Scale the features"):
            learn(model)
        assert not hasattr(model, "gamma_")


# -- parameters -------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    "name", ["C", "gamma", "coef0", "tol", "ramp_s", "cache_size", "delta_max"]
)
def test_integers_beyond_a_double(name, algorithm):
    X, y = two_classes(40)
    model = LASVC(algorithm=algorithm, **{name: -(10**400) if name == "ramp_s" else 10**400})
    with pytest.raises(ValueError, match=f"'{name}' parameter of LASVC"):
        model.fit(X, y)
    with pytest.raises(ValueError, match=f"'{name}' parameter of LASVC"):
        model.partial_fit(X, y, classes=CLASSES)


@pytest.mark.parametrize("make", [LASVC, RampSVC])
@pytest.mark.parametrize("degree", [10**30, 2**31])
def test_degrees_beyond_an_int(make, degree):
    X, y = two_classes(40)
    for kernel in ("poly", "rbf"):
        with pytest.raises(ValueError, match="'degree' parameter"):
            make(kernel=kernel, degree=degree).fit(X, y)


def test_a_high_degree_is_a_power():
    X, y = two_classes(60)
    X /= np.linalg.norm(X, axis=1)[:, None]
    for degree in (15, 16, 17, 40, 101):
        params = dict(kernel="poly", degree=degree, gamma=0.5, coef0=0.6)
        model = LASVC(max_iter=-1, tol=1e-6, random_state=0, **params).fit(X, y)
        K = (0.5 * X @ model.support_vectors_.T + 0.6) ** degree
        expected = K @ model.dual_coef_[0] + model.intercept_
        assert_allclose(model.decision_function(X), expected, rtol=1e-5, atol=1e-5)
    huge = dict(kernel="poly", degree=2**31 - 1, gamma=0.5, coef0=0.5)
    assert LASVC(random_state=0, **huge).fit(X, y).score(X, y) >= 0.5


def test_more_cache_than_there_is_memory():
    X, y = two_classes(40)
    model = LASVC(cache_size=1e300, random_state=0).fit(X, y)
    assert_array_equal(model.dual_coef_, LASVC(random_state=0).fit(X, y).dual_coef_)


# -- kernel functions -------------------------------------------------------------------


@with_layouts
def test_callable_kernels_accept_samples_of_large_norm(layout):
    """The norm of samples is not limited for callable kernels."""
    X, y = scaled(1e160, layout=layout)

    def kernel(A, B):
        return ((A / 1e160) @ (B / 1e160).T).astype(float) if layout == "dense" else dense(A, B)

    def dense(A, B):
        return ((A / 1e160) @ (B / 1e160).T).toarray()

    model = LASVC(kernel=kernel, random_state=0).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_kernel_functions_that_are_not_finite_off_the_diagonal():
    X, y = two_classes(100)

    def kernel(A, B):
        K = A @ B.T
        K[(A[:, :1] > 1) & (B[:, :1].T < -1)] = np.inf
        return K

    model = LASVC(kernel=kernel)
    with pytest.raises(ValueError, match="not finite in single precision"):
        model.fit(X, y)
    K = X @ X.T
    K[3, 4:] = K[4:, 3] = 1e300
    with pytest.raises(ValueError, match="not finite in single precision"):
        LASVC(kernel="precomputed").fit(K, y)
    model = LASVC(kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="not finite in single precision"):
        model.predict(K)


# -- linear models ----------------------------------------------------------------------


@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "model",
    [
        PassiveAggressiveClassifier(C=np.inf),
        PerceptronClassifier(),
        SecondOrderPerceptronClassifier(),
        AROWClassifier(),
        AROWClassifier(covariance="full"),
        SCWClassifier(),
        PassiveAggressiveRegressor(),
    ],
    ids=repr,
)
def test_predictions_of_linear_models_that_are_not_finite(model, dtype, layout):
    X, y = scaled(0.1, dtype)
    y = (y == "yes").astype(float)
    model = clone(model).fit(LAYOUTS[layout](X), y)
    far = X.copy()
    largest = np.finfo(dtype).max
    far[137] = 0.9 * largest
    model.coef_ = np.full(model.coef_.shape, 3.0)
    match = r"output for row 137 of X is not finite.*beyond the range of float.*Scale"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of sums and products
        if model.coef_.dtype != dtype:  # a full covariance is computed in float64
            assert np.isfinite(model.decision_function(LAYOUTS[layout](far))).all()
            return
        with pytest.raises(ValueError, match=match):
            model.predict(LAYOUTS[layout](far))
        if hasattr(model, "decision_variance"):
            with pytest.raises(ValueError, match=match):
                model.decision_variance(LAYOUTS[layout](far))


class NegativeKernel:
    """A kernel that is not positive definite; a call of it may be interrupted."""

    def __init__(self, interrupted_call=None):
        self.interrupted_call, self.n_calls = interrupted_call, 0

    def __call__(self, A, B):
        self.n_calls += 1
        if self.n_calls == self.interrupted_call:
            raise KeyboardInterrupt
        return -(A @ B.T)


def test_coefficients_that_overflow_are_refused_by_fit_and_by_resume():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    params = dict(loss="squared_epsilon_insensitive", C=1e3, random_state=0)
    match = "coefficients of LASVR are beyond the range of double precision"
    model = LASVR(kernel=NegativeKernel(), **params)
    with pytest.raises(ValueError, match=match):
        model.fit(X, y)
    assert not hasattr(model, "epsilon_")
    model = LASVR(kernel=NegativeKernel(interrupted_call=10), **params)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    for _ in range(2):  # the checkpoint is kept
        with pytest.raises(ValueError, match=match):
            model.resume(X, y)
        assert model.interrupted_
