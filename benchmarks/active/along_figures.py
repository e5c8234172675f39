"""Figures of rare classes against the number of samples used (chapters 4 and 5 of the thesis)."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..bench.summary import Records, stored_records
from .along_tables import POOL_RIVALS, TITLES, workloads_of
from .rare_sets import ADULT, FOLDS, SETS, WAVEFORM
from .selection_tables import curve

# Okabe and Ito's colours, which the colour-blind can tell apart.
STYLES = {
    "one_pass": dict(color="#8b949e"),
    "under_sampling": dict(color="#cc79a7"),
    "smote": dict(color="#e69f00"),
    # Wide: where no weight is at its bound, costs change nothing and hide what lies below.
    "costs": dict(color="#56b4e9", linewidth=3.0, alpha=0.6, zorder=1.5),
    "active_all": dict(color="#0072b2"),
    "active_full": dict(color="#0072b2", linestyle="--"),
    "virtual_all": dict(color="#009e73"),
}
INK, BLUE, ORANGE, GREY, GREEN = "#24292f", "#0072b2", "#d55e00", "#8b949e", "#009e73"


def _plot(axis, points, y, scale=1.0, **style):
    style = dict(marker="o", markersize=2.5, linewidth=1.4) | style
    known = [p for p in points if y in p]
    axis.plot([p["n_learnt"] for p in known], [scale * p[y] for p in known], **style)


def _legend_below(figure, axis, n_columns, share):
    """One legend for all panels, in this share of the height."""
    figure.tight_layout(rect=(0, share, 1, 1))
    handles, names = axis.get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=n_columns, frameon=False)


def _rivals(axis, records, workload, rivals, field, scale=1.0):
    for rival in rivals:
        points = curve(records, workload=workload, rival=rival)
        if points:
            _plot(axis, points, field, scale, label=TITLES[rival], **STYLES[rival])
    axis.set(xscale="log", xlabel="samples used")
    plain_log(axis.xaxis)


ALL = ["one_pass", "under_sampling", "smote", "costs", "active_all", "virtual_all"]


def _draw_gmeans(step, results, folder, n_columns, share):
    records = stored_records(step, results).ok()
    sets = workloads_of(records)
    if not sets:
        return
    n_rows = -(-len(sets) // n_columns)
    figure, axes = panels(n_rows, n_columns, width=3.4, height=2.7)
    for axis in axes.flat[len(sets) :]:
        axis.axis("off")
    for axis, workload in zip(axes.flat, sets):
        _rivals(axis, records, workload, ALL, "gmean", 100)
        # What lies far below is the beginning, when positive samples have hardly been seen.
        values = np.concatenate([line.get_ydata() for line in axis.lines])
        low, high = np.quantile(values, 0.2), values.max()
        axis.set_ylim(max(0, low - (high - low)), high + 0.08 * (high - low) + 0.2)
        axis.set(title=SETS[workload].title)
    for axis in axes[:, 0]:
        axis.set_ylabel("g-mean (%)")
    _legend_below(figure, axes.flat[0], len(ALL), share)
    save(figure, folder / f"{step}.png", tight=False)


def draw_reuters(results, folder):
    """g-means of all methods (Figures 4.9 and 5.5)."""
    _draw_gmeans("along_reuters", results, folder, 5, 0.06)


def draw_sets(results, folder):
    """The same on sets that are no text (Figures 4.9 and 5.6)."""
    _draw_gmeans("along_sets", results, folder, 3, 0.07)


VECTOR_SETS = ["rare_grain", "rare_interest", "rare_money-fx", "rare_ship"]
VECTOR_RIVALS = ["one_pass", "smote", "active_all", "virtual_all"]


def draw_vectors(results, folder):
    """Ratio of the support vectors (Figure 4.8), their number, and time."""
    records = stored_records("along_reuters", results).ok()
    if not records:
        return
    figure, axes = panels(3, len(VECTOR_SETS), width=3.6, height=2.7)
    for column, workload in zip(axes.T, VECTOR_SETS):
        for axis, field in zip(column, ("vector_ratio", "n_vectors", "seconds")):
            _rivals(axis, records, workload, VECTOR_RIVALS, field)
        (record, *_) = records.where(workload=workload).records
        whole = record["n_train"] / record["n_positive"] - 1
        column[0].axhline(whole, color=INK, linestyle=":", linewidth=1, label="all samples")
        column[0].set(title=SETS[workload].title, yscale="log")
        plain_log(column[0].yaxis, subs=(1, 2, 5))
        column[2].set(yscale="log")
        plain_log(column[2].yaxis)
    for axis, label in zip(
        axes[:, 0], ("negative to positive vectors", "support vectors", "time (s)")
    ):
        axis.set_ylabel(label)
    _legend_below(figure, axes[0, 0], 5, 0.04)
    save(figure, folder / "along_vectors.png", tight=False)


def draw_waveform(results, folder):
    """g-means while positive samples become rarer (Figures 4.5 and 5.2)."""
    records = stored_records("along_waveform", results).ok()
    if not records:
        return
    figure, axes = panels(1, len(WAVEFORM), width=3.2, height=2.9)
    for axis, workload in zip(axes[0], WAVEFORM):
        _rivals(axis, records, workload, ("one_pass", "active_all", "virtual_all"), "gmean", 100)
        axis.set(title=f"{WAVEFORM[workload]} to 1", ylim=(50, 92))
    axes[0, 0].set_ylabel("g-mean (%)")
    _legend_below(figure, axes[0, 0], 3, 0.08)
    save(figure, folder / "along_waveform.png", tight=False)


def _by_origin(point):
    """How many support vectors are positive, negative, real, virtual."""
    ratio, n_vectors = point["vector_ratio"], point["n_vectors"]
    positive = 0 if ratio is None else round(n_vectors / (1 + ratio))
    made = round(point["virtual_ratio"] * point["n_virtual"])
    real = positive - made
    found = dict(positive=positive, negative=n_vectors - positive, made=made, real=real)
    return {"n_learnt": point["n_learnt"], **found}


def draw_saturation(results, folder):
    """Support vectors of VIRTUAL by class and origin; vectors and g-means (5.3 and 5.4)."""
    records = stored_records("along_waveform", results).ok()
    if not records:
        return
    figure, ((left, right),) = panels(1, 2, width=4.8, height=3.6)
    made = records.where(workload="rare_waveform_32", rival="virtual_all")
    points = curve(Records(r | {"points": [*map(_by_origin, r["points"])]} for r in made.records))
    for field, label, style in (
        ("negative", "negative", dict(color=BLUE)),
        ("positive", "positive", dict(color=ORANGE)),
        ("real", "... of samples", dict(color=ORANGE, linestyle="--")),
        ("made", "... of virtual points", dict(color=ORANGE, linestyle=":")),
    ):
        _plot(left, points, field, label=label, **style)
    left.set(title="32 to 1, VIRTUAL", xlabel="samples used", ylabel="support vectors")
    left.set_ylim(0, 300)
    left.legend(frameon=False, fontsize=9, loc="upper right", ncols=2)
    beside = right.twinx()
    beside.spines[["top"]].set_visible(False)
    for rival in ("active_all", "virtual_all"):
        points = curve(records, workload="rare_waveform_4", rival=rival)
        colour = STYLES[rival]["color"]
        _plot(right, points, "n_vectors", color=colour, label=f"{TITLES[rival]}: vectors")
        _plot(beside, points, "gmean", 100, color=colour, linestyle="--")
        right.plot([], [], color=colour, linestyle="--", label=f"{TITLES[rival]}: g-mean")
    right.set(title="4 to 1", xlabel="samples used", ylabel="support vectors", ylim=(0, None))
    beside.set(ylabel="g-mean (%)", ylim=(60, 90))
    right.legend(frameon=False, fontsize=9, loc="lower right")
    save(figure, folder / "along_saturation.png")


def draw_adult(results, folder):
    """PRBEP while positive samples become rarer (Figure 4.6)."""
    records = stored_records("along_adult", results).ok()
    if not records:
        return
    figure, axes = panels(1, len(ADULT), width=3.6, height=2.9)
    for axis, workload in zip(axes[0], ADULT):
        _rivals(axis, records, workload, ("one_pass", "active_all"), "prbep", 100)
        axis.set(title=f"{ADULT[workload]} to 1")
    axes[0, 0].set_ylabel("PRBEP (%)")
    axes[0, 0].legend(frameon=False, fontsize=9, loc="lower right")
    save(figure, folder / "along_adult.png")


def draw_folds(results, folder):
    """Support vectors and g-means in cross-validation (Figure 4.4)."""
    records = stored_records("along_folds", results).ok()
    if not records:
        return
    figure, (axes,) = panels(1, 2, width=4.6, height=3.2)
    colours = (BLUE, ORANGE, GREEN)
    for fold, (workload, colour) in enumerate(zip(FOLDS, colours)):
        points = curve(records, workload=workload)
        style = dict(color=colour, label=f"fold {fold + 1}")
        _plot(axes[0], points, "n_vectors", **style)
        _plot(axes[1], points, "gmean", 100, **style)
    axes[0].set(xlabel="samples used", ylabel="support vectors", ylim=(0, None))
    axes[1].set(xlabel="samples used", ylabel="g-mean on the third held out (%)")
    axes[0].legend(frameon=False, fontsize=9, loc="lower right")
    save(figure, folder / "along_folds.png")


ROC_TITLES = ("active", "as many in random order", "all samples")
ROC_STYLES = (
    dict(color=BLUE),
    dict(color=GREY),
    dict(color=INK, linestyle=":"),
)


def draw_roc(results, folder):
    """ROC curves (Figure 4.7)."""
    records = stored_records("rare_roc", results).ok().records
    if not records:
        return
    figure, (axes,) = panels(1, len(records), width=3.6, height=3.2)
    for axis, record in zip(axes, records):
        for found, title, style in zip(record["curves"], ROC_TITLES, ROC_STYLES):
            label = f"{title}: {found['auc']:.4f}"
            axis.plot(record["false_alarms"], found["found"], linewidth=1.5, label=label, **style)
        axis.set(title=SETS[record["workload"]].title, xlabel="share of false alarms")
        axis.legend(frameon=False, fontsize=9, loc="lower right", title="AUC")
    axes[0].set_ylabel("share of positive samples found")
    save(figure, folder / "rare_roc.png")


WITHIN_SETS = ["rare_interest", "rare_satimage", "rare_adult_10", "rare_waveform_16"]


def draw_within(results, folder):
    """Decision values of both classes (Figure 4.2)."""
    records = stored_records("rare_within", results).ok()
    if not records:
        return
    figure, (axes,) = panels(1, len(WITHIN_SETS), width=3.6, height=2.9)
    for axis, workload in zip(axes, WITHIN_SETS):
        (record,) = records.where(workload=workload).records
        axis.axvspan(-1, 1, color="#f0f2f4")
        for name, colour in (("negative", BLUE), ("positive", ORANGE)):
            axis.stairs(record[f"{name}_counts"], record["edges"], color=colour, label=name)
        axis.set(title=SETS[workload].title, xlabel="f(x)", yscale="log", ylim=(0.7, None))
    axes[0].set_ylabel("training samples")
    axes[0].legend(frameon=False, fontsize=9)
    save(figure, folder / "rare_within.png")


def draw_pools(results, folder):
    """PRBEP and g-means of small pools and of full search (Figure 4.3)."""
    records = stored_records("along_pools", results).ok()
    sets = workloads_of(records)
    if not sets:
        return
    figure, axes = panels(2, len(sets), width=3.6, height=2.7)
    for (above, below), workload in zip(axes.T, sets):
        _rivals(above, records, workload, POOL_RIVALS, "prbep", 100)
        _rivals(below, records, workload, POOL_RIVALS, "gmean", 100)
        above.set(title=SETS[workload].title)
    axes[0, 0].set_ylabel("PRBEP (%)")
    axes[1, 0].set_ylabel("g-mean (%)")
    _legend_below(figure, axes[0, 0], 3, 0.05)
    save(figure, folder / "along_pools.png", tight=False)
