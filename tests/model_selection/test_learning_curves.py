"""Neighbourhoods, predicted scores and costs, survivors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import loguniform
from sklearn.model_selection import ParameterGrid, ParameterSampler

from tests.reference.racing import by_turns, smoothed
from tests.support.internals import (
    MIN_SHARE,
    Neighbourhood,
    chances,
    fit_costs,
    interleaved,
    n_survivors,
    predicted_scores,
)


def test_neighbours_in_a_grid_are_at_distance_one():
    grid = list(ParameterGrid({"C": [1, 10, 1000], "gamma": [0.1, 0.2, 5.0, 6.0]}))
    space = Neighbourhood(grid)
    distance = space.distances(np.arange(12))
    for i, a in enumerate(grid):
        for j, b in enumerate(grid):
            steps = [
                [1, 10, 1000].index(a["C"]) - [1, 10, 1000].index(b["C"]),
                [0.1, 0.2, 5.0, 6.0].index(a["gamma"]) - [0.1, 0.2, 5.0, 6.0].index(b["gamma"]),
            ]
            assert_allclose(distance[i, j], np.hypot(*steps))
    gains = np.random.default_rng(0).normal(size=12)
    assert_allclose(space.smooth(gains, np.arange(12)), smoothed(gains, space.positions))


def test_candidates_of_a_random_search_have_as_many_neighbours_as_in_a_grid():
    drawn = {"C": loguniform(0.1, 1000), "gamma": loguniform(1e-3, 10)}
    space = Neighbourhood(list(ParameterSampler(drawn, 100, random_state=0)))
    near = np.sum(space.distances(np.arange(100)) < 1.5, axis=1) - 1
    assert 3 < np.median(near) < 9


def test_other_parameters_separate_neighbourhoods():
    grid = list(
        ParameterGrid({"C": [1, 2], "kernel": ["rbf", "poly"], "shrinking": [True, False]})
    )
    distance = Neighbourhood(grid).distances(np.arange(8))
    for i, a in enumerate(grid):
        for j, b in enumerate(grid):
            same = (a["kernel"], a["shrinking"]) == (b["kernel"], b["shrinking"])
            assert np.isfinite(distance[i, j]) == same


def test_without_numeric_parameters_each_candidate_is_its_own_neighbour():
    space = Neighbourhood([{"kernel": "rbf"}, {"kernel": "poly"}, {"kernel": None}])
    assert_array_equal(space.smooth(np.array([1.0, 2.0, np.nan]), np.arange(3)), [1, 2, 0])


def test_a_constant_parameter_does_not_count():
    varied = [{"C": C, "gamma": gamma} for C in (1, 2) for gamma in (0.1, 0.2)][:3]
    constant = [{**params, "tol": 0.1} for params in varied]
    space, other = Neighbourhood(constant), Neighbourhood(varied)
    assert space.numeric == other.numeric == ["C", "gamma"]
    assert_allclose(space.positions, other.positions)


def test_unknown_gains_have_no_weight():
    space = Neighbourhood([{"C": 1}, {"C": 2}, {"C": 3}])
    found = space.smooth(np.array([1.0, np.nan, 3.0]), np.arange(3))
    assert_allclose(found[1], 2)
    assert np.all(np.isfinite(found))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30))
def test_survivors_are_the_best_by_turns(pairs):
    scores, predicted = np.array(pairs, dtype=float).T
    found = interleaved(scores, predicted)
    everyone = range(len(pairs))
    assert list(found) == by_turns(everyone, scores, predicted)
    if np.array_equal(scores, predicted):
        assert np.all(np.diff(scores[found]) <= 0)


def test_unknown_scores_come_last():
    assert list(interleaved(np.array([np.nan, 1, 2]), np.array([np.nan, 3, 2]))) == [2, 1, 0]


def test_an_error_that_falls_like_a_root_is_predicted_exactly():
    ends = np.array([100, 200, 400, 800, 1600])
    curve = 1 - (0.1 + 3 * ends**-0.5)
    for k in range(1, 5):
        gain = curve[k] - curve[k - 1]
        found = predicted_scores(curve[k : k + 1], np.array([gain]), ends[k], ends[k + 1 :])
        assert_allclose(found, curve[-1])


def test_all_candidates_have_the_same_chance_before_gains_are_known():
    assert_allclose(chances(np.array([0.5, 0.9]), np.array([0.5, 0.9]), 0.01, False), 0.5)
    assert_allclose(chances(np.array([np.nan, np.nan]), np.full(2, np.nan), np.nan, True), 0.5)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.floats(0.01, 0.5))
def test_chances_decline_with_the_distance_from_the_best(scores, error):
    scores = np.array(scores)
    found = chances(scores, scores, error, True)
    assert_allclose(found.sum(), 1.0)
    expected = np.exp(-0.5 * ((scores.max() - scores) / error) ** 2)
    assert_allclose(found, expected / expected.sum(), atol=1e-12)


def test_a_large_predicted_gain_is_uncertain():
    scores = np.array([0.9, 0.6])
    # The second may gain .2 or more, or less than half of it: it is not out of the race.
    assert chances(scores, scores, 0.01, True)[1] < 1e-6
    assert chances(scores, np.array([0.9, 0.8]), 0.01, True)[1] > 0.2


@pytest.mark.filterwarnings("error")
def test_chances_with_an_error_of_0():
    for best in (0.5, 1e300):
        scores = np.array([best, 0.25, best])
        assert_allclose(chances(scores, scores, 0.0, True), [0.5, 0.0, 0.5])


def test_failed_candidates_have_no_chance():
    found = chances(np.array([np.nan, 0.5]), np.array([np.nan, 0.5]), 0.1, True)
    assert_allclose(found, [0.0, 1.0])


def test_costs_grow_like_a_power():
    cost = fit_costs(np.array([1.0, 2.0]), np.array([1.0, 2.0]), 10, [20, 40])
    assert_allclose(cost, [[2, 8], [4, 32]])


@settings(deadline=None)
@given(
    st.integers(1, 8),
    st.integers(1, 60),
    st.integers(1, 6),
    st.floats(0, 500),
    st.integers(0, 999),
)
def test_survivors_fit_into_the_budget(n_rungs, n, floor, budget, seed):
    increments = np.random.default_rng(seed).exponential(size=(n_rungs, n))
    found = n_survivors(increments, budget, floor)
    assert min(floor, n) <= found <= n
    assert found >= min(n, np.floor(min(MIN_SHARE * n, n * (min(floor, n) / n) ** (1 / n_rungs))))
    assert found <= n_survivors(increments, 2 * budget, floor)
    if budget >= increments.sum():
        assert found == n
    if n_rungs == 1 and found < n:
        assert increments[0, : found + 1].sum() > budget
