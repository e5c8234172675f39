"""Cells fitted on worker processes."""

import pickle
import resource
import tempfile
import time

import dask
from dask.utils import key_split
from distributed import Client, LocalCluster, get_task_stream
from sklearn.metrics import zero_one_loss

from sklearn_online_svm import LASVC
from sklearn_online_svm.distributed import fit_cells
from sklearn_online_svm.partitioned import CellClassifier

from .sets import FOREST, N_TEST, forest

MEMORY_LIMIT = 1_500_000_000
PARTITION = 50_000


def fit_cluster(job):
    """Fit cells of generated samples, which the workers generate themselves."""
    n, size, n_test, cell_size = job.n_train, PARTITION, N_TEST, 4000
    if job.quick:
        n, size, n_test, cell_size = 4000, 1000, 500, 200
    # Each partition has another seed, and the test samples have that of none.
    parts = [dask.delayed(forest)(size, 1000 * job.seed + i) for i in range(n // size)]
    estimator = LASVC(C=FOREST.C, gamma=FOREST.gamma, random_state=job.seed)
    model = CellClassifier(estimator, cell_size=cell_size, random_state=job.seed)
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=job.n_workers,
            threads_per_worker=1,
            memory_limit=MEMORY_LIMIT,
            local_directory=folder,
            dashboard_address=":0",
        ) as cluster,
        Client(cluster) as client,
    ):
        # This also imports the packages, which is no part of training.
        client.run(_memory)
        begun = time.perf_counter()
        with get_task_stream(client) as stream:
            model = fit_cells(model, parts)
        seconds = time.perf_counter() - begun
        after = client.run(_memory)
        received = client.run(_received)
    X_test, y_test = forest(n_test, 1000 * job.seed - 1)
    return {
        "n_train": n,
        "n_cells": model.n_cells_,
        "seconds": seconds,
        "error": zero_one_loss(y_test, model.predict(X_test)),
        "megabytes_of_model": _megabytes(model),
        "megabytes_at_most": max(after.values()) / 1e6,
        "megabytes_received": sum(received.values()) / 1e6,
        **_tasks(stream.data),
    }


def _megabytes(model):
    """Return the size of a model with cells, as a pickle, from that of some of its models."""
    some = model.estimators_[:: max(1, model.n_cells_ // 100)]
    return sum(len(pickle.dumps(each)) for each in some) / len(some) * model.n_cells_ / 1e6


def _memory():
    """Return the largest resident memory of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _received(dask_worker):
    """Return the number of bytes that a worker has received from others."""
    return sum(transfer["total"] for transfer in dask_worker.transfer_incoming_log)


def _tasks(records):
    """Return the size of all pieces, and the durations of tasks in the three stages."""
    records = [record for record in records if record["status"] == "OK"]
    names = [key_split(record["key"]) for record in records]
    grown = max(_end(record) for record, name in zip(records, names) if name == "grown")
    stages = {"first_reading": [], "second_reading": [], "groups": []}
    pieces = 0
    for record, name in zip(records, names):
        if name == "getitem":
            pieces += record["nbytes"]
            continue
        stage = "groups" if name == "fit_group" else "second_reading"
        if _end(record) <= grown:
            stage = "first_reading"
        stages[stage].append(
            sum(
                span["stop"] - span["start"]
                for span in record["startstops"]
                if span["action"] == "compute"
            )
        )
    return {
        "megabytes_of_pieces": pieces / 1e6,
        "durations": {stage: sorted(found, reverse=True) for stage, found in stages.items()},
    }


def _end(record):
    return max(span["stop"] for span in record["startstops"])
