"""Tables of the algorithms with a ramp, compared with SVC and with chapter 6 of the thesis."""

from itertools import product

import numpy as np

from ..bench.results import load
from ..bench.rst import change, count, joined, list_table, percent, seconds, times
from ..bench.summary import Records, ratio, stored_records
from ..svc.models import ALGORITHMS, ROBUST_COLUMNS
from ..svc.workloads import CHAPTER_6, ROBUST, WORKLOADS
from . import paper
from .steps import (
    NOISE_ALGORITHMS,
    NOISE_C,
    NOISE_COLUMNS,
    NOISE_FEATURES,
    NOISE_KINDS,
    SUSPECT_SHARE,
)


def titled(name):
    """The title of a set with its C: some appear with two."""
    work = WORKLOADS[name]
    return f"{work.title}, C={work.C:g}"


def robust_records(name, results):
    """Records of `robust_<name>`; empty without results."""
    return stored_records(f"robust_{name}", results)


# ---------------------------------------------------------------------------
# Beside SVC
# ---------------------------------------------------------------------------


def robust_speed(results):
    """LASVM-G, -NC and -I compared with SVC and LASVM."""
    rows = []
    for name in ROBUST:
        records = robust_records(name, results)
        svc, lasvm = (records.where(column=key) for key in ("svc", "lasvm"))
        for algorithm in ("lasvm-g", "lasvm-nc", "lasvm-i") if records else ():
            mine = records.where(column=algorithm)
            if mine:
                rows.append([titled(name), ALGORITHMS[algorithm], *_beside(mine, svc, lasvm)])
    header = [
        "set", "algorithm", "fit, against SVC", "fit, time over that of LASVM",
        "predict, against SVC", "vectors, of those of SVC", "error, minus that of SVC",
    ]  # fmt: skip
    return list_table(header, rows, "Medians over the seeds")


def _beside(mine, svc, lasvm):
    fit, predict, vectors = "fit_seconds", "predict_seconds", "n_support"
    error = None
    if mine.ok() and svc.ok():
        error = 100 * (mine.median("error") - svc.median("error"))
    return [
        times(ratio(svc.median(fit), mine.median(fit))),
        times(ratio(mine.median(fit), lasvm.median(fit))),
        times(ratio(svc.median(predict), mine.median(predict))),
        percent(ratio(mine.median(vectors), svc.median(vectors))),
        "–" if error is None else f"{error:+.2f} points",
    ]


def robust_details(results):
    """One table for each set: a row for each model."""
    header = ["model", "fit", "against SVC", "predict", "against SVC", "error", "support vectors"]
    tables = []
    for name in ROBUST:
        records = robust_records(name, results)
        svc = records.where(column="svc")
        rows = []
        for column in ROBUST_COLUMNS.values():
            mine = records.where(column=column.key)
            if not mine:
                continue
            row = [column.title]
            for what in ("fit_seconds", "predict_seconds"):
                value = mine.median(what)
                row += [seconds(value), times(ratio(svc.median(what), value))]
            error, vectors = percent(mine.median("error")), count(mine.median("n_support"))
            rows.append([*row, error, vectors])
        if rows:
            gamma = f", gamma={WORKLOADS[name].gamma:g}"
            tables.append(list_table(header, rows, titled(name) + gamma))
    return joined(tables)


def memory_traffic(results):
    """The time that reading kernel rows takes, compared with that of LASVM-G on Adult."""
    stored = load("memory_traffic", results)
    records = Records(stored["records"])
    value = {
        name: records.median(name)
        for name in ("seconds", "n_steps", "mean_slots", "bytes_per_slot", "bandwidth")
    }
    if None in value.values():
        return None
    bytes_read = value["n_steps"] * value["mean_slots"] * value["bytes_per_slot"]
    header = [
        "", "one pass", "steps", "mean length of a kernel row", "read in all",
        "memory reads", "that takes",
    ]  # fmt: skip
    row = [
        f"LASVM-G, {titled(stored['workload'])}",
        seconds(value["seconds"]),
        count(value["n_steps"]),
        count(value["mean_slots"]),
        f"{bytes_read / 1e9:.0f} GB",
        f"{value['bandwidth'] / 1e9:.1f} GB/s",
        seconds(bytes_read / value["bandwidth"]),
    ]
    title = (
        f"A step of LASVM-G reads one kernel row, {value['bytes_per_slot']:g} bytes for each "
        "vector kept. Last column: the time to read these rows at the speed with which NumPy "
        "sums up a large array in the same process. Rows that are still in a cache of the "
        "processor come faster; the gradients and bounds, which each step reads as well, stay "
        "there and are not counted."
    )
    return list_table(header, [row], title)


# ---------------------------------------------------------------------------
# Chapter 6
# ---------------------------------------------------------------------------


def chapter_6_runs(name, results, step="chapter_6"):
    """The runs of each algorithm on a set, by algorithm; empty without results."""
    records = stored_records(f"{step}_{name}", results).ok().records
    return {record["algorithm"]: record["runs"] for record in records}


def table_6_1(results):
    """Where on the ramp samples of Adult were first seen, and how many CLEAN removed."""
    runs = chapter_6_runs("adult_dense", results)
    header = [
        "", "", "support vectors", "others kept", "admitted left of the ramp", "on it",
        "right of it", "cleaned, left", "on it", "right", "skipped, left", "right",
    ]  # fmt: skip
    rows = []
    for algorithm, title in ALGORITHMS.items():
        if algorithm not in runs or algorithm == "lasvm":
            continue
        mean = [np.mean([_flow(run) for run in runs[algorithm]], axis=0)]
        rows.append([title, "ours", *map(count, mean[0])])
        if algorithm in paper.TABLE_6_1:
            vectors, others, left, right, cleaned_left, cleaned_right = paper.TABLE_6_1[algorithm]
            printed = [vectors, others, left, None, right, cleaned_left, None, cleaned_right]
            rows.append([title, "thesis", *map(count, printed), "–", "–"])
    return list_table(header, rows)


def _flow(run):
    final = run["final"]
    left_and_right = [run["skipped"][0], run["skipped"][2]]
    others = final["n_kept"] - final["n_support"]
    return [final["n_support"], others, *run["admitted"], *run["cleaned"], *left_and_right]


def table_6_3(results):
    measures = {
        "accuracy": ("accuracy", lambda value: f"{value:.2f}"),
        "n_support": ("vectors", count),
        "seconds": ("time", lambda value: seconds(value) if value < 100 else f"{value:.0f} s"),
    }
    return _beside_thesis(measures, results)


def table_6_4(results):
    measures = {
        "prbep": ("PRBEP", lambda value: f"{value:.2f}"),
        "auc": ("AUC", lambda value: f"{value:.3f}"),
        "gmean": ("g-means", lambda value: f"{value:.2f}"),
    }
    return _beside_thesis(measures, results)


def _beside_thesis(measures, results):
    """A row for each measure and algorithm, a column for each set; the thesis in brackets."""
    runs = {name: chapter_6_runs(name, results) for name in CHAPTER_6}
    single = {name: chapter_6_runs(name, results, "single_steps") for name in CHAPTER_6}
    sets = [name for name in CHAPTER_6 if runs[name]]
    if not sets:
        return None
    rows = []
    for measure, (title, written) in measures.items():
        typical = np.median if measure == "seconds" else np.mean
        for key, name_of_row in [*ALGORITHMS.items(), ("svc", "SVC / LIBSVM")]:
            cells, single_cells = [], []
            for name in sets:
                if key == "svc":
                    values = _svc_value(measure, name, results)
                else:
                    values = _values(measure, runs[name].get(key, ()))
                printed = paper.chapter_6(measure, key, name)
                cell = written(typical(values)) if values else "–"
                cells.append(cell if printed is None else f"{cell} ({written(printed)})")
                values = _values(measure, single[name].get(key, ()))
                single_cells.append(written(typical(values)) if values else "–")
            rows.append([title, name_of_row, *cells])
            rows.append([title, f"{name_of_row}, single steps", *single_cells])
    rows = [row for row in rows if set(row[2:]) != {"–"}]
    title = f"Means (times: medians) over {_how_many(runs)}; one run of SVC. "
    if any(single.values()):
        title += f"Single steps: {_how_many(single)}. "
    title += "In brackets the values of the thesis."
    return list_table(["", "", *map(titled, sets)], rows, title)


def _how_many(runs):
    """How many runs the means are taken over, and where they are fewer."""
    numbers = {
        name: {algorithm: len(mine) for algorithm, mine in by_algorithm.items()}
        for name, by_algorithm in runs.items()
        if by_algorithm
    }
    most = max(max(own.values()) for own in numbers.values())
    words = [f"{most} runs"]
    for name, own in numbers.items():
        many = max(own.values())
        fewer = [f"{ALGORITHMS[key]} {number}" for key, number in own.items() if number < many]
        if many < most or fewer:
            brackets = f" ({', '.join(fewer)})" if fewer else ""
            words.append(f"{WORKLOADS[name].title}: {many}{brackets}")
    return "; ".join(words)


def _values(measure, runs):
    return [_value(measure, run["final"]) for run in runs]


def kernel_values(results):
    """Kernel values compared with those of the thesis, in per cent more; steps."""
    measure = "n_kernel_evaluations"
    rows = []
    for name in CHAPTER_6:
        ways = [chapter_6_runs(name, results, step) for step in ("chapter_6", "single_steps")]
        for algorithm, title in ALGORITHMS.items():
            if algorithm not in ways[0]:
                continue
            printed = paper.chapter_6(measure, algorithm, name)
            row = [titled(name), title, "–" if printed is None else f"{printed:g}"]
            steps = []
            for runs in ways:
                mine = runs.get(algorithm, ())
                values = _values(measure, mine)
                row.append(f"{np.mean(values):.4g}" if values else "–")
                row.append(change(printed, np.mean(values)) if printed and values else "–")
                n_steps = [run["final"]["n_steps"] for run in mine if "n_steps" in run["final"]]
                steps.append(count(np.mean(n_steps) / 1000) if n_steps else "–")
            rows.append([*row, *steps])
    header = [
        "set", "algorithm", "kernel values (millions), thesis", "ours", "differ by",
        "ours, single steps", "differ by", "steps (thousands)", "single steps (thousands)",
    ]  # fmt: skip
    return list_table(header, rows)


def _value(measure, record):
    """In the unit of the thesis."""
    if measure == "accuracy":
        return 100 * (1 - record["error"])
    scale = {"prbep": 100, "gmean": 100, "n_kernel_evaluations": 1e-6}.get(measure, 1)
    return scale * record[measure]


def _svc_value(measure, name, results):
    """That of the one run of SVC on the same split; it does not count kernel values."""
    svc = robust_records(name, results).where(column="svc", seed=0).ok()
    if not svc or measure == "n_kernel_evaluations":
        return []
    record = svc.records[0]
    return [_value(measure, record | {"seconds": svc.median("fit_seconds")})]


# ---------------------------------------------------------------------------
# Labels that are wrong
# ---------------------------------------------------------------------------


def noise_points(results):
    """The points of all sweeps of `label_noise`, with the set and the kind of noise."""
    return Records(
        {
            "status": "ok",
            **{key: record[key] for key in ("workload", "one_sided", "seed", "n_train")},
            **point,
        }
        for record in stored_records("label_noise", results).ok().records
        for point in record["sweep"]
    )


def suspect_labels(results):
    """Of as many suspects as labels were flipped, how many are right: precision = recall."""
    found = noise_points(results).where(share=SUSPECT_SHARE)
    rows = []
    for name, one_sided in dict.fromkeys((r["workload"], r["one_sided"]) for r in found.records):
        here = found.where(workload=name, one_sided=one_sided)
        n_flipped, n_train = here.median("n_flipped"), here.median("n_train")
        sides = "one-sided" if one_sided else "both classes"
        cells = [
            percent(here.where(column=column).median("precision")) for column in NOISE_COLUMNS
        ]
        rows.append(
            [titled(name), sides, count(n_flipped), percent(ratio(n_flipped, n_train)), *cells]
        )
    titles = [ROBUST_COLUMNS[column].title for column in NOISE_COLUMNS]
    header = ["set", "noise", "flipped labels", "base rate", *titles]
    return list_table(header, rows)


def noise_kinds(results):
    """Test errors; support vectors and times as multiples of those of LASVM."""
    found = Records(
        {**{key: record[key] for key in ("kind", "n_features", "C", "seed", "status")}, **point}
        for record in stored_records("noise_kinds", results).ok().records
        for point in record["sweep"]
    )
    if not found:
        return None
    tables = []
    for kind in NOISE_KINDS:
        rows = []
        for n_features, C in product(NOISE_FEATURES, NOISE_C):
            here = found.where(kind=kind, n_features=n_features, C=C)
            hinge, *ramps = (here.where(algorithm=name) for name in NOISE_ALGORITHMS)
            errors = [percent(one.median("error")) for one in (hinge, *ramps)]
            ratios = [
                times(ratio(one.median(field), hinge.median(field)))
                for field in ("n_vectors", "seconds")
                for one in ramps
            ]
            rows.append([count(n_features), f"{C:g}", *errors, *ratios])
        header = [
            "features",
            "C",
            "test error: lasvm",
            "-nc",
            "-i",
            "support vectors: -nc",
            "-i",
            "fit time: -nc",
            "-i",
        ]
        titles = {"flipped": "20 % of the labels flipped", "overlapping": "Overlapping classes"}
        tables.append(list_table(header, rows, titles[kind]))
    return joined(tables)


TABLES = {
    table.__name__: table
    for table in (
        robust_speed,
        robust_details,
        memory_traffic,
        table_6_1,
        table_6_3,
        table_6_4,
        kernel_values,
        suspect_labels,
        noise_kinds,
    )
}
