"""Figures of `label_efficient`: those of Lu, Zhao and Hoi (2016)."""

import numpy as np

from ..bench.plots import panels, plain_log, save
from ..bench.summary import stored_records
from ..linear import models as linear_models
from ..linear import streams
from .tables import cost_records, paa_records, rates_of, url_title

# Okabe and Ito's colours, which the colour-blind can tell apart. Those that query at random are
# dashed, so that two algorithms that differ in nothing else have one colour.
BLUE, GREEN, ORANGE, RED, PINK, SKY, GREY, BLACK = (
    "#0072b2", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#56b4e9", "#8b949e", "#000000",
)  # fmt: skip
STYLES = {
    "PEA": (GREY, "o"),
    "SEL-ada": (PINK, "v"),
    "SEL-2nd": (SKY, "D"),
    "RPE": (GREY, "o"),
    "RPA": (RED, "s"),
    "RPA-I": (BLUE, "^"),
    "RPA-II": (GREEN, "P"),
    "PAA": (RED, "s"),
    "PAA-I": (BLUE, "^"),
    "PAA-II": (GREEN, "P"),
    "PE": (GREY, "o"),
    "PA": (RED, "s"),
    "CW-diag": (GREEN, "P"),
    "PAUM": (PINK, "v"),
    "CPA": (ORANGE, "X"),
    "LEPE": (GREY, "o"),
    "CSRND": (BLUE, "^"),
    "CSPAA": (BLUE, "^"),
    "CSPAA(a)": (SKY, "D"),
}


def _style(algorithm, **changed):
    name = algorithm.removeprefix("M") if algorithm in linear_models.MULTICLASS else algorithm
    colour, marker = STYLES[name]
    dashed = algorithm in linear_models.RANDOM
    style = dict(color=colour, marker=marker, markersize=3.5, linewidth=1.3, label=algorithm)
    return style | {"linestyle": "--" if dashed else "-"} | changed


def _legend_below(figure, axes):
    """One legend of what any of the axes shows, at the foot."""
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


def _draw_curves(names, path, label, results):
    """A panel for each set: the score against the share of labels."""
    by_set = {name: paa_records(name, results) for name in names}
    by_set = {name: records for name, records in by_set.items() if records}
    if not by_set:
        return
    n_columns = min(4, len(by_set))
    n_rows = -(-len(by_set) // n_columns)
    figure, axes = panels(n_rows, n_columns)
    for axis in axes.flat[len(by_set) :]:
        axis.set_axis_off()
    for axis, (name, records) in zip(axes.flat, by_set.items()):
        for algorithm in linear_models.PAPER:
            if algorithm not in records:
                continue
            points = sorted((p["share"], p["score"]) for p in records[algorithm]["curve"])
            axis.plot(*np.array(points).T, **_style(algorithm))
        axis.set_xscale("log")
        plain_log(axis.xaxis)
        _cut(axis, 5e-3)
        axis.set_title(streams.STREAMS[name].title, fontsize=10)
        axis.set(xlabel="share of labels", ylabel=label)
    _legend_below(figure, axes.flat)
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


def _names(family):
    return [stream.name for stream in family]


def draw_figure_1(results, folder):
    _draw_curves(_names(streams.BINARY), folder / "paa_figure_1.png", "F", results)


def draw_figure_2(results, folder):
    _draw_curves(_names(streams.TEXT), folder / "paa_figure_2.png", "F", results)


def draw_figure_3(results, folder):
    _draw_curves(_names(streams.WEB), folder / "paa_figure_3.png", "F", results)


def draw_figure_4(results, folder):
    path = folder / "mpaa_figure_4.png"
    _draw_curves(_names(streams.MULTICLASS), path, "accuracy", results)


def draw_figure_5(results, folder):
    path = folder / "mpaa_figure_5.png"
    _draw_curves(_names(streams.TEXT_MULTICLASS), path, "accuracy", results)


def draw_figure_6(results, folder):
    """Sum and cost against the share of labels; lines for those that query every one."""
    found = {}
    for stream in streams.COST:
        for ratio in (9, 99):
            records = cost_records(stream.name, ratio, results)
            if records:
                found[f"{stream.title}, 1 : {ratio}"] = records
    if not found:
        return
    figure, axes = panels(2, len(found), width=3.6, height=3.2)
    for column, (title, records) in zip(axes.T, found.items()):
        for axis, (field, label) in zip(column, {"sum": "sum (%)", "cost": "cost"}.items()):
            for algorithm in linear_models.COST:
                if algorithm not in records:
                    continue
                record = records[algorithm]
                if algorithm in linear_models.FULL:
                    level = np.mean(rates_of(record["fixed"][0])[field])
                    style = _style(algorithm, marker="", linestyle=":")
                    axis.axhline(level, **style)
                    continue
                points = [rates_of(point) for point in record["curve"]]
                points = sorted((np.mean(p["share"]) / 100, np.mean(p[field])) for p in points)
                axis.plot(*np.array(points).T, **_style(algorithm))
            axis.set_xscale("log")
            plain_log(axis.xaxis)
            _cut(axis, 1e-3)
            axis.set(xlabel="share of labels", ylabel=label)
        column[0].set_title(title, fontsize=9)
    _legend_below(figure, axes.flat)
    save(figure, folder / "cspaa_figure_6.png", tight=False)


def draw_figure_7(results, folder):
    """Cumulative training time over the large stream."""
    records = stored_records("paa_url", results).ok().records
    if not records:
        return
    figure, ((axis,),) = panels(1, 1, width=6.4, height=4.4)
    for record in records:
        seen, time = np.array(record["curve_seconds"]).T
        name = record["algorithm"]
        if name in linear_models.SPEED:
            colour = {"sgd": BLACK, "arow": ORANGE}[name]
            style = dict(color=colour, linestyle="-.", linewidth=1.3)
        else:
            style = _style(name, marker="") | ({"linestyle": "-."} if record["plain"] else {})
        label = url_title(record).replace("``", "")
        axis.plot(seen, time, **style | {"label": label})
    axis.set(xlabel="samples", ylabel="training time (s)")
    axis.legend(frameon=False, fontsize=7, ncols=2)
    figure.tight_layout()
    save(figure, folder / "paa_figure_7.png", tight=False)
