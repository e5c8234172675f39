"""Measures for classes of unequal size or unequal cost, and scorers made of them."""

import warnings
from numbers import Real

import numpy as np
from scipy.stats import gmean
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import confusion_matrix, make_scorer, recall_score, roc_curve
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import type_of_target, unique_labels

from .._base import check_weights
from .._sklearn_compat import Interval, validate_params

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
_COST = [Interval(Real, 0, None, closed="left"), None]


# ---------------------------------------------------------------------------
# What the measures share
# ---------------------------------------------------------------------------


def _check_labels(**targets):
    """Return the sorted classes that occur in any of the named targets."""
    for name, y in targets.items():
        kind = type_of_target(y, input_name=name)
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"{name} must hold one class label per row, got {kind} data.")
    check_consistent_length(*targets.values())
    classes = unique_labels(*targets.values()).tolist()
    if not classes:
        raise ValueError(f"{' and '.join(targets)} must hold at least one row, got none.")
    return classes


def _is_positive(pos_label, **targets):
    """Return for each of the named targets where it is positive, and the positive label."""
    classes = _check_labels(**targets)
    where = " and ".join(targets)
    if len(classes) > 2:
        raise ValueError(
            f"{where} must hold at most two classes, got {classes}. Compare one class with the "
            "rest, or see geometric_mean_score for a measure of any number of classes."
        )
    if pos_label not in classes:
        # A single other class can well be the negative one, unless it is of another kind.
        comparable = isinstance(pos_label, str) == isinstance(classes[0], str)
        if len(classes) == 2 or not comparable:
            raise ValueError(not_a_label(pos_label, classes, where))
    return *(column_or_1d(y) == pos_label for y in targets.values()), pos_label


def not_a_label(pos_label, classes, where="the model"):
    """Tell those who have not said which of two classes is the positive one."""
    return (
        f"pos_label={pos_label!r} is not a valid label: it should be one of the classes {classes} "
        f"of {where}. Name the positive class in pos_label (in a scorer: "
        "make_scorer(..., pos_label=...))."
    )


def _warn_undefined(message):
    # The caller of the measure: past this function, the measure and its parameter validation.
    warnings.warn(message, UndefinedMetricWarning, stacklevel=4)


# ---------------------------------------------------------------------------
# Measures
# ---------------------------------------------------------------------------


@validate_params(
    {
        "y_true": ["array-like"],
        "y_pred": ["array-like"],
        "labels": ["array-like", None],
        "sample_weight": _WEIGHTS,
    },
    prefer_skip_nested_validation=True,
)
def geometric_mean_score(y_true, y_pred, *, labels=None, sample_weight=None):
    r"""Geometric mean of the recalls of all classes (g-mean).

    With two classes this is the root of sensitivity times specificity. It is 0 as soon as one
    class is never recognised, however small that class is.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two or more classes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    labels : array-like of shape (n_labels,), default=None
        The classes whose recalls count. By default all that occur in `y_true` or `y_pred`.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights of the rows.

    Returns
    -------
    score : float
        Between 0 and 1; 1 is best.

    Raises
    ------
    ValueError
        If `y_true` and `y_pred` are empty, differ in length or kind of label, or hold anything
        but one class label per row; if `labels` is empty; if a weight is negative or all are 0.

    See Also
    --------
    sensitivity_specificity_score : The arithmetic instead of the geometric mean, weighted.
    sklearn.metrics.balanced_accuracy_score : Arithmetic mean of the recalls.

    Notes
    -----
    With :math:`r_k` the share of the rows of class k that are predicted as k,

    .. math:: g = \Bigl(\prod_{k=1}^{K} r_k\Bigr)^{1/K}, \qquad
              g = \sqrt{\mathrm{sensitivity} \cdot \mathrm{specificity}}
              \quad \text{for } K = 2.

    With two classes neither is special: there is no `pos_label`. The recall of a class without
    rows in `y_true` (one that occurs in `y_pred` or `labels` only) is undefined; it counts as 0,
    with an ``UndefinedMetricWarning``.

    Equal to ``imblearn.metrics.geometric_mean_score`` with its default
    ``average="multiclass"``, and for two classes with ``average="binary"`` (without weights:
    with them its specificity is wrong, see issue 1180 of imbalanced-learn).

    References
    ----------
    .. [1] M. Kubat, S. Matwin: Addressing the curse of imbalanced training sets: one-sided
       selection. ICML 1997.
    .. [2] S. Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. PhD thesis, The Pennsylvania State University, 2009,
       section 4.3.

    Examples
    --------
    All negative rows are recognised, and one of the two positive rows, or none:

    >>> from sklearn_online_svm.evaluation import geometric_mean_score
    >>> y_true = [0, 0, 0, 0, 1, 1]
    >>> geometric_mean_score(y_true, [0, 0, 0, 0, 1, 0])
    0.707...
    >>> geometric_mean_score(y_true, [0, 0, 0, 0, 0, 0])
    0.0
    """
    classes = _check_labels(y_true=y_true, y_pred=y_pred)
    if labels is not None:
        classes = column_or_1d(labels).tolist()
        if not classes:
            raise ValueError("labels must name at least one class, got none.")
    recalls = recall_score(
        y_true,
        y_pred,
        labels=classes,
        average=None,
        sample_weight=check_weights(sample_weight, y_true, allow_all_zero=False),
        zero_division=np.nan,
    )
    undefined = np.isnan(recalls)
    if undefined.any():
        missing = [label for label, is_missing in zip(classes, undefined) if is_missing]
        _warn_undefined(f"The recall of {missing}, without rows in y_true, is set to 0.0.")
        recalls[undefined] = 0.0
    return float(gmean(recalls))


@validate_params(
    {
        "y_true": ["array-like"],
        "y_score": ["array-like"],
        "pos_label": _POS_LABEL,
        "sample_weight": _WEIGHTS,
    },
    prefer_skip_nested_validation=True,
)
def precision_recall_breakeven_score(y_true, y_score, *, pos_label=1, sample_weight=None):
    r"""Precision/recall break-even point.

    The precision at the threshold where it equals the recall: where as many rows are predicted
    positive as there are positive rows. It judges the order of the scores, not the threshold of
    the model.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class, higher for rows more likely to be positive: values of
        ``decision_function``, or the column of ``predict_proba``.
    pos_label : int, float, bool or str, default=1
        The positive class. The default fits labels 0 and 1, -1 and 1, False and True; of others it
        has to be named, as for :func:`sklearn.metrics.f1_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights of the rows.

    Returns
    -------
    score : float
        Between 0 and 1; 1 is best. Random scores reach the share of positive rows.

    Raises
    ------
    ValueError
        If `y_true` has more than two classes; if `pos_label` is not one of two classes, or not of
        their kind; if `y_true` and `y_score` are empty or differ in length; if a score is not
        finite, or there is more than one per row; if a weight is negative or all are 0.

    See Also
    --------
    sklearn.metrics.precision_recall_curve : Precision and recall at all thresholds.
    sklearn.metrics.average_precision_score : Summary of that curve.

    Notes
    -----
    Let :math:`n_+` be the number of positive rows, and :math:`t` the :math:`n_+`-th largest
    score. Precision and recall share the numerator, the true positives, and have the same
    denominator where :math:`n_+` rows are predicted positive. Rows tied at :math:`t` are put in
    random order, and the score is the expected value over these orders; it does not depend on
    the order of the rows:

    .. math:: \mathrm{PRBEP} = \frac{1}{n_+} \Bigl( p_{>t} + (n_+ - n_{>t})
              \frac{p_{=t}}{n_{=t}} \Bigr),

    where :math:`n_{>t}` and :math:`n_{=t}` count the rows above and at the threshold and
    :math:`p_{>t}`, :math:`p_{=t}` the positive ones among them. This is the true positive rate
    at the point of the ROC curve, drawn with straight lines, where :math:`n_+` rows are predicted
    positive. Weights take the place of counts: a row of weight 2 is the row twice.

    If all rows are positive the score is 1. If none is (`y_true` has one other class only, or the
    positive rows have weight 0) it is undefined, and set to 0 with an ``UndefinedMetricWarning``.

    References
    ----------
    .. [1] T. Joachims: A support vector method for multivariate performance measures. ICML 2005.
    .. [2] S. Ertekin: Learning in extreme conditions: online and active learning with massive,
       imbalanced and noisy data. PhD thesis, The Pennsylvania State University, 2009,
       sections 4.3 and 6.5.

    Examples
    --------
    Two rows are positive. Of the two with the highest scores, one is:

    >>> from sklearn_online_svm.evaluation import precision_recall_breakeven_score
    >>> precision_recall_breakeven_score([0, 0, 1, 0, 1], [-1.0, -0.5, -0.2, 0.1, 0.7])
    0.5

    With a tie for the second place, the positive row gets it in half of all orders:

    >>> precision_recall_breakeven_score([0, 0, 1, 0, 1], [-1.0, -0.5, 0.1, 0.1, 0.7])
    0.75

    Of other labels than 0 and 1 the positive one is named, also in a scorer:

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
    positive, pos_label = _is_positive(pos_label, y_true=y_true)
    y_score = check_array(y_score, dtype=np.float64, ensure_2d=False, input_name="y_score")
    check_consistent_length(y_true, y_score)
    if y_score.size != len(positive):
        raise ValueError(
            "y_score must hold one score per row, that of the positive class, got shape "
            f"{y_score.shape}."
        )
    weights = check_weights(sample_weight, positive, allow_all_zero=False)

    n_positive, n_negative = weights[positive].sum(), weights[~positive].sum()
    if n_positive == 0:
        _warn_undefined(
            f"Without positive rows (pos_label={pos_label!r}) the break-even point is "
            "undefined and set to 0.0."
        )
        return 0.0
    if n_negative == 0:
        return 1.0
    false_rate, true_rate, _ = roc_curve(
        positive,
        y_score.ravel(),
        pos_label=True,
        sample_weight=weights,
        drop_intermediate=False,
    )
    # Grows along the curve; it is 1 where as many rows are predicted positive as there are.
    n_predicted = true_rate + false_rate * (n_negative / n_positive)
    return float(np.interp(1.0, n_predicted, true_rate))


@validate_params(
    {
        "y_true": ["array-like"],
        "y_pred": ["array-like"],
        "eta_p": [Interval(Real, 0, 1, closed="both")],
        "pos_label": _POS_LABEL,
        "sample_weight": _WEIGHTS,
    },
    prefer_skip_nested_validation=True,
)
def sensitivity_specificity_score(y_true, y_pred, *, eta_p=0.5, pos_label=1, sample_weight=None):
    r"""Weighted sum of sensitivity and specificity.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two classes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    eta_p : float, default=0.5
        Weight of the sensitivity, between 0 and 1; the specificity has the rest. At 0.5 the
        score is the balanced accuracy.
    pos_label : int, float, bool or str, default=1
        The positive class. The default fits labels 0 and 1, -1 and 1, False and True; of others it
        has to be named, as for :func:`sklearn.metrics.f1_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights of the rows.

    Returns
    -------
    score : float
        Between 0 and 1; 1 is best.

    Raises
    ------
    ValueError
        If `y_true` and `y_pred` have more than two classes; if `pos_label` is not one of two
        classes, or not of their kind; if `y_true` and `y_pred` are empty or differ in length or
        kind of label; if `eta_p` is not between 0 and 1; if a weight is negative or all are 0.

    See Also
    --------
    misclassification_cost : Counts mistakes instead of rates.
    geometric_mean_score : The geometric instead of the arithmetic mean.

    Notes
    -----
    With :math:`T_p` positive and :math:`T_n` negative rows, of which :math:`M_p` and :math:`M_n`
    are predicted wrongly,

    .. math:: \mathrm{sum} = \eta_p \frac{T_p - M_p}{T_p} + \eta_n \frac{T_n - M_n}{T_n},
              \qquad \eta_n = 1 - \eta_p,

    which is equation (6) of [2]_. If `y_true` has no positive (negative) row, sensitivity
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
    >>> sensitivity_specificity_score(y_true, y_pred, eta_p=0.75)
    0.625
    """
    positive, predicted, pos_label = _is_positive(pos_label, y_true=y_true, y_pred=y_pred)
    rates = recall_score(
        positive,
        predicted,
        labels=[False, True],
        average=None,
        sample_weight=check_weights(sample_weight, positive, allow_all_zero=False),
        zero_division=np.nan,
    )
    for i, name, rows in ((0, "specificity", "negative"), (1, "sensitivity", "positive")):
        if np.isnan(rates[i]):
            _warn_undefined(
                f"Without {rows} rows in y_true (pos_label={pos_label!r}) the {name} is "
                "undefined and set to 0.0."
            )
            rates[i] = 0.0
    specificity, sensitivity = rates
    return float(eta_p * sensitivity + (1 - eta_p) * specificity)


@validate_params(
    {
        "y_true": ["array-like"],
        "y_pred": ["array-like"],
        "cost_p": _COST,
        "cost_n": _COST,
        "pos_label": _POS_LABEL,
        "normalize": ["boolean"],
        "sample_weight": _WEIGHTS,
    },
    prefer_skip_nested_validation=True,
)
def misclassification_cost(
    y_true,
    y_pred,
    *,
    cost_p=None,
    cost_n=None,
    pos_label=1,
    normalize=False,
    sample_weight=None,
):
    r"""Cost of the mistakes, false negatives and false positives having different prices.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels, of two classes.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    cost_p : float, default=None
        Cost of a positive row predicted negative (false negative), 0 or greater.
    cost_n : float, default=None
        Cost of a negative row predicted positive (false positive), 0 or greater. Both costs are
        given, or neither. By default `cost_p` is the share of negative rows in `y_true` and
        `cost_n` the share of positive rows, so that all rows of one class cost as much as all
        rows of the other.
    pos_label : int, float, bool or str, default=1
        The positive class. The default fits labels 0 and 1, -1 and 1, False and True; of others it
        has to be named, as for :func:`sklearn.metrics.f1_score`.
    normalize : bool, default=False
        Whether to return the cost per row (per unit of weight) instead of the sum. The scorer
        does so: sets of different size can be compared.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weights of the rows.

    Returns
    -------
    cost : float
        0 or greater; 0 is best.

    Raises
    ------
    ValueError
        If `y_true` and `y_pred` have more than two classes; if `pos_label` is not one of two
        classes, or not of their kind; if `y_true` and `y_pred` are empty or differ in length or
        kind of label; if a cost is negative or only one is given; if a weight is negative or all
        are 0.

    See Also
    --------
    sensitivity_specificity_score : Rates instead of counts; higher is better.

    Notes
    -----
    With :math:`M_p` false negatives and :math:`M_n` false positives,

    .. math:: \mathrm{cost} = c_p M_p + c_n M_n,

    which is equation (7) of [2]_. There :math:`c_p + c_n = 1`; here any unit will do. The
    defaults are those of its experiments, :math:`c_p = T_n / T` and :math:`c_n = T_p / T` with
    :math:`T_p` positive and :math:`T_n` negative rows of :math:`T`. With them the cost is
    :math:`2 \, T_p T_n / T` times one minus the balanced accuracy. They follow the data: give
    both costs if sets are compared whose classes have different shares. If `y_true` has one
    class only, the defaults make every mistake free; the cost is 0, with an
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
    >>> misclassification_cost(y_true, y_pred, cost_p=5, cost_n=1)
    7.0
    >>> misclassification_cost(y_true, y_pred)
    1.5
    """
    if (cost_p is None) != (cost_n is None):
        raise ValueError(
            "cost_p and cost_n must be given together or not at all, got "
            f"cost_p={cost_p!r} and cost_n={cost_n!r}."
        )
    positive, predicted, pos_label = _is_positive(pos_label, y_true=y_true, y_pred=y_pred)
    counts = confusion_matrix(
        positive,
        predicted,
        labels=[False, True],
        sample_weight=check_weights(sample_weight, positive, allow_all_zero=False),
    )
    (_, false_positives), (false_negatives, _) = counts
    n_negative, n_positive = counts.sum(axis=1)
    total = n_negative + n_positive
    if cost_p is None:
        cost_p, cost_n = n_negative / total, n_positive / total
        if cost_p == 0 or cost_n == 0:
            _warn_undefined(
                f"y_true has rows of one class only (pos_label={pos_label!r}): by default cost_p "
                "and cost_n, taken from their shares, make all mistakes free, and the cost is "
                "set to 0.0. Give both."
            )
    cost = cost_p * false_negatives + cost_n * false_positives
    return float(cost / total if normalize else cost)


# ---------------------------------------------------------------------------
# Scorers
# ---------------------------------------------------------------------------

geometric_mean_scorer = make_scorer(geometric_mean_score)
precision_recall_breakeven_scorer = make_scorer(
    precision_recall_breakeven_score, response_method=("decision_function", "predict_proba")
)
sensitivity_specificity_scorer = make_scorer(sensitivity_specificity_score)
misclassification_cost_scorer = make_scorer(
    misclassification_cost, greater_is_better=False, normalize=True
)
