"""Figures of `robust`: those of chapter 6 of the thesis, the trade-off, and label noise."""

import textwrap

import numpy as np
from matplotlib.ticker import MaxNLocator

from ..bench.plots import legend_below, panels, plain_log, save
from ..bench.summary import Records, flat, mean, measured
from ..sets.workloads import CHAPTER_6
from ..svc.models import ROBUST_COLUMNS
from .steps import NOISE_COLUMNS, TRADE_OFF
from .tables import chapter_6_runs, noise_points, robust_records, titled

# Okabe and Ito's colours, which the colour-blind can tell apart; the convex ones are blue or grey.
STYLES = {
    "lasvm-full": ("#8b949e", "s"),
    "lasvm-g": ("#0072b2", "o"),
    "lasvm-nc": ("#009e73", "^"),
    "lasvm-i": ("#e69f00", "v"),
    "lasvm": ("#56b4e9", "D"),
    "svc": ("#000000", "X"),
    "ramp": ("#cc79a7", "P"),
    "ramp_0": ("#d55e00", "p"),
}
CURVES = ["lasvm-full", "lasvm", "lasvm-g", "lasvm-i", "lasvm-nc"]


def _one_per_set(sets):
    """Axes for the sets, four in a row, and one more for the legend."""
    n_columns = min(4, len(sets) + 1)
    figure, axes = panels(-(-(len(sets) + 1) // n_columns), n_columns)
    axes = list(axes.flat)
    for axis, name in zip(axes, sets):
        axis.set_title(titled(name), fontsize=10)
    for axis in axes[len(sets) :]:
        axis.set_axis_off()
    return figure, axes[: len(sets)], axes[len(sets)]


def _legend(axis, axes):
    """One legend, in its own axes, of what any of the axes shows."""
    handles = {}
    for shown in axes:
        handles |= dict(zip(*reversed(shown.get_legend_handles_labels())))
    axis.legend(handles.values(), handles.keys(), loc="center", frameon=False, fontsize=10)


def _mean(records, field):
    return float(np.mean([record[field] for record in records]))


def _style(key, **changed):
    colour, marker = STYLES[key]
    return dict(color=colour, marker=marker, label=ROBUST_COLUMNS[key].title) | changed


def curve(runs, field):
    """Samples seen and the mean of a field over the runs that were scored on the way.

    The last point of LASVM, after finishing, is at the same number of samples.
    """
    curves = [run["curve"] for run in runs if run["curve"]]
    seen = [point["n_seen"] for point in curves[0]]
    values = [[point[field] for point in points] for points in curves]
    return np.array(seen), np.mean(values, axis=0)


def _sets(results):
    """The sets that have results, with the runs of each algorithm."""
    found = {name: chapter_6_runs(name, results) for name in CHAPTER_6}
    return {name: runs for name, runs in found.items() if runs}


def draw_figure_6_1(results, folder):
    """The duality gap of LASVM-G, divided by the samples seen."""
    runs = _sets(results).get("adult_dense", {})
    if "lasvm-g" not in runs:
        return
    figure, ((axis,),) = panels(1, 1, width=6.0, height=3.8)
    seen, gap = curve(runs["lasvm-g"], "duality_gap")
    axis.plot(seen, gap / seen, **_style("lasvm-g", markersize=4))
    axis.set(xlabel="samples seen", ylabel="duality gap / samples", ylim=(0, None))
    axis.set_title(f"LASVM-G, {titled('adult_dense')}", fontsize=10)
    save(figure, folder / "figure_6_1.png")


def draw_figure_6_2(results, folder):
    """LASVM against LASVM-G on Adult; at the end LASVM finishes."""
    runs = _sets(results).get("adult_dense", {})
    if not {"lasvm", "lasvm-g"} <= runs.keys():
        return
    figure, (axes,) = panels(1, 2, width=5.2, height=3.9)
    plots = {"error": ("test error (%)", 100), "n_support": ("support vectors", 1)}
    for axis, (field, (label, scale)) in zip(axes, plots.items()):
        for key in ("lasvm", "lasvm-g"):
            seen, values = curve(runs[key], field)
            axis.plot(seen, scale * values, **_style(key, markersize=4))
        seen, values = curve(runs["lasvm"], field)
        axis.annotate(
            "finishing",
            (seen[-1], scale * values[-2:].mean()),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=STYLES["lasvm"][0],
        )
        axis.set(xlabel="samples seen", ylabel=label, xlim=(0, 1.16 * seen[-1]))
    axes[1].legend(frameon=False)
    figure.suptitle(titled("adult_dense"), fontsize=10)
    save(figure, folder / "figure_6_2.png")


# The learning curves: the field, its label, and the factor from its unit to that of the label.
LEARNING_CURVES = {
    "figure_6_4": ("prbep", "PRBEP (%)", 100),
    "figure_6_6": ("n_kernel_evaluations", "kernel values (millions)", 1e-6),
    "figure_6_7": ("n_support", "support vectors", 1),
}


def draw_learning_curves(results, folder):
    sets = _sets(results)
    for figure_name, (field, label, scale) in LEARNING_CURVES.items() if sets else ():
        figure, axes, last = _one_per_set(sets)
        for axis, (name, runs) in zip(axes, sets.items()):
            svc = robust_records(name, results).where(column="svc", seed=0).median(field)
            if svc is not None:
                axis.axhline(scale * svc, color=STYLES["svc"][0], linestyle="--", label="SVC")
            drawn = []
            for key in (key for key in CURVES if key in runs):
                seen, values = curve(runs[key], field)
                drawn.append(scale * values)
                axis.plot(seen, drawn[-1], **_style(key, markersize=3.5, linewidth=1.4))
            bottom = 0
            if field == "prbep":
                # A run that begins with a low score must not compress the others.
                low = np.median([values[1:].min() for values in drawn])
                bottom = low - 0.3 * (max(map(np.max, drawn)) - low)
            axis.set_ylim(bottom=bottom)
            axis.xaxis.set_major_locator(MaxNLocator(5))
            axis.set(xlabel="samples seen", ylabel=label)
        _legend(last, axes)
        save(figure, folder / f"{figure_name}.png")


def draw_figure_6_8(results, folder):
    """Training times."""
    sets = _sets(results)
    if not sets:
        return
    figure, ((axis,),) = panels(1, 1, width=11.0, height=4.2)
    keys = [*CURVES, "svc"]
    for offset, key in enumerate(keys):
        times = []
        for name, runs in sets.items():
            if key == "svc":
                times.append(robust_records(name, results).where(column=key).median("fit_seconds"))
            else:
                finals = [run["final"] for run in runs.get(key, ())]
                seconds = [final["seconds"] for final in finals]
                times.append(np.median(seconds) if finals else None)
        places = np.arange(len(sets)) + 0.13 * (offset - (len(keys) - 1) / 2)
        heights = [np.nan if time is None else time for time in times]
        style = dict(color=STYLES[key][0], label=ROBUST_COLUMNS[key].title)
        axis.bar(places, heights, 0.13, **style)
    plain_log(axis.yaxis, subs=(1, 2, 5))
    axis.grid(False, axis="x")
    axis.set_xticks(range(len(sets)), [textwrap.fill(titled(name), 17) for name in sets])
    axis.tick_params(axis="x", length=0, labelsize=9)
    axis.set(ylabel="training time (s)")
    axis.legend(frameon=False, ncols=6, loc="upper center", bbox_to_anchor=(0.5, 1.14))
    save(figure, folder / "figure_6_8.png")


def draw_figure_6_5(results, folder):
    records = measured("ramp_s", results)
    runs = _sets(results)
    figure, axes, last = _one_per_set(records.distinct("workload"))
    for axis, record in zip(axes, records.records):
        name = record["workload"]
        ends = {
            key: [run["final"] for run in runs.get(name, {}).get(key, ())]
            for key in ("lasvm-full", "lasvm-g")
        }
        ends["svc"] = robust_records(name, results).where(column="svc", seed=0).ok().records
        ends = {
            key: (_mean(found, "n_support"), 100 * _mean(found, "error"))
            for key, found in ends.items()
            if found
        }
        points = flat(Records([record]), "sweep")
        for key in ("lasvm-nc", "lasvm-i"):
            _draw_sweep(axis, key, points)
        for key, (n_support, error) in ends.items():
            size = 10 if key == "lasvm-full" else 7
            axis.plot([n_support], [error], linestyle="", **_style(key, markersize=size))
        axis.margins(0.1)
        # Points far above must not compress the rest.
        typical = np.median([100 * error for error in points.values("error")])
        top = 1.3 * max(typical, *(error for _, error in ends.values()), 0)
        axis.set_ylim(top=min(top, axis.get_ylim()[1]))
        axis.set(xlabel="support vectors", ylabel="test error (%)")
    _legend(last, axes)
    last.set_title("numbers next to the points: ramp_s", fontsize=9, y=0.02)
    save(figure, folder / "figure_6_5.png")


def _draw_sweep(axis, key, points):
    """The points of an algorithm; the first, the last and those at -1 and 0 have their value."""
    mine = points.where(algorithm=key)
    values = sorted(mine.distinct("ramp_s"))
    x = [mean(mine, "n_support", ramp_s=value) for value in values]
    y = [100 * mean(mine, "error", ramp_s=value) for value in values]
    axis.plot(x, y, **_style(key, markersize=4, linewidth=1.2))
    for i, value in enumerate(values):
        if value in (values[0], -1, 0, values[-1]):
            axis.annotate(
                f"{value:g}",
                (x[i], y[i]),
                xytext=(3, 4) if key == "lasvm-i" else (3, -9),
                textcoords="offset points",
                fontsize=7,
                color=STYLES[key][0],
                annotation_clip=True,
            )


def draw_trade_off(results, folder):
    """Test error against support vectors and against fit time."""
    sets = {name: robust_records(name, results) for name in TRADE_OFF}
    if not all(sets.values()):
        return
    figure, axes = panels(len(sets), 2, width=5.4, height=4.0)
    plots = {"n_support": "support vectors", "fit_seconds": "fit time (s)"}
    for row, (name, records) in zip(axes, sets.items()):
        for axis, (field, label) in zip(row, plots.items()):
            for key in ROBUST_COLUMNS:
                mine = records.where(column=key)
                x, y = mine.median(field), mine.median("error")
                if x is None:
                    continue
                # SVC and FULL SVM often lie upon each other: the larger one below.
                order = dict(zorder=2, markersize=12) if key == "lasvm-full" else {"zorder": 3}
                axis.plot([x], [100 * y], linestyle="", **_style(key, **{"markersize": 9} | order))
            axis.set(xlabel=label, ylabel="test error (%)", title=titled(name))
            axis.margins(0.12)
            if field == "fit_seconds":
                plain_log(axis.xaxis, subs=(1, 2, 5))
            else:
                axis.set_xlim(left=0)
    legend_below(figure, axes[0, 0], 4, 0.64)
    save(figure, folder / "trade_off.png", tight=False)


def draw_label_noise(results, folder):
    """Test error against the share of wrong training labels."""
    points = noise_points(results).records
    points = Records(point for point in points if point["workload"] != "adult_dense")
    plots = sorted({(point["workload"], point["one_sided"]) for point in points.records})
    if not plots:
        return
    n_rows = len({name for name, _ in plots})
    figure, axes = panels(n_rows, len(plots) // n_rows, width=4.6, height=3.4)
    for axis, (name, one_sided) in zip(axes.flat, plots):
        here = points.where(workload=name, one_sided=one_sided)
        shares = sorted(here.distinct("share"))
        for key in NOISE_COLUMNS:
            errors = [here.where(column=key, share=share).median("error") for share in shares]
            line = "--" if key == "svc" else "-"
            style = _style(key, markersize=5, linewidth=1.4, linestyle=line)
            axis.plot(np.multiply(100, shares), np.multiply(100, errors), **style)
        part = "of the positive samples" if one_sided else "of all samples"
        axis.set(xlabel=f"flipped labels {part} (%)", ylabel="test error (%)", ylim=(0, None))
        axis.set_title(titled(name), fontsize=10)
    legend_below(figure, axes[0, 0], len(NOISE_COLUMNS), 0.06 * figure.get_figheight())
    save(figure, folder / "label_noise.png", tight=False)
