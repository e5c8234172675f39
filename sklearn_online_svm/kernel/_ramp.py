"""RampSVC: the batch support vector machine with the ramp loss, solved by CCCP."""

from numbers import Integral

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ._cccp import ConvexProblems
from ._engine import SolverSpec
from ._learner import KernelLearner
from ._svc_names import without_keywords_of_svc


class RampSVC(KernelLearner):
    r"""Support vector classifier with the ramp loss: outliers have no say.

    The hinge loss of :class:`~sklearn.svm.SVC` grows without bound, so each mislabelled row
    becomes a support vector with the largest weight there is. The ramp loss stops growing at the
    margin :math:`s =` ``ramp_s``. The problem is no longer convex; it is solved by a sequence of
    convex ones (CCCP), each of which begins at the solution of the one before.

    Read more in the :ref:`user guide <ramp_svc>`.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of errors, at most :math:`C (1 - s)` per row; finite.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable, default="rbf"
        As in :class:`LASVC`.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of the rbf, poly and sigmoid kernels, as in :class:`LASVC`.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    ramp_s : float, default=-1.0
        Margin :math:`s < 1` below which the loss is constant. Large negative values give the
        hinge loss; above 0 rows within the margin are treated as outliers, too.
    fit_intercept : bool, default=True
        Whether the decision function has a bias.
    init_size : int or float, default=None
        The first convex problem, with the hinge loss, is solved over so many rows (float: this
        share of the rows), drawn at random, at least one of each class: quicker, and it may end in
        a worse optimum. None: over all rows.
    max_iter : int, default=100
        Largest number of convex problems, the first one included.
    shrinking : bool, default=True
        Whether vectors at their bound are set aside while a problem is solved.
    tol : float, default=1e-3
        Largest violation of the optimality conditions of each convex problem.
    cache_size : float, default=500
        Memory for kernel rows, in MB. Too little costs time, never correctness.
    class_weight : dict or "balanced", default=None
        Factors of C per class; ``"balanced"`` is ``n / (n_classes * n_c)``, counted in sample
        weights.
    n_jobs : int, default=None
        Threads, as in :class:`LASVC`.
    random_state : int, RandomState instance or None, default=None
        Seeds the rows of the first problem and the order of visiting.
    verbose : int, default=0
        1 prints a line for each convex problem, and on a terminal how far it is: rows learnt,
        rows per second, vectors kept, time left (a bar where tqdm is installed). 2 shows that also
        where the error output is no terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C per class.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features; only with a linear kernel. Read-only.
    dual_coef_ : ndarray of shape (1, n_SV) or (n_classes, n_SV)
        :math:`\alpha` of the support vectors, signed as in the decision function. Rows beyond the
        ramp have the sign opposite to their label, or 0.
    dual_objective_ : ndarray of shape (1,) or (n_classes,)
        Dual objective of the last convex problem, over the vectors kept.
    duality_gap_ : ndarray of shape (1,) or (n_classes,)
        Primal minus dual objective of the last convex problem, over the vectors kept.
    gamma_ : float
        Value of gamma in use.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Bias of each decision function; 0 without ``fit_intercept``.
    interrupted_ : bool
        Whether the last call was ended by Ctrl-C, and :meth:`resume` can go on with it.
    kkt_violation_ : float
        Largest violation left in the last convex problem, over all rows.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, when X has string column names.
    n_iter_ : int
        Convex problems solved, the first one included.
    n_kernel_evaluations_ : int
        Kernel values computed for learning.
    n_samples_seen_ : int
        Rows given to ``fit``.
    n_support_ : ndarray of shape (n_classes,), dtype=int32
        Number of support vectors of each class.
    objective_history_ : ndarray of shape (n_solved, 1) or (n_solved, n_classes)
        Value of the objective with the ramp loss over all rows, after each convex problem. Never
        rises, up to ``tol``.
    support_ : ndarray of shape (n_SV,), dtype=int32
        Indices of the support vectors in X, class by class.
    support_vectors_ : {ndarray, csr_matrix} of shape (n_SV, n_features)
        Support vectors; empty with a precomputed kernel.

    See Also
    --------
    LASVC : With ``algorithm="lasvm-nc"`` the ramp loss in one pass.
    sklearn.svm.SVC : The hinge loss.

    Notes
    -----
    With :math:`H_s(z) = \max(0, s - z)` the problem is [1]_ [2]_

    .. math::

        \min_f \tfrac{1}{2} \lVert w \rVert^2 + \sum_i C_i R_s(y_i f(x_i)), \qquad
        R_s = H_1 - H_s .

    :math:`-H_s` is concave; CCCP replaces it by its tangent. Rows with :math:`y_i f(x_i) < s` get
    :math:`\beta_i = C_i`, the others :math:`\beta_i = 0`, and the dual of the convex problem is
    that of the hinge loss with the box of row i shifted by :math:`-\beta_i y_i`. This is repeated
    until :math:`\beta` stays. The solution is a local optimum.

    Several classes: one-vs-rest, each class with its own :math:`\beta`.

    ``fit`` comes to an end: steps are limited as in :class:`LASVC`, over all convex problems
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

    Rows whose label looks wrong, the worst first:

    >>> suspects = ramp.suspect_labels(X[:1000], y_noisy)
    >>> bool(np.mean(y_noisy[suspects] != y[suspects]) > 0.8)
    True
    """

    _parameter_constraints: dict = {
        **KernelLearner._parameter_constraints,
        "fit_intercept": ["boolean"],
        "init_size": [
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="right"),
            None,
        ],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    # Passes over the rows after which a convex problem is given up, with a warning.
    max_passes = 1000

    _passes = ConvexProblems
    _stages = {"fit": ConvexProblems.stages}
    # Rows are visited in random order.
    shuffle = True

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
        cache_size=500,
        class_weight=None,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.ramp_s = ramp_s
        self.fit_intercept = fit_intercept
        self.init_size = init_size
        self.max_iter = max_iter
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Solve convex problems until the rows beyond the ramp stay the same.

        Interrupted by Ctrl-C, the model holds what has been reached and can be used, and
        :meth:`resume` goes on. Invalid input leaves a fitted model as it was.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            Rows; the kernel matrix if ``kernel="precomputed"``.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per row. Rows of weight 0 are passed over.

        Returns
        -------
        self : object
            The fitted model.

        Raises
        ------
        ValueError
            If the input is invalid, or fewer than two classes have positive weight.
        """
        return self._fit_or_restore(X, y, sample_weight)

    def resume(self, X, y, sample_weight=None):
        """Go on where an interrupted :meth:`fit` stopped, as if it had never been interrupted.

        The model becomes what it would have become, to the last bit, also when it was pickled in
        between. (Only ``n_kernel_evaluations_`` counts values that had to be computed again; and a
        kernel function must give the same values whatever block it is called for.) The data are
        not kept: give them again. A second interrupt can be resumed likewise; :meth:`fit` forgets
        what was interrupted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features) \
                or (n_samples, n_samples)
            The rows of the interrupted call. Shape, type and a checksum must be the same.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights, if there were any.

        Returns
        -------
        self : object
            The model, as if there had been no interrupt.

        Raises
        ------
        ValueError
            If there is nothing to resume, the data are not those of the interrupted call, or a
            parameter other than ``n_jobs`` and ``verbose`` has changed. The model stays as it
            was, and can still be resumed.
        """
        return self._resume(X, y, sample_weight)

    def _begin_passes(self, X, codes, cost, before):
        self._engine = self._built_engine(X)
        self._allow_steps(X.shape[0])
        self.objective_history_ = np.empty((0, self._spec.n_problems))
        rows = self._first_rows(codes, cost)
        at = dict(stage="begin", rows=rows, order=rows, shifted=None, patience=None)
        at |= dict(settled=-1, n_solved=0)
        at |= dict(random=None)
        return ConvexProblems(self, X, codes, cost, at)

    def _first_rows(self, codes, cost):
        """Rows of the first problem: those drawn, after one of each class.

        With one class alone f would be a constant, and the other class might lie beyond the ramp.
        """
        if self.init_size is None:
            return self._order
        n, order = len(codes), self._order[cost[self._order] > 0]
        size = self.init_size if isinstance(self.init_size, Integral) else int(self.init_size * n)
        of_each = np.sort(np.unique(codes[order], return_index=True)[1])
        order = np.concatenate([order[of_each], np.delete(order, of_each)])
        return order[: max(size, len(of_each))]

    def _needs_finite_costs(self):
        return True

    def _solver(self):
        return SolverSpec(
            algorithm="lasvm" if self.fit_intercept else "batch",
            tol=float(self.tol),
            shrinking=bool(self.shrinking),
            gap_floor=np.inf,
            ramp_s=float(self.ramp_s),
            clean_interval=0,
            max_non_sv=0,
        )
