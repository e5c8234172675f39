"""The dual of LASVC and LASVR over all rows, in plain NumPy: objective, and violation left.

``epsilon`` is None in classification, where ``y`` is 1 or -1. The squared loss of regression is
that of a kernel matrix with 1 / (2 cost) added to its diagonal, and an infinite cost.
"""

import numpy as np


def objective(K, y, alpha, epsilon=None):
    """Dual objective."""
    width = 0.0 if epsilon is None else epsilon
    return alpha @ y - width * np.abs(alpha).sum() - 0.5 * alpha @ K @ alpha


def violation(K, y, cost, alpha, *, has_bias=True, epsilon=None):
    """Largest violation of the optimality conditions, over all rows of positive cost."""
    up = down = y - K @ alpha
    if epsilon is None:
        lower, upper = np.where(y > 0, 0.0, -cost), np.where(y > 0, cost, 0.0)
    else:
        lower, upper = -cost, cost
        up = up - np.where(alpha < 0, -epsilon, epsilon)
        down = down - np.where(alpha <= 0, -epsilon, epsilon)
    high = up[alpha < upper].max(initial=-np.inf)
    low = down[alpha > lower].min(initial=np.inf)
    return max(0.0, high - low if has_bias else max(high, -low))
