"""Figures of `search`."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from .sets import SETS
from .tables import exhaustive, plain, searched

STYLES = {
    "progressive": ("#d55e00", "o", "ProgressiveSearch(LASVC)"),
    "halving_lasvc": ("#e69f00", "s", "HalvingGridSearchCV(LASVC)"),
    "halving": ("#0072b2", "s", "HalvingGridSearchCV(SVC)"),
    "random": ("#009e73", "^", "RandomizedSearchCV(SVC, 20)"),
    "boosting": ("#888888", "D", "HistGradientBoosting, tuned"),
    "one_fit": ("#000000", "x", "one fit of SVC (scikit-learn-intelex)"),
}


def _panels(found):
    """One panel for each set; of those that are left over, the last is for the legend."""
    figure, axes = panels(2, 3, width=4.4, height=3.5)
    for panel in axes.flat[len(found) :]:
        panel.set_axis_off()
    return figure, axes


def draw_errors(results, folder):
    """Test error by time, of all searches."""
    found = searched(results)
    if not found:
        return
    figure, axes = _panels(found)
    for panel, (work, records) in zip(axes.flat, found.items()):
        for search, (colour, marker, label) in STYLES.items():
            of = records.where(search=search).ok()
            if search == "one_fit":
                of = of.where(threads=1)
            errors = [100 * error for error in of.values("error")]
            style = dict(color=colour, marker=marker, linestyle="", markersize=6, alpha=0.8)
            panel.plot(of.values("seconds"), errors, label=label, **style)
        best = exhaustive(work, results)
        if best is not None:
            error = 100 * np.mean(best["lasvc_errors"])
            label = "LASVC, exhaustive choice"
            panel.axhline(error, color="#555555", linewidth=1, linestyle="--", label=label)
        panel.set_xscale("log")
        plain_log(panel.xaxis, subs=(1, 2, 5))
        panel.set(title=SETS[work].title, xlabel="seconds", ylabel="test error (%)")
    # Any of them has all the labels.
    handles, labels = axes.flat[0].get_legend_handles_labels()
    axes.flat[-1].legend(handles, labels, frameon=False, loc="center", fontsize=9)
    save(figure, folder / "search_errors.png")


def _paths(rungs):
    """Errors of each pair along its rungs, as lists of (rows, error); the last is the winner's."""
    paths = {}
    for rung in rungs:
        for *pair, score in zip(rung["C"], rung["gamma"], rung["scores"]):
            if score is not None and np.isfinite(score):
                paths.setdefault(tuple(pair), []).append((rung["n_rows"], 100 * (1 - score)))
    return paths


def draw_rungs(results, folder):
    """Who is still there after so many rows, and how they do, of the first search of each set."""
    found = searched(results)
    firsts = {w: r.where(search="progressive").ok().records for w, r in found.items()}
    firsts = {work: records[0] for work, records in firsts.items() if records}
    if not firsts:
        return
    figure, axes = _panels(firsts)
    for panel, (work, record) in zip(axes.flat, firsts.items()):
        paths = _paths(record["rungs"])
        winner = (record["C"], record["gamma"])
        last = max(len(path) for path in paths.values())
        for pair, path in sorted(paths.items(), key=lambda item: len(item[1])):
            # The longer it stays, the darker.
            style = dict(color="#0072b2", alpha=0.15 + 0.5 * len(path) / last, linewidth=0.9)
            if pair == winner:
                style = dict(color="#d55e00", linewidth=2.2, zorder=3)
            panel.plot(*zip(*path), marker=".", markersize=4, **style)
        for rung in record["rungs"]:
            at = (rung["n_rows"], 1.02)
            panel.annotate(
                str(len(rung["scores"])), at, xycoords=("data", "axes fraction"),
                ha="center", fontsize=8, color="#555555",
            )  # fmt: skip
        panel.set_xscale("log")
        panel.set_yscale("log")
        plain_log(panel.xaxis, subs=(1, 2, 5))
        panel.tick_params(axis="x", labelsize=8)
        plain_log(panel.yaxis, subs=(1, 2, 5))
        panel.set_title(SETS[work].title, pad=18)
        panel.set(xlabel="rows learnt", ylabel="error on rows to come (%)")
    note = axes.flat[-1]
    note.plot([], [], color="#d55e00", linewidth=2.2, label="the choice")
    note.plot([], [], color="#0072b2", alpha=0.5, linewidth=0.9, label="a candidate")
    note.plot([], [], linestyle="", label="above: how many are compared")
    note.legend(frameon=False, loc="center", fontsize=9)
    save(figure, folder / "search_rungs.png")


def _positions(pairs, grid):
    """Places of pairs in a grid, counted from 0, also between its values."""

    def places(name):
        values = np.log([pair[name] for pair in pairs])
        return np.interp(values, np.log(grid[name]), range(len(grid[name])))

    return places("gamma"), places("C")


def draw_grids(results, folder):
    """Errors of all pairs on five folds, and where the search went."""
    found = {work: (exhaustive(work, results), r) for work, r in searched(results).items()}
    found = {work: pair for work, pair in found.items() if pair[0] is not None}
    if not found:
        return
    figure, axes = _panels(found)
    for panel, (work, (best, records)) in zip(axes.flat, found.items()):
        grid, errors = best["grid"], 100 * np.array(best["cv_errors"])
        panel.grid(False)
        image = panel.imshow(errors, origin="lower", cmap="Greys", aspect="auto")
        # What is much worse than the best is as dark as can be.
        image.set_clim(errors.min(), min(errors.max(), 3 * errors.min() + 1))
        figure.colorbar(image, ax=panel, label="error on five folds (%)")
        ours = records.where(search="progressive").ok().records
        late = [rung for record in ours for rung in record["rungs"] if len(rung["scores"]) <= 10]
        pairs = [dict(C=C, gamma=g) for rung in late for C, g in zip(rung["C"], rung["gamma"])]
        panel.plot(*_positions(pairs, grid), ".", color="#0072b2", label="among the last ten")
        style = dict(linestyle="", fillstyle="none", markeredgewidth=1.8)
        panel.plot(
            *_positions(ours, grid), marker="o", color="#d55e00", markersize=11,
            label="the choice, five searches", **style,
        )  # fmt: skip
        panel.plot(
            *_positions([best], grid), marker="s", color="#009e73", markersize=16,
            label="the exhaustive choice", **style,
        )  # fmt: skip
        for axis, name in ((panel.xaxis, "gamma"), (panel.yaxis, "C")):
            at = range(0, len(grid[name]), max(1, len(grid[name]) // 3))
            axis.set_ticks(list(at), [plain(grid[name][k]) for k in at])
        panel.set(title=SETS[work].title, xlabel="gamma", ylabel="C")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    legend = dict(frameon=False, loc="center", fontsize=9, labelspacing=1.5)
    axes.flat[-1].legend(handles, labels, **legend)
    save(figure, folder / "search_grids.png")


def draw_all(results, folder):
    """Draw every figure that has results."""
    draw_errors(results, folder)
    draw_rungs(results, folder)
    draw_grids(results, folder)
