"""Prequential (test-then-train) evaluation of classifiers and regressors on streams."""

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
from sklearn.utils import check_consistent_length

from .._sample_arrays import with_valid_indices
from .._sklearn_compat import HasMethods, Interval, _num_samples, _safe_indexing, validated
from ..pipeline import final_estimator
from ._chunk_statistics import ClassCounts, RegressionStatistics
from ._drift_reaction import DriftReaction


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
        X = with_valid_indices(X)
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


def _is_regressor(estimator):
    """Return whether an estimator is a regressor; refuse outlier detectors."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return False
    if is_outlier_detector(estimator):
        raise ValueError(
            f"estimator must be a classifier or a regressor, got {estimator!r}, an outlier "
            "detector."
        )
    return is_regressor(estimator)


def _n_support(model):
    """Return the number of support vectors, -1 if the model has none."""
    model = final_estimator(model)
    for owner in (model, getattr(model, "estimator_", None)):
        if hasattr(owner, "n_support_"):
            return int(np.sum(owner.n_support_))
    return -1


class _Evaluation:
    """State of a prequential evaluation.

    Only numbers are stored for each chunk: the samples, the queried labels and the support
    vectors, the times, and those of ``statistics``.
    """

    def __init__(
        self, model, statistics, drift, *, is_fitted, prediction_sets, return_predictions
    ):
        self.model = model
        self.statistics = statistics
        self.prediction_sets = prediction_sets
        self.drift = drift
        self.is_first = True
        self.is_fitted = is_fitted
        self.n_samples = self.n_labels = self.n_unpredicted = 0
        self.n_earlier_queries = getattr(model, "n_queries_", 0)
        self.fit_seconds = self.predict_seconds = 0.0
        self.counts = array("q")
        self.times = array("d")
        self.predictions = array(statistics.typecode) if return_predictions else None

    def process(self, X, y):
        """Predict a chunk, train on it, and store the counts."""
        is_known, true = self.statistics.known(y)
        predicted = None if self._predicts_online else self._ask(self.model.predict, X)
        if self.prediction_sets is not None:
            known = X if is_known.all() else _safe_indexing(X, np.flatnonzero(is_known))
            labels = self.statistics.classes[true]
            sets = self._ask(self.prediction_sets.update, self.model, known, labels)
            if sets is not None:
                self.statistics.add_sets(true, sets)
        start = perf_counter()
        self.model.partial_fit(X, y, **(self.statistics.first_call if self.is_first else {}))
        self.fit_seconds += perf_counter() - start
        self.is_first, self.is_fitted = False, True
        if self._predicts_online:
            predicted = self.model.online_predictions_[-len(is_known) :]
        if self.drift is not None:
            self.drift.keep(X, y)
        if predicted is None:
            self.n_unpredicted += len(is_known)
        else:
            predicted = self.statistics.encoded(predicted, len(is_known))
            scored = predicted[is_known]
            self.statistics.add(true, scored)
            if self.drift is not None:
                self._react(self.statistics.errors(true, scored), np.flatnonzero(is_known))
            if self.predictions is not None:
                self.predictions.extend(predicted.ravel().tolist())
        self.n_samples += len(is_known)
        self.n_labels += len(true)
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
        self.model.partial_fit(*self.drift.latest(), **self.statistics.first_call)
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

    def _store_counts(self):
        n_queries = self.n_labels
        if self._predicts_online:
            n_queries = int(self.model.n_queries_) - self.n_earlier_queries
        self.counts.extend((self.n_samples, n_queries, _n_support(self.model)))
        self.times.extend((self.fit_seconds, self.predict_seconds))
        self.statistics.store()

    def result(self):
        """Return the result."""
        n_samples, n_queries, n_support = np.array(self.counts, dtype=np.int64).reshape(-1, 3).T
        fit_seconds, predict_seconds = np.array(self.times).reshape(-1, 2).T
        predictions = self.predictions
        if predictions is not None:
            predictions = self.statistics.decoded(np.array(predictions))
        return self.statistics.result(
            estimator=self.model,
            n_samples=n_samples,
            n_queries=n_queries,
            n_support=None if n_support[-1] < 0 else n_support,
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            n_unpredicted=self.n_unpredicted,
            prediction_sets=self.prediction_sets,
            predictions=predictions,
            drift_alarms=None if self.drift is None else np.array(self.drift.alarms, np.int64),
        )


@validated(
    skip_nested=False,
    estimator=[HasMethods(["partial_fit", "predict"])],
    chunk_size=[Interval(Integral, 1, None, closed="left")],
    classes=["array-like", None],
    prediction_sets=[HasMethods(["predict_set", "update"]), None],
    in_place=["boolean"],
    return_predictions=["boolean"],
    drift_detector=[HasMethods(["update"]), None],
    retrain_window=[Interval(Integral, 1, None, closed="left"), None],
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
    """Evaluate an estimator on a stream by prequential (test-then-train) validation.

    Each chunk is first used to test the model and then to train it. No samples are held out, and
    each prediction uses only earlier samples. This is the standard evaluation of online learners.

    Parameters
    ----------
    estimator : estimator object
        A classifier or a regressor with ``partial_fit`` and ``predict``. A ``Pipeline`` of
        scikit-learn has no ``partial_fit``; use
        :class:`~sklearn_online_svm.pipeline.OnlinePipeline`.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or iterable of pairs
        The samples in the order of the stream or, for a stream that does not fit into memory, an
        iterable (such as a generator) of pairs ``(X_chunk, y_chunk)``.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
        The labels, or the targets of a regressor; None if X is an iterable of pairs. A label may
        be missing (nan or None) if the classifier supports missing labels, as
        :class:`~sklearn_online_svm.LabelEfficientClassifier` does.
    chunk_size : int, default=100
        Number of samples that are predicted and then used for training together, if X and y are
        arrays. 1 is the strictest and slowest evaluation. Chunks of an iterable are used as given.
    classes : array-like of shape (n_classes,), default=None
        All labels that can occur; for classifiers only. By default the classes of a fitted
        estimator (``in_place=True``), or those in `y` or in the first chunk of an iterable.
    prediction_sets : AdaptiveConformalInference, default=None
        Prediction sets whose coverage and size are evaluated as well; for classifiers only. The
        estimator must have ``predict_proba`` or ``decision_function``.
    in_place : bool, default=False
        Whether to train the estimator itself, and its `prediction_sets`, instead of clones, and
        to use the `drift_detector` itself instead of a copy. A fitted estimator continues from its
        current state; the counts of the result start at 0 in either case.
    return_predictions : bool, default=False
        Whether to store all predictions in ``result.predictions``.
    drift_detector : object, default=None
        Drift detector that receives the error of each prediction: True or False for a classifier,
        the absolute error (mean over outputs) for a regressor. An object with a method
        ``update(x)`` and an attribute ``drift_detected``, such as those of river
        (``river.drift.ADWIN()``, ``KSWIN()``; ``binary.DDM()`` for classifiers only).
    retrain_window : int, default=None
        Number of the latest samples on which a new model is trained after an alarm of the
        detector. The new model replaces the current one at the end of the chunk. None: alarms are
        only reported.

    Returns
    -------
    result : ProgressiveClassificationResult or ProgressiveRegressionResult
        Counts at the end of each chunk, metrics computed from them, and the fitted estimator.
        A ``ProgressiveRegressionResult`` is only returned if the estimator is a regressor.

    Raises
    ------
    TypeError
        If `estimator` is a class.
    ValueError
        If a parameter is invalid, the estimator is an outlier detector, `classes` or
        `prediction_sets` are given for a regressor, `retrain_window` is given without
        `drift_detector`, X and `y` (or those of a chunk) differ in length, there are no samples, a
        label is not in the classes, or a target of a regressor is not a finite number.

    See Also
    --------
    AdaptiveConformalInference : Prediction sets.
    sklearn.model_selection.learning_curve : Cross-validated scores for increasing
        training set sizes.

    Notes
    -----
    **First chunk.** An unfitted estimator cannot predict, so its first chunk is used only for
    training; ``n_unpredicted`` is the number of its samples. To compare models on the same
    samples, use the same chunks.

    **Within a chunk** the model is not updated. Smaller chunks therefore usually give slightly
    better metrics, and take longer.

    **Estimators that record their own predictions** before labels are revealed have the
    attributes ``online_predictions_`` (one per sample so far) and ``n_queries_`` (queried labels),
    as :class:`~sklearn_online_svm.LabelEfficientClassifier` does. These predictions are
    scored, including the first chunk. They do not depend on ``chunk_size``, and their time is
    included in the fit time.

    **Prediction sets** are evaluated for the labelled samples of all chunks before which the
    estimator has been fitted. Within a chunk they adapt to the label of each sample before the
    next one.

    **Drift.** The detector receives errors of labelled samples only, in their order. An alarm of a
    detector that has an attribute ``estimation``, as ADWIN, is ignored if this estimate of the
    error has decreased. After an alarm, a clone of the estimator is trained on the latest
    `retrain_window` samples, which are stored for this purpose. With ``in_place=True`` as well,
    the estimator that was passed is then not trained further: use ``result.estimator``.

    **Memory** grows with each chunk by 64 bytes, and 24 for each class; for a regressor by 40
    bytes, and 40 for each output. If the predictions are kept, it also grows with each sample by
    4 bytes, or 8 for each output.

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
    >>> X, y = make_banana_like(1000, noise=0.28, random_state=0)
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

    A regressor:

    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn_online_svm import LASVR
    >>> X, y = make_friedman1(1000, noise=0.5, random_state=0)
    >>> result = progressive_validation(LASVR(C=10, gamma=1.2, epsilon=0.5), X, y, chunk_size=250)
    >>> result.r2().round(1)
    array([nan, 0.9, 0.9, 0.9])
    """
    is_regression = _is_regressor(estimator)
    for name, value in (("classes", classes), ("prediction_sets", prediction_sets)):
        if is_regression and value is not None:
            raise ValueError(
                f"{name} must be None for the regressor {type(estimator).__name__}, got "
                f"{name}={value!r}."
            )
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
    targets = first[1] if y is None else y
    evaluation = _Evaluation(
        model,
        RegressionStatistics(targets) if is_regression else ClassCounts(classes, model, targets),
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
