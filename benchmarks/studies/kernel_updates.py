"""Kernel passive-aggressive models and perceptrons.

``kernel_stream``: samples per second on a stream with a budget; ``kernel_pa_sets``: PA-I with all
labels, some labels and few vectors, compared with ``LASVC``; ``kernel_perceptrons``: the
perceptrons of the thesis and LASVM on the ten digits.
"""

import numpy as np
from sklearn.base import clone
from sklearn.metrics import zero_one_loss
from sklearn.model_selection import train_test_split

import sklearn_online_svm as ours
from sklearn_online_svm.active import MarginQuery

from ..bench import rst
from ..bench.data import chunks, load_all_samples, scaled
from ..bench.frames import entries, frame, median
from ..bench.measure import Stopwatch
from ..bench.study import Study, grid, named, seeded, step
from ..sets.workloads import WORKLOADS

POLICIES = ("margin", "projection", "merging")
SETS = {
    "magic04": "MAGIC", "mushrooms": "Mushroom", "pima_diabetes": "Pima", "spambase": "Spambase",
    "splice": "Splice", "svmguide1": "svmguide1",
}  # fmt: skip
GRID = [0.01, 0.1, 1.0, 10.0, 100.0]
MOST_ROWS = 6000


def budget_stream(policy, seed=0, quick=False):
    """Measure samples per second, in chunks of a thousand and singly, and the error at the end.

    The stream has a curved boundary, with noise.
    """
    n, rng = 5000 if quick else 100_000, np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    score = X @ rng.normal(size=20) + 0.5 * X[:, 0] * X[:, 1]
    y = np.where(score + 0.5 * rng.normal(size=n) > 0, 1, -1)
    model = ours.KernelPassiveAggressiveClassifier(
        gamma=0.05, max_support_vectors=500, budget_policy=policy
    )
    begin = 2000
    model.partial_fit(X[:begin], y[:begin], classes=[-1, 1])
    n_before = model.n_updates_
    many, single = Stopwatch(), Stopwatch()
    for rows in chunks(n, 1000)[2:]:
        with many:
            model.partial_fit(X[rows], y[rows])
    n_updates = model.n_updates_ - n_before
    X, y = X[-5000:], y[-5000:]
    error = zero_one_loss(y, model.predict(X))
    with single:
        for i in range(1000):
            model.partial_fit(X[i : i + 1], y[i : i + 1])
    return {
        "rows": n - begin,
        "pass_seconds": many.seconds,
        "updates": n_updates,
        "error": error,
        "row_seconds": single.seconds / 1000,
    }


def _chosen(model, X, y, seed):
    """Set C by the error on a quarter of the training samples."""
    X, X_held, y, y_held = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
    errors = {
        C: zero_one_loss(y_held, clone(model).set_params(C=C).fit(X, y).predict(X_held))
        for C in GRID
    }
    return model.set_params(C=min(errors, key=errors.get))


def _measured(models, X, y, X_test, y_test):
    """Return error, support vectors and time of each model."""
    found = {}
    for name, model in models.items():
        watch = Stopwatch()
        with watch:
            model.fit(X, y)
        found[name] = {
            "error": zero_one_loss(y_test, model.predict(X_test)),
            "n_vectors": len(getattr(model, "estimator_", model).support_),
            "fit_seconds": watch.seconds,
        }
    return {"models": found}


def compare_on_sets(name, seed=0, quick=False):
    """Compare PA-I with all labels, some labels and few vectors, and LASVC."""
    X, y, _ = load_all_samples(name, dense=True)
    rows = np.random.default_rng(seed).permutation(len(y))
    rows = rows[: 1500 if quick else int(MOST_ROWS / 0.7)]
    X, X_test, y, y_test = train_test_split(
        X[rows].astype(np.float64), y[rows], test_size=0.3, random_state=seed, stratify=y[rows]
    )
    X, X_test = scaled(X, X_test)
    fixed = dict(gamma=1.0 / X.shape[1], random_state=seed)
    model = _chosen(ours.KernelPassiveAggressiveClassifier(**fixed), X, y, seed)
    query = MarginQuery(rate=0.2, random_state=seed)
    models = {
        "PA-I": model,
        "PA-I, a fifth of the labels": ours.LabelEfficientClassifier(
            clone(model), query, random_state=seed
        ),
        "PA-I, 100 vectors": clone(model).set_params(max_support_vectors=100),
        "LASVC": _chosen(ours.LASVC(max_iter=1, **fixed), X, y, seed),
    }
    return _measured(models, X, y, X_test, y_test)


def perceptrons_of_digits(digit, seed=0, quick=False):
    """Compare models of one digit against the rest, as in the thesis (3.1, 3.2.2.2)."""
    split = WORKLOADS[f"mnist_digit_{digit}"].load(seed, quick)
    kernel = dict(kernel="rbf", gamma=0.005, random_state=seed)
    perceptron = ours.KernelPerceptronClassifier(tol=None, **kernel)
    averaged = clone(perceptron).set_params(average="vote")
    models = {
        "perceptron": perceptron,
        "averaged, 1 pass": averaged,
        "averaged, 10 passes": clone(averaged).set_params(max_iter=10),
        "budget": clone(perceptron).set_params(max_support_vectors=500, budget_policy="margin"),
        "LASVM, 1 pass": ours.LASVC(C=1000, max_iter=1, **kernel),
        "LASVM, 2 passes": ours.LASVC(C=1000, max_iter=2, **kernel),
    }
    return _measured(models, split.X_train, split.y_train, split.X_test, split.y_test)


def kernel_stream(results):
    """Speed and error of the policies."""
    found = frame("kernel_stream", results)
    found["rate"] = found["rows"] / found["pass_seconds"]
    fields = {
        "rate": ("samples per second", rst.count),
        "error": ("error", rst.percent),
        "row_seconds": ("one sample", lambda seconds: f"{seconds * 1e6:.0f}{rst.NBSP}µs"),
    }
    return rst.cross_fields(found, ("policy", POLICIES), fields)


def kernel_pa_sets(results):
    """Errors and support vectors, with a row for each set."""
    found = entries(frame("kernel_pa_sets", results), "models", "model", "name")
    models = found["model"].unique()

    def percent(error):
        return rst.number(error, 100)

    return rst.joined(
        rst.cross(found, ("name", SETS), ("model", models), field, form, title, corner="set")
        for field, form, title in (
            ("error", percent, "Test error, percent"),
            ("n_vectors", rst.count, "Support vectors"),
        )
    )


def kernel_perceptrons(results):
    """Errors of models on digits, with the medians of support vectors and time."""
    found = entries(frame("kernel_perceptrons", results), "models", "model", "digit")

    def cell(row, model):
        if row == "vectors":
            return rst.count(median(found, "n_vectors", model=model))
        if row == "time":
            return rst.seconds(median(found, "fit_seconds", model=model))
        return rst.percent(median(found, "error", model=model, digit=row))

    rows = {row: str(row) for row in (*range(10), "vectors", "time")}
    columns = {model: model for model in found["model"]}
    parts = {"Perceptrons": 3, "Budget perceptron and LASVM": 3}
    return rst.cross_table("digit", rows, columns, cell, parts)


STUDY = Study(
    steps={
        "kernel_stream": step(budget_stream, seeded(grid(policy=POLICIES))),
        "kernel_pa_sets": step(compare_on_sets, seeded(grid(name=SETS))),
        # One order of the samples: ten passes over each of ten digits take their time.
        "kernel_perceptrons": step(perceptrons_of_digits, grid(digit=range(10), seed=[0])),
    },
    tables=named(kernel_stream, kernel_perceptrons, kernel_pa_sets),
)
