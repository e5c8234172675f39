"""Tasks of `budget`: what runs inside a fresh process."""

import time
from dataclasses import dataclass, field

import numpy as np

from sklearn_online_svm import LASVC

from ..bench.job import Job
from ..bench.measure import resident, timed
from ..svc.workloads import WORKLOADS
from .streams import MODELS, make_stream

N_ROWS, N_QUICK = 1_000_000, 20_000
CHUNK, N_POINTS = 500, 20


@dataclass(frozen=True)
class BudgetJob(Job):
    """One model on a stream, or LASVC with some options on a set."""

    world: str = ""
    model: str = ""
    # After so many seconds a model need not go on.
    seconds: float = 30.0
    workload: str = ""
    C: float = 1.0
    options: dict = field(default_factory=dict)


def learn_stream(job):
    """Prequential (test-then-train) errors of each chunk, in windows; memory at their end."""
    n = N_QUICK if job.quick else N_ROWS
    X, y = make_stream(job.world, n, job.seed)
    model, points, wrong = MODELS[job.model](job.seed), [], []
    before, begun = resident(), time.perf_counter()
    for first in range(0, n, CHUNK):
        rows = slice(first, first + CHUNK)
        if first:
            wrong.append(float(np.mean(model.predict(X[rows]) != y[rows])))
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        seconds = time.perf_counter() - begun
        over = seconds > job.seconds or rows.stop == n
        if over or rows.stop % (n // N_POINTS) == 0:
            point = {"rows": rows.stop, "error": float(np.mean(wrong)), "seconds": seconds}
            points.append(point | {"megabytes": resident() - before})
            wrong = []
        if over:
            break
    return {"points": points}


def learn_set(job):
    """LASVC with its limits on a set."""
    work = WORKLOADS[job.workload]
    split = work.load(job.seed, job.quick)
    model = LASVC(C=job.C, gamma=work.gamma, random_state=job.seed, **job.options)
    _, seconds = timed(lambda: model.fit(split.X_train, split.y_train), max_repeats=1)
    return {
        "error": float(np.mean(model.predict(split.X_test) != split.y_test)),
        "n_support": len(model.support_),
        "seconds": seconds[0],
    }


JOB = BudgetJob
TASKS = {"learn_stream": learn_stream, "learn_set": learn_set}
