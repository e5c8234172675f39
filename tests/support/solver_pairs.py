"""A solver of one binary problem and its reference, trained on the same samples."""

import copy
from functools import partial

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm._core.kernel.vectors.block import Samples
from tests.reference.gap_driven import ReferenceGapDriven
from tests.reference.lasvm import ForkedTwin
from tests.reference.targets import ReferenceLasvr, ReferenceOneClass
from tests.reference.window import WindowTwin
from tests.support.engine import Learner, kernel_values, make_store

KERNELS = {
    "linear": {},
    "poly": dict(gamma=0.5, coef0=1.0, degree=2),
    "rbf": dict(gamma=0.3),
    "sigmoid": dict(gamma=0.2, coef0=-0.5),
}
SMALL = dict(ramp_start=5, clean_interval=15, max_non_sv=6, single_steps=10**6)


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


class WindowPair(Pair):
    def restart(self):
        self.twin = WindowTwin(self.K, self.y, self.cost, **self.params)
        self.engine = Learner(self.X, self.y, self.cost, self.new_store(), **self.params)


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
