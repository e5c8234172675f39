"""LASVC: a kernel support vector machine that learns in one pass and can be continued."""

from numbers import Integral

from sklearn.utils._param_validation import Interval, Options, StrOptions

from ._choosing import SELECTIONS
from ._leave_one_out import LeaveOneOut
from ._online import OnlineKernelLearner
from ._path import fit_path
from ._svc_names import without_keywords_of_svc


class LASVC(LeaveOneOut, OnlineKernelLearner):
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
    max_support_vectors : int, default=None
        Vectors that each binary problem keeps, at most, after every row: a model of fixed size for
        streams without end. See ``budget_policy`` for what gives way. With ``max_iter=1`` and
        without ``warm_start`` only. None: no limit.
    budget_policy : {"merging", "oldest"}, default="merging"
        What gives way when there are too many vectors. Those with :math:`\alpha = 0` that would
        not move go first, whatever the policy.

        - ``"merging"``: of two neighbours of one class the lighter one is merged into the other,
          which from then on stands for both: it takes over C and :math:`\alpha`, and may weigh
          more than C. The pair with the smallest :math:`C_i \|\phi(x_i) - \phi(x_j)\|^2` is taken,
          among those at an angle whose cosine is at least 0.9 (class attribute
          ``merge_cosine``). If there is none the oldest vector goes.
        - ``"oldest"``: the one that was learnt first.
    window_size : int, default=None
        Rows after which a vector is forgotten, merged or not, for streams whose world changes.
        None: no limit.
    cache_size : float, default=500
        Memory for kernel rows, in MB. Too little costs time, never correctness.
    class_weight : dict, "balanced" or "online_balanced", default=None
        Factors of C per class. ``"balanced"`` (``fit`` only) is ``n / (n_classes * n_c)``, counted
        in sample weights; ``"online_balanced"`` is the same with the counts up to each row.
    selection : {"random", "gradient", "active", "autoactive"}, default="random"
        Which row is learnt next: one decision for each row, by the model as it is then, in ``fit``
        and within each chunk of ``partial_fit``.

        - ``"random"``: the next one of the (shuffled) order. All rows are learnt.
        - ``"gradient"``: of ``pool_size`` rows drawn at random the one that is classified
          worst, with the smallest :math:`y f(x)`. Drawn to label noise; needs all labels.
        - ``"active"``: of ``pool_size`` the one nearest to the boundary, with the smallest
          :math:`|f(x)|`. Only labels of rows that are learnt are looked at.
        - ``"autoactive"``: draws until 5 rows lie within the margin, widened by half of the
          violation that REPROCESS has left, at most ``2 * pool_size``, and takes the nearest
          one: rows as they come at first, later the informative ones.

        With several classes the distance is the gap between the two largest decision values;
        :math:`y f(x)` that of the row's class less the largest other. Choosing pays with
        ``max_labels`` or ``stopping``: a pass over all rows scores each of them many times.
    pool_size : int or "all", default=50
        Rows drawn for each decision; 59 find one of the best 5 % with a probability of 95 %
        (:func:`~sklearn_online_svm.active.small_pool_size`). ``"all"``: every row that is left.
    max_labels : int, default=None
        Rows learnt in ``fit``, or in each chunk of ``partial_fit``; the others are passed over.
        Further passes of ``fit`` are over the rows that the first one has learnt. None: no limit.
    stopping : {"margin", "n_support"}, default=None
        When to stop before the rows are used up; ``fit`` then finishes.

        - ``"margin"``: the last 5 rows chosen lay outside the margin of all free support
          vectors, :math:`|f(x)| \ge \max_s |f(x_s)|`, in each binary problem; there is none while
          no support vector is free (class attribute ``margin_rows``). With ``selection``
          ``"active"`` or ``"autoactive"``.
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
    leave_one_out_estimate_ : float
        Estimate of the leave-one-out error, from the solution alone: the share of the rows learnt
        (``n_labels_used_``) that the span rule takes for misclassified once they are left out. It
        would be exact if, without a row, the same vectors were free and the same at their bounds.
        Rows that are no support vectors, those of weight 0 among them, count as right, which they
        are at the optimum (``max_iter=-1``, and a positive weight); after fewer passes, or in a
        stream, those that have been let go and are misclassified are missing.
        :meth:`leave_one_out` finds the exact error. Not with ``"lasvm-nc"`` and ``"lasvm-i"``,
        limits on vectors, or a precomputed kernel.
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
        **OnlineKernelLearner._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left"), Options(Integral, {-1})],
        "selection": [StrOptions(set(SELECTIONS))],
        "warm_start": ["boolean"],
    }

    _tunable = (*OnlineKernelLearner._tunable, "selection")

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
        max_support_vectors=None,
        budget_policy="merging",
        window_size=None,
        cache_size=500,
        class_weight=None,
        selection="random",
        pool_size=50,
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
        self.max_support_vectors = max_support_vectors
        self.budget_policy = budget_policy
        self.window_size = window_size
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.selection = selection
        self.pool_size = pool_size
        self.max_labels = max_labels
        self.stopping = stopping
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    # ---------------------------------------------------------------------------- a path

    def fit_path(self, X, y, Cs, sample_weight=None):
        """Fit a model for each of several C, each from the one before.

        It costs about as much as two or three fits, however many C there are, and each model is at
        least as exact as :meth:`fit` with its C. The model itself ends as that of the largest C,
        and so does its parameter ``C``. Read more in the :ref:`user guide <solution_path>`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Rows; the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        Cs : array-like of shape (n_Cs,)
            Values in place of ``C``, in any order; the largest may be ``np.inf``.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.

        Returns
        -------
        path : SolutionPath
            The models, by rising C.

        Raises
        ------
        ValueError
            If the input is invalid, as in :meth:`fit`; if a value of `Cs` is not positive or comes
            twice; with ``algorithm`` ``"lasvm-nc"`` or ``"lasvm-i"``, whose problems are not
            convex; if samples are selected (``selection``, ``max_labels``, ``stopping``), support
            vectors are limited (``max_support_vectors``, ``window_size``), or ``finishing=False``.
            A fitted model stays as it was.
        KeyboardInterrupt
            After Ctrl-C. Its attribute ``path`` is the path so far, of the C that have been
            solved, and the model is the last of it. Of an empty path, the model is what
            :meth:`fit` has reached for the smallest C, and :meth:`resume` goes on with that.

        Notes
        -----
        ``max_iter`` is the number of times that all rows are looked at once the smallest C has
        been learnt, -1: until none violates for any C.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_online_svm import LASVC
        >>> from sklearn_online_svm.datasets import make_banana_like
        >>> X, y = make_banana_like(400, random_state=0)
        >>> path = LASVC(gamma=1.0, random_state=0).fit_path(X, y, [0.1, 1, 10])
        >>> [model.C for model in path]
        [0.1, 1.0, 10.0]
        >>> bool(np.all(np.diff(path.n_support) < 0))
        True
        """
        return fit_path(self, X, y, Cs, sample_weight)

    # ---------------------------------------------------------------------------- what it is

    @property
    def _most_passes(self):
        return self.max_iter

    @property
    def _starts_warm(self):
        return self.warm_start

    @property
    def _rule(self):
        return self.selection
