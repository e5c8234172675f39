"""Tables of `label_efficient`: those of Lu, Zhao and Hoi (2016) compared with ours."""

from functools import partial

import numpy as np

from ..bench.rst import count, joined, percent, pivot
from ..bench.summary import stored_records
from . import models, paper, streams
from .tasks import TOO_MANY

# Titles of columns; a soft hyphen is where a narrow one breaks.
SHORT = {
    "mushrooms": "mush\N{SOFT HYPHEN}rooms",
    "comp_rec": "comp, rec",
    "rec_sci": "rec, sci",
    "reuters_two": "Reuters",
    "newsgroups_rec": "news",
}


def by_algorithm(step, results):
    """The records of a step by algorithm, those that went well; empty without results."""
    return {r["algorithm"]: r for r in stored_records(step, results).ok().records}


def _run(record, rate, way="delta"):
    """The runs at a rate. At random there is one way, and with all labels one rate."""
    found = {(run["way"], run["rate"]): run for run in record["fixed"]}
    return found.get((way, rate)) or found.get(("delta", rate)) or found["delta", 1.0]


def fixed(record, rate, way="delta"):
    """The scores at a rate."""
    return _run(record, rate, way)["score"]


def _spread(values, digits=3):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def paa_sets(results):
    """Tables 1 and 4: samples of the sets, here and in the paper."""
    sets = streams.BINARY | streams.MULTICLASS | streams.TEXT | streams.TEXT_MULTICLASS
    records = {name: stored_records(f"paa_{name}", results).ok() for name in sets}
    columns = [
        ("set", lambda name: sets[name].title),
        ("samples", lambda name: count(records[name].median("n_rows"))),
        ("paper", lambda name: count(paper.SAMPLES[name])),
    ]
    return pivot([name for name in sets if records[name]], columns, "")


# ---------------------------------------------------------------------------
# Tables 2 and 3, and text
# ---------------------------------------------------------------------------


def f_measures(names, rates, results):
    """F of each algorithm on some sets, and in parentheses what the paper has; by rate."""
    found = {name: by_algorithm(f"paa_{name}", results) for name in names}
    algorithms = [a for a in models.BINARY if all(a in found[name] for name in names)]

    def cell(name, rate, algorithm):
        text = _spread(fixed(found[name][algorithm], rate))
        printed = paper.F_MEASURE.get((algorithm, name, rate))
        return text if printed is None else f"{text} ({printed:.3f})"

    def table(rate):
        cells = [(SHORT.get(name, name), partial(cell, name, rate)) for name in names]
        title = f"F-measure with {percent(rate, 0)} of the labels"
        return pivot(algorithms, [("", str), *cells], title)

    return joined(map(table, rates))


def paa_summary(results):
    """How far ours lie from the values of Tables 2 and 3, by algorithm."""
    found = {name: by_algorithm(f"paa_{name}", results) for name in paper.TABLE_2 + paper.TABLE_3}

    def differences(algorithm, way="delta"):
        return [
            np.mean(fixed(found[name][algorithm], rate, way)) - value
            for (other, name, rate), value in paper.F_MEASURE.items()
            if other == algorithm and algorithm in found[name]
        ]

    def median(algorithm, way="delta"):
        return f"{np.median(np.abs(differences(algorithm, way))):.3f}"

    columns = [
        ("", str),
        ("median", median),
        ("largest", lambda algorithm: f"{max(differences(algorithm), key=abs):+.3f}"),
        ("``rate``", partial(median, way="rate")),
    ]
    return pivot(filter(differences, models.BINARY), columns, "Difference of F from the paper")


# ---------------------------------------------------------------------------
# Tables 6 to 8: uneven classes
# ---------------------------------------------------------------------------


def cost(sums, ratio):
    """Cost of a thousand samples of classes 1 : ratio, with c_p = T_n / T and c_n = T_p / T."""
    return 1000 * 2 * (1 - sums) * ratio / (1 + ratio) ** 2


# The title of a measure, and the function of the sums and the ratio of the classes.
SUM = "Sum (%)", lambda sums, ratio: 100 * sums
COST = "Cost of 1000 samples", cost


def _uneven(measure, ratio, rate, rows, printed, results, more=None):
    """A column for each set and, if it has values, one for the paper.

    `rows`: names of the rows, with the algorithm, its rate and way; `more`: steps with further
    algorithms, without which a set is left out.
    """
    found = {name: by_algorithm(f"cspaa_{name}_{ratio}", results) for name in streams.COST}
    title, value = measure
    if more:
        others = {name: by_algorithm(f"{more}_{name}_{ratio}", results) for name in found}
        found = {name: found[name] | others[name] for name in found if others[name]}

    def cell(name, row):
        algorithm, *key = rows[row]
        run = _run(found[name][algorithm], *key)
        if algorithm in models.AROW and np.mean(run["share"]) > TOO_MANY * rate:
            return "–"
        return _spread(value(np.array(run["score"]), ratio), 2)

    columns = [("", lambda row: row.replace("(", "\N{ZERO WIDTH SPACE}("))]
    columns += [(SHORT.get(name, name), partial(cell, name)) for name in found if found[name]]
    if printed:
        columns += [("paper", lambda row: f"{printed[row]:.2f}" if row in printed else "–")]
    labels = percent(rate, 1 if rate < 0.01 else 0)
    title = f"{title}, 1 : {ratio}, {labels} of the labels"
    return pivot(rows if any(found.values()) else (), columns, title)


def fixed_share(measure, printed, results):
    """Tables 6 and 7: all at the same share of labels."""

    def table(ratio, rate):
        rows = {algorithm: (algorithm, rate) for algorithm in models.COST}
        return _uneven(measure, ratio, rate, rows, printed[ratio], results)

    return joined(table(ratio, rate) for ratio, (rate, *_) in paper.COST_RATES.items())


def cspaa_table_8(results):
    """All at the paper's share of labels; and CSPAA(a) when it starts with the paper's delta."""
    rows = {algorithm: (algorithm, paper.TABLE_8_RATE) for algorithm in paper.TABLE_8}
    delta = paper.ADAPTIVE_DELTA
    rows[f"CSPAA(a), 2\\ :sup:`{np.log2(delta):.0f}`"] = ("CSPAA(a)", delta, "start")
    return joined(
        _uneven(measure, 99, paper.TABLE_8_RATE, rows, printed, results)
        for measure, printed in ((SUM, paper.TABLE_8), (COST, paper.TABLE_8_COST))
    )


# ---------------------------------------------------------------------------
# AROW
# ---------------------------------------------------------------------------


def arow(results):
    """F of AROW at the first rate, beside the best algorithms of the paper."""
    streams_of_arow = (*streams.BINARY, "comp_rec")
    measured = {name: by_algorithm(f"arow_{name}", results) for name in streams_of_arow}
    names = [name for name, records in measured.items() if records]
    found = {name: by_algorithm(f"paa_{name}", results) | measured[name] for name in names}
    rate = paper.RATES[0]

    def cell(name, algorithm):
        record = found[name].get(algorithm)
        return _spread(fixed(record, rate)) if record else "–"

    def table(names):
        cells = [(SHORT.get(name, name), partial(cell, name)) for name in names]
        rows = ("PAA-I", "SEL-2nd", *models.AROW)
        title = f"F-measure with {percent(rate, 0)} of the labels"
        return pivot(rows if names else (), [("", str), *cells], title)

    return joined(table(part) for part in (names[:5], names[5:]))


def arow_cost(results):
    """The sum of AROW with class weights, beside algorithms of Table 6."""

    def table(ratio, rate):
        rows = ("PAUM", "CSPAA", "CSPAA(a)", *models.AROW_COST)
        rows = {algorithm: (algorithm, rate) for algorithm in rows}
        return _uneven(SUM, ratio, rate, rows, {}, results, "arow")

    return joined(table(ratio, rate) for ratio, (rate, *_) in paper.COST_RATES.items())


def paa_url(results):
    """Time on a stream of the size of the malicious URLs."""
    columns = [
        ("", lambda r: r["algorithm"]),
        ("seconds", lambda r: f"{r['seconds']:.2f}"),
        ("paper", lambda r: f"{paper.URL_SECONDS.get(r['algorithm'], '–')}"),
        ("sum (%)", lambda r: f"{100 * r['score']:.2f}"),
    ]
    return pivot(stored_records("paa_url", results).ok().records, columns, "")


TABLES = {
    "paa_sets": paa_sets,
    "paa_summary": paa_summary,
    "paa_table_2": partial(f_measures, paper.TABLE_2, paper.RATES),
    "paa_table_3": partial(f_measures, paper.TABLE_3, paper.RATES),
    "paa_text": partial(f_measures, streams.TEXT, paper.RATES[:1]),
    "cspaa_table_6": partial(fixed_share, SUM, paper.SUM),
    "cspaa_table_7": partial(fixed_share, COST, paper.COST),
    "cspaa_table_8": cspaa_table_8,
    "arow": arow,
    "arow_cost": arow_cost,
    "paa_url": paa_url,
}
