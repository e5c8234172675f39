"""Calls that estimators of estimators refuse, and copies of these, leave the model unchanged."""

import copy

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.frozen import FrozenEstimator

from sklearn_online_svm import AROWClassifier, LabelEfficientClassifier
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.evaluation import progressive_validation
from sklearn_online_svm.pipeline import make_online_pipeline
from sklearn_online_svm.readers import fit_stream
from tests.support.internals import engine_of
from tests.support.samples import two_classes
from tests.support.trainable import REPRESENTATION, samples_of, seeded, state_of

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def fitted(name):
    X, y = samples_of(name)
    return seeded(name).fit(X[30:90], y[30:90]), X, y


@pytest.mark.parametrize("name", ["labels", "labels, rate", "labels, lasvm"])
def test_a_sample_that_is_too_large_refuses_the_chunk(name):
    model, X, y = fitted(name)
    before, large = model.decision_function(X), X.copy()
    large[20, 1] = 1e200
    with pytest.raises(ValueError, match="Row 20 of X has a squared norm that is too large"):
        model.partial_fit(large[:30], y[:30])
    assert_array_equal(model.decision_function(X), before)
    assert len(model.queried_) == 60 and "_unfinished" not in vars(model)


@pytest.mark.parametrize("name", ["labels", "labels, lasvm"])
def test_invalid_parameters_are_not_passed_on(name):
    model, X, y = fitted(name)
    C = model.estimator_.C
    with pytest.raises(ValueError, match="The 'C' parameter"):
        model.set_params(estimator__C=-1.0).partial_fit(X[:30], y[:30])
    assert model.estimator_.C == C
    model.set_params(estimator__C=0.5).partial_fit(X[:30], y[:30])
    assert model.estimator_.C == 0.5


def test_there_is_nothing_to_resume_after_a_refused_chunk():
    model, X, y = fitted("search")
    X[5, 1] = 1e200
    with pytest.raises(ValueError, match="too large"):
        model.partial_fit(X[:30], y[:30])
    with pytest.raises(ValueError, match="nothing to resume"):
        model.resume()


def test_cells_keep_their_caches_if_the_first_chunk_is_refused():
    model, X, y = fitted("cells")
    sizes = [getattr(each, "cache_size", None) for each in model.estimators_]
    assert any(sizes)
    X[5, 1] = 1e200
    with pytest.raises(ValueError, match="too large"):
        model.partial_fit(X[:30], y[:30])
    assert [getattr(each, "cache_size", None) for each in model.estimators_] == sizes


@pytest.mark.parametrize("name", ["pipeline", "pipeline, finishing", "search"])
def test_training_a_copy_leaves_the_original_unchanged(name):
    model, X, y = fitted(name)
    before = model.decision_function(X)
    copied = copy.copy(model)
    assert_array_equal(copied.decision_function(X), before)
    copied.partial_fit(X[:30], y[:30])
    assert np.any(copied.decision_function(X) != before)
    assert_array_equal(model.decision_function(X), before)


@pytest.mark.parametrize(
    "name", ["lasvm", "lasvm, finishing", "lasvr", "one class", "one class, finishing"]
)
def test_a_refused_chunk_does_not_apply_parameters(name):
    model, X, y = fitted(name)
    engine_of(model)  # built when training continues
    before = state_of(model.set_params(tol=model.tol / 2))
    X[5, 1] = 1e200
    with pytest.raises(ValueError, match="too large"):
        model.partial_fit(X[:30], y[:30])
    after = state_of(model)
    assert {
        name
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name) and not any(p in name for p in REPRESENTATION)
    } == set()


@pytest.mark.parametrize(
    "train",
    [
        lambda model, *chunk: OnlineCalibratedClassifier(model).partial_fit(*chunk, [0, 1]),
        lambda model, *chunk: LabelEfficientClassifier(model).partial_fit(*chunk, [0, 1]),
        lambda model, *chunk: make_online_pipeline(model).partial_fit(*chunk, [0, 1]),
        lambda model, *chunk: progressive_validation(model, [chunk], classes=[0, 1]),
        lambda model, *chunk: fit_stream(model, [chunk], classes=[0, 1]),
    ],
)
def test_frozen_models_are_not_trained(train):
    """partial_fit of a FrozenEstimator is that of its model."""
    X, y = two_classes(200)
    model = AROWClassifier().fit(X[:100], y[:100] == y[0])
    before = model.decision_function(X)
    with pytest.raises((TypeError, ValueError, AttributeError), match="partial_fit"):
        train(FrozenEstimator(model), X[100:], (y[100:] == y[0]).astype(int))
    assert_array_equal(model.decision_function(X), before)
