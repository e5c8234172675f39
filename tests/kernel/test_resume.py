"""``resume`` after Ctrl-C gives a bitwise identical model."""

import os
import pickle
import signal
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, issparse
from scipy.spatial.distance import cdist
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from sklearn_online_svm import (
    LASVC,
    LASVR,
    ActiveLASVC,
    OneClassLASVM,
    RampSVC,
    VirtualLASVC,
)
from tests.support.cases import in_turn
from tests.support.internals import EngineSpec, engine_of, estimated_cost, targets_of
from tests.support.samples import three_classes, two_classes

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no timer to interrupt with")

# What must be as if nothing had happened; not the number of kernel values computed.
ATTRIBUTES = (
    *("classes_", "class_weight_", "support_", "support_vectors_", "n_support_", "dual_coef_"),
    *("intercept_", "n_iter_", "kkt_violation_", "dual_objective_", "duality_gap_"),
    *("virtual_support_vectors_", "n_virtual_points_", "minority_class_", "stopped_early_"),
    *("n_samples_seen_", "n_labels_used_", "objective_history_", "n_admitted_", "n_cleaned_"),
)


def values(model):
    return {name: getattr(model, name) for name in ATTRIBUTES if hasattr(model, name)}


def assert_same(model, reference, X):
    expected = values(reference)
    assert values(model).keys() == expected.keys()
    for name, value in values(model).items():
        former = expected[name]
        if issparse(value):
            value, former = value.toarray(), former.toarray()
        assert_array_equal(value, former, err_msg=name)
    assert_array_equal(model.decision_function(X), reference.decision_function(X))
    for problem, other in zip(
        engine_of(model).problems, engine_of(reference).problems, strict=True
    ):
        # The state that training continues from; g of free slots is undefined.
        slots = problem.slots()
        assert_array_equal(slots, other.slots())
        for name in ("g", "alpha", "index", "row_id"):
            mine, others = problem.members[name][slots], other.members[name][slots]
            assert_array_equal(mine, others, err_msg=name)


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
    """Make engines check for signals every few steps."""
    build = EngineSpec.build

    def build_frequent_checks(self, *matrix):
        engine = build(self, *matrix)
        for problem in engine.problems:
            problem.work_limit = 2000.0
        return engine

    monkeypatch.setattr(EngineSpec, "build", build_frequent_checks)


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


CASES = [
    (LASVC, {}),
    (LASVC, dict(max_iter=1)),
    (LASVC, dict(max_iter=3)),
    (LASVC, dict(max_iter=-1, shrinking=False, cache_size=0.1)),
    (LASVC, dict(max_iter=-1, n_jobs=2)),
    (LASVC, dict(delta_max=1e-3, n_jobs=2)),
    (LASVC, dict(max_iter=2, finishing=False, class_weight="online_balanced")),
    (LASVC, dict(algorithm="lasvm-g", max_iter=3)),
    (LASVC, dict(algorithm="lasvm-nc", max_iter=-1, n_jobs=2)),
    (LASVC, dict(algorithm="lasvm-i", max_iter=3)),
    (LASVC, dict(algorithm="lasvm-full")),
    (ActiveLASVC, dict(selection="gradient", max_iter=2, max_labels=250)),
    (ActiveLASVC, dict(selection="active", delta_max=1e-3, stopping="n_support")),
    (ActiveLASVC, dict(selection="autoactive", algorithm="lasvm-g", max_labels=300, n_jobs=2)),
    (VirtualLASVC, dict(delta_max=1e-3)),
    (VirtualLASVC, dict(algorithm="lasvm-g", n_virtual=2, max_labels=200)),
    (RampSVC, {}),
    (RampSVC, dict(fit_intercept=False, cache_size=0.1)),
    (RampSVC, dict(init_size=0.3, ramp_s=0.0, n_jobs=2)),
]
PAIRS = [
    (LASVC, dict(max_iter=-1)),
    (LASVC, dict(max_iter=3, delta_max=1e-3, n_jobs=2, class_weight="online_balanced")),
    (LASVC, dict(algorithm="lasvm-g", max_iter=3, cache_size=0.1)),
    (LASVC, dict(algorithm="lasvm-nc")),
    (RampSVC, dict(class_weight="balanced")),
    (RampSVC, dict(fit_intercept=False, init_size=0.3, ramp_s=0.0, n_jobs=2)),
]


@pytest.mark.sampled
@pytest.mark.parametrize(
    "kind, params, n_classes",
    [
        *((*case, n) for case, n in in_turn(CASES, [2, 3])),
        *((kind, params | dict(multi_class="ovo"), 4) for kind, params in PAIRS),
    ],
    ids=str,
)
def test_interrupts_at_any_time(kind, params, n_classes, ctrl_c, frequent_checks):
    X, y = noise(400, n_classes)
    make = lambda: kind(C=10.0, gamma=0.05, tol=1e-4, random_state=0, **params)  # noqa: E731
    start = time.perf_counter()
    reference = make().fit(X, y)
    clock = RandomInterrupts(np.random.default_rng(n_classes), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        assert_same(resumed_until_finished(make(), X, y, clock), reference, X)
    assert clock.n_interrupts >= 6


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [ActiveLASVC, VirtualLASVC])
def test_interrupts_before_early_stopping(kind, n_classes, ctrl_c, frequent_checks):
    X, y = noise(1000, n_classes)
    X[np.arange(1000), y] += 4
    make = lambda: kind(C=10.0, gamma=0.05, stopping="errors", random_state=0)  # noqa: E731
    start = time.perf_counter()
    reference = make().fit(X, y)
    assert reference.stopped_early_
    clock = RandomInterrupts(np.random.default_rng(n_classes), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        model = resumed_until_finished(make(), X, y, clock)
        assert_same(model, reference, X)
        assert model.n_labels_used_ == reference.n_labels_used_ and model.stopped_early_
    assert clock.n_interrupts >= 6


def test_ties_between_equal_samples(ctrl_c, frequent_checks):
    """The order of equal gradients is preserved by pickling."""
    X, y = noise(120, 2)
    X, y = np.tile(X, (4, 1)), np.tile(y, 4)
    make = lambda: LASVC(C=10.0, algorithm="lasvm-g", max_iter=3, random_state=1)  # noqa: E731
    start = time.perf_counter()
    reference = make().fit(X, y)
    clock = RandomInterrupts(np.random.default_rng(0), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        assert_same(resumed_until_finished(make(), X, y, clock), reference, X)
    assert clock.n_interrupts >= 6


@pytest.mark.sampled
@pytest.mark.parametrize(
    "params",
    [
        {},
        dict(algorithm="lasvm-nc", delta_max=None),
        dict(delta_max=1e-3, n_jobs=2),
        dict(selection="active", class_weight=None, max_labels=150, delta_max=1e-3),
        dict(selection="autoactive", class_weight=None, stopping="n_support"),
        dict(window_size=200, delta_max=1e-3),
        dict(multi_class="ovo"),
        dict(multi_class="ovo", window_size=200, algorithm="lasvm-g", n_jobs=2),
    ],
)
def test_interrupted_partial_fit(params, ctrl_c, frequent_checks):
    n_classes = 3 if {"n_jobs", "multi_class"} & params.keys() else 2
    X, y = noise(700, n_classes)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    params = {"class_weight": "online_balanced", **params}
    kind = ActiveLASVC if "selection" in params else LASVC
    make = lambda: kind(C=10.0, gamma=0.05, random_state=0, **params)  # noqa: E731
    chunks = [slice(0, 100), slice(100, 500), slice(500, 700)]
    start = time.perf_counter()
    reference = make()
    for chunk in chunks:
        reference.partial_fit(X[chunk], y[chunk], range(n_classes), weights[chunk])
    seconds = (time.perf_counter() - start) / 3
    clock = RandomInterrupts(np.random.default_rng(0), seconds)
    while clock.is_short_of_interrupts:
        model = make()
        for chunk in chunks:
            data = X[chunk], y[chunk]
            interrupted = clock.call(model.partial_fit, *data, range(n_classes), weights[chunk])
            while interrupted and not hasattr(model, "classes_"):
                interrupted = clock.call(
                    model.partial_fit, *data, range(n_classes), weights[chunk]
                )
            while interrupted:
                if not model.interrupted_:
                    # Before a chunk, or after it: n_samples_seen_ knows.
                    if model.n_samples_seen_ == chunk.start:
                        model.partial_fit(*data, sample_weight=weights[chunk])
                    break
                assert chunk.start <= model.n_samples_seen_ <= chunk.stop
                seen = slice(0, model.n_samples_seen_)
                counts = np.bincount(y[seen], weights[seen], n_classes)
                if params["class_weight"]:
                    assert_allclose(targets_of(model).counts, counts)
                model = pickle.loads(pickle.dumps(model))
                interrupted = clock.call(model.resume, *data, weights[chunk])
        assert_same(model, reference, X)
        assert_allclose(targets_of(model).counts, targets_of(reference).counts, rtol=1e-12)
    assert clock.n_interrupts >= 6


@pytest.mark.slow
@pytest.mark.parametrize("n_classes, sparse", [(2, True), (3, False)])
def test_resume_of_a_growing_pool(n_classes, sparse, ctrl_c, frequent_checks):
    """Interrupts in the second chunk, with earlier support vectors among the neighbours."""
    X, y = noise(500, n_classes)
    X = csr_matrix(X) if sparse else X
    begun = VirtualLASVC(C=10.0, gamma=0.05, delta_max=1e-3, random_state=0)
    begun.partial_fit(X[:200], y[:200], range(n_classes))
    reference = pickle.loads(pickle.dumps(begun))
    start = time.perf_counter()
    reference.partial_fit(X[200:], y[200:])
    clock = RandomInterrupts(np.random.default_rng(0), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        model = pickle.loads(pickle.dumps(begun))
        interrupted = clock.call(model.partial_fit, X[200:], y[200:])
        while interrupted:
            if not model.interrupted_:
                if model.n_samples_seen_ == 200:
                    model.partial_fit(X[200:], y[200:])
                break
            model = pickle.loads(pickle.dumps(model))
            interrupted = clock.call(model.resume, X[200:], y[200:])
        assert_same(model, reference, X)
    assert clock.n_interrupts >= 6 and reference.n_virtual_points_ > 100


@pytest.mark.parametrize(
    "params",
    [{}, dict(algorithm="lasvm-g"), dict(n_jobs=2), dict(multi_class="ovo", n_jobs=2)],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_interrupted_finish(params, n_classes, ctrl_c, frequent_checks):
    X, y = noise(500, n_classes)
    begun = LASVC(C=100.0, gamma=0.02, tol=1e-9, random_state=0, **params)
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
        assert_same(model.finish() if interrupted else model, reference, X)
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


def check_gradients(model, X):
    """Check the gradients and the bias against recomputed ones."""
    problems, intercept = engine_of(model).problems, model.intercept_
    before = [problem.members["g"][problem.slots()] for problem in problems]
    engine_of(model).refresh()
    for problem, g in zip(problems, before, strict=True):
        assert_allclose(problem.members["g"][problem.slots()], g, rtol=0, atol=1e-9)
    assert_allclose(model.intercept_, intercept, rtol=0, atol=1e-9)
    assert np.isfinite(model.decision_function(X)).all()


@pytest.mark.sampled
@pytest.mark.parametrize(
    "kind, params",
    [
        (LASVC, dict(max_iter=3)),
        (LASVC, dict(max_iter=-1, cache_size=1e-2)),
        (LASVC, dict(algorithm="lasvm-g", max_iter=3, cache_size=1e-2)),
        (LASVC, dict(algorithm="lasvm-nc", max_iter=-1)),
        (RampSVC, dict(ramp_s=0.0)),
        (RampSVC, dict(ramp_s=0.0, fit_intercept=False, cache_size=5e-2)),
        (LASVC, dict(multi_class="ovo", max_iter=3)),
        (RampSVC, dict(multi_class="ovo", ramp_s=0.0)),
    ],
    ids=str,
)
def test_interrupts_within_a_kernel_function(kind, params):
    problem = three_classes if "algorithm" in params or "ramp_s" in params else two_classes
    """Within steps, refreshes and changes of bounds: the model is consistent and can resume."""
    X, y = problem(120)
    y[::5] = np.unique(y)[0]
    params = dict(C=5.0, random_state=0, **params)
    kernel = InterruptedKernel()
    reference = kind(kernel=kernel, **params).fit(X, y)
    n_calls = kernel.n_calls
    for n in np.unique(np.linspace(0, n_calls - 1, 25).astype(int)):
        kernel.calls_left = n
        model = kind(kernel=kernel, **params)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        assert model.interrupted_
        check_gradients(pickle.loads(pickle.dumps(model)), X)
        kernel.calls_left = 7
        try:
            model.resume(X, y)
        except KeyboardInterrupt:
            kernel.calls_left = np.inf
            if model.interrupted_:
                model.resume(X, y)
        kernel.calls_left = np.inf
        assert_same(model, reference, X)


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [LASVC, ActiveLASVC, LASVR, OneClassLASVM, VirtualLASVC],
    ids=lambda kind: kind.__name__,
)
def test_interrupts_of_a_stream_with_predictions(kind):
    """The next prediction is the same, and the cost, from which a search decides."""
    X, y = two_classes(600)
    y = X[:, 0] if kind is LASVR else y
    chunks = [slice(0, 400), slice(400, 500), slice(500, 600)]
    kernel = InterruptedKernel()
    params = dict(kernel=kernel, random_state=0, **({} if kind is OneClassLASVM else {"C": 5.0}))

    def learn(model, method, chunk):
        targets = [] if kind is OneClassLASVM else [y[chunk]]
        if method == "partial_fit" and is_classifier(model):
            targets.append(np.unique(y))
        getattr(model, method)(X[chunk], *targets)

    def scores(model):
        return model.predict(X) if kind is LASVR else model.decision_function(X)

    reference = kind(**params)
    for chunk in chunks:
        learn(reference, "partial_fit", chunk)
        scores(reference)
    n_interrupts = 0
    for n in range(0, 60, 3):
        model = kind(**params)
        for k, chunk in enumerate(chunks):
            kernel.calls_left = n if k else np.inf
            try:
                learn(model, "partial_fit", chunk)
            except KeyboardInterrupt:
                kernel.calls_left, n_interrupts = np.inf, n_interrupts + 1
                scores(model)
                model = pickle.loads(pickle.dumps(model))
                if model.interrupted_ or model.n_samples_seen_ == chunk.start:
                    learn(model, "resume" if model.interrupted_ else "partial_fit", chunk)
            kernel.calls_left = n // 3 if k else np.inf
            try:
                scores(model)
            except KeyboardInterrupt:
                kernel.calls_left, n_interrupts = np.inf, n_interrupts + 1
                scores(model)
        kernel.calls_left = np.inf
        assert_array_equal(scores(model), scores(reference))
        assert estimated_cost(model, 2) == estimated_cost(reference, 2)
    assert n_interrupts >= 10


def interrupted_model(X, y, *args, method="fit", **params):
    """Return a model interrupted during its first call."""
    kernel = InterruptedKernel()
    kernel.calls_left = 3
    model = LASVC(kernel=kernel, C=5.0, random_state=0, **params)
    with pytest.raises(KeyboardInterrupt) as caught:
        getattr(model, method)(X, y, *args)
    return model, caught.value


LAYOUTS = {
    "csr": (csr_matrix, {}),
    "float32": (np.float32, {}),
    "linear": (np.asarray, dict(kernel="linear")),
    "precomputed": (lambda X: np.exp(-0.05 * cdist(X, X)), dict(kernel="precomputed")),
}


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_resume_with_every_layout(layout, n_classes, ctrl_c, frequent_checks):
    make, params = LAYOUTS[layout]
    X, y = noise(300, n_classes)
    X[np.abs(X) < 0.3] = 0.0
    X = make(X)
    params = dict(C=3.0, max_iter=2, n_jobs=n_classes - 1, random_state=0, **params)
    start = time.perf_counter()
    reference = LASVC(**params).fit(X, y)
    clock = RandomInterrupts(np.random.default_rng(0), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        assert_same(resumed_until_finished(LASVC(**params), X, y, clock), reference, X)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_interrupted_warm_start(multi_class, ctrl_c, frequent_checks):
    X, y = noise(400, 3)
    params = dict(gamma=0.05, random_state=0, warm_start=True, multi_class=multi_class)
    former = pickle.dumps(LASVC(C=1.0, **params).fit(X, y))
    start = time.perf_counter()
    reference = pickle.loads(former).set_params(C=20.0).fit(X, y)
    clock = RandomInterrupts(np.random.default_rng(0), time.perf_counter() - start)
    while clock.is_short_of_interrupts:
        model = pickle.loads(former).set_params(C=20.0)
        while clock.call(model.fit, X, y) and not model.interrupted_:
            model = pickle.loads(former).set_params(C=20.0)
        while model.interrupted_:
            clock.call(model.resume, X, y)
        assert_same(model, reference, X)
    assert clock.n_interrupts >= 6


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


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_resume_rejects_other_data_and_keeps_the_interrupt(method):
    X, y = two_classes(300)
    weights = np.linspace(0.5, 1.5, 300)
    args = () if method == "fit" else (["no", "yes"],)
    model, _ = interrupted_model(X, y, *args, weights, method=method)
    reference = LASVC(kernel=model.kernel, C=5.0, random_state=0)
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
