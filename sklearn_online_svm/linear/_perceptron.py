"""First- and second-order perceptrons."""

from dataclasses import replace
from numbers import Integral, Real

from .._estimator import store_parameters
from .._sklearn_compat import Interval, StrOptions
from .._updates import plan_of
from ._docs import with_shared_docs
from ._model import (
    AVERAGE,
    INTERCEPT_SCALING,
    LinearClassifier,
    SecondOrder,
    linear_spec,
    positive_is_first,
)
from ._state import LinearState


@with_shared_docs
class PerceptronClassifier(LinearClassifier):
    r"""Perceptron classifier, with optional uneven margins (PAUM).

    It adds each misclassified sample, times its label, to the weights. Read more in the :ref:`user
    guide <linear>`.

    Parameters
    ----------
    positive_margin : float, default=0.0
        Margin of the positive class: a positive sample causes an update if its margin is at most
        this value. With 0, only misclassified samples cause updates.
    negative_margin : float, default=0.0
        Margin of the negative class. Uneven margins (PAUM) are for imbalanced classes: give the
        rare class the larger margin.
    pos_label : label, default=None
        Label of the positive class in binary problems. If None, 1 (or True); if this is not a
        class and the margins are uneven, ``fit`` raises an error. Ignored with more than two
        classes.
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
    PassiveAggressiveClassifier : Adapts the step size to the loss.
    SecondOrderPerceptronClassifier : Takes the correlations of earlier mistakes into account.
    sklearn.linear_model.Perceptron : Perceptron without uneven margins.

    Notes
    -----
    **Step.** A sample causes an update if :math:`y\, w^\top x \le \beta_y`, where
    :math:`\beta_y` is ``positive_margin`` or ``negative_margin``, depending on its class:

    .. math:: w \leftarrow w + y x .

    With margins of 0 this is the perceptron [1]_, with others the perceptron with uneven margins
    [2]_. The first sample has :math:`w^\top x = 0`, which counts as a mistake. The positive class
    is ``pos_label`` in binary problems; in one-vs-rest problems it is the class in question.

    **Deviation:** [2]_ updates the intercept by :math:`y R^2`, where R is the largest norm of all
    samples, which is not known in a stream. Here s = ``intercept_scaling`` is an additional
    feature of every sample. The intercept is s times its weight and is updated by :math:`y s^2`.

    **Multiclass.** "ovr" trains each class against the rest. With "crammer_singer" [3]_ a sample
    causes an update if :math:`w_y^\top x - w_s^\top x` is at most ``positive_margin``, where s is
    the class with the highest score among the other classes: :math:`w_y \leftarrow w_y + x`,
    :math:`w_s \leftarrow w_s - x`.

    **Weights** of samples and classes multiply the step, because the perceptron has no C.

    Predictions depend only on the direction of w. With margins of 0 they do not depend on a common
    scale of the features either. ``average=True`` (the averaged perceptron) is nearly always
    better than the last w.

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

    One sample in 33 is positive. Uneven margins increase the recall:

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
        "n_jobs": [Integral, None],
        "pos_label": "no_validation",
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed_params = ("fit_intercept", "average", "multi_class")
    _adjustable_params = (
        *LinearClassifier._adjustable_params,
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
        store_parameters(locals())

    def _plan(self):
        spec = linear_spec(self, {"name": "perceptron"})
        return plan_of(self, spec, LinearState, complete=_with_margins)


def _with_margins(plan, schema):
    """Return the specification of the updates with the margins of both classes."""
    first, second = float(plan.params.negative_margin), float(plan.params.positive_margin)
    if positive_is_first(plan, schema.classes, alike=first == second):
        first, second = second, first
    return replace(plan.update_spec, target_margins={"positive": second, "negative": first})


@with_shared_docs
class SecondOrderPerceptronClassifier(SecondOrder):
    r"""Second-order perceptron classifier.

    Steps are short in directions in which there have been many mistakes. Read more in the
    :ref:`user guide <linear>`.

    Parameters
    ----------
    a : float, default=1.0
        Initial value of the diagonal of the matrix A below. The larger the value, the closer the
        model is to the perceptron. Cannot change once the model is fitted.
    $full_covariance
    $fit_intercept
    $epochs
    $weighted_fit

    Attributes
    ----------
    $classes
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features, with the dtype of X (float64 with ``covariance="full"``). A sparse
        matrix after ``sparsify``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercept of each decision function; 0 without ``fit_intercept``.
    $covariance_attribute
    $counts

    See Also
    --------
    PerceptronClassifier : First-order perceptron.
    AROWClassifier : Second-order classifier that also updates on samples within the margin.
    sklearn_online_svm.active.MarginQuery : ``confidence="second_order"`` uses the variance
        of the decision function.

    Notes
    -----
    **Update** [1]_. With :math:`A = a I + \sum x x^\top` and :math:`v = \sum y x`,
    where the sums are over the mistakes so far, the model is :math:`w = A^{-1} v`. It is updated
    on a mistake (:math:`y\, w^\top x \le 0`), with :math:`\Sigma = A^{-1}` and :math:`q = x^\top
    \Sigma x`,

    .. math::

        w \leftarrow w + \frac{y - w^\top x}{1 + q}\, \Sigma x, \qquad
        \Sigma \leftarrow \Sigma - \frac{\Sigma x x^\top \Sigma}{1 + q} .

    [1]_ adds the sample to A before predicting, that is, predicts with :math:`w^\top x / (1 + q)`.
    This has the same sign and so gives the same mistakes and the same model. ``covariance_`` is
    :math:`\Sigma`. With ``covariance="diag"`` the off-diagonal elements of :math:`\Sigma` are
    dropped after each step.

    **Multiclass.** Each class is trained against the rest.

    **Weights.** A sample of weight u is counted u times in A and in v.

    References
    ----------
    .. [1] N. Cesa-Bianchi, A. Conconi, C. Gentile: A second-order perceptron algorithm. SIAM
       Journal on Computing 34, 2005.

    Examples
    --------
    The model is the ridge regression on the misclassified samples:

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
        **SecondOrder._parameter_constraints,
        "a": [Interval(Real, 0.0, None, closed="neither")],
    }
    _fixed_params = (*SecondOrder._fixed_params, "a")

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
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        store_parameters(locals())

    def _plan(self):
        spec = linear_spec(self, {"name": "second_order"}, start_variance=1.0 / float(self.a))
        return plan_of(self, spec, LinearState)
