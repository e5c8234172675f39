"""RampSVC: batch support vector machine with the ramp loss, trained by CCCP."""

from numbers import Integral

import numpy as np

from .._estimator import params_of, store_parameters
from .._sklearn_compat import Interval, RealNotInt, StrOptions, _fit_context
from . import _svc, _training
from ._analysis import _probabilities
from ._classifier import KernelClassifier
from ._convex import CONVEX_PROBLEMS
from ._docs import with_shared_docs
from ._dual_estimator import DualEstimator
from ._plan import plan_of
from ._spec import GapDrivenSpec, LasvmSpec
from ._svc import CLASS_CONSTRAINTS, MULTICLASS_CONSTRAINTS, without_keywords_of_svc
from ._targets import ClassTargets


@with_shared_docs
class RampSVC(KernelClassifier, DualEstimator):
    r"""Support vector classifier with the ramp loss, robust to outliers.

    The hinge loss of :class:`~sklearn.svm.SVC` grows without bound, so that each mislabelled
    sample becomes a support vector with the largest possible weight. The ramp loss is constant for
    margins below :math:`s =` ``ramp_s``. The problem is then not convex; it is solved by a
    sequence of convex problems (concave-convex procedure, CCCP), each warm-started from the
    solution of the previous one.

    Read more in the :ref:`user guide <ramp_svc>`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. The strength of the regularization is inversely proportional to
        C. The loss of a sample is at most :math:`C (1 - s)`. Must be finite.
    kernel : str, ColumnKernel or callable, default="rbf"
        Kernel type to be used in the algorithm, as in :class:`LASVC`.
    $degree
    $gamma_as_in_lasvc
    $coef0
    ramp_s : float, default=-1.0
        Margin :math:`s < 1` below which the loss is constant. Large negative values give the
        hinge loss; with values above 0, samples within the margin are treated as outliers, too.
    fit_intercept : bool, default=True
        Whether to fit an intercept (bias).
    init_size : int or float, default=None
        Number of samples (int) or fraction of the samples (float) of the first convex problem,
        which uses the hinge loss. The samples are drawn at random, with at least one of each
        class. A small first problem is faster, but may lead to a worse local optimum. None: all
        samples.
    max_iter : int, default=100
        Maximum number of convex problems, including the first one.
    shrinking : bool, default=True
        Whether to use the shrinking heuristic.
    tol : float, default=1e-3
        Tolerance for the stopping criterion: the largest violation of the optimality conditions
        of each convex problem that is accepted.
    $one_vs_one
    probability : bool, default=False
        Whether to enable :meth:`predict_proba`. Must be set before training. Probabilities are
        estimated as in :class:`LASVC`, for the outliers of the solution. Not available with
        ``kernel="precomputed"``.
    $cache_size
    class_weight : dict or "balanced", default=None
        Set the parameter C of class i to ``class_weight[i] * C``. Classes that are not in the dict
        have weight one; labels that are not among the classes are ignored, unless none is, which
        raises an error. ``"balanced"`` uses weights inversely proportional to class frequencies,
        ``n_samples / (n_classes * n_c)``, with sample weights counted as frequencies.
    n_jobs : int, default=None
        Number of threads, as in :class:`LASVC`.
    random_state : int, RandomState instance or None, default=None
        Seed of the samples of the first problem and of the sample order.
    verbose : int, default=0
        Verbosity. 1 prints a line per convex problem and, on a terminal or in a notebook, the
        progress: samples processed, samples per second, size of the support set, estimated
        remaining time (a progress bar if tqdm is installed). 2 shows the progress also if standard
        error is a file or a pipe.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Multiplier of C for each class.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights assigned to the features; only available with a linear kernel. Read-only.
    dual_coef_ : ndarray of shape (n_problems, n_SV) or (n_classes - 1, n_SV)
        Signed coefficients :math:`\alpha` of the support vectors in the decision function. Samples
        beyond the ramp have the sign opposite to their label, or 0.
        $layout_of_pairs
    dual_objective_ : ndarray of shape (n_problems,)
        Dual objective of the last convex problem, over the support set.
    duality_gap_ : ndarray of shape (n_problems,)
        Primal minus dual objective of the last convex problem, over the support set.
    $gamma_in_use
    intercept_ : ndarray of shape (n_problems,)
        Constants in the decision function; 0 with ``fit_intercept=False``.
    $interrupted
    kkt_violation_ : float
        Largest violation of the optimality conditions of the last convex problem, over all
        samples.
    $features
    n_iter_ : int
        Number of convex problems solved, including the first one.
    $kernel_evaluations
    n_samples_seen_ : int
        Number of samples passed to ``fit``.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors for each class.
    objective_history_ : ndarray of shape (n_solved, n_problems)
        Value of the objective with the ramp loss over all samples after each convex problem. Does
        not increase, within ``tol``.
    support_ : ndarray of shape (n_SV,), dtype=int32
        Indices of the support vectors in X, grouped by class.
    $stored_support

    See Also
    --------
    LASVC : Online training; ``algorithm="lasvm-nc"`` uses the ramp loss.
    sklearn.svm.SVC : Support vector classifier with the hinge loss.

    Notes
    -----
    With :math:`H_s(z) = \max(0, s - z)` the problem is [1]_ [2]_

    .. math::

        \min_f \tfrac{1}{2} \lVert w \rVert^2 + \sum_i C_i R_s(y_i f(x_i)), \qquad
        R_s = H_1 - H_s .

    :math:`-H_s` is concave; CCCP replaces it by its tangent. Samples with :math:`y_i f(x_i) < s`
    get :math:`\beta_i = C_i`, the others :math:`\beta_i = 0`. The dual of the convex problem is
    that of the hinge loss with the box constraint of sample i shifted by :math:`-\beta_i y_i`.
    This is repeated until :math:`\beta` does not change. The solution is a local optimum.

    With more than two classes, this problem is solved for each pair of classes (one-vs-one) or
    each class (one-vs-rest), as in :class:`LASVC`, each with its own :math:`\beta`.

    The number of steps of ``fit`` is limited as in :class:`LASVC`, over all convex problems
    together.

    References
    ----------
    .. [1] Collobert, Sinz, Weston, Bottou: Trading convexity for scalability. ICML 2006.
    .. [2] Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. Pennsylvania State University, 2009, section 6.2.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.svm import SVC
    >>> from sklearn_online_svm import RampSVC
    >>> from sklearn_online_svm.datasets import flip_labels, make_banana_like
    >>> X, y = make_banana_like(1500, random_state=0)
    >>> y_noisy = flip_labels(y[:1000], 0.2, random_state=1)
    >>> ramp = RampSVC(C=10, gamma=1.0).fit(X[:1000], y_noisy)
    >>> hinge = SVC(C=10, gamma=1.0).fit(X[:1000], y_noisy)
    >>> bool(ramp.n_support_.sum() < 0.5 * hinge.n_support_.sum())
    True

    Samples whose label is probably wrong, the most suspicious first:

    >>> suspects = ramp.suspect_labels(X[:1000], y_noisy)
    >>> bool(np.mean(y_noisy[suspects] != y[suspects]) > 0.8)
    True
    """

    _parameter_constraints: dict = {
        **CLASS_CONSTRAINTS,
        "fit_intercept": ["boolean"],
        "init_size": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            None,
        ],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **MULTICLASS_CONSTRAINTS,
        "probability": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    predict_proba = _probabilities.predict_proba
    predict_log_proba = _probabilities.predict_log_proba
    predict_set = _probabilities.predict_set
    set_params = _svc.set_params
    classes_, class_weight_ = _svc.classes_, _svc.class_weight_

    @without_keywords_of_svc
    def __init__(
        self,
        C=1.0,
        *,
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        ramp_s=-1.0,
        fit_intercept=True,
        init_size=None,
        max_iter=100,
        shrinking=True,
        tol=1e-3,
        multi_class="ovo",
        decision_function_shape="ovr",
        break_ties=False,
        probability=False,
        cache_size=500,
        class_weight=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        store_parameters(locals())

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the model: solve convex problems until the set of outliers does not change.

        Interruptible: Ctrl-C leaves a usable model, and :meth:`resume` continues from where it
        stopped. Invalid input leaves a fitted model unchanged.

        Parameters
        ----------
        $training_samples
        y : array-like of shape (n_samples,)
            Class labels.
        $cost_weights

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid, or fewer than two classes have positive weight.
        """
        return _training.fit(self, X, y, sample_weight)

    def resume(self, X, y, sample_weight=None):
        """Continue an interrupted :meth:`fit` as if it had not been interrupted.

        The resulting model is bitwise identical to that of an uninterrupted call, also if it was
        pickled in between. Exceptions: ``n_kernel_evaluations_`` includes kernel values that had
        to be recomputed, and a callable kernel must return the same values for any division into
        blocks. The data are not stored and must be passed again. A second interrupt can be resumed
        as well; a new call of :meth:`fit` discards the interrupted one.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Samples of the interrupted call. Shape, dtype and checksum must match.
        y : array-like of shape (n_samples,)
            Labels of the interrupted call.
        $resumed_weights
        """
        return _training.resume(self, X, y, sample_weight)

    @property
    def objective_history_(self):
        """Objective of each binary problem after each convex problem."""
        return self._fitted.memory["objective_history"]

    def _plan(self):
        return plan_of(
            self,
            params_of(self, shuffle=True),
            ClassTargets,
            solver_of_ramp,
            CONVEX_PROBLEMS,
            most_passes=-1,
            refusals=(_svc.refuse_probability_of_matrix,),
            has_finite_costs=True,
        )


def solver_of_ramp(params, targets):
    """Return the specification of the solver."""
    common = dict(tol=float(params.tol), shrinking=bool(params.shrinking))
    if params.fit_intercept:
        return LasvmSpec(**common)
    return GapDrivenSpec(
        algorithm="batch",
        gap_floor=np.inf,
        ramp_s=float(params.ramp_s),
        clean_interval=0,
        max_non_sv=0,
        **common,
    )
