"""New classes of kernel models: reference implementations, references of slots, interrupts."""

import os
import pickle
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    KernelAROWClassifier,
    KernelPassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    VirtualLASVC,
)
from tests.reference.kernel_arow import KernelAROW
from tests.reference.kernel_updates import KernelTwin
from tests.reference.lasvm import ForkedTwin
from tests.reference.linear import PassiveAggressive
from tests.support.engine import kernel_values
from tests.support.fitted_models import CutKernel
from tests.support.internals import class_rows, engine_of, spec_of, update_state
from tests.support.interrupts import Interrupt, completed, n_lines
from tests.support.kernel_updates import GAMMA, single

CLASSES = np.arange(4)
KNOWN = {"two": [0, 1], "three": [0, 1, 2]}
with_known = pytest.mark.parametrize("known", [*KNOWN])


def stream(n=300, seed=0):
    X, y = make_blobs(n, n_features=3, centers=4, cluster_std=3.0, random_state=seed)
    return X / 4.0, y


def trained(model, known, n=120):
    """Return a model trained on known classes, and the samples of all classes that follow."""
    X, y = stream()
    early = np.flatnonzero(np.isin(y[:n], KNOWN[known]))
    model = clone(model).partial_fit(X[early], y[early], classes=KNOWN[known])
    return model, X[n:], y[n:]


def extend(model, X, classes=CLASSES):
    """Add classes without a step."""
    return model.partial_fit(X[:1], model.classes_[:1], classes=classes, sample_weight=[0.0])


# ---------------------------------------------------------------------------- twins


@with_known
def test_lasvm_twin_begins_with_the_vectors_as_negative_samples(known):
    model, X, y = trained(LASVC(C=2.0, gamma=GAMMA, finishing=False, multi_class="ovr"), known)
    engine = engine_of(model)
    vectors = engine.store.vectors(
        np.flatnonzero(
            engine.state()["references"]
            if known == "three"
            else engine.problems[0].members["alive"]
        )
    )
    extend(model, X)
    problem = engine_of(model).problems[3]
    row_ids = problem.members["row_id"][problem.slots()]
    n, first = len(vectors), model.n_samples_seen_
    X, y = X[:60], y[:60]
    samples = np.vstack([vectors, X])
    K = kernel_values(spec_of(model).store(), samples, samples)
    label = np.concatenate([-np.ones(n), np.where(y == 3, 1.0, -1.0)])
    twin = ForkedTwin(K, label, np.full(len(label), 2.0))
    twin.S, twin.seen, twin.b = list(range(n)), {-1}, -1.0
    twin.g[:n] = -1.0
    places = dict(zip(row_ids.tolist(), range(n), strict=True))
    places |= {first + i: n + i for i in range(len(y))}
    assert_array_equal(problem.members["alpha"], 0.0)
    assert problem.b == -1.0
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        slots = problem.slots()
        members = [places[row_id] for row_id in problem.members["row_id"][slots].tolist()]
        alpha = np.zeros(len(label))
        alpha[members] = problem.members["alpha"][slots]
        # Steps leave equal gradients, of which either may be taken.
        twin = next(
            way
            for way in twin.ways_to_learn(n + i)
            if sorted(way.S) == sorted(members) and np.allclose(way.alpha, alpha, atol=1e-9)
        )
        assert_allclose(problem.b, twin.b, atol=1e-9)
    assert np.count_nonzero(twin.alpha) > 10


@pytest.mark.parametrize("finishing", [False, True])
def test_two_classes_are_mirrored_step_by_step(finishing):
    model, X, y = trained(LASVC(C=2.0, gamma=GAMMA, multi_class="ovr"), "two")
    model.predict(X)  # with an optimized solution
    single_one = pickle.loads(pickle.dumps(model))
    extend(model, X)
    # Not many samples: of two equal extremes the first slot is taken, of which the order differs.
    old = np.flatnonzero(np.isin(y, KNOWN["two"]))[:40]
    for learner in (model, single_one):
        learner.set_params(finishing=finishing)
        learner.partial_fit(X[old], y[old])
    ours = model.decision_function(X)
    assert_allclose(ours[:, 1], single_one.decision_function(X), atol=1e-10)
    # Two optimizations to ten times tol.
    assert_allclose(ours[:, 0], -ours[:, 1], atol=20 * model.tol if finishing else 1e-10)


@with_known
def test_kernel_pa_twin_is_trained_on_the_vectors(known):
    model, X, y = trained(KernelPassiveAggressiveClassifier(C=0.7, gamma=GAMMA), known)
    order = np.argsort(model.support_)
    vectors = model.support_vectors_[order]
    extend(model, X)
    twin = KernelTwin(single, 2, PassiveAggressive(0.7))
    for x in vectors:
        twin.learn_row(x, 0)
    expected = np.array([twin.scores(x)[0] for x in X])
    assert_allclose(model.decision_function(X)[:, 3], expected, atol=1e-6)
    for x, label in zip(X, y, strict=True):
        twin.learn_row(x, int(label == 3))
    model.partial_fit(X, y)
    expected = np.array([twin.scores(x)[0] for x in X])
    assert_allclose(model.decision_function(X)[:, 3], expected, atol=1e-6)


@with_known
def test_kernel_arow_twin_is_trained_on_the_dictionary(known):
    model = KernelAROWClassifier(r=1.0, gamma=GAMMA, max_support_vectors=15)
    model, X, y = trained(model, known)
    vectors, tolerance = update_state(model).expansion.vectors, 5e-3  # rounded kernel values
    extend(model, X)
    twin = KernelAROW(single, 1, 15)
    twin.rows = list(vectors)
    twin.a, twin.C = [np.zeros(len(vectors))], [np.linalg.inv(twin.values(vectors))]
    for x in vectors:
        twin.learn(x, 0)
    assert_allclose(model.decision_function(X)[:, 3], twin.decide(X)[:, 0], atol=tolerance)
    for x, label in zip(X, y, strict=True):
        twin.learn(x, int(label == 3))
    model.partial_fit(X, y)
    assert_allclose(model.decision_function(X)[:, 3], twin.decide(X)[:, 0], atol=tolerance)


@with_known
@pytest.mark.parametrize("algorithm", ["lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"])
def test_without_a_bias_the_vectors_are_trained_on(algorithm, known):
    params = dict(algorithm=algorithm, C=2.0, gamma=GAMMA, finishing=False, multi_class="ovr")
    model, X, _ = trained(LASVC(**params), known)
    references = engine_of(model).state()["references"]
    engine = engine_of(model)
    slots = np.flatnonzero(references if known == "three" else engine.problems[0].members["alive"])
    vectors = engine.store.vectors(slots)
    extend(model, X)
    # The first class of another model has the same samples as negative ones.
    other = LASVC(**params).partial_fit(vectors, np.zeros(len(vectors)), classes=[0, 1])
    assert_allclose(
        model.decision_function(X)[:, 3], other.decision_function(X), rtol=0, atol=1e-10
    )


# ---------------------------------------------------------------------------- the engine


MODELS = {
    "lasvm": LASVC(C=2.0, gamma=GAMMA),
    "lasvm, one-vs-rest": LASVC(C=2.0, gamma=GAMMA, multi_class="ovr"),
    "lasvm-g": LASVC(C=2.0, gamma=GAMMA, algorithm="lasvm-g"),
    "window": LASVC(C=2.0, gamma=GAMMA, window_size=50),
    "window, one-vs-rest": LASVC(C=2.0, gamma=GAMMA, window_size=50, multi_class="ovr"),
    "virtual": VirtualLASVC(C=2.0, gamma=GAMMA, random_state=0),
}


@pytest.mark.sampled
@with_known
@pytest.mark.parametrize("name", MODELS)
def test_references_and_gradients(name, known):
    model, X, y = trained(MODELS[name], known)
    extend(model, X)
    for begin in range(0, 180, 60):
        state = engine_of(model).state()
        counted = np.zeros_like(state["references"])
        for problem in [each.members for each in engine_of(model).problems]:
            alive = problem["alive"] != 0
            np.add.at(counted, problem["index"][alive], 1)
            vectors = engine_of(model).store.vectors(problem["index"][alive])
            K = kernel_values(spec_of(model).store(), vectors, vectors)
            expected = problem["target"][alive] - K @ problem["alpha"][alive]
            assert_allclose(problem["g"][alive], expected, atol=1e-5)
        assert_array_equal(counted, state["references"])
        assert set(state["free_slots"]) == set(np.flatnonzero(counted == 0))
        rows = slice(begin, begin + 60)
        model.partial_fit(X[rows], y[rows])


@with_known
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_after_fit_and_finish(known, n_jobs):
    X, y = stream()
    early = np.flatnonzero(np.isin(y[:120], KNOWN[known]))
    params = dict(C=2.0, gamma=GAMMA, multi_class="ovr", random_state=0)
    model = LASVC(n_jobs=n_jobs, **params).fit(X[early], y[early])
    before = model.decision_function(X)
    extend(model, X)
    after = model.decision_function(X)[:, KNOWN[known]]
    assert_allclose(after[:, 1] if known == "two" else after, before, atol=1e-12)
    model.finish()  # a class without samples
    assert_array_equal(model.decision_function(X)[:, 3], -1.0)
    model.partial_fit(X[120:], y[120:]).finish()
    whole = LASVC(**params).fit(X, y)
    assert model.score(X, y) > whole.score(X, y) - 0.08


def test_a_window_evicts_the_negative_samples_of_new_classes():
    model, X, y = trained(LASVC(C=2.0, gamma=GAMMA, window_size=30, multi_class="ovr"), "three")
    extend(model, X)
    old = np.flatnonzero(y < 3)[:60]
    model.partial_fit(X[old], y[old])
    problem = engine_of(model).problems[3]
    row_ids = problem.members["row_id"][problem.slots()]
    assert len(row_ids) <= 30
    assert row_ids.min() >= model.n_samples_seen_ - 31
    assert_array_equal(model.decision_function(X)[:, 3], -1.0)


def test_virtual_lasvc_can_name_a_new_class():
    model, X, y = trained(VirtualLASVC(C=2.0, gamma=GAMMA, random_state=0), "three")
    minority = model.minority_class_
    model.partial_fit(X, y, classes=[-1, 0, 1, 2, 3])
    assert model.minority_class_ in (minority, 3)
    assert class_rows(model).tolist()[0] == 0
    model.set_params(minority_class=3).partial_fit(X, y)
    assert model.minority_class_ == 3


# ---------------------------------------------------------------------------- one-vs-one


def pair_columns(known):
    """Return the columns of the pairs of known classes among those of all classes."""
    pairs = list(combinations(CLASSES.tolist(), 2))
    return [pairs.index(pair) for pair in combinations(KNOWN[known], 2)]


def solution(problem, sign=1.0):
    """Return alpha, the gradients and the bias of a problem, in the order of the samples."""
    slots, members = problem.slots(), problem.members
    slots = slots[np.argsort(members["row_id"][slots])]
    return sign * members["alpha"][slots], sign * members["g"][slots], sign * problem.b


@with_known
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc"])
def test_pairs_of_former_classes_remain_to_the_last_bit(algorithm, n_jobs, known):
    params = dict(C=2.0, gamma=GAMMA, algorithm=algorithm, finishing=False, n_jobs=n_jobs)
    model, X, y = trained(LASVC(decision_function_shape="ovo", **params), known)
    alone = pickle.loads(pickle.dumps(model)).set_params(n_jobs=1)
    # In a model of two classes f is positive for the second one.
    sign, columns = -1.0 if known == "two" else 1.0, pair_columns(known)

    def compare():
        former = [engine_of(model).problems[i] for i in columns]
        for ours, theirs in zip(former, engine_of(alone).problems, strict=True):
            for one, other in zip(solution(ours), solution(theirs, sign), strict=True):
                assert_array_equal(one, other)
        values = alone.decision_function(X).reshape(len(X), -1)
        assert_allclose(model.decision_function(X)[:, columns], sign * values, atol=1e-12)

    extend(model, X)
    compare()
    # Samples of new classes do not belong to these pairs. Of two equal extremes the first one is
    # taken, which the sign may change.
    if known == "three":
        old = np.isin(y, KNOWN[known])
        model.partial_fit(X, y)
        alone.partial_fit(X[old], y[old])
        compare()


@with_known
def test_threads_do_not_change_pairs_of_new_classes(known):
    models = []
    for n_jobs in (1, 2):
        model, X, y = trained(LASVC(C=2.0, gamma=GAMMA, n_jobs=n_jobs), known)
        extend(model, X)
        models.append(model.partial_fit(X, y).finish())
    one, two = models
    for name in ("support_", "dual_coef_", "intercept_", "dual_objective_"):
        assert_array_equal(getattr(one, name), getattr(two, name))
    assert_array_equal(one.decision_function(X), two.decision_function(X))
    whole = LASVC(C=2.0, gamma=GAMMA, random_state=0).fit(*stream())
    assert one.score(X, y) > whole.score(X, y) - 0.08


@with_known
def test_a_window_evicts_the_first_samples_of_new_pairs(known):
    make = LASVC(C=2.0, gamma=GAMMA, window_size=30, decision_function_shape="ovo")
    model, X, y = trained(make, known)
    extend(model, X)
    old = np.flatnonzero(np.isin(y, KNOWN[known]))[:60]
    model.partial_fit(X[old], y[old])
    labels = y[old]
    oldest, values = model.n_samples_seen_ - 30, model.decision_function(X)
    pairs = combinations(CLASSES.tolist(), 2)
    for (a, b), problem, f in zip(pairs, engine_of(model).problems, values.T, strict=True):
        row_ids = problem.members["row_id"][problem.slots()]
        assert len(row_ids) <= 30
        assert row_ids.min(initial=oldest) >= oldest
        assert np.isin(labels[row_ids - model.n_samples_seen_ + len(old)], [a, b]).all()
        if b not in KNOWN[known]:
            assert_array_equal(f, 1.0 if a in KNOWN[known] else f[0])
            assert not problem.members["alpha"][problem.slots()].any()


# ---------------------------------------------------------------------------- interrupts


STREAMS = {
    "lasvm": LASVC(C=2.0, gamma=GAMMA, finishing=False),
    "lasvm, one-vs-rest": LASVC(C=2.0, gamma=GAMMA, finishing=False, multi_class="ovr"),
    "lasvm-g": LASVC(C=2.0, gamma=GAMMA, algorithm="lasvm-g", finishing=False),
    "kernel pa": KernelPassiveAggressiveClassifier(gamma=GAMMA),
    "kernel arow": KernelAROWClassifier(gamma=GAMMA, max_support_vectors=100),
    "pa": PassiveAggressiveClassifier(),
    "arow": AROWClassifier(covariance="full"),
}


@pytest.mark.sampled
@pytest.mark.skipif(os.name == "nt", reason="signals are not raised at once on Windows")
@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("known", [*KNOWN])
def test_interrupted_addition_leaves_a_usable_model(name, known):
    X, y = make_blobs(800, n_features=60, centers=4, cluster_std=9.0, random_state=0)
    X /= 30.0
    early = np.flatnonzero(np.isin(y[:400], KNOWN[known]))
    begun = clone(STREAMS[name]).partial_fit(X[early], y[early], classes=KNOWN[known])
    before, data, given = begun.decision_function(X), (X[400:], y[400:]), {"classes": CLASSES}
    whole = pickle.loads(pickle.dumps(begun))
    total = n_lines(whole.partial_fit, *data, **given)
    n_raised = 0
    for n in np.linspace(1, total, 9).astype(int):
        model = pickle.loads(pickle.dumps(begun))
        call = Interrupt(n, model.partial_fit, *data, **given)
        n_raised += call.raised
        if len(model.classes_) == len(KNOWN[known]):
            assert_array_equal(model.decision_function(X), before)
        if call.raised:
            model = completed(model, begun, "partial_fit", data, call.notes, given)
        assert_array_equal(model.classes_, CLASSES)
        assert_array_equal(model.decision_function(X), whole.decision_function(X))
    assert n_raised > 5


@pytest.mark.parametrize("name", ["lasvm", "kernel pa"])
def test_error_of_a_kernel_function_leaves_the_model_unchanged(name):
    model, X, y = trained(clone(STREAMS[name]).set_params(kernel=CutKernel()), "three")
    model.kernel.error = RuntimeError("no values")
    before = model.decision_function(X)
    for n_calls in (1, 2, 4):
        model.kernel.calls_left = n_calls
        with pytest.raises(RuntimeError, match="no values"):
            model.partial_fit(X, y, classes=CLASSES)
        assert len(model.classes_) == 3
        assert_array_equal(model.decision_function(X), before)
    model.partial_fit(X, y, classes=CLASSES)
