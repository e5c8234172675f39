"""RampSVC compared with a reference implementation, SVC and the definition."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.svm import SVC

from sklearn_online_svm import RampSVC
from sklearn_online_svm.datasets import flip_labels, make_banana_like
from tests.reference.ramp_svc import ReferenceRampSVC
from tests.support.pairs import noisy_classes, solutions_of_pairs
from tests.support.ramp import (
    BOTH,
    TOL,
    assert_same_model,
    model_of,
    noisy,
    noisy_three,
    ramp_objective,
    with_bias,
    with_both,
)
from tests.support.robust import GAMMA, alpha_of, signs, with_layouts
from tests.support.samples import LAYOUTS, two_classes

# -- the sequence of problems -----------------------------------------------------------


@pytest.mark.parametrize("tol", [0.1, 1e-3])
@with_bias
def test_objective_never_increases_beyond_a_coarse_tolerance(fit_intercept, tol):
    X, y = noisy(400)
    model = model_of(fit_intercept=fit_intercept, tol=tol, C=10.0).fit(X, y)
    assert model.n_iter_ > 2
    assert (np.diff(model.objective_history_[:, 0]) <= tol * 10.0 * 400).all()
    exact = model_of(fit_intercept=fit_intercept, C=10.0).fit(X, y)
    # Not the same minimum: the objective is not convex.
    assert_allclose(model.objective_history_[-1], exact.objective_history_[-1], rtol=0.03)


@with_both
@with_bias
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_objective_equals_the_definition(problem, fit_intercept, kernel):
    """After each problem: fits with a smaller max_iter give the same objectives."""
    X, y = BOTH[problem](160)
    K = rbf_kernel(X, gamma=GAMMA) if kernel == "rbf" else linear_kernel(X)
    params = dict(fit_intercept=fit_intercept, kernel=kernel, C=2.0, ramp_s=0.0)
    params["decision_function_shape"] = "ovo"
    full = model_of(**params).fit(X, y)
    assert full.n_iter_ > 2
    for max_iter in (1, 2, 3, 100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = model_of(max_iter=max_iter, **params).fit(X, y)
        n = min(max_iter, full.n_iter_)
        assert model.n_iter_ == n
        assert_array_equal(model.objective_history_, full.objective_history_[:n])
        if problem == "binary":
            coef, terms = alpha_of(model, len(y))[None], signs(y)[None]
        else:
            pairs = solutions_of_pairs(model, y)
            coef, terms = (np.array([getattr(p, n) for p in pairs]) for n in ("alpha", "terms"))
        decisions = model.decision_function(X).reshape(len(y), -1)
        for c, (alpha, y_signed) in enumerate(zip(coef, terms, strict=True)):
            # Samples of other classes have the cost 0.
            costs = 2.0 * np.abs(y_signed)
            expected = ramp_objective(K, y_signed, costs, alpha, model.intercept_[c], 0.0)
            assert_allclose(model.objective_history_[-1, c], expected, rtol=1e-5)
        assert_allclose(decisions, K @ coef.T + model.intercept_, atol=1e-5 * K.max() * 10)


def test_the_objective_with_weights():
    X, y = noisy()
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], 200)
    model = model_of(class_weight={"no": 0.7}).fit(X, y, weight)
    cost = 5.0 * weight * np.where(y == "no", 0.7, 1.0)
    K, solution = rbf_kernel(X, gamma=GAMMA), (alpha_of(model, 200), model.intercept_[0])
    expected = ramp_objective(K, signs(y), cost, *solution, model.ramp_s)
    assert_allclose(model.objective_history_[-1, 0], expected, rtol=1e-5)


def check_stationary(model, K, y, cost, alpha=None, intercept=None):
    """Check that f solves the convex problem whose beta results from f.

    Samples close to an end of the ramp may be on either side. ``alpha``, ``intercept``: those of
    one of several problems.
    """
    tol = max(1e-4, 10 * model.tol)
    n, s = len(y), model.ramp_s
    alpha = alpha_of(model, n) if alpha is None else alpha
    intercept = model.intercept_[0] if intercept is None else intercept
    z = y * (K @ alpha + intercept)
    beyond, at_end = z < s, np.abs(z - s) <= tol
    # -y alpha - beta is a subgradient of the hinge loss: between -C and 0.
    pull = y * alpha + np.where(beyond, cost, 0.0)
    pull_if_not = y * alpha + np.where(beyond, 0.0, cost)
    rounding = 1e-9 * cost.max()

    def fits(pull):
        inside = (pull >= -rounding) & (pull <= cost + rounding)
        left = (z >= 1 - tol) | (np.abs(pull - cost) <= rounding)
        right = (z <= 1 + tol) | (np.abs(pull) <= rounding)
        return inside & left & right

    good = fits(pull) | (at_end & fits(pull_if_not))
    assert good.all(), (z[~good], alpha[~good], cost[~good])
    # Outliers have alpha = 0.
    assert not alpha[beyond & ~at_end].any()
    if model.fit_intercept:
        assert abs(alpha.sum()) <= 1e-9 * max(1.0, np.abs(alpha).sum())
    else:
        assert intercept == 0.0


# -- the reference implementation -------------------------------------------------------


@with_bias
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("C", [0.5, 5.0])
@pytest.mark.parametrize("ramp_s", [-1.0, 0.0])
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))]
)
def test_each_problem_equals_the_reference(fit_intercept, kernel, C, ramp_s, seed):
    X, y = noisy(60, seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, 60)
    K = rbf_kernel(X, gamma=GAMMA) if kernel == "rbf" else linear_kernel(X)
    K = K.astype(np.float32).astype(np.float64)
    twin = ReferenceRampSVC(K, signs(y), C * weight, ramp_s, fit_intercept).fit()
    model = model_of(
        kernel="precomputed", C=C, ramp_s=ramp_s, fit_intercept=fit_intercept, tol=TOL[kernel]
    ).fit(K, y, weight)
    exactness = 100 * max(model.tol, 1e-6)
    # The last problems may differ by samples at the end of the ramp, which do not matter.
    history, expected = model.objective_history_[:, 0], np.array(twin.objective_history)
    n = min(len(history), len(expected))
    assert n >= 1 and abs(len(history) - len(expected)) <= 1
    assert_allclose(history[:n], expected[:n], rtol=exactness)
    assert_allclose(history[-1], expected[-1], rtol=exactness)
    assert_allclose(model.decision_function(K), twin.decision_function(), atol=exactness)
    if fit_intercept:
        assert_allclose(model.intercept_[0], twin.b, atol=exactness)
    assert model.kkt_violation_ <= model.tol * 1.01
    assert abs(model.duality_gap_[0]) <= (1e-5 + model.tol) * 2 * C * 60


# -- without a ramp ---------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("C", [0.1, 10.0])
@with_layouts
def test_without_a_ramp_it_equals_svc(kernel, C, layout):
    X, y = noisy()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 200)
    params = dict(kernel=kernel, C=C, gamma=GAMMA, degree=2, coef0=1.0, tol=TOL[kernel])
    svc = SVC(**params).fit(X, y, weight)
    model = RampSVC(ramp_s=-1e9, random_state=0, **params).fit(LAYOUTS[layout](X), y, weight)
    assert model.n_iter_ == len(model.objective_history_) == 1
    close = dict(rtol=0, atol=100 * max(1e-6, model.tol))
    assert_allclose(model.decision_function(X), svc.decision_function(X), **close)
    K = {
        "rbf": rbf_kernel(X, gamma=GAMMA),
        "linear": linear_kernel(X),
        "poly": (GAMMA * X @ X.T + 1) ** 2,
    }[kernel]
    alpha = np.zeros(200)
    alpha[svc.support_] = svc.dual_coef_[0]
    y_signed = signs(y)
    z = y_signed * (K @ alpha + svc.intercept_)
    primal = 0.5 * alpha @ K @ alpha + C * weight @ np.maximum(0, 1 - z)
    dual = alpha @ y_signed - 0.5 * alpha @ K @ alpha
    assert_allclose(model.objective_history_[0, 0], primal, rtol=max(1e-6, model.tol))
    assert_allclose(model.dual_objective_[0], dual, rtol=1e-6)
    assert_allclose(model.intercept_, svc.intercept_, **close)


def test_clean_data_need_one_problem():
    """No sample lies beyond the ramp of the hinge solution."""
    X, y = two_classes(noise=0.0)
    model = model_of(C=100.0).fit(X, y)
    svc = SVC(C=100.0, gamma=GAMMA, tol=1e-8).fit(X, y)
    assert model.n_iter_ == 1
    assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-3)


# -- robustness -------------------------------------------------------------------------


@with_bias
def test_outliers_are_not_support_vectors(fit_intercept):
    X, y = make_banana_like(1600, random_state=0)
    given, flipped = flip_labels(y[:600], 0.2, random_state=1, return_mask=True)
    ramp = RampSVC(C=10.0, gamma=1.0, fit_intercept=fit_intercept).fit(X[:600], given)
    hinge = SVC(C=10.0, gamma=1.0).fit(X[:600], given)
    assert ramp.n_support_.sum() < 0.6 * hinge.n_support_.sum()
    assert flipped[ramp.support_].sum() < 0.6 * flipped[hinge.support_].sum()
    # No sample beyond the ramp is a support vector.
    margins = signs(given) * ramp.decision_function(X[:600])
    assert margins[ramp.support_].min() > -1 - 1e-2
    assert ramp.score(X[600:], y[600:]) > hinge.score(X[600:], y[600:]) - 0.02


def test_one_outlier_far_away():
    """By hand: x = 1 twice, and x = 3 with the wrong label; no bias."""
    X, y = np.array([[1.0], [1.0], [3.0]]), np.array([1, 1, 0])
    model = model_of(kernel="linear", C=1.0, fit_intercept=False)
    model.fit(X, y, [10.0, 10.0, 0.1])
    assert_allclose(model.objective_history_[:, 0], [0.5 + 0.2, 0.5 + 0.2], rtol=1e-6)
    assert_allclose(model.decision_function(X), [1, 1, 3], rtol=1e-6)
    assert 2 not in model.support_


# -- several classes --------------------------------------------------------------------


@with_bias
@with_layouts
def test_one_versus_rest_equals_a_model_of_each_class(fit_intercept, layout):
    X, y = noisy_three()
    data = LAYOUTS[layout](X)
    model = model_of(multi_class="ovr", fit_intercept=fit_intercept).fit(data, y)
    decisions = model.decision_function(data)
    assert decisions.shape == (240, 3)
    for c, label in enumerate([10, 20, 30]):
        alone = model_of(fit_intercept=fit_intercept).fit(data, y == label)
        assert_allclose(decisions[:, c], alone.decision_function(data), atol=1e-3)
        n = min(alone.n_iter_, model.n_iter_)
        assert_allclose(
            model.objective_history_[:n, c], alone.objective_history_[:n, 0], rtol=1e-5
        )
        assert_allclose(model.objective_history_[-1, c], alone.objective_history_[-1], rtol=1e-5)
    assert_array_equal(model.predict(data), model.classes_[decisions.argmax(axis=1)])


@with_bias
@pytest.mark.parametrize("init_size", [None, 1, 0.2])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 2: 0.5}])
def test_the_solution_of_each_pair_is_stationary(fit_intercept, init_size, class_weight):
    X, y = noisy_classes(240, 4, noise=0.3)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], 240)
    params = dict(multi_class="ovo", gamma=0.1, init_size=init_size, class_weight=class_weight)
    model = model_of(fit_intercept=fit_intercept, tol=1e-6, **params).fit(X, y, weight)
    history = model.objective_history_
    assert history.shape == (model.n_iter_, 6) and model.n_iter_ > 1
    # A first problem over a part of the samples does not belong to the sequence.
    first = 0 if init_size is None else 1
    assert (np.diff(history[first:], axis=0) <= 1e-4).all()
    K, cost = rbf_kernel(X, gamma=0.1), 5.0 * weight * model.class_weight_[y]
    n_beyond = 0
    for c, pair in enumerate(solutions_of_pairs(model, y)):
        rows = pair.rows[weight[pair.rows] > 0]
        mine = K[np.ix_(rows, rows)], pair.terms[rows], cost[rows]
        check_stationary(model, *mine, pair.alpha[rows], pair.intercept)
        z = pair.terms[rows] * (mine[0] @ pair.alpha[rows] + pair.intercept)
        expected = ramp_objective(*mine, pair.alpha[rows], pair.intercept, model.ramp_s)
        assert_allclose(history[-1, c], expected, rtol=1e-5)
        n_beyond += np.count_nonzero(z < model.ramp_s)
    assert n_beyond > 2


# -- invariances ------------------------------------------------------------------------


@with_both
@with_bias
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_and_csr_input_give_the_same_model(problem, fit_intercept, dtype):
    X, y = BOTH[problem]()
    X = np.where(np.abs(X) < 0.3, 0.0, X).astype(dtype)
    dense, sparse = (
        model_of(fit_intercept=fit_intercept).fit(rows, y) for rows in (X, csr_matrix(X))
    )
    assert_same_model(dense, sparse)
    assert_array_equal(dense.decision_function(X), sparse.decision_function(csr_matrix(X)))


@with_both
@with_bias
def test_float32_gives_a_similar_model(problem, fit_intercept):
    X, y = BOTH[problem]()
    double, single = (
        model_of(fit_intercept=fit_intercept, tol=1e-6).fit(X.astype(dtype), y)
        for dtype in (np.float64, np.float32)
    )
    assert_allclose(single.objective_history_[-1], double.objective_history_[-1], rtol=1e-4)
    assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-2)


@with_both
@with_bias
def test_model_is_independent_of_cache_size_and_threads(problem, fit_intercept):
    X, y = BOTH[problem](400)
    params = dict(fit_intercept=fit_intercept, tol=1e-4)
    expected = model_of(**params).fit(X, y)
    assert_same_model(model_of(cache_size=1e-3, **params).fit(X, y), expected)
    two = model_of(n_jobs=2, **params).fit(X, y)
    assert_same_model(two, expected)
    assert_array_equal(two.decision_function(X), expected.decision_function(X))
    unshrunk = model_of(shrinking=False, **params).fit(X, y)
    assert_allclose(unshrunk.objective_history_[-1], expected.objective_history_[-1], rtol=1e-3)


@with_bias
def test_model_is_independent_of_the_sample_order(fit_intercept):
    X, y = noisy()
    expected = model_of(fit_intercept=fit_intercept).fit(X, y)
    order = np.random.default_rng(1).permutation(200)
    for model, rows in [
        (model_of(fit_intercept=fit_intercept, random_state=7).fit(X, y), X),
        (model_of(fit_intercept=fit_intercept).fit(X[order], y[order]), X),
    ]:
        assert_allclose(model.objective_history_[:2], expected.objective_history_[:2], rtol=1e-6)
        assert_allclose(model.decision_function(rows), expected.decision_function(X), atol=1e-3)
    again = model_of(fit_intercept=fit_intercept, random_state=7)
    assert_same_model(again.fit(X, y), clone(again).fit(X, y))


# -- first problem over a part of the samples -------------------------------------------


@with_bias
@pytest.mark.parametrize("init_size", [1, 2, 30, 0.01, 0.25, 1.0, 200, 10_000])
def test_first_problem_over_some_samples(fit_intercept, init_size):
    X, y = noisy()
    model = model_of(fit_intercept=fit_intercept, init_size=init_size).fit(X, y)
    history = model.objective_history_[:, 0]
    # The first problem has fewer samples; from the second on, all are used.
    assert (np.diff(history[1:]) <= 1e-5).all()
    assert model.n_iter_ > 1
    check_stationary(model, rbf_kernel(X, gamma=GAMMA), signs(y), np.full(200, 5.0))
    assert model.score(X, y) > 0.6
    if init_size in (1.0, 200, 10_000):
        whole = model_of(fit_intercept=fit_intercept).fit(X, y)
        assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-4)


def test_first_samples_are_drawn_at_random():
    X, y = noisy(300)
    firsts = [
        model_of(init_size=size, random_state=seed).fit(X, y).objective_history_[0, 0]
        for size, seed in [(30, 0), (30, 0), (0.1, 0), (30, 1), (60, 0)]
    ]
    assert firsts[0] == firsts[1] == firsts[2]
    assert len(set(firsts)) == 3


def test_samples_of_weight_0_are_not_in_the_first_problem():
    X, y = noisy()
    some, weights = slice(0, 12), np.zeros(200)
    weights[some] = 1.0
    model = model_of(init_size=12).fit(X, y, weights)
    alone = model_of(init_size=12).fit(X[some], y[some])
    assert_allclose(model.objective_history_[0], alone.objective_history_[0], rtol=1e-6)
