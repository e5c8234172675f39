"""Kernel regression with one update per sample, compared with references after each sample."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.metrics.pairwise import linear_kernel
from sklearn.svm import SVR
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import PassiveAggressiveRegressor
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.support.internals import shuffled
from tests.support.kernel_updates import (
    GAMMA,
    POLICIES,
    assert_same,
    assert_same_solution,
    regressor,
    rows,
    single,
    taught,
    twin_of,
)
from tests.support.samples import LAYOUTS
from tests.support.unharmed import UnharmedModel

CLOSE = dict(rtol=1e-9, atol=1e-11)
SQUARED = dict(loss="squared_epsilon_insensitive")
MODELS = {
    "pa": regressor(),
    "pa, wide": regressor(epsilon=0.4, C=0.2),
    "pa, hard": regressor(C=np.inf, epsilon=0.0),
    "pa2": regressor(**SQUARED),
    "pa, mean": regressor(average="mean"),
    "pa2, mean": regressor(average="mean", **SQUARED),
}
REGRESSION_POLICIES = [policy for policy in POLICIES if policy != "margin"]
BUDGETS = {
    f"{name}, {policy}": clone(MODELS[name]).set_params(
        max_support_vectors=9, budget_policy=policy
    )
    for policy in REGRESSION_POLICIES
    for name in ("pa", "pa2, mean")
}
ALL = {**MODELS, **BUDGETS}
with_all = pytest.mark.parametrize("name", ALL)
# The reference searches for the best point among thousands.
with_all_but_slow = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == "pa, merging" else name
        for name in ALL
    ],
)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def curve(n=100, seed=0, dtype=np.float64, **params):
    """Samples, and targets that are not linear in them."""
    X, _ = rows(n, seed=seed, **params)
    noise = np.random.default_rng(seed).normal(size=n)
    return X.astype(dtype), np.sin(X[:, 0]) - 0.5 * X[:, 1] + X[:, 2] ** 2 / 4 + 0.1 * noise


# -- the reference implementation -------------------------------------------------------


@pytest.mark.sampled
@with_all_but_slow
@with_layouts
def test_each_sample_equals_the_reference(name, layout):
    model, (X, y) = clone(ALL[name]), curve(50 if "merging" in name else 100)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(X))
    twin, given_samples, n_updates = twin_of(model, 1), LAYOUTS[layout](X), 0
    for i in range(len(X)):
        part = slice(i, i + 1)
        model.partial_fit(given_samples[part], y[part], sample_weight=weights[part])
        n_updates += twin.learn_row(X[i], y[i], weights[i], row=i)
        assert model.n_updates_ == n_updates
        assert_same_solution(model, twin, **CLOSE)
    assert model.t_ == 1 + len(X) == 1 + model.n_samples_seen_
    assert len(X) / 5 < n_updates < len(X)


@with_all_but_slow
def test_epochs_equal_the_reference(name):
    """A repeated update of a sample is added to its coefficient."""
    X, y = curve(25 if "merging" in name else 60, seed=1)
    model = clone(ALL[name]).set_params(max_iter=3, tol=None, random_state=0)
    twin, random = twin_of(model, 1), np.random.RandomState(0)
    for _ in range(3):
        for i in shuffled(len(X), int(random.randint(0, 2**63 - 1, dtype=np.int64))):
            twin.learn_row(X[i], y[i], row=i)
    model.fit(X, y)
    assert_same_solution(model, twin, **CLOSE)
    assert model.n_iter_ == 3
    assert model.n_updates_ > len(model.support_)
    assert model.n_samples_seen_ == len(X)


@pytest.mark.parametrize("average", [False, "mean"])
def test_predictions_equal_the_definition(average):
    """Predictions of the last function, and the mean of the predictions after each sample."""
    X, y = curve(80, seed=2)
    probe, _ = curve(30, seed=3)
    last, predictions = regressor(), []
    for i in range(len(X)):
        last.partial_fit(X[i : i + 1], y[i : i + 1])
        predictions.append(last.predict(probe))
    expected = np.mean(predictions, axis=0) if average else predictions[-1]
    model = regressor(average=average, shuffle=False).fit(X, y)
    assert_allclose(model.predict(probe), expected, rtol=1e-5, atol=1e-6)
    assert_allclose(model.predict(probe), (model.dual_coef_ @ single(X[model.support_], probe))[0])
    assert model.score(X, y, sample_weight=np.arange(80)) == pytest.approx(
        r2_score(y, model.predict(X), sample_weight=np.arange(80))
    )


# -- special cases ----------------------------------------------------------------------


def test_residual_after_an_update():
    X, y = curve(40, seed=4)
    for C, weight in ((np.inf, 1.0), (np.inf, 0.5), (0.3, 1.0), (0.3, 0.5)):
        model = regressor(C=C).partial_fit(X, y)
        x, target = X[:1] + 0.3, [5.0]
        before = target - model.predict(x)
        after = target - model.partial_fit(x, target, sample_weight=[weight]).predict(x)
        expected = 0.1 if np.isinf(C) else before - C * weight
        assert_allclose(after, expected, rtol=1e-5)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "params",
    [{}, SQUARED, dict(C=np.inf), dict(epsilon=0.5), dict(average="mean")],
    ids=str,
)
@pytest.mark.parametrize("fit_intercept", [False, True])
@with_layouts
def test_with_a_linear_kernel_it_is_the_linear_model_step_by_step(params, fit_intercept, layout):
    """An intercept is a constant feature 1."""
    X, y = curve(120, seed=5)
    y += 2.0
    model = regressor(kernel="linear", **params)
    linear = PassiveAggressiveRegressor(
        **{"C": 0.7, **params, "average": "average" in params},
        fit_intercept=fit_intercept,
        intercept_scaling=1.0,
    )
    extended = LAYOUTS[layout](np.column_stack([X, np.ones(len(X))]) if fit_intercept else X)
    X = LAYOUTS[layout](X)
    for i in range(len(y)):
        model.partial_fit(extended[i : i + 1], y[i : i + 1])
        linear.partial_fit(X[i : i + 1], y[i : i + 1])
        assert model.n_updates_ == linear.n_updates_
        expected = np.append(linear.coef_, linear.intercept_ if fit_intercept else [])
        assert_allclose(model.coef_[0], expected, rtol=1e-4, atol=1e-5)
    assert_allclose(model.predict(extended), linear.predict(X), rtol=1e-4, atol=1e-4)
    assert model.n_updates_ > 20


def test_callable_and_precomputed_kernels_equal_the_named_kernel():
    X, y = curve(100, seed=6)
    named = regressor(max_iter=2, tol=None, random_state=0).fit(X, y)
    function = clone(named).set_params(kernel=single).fit(X, y)
    K = single(X, X)
    matrix = clone(named).set_params(kernel="precomputed").fit(K, y)
    for model, samples in ((function, X), (matrix, K)):
        assert_array_equal(model.support_, named.support_)
        assert_allclose(model.dual_coef_, named.dual_coef_, rtol=1e-4)
        assert_allclose(model.predict(samples), named.predict(X), rtol=1e-4)
    assert not hasattr(matrix, "partial_fit")


def test_other_kernels():
    X, y = curve(80, seed=7)
    for kernel, function in (
        ("linear", linear_kernel),
        ("poly", lambda A, B: (GAMMA * A @ B.T + 1.0) ** 3),
        ("sigmoid", lambda A, B: np.tanh(GAMMA * A @ B.T + 1.0)),
    ):
        model = regressor(kernel=kernel, coef0=1.0)
        twin = twin_of(model, 1, function)
        for i in range(len(X)):
            model.partial_fit(X[i : i + 1], y[i : i + 1])
            twin.learn_row(X[i], y[i], row=i)
        assert_same_solution(model, twin, rtol=1e-3, atol=1e-5)


def test_samples_with_zero_kernel_value_cause_no_update():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
    model = regressor(kernel="linear").partial_fit(X, [1.0, 2.0, 3.0])
    assert_array_equal(model.support_, [1])


@with_all
def test_single_precision_is_close(name):
    X, y = curve(60, seed=10)
    double, single_ = (taught(ALL[name], X.astype(kind), y) for kind in (np.float64, np.float32))
    assert single_.support_vectors_.dtype == np.float32
    assert_array_equal(single_.support_, double.support_)
    predictions = single_.predict(X.astype(np.float32))
    assert predictions.dtype == np.float64
    assert_allclose(predictions, double.predict(X), rtol=1e-3, atol=1e-4)


def test_training_stops_when_the_loss_does():
    X, y = curve(200)
    model = regressor(max_iter=200, random_state=0).fit(X, y)
    assert 2 < model.n_iter_ < 200
    assert model.score(X, y) > 0.95
    assert model.score(X, y) > regressor(random_state=0).fit(X, y).score(X, y)


def test_progressive_search():
    X, y = curve(400)
    model = regressor(random_state=0, max_support_vectors=50)
    search = ProgressiveSearch(model, {"C": [1e-4, 1.0], "epsilon": [0.1, 2.0]}, random_state=0)
    assert search.fit(X, y).best_params_ == {"C": 1.0, "epsilon": 0.1}
    assert search.score(X, y) > 0.8


# -- budgets ----------------------------------------------------------------------------


@settings(deadline=None, max_examples=20)
@given(st.sampled_from(REGRESSION_POLICIES), st.integers(1, 12), st.integers(0, 10**6))
def test_budget_is_never_exceeded(policy, most, seed):
    X, y = curve(50, seed)
    model = regressor(max_support_vectors=most, budget_policy=policy)
    for i in range(len(X)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        assert len(model.support_) == model.n_support_[0] <= most
    assert model.n_updates_ > most


@pytest.mark.parametrize("average", [False, "mean"])
def test_projection_is_lossless_with_a_budget_above_the_dimension(average):
    """With a linear kernel and 3 features, a budget of 4 loses nothing."""
    X, y = curve(300, n_features=3)
    params = dict(kernel="linear", C=0.1, shuffle=False, average=average)
    free = regressor(**params).fit(X, y)
    kept = regressor(**params, max_support_vectors=4).fit(X, y)
    assert len(kept.support_) <= 4
    assert_allclose(kept.coef_, free.coef_, rtol=0.02, atol=0.02)


@pytest.mark.parametrize(
    "params",
    [dict(budget_policy="merging", kernel="linear"), dict(kernel="sigmoid")],
    ids=str,
)
def test_policies_incompatible_with_the_kernel_are_rejected(params):
    X, y = curve(30)
    with pytest.raises(ValueError, match="budget_policy=.*Use budget_policy="):
        regressor(max_support_vectors=5, **params).fit(X, y)
    regressor(**params).fit(X, y)  # without a budget the policy is not used


# -- invalid input ----------------------------------------------------------------------


class Unharmed(UnharmedModel):
    attributes = (
        *("support_", "support_vectors_", "dual_coef_", "n_support_", "gamma_", "n_iter_"),
        *("n_features_in_", "n_samples_seen_", "n_updates_", "t_", "n_kernel_evaluations_"),
    )

    def __init__(self, layout="dense", **params):
        X, y = curve()
        super().__init__(lambda: regressor(random_state=0, **params), LAYOUTS[layout](X), y)


@with_layouts
def test_invalid_targets_and_samples(layout):
    unharmed = Unharmed(layout)
    X, y = unharmed.X, unharmed.y
    for value, said in ((np.nan, "NaN"), (np.inf, "infinity"), (None, "NaN")):
        wrong = y.astype(object if value is None else float)
        wrong[7] = value
        unharmed.refuses(ValueError, f"y contains {said}", y=wrong)
        unharmed.refuses(ValueError, f"y contains {said}", X[7:8], wrong[7:8], ["partial_fit"])
    unharmed.refuses(ValueError, "Complex data not supported", y=y + 1j)
    unharmed.refuses(ValueError, "Complex data not supported", X[:1], y[:1] + 1j)
    unharmed.refuses(ValueError, "could not convert string", y=np.full(100, "yes"))
    unharmed.refuses(ValueError, "could not convert string", X[:1], ["yes"])
    unharmed.refuses(ValueError, "y should be a 1d array", y=np.c_[y, y])
    unharmed.refuses(ValueError, "y should be a 1d array", X[:1], np.c_[y, y][:1])
    unharmed.refuses(ValueError, "inconsistent numbers of samples", y=y[1:])
    unharmed.refuses(ValueError, "inconsistent numbers of samples", X[:1], y[:2])
    unharmed.refuses(ValueError, "Negative values", sample_weight=-np.ones(100))
    match = "Sample weights must contain at least one non-zero"
    unharmed.refuses(ValueError, match, sample_weight=np.zeros(100), methods=["fit"])
    wrong = X.toarray() if layout == "csr" else X.copy()
    wrong[80, 1] = np.nan
    unharmed.refuses(ValueError, "Input X contains NaN", LAYOUTS[layout](wrong))
    unharmed.raises(ValueError, "Input X contains NaN", lambda m: m.predict(wrong))


@pytest.mark.parametrize(
    "name, value",
    [
        *(("C", 0.0), ("loss", "hinge"), ("epsilon", -0.1), ("average", "vote")),
        *(("budget_policy", "margin"), ("max_support_vectors", 0), ("average", True)),
    ],
)
def test_wrong_parameters(name, value):
    X, y = curve(40)
    match = f"The '{name}' parameter of KernelPassiveAggressiveRegressor must be .*{value!r}"
    for method in ("fit", "partial_fit"):
        with pytest.raises(InvalidParameterError, match=match):
            getattr(regressor(**{name: value}), method)(X, y)


def test_huge_targets_leave_a_finite_model():
    X, y = curve(60)
    for kind, scale in ((np.float32, 1e18), (np.float64, 1e18), (np.float64, 1e129)):
        model = regressor(C=np.inf).fit(X.astype(kind), y * scale)
        assert np.isfinite(model.dual_coef_).all()
        assert np.isfinite(model.predict(X.astype(kind))).all()
    # The sum of targets overflows, although each is finite.
    before = model.dual_coef_
    with pytest.raises(ValueError, match=r"y contains 1.5e\+308"):
        model.partial_fit(X[:4], np.full(4, 1.5e308))
    assert_array_equal(model.dual_coef_, before)


# -- interrupts and errors of a kernel function -----------------------------------------


@pytest.mark.parametrize("max_support_vectors", [None, 20])
@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_failure_in_a_kernel_function(error, max_support_vectors):
    X, y = curve(300)
    calls_left = [np.inf]

    def kernel(A, B):
        calls_left[0] -= 1
        if calls_left[0] == 0:
            raise error
        return single(A, B)

    params = dict(max_support_vectors=max_support_vectors, budget_policy="smallest")
    model = regressor(kernel=kernel, **params).partial_fit(X[:50], y[:50])
    calls_left[0] = 5
    with pytest.raises(error):
        model.partial_fit(X[50:], y[50:])
    n_rows = int(model.t_) - 1
    assert 50 < n_rows < 300 if error is KeyboardInterrupt else n_rows == 50
    expected = taught(regressor(kernel=single, **params), X[:n_rows], y[:n_rows])
    assert_same(model, expected, X=X)
    model.partial_fit(X[n_rows:], y[n_rows:])
    assert_same(model, expected.partial_fit(X[n_rows:], y[n_rows:]), X=X)


# -- attributes -------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_attributes_are_those_of_svr(kernel):
    X, y = curve(200)
    model = regressor(kernel=kernel, random_state=0).fit(X, y)
    svr = SVR(kernel=kernel, gamma=GAMMA).fit(X, y)
    n = len(model.support_)
    assert_array_equal(model.n_support_, [n])
    assert model.n_support_.shape == svr.n_support_.shape
    assert model.n_support_.dtype == svr.n_support_.dtype == model.support_.dtype
    assert model.dual_coef_.shape == (1, n)
    assert model.dual_coef_.ndim == svr.dual_coef_.ndim
    assert_array_equal(model.support_vectors_, X[model.support_])
    assert_array_equal(np.sort(model.support_), model.support_)
    assert_array_equal(model.intercept_, np.zeros_like(svr.intercept_))
    compressed = clone(model).fit(sparse.csr_matrix(X), y)
    assert_array_equal(compressed.support_vectors_.toarray(), model.support_vectors_)
    for name in ("classes_", "decision_function", "compress", "suspect_labels"):
        assert not hasattr(model, name)
    if kernel == "linear":
        assert model.coef_.shape == svr.coef_.shape
        assert_allclose(model.coef_, model.dual_coef_ @ model.support_vectors_, rtol=1e-12)
    else:
        with pytest.raises(AttributeError, match="only available when using a linear kernel"):
            model.coef_  # noqa: B018
    many = np.tile(X, (5, 1))
    assert_array_equal(
        clone(model).set_params(n_jobs=2).fit(X, y).predict(many), model.predict(many)
    )
