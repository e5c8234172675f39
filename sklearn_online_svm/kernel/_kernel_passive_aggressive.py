"""Passive-aggressive classification and regression with a kernel."""

from numbers import Real

from sklearn.base import RegressorMixin
from sklearn.utils.metaestimators import available_if

from .._estimator import store_parameters
from .._online import REGRESSION_CONSTRAINTS, OnlineValueTargets, regression_rule
from .._sklearn_compat import Interval, StrOptions
from ..linear._update_spec import UpdateSpec
from ._docs import with_shared_docs
from ._kernel_online_base import (
    FIRST_ORDER_CLASSIFIER_CONSTRAINTS,
    FIRST_ORDER_CONSTRAINTS,
    FIRST_ORDER_PARAMS,
    KernelUpdateClassifier,
    KernelUpdates,
    first_order_options,
)
from ._model import can_take_new_samples


@with_shared_docs
class KernelPassiveAggressiveClassifier(KernelUpdateClassifier):
    r"""Passive-aggressive classifier with a kernel.

    Kernel version of :class:`PassiveAggressiveClassifier`: each sample with a positive loss
    becomes a support vector, with the smallest coefficient that gives it a margin of 1, limited
    by C. ``max_support_vectors`` bounds the number of support vectors, for streams. Read more in
    the :ref:`user guide <kernel_updates>`.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness parameter: upper bound of the step size with ``loss="hinge"`` (PA-I),
        inverse regularization strength of the step with ``loss="squared_hinge"`` (PA-II).
        ``np.inf`` is the hard margin: after each update the margin of the sample is 1.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Loss function: "hinge" is PA-I, "squared_hinge" is PA-II.
    average : {"mean", "vote"} or False, default=False
        Function used for predictions: ``"mean"`` uses the mean over the functions after each
        sample, which varies much less than the last one; ``"vote"`` uses a majority vote of these
        functions, which stores every update and is not available with ``max_support_vectors``;
        False uses the last function.
    $kernel_parameters
    $budget
    $budget_policy_2_3_4
    $multi_class
    $epochs
    $class_weight

    Attributes
    ----------
    $support
    $no_intercept
    $counts

    See Also
    --------
    PassiveAggressiveClassifier : Linear version, with a weight vector instead of support vectors.
    KernelPassiveAggressiveRegressor : Version for regression.
    KernelPerceptronClassifier : Updates of fixed size, on mistakes only.
    LASVC : Revisits its support vectors and converges to the solution of ``SVC``.
    LabelEfficientClassifier : Queries only some of the labels.

    Notes
    -----
    **Update** [1]_ (sections 3 and 8). With :math:`f(x) = \sum_i \alpha_i K(x_i, x)`, the margin
    :math:`m = y f(x)` of a sample and its loss :math:`\ell = \max(0, 1 - m)`, the sample is added
    with

    .. math::

        \alpha = y \tau, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{K(x, x)}\Bigr) \;\text{(PA-I)}, \qquad
        \tau = \frac{\ell}{K(x, x) + 1 / (2C)} \;\text{(PA-II)} .

    If a sample causes another update in a later epoch, the step is added to its :math:`\alpha`.
    Samples with :math:`K(x, x) \le 0` cause no update.

    **Averaging.** After T samples, ``"mean"`` uses :math:`\frac{1}{T} \sum_t f_t(x)`, where
    :math:`f_t` is the function after sample t: a step at sample t, counted from 0, has weight
    :math:`(T - t) / T`. ``"vote"`` uses :math:`\frac{1}{T} \sum_t \operatorname{sign} f_t(x)`;
    with "crammer_singer" each function votes for a class. With a budget, a removed support vector
    also leaves the mean; projection and merging apply to the mean as to the last function. The
    updates do not depend on ``average``.

    **More than two classes.** "ovr" trains one binary classifier per class (one-vs-rest). With
    "crammer_singer" ([1]_, section 7) the margin of a sample is :math:`f_y(x) - f_s(x)`, where s
    is the highest-scoring other class, :math:`K(x, x)` is replaced by :math:`2 K(x, x)`, and the
    coefficients of two classes are updated: :math:`\alpha_y = \tau`,
    :math:`\alpha_s = -\tau`.

    **Budget.** With more than two classes, ``budget_policy="margin"`` uses the score of the
    support vector's class minus the largest score of the other classes.

    **Weights** of samples and classes multiply C, not the step. With ``C=np.inf`` only the
    distinction between zero and nonzero weights matters.

    $note_on_intercept

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

    On a stream, with at most 200 support vectors:

    >>> model = KernelPassiveAggressiveClassifier(gamma=0.001, max_support_vectors=200)
    >>> for start in range(0, 1200, 50):
    ...     chunk = slice(start, start + 50)
    ...     model = model.partial_fit(X[chunk], y[chunk], classes=range(10))
    >>> int(model.n_support_.sum())
    200
    """

    _parameter_constraints: dict = {
        **KernelUpdateClassifier._parameter_constraints,
        **FIRST_ORDER_CLASSIFIER_CONSTRAINTS,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }
    # In the order in which stored models have their values.
    _fixed_params = (*KernelUpdateClassifier._fixed_params, "multi_class", *FIRST_ORDER_PARAMS)
    _adjustable_params = (*KernelUpdateClassifier._adjustable_params, "C", "loss")

    def __init__(
        self,
        *,
        C=1.0,
        loss="hinge",
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
        store_parameters(locals())

    _expansion_options = first_order_options

    def _update_spec(self):
        return UpdateSpec(
            rule={"name": self.loss, "C": float(self.C)},
            fit_intercept=False,
            crammer_singer=self.multi_class == "crammer_singer",
        )


@with_shared_docs
class KernelPassiveAggressiveRegressor(RegressorMixin, KernelUpdates):
    r"""Passive-aggressive regressor with a kernel.

    Kernel version of :class:`PassiveAggressiveRegressor`: each sample with a residual above
    ``epsilon`` becomes a support vector, with the smallest coefficient that brings its prediction
    within ``epsilon`` of the target, limited by C. ``max_support_vectors`` bounds the number of
    support vectors, for streams. Read more in the :ref:`user guide <kernel_regression>`.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness parameter: upper bound of the step size with ``loss="epsilon_insensitive"``
        (PA-I), inverse regularization strength of the step with
        ``loss="squared_epsilon_insensitive"`` (PA-II). With ``np.inf`` the residual of the sample
        after each update is ``epsilon``.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Loss function: "epsilon_insensitive" is PA-I, "squared_epsilon_insensitive" is PA-II.
    epsilon : float, default=0.1
        Residuals up to epsilon are not penalized.
    average : {"mean"} or False, default=False
        Function used for predictions: ``"mean"`` uses the mean over the functions after each
        sample, which varies much less than the last one; False uses the last function.
    $kernel_parameters
    $budget
    budget_policy : {"smallest", "projection", "merging"}, default="projection"
        Budget maintenance strategy, applied when a new support vector exceeds
        ``max_support_vectors``. The new support vector itself may be the one removed. See Notes
        for the difference to classification.

        - ``"smallest"``: removes the support vector whose removal changes the function least.
        - ``"projection"``: removes the support vector whose removal changes the function least
          after its projection onto the other support vectors [2]_. The most accurate strategy and
          the most expensive one: time per update and memory are proportional to the square of the
          budget. Not available with the sigmoid kernel.
        - ``"merging"``: merges the smallest support vector with another one into a point between
          the two [3]_; merged support vectors are not samples, and are -1 in ``support_``.
          Only available with the rbf kernel.
    $epochs

    Attributes
    ----------
    support_ : ndarray of shape (n_SV,)
        Indices of the support vectors: positions in X, or in the stream after ``partial_fit``.
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        Support vectors.
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    dual_coef_ : ndarray of shape (1, n_SV)
        Coefficients of the support vectors in the regression function; with ``average="mean"``
        their mean over all samples.
    intercept_ : ndarray of shape (1,)
        Constant in the regression function: zero, since the model has no intercept.
    coef_ : ndarray of shape (1, n_features)
        Weights assigned to the features; only available with a linear kernel.
    $counts

    See Also
    --------
    PassiveAggressiveRegressor : Linear version, with a weight vector instead of support vectors.
    KernelPassiveAggressiveClassifier : Version for classification.
    sklearn.svm.SVR : Minimizes the regularized loss over all samples.

    Notes
    -----
    **Update** [1]_ (sections 5 and 8). With :math:`f(x) = \sum_i \alpha_i K(x_i, x)` and the loss
    :math:`\ell = \max(0, |y - f(x)| - \epsilon)` of a sample, the sample is added with

    .. math::

        \alpha = \operatorname{sign}(y - f(x))\, \tau, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{K(x, x)}\Bigr) \;\text{(PA-I)}, \qquad
        \tau = \frac{\ell}{K(x, x) + 1 / (2C)} \;\text{(PA-II)} .

    If a sample causes another update in a later epoch, the step is added to its :math:`\alpha`.
    Samples with :math:`K(x, x) \le 0` cause no update.

    **Averaging.** After T samples, ``"mean"`` uses :math:`\frac{1}{T} \sum_t f_t(x)`, where
    :math:`f_t` is the function after sample t: a step at sample t, counted from 0, has weight
    :math:`(T - t) / T`. With a budget, a removed support vector also leaves the mean; projection
    and merging apply to the mean as to the last function. The updates do not depend on
    ``average``.

    **Budget.** The criteria of "smallest", "projection" and "merging" depend on the function only.
    The policy "margin" of the classifiers is not available: it depends on the margins of the
    support vectors, which are defined by their class labels.

    **Weights** of samples multiply C, not the step. With ``C=np.inf`` only the distinction between
    zero and nonzero weights matters.

    **No intercept.** Predictions of an rbf kernel tend to 0 far from the support vectors: center
    the target. For a linear kernel, add a constant feature 1; for a polynomial kernel, choose
    ``coef0 > 0``.

    C and ``epsilon`` depend on the units of the target: scale the target, or choose them
    accordingly.

    References
    ----------
    .. [1] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online passive-aggressive
       algorithms. JMLR 7, 2006.
    .. [2] Z. Wang, S. Vucetic: Online passive-aggressive algorithms on a budget. AISTATS 2010.
    .. [3] Z. Wang, K. Crammer, S. Vucetic: Breaking the curse of kernelization: budgeted
       stochastic gradient descent for large-scale SVM training. JMLR 13, 2012.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman2
    >>> from sklearn.preprocessing import scale
    >>> from sklearn_online_svm import KernelPassiveAggressiveRegressor
    >>> X, y = make_friedman2(2000, random_state=0)
    >>> X, y = scale(X), scale(y)
    >>> model = KernelPassiveAggressiveRegressor(random_state=0)
    >>> bool(model.fit(X[:1000], y[:1000]).score(X[1000:], y[1000:]) > 0.95)
    True

    On a stream, with at most 100 support vectors:

    >>> model = KernelPassiveAggressiveRegressor(max_support_vectors=100)
    >>> for start in range(0, 1000, 50):
    ...     chunk = slice(start, start + 50)
    ...     model = model.partial_fit(X[chunk], y[chunk])
    >>> len(model.support_)
    100
    """

    _parameter_constraints: dict = {
        **KernelUpdates._parameter_constraints,
        **FIRST_ORDER_CONSTRAINTS,
        **REGRESSION_CONSTRAINTS,
    }
    _fixed_params = (*KernelUpdates._fixed_params, *FIRST_ORDER_PARAMS)
    _adjustable_params = ("C", "loss", "epsilon")
    _targets = OnlineValueTargets()

    def __init__(
        self,
        *,
        C=1.0,
        loss="epsilon_insensitive",
        epsilon=0.1,
        average=False,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        max_support_vectors=None,
        budget_policy="projection",
        max_iter=1,
        tol=1e-3,
        n_iter_no_change=5,
        shuffle=True,
        verbose=0,
        n_jobs=None,
        random_state=None,
    ):
        store_parameters(locals())

    def fit(self, X, y, sample_weight=None):
        """Fit the model: reset it and run up to ``max_iter`` epochs.

        Interruptible: Ctrl-C leaves a usable model. Invalid input leaves a fitted model unchanged.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Training samples, or the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Target values, at most 1e130 in absolute value, or 1e19 if X is float32.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights; C is multiplied by them. Samples of weight 0 are ignored.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid.
        """
        return self._fit(X, y, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, sample_weight=None):
        """Continue training with new samples, one after the other.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The model does not depend on how a stream is divided into chunks.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, in the order of the stream.
        y : array-like of shape (n_samples,)
            Target values, at most 1e130 in absolute value, or 1e19 if X is float32.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights; C is multiplied by them. Samples of weight 0 are ignored.

        Returns
        -------
        self : object
            Fitted estimator.

        Raises
        ------
        ValueError
            If the input is invalid. The model is left unchanged, also if a callable kernel raises
            an error within a chunk.
        """
        return self._partial_fit(X, y, None, sample_weight)

    def predict(self, X):
        """Predict target values for samples in X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples. For a precomputed kernel, their kernel values with the samples of ``fit``, of
            shape (n_samples, n_samples_fit).

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted targets.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ValueError
            If the input is invalid, or a prediction overflows.
        """
        return self._view()._decide(X)

    _expansion_options = first_order_options

    def _update_spec(self):
        return UpdateSpec(rule=regression_rule(self), fit_intercept=False)
