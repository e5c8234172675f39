"""Base of estimators that solve a dual problem: public attributes, ``resume``, pickles."""

import copy
from contextlib import contextmanager
from numbers import Integral, Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._sklearn_compat import Interval, Options, StrOptions
from . import _training
from ._docs import with_shared_docs
from ._kernel_estimator import KernelEstimator
from ._machine import Machine

# Parameters of estimators that LASVM trains, in epochs over samples in memory or in a stream.
ONLINE_CONSTRAINTS: dict = {
    "max_iter": [
        StrOptions({"auto"}),
        Interval(Integral, 1, None, closed="left"),
        Options(Integral, {-1}),
    ],
    "finishing": ["boolean"],
    "window_size": [Interval(Integral, 1, None, closed="left"), None],
    "shuffle": ["boolean"],
}


@with_shared_docs
class DualEstimator(KernelEstimator):
    """Kernel estimator that solves an optimization problem over a support set.

    A subclass has ``_plan``, which returns the :class:`Plan` of its parameters. The fitted state
    is a :class:`Machine`. Several threads may use an estimator at once. A training call holds the
    lock of the estimator (``_guard``) and, while it changes an engine that other threads can see,
    that of the engine. Predictions use the last complete state of the engine; other readers wait.
    """

    _state_attribute = "_machine"
    _stored_as = {"_machine": Machine}

    _parameter_constraints: dict = {
        **KernelEstimator._parameter_constraints,
        "shrinking": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

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
        $resumed_weights
        """
        return _training.resume(self, X, y, sample_weight)

    # ---------------------------------------------------------------------------- the solution

    @property
    def dual_objective_(self):
        """Dual objective of each binary problem."""
        return self._of_problems("objective")

    @property
    def duality_gap_(self):
        """Primal minus dual objective of each binary problem, over the support set."""
        return self._of_problems("gap")

    def _of_problems(self, name):
        """Return a number of each binary problem, of the solution that predictions use."""
        optimum = self._fitted.optimum
        if optimum is not None and optimum.is_solved:
            return optimum.numbers[name].copy()
        with self._reading() as (_, engine):
            return np.array([getattr(problem, name) for problem in engine.problems])

    @property
    def n_kernel_evaluations_(self):
        """Number of kernel values computed for training."""
        if (optimum := self._fitted.optimum) is not None:
            return optimum.n_kernel_evaluations
        with self._reading() as (machine, _):
            return machine.engine.n_kernel_evaluations

    @property
    def kkt_violation_(self):
        """Largest violation of the optimality conditions that was met in the last epoch."""
        return self._fitted.violation

    @property
    def n_iter_(self):
        """Number of epochs of ``fit``, or of convex problems solved; 1 for a stream."""
        return self._fitted.n_epochs

    @property
    def interrupted_(self):
        """Whether the last call was interrupted and :meth:`resume` can continue it."""
        return self._fitted.checkpoint is not None

    @contextmanager
    def _reading(self):
        """Yield the machine and its engine, with the solution that predictions use.

        No other thread can change it inside the context.
        """
        machine = self._fitted
        with machine.reading(getattr(self, "finishing", False), self.n_jobs) as engine:
            yield machine, engine

    # ---------------------------------------------------------------------------- conventions

    @property
    def _fitted_params(self):
        return self._machine.watched

    def _counts_of_state(self):
        """Return the numbers of vectors and kernel values, for callbacks of training."""
        return self._machine.counts()

    def _estimated_cost(self, n_values):
        """Return the estimated cost of training so far (see :meth:`Machine.estimated_cost`)."""
        machine = self._machine
        return machine.estimated_cost(n_values, machine.n_seen * max(1, self.n_iter_))


# Methods of the estimators that are also trained on streams.


def finish(self):
    """Optimize over the support set to ``tol``; training can be continued afterwards.

    Returns
    -------
    self : object
        Estimator optimized over the support set.

    $not_fitted
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

    $not_fitted
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
