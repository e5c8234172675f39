"""Progressive errors: each chunk is predicted before the model is trained on it."""

import logging
import time

import numpy as np
from sklearn.base import is_classifier

__all__ = ["ProgressiveModel"]

_LOGGER = logging.getLogger(__package__)


class ProgressiveModel:
    """Model that is trained on chunks, counts its errors before that, and reports them.

    A line is written whenever the number of samples has doubled. The first chunk does not count,
    as an untrained model cannot predict. Checkpoints contain the counts.

    Parameters
    ----------
    model : estimator
        Estimator with ``partial_fit``.
    """

    def __init__(self, model):
        self.model = model
        self.n_samples = self.n_tested = 0
        self.loss = self.reported_loss = 0.0
        self.n_reported = 0  # tested samples up to the last line
        self.next_report = 1

    def get_params(self, deep=True):
        """Return what a checkpoint must agree with."""
        return {"model": type(self.model).__name__, **self.model.get_params(deep)}

    def partial_fit(self, X, y, classes=None):
        """Predict a chunk, and train the model on it."""
        if not hasattr(self, "_started"):
            self._start()
        if self.n_samples:
            self.loss += _loss(self.model, X, y)
            self.n_tested += X.shape[0]
        if classes is None:
            self.model.partial_fit(X, y)
        else:
            self.model.partial_fit(X, y, classes=classes)
        self.n_samples += X.shape[0]
        if self.n_samples >= self.next_report:
            self.report()
            self.next_report = 2 * self.n_samples
        return self

    def _start(self):
        """Write the head of the table, in each process."""
        self._started, self._n_first = time.perf_counter(), self.n_samples
        name = "error" if is_classifier(self.model) else "squared error"
        _LOGGER.info("%15s %15s %12s %12s", "progressive", "since the", "", "samples")
        _LOGGER.info("%15s %15s %12s %12s", name, "last line", "samples", "per second")

    def report(self):
        """Write a line."""
        seconds = time.perf_counter() - self._started
        since = self.n_tested - self.n_reported
        _LOGGER.info(
            "%15s %15s %12d %12.0f",
            _mean(self.loss, self.n_tested),
            _mean(self.loss - self.reported_loss, since),
            self.n_samples,
            (self.n_samples - self._n_first) / max(seconds, 1e-9),
        )
        self.n_reported, self.reported_loss = self.n_tested, self.loss

    def finish(self):
        """Write the last line, unless it has been written."""
        if self.n_reported < self.n_tested and hasattr(self, "_started"):
            self.report()

    def __getstate__(self):
        # Another process measures its own time.
        return {name: value for name, value in vars(self).items() if name[0] != "_"}


def _mean(loss, n):
    return f"{loss / n:.6f}" if n else "-"


def _loss(model, X, y):
    """Return the number of wrong labels, or the sum of squared errors."""
    predicted = model.predict(X)
    if is_classifier(model):
        return int(np.sum(predicted != np.asarray(y)))
    return float(np.sum((predicted - np.asarray(y)) ** 2))
