"""Learning curves of a search, and its scores over the parameters."""

from functools import partial
from numbers import Number

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._docs import filled_docs
from .._optional import import_optional

_WINNER = "tab:red"
_OTHERS = ("tab:blue", "tab:orange", "tab:green", "tab:purple", "tab:brown")
_MAX_TICKS = 8
# The axis of a parameter is logarithmic if its values span more than this ratio.
_LOG_RATIO = 20


_AXES = """ax : matplotlib Axes or array-like of them, default=None
    Axes for the panels; with a single one only the learning curves are plotted. By
    default those of a new figure.
param_x, param_y : str, default=None
    Numeric parameters of the second panel; by default those with the most values.
name : str, default=None
    Title.

Returns
-------
display : ProgressiveSearchDisplay
    The display.

Raises
------
ImportError
    If matplotlib is not installed."""


@partial(filled_docs, parts={"axes": _AXES})
class ProgressiveSearchDisplay:
    """Learning curves of the candidates of a search, and their scores over the parameters.

    Create it with :meth:`from_estimator`. All parameters are stored as attributes.

    The first panel shows the score of each candidate against the number of training samples, with
    the number of candidates above it. The last point of a curve that reaches full size is the mean
    over its folds. The winner is red, and the five other candidates with the highest rank are
    colored. All others are grey, and their curves end with a dot. The axis of the score begins at
    the median of the first rung, or below the curve of the winner, so the curves of poor
    candidates may lie outside.

    The second panel shows the last score of each candidate over two numeric parameters: a heat map
    if the parameters form a grid, otherwise a scatter plot. Eliminated candidates were trained on
    fewer samples than the others. The color scale begins at the median, which shows differences
    among the best candidates. Colored candidates are marked, the winner by a star. With one
    numeric parameter the score is plotted against it; without any, the panel is omitted.

    Parameters
    ----------
    cv_results : dict of ndarrays of shape (n_entries,)
        The attribute ``cv_results_`` of a search.
    best_index : int
        Index of the last entry of the winner.
    metric : str, default="score"
        Metric that selects the winner, as in the names of the columns.
    score_name : str, default=None
        Name of the score on the axes; by default the metric.

    Attributes
    ----------
    lines_ : dict of int to matplotlib Line2D
        Learning curve of each candidate that has been scored, by its number.
    image_ : matplotlib QuadMesh or None
        Heat map of shape (n_values_y, n_values_x), masked where there is no score. If several
        candidates differ in other parameters only, the best of them is shown.
    scatter_ : matplotlib PathCollection or None
        Last scores of candidates that form no grid, or of one parameter.
    markers_ : dict of int to matplotlib Line2D
        Markers of the colored candidates in the second panel, by number.
    ax_ : ndarray of matplotlib Axes of shape (1,) or (2,)
        The axes of the panels.
    figure_ : matplotlib Figure
        The figure of these axes.

    See Also
    --------
    sklearn_online_svm.model_selection.ProgressiveSearch : The search.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.evaluation import ProgressiveSearchDisplay
    >>> from sklearn_online_svm.model_selection import ProgressiveSearch
    >>> X, y = make_banana_like(1000, random_state=0)
    >>> grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 2, 5)}
    >>> search = ProgressiveSearch(LASVC(), grid, random_state=0).fit(X, y)
    >>> ProgressiveSearchDisplay.from_estimator(search)  # doctest: +SKIP
    <...>
    """

    def __init__(self, *, cv_results, best_index, metric="score", score_name=None):
        self.cv_results = cv_results
        self.best_index = best_index
        self.metric = metric
        self.score_name = score_name

    @classmethod
    def from_estimator(cls, search, *, ax=None, param_x=None, param_y=None, name=None):
        """Plot the results of a search.

        Parameters
        ----------
        search : ProgressiveSearch
            A fitted search; one that continues by ``partial_fit`` is shown as it stands.
        $axes
        NotFittedError
            If the search has not been fitted.
        ValueError
            If the search has not compared candidates yet, or as :meth:`plot`.
        """
        import_optional("matplotlib.pyplot", f"{cls.__name__}.from_estimator")
        check_is_fitted(search, "cv_results_")
        metric = search.refit if search.multimetric_ else "score"
        if "rung" not in search.cv_results_:
            raise ValueError(
                f"search must be a ProgressiveSearch that has compared candidates, got {search!r}."
            )
        if search.best_index_ is None:
            raise ValueError(
                "search has not compared candidates yet: best_index_ is None. Call partial_fit "
                "with more samples, or resume, first."
            )
        score_name = search.scoring if isinstance(search.scoring, str) else metric
        display = cls(
            cv_results=search.cv_results_,
            best_index=search.best_index_,
            metric=metric,
            score_name=score_name,
        )
        return display.plot(ax=ax, param_x=param_x, param_y=param_y, name=name)

    def plot(self, ax=None, *, param_x=None, param_y=None, name=None):
        """Plot the panels.

        Parameters
        ----------
        $axes
        ValueError
            If ``param_x`` or ``param_y`` is no numeric parameter with several values, or if
            ``ax`` has more axes than there are panels.
        """
        plt = import_optional("matplotlib.pyplot", f"{type(self).__name__}.plot")
        x, y = self._select_params(param_x, param_y)
        n_panels = 1 if x is None else 2
        if ax is None:
            _, ax = plt.subplots(1, n_panels, figsize=(4.6 * n_panels, 3.8), layout="constrained")
        ax = np.atleast_1d(ax)
        if ax.shape not in ((1,), (n_panels,)):
            raise ValueError(f"ax must be one axes or {n_panels}, got shape {ax.shape}.")
        self.ax_, self.figure_ = ax, ax[0].figure
        self.image_, self.scatter_, self.lines_, self.markers_ = None, None, {}, {}
        label = (self.score_name or self.metric).replace("_", " ")
        colors = self._candidate_colors()
        self._plot_curves(ax[0], colors, label)
        if name is not None:
            ax[0].set_title(name)
        if len(ax) == 2:
            self._plot_last_scores(ax[1], x, y, colors, f"last {label}")
        return self

    def _plot_curves(self, ax, colors, label):
        """Plot the score of each candidate against its number of training samples."""
        table, winner = self.cv_results, self._winner
        is_scored = table["n_scored"] > 0
        candidate, rung, n = (
            table[name][is_scored] for name in ("candidate", "rung", "n_resources")
        )
        scores = table[f"mean_test_{self.metric}"][is_scored]
        # The first fold may have a sample less than others; later ones of ``cv`` may be smaller.
        n = np.where(rung >= rung[n + 1 >= n.max()].min(), n.max(), n)
        for number in np.unique(candidate).tolist():
            style = dict(color="0.7", linewidth=0.8, markersize=4, zorder=1)
            if number in colors:
                style = dict(
                    color=colors[number],
                    linewidth=3.5 if number == winner else 1.5,
                    label=self._label(number),
                    zorder=3 if number == winner else 2,
                )
            mask = candidate == number
            last = dict(zip(n[mask], scores[mask]))
            (self.lines_[number],) = ax.plot(
                *zip(*last.items()), marker="o", markevery=[-1], **style
            )
        sizes = np.unique(n)
        ratio, shown = max(1.5, (sizes[-1] / sizes[0]) ** (1 / _MAX_TICKS)), [sizes[-1]]
        for size in sizes[::-1]:
            if ratio * size <= shown[0]:
                shown.insert(0, size)
        counts = [len(np.unique(candidate[n == size])) for size in shown]
        ax.set(xscale="log", xlabel="training samples", ylabel=label)
        top = ax.secondary_xaxis("top")
        top.set_xlabel("candidates", color="0.4")
        for axes, labels in ((ax, shown), (top, counts)):
            axes.set_xticks(shown, [str(value) for value in labels])
            axes.set_xticks([], minor=True)
            axes.tick_params(axis="x", labelsize="small")
        winner_scores = self.lines_[winner].get_ydata()
        low = min(np.nanmedian(scores[rung == rung[0]]), np.nanmin(winner_scores))
        margin = 0.05 * (np.nanmax(scores) - low) or 0.01
        if np.isfinite(margin):
            ax.set_ylim(low - margin, np.nanmax(scores) + margin)
        handles = [self.lines_[number] for number in colors]
        corner = "lower right" if winner_scores[-1] >= winner_scores[0] else "upper right"
        ax.legend(handles=handles, loc=corner, fontsize="small", handlelength=1)

    def _plot_last_scores(self, ax, x, y, colors, label):
        """Plot the last scores over one parameter or two."""
        numbers, entries = map(np.array, zip(*self._last_entries.items()))
        table, values = self.cv_results, self._param_values()
        is_scored = table["n_scored"][entries] > 0
        scores = np.where(is_scored, table[f"mean_test_{self.metric}"][entries], np.nan)
        known = np.isfinite(values[x] if y is None else values[x] + values[y])
        numbers, scores, xs = numbers[known], scores[known], values[x][known]
        ax.set(xscale=_scale(xs), xlabel=_short(x))
        if y is None:
            ys = scores
            ax.set_ylabel(label)
            self.scatter_ = ax.scatter(xs, ys, color="0.7")
        else:
            ys = values[y][known]
            ax.set(yscale=_scale(ys), ylabel=_short(y))
            colored = self._plot_colors(ax, xs, ys, scores)
            self.figure_.colorbar(colored, ax=ax, label=label, extend="min")
        edge = "black" if self.image_ is None else "white"
        for number, *point in zip(numbers.tolist(), xs, ys):
            if number in colors:
                marker, size = ("*", 20) if number == self._winner else ("o", 9)
                style = dict(markersize=size, color=colors[number], markeredgecolor=edge)
                (self.markers_[number],) = ax.plot(*point, marker, **style)

    def _plot_colors(self, ax, x, y, scores):
        """Draw a heat map, or a scatter plot if the parameters form no grid; return it."""
        limits = dict(vmin=np.nanmedian(scores), vmax=np.nanmax(scores))
        (xs, columns), (ys, rows) = (np.unique(values, return_inverse=True) for values in (x, y))
        best = np.full((len(ys), len(xs)), -np.inf)
        np.fmax.at(best, (rows, columns), scores)
        cells = np.ma.masked_invalid(best)
        if 2 * cells.count() <= cells.size:
            self.scatter_ = ax.scatter(x, y, c=scores, **limits)
            return self.scatter_
        self.image_ = ax.pcolormesh(_edges(xs), _edges(ys), cells, **limits)
        for axis, values in ((ax.xaxis, xs), (ax.yaxis, ys)):
            shown = values[:: max(1, round(len(values) / 5))]
            axis.set_ticks(shown, [_text(value) for value in shown])
            axis.set_ticks([], minor=True)
        return self.image_

    @property
    def _winner(self):
        return int(self.cv_results["candidate"][self.best_index])

    @property
    def _last_entries(self):
        """Index of the last entry of each candidate, by candidate number."""
        return {number: i for i, number in enumerate(self.cv_results["candidate"].tolist())}

    def _candidate_colors(self):
        """Return the colors of the winner and of the other candidates with the highest rank."""
        table = self.cv_results
        entries = [k for k in self._last_entries.values() if table["n_scored"][k] > 0]
        entries.sort(key=table[f"rank_test_{self.metric}"].__getitem__)
        numbers = table["candidate"][entries].tolist()
        others = [number for number in numbers if number != self._winner]
        return {self._winner: _WINNER} | dict(zip(others, _OTHERS))

    def _param_values(self):
        """Return the values of each numeric parameter with several values, by name.

        They are in the order of ``_last_entries``, and nan for other types.
        """
        settings = [self.cv_results["params"][i] for i in self._last_entries.values()]
        values = {
            name: np.array([_number(params.get(name)) for params in settings])
            for name in sorted({name for params in settings for name in params})
        }
        return {name: column for name, column in values.items() if _n_values(column) > 1}

    def _select_params(self, param_x, param_y):
        """Return the names of the parameters of the second panel; the second may be None."""
        values = self._param_values()
        for argument, name in (("param_x", param_x), ("param_y", param_y)):
            if name is not None and name not in values:
                raise ValueError(
                    f"{argument} must be a numeric parameter with several values, one of "
                    f"{list(values)}, got {name!r}."
                )
        if param_x is not None and param_x == param_y:
            raise ValueError(f"param_x and param_y must differ, got {param_x!r} for both.")
        free = sorted(values.keys() - {param_x, param_y}, key=lambda k: (-_n_values(values[k]), k))
        # In reverse order gamma is on the horizontal axis and C on the vertical one.
        free = sorted(free[: [param_x, param_y].count(None)], reverse=True)
        x, y = (name or (free.pop(0) if free else None) for name in (param_x, param_y))
        if None in (x, y) or np.isfinite(values[x] + values[y]).any():
            return (x, y) if x is not None else (y, None)
        if None not in (param_x, param_y):
            raise ValueError(f"No candidate has both param_x={x!r} and param_y={y!r}.")
        return param_y or x, None

    def _label(self, number):
        """Return a label with those parameters of a candidate that differ between candidates."""
        settings = self.cv_results["params"]
        params = settings[self._last_entries[number]]
        differ = [
            name for name in params if len({_text(other.get(name)) for other in settings}) > 1
        ]
        return ", ".join(f"{_short(name)}={_text(params[name])}" for name in differ or params)


def _number(value):
    """Return a number as a float, nan for anything else."""
    is_number = isinstance(value, Number) and not isinstance(value, (bool, np.bool_))
    return float(value) if is_number else np.nan


def _n_values(values):
    return len(np.unique(values[np.isfinite(values)]))


def _text(value):
    """Return a short text for a value."""
    if np.isfinite(_number(value)):
        return f"{float(f'{value:.3g}'):g}"
    return str(value) if isinstance(value, (str, bool, type(None))) else type(value).__name__


def _short(name):
    """Return the name of a parameter without the step of a pipeline."""
    return name.rpartition("__")[2]


def _scale(values):
    """Return the scale of an axis for these values."""
    return "log" if values.min() > 0 and values.max() > _LOG_RATIO * values.min() else "linear"


def _edges(values):
    """Return the edges of cells around sorted values, halfway between them."""
    is_log = _scale(values) == "log"
    at = np.log(values) if is_log else values
    steps = np.diff(at) / 2 if len(at) > 1 else np.array([0.5])
    edges = np.r_[at[0] - steps[0], at[:-1] + steps[: len(at) - 1], at[-1] + steps[-1]]
    return np.exp(edges) if is_log else edges
