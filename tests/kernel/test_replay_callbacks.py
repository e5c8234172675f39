"""Callbacks in streams that replay: the same model, stops, copies made at each task."""

import joblib
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import LASVC
from sklearn_online_svm.callback import Checkpoint, SupportVectorMonitor
from tests.kernel.test_replay import check_same_training
from tests.support.internals import reservoir_end, reservoir_of
from tests.test_callback import Plain, Probe, X, Y

ORDER = np.argsort(Y, kind="stable")
ROWS, LABELS = X[ORDER], Y[ORDER]
PARAMS = dict(gamma=0.3, replay_size=100)


@pytest.fixture(scope="module")
def expected():
    """Return a model trained on one chunk without callbacks, which replays."""
    model = LASVC(**PARAMS).partial_fit(ROWS, LABELS, classes=["no", "yes"])
    assert reservoir_of(model).n_replays > 500
    return model


@pytest.mark.parametrize("kind", [Probe, Plain])
def test_same_model(kind, expected, tmp_path):
    probe, monitor = kind(), SupportVectorMonitor()
    model = LASVC(**PARAMS).set_callbacks(probe, monitor, Checkpoint(tmp_path / "model", every=0))
    model.partial_fit(ROWS, LABELS, classes=["no", "yes"])
    assert probe.ended.count("partial_fit") == 1 and len(probe.ended) > 3
    check_same_training(model, expected)
    assert_array_equal(model.predict(ROWS), expected.predict(ROWS))


@pytest.mark.parametrize("stop_at", [0, 1])
def test_stopped_chunk(stop_at, expected, tmp_path):
    """The model, and the file stored at the last task, have the samples that were counted."""
    path = tmp_path / "model"
    model = LASVC(**PARAMS).set_callbacks(Checkpoint(path, every=0), Plain(stop_at=stop_at))
    model.partial_fit(ROWS, LABELS, classes=["no", "yes"])
    assert model.interrupted_ and 0 < model.n_samples_seen_ < len(LABELS)
    for stopped in (model.set_callbacks(), joblib.load(path).set_callbacks()):
        seen = stopped.n_samples_seen_
        assert reservoir_end(stopped) == seen
        part = LASVC(**PARAMS).partial_fit(ROWS[:seen], LABELS[:seen], classes=["no", "yes"])
        assert reservoir_of(part).samples.tolist() == reservoir_of(stopped).samples.tolist()
        assert_array_equal(part.support_, stopped.set_params(finishing=True).support_)
        stopped.resume(ROWS, LABELS)
        check_same_training(stopped, expected)
