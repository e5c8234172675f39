"""Kernel models of every algorithm."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import LASVC, RampSVC
from tests.support.internals import changed_solver
from tests.support.samples import (
    ALGORITHMS,
    GAP_DRIVEN,
    LAYOUTS,
    three_classes,
    two_classes,
)

with_gap_driven = pytest.mark.parametrize("algorithm", GAP_DRIVEN)
with_algorithms = pytest.mark.parametrize("algorithm", ALGORITHMS)
with_machines = pytest.mark.parametrize("name", [*ALGORITHMS, "RampSVC", "RampSVC, no bias"])
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)
# Those with a convex problem: the optimum does not depend on previous training.
with_convex = pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-full"])
BOTH = {"binary": two_classes, "multiclass": three_classes}
with_both = pytest.mark.parametrize("problem", BOTH)

GAMMA = 0.3


class Busy(LASVC):
    """LASVC with small constants, so that the ramp and CLEAN act often."""

    def _plan(self):
        plan = super()._plan()
        if plan.params.algorithm == "lasvm":
            return plan
        return changed_solver(plan, ramp_start=20, clean_interval=25, max_non_sv=10)


def model_of(algorithm, make=LASVC, **params):
    return make(**{"gamma": GAMMA, "C": 2.0, "random_state": 0, "algorithm": algorithm, **params})


def machine_of(name, **params):
    """Return a LASVC of this algorithm, or a RampSVC with or without a bias."""
    if not name.startswith("RampSVC"):
        return model_of(name, **params)
    params = {name: value for name, value in params.items() if name != "max_iter"}
    return RampSVC(gamma=GAMMA, random_state=0, fit_intercept=name == "RampSVC", **params)


def exact(algorithm, **params):
    return model_of(algorithm, **{"max_iter": -1, "tol": 1e-6, **params})


def assert_same_model(model, other):
    """The same to the last bit."""
    for name in ("classes_", "support_", "dual_coef_", "intercept_"):
        assert_array_equal(getattr(model, name), getattr(other, name))


def signs(y):
    return np.where(y == np.unique(y)[-1], 1.0, -1.0)


def alpha_of(model, n, c=0):
    alpha = np.zeros(n)
    np.add.at(alpha, model.support_, model.dual_coef_[c])
    return alpha
