"""Several threads that use one linear model, or one LabelEfficientClassifier."""

import copy
import pickle
import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone

from sklearn_online_svm import (
    LASVC,
    Advice,
    AdvicePassiveAggressiveClassifier,
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    SecondOrderPerceptronClassifier,
)
from sklearn_online_svm.active import RandomQuery
from tests.support.internals import LinearState, _updates, update_state
from tests.support.linear_kinds import clouds, regression
from tests.support.samples import three_classes, two_classes
from tests.support.threads import run

LINEAR = [
    ("PassiveAggressiveClassifier", {}, dict(n_learners=3)),
    ("AROWClassifier", dict(covariance="full"), dict(n_classes=3)),
    ("LocalOnlineClassifier", dict(n_neighbors=3, average=True), dict(sparse=True, chunk=7)),
    ("SecondOrderPerceptronClassifier", {}, dict(sparse=True, n_classes=3)),
]
FURTHER_LINEAR = [
    ("PassiveAggressiveClassifier", dict(average=100), dict(n_classes=3, chunk=7)),
    ("AROWClassifier", {}, dict(sparse=True, chunk=7)),
    ("PassiveAggressiveClassifier", {}, {}),
    ("PassiveAggressiveClassifier", {}, dict(sparse=True, n_classes=3, chunk=100)),
    ("AROWClassifier", {}, dict(chunk=100, n_probes=300)),
    ("LocalOnlineClassifier", {}, dict(n_classes=3)),
    ("LocalOnlineClassifier", dict(variant="scw"), dict(chunk=100, n_probes=300)),
    ("CostSensitivePassiveAggressiveClassifier", {}, {}),
]
LABEL_EFFICIENT = [
    ("LabelEfficientClassifier", dict(random_state=0), dict(n_classes=3)),
    ("LabelEfficientClassifier", dict(random_state=0, kernel=True), dict(n_rows=200, chunk=1)),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, params, options",
    [
        *LINEAR,
        *(pytest.param(*case, marks=pytest.mark.slow) for case in FURTHER_LINEAR),
        *LABEL_EFFICIENT,
    ],
    ids=str,
)
def test_predictions_during_training(name, params, options):
    run(name, params, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name, params, options", LINEAR + FURTHER_LINEAR, ids=str)
@pytest.mark.parametrize("chunk", [1, 10, 1000])
def test_predictions_during_long_training(name, params, options, chunk):
    run(name, params, **{**options, "chunk": chunk, "n_rows": 2000 * (1 if chunk < 10 else 10)})


def test_training_does_not_change_weights_in_use():
    X, y = two_classes(400)
    for average in (False, True):
        model = PassiveAggressiveClassifier(average=average)
        for samples in (slice(0, 3), slice(3, 200), slice(200, 203), slice(203, 400)):
            model.partial_fit(X[samples], y[samples], classes=np.unique(y))
            weights = model.coef_, model.intercept_
            before = [array.copy() for array in weights]
            model.partial_fit(X[:7], y[:7])
            assert_array_equal(weights[0], before[0])
            assert_array_equal(weights[1], before[1])
            assert (model.coef_ != before[0]).any()
    # Writing to the attributes changes the model.
    model = PassiveAggressiveClassifier().fit(X, y)
    model.coef_[:] = 0.0
    model.intercept_[:] = 1.0
    assert (model.decision_function(X) == 1.0).all()


FAMILIES = [
    PassiveAggressiveClassifier(),
    PassiveAggressiveClassifier(average=True),
    PassiveAggressiveClassifier(multi_class="crammer_singer"),
    AROWClassifier(),
    AROWClassifier(covariance="full"),
    AROWClassifier(fit_intercept=False),
    SecondOrderPerceptronClassifier(),
    CostSensitivePassiveAggressiveClassifier(),
]


@pytest.mark.parametrize("model", FAMILIES, ids=str)
@pytest.mark.parametrize("as_rows", [np.asarray, csr_matrix])
def test_two_threads_train_one_after_the_other(model, as_rows):
    """Both train on the same chunk, so their order does not matter."""
    X, y = three_classes(30_000)
    X, model = as_rows(X), clone(model).partial_fit(as_rows(X[:9]), y[:9], classes=np.unique(y))
    other = pickle.loads(pickle.dumps(model))
    start = threading.Barrier(2)

    def learn():
        start.wait(20)
        model.partial_fit(X, y)

    threads = [threading.Thread(target=learn) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.partial_fit(X, y).partial_fit(X, y)
    assert model.t_ == other.t_ == 60_010
    assert model.n_updates_ == other.n_updates_
    assert_array_equal(model.coef_, other.coef_)
    assert_array_equal(model.intercept_, other.intercept_)


class ReentrantSamples:
    """Samples that call a model while it validates them."""

    def __init__(self, samples, action):
        self.samples, self.action, self.result = samples, action, None

    def __array__(self, dtype=None, copy=None):
        self.result = self.action()
        return self.samples


@pytest.mark.parametrize("model", [*FAMILIES, PassiveAggressiveRegressor()], ids=str)
@pytest.mark.parametrize("during", ["fit", "partial_fit"])
def test_reentrance_is_refused(model, during):
    X, y = two_classes(100)
    y = (y == "yes").astype(int)
    model = clone(model).fit(X, y)
    state, decisions = pickle.dumps(model), model.predict(X)
    for deed in ("fit", "partial_fit", "pickle", "sparsify"):
        action = {
            "fit": lambda: model.fit(X, y),
            "partial_fit": lambda: model.partial_fit(X, y),
            "pickle": lambda: pickle.dumps(model),
            "sparsify": model.sparsify,
        }[deed]
        with pytest.raises(RuntimeError, match="being trained"):
            getattr(model, during)(ReentrantSamples(X, action), y)
        assert pickle.dumps(model) == state
    samples = ReentrantSamples(X, lambda: model.predict(X))
    getattr(model, during)(samples, y)
    assert_array_equal(samples.result, decisions)


@pytest.mark.parametrize("model", FAMILIES, ids=str)
@pytest.mark.parametrize("as_rows", [np.asarray, csr_matrix])
@pytest.mark.parametrize("problem", [two_classes, three_classes])
def test_weights_are_copied_only_if_in_use(model, as_rows, problem):
    X, y = problem(200)
    X, model = as_rows(X), clone(model)
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


def test_readers_during_a_copy_get_the_former_weights(monkeypatch):
    """Readers get the copies only after the training."""
    X, y = two_classes(200)
    model, other = PassiveAggressiveClassifier(), PassiveAggressiveClassifier()
    for one in (model, other):
        one.partial_fit(X, y, classes=np.unique(y))
    weights, build, seen = model.coef_, LinearState._build, []

    def build_and_look(state):
        build(state)
        seen.append(state.weights(None)[0])

    monkeypatch.setattr(LinearState, "_build", build_and_look)
    for one in (model, other):
        one.partial_fit(X[:5] + 1.0, y[:5])
    assert len(seen) == 1 and seen[0] is weights
    assert model.t_ == 206
    assert_array_equal(model.coef_, other.coef_)
    assert (model.coef_ != weights).any()


def test_memory_error_during_a_copy(monkeypatch):
    X, y = two_classes(200)
    model = PassiveAggressiveClassifier().fit(X, y)
    held, before = model.coef_, model.coef_.copy()

    def fail(state):
        raise MemoryError

    with monkeypatch.context() as context:
        context.setattr(LinearState, "_build", fail)
        with pytest.raises(MemoryError):
            model.partial_fit(X[:9], y[:9])
    assert model.coef_ is held
    assert_array_equal(held, before)
    model.partial_fit(X[:9] + 1.0, y[:9])
    assert_array_equal(held, before)
    assert (model.coef_ != before).any()


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
    try:
        for _ in range(200):
            model.sparsify().densify()
    finally:
        done.set()
        reader.join(120)
    assert len(seen) and all(np.allclose(one, decisions, atol=1e-12) for one in seen)


ADVICE = [
    Advice.from_rules({0: (">=", 0.5), 2: (-1, 2)}, range(4), 1),
    Advice.from_rules({0: ("<=", -1)}, range(4), 0),
]
READ = [
    (PassiveAggressiveRegressor(), None),
    *(
        (AdvicePassiveAggressiveClassifier(ADVICE, advice_weight=0.05, refine=refine), n_classes)
        for refine in (False, True)
        for n_classes in (2, 3)
    ),
]


@pytest.mark.parametrize("model, n_classes", READ, ids=str)
def test_readers_see_the_weights_between_chunks(model, n_classes):
    X, y = regression(60_000) if n_classes is None else clouds(60_000, n_classes=n_classes)
    chunks = [slice(start, start + 3000) for start in range(0, 60_000, 3000)]
    first = {} if n_classes is None else {"classes": range(n_classes)}
    model, twin = clone(model), clone(model)
    states = [twin.partial_fit(X[chunk], y[chunk], **first).coef_.copy() for chunk in chunks]
    model.partial_fit(X[chunks[0]], y[chunks[0]], **first)
    seen, done = [], threading.Event()

    def read():
        while not done.is_set():
            coef = model.coef_
            seen.append((coef, coef.copy()))
            time.sleep(0)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    try:
        for chunk in chunks[1:]:
            n_seen = len(seen)
            while len(seen) == n_seen:  # at least one read between two chunks
                time.sleep(0)
            model.partial_fit(X[chunk], y[chunk])
    finally:
        done.set()
        for reader in readers:
            reader.join()
    found = {coef.tobytes() for _, coef in seen}
    assert found <= {state.tobytes() for state in states} and len(found) > 5
    # Training does not change arrays that a reader holds.
    for held, coef in seen[:: max(1, len(seen) // 100)]:
        assert_array_equal(held, coef)
    assert_array_equal(model.coef_, states[-1])


def test_readers_get_the_former_model_during_fit(monkeypatch):
    X, y = two_classes(200)
    model = AROWClassifier().fit(X, y)
    decisions, reached, go_on = model.decision_function(X), threading.Event(), threading.Event()
    passes = _updates.run_epochs

    def slow(*arguments):
        passes(*arguments)
        reached.set()
        assert go_on.wait(20)

    monkeypatch.setattr(_updates, "run_epochs", slow)
    learner = threading.Thread(target=lambda: model.fit(np.c_[X, X], np.arange(200) % 3))
    learner.start()
    try:
        assert reached.wait(20)
        assert list(model.classes_) == ["no", "yes"] and model.coef_.shape == (1, 4)
        assert_array_equal(model.decision_function(X), decisions)
        assert set(model.predict(X)) == {"no", "yes"}
        assert len(model.suspect_labels(X, y, n_suspects=3)) == 3
        assert model.decision_variance(X).shape == (200,)
    finally:
        go_on.set()
        learner.join(120)
    assert model.coef_.shape == (3, 8) and set(model.predict(np.c_[X, X])) == {0, 1, 2}


@pytest.mark.parametrize("inner", [None, LASVC(gamma=0.05)], ids=str)
def test_predictions_while_the_oracle_is_called(inner):
    X, y = two_classes(300)
    model, seen = LabelEfficientClassifier(inner, random_state=0), []

    def oracle(i):
        if seen:
            assert list(model.classes_) == ["no", "yes"]
            there = threading.Thread(target=lambda: seen.append(model.decision_function(X)))
            there.start()
            there.join(120)
            assert_array_equal(seen[-1], model.decision_function(X))
        else:
            seen.append(None)  # not yet trained
        with pytest.raises(RuntimeError, match="being trained"):
            model.partial_fit(X[:2], y[:2])
        return y[i]

    model.partial_fit(X, oracle=oracle, classes=np.unique(y))
    assert len(seen) > 5 and len(model.queried_) == 300
    assert len({scores.tobytes() for scores in seen[1:]}) > 2


@pytest.mark.parametrize("inner", [None, LASVC(gamma=0.05)], ids=str)
def test_oracle_of_fit_gets_the_former_model(inner):
    X, y = two_classes(200)
    model, seen = LabelEfficientClassifier(inner, random_state=0).fit(X, y), []
    decisions = model.decision_function(X)

    def oracle(i):
        seen.append(model.decision_function(X).tobytes())
        return i % 3

    model.fit(X, oracle=oracle, classes=[0, 1, 2])
    assert set(seen) == {decisions.tobytes()}
    assert list(model.classes_) == [0, 1, 2]


@pytest.mark.parametrize("deed", ["sparsify", "partial_fit", "set_params"])
def test_oracle_may_change_the_base_estimator(deed):
    """The change replaces arrays of the compiled loop between two samples."""
    X, y = two_classes(300)
    model, other = (LabelEfficientClassifier(random_state=0) for _ in range(2))
    for one in (model, other):
        one.partial_fit(X[:50], y[:50], classes=np.unique(y))
    inner = model.estimator_
    change = {
        "sparsify": inner.sparsify,
        "partial_fit": lambda: inner.partial_fit(csr_matrix(X[:3]), y[:3]),
        "set_params": lambda: inner.set_params(C=0.5),
    }[deed]

    calls = []

    def oracle(i):
        calls.append(i)
        change()
        return y[50 + i]

    model.partial_fit(X[50:], oracle=oracle)
    other.partial_fit(X[50:], y[50:])
    assert len(model.queried_) == 300 and model.n_queries_ > 10
    n_calls = len(calls) if deed == "partial_fit" else 0
    assert inner.t_ == 1 + model.n_queries_ + 3 * n_calls
    if deed == "sparsify":
        assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert update_state(model.estimator_).update_spec.rule["C"] == (
        0.5 if deed == "set_params" else 1.0
    )


def test_oracle_may_not_refit_the_base_estimator():
    X, y = two_classes(300)
    model = LabelEfficientClassifier(random_state=0)
    model.partial_fit(X[:50], y[:50], classes=np.unique(y))

    def oracle(i):
        model.estimator_.fit(np.c_[X, X].astype(np.float32), np.arange(300) % 3)
        return y[50 + i]

    with pytest.raises(RuntimeError, match="was fitted again"):
        model.partial_fit(X[50:], oracle=oracle)


@pytest.mark.parametrize("inner", [None, LASVC(gamma=0.05)], ids=str)
def test_copies_while_the_oracle_is_called(inner):
    """Copies in other threads wait for the end of the call, and are consistent."""
    X, y = two_classes(200)
    model, copies = LabelEfficientClassifier(inner, random_state=0), []
    classes = np.unique(y)
    model.partial_fit(X[:50], y[:50], classes=classes)
    threads = [
        threading.Thread(target=lambda: copies.append(copy.deepcopy(model))),
        threading.Thread(target=lambda: copies.append(pickle.loads(pickle.dumps(model)))),
        threading.Thread(target=lambda: copies.append(clone(model).partial_fit(X, y, classes))),
    ]

    def oracle(i):
        for thread in threads:
            if not thread.ident:
                thread.start()
        with pytest.raises(RuntimeError, match="being trained"):
            pickle.dumps(model)
        return y[50 + i]

    model.partial_fit(X[50:], oracle=oracle)
    for thread in threads:
        thread.join(120)
    assert len(copies) == 3
    for one in copies:
        assert len(one.queried_) == 200
        assert one.queried_.sum() == one.n_queries_ == len(one.queried_labels_)
        one.partial_fit(X[:5], y[:5])


def test_query_strategies_count_in_several_threads():
    rule = RandomQuery(rate=0.5, random_state=0)

    def ask():
        for _ in range(500):
            scores = np.ones(3)
            rule.update(scores, rule.query(scores) | True)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rule.n_queries_ == 4 * 500 * 3
