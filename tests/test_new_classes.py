"""New classes in mid-stream: ``partial_fit`` with more classes than before."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs

from sklearn_online_svm import (
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)

MODELS = {
    "pa": PassiveAggressiveClassifier(C=0.1),
    "pa, average": PassiveAggressiveClassifier(C=0.1, average=True),
    "pa, joint": PassiveAggressiveClassifier(C=0.1, multi_class="crammer_singer"),
    "perceptron": PerceptronClassifier(),
    "second order": SecondOrderPerceptronClassifier(),
    "cw": ConfidenceWeightedClassifier(),
    "scw": SCWClassifier(),
    "arow": AROWClassifier(),
    "arow, full": AROWClassifier(covariance="full"),
    "local": LocalOnlineClassifier(n_prototypes=4),
    "local, scw": LocalOnlineClassifier(n_prototypes=4, variant="scw"),
    "cost sensitive": CostSensitivePassiveAggressiveClassifier(),
}
LABELS = np.array(["a", "b", "c", "d", "e"])
# The known classes; the new ones come before, between and behind them.
KNOWN = {"two": [1, 3], "three": [0, 2, 3]}

with_models = pytest.mark.parametrize("name", MODELS)
with_known = pytest.mark.parametrize("known", KNOWN)
with_layouts = pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix])


def stream(n=500):
    X, y = make_blobs(n, n_features=4, centers=5, cluster_std=1.5, random_state=0)
    return X / 5.0, y


def trained(name, known, layout=np.asarray):
    """Return a model of the known classes, and the stream of all classes that follows."""
    X, y = stream()
    early = np.flatnonzero(np.isin(y[:250], KNOWN[known]))
    model = clone(MODELS[name])
    model.partial_fit(layout(X[early]), LABELS[y[early]], classes=LABELS[KNOWN[known]])
    return model, layout(X[250:]), LABELS[y[250:]]


@with_models
@with_known
@with_layouts
def test_functions_of_former_classes_do_not_change(name, known, layout):
    model, X, y = trained(name, known, layout)
    # A sample of weight 0 makes no step, but averages count it.
    i = np.flatnonzero(y == LABELS[KNOWN[known][0]])[:1]
    unextended = pickle.loads(pickle.dumps(model))
    unextended.partial_fit(X[i], y[i], sample_weight=[0.0])
    before, predicted = unextended.decision_function(X), unextended.predict(X)
    model.partial_fit(X[i], y[i], classes=LABELS, sample_weight=[0.0])
    assert_array_equal(model.classes_, LABELS)
    after = model.decision_function(X)
    places = KNOWN[known]
    new = np.setdiff1d(np.arange(5), places)
    joint = getattr(model, "multi_class", "ovr") == "crammer_singer"
    start = 0.0 if joint or not model.fit_intercept else -1.0
    assert_array_equal(after[:, new], start)
    if known == "two":
        assert_allclose(after[:, places[1]], -after[:, places[0]], rtol=1e-12)
        ratio = after[:, places[1]] / before
        assert_allclose(ratio, ratio[0], rtol=1e-9)
        assert np.isclose(ratio[0], 1.0) or np.isclose(ratio[0], 0.5)
        assert_array_equal(model.predict(X), predicted)
    else:
        assert_allclose(after[:, places], before, rtol=1e-12)
        winning = before.max(axis=1) > start
        assert_array_equal(model.predict(X)[winning], predicted[winning])


@with_models
@with_known
@pytest.mark.parametrize("size", [1, 7])
def test_chunks_and_pickling_do_not_matter(name, known, size):
    whole, X, y = trained(name, known)
    chunked = pickle.loads(pickle.dumps(whole))
    whole.partial_fit(X, y, classes=LABELS)
    for i in range(0, len(y), size):
        chunked.partial_fit(X[i : i + size], y[i : i + size], classes=LABELS)
        if i == 7:
            chunked = pickle.loads(pickle.dumps(chunked))
    assert_array_equal(chunked.decision_function(X), whole.decision_function(X))


@with_models
@with_known
def test_errors_leave_the_model_unchanged(name, known):
    model, X, y = trained(name, known)
    before, classes = model.decision_function(X), model.classes_
    wrong = X.copy()
    wrong[3, 1] = np.nan
    for samples, labels, message in (
        (wrong, y, "contains NaN"),
        (X, np.where(np.arange(len(y)) == 5, "z", y), "not among the classes"),
        (X[:, :2], y, "X has 2 features"),
    ):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(samples, labels, classes=LABELS)
        assert_array_equal(model.classes_, classes)
        assert_array_equal(model.decision_function(X), before)
    with pytest.raises(ValueError, match="with the known and the new classes to partial_fit"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=LABELS[[1, 4]])
    assert_array_equal(model.decision_function(X), before)


@with_models
@with_known
def test_late_classes_are_learned(name, known):
    model, X, y = trained(name, known)
    informed = clone(MODELS[name])
    X_early, y_early = stream()
    early = np.flatnonzero(np.isin(y_early[:250], KNOWN[known]))
    informed.partial_fit(X_early[early], LABELS[y_early[early]], classes=LABELS)
    for learner in (model, informed):
        learner.partial_fit(X, y, classes=LABELS)
    assert model.score(X, y) > informed.score(X, y) - 0.06


@with_known
def test_sparsified_models_and_class_weights(known):
    model, X, y = trained("pa", known)
    other, *_ = trained("pa", known)
    model.sparsify()
    for learner in (model, other):
        learner.set_params(class_weight={LABELS[4]: 3.0})
        learner.partial_fit(X, y, classes=LABELS)
    assert_array_equal(model.decision_function(X), other.decision_function(X))


def test_advice_needs_all_classes_in_the_first_call():
    X, y = stream()
    two = y < 2
    model = AdvicePassiveAggressiveClassifier().partial_fit(X[two], y[two], classes=[0, 1])
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="classes cannot be added to AdvicePassiveAggressive"):
        model.partial_fit(X, y, classes=range(5))
    assert_array_equal(model.decision_function(X), before)
