"""Drift detectors in progressive_validation."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    KernelAROWClassifier,
    LabelEfficientClassifier,
)
from sklearn_online_svm.datasets import make_banana_like
from sklearn_online_svm.evaluation import progressive_validation
from sklearn_online_svm.pipeline import make_online_pipeline

X, Y = make_banana_like(2000, random_state=0)
FLIPPED = np.where(np.arange(2000) < 1000, Y, -Y)


class AlarmAt:
    """Detector with alarms after given numbers of errors."""

    def __init__(self, *alarms):
        self.alarms, self.received = alarms, []

    def update(self, x):
        self.received.append(x)

    @property
    def drift_detected(self):
        return len(self.received) in self.alarms


class Estimating(AlarmAt):
    """The same with an estimate of the error rate of the last samples."""

    @property
    def estimation(self):
        return np.mean(self.received[-50:]) if self.received else 0.0


def validate(model, y=FLIPPED, X=X, **parameters):
    return progressive_validation(model, X, y, chunk_size=100, **parameters)


def test_the_detector_receives_the_errors_in_their_order():
    detector = AlarmAt(10, 11, 450)
    result = validate(
        AROWClassifier(), return_predictions=True, in_place=True, drift_detector=detector
    )
    assert_array_equal(detector.received, result.predictions != FLIPPED[100:])
    assert_array_equal(result.drift_alarms, [110, 111, 550])
    assert "1900 predictions, 3 drift alarms>" in repr(result)
    assert_array_equal(result.rolling(300).drift_alarms, result.drift_alarms)


def test_the_detector_is_copied_unless_in_place():
    detector = AlarmAt(450)
    for _ in range(2):
        assert len(validate(AROWClassifier(), drift_detector=detector).drift_alarms) == 1
    assert not detector.received
    model = AROWClassifier()
    for n_received in (1900, 3900):
        validate(model, in_place=True, drift_detector=detector)
        assert len(detector.received) == n_received


def test_alarms_alone_do_not_change_a_model():
    alone, watched = (validate(LASVC(gamma=1.0), drift_detector=d) for d in (None, AlarmAt(50)))
    assert alone.drift_alarms is None
    assert_array_equal(watched.mistakes, alone.mistakes)


@pytest.mark.parametrize("window", [30, 100, 250, 5000])
def test_a_new_model_is_trained_on_the_latest_samples(window):
    """Alarms among the first samples, and two in one chunk."""
    parameters = dict(drift_detector=AlarmAt(850, 860), retrain_window=window)
    result = validate(SGDClassifier(random_state=0), return_predictions=True, **parameters)
    before, after = SGDClassifier(random_state=0), SGDClassifier(random_state=0)
    expected = []
    for first in range(0, 2000, 100):
        chunk = slice(first, first + 100)
        if first:
            expected.append((before if first < 1000 else after).predict(X[chunk]))
        if first < 900:
            before.partial_fit(X[chunk], FLIPPED[chunk], classes=[-1, 1])
        elif first == 900:
            latest = slice(max(0, 1000 - window), 1000)
            after.partial_fit(X[latest], FLIPPED[latest], classes=[-1, 1])
        else:
            after.partial_fit(X[chunk], FLIPPED[chunk])
    assert_array_equal(result.drift_alarms, [950, 960])
    assert_array_equal(result.predictions, np.concatenate(expected))
    assert_array_equal(result.estimator.coef_, after.coef_)


def test_samples_of_any_kind_are_kept():
    pandas = pytest.importorskip("pandas")
    model = make_online_pipeline(StandardScaler(with_mean=False), AROWClassifier(random_state=0))
    expected = validate(model, drift_detector=AlarmAt(850), retrain_window=250).mistakes
    buffer = np.empty((100, 2))

    def reused():
        for first in range(0, 2000, 100):
            buffer[:] = X[first : first + 100]
            yield buffer, FLIPPED[first : first + 100].tolist()

    for samples, y in [
        (csr_matrix(X), FLIPPED),
        (pandas.DataFrame(X, columns=["u", "v"]), pandas.Series(FLIPPED)),
        (reused(), None),
    ]:
        result = progressive_validation(
            model, samples, y, chunk_size=100, drift_detector=AlarmAt(850), retrain_window=250
        )
        assert_array_equal(result.mistakes, expected)


def test_decreasing_errors_are_no_alarm():
    detector = Estimating(*range(1, 1900))
    result = validate(AROWClassifier(), in_place=True, drift_detector=detector)
    assert 0 < len(result.drift_alarms) < 1899
    rates = [np.mean(detector.received[max(0, n - 50) : n]) for n in range(1, 1900)]
    increased = np.flatnonzero(np.diff(rates, prepend=0.0) >= 0)
    assert_array_equal(result.drift_alarms, increased + 101)


class SkipsMissing(AROWClassifier):
    """Classifier that ignores samples without a label."""

    def partial_fit(self, X, y, classes=None):
        known = np.isfinite(y)
        return super().partial_fit(X[known], y[known], classes)


def test_missing_labels():
    y = FLIPPED.astype(float)
    y[::3] = np.nan
    detector = AlarmAt(700)
    result = validate(
        SkipsMissing(), y, in_place=True, drift_detector=detector, retrain_window=300
    )
    scored = np.isfinite(y[100:])
    assert len(detector.received) == scored.sum()
    assert scored[: result.drift_alarms[0] - 100].sum() == 700


def test_models_that_query_labels():
    model = LabelEfficientClassifier(AROWClassifier(), random_state=0)
    result = validate(model, drift_detector=AlarmAt(1150), retrain_window=300)
    assert_array_equal(result.drift_alarms, [1150])
    alone = validate(model).n_queries
    assert_array_equal(result.n_queries[:11], alone[:11])
    assert (np.diff(result.n_queries) >= 0).all()
    assert result.n_queries[-1] > result.estimator.n_queries_


def test_the_estimator_of_the_caller_is_replaced_only_in_the_result():
    model = AROWClassifier(random_state=0).partial_fit(X[:500], Y[:500], classes=[-1, 1])
    before = copy.deepcopy(model)
    result = validate(model, in_place=True, drift_detector=AlarmAt(50), retrain_window=100)
    assert result.estimator is not model
    before.partial_fit(X[:100], Y[:100])
    assert_array_equal(model.coef_, before.coef_)


@pytest.mark.parametrize(
    "parameters, message",
    [
        (dict(drift_detector=3), "drift_detector"),
        (dict(drift_detector=SGDClassifier), "drift_detector"),
        (dict(drift_detector=type("Half", (), {"update": print})()), "attribute drift_detected"),
        (dict(drift_detector=AlarmAt(), retrain_window=0), "retrain_window"),
        (dict(retrain_window=100), "retrain_window=100 needs a drift_detector"),
    ],
)
def test_invalid_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        validate(AROWClassifier(), **parameters)


DETECTORS = {
    "ADWIN": lambda drift: drift.ADWIN(),
    "KSWIN": lambda drift: drift.KSWIN(alpha=1e-4, seed=0),
    "PageHinkley": lambda drift: drift.PageHinkley(mode="up"),
    "DDM": lambda drift: drift.binary.DDM(warm_start=300),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", DETECTORS)
@pytest.mark.parametrize(
    "model",
    [
        AROWClassifier(),
        KernelAROWClassifier(gamma=1.0, max_support_vectors=50, forgetting_factor=1.0),
    ],
)
def test_detectors_of_river(name, model):
    """Flipped labels are detected, and a new model is better; a stable stream is not changed."""
    drift = pytest.importorskip("river.drift")
    detector = DETECTORS[name](drift)
    alone = validate(clone(model))
    result = validate(clone(model), drift_detector=detector, retrain_window=100)
    late = result.drift_alarms[result.drift_alarms > 1000]
    assert len(late) and late[0] <= 1300
    assert result.mistakes[-1] < 0.8 * alone.mistakes[-1]
    stable = validate(clone(model), Y, drift_detector=DETECTORS[name](drift), retrain_window=100)
    assert len(stable.drift_alarms) <= 1
