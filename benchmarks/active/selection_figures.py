"""Figures of LASVC with sample selection: those of section 3.3 of the thesis."""

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from ..svc.workloads import WORKLOADS
from .guide_tables import SHOWN, pair_points
from .pairs_tasks import TRAINING
from .selection_tables import (
    NOISY,
    SELECTIONS,
    WAYS,
    curve,
    epoch_points,
    mean,
    pool_curve,
    pool_records,
)

# Okabe and Ito's colours, which the colour-blind can tell apart.
COLOURS = {
    "random": "#8b949e",
    "gradient": "#e69f00",
    "active": "#0072b2",
    "autoactive": "#009e73",
}
INK = "#24292f"


def _plot(axis, points, x, y="error", **style):
    style = dict(marker="o", markersize=3, linewidth=1.4) | style
    axis.plot([p[x] for p in points], [100 * p[y] for p in points], **style)


def draw_adult(results, folder):
    """Error against samples used, time and vectors (Figures 3.8 and 3.9)."""
    records = stored_records("selection_adult", results)
    if not records:
        return
    figure, (axes,) = panels(1, 3, width=4.2, height=3.8)
    labels = {
        "n_labels": "samples used",
        "seconds": "time of fit and finish (s)",
        "n_support": "support vectors",
    }
    svc = {f: mean(records, f, model="sklearnex") for f in ("error", "n_support")}
    for axis, (field, label) in zip(axes, labels.items()):
        for name in SELECTIONS:
            points = curve(records, selection=name)
            _plot(axis, points, field, color=COLOURS[name], label=name)
        line = dict(color=INK, linestyle=":", linewidth=1.0, label="SVC, all samples")
        axis.axhline(100 * svc["error"], **line)
        axis.set(xlabel=label, ylabel="test error (%)", xscale="log", ylim=(14.9, 18))
        plain_log(axis.xaxis, subs=(1, 2, 5) if field != "seconds" else (1,))
    axes[2].plot([svc["n_support"]], [100 * svc["error"]], "x", color=INK)
    axes[0].legend(frameon=False, fontsize=9)
    save(figure, folder / "selection_adult.png")


def draw_noise(results, folder):
    """Error against samples used and vectors, for each share of wrong labels (3.10 to 3.12)."""
    records = stored_records("selection_noise", results)
    epoch = stored_records("selection_noise_epoch", results)
    if not records:
        return
    shares = sorted(records.distinct("noise"))
    figure, axes = panels(2, len(shares), width=4.2, height=3.3)
    for (above, below), noise in zip(axes.T, shares):
        for title, (selection, C) in NOISY.items():
            points = curve(records, selection=selection, C=C, noise=noise)
            style = dict(color=COLOURS[selection], linestyle="-" if C is None else "--")
            _plot(above, points, "n_labels", label=title, **style)
            _plot(below, points, "n_support", **style)
        for selection in ("random", "active"):
            points = epoch_points(epoch, selection, noise)
            label = "random, one order" if selection == "random" else None
            style = dict(color=COLOURS[selection], linestyle=":", marker="s", label=label)
            _plot(above, points, "n_labels", **style)
            _plot(below, points, "n_support", **style)
        for svc in epoch.ok().where(model="sklearnex", noise=noise).records:
            line = dict(color=INK, linestyle=":", linewidth=1.0, label="SVC, all samples")
            for axis in (above, below):
                axis.axhline(100 * svc["error"], **line)
            below.plot([svc["n_support"]], [100 * svc["error"]], "x", color=INK)
        above.set(title=f"{noise:.0%} of the labels wrong", xlabel="samples used")
        below.set(xlabel="support vectors")
        for axis in (above, below):
            axis.set(ylabel="test error (%)", xscale="log", yscale="log", ylim=(0.35, 50))
            plain_log(axis.xaxis, subs=(1, 2, 5))
            plain_log(axis.yaxis, subs=(1, 2, 5))
    axes[0, 0].legend(frameon=False, fontsize=9)
    save(figure, folder / "selection_noise.png")


WAY_STYLES = {
    ("active", 50): dict(color="#0072b2"),
    ("active", "all"): dict(color="#0072b2", linestyle="--"),
    ("random", None): dict(color="#8b949e"),
    ("retrain", 50): dict(color="#d55e00"),
    ("warm", 50): dict(color="#009e73"),
    ("warm", "all"): dict(color="#009e73", linestyle="--"),
}


def draw_pools(results, folder):
    """g-means against labels (Figures 3.13 and 4.3)."""
    records = pool_records(results)
    sets = records.distinct("workload")
    if not sets:
        return
    figure, (axes,) = panels(1, len(sets), width=5.2, height=4.0)
    for axis, workload in zip(axes, sets):
        for way, title in WAYS.items():
            points = pool_curve(records.where(workload=workload), way)
            if points:
                style = WAY_STYLES[way] | dict(label=title.replace("``", ""))
                _plot(axis, points, "n_labels", "gmean", **style)
        axis.set(title=WORKLOADS[workload].title, xlabel="labels", ylabel="g-means (%)")
    axes[0].legend(frameon=False, fontsize=9, loc="lower right")
    save(figure, folder / "selection_pools.png")


def draw_pairs(results, folder):
    """Errors on pairs of records: each training name left out (3.14), three test names (3.15)."""
    records = stored_records("pairs_curves", results).ok()
    if not records:
        return
    figure, axes = panels(2, 3, width=4.2, height=3.3)
    for axis, name in zip(axes.flat, (*TRAINING, *SHOWN)):
        for model in ("random", "active"):
            points = pair_points(records, model, [name])
            _plot(axis, points, "n_labels", color=COLOURS[model], label=model)
        (svc,) = pair_points(records, "svc", [name])
        line = dict(color=INK, linestyle=":", linewidth=1.0, label="SVC, all pairs")
        axis.axhline(100 * svc["error"], **line)
        figure_number = "3.14" if name in TRAINING else "3.15"
        axis.set(title=f"{figure_number}: {name}", xscale="log", xlabel="labels")
        axis.set(ylabel="error on pairs (%)")
        plain_log(axis.xaxis, subs=(1, 2, 5))
    axes[0, 0].legend(frameon=False, fontsize=9)
    save(figure, folder / "selection_pairs.png")
