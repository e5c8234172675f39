"""Imbalanced classes: chapters 4 and 5 of the thesis, and the methods of the guide.

Tables 4.3 to 5.3: ``rare_sets`` (data sets other than text), ``rare_reuters`` (the ten largest
categories), ``rare_printed`` (three of them with other parameters), ``along_mnist`` (MNIST-8).
Figures: ``rare_within`` (4.2), ``along_pools`` (4.3), ``along_folds`` (4.4), ``along_waveform``
(4.5, 5.2 to 5.4), ``along_adult`` (4.6), ``rare_roc`` (4.7), ``along_reuters`` (4.8, 4.9, 5.5) and
``along_sets`` (4.9, 5.6). ``imbalance_methods``: the table of the guide.
"""

from functools import partial

import numpy as np

from ..bench import plots
from ..bench.frames import frame, pointwise, where
from ..bench.study import Study, grid, seeded, step
from ..sets import imbalance as sets
from ..sets.imbalance import SETS
from .imbalance_models import ROC_SETS, compare_imbalance, learn_rare, roc_of, samples_within
from .imbalance_tables import TABLES

# As many runs as Figures 4.9 and 5.2 are averages of.
N_RUNS = 10
# Under-sampling needs the ratio of active's support vectors: after it.
RIVALS = ("active", "batch", "under_sampling", "smote", "costs", "virtual")
ALONG = ("one_pass", "active_all", "under_sampling", "smote", "costs", "virtual_all")
VIRTUAL = ("one_pass", "active_all", "virtual_all")
POOL_SETS = ("rare_grain", "rare_ship", "rare_money-fx", "rare_usps")
POOL_BUDGETS = [50, 100, 200, 400, 700]
POOLS = {
    "one_pass": [*POOL_BUDGETS, 1500, 3000, None],
    "active_all": [*POOL_BUDGETS, 1500, 3000],
    "active_full": POOL_BUDGETS,
}
TEXT_BUDGETS = [100, 200, 400, 700, 1000, 1500, 2000, 3000, None]
SET_BUDGETS = [20, 40, 60, 100, 150, 200, 300, 400, 700, 1000, 2000, 4000, 8000, None]
WAVEFORM_BUDGETS = [50, 100, 150, 200, 300, 400, 500, 700, 1000, 1400, 2000, None]
ADULT_BUDGETS = [100, 200, 400, 700, 1000, 1500, 2000, 3000, 4500, 7000, 12000, None]
FOLD_BUDGETS = [100, 200, 300, 500, 700, 1000, 1300, 1600, 2000, 2500, 3500, None]
# The thesis stops active selection after 11.7 % of the samples; SVC takes minutes: one run.
MNIST_BUDGETS = {"active_all": [7000]} | dict.fromkeys(
    ["under_sampling", "smote", "costs", "batch"], [None]
)


def along(names, budgets, n_runs=N_RUNS, once=(), **options):
    """Return a step with a record for each run, set and method.

    `budgets`: the numbers of samples after which each method is scored (None: all). `once`:
    methods of the first run only.
    """

    def cases(settings):
        asked = []
        for case in grid(seed=settings.runs(n_runs), workload=names):
            chosen = {m: n for m, n in budgets.items() if case["seed"] == 0 or m not in once}
            asked.append((case, case | {"budgets": chosen}))
        return asked

    return step(learn_rare, cases, split="rivals", **options)


def at_end(names, methods, **options):
    """Return a step as `along`, whose records have the scores after all samples."""
    return along(names, dict.fromkeys(methods, [None]), at_end=True, **options)


STYLES = {
    "one_pass": dict(label="random order", color=plots.GREY),
    "under_sampling": dict(label="under-sampling", color="#cc79a7"),
    "smote": dict(label="SMOTE", color=plots.YELLOW),
    # Wide: where no weight is at its bound, costs change nothing and hide what lies below.
    "costs": dict(label="costs", color="#56b4e9", linewidth=3.0, alpha=0.6, zorder=1.5),
    "active_all": dict(label="active", color=plots.BLUE),
    "active_full": dict(label="active, all samples scored", color=plots.BLUE, linestyle="--"),
    "virtual_all": dict(label="VIRTUAL", color=plots.GREEN),
}
FIELDS = {
    "gmean": ("g-mean (%)", 100),
    "prbep": ("PRBEP (%)", 100),
    "vector_ratio": ("ratio of support vectors", 1),
    "n_vectors": ("support vectors", 1),
}
ALL = ("one_pass", "under_sampling", "smote", "costs", "active_all", "virtual_all")
TOPICS = ("rare_grain", "rare_interest", "rare_money-fx", "rare_ship")
# The step, its sets, methods and fields.
CURVES = {
    "along_pools": ("along_pools", POOL_SETS, POOLS, ["prbep", "gmean"]),  # Figure 4.3
    "along_folds": ("along_folds", sets.FOLDS, ["active_all"], ["n_vectors", "gmean"]),  # 4.4
    "along_waveform": ("along_waveform", sets.WAVEFORM, VIRTUAL, ["gmean"]),  # 4.5, 5.2
    "along_adult": ("along_adult", sets.ADULT, VIRTUAL[:2], ["prbep"]),  # 4.6
    "along_vectors": (
        "along_reuters", TOPICS, [*VIRTUAL, "smote"], ["vector_ratio", "n_vectors"],
    ),  # 4.8
    "along_reuters": ("along_reuters", sets.TEXT, ALL, ["gmean"]),  # 4.9, 5.5
    "along_sets": ("along_sets", sets.GENERAL, ALL, ["gmean"]),  # 4.9, 5.6
    "along_saturation": (
        "along_waveform", ["rare_waveform_4"], VIRTUAL[1:], ["n_vectors", "gmean"],
    ),  # 5.4
}  # fmt: skip


def draw_curves(name, results, folder):
    """Draw a panel for each set and field, and a curve for each method."""
    from_step, names, rivals, fields = CURVES[name]
    found, cells = frame(from_step, results), [(w, field) for w in names for field in fields]
    figure, axes = plots.panels(-(-len(cells) // 2), 2, width=3.6, height=2.6)
    for axis in axes.flat[len(cells) :]:
        axis.axis("off")
    for axis, (workload, field) in zip(axes.flat, cells):
        label, scale = FIELDS[field]
        here = where(found, workload=workload)
        for rival in rivals:
            # A field that is missing in one of the runs has no mean.
            curve = pointwise(
                where(here, rival=rival), "points", lambda values: values.mean(skipna=False)
            )
            points = curve[["n_learnt", field]].dropna().to_dict("records")
            plots.plot(axis, points, "n_learnt", field, scale, **STYLES[rival])
        axis.set_title(SETS[workload].title)
        if len(fields) > 1 or axis in axes[:, 0]:
            axis.set_ylabel(label)
        plots.plain_log(axis.xaxis)
        if scale == 100:
            _focus(axis)
        if field == "vector_ratio":
            of_all = here["n_train"].iloc[0] / here["n_positive"].iloc[0] - 1
            axis.axhline(of_all, color=plots.INK, linestyle=":", linewidth=1, label="all samples")
            plots.plain_log(axis.yaxis, subs=(1, 2, 5))
    for axis in axes[-1]:
        axis.set_xlabel("samples used")
    plots.legend_below(figure, axes, 3, 0.6)
    plots.save(figure, folder / f"{name}.png")


def _focus(axis):
    """Leave out what lies far below: the beginning, with hardly any positive sample."""
    shown = np.concatenate([line.get_ydata() for line in axis.lines])
    low, high = np.quantile(shown, 0.2), shown.max()
    axis.set_ylim(max(0, low - (high - low)), high + 0.08 * (high - low) + 0.2)


def by_origin(point):
    """Return how many support vectors are positive, negative, real, virtual."""
    ratio, n_vectors = point["vector_ratio"], point["n_vectors"]
    positive = 0 if ratio is None else round(n_vectors / (1 + ratio))
    made = round(point["virtual_ratio"] * point["n_virtual"])
    parts = dict(positive=positive, negative=n_vectors - positive, made=made, real=positive - made)
    return {"n_learnt": point["n_learnt"], **parts}


def draw_origin(results, folder):
    """Draw the support vectors of VIRTUAL by class and origin (Figure 5.3)."""
    found = where(
        frame("along_waveform", results), workload="rare_waveform_32", rival="virtual_all"
    )
    parts = found["points"].map(lambda points: [by_origin(point) for point in points])
    curve = pointwise(found.assign(parts=parts), "parts").to_dict("records")
    figure, ((axis,),) = plots.panels(1, 1, width=5.0, height=3.2)
    for field, label, colour, line in (
        ("negative", "negative", plots.BLUE, "-"),
        ("positive", "positive", plots.ORANGE, "-"),
        ("real", "positive, training samples", plots.ORANGE, "--"),
        ("made", "positive, virtual samples", plots.ORANGE, ":"),
    ):
        plots.plot(axis, curve, "n_learnt", field, label=label, color=colour, linestyle=line)
    axis.set(title="Waveform, 32 to 1", xlabel="samples used", ylabel="support vectors")
    plots.legend_below(figure, axis, 2, 0.6)
    plots.save(figure, folder / "along_origin.png")


def draw_roc(results, folder):
    """Draw ROC curves (Figure 4.7), means over the runs."""
    styles = (
        dict(label="active", color=plots.BLUE),
        dict(label="as many in random order", color=plots.GREY),
        dict(label="all samples", color=plots.INK, linestyle=":"),
    )
    figure, axes = plots.panels(2, 2, width=3.6, height=3.0)
    groups = frame("rare_roc", results).groupby("workload", sort=False)
    for axis, (workload, found) in zip(axes.flat, groups):
        for place, style in enumerate(styles):
            curve = np.mean([run[place]["found"] for run in found["curves"]], axis=0)
            axis.plot(found["false_alarms"].iloc[0], curve, linewidth=1.5, **style)
        axis.set(title=SETS[workload].title, xlabel="false positive rate")
        axis.set_ylabel("true positive rate")
    axes[1, 1].axis("off")
    axes[1, 1].legend(*axes[0, 0].get_legend_handles_labels(), loc="center", frameon=False)
    plots.save(figure, folder / "rare_roc.png")


def draw_within(results, folder):
    """Draw the decision values of both classes (Figure 4.2)."""
    found = frame("rare_within", results).set_index("workload").to_dict("index")
    figure, axes = plots.panels(2, 2, width=3.6, height=2.7)
    names = ("rare_interest", "rare_satimage", "rare_adult_10", "rare_waveform_16")
    for axis, workload in zip(axes.flat, names):
        record = found[workload]
        axis.axvspan(-1, 1, color="#f0f2f4")
        for name, colour in (("negative", plots.BLUE), ("positive", plots.ORANGE)):
            axis.stairs(record[f"{name}_counts"], record["edges"], color=colour, label=name)
        axis.set(title=SETS[workload].title, xlabel="f(x)", yscale="log", ylim=(0.7, None))
    for axis in axes[:, 0]:
        axis.set_ylabel("training samples")
    axes[0, 0].legend(frameon=False, fontsize=9)
    plots.save(figure, folder / "rare_within.png")


STUDY = Study(
    steps={
        "imbalance_methods": step(compare_imbalance, seeded([{}], N_RUNS)),
        "rare_sets": at_end(sets.GENERAL, RIVALS),
        # The split is the same in all runs, so that batch is, too.
        "rare_reuters": at_end(sets.TEXT, RIVALS, once=["batch"]),
        "rare_printed": at_end(sets.PRINTED_TEXT, RIVALS, once=["batch"]),
        "rare_within": step(
            samples_within,
            [
                dict(workload=name, seed=0)
                for name in (*sets.TEXT, *sets.GENERAL, sets.MNIST, *sets.ADULT, *sets.WAVEFORM)
            ],
        ),
        "rare_roc": step(roc_of, seeded(grid(workload=ROC_SETS), N_RUNS)),
        "along_sets": along(sets.GENERAL, dict.fromkeys(ALONG, SET_BUDGETS)),
        "along_waveform": along(sets.WAVEFORM, dict.fromkeys(VIRTUAL, WAVEFORM_BUDGETS)),
        "along_folds": along(sets.FOLDS, {"active_all": FOLD_BUDGETS}, 1),
        "along_adult": along(sets.ADULT, dict.fromkeys(VIRTUAL[:2], ADULT_BUDGETS), 3),
        "along_pools": along(POOL_SETS, POOLS, 3),
        "along_reuters": along(sets.TEXT, dict.fromkeys(ALONG, TEXT_BUDGETS)),
        "along_mnist": along([sets.MNIST], MNIST_BUDGETS, 2, once=["batch"]),
    },
    tables=TABLES,
    figures=[*(partial(draw_curves, name) for name in CURVES), draw_origin, draw_roc, draw_within],
)
