"""RampSVC: the batch support vector machine with the ramp loss, solved by CCCP."""

import warnings
from numbers import Integral

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ._engine import SolverSpec, continued_alpha
from ._learner import KernelLearner
from ._passes import Passes
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
        1 prints a line for each convex problem.

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
        at |= dict(random=None, needs_known=True)
        return self._resumed_passes(X, codes, cost, at)

    def _resumed_passes(self, X, codes, cost, at):
        return _ConvexProblems(self, X, codes, cost, at)

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


class _ConvexProblems(Passes):
    """One convex problem of the sequence after the other.

    Of each, rows are learnt and the members solved; then those that violate with the result are
    learnt, until there is none. ``at`` holds the ``rows`` of the present problem (None: all), its
    flags ``shifted`` of rows beyond the ramp, per class, and ``settled``, the changes made when
    violations were looked for last.
    """

    is_exact = True
    after_finishing = "judge"

    def __init__(self, model, X, codes, cost, at):
        super().__init__(model, X, codes, cost, at)
        n_problems = model._spec.n_problems
        self.has_bias = model._spec.solver.has_bias
        classes = [1] if n_problems == 1 else range(n_problems)
        self.y = np.array([np.where(codes == c, 1.0, -1.0) for c in classes])
        if at["shifted"] is None:
            self.at = {**at, "shifted": np.zeros(self.y.shape, dtype=np.int8)}

    def learn(self):
        self.learn_rows(self.at["shifted"])
        return dict(stage="finish")

    def judge(self):
        """Look for rows of the problem that violate with the result."""
        model, at = self.model, self.at
        scores = self.scores()
        rows = self.row_ids if at["rows"] is None else at["rows"]
        violation = self.violation(scores)[:, rows].max(axis=0)
        model.kkt_violation_ = float(violation.max())
        order, changes = rows[violation > model.tol], self.engine.n_changes
        if not len(order) or changes == at["settled"] or self.engine.out_of_steps:
            model._warn_unless_solved(stacklevel=6)
            return self.conclude(scores, given_up=self.engine.out_of_steps)
        patience = self.tried_again(at["patience"])
        if patience["idle"] == self.idle_rounds or patience["n_rounds"] == model.max_passes:
            warnings.warn(
                f"A convex problem of RampSVC did not converge within {patience['n_rounds']} "
                f"rounds: the largest violation left is {model.kkt_violation_:.3g}, tol is "
                f"{model.tol:.3g}. {model._advice()}",
                ConvergenceWarning,
                stacklevel=6,
            )
            return self.conclude(scores, given_up=True)
        return dict(stage="begin", order=order, settled=changes, patience=patience)

    def conclude(self, scores, given_up):
        """Shift boxes for the next problem, or stop: this one is solved."""
        model, at = self.model, self.at
        history = np.vstack([model.objective_history_[: at["n_solved"]], self.objective(scores)])
        n_solved = len(history)
        model.objective_history_, model.n_iter_ = history, n_solved
        shifted = self.beyond_ramp(scores)
        if model.verbose:
            print(
                f"[RampSVC] problem {n_solved}: objective {history[-1].sum():.6g}, "
                f"{np.count_nonzero(shifted)} rows beyond the ramp, "
                f"{len(model.support_)} support vectors"
            )
        if given_up:
            return dict(stage="over")
        # A first problem over a part of the rows is not yet one of the sequence.
        in_sequence = n_solved > 1 or model.init_size is None
        if in_sequence and np.array_equal(shifted, at["shifted"]):
            return dict(stage="over")
        if n_solved > 2 and (history[-2] - history[-1]).max() < model.tol * model.C:
            return dict(stage="over")
        if n_solved == model.max_iter:
            warnings.warn(
                f"RampSVC did not converge within max_iter={model.max_iter} convex problems: "
                f"{np.count_nonzero(shifted != at['shifted'])} rows still change sides.",
                ConvergenceWarning,
                stacklevel=7,
            )
            return dict(stage="over")
        return dict(stage="shift", shifted=shifted, n_solved=n_solved, n_done=self.engine.n_done)

    def shift(self):
        """Give the rows new boxes, and move the old solution into them."""
        self.once(self.rebox)
        return dict(
            stage="finish",
            rows=None,
            patience=None,
            settled=-1,
            n_rounds=0,
            n_done=self.at["n_done"] + 1,
        )

    def rebox(self):
        boxes = []
        for problem, y, beyond in zip(
            self.engine.problems, self.y, self.at["shifted"], strict=True
        ):
            slots = problem.slots()
            rows = problem.members["row_id"][slots]
            bound = np.where(beyond[rows], -y[rows], y[rows]) * self.cost[rows]
            lower, upper = np.minimum(0, bound), np.maximum(0, bound)
            alpha = continued_alpha(problem.members["alpha"][slots], lower, upper, self.has_bias)
            boxes.append((lower, upper, alpha))
        self.engine.rebox(boxes)

    def violation(self, scores):
        """(n_problems, n_rows) violation of each row with the members, at its alpha."""
        violation = np.zeros(self.y.shape)
        for c, problem in enumerate(self.engine.problems):
            slots = problem.slots()
            alpha = np.zeros(self.y.shape[1])
            alpha[problem.members["row_id"][slots]] = problem.members["alpha"][slots]
            bound = np.where(self.at["shifted"][c], -self.y[c], self.y[c]) * self.cost
            g = self.y[c] - (scores[c] - problem.b)
            # Without a bias each row stands alone: the partner's gradient is 0.
            extremes = problem.members.extremes
            low, high = (extremes["g_min"], extremes["g_max"]) if self.has_bias else (0.0, 0.0)
            rises, falls = alpha < np.maximum(0, bound), alpha > np.minimum(0, bound)
            violation[c, rises] = (g - low)[rises]
            violation[c, falls] = np.maximum(violation[c, falls], (high - g)[falls])
        return np.maximum(violation, 0.0)

    def scores(self):
        """Return the (n_problems, n_rows) decision values of the rows."""
        scores = np.empty((self.X.shape[0], len(self.y)))
        self.engine.decide(self.X, self.engine.show(False, 0), scores, self.threads)
        return scores.T

    def beyond_ramp(self, scores):
        """Return flags of the rows left of the ramp.

        A row comes back only when it is right of the end by more than tol: the scores are not
        more exact than that, and at the end both tangents touch.
        """
        z, s = self.y * scores, self.model.ramp_s
        return (z < s + self.model.tol * self.at["shifted"]).astype(np.int8)

    def objective(self, scores):
        """Objective of each class with the ramp loss, over all rows."""
        z, s = self.y * scores, self.model.ramp_s
        loss = np.maximum(0, 1 - z) - np.maximum(0, s - z)
        norms = [problem.squared_norm for problem in self.engine.problems]
        return 0.5 * np.array(norms) + loss @ self.cost
