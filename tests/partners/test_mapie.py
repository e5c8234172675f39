"""Prediction sets and intervals of MAPIE around our models."""

import numpy as np
import pytest
from sklearn.base import clone

from sklearn_online_svm import LASVC, LASVR, AROWClassifier, PassiveAggressiveRegressor
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from tests.support.samples import three_classes

classification = pytest.importorskip("mapie.classification", reason="mapie is missing")
regression = pytest.importorskip("mapie.regression")

X, Y = three_classes(900)
FIT, CONFORMALIZE, TEST = slice(300), slice(300, 600), slice(600, None)
LEVEL = 0.9


def name_of(model):
    return type(model).__name__


@pytest.mark.parametrize("score", ["lac", "aps"])
@pytest.mark.parametrize(
    "model",
    [LASVC(probability=True, random_state=0), OnlineCalibratedClassifier(AROWClassifier())],
    ids=name_of,
)
def test_prediction_sets(model, score):
    mapie = classification.SplitConformalClassifier(
        clone(model), confidence_level=LEVEL, conformity_score=score, prefit=False
    )
    mapie.fit(X[FIT], Y[FIT]).conformalize(X[CONFORMALIZE], Y[CONFORMALIZE])
    _, sets = mapie.predict_set(X[TEST])
    covered = sets[np.arange(300), Y[TEST] // 10 - 1, 0]
    # "aps" adds the class with which the sum of probabilities reaches the level.
    assert LEVEL - 0.06 < covered.mean() < (LEVEL + 0.06 if score == "lac" else 1)
    assert 0.9 < sets.sum(axis=1).mean() < 2.5


@pytest.mark.parametrize(
    "model", [LASVR(random_state=0), PassiveAggressiveRegressor(C=0.01)], ids=name_of
)
@pytest.mark.parametrize("kind", ["SplitConformalRegressor", "CrossConformalRegressor"])
def test_intervals(model, kind):
    target = X[:, 0] - X[:, 1] + 0.2 * np.random.default_rng(1).normal(size=900)
    if kind == "SplitConformalRegressor":
        mapie = regression.SplitConformalRegressor(model, confidence_level=LEVEL, prefit=False)
        mapie.fit(X[FIT], target[FIT]).conformalize(X[CONFORMALIZE], target[CONFORMALIZE])
    else:
        mapie = regression.CrossConformalRegressor(model, confidence_level=LEVEL, cv=3)
        mapie.fit_conformalize(X[:600], target[:600])
    _, intervals = mapie.predict_interval(X[TEST])
    low, high = intervals[:, 0, 0], intervals[:, 1, 0]
    assert 0.84 < np.mean((low <= target[TEST]) & (target[TEST] <= high)) < 0.97
    assert np.mean(high - low) < 3
