"""Tables of `intervals`: coverage in percent, widths and times compared with ours."""

from functools import partial
from math import inf
from statistics import fmean, geometric_mean

from ..bench.rst import list_table, number, percent, pivot, times
from ..bench.summary import Records, flat, mean, ratio, stored_records
from .sets import CLASSES
from .sets import SETS as TABLES_OF_VALUES

TITLES = {
    "ours": "``predict_interval``",
    "one width": "one width for all x",
    "split": "same scale, half of the samples",
    "jackknife+": "jackknife+ (MAPIE)",
    "CV+": "CV+, 5 folds (MAPIE)",
    "crepes": "normalized, half of the samples (crepes)",
}


def _all(results, *steps):
    return Records(r for step in steps for r in stored_records(step, results).ok().records)


def _by_table(found, **wanted):
    """Means over the runs on each table: coverage, the lowest of a quarter, width, time."""
    rows = {}
    for record in found.where(**wanted).records:
        runs = record["runs"]
        quarters = [fmean(values) for values in zip(*(r["quarters"] for r in runs), strict=True)]
        means = {name: fmean(r[name] for r in runs) for name in ("coverage", "width", "seconds")}
        rows[record["set"]] = means | {"lowest": min(quarters)}
    return rows


def _line(title, rows, reference):
    coverages = [row["coverage"] for row in rows.values()]
    lowest = [row["lowest"] for row in rows.values()]
    both = [name for name in rows if name in reference]
    widths = [rows[name]["width"] / reference[name]["width"] for name in both]
    seconds = [rows[name]["seconds"] / reference[name]["seconds"] for name in both]
    span = f"{percent(min(coverages), 1)} to {percent(max(coverages), 1)}"
    ratios = [number(fmean(widths)), times(geometric_mean(seconds))] if both else ["–", "–"]
    return [title, percent(fmean(coverages), 1), span, percent(min(lowest), 1), *ratios]


HEADER = [
    "", "coverage", "lowest to highest", "lowest in a quarter", "width / ours", "time / ours",
]  # fmt: skip


def summary(results):
    """A line for each method."""
    found = _all(results, "intervals", "intervals_peers")
    reference = _by_table(found, method="ours")
    rows = [
        _line(title, rows, reference)
        for method, title in TITLES.items()
        if (rows := _by_table(found, method=method))
    ]
    title = f"{len(reference)} tables, coverage of 90 % intervals"
    return list_table(HEADER, rows, title) if reference else None


def lines(results):
    """A line for each table."""
    found = _all(results, "intervals")
    by_method = {method: _by_table(found, method=method) for method in ("ours", "one width")}
    reference = by_method["ours"]
    if not reference:
        return None

    def column(method, field, form):
        return TITLES[method], lambda name: form(by_method[method][name][field])

    columns = [
        ("", str),
        *(column(m, "coverage", partial(percent, digits=1)) for m in by_method),
        *(column(m, "lowest", partial(percent, digits=1)) for m in by_method),
        *(column(m, "width", number) for m in by_method),
    ]
    names = [name for name in TABLES_OF_VALUES if name in reference]
    parts = {"Coverage": 2, "Lowest in a quarter": 2, "Width": 2}
    return pivot(names, columns, parts)


def parameters(results):
    """A line for each number of samples and pair of parameters."""
    found, rows = _all(results, "intervals_parameters"), []
    cases = {tuple(r.get(k) for k in ("n_train", "C", "epsilon")) for r in found.records}
    for n, C, epsilon in sorted(cases, key=lambda case: [value or inf for value in case]):
        wanted = {"n_train": n, "C": C, "epsilon": epsilon}
        by_table = _by_table(found, **wanted)
        title = f"{n} samples" if n else f"C={C:g}, epsilon={epsilon:g}"
        rows.append(_line(title, by_table, {})[:4])
    title = "Coverage with other numbers of samples and parameters"
    return list_table(HEADER[:4], rows, title) if rows else None


def _times_as_long(runs, method, name):
    return times(ratio(*(mean(runs(m, name), "seconds") for m in (method, "ours"))))


def sets(results):
    """A line for each set of classes."""
    found = _all(results, "intervals_sets")

    def runs(method, name):
        return flat(found.where(method=method, set=name), "runs")

    def column(method, field, form, title):
        return title, lambda name: form(mean(runs(method, name), field))

    methods = {"ours": "``predict_set``", "MAPIE": "MAPIE, 5 folds", "crepes": "crepes, a third"}
    columns = [("", str)]
    for field, form in (("coverage", partial(percent, digits=1)), ("size", number)):
        columns += [column(m, field, form, title) for m, title in methods.items()]
    for m, title in list(methods.items())[1:]:
        columns.append((title, partial(_times_as_long, runs, m)))
    parts = {"Coverage": 3, "Mean size": 3, "Time / ours": 2}
    names = [name for name in CLASSES if found.where(set=name)]
    return pivot(names, columns, parts) if found else None


def stream(results):
    """A line for each stream and way."""
    found = _all(results, "intervals_stream")
    runs = flat(found, "runs", "set")
    cases = [(name, way) for name in runs.distinct("set") for way in runs.distinct("way")]

    in_percent = partial(percent, digits=1)

    def column(field, title, form=in_percent):
        return title, lambda case: form(mean(runs, field, set=case[0], way=case[1]))

    columns = [
        ("what changes", lambda case: case[0]),
        ("", lambda case: case[1]),
        column("before", "before"),
        column("changed", "first 1000"),
        column("after", "later"),
        column("width", "width, later", number),
    ]
    return pivot(cases, columns, "Coverage before and after a change", n_keys=2) if runs else None


TABLES = {
    "intervals": summary,
    "intervals_lines": lines,
    "intervals_parameters": parameters,
    "intervals_sets": sets,
    "intervals_stream": stream,
}
