"""The positive class of two, scores in favour of it, costs, and targets of a threshold."""

import sys
from collections.abc import Mapping
from numbers import Real

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector
from sklearn.utils.validation import check_is_fitted

from .._sklearn_compat import Interval

COSTS = [Mapping, None]
_SHARE = [Interval(Real, 0, 1, closed="neither"), None]
# Constraints of the parameters of which exactly one is given.
TARGETS = {"recall": _SHARE, "precision": _SHARE, "alarm_rate": _SHARE, "costs": COSTS}
POS_LABEL = [Real, str, "boolean", None]


def the_target(given):
    """Return the name and the value of the only target that is not None."""
    found = [name for name in TARGETS if given[name] is not None]
    if len(found) != 1:
        raise ValueError(f"Exactly one of {', '.join(TARGETS)} must be given, got {found}.")
    return found[0], given[found[0]]


def is_detector(estimator):
    """Return whether an estimator is an outlier detector."""
    return hasattr(estimator, "__sklearn_tags__") and is_outlier_detector(estimator)


def refuse_other_kinds(estimator):
    """Raise ValueError unless an estimator is a classifier or an outlier detector."""
    has_tags = hasattr(estimator, "__sklearn_tags__")
    is_known = has_tags and (is_classifier(estimator) or is_outlier_detector(estimator))
    if not (is_known or hasattr(estimator, "classes_")):
        raise ValueError(
            f"estimator must be a classifier or an outlier detector, got {estimator!r}."
        )


def classes_of(estimator):
    """Return the classes of a fitted model; those of an outlier detector are -1 and 1."""
    refuse_other_kinds(estimator)
    if is_detector(estimator):
        return np.array([-1, 1])
    if hasattr(estimator, "__sklearn_tags__"):
        check_is_fitted(estimator)
    return np.asarray(estimator.classes_)


def class_pair(classes, pos_label, of_detector=False):
    """Return the negative and the positive class."""
    if len(classes) != 2:
        raise ValueError(f"A threshold requires two classes, got {classes.tolist()}.")
    if pos_label is None:
        if not of_detector and classes.tolist() not in ([0, 1], [-1, 1]):
            raise ValueError(
                f"pos_label must be one of the classes {classes.tolist()}, got None. It is "
                "optional for labels 0 and 1, or -1 and 1."
            )
        pos_label = -1 if of_detector else 1
    if pos_label not in classes.tolist():
        raise ValueError(f"pos_label={pos_label!r} is not one of {classes.tolist()}.")
    code = classes.tolist().index(pos_label)
    return classes[[1 - code, code]]


def fitted_pair(estimator, pos_label):
    """Return the negative and the positive class of a fitted model."""
    return class_pair(classes_of(estimator), pos_label, is_detector(estimator))


def are_positive(y, pair, of_detector=False):
    """Return whether each label is the positive class; raise ValueError for unknown labels."""
    unknown = sorted(set(y.tolist()) - set(pair.tolist()), key=str)[:5]
    if unknown and of_detector:
        raise ValueError(
            "The labels y of an outlier detector must be -1 (outliers) and 1 (inliers), got "
            f"{unknown}."
        )
    if unknown:
        raise ValueError(
            "y contains labels that are not among the classes of the estimator, "
            f"{np.sort(pair).tolist()}: {unknown}."
        )
    return y == pair[1]


def class_costs(costs, classes):
    """Return the cost of a misclassified sample of each class, from a dict of two costs."""
    values = costs.values()
    are_known = len(costs) == 2 and costs.keys() >= set(classes)
    are_valid = all(isinstance(v, Real) and 0 <= v <= sys.float_info.max for v in values)
    if not (are_known and are_valid and any(values)):
        raise ValueError(
            "costs must be a dict with the cost of a misclassified sample of each of the classes "
            f"{classes}, 0 or greater and not both 0, got {costs!r}."
        )
    return [float(costs[label]) for label in classes]


def method_of(estimator):
    """Return the name of the method that scores samples."""
    for method in ("decision_function", "predict_proba"):
        if hasattr(estimator, method):
            return method
    raise ValueError(
        f"estimator must have decision_function or predict_proba, got {type(estimator).__name__}."
    )


def in_favour(values, classes, positive):
    """Return decision values or probabilities as scores that are larger for the positive class."""
    values = np.asarray(values, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("The scores of estimator must be finite, got nan or infinity.")
    code = classes.tolist().index(positive)
    if values.ndim == 2:
        return values[:, code]
    return values if code == 1 else -values


def scores_of(estimator, X, pair):
    """Return the scores of samples by a fitted model, in favour of the positive class."""
    values = getattr(estimator, method_of(estimator))(X)
    return in_favour(values, classes_of(estimator), pair[1])


def predicted(scores, thresholds, pair):
    """Return the positive class for samples whose scores reach the threshold, else the other."""
    return pair[(scores >= thresholds).astype(np.intp)]
