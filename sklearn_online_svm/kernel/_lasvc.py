"""Online kernel support vector classifier (LASVM and its successors)."""

from numbers import Integral

from .._sklearn_compat import Interval, Options, StrOptions
from ._leave_one_out import LeaveOneOut
from ._online import OnlineKernelLearner
from ._path import fit_path
from ._sample_selection import SELECTIONS
from ._svc_names import without_keywords_of_svc


class LASVC(LeaveOneOut, OnlineKernelLearner):
    r"""Online support vector classifier (LASVM and its successors).

    Parameters, attributes and predictions follow :class:`sklearn.svm.SVC`. ``fit`` runs one epoch
    (or ``max_iter`` epochs) over the samples and then optimizes over the support set;
    ``partial_fit`` continues training with new samples; ``max_iter=-1`` repeats epochs until the
    optimum that ``SVC`` finds is reached. With label noise, ``algorithm="lasvm-nc"`` and
    ``"lasvm-i"`` need far fewer support vectors.

    Read more in the :ref:`user guide <lasvm>`. The algorithms for label noise are described in
    :ref:`a page of their own <robust>`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. The strength of the regularization is inversely proportional to
        C. :math:`|\alpha_i|` of a sample is at most C times its class weight and its sample
        weight. ``np.inf`` is the hard margin: no sample may lie within the margin, which requires
        separable classes. Must be finite with ``"lasvm-nc"`` and ``"lasvm-i"``.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        Kernel type to be used in the algorithm, as in ``SVC``. A callable takes two matrices of
        samples, dense or sparse, and returns the matrix of kernel values; it is called once per
        block of samples. With ``"precomputed"``, X is the kernel matrix: square in ``fit``, test
        samples by training samples in ``predict``; ``partial_fit`` is then not available, because
        the samples themselves are unknown.
    degree : int, default=3
        Degree of the polynomial kernel function ("poly"). Ignored by all other kernels.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient for "rbf", "poly" and "sigmoid". ``"scale"`` uses
        ``1 / (n_features * X.var())``, with the variance weighted by ``sample_weight`` (1.0 if the
        variance is 0); ``"auto"`` uses ``1 / n_features``. In ``partial_fit``, gamma is computed
        from the first chunk and then kept.
    coef0 : float, default=0.0
        Independent term in the kernel function. Only significant in "poly" and "sigmoid".
    algorithm : {"lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"}, default="lasvm"
        Training algorithm.

        - ``"lasvm"``: solves the problem of ``SVC``, with a bias, by SMO steps on pairs of
          support vectors.
        - ``"lasvm-g"``: no bias; steps on one or two support vectors, repeated after each sample
          until the duality gap is below its target. The model varies less during an epoch.
        - ``"lasvm-nc"``: like ``"lasvm-g"``, with the ramp loss, which is not convex: outliers,
          that is, samples with :math:`y f(x) <` ``ramp_s``, do not become support vectors that
          shift the decision boundary. Gives the fewest support vectors on noisy labels.
        - ``"lasvm-i"``: uses only samples with ``ramp_s`` :math:`\le y f(x) \le 1` for training;
          the fastest of the algorithms.
        - ``"lasvm-full"``: like ``"lasvm-g"``, but every sample stays in the support set, even
          with :math:`\alpha = 0`. A baseline: slow, with memory that grows with the number of
          samples.
    max_iter : int, default=1
        Maximum number of passes over the training data (epochs) in ``fit``. Training stops earlier
        after an epoch that changes nothing. -1 runs as many epochs as needed; the result is then
        the optimum over all samples, within ``tol``. With more than one epoch, the model is
        optimized over the support set to ``tol`` after each epoch (see ``finishing``), so
        ``max_iter=k`` runs the first k epochs of ``max_iter=-1``.
    delta_max : float, default=None
        After each sample, repeat REPROCESS until the largest violation within the support set is
        at most ``delta_max``. None: run REPROCESS once. Used only with ``algorithm="lasvm"``; the
        other algorithms stop on the duality gap.
    finishing : bool, default=True
        Whether ``fit`` ends each run with :meth:`finish`, and whether decision function values
        between two calls of ``partial_fit`` come from a copy of the solution that is optimized
        over the support set, to ten times ``tol``. The copy does not influence further training.
        For the protocol of the papers (several online epochs and one :meth:`finish` at the end)
        set ``finishing=False``, call ``fit``, then ``finish``. ``max_iter=-1`` implies
        ``finishing=True``.
    shrinking : bool, default=True
        Whether :meth:`finish` uses the shrinking heuristic.
    tol : float, default=1e-3
        Tolerance for the stopping criterion: the largest violation of the optimality conditions
        that is accepted.
    ramp_s : float, default=-1.0
        Position :math:`s < 1` of the ramp: ``"lasvm-nc"`` and ``"lasvm-i"`` treat samples with a
        margin :math:`y f(x) < s` as outliers; the other algorithms only count them. Also the
        threshold of :meth:`suspect_labels`.
    max_support_vectors : int, default=None
        Budget: maximum size of the support set of each binary problem, enforced after every
        sample, for a model of bounded size on unbounded streams. See ``budget_policy`` for how the
        budget is maintained. Requires ``max_iter=1`` and ``warm_start=False``. None: no limit.
    budget_policy : {"merging", "oldest"}, default="merging"
        Budget maintenance strategy, applied when the support set exceeds
        ``max_support_vectors``. With either strategy, vectors with :math:`\alpha = 0` that do not
        violate the optimality conditions are removed first.

        - ``"merging"``: of two similar vectors of the same class, the one with the smaller weight
          is merged into the other, which takes over its C and its :math:`\alpha`; its
          :math:`|\alpha|` may then exceed C. The pair with the smallest
          :math:`C_i \|\phi(x_i) - \phi(x_j)\|^2` is merged, among the pairs whose cosine in kernel
          space is at least 0.9 (class attribute ``merge_cosine``). If there is no such pair, the
          oldest vector is removed.
        - ``"oldest"``: the vector that was added first is removed.
    window_size : int, default=None
        Number of samples after which a vector is removed from the support set, merged or not, for
        non-stationary streams (concept drift). None: no limit.
    cache_size : float, default=500
        Size of the kernel cache (in MB). A cache that is too small increases the training time,
        but does not change the result.
    class_weight : dict, "balanced" or "online_balanced", default=None
        Set the parameter C of class i to ``class_weight[i] * C``. Classes that are not in the dict
        have weight one. ``"balanced"`` (``fit`` only) uses weights inversely proportional to class
        frequencies, ``n_samples / (n_classes * n_c)``, with sample weights counted as
        frequencies; ``"online_balanced"`` uses the frequencies up to each sample.
    selection : {"random", "gradient", "active", "autoactive"}, default="random"
        How the next training sample is selected. The current model selects it, among all samples
        in ``fit`` and within each chunk in ``partial_fit``.

        - ``"random"``: the next sample in the (shuffled) order. All samples are used.
        - ``"gradient"``: of ``pool_size`` samples drawn at random, the one with the smallest
          :math:`y f(x)`, that is, the worst classified one. Sensitive to label noise; needs all
          labels.
        - ``"active"``: margin sampling; of ``pool_size`` samples drawn at random, the one closest
          to the decision boundary, with the smallest :math:`|f(x)|`. Only the labels of selected
          samples are used.
        - ``"autoactive"``: samples are drawn until 5 of them lie within the margin, widened by
          half of the violation that REPROCESS has left, but at most ``2 * pool_size`` of them; the
          one closest to the decision boundary is selected. Selection is close to random at first
          and turns to informative samples later.

        With more than two classes the distance is the difference between the two largest decision
        function values, and :math:`y f(x)` is the value of the true class minus the largest value
        of the other classes. Selection saves time with ``max_labels`` or ``stopping`` only: a full
        epoch scores each sample many times.
    pool_size : int or "all", default=50
        Number of samples drawn at random for each selection. With 59 samples, one of the best 5 %
        is among them with a probability of 95 %
        (:func:`~sklearn_online_svm.active.small_pool_size`). ``"all"``: every sample that is left.
    max_labels : int, default=None
        Label budget: maximum number of training samples in ``fit``, or in each chunk of
        ``partial_fit``; the others are skipped. Further epochs of ``fit`` run over the samples
        that were used in the first epoch. None: no limit.
    stopping : {"margin", "n_support"}, default=None
        Criterion to stop an epoch before all samples are used; ``fit`` then continues with
        :meth:`finish`.

        - ``"margin"``: the last 5 selected samples (class attribute ``margin_rows``) lay outside
          the margin of all free support vectors, :math:`|f(x)| \ge \max_s |f(x_s)|`, in each
          binary problem. Training does not stop while there are no free support vectors. Requires
          ``selection`` ``"active"`` or ``"autoactive"``.
        - ``"n_support"``: less than a tenth of the last 200 samples increased the number of
          support vectors (class attributes ``stable_share`` and ``stable_rows``).
    shuffle : bool, default=True
        Whether ``fit`` visits the samples in random order. LASVM relies on random order: switch
        shuffling off only if the samples are already shuffled.
    n_jobs : int, default=None
        Number of threads for kernel values, for the classes of a multiclass problem and for
        predictions. None means 1 unless in a :obj:`joblib.parallel_backend` context; -1 means
        using all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample order, and of the samples drawn for ``selection``.
    verbose : int, default=0
        Verbosity. 1 prints a line per epoch and, on a terminal, the progress of the epoch: samples
        processed, samples per second, size of the support set, remaining time (a progress bar
        if tqdm is installed). 2 shows the progress also if standard error is not a terminal.
    warm_start : bool, default=False
        Whether ``fit`` starts from the current solution. The samples must be those of the
        previous ``fit`` (see :meth:`fit`); parameters may have changed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Multiplier of C for each class; with ``"online_balanced"`` the current ones.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights assigned to the features; only available with a linear kernel. Read-only.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        Signed coefficients :math:`\alpha` of the support vectors in the decision function.
    dual_objective_ : ndarray of shape (1,) or (n_classes,)
        Value of the dual objective, which is maximized, of each binary problem.
    duality_gap_ : ndarray of shape (1,) or (n_classes,)
        Primal minus dual objective of each binary problem, over the support set.
    gamma_ : float
        Value of gamma in use.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants in the decision function; 0 unless ``algorithm="lasvm"``.
    interrupted_ : bool
        Whether the last call was interrupted by Ctrl-C and :meth:`resume` can continue it.
    kkt_violation_ : float
        Largest violation of the optimality conditions during the last epoch of ``fit``, where each
        sample is measured when it is visited. If ``fit`` ended with an epoch that changed nothing,
        the largest violation over all samples.
    leave_one_out_estimate_ : float
        Estimate of the leave-one-out error from the current solution: the fraction of the training
        samples (``n_labels_used_``) that, according to the span rule, are misclassified when they
        are left out. The estimate is exact if, without the sample, the same support vectors are
        free and the same are at their bounds. Samples that are not support vectors, including
        those of weight 0, count as correctly classified. This holds at the optimum
        (``max_iter=-1``, positive weights); after fewer epochs, or in a stream, misclassified
        samples that were removed from the support set are not counted.
        :meth:`leave_one_out` computes the exact error. Not available with ``"lasvm-nc"`` and
        ``"lasvm-i"``, with a budget, or with a precomputed kernel.
    n_admitted_ : ndarray of shape (1, 3) or (n_classes, 3)
        Number of samples added to the support set, by their position on the ramp when they were
        visited: left of it (:math:`y f(x) <` ``ramp_s``), on it, right of it
        (:math:`y f(x) > 1`). Not available with ``algorithm="lasvm"``.
    n_cleaned_ : ndarray of shape (1, 3) or (n_classes, 3)
        Number of samples removed from the support set by CLEAN, by their position on the ramp when
        they were added.
    n_skipped_ : ndarray of shape (1, 3) or (n_classes, 3)
        Number of samples skipped by ``"lasvm-i"``, by their position on the ramp.
    n_features_in_ : int
        Number of features seen during fit.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features seen during fit. Defined only when X has string column names.
    n_iter_ : int
        Number of epochs run by ``fit``, at most ``max_iter``; 1 after ``partial_fit`` alone.
    n_kernel_evaluations_ : int
        Number of kernel values computed for training.
    n_labels_used_ : int
        Number of samples used for training, that is, of labels used (``selection="gradient"`` also
        uses the labels of the samples that it draws).
    n_samples_seen_ : int
        Number of samples passed to ``fit`` and ``partial_fit`` since training was last started.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors for each class.
    stopped_early_ : bool
        Whether ``stopping`` ended the last ``fit`` or chunk before all samples were used.
    support_ : ndarray of shape (n_SV,), dtype=int32
        Indices of the support vectors in X, grouped by class; after ``partial_fit`` their
        positions in the stream, which begins with the samples of ``fit``.
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        Support vectors; empty with a precomputed kernel.

    See Also
    --------
    RampSVC : Support vector classifier with the ramp loss, trained in batch.
    sklearn.svm.SVC : Batch solver (LIBSVM); one-vs-one for more than two classes.
    sklearn.linear_model.SGDClassifier : Online training of linear models.

    Notes
    -----
    ``algorithm="lasvm"`` [1]_ [2]_ solves the dual of the support vector machine,

    .. math::

        \max_\alpha \sum_i \alpha_i y_i - \tfrac{1}{2} \sum_{ij} \alpha_i \alpha_j K(x_i, x_j)
        \quad \text{s.t.} \quad \sum_i \alpha_i = 0, \;
        0 \le y_i \alpha_i \le C_i,

    one sample at a time: PROCESS adds a new sample to the support set if it violates the
    optimality conditions; REPROCESS takes an SMO step on the most violating pair in the support
    set and removes vectors with :math:`\alpha = 0` that are no longer needed. The decision
    function is :math:`f(x) = \sum_i \alpha_i K(x_i, x) + b`.

    The other algorithms [3]_ omit :math:`b` and with it the equality constraint, so that a single
    :math:`\alpha_i` can be changed. They repeat REPROCESS until the duality gap over the support
    set is at most :math:`\max(C, \hat G)`, where :math:`\hat G^2` is the sum of squared
    deviations of :math:`C_i y_i g_i` from their mean before the sample was added. With the ramp
    loss the box constraint of an outlier is shifted to the other side of 0.

    Multiclass problems are solved one-vs-rest. The support vectors are stored once and their
    kernel values are computed once for all classes.

    The number of steps of each call is limited. On the support set, ``fit`` and :meth:`finish`
    take at most ``max_steps`` steps (5 million, shared by the binary problems) or, if that is
    larger, ``max_steps_per_row`` (2500) per sample and problem; REPROCESS takes at most
    ``max_reprocess`` steps (20 000, shared) after one sample. These are class attributes; typical
    problems need a small fraction of them. If a limit is reached, a ``ConvergenceWarning`` states
    the remaining violation and what to change; the model can be used, and further optimized with
    :meth:`finish`.

    Kernel values are stored in single precision (rounded once, when they are computed); all other
    quantities are in double precision. float32 input is stored and multiplied in float32, except
    for an rbf kernel with samples of large norm (``gamma * |x|^2 > 1000``), whose distances would
    be lost in rounding: such input is converted to float64.

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

    Training continues with new samples:

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

    # ---------------------------------------------------------------------------- solution path

    def fit_path(self, X, y, Cs, sample_weight=None):
        """Fit the solution path: one model for each value of C.

        Each model is warm-started from the model of the next smaller C. The path costs about as
        much as two or three fits, independent of the number of values, and each model is at least
        as accurate as :meth:`fit` with its C. Afterwards, this estimator is the model of the
        largest C, with its parameter ``C`` set accordingly. Read more in the
        :ref:`user guide <solution_path>`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Training samples, or the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        Cs : array-like of shape (n_Cs,)
            Values of C, in any order; the largest may be ``np.inf``.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights. Rescale C per sample; samples of weight 0 are ignored.

        Returns
        -------
        path : SolutionPath
            Fitted models in ascending order of C.

        Raises
        ------
        ValueError
            If the input is invalid, as in :meth:`fit`; if a value of `Cs` is not positive or is
            given twice; with ``algorithm`` ``"lasvm-nc"`` or ``"lasvm-i"``, whose problems are not
            convex; if samples are selected (``selection``, ``max_labels``, ``stopping``), support
            vectors are limited (``max_support_vectors``, ``window_size``), or ``finishing=False``.
            A fitted model is left unchanged.
        KeyboardInterrupt
            After Ctrl-C. The attribute ``path`` of the exception is the path of the values of C
            solved so far, and this estimator is the last of these models. If the path is empty,
            this estimator is the model that :meth:`fit` has reached for the smallest C, and
            :meth:`resume` continues it.

        Notes
        -----
        Once the model of the smallest C is fitted, ``max_iter`` is the number of passes over all
        samples for the whole path; -1 continues until no sample violates the optimality conditions
        for any C.

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

    # ---------------------------------------------------------------------------- conventions

    @property
    def _most_passes(self):
        return self.max_iter

    @property
    def _starts_warm(self):
        return self.warm_start

    @property
    def _rule(self):
        return self.selection
