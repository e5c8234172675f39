"""New classes in mid-stream: ``partial_fit`` with more classes than before."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs

from sklearn_online_svm import (
    LASVC,
    ActiveLASVC,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    PerceptronClassifier,
    ScaledAdviceClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
    VirtualLASVC,
)

LINEAR = {
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
# Online solutions, whose functions change by steps alone.
LASVM = dict(C=3.0, gamma=2.0, finishing=False)
KERNEL = {
    "lasvc": LASVC(**LASVM),
    "lasvc, threads": LASVC(n_jobs=2, **LASVM),
    "lasvc, linear": LASVC(C=3.0, kernel="linear", finishing=False),
    "lasvc, window": LASVC(window_size=60, **LASVM),
    "lasvc, balanced": LASVC(class_weight="online_balanced", **LASVM),
    "lasvm-g": LASVC(algorithm="lasvm-g", **LASVM),
    "lasvm-nc, window": LASVC(algorithm="lasvm-nc", window_size=60, **LASVM),
    "lasvm-i": LASVC(algorithm="lasvm-i", **LASVM),
    "lasvm-full": LASVC(algorithm="lasvm-full", **LASVM),
    "active": ActiveLASVC(random_state=0, **LASVM),
    "virtual": VirtualLASVC(random_state=0, **LASVM),
    "kernel arow": KernelAROWClassifier(gamma=2.0, max_support_vectors=40),
    "kernel arow, forgetting": KernelAROWClassifier(gamma=2.0, forgetting_factor=0.99),
    "kernel pa": KernelPassiveAggressiveClassifier(gamma=2.0),
    "kernel pa, mean": KernelPassiveAggressiveClassifier(gamma=2.0, average="mean"),
    "kernel pa, joint": KernelPassiveAggressiveClassifier(gamma=2.0, multi_class="crammer_singer"),
    "kernel pa, margin": KernelPassiveAggressiveClassifier(
        gamma=2.0, max_support_vectors=30, budget_policy="margin"
    ),
    "kernel perceptron": KernelPerceptronClassifier(gamma=2.0, margin=0.1),
    "kernel perceptron, votes": KernelPerceptronClassifier(gamma=2.0, average="vote"),
    "kernel perceptron, joint votes": KernelPerceptronClassifier(
        gamma=2.0, average="vote", multi_class="crammer_singer"
    ),
    "kernel perceptron, projection": KernelPerceptronClassifier(
        gamma=2.0, max_support_vectors=30, budget_policy="projection"
    ),
    "kernel perceptron, merging": KernelPerceptronClassifier(
        gamma=2.0, max_support_vectors=30, budget_policy="merging"
    ),
}
MODELS = LINEAR | KERNEL
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
    if name in LINEAR:
        start = 0.0 if joint or not model.fit_intercept else -1.0
        assert_array_equal(after[:, new], start)
    elif joint:
        assert_array_equal(after[:, new], 0.0)
    else:
        # No sample is predicted as a new class, except where all functions are low.
        old = np.isin(y, LABELS[places])
        assert after[old][:, new].max() < 0.1
        assert np.isin(model.predict(X[old]), LABELS[new]).mean() < 0.03
    if known == "two":
        highest = after[:, places].max(axis=1)
        if name != "kernel perceptron, joint votes":  # these are shares of both classes
            assert_allclose(after[:, places[1]], -after[:, places[0]], rtol=1e-12)
            ratio = after[:, places[1]] / before
            assert_allclose(ratio, ratio[0], rtol=1e-9)
            assert np.isclose(ratio[0], 1.0) or np.isclose(ratio[0], 0.5)
    else:
        assert_allclose(after[:, places], before, rtol=1e-12)
        highest = before.max(axis=1)
    winning = highest > after[:, new].max(axis=1)
    assert_array_equal(model.predict(X)[winning], predicted[winning])


@with_models
@with_known
@pytest.mark.parametrize("size", [1, 7])
def test_chunks_and_pickling_do_not_matter(name, known, size):
    whole, X, y = trained(name, known)
    X, y = X[:120], y[:120]
    if name in ("active", "virtual"):
        pytest.skip("samples are selected within a chunk")
    chunked = pickle.loads(pickle.dumps(whole))
    whole.partial_fit(X, y, classes=LABELS)
    for i in range(0, len(y), size):
        chunked.partial_fit(X[i : i + size], y[i : i + size], classes=LABELS)
        if i == 7:
            chunked = pickle.loads(pickle.dumps(chunked))
    tolerance = 0.0 if name in LINEAR else 1e-12  # of gradients, with blocks of other sizes
    assert_allclose(
        chunked.decision_function(X), whole.decision_function(X), rtol=0.0, atol=tolerance
    )


@pytest.mark.parametrize("name", KERNEL)
@with_known
def test_sparse_samples_give_the_same_model(name, known):
    dense, X, y = trained(name, known)
    sparse_model, S, _ = trained(name, known, sparse.csr_matrix)
    for model, samples in ((dense, X), (sparse_model, S)):
        model.partial_fit(samples[:120], y[:120], classes=LABELS)
    assert_allclose(sparse_model.decision_function(S), dense.decision_function(X), atol=1e-12)


@with_models
def test_classes_are_added_twice(name):
    model, X, y = trained(name, "two")
    once = pickle.loads(pickle.dumps(model))
    for classes in ([1, 3, 4], range(5)):
        rows = np.flatnonzero(np.isin(y[:120], LABELS[[*classes]]))
        model.partial_fit(X[rows], y[rows], classes=LABELS[[*classes]])
        model = pickle.loads(pickle.dumps(model))
        once.partial_fit(X[rows], y[rows], classes=LABELS)
    assert_array_equal(model.classes_, LABELS)
    for learner in (model, once):
        learner.partial_fit(X, y)
    assert model.score(X, y) > once.score(X, y) - 0.06


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
    scaled = ScaledAdviceClassifier().partial_fit(X[two], y[two], classes=[0, 1])
    for learner in (model, scaled):
        with pytest.raises(ValueError, match="classes cannot be added to AdvicePassiveAggressive"):
            learner.partial_fit(X, y, classes=range(5))
    assert_array_equal(model.decision_function(X), before)
