"""Base of kernel models that solve an optimization problem over a support set."""

from contextlib import contextmanager

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._base import thread_pool
from .._estimator_base import NotOffered
from ._engine import EngineSpec
from ._model import KernelModel
from ._svc_names import PROBABILITIES

_NO_LEAVE_ONE_OUT = (
    "use cross-validation; the leave-one-out error follows from a solution of LASVC"
)


class KernelMachine(KernelModel):
    """Kernel model with an engine: its solution, diagnostics and pickling.

    Several threads may use a model at once. A thread that trains holds ``_guard``, and ``guard``
    of an engine that other threads may read. Predictions use the last complete state of the
    engine; other readers wait.

    A subclass sets ``_engine`` and ``_spec`` (an :class:`EngineSpec`), ``_dtype``, ``_sparse``,
    ``classes_`` and ``n_samples_seen_``.
    """

    _learnt = "_engine"

    def _solution(self):
        """Return the last complete state, optimized over the support set where that is due."""
        engine, settles = self._engine, self._predicts_optimized()
        solution = engine.shown(settles)
        if solution is None:
            with thread_pool(self.n_jobs) as threads:
                solution = engine.show(settles, self._most_steps(), threads)
        return solution

    @property
    def _suspicious_below(self):
        # The ramp loss is constant for smaller margins.
        return self.ramp_s

    predict_proba = NotOffered(PROBABILITIES)
    predict_log_proba = NotOffered(PROBABILITIES)
    # Undefined for problems that are not convex or that change with the samples.
    leave_one_out = NotOffered(_NO_LEAVE_ONE_OUT)
    leave_one_out_estimate_ = NotOffered(_NO_LEAVE_ONE_OUT)

    # ---------------------------------------------------------------------------- the solution

    @property
    def dual_objective_(self):
        """Dual objective of each binary problem."""
        with self._reading() as (_, engine):
            return np.array([problem.objective for problem in engine.problems])

    @property
    def duality_gap_(self):
        """Primal minus dual objective of each binary problem, over the support set."""
        with self._reading() as (_, engine):
            return np.array([problem.gap for problem in engine.problems])

    @property
    def n_kernel_evaluations_(self):
        """Number of kernel values computed for training."""
        with self._reading() as (_, engine):
            return engine.n_kernel_evaluations

    def _estimated_cost(self, n_values):
        """Estimate the time of training, and of the optimization for predictions, in nanoseconds.

        The estimate is based on operation counts, so that it is the same on every machine.

        Parameters
        ----------
        n_values : float
            Average number of nonzero values per sample.

        Returns
        -------
        steps : float
            Part that does not depend on the number of support vectors.
        by_support : float
            Remaining part: kernel values and gradient updates.
        """
        engine = self._engine
        by_kernel_value = 0.2 + 0.015 * n_values
        by_support = by_kernel_value * engine.n_kernel_evaluations + 0.8 * engine.n_operations
        return 800.0 * engine.n_changes, by_support

    @contextmanager
    def _reading(self):
        """Yield the model and its engine, with the solution that predictions use.

        No other thread can change them inside the context.
        """
        view = self._view()
        check_is_fitted(view)
        engine, settles = view._engine, view._predicts_optimized()
        with engine.guard.reading():
            if not settles or engine.is_optimized:
                engine.prepare(settles, 0)
            else:
                with thread_pool(self.n_jobs) as threads:
                    engine.prepare(settles, view._most_steps(), threads)
            yield view, engine

    def _predicts_optimized(self):
        """Return whether predictions use the optimum over the support set."""
        return False

    # ---------------------------------------------------------------------------- conventions

    def _packed(self, state):
        """Return the engine as arrays, without its kernel cache."""
        engine = state["_engine"]
        with engine.guard.reading():
            packed = engine.state()
        spec = state["_spec"]
        return {"_engine": packed, "_spec": spec.as_dict(), "_dtype": spec.dtype}

    def _rebuilt(self, state):
        """Return the fitted attributes of a stored model that predictions require."""
        spec = EngineSpec.from_state(state["_spec"])
        engine = spec.build()
        engine.restore(state["_engine"])
        return {"_dtype": np.dtype(spec.dtype), "_spec": spec, "_engine": engine}
