"""The audit of labels by linear models."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier

from sklearn_online_svm.active import AllQuery, LabelEfficientClassifier
from sklearn_online_svm.datasets import flip_labels
from sklearn_online_svm.linear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.samples import LAYOUTS, three_classes, two_classes

JUDGES = [
    PassiveAggressiveClassifier(C=0.1),
    PassiveAggressiveClassifier(average=True, multi_class="crammer_singer"),
    PerceptronClassifier(),
    SecondOrderPerceptronClassifier(),
    ConfidenceWeightedClassifier(),
    SCWClassifier(C=0.1),
    AROWClassifier(),
    CostSensitivePassiveAggressiveClassifier(),
    LabelEfficientClassifier(AROWClassifier(), AllQuery()),
]
for_judges = pytest.mark.parametrize("judge", JUDGES, ids=str)


@for_judges
@pytest.mark.parametrize("problem", [two_classes, three_classes])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_suspects_have_the_smallest_margins(judge, problem, layout):
    X, y = problem(200)
    X = LAYOUTS[layout](X)
    model = judge.set_params(random_state=0).fit(X, y)
    before = pickle.dumps(model)
    scores = model.decision_function(X)
    if scores.ndim == 1:
        expected = np.where(y == model.classes_[1], scores, -scores)
    else:
        codes = np.searchsorted(model.classes_, y)
        rest = [np.delete(row, code).max() for row, code in zip(scores, codes)]
        expected = 0.5 * (scores[np.arange(len(y)), codes] - rest)
    suspects, margins = model.suspect_labels(X, y, return_margins=True)
    assert_allclose(margins, expected[suspects])
    assert set(suspects) == set(np.flatnonzero(expected < -1.0))
    order = np.argsort(expected, kind="stable")
    for n in (0, 7, np.int64(3), len(y), 10**9):
        assert_array_equal(model.suspect_labels(X, y, n_suspects=n), order[:n])
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("judge", [AROWClassifier(), PassiveAggressiveClassifier(average=True)])
def test_suspects_have_wrong_labels(judge):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 10))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    noisy, flipped = flip_labels(y, 0.1, random_state=0), None
    flipped = noisy != y
    model = judge.set_params(random_state=0).fit(X, noisy)
    found = flipped[model.suspect_labels(X, noisy, n_suspects=flipped.sum())]
    assert found.mean() > 0.85


@for_judges
def test_invalid_arguments(judge):
    X, y = two_classes(100)
    with pytest.raises((NotFittedError, AttributeError)):
        type(judge)().suspect_labels(X, y)
    model = judge.fit(X, y)
    for value in (-1, 1.5, "all", np.nan):
        with pytest.raises(ValueError, match="n_suspects must be an integer >= 0 or None, got"):
            model.suspect_labels(X, y, n_suspects=value)
    with pytest.raises(ValueError, match=r"not among the classes \['no', 'yes'\]: \['maybe'\]"):
        model.suspect_labels(X, np.r_[y[:-1], ["maybe"]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.suspect_labels(X, y[:-1])


def test_estimators_without_suspect_labels():
    X, y = two_classes(100)
    assert not hasattr(PassiveAggressiveRegressor(), "suspect_labels")
    other = LabelEfficientClassifier(SGDClassifier()).fit(X, y)
    assert not hasattr(other, "suspect_labels")
