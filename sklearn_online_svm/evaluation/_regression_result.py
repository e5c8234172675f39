"""Result of a prequential evaluation of a regressor."""

from dataclasses import dataclass

import numpy as np

from ._progressive_result import ProgressiveResult, ratio


def _merged(first, second):
    """Return the statistics of the union of samples."""
    n_first, means, *sums = first
    n_second, means_second, *sums_second = second
    share = ratio(n_second, n_first + n_second, empty=0.0)
    distances = means_second - means
    deviations, *errors = np.add(sums, sums_second)
    deviations += n_first * share * distances**2
    return np.stack([n_first + n_second, means + share * distances, deviations, *errors])


def _merged_over_windows(statistics, starts):
    """Return, for each chunk, the statistics of all chunks from its start up to itself.

    Differences of cumulative sums would lose all digits after a few huge errors. Statistics are
    merged instead, those of 1, 2, 4, ... consecutive chunks.
    """
    lengths = np.arange(1, statistics.shape[1] + 1) - starts
    starts = starts.copy()
    totals = np.zeros_like(statistics)
    size = 1
    while size <= lengths.max():
        takes = np.flatnonzero(lengths & size)
        totals[:, takes] = _merged(totals[:, takes], statistics[:, starts[takes]])
        starts[takes] += size
        statistics = _merged(statistics[:, :-size], statistics[:, size:])
        size *= 2
    return totals


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProgressiveRegressionResult(ProgressiveResult):
    """Errors of a regressor along a stream.

    Returned by :func:`progressive_validation` for a regressor. Except for ``n_support``, arrays of
    shape (n_chunks,) are cumulative: the last entry refers to the whole stream. :meth:`rolling`
    returns the metrics of the latest samples instead, which show concept drift.

    Attributes
    ----------
    estimator : estimator object
        The fitted estimator.
    n_samples : ndarray of shape (n_chunks,)
        Number of samples.
    n_scored : ndarray of shape (n_chunks,)
        Number of samples with a prediction. All metrics refer to these.
    n_unpredicted : int
        Number of samples at the beginning that were not predicted, because the estimator was not
        fitted.
    n_support : ndarray of shape (n_chunks,) or None
        Number of support vectors (not cumulative); None if the estimator has no ``n_support_``.
    seconds : ndarray of shape (n_chunks,)
        Time of training and prediction.
    fit_seconds : ndarray of shape (n_chunks,)
        Time of training.
    predict_seconds : ndarray of shape (n_chunks,)
        Time of prediction.
    chunk_statistics : ndarray of shape (5, n_chunks, n_outputs)
        Sufficient statistics of each chunk (not cumulative) and output: number of scored samples,
        mean of the targets, sum of their squared deviations from this mean, sum of the absolute
        errors, sum of the squared errors.
    predictions : ndarray of shape (n_samples[-1] - n_unpredicted,) or \
(n_samples[-1] - n_unpredicted, n_outputs), or None
        Predictions of all samples but the first ``n_unpredicted``; only with
        ``return_predictions=True``.
    drift_alarms : ndarray of shape (n_alarms,) or None
        For each alarm of the drift detector, the number of samples up to the one that caused it;
        None without a detector.
    window : int or None
        Argument of :meth:`rolling`; None in a cumulative result.

    See Also
    --------
    progressive_validation : Evaluate an estimator on a stream.
    ProgressiveClassificationResult : The same for classifiers.

    Notes
    -----
    The metrics are those of :mod:`sklearn.metrics`, computed from all scored samples so far, or
    from those in the window. With several outputs, a metric is the mean of its values for each
    output. Where there are no scored samples, the curves are nan.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn_online_svm import LASVR
    >>> from sklearn_online_svm.evaluation import progressive_validation
    >>> X, y = make_friedman1(1000, noise=0.5, random_state=0)
    >>> model = LASVR(C=10, gamma=1.2, epsilon=0.5)
    >>> result = progressive_validation(model, X, y, return_predictions=True)
    >>> result.r2()[[0, -1]].round(1)
    array([nan, 0.9])
    >>> bool(result.rolling(200).mean_absolute_error()[-1] < result.mean_absolute_error()[-1])
    True

    Other metrics can be computed from the predictions:

    >>> from sklearn.metrics import median_absolute_error
    >>> error = median_absolute_error(y[result.n_unpredicted :], result.predictions)
    """

    chunk_statistics: np.ndarray

    _metrics = ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "r2")
    _counts = ("n_samples", "n_scored", "n_support", "seconds", "fit_seconds", "predict_seconds")

    def _summary(self):
        return f"mean absolute error {self.mean_absolute_error()[-1]:.4g}"

    def _totals(self):
        """Return the statistics of all samples so far or in the window."""
        starts = np.zeros(len(self.n_samples), dtype=np.int64)
        if self.window is not None:
            starts = self._chunks_before(self.window)
        return _merged_over_windows(self.chunk_statistics, starts)

    @property
    def n_scored(self):
        """Number of samples with a prediction."""
        return self._totals()[0, :, 0].astype(np.int64)

    def mean_absolute_error(self):
        """Compute the mean absolute error.

        Returns
        -------
        mean_absolute_error : ndarray of shape (n_chunks,)
            Mean over samples and outputs.
        """
        counts, _, _, errors, _ = self._totals()
        return ratio(errors, counts).mean(axis=1)

    def mean_squared_error(self):
        """Compute the mean squared error.

        Returns
        -------
        mean_squared_error : ndarray of shape (n_chunks,)
            Mean over samples and outputs.
        """
        counts, _, _, _, squares = self._totals()
        return ratio(squares, counts).mean(axis=1)

    def root_mean_squared_error(self):
        """Compute the square root of the mean squared error.

        Returns
        -------
        root_mean_squared_error : ndarray of shape (n_chunks,)
            The root is taken for each output; mean over outputs.
        """
        counts, _, _, _, squares = self._totals()
        return np.sqrt(ratio(squares, counts)).mean(axis=1)

    def r2(self):
        """Compute the coefficient of determination.

        Returns
        -------
        r2 : ndarray of shape (n_chunks,)
            1 - (sum of squared errors) / (sum of squared deviations of the targets from their
            mean), where the mean is that of the same samples: all scored samples so far, or those
            in the window. 1 is best. 0 is the value of a model that always predicts this mean,
            which is known only afterwards. The value is nan as long as the targets of any output
            are constant.
        """
        _, _, deviations, _, squares = self._totals()
        return 1 - ratio(squares, deviations).mean(axis=1)

    def to_frame(self):
        """Return a table of all counts and metrics.

        Returns
        -------
        frame : pandas.DataFrame
            One row per chunk. ``n_support`` is included if the estimator has support vectors.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._frame()
