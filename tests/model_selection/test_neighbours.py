"""Neighbours of candidates, and the search among them within the budget."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import loguniform, uniform
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import ParameterGrid

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.model_selection.test_progressive_search import assert_same_search, of_rung
from tests.reference import racing
from tests.support.internals import (
    Candidate,
    DrawnNeighbours,
    FitSearch,
    GridNeighbours,
    Race,
    Rules,
    _race,
    ordered_parameters,
)
from tests.support.limits import set_limits
from tests.support.samples import two_classes

X, Y = two_classes(1200, noise=1.0)


def race_of(params):
    found = [Candidate(number, *pair, None) for number, pair in enumerate(zip(params, params))]
    race = Race(found, {}, Rules(), None)
    race.steps = {}
    return race


# -------------------------------------------------------------------------------- neighbours


@given(
    st.sets(st.integers(-3, 9), min_size=1, max_size=5),
    st.sets(st.floats(0.1, 10), min_size=1, max_size=4),
    st.integers(0, 99),
)
def test_neighbours_in_a_grid_are_those_of_the_reference(first, second, seed):
    params = list(ParameterGrid({"C": sorted(first), "gamma": sorted(second)}))
    np.random.default_rng(seed).shuffle(params)
    race, neighbours = race_of(params), GridNeighbours(params)
    choices = [racing.Choice(*pair) for pair in enumerate(params)]
    for candidate, choice in zip(race.candidates, choices):
        found = [other.number for other in neighbours.of(candidate, race)]
        assert len(set(found)) == len(found)
        assert set(found) == {other.number for other in racing.neighbours(choice, choices)}
        assert neighbours.of(candidate, race) == []  # once only


def test_candidates_that_differ_in_another_parameter_are_no_neighbours():
    kernels = ["rbf", "poly", np.ones, None]
    params = list(ParameterGrid({"C": [1, 2], "kernel": kernels, "shrinking": [True, False]}))
    race, neighbours = race_of(params), GridNeighbours(params)
    for candidate in race.candidates:
        (other,) = neighbours.of(candidate, race)
        assert other.params == {**candidate.params, "C": 3 - candidate.params["C"]}
    alone = [{"kernel": kernel} for kernel in kernels]
    race, neighbours = race_of(alone), GridNeighbours(alone)
    assert all(neighbours.of(candidate, race) == [] for candidate in race.candidates)


def test_ordered_parameters():
    params = [{"a": 2, "b": True, "c": "x", "d": 1}, {"a": 1.0, "b": False, "c": 3, "d": 1}, {}]
    assert ordered_parameters(params) == {"a": [1.0, 2.0]}


def test_grids_with_different_parameters():
    params = [*ParameterGrid({"C": [1, 2], "gamma": [0.1, 0.2]}), {"C": 1}, {"C": 2}]
    race, neighbours = race_of(params), GridNeighbours(params)
    found = [[c.number for c in neighbours.of(c, race)] for c in race.candidates]
    assert found == [[2, 1], [3, 0, 2], [0, 3, 1], [1, 2], [5], [4]]


@settings(deadline=None, max_examples=5)
@given(st.integers(1, 20), st.integers(0, 999))
def test_drawn_neighbours_are_near(n, seed):
    grid = {"C": loguniform(0.1, 1000), "tol": uniform(), "kernel": ["rbf", "poly"]}
    centre = {"C": 10.0, "tol": 0.5, "kernel": "rbf"}
    race = race_of([centre])
    neighbours = DrawnNeighbours(LASVC(), grid, n, seed)
    for k in range(3):
        found = neighbours.of(race.candidates[0], race)
        assert len(found) <= 6
        for candidate in found:
            assert candidate.params["kernel"] == "rbf"
            # In quantiles, which 100 draws for each candidate estimate.
            C, tol = candidate.params["C"], candidate.params["tol"]
            distance = max(abs(np.log10(C / 10)) / 4, abs(tol - 0.5))
            assert distance <= 0.5 * n**-0.5 * 0.5**k + 0.25 / np.sqrt(n)
    assert neighbours.of(race.candidates[0], race) == []
    assert [c.number for c in race.candidates] == [*range(len(race.candidates))]
    # They are the same after another search with this seed.
    other = race_of([centre])
    DrawnNeighbours(LASVC(), grid, n, seed).of(other.candidates[0], other)
    assert all(a.params == b.params for a, b in zip(other.candidates, race.candidates))


# -------------------------------------------------------------------------------- the search


class Recorded(ClassifierMixin, BaseEstimator):
    """Classifier whose score and cost are functions of parameters and the number of samples."""

    curve, price, at, calls = None, None, None, 0

    def __init__(self, C=1.0, gamma=1.0, kind="a"):
        self.C, self.gamma, self.kind = C, gamma, kind

    def fit(self, X, y):
        Recorded.calls += 1
        if Recorded.calls == Recorded.at:
            raise KeyboardInterrupt
        self.n_, self.classes_ = len(X), np.unique(y)
        self.result_ = Recorded.curve(self, self.n_)
        return self

    def predict(self, X):
        return np.full(len(X), "yes")

    def score(self, X, y):
        return self.result_

    def _estimated_cost(self, n_values):
        """Nanoseconds, much more than those of a call: by default a second for all samples."""
        return (Recorded.price(self) if Recorded.price else 1.0) * 1e9 * self.n_ / len(X), 0.0


@pytest.fixture
def recorded(monkeypatch):
    """Return a search over given curves, which is fitted; and the candidates of each step."""
    steps, record = [], FitSearch._record

    def noted(search, n_samples):
        steps.append((search.rung, [c.number for c in search.race.racing]))
        record(search, n_samples)

    monkeypatch.setattr(FitSearch, "_record", noted)

    def run(curve, grid, *, price=None, error=0.01, free=0.0, **params):
        set_limits(monkeypatch, FREE_NS=free)
        monkeypatch.setattr(Recorded, "curve", staticmethod(curve))
        monkeypatch.setattr(Recorded, "price", price and staticmethod(price))
        monkeypatch.setattr(_race, "jackknife_error", lambda *_: error)
        steps.clear()
        found = ProgressiveSearch(Recorded(), grid, **{"random_state": 0, "cv": 3, **params})
        found.steps = steps
        return found.fit(X, Y)

    yield run
    Recorded.at, Recorded.calls = None, 0


def crossing(model, n):
    """A score that is the best for C=1 with few samples, and for C=8 with all."""
    return 0.9 - 0.01 * abs(model.C - (1 if n < 800 else 8))


C12 = {"C": np.arange(1, 13)}


def cost_of(found):
    """Return the estimated nanoseconds of a search, and of a fit of the winner."""
    race, winner = found._winner_of_fit
    return race.cost, winner.predicted_cost(len(X))


def test_neighbours_lead_to_an_optimum_that_the_rungs_missed(recorded):
    found = recorded(crossing, C12)
    assert found.best_params_ == {"C": 8}
    assert found.best_score_ == 0.9
    first = found.n_resources_.index(800)
    begun = [numbers for rung, numbers in found.steps if rung == first]
    # The first comparison at full size has as many as fit, and the others one step each.
    assert len(begun) > 3 and 7 not in begun[0]
    assert begun[1:] == [[k] for k in range(len(begun[0]), 9)]
    # Without a budget the winner is the best of the first rung.
    small = recorded(crossing, C12, max_cost=1)
    assert small.best_params_ == {"C": 1}


def test_a_diagonal_step_in_two_parameters(recorded):
    def valley(model, n):
        C, gamma = np.log2([model.C, model.gamma])
        return 0.9 - 0.02 * abs(C + gamma) - 0.01 * abs(C - (3 if n < 800 else 6))

    grid = {"C": 2.0 ** np.arange(8), "gamma": 2.0 ** -np.arange(8)}
    found = recorded(valley, grid, max_cost=60)
    assert found.best_params_ == {"C": 64.0, "gamma": 1 / 64}


def test_ties_are_searched_too(recorded):
    def flat(model, n):
        return 0.8 if n < 800 or model.C < 6 else 0.8 + 0.05 * (model.C == 7)

    found = recorded(flat, C12, max_cost=60)
    assert found.best_params_ == {"C": 7}


@pytest.mark.parametrize(("difference", "winner"), [(0.002, 2), (0.003, 1)])
def test_the_cheapest_of_equal_candidates_wins(recorded, difference, winner):
    def curve(model, n):
        return 0.8 - difference * (model.C == 2) - 0.1 * (model.C == 3)

    grid = {"C": [1, 2, 3]}
    found = recorded(curve, grid, price=lambda m: 5.0 if m.C == 1 else 1.0, cv=0.25)
    assert found.best_params_ == {"C": winner}


@pytest.mark.parametrize("advantage", [0.0, 0.2])
def test_an_expensive_candidate_is_compared_at_full_size_if_it_is_better(recorded, advantage):
    def curve(model, n):
        return 0.8 - 0.01 * model.C + (0.03 + advantage if model.C == 6 else 0)

    found = recorded(curve, {"C": np.arange(8)}, price=lambda m: 30.0 if m.C == 6 else 1.0)
    results = found.cv_results_
    full = results["candidate"][results["n_resources"] == 800]
    assert 0 in full
    assert (6 in full) == bool(advantage)
    assert (found.best_params_ == {"C": 6}) == bool(advantage)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 40),
    st.floats(10, 60),
    st.sampled_from([0.0, 5e9, 4e10]),
    st.integers(0, 999),
)
def test_the_budget_is_kept(n, max_cost, free, seed):
    # Within the factor that the first rung and the three candidates of the folds may need.
    rng = np.random.default_rng(seed)
    values, errors = rng.random((3, n)), rng.choice([1e-9, 0.1, 1.0])

    def curve(model, n_samples):
        return float(values[int(n_samples >= 800), int(model.C)])

    with pytest.MonkeyPatch.context() as patch:
        set_limits(patch, FREE_NS=free)
        patch.setattr(Recorded, "curve", staticmethod(curve))
        patch.setattr(_race, "jackknife_error", lambda *_: errors)
        grid = {"C": np.arange(n)}
        found = ProgressiveSearch(Recorded(), grid, max_cost=max_cost, random_state=0).fit(X, Y)
    cost, unit = cost_of(found)
    assert cost <= 1.5 * max(max_cost * unit, free)
    # One of the best that were compared by most folds wins.
    last = found.cv_results_["rung"].max()
    assert found.best_score_ >= of_rung(found, last, "mean_test_score").max() - 0.25 * errors


@pytest.mark.parametrize("n_candidates", ["all", 30])
def test_the_budget_is_kept_by_kernel_machines(n_candidates, monkeypatch):
    set_limits(monkeypatch, FREE_NS=5e8)
    grid = {"C": np.logspace(-2, 4, 10), "gamma": np.logspace(-3, 2, 10)}
    if n_candidates != "all":
        grid = {"C": loguniform(1e-2, 1e4), "gamma": loguniform(1e-3, 1e2)}
    found = ProgressiveSearch(LASVC(), grid, n_candidates=n_candidates, random_state=0).fit(X, Y)
    cost, unit = cost_of(found)
    assert cost <= 1.5 * max(25 * unit, 5e8)


def test_further_folds_compare_the_best(recorded):
    def curve(model, n):
        return 0.8 + 0.001 * (model.C == 2) - 0.1 * (model.C > 2)

    found = recorded(curve, {"C": [1, 2, 3, 4]}, cv=None, free=1e11)
    assert found.n_candidates_ == [4, 4, 2, 2, 2, 2, 2, 2, 2, 2]
    assert found.n_resources_[1:] == [800] * 9


# -------------------------------------------------------------------------------- drawn


def peak(model, n):
    return 0.9 - 0.1 * abs(np.log10(model.C) - 1.234)


DRAWN = {"C": loguniform(1e-3, 1e5)}


def test_drawn_neighbours_improve_the_best_one(recorded):
    found = recorded(peak, DRAWN, n_candidates=8, max_cost=60)
    results, best = found.cv_results_, found.cv_results_["candidate"][found.best_index_]
    assert best >= 8
    first = [score for score, c in zip(results["mean_test_score"], results["candidate"]) if c < 8]
    assert found.best_score_ > max(first) + 0.005
    assert results["params"][found.best_index_] == found.best_params_
    assert results["param_C"][found.best_index_] == found.best_params_["C"]
    assert_same_search(found, recorded(peak, DRAWN, n_candidates=8, max_cost=60), decisions=False)


@pytest.mark.parametrize("curve", [peak, lambda model, n: 0.8])
def test_drawn_neighbours_end_without_a_budget(recorded, curve):
    found = recorded(curve, DRAWN, n_candidates=5, max_cost=np.inf)
    assert found.cv_results_["candidate"].max() < 200


def test_a_pickled_search_draws_the_same(recorded):
    whole = recorded(peak, DRAWN, n_candidates=6)
    Recorded.at = Recorded.calls + 10
    found = ProgressiveSearch(Recorded(), DRAWN, n_candidates=6, random_state=0, cv=3)
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    found = pickle.loads(pickle.dumps(found)).resume(X, Y)
    assert_same_search(found, whole, decisions=False)


# -------------------------------------------------------------------------------- interrupts


@pytest.mark.parametrize("grid, options", [(C12, {}), (DRAWN, dict(n_candidates=4))])
def test_an_interrupt_leaves_the_best_so_far(recorded, grid, options):
    before = Recorded.calls
    whole = recorded(crossing if grid is C12 else peak, grid, **options)
    n_calls, n_first = Recorded.calls - before, whole.n_candidates_[0]
    for at in range(1, n_calls + 1, 5):
        Recorded.at, Recorded.calls = at, 0
        found = ProgressiveSearch(Recorded(), grid, random_state=0, cv=3, **options)
        with pytest.raises(KeyboardInterrupt):
            found.fit(X, Y)
        if at > n_first:  # there has been a comparison
            results = found.cv_results_
            last = results["rung"].max()
            scores = of_rung(found, last, "mean_test_score")
            assert found.best_score_ == scores.max()
            assert found.predict(X).shape == Y.shape
            assert found.best_params_["C"] == found.best_estimator_.C
        assert_same_search(found.resume(X, Y), whole, decisions=False)


@pytest.mark.parametrize("name", ["add_standard_error", "_settle_unscored", "drop_failed"])
def test_an_interrupt_after_all_scores_of_a_step(recorded, monkeypatch, name):
    whole = recorded(crossing, C12)
    method, calls = getattr(Race, name), []

    def interrupting(*args):
        calls.append(args)
        if len(calls) in (1, 4):
            raise KeyboardInterrupt
        return method(*args)

    monkeypatch.setattr(Race, name, interrupting)
    found, call = ProgressiveSearch(Recorded(), C12, random_state=0, cv=3), "fit"
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            getattr(found, call)(X, Y)
        found, call = pickle.loads(pickle.dumps(found)), "resume"
    assert_same_search(found.resume(X, Y), whole, decisions=False)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
def test_neighbours_that_fail(recorded):
    def failing(model, n):
        if n >= 800 and model.C > 6:
            raise RuntimeError("no")
        return crossing(model, n)

    found = recorded(failing, C12)
    assert found.best_params_ == {"C": 6}
    assert np.isnan(found.cv_results_["mean_test_score"]).sum() == 1
    with pytest.raises(RuntimeError, match="no"):
        recorded(failing, C12, error_score="raise")
