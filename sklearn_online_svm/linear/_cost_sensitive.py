"""Cost-sensitive passive-aggressive classification."""

from dataclasses import replace
from numbers import Real

import numpy as np

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
    objective : {"sum", "cost"}, default="sum"
        Objective that determines :math:`\rho` if ``rho`` is None: "sum" maximizes the weighted sum
        of sensitivity and specificity, "cost" minimizes the misclassification cost; see Notes.
    rule : {"cost-sensitive", "prediction", "max_loss"}, default="cost-sensitive"
        Update rule: CSPA ("cost-sensitive") or one of the two rules of CPA; see Notes.
    rho : float or array-like of shape (n_classes, n_classes), default=None
        Cost of a false negative relative to a false positive. If an array, ``rho[y, r]`` is the
        cost of predicting class r for a sample of class y, with zeros on the diagonal; with more
        than two classes this needs ``multi_class="crammer_singer"``. If None, determined by
        ``objective``.
    eta_p : float, default=0.5
        Weight :math:`\eta_p` of the sensitivity, in (0, 1); the weight of the specificity is
        :math:`\eta_n = 1 - \eta_p`. Used only with ``objective="sum"``.
    cost_p, cost_n : float, default=None
        Costs of a false negative and of a false positive; give both or neither. If None, they are
        computed from the class counts, so that errors on the rare class cost more. Used only with
        ``objective="cost"``.
    pos_label : label, default=None
        Label of the positive class in binary problems. If None, 1 (or True); if this is not a
        class, ``fit`` raises an error unless both classes are treated equally (see Notes). Ignored
        with more than two classes.
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
    sklearn_online_svm.evaluation.sensitivity_specificity_score : Score of ``objective="sum"``.
    sklearn_online_svm.evaluation.misclassification_cost : Score of ``objective="cost"``.

    Notes
    -----
    **Rule "cost-sensitive"** (CSPA; [2]_, section 5). The target margin is :math:`\rho` for a
    positive sample and 1 for a negative one. With :math:`\rho_y` for the two,

    .. math::

        \ell = \max(0,\; \rho_y - y\, w^\top x), \qquad
        \tau = \min\Bigl(C, \frac{\ell}{\lVert x \rVert^2}\Bigr), \qquad
        w \leftarrow w + \tau y x .

    (The paper scales samples to :math:`\lVert x \rVert = 1`.) The value of :math:`\rho` is:

    - ``objective="sum"``: :math:`\rho = \frac{\eta_p T_n}{\eta_n T_p}`, where :math:`T_p` and
      :math:`T_n` are the numbers of positive and negative samples;
    - ``objective="cost"``: :math:`\rho = c_p / c_n`; without costs :math:`c_p = T_n / T` and
      :math:`c_n = T_p / T`, so :math:`\rho = T_n / T_p`;
    - ``rho``, if it is a number.

    :math:`T_p` and :math:`T_n` are running counts plus 1: they include the samples processed so
    far and the present one. In a :class:`LabelEfficientClassifier` only samples with a queried
    label are counted.

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
    with the largest :math:`\ell` ("max_loss").

    **The positive class** (``pos_label``) must be known if sensitivity and specificity, or the two
    kinds of errors, have different weights. It is not needed if they have equal weights
    (``eta_p=0.5``; no costs or equal ones; ``rho=1``) or if ``rho`` is a matrix, because the ratio
    of the margins is then the same for both choices. If ``pos_label`` is None and no class is 1,
    ``classes_[1]`` is then the positive class.

    **Maximum step size.** With the same C for all samples, as in the papers, the total effect of a
    rare class is bounded by its number of samples: where the classes overlap, the frequent class
    dominates for any target margin. ``C=None`` means :math:`C = 2 \rho_y / \lVert x \rVert^2`
    (with the target margin of the rule in place of :math:`\rho_y`, and :math:`2 \lVert x \rVert^2`
    in "crammer_singer"). The maximum step of a positive sample is then :math:`\rho` times that of
    a negative one, the change of a margin is at most twice the target margin, and the result does
    not depend on the scale of the samples. If C is a number, the theorems of [1]_ require C of at
    least :math:`\rho`, and the experiments of [2]_ use :math:`C = \rho`.

    **Weights** of samples and classes multiply C. They change the maximum step size; :math:`\rho`
    changes the target margin.

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
        "objective": [StrOptions({"sum", "cost"})],
        "rule": [StrOptions({"cost-sensitive", "prediction", "max_loss"})],
        "rho": [Interval(Real, 0.0, None, closed="neither"), "array-like", None],
        "eta_p": [Interval(Real, 0.0, 1.0, closed="neither")],
        "cost_p": [Interval(Real, 0.0, None, closed="neither"), None],
        "cost_n": [Interval(Real, 0.0, None, closed="neither"), None],
        "pos_label": "no_validation",
        "average": AVERAGE,
        "multi_class": [StrOptions({"ovr", "crammer_singer"})],
    }
    _fixed_params = ("fit_intercept", "average", "multi_class")
    _adjustable_params = (
        *LinearClassifier._adjustable_params,
        "C",
        "objective",
        "rule",
        "rho",
        "eta_p",
        "cost_p",
        "cost_n",
        "pos_label",
        "intercept_scaling",
    )

    def __init__(
        self,
        *,
        C=None,
        objective="sum",
        rule="cost-sensitive",
        rho=None,
        eta_p=0.5,
        cost_p=None,
        cost_n=None,
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
        n_jobs=None,
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
    is_joint = params.multi_class == "crammer_singer" and len(classes) > 2
    margins, root = {"relative": params.C is None}, params.rule != "cost-sensitive"
    if is_joint:
        if not root:
            raise ValueError(
                "multi_class='crammer_singer' is for rule='prediction' and rule='max_loss'; "
                "got rule='cost-sensitive', which is one class against the rest."
            )
        pairs = np.sqrt(_costs_of_pairs(params, len(classes)))
        margins |= {"pairs": pairs, "max_loss": params.rule == "max_loss"}
        return replace(plan.update_spec, target_margins=margins, crammer_singer=True)
    first = positive_is_first(plan, classes, alike=_treats_classes_alike(params))
    margins |= {"sign": -1.0 if first else 1.0, "root": root, "counted": True}
    rho = _fixed_rho(params, len(classes), first)
    if rho is None:
        margins["running"] = True
        weighted = params.objective == "sum"
        margins["eta_ratio"] = params.eta_p / (1.0 - params.eta_p) if weighted else 1.0
    else:
        negative, positive = rho
        margins["positive"] = np.sqrt(positive) if root else positive
        margins["negative"] = np.sqrt(negative) if root else negative
    return replace(plan.update_spec, target_margins=margins)


def _treats_classes_alike(params):
    """Return whether the objective does not depend on which class is positive."""
    if params.rho is not None:
        # A matrix gives the cost of each class explicitly.
        return np.ndim(params.rho) > 0 or params.rho == 1.0
    if params.objective == "sum":
        return params.eta_p == 0.5
    return None in (params.cost_p, params.cost_n) or params.cost_p == params.cost_n


def _fixed_rho(params, n_classes, first):
    """Return the costs of negative and positive samples; None if by running counts."""
    if params.rho is not None:
        rho = _rho(params)
        if rho.ndim == 0:
            return 1.0, float(rho)
        if n_classes > 2:
            raise ValueError(
                "a cost matrix rho with more than two classes needs "
                f"multi_class='crammer_singer'; got multi_class={params.multi_class!r}."
            )
        rho = _costs_of_pairs(params, n_classes)
        return (rho[1, 0], rho[0, 1]) if first else (rho[0, 1], rho[1, 0])
    if params.objective == "cost" and (params.cost_p is not None or params.cost_n is not None):
        if params.cost_p is None or params.cost_n is None:
            raise ValueError(
                "cost_p and cost_n must both be given, or neither; got "
                f"cost_p={params.cost_p!r}, cost_n={params.cost_n!r}."
            )
        return 1.0, params.cost_p / params.cost_n
    return None


def _rho(params):
    try:
        return np.asarray(params.rho, dtype=np.float64)
    except TypeError:
        raise ValueError(
            f"rho must be a number or a matrix of numbers, got {params.rho!r}."
        ) from None
    except OverflowError:
        raise ValueError(f"rho is too large for a float: {params.rho!r}.") from None


def _costs_of_pairs(params, n_classes):
    """Return the matrix rho[y, r], the cost of predicting r for y."""
    if params.rho is None:
        return 1.0 - np.eye(n_classes)
    rho = _rho(params)
    if rho.ndim == 0:
        return float(rho) * (1.0 - np.eye(n_classes))
    if rho.shape != (n_classes, n_classes):
        raise ValueError(
            f"rho must be a number or have shape {(n_classes, n_classes)}, got {rho.shape}."
        )
    others = rho[~np.eye(n_classes, dtype=bool)]
    if not (np.isfinite(rho).all() and (others > 0).all() and not np.diag(rho).any()):
        raise ValueError(
            "rho, a cost matrix, must be 0 on its diagonal and finite and positive elsewhere."
        )
    return rho
