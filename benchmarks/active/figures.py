"""Figures of sample selection: those of sections 3.3 and 3.4 of the thesis, and of the guide.

Two panels beside each other, because the pages are read on narrow screens, too.
"""

import numpy as np

from ..bench.plots import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    YELLOW,
    legend_below,
    optimum,
    panels,
    plain_log,
    plot,
    save,
)  # fmt: skip
from ..bench.results import NoResults
from ..bench.summary import mean, mean_curve, measured
from ..sets.workloads import WORKLOADS
from .pairs import TRAINING
from .steps import SELECTIONS
from .tables import (
    LOOPS,
    NOISY,
    SHOWN,
    WAYS,
    epoch_points,
    pair_points,
    pool_curve,
    pool_records,
)

COLOURS = {"random": GREY, "gradient": YELLOW, "active": BLUE, "autoactive": GREEN}


# Loops that score all samples are dashed.
LOOP_STYLES = {
    "partial_fit": (BLUE, "-"),
    "partial_fit_all": (BLUE, "--"),
    "partial_fit_random": (GREY, "-"),
    "refit": (ORANGE, "-"),
    "refit_all": (ORANGE, "--"),
    "scikit_activeml": (GREEN, "--"),
}


def draw_pool_loops(results, folder):
    """Error against labels, and against time; medians over the seeds."""
    found = measured("pool_loops", results)
    sets = found.distinct("workload")
    figure, axes = panels(len(sets), 2, width=4.0, height=2.8)
    for (left, right), workload in zip(axes, sets):
        for loop, title in LOOPS.items():
            records = found.where(workload=workload, loop=loop).records
            if not records:
                continue
            curves = [[list(point.values()) for point in record["curve"]] for record in records]
            n_labels, time, error = np.median(curves, axis=0).T
            colour, line = LOOP_STYLES[loop]
            style = dict(color=colour, linestyle=line, linewidth=1.5)
            left.plot(n_labels, 100 * error, label=title.replace("``", ""), **style)
            right.plot(time, 100 * error, **style)
        left.set(title=WORKLOADS[workload].title, xlabel="labels", ylabel="test error (%)")
        right.set(xlabel="time of the loop (s)")
        plain_log(right.xaxis)
        for axis in (left, right):
            plain_log(axis.yaxis, subs=(1, 2, 5))
    legend_below(figure, axes[0, 0], 2, 0.8)
    save(figure, folder / "pool_loops.png", tight=False)


def draw_adult(results, folder):
    """Error against samples used, support vectors and time (Figures 3.8 and 3.9)."""
    records = measured("selection_adult", results)
    figure, axes = panels(2, 2, width=4.0, height=3.2)
    labels = {"n_labels": "samples used", "n_support": "support vectors", "seconds": "time (s)"}
    svc = {f: mean(records, f, model="sklearnex") for f in ("error", "n_support")}
    if svc["error"] is None:
        raise NoResults("SVC was not measured in selection_adult.")
    for axis, (field, label) in zip(axes.flat, labels.items()):
        for name in SELECTIONS:
            points = mean_curve(records, selection=name)
            plot(axis, points, field, "error", 100, color=COLOURS[name], label=name)
        optimum(axis, svc["error"])
        axis.set(xlabel=label, ylabel="test error (%)", ylim=(14.9, 18))
        plain_log(axis.xaxis, subs=(1, 2, 5) if field != "seconds" else (1,))
    axes[0, 1].plot([svc["n_support"]], [100 * svc["error"]], "x", color=INK)
    axes[1, 1].axis("off")
    axes[1, 1].legend(*axes[0, 0].get_legend_handles_labels(), loc="center", frameon=False)
    save(figure, folder / "selection_adult.png")


def draw_noise(results, folder):
    """Error against samples and support vectors, for shares of wrong labels (3.10 to 3.12)."""
    records, epoch = (
        measured(step, results) for step in ("selection_noise", "selection_noise_epoch")
    )
    shares = sorted(records.distinct("noise"))
    figure, axes = panels(len(shares), 2, width=4.0, height=2.8)
    for pair, noise in zip(axes, shares):
        for axis, x in zip(pair, ("n_labels", "n_support")):
            for title, (selection, C) in NOISY.items():
                points = mean_curve(records, selection=selection, C=C, noise=noise)
                style = dict(color=COLOURS[selection], linestyle="-" if C is None else "--")
                plot(axis, points, x, "error", 100, label=title, **style)
            for selection in ("random", "active"):
                points = epoch_points(epoch, selection, noise)
                style = dict(color=COLOURS[selection], linestyle=":", marker="s", markersize=4)
                plot(axis, points, x, "error", 100, label=f"{selection}, one order", **style)
            for svc in epoch.where(model="sklearnex", noise=noise).records:
                optimum(axis, svc["error"])
                if x == "n_support":
                    axis.plot([svc[x]], [100 * svc["error"]], "x", color=INK)
            plain_log(axis.xaxis, subs=(1, 2, 5))
            plain_log(axis.yaxis, subs=(1, 2, 5))
            axis.set_ylim(0.35, 50)
            axis.tick_params(axis="x", labelrotation=45)
        pair[0].set(title=f"{noise:.0%} wrong labels", ylabel="test error (%)")
    for axis, label in zip(axes[-1], ("samples used", "support vectors")):
        axis.set_xlabel(label)
    legend_below(figure, axes[0, 0], 3, 0.8)
    save(figure, folder / "selection_noise.png", tight=False)


WAY_STYLES = {
    ("active", 50): dict(color=BLUE),
    ("active", "all"): dict(color=BLUE, linestyle="--"),
    ("random", None): dict(color=GREY),
    ("warm", 50): dict(color=GREEN),
    ("warm", "all"): dict(color=GREEN, linestyle="--"),
}


def draw_retraining(results, folder):
    """g-means against labels (Figure 3.13)."""
    records = pool_records(results)
    sets = records.distinct("workload")
    if not sets:
        return
    figure, (axes,) = panels(1, len(sets), width=4.0, height=3.4)
    for axis, workload in zip(axes, sets):
        for way, title in WAYS.items():
            points = pool_curve(records, way, workload=workload)
            style = WAY_STYLES[way] | dict(label=title.replace("``", ""))
            plot(axis, points, "n_labels", "gmean", 100, **style)
        axis.set(title=WORKLOADS[workload].title, xlabel="labels")
    axes[0].set_ylabel("g-mean (%)")
    legend_below(figure, axes[0], 2, 0.8)
    save(figure, folder / "selection_pools.png", tight=False)


def draw_pairs(results, folder):
    """Errors on pairs of records: each training name left out (3.14), three test names (3.15)."""
    records = measured("pairs_curves", results)
    figure, axes = panels(3, 2, width=4.0, height=2.7)
    for column, number, names in zip(axes.T, ("3.14", "3.15"), (TRAINING, SHOWN)):
        for axis, name in zip(column, names):
            for model in ("random", "active"):
                points = pair_points(records, model, [name])
                plot(axis, points, "n_labels", "error", 100, color=COLOURS[model], label=model)
            (svc,) = pair_points(records, "svc", [name])
            optimum(axis, svc["error"], "SVC, all pairs")
            axis.set_title(f"{number}: {name}")
            plain_log(axis.xaxis, subs=(1, 2, 5))
            axis.tick_params(axis="x", labelrotation=45)
    for axis in axes[:, 0]:
        axis.set_ylabel("error on pairs (%)")
    for axis in axes[-1]:
        axis.set_xlabel("labels")
    legend_below(figure, axes[0, 0], 3)
    save(figure, folder / "selection_pairs.png", tight=False)
