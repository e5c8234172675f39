"""Base of models that LASVM trains: epochs, chunks of a stream, finish, resume."""

import copy
import warnings
from dataclasses import replace
from numbers import Integral

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from .._core.interrupts import DeferredInterrupts
from .._core.kernel.vectors.stores import BLOCK
from .._core.kernel.vectors.support_set import STREAM
from .._sklearn_compat import Interval, Options, StrOptions
from .._tasks import n_blocks, reporting, sample_tasks, unguarded
from .._validation import can_skip_validation, check_weights, thread_pool
from ._checkpoint import checkpoint_of
from ._epochs import BatchPasses, OnlinePasses, is_small
from ._kernel_machine import KernelMachine
from ._model import MIN_FIRST_CHUNK
from ._progress import finish
from ._sample_selection import AllSamples

# All but lasvm: steps on one vector after a sample, before steps on two vectors. The thesis has
# the former only; see "Deviation: updates of two coordinates" in the user guide.
SINGLE_STEPS = 10

# lasvm-g, -nc, -i: samples added between two runs of CLEAN (Ertekin 2009, section 6.5), and number
# of vectors with alpha = 0 that CLEAN leaves (section 6.1.2, m, without a value).
CLEAN_INTERVAL = 300
MAX_NON_SV = 100

# Maximum number of REPROCESS steps after one sample, shared by the problems; typical problems
# need a few.
MAX_REPROCESS = 20_000

# Number of vectors with alpha = 0 that a stream keeps in each support set, those closest to the
# margin: support vectors of the optimum that did not violate when they were visited.
RESERVE = 50

_NO_LIMIT = np.iinfo(np.int64).max


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

    _passes = OnlinePasses
    _choice = AllSamples
    _starts_warm = False

    # ---------------------------------------------------------------------------- streams

    def _partial_fit(self, X, y, classes, sample_weight):
        uncertain = 0.0
        with (
            self._guard,
            reporting(self, "partial_fit", X, y, sample_weight, n_blocks),
            DeferredInterrupts(),
        ):
            begin = type(self)._begin_chunk
            uncertain = self._train_on_next_chunk(begin, X, y, classes, sample_weight)
            self._warn_if_cut_short(stacklevel=3)
        self._warn_if_coarse(uncertain, stacklevel=4)
        return self

    def _begin_chunk(self, X, y, classes, sample_weight):
        """Return validated samples, upper bounds of alpha, and the state of the chunk."""
        rows, new = self._begin_partial_fit(X, y, classes, sample_weight)
        cost, of_targets = self._begin_targets(rows)
        at = dict(
            stage="begin",
            first=self._next_row_id,
            n_seen=self.n_samples_seen_,
            n_labels=self.__dict__.get("n_labels_used_", 0),
            **of_targets,
            **self._choice.begun(
                self, np.arange(len(cost)), rows[1], cost, self.random_state, self._next_row_id
            ),
        )
        # All input is valid: only from here on is a fitted model changed.
        self._begin_changes(at)
        self.__dict__.pop("_checkpoint", None)
        if new is not None:
            self._apply_params(new)
        return rows, cost, at

    def _begin_partial_fit(self, X, y, classes, sample_weight):
        """Validate a chunk and changed parameters; the first chunk fixes targets and kernel."""
        first, new = "_engine" not in self.__dict__, None
        if first:
            self._validate_params()
        else:
            new = self._changed_params()
        self._refuse_in_partial_fit()
        if first:
            self._fix_targets(classes)
        if (
            not first
            and (y is not None or not self._has_targets)
            and can_skip_validation(self, X, self._dtype)
        ):
            y = np.asarray(y) if self._has_targets else np.empty(X.shape[0])
            if y.shape != (X.shape[0],):
                X, y = self._check_chunk(X, y, reset=False)
        else:
            X, y = self._check_chunk(X, y, reset=first)
        targets = self._encode_chunk(X, y)
        if sample_weight is None:
            weights = np.ones(X.shape[0])
        else:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        if first:
            if self._uses_gamma_scale() and X.shape[0] < MIN_FIRST_CHUNK:
                warnings.warn(
                    f"gamma='scale' is fixed by the first chunk, which has only {X.shape[0]} "
                    "samples; give gamma a number, or begin with a larger chunk.",
                    UserWarning,
                    stacklevel=6,
                )
            weighted = weights if weights.any() else np.ones(X.shape[0])
            X = self._fix_kernel(X, weighted, fewest=MIN_FIRST_CHUNK)
            self._fix_by_targets(X, targets, weighted)
            self._engine = self._spec.build()
            self.n_samples_seen_ = self._next_row_id = 0
            self.n_iter_ = 1
            self.kkt_violation_ = np.inf
        return (X, targets, weights), new

    def _check_chunk(self, X, y, reset):
        return self._check_samples(X, y, reset=reset, dtype=None if reset else self._dtype)

    # What depends on the targets, in a stream.

    def _refuse_in_partial_fit(self):
        """Raise ValueError for parameters that a stream does not have."""

    def _fix_targets(self, classes):
        """Set what the first chunk fixes before its samples are validated."""

    def _begin_targets(self, rows):
        """Return the upper bounds of alpha, and what ``at`` needs to know of the targets."""
        return self.C * rows[2], {}

    def _begin_changes(self, at):
        """Change the model for a valid chunk."""

    def _note_targets(self, targets, weights, at):
        """Count the targets of the samples processed."""

    def _keep_chunk(self, rows, first, n):
        """Keep what predictions need of a chunk, apart from support vectors."""

    def _train_on_chunk(self, rows, cost, at):
        """Train on validated samples; return the uncertainty of decisions (see ``_coarseness``).

        The counts of samples and labels are correct even after an exception.
        """
        X, targets, weights = rows
        engine, first, n_rows, whole = self._engine, at["first"], X.shape[0], False
        order = at["order"]
        in_order = at["choice"] is None and len(order) == n_rows
        row_ids = first + (order if in_order else np.arange(n_rows))
        choice = self._choice(self, at, X, targets, cost, row_ids, STREAM)

        def count(_=None):
            # Selected samples may come from anywhere in the chunk: then the whole chunk counts.
            n_processed = choice.n_labels if at["stage"] == "learn" else 0
            all_count = whole or (n_processed > 0 and not in_order)
            n_seen = n_rows if all_count else n_processed
            self.n_samples_seen_, self._next_row_id = at["n_seen"] + n_seen, first + n_seen
            self.n_labels_used_ = at["n_labels"] + n_processed

        def count_all():
            count()
            self._stopped_early = choice.stopped
            self._note_targets(targets, weights, at)
            self._keep_chunk(rows, first, self._next_row_id - first)

        def attributes():
            count_all()
            checkpoint = checkpoint_of(self, "partial_fit", rows, cost, {**at, **choice.state})
            return {**self._attributes_of_copy(), "_checkpoint": copy.deepcopy(checkpoint)}

        def position():
            return engine.n_processed

        if "_tasks" in self.__dict__:
            self._tasks.attributes = attributes
        progress = count if n_rows > BLOCK else None
        begin = 0 if at["stage"] == "begin" else position()
        try:
            with (
                sample_tasks(
                    self, len(order), position, progress, order=choice.order, first=begin
                ) as report,
                engine.guard,
                thread_pool(self.n_jobs, n_rows) as threads,
                choice,
            ):
                self._keep_reserve(self.finishing)
                if at["stage"] == "begin":
                    engine.begin_pass(None)
                    engine.allow(_NO_LIMIT)  # steps per sample are limited by max_reprocess
                    if n_rows > BLOCK:
                        engine.check(X)
                    at = {**at, "stage": "learn"}
                if report is not progress:
                    report = unguarded(report, engine.guard)
                engine.learn(
                    choice.X, choice.order, choice.given, threads, engine.n_processed, report
                )
                whole = True
                return self._recentre_if_due(first, n_rows)
        except BaseException as error:
            if self._engine is engine:  # otherwise the origin has been moved after the last sample
                at = {**at, **choice.state}
                self._note_interrupt(error, "partial_fit", rows, cost, at)
            raise
        finally:
            count_all()

    def _recentre_if_due(self, first, n_rows):
        """Return the uncertainty of decisions after a chunk, or 0 below the warning threshold."""
        # Checked only each time the number of samples has doubled.
        if (first + n_rows).bit_length() == first.bit_length():
            return 0.0
        self._recentre_if_coarse()
        return self._coarseness()

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
        with self._guard, DeferredInterrupts():
            check_is_fitted(self)
            new = self._changed_params()
            if new is not None:
                self._apply_params(new)
            self.__dict__.pop("_checkpoint", None)
            uncertain = self._finish(dict(stage="begin"))
            self._warn_unless_solved(stacklevel=2)
        self._warn_if_coarse(uncertain, stacklevel=3)
        return self

    def _finish(self, at):
        """Optimize over the support set, again if the origin of the features has been moved.

        Returns the uncertainty of decisions (see ``_coarseness``).
        """
        try:
            with thread_pool(self.n_jobs) as threads:
                while at["stage"] != "over":
                    with self._engine.guard:
                        at = self._finish_stage(at, threads)
                with self._engine.guard:
                    return self._coarseness()
        except BaseException as error:
            self._note_interrupt(error, "finish", None, None, at)
            raise

    def _finish_stage(self, at, threads):
        stage = at["stage"]
        if stage == "begin":
            self._allow_steps()
            return dict(stage="finish")
        if stage == "recentre":
            if not self._recentre_if_coarse():
                return dict(stage="over")
            self._allow_steps()
            return dict(stage="again")
        finish(self._engine, threads, self.verbose, f"[{type(self).__name__}]")
        return dict(stage="recentre" if stage == "finish" else "over")

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
        return self._resume(X, y, sample_weight)

    def _resume_partial_fit(self, rows, cost, at):
        uncertain = self._train_on_chunk(rows, cost, at)
        self._warn_if_cut_short(stacklevel=4)
        return uncertain

    def _resume_finish(self, rows, cost, at):
        uncertain = self._finish(at)
        self._warn_unless_solved(stacklevel=4)
        return uncertain

    # ---------------------------------------------------------------------------- epochs

    def _begin_passes(self, X, targets, cost, before):
        self._refuse_passes()
        self.n_labels_used_ = 0
        self._stopped_early = False
        at = dict(stage="begin", n_pass=1, patience=None)
        at |= self._choice.begun(self, self._order, targets, cost, self._random)
        at["random"] = None if self._most_passes == 1 else self._random.get_state(legacy=False)
        engine = self._built_engine(X)
        self._begin_warm(engine, X, targets, cost, before)
        self._engine = engine
        self._allow_steps(X.shape[0])
        return self._passes_of(targets)(self, X, targets, cost, at)

    def _passes_of(self, targets):
        convex = self._passes is OnlinePasses and self._choice is AllSamples
        small = self._most_passes == "auto" and is_small(len(targets))
        return BatchPasses if convex and small and not self._starts_warm else self._passes

    def _begin_warm(self, engine, X, targets, cost, before):
        """Start from the solution of the previous ``fit`` if that is wanted."""

    def _refuse_passes(self):
        """Raise ValueError for limits of the support set that need a single pass."""
        for name in ("window_size", "max_support_vectors"):
            value = getattr(self, name, None)
            if value is not None and (self._most_passes != 1 or self._starts_warm):
                warm = hasattr(self, "warm_start")
                raise ValueError(
                    f"{name}={value} requires a single epoch{' from scratch' if warm else ''}, "
                    "because another epoch would add the removed samples again: max_iter=1"
                    f"{' and warm_start=False' if warm else ''}, got max_iter={self._most_passes}"
                    f"{f' and warm_start={self._starts_warm}' if warm else ''}."
                )

    @property
    def _most_passes(self):
        """``max_iter``, but a single epoch for "auto" where only one is possible."""
        limited = [getattr(self, name, None) for name in ("window_size", "max_support_vectors")]
        if self.max_iter == "auto" and (not self.finishing or limited.count(None) < 2):
            return 1
        return self.max_iter

    def _scale_of(self, scores, targets):
        """Return the size of decision values with which violations are compared."""
        return np.minimum(1.0, scores.std(axis=0))

    @property
    def _n_tasks(self):
        return 1 + bool(self.finishing) if self._most_passes == 1 else None

    def _keep_reserve(self, kept):
        """Let the support set keep vectors with alpha = 0, or not; never within a budget."""
        solver = self._spec.solver
        if solver.has_bias:
            for problem in self._engine.problems:
                problem.reserve = RESERVE if kept and solver.budget == 0 else 0

    def _warn_if_cut_short(self, stacklevel):
        if self._engine.cut_short:
            warnings.warn(
                "REPROCESS reached the maximum number of steps after a sample and left a "
                f"violation of up to {self._violation_among_members():.3g} in the support set. "
                f"{self._advice()} A larger delta_max helps, too, where one is given.",
                ConvergenceWarning,
                stacklevel=stacklevel + 1,
            )

    def _predicts_optimized(self):
        return self.finishing and self._spec.layout != "precomputed"

    def _apply_params(self, present):
        super()._apply_params(present)
        spec = replace(self._spec, cache_size=float(self.cache_size), solver=self._solver())
        with self._engine.guard:  # other threads may be optimizing for their predictions
            spec.configure(self._engine)
        self._spec = spec
