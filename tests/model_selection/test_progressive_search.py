"""ProgressiveSearch.fit."""

import pickle
import warnings
from time import perf_counter
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.compose import ColumnTransformer
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import DataConversionWarning, FitFailedWarning
from sklearn.feature_selection import SelectFromModel, SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import ParameterGrid, ShuffleSplit, StratifiedKFold
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
)
from sklearn_online_svm.evaluation import geometric_mean_scorer
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.reference.racing import race
from tests.support.cases import in_turn
from tests.support.internals import (
    VALUE_NS,
    Candidate,
    Scores,
    _race,
    _shortened,
    estimated_cost,
    requires_targets,
    stratified,
)
from tests.support.limits import set_limits
from tests.support.samples import three_classes, two_classes

X, Y = two_classes(1200, noise=1.0)
GRID = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.01, 0.1, 1.0]}
TIMES = ("mean_fit_time", "mean_score_time")


def search(estimator=None, grid=GRID, **params):
    return ProgressiveSearch(
        LASVC() if estimator is None else estimator, grid, **{"random_state": 0, **params}
    )


def rungs(*args, **params):
    """A search without cross-validation."""
    return search(*args, **{"min_seconds": 0, **params})


def order_of(y):
    return stratified(np.random.RandomState(0).permutation(len(y)), y)


def split_of(y):
    """Return the indices of the training samples in order, and of the held-out quarter."""
    n, order = len(y), order_of(y)
    return order[: n - n // 4], order[n - n // 4 :]


def assert_same_search(a, b, *, decisions=True):
    assert a.best_params_ == b.best_params_
    assert a.best_index_ == b.best_index_
    for name, column in a.cv_results_.items():
        if name in TIMES:
            continue
        if name == "params":
            assert column == b.cv_results_[name]
        else:
            assert_array_equal(column, b.cv_results_[name], err_msg=name)
    if decisions:
        assert_array_equal(a.decision_function(X), b.decision_function(X))


# -------------------------------------------------------------------------------- the algorithm


@pytest.mark.parametrize("kind", ["lasvc", "sgd", "pa"])
def test_race_equals_the_reference(kind):
    estimator, grid = {
        "lasvc": (LASVC(), GRID),
        "sgd": (SGDClassifier(random_state=0), {"alpha": np.logspace(-5, 1, 9)}),
        "pa": (PassiveAggressiveClassifier(random_state=0), {"C": np.logspace(-4, 2, 9)}),
    }[kind]
    found = rungs(estimator, grid, min_resources=50, max_cost=5).fit(X, Y)
    order, held_out = split_of(Y)
    settings, ends = list(ParameterGrid(grid)), sorted(set(found.n_resources_))
    n_rungs, results = len(ends), found.cv_results_
    log = race(estimator, settings, X, Y, order, held_out, ends, found.n_candidates_)
    for rung, (scores, predicted) in enumerate(log):
        of = results["rung"] == rung
        candidates = results["candidate"][of]
        assert set(candidates) == set(scores)
        expected = [scores[number] for number in candidates]
        assert_allclose(results["mean_test_score"][of], expected, rtol=1e-12)
        expected = [predicted[number] for number in candidates]
        assert_allclose(results["predicted_test_score"][of], expected, rtol=1e-9)
        survivors = candidates[results["survives"][of]]
        if rung + 1 < n_rungs:
            n_next = found.n_candidates_[rung + 1]
            assert list(survivors) == list(candidates[:n_next])
    assert n_rungs >= 4
    assert min(found.n_candidates_) < len(settings)
    last = results["rung"] == results["rung"].max()
    best = results["mean_test_score"][last].max()
    assert found.best_score_ >= best - 0.25 * np.nanmax(results["se_test_score"][last])


def test_single_candidate_is_trained_as_without_a_search():
    params = {"C": 2.0, "gamma": 0.5}
    found = rungs(grid={name: [value] for name, value in params.items()}).fit(X, Y)
    order = order_of(Y)
    plain = LASVC(**params).partial_fit(X[order], Y[order], classes=np.unique(Y)).finish()
    assert_array_equal(found.best_estimator_.dual_coef_, plain.dual_coef_)
    assert_array_equal(found.best_estimator_.support_, plain.support_)
    assert_array_equal(found.decision_function(X), plain.decision_function(X))
    assert found.cost_ > 1


def test_winner_is_trained_as_without_a_search():
    found = rungs().fit(X, Y)
    order = order_of(Y)
    plain = LASVC(**found.best_params_).partial_fit(X[order], Y[order], classes=np.unique(Y))
    assert_array_equal(found.decision_function(X), plain.finish().decision_function(X))
    assert found.best_estimator_.n_samples_seen_ == len(X)


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_result_is_independent_of_n_jobs(n_jobs):
    assert_same_search(search().fit(X, Y), search(n_jobs=n_jobs).fit(X, Y))


def test_result_is_reproducible():
    assert_same_search(search().fit(X, Y), search().fit(X, Y))


def test_first_of_equal_candidates_wins():
    found = search(grid=[{"C": [3.0]}, {"C": [3.0]}, {"C": [3.0]}]).fit(X, Y)
    assert found.cv_results_["candidate"][found.best_index_] == 0


def test_ties_are_resolved_by_the_number_of_support_vectors():
    # All of them predict the larger class.
    y = np.where(np.arange(400) % 5 == 0, 1, 0)
    noise = np.random.default_rng(0).normal(size=(400, 3))
    found = search(grid={"C": [1e-6, 2e-6, 3e-6]}, max_resources=200).fit(noise, y)
    first = found.cv_results_["rung"] == 0
    assert np.ptp(found.cv_results_["mean_test_score"][first]) == 0
    assert np.all(np.diff(found.cv_results_["n_support"][first]) >= 0)


def test_constant_predictions_do_not_displace_other_candidates():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(800, 3))
    y = (rng.random(800) < 0.3).astype(int)
    # A tiny C predicts the larger class, which is the best prediction of noise.
    grid = {"C": [1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 100.0, 200.0], "gamma": [1.0]}
    found = rungs(grid=grid, min_candidates=2, max_cost=0.1).fit(noise, y)
    results = found.cv_results_
    second = results["candidate"][results["rung"] == 1]
    assert len(second) < 7
    assert {5, 6} & set(second.tolist())


def test_the_same_predictions_count_once():
    class Scored:
        n_support, training_costs = 0.0, (0.0, 0.0)

        def __init__(self, number, value, key, is_constant):
            self.number, self.scores = number, {0: Scores({"a": value}, 10, key, is_constant)}

    # 0 to 2 predict one class. 5 has the predictions of 4.
    settings = [(0.9, 1, True)] * 3 + [(0.8, 2, False), (0.7, 3, False), (0.7, 3, False)]
    scored = [Scored(number, *setting) for number, setting in enumerate(settings)]
    comparison = _race.Comparison(0, scored, 100)
    comparison.rank(np.array([0.9, 0.9, 0.9, 0.6, 0.6, 0.85]))
    assert [c.number for c in comparison.ranking] == [0, 3, 5, 4, 1, 2]


def test_number_of_candidates_decreases():
    found = rungs(grid={"C": np.logspace(-2, 2, 50)}, max_cost=3).fit(X, Y)
    assert found.n_candidates_[0] == 50
    ends = len(set(found.n_resources_))
    assert np.all(np.diff(found.n_candidates_[:ends]) <= 0)
    assert found.n_candidates_[ends - 1] == 3
    assert found.n_remaining_candidates_ == 1
    assert np.all(np.diff(found.n_resources_[:ends]) > 0)
    assert found.cv_results_["rank_test_score"][found.best_index_] == 1


def test_min_candidates_survive():
    found = rungs(min_candidates=5, max_cost=0.1).fit(X, Y)
    assert min(found.n_candidates_) == 5
    assert found.n_remaining_candidates_ == 1


@pytest.mark.slow
@pytest.mark.parametrize("max_cost", [1, 20])
def test_max_cost_limits_the_number_of_survivors(max_cost):
    grid = {"C": np.logspace(-1, 2, 8), "gamma": np.logspace(-2, 1, 8)}
    rows, y = two_classes(6000, noise=1.0)
    found = rungs(grid=grid, max_cost=max_cost).fit(rows, y)
    if max_cost == 1:
        assert found.n_candidates_[1] == 35
    else:
        assert found.n_candidates_[1] > 45


def test_infinite_max_cost_eliminates_no_candidate(monkeypatch):
    # Otherwise the cheapest of the candidates that are equal within their errors is selected.
    set_limits(monkeypatch, EQUAL_ERRORS=0.0)
    found = search(max_cost=np.inf).fit(X, Y)
    assert set(found.n_candidates_) == {12}
    last = found.cv_results_["rung"] == found.cv_results_["rung"].max()
    order, held_out = split_of(Y)
    for params, score in zip(
        np.array(found.cv_results_["params"])[last], found.cv_results_["mean_test_score"][last]
    ):
        model = LASVC(**params).partial_fit(X[order], Y[order], classes=np.unique(Y))
        assert_allclose(score, model.score(X[held_out], Y[held_out]), atol=2 / len(held_out))
    assert found.best_score_ == found.cv_results_["mean_test_score"][last].max()


@pytest.mark.parametrize("make", [search, rungs])
def test_cost_is_the_time_in_fits_of_the_winner(make):
    start = perf_counter()
    found = make().fit(X, Y)
    elapsed = perf_counter() - start
    seconds, results = {}, found.cv_results_
    for number, fit, score in zip(*(results[name] for name in ("candidate", *TIMES))):
        seconds[number] = max(fit + score, seconds.get(number, 0))
    assert set(seconds) == set(range(12))
    assert 0 < sum(seconds.values()) <= elapsed
    # The table does not contain the final training of the winner, on all or on more samples.
    one_fit = sum(seconds.values()) / (found.cost_ - 1)
    assert one_fit > 0
    assert found.cost_ * one_fit >= sum(seconds.values())


def test_estimated_cost_grows_with_the_number_of_samples():
    rows, y = two_classes(2000, noise=1.0)
    costs = []
    for n in (1000, 2000):
        model = LASVC(C=1.0, gamma=0.5).partial_fit(rows[:n], y[:n], classes=np.unique(y))
        model.predict(rows[:1])
        costs.append(estimated_cost(model, rows.shape[1]))
    (steps, by_support), (more_steps, more_by_support) = costs
    assert_allclose(more_steps, 2 * steps, rtol=0.2)
    assert 3 < more_by_support / by_support < 6
    again = LASVC(C=1.0, gamma=0.5).partial_fit(rows, y, classes=np.unique(y))
    again.predict(rows[:1])
    assert estimated_cost(again, rows.shape[1]) == costs[1]


def test_eliminated_neighbour_of_the_winner_is_recalled(monkeypatch):
    monkeypatch.setattr(_race, "n_survivors", lambda *_: 2)

    class Curves(SGDClassifier):
        """Classifier with a score that depends on alpha and the number of samples."""

        def partial_fit(self, X, y, classes=None, sample_weight=None):
            self.n_ = getattr(self, "n_", 0) + len(X)
            self.classes_, self.n_features_in_ = np.unique(Y), X.shape[1]
            return self

        def score(self, X, y):
            early = {1.0: 0.5, 2.0: 0.6, 3.0: 0.7, 4.0: 0.72, 5.0: 0.73}
            late = {1.0: 0.5, 2.0: 0.6, 3.0: 0.9, 4.0: 0.69, 5.0: 0.5}
            return (early if self.n_ <= 500 else late)[self.alpha]

    grid = {"alpha": [1.0, 2.0, 3.0, 4.0, 5.0]}
    options = dict(min_resources=100, min_candidates=2, refit=True)
    found = rungs(Curves(), grid, max_cost=100, **options).fit(X, Y)
    assert found.n_resources_.count(900) == 2
    results = found.cv_results_
    again = results["rung"] == results["rung"].max()
    assert 2 in results["candidate"][again]
    assert found.best_params_ == {"alpha": 3.0}
    assert found.best_score_ == 0.9
    # The budget does not allow a recall.
    found = rungs(Curves(), grid, max_cost=0.5, **options).fit(X, Y)
    assert found.n_resources_.count(900) == 1
    # Two rungs suffice.
    found = rungs(Curves(), grid, max_cost=100, **options | {"min_resources": 450}).fit(X, Y)
    assert found.n_resources_ == [450, 900, 900]
    assert found.best_params_ == {"alpha": 3.0}


@pytest.mark.parametrize("step", [None, "passthrough"])
def test_steps_that_leave_the_samples_as_they_are(step):
    grid = {"lasvc__C": [1.0, 10.0, 100.0]}
    steps = [("none", step), ("scaler", StandardScaler()), ("lasvc", LASVC())]
    found, expected = (search(Pipeline(some), grid).fit(X, Y) for some in (steps, steps[1:]))
    assert_array_equal(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )
    assert_array_equal(found.decision_function(X), expected.decision_function(X))


def test_winner_at_the_edge_of_the_grid_is_reported():
    grid = {"gamma": [1e-4, 1e-3, 1e-2, 1e-1], "C": [1.0, 10.0]}
    with pytest.warns(UserWarning, match="gamma=0.1 is the largest of its values"):
        found = search(grid=grid).fit(X, Y)
    # Only parameters with at least four values are reported.
    assert found.edges_ == {"gamma": "largest"}
    inside = search(grid={"gamma": [1e-6, 0.1, 0.3, 100.0]}).fit(X, Y)
    assert inside.edges_ == {}


def test_max_resources_limits_the_last_rung():
    found = rungs(max_resources=300).fit(X, Y)
    assert max(found.n_resources_) == 300
    assert found.best_estimator_.n_samples_seen_ == len(X)


def test_first_rung():
    assert rungs(min_resources=40).fit(X, Y).n_resources_[:4] == [40, 80, 160, 320]
    assert rungs().fit(X, Y).n_resources_ == [112, 225, 450, 900]


def test_one_se_selects_the_cheapest_candidate():
    grid = {"gamma": [0.2, 0.3, 0.5, 0.8]}
    n_cheaper = 0
    for seed in range(4):
        given = dict(grid=grid, min_candidates=4, random_state=seed)
        best = rungs(**given).fit(X, Y)
        cheap = rungs(select="one-se", **given).fit(X, Y)
        results, chosen = cheap.cv_results_, cheap.best_index_
        last = np.flatnonzero(results["rung"] == results["rung"].max())
        first = last[np.argmax(results["mean_test_score"][last])]
        least = results["mean_test_score"][first] - results["se_test_score"][first]
        near = np.isin(np.arange(len(results["rung"])), last)
        near &= results["mean_test_score"] >= least
        assert near[chosen] and near[best.best_index_]
        assert results["n_support"][chosen] == results["n_support"][near].min()
        n_cheaper += results["n_support"][chosen] < results["n_support"][best.best_index_]
    # The scores are nearly equal, so that the best is not the cheapest each time.
    assert n_cheaper > 0


# -------------------------------------------------------------------------------- folds


def test_cheap_candidates_are_compared_by_folds():
    found = search().fit(X, Y)
    results, sizes = found.cv_results_, found.n_resources_
    first = sizes.index(960)
    assert len(sizes) - first >= 5
    assert set(sizes[first:]) == {960}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    order = order_of(Y)
    scores = []
    for train, test in folds.split(order, Y[order]):
        model = LASVC(**found.best_params_).fit(X[order[train]], Y[order[train]])
        scores.append(model.score(X[order[test]], Y[order[test]]))
    number = results["candidate"][found.best_index_]
    for k in range(5):
        line = (results["rung"] == first + k) & (results["candidate"] == number)
        assert_allclose(results["mean_test_score"][line], np.mean(scores[: k + 1]))
    plain = LASVC(**found.best_params_).fit(X, Y)
    assert_array_equal(found.decision_function(X), plain.decision_function(X))


def test_candidates_leave_after_the_fold_that_shows_them_to_be_worse():
    found = search(grid={"gamma": [0.3, 1e4]}, cv=5).fit(X, Y)
    # The last rung has as many samples as the folds, the first of which decides.
    assert found.n_candidates_[found.n_resources_.index(960) :] == [2, 2]
    results = search(cv=5, min_candidates=12).fit(X, Y).cv_results_
    n_left = 0
    for rung in np.unique(results["rung"][results["n_resources"] == 960])[1:-1]:
        of = results["rung"] == rung
        scores, survives = results["mean_test_score"][of], results["survives"][of]
        error = results["se_test_score"][of][np.argmax(scores)]
        assert_array_equal(survives, scores >= scores.max() - 2 * error)
        n_left += np.sum(~survives)
    assert n_left > 0


def test_only_as_many_remain_for_further_folds_as_the_floor_allows(monkeypatch):
    set_limits(monkeypatch, MOST_ERRORS_BELOW=np.inf)
    floor = _race.Race._floor
    monkeypatch.setattr(_race.Race, "_floor", lambda race: 3 * floor(race))
    whole = search().fit(X, Y)

    def smaller(race):
        return floor(race) / (1 + len(race.fold_errors))

    monkeypatch.setattr(_race.Race, "_floor", smaller)
    found = search().fit(X, Y)
    first = found.n_resources_.index(960)
    assert found.n_candidates_[first + 1 :] == [2, 2, 2, 2]
    assert whole.n_candidates_[first + 1] > 2


def test_the_floor_contains_a_fit_of_the_winner(monkeypatch):
    races, floor = [], _race.Race._floor
    monkeypatch.setattr(_race.Race, "_floor", lambda race: races.append(race) or floor(race))
    search(min_seconds=1e9).fit(X, Y)
    cost = floor(races[-1])
    monkeypatch.setattr(_race.Race, "_unit", lambda race: 0.0)
    only_folds = floor(races[-1])
    monkeypatch.setattr(_race.Race, "_unit", lambda race: 1e9)
    assert floor(races[-1]) == only_folds + 1e9
    assert 0 < only_folds < cost


def test_an_interrupt_between_folds_does_not_count_one_twice(monkeypatch):
    races, drop = [], _race.Race._drop_failed

    def interrupting(race):
        drop(race)
        if race not in races and len(race.fold_errors) == 1:
            races.append(race)
            raise KeyboardInterrupt

    expected = search().fit(X, Y)
    monkeypatch.setattr(_race.Race, "_drop_failed", interrupting)
    found = search()
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    found.resume(X, Y)
    assert_same_search(found, expected)
    (race,) = races
    assert len(race.fold_errors) == len(race._fold_costs) > 2
    assert race.cost == expected._finished_race.cost


def test_infinite_max_cost_and_no_time_exclude_folds():
    for params in (dict(max_cost=np.inf), dict(min_seconds=0)):
        assert 960 not in search(**params).fit(X, Y).n_resources_


@pytest.mark.slow
def test_long_fits_are_not_repeated_for_folds():
    rows, y = two_classes(6000, noise=1.0)
    assert search(min_seconds=1e-3).fit(rows, y).n_resources_[-1] == 4500
    assert search(min_seconds=60.0).fit(rows, y).n_resources_[-1] == 4800


def test_transformers_are_fitted_on_the_training_part_of_each_fold():
    class Kept(TransformerMixin, BaseEstimator):
        sizes = []

        def fit(self, X, y=None):
            Kept.sizes.append(len(X))
            return self

        def transform(self, X):
            return X

    grid = {"lasvc__C": [0.1, 1.0, 10.0]}
    found = search(make_pipeline(Kept(), LASVC()), grid, cv=5).fit(X, Y)
    n_folds = found.n_resources_.count(960) - 1  # the last rung has as many
    assert n_folds >= 1
    assert Kept.sizes == [1200] + n_folds * [960] + [1200]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "part, estimator, cv",
    in_turn([0.2, 0.6, 0.8, 0.95] * 2, ["lasvc", "sgd", "pipeline"], [None, 5]),
)
def test_interrupted_folds_continue(part, cv, estimator, monkeypatch):
    make, grid = {
        "lasvc": (lambda: LASVC(), {"C": [0.1, 1.0, 10.0]}),
        "sgd": (lambda: SGDClassifier(random_state=0), {"alpha": [1e-4, 1e-3, 1e-2]}),
        "pipeline": (
            lambda: make_pipeline(StandardScaler(), LASVC()), {"lasvc__C": [0.1, 1.0, 10.0]}
        ),
    }[estimator]  # fmt: skip
    options = dict(scoring="balanced_accuracy", cv=cv)
    original, calls, at = _race.compute_scores, [], [-1]

    def interrupted(*args):
        calls.append(args)
        if len(calls) == at[0]:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(_race, "compute_scores", interrupted)
    whole, found = search(make(), grid, **options).fit(X, Y), search(make(), grid, **options)
    at[0] = len(calls) + max(2, int(part * len(calls)))
    with pytest.raises(KeyboardInterrupt):
        found.fit(X, Y)
    assert found.predict(X).shape == Y.shape
    found.resume(X, Y)
    assert_same_search(found, whole)


def test_an_unknown_standard_error_eliminates_nobody(monkeypatch):
    monkeypatch.setattr(_race, "jackknife_error", lambda *_: np.nan)
    found = search(cv=5, scoring="balanced_accuracy", min_candidates=12).fit(X, Y)
    assert found.n_candidates_[-5:] == [12] * 5


def test_winner_is_fitted_on_all_samples_though_a_fold_has_them_all():
    everything, half = np.arange(len(X)), np.arange(600)
    cv = [(everything, half), (half, np.arange(600, len(X)))]
    found = search(cv=cv, grid={"C": [1.0, 10.0]}).fit(X, Y)
    plain = LASVC(**found.best_params_).fit(X, Y)
    assert_array_equal(found.decision_function(X), plain.decision_function(X))


# -------------------------------------------------------------------------------- rare classes


def rare_class(seed):
    """A table with 34 positives in 1700 samples, and fresh samples."""
    rows, y = make_classification(
        5100, 15, n_informative=6, weights=[0.98], flip_y=0.005, class_sep=1.2, random_state=seed
    )
    rows = StandardScaler().fit_transform(rows)
    return rows[:1700], y[:1700], rows[1700:], y[1700:]


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["accuracy", "f1"])
def test_a_rare_class_is_found(scoring):
    grid = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.001, 0.01, 0.1]}
    for seed in range(3):
        rows, y, fresh, labels = rare_class(seed)
        found = search(grid=grid, scoring=scoring, random_state=seed).fit(rows, y)
        assert f1_score(labels, found.predict(fresh)) > 0.1


def test_no_candidate_leaves_before_the_rarest_class_has_samples_enough(monkeypatch):
    set_limits(monkeypatch, UNINFORMED_SHARE=np.inf)
    rows, y, *_ = rare_class(0)
    found = rungs(grid={"C": np.logspace(-1, 2, 10)}, scoring="f1", max_cost=1).fit(rows, y)
    few = np.array(found.n_resources_) * np.mean(y) < 10
    assert np.sum(few) >= 2
    last = np.sum(few)
    assert set(found.n_candidates_[: last + 1]) == {10}
    assert found.n_candidates_[last + 1] < 10


def test_folds_compare_all_candidates_if_no_rung_has_samples_enough():
    rows, y, *_ = rare_class(0)
    few = np.sort(np.r_[np.flatnonzero(y == 0), np.flatnonzero(y == 1)[:9]])
    grid = {"C": np.logspace(-1, 2, 4), "gamma": [0.003, 0.01, 0.03, 0.1]}
    found = search(grid=grid).fit(rows[few], y[few])
    n_folds_scored = np.bincount(found.cv_results_["candidate"], minlength=16) - 1
    assert found.n_candidates_[:2] == [16, 16]
    assert found.n_resources_[1] == len(few) * 2 // 3
    assert n_folds_scored.min() == 1


def test_of_equal_candidates_one_that_predicts_one_class_wins_only_if_all_do(monkeypatch):
    set_limits(monkeypatch, EQUAL_ERRORS=10.0)
    rows, y, *_ = rare_class(0)
    found = rungs(grid={"C": [1e-3, 10.0], "gamma": [0.01]}, max_cost=np.inf).fit(rows, y)
    assert found.best_params_["C"] == 10.0
    with pytest.warns(UserWarning, match="predicts the same class"):
        found = rungs(grid={"C": [1e-4, 1e-3], "gamma": [0.01]}, max_cost=np.inf).fit(rows, y)
    assert len(np.unique(found.predict(rows))) == 1


def test_a_winner_that_predicts_one_class_is_reported():
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(600, 3)), (rng.random(600) < 0.05).astype(int)
    with pytest.warns(UserWarning, match="predicts the same class for all held-out samples"):
        search(grid={"C": [1e-3, 1e-2]}).fit(noise, y)


def test_the_only_class_is_no_reason_for_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = search(BernoulliNB(), {"alpha": [0.1, 1.0]}).fit(X, np.full(len(X), "yes"))
    assert set(found.predict(X)) == {"yes"}


# -------------------------------------------------------------------------------- which samples


def test_winner_is_finally_trained_on_held_out_samples():
    found = rungs(grid={"C": [0.1, 1.0]}).fit(X, Y)
    assert set(found.cv_results_["n_scored"]) == {300}
    assert found.n_resources_[-1] == 900
    assert found.best_estimator_.n_samples_seen_ == 1200
    found = search(cv=0.1, grid={"C": [0.1, 1.0]}).fit(X, Y)
    assert set(found.cv_results_["n_scored"]) == {120}


def test_early_rungs_are_scored_on_fewer_samples():
    rows, y = two_classes(30_000, noise=1.0)
    model, grid = PassiveAggressiveClassifier(random_state=0), {"C": [0.1, 1.0]}
    found = rungs(model, grid).fit(rows, y)
    first = [found.cv_results_["rung"] == rung for rung in range(6)]
    scored = [found.cv_results_["n_scored"][of][0] for of in first]
    assert scored[0] == 1000
    assert scored[-1] == 5000
    assert scored[3] == 4 * found.n_resources_[3]


def test_splitter_with_one_split():
    cv = ShuffleSplit(n_splits=1, test_size=200, random_state=3)
    found = search(cv=cv, grid={"C": [0.1, 1.0]}).fit(X, Y)
    order = order_of(Y)
    train, test = next(cv.split(X))
    used = order[np.isin(order, train)]
    at = found.n_resources_[0]
    for number, C in enumerate([0.1, 1.0]):
        model = LASVC(C=C).partial_fit(X[used[:at]], Y[used[:at]], classes=np.unique(Y))
        first = (found.cv_results_["rung"] == 0) & (found.cv_results_["candidate"] == number)
        assert_allclose(found.cv_results_["mean_test_score"][first], model.score(X[test], Y[test]))


def test_splitter_with_several_splits():
    cv = StratifiedKFold(4)
    found = rungs(cv=cv, min_candidates=2, grid={"C": [0.1, 1.0]}).fit(X, Y)
    assert found.n_resources_[-4:] == [900] * 4
    results = found.cv_results_
    scores = [
        [LASVC(C=C).fit(X[train], Y[train]).score(X[test], Y[test]) for C in (0.1, 1.0)]
        for train, test in cv.split(X, Y)
    ]
    for k in range(4):
        of = results["rung"] == results["rung"].max() - 3 + k
        means = np.mean(scores[: k + 1], axis=0)[results["candidate"][of]]
        assert_allclose(results["mean_test_score"][of], means)
        assert_array_equal(results["n_scored"][of], 300 * (k + 1))
    assert found.best_score_ == np.max(np.mean(scores, axis=0))
    plain = LASVC(**found.best_params_).fit(X, Y)
    assert_array_equal(found.decision_function(X), plain.decision_function(X))


def test_groups_reach_the_splitter():
    from sklearn.model_selection import GroupKFold

    groups = np.arange(len(X)) % 6
    found = search(cv=GroupKFold(3), grid={"C": [0.1, 1.0]})
    with pytest.raises(ValueError, match="groups"):
        clone(found).fit(X, Y)
    assert found.fit(X, Y, groups=groups).best_score_ > 0.6


@pytest.mark.parametrize("n", [2, 3, 5, 12, 30])
def test_few_samples(n):
    y = np.arange(n) % 2
    found = search(grid={"C": [0.1, 1.0, 10.0]}).fit(X[:n], y)
    assert found.best_estimator_.n_samples_seen_ == n
    assert len(found.n_resources_) >= 1


def test_one_rung():
    found = search(min_resources=900).fit(X, Y)
    assert found.n_resources_ == [900]
    assert found.best_estimator_.n_samples_seen_ == 1200


# -------------------------------------------------------------------------------- input


def test_classes_and_layouts():
    rows, labels = three_classes(600)
    names = np.array(["low", "mid", "top"])[labels // 10 - 1]
    dense = search().fit(rows, labels)
    named = search().fit(rows, names)
    sparse = search().fit(csr_matrix(rows), labels)
    assert dense.best_params_ == named.best_params_ == sparse.best_params_
    assert_array_equal(dense.decision_function(rows), named.decision_function(rows))
    assert_array_equal(dense.decision_function(rows), sparse.decision_function(csr_matrix(rows)))
    assert_array_equal(named.classes_, ["low", "mid", "top"])
    assert_array_equal(dense.predict(rows), 10 * (1 + names_to_codes(named.predict(rows))))


def names_to_codes(names):
    return np.searchsorted(["low", "mid", "top"], names)


def test_frames():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])], index=np.arange(5, 1205))
    found = search().fit(frame, pd.Series(Y, index=frame.index))
    assert_same_search(found, search().fit(X, Y), decisions=False)
    assert list(found.feature_names_in_) == list(frame.columns)
    table = pd.DataFrame(found.cv_results_)
    assert {"rung", "n_resources", "param_C", "mean_test_score", "n_support"} <= set(table.columns)


def test_regressors():
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    grid = {"C": [1e-6, 1e-3, 0.1]}
    found = search(PassiveAggressiveRegressor(random_state=0), grid).fit(X, y)
    assert found.best_params_["C"] > 1e-6
    assert found.score(X, y) > 0.9


def test_candidates_drawn_from_distributions():
    from scipy.stats import loguniform

    grid = {"C": loguniform(1e-2, 1e2), "gamma": [0.1, 1.0]}
    found = search(grid=grid, n_candidates=7).fit(X, Y)
    assert found.n_candidates_[0] == 7
    assert found.best_params_ == search(grid=grid, n_candidates=7).fit(X, Y).best_params_
    with pytest.raises(ValueError, match="n_candidates must be the number"):
        search(grid=grid).fit(X, Y)


def test_rejected_samples_leave_the_search_unchanged():
    found = search().fit(X, Y)
    before = pickle.dumps(found.decision_function(X))
    wrong = X.copy()
    wrong[-1, 0] = np.nan
    with pytest.raises(ValueError, match="Input X contains NaN"):
        found.fit(wrong, Y)
    assert pickle.dumps(found.decision_function(X)) == before


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (dict(min_seconds=-1), "min_seconds"),
        (dict(min_resources=0), "min_resources"),
        (dict(max_cost=0), "max_cost"),
        (dict(select="worst"), "select"),
        (dict(refit=False), "refit"),
        (dict(min_candidates=0), "min_candidates"),
        (dict(scoring=["accuracy", "f1_macro"]), "refit must be the name"),
        (dict(grid={"gama": [1]}), "gama"),
        (dict(grid=[]), "param_grid must have at least one candidate"),
        (dict(cv=1.5), "cv"),
        (dict(cv="folds"), "cv"),
    ],
)
def test_invalid_parameters_are_rejected_by_name(params, message):
    with pytest.raises(ValueError, match=message):
        search(**params).fit(X, Y)


@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr", "neg_brier_score"])
@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("n_rare", [2, 3])
def test_metric_that_needs_all_classes_with_a_rare_one(scoring, cv, n_rare):
    X, y = three_classes(300)
    kept = np.r_[np.flatnonzero(y != 30), np.flatnonzero(y == 30)[:n_rare]]
    model = SGDClassifier(loss="log_loss", random_state=0)
    found = ProgressiveSearch(
        model, {"alpha": [1e-4, 1e-2, 1.0]}, scoring=scoring, cv=cv, random_state=0
    )
    with warnings.catch_warnings(record=True) as record:
        warnings.simplefilter("always")
        found.fit(X[kept], y[kept])
    messages = [str(warning.message) for warning in record]
    is_nan = np.isnan(found.best_score_)
    assert is_nan == any("are non-finite: [nan nan nan]" in message for message in messages)
    if is_nan:
        assert any("do not contain the classes [30]" in message for message in messages)
        assert found.best_params_ == {"alpha": 1e-4}
    assert not (is_nan and n_rare == 3)
    strict = clone(found).set_params(error_score="raise")
    if any("do not contain the classes" in message for message in messages):
        with pytest.raises(ValueError, match="classes"):
            strict.fit(X[kept], y[kept])


def test_scores_that_are_all_nan_are_reported_and_the_first_of_the_candidates_wins():
    found = search(LASVC(gamma=0.3), {"C": [10.0, 1.0, 0.1]}, scoring=lambda *_: np.nan)
    with pytest.warns(UserWarning, match=r"non-finite: \[nan nan\]. The first remaining"):
        found.fit(X, Y)
    assert found.best_params_ == {"C": 10.0}


def test_a_standard_error_that_cannot_be_computed_does_not_end_the_search():
    def scorer(model, rows, y):
        if len(y) < 50:
            raise RuntimeError("too few")
        return float(np.mean(model.predict(rows) == y))

    found = search(
        LASVC(gamma=0.3), {"C": [0.1, 1.0]}, scoring=scorer, cv=[(np.r_[50:300], np.r_[:50])]
    )
    with pytest.warns(UserWarning, match="standard error .* unknown, .* RuntimeError: too few"):
        found.fit(X[:300], Y[:300])
    with pytest.raises(RuntimeError, match="too few"):
        clone(found).set_params(error_score="raise").fit(X[:300], Y[:300])


def test_metric_that_the_estimator_does_not_have():
    with pytest.raises(AttributeError, match="AROWClassifier has none of .* predict_proba"):
        ProgressiveSearch(AROWClassifier(), {"r": [1, 2]}, scoring="neg_log_loss").fit(X, Y)


def test_estimator_without_partial_fit():
    with pytest.raises(ValueError, match="estimator must implement partial_fit; got SVC"):
        ProgressiveSearch(SVC(), {"C": [1, 2]}).fit(X, Y)
    with pytest.raises(ValueError, match="estimator must implement partial_fit; .*'precomputed'"):
        search(LASVC(kernel="precomputed"), {"C": [1, 2]}).fit(X @ X.T, Y)


# -------------------------------------------------------------------------------- pipelines


def test_transformers_are_fitted_once_on_all_samples():
    pipeline = make_pipeline(StandardScaler(), LASVC())
    grid = {"lasvc__C": [0.1, 1.0, 10.0], "lasvc__gamma": [0.1, 1.0]}
    found = rungs(pipeline, grid).fit(100 + 30 * X, Y)
    assert_allclose(found.best_estimator_[0].mean_, 100 + 30 * X.mean(axis=0))
    by_hand = rungs(grid={"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]})
    by_hand.fit(StandardScaler().fit_transform(100 + 30 * X), Y)
    assert_array_equal(
        found.cv_results_["mean_test_score"], by_hand.cv_results_["mean_test_score"]
    )
    assert found.score(100 + 30 * X, Y) == by_hand.score(StandardScaler().fit_transform(X), Y)


@pytest.mark.parametrize(
    "transformer",
    [
        SelectKBest(k=5),
        SelectFromModel(LogisticRegression(), max_features=5),
        ColumnTransformer([("select", SelectKBest(k=5), slice(0, 200))]),
    ],
    ids=lambda transformer: type(transformer).__name__,
)
def test_transformers_that_require_targets_are_fitted_on_the_first_rung(transformer):
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(1000, 200)), rng.integers(0, 2, 1000)
    pipeline = make_pipeline(transformer, LASVC())
    found = rungs(pipeline, {"lasvc__C": [0.1, 1.0]}).fit(noise, y)
    first = order_of(y)[: found.n_resources_[0]]
    expected = clone(transformer).fit(noise[first], y[first])
    assert_array_equal(found.best_estimator_[0].transform(noise), expected.transform(noise))
    assert abs(found.best_score_ - 0.5) < 0.1


def score_without_targets(X):
    return X.var(axis=0)


@pytest.mark.parametrize(
    ("transformer", "expected"),
    [
        (StandardScaler(), False),
        (FeatureUnion([("pca", PCA()), ("scaler", StandardScaler())]), False),
        (SelectKBest(score_without_targets), False),
        (SelectKBest(), True),
        (SelectFromModel(LogisticRegression()), True),
        (LinearDiscriminantAnalysis(), True),
        (PLSRegression(), True),
        (make_pipeline(StandardScaler(), SelectKBest()), True),
        (FeatureUnion([("select", SelectKBest()), ("drop", "drop")]), True),
    ],
    ids=lambda value: type(value).__name__,
)
def test_tags_tell_whether_a_transformer_requires_targets(transformer, expected):
    assert requires_targets(transformer) == expected


def test_an_error_of_a_transformer_is_raised_by_its_only_fit():
    calls = []

    class Broken(TransformerMixin, BaseEstimator):
        def fit(self, X, y=None):
            calls.append(len(X))
            raise TypeError("cannot be fitted")

    with pytest.raises(TypeError, match="cannot be fitted"):
        search(make_pipeline(Broken(), LASVC()), {"lasvc__C": [1.0]}).fit(X, Y)
    assert calls == [len(X)]


def test_frozen_transformers_are_not_fitted():
    scaler = MinMaxScaler().fit(X[:10])
    pipeline = make_pipeline(FrozenEstimator(scaler), LASVC())
    found = search(pipeline, {"lasvc__C": [1.0, 10.0]}).fit(X, Y)
    assert_array_equal(found.best_estimator_[0].data_min_, X[:10].min(axis=0))


def test_parameters_of_transformers_can_be_searched():
    pipeline = make_pipeline(StandardScaler(), LASVC())
    grid = {"standardscaler": [StandardScaler(), "passthrough"], "lasvc__C": [1.0, 10.0]}
    scaled = X * [1.0, 1e3, 1e-3, 1.0]
    found = search(pipeline, grid).fit(scaled, Y)
    assert isinstance(found.best_params_["standardscaler"], StandardScaler)
    assert found.score(scaled, Y) > 0.75


# -------------------------------------------------------------------------------- scores


def test_several_metrics():
    scoring = {"auc": "roc_auc", "g": geometric_mean_scorer, "balanced": "balanced_accuracy"}
    found = search(scoring=scoring, refit="auc", grid={"C": [0.1, 1.0]}).fit(X, Y)
    order, rows = split_of(Y)
    first = order[: found.n_resources_[0]]
    model = LASVC(C=1.0).partial_fit(X[first], Y[first], np.unique(Y))
    results = found.cv_results_
    line = (results["rung"] == 0) & (results["candidate"] == 1)
    auc = roc_auc_score(Y[rows], model.decision_function(X[rows]))
    assert_allclose(results["mean_test_auc"][line], auc)
    balanced = balanced_accuracy_score(Y[rows], model.predict(X[rows]))
    assert_allclose(results["mean_test_balanced"][line], balanced)
    assert_allclose(results["mean_test_g"][line], geometric_mean_scorer(model, X[rows], Y[rows]))
    assert found.multimetric_
    assert found.score(X, Y) == found.scorer_["auc"](found.best_estimator_, X, Y)


def test_all_forms_of_accuracy_agree():
    assert_same_search(search(scoring="accuracy").fit(X, Y), search().fit(X, Y))


def test_scoring_functions_receive_samples():
    def scorer(model, rows, y):
        assert rows.shape[1] == X.shape[1]
        return np.mean(model.predict(rows) == y)

    # Their predictions are not known to the search, so that candidates with equal scores may be
    # ranked in another order.
    own, plain = (search(scoring=s).fit(X, Y).cv_results_ for s in (scorer, None))
    for results in (own, plain):
        of = np.lexsort((results["candidate"], results["rung"]))
        results["in_order"] = results["mean_test_score"][of]
    assert_array_equal(own["in_order"][:12], plain["in_order"][:12])


def test_scoring_must_be_a_number():
    with pytest.raises(ValueError, match="must return a number"):
        search(scoring=lambda *_: [1.0, 2.0], error_score="raise").fit(X, Y)


def test_undefined_scores_eliminate_no_candidate():
    # The held-out samples are of one class.
    y = np.where(np.arange(len(X)) > 800, "no", Y)
    with pytest.warns(Warning):
        found = search(scoring="roc_auc", shuffle=False).fit(X, y)
    assert np.isnan(found.best_score_)
    assert set(found.n_candidates_) == {12}
    assert found.best_estimator_.n_samples_seen_ == 1200


def test_targets_in_a_column():
    with pytest.warns(DataConversionWarning):
        found = search().fit(X, Y.reshape(-1, 1))
    assert_same_search(found, search().fit(X, Y))


# -------------------------------------------------------------------------------- weights


def test_sample_weights_are_passed_to_partial_fit_and_scorers():
    weights = np.where(Y == "yes", 1.0, 0.2)
    found = search(grid={"C": [0.5, 5.0]}).fit(X, Y, sample_weight=weights)
    order, rows = split_of(Y)
    first = order[: found.n_resources_[0]]
    model = LASVC(C=5.0).partial_fit(X[first], Y[first], np.unique(Y), weights[first])
    line = (found.cv_results_["rung"] == 0) & (found.cv_results_["candidate"] == 1)
    expected = model.score(X[rows], Y[rows], weights[rows])
    assert_allclose(found.cv_results_["mean_test_score"][line], expected)


def test_metadata_routing():
    weights = np.where(Y == "yes", 1.0, 0.2)
    plain = search(grid={"C": [0.5, 5.0]}).fit(X, Y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        estimator = LASVC().set_partial_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=True)
        routed = search(estimator, {"C": [0.5, 5.0]}).fit(X, Y, sample_weight=weights)
        assert_same_search(plain, routed)
        with pytest.raises(ValueError, match="sample_weight"):
            search(grid={"C": [0.5, 5.0]}).fit(X, Y, sample_weight=weights)


# -------------------------------------------------------------------------------- failures


class Failing(SGDClassifier):
    """Classifier that fails for alpha=1, and after some calls for alpha=2."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        if self.alpha == 1 or self.alpha == 2 and hasattr(self, "coef_"):
            raise RuntimeError(f"alpha is {self.alpha}")
        return super().partial_fit(X, y, classes, sample_weight)


def test_failing_candidates_are_eliminated():
    with pytest.warns(FitFailedWarning, match="1 of 2 candidates failed.*alpha is 1"):
        found = search(Failing(random_state=0), {"alpha": [1, 1e-3]}).fit(X, Y)
    assert found.best_params_ == {"alpha": 1e-3}
    failed = found.cv_results_["candidate"] == 0
    assert np.isnan(found.cv_results_["mean_test_score"][failed]).all()
    with pytest.warns(FitFailedWarning):
        found = search(Failing(random_state=0), {"alpha": [1, 1e-3]}, error_score=-1).fit(X, Y)
    assert found.cv_results_["mean_test_score"][0] == -1


def test_failing_transformers_eliminate_their_candidates():
    pipeline = make_pipeline(SelectKBest(), LASVC())
    grid = {"selectkbest__k": [2, -3], "lasvc__C": [1.0, 10.0]}
    with pytest.warns(FitFailedWarning, match="2 of 4 candidates failed"):
        found = search(pipeline, grid).fit(X, Y)
    assert found.best_params_["selectkbest__k"] == 2


@pytest.mark.parametrize("n_features", [4, 100])
def test_invalid_parameters_eliminate_their_candidate(n_features):
    rows = np.hstack([X, np.zeros((len(X), n_features - 4))])
    with pytest.warns(FitFailedWarning, match="1 of 3 candidates failed.*'C' parameter"):
        search(grid={"C": [-1, 1, 10], "gamma": [0.3]}).fit(rows, Y)


def test_error_score_raise():
    with pytest.raises(RuntimeError, match="alpha is 1"):
        search(Failing(), {"alpha": [1e-3, 1]}, error_score="raise").fit(X, Y)


def test_error_if_all_candidates_fail():
    with pytest.raises(RuntimeError, match="alpha is 1") as caught:
        search(Failing(), {"alpha": [1, 1]}).fit(X, Y)
    assert "All 2 candidates failed" in caught.value.__notes__[0]


# -------------------------------------------------------------------------------- afterwards


def test_pickled_search_continues():
    found = search().fit(X[:800], Y[:800])
    again = pickle.loads(pickle.dumps(found))
    for one in (found, again):
        one.partial_fit(X[800:], Y[800:])
    assert_same_search(found, again)
    assert found.best_estimator_.n_samples_seen_ == 1200
    plain = search().fit(X[:800], Y[:800]).best_estimator_.partial_fit(X[800:], Y[800:])
    assert_array_equal(plain.decision_function(X), found.decision_function(X))


def test_models_of_eliminated_candidates_are_released():
    found = search().fit(X, Y)
    assert len(pickle.dumps(found)) < 3 * len(pickle.dumps(found.best_estimator_)) + 100_000


@pytest.mark.parametrize("model, is_copied", [(LASVC(), False), (SGDClassifier(), True)])
def test_only_models_that_cannot_resume_are_copied_before_training(model, is_copied):
    candidate = Candidate(0, {}, model, None)
    candidate.start()
    for part in range(2):
        before, rows = candidate.model, slice(100 * part, 100 * part + 100)
        candidate.train(X[rows], Y[rows], {}, np.unique(Y))
        assert (candidate.model is not before) == is_copied
        candidate.n_parts += 1


def test_cost_of_scores_by_hand():
    """Nanoseconds for 50 samples of 8 features, with 10 support vectors in each of 2 classes."""
    candidate = Candidate(0, {}, LASVC(), None)
    candidate.model, rows = SimpleNamespace(n_support_=[10, 10]), np.ones((50, 8))
    candidate.note_trained(rows, 0.0)
    candidate.note_scored(rows, 1, 0.0)
    assert_allclose(candidate.score_cost, 50 * (8 * VALUE_NS + (0.5 + 0.08 + 0.2) * 20))


def test_parameters_in_messages():
    params = {"C": 1.23456789, "kernel": "rbf", "shuffle": True, "epochs": 3}
    assert _shortened(params) == "C=1.235, kernel='rbf', shuffle=True, epochs=3"


def test_verbose(capsys):
    search(verbose=1).fit(X, Y)
    assert capsys.readouterr().out.count("[ProgressiveSearch]") >= 3


def test_callbacks_are_called_after_each_rung_and_can_stop_the_race():
    pytest.importorskip("sklearn.callback")

    class Watch:
        def __init__(self, most):
            self.most, self.scores = most, []

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if context.task_name == "rung":
                self.scores.append(fitted_estimator.score(X, Y))
                return len(self.scores) >= self.most
            return False

    whole = search().fit(X, Y)
    watch = Watch(100)
    found = search().set_callbacks(watch).fit(X, Y)
    assert_same_search(found, whole)
    assert len(watch.scores) == len(whole.n_resources_)
    early = search().set_callbacks(Watch(2)).fit(X, Y)
    assert len(early.n_resources_) == 2
    assert len(early.cv_results_["rung"]) == sum(early.n_candidates_)
    last = early.cv_results_["rung"] == 1
    assert early.cv_results_["candidate"][last & early.cv_results_["survives"]].tolist() == [
        early.cv_results_["candidate"][early.best_index_]
    ]
    assert early.best_estimator_.n_samples_seen_ == len(X)


# -------------------------------------------------------------------------------- recorded curves


class Recorded(SGDClassifier):
    """Classifier whose score and cost are given by ``alpha`` and the number of samples."""

    curves, costs = {}, {}

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        self.n_ = getattr(self, "n_", 0) + len(X)
        self.classes_, self.n_features_in_ = np.unique(Y), X.shape[1]
        return self

    def score(self, X, y):
        rung = int(np.log2(self.n_ / 112))
        return self.curves[self.alpha][rung]

    def predict(self, X):
        return np.full(len(X), "yes")

    def _estimated_cost(self, n_values):
        """Nanoseconds, much more than those of a call, which grow like the number of samples."""
        return self.costs.get(self.alpha, 1.0) * 1e9 * self.n_ / 1200, 0.0


@pytest.fixture
def recorded(monkeypatch):
    """Return a search over given curves: four scores for each alpha, at 112 to 900 samples."""

    def run(curves, *, y=Y, costs=None, error=0.01, **params):
        monkeypatch.setattr(Recorded, "curves", curves)
        monkeypatch.setattr(Recorded, "costs", costs or {})
        monkeypatch.setattr(_race, "jackknife_error", lambda *_: error)
        params = {"min_resources": 113, "min_candidates": 1, **params}
        return rungs(Recorded(), {"alpha": list(curves)}, **params).fit(X, y)

    return run


def left(found, rung):
    """Return the candidates of a rung, as values of alpha."""
    results = found.cv_results_
    return {p["alpha"] for p, r in zip(results["params"], results["rung"]) if r == rung}


FLAT = {k: [0.8 - 0.01 * k] * 4 for k in range(8)}


def test_nobody_leaves_as_long_as_all_cost_little(recorded, monkeypatch):
    set_limits(monkeypatch, FREE_SHARE=0.0)
    assert len(left(recorded(FLAT, max_cost=2), 1)) < 8
    set_limits(monkeypatch, FREE_SHARE=1.0)
    found = recorded(FLAT, max_cost=2)
    assert len(left(found, 1)) == 8
    # The third rung would cost more than two fits.
    assert len(left(found, 2)) < 8


@pytest.mark.parametrize("is_rare", [True, False])
def test_more_is_spent_before_anyone_leaves_if_a_class_is_rare(recorded, is_rare):
    # The cost is .75 fits at the first rung, 3 at the third, and 6 with the fourth; a grid search
    # with three folds would cost 24. Fifteen hundredths of that are less, a half is more.
    y = np.where(np.arange(len(Y)) % 50 == 0, "yes", "no") if is_rare else Y
    found = recorded(FLAT, y=y, max_cost=1, min_seconds=100, cv=0.25)
    assert len(left(found, 2)) == 8
    assert (len(left(found, 3)) == 8) == is_rare


@pytest.mark.parametrize("advantage", [0.0, 0.2])
def test_a_candidate_that_would_take_the_budget_leaves_unless_it_is_better(recorded, advantage):
    # Without an advantage its score is the best one, by half a standard error.
    curves = {**FLAT, 9: [0.805 + advantage] * 4}
    found = recorded(curves, costs={9: 30.0}, max_cost=4)
    assert 9 in left(found, 1)
    if advantage:
        assert found.best_params_ == {"alpha": 9}
    else:
        assert 9 not in left(found, 2)


def test_the_budget_is_counted_in_fits_of_those_that_may_win(recorded):
    # The dear ones are better in the end: their gains show it.
    dear = {10 + k: [0.5, 0.65, 0.77, 0.85 + 0.01 * k] for k in range(4)}
    found = recorded({**FLAT, **dear}, costs=dict.fromkeys(dear, 6.0))
    assert found.best_params_["alpha"] in dear


@pytest.mark.parametrize(("difference", "winner"), [(0.002, 2), (0.003, 1)])
def test_the_cheapest_of_equal_candidates_wins(recorded, difference, winner):
    curves = {1: [0.8] * 4, 2: [0.8 - difference] * 4, 3: [0.7] * 4}
    found = recorded(curves, costs={1: 5.0}, max_cost=np.inf)
    assert found.best_params_ == {"alpha": winner}
    cheapest = recorded(curves, costs={1: 5.0}, max_cost=np.inf, error=0.2, select="one-se")
    assert cheapest.cv_results_["param_alpha"][cheapest.best_index_] in (1, 2, 3)


@pytest.mark.parametrize(("error", "is_recalled"), [(0.05, True), (0.01, False)])
def test_recalled_are_those_within_one_standard_error(recorded, error, is_recalled, monkeypatch):
    set_limits(monkeypatch, FREE_SHARE=0.0)
    monkeypatch.setattr(_race, "n_survivors", lambda *_: 1)
    # At the first rung 2 is predicted to have .77 at the end; the winner, 1, has .8 there.
    curves = {1: [0.8] * 4, 2: [0.77, 0.77, 0.77, 0.9], 3: [0.75] * 4}
    found = recorded(curves, error=error, max_cost=10)
    assert 2 not in left(found, 3)
    assert (found.best_params_ == {"alpha": 2}) == is_recalled
