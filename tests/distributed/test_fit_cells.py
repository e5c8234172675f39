"""Training of cells by partitions, with the schedulers of dask for one process."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import make_friedman1
from sklearn.linear_model import Ridge

from sklearn_online_svm import LASVC, LASVR
from sklearn_online_svm.cells import CellClassifier, CellRegressor
from sklearn_online_svm.distributed import fit_cells, read_partitions
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.readers import read_csv, read_parquet, read_svmlight
from tests.support.internals import CellTree
from tests.support.internals import _cells as implementation
from tests.support.limits import set_limits
from tests.support.samples import LAYOUTS, three_classes, two_classes

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")

SVM = LASVC(C=1.0, gamma=0.5, random_state=0)


def classifier(cell_size=60, **options):
    return CellClassifier(SVM, cell_size=cell_size, **{"random_state": 0, **options})


def arrays(X, y, chunks=350):
    return da.from_array(X, chunks=(chunks, X.shape[1])), da.from_array(y, chunks=chunks)


def unknown(collection):
    """Return an array with unknown chunks, some without samples."""
    pieces = [collection.blocks[i][:0] if i == 1 else collection.blocks[i] for i in range(3)]
    whole = da.concatenate([*pieces, collection.blocks[1], collection.blocks[3:]])
    return whole[da.ones(whole.shape[0], chunks=whole.chunks[0]) > 0]


def frames(X, y):
    frame = pandas.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    return dd.from_pandas(frame.assign(label=y), npartitions=3)


def partitions(X, y, n=3):
    rows = np.array_split(np.arange(len(y)), n)
    return [dask.delayed((X[part], y[part])) for part in rows]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("chunks", [100, 240, 500])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_few_samples_give_the_model_of_fit(layout, chunks):
    X, y = three_classes(500)
    given = LAYOUTS[layout](X)
    expected = classifier(cell_size=130).fit(given, y)
    found = fit_cells(classifier(cell_size=130), partitions(given, y, 500 // chunks))
    assert found.n_cells_ == expected.n_cells_ > 1
    assert_array_equal(found.decision_function(given), expected.decision_function(given))
    assert_array_equal(found.classes_, [10, 20, 30])
    assert found.n_features_in_ == X.shape[1]


@pytest.mark.parametrize("make", ["arrays", "chunks", "columns", "unknown", "column", "series"])
def test_collections_of_all_kinds(make):
    X, y = two_classes(400)
    X_array, y_array = arrays(X, y, 100)
    table = frames(X, y)
    given = {
        "arrays": (X_array, y_array),
        "chunks": (X_array, y_array.rechunk(70)),
        "columns": (X_array.rechunk((100, 3)), y_array),
        "unknown": (unknown(X_array), unknown(y_array)),
        "column": (table, "label"),
        "series": (table.drop(columns="label"), table["label"]),
    }[make]
    found = fit_cells(classifier(cell_size=100), *given)
    names = [f"f{i}" for i in range(X.shape[1])]
    order = np.arange(400)
    if make == "unknown":
        order = np.r_[0:100, 200:300, 100:200, 300:400]
    expected = classifier(cell_size=100).fit(X[order], y[order])
    if make in ("column", "series"):
        assert_array_equal(found.feature_names_in_, names)
        X = pandas.DataFrame(X, columns=names)
    assert_array_equal(found.decision_function(X), expected.decision_function(np.asarray(X)))
    assert_array_equal(found.predict(X), expected.predict(np.asarray(X)))


@pytest.mark.parametrize("overlap", [0.0, 0.2])
def test_cells_have_the_samples_that_the_tree_assigns_to_them(overlap, monkeypatch):
    set_limits(monkeypatch, N_SAMPLED=800)
    X, y = make_friedman1(3000, n_features=5, random_state=0)
    model = CellRegressor(Ridge(), cell_size=60, overlap=overlap, random_state=0)
    found = fit_cells(model, *arrays(X, y))
    assert found.cell_sizes_.max() <= 60
    assert found.n_cells_ == len(found.tree_.children) + 1 == len(found.cell_sizes_)
    weights = np.zeros(len(y))
    for cell, rows, share in found.tree_.parts(X):
        assert len(rows) == found.cell_sizes_[cell]
        alone = Ridge().fit(X[rows], y[rows])
        assert_array_equal(found.estimators_[cell].coef_, alone.coef_)
        weights[rows] += share
    np.testing.assert_allclose(weights, 1.0)
    # The overlaps have the same share as without partitions, up to the sampling of 800 of 3000.
    whole = model.fit(X, y)
    ratio = found.cell_sizes_.sum() / whole.cell_sizes_.sum()
    assert abs(ratio - 1) < (1e-9 if overlap == 0 else 0.05)


def test_a_sample_for_the_cuts_is_uniform(monkeypatch):
    set_limits(monkeypatch, N_SAMPLED=500)
    X = np.arange(20_000.0)[:, None]
    model = CellRegressor(Ridge())
    sizes = [50, 12_000, 400, 0, 7550]
    parts = np.split(X, np.cumsum(sizes)[:-1])
    summaries = [
        implementation._summary(model, (0, number), (part, part[:, 0], None))
        for number, part in enumerate(parts)
    ]
    merged = implementation._merged([implementation._merged(summaries[:2]), *summaries[2:]])
    assert merged.n_samples == 20_000
    chosen = merged.samples[0][:, 0]
    assert_array_equal(merged.samples[1], chosen)
    assert len(np.unique(chosen)) == 500
    counts = np.histogram(chosen, bins=10, range=(0, 20_000))[0]
    assert np.sum((counts - 50) ** 2 / 50) < 27.9  # chi-square, 9 degrees of freedom, p = 0.001


def test_a_warning_where_one_model_is_more_accurate(monkeypatch):
    set_limits(monkeypatch, MOST_COMPARED=500, LEAST_COMPARED=300, CELL_SAMPLES_PER_COMPARED=3)
    X, y = make_friedman1(2000, noise=0.1, random_state=0)
    model = CellRegressor(LASVR(C=10, epsilon=0.1), cell_size=500, random_state=0)
    with pytest.warns(UserWarning, match="less accurate than one model") as record:
        fit_cells(model, *arrays(X, y), sample_weight=da.ones(2000, chunks=350))
    assert record[0].filename == __file__


def test_the_order_of_tasks_does_not_matter():
    X, y = three_classes(2000)
    model = CellClassifier(LASVC(gamma=0.5), cell_size=50, random_state=3)
    first = fit_cells(model, *arrays(X, y))
    with dask.config.set(scheduler="threads", num_workers=3):
        second = fit_cells(model, *arrays(X, y))
    assert_array_equal(first.decision_function(X), second.decision_function(X))
    seeds = [cell.random_state for cell in first.estimators_ if hasattr(cell, "random_state")]
    assert len(set(seeds)) == len(seeds) > 20
    assert not hasattr(model, "tree_")


def test_random_state_none_gives_another_model_each_time():
    X, y = two_classes(2000)
    models = [fit_cells(classifier(random_state=None), *arrays(X, y)) for _ in range(2)]
    assert not np.array_equal(*(model.tree_.directions for model in models))


def test_regression_with_several_outputs():
    X, y = make_friedman1(1500, n_features=5, random_state=0)
    Y = np.column_stack([y, -2 * y])
    model = CellRegressor(Ridge(), cell_size=100, random_state=0)
    X_array, _ = arrays(X, y)
    found = fit_cells(model, X_array, da.from_array(Y, chunks=(350, 1)))
    values = found.predict(X)
    assert values.shape == (1500, 2)
    np.testing.assert_allclose(values[:, 1], -2 * values[:, 0])
    single = fit_cells(model, *arrays(X, y)).predict(X)
    np.testing.assert_allclose(values[:, 0], single)
    assert np.corrcoef(single, y)[0, 1] > 0.9


def test_sample_weights_are_passed_to_the_models():
    X, y = two_classes(1200)
    weights = np.where(np.arange(1200) % 3, 1.0, 0.0)
    X_array, y_array = arrays(X, y)
    found = fit_cells(classifier(400), X_array, y_array, sample_weight=da.from_array(weights))
    expected = classifier(400).fit(X, y, weights)
    assert_array_equal(found.decision_function(X), expected.decision_function(X))
    parts = [
        dask.delayed((X[rows], y[rows], weights[rows]))
        for rows in np.array_split(np.arange(1200), 2)
    ]
    assert_array_equal(
        fit_cells(classifier(400), parts).decision_function(X), expected.decision_function(X)
    )


def test_a_search_tunes_each_cell():
    X, y = two_classes(600, noise=0.2)
    search = ProgressiveSearch(
        LASVC(random_state=0), {"C": [0.1, 10.0], "gamma": [0.1, 1.0]}, random_state=0
    )
    found = fit_cells(CellClassifier(search, cell_size=120, random_state=0), *arrays(X, y))
    assert found.n_cells_ > 4
    assert all(set(cell.best_params_) == {"C", "gamma"} for cell in found.estimators_)


def test_cells_with_a_single_class():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-5, 1, (600, 2)), rng.normal(5, 1, (600, 2))])
    y = np.repeat(["b", "a"], 600)
    found = fit_cells(classifier(100, overlap=0.0), *arrays(X, y))
    assert all(len(cell.classes_) == 1 for cell in found.estimators_)
    assert_array_equal(found.predict(X), y)


def test_a_group_without_samples_has_the_cells_of_the_nearest_one():
    X = np.random.default_rng(0).normal(size=(4000, 2))
    upper, groups = CellTree.grow(X, 600, 0.1, np.random.RandomState(0))
    lower = [CellTree.grow(X[rows], 300, 0.1, np.random.RandomState(0))[0] for rows in groups]
    whole = implementation._grafted(upper, lower)
    n_cells = [len(tree.children) + 1 for tree in lower]
    assert len(whole.children) + 1 == sum(n_cells)
    for missing in ([0], [3], [6, len(lower) - 1], [1, 2]):
        given = [None if group in missing else tree for group, tree in enumerate(lower)]
        tree = implementation._grafted(upper, given)
        total, seen = np.zeros(len(X)), set()
        for cell, rows, weights in tree.parts(X):
            total[rows] += weights
            seen.add(cell)
        np.testing.assert_allclose(total, 1.0)
        assert seen == set(range(sum(n for n, part in zip(n_cells, given) if part is not None)))


def test_equal_samples_are_one_cell():
    X, y = np.ones((900, 3)), np.tile([0, 1], 450)
    found = fit_cells(classifier(cell_size=20), *arrays(X, y))
    assert found.cell_sizes_.tolist() == [900]


def test_files(tmp_path):
    from sklearn.datasets import dump_svmlight_file

    X, y = three_classes(300)
    expected = classifier(100).fit(X, y)
    paths = {kind: [tmp_path / f"{i}.{kind}" for i in range(3)] for kind in ("svm", "csv", "pq")}
    for i, rows in enumerate(np.array_split(np.arange(300), 3)):
        dump_svmlight_file(X[rows], y[rows], str(paths["svm"][i]), zero_based=False)
        table = pandas.DataFrame(X[rows], columns=list("abcd")).assign(label=y[rows])
        table.to_csv(paths["csv"][i], index=False)
    found = read_partitions(
        read_svmlight, paths["svm"], n_features=4, zero_based=False, chunk_size=40
    )
    values = fit_cells(classifier(100), found).decision_function(sparse.csr_matrix(X))
    np.testing.assert_allclose(values, expected.decision_function(X), atol=1e-4)
    table = pandas.DataFrame(X, columns=list("abcd"))
    found = read_partitions(read_csv, paths["csv"], target="label", chunk_size=40)
    values = fit_cells(classifier(100), found).decision_function(table)
    np.testing.assert_allclose(values, expected.decision_function(X), atol=1e-4)
    pytest.importorskip("pyarrow")
    for csv, parquet in zip(paths["csv"], paths["pq"], strict=True):
        pandas.read_csv(csv).to_parquet(parquet)
    again = read_partitions(read_parquet, paths["pq"], target="label")
    assert_array_equal(fit_cells(classifier(100), again).decision_function(table), values)


def test_errors_of_files(tmp_path):
    with pytest.raises(ValueError, match="paths is empty"):
        read_partitions(read_csv, [], target="a")
    for options in ({}, {"n_features": 3}, {"zero_based": True}, {"zero_based": "auto"}):
        with pytest.raises(ValueError, match="read_svmlight needs n_features, and zero_based"):
            read_partitions(read_svmlight, ["a.svm"], **options)
    (tmp_path / "empty.svm").write_text("")
    parts = read_partitions(read_svmlight, [tmp_path / "empty.svm"], n_features=3, zero_based=True)
    with pytest.raises(ValueError, match=r"empty.svm'\) has no samples"):
        fit_cells(classifier(), parts)


def test_errors():
    X, y = two_classes(300)
    X_array, y_array = arrays(X, y, 100)
    with pytest.raises(TypeError, match="model must be a CellClassifier .* got LASVC"):
        fit_cells(SVM, X_array, y_array)
    with pytest.raises(ValueError, match="'cell_size' parameter"):
        fit_cells(classifier(cell_size=0), X_array, y_array)
    with pytest.raises(TypeError, match="X must be a dask array, .* got ndarray"):
        fit_cells(classifier(), X, y)
    with pytest.raises(TypeError, match="y must be a dask array, .* got ndarray"):
        fit_cells(classifier(), X_array, y)
    with pytest.raises(ValueError, match="y has 2 partitions and X has 3"):
        fit_cells(classifier(), X_array, da.from_array(y[:200], chunks=100))
    with pytest.raises(ValueError, match="y='b' is not the name of a column of X"):
        fit_cells(classifier(), frames(X, y), "b")
    with pytest.raises(ValueError, match="y and sample_weight must be None if X is a list"):
        fit_cells(classifier(), partitions(X, y), y_array)
    with pytest.raises(ValueError, match="greater than one; got 1 class"):
        fit_cells(classifier(), X_array, da.ones(300, chunks=100))
    with pytest.raises(ValueError, match="Found 0 samples in all partitions"):
        fit_cells(classifier(), [dask.delayed((X[:0], y[:0]))])
    with pytest.raises(ValueError, match="different features: n_features_in_ 4, 3"):
        fit_cells(classifier(), [*partitions(X, y), dask.delayed((X[:, :3], y))])
    with pytest.raises(ValueError, match="Input X contains NaN"):
        fit_cells(classifier(), da.where(X_array > 2, np.nan, X_array), y_array)
    shapes = [dask.delayed((X, X[:, :k])) for k in (2, 3)]
    with pytest.raises(ValueError, match=r"different shapes: \(2,\), \(3,\)"):
        fit_cells(CellRegressor(Ridge()), shapes)


def test_partial_fit_continues_the_model(monkeypatch):
    set_limits(monkeypatch, N_SAMPLED=200)
    X, y = two_classes(1200)
    model = fit_cells(classifier(), partitions(X[:1000], y[:1000]))
    # The root has all samples, not only those of the uniform sample; each node has fewer than the
    # one above.
    tree, n_cells = model.tree_, model.n_cells_
    assert tree.n_divided[0] == 1000
    for parent, pair in enumerate(tree.children):
        for child in pair[pair >= 0]:
            assert tree.n_divided[child] < tree.n_divided[parent]
    model.partial_fit(X[1000:], y[1000:])
    assert model.n_samples_seen_ == 200
    assert model.n_cells_ >= n_cells
    assert model.cell_sizes_.sum() >= 1200
