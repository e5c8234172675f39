"""One-vs-one models where others use their decision values: queries, sets, maps, cells."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVC, LabelEfficientClassifier, RampSVC
from sklearn_online_svm.active import AllQuery, MarginQuery, MarginSampling
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.cells import CellClassifier
from sklearn_online_svm.evaluation import AdaptiveConformalInference, progressive_validation
from tests.support.internals import PairValues, ScoreWindow, among_more_classes, pair_values

SHAPES = ["ovr", "ovo"]


def digits(n=None):
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))[:n]
    return X[order] / 16.0, y[order]


def pairwise(**params):
    return LASVC(C=10.0, gamma=0.3, multi_class="ovo", **params)


def margins(model, X):
    """Return the smallest |f| of the pairs of the predicted class."""
    values = pair_values(model, X).values
    first, second = np.triu_indices(len(model.classes_), 1)
    codes = np.searchsorted(model.classes_, model.predict(X))[:, None]
    return np.where((first == codes) | (second == codes), np.abs(values), np.inf).min(axis=1)


@pytest.mark.parametrize("break_ties", [False, True])
def test_scores_against_the_predicted_class(break_ties):
    # Values that are often 0, and equal votes.
    values = np.random.default_rng(0).integers(-2, 3, size=(200, 10)).astype(float)
    pairs = PairValues(values, 5, break_ties)
    scores, codes = pairs.against_predicted(), pairs.predicted()
    assert_array_equal(scores.argmax(axis=1), codes)
    first, second = np.triu_indices(5, 1)
    for i, code in enumerate(codes):
        for pair in np.flatnonzero((first == code) | (second == code)):
            other = first[pair] + second[pair] - code
            assert_allclose(scores[i, other], -np.abs(values[i, pair]), atol=1e-300)
    if break_ties:
        assert_array_equal(codes, pairs.of_classes().argmax(axis=1))


def test_pairs_among_more_classes():
    # Five classes, of which 1 and 3 have values; pairs: 01, 02, 03, 04, 12, 13, 14, 23, 24, 34.
    found = among_more_classes(np.array([[0.3], [-2.0]]), np.array([1, 3]), 5)
    assert_array_equal(found[:, 5], [0.3, -2.0])
    assert_array_equal(np.delete(found[0], 5), [-1, 0, -1, 0, 1, 1, -1, 0, 1])


# ------------------------------------------------------------------------------ queries


@pytest.mark.sampled
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ["alone", "ramp", "pipeline", "search", "stream", "cells"])
def test_margin_sampling_prefers_samples_near_the_boundary_of_the_pair_that_decides(kind, shape):
    X, y = digits(700)
    base = pairwise(decision_function_shape=shape, random_state=0)
    model = {
        "alone": base,
        "ramp": RampSVC(gamma=0.3, multi_class="ovo", decision_function_shape=shape),
        "pipeline": make_pipeline(StandardScaler(), clone(base).set_params(gamma="scale")),
        "search": GridSearchCV(base, {"C": [1.0, 10.0]}, cv=2),
        "stream": LabelEfficientClassifier(clone(base).set_params(gamma=0.3), AllQuery()),
        "cells": CellClassifier(base, cell_size=100, random_state=0),
    }[kind].fit(X[:300], y[:300])
    strategy = MarginSampling("all")
    expected = margins(model, X[300:])
    queried, utilities = strategy.query(model, X[300:], 20, return_utilities=True)
    assert_array_equal(queried, np.argsort(expected, kind="stable")[:20])
    assert_allclose(utilities[0], -expected, atol=1e-12)


@pytest.mark.slow
def test_selective_sampling(monkeypatch):
    """About as many labels are needed as in one-vs-rest, and fewer than with gaps of votes."""
    X, y = digits()

    def accuracies(**params):
        found = []
        for seed in range(3):
            base = LASVC(C=10.0, gamma=0.1, **params)
            model = LabelEfficientClassifier(base, MarginQuery(rate=0.15), random_state=seed)
            model.fit(X[:700], y[:700])
            online = (model.online_predictions_ == y[:700]).mean()
            found.append((online, model.score(X[700:], y[700:])))
        return np.mean(found, axis=0)

    one_vs_rest = accuracies()
    found = accuracies(multi_class="ovo", decision_function_shape="ovo")
    monkeypatch.setattr(PairValues, "against_predicted", PairValues.of_classes)
    votes = accuracies(multi_class="ovo")
    assert (found > one_vs_rest - [0.03, 0.01]).all()
    assert (found > votes + [0.02, 0.005]).all()


def test_predictions_of_selective_sampling_are_those_of_the_model():
    X, y = digits(150)
    classes = np.arange(10)
    model = LabelEfficientClassifier(pairwise(break_ties=True), AllQuery())
    model.partial_fit(X, y, classes=classes)
    alone, expected = pairwise(break_ties=True), [0]
    for i in range(150):
        if i:
            expected.append(alone.predict(X[i : i + 1])[0])
        alone.partial_fit(X[i : i + 1], y[i : i + 1], classes=classes)
    assert_array_equal(model.online_predictions_, expected)


def test_a_query_strategy_gets_the_distances_from_boundaries():
    X, y = digits(120)
    seen = []

    class Recorder(AllQuery):
        def query(self, scores, **numbers):
            seen.append(scores)
            return super().query(scores, **numbers)

    model = LabelEfficientClassifier(pairwise(), Recorder())
    model.partial_fit(X[:60], y[:60], classes=np.arange(10))
    before = pickle.loads(pickle.dumps(model.estimator_))
    model.partial_fit(X[60:61], y[60:61])
    ordered = np.sort(seen[-1][0])
    assert ordered[-1] == 0.0
    assert_allclose(-ordered[-2], margins(before, X[60:61])[0])


# ------------------------------------------------------------------------------ sets


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("probability", [False, True])
def test_prediction_sets(shape, probability):
    X, y = digits(900)
    sets = AdaptiveConformalInference(confidence_level=0.95, step_size=0.02)
    model = pairwise(decision_function_shape=shape, probability=probability)
    result = progressive_validation(model, X, y, prediction_sets=sets)
    assert abs(result.coverage()[-1] - 0.95) < 0.03
    expected = result.prediction_sets.predict_set(result.estimator, X[:50])
    other = result.estimator.set_params(decision_function_shape="ovr")
    assert_array_equal(result.prediction_sets.predict_set(other, X[:50]), expected)
    assert expected.shape == (50, 10)


# ------------------------------------------------------------------------------ maps


@pytest.mark.parametrize("shape", SHAPES)
def test_online_calibration_uses_the_values_of_pairs(shape):
    X, y = digits()
    model = OnlineCalibratedClassifier(pairwise(decision_function_shape=shape))
    for first in range(0, 900, 250):
        rows = slice(first, min(first + 250, 900))
        model.partial_fit(X[rows], y[rows], classes=np.arange(10))
    window = model._window
    assert window.of_pairs and window.scores.shape == (900, 45)
    assert_array_equal(window.scores[:30], 0.0)
    alone = pairwise(decision_function_shape="ovo").partial_fit(X[:30], y[:30], np.arange(10))
    assert_array_equal(window.scores[30:60], alone.decision_function(X[30:60]))
    p = model.predict_proba(X[900:])
    assert_allclose(p.sum(axis=1), 1.0)
    assert log_loss(y[900:], p) < 0.25
    other = pickle.loads(pickle.dumps(model))
    assert_array_equal(other.predict_proba(X[900:]), p)


def test_scores_of_a_window_among_more_classes():
    # The score of two classes is positive for the second one.
    two = ScoreWindow(2, np.array([[1.5], [-0.5]]), np.array([1, 0]), np.ones(2))
    three = two.among_pairs(np.array([0, 2]), 3)
    assert_array_equal(three.scores, [[1.0, -1.5, -1.0], [1.0, 0.5, -1.0]])
    assert_array_equal(three.codes, [2, 0])
    four = three.among_pairs(np.array([0, 1, 3]), 4)
    assert_array_equal(four.scores[0], [1.0, 1.0, -1.5, 1.0, -1.0, -1.0])
    assert four.of_pairs and four.n_seen == 2


# ------------------------------------------------------------------------------ cells


@pytest.mark.parametrize("shape", SHAPES)
def test_a_single_cell_is_one_model(shape):
    X, y = digits(400)
    base = pairwise(decision_function_shape=shape, random_state=0)
    cells = CellClassifier(base, cell_size=400, random_state=0).fit(X, y)
    model = pairwise(random_state=0).fit(X, y)
    assert_allclose(cells.decision_function(X), model.decision_function(X), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_cells_with_a_part_of_the_classes(shape):
    X, y = digits()
    base = pairwise(decision_function_shape=shape, random_state=0)
    cells = CellClassifier(base, cell_size=100, random_state=0).fit(X[:1200], y[:1200])
    assert min(len(model.classes_) for model in cells.estimators_) < 8
    decision = cells.decision_function(X[1200:])
    assert decision.shape == (597, 10)
    assert_array_equal(cells.predict(X[1200:]), decision.argmax(axis=1))
    assert cells.score(X[1200:], y[1200:]) > 0.97
    stream = CellClassifier(base, cell_size=300, random_state=0)
    stream.partial_fit(X[:1200], y[:1200], classes=np.arange(10))
    assert stream.score(X[1200:], y[1200:]) > 0.97


def test_cells_that_are_one_vs_one_and_one_vs_rest():
    """A search may choose either in each cell."""
    X, y = digits(600)
    cells = CellClassifier(pairwise(random_state=0), cell_size=300, random_state=0).fit(X, y)
    cells.estimators_[0] = LASVC(C=10.0, gamma=0.3, random_state=0).fit(X, y)
    assert cells.score(X, y) > 0.97
