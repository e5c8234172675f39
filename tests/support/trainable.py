"""Unfitted estimators of every public class that is trained, and a comparison of their states."""

import inspect

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_regressor
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    LASVR,
    AROWClassifier,
    CompressedClassifier,
    LabelEfficientClassifier,
    OneClassLASVM,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    RampSVC,
)
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import make_online_pipeline
from tests.support.docstrings import public_objects
from tests.support.internals import split
from tests.support.samples import three_classes
from tests.support.stream_models import MODELS as STREAM_MODELS

# Trained, but not on samples and targets alone, or without predictions.
OTHER_DATA = {
    "KernelMetric": "a transformer",
    "VirtualSampler": "a sampler: fit_resample returns samples",
    "active.EntityResolver": "is trained on records of entities",
}

# Streams sorted by class, from which samples are visited again.
_SORTED = dict(gamma=0.3, replay_size=30)

# With finishing=True, predictions optimize over the support set, starting from the last solution.
FINISHING = {
    "lasvm, finishing": LASVC(C=50.0, gamma=0.3, multi_class="ovr"),
    "lasvm, finishing, probabilities": LASVC(C=2.0, gamma=0.3, probability=True),
    "lasvm-g, finishing": LASVC(C=50.0, gamma=0.3, algorithm="lasvm-g"),
    "lasvm, pairs, finishing": LASVC(C=50.0, gamma=0.3, multi_class="ovo"),
    "lasvr, finishing": LASVR(C=50.0, gamma=0.3),
    "lasvr, intervals, finishing": LASVR(C=50.0, gamma=0.3, intervals=True),
    "one class, finishing": OneClassLASVM(nu=0.2, gamma=0.3),
    "labels, finishing": LabelEfficientClassifier(LASVC(C=50.0, gamma=0.3)),
    "cells, finishing": CellClassifier(LASVC(C=50.0, gamma=0.3), cell_size=30),
    "calibrated, finishing": OnlineCalibratedClassifier(LASVC(C=50.0, gamma=0.3)),
    "pipeline, finishing": make_online_pipeline(
        StandardScaler(with_mean=False), LASVC(C=50.0, gamma=0.3), freeze_after=30
    ),
    "search, finishing": ProgressiveSearch(LASVC(gamma=0.3), {"C": [1.0, 50.0]}, cv=2),
    "lasvm, sorted, finishing": LASVC(C=2.0, probability=True, **_SORTED),
    "lasvm-g, sorted, finishing": LASVC(C=2.0, algorithm="lasvm-g", **_SORTED),
}
SORTED = {
    "lasvm, sorted": LASVC(C=2.0, multi_class="ovr", finishing=False, **_SORTED),
    "lasvm-nc, pairs, sorted": LASVC(
        C=2.0, multi_class="ovo", algorithm="lasvm-nc", finishing=False, **_SORTED
    ),
}
STREAMS = {
    **STREAM_MODELS,
    **SORTED,
    "calibrated": OnlineCalibratedClassifier(AROWClassifier()),
    "pipeline": make_online_pipeline(StandardScaler(with_mean=False), AROWClassifier()),
    "search": ProgressiveSearch(PassiveAggressiveClassifier(), {"C": [0.1, 1.0]}, cv=2),
    "search, regressor": ProgressiveSearch(PassiveAggressiveRegressor(), {"C": [0.1, 1.0]}, cv=2),
    **FINISHING,
}
FITTED_AT_ONCE = {
    "ramp": RampSVC(gamma=0.3, multi_class="ovr"),
    "ramp, pairs": RampSVC(gamma=0.3, multi_class="ovo", break_ties=True),
    "ramp, probabilities": RampSVC(gamma=0.3, probability=True),
    "compressed": CompressedClassifier(LASVC(gamma=0.3, probability=True), max_support_vectors=15),
}
MODELS = {**STREAMS, **FITTED_AT_ONCE}
# Parts of a state that may differ between equal models: times, the number of kernel evaluations
# (a copy has no cache), how samples and weights are stored, the position in the last call, and its
# parameters, which the next call compares with the present ones.
REPRESENTATION = (
    *("_seconds", "_time", "time_", ".cost_", "_past_cost", ".checksum", "n_evaluations"),
    *(".counters", ".store.", "._ends", "._parts", "._copy", "_state.sparse", "_fitted_params"),
    *(".watched", ".is_sparse"),
    *(".method.", ".n_processed", ".epoch", ".limits"),
)


def seeded(name):
    """Return an unfitted estimator of the table, without random_state=None."""
    return with_seeds(clone(MODELS[name]))


def with_seeds(model):
    """Set random_state, also of estimators in it."""
    seeds = [key for key in model.get_params() if key.split("__")[-1] == "random_state"]
    return model.set_params(**dict.fromkeys(seeds, 0))


def samples_of(name, n=120):
    """Return samples and targets for an estimator of the table."""
    X, y = three_classes(n)
    X[np.abs(X) < 0.3] = 0.0
    if "2 classes" in name:
        y = np.where(y == 10, 10, 20)
    if "sorted" in name:
        order = np.argsort(y, kind="stable")
        X, y = X[order], y[order]
    is_of_numbers = is_regressor(MODELS[name]) or "regressor" in name
    return X, y / 10.0 if is_of_numbers else y


def trained_kinds():
    """Return the public classes with ``fit``, except those that need other data."""
    return {
        kind
        for path, kind in public_objects().items()
        if inspect.isclass(kind) and hasattr(kind, "fit") and path not in OTHER_DATA
    }


def state_of(value, path=""):
    """Return the numbers and strings that a pickle of an object contains: dict from their paths.

    Arrays are represented by their bytes, so that two states are equal if all bits are.
    """
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return {path: (value.dtype.str, value.shape, value.tobytes())}
    if isinstance(value, np.ndarray):
        return {path: (value.shape, repr(value.tolist()))}
    if value is None or isinstance(value, bool | int | float | str | bytes | np.generic | slice):
        return {path: (type(value).__name__, repr(value))}
    if isinstance(value, dict) and value.keys() == {"n", "lengths", "fields"}:
        value = split(value)  # states of problems, in flat arrays
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list | tuple | set | frozenset):
        parts = enumerate(value)
    elif isinstance(value, type) or callable(value):
        return {path: repr(value)}
    elif sparse.issparse(value):
        # Not what SciPy has found out about them.
        parts = [(name, getattr(value, name)) for name in ("data", "indices", "indptr", "shape")]
    elif isinstance(value, np.random.RandomState):
        parts = value.get_state(legacy=False).items()
    elif isinstance(value, np.random.Generator):
        parts = value.bit_generator.state.items()
    else:
        reduced = value.__reduce_ex__(4)
        parts = [("type", type(value)), ("args", reduced[1]), ("state", (*reduced, None)[2])]
    found = {path: type(value).__name__}
    for name, part in parts:
        name = name if isinstance(name, str | int) else type(name).__name__
        found |= state_of(part, f"{path}.{name}")
    return found


def assert_same_state(found, expected, ignored=REPRESENTATION, way=""):
    """Compare two states, as `state_of` returns them; ``way`` is a part of the message."""
    names = sorted(found.keys() | expected.keys())
    changed = [name for name in names if found.get(name) != expected.get(name)]
    changed = [name for name in changed if not any(part in name for part in ignored)]
    lines = [f"{name}: {found.get(name)}, {expected.get(name)}" for name in changed]
    assert not changed, "\n".join([way, *lines])[:2000]


def n_samples_seen(model):
    """Return the number of samples that an estimator has been trained on, 0 if it is not known."""
    if hasattr(model, "n_samples_seen_"):
        return model.n_samples_seen_
    if hasattr(model, "queried_"):
        return len(model.queried_)
    if hasattr(model, "t_"):
        return model.t_ - 1
    if hasattr(model, "steps"):
        return n_samples_seen(model[-1])
    trained = getattr(model, "best_estimator_", None) or getattr(model, "estimator_", None)
    return 0 if trained is None else n_samples_seen(trained)
