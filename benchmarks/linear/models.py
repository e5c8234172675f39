"""The linear models: estimators that make one pass, and those whose parameter is chosen."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType

from sklearn.linear_model import SGDClassifier

from sklearn_online_svm import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    PassiveAggressiveClassifier,
    SCWClassifier,
)


@dataclass(frozen=True)
class Model:
    """A column of the tables of speed."""

    title: str
    build: Callable


def _one_pass(estimator, **options):
    options = dict(max_iter=1, tol=None, shuffle=False) | options
    return lambda: estimator(**options)


def _olpy(name):
    def build():
        # It imports a module that setuptools no longer has, and needs it for its data sets only.
        sys.modules.setdefault("pkg_resources", ModuleType("pkg_resources"))
        from olpy import classifiers

        return getattr(classifiers, name)(num_iterations=1, random_state=0)

    return build


# C of the passive-aggressive models on both sides.
C = 1.0
# The textbook's intercept, also on sparse samples: what has been measured.
_PA = dict(C=C, intercept_scaling=1.0)
# PA-I, as scikit-learn has it.
_SGD = dict(loss="hinge", penalty=None, learning_rate="pa1", eta0=C)
_SHUFFLED = dict(shuffle=True, random_state=0)
_DIAGONAL, _FULL = dict(covariance="diag"), dict(covariance="full")

SPEED = {
    "pa": Model("PA-I", _one_pass(PassiveAggressiveClassifier, **_PA)),
    "sgd": Model("SGDClassifier", _one_pass(SGDClassifier, **_SGD)),
    "pa_shuffled": Model(
        "PA-I, shuffled", _one_pass(PassiveAggressiveClassifier, **_PA, **_SHUFFLED)
    ),
    "sgd_shuffled": Model(
        "SGDClassifier, shuffled", _one_pass(SGDClassifier, **_SGD, **_SHUFFLED)
    ),
    "arow": Model("AROW, diagonal", _one_pass(AROWClassifier, **_DIAGONAL)),
    "cw": Model("CW, diagonal", _one_pass(ConfidenceWeightedClassifier, **_DIAGONAL)),
    "scw1": Model("SCW-I, diagonal", _one_pass(SCWClassifier, **_DIAGONAL)),
    "scw2": Model("SCW-II, diagonal", _one_pass(SCWClassifier, **_DIAGONAL, loss="squared_hinge")),
    "arow_full": Model("AROW, full", _one_pass(AROWClassifier, **_FULL)),
    "cw_full": Model("CW, full", _one_pass(ConfidenceWeightedClassifier, **_FULL)),
    "scw1_full": Model("SCW-I, full", _one_pass(SCWClassifier, **_FULL)),
    "olpy_arow": Model("olpy, AROW", _olpy("AROW")),
    "olpy_cw": Model("olpy, CW", _olpy("CW")),
    "olpy_scw": Model("olpy, SCW", _olpy("SCW")),
}


@dataclass(frozen=True)
class Tuned:
    """A classifier with its defaults, or with a value of the parameter that is chosen."""

    title: str
    estimator: type
    parameter: str
    # From the default outwards: of equally good values, the first is taken.
    values: tuple
    options: dict = field(default_factory=dict)

    def build(self, value=None, seed=0):
        chosen = {} if value is None else {self.parameter: value, "max_iter": MAX_ITER}
        return self.estimator(**self.options, **chosen, random_state=seed)


# Maximum number of epochs with chosen parameters: some values of r and C need more to stop.
MAX_ITER = 100
_ALPHAS = (1e-4, 1e-5, 1e-3, 1e-6, 1e-2)
TUNED = {
    "sgd": Tuned("SGD", SGDClassifier, "alpha", _ALPHAS),
    "sgd_average": Tuned("SGD, average", SGDClassifier, "alpha", _ALPHAS, dict(average=True)),
    "arow": Tuned("AROW", AROWClassifier, "r", (1.0, 0.1, 10.0, 0.01, 100.0)),
    "pa_average": Tuned(
        "PA, average",
        PassiveAggressiveClassifier,
        "C",
        (1.0, 0.1, 0.01, 1e-3, 1e-4),
        dict(average=True),
    ),
}
