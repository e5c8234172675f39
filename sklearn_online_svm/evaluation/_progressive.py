"""Prequential (test-then-train) evaluation of classifiers on streams."""

import copy
from array import array
from collections.abc import Iterable
from itertools import chain
from numbers import Integral
from time import perf_counter

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from .._base import encode_labels, is_labelled
from .._sklearn_compat import (
    HasMethods,
    Interval,
    _num_samples,
    _safe_indexing,
    validate_params,
)
from ..pipeline import final_estimator
from ._drift_reaction import DriftReaction
from ._progressive_result import ProgressiveValidationResult

__all__ = ["progressive_validation"]


def _iter_chunks(X, y, chunk_size):
    """Yield the samples and the labels of each chunk."""
    is_array = hasattr(X, "shape") or hasattr(X, "__array__")
    if y is not None:
        if not is_array and not hasattr(X, "__len__"):
            raise ValueError(
                "y must be None if X is an iterator of pairs (X_chunk, y_chunk), got X of type "
                f"{type(X).__name__} and y of type {type(y).__name__}."
            )
        check_consistent_length(X, y)
        X = X.tocsr() if issparse(X) else X
        for start in range(0, _num_samples(X), chunk_size):
            chunk = slice(start, start + chunk_size)
            yield _safe_indexing(X, chunk), _safe_indexing(y, chunk)
        return
    if is_array or not isinstance(X, Iterable):
        raise ValueError(
            "y must be given unless X is an iterable of pairs (X_chunk, y_chunk), got y=None "
            f"and X of type {type(X).__name__}."
        )
    for i, chunk in enumerate(X):
        if not isinstance(chunk, tuple) or len(chunk) != 2:
            raise ValueError(
                "Without y, X must be an iterable of pairs (X_chunk, y_chunk), got "
                f"{type(chunk).__name__} as its item number {i}."
            )
        check_consistent_length(*chunk)
        yield chunk


def _split_labels(y):
    """Return a mask of the samples that have a label, and these labels."""
    y = column_or_1d(y)
    mask = is_labelled(y)
    labels = y[mask]
    return mask, np.array(labels.tolist()) if y.dtype == object else labels


def _resolve_classes(classes, model, y):
    """Return the sorted classes: those given, else those of the model, else those of y."""
    if classes is not None:
        return unique_labels(column_or_1d(classes))
    if hasattr(model, "classes_"):
        return np.asarray(model.classes_)
    _, labels = _split_labels(y)
    check_classification_targets(labels)
    classes = unique_labels(labels)
    if len(classes) < 2:
        raise ValueError(
            "classes must be given if the first labels are of fewer than two classes, got "
            f"classes=None and only the labels {classes.tolist()}."
        )
    return classes


def _n_support(model):
    """Return the number of support vectors, -1 if the model has none."""
    model = final_estimator(model)
    for owner in (model, getattr(model, "estimator_", None)):
        if hasattr(owner, "n_support_"):
            return int(np.sum(owner.n_support_))
    return -1


class _Evaluation:
    """State of a prequential evaluation.

    Only cumulative counts are stored for each chunk, in one array of plain numbers: the samples,
    the queried labels, the support vectors, three counts of prediction sets, and three for each
    class.
    """

    def __init__(self, model, classes, drift, *, is_fitted, prediction_sets, return_predictions):
        self.model = model
        self.prediction_sets = prediction_sets
        self.classes = classes
        self.drift = drift
        self.is_first = True
        self.is_fitted = is_fitted
        self.confusion = np.zeros((len(classes), len(classes)), dtype=np.int64)
        self.n_samples = self.n_labels = self.n_unpredicted = 0
        self.n_sets = self.n_covered = self.set_sizes = 0
        self.n_earlier_queries = getattr(model, "n_queries_", 0)
        self.fit_seconds = self.predict_seconds = 0.0
        self.counts = array("q")
        self.times = array("d")
        self.predictions = array("i") if return_predictions else None

    def process(self, X, y):
        """Predict a chunk, train on it, and store the counts."""
        is_known, labels = _split_labels(y)
        true = encode_labels(labels, self.classes)
        predicted = None if self._predicts_online else self._ask(self.model.predict, X)
        if self.prediction_sets is not None:
            known = X if is_known.all() else _safe_indexing(X, np.flatnonzero(is_known))
            self._count_sets(
                self._ask(self.prediction_sets.update, self.model, known, labels), true
            )
        start = perf_counter()
        self.model.partial_fit(X, y, **({"classes": self.classes} if self.is_first else {}))
        self.fit_seconds += perf_counter() - start
        self.is_first, self.is_fitted = False, True
        if self._predicts_online:
            predicted = self.model.online_predictions_[-len(is_known) :]
        if self.drift is not None:
            self.drift.keep(X, y)
        if predicted is None:
            self.n_unpredicted += len(is_known)
        else:
            predicted = encode_labels(np.asarray(predicted), self.classes, "The predictions")
            np.add.at(self.confusion, (true, predicted[is_known]), 1)
            if self.drift is not None:
                self._react(true != predicted[is_known], np.flatnonzero(is_known))
            if self.predictions is not None:
                self.predictions.extend(predicted.tolist())
        self.n_samples += len(is_known)
        self.n_labels += len(labels)
        self._store_counts()

    def _react(self, errors, places):
        """Train a new model on the latest samples if the errors raise an alarm."""
        is_alarmed = self.drift.is_alarmed(errors, self.n_samples + places + 1)
        if not is_alarmed or self.drift.window is None:
            return
        if self._predicts_online:
            self.n_earlier_queries -= int(self.model.n_queries_)
        start = perf_counter()
        self.model = clone(self.model)
        self.model.partial_fit(*self.drift.latest(), classes=self.classes)
        self.fit_seconds += perf_counter() - start

    @property
    def _predicts_online(self):
        """Whether the model records a prediction of each sample before its label is revealed."""
        return hasattr(self.model, "online_predictions_") and hasattr(self.model, "n_queries_")

    def _ask(self, method, *arguments):
        """Return the answer of a method that needs a fitted model, None if it is not fitted."""
        if not self.is_fitted:
            return None
        start = perf_counter()
        try:
            answer = method(*arguments)
        except NotFittedError:
            if not self.is_first:
                raise
            return None
        self.predict_seconds += perf_counter() - start
        return answer

    def _count_sets(self, sets, true):
        if sets is None:
            return
        self.n_sets += len(sets)
        self.n_covered += int(sets[np.arange(len(sets)), true].sum())
        self.set_sizes += int(sets.sum())

    def _store_counts(self):
        n_queries = self.n_labels
        if self._predicts_online:
            n_queries = int(self.model.n_queries_) - self.n_earlier_queries
        self.counts.extend((self.n_samples, n_queries, _n_support(self.model)))
        self.counts.extend((self.n_sets, self.n_covered, self.set_sizes))
        for counts in (self.confusion.sum(1), self.confusion.sum(0), self.confusion.diagonal()):
            self.counts.extend(counts.tolist())
        self.times.extend((self.fit_seconds, self.predict_seconds))

    def result(self):
        """Return the result."""
        counts = np.array(self.counts, dtype=np.int64)
        counts = counts.reshape(-1, 6 + 3 * len(self.classes))
        true_counts, predicted_counts, correct_counts = np.split(counts[:, 6:], 3, axis=1)
        n_samples, n_queries, n_support, n_sets, n_covered, set_sizes = counts[:, :6].T
        fit_seconds, predict_seconds = np.array(self.times).reshape(-1, 2).T
        predictions = self.predictions
        return ProgressiveValidationResult(
            estimator=self.model,
            classes=self.classes,
            n_samples=n_samples,
            n_queries=n_queries,
            n_support=None if n_support[-1] < 0 else n_support,
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            true_counts=true_counts,
            predicted_counts=predicted_counts,
            correct_counts=correct_counts,
            confusion_matrix=self.confusion,
            n_unpredicted=self.n_unpredicted,
            prediction_sets=self.prediction_sets,
            n_sets=n_sets,
            n_covered=n_covered,
            set_sizes=set_sizes,
            predictions=None if predictions is None else self.classes[np.array(predictions)],
            drift_alarms=None if self.drift is None else np.array(self.drift.alarms, np.int64),
        )


@validate_params(
    {
        "estimator": [HasMethods(["partial_fit", "predict"])],
        "X": "no_validation",
        "y": "no_validation",
        "chunk_size": [Interval(Integral, 1, None, closed="left")],
        "classes": ["array-like", None],
        "prediction_sets": [HasMethods(["predict_set", "update"]), None],
        "in_place": ["boolean"],
        "return_predictions": ["boolean"],
        "drift_detector": [HasMethods(["update"]), None],
        "retrain_window": [Interval(Integral, 1, None, closed="left"), None],
    },
    prefer_skip_nested_validation=False,
)
def progressive_validation(
    estimator,
    X,
    y=None,
    *,
    chunk_size=100,
    classes=None,
    prediction_sets=None,
    in_place=False,
    return_predictions=False,
    drift_detector=None,
    retrain_window=None,
):
    """Evaluate a classifier on a stream by prequential (test-then-train) validation.

    Each chunk is first used to test the model and then to train it. No samples are held out, and
    each prediction uses only earlier samples. This is the standard evaluation of online learners.

    Parameters
    ----------
    estimator : estimator object
        A classifier with ``partial_fit`` and ``predict``. A ``Pipeline`` of scikit-learn has no
        ``partial_fit``; use :class:`~sklearn_online_svm.pipeline.OnlinePipeline`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or iterable of pairs
        The samples in the order of the stream or, for a stream that does not fit into memory, an
        iterable (such as a generator) of pairs ``(X_chunk, y_chunk)``.
    y : array-like of shape (n_samples,), default=None
        The labels; None if X is an iterable of pairs. A label may be missing (nan or None) if the
        estimator supports missing labels, as
        :class:`~sklearn_online_svm.LabelEfficientClassifier` does.
    chunk_size : int, default=100
        Number of samples that are predicted and then used for training together, if X and y are
        arrays. 1 is the strictest and slowest evaluation. Chunks of an iterable are used as given.
    classes : array-like of shape (n_classes,), default=None
        All labels that can occur. By default the classes of a fitted estimator
        (``in_place=True``), or those in `y` or in the first chunk of an iterable.
    prediction_sets : AdaptiveConformalInference, default=None
        Prediction sets whose coverage and size are evaluated as well. The estimator must have
        ``predict_proba`` or ``decision_function``.
    in_place : bool, default=False
        Whether to train the estimator itself, and its `prediction_sets`, instead of clones, and
        to use the `drift_detector` itself instead of a copy. A fitted estimator continues from its
        current state; the counts of the result start at 0 in either case.
    return_predictions : bool, default=False
        Whether to keep all predictions.
    drift_detector : object, default=None
        Drift detector that receives the error (True or False) of each prediction: an object with
        a method ``update(x)`` and an attribute ``drift_detected``, such as those of river
        (``river.drift.ADWIN()``, ``KSWIN()``, ``binary.DDM()``).
    retrain_window : int, default=None
        Number of the latest samples on which a new model is trained after an alarm of the
        detector. It replaces the model at the end of the chunk. None: alarms are only reported.

    Returns
    -------
    result : ProgressiveValidationResult
        Counts at the end of each chunk, metrics computed from them, and the fitted estimator.

    Raises
    ------
    TypeError
        If `estimator` is a class.
    ValueError
        If a parameter is invalid, `retrain_window` is given without `drift_detector`, X and `y`
        (or those of a chunk) differ in length, there are no samples, or a label is not in the
        classes.

    See Also
    --------
    ProgressiveValidationDisplay : Plot the curves.
    AdaptiveConformalInference : Prediction sets.
    sklearn.model_selection.learning_curve : Cross-validated scores for increasing
        training set sizes.

    Notes
    -----
    **First chunk.** An unfitted estimator cannot predict, so its first chunk is used only for
    training; ``n_unpredicted`` is the number of its samples. Models are therefore compared on the
    same samples if their chunks are the same.

    **Within a chunk** the model is not updated. Smaller chunks therefore give slightly higher
    scores and take longer.

    **Estimators that record their own predictions** before labels are revealed have the
    attributes ``online_predictions_`` (one per sample so far) and ``n_queries_`` (queried labels),
    as :class:`~sklearn_online_svm.LabelEfficientClassifier` does. These predictions are
    scored, including the first chunk. They do not depend on ``chunk_size``, and their time is
    included in the fit time.

    **Prediction sets** are evaluated for the labelled samples of all chunks that find a fitted
    estimator. Within a chunk they adapt to the label of each sample before the next one.

    **Drift.** The detector receives errors of labelled samples only, in their order. An alarm of a
    detector that has an attribute ``estimation``, as ADWIN, is ignored if this estimate of the
    error has decreased. A new model is a clone of the estimator, also with ``in_place=True``:
    ``result.estimator`` is the last one. The latest samples are kept, also of an iterable.

    **Memory** grows by 64 bytes, and 24 for each class, with each chunk, and by 4 bytes with each
    sample if the predictions are kept.

    References
    ----------
    .. [1] A. Blum, A. Kalai, J. Langford: Beating the hold-out: bounds for K-fold and progressive
       cross-validation. COLT 1999.
    .. [2] J. Gama, R. Sebastiao, P. P. Rodrigues: On evaluating stream learning algorithms.
       Machine Learning 90, 317-346, 2013.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.evaluation import progressive_validation
    >>> X, y = make_banana_like(1000, random_state=0)
    >>> result = progressive_validation(LASVC(gamma=1.0), X, y, chunk_size=250)
    >>> result.n_samples.tolist()
    [250, 500, 750, 1000]
    >>> result.n_scored.tolist()
    [0, 250, 500, 750]
    >>> result.accuracy().round(1)
    array([nan, 0.9, 0.9, 0.9])

    Continue with the same model on a stream of chunks:

    >>> def stream(n_chunks):
    ...     for seed in range(1, n_chunks + 1):
    ...         yield make_banana_like(200, random_state=seed)
    >>> result = progressive_validation(result.estimator, stream(3), in_place=True)
    >>> result.n_scored.tolist()
    [200, 400, 600]
    >>> int(result.estimator.n_samples_seen_)
    1600
    """
    if isinstance(estimator, type):
        raise TypeError(
            f"estimator must be an instance, got the estimator class {estimator.__name__}."
        )
    if hasattr(estimator, "__sklearn_tags__") and (
        is_regressor(estimator) or is_outlier_detector(estimator)
    ):
        raise ValueError(f"estimator must be a classifier, got {estimator!r}.")
    if drift_detector is None:
        if retrain_window is not None:
            raise ValueError(
                f"retrain_window={retrain_window} needs a drift_detector, got drift_detector=None."
            )
    elif not hasattr(drift_detector, "drift_detected"):
        raise ValueError(
            "drift_detector must have an attribute drift_detected, got "
            f"{type(drift_detector).__name__}."
        )
    model = estimator if in_place else clone(estimator)
    chunks = _iter_chunks(X, y, chunk_size)
    first = next(chunks, None)
    if first is None:
        raise ValueError("X must contain at least one sample, got none.")
    drift = None
    if drift_detector is not None:
        detector = drift_detector if in_place else copy.deepcopy(drift_detector)
        drift = DriftReaction(detector, retrain_window)
    evaluation = _Evaluation(
        model,
        _resolve_classes(classes, model, first[1] if y is None else y),
        drift,
        is_fitted=in_place,  # if it is not, `predict` of the first chunk will tell
        prediction_sets=prediction_sets
        if in_place or prediction_sets is None
        else clone(prediction_sets),
        return_predictions=return_predictions,
    )
    for X_chunk, y_chunk in chain([first], chunks):
        evaluation.process(X_chunk, y_chunk)
    return evaluation.result()
