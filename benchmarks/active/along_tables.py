"""Tables of rare classes against the number of samples used."""

from ..bench.rst import count, list_table, seconds, times
from ..bench.summary import ratio, stored_records
from .rare_paper import FIGURE_4_3, ROC_ADULT, TABLE_4_3, TABLE_4_4, TABLE_5_2, TABLE_5_3
from .rare_sets import ADULT, MNIST, SETS
from .rare_tables import TITLES, beside
from .selection_tables import curve, n_seeds

TITLES = TITLES | {
    "one_pass": "samples in random order",
    "active_all": "active",
    "virtual_all": "VIRTUAL",
    "active_full": "active, all samples scored",
}


def workloads_of(records):
    """The sets, in the order in which they were measured."""
    return records.ok().distinct("workload")


def _percent(value, digits=2):
    return f"{100 * value:.{digits}f}"


CONVERGED = ["one_pass", "smote", "active_all", "virtual_all"]
CONVERGED_VECTORS = ["one_pass", "active_all"]
# g-means that are as good as the last one; the part of the vectors that is as good as all.
CLOSE, NEARLY_ALL = 0.005, 0.95


def _is_close(now, last):
    return abs(now - last) <= CLOSE


def _is_nearly_all(now, last):
    return now >= NEARLY_ALL * last


def converged_after(points, field, is_there):
    """Number of samples from which on `is_there(value, last value)` holds for all points."""
    last = points[-1][field]
    first = len(points) - 1
    while first > 0 and is_there(points[first - 1][field], last):
        first -= 1
    return points[first]["n_learnt"]


def along_converged(results):
    """Number of samples after which g-means and support vectors have converged."""
    rows = []
    for step in ("along_reuters", "along_sets"):
        records = stored_records(step, results).ok()
        for workload in workloads_of(records):
            here = {r: curve(records, workload=workload, rival=r) for r in CONVERGED}
            cells = [SETS[workload].title]
            for points in here.values():
                cells.append(count(converged_after(points, "gmean", _is_close)))
            for rival in CONVERGED_VECTORS:
                cells.append(count(converged_after(here[rival], "n_vectors", _is_nearly_all)))
            rows.append([*cells, count(here["one_pass"][-1]["n_learnt"])])
    header = [""] + [f"g-mean, {TITLES[rival]}" for rival in CONVERGED]
    header += [f"vectors, {TITLES[rival]}" for rival in CONVERGED_VECTORS] + ["all samples"]
    title = (
        "Samples after which the g-mean stays within half a point of its last value, and the "
        "number of support vectors is 95 % of the last one, rounded up to the next point of the "
        "curves"
    )
    return list_table(header, rows, title)


def rare_within(results):
    """Ratio of the classes: of all samples, of those within the margin, of the support vectors."""
    records = stored_records("rare_within", results).ok()
    rows = []
    for record in records.records:
        inside = ratio(record["negative_within"], record["positive_within"])
        n_within = record["negative_within"] + record["positive_within"]
        share = n_within / (record["n_negative"] + record["n_positive"])
        rows.append([
            SETS[record["workload"]].title,
            f"{record['n_negative'] / record['n_positive']:.1f}",
            "–" if inside is None else f"{inside:.2f}",
            f"{record['vector_ratio']:.2f}",
            f"{100 * share:.1f}",
        ])  # fmt: skip
    header = [
        "", "all samples", "within the margin", "support vectors", "samples within the margin (%)",
    ]  # fmt: skip
    return list_table(header, rows, "Negative samples for each positive one, after one pass")


def along_adult(results):
    """PRBEP of samples in random order and of active selection, for each ratio of the classes."""
    records = stored_records("along_adult", results).ok()
    rows = []
    for workload in workloads_of(records):
        plain, active = (
            curve(records, workload=workload, rival=r) for r in ("one_pass", "active_all")
        )
        best = max(active, key=lambda point: point["prbep"])
        early = max(plain, key=lambda point: point["prbep"])
        cells = [str(ADULT[workload]), count(plain[-1]["n_learnt"])]
        cells += [_percent(plain[-1][field]) for field in ("prbep", "auc")]
        for point in (early, best):
            cells += [count(point["n_learnt"]), _percent(point["prbep"]), _percent(point["auc"])]
        rows.append([*cells, _percent(active[-1]["prbep"])])
    header = [
        "ratio", "all samples", "their PRBEP", "AUC", "samples in random order: best after",
        "PRBEP", "AUC", "active: best after", "PRBEP", "AUC", "PRBEP after all",
    ]  # fmt: skip
    title = f"Adult, means over {n_seeds(records)} runs, in per cent"
    return list_table(header, rows, title)


def rare_roc(results):
    """Area under the ROC curves."""
    records = stored_records("rare_roc", results).ok()
    rows = []
    for record in records.records:
        cells = [SETS[record["workload"]].title]
        printed = ROC_ADULT if record["workload"] in ADULT else [None] * 3
        for found, value in zip(record["curves"], printed):
            text = f"{found['auc']:.4f} ({count(found['n_learnt'])} samples)"
            cells.append(text if value is None else f"{text} [{value:.4f}]")
        rows.append(cells)
    header = ["", "active", "as many samples in random order", "all samples"]
    return list_table(header, rows, "AUC; in square brackets the thesis")


POOL_RIVALS = ["one_pass", "active_all", "active_full"]
POOL_LABELS = (100, 400, 700)


def along_pools(results):
    """PRBEP, g-means and time of small pools and of full search."""
    records = stored_records("along_pools", results).ok()
    rows = []
    for workload in workloads_of(records):
        for n_labels in POOL_LABELS:
            found = {
                rival: point
                for rival in POOL_RIVALS
                for point in curve(records, workload=workload, rival=rival)
                if point["n_learnt"] == n_labels
            }
            if len(found) < len(POOL_RIVALS):
                continue
            cells = [SETS[workload].title if n_labels == POOL_LABELS[0] else "", str(n_labels)]
            for field in ("prbep", "gmean"):
                cells += [_percent(found[rival][field]) for rival in POOL_RIVALS]
            small, whole = (found[rival]["seconds"] for rival in POOL_RIVALS[1:])
            last = times(ratio(whole, small))
            if n_labels == POOL_LABELS[-1] and workload in FIGURE_4_3:
                last += f" [{times(ratio(*FIGURE_4_3[workload]))}]"
            rows.append([*cells, seconds(small), seconds(whole), last])
    header = ["", "samples used"]
    for name in ("PRBEP", "g-mean"):
        header += [f"{name}, samples in random order", "59 drawn", "all scored"]
    header += ["time, 59 drawn", "all scored", "ratio"]
    title = (
        f"In per cent, means over {n_seeds(records)} runs; in square brackets the thesis' ratio "
        "of times until saturation"
    )
    return list_table(header, rows, title)


# The methods of Tables 4.3, 4.4, 5.2 and 5.3.
PRINTED = ["batch", "under_sampling", "smote", "costs", "active_all", "virtual_all"]
CHAPTER_5 = ["batch", "smote", "active_all", "virtual_all"]


def _printed(workload):
    """The thesis' values: for each method a dict from fields to numbers."""
    found = {rival: {} for rival in PRINTED}
    if workload in TABLE_4_3:
        gmean, active_gmean, auc, active_auc, vector_ratio, _ = TABLE_4_3[workload]
        found["batch"] |= dict(gmean=gmean, auc=auc)
        found["active_all"] |= dict(gmean=active_gmean, auc=active_auc, vector_ratio=vector_ratio)
        for rival, prbep in zip(PRINTED, TABLE_4_4[workload][:5]):
            found[rival] |= dict(prbep=prbep)
    if workload in TABLE_5_3:
        for rival, gmean in zip(CHAPTER_5, TABLE_5_3[workload]):
            found[rival] |= dict(gmean=gmean)
        for rival, vector_ratio in zip(CHAPTER_5[1:], TABLE_5_2[workload]):
            found[rival] |= dict(vector_ratio=vector_ratio)
    return found


def _line(title, point, printed):
    """Ours, and the thesis' in brackets."""
    cells = [title, count(point["n_learnt"])]
    for field in ("gmean", "auc", "prbep", "vector_ratio"):
        text = _percent(point[field]) if field != "vector_ratio" else f"{point[field]:.2f}"
        cells.append(beside(text, printed[field]) if field in printed else text)
    return [*cells, count(point["n_vectors"]), seconds(point.get("seconds"))]


def _as_printed(records, printed_as, title):
    """What Tables 4.3, 4.4, 5.2 and 5.3 have; the last budget is the thesis' early stop."""
    printed, rows = _printed(printed_as), []
    for rival in PRINTED:
        points = curve(records, rival=rival)
        if points:
            rows.append(_line(TITLES[rival], points[-1], printed[rival]))
    for point in curve(records, rival="active_all")[:-1]:
        rows.append(_line(TITLES["active_all"], point, {}))
    header = ["", "samples used", "g-mean", "AUC", "PRBEP", "ratio of the vectors"]
    header += ["vectors", "time"]
    runs = f"means over {n_seeds(records)} runs"
    title = f"{title}, in per cent, {runs}; in square brackets the thesis"
    return list_table(header, rows, title)


def along_mnist(results):
    """MNIST-8, which the thesis stops after 11.7 % of the samples."""
    return _as_printed(stored_records("along_mnist", results), MNIST, "MNIST-8 (batch: one run)")


def along_rings(results):
    """Abalone with the rings among its features, which the thesis stops after 24 %."""
    records = stored_records("along_rings", results)
    return _as_printed(records, "rare_abalone", "Abalone-7 with the rings")


TABLES = {
    table.__name__: table
    for table in (
        along_converged,
        rare_within,
        along_adult,
        rare_roc,
        along_pools,
        along_mnist,
        along_rings,
    )
}
