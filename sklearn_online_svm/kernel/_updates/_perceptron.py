"""KernelPerceptronClassifier: perceptron with a kernel."""

from numbers import Real

from ..._estimator import store_parameters
from ..._sklearn_compat import Interval
from .._docs import with_shared_docs
from ._base import (
    FIRST_ORDER_CONSTRAINTS,
    FIRST_ORDER_PARAMS,
    KernelUpdateClassifier,
    first_order_plan,
)


@with_shared_docs
class KernelPerceptronClassifier(KernelUpdateClassifier):
    r"""Perceptron with a kernel.

    Each misclassified sample becomes a support vector with a coefficient of 1 or -1. Variants: a
    margin, the averaged and the voted perceptron, and a budget on support vectors. Read more in
    the :ref:`user guide <kernel_updates>`.

    Parameters
    ----------
    margin : float, default=0.0
        Samples with a margin of at most this value cause an update. 0 is the perceptron, which is
        updated on mistakes only.
    average : {"mean", "vote"} or False, default=False
        Function used for predictions: ``"mean"`` uses the mean over the functions after each
        sample (averaged perceptron); ``"vote"`` uses a majority vote of these functions (voted
        perceptron), which stores every update and is not available with ``max_support_vectors``;
        False uses the last function.
    $kernel_parameters
    $budget
    $budget_policy_2_5_6
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
    PerceptronClassifier : Linear version, with a weight vector instead of support vectors.
    KernelPassiveAggressiveClassifier : Updates whose size depends on the loss.
    LASVC : Revisits its support vectors and converges to the solution of ``SVC``.

    Notes
    -----
    **Update** [1]_. With :math:`f(x) = \sum_i \alpha_i K(x_i, x)`, a sample with
    :math:`y f(x) \le \beta` (``margin``) is added with :math:`\alpha = y`. The first sample, for
    which :math:`f = 0`, counts as a mistake. Samples with :math:`K(x, x) \le 0` cause no update.

    **Repeated mistakes.** A sample that is misclassified again in a later epoch adds another y to
    its :math:`\alpha`, as in the perceptron and its mistake bound. Ertekin's thesis sets
    :math:`\alpha = y` instead: the second and later mistakes on a sample would then change
    nothing, and training might not terminate. In a single epoch both are the same.

    **Averaging.** After T samples, ``"mean"`` uses :math:`\frac{1}{T} \sum_t f_t(x)`, where
    :math:`f_t` is the function after sample t: the update at sample t has weight
    :math:`(T - t) / T`, with t counted from 0. ``"vote"`` is the voted perceptron [3]_,
    :math:`\frac{1}{T} \sum_t \operatorname{sign} f_t(x)`; with "crammer_singer" each function
    votes for a class. Both count updates, not support vectors: a sample that is misclassified in
    two epochs contributes twice, from two different times on. With a budget, the mean is over the
    remaining support vectors.

    **More than two classes.** "ovr" trains one binary classifier per class (one-vs-rest). With
    "crammer_singer" [4]_ a sample causes an update if :math:`f_y(x) - f_s(x)` is at most
    ``margin``, where s is the highest-scoring other class: :math:`\alpha_y = 1`,
    :math:`\alpha_s = -1`.

    **Budget.** With ``budget_policy="margin"`` this is the budget perceptron: after an update, the
    support vector i with the largest :math:`y_i (f(x_i) - \alpha_i K(x_i, x_i))` is removed. With
    more than two classes the margin is the score of the support vector's class minus the largest
    score of the other classes.

    **Weights** of samples and classes multiply the update, since there is no C.

    $note_on_intercept

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
        **KernelUpdateClassifier._parameter_constraints,
        **FIRST_ORDER_CONSTRAINTS,
        "margin": [Interval(Real, 0.0, None, closed="left")],
    }
    _fixed_params = (*KernelUpdateClassifier._fixed_params, *FIRST_ORDER_PARAMS)
    _adjustable_params = (*KernelUpdateClassifier._adjustable_params, "margin")

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
        margin = float(self.margin)
        margins = {"positive": margin, "negative": margin}
        return first_order_plan(self, {"name": "perceptron"}, margins)
