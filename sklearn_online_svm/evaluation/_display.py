"""Curves of progressive validation."""

from ._progressive import import_optional, progressive_validation

__all__ = ["ProgressiveValidationDisplay"]

_METRIC_LABELS = {
    "accuracy": "Accuracy",
    "f1": "F1",
    "gmean": "G-mean",
    "weighted_sum": "Weighted sum of sensitivity and specificity",
    "cost": "Cost of the mistakes",
    "mistakes": "Mistakes",
    "n_samples": "Rows",
    "n_scored": "Rows scored",
    "n_queries": "Labels used",
    "n_support": "Support vectors",
    "seconds": "Seconds",
    "fit_seconds": "Seconds of learning",
    "predict_seconds": "Seconds of predicting",
}
_AGAINST = ("n_samples", "n_queries", "seconds")


def _check_options(metric="accuracy", against="n_samples", **others):
    """Refuse what cannot be drawn; before the stream is run, not after it."""
    if metric not in _METRIC_LABELS:
        raise ValueError(f"metric must be one of {tuple(_METRIC_LABELS)}, got {metric!r}.")
    if against not in _AGAINST:
        raise ValueError(f"against must be one of {_AGAINST}, got {against!r}.")


class ProgressiveValidationDisplay:
    """Curve of a measure along a stream.

    Make it by :meth:`from_estimator`, which runs :func:`progressive_validation`, or by
    :meth:`from_result`. All parameters are stored as attributes. Displays drawn on the same axes
    compare models.

    Parameters
    ----------
    result : ProgressiveValidationResult
        What :func:`progressive_validation` returns.
    name : str, default=None
        Name of the model in the legend; by default there is none.

    Attributes
    ----------
    line_ : matplotlib Artist
        The curve.
    ax_ : matplotlib Axes
        The axes it is drawn on.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    progressive_validation : Makes the result.
    sklearn.model_selection.LearningCurveDisplay : Learning from more and more rows, by
        cross-validation.

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

    Another measure of the first run, against the time:

    >>> display.plot(metric="weighted_sum", against="seconds")  # doctest: +SKIP
    <...>
    """

    def __init__(self, *, result, name=None):
        self.result = result
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator, X, y=None, *, chunk_size=100, classes=None, name=None, ax=None, **kwargs
    ):
        """Run a clone of the estimator along a stream and draw how it gets better.

        Parameters
        ----------
        estimator : estimator object
            A classifier with ``partial_fit`` and ``predict``.
        X : {array-like, sparse matrix} of shape (n_samples, n_features) or iterable of pairs
            The rows in the order of the stream, or pairs ``(X_chunk, y_chunk)``.
        y : array-like of shape (n_samples,), default=None
            The labels; None where they come with X.
        chunk_size : int, default=100
            Rows that are predicted together, then learnt together.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur; see :func:`progressive_validation`.
        name : str, default=None
            Name in the legend; by default that of the estimator's class.
        ax : matplotlib axes, default=None
            Axes to draw on; by default those of a new figure.
        **kwargs : dict
            Passed on to :meth:`plot`: ``metric``, ``metric_params`` and ``against``, and
            what matplotlib's ``plot`` takes.

        Returns
        -------
        display : ProgressiveValidationDisplay
            The display; ``ax_`` and ``figure_`` are what it is drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            As :func:`progressive_validation` and :meth:`plot`.
        """
        import_optional("matplotlib.pyplot", f"{cls.__name__}.from_estimator")
        _check_options(**kwargs)
        result = progressive_validation(estimator, X, y, chunk_size=chunk_size, classes=classes)
        return cls.from_result(result, name=name, ax=ax, **kwargs)

    @classmethod
    def from_result(cls, result, *, name=None, ax=None, **kwargs):
        """Draw the curve of a run that has been made.

        Parameters
        ----------
        result : ProgressiveValidationResult
            What :func:`progressive_validation` returns.
        name : str, default=None
            Name in the legend; by default that of the estimator's class.
        ax : matplotlib axes, default=None
            Axes to draw on; by default those of a new figure.
        **kwargs : dict
            Passed on to :meth:`plot`.

        Returns
        -------
        display : ProgressiveValidationDisplay
            The display; ``ax_`` and ``figure_`` are what it is drawn on.

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
        metric="accuracy",
        metric_params=None,
        against="n_samples",
        **kwargs,
    ):
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Axes to draw on; by default those of a new figure.
        name : str, default=None
            Name in the legend; by default the attribute of that name.
        metric : str, default="accuracy"
            What is drawn: a measure (``"accuracy"``, ``"f1"``, ``"gmean"``, ``"weighted_sum"``,
            ``"cost"``) or a count (``"mistakes"``, ``"n_queries"``, ``"n_support"``,
            ``"seconds"``, ``"fit_seconds"``, ``"predict_seconds"``, ``"n_scored"``,
            ``"n_samples"``) of :class:`ProgressiveValidationResult`.
        metric_params : dict, default=None
            Parameters of the measure, for example ``{"cost_p": 50, "cost_n": 1}``.
        against : {"n_samples", "n_queries", "seconds"}, default="n_samples"
            What it is drawn against: rows of the stream, labels used, or time of learning and
            predicting.
        **kwargs : dict
            Keyword arguments of matplotlib's ``plot``.

        Returns
        -------
        display : ProgressiveValidationDisplay
            The display; ``ax_`` and ``figure_`` are what it is drawn on.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If `metric` or `against` is none of the above; if the result cannot give the measure.
        """
        plt = import_optional("matplotlib.pyplot", f"{type(self).__name__}.plot")
        _check_options(metric, against)
        values = self.result._curve(metric, **(metric_params or {}))
        if ax is None:
            _, ax = plt.subplots()

        name = self.name if name is None else name
        line_kwargs = ({} if name is None else {"label": name}) | kwargs
        (self.line_,) = ax.plot(getattr(self.result, against), values, **line_kwargs)
        ax.set(xlabel=_METRIC_LABELS[against], ylabel=_METRIC_LABELS[metric])
        if "label" in line_kwargs:
            ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
