"""Models that share a stream: what they learn is to the last bit what they would learn alone."""

import _thread
import copy
import pickle
import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from sklearn_online_svm import LASVC, RampSVC, VirtualLASVC
from sklearn_online_svm.kernel._shared_stream import SharedStream
from tests.support.programs import finished
from tests.support.samples import LAYOUTS, two_classes

CS = (0.1, 1.0, 30.0)
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def four_classes(n):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 4, n)
    X = rng.normal(size=(n, 4))
    X[np.arange(n), codes] += 1.5
    return X, 10 * codes


PROBLEMS = {"binary": two_classes, "four classes": four_classes}
with_problems = pytest.mark.parametrize("problem", PROBLEMS)


class Busy(LASVC):
    """What happens once in hundreds of rows happens often: the ramp, CLEAN."""

    ramp_start = 20
    clean_interval = 25
    max_non_sv = 10


def rows_of(problem="binary", layout="dense", dtype=np.float64, n=240):
    X, y = PROBLEMS[problem](n)
    X[np.abs(X) < 0.3] = 0.0  # so that there is something sparse about it
    return LAYOUTS[layout](X.astype(dtype)), y


def models_of(Cs=CS, **params):
    return [Busy(C, **{"gamma": 0.3, "random_state": 0, **params}) for C in Cs]


def assert_same(model, alone, X):
    """The same to the last bit, but for the order in which decisions are summed up."""
    for name in ("support_", "dual_coef_", "intercept_", "n_support_", "class_weight_"):
        assert_array_equal(getattr(model, name), getattr(alone, name))
    for name in ("n_samples_seen_", "n_labels_used_", "n_iter_", "gamma_"):
        assert getattr(model, name) == getattr(alone, name)
    room = 1e-14 * max(1.0, np.abs(alone.dual_coef_).sum())
    decisions = model.decision_function(X)
    assert_allclose(decisions, alone.decision_function(X), rtol=1e-12, atol=room)
    for mine, other in zip(model._engine.problems, alone._engine.problems, strict=True):
        for name in ("alpha", "alive", "row_id", "lower", "upper", "origin", "region"):
            assert_array_equal(mine.members[name], other.members[name])
        alive = mine.slots()
        assert_array_equal(mine.members["g"][alive], other.members["g"][alive])
        assert mine.b == other.b
    if model.algorithm != "lasvm":
        for name in ("n_admitted_", "n_cleaned_", "n_skipped_"):
            assert_array_equal(getattr(model, name), getattr(alone, name))


def learn(learners, X, y, size=None, begin=0, end=None, weights=None):
    """`partial_fit` of rows from `begin` to `end`, in chunks, by each of the learners."""
    end = X.shape[0] if end is None else end
    for first in range(begin, end, size or X.shape[0]):
        part = slice(first, min(end, first + (size or X.shape[0])))
        weight = None if weights is None else weights[part]
        classes = np.unique(y) if first == 0 else None
        for learner in learners:
            learner.partial_fit(X[part], y[part], classes=classes, sample_weight=weight)


def together_and_alone(X, y, make, **chunks):
    """A stream, and models alone, that have learnt the same."""
    stream, alone = SharedStream(make()), make()
    learn([stream, *alone], X, y, **chunks)
    return stream, alone


def assert_all_same(stream, alone, X):
    for model, other in zip(stream.models, alone, strict=True):
        assert_same(model, other, X)


# -- the bits ---------------------------------------------------------------------------


@with_problems
@with_layouts
@pytest.mark.parametrize("size", [1, 7, None])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
def test_models_learn_what_they_learn_alone(problem, layout, size, algorithm):
    X, y = rows_of(problem, layout, n=100 if size == 1 else 240)
    stream, alone = together_and_alone(X, y, lambda: models_of(algorithm=algorithm), size=size)
    assert_all_same(stream, alone, X)


@with_problems
@with_layouts
@pytest.mark.parametrize(
    "params",
    [
        dict(algorithm="lasvm-nc", class_weight="online_balanced"),
        dict(algorithm="lasvm-i", n_jobs=2),
        dict(algorithm="lasvm-full", kernel="poly", degree=2, coef0=1.0),
        dict(algorithm="lasvm-g", kernel="linear"),
        dict(kernel="sigmoid", gamma=0.05, delta_max=0.1),
        dict(gamma="scale", finishing=False, n_jobs=2),
        dict(gamma="auto", cache_size=0.01),
    ],
    ids=str,
)
def test_models_with_other_parameters(problem, layout, params):
    X, y = rows_of(problem, layout, np.float32)
    stream, alone = together_and_alone(X, y, lambda: models_of(**params), size=150)
    assert_all_same(stream, alone, X)


@with_problems
def test_models_of_different_kinds(problem):
    X, y = rows_of(problem)
    heavy = {np.unique(y)[0]: 5.0}

    def make():
        return [
            Busy(1.0, gamma=0.3),
            Busy(5.0, gamma=0.3, algorithm="lasvm-g", tol=1e-2),
            Busy(0.5, gamma=0.3, class_weight=heavy, finishing=False),
            Busy(2.0, gamma=0.3, algorithm="lasvm-nc", class_weight="online_balanced"),
            Busy(np.inf, gamma=0.3),
        ]

    stream, alone = together_and_alone(X, y, make, size=60)
    assert_all_same(stream, alone, X)


@with_problems
@pytest.mark.parametrize("class_weight", [None, "online_balanced"])
def test_rows_with_weights(problem, class_weight):
    X, y = rows_of(problem)
    weights = np.random.default_rng(0).choice([0.0, 1.0, 3.0], len(y))
    weights[:70] = 0.0  # a block of which nothing is learnt
    stream, alone = together_and_alone(
        X, y, lambda: models_of(class_weight=class_weight), size=100, weights=weights
    )
    assert_all_same(stream, alone, X)


@settings(max_examples=20, deadline=None)
@given(
    Cs=st.lists(st.sampled_from([0.01, 0.3, 1.0, 10.0]), min_size=1, max_size=4),
    sizes=st.lists(st.integers(1, 90), min_size=1, max_size=4),
    drops=st.integers(0, 3),
    problem=st.sampled_from(list(PROBLEMS)),
    bias=st.booleans(),
)
def test_any_chunks_and_departures(Cs, sizes, drops, problem, bias):
    X, y = rows_of(problem, n=400)
    params = dict(algorithm="lasvm" if bias else "lasvm-g")
    models, alone = models_of(Cs, **params), models_of(Cs, **params)
    stream, at = SharedStream(models), 0
    for k, size in enumerate(sizes):
        learn([stream, *alone], X, y, size=size, begin=at, end=at + size)
        at += size
        if k == 1:
            stream.drop(models[: min(drops, len(models) - 1)])
            alone = alone[min(drops, len(Cs) - 1) :]
    assert_all_same(stream, alone, X)


# -- looking ----------------------------------------------------------------------------


@with_problems
@with_layouts
@pytest.mark.parametrize("finishing", [True, False])
def test_decisions_of_all_are_those_of_each(problem, layout, finishing):
    X, y = rows_of(problem, layout)
    stream, alone = together_and_alone(X, y, lambda: models_of(finishing=finishing, n_jobs=2))
    decisions = stream.decision_functions(X)
    for scores, model, other in zip(decisions, stream.models, alone, strict=True):
        assert scores.shape == other.decision_function(X).shape
        assert_array_equal(scores, model.decision_function(X))
        assert_allclose(scores, other.decision_function(X), rtol=1e-12, atol=1e-12)
        assert_array_equal(model.predict(X), other.predict(X))
    # Having been asked leaves no trace in what is learnt.
    learn([stream, *alone], X, y, begin=100)
    assert_all_same(stream, alone, X)


def test_decisions_with_a_linear_kernel():
    X, y = rows_of()
    stream, alone = together_and_alone(
        X, y, lambda: models_of(kernel="linear", algorithm="lasvm-g")
    )
    for scores, other in zip(stream.decision_functions(X), alone, strict=True):
        assert_array_equal(scores, other.decision_function(X))


def test_kernel_values_are_computed_once():
    X, y = rows_of(n=400)
    Cs = np.geomspace(0.1, 100, 8)
    stream, alone = together_and_alone(X, y, lambda: models_of(Cs))
    counts = [model.n_kernel_evaluations_ for model in alone]
    stream_alone = SharedStream(models_of(Cs[-1:]))
    learn([stream_alone], X, y)
    assert stream.n_kernel_evaluations_ < 0.4 * sum(counts)
    assert stream_alone.n_kernel_evaluations_ <= 1.2 * counts[-1]


# -- leaving ----------------------------------------------------------------------------


@with_problems
@with_layouts
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
def test_models_that_leave_go_on_as_if_they_had_been_alone(problem, layout, algorithm):
    X, y = rows_of(problem, layout)
    stream, alone = together_and_alone(
        X, y, lambda: models_of(algorithm=algorithm), size=40, end=120
    )
    gone = stream.models[1]
    before = gone.decision_function(X)
    assert stream.release(gone) is gone
    assert gone not in stream.models
    assert_allclose(gone.decision_function(X), before, rtol=1e-12, atol=1e-12)
    learn([stream, gone, *alone], X, y, size=40, begin=120)
    assert_same(gone, alone[1], X)
    assert_all_same(stream, [alone[0], alone[2]], X)
    for model, other in zip([*stream.models, gone], [alone[0], alone[2], alone[1]], strict=True):
        assert_same(model.finish(), other.finish(), X)


def test_vectors_that_nobody_else_keeps_are_given_up():
    X, y = rows_of()
    models = models_of()
    stream = SharedStream(models).partial_fit(X, y, classes=np.unique(y))
    stream.drop(models[:2])
    (left,) = stream.models
    tenant = left._engine
    n_members = tenant.problems[0].members.n_members
    free = tenant.store.n_slots - n_members
    assert free > 0
    # They are what the next rows are stored in.
    n_slots = tenant.store.n_slots
    stream.partial_fit(X[:free], y[:free])
    assert tenant.problems[0].members.n_members > n_members
    assert tenant.store.n_slots == n_slots


@with_problems
def test_learning_alone_is_leaving(problem):
    X, y = rows_of(problem)
    stream, alone = together_and_alone(X, y, models_of, end=100)
    first, second, third = stream.models
    first.partial_fit(X[100:], y[100:])
    alone[0].partial_fit(X[100:], y[100:])
    second.finish()
    alone[1].finish()
    third.fit(X, y)
    alone[2].fit(X, y)
    assert_all_same(stream, alone, X)
    with pytest.raises(ValueError, match=r"models\[0\] has learnt on its own"):
        stream.partial_fit(X, y)
    with pytest.raises(ValueError, match=r"models\[0\] has learnt on its own"):
        stream.decision_functions(X)
    stream.drop(stream.models)
    with pytest.raises(ValueError, match="no models left"):
        stream.partial_fit(X, y)
    with pytest.raises(ValueError, match="must be in this stream"):
        stream.release(first)


@with_problems
@with_layouts
@pytest.mark.parametrize(
    "duplicate",
    [lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy],
    ids=["pickle", "deepcopy"],
)
def test_copies_are_independent(problem, layout, duplicate):
    X, y = rows_of(problem, layout)
    stream, alone = together_and_alone(X, y, models_of, end=100)
    copies = [duplicate(model) for model in stream.models]
    for model, other in zip(copies, alone, strict=True):
        assert_same(model, other, X)
    learn([stream, *copies, *alone], X, y, begin=100)
    assert_all_same(stream, alone, X)
    for model, other in zip(copies, alone, strict=True):
        assert_same(model, other, X)


@with_problems
def test_snapshots_are_finished_copies(problem):
    X, y = rows_of(problem)
    stream, alone = together_and_alone(X, y, models_of, end=100)
    for model, other in zip(stream.models, alone, strict=True):
        assert_same(model.snapshot(), other.snapshot(), X)
    learn([stream, *alone], X, y, begin=100)
    assert_all_same(stream, alone, X)


def test_models_keep_what_they_need_when_the_stream_has_gone():
    X, y = rows_of()
    stream, alone = together_and_alone(X, y, models_of, end=100)
    models = stream.models
    del stream
    for model, other in zip(models, alone, strict=True):
        learn([model, other], X, y, begin=100)
        assert_same(model, other, X)


# -- joining ----------------------------------------------------------------------------


@with_problems
@with_layouts
def test_models_that_have_learnt_the_same_come_together(problem, layout):
    X, y = rows_of(problem, layout)
    models, alone = models_of(), models_of()
    learn([*models, *alone], X, y, end=100)
    stream = SharedStream(models)
    assert_all_same(stream, alone, X)
    learn([stream, *alone], X, y, begin=100, size=50)
    assert_all_same(stream, alone, X)
    # From one stream into others.
    streams = [SharedStream(models[:1]), SharedStream(models[1:])]
    learn([*streams, *alone], X, y, begin=100)
    assert_all_same(streams[0], alone[:1], X)
    assert_all_same(streams[1], alone[1:], X)


def test_models_after_fit_come_together():
    X, y = rows_of()
    models, alone = models_of(max_iter=2), models_of(max_iter=2)
    for model in [*models, *alone]:
        model.fit(X[:150], y[:150])
    stream = SharedStream(models)
    learn([stream, *alone], X, y, begin=150)
    assert_all_same(stream, alone, X)


def test_models_that_have_learnt_other_rows_are_refused():
    X, y = rows_of()
    models = models_of((1.0, 2.0))
    models[0].partial_fit(X[:100], y[:100], classes=np.unique(y))
    models[1].partial_fit(X[100:200], y[100:200], classes=np.unique(y))
    with pytest.raises(ValueError, match="must have learnt the same rows"):
        SharedStream(models)
    models[1].partial_fit(X[:10], y[:10])
    with pytest.raises(ValueError, match="that can share a stream"):
        SharedStream(models)


def test_who_can_share():
    models = [
        LASVC(1.0),
        LASVC(2.0, class_weight={0: 2.0}, tol=0.1, algorithm="lasvm-nc"),
        LASVC(1.0, gamma=0.5),
        LASVC(3.0),
        LASVC(selection="active"),
        LASVC(max_labels=10),
        LASVC(max_support_vectors=10),
        LASVC(max_age=10),
        LASVC(kernel="precomputed"),
        LASVC(kernel=lambda A, B: A @ B.T),
        LASVC(kernel="linear"),
        LASVC(kernel="linear"),
        LASVC(kernel="linear", algorithm="lasvm-g"),
        LASVC(5.0, kernel="linear", algorithm="lasvm-i"),
        VirtualLASVC(),
        RampSVC(),
        Busy(),
    ]
    groups = SharedStream.groups(models)
    assert [group for group in groups if len(group) > 1] == [[0, 1, 3], [12, 13]]
    assert sorted(sum(groups, [])) == list(range(len(models)))
    with pytest.raises(ValueError, match="can share a stream"):
        SharedStream(models[:3])
    with pytest.raises(ValueError, match="one or more LASVC"):
        SharedStream([])


# -- what goes wrong --------------------------------------------------------------------


def test_an_invalid_chunk_leaves_all_as_it_was():
    X, y = rows_of()
    stream, alone = SharedStream(models_of()), models_of()
    with pytest.raises(ValueError, match="NaN"):
        stream.partial_fit(np.full((5, 4), np.nan), y[:5], classes=np.unique(y))
    assert not any(hasattr(model, "classes_") for model in stream.models)
    with pytest.raises(NotFittedError):
        stream.decision_functions(X)
    learn([stream, *alone], X, y, end=100)
    bad = X.copy()
    bad[70] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        stream.partial_fit(bad, y)
    bad[70] = 1e200  # is found when kernel values are made: in a later block
    with pytest.raises(ValueError, match="Row 70 of X has a squared norm"):
        stream.partial_fit(bad, y)
    with pytest.raises(ValueError, match="y contains"):
        stream.partial_fit(X, np.where(y == "yes", "maybe", y))
    # One of them refuses.
    stream.models[0].C, stream.models[2].kernel = 7.0, "poly"
    with pytest.raises(ValueError, match="kernel cannot change"):
        stream.partial_fit(X, y)
    stream.models[0].C, stream.models[2].kernel = CS[0], "rbf"
    assert_all_same(stream, alone, X)
    learn([stream, *alone], X, y, begin=100)
    assert_all_same(stream, alone, X)


def test_parameters_that_change():
    X, y = rows_of()
    stream, alone = together_and_alone(X, y, models_of, end=100)
    for model in (stream.models[0], alone[0]):
        model.set_params(C=5.0, tol=1e-2, cache_size=1)
    learn([stream, *alone], X, y, begin=100)
    assert_all_same(stream, alone, X)
    stream.models[1].set_params(selection="active")
    with pytest.raises(ValueError, match="cannot share a stream any more"):
        stream.partial_fit(X, y)


@pytest.fixture
def hears_interrupts():
    # What a shell starts with & is born deaf to Ctrl-C.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@with_problems
@pytest.mark.parametrize("begin", [0, 100], ids=["first chunk", "later"])
def test_an_interrupt_between_two_blocks(problem, begin, hears_interrupts):
    X, y = rows_of(problem)

    class Interrupted(Busy):
        """Ctrl-C comes when two of the models know of a block."""

        _calls = 0

        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            seen = name == "n_samples_seen_" and value == begin + 64
            if seen and self.C == 1.0 and not Interrupted._calls:
                Interrupted._calls += 1
                _thread.interrupt_main()

    models, alone = [Interrupted(C, gamma=0.3) for C in CS], models_of()
    stream = SharedStream(models)
    learn([stream, *alone], X, y, end=begin)
    with pytest.raises(KeyboardInterrupt) as caught:
        learn([stream], X, y, begin=begin)
    assert "first 64 rows" in caught.value.__notes__[0]
    assert all(model.n_samples_seen_ == begin + 64 for model in models)
    learn(alone, X, y, begin=begin, end=begin + 64)
    assert_all_same(stream, alone, X)
    learn([stream, *alone], X, y, begin=begin + 64)
    assert_all_same(stream, alone, X)


# Interrupts itself time and again, each time somewhere in the midst of learning, and goes on with
# the row behind: nothing may be different then.
MANY = """
import signal, sys, time
import numpy as np
from sklearn_online_svm import LASVC
from sklearn_online_svm.kernel._shared_stream import SharedStream

n_classes, n_jobs = int(sys.argv[1]), int(sys.argv[2])
rng = np.random.default_rng(0)
X, y = rng.normal(size=(400, 30)), rng.integers(0, n_classes, 400)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))

def make():
    return [LASVC(C, gamma=0.05, delta_max=0.01, n_jobs=n_jobs) for C in (0.1, 1.0, 100.0)]

def impatient(models):
    for model in models:
        for problem in model._engine.problems:
            problem.patience = 1.0      # returns after each step

alone, models = make(), make()
start = time.perf_counter()
for model in alone:
    model.partial_fit(X, y, classes=range(n_classes))
seconds = time.perf_counter() - start
stream, n_interrupted, n_odd = SharedStream(models), 0, 0
stream.partial_fit(X[:30], y[:30], classes=range(n_classes))
impatient(models)
while (at := models[0].n_samples_seen_) < 400:
    # Some at the end of a block anyway, more of them in its midst.
    signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.005, 0.12) * seconds)
    try:
        try:
            stream.partial_fit(X[at:], y[at:])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        time.sleep(0.001)
    except KeyboardInterrupt:
        n_interrupted += 1
    assert len({model.n_samples_seen_ for model in models}) == 1
    impatient(models)
for model, other in zip(models, alone):
    for mine, its in zip(model._engine.problems, other._engine.problems):
        assert np.array_equal(mine.members["alpha"], its.members["alpha"])
        assert mine.b == its.b
    assert np.array_equal(model.support_, other.support_)
print(n_interrupted)
"""


@pytest.mark.parametrize("n_classes, n_jobs", [(2, 1), (3, 2)], ids=str)
def test_interrupts_at_any_time_change_nothing(n_classes, n_jobs):
    process = finished(MANY, str(n_classes), str(n_jobs), seconds=60)
    assert process.returncode == 0, process.stderr
    assert int(process.stdout) > 1


def test_others_may_look_while_models_learn():
    X, y = rows_of(n=1500)
    stream, alone = together_and_alone(X, y, lambda: models_of(finishing=False), end=100)
    seen, errors, done = [], [], threading.Event()

    def look():
        try:
            while not done.is_set():
                for model in models:
                    scores = model.decision_function(X[:20])
                    assert np.isfinite(scores).all()
                    assert np.isfinite(pickle.loads(pickle.dumps(model)).intercept_).all()
                seen.append(models[0].n_samples_seen_)
        except BaseException as error:
            errors.append(error)

    models = list(stream.models)
    thread = threading.Thread(target=look)
    thread.start()
    try:
        learn([stream], X, y, begin=100, end=800, size=100)
        stream.drop(models[1:2])
        learn([stream, models[1]], X, y, begin=800, size=100)
    finally:
        done.set()
        thread.join()
    assert not errors
    assert seen
    learn(alone, X, y, begin=100, size=100)
    for model, other in zip(models, alone, strict=True):
        assert_same(model, other, X)
