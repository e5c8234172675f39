"""Tables of `label_efficient`: those of Lu, Zhao and Hoi (2016) compared with ours."""

import numpy as np
from scipy.stats import ttest_rel

from ..bench.results import load
from ..bench.rst import change, count, joined, list_table, percent, seconds
from ..bench.summary import Records, stored_records
from ..linear import models as linear_models
from ..linear import streams
from . import paper

# Tables 2 and 3 of the paper; it shows the other two sets in Figure 1 only.
TABLE_2 = ["svmguide1", "mushrooms", "a8a"]
TABLE_3 = ["spambase", "splice", "w8a"]
MORE_SETS = ["codrna", "magic04"]
NEW = ("PAA-I", "PAA-II")
# What the paper compares them with: the best of these.
COMPARED = ["PEA", "SEL-ada", "SEL-2nd", "RPE", "RPA", "RPA-I", "RPA-II"]


def paa_records(name, results):
    """The records of a set by algorithm, those that went well; empty without results."""
    records = stored_records(f"paa_{name}", results).ok().records
    return {record["algorithm"]: record for record in records}


def fixed(record, rate, way):
    """The runs of an algorithm at a rate, or None; at random there is one way."""
    found = {(run["way"], run["rate"]): run for run in record["fixed"]}
    return found.get((way, rate), found.get(("delta", rate)))


def _spread(values, digits=3):
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"


def _share(values):
    return f"{100 * np.mean(values):.2f}"


# ---------------------------------------------------------------------------
# Tables 2 and 3
# ---------------------------------------------------------------------------


def _comparison(names, results, measure="F"):
    """A table for each set: a row for each algorithm, columns for each rate."""
    tables = []
    for name in names:
        records = paa_records(name, results)
        if not records:
            continue
        stream = streams.STREAMS[name]
        printed = paper.F_MEASURE.get(name, {})
        header = ["algorithm", "C"]
        for rate in paper.RATES:
            header += [f"{measure}, {percent(rate, 0)} of labels"]
            header += ["paper"] if printed else []
            header += ["labels (%)", "time", f"{measure}, ``rate={rate:g}``"]
        rows = [
            _algorithm_row(algorithm, records, printed)
            for algorithm in linear_models.PAPER
            if algorithm in records
        ]
        any_record = next(iter(records.values()))
        rows_and_features = f"{count(any_record['n_rows'])} samples, {any_record['n_features']}"
        n_runs = len(any_record["fixed"][0]["score"])
        title = f"{stream.title}: {rows_and_features} features; {n_runs} permutations"
        tables.append(list_table(header, rows, title))
    return joined(tables)


def _algorithm_row(algorithm, records, printed):
    record = records[algorithm]
    tuned = len(record["Cs"]) > 1
    row = [algorithm, f"2\\ :sup:`{np.log2(record['C']):.0f}`" if tuned else "–"]
    for i, rate in enumerate(paper.RATES):
        runs = fixed(record, rate, "delta")
        cell = _spread(runs["score"])
        if algorithm in NEW:
            cell += f" ({_p_value(records, algorithm, rate)})"
        row.append(cell)
        if printed:
            value, deviation, time = printed[algorithm][i]
            row.append(f"{value:.3f} ± {deviation:.3f}")
        time = seconds(float(np.median(runs["seconds"])))
        if printed:
            time += f" ({printed[algorithm][i][2]:g} s)"
        row += [_share(runs["share"]), time]
        steered = fixed(record, rate, "rate")
        row.append("–" if steered is runs else _spread(steered["score"]))
    return row


def _p_value(records, algorithm, rate):
    """Paired t-test against the best of the algorithms that the paper compares with."""
    scores = {
        name: fixed(records[name], rate, "delta")["score"] for name in COMPARED if name in records
    }
    if not scores:
        return "–"
    best = max(scores, key=lambda name: np.mean(scores[name]))
    own = fixed(records[algorithm], rate, "delta")["score"]
    p = ttest_rel(own, scores[best]).pvalue
    sign = "" if np.mean(own) >= np.mean(scores[best]) else "worse, "
    value = "p < 0.0001" if p < 1e-4 else f"p = {p:.4f}"
    return f"{sign}{value} against {best}"


def paa_table_2(results):
    return _comparison(TABLE_2, results)


def paa_table_3(results):
    return _comparison(TABLE_3, results)


def paa_more_sets(results):
    return _comparison(MORE_SETS, results)


def paa_text(results):
    return _comparison([stream.name for stream in streams.TEXT], results)


def mpaa_accuracy(results):
    """Accuracy at the rates of Tables 2 and 3, all sets of several classes."""
    names = [stream.name for stream in streams.MULTICLASS + streams.TEXT_MULTICLASS]
    by_set = {name: paa_records(name, results) for name in names}
    by_set = {name: records for name, records in by_set.items() if records}
    rows = []
    for name, records in by_set.items():
        for rate in paper.RATES:
            cells = []
            for algorithm in linear_models.MULTICLASS:
                known = algorithm in records
                runs = fixed(records[algorithm], rate, "delta") if known else None
                cells.append("–" if runs is None else _spread(100 * np.array(runs["score"]), 1))
            rate_cell = percent(rate, 0)
            rows.append([streams.STREAMS[name].title, rate_cell, *cells])
    header = ["set", "labels", *linear_models.MULTICLASS]
    return list_table(header, rows)


def paa_summary(results):
    """How far ours lie from the values of Tables 2 and 3, by algorithm."""
    rows = []
    for algorithm in linear_models.BINARY:
        row = [algorithm]
        for way in ("delta", "rate"):
            differences = []
            for name in TABLE_2 + TABLE_3:
                record = paa_records(name, results).get(algorithm)
                for i, rate in enumerate(paper.RATES) if record else ():
                    runs = fixed(record, rate, way)
                    printed = paper.F_MEASURE[name][algorithm][i][0]
                    differences.append((np.mean(runs["score"]) - printed, name, rate))
            if not differences:
                return None
            sizes = [abs(difference) for difference, _, _ in differences]
            worst = max(differences, key=lambda found: abs(found[0]))
            row += [f"{np.median(sizes):.3f}", f"{worst[0]:+.3f} ({worst[1]}, {worst[2]:g})"]
        rows.append(row)
    header = ["algorithm"]
    for way in ("constant delta", "``rate=``"):
        header += [f"{way}: median distance", "largest difference"]
    title = "F, ours minus the paper's, over the sets of Tables 2 and 3 and both rates"
    return list_table(header, rows, title)


def paa_sets(results):
    """Tables 1 and 4: the sets of the paper and what we have of them."""
    rows = []
    families = {**paper.BINARY_SETS, **paper.MULTICLASS_SETS, **paper.TEXT_SETS}
    for stream in streams.STREAMS.values():
        records = paa_records(stream.name, results)
        if not records:
            continue
        record = next(iter(records.values()))
        theirs = families[stream.paper]
        ours = [record[key] for key in ("n_rows", "n_features", "n_classes")]
        differs = [
            f"{name} {change(before, after)}"
            for name, before, after in zip(("samples", "features", "classes"), theirs, ours)
            if before != after
        ]
        printed = [*map(count, theirs), *["–"] * (len(ours) - len(theirs))]
        differs += [stream.note] if stream.note else []
        rows.append([stream.title, *map(count, ours), *printed, "; ".join(differs) or "–"])
    header = [
        "set", "samples", "features", "classes", "paper: samples", "features", "classes",
        "differs",
    ]  # fmt: skip
    return list_table(header, rows)


# ---------------------------------------------------------------------------
# Tables 6 to 8: uneven classes
# ---------------------------------------------------------------------------


def cost_records(name, ratio, results):
    """The records of a set by algorithm; empty without results."""
    records = stored_records(f"cspaa_{name}_{ratio}", results).ok().records
    return {record["algorithm"]: record for record in records}


def rates_of(runs):
    """Sum, cost, sensitivity, specificity, accuracy of each run; all but cost in per cent."""
    tp, fn, fp, tn = (np.array(runs[name]) for name in ("tp", "fn", "fp", "tn"))
    positive, negative = tp + fn, fp + tn
    n = positive + negative
    sensitivity, specificity = tp / positive, tn / negative
    return {
        "sum": 50 * (sensitivity + specificity),
        # c_p = T_n / T, c_n = T_p / T.
        "cost": negative / n * fn + positive / n * fp,
        "sensitivity": 100 * sensitivity,
        "specificity": 100 * specificity,
        "accuracy": 100 * (tp + tn) / n,
        "share": 100 * np.array(runs["share"]),
        "seconds": np.array(runs["seconds"]),
    }


def _at(records, algorithm, rate):
    """The runs of an algorithm at this rate; those that query every label have one. Or None."""
    if algorithm not in records:
        return None
    found = {run["rate"]: run for run in records[algorithm]["fixed"]}
    return found.get(1.0 if algorithm in linear_models.FULL else rate)


_FIELD_TITLES = {
    "sum": "sum (%)",
    "cost": "cost",
    "sensitivity": "sensitivity (%)",
    "specificity": "specificity (%)",
    "accuracy": "accuracy (%)",
    "share": "labels (%)",
}
_COLUMNS = ["sensitivity", "specificity", "accuracy", "share"]


def _cost_tables(ratio, rate, field, printed, results, start=None):
    """A table for each set: `field` first, then the other columns.

    `start`: that of Table 8, which has the constants as well, and a row more for CSPAA(a) with
    this one.
    """
    tables = []
    for stream in streams.COST:
        records = cost_records(stream.name, ratio, results)
        if not records:
            continue
        random = _at(records, "CSRND", rate)
        rows = []
        for algorithm in linear_models.COST if start is None else TABLE_8:
            runs = _at(records, algorithm, rate)
            if runs is not None:
                row = _cost_row(runs, algorithm, field, random, printed.get(algorithm))
                rows.append(row if start is None else [row[0], _delta(runs, algorithm), *row[1:]])
        if start is not None and "CSPAA(a)" in records:
            runs = next(run for run in records["CSPAA(a)"]["curve"] if run["value"] == start)
            row = _cost_row(runs, "CSPAA(a)", field, None, None)
            rows.append([row[0], _power(start), *row[1:]])
        any_record = next(iter(records.values()))
        positive = count(any_record["n_positive"])
        sizes = f"{count(any_record['n_rows'])} samples, {positive} positive"
        header = [
            "algorithm", *([] if start is None else ["delta"]), _FIELD_TITLES[field],
            *(_FIELD_TITLES[name] for name in _COLUMNS), "time", "against CSRND",
            f"paper (URL), {_FIELD_TITLES[field]}",
        ]  # fmt: skip
        tables.append(list_table(header, rows, f"{stream.title}, 1 : {ratio} ({sizes})"))
    return joined(tables)


TABLE_8 = ["CPA", "LEPE", "CSRND", "CSPAA", "CSPAA(a)"]


def _delta(runs, algorithm):
    active = algorithm not in linear_models.FULL + linear_models.RANDOM
    return _power(runs["delta"]) if active else "–"


def _power(value):
    return f"2\\ :sup:`{np.log2(value):.3g}`"


def _cost_row(runs, algorithm, field, random, printed):
    values = rates_of(runs)
    return [
        algorithm,
        _spread(values[field], 2 if field == "sum" else 1),
        *(f"{np.mean(values[name]):.2f}" for name in _COLUMNS),
        seconds(float(np.median(values["seconds"]))),
        _against_random(values, algorithm, random, field),
        "–" if printed is None else f"{printed:g}",
    ]


def _against_random(values, algorithm, random, field):
    """Paired t-test of CSPAA and CSPAA(a) against querying as many labels at random."""
    if algorithm not in ("CSPAA", "CSPAA(a)") or random is None:
        return "–"
    own, other = values[field], rates_of(random)[field]
    p = ttest_rel(own, other).pvalue
    better = np.mean(own) > np.mean(other) if field == "sum" else np.mean(own) < np.mean(other)
    sign = "" if better else "worse, "
    return sign + ("p < 0.0001" if p < 1e-4 else f"p = {p:.4f}")


def _sum_or_cost(field, results):
    place = ("sum", "cost").index(field)
    tables = []
    for ratio, rate in paper.COST_RATES.items():
        printed = {name: values[place] for name, values in paper.SUM_AND_COST[ratio].items()}
        tables.append(_cost_tables(ratio, rate, field, printed, results))
    return joined(tables)


def cspaa_table_6(results):
    return _sum_or_cost("sum", results)


def cspaa_table_7(results):
    return _sum_or_cost("cost", results)


def cspaa_table_8(results):
    """All at the paper's share of labels; and CSPAA(a) when it starts with the paper's delta."""
    tables = []
    for place, field in enumerate(("sum", "cost")):
        printed = {name: values[place] for name, values in paper.TABLE_8.items()}
        tables.append(
            _cost_tables(99, paper.TABLE_8_RATE, field, printed, results, paper.ADAPTIVE_DELTA)
        )
    return joined(tables)


def cspaa_cpa(results):
    """Sum of PE and CPA on all samples, those that are separable, and with wrong labels."""
    records = stored_records("cspaa_cpa", results).ok().records
    rows, header = [], []
    for record in records:
        title = f"{streams.COST_STREAMS[record['stream']].title}, 1 : {record['ratio']}"
        cells = [title, f"{100 * record['n_separable'] / record['n_rows']:.1f}"]
        for run in record["runs"]:
            if run["algorithm"] != "C=1" or run["part"] == "all":
                cells.append(f"{np.mean(_sums(run)):.2f}")
        rows.append(cells)
        header = ["", "separable (%)", "PE", "CPA", "CPA, ``C=1``"]
        for part in dict.fromkeys(run["part"] for run in record["runs"]):
            if part != "all":
                part = part.replace("%", " %")
                header += [f"PE, {part}", f"CPA, {part}"]
    n_runs = {len(run["share"]) for record in records for run in record["runs"]}
    return list_table(header, rows, f"Sum (%), means over {max(n_runs, default=0)} permutations")


def _sums(runs):
    return rates_of(runs | {"seconds": []})["sum"]


# ---------------------------------------------------------------------------
# The large stream
# ---------------------------------------------------------------------------


def paa_url(results):
    """Time and memory on a stream of the size of the malicious URLs."""
    stored = load("paa_url", results)
    rows = []
    for record in Records(stored["records"]).ok().records:
        predicts = record["tp"] + record["fn"] > 0
        values = rates_of(_lists(record)) if predicts else {}
        printed = paper.URL_SECONDS.get(record["algorithm"]) if predicts else None
        rows.append(
            [
                url_title(record),
                seconds(record["seconds"]),
                f"{1e6 * record['seconds'] / record['n_rows']:.2f} µs",
                f"{1e9 * record['seconds'] / record['n_values']:.1f} ns",
                "–" if printed is None else f"{printed:.1f} s",
                _megabytes(record["model_mb"]),
                _megabytes(record["first_peak_mb"]),
                _megabytes(record["later_peak_mb"]),
                f"{100 * record['n_queries'] / record['n_rows']:.2f} %",
                f"{values['sum'][0]:.2f}" if values else "–",
            ]
        )
    if not rows:
        return None
    record = Records(stored["records"]).ok().records[0]
    header = [
        "model", "training time", "for a sample", "for a nonzero", "paper, URL2",
        "arrays of the model", "most that the first chunk adds", "a later one", "labels",
        "sum (%)",
    ]  # fmt: skip
    chunk = count(stored["size"]["chunk"])
    n_values = record["n_values"] / record["n_rows"]
    title = (
        f"{count(record['n_rows'])} generated samples, {count(stored['size']['n_columns'])} "
        f"features, {n_values:.0f} nonzeros in each, {count(record['n_positive'])} positive; "
        f"chunks of {chunk} samples"
    )
    return list_table(header, rows, title)


def _megabytes(value):
    return "–" if value is None else f"{value:.1f} MB"


def _lists(record):
    fields = ("tp", "fn", "fp", "tn", "seconds")
    share = record["n_queries"] / record["n_rows"]
    return {name: [record[name]] for name in fields} | {"share": [share]}


def url_title(record):
    algorithm = record["algorithm"]
    if algorithm in linear_models.SPEED:
        return f"{linear_models.SPEED[algorithm].title}, ``partial_fit`` alone"
    return f"{algorithm}, ``partial_fit`` alone" if record["plain"] else algorithm


TABLES = {
    table.__name__: table
    for table in (
        paa_sets,
        paa_summary,
        paa_table_2,
        paa_table_3,
        paa_more_sets,
        paa_text,
        mpaa_accuracy,
        cspaa_table_6,
        cspaa_table_7,
        cspaa_table_8,
        cspaa_cpa,
        paa_url,
    )
}
