"""Threads that train and read one model: all see it as it is between two chunks."""

import copy
import pickle
import sys
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import (
    LASVC,
    Advice,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    KernelPerceptronClassifier,
    LabelEfficientClassifier,
    LocalOnlineClassifier,
    PassiveAggressiveClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.cases import in_turn
from tests.support.internals import LinearState, has_engine, update_state
from tests.support.interrupts import check_gradients
from tests.support.samples import three_classes, two_classes
from tests.support.trainable import FINISHING, STREAMS, n_samples_seen, samples_of, seeded

SECONDS = 120
# Their parts change one after the other, or after blocks that are shorter than a chunk.
IN_PARTS = ("virtual", "cells", "pipeline", "labels, lasvm")


@pytest.fixture(autouse=True)
def frequent_switches():
    """Switch between threads more often, which finds more."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(interval)


def scores(model, X):
    """Return decision values or predicted targets; other predictions must be finite."""
    for name in ("predict", "predict_proba", "score_samples"):
        if hasattr(model, name):
            values = getattr(model, name)(X[:9])
            assert np.isfinite(values).all()
            assert name != "predict_proba" or np.allclose(values.sum(axis=1), 1.0)
    return getattr(model, "decision_function", model.predict)(X)


def check_attributes(model):
    """Check that attributes of a copy belong together."""
    if hasattr(model, "queried_"):
        assert model.queried_.sum() == model.n_queries_ == len(model.queried_labels_)
    if hasattr(model, "support_"):
        n = len(model.support_)
        assert n == model.support_vectors_.shape[0] == model.dual_coef_.shape[1]
        assert n == model.n_support_.sum()
        assert model.support_.max(initial=-1) < model.n_samples_seen_
    if hasattr(model, "cell_sizes_"):
        assert len(model.cell_sizes_) == len(model.estimators_)
    if hasattr(model, "prototypes_"):
        assert len(model.prototypes_) == len(model.local_coef_) == len(model.prototype_counts_)


def check_threads(name, model, X, y, first, chunks, n_probes=40):
    """Train by two threads while two others read.

    In each round both threads train on the same chunk, so that their order does not matter: others
    see the states that there are without threads. Solutions that predictions optimize depend on
    the former prediction.
    """
    margin = np.inf if name in FINISHING else 0.05 if "optimized" in name else 0.0
    given = {"classes": np.unique(y)} if is_classifier(model) else {}
    probe = X[:n_probes]
    alone = clone(model).partial_fit(X[first], y[first], **given)
    counts, states = [n_samples_seen(alone)], [scores(alone, probe)]
    for chunk in chunks:
        for _ in range(2):
            alone.partial_fit(X[chunk], y[chunk])
            counts.append(n_samples_seen(alone))
            states.append(scores(alone, probe))
    model.partial_fit(X[first], y[first], **given)
    begin, done, errors, seen, held = threading.Barrier(2), threading.Event(), [], [], []

    def guarded(work):
        def run():
            try:
                work()
            except BaseException as error:
                errors.append(error)
                begin.abort()

        return threading.Thread(target=run, daemon=True)

    def train():
        for chunk in chunks:
            begin.wait(SECONDS)
            model.partial_fit(X[chunk], y[chunk])

    def read():
        is_last = False
        while not is_last:
            is_last = done.is_set()
            coef = getattr(model, "coef_", 0)
            held.append((coef, np.array(coef)))
            seen.append(scores(model, probe))
            assert n_samples_seen(model) >= counts[0]
            for attribute in ("dual_coef_", "support_vectors_", "intercept_", "local_coef_"):
                getattr(model, attribute, None)
            copied = pickle.loads(pickle.dumps(model))
            check_attributes(copied)
            assert n_samples_seen(copied) in counts
            seen.append(scores(copied, probe))

    trainers, readers = [guarded(train), guarded(train)], [guarded(read), guarded(read)]
    for thread in trainers + readers:
        thread.start()
    for thread in trainers:
        thread.join(SECONDS)
    done.set()
    for thread in readers:
        thread.join(SECONDS)
    assert not errors, errors
    assert not any(thread.is_alive() for thread in trainers + readers)
    assert n_samples_seen(model) == counts[-1]
    if not name.startswith(IN_PARTS):
        for values in {values.tobytes(): values for values in seen}.values():
            assert min(np.abs(values - state).max() for state in states) <= margin
    assert np.abs(scores(model, probe) - states[-1]).max() <= margin
    for coef, former in held:  # training does not change arrays that a reader holds
        assert_array_equal(coef, former)
    if has_engine(model):
        check_gradients(model)


def run(name, n_rounds):
    X, y = samples_of(name)
    # They train in blocks of one sample, and readers see the model after each block.
    size = 1 if name in ("active", "labels, Python loop") else 3
    chunks = [slice(k % 30 * size, (k % 30 + 1) * size) for k in range(n_rounds)]
    check_threads(name, seeded(name), X, y, slice(30), chunks)


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STREAMS)
def test_two_trainers_and_two_readers(name):
    run(name, 6)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STREAMS)
def test_two_trainers_and_two_readers_for_long(name):
    run(name, 100)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", STREAMS)
def test_training_does_not_change_a_state_that_is_being_pickled(name):
    """pickle reads the state after the guard has been released."""
    model, (X, y) = seeded(name), samples_of(name)
    given = {"classes": np.unique(y)} if is_classifier(model) else {}
    for n in (10, 60):
        model.partial_fit(X[:n], y[:n], **given)
        state = model.__getstate__()
        before = pickle.dumps(state)
        model.partial_fit(X[n : 2 * n], y[n : 2 * n])
        assert pickle.dumps(state) == before


def function(A, B):
    return rbf_kernel(A, B, gamma=0.05)


ADVICE = [
    Advice.from_conditions({0: (">=", 0.5), 2: (-1, 2)}, range(20), 1),
    Advice.from_conditions({0: ("<=", -1)}, range(20), 0),
]
KERNEL = dict(C=10.0, gamma=0.05, finishing=False)
KERNEL_PA = KernelPassiveAggressiveClassifier
KERNELS = {
    "LASVC": LASVC(**KERNEL),
    "LASVC, small cache": LASVC(cache_size=1e-2, **KERNEL),
    "LASVC, lasvm-g": LASVC(algorithm="lasvm-g", **KERNEL),
    "LASVC, threads": LASVC(n_jobs=2, **KERNEL),
    "LASVC, function": LASVC(kernel=function, C=10.0, finishing=False),
    "LASVC, linear": LASVC(kernel="linear", C=10.0, finishing=False),
    "LASVC, optimized": LASVC(n_jobs=2, C=10.0, gamma=0.05, decision_function_shape="ovo"),
    "LASVC, replays": LASVC(replay_size=100, **KERNEL),
    "kernel pa": KERNEL_PA(gamma=0.05),
    "kernel pa, function": KERNEL_PA(kernel=function),
    "kernel pa, budget": KERNEL_PA(gamma=0.05, max_support_vectors=50),
    "kernel arow, budget": KernelAROWClassifier(gamma=0.05, max_support_vectors=50),
    "kernel perceptron": KernelPerceptronClassifier(gamma=0.05, average="vote"),
    "labels, lasvm": LabelEfficientClassifier(LASVC(**KERNEL), random_state=0),
}
LINEAR = {
    "pa": PassiveAggressiveClassifier(),
    "pa, average": PassiveAggressiveClassifier(average=100),
    "pa, joint": PassiveAggressiveClassifier(multi_class="crammer_singer"),
    "arow": AROWClassifier(),
    "arow, full": AROWClassifier(covariance="full"),
    "arow, no intercept": AROWClassifier(fit_intercept=False),
    "sop": SecondOrderPerceptronClassifier(),
    "cost": CostSensitivePassiveAggressiveClassifier(),
    "local": LocalOnlineClassifier(n_neighbors=3, average=True),
    "local, scw": LocalOnlineClassifier(variant="scw"),
    "advice": AdvicePassiveAggressiveClassifier(ADVICE, advice_weight=0.05),
    "advice, refined": AdvicePassiveAggressiveClassifier(ADVICE, advice_weight=0.05, refine=True),
    "labels, linear": LabelEfficientClassifier(random_state=0),
}
LAYOUTS = [np.asarray, csr_matrix]
# Chunks of so many samples. Larger ones of models with a kernel can be several blocks, and other
# threads rightly see the states between them.
CASES = in_turn(KERNELS, [2, 3], LAYOUTS, [1, 15, 20]) + in_turn(
    LINEAR, [2, 3], LAYOUTS, [7, 1000, 3000]
)


@pytest.mark.sampled
@pytest.mark.parametrize("name, n_classes, layout, size", CASES)
def test_large_models(name, n_classes, layout, size):
    """The compiled loops run without the GIL, while others predict."""
    rng, n = np.random.default_rng(0), 15 * size
    X = rng.normal(size=(n, 20)) * (rng.random((n, 20)) < 0.5)
    y = (X[:, 0] + 0.5 * rng.normal(size=n) > 0) + (X[:, 1] > 1) * (n_classes - 2)
    chunks = [slice(start, start + size) for start in range(size, n, size)]
    model = clone((KERNELS | LINEAR)[name])
    check_threads(name, model, layout(X), y, slice(size), chunks, n_probes=300)


# -- weights of linear models -----------------------------------------------------------


@pytest.mark.parametrize(
    "name, layout, problem",
    in_turn([*LINEAR][:8] * 2, LAYOUTS, [two_classes, three_classes]),
)
def test_weights_are_copied_only_if_in_use(name, layout, problem):
    X, y = problem(200)
    X, model = layout(X), clone(LINEAR[name])
    model.partial_fit(X, y, classes=np.unique(y))
    other = pickle.loads(pickle.dumps(model))
    for n_rows in (1, 200):
        for one in (model, other):
            n_arrays = len(update_state(one)._shared.read()[0])
            places = [id(array) for array in update_state(one).arrays.values()]
            one.partial_fit(X[:n_rows], y[:n_rows])
            one.decision_function(X), one.coef_
            assert places == [id(array) for array in update_state(one).arrays.values()]
        for k in range(n_arrays):
            for part in (lambda a: a, lambda a: a[:1], lambda a: a.T, memoryview):
                held = part(update_state(model)._shared.read()[0][k])
                before = np.array(held)
                for one in (model, other):
                    one.partial_fit(X[:n_rows], y[:n_rows])
                assert_array_equal(held, before)
                assert not np.shares_memory(held, update_state(model)._shared.read()[0][k])
    assert_array_equal(model.coef_, other.coef_)
    assert_array_equal(model.intercept_, other.intercept_)


def test_attributes_can_be_written_to():
    X, y = two_classes(400)
    model = PassiveAggressiveClassifier().fit(X, y)
    model.coef_[:] = 0.0
    model.intercept_[:] = 1.0
    assert (model.decision_function(X) == 1.0).all()


def test_weights_in_use_while_they_are_copied(monkeypatch):
    """Readers get the former ones until the end of training; an error of the copy changes none."""
    X, y = two_classes(200)
    model, build, seen = PassiveAggressiveClassifier().fit(X, y), LinearState._build, []
    other = copy.deepcopy(model)
    weights, before = model.coef_, model.coef_.copy()

    def fail(state):
        raise MemoryError

    def look(state):
        build(state)
        seen.append(state.weights(None)[0])

    with monkeypatch.context() as patch:
        patch.setattr(LinearState, "_build", fail)
        with pytest.raises(MemoryError):
            model.partial_fit(X[:9] + 1.0, y[:9])
        patch.setattr(LinearState, "_build", look)
        model.partial_fit(X[:9] + 1.0, y[:9])
    assert len(seen) == 1 and seen[0] is weights
    assert_array_equal(weights, before)
    assert (model.coef_ != weights).any()
    assert_array_equal(model.coef_, other.partial_fit(X[:9] + 1.0, y[:9]).coef_)


@pytest.mark.parametrize("average", [False, True])
def test_sparsify_in_another_thread(average):
    X, y = two_classes(2000)
    model = PassiveAggressiveClassifier(average=average).fit(X, y)
    decisions, seen, done = model.decision_function(X), [], threading.Event()

    def read():
        while not (seen and done.is_set()):  # at least once, however late it begins
            seen.append(model.decision_function(X))

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(200):
        model.sparsify().densify()
    done.set()
    reader.join(SECONDS)
    assert all(np.allclose(one, decisions, atol=1e-12) for one in seen)
