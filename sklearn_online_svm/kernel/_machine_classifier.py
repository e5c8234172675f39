"""Base of LASVC and RampSVC: classes, class weights, names of SVC."""

from numbers import Real

import numpy as np

from .._core.kernel.vectors.block import Samples
from .._sklearn_compat import Interval
from .._validation import (
    balanced_weights,
    class_factors,
    encode_labels,
    running_balanced_weights,
    signs,
    unique_labels_and_codes,
)
from ._kernel_machine import KernelMachine
from ._model import KernelClassifier
from ._svc_names import without_svc_defaults


class MachineClassifier(KernelClassifier, KernelMachine):
    """Support vector classifier: one binary problem, or one for each class."""

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0.0, None, closed="right")],
        **KernelMachine._parameter_constraints,
        "ramp_s": [Interval(Real, None, 1.0, closed="neither")],
    }

    def set_params(self, **params):
        """Set the parameters of this estimator.

        Parameters of ``SVC`` that do not exist here are ignored if they have the default of
        ``SVC``, so that ``set_params(**SVC().get_params())`` works.

        Parameters
        ----------
        **params : dict
            Estimator parameters.

        Returns
        -------
        self : object
            Estimator instance.

        Raises
        ------
        ValueError
            If a parameter does not exist.
        """
        own = self._get_param_names()
        return super().set_params(**without_svc_defaults(params, own))

    @property
    def _suspect_margin(self):
        # The ramp loss is constant for smaller margins.
        return self.ramp_s

    _margin_note = " (the margin is 1)"

    # ---------------------------------------------------------------------------- classes

    def _encode_targets(self, X, y):
        """Set ``classes_``; return the class codes of the labels of ``fit``."""
        self.classes_, codes = unique_labels_and_codes(y)
        self.__dict__.pop("_class_order", None)
        return codes

    def _encode_known(self, X, y):
        return encode_labels(y, self.classes_)

    def _check_targets(self, codes, weights):
        n_weighted = np.count_nonzero(np.bincount(codes, weights=weights))
        if n_weighted < 2:
            raise ValueError(
                "The number of classes has to be greater than one; got "
                f"{n_weighted} class with positive sample weight."
            )

    def _n_problems(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _samples_of(self, codes, cost, row_ids, origin):
        return Samples(codes, cost, row_ids, origin=origin)

    def _linear_terms(self, codes):
        """Return the linear terms of the dual, (n_problems, n_samples): the labels 1 and -1."""
        n_problems = self._n_problems()
        return np.array([signs(codes, c, n_problems) for c in range(n_problems)])

    # ---------------------------------------------------------------------------- class weights

    def _costs_of_fit(self, codes, weights):
        self._class_counts = np.zeros(len(self.classes_))
        cost, factors, counts = self._costs(codes, weights, self._order)
        self._note_class_weights(factors, counts)
        return cost

    def _costs(self, codes, weights, order):
        """Return C of each sample, the weight of each class, and new class counts or None.

        C of a sample is C times class weight times sample weight. The model is not changed.
        ``order`` is the order of training, for running counts; None: the order of the samples.
        """
        if self.class_weight is None and float(self.C) < np.inf:
            cost, factors, counts = self.C * weights, np.ones(len(self.classes_)), None
        else:
            with np.errstate(invalid="ignore", over="ignore"):
                cost, factors, counts = self._weighted_costs(codes, weights, order)
        if not cost.max(initial=0.0) < np.inf:  # infinite, or not a number
            cost[np.isnan(cost)] = 0.0  # weight 0 and C=inf
            if self._needs_finite_costs() and np.isinf(cost).any():
                raise ValueError(
                    "C must be finite here, and so must C times class_weight and sample_weight: "
                    "the ramp loss of an outlier is C (1 - s). "
                    f"Got C={self.C!r} and a largest product of {cost.max()}."
                )
        return cost, factors, counts

    def _weighted_costs(self, codes, weights, order):
        """Return C of each sample, the weight of each class, and new class counts or None."""
        factors = np.ones(len(self.classes_))
        if self.class_weight is None:
            return self.C * weights, factors, None
        if self.class_weight == "online_balanced":
            order = np.arange(len(codes)) if order is None else order
            running = np.empty(len(codes))
            counts = self._class_counts.copy()
            running[order] = running_balanced_weights(codes[order], counts, weights[order])
            return self.C * running * weights, factors, counts
        if self.class_weight == "balanced":
            factors = balanced_weights(codes, len(factors), weights)
        else:
            factors = class_factors(self.class_weight, self.classes_)
        return self.C * factors[codes] * weights, factors, None

    def _note_class_weights(self, factors, counts):
        """Set ``class_weight_``, from the class counts if they are given."""
        if counts is not None:
            self._class_counts = counts
            factors = np.ones(len(counts))
            present = counts > 0
            factors[present] = counts.sum() / (len(counts) * counts[present])
        self.class_weight_ = factors

    def _advice(self):
        if np.isinf(self.C):
            return (
                "With C=inf every sample must lie on the correct side of the margin, but the "
                "classes are not separable, or barely. Use a finite C."
            )
        return super()._advice()
