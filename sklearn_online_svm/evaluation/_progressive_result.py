"""What the results of prequential evaluations have in common."""

from dataclasses import dataclass, replace
from numbers import Integral

import numpy as np

from .._optional import import_optional
from .._sklearn_compat import Interval, validated


def ratio(part, total, empty=np.nan):
    """Elementwise ratio as float, ``empty`` where the total is 0."""
    return np.divide(part, total, out=np.full(np.shape(total), empty), where=total > 0)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ProgressiveResult:
    """What the results for classifiers and regressors have in common.

    A subclass has the names of its curves (``_metrics``: methods, ``_counts``: attributes), and
    ``n_scored``.
    """

    estimator: object
    n_samples: np.ndarray
    n_support: np.ndarray | None
    fit_seconds: np.ndarray
    predict_seconds: np.ndarray
    n_unpredicted: int
    predictions: np.ndarray | None
    drift_alarms: np.ndarray | None
    window: int | None = None

    def __repr__(self):
        latest = "" if self.window is None else "the latest "
        alarms = "" if self.drift_alarms is None else f", {len(self.drift_alarms)} drift alarms"
        return (
            f"<{type(self).__name__} of {type(self.estimator).__name__}: {self.n_samples[-1]} "
            f"samples in {len(self.n_samples)} chunks, {self._summary()} in "
            f"{latest}{self.n_scored[-1]} predictions{alarms}>"
        )

    @validated(window=[Interval(Integral, 1, None, closed="left")])
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
        result : Self
            A result of the same class. ``n_scored`` and all metrics are those of the window, for
            a classifier also ``mistakes``, ``true_counts``, ``predicted_counts``,
            ``correct_counts`` and the counts of prediction sets; the other attributes are
            unchanged.

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
        array([0.9, 0.6])
        """
        if self.window is not None:
            raise ValueError(
                f"rolling needs a cumulative result, got one with window={self.window}. Call it "
                "on the result of progressive_validation."
            )
        return replace(self, window=window, **self._windowed(self._chunks_before(window)))

    def _chunks_before(self, window):
        """Return the number of chunks before each window."""
        starts = self.n_samples - min(window, self.n_samples[-1])
        return np.searchsorted(self.n_samples, starts, side="right")

    def _windowed(self, n_before):
        """Return the fields of a rolling result that differ from those of this one."""
        return {}

    @property
    def seconds(self):
        """Time of training and prediction."""
        return self.fit_seconds + self.predict_seconds

    def _frame(self, omitted=(), params=None):
        """Return a table of the counts and the metrics, except for those omitted."""
        pandas, params = import_optional("pandas", f"{type(self).__name__}.to_frame"), params or {}
        curves = {name: getattr(self, name) for name in self._counts}
        if self.n_support is None:
            del curves["n_support"]
        for name in self._metrics:
            if name not in omitted:
                curves[name] = getattr(self, name)(**params.get(name, {}))
        return pandas.DataFrame(curves)
