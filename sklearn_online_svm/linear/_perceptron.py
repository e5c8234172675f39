"""Perceptrons of first and second order."""

from numbers import Real

from sklearn.utils._param_validation import Interval, StrOptions

from ._classifier import LinearClassifier
from ._learner import AVERAGE, INTERCEPT_SCALING, average_from, intercept_scalings
from ._method import Method
from ._second_order import SecondOrder


class PerceptronClassifier(LinearClassifier):
    r"""Perceptron, with uneven margins if wanted: learns from its mistakes, by steps of length 1.

    Read more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    positive_margin : float, default=0.0
        A row of the positive class teaches when its margin is at most this. 0: on mistakes.
    negative_margin : float, default=0.0
        The same for rows of the other class. Uneven margins (PAUM) are for uneven classes: a
        larger one for the rare class.
    pos_label : label, default=None
        The positive one of two classes. None: 1 (or True); if that is none of the two and the
        margins are uneven, ``fit`` raises an error. Has no meaning with more classes.
    average : bool or int, default=False
        Whether the model predicts with the mean of the weights after each row, which wavers far
        less. An integer n > 1: the mean begins with row n. Costs a second array of the size of the
        weights.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        With more than two classes: each class against the rest, or all classes together; see
        Notes.
    fit_intercept : bool, default=True
        Whether every row has one feature more, a constant, which makes the intercept.
    intercept_scaling : float or "auto", default="auto"
        This constant, s: the smaller, the slower the intercept is learnt. "auto" is 1 for dense
        rows and 0.1 for sparse ones; see Notes.
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
        Weights of the features, float32 or float64 as the rows are; with ``average`` their mean. A
        sparse matrix after ``sparsify``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercept of each decision function; 0 without ``fit_intercept``.
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
    PassiveAggressiveClassifier : Steps as long as they need to be.
    SecondOrderPerceptronClassifier : Steps that take the directions seen before into account.
    sklearn.linear_model.Perceptron : The same without uneven margins.

    Notes
    -----
    **Step.** A row teaches when :math:`y\, w^\top x \le \beta_y`, where :math:`\beta_y` is
    ``positive_margin`` or ``negative_margin`` by the sign of the row:

    .. math:: w \leftarrow w + y x .

    With margins of 0 this is the perceptron [1]_, with others the perceptron with uneven margins
    [2]_. The first row has :math:`w^\top x = 0`, which is a mistake. The positive class is
    ``pos_label`` of two, the class itself when it is learnt against the rest.

    **Deviation:** [2]_ moves the intercept by :math:`y R^2`, R the length of the longest row,
    which a stream does not know. Here s = ``intercept_scaling`` is one more feature of every row,
    and the intercept, s times its weight, moves by :math:`y s^2`.

    **More than two classes.** "ovr" learns each class against the rest. With "crammer_singer" [3]_
    a row teaches when :math:`w_y^\top x - w_s^\top x` is at most ``positive_margin``, s the best
    of the other classes: :math:`w_y \leftarrow w_y + x`, :math:`w_s \leftarrow w_s - x`.

    **Weights** of rows and classes multiply the step, as there is no C.

    The scale of w has no meaning, and without margins neither has that of the features taken
    together: what counts is the direction. ``average=True`` (the averaged perceptron: the mean of
    w after each row) is nearly always better than the last w.

    References
    ----------
    .. [1] F. Rosenblatt: The perceptron: a probabilistic model for information storage and
       organization in the brain. Psychological Review 65, 1958.
    .. [2] Y. Li, H. Zaragoza, R. Herbrich, J. Shawe-Taylor, J. Kandola: The perceptron algorithm
       with uneven margins. ICML 2002.
    .. [3] K. Crammer, Y. Singer: Ultraconservative online algorithms for multiclass problems. JMLR
       3, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn_online_svm import PerceptronClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = PerceptronClassifier(average=True, max_iter=5, tol=None, random_state=0)
    >>> bool(model.fit(X[:1200], y[:1200]).score(X[1200:], y[1200:]) > 0.88)
    True

    Of 33 rows one is positive. With uneven margins more of them are found:

    >>> from sklearn.metrics import recall_score
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> X, y = make_waveform(3300, imbalance_ratio=32, random_state=0)
    >>> plain = PerceptronClassifier(average=True, random_state=0).fit(X, y)
    >>> uneven = PerceptronClassifier(positive_margin=100, average=True, random_state=0).fit(X, y)
    >>> bool(recall_score(y, uneven.predict(X)) > recall_score(y, plain.predict(X)))
    True
    """

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "intercept_scaling": INTERCEPT_SCALING,
        "positive_margin": [Interval(Real, None, None, closed="neither")],
        "negative_margin": [Interval(Real, None, None, closed="neither")],
        "pos_label": "no_validation",
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed = ("fit_intercept", "average", "multi_class")
    _tunable = (
        *LinearClassifier._tunable,
        "positive_margin",
        "negative_margin",
        "pos_label",
        "intercept_scaling",
    )

    def __init__(
        self,
        *,
        positive_margin=0.0,
        negative_margin=0.0,
        pos_label=None,
        average=False,
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling="auto",
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
        self.positive_margin = positive_margin
        self.negative_margin = negative_margin
        self.pos_label = pos_label
        self.average = average
        self.multi_class = multi_class
        self.intercept_scaling = intercept_scaling

    def _method(self):
        first, second = float(self.negative_margin), float(self.positive_margin)
        if self._positive_is_first(alike=first == second):
            first, second = second, first
        return Method(
            rule={"name": "perceptron"},
            demands={"positive": second, "negative": first},
            fit_intercept=bool(self.fit_intercept),
            intercept_scaling=intercept_scalings(self.intercept_scaling),
            crammer_singer=self.multi_class == "crammer_singer",
            average_from=average_from(self.average),
        )


class SecondOrderPerceptronClassifier(SecondOrder):
    r"""Second-order perceptron: steps are short in directions that many mistakes have had.

    Read more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    a : float, default=1.0
        Start of the matrix A below; larger values make it more like the perceptron. Cannot be
        changed once learning has begun.
    covariance : {"diag", "full"}, default="full"
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
        Weights of the features, float32 or float64 as the rows are (float64 with
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
    PerceptronClassifier : Of first order.
    AROWClassifier : Of second order, and learns from rows within the margin as well.
    sklearn_online_svm.active.MarginQuery : ``confidence="second-order"`` uses what it knows of its
        uncertainty.

    Notes
    -----
    **Step** [1]_. With :math:`A = a I + \sum x x^\top` and :math:`v = \sum y x`, both over the
    mistakes so far, the model is :math:`w = A^{-1} v`. It is kept by recursion: on a mistake
    (:math:`y\, w^\top x \le 0`), with :math:`\Sigma = A^{-1}` and :math:`q = x^\top \Sigma x`,

    .. math::

        w \leftarrow w + \frac{y - w^\top x}{1 + q}\, \Sigma x, \qquad
        \Sigma \leftarrow \Sigma - \frac{\Sigma x x^\top \Sigma}{1 + q} .

    [1]_ puts the row into A before it predicts, that is, predicts by :math:`w^\top x / (1 + q)`:
    the same signs, so the same mistakes and the same model. ``covariance_`` is :math:`\Sigma`.
    With ``covariance="diag"`` what lies off the diagonal of :math:`\Sigma` is dropped after each
    step.

    **More than two classes** are learnt each against the rest.

    **Weights.** A row of weight u counts u times in A and in v.

    References
    ----------
    .. [1] N. Cesa-Bianchi, A. Conconi, C. Gentile: A second-order perceptron algorithm. SIAM
       Journal on Computing 34, 2005.

    Examples
    --------
    The model is a ridge regression on its mistakes:

    >>> import numpy as np
    >>> from sklearn.datasets import make_classification
    >>> from sklearn_online_svm import SecondOrderPerceptronClassifier
    >>> X, y = make_classification(200, 5, random_state=0)
    >>> model = SecondOrderPerceptronClassifier(fit_intercept=False)
    >>> mistakes = []
    >>> for i in range(200):
    ...     n_before = model.n_updates_ if i else 0
    ...     model = model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    ...     if model.n_updates_ > n_before:
    ...         mistakes.append(i)
    >>> A = np.eye(5) + X[mistakes].T @ X[mistakes]
    >>> v = X[mistakes].T @ np.where(y[mistakes] == 1, 1, -1)
    >>> np.allclose(model.coef_[0], np.linalg.solve(A, v))
    True
    """

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "a": [Interval(Real, 0.0, None, closed="neither")],
        "covariance": [StrOptions({"diag", "full"})],
    }
    _fixed = ("fit_intercept", "covariance", "a")

    def __init__(
        self,
        *,
        a=1.0,
        covariance="full",
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
        self.a = a
        self.covariance = covariance

    def _method(self):
        return Method(
            rule={"name": "second_order"},
            fit_intercept=bool(self.fit_intercept),
            covariance=self.covariance,
            start_variance=1.0 / float(self.a),
        )
