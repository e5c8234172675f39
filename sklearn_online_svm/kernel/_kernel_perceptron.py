"""The perceptron with a kernel."""

from numbers import Real

from sklearn.utils._param_validation import Interval, Options, StrOptions

from ..linear._method import Method
from ._updates import KernelUpdates


class KernelPerceptronClassifier(KernelUpdates):
    r"""Perceptron with a kernel: rows on the wrong side become support vectors, of weight 1.

    With a margin, as the mean or the majority of all its functions, with a budget of vectors. Read
    more in the :ref:`user guide <kernel_updates>`.

    Parameters
    ----------
    margin : float, default=0.0
        Rows with a margin of at most this teach. 0 is the perceptron, which learns from mistakes.
    average : {"mean", "vote"} or False, default=False
        Which function decides: that of the mean of the coefficients after each row; the majority
        of the functions after each row, which remembers every step and cannot be had with
        ``max_support_vectors``; or the newest.
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
    max_support_vectors : int, default=None
        Vectors that are kept, at most, at any moment; memory and time per row then stay what they
        are. None: every row that makes a step is kept.
    budget_policy : {"margin", "oldest", "smallest", "projection", "merging"}, default="projection"
        Who goes where there would be one vector too many; the newest may be the one.

        - ``"margin"``: the vector that is classified best without itself [2]_. Right for clean
          labels; of noisy ones it keeps the wrong.
        - ``"oldest"``: the first to have come. For streams that drift.
        - ``"smallest"``: the vector without which the function changes least.
        - ``"projection"``: the vector that loses least when the others take over what they can
          [5]_. The best of them, and the dearest: a step takes time, and the model memory, in
          proportion to the square of the budget. Not with the sigmoid kernel.
        - ``"merging"``: the smallest vector becomes one with another, between the two [6]_; such
          vectors are no rows, and -1 in ``support_``. Only with the rbf kernel.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        With more than two classes: each class against the rest, or all classes together; see
        Notes. Either way the classes share their vectors.
    max_iter : int, default=1
        Passes of ``fit``, at most. ``partial_fit`` always makes one.
    tol : float or None, default=1e-3
        A pass of ``fit`` is a gain if its loss per row is lower than the lowest so far by at least
        ``tol``. After ``n_iter_no_change`` passes in a row without a gain ``fit`` stops. None: it
        makes ``max_iter`` passes.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in a new random order in each pass. ``partial_fit`` never
        shuffles.
    verbose : int, default=0
        1 prints a line for each pass.
    n_jobs : int or None, default=None
        Threads for predictions. Rows are learnt one after the other, by one thread.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; the weight of a row is that of its class times its ``sample_weight``.
        See Notes for what a weight does. ``"balanced"`` (``fit`` only) is
        ``n / (n_classes * n_c)``, counted in sample weights. Classes not in the dict weigh 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    support_ : ndarray of shape (n_SV,)
        Numbers of the rows that are support vectors: indices into X, in a stream counted from its
        begin.
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        Support vectors, by class.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors of each class.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        Coefficients of the support vectors; with ``average="mean"`` their mean over all rows, with
        "vote" those of the newest function.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Zeros: there is none.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features; only with ``kernel="linear"``.
    gamma_ : float
        The coefficient of the kernel in use.
    n_iter_ : int
        Passes made by ``fit``; 1 after ``partial_fit``.
    n_samples_seen_ : int
        Rows given since ``fit`` began, each counted once.
    t_ : float
        1 + the number of rows learnt from since ``fit`` began, in all passes.
    n_updates_ : int
        Rows that made a step since ``fit`` began, in all passes.
    n_kernel_evaluations_ : int
        Kernel values computed for learning.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when X has string column names.

    See Also
    --------
    PerceptronClassifier : The same with weights of the features in place of vectors.
    KernelPassiveAggressiveClassifier : Steps as long as they need to be.
    LASVC : Looks back at its vectors, and comes to the solution of ``SVC``.

    Notes
    -----
    **Step** [1]_. With :math:`f(x) = \sum_i \alpha_i K(x_i, x)` a row with
    :math:`y f(x) \le \beta` (``margin``) enters with :math:`\alpha = y`. The first row, with
    :math:`f = 0`, is a mistake. One with :math:`K(x, x) \le 0` teaches nothing.

    **A mistake again.** A row that is a mistake again in a later pass adds another y to its
    :math:`\alpha`: that is the perceptron, and what its theorem counts. Ertekin's thesis sets
    :math:`\alpha = y`, so the second mistake on a row would change nothing, and the third, and the
    passes could not end. In one pass both are the same.

    **Average.** Of T rows, ``"mean"`` decides by :math:`\frac{1}{T} \sum_t f_t(x)`, where
    :math:`f_t` is the function after row t: the step of row t counts :math:`(T - t) / T`, t
    counted from 0. ``"vote"`` is the voted perceptron [3]_,
    :math:`\frac{1}{T} \sum_t \operatorname{sign} f_t(x)`; with "crammer_singer" each function
    votes for a class. What counts are steps, not vectors: a row that is a mistake in two passes
    takes part twice, from two moments on. With a budget the mean is that of the vectors still
    there.

    **More than two classes.** "ovr" learns each class against the rest. With "crammer_singer" [4]_
    a row teaches when :math:`f_y(x) - f_s(x)` is at most ``margin``, s the best of the other
    classes: :math:`\alpha_y = 1`, :math:`\alpha_s = -1`.

    **Budget.** With ``"margin"`` this is the budget perceptron: after a step the vector i with the
    largest :math:`y_i (f(x_i) - \alpha_i K(x_i, x_i))` goes; with several classes the margin is
    that of the vector's class over the best of the others.

    **Weights** of rows and classes multiply the step, as there is no C.

    **No intercept.** An rbf kernel can do without. For the linear one add a feature 1, for the
    polynomial one choose a ``coef0`` above 0.

    References
    ----------
    .. [1] M. A. Aizerman, E. M. Braverman, L. I. Rozonoer: Theoretical foundations of the
       potential function method in pattern recognition learning. Automation and Remote Control
       25, 1964.
    .. [2] K. Crammer, J. Kandola, Y. Singer: Online classification on a budget. NIPS 2003.
    .. [3] Y. Freund, R. E. Schapire: Large margin classification using the perceptron algorithm.
       Machine Learning 37, 1999.
    .. [4] K. Crammer, Y. Singer: Ultraconservative online algorithms for multiclass problems. JMLR
       3, 2003.
    .. [5] Z. Wang, S. Vucetic: Online passive-aggressive algorithms on a budget. AISTATS 2010.
    .. [6] Z. Wang, K. Crammer, S. Vucetic: Breaking the curse of kernelization: budgeted
       stochastic gradient descent for large-scale SVM training. JMLR 13, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_online_svm import KernelPerceptronClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = KernelPerceptronClassifier(average="mean", gamma=0.001, max_iter=3, random_state=0)
    >>> bool(model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.95)
    True
    """

    _parameter_constraints: dict = {
        **KernelUpdates._parameter_constraints,
        "margin": [Interval(Real, 0.0, None, closed="left")],
        "average": [StrOptions({"mean", "vote"}), Options(bool, {False})],
    }
    _fixed = (*KernelUpdates._fixed, "average")
    _tunable = (*KernelUpdates._tunable, "margin")

    def __init__(
        self,
        *,
        margin=0.0,
        average=False,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        max_support_vectors=None,
        budget_policy="projection",
        multi_class="ovr",
        max_iter=1,
        tol=1e-3,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        class_weight=None,
    ):
        self.margin = margin
        self.average = average
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.max_support_vectors = max_support_vectors
        self.budget_policy = budget_policy
        self.multi_class = multi_class
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight

    @property
    def _average(self):
        return self.average or None

    def _method(self):
        margin = float(self.margin)
        return Method(
            rule={"name": "perceptron"},
            demands={"positive": margin, "negative": margin},
            fit_intercept=False,
            crammer_singer=self.multi_class == "crammer_singer",
        )
