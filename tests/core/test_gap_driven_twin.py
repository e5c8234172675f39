"""LASVM-G, -NC, -I and FULL beside their plain twin, step by step."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm._core.kernel.admission import Admission, RampFilter, RampLoss
from sklearn_online_svm._core.kernel.block import Samples
from sklearn_online_svm._core.kernel.engine import Engine
from sklearn_online_svm._core.kernel.gap_driven import GapDriven
from tests.reference.gap_driven import ReferenceGapDriven
from tests.support.engine import Learner, kernel_values, make_store

KERNELS = {
    "linear": {},
    "poly": dict(gamma=0.5, coef0=1.0, degree=2),
    "rbf": dict(gamma=0.3),
    "sigmoid": dict(gamma=0.2, coef0=-0.5),
}
ALGORITHMS = ["lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"]
SMALL = dict(ramp_start=5, clean_interval=15, max_non_sv=6, single_steps=10**6)


class Pair:
    """An engine and its twin on the same rows, kernel values and costs.

    The twin gets the kernel values of the engine (which have tests of their own).
    """

    def __init__(
        self,
        algorithm,
        seed=0,
        n=70,
        *,
        kernel="rbf",
        C=2.0,
        layout="dense",
        dtype=np.float64,
        noise=0.2,
        cache_bytes=1 << 24,
        **params,
    ):
        rng = np.random.default_rng(seed)
        self.y = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
        self.X = (rng.normal(size=(n, 3)) + 0.8 * self.y[:, None]).astype(dtype)
        # Outliers, so that both flat parts of the ramp are met.
        self.y[rng.random(n) < noise] *= -1
        # Costs differ: no two coordinates are alike to the last bit.
        self.cost = C * rng.uniform(0.9, 1.1, n)
        new_store = partial(make_store, self.X, kernel, layout=layout, **KERNELS[kernel])
        K = kernel_values(new_store(), self.X, self.X)
        params = SMALL | params
        self.twin = ReferenceGapDriven(K, self.y, self.cost, C, algorithm, **params)
        self.engine = Learner(
            self.X,
            self.y,
            self.cost,
            new_store(),
            algorithm=algorithm,
            gap_floor=C,
            cache_bytes=cache_bytes,
            **params,
        )
        self.scale = max(1.0, np.abs(K).max())

    def learn(self, row):
        self.engine.learn(row)
        self.twin.learn(row)
        self.check()

    def check(self):
        engine, twin, S = self.engine, self.twin, np.array(self.twin.S, dtype=int)
        assert_array_equal(np.sort(engine.members()), np.sort(S))
        close = dict(rtol=1e-9, atol=1e-10 * self.scale)
        assert engine.problem.n_changes == twin.n_steps
        assert_allclose(engine.over_rows("alpha"), twin.alpha, **close)
        assert_allclose(engine.over_rows("g")[S], twin.g[S], **close)
        assert_array_equal(engine.over_rows("lower")[S], twin.A[S])
        assert_array_equal(engine.over_rows("upper")[S], twin.B[S])
        assert_array_equal(engine.over_rows("region")[S], twin.region[S])
        assert_allclose(engine.problem.delta, twin.violation(), **close)
        assert_allclose(engine.problem.gap, twin.gap(), rtol=1e-7, atol=1e-8 * self.scale)
        assert engine.problem.b == 0.0
        flow = [twin.n_admitted, twin.n_cleaned, twin.n_skipped]
        assert_array_equal(engine.problem.flow(), flow)

    def pass_over(self, order=None):
        for row in range(len(self.y)) if order is None else order:
            self.learn(row)

    def finish(self):
        """Finishing may take another path to the same end."""
        self.engine.loop.finish()
        self.twin.finish()
        shift = self.twin.beta[self.twin.S].sum()
        assert_allclose(
            self.engine.problem.objective, self.twin.objective() + shift, rtol=1e-8, atol=1e-8
        )
        assert_allclose(
            self.engine.decide(), self.twin.decision_function(), rtol=0, atol=1e-4 * self.scale
        )
        assert self.engine.problem.delta <= self.engine.problem.tau


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.05, 2.0, 100.0])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_each_step_of_one_pass(algorithm, kernel, C, seed):
    pair = Pair(algorithm, seed, kernel=kernel, C=C)
    pair.pass_over()
    assert pair.twin.n_steps >= (20 if kernel == "rbf" and C > 1 else 1)


@pytest.mark.parametrize("single_steps", [0, 3])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_steps_on_two(algorithm, kernel, seed, single_steps):
    pair = Pair(algorithm, seed, kernel=kernel, C=20.0, single_steps=single_steps)
    pair.pass_over()
    assert pair.twin.n_steps > 20


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("C", [0.05, 2.0, 20.0])
def test_two_passes_and_finish(algorithm, C):
    pair = Pair(algorithm, 7, C=C, tol=1e-7)
    pair.pass_over()
    pair.engine.begin_pass()
    pair.pass_over(np.random.default_rng(1).permutation(70))
    pair.finish()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_all_stores_take_the_same_path(algorithm, layout, dtype):
    Pair(algorithm, 8, layout=layout, dtype=dtype).pass_over()


@pytest.mark.parametrize("ramp_s", [-2.0, -0.5, 0.0, 0.5])
@pytest.mark.parametrize("algorithm", ["lasvm-nc", "lasvm-i"])
def test_places_of_the_ramp(algorithm, ramp_s):
    pair = Pair(algorithm, 3, C=20.0, ramp_s=ramp_s, n=120, max_non_sv=200)
    pair.pass_over()
    if algorithm == "lasvm-nc":
        assert pair.twin.beta.any()
    else:
        assert pair.twin.n_skipped[0] > 0 and pair.twin.n_skipped[2] > 0
    assert pair.twin.n_steps > 20


@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-nc"])
@pytest.mark.parametrize("clean_interval, max_non_sv", [(1, 0), (1, 3), (7, 0), (40, 10)])
def test_clean(algorithm, clean_interval, max_non_sv):
    pair = Pair(
        algorithm, 4, C=5.0, n=120, tol=1e-7, clean_interval=clean_interval, max_non_sv=max_non_sv
    )
    pair.pass_over()
    assert sum(pair.twin.n_cleaned) > 0
    pair.finish()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_rows_of_cost_zero_are_skipped(algorithm):
    pair = Pair(algorithm, 5)
    rows = np.random.default_rng(5).random(70) < 0.3
    pair.cost[rows] = pair.twin.C_rows[rows] = 0.0
    pair.pass_over()
    assert not rows[pair.engine.members()].any()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_one_class_at_first(algorithm):
    pair = Pair(algorithm, 6)
    pair.pass_over(np.argsort(-pair.y, kind="stable"))


@pytest.mark.parametrize("n_rows", [0, 2, 5])
@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-nc"])
def test_rows_that_were_dropped_are_computed_again(algorithm, n_rows):
    pair = Pair(algorithm, 9, n=150, C=5.0, cache_bytes=n_rows * 4 * 160)
    pair.pass_over()
    assert pair.engine.problem.n_evaluations > 1000


# -- reductions -------------------------------------------------------------------------


def learnt_with(admission, n=150, seed=0):
    """All that an engine with this admission rule knows after one pass."""
    pair = Pair("lasvm-g", seed, n=n)
    store = make_store(pair.X, "rbf", **KERNELS["rbf"])
    problem = GapDriven(
        store,
        True,
        admission=admission,
        gap_floor=2.0,
        single_steps=10,
        clean_interval=15,
        max_non_sv=6,
        tol=1e-3,
        shrinking=True,
        cache_bytes=1 << 24,
    )
    loop, rows = Engine(store, [problem]), np.arange(n)
    states = []
    for row in rows:
        loop.learn(pair.X, rows[row : row + 1], Samples(pair.engine.labels, pair.cost, rows))
        members = problem.members
        states.append([members[name].copy() for name in ("row_id", "alpha", "g", "lower")])
    return states, problem.flow()


def same(one, other):
    return all(
        np.array_equal(a, b) for left, right in zip(one, other) for a, b in zip(left, right)
    )


def test_a_ramp_far_away_gives_lasvm_g_step_by_step():
    plain, flow = learnt_with(Admission(-1e9))
    ramp, ramp_flow = learnt_with(RampLoss(-1e9, 5))
    open_filter, filter_flow = learnt_with(RampFilter(-1e9, 5, False))
    assert same(plain, ramp) and same(plain, open_filter)
    assert_array_equal(flow, ramp_flow)
    assert_array_equal(flow, filter_flow)
    # The comparison can fail.
    assert not same(plain, learnt_with(RampLoss(-1.0, 5))[0])
    assert not same(plain, learnt_with(RampFilter(-1e9, 5, True))[0])
