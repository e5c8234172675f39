"""Dual problems with targets other than labels: regression and the one-class SVM."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVR, OneClassSVM

from sklearn_online_svm._core.kernel.block import Samples
from sklearn_online_svm._core.kernel.engine import Engine
from sklearn_online_svm._core.kernel.support_set import STREAM
from sklearn_online_svm.kernel._engine import SolverSpec
from tests.support.engine import make_loop, make_store

GAMMA = 0.5
C, EPSILON = 2.0, 0.1
# Kernel rows are float32, and K is nearly singular: f is known better than alpha.
ALPHA = dict(rtol=0, atol=1e-3)


def regression(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, (n, 2))
    return X, np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.2 * rng.normal(size=n)


def sharing_loop(X, layout="dense", cache_bytes=500 << 20, **solver):
    store = make_store(X, layout=layout, gamma=GAMMA)
    # One problem whose slots are not those of the store.
    problem = SolverSpec(**solver).problem(store, 2, cache_bytes)
    return Engine(store, [problem], shares=True)


def both_sides(y, cost=C):
    """Two rows for each of X: f may not lie more than epsilon below y, nor above."""
    n = len(y)
    return Samples(
        np.tile([1, 0], n).astype(np.int32),
        np.full(2 * n, cost),
        np.arange(2 * n),
        targets=np.repeat(y, 2) + np.tile([-EPSILON, EPSILON], n),
        vectors=np.arange(2 * n) // 2,
    )


def solved(loop, X, given, n_rows, max_passes=50):
    """Passes until one changes nothing."""
    problem = loop.problems[0]
    for _ in range(max_passes):
        known = np.full(n_rows, -1, dtype=np.int32)
        slots = problem.slots()
        known[problem.members["row_id"][slots]] = slots
        loop.begin_pass([known])
        before = loop.n_changes
        loop.learn(X, np.arange(n_rows), given)
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
    """alpha of each row of X, both sides together."""
    members, slots = loop.problems[0].members, loop.problems[0].slots()
    alpha = np.zeros(n)
    np.add.at(alpha, members["row_id"][slots] // 2, members["alpha"][slots])
    return alpha


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("cache_bytes", [1 << 12, 500 << 20])
def test_regression_with_a_bias_equals_svr(layout, cache_bytes):
    X, y = regression()
    loop = sharing_loop(X, layout, cache_bytes, tol=1e-6)
    solved(loop, X, both_sides(y), 2 * len(y))
    svr = SVR(C=C, epsilon=EPSILON, gamma=GAMMA, tol=1e-8).fit(X, y)
    expected = np.zeros(len(y))
    expected[svr.support_] = svr.dual_coef_[0]
    assert_allclose(coefficients(loop, len(y)), expected, **ALPHA)
    assert_allclose(decide(loop, X), svr.predict(X), rtol=0, atol=1e-5)
    problem = loop.problems[0]
    K = rbf_kernel(X, gamma=GAMMA)
    objective = expected @ y - EPSILON * np.abs(expected).sum() - expected @ K @ expected / 2
    assert_allclose(problem.objective, objective, rtol=1e-6)
    assert_allclose(problem.squared_norm, expected @ K @ expected, rtol=1e-5)
    assert 0 <= problem.gap < 1e-3


@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-full"])
def test_regression_without_a_bias_is_the_optimum(algorithm):
    X, y = regression(100)
    loop = sharing_loop(X, algorithm=algorithm, tol=1e-6, gap_floor=1e-6)
    solved(loop, X, both_sides(y), 2 * len(y))
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


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_one_class_equals_scikit_learn(nu):
    """No target at all; the sum of alpha is what it was when learning began."""
    X, _ = regression()
    n = len(X)
    given = Samples(np.ones(n, np.int32), np.full(n, 1.0), np.arange(n), targets=np.zeros(n))
    loop = make_loop(make_store(X, gamma=GAMMA), tol=1e-7)
    loop.seed(X, np.arange(n), given, np.full((1, n), nu))
    loop.finish()
    peer = OneClassSVM(nu=nu, gamma=GAMMA, tol=1e-9).fit(X)
    expected = np.zeros(n)
    expected[peer.support_] = peer.dual_coef_[0]
    members = loop.problems[0].members
    alpha = np.zeros(n)
    alpha[members["row_id"][loop.problems[0].slots()]] = members["alpha"][loop.problems[0].slots()]
    K = rbf_kernel(X, gamma=GAMMA)
    assert_allclose(alpha.sum(), nu * n, rtol=1e-12)
    assert_allclose(alpha @ K @ alpha, expected @ K @ expected, rtol=1e-7)
    assert_allclose(decide(loop, X), peer.decision_function(X), rtol=0, atol=1e-4)


def test_members_share_vectors():
    X, y = regression(60)
    loop = sharing_loop(X, algorithm="lasvm-full", tol=1e-6)
    loop.learn(X, np.arange(2 * len(y)), both_sides(y))
    members = loop.problems[0].members
    index = members["index"][loop.problems[0].slots()]
    assert len(index) == 2 * len(y)
    assert_array_equal(np.bincount(index), 2)
    assert loop.store.n_slots == len(y)
    assert_array_equal(loop.state()["references"], 2)

    loop.finish()
    again = sharing_loop(X, algorithm="lasvm-full", tol=1e-6)
    again.restore(loop.state())
    assert_array_equal(decide(again, X), decide(loop, X))
    store = make_store(X, gamma=GAMMA)
    strict = Engine(
        store, [SolverSpec(algorithm="lasvm-full", tol=1e-6).problem(store, 2, 1 << 20)]
    )
    with pytest.raises(ValueError, match="built with shares=False"):
        strict.learn(X, np.arange(2 * len(y)), both_sides(y))


def test_sharing_needs_slots_of_its_own():
    X, _ = regression(10)
    store = make_store(X)
    with pytest.raises(ValueError, match="need slots"):
        Engine(store, [SolverSpec().problem(store, 1, 1 << 20)], shares=True)


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
