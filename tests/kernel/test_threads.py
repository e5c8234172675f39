"""Several threads on one model: training is serialized, predictions use a complete state."""

import os
import signal
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from sklearn_online_svm import LASVC, LASVR, OneClassLASVM
from tests.support.internals import spec_of
from tests.support.samples import three_classes, two_classes
from tests.support.threads import run

KERNEL = dict(C=10.0, gamma=0.05, finishing=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, params, options",
    [
        ("LASVC", {}, dict(n_learners=3)),
        ("LASVC", dict(n_jobs=2), dict(n_classes=3, n_probes=300)),
        ("KernelPassiveAggressiveClassifier", {}, dict(n_learners=3)),
        ("KernelPerceptronClassifier", dict(average="vote"), {}),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [
                ("LASVC", {}, {}),
                ("LASVC", {}, dict(sparse=True, chunk=8)),
                ("LASVC", dict(kernel="function"), dict(n_rows=600)),
                ("KernelPassiveAggressiveClassifier", {}, dict(n_classes=3)),
                (
                    "KernelPassiveAggressiveClassifier",
                    dict(max_support_vectors=50),
                    dict(sparse=True),
                ),
                ("LASVC", dict(algorithm="lasvm-nc"), dict(n_classes=3, n_learners=2)),
                ("KernelAROWClassifier", dict(max_support_vectors=50), dict(n_classes=3)),
                ("LASVC", dict(finishing=True), {}),
                ("LASVC", dict(replay_size=100), dict(sorted=True, n_classes=3)),
                (
                    "LASVC",
                    dict(replay_size=100, finishing=True),
                    dict(sorted=True, n_classes=3, n_learners=3),
                ),
                # Within a chunk of several blocks, models are not those of any chunk alone.
                (
                    "LASVC",
                    dict(replay_size=100, n_jobs=2),
                    dict(sorted=True, chunk=200, n_learners=2),
                ),
                ("LASVC", {}, dict(chunk=1, n_rows=400)),
                ("KernelPassiveAggressiveClassifier", dict(kernel="function"), dict(n_rows=300)),
                ("KernelPerceptronClassifier", dict(average="mean"), dict(n_classes=3)),
            ]
        ),
    ],
    ids=str,
)
def test_predictions_during_training(name, params, options):
    run(name, {**(KERNEL if name == "LASVC" else dict(gamma=0.05)), **params}, **options)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 15, 16, 64])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "params, n_classes",
    [
        ({}, 2),
        # The votes of pairs change by whole numbers; their decision values do not.
        (dict(finishing=True, decision_function_shape="ovo"), 3),
        (dict(cache_size=1e-2), 3),
        (dict(algorithm="lasvm-g"), 2),
        (dict(kernel="function"), 2),
        (dict(kernel="function", n_jobs=2), 3),
        (dict(kernel="linear"), 3),
        (dict(n_jobs=2), 3),
    ],
    ids=str,
)
def test_predictions_during_long_training(params, n_classes, chunk, sparse):
    n_rows = 640 * (1 if chunk == 1 else 3 if "kernel" in params else 10)
    options = dict(n_classes=n_classes, chunk=chunk, sparse=sparse, n_rows=n_rows, n_probes=300)
    run("LASVC", {**KERNEL, **params}, **options)
    run("LASVC", {**KERNEL, **params}, **options, n_learners=3)


# -- kernel functions that call their model ---------------------------------------------


class MeddlingKernel:
    """Kernel function that runs an action on its own model in its n-th call."""

    def __init__(self, action=None, at=np.inf):
        self.action, self.at, self.n_calls, self.result = action, at, 0, None

    def __call__(self, A, B):
        self.n_calls += 1
        if self.n_calls == self.at:
            self.result = self.action()
        return np.exp(-0.3 * cdist(A, B, "sqeuclidean"))


def meddled_with(problem, **params):
    X, y = problem(200)
    make = lambda: LASVC(  # noqa: E731
        kernel=MeddlingKernel(), C=5.0, random_state=0, cache_size=1e-2, **params
    )
    model, other = make(), make()
    for one in (model, other):
        one.partial_fit(X[:100], y[:100], classes=np.unique(y))
    return X, y, model, other


def same(model, other, X):
    assert_array_equal(model.decision_function(X), other.decision_function(X))
    for name in ("support_", "dual_coef_", "intercept_", "n_samples_seen_", "n_labels_used_"):
        assert_array_equal(getattr(model, name), getattr(other, name))


@pytest.mark.sampled
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("problem", [two_classes, three_classes])
@pytest.mark.parametrize(
    "deed", ["partial_fit", "fit", "finish", "predict", "dual_coef_", "pickle"]
)
@pytest.mark.parametrize("during", ["partial_fit", "finish"])
def test_reentrant_calls_are_rejected(deed, during, problem, n_jobs):
    X, y, model, other = meddled_with(problem, n_jobs=n_jobs)
    actions = {
        "partial_fit": lambda: model.partial_fit(X[:5], y[:5]),
        "fit": lambda: model.fit(X, y),
        "finish": model.finish,
        "predict": lambda: model.predict(X[:3]),
        "dual_coef_": lambda: model.dual_coef_,
        "pickle": model.__getstate__,
    }
    learn = {
        "partial_fit": lambda m: m.partial_fit(X[100:160], y[100:160]),
        "finish": lambda m: m.finish(),
    }[during]
    kernel = model.kernel
    kernel.action = actions[deed]
    n_refused = 0
    for ahead in (1, 2, 3, 8):
        kernel.n_calls, kernel.at = 0, ahead
        try:
            learn(model)
        except RuntimeError as error:
            assert "being trained" in str(error)
            n_refused += 1
        else:  # the kernel function was not called that often
            assert kernel.n_calls < ahead
            learn(other)
        kernel.at = np.inf
        same(model, other, X)
    assert n_refused
    for one in (model, other):
        learn(one)
        one.partial_fit(X[160:], y[160:])
    same(model, other, X)


@pytest.mark.parametrize("error", [SystemExit, GeneratorExit, ZeroDivisionError])
@pytest.mark.parametrize("problem", [two_classes, three_classes])
def test_any_error_of_a_kernel_function_leaves_model_unchanged(error, problem):
    X, y, model, other = meddled_with(problem)

    def leave():
        raise error

    kernel = model.kernel
    kernel.action = leave
    for method in ("fit", "partial_fit", "finish"):
        arguments = () if method == "finish" else (X[100:164], y[100:164])
        for at in (1, 2, 3, 5):
            kernel.n_calls, kernel.at = 0, at
            try:
                getattr(model, method)(*arguments)
            except error:
                kernel.at = np.inf
                same(model, other, X)
            else:
                assert kernel.n_calls < at
                kernel.at = np.inf
                getattr(other, method)(*arguments)
    kernel.n_calls, kernel.at = 0, 3
    fresh = LASVC(kernel=kernel)
    with pytest.raises(error):
        fresh.partial_fit(X, y, classes=np.unique(y))
    assert vars(fresh) == vars(LASVC(kernel=kernel))


# -- attributes -------------------------------------------------------------------------


class Pause:
    """Kernel function that blocks in its n-th call by a training thread."""

    def __init__(self):
        self.rearm(np.inf)

    def rearm(self, at):
        self.at, self.n_calls = at, 0
        self.reached, self.go_on = threading.Event(), threading.Event()

    def __call__(self, A, B):
        if threading.current_thread().name == "learner":
            self.n_calls += 1
            if self.n_calls == self.at:
                go_on = self.go_on
                self.reached.set()
                assert go_on.wait(20)
        return np.exp(-0.3 * cdist(A, B, "sqeuclidean"))


def paused(model, learn, at=3):
    """Return a thread that is blocked during training."""
    model.kernel.rearm(at)
    thread = threading.Thread(target=learn, name="learner")
    thread.start()
    assert model.kernel.reached.wait(20)
    return thread


def test_predictions_use_the_previous_model_during_fit():
    X, y = two_classes(200)
    wide, labels = np.c_[X, X], np.arange(200) % 3
    model = LASVC(kernel=Pause(), max_iter=2, random_state=0).fit(X, y)
    before = {name: getattr(model, name) for name in ("classes_", "n_features_in_", "support_")}
    decisions, predictions = model.decision_function(X), model.predict(X)
    thread = paused(model, lambda: model.set_params(C=3.0).fit(wide, labels))
    try:
        assert_array_equal(model.decision_function(X), decisions)
        assert_array_equal(model.predict(X), predictions)
        for name, value in before.items():
            assert_array_equal(getattr(model, name), value)
        model.set_params(tol=1e-2)
    finally:
        model.kernel.go_on.set()
        thread.join(120)
    assert list(model.classes_) == [0, 1, 2] and model.n_features_in_ == 8
    assert model.C == 3.0 and model.tol == 1e-2
    assert model.predict(wide).shape == (200,)


def test_model_is_not_fitted_during_its_first_fit():
    X, y = two_classes(200)
    for learn in ("fit", "partial_fit"):
        model = LASVC(kernel=Pause(), max_iter=2)
        arguments = (X, y) if learn == "fit" else (X, y, np.unique(y))
        thread = paused(model, lambda m=model, f=learn, a=arguments: getattr(m, f)(*a))
        try:
            assert not hasattr(model, "classes_") and not hasattr(model, "support_")
            with pytest.raises(AttributeError, match="not fitted"):
                model.predict(X)
        finally:
            model.kernel.go_on.set()
            thread.join(120)
        assert model.predict(X).shape == (200,)


def test_concurrent_training_calls_run_in_order():
    X, y = two_classes(200)
    model, other = (
        LASVC(kernel=Pause(), max_iter=2, random_state=0),
        LASVC(kernel=Pause(), max_iter=2, random_state=0),
    )
    parts = [slice(0, 60), slice(60, 120), slice(120, 125), slice(125, 200)]
    for part in parts:
        other.partial_fit(X[part], y[part], classes=np.unique(y))
    model.partial_fit(X[parts[0]], y[parts[0]], classes=np.unique(y))
    learn = lambda part: model.partial_fit(X[part], y[part])  # noqa: E731
    before = model.predict(X)
    threads = [paused(model, lambda: learn(parts[1]), at=2)]
    for part in parts[2:]:
        threads.append(threading.Thread(target=learn, args=(part,)))
        threads[-1].start()
        threads[-1].join(0.1)
        assert threads[-1].is_alive()
    assert model.n_samples_seen_ == 60
    assert_array_equal(model.predict(X), before)
    model.kernel.go_on.set()
    for thread in threads:
        thread.join(120)
    assert model.n_samples_seen_ == 200
    same(model, other, X)


def test_predictions_run_between_two_blocks_of_samples():
    """The last complete state is stored only if it was used for a prediction."""
    X, y = two_classes(64 * 6)
    model, seen = LASVC(kernel=Pause(), max_iter=2, random_state=0), []
    model.partial_fit(X[:64], y[:64], classes=np.unique(y))
    learner = paused(model, lambda: model.partial_fit(X[64:], y[64:]), at=2)
    readers = [
        threading.Thread(target=lambda: seen.append(model.decision_function(X[:5])))
        for _ in range(2)
    ]
    for reader in readers:
        reader.start()
        reader.join(0.1)
        assert reader.is_alive()
    go_on = model.kernel.go_on
    model.kernel.rearm(8)
    go_on.set()
    assert model.kernel.reached.wait(20)
    for reader in readers:
        reader.join(120)
    # The training call is still running.
    assert len(seen) == 2 and learner.is_alive() and 64 < model.n_samples_seen_ < 384
    model.kernel.go_on.set()
    learner.join(120)
    assert model.n_samples_seen_ == 384


@pytest.mark.parametrize("kind", [LASVC, LASVR, OneClassLASVM])
def test_new_parameters_wait_for_predictions(kind):
    """A prediction may be optimizing over the support set: the cache it uses must not change."""
    X, labels = two_classes(300)
    y = (labels == labels[0]).astype(int)
    model = kind(kernel=Pause(), cache_size=1e-3)
    model.partial_fit(X[:200], y[:200], **({"classes": [0, 1]} if kind is LASVC else {}))
    before = spec_of(model)
    model.set_params(cache_size=100.0)
    reader = paused(model, lambda: model.predict(X[:5]), at=1)
    learner = threading.Thread(target=model.partial_fit, args=(X[200:], y[200:]))
    learner.start()
    learner.join(0.1)
    try:
        assert learner.is_alive() and spec_of(model) is before
    finally:
        model.kernel.go_on.set()
        for thread in (reader, learner):
            thread.join(120)
    assert spec_of(model).cache_size == 100.0 and model.n_samples_seen_ == 300


@pytest.fixture
def hears_interrupts():
    """Enable SIGINT, which shells disable for background processes."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent to no thread on Windows")
def test_interrupt_while_waiting_for_another_thread(hears_interrupts):
    """Ctrl-C in the main thread while it waits for training; the guard stays consistent."""
    X, y = two_classes(300)
    model, other = (
        LASVC(kernel=Pause(), max_iter=2, random_state=0),
        LASVC(kernel=Pause(), max_iter=2, random_state=0),
    )
    for part in (slice(0, 60), slice(60, 120), slice(180, 240)):
        other.partial_fit(X[part], y[part], classes=np.unique(y))
    model.partial_fit(X[:60], y[:60], classes=np.unique(y))
    learner = paused(model, lambda: model.partial_fit(X[60:120], y[60:120]), at=2)
    main = threading.main_thread().ident
    timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[120:180], y[120:180])
    timer.join()
    threads = [threading.Thread(target=lambda: model.partial_fit(X[180:240], y[180:240]))]
    threads[0].start()
    model.kernel.go_on.set()
    for thread in (learner, *threads):
        thread.join(120)
    assert model.n_samples_seen_ == 180
    same(model, other, X)
