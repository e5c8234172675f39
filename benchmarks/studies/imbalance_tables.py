"""Tables of imbalanced classes: chapters 4 and 5 of the thesis compared with ours."""

import statistics
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import rankdata, wilcoxon

from ..bench import rst
from ..bench.frames import frame, mean, median, points, ratio
from ..bench.results import printed
from ..bench.study import named
from ..sets import imbalance as sets
from ..sets.imbalance import SETS

TITLES = {
    "batch": "batch", "under_sampling": "under-sampling", "smote": "SMOTE", "costs": "costs",
    "active": "active", "virtual": "VIRTUAL",
}  # fmt: skip
# The methods of Tables 4.4 and 4.5, and of Table 5.3.
CHAPTER_4 = ("batch", "under_sampling", "smote", "costs", "active")
CHAPTER_5 = ("batch", "smote", "active", "virtual")
# For the title of each part the columns: method and field.
TABLE_4_3 = {
    "Table 4.3: g-mean in per cent; in square brackets the thesis": {
        ("batch", "gmean"): "batch",
        ("active", "gmean"): "active",
    },
    "Table 4.3: AUC in per cent": {("batch", "auc"): "batch", ("active", "auc"): "active"},
    "Table 4.3: ratios of the classes and of active's support vectors; labels used": {
        ("active", "classes"): "classes",
        ("active", "vector_ratio"): "support vectors",
        ("active", "labels"): "labels (%)",
    },
}
TABLE_5_2 = {
    "Table 5.2: negative support vectors for each positive one; in square brackets the thesis": {
        (rival, "vector_ratio"): TITLES[rival] for rival in CHAPTER_5[1:]
    },
    "Table 5.2: share of the synthetic samples that are support vectors (%); the last column "
    "counts only those that VIRTUAL used for training": {
        ("smote", "virtual_ratio"): "SMOTE",
        ("virtual", "virtual_ratio"): "VIRTUAL",
        ("virtual", "used_ratio"): "of those used",
    },
}
# The number of columns.
TABLE_4_4 = {
    "Tables 4.4 and 4.5: PRBEP in per cent; in brackets the rank, in square brackets the "
    "thesis": 2,
    "Tables 4.4 and 4.5, continued": 3,
}
TABLE_5_3 = {
    "Table 5.3: g-mean in per cent; in brackets the rank, in square brackets the thesis": 2,
    "Table 5.3, continued": 2,
}
ONE_DIGIT = ("classes", "labels", "virtual_ratio", "used_ratio")


def thesis(table):
    """Return what the thesis prints in a table, by the name of the set."""
    return {
        row["workload"]: row
        for row in printed("ertekin2009_chapters_4_5")
        if row["table"] == table
    }


def table_records(results):
    """Return the records of Tables 4.3 to 5.3."""
    found = frame(["rare_reuters", "rare_sets"], results)
    # Active selection uses the thesis' number of samples on MNIST, and no rule.
    labels = ("seed", "workload", "rival", "n_train", "n_positive")
    mnist = points(frame("along_mnist", results), "points", *labels)
    mnist["rival"] = mnist["rival"].str.removesuffix("_all")
    mnist["n_negative"] = mnist["n_train"] - mnist["n_positive"]
    found = pd.concat([found, mnist.assign(n_labels=mnist["n_learnt"])])
    found["classes"] = found["n_negative"] / found["n_positive"]
    found["labels"] = found["n_labels"] / found["n_train"]
    n_used = found["n_virtual_used"].clip(lower=1)
    return found.assign(used_ratio=found["virtual_ratio"] * found["n_virtual"] / n_used)


def titles(found, theirs):
    """Return the titles of the sets of a table of which something was measured, by name."""
    return {name: SETS[name].title for name in theirs if name in set(found["workload"])}


def value(found, workload, rival, field):
    """Return a mean: a ratio of two classes, or a share in per cent."""
    factor = 1 if field in ("vector_ratio", "classes") else 100
    return factor * mean(found, field, workload=workload, rival=rival)


def beside(ours, theirs, digits=2):
    """Write ours, and the thesis' in brackets if it has one."""
    return f"{ours:.{digits}f}" + ("" if theirs is None else f" [{theirs:.{digits}f}]")


def compared(table, parts, results):
    """Means over the runs, by set."""
    found, theirs = table_records(results), thesis(table)

    def cell(workload, column):
        rival, field = column
        of_thesis = theirs[workload].get(field, {}).get(rival)
        digits = 1 if field in ONE_DIGIT else 2
        return beside(value(found, workload, rival, field), of_thesis, digits)

    rows = titles(found, theirs)
    return rst.joined(rst.cross_table("", rows, parts[title], cell, title) for title in parts)


def _scores(found, names, rivals, field):
    """Return a row for each set, a column for each method, in per cent as they are printed."""
    return np.round([[value(found, name, rival, field) for rival in rivals] for name in names], 2)


def ranks(scores):
    """Return ranks: 1 is best; equal values share the better rank, as in the thesis."""
    return rankdata(-np.asarray(scores), method="min", axis=1)


def _p_values(scores):
    """Return those of Wilcoxon's test of the last method against each of the others."""
    last = scores[:, -1]
    return [
        "–" if np.array_equal(other, last) else f"{wilcoxon(last, other).pvalue:.2g}"
        for other in scores.T[:-1]
    ]


def ranked(table, rivals, field, parts, results):
    """Scores with their ranks, mean ranks, and p of the last method.

    Means and p are without abalone, on which all methods have the same score.
    """
    found, printed_rows = table_records(results), thesis(table)
    names = titles(found, printed_rows)
    theirs = np.array([[printed_rows[name][field][rival] for rival in rivals] for name in names])
    ours = _scores(found, names, rivals, field)
    places, their_places = ranks(ours), ranks(theirs)
    rows = [
        [title, *(f"{a:.2f} ({place:.0f}) [{b:.2f}]" for a, place, b in zip(*cells))]
        for title, *cells in zip(names.values(), ours, places, theirs)
    ]
    counted, text = [n != sets.ABALONE for n in names], [n in sets.TEXT for n in names]
    means = (of_all[counted].mean(axis=0) for of_all in (places, their_places))
    rows.append(["mean rank", *(beside(*pair) for pair in zip(*means))])
    for title, some in (("p", counted), ("p, Reuters", text)):
        p_values = zip(_p_values(ours[some]), _p_values(theirs[some]))
        rows.append([f"{title}, {TITLES[rivals[-1]]}", *(f"{a} [{b}]" for a, b in p_values), ""])
    return rst.list_table(["", *(TITLES[rival] for rival in rivals)], rows, parts)


def rare_table_5_3(results):
    """G-means of batch, SMOTE, active and VIRTUAL; of the methods without synthetic samples."""
    found = table_records(results)
    names = titles(found, thesis("5.3"))
    scores = _scores(found, names, ("under_sampling", "costs", "virtual"), "gmean")
    rows = [[title, f"{a:.2f}", f"{b:.2f}"] for title, (a, b, _) in zip(names.values(), scores)]
    rows.append(["p, VIRTUAL", *_p_values(scores[[name != sets.ABALONE for name in names]])])
    title = "g-mean in per cent of two methods that Table 5.3 does not have"
    others = rst.list_table(["", "under-sampling", "costs"], rows, title)
    return rst.joined([ranked("5.3", CHAPTER_5, "gmean", TABLE_5_3, results), others])


def rare_parameters(results):
    """Batch and active with the parameters of the thesis' results, and with those it prints."""
    found = pd.concat([frame("rare_printed", results), table_records(results)])

    def cell(name, column):
        rival, field, table = column
        used = name.removesuffix("_printed")
        ours = (f"{value(found, workload, rival, field):.2f}" for workload in (used, name))
        return f"{' / '.join(ours)} [{thesis(table)[used][field][rival]:.2f}]"

    columns = {
        ("batch", "gmean", "5.3"): "g-mean",
        ("batch", "prbep", "4.4"): "PRBEP",
        ("active", "vector_ratio", "5.2"): "ratio",
    }
    title = (
        "With ``C=1, gamma=0.5`` / with the values of Table 4.2, which the first column has; in "
        "square brackets the thesis"
    )
    rows = {w: f"{SETS[w].title}: {SETS[w].C:g}, {SETS[w].gamma:g}" for w in sets.PRINTED_TEXT}
    return rst.cross_table("C, gamma", rows, columns, cell, title)


def rare_times(results):
    """Times divided by those of active."""
    found, later, earlier = table_records(results), thesis("5.3"), thesis("4.4")

    def cell(workload, rival):
        """Ours, and those of the tables that have the set."""
        both = (median(found, "seconds", workload=workload, rival=r) for r in (rival, "active"))
        ours = rst.number(ratio(*both))
        rows = [table[workload]["seconds"] for table in (earlier, later) if workload in table]
        theirs = [rst.number(row[rival] / row["active"]) for row in rows if rival in row]
        return f"{ours} [{', '.join(theirs)}]" if theirs else ours

    title = (
        "Training times of SMOTE (Tables 4.4 and 5.3) and of VIRTUAL (Table 5.3), divided by that "
        "of active; in square brackets the thesis"
    )
    columns = {rival: TITLES[rival] for rival in ("smote", "virtual")}
    return rst.cross_table("", titles(found, later | earlier), columns, cell, title)


def rare_within(results):
    """Ratio of the classes: of all samples, of those within the margin, of the support vectors."""
    found = frame("rare_within", results)
    shares = (found.negative_within + found.positive_within) / (
        found.n_negative + found.n_positive
    )
    within = zip(found.negative_within / found.positive_within, shares)
    columns = {
        "": [SETS[name].title for name in found.workload],
        "all": (found.n_negative / found.n_positive).map("{:.1f}".format),
        "within the margin": [f"{each:.2f} ({rst.percent(share, 1)})" for each, share in within],
        "support vectors": found.vector_ratio.map("{:.2f}".format),
    }
    title = "Negative samples for each positive one; in brackets the share within the margin"
    return rst.table(columns, title)


def rare_roc(results):
    """Area under the ROC curves."""
    rows, adult = [], thesis("section 4.5")
    for workload, curves in frame("rare_roc", results).groupby("workload", sort=False)["curves"]:
        areas = np.mean([[found["auc"] for found in run] for run in curves], axis=0)
        theirs = adult[workload]["auc"].values() if workload in adult else 3 * [None]
        name = f"{SETS[workload].title}: {rst.count(curves.iloc[0][0]['n_learnt'])} samples"
        rows.append([name, *(beside(*pair, 4) for pair in zip(areas, theirs))])
    title = (
        "AUC of active selection, of as many samples in random order, and of all; in square "
        "brackets the thesis"
    )
    return rst.list_table(["", "active", "random", "all"], rows, title)


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
    found = frame("imbalance_methods", results)

    def cell(method, kind):
        gmeans = [run[method][kind] for run in found["gmeans"] if kind in run[method]]
        spread = statistics.stdev(gmeans) if len(gmeans) > 1 else 0.0
        return f"{statistics.fmean(gmeans):.2f} ± {spread:.2f}" if gmeans else ""

    n_test, n_train, n_positive = found[["n_test", "n_train", "n_positive"]].mean()
    title = (
        f"G-mean on {rst.count(n_test)} test samples after training on {rst.count(n_train)}, of "
        f"which {rst.count(n_positive)} are positive: mean and standard deviation over "
        f"{len(found)} draws of the data"
    )
    kinds = {"lasvc": "``LASVC(gamma=0.01)``", "neighbors": "15 nearest neighbors"}
    return rst.cross_table("method", METHODS, kinds, cell, title)


TABLES = named(
    rare_table_5_3, rare_parameters, rare_times, rare_within, rare_roc, imbalance_methods,
) | {
    "rare_table_4_3": partial(compared, "4.3", TABLE_4_3),
    "rare_table_4_4": partial(ranked, "4.4", CHAPTER_4, "prbep", TABLE_4_4),
    "rare_table_5_2": partial(compared, "5.2", TABLE_5_2),
}  # fmt: skip
