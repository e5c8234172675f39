"""Tables of `cells`."""

import heapq

from ..bench.rst import (
    NBSP,
    count,
    cross_table,
    grouped,
    joined,
    list_table,
    number,
    percent,
    seconds,
    split_table,
)  # fmt: skip
from ..bench.summary import stored_records
from . import files, mixing, streams
from .models import TITLES
from .sets import CASES
from .steps import CURVE, SIZES

# Models of the tables of sets.
WITH_KERNEL = ("lasvc", "cells", "lasvc_search", "cells_search")
OTHERS = ("svc_part", "intelex", "lpd", "boosting")
PREDICTING = ("lasvc", "cells", "intelex", "boosting")

# The samples and workers of a reckoning.
N_BILLION, N_WORKERS = 1e9, 32
SIMULATED_WORKERS = [1, 2, 4, 8, 16, 64]


def _by_set(results, models, field, factor, title):
    found = stored_records("cells_sets", results)

    def cell(name, model):
        return _or_verdict(found.where(set=name, model=model), field, factor)

    sets = {name: case.title for name, case in CASES.items()}
    return cross_table("set", sets, {model: TITLES[model] for model in models}, cell, title)


def _or_verdict(records, field, factor=1):
    return number(records.median(field), factor) if records.ok() else records.verdict()


def errors(results):
    """Test errors on real sets."""
    return joined(
        [
            _by_set(results, WITH_KERNEL, "error", 100, "Test error, percent"),
            _by_set(results, OTHERS, "error", 100, "Test error of other models, percent"),
        ]
    )


def times(results):
    """Processor times of fit and predict on real sets."""
    return joined(
        [
            _by_set(results, WITH_KERNEL, "fit_cpu_seconds", 1, "Time of fit, seconds"),
            _by_set(results, OTHERS, "fit_cpu_seconds", 1, "Time of fit of other models, seconds"),
            _by_set(results, PREDICTING, "predict_cpu_seconds", 1, "Time of predictions, seconds"),
        ]
    )


def curve(results, n_classes):
    """Times and errors over the number of samples."""
    found = stored_records("cells_curve", results).where(n_classes=n_classes)
    rows = [
        [
            count(n),
            TITLES[model],
            _or_verdict(of, "fit_seconds"),
            number(of.median("predict_seconds")),
            number(of.median("error"), 100),
        ]
        for n in SIZES
        for model in CURVE
        if (of := found.where(n_train=n, model=model))
    ]
    return list_table(["samples", "model", "fit (s)", "predict (s)", "error (%)"], grouped(rows))


def from_files(results):
    """Times, peak memory and errors of one pass over a file, a table for each kind of samples."""
    titles = {"pa": "PA", "arow": "AROW", "vw": "Vowpal Wabbit"}
    found = stored_records("cells_files", results).ok().where(n_train=files.N_TRAIN)
    header, tables = ["model, file", "time (s)", "CPU (s)", "memory (MB)", "error"], []
    for kind, (n_features, n_values) in files.SHAPES.items():
        rows = []
        for model, source in files.RUNS[kind]:
            if run := found.where(kind=kind, model=model, source=source):
                numbers = [number(run.median(f)) for f in ("seconds", "cpu_seconds", "megabytes")]
                error = percent(run.median("error"))
                rows.append([f"{titles[model]}, {source}", *numbers, error])
        title = f"{count(n_features)} features, {n_values} of them not 0"
        tables.append(list_table(header, rows, title))
    return joined(tables)


def stream(results):
    """Time, memory and error along a stream."""
    found = stored_records("cells_stream", results).ok()
    fields = {"n_samples": count, "seconds": number, "megabytes": number, "error": percent}
    rows = [
        [title, *(form(point[field]) for field, form in fields.items())]
        for model, title in streams.TITLES.items()
        for record in found.where(model=model).records
        for point in record["points"]
    ]
    return list_table(["model", "samples", "time (s)", "memory (MB)", "error"], grouped(rows))


def cluster(results):
    """Times, memory and traffic of worker processes; a column for each run."""
    found = stored_records("cells_cluster", results).ok().records
    fields = {
        "n_workers": ("workers", count),
        "n_cells": ("cells", count),
        "seconds": ("time of fit", seconds),
        "error": ("error", percent),
        "megabytes_at_most": ("largest memory of a worker (MB)", count),
        "megabytes_of_pieces": ("pieces (MB)", count),
        "megabytes_received": ("received (MB)", count),
    }
    rows = [[title, *(form(r[field]) for r in found)] for field, (title, form) in fields.items()]
    sizes = [f"{record['n_train'] / 1e6:g}{NBSP}M" for record in found]
    return list_table(["samples", *sizes], rows) if found else None


def mixed(results):
    """Errors of linear models that are mixed from models of partitions."""
    rows = [
        [
            f"{mixing.SETS[record['set']]}, {mixing.MODELS[record['model']][0]}",
            *(number(error, 100) for error in record["errors"].values()),
        ]
        for record in stored_records("cells_mixing", results).ok().records
    ]
    partitions = [str(n) for _ in mixing.EPOCHS for n in mixing.N_PARTITIONS]
    n = len(mixing.N_PARTITIONS)
    parts = {"Test error after one epoch, percent": 1 + n, "After five epochs": n}
    return split_table(["set, model", "1", *partitions], rows, parts)


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
    pieces, model = (largest[f"megabytes_of_{what}"] * scale for what in ("pieces", "model"))
    rows += [
        [
            "sending pieces (10 Gbit/s per worker)",
            f"{1e6 * pieces / N_BILLION:.0f} bytes",
            f"{pieces / N_WORKERS / 1250 / 60:.1f} minutes",
        ],
        ["memory of a worker for one of 128 groups", "–", f"{1e-3 * pieces / 128:.1f} GB"],
        [
            "memory of the client for the model",
            f"{1e6 * model / N_BILLION:.0f} bytes",
            f"{1e-3 * model:.0f} GB",
        ],
    ]
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
