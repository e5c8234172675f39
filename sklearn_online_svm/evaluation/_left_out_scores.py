"""Scores of samples by models that have not been trained on them."""

from typing import NamedTuple

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv, cross_val_predict
from sklearn.utils.validation import check_is_fitted

from .._threads import warn
from .._validation import encode_labels
from ._positive_class import in_favour, is_detector, method_of, scores_of

N_FOLDS = 10


class LeftOut(NamedTuple):
    """Left-out scores, larger for the positive class.

    ``halves`` are scores of models that were trained on about half of the samples, and ``n_folds``
    is the number of folds of ``scores``; None without cross-validation.
    """

    scores: np.ndarray
    origin: str
    method: str
    halves: np.ndarray | None = None
    n_folds: int | None = None


def left_out_scores(estimator, X, y, pair, cv):
    """Return the :class:`LeftOut` scores of samples, given the negative and the positive class."""
    method = method_of(estimator)
    classes, is_frozen = np.sort(pair), isinstance(estimator, FrozenEstimator)
    may_be_known = y is not None and (cv is None or is_frozen)
    values = leave_one_out(estimator, X, y, is_frozen) if may_be_known else None
    if values is not None:
        return LeftOut(in_favour(values, classes, pair[1]), "leave-one-out", method)
    if is_frozen:
        return LeftOut(scores_of(estimator, X, pair), "held-out samples", method)
    splitter = check_cv(N_FOLDS if cv is None else cv, y, classifier=y is not None)
    splits = list(splitter.split(X, y))
    if len(splits) < 3:
        raise ValueError(f"cv must have at least 3 folds, got {len(splits)}.")
    halves = [np.concatenate([test for _, test in splits[first::2]]) for first in (0, 1)]
    target = None if is_detector(estimator) else y

    def scores(splits):
        values = cross_val_predict(estimator, X, target, cv=splits, method=method)
        return in_favour(values, classes, pair[1])

    halved = scores([halves, halves[::-1]])
    return LeftOut(scores(splits), "cross-validation", method, halved, len(splits))


def leave_one_out(model, X, y, is_frozen):
    """Return decision values without each training sample; None if they are not available."""
    model = model.estimator if is_frozen else model
    if not hasattr(model, "_held_out"):
        return None
    try:
        check_is_fitted(model)
    except NotFittedError:
        return None
    if np.array_equal(model.classes_, np.unique(y)):
        view = model._view()
        values = view._decision_values(X)
        left_out = view._held_out(X, encode_labels(y, model.classes_), values)
        if left_out is not values:
            return left_out[:, 0]
    has_values = hasattr(model, "leave_one_out_decision_function")
    if has_values and not is_frozen and model.kernel != "precomputed":
        name = type(model).__name__
        warn(
            f"This {name} was fitted on other samples than X, y: the scores are those of clones "
            "that are trained on X, and the threshold is for a model that is fitted on X. If X "
            "are held-out samples, pass FrozenEstimator(estimator)."
        )
    return None
