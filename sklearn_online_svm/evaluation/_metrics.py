"""Metrics for imbalanced classes and unequal costs, and their scorers."""

from numbers import Real

import numpy as np
from scipy.stats import gmean
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import make_scorer, recall_score, roc_curve
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target, unique_labels

from .._sklearn_compat import Interval, validated
from .._threads import warn
from .._validation import check_weights
from ._positive_class import COSTS, class_costs

__all__ = [
    "geometric_mean_score",
    "geometric_mean_scorer",
    "misclassification_cost",
    "misclassification_cost_scorer",
    "precision_recall_breakeven_score",
    "precision_recall_breakeven_scorer",
    "sensitivity_specificity_score",
    "sensitivity_specificity_scorer",
]

_POS_LABEL = [Real, str, "boolean"]
_WEIGHTS = ["array-like", None]


def _check_targets(**targets):
    """Return the sorted classes in the named targets."""
    for name, y in targets.items():
        kind = type_of_target(y, input_name=name)
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"{name} must contain one class label per sample, got {kind} data.")
    check_consistent_length(*targets.values())
    classes = unique_labels(*targets.values()).tolist()
    if not classes:
        raise ValueError(f"{' and '.join(targets)} must contain at least one sample, got none.")
    return classes


def _check_binary(**targets):
    """Return the sorted classes in the named targets, one or two."""
    classes = _check_targets(**targets)
    if len(classes) > 2:
        raise ValueError(
            f"{' and '.join(targets)} must contain at most two classes, got {classes}. Compare "
            "one class with the rest, or use geometric_mean_score for any number of classes."
        )
    return classes


def _binary_targets(pos_label, **targets):
    """Return for each of the named targets a mask of the positive samples."""
    classes = _check_binary(**targets)
    if pos_label not in classes:
        # A single class of the same type can be the negative one.
        comparable = isinstance(pos_label, str) == isinstance(classes[0], str)
        if len(classes) == 2 or not comparable:
            raise ValueError(invalid_pos_label(pos_label, classes, " and ".join(targets)))
    return [column_or_1d(y) == pos_label for y in targets.values()]


def invalid_pos_label(pos_label, classes, owner):
    """Return the message of the error for a positive label that is not one of the classes."""
    return (
        f"pos_label={pos_label!r} is not a valid label: it should be one of the classes {classes} "
        f"of {owner}. Pass the positive class as pos_label (for a scorer: "
        "make_scorer(..., pos_label=...))."
    )


def _warn_undefined(message):
    warn(message, UndefinedMetricWarning)


@validated(
    y_true=["array-like"],
    y_pred=["array-like"],
    labels=["array-like", None],
    sample_weight=_WEIGHTS,
)
def geometric_mean_score(y_true, y_pred, *, labels=None, sample_weight=None):
    r"""Compute the geometric mean of the recalls of all classes (g-mean).

    For two classes this is the square root of sensitivity times specificity. The score is 0 if no
    sample of some class, however small, is predicted correctly.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two or more classes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    labels : array-like of shape (n_labels,), default=None
        The classes to include. By default all classes in `y_true` or `y_pred`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.

    Returns
    -------
    score : float
        Between 0 and 1; 1 is best.

    Raises
    ------
    ValueError
        If `y_true` and `y_pred` are empty, differ in length or type, or are not class labels; if
        `labels` is empty; if a weight is negative or all are 0.

    See Also
    --------
    sensitivity_specificity_score : Weighted arithmetic mean.
    sklearn.metrics.balanced_accuracy_score : Arithmetic mean of the recalls.

    Notes
    -----
    With the recall :math:`r_k` of class k,

    .. math:: g = \Bigl(\prod_{k=1}^{K} r_k\Bigr)^{1/K}, \qquad
              g = \sqrt{\mathrm{sensitivity} \cdot \mathrm{specificity}}
              \quad \text{for } K = 2.

    The score of two classes does not depend on which is positive, so there is no `pos_label`. The
    recall of a class without samples in `y_true` is undefined; it is set to 0 with an
    ``UndefinedMetricWarning``.

    The score equals ``imblearn.metrics.geometric_mean_score`` with ``average="multiclass"`` (the
    default) and, for two classes without weights, with ``average="binary"`` (its weighted
    specificity is wrong, see issue 1180 of imbalanced-learn).

    References
    ----------
    .. [1] M. Kubat, S. Matwin: Addressing the curse of imbalanced training sets: one-sided
       selection. ICML 1997.
    .. [2] S. Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. PhD thesis, The Pennsylvania State University, 2009,
       section 4.3.

    Examples
    --------
    All negative samples and one or none of the two positive samples are predicted correctly:

    >>> from sklearn_online_svm.evaluation import geometric_mean_score
    >>> y_true = [0, 0, 0, 0, 1, 1]
    >>> geometric_mean_score(y_true, [0, 0, 0, 0, 1, 0])
    0.707...
    >>> geometric_mean_score(y_true, [0, 0, 0, 0, 0, 0])
    0.0
    """
    classes = _check_targets(y_true=y_true, y_pred=y_pred)
    if labels is not None:
        classes = column_or_1d(labels).tolist()
        if not classes:
            raise ValueError("labels must name at least one class, got none.")
    recalls = recall_score(
        y_true,
        y_pred,
        labels=classes,
        average=None,
        sample_weight=check_weights(sample_weight, column_or_1d(y_true), allow_all_zero=False),
        zero_division=np.nan,
    )
    undefined = np.isnan(recalls)
    if undefined.any():
        missing = [label for label, is_missing in zip(classes, undefined) if is_missing]
        _warn_undefined(
            f"The recall of {missing} is undefined without samples in y_true and set to 0.0."
        )
        recalls[undefined] = 0.0
    return float(gmean(recalls))


@validated(
    y_true=["array-like"], y_score=["array-like"], pos_label=_POS_LABEL, sample_weight=_WEIGHTS
)
def precision_recall_breakeven_score(y_true, y_score, *, pos_label=1, sample_weight=None):
    r"""Compute the precision/recall break-even point.

    This is the precision at the threshold at which it equals the recall: as many samples are
    predicted positive as there are positive samples. It depends on the ranking of the samples
    only, not on the threshold of the model.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class: values of ``decision_function``, or the column of
        ``predict_proba``.
    pos_label : int, float, bool or str, default=1
        The positive class, as in :func:`sklearn.metrics.f1_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.

    Returns
    -------
    score : float
        Between 0 and 1; 1 is best. The expected value for random scores is the fraction of
        positive samples.

    Raises
    ------
    ValueError
        If `y_true` has more than two classes; if `pos_label` is not one of two classes, or of
        another type; if `y_true` and `y_score` are empty or differ in length; if a score is not
        finite; if a weight is negative or all are 0.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall at all thresholds.
    sklearn.metrics.average_precision_score : Summary of that curve.

    Notes
    -----
    Let :math:`n_+` be the number of positive samples and :math:`t` the :math:`n_+`-th largest
    score. If :math:`n_+` samples are predicted positive, precision and recall are equal because
    they have the same numerator and the same denominator. The score is the expected value over
    random orders of the samples with score :math:`t`, so it does not depend on the order of the
    samples:

    .. math:: \mathrm{PRBEP} = \frac{1}{n_+} \Bigl( p_{>t} + (n_+ - n_{>t})
              \frac{p_{=t}}{n_{=t}} \Bigr),

    where :math:`n_{>t}` and :math:`n_{=t}` count the samples with a score above :math:`t` and
    equal to :math:`t`, and :math:`p_{>t}`, :math:`p_{=t}` the positive ones among them. This is
    the true positive rate where the linearly interpolated ROC curve meets the line of :math:`n_+`
    positive predictions. With weights, counts become sums of weights.

    If all samples are positive, the score is 1. Without positive samples (or if their weights are
    0) it is undefined and set to 0 with an ``UndefinedMetricWarning``.

    References
    ----------
    .. [1] T. Joachims: A support vector method for multivariate performance measures. ICML 2005.
    .. [2] S. Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. PhD thesis, The Pennsylvania State University, 2009,
       sections 4.3 and 6.5.

    Examples
    --------
    There are two positive samples, and one of the two samples with the highest scores is positive:

    >>> from sklearn_online_svm.evaluation import precision_recall_breakeven_score
    >>> precision_recall_breakeven_score([0, 0, 1, 0, 1], [-1.0, -0.5, -0.2, 0.1, 0.7])
    0.5

    If a positive and a negative sample tie for the second rank, each has it in half of the orders:

    >>> precision_recall_breakeven_score([0, 0, 1, 0, 1], [-1.0, -0.5, 0.1, 0.1, 0.7])
    0.75

    For other labels, pass the positive class, also to a scorer:

    >>> y = ["ham", "spam", "ham"]
    >>> precision_recall_breakeven_score(y, [-0.5, 0.7, 0.1], pos_label="spam")
    1.0
    >>> from sklearn.metrics import make_scorer
    >>> scorer = make_scorer(
    ...     precision_recall_breakeven_score,
    ...     response_method=("decision_function", "predict_proba"),
    ...     pos_label="spam",
    ... )
    """
    (positive,) = _binary_targets(pos_label, y_true=y_true)
    y_score = check_array(y_score, dtype=np.float64, ensure_2d=False, input_name="y_score")
    check_consistent_length(y_true, y_score)
    if y_score.size != len(positive):
        raise ValueError(
            "y_score must contain one score per sample, that of the positive class, got shape "
            f"{y_score.shape}."
        )
    weights = check_weights(sample_weight, positive, allow_all_zero=False)

    n_positive, n_negative = weights[positive].sum(), weights[~positive].sum()
    if n_positive == 0:
        _warn_undefined(
            f"Without positive samples (pos_label={pos_label!r}) the break-even point is "
            "undefined and set to 0.0."
        )
        return 0.0
    if n_negative == 0:
        return 1.0
    false_rate, true_rate, _ = roc_curve(
        positive, y_score.ravel(), pos_label=True, sample_weight=weights, drop_intermediate=False
    )
    # Number of positive predictions per positive sample; it increases along the curve.
    n_predicted = true_rate + false_rate * (n_negative / n_positive)
    return float(np.interp(1.0, n_predicted, true_rate))


@validated(
    y_true=["array-like"],
    y_pred=["array-like"],
    sensitivity_weight=[Interval(Real, 0, 1, closed="both")],
    pos_label=_POS_LABEL,
    sample_weight=_WEIGHTS,
)
def sensitivity_specificity_score(
    y_true, y_pred, *, sensitivity_weight=0.5, pos_label=1, sample_weight=None
):
    r"""Compute the weighted sum of sensitivity and specificity.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two classes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    sensitivity_weight : float, default=0.5
        Weight :math:`\eta_p` of the sensitivity, between 0 and 1; that of the specificity is
        :math:`\eta_n = 1 - \eta_p`. With 0.5 the score is the balanced accuracy.
    pos_label : int, float, bool or str, default=1
        The positive class, as in :func:`sklearn.metrics.f1_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.

    Returns
    -------
    score : float
        Between 0 and 1; 1 is best.

    Raises
    ------
    ValueError
        If `y_true` and `y_pred` have more than two classes, are empty, or differ in length or
        type; if `pos_label` is not one of two classes, or of another type; if
        `sensitivity_weight` is not between 0 and 1; if a weight is negative or all are 0.

    See Also
    --------
    misclassification_cost : Weighted number of mistakes.
    geometric_mean_score : Geometric mean of the recalls.

    Notes
    -----
    With :math:`T_p` positive and :math:`T_n` negative samples, of which :math:`M_p` and
    :math:`M_n` are misclassified,

    .. math:: \mathrm{sum} = \eta_p \frac{T_p - M_p}{T_p} + \eta_n \frac{T_n - M_n}{T_n},

    which is equation (6) of [2]_. Without positive (negative) samples the sensitivity
    (specificity) is undefined; it is set to 0 with an ``UndefinedMetricWarning``.

    References
    ----------
    .. [1] P. Zhao, S. C. H. Hoi: Cost-sensitive online active learning with application to
       malicious URL detection. KDD 2013.
    .. [2] J. Lu, P. Zhao, S. C. H. Hoi: Online passive-aggressive active learning. Machine
       Learning 103, 141-183, 2016, section 5.1.

    Examples
    --------
    >>> from sklearn_online_svm.evaluation import sensitivity_specificity_score
    >>> y_true = [-1, -1, -1, -1, 1, 1]
    >>> y_pred = [-1, -1, -1, -1, 1, -1]
    >>> sensitivity_specificity_score(y_true, y_pred)
    0.75
    >>> sensitivity_specificity_score(y_true, y_pred, sensitivity_weight=0.75)
    0.625
    """
    positive, predicted = _binary_targets(pos_label, y_true=y_true, y_pred=y_pred)
    rates = recall_score(
        positive,
        predicted,
        labels=[False, True],
        average=None,
        sample_weight=check_weights(sample_weight, positive, allow_all_zero=False),
        zero_division=np.nan,
    )
    for i, name, kind in ((0, "specificity", "negative"), (1, "sensitivity", "positive")):
        if np.isnan(rates[i]):
            _warn_undefined(
                f"Without {kind} samples in y_true (pos_label={pos_label!r}) the {name} is "
                "undefined and set to 0.0."
            )
            rates[i] = 0.0
    specificity, sensitivity = rates
    return float(sensitivity_weight * sensitivity + (1 - sensitivity_weight) * specificity)


@validated(
    y_true=["array-like"],
    y_pred=["array-like"],
    costs=COSTS,
    normalize=["boolean"],
    sample_weight=_WEIGHTS,
)
def misclassification_cost(y_true, y_pred, *, costs=None, normalize=False, sample_weight=None):
    r"""Compute the cost of the mistakes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two classes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    costs : dict of label to float, default=None
        Cost of a misclassified sample of each of the two classes, 0 or greater and not both 0. By
        default, the cost of each class is the share of the other class in `y_true`, so that both
        classes have the same total cost.
    normalize : bool, default=False
        Whether to return the cost per sample (per unit of weight) instead of the sum. The scorer
        sets it, so that data sets of different sizes can be compared.
    sample_weight : array-like of shape (n_samples,), default=None
        Sample weights.

    Returns
    -------
    cost : float
        0 or greater; 0 is best.

    Raises
    ------
    ValueError
        If `y_true` and `y_pred` have more than two classes, are empty, or differ in length or
        type; if `costs` is not valid for their classes; if a weight is negative or all are 0.

    See Also
    --------
    sensitivity_specificity_score : Weighted sum of rates; higher is better.

    Notes
    -----
    With the costs :math:`c_p` and :math:`c_n` of the two classes, of which :math:`M_p` and
    :math:`M_n` samples are misclassified,

    .. math:: \mathrm{cost} = c_p M_p + c_n M_n,

    which is equation (7) of [2]_ without its condition :math:`c_p + c_n = 1`. The defaults are
    those of its experiments, :math:`c_p = T_n / T` and :math:`c_n = T_p / T` with :math:`T_p`
    and :math:`T_n` samples of the classes, :math:`T` in total. With them, the cost is
    :math:`2 \, T_p T_n / T` times one minus the balanced accuracy. As they depend on the data,
    give `costs` to compare data sets with different class distributions. If `y_true` has only one
    class, the default costs make all mistakes free; the cost is 0, with an
    ``UndefinedMetricWarning``.

    References
    ----------
    .. [1] P. Zhao, S. C. H. Hoi: Cost-sensitive online active learning with application to
       malicious URL detection. KDD 2013.
    .. [2] J. Lu, P. Zhao, S. C. H. Hoi: Online passive-aggressive active learning. Machine
       Learning 103, 141-183, 2016, sections 5.1 and 6.3.2.

    Examples
    --------
    One false negative and two false positives:

    >>> from sklearn_online_svm.evaluation import misclassification_cost
    >>> y_true = [-1, -1, -1, -1, 1, 1, 1, 1]
    >>> y_pred = [-1, -1, 1, 1, 1, 1, 1, -1]
    >>> misclassification_cost(y_true, y_pred, costs={1: 5, -1: 1})
    7.0
    >>> misclassification_cost(y_true, y_pred)
    1.5
    """
    classes = _check_binary(y_true=y_true, y_pred=y_pred)
    prices = None if costs is None else class_costs(costs, classes)
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    weights = check_weights(sample_weight, y_true, allow_all_zero=False)
    is_of_class = np.array([y_true == label for label in classes])
    totals, missed = is_of_class @ weights, (is_of_class & (y_true != y_pred)) @ weights
    if prices is None:
        prices = totals[::-1] / totals.sum()
        if np.count_nonzero(totals) < 2:
            _warn_undefined(
                f"y_true has samples of one class only, of {classes}: the default costs make all "
                "mistakes free, and the cost is 0.0. Pass costs."
            )
    cost = np.sum(prices * missed)
    return float(cost / totals.sum() if normalize else cost)


geometric_mean_scorer = make_scorer(geometric_mean_score)
precision_recall_breakeven_scorer = make_scorer(
    precision_recall_breakeven_score, response_method=("decision_function", "predict_proba")
)
sensitivity_specificity_scorer = make_scorer(sensitivity_specificity_score)
misclassification_cost_scorer = make_scorer(
    misclassification_cost, greater_is_better=False, normalize=True
)
