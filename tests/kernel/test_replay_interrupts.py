"""Ctrl-C, errors and invalid input in streams that replay."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal

from tests.kernel.test_interrupt_stages import check_gradients, frequent_checks
from tests.kernel.test_replay import with_replaying
from tests.support.copies import COPIES
from tests.support.internals import reservoir_end, reservoir_of, training_state
from tests.support.interrupts import (
    InterruptAtCheck,
    interruptible_rbf,
    some_checks,
)
from tests.support.sorted_streams import JOINT, learn, new, stream, values

__all__ = ["frequent_checks"]  # a fixture

# Maximum number of interrupts of a call at each place from which it calls the engine.
with_interrupts = pytest.mark.parametrize("most", [3, pytest.param(8, marks=pytest.mark.slow)])
KERNELS = {"compiled": {}, "function": dict(kernel=interruptible_rbf)}
with_kernels = pytest.mark.parametrize(
    "kernel", ["compiled", pytest.param("function", marks=pytest.mark.slow)]
)
# With C=inf, thousands of steps call the function for a row of the cache each.
WITH_FUNCTION = [name for name in JOINT if name != "hard"]
with_joint = pytest.mark.parametrize(
    ("kernel", "name"),
    [
        *(("compiled", name) for name in JOINT),
        *(pytest.param("function", name, marks=pytest.mark.slow) for name in WITH_FUNCTION),
    ],
)


def begun(name, **params):
    """Return a model in mid-stream, after a prediction, and the next samples."""
    X, y = stream(name)
    n = len(y) * 3 // 4
    model = learn(name, new(name, **params), X[:n], y[:n], 50)
    values(model, X)
    return model, X, y, n


def state_only(state, joint):
    """Return a state with or without the solution for predictions."""
    return {name: state[name] for name in state if joint or name != "joint"}


def check_interrupts(model, method, data, X, most):
    """Interrupt a call at some checks and resume it, with or without a prediction in between.

    A prediction in between continues the solution for predictions, as at any other time.
    """
    stored, reference = pickle.dumps(model), COPIES["pickle"](model, None)
    places = InterruptAtCheck((), getattr(reference, method), *data).places
    expected, later = training_state(reference), values(reference, X)
    assert places
    for k, n in enumerate(some_checks(places, most)):
        stopped = pickle.loads(stored)
        assert InterruptAtCheck((n,), getattr(stopped, method), *data).raised
        if not stopped.interrupted_:
            assert_equal(training_state(stopped), training_state(model))
            continue
        end = reservoir_end(stopped)
        assert end is None or end == stopped.n_samples_seen_
        is_asked = k % 2 == 0
        if is_asked:
            check_gradients(pickle.loads(pickle.dumps(stopped)))
            assert np.isfinite(values(stopped, X)).all()
        stopped = pickle.loads(pickle.dumps(stopped))
        stopped.resume(*data)
        assert_equal(
            state_only(training_state(stopped), not is_asked), state_only(expected, not is_asked)
        )
        if not is_asked:
            assert_array_equal(values(stopped, X), later)


@pytest.mark.sampled
@with_interrupts
@with_kernels
@with_replaying
def test_partial_fit(name, kernel, most):
    model, X, y, n = begun(name, **KERNELS[kernel])
    assert reservoir_of(model).n_replays > 0
    check_interrupts(model, "partial_fit", (X[n:], y[n:]), X, most)


@pytest.mark.sampled
@with_interrupts
@with_joint
def test_finish(name, kernel, most):
    model, X, y, n = begun(name, **KERNELS[kernel])
    check_interrupts(learn(name, model, X[n:], y[n:]), "finish", (), X, most)


@pytest.mark.sampled
@with_interrupts
@with_joint
def test_predictions(name, kernel, most):
    """The next prediction is the same, and so is training, also after the second prediction."""
    model, X, y, n = begun(name, **KERNELS[kernel])
    model.set_params(cache_size=1e-3)
    for first in (n, n + 20):
        learn(name, model, X[first : first + 20], y[first : first + 20])
        reference, later = COPIES["pickle"](model, None), slice(first + 20, first + 40)
        places = InterruptAtCheck((), values, reference, X).places
        expected = values(reference, X)
        state = training_state(learn(name, reference, X[later], y[later]))
        afterwards = values(reference, X)
        assert places
        for k in some_checks(places, most):
            stopped = COPIES["pickle"](model, None)
            assert InterruptAtCheck((k,), values, stopped, X).raised
            if k % 2:
                stopped = COPIES["pickle"](stopped, None)
            assert_array_equal(values(stopped, X), expected)
            assert_equal(training_state(learn(name, stopped, X[later], y[later])), state)
            assert_array_equal(values(stopped, X), afterwards)
            # Not asked again: as if there had been no prediction.
        values(model, X)


@with_interrupts
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_new_classes(multi_class, most):
    """The chunk whose classes are new replays samples of the old ones."""
    X, y = stream("pairs")
    model = new("pairs", multi_class=multi_class)
    model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1])
    values(model, X)
    data, classes = (X[y >= 2], y[y >= 2]), [0, 1, 2, 3]
    stored, reference = pickle.dumps(model), COPIES["pickle"](model, None)
    places = InterruptAtCheck((), reference.partial_fit, *data, classes).places
    expected, later = training_state(reference), values(reference, X)
    for n in some_checks(places, most):
        stopped = pickle.loads(stored)
        assert InterruptAtCheck((n,), stopped.partial_fit, *data, classes).raised
        if stopped.interrupted_:
            assert reservoir_end(stopped) == stopped.n_samples_seen_
            pickle.loads(pickle.dumps(stopped)).resume(*data)
            stopped.resume(*data)
        else:
            assert_equal(training_state(stopped), training_state(model))
            stopped.partial_fit(*data, classes)
        assert_equal(training_state(stopped), expected)
        assert_array_equal(values(stopped, X), later)
