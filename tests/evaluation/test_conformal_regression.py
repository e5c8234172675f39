"""AdaptiveConformalInference with regressors."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression, SGDRegressor

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM, PassiveAggressiveRegressor
from sklearn_online_svm.evaluation import AdaptiveConformalInference

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2000, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=2000)


class Given(RegressorMixin, BaseEstimator):
    """Regressor whose predictions are X."""

    def predict(self, X):
        return np.asarray(X, dtype=float)


class GivenIntervals(Given):
    """Regressor whose intervals have twice the width of X."""

    def predict_interval(self, X, confidence_level):
        assert confidence_level == 0.5
        half = np.abs(X)
        return np.column_stack([X - half, X + half])


def covered_by(ends, y):
    return (ends[:, 0] <= y) & (y <= ends[:, 1])


whole = st.integers(-50, 50)


@given(
    level=st.floats(0.05, 0.95),
    step_size=st.floats(1e-2, 1.0),
    window_size=st.integers(1, 40),
    stream=st.lists(st.tuples(whole, whole), min_size=1, max_size=200),
    size=st.sampled_from([1, 7, 200]),
)
@settings(max_examples=100, deadline=None)
def test_the_guarantee_holds_for_any_sequence(level, step_size, window_size, stream, size):
    predictions, y = np.array(stream, dtype=float).T
    sets = AdaptiveConformalInference(
        confidence_level=level, step_size=step_size, window_size=window_size
    )
    covered = []
    for first in range(0, len(y), size):
        chunk = slice(first, first + size)
        covered += covered_by(
            sets.update(Given(), predictions[chunk], y[chunk]), y[chunk]
        ).tolist()
    expected = 1 - level + step_size * np.sum(np.array(covered) - level)
    assert sets.alpha_ == pytest.approx(expected, abs=1e-9)
    largest = (max(level, 1 - level) + step_size) / (step_size * len(y))
    assert abs(np.mean(covered) - level) <= largest + 1e-9


@pytest.mark.parametrize(
    "model",
    [LASVR(C=5, gamma=0.5, intervals=True), LASVR(C=5, gamma=0.5), SGDRegressor(random_state=0)],
    ids=["intervals", "lasvr", "sgd"],
)
def test_coverage_of_a_stream_whose_noise_grows(model):
    y = Y + np.linspace(0, 3, 2000) ** 2 * np.random.default_rng(1).normal(size=2000)
    model.partial_fit(X[:100], y[:100])
    sets, covered = AdaptiveConformalInference(step_size=0.02), []
    for first in range(100, 2000, 100):
        chunk = slice(first, first + 100)
        covered.append(covered_by(sets.update(model, X[chunk], y[chunk]), y[chunk]).mean())
        model.partial_fit(X[chunk], y[chunk])
    assert abs(np.mean(covered) - 0.9) < 0.02
    assert np.mean(covered[-5:]) > 0.82
    assert sets.predict_interval(model, X).shape == (2000, 2)


def test_intervals_are_the_quantile_of_recent_residuals():
    model = LinearRegression().fit(X[:100], Y[:100])
    sets = AdaptiveConformalInference(step_size=0, window_size=99)
    sets.update(model, X[100:400], Y[100:400])
    residuals = np.sort(np.abs(Y[301:400] - model.predict(X[301:400])))
    ends = sets.predict_interval(model, X[400:])
    assert_allclose(np.diff(ends, axis=1)[:, 0], 2 * residuals[89])
    assert_allclose(ends.mean(axis=1), model.predict(X[400:]))


def test_the_width_is_that_of_the_intervals_of_the_regressor():
    y = X[:, 0] * (1.0 + 0.5 * X[:, 1])
    sets = AdaptiveConformalInference()
    sets.update(GivenIntervals(), X[:500, 0], y[:500])
    ends = sets.predict_interval(GivenIntervals(), X[500:, 0])
    ratio = np.diff(ends, axis=1)[:, 0] / np.abs(X[500:, 0])
    assert_allclose(ratio, ratio[0])
    assert abs(covered_by(ends, y[500:]).mean() - 0.9) < 0.04


def test_before_the_first_sample():
    model = LASVR(intervals=True).fit(X[:50], Y[:50])
    sets = AdaptiveConformalInference()
    assert_array_equal(sets.predict_interval(model, X[:3]), [[-np.inf, np.inf]] * 3)


def test_chunks_agree_and_stored_intervals_continue():
    model = PassiveAggressiveRegressor(random_state=0).fit(X[:100], Y[:100])
    whole = AdaptiveConformalInference(window_size=60)
    expected = whole.update(model, X[100:400], Y[100:400])
    sets, found = AdaptiveConformalInference(window_size=60), []
    for first in range(100, 400, 7):
        chunk = slice(first, min(first + 7, 400))
        found.append(sets.update(model, X[chunk], Y[chunk]))
        sets = pickle.loads(pickle.dumps(sets))
    assert_array_equal(np.concatenate(found), expected)
    assert_array_equal(sets.predict_interval(model, X), whole.predict_interval(model, X))


def test_invalid_input_leaves_the_state():
    model = LASVR(intervals=True).fit(X[:50], Y[:50])
    sets = AdaptiveConformalInference()
    sets.update(model, X[:50], Y[:50])
    before = vars(sets).copy()
    with pytest.raises(ValueError, match="y contains NaN"):
        sets.update(model, X[:2], [0.0, np.nan])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        sets.update(model, X[:2], [0.0])
    with pytest.raises(ValueError, match="contains NaN"):
        sets.update(model, np.full((1, 3), np.nan), [0.0])
    both = LASVR(intervals=True).fit(X[:50], np.column_stack([Y, Y])[:50])
    with pytest.raises(ValueError, match="LASVR predicts 2 outputs"):
        sets.update(both, X[:2], Y[:2])
    labels = np.where(Y > 0, "a", "b")
    classifier = LASVC(probability=True).fit(X[:50], labels[:50])
    with pytest.raises(ValueError, match="those of regressors; use a new object for classifiers"):
        sets.update(classifier, X[:2], labels[:2])
    with pytest.raises(ValueError, match="estimator must be a regressor, got LASVC"):
        sets.predict_interval(classifier, X[:2])
    with pytest.raises(ValueError, match="must be a classifier or a regressor, got OneClassLASVM"):
        sets.update(OneClassLASVM().fit(X[:50]), X[:2], Y[:2])
    assert vars(sets) == before


def test_one_column_of_targets():
    model = LASVR(intervals=True).fit(X[:50], Y[:50, None])
    flat = LASVR(intervals=True).fit(X[:50], Y[:50])
    found, expected = (AdaptiveConformalInference().update(m, X, Y) for m in (model, flat))
    assert_array_equal(found, expected)
