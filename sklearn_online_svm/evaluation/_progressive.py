"""Prequential (test-then-train) evaluation of classifiers on streams."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from numbers import Integral, Real
from time import perf_counter

import numpy as np
from scipy.sparse import issparse
from scipy.stats import gmean
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from .._base import known_labels
from .._sklearn_compat import HasMethods, Interval, validate_params
from .metrics import _COST, _POS_LABEL, not_a_label

__all__ = ["ProgressiveValidationResult", "progressive_validation"]


def import_optional(module, caller):
    """Import a package that is only needed by those who call ``caller``."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(f"{caller} needs {package}: `pip install {package}`.") from error


# ---------------------------------------------------------------------------
# Chunks and their labels
# ---------------------------------------------------------------------------


def _is_table(X):
    """Whether X holds rows (an array, a sparse matrix, a data frame), not chunks of rows."""
    return hasattr(X, "shape") or hasattr(X, "__array__")


def _rows(data, chunk):
    return data.iloc[chunk] if hasattr(data, "iloc") else data[chunk]


def _slices(X, y, chunk_size):
    check_consistent_length(X, y)
    if issparse(X):
        X = X.tocsr()
    n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
    for start in range(0, n_samples, chunk_size):
        chunk = slice(start, start + chunk_size)
        yield _rows(X, chunk), _rows(y, chunk)


def _pairs(chunks):
    for i, chunk in enumerate(chunks):
        if not isinstance(chunk, tuple) or len(chunk) != 2:
            raise ValueError(
                "Without y, X must be an iterable of pairs (X_chunk, y_chunk), got "
                f"{type(chunk).__name__} as its item number {i}."
            )
        check_consistent_length(*chunk)
        yield chunk


def _chunks(X, y, chunk_size):
    """Pairs of the rows and the labels of each chunk, in the order of the stream."""
    if y is None:
        if _is_table(X) or not isinstance(X, Iterable):
            raise ValueError(
                "y must be given unless X is an iterable of pairs (X_chunk, y_chunk), got y=None "
                f"and X of type {type(X).__name__}."
            )
        return _pairs(X)
    if not _is_table(X) and not hasattr(X, "__len__"):
        raise ValueError(
            "y must be None where X is an iterator of pairs (X_chunk, y_chunk), got X of type "
            f"{type(X).__name__} and y of type {type(y).__name__}."
        )
    return _slices(X, y, chunk_size)


def _known_labels(y):
    """Which rows have a label (see ``known_labels``), and these labels."""
    y = column_or_1d(y)
    known = known_labels(y)
    labels = y[known]
    return known, np.array(labels.tolist()) if y.dtype == object else labels


def _resolve_classes(classes, model, y):
    """Sort the classes of the stream: as given, else those of the model, else those of y."""
    if classes is not None:
        return unique_labels(column_or_1d(classes))
    if hasattr(model, "classes_"):
        return np.asarray(model.classes_)
    _, labels = _known_labels(y)
    check_classification_targets(labels)
    classes = unique_labels(labels)
    if len(classes) < 2:
        raise ValueError(
            "classes must be given where the first labels are not of two classes at least, got "
            f"classes=None and of the labels only {classes.tolist()}."
        )
    return classes


def _codes(labels, classes, name):
    """Position of each label in the sorted classes."""
    codes = np.searchsorted(classes, labels)
    found = classes.take(codes, mode="clip") == labels
    if not np.all(found):
        unknown = np.unique(labels[~np.broadcast_to(found, labels.shape)])[:5].tolist()
        raise ValueError(
            f"{name} must be among the classes {classes.tolist()}, got {unknown}. The parameter "
            "classes must name all labels of a stream, unless its first chunk has them all."
        )
    return codes


# ---------------------------------------------------------------------------
# Test, then train
# ---------------------------------------------------------------------------


def _predicts_itself(model):
    """Whether the model keeps the predictions it made of each row before its label was seen."""
    return hasattr(model, "online_predictions_") and hasattr(model, "n_queries_")


def _n_support(model):
    """Count the support vectors; -1 of a model that has none."""
    for owner in (model, getattr(model, "estimator_", None)):
        if hasattr(owner, "n_support_"):
            return int(np.sum(owner.n_support_))
    return -1


class _Run:
    """State of a prequential evaluation; only counts are kept for each chunk.

    They are kept as plain numbers in one array that grows: `_WIDTH` of them and three per class.
    """

    _WIDTH = 3

    def __init__(self, model, classes, *, can_predict, return_predictions):
        n_classes = len(classes)
        self.model = model
        self.classes = classes
        self.is_first = True
        self.can_predict = can_predict
        self.confusion = np.zeros((n_classes, n_classes), dtype=np.int64)
        # Rows of a class, rows predicted as it, and those where both are true.
        self.counts = np.zeros((3, n_classes), dtype=np.int64)
        self.n_samples = 0
        self.n_unpredicted = 0
        self.n_labels = 0
        self.n_queries_before = getattr(model, "n_queries_", 0)
        self.seconds = np.zeros(2)  # learning, predicting
        self.log = array("q")
        self.time_log = array("d")
        self.predictions = array("i") if return_predictions else None

    def take(self, X, y):
        """Predict a chunk, train on it, and record the counts."""
        known, labels = _known_labels(y)
        truth = _codes(labels, self.classes, "The labels in y")
        predicted = self._predict(X)
        self._learn(X, y)
        if _predicts_itself(self.model):
            predicted = self.model.online_predictions_[-len(known) :]
        self.n_samples += len(known)
        self.n_labels += len(labels)
        if predicted is None:
            self.n_unpredicted += len(known)
        else:
            predicted = _codes(np.asarray(predicted), self.classes, "Predictions")
            self._score(truth, predicted[known])
            if self.predictions is not None:
                self.predictions.extend(predicted.tolist())
        self._note()

    def _predict(self, X):
        if not self.can_predict or _predicts_itself(self.model):
            return None
        start = perf_counter()
        try:
            predicted = self.model.predict(X)
        except NotFittedError:
            if not self.is_first:
                raise
            return None
        self.seconds[1] += perf_counter() - start
        return predicted

    def _learn(self, X, y):
        options = {"classes": self.classes} if self.is_first else {}
        start = perf_counter()
        self.model.partial_fit(X, y, **options)
        self.seconds[0] += perf_counter() - start
        self.is_first, self.can_predict = False, True

    def _score(self, truth, predicted):
        np.add.at(self.confusion, (truth, predicted), 1)
        for counts, codes in zip(self.counts, (truth, predicted, truth[truth == predicted])):
            counts += np.bincount(codes, minlength=len(counts))

    def _note(self):
        n_queries = self.n_labels
        if _predicts_itself(self.model):
            n_queries = self.model.n_queries_ - self.n_queries_before
        self.log.extend((self.n_samples, int(n_queries), _n_support(self.model)))
        self.log.extend(self.counts.ravel().tolist())
        self.time_log.extend(self.seconds.tolist())

    def result(self):
        log = np.array(self.log, dtype=np.int64).reshape(-1, self._WIDTH + self.counts.size)
        n_samples, n_queries, n_support = log[:, : self._WIDTH].T
        counts = log[:, self._WIDTH :].reshape(len(log), 3, -1)
        fit_seconds, predict_seconds = np.array(self.time_log).reshape(-1, 2).T
        predictions = self.predictions
        return ProgressiveValidationResult(
            estimator=self.model,
            classes=self.classes,
            n_samples=n_samples,
            n_queries=n_queries,
            n_support=None if n_support[-1] < 0 else n_support,
            fit_seconds=fit_seconds,
            predict_seconds=predict_seconds,
            true_counts=counts[:, 0],
            predicted_counts=counts[:, 1],
            hit_counts=counts[:, 2],
            confusion_matrix=self.confusion,
            n_unpredicted=self.n_unpredicted,
            predictions=None if predictions is None else self.classes[np.array(predictions)],
        )


@validate_params(
    {
        "estimator": [HasMethods(["partial_fit", "predict"])],
        "X": "no_validation",
        "y": "no_validation",
        "chunk_size": [Interval(Integral, 1, None, closed="left")],
        "classes": ["array-like", None],
        "in_place": ["boolean"],
        "return_predictions": ["boolean"],
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
    in_place=False,
    return_predictions=False,
):
    """Evaluate a classifier on a stream by prequential (test-then-train) validation.

    Each chunk is first used to test the model and then to train it. No samples are held out, and
    each prediction uses only earlier samples. This is the standard evaluation of online learners.

    Parameters
    ----------
    estimator : estimator object
        A classifier with ``partial_fit`` and ``predict``. A ``Pipeline`` of scikit-learn has no
        ``partial_fit``: transform the chunks as they come.
    X : {array-like, sparse matrix} of shape (n_samples, n_features) or iterable of pairs
        The samples in the order of the stream or, for a stream that does not fit into memory, an
        iterable (such as a generator) of pairs ``(X_chunk, y_chunk)``.
    y : array-like of shape (n_samples,), default=None
        The labels; None where they come with X. A label may be missing (nan or None) if the
        estimator supports missing labels, as
        :class:`~sklearn_online_svm.active.LabelEfficientClassifier` does.
    chunk_size : int, default=100
        Number of samples that are predicted and then used for training together, if X and y are
        arrays. 1 is the strictest and slowest evaluation. Chunks of an iterable are used as given.
    classes : array-like of shape (n_classes,), default=None
        All labels that can occur. By default those that a fitted estimator knows
        (``in_place=True``), or else those in `y`, or in the first chunk of an iterable.
    in_place : bool, default=False
        Whether to train the estimator itself instead of a clone. A fitted estimator continues
        from its current state; the counts of the result start at 0 in either case.
    return_predictions : bool, default=False
        Whether to keep all predictions.

    Returns
    -------
    result : ProgressiveValidationResult
        Counts at the end of each chunk, metrics computed from them, and the fitted estimator.

    Raises
    ------
    ValueError
        If a parameter is invalid, X and `y` (or those of a chunk) differ in length, there are no
        samples, or a label is not in the classes.

    See Also
    --------
    ProgressiveValidationDisplay : Plot the curves.
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
    as :class:`~sklearn_online_svm.active.LabelEfficientClassifier` does. These predictions are
    scored, including the first chunk. They do not depend on ``chunk_size``, and their time is
    included in the fit time.

    The memory needed grows with the number of chunks (by 40 bytes, and 24 for each class), and
    with the number of rows if the predictions are kept (4 bytes). The time for a chunk
    does not depend on its place in the stream, apart from what the estimator does.

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

    The same model, on a stream in chunks that follows:

    >>> def stream(n_chunks):
    ...     for seed in range(1, n_chunks + 1):
    ...         yield make_banana_like(200, random_state=seed)
    >>> result = progressive_validation(result.estimator, stream(3), in_place=True)
    >>> result.n_scored.tolist()
    [200, 400, 600]
    >>> int(result.estimator.n_samples_seen_)
    1600
    """
    if hasattr(estimator, "__sklearn_tags__") and is_regressor(estimator):
        raise ValueError(f"estimator must be a classifier, got {estimator!r}.")
    model = estimator if in_place else clone(estimator)
    chunks = iter(_chunks(X, y, chunk_size))
    first = next(chunks, None)
    if first is None:
        raise ValueError("X must hold at least one row, got none.")
    run = _Run(
        model,
        _resolve_classes(classes, model, first[1] if y is None else y),
        can_predict=in_place,  # as far as is known: it may not be fitted
        return_predictions=return_predictions,
    )
    for X_chunk, y_chunk in chain([first], chunks):
        run.take(X_chunk, y_chunk)
    return run.result()


# ---------------------------------------------------------------------------
# What came of it
# ---------------------------------------------------------------------------


def _ratio(part, total):
    """Elementwise ratio as float, nan where the total is 0."""
    return np.divide(part, total, out=np.full(np.shape(total), np.nan), where=total > 0)


_MEASURES = ("accuracy", "f1", "gmean", "weighted_sum", "cost")
_ONLY_BINARY = ("weighted_sum", "cost")
_FIGURES = (
    "n_samples",
    "n_scored",
    "mistakes",
    "n_queries",
    "n_support",
    "seconds",
    "fit_seconds",
    "predict_seconds",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProgressiveValidationResult:
    """Counts along a stream, and the measures made of them.

    Returned by :func:`progressive_validation`. Everything with ``n_chunks`` entries is cumulative:
    its last entry is about the whole stream. The measures are methods, so that other prices of
    mistakes, or another positive class, do not take another run.

    Attributes
    ----------
    estimator : estimator object
        The fitted estimator.
    classes : ndarray of shape (n_classes,)
        Class labels, sorted.
    n_samples : ndarray of shape (n_chunks,)
        Rows so far.
    n_scored : ndarray of shape (n_chunks,)
        Rows so far that had a label and a prediction, which all measures are about.
    n_unpredicted : int
        Rows at the beginning that were learnt only, as the estimator was not fitted.
    mistakes : ndarray of shape (n_chunks,)
        Rows predicted wrongly.
    n_queries : ndarray of shape (n_chunks,)
        Labels used for learning. All there were, unless the estimator asks for labels by itself.
    n_support : ndarray of shape (n_chunks,) or None
        Number of support vectors (not cumulative); None if the estimator has no ``n_support_``.
    seconds : ndarray of shape (n_chunks,)
        Time of learning and predicting.
    fit_seconds : ndarray of shape (n_chunks,)
        Time of learning.
    predict_seconds : ndarray of shape (n_chunks,)
        Time of predicting.
    true_counts : ndarray of shape (n_chunks, n_classes)
        Scored rows of each class.
    predicted_counts : ndarray of shape (n_chunks, n_classes)
        Scored rows predicted as each class.
    hit_counts : ndarray of shape (n_chunks, n_classes)
        Scored rows of each class that were predicted as that class.
    confusion_matrix : ndarray of shape (n_classes, n_classes)
        Scored rows of the whole stream by class (row) and prediction (column).
    predictions : ndarray of shape (n_samples - n_unpredicted,) or None
        What was predicted of the rows from number ``n_unpredicted`` on; only with
        ``return_predictions=True``.

    See Also
    --------
    progressive_validation : Makes it.
    ProgressiveValidationDisplay : Draws it.

    Notes
    -----
    The measures are those of :mod:`sklearn.metrics` and :mod:`sklearn_online_svm.evaluation`
    over all scored rows so far. Where such a function warns that it is undefined and returns 0,
    for want of rows of some class, a curve has nan. With one class that never has a row,
    :meth:`gmean` is nan throughout: name the classes that count in its ``labels``.

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
    >>> bool(result.accuracy()[-1] > result.gmean()[-1])
    True

    Other measures can be made of the predictions:

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
    hit_counts: np.ndarray
    confusion_matrix: np.ndarray
    n_unpredicted: int
    predictions: np.ndarray | None

    def __repr__(self):
        return (
            f"<{type(self).__name__} of {type(self.estimator).__name__}: {self.n_samples[-1]} "
            f"rows in {len(self.n_samples)} chunks, {self.mistakes[-1]} mistakes in "
            f"{self.n_scored[-1]} rows scored>"
        )

    @property
    def n_scored(self):
        """Rows with a label and a prediction."""
        return self.true_counts.sum(axis=1)

    @property
    def mistakes(self):
        """Rows predicted wrongly."""
        return self.n_scored - self.hit_counts.sum(axis=1)

    @property
    def seconds(self):
        """Time of learning and predicting."""
        return self.fit_seconds + self.predict_seconds

    def accuracy(self):
        """Share of the rows predicted rightly.

        Returns
        -------
        accuracy : ndarray of shape (n_chunks,)
            Of all scored rows up to the end of each chunk.
        """
        return _ratio(self.hit_counts.sum(axis=1), self.n_scored)

    @validate_params({"pos_label": [*_POS_LABEL, None]}, prefer_skip_nested_validation=True)
    def f1(self, *, pos_label=None):
        """Harmonic mean of precision and recall.

        Parameters
        ----------
        pos_label : int, float, bool or str, default=None
            The class it is about. None: of two classes 1, which has to be one of them; of more
            than two the mean over all classes that have had rows or predictions (macro F1).

        Returns
        -------
        f1 : ndarray of shape (n_chunks,)
            Of all scored rows up to the end of each chunk.

        Raises
        ------
        ValueError
            If `pos_label` is not one of the classes.
        """
        scores = _ratio(2 * self.hit_counts, self.true_counts + self.predicted_counts)
        if pos_label is None:
            if len(self.classes) != 2:
                return _ratio(np.nansum(scores, axis=1), (~np.isnan(scores)).sum(axis=1))
            pos_label = 1
        return scores[:, self._positive(pos_label)]

    @validate_params({"labels": ["array-like", None]}, prefer_skip_nested_validation=True)
    def gmean(self, *, labels=None):
        """Geometric mean of the recalls, see :func:`geometric_mean_score`.

        Parameters
        ----------
        labels : array-like of shape (n_labels,), default=None
            The classes whose recalls count; by default all.

        Returns
        -------
        gmean : ndarray of shape (n_chunks,)
            The value is nan until each of these classes has had a row.

        Raises
        ------
        ValueError
            If `labels` is empty or has a label that is not one of the classes.
        """
        labels = self.classes if labels is None else column_or_1d(labels)
        if not len(labels):
            raise ValueError("labels must name at least one class, got none.")
        columns = [self._position(label) for label in labels.tolist()]
        return gmean(_ratio(self.hit_counts, self.true_counts)[:, columns], axis=1)

    @validate_params(
        {"eta_p": [Interval(Real, 0, 1, closed="both")], "pos_label": _POS_LABEL},
        prefer_skip_nested_validation=True,
    )
    def weighted_sum(self, *, eta_p=0.5, pos_label=1):
        """Weighted sum of sensitivity and specificity, see :func:`sensitivity_specificity_score`.

        Parameters
        ----------
        eta_p : float, default=0.5
            Weight of the sensitivity, between 0 and 1; the specificity has the rest.
        pos_label : int, float, bool or str, default=1
            The positive class; it has to be named where 1 is none of the two.

        Returns
        -------
        weighted_sum : ndarray of shape (n_chunks,)
            The value is nan until both classes have had a row.

        Raises
        ------
        ValueError
            If there are not two classes; if `pos_label` is not one of them; if `eta_p` is not
            between 0 and 1.
        """
        positive = self._positive_of_two("weighted_sum", pos_label)
        recalls = _ratio(self.hit_counts, self.true_counts)
        return eta_p * recalls[:, positive] + (1 - eta_p) * recalls[:, 1 - positive]

    @validate_params(
        {"cost_p": _COST, "cost_n": _COST, "pos_label": _POS_LABEL, "normalize": ["boolean"]},
        prefer_skip_nested_validation=True,
    )
    def cost(self, *, cost_p=None, cost_n=None, pos_label=1, normalize=False):
        """Cost of the mistakes, see :func:`misclassification_cost`.

        Parameters
        ----------
        cost_p : float, default=None
            Cost of a positive row predicted negative, 0 or greater.
        cost_n : float, default=None
            Cost of a negative row predicted positive, 0 or greater. Both costs are given, or
            neither. By default `cost_p` is the share of the negative rows among those scored so
            far, and `cost_n` that of the positive rows: prices that change along the curve.
        pos_label : int, float, bool or str, default=1
            The positive class; it has to be named where 1 is none of the two.
        normalize : bool, default=False
            Whether to return the cost per row instead of the sum.

        Returns
        -------
        cost : ndarray of shape (n_chunks,)
            0 is best. With the default costs nan until both classes have had a row.

        Raises
        ------
        ValueError
            If there are not two classes; if `pos_label` is not one of them; if a cost is negative
            or only one is given.
        """
        if (cost_p is None) != (cost_n is None):
            raise ValueError(
                "cost_p and cost_n must be given together or not at all, got "
                f"cost_p={cost_p!r} and cost_n={cost_n!r}."
            )
        positive = self._positive_of_two("cost", pos_label)
        columns = [positive, 1 - positive]
        totals = self.true_counts[:, columns]
        missed = totals - self.hit_counts[:, columns]
        if cost_p is None:
            # Of one class alone the shares would make every mistake free.
            shares = np.where(totals.all(axis=1), totals.T / np.maximum(self.n_scored, 1), np.nan)
            cost_n, cost_p = shares
        cost = cost_p * missed[:, 0] + cost_n * missed[:, 1]
        return _ratio(cost, self.n_scored) if normalize else cost

    @validate_params({"pos_label": [*_POS_LABEL, None]}, prefer_skip_nested_validation=True)
    def to_frame(self, *, pos_label=None):
        """Everything by chunk as a table, the measures with their default settings.

        Parameters
        ----------
        pos_label : int, float, bool or str, default=None
            The positive class of ``f1``, ``weighted_sum`` and ``cost``. None: as in these methods.

        Returns
        -------
        frame : pandas.DataFrame
            A row per chunk. With other than two classes there are no columns ``weighted_sum`` and
            ``cost``; ``n_support`` is there if the estimator has support vectors.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If `pos_label` is not one of the classes, or not given where 1 is none of two.
        """
        pandas = import_optional("pandas", "ProgressiveValidationResult.to_frame")
        absent = set() if len(self.classes) == 2 else set(_ONLY_BINARY)
        if self.n_support is None:
            absent.add("n_support")
        names = (name for name in _FIGURES + _MEASURES if name not in absent)
        about = {} if pos_label is None else {"pos_label": pos_label}
        params = dict.fromkeys(("f1", *_ONLY_BINARY), about)
        curves = {name: self._curve(name, **params.get(name, {})) for name in names}
        return pandas.DataFrame(curves)

    def _curve(self, name, **params):
        """Figures or values of a measure by name."""
        if name in _MEASURES:
            return getattr(self, name)(**params)
        if params:
            raise ValueError(f"metric={name!r} has no parameters, got {params}.")
        figures = getattr(self, name)
        if figures is None:
            raise ValueError(
                f"metric={name!r} is not known of {type(self.estimator).__name__}, which has no "
                "support vectors."
            )
        return figures

    def _position(self, label):
        """Column of a class."""
        classes = self.classes.tolist()
        if label not in classes:
            raise ValueError(f"labels must be among the classes {classes}, got {label!r}.")
        return classes.index(label)

    def _positive(self, pos_label):
        """Column of the positive class."""
        classes = self.classes.tolist()
        if pos_label not in classes:
            raise ValueError(not_a_label(pos_label, classes, "the stream"))
        return classes.index(pos_label)

    def _positive_of_two(self, measure, pos_label):
        if len(self.classes) != 2:
            raise ValueError(
                f"{measure} needs two classes, got {self.classes.tolist()}. See gmean for a "
                "measure of any number of classes."
            )
        return self._positive(pos_label)
