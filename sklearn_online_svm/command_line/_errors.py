"""Errors of predictions, added up over chunks."""

import numpy as np
from sklearn.base import is_classifier

__all__ = ["Errors"]


class Errors:
    """Number of wrong labels, or mean squared and absolute error.

    Parameters
    ----------
    model : estimator
        The model that predicts.
    """

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
