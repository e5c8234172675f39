"""Prequential (test-then-train) evaluation of classifiers on streams."""

import copy
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import chain
from numbers import Integral, Real
from time import perf_counter

import numpy as np
from scipy.sparse import issparse
from scipy.stats import gmean
from sklearn.base import clone, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from .._base import encode_labels, is_labelled
from .._chunks import copied, stacked
from .._sklearn_compat import (
    HasMethods,
    Interval,
    _num_samples,
    _safe_indexing,
    validate_params,
)
from ..pipeline import final_estimator
from .metrics import _COST, _POS_LABEL, check_both_costs, invalid_pos_label

__all__ = ["ProgressiveValidationResult", "progressive_validation"]


def import_optional(module, caller):
    """Import a package that only ``caller`` needs."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{caller} needs {package}: `pip install {package}`.") from error


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


class _DriftReaction:
    """Alarms of a drift detector, and the latest samples, for a new model.

    Parameters
    ----------
    detector : drift detector
    window : int or None
        Number of samples to keep; None: none.
    """

    def __init__(self, detector, window):
        self.detector, self.window = detector, window
        self.alarms = array("q")
        self.chunks, self.n_kept = [], 0

    def is_alarmed(self, errors, places):
        """Pass errors to the detector; return whether it has raised an alarm."""
        n_before = len(self.alarms)
        for error, place in zip(errors.tolist(), places.tolist(), strict=True):
            estimate = getattr(self.detector, "estimation", 0.0)
            self.detector.update(error)
            # ADWIN also detects that the errors have become fewer.
            has_increased = getattr(self.detector, "estimation", 1.0) >= estimate
            if self.detector.drift_detected and has_increased:
                self.alarms.append(place)
        return len(self.alarms) > n_before

    def keep(self, X, y):
        """Keep a chunk, and release those before the window."""
        if self.window is None:
            return
        self.chunks.append((copied(X), copied(y)))
        self.n_kept += len(y)
        while self.n_kept - len(self.chunks[0][1]) >= self.window:
            self.n_kept -= len(self.chunks.pop(0)[1])

    def latest(self):
        """Return the samples and the labels in the window."""
        X, y = (stacked(parts) for parts in zip(*self.chunks, strict=True))
        window = slice(max(0, self.n_kept - self.window), None)
        return _safe_indexing(X, window), _safe_indexing(y, window)


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
        drift = _DriftReaction(detector, retrain_window)
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


def _ratio(part, total):
    """Elementwise ratio as float, nan where the total is 0."""
    return np.divide(part, total, out=np.full(np.shape(total), np.nan), where=total > 0)


_BINARY_METRICS = ("sensitivity_specificity", "cost")
_SET_METRICS = ("coverage", "set_size")
_METRICS = ("accuracy", "f1", "geometric_mean", *_BINARY_METRICS, *_SET_METRICS)
_COUNTS = (
    "n_samples",
    "n_scored",
    "mistakes",
    "n_queries",
    "n_support",
    "seconds",
    "fit_seconds",
    "predict_seconds",
)


# Counts that `rolling` restricts to the window.
_WINDOWED = (
    "true_counts",
    "predicted_counts",
    "correct_counts",
    "n_sets",
    "n_covered",
    "set_sizes",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProgressiveValidationResult:
    """Counts along a stream, and metrics computed from them.

    Returned by :func:`progressive_validation`. Arrays of length ``n_chunks`` are cumulative: the
    last entry refers to the whole stream. :meth:`rolling` returns the metrics of the latest
    samples instead, which show concept drift. The metrics are methods, so other costs or another
    positive class need no further evaluation.

    Attributes
    ----------
    estimator : estimator object
        The fitted estimator.
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.
    n_samples : ndarray of shape (n_chunks,)
        Number of samples.
    n_scored : ndarray of shape (n_chunks,)
        Number of samples with a label and a prediction. All metrics refer to these.
    n_unpredicted : int
        Number of samples at the beginning that were not predicted, because the estimator was not
        fitted.
    mistakes : ndarray of shape (n_chunks,)
        Number of wrong predictions.
    n_queries : ndarray of shape (n_chunks,)
        Number of labels used for training: all of them, unless the estimator queries labels.
    n_support : ndarray of shape (n_chunks,) or None
        Number of support vectors (not cumulative); None if the estimator has no ``n_support_``.
    seconds : ndarray of shape (n_chunks,)
        Time of training and prediction.
    fit_seconds : ndarray of shape (n_chunks,)
        Time of training.
    predict_seconds : ndarray of shape (n_chunks,)
        Time of prediction.
    true_counts : ndarray of shape (n_chunks, n_classes)
        Number of scored samples of each class.
    predicted_counts : ndarray of shape (n_chunks, n_classes)
        Number of scored samples predicted as each class.
    correct_counts : ndarray of shape (n_chunks, n_classes)
        Number of samples of each class that were predicted correctly.
    confusion_matrix : ndarray of shape (n_classes, n_classes)
        Number of scored samples of the whole stream by class (row) and prediction (column).
    predictions : ndarray of shape (n_samples - n_unpredicted,) or None
        Predictions of all samples but the first ``n_unpredicted``; only with
        ``return_predictions=True``.
    prediction_sets : AdaptiveConformalInference or None
        The prediction sets after the stream; None if they were not evaluated.
    n_sets : ndarray of shape (n_chunks,)
        Number of samples with a prediction set and a label; 0 without `prediction_sets`.
    n_covered : ndarray of shape (n_chunks,)
        Number of these samples whose set contains the label.
    set_sizes : ndarray of shape (n_chunks,)
        Sum of the numbers of classes in these sets.
    drift_alarms : ndarray of shape (n_alarms,) or None
        For each alarm of the drift detector, the number of samples up to the one that caused it;
        None without a detector.
    window : int or None
        Argument of :meth:`rolling`; None in a cumulative result.

    See Also
    --------
    progressive_validation : Evaluate a classifier on a stream.
    ProgressiveValidationDisplay : Plot the curves.

    Notes
    -----
    The metrics are those of :mod:`sklearn.metrics` and :mod:`sklearn_online_svm.evaluation`,
    computed from all scored samples so far, or from those in the window. Where such a function
    returns 0 with a warning because a class has no samples, the curve is nan. If a class never
    occurs, :meth:`geometric_mean` is always nan unless its ``labels`` exclude that class.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.evaluation import progressive_validation
    >>> X, y = make_waveform(1000, imbalance_ratio=9, random_state=0)
    >>> model = SGDClassifier(random_state=0)
    >>> result = progressive_validation(model, X, y, return_predictions=True)
    >>> int(result.confusion_matrix.sum())
    900
    >>> bool(result.accuracy()[-1] > result.geometric_mean()[-1])
    True

    Other metrics can be computed from the predictions:

    >>> from sklearn.metrics import jaccard_score
    >>> score = jaccard_score(y[result.n_unpredicted :], result.predictions)
    """

    estimator: object
    classes: np.ndarray
    n_samples: np.ndarray
    n_queries: np.ndarray
    n_support: np.ndarray | None
    fit_seconds: np.ndarray
    predict_seconds: np.ndarray
    true_counts: np.ndarray
    predicted_counts: np.ndarray
    correct_counts: np.ndarray
    confusion_matrix: np.ndarray
    n_unpredicted: int
    predictions: np.ndarray | None
    prediction_sets: object | None
    n_sets: np.ndarray
    n_covered: np.ndarray
    set_sizes: np.ndarray
    drift_alarms: np.ndarray | None
    window: int | None = None

    def __repr__(self):
        latest = "" if self.window is None else "the latest "
        alarms = "" if self.drift_alarms is None else f", {len(self.drift_alarms)} drift alarms"
        return (
            f"<{type(self).__name__} of {type(self.estimator).__name__}: {self.n_samples[-1]} "
            f"samples in {len(self.n_samples)} chunks, {self.mistakes[-1]} mistakes in "
            f"{latest}{self.n_scored[-1]} predictions{alarms}>"
        )

    @validate_params(
        {"window": [Interval(Integral, 1, None, closed="left")]},
        prefer_skip_nested_validation=True,
    )
    def rolling(self, window):
        """Return a result whose metrics refer to the latest samples only.

        Parameters
        ----------
        window : int
            Number of samples. At the end of each chunk, the window consists of the latest whole
            chunks, as few as contain at least this number of samples in total (all chunks, if
            they contain fewer). If it is a multiple of the chunk size, the window has exactly this
            number of samples.

        Returns
        -------
        result : ProgressiveValidationResult
            ``n_scored``, ``mistakes``, ``true_counts``, ``predicted_counts``,
            ``correct_counts``, the counts of prediction sets and all metrics are those of the
            window; the other attributes are unchanged.

        Raises
        ------
        ValueError
            If `window` is invalid, or the result was returned by this method.

        References
        ----------
        .. [1] J. Gama, R. Sebastiao, P. P. Rodrigues: On evaluating stream learning algorithms.
           Machine Learning 90, 317-346, 2013.

        Examples
        --------
        The classes are exchanged in the middle of the stream:

        >>> from sklearn_online_svm import LASVC
        >>> from sklearn_online_svm.datasets import make_banana_like
        >>> from sklearn_online_svm.evaluation import progressive_validation
        >>> X, y = make_banana_like(2000, random_state=0)
        >>> y[1000:] *= -1
        >>> result = progressive_validation(LASVC(gamma=1.0), X, y)
        >>> result.accuracy()[[9, 14]].round(1)
        array([0.9, 0.8])
        >>> result.rolling(500).accuracy()[[9, 14]].round(1)
        array([0.9, 0.7])
        """
        if self.window is not None:
            raise ValueError(
                f"rolling needs a cumulative result, got one with window={self.window}. Call it "
                "on the result of progressive_validation."
            )
        starts = self.n_samples - min(window, self.n_samples[-1])
        # Number of chunks before each window.
        n_before = np.searchsorted(self.n_samples, starts, side="right")
        counts = {
            name: (total := getattr(self, name)) - np.concatenate([0 * total[:1], total])[n_before]
            for name in _WINDOWED
        }
        return replace(self, window=window, **counts)

    @property
    def n_scored(self):
        """Number of samples with a label and a prediction."""
        return self.true_counts.sum(axis=1)

    @property
    def mistakes(self):
        """Number of wrong predictions."""
        return self.n_scored - self.correct_counts.sum(axis=1)

    @property
    def seconds(self):
        """Time of training and prediction."""
        return self.fit_seconds + self.predict_seconds

    def accuracy(self):
        """Compute the accuracy.

        Returns
        -------
        accuracy : ndarray of shape (n_chunks,)
            Fraction of correct predictions.
        """
        return _ratio(self.correct_counts.sum(axis=1), self.n_scored)

    @validate_params({"pos_label": [*_POS_LABEL, None]}, prefer_skip_nested_validation=True)
    def f1(self, *, pos_label=None):
        """Compute the F1 score.

        Parameters
        ----------
        pos_label : int, float, bool or str, default=None
            The class to score. None: class 1 of two classes, otherwise the mean over all classes
            with samples or predictions (macro F1).

        Returns
        -------
        f1 : ndarray of shape (n_chunks,)
            Harmonic mean of precision and recall.

        Raises
        ------
        ValueError
            If `pos_label` is not one of the classes.
        """
        scores = _ratio(2 * self.correct_counts, self.true_counts + self.predicted_counts)
        if pos_label is None:
            if len(self.classes) != 2:
                return _ratio(np.nansum(scores, axis=1), (~np.isnan(scores)).sum(axis=1))
            pos_label = 1
        return scores[:, self._positive(pos_label)]

    @validate_params({"labels": ["array-like", None]}, prefer_skip_nested_validation=True)
    def geometric_mean(self, *, labels=None):
        """Compute the geometric mean of the recalls, see :func:`geometric_mean_score`.

        Parameters
        ----------
        labels : array-like of shape (n_labels,), default=None
            The classes to include; by default all.

        Returns
        -------
        geometric_mean : ndarray of shape (n_chunks,)
            The value is nan until each of these classes has occurred.

        Raises
        ------
        ValueError
            If `labels` is empty or contains a label that is not one of the classes.
        """
        labels = self.classes if labels is None else column_or_1d(labels)
        if not len(labels):
            raise ValueError("labels must name at least one class, got none.")
        columns = encode_labels(labels, self.classes, "labels")
        return gmean(_ratio(self.correct_counts, self.true_counts)[:, columns], axis=1)

    @validate_params(
        {"eta_p": [Interval(Real, 0, 1, closed="both")], "pos_label": _POS_LABEL},
        prefer_skip_nested_validation=True,
    )
    def sensitivity_specificity(self, *, eta_p=0.5, pos_label=1):
        """Compute the weighted mean of sensitivity and specificity.

        Parameters
        ----------
        eta_p : float, default=0.5
            Weight of the sensitivity, between 0 and 1; the weight of the specificity is
            ``1 - eta_p``. See :func:`sensitivity_specificity_score`.
        pos_label : int, float, bool or str, default=1
            The positive class.

        Returns
        -------
        sensitivity_specificity : ndarray of shape (n_chunks,)
            The value is nan until both classes have occurred.

        Raises
        ------
        ValueError
            If there are not two classes or a parameter is invalid.
        """
        positive = self._positive(pos_label, "sensitivity_specificity")
        recalls = _ratio(self.correct_counts, self.true_counts)
        return eta_p * recalls[:, positive] + (1 - eta_p) * recalls[:, 1 - positive]

    @validate_params(
        {"cost_p": _COST, "cost_n": _COST, "pos_label": _POS_LABEL, "normalize": ["boolean"]},
        prefer_skip_nested_validation=True,
    )
    def cost(self, *, cost_p=None, cost_n=None, pos_label=1, normalize=False):
        """Compute the cost of the mistakes, see :func:`misclassification_cost`.

        Parameters
        ----------
        cost_p : float, default=None
            Cost of a false negative, 0 or greater.
        cost_n : float, default=None
            Cost of a false positive, 0 or greater. Give both costs or neither. By default,
            `cost_p` is the fraction of negative samples so far (or in the window) and `cost_n` the
            fraction of positive samples, so the costs change along the curve.
        pos_label : int, float, bool or str, default=1
            The positive class.
        normalize : bool, default=False
            Whether to return the mean cost of a sample instead of the sum.

        Returns
        -------
        cost : ndarray of shape (n_chunks,)
            0 is best. With the default costs, the value is nan until both classes have occurred.

        Raises
        ------
        ValueError
            If there are not two classes or a parameter is invalid.
        """
        check_both_costs(cost_p, cost_n)
        positive = self._positive(pos_label, "cost")
        columns = [positive, 1 - positive]
        totals = self.true_counts[:, columns]
        missed = totals - self.correct_counts[:, columns]
        if cost_p is None:
            # With one class only, both default costs would make all mistakes free.
            shares = np.where(totals.all(axis=1), totals.T / np.maximum(self.n_scored, 1), np.nan)
            cost_n, cost_p = shares
        cost = cost_p * missed[:, 0] + cost_n * missed[:, 1]
        return _ratio(cost, self.n_scored) if normalize else cost

    def coverage(self):
        """Compute the coverage of the prediction sets.

        Returns
        -------
        coverage : ndarray of shape (n_chunks,)
            Fraction of the sets that contain the true class.

        Raises
        ------
        ValueError
            If no prediction sets were evaluated.
        """
        return self._mean_of_sets("coverage", self.n_covered)

    def set_size(self):
        """Compute the mean size of the prediction sets.

        Returns
        -------
        set_size : ndarray of shape (n_chunks,)
            Mean number of classes in a set.

        Raises
        ------
        ValueError
            If no prediction sets were evaluated.
        """
        return self._mean_of_sets("set_size", self.set_sizes)

    def _mean_of_sets(self, metric, counts):
        if self.prediction_sets is None:
            raise ValueError(
                f"{metric} is not available: no prediction sets were evaluated. Pass "
                "prediction_sets=AdaptiveConformalInference() to progressive_validation."
            )
        return _ratio(counts, self.n_sets)

    @validate_params({"pos_label": [*_POS_LABEL, None]}, prefer_skip_nested_validation=True)
    def to_frame(self, *, pos_label=None):
        """Return a table of all counts and metrics.

        Parameters
        ----------
        pos_label : int, float, bool or str, default=None
            The positive class of ``f1``, ``sensitivity_specificity`` and ``cost``; by default that
            of these methods.

        Returns
        -------
        frame : pandas.DataFrame
            One row per chunk. ``sensitivity_specificity`` and ``cost`` are included for two
            classes, ``n_support`` if the estimator has support vectors, ``coverage`` and
            ``set_size`` if prediction sets were evaluated.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If `pos_label` is not one of the classes.
        """
        pandas = import_optional("pandas", "ProgressiveValidationResult.to_frame")
        omitted = set() if len(self.classes) == 2 else set(_BINARY_METRICS)
        if self.n_support is None:
            omitted.add("n_support")
        if self.prediction_sets is None:
            omitted.update(_SET_METRICS)
        params = {}
        if pos_label is not None:
            params = dict.fromkeys(("f1", *_BINARY_METRICS), {"pos_label": pos_label})
        names = (name for name in _COUNTS + _METRICS if name not in omitted)
        return pandas.DataFrame(
            {name: self._curve(name, **params.get(name, {})) for name in names}
        )

    def _curve(self, name, **params):
        """Return counts or a metric by name."""
        if name in _METRICS:
            return getattr(self, name)(**params)
        if params:
            raise ValueError(f"metric={name!r} has no parameters, got {params}.")
        counts = getattr(self, name)
        if counts is None:
            raise ValueError(
                f"metric={name!r} is not available: {type(self.estimator).__name__} has no "
                "support vectors."
            )
        return counts

    def _positive(self, pos_label, binary_metric=None):
        """Return the column of the positive class."""
        classes = self.classes.tolist()
        if binary_metric is not None and len(classes) != 2:
            raise ValueError(
                f"{binary_metric} needs two classes, got {classes}. Use geometric_mean for any "
                "number of classes."
            )
        if pos_label not in classes:
            raise ValueError(invalid_pos_label(pos_label, classes, "the stream"))
        return classes.index(pos_label)
