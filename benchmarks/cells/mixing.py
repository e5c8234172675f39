"""Errors of linear models that are mixed from models of partitions."""

import numpy as np

import sklearn_online_svm as ours

from ..bench.data import load_paper_dataset, scaled

SETS = {"adult_a9a": "Adult", "w8a": "w8a", "letter": "Letter"}
MODELS = {
    "pa": ("PA-I, C = 0.01", lambda: ours.PassiveAggressiveClassifier(C=0.01)),
    "arow": ("AROW", lambda: ours.AROWClassifier()),
    "arow_full": ("AROW, full covariance", lambda: ours.AROWClassifier(covariance="full")),
    "scw": ("SCW", lambda: ours.SCWClassifier()),
}
RUNS = [(name, model) for name in ("adult_a9a", "w8a") for model in ("pa", "arow", "arow_full")]
RUNS += [("letter", "arow"), ("letter", "scw")]
N_PARTITIONS, EPOCHS = (4, 16, 64), (1, 5)


def mix_partitions(job):
    """Return the errors of one sequential pass, and of each number of partitions and epochs."""
    import dask

    from sklearn_online_svm.distributed import fit_linear

    X, y, X_test, y_test = _split(job)
    sequential = MODELS[job.model][1]().partial_fit(X, y, classes=np.unique(y))
    errors = {"sequential": 1 - sequential.score(X_test, y_test)}
    for epochs in EPOCHS:
        for n in N_PARTITIONS:
            parts = [
                dask.delayed((X[rows], y[rows]), traverse=False)
                for rows in np.array_split(np.arange(len(y)), n)
            ]
            with dask.config.set(scheduler="synchronous"):
                mixed = fit_linear(MODELS[job.model][1](), parts, epochs=epochs)
            errors[f"{n} partitions, {epochs} epochs"] = 1 - mixed.score(X_test, y_test)
    return {"errors": errors}


def _split(job):
    """Return training samples in random order, and test samples."""
    data = load_paper_dataset(job.set)
    order = np.random.default_rng(job.seed).permutation(len(data.y_train))
    X, y = data.X_train[order], data.y_train[order]
    if data.X_test is None:
        n = len(y) * 3 // 4
        X, y, X_test, y_test = X[:n], y[:n], X[n:], y[n:]
    else:
        X_test, y_test = data.X_test, data.y_test
    if job.set == "letter":
        X, X_test = scaled(X, X_test)
    n = 1500 if job.quick else None
    return X[:n], y[:n], X_test, y_test


TASKS = {"mix_partitions": mix_partitions}
