"""OneClassLASVM: online one-class support vector machine, for novelty detection in streams."""

from numbers import Integral, Real

import numpy as np
from sklearn.base import OutlierMixin

from .._estimator import params_of, store_parameters
from .._sklearn_compat import Interval, _fit_context, available_if
from . import _dual_estimator, _training
from ._docs import with_shared_docs
from ._dual_estimator import ONLINE_CONSTRAINTS, DualEstimator
from ._epochs import EPOCHS
from ._kernel_estimator import can_take_new_samples
from ._plan import plan_of, refuse_limits
from ._spec import OneClassSpec
from ._targets import OneClassTargets


def refuse_two_limits(plan, in_stream):
    """Raise ValueError for two limits of the support set."""
    params = plan.params
    if None not in (params.max_support_vectors, params.window_size):
        raise ValueError(
            f"max_support_vectors={params.max_support_vectors} cannot be combined with "
            f"window_size={params.window_size}: merged vectors have no single age. The window "
            "bounds the number of support vectors, too."
        )


@with_shared_docs
class OneClassLASVM(OutlierMixin, DualEstimator):
    r"""Online one-class support vector machine (LASVM for novelty detection).

    Parameters, attributes and predictions follow :class:`sklearn.svm.OneClassSVM`. Up to 5000
    samples, ``fit`` finds the model of ``OneClassSVM``. With more samples, it runs an epoch over
    them, optimizes over the support set, and repeats both until the model is close to it (see
    ``max_iter``). ``partial_fit`` continues training with new samples.

    Read more in the :ref:`user guide <novelty>`.

    Parameters
    ----------
    nu : float, default=0.01
        Upper bound of the share of training samples that are rejected, and lower bound of the
        share that are support vectors; both hold at the optimum, also for samples that are equal
        to a support vector, which ``OneClassSVM`` may reject. At least ``nu * n_samples``
        vectors are kept. In the interval [1e-300, 1]. ``OneClassSVM`` has a default of 0.5, which
        keeps half of the samples.
    $kernel
    $degree
    $gamma
    $coef0
    max_iter : int or "auto", default="auto"
        Maximum number of passes over the training data (epochs) in ``fit``. Training stops earlier
        after an epoch that changes nothing. -1 runs as many epochs as needed; the result is then
        the optimum over all samples, within ``tol``. ``"auto"`` reaches it up to 5000 samples,
        without epochs, as in :class:`LASVC`; with more, it stops when a further epoch would change
        little. It is a single epoch with ``finishing=False``, ``window_size`` or
        ``max_support_vectors``.
    finishing : bool, default=True
        Whether ``fit`` ends each epoch with :meth:`finish`, and whether predictions between two
        calls of ``partial_fit`` come from a copy of the solution that is optimized over the
        support set, to ``tol``. The copy does not influence further training.
    shrinking : bool, default=True
        Whether :meth:`finish` uses the shrinking heuristic.
    tol : float, default=1e-3
        Tolerance for the stopping criterion: the largest violation of the optimality conditions
        that is accepted, in units of :math:`\nu n f(x)`, as in ``OneClassSVM``, or of
        :math:`f(x)` where :math:`\nu n < 1`.
    max_support_vectors : int, default=None
        Budget: maximum number of support vectors, which bounds the memory and the time per sample
        in a stream. Beyond it, two near support vectors are merged: one of them then counts for
        both. Requires a single epoch (``max_iter=1`` or ``"auto"``) and no ``window_size``. None:
        no limit.
    window_size : int, default=None
        Length of a sliding window: only the last ``window_size`` samples count, for non-stationary
        streams (concept drift). Requires a single epoch (``max_iter=1`` or ``"auto"``) and no
        ``sample_weight``. None: no limit.
    $cache_size_of_lasvm
    $order_and_threads
    random_state : int, RandomState instance or None, default=None
        Seed of the sample order.
    verbose : int, default=0
        Verbosity, as in :class:`LASVC`.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        Weights assigned to the features; only available with a linear kernel. Read-only.
    dual_coef_ : ndarray of shape (1, n_SV)
        Coefficients :math:`\alpha` of the support vectors in the decision function; their sum
        is 1.
    dual_objective_ : ndarray of shape (1,)
        Value of the dual objective, which is maximized.
    duality_gap_ : ndarray of shape (1,)
        Primal minus dual objective, over the support set.
    $gamma_in_use
    intercept_ : ndarray of shape (1,)
        Constant in the decision function, ``-offset_``.
    $interrupted
    $kkt_violation
        It has the units of ``tol``.
    $features
    $training_counts
    $samples_seen
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    offset_ : float
        Threshold :math:`\rho`: ``decision_function(X) = score_samples(X) - offset_``.
    $support_in_stream

    See Also
    --------
    sklearn.svm.OneClassSVM : Batch solver (LIBSVM).
    sklearn.linear_model.SGDOneClassSVM : Online training of linear models.
    sklearn.ensemble.IsolationForest : Novelty detection with random trees.

    Notes
    -----
    The problem [1]_ is

    .. math::

        \min_\alpha \tfrac{1}{2} \sum_{ij} \alpha_i \alpha_j K(x_i, x_j)
        \quad \text{s.t.} \quad \sum_i \alpha_i = 1, \; 0 \le \alpha_i \le \frac{1}{\nu n},

    for the n samples seen, with the decision function :math:`f(x) = \sum_i \alpha_i K(x_i, x) -
    \rho`. In a stream n grows and the upper bounds shrink. Training works with :math:`\nu n
    \alpha`, whose upper bounds are 1 and whose sum is :math:`\nu n`: a new sample raises the sum
    by :math:`\nu`, which goes to the samples that lie farthest outside, and is added to the
    support set if it lies outside itself. Then SMO steps on the most violating pair follow, as in
    LASVM [2]_. ``dual_coef_`` and decision values are those of the problem above;
    ``OneClassSVM`` returns :math:`\nu n` times these. With ``sample_weight``, n is the sum of the
    weights, and the upper bound is in proportion to the weight. With ``window_size``, n counts the
    samples in the window; if many vectors leave it at a time, their part of the sum is taken over
    by the samples that follow.

    For kernels with constant :math:`K(x, x)`, such as rbf, the problem is that of support vector
    data description (SVDD [3]_), the smallest ball that contains all but the outliers.

    References
    ----------
    .. [1] Schoelkopf, Platt, Shawe-Taylor, Smola, Williamson: Estimating the support of a
       high-dimensional distribution. Neural Computation 13, 2001.
    .. [2] Bordes, Ertekin, Weston, Bottou: Fast kernel classifiers with online and active
       learning. JMLR 6, 2005.
    .. [3] Tax, Duin: Support vector data description. Machine Learning 54, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import OneClassLASVM
    >>> rng = np.random.default_rng(0)
    >>> model = OneClassLASVM(nu=0.05, random_state=0).fit(rng.normal(size=(1000, 2)))
    >>> model = model.partial_fit(rng.normal(size=(1000, 2)))
    >>> bool(0.03 < np.mean(model.predict(rng.normal(size=(1000, 2))) == -1) < 0.1)
    True
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    _parameter_constraints: dict = {
        "nu": [Interval(Real, 1e-300, 1.0, closed="both")],
        "max_support_vectors": [Interval(Integral, 2, None, closed="left"), None],
        **DualEstimator._parameter_constraints,
        **ONLINE_CONSTRAINTS,
    }

    _fixed_params = (*DualEstimator._fixed_params, "nu")
    _adjustable_params = (
        *("tol", "finishing", "shrinking", "max_support_vectors", "window_size", "cache_size"),
        "n_jobs",
    )

    finish, snapshot = _dual_estimator.finish, _dual_estimator.snapshot

    def __init__(
        self,
        nu=0.01,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        max_iter="auto",
        finishing=True,
        shrinking=True,
        tol=1e-3,
        max_support_vectors=None,
        window_size=None,
        cache_size=500,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        store_parameters(locals())

    # ---------------------------------------------------------------------------- training

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Fit the model: reset, shuffle, run the epochs, then optimize over the support set.

        $fit_online

        Parameters
        ----------
        $training_samples
        y : object, default=None
            Ignored. Present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights; samples of weight 0 are ignored.

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid.
        """
        return _training.fit(self, X, None, sample_weight)

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y=None, sample_weight=None):
        """Continue training with new samples.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The first chunk fixes gamma (``"scale"``) and the precision.
        Otherwise the model does not depend on how a stream is divided into chunks. Predictions
        between two calls come from a copy that is optimized over the support set (see
        ``finishing``).

        Parameters
        ----------
        $stream_samples
        y : object, default=None
            Ignored. Present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            Per-sample weights; samples of weight 0 are ignored.

        $fitted_self

        $partial_fit_errors
        """
        return _training.partial_fit(self, X, None, None, sample_weight)

    # ---------------------------------------------------------------------------- predictions

    def decision_function(self, X):
        """Score minus threshold, ``score_samples(X) - offset_``.

        Samples are processed in blocks: besides the result, memory does not grow with their
        number.

        $kernel_samples

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Positive for inliers, negative for outliers.

        $value_errors
        """
        return self._view()._decision_values(X)[:, 0]

    def score_samples(self, X):
        r"""Compute :math:`\sum_i \alpha_i K(x_i, x)`, a weighted mean of kernel values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as in :meth:`decision_function`.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Small for outliers.

        $value_errors
        """
        view = self._view()
        solution = view._solution()
        return view._decision_values(X, solution)[:, 0] - view._bias(solution)[0]

    def predict(self, X):
        """Predict whether samples are inliers.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples, as in :meth:`decision_function`.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            1 for inliers, -1 for outliers.

        $value_errors
        """
        return np.where(self.decision_function(X) > 0, 1, -1)

    @property
    def offset_(self):
        """Threshold of ``score_samples``."""
        return -float(self.intercept_[0])

    # ---------------------------------------------------------------------------- conventions

    def _plan(self):
        return plan_of(
            self,
            params_of(self),
            OneClassTargets,
            solver_of_one_class,
            EPOCHS,
            in_batch=True,
            refusals=(refuse_limits, refuse_two_limits),
            counts_new_samples=True,
        )


def solver_of_one_class(params, targets):
    """Return the specification of the solver."""
    return OneClassSpec(
        tol=float(params.tol),
        shrinking=bool(params.shrinking),
        window_size=params.window_size,
        budget=0 if params.max_support_vectors is None else int(params.max_support_vectors),
        nu=float(params.nu),
    )
