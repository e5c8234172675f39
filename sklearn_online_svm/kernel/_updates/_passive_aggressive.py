"""KernelPassiveAggressiveClassifier: passive-aggressive classification with a kernel."""

from numbers import Real

from ..._estimator import store_parameters
from ..._sklearn_compat import Interval, StrOptions
from .._docs import with_shared_docs
from ._base import (
    FIRST_ORDER_CONSTRAINTS,
    FIRST_ORDER_PARAMS,
    KernelUpdateClassifier,
    first_order_plan,
)


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
    $replay_size
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
        **FIRST_ORDER_CONSTRAINTS,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }
    _fixed_params = (*KernelUpdateClassifier._fixed_params, *FIRST_ORDER_PARAMS)
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
        replay_size=2000,
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

    def _plan(self):
        return first_order_plan(self, {"name": self.loss, "C": float(self.C)})
