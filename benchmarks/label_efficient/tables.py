"""Tables of `label_efficient`: those of Lu, Zhao and Hoi (2016) compared with ours."""

from functools import partial

import numpy as np

from ..bench.rst import count, joined, percent, pivot
from ..bench.summary import stored_records
from ..linear import models as linear_models
from ..linear import streams
from . import paper


def paa_records(name, results):
    """The records of a set by algorithm, those that went well; empty without results."""
    return _by_algorithm(f"paa_{name}", results)


def cost_records(name, ratio, results):
    """The same for a set with one positive sample for `ratio` negative ones."""
    return _by_algorithm(f"cspaa_{name}_{ratio}", results)


def _by_algorithm(step, results):
    return {r["algorithm"]: r for r in stored_records(step, results).ok().records}


def fixed(record, rate, way="delta"):
    """The runs of an algorithm at a rate; at random there is one way."""
    found = {(run["way"], run["rate"]): run for run in record["fixed"]}
    return found.get((way, rate)) or found["delta", rate]


def _spread(values, digits=3):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def _each(items, cell):
    """Columns of a pivot: a cell for each item, by its title, and each row."""
    return {title: partial(cell, item) for title, item in items.items()}


# ---------------------------------------------------------------------------
# Sets, Tables 2 and 3, and text
# ---------------------------------------------------------------------------


def paa_sets(results):
    """Tables 1 and 4: the sets of the paper and what we have of them."""
    rows = {}
    for stream in streams.STREAMS.values():
        for record in paa_records(stream.name, results).values():
            rows[stream.title] = record | {"paper": paper.SAMPLES[stream.paper]}
    fields = {"samples": "n_rows", "paper": "paper", "features": "n_features"}
    fields["classes"] = "n_classes"
    return pivot(rows, _each(fields, lambda field, record: count(record[field])), corner="set")


def f_measures(names, rate, results):
    """F of each algorithm on some sets at one rate, and in parentheses what the paper has."""
    found = {name: paa_records(name, results) for name in names}

    def cell(name, algorithm):
        text = _spread(fixed(found[name][algorithm], rate)["score"])
        printed = paper.F_MEASURE.get((algorithm, name, rate))
        return text if printed is None else f"{text} ({printed:.3f})"

    algorithms = {a: a for a in linear_models.BINARY if all(a in found[name] for name in names)}
    titles = {streams.STREAMS[name].title.removeprefix("20 Newsgroups, "): name for name in names}
    title = f"F-measure with {percent(rate, 0)} of the labels"
    return pivot(algorithms, _each(titles, cell), title)


def at_both_rates(names, results):
    return joined(f_measures(names, rate, results) for rate in paper.RATES)


def paa_text(results):
    return f_measures([stream.name for stream in streams.TEXT], paper.RATES[0], results)


def paa_summary(results):
    """How far ours lie from the values of Tables 2 and 3, by algorithm."""
    found = {name: paa_records(name, results) for name in paper.TABLE_2 + paper.TABLE_3}

    def differences(way, algorithm):
        return [
            np.mean(fixed(found[name][algorithm], rate, way)["score"]) - value
            for (other, name, rate), value in paper.F_MEASURE.items()
            if other == algorithm and algorithm in found[name]
        ]

    algorithms = {a: a for a in linear_models.BINARY if differences("delta", a)}
    columns = {}
    for way, title in {"delta": "``delta``", "rate": "``rate``"}.items():
        columns |= {
            f"{title}, median": lambda a, way=way: f"{np.median(np.abs(differences(way, a))):.3f}",
            f"{title}, largest": lambda a, way=way: f"{max(differences(way, a), key=abs):+.3f}",
        }
    return pivot(algorithms, columns, "Difference of F from the paper")


# ---------------------------------------------------------------------------
# Tables 6 and 8: uneven classes
# ---------------------------------------------------------------------------


def sums(runs):
    """Mean of sensitivity and specificity of each run, in per cent."""
    tp, fn, fp, tn = (np.array(runs[name]) for name in ("tp", "fn", "fp", "tn"))
    return 50 * (tp / (tp + fn) + tn / (fp + tn))


def _at(record, rate):
    """The runs of an algorithm at this rate; those that query every label have one."""
    found = {run["rate"]: run for run in record["fixed"]}
    return found[1.0 if record["algorithm"] in linear_models.FULL else rate]


def _sums(ratio, rate, printed, results, start=None):
    """A row for each algorithm of the paper, a column for each set and one for the paper.

    `start`: a further row for CSPAA(a) when it starts with this delta.
    """
    found = {stream.title: cost_records(stream.name, ratio, results) for stream in streams.COST}
    found = {title: records for title, records in found.items() if records}

    def cell(records, algorithm):
        if algorithm == "start":
            runs = next(run for run in records["CSPAA(a)"]["curve"] if run["value"] == start)
        else:
            runs = _at(records[algorithm], rate)
        return _spread(sums(runs), 2)

    def of_paper(algorithm):
        return f"{printed[algorithm]:.2f}" if algorithm in printed else "–"

    rows = {a: a for a in (paper.TABLE_8 if start else linear_models.COST) if found}
    rows |= {f"CSPAA(a), 2\\ :sup:`{np.log2(start):.0f}`": "start"} if start and rows else {}
    labels = percent(rate, 1 if rate < 0.01 else 0)
    title = f"Sum (%), 1 : {ratio}, {labels} of the labels"
    return pivot(rows, _each(found, cell) | {"paper (URL)": of_paper}, title)


def cspaa_table_6(results):
    rates = paper.COST_RATES.items()
    return joined(_sums(ratio, rate, paper.SUM[ratio], results) for ratio, rate in rates)


def cspaa_table_8(results):
    """All at the paper's share of labels; and CSPAA(a) when it starts with the paper's delta."""
    return _sums(99, paper.TABLE_8_RATE, paper.TABLE_8, results, paper.ADAPTIVE_DELTA)


def paa_url(results):
    """Time on a stream of the size of the malicious URLs."""
    columns = {
        "seconds": lambda r: f"{r['seconds']:.2f}",
        "paper": lambda r: f"{paper.URL_SECONDS.get(r['algorithm'], '–')}",
        "labels": lambda r: percent(r["n_queries"] / r["n_rows"]),
        "sum (%)": lambda r: f"{sums(r):.2f}",
    }
    return pivot(_by_algorithm("paa_url", results), columns)


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
