"""Base of models that solve an optimization problem: training, diagnostics, pickling."""

import copy
import warnings
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from numbers import Real

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._core.interrupts import DeferredInterrupts
from .._core.kernel.dual.engine import is_interrupt
from .._estimator import Transaction
from .._feature_space import Kernel
from .._sklearn_compat import Interval
from .._tasks import reporting
from .._validation import check_samples, check_weights, restore_generator, thread_pool
from ._checkpoint import advice, checkpoint_of, refuse_new_parameters, same_rows
from ._engine import (
    BOUNDED,
    COARSE,
    EXPONENTIAL,
    EngineSpec,
    choose_layout,
    far_centre,
    is_saturated,
    short,
    spread,
    uncertainty,
    with_offset,
)
from ._epochs import known_slots
from ._model import KernelModel

# Number of support vectors whose kernel values are compared.
N_COMPARED = 50

# Maximum number of steps of one call on the support set (REPROCESS and finish), for each of k
# binary problems: max(MAX_STEPS / k, MAX_STEPS_PER_SAMPLE * n_samples). Without a limit a call
# might run for a very long time if features or C are very large, or if the kernel is not positive
# semidefinite. Typical problems need a small fraction of them.
MAX_STEPS = 5_000_000
MAX_STEPS_PER_SAMPLE = 2500


class KernelMachine(KernelModel):
    """Kernel model that solves an optimization problem over a support set.

    Several threads may use a model at once. A training call holds the lock of the model
    (``_guard``) and, while it changes an engine that other threads can see, that of the engine.
    Predictions use the last complete state of the engine; other readers wait.

    A subclass defines ``_solver``, which returns the :class:`SolverSpec` of its parameters;
    ``_begin_passes``, which sets ``_engine`` and returns the :class:`Passes` of ``fit`` (of class
    ``_passes``); ``_encode_targets``, ``_check_targets``, ``_n_problems`` and ``_samples_of`` for
    what is learned: classes, numbers or nothing; and ``_linear_terms`` if it has a solution path.
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
                solution = engine.solution(optimized, self._most_steps(), threads)
        return solution

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
        threads, on the cache or on interrupts. Few kernel values are needed twice: those of the
        support set are mostly cached.

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
                    engine.prepare(optimized, view._most_steps(), threads)
            yield view, engine

    def _predicts_optimized(self):
        """Return whether predictions use the optimum over the support set."""
        return False

    def _are_rows_of(self, solution, X):
        """Return whether the support vectors are samples of X, in their places."""
        rows = solution.row_ids
        same = not len(rows) or rows.max() < X.shape[0]
        if same and len(rows) and self._spec.layout != "precomputed":
            return not abs(solution.vectors() - X[rows]).max()
        return same

    # ---------------------------------------------------------------------------- training

    def _fit_in_transaction(self, X, y, sample_weight, begun=None):
        """Fit the model; an error leaves it unchanged.

        ``begun`` is called before training with the draft and the samples.
        """
        uncertain = 0.0
        with (
            self._guard,
            # fit_path fits several models.
            nullcontext()
            if begun is not None
            else reporting(self, "fit", X, y, sample_weight, self._n_tasks),
            DeferredInterrupts(),
            Transaction(self) as change,
        ):
            draft = change.draft
            draft.__dict__.pop("_checkpoint", None)
            rows = draft._begin_fit(X, y, sample_weight)
            cost = draft._costs_of_fit(rows[1], rows[2])
            passes = draft._begin_passes(rows[0], rows[1], cost, self.__dict__)
            if begun is not None:
                begun(draft, rows)
            draft._offer_copy(rows, cost, passes)
            try:
                passes.run()
                draft._refuse_overflow()
                draft._keep_samples(rows, passes.at)
                draft._end_fit()
                uncertain = np.inf if draft._is_constant() else draft._coarseness()
            except BaseException as error:
                if draft._was_interrupted(error):
                    # The interrupted model is usable: keep it.
                    draft._note_interrupt(error, "fit", rows, cost, passes.at)
                    draft._keep_samples(rows, passes.at)
                    draft._end_fit()
                    change.keep = True
                raise
        self._warn_if_coarse(uncertain, stacklevel=5)
        return self

    def _refuse_overflow(self):
        """Raise an error if the solution is not finite, as with an unbounded problem."""
        for problem in self._engine.problems:
            slots, (alpha, g, bias) = problem.slots(), problem.solution()
            if np.isfinite([alpha[slots], g[slots]]).all() and np.isfinite(bias):
                continue
            names = [name for name in ("kernel", "C", "loss") if hasattr(self, name)]
            given = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
            raise ValueError(
                f"The coefficients of {type(self).__name__} are beyond the range of double "
                f"precision with {given}. Use a positive definite kernel, or a smaller C."
            )

    def _passes_of(self, targets):
        """Return the class of the stages of ``fit`` for samples with these targets."""
        return self._passes

    # Maximum number of tasks of ``fit``, if it is known: epochs and optimizations.
    _n_tasks = None

    def _was_interrupted(self, error):
        """Return whether the model is usable after an error."""
        return is_interrupt(error)

    def _offer_copy(self, rows, cost, passes):
        """Let callbacks of ``fit`` have a copy of the model as an interrupt would leave it."""
        if "_tasks" not in self.__dict__:
            return

        def attributes():
            passes.note_progress()
            at = passes.now
            copied = self._copy_without_callbacks()
            copied._checkpoint = copy.deepcopy(checkpoint_of(self, "fit", rows, cost, at))
            copied._keep_samples(rows, at)
            copied._end_fit()
            return vars(copied)

        self._tasks.attributes = attributes

    def _keep_samples(self, rows, at):
        """Keep what predictions need of the samples of ``fit``, apart from support vectors."""

    def _end_fit(self):
        for name in ("_order", "_random"):
            self.__dict__.pop(name, None)
        self._engine.track(None)

    def _built_engine(self, X):
        """Return an empty engine for the epochs of ``fit``."""
        engine = self._spec.build()
        if self._spec.layout == "precomputed":
            engine.store.attach(X)
        return engine

    # ---------------------------------------------------------------------------- interrupts

    @property
    def interrupted_(self):
        """Whether the last call was interrupted and :meth:`resume` can continue it."""
        check_is_fitted(self)
        return "_checkpoint" in self.__dict__

    def _note_interrupt(self, error, method, rows, cost, at):
        """Store what ``resume`` needs if the error is Ctrl-C, and add a note to the traceback."""
        if isinstance(error, KeyboardInterrupt):
            self._checkpoint = checkpoint_of(self, method, rows, cost, at)
            error.add_note(advice(self))

    def _resume(self, X, y, sample_weight):
        """Continue the interrupted call; an error changes neither model nor checkpoint."""
        uncertain = 0.0
        with self._guard, reporting(self, "resume", X, y, sample_weight), DeferredInterrupts():
            checkpoint = self.__dict__.get("_checkpoint")
            if checkpoint is None:
                raise ValueError(
                    "There is nothing to resume: no call of this model was interrupted."
                )
            refuse_new_parameters(self, checkpoint)
            rows = None
            if checkpoint["checksums"] is not None:
                rows = same_rows(self, checkpoint, X, y, sample_weight)
            with Transaction(self) as change:
                draft = change.draft
                draft._engine = draft._engine_of(checkpoint, rows)
                del draft._checkpoint
                go_on = getattr(draft, f"_resume_{checkpoint['method']}")
                try:
                    uncertain = go_on(rows, checkpoint["cost"], checkpoint["at"])
                except BaseException as error:
                    change.keep = is_interrupt(error)
                    raise
        self._warn_if_coarse(uncertain, stacklevel=4)
        return self

    def _engine_of(self, checkpoint, rows):
        """Return an engine in the state of a checkpoint."""
        state = checkpoint["engine"]
        if state is None:
            with self._engine.guard.reading():
                state = self._engine.state()
        engine = self._built_engine(None if rows is None else rows[0])
        engine.restore(state)
        if checkpoint["method"] == "fit" and self._passes.needs_known(self):
            engine.track(known_slots(engine, len(rows[1])))
        for problem, read_state in zip(engine.problems, checkpoint["read_states"], strict=True):
            problem.restore_read_state(read_state)  # there may have been predictions since
        return engine

    def _resume_fit(self, rows, cost, at):
        self._random = None if at["random"] is None else restore_generator(at["random"])
        passes = self._passes_of(rows[1])(self, rows[0], rows[1], cost, at)
        self._offer_copy(rows, cost, passes)
        try:
            passes.run()
            self._keep_samples(rows, passes.at)
            self._end_fit()
            return self._coarseness()
        except BaseException as error:
            self._note_interrupt(error, "fit", rows, cost, passes.at)
            self._keep_samples(rows, passes.at)
            self._end_fit()
            raise

    def _begin_fit(self, X, y, sample_weight):
        """Validate the input; set targets, gamma and counters before training."""
        precomputed = self._is_precomputed()
        X, y = self._check_samples(X, y, reset=True, accept_sparse=False if precomputed else "csr")
        if precomputed and X.shape[0] != X.shape[1]:
            raise ValueError(
                "Precomputed matrix must be a square matrix. "
                f"Input is a {X.shape[0]}x{X.shape[1]} matrix."
            )
        targets = self._encode_targets(X, y)
        weights = check_weights(sample_weight, X, allow_all_zero=False)
        self._check_targets(targets, weights)
        X = self._fix_kernel(X, weights)
        self._fix_by_targets(X, targets, weights)
        self.n_samples_seen_ = self._next_row_id = X.shape[0]
        self.n_iter_ = 0
        self.kkt_violation_ = np.inf
        self._random = check_random_state(self.random_state)
        self._order = self._next_order(X.shape[0])
        return X, targets, weights

    # Whether there is a y to learn.
    _has_targets = True

    def _check_samples(self, X, y, **options):
        """Return validated samples, and y as an array."""
        if self._has_targets:
            return check_samples(self, X, y, **options)
        return check_samples(self, X, **options), None

    def _check_targets(self, targets, weights):
        """Raise ValueError if the samples of positive weight cannot be trained on."""

    def _fix_by_targets(self, X, targets, weights):
        """Set what depends on the targets of the first samples, and on the kernel."""

    def _costs_of_fit(self, targets, weights):
        """Return the upper bound of alpha of each sample."""
        return self.C * weights

    def _fix_kernel(self, X, weights, fewest=2):
        """Set ``gamma_``, the dtype and the layout; return X in that dtype.

        Fewer samples than ``fewest`` are not enough to tell whether features are far from 0.
        """
        X = self._fix_gamma(X, weights)
        self._fitted_params = self._current_params()
        solver, offset = self._solver(), None
        linear = isinstance(self.kernel, str) and self.kernel == "linear"
        if linear and solver.may_move_origin and X.shape[0] >= fewest:
            offset = far_centre(X if weights.all() else X[weights > 0])
            X = X if offset is None else X.astype(np.float64, copy=False)
        self._dtype = X.dtype
        self._sparse = not isinstance(X, np.ndarray)
        self._spec = EngineSpec(
            n_features=X.shape[1],
            n_problems=self._n_problems(),
            dtype=X.dtype.name,
            layout=choose_layout(X, self.kernel),
            kernel=self._kernel_of_spec(),
            degree=int(self.degree),
            gamma=self.gamma_,
            coef0=float(self.coef0),
            cache_size=float(self.cache_size),
            solver=solver,
            offset=offset,
        )
        return X

    # Appended to an uncertainty, to compare it with.
    _margin_note = ""

    def _warn_if_coarse(self, uncertain, stacklevel):
        """Warn when kernel values in single precision are too coarse for the solution."""
        if uncertain:
            name, effect = type(self).__name__, "are all the same"
            if np.isfinite(uncertain):
                effect = f"are uncertain by about {uncertain:.1g}{self._margin_note}"
            warnings.warn(
                f"Kernel values are rounded to single precision, and the decision function values "
                f"of this {name} {effect}. The usual cause is features with large values, or with "
                "a mean that is large compared with their spread: scale them, for example with "
                "sklearn.preprocessing.StandardScaler.",
                UserWarning,
                stacklevel=stacklevel,
            )

    def _coarseness(self):
        """Return the uncertainty of decision values, or 0 when below the warning threshold."""
        if self._spec.kernel in BOUNDED:
            return 0.0  # values of at most 1 are too coarse only if C is very large
        found = uncertainty(self._engine)
        if self._spec.kernel == "sigmoid" and is_saturated(self._engine):
            found = max(found, 1.0)
        return (
            found if found > max(self._tolerance(), COARSE * self._scale_of_decisions()) else 0.0
        )

    def _is_constant(self):
        """Return whether different support vectors have the same kernel values, by rounding."""
        if self._spec.kernel not in BOUNDED or spread(self._engine) > uncertainty(self._engine):
            return False
        rows = self._engine.current_solution().vectors()[:N_COMPARED]
        rows = rows.toarray() if issparse(rows) else rows
        rounding = 8.0 * np.finfo(np.float32).eps
        if not (len(rows) and (np.ptp(rows, axis=0) > rounding * np.abs(rows).max(axis=0)).any()):
            return False
        values = Kernel.of(self._spec)(rows, rows)
        return np.ptp(values) <= rounding * np.abs(values).max()

    def _tolerance(self):
        """Return the largest violation of the optimality conditions that is accepted."""
        return float(self.tol)

    def _scale_of_decisions(self):
        """Return the size of differences of decision values that matter."""
        return 1.0

    def _recentre_if_coarse(self):
        """Move the origin to the mean of the support set if that helps; return whether it did.

        The first chunk of a stream does not always show that features are far from 0.
        """
        found = self._coarseness()
        if not (found and self._spec.kernel == "linear" and self._spec.solver.may_move_origin):
            return False
        vectors = self._engine.current_solution().vectors()
        mean = np.asarray(vectors.mean(axis=0, dtype=np.float64)).ravel()
        spec = replace(self._spec, offset=short(mean), dtype="float64")
        engine = with_offset(self._engine, spec)
        if uncertainty(engine) > 0.5 * found:
            return False
        # One assignment, because other threads may predict.
        changed = dict(_spec=spec, _engine=engine, _dtype=np.dtype(np.float64))
        self.__dict__ = {**self.__dict__, **changed}
        return True

    def _next_order(self, n):
        order = self._random.permutation(n) if self.shuffle else np.arange(n)
        return order.astype(np.int64, copy=False)

    def _allow_steps(self, n_rows=None):
        """Limit the steps of a call on ``n_rows`` samples; None: on the support set."""
        self._engine.allow(self._most_steps(n_rows))

    def _most_steps(self, n_rows=None):
        if n_rows is None:
            n_rows = max(problem.members.n_members for problem in self._engine.problems)
        return max(MAX_STEPS // self._spec.n_problems, MAX_STEPS_PER_SAMPLE * n_rows)

    def _warn_unless_solved(self, stacklevel):
        """Warn if the step limit, or the precision of a double, prevented convergence."""
        violation = self._violation_among_members()
        if self._is_solved() and violation <= max(self._tolerance(), 1e-3):
            return
        reason = (
            "at the maximum number of steps"
            if self._engine.out_of_steps
            else "at the limit of floating-point precision"
        )
        warnings.warn(
            f"{type(self).__name__} stopped {reason}: the largest violation is {violation:.3g}, "
            f"tol is {self._tolerance():.3g}. {self._advice()}",
            ConvergenceWarning,
            stacklevel=stacklevel + 1,
        )

    def _advice(self):
        """Return what helps if training does not converge."""
        smaller = dict.fromkeys(("rbf", *EXPONENTIAL), "C or another gamma")
        smaller["sigmoid"] = "C, gamma or coef0"
        kernel = self.kernel if isinstance(self.kernel, str) else None
        return (
            "Scale the features (StandardScaler), or use a smaller "
            f"{smaller.get(kernel, 'C, gamma or coef0' if kernel == 'poly' else 'C')}, a larger "
            "tol, or another kernel."
        )

    def _violation_among_members(self):
        return max(problem.delta for problem in self._engine.problems)

    def _is_solved(self):
        """Return whether the problems over the support set are solved to tol."""
        return all(problem.delta <= problem.tau for problem in self._engine.problems)

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
