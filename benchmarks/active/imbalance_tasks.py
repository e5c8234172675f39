"""Methods for imbalanced classes on one data set: what runs inside a fresh process."""

from collections import deque

import numpy as np
from sklearn.base import clone
from sklearn.metrics import roc_curve
from sklearn.model_selection import (
    FixedThresholdClassifier,
    TunedThresholdClassifierCV,
    train_test_split,
)
from sklearn.neighbors import KNeighborsClassifier

from sklearn_online_svm import LASVC, VirtualLASVC, VirtualSampler
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.evaluation import geometric_mean_score, geometric_mean_scorer

N_SAMPLES, N_TRAIN, QUICK_SAMPLES, QUICK_TRAIN = 13_200, 3300, 2640, 660
# Of a stream; thresholds are those of the latest chunks.
CHUNK, N_LATEST = 100, 20


def streamed(model, X, y):
    """Train in chunks."""
    for start in range(0, len(y), CHUNK):
        chunk = slice(start, start + CHUNK)
        model.partial_fit(X[chunk], y[chunk], classes=[-1, 1])
    return model


def threshold_of_stream(model, X, y):
    """Train in chunks after the first three, score each chunk before, and tune the threshold."""
    first = 3 * CHUNK
    model.partial_fit(X[:first], y[:first], classes=[-1, 1])
    latest = deque(maxlen=N_LATEST)
    for start in range(first, len(y), CHUNK):
        chunk = slice(start, start + CHUNK)
        latest.append([y[chunk], model.decision_function(X[chunk])])
        model.partial_fit(X[chunk], y[chunk])
    labels, scores = np.hstack(latest)
    false_alarms, hits, thresholds = roc_curve(labels, scores)
    best = thresholds[np.argmax(hits * (1 - false_alarms))]
    options = dict(response_method="decision_function", threshold=best)
    return FixedThresholdClassifier(model, **options)


def tuned(model, X, y):
    """The threshold of the highest g-mean in cross-validation."""
    options = dict(scoring=geometric_mean_scorer, response_method="decision_function")
    return TunedThresholdClassifierCV(model, **options).fit(X, y)


def compare_imbalance(job):
    """G-mean of each method, with LASVC and with nearest neighbors."""
    from imblearn.over_sampling import SMOTE, SVMSMOTE

    n_samples, n_train = (QUICK_SAMPLES, QUICK_TRAIN) if job.quick else (N_SAMPLES, N_TRAIN)
    X, y = make_waveform(n_samples, imbalance_ratio=32, random_state=job.seed)
    X, X_test, y, y_test = train_test_split(
        X, y, stratify=y, train_size=n_train, random_state=job.seed
    )
    lasvc = LASVC(gamma=0.01, random_state=job.seed)
    weighted = clone(lasvc).set_params(class_weight="balanced")
    online = clone(lasvc).set_params(class_weight="online_balanced")
    models = {
        "none": {"lasvc": clone(lasvc).fit(X, y)},
        "class_weight": {"lasvc": weighted.fit(X, y)},
        "threshold": {"lasvc": tuned(lasvc, X, y)},
        "stream": {"lasvc": streamed(clone(lasvc), X, y)},
        "stream_weight": {"lasvc": streamed(online, X, y)},
        "stream_threshold": {"lasvc": threshold_of_stream(clone(lasvc), X, y)},
        "virtual_lasvc": {"lasvc": VirtualLASVC(gamma=0.01, random_state=job.seed).fit(X, y)},
    }
    neighbors = KNeighborsClassifier(15)
    models["none"]["neighbors"] = clone(neighbors).fit(X, y)
    for name, sampler in {
        "virtual": VirtualSampler(random_state=job.seed),
        "virtual_one": VirtualSampler(n_virtual=1, random_state=job.seed),
        "smote": SMOTE(random_state=job.seed),
        "svm_smote": SVMSMOTE(random_state=job.seed),
    }.items():
        X_more, y_more = sampler.fit_resample(X, y)
        models[name] = {
            "lasvc": clone(lasvc).fit(X_more, y_more),
            "neighbors": clone(neighbors).fit(X_more, y_more),
        }
    gmeans = {
        method: {
            kind: geometric_mean_score(y_test, model.predict(X_test))
            for kind, model in kinds.items()
        }
        for method, kinds in models.items()
    }
    counts = {"n_train": len(y), "n_positive": int(np.sum(y == 1)), "n_test": len(y_test)}
    return {**counts, "gmeans": gmeans}


TASKS = {compare_imbalance.__name__: compare_imbalance}
