"""Cells in a stream: their division, continued fits, errors and interrupts."""

import copy
import pickle
import signal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import make_friedman1
from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from sklearn_online_svm.datasets import make_banana_like, make_waveform
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.support.cases import in_turn
from tests.support.internals import CellStream
from tests.support.interrupts import Interrupt
from tests.support.samples import LAYOUTS, three_classes, two_classes

SVM = dict(C=1.0, gamma=0.5, random_state=0, finishing=False)


class Mean(RegressorMixin, BaseEstimator):
    """Mean of the targets."""

    def fit(self, X, y):
        return self.partial_fit(X, y)

    def partial_fit(self, X, y):
        self.targets_ = [*getattr(self, "targets_", ()), *y.tolist()]
        return self

    def predict(self, X):
        return np.full(X.shape[0], np.mean(self.targets_))


class Disturbed(ClassifierMixin, BaseEstimator):
    """LASVC that calls ``disturb`` after it has been trained on the sample ``at``."""

    disturb = None

    def __init__(self, at):
        self.at = at

    def partial_fit(self, X, y, classes=None):
        if not hasattr(self, "model_"):
            self.model_ = LASVC(**SVM)
        self.model_.partial_fit(X, y, classes=classes)
        self.classes_ = self.model_.classes_
        if Disturbed.disturb and (self.at == X).all(axis=1).any():
            Disturbed.disturb()
        return self

    def fit(self, X, y):
        return self.partial_fit(X, y, classes=np.unique(y))

    def decision_function(self, X):
        return self.model_.decision_function(X)


def cells(cell_size=100, estimator=None, **params):
    estimator = LASVC(**SVM) if estimator is None else estimator
    return CellClassifier(estimator, cell_size=cell_size, random_state=0, **params)


def streamed(model, X, y, size, classes=None, start=0):
    for first in range(start, X.shape[0], size):
        chunk = slice(first, first + size)
        model.partial_fit(X[chunk], y[chunk], **({} if classes is None else {"classes": classes}))
    return model


def assert_same(model, other, X):
    assert_array_equal(model.cell_sizes_, other.cell_sizes_)
    assert model.n_samples_seen_ == other.n_samples_seen_
    # LASVC itself differs in the last bit between chunks of different sizes.
    found, expected = model.decision_function(X), other.decision_function(X)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("overlap, layout", in_turn([0.0, 0.3], LAYOUTS))
def test_chunks_of_any_size_give_the_same_cells(layout, overlap):
    X, y = three_classes(350)
    X, classes = LAYOUTS[layout](X), np.unique(y)
    whole = streamed(cells(60, overlap=overlap), X, y, 350, classes)
    assert whole.n_cells_ >= 8
    for size in (1, 7):
        assert_same(streamed(cells(60, overlap=overlap), X, y, size, classes), whole, X)


@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_one_cell_is_the_estimator(make):
    X, y = make(300)
    model = streamed(cells(10_000, overlap=0.0), X, y, 70, np.unique(y))
    alone = streamed(LASVC(**SVM), X, y, 70, np.unique(y))
    assert model.n_cells_ == 1
    assert_array_equal(model.decision_function(X), alone.decision_function(X))


def test_models_are_trained_on_the_samples_of_their_cells_in_order():
    X, y = two_classes(800)
    model = streamed(cells(overlap=0.0), X, y, 90, np.unique(y))
    assert model.n_cells_ > 8
    n_samples = 0
    for cell, rows, weights in model.tree_.parts(X):
        alone = LASVC(**SVM).partial_fit(X[rows], y[rows], classes=np.unique(y))
        found = model.estimators_[cell].decision_function(X)
        assert_allclose(found, alone.decision_function(X), rtol=1e-12, atol=1e-12)
        assert len(rows) == model.cell_sizes_[cell] <= 100
        assert_array_equal(weights, 1.0)
        n_samples += len(rows)
    assert n_samples == 800


@pytest.mark.slow
def test_an_overlap_shrinks_as_its_node_grows():
    X = np.random.default_rng(0).uniform(size=(5000, 2))
    model = CellRegressor(Mean(), cell_size=20, random_state=0)
    streamed(model, X, X[:, 0], 1000)
    assert 2 * len(X) < model.cell_sizes_.sum() < 4.5 * len(X)
    tree = model.tree_
    assert tree.n_divided[0] == 20
    assert tree.n_samples[0] == 5000
    # Weights at the root change from 0 to 1 across a width proportional to n^(-1/4).
    width = (tree.upper[0] - tree.lower[0]) * (20 / 5000) ** 0.25
    along = X @ tree.directions[0] - (tree.upper[0] + tree.lower[0]) / 2
    right = tree._share_of_right(0, X @ tree.directions[0], tree.n_samples[0])
    assert_allclose(right, np.clip(0.5 + along / width, 0, 1), atol=1e-9)


def test_the_model_can_be_used_after_each_sample():
    X, y = two_classes(150)
    order = np.argsort(y, kind="stable")
    model = cells(20)
    for i in order:
        model.partial_fit(X[[i]], y[[i]], classes=np.unique(y))
        assert np.isfinite(model.decision_function(X)).all()
    assert model.n_cells_ > 8
    assert model.score(X, y) > 0.8


@pytest.mark.parametrize("X", [np.ones((300, 2)), np.repeat([[0.0], [1.0]], [297, 3], axis=0)])
def test_samples_that_cannot_be_separated(X):
    X, y = X[::-1], np.arange(300) % 2
    model = streamed(cells(10), X, y, 300, [0, 1])
    assert model.n_cells_ == len(np.unique(X, axis=0))
    assert model.n_samples_seen_ == 300


def test_error_is_near_that_of_a_fit():
    X, y = make_waveform(5000, random_state=0)
    params = dict(C=1, gamma=0.02, random_state=0)
    fitted = cells(800, LASVC(**params)).fit(X[:4000], y[:4000])
    model = streamed(cells(800, LASVC(**params)), X[:4000], y[:4000], 500, np.unique(y))
    assert model.score(X[4000:], y[4000:]) > fitted.score(X[4000:], y[4000:]) - 0.015


@pytest.mark.parametrize("fitted", [False, True])
def test_a_search_in_each_cell(fitted):
    X, y = make_banana_like(3000, random_state=0)
    grid = {"C": [0.01, 10.0], "gamma": [1e-3, 1.0]}
    model = cells(500, ProgressiveSearch(LASVC(random_state=0), grid, random_state=0))
    start = 600 if fitted else 0
    if fitted:
        model.fit(X[:start], y[:start])
    streamed(model, X[:2000], y[:2000], 100, np.unique(y), start)
    assert model.n_cells_ > 4
    assert {each.best_params_["gamma"] for each in model.estimators_} >= {1.0}
    poor = LASVC(C=0.01, gamma=1e-3).fit(X[:2000], y[:2000]).score(X[2000:], y[2000:])
    assert model.score(X[2000:], y[2000:]) > max(0.88, poor + 0.1)


def test_regression():
    X, y = make_friedman1(2000, noise=0.5, random_state=0)
    y = np.column_stack([y, -y])
    model = CellRegressor(LASVR(C=10, epsilon=0.3, random_state=0), cell_size=400, random_state=0)
    streamed(model, X[:1500], y[:1500], 200)
    assert model.n_cells_ > 4
    assert model.score(X[1500:], y[1500:]) > 0.85
    with pytest.raises(ValueError, match="y has the shape"):
        model.partial_fit(X, y[:, 0])


def test_weights_are_passed():
    X, y = two_classes(300)
    weights = np.random.default_rng(0).uniform(0.1, 3, 300)
    weights[:40] = 1.0
    model = cells(80, overlap=0.0).partial_fit(X[:40], y[:40], classes=np.unique(y))
    model.partial_fit(X[40:], y[40:], sample_weight=weights[40:])
    assert model.n_cells_ > 3
    for cell, rows, _ in model.tree_.parts(X):
        alone = LASVC(**SVM)
        alone.partial_fit(X[rows], y[rows], classes=np.unique(y), sample_weight=weights[rows])
        found = model.estimators_[cell].decision_function(X)
        assert_allclose(found, alone.decision_function(X), rtol=1e-12, atol=1e-12)


# After fit.


@pytest.mark.slow
@pytest.mark.parametrize("overlap", [0.0, 0.2])
def test_a_fit_is_continued(overlap):
    X, y = three_classes(900)
    fitted = cells(overlap=overlap).fit(X[:300], y[:300])
    before = copy.deepcopy(fitted)
    models = [streamed(copy.deepcopy(fitted), X, y, size, start=300) for size in (1, 7, 600)]
    assert models[0].n_cells_ > before.n_cells_
    assert models[0].n_samples_seen_ == 600
    assert models[0].score(X, y) > before.score(X, y)
    for model in models[1:]:
        assert_same(model, models[0], X)
    assert_array_equal(fitted.decision_function(X), before.decision_function(X))


def test_both_sides_of_a_cell_of_a_fit_continue_its_model():
    X, y = two_classes(270)
    model = cells(overlap=0.0).fit(X[:90], y[:90])
    alone = copy.deepcopy(model.estimators_[0])
    model.partial_fit(X[90:], y[90:])
    assert model.n_cells_ == 2
    for cell, rows, _ in model.tree_.parts(X):
        rows = rows[rows >= 90]
        expected = copy.deepcopy(alone).partial_fit(X[rows], y[rows])
        found = model.estimators_[cell].decision_function(X)
        assert_allclose(found, expected.decision_function(X), rtol=1e-12, atol=1e-12)
        assert model.cell_sizes_[cell] == 90 + len(rows)


def test_other_classes_in_cells_of_a_fit():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, (100, 2)) for c in (-12, -6, 6, 12)])
    for labels in ([0, 1, 2, 3], [0, 0, 1, 1]):
        y = np.repeat(labels, 100)
        model = cells(200, overlap=0.0).fit(X, y)
        assert model.n_cells_ == 2
        # These samples are in a cell that had none of their class in fit.
        model.partial_fit(X[:40] + 1.5, np.full(40, labels[-1]))
        assert_array_equal(model.predict(X[:40] + 1.5), labels[-1])
        model.partial_fit(X[::-1], y[::-1])
        assert model.score(X, y) > 0.98


def test_classes_that_the_estimator_cannot_add():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, (100, 2)) for c in (-12, -6, 6, 12)])
    model = cells(200, SGDClassifier(), overlap=0.0).fit(X, np.repeat([0, 1, 2, 3], 100))
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="cannot be added to SGDClassifier"):
        model.partial_fit(X, np.repeat([0, 1, 2, 3], 100))
    assert_array_equal(model.decision_function(X), before)
    assert not hasattr(model, "n_samples_seen_")


def with_late_class(fitted):
    """Return cells that have seen two of three classes, and all samples."""
    X, y = three_classes(400)
    early = np.flatnonzero(y[:200] != 20)
    model = cells(80)
    if fitted:
        model.fit(X[early], y[early])
    else:
        model.partial_fit(X[early], y[early], classes=[10, 30])
    return model, X, y


@pytest.mark.parametrize("fitted", [False, True])
def test_new_classes_in_a_stream(fitted):
    model, X, y = with_late_class(fitted)
    with pytest.raises(ValueError, match="Pass `classes` with the known and the new classes"):
        model.partial_fit(X[200:], y[200:])
    model.partial_fit(X[200:220], y[200:220], classes=[10, 20, 30])
    assert model.classes_.tolist() == [10, 20, 30]
    assert model.decision_function(X).shape == (400, 3)
    again = pickle.loads(pickle.dumps(model))
    for each in (model, again):
        each.partial_fit(X[220:], y[220:])
    assert_same(again, model, X)
    informed = cells(80).partial_fit(X, y, classes=[10, 20, 30])
    assert model.score(X, y) > informed.score(X, y) - 0.05


@pytest.mark.parametrize("refused", ["with new classes", "later"])
def test_an_error_after_new_classes_loses_nothing(refused, monkeypatch):
    model, X, y = with_late_class(fitted=False)
    classes = {"classes": [10, 20, 30]}
    if refused == "later":
        model.partial_fit(X[200:300], y[200:300], **classes)
    expected, train = copy.deepcopy(model), LASVC.partial_fit

    def failing(self, X, y, **options):
        train(self, X, y, **options)
        if (failing.at == X).all(axis=1).any():
            raise ZeroDivisionError

    failing.at = X[399]
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(LASVC, "partial_fit", failing)
        model.partial_fit(X[340:], y[340:], **classes)
    assert_same(model, expected, X)
    assert_array_equal(model.classes_, expected.classes_)
    for each in (model, expected):
        each.partial_fit(X[340:], y[340:], **classes)
    assert_same(model, expected, X)


def test_new_classes_that_the_estimator_cannot_add():
    X, y = three_classes(200)
    early = y != 20
    model = cells(80, SGDClassifier(random_state=0))
    model.partial_fit(X[early], y[early], classes=[10, 30])
    expected = copy.deepcopy(model)
    with pytest.raises(ValueError, match="cannot be added to SGDClassifier"):
        model.partial_fit(X, y, classes=[10, 20, 30])
    assert_same(model, expected, X)


# Errors and interrupts.


def test_needs_an_estimator_with_partial_fit():
    assert not hasattr(CellClassifier(SVC()), "partial_fit")
    assert hasattr(CellClassifier(SGDClassifier()), "partial_fit")
    assert hasattr(CellRegressor(), "partial_fit")


def test_invalid_parameters():
    X, y = two_classes(50)
    with pytest.raises(ValueError, match="'overlap' parameter .* Got 0.6"):
        cells(overlap=0.6).partial_fit(X, y, classes=np.unique(y))


@pytest.mark.parametrize("fitted", [False, True])
def test_an_error_of_a_model_loses_nothing(fitted, monkeypatch):
    X, y = two_classes(400)
    model = cells(estimator=Disturbed(X[330]))
    if fitted:
        model.fit(X[:100], y[:100])
    model.partial_fit(X[100:300], y[100:300], classes=np.unique(y))
    expected = copy.deepcopy(model)
    monkeypatch.setattr(Disturbed, "disturb", staticmethod(lambda: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        model.partial_fit(X[300:], y[300:])
    n = model.n_samples_seen_ + 100
    assert 300 <= n <= 330
    monkeypatch.setattr(Disturbed, "disturb", None)
    if n > 300:
        expected.partial_fit(X[300:n], y[300:n])
    assert_same(model, expected, X)
    assert_same(model.partial_fit(X[n:], y[n:]), expected.partial_fit(X[n:], y[n:]), X)


def test_an_error_after_divisions_in_the_same_call_loses_nothing(monkeypatch):
    X, y = two_classes(400)
    model = cells(100, Disturbed(X[349])).partial_fit(X[:250], y[:250], classes=np.unique(y))
    expected, divided = copy.deepcopy(model), []
    divide = CellStream._divide
    monkeypatch.setattr(
        CellStream, "_divide", lambda *args: divided.append(divide(*args)) or divided[-1]
    )
    monkeypatch.setattr(Disturbed, "disturb", staticmethod(lambda: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        model.partial_fit(X[250:350], y[250:350])
    assert len(divided) > 0
    monkeypatch.setattr(Disturbed, "disturb", None)
    assert_same(model, expected, X)
    for each in (model, expected):
        each.partial_fit(X[250:350], y[250:350])
    assert_same(model, expected, X)


def wide_scales(model):
    """Samples whose first chunk determines gamma, the precision and epsilon."""
    X, y = two_classes(240)
    X = np.vstack([0.01 * X[:60], 30.0 * X[60:]])
    return X, (X[:, 0] if isinstance(model, CellRegressor) else y)


@pytest.mark.sampled
@pytest.mark.parametrize("sizes", [(60, 40, 100, 40), (1,) * 240], ids=["chunks", "samples"])
@pytest.mark.parametrize(
    "model",
    [
        CellClassifier(LASVC(), cell_size=80, random_state=0),
        CellClassifier(SGDClassifier(random_state=0), cell_size=80, random_state=0),
        CellRegressor(LASVR(epsilon="auto"), cell_size=80, random_state=0),
    ],
    ids=str,
)
def test_a_refused_chunk_changes_nothing(model, sizes, monkeypatch):
    """Not a bit, also of cells that had been trained on it before another one refused."""
    model, first = copy.deepcopy(model), 0
    X, y = wide_scales(model)
    for size in sizes:
        chunk = slice(first, first + size)
        classes = [np.unique(y)] if isinstance(model, CellClassifier) else []
        model.partial_fit(X[chunk], y[chunk], *classes)
        first += size
    assert model.n_cells_ > 2
    expected, n_trained = copy.deepcopy(model), []
    train = type(model)._train

    def refuse_in_the_last_cell(self, cell, rows, *args):
        n_trained.append(len(rows))
        if len(n_trained) == model.n_cells_:
            raise ValueError("refused")
        return train(self, cell, rows, *args)

    with monkeypatch.context() as patch:
        patch.setattr(type(model), "_train", refuse_in_the_last_cell)
        # The samples of a whole chunk are trained again cell by cell after the error.
        with pytest.raises(ValueError, match="refused"):
            model.partial_fit(X[:100], y[:100])
    if not isinstance(model.estimator, SGDClassifier):  # which accepts them
        with pytest.raises(ValueError):
            model.partial_fit(np.full((5, 4), 1e200), y[:5])
    values = "predict" if isinstance(model, CellRegressor) else "decision_function"
    assert_array_equal(getattr(model, values)(X), getattr(expected, values)(X))
    for each in (model, expected):
        each.partial_fit(X[:50], y[:50])
    assert_array_equal(getattr(model, values)(X), getattr(expected, values)(X))


@pytest.mark.parametrize("scale", [1e-100, 1e-300])
def test_tiny_values(scale):
    X, y = two_classes(300)
    model = cells().fit(scale * X, y)
    assert model.n_cells_ > 1 or scale < 1e-150  # products of two values are 0
    stream = streamed(cells(), scale * X, y, 50, np.unique(y))
    for each in (model, stream):
        assert np.isfinite(each.decision_function(scale * X)).all()


def test_huge_values_are_refused_as_by_the_estimator():
    X, y = two_classes(300)
    X[7, 1] = 1.7e308
    for method in ("fit", "partial_fit"):
        classes = [np.unique(y)] if method == "partial_fit" else []
        for model in (LASVC(**SVM), cells()):
            with pytest.raises(ValueError, match="overflow|too large|infinity"):
                getattr(model, method)(X, y, *classes)


def test_an_error_in_the_first_call_leaves_the_model_without_attributes(monkeypatch):
    X, y = two_classes(50)
    monkeypatch.setattr(Disturbed, "disturb", staticmethod(lambda: 1 / 0))
    model = cells(estimator=Disturbed(X[30]))
    before = set(vars(model))
    with pytest.raises(ZeroDivisionError):
        model.partial_fit(X, y, classes=np.unique(y))
    assert set(vars(model)) == before


def test_an_interrupt_loses_nothing(monkeypatch):
    X, y = two_classes(400)
    classes = np.unique(y)
    expected = cells(estimator=Disturbed(X[250])).partial_fit(X, y, classes=classes)
    interrupt = staticmethod(lambda: signal.raise_signal(signal.SIGINT))
    monkeypatch.setattr(Disturbed, "disturb", interrupt)
    model = cells(estimator=Disturbed(X[250]))
    assert Interrupt(0, model.partial_fit, X, y, classes=classes).raised
    monkeypatch.setattr(Disturbed, "disturb", None)
    n = model.n_samples_seen_
    assert 250 < n < 400
    stored = pickle.loads(pickle.dumps(model))
    for each in (model, stored):
        assert_same(each.partial_fit(X[n:], y[n:]), expected, X)


def test_threads_give_the_same_cells():
    X, y = two_classes(1200)
    one, two = (cells(150, n_jobs=n_jobs) for n_jobs in (1, 2))
    for model in (one, two):
        model.partial_fit(X, y, classes=np.unique(y))
    assert_same(one, two, X)
