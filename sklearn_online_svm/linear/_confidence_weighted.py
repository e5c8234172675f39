"""Second-order classifiers that keep the variances of the weights: CW, SCW, AROW."""

from numbers import Integral, Real

import numpy as np
from scipy.stats import norm
from sklearn.exceptions import ConvergenceWarning

from .._estimator import store_parameters
from .._sklearn_compat import Interval, StrOptions
from .._threads import warn
from .._updates import plan_of
from ._docs import with_shared_docs
from ._model import SecondOrder, linear_spec
from ._state import LinearState


@with_shared_docs
class ConfidenceWeightedClassifier(SecondOrder):
    r"""Confidence-weighted (CW) linear classifier.

    The weights have a normal distribution with a mean and a covariance. The weights of frequent
    features change little, those of rare features much. Each update is the smallest one
    after which the sample is classified correctly with a given probability. This is a hard margin:
    for noisy data use :class:`SCWClassifier` or :class:`AROWClassifier`. With noisy labels the
    variances fall until the model does not learn any more, which is reported by a warning, often
    after a few thousand updates. Read more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    $eta
    $covariance
    $fit_intercept
    $epochs
    $weighted_fit

    Attributes
    ----------
    $gaussian
    $counts

    See Also
    --------
    SCWClassifier : Soft-margin version of this classifier.
    AROWClassifier : Second-order classifier with a different soft margin.

    Notes
    -----
    **Update** [1]_ (section 3). Weights are distributed as :math:`N(\mu, \Sigma)`; ``coef_`` and
    ``intercept_`` are :math:`\mu`. Each sample leads to the problem

    .. math::

        \min_{\mu', \Sigma'} \; \mathrm{KL}\bigl(N(\mu', \Sigma') \,\|\, N(\mu, \Sigma)\bigr)
        \quad \text{s.t.} \quad y\, \mu'^\top x \ge \phi \sqrt{x^\top \Sigma' x} ,

    that is, the sample is classified correctly with probability :math:`\eta` or more. With
    :math:`m = y\, \mu^\top x`, :math:`v = x^\top \Sigma x`, :math:`\psi = 1 + \phi^2 / 2`,
    :math:`\zeta = 1 + \phi^2` the solution is

    .. math::

        \alpha &= \max\Bigl(0,\; \frac{-m \psi + \sqrt{m^2 \phi^4 / 4 + v \phi^2 \zeta}}{v \zeta}
                  \Bigr), \qquad
        u = \tfrac{1}{4} \bigl(-\alpha v \phi + \sqrt{\alpha^2 v^2 \phi^2 + 4 v}\bigr)^2, \\
        \beta &= \frac{\alpha \phi}{\sqrt{u} + v \alpha \phi}, \qquad
        \mu \leftarrow \mu + \alpha y \Sigma x, \qquad
        \Sigma \leftarrow \Sigma - \beta\, \Sigma x x^\top \Sigma .

    $start_and_diagonal

    **Weights** of samples and classes only matter as zero or nonzero, because the problem has no
    penalty that they could multiply.

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

    Under the model, the last training sample is correct with probability ``eta`` or more:

    >>> margin = np.where(y[-1] == 1, 1, -1) * model.decision_function(X[-1:])
    >>> confidence = norm.cdf(margin / np.sqrt(model.decision_variance(X[-1:])))
    >>> bool(confidence[0] > 0.9 - 1e-9)
    True
    """

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "eta": [Interval(Real, 0.5, 1.0, closed="neither")],
    }
    _adjustable_params = (*SecondOrder._adjustable_params, "eta")

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
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        store_parameters(locals())

    def _plan(self):
        spec = linear_spec(self, {"name": "confidence", "phi": float(norm.ppf(self.eta))})
        return plan_of(self, spec, LinearState, check=_warn_of_underflow)


def _warn_of_underflow(state):
    """Warn if variances are so small that steps overflow, which are then not made."""
    if state.update_spec.covariance == "full":
        variances = np.diagonal(state.arrays["covariance"], axis1=1, axis2=2)
        smallest = np.sqrt(np.finfo(np.float64).tiny)  # S x x'S has the squares of variances
    else:
        variances = state.arrays["variances"]
        smallest = np.finfo(variances.dtype).tiny
    if variances.min() < smallest:
        warn(
            "ConfidenceWeightedClassifier does not learn any more: after "
            f"{state.loop.n_rows} samples the smallest variance of its weights is "
            f"{variances.min():.3g}. Its hard margin requires separable classes. Use "
            "SCWClassifier or AROWClassifier for noisy labels.",
            ConvergenceWarning,
        )


@with_shared_docs
class SCWClassifier(SecondOrder):
    r"""Soft confidence-weighted linear classifier (SCW-I, SCW-II).

    Read more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty for violating the margin. ``np.inf`` gives :class:`ConfidenceWeightedClassifier`.
    $eta
    loss : {"hinge", "squared_hinge"}, default="hinge"
        "hinge" is SCW-I, "squared_hinge" SCW-II.
    $covariance
    $fit_intercept
    $epochs
    $weighted_fit

    Attributes
    ----------
    $gaussian
    $counts

    See Also
    --------
    ConfidenceWeightedClassifier : Hard-margin version of this classifier.
    AROWClassifier : Second-order classifier with a different soft margin.

    Notes
    -----
    **Update** [1]_. Weights are distributed as :math:`N(\mu, \Sigma)`; ``coef_`` and
    ``intercept_`` are :math:`\mu`. Each sample leads to the problem

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

    $start_and_diagonal

    **Weights** of samples and classes multiply C.

    References
    ----------
    .. [1] J. Wang, P. Zhao, S. C. H. Hoi: Exact soft confidence-weighted learning. ICML 2012.

    Examples
    --------
    About one label in ten is wrong:

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
    }
    _adjustable_params = (*SecondOrder._adjustable_params, "C", "eta", "loss")

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
        random_state=None,
        warm_start=False,
        class_weight=None,
    ):
        store_parameters(locals())

    def _plan(self):
        name = "soft_confidence" if self.loss == "hinge" else "squared_confidence"
        rule = {"name": name, "C": float(self.C), "phi": float(norm.ppf(self.eta))}
        return plan_of(self, linear_spec(self, rule), LinearState)


@with_shared_docs
class AROWClassifier(SecondOrder):
    r"""Linear classifier with adaptive regularization of weights (AROW).

    The weights have a normal distribution with a mean and a covariance. The weights of frequent
    features change little, those of rare features much. The smaller the variance of the
    decision function at a sample, the smaller the update. This makes the model robust to label
    noise. Read more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    r : float, default=1.0
        Regularization parameter. With a larger value the steps are shorter and the variances
        shrink more slowly.
    $covariance
    $fit_intercept
    $auto_epochs
    $weighted_fit

    Attributes
    ----------
    $gaussian
    $counts

    See Also
    --------
    SCWClassifier : Second-order classifier whose margin depends on the variance.
    PassiveAggressiveClassifier : First-order classifier that needs less memory.

    Notes
    -----
    **Update** [1]_. Weights are distributed as :math:`N(\mu, \Sigma)`; ``coef_`` and
    ``intercept_`` are :math:`\mu`. Each sample with a margin below 1 leads to the problem

    .. math::

        \min_{\mu', \Sigma'} \; \mathrm{KL}\bigl(N(\mu', \Sigma') \,\|\, N(\mu, \Sigma)\bigr)
        + \frac{1}{2r} \max\bigl(0,\; 1 - y\, \mu'^\top x\bigr)^2 + \frac{1}{2r} x^\top \Sigma' x .

    With :math:`m = y\, \mu^\top x` and :math:`\beta = 1 / (x^\top \Sigma x + r)` the solution is

    .. math::

        \mu \leftarrow \mu + \beta \max(0, 1 - m)\, y \Sigma x, \qquad
        \Sigma \leftarrow \Sigma - \beta\, \Sigma x x^\top \Sigma .

    Samples with a margin of at least 1 change neither :math:`\mu` nor :math:`\Sigma`. This is the
    algorithm of the paper; its objective alone would shrink :math:`\Sigma` with every sample.

    $start_and_diagonal

    **Weights.** A sample of weight u is processed with :math:`r / u` in place of r: its two terms
    in the objective are multiplied by u.

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

    The variance of the decision function is larger far from the training data:

    >>> seen, new = X[:1], 100 * X[:1]
    >>> bool(model.decision_variance(seen)[0] < model.decision_variance(new)[0])
    True
    """

    _parameter_constraints: dict = {
        **SecondOrder._parameter_constraints,
        "r": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    }
    _adjustable_params = (*SecondOrder._adjustable_params, "r")

    def __init__(
        self,
        *,
        r=1.0,
        covariance="diag",
        fit_intercept=True,
        max_iter="auto",
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
        spec = linear_spec(self, {"name": "arow", "r": float(self.r)})
        return plan_of(self, spec, LinearState)
