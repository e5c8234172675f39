"""What runs inside a fresh process; `measure.call` is the way in.

Each task takes one `Job` and returns what JSON has. It prepares its own data: nothing but names
and numbers crosses the border between the processes.
"""

import json
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from sklearn.linear_model import SGDClassifier

from . import models
from .measure import PeakMemory, microseconds_of_calls, timed
from .workloads import WORKLOADS

MEGABYTE = 2**20


@dataclass(frozen=True)
class Job:
    """What a task is told."""

    # Names in `workloads` and `models`.
    workload: str = ""
    model: str = "lasvc"
    seed: int = 0
    threads: int = 1
    quick: bool = False
    cache_size: float = 1000
    # Only so many training rows.
    n_train: int | None = None
    # Sparse data as dense arrays.
    dense: bool = False
    # File for the decision values of the test rows.
    decisions: str | None = None
    # Further parameters of LASVC.
    options: dict = field(default_factory=dict)
    # What a sweep goes through.
    values: list = field(default_factory=list)

    def data(self):
        split = WORKLOADS[self.workload].load(self.seed, self.quick).head(self.n_train)
        if self.dense and split.sparse:
            return split.map_rows(lambda X: X.toarray())
        return split

    def build(self, **options):
        """The model, with options beside those of the job."""
        work = WORKLOADS[self.workload]
        setting = models.Setting(
            work.C, work.gamma, self.cache_size, self.threads, self.seed, self.options | options
        )
        return models.build(self.model, setting)


def fit_and_predict(job):
    """Fit and predict once each (more often if quick), with time, error and memory."""
    split = job.data()
    _warm_up(job, split)
    with PeakMemory() as fit_memory:
        fitted, first_seconds = _fit(job.build(), split)
    with PeakMemory() as predict_memory:
        predicted, predict_seconds = timed(lambda: fitted.predict(split.X_test))
    if job.decisions is not None:
        np.save(job.decisions, fitted.decision_function(split.X_test))
    return {
        # Further fits of a quick model come last: their garbage is in nobody's peak.
        "fit_seconds": [first_seconds, *_more_fits(job, split, first_seconds)],
        "predict_seconds": predict_seconds,
        "error": float(np.mean(predicted != split.y_test)),
        "fit_peak_mb": fit_memory.megabytes,
        "predict_peak_mb": predict_memory.megabytes,
        "vectors_mb": _support_vectors_mb(fitted),
        "n_train": split.X_train.shape[0],
        "n_test": split.X_test.shape[0],
        **models.learnt(fitted),
    }


def _fit(model, split):
    start = time.perf_counter()
    model.fit(split.X_train, split.y_train)
    return model, time.perf_counter() - start


def _more_fits(job, split, first_seconds):
    if first_seconds > 0.25:
        return []
    return timed(lambda: _fit(job.build(), split), max_repeats=6)[1]


def _warm_up(job, split):
    """Load what is loaded on first use, on a hundred rows that have every class."""
    labels = np.unique(split.y_train)
    rows = np.concatenate(
        [np.flatnonzero(split.y_train == label)[: 100 // len(labels)] for label in labels]
    )
    warm = job.build().fit(split.X_train[rows], split.y_train[rows])
    warm.predict(split.X_train[rows])


def _support_vectors_mb(model):
    vectors = getattr(model, "support_vectors_", None)
    if vectors is None:
        return None
    if hasattr(vectors, "indptr"):
        return (vectors.data.nbytes + vectors.indices.nbytes) / MEGABYTE
    return vectors.nbytes / MEGABYTE


def before_and_after_finishing(job):
    """One pass of LASVC, and the same model after `finish` (Table 3.3)."""
    split = job.data()
    _warm_up(job, split)
    model, online_seconds = _fit(job.build(finishing=False), split)
    before = _scored(model, split) | {"seconds": online_seconds}
    start = time.perf_counter()
    model.finish()
    finish_seconds = time.perf_counter() - start
    after = _scored(model, split) | {"seconds": online_seconds + finish_seconds}
    return {"before": before, "after": after, "n_train": split.X_train.shape[0]}


def _scored(model, split):
    error = np.mean(model.predict(split.X_test) != split.y_test)
    return {"error": float(error), **models.learnt(model)}


def delta_max_sweep(job):
    """LASVC with REPROCESS repeated until delta <= delta_max, three ways (Figure 3.7)."""
    ways = {
        "one pass": {"finishing": False},
        "one pass, finished": {},
        "two passes, finished": {"max_iter": 2},
    }
    split = job.data()
    _warm_up(job, split)
    points = []
    for delta_max in job.values:
        for way, options in ways.items():
            model, seconds = _fit(job.build(delta_max=delta_max, **options), split)
            point = {"way": way, "delta_max": delta_max, "seconds": seconds}
            points.append(point | _scored(model, split))
    return {"sweep": points}


N_STORED, N_FEATURES = 500, 100
# Rows are timed while the number of vectors is within so many of N_STORED.
STORED_MARGIN = 50
RUN = 10


def one_row_updates(job):
    """`partial_fit` of one row, LASVC with 500 stored vectors against SGDClassifier.

    Both learn the same streams. LASVC grows through 450 to 550 vectors while it is timed.
    """
    times = {"lasvc": [], "sgd": []}
    stored = []
    for stream in range(4 if job.quick else 20):
        rows = _noisy_plane([job.seed, stream])
        n_seen, counts, microseconds = _timed_lasvc(rows, job.seed)
        stored += counts
        times["lasvc"] += microseconds
        sgd = SGDClassifier(random_state=job.seed)
        for row in rows[:RUN]:
            sgd.partial_fit(*row, classes=[-1, 1])
        timed_rows = rows[n_seen : n_seen + RUN * len(counts)]
        times["sgd"] += microseconds_of_calls(sgd.partial_fit, timed_rows)
    return {
        "lasvc_microseconds": float(np.median(times["lasvc"])),
        "sgd_microseconds": float(np.median(times["sgd"])),
        "n_stored": float(np.median(stored)),
        "n_features": N_FEATURES,
        "n_calls": len(times["lasvc"]),
    }


def _noisy_plane(seed, n_rows=2000):
    """Rows on two sides of a plane, some of them mislabelled, as (X, y) of one row each."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, N_FEATURES)).astype(np.float32)
    noise = 0.3 * rng.standard_normal(n_rows)
    y = np.where(X @ rng.standard_normal(N_FEATURES) + noise > 0, 1, -1)
    return [(X[i : i + 1], y[i : i + 1]) for i in range(n_rows)]


def _timed_lasvc(rows, seed):
    """Microseconds of the calls near N_STORED vectors, the counts, and the rows before them."""
    model = models.build("lasvc", models.Setting(C=1, gamma=1 / N_FEATURES, seed=seed))
    n_seen, counts, microseconds = 0, [], []
    for start in range(0, len(rows), RUN):
        run = rows[start : start + RUN]
        if start == 0:
            model.partial_fit(*run[0], classes=[-1, 1])
            run = run[1:]
        times = microseconds_of_calls(model.partial_fit, run)
        n_stored = len(model.support_)
        if n_stored < N_STORED - STORED_MARGIN:
            n_seen = start + RUN
        elif n_stored <= N_STORED + STORED_MARGIN:
            counts.append(n_stored)
            microseconds += times
        else:
            return n_seen, counts, microseconds
    raise RuntimeError(f"{len(rows)} rows left only {n_stored} vectors stored.")


TASKS = {
    task.__name__: task
    for task in (fit_and_predict, before_and_after_finishing, delta_max_sweep, one_row_updates)
}


def main(task, fields, answer):
    record = TASKS[task](Job(**json.loads(fields)))
    Path(answer).write_text(json.dumps(record))


if __name__ == "__main__":
    main(*sys.argv[1:])
