"""RampSVC: limits, kernels, copies, invalid input and degenerate data."""

import io
import re
import warnings
from contextlib import redirect_stdout
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import RampSVC
from sklearn_online_svm.kernel import _cccp
from tests.support.copies import with_copies
from tests.support.ramp import (
    BOTH,
    GAMMA,
    LEARNT,
    assert_same_model,
    model_of,
    noisy,
    noisy_three,
    with_bias,
    with_both,
    with_layouts,
)
from tests.support.samples import LAYOUTS, three_classes, two_classes
from tests.support.unharmed import UnharmedModel

# -- limits -----------------------------------------------------------------------------


@with_both
def test_too_few_problems_are_reported(problem):
    X, y = BOTH[problem](300)
    for max_iter in (1, 2):
        match = rf"RampSVC did not converge within max_iter={max_iter} convex problems: \d+ sam"
        with pytest.warns(ConvergenceWarning, match=match) as caught:
            model = model_of(max_iter=max_iter).fit(X, y)
        assert len(caught) == 1
        # It points to the line that calls fit.
        assert caught[0].filename == __file__
        assert model.n_iter_ == max_iter
        assert np.isfinite(model.decision_function(X)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model_of().fit(X, y)


def test_reaching_the_maximum_number_of_rounds_warns(monkeypatch):
    monkeypatch.setattr(_cccp, "MAX_EPOCHS", 1)
    X, y = noisy(600)
    with pytest.warns(ConvergenceWarning, match="within 1 rounds.* tol is 1e-08") as caught:
        RampSVC(tol=1e-8, C=100.0, random_state=0).fit(X, y)
    assert caught[0].filename == __file__


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


def test_gamma_scale_and_auto():
    X, y = noisy()
    assert_allclose(model_of(gamma="scale").fit(X, y).gamma_, 1 / (4 * X.var()))
    assert model_of(gamma="auto").fit(X, y).gamma_ == 0.25


# -- pauses, copies, company ------------------------------------------------------------


@with_copies
@with_both
@with_layouts
def test_copies(make_copy, problem, layout, tmp_path):
    X, y = BOTH[problem]()
    X = LAYOUTS[layout](X)
    model = model_of().fit(X, y)
    copied = make_copy(model, tmp_path)
    assert_same_model(copied, model)
    assert copied.get_params() == model.get_params()
    assert_array_equal(copied.decision_function(X), model.decision_function(X))
    assert (copied.n_iter_, copied.kkt_violation_) == (model.n_iter_, model.kkt_violation_)
    decisions = model.decision_function(X)
    copied.fit(X[:100], y[:100])
    assert_array_equal(model.decision_function(X), decisions)
    assert_same_model(copied, model_of().fit(X[:100], y[:100]))


def test_clone_is_not_fitted():
    X, y = noisy()
    model = model_of(C=7.0, init_size=0.5, ramp_s=0.2, fit_intercept=False).fit(X, y)
    cloned = clone(model)
    assert cloned.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        cloned.predict(X)


def test_grid_search_over_the_ramp_in_a_pipeline():
    X, y = noisy(300)
    pipeline = make_pipeline(StandardScaler(), RampSVC(C=10.0))
    grid = {"rampsvc__ramp_s": [-1e9, -1.0, 0.0], "rampsvc__fit_intercept": [True, False]}
    search = GridSearchCV(pipeline, grid, cv=3, error_score="raise").fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(scores) == 6 and len(set(scores)) > 1
    assert search.predict(X).shape == (300,)
    kernels = GridSearchCV(
        RampSVC(kernel="precomputed"), {"C": [0.1, 1.0]}, cv=3, error_score="raise"
    )
    assert kernels.fit(rbf_kernel(X), y).best_score_ > 0.5


# -- once more, and what is wrong -------------------------------------------------------


@with_layouts
def test_fit_does_not_depend_on_the_previous_fit(layout):
    X, y = noisy()
    X_other, y_other = noisy_three(100)
    model = model_of().fit(LAYOUTS[layout](X_other[:, :3]), y_other)
    model.fit(LAYOUTS[layout](X), y)
    fresh = model_of().fit(LAYOUTS[layout](X), y)
    assert_same_model(model, fresh)
    assert set(vars(model)) == set(vars(fresh))
    names = ("n_iter_", "n_features_in_", "n_samples_seen_", "kkt_violation_", "gamma_")
    for name in (*names, "n_kernel_evaluations_"):
        assert getattr(model, name) == getattr(fresh, name)
    # To all but rounding the same from its own data once more.
    assert_same_model(model.fit(LAYOUTS[layout](X), y), fresh)


def test_feature_names():
    pandas = pytest.importorskip("pandas")
    X, y = noisy()
    model = model_of().fit(pandas.DataFrame(X, columns=list("abcd")), y)
    assert_array_equal(model.feature_names_in_, list("abcd"))
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")


class Unharmed(UnharmedModel):
    attributes = (
        *LEARNT,
        *("n_iter_", "kkt_violation_", "gamma_", "n_samples_seen_", "n_features_in_"),
    )

    def __init__(self, **params):
        X, y = noisy()
        rows = rbf_kernel(X) if params.get("kernel") == "precomputed" else X
        super().__init__(lambda: model_of(**params), rows, y)

    def refuses(self, error, match, X, y, sample_weight=None):
        self.raises(error, match, lambda model: model.fit(X, y, sample_weight))


def test_invalid_input_leaves_the_model_as_it_was():
    unharmed = Unharmed()
    X, y = unharmed.X, unharmed.y
    nan = X.copy()
    nan[3, 1] = np.nan
    for rows in (nan, csr_matrix(nan)):
        unharmed.refuses(ValueError, "Input X contains NaN", rows, y)
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X, y[:-1])
    unharmed.refuses(ValueError, "Expected 2D array", X[:, 0], y)
    unharmed.refuses(ValueError, "0 sample", X[:0], y[:0])
    unharmed.refuses(ValueError, "number of classes has to be greater than one", X, y == "x")
    unharmed.refuses(ValueError, "the target y is None", X, None)
    unharmed.refuses(ValueError, "(?i)unknown label type", X, np.linspace(0, 1, 200))
    unharmed.refuses(ValueError, "Negative values", X, y, np.full(200, -1.0))
    unharmed.refuses(ValueError, "(?i)zero", X, y, np.zeros(200))
    unharmed.refuses(ValueError, "1 class with positive", X, y, np.where(y == "yes", 1.0, 0.0))
    unharmed.refuses(ValueError, "sample_weight contains NaN", X, y, np.full(200, np.nan))


@pytest.mark.parametrize("n_calls", [0, 2, 5])
def test_a_kernel_that_fails_leaves_the_model_as_it_was(n_calls):
    unharmed = Unharmed()
    calls = []

    def failing(A, B):
        calls.append(None)
        if len(calls) > n_calls:
            raise ZeroDivisionError("from the kernel")
        return rbf_kernel(A, B, gamma=GAMMA)

    unharmed.model.set_params(kernel=failing)
    unharmed.refuses(ZeroDivisionError, "from the kernel", unharmed.X, unharmed.y)
    unharmed.model.set_params(kernel="poly", degree=30, gamma=1.0)
    unharmed.refuses(ValueError, "not finite", 1e20 * unharmed.X, unharmed.y)


def test_the_shape_of_a_precomputed_kernel():
    unharmed = Unharmed(kernel="precomputed")
    K, y = unharmed.X, unharmed.y
    unharmed.refuses(ValueError, "must be a square matrix. Input is a 200x199 matrix", K[:, 1:], y)
    unharmed.refuses(TypeError, "Sparse data was passed", csr_matrix(K), y)
    with pytest.raises(ValueError, match="X has 199 features, but RampSVC is expecting 200"):
        unharmed.model.predict(K[:, 1:])


WRONG = [
    ("C", 0.0),
    ("C", -1.0),
    ("C", np.nan),
    ("kernel", "rbff"),
    ("degree", -1),
    ("gamma", "none"),
    ("coef0", np.inf),
    ("ramp_s", 1.0),
    ("ramp_s", 3),
    ("ramp_s", np.nan),
    ("ramp_s", "hinge"),
    ("fit_intercept", "yes"),
    ("fit_intercept", 2),
    ("init_size", 0),
    ("init_size", -3),
    ("init_size", 0.0),
    ("init_size", 1.5),
    ("init_size", "all"),
    ("max_iter", 0),
    ("max_iter", -1),
    ("max_iter", 2.5),
    ("shrinking", 2),
    ("tol", 0.0),
    ("cache_size", 0),
    ("class_weight", "online_balanced"),
    ("n_jobs", 1.5),
    ("random_state", "seed"),
    ("verbose", -1),
]


@pytest.mark.parametrize("name, value", WRONG)
def test_wrong_parameters(name, value):
    X, y = noisy(60)
    match = f"The '{name}' parameter of RampSVC must be .*{re.escape(repr(value))}"
    with pytest.raises(InvalidParameterError, match=match):
        model_of(**{name: value}).fit(X, y)
    if name != "n_jobs":
        unharmed = Unharmed()
        unharmed.model.set_params(**{name: value})
        unharmed.refuses(InvalidParameterError, match, X, y)


@pytest.mark.parametrize("factors", [{"maybe": 1.0}, {"yes": -1.0}, {"yes": np.nan}])
def test_wrong_class_weights(factors):
    unharmed = Unharmed()
    unharmed.model.set_params(class_weight=factors)
    unharmed.refuses(ValueError, "class_weight", unharmed.X, unharmed.y)


def test_not_fitted():
    X, _ = noisy(60)
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError, match="RampSVC instance is not fitted"):
            getattr(RampSVC(), method)(X)
    for name in ("support_", "dual_coef_", "intercept_", "objective_history_", "n_iter_"):
        assert not hasattr(RampSVC(), name)


# -- degenerate data --------------------------------------------------------------------


@with_bias
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("C", [1e-50, 1e-3, 1.0, 100.0])
def test_constant_features_and_repeated_rows(fit_intercept, kernel, C):
    y = np.where(np.arange(60) % 3, "yes", "no")
    params = dict(fit_intercept=fit_intercept, kernel=kernel, C=C, tol=1e-4)
    model = model_of(**params).fit(np.full((60, 3), 0.5), y)
    decisions = model.decision_function(np.full((60, 3), 0.5))
    assert np.isfinite(decisions).all()
    assert_array_equal(decisions, decisions[0])
    X, y = two_classes(20)
    X, y = np.tile(X, (6, 1)), np.tile(y, 6)
    y[:20] = np.where(y[:20] == "yes", "no", "yes")
    model = model_of(**params).fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert (np.diff(model.objective_history_[:, 0]) <= 1e-4 * C * 120).all()


@with_bias
@pytest.mark.parametrize("n", [2, 3, 4])
def test_very_few_samples(fit_intercept, n):
    X, y = np.random.default_rng(n).normal(size=(n, 3)), np.arange(n) % 2
    model = model_of(fit_intercept=fit_intercept, C=100.0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.n_iter_ == 1


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ramp_s", [-1.0, -0.5])
@pytest.mark.parametrize("init_size", [1, 3, 1e-3])
def test_a_tiny_first_problem_has_a_row_of_each_class(init_size, ramp_s, fit_intercept):
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
