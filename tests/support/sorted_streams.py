"""Models that replay, and streams sorted by class or target, for which they do."""

import numpy as np
from sklearn.base import clone, is_classifier

from sklearn_online_svm import LASVC, LASVR

SIZE = 60  # of the reservoir
_OF_CLASSES = dict(C=2.0, gamma=0.3, replay_size=SIZE)
_OF_TARGETS = dict(C=10.0, gamma=0.3, replay_size=SIZE)
SQUARED = dict(loss="squared_epsilon_insensitive")

# Name: estimator, and the number of classes or outputs.
REPLAYING = {
    "lasvm": (LASVC(**_OF_CLASSES), 2),
    "lasvm-g": (LASVC(**_OF_CLASSES, algorithm="lasvm-g"), 2),
    "lasvm-nc": (LASVC(**_OF_CLASSES, algorithm="lasvm-nc"), 2),
    "4 classes": (LASVC(**_OF_CLASSES, multi_class="ovr"), 4),
    "pairs": (LASVC(**_OF_CLASSES, multi_class="ovo"), 4),
    "lasvm-g, 4 classes": (LASVC(**_OF_CLASSES, algorithm="lasvm-g", multi_class="ovr"), 4),
    "lasvm-g, pairs": (LASVC(**_OF_CLASSES, algorithm="lasvm-g", multi_class="ovo"), 4),
    "lasvm-nc, pairs": (LASVC(**_OF_CLASSES, algorithm="lasvm-nc", multi_class="ovo"), 4),
    "linear": (LASVC(**_OF_CLASSES, kernel="linear"), 4),
    "probabilities": (LASVC(**_OF_CLASSES, probability=True), 2),
    "balanced": (LASVC(**_OF_CLASSES, class_weight="online_balanced", multi_class="ovo"), 4),
    "hard": (LASVC(C=np.inf, gamma=1.0, replay_size=SIZE), 2),
    "lasvr": (LASVR(**_OF_TARGETS), 1),
    "lasvr, lasvm-g": (LASVR(**_OF_TARGETS, algorithm="lasvm-g"), 1),
    "lasvr, squared": (LASVR(**_OF_TARGETS, **SQUARED), 1),
    "lasvr, 2 outputs": (LASVR(**_OF_TARGETS), 2),
    "lasvr, squared, 2 outputs": (LASVR(**_OF_TARGETS, **SQUARED), 2),
}
# Those whose predictions use a solution over support vectors and reservoir.
JOINT = [name for name in REPLAYING if "-nc" not in name and "outputs" not in name]
N_CLASSES, N_TARGETS = 360, 800  # lengths of the streams


def new(name, **params):
    """Return an unfitted estimator of the table."""
    return clone(REPLAYING[name][0]).set_params(**params)


def stream(name, *, shuffled=False):
    """Return samples and targets, sorted by class or by the first target."""
    model, n_outputs = REPLAYING[name]
    rng = np.random.default_rng(0)
    if is_classifier(model):
        y = np.sort(rng.integers(0, n_outputs, N_CLASSES))
        X = rng.normal(size=(N_CLASSES, 4))
        X[np.arange(N_CLASSES), y] += 1.5
    else:
        X = rng.uniform(-2, 2, (N_TARGETS, 3))
        y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=N_TARGETS)
        order = np.argsort(y)
        X, y = X[order], y[order]
        y = np.column_stack([y, X[:, 2]]) if n_outputs == 2 else y
    X[np.abs(X) < 0.2] = 0.0
    if shuffled:
        order = rng.permutation(len(y))
        X, y = X[order], y[order]
    return X, y


def labels_of(name):
    """Return the classes that the first call needs, if any."""
    model, n_outputs = REPLAYING[name]
    return dict(classes=np.arange(n_outputs)) if is_classifier(model) else {}


def learn(name, model, X, y, size=None, weights=None):
    """Train on chunks of this size, by default on one."""
    size = size or len(y)
    for at in range(0, len(y), size):
        part = slice(at, at + size)
        weight = None if weights is None else weights[part]
        model.partial_fit(X[part], y[part], **labels_of(name), sample_weight=weight)
    return model


def values(model, X):
    """Return decision values or predicted targets."""
    return getattr(model, "decision_function", model.predict)(X)
