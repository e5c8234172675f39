"""AdvicePassiveAggressiveClassifier: passive-aggressive classification with advice."""

from dataclasses import dataclass, replace
from numbers import Integral, Real

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .._estimator import store_parameters
from .._sklearn_compat import Interval, StrOptions
from .._updates import plan_of
from .._validation import check_samples
from ._advice import Advice
from ._advice_rules import check_advice, keep_of, rules_of, shortfalls, warn_of_contradictions
from ._advised_state import AdvisedState
from ._docs import with_shared_docs
from ._model import LinearClassifier, linear_spec


@dataclass(frozen=True)
class AdviceReport:
    """Report on how far a model violates a piece of advice; ``str`` gives a short text.

    Attributes
    ----------
    advice : Advice
        The piece of advice.
    violation : float
        Distance from the model to the nearest model that follows the advice; 0 if the advice is
        followed. With several classes, the square root of the sum of the squared distances.
    coef_change : dict of str to float
        Change of the weights that leads to this nearest model, by feature, the largest first. With
        several classes, the change for the class ``against``.
    intercept_change : float
        Change of the intercept that leads to this nearest model.
    against : label or None
        With several classes, the class whose decision function violates the advice most.
    n_samples : int or None
        Number of the given samples that lie in the region; None if no samples were given.
    n_contradicted : int or None
        Number of these samples for which the model predicts another label.
    """

    advice: Advice
    violation: float
    coef_change: dict
    intercept_change: float
    against: object = None
    n_samples: int | None = None
    n_contradicted: int | None = None

    def __str__(self):
        text = f"{self.advice}: "
        if self.violation == 0.0:
            text += "followed."
        else:
            text += f"contradicted by {self.violation:.3g}"
            if self.against is not None:
                text += f", most by the decision function of class {self.against!r}"
            changes = [f"{name} {size:+.3g}" for name, size in self.coef_change.items()]
            if len(changes) > 3:
                changes[3:] = [f"{len(changes) - 3} other weights"]
            if self.intercept_change != 0.0:
                changes.append(f"intercept {self.intercept_change:+.3g}")
            text += f"; change needed: {', '.join(changes)}."
        if self.n_samples is not None:
            counts = f"{self.n_contradicted} of {self.n_samples} samples in the region"
            text += f" {counts} get another label."
        return text


@with_shared_docs
class AdvicePassiveAggressiveClassifier(LinearClassifier):
    r"""Knowledge-based passive-aggressive classifier, trained with advice and samples.

    The initial weights are those of the rules (see ``initial_weights``). Each sample causes a
    PA-II update and also moves the weights a little towards the rules. Good advice reduces the
    number of labels needed at the beginning; the effect of bad advice vanishes, the sooner the
    smaller ``advice_weight`` is. ``partial_fit`` without samples gives the model of the rules
    alone. Read more in the :ref:`user guide <advice>`.

    Parameters
    ----------
    advice : list of Advice, default=None
        The rules. With None or an empty list the model is ``PassiveAggressiveClassifier`` with
        ``loss="squared_hinge"`` and ``intercept_scaling=1``.
    C : float, default=1.0
        Aggressiveness parameter: weight of the squared loss (:math:`\lambda / 2` in [1]_).
    advice_weight : float, default=0.001
        Weight of each rule (:math:`\mu` in [1]_): with m rules, each sample moves the weights by
        the fraction :math:`1 - \nu = m \mu / (1 + m \mu)` of the way towards the weights of the
        rules. So the effect of a sample lasts for about :math:`1 / (m \mu)` samples. With 0 the
        advice only determines the initial weights.
    initial_weights : {"advice", "zero"}, default="advice"
        Weights before the first sample. ``"advice"``: those that follow from the rules alone, so
        that the model classifies by the rules at once. ``"zero"``: 0, as in [1]_; the rules then
        take effect through ``advice_weight`` alone, which takes about :math:`1 / (m \mu)`
        samples.
    refine : bool or int, default=False
        Whether samples update the advice vectors :math:`u_i`, which say how much each condition of
        a rule contributes to the margin. The rules themselves do not change. If an integer, the
        number of alternations between weights and advice vectors for each sample, at most 1000;
        True is 1. See Notes.
    fit_intercept : bool, default=True
        Whether to fit the intercept, as the weight of an additional feature that is always 1.
        Without an intercept, a rule whose region contains the origin has no effect.
    $epochs
    warm_start : bool, default=False
        Whether ``fit`` continues from the current weights. The counts of samples start again at
        0, and the advice is that of the parameter ``advice``.
    $class_weight

    Attributes
    ----------
    $classes
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Weights of the features, with the dtype of X (float32 or float64). A sparse matrix after
        ``sparsify``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercept of each decision function; 0 without ``fit_intercept``.
    advice_violation_ : ndarray of shape (n_advice,)
        Violation of each rule by the model, 0 if the rule is followed; see Notes.
    $n_iter
    n_updates_ : int
        Number of samples with a positive loss since the start of ``fit``, over all epochs.
    $features

    See Also
    --------
    Advice : A rule, created from readable conditions or from a decision tree.
    PassiveAggressiveClassifier : Version without advice.

    Notes
    -----
    **Advice vectors.** A rule :math:`D x \le d \Rightarrow z f(x) \ge 1`, z = 1 or -1,
    holds if there is :math:`u \ge 0` with :math:`D^\top u + z w = 0` and :math:`d^\top u \le -1`.
    The advice vector u says how much each condition contributes to the margin, and :math:`r_i =
    -z_i D_i^\top u_i` is the weight vector of the rule. The initial :math:`u_i` are the solution
    of the problem without samples,

    .. math::

        \min_{w, u \ge 0} \tfrac{1}{2} \lVert w \rVert^2 + \tfrac{\mu}{2} \sum_i \Bigl(
        \lVert D_i^\top u_i + z_i w \rVert^2 + \max(0, 1 + d_i^\top u_i)^2 \Bigr) .

    **Update** [1]_. With r, the mean of the :math:`r_i`, and :math:`\nu = 1 / (1 + m \mu)`, a
    sample replaces w by the minimizer of

    .. math::

        \tfrac{1}{2} \lVert w' - w \rVert^2 + C \max(0, 1 - y\, w'^\top x)^2
        + \tfrac{\mu}{2} \sum_i \lVert w' - r_i \rVert^2 ,

    which is

    .. math::

        c = \nu w + (1 - \nu) r, \qquad
        w' = c + \nu \alpha y x, \qquad
        \alpha = \frac{\max(0, 1 - y\, c^\top x)}{1 / (2C) + \nu \lVert x \rVert^2} .

    The closed form printed in [1]_ is not this minimizer: its :math:`\beta^i` have :math:`\lVert x
    \rVert^2` where the minimizer has the matrix :math:`x x^\top`. The step to c is made for every
    sample, in constant time: the model stores z with :math:`w = r + \sigma z` and multiplies
    :math:`\sigma` by :math:`\nu`. The cost of a sparse sample is proportional to its nonzeros.

    **Initial weights.** The initial weights are r, or 0 with ``initial_weights="zero"``, as in
    [1]_. ``partial_fit`` accepts a chunk without samples, ``X[:0], y[:0]``, which gives the model
    with these weights.

    **Refining.** With ``refine=True`` each sample then moves every :math:`u_i \ge 0` to the
    minimizer of

    .. math::

        \tfrac{1}{2} \lVert u - u_i \rVert^2 + \tfrac{\mu}{2} \Bigl(
        \lVert D_i^\top u + z_i w' \rVert^2 + \max(0, 1 + d_i^\top u)^2 \Bigr) .

    With ``refine=n`` both steps are made n times, each time from the w and :math:`u_i` before the
    sample, and with the :math:`r_i` of the last :math:`u_i`. As n grows, :math:`w'` and
    the :math:`u_i` converge to the joint minimizer, which defines the update in [1]_.

    **Violation.** ``advice_violation_`` is the square root of the least :math:`\lVert D^\top u + z
    w \rVert^2 + \max(0, 1 + d^\top u - z b)^2` over :math:`u \ge 0`, where b is the intercept.
    This is the distance of (w, b) from the nearest model with a margin of 1 for all samples in the
    region. With several classes the squares are added.

    **Multiclass.** Each class is trained against the rest: a rule with label k is positive for
    class k and negative for all others.

    **Weights** of samples and classes multiply C. They do not change the step towards the advice,
    except that a sample of weight 0 is skipped.

    **Units.** Rules and samples must have the same units. With scaled data use
    :meth:`Advice.transformed_by`.

    References
    ----------
    .. [1] G. Kunapuli, K. P. Bennett, R. Maclin, J. W. Shavlik: Online learning with
       knowledge-based SVMs. 2010.

    .. [2] G. M. Fung, O. L. Mangasarian, J. W. Shavlik: Knowledge-based support vector machine
       classifiers. NIPS 15, 2003.

    Examples
    --------
    Three labelled samples and two rules:

    >>> from sklearn_online_svm import Advice, AdvicePassiveAggressiveClassifier
    >>> names = ["glucose", "bmi"]
    >>> rules = [
    ...     Advice.from_conditions({"glucose": (">=", 1), "bmi": (">=", 1)}, names, label=1),
    ...     Advice.from_conditions({"glucose": ("<=", -1)}, names, label=0),
    ... ]
    >>> model = AdvicePassiveAggressiveClassifier(rules)
    >>> X, y = [[0.5, 0.9], [-0.5, 0.1], [0.2, -0.4]], [1, 0, 0]
    >>> model = model.partial_fit(X, y, classes=[0, 1])
    >>> model.predict([[2.0, 2.0], [-3.0, 0.0]])
    array([1, 0])
    >>> print(model.explain_advice()[1])
    glucose <= -1 => 0: contradicted by 0.494; change needed: bmi -0.494.
    """

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "advice": [list, tuple, None],
        "C": [Interval(Real, 0.0, None, closed="right")],
        "advice_weight": [Interval(Real, 0.0, None, closed="left")],
        "initial_weights": [StrOptions({"advice", "zero"})],
        # A sample is not interrupted: the limit bounds its time.
        "refine": ["boolean", Interval(Integral, 0, 1000, closed="both")],
    }
    _fixed_params = ("fit_intercept", "initial_weights")
    _adjustable_params = (
        *LinearClassifier._adjustable_params,
        "C",
        "advice_weight",
        "refine",
        "advice",
    )
    _stored_as = {"_state": AdvisedState}

    def __init__(
        self,
        advice=None,
        *,
        C=1.0,
        advice_weight=0.001,
        initial_weights="advice",
        refine=False,
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
        spec = linear_spec(self, {"name": "squared_hinge", "C": float(self.C)})
        return plan_of(self, spec, AdvisedState, complete=_with_advice, fewest=0)

    # ---------------------------------------------------------------------------- the advice

    @property
    def advice_violation_(self):
        """Violation of each rule by the model."""
        return np.array([report.violation for report in self.explain_advice()])

    def explain_advice(self, X=None):
        """Report whether the model follows each rule, and by how much it violates it.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), default=None
            Samples. The reports count those in each region, and those among them for which the
            model predicts another label than the advice.

        Returns
        -------
        reports : list of AdviceReport
            One report for each piece of advice; ``print`` shows it as text.

        $not_fitted
        ValueError
            If X is invalid.
        """
        view = self._view()
        check_is_fitted(view)
        if X is not None:
            X = check_samples(view, X, reset=False)
            predicted = view.predict(X)
        coef, intercept = view._state.weights(self._guard)
        coef = coef.toarray() if sparse.issparse(coef) else coef
        names = getattr(view, "feature_names_in_", None)
        classes = view.classes_.tolist()
        positive = classes[1:] if len(classes) == 2 else classes
        reports = []
        for piece in view._fitted_params[-1] or ():
            signs = np.array([1.0 if piece.label == label else -1.0 for label in positive])
            eta, zeta = shortfalls(piece, signs, coef, intercept)
            squares = (eta**2).sum(axis=1) + zeta**2
            worst = int(squares.argmax())
            known = piece.feature_names if names is None else names
            change = {
                (f"x{k}" if known is None else str(known[k])): float(-signs[worst] * eta[worst, k])
                for k in np.argsort(-np.abs(eta[worst]), kind="stable")
                if eta[worst, k] != 0.0
            }
            counts = {}
            if X is not None:
                inside = piece.contains(X)
                wrong = predicted[inside] != piece.label
                counts = {"n_samples": int(inside.sum()), "n_contradicted": int(wrong.sum())}
            reports.append(
                AdviceReport(
                    advice=piece,
                    violation=float(np.sqrt(squares.sum())),
                    coef_change=change,
                    intercept_change=float(signs[worst] * zeta[worst]),
                    against=None if len(classes) == 2 else positive[worst],
                    **counts,
                )
            )
        return reports


def _with_advice(plan, schema):
    """Return the specification of the updates with the rules of the advice, if there is any."""
    params, spec = plan.params, plan.update_spec
    if not params.advice:
        return spec
    classes = schema.classes
    pieces = check_advice(params.advice, classes, schema.n_features, schema.feature_names)
    warn_of_contradictions(pieces)
    rules = rules_of(
        pieces,
        classes,
        fit_intercept=params.fit_intercept,
        weight=params.advice_weight,
        zero_start=params.initial_weights == "zero",
        refine=params.refine,
    )
    # Starting from c, the step is that of PA-II with nu C in place of C.
    return replace(spec, rule=spec.rule | {"C": params.C * keep_of(rules)}, advice=rules)
