"""Another thread trains a model within a call that reads it."""

import copy
import tempfile
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_regressor

from sklearn_online_svm.export import load_libsvm, save_libsvm
from tests.support.interrupts import AtLine, n_lines
from tests.support.trainable import STREAMS, samples_of, seeded
from tests.threads.test_during_training import ended, in_thread


def compressed(model, X):
    return model.compress(max_support_vectors=15).predict_proba(X)


def in_file(model, X):
    """Return decision values of the model that is read from a file of LIBSVM."""
    with tempfile.TemporaryDirectory() as folder:
        save_libsvm(model, Path(folder) / "model")
        return load_libsvm(Path(folder) / "model").decision_function(X)


# Their parts change one after the other, or after blocks that are shorter than a chunk.
IN_PARTS = "virtual", "cells", "pipeline", "labels"
METHODS = (
    *("decision_function", "predict", "predict_proba", "predict_set", "predict_interval"),
    *("score_samples", "decision_variance"),
)


def cases_of_one_state():
    """Return names of estimators, and functions of a model and X."""
    yield "lasvm, finishing, probabilities", compressed
    yield "lasvm, finishing, probabilities", in_file
    for name, method in product(STREAMS, METHODS):
        model = seeded(name)
        if any(part in name for part in IN_PARTS) or not hasattr(model, method):
            continue
        if method not in ("predict_set", "predict_interval") or model.finishing:
            yield pytest.param(name, getattr(type(model), method), id=f"{name}, {method}")


@pytest.mark.sampled
@pytest.mark.parametrize("name, read", list(cases_of_one_state()))
def test_values_are_of_one_state(name, read):
    """Another thread trains at some line of the call: no value is made of both states."""
    X, y = samples_of(name, 60)
    before = seeded(name).fit(X, y)
    others = -y if is_regressor(before) else np.roll(y, 1)

    def values(model):
        return np.asarray(read(model, X), float)

    def values_while_training(n):
        """Return the values if another thread trains at the n-th line of the call."""
        model, threads, result = copy.deepcopy(before), [], []

        def train():
            threads.append(in_thread(model.partial_fit, X, others))
            threads[0].join(0.05)  # it may have to wait for the end of the call

        AtLine(train, n, lambda: result.append(values(model)))
        ended(*threads)
        return result[0]

    copied = copy.deepcopy(before)
    total = n_lines(values, copied)
    states = [values(before), values(copied.partial_fit(X, others))]
    for n in np.linspace(1, total, 60 if read is in_file else 12).astype(int):
        found = values_while_training(n)
        differences = [np.abs(found - state).max() for state in states]
        assert min(differences) < 1e-3, (n, differences)
