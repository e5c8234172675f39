"""Invariants of the solvers, on small random problems."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm._core.kernel.vectors.block import Samples
from tests.support.engine import Learner, kernel_values, make_loop, make_store
from tests.support.limits import set_limits
from tests.support.samples import GAP_DRIVEN

KERNELS = {
    "linear": {},
    "poly": dict(gamma=0.5, coef0=1.0, degree=2),
    "rbf": dict(gamma=0.5),
    "sigmoid": dict(gamma=0.2, coef0=-0.5),
}
SOLVERS = ("lasvm", *GAP_DRIVEN)
quickly = settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])


class Problem:
    """Samples, labels and costs; engines that learn from them with other parameters."""

    def __init__(self, X, y, cost, kernel, layout, **params):
        self.X, self.y, self.cost = X, y, cost
        self.kernel, self.layout, self.params = kernel, layout, params
        self.K = kernel_values(self.store(), X, X).astype(np.float64)
        self.scale = max(1.0, np.abs(self.K).max())

    @property
    def has_bias(self):
        return self.params["algorithm"] == "lasvm"

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
def problems(draw, definite=False, algorithms=SOLVERS):
    n = draw(st.integers(2, 24))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    y = rng.choice([-1, 1], n)
    X = rng.normal(size=(n, draw(st.integers(1, 4)))) + draw(st.floats(0, 2)) * y[:, None]
    if draw(st.booleans()):  # samples that occur twice, some with both labels
        X = X[rng.integers(0, n, n)]
    if draw(st.booleans()):  # coarse values: equal gradients, zeros
        X = np.round(X)
    cost = 10.0 ** draw(st.floats(-2, 3)) * rng.choice([0.0, 0.5, 1.0, 1.0, 2.0], n)
    params = dict(tol=draw(st.sampled_from([1e-3, 1e-1])))
    # Half of the examples have a bias.
    if "lasvm" in algorithms and draw(st.booleans()):
        params |= dict(
            algorithm="lasvm",
            delta_max=draw(st.sampled_from([np.inf, 1.0, 0.01])),
            n_init=draw(st.sampled_from([1, 5])),
        )
    else:
        params |= dict(
            algorithm=draw(st.sampled_from([name for name in algorithms if name != "lasvm"])),
            gap_floor=10.0 ** draw(st.floats(-3, 2)),
            ramp_s=draw(st.sampled_from([-1.0, 0.0, -0.2])),
            ramp_start=draw(st.integers(0, 5)),
            clean_interval=draw(st.sampled_from([1, 5, 300])),
            max_non_sv=draw(st.sampled_from([0, 2, 100])),
            single_steps=draw(st.sampled_from([0, 10, 10**6])),
        )
    return Problem(
        X.astype(draw(st.sampled_from([np.float32, np.float64]))),
        y,
        cost,
        draw(st.sampled_from([k for k in KERNELS if not definite or k != "sigmoid"])),
        draw(st.sampled_from(["dense", "sparse"])),
        **params,
    )


def rounding(problem, alpha):
    """What sums over alpha and K may be off by, generously."""
    return 1e-12 * (1.0 + problem.scale * np.abs(alpha).sum())


def over_members(learner, name):
    return learner.problem.members[name][learner.alive()].astype(float)


def check_state(problem, learner):
    """Check bounds, gradients and gap; return the dual objective without constants of the ramp."""
    alpha, members = learner.over_rows("alpha"), learner.members()
    assert len(np.unique(members)) == len(members) == learner.problem.members.n_members
    lower, upper, y = (over_members(learner, name) for name in ("lower", "upper", "y"))
    kept, cost = alpha[members], problem.cost[members]
    assert (cost > 0).all()
    assert (lower <= kept).all() and (kept <= upper).all()
    # One bound is 0; the other is the cost of the sample away.
    assert ((lower == 0) != (upper == 0)).all()
    assert_array_equal(upper - lower, cost)
    assert_array_equal(over_members(learner, "up") != 0, kept < upper)
    assert_array_equal(over_members(learner, "down") != 0, kept > lower)
    g = (problem.y - problem.K @ alpha)[members]
    slack = rounding(problem, alpha)
    assert np.abs(over_members(learner, "g") - g).max(initial=0.0) <= slack
    K = problem.K[np.ix_(members, members)]
    beta = np.where((lower < 0) == (y > 0), cost, 0.0)
    f, norm = K @ kept, kept @ K @ kept
    dual = np.sum(kept * y + beta) - 0.5 * norm
    scale = slack * (1 + cost.sum()) + 1e-9 * abs(dual)
    if problem.has_bias:
        assert not beta.any()
        assert abs(alpha.sum()) <= 1e-12 * (1.0 + np.abs(alpha).sum())
        assert_allclose(learner.problem.objective, dual, atol=1e-10 * (1 + abs(dual)))
    else:
        primal = 0.5 * norm + np.sum(cost * np.maximum(0, 1 - y * f) + beta * y * f)
        scale += 1e-9 * abs(primal)
        assert abs(learner.problem.gap - (primal - dual)) <= scale
        assert abs(learner.problem.objective - dual) <= scale
    assert learner.problem.gap >= -slack * (1 + problem.cost.max() + cost.sum())
    return dual - beta.sum()


def violation(problem, learner, rows):
    """Largest violation of the optimality conditions by `rows`, from the definition."""
    alpha = learner.over_rows("alpha")
    g = problem.y - problem.K @ alpha
    upper, lower = np.maximum(0, problem.cost * problem.y), np.minimum(0, problem.cost * problem.y)
    for name, box in (("lower", lower), ("upper", upper)):
        box[learner.members()] = over_members(learner, name)
    up, down = g[rows][(alpha < upper)[rows]], g[rows][(alpha > lower)[rows]]
    if problem.has_bias:
        return up.max(initial=-np.inf) - down.min(initial=np.inf)
    return max(up.max(initial=0.0), -down.min(initial=0.0))


def assert_not_less(objective, before):
    assert objective >= before - 1e-9 * (1 + abs(before))


@pytest.mark.slow
@quickly
@given(problems())
def test_state_is_consistent_and_the_dual_never_decreases(problem):
    learner, before = problem.learner(), 0.0
    for _ in range(2):
        learner.begin_pass()
        for row in range(len(problem.y)):
            learner.learn(row)
            objective = check_state(problem, learner)
            assert_not_less(objective, before)
            before = objective


@quickly
@given(problems(algorithms=GAP_DRIVEN))
def test_reprocess_ends_at_the_target_or_if_no_step_is_left(problem):
    learner = problem.learner()
    for row in range(len(problem.y)):
        seen = learner.problem.flow()[0].sum()
        learner.learn(row)
        if learner.problem.flow()[0].sum() == seen:
            continue
        reached = learner.problem.gap <= learner.problem.threshold * (1 + 1e-6) + 1e-9
        # With ill-conditioned kernels, the maximum number of steps can be reached before.
        stopped = learner.problem.delta <= learner.problem.tau or learner.loop.cut_short
        assert reached or stopped
        assert learner.problem.threshold >= problem.params["gap_floor"]


@quickly
@given(problems(definite=True), st.booleans())
def test_finish_satisfies_the_kkt_conditions_on_the_support_set(problem, shrinking):
    learner = problem.learnt(shrinking=shrinking)
    before = learner.problem.objective
    learner.loop.finish()
    check_state(problem, learner)
    # CLEAN removes the constants of shifted boxes.
    if problem.params["algorithm"] != "lasvm-nc":
        assert_not_less(learner.problem.objective, before)
    if problem.has_bias and not learner.problem.both_seen:
        return
    assert learner.problem.delta <= learner.problem.tau
    slack = 2 * rounding(problem, learner.over_rows("alpha"))
    found = violation(problem, learner, learner.members())
    assert found <= learner.problem.tau + slack
    if problem.has_bias:
        bound = max(found, 0.0) * problem.cost.sum() + slack * problem.cost.max()
        assert learner.problem.gap <= bound
    changes = learner.problem.n_changes
    learner.loop.finish()
    assert learner.problem.n_changes == changes


@quickly
@given(problems(definite=True, algorithms=("lasvm", "lasvm-g", "lasvm-full")))
def test_epochs_until_nothing_changes_satisfy_the_kkt_conditions_on_all_samples(problem):
    learner = problem.learner()
    for _ in range(300):
        changes = learner.loop.n_changes
        learner.begin_pass()
        learner.learn(np.arange(len(problem.y)))
        if learner.loop.n_changes == changes:
            break
        learner.loop.finish()
    else:
        raise AssertionError("no end")
    rows = np.flatnonzero(problem.cost)
    if problem.has_bias and len(np.unique(problem.y[rows])) < 2:
        return
    found = violation(problem, learner, rows)
    slack = 2 * rounding(problem, learner.over_rows("alpha"))
    assert found <= learner.problem.tau + slack
    assert abs(learner.loop.violation_left() - max(found, 0.0)) <= slack + 1e-12


@quickly
@given(problems(algorithms=("lasvm", "lasvm-g")))
def test_refresh_changes_gradients_by_rounding_only(problem):
    learner = problem.learnt()
    g, alpha, b = learner.over_rows("g"), learner.over_rows("alpha"), learner.problem.b
    learner.loop.refresh()
    assert_allclose(learner.over_rows("g"), g, rtol=0, atol=rounding(problem, alpha))
    assert_array_equal(learner.over_rows("alpha"), alpha)
    if problem.has_bias and learner.problem.both_seen:
        assert_allclose(learner.problem.b, b, rtol=0, atol=2 * rounding(problem, alpha))


def assert_same(learner, other):
    """Check that two solvers are bitwise identical."""
    assert_array_equal(other.alive(), learner.alive())
    for name in ("row_id", "alpha", "g", "lower", "upper"):
        assert_array_equal(other.over_rows(name), learner.over_rows(name))
    assert (other.problem.b, other.problem.delta) == (learner.problem.b, learner.problem.delta)
    if hasattr(learner.problem, "flow"):
        assert_array_equal(other.over_rows("region"), learner.over_rows("region"))
        assert_array_equal(other.problem.flow(), learner.problem.flow())


@quickly
@given(problems(), st.integers(0, 24), st.integers(1, 7))
def test_chunks_and_a_restored_state_give_the_same_solution(problem, n_before, chunk):
    n = len(problem.y)
    uninterrupted, first, second = (problem.learner() for _ in range(3))
    uninterrupted.learn(np.arange(n))
    for start in range(0, min(n, n_before), chunk):
        first.learn(np.arange(n)[start : min(start + chunk, n_before)])
    state = first.loop.state()
    for arrays in [state["store"], *state["problems"]["fields"].values()]:
        for name, array in arrays.items():
            if isinstance(array, np.ndarray):
                arrays[name] = array.copy()
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
def test_solution_is_independent_of_threads(layout, n_problems, cache_bytes):
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
        loop.solution(False, 0).decide(X, out, executor)
        return halfway, [p.members["alpha"] for p in loop.problems], out

    with ThreadPoolExecutor(3) as executor:
        alone, shared = learnt(None), learnt(executor)
    for one, other in zip(alone[0] + alone[1], shared[0] + shared[1], strict=True):
        assert_array_equal(one, other)
    assert_array_equal(alone[2], shared[2])


def test_problems_of_several_classes_equal_separate_problems():
    X, labels = three_classes(300, 3)
    order, cost = np.arange(300), np.full(300, 5.0)
    together = make_loop(make_store(X), 3)
    together.learn(X, order, Samples(labels, cost, order))
    out = np.empty((300, 3))
    together.solution(False, 0).decide(X, out)
    for c, problem in enumerate(together.problems):
        alone = Learner(X, np.where(labels == c, 1, -1), 5.0).learn(order)
        assert_array_equal(problem.slots(), alone.problem.slots())
        for name in ("alpha", "g", "row_id", "up", "down"):
            # The numbers of free slots mean nothing.
            mine, theirs = (p.members[name][p.slots()] for p in (problem, alone.problem))
            assert_array_equal(mine, theirs)
        assert problem.b == alone.problem.b
        assert_allclose(out[:, c], alone.decide(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "algorithm, n, tol, close",
    [
        ("lasvm", 1000, 1e-5, dict(rtol=0, atol=1e-2)),
        ("lasvm-full", 1500, 1e-6, dict(rtol=0, atol=1e-3)),
    ],
)
def test_optimum_of_large_sets_is_independent_of_shrinking(algorithm, n, tol, close):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1, -1)
    objectives, decisions = [], []
    for shrinking in (True, False):
        params = dict(algorithm=algorithm, gap_floor=100.0, tol=tol, shrinking=shrinking)
        learner = Learner(X, y, 100.0, make_store(X, gamma=1.0), **params)
        learner.learn(np.arange(n)).loop.finish()
        assert learner.problem.delta <= learner.problem.tau
        objectives.append(learner.problem.objective)
        decisions.append(learner.decide())
    assert_allclose(*objectives, rtol=1e-7)
    assert_allclose(*decisions, **close)


def test_samples_with_identifiers_beyond_the_data_set():
    """They do not change the array of known samples."""
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


def empty_problem(has_bias):
    loop = make_loop(make_store(np.ones((1, 1))), algorithm="lasvm" if has_bias else "lasvm-g")
    return loop.problems[0]


@quickly
@given(st.integers(0, 10**6), st.booleans())
def test_alpha_moved_into_new_boxes(seed, has_bias):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    bound = rng.choice([-1.0, 1.0], n) * rng.uniform(0.1, 2, n)
    lower, upper = np.minimum(0, bound), np.maximum(0, bound)
    alpha = rng.normal(size=n)
    moved = empty_problem(has_bias).moved(alpha, lower, upper)
    assert (lower <= moved).all() and (moved <= upper).all()
    if has_bias:
        assert abs(moved.sum()) <= 1e-12
    else:
        assert_array_equal(moved, np.clip(alpha, lower, upper))


@pytest.mark.parametrize("has_bias", [True, False])
def test_feasible_alpha_is_not_moved(has_bias):
    alpha = np.array([0.5, -0.5])
    moved = empty_problem(has_bias).moved(alpha, np.array([0.0, -1.0]), np.array([1.0, 0.0]))
    assert_array_equal(moved, alpha)


def test_steps_on_pairs_follow_slow_steps_on_single_coordinates():
    # Far from the origin all values of the polynomial kernel are large and alike.
    rng = np.random.default_rng(0)
    X, y = rng.normal(loc=100, size=(60, 2)), rng.choice([-1, 1], 60)
    store = make_store(X, "poly", gamma=0.5, coef0=0.0, degree=3)
    learner = Learner(X, y, 1.0, store, algorithm="lasvm-g", gap_floor=1.0)
    most = 0
    for row in range(60):
        before = learner.problem.n_changes
        learner.learn(row)
        most = max(most, learner.problem.n_changes - before)
        done = learner.problem.gap <= learner.problem.threshold * (1 + 1e-6)
        assert done or learner.problem.delta <= learner.problem.tau
    assert most > 1000


def slow_learner(algorithm):
    """Return a learner whose optimization over the support set needs many steps."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.choice([-1, 1], 60)
    params = dict(algorithm=algorithm, gap_floor=2.5, tol=1e-12)
    return Learner(X, y, 2.5, make_store(X, "linear"), **params).learn(np.arange(60))


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("working_set_size", [10, 1000])
def test_finish_makes_no_more_steps_than_are_allowed(algorithm, working_set_size, monkeypatch):
    set_limits(monkeypatch, WORKING_SET_SIZE=working_set_size)
    learner = slow_learner(algorithm)
    for steps in (0, 1, 7, 50):
        before = learner.problem.n_changes
        learner.loop.allow(steps)
        learner.loop.finish()
        assert learner.problem.n_changes - before == steps
        assert learner.problem.steps_left == 0 and learner.loop.out_of_steps


def test_finish_makes_a_share_of_the_steps_that_are_left():
    """But at least 50 000 of them, if so many are left."""
    learner = slow_learner("lasvm")
    for steps, share, left in [(200_000, 0.3, 140_000), (60_000, 0.5, 10_000), (9, 0.5, 0)]:
        learner.loop.allow(steps)
        learner.loop.finish(share=share)
        assert learner.problem.steps_left == left
        assert learner.loop.out_of_share and learner.loop.out_of_steps == (left == 0)
