"""Online training with a kernel: epochs over a data set, chunks of a stream, finish."""

import copy
import warnings
from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._base import (
    check_labels,
    check_rows,
    check_weights,
    classes_of_stream,
    encode_labels,
    has_fast_path,
    thread_pool,
)
from .._core.interrupts import DeferredInterrupts
from .._core.kernel.block import Samples
from .._core.kernel.stores import BLOCK
from .._core.kernel.support_set import STREAM
from .._sklearn_compat import Interval, StrOptions, _fit_context
from ._engine import ALGORITHMS, SolverSpec
from ._epochs import OnlinePasses, known_slots
from ._learner import KernelLearner
from ._sample_selection import STOPPINGS, SampleSelection, refuse_contradictions

_NO_LIMIT = np.iinfo(np.int64).max
# Warn if gamma="scale" is computed from a first chunk with fewer samples.
_FEW_ROWS = 30


def _can_take_new_rows(model):
    if model._is_precomputed():
        raise AttributeError(
            "partial_fit is not possible with kernel='precomputed': new samples have no kernel "
            "values with each other. Use a callable kernel, or fit."
        )
    return True


class OnlineKernelLearner(KernelLearner):
    """Base of LASVC and VirtualLASVC: ``fit``, ``partial_fit``, ``finish`` and ``resume``.

    A subclass stores the parameters named here, and overrides ``_most_passes``, ``_starts_warm``
    and ``_rule`` where they differ.
    """

    _parameter_constraints: dict = {
        **KernelLearner._parameter_constraints,
        "algorithm": [StrOptions(set(ALGORITHMS))],
        "delta_max": [Interval(Real, 0.0, None, closed="neither"), None],
        "finishing": ["boolean"],
        "class_weight": [StrOptions({"balanced", "online_balanced"}), dict, None],
        "pool_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "max_labels": [Interval(Integral, 1, None, closed="left"), None],
        "stopping": [StrOptions(set(STOPPINGS)), None],
        "max_support_vectors": [Interval(Integral, 2, None, closed="left"), None],
        "budget_policy": [StrOptions({"merging", "oldest"})],
        "window_size": [Interval(Integral, 1, None, closed="left"), None],
        "shuffle": ["boolean"],
    }

    _fixed = (*KernelLearner._fixed, "algorithm")
    _tunable = (
        *("C", "class_weight", "tol", "delta_max", "finishing", "ramp_s", "shrinking"),
        *("cache_size", "n_jobs", "pool_size", "max_labels", "stopping"),
        *("max_support_vectors", "budget_policy", "window_size"),
    )

    # Epochs of ``fit``, whether it starts from the current solution, how samples are selected.
    _most_passes = 1
    _starts_warm = False
    _rule = "random"
    # Budget of each binary problem.
    max_support_vectors = None
    budget_policy = "merging"
    window_size = None

    # lasvm: size of the support set while only one class has been seen.
    n_init = 5
    # lasvm-nc, -i: number of support vectors from which the left end of the ramp is used.
    ramp_start = 100
    # All but lasvm: steps on one vector after a sample, before steps on two vectors.
    single_steps = 10
    # lasvm-g, -nc, -i: samples added between two runs of CLEAN, vectors at alpha = 0 it leaves.
    clean_interval = 300
    max_non_sv = 100
    # budget_policy="merging": smallest cosine in kernel space of two vectors that are merged.
    merge_cosine = 0.9
    # selection="autoactive": samples within the margin among which the closest is selected.
    n_close = 5
    # stopping="margin": number of consecutive samples outside the margin.
    margin_rows = 5
    # stopping="n_support": fewer than this share of the last samples added a support vector.
    stable_rows = 200
    stable_share = 0.1
    # Maximum number of REPROCESS steps after one sample, shared by the binary problems.
    max_reprocess = 20_000
    # Maximum number of epochs for max_iter=-1; a ConvergenceWarning is raised at the limit.
    max_passes = 1000

    _passes = OnlinePasses
    _choice = SampleSelection

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
        return self._fit_or_restore(X, y, sample_weight)

    @available_if(_can_take_new_rows)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Continue training with new samples.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The model does not depend on how a stream is divided into chunks,
        unless samples are selected, because selection is restricted to the chunk. Predictions
        between two calls come from a copy that is optimized over the support set (see
        ``finishing``).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream. Shuffle them if they are sorted.
        y : array-like of shape (n_samples,)
            Class labels. A chunk may contain a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur. Must be passed in the first call; optional afterwards.
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
            an error within a chunk, the model has been trained on the blocks of samples before it.
        MemoryError
            If memory runs out. The model has been trained on the blocks of samples before, and
            ``n_samples_seen_`` counts them: training can continue with the next sample once memory
            is available. With sample selection, the training so far is kept, and
            ``n_samples_seen_`` counts the whole chunk.
        """
        with self._guard, DeferredInterrupts():
            begin = type(self)._begin_chunk
            uncertain = self._learn_next(begin, X, y, classes, sample_weight)
            self._warn_if_cut_short(stacklevel=2)
        self._warn_if_coarse(uncertain, stacklevel=3)
        return self

    def _begin_chunk(self, X, y, classes, sample_weight):
        """Return validated samples, upper bounds of alpha, and the state of the chunk."""
        rows, new = self._begin_partial_fit(X, y, classes, sample_weight)
        cost, factors, counts = self._costs(rows[1], rows[2], None)
        at = dict(
            stage="begin",
            first=self.n_samples_seen_,
            n_labels=self.__dict__.get("n_labels_used_", 0),
            counts_before=self._class_counts,
            counts=self._class_counts if counts is None else counts,
            **self._choice.begun(
                self, np.arange(len(cost)), rows[1], cost, self.random_state, self.n_samples_seen_
            ),
        )
        # All input is valid: only from here on is the model changed.
        if counts is None:
            self._note_class_weights(factors, None)
        self.__dict__.pop("_checkpoint", None)
        if new is not None:
            self._take_up(new)
        return rows, cost, at

    def _learn_chunk(self, rows, cost, at):
        """Train on validated samples; return the uncertainty of decisions (see ``_coarseness``).

        The counts of samples and labels are correct even after an exception.
        """
        X, codes, weights = rows
        engine, first, n_rows, whole = self._engine, at["first"], X.shape[0], False
        order = at["order"]
        in_order = at["choice"] is None and len(order) == n_rows
        row_ids = first + (order if in_order else np.arange(n_rows))
        choice = self._choice(self, at, X, codes, cost, row_ids, STREAM)

        def count(_=None):
            # Selected samples may come from anywhere in the chunk: then the whole chunk counts.
            n = choice.n_labels if at["stage"] == "learn" else 0
            n_seen = n_rows if whole or n and not in_order else n
            self.n_samples_seen_, self.n_labels_used_ = first + n_seen, at["n_labels"] + n

        def count_all():
            count()
            self.stopped_early_ = choice.stopped
            self._note_counts(codes, weights, at)

        try:
            with engine.guard, thread_pool(self.n_jobs, n_rows) as threads, choice:
                if at["stage"] == "begin":
                    engine.begin_pass(None)
                    engine.allow(_NO_LIMIT)  # steps per sample are limited by max_reprocess
                    if n_rows > BLOCK:
                        engine.check(X)
                    at = {**at, "stage": "learn"}
                progress = count if n_rows > BLOCK else None
                engine.learn(
                    choice.X, choice.order, choice.given, threads, engine.n_learnt, progress
                )
                whole = True
                return self._look_at_rounding(first, n_rows)
        except BaseException as error:
            if self._engine is engine:
                at = {**at, **choice.state}
                self._note_interrupt(error, "partial_fit", rows, cost, at)
            raise
        finally:
            count_all()

    def _note_counts(self, codes, weights, at):
        """Update the class counts of online_balanced with the samples of a chunk."""
        if self.class_weight == "online_balanced":
            before, after = at["counts_before"], at["counts"]
            n = self.n_samples_seen_ - at["first"]
            if n < len(codes):
                after = before + np.bincount(codes[:n], weights[:n], len(before))
            self._note_class_weights(None, after)

    def _look_at_rounding(self, first, n_rows):
        """Return the uncertainty of decisions after a chunk, or 0 below the warning threshold."""
        # Checked only each time the number of samples has doubled.
        if (first + n_rows).bit_length() == first.bit_length():
            return 0.0
        self._recentre_if_coarse()
        return self._coarseness()

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
            new = self._new_parameters()
            if new is not None:
                self._take_up(new)
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
        self._engine.finish(threads)
        return dict(stage="recentre" if stage == "finish" else "over")

    def snapshot(self):
        """Return an independent copy of the model that is optimized over the support set.

        The copy is optimized to ``tol``, and can be used, stored and deployed; training of this
        model continues as if the copy had not been made (bitwise identical). The kernel cache is
        not copied.

        Returns
        -------
        model : LASVC
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
        uncertain = self._learn_chunk(rows, cost, at)
        self._warn_if_cut_short(stacklevel=4)
        return uncertain

    def _resume_finish(self, rows, cost, at):
        uncertain = self._finish(at)
        self._warn_unless_solved(stacklevel=4)
        return uncertain

    @property
    def n_admitted_(self):
        """Number of samples added to the support set, by position on the ramp."""
        return self._flow(0)

    @property
    def n_cleaned_(self):
        """Number of samples removed by CLEAN, by position on the ramp when they were added."""
        return self._flow(1)

    @property
    def n_skipped_(self):
        """Number of samples skipped, by position on the ramp."""
        return self._flow(2)

    def _flow(self, which):
        with self._reading() as (view, engine):
            if view._spec.solver.has_bias:
                raise AttributeError("counted only by the algorithms lasvm-g, -nc, -i and -full")
            return np.array([problem.flow()[which] for problem in engine.problems])

    def _begin_partial_fit(self, X, y, classes, sample_weight):
        """Validate a chunk and changed parameters; the first chunk fixes classes and kernel."""
        first, new = "_engine" not in self.__dict__, None
        if first:
            self._validate_params()
        else:
            new = self._new_parameters()
        refuse_contradictions(self)
        known = classes_of_stream(classes, None if first else self.classes_)
        self._refuse_in_partial_fit()
        self.classes_ = known
        if not first and y is not None and has_fast_path(self, X, self._dtype):
            y = np.asarray(y)
            if y.shape != (X.shape[0],):
                X, y = check_rows(self, X, y, reset=False, dtype=self._dtype)
        else:
            X, y = check_rows(self, X, y, reset=first, dtype=None if first else self._dtype)
            check_labels(y)
        codes = encode_labels(y, self.classes_)
        if sample_weight is None:
            weights = np.ones(X.shape[0])
        else:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        if first:
            if self._uses_gamma_scale() and X.shape[0] < _FEW_ROWS:
                warnings.warn(
                    f"gamma='scale' is fixed by the first chunk, which has only {X.shape[0]} "
                    "samples; give gamma a number, or begin with a larger chunk.",
                    UserWarning,
                    stacklevel=5,
                )
            weighted = weights if weights.any() else np.ones(X.shape[0])
            X = self._fix_kernel(X, weighted, fewest=_FEW_ROWS)
            self._engine = self._spec.build()
            self._class_counts = np.zeros(len(self.classes_))
            self.n_samples_seen_ = 0
            self.n_iter_ = 1
            self.kkt_violation_ = np.inf
        return (X, codes, weights), new

    def _solver(self):
        return SolverSpec(
            algorithm=self.algorithm,
            tol=float(self.tol),
            shrinking=bool(self.shrinking),
            delta_max=np.inf if self.delta_max is None else float(self.delta_max),
            n_init=self.n_init,
            gap_floor=float(self.C),
            ramp_s=float(self.ramp_s),
            ramp_start=self.ramp_start,
            single_steps=self.single_steps,
            clean_interval=self.clean_interval,
            max_non_sv=self.max_non_sv,
            max_reprocess=self.max_reprocess,
            most_members=self.max_support_vectors,
            window_size=self.window_size,
            closest=self.merge_cosine if self.budget_policy == "merging" else None,
        )

    def _needs_finite_costs(self):
        return self.algorithm in ("lasvm-nc", "lasvm-i")

    def _refuse_in_partial_fit(self):
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' is not supported for partial_fit: the class counts of a "
                "stream are unknown. Use class_weight='online_balanced', or a dict of weights."
            )

    def _begin_passes(self, X, codes, cost, before):
        refuse_contradictions(self)
        self._refuse_passes_with_limits()
        self.n_labels_used_ = 0
        self.stopped_early_ = False
        at = dict(stage="begin", n_pass=1, patience=None)
        at |= self._choice.begun(self, self._order, codes, cost, self._random)
        at["random"] = None if self._most_passes == 1 else self._random.get_state(legacy=False)
        former = before.get("_engine") if self._starts_warm else None
        engine = self._built_engine(X)
        if former is not None:
            engine.begin_pass(known_slots(engine, X.shape[0]))
            with former.guard.reading():
                self._seed(engine, former.present(), X, codes, cost, before)
        self._engine = engine
        self._allow_steps(X.shape[0])
        return self._passes(self, X, codes, cost, at)

    def _refuse_passes_with_limits(self):
        limited = self.max_support_vectors is not None or self.window_size is not None
        if limited and (self._most_passes != 1 or self._starts_warm):
            raise ValueError(
                "max_support_vectors and window_size require a single epoch from scratch: another "
                "epoch would add the removed samples again. They need max_iter=1 "
                f"and warm_start=False, got max_iter={self._most_passes} and "
                f"warm_start={self._starts_warm}."
            )

    def _seed(self, engine, solution, X, codes, cost, before):
        """Start from the solution of the previous fit, projected onto the current boxes."""
        rows = solution.row_ids
        same = np.array_equal(before["classes_"], self.classes_)
        if not same or not self._are_rows_of(solution, X, codes):
            raise ValueError(
                "warm_start=True continues fit on the same samples, but X or y differ from those "
                "of the previous fit; use partial_fit for new samples, or warm_start=False."
            )
        shifted = None
        if self._spec.solver.algorithm == "lasvm-nc":
            shifted = np.zeros((self._spec.n_problems, X.shape[0]), dtype=np.int8)
            shifted[:, rows] = solution.beyond_ramp
        given = Samples(codes, cost, np.arange(X.shape[0]), shifted)
        engine.seed(X, rows, given, engine.moved(given, rows, solution.alpha))

    def _are_rows_of(self, solution, X, codes):
        """Whether the support vectors are samples of X, with these class codes."""
        rows = solution.row_ids
        same = not len(rows) or rows.max() < X.shape[0]
        if same and self._spec.layout != "precomputed":
            difference = solution.vectors() - X[rows]
            same = not abs(difference).max() if len(rows) else True
        return same and np.array_equal(codes[rows], solution.labels)

    def _warn_if_cut_short(self, stacklevel):
        if self._engine.cut_short:
            warnings.warn(
                "REPROCESS reached the maximum number of steps after a sample (max_reprocess) and "
                f"left a violation of up to {self._violation_among_members():.3g} in the support "
                f"set. {self._advice()} A larger delta_max helps, too, where one is given.",
                ConvergenceWarning,
                stacklevel=stacklevel + 1,
            )

    def _predicts_optimized(self):
        return self.finishing and not self._is_precomputed()

    def _take_up(self, present):
        super()._take_up(present)
        spec = replace(self._spec, cache_size=float(self.cache_size), solver=self._solver())
        spec.configure(self._engine)
        self._spec = spec
