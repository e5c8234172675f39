"""The linear models that are compared, each built by one function.

`SPEED` are those whose speed is measured, by the name of a column. `PAPER` are the algorithms of
Lu, Zhao and Hoi (2016), by the names that the paper has for them. The online SVMs are taken from
the package when they are built, so that a peer can be measured without them.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from sklearn.linear_model import SGDClassifier

import sklearn_online_svm as ours

# ---------------------------------------------------------------------------
# One pass, against peers
# ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Model:
    """A column of the tables of speed."""

    title: str
    build: Callable


# C of the passive-aggressive models on both sides.
C = 1.0


def _one_pass(name, **options):
    options = dict(max_iter=1, tol=None, shuffle=False) | options
    return lambda: getattr(ours, name)(**options)


def _sgd(**options):
    """PA-I, as scikit-learn has it."""
    return lambda: SGDClassifier(
        loss="hinge",
        penalty=None,
        learning_rate="pa1",
        eta0=C,
        max_iter=1,
        tol=None,
        **{"shuffle": False} | options,
    )


def _olpy(name):
    def build():
        # It imports a module that setuptools no longer has, and needs it for its data sets only.
        sys.modules.setdefault("pkg_resources", ModuleType("pkg_resources"))
        from olpy import classifiers

        return getattr(classifiers, name)(num_iterations=1, random_state=0)

    return build


_SHUFFLED = dict(shuffle=True, random_state=0)

# The textbook's intercept, also on sparse samples: what has been measured.
SPEED = {
    "pa": Model("PA-I", _one_pass("PassiveAggressiveClassifier", C=C, intercept_scaling=1.0)),
    "sgd": Model("SGDClassifier", _sgd()),
    "pa_shuffled": Model(
        "PA-I, shuffled",
        _one_pass("PassiveAggressiveClassifier", C=C, intercept_scaling=1.0, **_SHUFFLED),
    ),
    "sgd_shuffled": Model("SGDClassifier, shuffled", _sgd(**_SHUFFLED)),
    "arow": Model("AROW, diagonal", _one_pass("AROWClassifier", covariance="diag")),
    "cw": Model("CW, diagonal", _one_pass("ConfidenceWeightedClassifier", covariance="diag")),
    "scw1": Model("SCW-I, diagonal", _one_pass("SCWClassifier", covariance="diag")),
    "scw2": Model(
        "SCW-II, diagonal", _one_pass("SCWClassifier", covariance="diag", loss="squared_hinge")
    ),
    "arow_full": Model("AROW, full", _one_pass("AROWClassifier", covariance="full")),
    "cw_full": Model("CW, full", _one_pass("ConfidenceWeightedClassifier", covariance="full")),
    "scw1_full": Model("SCW-I, full", _one_pass("SCWClassifier", covariance="full")),
    "olpy_arow": Model("olpy, AROW", _olpy("AROW")),
    "olpy_cw": Model("olpy, CW", _olpy("CW")),
    "olpy_scw": Model("olpy, SCW", _olpy("SCW")),
}


# ---------------------------------------------------------------------------
# The algorithms of the paper
# ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Parameters of an algorithm."""

    # C of a passive-aggressive learner, a of the second-order perceptron.
    C: float = 1.0
    # The constant of the query rule, or the share of the labels that it is steered to.
    delta: float = 1.0
    rate: float | None = None
    # Cost of an overlooked positive sample; that of a false alarm is 1.
    rho: float = 1.0
    seed: int = 0


# The paper predicts by the sign of w.x.
_PLAIN = dict(fit_intercept=False)
_MULTICLASS = _PLAIN | dict(multi_class="crammer_singer")


def _perceptron(choice, **options):
    return ours.PerceptronClassifier(**_PLAIN | options)


def _second_order(choice):
    return ours.SecondOrderPerceptronClassifier(a=choice.C, covariance="full", **_PLAIN)


def _pa(choice, **options):
    """The hard margin."""
    return ours.PassiveAggressiveClassifier(C=np.inf, **_PLAIN | options)


def _pa_1(choice, **options):
    return ours.PassiveAggressiveClassifier(C=choice.C, **_PLAIN | options)


def _pa_2(choice, **options):
    return _pa_1(choice, loss="squared_hinge", **options)


def _cw(choice):
    return ours.ConfidenceWeightedClassifier(covariance="diag", **_PLAIN)


def _uneven_perceptron(choice):
    # The margins are not in the paper: the losses at 0 of its own algorithm.
    return _perceptron(choice, positive_margin=choice.rho, negative_margin=1.0)


def _cost_sensitive(choice, rule):
    return ours.CostSensitivePassiveAggressiveClassifier(
        C=choice.C, rho=choice.rho, rule=rule, pos_label=1, average=False, **_PLAIN
    )


def _cpa(choice):
    return _cost_sensitive(choice, "prediction")


def _cspa(choice):
    return _cost_sensitive(choice, "cost-sensitive")


def _all(choice):
    return ours.active.AllQuery()


def _random(choice):
    return ours.active.RandomQuery(rate=choice.rate, random_state=choice.seed)


def _margin(choice, **options):
    return ours.active.MarginQuery(
        delta=choice.delta, rate=choice.rate, random_state=choice.seed, **options
    )


def _mistakes(choice):
    return _margin(choice, schedule="mistakes")


def _adaptive(choice):
    return _margin(choice, schedule="adaptive")


def _asking(learner, query, **options):
    """A function from a choice to an estimator wrapped in a query strategy."""
    return lambda choice: ours.LabelEfficientClassifier(
        learner(choice, **options), query(choice), shuffle=False, random_state=choice.seed
    )


PAPER = {
    # Binary; without a word on it, one constant delta.
    "PEA": _asking(_perceptron, _margin),
    "SEL-ada": _asking(_perceptron, _mistakes),
    "SEL-2nd": _asking(_second_order, _margin),
    "RPE": _asking(_perceptron, _random),
    "RPA": _asking(_pa, _random),
    "RPA-I": _asking(_pa_1, _random),
    "RPA-II": _asking(_pa_2, _random),
    "PAA": _asking(_pa, _margin),
    "PAA-I": _asking(_pa_1, _margin),
    "PAA-II": _asking(_pa_2, _margin),
    # Several classes.
    "MRPE": _asking(_perceptron, _random, **_MULTICLASS),
    "MRPA": _asking(_pa, _random, **_MULTICLASS),
    "MRPA-I": _asking(_pa_1, _random, **_MULTICLASS),
    "MRPA-II": _asking(_pa_2, _random, **_MULTICLASS),
    "MPEA": _asking(_perceptron, _margin, **_MULTICLASS),
    "MPAA": _asking(_pa, _margin, **_MULTICLASS),
    "MPAA-I": _asking(_pa_1, _margin, **_MULTICLASS),
    "MPAA-II": _asking(_pa_2, _margin, **_MULTICLASS),
    # Uneven classes.
    "PE": _asking(_perceptron, _all),
    "PA": _asking(_pa_1, _all),
    "CW-diag": _asking(_cw, _all),
    "PAUM": _asking(_uneven_perceptron, _all),
    "CPA": _asking(_cpa, _all),
    "LEPE": _asking(_perceptron, _margin),
    "CSRND": _asking(_cspa, _random),
    "CSPAA": _asking(_cspa, _margin),
    "CSPAA(a)": _asking(_cspa, _adaptive),
}

BINARY = [
    "PEA", "SEL-ada", "SEL-2nd", "RPE", "RPA", "RPA-I", "RPA-II", "PAA", "PAA-I", "PAA-II",
]  # fmt: skip
# The paper leaves SEL-ada and SEL-2nd out where it is about text.
TEXT = [name for name in BINARY if not name.startswith("SEL")]
MULTICLASS = [
    "MRPE", "MRPA", "MRPA-I", "MRPA-II", "MPEA", "MPAA", "MPAA-I", "MPAA-II",
]  # fmt: skip
COST = ["PE", "PA", "CW-diag", "PAUM", "CPA", "LEPE", "CSRND", "CSPAA", "CSPAA(a)"]
# Those that ask for every label.
FULL = ["PE", "PA", "CW-diag", "PAUM", "CPA"]
# Those that query at random.
RANDOM = ["RPE", "RPA", "RPA-I", "RPA-II", "MRPE", "MRPA", "MRPA-I", "MRPA-II", "CSRND"]
# Those whose C (or a) is chosen.
TUNED = [
    "SEL-2nd", "RPA-I", "RPA-II", "PAA-I", "PAA-II", "MRPA-I", "MRPA-II", "MPAA-I", "MPAA-II",
]  # fmt: skip
