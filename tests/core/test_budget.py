"""Budgets and windows: comparison with the reference, and invariants after each sample."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm.kernel._engine import SolverSpec
from tests.core.test_solver_steps import Pair
from tests.reference.budget import BudgetedTwin
from tests.support.engine import Learner, kernel_values, make_store

LIMITS = {
    "merging": dict(most=12, window_size=None, merge_cosine=0.5),
    "strictly": dict(most=12, window_size=None, merge_cosine=0.97),
    "oldest": dict(most=12, window_size=None, merge_cosine=None),
    "age": dict(most=None, window_size=15, merge_cosine=None),
    "both": dict(most=12, window_size=30, merge_cosine=0.9),
    "two": dict(most=2, window_size=None, merge_cosine=0.5),
}


def solver_options(limits):
    return dict(
        max_members=limits["most"],
        window_size=limits["window_size"],
        merge_cosine=limits["merge_cosine"],
    )


class BudgetedPair(Pair):
    def restart(self):
        limits = self.params["limits"]
        others = {name: value for name, value in self.params.items() if name != "limits"}
        self.twin = BudgetedTwin(self.K, self.y, self.cost, **limits, **others)
        self.engine = Learner(
            self.X, self.y, self.cost, self.new_store(), **solver_options(limits), **others
        )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.2, 5.0])
@pytest.mark.parametrize("name", LIMITS)
def test_each_sample_equals_the_reference(name, C, seed):
    limits = LIMITS[name]
    pair = BudgetedPair(seed, n=120, C=C, limits=limits, tol=1e-7)
    for row in range(120):
        pair.learn(row)
        slots = pair.engine.alive()
        assert len(slots) <= (limits["most"] or 120)
        members = pair.engine.problem.members
        assert_allclose(members["upper"][slots], pair.twin.B[members["row_id"][slots]])
        assert_allclose(members["lower"][slots], pair.twin.A[members["row_id"][slots]])
        if limits["window_size"]:
            assert (members["row_id"][slots] > row - limits["window_size"]).all()
    assert pair.twin.n_merged > 0 or limits["merge_cosine"] is None or name == "strictly"
    assert pair.twin.n_dropped > 0
    pair.finish()


@pytest.mark.parametrize("seed", range(3))
def test_vectors_without_an_angle_are_not_merged(seed):
    """Empty rows, of a linear kernel: K(x, x) is 0."""
    pair = BudgetedPair(seed, n=100, kernel="linear", C=0.5, limits=LIMITS["merging"])
    pair.X[::4] = 0.0
    pair.new_store = partial(make_store, pair.X, "linear")
    pair.K = kernel_values(pair.new_store(), pair.X, pair.X)
    with np.errstate(invalid="ignore"):
        pair.restart()
        pair.run_epoch(range(60))
    assert (np.diag(pair.K)[pair.twin.S] == 0).any() and pair.twin.n_merged


@pytest.mark.parametrize("delta_max", [1.0, 0.1])
def test_budget_with_delta_max(delta_max):
    pair = BudgetedPair(1, n=60, limits=LIMITS["merging"], delta_max=delta_max)
    pair.run_epoch()


@pytest.mark.parametrize("cache_bytes", [500 << 20, 4000])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"])
@pytest.mark.parametrize("name", LIMITS)
def test_gradients_are_current(name, algorithm, layout, cache_bytes):
    """And limits are kept, after each block."""
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
        **solver_options(LIMITS[name]),
    )
    K = kernel_values(make_store(X, "rbf", layout=layout, gamma=0.3), X, X)
    for first in range(0, 300, 30):
        learner.learn(np.arange(first, first + 30))
        slots, members = learner.alive(), learner.problem.members
        assert len(slots) <= (LIMITS[name]["most"] or 300)
        rows, alpha = members["row_id"][slots], members["alpha"][slots]
        g = members["target"][slots] - K[np.ix_(rows, rows)] @ alpha
        assert_allclose(members["g"][slots], g, atol=1e-9)
        assert (members["lower"][slots] <= alpha).all() and (
            alpha <= members["upper"][slots]
        ).all()
        if algorithm == "lasvm":
            assert abs(alpha.sum()) < 1e-9


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("name", LIMITS)
def test_solution_is_independent_of_blocks_and_states(name, algorithm):
    """Neighbours are no part of the state, and found again: the same bits."""
    rng = np.random.default_rng(6)
    y = np.where(rng.random(200) < 0.5, 1, -1)
    X = rng.normal(size=(200, 3)) + 0.4 * y[:, None]

    def new():
        return Learner(X, y, 2.0, algorithm=algorithm, **solver_options(LIMITS[name]))

    whole, single, stored = new().learn(np.arange(200)), new(), new()
    for row in range(200):
        single.learn(row)
        if row % 23 == 0:
            state, stored = stored.loop.state(), new()
            stored.loop.restore(state)
        stored.learn(row)
    for other in (single, stored):
        for field, value in whole.problem.state().items():
            if field == "budget_born":
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


def test_limits_may_be_set_and_removed_during_training():
    rng = np.random.default_rng(7)
    y = np.where(rng.random(300) < 0.5, 1, -1)
    X = rng.normal(size=(300, 3))
    learner = Learner(X, y, 2.0).learn(np.arange(100))
    assert len(learner.alive()) > 40
    learner.problem.configure(**SolverSpec(max_members=20, merge_cosine=0.5).options(1, 500 << 20))
    learner.learn(np.arange(100, 200))
    assert len(learner.alive()) == 20
    learner.problem.configure(**SolverSpec().options(1, 500 << 20))
    learner.learn(np.arange(200, 300))
    assert len(learner.alive()) > 20
