"""Training on worker processes, one of which is killed."""

import os
import signal

import joblib
import pytest
from numpy.testing import assert_array_equal
from sklearn.multiclass import OneVsRestClassifier

from sklearn_online_svm import LASVC, AROWClassifier, PassiveAggressiveClassifier
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.distributed import fit_cells, fit_linear, predict
from tests.support.samples import three_classes

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")


class KillsItsWorker(LASVC):
    """A classifier whose first ``fit`` in all processes ends the process of the worker."""

    def __init__(self, path=None, C=1.0, gamma="scale", random_state=None):
        super().__init__(C=C, gamma=gamma, random_state=random_state)
        self.path = path

    def fit(self, X, y, sample_weight=None):
        if self.path is not None:
            try:
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y, sample_weight)


@pytest.fixture(scope="module")
def client():
    """A cluster of two processes, for all tests of this module: their start takes seconds."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def samples():
    X, y = three_classes(1500)
    return X, y, da.from_array(X, chunks=(300, 4)), da.from_array(y, chunks=300)


def cells(path=None):
    estimator = KillsItsWorker(path, gamma=0.5)
    return CellClassifier(estimator, cell_size=70, random_state=0)


def test_processes_give_the_model_of_threads(client):
    X, _, X_array, y_array = samples()
    found = fit_cells(cells(), X_array, y_array)
    with dask.config.set(scheduler="synchronous"):
        expected = fit_cells(cells(), X_array, y_array)
    assert found.n_cells_ == expected.n_cells_ > 30
    assert_array_equal(found.decision_function(X), expected.decision_function(X))
    linear = fit_linear(AROWClassifier(), X_array, y_array, epochs=2)
    with dask.config.set(scheduler="synchronous"):
        expected = fit_linear(AROWClassifier(), X_array, y_array, epochs=2)
    assert_array_equal(linear.coef_, expected.coef_)
    values = predict(found, X_array, method="decision_function")
    assert_array_equal(values[:300], found.decision_function(X[:300]))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="processes cannot be killed")
def test_a_killed_worker_changes_nothing(client, tmp_path):
    X, _, X_array, y_array = samples()
    before = set(client.scheduler_info(n_workers=-1)["workers"])
    found = fit_cells(cells(str(tmp_path / "killed")), X_array, y_array)
    assert (tmp_path / "killed").exists()
    client.wait_for_workers(2)
    assert set(client.scheduler_info(n_workers=-1)["workers"]) != before
    with dask.config.set(scheduler="synchronous"):
        expected = fit_cells(cells(), X_array, y_array)
    assert_array_equal(found.cell_sizes_, expected.cell_sizes_)
    assert_array_equal(found.tree_.directions, expected.tree_.directions)
    assert_array_equal(found.decision_function(X), expected.decision_function(X))
    for cell, other in zip(found.estimators_, expected.estimators_, strict=True):
        if hasattr(cell, "support_"):
            assert_array_equal(cell.support_vectors_, other.support_vectors_)
            assert_array_equal(cell.dual_coef_, other.dual_coef_)


@pytest.mark.parametrize(
    "estimator", [LASVC(gamma=0.5, random_state=0), PassiveAggressiveClassifier(random_state=0)]
)
def test_one_versus_rest_on_workers(client, estimator):
    X, y, *_ = samples()
    model = OneVsRestClassifier(estimator, n_jobs=-1)
    expected = OneVsRestClassifier(estimator).fit(X[:600], y[:600])
    with joblib.parallel_config(backend="dask"):
        found = model.fit(X[:600], y[:600])
    assert_array_equal(found.decision_function(X), expected.decision_function(X))
    assert len(found.estimators_) == 3
