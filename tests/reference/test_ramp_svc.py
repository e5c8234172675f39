"""Reference implementation of RampSVC: stationarity, shifted boxes, the warm start."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from tests.reference.lasvm import linear_kernel, poly_kernel, rbf_kernel
from tests.reference.ramp_svc import ReferenceRampSVC

KERNELS = {
    "linear": linear_kernel,
    "poly": lambda X, Y: poly_kernel(X, Y, gamma=0.5, coef0=1.0, degree=2),
    "rbf": lambda X, Y: rbf_kernel(X, Y, gamma=0.5),
}
NO_RAMP = -1e9
both = pytest.mark.parametrize("fit_intercept", [True, False])


def noisy_clouds(seed, n, separation=3.0, n_features=2, flipped=0.2):
    """Normal clouds of unequal size, off the origin, some labels wrong."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3, 1.0, -1.0)
    X = rng.normal(size=(n, n_features)) + 0.5 * separation * y[:, None] + 0.3
    return X, np.where(rng.random(n) < flipped, -y, y)


def make_twin(seed=0, n=30, kernel="linear", C=1.0, **params):
    X, y = noisy_clouds(seed, n)
    # Bounds between C / 2 and 2 C.
    C_rows = C * 2.0 ** np.random.default_rng(seed + 1000).uniform(-1, 1, n)
    return ReferenceRampSVC(KERNELS[kernel](X, X), y, C_rows, **params)


def boxed(twin, beta):
    """A twin that has solved the convex problem of these betas, from alpha = 0."""
    out = ReferenceRampSVC(twin.K, twin.y, twin.C_rows, twin.ramp_s, twin.fit_intercept)
    out.set_beta(beta)
    out.solve()
    return out


def check_optimal(twin, tol=1e-7):
    """Stationarity of 1/2 |w|^2 + sum C_i max(0, 1 - z_i) + beta_i z_i in w and in b."""
    y, C = twin.y, twin.C_rows
    margin = y * twin.decision_function()
    # w = sum alpha x, minus alpha y is a subgradient of the loss of the row: beta - C on the
    # left of the margin, beta on its right, between the two on it.
    pull = y * twin.alpha + twin.beta
    rounding = 1e-12 * C.max()
    assert (pull >= -rounding).all() and (pull <= C + rounding).all()
    left, right = margin < 1 - tol, margin > 1 + tol
    assert_allclose(pull[left], C[left], rtol=0, atol=rounding)
    assert_allclose(pull[right], 0.0, rtol=0, atol=rounding)
    if twin.fit_intercept:
        assert abs(twin.alpha.sum()) <= 1e-10 * max(1.0, C.sum())
    else:
        assert twin.b == 0
    assert abs(twin.duality_gap()) <= 1e-8 * max(1.0, C.sum())


# -- a case worked out by hand ----------------------------------------------------------


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_one_outlier_by_hand(C):
    # x = 1 twice and x = 3 with the wrong label; no bias, C large for the first two.
    X = np.array([[1.0], [1.0], [3.0]])
    twin = ReferenceRampSVC(linear_kernel(X, X), [1, 1, -1], [10.0, 10.0, C], -1.0, False)
    twin.fit()
    if C == 0.1:
        # Hinge: w = 1, pulled by -0.3, made good by the others. z_2 = -3 < s: out of the sum.
        hinge = 0.5 + C * (1 + 3)
        ramp = 0.5 + C * 2
        assert_allclose(twin.objective_history, [hinge - 2 * C, ramp], rtol=1e-9)
        assert_array_equal(twin.beta, [0, 0, C])
        assert twin.n_iter == 1 and twin.converged
        assert twin.alpha[2] == 0 and (twin.A[2], twin.B[2]) == (0, C)
        assert_allclose(twin.decision_function(), [1, 1, 3], rtol=1e-9)
    else:
        # Pulls: -30 against 20 at most, so w < 0: w = -1/3. z = -1/3, -1/3, 1: on the ramp.
        assert_allclose(twin.decision_function(), [-1 / 3, -1 / 3, -1], rtol=1e-9)
        assert_array_equal(twin.beta, [0, 0, 0])
        assert twin.n_iter == 0 and twin.converged
        assert_allclose(twin.objective_history, [1 / 18 + 10 * 2 * 4 / 3], rtol=1e-9)


# -- the convex problem in shifted boxes ------------------------------------------------


def random_beta(twin, seed):
    return np.where(np.random.default_rng(seed).random(len(twin.y)) < 0.3, twin.C_rows, 0.0)


@both
@pytest.mark.parametrize("kernel", sorted(KERNELS))
def test_optimum_of_shifted_boxes_is_stationary_in_the_primal(kernel, fit_intercept):
    n_reversed = 0
    for seed in range(6):
        twin = make_twin(seed, kernel=kernel, C=0.3, fit_intercept=fit_intercept)
        twin = boxed(twin, random_beta(twin, seed))
        check_optimal(twin)
        n_reversed += np.count_nonzero(twin.y * twin.alpha < 0)
    assert n_reversed > 3  # shifted rows to the right of the margin push back


@both
def test_optimum_of_shifted_boxes_is_that_of_the_primal_program(fit_intercept):
    # min over w, b, xi: 1/2 |w|^2 + sum C xi + beta y f, xi >= 0, xi >= 1 - y f.
    n = 14
    for seed in range(3):
        X, y = noisy_clouds(seed, n)
        twin = make_twin(seed, n=n, C=0.3, fit_intercept=fit_intercept)
        twin = boxed(twin, random_beta(twin, seed))
        rows = np.c_[X, np.ones(n) if fit_intercept else np.zeros(n)] * y[:, None]
        cost = np.r_[rows.T @ twin.beta, twin.C_rows]
        quadratic = np.r_[1.0, 1.0, 0.0, np.zeros(n)]
        found = minimize(
            lambda v, q=quadratic, c=cost: 0.5 * q @ v**2 + c @ v,
            np.r_[0.0, 0.0, 0.0, np.ones(n)],
            jac=lambda v, q=quadratic, c=cost: q * v + c,
            method="SLSQP",
            bounds=[(None, None)] * 3 + [(0, None)] * n,
            constraints=dict(
                type="ineq",
                fun=lambda v, rows=rows: rows @ v[:3] + v[3:] - 1,
                jac=lambda v, rows=rows: np.c_[rows, np.eye(n)],
            ),
            options=dict(maxiter=1000, ftol=1e-12),
        )
        assert found.success
        w = X.T @ twin.alpha
        assert_allclose(w, found.x[:2], rtol=0, atol=1e-5)
        # sum of beta: the constant of the dual.
        assert_allclose(twin.dual_objective() + twin.beta.sum(), found.fun, rtol=1e-7)


# -- the warm start ---------------------------------------------------------------------


@both
def test_warm_start_is_feasible_and_does_not_change_the_optimum(fit_intercept):
    sides = set()
    for seed in range(8):
        twin = make_twin(seed, kernel="rbf", C=1.0, fit_intercept=fit_intercept)
        twin.solve()
        before = twin.alpha.copy()
        twin.set_beta(random_beta(twin, seed))
        outside = (before < twin.A) | (before > twin.B)
        assert outside.any()
        twin.warm_start()
        start = twin.alpha.copy()
        assert (start >= twin.A).all() and (start <= twin.B).all()
        clipped = np.clip(before, twin.A, twin.B)
        if fit_intercept:
            assert abs(start.sum()) <= 1e-12
            # One side as it was, the other, which was the heavier, shrunk by one factor.
            side = np.sign(clipped.sum())
            heavy = clipped * side > 0
            assert_array_equal(start[~heavy], clipped[~heavy])
            ratio = start[heavy] / clipped[heavy]
            assert_allclose(ratio, ratio[0], rtol=1e-12)
            assert 0 < ratio[0] < 1
            sides.add(side)
        else:
            assert_array_equal(start, clipped)
        twin.solve()
        cold = boxed(twin, twin.beta)
        assert_allclose(twin.decision_function(), cold.decision_function(), atol=1e-7)
    assert not fit_intercept or sides == {-1.0, 1.0}


def test_warm_start_with_one_side_empty_is_zero():
    twin = ReferenceRampSVC(np.eye(3), [1, 1, -1], np.ones(3))
    twin.alpha = np.array([0.5, 0.5, -1.0])
    twin.set_beta([0.0, 0.0, 1.0])  # [-1, 0] becomes [0, 1]
    twin.warm_start()
    assert_array_equal(twin.alpha, [0, 0, 0])


# -- the bias ---------------------------------------------------------------------------


def test_bias_is_the_midpoint_or_the_only_extreme():
    # All at a bound: any b between g_max and g_min is optimal.
    K = linear_kernel([[1.0], [-1.0]], [[1.0], [-1.0]])
    twin = ReferenceRampSVC(K, [1, -1], [0.1, 0.1], NO_RAMP).fit()
    assert_array_equal(twin.alpha, [0.1, -0.1])
    assert_allclose(twin.b, 0.0, atol=1e-12)
    twin = ReferenceRampSVC(K, [1, -1], [0.1, 0.3], NO_RAMP).fit()
    # alpha_1 is free: f(-1) = -1.
    assert_allclose(twin.b, -0.8)
    # Nothing can fall, so g_min is over nothing; and nothing at all can move.
    one_class = ReferenceRampSVC(K, [1, 1], [1.0, 1.0]).fit()
    assert one_class.b == 1 and not one_class.alpha.any()
    assert ReferenceRampSVC(K, [1, -1], [0.0, 0.0]).fit().b == 0
