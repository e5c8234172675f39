"""Base of models that LASVM trains: epochs, chunks of a stream, finish, resume."""

import copy
from dataclasses import replace
from numbers import Integral

from sklearn.utils.validation import check_is_fitted

from .._sklearn_compat import Interval, Options, StrOptions
from . import _training
from ._epochs import OnlinePasses, Schedule
from ._kernel_machine import KernelMachine
from ._sample_selection import AllSamples


class OnlineMachine(KernelMachine):
    """Kernel machine that LASVM trains, in epochs over samples in memory or chunk by chunk."""

    _parameter_constraints: dict = {
        **KernelMachine._parameter_constraints,
        "max_iter": [
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
            Options(Integral, {-1}),
        ],
        "finishing": ["boolean"],
        "window_size": [Interval(Integral, 1, None, closed="left"), None],
        "shuffle": ["boolean"],
    }

    _choice = AllSamples

    # ---------------------------------------------------------------------------- streams

    _begin_chunk = _training.begin_chunk
    _train_on_chunk = _training.train_on_chunk

    # ---------------------------------------------------------------------------- the support set

    def finish(self):
        """Optimize over the support set to ``tol``; training can be continued afterwards.

        Returns
        -------
        self : object
            Estimator optimized over the support set.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If a parameter was changed that must not change during training.
        """
        return _training.finish(self)

    def snapshot(self):
        """Return an independent copy of the model that is optimized over the support set.

        The copy is optimized to ``tol``, and can be used, stored and deployed; training of this
        model continues as if the copy had not been made (bitwise identical). The kernel cache is
        not copied.

        Returns
        -------
        model : object
            Independent copy, on which ``partial_fit`` can be called as well.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If ``kernel="precomputed"`` and :meth:`finish` has not been called: the kernel matrix
            is not stored.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import load_digits
        >>> from sklearn_online_svm import LASVC
        >>> X, y = load_digits(return_X_y=True)
        >>> model, accuracy = LASVC(C=10, gamma=0.001, random_state=0), []
        >>> for rows in np.array_split(np.arange(1200), 4):
        ...     model = model.partial_fit(X[rows], y[rows], classes=np.arange(10))
        ...     accuracy.append(model.snapshot().score(X[1200:], y[1200:]))
        >>> accuracy[0] < accuracy[-1]
        True
        """
        check_is_fitted(self)
        return copy.deepcopy(self).finish()

    def resume(self, X=None, y=None, sample_weight=None):
        """Continue an interrupted call as if it had not been interrupted.

        The interrupted call may be :meth:`fit`, :meth:`partial_fit` or :meth:`finish`. The
        resulting model is bitwise identical to that of an uninterrupted call, also if it was
        pickled in between. Exceptions: ``n_kernel_evaluations_`` includes kernel values that had
        to be recomputed, and a callable kernel must return the same values for any division into
        blocks. The data are not stored and must be passed again, except for :meth:`finish`. A
        second interrupt can be resumed as well; a new call of one of the three methods discards
        the interrupted one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples), default=None
            Samples of the interrupted call. Shape, dtype and checksum must match.
        y : array-like of shape (n_samples,), default=None
            Labels of the interrupted call.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights of the interrupted call, if there were any.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If no call was interrupted, the data are not those of the interrupted call, or a
            parameter other than ``n_jobs`` and ``verbose`` has changed. The model is left
            unchanged and can still be resumed.
        """
        return _training.resume(self, X, y, sample_weight)

    def _predicts_optimized(self):
        return self.finishing and self._spec.layout != "precomputed"

    def _apply_params(self, present):
        spec = replace(self._spec, cache_size=float(self.cache_size), solver=self._solver())
        with self._engine.guard:  # other threads may be optimizing for their predictions
            spec.configure(self._engine)
        self._spec = spec
        super()._apply_params(present)  # the next call repeats what an interrupt has ended


def limits_of(model):
    """Return the limits of the support set that are given, by name."""
    names = "window_size", "max_support_vectors"
    return {name: getattr(model, name) for name in names if getattr(model, name, None) is not None}


def schedule_of(model, max_iter, passes=OnlinePasses, **options):
    """Return the schedule of a model; "auto" is a single epoch where no other is possible."""
    if max_iter == "auto" and (not model.finishing or limits_of(model)):
        max_iter = 1
    return Schedule(passes, max_iter, float(model.tol), bool(model.finishing), **options)


def refuse_limits(model, schedule):
    """Raise ValueError for limits of the support set that need a single epoch from scratch."""
    if schedule is None or schedule.is_single:
        return
    warm = hasattr(model, "warm_start")
    for name, value in limits_of(model).items():
        raise ValueError(
            f"{name}={value} requires a single epoch{' from scratch' if warm else ''}, "
            "because another epoch would add the removed samples again: max_iter=1"
            f"{' and warm_start=False' if warm else ''}, got max_iter={schedule.most_passes}"
            f"{f' and warm_start={schedule.starts_warm}' if warm else ''}."
        )
