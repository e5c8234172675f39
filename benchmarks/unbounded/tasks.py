"""Tasks of `unbounded`: a model on a stream, in a fresh process."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from ..bench.job import Job
from ..bench.measure import resident
from ..sets.streams import DRIFT_GAMMA, STREAMS, drifting
from .models import DRIFT_MODELS, MODELS, Setting

CHUNK, DRIFT_CHUNK, N_POINTS = 200, 500, 20
# The features of a stream have mean 0 and a squared length of about 1: gamma="scale".
GAMMA = 1.0
# After so many seconds a model need not go on.
LIMIT = 30.0


@dataclass(frozen=True)
class UnboundedJob(Job):
    """A model and a stream."""

    stream: str = ""
    model: str = ""
    seeds: list = field(default_factory=list)


def test_then_train(model, X, y, classes):
    """Whether each sample was predicted correctly before the model was trained on it."""
    correct = np.zeros(len(y), dtype=bool)
    for first in range(0, len(y), CHUNK):
        rows = slice(first, first + CHUNK)
        if first:
            correct[rows] = model.predict(X[rows]) == y[rows]
        model.partial_fit(X[rows], y[rows], classes)
    return correct


def learn_stream(job):
    """Each choice of the parameter, on each seed."""
    runs = []
    for seed in job.seeds:
        X, y, classes = STREAMS[job.stream].load(seed, job.quick)
        for choice in MODELS[job.model].choices:
            model = MODELS[job.model].build(Setting(GAMMA, seed, X), **choice)
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                correct = test_then_train(model, X, y, classes)
            seconds = time.process_time() - start
            run = {"seed": seed, "choice": choice, "mean": float(correct[CHUNK:].mean())}
            runs.append(run | {"sample_microseconds": seconds / len(y) * 1e6})
    return {"n_samples": len(y), "n_classes": len(classes), "runs": runs}


def follow_drift(job):
    """Test-then-train errors in windows of equal length, with time and memory at their ends."""
    X, y = drifting(job.stream, job.seed, job.quick)
    model = DRIFT_MODELS[job.model].build(Setting(DRIFT_GAMMA, job.seed, X))
    n, points, wrong = len(y), [], []
    before, begun = resident(), time.process_time()
    for first in range(0, n, DRIFT_CHUNK):
        rows = slice(first, first + DRIFT_CHUNK)
        if first:
            wrong.append(float(np.mean(model.predict(X[rows]) != y[rows])))
        model.partial_fit(X[rows], y[rows], classes=[0, 1])
        seconds = time.process_time() - begun
        over = seconds > LIMIT or rows.stop == n
        if over or rows.stop % (n // N_POINTS) == 0:
            point = {"rows": rows.stop, "error": float(np.mean(wrong)), "seconds": seconds}
            points.append(point | {"megabytes": resident() - before})
            wrong = []
        if over:
            break
    return {"points": points}


JOB = UnboundedJob
TASKS = {"learn_stream": learn_stream, "follow_drift": follow_drift}
