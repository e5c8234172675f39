"""Passive-aggressive classification with a kernel."""

from numbers import Real

from sklearn.utils._param_validation import Interval, StrOptions

from ..linear._method import Method
from ._updates import KernelUpdates


class KernelPassiveAggressiveClassifier(KernelUpdates):
    r"""Passive-aggressive classifier with a kernel: the smallest step that gives a row its margin.

    The steps of :class:`PassiveAggressiveClassifier`, in the space of a kernel: each row that
    makes one becomes a support vector. On a stream ``max_support_vectors`` bounds their number.
    Read more in the :ref:`user guide <kernel_updates>`.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the longest step (PA-I), or how much a step is worth (PA-II). ``np.inf`` is
        the hard margin: after each step the margin is 1.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is PA-I, "squared_hinge" PA-II.
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
          [3]_. The best of them, and the dearest: a step takes time, and the model memory, in
          proportion to the square of the budget. Not with the sigmoid kernel.
        - ``"merging"``: the smallest vector becomes one with another, between the two [4]_; such
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
        Coefficients of the support vectors.
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
    PassiveAggressiveClassifier : The same with weights of the features in place of vectors.
    KernelPerceptronClassifier : Steps of one length, on mistakes only.
    LASVC : Looks back at its vectors, and comes to the solution of ``SVC``.
    LabelEfficientClassifier : Buys only some of the labels.

    Notes
    -----
    **Step** [1]_ (sections 3 and 8). With :math:`f(x) = \sum_i \alpha_i K(x_i, x)`, the margin
    :math:`m = y f(x)` of a row and its loss :math:`\ell = \max(0, 1 - m)`, the row enters with

    .. math::

        \alpha = y \tau, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{K(x, x)}\Bigr) \;\text{(PA-I)}, \qquad
        \tau = \frac{\ell}{K(x, x) + 1 / (2C)} \;\text{(PA-II)} .

    A row that makes a step again in a later pass adds it to its :math:`\alpha`. One with
    :math:`K(x, x) \le 0` teaches nothing.

    **More than two classes.** "ovr" learns each class against the rest. With "crammer_singer"
    ([1]_, section 7) the margin of a row is :math:`f_y(x) - f_s(x)`, s the best of the other
    classes, :math:`2 K(x, x)` stands for :math:`K(x, x)`, and the step is made on two classes:
    :math:`\alpha_y = \tau`, :math:`\alpha_s = -\tau`.

    **Budget.** With several classes the margin by which ``"margin"`` chooses is that of the
    vector's class over the best of the others.

    **Weights** of rows and classes multiply C, never the finished step. With ``C=np.inf`` a weight
    is 0 or not 0, and nothing else.

    **No intercept.** An rbf kernel can do without. For the linear one add a feature 1, for the
    polynomial one choose a ``coef0`` above 0.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online passive-aggressive
       algorithms. JMLR 7, 2006.
    .. [2] K. Crammer, J. Kandola, Y. Singer: Online classification on a budget. NIPS 2003.
    .. [3] Z. Wang, S. Vucetic: Online passive-aggressive algorithms on a budget. AISTATS 2010.
    .. [4] Z. Wang, K. Crammer, S. Vucetic: Breaking the curse of kernelization: budgeted
       stochastic gradient descent for large-scale SVM training. JMLR 13, 2012.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_online_svm import KernelPassiveAggressiveClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = KernelPassiveAggressiveClassifier(gamma=0.001, random_state=0)
    >>> bool(model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.94)
    True

    A stream, with 200 vectors at most:

    >>> model = KernelPassiveAggressiveClassifier(gamma=0.001, max_support_vectors=200)
    >>> for start in range(0, 1200, 50):
    ...     chunk = slice(start, start + 50)
    ...     model = model.partial_fit(X[chunk], y[chunk], classes=range(10))
    >>> int(model.n_support_.sum())
    200
    """

    _parameter_constraints: dict = {
        **KernelUpdates._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }
    _tunable = (*KernelUpdates._tunable, "C", "loss")

    def __init__(
        self,
        *,
        C=1.0,
        loss="hinge",
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
        self.C = C
        self.loss = loss
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

    def _method(self):
        return Method(
            rule={"name": self.loss, "C": float(self.C)},
            fit_intercept=False,
            crammer_singer=self.multi_class == "crammer_singer",
        )
