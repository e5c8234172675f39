"""What all figures have in common."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

# Okabe and Ito's colours, which the colour-blind can tell apart.
INK, GREY, BLUE, ORANGE, GREEN, YELLOW, PINK, SKY = (
    "#24292f", "#8b949e", "#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9",
)  # fmt: skip


def plot(axis, points, x, y, scale=1.0, **style):
    """A curve over the points that have the field."""
    style = dict(marker="o", markersize=2.5, linewidth=1.4) | style
    known = [p for p in points if y in p]
    axis.plot([p[x] for p in known], [scale * p[y] for p in known], **style)


def optimum(axis, error, label="SVC, all samples"):
    axis.axhline(100 * error, color=INK, linestyle=":", linewidth=1.0, label=label)


def panels(n_rows, n_columns, width=4.0, height=3.2):
    """A figure with a grid of axes."""
    figure, axes = plt.subplots(
        n_rows, n_columns, figsize=(width * n_columns, height * n_rows), squeeze=False
    )
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
        axis.grid(True, which="major", color="#e6e8eb", linewidth=0.8)
        axis.set_axisbelow(True)
    return figure, axes


def save(figure, path):
    """Write and close a figure, with a tight layout unless it has a common legend."""
    if not figure.legends:
        figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def legend_below(figure, axes, n_columns, inches=0.5):
    """One legend for all panels, of what any of the axes shows."""
    figure.tight_layout(rect=(0, inches / figure.get_figheight(), 1, 1))
    figure.legend(*labels_of(axes), loc="lower center", ncols=n_columns, frameon=False)


def labels_of(axes):
    """Return the artists that any of the axes has a label for, and the labels."""
    handles = {}
    for axis in np.ravel(axes):
        handles |= dict(zip(*reversed(axis.get_legend_handles_labels())))
    return [*handles.values()], [*handles]


def plain_log(axis, subs=(1,)):
    """A logarithmic axis with numbers instead of powers of ten."""
    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.set_major_locator(LogLocator(subs=subs, numticks=20))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def note(axis, text, point, offset=(5, 3), **style):
    """Write beside a point, so many points to the right and up."""
    axis.annotate(text, point, xytext=offset, textcoords="offset points", **style)
