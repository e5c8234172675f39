"""Our estimators in river, and models of river in our tools."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction import FeatureHasher
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LASVR, AROWClassifier, PassiveAggressiveRegressor
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.evaluation import progressive_validation
from sklearn_online_svm.pipeline import make_online_pipeline

compat = pytest.importorskip("river.compat", reason="river is missing")
river = pytest.importorskip("river")
pytest.importorskip("river.evaluate")

X, Y = make_banana_like(600, random_state=0)
CLASSIFIERS = [AROWClassifier(), LASVC(gamma=1.0), OnlineCalibratedClassifier(AROWClassifier())]


def name_of(model):
    return type(model).__name__


def dicts(values):
    return [dict(enumerate(sample)) for sample in values.tolist()]


def trained(model, X, y, **options):
    """One call for each sample, as in `learn_one`."""
    for sample, label in zip(X, y):
        model.partial_fit(sample[np.newaxis], [label], **options)
    return model


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
def test_learn_one(model):
    from river.evaluate import progressive_val_score
    from river.metrics import Accuracy

    converted = compat.convert_sklearn_to_river(model, classes=[-1, 1])
    metric = progressive_val_score(zip(dicts(X), Y.tolist()), converted, Accuracy())
    assert metric.get() > 0.75
    expected = trained(clone(model), X, Y, classes=[-1, 1])
    assert [converted.predict_one(x) for x in dicts(X[:50])] == expected.predict(X[:50]).tolist()


def test_probabilities():
    from river.evaluate import progressive_val_score
    from river.metrics import LogLoss

    model = OnlineCalibratedClassifier(AROWClassifier())
    converted = compat.convert_sklearn_to_river(model, classes=[False, True])
    metric = progressive_val_score(zip(dicts(X), (Y == 1).tolist()), converted, LogLoss())
    assert 0.3 < metric.get() < 0.6


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name_of)
def test_learn_many(model):
    pandas = pytest.importorskip("pandas")
    converted = compat.convert_sklearn_to_river(model, classes=[-1, 1])
    expected = clone(model)
    frame = pandas.DataFrame(X, columns=["a", "b"])
    for start in range(0, 600, 100):
        chunk = slice(start, start + 100)
        converted.learn_many(frame[chunk], pandas.Series(Y[chunk]))
        expected.partial_fit(X[chunk], Y[chunk], classes=[-1, 1])
    assert_array_equal(converted.predict_many(frame), expected.predict(X))


@pytest.mark.parametrize("model", [LASVR(), PassiveAggressiveRegressor(C=0.01)], ids=name_of)
def test_regressors(model):
    from river.evaluate import progressive_val_score
    from river.metrics import R2
    from river.preprocessing import StandardScaler as Scaler

    target = X[:, 0] - X[:, 1]
    pipeline = Scaler() | compat.convert_sklearn_to_river(model)
    assert progressive_val_score(zip(dicts(X), target.tolist()), pipeline, R2()).get() > 0.9


def test_models_of_river_in_our_tools():
    from river.linear_model import LogisticRegression, PAClassifier
    from river.tree import HoeffdingTreeClassifier

    for model in (LogisticRegression(), HoeffdingTreeClassifier(grace_period=50), PAClassifier()):
        converted = compat.convert_river_to_sklearn(model)
        result = progressive_validation(converted, X, Y, chunk_size=50)
        assert result.accuracy()[-1] > 0.6
        pipeline = make_online_pipeline(StandardScaler(), converted)
        for start in range(0, 600, 50):
            chunk = slice(start, start + 50)
            pipeline.partial_fit(X[chunk], Y[chunk], classes=[-1, 1])
        assert pipeline.score(X, Y) > 0.6


@pytest.mark.parametrize("kind", [int, str])
def test_probabilities_of_many_samples(kind):
    pandas = pytest.importorskip("pandas")
    labels = [kind(label) for label in (-1, 1)]
    y = Y.astype(kind)
    model = OnlineCalibratedClassifier(AROWClassifier())
    converted = compat.convert_sklearn_to_river(model, classes=labels)
    frame = pandas.DataFrame(X, columns=["a", "b"])
    converted.learn_many(frame, pandas.Series(y))
    if kind is int:
        with pytest.raises(TypeError, match="non-iterable int"):
            converted.predict_proba_many(frame)  # the page says so
        return
    expected = model.partial_fit(X, y, classes=labels).predict_proba(X)
    np.testing.assert_allclose(converted.predict_proba_many(frame).to_numpy(), expected)


def test_features_that_come_and_go():
    samples = [{f"x{j}": v for j, v in enumerate(x) if abs(v) > 0.5} for x in X.tolist()]
    model = make_online_pipeline(FeatureHasher(16), AROWClassifier())
    for start in range(0, 600, 50):
        chunk = slice(start, start + 50)
        model.partial_fit(samples[chunk], Y[chunk], classes=[-1, 1])
    assert model.score(samples, Y) > 0.7
