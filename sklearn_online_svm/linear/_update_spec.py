"""The specification of an update: plain values, also read from a stored model."""

from dataclasses import dataclass, field

import numpy as np

from .._core.linear.rules import RULES
from .._core.stored import SMALLEST_NUMBER, Stored
from ._advice_rules import stored_rules


@dataclass(frozen=True)
class UpdateSpec:
    """Parameters of the update loop, derived from those of an estimator."""

    rule: dict
    target_margins: dict = field(default_factory=dict)
    fit_intercept: bool = True
    # Value of the constant feature of the intercept, for dense and for sparse samples.
    intercept_scaling: tuple = (1.0, 1.0)
    covariance: str | None = None
    start_variance: float = 1.0
    crammer_singer: bool = False
    # Number of samples before averaging begins; None: no average.
    average_from: int | None = None
    # Parameters of local models: n_prototypes, n_neighbors, lam; None: a single hyperplane.
    local: dict | None = None
    # The result of ``rules_of``; None: no advice.
    advice: dict | None = None

    @property
    def derived(self):
        """Whether the weights that predict are computed from the stored ones."""
        return self.average_from is not None or self.advice is not None

    @classmethod
    def from_state(cls, state, shape, n_classes):
        """Rebuild a method from its fields, a :class:`Stored`; a regressor has no classes.

        The shape is that of the weights.
        """
        covariance = state.choice("covariance", [None, "diag", "full"])
        average_from = state.value("average_from")
        if average_from is not None:
            average_from = state.integer("average_from")
        wanted = covariance is not None, n_classes is None
        names = [
            name
            for name, rule in RULES.items()
            if (rule.needs_covariance, rule.is_regression) == wanted
        ]
        fit_intercept = state.flag("fit_intercept")
        method = cls(
            rule=_stored_rule(state.part("rule"), names),
            target_margins=_stored_demands(state.part("target_margins"), n_classes or 0),
            fit_intercept=fit_intercept,
            intercept_scaling=_stored_scaling(state),
            covariance=covariance,
            start_variance=state.number("start_variance", SMALLEST_NUMBER),
            crammer_singer=state.flag("crammer_singer"),
            average_from=average_from,
            local=_stored_local(state),
            advice=stored_rules(state, "advice", shape, fit_intercept),
        )
        state.end()
        return method


def _stored_scaling(state):
    """Return the constant feature of dense and of sparse rows of a stored method."""
    name = "intercept_scaling"
    if not state.has(name):
        return (1.0, 1.0)
    scaling = state.items(name, 2, kind=tuple)
    both = [Stored({name: one}, state.path).number(name, SMALLEST_NUMBER) for one in scaling]
    return tuple(both)


def _stored_local(state):
    """Return the parameters of the regions of a stored method."""
    if state.value("local") is None:
        return None
    local = state.part("local")
    read = {
        "n_prototypes": local.integer("n_prototypes", 1, 2**31 - 1),
        "n_neighbors": local.integer("n_neighbors", 1, 2**31 - 1),
        "lam": local.number("lam", SMALLEST_NUMBER, finite=False),
    }
    local.end()
    return read


def _stored_rule(state, names):
    """Return the rule of a stored method."""
    rule = {"name": state.choice("name", names)}
    for number in ("C", "phi", "r", "epsilon"):
        if state.has(number):
            rule[number] = state.number(number, 0.0, finite=number != "C")
    state.end()
    return rule


def _stored_demands(state, n_classes):
    """Return the target margins of a stored method."""
    demands = {}
    for number in ("negative", "positive", "eta_ratio"):
        if state.has(number):
            demands[number] = state.number(number)
    for flag in ("running", "root", "relative", "counted", "max_loss"):
        if state.has(flag):
            demands[flag] = state.flag(flag)
    if state.has("sign"):
        demands["sign"] = state.number("sign", -1.0, 1.0)
    if state.has("pairs"):
        shape = (n_classes, n_classes)
        demands["pairs"] = state.array("pairs", np.float64, shape, finite=True, low=0)
    state.end()
    return demands
