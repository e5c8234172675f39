"""``resume`` after Ctrl-C gives a bitwise identical model."""

import os
import pickle
import signal
import time
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from sklearn_online_svm import LASVC, ActiveLASVC, RampSVC
from tests.support.internals import check_signals, limit_reprocessing, targets_of, training_state
from tests.support.interrupts import InterruptAtCheck
from tests.support.samples import three_classes, two_classes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no timer to interrupt with")


def assert_same(model, reference, X):
    assert_array_equal(model.decision_function(X), reference.decision_function(X))
    assert_equal(training_state(model), training_state(reference))


class RandomInterrupts:
    """Interrupts calls at random times, about twice per call."""

    def __init__(self, rng, seconds):
        self.rng, self.seconds, self.n_interrupts, self.n_rounds = rng, seconds, 0, 0

    @property
    def is_short_of_interrupts(self):
        """Whether there have been too few interrupts so far."""
        self.n_rounds += 1
        return self.n_rounds <= 3 or (self.n_interrupts < 6 and self.n_rounds < 100)

    def call(self, method, *args):
        """Whether the call was interrupted."""
        after = self.rng.uniform(0.02, 0.7) * self.seconds
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, after)
                method(*args)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            time.sleep(0.001)  # a signal that is on its way is to arrive here
        except KeyboardInterrupt:
            self.n_interrupts += 1
            return True
        return False


@pytest.fixture
def ctrl_c():
    """Raise SIGINT by a timer, as Ctrl-C does."""

    def raise_interrupt(number, frame):
        signal.raise_signal(signal.SIGINT)

    former = signal.signal(signal.SIGALRM, raise_interrupt)
    former_interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, former)
    signal.signal(signal.SIGINT, former_interrupt)


@pytest.fixture
def frequent_checks(monkeypatch):
    check_signals(monkeypatch, work=2000.0)


def noise(n, n_classes, seed=0):
    """Slow problem: labels drawn at random."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 10)), rng.integers(0, n_classes, n)


def resumed_until_finished(model, X, y, clock):
    """Run ``fit`` with repeated interrupts; pickle the model after half of them."""
    interrupted = clock.call(model.fit, X, y)
    while interrupted:
        if not hasattr(model, "classes_"):
            interrupted = clock.call(model.fit, X, y)  # it had not begun
            continue
        if clock.rng.random() < 0.5:
            model = pickle.loads(pickle.dumps(model))
        assert np.isfinite(model.decision_function(X[:5])).all()
        if not model.interrupted_:
            break  # it had just come to its end
        interrupted = clock.call(model.resume, X, y)
    assert not model.interrupted_
    return model


@pytest.mark.sampled
@pytest.mark.parametrize(
    "kind, params, n_classes",
    [
        (LASVC, dict(max_iter=-1), 2),
        (LASVC, dict(algorithm="lasvm-nc", max_iter=-1), 3),
        (LASVC, dict(multi_class="ovo", max_iter=3, delta_max=1e-3), 4),
        (ActiveLASVC, dict(selection="autoactive", algorithm="lasvm-g", max_labels=300), 2),
        (RampSVC, dict(init_size=0.3, ramp_s=0.0), 2),
        (RampSVC, dict(multi_class="ovo", fit_intercept=False), 4),
    ],
    ids=str,
)
def test_interrupts_of_threads(kind, params, n_classes, ctrl_c, frequent_checks):
    """Where threads are interrupted depends on the time; for one see test_interrupt_stages.py."""
    X, y = noise(400, n_classes)
    params = dict(C=10.0, gamma=0.05, tol=1e-4, n_jobs=2, random_state=0, **params)
    make = lambda: kind(**params)  # noqa: E731
    start = time.perf_counter()
    reference = make().fit(X, y)
    clock = RandomInterrupts(np.random.default_rng(n_classes), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        assert_same(resumed_until_finished(make(), X, y, clock), reference, X)
    assert clock.n_interrupts >= 6


@pytest.mark.parametrize(
    "params", [dict(delta_max=1e-3), dict(multi_class="ovo", window_size=200)], ids=str
)
def test_interrupted_partial_fit(params, ctrl_c, frequent_checks):
    X, y = noise(700, 3)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    params = dict(C=10.0, gamma=0.05, class_weight="online_balanced", n_jobs=2, **params)
    make = lambda: LASVC(random_state=0, **params)  # noqa: E731
    chunks = [slice(0, 100), slice(100, 500), slice(500, 700)]
    start = time.perf_counter()
    reference = make()
    for chunk in chunks:
        reference.partial_fit(X[chunk], y[chunk], range(3), weights[chunk])
    seconds = (time.perf_counter() - start) / 3
    clock = RandomInterrupts(np.random.default_rng(0), seconds)
    while clock.is_short_of_interrupts:
        model = make()
        for chunk in chunks:
            data = X[chunk], y[chunk]
            interrupted = clock.call(model.partial_fit, *data, range(3), weights[chunk])
            while interrupted and not hasattr(model, "classes_"):
                interrupted = clock.call(model.partial_fit, *data, range(3), weights[chunk])
            while interrupted:
                if not model.interrupted_:
                    # Before a chunk, or after it: n_samples_seen_ knows.
                    if model.n_samples_seen_ == chunk.start:
                        model.partial_fit(*data, sample_weight=weights[chunk])
                    break
                assert chunk.start <= model.n_samples_seen_ <= chunk.stop
                seen = slice(0, model.n_samples_seen_)
                counts = np.bincount(y[seen], weights[seen], 3)
                assert_allclose(targets_of(model).counts, counts)
                model = pickle.loads(pickle.dumps(model))
                interrupted = clock.call(model.resume, *data, weights[chunk])
        assert_same(model, reference, X)
    assert clock.n_interrupts >= 6


@pytest.mark.parametrize("n_classes, multi_class", [(2, "ovr"), (3, "ovr"), (3, "ovo")])
def test_interrupted_finish(n_classes, multi_class, ctrl_c, frequent_checks):
    X, y = noise(500, n_classes)
    params = dict(C=100.0, gamma=0.02, tol=1e-9, multi_class=multi_class, n_jobs=2)
    begun = LASVC(random_state=0, **params)
    begun.partial_fit(X, y, range(n_classes))
    stored = pickle.dumps(begun)
    reference = pickle.loads(stored)
    start = time.perf_counter()
    reference.finish()
    clock = RandomInterrupts(np.random.default_rng(0), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        model = pickle.loads(stored)
        interrupted = clock.call(model.finish)
        while interrupted and model.interrupted_:
            model = pickle.loads(pickle.dumps(model))
            interrupted = clock.call(model.resume)
        if not interrupted:  # otherwise before the call has begun, or at its end
            assert_same(model, reference, X)
    assert clock.n_interrupts >= 6


class InterruptedKernel:
    """Kernel function that raises KeyboardInterrupt in its n-th call."""

    error = KeyboardInterrupt

    def __init__(self):
        self.calls_left, self.n_calls = np.inf, 0

    def __call__(self, A, B):
        self.n_calls += 1
        self.calls_left -= 1
        if self.calls_left < 0:
            self.calls_left = np.inf
            raise self.error
        return np.exp(-0.3 * cdist(A, B, "sqeuclidean"))


def interrupted_model(X, y, *args, method="fit", **params):
    """Return a model interrupted during its first call."""
    kernel = InterruptedKernel()
    kernel.calls_left = 3
    model = LASVC(kernel=kernel, C=5.0, random_state=0, **{"max_iter": 2, **params})
    with pytest.raises(KeyboardInterrupt) as caught:
        getattr(model, method)(X, y, *args)
    return model, caught.value


def test_resume_with_a_shared_random_state():
    """Later epochs use the same orders, even if the generator is used elsewhere meanwhile."""
    X, y = two_classes(200)
    params = dict(max_iter=4, C=5.0, kernel=InterruptedKernel())
    reference = LASVC(random_state=np.random.RandomState(3), **params).fit(X, y)
    random = np.random.RandomState(3)
    model = LASVC(random_state=random, **params)
    model.kernel.calls_left = 6
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    random.uniform(size=100)
    assert_same(model.resume(X, y), reference, X)


def test_traceback_names_the_resume_call():
    X, y = two_classes(300)
    model, error = interrupted_model(X, y, max_iter=1)
    assert error.__notes__ == [
        "LASVC holds the result of the training so far and can be used as it is; resume(X, y) "
        "continues the interrupted fit."
    ]
    assert model.interrupted_ and 0 < model.n_labels_used_ < 300
    assert not model.resume(X, y).interrupted_


def test_nothing_to_resume():
    X, y = two_classes()
    with pytest.raises(ValueError, match="nothing to resume"):
        LASVC().resume(X, y)
    assert not hasattr(LASVC(), "classes_")
    with pytest.raises(NotFittedError):
        _ = LASVC().interrupted_
    for model in (LASVC().fit(X, y), RampSVC().fit(X, y)):
        assert not model.interrupted_
        with pytest.raises(ValueError, match="nothing to resume"):
            model.resume(X, y)


def interrupted_chunk(chunk, **params):
    """Return a model, a copy of it, and a chunk during which one has been interrupted."""
    X, y = two_classes(200 + chunk)
    model = LASVC(random_state=0, **params).partial_fit(X[:200], y[:200], np.unique(y))
    reference, data = pickle.loads(pickle.dumps(model)), (X[200:], y[200:])
    assert InterruptAtCheck((1,), model.partial_fit, *data).raised and model.interrupted_
    return model, reference, data


@pytest.mark.parametrize("n", [1, 300])
def test_invalid_samples_after_an_interrupt_keep_it(n):
    """The engine finds samples whose norms overflow, after validation."""
    model, reference, data = interrupted_chunk(1000)
    before = training_state(model)
    X, y = two_classes(n)
    X[-1] = 1e200
    with pytest.raises(ValueError, match="squared norm"):
        model.partial_fit(X, y)
    assert_equal(training_state(model), before)
    assert_same(model.resume(*data), reference.partial_fit(*data), data[0])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", ["partial_fit", "resume"])
def test_warnings_as_errors_do_not_undo_training(method, monkeypatch):
    limit_reprocessing(monkeypatch, 3)
    X, y = noise(200, 2)
    model = LASVC(C=1e4, delta_max=1e-3, finishing=False, random_state=0)
    model.partial_fit(X[:99], y[:99], [0, 1])
    if method == "resume":
        assert InterruptAtCheck((1,), model.partial_fit, X, y).raised and model.interrupted_
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning, match="maximum number of steps"):
            getattr(model, method)(X, y)
    assert model.n_samples_seen_ == 299 and not model.interrupted_


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_resume_rejects_other_data_and_keeps_the_interrupt(method):
    X, y = two_classes(300)
    weights = np.linspace(0.5, 1.5, 300)
    args = () if method == "fit" else (["no", "yes"],)
    model, _ = interrupted_model(X, y, *args, weights, method=method)
    reference = LASVC(kernel=model.kernel, C=5.0, max_iter=2, random_state=0)
    getattr(reference, method)(X, y, *args, weights)
    other = X.copy()
    other[17, 2] += 1e-9
    labels = y.copy()
    labels[5] = "no" if y[5] == "yes" else "yes"
    wrong = {
        "but X differs": [(other, y, weights), (X[:-1], y[:-1], weights[:-1])],
        "but y differs": [(X, labels, weights), (X, y[::-1], weights)],
        "but sample_weight differs": [(X, y), (X, y, 2 * weights)],
        "X has 3 features": [(X[:, :3], y, weights)],
        "labels that are not among the classes": [(X, np.where(y == "no", "no", "?"), weights)],
        "needs the X and y": [(), (X,)],
    }
    for match, calls in wrong.items():
        for call in calls:
            with pytest.raises(ValueError, match=match):
                model.resume(*call)
            assert model.interrupted_
    assert_same(model.resume(X, y, weights), reference, X)


def test_other_parameters_are_refused_by_name():
    X, y = two_classes(300)
    model, _ = interrupted_model(X, y, max_iter=3)
    reference = LASVC(kernel=model.kernel, C=5.0, random_state=0, max_iter=3).fit(X, y)
    for name, value in dict(C=1.0, tol=0.1, max_iter=1, class_weight={"no": 2.0}).items():
        former = getattr(model, name)
        model.set_params(**{name: value})
        with pytest.raises(ValueError, match=f"{name} cannot change between an interrupt"):
            model.resume(X, y)
        model.set_params(**{name: former})
    assert_same(model.set_params(n_jobs=2, verbose=0).resume(X, y), reference, X)


def test_other_training_discards_the_interrupt():
    X, y = two_classes(300)
    for train in (
        lambda m: m.fit(X, y),
        lambda m: m.partial_fit(X, y),
        lambda m: m.finish(),
    ):
        model, _ = interrupted_model(X, y)
        assert not train(model).interrupted_
    model, _ = interrupted_model(X, y)
    for fails in (lambda m: m.fit(X[:0], y[:0]), lambda m: m.partial_fit(X[:, :2], y)):
        with pytest.raises(ValueError):
            fails(model)
        assert model.interrupted_
    assert not hasattr(clone(model), "classes_")


def test_interrupted_fit_counts_the_samples_it_has_processed():
    X, y = two_classes(300)
    model, _ = interrupted_model(X, y, max_iter=1)
    n_seen = model.n_samples_seen_
    assert 0 < n_seen == model.n_labels_used_ < 300
    assert pickle.loads(pickle.dumps(model)).resume(X, y).n_samples_seen_ == 300
    # The samples of a stream are numbered after those of fit.
    model.partial_fit(X[:50], y[:50][::-1])
    assert model.n_samples_seen_ == n_seen + 50
    later = model.support_ >= 300
    assert 0 < later.sum() < len(later)
    assert_array_equal(model.support_vectors_, np.vstack([X, X[:50]])[model.support_])


def test_resume_can_be_repeated_after_an_error():
    """An error of the kernel function leaves the model and the interrupt unchanged."""
    X, y = two_classes(300)
    model, _ = interrupted_model(X, y, max_iter=2)
    reference = LASVC(kernel=InterruptedKernel(), C=5.0, random_state=0, max_iter=2).fit(X, y)
    model.kernel.calls_left, model.kernel.error = 3, RuntimeError("no values today")
    with pytest.raises(RuntimeError, match="no values today"):
        model.resume(X, y)
    assert model.interrupted_
    assert_same(model.resume(X, y), reference, X)


class SignallingKernel(InterruptedKernel):
    """Kernel function that receives SIGINT in its n-th call."""

    def __call__(self, A, B):
        self.calls_left -= 1
        if self.calls_left == -1:
            signal.raise_signal(signal.SIGINT)
            pytest.fail("SIGINT is raised within the kernel function")
        return np.exp(-0.3 * cdist(A, B, "sqeuclidean"))


@pytest.mark.parametrize("n_calls", [0, 1, 5, 10])
def test_a_kernel_function_is_interrupted_at_once(n_calls, ctrl_c):
    X, y = three_classes(120)
    reference = LASVC(kernel=SignallingKernel(), C=5.0, max_iter=3, random_state=0).fit(X, y)
    model = LASVC(kernel=SignallingKernel(), C=5.0, max_iter=3, random_state=0)
    model.kernel.calls_left = n_calls
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert_same(model.resume(X, y), reference, X)
