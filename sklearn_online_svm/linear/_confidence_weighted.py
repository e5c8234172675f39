"""Second-order learners that know how sure they are of each weight: CW, SCW, AROW."""

from numbers import Real

from scipy.stats import norm
from sklearn.utils._param_validation import Interval, StrOptions

from ._method import Method
from ._second_order import SecondOrder


class ConfidenceWeightedClassifier(SecondOrder):
    r"""Confidence-weighted learning: the smallest change after which a row is right for sure.

    The weights have a normal distribution, with a mean and a covariance. Features seen often
    change little, rare ones much. The margin is hard: for noisy rows take :class:`SCWClassifier`
    or :class:`AROWClassifier`. Read more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    eta : float, default=0.7
        How sure the model is to be of each row it has learnt: a probability, above 0.5 and below
        1. :math:`\phi` below is the :math:`\eta`-quantile of the normal distribution.
    covariance : {"diag", "full"}, default="diag"
        "diag" keeps a variance for each weight: twice the memory of a model of first order. "full"
        keeps all covariances: for D features D * D numbers for each class, and as much work for
        each row that may teach it something.
    fit_intercept : bool, default=True
        Whether 1 is one more feature of every row; its weight is the intercept, with a variance of
        its own.
    max_iter : int, default=1000
        Passes of ``fit``, at most. ``partial_fit`` always makes one.
    tol : float or None, default=1e-3
        A pass of ``fit`` is a gain if its loss per row is lower than the lowest so far by at least
        ``tol`` (with ``early_stopping``: its score higher by ``tol``). After ``n_iter_no_change``
        passes in a row without a gain ``fit`` stops. None: it makes ``max_iter`` passes.
    early_stopping : bool, default=False
        Whether ``fit`` holds out a stratified part of the rows and stops by the accuracy there.
    validation_fraction : float, default=0.1
        Part of the rows that is held out; only with ``early_stopping``.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in a new random order in each pass. ``partial_fit`` never
        shuffles.
    verbose : int, default=0
        1 prints a line for each pass.
    n_jobs : int or None, default=None
        Has no effect: one thread takes all classes through the same pass over the rows. It is
        there for programs written for scikit-learn.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, and which of them are held out.
    warm_start : bool, default=False
        Whether ``fit`` goes on from what has been learnt before; rows are counted anew.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; the weight of a row is that of its class times its ``sample_weight``.
        See Notes for what a weight does. ``"balanced"`` (``fit`` only) is
        ``n / (n_classes * n_c)``, counted in sample weights. Classes not in the dict weigh 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Means of the weights, float32 or float64 as the rows are (float64 with
        ``covariance="full"``). A sparse matrix after ``sparsify``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercept of each decision function; 0 without ``fit_intercept``.
    covariance_ : ndarray of shape (n_problems, D) or (n_problems, D, D)
        Variances ("diag") or covariances ("full") of the weights. D is n_features, and 1 more with
        an intercept, which comes last. n_problems is 1 for two classes, else n_classes.
    n_iter_ : int
        Passes made by ``fit``; 1 after ``partial_fit``.
    t_ : float
        1 + the number of rows learnt from since ``fit`` began, in all passes.
    n_updates_ : int
        Rows that changed the weights since ``fit`` began, in all passes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when X has string column names.

    See Also
    --------
    SCWClassifier : The same with a soft margin.
    AROWClassifier : A soft margin of another kind.

    Notes
    -----
    **Step** [1]_ (section 3). Weights are distributed as :math:`N(\mu, \Sigma)`; ``coef_`` and
    ``intercept_`` are :math:`\mu`. A row asks for

    .. math::

        \min_{\mu', \Sigma'} \; \mathrm{KL}\bigl(N(\mu', \Sigma') \,\|\, N(\mu, \Sigma)\bigr)
        \quad \text{s.t.} \quad y\, \mu'^\top x \ge \phi \sqrt{x^\top \Sigma' x} ,

    that is, for being right with probability :math:`\eta`. With :math:`m = y\, \mu^\top x`,
    :math:`v = x^\top \Sigma x`, :math:`\psi = 1 + \phi^2 / 2`, :math:`\zeta = 1 + \phi^2` the
    solution is

    .. math::

        \alpha &= \max\Bigl(0,\; \frac{-m \psi + \sqrt{m^2 \phi^4 / 4 + v \phi^2 \zeta}}{v \zeta}
                  \Bigr), \qquad
        u = \tfrac{1}{4} \bigl(-\alpha v \phi + \sqrt{\alpha^2 v^2 \phi^2 + 4 v}\bigr)^2, \\
        \beta &= \frac{\alpha \phi}{\sqrt{u} + v \alpha \phi}, \qquad
        \mu \leftarrow \mu + \alpha y \Sigma x, \qquad
        \Sigma \leftarrow \Sigma - \beta\, \Sigma x x^\top \Sigma .

    All begins with :math:`\mu = 0`, :math:`\Sigma = I`.

    ``covariance="diag"`` keeps the diagonal: :math:`x^\top \Sigma x = \sum_j s_j x_j^2`, and
    :math:`s_j \leftarrow s_j - \beta s_j^2 x_j^2`. What a step puts off the diagonal is dropped.

    **More than two classes** are learnt each against the rest.

    **Weights** of rows and classes are 0, or not 0: there is nothing in the problem that they
    could multiply.

    References
    ----------
    .. [1] K. Crammer, M. Dredze, F. Pereira: Exact convex confidence-weighted learning. NIPS 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.stats import norm
    >>> from sklearn.datasets import make_classification
    >>> from sklearn_online_svm import ConfidenceWeightedClassifier
    >>> X, y = make_classification(500, class_sep=2.0, random_state=0)
    >>> model = ConfidenceWeightedClassifier(eta=0.9, covariance="full").partial_fit(X, y, [0, 1])
    >>> bool(model.score(X, y) > 0.9)
    True

    The last row learnt is right with probability ``eta``, as far as the model can tell, or more:

    >>> margin = np.where(y[-1] == 1, 1, -1) * model.decision_function(X[-1:])
    >>> sure = norm.cdf(margin / np.sqrt(model.decision_variance(X[-1:])))
    >>> bool(sure[0] > 0.9 - 1e-9)
    True
    """

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "eta": [Interval(Real, 0.5, 1.0, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance")
    _tunable = (
        *SecondOrder._tunable,
        "eta",
    )

    def __init__(
        self,
        *,
        eta=0.7,
        covariance="diag",
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            shuffle=shuffle,
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
        )
        self.eta = eta
        self.covariance = covariance

    def _method(self):
        return Method(
            rule={"name": "confidence", "phi": float(norm.ppf(self.eta))},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
        )


class SCWClassifier(SecondOrder):
    r"""Soft confidence-weighted learning (SCW-I, SCW-II): second order, with a soft margin.

    Read more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of what a row is short of its margin. ``np.inf`` is
        :class:`ConfidenceWeightedClassifier`.
    eta : float, default=0.7
        How sure the model is to be of each row it has learnt: a probability, above 0.5 and below
        1. :math:`\phi` below is the :math:`\eta`-quantile of the normal distribution.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is SCW-I, "squared_hinge" SCW-II.
    covariance : {"diag", "full"}, default="diag"
        "diag" keeps a variance for each weight: twice the memory of a model of first order. "full"
        keeps all covariances: for D features D * D numbers for each class, and as much work for
        each row that may teach it something.
    fit_intercept : bool, default=True
        Whether 1 is one more feature of every row; its weight is the intercept, with a variance of
        its own.
    max_iter : int, default=1000
        Passes of ``fit``, at most. ``partial_fit`` always makes one.
    tol : float or None, default=1e-3
        A pass of ``fit`` is a gain if its loss per row is lower than the lowest so far by at least
        ``tol`` (with ``early_stopping``: its score higher by ``tol``). After ``n_iter_no_change``
        passes in a row without a gain ``fit`` stops. None: it makes ``max_iter`` passes.
    early_stopping : bool, default=False
        Whether ``fit`` holds out a stratified part of the rows and stops by the accuracy there.
    validation_fraction : float, default=0.1
        Part of the rows that is held out; only with ``early_stopping``.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in a new random order in each pass. ``partial_fit`` never
        shuffles.
    verbose : int, default=0
        1 prints a line for each pass.
    n_jobs : int or None, default=None
        Has no effect: one thread takes all classes through the same pass over the rows. It is
        there for programs written for scikit-learn.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, and which of them are held out.
    warm_start : bool, default=False
        Whether ``fit`` goes on from what has been learnt before; rows are counted anew.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; the weight of a row is that of its class times its ``sample_weight``.
        See Notes for what a weight does. ``"balanced"`` (``fit`` only) is
        ``n / (n_classes * n_c)``, counted in sample weights. Classes not in the dict weigh 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Means of the weights, float32 or float64 as the rows are (float64 with
        ``covariance="full"``). A sparse matrix after ``sparsify``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercept of each decision function; 0 without ``fit_intercept``.
    covariance_ : ndarray of shape (n_problems, D) or (n_problems, D, D)
        Variances ("diag") or covariances ("full") of the weights. D is n_features, and 1 more with
        an intercept, which comes last. n_problems is 1 for two classes, else n_classes.
    n_iter_ : int
        Passes made by ``fit``; 1 after ``partial_fit``.
    t_ : float
        1 + the number of rows learnt from since ``fit`` began, in all passes.
    n_updates_ : int
        Rows that changed the weights since ``fit`` began, in all passes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when X has string column names.

    See Also
    --------
    ConfidenceWeightedClassifier : The hard margin.
    AROWClassifier : A soft margin of another kind, with one parameter.

    Notes
    -----
    **Step** [1]_. Weights are distributed as :math:`N(\mu, \Sigma)`; ``coef_`` and ``intercept_``
    are :math:`\mu`. A row asks for

    .. math::

        \min_{\mu', \Sigma'} \; \mathrm{KL}\bigl(N(\mu', \Sigma') \,\|\, N(\mu, \Sigma)\bigr)
        + C\, H, \qquad H = \max\bigl(0,\; \phi \sqrt{x^\top \Sigma' x} - y\, \mu'^\top x\bigr),

    with :math:`C H^2` in SCW-II. With :math:`m = y\, \mu^\top x` and :math:`v = x^\top \Sigma x`:

    - SCW-I: :math:`\alpha` is that of :class:`ConfidenceWeightedClassifier`, but at most C;
    - SCW-II: with :math:`n = v + 1 / (2C)` and
      :math:`\gamma = \phi \sqrt{\phi^2 m^2 v^2 + 4 n v (n + v \phi^2)}`,

      .. math::

          \alpha = \max\Bigl(0,\; \frac{\gamma - (2 m n + \phi^2 m v)}{2 (n^2 + n v \phi^2)}
                   \Bigr) .

    :math:`\beta` and the steps :math:`\mu \leftarrow \mu + \alpha y \Sigma x`,
    :math:`\Sigma \leftarrow \Sigma - \beta\, \Sigma x x^\top \Sigma` are as in
    :class:`ConfidenceWeightedClassifier`.

    All begins with :math:`\mu = 0`, :math:`\Sigma = I`.

    ``covariance="diag"`` keeps the diagonal: :math:`x^\top \Sigma x = \sum_j s_j x_j^2`, and
    :math:`s_j \leftarrow s_j - \beta s_j^2 x_j^2`. What a step puts off the diagonal is dropped.

    **More than two classes** are learnt each against the rest.

    **Weights** of rows and classes multiply C.

    References
    ----------
    .. [1] J. Wang, P. Zhao, S. C. H. Hoi: Exact soft confidence-weighted learning. ICML 2012.

    Examples
    --------
    One label in ten is wrong:

    >>> from sklearn.datasets import make_classification
    >>> from sklearn_online_svm import ConfidenceWeightedClassifier, SCWClassifier
    >>> X, y = make_classification(4000, flip_y=0.2, class_sep=2.0, random_state=0)
    >>> X_test, y_test = X[2000:], y[2000:]
    >>> hard = ConfidenceWeightedClassifier().partial_fit(X[:2000], y[:2000], classes=[0, 1])
    >>> soft = SCWClassifier(C=0.1).partial_fit(X[:2000], y[:2000], classes=[0, 1])
    >>> bool(soft.score(X_test, y_test) > hard.score(X_test, y_test) + 0.05)
    True
    """

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "eta": [Interval(Real, 0.5, 1.0, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance")
    _tunable = (*SecondOrder._tunable, "C", "eta", "loss")

    def __init__(
        self,
        *,
        C=1.0,
        eta=0.7,
        loss="hinge",
        covariance="diag",
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            shuffle=shuffle,
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
        )
        self.C = C
        self.eta = eta
        self.loss = loss
        self.covariance = covariance

    def _method(self):
        name = "soft_confidence" if self.loss == "hinge" else "squared_confidence"
        return Method(
            rule={"name": name, "C": float(self.C), "phi": float(norm.ppf(self.eta))},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
        )


class AROWClassifier(SecondOrder):
    r"""Adaptive regularisation of weights (AROW): second order, at ease with noise.

    The weights have a normal distribution, with a mean and a covariance. Features seen often
    change little, rare ones much. The surer the model is of the weights that a row asks for, the
    less the row moves them, even if its label says otherwise: wrong labels do little harm. Read
    more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    r : float, default=1.0
        Regularisation: the larger, the shorter the steps, and the slower the variances shrink.
    covariance : {"diag", "full"}, default="diag"
        "diag" keeps a variance for each weight: twice the memory of a model of first order. "full"
        keeps all covariances: for D features D * D numbers for each class, and as much work for
        each row that may teach it something.
    fit_intercept : bool, default=True
        Whether 1 is one more feature of every row; its weight is the intercept, with a variance of
        its own.
    max_iter : int, default=1000
        Passes of ``fit``, at most. ``partial_fit`` always makes one.
    tol : float or None, default=1e-3
        A pass of ``fit`` is a gain if its loss per row is lower than the lowest so far by at least
        ``tol`` (with ``early_stopping``: its score higher by ``tol``). After ``n_iter_no_change``
        passes in a row without a gain ``fit`` stops. None: it makes ``max_iter`` passes.
    early_stopping : bool, default=False
        Whether ``fit`` holds out a stratified part of the rows and stops by the accuracy there.
    validation_fraction : float, default=0.1
        Part of the rows that is held out; only with ``early_stopping``.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in a new random order in each pass. ``partial_fit`` never
        shuffles.
    verbose : int, default=0
        1 prints a line for each pass.
    n_jobs : int or None, default=None
        Has no effect: one thread takes all classes through the same pass over the rows. It is
        there for programs written for scikit-learn.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, and which of them are held out.
    warm_start : bool, default=False
        Whether ``fit`` goes on from what has been learnt before; rows are counted anew.
    class_weight : dict, "balanced" or None, default=None
        Weight of each class; the weight of a row is that of its class times its ``sample_weight``.
        See Notes for what a weight does. ``"balanced"`` (``fit`` only) is
        ``n / (n_classes * n_c)``, counted in sample weights. Classes not in the dict weigh 1.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Means of the weights, float32 or float64 as the rows are (float64 with
        ``covariance="full"``). A sparse matrix after ``sparsify``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercept of each decision function; 0 without ``fit_intercept``.
    covariance_ : ndarray of shape (n_problems, D) or (n_problems, D, D)
        Variances ("diag") or covariances ("full") of the weights. D is n_features, and 1 more with
        an intercept, which comes last. n_problems is 1 for two classes, else n_classes.
    n_iter_ : int
        Passes made by ``fit``; 1 after ``partial_fit``.
    t_ : float
        1 + the number of rows learnt from since ``fit`` began, in all passes.
    n_updates_ : int
        Rows that changed the weights since ``fit`` began, in all passes.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when X has string column names.

    See Also
    --------
    SCWClassifier : A soft margin that asks for confidence.
    PassiveAggressiveClassifier : Of first order: less memory.

    Notes
    -----
    **Step** [1]_. Weights are distributed as :math:`N(\mu, \Sigma)`; ``coef_`` and ``intercept_``
    are :math:`\mu`. A row with a margin below 1 asks for

    .. math::

        \min_{\mu', \Sigma'} \; \mathrm{KL}\bigl(N(\mu', \Sigma') \,\|\, N(\mu, \Sigma)\bigr)
        + \frac{1}{2r} \max\bigl(0,\; 1 - y\, \mu'^\top x\bigr)^2 + \frac{1}{2r} x^\top \Sigma' x .

    With :math:`m = y\, \mu^\top x` and :math:`\beta = 1 / (x^\top \Sigma x + r)` the solution is

    .. math::

        \mu \leftarrow \mu + \beta \max(0, 1 - m)\, y \Sigma x, \qquad
        \Sigma \leftarrow \Sigma - \beta\, \Sigma x x^\top \Sigma .

    Rows with a margin of 1 and more change nothing, :math:`\Sigma` included: so does the algorithm
    of the paper, while its objective alone would shrink :math:`\Sigma` with each row.

    All begins with :math:`\mu = 0`, :math:`\Sigma = I`.

    ``covariance="diag"`` keeps the diagonal: :math:`x^\top \Sigma x = \sum_j s_j x_j^2`, and
    :math:`s_j \leftarrow s_j - \beta s_j^2 x_j^2`. What a step puts off the diagonal is dropped.

    **More than two classes** are learnt each against the rest.

    **Weights.** A row of weight u has :math:`r / u` for r: u is the factor of its two terms in the
    objective.

    References
    ----------
    .. [1] K. Crammer, A. Kulesza, M. Dredze: Adaptive regularization of weight vectors. NIPS 2009;
       Machine Learning 91, 2013.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn_online_svm import AROWClassifier
    >>> X, y = make_classification(2000, flip_y=0.2, class_sep=2.0, random_state=0)
    >>> model = AROWClassifier().partial_fit(X[:1000], y[:1000], classes=[0, 1])
    >>> bool(model.score(X[1000:], y[1000:]) > 0.85)
    True
    >>> model.covariance_.shape
    (1, 21)

    The less is known in a direction, the larger is the variance of the decision:

    >>> seen, new = X[:1], 100 * X[:1]
    >>> bool(model.decision_variance(seen)[0] < model.decision_variance(new)[0])
    True
    """

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "r": [Interval(Real, 0.0, None, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance")
    _tunable = (
        *SecondOrder._tunable,
        "r",
    )

    def __init__(
        self,
        *,
        r=1.0,
        covariance="diag",
        fit_intercept=True,
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        super().__init__(
            fit_intercept=fit_intercept,
            max_iter=max_iter,
            tol=tol,
            early_stopping=early_stopping,
            validation_fraction=validation_fraction,
            n_iter_no_change=n_iter_no_change,
            shuffle=shuffle,
            verbose=verbose,
            n_jobs=n_jobs,
            random_state=random_state,
            warm_start=warm_start,
            class_weight=class_weight,
        )
        self.r = r
        self.covariance = covariance

    def _method(self):
        return Method(
            rule={"name": "arow", "r": float(self.r)},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
        )
