"""Ctrl-C at a check of the compiled code for signals: ``resume`` gives the same bits.

Each call of the engine that Ctrl-C may end must be a stage of its own (see ``kernel._epochs``).
"""

import pickle
from functools import partial
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist
from sklearn.base import is_classifier

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    OneClassLASVM,
    RampSVC,
    VirtualLASVC,
)
from tests.support import sorted_streams
from tests.support.internals import (
    check_signals,
    checkpoint_of,
    has_engine,
    reservoir_end,
    reservoir_of,
    spec_of,
    training_state,
)
from tests.support.interrupts import (
    InterruptAtCheck,
    check_gradients,
    interruptible_rbf,
    some_checks,
)
from tests.support.limits import set_limits

# Maximum number of interrupts of a call at each place from which it calls the engine.
with_interrupts = pytest.mark.parametrize("most", [2, pytest.param(40, marks=pytest.mark.slow)])


@pytest.fixture(autouse=True)
def frequent_checks(monkeypatch):
    check_signals(monkeypatch, work=4000.0)


def label(value):
    """Return the part of a test's name for a parameter."""
    if isinstance(value, dict):
        return ",".join(f"{name}={label(of)}" for name, of in value.items())
    if isinstance(value, tuple):
        return "-".join(map(label, value))
    return getattr(value, "__name__", str(value))


def samples(kind, n_classes=3, n=200):
    """Return the arguments X, y of ``fit``: noise, so that there are many support vectors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    if kind is OneClassLASVM:
        return (X,)
    if kind is LASVR:
        return X, np.column_stack([X[:, 0] + np.sin(3 * X[:, 1]), X[:, 2]])
    return X, rng.integers(0, n_classes, n)


def new(kind, **params):
    costs = {} if kind is OneClassLASVM else {"C": 10.0}
    return kind(**{**costs, "gamma": 0.05, "tol": 1e-4, "random_state": 0, **params})


def learn(model, *data):
    """Train on a chunk that has samples of all classes."""
    return model.partial_fit(*data, *classes_of(model, *data))


def classes_of(model, X, y=None):
    return [np.unique(y)] if is_classifier(model) else []


def scores(model, X):
    return getattr(model, "decision_function", model.predict)(X)


def used(model, X, pickled, predicts=True):
    """Return an interrupted model, or a copy of it that is consistent, after a prediction."""
    assert reservoir_end(model) in (None, model.n_samples_seen_)
    if predicts:
        assert np.isfinite(scores(model, X)).all()
    if not pickled:
        return model
    stored = pickle.dumps(model)
    if spec_of(model).kernel not in ("linear", "precomputed"):
        check_gradients(pickle.loads(stored))
    return pickle.loads(stored)


def check_interrupts(begun, method, data, X, most, classes=(), numbers=lambda n: (n,)):
    """Interrupt a call at some checks and continue it; return the stages that were interrupted.

    ``numbers`` returns those of the checks at which the call is interrupted for a place.
    """
    stored, former, stages = pickle.dumps(begun), training_state(begun), set()
    reference = pickle.loads(stored)
    places = InterruptAtCheck((), getattr(reference, method), *data, *classes).places
    expected, values = training_state(reference), scores(reference, X)
    # A prediction continues the solution over support vectors and reservoir.
    is_changed = reservoir_end(reference) is not None
    has_threads = reference.get_params()["n_jobs"] is not None  # checks depend on the time
    for k, n in enumerate(some_checks(places, most)):
        model, message = pickle.loads(stored), f"check {n} of {len(places)}, {places[n - 1]}"
        call = InterruptAtCheck(numbers(n), getattr(model, method), *data, *classes)
        assert has_threads or (call.raised and call.places[:n] == places[:n]), message
        predicts = not is_changed or k % 2 == 0
        if call.raised and has_engine(model) and model.interrupted_:
            stages.add(checkpoint_of(model)["at"]["stage"])
            model = used(model, X, k % 2, predicts)
            again = (1 + (len(places) - n) // 2,) if k % 3 == 0 else ()
            if InterruptAtCheck(again, model.resume, *data).raised:
                model = used(model, X, False, predicts).resume(*data)
        elif call.raised:  # training had not begun
            assert_equal(training_state(model), former, err_msg=message)
            getattr(model, method)(*data, *classes)
        state = training_state(model)
        if is_changed and predicts:
            state["joint"] = expected["joint"]
        else:
            assert_array_equal(scores(model, X), values, err_msg=message)
        assert_equal(state, expected, err_msg=message)
    return stages


# -- fit --------------------------------------------------------------------------------

AT_ONCE, IN_EPOCHS = "finish", "learn finish refresh"
SOLVED, CONVEX, SHIFTS = "learn finish", "learn finish refresh judge", "learn finish refresh shift"
FUNCTION = dict(kernel=interruptible_rbf)
CASES = [
    (AT_ONCE, LASVC, 2, {}),
    (AT_ONCE, LASVC, 3, {}),
    (AT_ONCE, LASVC, 4, dict(multi_class="ovo", probability=True)),
    (AT_ONCE, LASVC, 3, dict(algorithm="lasvm-g")),
    (AT_ONCE, LASVC, 2, dict(algorithm="lasvm-full")),
    (AT_ONCE, LASVC, 2, dict(FUNCTION)),
    (AT_ONCE, LASVR, 0, {}),
    (SOLVED, LASVC, 3, dict(max_iter=1)),
    ("learn", LASVC, 2, dict(max_iter=2, finishing=False)),
    (IN_EPOCHS, LASVC, 3, dict(max_iter=3)),
    (IN_EPOCHS, LASVC, 2, dict(max_iter=-1, shrinking=False, cache_size=0.1)),
    (IN_EPOCHS, LASVC, 4, dict(max_iter=2, multi_class="ovo", probability=True)),
    (IN_EPOCHS, LASVC, 2, dict(max_iter=2, delta_max=0.01, C=1.0)),
    (IN_EPOCHS, LASVC, 3, dict(max_iter=3, algorithm="lasvm-g")),
    (IN_EPOCHS, LASVC, 3, dict(max_iter=-1, algorithm="lasvm-nc")),
    (IN_EPOCHS, LASVC, 4, dict(max_iter=3, algorithm="lasvm-i", multi_class="ovo")),
    (SOLVED, LASVC, 3, dict(max_iter=2, **FUNCTION)),
    (SOLVED, LASVC, 4, dict(max_iter=2, multi_class="ovo", **FUNCTION)),
    (SOLVED, LASVR, 0, dict(max_iter=2, epsilon="auto", tol=0.01)),
    (SOLVED, LASVR, 0, dict(max_iter=3, loss="squared_epsilon_insensitive")),
    (IN_EPOCHS, OneClassLASVM, 0, dict(max_iter=3, nu=0.2)),
    (SOLVED, ActiveLASVC, 3, dict(max_iter=2, selection="gradient", max_labels=150)),
    (IN_EPOCHS, ActiveLASVC, 2, dict(selection="active", stopping="n_support")),
    (SOLVED, ActiveLASVC, 3, dict(selection="autoactive", algorithm="lasvm-g")),
    (SOLVED, VirtualLASVC, 3, {}),
    (SOLVED, VirtualLASVC, 2, dict(algorithm="lasvm-g", n_virtual=2)),
    (SHIFTS, RampSVC, 3, {}),
    (CONVEX, RampSVC, 2, dict(init_size=0.3, ramp_s=0.0)),
    (CONVEX, RampSVC, 4, dict(multi_class="ovo", class_weight="balanced", tol=0.01)),
    (SHIFTS, RampSVC, 2, dict(fit_intercept=False, **FUNCTION)),
    # With threads, checks and so stages depend on the time.
    ("", LASVC, 2, dict(n_jobs=2, max_iter=-1)),
    ("", LASVC, 3, dict(n_jobs=2, algorithm="lasvm-nc", max_iter=-1)),
    ("", LASVC, 4, dict(n_jobs=2, multi_class="ovo", max_iter=3, delta_max=1e-3)),
    ("", ActiveLASVC, 2, dict(n_jobs=2, selection="autoactive", algorithm="lasvm-g")),
    ("", RampSVC, 2, dict(n_jobs=2, init_size=0.3, ramp_s=0.0)),
    ("", RampSVC, 4, dict(n_jobs=2, multi_class="ovo", fit_intercept=False)),
]
# A larger set with small pairs, of which some kernel values are in memory at a time; sets that
# are too large to be optimized over all samples at once; rounds that a resumed call must not count
# again; and working sets.
TILES, LARGE = dict(SMALL_SET=0, GRAM_SAMPLES=100), dict(SMALL_SET=0, SMALL_PAIR=0)
WORKING_SETS = dict(WORKING_SET_SIZE=20)
ROUNDS = LARGE | dict(MAX_REFRESHES=1, MAX_EPOCHS=2, MAX_AUTO_EPOCHS=2)
LIMITED = [
    ("finish", LASVC, 8, {}, TILES),
    ("finish", LASVC, 8, FUNCTION, TILES),
    ("learn finish assess", LASVC, 3, {}, LARGE),
    ("learn finish assess", LASVC, 3, FUNCTION, LARGE),
    ("learn finish assess", LASVR, 0, {}, LARGE),
    (IN_EPOCHS, LASVC, 2, dict(tol=1e-9), ROUNDS),
    (IN_EPOCHS, LASVC, 2, dict(tol=1e-9, max_iter=-1), ROUNDS),
    (IN_EPOCHS, RampSVC, 2, dict(tol=1e-9), ROUNDS),
    (IN_EPOCHS, RampSVC, 2, dict(tol=1e-9, fit_intercept=False), ROUNDS),
    (SOLVED, LASVC, 2, dict(max_iter=2, tol=0.1), WORKING_SETS),
    (SOLVED, LASVC, 2, dict(max_iter=2, tol=0.1, cache_size=0.1), WORKING_SETS),
    (SOLVED, LASVC, 2, dict(max_iter=2, tol=0.1, **FUNCTION), WORKING_SETS),
    ("", LASVC, 3, dict(n_jobs=2, tol=0.1, max_iter=3, algorithm="lasvm-g"), WORKING_SETS),
    ("", LASVC, 3, dict(n_jobs=2), LARGE),
]


@with_interrupts
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "stages, kind, n_classes, params, limits",
    [*((*case, {}) for case in CASES), *LIMITED],
    ids=label,
)
def test_fit(stages, kind, n_classes, params, limits, most, monkeypatch):
    set_limits(monkeypatch, **limits)
    data = samples(kind, n_classes)
    assert check_interrupts(new(kind, **params), "fit", data, data[0], most) >= {*stages.split()}


@with_interrupts
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_limits_of_steps(most, monkeypatch):
    """A resumed optimization may not use its share of the steps left again."""
    set_limits(monkeypatch, MAX_STEPS=130_000, MAX_STEPS_PER_SAMPLE=1)
    check_signals(monkeypatch, work=1e6)
    X, y = samples(LASVC, 2, n=100)
    model = new(LASVC, C=1e5, gamma=0.003, tol=1e-12, max_iter=4)
    check_interrupts(model, "fit", (X, y), X, most)


def warm_start(**params):
    X, y = samples(LASVC)
    model = new(LASVC, C=1.0, warm_start=True, **params).fit(X, y)
    return model.set_params(C=20.0), X, y


def layout(make, n_classes, **params):
    X, y = samples(LASVC, n_classes)
    return new(LASVC, **params), make(np.where(np.abs(X) < 0.3, 0.0, X)), y


def products(X):
    return np.exp(-0.05 * cdist(X, X))


def ties():
    """Return samples of which each is there four times."""
    X, y = samples(LASVC, 2, n=60)
    return new(LASVC, algorithm="lasvm-g", max_iter=3), np.tile(X, (4, 1)), np.tile(y, 4)


def stopped_early(kind, n_classes):
    X, y = samples(kind, n_classes, n=700)
    X[np.arange(len(y)), y] += 4
    assert new(kind, stopping="errors").fit(X, y).stopped_early_
    return new(kind, stopping="errors"), X, y


OTHER_FITS = {
    "warm start": (SOLVED, warm_start),
    "warm start, lasvm-nc": (SOLVED, partial(warm_start, algorithm="lasvm-nc", max_iter=2)),
    "warm start, pairs": (SOLVED, partial(warm_start, multi_class="ovo")),
    "csr": (AT_ONCE, partial(layout, csr_matrix, 2)),
    "csr, epochs": (SOLVED, partial(layout, csr_matrix, 3, max_iter=2)),
    "float32": (AT_ONCE, partial(layout, np.float32, 3)),
    "float32, epochs": (SOLVED, partial(layout, np.float32, 2, max_iter=2)),
    "linear": (AT_ONCE, partial(layout, np.asarray, 2, kernel="linear")),
    "linear, epochs": (SOLVED, partial(layout, np.asarray, 3, kernel="linear", max_iter=2)),
    "precomputed": (AT_ONCE, partial(layout, products, 3, kernel="precomputed")),
    "precomputed, epochs": (
        SOLVED,
        partial(layout, products, 2, kernel="precomputed", max_iter=2),
    ),
    "ties": (SOLVED, ties),
    **{
        f"{kind.__name__}, {n_classes} classes, early stopping": (
            SOLVED,
            partial(stopped_early, kind, n_classes),
        )
        for kind, n_classes in product([ActiveLASVC, VirtualLASVC], [2, 3])
    },
}


@with_interrupts
@pytest.mark.parametrize("name", OTHER_FITS)
def test_other_fits(name, most):
    stages, make = OTHER_FITS[name]
    model, X, y = make()
    assert check_interrupts(model, "fit", (X, y), X, most) >= {*stages.split()}


@pytest.mark.parametrize("n_classes, params", [(2, {}), (3, {}), (2, FUNCTION)], ids=label)
def test_second_interrupt_during_the_first(n_classes, params):
    """Regression test: the gradients of vectors removed by shrinking were left outdated."""
    X, y = samples(LASVC, n_classes, n=400)
    model, twice = new(LASVC, **params), lambda n: (n, n + 1)
    assert check_interrupts(model, "fit", (X, y), X, 5, numbers=twice) >= {"finish"}


# -- partial_fit, finish, predictions ---------------------------------------------------

STREAMS = [
    (LASVC, 2, {}),
    (LASVC, 3, dict(class_weight="online_balanced", probability=True)),
    (LASVC, 3, dict(multi_class="ovo", window_size=100)),
    (LASVC, 3, dict(algorithm="lasvm-nc", finishing=False)),
    (LASVC, 3, dict(algorithm="lasvm-g", C=100.0, tol=1e-9)),
    (LASVC, 3, dict(n_jobs=2)),
    (LASVC, 2, dict(FUNCTION)),
    (LASVR, 0, dict(epsilon="auto")),
    (OneClassLASVM, 0, dict(nu=0.2, max_support_vectors=50)),
    (ActiveLASVC, 3, dict(selection="active", max_labels=80)),
    (ActiveLASVC, 2, dict(selection="autoactive", stopping="n_support")),
    (VirtualLASVC, 3, {}),
    (VirtualLASVC, 2, dict(FUNCTION)),
]
# Streams sorted by class or target, of which samples are visited again.
REPLAYS = [
    *((name, {}) for name in sorted_streams.REPLAYING),
    *((name, FUNCTION) for name in ("lasvm", "lasvm-g, pairs", "lasvr")),
]


def begun(stream):
    """Return a model in mid-stream, after a prediction, all samples and the next ones."""
    if stream in REPLAYS:
        name, params = stream
        X, *y = sorted_streams.stream(name)
        n = len(X) * 3 // 4
        model = sorted_streams.learn(name, sorted_streams.new(name, **params), X[:n], y[0][:n], 50)
        assert reservoir_of(model).n_replays > 0
    else:
        kind, n_classes, params = stream
        n, (X, *y) = 100, samples(kind, n_classes)
        model = learn(new(kind, **params), X[:n], *(values[:n] for values in y))
    scores(model, X)
    return model, X, (X[n:], *(values[n:] for values in y))


with_streams = pytest.mark.parametrize("stream", [*STREAMS, *REPLAYS], ids=label)


@pytest.mark.sampled
@with_interrupts
@with_streams
def test_partial_fit(stream, most):
    """In mid-stream, and in the first chunk."""
    model, X, rest = begun(stream)
    assert check_interrupts(model, "partial_fit", rest, X, most) <= {"learn"}
    if stream in STREAMS:
        kind, n_classes, params = stream
        data = samples(kind, n_classes)
        first = new(kind, **params), "partial_fit", data, X, most, classes_of(model, *data)
        assert check_interrupts(*first) == {"learn"}


@pytest.mark.sampled
@with_interrupts
@with_streams
def test_finish(stream, most):
    model, X, rest = begun(stream)
    assert check_interrupts(model.partial_fit(*rest), "finish", (), X, most) >= {"finish"}


@pytest.mark.sampled
@with_interrupts
@with_streams
def test_prediction(stream, most):
    """The next prediction is the same, and so is training, and a prediction after it."""
    model, X, rest = begun(stream)
    n = min(20, len(rest[0]) // 2)
    model.partial_fit(*(values[:n] for values in rest))
    rest = [values[n : 2 * n] for values in rest]
    stored = pickle.dumps(model.set_params(cache_size=1e-3))
    reference = pickle.loads(stored)
    places = InterruptAtCheck((), scores, reference, X).places
    values, expected = scores(reference, X), training_state(reference.partial_fit(*rest))
    afterwards = scores(reference, X)
    for n in some_checks(places, most):
        model = pickle.loads(stored)
        call = InterruptAtCheck((n,), scores, model, X)
        assert call.raised or model.n_jobs == 2
        if n % 2:
            model = pickle.loads(pickle.dumps(model))
        assert_array_equal(scores(model, X), values)
        assert_equal(training_state(model.partial_fit(*rest)), expected)
        assert_array_equal(scores(model, X), afterwards)


@with_interrupts
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_new_classes(multi_class, most):
    """The chunk whose classes are new replays samples of the old ones."""
    X, y = sorted_streams.stream("pairs")
    model = sorted_streams.new("pairs", multi_class=multi_class)
    model.partial_fit(X[y < 2], y[y < 2], classes=[0, 1])
    scores(model, X)
    check_interrupts(model, "partial_fit", (X[y >= 2], y[y >= 2]), X, most, [[0, 1, 2, 3]])


@with_interrupts
def test_growing_pool_of_sparse_samples(most):
    """Former support vectors are among the neighbours of those of the second chunk."""
    X, y = samples(VirtualLASVC)
    X = csr_matrix(np.where(np.abs(X) < 0.3, 0.0, X))
    model, rest = learn(new(VirtualLASVC, delta_max=0.1), X[:100], y[:100]), (X[100:], y[100:])
    assert check_interrupts(model, "partial_fit", rest, X, most) == {"learn"}


@with_interrupts
@pytest.mark.filterwarnings("ignore:Kernel values are rounded")
@pytest.mark.parametrize("kind", [LASVC, LASVR])
def test_methods_that_move_the_origin(kind, most):
    """``partial_fit`` does it only each time the number of samples has doubled."""
    X, y = samples(kind, 2)
    far, rest = X + 1e3, slice(20, None)
    model = learn(new(kind, kernel="linear"), X[:20], y[:20])
    moved = learn(pickle.loads(pickle.dumps(model)), far[rest], y[rest])
    assert spec_of(model).offset is None and spec_of(moved).offset is not None
    assert check_interrupts(model, "partial_fit", (far[rest], y[rest]), X, most) == {"learn"}
    learn(learn(model, X[20:40], y[20:40]), far[40:60], y[40:60])
    assert spec_of(model).offset is None
    assert check_interrupts(model, "finish", (), X, most) >= {"finish", "recentre"}
