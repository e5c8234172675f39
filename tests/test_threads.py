"""Several threads at one model: learners take turns, predictions see a complete state."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import cdist

from sklearn_online_svm import LASVC
from tests.samples import three_classes, two_classes

ROOT = Path(__file__).resolve().parents[1]

# Learners and readers at one model. A crash would take the tests along: it has its own process.
PROGRAM = """
import json, pickle, sys, threading
import numpy as np
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
import sklearn_online_svm

# Threads that read without a pause would keep the learner waiting; and more switches find more.
sys.setswitchinterval(1e-4)
name, params, options = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
n_classes, size = options.get("n_classes", 2), options.get("chunk", 20)
n_learners, n_rows = options.get("n_learners", 1), options.get("n_rows", 1200)
rng = np.random.default_rng(0)
X = rng.normal(size=(n_rows, 20)) * (rng.random((n_rows, 20)) < 0.5)
y = (X[:, 0] + 0.5 * rng.normal(size=n_rows) > 0) + (X[:, 1] > 1) * (n_classes - 2)
def function(A, B):
    return np.exp(-0.05 * cdist(A, B, "sqeuclidean"))
if params.get("kernel") == "function":
    params["kernel"] = function
if options.get("sparse"):
    X = csr_matrix(X)
make = lambda: getattr(sklearn_online_svm, name)(**params)
chunks = [slice(at, at + size) for at in range(0, n_rows, size)]
probe = X[: options.get("n_probes", 40)]
classes = np.unique(y)

def learn(model, chunk):
    model.partial_fit(X[chunk], y[chunk], classes=classes)

# Every state that there is when nobody else is at work.
states, alone = [], make()
for chunk in chunks:
    learn(alone, chunk)
    states.append(alone.decision_function(probe))

def is_known(decisions):
    # Finished on the side, a solution is exact to 10 tol, and depends on when it was asked for.
    margin = 0.0 if params.get("finishing") is False or name != "LASVC" else 0.02
    return min(np.abs(decisions - state).max() for state in states) <= margin

model, seen, errors, done = make(), [], [], threading.Event()
learn(model, chunks[0])

def guarded(work):
    def run(*arguments):
        try:
            work(*arguments)
        except BaseException as error:
            errors.append(repr(error))
            raise
    return threading.Thread(target=run, args=())

def read():
    while True:
        last = done.is_set()
        seen.append(model.decision_function(probe))
        model.predict(probe[:3])
        if last:
            return

def look():
    # Attributes that need the engine wait for the learner; what they say belongs together.
    while not done.is_set():
        copy = pickle.loads(pickle.dumps(model))
        assert n_learners > 1 or is_known(copy.decision_function(probe))
        if hasattr(copy, "support_"):
            assert len(copy.support_) == copy.dual_coef_.shape[1] == copy.n_support_.sum()
            assert copy.support_vectors_.shape == (len(copy.support_), 20)
            assert copy.support_.max(initial=-1) < copy.n_samples_seen_
            model.support_vectors_, model.dual_coef_, model.n_support_, model.intercept_
        else:
            assert model.coef_.shape == copy.coef_.shape
            assert model.intercept_.shape == copy.intercept_.shape

turns = iter(chunks[1:])
def teach():
    for chunk in turns:
        learn(model, chunk)

readers = [guarded(read) for _ in range(2)] + [guarded(look)]
learners = [guarded(teach) for _ in range(n_learners)]
if n_learners > 1:
    lock, rest = threading.Lock(), turns
    class Shared:
        def __iter__(self):
            return self
        def __next__(self):
            with lock:
                return next(rest)
    turns = Shared()
for thread in readers + learners:
    thread.start()
for thread in learners:
    thread.join()
done.set()
for thread in readers:
    thread.join()
assert not errors, errors[:3]
if n_learners == 1:
    distinct = list({decisions.tobytes(): decisions for decisions in seen}.values())
    strange = [decisions for decisions in distinct if not is_known(decisions)]
    assert not strange, (len(strange), len(distinct), len(seen))
    states = [alone.decision_function(probe)]
    assert is_known(model.decision_function(probe))
if hasattr(model, "n_samples_seen_"):
    assert model.n_samples_seen_ == n_rows
    problems = model._engine.problems
    before = [problem.members["g"][problem.slots()] for problem in problems]
    model._engine.refresh()
    for problem, g in zip(problems, before):
        assert len(np.unique(problem.members["row_id"][problem.slots()])) == len(g)
        assert np.abs(problem.members["g"][problem.slots()] - g).max(initial=0) < 1e-6
else:
    assert model.t_ == n_rows + 1
print(len(seen), len({decisions.tobytes() for decisions in seen}))
"""


def run(name, params, **options):
    process = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM]
        + [name, json.dumps(params), json.dumps(options)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60 + options.get("n_rows", 1200) / 10,
    )
    assert process.returncode == 0, process.stderr[-3000:]
    n_seen, n_states = map(int, process.stdout.split())
    print(f"{n_seen} predictions saw {n_states} states")
    assert n_seen > 5


KERNEL = dict(C=10.0, gamma=0.05, finishing=False)


@pytest.mark.parametrize(
    "params, options",
    [
        ({}, {}),
        (dict(finishing=True), {}),
        ({}, dict(n_learners=3)),
        ({}, dict(chunk=1, n_rows=400)),
        ({}, dict(sparse=True, chunk=8)),
        (dict(n_jobs=2), dict(n_classes=3, n_probes=300)),
        (dict(algorithm="lasvm-nc"), dict(n_classes=3, n_learners=2)),
        (dict(kernel="function"), dict(n_rows=600)),
    ],
    ids=str,
)
def test_predictions_during_learning(params, options):
    run("LASVC", {**KERNEL, **params}, **options)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", [1, 15, 16, 64])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "params, n_classes",
    [
        ({}, 2),
        (dict(finishing=True), 3),
        (dict(cache_size=1e-2), 3),
        (dict(algorithm="lasvm-g"), 2),
        (dict(kernel="function"), 2),
        (dict(kernel="function", n_jobs=2), 3),
        (dict(kernel="linear"), 3),
        (dict(n_jobs=2), 3),
    ],
    ids=str,
)
def test_predictions_during_learning_at_length(params, n_classes, chunk, sparse):
    n_rows = 640 * (1 if "kernel" in params or chunk == 1 else 10)
    options = dict(n_classes=n_classes, chunk=chunk, sparse=sparse, n_rows=n_rows, n_probes=300)
    run("LASVC", {**KERNEL, **params}, **options)
    run("LASVC", {**KERNEL, **params}, **options, n_learners=3)


# -- a kernel function that uses its model ----------------------------------------------


class MeddlingKernel:
    """In its n-th call it does something with the model it belongs to."""

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


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("problem", [two_classes, three_classes])
@pytest.mark.parametrize(
    "deed", ["partial_fit", "fit", "finish", "predict", "dual_coef_", "pickle"]
)
@pytest.mark.parametrize("during", ["partial_fit", "finish"])
def test_reentrance_is_refused(deed, during, problem, n_jobs):
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
            assert "in the midst of learning" in str(error)
            n_refused += 1
        else:  # the call of the kernel never came
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
def test_whatever_a_kernel_function_raises_the_model_is_as_before(error, problem):
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
    """A kernel function in whose n-th call by a learner that waits."""

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
    """A thread in the midst of learning."""
    model.kernel.rearm(at)
    thread = threading.Thread(target=learn, name="learner")
    thread.start()
    assert model.kernel.reached.wait(20)
    return thread


def test_a_model_that_is_fitted_anew_is_the_former_one_until_then():
    X, y = two_classes(200)
    wide, labels = np.c_[X, X], np.arange(200) % 3
    model = LASVC(kernel=Pause(), random_state=0).fit(X, y)
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
        thread.join(20)
    assert list(model.classes_) == [0, 1, 2] and model.n_features_in_ == 8
    assert model.C == 3.0 and model.tol == 1e-2
    assert model.predict(wide).shape == (200,)


def test_a_model_that_is_fitted_for_the_first_time_is_not_fitted_until_then():
    X, y = two_classes(200)
    for learn in ("fit", "partial_fit"):
        model = LASVC(kernel=Pause())
        arguments = (X, y) if learn == "fit" else (X, y, np.unique(y))
        thread = paused(model, lambda m=model, f=learn, a=arguments: getattr(m, f)(*a))
        try:
            assert not hasattr(model, "classes_") and not hasattr(model, "support_")
            with pytest.raises(AttributeError, match="not fitted"):
                model.predict(X)
        finally:
            model.kernel.go_on.set()
            thread.join(20)
        assert model.predict(X).shape == (200,)


def test_the_second_learner_waits_and_the_third_comes_after_it():
    X, y = two_classes(200)
    model, other = LASVC(kernel=Pause(), random_state=0), LASVC(kernel=Pause(), random_state=0)
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
        thread.join(20)
    assert model.n_samples_seen_ == 200
    same(model, other, X)


def test_a_prediction_has_its_turn_between_two_blocks_of_rows():
    """Where nobody has predicted from the last complete state it is not written down."""
    X, y = two_classes(64 * 6)
    model, seen = LASVC(kernel=Pause(), random_state=0), []
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
        reader.join(20)
    # The learner is still in the midst of the call.
    assert len(seen) == 2 and learner.is_alive() and 64 < model.n_samples_seen_ < 384
    model.kernel.go_on.set()
    learner.join(20)
    assert model.n_samples_seen_ == 384


@pytest.fixture
def hears_interrupts():
    """What a shell starts with & is born deaf to them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent to no thread on Windows")
def test_an_interrupt_while_waiting_for_the_turn(hears_interrupts):
    """Ctrl-C in the main thread, which waits for a learner; the guard stays in order."""
    X, y = two_classes(300)
    model, other = LASVC(kernel=Pause(), random_state=0), LASVC(kernel=Pause(), random_state=0)
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
        thread.join(20)
    assert model.n_samples_seen_ == 180
    same(model, other, X)
