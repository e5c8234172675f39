"""A stream of samples with a kernel: cells, one model, and a dictionary of bounded size."""

import time

from sklearn.metrics import zero_one_loss

from sklearn_online_svm import LASVC, KernelAROWClassifier
from sklearn_online_svm.partitioned import CellClassifier

from ..bench.measure import resident
from .sets import FOREST, N_TEST, forest

SVM = dict(C=FOREST.C, gamma=FOREST.gamma)
MODELS = {
    "cells": lambda seed: CellClassifier(LASVC(**SVM, random_state=seed), random_state=seed),
    "lasvm": lambda seed: LASVC(**SVM, random_state=seed),
    "lasvm-nc": lambda seed: LASVC(**SVM, algorithm="lasvm-nc", random_state=seed),
    "arow": lambda seed: KernelAROWClassifier(gamma=SVM["gamma"], random_state=seed),
}
TITLES = {
    "cells": "cells",
    "lasvm": "LASVC",
    "lasvm-nc": "LASVC, lasvm-nc",
    "arow": "kernel AROW",
}
CHUNK = 1000
POINTS = (20_000, 50_000, 100_000, 200_000, 500_000)
# Processor time after which a model gets no more samples.
LIMIT = 200


def train_stream(job):
    """Train on a stream; return processor time, memory and the error at some of its points."""
    points, n_test = ((1000, 2000), 500) if job.quick else (POINTS, N_TEST)
    X, y = forest(points[-1] + n_test, job.seed)
    X_test, y_test = X[-n_test:], y[-n_test:]
    model, before, spent, records = MODELS[job.model](job.seed), resident(), 0.0, []
    for first in range(0, points[-1], CHUNK):
        part = slice(first, first + CHUNK)
        begun = time.process_time()
        model.partial_fit(X[part], y[part], classes=[0, 1])
        spent += time.process_time() - begun
        if part.stop in points:
            begun = time.process_time()
            error = zero_one_loss(y_test, model.predict(X_test))
            records.append(
                {
                    "n_samples": part.stop,
                    "seconds": spent,
                    "predict_seconds": time.process_time() - begun,
                    "megabytes": resident() - before,
                    "error": error,
                }
            )
        if spent > LIMIT:
            break
    return {"points": records}


TASKS = {"train_stream": train_stream}
