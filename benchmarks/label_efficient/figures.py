"""Figures of `label_efficient`: those of Lu, Zhao and Hoi (2016)."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from . import models, streams
from .tables import by_algorithm

# Okabe and Ito's colours, which the colour-blind can tell apart. Those that query at random are
# dashed, so that two algorithms that differ in nothing else have one colour.
BLUE, GREEN, ORANGE, RED, PINK, SKY, GREY = (
    "#0072b2", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#56b4e9", "#8b949e",
)  # fmt: skip
STYLES = {
    "PEA": (GREY, "o"), "SEL-ada": (PINK, "v"), "SEL-2nd": (SKY, "D"), "RPE": (GREY, "o"),
    "RPA": (RED, "s"), "RPA-I": (BLUE, "^"), "RPA-II": (GREEN, "P"), "PAA": (RED, "s"),
    "PAA-I": (BLUE, "^"), "PAA-II": (GREEN, "P"), "PE": (GREY, "o"), "PA": (RED, "s"),
    "CW-diag": (GREEN, "P"), "PAUM": (PINK, "v"), "CPA": (ORANGE, "X"), "LEPE": (GREY, "o"),
    "CSRND": (BLUE, "^"), "CSPAA": (BLUE, "^"), "CSPAA(a)": (SKY, "D"),
}  # fmt: skip


def _steps(family):
    return {f"paa_{name}": stream.title for name, stream in family.items()}


UNEVEN = {
    f"cspaa_{name}_{ratio}": f"{stream.title}, 1 : {ratio}"
    for ratio in (9, 99)
    for name, stream in streams.COST.items()
}
# Of Figures 1 to 6: steps with their titles, score, columns, and the least share of labels: with
# hardly any label queried, points would compress the rest.
CURVES = {
    "paa_figure_1": (_steps(streams.BINARY), "F", 4, 5e-3),
    "paa_figure_2": (_steps(streams.TEXT), "F", 3, 5e-3),
    "paa_figure_3": (_steps(streams.WEB), "F", 1, 5e-3),
    "mpaa_figure_4": (_steps(streams.MULTICLASS), "accuracy", 4, 5e-3),
    "mpaa_figure_5": (_steps(streams.TEXT_MULTICLASS), "accuracy", 2, 5e-3),
    "cspaa_figure_6": (UNEVEN, "sum", 3, 1e-3),
}


def _style(algorithm, **changed):
    name = algorithm.removeprefix("M") if algorithm in models.MULTICLASS else algorithm
    colour, marker = STYLES[name]
    line = "--" if algorithm in models.RANDOM else "-"
    line = ":" if algorithm in models.FULL else line
    style = dict(color=colour, marker=marker, markersize=3.5, linewidth=1.3, linestyle=line)
    return style | {"label": algorithm} | changed


def _finish(figure, axes, path):
    """Save with one legend at the foot of what any of the axes shows."""
    handles = {}
    for axis in axes:
        handles |= dict(zip(*reversed(axis.get_legend_handles_labels())))
    width, height = figure.get_size_inches()
    n_columns = max(1, int(width / 1.3))
    n_lines = -(-len(handles) // n_columns)
    figure.tight_layout(rect=(0, (0.2 + 0.25 * n_lines) / height, 1, 1))
    figure.legend(
        handles.values(), handles.keys(), loc="lower center", ncols=n_columns, frameon=False
    )
    save(figure, path, tight=False)


def _draw_panel(axis, records, least):
    """Curves of the algorithms, and lines for those that query every label."""
    shown = []
    for algorithm in filter(records.get, models.PAPER):
        record = records[algorithm]
        if algorithm in models.FULL:
            shown.append(np.mean(record["fixed"][0]["score"]))
            axis.axhline(shown[-1], **_style(algorithm, marker=""))
        else:
            points = sorted((p["share"], p["score"]) for p in record["curve"])
            axis.plot(*np.array(points).T, **_style(algorithm))
            shown += [score for share, score in points if share >= least]
    margin = 0.05 * (max(shown) - min(shown) + 1e-3)
    axis.set(xscale="log", ylim=(min(shown) - margin, max(shown) + margin))
    plain_log(axis.xaxis)
    axis.set_xlim(left=least)


def draw_curves(results, folder):
    """Figures 1 to 6: a panel for each set, the score against the share of labels."""
    for name, (steps, label, n_columns, least) in CURVES.items():
        found = {title: by_algorithm(step, results) for step, title in steps.items()}
        found = {title: records for title, records in found.items() if records}
        if not found:
            continue
        figure, axes = panels(-(-len(found) // n_columns), n_columns)
        for axis in axes.flat[len(found) :]:
            axis.set_axis_off()
        for axis, (title, records) in zip(axes.flat, found.items()):
            _draw_panel(axis, records, least)
            axis.set_title(title, fontsize=10)
            axis.set(xlabel="share of labels", ylabel=label)
        _finish(figure, axes.flat, folder / f"{name}.png")


def draw_figure_7(results, folder):
    """Cumulative training time over the large stream."""
    records = stored_records("paa_url", results).ok().records
    if not records:
        return
    figure, ((axis,),) = panels(1, 1, width=6.4, height=4.4)
    for record in records:
        axis.plot(*np.array(record["curve_seconds"]).T, **_style(record["algorithm"], marker=""))
    axis.set(xlabel="samples", ylabel="training time (s)")
    _finish(figure, [axis], folder / "paa_figure_7.png")
