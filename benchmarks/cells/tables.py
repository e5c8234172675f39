"""Tables of `cells`."""

import heapq

from ..bench.rst import count, joined, list_table, megabytes, percent, seconds, split_table
from ..bench.summary import stored_records
from . import files, mixing, streams
from .models import TITLES
from .sets import CASES
from .steps import CURVE, SIZES

# Models of the tables of sets: those with the kernel of LASVC, and others.
WITH_KERNEL = ("lasvc", "cells", "lasvc_search", "cells_search")
OTHERS = ("svc_part", "intelex", "nystroem", "lpd", "boosting")
PREDICTING = ("lasvc", "cells", "intelex", "boosting")

# The samples and workers of a reckoning.
N_BILLION, N_WORKERS = 1e9, 32
SIMULATED_WORKERS = [1, 2, 4, 8, 16, 64]


def _by_set(results, models, field, form, title):
    """Return a table with a row for each set and a column for each model."""
    found, rows = stored_records("cells_sets", results), []
    for name, case in CASES.items():
        of_set = [found.where(set=name, model=model) for model in models]
        if any(of_set):
            rows.append([case.title, *(_or_verdict(records, field, form) for records in of_set)])
    return list_table(["set", *(TITLES[model] for model in models)], rows, title)


def _or_verdict(records, field, form):
    return form(records.median(field)) if records.ok() else records.verdict()


def errors(results):
    """Test errors on real sets."""
    return joined(
        [
            _by_set(results, WITH_KERNEL, "error", percent, "Test error"),
            _by_set(results, OTHERS, "error", percent, "Test error, other models"),
        ]
    )


def times(results):
    """Processor times of fit and predict on real sets."""
    return joined(
        [
            _by_set(results, WITH_KERNEL, "fit_cpu_seconds", seconds, "Time of fit"),
            _by_set(results, OTHERS, "fit_cpu_seconds", seconds, "Time of fit, other models"),
            _by_set(results, PREDICTING, "predict_cpu_seconds", seconds, "Time of predictions"),
        ]
    )


def curve(results, n_classes):
    """Times and errors over the number of samples."""
    found, rows = stored_records("cells_curve", results).where(n_classes=n_classes), []
    for n in SIZES:
        before = count(n)
        for model in CURVE:
            records = found.where(n_train=n, model=model)
            if records:
                numbers = [
                    _or_verdict(records, "fit_seconds", seconds),
                    seconds(records.median("predict_seconds")),
                    percent(records.median("error")),
                ]
                rows.append([before, TITLES[model], *numbers])
                before = ""
    return list_table(["samples", "model", "fit", "predict", "error"], rows)


def from_files(results):
    """Times, peak memory and errors of one pass over a file, a table for each kind of samples."""
    titles = {"pa": "PA", "arow": "AROW", "vw": "Vowpal Wabbit"}
    found, tables = stored_records("cells_files", results).ok(), []
    for kind, (n_features, n_values) in files.SHAPES.items():
        rows = []
        for model, source in files.RUNS[kind]:
            run = found.where(kind=kind, n_train=files.N_TRAIN, model=model, source=source)
            if run:
                numbers = [seconds(run.median(name)) for name in ("seconds", "cpu_seconds")]
                numbers += [megabytes(run.median("megabytes")), percent(run.median("error"))]
                rows.append([f"{titles[model]}, {source}", *numbers])
        title = f"{count(n_features)} features, {n_values} of them not 0"
        tables.append(
            list_table(["model, file", "time", "processor", "memory", "error"], rows, title)
        )
    return joined(tables)


def stream(results):
    """Time, memory and error along a stream."""
    found, rows = stored_records("cells_stream", results).ok(), []
    for model, title in streams.TITLES.items():
        before = title
        for record in found.where(model=model).records:
            for point in record["points"]:
                numbers = [
                    count(point["n_samples"]),
                    seconds(point["seconds"]),
                    megabytes(point["megabytes"]),
                    percent(point["error"]),
                ]
                rows.append([before, *numbers])
                before = ""
    return list_table(["model", "samples", "time", "memory", "error"], rows)


def cluster(results):
    """Times, memory and traffic of worker processes; a column for each run."""
    found = stored_records("cells_cluster", results).ok().records
    measures = {
        "cells": ("n_cells", count),
        "time of fit": ("seconds", seconds),
        "error": ("error", percent),
        "largest memory of a worker": ("megabytes_at_most", megabytes),
        "pieces": ("megabytes_of_pieces", megabytes),
        "received": ("megabytes_received", megabytes),
    }
    rows = [
        [title, *(form(record[field]) for record in found)]
        for title, (field, form) in measures.items()
    ]
    runs = [
        f"{record['n_train'] / 1e6:g} M, {record['n_workers']} worker"
        + ("s" if record["n_workers"] > 1 else "")
        for record in found
    ]
    return list_table(["", *runs], rows) if found else None


def mixed(results):
    """Errors of linear models that are mixed from models of partitions."""
    found = stored_records("cells_mixing", results).ok()
    rows = [
        [
            f"{mixing.SETS[record['set']]}, {mixing.MODELS[record['model']][0]}",
            *(percent(error) for error in record["errors"].values()),
        ]
        for record in found.records
    ]
    partitions = [str(n) for _ in mixing.EPOCHS for n in mixing.N_PARTITIONS]
    parts = {
        "Sequential, and one epoch with 4, 16 and 64 partitions": 1 + len(mixing.N_PARTITIONS)
    }
    parts["Five epochs with 4, 16 and 64 partitions"] = len(mixing.N_PARTITIONS)
    return split_table(["set, model", "sequential", *partitions], rows, parts) if rows else None


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


def billion(results):
    """What 10^9 samples need, in proportion to the largest run on one worker process."""
    found = stored_records("cells_cluster", results).ok().where(n_workers=1).records
    if not found:
        return None
    largest = max(found, key=lambda record: record["n_train"])
    scale, rows = N_BILLION / largest["n_train"], []
    titles = {
        "first_reading": "first reading: loading, sampling",
        "second_reading": "second reading: loading, division into pieces",
        "groups": "fitting the models of the cells",
    }
    for stage, title in titles.items():
        total = sum(largest["durations"][stage]) * scale
        per_sample = f"{1e6 * total / N_BILLION:.2g} µs"
        rows.append([title, per_sample, f"{total / N_WORKERS / 60:.0f} minutes"])
    pieces = largest["megabytes_of_pieces"] * scale
    rows.append(
        [
            "sending pieces (10 Gbit/s per worker)",
            f"{1e6 * pieces / N_BILLION:.0f} bytes",
            f"{pieces / N_WORKERS / 1250 / 60:.1f} minutes",
        ]
    )
    rows.append(
        [
            "memory of a worker for one of 128 groups",
            "–",
            f"{1e-3 * pieces / 128:.1f} GB",
        ]
    )
    model = largest["megabytes_of_model"] * scale
    rows.append(
        [
            "memory of the client for the model",
            f"{1e6 * model / N_BILLION:.0f} bytes",
            f"{1e-3 * model:.0f} GB",
        ]
    )
    return list_table(["", "per sample", "10⁹ samples, 32 workers"], rows)


TABLES = {
    "cells_billion": billion,
    "cells_mixing": mixed,
    "cells_stream": stream,
    "cells_files": from_files,
    "cells_errors": errors,
    "cells_times": times,
    "cells_curve_2": lambda results: curve(results, 2),
    "cells_curve_7": lambda results: curve(results, 7),
    "cells_cluster": cluster,
}
