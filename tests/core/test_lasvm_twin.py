"""The engine beside its plain twin, step by step: the same path, not only the same end."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.reference.lasvm import ForkedTwin
from tests.support.engine import Learner, kernel_values, make_store

KERNELS = {
    "linear": {},
    "poly": dict(gamma=0.5, coef0=1.0, degree=2),
    "rbf": dict(gamma=0.3),
    "sigmoid": dict(gamma=0.2, coef0=-0.5),
}


class Pair:
    """An engine and its twin on the same rows, kernel values and costs.

    The twin gets the kernel values of the engine (which have tests of their own): what is
    compared is what is made of them.
    """

    def __init__(
        self, seed=0, n=60, kernel="rbf", C=2.0, layout="dense", dtype=np.float64, **params
    ):
        rng = np.random.default_rng(seed)
        self.y = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
        self.X = (rng.normal(size=(n, 3)) + 0.5 * self.y[:, None]).astype(dtype)
        # Costs differ a little: where both rows of a pair reach a bound in the same step, that
        # one of them ends at 0 or at 1e-17 is decided by rounding.
        self.C = C * rng.uniform(0.9, 1.1, n)

        self.new_store = partial(make_store, self.X, kernel, layout=layout, **KERNELS[kernel])
        self.params = params
        self.K = kernel_values(self.new_store(), self.X, self.X)
        self.restart()

    def restart(self):
        only_engine = {"cache_bytes"}
        shared = {name: v for name, v in self.params.items() if name not in only_engine}
        self.twin = ForkedTwin(self.K, self.y, self.C, **shared)
        self.engine = Learner(self.X, self.y, self.C, self.new_store(), **self.params)

    def learn(self, row):
        self.engine.learn(row)
        for n_ways, twin in enumerate(self.twin.ways_to_learn(row)):  # noqa: B007
            if self.agrees_with(twin):
                self.twin = twin
                return
            assert n_ways < 5000
        self.twin.learn(row)
        self.check(self.twin)

    def agrees_with(self, twin):
        try:
            self.check(twin)
        except AssertionError:
            return False
        return True

    def check(self, twin):
        engine, S = self.engine, np.array(twin.S, dtype=int)
        assert_array_equal(np.sort(engine.members()), np.sort(S))
        scale = max(1.0, np.abs(self.K).max())
        close = dict(rtol=1e-9, atol=1e-11 * scale)
        assert_allclose(engine.over_rows("alpha"), twin.alpha, **close)
        assert_allclose(engine.over_rows("g")[S], twin.g[S], **close)
        assert_allclose(engine.problem.b, twin.b, **close)
        assert engine.problem.both_seen == (len(twin.seen) == 2)
        if engine.problem.both_seen:
            assert_allclose(engine.problem.delta, twin.delta, **close)

    def pass_over(self, order=None):
        for row in range(len(self.y)) if order is None else order:
            self.learn(row)

    def finish(self):
        """Finishing may take another path to the same end."""
        self.engine.loop.finish()
        self.twin.finish()
        scale = max(1.0, np.abs(self.K).max())
        assert_allclose(self.engine.problem.objective, self.twin.objective(), rtol=1e-9)
        assert_allclose(
            self.engine.decide(), self.twin.decision_function(), rtol=0, atol=1e-5 * scale
        )
        assert_allclose(self.engine.problem.gap, self.twin.duality_gap(), atol=1e-5 * self.C.sum())
        assert self.engine.problem.delta <= self.engine.problem.tau


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.05, 2.0, 1000.0])
@pytest.mark.parametrize("kernel", KERNELS)
def test_each_step_of_one_pass(kernel, C, seed):
    pair = Pair(seed, kernel=kernel, C=C)
    pair.pass_over()
    assert pair.twin.n_steps > 30


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("C", [0.05, 2.0, 50.0])
def test_two_passes_and_finish(kernel, C):
    pair = Pair(7, kernel=kernel, C=C, tol=1e-7)
    pair.pass_over()
    pair.engine.begin_pass()
    pair.pass_over(np.random.default_rng(1).permutation(60))
    pair.finish()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_all_stores_take_the_same_path(layout, dtype):
    pair = Pair(8, layout=layout, dtype=dtype, tol=1e-7)
    pair.pass_over()
    pair.finish()


# Not smaller with the linear kernel: each of many steps between few members leaves two of them
# equal, and the number of ways to go on explodes.
@pytest.mark.parametrize(
    "kernel, delta_max",
    [("linear", 1.0), ("poly", 1.0), ("rbf", 1.0), ("rbf", 0.1), ("rbf", 0.01)],
)
def test_reprocess_until_delta_max(kernel, delta_max):
    pair = Pair(3, n=40, kernel=kernel, delta_max=delta_max, tol=1e-4)
    pair.pass_over()
    assert pair.engine.problem.delta <= delta_max


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_cost_zero_are_skipped(seed):
    pair = Pair(seed)
    pair.C[np.random.default_rng(seed).random(60) < 0.3] = 0.0
    pair.restart()
    pair.pass_over()
    assert not (pair.C[pair.engine.members()] == 0).any()


@pytest.mark.parametrize("n_init", [1, 2, 5])
@pytest.mark.parametrize("first", [-1, 1])
def test_one_class_at_first(first, n_init):
    pair = Pair(5, n_init=n_init, tol=1e-7)
    order = np.argsort(first * -pair.y, kind="stable")
    pair.pass_over(order)
    pair.finish()


@pytest.mark.parametrize("n_rows", [0, 2, 5])
def test_rows_that_were_dropped_are_computed_again(n_rows):
    pair = Pair(9, n=150, C=5.0, cache_bytes=n_rows * 4 * 160, tol=1e-7)
    pair.pass_over()
    assert pair.engine.problem.matrix.rows.n_rows < pair.engine.problem.members.n_members // 2
    assert pair.engine.problem.n_evaluations > 1000
    pair.engine.begin_pass()
    pair.pass_over()
    pair.finish()
