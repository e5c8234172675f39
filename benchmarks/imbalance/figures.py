"""Figures of imbalanced classes: those of chapters 4 and 5 of the thesis."""

import numpy as np

from ..bench.plots import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    YELLOW,
    legend_below,
    panels,
    plain_log,
    plot,
    save,
)
from ..bench.summary import Records, mean_curve, measured, stored_records
from .sets import ADULT, FOLDS, GENERAL, SETS, TEXT, WAVEFORM
from .steps import POOL_SETS
from .tables import TITLES

TITLES = TITLES | {
    "one_pass": "random order",
    "active_all": "active",
    "virtual_all": "VIRTUAL",
    "active_full": "active, all samples scored",
}
STYLES = {
    "one_pass": dict(color=GREY),
    "under_sampling": dict(color="#cc79a7"),
    "smote": dict(color=YELLOW),
    # Wide: where no weight is at its bound, costs change nothing and hide what lies below.
    "costs": dict(color="#56b4e9", linewidth=3.0, alpha=0.6, zorder=1.5),
    "active_all": dict(color=BLUE),
    "active_full": dict(color=BLUE, linestyle="--"),
    "virtual_all": dict(color=GREEN),
}
FIELDS = {
    "gmean": ("g-mean (%)", 100),
    "prbep": ("PRBEP (%)", 100),
    "vector_ratio": ("ratio of support vectors", 1),
    "n_vectors": ("support vectors", 1),
}


def _focus(axis):
    """Leave out what lies far below: the beginning, with hardly any positive sample."""
    values = np.concatenate([line.get_ydata() for line in axis.lines])
    low, high = np.quantile(values, 0.2), values.max()
    axis.set_ylim(max(0, low - (high - low)), high + 0.08 * (high - low) + 0.2)


ALL = ["one_pass", "under_sampling", "smote", "costs", "active_all", "virtual_all"]
VIRTUAL = ["one_pass", "active_all", "virtual_all"]
POOLS = ["one_pass", "active_all", "active_full"]
TOPICS = ["rare_grain", "rare_interest", "rare_money-fx", "rare_ship"]
# The step, its sets, methods and fields.
CURVES = {
    "along_pools": ("along_pools", POOL_SETS, POOLS, ["prbep", "gmean"]),  # Figure 4.3
    "along_folds": ("along_folds", FOLDS, ["active_all"], ["n_vectors", "gmean"]),  # 4.4
    "along_waveform": ("along_waveform", WAVEFORM, VIRTUAL, ["gmean"]),  # 4.5, 5.2
    "along_adult": ("along_adult", ADULT, ["one_pass", "active_all"], ["prbep"]),  # 4.6
    "along_vectors": (
        "along_reuters", TOPICS, [*VIRTUAL, "smote"], ["vector_ratio", "n_vectors"],
    ),  # 4.8
    "along_reuters": ("along_reuters", TEXT, ALL, ["gmean"]),  # 4.9, 5.5
    "along_sets": ("along_sets", GENERAL, ALL, ["gmean"]),  # 4.9, 5.6
    "along_saturation": (
        "along_waveform", ["rare_waveform_4"], VIRTUAL[1:], ["n_vectors", "gmean"],
    ),  # 5.4
}  # fmt: skip


def draw_curves(results, folder):
    """Figures with a panel for each set and field, and a curve for each method."""
    for name, (step, *drawn) in CURVES.items():
        records = stored_records(step, results).ok()
        if records:
            save(_curves(records, *drawn), folder / f"{name}.png", tight=False)


def _curves(records, sets, rivals, fields):
    cells = [(workload, field) for workload in sets for field in fields]
    figure, axes = panels(-(-len(cells) // 2), 2, width=3.6, height=2.6)
    for axis in axes.flat[len(cells) :]:
        axis.axis("off")
    for axis, (workload, field) in zip(axes.flat, cells):
        label, scale = FIELDS[field]
        here = records.where(workload=workload)
        for rival in rivals:
            style = STYLES[rival] | dict(label=TITLES[rival])
            plot(axis, mean_curve(here, rival=rival), "n_learnt", field, scale, **style)
        axis.set_title(SETS[workload].title)
        if len(fields) > 1 or axis in axes[:, 0]:
            axis.set_ylabel(label)
        plain_log(axis.xaxis)
        if scale == 100:
            _focus(axis)
        if field == "vector_ratio":
            (record, *_) = here.records
            whole = record["n_train"] / record["n_positive"] - 1
            axis.axhline(whole, color=INK, linestyle=":", linewidth=1, label="all samples")
            plain_log(axis.yaxis, subs=(1, 2, 5))
    for axis in axes[-1]:
        axis.set_xlabel("samples used")
    legend_below(figure, axes[0, 0], 3, 0.6)
    return figure


def _by_origin(point):
    """How many support vectors are positive, negative, real, virtual."""
    ratio, n_vectors = point["vector_ratio"], point["n_vectors"]
    positive = 0 if ratio is None else round(n_vectors / (1 + ratio))
    made = round(point["virtual_ratio"] * point["n_virtual"])
    real = positive - made
    found = dict(positive=positive, negative=n_vectors - positive, made=made, real=real)
    return {"n_learnt": point["n_learnt"], **found}


def draw_origin(results, folder):
    """Support vectors of VIRTUAL by class and origin (Figure 5.3)."""
    records = measured("along_waveform", results)
    figure, ((axis,),) = panels(1, 1, width=5.0, height=3.2)
    made = records.where(workload="rare_waveform_32", rival="virtual_all").records
    curves = [r | {"points": [*map(_by_origin, r["points"])]} for r in made]
    points = mean_curve(Records(curves))
    for field, label, style in (
        ("negative", "negative", dict(color=BLUE)),
        ("positive", "positive", dict(color=ORANGE)),
        ("real", "positive, training samples", dict(color=ORANGE, linestyle="--")),
        ("made", "positive, virtual samples", dict(color=ORANGE, linestyle=":")),
    ):
        plot(axis, points, "n_learnt", field, label=label, **style)
    axis.set(title="Waveform, 32 to 1", xlabel="samples used", ylabel="support vectors")
    legend_below(figure, axis, 2, 0.6)
    save(figure, folder / "along_origin.png", tight=False)


ROC_TITLES = ("active", "as many in random order", "all samples")
ROC_STYLES = (dict(color=BLUE), dict(color=GREY), dict(color=INK, linestyle=":"))


def draw_roc(results, folder):
    """ROC curves (Figure 4.7), means over the runs."""
    records = measured("rare_roc", results)
    figure, axes = panels(2, 2, width=3.6, height=3.0)
    for axis, workload in zip(axes.flat, records.distinct("workload")):
        runs = records.where(workload=workload).records
        for place, (title, style) in enumerate(zip(ROC_TITLES, ROC_STYLES)):
            curve = np.mean([run["curves"][place]["found"] for run in runs], axis=0)
            axis.plot(runs[0]["false_alarms"], curve, linewidth=1.5, label=title, **style)
        axis.set(title=SETS[workload].title, xlabel="false positive rate")
        axis.set_ylabel("true positive rate")
    axes[1, 1].axis("off")
    axes[1, 1].legend(*axes[0, 0].get_legend_handles_labels(), loc="center", frameon=False)
    save(figure, folder / "rare_roc.png")


def draw_within(results, folder):
    """Decision values of both classes (Figure 4.2)."""
    records = measured("rare_within", results)
    figure, axes = panels(2, 2, width=3.6, height=2.7)
    sets = ["rare_interest", "rare_satimage", "rare_adult_10", "rare_waveform_16"]
    for axis, workload in zip(axes.flat, sets):
        (record,) = records.where(workload=workload).records
        axis.axvspan(-1, 1, color="#f0f2f4")
        for name, colour in (("negative", BLUE), ("positive", ORANGE)):
            axis.stairs(record[f"{name}_counts"], record["edges"], color=colour, label=name)
        axis.set(title=SETS[workload].title, xlabel="f(x)", yscale="log", ylim=(0.7, None))
    for axis in axes[:, 0]:
        axis.set_ylabel("training samples")
    axes[0, 0].legend(frameon=False, fontsize=9)
    save(figure, folder / "rare_within.png")
