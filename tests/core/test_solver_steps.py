"""Each step of the solvers compared with the reference implementations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm._core.kernel.dual.admission import Admission, RampFilter, RampLoss
from sklearn_online_svm._core.kernel.dual.engine import Engine
from sklearn_online_svm._core.kernel.dual.gap_driven import GapDriven
from sklearn_online_svm._core.kernel.vectors.block import Samples
from tests.support.engine import make_store
from tests.support.samples import ALGORITHMS, GAP_DRIVEN
from tests.support.solver_pairs import KERNELS, OneClassPair, Pair, RegressionPair, pair_of

with_algorithms = pytest.mark.parametrize("algorithm", ALGORITHMS)
with_gap_driven = pytest.mark.parametrize("algorithm", GAP_DRIVEN)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in (1, 2))])
@pytest.mark.parametrize("C", [0.05, 2.0, "large"])
@pytest.mark.parametrize("kernel", KERNELS)
@with_algorithms
def test_each_step_of_one_epoch(algorithm, kernel, C, seed):
    if C == "large":
        C = 1000.0 if algorithm == "lasvm" else 100.0
    pair = pair_of(algorithm, seed, kernel=kernel, C=C)
    pair.run_epoch()
    if algorithm == "lasvm":
        assert pair.twin.n_steps > 30
    else:
        assert pair.twin.n_steps >= (20 if kernel == "rbf" and C > 1 else 1)


@pytest.mark.sampled
@pytest.mark.parametrize("single_steps", [0, 3])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
@with_gap_driven
def test_steps_on_pairs(algorithm, kernel, seed, single_steps):
    pair = pair_of(algorithm, seed, kernel=kernel, C=20.0, single_steps=single_steps)
    pair.run_epoch()
    assert pair.twin.n_steps > 10  # 23 to 900, by the parameters


@pytest.mark.sampled
@pytest.mark.parametrize(
    "algorithm, kernel",
    [*(("lasvm", kernel) for kernel in KERNELS), *((name, "rbf") for name in GAP_DRIVEN)],
)
@pytest.mark.parametrize("C", [0.05, 2.0, 20.0])
def test_two_epochs_and_finish(algorithm, kernel, C):
    pair = pair_of(algorithm, 7, kernel=kernel, C=C, tol=1e-7)
    pair.run_epoch()
    pair.engine.begin_pass()
    pair.run_epoch(np.random.default_rng(1).permutation(len(pair.y)))
    pair.finish()


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@with_algorithms
def test_all_stores_give_the_same_steps(algorithm, layout, dtype):
    pair = pair_of(algorithm, 8, layout=layout, dtype=dtype, tol=1e-7)
    pair.run_epoch()
    pair.finish()


# Not smaller with the linear kernel: each of many steps between few members leaves two of them
# equal, and the number of ways to resolve the ties explodes.
@pytest.mark.parametrize(
    "kernel, delta_max",
    [("linear", 1.0), ("poly", 1.0), ("rbf", 1.0), ("rbf", 0.1), ("rbf", 0.01)],
)
def test_reprocess_until_delta_max(kernel, delta_max):
    pair = Pair(3, n=40, kernel=kernel, delta_max=delta_max, tol=1e-4)
    pair.run_epoch()
    assert pair.engine.problem.delta <= delta_max


@pytest.mark.sampled
@pytest.mark.parametrize(
    "kernel, C, reserve",
    [
        ("poly", 0.05, 5), ("rbf", 0.05, 100), ("poly", 2.0, 20), ("rbf", 2.0, 1),
        ("rbf", 2.0, 100), ("rbf", 1000.0, 5), ("rbf", 1000.0, 20),
        pytest.param("poly", 1000.0, 20, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_steps_with_a_reserve(kernel, C, reserve):
    pair = Pair(3, kernel=kernel, C=C, tol=1e-7, reserve=reserve)
    pair.run_epoch()
    zeros = np.sum(pair.engine.problem.members["alpha"][pair.engine.alive()] == 0.0)
    assert zeros > 0 or C == 0.05  # with a small C all samples are support vectors
    pair.finish()


def test_a_reserve_of_all_samples_gives_the_optimum_after_one_epoch():
    pair = Pair(4, kernel="rbf", C=2.0, reserve=100, tol=1e-6)
    pair.run_epoch()
    pair.finish()
    assert len(pair.twin.S) == len(pair.y)
    assert pair.twin.kkt_violation_all() <= 2e-6
    # Without the reserve the vectors that do not violate are removed.
    pair.engine.problem.reserve = 0
    pair.engine.loop.finish()
    assert np.all(pair.engine.problem.members["alpha"][pair.engine.alive()] != 0.0)


@pytest.mark.sampled
@pytest.mark.parametrize("ramp_s", [-2.0, -0.5, 0.0, 0.5])
@pytest.mark.parametrize("algorithm", ["lasvm-nc", "lasvm-i"])
def test_ramp_s(algorithm, ramp_s):
    pair = pair_of(algorithm, 3, C=20.0, ramp_s=ramp_s, n=120, max_non_sv=200)
    pair.run_epoch()
    if algorithm == "lasvm-nc":
        assert pair.twin.beta.any()
    else:
        assert pair.twin.n_skipped[0] > 0 and pair.twin.n_skipped[2] > 0
    assert pair.twin.n_steps > 10  # 29 to 1300, by the parameters


@pytest.mark.sampled
@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-nc"])
@pytest.mark.parametrize("clean_interval, max_non_sv", [(1, 0), (1, 3), (7, 0), (40, 10)])
def test_clean(algorithm, clean_interval, max_non_sv):
    limits = dict(clean_interval=clean_interval, max_non_sv=max_non_sv)
    pair = pair_of(algorithm, 4, C=5.0, n=120, tol=1e-7, **limits)
    pair.run_epoch()
    assert sum(pair.twin.n_cleaned) > 0
    pair.finish()


@pytest.mark.parametrize("seed", range(3))
@with_algorithms
def test_samples_of_cost_zero_are_skipped(algorithm, seed):
    pair = pair_of(algorithm, seed)
    pair.cost[np.random.default_rng(seed).random(len(pair.y)) < 0.3] = 0.0
    pair.restart()
    pair.run_epoch()
    assert (pair.cost[pair.engine.members()] > 0).all()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "algorithm, params",
    [
        *(("lasvm", dict(n_init=n_init, tol=1e-7)) for n_init in (1, 2, 5)),
        *((name, dict(tol=1e-7)) for name in GAP_DRIVEN),
    ],
)
@pytest.mark.parametrize("first", [-1, 1])
def test_samples_of_one_class_first(algorithm, params, first):
    pair = pair_of(algorithm, 5, **params)
    pair.run_epoch(np.argsort(first * -pair.y, kind="stable"))
    pair.finish()


@pytest.mark.sampled
@pytest.mark.parametrize("n_rows", [0, 2, 5])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc"])
def test_evicted_kernel_rows_are_recomputed(algorithm, n_rows):
    pair = pair_of(algorithm, 9, n=150, C=5.0, cache_bytes=n_rows * 4 * 160, tol=1e-7)
    pair.run_epoch()
    problem = pair.engine.problem
    assert problem.n_evaluations > 1000
    if algorithm == "lasvm":
        assert problem.matrix.rows.n_rows < problem.members.n_members // 2
        pair.engine.begin_pass()
        pair.run_epoch()
        pair.finish()


# -- targets other than labels ------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(
    ("kernel", "C", "epsilon"),
    [
        *(("rbf", C, epsilon) for C, epsilon in [(0.05, 0.1), (2.0, 0.0), (20.0, 0.1)]),
        *(("poly", C, epsilon) for C, epsilon in [(0.05, 0.1), (2.0, 0.5)]),
    ],
)
def test_regression_steps(kernel, C, epsilon, squared, seed, monkeypatch):
    monkeypatch.setattr(RegressionPair, "epsilon", epsilon)
    monkeypatch.setattr(RegressionPair, "squared", squared)
    pair = RegressionPair(seed, kernel=kernel, C=C, tol=1e-3)
    pair.run_epoch()
    assert pair.twin.n_steps > 20
    pair.engine.begin_pass()
    pair.run_epoch(np.random.default_rng(1).permutation(len(pair.y)))
    pair.finish()


@pytest.mark.sampled
@pytest.mark.parametrize("reserve", [1, 5, 20])
@pytest.mark.parametrize("C", [0.05, 2.0])
@pytest.mark.parametrize("squared", [False, True])
def test_regression_steps_with_a_reserve(C, squared, reserve, monkeypatch):
    monkeypatch.setattr(RegressionPair, "squared", squared)
    monkeypatch.setattr(RegressionPair, "epsilon", 0.5)
    pair = RegressionPair(0, kernel="rbf", C=C, tol=1e-3, reserve=reserve)
    pair.run_epoch()
    pair.finish()


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nu", [0.03, 0.2, 0.7, 0.95])
@pytest.mark.parametrize("kernel", ["poly", "rbf"])
def test_one_class_steps(kernel, nu, seed, monkeypatch):
    monkeypatch.setattr(OneClassPair, "nu", nu)
    pair = OneClassPair(seed, kernel=kernel, C=1.0, tol=1e-4)
    pair.run_epoch()
    assert pair.twin.n_steps > 15
    pair.engine.loop.finish()
    pair.twin.finish()
    alpha = pair.engine.over_rows("alpha"), pair.twin.alpha
    norms = [a @ pair.K @ a for a in alpha]
    assert_allclose(norms[0], norms[1], rtol=1e-4)


# -- reductions -------------------------------------------------------------------------


def states_with(admission, n=150, seed=0):
    """Return the states of a solver with this admission rule after each sample of one epoch."""
    pair = pair_of("lasvm-g", seed, n=n)
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


def test_distant_ramp_equals_lasvm_g_step_by_step():
    plain, flow = states_with(Admission(-1e9))
    ramp, ramp_flow = states_with(RampLoss(-1e9, 5))
    open_filter, filter_flow = states_with(RampFilter(-1e9, 5, False))
    assert same(plain, ramp) and same(plain, open_filter)
    assert_array_equal(flow, ramp_flow)
    assert_array_equal(flow, filter_flow)
    # The comparison can fail.
    assert not same(plain, states_with(RampLoss(-1.0, 5))[0])
    assert not same(plain, states_with(RampFilter(-1e9, 5, True))[0])
