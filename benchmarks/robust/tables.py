"""Tables of the algorithms with a ramp, compared with SVC and with chapter 6 of the thesis."""

from itertools import product

import numpy as np

from sklearn_online_svm.kernel._spec import GapDrivenSpec

from ..bench.rst import (
    NBSP,
    change,
    count,
    cross_table,
    grouped,
    joined,
    list_table,
    percent,
    seconds,
    split_table,
    times,
)
from ..bench.summary import flat, measured, ratio, stored_records
from ..sets.workloads import CHAPTER_6, WORKLOADS
from ..svc.models import ALGORITHMS, ROBUST_COLUMNS
from . import paper
from .steps import (
    CONSTANTS,
    CONSTANTS_ALGORITHMS,
    CONSTANTS_OF_RAMP,
    NOISE_ALGORITHMS,
    NOISE_C,
    NOISE_COLUMNS,
    NOISE_FEATURES,
    NOISE_KINDS,
    ONE_COORDINATE,
    SUSPECT_C,
    SUSPECT_SHARE,
    SUSPECT_SHARES,
)
from .suspects import KINDS, SETS


def titled(name):
    """The title of a set with its C: some appear with two."""
    work = WORKLOADS[name]
    return f"{work.title}, C={work.C:g}"


def robust_records(name, results):
    """Records of `robust_<name>`; empty without results."""
    return stored_records(f"robust_{name}", results)


def chapter_6_runs(name, results):
    """The runs of each algorithm on a set, by algorithm; empty without results."""
    records = stored_records(f"chapter_6_{name}", results).ok().records
    return {record["algorithm"]: record["runs"] for record in records}


def table_6_1(results):
    """Where on the ramp samples of Adult were first seen, and how many CLEAN removed."""
    runs = chapter_6_runs("adult_dense", results)
    rows = []
    for algorithm, title in ALGORITHMS.items():
        if algorithm not in runs or algorithm == "lasvm":
            continue
        rows.append([title, *map(count, np.mean([_flow(run) for run in runs[algorithm]], axis=0))])
        if algorithm in paper.TABLE_6_1:
            vectors, others, left, right, cleaned_left, cleaned_right = paper.TABLE_6_1[algorithm]
            printed = [vectors, others, left, None, right, cleaned_left, None, cleaned_right]
            rows.append([f"{title}, thesis", *map(count, printed), "–", "–"])
    header = [
        "", "support vectors", "others", *["left", "on the ramp", "right"] * 2, "left", "right",
    ]  # fmt: skip
    parts = {"Kept": 2, "Admitted": 3, "Removed by CLEAN": 3, "Skipped": 2}
    return split_table(header, rows, parts)


def _flow(run):
    final = run["final"]
    left_and_right = [run["skipped"][0], run["skipped"][2]]
    others = final["n_kept"] - final["n_support"]
    return [final["n_support"], others, *run["admitted"], *run["cleaned"], *left_and_right]


# Title, and how a value is written.
MEASURES = {
    "accuracy": ("accuracy", "{:.2f}".format),
    "n_support": ("vectors", count),
    "seconds": ("time", lambda value: seconds(value) if value < 100 else f"{value:.0f}{NBSP}s"),
    "prbep": ("PRBEP", "{:.2f}".format),
    "auc": ("AUC", "{:.3f}".format),
    "gmean": ("g-means", "{:.2f}".format),
    "n_kernel_evaluations": ("kernel values (M)", "{:.4g}".format),
}


def table_6_3(results):
    return _compared_with_thesis(("accuracy", "n_support", "seconds"), results)


def table_6_4(results):
    return _compared_with_thesis(("prbep", "auc", "gmean", "n_kernel_evaluations"), results)


def _compared_with_thesis(measures, results):
    """For each set a row for each algorithm; the values of the thesis in brackets."""
    columns = {measure: MEASURES[measure][0] for measure in measures}
    algorithms = ALGORITHMS | {"svc": "SVC / LIBSVM"}
    tables = []
    for name in CHAPTER_6:
        runs = chapter_6_runs(name, results)
        finals = {key: [run["final"] for run in mine] for key, mine in runs.items()}
        svc = robust_records(name, results).where(column="svc", seed=0).ok()
        finals["svc"] = [r | {"seconds": svc.median("fit_seconds")} for r in svc.records]

        def cell(algorithm, measure, name=name, finals=finals):
            written = MEASURES[measure][1]
            found = [_value(measure, final) for final in finals.get(algorithm, ())]
            # SVC does not count kernel values.
            found = [value for value in found if value is not None]
            typical = np.median if measure == "seconds" else np.mean
            text = written(typical(found)) if found else "–"
            printed = paper.chapter_6(measure, algorithm, name)
            return text if printed is None else f"{text} ({written(printed)})"

        numbers = {ALGORITHMS[algorithm]: len(mine) for algorithm, mine in runs.items()}
        title = f"{titled(name)}: {_how_many(numbers)}"
        tables.append(cross_table("", algorithms, columns, cell, title))
    return joined(tables)


def _how_many(numbers):
    """How many runs the means are taken over, and of what there are fewer, by title."""
    most = max(numbers.values(), default=0)
    fewer = [f"{title}: {n}" for title, n in numbers.items() if n < most]
    return f"{most} runs" + (f" ({'; '.join(fewer)})" if fewer else "")


def runs_of_chapter_6(results):
    """A sentence on the numbers of runs."""
    curves = {
        titled(name): sum(bool(run["curve"]) for run in runs["lasvm-g"])
        for name in CHAPTER_6
        if "lasvm-g" in (runs := chapter_6_runs(name, results))
    }
    adult = chapter_6_runs("adult_dense", results).items()
    admitted = {ALGORITHMS[key]: len(runs) for key, runs in adult if key != "lasvm"}
    ramps = {
        titled(record["workload"]): len({point["order"] for point in record["sweep"]})
        for record in measured("ramp_s", results).records
    }
    shown = {
        "Table 6.1": admitted, "Figures 6.1, 6.2, 6.4, 6.6 and 6.7": curves, "Figure 6.5": ramps,
    }  # fmt: skip
    parts = [f"{title}: {_how_many(numbers)}" for title, numbers in shown.items()]
    return f"{'. '.join(parts)}.\n"


# Meaning of the constants, and where the thesis has them.
CONSTANT_FIELDS = {
    "ramp_start": (
        '``"lasvm-nc"``, ``"lasvm-i"``: largest number of support vectors with which samples '
        "left of the ramp are treated like the others (the initial phase)",
        "S in section 6.2.2, without a value; LASVM-I in section 6.3 has no initial phase (0)",
    ),
    "single_steps": (
        "REPROCESS steps on one coordinate for a sample, before steps on two",
        "section 6.1.2: on one coordinate only",
    ),
    "max_reprocess": ("largest number of REPROCESS steps for a sample", "no limit"),
    "clean_interval": ("number of inserted samples between two runs of CLEAN", "300, section 6.5"),
    "max_non_sv": (
        "number of elements with :math:`\\alpha = 0` that CLEAN keeps",
        "m in section 6.1.2, without a value",
    ),
}


def gap_driven_constants(results):
    """The constants of LASVM-G, -NC and -I, from the code."""
    rows = [
        [f"``{name}``", count(getattr(GapDrivenSpec, name)), meaning, thesis]
        for name, (meaning, thesis) in CONSTANT_FIELDS.items()
    ]
    return list_table(["field", "value", "meaning", "thesis"], rows)


def _constants(results):
    """For each set and algorithm the points of `chapter_6_constants`, by title."""
    return {
        (record["workload"], record["algorithm"]): {p["title"]: p for p in record["sweep"]}
        for record in measured("chapter_6_constants", results).records
    }


def one_coordinate(results):
    """REPROCESS on two coordinates compared with single steps only, as in the thesis."""
    rows, numbers = [], {}
    for (name, algorithm), points in _constants(results).items():
        if ONE_COORDINATE not in points:
            continue
        two, one = points["default"], points[ONE_COORDINATE]
        numbers[titled(name)] = len(two["error"])
        fields = two.keys() - {"title"}
        pairs = {field: (np.mean(two[field]), np.mean(one[field])) for field in fields}
        vectors = pairs["n_support"]
        printed = paper.chapter_6("n_support", algorithm, name)
        cells = [*map(count, vectors), change(*vectors), count(printed)]
        for field in ("n_steps", "seconds", "duality_gap"):
            cells.append(times(ratio(*reversed(pairs[field]))))
        cells += [" → ".join(f"{100 * error:.2f}" for error in pairs["error"])]
        rows.append([titled(name), ALGORITHMS[algorithm], *cells])
    header = [
        "set", "algorithm", "two coordinates", "one", "change", "thesis",
        "steps", "time", "duality gap", "error (%)",
    ]  # fmt: skip
    parts = {
        f"Support vectors, {_how_many(numbers)}": 4,
        "Multiples with steps on one coordinate only": 4,
    }
    return split_table(header, grouped(rows), parts, n_keys=2)


def other_constants(results):
    """Support vectors and errors with other constants, and the runs that see one class only."""
    rows = {title: title for title in ["thesis", *CONSTANTS, *CONSTANTS_OF_RAMP]}
    tables = []
    for algorithm in CONSTANTS_ALGORITHMS:
        found = {
            name: points for (name, key), points in _constants(results).items() if key == algorithm
        }

        def cell(title, name, algorithm=algorithm, found=found):
            if title == "thesis":
                n, accuracy = (
                    paper.chapter_6(field, algorithm, name) for field in ("n_support", "accuracy")
                )
                return "–" if n is None else f"{count(n)}; {100 - accuracy:.2f}"
            point = found[name].get(title)
            if point is None:
                return "–"
            text = f"{count(np.mean(point['n_support']))}; {100 * np.mean(point['error']):.2f}"
            n_collapsed = point["gmean"].count(0.0)
            return f"{text} ({n_collapsed} collapsed)" if n_collapsed else text

        columns = {name: titled(name) for name in found}
        numbers = {titled(name): len(found[name]["default"]["error"]) for name in found}
        title = f"{ALGORITHMS[algorithm]}, {_how_many(numbers)}: support vectors; error (%)"
        tables.append(cross_table("", rows, columns, cell, title))
    return joined(tables)


def _value(measure, record):
    """In the unit of the thesis."""
    if measure == "accuracy":
        return 100 * (1 - record["error"])
    scale = {"prbep": 100, "gmean": 100, "n_kernel_evaluations": 1e-6}.get(measure, 1)
    return None if record[measure] is None else scale * record[measure]


def noise_points(results):
    """The points of `label_noise`, with the set and the kind of noise."""
    records = stored_records("label_noise", results)
    return flat(records, "sweep", "workload", "one_sided", "n_train")


def suspect_labels(results):
    """Of as many suspects as labels were flipped, how many are right: precision = recall."""
    found = noise_points(results).where(share=SUSPECT_SHARE)
    cases = dict.fromkeys((r["workload"], r["one_sided"]) for r in found.records)
    sides = {False: "both classes", True: "positive class"}
    rows = {case: f"{titled(case[0])}, {sides[case[1]]}" for case in cases}
    titles = {name: ROBUST_COLUMNS[name].title for name in NOISE_COLUMNS if name != "ramp_0"}
    columns = {name: title.removeprefix("LASVM-") for name, title in titles.items()}

    def cell(case, column):
        here = found.where(workload=case[0], one_sided=case[1], column=column)
        precision = here.median("precision")
        return "–" if precision is None else f"{100 * precision:.2f}"

    return cross_table("flipped labels", rows, columns, cell, "Precision in per cent")


def suspect_methods(results):
    """Average precision of each method: means by kind, share, set and C."""
    found = flat(stored_records("suspect_methods", results), "sweep", "set", "kind", "share", "C")
    methods = {
        "left_out": "leave-one-out",
        "folds": "five folds",
        "training": "training",
        "nc": "NC",
        "ramp": "RampSVC",
        "probabilities": "five folds, probabilities",
    }
    rows = {("C", C): f"C={C:g}" for C in SUSPECT_C}
    rows |= {("kind", kind): kind for kind in KINDS}
    rows |= {("share", share): f"{100 * share:g} % wrong" for share in SUSPECT_SHARES}
    rows |= {("set", name): of.title for name, of in SETS.items()}

    def cell(row, method):
        values = found.where(method=method, **dict([row])).values("precision")
        return f"{np.mean(values):.3f}" if values else "–"

    return cross_table("mean over", rows, methods, cell, "Average precision")


def noise_kinds(results):
    """Test errors; support vectors and times as multiples of those of LASVM."""
    found = flat(stored_records("noise_kinds", results), "sweep", "kind", "n_features", "C")
    rows = {case: f"{case[0]}, {case[1]:g}" for case in product(NOISE_FEATURES, NOISE_C)}
    names = {name: ALGORITHMS[name] for name in NOISE_ALGORITHMS}
    ramps = {name: title for name, title in names.items() if name != "lasvm"}
    tables = []
    for kind, title in NOISE_KINDS.items():

        def median(case, algorithm, field, kind=kind):
            here = found.where(kind=kind, n_features=case[0], C=case[1], algorithm=algorithm)
            return here.median(field)

        def error(case, algorithm, median=median):
            return percent(median(case, algorithm, "error"))

        def relative(case, algorithm, median=median):
            fields = ("n_vectors", "seconds")
            pairs = [[median(case, name, f) for name in (algorithm, "lasvm")] for f in fields]
            return ", ".join(times(ratio(*pair)) for pair in pairs)

        title_of_ratios = f"Support vectors and fit time, {title}"
        tables += [
            cross_table("features, C", rows, names, error, f"Test error, {title}"),
            cross_table("features, C", rows, ramps, relative, title_of_ratios),
        ]
    return joined(tables)


TABLES = {
    table.__name__: table
    for table in (
        table_6_1,
        table_6_3,
        table_6_4,
        runs_of_chapter_6,
        gap_driven_constants,
        one_coordinate,
        other_constants,
        suspect_labels,
        suspect_methods,
        noise_kinds,
    )
}
