"""Figures of `linear`: how the cost of one pass grows."""

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from .models import SPEED
from .steps import AXES
from .tables import growth_points, slope

STYLES = {
    "pa": ("#0072b2", "o"),
    "arow": ("#009e73", "^"),
    "sgd": ("#d55e00", "s"),
    "arow_full": ("#cc79a7", "D"),
    "olpy_arow": ("#8b949e", "X"),
}


def draw_growth(results, folder):
    """One panel for each thing that grows."""
    records = stored_records("linear_growth", results).ok()
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
    save(figure, folder / "linear_growth.png", tight=False)
