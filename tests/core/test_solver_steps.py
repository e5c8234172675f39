"""Each step of the solvers compared with the reference implementations."""

import copy
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm._core.kernel.dual.admission import Admission, RampFilter, RampLoss
from sklearn_online_svm._core.kernel.dual.engine import Engine
from sklearn_online_svm._core.kernel.dual.gap_driven import GapDriven
from sklearn_online_svm._core.kernel.vectors.block import Samples
from tests.reference.gap_driven import ReferenceGapDriven
from tests.reference.lasvm import ForkedTwin
from tests.reference.targets import ReferenceLasvr, ReferenceOneClass
from tests.support.engine import Learner, kernel_values, make_store
from tests.support.samples import ALGORITHMS, GAP_DRIVEN

KERNELS = {
    "linear": {},
    "poly": dict(gamma=0.5, coef0=1.0, degree=2),
    "rbf": dict(gamma=0.3),
    "sigmoid": dict(gamma=0.2, coef0=-0.5),
}
SMALL = dict(ramp_start=5, clean_interval=15, max_non_sv=6, single_steps=10**6)
with_algorithms = pytest.mark.parametrize("algorithm", ALGORITHMS)
with_gap_driven = pytest.mark.parametrize("algorithm", GAP_DRIVEN)


class Pair:
    """A solver and its reference on the same samples, kernel values and costs.

    The reference gets the kernel values of the engine, which have tests of their own. `n`,
    `distance` of the classes and `noise` limit the number of ties in the steps of lasvm.
    """

    n, distance, noise = 60, 0.5, 0.0

    def __init__(
        self, seed=0, n=None, *, kernel="rbf", C=2.0, layout="dense", dtype=np.float64, **params
    ):
        n = self.n if n is None else n
        rng = np.random.default_rng(seed)
        self.y = rng.permutation(np.where(np.arange(n) % 2, 1.0, -1.0))
        self.X = (rng.normal(size=(n, 3)) + self.distance * self.y[:, None]).astype(dtype)
        if self.noise:  # outliers, so that both flat parts of the ramp are reached
            self.y[rng.random(n) < self.noise] *= -1
        # Costs differ: if both samples of a pair reach a bound in the same step, rounding decides
        # which of them ends at 0 and which at 1e-17.
        self.C, self.cost = C, C * rng.uniform(0.9, 1.1, n)
        self.new_store = partial(make_store, self.X, kernel, layout=layout, **KERNELS[kernel])
        self.params = params
        self.K = kernel_values(self.new_store(), self.X, self.X)
        self.scale = max(1.0, np.abs(self.K).max())
        self.restart()

    def restart(self):
        shared = {name: v for name, v in self.params.items() if name != "cache_bytes"}
        self.twin = ForkedTwin(self.K, self.y, self.cost, **shared)
        self.engine = Learner(self.X, self.y, self.cost, self.new_store(), **self.params)

    def learn(self, row):
        """Continue with the reference that resolves ties as the solver does."""
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
        close = dict(rtol=1e-9, atol=1e-11 * self.scale)
        assert_allclose(engine.over_rows("alpha"), twin.alpha, **close)
        assert_allclose(engine.over_rows("g")[S], twin.g[S], **close)
        assert_allclose(engine.problem.b, twin.b, **close)
        assert engine.problem.both_seen == (len(twin.seen) == 2)
        if engine.problem.both_seen:
            assert_allclose(engine.problem.delta, twin.delta, **close)

    def run_epoch(self, order=None):
        for row in range(len(self.y)) if order is None else order:
            self.learn(row)

    def finish(self):
        """Finishing may take different steps to the same optimum."""
        self.engine.loop.finish()
        self.twin.finish()
        self.check_optimum()
        assert self.engine.problem.delta <= self.engine.problem.tau

    def check_optimum(self):
        problem, atol = self.engine.problem, 1e-5 * self.scale
        assert_allclose(problem.objective, self.twin.objective(), rtol=1e-9)
        assert_allclose(self.engine.decide(), self.twin.decision_function(), rtol=0, atol=atol)
        assert_allclose(problem.gap, self.twin.duality_gap(), atol=1e-5 * self.cost.sum())


class GapDrivenPair(Pair):
    n, distance, noise = 70, 0.8, 0.2

    def __init__(self, algorithm, *args, **params):
        self.algorithm = algorithm
        super().__init__(*args, **SMALL | params)

    def restart(self):
        shared = {name: v for name, v in self.params.items() if name != "cache_bytes"}
        self.twin = ReferenceGapDriven(self.K, self.y, self.cost, self.C, self.algorithm, **shared)
        self.engine = Learner(
            self.X,
            self.y,
            self.cost,
            self.new_store(),
            algorithm=self.algorithm,
            gap_floor=self.C,
            **self.params,
        )

    def learn(self, row):
        self.engine.learn(row)
        self.twin.learn(row)
        self.check(self.twin)

    def check(self, twin):
        engine, S = self.engine, np.array(twin.S, dtype=int)
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

    def check_optimum(self):
        twin, atol = self.twin, 1e-4 * self.scale
        objective = twin.objective() + twin.beta[twin.S].sum()
        assert_allclose(self.engine.problem.objective, objective, rtol=1e-8, atol=1e-8)
        assert_allclose(self.engine.decide(), twin.decision_function(), rtol=0, atol=atol)


def pair_of(algorithm, *args, **params):
    if algorithm == "lasvm":
        return Pair(*args, **params)
    return GapDrivenPair(algorithm, *args, **params)


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


class TargetLearner(Learner):
    """A learner of rows that are given with their targets."""

    def __init__(self, X, given, cost, store, **params):
        super().__init__(X, np.ones(len(X)), cost, store, **params)
        self.given = given

    def learn(self, rows):
        self.loop.learn(self.X, np.atleast_1d(rows).astype(np.int64), self.given)


class RegressionPair(Pair):
    epsilon, squared = 0.1, False

    def restart(self):
        rng = np.random.default_rng(len(self.y))
        n, cost, K, epsilon = len(self.y), self.cost, self.K, self.epsilon
        y = np.sin(2 * self.X[:, 0]) + self.X[:, 1] + 0.3 * rng.normal(size=n)
        given = Samples(
            np.zeros(n, np.int32),
            cost,
            np.arange(n),
            targets=y[np.newaxis],
            epsilon=epsilon,
            squared=self.squared,
        )
        if self.squared:
            K = (K + np.diag(0.5 / cost)).astype(np.float32)
            cost = np.full(n, np.inf)
        self.twin = ReferenceLasvr(K, y, cost, epsilon, **self.params)
        self.engine = TargetLearner(
            self.X, given, self.cost, self.new_store(), epsilon=epsilon, **self.params
        )

    def check(self, twin):
        engine, S = self.engine, np.array(twin.S, dtype=int)
        assert_array_equal(np.sort(engine.members()), np.sort(S))
        close = dict(rtol=1e-9, atol=1e-10 * self.scale * max(1.0, self.C))
        assert_allclose(engine.over_rows("alpha"), twin.alpha, **close)
        residual = engine.over_rows("g") + self.epsilon * engine.over_rows("y")
        assert_allclose(residual[S], twin.g[S], **close)
        assert abs(twin.alpha.sum()) <= 1e-11 * self.cost.sum()
        assert_allclose(engine.problem.b, twin.b, **close)
        assert_allclose(engine.problem.delta, twin.delta, **close)

    def check_optimum(self):
        problem, atol = self.engine.problem, 50 * self.params["tol"]
        assert_allclose(problem.objective, self.twin.objective(), rtol=1e-4)
        # Without the part of the loss in the diagonal of the twin's kernel matrix.
        decisions = self.K @ self.twin.alpha + self.twin.b
        assert_allclose(self.engine.decide(), decisions, rtol=0, atol=atol)
        if not self.squared:
            # The gap of the engine's own solution.
            twin = copy.copy(self.twin)
            twin.S = list(self.engine.members())
            twin.alpha, twin.b = self.engine.over_rows("alpha"), problem.b
            twin.g = twin.fresh_g()
            assert_allclose(problem.gap, twin.duality_gap(), atol=1e-5 * self.cost.sum())


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


class OneClassPair(Pair):
    nu = 0.2

    def restart(self):
        n = len(self.y)
        given = Samples(np.ones(n, np.int32), self.cost, np.arange(n), targets=np.zeros((1, n)))
        self.twin = ReferenceOneClass(self.K, self.cost, self.nu, **self.params)
        self.engine = TargetLearner(
            self.X, given, self.cost, self.new_store(), nu=self.nu, **self.params
        )

    def check(self, twin):
        engine, S = self.engine, np.array(twin.S, dtype=int)
        assert_array_equal(np.sort(engine.members()), np.sort(S))
        close = dict(rtol=1e-9, atol=1e-10 * self.scale)
        assert_allclose(engine.over_rows("alpha"), twin.alpha, **close)
        assert_allclose(engine.over_rows("g")[S], twin.g[S], **close)
        assert_allclose(engine.problem.b, twin.b, **close)
        assert_allclose(engine.problem.delta, twin.delta, **close)
        # The sum of alpha is exact after each sample, apart from rounding.
        assert_allclose(engine.over_rows("alpha").sum(), self.nu * twin.n_inside, rtol=1e-12)


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
