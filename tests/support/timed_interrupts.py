"""Ctrl-C at random times, as calls with several threads are interrupted at any place."""

import copy
import pickle
import signal
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from tests.support.internals import check_signals, training_state
from tests.support.trainable import state_of


def assert_same(model, reference, X):
    """Compare what training continues from, and predictions: the same bits."""
    assert_array_equal(model.decision_function(X), reference.decision_function(X))
    assert_equal(training_state(model), training_state(reference))


class RandomInterrupts:
    """Interrupts calls at random times, about twice per call of a duration in seconds."""

    def __init__(self, seconds):
        self.seconds, self.random, self.n_interrupts = seconds, np.random.default_rng(0), 0

    def call(self, method, *args):
        """Return whether the call was interrupted."""
        after = self.random.uniform(0.02, 0.7) * self.seconds
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, after)
                method(*args)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            time.sleep(0.001)  # a signal that is on its way is to arrive here
        except KeyboardInterrupt:
            self.n_interrupts += 1
            return True
        return False

    def completed(self, model, calls, check):
        """Make calls; repeat those that have not begun, and resume the others or their pickles."""
        for method, *data in calls:
            before = state_of(model)
            interrupted = self.call(getattr(model, method), *data)
            while interrupted and state_of(model) == before:
                interrupted = self.call(getattr(model, method), *data)
            while interrupted and model.interrupted_:  # otherwise it had just come to its end
                if self.random.random() < 0.5:
                    model = pickle.loads(pickle.dumps(model))
                check(model)
                interrupted = self.call(model.resume, *data[:2], *data[3:])
        assert not model.interrupted_
        return model


def check_interrupts(model, calls, X, check=lambda model: None):
    """Compare interrupted and uninterrupted calls; return a model of the latter.

    Parameters
    ----------
    model : estimator
        The model before the calls.
    calls : list of tuple
        Names of methods, with their arguments: X, y, ``classes`` and ``sample_weight``.
    X : array
        Samples to predict.
    check : callable
        Function of an interrupted model.
    """
    reference, start = copy.deepcopy(model), time.perf_counter()
    for method, *data in calls:
        getattr(reference, method)(*data)
    interrupts, n_rounds = RandomInterrupts((time.perf_counter() - start) / len(calls)), 0
    while n_rounds < 3 or (interrupts.n_interrupts < 6 and n_rounds < 100):
        n_rounds += 1
        found = interrupts.completed(copy.deepcopy(model), calls, check)
        assert_same(found, reference, X)
    assert interrupts.n_interrupts >= 6
    return reference


@pytest.fixture
def ctrl_c():
    """Raise SIGINT by a timer, as Ctrl-C does."""

    def raise_interrupt(number, frame):
        signal.raise_signal(signal.SIGINT)

    former = signal.signal(signal.SIGALRM, raise_interrupt)
    former_interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, former)
    signal.signal(signal.SIGINT, former_interrupt)


@pytest.fixture
def frequent_checks(monkeypatch):
    check_signals(monkeypatch, work=2000.0)


def noise(n, n_classes, seed=0):
    """Slow problem: labels drawn at random."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 10)), rng.integers(0, n_classes, n)
