"""Figures of `linear`: how the cost of one pass grows."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from ..sets.linear import AXES
from .models import SPEED
from .tables import median_seconds

STYLES = {
    "pa": ("#0072b2", "o"),
    "arow": ("#009e73", "^"),
    "sgd": ("#d55e00", "s"),
    "arow_full": ("#cc79a7", "D"),
    "olpy_arow": ("#8b949e", "X"),
}


def _points(records, model):
    """Values on an axis and median seconds."""
    values = sorted(records.distinct("value"))
    points = [(value, median_seconds(records.where(value=value), model)) for value in values]
    return np.array([p for p in points if p[1] is not None], dtype=float).reshape(-1, 2)


def _slope(points):
    """Least-squares slope of the logarithms, over the upper half of the values."""
    upper = points[len(points) // 2 - 1 :] if len(points) > 3 else points
    return np.polyfit(*np.log(upper).T, 1)[0] if len(upper) > 1 else float("nan")


def draw_growth(results, folder):
    """One panel for each thing that grows."""
    records = stored_records("linear_growth", results).ok()
    if not records:
        return
    figure, axes = panels(2, 3, width=4.6, height=3.6)
    for panel, (name, axis) in zip(axes.flat, AXES.items()):
        for model in axis.models:
            points = _points(records.where(axis=name), model)
            if not len(points):
                continue
            colour, marker = STYLES[model]
            label = f"{SPEED[model].title}, ^{_slope(points):.2f}"
            panel.loglog(*points.T, marker=marker, markersize=4, color=colour, label=label)
        panel.set(xlabel=axis.title, ylabel="one pass (s)")
        plain_log(panel.yaxis)
        plain_log(panel.xaxis)
        panel.legend(frameon=False, fontsize=8)
    save(figure, folder / "linear_growth.png")
