"""Two threads that train one model and one that reads it, for every estimator with partial_fit."""

import copy
import pickle
import sys
import threading
import warnings

import numpy as np
import pytest
from sklearn.base import is_classifier

from tests.support.trainable import FINISHING, STREAMS, n_samples_seen, samples_of, seeded

N_SAMPLES = 3  # of a chunk
SECONDS = 120
PREDICTIONS = ("predict", "decision_function", "predict_proba", "score_samples")


def predictions(model, X):
    return {name: getattr(model, name)(X) for name in PREDICTIONS if hasattr(model, name)}


def check_training_in_threads(name, n_rounds):
    """In each round two threads train on the same chunk, so that their order does not matter."""
    X, y = samples_of(name)
    model = seeded(name)
    classes = {"classes": np.unique(y)} if is_classifier(model) else {}
    model.partial_fit(X[:30], y[:30], **classes)
    alone, errors, n_read = copy.deepcopy(model), [], 0
    chunks = [slice(k % 30 * N_SAMPLES, (k % 30 + 1) * N_SAMPLES) for k in range(n_rounds)]
    begin = threading.Barrier(3)

    def guarded(work):
        def run():
            try:
                work()
            except BaseException as error:
                errors.append(error)
                begin.abort()

        return threading.Thread(target=run, daemon=True)

    def train():
        for chunk in chunks:
            begin.wait(SECONDS)
            model.partial_fit(X[chunk], y[chunk])

    def read():
        nonlocal n_read
        for _ in chunks:
            begin.wait(SECONDS)
            for values in predictions(model, X[:9]).values():
                assert np.isfinite(values).all()
            assert n_samples_seen(model) >= 30
            for attribute in ("dual_coef_", "coef_", "support_vectors_", "intercept_"):
                getattr(model, attribute, None)
            copied = pickle.loads(pickle.dumps(model))
            assert np.isfinite(copied.predict(X[:9]).astype(float)).all()
            n_read += 1

    threads = [guarded(work) for work in (train, train, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert not errors, errors
    assert not any(thread.is_alive() for thread in threads)
    assert n_read == n_rounds
    assert n_samples_seen(model) == 30 + 2 * N_SAMPLES * n_rounds
    for chunk in chunks:
        for _ in range(2):
            alone.partial_fit(X[chunk], y[chunk])
    assert n_samples_seen(alone) == n_samples_seen(model)
    found, expected = predictions(model, X), predictions(alone, X)
    for method, values in found.items():
        assert np.isfinite(values).all()
        if name not in FINISHING:  # predictions depend on when the reader predicted
            np.testing.assert_array_equal(values, expected[method], err_msg=method)


@pytest.fixture(autouse=True)
def frequent_switches():
    """Switch between threads more often, which finds more."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


def run(name, n_rounds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_training_in_threads(name, n_rounds)


@pytest.mark.sampled
@pytest.mark.parametrize("name", STREAMS)
def test_two_trainers_and_a_reader(name):
    run(name, 8)


@pytest.mark.slow
@pytest.mark.parametrize("name", STREAMS)
def test_two_trainers_and_a_reader_for_long(name):
    run(name, 100)
