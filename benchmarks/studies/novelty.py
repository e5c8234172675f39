"""Novelty detection: models on 20 000 samples, a large set, and drifting streams."""

from functools import partial

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.linear_model import SGDOneClassSVM
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from sklearn_online_svm import OneClassLASVM

from ..bench.frames import frame
from ..bench.measure import processor_seconds, resident
from ..bench.models import on_nystroem
from ..bench.rst import count, joined, list_table, megabytes, percent, seconds, table
from ..bench.study import Study, grid, named, step

N_TRAIN, LARGE, STREAM = 20_000, 278_000, 1_000_000
N_FEATURES, N_CLUSTERS, OUTLIERS = 19, 20, 0.01
NU = 0.01
SHARE = dict(contamination=NU)
N_PARTS, WINDOW, MAX_VECTORS = 20, 50_000, 500


def clusters(n_samples, random, shift=0.0):
    """Return samples of clusters with 1 % outliers, and which are outliers.

    ``shift`` moves the clusters along a circle in each pair of features.
    """
    centres = 3.0 * np.random.default_rng(0).normal(size=(N_CLUSTERS, N_FEATURES))
    centres = np.cos(shift) * centres + np.sin(shift) * centres[:, ::-1]
    X = centres[random.integers(N_CLUSTERS, size=n_samples)]
    X = X + random.normal(size=(n_samples, N_FEATURES))
    is_outlier = random.random(n_samples) < OUTLIERS
    X[is_outlier] = random.uniform(-8, 8, (is_outlier.sum(), N_FEATURES))
    return X.astype(np.float32), is_outlier


# Title, and a model for samples and a seed.
MODELS = {
    "lasvm": ("OneClassLASVM", lambda X, seed: OneClassLASVM(nu=NU, random_state=seed)),
    "svm": ("OneClassSVM", lambda X, seed: OneClassSVM(nu=NU)),
    "sgd": (
        "Nystroem, SGDOneClassSVM",
        lambda X, seed: on_nystroem(
            SGDOneClassSVM(nu=NU, random_state=seed),
            n_components=300,
            gamma=1.0 / (X.shape[1] * X.var()),
            random_state=seed,
        ),
    ),
    "forest": ("IsolationForest", lambda X, seed: IsolationForest(**SHARE, random_state=seed)),
    "neighbors": (
        "Local Outlier Factor",
        lambda X, seed: LocalOutlierFactor(novelty=True, **SHARE),
    ),
}
STREAMS = {"budget": f"{MAX_VECTORS} vectors", "window": f"window of {count(WINDOW)}"}


def detect(model, n_train, seed=0, quick=False):
    """Fit a model; score fresh samples."""
    random = np.random.default_rng(seed + 1)
    X, _ = clusters(2000 if quick else n_train, random)
    X_test, is_outlier = clusters(2000 if quick else 50_000, random)
    fitted, fitting = processor_seconds(lambda: MODELS[model][1](X, seed).fit(X))
    scores, predicting = processor_seconds(lambda: fitted.decision_function(X_test))
    return {
        "seconds_fit": fitting,
        "seconds_predict": predicting,
        "rejected": float(np.mean(scores <= 0)),
        "auc": roc_auc_score(~is_outlier, scores),
    }


def detect_in_stream(model, n_train, seed=0, quick=False):
    """Train on a stream that drifts; score each part before it is learned."""
    random, n = np.random.default_rng(seed + 1), 20_000 if quick else n_train
    options = dict(max_support_vectors=MAX_VECTORS)
    if model == "window":
        options = dict(window_size=min(WINDOW, n // 10))
    detector = OneClassLASVM(nu=NU, **options)
    spent, found = 0.0, {"auc": [], "rejected": [], "megabytes": [], "n_support": []}
    for part in range(N_PARTS):
        X, is_outlier = clusters(n // N_PARTS, random, shift=0.5 * np.pi * part / N_PARTS)
        if part:
            scores = detector.decision_function(X)
            found["auc"].append(roc_auc_score(~is_outlier, scores))
            found["rejected"].append(float(np.mean(scores <= 0)))
        spent += processor_seconds(partial(detector.partial_fit, X))[1]
        found["megabytes"].append(resident())
        found["n_support"].append(len(detector.support_))
    return {"samples_per_second": n / spent, **found}


def novelty_models(results):
    """Times and ROC AUC, a table for each number of samples."""
    tables = []
    for n, of in frame("novelty_models", results).groupby("n_train"):
        columns = {
            "model": [MODELS[model][0] for model in of.model],
            "fit": of.seconds_fit.map(seconds),
            "score": of.seconds_predict.map(seconds),
            "AUC": of.auc.map("{:.4f}".format),
        }
        tables.append(table(columns, f"{count(n)} training samples"))
    return joined(tables)


def novelty_streams(results):
    """Speed, memory and AUC of streams that drift; a column for each model."""
    found = frame("novelty_streams", results)
    rows = {
        "samples per second": found.samples_per_second.map(count),
        "AUC, lowest": found.auc.map(min).map("{:.4f}".format),
        "AUC, mean": found.auc.map(np.mean).map("{:.4f}".format),
        "rejected": found.rejected.map(np.mean).map(percent),
        "most vectors": found.n_support.map(max).map(count),
        "memory of the process, after 10 %": found.megabytes.str[1].map(megabytes),
        "memory at the end": found.megabytes.str[-1].map(megabytes),
    }
    header = ["", *found.model.map(STREAMS)]
    return list_table(header, [[title, *cells] for title, cells in rows.items()])


RUNS = grid(n_train=[N_TRAIN], model=MODELS) + grid(n_train=[LARGE], model=["lasvm", "forest"])
STUDY = Study(
    steps={
        "novelty_models": step(detect, RUNS),
        "novelty_streams": step(detect_in_stream, grid(model=STREAMS, n_train=[STREAM])),
    },
    tables=named(novelty_models, novelty_streams),
)
