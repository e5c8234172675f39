"""The algorithms of Lu, Zhao and Hoi (2016), by the names of the paper, and AROW beside them."""

from dataclasses import dataclass

import numpy as np

import sklearn_online_svm as ours


@dataclass(frozen=True)
class Choice:
    """Parameters of an algorithm."""

    # C of a passive-aggressive learner, a of the second-order perceptron, r of AROW.
    C: float = 1.0
    # The constant of the query rule, or the share of the labels that it is steered to.
    delta: float = 1.0
    rate: float | None = None
    # Cost of an overlooked positive sample; that of a false alarm is 1.
    rho: float = 1.0
    seed: int = 0


def _learner(estimator, *names, **options):
    """A function of a choice, which gives the parameters `names`."""

    def build(choice, **more):
        given = {name: getattr(choice, name) for name in names}
        # The paper predicts by the sign of w.x.
        return estimator(fit_intercept=False, **given, **options, **more)

    return build


_PE = _learner(ours.PerceptronClassifier)
_PA = _learner(ours.PassiveAggressiveClassifier, C=np.inf)
_PA_1 = _learner(ours.PassiveAggressiveClassifier, "C")
_PA_2 = _learner(ours.PassiveAggressiveClassifier, "C", loss="squared_hinge")
_CW = _learner(ours.ConfidenceWeightedClassifier, covariance="diag")


def _second_order(choice):
    return _learner(ours.SecondOrderPerceptronClassifier, covariance="full")(choice, a=choice.C)


def _arow(choice):
    return _learner(ours.AROWClassifier)(choice, r=choice.C, class_weight={1: choice.rho})


def _uneven_perceptron(choice):
    # The margins are not in the paper: the losses at 0 of its own algorithm.
    return _PE(choice, positive_margin=choice.rho, negative_margin=1.0)


def _cost_sensitive(rule):
    estimator = ours.CostSensitivePassiveAggressiveClassifier
    return _learner(estimator, "C", "rho", rule=rule, pos_label=1, average=False)


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


def _margin_options(**options):
    return lambda choice: _margin(choice, **options)


# A learner and a query strategy, both from a choice.
BINARY = {
    "PEA": (_PE, _margin),
    "SEL-ada": (_PE, _mistakes),
    "SEL-2nd": (_second_order, _margin),
    "RPE": (_PE, _random),
    "RPA": (_PA, _random),
    "RPA-I": (_PA_1, _random),
    "RPA-II": (_PA_2, _random),
    "PAA": (_PA, _margin),
    "PAA-I": (_PA_1, _margin),
    "PAA-II": (_PA_2, _margin),
}
# The paper leaves SEL-ada and SEL-2nd out where it is about text.
TEXT = [name for name in BINARY if not name.startswith("SEL")]
_MULTICLASS = ("RPE", "RPA", "RPA-I", "RPA-II", "PEA", "PAA", "PAA-I", "PAA-II")
MULTICLASS = {f"M{name}": BINARY[name] for name in _MULTICLASS}
COST = {
    "PE": (_PE, _all),
    "PA": (_PA_1, _all),
    "CW-diag": (_CW, _all),
    "PAUM": (_uneven_perceptron, _all),
    "CPA": (_cost_sensitive("prediction"), _all),
    "LEPE": (_PE, _margin),
    "CSRND": (_cost_sensitive("cost-sensitive"), _random),
    "CSPAA": (_cost_sensitive("cost-sensitive"), _margin),
    "CSPAA(a)": (_cost_sensitive("cost-sensitive"), _adaptive),
}
PAPER = BINARY | MULTICLASS | COST
# Not in the paper: a margin within which every label is queried, and the standardized margin.
AROW = {
    "AROW": (_arow, _margin),
    "AROW, offset": (_arow, _margin_options(offset=-0.1)),
    "AROW, standardized": (_arow, _margin_options(confidence="standardized")),
    "AROW, standardized, offset": (
        _arow,
        _margin_options(confidence="standardized", offset=-0.25),
    ),
}
AROW_COST = {"AROW, all labels": (_arow, _all)} | AROW
ALGORITHMS = PAPER | AROW_COST
# Those that query every label, and those that query at random.
FULL = [name for name, (_, query) in ALGORITHMS.items() if query is _all]
RANDOM = [name for name, (_, query) in ALGORITHMS.items() if query is _random]
# Those whose C (or a) is chosen.
TUNED = [name for name in PAPER if name.endswith(("-I", "-II", "-2nd"))]


def build(algorithm, choice):
    """The estimator of an algorithm, wrapped in its query strategy."""
    learner, query = ALGORITHMS[algorithm]
    options = {"multi_class": "crammer_singer"} if algorithm in MULTICLASS else {}
    return ours.LabelEfficientClassifier(
        learner(choice, **options), query(choice), shuffle=False, random_state=choice.seed
    )
