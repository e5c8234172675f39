"""Tasks of `local`: one set, all models, in a fresh process."""

import time
import warnings
from dataclasses import dataclass, field

import numpy as np

from ..bench.job import Job
from ..sets.local import SETS
from .models import MODELS, N_BASIS

# Training samples on which C and gamma are chosen: so many to fit, and half as many to score.
N_CHOICE = 3000


@dataclass(frozen=True)
class LocalJob(Job):
    """A data set and its models."""

    set: str = ""
    models: list = field(default_factory=list)
    orders: list = field(default_factory=list)


def one_pass(model, choice, X, y, X_test, y_test, classes, seed=0):
    """Error and processor time of one pass over the samples."""
    learner = model.build(choice, X.shape[1])
    start = time.process_time()
    if model.features is not None:
        features = model.features(choice, seed).fit(X[:N_BASIS])
        X = features.transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.partial_fit(X, y, classes)
        seconds = time.process_time() - start
        if model.features is not None:
            X_test = features.transform(X_test)
        error = float(np.mean(learner.predict(X_test) != y_test))
    return error, seconds / len(y) * 1e6


def learn_streams(job):
    X, y, X_test, y_test = SETS[job.set].load(job.quick)
    classes, n = np.unique(y), min(N_CHOICE, len(y) * 2 // 3)
    # The orders that are reported are others.
    rows = np.random.default_rng(99).permutation(len(y))
    few, judges = rows[:n], rows[n : n + n // 2]
    found = {}
    for name in job.models:
        model = MODELS[name]
        errors = [
            one_pass(model, choice, X[few], y[few], X[judges], y[judges], classes)[0]
            for choice in model.choices
        ]
        choice = model.choices[int(np.argmin(errors))]
        runs = []
        for seed in job.orders[: model.n_orders]:
            order = np.random.default_rng(seed).permutation(len(y))
            runs.append(one_pass(model, choice, X[order], y[order], X_test, y_test, classes, seed))
        errors, microseconds = map(list, zip(*runs))
        found[name] = {"choice": choice, "errors": errors, "learn_microseconds": microseconds}
    return {
        "n_train": len(y),
        "n_test": len(y_test),
        "n_features": X.shape[1],
        "n_classes": len(classes),
        "models": found,
    }


TASKS = {"learn_streams": learn_streams}
JOB = LocalJob
