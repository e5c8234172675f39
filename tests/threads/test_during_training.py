"""What other threads, and functions that a model calls, can do while it is trained."""

import copy
import os
import pickle
import signal
import threading
import time
from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from sklearn_online_svm import (
    LASVC,
    LASVR,
    LabelEfficientClassifier,
    OneClassLASVM,
)
from sklearn_online_svm.active import RandomQuery
from tests.support.cases import in_turn
from tests.support.internals import spec_of, update_state
from tests.support.interrupts import AtLine, Interrupt, n_lines
from tests.support.samples import three_classes, two_classes
from tests.support.trainable import FITTED_AT_ONCE, STREAMS, samples_of, seeded, state_of

SECONDS = 120


def in_thread(function, *args, **kwargs):
    """Return a thread that has begun to call a function."""
    thread = threading.Thread(target=function, args=args, kwargs=kwargs, daemon=True)
    thread.start()
    return thread


def ended(*threads):
    for thread in threads:
        thread.join(SECONDS)
    assert not any(thread.is_alive() for thread in threads)


def scores(model, X):
    return getattr(model, "decision_function", model.predict)(X)


# -- every estimator --------------------------------------------------------------------


class ReentrantSamples:
    """Samples that call a function while they are validated."""

    def __init__(self, samples, action):
        self.samples, self.action, self.result = samples, action, None

    def __array__(self, dtype=None, copy=None):
        self.result = self.action()
        return self.samples


with_all = pytest.mark.parametrize("name", [*STREAMS, *FITTED_AT_ONCE])
REFUSED = {
    "fit": lambda model, X, y: model.fit(X, y),
    "partial_fit": lambda model, X, y: model.partial_fit(X, y),
    "finish": lambda model, X, y: model.finish(),
    "sparsify": lambda model, X, y: model.sparsify(),
    "__getstate__": lambda model, X, y: pickle.dumps(model),
}


@pytest.mark.sampled
@with_all
def test_calls_within_training(name):
    """They are refused if they change or store the model; predictions are those from before."""
    X, y = samples_of(name, 60)
    model = seeded(name).fit(X, y)
    for during in ("fit", "partial_fit"):
        if not hasattr(model, during):
            continue
        for deed, call in REFUSED.items():
            state = state_of(model)
            if hasattr(model, deed):
                with pytest.raises(RuntimeError, match="being trained"):
                    samples = ReentrantSamples(X, partial(call, model, X, y))
                    getattr(model, during)(samples, y)
            assert state_of(model) == state
        expected, samples = scores(model, X), ReentrantSamples(X, lambda: scores(model, X))
        getattr(model, during)(samples, y)
        assert_array_equal(samples.result, expected)


@pytest.mark.sampled
@pytest.mark.parametrize("name, is_fitted", in_turn([*STREAMS, *FITTED_AT_ONCE], [False, True]))
def test_former_model_during_fit(name, is_fitted):
    """Other threads see it until the end of ``fit``, and may set parameters meanwhile.

    A model that is not fitted is so until the end of its first call of ``partial_fit``, too.
    """
    X, y = samples_of(name, 80)
    other = (X[:40], y[:40]) if name == "advice" else (X[:, :3], y + 1)
    before, calls = seeded(name), [("fit", (X, y))]
    if is_fitted:
        before.fit(*other)
    elif name not in FITTED_AT_ONCE and "labels" not in name:
        given = [np.unique(y)] if is_classifier(before) else []
        calls.append(("partial_fit", (X, y, *given)))

    def read():
        classes = getattr(model, "classes_", None)
        try:
            values = getattr(model, "decision_variance", lambda X: None)(other[0])
            return [scores(model, other[0]), values, classes, model.n_features_in_]
        except (NotFittedError, AttributeError):
            return classes

    def act():
        seen.append(read())
        if hasattr(model, "tol"):
            model.set_params(tol=0.5)

    for method, data in calls:
        for _ in range(2):  # the first call of a class executes more lines
            total = n_lines(getattr(copy.deepcopy(before), method), *data)
        for n in np.linspace(1, 0.8 * total, 4).astype(int):
            model, seen = copy.deepcopy(before), []
            expected, call = read(), getattr(model, method)
            assert AtLine(lambda: ended(in_thread(act)), n, call, *data).n_lines == n
            assert_equal(seen, [expected])
            assert getattr(model, "tol", 0.5) == 0.5


# -- models with a kernel ---------------------------------------------------------------


class Kernel:
    """Kernel function that calls an action in its n-th call by a thread that trains."""

    def __init__(self, action=None):
        self.action, self.at, self.n_calls = action, np.inf, 0

    def expect(self, at):
        self.at, self.n_calls = at, 0

    def __call__(self, A, B):
        if threading.current_thread().name != "reader":
            self.n_calls += 1
            if self.n_calls == self.at:
                self.action()
        return np.exp(-0.3 * cdist(A, B, "sqeuclidean"))


def same(model, other, X):
    assert_array_equal(model.decision_function(X), other.decision_function(X))
    for name in ("support_", "dual_coef_", "intercept_", "n_samples_seen_"):
        assert_array_equal(getattr(model, name), getattr(other, name))


def leaving(error):
    def leave(*_):
        raise error

    return leave


DEEDS = {
    "partial_fit": (lambda model, X, y: model.partial_fit(X[:5], y[:5]), RuntimeError),
    "fit": (lambda model, X, y: model.fit(X, y), RuntimeError),
    "finish": (lambda model, X, y: model.finish(), RuntimeError),
    "predict": (lambda model, X, y: model.predict(X[:3]), RuntimeError),
    "dual_coef_": (lambda model, X, y: model.dual_coef_, RuntimeError),
    "pickle": (lambda model, X, y: pickle.dumps(model), RuntimeError),
    "exit": (leaving(SystemExit), SystemExit),
    "close": (leaving(GeneratorExit), GeneratorExit),
    "division": (leaving(ZeroDivisionError), ZeroDivisionError),
}


LEAVE = ("exit", "close", "division")


@pytest.mark.sampled
@pytest.mark.parametrize("n_jobs, problem", [(1, two_classes), (2, three_classes)])
@pytest.mark.parametrize(
    "deed, during",
    [*product(DEEDS, ["partial_fit", "finish"]), *((name, "fit") for name in LEAVE)],
)
def test_errors_in_a_kernel_function(deed, during, n_jobs, problem):
    """The model is unchanged; calls of it in its own kernel function are such errors."""
    (X, y), (act, error) = problem(200), DEEDS[deed]
    classes, kernel = np.unique(y), Kernel(lambda: act(model, X, y))
    params = dict(C=5.0, random_state=0, cache_size=1e-2, n_jobs=n_jobs)
    model, other = (LASVC(kernel=each, **params) for each in (kernel, Kernel()))
    for one in (model, other):
        one.partial_fit(X[:100], y[:100], classes)
    data = () if during == "finish" else (X[100:160], y[100:160])
    n_refused = 0
    for at in (1, 2, 3, 8):
        kernel.expect(at)
        try:
            getattr(model, during)(*data)
        except error as raised:
            assert error is not RuntimeError or "being trained" in str(raised)
            n_refused += 1
        else:
            assert kernel.n_calls < at
            getattr(other, during)(*data)
        kernel.expect(np.inf)
        same(model, other, X)
    assert n_refused
    for one in (model, other):
        one.partial_fit(X[160:], y[160:])
    same(model, other, X)
    model = LASVC(kernel=kernel)
    kernel.expect(3)
    if error is not RuntimeError:
        with pytest.raises(error):
            model.partial_fit(X, y, classes)
        assert vars(model) == vars(LASVC(kernel=kernel))


class Pause:
    """A thread that calls a function of a model, and waits in its n-th kernel function call."""

    def __init__(self, model, at, function, *args):
        self.kernel = model.kernel
        self.begin(at)
        self.thread = in_thread(function, *args)
        assert self.reached.wait(SECONDS)

    def begin(self, at):
        self.reached, self.continues = reached, continues = threading.Event(), threading.Event()

        def wait():
            reached.set()
            assert continues.wait(SECONDS)

        self.kernel.action = wait
        self.kernel.expect(at)

    def move_on(self, at):
        """Let the thread continue until another call."""
        continues = self.continues
        self.begin(at)
        continues.set()
        assert self.reached.wait(SECONDS)


def kernel_model(kind=LASVC, n=60, **params):
    """Return samples, targets, a model trained on the first samples and the classes."""
    X, y = two_classes(384)
    y = (y == "yes").astype(int)
    model = kind(kernel=Kernel(), **params)
    return X, y, model.partial_fit(X[:n], y[:n], *([[0, 1]] if kind is LASVC else []))


def test_training_calls_run_in_order():
    """Ctrl-C in a call that waits for another thread ends this call only."""
    X, y, model = kernel_model(random_state=0)
    before = model.predict(X)
    parts = [slice(60, 120), slice(120, 125), slice(125, 200)]
    train = lambda part: model.partial_fit(X[part], y[part])  # noqa: E731
    pause = Pause(model, 2, train, parts[0])
    threads = [in_thread(train, parts[1])]
    time.sleep(0.1)
    if os.name != "nt":
        main = threading.main_thread().ident
        threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT)).start()
        assert Interrupt(0, train, slice(200, 300)).raised
    threads.append(in_thread(train, parts[2]))
    time.sleep(0.1)
    assert all(thread.is_alive() for thread in threads)
    assert model.n_samples_seen_ == 60
    assert_array_equal(model.predict(X), before)
    pause.continues.set()
    ended(pause.thread, *threads)
    other = kernel_model(random_state=0)[2]
    for part in parts:
        other.partial_fit(X[part], y[part])
    same(model, other, X)


def test_predictions_run_between_two_blocks_of_samples():
    """The last complete state is stored only if it was used for a prediction."""
    X, y, model = kernel_model(n=64)
    seen = []
    pause = Pause(model, 2, model.partial_fit, X[64:], y[64:])
    readers = [in_thread(lambda: seen.append(model.decision_function(X[:5]))) for _ in range(2)]
    for reader in readers:
        reader.name = "reader"
    time.sleep(0.1)
    assert not seen
    pause.move_on(8)
    ended(*readers)
    # The training call is still running.
    assert len(seen) == 2 and pause.thread.is_alive() and 64 < model.n_samples_seen_ < 384
    pause.continues.set()
    ended(pause.thread)
    assert model.n_samples_seen_ == 384


@pytest.mark.parametrize("kind", [LASVC, LASVR, OneClassLASVM])
def test_new_parameters_wait_for_predictions(kind):
    """A prediction may be optimizing over the support set: the cache it uses must not change."""
    X, y, model = kernel_model(kind, cache_size=1e-3)
    before = spec_of(model)
    model.set_params(cache_size=100.0)
    pause = Pause(model, 1, model.predict, X[:5])
    learner = in_thread(model.partial_fit, X[60:], y[60:])
    time.sleep(0.1)
    assert learner.is_alive() and spec_of(model) is before
    pause.continues.set()
    ended(pause.thread, learner)
    assert spec_of(model).cache_size == 100.0 and model.n_samples_seen_ == 384


# -- oracles ----------------------------------------------------------------------------

with_inner = pytest.mark.parametrize("inner", [None, LASVC(gamma=0.05)], ids=str)


@with_inner
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_oracle_and_other_threads_predict(inner, method):
    """During ``fit`` by the former model, during ``partial_fit`` by the present one."""
    X, y = two_classes(150)
    model, seen = LabelEfficientClassifier(inner, random_state=0), []
    model.partial_fit(X[:50], y[:50], classes=np.unique(y))

    def oracle(i):
        ended(in_thread(lambda: seen.append(model.decision_function(X))))
        assert_array_equal(seen[-1], model.decision_function(X))
        assert list(model.classes_) == ["no", "yes"]
        with pytest.raises(RuntimeError, match="being trained"):
            model.partial_fit(X[:2], y[:2])
        return y[i] if method == "partial_fit" else i % 3

    before = model.decision_function(X)
    classes = np.unique(y) if method == "partial_fit" else [0, 1, 2]
    getattr(model, method)(X, oracle=oracle, classes=classes)
    assert list(model.classes_) == list(classes) and len(seen) > 5
    distinct = {values.tobytes() for values in seen}
    assert len(distinct) > 2 if method == "partial_fit" else distinct == {before.tobytes()}


@pytest.mark.parametrize("deed", ["sparsify", "partial_fit", "set_params", "fit"])
def test_oracle_may_change_the_base_estimator(deed):
    """The change replaces arrays of the compiled loop between two samples, except by a refit."""
    X, y = two_classes(300)
    model, other = (LabelEfficientClassifier(random_state=0) for _ in range(2))
    for one in (model, other):
        one.partial_fit(X[:50], y[:50], classes=np.unique(y))
    inner, calls = model.estimator_, []
    change = {
        "sparsify": inner.sparsify,
        "partial_fit": lambda: inner.partial_fit(csr_matrix(X[:3]), y[:3]),
        "set_params": lambda: inner.set_params(C=0.5),
        "fit": lambda: inner.fit(np.c_[X, X].astype(np.float32), np.arange(300) % 3),
    }[deed]

    def oracle(i):
        calls.append(i)
        change()
        return y[50 + i]

    if deed == "fit":
        with pytest.raises(RuntimeError, match="was fitted again"):
            model.partial_fit(X[50:], oracle=oracle)
        return
    model.partial_fit(X[50:], oracle=oracle)
    other.partial_fit(X[50:], y[50:])
    assert len(model.queried_) == 300 and model.n_queries_ > 10
    assert inner.t_ == 1 + model.n_queries_ + 3 * len(calls) * (deed == "partial_fit")
    if deed == "sparsify":
        assert_array_equal(model.decision_function(X), other.decision_function(X))
    assert update_state(inner).update_spec.rule["C"] == (0.5 if deed == "set_params" else 1.0)


@with_inner
def test_copies_while_the_oracle_is_called(inner):
    """Copies in other threads wait for the end of the call, and are consistent."""
    X, y = two_classes(200)
    model, copies, threads = LabelEfficientClassifier(inner, random_state=0), [], []
    classes = np.unique(y)
    model.partial_fit(X[:50], y[:50], classes=classes)
    make_copies = (
        lambda: copy.deepcopy(model),
        lambda: pickle.loads(pickle.dumps(model)),
        lambda: clone(model).partial_fit(X, y, classes),
    )

    def oracle(i):
        if not threads:
            threads.extend(
                in_thread(lambda make=make: copies.append(make())) for make in make_copies
            )
        with pytest.raises(RuntimeError, match="being trained"):
            pickle.dumps(model)
        return y[50 + i]

    model.partial_fit(X[50:], oracle=oracle)
    ended(*threads)
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

    ended(*[in_thread(ask) for _ in range(4)])
    assert rule.n_queries_ == 4 * 500 * 3
