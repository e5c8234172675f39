"""Errors of predictions, added up over chunks."""

import logging

import numpy as np
from sklearn.base import is_classifier

_LOGGER = logging.getLogger(__package__)


class Errors:
    """Number of wrong labels of a classifier; mean squared and absolute error of a regressor."""

    def __init__(self, model):
        self._is_classifier = is_classifier(model)
        self.n = 0
        self._sums = np.zeros(2)

    def add(self, predicted, y):
        """Add the predictions for a chunk."""
        self.n += len(predicted)
        if self._is_classifier:
            self._sums += np.count_nonzero(predicted != np.asarray(y))
        else:
            difference = predicted - np.asarray(y, dtype=np.float64)
            self._sums += (difference @ difference, np.abs(difference).sum())

    def __str__(self):
        first, second = self._sums / max(self.n, 1)
        if self._is_classifier:
            return f"{self.n} samples, {self._sums[0]:.0f} errors ({100 * first:.2f} %)"
        return f"{self.n} samples, mean squared error {first:.6g}, absolute {second:.6g}"


class ProgressiveModel:
    """Model that predicts each chunk before it is trained on it, and reports the errors.

    A line is written whenever the number of samples has doubled. The first chunk does not count,
    as an untrained model cannot predict. Checkpoints contain the counts.
    """

    def __init__(self, model):
        self.model, self.errors = model, Errors(model)
        self.n_samples = self.n_reported = 0

    def get_params(self, deep=True):
        """Return what a checkpoint must agree with."""
        return {"model": type(self.model).__name__, **self.model.get_params(deep)}

    def partial_fit(self, X, y, **classes):
        """Predict a chunk, and train the model on it."""
        if self.n_samples:
            self.errors.add(self.model.predict(X), y)
        self.model.partial_fit(X, y, **classes)
        self.n_samples += X.shape[0]
        if self.errors.n >= 2 * self.n_reported:
            self.report()
        return self

    def report(self):
        """Write the errors, unless this has been done."""
        if self.errors.n > self.n_reported:
            _LOGGER.info("progressive: %s", self.errors)
            self.n_reported = self.errors.n
