"""Figures of `cells`."""

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from .tables import SIMULATED_WORKERS, simulated_seconds

COLOURS = ("#1f6feb", "#d1702a")


def draw_cells_cluster(results, folder):
    """Time on workers, measured and simulated."""
    found = stored_records("cells_cluster", results).ok()
    if not found:
        return
    figure, ((axis,),) = panels(1, 1, width=6.5, height=3.4)
    for n, colour in zip(found.distinct("n_train"), COLOURS):
        runs = found.where(n_train=n).records
        durations = next(run["durations"] for run in runs if run["n_workers"] == 1)
        times = [simulated_seconds(durations, workers) for workers in SIMULATED_WORKERS]
        title = f"{n / 1e6:g} million samples"
        axis.plot(SIMULATED_WORKERS, times, color=colour, label=f"{title}, simulated")
        measured = [(run["n_workers"], run["seconds"]) for run in runs]
        axis.plot(*zip(*measured, strict=True), "o", color=colour, label=f"{title}, measured")
    axis.set(xscale="log", yscale="log", xlabel="workers", ylabel="time of fit (s)")
    axis.set_xticks(SIMULATED_WORKERS, SIMULATED_WORKERS, minor=False)
    axis.minorticks_off()
    plain_log(axis.yaxis)
    axis.legend(frameon=False, fontsize=9)
    save(figure, folder / "cells_cluster.png")
