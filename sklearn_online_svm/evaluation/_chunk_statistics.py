"""What a prequential evaluation counts, for classifiers and for regressors.

Both classes have the same methods: ``known`` and ``encoded`` prepare targets and predictions,
``add`` and ``store`` count those of a chunk, and ``result`` returns the result.
"""

from array import array

import numpy as np
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from .._validation import encode_labels, is_labelled
from ._classification_result import ProgressiveClassificationResult
from ._regression_result import ProgressiveRegressionResult


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


class ClassCounts:
    """Counts of classes, predictions and prediction sets.

    Only cumulative counts are stored for each chunk, in one array of plain numbers: three of
    prediction sets, and three for each class.
    """

    typecode = "i"  # of a prediction

    def __init__(self, classes, model, y):
        self.classes = _resolve_classes(classes, model, y)
        self.first_call = {"classes": self.classes}  # parameters of the first partial_fit
        self.confusion = np.zeros((len(self.classes), len(self.classes)), dtype=np.int64)
        self.n_sets = self.n_covered = self.set_sizes = 0
        self.counts = array("q")

    def known(self, y):
        """Return a mask of the samples that have a label, and the codes of these labels."""
        mask, labels = _split_labels(y)
        return mask, encode_labels(labels, self.classes)

    def encoded(self, predictions, n_samples):
        """Return the codes of predictions."""
        return encode_labels(np.asarray(predictions), self.classes, "The predictions")

    def decoded(self, predictions):
        """Return all stored predictions as the user gets them."""
        return self.classes[predictions]

    def errors(self, true, predicted):
        """Return the errors for a drift detector."""
        return true != predicted

    def add(self, true, predicted):
        """Count predictions."""
        np.add.at(self.confusion, (true, predicted), 1)

    def add_sets(self, true, sets):
        """Count prediction sets."""
        self.n_sets += len(sets)
        self.n_covered += int(sets[np.arange(len(sets)), true].sum())
        self.set_sizes += int(sets.sum())

    def store(self):
        """Store the counts at the end of a chunk."""
        self.counts.extend((self.n_sets, self.n_covered, self.set_sizes))
        for counts in (self.confusion.sum(1), self.confusion.sum(0), self.confusion.diagonal()):
            self.counts.extend(counts.tolist())

    def result(self, **others):
        """Return the result."""
        counts = np.array(self.counts, dtype=np.int64).reshape(-1, 3 + 3 * len(self.classes))
        n_sets, n_covered, set_sizes = counts[:, :3].T
        true_counts, predicted_counts, correct_counts = np.split(counts[:, 3:], 3, axis=1)
        return ProgressiveClassificationResult(
            classes=self.classes,
            true_counts=true_counts,
            predicted_counts=predicted_counts,
            correct_counts=correct_counts,
            confusion_matrix=self.confusion,
            n_sets=n_sets,
            n_covered=n_covered,
            set_sizes=set_sizes,
            **others,
        )


class RegressionStatistics:
    """Statistics of the targets and the errors in each chunk, see ``chunk_statistics``."""

    typecode = "d"
    first_call = {}

    def __init__(self, y):
        self.output_shape = self._targets(y).shape[1:]
        self.n_outputs = int(np.prod(self.output_shape))
        self.latest = np.zeros((5, self.n_outputs))
        self.statistics = array("d")

    @staticmethod
    def _targets(y):
        return check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")

    def known(self, y):
        """Return a mask of all samples, and their targets of shape (n_samples, n_outputs)."""
        y = self._targets(y)
        if y.shape[1:] != self.output_shape:
            raise ValueError(
                "y must have the same number of outputs in all chunks, got chunks of the shapes "
                f"{('n_samples', *self.output_shape)} and {y.shape}."
            )
        return np.ones(len(y), dtype=bool), y.reshape(len(y), -1)

    def encoded(self, predictions, n_samples):
        """Return predictions of shape (n_samples, n_outputs)."""
        predictions = np.asarray(predictions, dtype=np.float64)
        if predictions.shape[:1] != (n_samples,) or predictions.size != n_samples * self.n_outputs:
            raise ValueError(
                f"The predictions of {n_samples} samples must be of shape "
                f"{(n_samples, *self.output_shape)}, got {predictions.shape}."
            )
        return predictions.reshape(n_samples, -1)

    def decoded(self, predictions):
        """Return all stored predictions as the user gets them."""
        return predictions.reshape(-1, *self.output_shape)

    def errors(self, true, predicted):
        """Return the absolute errors for a drift detector."""
        return np.abs(predicted - true).mean(axis=1)

    def add(self, true, predicted):
        """Compute the statistics of a chunk."""
        # Relative to a target, so that equal targets have no deviation from their mean.
        means = true[0] + (true - true[0]).mean(axis=0)
        errors = predicted - true
        self.latest = np.stack(
            [
                np.full(self.n_outputs, len(true)),
                means,
                np.square(true - means).sum(axis=0),
                np.abs(errors).sum(axis=0),
                np.square(errors).sum(axis=0),
            ]
        )

    def store(self):
        """Store the statistics of a chunk."""
        self.statistics.extend(self.latest.ravel().tolist())
        self.latest = np.zeros_like(self.latest)

    def result(self, *, n_queries, prediction_sets, **others):
        """Return the result."""
        statistics = np.array(self.statistics).reshape(-1, 5, self.n_outputs).swapaxes(0, 1)
        return ProgressiveRegressionResult(chunk_statistics=statistics, **others)
