"""Leave-one-out errors of support vector machines: exact, estimated and bounded.

Removing a sample that is not a support vector does not change the solution. For support vectors
the prediction without the sample is estimated from the solution (``_span.py``), bounded, or
computed by solving the problem without the sample. Estimates and bounds are *shifts*: the
decrease of the decision function value of a sample, in a binary problem, when it is left out.
"""

import copy

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from ... import _limits
from ..._sklearn_compat import available_if
from ..._threads import warn
from ..._validation import check_samples, check_weights, encode_labels
from ._left_out import LOOSE, Training, engine_over, solve_without, without_each
from ._solution_view import are_rows_of, solution_views
from ._span import may_limit_bias, proven_shifts, span_shifts, xi_alpha_shifts

METHODS = ("exact", "span", "xi-alpha")
# Algorithms whose solution depends on which samples are outliers.
OF_RAMP = ("lasvm-nc", "lasvm-i")

# In place of an infinite shift, after which differences of decision values would not be numbers.
LARGEST = 1e300


def _offers_leave_one_out(model):
    """Raise AttributeError unless solutions are those of a convex problem over samples."""
    algorithm, window_size = map(model._params_in_use().get, ("algorithm", "window_size"))
    if algorithm in OF_RAMP:
        raise AttributeError(
            f"The leave-one-out error does not follow from a solution of algorithm={algorithm!r}: "
            "which samples are outliers depends on all others. Use cross-validation."
        )
    if window_size is not None:
        raise AttributeError(
            "The leave-one-out error does not follow from a solution with window_size="
            f"{window_size}: samples have been removed from the support set. Use "
            "progressive_validation."
        )
    return True


# The attribute and the methods of LASVC and ActiveLASVC.


@property
def leave_one_out_estimate_(self):
    """Leave-one-out error estimated from the current solution."""
    view = self._view()
    with view._reading() as (machine, engine):
        spec = machine.spec
        _offers_leave_one_out(view)
        if spec.layout == "precomputed":
            raise AttributeError(
                "leave_one_out_estimate_ needs kernel values between support vectors, which "
                "are not stored with kernel='precomputed'. Use "
                "leave_one_out(X, y, method='span').mean() with the matrix given to fit."
            )
        solution = engine.current_solution()
        vectors = engine.store.vectors(np.arange(engine.store.n_slots))
        problems = solution_views(engine, spec, vectors, "index")
    kept = solution.support
    scores = np.empty((len(kept), len(problems)))
    solution.decide(vectors[kept], scores)
    for c, problem in enumerate(problems):
        scores[:, c] -= span_shifts(problem)[kept]
    n_wrong = np.count_nonzero(view._predicted(scores) != solution.labels)
    return n_wrong / machine.n_labels if machine.n_labels else np.nan


@available_if(_offers_leave_one_out)
def leave_one_out_errors(self, X, y, sample_weight=None, *, method="exact"):
    r"""Return which samples are misclassified when they are left out of training.

    The mean is the leave-one-out error, that is, the error over n models, each of them trained
    on all samples but one and tested on this one. It refers to the optimum over the samples
    (``max_iter=-1``): a copy of this model is first trained to this optimum; the model itself
    is not changed. Parameters are those of the last training call; ``gamma_`` and the class
    weights (``class_weight_``) are not recomputed when a sample is left out.

    Parameters
    ----------
    $training_set
    y : array-like of shape (n_samples,)
        Labels of the training samples.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights of the training, if there were any. Samples of weight 0 are ignored by
        all models.
    method : {"exact", "span", "xi-alpha"}, default="exact"
        Method of computation.

        - ``"exact"``: solves the binary problems of the sample without it, warm-started from the
          current solution, to ``tol``. This is skipped for samples that are not support vectors,
          for samples that are already misclassified, and for samples that are proven to stay
          correctly classified (see Notes).
        - ``"span"``: the span estimate, which requires no further training. Exact for a sample
          without which the same support vectors are free, at their bounds, and at zero.
        - ``"xi-alpha"``: an upper bound, often a loose one. Always valid without a bias; with
          a bias, valid as long as some support vector is free without the sample.

    Returns
    -------
    wrong : ndarray of shape (n_samples,), dtype=bool
        Whether the model trained on the other samples misclassifies the sample. With
        ``"xi-alpha"``: whether it may misclassify the sample.

    $not_fitted
    ValueError
        If the input is invalid, X and y are not the training samples, a class has no sample, a
        parameter was changed that must not change, or ``method`` is unknown.

    Notes
    -----
    With :math:`f_i` for the model trained without sample i, in a problem with labels
    :math:`\pm 1`:

    - A sample with :math:`\alpha_i = 0` does not change the solution. (If no support vector is
      free, it may still limit the bias; it is then left out like the others.)
    - :math:`y_i f_i(x_i) \le y_i f(x_i)` for a sample within its margin, because it loses its
      own contribution. So samples that are misclassified remain misclassified.
    - The span :math:`S_i` is the distance, in kernel space, of :math:`x_i` from the
      combinations :math:`\sum_j \lambda_j x_j` of the other free support vectors (with a bias:
      :math:`\sum_j \lambda_j = 1`). If they replace the sample, and all others stay at their
      bounds, :math:`f_i(x_i) = f(x_i) - \alpha_i S_i^2` [1]_ [2]_. If no other support vector
      is free, the sample is replaced by the one that would become free next.
    - The dual objective is a concave function of :math:`\alpha_i`. So
      :math:`y_i f_i(x_i) \ge y_i f(x_i) - 2 |\alpha_i| S_i^2` is proven if the free support
      vectors can replace the sample twice, with :math:`\alpha_j + 2 \alpha_i \lambda_j` within
      their boxes; and without a bias
      :math:`y_i f_i(x_i) \ge y_i f(x_i) - |\alpha_i| K(x_i, x_i)` [3]_.
    - With a bias, :math:`y_i f_i(x_i) \ge y_i f(x_i) - |\alpha_i| D_i^2`, with :math:`D_i` the
      distance to the farthest sample in kernel space, as long as some support vector is free.
      This is :math:`1 - \xi_i - 2 |\alpha_i| R^2` [4]_ with an :math:`R^2` for each sample.

    With more than two classes this holds for each decision function, and the largest value
    gives the class. With ``multi_class="ovo"`` a sample is left out of the pairs of its class
    only, and its margin in each of them can only become smaller: its class loses votes and the
    others gain them. So bounds of the margins give bounds of the votes, and a misclassified
    sample remains misclassified. A tie of votes counts as in ``predict``: the class is the first
    one (with ``break_ties=True``, that of the largest decision value).

    With a bias, if no support vector is free without the sample (classes of
    equal size and a very small C), every bias in an interval is optimal, and the result may
    depend on the one that the solver returns. For a function that is not positive semidefinite
    (sigmoid) there is no proof.

    ``"exact"`` solves up to one problem per support vector (digits, 1797 samples with 5 % of wrong
    labels: 0.5 seconds); at the maximum number of steps the rest are spans. ``"span"`` inverts a
    matrix over the free support vectors of each binary problem, and needs a small multiple of 8
    bytes for each pair of them.

    References
    ----------
    .. [1] Vapnik, Chapelle: Bounds on error expectation for support vector machines. Neural
       Computation 12, 2000.
    .. [2] Chapelle, Vapnik, Bousquet, Mukherjee: Choosing multiple parameters for support
       vector machines. Machine Learning 46, 2002.
    .. [3] Jaakkola, Haussler: Probabilistic kernel regression models. AISTATS, 1999.
    .. [4] Joachims: Estimating the generalization performance of an SVM efficiently. ICML,
       2000.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> X, y = make_banana_like(200, random_state=0)
    >>> model = LASVC(max_iter=-1, tol=1e-6, random_state=0).fit(X, y)
    >>> wrong = model.leave_one_out_errors(X, y)
    >>> bool(wrong.mean() > 1 - model.score(X, y))
    True
    >>> bool(abs(model.leave_one_out_estimate_ - wrong.mean()) < 0.02)
    True
    """
    check_is_fitted(self)
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}, got {method!r}.")
    try:
        optimum = Optimum(self, X, y, sample_weight)
        if method == "exact":
            return optimum.exact_errors()
        return optimum.wrong(optimum.moved(span_shifts if method == "span" else xi_alpha_shifts))
    except KeyboardInterrupt:
        # Drop the advice to call `resume`: this model has not been changed.
        raise KeyboardInterrupt from None


@available_if(_offers_leave_one_out)
def leave_one_out_decision_function(self, X, y, sample_weight=None):
    r"""Estimate the decision values of the training samples, each without the sample.

    As ``cross_val_predict(model, X, y, method="decision_function")`` with one sample in each
    fold, but computed from the current solution. Use the values in place of those of held-out
    samples: to calibrate, to choose a threshold, or as conformity scores.

    Parameters
    ----------
    $training_set
    y : array-like of shape (n_samples,)
        Labels of the training samples.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights that were passed to ``fit`` or ``partial_fit``, if any.

    Returns
    -------
    scores : ndarray of shape (n_samples,) or (n_samples, n_columns)
        Decision values, in the form of ``decision_function``.

    $training_set_errors

    See Also
    --------
    leave_one_out_errors : Which samples are misclassified when they are left out.

    Notes
    -----
    The value of a sample with :math:`\alpha_i = 0` is :math:`f(x_i)`. For a support vector, the
    problem is solved again without it, from the current solution (a warm start) and with a
    tolerance of ten times ``tol``. The number of operations is limited (to about one second of
    work). Support vectors with the largest shift :math:`|\alpha_i| S_i^2` come first, one of each
    class in turn; the span :math:`S_i` is defined in :meth:`leave_one_out_errors`. The values of
    the rest are the estimates :math:`f(x_i) - \alpha_i S_i^2`. With a few thousand samples, this
    takes about ten times as long as a fit. After a single epoch, samples within the margin that
    are not support vectors can become support vectors in these solutions. ``probability=True``
    uses the estimates for all support vectors.

    Examples
    --------
    Accuracy without each sample, and on the training samples:

    >>> import numpy as np
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> X, y = make_waveform(300, random_state=0)
    >>> model = LASVC(C=10, random_state=0).fit(X, y)
    >>> scores = model.leave_one_out_decision_function(X, y)
    >>> bool(np.mean(y * scores > 0) < model.score(X, y))
    True
    """
    check_is_fitted(self)
    model = copy.deepcopy(self)  # other threads may train this model meanwhile
    given = X  # with its feature names
    X, y, codes = training_samples(model, X, y, "leave_one_out_decision_function")
    weights = check_weights(sample_weight, X, allow_all_zero=False)
    values = left_out_values(model, X, codes, weights, model._decision_values(given))
    return model._class_scores(values).shaped()


def left_out_values(model, X, encoded, weights, scores, loose=LOOSE):
    """Return decision values of validated training samples, each without the sample.

    The problems without a sample are solved to ``loose`` times ``tol`` (see ``Training``).
    """
    machine = model._fitted
    is_optimal = machine.violation <= machine.spec.solver.tol
    training = Training(machine.spec, machine.targets, X, encoded, weights, is_optimal, loose)
    with model._reading() as (machine, engine):
        problems = solution_views(engine, machine.spec, X, "row_id")
    return without_each(training, problems, scores, work=_limits.LEFT_OUT_WORK)


def held_out(self, X, codes, scores, loose=LOOSE):
    """Return ``scores``, or if X are the training samples the values without each of them."""
    spec = self._fitted.spec
    solver, is_matrix = spec.solver, spec.layout == "precomputed"
    if solver.algorithm in OF_RAMP or solver.window_size is not None or is_matrix:
        return scores
    model = copy.deepcopy(self)  # other threads may train this model meanwhile
    X = check_samples(model, X, reset=False, accept_sparse=model._plan().layouts)
    if not are_training_samples(model, X, codes):
        return scores
    return left_out_values(model, X, codes, np.ones(len(codes)), scores, loose)


def training_samples(model, X, y, caller):
    """Return validated training samples, labels and class codes; raise ValueError for others."""
    model._changed_params()  # raises if fixed parameters have changed
    X, y = check_samples(model, X, y, reset=False, accept_sparse=model._plan().layouts)
    codes = encode_labels(y, model._fitted.targets.classes)
    if not are_training_samples(model, X, codes):
        raise ValueError(
            f"{caller} needs the training samples, all of them in their order, with their labels: "
            f"{model._fitted.next_id} samples. X or y differ from them."
        )
    return X, y, codes


def are_training_samples(model, X, codes):
    """Return whether these are the training samples, as far as support vectors show it."""
    machine = model._fitted
    solution = machine.engine.current_solution()
    if len(codes) != machine.next_id or not are_rows_of(machine.spec, solution, X):
        return False
    return bool((codes[solution.row_ids] == solution.labels).all())


class Optimum:
    """Optimum over all samples of a model, and predictions without each of them."""

    def __init__(self, model, X, y, sample_weight):
        model = copy.deepcopy(model)
        self.X, self.y, self.codes = training_samples(model, X, y, "leave_one_out_errors")
        weights = check_weights(sample_weight, self.X, allow_all_zero=False)
        if not np.bincount(self.codes, minlength=len(model.classes_)).all():
            raise ValueError(
                "leave_one_out_errors needs samples of every class: one of classes_ has none."
            )
        self.weights = weights * model.class_weight_[self.codes]
        in_use = model._params_in_use()
        new = dict(max_iter=-1, warm_start=True, class_weight=None, verbose=0, random_state=0)
        model.set_params(**{name: in_use[name] for name in model._adjustable_params} | new)
        if hasattr(model, "selection"):
            model.set_params(selection="random", stopping=None, max_labels=None)
        if isinstance(model.gamma, str):
            model.set_params(gamma=model.gamma_)
        self.model = model.fit(self.X, self.y, self.weights)
        self.scores = self.model._decision_values(self.X)
        machine = model._fitted
        self.terms = machine.targets.linear_terms(self.codes)
        samples = [np.flatnonzero(~np.isnan(y)) for y in self.terms]
        self.problems = solution_views(machine.engine, machine.spec, self.X, "row_id", samples)

    def moved(self, shifts):
        """Return the decision values of each sample after they are shifted."""
        moved = self.scores.copy()
        for c, problem in enumerate(self.problems):
            moved[:, c] -= np.clip(shifts(problem), -LARGEST, LARGEST)
        return moved

    def wrong(self, scores):
        """Return whether each sample is misclassified by these decision values."""
        return self.model._predicted(scores) != self.codes

    def exact_errors(self):
        """Return whether each sample is misclassified by a model trained without it."""
        wrong, doubtful = self.wrong(self.scores), self.wrong(self.moved(proven_shifts))
        for problem, margins in zip(self.problems, self.terms * self.scores.T, strict=True):
            doubtful |= may_limit_bias(problem, margins)
        # Without its only sample a class cannot be predicted.
        machine, used, chosen, others = self.model._fitted, self.weights > 0.0, [], []
        wrong |= doubtful & (np.bincount(self.codes[used])[self.codes] == 1)
        doubtful &= ~wrong
        if not doubtful.any():
            return wrong
        for problem, terms in zip(self.problems, self.terms, strict=True):
            is_other = (problem.alpha == 0.0) & ~np.isnan(terms) & used
            others.append(np.flatnonzero(is_other))
            # Those with alpha = 0 change the solution only if they may limit the bias.
            may_change = (problem.alpha != 0.0) | (is_other & (not len(problem.free)))
            chosen.append(np.flatnonzero(doubtful & may_change))
        given = machine.spec, machine.targets, self.X, self.codes, self.weights
        training = Training(*given, is_optimal=True, loose=1.0)
        cost = np.where(used, self.model.C, 0.0) * self.weights
        engine = engine_over(training, self.problems, self.scores, others, cost)
        scores = self.moved(span_shifts)
        solve_without(engine, chosen, self.scores, scores, None)
        if engine.out_of_steps:
            warn(
                "leave_one_out_errors reached the maximum number of steps; the other samples have "
                "span estimates. Use a smaller C or a larger tol.",
                ConvergenceWarning,
            )
        return wrong | (doubtful & self.wrong(scores))
