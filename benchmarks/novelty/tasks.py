"""Tasks of `novelty`: one model, in a fresh process."""

import time
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import SGDOneClassSVM
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.svm import OneClassSVM

from sklearn_online_svm import OneClassLASVM

from ..bench.job import Job
from ..bench.measure import resident

N_FEATURES, N_CLUSTERS, OUTLIERS = 19, 20, 0.01
NU = 0.01
N_PARTS, WINDOW, MAX_VECTORS = 20, 50_000, 500


@dataclass(frozen=True)
class NoveltyJob(Job):
    """A model and a number of samples."""

    model: str = "lasvm"
    n_train: int = 20_000


def clusters(n_samples, random, shift=0.0):
    """Return samples of clusters with 1 % outliers, and which are outliers.

    ``shift`` moves the clusters along a circle in each pair of features.
    """
    centres = 3.0 * np.random.default_rng(0).normal(size=(N_CLUSTERS, N_FEATURES))
    turned = centres[:, ::-1]
    centres = np.cos(shift) * centres + np.sin(shift) * turned
    X = centres[random.integers(N_CLUSTERS, size=n_samples)]
    X = X + random.normal(size=(n_samples, N_FEATURES))
    is_outlier = random.random(n_samples) < OUTLIERS
    X[is_outlier] = random.uniform(-8, 8, (is_outlier.sum(), N_FEATURES))
    return X.astype(np.float32), is_outlier


def _scale(X):
    return 1.0 / (X.shape[1] * X.var())


MODELS = {
    "lasvm": lambda X, seed: OneClassLASVM(nu=NU, random_state=seed),
    "svm": lambda X, seed: OneClassSVM(nu=NU),
    "sgd": lambda X, seed: make_pipeline(
        Nystroem(gamma=_scale(X), n_components=300, random_state=seed),
        SGDOneClassSVM(nu=NU, random_state=seed),
    ),
    "forest": lambda X, seed: IsolationForest(contamination=NU, random_state=seed),
    "neighbors": lambda X, seed: LocalOutlierFactor(novelty=True, contamination=NU),
}


def detect(job):
    """Fit a model; score fresh samples."""
    random = np.random.default_rng(job.seed + 1)
    X, _ = clusters(2000 if job.quick else job.n_train, random)
    X_test, is_outlier = clusters(2000 if job.quick else 50_000, random)
    begun = time.process_time()
    model = MODELS[job.model](X, job.seed).fit(X)
    fitted = time.process_time()
    scores = model.decision_function(X_test)
    return {
        "seconds_fit": fitted - begun,
        "seconds_predict": time.process_time() - fitted,
        "rejected": float(np.mean(scores <= 0)),
        "auc": roc_auc_score(~is_outlier, scores),
    }


def detect_in_stream(job):
    """Train on a stream that drifts; score each part before it is learned."""
    random = np.random.default_rng(job.seed + 1)
    n = 20_000 if job.quick else job.n_train
    options = {
        "budget": dict(max_support_vectors=MAX_VECTORS),
        "window": dict(window_size=min(WINDOW, n // 10)),
    }[job.model]
    model = OneClassLASVM(nu=NU, **options)
    seconds, auc, rejected, memory, n_support = 0.0, [], [], [], []
    for part in range(N_PARTS):
        X, is_outlier = clusters(n // N_PARTS, random, shift=0.5 * np.pi * part / N_PARTS)
        if part:
            scores = model.decision_function(X)
            auc.append(roc_auc_score(~is_outlier, scores))
            rejected.append(float(np.mean(scores <= 0)))
        begun = time.process_time()
        model.partial_fit(X)
        seconds += time.process_time() - begun
        memory.append(resident())
        n_support.append(len(model.support_))
    return {
        "samples_per_second": n / seconds,
        "auc": auc,
        "rejected": rejected,
        "megabytes": memory,
        "n_support": n_support,
    }


JOB = NoveltyJob
TASKS = {"detect": detect, "detect_in_stream": detect_in_stream}
