"""Learning row by row with a kernel: passes over a data set, chunks of a stream, finishing."""

import copy
import warnings
from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
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
from .._core.kernel.given_rows import Rows
from .._core.kernel.members import STREAM
from .._core.kernel.stores import BLOCK
from ._choosing import STOPPINGS, Choice, refuse_contradictions
from ._engine import ALGORITHMS, SolverSpec
from ._learner import KernelLearner
from ._passes import OnlinePasses, known_slots

_NO_LIMIT = np.iinfo(np.int64).max
# Rows in the first chunk of a stream below which gamma="scale" is a guess worth a warning.
_FEW_ROWS = 30


def _can_take_new_rows(model):
    if model._is_precomputed():
        raise AttributeError(
            "partial_fit is not possible with kernel='precomputed': new rows have no kernel "
            "values with each other. Use a callable kernel, or fit."
        )
    return True


class OnlineKernelLearner(KernelLearner):
    """Base of LASVC and VirtualLASVC: what they learn, in what order, and where it may end.

    A subclass stores the parameters that are named here, and says what ``_most_passes``,
    ``_starts_warm`` and ``_rule`` are where they are others.
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

    # Passes of ``fit``, whether it starts from what has been learnt, how rows are chosen.
    _most_passes = 1
    _starts_warm = False
    _rule = "random"
    # What the vectors of a problem are limited to.
    max_support_vectors = None
    budget_policy = "merging"
    window_size = None

    # lasvm: members kept while only one class has been seen.
    n_init = 5
    # lasvm-nc, -i: support vectors before the left end of the ramp acts.
    ramp_start = 100
    # All but lasvm: steps on one vector after a row, before steps on two take over.
    single_steps = 10
    # lasvm-g, -nc, -i: rows admitted between two runs of CLEAN, vectors at alpha = 0 it leaves.
    clean_interval = 300
    max_non_sv = 100
    # budget_policy="merging": the cosine of two vectors in kernel space from which one may stand
    # for the other.
    merge_cosine = 0.9
    # selection="autoactive": the nearest of so many candidates within the margin is chosen.
    n_close = 5
    # stopping="margin": so many rows, one after the other, lay outside the margin.
    margin_rows = 5
    # stopping="n_support": of so many rows less than this share added to the support vectors.
    stable_rows = 200
    stable_share = 0.1
    # Most steps of REPROCESS after one row, shared by the binary problems.
    max_reprocess = 20_000
    # Passes after which max_iter=-1 gives up, with a warning.
    max_passes = 1000

    _passes = OnlinePasses
    _choice = Choice
    _stages = {
        "fit": OnlinePasses.stages,
        "partial_fit": ("begin", "learn"),
        "finish": ("begin", "finish", "recentred", "again", "over"),
    }

    # ---------------------------------------------------------------------------- learning

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn from all rows: forget, shuffle, make one pass or several, finish.

        Interrupted by Ctrl-C, the model holds what has been learnt so far and can be used and
        continued; :meth:`resume` goes on where it stopped. Invalid input leaves a fitted model as
        it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Rows; the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.

        Returns
        -------
        self : object
            The fitted model.

        Raises
        ------
        ValueError
            If the input is invalid, fewer than two classes have positive weight, or
            ``warm_start=True`` and X does not hold the rows that were learnt before.
        """
        return self._fit_or_restore(X, y, sample_weight)

    @available_if(_can_take_new_rows)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from new rows; learning goes on where it stopped.

        Every row given is a new row: to pass again over the same rows use
        ``fit(max_iter=...)``. Chunks of any size give the same model, unless rows are chosen: they
        then compete within their chunk. Predictions in between are those of the model finished on
        the side (see ``finishing``).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, in the order of the stream: shuffle them if they are sorted.
        y : array-like of shape (n_samples,)
            Class labels; a chunk may hold a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes of the stream; needed in the first call, optional later.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.

        Returns
        -------
        self : object
            The model that has learnt these rows, too.

        Raises
        ------
        ValueError
            If the input is invalid, a label is none of the classes, or
            ``class_weight="balanced"``. What has been learnt stays as it was. Should a kernel
            function raise in the midst of a chunk, the blocks of rows before it have been learnt.
        MemoryError
            If memory runs out. The blocks of rows before have been learnt, and ``n_samples_seen_``
            counts them: learning can go on with the row behind, once there is memory. Where rows
            are chosen, those learnt so far are kept, and ``n_samples_seen_`` counts the chunk.
        """
        with self._guard:
            begin = type(self)._begin_chunk
            uncertain = self._learn_next(begin, X, y, classes, sample_weight)
            self._warn_if_cut_short(stacklevel=2)
        self._warn_if_coarse(uncertain, stacklevel=3)
        return self

    def _begin_chunk(self, X, y, classes, sample_weight):
        """Return validated rows, upper bounds of alpha, and where the stream is."""
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
        # From here on nothing can be refused.
        if counts is None:
            self._note_class_weights(factors, None)
        self.__dict__.pop("_interrupted", None)
        if new is not None:
            self._take_up(new)
        return rows, cost, at

    def _learn_chunk(self, rows, cost, at):
        """Learn validated rows; returns how uncertain decisions are now, if that is worth a word.

        Whatever ends it leaves the counts right.
        """
        X, codes, weights = rows
        engine, first, n_rows, whole = self._engine, at["first"], X.shape[0], False
        order = at["order"]
        in_order = at["choice"] is None and len(order) == n_rows
        row_ids = first + (order if in_order else np.arange(n_rows))
        choice = self._choice(self, at, X, codes, cost, row_ids, STREAM)

        def count(_=None):
            # Rows that are chosen may be any of the chunk.
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
                    engine.allow(_NO_LIMIT)  # but that of each row
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
            to_its_end(count_all)

    def _note_counts(self, codes, weights, at):
        """Count the classes of the rows that have been learnt of a chunk, where it matters."""
        if self.class_weight == "online_balanced":
            before, after = at["counts_before"], at["counts"]
            n = self.n_samples_seen_ - at["first"]
            if n < len(codes):
                after = before + np.bincount(codes[:n], weights[:n], len(before))
            self._note_class_weights(None, after)

    def _look_at_rounding(self, first, n_rows):
        """Return how uncertain decisions are after a chunk, if that is worth a word, else 0."""
        # Now and then is enough: each time the rows have doubled.
        if (first + n_rows).bit_length() == first.bit_length():
            return 0.0
        self._recentre_if_coarse()
        return self._coarseness()

    def finish(self):
        """Solve the problem over the vectors kept, to ``tol``; learning may go on afterwards.

        Returns
        -------
        self : object
            The finished model.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If a parameter was changed that cannot change while learning goes on.
        """
        with self._guard:
            check_is_fitted(self)
            new = self._new_parameters()
            if new is not None:
                self._take_up(new)
            self.__dict__.pop("_interrupted", None)
            uncertain = self._finish(dict(stage="begin", n_done=self._engine.n_done))
            self._warn_unless_solved(stacklevel=2)
        self._warn_if_coarse(uncertain, stacklevel=3)
        return self

    def _finish(self, at):
        """Finish, and once more where rows are counted from another centre afterwards.

        Returns how uncertain decisions are then.
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
        engine = self._engine
        if at["stage"] in ("begin", "recentred"):
            self._allow_steps()
            next_stage = {"begin": "finish", "recentred": "again"}[at["stage"]]
            return dict(stage=next_stage, n_done=engine.n_done)
        if engine.n_done == at["n_done"]:
            engine.finish(threads)
        recentred = at["stage"] == "finish" and self._recentre_if_coarse()
        return {**at, "stage": "recentred" if recentred else "over"}

    def snapshot(self):
        """Return an independent copy, finished, at any moment of a stream.

        The copy solves the problem over the vectors kept to ``tol``, and can be used, stored and
        deployed; this model goes on as if nothing had been asked of it, to the last bit. Memory
        for kernel rows is not copied.

        Returns
        -------
        model : LASVC
            The finished copy, which can learn further rows as well.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If a model with ``kernel="precomputed"`` has not been finished: the matrix is not kept.

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
        """Go on where an interrupted call stopped, as if it had never been interrupted.

        That may be :meth:`fit`, :meth:`partial_fit` or :meth:`finish`. The model becomes what it
        would have become, to the last bit, also when it was pickled in between. (Only
        ``n_kernel_evaluations_`` counts values that had to be computed again; and a kernel
        function must give the same values whatever block it is called for.) The data are not
        kept: give them again, none for :meth:`finish`. A second interrupt can be resumed likewise;
        the three methods forget what was interrupted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples), default=None
            The rows of the interrupted call. Shape, type and a checksum must be the same.
        y : array-like of shape (n_samples,), default=None
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, if there were any.

        Returns
        -------
        self : object
            The model, as if there had been no interrupt.

        Raises
        ------
        ValueError
            If there is nothing to resume, the data are not those of the interrupted call, or a
            parameter other than ``n_jobs`` and ``verbose`` has changed. The model stays as it
            was, and can still be resumed.
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
        """Rows that entered, by their place on the ramp."""
        return self._flow(0)

    @property
    def n_cleaned_(self):
        """Rows that CLEAN let go, by their place on the ramp when they entered."""
        return self._flow(1)

    @property
    def n_skipped_(self):
        """Rows passed over, by their place on the ramp."""
        return self._flow(2)

    def _flow(self, which):
        with self._reading() as (view, engine):
            if view._spec.solver.has_bias:
                raise AttributeError("counted only by the algorithms lasvm-g, -nc, -i and -full")
            return np.array([problem.flow()[which] for problem in engine.problems])

    def _begin_partial_fit(self, X, y, classes, sample_weight):
        """Validate a chunk and parameters that are new; the first one fixes classes and kernel."""
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
                    "rows; give gamma a number, or begin with a larger chunk.",
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
                "stream are not known. Use class_weight='online_balanced', or a dict of weights."
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
                "max_support_vectors and window_size are for a single pass from the beginning: "
                "another one would learn rows anew that have been let go. They need max_iter=1 "
                f"and warm_start=False, got max_iter={self._most_passes} and "
                f"warm_start={self._starts_warm}."
            )

    def _seed(self, engine, solution, X, codes, cost, before):
        """Begin with the solution of the former fit, moved into the present boxes."""
        rows = solution.row_ids
        same = np.array_equal(before["classes_"], self.classes_)
        if not same or not self._are_rows_of(solution, X, codes):
            raise ValueError(
                "warm_start=True continues fit on the rows it has seen, but X or y are not "
                "those; use partial_fit for new rows, or warm_start=False."
            )
        shifted = None
        if self._spec.solver.algorithm == "lasvm-nc":
            shifted = np.zeros((self._spec.n_problems, X.shape[0]), dtype=np.int8)
            shifted[:, rows] = solution.beyond_ramp
        given = Rows(codes, cost, np.arange(X.shape[0]), shifted)
        engine.seed(X, rows, given, engine.moved(given, rows, solution.alpha))

    def _are_rows_of(self, solution, X, codes):
        """Whether the support vectors are rows of X, with these class codes."""
        rows = solution.row_ids
        same = not len(rows) or rows.max() < X.shape[0]
        if same and self._spec.layout != "precomputed":
            difference = solution.vectors() - X[rows]
            same = not abs(difference).max() if len(rows) else True
        return same and np.array_equal(codes[rows], solution.labels)

    def _warn_if_cut_short(self, stacklevel):
        if self._engine.cut_short:
            warnings.warn(
                f"REPROCESS made the largest number of steps after a row (max_reprocess) and left "
                f"a violation of up to {self._violation_among_members():.3g} among the vectors "
                f"kept. {self._advice()} A larger delta_max, too, where one is given.",
                ConvergenceWarning,
                stacklevel=stacklevel + 1,
            )

    def _settles(self):
        return self.finishing and not self._is_precomputed()

    def _take_up(self, present):
        super()._take_up(present)
        spec = replace(self._spec, cache_size=float(self.cache_size), solver=self._solver())
        spec.configure(self._engine)
        self._spec = spec


def to_its_end(operation):
    """Do what may be repeated; an interrupt in the midst is raised when it has been done."""
    interrupt = None
    while True:
        try:
            operation()
            break
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt
