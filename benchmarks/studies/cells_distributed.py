"""Training on worker processes, and mixing of linear models."""

import heapq
import pickle
import resource
import tempfile
import time
from importlib import import_module

import numpy as np
from sklearn.metrics import zero_one_loss

import sklearn_online_svm as ours
from sklearn_online_svm.cells import CellClassifier

from ..bench.data import drawn, load_paper_dataset, scaled
from ..bench.frames import frame, where
from ..bench.plots import panels, plain_log, save
from ..bench.rst import NBSP, count, list_table, number, percent, seconds
from ..bench.study import Study, grid, named, step
from ..sets.cells import FOREST, N_TEST, forest

# Samples of the runs on worker processes, numbers of these, and samples of a partition.
SIZES, WORKERS, PARTITION = [500_000, 4_000_000], [1, 2], 50_000
MEMORY_LIMIT = 1_500_000_000
# The samples and workers of a reckoning, and workers of a simulation.
N_BILLION, N_WORKERS = 1e9, 32
SIMULATED_WORKERS = [1, 2, 4, 8, 16, 64]
COLOURS = ("#1f6feb", "#d1702a")

# Data sets and linear models whose parts are mixed.
SETS = {"adult_a9a": "Adult", "w8a": "w8a", "letter": "Letter"}
MODELS = {
    "pa": ("PA-I, C = 0.01", lambda: ours.PassiveAggressiveClassifier(C=0.01)),
    "arow": ("AROW", lambda: ours.AROWClassifier()),
    "arow_full": ("AROW, full covariance", lambda: ours.AROWClassifier(covariance="full")),
    "scw": ("SCW", lambda: ours.SCWClassifier()),
}
RUNS = grid(set=["adult_a9a", "w8a"], model=["pa", "arow", "arow_full"])
RUNS += grid(set=["letter"], model=["arow", "scw"])
N_PARTITIONS, EPOCHS = (4, 16, 64), (1, 5)


def fit_cluster(n_train, n_workers, seed=0, quick=False):
    """Fit cells of generated samples, which the workers generate themselves."""
    import dask
    from distributed import Client, LocalCluster, get_task_stream

    from sklearn_online_svm.distributed import fit_cells

    n, size, n_test, cell_size = n_train, PARTITION, N_TEST, 4000
    if quick:
        n, size, n_test, cell_size = 4000, 1000, 500, 200
    # Each partition has another seed, and the test samples have that of none.
    parts = [dask.delayed(forest)(size, 1000 * seed + i) for i in range(n // size)]
    estimator = ours.LASVC(C=FOREST.C, gamma=FOREST.gamma, random_state=seed)
    model = CellClassifier(estimator, cell_size=cell_size, random_state=seed)
    options = dict(threads_per_worker=1, memory_limit=MEMORY_LIMIT, dashboard_address=":0")
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(n_workers=n_workers, local_directory=folder, **options) as cluster,
        Client(cluster) as client,
    ):
        # The imports of packages are no part of training.
        client.run(import_module, "sklearn_online_svm.distributed")
        client.run(import_module, forest.__module__)
        begun = time.perf_counter()
        with get_task_stream(client) as stream:
            model = fit_cells(model, parts)
        spent = time.perf_counter() - begun
        # Functions of this module would import it, and what it needs, in the workers.
        kilobytes = client.run(lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
        received = client.run(
            lambda dask_worker: sum(t["total"] for t in dask_worker.transfer_incoming_log)
        )
    X_test, y_test = forest(n_test, 1000 * seed - 1)
    # The size of a pickle, from that of some of the models.
    some = model.estimators_[:: max(1, model.n_cells_ // 100)]
    n_bytes = np.mean([len(pickle.dumps(each)) for each in some]) * model.n_cells_
    return {
        "n_train": n,
        "n_cells": model.n_cells_,
        "seconds": spent,
        "error": zero_one_loss(y_test, model.predict(X_test)),
        "megabytes_of_model": n_bytes / 1e6,
        "megabytes_at_most": max(kilobytes.values()) * 1024 / 1e6,
        "megabytes_received": sum(received.values()) / 1e6,
        **_tasks(stream.data),
    }


def _tasks(records):
    """Return the size of all pieces, and the durations of tasks in the three stages."""
    from dask.utils import key_split

    tasks = [(key_split(r["key"]), r) for r in records if r["status"] == "OK"]
    grown = max(_end(record) for name, record in tasks if name == "grown")
    durations = {"first_reading": [], "second_reading": [], "groups": []}
    for name, record in tasks:
        if name != "getitem":
            stage = "groups" if name == "fit_group" else "second_reading"
            stage = "first_reading" if _end(record) <= grown else stage
            spans = [s for s in record["startstops"] if s["action"] == "compute"]
            durations[stage].append(sum(span["stop"] - span["start"] for span in spans))
    pieces = sum(record["nbytes"] for name, record in tasks if name == "getitem")
    return {
        "megabytes_of_pieces": pieces / 1e6,
        "durations": {stage: sorted(found, reverse=True) for stage, found in durations.items()},
    }


def _end(record):
    return max(span["stop"] for span in record["startstops"])


def mix_partitions(set, model, seed=0, quick=False):
    """Return the errors of one sequential pass, and of each number of partitions and epochs."""
    import dask

    from sklearn_online_svm.distributed import fit_linear

    X, y, X_test, y_test = _split(set, seed)
    n, make = 1500 if quick else None, MODELS[model][1]
    X, y = X[:n], y[:n]
    sequential = make().partial_fit(X, y, classes=np.unique(y))
    errors = {"sequential": 1 - sequential.score(X_test, y_test)}
    for case in grid(epochs=EPOCHS, n=N_PARTITIONS):
        parts = [
            dask.delayed((X[rows], y[rows]), traverse=False)
            for rows in np.array_split(np.arange(len(y)), case["n"])
        ]
        with dask.config.set(scheduler="synchronous"):
            mixed = fit_linear(make(), parts, epochs=case["epochs"])
        name = f"{case['n']} partitions, {case['epochs']} epochs"
        errors[name] = 1 - mixed.score(X_test, y_test)
    return {"errors": errors}


def _split(name, seed):
    """Return training samples in random order, and test samples: a quarter if there are none."""
    data = load_paper_dataset(name)
    n, X_test, y_test = len(data.y_train), data.X_test, data.y_test
    if X_test is None:
        X, y, X_test, y_test = drawn(data.X_train, data.y_train, n * 3 // 4, n, seed)
    else:
        X, y, _, _ = drawn(data.X_train, data.y_train, n, 0, seed)
    if name == "letter":
        X, X_test = scaled(X, X_test)
    return X, y, X_test, y_test


def cells_cluster(results):
    """Times, memory and traffic of worker processes; a column for each run."""
    found = frame("cells_cluster", results).to_dict("records")
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
    return list_table(["samples", *(f"{r['n_train'] / 1e6:g}{NBSP}M" for r in found)], rows)


def cells_mixing(results):
    """Errors of linear models that are mixed from models of partitions."""
    rows = [
        [
            f"{SETS[run.set]}, {MODELS[run.model][0]}",
            *(number(error, 100) for error in run.errors.values()),
        ]
        for run in frame("cells_mixing", results).itertuples()
    ]
    header = ["set, model", "1", *map(str, len(EPOCHS) * N_PARTITIONS)]
    n = len(N_PARTITIONS)
    parts = {"Test error after one epoch, percent": 1 + n, "After five epochs": n}
    return list_table(header, rows, parts)


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


def cells_billion(results):
    """What 10^9 samples need, in proportion to the largest run on one worker process."""
    found = where(frame("cells_cluster", results), n_workers=1)
    largest = found.loc[found.n_train.idxmax()]
    scale = N_BILLION / largest.n_train
    pieces, model = largest.megabytes_of_pieces * scale, largest.megabytes_of_model * scale
    stages = {
        "first reading: loading, sampling": "first_reading",
        "second reading: loading, division into pieces": "second_reading",
        "fitting the models of the cells": "groups",
    }
    totals = {title: scale * sum(largest.durations[stage]) for title, stage in stages.items()}
    rows = [
        [title, f"{1e6 * total / N_BILLION:.2g} µs", f"{total / N_WORKERS / 60:.0f} minutes"]
        for title, total in totals.items()
    ]
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


def draw_cluster(results, folder):
    """Time on workers, measured and simulated."""
    found = frame("cells_cluster", results).groupby("n_train", sort=False)
    figure, ((axis,),) = panels(1, 1, width=6.5, height=3.4)
    for (n, runs), colour in zip(found, COLOURS):
        durations = where(runs, n_workers=1).durations.iloc[0]
        times = [simulated_seconds(durations, workers) for workers in SIMULATED_WORKERS]
        title = f"{n / 1e6:g} million samples"
        axis.plot(SIMULATED_WORKERS, times, color=colour, label=f"{title}, simulated")
        axis.plot(runs.n_workers, runs.seconds, "o", color=colour, label=f"{title}, measured")
    axis.set(xscale="log", yscale="log", xlabel="workers", ylabel="time of fit (s)")
    axis.set_xticks(SIMULATED_WORKERS, SIMULATED_WORKERS, minor=False)
    axis.minorticks_off()
    plain_log(axis.yaxis)
    axis.legend(frameon=False, fontsize=9)
    save(figure, folder / "cells_cluster.png")


STUDY = Study(
    steps={
        "cells_mixing": step(mix_partitions, RUNS, limit=1800),
        "cells_cluster": step(
            fit_cluster, grid(n_train=SIZES, n_workers=WORKERS), n_quick=2, limit=6 * 3600
        ),
    },
    tables=named(cells_billion, cells_mixing, cells_cluster),
    figures=[draw_cluster],
)
