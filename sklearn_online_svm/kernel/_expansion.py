"""A kernel expansion, and the update loop that moves it."""

from dataclasses import dataclass

import numpy as np

from .._core.kernel import compression, expansion_budgets
from .._core.kernel.expansion import KernelExpansion
from .._core.kernel.votes import Votes
from .._core.linear.passes import learn
from .._core.linear.update_loop import UpdateLoop
from .._rows import arrays_of
from ..linear._method import Method
from ..linear._state import stored_counters
from ._engine import VectorSpec

# Who goes when a budget is exceeded.
POLICIES = {
    "margin": expansion_budgets.Margin,
    "oldest": expansion_budgets.Oldest,
    "smallest": expansion_budgets.Smallest,
    "projection": compression.Projection,
    "merging": compression.Merging,
}
AVERAGES = (None, "mean", "vote")


@dataclass(frozen=True)
class ExpansionSpec(VectorSpec):
    """All that is needed to build an empty expansion; plain values, so that it can be pickled."""

    budget: int | None = None
    policy: str = "projection"
    average: str | None = None
    joint: bool = False  # classes compete

    def build(self):
        """Return an expansion without vectors."""
        budget = votes = None
        if self.budget is not None:
            budget = POLICIES[self.policy](self.budget, self.n_problems)
        if self.average == "vote":
            votes = Votes(self.n_problems, self.joint and self.n_problems > 1)
        averaged = self.average == "mean"
        return KernelExpansion(self.store(), self.n_problems, budget, averaged, votes)

    @classmethod
    def from_state(cls, state, n_features, n_classes):
        """Rebuild a spec from its fields, a :class:`Stored`.

        The model that it belongs to has so many features and classes.
        """
        budget = state.value("budget")
        spec = cls(
            **cls.stored_fields(state, n_features, n_classes),
            budget=None if budget is None else state.integer("budget", 1),
            policy=state.choice("policy", [*POLICIES]),
            average=state.choice("average", [*AVERAGES]),
            joint=state.flag("joint"),
        )
        both = spec.budget is not None and spec.average == "vote"
        state.require(not both, "average", "must not be 'vote' where there is a budget")
        state.end()
        return spec


class ExpansionState:
    """Vectors and coefficients of a model, with the loop that learns.

    To the loop, and to who calls it, what ``LinearState`` is for weights.

    Parameters
    ----------
    spec : ExpansionSpec
    method : Method
    """

    # Those of the rows that arrays have: there are none.
    columns = None

    def __init__(self, spec, method):
        self.spec, self.method = spec, method
        self.dtype = np.dtype(spec.dtype)
        self.expansion = spec.build()
        self.loop = self._built(method, None)

    @property
    def moved(self):
        """The counters of the loop."""
        return self.loop.state()

    def _built(self, method, moved):
        loop = UpdateLoop(self.expansion, None, method.rule, method.demands, method.crammer_singer)
        if moved is not None:
            loop.restore(moved)
        return loop

    def use(self, method):
        """Go on with other numbers in the rule."""
        self.loop = self._built(method, self.moved)
        self.method = method

    def rows(self, X):
        """Return rows as the loop takes them."""
        return arrays_of(X)

    def expect_rows(self, n_rows, again):
        """Give rows to come their numbers; ``again``: they come more than once."""
        self.expansion.expect(n_rows, again)
        self.loop.position = 0

    def check(self, X):
        """Refuse rows with kernel values that are no numbers."""
        self.expansion.check(X)

    def saved(self):
        """Return a copy to come back to where a function of Python may fail, else None."""
        if not callable(self.spec.kernel):
            return None
        saved = type(self)(self.spec, self.method)
        saved.loop.restore(self.moved)
        saved.expansion.restore(self.expansion.state())
        return saved

    def learn(self, lessons, start=0, purchases=None):
        """Learn by the loop."""
        with self.expansion.guard:
            return learn(self.loop, lessons, start, purchases)

    def keep(self):
        """Others may read what was learnt: they always may."""

    def attach(self, matrix):
        """Let vectors of a precomputed kernel have their values from here; None: no more."""
        if self.spec.layout == "precomputed":
            self.expansion.store.attach(matrix)

    def solution(self):
        """Return the function that decides, as it was between two blocks of rows."""
        expansion = self.expansion
        solution = expansion.shown()
        if solution is None:
            with expansion.guard.reading():
                solution = expansion.show(self.loop.n_rows)
        return solution

    def as_dict(self):
        """Plain arrays, copies all of them, and numbers, for pickles."""
        with self.expansion.guard.reading():
            return {
                "spec": self.spec.as_dict(),
                "method": vars(self.method),
                "moved": self.moved,
                "expansion": self.expansion.state(),
            }

    @classmethod
    def from_state(cls, state, n_features, n_classes):
        """Rebuild what ``as_dict`` gave, a :class:`Stored`.

        The model that it belongs to has so many features and classes.
        """
        spec = ExpansionSpec.from_state(state.part("spec"), n_features, n_classes)
        method = Method.from_state(state.part("method"), (spec.n_problems, n_features), n_classes)
        state.require(
            method.covariance is None and not method.fit_intercept,
            "method",
            "must have neither a covariance nor an intercept",
        )
        self = cls(spec, method)
        self.loop = self._built(method, stored_counters(state.part("moved"), spec.n_problems))
        self.expansion.restore(state.part("expansion"))
        state.end()
        return self
