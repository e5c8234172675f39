"""The dual of LASVC over all rows, in plain NumPy: what a solution is worth, and what is left."""

import numpy as np


def boxes(y, cost):
    """Ends of the boxes of rows with labels 1 and -1."""
    return np.where(y > 0, 0.0, -cost), np.where(y > 0, cost, 0.0)


def objective(K, y, alpha):
    """Dual objective."""
    return alpha @ y - 0.5 * alpha @ K @ alpha


def violation(K, y, cost, alpha, *, has_bias=True):
    """Largest violation of the optimality conditions, over all rows of positive cost."""
    lower, upper = boxes(y, cost)
    g = y - K @ alpha
    high = g[alpha < upper].max(initial=-np.inf)
    low = g[alpha > lower].min(initial=np.inf)
    return max(0.0, high - low if has_bias else max(high, -low))
