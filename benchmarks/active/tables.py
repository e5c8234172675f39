"""Tables of `active`."""

import statistics

from ..bench.results import load
from ..bench.rst import count, list_table, percent, seconds, times
from ..bench.summary import Records, ratio, stored_records
from ..svc.workloads import WORKLOADS
from . import along_tables, guide_tables, rare_tables, selection_tables
from .tasks import BEST, N_FIRST, NOISY_QUERIES

LAYOUTS = {"dense": "dense", "csr": "CSR, 10 nonzeros per sample"}
QUERIES = {
    "lasvc_query_seconds": "one query, ``LASVC``",
    "svc_query_seconds": "one query, ``SVC``",
    "diverse_query_seconds": "10 samples, ``diversity=0.5``, ``LASVC``",
    "whole_query_seconds": '``pool_size="all"``, ``LASVC``',
    "lasvc_score_seconds": "``LASVC.decision_function``, all samples",
    "score_seconds": "``SVC.decision_function``, all samples",
}

LOOPS = {
    "partial_fit": "``LASVC.partial_fit``, 59 samples drawn",
    "partial_fit_all": "``LASVC.partial_fit``, all samples scored",
    "partial_fit_random": "``LASVC.partial_fit``, a sample at random",
    "refit": "``SVC`` refitted, 59 samples drawn",
    "refit_all": "``SVC`` refitted, all samples scored",
    "scikit_activeml": "scikit-activeml, ``SVC(probability=True)``",
}


def pool_query(results):
    """Times, and their ratios to scoring all samples with SVC."""
    stored = load("pool_query", results)
    records = Records(stored["records"])
    rows = []
    for field, title in QUERIES.items():
        cells = [title]
        for layout in LAYOUTS:
            here = records.where(layout=layout)
            value, whole = here.median(field), here.median("score_seconds")
            cells += [seconds(value), times(ratio(whole, value))]
        rows.append(cells)
    for title, written, field in (
        (f"queries that found one of the closest {percent(BEST, 0)}", percent, "found"),
        ("support vectors of ``SVC``", count, "n_svc_vectors"),
        ("support vectors of ``LASVC``", count, "n_lasvc_vectors"),
    ):
        cells = [title]
        for layout in LAYOUTS:
            cells += [written(records.where(layout=layout).median(field)), ""]
        rows.append(cells)
    header = [""]
    for title in LAYOUTS.values():
        header += [title, "SVC, all samples, takes"]
    size = stored["size"]
    title = f"A pool of {count(size['n_pool'])} samples with {size['n_features']} features"
    return list_table(header, rows, title)


def loop_records(results):
    """The records of `pool_loops`; empty without results."""
    return stored_records("pool_loops", results)


def pool_loops(results):
    """Time of a loop, and the error after it."""
    found = loop_records(results)
    sets = found.distinct("workload")
    if not sets:
        return None
    rows = []
    for loop, title in LOOPS.items():
        cells = [title]
        for workload in sets:
            here = found.where(workload=workload)
            mine = here.where(loop=loop)
            value = mine.median("seconds")
            if value is None:
                cells += [mine.verdict(), "", ""]
                continue
            slower = ratio(value, here.where(loop="partial_fit").median("seconds"))
            cells += [seconds(value), times(slower), percent(mine.median("error"))]
        rows.append(cells)
    header = [""]
    for workload in sets:
        n_pool = found.where(workload=workload).median("n_pool")
        header += [
            f"{WORKLOADS[workload].title}, {count(n_pool)} samples",
            "relative to the first",
            "error",
        ]
    n_labels = load("pool_loops", results)["n_labels"]
    title = f"{n_labels} labels after {N_FIRST} of each class; medians"
    return list_table(header, rows, title)


def noisy_pool(results):
    """Mean test errors, with and without wrong labels."""
    found = stored_records("noisy_pool", results).ok()
    if not found:
        return None
    rows = []
    for workload in found.distinct("workload"):
        title = WORKLOADS[workload].title if workload in WORKLOADS else "20 features, generated"
        for noise in sorted(found.distinct("noise")):
            errors = [r["errors"] for r in found.where(workload=workload, noise=noise).records]
            cells = [percent(statistics.fmean(e[name] for e in errors)) for name in NOISY_QUERIES]
            rows.append([title, percent(noise, 0), *cells])
    n_labels = load("noisy_pool", results)["n_labels"]
    n_seeds = len(found.distinct("seed"))
    header = [
        "pool",
        "wrong labels",
        "random samples",
        "one by one",
        "batches of 10",
        "``diversity=0.5``",
    ]
    title = f"Test error after {count(n_labels)} labels, means of {n_seeds} seeds"
    return list_table(header, rows, title)


TABLES = {table.__name__: table for table in (pool_query, pool_loops, noisy_pool)}
TABLES |= selection_tables.TABLES | rare_tables.TABLES | along_tables.TABLES
TABLES |= guide_tables.TABLES
