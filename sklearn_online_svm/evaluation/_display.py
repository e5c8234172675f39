"""Plot of the curves of a prequential evaluation."""

import numpy as np

from .._optional import import_optional
from ._progressive import progressive_validation, result_class

__all__ = ["ProgressiveValidationDisplay"]

_LABELS = {
    "accuracy": "Accuracy",
    "f1": "F1",
    "geometric_mean": "Geometric mean of the recalls",
    "sensitivity_specificity": "Weighted sum of sensitivity and specificity",
    "cost": "Misclassification cost",
    "coverage": "Coverage of the prediction sets",
    "set_size": "Mean size of the prediction sets",
    "mean_absolute_error": "Mean absolute error",
    "mean_squared_error": "Mean squared error",
    "root_mean_squared_error": "Root mean squared error",
    "r2": "R2",
    "mistakes": "Mistakes",
    "n_samples": "Samples",
    "n_scored": "Predictions",
    "n_queries": "Queried labels",
    "n_support": "Support vectors",
    "seconds": "Time (s)",
    "fit_seconds": "Training time (s)",
    "predict_seconds": "Prediction time (s)",
}
_AGAINST = ("n_samples", "n_queries", "seconds")


def _check_options(kind, metric=None, against="n_samples", **others):
    """Return the metric to plot; raise an error if a class of results lacks it or ``against``."""
    metric = kind._metrics[0] if metric is None else metric
    names = kind._metrics + kind._counts
    if metric not in names:
        raise ValueError(f"metric must be one of {names}, got {metric!r}.")
    names = tuple(name for name in _AGAINST if name in kind._counts)
    if against not in names:
        raise ValueError(f"against must be one of {names}, got {against!r}.")
    return metric


class ProgressiveValidationDisplay:
    """Curve of a metric along a stream.

    Create it with :meth:`from_estimator`, which calls :func:`progressive_validation`, or with
    :meth:`from_result`. All parameters are stored as attributes. To compare models, plot several
    displays on the same axes.

    Parameters
    ----------
    result : ProgressiveValidationResult or ProgressiveRegressionResult
        The result of :func:`progressive_validation`.
    name : str, default=None
        Name of the model in the legend; by default there is no legend.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    target_line_ : matplotlib Artist or None
        With ``metric="coverage"``, a horizontal line at the ``confidence_level``.
    alarm_lines_ : list of matplotlib Artists
        A vertical line for each chunk with alarms of the drift detector.
    ax_ : matplotlib Axes
        The axes with the curve.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    progressive_validation : Evaluate an estimator on a stream.
    sklearn.model_selection.LearningCurveDisplay : Cross-validated scores for increasing training
        set sizes.

    Examples
    --------
    >>> from sklearn.linear_model import SGDClassifier
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.evaluation import ProgressiveValidationDisplay as Display
    >>> X, y = make_banana_like(600, random_state=0)
    >>> display = Display.from_estimator(LASVC(gamma=1.0), X, y)  # doctest: +SKIP
    >>> Display.from_estimator(SGDClassifier(), X, y, ax=display.ax_)  # doctest: +SKIP
    <...>

    Another metric of the first evaluation, against time:

    >>> display.plot(metric="cost", against="seconds")  # doctest: +SKIP
    <...>
    """

    def __init__(self, *, result, name=None):
        self.result = result
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator,
        X,
        y=None,
        *,
        chunk_size=100,
        classes=None,
        prediction_sets=None,
        name=None,
        ax=None,
        **kwargs,
    ):
        """Evaluate a clone of the estimator on a stream and plot a metric.

        Parameters
        ----------
        estimator : estimator object
            A classifier or a regressor with ``partial_fit`` and ``predict``.
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or iterable of pairs
            The samples in the order of the stream, or pairs ``(X_chunk, y_chunk)``.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
            The labels or targets; None if X is an iterable of pairs.
        chunk_size : int, default=100
            Number of samples that are predicted and then used for training together.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur; see :func:`progressive_validation`.
        prediction_sets : AdaptiveConformalInference, default=None
            Prediction sets to evaluate, for ``metric="coverage"`` and ``"set_size"``.
        name : str, default=None
            Name in the legend; by default the class name of the estimator.
        ax : matplotlib axes, default=None
            Axes to plot on; by default those of a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : ProgressiveValidationDisplay
            The display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        TypeError
            If `estimator` is a class.
        ValueError
            As :func:`progressive_validation` and :meth:`plot`.
        """
        import_optional("matplotlib.pyplot", f"{cls.__name__}.from_estimator")
        _check_options(result_class(estimator), **kwargs)
        result = progressive_validation(
            estimator,
            X,
            y,
            chunk_size=chunk_size,
            classes=classes,
            prediction_sets=prediction_sets,
        )
        return cls.from_result(result, name=name, ax=ax, **kwargs)

    @classmethod
    def from_result(cls, result, *, name=None, ax=None, **kwargs):
        """Plot a metric of a completed evaluation.

        Parameters
        ----------
        result : ProgressiveValidationResult or ProgressiveRegressionResult
            The result of :func:`progressive_validation`.
        name : str, default=None
            Name in the legend; by default the class name of the estimator.
        ax : matplotlib axes, default=None
            Axes to plot on; by default those of a new figure.
        **kwargs : dict
            Passed to :meth:`plot`.

        Returns
        -------
        display : ProgressiveValidationDisplay
            The display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            As :meth:`plot`.
        """
        name = type(result.estimator).__name__ if name is None else name
        return cls(result=result, name=name).plot(ax=ax, **kwargs)

    def plot(
        self,
        ax=None,
        *,
        name=None,
        metric=None,
        metric_params=None,
        against="n_samples",
        **kwargs,
    ):
        """Plot a metric.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to plot on; by default those of a new figure.
        name : str, default=None
            Name in the legend; by default the attribute ``name``.
        metric : str, default=None
            A metric (``"accuracy"``, ``"f1"``, ``"geometric_mean"``,
            ``"sensitivity_specificity"``, ``"cost"``, ``"coverage"``, ``"set_size"``) or a
            count (``"mistakes"``, ``"n_queries"``, ``"n_support"``, ``"seconds"``,
            ``"fit_seconds"``, ``"predict_seconds"``, ``"n_scored"``, ``"n_samples"``) of
            :class:`ProgressiveValidationResult`, by default ``"accuracy"``. For a
            :class:`ProgressiveRegressionResult` ``"mean_absolute_error"`` (default),
            ``"mean_squared_error"``, ``"root_mean_squared_error"``, ``"r2"``, or one of these
            counts except ``"mistakes"`` and ``"n_queries"``.
        metric_params : dict, default=None
            Parameters of the metric, for example ``{"cost_p": 50, "cost_n": 1}``.
        against : {"n_samples", "n_queries", "seconds"}, default="n_samples"
            Quantity on the horizontal axis: samples, queried labels (for classifiers only), or
            time of training and prediction.
        **kwargs : dict
            Keyword arguments of matplotlib's ``plot``.

        Returns
        -------
        display : ProgressiveValidationDisplay
            The display.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `metric` or `against` is invalid, or the metric is not available.
        """
        plt = import_optional("matplotlib.pyplot", f"{type(self).__name__}.plot")
        metric = _check_options(type(self.result), metric, against)
        values = self.result._curve(metric, **(metric_params or {}))
        if ax is None:
            _, ax = plt.subplots()
        name = self.name if name is None else name
        line_kwargs = ({} if name is None else {"label": name}) | kwargs
        positions = getattr(self.result, against)
        (self.line_,) = ax.plot(positions, values, **line_kwargs)
        self.target_line_ = None
        if metric == "coverage":
            level = self.result.prediction_sets.confidence_level
            self.target_line_ = ax.axhline(level, color="0.5", linestyle="--", linewidth=1)
        alarms = self.result.drift_alarms
        in_chunks = [] if alarms is None else np.searchsorted(self.result.n_samples, alarms)
        self.alarm_lines_ = [
            ax.axvline(positions[k], color=self.line_.get_color(), linewidth=1, linestyle=":")
            for k in np.unique(in_chunks)
        ]
        ax.set(xlabel=_LABELS[against], ylabel=_LABELS[metric])
        if "label" in line_kwargs:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
