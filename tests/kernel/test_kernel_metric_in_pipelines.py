"""KernelMetric with searches, streams, files and graphs of ONNX."""

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_online_svm import LASVC, KernelAROWClassifier, KernelMetric, OneClassLASVM
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.model_selection import ProgressiveSearch
from sklearn_online_svm.pipeline import make_online_pipeline


def samples(n, seed=0):
    """Samples of which two features count."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 20))
    return X, np.where(X[:, 0] * X[:, 1] + 0.1 * rng.normal(size=n) > 0, "yes", "no")


def svm(**params):
    return LASVC(**{"kernel": "laplacian", "gamma": 1.0, "C": 8.0, "random_state": 0, **params})


class Noted(KernelMetric):
    """KernelMetric that notes the samples of its fits."""

    fits = []

    def fit(self, X, y=None, sample_weight=None):
        Noted.fits.append(X.tobytes())
        return super().fit(X, y, sample_weight)


@pytest.fixture
def noted(monkeypatch):
    monkeypatch.setattr(Noted, "fits", [])
    return Noted(random_state=0)


GRID = {"lasvc__C": [1.0, 8.0, 64.0], "lasvc__gamma": [0.5, 1.0, 2.0]}


def test_a_search_learns_widths_once_for_each_training_set(noted):
    X, y = samples(900)
    search = ProgressiveSearch(make_pipeline(noted, svm()), GRID, random_state=0).fit(X, y)
    assert 3 < len(Noted.fits) == len(set(Noted.fits))
    assert search.score(*samples(1000, 1)) > 0.9


def test_the_memory_of_a_pipeline_learns_widths_once_for_each_fold(noted, tmp_path):
    X, y = samples(900)
    pipeline = make_pipeline(noted, svm(), memory=str(tmp_path))
    search = GridSearchCV(pipeline, GRID, cv=3).fit(X, y)
    assert len(Noted.fits) == len(set(Noted.fits)) == 4
    assert search.best_score_ > 0.85


def test_a_stream_learns_widths_of_its_first_samples():
    X, y = samples(3000)
    stream = make_online_pipeline(KernelMetric(random_state=0), svm(), freeze_after=2000)
    for first in range(0, 3000, 500):
        chunk = slice(first, first + 500)
        stream.partial_fit(X[chunk], y[chunk], classes=["no", "yes"])
        assert stream.frozen_ == (first + 500 >= 2000)
        assert stream[0].is_learned_
    assert stream.score(*samples(1000, 1)) > 0.9


def test_new_widths_from_support_vectors_and_the_latest_samples():
    """After a change, the features that count are others."""
    X, y = samples(3000)
    stream = make_online_pipeline(KernelMetric(random_state=0), svm(), freeze_after=1000)
    stream.partial_fit(X, y, classes=["no", "yes"])
    metric, model = stream[0], stream[-1]
    latest, y_latest = samples(3000, 1)
    latest = np.roll(latest, 3, axis=1)  # as if two other features counted
    vectors, labels = model.support_vectors_, np.repeat(model.classes_, model.n_support_)
    # Features that did not count before have small widths, which are no obstacle.
    after = make_online_pipeline(KernelMetric(ranks=False, random_state=0), svm())
    after.fit(
        np.concatenate([vectors, metric.transform(latest)]), np.concatenate([labels, y_latest])
    )
    assert {3, 4} <= set(np.argsort(after[0].feature_importances_)[-4:])
    X_test, y_test = samples(1000, 2)
    X_test = np.roll(X_test, 3, axis=1)
    assert stream.score(X_test, y_test) < 0.6
    assert after.score(metric.transform(X_test), y_test) > 0.85


@pytest.mark.parametrize(
    "model",
    [
        KernelAROWClassifier(kernel="laplacian", gamma=1.0, random_state=0),
        CellClassifier(svm(), cell_size=1000, random_state=0),
    ],
)
def test_other_classifiers(model):
    X, y = samples(3000)
    scores = [
        make_pipeline(KernelMetric(**params), model).fit(X, y).score(*samples(1000, 1))
        for params in (dict(random_state=0), dict(shrinkage=np.inf))
    ]
    assert scores[0] > scores[1] + 0.02


def test_novelty_detection_has_no_targets():
    X, _ = samples(500)
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        make_pipeline(KernelMetric(), OneClassLASVM()).fit(X)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("params", [dict(), dict(form="map", kernel="rbf"), dict(ranks=False)])
def test_graphs_of_onnx_give_the_scores(params, dtype):
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    import sklearn_online_svm.onnx  # noqa: F401

    X, y = samples(1200)
    X[:, 2] = np.arange(1200) % 2
    X[:, 3] = 7.0
    X = X.astype(dtype)
    metric = KernelMetric(**params, random_state=0)
    model = make_pipeline(metric, svm(kernel=metric.kernel)).fit(X[:600], y[:600])
    graph = skl2onnx.to_onnx(model, X[:1])
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    new = 3 * X[600:]  # also beyond the ends of the tables
    labels, scores = session.run(None, {"X": new})[:2]
    expected = model.decision_function(new)
    accuracy = 1e-3 if dtype == np.float32 else 1e-5
    np.testing.assert_allclose(scores.ravel(), expected, rtol=0, atol=accuracy)
    clear = np.abs(expected) > accuracy
    np.testing.assert_array_equal(labels[clear], model.predict(new)[clear])


def test_categorical_columns_cannot_be_converted():
    skl2onnx = pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    import sklearn_online_svm.onnx  # noqa: F401

    X, y = samples(400)
    X[:, 7] = np.arange(400) % 3
    metric = KernelMetric(categorical_features=[7], random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="categorical columns cannot be converted"):
        skl2onnx.to_onnx(metric, X[:1])
