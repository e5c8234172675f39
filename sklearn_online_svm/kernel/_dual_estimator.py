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

        $resume
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
    def n_labels_used_(self):
        """Number of samples whose labels were used for training."""
        return self._fitted.n_labels

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
        return self._machine.counts()

    def _training_counts(self):
        """Return the numbers of samples, vectors and kernel values, for callbacks of training."""
        return self._tasks.n_samples, *self._tasks.trained._counts_of_state()

    def _estimated_cost(self, n_values):
        """Return the estimated cost of training so far (see :meth:`Machine.estimated_cost`)."""
        machine = self._machine
        return machine.estimated_cost(n_values, machine.n_seen * max(1, self.n_iter_))


def finished(estimator):
    """Return a copy that is optimized over the support set, for ``snapshot``."""
    check_is_fitted(estimator)
    return copy.deepcopy(estimator).finish()
