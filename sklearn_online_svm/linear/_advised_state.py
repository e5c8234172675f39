"""The arrays of a model with advice."""

import numpy as np

from .._core.linear.refinement import Refinement
from .._core.linear.weights import AdvisedWeights
from ._advice_rules import keep_of, mean_advice, same_rules
from ._state import LinearState

# Number of shared arrays with advice; models without advice have fewer.
_N_ADVISED = 5


class AdvisedState(LinearState):
    """Arrays of a model that may have advice, which may change in a stream.

    With advice r (``advice``, ``intercept_advice``) the weights are ``r + scale * coef``. Updates
    change ``coef`` and ``scale``.
    """

    # Incremented when the arrays are replaced: sums computed from former arrays are then invalid.
    _version = 0
    # Rules and arrays from before the advice was changed, until the next update.
    _before_change = None

    def __init__(self, spec, n_problems, n_features, dtype, sparse):
        super().__init__(spec, n_problems, n_features, dtype, sparse)
        if spec.advice is not None:
            self._add_advice(spec)
            if spec.advice["zero_start"]:
                self._subtract_advice()
            self._build()

    def _add_advice(self, spec):
        """Create the arrays of the advice, with a difference from the advice of 0."""
        rules, coef = spec.advice, self.arrays["coef"]
        arrays = {"advice": np.zeros(coef.shape, coef.dtype), "scale": np.ones(1)}
        mean = mean_advice(rules, rules["vectors"])
        arrays["intercept_advice"] = np.zeros(len(coef))
        if spec.fit_intercept:
            arrays["intercept_advice"][:], mean = mean[:, -1], mean[:, :-1]
        arrays["advice"][:, rules["columns"]] = mean
        if rules["refine"]:
            arrays["advice_vectors"] = rules["vectors"].ravel()
        self.arrays = self.arrays | self._copies(arrays)

    def _subtract_advice(self):
        """Express weights of ``coef`` and ``intercept`` as a difference from the advice."""
        self.arrays["coef"] -= self.arrays["advice"]
        self.arrays["intercept"] -= self.arrays["intercept_advice"]

    def _build(self):
        self._version += 1
        super()._build()

    def _weights(self, arrays):
        rules = self.update_spec.advice
        if rules is None:
            return super()._weights(arrays)
        names = "coef", "intercept", "advice", "intercept_advice", "scale"
        refinement = Refinement(rules, arrays["advice_vectors"]) if rules["refine"] else None
        return AdvisedWeights(
            *(arrays[name] for name in names),
            keep_of(rules),
            self.update_spec.fit_intercept,
            self.sparse,
            refinement,
        )

    def extended(self, plan, schema, places):
        """Raise ValueError: advice is for given classes."""
        raise ValueError(
            f"classes={schema.classes.tolist()} has more than {len(places)} classes, but classes "
            f"cannot be added to {plan.name}: its advice refers to the classes of the first call. "
            "Pass all classes in the first call, or call fit."
        )

    # ---------------------------------------------------------------------------- reading

    def weights(self, guard):
        """Return the weights and intercepts that predict."""
        version = self._version
        arrays, n_rows = self._read(guard)
        if len(arrays) < _N_ADVISED:
            return arrays
        cached, key = self._averaged, (version, n_rows)
        if cached is None or cached[0] != key:
            cached = self._averaged = key, _sums(*arrays)
        return cached[1]

    def _average(self, arrays, n_rows):
        return _sums(*arrays)

    def _current_weights(self):
        """Return weights and intercepts; the caller holds the guard."""
        if self.update_spec.advice is None:
            return self.arrays["coef"], self.arrays["intercept"]
        return _sums(*self._readable(self.arrays))

    # ---------------------------------------------------------------------------- changing

    def set_update_spec(self, spec):
        """Continue with other parameters of the update rule, or with other advice."""
        if not same_rules(self.update_spec.advice, spec.advice):
            self._change_advice(spec)
        super().set_update_spec(spec)

    def _change_advice(self, spec):
        """Express the same weights relative to other advice.

        The former arrays are kept until the next update: if the next chunk is invalid and the
        former advice is set again, the model is the same to the last bit.
        """
        if self._before_change is None:
            self._before_change = self.update_spec.advice, self.arrays
        rules, arrays = self._before_change
        if same_rules(rules, spec.advice):
            self.arrays = arrays
            return
        coef, intercept = self._current_weights()
        self.arrays = self._copies({"coef": coef, "intercept": intercept})
        if spec.advice is not None:
            self._add_advice(spec)
            self._subtract_advice()

    def train(self, dataset, start=0, purchases=None, meanwhile=None, progress=None):
        """Run the update loop."""
        self._before_change = None
        return super().train(dataset, start, purchases, meanwhile, progress)

    def set_weights(self, coef=None, intercept=None):
        """Continue from these weights; None keeps the present ones."""
        if coef is None and intercept is None:
            return
        self._before_change = None
        if self.update_spec.advice is not None:
            current = self._current_weights()
            coef = (current[0] if coef is None else coef) - self.arrays["advice"]
            intercept = current[1] if intercept is None else intercept
            intercept = intercept - self.arrays["intercept_advice"]
            self.arrays = self.arrays | {"scale": np.ones(1)}
        super().set_weights(coef, intercept)

    def copy_from(self, former):
        """Continue from the weights of another state; the advice is that of the parameters."""
        if former.shape != self.shape:
            raise ValueError(
                "warm_start=True needs weights of the same shape as those of the former model, "
                f"{former.shape}; X and y require {self.shape}."
            )
        if former.loop is None:
            coef, intercept = former.sparse_coef.toarray(), former.arrays["intercept"]
        else:
            coef, intercept = former._current_weights()
        self.set_weights(coef, intercept if self.update_spec.fit_intercept else None)
        self.loop.restore(self.counters | {"counts": former.counters["counts"]})

    def copy(self):
        """Return copies of the arrays and counters, for ``restore``."""
        return (*super().copy(), self._before_change)

    def restore(self, copied):
        """Restore the state returned by ``copy``."""
        *copied, self._before_change = copied
        super().restore(copied)


def _sums(coef, intercept, advice, intercept_advice, scale):
    """Return weights and intercepts: the advice plus the scaled difference from it."""
    scale = float(scale[0])
    return advice + scale * coef, intercept_advice + scale * intercept
