"""Figures of `linear`: how the cost of one pass grows."""

import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from .models import SPEED
from .steps import AXES
from .tables import growth_points, slope, stored_records

STYLES = {
    "pa": ("#0072b2", "o"),
    "arow": ("#009e73", "^"),
    "sgd": ("#d55e00", "s"),
    "arow_full": ("#cc79a7", "D"),
    "olpy_arow": ("#8b949e", "X"),
}


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
    """Write a figure that has its layout, and forget it."""
    figure.savefig(path, dpi=110)
    plt.close(figure)


def plain_log(axis, subs=(1,)):
    """Numbers instead of powers of ten on a logarithmic axis."""
    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def draw_growth(results, folder):
    """One panel for each thing that grows."""
    records = stored_records("linear_growth", results)
    if not records:
        return
    figure, axes = panels(2, 3, width=4.6, height=3.6)
    for panel, (axis, (title, _, models)) in zip(axes.flat, AXES.items()):
        for model in models:
            points = growth_points(records, axis, model)
            if not len(points):
                continue
            colour, marker = STYLES[model]
            label = f"{SPEED[model].title}, ^{slope(points):.2f}"
            panel.loglog(*points.T, marker=marker, markersize=4, color=colour, label=label)
        panel.set(xlabel=title, ylabel="one pass (s)")
        plain_log(panel.yaxis)
        plain_log(panel.xaxis)
        panel.legend(frameon=False, fontsize=8)
    figure.tight_layout()
    save(figure, folder / "linear_growth.png")


def draw_all(results, folder):
    """Draw every figure that has results."""
    draw_growth(results, folder)
