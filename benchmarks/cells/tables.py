"""Tables of `cells`."""

import heapq

from ..bench.rst import count, list_table, megabytes, percent, seconds
from ..bench.summary import stored_records
from .sets import CASES
from .steps import CURVE, SIZES

TITLES = {
    "lasvc": "LASVC",
    "cells_4000": "cells of 4000",
    "cells_4000_apart": "cells of 4000, overlap 0",
    "cells_2000": "cells of 2000",
    "nystroem": "Nystroem (500), SGDClassifier",
    "boosting": "HistGradientBoostingClassifier",
}

SIMULATED_WORKERS = [1, 2, 4, 8, 16, 64]


def _results(record):
    return [
        count(record["n_cells"]),
        seconds(record["seconds_fit"]),
        seconds(record["seconds_predict"]),
        percent(record["error"]),
    ]


def sets(results):
    """Times and errors on real sets."""
    found, rows = stored_records("cells_sets", results).ok(), []
    for name, case in CASES.items():
        before = case.title
        for model, title in TITLES.items():
            for record in found.where(set=name, model=model).records:
                before += f" ({count(record['n_train'])})" if before else ""
                rows.append([before, title, *_results(record)])
                before = ""
    return list_table(["set (samples)", "model", "cells", "fit", "predict", "error"], rows)


def curve(results):
    """Times and errors over the number of samples."""
    found, rows = stored_records("cells_curve", results).ok(), []
    for n in SIZES:
        before = count(n)
        for model in CURVE:
            for record in found.where(n_train=n, model=model).records:
                rows.append([before, TITLES[model], *_results(record)])
                before = ""
    header = ["samples", "model", "cells", "fit", "predict 20 000", "error"]
    return list_table(header, rows)


def cluster(results):
    """Times, memory and traffic of worker processes."""
    found = stored_records("cells_cluster", results).ok()
    rows = [
        [
            count(record["n_train"]),
            count(record["n_workers"]),
            count(record["n_cells"]),
            seconds(record["seconds"]),
            percent(record["error"]),
            megabytes(record["megabytes_at_start"]),
            megabytes(record["megabytes_at_most"]),
            megabytes(record["megabytes_of_pieces"]),
            megabytes(record["megabytes_received"]),
            count(record["n_tasks"]),
        ]
        for record in found.records
    ]
    header = ["samples", "workers", "cells", "fit", "error", "memory at start", "largest memory"]
    return list_table([*header, "pieces", "received", "tasks"], rows)


def simulated_seconds(durations, n_workers):
    """Return the time of stages one after the other, whose tasks are scheduled on workers.

    A worker that is free takes the longest remaining task. Transfers and the scheduler take no
    time.
    """
    total = 0.0
    for stage in durations.values():
        ends = [0.0] * n_workers
        for duration in sorted(stage, reverse=True):
            heapq.heapreplace(ends, ends[0] + duration)
        total += max(ends)
    return total


def cluster_simulated(results):
    """Simulated times with more workers, from the durations of tasks on one."""
    found = stored_records("cells_cluster", results).ok().where(n_workers=1)
    rows = [
        [
            count(record["n_train"]),
            seconds(record["seconds"]),
            *(seconds(simulated_seconds(record["durations"], n)) for n in SIMULATED_WORKERS),
            seconds(sum(max(stage) for stage in record["durations"].values())),
        ]
        for record in found.records
    ]
    simulated = [f"{n} workers, simulated" for n in SIMULATED_WORKERS]
    header = ["samples", "one worker, measured", *simulated, "longest tasks of the stages"]
    return list_table(header, rows)


TABLES = {
    "cells_sets": sets,
    "cells_curve": curve,
    "cells_cluster": cluster,
    "cells_cluster_simulated": cluster_simulated,
}
