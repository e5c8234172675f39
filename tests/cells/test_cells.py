"""Cells: the tree of half-spaces, and the models of the cells."""

import copy
import warnings
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from sklearn_online_svm.datasets import make_banana_like, make_waveform
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.support.internals import CellTree, principal_direction
from tests.support.limits import set_limits
from tests.support.samples import LAYOUTS, three_classes, two_classes

SVM = dict(C=1.0, gamma=0.5, random_state=0)


def grown(X, cell_size, overlap, seed=0):
    return CellTree.grow(X, cell_size, overlap, np.random.RandomState(seed))


def samples(n=500, n_features=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, n_features)) * [4, 2, 1, 0.5][:n_features]


@pytest.mark.parametrize("mean", [0.0, 10.0, 1e8])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_direction_is_the_first_principal_one(layout, mean):
    X = samples() + mean
    found = principal_direction(LAYOUTS[layout](X), np.random.RandomState(0))
    expected = np.linalg.svd(X - X.mean(axis=0))[2][0]
    assert_allclose(abs(found @ expected), 1.0, atol=1e-3)
    assert_allclose(np.linalg.norm(found), 1.0)


@pytest.mark.parametrize("cell_size", [2, 7, 100, 499, 500])
def test_cells_without_overlap_are_a_partition_into_equal_parts(cell_size):
    X = samples()
    tree, cells = grown(X, cell_size, 0.0)
    sizes = np.array([len(rows) for rows in cells])
    assert_array_equal(np.sort(np.concatenate(cells)), np.arange(len(X)))
    assert sizes.max() <= cell_size
    assert sizes.min() >= (cell_size + 1) // 2
    for cell, rows, weights in tree.parts(X):
        assert_array_equal(rows, cells[cell])
        assert_array_equal(weights, 1.0)


@pytest.mark.parametrize("overlap", [0.1, 0.25, 0.5])
def test_samples_of_an_overlap_belong_to_both_sides(overlap):
    X = samples()
    tree, cells = grown(X, 400, overlap)
    assert len(cells) == 2
    both = np.intersect1d(*cells)
    assert abs(len(both) - overlap * (400 / 500) ** 0.25 * len(X)) <= 2
    total = np.zeros(len(X))
    for cell, rows, weights in tree.parts(X):
        assert np.isin(rows, cells[cell]).all()
        assert (weights > 0).all()
        total[rows] += weights
    assert_allclose(total, 1.0)
    # Weights are 1/2 in the middle between the ends, and change linearly.
    along = X @ tree.directions[0]
    middle, half = (tree.lower[0] + tree.upper[0]) / 2, (tree.upper[0] - tree.lower[0]) / 2
    weights_right = np.zeros(len(X))
    for cell, rows, weights in tree.parts(X):
        if cell == -1 - tree.children[0, 1]:
            weights_right[rows] = weights
    assert_allclose(weights_right, np.clip(0.5 + (along - middle) / (2 * half), 0, 1), atol=1e-12)


def test_a_deep_tree_has_weights_that_sum_to_one():
    X = samples(2000, 3)
    tree, cells = grown(X, 50, 0.3)
    assert max(len(rows) for rows in cells) <= 50
    total = np.zeros(len(X))
    for _, rows, weights in tree.parts(X):
        total[rows] += weights
    assert_allclose(total, 1.0)


@pytest.mark.slow
def test_the_number_of_samples_in_all_cells_is_bounded():
    X = np.random.default_rng(0).uniform(size=(40_000, 2))
    _, cells = grown(X, 20, 0.2)
    assert 2 * len(X) < sum(len(rows) for rows in cells) < 3.4 * len(X)


def test_equal_samples_are_one_cell():
    tree, cells = grown(np.ones((50, 3)), 10, 0.2)
    assert [len(rows) for rows in cells] == [50]
    assert [cell for cell, _, _ in tree.parts(np.zeros((4, 3)))] == [0]


@pytest.mark.parametrize("overlap", [0.0, 0.3])
def test_ties_do_not_prevent_a_cut(overlap):
    X = np.repeat([[0.0], [1.0]], [30, 70], axis=0)
    _, cells = grown(X, 75, overlap)
    assert sorted(len(rows) for rows in cells) == [30, 70]


@pytest.mark.parametrize("overlap", [0.0, 0.2])
@pytest.mark.parametrize("make", [two_classes, three_classes])
def test_one_cell_is_the_estimator(make, overlap):
    X, y = make(300)
    model = CellClassifier(LASVC(**SVM), cell_size=300, overlap=overlap).fit(X, y)
    alone = LASVC(**SVM).fit(X, y)
    assert model.n_cells_ == 1
    assert_array_equal(model.decision_function(X), alone.decision_function(X))
    assert_array_equal(model.predict(X), alone.predict(X))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_predictions_are_those_of_the_models_of_the_cells(layout):
    X, y = three_classes(400)
    given = LAYOUTS[layout](X)
    svm = LASVC(multi_class="ovr", **SVM)
    model = CellClassifier(svm, cell_size=100, overlap=0.2, random_state=0).fit(given, y)
    tree, cells = grown(given, 100, 0.2)
    expected = np.zeros((len(y), 3))
    for cell, rows, weights in tree.parts(given):
        fitted = clone(svm).fit(given[cells[cell]], y[cells[cell]])
        values = fitted.decision_function(given[rows])
        if len(fitted.classes_) == 2:
            values = np.column_stack([-values, values])
        full = np.full((len(rows), 3), -1.0)
        full[:, np.searchsorted(model.classes_, fitted.classes_)] = values
        expected[rows] += weights[:, None] * full
    assert_allclose(model.decision_function(given), expected, atol=1e-12)
    assert_array_equal(model.predict(given), model.classes_[expected.argmax(axis=1)])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_of_pairs_are_those_of_the_models_of_the_cells(layout):
    X, y = three_classes(400)
    given = LAYOUTS[layout](X)
    svm = LASVC(decision_function_shape="ovo", **SVM)
    model = CellClassifier(svm, cell_size=100, overlap=0.2, random_state=0).fit(given, y)
    tree, cells = grown(given, 100, 0.2)
    pairs = [*combinations(model.classes_, 2)]
    expected = np.zeros((len(y), len(pairs)))
    for cell, rows, weights in tree.parts(given):
        fitted = clone(svm).fit(given[cells[cell]], y[cells[cell]])
        values = fitted.decision_function(given[rows])
        # Positive values of two classes are in favour of the second one.
        values = values if values.ndim == 2 else -values[:, None]
        of_cell = dict(zip(combinations(fitted.classes_, 2), values.T))
        for k, (a, b) in enumerate(pairs):
            known = 1.0 * (a in fitted.classes_) - (b in fitted.classes_)
            expected[rows, k] += weights * of_cell.get((a, b), known)
    votes, sums = np.zeros((2, len(y), len(model.classes_)))
    for k, (a, b) in enumerate(combinations(range(len(model.classes_)), 2)):
        votes[:, a] += expected[:, k] >= 0.0
        votes[:, b] += expected[:, k] < 0.0
        sums[:, a] += expected[:, k]
        sums[:, b] -= expected[:, k]
    expected = votes + sums / (3.0 * (np.abs(sums) + 1.0))
    assert_allclose(model.decision_function(given), expected, atol=1e-12)
    assert_array_equal(model.predict(given), model.classes_[expected.argmax(axis=1)])


def test_dense_and_sparse_samples_give_the_same_cells():
    X, y = three_classes(400)
    dense = CellClassifier(LASVC(**SVM), cell_size=100, random_state=0).fit(X, y)
    csr = CellClassifier(LASVC(**SVM), cell_size=100, random_state=0).fit(sparse.csr_matrix(X), y)
    assert_array_equal(dense.cell_sizes_, csr.cell_sizes_)
    found = csr.decision_function(sparse.csr_matrix(X))
    assert_allclose(dense.decision_function(X), found, atol=1e-4)


@pytest.mark.parametrize("kind", [CellClassifier, CellRegressor])
def test_frozen_estimators(kind):
    X, y = two_classes(300)
    fitted = LASVC().fit(X, y) if kind is CellClassifier else LASVR().fit(X, X[:, 0])
    model = kind(FrozenEstimator(fitted), cell_size=100)
    model.fit(X, y if kind is CellClassifier else X[:, 0])
    found, expected = (
        each.decision_function(X) if kind is CellClassifier else each.predict(X)
        for each in (model, fitted)
    )
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_cells_with_a_single_class_need_no_model():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-5, 1, (300, 2)), rng.normal(5, 1, (300, 2))])
    y = np.array(["b"] * 300 + ["a"] * 300)
    model = CellClassifier(LASVC(**SVM), cell_size=300, overlap=0.0, random_state=0).fit(X, y)
    assert [len(part.classes_) for part in model.estimators_] == [1, 1]
    assert_array_equal(model.predict(X), y)
    assert_array_equal(np.unique(model.decision_function(X)), [-1.0, 1.0])
    # A class whose samples have no weight is absent.
    weights = np.where(np.arange(600) % 2, 1.0, 0.5)
    y[0], weights[0] = "a", 0.0
    model.fit(X, y, sample_weight=weights)
    assert [len(part.classes_) for part in model.estimators_] == [1, 1]


def test_classes_that_a_cell_does_not_have():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 0.5, (100, 2)) for c in (-12, -6, 6, 12)])
    y = np.repeat([0, 1, 2, 3], 100)
    model = CellClassifier(LogisticRegression(), cell_size=200, overlap=0.0, random_state=0).fit(
        X, y
    )
    assert [list(part.classes_) for part in model.estimators_] == [[0, 1], [2, 3]]
    assert_array_equal(model.predict(X), y)
    decision, probabilities = model.decision_function(X), model.predict_proba(X)
    assert_array_equal(decision[y < 2][:, 2:], -1.0)
    assert_array_equal(probabilities[y < 2][:, 2:], 0.0)
    assert_allclose(probabilities.sum(axis=1), 1.0)


def test_probabilities_need_an_estimator_that_has_them():
    assert not hasattr(CellClassifier(LASVC()), "predict_proba")
    assert hasattr(CellClassifier(LASVC(probability=True)), "predict_proba")


@pytest.mark.parametrize("n_outputs", [None, 3])
def test_regression(n_outputs):
    X, y = make_friedman1(1500, noise=0.5, random_state=0)
    if n_outputs:
        y = np.column_stack([y, -y, 2 * y])
    model = CellRegressor(LASVR(C=10, epsilon=0.3, random_state=0), cell_size=300, random_state=0)
    model.fit(X[:1000], y[:1000])
    assert model.n_cells_ >= 4
    assert model.predict(X[1000:]).shape == y[1000:].shape
    assert model.score(X[1000:], y[1000:]) > 0.85


def test_a_linear_function_is_the_same_in_all_cells():
    X = samples(800)
    y = X @ [1.0, -2.0, 3.0, 0.5] + 4.0
    model = CellRegressor(Ridge(alpha=1e-8), cell_size=100, overlap=0.3, random_state=0).fit(X, y)
    assert_allclose(model.predict(X), y, rtol=1e-6)


def test_predictions_change_gradually_across_an_overlap():
    X = np.linspace(-1, 1, 1001)[:, None]
    y = np.sign(X[:, 0])
    jumps = {}
    for overlap in (0.0, 0.4):
        model = CellRegressor(Ridge(), cell_size=800, overlap=overlap, random_state=0).fit(X, y)
        jumps[overlap] = np.abs(np.diff(model.predict(X))).max()
    assert jumps[0.4] < 0.02 < 0.5 < jumps[0.0]


def test_threads_change_nothing():
    X, y = make_waveform(1500, random_state=0)
    models = [
        CellClassifier(LASVC(**SVM), cell_size=300, n_jobs=n_jobs, random_state=0).fit(X, y)
        for n_jobs in (None, 2)
    ]
    assert_array_equal(*(model.decision_function(X) for model in models))


def test_a_search_selects_parameters_in_each_cell():
    X, y = make_banana_like(1600, random_state=0)
    search = ProgressiveSearch(LASVC(random_state=0), {"C": [0.01, 10.0]}, random_state=0)
    model = CellClassifier(search, cell_size=500, random_state=0).fit(X[:1200], y[:1200])
    _, cells = grown(X[:1200], 500, 0.2)
    assert len(cells) == len(model.estimators_) > 2
    for rows, part in zip(cells, model.estimators_, strict=True):
        alone = clone(search).fit(X[rows], y[rows])
        assert part.best_params_ == alone.best_params_
        assert_array_equal(part.decision_function(X), alone.decision_function(X))


def test_error_is_near_that_of_one_model():
    X, y = make_waveform(6000, random_state=0)
    train, test = slice(4000), slice(4000, None)
    scores = [
        model.fit(X[train], y[train]).score(X[test], y[test])
        for model in (
            SVC(C=1, gamma=0.02),
            CellClassifier(LASVC(C=1, gamma=0.02, random_state=0), cell_size=1000, random_state=0),
        )
    ]
    assert scores[1] > scores[0] - 0.015


def test_weights_are_passed():
    X, y = two_classes(400)
    weights = np.random.default_rng(0).uniform(0.1, 3, 400)
    model = CellClassifier(SVC(), cell_size=150, overlap=0.0, random_state=0)
    model.fit(X, y, sample_weight=weights)
    _, cells = grown(X, 150, 0.0)
    for rows, part in zip(cells, model.estimators_, strict=True):
        alone = SVC().fit(X[rows], y[rows], sample_weight=weights[rows])
        assert_array_equal(part.decision_function(X), alone.decision_function(X))


def test_invalid_parameters():
    X, y = two_classes(50)
    with pytest.raises(ValueError, match="'overlap' parameter .* Got 0.6"):
        CellClassifier(overlap=0.6).fit(X, y)
    with pytest.raises(ValueError, match="'cell_size' parameter .* Got 1"):
        CellClassifier(cell_size=1).fit(X, y)
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        CellClassifier().fit(X, np.zeros(50))


# Clusters in a space of many features: nearly every cell has samples of all classes.
def clusters(n, n_features, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(10, n_features)) * 4.5 / np.sqrt(2 * n_features)
    y = rng.integers(0, 10, n)
    return rng.normal(size=(n, n_features)) + centers[y], y


@pytest.fixture
def small_comparisons(monkeypatch):
    set_limits(monkeypatch, MOST_COMPARED=800, LEAST_COMPARED=300, CELL_SAMPLES_PER_COMPARED=4)


INACCURATE = "Cells are probably less accurate than one model"


@pytest.mark.slow
def test_a_warning_where_one_model_is_more_accurate(small_comparisons):
    X, y = clusters(2500, 400)
    model = CellClassifier(LASVC(C=10, gamma=0.00125), cell_size=800, random_state=0)
    with pytest.warns(UserWarning, match=INACCURATE) as record:
        model.fit(X, y, sample_weight=np.ones(2500))
    assert record[0].filename == __file__
    X, y = make_friedman1(2000, noise=0.1, random_state=0)
    model = CellRegressor(LASVR(C=10, epsilon=0.1), cell_size=500, random_state=0)
    with pytest.warns(UserWarning, match=INACCURATE):
        model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=INACCURATE):
            clone(model).fit(X, y)


def test_no_warning_where_cells_are_more_accurate(small_comparisons):
    # Linear models in cells can follow the absolute value, a single one cannot: the increase is -8
    # standard errors or less. Near 0 its sign, and so the warning, would depend on the samples.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = np.where(np.abs(X[:, 0]) > 0.7, 1, -1)
    y[:100] = 2  # a class of its own, without structure
    targets = np.abs(X[:, 0]) + rng.normal(size=3000)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        linear = LASVC(kernel="linear"), LASVR(epsilon=0.5, kernel="linear")
        CellClassifier(linear[0], cell_size=800, random_state=0).fit(X, y)
        CellRegressor(linear[1], cell_size=800, random_state=0).fit(X, targets)
        # Too few samples for a comparison.
        CellClassifier(LASVC(C=10, gamma=0.00125), cell_size=250).fit(*clusters(500, 400))


@pytest.mark.slow
def test_the_comparison_needs_no_search(small_comparisons, monkeypatch):
    X, y = clusters(2500, 400)
    search = GridSearchCV(LASVC(gamma=0.00125, random_state=0), {"C": [10.0, 11.0]}, cv=2)
    model = CellClassifier(search, cell_size=800, random_state=0)
    calls = []
    fit = GridSearchCV.fit
    monkeypatch.setattr(
        GridSearchCV, "fit", lambda self, X, y: (calls.append(len(y)), fit(self, X, y))[1]
    )
    with pytest.warns(UserWarning, match="or fit LASVC to all samples"):
        model.fit(X, y)
    assert len(calls) == model.n_cells_


def test_models_without_the_caches_of_their_training():
    fitted = []

    class Noted(LASVC):
        def fit(self, X, y):
            fitted.append(self)
            return super().fit(X, y)

    X, y = two_classes(400)
    model = CellClassifier(Noted(**SVM), cell_size=100, random_state=0).fit(X, y)
    assert len(fitted) == model.n_cells_
    assert not {id(each) for each in fitted} & {id(each) for each in model.estimators_}
    # They are copies, which compute the kernel values again that the original has cached.
    alone = LASVC(max_iter=1, **SVM).fit(X[:300], y[:300])
    copied = copy.deepcopy(alone)
    before = alone.n_kernel_evaluations_
    for each in (alone, copied):
        each.partial_fit(X[300:], y[300:])
    assert_array_equal(copied.decision_function(X), alone.decision_function(X))
    assert copied.n_kernel_evaluations_ > alone.n_kernel_evaluations_ > before


def test_models_of_a_stream_share_the_size_of_the_cache():
    X, y = two_classes(400)
    model = CellClassifier(LASVC(cache_size=64, **SVM), cell_size=100, random_state=0)
    model.partial_fit(X, y, classes=np.unique(y))
    assert model.n_cells_ > 2
    assert_allclose([each.cache_size for each in model.estimators_], 64 / model.n_cells_)
    continued = CellClassifier(LASVC(cache_size=64, **SVM), cell_size=150, random_state=0)
    continued.fit(X, y).partial_fit(X[:10], y[:10])
    shares = [each.cache_size for each in continued.estimators_]
    assert_allclose(shares, 64 / continued.n_cells_)
