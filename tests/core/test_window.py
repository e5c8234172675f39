"""Sliding windows: comparison with the reference, and invariants after each sample."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm.kernel._spec import LasvmSpec
from tests.support.engine import Learner, kernel_values, make_store
from tests.support.solver_pairs import WindowPair

SIZES = [2, 15, 60]


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.2, 5.0])
@pytest.mark.parametrize("size", SIZES)
def test_each_sample_equals_the_reference(size, C, seed):
    pair = WindowPair(seed, n=120, C=C, window_size=size, tol=1e-7)
    for row in range(120):
        pair.learn(row)
        members = pair.engine.problem.members
        assert (members["row_id"][pair.engine.alive()] > row - size).all()
    assert pair.twin.n_dropped > 0
    pair.finish()


@pytest.mark.parametrize("delta_max", [1.0, 0.1])
def test_window_with_delta_max(delta_max):
    pair = WindowPair(1, n=60, window_size=15, delta_max=delta_max)
    pair.run_epoch()
    assert pair.twin.n_dropped > 0


@pytest.mark.sampled
@pytest.mark.parametrize("cache_bytes", [500 << 20, 4000])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"])
@pytest.mark.parametrize("size", SIZES)
def test_gradients_are_current(size, algorithm, layout, cache_bytes):
    """And the window is kept, after each block."""
    rng = np.random.default_rng(5)
    y = np.where(rng.random(300) < 0.5, 1, -1)
    X = rng.normal(size=(300, 3)) + 0.4 * y[:, None]
    learner = Learner(
        X,
        y,
        2.0,
        make_store(X, "rbf", layout=layout, gamma=0.3),
        algorithm=algorithm,
        cache_bytes=cache_bytes,
        window_size=size,
    )
    K = kernel_values(make_store(X, "rbf", layout=layout, gamma=0.3), X, X)
    for first in range(0, 300, 30):
        learner.learn(np.arange(first, first + 30))
        slots, members = learner.alive(), learner.problem.members
        rows, alpha = members["row_id"][slots], members["alpha"][slots]
        assert (rows >= first + 30 - size).all()
        g = members["target"][slots] - K[np.ix_(rows, rows)] @ alpha
        assert_allclose(members["g"][slots], g, atol=1e-9)
        assert (members["lower"][slots] <= alpha).all() and (
            alpha <= members["upper"][slots]
        ).all()
        if algorithm == "lasvm":
            assert abs(alpha.sum()) < 1e-9


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("size", SIZES)
def test_solution_is_independent_of_blocks_and_states(size, algorithm):
    rng = np.random.default_rng(6)
    y = np.where(rng.random(200) < 0.5, 1, -1)
    X = rng.normal(size=(200, 3)) + 0.4 * y[:, None]

    def new():
        return Learner(X, y, 2.0, algorithm=algorithm, window_size=size)

    whole, single, stored = new().learn(np.arange(200)), new(), new()
    for row in range(200):
        single.learn(row)
        if row % 23 == 0:
            state, stored = stored.loop.state(), new()
            stored.loop.restore(state)
        stored.learn(row)
    for other in (single, stored):
        for field, value in whole.problem.state().items():
            if field == "window_born":
                alive = whole.alive()
                assert_array_equal(value[alive], other.problem.state()[field][alive])
            elif field != "counters":  # values computed
                assert_array_equal(other.problem.state()[field], value, err_msg=field)


def test_class_outside_the_window_is_learned_again():
    X = np.array([[1.0], [-1.0]] * 10 + [[1.1]] * 30 + [[-1.1], [0.9]] * 10)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 0.01 * np.arange(len(X))
    learner = Learner(X, y, 1.0, make_store(X, "rbf", gamma=0.3), window_size=10)
    learner.learn(np.arange(50))
    assert not learner.problem.both_seen and learner.problem.b == 1.0
    assert not learner.over_rows("alpha").any()
    learner.learn(np.arange(50, 70))
    assert learner.problem.both_seen
    f = learner.decide()[50:]
    assert (f * y[50:] > 0).all()


def test_window_may_be_set_and_removed_during_training():
    rng = np.random.default_rng(7)
    y = np.where(rng.random(300) < 0.5, 1, -1)
    X = rng.normal(size=(300, 3))
    learner = Learner(X, y, 2.0).learn(np.arange(100))
    assert len(learner.alive()) > 40
    learner.problem.configure(**LasvmSpec(window_size=20).options(1, 1, 500 << 20))
    learner.learn(np.arange(100, 200))
    rows = learner.problem.members["row_id"][learner.alive()]
    assert 2 < len(rows) <= 20 and rows.min() >= 180
    learner.problem.configure(**LasvmSpec().options(1, 1, 500 << 20))
    learner.learn(np.arange(200, 300))
    assert len(learner.alive()) > 20
