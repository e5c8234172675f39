"""Predictions by partitions."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from sklearn_online_svm import LASVC
from sklearn_online_svm.distributed import predict
from tests.support.samples import three_classes, two_classes

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pandas = pytest.importorskip("pandas")

METHODS = ["predict", "decision_function", "predict_proba"]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def fitted(make, frame=False):
    X, y = make(200)
    X = pandas.DataFrame(X, columns=list("abcd")) if frame else X
    return X, LASVC(gamma=0.5, probability=True, random_state=0).fit(X, y)


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("chunks", [(70, 4), (70, 2)])
def test_arrays(make, method, chunks):
    X, model = fitted(make)
    found = predict(model, da.from_array(X, chunks=chunks), method=method)
    expected = np.concatenate([getattr(model, method)(X[i : i + 70]) for i in (0, 70, 140)])
    assert found.shape == expected.shape
    assert found.chunks[0] == (70, 70, 60)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("method", METHODS)
def test_arrays_of_unknown_sizes(make, method):
    X, model = fitted(make)
    given = da.from_array(X, chunks=(50, 4))
    given = given[(given[:, 0] > 0) & (da.arange(200, chunks=50) >= 50)]
    chosen = X[50:][X[50:, 0] > 0]
    found, expected = (
        predict(model, given, method=method).compute(),
        getattr(model, method)(chosen),
    )
    if method == "predict":
        np.testing.assert_array_equal(found, expected)
    else:
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("method", METHODS)
def test_frames(make, method):
    X, model = fitted(make, frame=True)
    # The first partition has no samples with a > 0.
    X = X.sort_values("a").set_index(np.arange(200) * 2 + 1)
    table = dd.from_pandas(X, npartitions=3)
    found = predict(model, table[table["a"] > 0], method=method)
    chosen = X[X["a"] > 0]
    expected = getattr(model, method)(chosen)
    values = found.compute()
    assert values.index.tolist() == chosen.index.tolist()
    if expected.ndim == 2:
        assert list(found.columns) == list(values.columns) == list(model.classes_)
        np.testing.assert_allclose(values, expected)
    else:
        assert found.dtype == values.dtype
        assert values.name == method
        assert values.tolist() == pytest.approx(expected.tolist())


def test_several_outputs_of_any_estimator():
    X, _ = two_classes(100)
    model = LinearRegression().fit(X, X[:, :2] + 1)
    found = predict(model, da.from_array(X, chunks=(40, 4)))
    np.testing.assert_allclose(found.compute(), X[:, :2] + 1)
    table = dd.from_pandas(pandas.DataFrame(X), npartitions=2)
    np.testing.assert_allclose(predict(model, table).compute(), X[:, :2] + 1)


def test_the_model_is_in_the_graph_once():
    X, model = fitted(three_classes)
    size = len(pickle.dumps(model))
    values = predict(model, da.from_array(X, chunks=(5, 4)))
    table = predict(model, dd.from_pandas(pandas.DataFrame(X), npartitions=40))
    for graph in (values.__dask_graph__(), table.optimize().__dask_graph__()):
        assert len(pickle.dumps(dict(graph))) < 2 * size + 60_000
    assert 40 * size > 2 * (2 * size + 60_000)


def test_errors():
    X, model = fitted(two_classes)
    with pytest.raises(NotFittedError):
        predict(LASVC(), da.from_array(X))
    with pytest.raises(ValueError, match="LASVC has no method 'transform'"):
        predict(model, da.from_array(X), method="transform")
    with pytest.raises(TypeError, match="X must be a dask array or a dask DataFrame, got ndarray"):
        predict(model, X)
