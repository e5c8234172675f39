"""Tables of imbalanced classes: chapters 4 and 5 of the thesis compared with ours."""

import statistics
from functools import partial

import numpy as np
from scipy.stats import rankdata, wilcoxon

from ..bench.results import load_those_stored
from ..bench.rst import count, joined, list_table, number, percent, pivot, split_table
from ..bench.summary import Records, mean, measured, ratio, stored_records
from .paper import (
    ROC_ADULT,
    TABLE_4_3,
    TABLE_4_4,
    TABLE_5_2,
    TABLE_5_3,
    TIMES_4_4,
    TIMES_5_3,
)
from .sets import ABALONE, ADULT, PRINTED_TEXT, SETS, TEXT

TITLES = {
    "batch": "batch",
    "under_sampling": "under-sampling",
    "smote": "SMOTE",
    "costs": "costs",
    "active": "active",
    "virtual": "VIRTUAL",
}
# The methods of Tables 4.4 and 4.5, and of Table 5.3.
CHAPTER_4 = ["batch", "under_sampling", "smote", "costs", "active"]
CHAPTER_5 = ["batch", "smote", "active", "virtual"]


def table_records(results):
    """Records of Tables 4.3 to 5.3 that went well; empty without results."""
    steps = load_those_stored(("rare_reuters", "rare_sets"), results).values()
    records = [record for step in steps for record in step["records"]]
    # Active selection uses the thesis' number of samples there, and no rule.
    for record in stored_records("along_mnist", results).ok().records:
        point = record["points"][-1]
        records.append(record | point | {
            "rival": record["rival"].removesuffix("_all"),
            "n_negative": record["n_train"] - record["n_positive"],
            "n_labels": point["n_learnt"],
        })  # fmt: skip
    return Records(records).ok()


def _sets(records, printed):
    measured = records.distinct("workload")
    return [workload for workload in printed if workload in measured]


def _title(workload):
    return SETS[workload].title


def beside(value, printed, digits=2):
    """Ours, and the thesis' in brackets."""
    return f"{value:.{digits}f} [{printed:.{digits}f}]"


def _column(records, printed):
    """A function that makes the cells of a column, with the thesis' values in brackets."""

    def cells(rival, field, column, factor=100, digits=2):
        def cell(workload):
            value = factor * mean(records, field, workload=workload, rival=rival)
            return beside(value, printed[workload][column], digits)

        return TITLES[rival], cell

    return cells


def rare_table_4_3(results):
    """Active with an early stop compared with batch."""
    records = table_records(results)
    column = _column(records, TABLE_4_3)

    def of_active(field, workload):
        return mean(records, field, workload=workload, rival="active")

    def classes(w):
        return f"{of_active('n_negative', w) / of_active('n_positive', w):.1f}"

    def labels(w):
        n_train = of_active("n_negative", w) + of_active("n_positive", w)
        return beside(100 * of_active("n_labels", w) / n_train, TABLE_4_3[w][5], 1)

    columns = [
        ("", _title),
        column("batch", "gmean", 0),
        column("active", "gmean", 1),
        column("batch", "auc", 2),
        column("active", "auc", 3),
        ("classes", classes),
        ("support vectors", column("active", "vector_ratio", 4, factor=1)[1]),
        ("labels (%)", labels),
    ]
    parts = {
        "Table 4.3: g-mean in per cent; in square brackets the thesis": 2,
        "Table 4.3: AUC in per cent": 2,
        "Table 4.3: ratios of the classes and of active's support vectors; labels used": 3,
    }
    return pivot(_sets(records, TABLE_4_3), columns, parts)


def rare_table_5_2(results):
    """Support vectors with SMOTE, active and VIRTUAL."""
    records = table_records(results)
    column = _column(records, TABLE_5_2)

    def share_of_used(workload):
        shares = (
            r["virtual_ratio"] * r["n_virtual"] / max(1, r["n_virtual_used"])
            for r in records.where(workload=workload, rival="virtual").records
        )
        return f"{100 * statistics.fmean(shares):.1f}"

    columns = [
        ("", _title),
        column("smote", "vector_ratio", 0, factor=1),
        column("active", "vector_ratio", 1, factor=1),
        column("virtual", "vector_ratio", 2, factor=1),
        column("smote", "virtual_ratio", 3, digits=1),
        column("virtual", "virtual_ratio", 4, digits=1),
        ("of those used", share_of_used),
    ]
    parts = {
        "Table 5.2: negative support vectors for each positive one; in square brackets the "
        "thesis": 3,
        "Table 5.2: share of the synthetic samples that are support vectors (%); the last column "
        "counts only those that VIRTUAL used for training": 3,
    }
    return pivot(_sets(records, TABLE_5_2), columns, parts)


def _scores(records, workloads, rivals, field):
    """A row for each set, a column for each method, in per cent as they are printed.

    Over the runs that all of them had; batch, in which nothing is drawn, may have had fewer.
    """
    rows = []
    for workload in workloads:
        here = records.where(workload=workload)
        runs = [set(here.where(rival=r).distinct("seed")) for r in rivals if r != "batch"]
        shared = set.intersection(*runs)
        same = Records(record for record in here.records if record["seed"] in shared)
        rows.append([100 * mean(same, field, rival=rival) for rival in rivals])
    return np.round(rows, 2)


def ranks(values):
    """1 is best; equal values share the better rank, as in the thesis."""
    return rankdata(-np.asarray(values), method="min", axis=1)


def _p_values(scores):
    """Of Wilcoxon's test of the last method against each of the others."""
    return [
        "–" if np.array_equal(other, scores[:, -1])
        else f"{wilcoxon(scores[:, -1], other).pvalue:.2g}"
        for other in scores.T[:-1]
    ]  # fmt: skip


def _ranked(records, printed, rivals, field, parts):
    """Scores with their ranks, mean ranks, and p of the last method.

    Means and p are without abalone, on which all methods have the same score.
    """
    workloads = _sets(records, printed)
    if not workloads:
        return None
    counted = [workload != ABALONE for workload in workloads]
    theirs = np.array([printed[workload][: len(rivals)] for workload in workloads])
    ours = _scores(records, workloads, rivals, field)
    places, their_places = ranks(ours), ranks(theirs)
    rows = []
    for workload, *values in zip(workloads, ours, places, theirs):
        cells = [f"{ours:.2f} ({place:.0f}) [{value:.2f}]" for ours, place, value in zip(*values)]
        rows.append([_title(workload), *cells])
    means = (found[counted].mean(axis=0) for found in (places, their_places))
    rows.append(["mean rank", *(beside(*pair) for pair in zip(*means))])
    text = [workload in TEXT for workload in workloads]
    for title, some in (("p", counted), ("p, Reuters", text)):
        p_values = zip(_p_values(ours[some]), _p_values(theirs[some]))
        rows.append([f"{title}, {TITLES[rivals[-1]]}", *(f"{a} [{b}]" for a, b in p_values), ""])
    return split_table(["", *(TITLES[rival] for rival in rivals)], rows, parts)


def rare_table_4_4(results):
    """PRBEP of chapter 4's methods, with the ranks of Table 4.5."""
    parts = {
        "Tables 4.4 and 4.5: PRBEP in per cent; in brackets the rank, in square brackets the "
        "thesis": 2,
        "Tables 4.4 and 4.5, continued": 3,
    }
    return _ranked(table_records(results), TABLE_4_4, CHAPTER_4, "prbep", parts)


def rare_table_5_3(results):
    """G-means of batch, SMOTE, active and VIRTUAL; of the methods without synthetic samples."""
    records = table_records(results)
    parts = {
        "Table 5.3: g-mean in per cent; in brackets the rank, in square brackets the thesis": 2,
        "Table 5.3, continued": 2,
    }
    others, workloads = ["under_sampling", "costs", "virtual"], _sets(records, TABLE_5_3)
    if not workloads:
        return None
    scores = _scores(records, workloads, others, "gmean")
    rows = [[_title(w), *(f"{s:.2f}" for s in row[:2])] for w, row in zip(workloads, scores)]
    counted = [workload != ABALONE for workload in workloads]
    rows.append(["p, VIRTUAL", *_p_values(scores[counted])])
    title = "g-mean in per cent of two methods that Table 5.3 does not have"
    return joined([
        _ranked(records, TABLE_5_3, CHAPTER_5, "gmean", parts),
        list_table(["", *(TITLES[rival] for rival in others[:2])], rows, title),
    ])  # fmt: skip


def rare_parameters(results):
    """Batch and active with the parameters of the thesis' results, and with those it prints."""
    others = measured("rare_printed", results)
    records = Records([*table_records(results).records, *others.records])
    rows = []
    for printed in PRINTED_TEXT:
        used = printed.removesuffix("_printed")
        columns = (
            ("batch", "gmean", 100, TABLE_5_3[used][0]),
            ("batch", "prbep", 100, TABLE_4_4[used][0]),
            ("active", "vector_ratio", 1, TABLE_5_2[used][1]),
        )
        cells = [
            " / ".join(
                f"{factor * mean(records, field, workload=workload, rival=rival):.2f}"
                for workload in (used, printed)
            )
            + f" [{value:.2f}]"
            for rival, field, factor, value in columns
        ]
        rows.append([f"{_title(used)}: {SETS[printed].C:g}, {SETS[printed].gamma:g}", *cells])
    title = (
        "With ``C=1, gamma=0.5`` / with the values of Table 4.2, which the first column has; in "
        "square brackets the thesis"
    )
    return list_table(["C, gamma", "g-mean", "PRBEP", "ratio"], rows, title)


POSITIONS = {
    "virtual_all": "VIRTUAL",
    "virtual_nearby": "nearer half",
    "virtual_ends": "ends",
    "twice": "weight 2",
}
# A field of `rare_positions`, its title, and the column of the thesis' table.
OF_POSITIONS = {
    "gmean": ("G-mean in per cent", 100, TABLE_5_3, 3),
    "vector_ratio": ("Ratio of the support vectors", 1, TABLE_5_2, 2),
    "virtual_ratio": ("Share of virtual samples that are support vectors", 100, TABLE_5_2, 4),
}


def rare_positions(results):
    """VIRTUAL with points in other places, and more weight for the minority instead."""
    records = measured("rare_positions", results)
    rows = {workload: _title(workload) for workload in records.distinct("workload")}
    tables = []
    for field, (title, factor, printed, column) in OF_POSITIONS.items():

        def cell(workload, rival, field=field, factor=factor):
            value = mean(records, field, workload=workload, rival=rival)
            return "–" if value is None else f"{factor * value:.2f}"

        def of_thesis(workload, printed=printed, column=column):
            return f"{printed[workload][column]:.2f}"

        columns = [
            ("", rows.get),
            *((title, partial(cell, rival=rival)) for rival, title in POSITIONS.items()),
            ("thesis", of_thesis),
        ]
        tables.append(pivot(rows, columns, f"{title}, after all samples"))
    return joined(tables)


def rare_times(results):
    """Times divided by those of active."""
    records = table_records(results)

    def cell(rival, *printed):
        """Ours, and those of the tables that have the set."""

        def text(workload):
            ours, base = (
                records.where(workload=workload, rival=name).median("seconds")
                for name in (rival, "active")
            )
            theirs = [
                number(seconds[workload][place] / seconds[workload][1])
                for seconds, place in printed
                if workload in seconds
            ]
            return number(ratio(ours, base)) + (f" [{', '.join(theirs)}]" if theirs else "")

        return TITLES[rival], text

    columns = [
        ("", _title),
        cell("smote", (TIMES_4_4, 0), (TIMES_5_3, 0)),
        cell("virtual", (TIMES_5_3, 2)),
    ]
    title = (
        "Training times of SMOTE (Tables 4.4 and 5.3) and of VIRTUAL (Table 5.3), divided by that "
        "of active; in square brackets the thesis"
    )
    return pivot(_sets(records, TIMES_5_3 | TIMES_4_4), columns, title)


def rare_within(results):
    """Ratio of the classes: of all samples, of those within the margin, of the support vectors."""
    records = stored_records("rare_within", results).ok().records

    def within(r):
        n_within = r["negative_within"] + r["positive_within"]
        share = n_within / (r["n_negative"] + r["n_positive"])
        return f"{r['negative_within'] / r['positive_within']:.2f} ({percent(share, 1)})"

    columns = [
        ("", lambda r: _title(r["workload"])),
        ("all", lambda r: f"{r['n_negative'] / r['n_positive']:.1f}"),
        ("within the margin", within),
        ("support vectors", lambda r: f"{r['vector_ratio']:.2f}"),
    ]
    title = "Negative samples for each positive one; in brackets the share within the margin"
    return pivot(records, columns, title)


def rare_roc(results):
    """Area under the ROC curves."""
    rows = []
    records = stored_records("rare_roc", results).ok()
    for workload in records.distinct("workload"):
        curves = [record["curves"] for record in records.where(workload=workload).records]
        areas = np.mean([[found["auc"] for found in run] for run in curves], axis=0)
        printed = ROC_ADULT if workload in ADULT else ()
        cells = [beside(*pair, 4) for pair in zip(areas, printed)] or [f"{a:.4f}" for a in areas]
        n_learnt = count(curves[0][0]["n_learnt"])
        rows.append([f"{_title(workload)}: {n_learnt} samples", *cells])
    title = (
        "AUC of active selection, of as many samples in random order, and of all; in square "
        "brackets the thesis"
    )
    return list_table(["", "active", "random", "all"], rows, title)


METHODS = {
    "none": "none",
    "class_weight": '``class_weight="balanced"``',
    "threshold": "``TunedThresholdClassifierCV``",
    "virtual_lasvc": "``VirtualLASVC``",
    "virtual": "``VirtualSampler``, classes of equal size",
    "virtual_one": "``VirtualSampler(n_virtual=1)``",
    "smote": "``SMOTE``",
    "svm_smote": "``SVMSMOTE``",
}


def imbalance_methods(results):
    """G-means of the methods of the guide, with their standard deviations."""
    found = measured("imbalance_methods", results)

    def cells(kind):
        def cell(method):
            gmeans = [record["gmeans"][method] for record in found.records]
            values = [gmean[kind] for gmean in gmeans if kind in gmean]
            spread = statistics.stdev(values) if len(values) > 1 else 0.0
            return f"{statistics.fmean(values):.2f} ± {spread:.2f}" if values else ""

        return cell

    n_test, n_train, n_positive = (mean(found, f) for f in ("n_test", "n_train", "n_positive"))
    title = (
        f"G-mean on {count(n_test)} test samples after training on {count(n_train)}, of which "
        f"{count(n_positive)} are positive: mean and standard deviation over "
        f"{len(found.records)} draws of the data"
    )
    columns = [("method", METHODS.get), ("``LASVC(gamma=0.01)``", cells("lasvc"))]
    return pivot(METHODS, [*columns, ("15 nearest neighbors", cells("neighbors"))], title)


TABLES = {
    table.__name__: table
    for table in (
        rare_parameters, rare_table_4_3, rare_table_4_4, rare_table_5_2, rare_table_5_3,
        rare_positions, rare_times, rare_within, rare_roc, imbalance_methods,
    )
}  # fmt: skip
