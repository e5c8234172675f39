"""Passive-aggressive classification and regression."""

from numbers import Integral, Real

from scipy import sparse
from sklearn.base import RegressorMixin

from .. import _updates
from .._estimator import store_parameters
from .._sklearn_compat import Interval, StrOptions
from .._updates import OnlineValueTargets, plan_of
from ._docs import with_shared_docs
from ._model import AVERAGE, INTERCEPT_SCALING, LinearClassifier, LinearModel, linear_spec
from ._state import LinearState


@with_shared_docs
class PassiveAggressiveClassifier(LinearClassifier):
    r"""Passive-aggressive classifier (PA-I, PA-II).

    Each update is the smallest change of the weights that gives the sample a margin of 1, limited
    by ``C``.

    Parameters and attributes are those of
    :class:`sklearn.linear_model.PassiveAggressiveClassifier`, which will be removed in
    scikit-learn 1.10; see :ref:`migrating_from_passive_aggressive` for the differences. Read more
    in the :ref:`user guide <linear>`.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness parameter: the maximum step size (PA-I) or the weight of the squared loss
        (PA-II). Use small values for noisy data. ``np.inf`` is the hard margin: after each update
        the margin is 1.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is PA-I, "squared_hinge" PA-II.
    $average
    $multi_class
    $constant_feature
    $epochs_as_in_sklearn
    $weighted_fit

    Attributes
    ----------
    $model
    $counts

    See Also
    --------
    AROWClassifier : Second-order classifier, better for rare features and label noise.
    CostSensitivePassiveAggressiveClassifier : Version for imbalanced classes or unequal costs.
    PassiveAggressiveRegressor : Version for regression.
    LabelEfficientClassifier : Queries only some of the labels.

    Notes
    -----
    **Update** [1]_ (section 3). With the margin :math:`m = y\, w^\top x` of a sample and its loss
    :math:`\ell = \max(0, 1 - m)`,

    .. math::

        w \leftarrow w + \tau y x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{\lVert x \rVert^2}\Bigr) \;\text{(PA-I)}, \qquad
        \tau = \frac{\ell}{\lVert x \rVert^2 + 1 / (2C)} \;\text{(PA-II)} .

    This minimizes :math:`\tfrac{1}{2} \lVert w' - w \rVert^2 + C \ell(w')` over :math:`w'` (PA-II:
    :math:`C \ell(w')^2`). With ``C=np.inf`` (PA) it is the smallest step to a margin of 1. A
    sample of zeros causes no update.

    **Multiclass.** "ovr" trains each class against the rest. With "crammer_singer" ([1]_,
    section 7) the margin of a sample is :math:`w_y^\top x - w_s^\top x`, where s is the class with
    the highest score among the other classes. :math:`2 \lVert x \rVert^2` replaces
    :math:`\lVert x \rVert^2`, and two classes are updated: :math:`w_y \leftarrow w_y + \tau x`,
    :math:`w_s \leftarrow w_s - \tau x`. The update is exact for the pair (y, s); the margin to a
    third class may still be below 1.

    **Weights** of samples and classes multiply C, not the computed step. So a sample with a large
    weight reaches a margin of 1 but does not exceed it. With ``C=np.inf`` weights only matter as
    zero or nonzero.

    **Intercept.** The extended sample is :math:`(x, s)` with s = ``intercept_scaling``, and the
    intercept is :math:`b = s v`, where v is the weight of the constant feature. So the squared
    norm is :math:`\lVert x \rVert^2 + s^2`, a step changes b by :math:`s^2 \tau y`, and a
    hard-margin step gives a margin of exactly 1. With s = 1 this is the standard PA algorithm. A
    small s is better for sparse samples with many small values: with s = 1 most of the step would
    go into the intercept. scikit-learn updates the intercept but does not include it in the norm.

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

    Training on a stream:

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
        "n_jobs": [Integral, None],
    }
    _fixed_params = ("fit_intercept", "average", "multi_class")
    _adjustable_params = (*LinearClassifier._adjustable_params, "C", "loss", "intercept_scaling")

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
        store_parameters(locals())

    def _plan(self):
        spec = linear_spec(self, {"name": self.loss, "C": float(self.C)})
        return plan_of(self, spec, LinearState)


@with_shared_docs
class PassiveAggressiveRegressor(RegressorMixin, LinearModel):
    r"""Passive-aggressive regressor (PA-I, PA-II).

    Each update is the smallest change of the weights that brings the prediction within ``epsilon``
    of the target, limited by ``C``.

    Parameters and attributes are those of
    :class:`sklearn.linear_model.PassiveAggressiveRegressor`, which will be removed in
    scikit-learn 1.10; see :ref:`migrating_from_passive_aggressive` for the differences.

    Parameters
    ----------
    C : float, default=1.0
        Aggressiveness parameter: the maximum step size (PA-I) or the weight of the squared loss
        (PA-II). With ``np.inf`` the residual after each update is ``epsilon``.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        "epsilon_insensitive" is PA-I, "squared_epsilon_insensitive" PA-II.
    epsilon : float, default=0.1
        Residuals up to epsilon are not penalized.
    $average
    $constant_feature
    $regression_epochs

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features, with the dtype of X (float32 or float64). With ``average``, their
        average. A sparse matrix of shape (1, n_features) after ``sparsify``.
    intercept_ : ndarray of shape (1,)
        Intercept; 0 without ``fit_intercept``.
    $counts

    See Also
    --------
    PassiveAggressiveClassifier : Version for classification.
    LASVR : Nonlinear regression, on streams with ``max_support_vectors``.
    sklearn.linear_model.SGDRegressor : Gradient descent with other losses and penalties.

    Notes
    -----
    **Update** [1]_ (section 5). With the loss :math:`\ell = \max(0, |y - w^\top x| - \epsilon)`,

    .. math::

        w \leftarrow w + \operatorname{sign}(y - w^\top x)\, \tau x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{\lVert x \rVert^2}\Bigr) \;\text{(PA-I)}, \qquad
        \tau = \frac{\ell}{\lVert x \rVert^2 + 1 / (2C)} \;\text{(PA-II)} .

    **Weights** of samples multiply C, not the computed step.

    **Intercept.** The extended sample is :math:`(x, s)` with s = ``intercept_scaling``, and the
    intercept is :math:`b = s v`, where v is the weight of the constant feature. So
    the squared norm is :math:`\lVert x \rVert^2 + s^2`, and the size of the change of b is
    :math:`s^2 \tau`. scikit-learn updates the intercept but does not include it in the norm.

    C and ``epsilon`` depend on the units of the target: scale the target, or choose them
    accordingly.

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
        **LinearModel._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "intercept_scaling": INTERCEPT_SCALING,
        "average": AVERAGE,
    }
    _fixed_params = ("fit_intercept", "average")
    _adjustable_params = (
        *LinearModel._adjustable_params,
        "C",
        "loss",
        "epsilon",
        "intercept_scaling",
    )

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
        store_parameters(locals())

    def fit(self, X, y, sample_weight=None, *, coef_init=None, intercept_init=None):
        """Fit the model from scratch, in up to ``max_iter`` epochs.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data. float32 and float64 arrays are used without conversion.
        y : array-like of shape (n_samples,)
            Target values, at most 1e130 in absolute value, or 1e19 if X is float32.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights; C is multiplied by them.
            Samples of weight 0 cause no update; averages count them, as in scikit-learn.
        coef_init : array-like of shape (n_features,), default=None
            The initial coefficients.
        intercept_init : float or array-like of shape (1,), default=None
            The initial intercept.

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid. The model is then unchanged.
        """
        return _updates.fit(self, X, y, sample_weight, (coef_init, intercept_init))

    def partial_fit(self, X, y, sample_weight=None):
        """Update the model with new samples, in their order, in one epoch.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training data, in the order of the stream.
        y : array-like of shape (n_samples,)
            Target values, at most 1e130 in absolute value, or 1e19 if X is float32.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights; C is multiplied by them.
            Samples of weight 0 cause no update; averages count them, as in scikit-learn.

        Returns
        -------
        self : object
            The updated estimator.

        Raises
        ------
        ValueError
            If the input is invalid. The model is then unchanged.
        """
        return _updates.partial_fit(self, X, y, None, sample_weight)

    def predict(self, X):
        """Predict the target value of each sample.

        $samples

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Predicted targets.

        $not_fitted
        ValueError
            If the input is invalid, or a prediction overflows.
        """
        return self._view()._decision_values(X)[:, 0]

    @property
    def coef_(self):
        """Weights of the features (coefficients)."""
        coef = super().coef_
        return coef if sparse.issparse(coef) else coef[0]

    @coef_.setter
    def coef_(self, values):
        LinearModel.coef_.fset(self, values)

    def _plan(self):
        name = self.loss.replace("epsilon_", "")
        rule = {"name": name, "C": float(self.C), "epsilon": float(self.epsilon)}
        return plan_of(self, linear_spec(self, rule), LinearState, targets=OnlineValueTargets)
