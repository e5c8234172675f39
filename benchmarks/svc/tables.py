"""Tables of LASVC, compared with its peers and with chapter 3 of the thesis."""

import numpy as np

from ..bench.results import load, load_those_stored
from ..bench.rst import (
    change,
    count,
    joined,
    list_table,
    megabytes,
    millions,
    percent,
    seconds,
    times,
)
from ..bench.summary import Records, ratio, stored_records
from . import figures, models, paper
from .workloads import COMPARED, SEVERAL, TABLE_3_2, WORKLOADS


def _compared(results, names=COMPARED):
    """The sets of the comparison that have results, with their records."""
    for name, stored in load_those_stored(names, results).items():
        yield WORKLOADS[name], Records(stored["records"])


# ---------------------------------------------------------------------------
# LASVC compared with its peers
# ---------------------------------------------------------------------------


def speed(results):
    """LASVC compared with SVC, and one sample compared with SGDClassifier."""
    rows = []
    for work, records in _compared(results):
        lasvc = records.where(column=f"lasvc_{work.threads}")
        svc = records.where(column="svc")
        title = work.title + (", 2 threads" if work.threads == 2 else "")
        errors = [percent(side.median("error")) for side in (lasvc, svc)]
        for what in ("fit", "predict"):
            pair = [side.median(f"{what}_seconds") for side in (lasvc, svc)]
            faster = times(ratio(pair[1], pair[0]))
            rows.append([f"{title}: {what}", *map(seconds, pair), faster, *errors])
    rows += _one_row(results)
    header = ["work", "LASVC", "peer", "faster", "error, LASVC", "error, SVC"]
    return list_table(header, rows)


def headline(results):
    """Training on one thread each: LASVC, SVC and the fastest peer."""
    rows = []
    for work, records in _compared(results):
        sides = [records.where(column=key) for key in ("lasvc_1", "svc", "sklearnex_1")]
        times_of = [side.median("fit_seconds") for side in sides]
        ratios = [times(ratio(peer, times_of[0])) for peer in times_of[1:]]
        rows.append([work.title, *(_cell(side, "fit") for side in sides), *ratios])
    header = [
        "data set", "LASVC", "SVC", "scikit-learn-intelex", "SVC / LASVC (time)",
        "scikit-learn-intelex / LASVC (time)",
    ]  # fmt: skip
    return list_table(header, rows)


def _one_row(results):
    records = stored_records("one_row", results)
    if not records:
        return []
    lasvc, sgd = records.median("lasvc_microseconds"), records.median("sgd_microseconds")
    title = f"``partial_fit`` of one sample, {count(records.median('n_stored'))} stored vectors"
    pair = [f"{value:.1f} µs" if value else "–" for value in (lasvc, sgd)]
    return [[f"{title} (peer: SGDClassifier)", *pair, times(ratio(sgd, lasvc)), "–", "–"]]


def comparison(results):
    """All peers: time and error of each fit, then the times of predict."""
    return _comparison(results, COMPARED, models.COLUMNS)


def several(results):
    """The same for sets of several classes, and those that solve the same problem."""
    return _comparison(results, SEVERAL, models.EXACT)


def _comparison(results, names, columns):
    rows = []
    for what in ("fit", "predict"):
        for work, records in _compared(results, names):
            cells = [_cell(records.where(column=c.key), what) for c in columns]
            ratios = [
                ratio(*(records.where(column=key).median(f"{what}_seconds") for key in pair))
                for pair in (
                    ("svc", "lasvc_1"), ("sklearnex_1", "lasvc_1"), ("sklearnex_2", "lasvc_2"),
                )
            ]  # fmt: skip
            rows.append([f"{work.title}: {what}", *cells, *map(times, ratios)])
    header = [
        "work", *(column.title for column in columns), "LASVC against SVC",
        "against scikit-learn-intelex", "... with 2 threads each",
    ]  # fmt: skip
    return list_table(header, rows)


def _cell(records, what):
    value = records.median(f"{what}_seconds")
    if value is None:
        return records.verdict()
    error = f", {percent(records.median('error'))}" if what == "fit" else ""
    return seconds(value) + error


def details(results):
    """One table for each set: a row for each model."""
    header = [
        "model", "fit", "against SVC", "predict", "against SVC", "error", "support vectors",
        "kernel values", "memory, fit", "memory, predict",
    ]  # fmt: skip
    tables = []
    for work, records in _compared(results):
        svc = records.where(column="svc")
        rows = [
            _detail(column.title, records.where(column=column.key), svc)
            for column in models.COLUMNS
            if records.where(column=column.key)
        ]
        n_train, n_test = (count(records.median(part)) for part in ("n_train", "n_test"))
        title = f"{work.title}: {n_train} samples, {n_test} test samples, C={work.C:g}, "
        tables.append(list_table(header, rows, title + f"gamma={work.gamma:g}"))
    return joined(tables)


def _detail(title, records, svc):
    if not records.ok():
        return [title, records.verdict(), *["–"] * 8]
    row = [title]
    for what in ("fit_seconds", "predict_seconds"):
        value = records.median(what)
        row += [seconds(value), times(ratio(svc.median(what), value))]
    return [
        *row,
        percent(records.median("error")),
        count(records.median("n_support")),
        millions(records.median("n_kernel_evaluations")),
        megabytes(records.median("fit_peak_mb")),
        megabytes(records.median("predict_peak_mb")),
    ]


# ---------------------------------------------------------------------------
# Scaling and caches
# ---------------------------------------------------------------------------


CORES = [1, 2, 4, 8, 16, 64]


def cores(results):
    """What two threads gain, carried on to more by Amdahl's law: a model, not a measurement."""
    rows = []
    for work, records in _compared(results, ["adult_csr", "adult_dense", "mnist_8", "mnist_ten"]):
        for model, title in (("lasvc", "LASVC"), ("sklearnex", "scikit-learn-intelex")):
            one, two = (records.where(column=f"{model}_{n}").median("fit_seconds") for n in (1, 2))
            if one is None or two is None:
                continue
            serial = min(max(2 * two / one - 1, 0), 1)
            expected = [one * (serial + (1 - serial) / n) for n in CORES]
            rows.append([f"{work.title}: {title}", percent(serial), *map(seconds, expected)])
    header = ["work", "serial share", *(f"{n} cores" for n in CORES)]
    return list_table(header, rows)


def roof(results):
    """Kernel values and steps per second, compared with a product of the same samples."""
    stored = load("roof", results)
    rows = []
    for name in COMPARED:
        records = Records(stored["records"]).where(workload=name).ok()
        if not records:
            continue
        rates = {
            part: ratio(records.median(f"n_{part}_values"), records.median(f"{part}_seconds"))
            for part in ("fit", "predict", "product")
        }
        steps = ratio(records.median("n_steps"), records.median("fit_seconds"))
        rows.append(
            [
                WORKLOADS[name].title,
                count(records.median("n_features")),
                *(count(rates[part] / 1e6) for part in ("fit", "predict", "product")),
                times(ratio(rates["predict"], rates["product"])),
                count(steps),
            ]
        )
    header = [
        "set", "features", "kernel values per second (millions): fit", "... predict",
        "products of the same samples", "predict against products", "steps per second, fit",
    ]  # fmt: skip
    return list_table(header, rows)


def scaling(results):
    """Time of fit against the number of samples."""
    return _scaling(results, "fit_seconds", seconds)


def scaling_memory(results):
    """Memory of fit against the number of samples."""
    return _scaling(results, "fit_peak_mb", megabytes)


def _scaling(results, field, written):
    stored = load("scaling", results)
    records = Records(stored["records"]).where(cache_size=stored["cache_size"])
    models = {"lasvc": "LASVC", "svc": "SVC", "sklearnex": "scikit-learn-intelex"}
    peers = list(models)[1:]
    rows = []
    for n_rows in sorted({record["rows"] for record in records.records}):
        here = records.where(rows=n_rows)
        found = {model: here.where(model=model).median(field) for model in models}
        ratios = [times(ratio(found[peer], found["lasvc"])) for peer in peers]
        rows.append([count(n_rows), *map(written, found.values()), *ratios])
    exponents = [figures.exponent(records.where(model=model), field) for model in models]
    rows.append(["fitted exponent", *(f"n^{value:.2f}" for value in exponents), "–", "–"])
    header = ["samples", *models.values(), *(f"{models[peer]} / LASVC" for peer in peers)]
    return list_table(header, rows)


def classes(results):
    """Fit and predict against the number of classes; kernel values against the cache."""
    stored = load("classes", results)
    records = Records(stored["records"])
    header = [
        "classes", "cache", "LASVC, fit", "2 threads", "SVC", "scikit-learn-intelex",
        "LASVC against SVC", "against scikit-learn-intelex", "LASVC, predict", "SVC",
        "against SVC", "error, LASVC", "SVC", "kernel values (millions)",
    ]  # fmt: skip
    rows = []
    for n_classes, size in sorted({(r["classes"], r["cache_size"]) for r in records.records}):
        here = records.where(classes=n_classes, cache_size=size)
        one = here.where(model="lasvc", threads=1)
        two, svc, intel = (
            here.where(model="lasvc", threads=2),
            here.where(model="svc"),
            here.where(model="sklearnex"),
        )
        fits = [side.median("fit_seconds") for side in (one, two, svc, intel)]
        predicts = [side.median("predict_seconds") for side in (one, svc)]
        rows.append(
            [
                count(n_classes),
                megabytes(size),
                *(
                    side.verdict() if value is None else seconds(value)
                    for side, value in zip((one, two, svc, intel), fits)
                ),
                times(ratio(fits[2], fits[0])),
                times(ratio(fits[3], fits[0])),
                *map(seconds, predicts),
                times(ratio(predicts[1], predicts[0])),
                percent(one.median("error")),
                percent(svc.median("error")),
                millions(one.median("n_kernel_evaluations")),
            ]
        )
    return list_table(header, rows)


def how_long(results):
    """Fit and predict by samples, features, classes and threads."""
    stored = load("how_long", results)
    records = Records(stored["records"])
    header = [
        "classes", "features", "samples", "support vectors", "fit", "2 threads",
        "predict 1000 samples",
        "time of fit with twice the samples",
    ]  # fmt: skip
    rows = []
    for n_classes, n_features in sorted({(r["classes"], r["features"]) for r in records.records}):
        here = records.where(classes=n_classes, features=n_features)
        slope = figures.exponent(here.where(threads=1), "fit_seconds")
        for n_rows in sorted(here.distinct("rows")):
            one, two = (here.where(rows=n_rows, threads=threads) for threads in (1, 2))
            predict = one.median("predict_seconds")
            per_thousand = 1000 / one.median("n_test") if predict else None
            rows.append(
                [
                    count(n_classes),
                    count(n_features),
                    count(n_rows),
                    count(one.median("n_support")),
                    seconds(one.median("fit_seconds")),
                    seconds(two.median("fit_seconds")),
                    seconds(predict * per_thousand if predict else None),
                    times(2**slope),
                ]
            )
    return list_table(header, rows)


def leave_one_out(results):
    """Leave-one-out errors compared with others, means over the seeds."""
    stored = load("leave_one_out", results)
    records, rows = Records(stored["records"]).ok(), []
    errors = ("estimate", "estimate_after_one_pass", "exact", "bound", "folds", "test")
    for name, n_train in dict.fromkeys((r["workload"], r["n_train"]) for r in stored["records"]):
        found = records.where(workload=name, n_train=n_train)
        row = [WORKLOADS[name].title, count(n_train)]
        row += [f"{count(found.median('n_support'))} / {count(found.median('n_free'))}"]
        for error in errors:
            values = found.values(error)
            row.append(percent(np.mean(values)) if values else "–")
        rows.append(row)
    header = [
        "set", "samples", "support vectors / free", "estimate", "after one pass", "exact",
        "xi-alpha",
        "10 folds", "test samples",
    ]  # fmt: skip
    return list_table(header, rows)


def prefixes(results):
    """Predictions during a stream: errors and cost."""
    stored = load("prefixes", results)
    header = [
        "set", "algorithm", "C", "error, as predicted",
        "... after finish", "... without finishing",
        "worst excess", "stream", "with a prediction per chunk", "sample by sample",
    ]  # fmt: skip
    rows = []
    for record in stored["records"]:
        if record["status"] != "ok":
            continue
        for run in record["runs"]:
            # The first chunk may hold a single class.
            decided, finished, raw = np.array(run["errors"])[1:].T
            learnt = float(np.median(run["stream_seconds"]))
            rows.append(
                [
                    WORKLOADS[record["workload"]].title,
                    record["algorithm"],
                    f"{run['C']:g}",
                    *(percent(errors.mean()) for errors in (decided, finished, raw)),
                    percent((decided - finished).max()),
                    seconds(learnt),
                    seconds(run["watched_seconds"]),
                    f"{run['row_microseconds']:.0f} us",
                ]
            )
    return list_table(header, rows)


def memory(results):
    """Memory of LASVC compared with SVC, the cache and the support vectors."""
    rows = []
    for step in ("scaling", "cache_size"):
        rows += _memory_rows(stored_records(step, results))
    header = ["set", "samples", "cache_size", "vectors of LASVC", "LASVC", "SVC"]
    return list_table(header, rows, "Highest growth of memory during fit")


def _memory_rows(records):
    runs = {
        (r.get("digit"), r["rows"], r["cache_size"]) for r in records.where(model="lasvc").records
    }
    for digit, n_rows, cache_size in sorted(runs, key=lambda run: (run[0] or 0, *run[1:])):
        same = records.where(digit=digit, rows=n_rows, cache_size=cache_size)
        title = "Adult, CSR" if digit is None else f"MNIST, {digit} against the rest"
        columns = (("lasvc", "vectors_mb"), ("lasvc", "fit_peak_mb"), ("svc", "fit_peak_mb"))
        highest = [
            max(same.where(model=model).values(field), default=None) for model, field in columns
        ]
        yield [title, count(n_rows), megabytes(cache_size), *map(megabytes, highest)]


def cache_size(results):
    stored = load("cache_size", results)
    records = Records(stored["records"])
    lines = sorted({(r["model"], r["rows"], r["digit"]) for r in records.records})
    header = [
        "cache",
        *(f"{_name(model)}, {digit}, {count(n)} samples" for model, n, digit in lines),
    ]
    rows = []
    for size in sorted(records.distinct("cache_size")):
        cells = []
        for model, n_rows, digit in lines:
            here = records.where(model=model, rows=n_rows, digit=digit, cache_size=size)
            time = here.median("fit_seconds")
            cells.append(here.verdict() if time is None else seconds(time))
        rows.append([megabytes(size), *cells])
    return list_table(header, rows)


def _name(model):
    return {"lasvc": "LASVC", "svc": "SVC"}[model]


# ---------------------------------------------------------------------------
# The tables of the thesis
# ---------------------------------------------------------------------------


def table_3_2(results):
    stored = load("table_3_2", results)
    rows = []
    for name in TABLE_3_2:
        records = Records(stored["records"]).where(workload=name)
        after = Records(_after(records))
        svc = records.where(model="svc")
        title = WORKLOADS[name].title
        rows.append([title, "ours"] + _measured(svc, "fit_seconds") + _measured(after, "seconds"))
        rows.append([_thesis_title(name), "thesis", *_printed(paper.TABLE_3_2[name])])
    header = ["set", ""]
    for model in ("LIBSVM", "LASVM×1"):
        header += [f"{model}: error", "vectors", "kernel values", "time"]
    return list_table(header, rows)


def _after(records):
    """The records of LASVC after finishing, flat."""
    for record in records.where(model="lasvc").ok().records:
        yield {"status": "ok", **record["after"]}


def _measured(records, time):
    return [
        percent(records.median("error")),
        count(records.median("n_support")),
        millions(records.median("n_kernel_evaluations")),
        seconds(records.median(time)),
    ]


def _printed(sides):
    cells = []
    for error, vectors, kernel_calls, time in sides:
        cells += [f"{error:.2f} %", count(vectors), f"{kernel_calls:g} M", f"{time:g} s"]
    return cells


def _thesis_title(name):
    return "Forest (100k)" if name in paper.STAND_INS else WORKLOADS[name].title.split(",")[0]


def table_3_3(results):
    stored = load("table_3_2", results)
    rows = []
    for name in TABLE_3_2:
        found = Records(stored["records"]).where(workload=name, model="lasvc").ok().records
        cells = []
        for field in ("error", "n_support", "seconds"):
            before, after = (
                Records({"status": "ok", **record[side]} for record in found).median(field)
                for side in ("before", "after")
            )
            cells.append(change(before, after) if before is not None else "–")
        printed = [f"{value:+.0f} %" for value in paper.TABLE_3_3[name]]
        pairs = [cell for pair in zip(cells, printed) for cell in pair]
        rows.append([WORKLOADS[name].title, *pairs])
    header = ["set"]
    for what in ("error", "vectors", "time"):
        header += [what, f"{what}, thesis"]
    return list_table(header, rows)


WAYS = {"x1": "one pass", "x2": "two passes", "exact": "until nothing changes", "svc": "SVC"}


def mnist_digits(results):
    stored = load("mnist_digits", results)
    records = Records(stored["records"])
    header = ["digit"]
    for title in WAYS.values():
        header += [f"{title}: error", "vectors", "time"]
    header.append("passes until nothing changes")
    rows = []
    for digit in sorted(records.distinct("digit")):
        row = [str(digit)]
        for way in WAYS:
            here = records.where(digit=digit, way=way)
            row += [
                percent(here.median("error")),
                count(here.median("n_support")),
                seconds(here.median("fit_seconds")),
            ]
        row.append(count(records.where(digit=digit, way="exact").median("n_iter")))
        rows.append(row)
    return list_table(header, rows)


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
        printed = paper.FIGURE_3_4.get(way)
        theirs = [f"{printed[0]:.2f} %", f"{printed[1]:g} s"] if printed else ["–", "–"]
        title = "SVC / LIBSVM" if way == "svc" else f"LASVC, {title}"
        rows.append([title, *map(percent, errors), seconds(time), *theirs])
    header = [
        "", "error", "error, pixels in [-1, 1]", "time, ten tasks", "error, thesis",
        "time, thesis",
    ]  # fmt: skip
    return list_table(header, rows)


def figure_3_7(results):
    stored = load("figure_3_7", results)
    sweep = figures.sweep_records(stored)
    ways = sweep.distinct("way")
    header = ["delta_max"]
    for way in ways:
        header += [f"{way}: error", "vectors", "time"]
    rows = []
    for value in stored["values"]:
        row = [f"{value:g}"]
        for way in ways:
            here = sweep.where(way=way, delta_max=value)
            row += [
                percent(here.median("error")),
                count(here.median("n_support")),
                seconds(here.median("seconds")),
            ]
        rows.append(row)
    svc = Records(record["svc"] for record in stored["records"])
    rows.append(["SVC", *_measured(svc, "fit_seconds")[:2], *_measured(svc, "fit_seconds")[3:]])
    rows[-1] += ["–"] * (len(header) - len(rows[-1]))
    return list_table(header, rows)


TABLES = {
    table.__name__: table
    for table in (
        speed,
        comparison,
        several,
        details,
        roof,
        cores,
        scaling,
        scaling_memory,
        classes,
        how_long,
        leave_one_out,
        prefixes,
        memory,
        cache_size,
        table_3_2,
        table_3_3,
        mnist_digits,
        mnist_multiclass,
        figure_3_7,
    )
}
