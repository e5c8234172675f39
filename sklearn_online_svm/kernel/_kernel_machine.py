"""Base of models that solve an optimization problem: training, diagnostics, pickling."""

from contextlib import contextmanager
from numbers import Real

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._core.kernel.dual.engine import is_interrupt
from .._sklearn_compat import Interval
from .._validation import thread_pool
from ._diagnostics import most_steps
from ._engine import EngineSpec
from ._kept_samples import KeptSamples
from ._model import KernelModel


class KernelMachine(KernelModel):
    """Kernel model that solves an optimization problem over a support set.

    Several threads may use a model at once. A training call holds the lock of the model
    (``_guard``) and, while it changes an engine that other threads can see, that of the engine.
    Predictions use the last complete state of the engine; other readers wait.

    A subclass defines ``_kind_of_targets``, the class of ``_targets``, which is what it learns;
    ``_solver``, which returns the :class:`SolverSpec` of its parameters; ``_schedule``, which
    returns the :class:`Schedule` of ``fit``; and ``_refusals``, functions of the model and its
    schedule (None: a stream), which raise ValueError for parameters that cannot be combined.
    """

    _state_attribute = "_engine"

    _parameter_constraints: dict = {
        **KernelModel._parameter_constraints,
        "shrinking": ["boolean"],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "cache_size": [Interval(Real, 0.0, None, closed="neither")],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def _solution(self):
        """Return the last complete state, optimized over the support set where that is due."""
        engine, optimized = self._engine, self._predicts_optimized()
        solution = engine.cached_solution(optimized)
        if solution is None:
            with thread_pool(self.n_jobs) as threads:
                solution = engine.solution(optimized, most_steps(engine), threads)
        return solution

    @property
    def _learned(self):
        """Targets; before training a NotFittedError, which is an AttributeError, too."""
        if "_targets" not in self.__dict__:
            check_is_fitted(self)
        return self._targets

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

    def _counts_of_state(self):
        return self._engine.store.n_slots, self._engine.n_kernel_evaluations

    def _estimated_cost(self, n_values, n_visits=None):
        """Estimate the time of training, and of the optimization for predictions, in nanoseconds.

        The estimate is based on counts that do not depend on the machine, on the layout of X, on
        threads or on the cache, nor on interrupts but for those of a prediction. Few kernel values
        are needed twice: those of the support set are mostly cached.

        Parameters
        ----------
        n_values : float
            Average number of nonzero values per sample.
        n_visits : int, default=None
            Number of samples visited, counting each epoch; by default ``n_samples_seen_``.

        Returns
        -------
        steps : float
            Part that does not depend on the number of support vectors.
        by_support : float
            Remaining part: kernel values and gradient updates.
        """
        engine = self._engine
        n_visits = self.n_samples_seen_ if n_visits is None else n_visits
        by_pair = 0.2 + 0.015 * n_values
        by_support = by_pair * n_visits * engine.store.n_slots + 0.8 * engine.n_operations
        return 800.0 * engine.n_changes, by_support

    @contextmanager
    def _reading(self):
        """Yield the model and its engine, with the solution that predictions use.

        No other thread can change them inside the context.
        """
        view = self._view()
        check_is_fitted(view)
        engine, optimized = view._engine, view._predicts_optimized()
        with engine.guard.reading():
            if not optimized or engine.is_optimized:
                engine.prepare(optimized, 0)
            else:
                with thread_pool(self.n_jobs) as threads:
                    engine.prepare(optimized, most_steps(engine), threads)
            yield view, engine

    def _predicts_optimized(self):
        """Return whether predictions use the optimum over the support set."""
        return False

    # ---------------------------------------------------------------------------- training

    _refusals = ()
    # Whether samples are kept beside the support vectors, and those kept: KeptSamples or None.
    _keeps_samples = False
    _samples = None

    def _was_interrupted(self, error):
        """Return whether the model is usable after an error."""
        return is_interrupt(error)

    # ---------------------------------------------------------------------------- interrupts

    @property
    def interrupted_(self):
        """Whether the last call was interrupted and :meth:`resume` can continue it."""
        check_is_fitted(self)
        return "_checkpoint" in self.__dict__

    # ---------------------------------------------------------------------------- conventions

    def _packed(self, state):
        """Return the engine as arrays, without its kernel cache."""
        engine = state["_engine"]
        with engine.guard.reading():
            packed = engine.state()
        spec = state["_spec"]
        targets, kept = state["_targets"].as_dict(), state.get("_samples")
        packed = dict(_engine=packed, _spec=spec.as_dict(), _dtype=spec.dtype, _targets=targets)
        return packed if kept is None else packed | dict(_samples=kept.state())

    def _rebuilt(self, state):
        """Return the fitted attributes of a stored model that predictions require."""
        spec = EngineSpec.from_state(state["_spec"])
        engine = spec.build()
        engine.restore(state["_engine"])
        targets = self._kind_of_targets.from_dict(state["_targets"])
        dtype, kept = np.dtype(spec.dtype), state.get("_samples")
        rebuilt = dict(_dtype=dtype, _spec=spec, _engine=engine, _targets=targets)
        if kept is not None:
            rebuilt["_samples"] = KeptSamples.from_state(kept, state["n_features_in_"])
        return rebuilt
