"""Reference implementation of RampSVC: shifted boxes, the bias."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from tests.reference.lasvm import linear_kernel
from tests.reference.ramp_svc import ReferenceRampSVC

NO_RAMP = -1e9


def noisy_clouds(seed, n, separation=3.0, n_features=2, flipped=0.2):
    """Normal clouds of unequal size, off the origin, some labels wrong."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3, 1.0, -1.0)
    X = rng.normal(size=(n, n_features)) + 0.5 * separation * y[:, None] + 0.3
    return X, np.where(rng.random(n) < flipped, -y, y)


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


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_optimum_of_shifted_boxes_is_that_of_the_primal_program(fit_intercept):
    # min over w, b, xi: 1/2 |w|^2 + sum C xi + beta y f, xi >= 0, xi >= 1 - y f.
    n, n_reversed = 14, 0
    for seed in range(3):
        X, y = noisy_clouds(seed, n)
        rng = np.random.default_rng(seed)
        C = 0.3 * 2.0 ** rng.uniform(-1, 1, n)
        twin = ReferenceRampSVC(linear_kernel(X, X), y, C, fit_intercept=fit_intercept)
        twin.set_beta(np.where(rng.random(n) < 0.3, C, 0.0))
        twin.solve()
        n_reversed += np.count_nonzero(y * twin.alpha < 0)
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
    assert n_reversed > 0  # shifted rows to the right of the margin push back


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
