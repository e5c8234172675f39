"""Dual problems with targets other than labels: regression and the one-class SVM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR, OneClassSVM

from sklearn_online_svm._core.kernel.vectors.block import Samples
from sklearn_online_svm._core.kernel.vectors.support_set import STREAM
from tests.support.engine import make_loop, make_store, solver_spec

GAMMA = 0.5
C, EPSILON = 2.0, 0.1
# Kernel rows are float32, and K is nearly singular: f is known better than alpha.
ALPHA = dict(rtol=0, atol=1e-3)


def regression(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 2))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.2 * rng.normal(size=n)


def tube(y, cost=C, epsilon=EPSILON, squared=False):
    n = len(y)
    return Samples(
        np.zeros(n, np.int32),
        np.full(n, cost),
        np.arange(n),
        targets=y[np.newaxis],
        epsilon=epsilon,
        squared=squared,
    )


def solved(X, given, layout="dense", epsilon=EPSILON, max_passes=50, **solver):
    """Passes until one changes nothing."""
    loop = make_loop(make_store(X, layout=layout, gamma=GAMMA), epsilon=epsilon, **solver)
    problem = loop.problems[0]
    for _ in range(max_passes):
        known = np.full(len(X), -1, dtype=np.int32)
        slots = problem.slots()
        known[problem.members["row_id"][slots]] = slots
        loop.begin_pass([known])
        before = loop.n_changes
        loop.learn(X, np.arange(len(X)), given)
        if loop.n_changes == before:
            return loop
        loop.finish()
        loop.refresh()
    raise AssertionError("no end")


def decide(loop, X):
    out = np.empty((len(X), 1))
    loop.solution(False, 0).decide(X, out)
    return out[:, 0]


def coefficients(loop, n):
    members, slots = loop.problems[0].members, loop.problems[0].slots()
    alpha = np.zeros(n)
    alpha[members["row_id"][slots]] = members["alpha"][slots]
    return alpha


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("cost", "epsilon", "cache_bytes"),
    [(C, EPSILON, 1 << 12), (C, EPSILON, 500 << 20), (0.5, 0.0, 500 << 20), (100.0, 0.1, 1 << 16)],
)
def test_regression_with_a_bias_equals_svr(layout, cost, epsilon, cache_bytes):
    X, y = regression()
    loop = solved(X, tube(y, cost, epsilon), layout, epsilon, cache_bytes=cache_bytes, tol=1e-7)
    svr = SVR(C=cost, epsilon=epsilon, gamma=GAMMA, tol=1e-9).fit(X, y)
    expected = np.zeros(len(y))
    expected[svr.support_] = svr.dual_coef_[0]
    assert_allclose(decide(loop, X), svr.predict(X), rtol=0, atol=1e-5 * cost)
    alpha, problem, K = coefficients(loop, len(y)), loop.problems[0], rbf_kernel(X, gamma=GAMMA)

    def objective(alpha):
        return alpha @ y - epsilon * np.abs(alpha).sum() - alpha @ K @ alpha / 2

    assert_allclose(objective(alpha), objective(expected), rtol=1e-9)
    assert_allclose(problem.objective, objective(expected), rtol=1e-5)
    assert_allclose(problem.squared_norm, expected @ K @ expected, rtol=1e-4)
    assert 0 <= problem.gap < 1e-3
    assert_allclose(alpha.sum(), 0.0, atol=1e-10 * cost)
    assert np.abs(alpha).max() <= cost


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-full"])
def test_regression_without_a_bias_is_the_optimum(algorithm):
    X, y = regression(100)
    loop = solved(X, tube(y), algorithm=algorithm, tol=1e-6, gap_floor=1e-6)
    # Coordinate ascent on max alpha'y - eps |alpha|_1 - 1/2 alpha'K alpha, |alpha| <= C.
    K, alpha = rbf_kernel(X, gamma=GAMMA), np.zeros(len(y))
    for _ in range(3000):
        for i in range(len(y)):
            r = y[i] - K[i] @ alpha + alpha[i]
            alpha[i] = np.clip(np.sign(r) * max(0.0, abs(r) - EPSILON), -C, C)
    assert_allclose(coefficients(loop, len(y)), alpha, **ALPHA)
    assert_allclose(decide(loop, X), K @ alpha, rtol=0, atol=1e-5)
    objective = alpha @ y - EPSILON * np.abs(alpha).sum() - alpha @ K @ alpha / 2
    assert_allclose(loop.problems[0].objective, objective, rtol=1e-6)
    # Primal minus dual, from what is known of the members alone.
    assert 0 <= loop.problems[0].gap < 1e-3


@pytest.mark.parametrize("epsilon", [0.0, 0.1])
@pytest.mark.parametrize("cache_bytes", [1 << 12, 500 << 20])
def test_squared_loss_is_the_optimum(epsilon, cache_bytes):
    X, y = regression()
    given = tube(y, epsilon=epsilon, squared=True)
    loop = solved(X, given, epsilon=epsilon, tol=1e-8, cache_bytes=cache_bytes)
    residual = y - decide(loop, X)
    # The derivative of the loss C max(0, |r| - epsilon)^2.
    expected = 2 * C * np.sign(residual) * np.maximum(np.abs(residual) - epsilon, 0.0)
    assert_allclose(coefficients(loop, len(y)), expected, rtol=0, atol=1e-5)
    assert abs(expected.sum()) < 1e-4
    assert 0 <= loop.problems[0].gap < 1e-6


@pytest.mark.parametrize("squared", [False, True])
def test_optimized_solution_of_regression_has_its_own_sides(squared):
    """Members turn in the optimized solution, and the online one goes on as if it had not been."""
    X, y = regression(200)
    given = tube(y, 50.0, squared=squared)
    loops = [make_loop(make_store(X, gamma=GAMMA), tol=1e-5, epsilon=EPSILON) for _ in range(2)]
    for first in range(0, 200, 10):
        for loop in loops:
            loop.learn(X, np.arange(first, first + 10), given)
        optimized = loops[0].solution(True, 10**6)
        peer = make_loop(make_store(X, gamma=GAMMA), tol=1e-5, epsilon=EPSILON)
        peer.restore(loops[1].state())
        peer.finish()
        out = np.empty((2, 200, 1))
        optimized.decide(X, out[0])
        peer.solution(False, 0).decide(X, out[1])
        assert_allclose(out[0], out[1], rtol=0, atol=5e-3)
        shown, problem = loops[0].problems[0], peer.problems[0]
        assert_allclose(shown.objective, problem.objective, rtol=1e-4)
        assert_allclose(shown.gap, problem.gap, rtol=0, atol=0.5)
    for loop in loops:
        loop.discard_optimized()
    for name in ("alpha", "g", "target", "y", "lower", "upper"):
        assert_array_equal(*(loop.problems[0].members[name] for loop in loops))


@pytest.mark.parametrize("squared", [False, True])
def test_budget_removes_members(squared):
    X, y = regression(400)
    given = tube(y, squared=squared)
    store = make_store(X, gamma=GAMMA)
    loop = make_loop(store, epsilon=EPSILON, budget=60, tol=1e-6)
    problem = loop.problems[0]
    for first in range(0, 400, 20):
        loop.learn(X, np.arange(first, first + 20), given)
        members, slots = problem.members, problem.slots()
        assert len(slots) <= 60
        assert abs(members["alpha"].sum()) < 1e-9
        g = members["g"][slots].copy()
        loop.refresh()
        assert_allclose(members["g"][slots], g, rtol=0, atol=1e-4)
    loop.finish()
    whole = solved(X, given, tol=1e-6)
    error = [np.mean((decide(model, X) - y) ** 2) for model in (loop, whole)]
    # The ratio is 1.2 for the squared loss and 1.7 for the other one, where its standard deviation
    # is 0.3; that of the variance of y is 20.
    assert error[0] < 4.0 * error[1]


@pytest.mark.parametrize("squared", [False, True])
def test_a_lower_budget_is_met_after_the_next_sample(squared):
    X, y = regression(201)
    given = tube(y, epsilon=0.3, squared=squared)
    loop = make_loop(make_store(X, gamma=GAMMA), epsilon=0.3, budget=80)
    problem = loop.problems[0]
    loop.learn(X, np.arange(200), given)
    assert len(problem.slots()) > 30
    problem.configure(**solver_spec(epsilon=0.3, budget=20).options(1, 1, 1 << 20))
    loop.learn(X, np.array([200]), given)
    assert len(problem.slots()) == 20


@pytest.mark.parametrize("nu", [0.2, 0.5, 0.9])
def test_one_class_budget_merges_nearest_members(nu):
    """Alphas and boxes are added; pairs are from the whole support set."""
    n, budget = 400, 50
    X, _ = regression(n)
    given = Samples(np.ones(n, np.int32), np.ones(n), np.arange(n), targets=np.zeros((1, n)))
    loop, wide = (
        make_loop(make_store(X, gamma=GAMMA), tol=1e-4, nu=nu, budget=most)
        for most in (budget, budget + 1)
    )
    merged = []
    for row in range(n):
        wide.restore(loop.state())
        for one in (wide, loop):
            one.learn(X, np.array([row]), given)
        before, after = wide.problems[0].view(), loop.problems[0].view()
        assert len(after.alpha) <= budget
        gone = np.flatnonzero(~np.isin(before.slots, after.slots))
        if (before.alpha == 0).any():
            assert (before.alpha[gone] == 0).all()
            continue
        if not len(gone):
            continue
        (left,) = gone
        same = np.searchsorted(before.slots, after.slots)
        (kept,) = same[after.upper != before.upper[same]]
        for name in ("alpha", "upper"):
            expected = getattr(before, name).copy()
            expected[kept] += expected[left]
            assert_allclose(getattr(after, name), expected[same], rtol=1e-12)
        # The squared distance in the feature space, times half the harmonic mean of the boxes.
        squares = 2.0 - 2.0 * rbf_kernel(X[before.row_id], gamma=GAMMA)
        costs = squares / (1.0 / before.upper + 1.0 / before.upper[:, None])
        np.fill_diagonal(costs, np.inf)
        assert costs[left, kept] <= 1.001 * max(costs[left].min(), costs[kept].min())
        # The best of several members and their nearest ones.
        rank = np.mean(costs.min(axis=1) < 0.999 * costs[left, kept])
        merged.append((before.slots[[left, kept]].min(), rank))
    slots, ranks = np.transpose(merged)
    assert len(merged) > 40 and ranks.mean() < 0.2
    assert (slots == 0).any() and np.mean(slots > budget // 2) > 0.1


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_one_class_equals_scikit_learn(nu):
    X, _ = regression()
    n = len(X)
    given = Samples(np.ones(n, np.int32), np.ones(n), np.arange(n), targets=np.zeros((1, n)))
    loop = make_loop(make_store(X, gamma=GAMMA), tol=1e-7, nu=nu)
    problem = loop.problems[0]
    for first in range(0, n, 10):
        loop.learn(X, np.arange(first, first + 10), given)
        assert_allclose(problem.members["alpha"].sum(), nu * (first + 10), rtol=1e-12)
    for _ in range(50):
        known = np.full(n, -1, dtype=np.int32)
        known[problem.members["row_id"][problem.slots()]] = problem.slots()
        loop.begin_pass([known])
        problem.grows = False
        before = loop.n_changes
        loop.learn(X, np.arange(n), given)
        if loop.n_changes == before:
            break
        loop.finish()
        loop.refresh()
    peer = OneClassSVM(nu=nu, gamma=GAMMA, tol=1e-9).fit(X)
    expected = np.zeros(n)
    expected[peer.support_] = peer.dual_coef_[0]
    alpha, K = coefficients(loop, n), rbf_kernel(X, gamma=GAMMA)
    assert_allclose(alpha.sum(), nu * n, rtol=1e-12)
    assert_allclose(alpha @ K @ alpha, expected @ K @ expected, rtol=1e-7)
    # alpha of the solution for predictions has the sum 1.
    assert_allclose(nu * n * decide(loop, X), peer.decision_function(X), rtol=0, atol=1e-4)


def test_samples_of_a_stream_and_of_X_are_distinguished():
    """Numbers of rows of a stream say nothing of the rows of X."""
    X, _ = regression(40)
    labels = (X[:, 0] > 0).astype(np.int32)
    cost, numbers = np.full(40, 5.0), np.arange(20)
    loop = make_loop(make_store(X), algorithm="lasvm-full")
    known = np.full(20, -1, dtype=np.int32)
    loop.begin_pass([known])
    loop.learn(X[:20], numbers, Samples(labels[:20], cost[:20], numbers))
    before = known.copy()
    assert_array_equal(np.sort(before), np.arange(20))
    loop.begin_pass(None)
    streamed = Samples(labels[20:], cost[20:], 20 + numbers, origin=STREAM)
    loop.learn(X[20:], numbers, streamed)
    members = loop.problems[0].members
    assert_array_equal(members["origin"], np.repeat([0, STREAM], 20))
    assert_array_equal(members["row_id"], np.arange(40))
    assert_array_equal(known, before)


def test_two_members_at_zero_that_violate_on_their_other_sides():
    """Each violates with no member on its present side, but the two with each other."""
    targets = np.array([0.208, 0.0, 0.005, 0.213])
    X = np.random.default_rng(0).normal(size=(4, 2))
    loop = make_loop(make_store(X, gamma=GAMMA), epsilon=EPSILON, tol=0.01)
    problem = loop.problems[0]
    # alpha = 0 with the sides of these values.
    loop.seed(X, np.arange(4), tube(targets), np.array([[1.0, 1.0, -1.0, -1.0]]))
    bound = np.full(4, C)
    problem.members.rebox(np.arange(4), -bound, bound, np.zeros(4))
    loop.refresh()
    assert problem.delta == pytest.approx(0.013)  # 0.213 - 0.1 and 0.0 + 0.1
    e = problem.members.extremes
    assert e["g_max"] - e["g_min"] == pytest.approx(0.003)
    loop.finish()
    assert problem.delta <= problem.tau
