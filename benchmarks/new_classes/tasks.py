"""Task of `new_classes`: one model on one stream of letters."""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from benchmarks.bench.data import load_all_samples
from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
)

from ..bench.job import Job

N_LATE, N_EARLY, N_TEST = 5, 6000, 5000
# Further samples, of all classes, after which errors are computed.
AFTER = [0, 500, 1000, 3000]
RBF = dict(gamma=0.2)
MODELS = {
    "LASVC": LASVC(C=10.0, **RBF),
    "LASVC, lasvm-g": LASVC(C=10.0, algorithm="lasvm-g", **RBF),
    "kernel PA": KernelPassiveAggressiveClassifier(**RBF),
    "kernel PA, crammer_singer": KernelPassiveAggressiveClassifier(
        multi_class="crammer_singer", **RBF
    ),
    "kernel perceptron": KernelPerceptronClassifier(**RBF),
    "kernel AROW, 500 vectors": KernelAROWClassifier(max_support_vectors=500, **RBF),
    "kernel AROW, 1000 vectors": KernelAROWClassifier(max_support_vectors=1000, **RBF),
    "PA": PassiveAggressiveClassifier(C=0.01, average=True),
    "PA, crammer_singer": PassiveAggressiveClassifier(
        C=0.01, average=True, multi_class="crammer_singer"
    ),
    "AROW": AROWClassifier(),
    "perceptron": PerceptronClassifier(),
}


@dataclass(frozen=True)
class LateJob(Job):
    """The model."""

    model: str = ""


def late_letters(job):
    """Measure one of the models."""
    model = clone(MODELS[job.model])
    if "random_state" in model.get_params():
        model.set_params(random_state=job.seed)
    return along_late_letters(model, job.seed, job.quick)


def along_late_letters(estimator, seed, quick):
    """Return errors on former and new classes, added to the model or known from the start."""
    rng = np.random.default_rng(seed)
    X, y, _ = load_all_samples("letter")
    classes = np.unique(y)
    late = rng.choice(classes, N_LATE, replace=False)
    order = rng.permutation(len(y))
    n_early, n_test = (600, 500) if quick else (N_EARLY, N_TEST)
    test, stream = order[:n_test], order[n_test:]
    early = np.flatnonzero(~np.isin(y[stream], late))[:n_early]
    later = stream[early[-1] + 1 :]
    early = stream[early]
    X = StandardScaler().fit(X[early]).transform(X)
    is_new = np.isin(y[test], late)
    found = {}
    for way in ("added", "known"):
        model = clone(estimator)
        first = classes if way == "known" else np.setdiff1d(classes, late)
        model.partial_fit(X[early], y[early], classes=first)
        # A sample of weight 0 makes no step.
        model.partial_fit(X[early[:1]], y[early[:1]], classes=classes, sample_weight=[0.0])
        found[way] = []
        for begin, end in zip([0, *AFTER[:-1]], AFTER, strict=True):
            rows = later[begin:end]
            if len(rows):
                model.partial_fit(X[rows], y[rows])
            predicted = model.predict(X[test])
            wrong = predicted != y[test]
            found[way].append(
                {
                    "former": wrong[~is_new].mean(),
                    "new": wrong[is_new].mean(),
                    "taken": np.isin(predicted[~is_new], late).mean(),
                }
            )
    return found


JOB = LateJob
TASKS = {"late_letters": late_letters}
