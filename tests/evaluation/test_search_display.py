"""The display of a search."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.stats import loguniform
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC
from sklearn_online_svm.evaluation import ProgressiveSearchDisplay
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.support.samples import two_classes

X, Y = two_classes(600)
GRID = {"C": [0.1, 1.0, 10.0], "gamma": [0.001, 0.03, 0.1, 1.0, 10.0]}


def fitted(estimator=None, grid=GRID, **options):
    estimator = LASVC(random_state=0) if estimator is None else estimator
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # failed candidates, and edges of these small grids
        return ProgressiveSearch(estimator, grid, random_state=0, **options).fit(X, Y)


@pytest.fixture(scope="module")
def search():
    return fitted()


@pytest.fixture
def pyplot():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    yield plt
    plt.close("all")


def last_entries(search):
    """Return the index of the last entry of each candidate."""
    return {number: k for k, number in enumerate(search.cv_results_["candidate"])}


def test_learning_curves(pyplot, search):
    table = search.cv_results_
    display = ProgressiveSearchDisplay.from_estimator(search, name="banana")
    display.figure_.canvas.draw()
    assert sorted(display.lines_) == list(range(15))
    is_fold = table["n_resources"] == 400
    assert len(np.unique(table["rung"][is_fold])) > 1
    for number, line in display.lines_.items():
        mask = (table["candidate"] == number) & ~is_fold
        n, scores = table["n_resources"][mask].tolist(), table["mean_test_score"][mask].tolist()
        folds = table["mean_test_score"][(table["candidate"] == number) & is_fold]
        if len(folds):
            n, scores = [*n, 400], [*scores, folds[-1]]
        assert line.get_xdata().tolist() == n
        assert line.get_ydata().tolist() == scores
    winner = table["candidate"][search.best_index_]
    last = last_entries(search)
    ranked = sorted(last, key=lambda number: table["rank_test_score"][last[number]])
    colored = {k for k, line in display.lines_.items() if line.get_color() != "0.7"}
    assert colored == {winner, *[k for k in ranked if k != winner][:5]}
    widths = {number: line.get_linewidth() for number, line in display.lines_.items()}
    assert max(widths, key=widths.get) == winner
    C, gamma = (search.best_params_[name] for name in ("C", "gamma"))
    assert display.lines_[winner].get_label() == f"C={C:g}, gamma={gamma:g}"
    ax, (top,) = display.ax_[0], display.ax_[0].child_axes
    assert ax.get_xscale() == "log"
    assert ax.get_title() == "banana"
    sizes = [n for n in np.unique(table["n_resources"]) if n == 400 or n <= 400 / 1.5]
    assert [text.get_text() for text in ax.get_xticklabels()] == [str(n) for n in sizes]
    counts = [len(np.unique(table["candidate"][table["n_resources"] == n])) for n in sizes]
    assert [text.get_text() for text in top.get_xticklabels()] == [str(n) for n in counts]
    assert counts[0] == 15


def test_folds_of_different_sizes_are_one_point(pyplot):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = ProgressiveSearch(LASVC(), GRID, random_state=0).fit(X[:500], Y[:500])
    assert {333, 334} <= {*search.cv_results_["n_resources"].tolist()}
    display = ProgressiveSearchDisplay.from_estimator(search)
    winner = display.lines_[search.cv_results_["candidate"][search.best_index_]]
    assert winner.get_xdata()[-1] == 334
    assert not any(333 in line.get_xdata() for line in display.lines_.values())
    assert winner.get_ydata()[-1] == search.best_score_


def test_the_axis_of_the_score_begins_at_the_median_of_the_first_rung(pyplot, search):
    table = search.cv_results_
    display = ProgressiveSearchDisplay.from_estimator(search)
    low, high = display.ax_[0].get_ylim()
    median = np.median(table["mean_test_score"][table["rung"] == 0])
    winner = display.lines_[table["candidate"][search.best_index_]]
    start, best = min(median, winner.get_ydata().min()), table["mean_test_score"].max()
    assert start - 0.1 * (best - start) < low < start
    assert best < high < best + 0.1 * (best - start)


def test_heat_map(pyplot, search):
    display = ProgressiveSearchDisplay.from_estimator(search)
    scores = search.cv_results_["mean_test_score"]
    expected = np.empty((3, 5))
    for number, line in last_entries(search).items():
        expected[np.unravel_index(number, expected.shape)] = scores[line]
    assert search.cv_results_["params"][0].keys() == {"C", "gamma"}
    np.testing.assert_array_equal(display.image_.get_array(), expected)
    assert display.image_.get_clim() == (np.median(expected), expected.max())
    assert display.scatter_ is None
    ax = display.ax_[1]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("gamma", "C")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [text.get_text() for text in ax.get_yticklabels()] == ["0.1", "1", "10"]
    winner = display.markers_[search.cv_results_["candidate"][search.best_index_]]
    assert winner.get_xydata().tolist() == [
        [search.best_params_["gamma"], search.best_params_["C"]]
    ]
    assert winner.get_marker() == "*"
    for number, marker in display.markers_.items():
        assert marker.get_color() == display.lines_[number].get_color() != "0.7"


def test_choice_of_parameters(pyplot):
    grid = {"C": [0.1, 10.0], "gamma": [0.1, 1.0, 10.0], "cache_size": [10, 20, 30, 40]}
    search = fitted(grid=grid)
    scores = search.cv_results_["mean_test_score"]

    def labels(**options):
        display = ProgressiveSearchDisplay.from_estimator(search, **options)
        return display.ax_[1].get_xlabel(), display.ax_[1].get_ylabel()

    assert labels() == ("gamma", "cache_size")
    assert labels(param_x="C") == ("C", "cache_size")
    assert labels(param_y="C") == ("cache_size", "C")
    display = ProgressiveSearchDisplay.from_estimator(search, param_x="C", param_y="gamma")
    assert display.ax_[1].get_xlabel() == "C"
    # The best of the candidates that differ in the third parameter.
    best = np.full((3, 2), -np.inf)
    for line in last_entries(search).values():
        params = search.cv_results_["params"][line]
        cell = grid["gamma"].index(params["gamma"]), grid["C"].index(params["C"])
        best[cell] = max(best[cell], scores[line])
    np.testing.assert_array_equal(display.image_.get_array(), best)


def test_a_random_search_is_a_scatter_plot(pyplot):
    distributions = {"C": loguniform(0.1, 100), "gamma": loguniform(0.01, 10)}
    search = fitted(grid=distributions, n_candidates=12)
    display = ProgressiveSearchDisplay.from_estimator(search)
    assert display.image_ is None
    lines = list(last_entries(search).values())
    scores = search.cv_results_["mean_test_score"]
    assert sorted(display.scatter_.get_array()) == sorted(scores[lines])
    assert len(display.scatter_.get_offsets()) == len(lines) > 12  # with neighbours of the best


def test_one_parameter_and_none(pyplot):
    search = fitted(grid={"C": [0.1, 1.0, 10.0], "kernel": ["rbf"]})
    display = ProgressiveSearchDisplay.from_estimator(search)
    assert display.image_ is None
    assert sorted(display.scatter_.get_offsets()[:, 0].tolist()) == [0.1, 1.0, 10.0]
    assert display.ax_[1].get_ylabel() == "last score"
    (best,) = display.markers_[search.cv_results_["candidate"][search.best_index_]].get_xydata()
    assert best.tolist() == [search.best_params_["C"], search.best_score_]
    display = ProgressiveSearchDisplay.from_estimator(fitted(grid={"kernel": ["linear", "rbf"]}))
    assert display.ax_.shape == (1,)
    assert display.image_ is display.scatter_ is None


def test_several_metrics_and_a_pipeline(pyplot):
    pipeline = make_pipeline(StandardScaler(), LASVC(random_state=0))
    grid = {f"lasvc__{name}": values for name, values in GRID.items()}
    metrics = ["accuracy", "balanced_accuracy"]
    search = fitted(pipeline, grid, scoring=metrics, refit="balanced_accuracy")
    display = ProgressiveSearchDisplay.from_estimator(search, param_x="lasvc__C")
    table = search.cv_results_
    mask = table["candidate"] == 3
    scores = table["mean_test_balanced_accuracy"][mask]
    np.testing.assert_array_equal(display.lines_[3].get_ydata(), scores)
    curves, image = display.ax_
    assert curves.get_ylabel() == "balanced accuracy"
    assert (image.get_xlabel(), image.get_ylabel()) == ("C", "gamma")
    winner = display.lines_[table["candidate"][search.best_index_]]
    assert winner.get_label().startswith("C=")


def test_candidates_that_failed(pyplot):
    search = fitted(grid={"C": [-1.0, 1.0, 10.0], "gamma": [0.1, 1.0]}, error_score=0.0)
    display = ProgressiveSearchDisplay.from_estimator(search)
    assert len(display.lines_) == 4
    assert display.image_.get_array().mask.tolist() == [[True] * 2, [False] * 2, [False] * 2]


def test_a_list_of_grids(pyplot):
    grids = [{"kernel": ["linear"], "C": [0.1, 1.0]}, {"kernel": ["rbf"], **GRID}]
    display = ProgressiveSearchDisplay.from_estimator(fitted(grid=grids))
    assert len(display.lines_) == 17
    assert display.image_.get_array().shape == (3, 5)
    apart = [{"kernel": ["linear"], "C": [0.1, 1.0]}, {"kernel": ["rbf"], "gamma": [0.1, 1.0]}]
    search = fitted(grid=apart)
    display = ProgressiveSearchDisplay.from_estimator(search, param_y="C")
    assert display.ax_[1].get_xlabel() == "C"
    with pytest.raises(ValueError, match="both param_x='gamma' and param_y='C'"):
        ProgressiveSearchDisplay.from_estimator(search, param_x="gamma", param_y="C")


def test_a_stream(pyplot):
    search = ProgressiveSearch(SGDClassifier(random_state=0), {"alpha": [1e-4, 1e-3, 1e-2, 1.0]},
                               min_resources=50, random_state=0)  # fmt: skip
    search.partial_fit(X[:60], Y[:60], classes=np.unique(Y))
    with pytest.raises(ValueError, match="has not compared candidates yet"):
        ProgressiveSearchDisplay.from_estimator(search)
    search.partial_fit(X[60:150], Y[60:150])
    display = ProgressiveSearchDisplay.from_estimator(search)
    assert len(display.lines_) == 4
    assert len(display.lines_[0].get_xdata()) == search.cv_results_["rung"].max() + 1


def test_given_axes(pyplot, search):
    _, axes = pyplot.subplots(1, 2)
    display = ProgressiveSearchDisplay.from_estimator(search, ax=axes)
    assert display.figure_ is axes[0].figure
    _, ax = pyplot.subplots()
    display = ProgressiveSearchDisplay.from_estimator(search, ax=ax)
    assert display.image_ is None
    assert len(ax.lines) == 15
    assert display.plot().image_ is not None
    _, axes = pyplot.subplots(3)
    with pytest.raises(ValueError, match=r"ax must be one axes or 2, got shape \(3,\)"):
        display.plot(axes)


def test_invalid_arguments_are_refused(pyplot, search):
    with pytest.raises(NotFittedError):
        ProgressiveSearchDisplay.from_estimator(ProgressiveSearch(LASVC(), GRID))
    other = GridSearchCV(LASVC(), {"C": [1.0]}, cv=2).fit(X, Y)
    with pytest.raises(ValueError, match="search must be a ProgressiveSearch .* GridSearchCV"):
        ProgressiveSearchDisplay.from_estimator(other)
    for name, value in product(("param_x", "param_y"), ("kernel", "nu")):
        with pytest.raises(ValueError, match=rf"{name} must be .*\['C', 'gamma'\], got '{value}'"):
            ProgressiveSearchDisplay.from_estimator(search, **{name: value})
    with pytest.raises(ValueError, match="must differ, got 'C' for both"):
        ProgressiveSearchDisplay.from_estimator(search, param_x="C", param_y="C")
