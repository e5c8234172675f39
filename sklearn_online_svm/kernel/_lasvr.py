"""LASVR: online kernel support vector regression."""

import copy
from numbers import Integral, Real

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .._estimator import params_of, store_parameters
from .._sklearn_compat import Interval, StrOptions, _fit_context, available_if
from .._threads import warn
from .._validation import check_weights
from . import _dual_estimator, _training
from ._analysis import _intervals
from ._analysis._leave_one_out import left_out_values
from ._analysis._path import fit_path
from ._analysis._solution_view import are_rows_of
from ._docs import with_shared_docs
from ._dual_estimator import ONLINE_CONSTRAINTS, DualEstimator
from ._epochs import EPOCHS
from ._kernel_estimator import can_take_new_samples
from ._plan import is_precomputed, plan_of, refuse_limits
from ._spec import GapDrivenSpec, LasvmSpec
from ._targets import ValueTargets

# Warn if a larger share of at least so many samples are support vectors. In a stream, C is judged
# after so many samples, too.
LARGEST_SHARE = 0.9
MIN_SAMPLES = 1000
# Warn if more than this share of the coefficients are at their bound, predictions vary by less
# than this part of the standard deviation of the targets, and C is less than this part of it.
BOUND_SHARE, FLAT, SMALL_C = 0.95, 0.6, 0.03
SCALED = (
    "scale the targets, for example with "
    "sklearn.compose.TransformedTargetRegressor(LASVR(), transformer=StandardScaler())"
)


def _keeps_support_vectors(model):
    in_use = model._params_in_use()
    for name in ("window_size", "max_support_vectors"):
        if in_use[name] is not None:
            raise AttributeError(
                "Predictions without a sample do not follow from a solution with "
                f"{name}={in_use[name]}: samples have been removed from the support set. "
                "Use progressive_validation."
            )
    return True


def refuse_unbounded(plan, in_stream):
    """Raise ValueError for a squared loss whose problem may be unbounded."""
    params = plan.params
    if params.loss != "squared_epsilon_insensitive":
        return
    if isinstance(params.kernel, str) and params.kernel == "sigmoid":
        raise ValueError(
            "loss='squared_epsilon_insensitive' does not bound the coefficients, and needs a "
            "positive definite kernel, which kernel='sigmoid' is not. Use another kernel, or "
            "loss='epsilon_insensitive'."
        )
    if params.algorithm != "lasvm":
        raise ValueError(
            "loss='squared_epsilon_insensitive' requires algorithm='lasvm', because the "
            f"duality gap is unbounded without it; got algorithm={params.algorithm!r}."
        )


def refuse_intervals_of_matrix(plan, in_stream):
    """Raise ValueError for intervals that need kernel values which are not stored."""
    if plan.params.intervals and is_precomputed(plan.params.kernel):
        raise ValueError(
            "intervals=True is not possible with kernel='precomputed': kernel values between "
            "support vectors are not stored. Set intervals=False and use leave_one_out_predict."
        )


@with_shared_docs
class LASVR(RegressorMixin, DualEstimator):
    r"""Online support vector regression (LASVM with the epsilon-insensitive loss).

    Parameters, attributes and predictions follow :class:`sklearn.svm.SVR`. Up to 5000 samples,
    ``fit`` finds the model of ``SVR``. With more samples, it runs an epoch over them, optimizes
    over the support set, and repeats both until the model is close to it (see ``max_iter``).
    ``partial_fit`` continues training with new samples.

    Read more in the :ref:`user guide <regression>`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter. The strength of the regularization is inversely proportional to
        C. With ``loss="epsilon_insensitive"``, :math:`|\alpha_i|` of a sample is at most C times
        its sample weight; C should then grow with the spread of the targets. ``np.inf`` accepts
        no loss.
    epsilon : float or "auto", default=0.1
        Half the width of the tube around the prediction within which a residual has no loss, in
        units of ``y``. Samples inside the tube are no support vectors: with an epsilon that is
        small compared with the noise nearly all samples are, which makes training and predictions
        slow. ``"auto"`` estimates the noise from at most 1000 samples (of the first chunk of a
        stream); see Notes.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        Loss function: :math:`\max(0, |y - f(x)| - \epsilon)` or its square. The squared loss needs
        ``algorithm="lasvm"`` and a positive definite kernel, which "sigmoid" is not.
    $kernel_parameters
    algorithm : {"lasvm", "lasvm-g"}, default="lasvm"
        Training algorithm.

        - ``"lasvm"``: solves the problem of ``SVR``, with a bias, by SMO steps on pairs of support
          vectors.
        - ``"lasvm-g"``: no bias; steps on one or two support vectors, repeated after each sample
          until the duality gap is below its target.
    max_iter : int or "auto", default="auto"
        Maximum number of passes over the training data (epochs) in ``fit``. Training stops earlier
        after an epoch that changes nothing. -1 runs as many epochs as needed; the result is then
        the optimum over all samples, within ``tol``. ``"auto"`` reaches it up to 5000 samples,
        without epochs, as in :class:`LASVC`; with more, it stops when a further epoch would change
        little, compared with the standard deviation of y, and few support vectors are missing. The
        squared loss needs epochs up to 5000 samples, too, which stop in the same way if they take
        more than about half a second. ``"auto"`` is a single epoch with ``finishing=False``,
        ``window_size`` or ``max_support_vectors``.
    finishing : bool, default=True
        Whether ``fit`` ends each epoch with :meth:`finish`, and whether predictions between two
        calls of ``partial_fit`` come from a copy of the solution that is optimized over the
        support set, to ten times the tolerance. The copy does not influence further training. With
        ``algorithm="lasvm"``, a stream then also keeps a reserve: about 50 samples of each output
        with :math:`\alpha = 0`, those closest to the edges of the tube.
    shrinking : bool, default=True
        Whether :meth:`finish` uses the shrinking heuristic.
    tol : float, default=1e-3
        Tolerance for the stopping criterion: the largest violation of the optimality conditions
        that is accepted, in units of ``y``. With a single epoch, in a stream, or with
        ``max_iter="auto"`` and more than 5000 samples, ``0.1 * epsilon`` is accepted as well.
    max_support_vectors : int, default=None
        Budget: maximum number of support vectors of each output, which bounds the memory and the
        time per sample in a stream. Beyond it, the support vector of smallest :math:`|\alpha_i|`
        is removed. Requires a single epoch (``max_iter=1`` or ``"auto"``). None: no limit.
    window_size : int, default=None
        Length of a sliding window: a vector is removed from the support set after this number of
        samples, for non-stationary streams (concept drift). Requires a single epoch
        (``max_iter=1`` or ``"auto"``). None: no limit.
    $cache_size_of_lasvm
    replay_size : int, default=2000
        Size of the reservoir: maximum number of samples passed to ``partial_fit`` that are stored
        in addition to the support vectors, in about equal numbers for each of eight ranges of the
        target. If the distribution of the target changes along the stream, stored samples are
        replayed, and predictions and :meth:`finish` also optimize over them (see :ref:`replay`;
        with several outputs they are only replayed). 0 disables replay. Ignored by ``fit``, with
        ``window_size``, and with ``max_support_vectors``.
    intervals : bool, default=False
        Whether to enable :meth:`predict_interval`. Must be set before training. Intervals are
        computed from leave-one-out residuals, which are estimated from the solution without
        fitting further models. The model then also stores the targets of all samples of ``fit``,
        and up to 2000 samples that are not support vectors; in a stream, the last 4000 samples.
        See :ref:`prediction_intervals`. Not available with ``kernel="precomputed"`` and
        ``finishing=False``.
    $order_and_threads
    random_state : int, RandomState instance or None, default=None
        Seed of the sample order, and of the samples for ``epsilon="auto"``.
    verbose : int, default=0
        Verbosity, as in :class:`LASVC`.

    Attributes
    ----------
    coef_ : ndarray of shape (n_outputs, n_features)
        Weights assigned to the features; only available with a linear kernel. Read-only.
    dual_coef_ : ndarray of shape (n_outputs, n_SV)
        Coefficients :math:`\alpha` of the support vectors in the prediction.
    dual_objective_ : ndarray of shape (n_outputs,)
        Value of the dual objective, which is maximized, of each output.
    duality_gap_ : ndarray of shape (n_outputs,)
        Primal minus dual objective of each output, over the support set.
    epsilon_ : float
        Value of epsilon in use.
    $gamma_in_use
    intercept_ : ndarray of shape (n_outputs,)
        Constants in the prediction; 0 with ``algorithm="lasvm-g"``.
    $interrupted
    $kkt_violation
    $features
    $training_counts
    n_outputs_ : int
        Number of columns of ``y``, or 1.
    $samples_seen
    n_support_ : ndarray of shape (1,), dtype=int32
        Number of support vectors.
    $support_in_stream

    See Also
    --------
    LASVC : The classifier.
    PassiveAggressiveRegressor : Linear functions, one update per sample.
    sklearn.svm.SVR : Batch solver (LIBSVM).

    Notes
    -----
    The problem is the dual of support vector regression [1]_,

    .. math::

        \max_\alpha \sum_i \alpha_i y_i - \epsilon \sum_i |\alpha_i|
        - \tfrac{1}{2} \sum_{ij} \alpha_i \alpha_j K(x_i, x_j)
        \quad \text{s.t.} \quad \sum_i \alpha_i = 0, \; |\alpha_i| \le C_i,

    with :math:`f(x) = \sum_i \alpha_i K(x_i, x) + b`. A sample has one coefficient and one kernel
    row, not two as in LIBSVM: at most one of the two bounds of the tube is active. PROCESS adds a
    sample outside the tube; REPROCESS takes an SMO step on the most violating pair, as in LASVM
    [2]_. A coefficient that reaches 0 may continue on the other side. The squared loss adds
    :math:`-\sum_i \alpha_i^2 / (4 C_i)` to the objective and has no upper bound for
    :math:`|\alpha_i|`. With ``"lasvm-g"`` there is no :math:`b` and no equality constraint.

    Several outputs are separate problems over the same samples: a support vector is stored once
    and its kernel values are computed once for all of them.

    ``epsilon="auto"`` is :math:`3 \sigma \sqrt{\log(n) / n}` [3]_ for n samples with noise of
    standard deviation :math:`\sigma`, the smallest of all outputs. :math:`\sigma` is estimated
    from the residuals of kernel ridge regression, whose regularization is selected by generalized
    cross-validation.

    References
    ----------
    .. [1] Smola, Schoelkopf: A tutorial on support vector regression. Statistics and Computing 14,
       2004.
    .. [2] Bordes, Ertekin, Weston, Bottou: Fast kernel classifiers with online and active
       learning. JMLR 6, 2005.
    .. [3] Cherkassky, Ma: Practical selection of SVM parameters and noise estimation for SVM
       regression. Neural Networks 17, 2004.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn_online_svm import LASVR
    >>> X, y = make_friedman1(2000, noise=1.0, random_state=0)
    >>> model = LASVR(C=10, epsilon=0.5, random_state=0).fit(X[:1000], y[:1000])
    >>> before = model.score(X[1500:], y[1500:])
    >>> model = model.partial_fit(X[1000:1500], y[1000:1500])
    >>> bool(model.score(X[1500:], y[1500:]) > before)
    True
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0.0, None, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left"), StrOptions({"auto"})],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
        "algorithm": [StrOptions({"lasvm", "lasvm-g"})],
        "max_support_vectors": [Interval(Integral, 2, None, closed="left"), None],
        "replay_size": [Interval(Integral, 0, None, closed="left")],
        "intervals": ["boolean"],
        **DualEstimator._parameter_constraints,
        **ONLINE_CONSTRAINTS,
    }

    _fixed_params = (*DualEstimator._fixed_params, "epsilon", "loss", "algorithm")
    _adjustable_params = (
        *("C", "tol", "finishing", "shrinking", "max_support_vectors", "window_size"),
        *("cache_size", "replay_size", "n_jobs"),
    )

    def __init__(
        self,
        C=1.0,
        *,
        epsilon=0.1,
        loss="epsilon_insensitive",
        kernel="rbf",
        degree=3,
        gamma="scale",
        coef0=0.0,
        algorithm="lasvm",
        max_iter="auto",
        finishing=True,
        shrinking=True,
        tol=1e-3,
        max_support_vectors=None,
        window_size=None,
        cache_size=500,
        replay_size=2000,
        intervals=False,
        shuffle=True,
        n_jobs=None,
        random_state=None,
        verbose=0,
    ):
        store_parameters(locals())

    finish, snapshot = _dual_estimator.finish, _dual_estimator.snapshot
    predict_interval = _intervals.predict_interval
    _fitted_intervals = _intervals.fitted_intervals_of

    # ---------------------------------------------------------------------------- training

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the model from scratch; ``max_iter`` says how the samples are processed.

        $fit_online

        Parameters
        ----------
        $training_samples
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values, at most 1e130 in absolute value.
        $cost_weights

        $fitted_self

        Raises
        ------
        ValueError
            If the input is invalid.
        """
        _training.fit(self, X, y, sample_weight)
        warn_of_tube(self._plan(), self._machine, y, sample_weight)
        return self

    @available_if(can_take_new_samples)
    def partial_fit(self, X, y, sample_weight=None):
        """Continue training with new samples.

        Every sample is treated as new: to run several epochs over the same samples use
        ``fit(max_iter=...)``. The first chunk fixes the number of outputs, epsilon (``"auto"``),
        gamma (``"scale"``), the precision, and with a linear kernel the origin of the features; a
        linear kernel may move the origin at the end of a later chunk, too, if features are far
        from it. Otherwise the model does not depend on how a stream is divided into chunks.
        Predictions between two calls come from a copy that is optimized over the support set (see
        ``finishing``).

        Parameters
        ----------
        $stream_samples
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values, at most 1e130 in absolute value.
        $cost_weights

        $fitted_self

        $partial_fit_errors
        """
        machine = vars(self).get("_machine")
        before = 0 if machine is None else machine.n_seen
        _training.partial_fit(self, X, y, None, sample_weight)
        # Once, where the number of samples passes the limit. More samples would fit better.
        if before < MIN_SAMPLES <= self._machine.n_seen:
            warn_of_tube(self._plan(), self._machine, y, sample_weight)
        return self

    def fit_path(self, X, y, Cs, sample_weight=None):
        """Fit the solution path: one model for each value of C.

        Each model is warm-started from the model of the next smaller C, so that a path of
        many values takes less time than a fit for each C (:ref:`user guide <regression_path>`),
        except with large C. With several outputs, ``max_iter="auto"`` and up to 5000 samples there
        is no warm start: :meth:`fit` solves all problems of each C at once. Afterwards, this
        estimator is the model of the largest C, with its parameter ``C`` set accordingly.
        ``epsilon="auto"`` is the same for all values.

        Parameters
        ----------
        $training_samples
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values, at most 1e130 in absolute value.
        Cs : array-like of shape (n_Cs,)
            Values of C, in any order.
        $path
            with ``window_size`` or ``max_support_vectors``; or with
            ``finishing=False``. A fitted model is left unchanged.
        KeyboardInterrupt
            After Ctrl-C. The attribute ``path`` of the exception contains the models completed so
            far, and this estimator becomes the last of them. If none is complete, this estimator
            is the partly trained model of the smallest C; :meth:`resume` continues its training,
            but not the path.

        Notes
        -----
        The model of the smallest C is fitted as by :meth:`fit`. The other models are computed from
        it, and then all samples are evaluated for all values of C together, ``max_iter`` times;
        with -1, until no sample violates the optimality conditions of any model by more than
        ``tol``. ``"auto"`` is -1 up to 5000 samples, and 1 with more samples.

        Examples
        --------
        >>> from sklearn.datasets import make_friedman1
        >>> from sklearn_online_svm import LASVR
        >>> X, y = make_friedman1(1000, noise=1.0, random_state=0)
        >>> model = LASVR(epsilon=0.5, random_state=0)
        >>> path = model.fit_path(X[:500], y[:500], [0.1, 1, 10])
        >>> [model.C for model in path]
        [0.1, 1.0, 10.0]
        >>> scores = path.scores(X[500:], y[500:])
        >>> bool(scores[0] < scores[2])
        True
        """
        path = fit_path(self, X, y, Cs, sample_weight)
        warn_of_tube(self._plan(), self._machine, y, sample_weight)
        return path

    def predict(self, X):
        r"""Predict target values, :math:`f(x) = \sum_i \alpha_i K(x_i, x) + b`.

        Samples are processed in blocks: besides the result, memory does not grow with their
        number.

        $kernel_samples

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted values.

        $not_fitted
        ValueError
            If the input is invalid, or a predicted value overflows.
        """
        view = self._view()
        values = view._decision_values(X)
        return values[:, 0] if view._fitted.targets.is_flat else values

    @available_if(_keeps_support_vectors)
    def leave_one_out_predict(self, X, y, sample_weight=None):
        r"""Estimate the predictions for the training samples, each without the sample.

        As ``cross_val_predict(model, X, y)`` with one sample in each fold, but computed from the
        current solution. The residuals ``y - leave_one_out_predict(X, y)`` approximate those of
        new samples: use them to estimate the error and for prediction intervals.

        Parameters
        ----------
        $training_set
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Target values of the training samples.
        sample_weight : array-like of shape (n_samples,), default=None
            Sample weights that were passed to ``fit`` or ``partial_fit``, if any.

        Returns
        -------
        predictions : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Predicted values.

        $training_set_errors

        Notes
        -----
        The prediction for a sample with :math:`\alpha_i = 0` is :math:`f(x_i)`. For a support
        vector, the problem is solved again without it, from the current solution (a warm start)
        and with a tolerance of ten times ``tol``. The number of operations is limited (to about
        one second of work). Support vectors with the largest shift :math:`|\alpha_i| S_i^2` come
        first, where the span :math:`S_i` is the distance of :math:`x_i`, in kernel space, from the
        combinations of the other free support vectors. The predictions for the rest are
        :math:`f(x_i) - \alpha_i S_i^2` [1]_, which is exact if the same vectors are free without
        the sample, and the same at their bounds. With a few thousand samples, this takes about ten
        times as long as a fit. After a single epoch, samples outside of the tube that are not
        support vectors can become support vectors in these solutions. Not available with
        ``window_size`` or ``max_support_vectors``.

        References
        ----------
        .. [1] Chapelle, Vapnik, Bousquet, Mukherjee: Choosing multiple parameters for support
           vector machines. Machine Learning 46, 2002.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.datasets import make_friedman1
        >>> from sklearn_online_svm import LASVR
        >>> X, y = make_friedman1(1300, noise=1.0, random_state=0)
        >>> model = LASVR(C=10, epsilon=0.5, random_state=0).fit(X[:300], y[:300])
        >>> residuals = y[:300] - model.leave_one_out_predict(X[:300], y[:300])
        >>> new = y[300:] - model.predict(X[300:])
        >>> bool(0.8 < np.abs(residuals).mean() / np.abs(new).mean() < 1.2)
        True
        """
        check_is_fitted(self)
        model = copy.deepcopy(self)  # other threads may train this model meanwhile
        model._changed_params()  # raises if fixed parameters have changed
        machine = model._machine
        targets, given = machine.targets, X  # with its feature names
        X, y = targets.validated(model, X, y, reset=False, accept_sparse=model._plan().layouts)
        encoded, n_rows = targets.encode(X, y), machine.next_id
        if len(y) != n_rows or not are_samples(machine, X, encoded):
            raise ValueError(
                "leave_one_out_predict needs the training samples, all of them in their order, "
                f"with their target values: {n_rows} samples. X or y differ from them."
            )
        weights = check_weights(sample_weight, X, allow_all_zero=False)
        values = left_out_values(model, X, encoded, weights, model._decision_values(given))
        return values[:, 0] if targets.is_flat else values

    # ---------------------------------------------------------------------------- targets

    @property
    def n_outputs_(self):
        """Number of outputs."""
        return self._fitted.targets.n_outputs

    @property
    def epsilon_(self):
        """Half the width of the tube in use."""
        return self._fitted.targets.epsilon

    # ---------------------------------------------------------------------------- conventions

    def _plan(self):
        params = params_of(self)
        return plan_of(
            self,
            params,
            ValueTargets,
            solver_of_values,
            EPOCHS,
            # A kernel that is not positive definite makes the problem with a squared loss
            # unbounded: repeated epochs show it by coefficients that are not finite.
            in_batch=params.loss == "epsilon_insensitive",
            refusals=(refuse_limits, refuse_unbounded, refuse_intervals_of_matrix),
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        return tags


def solver_of_values(params, targets):
    """Return the specification of the solver."""
    common = dict(
        tol=targets.tolerance(params.tol),
        shrinking=bool(params.shrinking),
        window_size=params.window_size,
        budget=0 if params.max_support_vectors is None else int(params.max_support_vectors),
        epsilon=targets.epsilon,
    )
    if params.algorithm == "lasvm":
        return LasvmSpec(**common)
    return GapDrivenSpec(algorithm=params.algorithm, gap_floor=float(params.C), **common)


def are_samples(machine, X, encoded):
    """Return whether the support vectors are samples of X, with these targets."""
    epsilon = machine.targets.epsilon
    if not are_rows_of(machine.spec, machine.engine.current_solution(), X):
        return False
    for problem, y in zip(machine.engine.problems, encoded.T, strict=True):
        members = problem.view()
        kept = members.target + epsilon * members.y
        rounding = 1e-12 * (np.abs(y).max() + epsilon)
        if not np.allclose(kept, y[members.row_id], rtol=0.0, atol=rounding):
            return False
    return True


def bound_and_spread(machine):
    """Yield three numbers of each output, over the support set.

    The share of the support vectors at their bound, and the standard deviations of decision values
    and of targets.
    """
    optimum = machine.optimum
    if optimum is None:
        for problem in machine.engine.problems:
            members = problem.view(used=True)
            alpha = members.alpha
            bound = (alpha <= members.lower) | (alpha >= members.upper)
            spreads = (np.std(v) if len(v) else 0.0 for v in (members.decisions, members.target))
            yield _share(bound, alpha), *spreads
        return
    columns = optimum.solution.coef, optimum.encoded.T, optimum.is_member, optimum.numbers
    for coef, targets, is_member, numbers in zip(*columns, strict=True):
        alpha = coef[: len(targets)]
        wanted = targets[is_member].std() if is_member.any() else 0.0
        yield _share(np.abs(alpha) >= optimum.cost, alpha), numbers["spread"], wanted


def _share(bound, alpha):
    return np.mean(bound[alpha != 0.0]) if alpha.any() else 0.0


def warn_of_tube(plan, machine, y, weights):
    """Warn if the tube contains all targets ``y``, or C or epsilon is too small for them."""
    n_samples, C = machine.n_seen, plan.params.C
    solution, epsilon = machine.current_solution(), machine.targets.epsilon
    values = np.asarray(y, dtype=np.float64)
    if weights is not None:
        values = values[np.broadcast_to(np.asarray(weights), len(values)) != 0.0]
    high, low = np.max(values, 0, initial=-np.inf), np.min(values, 0, initial=np.inf)
    ranges = np.atleast_1d(high - low)
    # Targets that differ by rounding are constant.
    is_constant = ~solution.coef.any(axis=1) & (ranges > 1e-15 * np.abs(high))
    if is_constant.any():
        warn(
            f"This {plan.name} is constant, without support vectors: epsilon={epsilon:.3g} "
            f"and tol={plan.params.tol:.3g} are large compared with the range of y, "
            f"{ranges[is_constant].min():.3g}. Use smaller ones, or {SCALED}.",
            of_part=False,  # y may be flat in a cell
        )
    for share, found, wanted in bound_and_spread(machine):
        if share > BOUND_SHARE and found < FLAT * wanted and SMALL_C * wanted > C:
            warn(
                f"The predictions of this {plan.name} vary much less than the "
                f"targets (standard deviations {found:.2g} and {wanted:.2g}): C={C:g} "
                f"bounds the coefficients of {share:.0%} of the support vectors. Use a larger "
                f"C, or {SCALED}."
            )
            return
    if n_samples < MIN_SAMPLES:
        return
    # Not those of predictions: a solution for them would depend on the end of the chunk.
    n_support = len(solution.support)
    if n_support > LARGEST_SHARE * n_samples:
        warn(
            f"{n_support} of {n_samples} samples are support vectors, because "
            f"epsilon={epsilon:.3g} is small compared with the noise of y: "
            "training and predictions take long. Use a larger epsilon, or max_support_vectors."
        )
