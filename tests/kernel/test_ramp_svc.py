"""RampSVC: its convex problems and their sequence, beside a plain twin, SVC, the definition."""

import io
import re
import warnings
from contextlib import redirect_stdout
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import RampSVC
from sklearn_online_svm.datasets import flip_labels, make_banana_like
from tests.reference.ramp_svc import ReferenceRampSVC
from tests.support.copies import with_copies
from tests.support.samples import LAYOUTS, three_classes, two_classes
from tests.support.unharmed import UnharmedModel

with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
with_bias = pytest.mark.parametrize("fit_intercept", [True, False], ids=["bias", "no bias"])
GAMMA = 0.3
# The matrix of a linear kernel has a low rank, and in single precision it is not quite positive
# definite: a small tol takes any solver, SVC included, millions of steps.
TOL = {"rbf": 1e-8, "poly": 1e-6, "linear": 1e-4}


def noisy(n=200, seed=0, **params):
    """Two classes, a fifth of the labels wrong."""
    X, y = two_classes(n, seed=seed, **params)
    return X, flip_labels(y, 0.2, random_state=seed)


def noisy_three(n=240, seed=0):
    X, y = three_classes(n, seed=seed)
    return X, flip_labels(y, 0.2, random_state=seed)


BOTH = {"binary": noisy, "multiclass": noisy_three}
with_both = pytest.mark.parametrize("problem", BOTH)


def model_of(**params):
    tol = TOL.get(params.get("kernel"), 1e-8)
    return RampSVC(**{"gamma": GAMMA, "C": 5.0, "tol": tol, "random_state": 0, **params})


def signs(y):
    return np.where(y == np.unique(y)[-1], 1.0, -1.0)


def alpha_of(model, n, c=0):
    alpha = np.zeros(n)
    np.add.at(alpha, model.support_, model.dual_coef_[c])
    return alpha


def ramp_objective(model, K, y, cost, c=0):
    """1/2 |w|^2 + sum of ramp losses, from decision values and coefficients alone."""
    z = y * (K @ alpha_of(model, len(y), c) + model.intercept_[c])
    loss = np.maximum(0, 1 - z) - np.maximum(0, model.ramp_s - z)
    alpha = alpha_of(model, len(y), c)
    return 0.5 * alpha @ K @ alpha + cost @ loss


LEARNT = ("classes_", "support_", "dual_coef_", "intercept_", "objective_history_")


def assert_same_model(model, other):
    """The same to the last bit."""
    for name in LEARNT:
        assert_array_equal(getattr(model, name), getattr(other, name))


# -- the sequence of problems -----------------------------------------------------------


@with_both
@with_bias
@pytest.mark.parametrize("ramp_s", [-2.0, -1.0, 0.0, 0.5])
@pytest.mark.parametrize("C", [0.5, 5.0, 100.0])
def test_the_objective_never_rises(problem, fit_intercept, ramp_s, C):
    X, y = BOTH[problem]()
    model = model_of(fit_intercept=fit_intercept, ramp_s=ramp_s, C=C).fit(X, y)
    history = model.objective_history_
    assert history.shape == (model.n_iter_, 1 if problem == "binary" else 3)
    assert 1 <= model.n_iter_ <= 100
    assert (np.diff(history, axis=0) <= 1e-5 * C).all()


@pytest.mark.parametrize("tol", [0.1, 1e-3])
@with_bias
def test_the_objective_never_rises_beyond_a_coarse_tolerance(fit_intercept, tol):
    X, y = noisy(400)
    model = model_of(fit_intercept=fit_intercept, tol=tol, C=10.0).fit(X, y)
    assert model.n_iter_ > 2
    assert (np.diff(model.objective_history_[:, 0]) <= tol * 10.0 * 400).all()
    exact = model_of(fit_intercept=fit_intercept, C=10.0).fit(X, y)
    assert_allclose(model.objective_history_[-1], exact.objective_history_[-1], rtol=0.03)


@with_both
@with_bias
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_the_objective_is_the_one_of_the_definition(problem, fit_intercept, kernel):
    """After each problem: fits that stop earlier go the same way."""
    X, y = BOTH[problem](160)
    K = rbf_kernel(X, gamma=GAMMA) if kernel == "rbf" else linear_kernel(X)
    params = dict(fit_intercept=fit_intercept, kernel=kernel, C=2.0, ramp_s=0.0)
    full = model_of(**params).fit(X, y)
    assert full.n_iter_ > 2
    for max_iter in (1, 2, 3, 100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = model_of(max_iter=max_iter, **params).fit(X, y)
        n = min(max_iter, full.n_iter_)
        assert model.n_iter_ == n
        assert_array_equal(model.objective_history_, full.objective_history_[:n])
        for c in range(model.objective_history_.shape[1]):
            positive = model.classes_[1 if problem == "binary" else c]
            y_signed = np.where(y == positive, 1.0, -1.0)
            expected = ramp_objective(model, K, y_signed, np.full(len(y), 2.0), c)
            assert_allclose(model.objective_history_[-1, c], expected, rtol=1e-5)
        decisions = model.decision_function(X).reshape(len(y), -1)
        coef = np.array([alpha_of(model, len(y), c) for c in range(decisions.shape[1])])
        assert_allclose(decisions, K @ coef.T + model.intercept_, atol=1e-5 * K.max() * 10)


def test_the_objective_with_weights():
    X, y = noisy()
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 3.0], 200)
    model = model_of(class_weight={"no": 0.7}).fit(X, y, weight)
    cost = 5.0 * weight * np.where(y == "no", 0.7, 1.0)
    expected = ramp_objective(model, rbf_kernel(X, gamma=GAMMA), signs(y), cost)
    assert_allclose(model.objective_history_[-1, 0], expected, rtol=1e-5)


def check_stationary(model, K, y, cost):
    """The betas of the final f are those that were solved for, and f solves their problem.

    Rows close to an end of the ramp may be on either side.
    """
    tol = max(1e-4, 10 * model.tol)
    n, s = len(y), model.ramp_s
    alpha = alpha_of(model, n)
    z = y * (K @ alpha + model.intercept_[0])
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
    # Outliers have no say.
    assert not alpha[beyond & ~at_end].any()
    if model.fit_intercept:
        assert abs(alpha.sum()) <= 1e-9 * max(1.0, np.abs(alpha).sum())
    else:
        assert_array_equal(model.intercept_, 0.0)


@with_bias
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("ramp_s", [-1.0, 0.0, 0.7])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_solution_is_stationary(fit_intercept, kernel, C, ramp_s, seed):
    X, y = noisy(150, seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, 150)
    model = model_of(fit_intercept=fit_intercept, kernel=kernel, C=C, ramp_s=ramp_s)
    model.fit(X, y, weight)
    K = rbf_kernel(X, gamma=GAMMA) if kernel == "rbf" else linear_kernel(X)
    check_stationary(model, K, signs(y), C * weight)
    assert model.kkt_violation_ <= model.tol * 1.01
    assert abs(model.duality_gap_[0]) <= (1e-5 + model.tol) * 2 * C * 150


@with_bias
def test_each_convex_problem_is_solved_to_tol_over_all_rows(fit_intercept):
    X, y = noisy(500)
    for tol in (0.1, 1e-3, 1e-6):
        model = model_of(fit_intercept=fit_intercept, tol=tol).fit(X, y)
        assert 0 <= model.kkt_violation_ <= tol * 1.01
        assert model.duality_gap_[0] <= tol * 5.0 * 500


# -- the twin ---------------------------------------------------------------------------


@with_bias
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("C", [0.5, 5.0])
@pytest.mark.parametrize("ramp_s", [-1.0, 0.0])
@pytest.mark.parametrize("seed", range(4))
def test_it_goes_the_way_of_its_twin(fit_intercept, kernel, C, ramp_s, seed):
    X, y = noisy(60, seed)
    weight = np.random.default_rng(seed).uniform(0.5, 2.0, 60)
    K = rbf_kernel(X, gamma=GAMMA) if kernel == "rbf" else linear_kernel(X)
    K = K.astype(np.float32).astype(np.float64)
    twin = ReferenceRampSVC(K, signs(y), C * weight, ramp_s, fit_intercept).fit()
    model = model_of(
        kernel="precomputed", C=C, ramp_s=ramp_s, fit_intercept=fit_intercept, tol=TOL[kernel]
    ).fit(K, y, weight)
    exactness = 100 * max(model.tol, 1e-6)
    # The last problems may differ by rows at the end of the ramp, and so by nothing.
    history, expected = model.objective_history_[:, 0], np.array(twin.objective_history)
    n = min(len(history), len(expected))
    assert n >= 1 and abs(len(history) - len(expected)) <= 1
    assert_allclose(history[:n], expected[:n], rtol=exactness)
    assert_allclose(history[-1], expected[-1], rtol=exactness)
    assert_allclose(model.decision_function(K), twin.decision_function(), atol=exactness)
    if fit_intercept:
        assert_allclose(model.intercept_[0], twin.b, atol=exactness)


# -- without a ramp ---------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("C", [0.1, 10.0])
@with_layouts
def test_without_a_ramp_it_is_svc(kernel, C, layout):
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
    """No row lies beyond the ramp of the hinge solution."""
    X, y = two_classes(noise=0.0)
    model = model_of(C=100.0).fit(X, y)
    svc = SVC(C=100.0, gamma=GAMMA, tol=1e-8).fit(X, y)
    assert model.n_iter_ == 1
    assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-3)


# -- what it is for ---------------------------------------------------------------------


@with_bias
def test_outliers_are_no_support_vectors(fit_intercept):
    X, y = make_banana_like(1600, random_state=0)
    given, flipped = flip_labels(y[:600], 0.2, random_state=1, return_mask=True)
    ramp = RampSVC(C=10.0, gamma=1.0, fit_intercept=fit_intercept).fit(X[:600], given)
    hinge = SVC(C=10.0, gamma=1.0).fit(X[:600], given)
    assert ramp.n_support_.sum() < 0.6 * hinge.n_support_.sum()
    assert flipped[ramp.support_].sum() < 0.6 * flipped[hinge.support_].sum()
    # Beyond the ramp no row is one.
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


# -- weights ----------------------------------------------------------------------------


@with_both
@with_bias
def test_weight_two_is_the_row_twice_and_weight_zero_the_row_left_out(problem, fit_intercept):
    X, y = BOTH[problem](150)
    weight = np.random.default_rng(0).choice([0, 1, 1, 2], 150)
    repeated = np.repeat(np.arange(150), weight)
    weighted = model_of(fit_intercept=fit_intercept).fit(X, y, weight)
    other = model_of(fit_intercept=fit_intercept).fit(X[repeated], y[repeated])
    assert weighted.n_iter_ > 1
    assert_allclose(weighted.decision_function(X), other.decision_function(X), atol=1e-4)
    assert_allclose(weighted.objective_history_[-1], other.objective_history_[-1], rtol=1e-6)
    assert (weight[weighted.support_] > 0).all()


@with_both
def test_rows_of_weight_zero_are_as_if_not_there(problem):
    X, y = BOTH[problem](150)
    weight = np.where(np.arange(150) % 3, 1.0, 0.0)
    kept = np.flatnonzero(weight)
    model = model_of().fit(X, y, weight)
    other = model_of().fit(X[kept], y[kept])
    assert_allclose(model.decision_function(X), other.decision_function(X), atol=1e-4)
    # Whatever is in them.
    X = np.where(weight[:, None] > 0, X, 100.0)
    assert_allclose(
        model_of().fit(X, y, weight).decision_function(X[kept]),
        other.decision_function(X[kept]),
        atol=1e-4,
    )


@with_both
def test_class_weight_is_sample_weight_by_class(problem):
    X, y = BOTH[problem](150)
    classes, counts = np.unique(y, return_counts=True)
    factors = dict(zip(classes.tolist(), [0.5, 3.0, 1.5]))
    model = model_of(class_weight=factors).fit(X, y)
    assert_array_equal(model.class_weight_, [factors[c] for c in classes.tolist()])
    assert_same_model(model, model_of().fit(X, y, [factors[label] for label in y.tolist()]))
    balanced = model_of(class_weight="balanced").fit(X, y)
    expected = 150 / (len(classes) * counts)
    assert_allclose(balanced.class_weight_, expected)
    assert_same_model(balanced, model_of().fit(X, y, expected[np.searchsorted(classes, y)]))


# -- several classes --------------------------------------------------------------------


@with_bias
@with_layouts
def test_several_classes_are_one_versus_rest(fit_intercept, layout):
    X, y = noisy_three()
    data = LAYOUTS[layout](X)
    model = model_of(fit_intercept=fit_intercept).fit(data, y)
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


# -- the attributes ---------------------------------------------------------------------


@with_both
@with_bias
@with_layouts
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_attributes_describe_the_solution(problem, fit_intercept, layout, dtype):
    X, y = BOTH[problem]()
    data = LAYOUTS[layout](X.astype(dtype))
    model = model_of(fit_intercept=fit_intercept, tol=1e-3).fit(data, y)
    n, n_classes = len(y), len(np.unique(y))
    n_machines, n_sv = 1 if n_classes == 2 else n_classes, len(model.support_)
    assert 0 < n_sv < n
    assert_array_equal(model.classes_, np.unique(y))
    assert_array_equal(y[model.support_], np.repeat(model.classes_, model.n_support_))
    assert model.dual_coef_.shape == (n_machines, n_sv)
    assert model.intercept_.shape == (n_machines,)
    assert model.intercept_.any() == fit_intercept
    assert model.dual_objective_.shape == model.duality_gap_.shape == (n_machines,)
    assert model.objective_history_.shape == (model.n_iter_, n_machines)
    assert model.n_samples_seen_ == n and model.n_features_in_ == 4
    assert model.gamma_ == GAMMA and model.n_kernel_evaluations_ > n
    assert np.abs(model.dual_coef_).max() <= 5.0
    vectors = model.support_vectors_
    assert vectors.dtype == dtype and issparse(vectors) == (layout == "csr")
    assert abs(vectors - data[model.support_]).max() == 0
    K = rbf_kernel(X, X[model.support_], gamma=GAMMA)
    expected = K @ model.dual_coef_.T + model.intercept_
    assert_allclose(model.decision_function(data).reshape(n, -1), expected, atol=1e-4)


@with_both
@with_bias
def test_a_row_is_a_support_vector_once(problem, fit_intercept):
    """Rows that one class had kept and another took in later were stored twice."""
    X, y = BOTH[problem]()
    for ramp_s in (-1e9, 0.0):
        model = model_of(fit_intercept=fit_intercept, ramp_s=ramp_s).fit(X, y)
        assert len(np.unique(model.support_)) == len(model.support_)


def test_coef_is_there_for_the_linear_kernel_only():
    X, y = noisy()
    model = model_of(kernel="linear").fit(X, y)
    assert_allclose(model.decision_function(X), X @ model.coef_[0] + model.intercept_, atol=1e-5)
    assert not hasattr(model_of().fit(X, y), "coef_")


def test_it_is_no_stream():
    for name in ("partial_fit", "finish"):
        assert not hasattr(RampSVC(), name)


# -- what makes no difference -----------------------------------------------------------


@with_both
@with_bias
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_rows_and_csr_rows_give_the_same_model(problem, fit_intercept, dtype):
    X, y = BOTH[problem]()
    X = np.where(np.abs(X) < 0.3, 0.0, X).astype(dtype)
    dense, sparse = (
        model_of(fit_intercept=fit_intercept).fit(rows, y) for rows in (X, csr_matrix(X))
    )
    assert_same_model(dense, sparse)
    assert_array_equal(dense.decision_function(X), sparse.decision_function(csr_matrix(X)))


@with_both
@with_bias
def test_float32_rows_give_a_similar_model(problem, fit_intercept):
    X, y = BOTH[problem]()
    double, single = (
        model_of(fit_intercept=fit_intercept, tol=1e-6).fit(X.astype(dtype), y)
        for dtype in (np.float64, np.float32)
    )
    assert_allclose(single.objective_history_[-1], double.objective_history_[-1], rtol=1e-4)
    assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-2)


@with_both
@with_bias
def test_memory_and_threads_make_no_difference(problem, fit_intercept):
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
def test_the_order_of_the_rows_makes_no_difference(fit_intercept):
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


# -- the first problem over a part of the rows ------------------------------------------


@with_bias
@pytest.mark.parametrize("init_size", [1, 2, 30, 0.01, 0.25, 1.0, 200, 10_000])
def test_a_first_problem_over_some_rows(fit_intercept, init_size):
    X, y = noisy()
    model = model_of(fit_intercept=fit_intercept, init_size=init_size).fit(X, y)
    history = model.objective_history_[:, 0]
    # The first one is about other rows; from the second on all are in.
    assert (np.diff(history[1:]) <= 1e-5).all()
    assert model.n_iter_ > 1
    check_stationary(model, rbf_kernel(X, gamma=GAMMA), signs(y), np.full(200, 5.0))
    assert model.score(X, y) > 0.6
    if init_size in (1.0, 200, 10_000):
        whole = model_of(fit_intercept=fit_intercept).fit(X, y)
        assert_allclose(model.decision_function(X), whole.decision_function(X), atol=1e-4)


def test_the_first_rows_are_drawn_at_random():
    X, y = noisy(300)
    firsts = [
        model_of(init_size=size, random_state=seed).fit(X, y).objective_history_[0, 0]
        for size, seed in [(30, 0), (30, 0), (0.1, 0), (30, 1), (60, 0)]
    ]
    assert firsts[0] == firsts[1] == firsts[2]
    assert len(set(firsts)) == 3


def test_with_a_part_of_the_rows_and_no_ramp_it_is_svc():
    X, y = noisy()
    model = model_of(init_size=0.2, ramp_s=-1e9).fit(X, y)
    svc = SVC(C=5.0, gamma=GAMMA, tol=1e-8).fit(X, y)
    assert model.n_iter_ == 2
    assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-4)


# -- limits -----------------------------------------------------------------------------


@with_both
def test_too_few_problems_are_reported(problem):
    X, y = BOTH[problem](300)
    for max_iter in (1, 2):
        match = rf"RampSVC did not converge within max_iter={max_iter} convex problems: \d+ rows"
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


def test_too_few_rounds_are_reported():
    class Impatient(RampSVC):
        max_passes = 1

    X, y = noisy(600)
    with pytest.warns(ConvergenceWarning, match="within 1 rounds.* tol is 1e-08") as caught:
        Impatient(tol=1e-8, C=100.0, random_state=0).fit(X, y)
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
            assert re.match(rf"\[RampSVC\] problem {i}: objective [\d.e+]+, \d+ rows beyond", line)


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


def test_clone_forgets_the_fit():
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
def test_fit_leaves_no_trace_of_the_former_fit(layout):
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
def test_hardly_any_rows(fit_intercept, n):
    X, y = np.random.default_rng(n).normal(size=(n, 3)), np.arange(n) % 2
    model = model_of(fit_intercept=fit_intercept, C=100.0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.n_iter_ == 1


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("ramp_s", [-1.0, -0.5])
@pytest.mark.parametrize("init_size", [1, 3, 1e-3])
def test_a_tiny_first_problem_has_a_row_of_each_class(init_size, ramp_s, fit_intercept):
    """With rows of one class only, all of the other lay beyond the ramp and were given up."""
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
