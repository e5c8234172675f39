"""Result of a prequential evaluation of a classifier."""

from dataclasses import dataclass
from numbers import Real

import numpy as np
from scipy.stats import gmean
from sklearn.utils import column_or_1d

from .._sklearn_compat import Interval, validated
from .._validation import encode_labels
from ._metrics import _POS_LABEL, invalid_pos_label
from ._positive_class import COSTS, class_costs
from ._progressive_result import ProgressiveResult, ratio

_BINARY_METRICS = ("sensitivity_specificity", "cost")
_SET_METRICS = ("coverage", "set_size")

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
class ProgressiveClassificationResult(ProgressiveResult):
    """Counts of a classifier along a stream, and metrics computed from them.

    Returned by :func:`progressive_validation` for a classifier. Arrays of length ``n_chunks`` are
    cumulative: the last entry refers to the whole stream. :meth:`rolling` returns the metrics of
    the latest samples instead, which show concept drift. The metrics are methods, so other costs
    or another positive class need no further evaluation.

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
    progressive_validation : Evaluate an estimator on a stream.
    ProgressiveRegressionResult : The same for regressors.

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

    classes: np.ndarray
    n_queries: np.ndarray
    true_counts: np.ndarray
    predicted_counts: np.ndarray
    correct_counts: np.ndarray
    confusion_matrix: np.ndarray
    prediction_sets: object | None
    n_sets: np.ndarray
    n_covered: np.ndarray
    set_sizes: np.ndarray

    _metrics = ("accuracy", "f1", "geometric_mean", *_BINARY_METRICS, *_SET_METRICS)
    _counts = (
        "n_samples",
        "n_scored",
        "mistakes",
        "n_queries",
        "n_support",
        "seconds",
        "fit_seconds",
        "predict_seconds",
    )

    def _summary(self):
        return f"{self.mistakes[-1]} mistakes"

    def _windowed(self, n_before):
        return {
            name: (total := getattr(self, name)) - np.concatenate([0 * total[:1], total])[n_before]
            for name in _WINDOWED
        }

    @property
    def n_scored(self):
        """Number of samples with a label and a prediction."""
        return self.true_counts.sum(axis=1)

    @property
    def mistakes(self):
        """Number of wrong predictions."""
        return self.n_scored - self.correct_counts.sum(axis=1)

    def accuracy(self):
        """Compute the accuracy.

        Returns
        -------
        accuracy : ndarray of shape (n_chunks,)
            Fraction of correct predictions.
        """
        return ratio(self.correct_counts.sum(axis=1), self.n_scored)

    @validated(pos_label=[*_POS_LABEL, None])
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
        scores = ratio(2 * self.correct_counts, self.true_counts + self.predicted_counts)
        if pos_label is None:
            if len(self.classes) != 2:
                return ratio(np.nansum(scores, axis=1), (~np.isnan(scores)).sum(axis=1))
            pos_label = 1
        return scores[:, self._positive(pos_label)]

    @validated(labels=["array-like", None])
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
        return gmean(ratio(self.correct_counts, self.true_counts)[:, columns], axis=1)

    @validated(sensitivity_weight=[Interval(Real, 0, 1, closed="both")], pos_label=_POS_LABEL)
    def sensitivity_specificity(self, *, sensitivity_weight=0.5, pos_label=1):
        """Compute the weighted mean of sensitivity and specificity.

        Parameters
        ----------
        sensitivity_weight : float, default=0.5
            Weight of the sensitivity, between 0 and 1; the weight of the specificity is 1 minus
            this. See :func:`sensitivity_specificity_score`.
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
        self._check_two_classes("sensitivity_specificity")
        positive = self._positive(pos_label)
        recalls = ratio(self.correct_counts, self.true_counts)
        sensitivity, specificity = recalls[:, positive], recalls[:, 1 - positive]
        return sensitivity_weight * sensitivity + (1 - sensitivity_weight) * specificity

    @validated(costs=COSTS, normalize=["boolean"])
    def cost(self, *, costs=None, normalize=False):
        """Compute the cost of the mistakes, see :func:`misclassification_cost`.

        Parameters
        ----------
        costs : dict of label to float, default=None
            Cost of a misclassified sample of each class, 0 or greater and not both 0. By default,
            the cost of each class is the share of the other class in the samples so far (or in the
            window), so the costs change along the curve.
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
        self._check_two_classes("cost")
        if costs is None:
            # With one class only, both default costs would make all mistakes free.
            prices = self.true_counts[:, ::-1] / np.maximum(self.n_scored, 1)[:, np.newaxis]
            prices[~self.true_counts.all(axis=1)] = np.nan
        else:
            prices = class_costs(costs, self.classes.tolist())
        cost = (prices * (self.true_counts - self.correct_counts)).sum(axis=1)
        return ratio(cost, self.n_scored) if normalize else cost

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
        return ratio(counts, self.n_sets)

    @validated(pos_label=[*_POS_LABEL, None])
    def to_frame(self, *, pos_label=None):
        """Return a table of all counts and metrics.

        Parameters
        ----------
        pos_label : int, float, bool or str, default=None
            The positive class of ``f1`` and ``sensitivity_specificity``; by default that of these
            methods.

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
        omitted = set() if len(self.classes) == 2 else set(_BINARY_METRICS)
        if self.prediction_sets is None:
            omitted.update(_SET_METRICS)
        params = {}
        if pos_label is not None:
            params = dict.fromkeys(("f1", "sensitivity_specificity"), {"pos_label": pos_label})
        return self._frame(omitted, params)

    def _check_two_classes(self, metric):
        if len(self.classes) != 2:
            raise ValueError(
                f"{metric} needs two classes, got {self.classes.tolist()}. Use geometric_mean for "
                "any number of classes."
            )

    def _positive(self, pos_label):
        """Return the column of the positive class."""
        classes = self.classes.tolist()
        if pos_label not in classes:
            raise ValueError(invalid_pos_label(pos_label, classes, "the stream"))
        return classes.index(pos_label)
