"""What the mathematics promises of the engine, whatever the rows; tiny sets."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm._core.kernel.block import Samples
from tests.support.engine import Learner, kernel_values, make_loop, make_store

KERNELS = {
    "linear": {},
    "poly": dict(gamma=0.5, coef0=1.0, degree=2),
    "rbf": dict(gamma=0.5),
    "sigmoid": dict(gamma=0.2, coef0=-0.5),
}
quickly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Problem:
    """Samples, labels and costs; engines that learn from them with other parameters."""

    def __init__(self, X, y, cost, kernel, layout, **params):
        self.X, self.y, self.cost = X, y, cost
        self.kernel, self.layout, self.params = kernel, layout, params
        self.K = kernel_values(self.store(), X, X).astype(np.float64)
        self.scale = max(1.0, np.abs(self.K).max())

    def __repr__(self):
        return f"Problem({self.__dict__})"

    def store(self):
        return make_store(self.X, self.kernel, layout=self.layout, **KERNELS[self.kernel])

    def learner(self, **params):
        return Learner(self.X, self.y, self.cost, self.store(), **{**self.params, **params})

    def learnt(self, n_passes=1, **params):
        learner = self.learner(**params)
        for _ in range(n_passes):
            learner.begin_pass()
            learner.learn(np.arange(len(self.y)))
        return learner


@st.composite
def problems(draw, definite=False):
    n = draw(st.integers(2, 24))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = rng.choice([-1, 1], n)
    X = rng.normal(size=(n, draw(st.integers(1, 4)))) + draw(st.floats(0, 2)) * y[:, None]
    if draw(st.booleans()):  # rows that occur twice, some with both labels
        X = X[rng.integers(0, n, n)]
    if draw(st.booleans()):  # coarse values: equal gradients, zeros
        X = np.round(X)
    cost = 10.0 ** draw(st.floats(-2, 3)) * rng.choice([0.0, 0.5, 1.0, 1.0, 2.0], n)
    return Problem(
        X.astype(draw(st.sampled_from([np.float32, np.float64]))),
        y,
        cost,
        draw(st.sampled_from([k for k in KERNELS if not definite or k != "sigmoid"])),
        draw(st.sampled_from(["dense", "sparse"])),
        tol=draw(st.sampled_from([1e-3, 1e-1])),
        delta_max=draw(st.sampled_from([np.inf, 1.0, 0.01])),
        n_init=draw(st.sampled_from([1, 5])),
    )


def rounding(problem, alpha):
    """What sums over alpha and K may be off by, generously."""
    return 1e-12 * (1.0 + problem.scale * np.abs(alpha).sum())


def check_state(problem, learner):
    alpha, members = learner.over_rows("alpha"), learner.members()
    assert len(np.unique(members)) == len(members) == learner.problem.members.n_members
    assert (problem.cost[members] > 0).all()
    assert (alpha * problem.y >= 0).all()
    assert (np.abs(alpha) <= problem.cost).all()
    assert abs(alpha.sum()) <= 1e-12 * (1.0 + np.abs(alpha).sum())
    g = problem.y - problem.K @ alpha
    error = np.abs(learner.over_rows("g") - g)[members]
    assert error.max(initial=0.0) <= rounding(problem, alpha)
    # What may move, and the extremes among it, are kept up to date.
    slots = learner.alive()
    names = ("alpha", "lower", "upper", "up", "down")
    kept, lower, upper, up, down = (learner.problem.members[name][slots] for name in names)
    assert_array_equal(up != 0, kept < upper)
    assert_array_equal(down != 0, kept > lower)
    objective = alpha @ problem.y - 0.5 * alpha @ problem.K @ alpha
    assert_allclose(learner.problem.objective, objective, atol=1e-10 * (1 + abs(objective)))
    assert learner.problem.gap >= -rounding(problem, alpha) * (1 + problem.cost.max())
    return objective


def violation(problem, learner, rows):
    """Largest g_i - g_j over pairs of `rows` that may move, from the definition."""
    alpha = learner.over_rows("alpha")
    g = problem.y - problem.K @ alpha
    upper, lower = np.maximum(0, problem.cost * problem.y), np.minimum(0, problem.cost * problem.y)
    up, down = rows[alpha[rows] < upper[rows]], rows[alpha[rows] > lower[rows]]
    return g[up].max(initial=-np.inf) - g[down].min(initial=np.inf)


@quickly
@given(problems())
def test_state_is_sound_and_the_dual_never_falls_after_each_row(problem):
    learner, before = problem.learner(), 0.0
    for _ in range(2):
        learner.begin_pass()
        for row in range(len(problem.y)):
            learner.learn(row)
            objective = check_state(problem, learner)
            assert objective >= before - 1e-10 * (1 + abs(before))
            before = objective


@quickly
@given(problems(), st.booleans())
def test_finish_satisfies_the_kkt_conditions_on_the_members(problem, shrinking):
    learner = problem.learnt(shrinking=shrinking)
    before = learner.problem.objective
    learner.loop.finish()
    objective = check_state(problem, learner)
    assert objective >= before - 1e-10 * (1 + abs(before))
    if learner.problem.both_seen:
        assert learner.problem.delta <= learner.problem.tau
        alpha = learner.over_rows("alpha")
        found = violation(problem, learner, learner.members())
        assert found <= learner.problem.tau + 2 * rounding(problem, alpha)
        assert learner.problem.gap <= (
            max(found, 0.0) * problem.cost.sum() + rounding(problem, alpha) * problem.cost.max()
        )
        # Nothing left to do.
        changes = learner.problem.n_changes
        learner.loop.finish()
        assert learner.problem.n_changes == changes


@quickly
@given(problems())
def test_passes_until_nothing_changes_satisfy_the_kkt_conditions_on_all_rows(problem):
    learner = problem.learner()
    for _ in range(200):
        changes = learner.loop.n_changes
        learner.begin_pass()
        learner.learn(np.arange(len(problem.y)))
        if learner.loop.n_changes == changes:
            break
        learner.loop.finish()
    else:
        raise AssertionError("no end")
    alpha, rows = learner.over_rows("alpha"), np.flatnonzero(problem.cost)
    if len(np.unique(problem.y[rows])) == 2:
        found = violation(problem, learner, rows)
        assert found <= learner.problem.tau + 2 * rounding(problem, alpha)
        assert_allclose(
            learner.loop.violation_left(), max(found, 0.0), atol=2 * rounding(problem, alpha)
        )


@quickly
@given(problems())
def test_refresh_changes_nothing_but_rounding(problem):
    learner = problem.learnt()
    g, alpha, b = learner.over_rows("g"), learner.over_rows("alpha"), learner.problem.b
    learner.loop.refresh()
    assert_allclose(learner.over_rows("g"), g, rtol=0, atol=rounding(problem, alpha))
    assert_array_equal(learner.over_rows("alpha"), alpha)
    if learner.problem.both_seen:
        assert_allclose(learner.problem.b, b, rtol=0, atol=2 * rounding(problem, alpha))


@quickly
@given(problems(definite=True))
def test_shrinking_makes_no_difference_to_the_optimum(problem):
    learners = [problem.learnt(shrinking=shrinking) for shrinking in (True, False)]
    assert_array_equal(learners[0].members(), learners[1].members())
    for learner in learners:
        learner.loop.finish()
        check_state(problem, learner)
    objectives = [learner.problem.objective for learner in learners]
    gaps = [max(learner.problem.gap, 0.0) for learner in learners]
    # Each lies below the maximum by its gap at most.
    assert abs(objectives[0] - objectives[1]) <= max(gaps) + 1e-9 * (1 + abs(objectives[0]))


def assert_same(learner, other):
    """The same to the last bit."""
    assert_array_equal(other.alive(), learner.alive())
    for name in ("row_id", "alpha", "g"):
        assert_array_equal(other.over_rows(name), learner.over_rows(name))
    assert (other.problem.b, other.problem.delta) == (learner.problem.b, learner.problem.delta)


@quickly
@given(problems(), st.sampled_from([0, 300, 700]))
def test_memory_for_kernel_rows_makes_no_difference(problem, cache_bytes):
    learners = [problem.learnt(2), problem.learnt(2, cache_bytes=cache_bytes)]
    assert_same(*learners)
    for learner in learners:
        learner.loop.finish()
    assert_same(*learners)


@quickly
@given(problems(), st.integers(0, 24))
def test_state_and_restore_in_the_midst_of_a_stream(problem, n_before):
    n = len(problem.y)
    uninterrupted, first, second = (problem.learner() for _ in range(3))
    uninterrupted.learn(np.arange(n))
    first.learn(np.arange(n)[:n_before])
    state = first.loop.state()
    for arrays in [state["store"], *state["problems"]]:
        for name in arrays:
            arrays[name] = arrays[name].copy()
            arrays[name].flags.writeable = False
    second.loop.restore(state)
    second.learn(np.arange(n)[n_before:])
    assert_same(uninterrupted, second)


# -- larger sets, several classes, threads ----------------------------------------------


def three_classes(n, n_features, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n).astype(np.int32)
    X = rng.normal(size=(n, n_features))
    X[np.arange(n), labels] += 2.0
    return X, labels


@pytest.mark.parametrize(
    "layout, n_problems, cache_bytes",
    [
        ("dense", 1, 1 << 24),
        ("dense", 3, 1 << 24),
        ("sparse", 1, 1 << 24),
        ("sparse", 3, 1 << 24),
        ("dense", 3, 300_000),
    ],
)
def test_threads_make_no_difference(layout, n_problems, cache_bytes):
    # Wide enough for blocks to be worth sharing.
    X, labels = three_classes(400, 1200)
    order, cost = np.arange(400), np.full(400, 1.0)

    def learnt(executor):
        store = make_store(X, "rbf", layout=layout, gamma=4e-4)
        loop = make_loop(store, n_problems, cache_bytes=cache_bytes)
        codes = labels % 2 if n_problems == 1 else labels
        loop.learn(X, order, Samples(codes, cost, order), executor)
        halfway = [p.members["alpha"].copy() for p in loop.problems]
        loop.finish(executor)
        out = np.empty((400, n_problems))
        loop.show(False, 0).decide(X, out, executor)
        return halfway, [p.members["alpha"] for p in loop.problems], out

    with ThreadPoolExecutor(3) as executor:
        alone, shared = learnt(None), learnt(executor)
    for one, other in zip(alone[0] + alone[1], shared[0] + shared[1], strict=True):
        assert_array_equal(one, other)
    assert_array_equal(alone[2], shared[2])


def test_problems_of_several_classes_are_those_learnt_alone():
    X, labels = three_classes(300, 3)
    order, cost = np.arange(300), np.full(300, 5.0)
    together = make_loop(make_store(X), 3)
    together.learn(X, order, Samples(labels, cost, order))
    out = np.empty((300, 3))
    together.show(False, 0).decide(X, out)
    for c, problem in enumerate(together.problems):
        alone = Learner(X, np.where(labels == c, 1, -1), 5.0).learn(order)
        assert_array_equal(problem.slots(), alone.problem.slots())
        for name in ("alpha", "g", "row_id", "up", "down"):
            # The numbers of free slots mean nothing.
            mine, theirs = (p.members[name][p.slots()] for p in (problem, alone.problem))
            assert_array_equal(mine, theirs)
        assert problem.b == alone.problem.b
        assert_allclose(out[:, c], alone.decide(), rtol=1e-12, atol=1e-12)


def test_large_sets_shrink_and_find_the_same_optimum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=1000) > 0, 1, -1)
    objectives, decisions = [], []
    for shrinking in (True, False):
        learner = Learner(X, y, 100.0, make_store(X, gamma=1.0), tol=1e-5, shrinking=shrinking)
        learner.learn(np.arange(1000)).loop.finish()
        assert learner.problem.delta <= learner.problem.tau
        objectives.append(learner.problem.objective)
        decisions.append(learner.decide())
    assert_allclose(*objectives, rtol=1e-7)
    assert_allclose(*decisions, rtol=0, atol=1e-2)


def test_rows_beyond_the_data_set():
    """What is known of the rows of X says nothing of others, and is not touched by them."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.choice([-1, 1], 60)
    far = Learner(X, y, 10.0)
    far.row_ids = 10**12 + np.arange(len(y))
    known = np.full(5, -1, dtype=np.int32)
    far.loop.begin_pass([known])
    near = Learner(X, y, 10.0)
    for learner in (far, near):
        learner.learn(np.arange(len(y)))
        learner.loop.finish()
    assert_array_equal(known, -1)
    assert_array_equal(far.members() - 10**12, near.members())
    assert_array_equal(far.problem.members["alpha"], near.problem.members["alpha"])
