"""The arrays of a model with advice: what has been learnt is kept beside it."""

import numpy as np

from .._core.linear.refinement import Refinement
from .._core.linear.weights import AdvisedWeights
from ._advice_rules import keep_of, mean_advice, same_rules
from ._state import LinearState

# How many arrays are on the shelf where there is advice, as there are for no other model.
_N_ADVISED = 5


class AdvisedState(LinearState):
    """Arrays of a model that may have advice, which may change in a stream.

    With advice r (``advice``, ``intercept_advice``) the weights are ``r + scale * coef``, and
    where they are to be others, ``coef`` is what changes.
    """

    # Of the arrays: what was computed from them goes with another.
    _version = 0
    # Rules and arrays from before the advice was changed, until something is learnt.
    _unadvised = None

    def __init__(self, method, n_problems, n_features, dtype, sparse):
        super().__init__(method, n_problems, n_features, dtype, sparse)
        if method.advice is not None:
            self._advise(method)
            self._build()

    def _advise(self, method):
        """Begin with the advice of a method, and with weights that are added to it."""
        rules, coef = method.advice, self.arrays["coef"]
        arrays = {"advice": np.zeros(coef.shape, coef.dtype), "scale": np.ones(1)}
        mean = mean_advice(rules, rules["vectors"])
        arrays["intercept_advice"] = np.zeros(len(coef))
        if method.fit_intercept:
            arrays["intercept_advice"][:], mean = mean[:, -1], mean[:, :-1]
        arrays["advice"][:, rules["columns"]] = mean
        if rules["refine"]:
            arrays["advice_vectors"] = rules["vectors"].ravel()
        self.arrays = self.arrays | self._copies(arrays)

    def _build(self):
        self._version += 1
        super()._build()

    def _weights(self, arrays):
        rules = self.method.advice
        if rules is None:
            return super()._weights(arrays)
        names = "coef", "intercept", "advice", "intercept_advice", "scale"
        refinement = Refinement(rules, arrays["advice_vectors"]) if rules["refine"] else None
        return AdvisedWeights(
            *(arrays[name] for name in names),
            keep_of(rules),
            self.method.fit_intercept,
            self.sparse,
            refinement,
        )

    # ---------------------------------------------------------------------------- reading

    def look(self, guard):
        """Weights and intercepts that predict, as of any model."""
        version = self._version
        arrays, n_rows = self._shelf.look()
        if arrays is None:
            arrays, n_rows = self._wait(guard)
        if len(arrays) < _N_ADVISED:
            return arrays
        known, seen = self._averaged, (version, n_rows)
        if known is None or known[0] != seen:
            known = self._averaged = seen, _sums(*arrays)
        return known[1]

    def _average(self, arrays, n_rows):
        return _sums(*arrays)

    def _newest(self):
        """Return weights and intercepts, for one who holds the guard."""
        if self.method.advice is None:
            return self.arrays["coef"], self.arrays["intercept"]
        return _sums(*self.on_shelf(self.arrays))

    # ---------------------------------------------------------------------------- changing

    def use(self, method):
        """Go on with other numbers in the rule, or with other advice."""
        if not same_rules(self.method.advice, method.advice):
            self._change_advice(method)
        super().use(method)

    def _change_advice(self, method):
        """Describe the same weights beside other advice.

        A chunk that is refused afterwards, and the former advice again, cost nothing.
        """
        if self._unadvised is None:
            self._unadvised = self.method.advice, self.arrays
        rules, arrays = self._unadvised
        if same_rules(rules, method.advice):
            self.arrays = arrays
            return
        coef, intercept = self._newest()
        self.arrays = self._copies({"coef": coef, "intercept": intercept})
        if method.advice is not None:
            self._advise(method)
            self.arrays["coef"] -= self.arrays["advice"]
            self.arrays["intercept"] -= self.arrays["intercept_advice"]

    def learn(self, dataset, start=0, purchases=None, meanwhile=None):
        """Learn by the loop."""
        self._unadvised = None
        return super().learn(dataset, start, purchases, meanwhile)

    def put(self, coef=None, intercept=None):
        """Go on from these weights."""
        if coef is None and intercept is None:
            return
        self._unadvised = None
        if self.method.advice is not None:
            newest = self._newest()
            coef = (newest[0] if coef is None else coef) - self.arrays["advice"]
            intercept = newest[1] if intercept is None else intercept
            intercept = intercept - self.arrays["intercept_advice"]
            self.arrays = self.arrays | {"scale": np.ones(1)}
        super().put(coef, intercept)

    def go_on_from(self, former):
        """Take over the weights alone: the advice is that of the method."""
        if former.shape != self.shape:
            raise ValueError(
                "warm_start=True goes on from the former model, but X and y ask for weights of "
                f"the shape {self.shape}, and it has {former.shape}."
            )
        if former.loop is None:
            coef, intercept = former.thin.toarray(), former.arrays["intercept"]
        else:
            coef, intercept = former._newest()
        self.put(coef, intercept if self.method.fit_intercept else None)
        self.loop.restore(self.moved | {"counts": former.moved["counts"]})

    def copy(self):
        """Return copies of the arrays and counters, for ``restore``."""
        return (*super().copy(), self._unadvised)

    def restore(self, copied):
        """Restore the state returned by ``copy``."""
        *copied, self._unadvised = copied
        super().restore(copied)


def _sums(coef, intercept, advice, intercept_advice, scale):
    """Return weights and intercepts: the advice, and what has been learnt beside it."""
    scale = float(scale[0])
    return advice + scale * coef, intercept_advice + scale * intercept
