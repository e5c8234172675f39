"""Figures of `search`."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from .models import SEARCHES
from .tables import searched

STYLES = {
    "progressive": ("#d55e00", "o"),
    "grid": ("#cc79a7", "D"),
    "halving": ("#0072b2", "s"),
    "optuna": ("#009e73", "^"),
    "random": ("#555555", "+"),
}


def draw_regret(results, folder):
    """Regret by cost: each point is a data set, the mean over its seeds or draws."""
    found = searched(results)
    if not found:
        return
    figure, axes = panels(1, 1, width=8.0, height=4.6)
    panel = axes.flat[0]
    for search, (colour, marker) in STYLES.items():
        pairs = [each[search] for each in found.values() if search in each]
        if pairs:
            regret, cost = np.array([np.mean(each, axis=0) for each in pairs]).T
            style = dict(color=colour, markersize=7, alpha=0.85)
            panel.plot(cost, regret, marker, label=SEARCHES[search], **style)
    panel.axhline(0, color="#555555", linewidth=1, linestyle="--", label="exhaustive choice")
    panel.set_xscale("log")
    plain_log(panel.xaxis, subs=(1, 2, 5))
    panel.set_yscale("symlog", linthresh=0.5)
    ticks = (-0.5, 0, 0.5, 1, 2, 5, 10)
    panel.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    panel.minorticks_off()
    panel.set(xlabel="cost in fits of the winner", ylabel="regret in points of test error")
    panel.legend(frameon=False, fontsize=9)
    save(figure, folder / "search_regret.png")
