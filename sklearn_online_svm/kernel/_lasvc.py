"""LASVC: a kernel support vector machine that learns in one pass and can be continued."""

import copy
import warnings
from dataclasses import replace
from numbers import Integral, Real

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, Options, StrOptions
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
from ._choosing import SELECTIONS, STOPPINGS, Choice, chooses, refuse_contradictions
from ._engine import ALGORITHMS, SolverSpec
from ._learner import KernelLearner
from ._passes import OnlinePasses, known_slots
from ._svc_names import without_keywords_of_svc

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


class LASVC(KernelLearner):
    r"""Support vector classifier that learns in one pass over the rows (LASVM and descendants).

    Parameters, attributes and predictions are those of :class:`sklearn.svm.SVC`. ``fit`` makes
    one pass (or several) and finishes; ``partial_fit`` continues with new rows;
    ``max_iter=-1`` repeats passes up to the optimum that ``SVC`` finds. On noisy labels
    ``algorithm="lasvm-nc"`` and ``"lasvm-i"`` keep far fewer support vectors.

    Read more in the :ref:`user guide <lasvm>`, and about the algorithms for noisy labels in
    :ref:`its page on them <robust>`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors; larger fits the data more closely. The weight
        :math:`|\alpha_i|` of a row is at most C times its class and sample weight.
        ``np.inf``: no row may lie within the margin (hard margin), which only separable classes
        allow; not with ``"lasvm-nc"`` and ``"lasvm-i"``.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        As in ``SVC``. A callable takes two row matrices and returns the matrix of kernel values,
        dense or sparse; it is called once per block of rows. With ``"precomputed"``, X is the
        kernel matrix: square in ``fit``, rows against the training rows in ``predict``; there is
        no ``partial_fit``, as no vectors are known.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the rbf, poly and sigmoid kernels. ``"scale"`` is
        ``1 / (n_features * X.var())``, the variance taken with the sample weights (1.0 when it is
        0), ``"auto"`` is ``1 / n_features``. In a stream it is fixed by the first chunk.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    algorithm : {"lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"}, default="lasvm"
        The learning algorithm.

        - ``"lasvm"``: the problem of ``SVC``, with a bias, by steps on pairs.
        - ``"lasvm-g"``: without a bias, by steps on one or two vectors; after each row until the
          duality gap is down at its target. A steadier model during the pass.
        - ``"lasvm-nc"``: the same with the ramp loss, which is not convex: outliers, rows with
          :math:`y f(x) <` ``ramp_s``, do not become support vectors that pull at the boundary.
          The fewest support vectors on noisy labels.
        - ``"lasvm-i"``: learns only from rows with ``ramp_s`` :math:`\le y f(x) \le 1`; the
          fastest.
        - ``"lasvm-full"``: like ``"lasvm-g"``, but every row is kept, support vector or not. A
          baseline: slow, and its memory grows with the rows.
    max_iter : int, default=1
        Largest number of passes over the rows in ``fit``; the first one that changes nothing is
        the last. -1: as many as it takes; the result is then the optimum over all rows, within
        ``tol``. Where more than one is allowed the vectors kept are solved to ``tol`` after each
        (see ``finishing``), so ``max_iter=k`` makes the first k passes of ``max_iter=-1``.
    delta_max : float, default=None
        After each row, repeat REPROCESS until the largest violation among the vectors kept is at
        most this. None: REPROCESS once. Only of ``algorithm="lasvm"``; the others are led by the
        duality gap.
    finishing : bool, default=True
        Whether the passes of ``fit`` are followed by :meth:`finish`, and decisions in the midst of
        a stream come from a solution finished on the side, to ten times ``tol``; what the stream
        learns does not depend on it. The papers' protocol, several online passes and one
        :meth:`finish` at the end, is ``finishing=False``, ``fit`` and ``finish``. ``max_iter=-1``
        always finishes.
    shrinking : bool, default=True
        Whether finishing sets aside vectors at their bound.
    tol : float, default=1e-3
        Largest violation of the optimality conditions that is left alone.
    ramp_s : float, default=-1.0
        Place :math:`s < 1` of the ramp: rows with a margin :math:`y f(x) < s` are outliers to
        ``"lasvm-nc"`` and ``"lasvm-i"``; the other algorithms only count them. Also the threshold
        of :meth:`suspect_labels`.
    cache_size : float, default=500
        Memory for kernel rows, in MB. Too little costs time, never correctness.
    class_weight : dict, "balanced" or "online_balanced", default=None
        Factors of C per class. ``"balanced"`` (``fit`` only) is ``n / (n_classes * n_c)``, counted
        in sample weights; ``"online_balanced"`` is the same with the counts up to each row.
    selection : {"random", "gradient", "active", "autoactive"}, default="random"
        Which row is learnt next: one decision for each row, by the model as it is then, in ``fit``
        and within each chunk of ``partial_fit``.

        - ``"random"``: the next one of the (shuffled) order. All rows are learnt.
        - ``"gradient"``: of ``n_candidates`` rows drawn at random the one that is classified
          worst, with the smallest :math:`y f(x)`. Drawn to label noise; needs all labels.
        - ``"active"``: of ``n_candidates`` the one nearest to the boundary, with the smallest
          :math:`|f(x)|`. Only labels of rows that are learnt are looked at.
        - ``"autoactive"``: draws until 5 rows lie within the margin, widened by half of the
          violation that REPROCESS has left, at most ``2 * n_candidates``, and takes the nearest
          one: rows as they come at first, later the informative ones.

        With several classes the distance is the gap between the two largest decision values;
        :math:`y f(x)` that of the row's class less the largest other. Choosing pays with
        ``max_labels`` or ``stopping``: a pass over all rows scores each of them many times.
    n_candidates : int or "all", default=50
        Rows drawn for each decision; 59 find one of the best 5 % with a probability of 95 %
        (:func:`~sklearn_online_svm.active.small_pool_size`). ``"all"``: every row that is left.
    max_labels : int, default=None
        Rows learnt in ``fit``, or in each chunk of ``partial_fit``; the others are passed over.
        Further passes of ``fit`` are over the rows that the first one has learnt. None: no limit.
    stopping : {"margin", "n_support"}, default=None
        When to stop before the rows are used up; ``fit`` then finishes.

        - ``"margin"``: the row chosen lies outside the margin of all free support vectors,
          :math:`|f(x)| \ge \max_s |f(x_s)|`, in each binary problem; there is none while no
          support vector is free. With ``selection`` ``"active"`` or ``"autoactive"``.
        - ``"n_support"``: of the last 200 rows learnt less than a tenth have added to the number
          of support vectors (class attributes ``stable_rows`` and ``stable_share``).
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in random order. LASVM relies on random order: switch it
        off only for rows that are shuffled already.
    n_jobs : int, default=None
        Threads for kernel values, for the classes of a multiclass problem and for predictions.
        None means 1 unless in a :obj:`joblib.parallel_backend` context, -1 all cores.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, and the candidates of ``selection``.
    verbose : int, default=0
        1 prints a line for each pass, and on a terminal how far it is: rows learnt, rows per
        second, vectors kept, time left (a bar where tqdm is installed). 2 shows that also where
        the error output is no terminal.
    warm_start : bool, default=False
        Whether ``fit`` starts from the present solution. The rows must be those of the
        former ``fit`` (see :meth:`fit`); parameters may have changed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C per class; with ``"online_balanced"`` the latest.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features; only with a linear kernel. Read-only.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        :math:`\alpha` of the support vectors, signed as in the decision function.
    dual_objective_ : ndarray of shape (1,) or (n_classes,)
        Value of the dual objective (maximised) of each binary problem.
    duality_gap_ : ndarray of shape (1,) or (n_classes,)
        Primal minus dual objective over the vectors kept, of each binary problem.
    gamma_ : float
        Value of gamma in use.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Bias of each decision function; 0 unless ``algorithm="lasvm"``.
    interrupted_ : bool
        Whether the last call was ended by Ctrl-C, and :meth:`resume` can go on with it.
    kkt_violation_ : float
        Largest violation met during the last pass of ``fit``, each row measured when it was
        visited. When ``fit`` ended with a pass that changed nothing, the largest violation left
        over all rows.
    n_admitted_ : ndarray of shape (1, 3) or (n_classes, 3)
        Rows that entered the set of vectors kept, by where they lay on the ramp when they came:
        left of it (:math:`y f(x) <` ``ramp_s``), on it, right of it (:math:`y f(x) > 1`). Not
        with ``algorithm="lasvm"``.
    n_cleaned_ : ndarray of shape (1, 3) or (n_classes, 3)
        Rows that left it again, by where they had lain when they entered.
    n_skipped_ : ndarray of shape (1, 3) or (n_classes, 3)
        Rows that ``"lasvm-i"`` passed over, likewise.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when X has string column names.
    n_iter_ : int
        Passes made by ``fit``, at most ``max_iter``; 1 after ``partial_fit`` alone.
    n_kernel_evaluations_ : int
        Kernel values computed for learning.
    n_labels_used_ : int
        Rows learnt, whose label has been looked at (``selection="gradient"`` looks at those of its
        candidates, too).
    n_samples_seen_ : int
        Rows given to ``fit`` and ``partial_fit`` since learning began anew.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors of each class.
    stopped_early_ : bool
        Whether ``stopping`` ended the last ``fit`` or chunk before its rows were used up.
    support_ : ndarray of shape (n_SV,), dtype=int32
        Indices of the support vectors in X, class by class; after ``partial_fit`` their positions
        in the stream (the rows of ``fit`` come first).
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        Support vectors; empty with a precomputed kernel.

    See Also
    --------
    RampSVC : The ramp loss, solved in batch.
    sklearn.svm.SVC : The batch solver (LIBSVM); multiclass by one-vs-one.
    sklearn.linear_model.SGDClassifier : Linear models in one pass.

    Notes
    -----
    ``algorithm="lasvm"`` [1]_ [2]_ solves the dual of the support vector machine,

    .. math::

        \max_\alpha \sum_i \alpha_i y_i - \tfrac{1}{2} \sum_{ij} \alpha_i \alpha_j K(x_i, x_j)
        \quad \text{s.t.} \quad \sum_i \alpha_i = 0, \;
        0 \le y_i \alpha_i \le C_i,

    one row at a time: PROCESS lets a fresh row into the set of vectors kept if it violates the
    optimality conditions, REPROCESS improves the worst pair in the set and lets go of vectors that
    no longer matter. The decision function is
    :math:`f(x) = \sum_i \alpha_i K(x_i, x) + b`.

    The other algorithms [3]_ drop :math:`b` and with it the constraint on the sum, so that one
    :math:`\alpha_i` can move alone. They repeat REPROCESS until the duality gap over the vectors
    kept is at most :math:`\max(C, \hat G)`, where :math:`\hat G^2` is the sum of squared
    deviations of :math:`C_i y_i g_i` from their mean before the row came. With the ramp loss
    the box of an outlier is shifted to the other side of 0.

    Multiclass problems are one-vs-rest. The vectors are stored once and their kernel values are
    computed once for all classes.

    Every call comes to an end. On the vectors kept, ``fit`` and :meth:`finish` make at most
    ``max_steps`` steps (5 million, shared by the binary problems) or, where that is more,
    ``max_steps_per_row`` (2500) per row and problem; REPROCESS makes at most ``max_reprocess``
    (20 000, shared) after one row. These are attributes of the class; ordinary problems need a
    small part of them. Where they do not do, a ``ConvergenceWarning`` names the violation left and
    what to change, and the model can be used, and finished further.

    Kernel values are kept in single precision (rounded once, when made); everything else is in
    double. float32 input is stored and multiplied in float32, except for an rbf kernel with rows
    so long (``gamma * |x|^2 > 1000``) that distances would drown in rounding: such input is
    converted to float64.

    References
    ----------
    .. [1] Bordes, Ertekin, Weston, Bottou: Fast kernel classifiers with online and active
       learning. JMLR 6, 2005.
    .. [2] Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. Pennsylvania State University, 2009, chapters 3 and 6.
    .. [3] Ertekin, Bottou, Giles: Nonconvex online support vector machines. IEEE Transactions on
       Pattern Analysis and Machine Intelligence 33, 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn_online_svm import LASVC
    >>> X, y = load_digits(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> model = LASVC(C=10, random_state=0).fit(X_train, y_train)
    >>> bool(model.score(X_test, y_test) > 0.98)
    True

    Learning goes on with new rows:

    >>> model = model.partial_fit(X_test[:100], y_test[:100])
    >>> model.n_samples_seen_
    1447
    """

    _parameter_constraints: dict = {
        **KernelLearner._parameter_constraints,
        "algorithm": [StrOptions(set(ALGORITHMS))],
        "max_iter": [Interval(Integral, 1, None, closed="left"), Options(Integral, {-1})],
        "delta_max": [Interval(Real, 0.0, None, closed="neither"), None],
        "finishing": ["boolean"],
        "class_weight": [StrOptions({"balanced", "online_balanced"}), dict, None],
        "selection": [StrOptions(set(SELECTIONS))],
        "n_candidates": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "max_labels": [Interval(Integral, 1, None, closed="left"), None],
        "stopping": [StrOptions(set(STOPPINGS)), None],
        "shuffle": ["boolean"],
        "warm_start": ["boolean"],
    }

    _fixed = (*KernelLearner._fixed, "algorithm")
    _tunable = (
        *("C", "class_weight", "tol", "delta_max", "finishing", "ramp_s", "shrinking"),
        *("cache_size", "n_jobs", "selection", "n_candidates", "max_labels", "stopping"),
    )

    # lasvm: members kept while only one class has been seen.
    n_init = 5
    # lasvm-nc, -i: support vectors before the left end of the ramp acts.
    ramp_start = 100
    # All but lasvm: steps on one vector after a row, before steps on two take over.
    single_steps = 10
    # lasvm-g, -nc, -i: rows admitted between two runs of CLEAN, vectors at alpha = 0 it leaves.
    clean_interval = 300
    max_non_sv = 100
    # selection="autoactive": the nearest of so many candidates within the margin is chosen.
    n_close = 5
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

    @without_keywords_of_svc
    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        algorithm="lasvm",
        max_iter=1,
        delta_max=None,
        finishing=True,
        shrinking=True,
        tol=1e-3,
        ramp_s=-1.0,
        cache_size=500,
        class_weight=None,
        selection="random",
        n_candidates=50,
        max_labels=None,
        stopping=None,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.delta_max = delta_max
        self.finishing = finishing
        self.shrinking = shrinking
        self.tol = tol
        self.ramp_s = ramp_s
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.selection = selection
        self.n_candidates = n_candidates
        self.max_labels = max_labels
        self.stopping = stopping
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    # ---------------------------------------------------------------------------- learning

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Learn from all rows: forget, shuffle, make ``max_iter`` passes, finish.

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
        """Learn from new rows, in their order; learning goes on where it stopped.

        Every row given is a new row: to pass again over the same rows use
        ``fit(max_iter=...)``. Chunks of any size give the same model. Predictions in between are
        those of the model finished on the side (see ``finishing``).

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
            counts them: learning can go on with the row behind, once there is memory.
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
        if counts is None:
            self._note_class_weights(factors, None)
        at = dict(
            stage="begin",
            first=self.n_samples_seen_,
            n_labels=self.__dict__.get("n_labels_used_", 0),
            counts_before=self._class_counts,
            counts=self._class_counts if counts is None else counts,
            **self._choice.begun(
                self, np.arange(len(cost)), cost, self.random_state, self.n_samples_seen_
            ),
        )
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
        in_order = not chooses(self)
        row_ids = first + np.arange(n_rows)
        choice = self._choice(self, at, X, codes, cost, row_ids, STREAM)

        def count(_):
            # Rows that are chosen may be any of the chunk.
            n = choice.n_labels if at["stage"] == "learn" else 0
            self.n_samples_seen_ = first + (n if in_order or not n else n_rows)
            self.n_labels_used_ = at["n_labels"] + n

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
                # Now and then is enough: each time the rows have doubled.
                if (first + n_rows).bit_length() == first.bit_length():
                    return 0.0
                self._recentre_if_coarse()
                return self._coarseness()
        except BaseException as error:
            if self._engine is engine:
                at = {**at, "choice": choice.state}
                self._note_interrupt(error, "partial_fit", rows, cost, at)
            raise
        finally:
            count(None)
            self.stopped_early_ = choice.stopped
            if whole:
                self.n_samples_seen_ = first + n_rows
            if self.class_weight == "online_balanced":
                before, after = at["counts_before"], at["counts"]
                if not whole:
                    n = self.n_samples_seen_ - first
                    after = before + np.bincount(codes[:n], weights[:n], len(before))
                self._note_class_weights(None, after)

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
        self.n_labels_used_ = 0
        self.stopped_early_ = False
        at = dict(stage="begin", n_pass=1, patience=None)
        at |= self._choice.begun(self, self._order, cost, self._random)
        at["random"] = None if self.max_iter == 1 else self._random.get_state(legacy=False)
        former = before.get("_engine") if self.warm_start else None
        engine = self._built_engine(X)
        if former is not None:
            engine.begin_pass(known_slots(engine, X.shape[0]))
            with former.guard.reading():
                self._seed(engine, former.present(), X, codes, cost, before)
        self._engine = engine
        self._allow_steps(X.shape[0])
        return self._passes(self, X, codes, cost, at)

    def _seed(self, engine, solution, X, codes, cost, before):
        """Begin with the solution of the former fit, moved into the present boxes."""
        rows = solution.row_ids
        same = np.array_equal(before["classes_"], self.classes_) and (
            not len(rows) or rows.max() < X.shape[0]
        )
        if same and self._spec.layout != "precomputed":
            difference = solution.vectors() - X[rows]
            same = not abs(difference).max() if len(rows) else True
        if not same or not np.array_equal(codes[rows], solution.labels):
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
