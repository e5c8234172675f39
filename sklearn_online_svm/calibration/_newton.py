"""Minimization of a smooth convex function with nonnegative coefficients."""

import numpy as np
from scipy import linalg

MAX_ITER = 100
# Size of the projected gradient at which the minimization ends. Objectives are means of losses.
TOL = 1e-9
# Added to the diagonal of the Hessian, relative to its largest entry, so that directions that do
# not change the objective are left alone; more where rounding makes the Hessian indefinite.
DAMPING = 1e-10


def minimize_convex(function, x, bounded):
    """Return the minimum of a convex function, found by projected Newton steps from ``x``.

    ``function`` returns the value, the gradient and the Hessian at a point. The coefficients in
    the mask ``bounded`` must not be negative.
    """
    value, gradient, hessian = function(x)
    for _ in range(MAX_ITER):
        moves = ~(bounded & (x <= 0.0) & (gradient > 0.0))
        size = np.abs(gradient[moves]).max(initial=0.0)
        if size <= TOL:
            # This does not tell the distance to the minimum where the objective is flat; a last
            # step makes x independent of the rounding of former ones.
            last = _projected(x + _step(hessian, gradient, moves), bounded)
            better = np.abs(function(last)[1][moves]).max(initial=0.0) <= size
            return last if better else x
        step = _step(hessian, gradient, moves)
        found = _search(function, x, value, gradient, step, bounded)
        if found is None:
            found = _search(function, x, value, gradient, -gradient * moves, bounded)
        if found is None:
            break
        x, (value, gradient, hessian) = found
    return x


def _projected(x, bounded):
    return np.where(bounded, np.maximum(x, 0.0), x)


def _step(hessian, gradient, moves):
    step = np.zeros_like(gradient)
    if moves.any():
        step[moves] = _newton_step(hessian[np.ix_(moves, moves)], gradient[moves])
    return step


def _newton_step(hessian, gradient):
    """Return the Newton step for a positive semidefinite Hessian."""
    largest = max(hessian.diagonal().max(), np.finfo(np.float64).tiny / DAMPING)
    for damping in DAMPING * 100.0 ** np.arange(6):
        damped = hessian.copy()
        damped[np.diag_indices(len(damped))] += damping * largest
        factor, failed = linalg.lapack.dpotrf(damped, lower=1)
        if not failed:
            break
    return -linalg.lapack.dpotrs(factor, gradient, lower=1)[0]


def _search(function, x, value, gradient, step, bounded):
    """Return a better point along the projected step and the function there, or None."""
    size = 1.0
    for _ in range(40):
        y = _projected(x + size * step, bounded)
        expected = gradient @ (y - x)
        if expected < 0.0:
            there = function(y)
            if there[0] <= value + 1e-4 * expected:
                return y, there
        size *= 0.5
    return None
