"""Generated tables of which five features are relevant, and the others are noise."""

import numpy as np

from ..sets.tables import CLASSES, N_QUICK
from ..sets.workloads import Split

N_TRAIN, N_TEST = 2000, 4000
N_RELEVANT, N_FEATURES = 5, 50
NOISE = 0.3  # of the targets of regression, which have variance 1


def _friedman(U):
    return 10 * np.sin(np.pi * U[0] * U[1]) + 20 * (U[2] - 0.5) ** 2 + 10 * U[3] + 5 * U[4]


def _smooth(U):
    return np.sin(4 * (U[0] + U[1])) + np.cos(4 * (U[2] - U[3])) + 2 * U[4]


def _steps(U):
    return 2 * (U[0] > 0.5) * (U[1] > 0.3) + (U[2] > 0.6) + 1.5 * (U[3] > 0.4) * (U[4] > 0.5)


FUNCTIONS = {"friedman": _friedman, "smooth": _smooth, "steps": _steps}


def make_table(function, kind, n_features, seed, quick=False):
    """Return a `Split`, and the indices of the relevant features.

    The classes are values above the median and others.
    """
    rng = np.random.default_rng(seed)
    n, n_test = (N_QUICK, N_QUICK) if quick else (N_TRAIN, N_TEST)
    X = rng.uniform(size=(n + n_test, n_features))
    relevant = rng.choice(n_features, N_RELEVANT, replace=False)
    value = FUNCTIONS[function](X[:, relevant].T)
    if kind == CLASSES:
        y = (value > np.median(value)).astype(int)
    else:
        y = value / value.std() + NOISE * rng.normal(size=len(value))
    return Split(X[:n], y[:n], X[n:], y[n:]), relevant
