"""Cost-sensitive passive-aggressive classification."""

import sys
from dataclasses import replace
from numbers import Real

import numpy as np

from .._class_codes import code_of
from .._estimator import store_parameters
from .._sklearn_compat import Interval, StrOptions
from .._updates import plan_of
from ._docs import with_shared_docs
from ._model import AVERAGE, INTERCEPT_SCALING, LinearClassifier, linear_spec, positive_is_first
from ._state import LinearState


@with_shared_docs
class CostSensitivePassiveAggressiveClassifier(LinearClassifier):
    r"""Cost-sensitive passive-aggressive classifier (CSPA, CPA).

    It requires a larger margin for samples whose misclassification costs more, to maximize a
    weighted sum of sensitivity and specificity or to minimize the misclassification cost. Read
    more in the :ref:`user guide <linear>`.

    Parameters
    ----------
    C : float or None, default=None
        Maximum step size; ``np.inf`` means no limit. If None, the limit depends on the sample: a
        step changes its margin by at most twice the target margin; see Notes.
    costs : dict of label to float or array-like of shape (n_classes, n_classes), default=None
        Cost of a misclassified sample of each class; classes that are not named have 1. If an
        array, ``costs[y, r]`` is the cost of predicting class r for a sample of class y, with
        zeros on the diagonal. If None, errors on a rare class cost more: the ratio of the costs
        follows from the class counts and ``sensitivity_weight``. With more than two classes, costs
        require ``multi_class="crammer_singer"`` and the rule "prediction" or "max_loss".
    sensitivity_weight : float, default=0.5
        Weight :math:`\eta_p` of the sensitivity, in (0, 1); that of the specificity is
        :math:`\eta_n = 1 - \eta_p`. Used only without ``costs``.
    rule : {"cost_sensitive", "prediction", "max_loss"}, default="cost_sensitive"
        Update rule: CSPA ("cost_sensitive") or one of the two rules of CPA; see Notes.
    pos_label : label, default=None
        The positive class of two classes, used only without ``costs``. If None, 1 (or True); if
        this is not a class, ``classes_[1]`` with a ``sensitivity_weight`` of 0.5, and with other
        weights ``fit`` raises an error.
    average : bool or int, default=True
        Whether to predict with the average of the weights over all samples, which varies much less
        than the last weights. If an integer n greater than 1, averaging begins with sample n.
        Needs a second array of the size of the weights. A :class:`LabelEfficientClassifier` is
        faster with False.
    $multi_class
    $constant_feature
    $epochs
    $weighted_fit

    Attributes
    ----------
    $model
    $counts

    See Also
    --------
    PassiveAggressiveClassifier : Version with equal costs.
    sklearn_online_svm.evaluation.sensitivity_specificity_score : Maximized without ``costs``.
    sklearn_online_svm.evaluation.misclassification_cost : Minimized with ``costs``.

    Notes
    -----
    **Rule "cost_sensitive"** (CSPA; [2]_, section 5). The target margin :math:`\rho_y` of a sample
    of class y is its cost. With y of -1 or 1,

    .. math::

        \ell = \max(0,\; \rho_y - y\, w^\top x), \qquad
        \tau = \min\Bigl(C, \frac{\ell}{\lVert x \rVert^2}\Bigr), \qquad
        w \leftarrow w + \tau y x .

    (The paper scales samples to :math:`\lVert x \rVert = 1`, and costs so that the target margin
    is 1 for negative samples and :math:`\rho = c_p / c_n` for positive ones.) Without ``costs``
    the target margins are 1 and

    .. math:: \rho = \frac{\eta_p T_n}{\eta_n T_p},

    which maximizes the weighted sum of sensitivity and specificity. :math:`T_p` and :math:`T_n`
    are the numbers of positive and negative samples, as running counts plus 1: they include the
    samples processed so far and the present one. With :math:`\eta_p = 0.5` this also minimizes
    the misclassification cost with :math:`c_p = T_n / T` and :math:`c_n = T_p / T`, as in the
    paper. In a :class:`LabelEfficientClassifier` only samples with a queried label are counted.

    **Rule "prediction"** (CPA; [3]_, section 8) updates on mistakes only
    (:math:`y\, w^\top x \le 0`), and uses :math:`\sqrt{\rho_y}` in place of :math:`\rho_y`. **Rule
    "max_loss"** also uses :math:`\sqrt{\rho_y}`, and updates on every sample within this margin.

    **Multiclass.** With "ovr" each class in turn is the positive one. "crammer_singer" requires
    the rule "prediction" or "max_loss" ([3]_). With :math:`\rho(y, r)`, the cost of predicting r
    for y,

    .. math::

        \ell = \sqrt{\rho(y, r)} + w_r^\top x - w_y^\top x, \qquad
        \tau = \min\Bigl(C, \frac{\ell}{2 \lVert x \rVert^2}\Bigr), \qquad
        w_y \leftarrow w_y + \tau x, \quad w_r \leftarrow w_r - \tau x,

    where r is the other class with the highest score, on mistakes only ("prediction"), or the one
    with the largest :math:`\ell` ("max_loss"). A dict of costs gives :math:`\rho(y, r) = \rho_y`;
    without ``costs`` all are 1.

    **Maximum step size.** With the same C for all samples, as in the papers, the total effect of a
    rare class is bounded by its number of samples: where the classes overlap, the frequent class
    dominates for any target margin. ``C=None`` means :math:`C = 2 \rho_y / \lVert x \rVert^2`
    (with the target margin of the rule in place of :math:`\rho_y`, and :math:`2 \lVert x \rVert^2`
    in "crammer_singer"). The change of a margin is then at most twice the target margin, and the
    result does not depend on the scale of the samples; of the costs only the ratios matter, except
    that ``tol`` refers to a loss of their scale. If C is a number, it has the scale of the costs
    (in CPA of their square roots): with :math:`c_n = 1`, the theorems of [1]_ require C of at
    least :math:`\rho`, and the experiments of [2]_ use :math:`C = \rho`.

    **Weights** of samples and classes multiply C. They change the maximum step size; costs change
    the target margin.

    **Intercept.** The extended sample is :math:`(x, s)` with s = ``intercept_scaling``, and the
    intercept is :math:`b = s v`, where v is the weight of the constant feature: as in
    :class:`PassiveAggressiveClassifier`.

    References
    ----------
    .. [1] J. Wang, P. Zhao, S. C. H. Hoi: Cost-sensitive online classification. IEEE Transactions
       on Knowledge and Data Engineering 26, 2014.
    .. [2] J. Lu, P. Zhao, S. C. H. Hoi: Online passive-aggressive active learning. Machine
       Learning 103, 2016.
    .. [3] K. Crammer, O. Dekel, J. Keshet, S. Shalev-Shwartz, Y. Singer: Online passive-aggressive
       algorithms. JMLR 7, 2006.

    Examples
    --------
    One sample in 33 is positive, and the class counts are not known in advance:

    >>> from sklearn_online_svm import (
    ...     CostSensitivePassiveAggressiveClassifier,
    ...     PassiveAggressiveClassifier,
    ... )
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.evaluation import progressive_validation
    >>> X, y = make_waveform(3300, imbalance_ratio=32, random_state=0)
    >>> equal_costs = progressive_validation(PassiveAggressiveClassifier(), X, y)
    >>> weighted = progressive_validation(CostSensitivePassiveAggressiveClassifier(), X, y)
    >>> difference = weighted.sensitivity_specificity() - equal_costs.sensitivity_specificity()
    >>> bool(difference[-1] > 0.05)
    True
    """

    _parameter_constraints: dict = {
        **LinearClassifier._parameter_constraints,
        "intercept_scaling": INTERCEPT_SCALING,
        "C": [Interval(Real, 0.0, None, closed="right"), None],
        "costs": [dict, "array-like", None],
        "sensitivity_weight": [Interval(Real, 0.0, 1.0, closed="neither")],
        "rule": [StrOptions({"cost_sensitive", "prediction", "max_loss"})],
        "pos_label": "no_validation",
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed_params = ("fit_intercept", "average", "multi_class")
    _adjustable_params = (
        *LinearClassifier._adjustable_params,
        "C",
        "costs",
        "sensitivity_weight",
        "rule",
        "pos_label",
        "intercept_scaling",
    )

    def __init__(
        self,
        *,
        C=None,
        costs=None,
        sensitivity_weight=0.5,
        rule="cost_sensitive",
        pos_label=None,
        average=True,
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling="auto",
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
        name = "prediction" if self.rule == "prediction" else "hinge"
        rule = {"name": name, "C": 2.0 if self.C is None else float(self.C)}
        # Whether it is a joint problem depends on the number of classes.
        spec = linear_spec(self, rule, crammer_singer=False)
        return plan_of(self, spec, LinearState, complete=_with_margins)


def _with_margins(plan, schema):
    """Return the specification of the updates with the target margins."""
    params, classes = plan.params, schema.classes
    margins, root = {"relative": params.C is None}, params.rule != "cost_sensitive"
    if params.multi_class == "crammer_singer" and len(classes) > 2:
        if not root:
            raise ValueError(
                "multi_class='crammer_singer' is for rule='prediction' and rule='max_loss'; "
                "got rule='cost_sensitive', which is one class against the rest."
            )
        pairs = np.sqrt(_cost_matrix(params.costs, classes))
        margins |= {"pairs": pairs, "max_loss": params.rule == "max_loss"}
        return replace(plan.update_spec, target_margins=margins, crammer_singer=True)
    margins |= {"root": root, "counted": True}
    if params.costs is None:
        weight = params.sensitivity_weight
        first = positive_is_first(plan, classes, alike=weight == 0.5)
        margins |= {"running": True, "eta_ratio": weight / (1.0 - weight)}
        margins["sign"] = -1.0 if first else 1.0
    elif len(classes) == 2:
        costs = _cost_matrix(params.costs, classes)
        margins["negative"], margins["positive"] = (
            np.sqrt(cost) if root else cost for cost in (costs[0, 1], costs[1, 0])
        )
    else:
        raise ValueError(
            "costs with more than two classes need multi_class='crammer_singer' and "
            "rule='prediction' or rule='max_loss'; "
            f"got multi_class={params.multi_class!r}."
        )
    return replace(plan.update_spec, target_margins=margins)


def _cost_matrix(costs, classes):
    """Return the costs of predicting each class for a sample of each class (row)."""
    of_errors = ~np.eye(len(classes), dtype=bool)
    if costs is None:
        return of_errors.astype(np.float64)
    if isinstance(costs, dict):
        return _costs_of_classes(costs, classes)[:, None] * of_errors
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"costs must be a dict or an array of numbers, got {costs!r}.") from None
    if matrix.shape != of_errors.shape:
        raise ValueError(
            f"costs must be a dict or have shape {of_errors.shape}, got shape {matrix.shape}."
        )
    if not (
        np.isfinite(matrix).all() and (matrix[of_errors] > 0).all() and not np.diag(matrix).any()
    ):
        raise ValueError(
            "costs must be 0 on the diagonal and finite and positive elsewhere, got "
            f"{matrix.tolist()}."
        )
    return matrix


def _costs_of_classes(costs, classes):
    """Return the cost of a misclassified sample of each class from a dict; the default is 1."""
    of_classes = np.ones(len(classes))
    for label, cost in costs.items():
        code = code_of(label, classes)
        if code is None:
            raise ValueError(
                f"costs has the label {label!r}, which is not among the classes "
                f"{classes.tolist()}."
            )
        if not (isinstance(cost, Real) and 0 < cost <= sys.float_info.max):
            raise ValueError(f"costs[{label!r}] must be a finite number > 0, got {cost!r}.")
        of_classes[code] = cost
    return of_classes
