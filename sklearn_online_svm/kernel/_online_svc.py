"""Base of LASVC, ActiveLASVC and VirtualLASVC: streams of labelled samples."""

from dataclasses import replace
from numbers import Real

import numpy as np
from sklearn.utils.metaestimators import available_if

from .._sklearn_compat import Interval, StrOptions, _fit_context
from . import _training
from ._engine import ALGORITHMS, GapDrivenSpec, LasvmSpec
from ._model import can_take_new_samples
from ._new_classes import extended_engine
from ._online_machine import OnlineMachine, refuse_limits, schedule_of
from ._sample_selection import AllSamples
from ._svc import MachineClassifier


def refuse_balanced_stream(model, schedule):
    """Raise ValueError for class weights that a stream cannot have."""
    if schedule is None and model.class_weight == "balanced":
        raise ValueError(
            "class_weight='balanced' is not supported for partial_fit: the class counts of a "
            "stream are unknown. Use class_weight='online_balanced', or a dict of weights."
        )


class OnlineSVC(MachineClassifier, OnlineMachine):
    """Support vector classifier that LASVM trains: parameters, classes and the warm start."""

    _parameter_constraints: dict = {
        **OnlineMachine._parameter_constraints,
        **MachineClassifier._parameter_constraints,
        "algorithm": [StrOptions(set(ALGORITHMS))],
        "delta_max": [Interval(Real, 0.0, None, closed="neither"), None],
        "class_weight": [StrOptions({"balanced", "online_balanced"}), dict, None],
        "warm_start": ["boolean"],
    }

    _fixed_params = (*OnlineMachine._fixed_params, "algorithm")
    _adjustable_params = (
        *("C", "class_weight", "tol", "delta_max", "finishing", "ramp_s", "shrinking"),
        *("cache_size", "n_jobs", "window_size"),
    )
    _refusals = (refuse_limits, refuse_balanced_stream)

    # ---------------------------------------------------------------------------- training

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the model: reset, shuffle, run the epochs, then optimize over the support set.

        Incremental: :meth:`partial_fit` continues from the fitted model. Interruptible: Ctrl-C
        leaves a usable model, and :meth:`resume` continues from where it stopped. Invalid input
        leaves a fitted model unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Training samples, or the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights. Rescale C per sample; samples of weight 0 are ignored.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, fewer than two classes have positive weight, or
            ``warm_start=True`` and X does not hold the samples of the previous ``fit``.
        """
        return _training.fit(self, X, y, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Continue training with new samples.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The first chunk fixes gamma (``"scale"``), the precision, and with a
        linear kernel the origin of the features; a linear kernel may move the origin at the end of
        a later chunk, too, if features are far from it. Otherwise the model does not depend on how
        a stream is divided into chunks, unless samples are selected (``ActiveLASVC``), because
        selection is restricted to the chunk. Predictions between two calls come from a copy that
        is optimized over the support set (see ``finishing``).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream. Shuffle them if they are sorted.
        y : array-like of shape (n_samples,)
            Class labels. A chunk may contain a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur. Must be passed in the first call; optional afterwards. A
            later call with additional classes adds them to the model, see :ref:`new_classes`.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights. Rescale C per sample; samples of weight 0 are ignored.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid, a label is not among the classes, or
            ``class_weight="balanced"``. The model is left unchanged. If a callable kernel raises
            an error within a chunk, the model has been trained on the blocks of samples before it
            (a call that adds classes leaves it unchanged).
        MemoryError
            If memory runs out. The model has been trained on the blocks of samples before, and
            ``n_samples_seen_`` counts them: training can continue with the next sample once memory
            is available. With sample selection, the training so far is kept, and
            ``n_samples_seen_`` counts the whole chunk. A call that adds classes leaves the model
            unchanged.
        """
        return _training.partial_fit(self, X, y, classes, sample_weight)

    # ---------------------------------------------------------------------------- classes

    @property
    def n_admitted_(self):
        """Number of samples added to the support set, by position on the ramp."""
        return _flow(self, 0)

    @property
    def n_cleaned_(self):
        """Number of samples removed by CLEAN, by position on the ramp when they were added."""
        return _flow(self, 1)

    @property
    def n_skipped_(self):
        """Number of samples skipped, by position on the ramp."""
        return _flow(self, 2)

    def _add_classes(self, classes):
        self._targets, places = self._targets.extended(classes)
        self._extend(places)

    def _extend(self, places):
        """Add problems for new classes, whose negative samples are the vectors of the engine."""
        targets = self._targets
        self._spec = replace(
            self._spec, n_problems=targets.n_problems, one_vs_one=targets.one_vs_one
        )
        self._engine = extended_engine(self._engine, self._spec, places)
        if self._samples is not None:
            self._samples = self._samples.recoded(places)

    def _solver(self):
        common = dict(
            tol=float(self.tol),
            shrinking=bool(self.shrinking),
            window_size=self.window_size,
        )
        if self.algorithm == "lasvm":
            delta_max = np.inf if self.delta_max is None else float(self.delta_max)
            return LasvmSpec(delta_max=delta_max, **common)
        return GapDrivenSpec(
            algorithm=self.algorithm,
            gap_floor=float(self.C),
            ramp_s=float(self.ramp_s),
            **common,
        )

    def _schedule(self):
        # With the ramp loss, samples that were skipped as outliers would be added in other epochs.
        has_ramp = self._needs_finite_costs()
        max_iter = 1 if self.max_iter == "auto" and has_ramp else self.max_iter
        in_batch = self._choice is AllSamples
        return schedule_of(self, max_iter, starts_warm=self.warm_start, in_batch=in_batch)

    def _needs_finite_costs(self):
        return self.algorithm in ("lasvm-nc", "lasvm-i")


def _flow(model, which):
    """Return a count of each problem by position on the ramp."""
    with model._reading() as (view, engine):
        if view._spec.solver.has_bias:
            raise AttributeError("counted only by the algorithms lasvm-g, -nc, -i and -full")
        return np.array([problem.flow()[which] for problem in engine.problems])
