"""ProgressiveSearch.fit."""

import pickle
import warnings
from time import perf_counter, sleep

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.stats import loguniform
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import DataConversionWarning, FitFailedWarning
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    ParameterGrid,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, LASVR, AROWClassifier, PassiveAggressiveRegressor, RampSVC
from sklearn_online_svm.evaluation import geometric_mean_scorer
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.reference import racing
from tests.support.internals import (
    FARTHEST,
    FIRST_PART,
    LEAST_LEFT,
    RUNG_PART,
    Candidate,
    FitSearch,
    Race,
    Rules,
    Scores,
    _race,
    _shortened,
    estimated_cost,
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


def order_of(y):
    return stratified(np.random.RandomState(0).permutation(len(y)), y)


def split_of(y):
    """Return the indices of the training samples of the first fold in order, and the others."""
    order = order_of(y)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=3, random_state=0)
    return tuple(order[part] for part in next(iter(cv.split(order, y[order]))))


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


@pytest.fixture
def steps(monkeypatch):
    """Return the comparisons of the searches to come: rungs, and the score of each candidate."""
    found, record = [], FitSearch._record

    def noted(search, n_samples):
        rung = search.rung
        found.append((rung, {c.number: c.scores[rung].value for c in search.race.racing}))
        record(search, n_samples)

    monkeypatch.setattr(FitSearch, "_record", noted)
    return found


@pytest.fixture
def no_free_time(monkeypatch):
    """Let the budget be counted in fits of the winner, however short they are."""
    set_limits(monkeypatch, FREE_NS=0.0)


def of_rung(found, rung, column):
    """Return a column of ``cv_results_`` at a rung."""
    results = found.cv_results_
    return np.asarray(results[column])[results["rung"] == rung]


# -------------------------------------------------------------------------------- the algorithm


@pytest.mark.sampled
@pytest.mark.parametrize("free", [0.0, 1e8, 3e8, 1e10])
@pytest.mark.parametrize(
    "estimator, grid",
    [
        (LASVC(), {"C": np.logspace(-2, 3, 6), "gamma": np.logspace(-3, 1, 5)}),
        (SGDClassifier(random_state=0), {"alpha": np.logspace(-6, 1, 15)}),
    ],
    ids=["lasvc", "sgd"],
)
def test_comparisons_and_winner_are_those_of_the_reference(
    estimator, grid, free, steps, monkeypatch
):
    set_limits(monkeypatch, FREE_NS=free)
    found = search(estimator, grid).fit(X, Y)
    order = order_of(Y)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=3, random_state=0)
    folds = [(order[a], order[b]) for a, b in cv.split(order, Y[order])]
    settings, share = list(ParameterGrid(grid)), np.mean(Y == "yes")
    log, winner = racing.search(
        estimator, settings, X, Y, folds, 3, [125, 250, 500], min(share, 1 - share), 25, free,
        (RUNG_PART, FIRST_PART, LEAST_LEFT, FARTHEST),
    )  # fmt: skip
    assert len(steps) == len(log) >= 4
    for (rung, scores), (expected_rung, expected) in zip(steps, log):
        assert rung == expected_rung
        assert scores.keys() == expected.keys()
        assert_allclose([scores[k] for k in expected], list(expected.values()), rtol=1e-12)
    assert found.best_params_ == settings[winner]


@pytest.mark.parametrize("grid", [{"C": [2.0], "gamma": [0.5]}, GRID])
def test_winner_is_fitted_as_without_a_search(grid):
    found = search(grid=grid).fit(X, Y)
    plain = LASVC(**found.best_params_).fit(X, Y)
    assert_array_equal(found.best_estimator_.dual_coef_, plain.dual_coef_)
    assert_array_equal(found.decision_function(X), plain.decision_function(X))
    assert found.best_estimator_.n_samples_seen_ == len(X)
    assert found.cost_ > 1


@pytest.mark.parametrize("n_jobs", [2, 3])
def test_result_is_independent_of_n_jobs(n_jobs):
    assert_same_search(search().fit(X, Y), search(n_jobs=n_jobs).fit(X, Y))


def test_first_of_equal_candidates_wins():
    found = search(grid=[{"C": [3.0]}, {"C": [3.0]}, {"C": [3.0]}]).fit(X, Y)
    assert found.cv_results_["candidate"][found.best_index_] == 0


def test_the_best_come_first_and_one_of_several_that_predict_one_class():
    candidates = [Candidate(number, {}, LASVC(), None) for number in range(6)]
    scores = [(0.9, True), (0.9, True), (0.8, False), (0.7, False), (0.7, False), (np.nan, False)]
    for candidate, (value, is_constant) in zip(candidates, scores):
        candidate.scores[0] = Scores({"a": value}, 10, is_constant)
    candidates[3].n_support = 5
    race = Race(candidates, {"a": None}, Rules(), None)
    assert [c.number for c in race.ranked(candidates, [0])] == [0, 2, 4, 3, 5, 1]


def test_cost_is_the_time_in_fits_of_the_winner():
    start = perf_counter()
    found = search().fit(X, Y)
    elapsed = perf_counter() - start
    seconds, results = {}, found.cv_results_
    for number, fit, score in zip(*(results[name] for name in ("candidate", *TIMES))):
        seconds[number] = max(fit + score, seconds.get(number, 0))
    assert set(seconds) == set(range(12))
    assert 0 < sum(seconds.values()) <= elapsed
    # The table does not contain the final fit of the winner.
    one_fit = sum(seconds.values()) / (found.cost_ - 1)
    assert one_fit > 0
    assert found.cost_ * one_fit >= sum(seconds.values())


class Slow(SGDClassifier):
    """Classifier whose fits and predictions take at least some time."""

    def fit(self, X, y):
        sleep(0.002)
        return super().fit(X, y)

    def predict(self, X):
        sleep(0.004)
        return super().predict(X)


def test_times_are_those_of_all_fits_and_scores_so_far():
    results = search(Slow(random_state=0), {"alpha": [1e-4, 1e-2, 1.0]}).fit(X, Y).cv_results_
    for number in range(3):
        lines = results["candidate"] == number
        n_fits = 1 + np.arange(lines.sum())
        for name, seconds in zip(TIMES, (0.002, 0.004), strict=True):
            assert np.all(np.sort(results[name][lines]) >= seconds * n_fits)


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
    several = [grid, {"kernel": ["linear"], "C": [1e-5, 1e-4]}]
    with pytest.warns(UserWarning, match="gamma=0.1 is the largest of its values"):
        search(grid=several).fit(X, Y)
    inside = search(grid={"gamma": [1e-6, 0.1, 0.3, 100.0]}).fit(X, Y)
    assert inside.edges_ == {}


def test_one_se_selects_the_cheapest_candidate(monkeypatch):
    set_limits(monkeypatch, EQUAL_ERRORS=0.0)
    grid = {"C": [0.5, 1.0, 2.0, 4.0, 8.0], "gamma": [0.1, 0.3]}
    n_cheaper = 0
    for seed in range(2):
        best = search(grid=grid, random_state=seed).fit(X, Y)
        cheap = search(grid=grid, random_state=seed, select="one_se").fit(X, Y)
        results, chosen = cheap.cv_results_, cheap.best_index_
        last = np.flatnonzero(results["rung"] == results["rung"].max())
        first = last[np.argmax(results["mean_test_score"][last])]
        least = results["mean_test_score"][first] - results["se_test_score"][first]
        near = last[results["mean_test_score"][last] >= least]
        assert chosen in near and best.best_index_ in near
        assert results["n_support"][chosen] == results["n_support"][near].min()
        n_cheaper += results["n_support"][chosen] < results["n_support"][best.best_index_]
    # The scores are nearly equal, so that the best is not the cheapest each time.
    assert n_cheaper > 0


def test_infinite_max_cost_compares_all_candidates_at_full_size():
    found = search(max_cost=np.inf).fit(X, Y)
    assert found.n_resources_[:2] == [125, 800]
    assert sorted(of_rung(found, 1, "candidate")) == [*range(12)]


def test_max_resources_limits_the_samples_of_comparisons(no_free_time):
    found = search(max_resources=300).fit(X, Y)
    assert found.n_resources_ == [50, 100] + [200] * (len(found.n_resources_) - 2)
    assert set(found.cv_results_["n_scored"]) <= {100 * k for k in range(1, 10)}
    assert found.best_estimator_.n_samples_seen_ == len(X)
    found = search(max_resources=300, cv=0.1).fit(X, Y)
    assert found.n_resources_[-1] == 270
    assert set(found.cv_results_["n_scored"]) == {30}


def test_samples_of_the_rungs(no_free_time):
    found = search().fit(X, Y)
    assert found.n_resources_[:3] == [125, 250, 800]
    assert found.n_candidates_[:2] == [12, 3]
    assert search(min_resources=40).fit(X, Y).n_resources_[:3] == [40, 80, 160]


def test_no_rungs_if_all_candidates_can_be_compared_at_full_size():
    assert search().fit(X, Y).n_resources_[:2] == [125, 800]
    assert search(grid={"C": [1.0]}).fit(X, Y).n_resources_[0] == 800


# -------------------------------------------------------------------------------- folds


def test_many_samples_are_compared_by_one_held_out_part():
    rows, y = two_classes(9000, noise=1.0)
    found = search(SGDClassifier(random_state=0), {"alpha": [1e-4, 1e-2]}).fit(rows, y)
    assert found.n_resources_[-1] == 6750
    assert found.cv_results_["n_scored"][-1] == 2250


def test_candidates_leave_after_the_fold_that_shows_them_to_be_worse():
    found = search(grid={"gamma": [0.3, 1e4]}, cv=5, min_resources=960).fit(X, Y)
    assert found.n_candidates_ == [2, 1, 1, 1, 1]


def test_an_unknown_standard_error_eliminates_nobody(monkeypatch):
    monkeypatch.setattr(_race, "jackknife_error", lambda *_: np.nan)
    found = search(cv=5, scoring="balanced_accuracy", max_cost=np.inf).fit(X, Y)
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


def test_of_equal_candidates_one_that_predicts_one_class_wins_only_if_all_do(monkeypatch):
    set_limits(monkeypatch, EQUAL_ERRORS=10.0)
    rows, y, *_ = rare_class(0)
    found = search(grid={"C": [1e-3, 10.0], "gamma": [0.01]}, max_cost=np.inf).fit(rows, y)
    assert found.best_params_["C"] == 10.0
    with pytest.warns(UserWarning, match="predicts the same class"):
        found = search(grid={"C": [1e-4, 1e-3], "gamma": [0.01]}, max_cost=np.inf).fit(rows, y)
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


def test_early_rungs_are_scored_on_fewer_samples(no_free_time):
    rows, y = two_classes(30_000, noise=1.0)
    found = search(SGDClassifier(random_state=0), {"alpha": np.logspace(-5, 0, 40)}, max_cost=9)
    found.fit(rows, y)
    scored = [of_rung(found, rung, "n_scored")[0] for rung in range(len(found.n_resources_))]
    assert scored[0] == 1000
    assert scored[2] == 4 * found.n_resources_[2] == 2000
    assert scored[-1] == 5000
    assert found.n_resources_[-1] == 25_000


def test_splitter_with_one_split():
    cv = ShuffleSplit(n_splits=1, test_size=200, random_state=3)
    found = search(cv=cv, grid={"C": [0.1, 1.0]}).fit(X, Y)
    order = order_of(Y)
    train, test = next(cv.split(X))
    used = order[np.isin(order, train)]
    at = found.n_resources_[0]
    for number, C in enumerate([0.1, 1.0]):
        model = LASVC(C=C).fit(X[used[:at]], Y[used[:at]])
        first = (found.cv_results_["rung"] == 0) & (found.cv_results_["candidate"] == number)
        assert_allclose(found.cv_results_["mean_test_score"][first], model.score(X[test], Y[test]))


def test_splitter_with_several_splits():
    cv = StratifiedKFold(4)
    found = search(cv=cv, grid={"C": [0.1, 1.0]}).fit(X, Y)
    assert found.n_resources_[-4:] == [900] * 4
    scores = [
        [LASVC(C=C).fit(X[train], Y[train]).score(X[test], Y[test]) for C in (0.1, 1.0)]
        for train, test in cv.split(X, Y)
    ]
    for k, rung in enumerate(range(len(found.n_resources_) - 4, len(found.n_resources_))):
        means = np.mean(scores[: k + 1], axis=0)[of_rung(found, rung, "candidate")]
        assert_allclose(of_rung(found, rung, "mean_test_score"), means)
    best = int(found.best_params_["C"] == 1.0)
    assert_allclose(found.best_score_, np.mean(scores, axis=0)[best])


def test_groups_reach_the_splitter():
    groups = np.arange(len(X)) % 6
    found = search(cv=GroupKFold(3), grid={"C": [0.1, 1.0]})
    with pytest.raises(ValueError, match="groups"):
        clone(found).fit(X, Y)
    assert found.fit(X, Y, groups=groups).best_score_ > 0.6


@pytest.mark.parametrize("n", [3, 5, 12, 30])
def test_few_samples(n):
    y = np.arange(n) % 2
    found = search(grid={"C": [0.1, 1.0, 10.0]}).fit(X[:n], y)
    assert found.best_estimator_.n_samples_seen_ == n
    assert len(found.n_resources_) >= 1


def test_all_classes_are_in_each_rung(no_free_time):
    y = np.r_[np.zeros(300), np.ones(900)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", FitFailedWarning)
        found = search(shuffle=False, cv=0.1).fit(X, y)
    assert found.n_resources_[0] == 500
    # Samples without a weight do not count.
    y = np.where(np.arange(1200) % 40 == 0, "rare", "other")
    order, weights = order_of(y), np.ones(1200)
    weights[[i for i in order if y[i] == "rare"][:9]] = 0.0
    found = search(cv=0.25).fit(X, y, sample_weight=weights)
    assert found.n_resources_[0] > np.flatnonzero((y == "rare")[order] & (weights[order] > 0))[0]


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


@pytest.mark.parametrize(
    "model, grid",
    [
        (PassiveAggressiveRegressor(random_state=0), {"C": [1e-6, 1e-3, 0.1]}),
        (LASVR(kernel="linear", random_state=0), {"C": [1e-6, 1e-3, 0.1]}),
    ],
    ids=["pa", "lasvr"],
)
def test_regressors(model, grid):
    y = X @ [1.0, -2.0, 0.5, 0.0] + 0.1 * np.random.default_rng(0).normal(size=len(X))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", "The predictions of this LASVR vary much less")
        found = search(model, grid).fit(X, y)
    assert found.best_params_["C"] > 1e-6
    assert found.score(X, y) > 0.9


@pytest.mark.parametrize(
    "model, grid",
    [
        (SVC(), {"C": [1e-3, 1.0, 10.0]}),
        (RampSVC(random_state=0), {"C": [1e-3, 1.0, 10.0]}),
        (HistGradientBoostingClassifier(max_iter=5), {"max_leaf_nodes": [2, 8]}),
    ],
    ids=["svc", "ramp", "boosting"],
)
def test_estimators_without_partial_fit(model, grid):
    found = search(model, grid).fit(X[:600], Y[:600])
    assert found.score(X[600:], Y[600:]) > 0.7
    plain = clone(model).set_params(**found.best_params_).fit(X[:600], Y[:600])
    assert_array_equal(found.predict(X), plain.predict(X))
    assert not hasattr(found, "partial_fit")


def test_kernel_matrices_are_refused():
    with pytest.raises(ValueError, match="cannot select samples of a kernel matrix; got LASVC"):
        search(LASVC(kernel="precomputed"), {"C": [1, 2]}).fit(X @ X.T, Y)


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
        (dict(min_resources=0), "min_resources"),
        (dict(max_cost=0), "max_cost"),
        (dict(select="worst"), "select"),
        (dict(refit=False), "refit"),
        (dict(max_resources=1), "max_resources"),
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


@pytest.mark.sampled
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
    with pytest.warns(UserWarning, match=r"non-finite: \[nan nan nan\]. The first remaining"):
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


# -------------------------------------------------------------------------------- pipelines


class Counting(TransformerMixin, BaseEstimator):
    """Transformer that records its fits, with the number of samples."""

    fits = []

    def __init__(self, name="", factor=1.0):
        self.name, self.factor = name, factor

    def fit(self, X, y=None):
        self.fits.append((self.name, self.factor, len(X)))
        self.is_fitted_ = True
        return self

    def transform(self, X):
        return self.factor * X


@pytest.mark.parametrize("free", [0.0, 1e10])
def test_transformers_are_fitted_once_per_training_set(free, monkeypatch):
    set_limits(monkeypatch, FREE_NS=free)
    monkeypatch.setattr(Counting, "fits", [])
    pipeline = Pipeline([("a", Counting("a")), ("b", Counting("b")), ("lasvc", LASVC())])
    grid = {"b__factor": [1.0, 2.0], "lasvc__C": [0.1, 1.0, 10.0]}
    found = search(pipeline, grid).fit(X, Y)
    first = sorted(n for name, _, n in Counting.fits if name == "a")
    assert first == sorted([*found.n_resources_, 1200])
    expected = [(found.best_params_["b__factor"], 1200)]
    for rung, n in enumerate(found.n_resources_):
        expected += [(f, n) for f in {p["b__factor"] for p in of_rung(found, rung, "params")}]
    second = [(factor, n) for name, factor, n in Counting.fits if name == "b"]
    assert sorted(second) == sorted(expected)


def test_drawn_neighbours_share_transformers(monkeypatch):
    monkeypatch.setattr(Counting, "fits", [])
    grid = {"lasvc__C": loguniform(0.01, 100)}
    pipeline = Pipeline([("a", Counting()), ("lasvc", LASVC())])
    found = search(pipeline, grid, n_candidates=4).fit(X, Y)
    assert found.cv_results_["candidate"].max() >= 4
    assert len(Counting.fits) == len(found.n_resources_) + 1


def test_transformers_are_fitted_on_the_training_samples_of_each_fold():
    scaled, grid = 100 + 30 * X, {"lasvc__C": [0.1, 1.0], "lasvc__gamma": [0.1, 1.0]}
    pipeline = make_pipeline(StandardScaler(), LASVC())
    found = search(pipeline, grid, cv=4).fit(scaled, Y)
    plain = clone(pipeline).set_params(**found.best_params_)
    expected = cross_val_score(plain, scaled, Y, cv=StratifiedKFold(4)).mean()
    assert_allclose(found.best_score_, expected, atol=2e-3)  # of samples in another order
    assert_allclose(found.best_estimator_[0].mean_, scaled.mean(axis=0))
    plain.fit(scaled, Y)
    assert_array_equal(found.decision_function(scaled), plain.decision_function(scaled))


def test_features_selected_by_the_training_samples_alone():
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(1000, 200)), rng.integers(0, 2, 1000)
    found = search(make_pipeline(SelectKBest(k=5), LASVC()), {"lasvc__C": [0.1, 1.0]})
    assert abs(found.fit(noise, y).best_score_ - 0.5) < 0.05


class Crossed(TransformerMixin, BaseEstimator):
    """Transformer that marks training samples, as a cross-fitting one treats them differently."""

    def fit(self, X, y=None):
        self.is_fitted_ = True
        return self

    def transform(self, X):
        return np.column_stack([X, np.zeros(len(X))])

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X) + np.r_[np.zeros(X.shape[1]), 1.0]


class Marked(SGDClassifier):
    """Classifier that must be trained on marked samples."""

    def fit(self, X, y):
        assert np.all(X[:, -1] == 1.0)
        return super().fit(X, y)

    def predict(self, X):
        assert np.all(X[:, -1] == 0.0)
        return super().predict(X)


def test_models_are_trained_on_the_output_of_fit_transform():
    pipeline = Pipeline([("crossed", Crossed()), ("model", Marked(random_state=0))])
    search(pipeline, {"model__alpha": [1e-4, 1e-2]}, error_score="raise").fit(X, Y)


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
    model = LASVC(C=1.0).fit(X[first], Y[first])
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

    own, plain = (search(scoring=s).fit(X, Y) for s in (scorer, None))
    assert own.best_params_ == plain.best_params_
    assert own.best_score_ == plain.best_score_


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


def test_sample_weights_are_passed_to_fit_and_scorers():
    weights = np.where(Y == "yes", 1.0, 0.2)
    found = search(grid={"C": [0.5, 5.0]}).fit(X, Y, sample_weight=weights)
    order, rows = split_of(Y)
    first = order[: found.n_resources_[0]]
    model = LASVC(C=5.0).fit(X[first], Y[first], weights[first])
    line = (found.cv_results_["rung"] == 0) & (found.cv_results_["candidate"] == 1)
    expected = model.score(X[rows], Y[rows], weights[rows])
    assert_allclose(found.cv_results_["mean_test_score"][line], expected)


# -------------------------------------------------------------------------------- failures


class Failing(SGDClassifier):
    """Classifier that fails for ``alpha`` = 1, and with many samples for ``alpha`` = 2."""

    def fit(self, X, y):
        if self.alpha == 1 or self.alpha == 2 and len(X) > 600:
            raise RuntimeError(f"alpha is {self.alpha}")
        return super().fit(X, y)


def test_failing_candidates_are_eliminated():
    with pytest.warns(FitFailedWarning, match="1 of 2 candidates failed.*alpha is 1"):
        found = search(Failing(random_state=0), {"alpha": [1, 1e-3]}).fit(X, Y)
    assert found.best_params_ == {"alpha": 1e-3}
    failed = found.cv_results_["candidate"] == 0
    assert np.isnan(found.cv_results_["mean_test_score"][failed]).all()
    with pytest.warns(FitFailedWarning):
        found = search(Failing(random_state=0), {"alpha": [1, 1e-3]}, error_score=-1).fit(X, Y)
    failed = found.cv_results_["candidate"] == 0
    assert found.cv_results_["mean_test_score"][failed].tolist() == [-1]


def test_candidates_fail_at_full_size():
    with pytest.warns(FitFailedWarning, match="1 of 2 candidates failed.*alpha is 2"):
        found = search(Failing(random_state=0), {"alpha": [2, 1e-3]}).fit(X, Y)
    assert found.best_params_ == {"alpha": 1e-3}
    with pytest.raises(RuntimeError, match="alpha is 2"):
        search(Failing(random_state=0), {"alpha": [2, 2]}).fit(X, Y)


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


def test_a_search_continues_its_best_estimator():
    found = search().fit(X[:800], Y[:800]).partial_fit(X[800:], Y[800:])
    assert found.best_estimator_.n_samples_seen_ == 1200
    plain = search().fit(X[:800], Y[:800]).best_estimator_.partial_fit(X[800:], Y[800:])
    assert_array_equal(plain.decision_function(X), found.decision_function(X))


def test_models_of_eliminated_candidates_are_released():
    found = search().fit(X, Y)
    assert len(pickle.dumps(found)) < 3 * len(pickle.dumps(found.best_estimator_)) + 100_000


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
