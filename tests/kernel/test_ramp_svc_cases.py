"""RampSVC: limits, kernels, copies, invalid input and degenerate data."""

import io
import re
import warnings
from contextlib import redirect_stdout
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import RampSVC
from tests.support.internals import note_engine_calls
from tests.support.limits import set_limits
from tests.support.ramp import (
    BOTH,
    GAMMA,
    model_of,
    noisy,
    with_bias,
    with_both,
)
from tests.support.samples import three_classes

# -- limits -----------------------------------------------------------------------------


@with_both
def test_reaching_max_iter_warns(problem):
    X, y = BOTH[problem](300)
    for max_iter in (1, 2):
        match = rf"RampSVC did not converge within max_iter={max_iter} convex problems: \d+ sam"
        with pytest.warns(ConvergenceWarning, match=match) as caught:
            model = model_of(max_iter=max_iter).fit(X, y)
        assert len(caught) == 1
        # The warning refers to the line that calls fit.
        assert caught[0].filename == __file__
        assert model.n_iter_ == max_iter
        assert np.isfinite(model.decision_function(X)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model_of().fit(X, y)


@pytest.mark.parametrize("n", [1, 3])
def test_reaching_the_maximum_number_of_rounds_warns(n, monkeypatch):
    set_limits(monkeypatch, MAX_EPOCHS=n)
    X, y = noisy(600)
    with pytest.warns(ConvergenceWarning, match=f"within {n} rounds.* tol is 1e-08") as caught:
        RampSVC(tol=1e-8, C=100.0, random_state=0).fit(X, y)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("init_size", [None, 20])
@pytest.mark.parametrize("ramp_s", [0.0, -0.5])
def test_objectives_that_rise_and_fall_with_rounding_end_the_sequence(ramp_s, init_size):
    rng = np.random.default_rng(1)
    X, y = 1e4 + rng.normal(size=(60, 5)), rng.integers(0, 4, 60)
    params = dict(kernel="linear", tol=1e-200, fit_intercept=False)  # kernel values are rounded
    model = RampSVC(ramp_s=ramp_s, init_size=init_size, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert np.any(np.diff(model.objective_history_, axis=0) > 1e-3)
    assert model.n_iter_ < 20


def test_gradients_are_recomputed_for_each_problem(monkeypatch):
    calls = note_engine_calls(monkeypatch)
    set_limits(monkeypatch, MAX_REFRESHES=1)
    X, y = noisy(200)
    model = RampSVC(C=100.0, random_state=0).fit(X, y)
    assert model.n_iter_ > 2
    assert calls.count("rebox") == model.n_iter_ - 1
    assert calls.count("refresh") == calls.count("learn") + calls.count("rebox")


def test_verbose_prints_a_line_for_each_problem():
    X, y = noisy()
    for verbose in (0, 1):
        printed = io.StringIO()
        with redirect_stdout(printed):
            model = model_of(verbose=verbose).fit(X, y)
        lines = printed.getvalue().splitlines()
        assert len(lines) == verbose * model.n_iter_
        for i, line in enumerate(lines, 1):
            assert re.match(rf"\[RampSVC\] problem {i}: objective [\d.e+]+, \d+ samples be", line)


# -- kernels ----------------------------------------------------------------------------


@with_both
@with_bias
def test_precomputed_and_callable_kernels_are_the_named_one(problem, fit_intercept):
    X, y = BOTH[problem]()
    X_new, _ = BOTH[problem](seed=1)
    params = dict(fit_intercept=fit_intercept, tol=1e-6)
    named = model_of(**params).fit(X, y)
    function = model_of(kernel=partial(rbf_kernel, gamma=GAMMA), **params).fit(X, y)
    matrix = model_of(kernel="precomputed", **params).fit(rbf_kernel(X, gamma=GAMMA), y)
    expected = named.decision_function(X_new)
    assert_allclose(function.decision_function(X_new), expected, atol=1e-3)
    K_new = rbf_kernel(X_new, X, gamma=GAMMA)
    assert_allclose(matrix.decision_function(K_new), expected, atol=1e-3)
    assert matrix.support_vectors_.shape == (0, len(y))
    for model in (function, matrix):
        assert_allclose(model.objective_history_[-1], named.objective_history_[-1], rtol=1e-5)
    sparse = model_of(kernel=partial(rbf_kernel, gamma=GAMMA), **params).fit(csr_matrix(X), y)
    assert_allclose(sparse.decision_function(csr_matrix(X_new)), expected, atol=1e-3)


# -- degenerate data --------------------------------------------------------------------


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ramp_s", [-1.0, -0.5])
@pytest.mark.parametrize("init_size", [1, 3, 1e-3])
def test_tiny_first_problem_has_a_sample_of_each_class(init_size, ramp_s, fit_intercept):
    """Regression test: with samples of one class, all of the other were beyond the ramp."""
    X, y = three_classes(300, distance=4.0)
    X, y = X[y < 30], y[y < 30]
    for seed in range(5):
        model = RampSVC(
            gamma=0.3,
            ramp_s=ramp_s,
            fit_intercept=fit_intercept,
            init_size=init_size,
            random_state=seed,
        ).fit(X, y)
        assert model.score(X, y) > 0.9
