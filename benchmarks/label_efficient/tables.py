"""Tables of `label_efficient`: those of Lu, Zhao and Hoi (2016) compared with ours."""

from functools import partial

import numpy as np

from ..bench.rst import count, joined, percent, pivot
from ..bench.summary import stored_records
from ..linear import models as linear_models
from ..linear import streams
from . import paper

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


def fixed(record, rate, way="delta"):
    """The scores at a rate. At random there is one way, and with all labels one rate."""
    found = {(run["way"], run["rate"]): run["score"] for run in record["fixed"]}
    return found.get((way, rate)) or found.get(("delta", rate)) or found["delta", 1.0]


def _spread(values, digits=3):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


# ---------------------------------------------------------------------------
# Sets, Tables 2 and 3, and text
# ---------------------------------------------------------------------------


def paa_sets(results):
    """Tables 1 and 4: samples of the sets, here and in the paper."""
    sets = (*streams.BINARY, *streams.MULTICLASS, *streams.TEXT, *streams.TEXT_MULTICLASS)
    records = {s: stored_records(f"paa_{s.name}", results).ok() for s in sets}
    columns = [
        ("set", lambda stream: stream.title),
        ("samples", lambda stream: count(records[stream].median("n_rows"))),
        ("paper", lambda stream: count(paper.SAMPLES[stream.name])),
    ]
    return pivot([stream for stream in sets if records[stream]], columns, "")


def f_measures(names, rate, results):
    """F of each algorithm on some sets at one rate, and in parentheses what the paper has."""
    found = {name: by_algorithm(f"paa_{name}", results) for name in names}

    def cell(name, algorithm):
        text = _spread(fixed(found[name][algorithm], rate))
        printed = paper.F_MEASURE.get((algorithm, name, rate))
        return text if printed is None else f"{text} ({printed:.3f})"

    algorithms = [a for a in linear_models.BINARY if all(a in found[name] for name in names)]
    columns = [("", str), *((SHORT.get(name, name), partial(cell, name)) for name in names)]
    return pivot(algorithms, columns, f"F-measure with {percent(rate, 0)} of the labels")


def at_both_rates(names, results):
    return joined(f_measures(names, rate, results) for rate in paper.RATES)


def paa_text(results):
    return f_measures([stream.name for stream in streams.TEXT], paper.RATES[0], results)


def paa_summary(results):
    """How far ours lie from the values of Tables 2 and 3, by algorithm."""
    found = {name: by_algorithm(f"paa_{name}", results) for name in paper.TABLE_2 + paper.TABLE_3}

    def differences(way, algorithm):
        return [
            np.mean(fixed(found[name][algorithm], rate, way)) - value
            for (other, name, rate), value in paper.F_MEASURE.items()
            if other == algorithm and algorithm in found[name]
        ]

    def median(way, algorithm):
        return f"{np.median(np.abs(differences(way, algorithm))):.3f}"

    algorithms = [a for a in linear_models.BINARY if differences("delta", a)]
    columns = [
        ("", str),
        ("median", partial(median, "delta")),
        ("largest", lambda algorithm: f"{max(differences('delta', algorithm), key=abs):+.3f}"),
        ("``rate``", partial(median, "rate")),
    ]
    return pivot(algorithms, columns, "Difference of F from the paper")


# ---------------------------------------------------------------------------
# Tables 6 and 8: uneven classes
# ---------------------------------------------------------------------------


def _sums(ratio, rate, printed, results, start=None):
    """A row for each algorithm of the paper, a column for each set and one for the paper.

    `start`: a further row for CSPAA(a) when it starts with this delta.
    """
    found = {s.name: by_algorithm(f"cspaa_{s.name}_{ratio}", results) for s in streams.COST}
    found = {name: records for name, records in found.items() if records}
    keys = [(a, rate, "delta") for a in (paper.TABLE_8 if start else linear_models.COST) if found]
    keys += [("CSPAA(a)", start, "start")] if start and found else []

    def name(key):
        # CSPAA(a) may break.
        text = key[0].replace("(", "\N{ZERO WIDTH SPACE}(")
        return text if key[2] == "delta" else f"{text}, 2\\ :sup:`{np.log2(start):.0f}`"

    def cell(records, key):
        return _spread(100 * np.array(fixed(records[key[0]], *key[1:])), 2)

    def of_paper(key):
        return f"{printed[key[0]]:.2f}" if key[2] == "delta" and key[0] in printed else "–"

    labels = percent(rate, 1 if rate < 0.01 else 0)
    title = f"Sum (%), 1 : {ratio}, {labels} of the labels"
    sets = [(SHORT.get(name, name), partial(cell, records)) for name, records in found.items()]
    return pivot(keys, [("", name), *sets, ("paper", of_paper)], title)


def cspaa_table_6(results):
    rates = paper.COST_RATES.items()
    return joined(_sums(ratio, rate, paper.SUM[ratio], results) for ratio, (rate, *_) in rates)


def cspaa_table_8(results):
    """All at the paper's share of labels; and CSPAA(a) when it starts with the paper's delta."""
    return _sums(99, paper.TABLE_8_RATE, paper.TABLE_8, results, paper.ADAPTIVE_DELTA)


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
    "paa_table_2": partial(at_both_rates, paper.TABLE_2),
    "paa_table_3": partial(at_both_rates, paper.TABLE_3),
    "paa_text": paa_text,
    "cspaa_table_6": cspaa_table_6,
    "cspaa_table_8": cspaa_table_8,
    "paa_url": paa_url,
}
