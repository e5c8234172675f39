"""What the mathematics promises of the algorithms without a bias, whatever the rows; tiny sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tests.core.test_lasvm_invariants import Problem, problems, quickly, rounding
from tests.support.engine import Learner, make_loop, make_store

ALGORITHMS = ["lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"]


@st.composite
def gap_problems(draw, definite=False, algorithms=ALGORITHMS):
    base = draw(problems(definite))
    tol = base.params["tol"]
    return Problem(
        base.X,
        base.y,
        base.cost,
        base.kernel,
        base.layout,
        algorithm=draw(st.sampled_from(algorithms)),
        tol=tol,
        gap_floor=10.0 ** draw(st.floats(-3, 2)),
        ramp_s=draw(st.sampled_from([-1.0, 0.0, -0.2])),
        ramp_start=draw(st.integers(0, 5)),
        clean_interval=draw(st.sampled_from([1, 5, 300])),
        max_non_sv=draw(st.sampled_from([0, 2, 100])),
        single_steps=draw(st.sampled_from([0, 10, 10**6])),
    )


def over_members(learner, name):
    return learner.problem.members[name][learner.alive()].astype(float)


def check_state(problem, learner):
    """Returns the dual objective."""
    alpha, members = learner.over_rows("alpha"), learner.members()
    lower, upper, y = (over_members(learner, name) for name in ("lower", "upper", "y"))
    kept = alpha[members]
    assert (lower <= kept).all() and (kept <= upper).all()
    # A box has one end at 0 and is as long as the row's cost.
    assert ((lower == 0) != (upper == 0)).all()
    assert_array_equal(upper - lower, problem.cost[members])
    assert_array_equal(over_members(learner, "up") != 0, kept < upper)
    assert_array_equal(over_members(learner, "down") != 0, kept > lower)
    g = (problem.y - problem.K @ alpha)[members]
    slack = rounding(problem, alpha)
    assert np.abs(over_members(learner, "g") - g).max(initial=0.0) <= slack
    # The gap is primal minus dual, taken the slow way, and never negative.
    K, cost = problem.K[np.ix_(members, members)], problem.cost[members]
    beta = np.where((lower < 0) == (y > 0), cost, 0.0)
    f, norm = K @ kept, kept @ K @ kept
    primal = 0.5 * norm + np.sum(cost * np.maximum(0, 1 - y * f) + beta * y * f)
    dual = np.sum(kept * y + beta) - 0.5 * norm
    scale = slack * (1 + cost.sum()) + 1e-9 * (abs(primal) + abs(dual))
    assert abs(learner.problem.gap - (primal - dual)) <= scale
    assert learner.problem.gap >= -slack * (1 + cost.sum())
    assert abs(learner.problem.objective - dual) <= scale
    return dual - beta.sum()


@quickly
@given(gap_problems())
def test_state_is_sound_and_the_dual_never_falls_after_each_row(problem):
    learner, before = problem.learner(), 0.0
    for _ in range(2):
        learner.begin_pass()
        for row in range(len(problem.y)):
            learner.learn(row)
            objective = check_state(problem, learner)
            assert objective >= before - 1e-9 * (1 + abs(before))
            before = objective


@quickly
@given(gap_problems())
def test_reprocess_ends_at_the_target_or_where_no_step_is_left(problem):
    learner = problem.learner()
    for row in range(len(problem.y)):
        seen = learner.problem.flow()[0].sum()
        learner.learn(row)
        if learner.problem.flow()[0].sum() == seen:
            continue
        reached = learner.problem.gap <= learner.problem.threshold * (1 + 1e-6) + 1e-9
        assert reached or learner.problem.delta <= learner.problem.tau
        assert learner.problem.threshold >= problem.params["gap_floor"]


def coordinate_violation(problem, learner, rows):
    """Largest gradient of a row in a direction its plain box allows."""
    alpha = learner.over_rows("alpha")
    g = problem.y - problem.K @ alpha
    upper, lower = np.maximum(0, problem.cost * problem.y), np.minimum(0, problem.cost * problem.y)
    for name, box in (("lower", lower), ("upper", upper)):
        box[learner.members()] = over_members(learner, name)
    up = np.max(g[rows][(alpha < upper)[rows]], initial=0.0)
    down = np.max(-g[rows][(alpha > lower)[rows]], initial=0.0)
    return max(up, down)


@quickly
@given(gap_problems(definite=True), st.booleans())
def test_finish_satisfies_the_kkt_conditions_on_the_members(problem, shrinking):
    learner = problem.learnt(shrinking=shrinking)
    before = learner.problem.objective
    learner.loop.finish()
    check_state(problem, learner)
    # CLEAN takes the constants of shifted boxes with it.
    if problem.params["algorithm"] != "lasvm-nc":
        assert learner.problem.objective >= before - 1e-9 * (1 + abs(before))
    assert learner.problem.delta <= learner.problem.tau
    slack = 2 * rounding(problem, learner.over_rows("alpha"))
    found = coordinate_violation(problem, learner, learner.members())
    assert found <= learner.problem.tau + slack
    changes = learner.problem.n_changes
    learner.loop.finish()
    assert learner.problem.n_changes == changes


@quickly
@given(gap_problems(definite=True, algorithms=["lasvm-g", "lasvm-full"]))
def test_passes_until_no_step_satisfy_the_kkt_conditions_on_all_rows(problem):
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
    found = coordinate_violation(problem, learner, rows)
    slack = 2 * rounding(problem, learner.over_rows("alpha"))
    assert found <= learner.problem.tau + slack
    assert abs(learner.loop.violation_left() - found) <= slack + 1e-12


def assert_same(learner, other):
    """The same to the last bit."""
    assert_array_equal(other.alive(), learner.alive())
    for name in ("row_id", "alpha", "g", "lower", "upper", "region"):
        assert_array_equal(other.over_rows(name), learner.over_rows(name))
    assert other.problem.delta == learner.problem.delta
    assert_array_equal(other.problem.flow(), learner.problem.flow())


@quickly
@given(gap_problems(), st.sampled_from([0, 300, 700]))
def test_memory_for_kernel_rows_makes_no_difference(problem, cache_bytes):
    assert_same(problem.learnt(2), problem.learnt(2, cache_bytes=cache_bytes))


@quickly
@given(gap_problems(), st.integers(0, 24), st.integers(1, 7))
def test_chunks_and_state_in_the_midst_of_a_stream(problem, n_before, chunk):
    n = len(problem.y)
    uninterrupted, first, second = (problem.learner() for _ in range(3))
    uninterrupted.learn(np.arange(n))
    for start in range(0, min(n, n_before), chunk):
        first.learn(np.arange(n)[start : min(start + chunk, n_before)])
    state = first.loop.state()
    for arrays in [state["store"], *state["problems"]]:
        for name in arrays:
            arrays[name] = arrays[name].copy()
            arrays[name].flags.writeable = False
    second.loop.restore(state)
    second.learn(np.arange(n)[n_before:])
    assert_same(uninterrupted, second)


@quickly
@given(gap_problems(definite=True))
def test_shrinking_makes_no_difference_to_the_optimum(problem):
    learners = [problem.learnt(shrinking=shrinking) for shrinking in (True, False)]
    for learner in learners:
        learner.loop.finish()
    objectives = [learner.problem.objective for learner in learners]
    gaps = [max(learner.problem.gap, 0.0) for learner in learners]
    # Constants of shifted boxes stay or go with the members that CLEAN lets go.
    if problem.params["algorithm"] != "lasvm-nc":
        assert abs(objectives[0] - objectives[1]) <= max(gaps) + 1e-9 * (1 + abs(objectives[0]))


def test_large_sets_shrink_and_find_the_same_optimum():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=1500) > 0, 1, -1)
    objectives, decisions = [], []
    for shrinking in (True, False):
        learner = Learner(
            X,
            y,
            100.0,
            make_store(X, gamma=1.0),
            algorithm="lasvm-full",
            gap_floor=100.0,
            tol=1e-6,
            shrinking=shrinking,
        )
        learner.learn(np.arange(1500)).loop.finish()
        assert learner.problem.delta <= learner.problem.tau
        objectives.append(learner.problem.objective)
        decisions.append(learner.decide())
    assert_allclose(*objectives, rtol=1e-9)
    assert_allclose(*decisions, rtol=0, atol=1e-3)


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
def test_alpha_that_fits_stays(has_bias):
    alpha = np.array([0.5, -0.5])
    moved = empty_problem(has_bias).moved(alpha, np.array([0.0, -1.0]), np.array([1.0, 0.0]))
    assert_array_equal(moved, alpha)


def test_where_single_coordinates_lead_nowhere_steps_on_two_take_over():
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
