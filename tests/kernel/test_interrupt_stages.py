"""Ctrl-C at each check of the engine for signals: ``resume`` gives the same bits.

Each call of the engine that Ctrl-C may end must be a stage of its own (see ``kernel._epochs``).
"""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
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
from tests.support.cases import in_turn
from tests.support.internals import (
    check_signals,
    checkpoint_of,
    engine_of,
    has_engine,
    spec_of,
    training_state,
)
from tests.support.interrupts import InterruptAtCheck, interruptible_rbf, some_checks
from tests.support.limits import set_limits

# Maximum number of interrupts of a call at each place from which it calls the engine.
with_interrupts = pytest.mark.parametrize("most", [3, pytest.param(40, marks=pytest.mark.slow)])


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


def used(model, X, pickled):
    """Return an interrupted model after a prediction, or its copy; it must be consistent."""
    assert model.interrupted_ and np.isfinite(scores(model, X)).all()
    stored = pickle.dumps(model)
    if spec_of(model).kernel not in ("linear", "precomputed"):
        check_gradients(pickle.loads(stored))
    return pickle.loads(stored) if pickled else model


def check_gradients(model):
    """Check that alpha is in its bounds, and the gradients against recomputed ones."""
    problems = engine_of(model).problems
    before = [problem.members["g"][problem.slots()] for problem in problems]
    engine_of(model).refresh()
    for problem, g in zip(problems, before, strict=True):
        members, slots = problem.members, problem.slots()
        assert_allclose(members["g"][slots], g, rtol=0, atol=1e-6)
        assert (members["lower"] <= members["alpha"]).all()
        assert (members["alpha"] <= members["upper"]).all()


def check_interrupts(begun, method, data, X, most, classes=(), numbers=lambda n: (n,)):
    """Interrupt a call at some checks and continue it; return the stages that were interrupted.

    ``numbers`` returns those of the checks at which the call is interrupted for a place.
    """
    stored, former, stages = pickle.dumps(begun), training_state(begun), set()
    reference = pickle.loads(stored)
    places = InterruptAtCheck((), getattr(reference, method), *data, *classes).places
    expected, values = training_state(reference), scores(reference, X)
    for k, n in enumerate(some_checks(places, most)):
        model, message = pickle.loads(stored), f"check {n} of {len(places)}, {places[n - 1]}"
        call = InterruptAtCheck(numbers(n), getattr(model, method), *data, *classes)
        assert call.raised and call.places[:n] == places[:n], message
        if has_engine(model) and model.interrupted_:
            stages.add(checkpoint_of(model)["at"]["stage"])
            model = used(model, X, pickled=k % 2)
            again = (1 + (len(places) - n) // 2,) if k % 3 == 0 else ()
            if InterruptAtCheck(again, model.resume, *data).raised:
                used(model, X, pickled=False).resume(*data)
        else:  # training had not begun
            assert_equal(training_state(model), former, err_msg=message)
            getattr(model, method)(*data, *classes)
        assert_equal(training_state(model), expected, err_msg=message)
        assert_array_equal(scores(model, X), values, err_msg=message)
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
]


@with_interrupts
@pytest.mark.parametrize("stages, kind, n_classes, params", CASES, ids=label)
def test_fit(stages, kind, n_classes, params, most):
    data = samples(kind, n_classes)
    assert check_interrupts(new(kind, **params), "fit", data, data[0], most) >= {*stages.split()}


@with_interrupts
@pytest.mark.parametrize("params", [{}, FUNCTION], ids=label)
def test_tiles_of_pairs(params, most, monkeypatch):
    """A larger set with small pairs, of which some kernel values are in memory at a time."""
    set_limits(monkeypatch, SMALL_SET=0, GRAM_SAMPLES=100)
    X, y = samples(LASVC, 8)
    assert check_interrupts(new(LASVC, **params), "fit", (X, y), X, most) == {"finish"}


@with_interrupts
@pytest.mark.parametrize("kind, params", [(LASVC, {}), (LASVC, FUNCTION), (LASVR, {})], ids=label)
def test_fit_until_converged(kind, params, most, monkeypatch):
    """max_iter="auto" on a set that is too large to be optimized over all samples at once."""
    set_limits(monkeypatch, SMALL_SET=0, SMALL_PAIR=0)
    data = samples(kind)
    stages = check_interrupts(new(kind, **params), "fit", data, data[0], most)
    assert stages >= {"learn", "finish", "assess"}


@with_interrupts
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "kind, params",
    [(LASVC, {}), (LASVC, dict(max_iter=-1)), (RampSVC, {}), (RampSVC, dict(fit_intercept=False))],
    ids=label,
)
def test_limits_of_rounds(kind, params, most, monkeypatch):
    """Rounds that a resumed call repeats are not counted again."""
    set_limits(
        monkeypatch, SMALL_SET=0, SMALL_PAIR=0, MAX_REFRESHES=1, MAX_EPOCHS=2, MAX_AUTO_EPOCHS=2
    )
    data, model = samples(kind, 2), new(kind, **{"tol": 1e-9, **params})
    assert check_interrupts(model, "fit", data, data[0], most) >= {*IN_EPOCHS.split()}


@with_interrupts
@pytest.mark.parametrize("params", [{}, dict(cache_size=0.1), FUNCTION], ids=label)
def test_working_sets(params, most, monkeypatch):
    set_limits(monkeypatch, WORKING_SET_SIZE=20)
    X, y = samples(LASVC, 2, n=120)
    stages = check_interrupts(new(LASVC, max_iter=2, **params), "fit", (X, y), X, most)
    assert stages >= {"learn", "finish"}


@with_interrupts
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_limits_of_steps(most, monkeypatch):
    """A resumed optimization may not use its share of the steps left again."""
    set_limits(monkeypatch, MAX_STEPS=130_000, MAX_STEPS_PER_SAMPLE=1)
    check_signals(monkeypatch, work=1e6)
    X, y = samples(LASVC, 2, n=100)
    model = new(LASVC, C=1e5, gamma=0.003, tol=1e-12, max_iter=4)
    check_interrupts(model, "fit", (X, y), X, most)


@with_interrupts
@pytest.mark.parametrize(
    "params", [{}, dict(algorithm="lasvm-nc", max_iter=2), dict(multi_class="ovo")], ids=label
)
def test_warm_start(params, most):
    X, y = samples(LASVC)
    model = new(LASVC, C=1.0, warm_start=True, **params).fit(X, y).set_params(C=20.0)
    assert check_interrupts(model, "fit", (X, y), X, most) >= {"learn", "finish"}


LAYOUTS = {
    "csr": (csr_matrix, {}),
    "float32": (np.float32, {}),
    "linear": (np.asarray, dict(kernel="linear")),
    "precomputed": (lambda X: np.exp(-0.05 * cdist(X, X)), dict(kernel="precomputed")),
}


@with_interrupts
@pytest.mark.parametrize("max_iter, stages", [("auto", "finish"), (2, SOLVED)])
@pytest.mark.parametrize("layout, n_classes", in_turn(LAYOUTS, [2, 3]))
def test_layouts(layout, n_classes, max_iter, stages, most):
    (make, params), (X, y) = LAYOUTS[layout], samples(LASVC, n_classes)
    X = make(np.where(np.abs(X) < 0.3, 0.0, X))
    model = new(LASVC, max_iter=max_iter, **params)
    assert check_interrupts(model, "fit", (X, y), X, most) >= {*stages.split()}


@with_interrupts
def test_ties_between_equal_samples(most):
    """The order of equal gradients is preserved by pickling."""
    X, y = samples(LASVC, 2, n=60)
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    model = new(LASVC, algorithm="lasvm-g", max_iter=3)
    assert check_interrupts(model, "fit", (X, y), X, most) >= {"learn", "finish"}


@with_interrupts
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
def test_early_stopping(kind, n_classes, most):
    X, y = samples(kind, n_classes, n=700)
    X[np.arange(len(y)), y] += 4
    model = new(kind, stopping="errors")
    assert pickle.loads(pickle.dumps(model)).fit(X, y).stopped_early_
    assert check_interrupts(model, "fit", (X, y), X, most) >= {"learn", "finish"}


# -- partial_fit, finish ----------------------------------------------------------------

STREAMS = [
    (LASVC, 2, {}),
    (LASVC, 3, dict(class_weight="online_balanced", probability=True)),
    (LASVC, 3, dict(multi_class="ovo", window_size=100)),
    (LASVC, 3, dict(algorithm="lasvm-nc", finishing=False)),
    (LASVC, 2, dict(FUNCTION)),
    (LASVR, 0, dict(epsilon="auto")),
    (OneClassLASVM, 0, dict(nu=0.2, max_support_vectors=50)),
    (ActiveLASVC, 3, dict(selection="active", max_labels=80)),
    (ActiveLASVC, 2, dict(selection="autoactive", stopping="n_support")),
    (VirtualLASVC, 3, {}),
    (VirtualLASVC, 2, dict(FUNCTION)),
]


@with_interrupts
@pytest.mark.parametrize("stream, n_before", in_turn(STREAMS, [0, 100]), ids=label)
def test_partial_fit(stream, n_before, most):
    kind, n_classes, params = stream
    data, model = samples(kind, n_classes), new(kind, **params)
    if n_before:
        scores(learn(model, *(values[:n_before] for values in data)), data[0])
    rest, classes = [values[n_before:] for values in data], classes_of(model, *data)
    stages = check_interrupts(model, "partial_fit", rest, data[0], most, classes)
    assert stages == {"learn"}


@with_interrupts
def test_growing_pool_of_sparse_samples(most):
    """Former support vectors are among the neighbours of those of the second chunk."""
    X, y = samples(VirtualLASVC)
    X = csr_matrix(np.where(np.abs(X) < 0.3, 0.0, X))
    model, rest = learn(new(VirtualLASVC, delta_max=0.1), X[:100], y[:100]), (X[100:], y[100:])
    assert check_interrupts(model, "partial_fit", rest, X, most) == {"learn"}


@with_interrupts
@pytest.mark.parametrize(
    "kind, params",
    [
        (LASVC, dict(C=100.0, tol=1e-9)),
        (LASVC, dict(algorithm="lasvm-g")),
        (LASVC, dict(multi_class="ovo", finishing=False)),
        (LASVC, FUNCTION),
        (LASVR, {}),
        (OneClassLASVM, dict(nu=0.2)),
        (ActiveLASVC, {}),
        (VirtualLASVC, {}),
    ],
    ids=label,
)
def test_finish(kind, params, most):
    data = samples(kind)
    model = learn(new(kind, **params), *data)
    assert check_interrupts(model, "finish", (), data[0], most) == {"finish"}


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


# -- other interrupts -------------------------------------------------------------------


@pytest.mark.parametrize("n_classes, params", [(2, {}), (3, {}), (2, FUNCTION)], ids=label)
def test_second_interrupt_during_the_first(n_classes, params):
    """Regression test: the gradients of vectors removed by shrinking were left outdated."""
    X, y = samples(LASVC, n_classes, n=400)
    model, twice = new(LASVC, **params), lambda n: (n, n + 1)
    assert check_interrupts(model, "fit", (X, y), X, 5, numbers=twice) >= {"finish"}


ONLINE = [LASVC, LASVR, OneClassLASVM, ActiveLASVC, VirtualLASVC]


@with_interrupts
@pytest.mark.parametrize("kind, params", in_turn(ONLINE, [{}, FUNCTION]), ids=label)
def test_interrupted_predictions(kind, params, most):
    """The next prediction is the same, and so is training."""
    data = samples(kind)
    X, first, rest = data[0], [v[:150] for v in data], [v[150:] for v in data]
    stored = pickle.dumps(learn(new(kind, **params), *first))
    reference = pickle.loads(stored)
    places = InterruptAtCheck((), scores, reference, X).places
    values = scores(reference, X)
    expected = training_state(learn(reference, *rest))
    for n in some_checks(places, most):
        model = pickle.loads(stored)
        assert InterruptAtCheck((n,), scores, model, X).raised
        assert_array_equal(scores(model, X), values)
        assert_equal(training_state(learn(model, *rest)), expected)
