"""The experiments of Lu, Zhao and Hoi (2016): label-efficient online learning.

``paa_*``: binary sets (Tables 2 and 3, Figures 1 to 3) and sets of several classes (Figures 4
and 5); ``cspaa_*``: uneven classes (Tables 6 and 8, Figure 6); ``paa_url``: a stream of the size
of their malicious URLs (Figure 7). ``arow_*``: AROW on the same sets.

J. Lu, P. Zhao, S. C. H. Hoi, "Online Passive-Aggressive Active Learning", Machine Learning 103
(2016), 141-183.
"""

from functools import partial

import numpy as np

from ..bench import plots, rst
from ..bench.frames import frame, points, where
from ..bench.plots import BLUE, GREEN, GREY, ORANGE, PINK, SKY, YELLOW
from ..bench.results import printed
from ..bench.study import Study, grid, named, step
from ..sets import label_efficient as streams
from . import label_efficient_models as models
from .label_efficient_models import asked_labels, large_stream

# Shares of labels of Tables 2 and 3; of Tables 6 and 8, by the ratio of the classes.
RATES, TABLE_8_RATE = (0.1, 0.2), 0.0051
COST_RATES = {9: (0.1,), 99: (0.02, TABLE_8_RATE)}
PRINTED = printed("lu2016")
TABLE_2, TABLE_3 = ("svmguide1", "mushrooms", "a8a"), ("spambase", "splice", "w8a")
# By algorithm, set and rate.
F_MEASURE = {
    (row["algorithm"], name, rate): value
    for row in PRINTED
    if row["table"] == "2, 3"
    for name, values in row["F"].items()
    for rate, value in zip(RATES, values)
}
# Titles of columns; a soft hyphen is where a narrow one breaks.
SHORT = {
    "mushrooms": "mush\N{SOFT HYPHEN}rooms",
    "comp_rec": "comp, rec",
    "rec_sci": "rec, sci",
    "reuters_two": "Reuters",
    "newsgroups_rec": "news",
}


def runs(first, names, results):
    """Return a row for each way and rate of each algorithm on some sets, AROW among them."""
    steps = {f"{study}_{name}": name for study in (first, "arow") for name in names}
    found = points(frame(steps, results), "fixed", "step", "algorithm")
    return found.assign(set=found["step"].map(steps))


def run_at(found, rate, way="delta"):
    """Return the run at a rate. At random there is one way, and with all labels one rate."""
    by_key = {(run["way"], run["rate"]): run for run in found.to_dict("records")}
    return by_key.get((way, rate)) or by_key.get(("delta", rate)) or by_key["delta", 1.0]


def _spread(values, digits=3):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def paa_sets(results):
    """Samples of the sets of Tables 1 and 4, here and in the paper."""
    sets = streams.BINARY | streams.MULTICLASS | streams.TEXT | streams.TEXT_MULTICLASS
    samples = {row["set"]: row["samples"] for row in PRINTED if row["table"] == "1, 4"}
    n_rows = frame([f"paa_{name}" for name in sets], results).groupby("step")["n_rows"].first()
    rows = [
        [stream.title, rst.count(n_rows[f"paa_{name}"]), rst.count(samples[name])]
        for name, stream in sets.items()
        if f"paa_{name}" in n_rows
    ]
    return rst.list_table(["set", "samples", "paper"], rows)


def f_measures(names, rates, results, algorithms=models.BINARY, theirs=F_MEASURE):
    """F on some sets, and in parentheses what the paper has; by rate."""
    found = runs("paa", names, results)

    def table(rate):
        def cell(algorithm, name):
            here = where(found, set=name, algorithm=algorithm)
            text = _spread(run_at(here, rate)["score"]) if len(here) else "–"
            value = theirs.get((algorithm, name, rate))
            return text if value is None else f"{text} ({value:.3f})"

        columns = {name: SHORT.get(name, name) for name in names}
        title = f"F-measure with {rst.percent(rate, 0)} of the labels"
        return rst.cross_table("", {a: a for a in algorithms}, columns, cell, title)

    return rst.joined(map(table, rates))


def cost(sums, ratio):
    """Return the cost of a thousand samples of classes 1 : ratio.

    With c_p = T_n / T and c_n = T_p / T.
    """
    return 1000 * 2 * (1 - sums) * ratio / (1 + ratio) ** 2


# The title of a measure, and the function of the sums and the ratio of the classes.
MEASURES = {
    "sum": ("Sum (%)", lambda sums, ratio: 100 * sums),
    "cost": ("Cost of 1000 samples", cost),
}


def uneven(measure, ratio, rate, rows, results, table=None):
    """A column for each set of uneven classes and, with the name of a table, one for the paper.

    `rows`: names of the rows, with the algorithm, its rate and way.
    """
    sets = {f"{name}_{ratio}": SHORT.get(name, name) for name in streams.COST}
    found = runs("cspaa", sets, results)
    title, value = MEASURES[measure]
    theirs = {
        row["algorithm"]: row[measure]
        for row in PRINTED
        if row["table"] == table and row["ratio"] == ratio
    }

    def cell(row, name):
        algorithm, *key = rows[row]
        if name == "paper":
            return f"{theirs[row]:.2f}" if row in theirs else "–"
        here = where(found, set=name, algorithm=algorithm)
        if here.empty:
            return "–"
        run = run_at(here, *key)
        if algorithm in models.AROW and np.mean(run["share"]) > models.TOO_MANY * rate:
            return "–"
        return _spread(value(np.array(run["score"]), ratio), 2)

    titles = {row: row.replace("(", "\N{ZERO WIDTH SPACE}(") for row in rows}
    labels = rst.percent(rate, 1 if rate < 0.01 else 0)
    title = f"{title}, 1 : {ratio}, {labels} of the labels"
    columns = sets | ({"paper": "paper"} if table else {})
    return rst.cross_table("", titles, columns, cell, title)


def at_first_rates(algorithms, measure, results, **options):
    """Some algorithms at the same share of labels, a table for each ratio."""
    return rst.joined(
        uneven(measure, ratio, rate, {a: (a, rate) for a in algorithms}, results, **options)
        for ratio, (rate, *_) in COST_RATES.items()
    )


def cspaa_table_8(results):
    """All at the paper's share of labels; and CSPAA(a) when it starts with the paper's delta."""
    rows = {
        row["algorithm"]: (row["algorithm"], TABLE_8_RATE)
        for row in PRINTED
        if row["table"] == "8"
    }
    start = f"CSPAA(a), 2\\ :sup:`{np.log2(models.ADAPTIVE_DELTA):.0f}`"
    rows[start] = ("CSPAA(a)", models.ADAPTIVE_DELTA, "start")
    return rst.joined(
        uneven(measure, 99, TABLE_8_RATE, rows, results, table="8") for measure in MEASURES
    )


def arow(results):
    """F of AROW at the first rate, beside the best algorithms of the paper."""
    names, algorithms = (*streams.BINARY, "comp_rec"), ("PAA-I", "SEL-2nd", *models.AROW)
    return rst.joined(
        f_measures(some, RATES[:1], results, algorithms, theirs={})
        for some in (names[:5], names[5:])
    )


def paa_url(results):
    """Time on a stream of the size of the malicious URLs."""
    theirs = {row["algorithm"]: row["seconds"] for row in PRINTED if "seconds" in row}
    found = frame("paa_url", results)
    columns = {
        "": found["algorithm"],
        "seconds": found["seconds"].map("{:.2f}".format),
        "paper": [f"{theirs.get(name, '–')}" for name in found["algorithm"]],
        "sum (%)": (100 * found["score"]).map("{:.2f}".format),
    }
    return rst.table(columns)


# ---------------------------------------------------------------------------
# Figures
# ---------------------------------------------------------------------------

# Those that query at random are dashed, so that two algorithms that differ in nothing else have
# one colour.
STYLES = {
    "PEA": (GREY, "o"), "SEL-ada": (PINK, "v"), "SEL-2nd": (SKY, "D"), "RPE": (GREY, "o"),
    "RPA": (ORANGE, "s"), "RPA-I": (BLUE, "^"), "RPA-II": (GREEN, "P"), "PAA": (ORANGE, "s"),
    "PAA-I": (BLUE, "^"), "PAA-II": (GREEN, "P"), "PE": (GREY, "o"), "PA": (ORANGE, "s"),
    "CW-diag": (GREEN, "P"), "PAUM": (PINK, "v"), "CPA": (YELLOW, "X"), "LEPE": (GREY, "o"),
    "CSRND": (BLUE, "^"), "CSPAA": (BLUE, "^"), "CSPAA(a)": (SKY, "D"),
}  # fmt: skip


def _steps(family):
    return {f"paa_{name}": stream.title for name, stream in family.items()}


UNEVEN = {
    f"cspaa_{name}_{ratio}": f"{stream.title}, 1 : {ratio}"
    for ratio in COST_RATES
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
    line = "--" if algorithm in models.AT_RANDOM else ":" if algorithm in models.FULL else "-"
    style = dict(color=colour, marker=marker, markersize=3.5, linewidth=1.3, linestyle=line)
    return style | {"label": algorithm} | changed


def _finish(figure, axes, path):
    """Save with one legend at the foot of what any of the axes shows."""
    n_columns = max(1, int(figure.get_figwidth() / 1.3))
    n_lines = -(-len(plots.labels_of(axes)[1]) // n_columns)
    plots.legend_below(figure, axes, n_columns, 0.2 + 0.25 * n_lines)
    plots.save(figure, path)


def _draw_panel(axis, records, least):
    """Draw curves of the algorithms, and lines for those that query every label."""
    shown = []
    for algorithm in filter(records.get, models.PAPER):
        record = records[algorithm]
        if algorithm in models.FULL:
            shown.append(np.mean(record["fixed"][0]["score"]))
            axis.axhline(shown[-1], **_style(algorithm, marker=""))
        else:
            curve = sorted((p["share"], p["score"]) for p in record["curve"])
            axis.plot(*np.array(curve).T, **_style(algorithm))
            shown += [score for share, score in curve if share >= least]
    margin = 0.05 * (max(shown) - min(shown) + 1e-3)
    axis.set(xscale="log", ylim=(min(shown) - margin, max(shown) + margin))
    plots.plain_log(axis.xaxis)
    axis.set_xlim(left=least)


def draw_curves(name, results, folder):
    """Draw a panel for each set, the score against the share of labels (Figures 1 to 6)."""
    steps, label, n_columns, least = CURVES[name]
    found = frame(steps, results).set_index("algorithm").groupby("step", sort=False)
    figure, axes = plots.panels(-(-len(found) // n_columns), n_columns)
    for axis in axes.flat[len(found) :]:
        axis.set_axis_off()
    for axis, (name_of_step, records) in zip(axes.flat, found):
        _draw_panel(axis, records.to_dict("index"), least)
        axis.set_title(steps[name_of_step], fontsize=10)
        axis.set(xlabel="share of labels", ylabel=label)
    _finish(figure, axes.flat, folder / f"{name}.png")


def draw_figure_7(results, folder):
    """Draw the cumulative training time over the large stream."""
    found = frame("paa_url", results)
    figure, ((axis,),) = plots.panels(1, 1, width=6.4, height=4.4)
    for algorithm, curve in zip(found["algorithm"], found["curve_seconds"]):
        axis.plot(*np.array(curve).T, **_style(algorithm, marker=""))
    axis.set(xlabel="samples", ylabel="training time (s)")
    _finish(figure, [axis], folder / "paa_figure_7.png")


def asked(stream, algorithms, rates, ratio=None):
    """Return a step with all algorithms on a stream."""
    cases = grid(algorithm=algorithms)
    return step(asked_labels, cases, stream=stream, rates=rates, ratio=ratio)


# The algorithms on each stream of even classes.
ASKED = dict.fromkeys(streams.BINARY, models.BINARY)
ASKED |= dict.fromkeys(streams.MULTICLASS | streams.TEXT_MULTICLASS, models.MULTICLASS)
ASKED |= dict.fromkeys(streams.TEXT | streams.WEB, models.TEXT)
UNEVEN_CASES = [
    (name, ratio, rates) for name in streams.COST for ratio, rates in COST_RATES.items()
]
STUDY = Study(
    steps={
        **{f"paa_{name}": asked(name, algorithms, RATES) for name, algorithms in ASKED.items()},
        **{
            f"cspaa_{name}_{ratio}": asked(name, models.COST, rates, ratio)
            for name, ratio, rates in UNEVEN_CASES
        },
        **{
            f"arow_{name}": asked(name, models.AROW, RATES[:1])
            for name in (*streams.BINARY, "comp_rec")
        },
        **{
            f"arow_{name}_{ratio}": asked(name, models.AROW_COST, rates[:1], ratio)
            for name, ratio, rates in UNEVEN_CASES
        },
        "paa_url": step(large_stream, grid(algorithm=models.COST), ratio=99),
    },
    tables=named(paa_sets, cspaa_table_8, arow, paa_url)
    | {
        "paa_table_2": partial(f_measures, TABLE_2, RATES),
        "paa_table_3": partial(f_measures, TABLE_3, RATES),
        "cspaa_table_6": partial(at_first_rates, models.COST, "sum", table="6, 7"),
        "cspaa_table_7": partial(at_first_rates, models.COST, "cost", table="6, 7"),
        "arow_cost": partial(
            at_first_rates, ("PAUM", "CSPAA", "CSPAA(a)", *models.AROW_COST), "sum"
        ),
    },
    figures=[*(partial(draw_curves, name) for name in CURVES), draw_figure_7],
)
