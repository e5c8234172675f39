"""Tables of LASVC, compared with its peers and with chapter 3 of the thesis."""

from functools import partial

import numpy as np

from ..bench.results import load, load_those_stored
from ..bench.rst import (
    NBSP,
    change,
    count,
    cross_table,
    joined,
    megabytes,
    millions,
    percent,
    pivot,
    seconds,
    split_table,
    times,
)
from ..bench.summary import Records, ratio, stored_records
from ..sets.workloads import COMPARED, SEVERAL, TABLE_3_2, WORKLOADS
from . import figures, models, paper, text_models
from .models import NAMES, PARTS

TITLES = {column.key: column.title for column in models.COLUMNS}
# How the medians of a field are written.
WRITTEN = {
    "error": percent, "fit_seconds": seconds, "seconds": seconds, "predict_seconds": seconds,
    "fit_peak_mb": megabytes, "n_train": count, "n_test": count, "n_support": count,
    "n_kernel_evaluations": millions,
}  # fmt: skip


def median(records, field):
    return WRITTEN[field](records.median(field))


def time_of(records, what="fit", with_error=True):
    """The time of fit or predict, with the test error, or why there is none."""
    time = records.median(f"{what}_seconds")
    if time is None:
        return records.verdict()
    return f"{seconds(time)}, {median(records, 'error')}" if with_error else seconds(time)


def compared(results, names):
    """The sets that have results: a dict from name to records, and one to titles."""
    stored = {name: stored_records(name, results) for name in names}
    records = {name: found for name, found in stored.items() if found}
    return records, {name: WORKLOADS[name].title for name in records}


def sets(results):
    """The data sets of the comparison."""
    records, titles = compared(results, [*COMPARED, *SEVERAL])

    def gamma(name):
        work = WORKLOADS[name]
        return "linear" if work.kernel == "linear" else f"{work.gamma:g}"

    def density(name):
        share = WORKLOADS[name].density
        return percent(share, 0 if share > 0.1 else 1)

    columns = [
        ("data set", titles.get),
        ("training", lambda name: median(records[name], "n_train")),
        ("test", lambda name: median(records[name], "n_test")),
        ("features", lambda name: count(WORKLOADS[name].n_features)),
        ("not zero", density),
        ("``C``", lambda name: f"{WORKLOADS[name].C:g}"),
        ("``gamma``", gamma),
    ]
    return pivot(titles, columns, {"Samples and features": 3, "Density and parameters": 3})


def headline(results):
    """For the README: time and error on one thread, and times relative to LASVC."""
    records, titles = compared(results, COMPARED)

    def cell(name, column):
        here = records[name].where(column=column)
        relative = times(_relative(records[name], "fit_seconds", column))
        relative = "" if column == "lasvc_1" else f" ({relative})"
        return f"{median(here, 'fit_seconds')}{relative}, {median(here, 'error')}"

    columns = {key: TITLES[key] for key in PARTS["one thread"]}
    return cross_table("data set", titles, columns, cell)


def _relative(records, field, column):
    """The median of a field, divided by that of LASVC."""
    medians = [records.where(column=key).median(field) for key in (column, "lasvc_1")]
    return ratio(*medians)


def relative_times(results):
    """Times of the peers on one thread, divided by that of LASVC."""
    records, titles = compared(results, [*COMPARED, *SEVERAL])
    columns = {
        ("svc", "fit"): "SVC, fit",
        ("sklearnex_1", "fit"): "Intel, fit",
        ("svc", "predict"): "SVC, predict",
        ("sklearnex_1", "predict"): "Intel, predict",
    }

    def cell(name, column):
        return times(_relative(records[name], f"{column[1]}_seconds", column[0]))

    return cross_table("data set", titles, columns, cell)


# The tables of models of the same problem, and of others.
EXACT = [("fit", "one thread"), ("fit", "two threads"), ("predict", "one thread")]
OTHER = [("fit", "other models"), ("predict", "other models")]


def comparison(results, names, tables):
    """Times of fit with test errors, and times of predict."""
    records, titles = compared(results, names)

    def cell(name, column, what):
        return time_of(records[name].where(column=column), what, what == "fit")

    headings = {"fit": "Fit time and test error", "predict": "Prediction time"}
    return joined(
        cross_table(
            "data set",
            titles,
            {key: TITLES[key] for key in PARTS[part]},
            partial(cell, what=what),
            f"{headings[what]}, {part}",
        )
        for what, part in tables
    )


def memory(results):
    """Memory of fit with several cache sizes, on all samples of Adult."""
    records = stored_records("scaling", results).where(model="lasvc")
    largest = max(records.values("n_train"), default=None)
    sizes = {size: megabytes(size) for size in sorted(records.distinct("cache_size"))}

    def cell(size, field):
        return median(records.where(n_train=largest, cache_size=size), field)

    columns = {"fit_peak_mb": "memory", "fit_seconds": "fit"}
    return cross_table("``cache_size``", sizes, columns, cell)


def classes(results):
    """Fit time and test error against the number of classes."""
    records = stored_records("classes", results)
    rows = {n_classes: count(n_classes) for n_classes in sorted(records.distinct("classes"))}

    def cell(n_classes, model):
        return time_of(records.where(classes=n_classes, model=model))

    return cross_table("classes", rows, NAMES, cell)


def text(results):
    """Test error and fit time of models for text."""
    records = stored_records("text", results)

    def cell(model, field):
        return median(records.where(model=model), field)

    columns = {"error": "error", "fit_seconds": "fit"}
    return cross_table("model", text_models.TITLES, columns, cell)


def cache_size(results):
    """Fit time against the cache, for each digit."""
    records = stored_records("cache_size", results)
    sizes = {size: megabytes(size) for size in sorted(records.distinct("cache_size"))}
    fitted = sorted({(record["model"], record["n_train"]) for record in records.records})
    columns = {(model, n): f"{NAMES[model]}, {count(n)} samples" for model, n in fitted}

    def cell(size, column, digit):
        wanted = dict(digit=digit, model=column[0], n_train=column[1], cache_size=size)
        return time_of(records.where(**wanted), with_error=False)

    return joined(
        cross_table("cache", sizes, columns, partial(cell, digit=digit), f"Digit {digit}")
        for digit in sorted(records.distinct("digit"))
    )


def how_long(results):
    """Fit and predict by samples, features, classes and threads."""
    records = stored_records("how_long", results)
    kinds = sorted({(record["classes"], record["features"]) for record in records.records})
    rows = {kind: "{}, {}".format(*kind) for kind in kinds}
    columns = {n: count(n) for n in sorted(records.distinct("n_train"))}

    def table(title, field, threads=1, **more):
        def cell(kind, n_train):
            here = records.where(classes=kind[0], features=kind[1], threads=threads)
            if n_train == "doubling":
                return times(2 ** figures.exponent(here, field))
            value = here.where(n_train=n_train).median(field)
            if field == "predict_seconds" and value is not None:
                value *= 1000 / here.median("n_test")
            return WRITTEN[field](value)

        return cross_table("", rows, columns | more, cell, title)

    return joined([
        table("Time of ``fit``, one thread", "fit_seconds", doubling="×2"),
        table("Time of ``fit``, two threads", "fit_seconds", threads=2),
        table("Support vectors", "n_support"),
        table("Time of ``predict`` for 1000 samples", "predict_seconds"),
    ])  # fmt: skip


def prefixes(results):
    """Predictions during a stream: errors and times."""

    def mean_error(way):
        # The first chunk may hold a single class.
        return lambda record: percent(np.mean(record["errors"][1:], axis=0)[way])

    columns = [
        ("data set", lambda record: WORKLOADS[record["workload"]].title),
        ("default", mean_error(0)),
        ("``finishing=False``", mean_error(2)),
        ("alone", lambda record: seconds(float(np.median(record["stream_seconds"])))),
        ("with predictions", lambda record: seconds(record["watched_seconds"])),
    ]
    records = stored_records("prefixes", results).ok().records
    return pivot(records, columns, {"Mean error": 2, "Time of the stream": 2})


def leave_one_out(results):
    """Leave-one-out errors compared with others, means over the seeds."""
    records = stored_records("leave_one_out", results).ok()
    cases = dict.fromkeys((r["workload"], r["n_train"]) for r in records.records)
    rows = {case: f"{WORKLOADS[case[0]].title}, {count(case[1])} samples" for case in cases}

    def cell(case, error):
        values = records.where(workload=case[0], n_train=case[1]).values(error)
        return percent(np.mean(values)) if values else "–"

    columns = {
        "estimate": "estimate",
        "estimate_after_one_pass": "after one pass",
        "exact": "exact",
        "bound": "xi-alpha",
        "folds": "10 folds",
        "test": "test samples",
    }
    parts = {"Leave-one-out errors": 3, "Other errors": 3}
    return cross_table("data set", rows, columns, cell, parts)


def table_3_1(results):
    """The data sets of Table 3.2 and their parameters."""
    records = stored_records("table_3_2", results)
    columns = [
        ("data set", lambda name: WORKLOADS[name].title),
        ("training", lambda name: median(records.where(workload=name), "n_train")),
        ("test", lambda name: median(records.where(workload=name), "n_test")),
        ("``gamma``", lambda name: f"{WORKLOADS[name].gamma:.4g}"),
        ("``C``", lambda name: f"{WORKLOADS[name].C:g}"),
        ("cache", lambda name: megabytes(WORKLOADS[name].thesis_cache)),
    ]
    return pivot(TABLE_3_2 if records else (), columns)


def table_3_2(results):
    """Errors, support vectors, time and kernel values, compared with those of the thesis."""
    rows = []
    for name in TABLE_3_2:
        records = stored_records("table_3_2", results).where(workload=name)
        sides = (records.where(model="svc"), "fit_seconds"), (_lasvc(records, "after"), "seconds")
        measured = [
            [median(side, f) for f in ("error", "n_support", time, "n_kernel_evaluations")]
            for side, time in sides
        ]
        title = WORKLOADS[name].title
        rows.append([title, *_kernel_values_last(measured)])
        title = "Forest (100k)" if name in paper.STAND_INS else title.split(",")[0]
        printed = [_printed(*side) for side in paper.TABLE_3_2[name]]
        rows.append([f"{title}, thesis", *_kernel_values_last(printed)])
    header = ["data set", *["error", "vectors", "time"] * 2, "LIBSVM", "LASVM×1"]
    return split_table(header, rows, {"LIBSVM": 3, "LASVM×1": 3, "Kernel values": 2})


def _lasvc(records, side):
    """The records of LASVC "before" or "after" finishing."""
    found = records.where(model="lasvc").ok().records
    return Records({"status": "ok", **record[side]} for record in found)


def _printed(error, vectors, kernel_calls, time):
    cells = [f"{error:.2f} %", count(vectors), f"{time:g} s", f"{kernel_calls:g} M"]
    return [cell.replace(" ", NBSP) for cell in cells]


def _kernel_values_last(sides):
    return [*sides[0][:3], *sides[1][:3], sides[0][3], sides[1][3]]


def table_3_3(results):
    """Change by finishing, in brackets that of the thesis."""
    records = stored_records("table_3_2", results)
    titles = {name: WORKLOADS[name].title for name in TABLE_3_2}
    fields = {"error": "error", "n_support": "vectors", "seconds": "time"}

    def cell(name, field):
        here = records.where(workload=name)
        before, after = (_lasvc(here, side).median(field) for side in ("before", "after"))
        printed = paper.TABLE_3_3[name][list(fields).index(field)]
        return f"{'–' if before is None else change(before, after)} ({printed:+.0f}{NBSP}%)"

    return cross_table("data set", titles, fields, cell)


WAYS = {"x1": "one pass", "x2": "two passes", "exact": "until nothing changes", "svc": "SVC"}


def mnist_multiclass(results):
    """Figure 3.4: ten digits against the rest, joined."""
    stored = load("mnist_digits", results)
    records = Records(stored["records"])
    signed = load_those_stored(["mnist_signed"], results).get("mnist_signed")
    rows = []
    for way, title in WAYS.items():
        mine = records.where(way=way)
        # The time of fewer than ten digits is not that of the ten-class problem.
        complete = len(mine.ok().records) == 10
        time = sum(mine.values("fit_seconds")) if complete else None
        errors = [part["multiclass_error"].get(way) if part else None for part in (stored, signed)]
        theirs = ["–", "–"]
        if way in paper.FIGURE_3_4:
            error, total = paper.FIGURE_3_4[way]
            theirs = [f"{error:.2f}{NBSP}%", f"{total:g}{NBSP}s"]
        title = "SVC / LIBSVM" if way == "svc" else f"LASVC, {title}"
        rows.append([title, *map(percent, errors), theirs[0], seconds(time), theirs[1]])
    header = ["", "pixels in [0, 1]", "pixels in [-1, 1]", "thesis", "ours", "thesis"]
    return split_table(header, rows, {"Error": 3, "Time of ten tasks": 2})


TABLES = {
    table.__name__: table
    for table in (
        sets, relative_times, memory, classes, cache_size, how_long, prefixes,
        leave_one_out, text, table_3_1, table_3_2, table_3_3, mnist_multiclass,
    )
} | {
    # The last set has ten classes.
    "binary": partial(comparison, names=COMPARED[:-1], tables=EXACT),
    "several": partial(comparison, names=["mnist_ten", *SEVERAL], tables=EXACT),
    "other_models": partial(comparison, names=COMPARED, tables=OTHER),
}  # fmt: skip
