"""The display of a path."""

import numpy as np
import pytest

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm.evaluation import SolutionPathDisplay
from tests.support.samples import targets, two_classes

X, Y = two_classes(300, noise=1.0)
CS = [0.1, 1.0, 10.0]


@pytest.fixture(scope="module")
def path():
    return LASVC(gamma=0.5, random_state=0).fit_path(X[:200], Y[:200], CS)


@pytest.fixture
def pyplot():
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    yield plt
    plt.close("all")


def test_curves(pyplot, path):
    display = SolutionPathDisplay.from_path(
        path, X[200:], Y[200:], X_train=X[:200], y_train=Y[:200], name="banana", lw=3
    )
    drawn = display.lines_
    np.testing.assert_array_equal(drawn["scores"].get_ydata(), path.scores(X[200:], Y[200:]))
    np.testing.assert_array_equal(drawn["n_support"].get_ydata(), path.n_support)
    np.testing.assert_array_equal(drawn["dual_objective"].get_ydata(), path.dual_objective[:, 0])
    np.testing.assert_array_equal(drawn["train_scores"].get_xdata(), path.Cs)
    assert drawn["train_scores"].get_label() == "banana on training samples"
    assert drawn["n_support"].get_linewidth() == 3
    assert len(display.ax_) == 3
    assert all(ax.get_xscale() == "log" for ax in display.ax_)
    assert display.figure_ is display.ax_[0].figure
    assert display.ax_[0].get_ylabel() == display.score_name == "Accuracy"
    again = SolutionPathDisplay.from_path(path, X[200:], Y[200:], ax=display.ax_)
    assert again.figure_ is display.figure_
    assert len(display.ax_[1].lines) == 2


def test_without_samples_there_is_no_accuracy(pyplot, path):
    display = SolutionPathDisplay.from_path(path)
    assert sorted(display.lines_) == ["dual_objective", "n_support"]
    assert [ax.get_ylabel() for ax in display.ax_] == ["Support vectors", "Dual objective"]


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_regression(pyplot, n_outputs):
    X, y = targets(300)
    if n_outputs > 1:
        y = np.column_stack([y, X[:, 0]])
    path = LASVR(gamma=0.5, random_state=0).fit_path(X[:200], y[:200], CS)
    display = SolutionPathDisplay.from_path(path, X[200:], y[200:])
    drawn = display.lines_
    scores = [model.score(X[200:], y[200:]) for model in path]
    np.testing.assert_array_equal(drawn["scores"].get_ydata(), scores)
    np.testing.assert_array_equal(
        drawn["dual_objective"].get_ydata(), path.dual_objective.sum(axis=1)
    )
    assert display.ax_[0].get_ylabel() == display.score_name == "R2"


def test_infinite_C_is_omitted(pyplot):
    display = SolutionPathDisplay(
        Cs=np.array([1.0, np.inf]), n_support=np.array([5, 4]), dual_objective=np.ones((2, 3))
    ).plot()
    assert display.lines_["n_support"].get_xdata().tolist() == [1.0]
    assert display.lines_["dual_objective"].get_ydata().tolist() == [3.0]


def test_invalid_arguments_are_refused(pyplot, path):
    with pytest.raises(ValueError, match="X and y must be given together"):
        SolutionPathDisplay.from_path(path, X)
    with pytest.raises(ValueError, match="X_train and y_train must be given together"):
        SolutionPathDisplay.from_path(path, y_train=Y)
    _, ax = pyplot.subplots()
    with pytest.raises(ValueError, match="ax must be 2 axes"):
        SolutionPathDisplay.from_path(path, ax=ax)
