"""The oracle has to be right first: LASVM's twin against mathematics and against SVC."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import pairwise
from sklearn.svm import SVC

from tests.reference.lasvm import (
    ReferenceLasvm,
    linear_kernel,
    poly_kernel,
    rbf_kernel,
    round_to_float32,
    sigmoid_kernel,
)

KERNELS = {
    "linear": linear_kernel,
    "poly": lambda X, Y: poly_kernel(X, Y, gamma=0.5, coef0=1.0, degree=2),
    "rbf": lambda X, Y: rbf_kernel(X, Y, gamma=0.5),
    "sigmoid": lambda X, Y: sigmoid_kernel(X, Y, gamma=0.5, coef0=-0.5),
}


def two_clouds(seed, n, separation=1.0, n_features=3):
    """Overlapping normal clouds, both labels present in equal numbers, in mixed order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
    X = rng.normal(size=(n, n_features)) + 0.5 * separation * y[:, None]
    return X, y


def make_twin(seed=0, n=40, kernel="rbf", C=1.0, **params):
    X, y = two_clouds(seed, n)
    K = round_to_float32(KERNELS[kernel](X, X))
    return ReferenceLasvm(K, y, np.full(n, C), **params)


def fitted_svc(K, y, C):
    """(model, dual objective) of libsvm for the bounds C; rows with bound 0 are left out by it."""
    svc = SVC(kernel="precomputed", C=1.0, tol=1e-8).fit(K, y, sample_weight=C)
    alpha = np.zeros(len(y))
    alpha[svc.support_] = svc.dual_coef_[0]
    return svc, alpha @ y - 0.5 * alpha @ K @ alpha


def converge(twin):
    twin.fit(range(len(twin.y)), n_passes=-1)
    twin.finish()
    return twin


# -- kernels ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (linear_kernel, pairwise.linear_kernel),
        (
            lambda X, Y: poly_kernel(X, Y, 0.3, 1.5, 3),
            lambda X, Y: pairwise.polynomial_kernel(X, Y, degree=3, gamma=0.3, coef0=1.5),
        ),
        (lambda X, Y: rbf_kernel(X, Y, 0.3), lambda X, Y: pairwise.rbf_kernel(X, Y, gamma=0.3)),
        (
            lambda X, Y: sigmoid_kernel(X, Y, 0.3, -1.0),
            lambda X, Y: pairwise.sigmoid_kernel(X, Y, gamma=0.3, coef0=-1.0),
        ),
    ],
    ids=["linear", "poly", "rbf", "sigmoid"],
)
def test_kernels_agree_with_sklearn(ours, theirs):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
    assert_allclose(ours(X, Y), theirs(X, Y), rtol=1e-12, atol=1e-14)


def test_kernels_of_float32_rows_are_float64():
    X = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    for kernel in KERNELS.values():
        K = kernel(X, X)
        assert K.dtype == np.float64
        assert_array_equal(K, kernel(X.astype(np.float64), X.astype(np.float64)))


# -- arguments --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "K, y, C, match",
    [
        (np.full((2, 2), 0.1), [1, -1], [1, 1], "float32"),
        (np.eye(2), [1, 0], [1, 1], "-1 or \\+1"),
        (np.eye(2), [1, -1], [1, -1], "not negative"),
        (np.eye(2), [1, -1], [1, np.inf], "finite"),
        (np.eye(3), [1, -1], [1, 1], "shape"),
    ],
)
def test_wrong_arguments_are_refused(K, y, C, match):
    with pytest.raises(ValueError, match=match):
        ReferenceLasvm(K, y, C)


# -- small cases worked out by hand -----------------------------------------------------


def test_two_points_by_hand():
    # x = 1 and -1 on a line: w = 1, b = 0, both alpha = 1/2, dual objective 1/2.
    K = linear_kernel([[1.0], [-1.0]], [[1.0], [-1.0]])
    twin = ReferenceLasvm(K, [1, -1], [10.0, 10.0])
    assert twin.process(0) and twin.process(1)
    assert twin.last_pair == (0, 1)
    assert_array_equal(twin.alpha, [0.5, -0.5])
    assert_array_equal(twin.g, [0.0, 0.0])
    assert not twin.reprocess()
    assert twin.b == 0 and twin.delta == 0
    assert_array_equal(twin.decision_function(), [1.0, -1.0])
    assert_array_equal(twin.decision_function(linear_kernel([[3.0]], [[1.0], [-1.0]])), [3.0])
    assert twin.objective() == 0.5
    assert twin.duality_gap() == 0
    assert twin.kkt_violation_all() == 0


@pytest.mark.parametrize("tol, n_steps", [(2.0, 0), (1.999, 1)])
def test_a_pair_is_violating_when_it_differs_by_more_than_tol(tol, n_steps):
    twin = ReferenceLasvm(np.eye(2), [1, -1], [1.0, 1.0], tol=tol)  # g = 1 and -1
    twin.process(0)
    twin.process(1)
    assert twin.n_steps == n_steps


def test_a_row_that_violates_nothing_is_kept_as_the_extreme_of_its_side():
    X = [[1.0], [-1.0], [2.0], [-2.0]]
    twin = ReferenceLasvm(linear_kernel(X, X), [1, -1, 1, -1], [0.1, 0.1, 1.0, 1.0])
    twin.learn(0)
    twin.learn(1)
    assert_array_equal(twin.alpha, [0.1, -0.1, 0, 0])
    assert_allclose(twin.g[:2], [0.8, -0.8])
    assert_allclose(twin.delta, -1.6)  # both at their bound
    # g = 0.6: below g_min = 0.8, so there is no partner, but above g_max = -0.8.
    twin.learn(2)
    assert twin.S == [0, 1, 2] and twin.n_steps == 1
    # g = -0.6: the partner is row 2.
    twin.learn(3)
    assert twin.S == [0, 1, 2, 3] and twin.last_pair == (2, 3)
    assert_allclose(twin.alpha, [0.1, -0.1, 0.075, -0.075])


def test_step_is_cut_at_the_box():
    K = linear_kernel([[1.0], [-1.0]], [[1.0], [-1.0]])
    twin = ReferenceLasvm(K, [-1, 1], [0.25, 10.0])  # x = 1 is the negative one here
    twin.learn(0)
    twin.learn(1)
    assert_array_equal(twin.alpha, [-0.25, 0.25])
    # f without bias is -x/2; g = y - f
    assert_array_equal(twin.g, [-0.5, 0.5])
    # alpha_0 is at its bound, so g_max = g_min = g_1.
    assert twin.b == 0.5 and twin.delta == 0


def test_alpha_within_rounding_of_a_bound_is_put_on_it():
    twin = make_twin(C=0.3)
    eps = np.finfo(np.float64).eps
    k = int(np.flatnonzero(twin.y > 0)[0])
    for alpha, step, expected in [
        (0.3 - eps, 0.1, 0.3),
        (0.3 + eps, 0.1, 0.3),
        (0.3 - 5e-16, 0.1, 0.3 - 5e-16),
        # 0 is a bound, too, but what is near to it depends on the step that led there.
        (eps, 0.3, 0.0),
        (-eps, -0.3, 0.0),
        (5e-16, 0.3, 5e-16),
        (eps, 0.2, eps),
    ]:
        twin.alpha[k] = alpha
        twin._snap(k, step)
        assert twin.alpha[k] == expected


def test_while_one_class_is_missing_n_init_rows_are_kept_and_nothing_moves():
    twin = make_twin(n=30, n_init=4)
    positive, negative = np.flatnonzero(twin.y > 0), np.flatnonzero(twin.y < 0)
    kept = [twin.process(k) for k in positive]
    assert kept == [True] * 4 + [False] * (len(positive) - 4)
    assert not twin.reprocess()
    assert_array_equal(twin.S, positive[:4])
    assert not twin.process(positive[0])  # already stored
    twin.finish()
    assert twin.n_steps == 0 and not twin.alpha.any()
    assert twin.b == 1 and twin.delta == np.inf
    assert twin.process(negative[0])
    assert twin.n_steps == 1


def test_a_row_that_violates_nothing_is_not_kept():
    twin = converge(make_twin(C=10.0))
    outside = np.setdiff1d(np.arange(40), twin.S)
    assert len(outside) > 0
    before = (list(twin.S), twin.alpha.copy(), twin.g.copy(), twin.n_steps)
    for k in outside:
        assert not twin.process(k)
    for k in list(twin.S):  # and stored rows are recognised
        assert not twin.process(k)
    assert (twin.S, twin.n_steps) == (before[0], before[3])
    assert_array_equal(twin.alpha, before[1])
    assert_array_equal(twin.g, before[2])


def test_first_order_takes_the_extremes_and_second_order_the_largest_gain():
    differed = False
    for seed in range(10):
        twin = make_twin(seed, C=10.0)
        twin.fit(range(40))
        i, g_max, j, g_min = twin.extremes()
        if g_max - g_min <= twin.tol:
            continue
        up = [s for s in twin.S if twin.alpha[s] < twin.B[s]]
        down = [s for s in twin.S if twin.alpha[s] > twin.A[s]]
        assert (i, j) == (max(up, key=lambda s: twin.g[s]), min(down, key=lambda s: twin.g[s]))

        K, g = twin.K, twin.g
        gain = {
            s: (g[i] - g[s]) ** 2 / (K[i, i] + K[s, s] - 2 * K[i, s]) for s in down if g[s] < g[i]
        }
        best = max(gain, key=gain.get)
        differed |= best != j
        assert twin.reprocess(second_order=True)
        assert twin.last_pair == (i, best)
    assert differed


# -- invariants -------------------------------------------------------------------------


@st.composite
def problems(draw):
    n = draw(st.integers(2, 14))
    X, y = two_clouds(draw(st.integers(0, 10**6)), n, separation=draw(st.floats(0, 3)))
    if draw(st.booleans()):  # a row twice: curvature 0
        X[-1] = X[0]
    K = round_to_float32(KERNELS[draw(st.sampled_from(sorted(KERNELS)))](X, X))
    C = 10.0 ** draw(st.floats(-2, 3))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n, max_size=n))
    tol = draw(st.sampled_from([1e-3, 1e-1]))
    delta_max = draw(st.sampled_from([None, 1.0, 0.0]))
    return ReferenceLasvm(K, y, C * np.array(weights), tol=tol, delta_max=delta_max)


def check_state(twin):
    alpha, S = twin.alpha, twin.S
    scale = max(1.0, np.abs(alpha).max())
    assert len(set(S)) == len(S)
    outside = np.setdiff1d(np.arange(len(alpha)), S)
    assert not alpha[outside].any()
    assert np.isnan(twin.g[outside]).all()
    assert not (twin.C[S] == 0).any()
    assert abs(alpha.sum()) <= 1e-11 * scale
    assert (alpha >= twin.A).all() and (alpha <= twin.B).all()
    K_scale = max(1.0, np.abs(twin.K).max())
    assert_allclose(twin.g[S], twin.fresh_g()[S], rtol=0, atol=1e-9 * scale * K_scale)


def check_after_reprocess(twin):
    _, g_max, _, g_min = twin.extremes()
    # The extremes are never evicted, so they are those that b and delta were set from.
    assert twin.delta == g_max - g_min
    if np.isfinite(g_max) and np.isfinite(g_min):
        assert twin.b == (g_max + g_min) / 2
        for s in twin.S:
            if twin.alpha[s] == 0:
                assert not (twin.B[s] == 0 and twin.g[s] >= g_max and twin.g[s] > g_min)
                assert not (twin.A[s] == 0 and twin.g[s] <= g_min and twin.g[s] < g_max)
    scale = max(1.0, np.abs(twin.alpha).max() * np.abs(twin.K).max())
    assert twin.duality_gap() >= -1e-9 * scale * max(1.0, twin.C.max())


@settings(max_examples=150, deadline=None)
@given(problems())
def test_invariants_hold_after_every_step(twin):
    dual = 0.0
    for k in np.tile(np.arange(len(twin.y)), 2):
        n_steps = twin.n_steps
        kept = twin.process(k)
        check_state(twin)
        assert not kept or k in twin.S
        if twin.n_steps > n_steps:
            assert kept and k in twin.last_pair
        twin.reprocess()
        check_state(twin)
        if len(twin.seen) == 2:
            check_after_reprocess(twin)
        new_dual = twin.objective()
        assert new_dual >= dual - 1e-9 * max(1.0, abs(dual))
        dual = new_dual


@settings(max_examples=150, deadline=None)
@given(problems(), st.booleans())
def test_finish_satisfies_the_kkt_conditions_on_the_stored_rows(twin, second_order):
    twin.fit(range(len(twin.y)))
    dual = twin.objective()
    twin.finish(second_order=second_order)
    check_state(twin)
    assert twin.objective() >= dual - 1e-9 * max(1.0, abs(dual))
    if len(twin.seen) == 2:
        assert twin.delta <= twin.tol
        g = twin.fresh_g()
        S = np.array(twin.S, dtype=int)
        up = S[twin.alpha[S] < twin.B[S]]
        down = S[twin.alpha[S] > twin.A[S]]
        violation = np.max(g[up], initial=-np.inf) - np.min(g[down], initial=np.inf)
        assert violation <= twin.tol + 1e-8
        # Each term of the gap is at most (room) x (violation).
        assert twin.duality_gap() <= max(0.0, violation) * twin.C[S].sum() + 1e-8 * twin.C.max()


@settings(max_examples=30, deadline=None)
@given(problems())
def test_delta_max_is_reached_after_every_example(twin):
    twin.delta_max = 0.5
    for k in range(len(twin.y)):
        twin.learn(k)
        if len(twin.seen) == 2 and twin.C[k] > 0:
            assert twin.delta <= 0.5


def test_delta_max_below_tol_ends():
    twin = make_twin(delta_max=-1.0)
    twin.fit(range(40))
    assert twin.delta <= twin.tol


def test_duality_gap_is_primal_minus_dual():
    twin = make_twin(C=3.0)
    twin.fit(range(40))
    S = twin.S
    margin = twin.y[S] * twin.decision_function()[S]
    primal = 0.5 * twin.alpha @ twin.K @ twin.alpha + np.sum(twin.C[S] * np.maximum(0, 1 - margin))
    assert twin.duality_gap() > 1e-3
    assert_allclose(twin.duality_gap(), primal - twin.objective(), rtol=1e-9)


# -- the same optimum as libsvm ---------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("C", [1.0, 10.0])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
def test_passes_to_convergence_agree_with_svc(kernel, C, seed):
    twin = converge(make_twin(seed, n=40, kernel=kernel, C=C, tol=1e-6))
    svc, dual = fitted_svc(twin.K, twin.y, twin.C)
    assert_allclose(twin.objective(), dual, rtol=1e-6)
    assert_allclose(twin.decision_function(), svc.decision_function(twin.K), rtol=0, atol=1e-4)
    assert twin.kkt_violation_all() <= 2 * twin.tol
    assert twin.duality_gap() <= 1e-4 * dual


def test_first_and_second_order_finish_reach_the_same_optimum():
    duals = []
    for second_order in (False, True):
        twin = make_twin(C=10.0, tol=1e-8)
        twin.fit(range(40))
        twin.finish(second_order=second_order)
        twin.fit(range(40), n_passes=-1)
        duals.append(twin.objective())
    assert_allclose(duals[0], duals[1], rtol=1e-9)


def test_fit_counts_passes():
    assert make_twin().fit(range(40), n_passes=3) == 3
    twin = make_twin()
    n_passes = twin.fit(range(40), n_passes=-1)
    again = make_twin()
    assert again.fit(range(40), n_passes=n_passes) == n_passes
    assert_array_equal(again.alpha, twin.alpha)
    assert twin.fit(range(40), n_passes=-1) == 1


# -- weights are bounds -----------------------------------------------------------------


def test_weight_two_is_twice_the_bound_and_is_the_row_given_twice():
    base = make_twin(3, n=30)
    rows = np.arange(0, 30, 3)
    C = base.C.copy()
    C[rows] *= 2
    twin = converge(ReferenceLasvm(base.K, base.y, C, tol=1e-7))
    svc, dual = fitted_svc(twin.K, twin.y, C)
    assert_allclose(twin.objective(), dual, rtol=1e-6)
    assert_allclose(twin.decision_function(), svc.decision_function(twin.K), atol=1e-5)
    assert not np.isclose(dual, fitted_svc(base.K, base.y, base.C)[1], rtol=1e-3)

    repeated = np.r_[np.arange(30), rows]
    K = base.K[np.ix_(repeated, repeated)]
    doubled = converge(ReferenceLasvm(K, base.y[repeated], np.ones(40), tol=1e-7))
    assert_allclose(doubled.objective(), twin.objective(), rtol=1e-6)
    assert_allclose(doubled.decision_function()[:30], twin.decision_function(), atol=1e-5)


def test_weight_zero_is_the_row_left_out():
    base = make_twin(4, n=30)
    C = base.C.copy()
    C[::4] = 0
    left = np.flatnonzero(C)
    twin = ReferenceLasvm(base.K, base.y, C)
    short = ReferenceLasvm(base.K[np.ix_(left, left)], base.y[left], C[left])
    twin.fit(range(30), n_passes=2)
    short.fit(range(len(left)), n_passes=2)
    twin.finish()
    short.finish()
    assert twin.n_steps == short.n_steps > 0
    assert_array_equal(twin.S, left[short.S])
    assert_array_equal(twin.alpha[left], short.alpha)
    assert_array_equal(twin.g[left], short.g)
    assert (twin.b, twin.delta) == (short.b, short.delta)
    assert not twin.alpha[::4].any()


# -- where the method as printed would stop short ---------------------------------------


@pytest.mark.parametrize("C", [1e-3, 1e-1])
def test_passes_to_convergence_agree_with_svc_when_all_support_vectors_are_bounded(C):
    # g_max < g_min then: rows whose gradients lie between the two must meet all the same.
    for seed in range(12):
        twin = converge(make_twin(seed, C=C))
        assert_allclose(twin.objective(), fitted_svc(twin.K, twin.y, twin.C)[1], rtol=1e-4)


def test_large_kernel_values_with_large_bounds_still_learn():
    # alpha is of the order of 1 / K here, which is below the rounding of C.
    X, y = two_clouds(0, 30, separation=2.0)
    K = round_to_float32(linear_kernel(1e6 * X, 1e6 * X))
    twin = ReferenceLasvm(K, y, np.full(30, 1e6))
    twin.fit(range(30))
    assert np.count_nonzero(twin.alpha) >= 2
