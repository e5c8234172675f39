"""Models and samples for the tests of RampSVC."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import RampSVC
from sklearn_online_svm.datasets import flip_labels
from tests.support.robust import GAMMA
from tests.support.samples import three_classes, two_classes

with_bias = pytest.mark.parametrize("fit_intercept", [True, False], ids=["bias", "no bias"])
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


def ramp_objective(K, y, cost, alpha, intercept, ramp_s):
    """1/2 |w|^2 + sum of ramp losses, from decision values and coefficients alone."""
    z = y * (K @ alpha + intercept)
    loss = np.maximum(0, 1 - z) - np.maximum(0, ramp_s - z)
    return 0.5 * alpha @ K @ alpha + cost @ loss


ATTRIBUTES = ("classes_", "support_", "dual_coef_", "intercept_", "objective_history_")


def assert_same_model(model, other):
    """The same to the last bit."""
    for name in ATTRIBUTES:
        assert_array_equal(getattr(model, name), getattr(other, name))
