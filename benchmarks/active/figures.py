"""Figures of `active`."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..svc.workloads import WORKLOADS
from .tables import LOOPS, loop_records

# Okabe and Ito's colour-blind safe colours; loops that score all samples are dashed.
STYLES = {
    "partial_fit": ("#0072b2", "-"),
    "partial_fit_all": ("#0072b2", "--"),
    "partial_fit_random": ("#8b949e", "-"),
    "refit": ("#d55e00", "-"),
    "refit_all": ("#d55e00", "--"),
    "scikit_activeml": ("#009e73", "--"),
}


def draw_pool_loops(results, folder):
    """Error against labels, and against time; medians over the seeds."""
    found = loop_records(results).ok()
    sets = found.distinct("workload")
    if not sets:
        return
    figure, axes = panels(2, len(sets), width=4.2, height=3.2)
    for (above, below), workload in zip(axes.T, sets):
        for loop, title in LOOPS.items():
            records = found.where(workload=workload, loop=loop).records
            if not records:
                continue
            fields = ("n_labels", "seconds", "error")
            curves = [[[point[f] for f in fields] for point in r["curve"]] for r in records]
            n_labels, time, error = np.median(curves, axis=0).T
            colour, line = STYLES[loop]
            style = dict(color=colour, linestyle=line, linewidth=1.5)
            above.plot(n_labels, 100 * error, label=title.replace("``", ""), **style)
            below.plot(time, 100 * error, **style)
        above.set(title=WORKLOADS[workload].title, xlabel="labels", ylabel="test error (%)")
        below.set(xlabel="time of the loop (s)", ylabel="test error (%)", xscale="log")
        plain_log(below.xaxis)
        for axis in (above, below):
            axis.set_yscale("log")
            plain_log(axis.yaxis, subs=(1, 2, 5))
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    figure.legend(handles, names, loc="lower center", ncols=3, frameon=False)
    save(figure, folder / "pool_loops.png", tight=False)
