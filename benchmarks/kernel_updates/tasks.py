"""Tasks of `kernel_updates`: what runs inside a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.metrics import zero_one_loss
from sklearn.model_selection import train_test_split

from benchmarks.bench.data import load_all_samples, load_paper_dataset, scaled
from sklearn_online_svm import (
    LASVC,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
)
from sklearn_online_svm.active import MarginQuery

from ..bench.job import Job

GRID = [0.01, 0.1, 1.0, 10.0, 100.0]
MOST_ROWS = 6000
QUERY_RATE = 0.2
MNIST = dict(kernel="rbf", gamma=0.005)


@dataclass(frozen=True)
class UpdatesJob(Job):
    """Streams and sets."""

    # Of the stream.
    n_rows: int = 100_000
    n_features: int = 20
    budget: int = 500
    policy: str = "margin"
    # A set, and a digit.
    name: str = ""
    digit: int = 0


# ---------------------------------------------------------------------------
# The stream
# ---------------------------------------------------------------------------


def _stream(job):
    """A curved boundary, with noise."""
    n = 5000 if job.quick else job.n_rows
    rng = np.random.default_rng(job.seed)
    X = rng.normal(size=(n, job.n_features))
    score = X @ rng.normal(size=job.n_features) + 0.5 * X[:, 0] * X[:, 1]
    return X, np.where(score + 0.5 * rng.normal(size=n) > 0, 1, -1)


def budget_stream(job):
    """Samples per second in chunks of a thousand and one by one, and the error at the end."""
    X, y = _stream(job)
    model = KernelPassiveAggressiveClassifier(
        gamma=0.05, max_support_vectors=job.budget, budget_policy=job.policy
    )
    begin, seconds = 2000, 0.0
    model.partial_fit(X[:begin], y[:begin], classes=[-1, 1])
    n_before = model.n_updates_
    for at in range(begin, len(y), 1000):
        start = time.perf_counter()
        model.partial_fit(X[at : at + 1000], y[at : at + 1000])
        seconds += time.perf_counter() - start
    n_updates = model.n_updates_ - n_before
    probe, expected = X[-5000:], y[-5000:]
    error = zero_one_loss(expected, model.predict(probe))
    start = time.perf_counter()
    for i in range(1000):
        model.partial_fit(probe[i : i + 1], expected[i : i + 1])
    return {
        "rows": len(y) - begin,
        "pass_seconds": seconds,
        "updates": n_updates,
        "error": error,
        "row_seconds": (time.perf_counter() - start) / 1000,
    }


# ---------------------------------------------------------------------------
# Sets
# ---------------------------------------------------------------------------


def _set(job):
    X, y, _ = load_all_samples(job.name, dense=True)
    rng = np.random.default_rng(job.seed)
    rows = rng.permutation(len(y))[: 1500 if job.quick else int(MOST_ROWS / 0.7)]
    X, X_test, y, y_test = train_test_split(
        X[rows].astype(np.float64), y[rows], test_size=0.3, random_state=job.seed, stratify=y[rows]
    )
    X, X_test = scaled(X, X_test)
    return X, y, X_test, y_test


def _chosen(build, X, y, seed):
    """C by the error on a quarter of the training samples."""
    X, X_held, y, y_held = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
    errors = [zero_one_loss(y_held, build(C).fit(X, y).predict(X_held)) for C in GRID]
    return GRID[int(np.argmin(errors))]


def _measured(models, X, y, X_test, y_test):
    """Error, support vectors and time of each model."""
    found = {}
    for name, model in models.items():
        start = time.perf_counter()
        model.fit(X, y)
        seconds = time.perf_counter() - start
        found[name] = {
            "error": zero_one_loss(y_test, model.predict(X_test)),
            "n_vectors": len(getattr(model, "estimator_", model).support_),
            "fit_seconds": seconds,
        }
    return {"models": found}


def kernel_pa_sets(job):
    """PA-I with all labels, some labels and few vectors, and LASVC."""
    X, y, X_test, y_test = _set(job)
    fixed = dict(gamma=1.0 / X.shape[1], random_state=job.seed)
    C = _chosen(lambda C: KernelPassiveAggressiveClassifier(C=C, **fixed), X, y, job.seed)
    model = KernelPassiveAggressiveClassifier(C=C, **fixed)
    query = MarginQuery(rate=QUERY_RATE, random_state=job.seed)
    C = _chosen(lambda C: LASVC(C=C, max_iter=1, **fixed), X, y, job.seed)
    models = {
        "PA-I": model,
        "PA-I, a fifth of the labels": LabelEfficientClassifier(
            clone(model), query, random_state=job.seed
        ),
        "PA-I, 100 vectors": clone(model).set_params(max_support_vectors=100),
        "LASVC": LASVC(C=C, max_iter=1, **fixed),
    }
    return _measured(models, X, y, X_test, y_test)


# ---------------------------------------------------------------------------
# Ten digits
# ---------------------------------------------------------------------------


def perceptrons_of_digits(job):
    """One digit against the rest, as in the thesis (3.1, 3.2.2.2)."""
    data = load_paper_dataset("mnist")
    n_train, n_test = (2000, 1000) if job.quick else (60_000, 10_000)
    rows = np.random.default_rng(job.seed).permutation(len(data["y_train"]))[:n_train]
    X, X_test = (
        (data[f"X_{part}"][which]).astype(np.float32)
        for part, which in (("train", rows), ("test", slice(0, n_test)))
    )
    scale = max(float(X.max()), 1.0)
    X, X_test = X / scale, X_test / scale
    y = np.where(data["y_train"][rows] == job.digit, 1, -1)
    y_test = np.where(data["y_test"][:n_test] == job.digit, 1, -1)
    once = dict(**MNIST, random_state=job.seed, tol=None)
    budget = dict(max_support_vectors=500, budget_policy="margin")
    models = {
        "perceptron": KernelPerceptronClassifier(**once),
        "averaged, 1 pass": KernelPerceptronClassifier(average="vote", **once),
        "averaged, 10 passes": KernelPerceptronClassifier(average="vote", max_iter=10, **once),
        "budget": KernelPerceptronClassifier(**budget, **once),
        "LASVM, 1 pass": LASVC(C=1000, max_iter=1, **MNIST, random_state=job.seed),
        "LASVM, 2 passes": LASVC(C=1000, max_iter=2, **MNIST, random_state=job.seed),
    }
    return _measured(models, X, y, X_test, y_test)


JOB = UpdatesJob
TASKS = {
    "budget_stream": budget_stream,
    "kernel_pa_sets": kernel_pa_sets,
    "perceptrons_of_digits": perceptrons_of_digits,
}
