r"""Descent of the hold-out error of kernel ridge regression in the parameters of a metric.

A step draws disjoint sets A and B of m samples with centred targets Y. With K = exp(-D),

    alpha = (K_AA + lambda I)^-1 Y_A,    R = K_BA alpha - Y_B,    L = |R|^2 / 2m.

With G = R / m and v = (K_AA + lambda I)^-1 K_AB G, the derivatives of L with respect to D are
-K_BA G alpha' and K_AA v alpha' (elementwise products with K), and that with respect to log lambda
is -lambda <v, alpha>. Adam minimizes half of log L + shrinkage / n |deviations|^2, with the
deviations of the parameters from equal widths, and the number n of samples. It is a stochastic
version of kernel flows (Owhadi and Yoo 2019) with a held-out set in place of a subset.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..._threads import blas_threads
from ._forms import apply

# Samples in each half of a step.
HALF = 512
N_STEPS = 30
# Length of a step in each parameter over the first half of the steps; it then falls to 0.
STEP = 0.15
# Decay rates of the moments.
DECAYS = np.array([0.8, 0.95])
# The result is the mean over so many of the last steps.
N_AVERAGED = 12
# Ridge penalty at the start.
LAMBDA = 0.1


def loss_and_derivatives(form, parameters, log_lambda, Z_A, Z_B, Y_A, Y_B):
    """Return 2 L, and the derivatives of L in the parameters and in log lambda."""
    factors = form.factors(parameters)
    # In double precision: the solution amplifies rounding errors.
    K_AA, K_BA = (
        np.exp(-D).astype(np.float64)
        for D in form.distances(apply(factors, Z_A), apply(factors, Z_B))
    )
    regularized = K_AA + np.exp(log_lambda) * np.eye(len(K_AA))
    # It reads the upper triangle only.
    factor = cho_factor(regularized, overwrite_a=True, check_finite=False)
    alpha = cho_solve(factor, Y_A, check_finite=False)
    R = K_BA @ alpha - Y_B
    G = R / len(R)
    v = cho_solve(factor, K_BA.T @ G, check_finite=False)
    W_AA = np.triu(v @ alpha.T + alpha @ v.T, 1) * K_AA
    W_BA = -(G @ alpha.T) * K_BA
    derivatives = form.derivatives(Z_A, Z_B, parameters, W_AA, W_BA)
    return np.vdot(R, G), derivatives, -np.exp(log_lambda) * np.vdot(v, alpha)


def descend(form, start, Z, targets, weights, shrinkage, random):
    """Return the parameters, and the hold-out error of each step relative to the variance."""
    share, penalty = weights / weights.sum(), shrinkage / len(Z)
    variance = np.sum(share @ (targets - share @ targets) ** 2)
    parameters, log_lambda = start, np.log(LAMBDA)
    mean, square = np.zeros((2, start.size + 1))
    errors, last = [], []
    for step in range(N_STEPS):
        A, B = drawn_halves(weights, random)
        centre = targets[A].mean(axis=0)
        with blas_threads(1):
            error, slope, slope_of_lambda = loss_and_derivatives(
                form, parameters, log_lambda, Z[A], Z[B], targets[A] - centre, targets[B] - centre
            )
        errors.append(error / variance)
        slope = slope / max(error, 1e-10) + penalty * form.deviations(parameters)
        gradient = np.append(slope, slope_of_lambda / max(error, 1e-10))
        mean = DECAYS[0] * mean + (1.0 - DECAYS[0]) * gradient
        square = DECAYS[1] * square + (1.0 - DECAYS[1]) * gradient**2
        unbiased = 1.0 - DECAYS ** (step + 1)
        move = mean / unbiased[0] / (np.sqrt(square / unbiased[1]) + 1e-8)
        move *= STEP * min(1.0, 2.0 * (1.0 - step / N_STEPS))
        parameters = parameters - move[:-1].reshape(parameters.shape)
        log_lambda -= move[-1]
        last = [*last, parameters][-N_AVERAGED:]
    return np.mean(last, axis=0), np.array(errors)


def drawn_halves(weights, random):
    """Return disjoint random sets A and B, with probabilities in proportion to weights.

    All samples are divided at random. Of each half a systematic sample is drawn: without weights
    each is drawn once at most, and heavy ones are repeated.
    """
    n = len(weights) // 2
    size = min(HALF, n)
    drawn = []
    for half in np.split(random.permutation(len(weights))[: 2 * n], 2):
        ends = np.cumsum(weights[half])
        at = (np.arange(size) + random.uniform()) * (ends[-1] / size)
        drawn.append(half[np.minimum(np.searchsorted(ends, at, side="right"), n - 1)])
    return drawn
