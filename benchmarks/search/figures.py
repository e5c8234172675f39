"""Figures of `search`."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from .models import SEARCHES
from .sets import SETS
from .tables import chosen, curves_of, regrets, searched

STYLES = {
    "progressive": ("#d55e00", "o"),
    "grid": ("#cc79a7", "D"),
    "halving": ("#0072b2", "s"),
    "optuna": ("#009e73", "^"),
    "random_20": ("#999999", "x"),
    "random_50": ("#555555", "+"),
}


def draw_regret(results, folder):
    """Regret by cost: each point is a data set, the mean over its seeds or draws."""
    works = searched(results)
    if not works:
        return
    figure, axes = panels(1, 1, width=8.0, height=4.6)
    panel = axes.flat[0]
    for search, (colour, marker) in STYLES.items():
        found = [regrets(work, results).get(search, []) for work in works]
        means = np.array([np.mean(pairs, axis=0) for pairs in found if pairs])
        if len(means):
            label = SEARCHES[search].title.replace("``", "")
            style = dict(color=colour, marker=marker, linestyle="", markersize=7, alpha=0.85)
            panel.plot(means[:, 1], means[:, 0], label=label, **style)
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


def worst_case(results):
    """Data set and record of the search with the largest regret."""
    found = []
    for work in searched(results):
        best = chosen(curves_of(work, results)["pairs"])
        for record in stored_records(f"search_{work}", results).ok().records:
            found.append((record["error"] - best["error"], work, record["seed"], record))
    return max(found, key=lambda one: one[:3]) if found else None


def draw_worst(results, folder):
    """Learning curves of all pairs, where the search did worst and where curves cross most."""
    worst = worst_case(results)
    if worst is None:
        return
    works = list(dict.fromkeys([worst[1], "rough_8" if worst[1] != "rough_8" else "chessboard"]))
    figure, axes = panels(1, len(works), width=5.6, height=4.2)
    for panel, work in zip(axes.flat, works):
        curves = curves_of(work, results)
        if curves is None:
            continue
        best = chosen(curves["pairs"])
        records = stored_records(f"search_{work}", results).ok().records
        record = worst[3] if work == worst[1] else records[0]
        ours = min(
            curves["pairs"],
            key=lambda pair: (
                abs(np.log(pair["C"] / record["C"])) + abs(np.log(pair["gamma"] / record["gamma"]))
            ),
        )
        for pair in curves["pairs"]:
            n = len(pair["errors"])
            style = dict(color="#bbbbbb", linewidth=0.7)
            panel.plot(curves["n_samples"][:n], 100 * np.array(pair["errors"]), **style)
        for pair, colour, label in (
            (best, "#009e73", "exhaustive choice"), (ours, "#d55e00", "choice of the search"),
        ):  # fmt: skip
            n = len(pair["errors"])
            label = f"{label}: C={pair['C']:.3g}, gamma={pair['gamma']:.3g}"
            style = dict(color=colour, linewidth=2.2, label=label)
            panel.plot(curves["n_samples"][:n], 100 * np.array(pair["errors"]), **style)
        panel.set_xscale("log")
        plain_log(panel.xaxis, subs=(1, 2, 5))
        panel.set_yscale("log")
        plain_log(panel.yaxis, subs=(1, 2, 5))
        panel.tick_params(axis="x", labelsize=8)
        panel.set(title=SETS[work].title, xlabel="training samples", ylabel="held-out error (%)")
        panel.legend(frameon=False, fontsize=8, loc="lower left")
    save(figure, folder / "search_curves.png")
