"""Extreme but finite parameters, targets and samples: refused by name, or predictions are finite.

A call that is refused leaves the model as it was.
"""

import warnings
from numbers import Real

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_regressor
from sklearn.utils._param_validation import Interval

import sklearn_online_svm as package
from sklearn_online_svm import (
    LASVC,
    LASVR,
    AROWClassifier,
    CompressedClassifier,
    KernelAROWClassifier,
    OneClassLASVM,
    PassiveAggressiveRegressor,
    RampSVC,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
)
from sklearn_online_svm.cells import CellRegressor
from sklearn_online_svm.datasets import make_banana_like
from tests.support.samples import three_classes

X, Y = make_banana_like(40, random_state=0)
T = X[:, 0]
REGRESSORS = {
    "LASVR": LASVR(gamma=1.0),
    "LASVR, squared": LASVR(gamma=1.0, loss="squared_epsilon_insensitive"),
    "cells": CellRegressor(LASVR(gamma=1.0), cell_size=20),
    "linear": PassiveAggressiveRegressor(C=np.inf),
    "linear, mean": PassiveAggressiveRegressor(C=np.inf, average=True),
}
with_all = pytest.mark.parametrize("name", REGRESSORS)
with_both = pytest.mark.parametrize("call", ["fit", "partial_fit"])
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


def regressor(name):
    return clone(REGRESSORS[name])


# -- targets -------------------------------------------------------------------------------------


@with_all
@with_both
@pytest.mark.parametrize("largest", [2e130, -1e200])
def test_large_targets_are_refused(name, call, largest):
    """Their squared errors overflow: the steps of an update rule were omitted silently."""
    model = regressor(name)
    targets = T.copy()
    targets[7] = largest
    match = rf"y contains {abs(largest):.3g}".replace("+", r"\+") + ".*must not exceed 1e"
    with pytest.raises(ValueError, match=match):
        getattr(model, call)(X, targets)
    assert not hasattr(model, "n_features_in_")
    getattr(model, call)(X, T)
    before = model.predict(X)
    with pytest.raises(ValueError, match=match):
        getattr(model, call)(X, targets)
    assert_array_equal(model.predict(X), before)


@pytest.mark.slow
@with_all
@with_both
def test_the_largest_targets_are_learned(name, call):
    model = regressor(name)
    if hasattr(model, "C"):
        model.set_params(C=1e140)
    found = getattr(model, call)(X, T / np.abs(T).max() * 1e130).predict(X)
    assert np.isfinite(found).all()
    if name != "cells":  # C=1 bounds the coefficients of its models
        assert np.corrcoef(found / 1e130, T)[0, 1] > 0.8


@pytest.mark.parametrize("name", [name for name in REGRESSORS if "LASVR" not in name][1:])
def test_float32_samples_have_float32_limits(name):
    samples = X.astype(np.float32)
    with pytest.raises(ValueError, match="1e\\+19 with float32 coeff.*, or pass X as float64"):
        regressor(name).fit(samples, T * 1e20)
    found = regressor(name).fit(samples, T * 4e18).predict(samples)
    assert np.corrcoef(found / 1e18, T)[0, 1] > 0.8


# -- kernels that are not positive definite ------------------------------------------------------


def indefinite(A, B):
    return np.tanh(A @ B.T - 1.0)


@with_both
def test_squared_loss_refuses_the_sigmoid_kernel(call):
    """Its dual problem is unbounded: alpha became 1e306."""
    model = LASVR(kernel="sigmoid", loss="squared_epsilon_insensitive", C=1e5)
    with pytest.raises(ValueError, match="positive definite kernel, which kernel='sigmoid' is n"):
        getattr(model, call)(X, 1e5 * T)
    model.set_params(loss="epsilon_insensitive")
    assert np.isfinite(getattr(model, call)(X, 1e5 * T).predict(X)).all()


@pytest.mark.parametrize("kernel", [indefinite, "precomputed"])
def test_unbounded_problems_are_refused(kernel):
    samples = X if callable(kernel) else indefinite(X, X)
    model = LASVR(kernel=kernel, C=1.0).fit(samples, T)
    before = model.predict(samples)
    model.set_params(C=1e20, loss="squared_epsilon_insensitive")
    with pytest.raises(
        ValueError, match=r"beyond the range .*, C=1e\+20, loss='squared.*Use a po"
    ):
        model.fit(samples, T)
    assert_array_equal(model.predict(samples), before)


# -- parameters ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model, name, refused, accepted",
    [
        (KernelAROWClassifier(gamma=1.0), "forgetting_factor", 1e-300, 1e-3),
        (KernelAROWClassifier(kernel="linear"), "forgetting_factor", 1e-5, 1e-3),
        (KernelAROWClassifier(kernel="poly", coef0=1.0), "forgetting_factor", 9e-4, 1e-3),
        (OneClassLASVM(gamma=1.0), "nu", 1e-320, 1e-300),
    ],
)
@with_both
def test_limits_of_parameters(model, name, refused, accepted, call):
    model = clone(model)
    arguments = (X,) if isinstance(model, OneClassLASVM) else (X, Y)
    if call == "partial_fit" and len(arguments) == 2:
        arguments = (X, Y, [-1, 1])
    with pytest.raises(ValueError, match=f"The '{name}' parameter .* Got {refused}"):
        getattr(model.set_params(**{name: refused}), call)(*arguments)
    getattr(model.set_params(**{name: accepted}), call)(*arguments)
    assert np.isfinite(model.decision_function(X)).all()
    if hasattr(model, "decision_variance"):
        assert np.isfinite(model.decision_variance(X)).all()


@with_both
def test_variances_whose_squares_overflow_are_refused(call):
    model = SecondOrderPerceptronClassifier(a=1e-160, covariance="full")
    arguments = (X, Y) if call == "fit" else (X, Y, [-1, 1])
    with pytest.raises(ValueError, match=r"1 / a = 1e\+160, .* choose a larger a"):
        getattr(model, call)(*arguments)
    assert not hasattr(model, "coef_")
    model = getattr(model.set_params(a=1e-150), call)(*arguments)
    assert np.isfinite(model.decision_variance(X)).all()


def test_probabilities_of_duplicates_with_a_large_c():
    """The kernel matrix of the leave-one-out values was singular."""
    samples, labels = np.vstack([X, X[:5]]), np.append(Y, -Y[:5])
    model = LASVC(C=1e20, probability=True, max_iter=3, random_state=0).fit(samples, labels)
    assert np.isfinite(model.predict_proba(samples)).all()


def _trained_by_default():
    for name in package.__all__:
        kind = getattr(package, name)
        if isinstance(kind, type) and hasattr(kind, "partial_fit"):
            try:
                model = kind()
            except TypeError:  # the estimator that it contains is required
                continue
            if kind is not VirtualLASVC:  # as ActiveLASVC
                yield model


def _floats(model):
    for name, constraints in model._parameter_constraints.items():
        intervals = [each for each in constraints if isinstance(each, Interval)]
        if name in model.get_params(deep=False) and any(each.type is Real for each in intervals):
            yield name


@pytest.mark.sampled
@pytest.mark.parametrize(
    "model, name",
    [
        pytest.param(model, name, id=f"{type(model).__name__}-{name}")
        for model in _trained_by_default()
        for name in _floats(model)
        if name != "max_time"
    ],
)
def test_extreme_parameters(model, name):
    targets = T if is_regressor(model) else Y
    # A large C of LASVM is a hard margin, which takes long; test_lasvc.py has some.
    values = (1e-300, 1e-20, 1e3) if hasattr(model, "algorithm") else (1e-300, 1e-20, 1e20, 1e300)
    for value in values:
        model = clone(model).set_params(**{name: value})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model.fit(X, targets)
            except ValueError as error:
                # gamma, coef0 and epsilon act through kernel values and targets.
                assert any(part in str(error) for part in (f"'{name}'", "Kernel values", "1 / a"))
                continue
        for method in ("predict", "decision_function", "decision_variance"):
            if hasattr(model, method):
                assert np.isfinite(getattr(model, method)(X)).all(), (value, method)


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
@pytest.mark.parametrize("name", ["C", "gamma", "tol"])
@pytest.mark.parametrize("value", [1e-300, 1e-20, 1e3])
def test_extreme_parameters_of_pairs(kind, name, value):
    samples, labels = three_classes(60)
    model = kind(multi_class="ovo", random_state=0, **{name: value}).fit(samples, labels)
    for shape in ("ovr", "ovo"):
        model.decision_function_shape = shape
        assert np.isfinite(model.decision_function(samples)).all()
    assert np.isin(model.predict(samples), [10, 20, 30]).all()


@pytest.mark.parametrize(
    "kind, params, equal",
    [
        (VirtualLASVC, dict(n_neighbors=True, n_virtual=True), dict(n_neighbors=1, n_virtual=1)),
        (RampSVC, dict(tol=10**20), dict(tol=1e20)),
    ],
)
def test_numbers_of_other_types(kind, params, equal):
    """A bool is an integer, and an integer may be larger than 64 bits if a float is expected."""
    found, expected = (kind(random_state=0, **given).fit(X, Y) for given in (params, equal))
    assert_array_equal(found.decision_function(X), expected.decision_function(X))


# -- samples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["linear", "poly", "cosine", "rbf"])
@pytest.mark.parametrize("size", [0.0, 1e-200])
@with_both
def test_variance_without_a_dictionary(kernel, size, call):
    """No sample joins the dictionary if all kernel values are 0: the variance is K(x, x)."""
    model = KernelAROWClassifier(kernel=kernel, gamma=1.0)
    getattr(model, call)(X * size, Y, **({} if call == "fit" else {"classes": [-1, 1]}))
    found = model.decision_variance(X)
    if len(model.support_):
        assert np.isfinite(found).all()
        return
    squares = np.sum(X**2, axis=1)
    expected = {"linear": squares, "poly": squares**3, "cosine": np.ones(len(X))}[kernel]
    assert_allclose(found, expected, rtol=1e-6)
    assert_array_equal(model.decision_function(X), 0.0)


def test_variances_are_not_negative():
    """Rounding errors of large samples make the covariance indefinite."""
    model = AROWClassifier(covariance="full", random_state=0).fit(X + 1e8, Y)
    assert (model.decision_variance(X + 1e8) >= 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-i"])
def test_probabilities_of_tiny_kernel_values(algorithm):
    """The matrix of the leave-one-out values was singular: kernel values are 0 as float32."""
    model = LASVC(kernel="linear", algorithm=algorithm, C=1e60, probability=True, random_state=0)
    samples = (X * 1e-25).astype(np.float32)
    assert np.isfinite(model.fit(samples, Y).predict_proba(samples)).all()


def test_compression_of_samples_far_from_the_origin():
    """Rounding errors make the matrix of their kernel values indefinite."""
    samples = np.random.default_rng(0).normal(size=(60, 2)) + 1e8
    model = CompressedClassifier(LASVC(random_state=0), max_support_vectors=9)
    labels = np.arange(60) % 3
    assert np.isfinite(model.fit(samples, labels).decision_function(samples)).all()
