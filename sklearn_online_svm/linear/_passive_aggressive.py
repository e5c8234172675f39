"""Passive-aggressive classification and regression."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import assert_all_finite

from .._base import check_rows, check_weights
from ._classifier import LinearClassifier
from ._learner import (
    AVERAGE,
    INTERCEPT_SCALING,
    LinearLearner,
    average_from,
    canonical,
    intercept_scalings,
)
from ._method import Method


class PassiveAggressiveClassifier(LinearClassifier):
    r"""Passive-aggressive classifier: the smallest step that gives a row its margin.

    Parameters and attributes are those of
    :class:`sklearn.linear_model.PassiveAggressiveClassifier`, which leaves scikit-learn with
    version 1.10; what differs is told in :ref:`migrating_from_passive_aggressive`. Read more in
    the :ref:`user guide <linear>`.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the longest step (PA-I), or how much a step is worth (PA-II). Small values
        for noisy rows. ``np.inf`` is the hard margin: after each step the margin is 1.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is PA-I, "squared_hinge" PA-II.
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
    AROWClassifier : Learns quicker from rare features, and is less disturbed by noise.
    CostSensitivePassiveAggressiveClassifier : For classes of uneven size or price.
    PassiveAggressiveRegressor : The same for real targets.
    LabelEfficientClassifier : Buys only some of the labels.

    Notes
    -----
    **Step** [1]_ (section 3). With the margin :math:`m = y\, w^\top x` of a row and its loss
    :math:`\ell = \max(0, 1 - m)`,

    .. math::

        w \leftarrow w + \tau y x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{\lVert x \rVert^2}\Bigr) \;\text{(PA-I)}, \qquad
        \tau = \frac{\ell}{\lVert x \rVert^2 + 1 / (2C)} \;\text{(PA-II)} .

    This minimises :math:`\tfrac{1}{2} \lVert w' - w \rVert^2 + C \ell(w')` over :math:`w'` (PA-II:
    :math:`C \ell(w')^2`). With ``C=np.inf`` (PA) it is the smallest step to a margin of 1. A row
    of zeros teaches nothing.

    **More than two classes.** "ovr" learns each class against the rest. With "crammer_singer"
    ([1]_, section 7) the margin of a row is :math:`w_y^\top x - w_s^\top x`, s the best of the
    other classes, :math:`2 \lVert x \rVert^2` stands for :math:`\lVert x \rVert^2`, and the step
    is made on two classes: :math:`w_y \leftarrow w_y + \tau x`,
    :math:`w_s \leftarrow w_s - \tau x`. That is exact for the pair (y, s); a third class may still
    be too close.

    **Weights** of rows and classes multiply C, never the finished step. So a heavy row reaches its
    margin of 1 and does not jump beyond. With ``C=np.inf`` a weight is 0 or not 0, and nothing
    else.

    **Intercept.** The row is :math:`(x, s)` with s = ``intercept_scaling``, and the intercept is
    :math:`b = s v`, v the weight of the constant. So :math:`\lVert x \rVert^2 + s^2` is the norm,
    a step moves b by :math:`s^2 \tau y`, and a hard step gives a margin of exactly 1. With s = 1
    this is the textbook's PA. Sparse rows of many small features are better off with a small s:
    with 1, most of their step would go into the intercept. scikit-learn moves the intercept and
    leaves it out of the norm.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online passive-aggressive
       algorithms. JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn_online_svm import PassiveAggressiveClassifier
    >>> X, y = make_classification(1000, random_state=0)
    >>> model = PassiveAggressiveClassifier(C=0.01, random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True

    A stream:

    >>> model = PassiveAggressiveClassifier(C=0.01)
    >>> for start in range(0, 1000, 50):
    ...     chunk = slice(start, start + 50)
    ...     model = model.partial_fit(X[chunk], y[chunk], classes=[0, 1])
    >>> model.t_
    1001.0
    """

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "intercept_scaling": INTERCEPT_SCALING,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed = ("fit_intercept", "average", "multi_class")
    _tunable = (*LinearClassifier._tunable, "C", "loss", "intercept_scaling")

    def __init__(
        self,
        *,
        C=1.0,
        loss="hinge",
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
        self.C = C
        self.loss = loss
        self.average = average
        self.multi_class = multi_class
        self.intercept_scaling = intercept_scaling

    def _method(self):
        return Method(
            rule={"name": self.loss, "C": float(self.C)},
            fit_intercept=bool(self.fit_intercept),
            intercept_scaling=intercept_scalings(self.intercept_scaling),
            crammer_singer=self.multi_class == "crammer_singer",
            average_from=average_from(self.average),
        )


class PassiveAggressiveRegressor(RegressorMixin, LinearLearner):
    r"""Passive-aggressive regression: the smallest step that brings a row near its target.

    Parameters and attributes are those of
    :class:`sklearn.linear_model.PassiveAggressiveRegressor`, which leaves scikit-learn with
    version 1.10; what differs is told in :ref:`migrating_from_passive_aggressive`.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness: the longest step (PA-I), or how much a step is worth (PA-II). ``np.inf``:
        after each step the error is ``epsilon``.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        "epsilon_insensitive" is PA-I, "squared_epsilon_insensitive" PA-II.
    epsilon : float, default=0.1
        Errors up to this size are none.
    average : bool or int, default=False
        Whether the model predicts with the mean of the weights after each row, which wavers far
        less. An integer n > 1: the mean begins with row n. Costs a second array of the size of the
        weights.
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
        Whether ``fit`` holds out a part of the rows and stops by :math:`R^2` there.
    validation_fraction : float, default=0.1
        Part of the rows that is held out; only with ``early_stopping``.
    n_iter_no_change : int, default=5
        Passes without a gain after which ``fit`` stops.
    shuffle : bool, default=True
        Whether ``fit`` visits the rows in a new random order in each pass. ``partial_fit`` never
        shuffles.
    verbose : int, default=0
        1 prints a line for each pass.
    random_state : int, RandomState instance or None, default=None
        Seeds the order of the rows, and which of them are held out.
    warm_start : bool, default=False
        Whether ``fit`` goes on from what has been learnt before; rows are counted anew.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features, float32 or float64 as the rows are; with ``average`` their mean. A
        sparse matrix of shape (1, n_features) after ``sparsify``.
    intercept_ : ndarray of shape (1,)
        Intercept; 0 without ``fit_intercept``.
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
    PassiveAggressiveClassifier : The same for classes.
    sklearn.linear_model.SGDRegressor : Other losses and penalties, other steps.

    Notes
    -----
    **Step** [1]_ (section 5). With the loss :math:`\ell = \max(0, |y - w^\top x| - \epsilon)`,

    .. math::

        w \leftarrow w + \operatorname{sign}(y - w^\top x)\, \tau x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{\lVert x \rVert^2}\Bigr) \;\text{(PA-I)}, \qquad
        \tau = \frac{\ell}{\lVert x \rVert^2 + 1 / (2C)} \;\text{(PA-II)} .

    **Weights** of rows multiply C, never the finished step.

    **Intercept.** The row is :math:`(x, s)` with s = ``intercept_scaling``, and the intercept is
    :math:`b = s v`, v the weight of the constant. So :math:`\lVert x \rVert^2 + s^2` is the norm,
    and a step moves b by :math:`s^2 \tau`. scikit-learn moves the intercept and leaves it out of
    the norm.

    C and ``epsilon`` are in units of the target: scale it, or choose them accordingly.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online passive-aggressive
       algorithms. JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import make_regression
    >>> from sklearn_online_svm import PassiveAggressiveRegressor
    >>> X, y = make_regression(1000, 10, noise=1.0, random_state=0)
    >>> model = PassiveAggressiveRegressor(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    _parameter_constraints: dict = {
        **LinearLearner._parameter_constraints,
        "intercept_scaling": INTERCEPT_SCALING,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "average": AVERAGE,
    }
    _fixed = ("fit_intercept", "average")
    _tunable = (*LinearLearner._tunable, "C", "loss", "epsilon", "intercept_scaling")
    _splitter = ShuffleSplit

    def __init__(
        self,
        *,
        C=1.0,
        loss="epsilon_insensitive",
        epsilon=0.1,
        average=False,
        fit_intercept=True,
        intercept_scaling="auto",
        max_iter=1000,
        tol=1e-3,
        early_stopping=False,
        validation_fraction=0.1,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        random_state=None,
        warm_start=False,
    ):
        self.C = C
        self.loss = loss
        self.epsilon = epsilon
        self.average = average
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.random_state = random_state
        self.warm_start = warm_start

    def fit(self, X, y, sample_weight=None, *, coef_init=None, intercept_init=None):
        """Forget what was learnt, and learn in up to ``max_iter`` passes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows; float32 and float64 are learnt from as they are.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.
        coef_init : array-like of shape (n_features,), default=None
            Weights to start from.
        intercept_init : float or array-like of shape (1,), default=None
            Intercept to start from.

        Returns
        -------
        self : object
            The fitted model.

        Raises
        ------
        ValueError
            If the input is invalid. The model is then what it was before.
        """
        self._validate_params()
        return self._fit_or_restore(X, y, sample_weight, coef_init, intercept_init)

    def partial_fit(self, X, y, sample_weight=None):
        """Learn from new rows, one after the other; learning goes on where it stopped.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows, in the order of the stream.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.

        Returns
        -------
        self : object
            The model that has learnt these rows, too.

        Raises
        ------
        ValueError
            If the input is invalid. What has been learnt stays as it was.
        """
        return self._partial_fit_or_restore(X, y, sample_weight)

    def _begin_partial_fit(self, X, y, sample_weight):
        first = "_state" not in self.__dict__
        new = self._stream_parameters()
        dtype = None if first else self._state.dtype
        X, y = check_rows(self, X, y, reset=first, deep=False, dtype=dtype)
        X = canonical(X)
        weights = None
        if sample_weight is not None:
            weights = check_weights(sample_weight, X, allow_all_zero=True)
        targets = self._read_targets(y, weights)
        self.__dict__.setdefault("n_iter_", 1)
        self._continue(X, new)
        return X, targets, weights

    def predict(self, X):
        """Target of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted targets.

        Raises
        ------
        NotFittedError
            If nothing has been learnt yet.
        ValueError
            If the input is invalid, or a prediction is beyond the range of numbers.
        """
        return self._view()._decide(X)[:, 0]

    @property
    def coef_(self):
        """Weights of the features."""
        coef = super().coef_
        return coef if sparse.issparse(coef) else coef[0]

    @coef_.setter
    def coef_(self, values):
        LinearLearner.coef_.fset(self, values)

    def _method(self):
        return Method(
            rule={
                "name": self.loss.replace("epsilon_", ""),
                "C": float(self.C),
                "epsilon": float(self.epsilon),
            },
            fit_intercept=bool(self.fit_intercept),
            intercept_scaling=intercept_scalings(self.intercept_scaling),
            average_from=average_from(self.average),
        )

    def _read_targets(self, y, weights):
        targets = np.ascontiguousarray(y, dtype=np.float64)
        if y.dtype == object:  # None is nan now
            assert_all_finite(targets, input_name="y", estimator_name=type(self).__name__)
        return targets

    def _row_weights(self, targets, weights):
        return weights

    def _n_problems(self):
        return 1

    def _score_of(self, X, targets, weights, rows):
        """R2 on rows held out."""
        weights = None if weights is None else weights[rows]
        return r2_score(targets[rows], self._decide(X[rows])[:, 0], sample_weight=weights)
