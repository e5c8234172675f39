"""Figures of `label_efficient`: those of Lu, Zhao and Hoi (2016)."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from ..linear import models as linear_models
from ..linear import streams
from .tables import cost_records, paa_records, sums

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
# File, sets and score of Figures 1 to 5.
CURVES = (
    ("paa_figure_1", streams.BINARY, "F"),
    ("paa_figure_2", streams.TEXT, "F"),
    ("paa_figure_3", streams.WEB, "F"),
    ("mpaa_figure_4", streams.MULTICLASS, "accuracy"),
    ("mpaa_figure_5", streams.TEXT_MULTICLASS, "accuracy"),
)


def _style(algorithm, **changed):
    name = algorithm.removeprefix("M") if algorithm in linear_models.MULTICLASS else algorithm
    colour, marker = STYLES[name]
    line = "--" if algorithm in linear_models.RANDOM else "-"
    line = ":" if algorithm in linear_models.FULL else line
    style = dict(color=colour, marker=marker, markersize=3.5, linewidth=1.3, linestyle=line)
    return style | {"label": algorithm} | changed


def _finish(figure, axes, path, least=None):
    """Save with one legend at the foot of what any of the axes shows."""
    handles = {}
    for axis in axes:
        handles |= dict(zip(*reversed(axis.get_legend_handles_labels())))
        if least and axis.get_lines():
            axis.set_xscale("log")
            plain_log(axis.xaxis)
            _cut(axis, least)
    width, height = figure.get_size_inches()
    n_columns = max(1, int(width / 1.3))
    n_lines = -(-len(handles) // n_columns)
    figure.tight_layout(rect=(0, (0.2 + 0.25 * n_lines) / height, 1, 1))
    figure.legend(
        handles.values(), handles.keys(), loc="lower center", ncols=n_columns, frameon=False
    )
    save(figure, path, tight=False)


def _cut(axis, least):
    """Leave out points with hardly any label queried, which would compress the rest."""
    shown = [
        y
        for line in axis.get_lines()
        for x, y in zip(line.get_xdata(), line.get_ydata())
        # The lines from side to side have 0 and 1 for x.
        if x >= least
    ]
    margin = 0.05 * (max(shown) - min(shown) + 1e-3)
    axis.set_xlim(left=least)
    axis.set_ylim(min(shown) - margin, max(shown) + margin)


def draw_curves(results, folder):
    """Figures 1 to 5: a panel for each set, the score against the share of labels."""
    for name, family, label in CURVES:
        found = {stream.title: paa_records(stream.name, results) for stream in family}
        found = {title: records for title, records in found.items() if records}
        if not found:
            continue
        n_columns = min(4, len(found))
        figure, axes = panels(-(-len(found) // n_columns), n_columns)
        for axis in axes.flat[len(found) :]:
            axis.set_axis_off()
        for axis, (title, records) in zip(axes.flat, found.items()):
            for algorithm in filter(records.get, linear_models.PAPER):
                points = sorted((p["share"], p["score"]) for p in records[algorithm]["curve"])
                axis.plot(*np.array(points).T, **_style(algorithm))
            axis.set_title(title, fontsize=10)
            axis.set(xlabel="share of labels", ylabel=label)
        _finish(figure, axes.flat, folder / f"{name}.png", least=5e-3)


def draw_figure_6(results, folder):
    """Sum against the share of labels; lines for those that query every one."""
    found = {
        f"{stream.title}, 1 : {ratio}": cost_records(stream.name, ratio, results)
        for ratio in (9, 99)
        for stream in streams.COST
    }
    found = {title: records for title, records in found.items() if records}
    if not found:
        return
    figure, axes = panels(2, 3)
    for axis, (title, records) in zip(axes.flat, found.items()):
        for algorithm in filter(records.get, linear_models.COST):
            record = records[algorithm]
            if algorithm in linear_models.FULL:
                level = np.mean(sums(record["fixed"][0]))
                axis.axhline(level, **_style(algorithm, marker=""))
                continue
            points = sorted((np.mean(p["share"]), np.mean(sums(p))) for p in record["curve"])
            axis.plot(*np.array(points).T, **_style(algorithm))
        axis.set_title(title, fontsize=10)
        axis.set(xlabel="share of labels", ylabel="sum (%)")
    _finish(figure, axes.flat, folder / "cspaa_figure_6.png", least=1e-3)


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
