"""Plain form of the local scale of prediction intervals, and of conformal quantiles.

The scale of LASVR is kernel ridge regression of the logarithm of residuals. Its values without
each sample come from a closed form; here they come from one regression for each sample.
"""

import math

import numpy as np


def ramps(value, knots):
    """Return the functions of a prediction that rise from 0 to 1 between two knots."""
    return np.array(
        [
            min(max((value - low) / (high - low), 0.0), 1.0)
            for low, high in zip(knots[:-1], knots[1:], strict=True)
        ]
    )


def regression(gram, target, weights, penalty):
    """Return the dual coefficients of weighted kernel ridge regression.

    They minimize sum_i w_i (t_i - (K a)_i)^2 + penalty a' K a.
    """
    return np.linalg.solve(gram + penalty * np.diag(1.0 / weights), target)


def logs_without_each(gram, logs, weights, penalty):
    """Return the logarithm of the scale of each sample, from the others."""
    weights = weights / weights.mean()
    mean = np.average(logs, weights=weights)
    found = []
    for i in range(len(logs)):
        rest = np.delete(np.arange(len(logs)), i)
        dual = regression(gram[np.ix_(rest, rest)], (logs - mean)[rest], weights[rest], penalty)
        found.append(mean + gram[i, rest] @ dual)
    return np.array(found)


def gram_of(kernel_values, predictions, knots):
    """Return the kernel matrix of the regression."""
    rises = np.array([ramps(value, knots) for value in predictions])
    return kernel_values / np.mean(np.diag(kernel_values)) + rises @ rises.T


def quantile(scores, coverage):
    """Return the ceil((n + 1) coverage)-th smallest score, or infinity."""
    rank = math.ceil(round((len(scores) + 1) * coverage, 9))
    return sorted(scores)[rank - 1] if rank <= len(scores) else math.inf
