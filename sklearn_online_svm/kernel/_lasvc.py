"""Online kernel support vector classifier (LASVM and its successors)."""

from dataclasses import replace
from numbers import Real

import numpy as np
from sklearn.utils.metaestimators import available_if

from .._base import (
    check_labels,
    class_order_after,
    classes_of_stream,
    encode_labels,
)
from .._core.class_order import add_to_class_order
from .._core.kernel.block import Samples
from .._sklearn_compat import Interval, StrOptions, _fit_context
from ._engine import ALGORITHMS, SolverSpec
from ._epochs import known_slots
from ._leave_one_out import LeaveOneOut
from ._machine_classifier import MachineClassifier
from ._model import can_take_new_samples
from ._new_classes import extended_engine
from ._online_machine import (
    CLEAN_INTERVAL,
    MAX_NON_SV,
    MAX_REPROCESS,
    SINGLE_STEPS,
    OnlineMachine,
)
from ._path import fit_path
from ._probabilities import Probabilities
from ._svc_names import without_keywords_of_svc

# Size of the support set while only one class has been seen. The thesis of Ertekin (2009, section
# 3.2) starts with "a few examples of each class", which a stream cannot guarantee.
N_INIT = 5

# lasvm-nc, lasvm-i: number of support vectors from which the left end of the ramp is used. The
# thesis uses the hinge loss "for the first few instances" (section 6.2.2), because f is not yet
# meaningful. From 100 to 500 the error changes little.
RAMP_START = 100


class LASVC(LeaveOneOut, Probabilities, MachineClassifier, OnlineMachine):
    r"""Online support vector classifier (LASVM and its successors).

    Parameters, attributes and predictions follow :class:`sklearn.svm.SVC`. Up to 5000 samples,
    ``fit`` finds the model of ``SVC``. With more samples, it runs an epoch over them, optimizes
    over the support set, and repeats both until the model is close to it (see ``max_iter``).
    ``partial_fit`` continues training with new samples. With label noise,
    ``algorithm="lasvm-nc"`` and ``"lasvm-i"`` need fewer support vectors.

    Read more in the :ref:`user guide <lasvm>`. The algorithms for label noise are described in
    :ref:`a page of their own <robust>`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. The strength of the regularization is inversely proportional to
        C. :math:`|\alpha_i|` of a sample is at most C times its class weight and its sample
        weight. ``np.inf`` is the hard margin: no sample may lie within the margin, which requires
        separable classes. Must be finite with ``"lasvm-nc"`` and ``"lasvm-i"``.
    kernel : str, ColumnKernel or callable, default="rbf"
        Kernel type to be used in the algorithm: ``"linear"``, ``"poly"``, ``"rbf"``,
        ``"sigmoid"``, ``"laplacian"``, ``"chi2"``, ``"intersection"``, ``"tanimoto"`` or
        ``"cosine"``, see :ref:`kernels`; a :class:`ColumnKernel` for columns of different types;
        ``"precomputed"``; or a callable. A callable takes two matrices of samples, dense or
        sparse, and returns the matrix of kernel values; it is called once per block of samples.
        With ``"precomputed"``, X is the kernel matrix: square in ``fit``, test samples by training
        samples in ``predict``; ``partial_fit`` is then not available, because the samples
        themselves are unknown.
    degree : int, default=3
        Degree of the polynomial kernel function ("poly"). Ignored by all other kernels.
    gamma : {"scale", "auto"} or float, default="scale"
        Kernel coefficient for "rbf", "poly", "sigmoid", "laplacian" and "chi2". ``"scale"`` uses
        ``1 / (n_features * X.var())``, or ``X.std()`` in place of ``X.var()`` for "laplacian" and
        "chi2", with the variance weighted by ``sample_weight`` (1.0 if the variance is 0);
        ``"auto"`` uses ``1 / n_features``. In ``partial_fit``, gamma is computed from the first
        chunk and then kept.
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
          shift the decision boundary. Fewer support vectors on noisy labels; slow if ``C`` is so
          large that wrong labels are fitted (see the user guide).
        - ``"lasvm-i"``: uses only samples with ``ramp_s`` :math:`\le y f(x) \le 1` for training;
          similar results and times.
        - ``"lasvm-full"``: like ``"lasvm-g"``, but every sample stays in the support set, even
          with :math:`\alpha = 0`. A baseline: slow, with memory that grows with the number of
          samples.
    max_iter : int or "auto", default="auto"
        Maximum number of passes over the training data (epochs) in ``fit``. Training stops earlier
        after an epoch that changes nothing.

        - ``"auto"``: up to 5000 samples, the optimum over all samples, as with -1, but in a single
          epoch, which adds all samples to the support set before it is optimized. With more
          samples, after each epoch up to 1000 training samples are scored, and training stops
          when the loss that another epoch could remove is, on average, at most 0.01 of the margin,
          or of the standard deviation of the decision values if that is smaller (see Notes). That
          is mostly after the first epoch.
        - -1: as many epochs as needed; the result is then the optimum over all samples, within
          ``tol``.
        - k: at most k epochs. With more than one, the model is optimized over the support set to
          ``tol`` after each epoch (see ``finishing``), so that k epochs are the first ones of
          ``max_iter=-1``.

        ``"auto"`` is a single epoch with ``"lasvm-nc"`` and ``"lasvm-i"``, ``finishing=False`` or
        ``window_size``.
    delta_max : float, default=None
        After each sample, repeat REPROCESS until the largest violation within the support set is
        at most ``delta_max``. None: run REPROCESS once. Used only with ``algorithm="lasvm"``; the
        other algorithms stop on the duality gap.
    finishing : bool, default=True
        Whether ``fit`` ends each epoch with :meth:`finish`, and whether decision function values
        between two calls of ``partial_fit`` come from a copy of the solution that is optimized
        over the support set, to ten times ``tol``. The copy does not influence further training.
        With ``algorithm="lasvm"``, a stream then also keeps a reserve: about 50 samples of each
        binary problem with :math:`\alpha = 0`, those closest to the margin, which may become
        support vectors later.
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
    window_size : int, default=None
        Length of a sliding window: a vector is removed from the support set after this number of
        samples, for non-stationary streams (concept drift). Requires a single epoch
        (``max_iter=1`` or ``"auto"``) and ``warm_start=False``. None: no limit.
    probability : bool, default=False
        Whether to enable :meth:`predict_proba`. Must be set before training. Probabilities are
        estimated from decision values of samples that are left out of training, which follow from
        the solution: no further models are fitted. In a stream, they follow the last 4000
        samples, which the model then stores. ``class_weight`` does not change what is estimated.
        See :ref:`probabilities`. Not available with ``kernel="precomputed"``.
    cache_size : float, default=500
        Size of the kernel cache (in MB). A cache that is too small increases the training time,
        but does not change the result; with more than 16 000 support vectors it may, within
        ``tol``.
    class_weight : dict, "balanced" or "online_balanced", default=None
        Set the parameter C of class i to ``class_weight[i] * C``. Classes that are not in the dict
        have weight one. ``"balanced"`` (``fit`` only) uses weights inversely proportional to class
        frequencies, ``n_samples / (n_classes * n_c)``, with sample weights counted as
        frequencies; ``"online_balanced"`` uses the frequencies up to each sample.
    shuffle : bool, default=True
        Whether ``fit`` visits the samples in random order. LASVM relies on random order: switch
        shuffling off only if the samples are already shuffled.
    n_jobs : int, default=None
        Number of threads for kernel values, for the classes of a multiclass problem and for
        predictions. None means 1 unless in a :obj:`joblib.parallel_backend` context; -1 means
        using all cores.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample order.
    verbose : int, default=0
        Verbosity. 1 prints a line per epoch and, on a terminal or in a notebook, the progress of
        the epoch: samples processed, samples per second, size of the support set, estimated
        remaining time (a progress bar if tqdm is installed), and then of the optimization over the
        support set. 2 shows the progress also if standard error is a file or a pipe.
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
        sample is measured when it is visited. If ``fit`` found the optimum (up to 5000 samples by
        default, or if its last epoch changed nothing), the largest violation over all samples.
        Infinite after ``partial_fit`` alone.
    leave_one_out_estimate_ : float
        Estimate of the leave-one-out error from the current solution: the fraction of the training
        samples (``n_labels_used_``) that, according to the span rule, are misclassified when they
        are left out. The estimate is exact if, without the sample, the same support vectors are
        free and the same are at their bounds. Samples that are not support vectors, including
        those of weight 0, count as correctly classified. This holds at the optimum (up to 5000
        samples, or ``max_iter=-1``; positive weights); after fewer epochs, or in a stream,
        misclassified samples that were removed from the support set are not counted.
        :meth:`leave_one_out` computes the exact error. Not available with ``"lasvm-nc"`` and
        ``"lasvm-i"``, with ``window_size``, or with a precomputed kernel.
    n_admitted_ : ndarray of shape (1, 3) or (n_classes, 3)
        Number of samples added to the support set, by their position on the ramp when they were
        visited: left of it (:math:`y f(x) <` ``ramp_s``), on it, right of it
        (:math:`y f(x) > 1`). Zero after ``fit`` has optimized over all samples at once (see
        ``max_iter``). Not available with ``algorithm="lasvm"``.
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
        Number of epochs run by ``fit``; 1 after ``partial_fit`` alone.
    n_kernel_evaluations_ : int
        Number of kernel values computed for training.
    n_labels_used_ : int
        Number of samples used for training by the last ``fit``, and by ``partial_fit`` since.
    n_samples_seen_ : int
        Number of samples passed to ``fit`` and ``partial_fit`` since training was last started;
        of an interrupted call, those processed so far.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors for each class.
    support_ : ndarray of shape (n_SV,), dtype=int32
        Indices of the support vectors in X, grouped by class; after ``partial_fit`` their
        positions in the stream, which begins with the samples of ``fit``.
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        Support vectors; empty with a precomputed kernel.

    See Also
    --------
    ActiveLASVC : LASVC with sample selection.
    RampSVC : Support vector classifier with the ramp loss, trained in batch.
    KernelAROWClassifier : A fixed number of support vectors, for unbounded streams.
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

    With ``max_iter="auto"`` and more than 5000 samples, the loss that another epoch could remove
    is estimated by the mean of :math:`\max(0, 1 - y f(x))` over scored samples outside of the
    support set; it is 0 for support vectors. At the optimum all samples with :math:`y f(x) < 1`
    are support vectors, and the duality gap is C times the sum of these values. Samples are scored
    with a probability proportional to their C. If 20 epochs are not enough, a
    ``ConvergenceWarning`` is raised.

    The number of steps of each call is limited. On the support set, ``fit`` and :meth:`finish`
    take at most 5 million steps (shared by the binary problems) or, if that is larger, 2500 per
    sample and problem; REPROCESS takes at most 20 000 steps (shared) after one sample. Typical
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
        **OnlineMachine._parameter_constraints,
        **MachineClassifier._parameter_constraints,
        "algorithm": [StrOptions(set(ALGORITHMS))],
        "delta_max": [Interval(Real, 0.0, None, closed="neither"), None],
        "class_weight": [StrOptions({"balanced", "online_balanced"}), dict, None],
        "probability": ["boolean"],
        "warm_start": ["boolean"],
    }

    _fixed_params = (*OnlineMachine._fixed_params, "algorithm")
    _adjustable_params = (
        *("C", "class_weight", "tol", "delta_max", "finishing", "ramp_s", "shrinking"),
        *("cache_size", "n_jobs", "window_size"),
    )

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
        max_iter="auto",
        delta_max=None,
        finishing=True,
        shrinking=True,
        tol=1e-3,
        ramp_s=-1.0,
        window_size=None,
        probability=False,
        cache_size=500,
        class_weight=None,
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
        self.window_size = window_size
        self.probability = probability
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.shuffle = shuffle
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

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
        return self._fit_in_transaction(X, y, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Continue training with new samples.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The first chunk fixes gamma (``"scale"``), the precision, and with a
        linear kernel the origin of the features; a linear kernel may move the origin at the end of
        a later chunk, too, if features are far from it. Otherwise the model does not depend on how
        a stream is divided into chunks, unless samples are selected (``ActiveLASVC``), because
        selection is restricted to the chunk. Predictions between two calls come from a copy that
        is optimized over the support set (see ``finishing``).

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream. Shuffle them if they are sorted.
        y : array-like of shape (n_samples,)
            Class labels. A chunk may contain a single class.
        classes : array-like of shape (n_classes,), default=None
            All classes that can occur. Must be passed in the first call; optional afterwards. A
            later call with additional classes adds them to the model, see :ref:`new_classes`.
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
            an error within a chunk, the model has been trained on the blocks of samples before it
            (a call that adds classes leaves it unchanged).
        MemoryError
            If memory runs out. The model has been trained on the blocks of samples before, and
            ``n_samples_seen_`` counts them: training can continue with the next sample once memory
            is available. With sample selection, the training so far is kept, and
            ``n_samples_seen_`` counts the whole chunk. A call that adds classes leaves the model
            unchanged.
        """
        return self._partial_fit(X, y, classes, sample_weight)

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
            convex; with ``window_size``; or with ``finishing=False``. A fitted model is left
            unchanged.
        KeyboardInterrupt
            After Ctrl-C. The attribute ``path`` of the exception is the path of the values of C
            solved so far, and this estimator is the last of these models. If the path is empty,
            this estimator is the model that :meth:`fit` has reached for the smallest C, and
            :meth:`resume` continues it.

        Notes
        -----
        Once the model of the smallest C is fitted, ``max_iter`` is the number of passes over all
        samples for the whole path; -1 continues until no sample violates the optimality conditions
        for any C. ``"auto"`` is -1 up to 5000 samples, and 1 with more samples.

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

    # ---------------------------------------------------------------------------- classes

    def _fix_targets(self, classes):
        self.classes_ = classes_of_stream(classes)
        self._class_counts = np.zeros(len(self.classes_))

    def _check_chunk(self, X, y, reset):
        X, y = super()._check_chunk(X, y, reset)
        check_labels(y)
        return X, y

    def _encode_chunk(self, X, y):
        return encode_labels(y, self.classes_, extendable=True)

    def _begin_targets(self, rows):
        cost, factors, counts = self._costs(rows[1], rows[2], None)
        return cost, dict(
            counts_before=self._class_counts,
            counts=self._class_counts if counts is None else counts,
            class_order_before=self.__dict__.get("_class_order"),
            class_order=class_order_after(self, rows[1], stacklevel=6),
            factors=factors if counts is None else None,
        )

    def _begin_changes(self, at):
        factors = at.pop("factors")
        if factors is not None:
            self._note_class_weights(factors, None)

    def _note_targets(self, codes, weights, at):
        """Update the order of classes, and the class counts of online_balanced."""
        n, order = self.n_samples_seen_ - at["n_seen"], at["class_order"]
        if n < len(codes) and len(order):
            order = at["class_order_before"]
            if n:
                order = add_to_class_order(order, len(self.classes_), codes[:n])
        if order is not None:
            self._class_order = order
        if self.class_weight == "online_balanced":
            before, after = at["counts_before"], at["counts"]
            if n < len(codes):
                after = before + np.bincount(codes[:n], weights[:n], len(before))
            self._note_class_weights(None, after)

    @property
    def _starts_warm(self):
        return self.warm_start

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

    def _extend(self, places):
        """Add problems for new classes, whose negative samples are the vectors of the engine."""
        n_classes = len(self.classes_)
        self._spec = replace(self._spec, n_problems=n_classes)
        self._engine = extended_engine(self._engine, self._spec, places)
        counts, self._class_counts = self._class_counts, np.zeros(n_classes)
        self._class_counts[places] = counts
        if "_samples" in self.__dict__:
            self._samples = self._samples.recoded(places)

    def _solver(self):
        return SolverSpec(
            algorithm=self.algorithm,
            tol=float(self.tol),
            shrinking=bool(self.shrinking),
            delta_max=np.inf if self.delta_max is None else float(self.delta_max),
            n_init=N_INIT,
            gap_floor=float(self.C),
            ramp_s=float(self.ramp_s),
            ramp_start=RAMP_START,
            single_steps=SINGLE_STEPS,
            clean_interval=CLEAN_INTERVAL,
            max_non_sv=MAX_NON_SV,
            max_reprocess=MAX_REPROCESS,
            window_size=self.window_size,
        )

    @property
    def _most_passes(self):
        # With the ramp loss, samples that were skipped as outliers would be added in other epochs.
        if self.max_iter == "auto" and self._needs_finite_costs():
            return 1
        return super()._most_passes

    def _needs_finite_costs(self):
        return self.algorithm in ("lasvm-nc", "lasvm-i")

    def _keep_samples(self, rows, at):
        n_visited = self.n_samples_seen_ if at["n_pass"] == 1 else None
        self._keep_visited(rows, at["order"][:n_visited])

    def _refuse_in_partial_fit(self):
        self._refuse_probability()
        if self.class_weight == "balanced":
            raise ValueError(
                "class_weight='balanced' is not supported for partial_fit: the class counts of a "
                "stream are unknown. Use class_weight='online_balanced', or a dict of weights."
            )

    def _begin_warm(self, engine, X, codes, cost, before):
        former = before.get("_engine") if self._starts_warm else None
        if former is not None:
            engine.begin_pass(known_slots(engine, X.shape[0]))
            with former.guard.reading():
                self._seed(engine, former.current_solution(), X, codes, cost, before)

    def _seed(self, engine, solution, X, codes, cost, before):
        """Start from the solution of the previous fit, projected onto the current boxes."""
        rows = solution.row_ids
        same = np.array_equal(before["classes_"], self.classes_)
        same = same and self._are_rows_of(solution, X)
        if not same or (codes[rows] != solution.labels).any():
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

    def _start_from(self, X, y, classes, alpha):
        """Return the model with these support vectors and signed alpha, for two classes."""
        (X, codes, weights), cost, at = self._begin_chunk(X, y, classes, None)
        rows = np.arange(len(codes))
        given = Samples(codes, cost, rows)
        engine = self._engine
        engine.seed(X, rows, given, engine.moved(given, rows, alpha[np.newaxis]))
        self.n_samples_seen_ = self._next_row_id = self.n_labels_used_ = len(codes)
        self._note_targets(codes, weights, at)
        return self
