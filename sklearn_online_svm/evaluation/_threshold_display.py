"""Recall, precision and alarm rate against the threshold."""

from functools import partial

import numpy as np

from .._docs import filled_docs
from .._optional import import_optional
from ._cuts import Cuts
from ._thresholds import ThresholdChoice

_COLORS = {"recall": "tab:blue", "precision": "tab:orange", "alarm_rate": "tab:green"}


_AXES = """ax : matplotlib Axes, default=None
    Axes of the plot; by default those of a new figure.
name : str, default=None
    Title.

Returns
-------
display : ThresholdDisplay
    The display.

Raises
------
ImportError
    If matplotlib is not installed."""


@partial(filled_docs, parts={"axes": _AXES})
class ThresholdDisplay:
    """Recall, precision and alarm rate against the threshold, and the selected threshold.

    Create it with :meth:`from_choice`. The curves are computed from the out-of-sample scores. The
    selected threshold is a vertical line. Error bars show the intervals of the rates on new
    samples. If the threshold is infinite, there are neither. Without labels there is only the
    alarm rate.

    Parameters
    ----------
    choice : ThresholdChoice
        Result of :func:`select_threshold`.

    Attributes
    ----------
    lines_ : dict of str to matplotlib Line2D
        Curve of ``"recall"``, ``"precision"`` and ``"alarm_rate"``.
    errorbars_ : dict of str to matplotlib ErrorbarContainer
        The rates at the selected threshold, and their intervals; empty if it is infinite.
    threshold_line_ : matplotlib Line2D or None
        The selected threshold; None if it is infinite.
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        Its figure.

    See Also
    --------
    select_threshold : Select a threshold.
    sklearn.metrics.PrecisionRecallDisplay : Precision against recall.

    Examples
    --------
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_waveform
    >>> from sklearn_online_svm.evaluation import ThresholdDisplay, select_threshold
    >>> X, y = make_waveform(1100, imbalance_ratio=10, random_state=0)
    >>> choice = select_threshold(LASVC(gamma=0.01).fit(X, y), X, y, recall=0.9)
    >>> ThresholdDisplay.from_choice(choice)  # doctest: +SKIP
    <...>
    """

    def __init__(self, choice):
        self.choice = choice

    @classmethod
    def from_choice(cls, choice, *, ax=None, name=None):
        """Plot the rates of a selected threshold.

        Parameters
        ----------
        choice : ThresholdChoice
            Result of :func:`select_threshold`.
        $axes
        TypeError
            If `choice` is no :class:`ThresholdChoice`.
        """
        if not isinstance(choice, ThresholdChoice):
            raise TypeError(
                f"choice must be a ThresholdChoice, as select_threshold returns, got {choice!r}."
            )
        return cls(choice).plot(ax=ax, name=name)

    def plot(self, ax=None, *, name=None):
        """Plot the rates against the threshold.

        Parameters
        ----------
        $axes
        """
        plt = import_optional("matplotlib.pyplot", f"{type(self).__name__}.plot")
        choice = self.choice
        if ax is None:
            _, ax = plt.subplots(figsize=(6.0, 3.8), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.lines_, self.errorbars_, self.threshold_line_ = {}, {}, None
        is_finite = np.isfinite(choice.threshold)
        if is_finite:
            style = dict(color="0.4", linewidth=1, linestyle="--")
            self.threshold_line_ = ax.axvline(choice.threshold, **style)
        thresholds, curves = self._curves()
        for rate, values in curves.items():
            style = dict(color=_COLORS[rate], label=rate.replace("_", " "))
            (self.lines_[rate],) = ax.step(thresholds, values, where="pre", **style)
            value = getattr(choice, rate)
            if is_finite and not np.isnan(value):
                low, high = getattr(choice, f"{rate}_interval")
                self.errorbars_[rate] = ax.errorbar(
                    choice.threshold,
                    value,
                    [[value - low], [high - value]],
                    fmt="o",
                    color=_COLORS[rate],
                    capsize=4,
                    zorder=3,
                )
        ax.set(xlabel="threshold", ylabel="rate", ylim=(-0.03, 1.03))
        if name is not None:
            ax.set_title(name)
        ax.legend(fontsize="small")
        return self

    def _curves(self):
        """Return thresholds in ascending order, and the rates at them."""
        choice = self.choice
        labels = np.zeros(len(choice.scores), bool) if choice.labels is None else choice.labels
        cuts = Cuts.of(choice.scores, labels)
        curves = {"alarm_rate": cuts.alarms / cuts.n_samples}
        if choice.labels is not None:
            curves = {
                "recall": cuts.hits / max(1, cuts.n_positive),
                "precision": cuts.hits / cuts.alarms,
                **curves,
            }
        return cuts.thresholds[::-1], {rate: values[::-1] for rate, values in curves.items()}
