"""LASVC: online kernel support vector classifier (LASVM and its successors)."""

from numbers import Integral

from .._estimator import store_parameters
from .._sklearn_compat import Interval, _fit_context, available_if
from . import _dual_estimator, _svc, _training
from ._analysis import _leave_one_out, _probabilities
from ._analysis._path import fit_path
from ._classifier import KernelClassifier
from ._docs import with_shared_docs
from ._dual_estimator import DualEstimator
from ._kernel_estimator import can_take_new_samples
from ._svc import MULTICLASS_CONSTRAINTS, plan_of_classes, without_keywords_of_svc


@with_shared_docs
class LASVC(KernelClassifier, DualEstimator):
    r"""Online support vector classifier (LASVM and its successors).

    Parameters, attributes and predictions follow :class:`sklearn.svm.SVC`. Up to 5000 samples,
    ``fit`` finds the model of ``SVC``. With more samples, it runs an epoch over them, optimizes
    over the support set, and repeats both until the model is close to it (see ``max_iter``).
    ``partial_fit`` continues training with new samples. With label noise,
    ``algorithm="lasvm-nc"`` and ``"lasvm-i"`` need fewer support vectors.

    Read more in the :ref:`user guide <kernel_models>`. The algorithms for label noise are
    described in :ref:`a page of their own <robust>`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. The strength of the regularization is inversely proportional to
        C. :math:`|\alpha_i|` of a sample is at most C times its class weight and its sample
        weight. ``np.inf`` is the hard margin: no sample may lie within the margin, which requires
        separable classes. Must be finite with ``"lasvm-nc"`` and ``"lasvm-i"``.
    $kernel_parameters
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

        - ``"auto"``: up to 5000 samples, the optimum over all samples, as with -1, but without
          epochs: the kernel values of all samples are computed at once, and stored during ``fit``
          (in single precision: 100 MB for 5000 samples). So are pairs of classes of up to 700
          samples in sets of up to 20 000. With other samples, some training samples
          are scored after each epoch, and training stops when the loss that another epoch could
          remove is, on average, at most 0.01 of the margin, or of the standard deviation of the
          decision values if that is smaller, and few support vectors are missing (see Notes),
          usually after one or two passes.
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
    $one_vs_one
    probability : bool, default=False
        Whether to enable :meth:`predict_proba`. Must be set before training. Probabilities are
        estimated from decision values of samples that are left out of training, which follow from
        the solution: no further models are fitted. With one-vs-one, the probabilities of the
        pairs are combined by pairwise coupling. In a stream, they follow the last 4000 samples,
        which the model then stores. ``class_weight`` does not change what is estimated. See
        :ref:`probabilities`. Not available with ``kernel="precomputed"``.
    $cache_size_of_lasvm
    replay_size : int, default=2000
        Size of the reservoir: maximum number of samples passed to ``partial_fit`` that are stored
        in addition to the support vectors, in about equal numbers for each class. If class
        proportions change along the stream, stored samples are replayed, and predictions and
        :meth:`finish` also optimize over them (see :ref:`replay`; with ``"lasvm-nc"`` and
        ``"lasvm-i"`` they are only replayed). 0 disables replay. Ignored by ``fit``, with
        ``window_size``, and with ``algorithm="lasvm-full"``.
    class_weight : dict, "balanced" or "online_balanced", default=None
        Set the parameter C of class i to ``class_weight[i] * C``. Classes that are not in the dict
        have weight one; labels that are not among the classes are ignored, unless none is, which
        raises an error. ``"balanced"`` (``fit`` only) uses weights inversely proportional to class
        frequencies, ``n_samples / (n_classes * n_c)``, with sample weights counted as
        frequencies; ``"online_balanced"`` uses the frequencies up to each sample.
    $order_and_threads
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
    coef_ : ndarray of shape (n_problems, n_features)
        Weights assigned to the features; only available with a linear kernel. Read-only.
    dual_coef_ : ndarray of shape (n_problems, n_SV) or (n_classes - 1, n_SV)
        Signed coefficients :math:`\alpha` of the support vectors in the decision function.
        $layout_of_pairs
    dual_objective_ : ndarray of shape (n_problems,)
        Value of the dual objective, which is maximized, of each binary problem.
    duality_gap_ : ndarray of shape (n_problems,)
        Primal minus dual objective of each binary problem, over the support set.
    $gamma_in_use
    intercept_ : ndarray of shape (n_problems,)
        Constants in the decision function; 0 unless ``algorithm="lasvm"``.
    $interrupted
    $kkt_violation
    leave_one_out_estimate_ : float
        Estimate of the leave-one-out error from the current solution: the fraction of the training
        samples (``n_samples_seen_``) that, according to the span rule, are misclassified when they
        are left out. The estimate is exact if, without the sample, the same support vectors are
        free and the same are at their bounds. Samples that are not support vectors, including
        those of weight 0, count as correctly classified. This holds at the optimum (up to 5000
        samples, or ``max_iter=-1``; positive weights); after fewer epochs, or in a stream,
        misclassified samples that were removed from the support set are not counted.
        :meth:`leave_one_out_errors` computes the exact error. Not available with ``"lasvm-nc"``
        and ``"lasvm-i"``, with ``window_size``, or with a precomputed kernel.
    n_admitted_ : ndarray of shape (n_problems, 3)
        Number of samples added to the support set, by their position on the ramp when they were
        visited: left of it (:math:`y f(x) <` ``ramp_s``), on it, right of it
        (:math:`y f(x) > 1`). Zero after ``fit`` has optimized over all samples at once (see
        ``max_iter``). Not available with ``algorithm="lasvm"``.
    n_cleaned_ : ndarray of shape (n_problems, 3)
        Number of samples removed from the support set by CLEAN, by their position on the ramp when
        they were added.
    n_skipped_ : ndarray of shape (n_problems, 3)
        Number of samples skipped by ``"lasvm-i"``, by their position on the ramp.
    $features
    $training_counts
    $samples_seen
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors for each class.
    support_ : ndarray of shape (n_SV,), dtype=int32
        Indices of the support vectors in X, grouped by class; after ``partial_fit`` their
        positions in the stream, which begins with the samples of ``fit``.
    $stored_support

    See Also
    --------
    ActiveLASVC : LASVC with sample selection.
    RampSVC : Support vector classifier with the ramp loss, trained in batch.
    KernelAROWClassifier : A fixed number of support vectors, for unbounded streams.
    sklearn.svm.SVC : Batch solver (LIBSVM).
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

    With more than two classes, this problem is solved for each pair of classes (0, 1), (0, 2), ...
    in the order of ``classes_``, over their samples, with :math:`y_i = 1` for the first class and
    -1 for the second (one-vs-one), or for each class, with :math:`y_i = 1` for its samples and -1
    for all others (one-vs-rest). In both cases each support vector is stored once, and predictions
    compute its kernel values once for all problems. In training, kernel values of samples
    are computed once for all problems, rows of the kernel matrix for each pair. For one-vs-one,
    ``decision_function_shape="ovr"`` returns :math:`v_c + s_c / (3 (|s_c| + 1))` for class c,
    where :math:`v_c` is its number of votes and :math:`s_c` the sum of the decision values of its
    pairs, signed in favour of c.

    With ``max_iter="auto"`` and more than 5000 samples, the loss that another epoch could remove
    is estimated by the mean of :math:`\max(0, 1 - y f(x))` over scored samples outside of the
    support set; it is 0 for support vectors. At the optimum all samples with :math:`y f(x) < 1`
    are support vectors, and the duality gap is C times the sum of these values. The number of
    scored samples with a positive value also estimates how many support vectors are missing:
    training continues if these are more than a fifth of the support vectors, as is possible with
    rare classes although the mean is small. Samples are scored with a probability proportional to
    their C. The first epoch keeps a reserve, as a stream does (see ``finishing``). If 20 epochs
    are not enough, a ``ConvergenceWarning`` is raised.

    The number of steps of each call is limited. On the support set, ``fit`` and :meth:`finish`
    take at most 5 million steps (shared by the problems that a sample belongs to) or, if that is
    larger, 2500 per sample and problem; REPROCESS takes at most 20 000 steps (shared) after one
    sample. Typical problems need a small fraction of them. If a limit is reached, a
    ``ConvergenceWarning`` states the remaining violation and what to change; the model can be
    used, and further optimized with :meth:`finish`.

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
        **_svc.ONLINE_CLASS_CONSTRAINTS,
        **MULTICLASS_CONSTRAINTS,
        "probability": ["boolean"],
        "replay_size": [Interval(Integral, 0, None, closed="left")],
    }

    _fixed_params = (*_svc.FIXED_PARAMS, "multi_class")
    _adjustable_params = (*_svc.ADJUSTABLE_PARAMS, "replay_size")

    predict_proba = _probabilities.predict_proba
    predict_log_proba = _probabilities.predict_log_proba
    predict_set = _probabilities.predict_set

    leave_one_out_errors = _leave_one_out.leave_one_out_errors
    leave_one_out_decision_function = _leave_one_out.leave_one_out_decision_function
    leave_one_out_estimate_ = _leave_one_out.leave_one_out_estimate_
    _held_out = _leave_one_out.held_out

    set_params = _svc.set_params
    finish, snapshot = _dual_estimator.finish, _dual_estimator.snapshot
    classes_, class_weight_ = _svc.classes_, _svc.class_weight_
    n_admitted_, n_cleaned_, n_skipped_ = _svc.n_admitted_, _svc.n_cleaned_, _svc.n_skipped_
    _add_classes = _svc.add_classes

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
        multi_class="ovo",
        decision_function_shape="ovr",
        break_ties=False,
        probability=False,
        cache_size=500,
        replay_size=2000,
        class_weight=None,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
        warm_start=False,
    ):
        store_parameters(locals())

    # ---------------------------------------------------------------------------- training

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the model from scratch; ``max_iter`` says how the samples are processed.

        $fit_classes
        """
        return _training.fit(self, X, y, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Continue training with new samples.

        $partial_fit_classes
        """
        return _training.partial_fit(self, X, y, classes, sample_weight)

    def fit_path(self, X, y, Cs, sample_weight=None):
        """Fit the solution path: one model for each value of C.

        Each model is warm-started from the model of the next smaller C, so that a path of many
        values takes less time than a fit for each C. A fit for each C may be faster with dozens of
        classes, or with few features and values of C that are far apart or above 1000. With
        several classes, ``max_iter="auto"`` and up to 5000 samples (more if there are many small
        classes) there is no warm start: :meth:`fit` solves all problems of each C at once. Each
        model is about as accurate as :meth:`fit` with its C: with a single pass over thousands of
        noisy samples, dual objectives were up to 0.5 % below those of separate fits. Afterwards,
        this estimator is the model of the largest C, with its parameter ``C`` set accordingly.
        Read more in the :ref:`user guide <solution_path>`.

        Parameters
        ----------
        $training_samples
        y : array-like of shape (n_samples,)
            Class labels.
        Cs : array-like of shape (n_Cs,)
            Values of C, in any order; the largest may be ``np.inf``.
        $path
            with ``algorithm`` ``"lasvm-nc"`` or ``"lasvm-i"``, whose problems are not convex; with
            ``window_size``; or with ``finishing=False``. A fitted model is left unchanged.
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

    def _plan(self):
        return plan_of_classes(self, refusals=(_svc.refuse_probability_of_matrix,))
