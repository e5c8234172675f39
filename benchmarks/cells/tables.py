"""Tables of `cells`."""

import heapq

from ..bench.rst import count, list_table, megabytes, percent, seconds
from ..bench.summary import stored_records
from . import files, mixing, streams
from .models import TITLES
from .sets import CASES
from .steps import CURVE, SETS_MODELS, SIZES

COLUMNS = [*SETS_MODELS[:2], "svc_part", *SETS_MODELS[2:]]

# The samples and workers of a reckoning.
N_BILLION, N_WORKERS = 1e9, 32
SIMULATED_WORKERS = [1, 2, 4, 8, 16, 64]


def _by_set(results, cell):
    """Return a table with a row for each set and a column for each model."""
    found, rows = stored_records("cells_sets", results), []
    for name, case in CASES.items():
        of_set = [found.where(set=name, model=model) for model in COLUMNS]
        if any(of_set):
            rows.append([case.title, *(cell(records) for records in of_set)])
    return list_table(["set", *(TITLES[model] for model in COLUMNS)], rows)


def _or_verdict(records, text):
    return text(records) if records.ok() else records.verdict()


def errors(results):
    """Test errors on real sets."""
    return _by_set(results, lambda found: _or_verdict(found, lambda f: percent(f.median("error"))))


def times(results):
    """Processor times of fit and predict on real sets."""
    return _by_set(
        results,
        lambda found: _or_verdict(
            found,
            lambda f: (
                f"{seconds(f.median('fit_cpu_seconds'))}; "
                f"{seconds(f.median('predict_cpu_seconds'))}"
            ),
        ),
    )


def curve(results, n_classes):
    """Times and errors over the number of samples."""
    found, rows = stored_records("cells_curve", results).where(n_classes=n_classes), []
    for n in SIZES:
        before = count(n)
        for model in CURVE:
            of_model = found.where(n_train=n, model=model)
            if of_model:
                numbers = [
                    _or_verdict(of_model, lambda f: seconds(f.median("fit_seconds"))),
                    seconds(of_model.median("predict_seconds")),
                    percent(of_model.median("error")),
                ]
                rows.append([before, TITLES[model], *numbers])
                before = ""
    return list_table(["samples", "model", "fit", "predict 20 000", "error"], rows)


def from_files(results):
    """Times, peak memory and errors of one pass over a file."""
    titles = {"pa": "PassiveAggressiveClassifier", "arow": "AROWClassifier", "vw": "Vowpal Wabbit"}
    found, rows = stored_records("cells_files", results), []
    for kind, (n_features, n_values) in files.SHAPES.items():
        for n in files.SIZES:
            before = f"{kind}: {count(n)} × {count(n_features)}, {n_values} values each"
            for model, source in files.RUNS[kind]:
                run = found.where(kind=kind, n_train=n, model=model, source=source).ok()
                if run:
                    numbers = [seconds(run.median(name)) for name in ("seconds", "cpu_seconds")]
                    memory, error = (
                        megabytes(run.median("megabytes")),
                        percent(run.median("error")),
                    )
                    rows.append([before, f"{titles[model]}, {source}", *numbers, memory, error])
                    before = ""
    header = ["samples", "model, file", "time", "processor time", "peak memory", "error"]
    return list_table(header, rows)


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
                    seconds(point["predict_seconds"]),
                    percent(point["error"]),
                ]
                rows.append([before, *numbers])
                before = ""
    header = ["model", "samples", "time so far", "memory", "predict 20 000", "error"]
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
    runs = [f"{n}; {epochs}" for epochs in mixing.EPOCHS for n in mixing.N_PARTITIONS]
    return list_table(["set, model", "sequential", *runs], rows)


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
    "cells_cluster_simulated": cluster_simulated,
}
