"""Replay in streams of the kernel models with one update per sample."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone

from sklearn_online_svm import KernelAROWClassifier
from tests.reference.kernel_arow import KernelAROW
from tests.support.cases import in_turn
from tests.support.internals import Reservoir
from tests.support.interrupts import Interrupt, n_lines
from tests.support.kernel_updates import (
    BUDGETS,
    GAMMA,
    MODELS,
    assert_same_solution,
    pa,
    rows,
    single,
    twin_of,
)

pytestmark = pytest.mark.filterwarnings("ignore:The stream is sorted by class")

# Small reservoirs, whose samples are replaced and replayed several times.
SIZE = 60
FIRST_ORDER = {
    name: clone(model).set_params(replay_size=SIZE)
    for name, model in {**MODELS, **BUDGETS}.items()
}
ALL = {
    **FIRST_ORDER,
    "arow": KernelAROWClassifier(gamma=GAMMA, max_support_vectors=25, replay_size=SIZE),
    "arow, forgetting": KernelAROWClassifier(
        gamma=GAMMA, max_support_vectors=25, forgetting_factor=0.99, replay_size=SIZE
    ),
}
with_all = pytest.mark.parametrize("name", ALL)
with_classes = pytest.mark.parametrize("n_classes", [2, 3])
N = 240
CLOSE = dict(rtol=1e-9, atol=1e-11)


def sorted_rows(n_classes, n=N, seed=0):
    X, y = rows(n, n_classes, seed)
    order = np.argsort(y, kind="stable")
    return X[order], y[order]


def streamed(model, X, y, size=None, first=0, **params):
    """Return a clone trained in chunks of this size."""
    model = clone(model) if not first else model
    return go_on(model, X, y, size or len(y), first, classes=np.unique(y), **params)


def go_on(model, X, y, size=100, first=0, classes=None, weights=None):
    for start in range(first, len(y), size):
        part = slice(start, start + size)
        model.partial_fit(
            X[part], y[part], classes, sample_weight=None if weights is None else weights[part]
        )
    return model


def n_replays(model):
    return int(model.t_) - 1 - model.n_samples_seen_


def outputs(model, X):
    vectors = model.support_vectors_
    vectors = vectors.toarray() if hasattr(vectors, "toarray") else vectors
    return (
        *(model.decision_function(X), model.support_, vectors, model.dual_coef_),
        *(model.t_, model.n_updates_, model.n_samples_seen_),
    )


def assert_same(model, other, X, atol=0.0):
    for one, expected in zip(outputs(model, X), outputs(other, X), strict=True):
        assert_allclose(one, expected, rtol=0.0, atol=atol)


def atol_of(name):
    """Sums of the covariance depend on the blocks of samples by rounding errors."""
    return 1e-9 if "arow" in name else 0.0


# -- the reference implementation -------------------------------------------------------


def visits(y, weights, stands_for_class):
    """Numbers of the samples to visit, in their order, and their weights."""
    reservoir = Reservoir(SIZE, len(np.unique(y)))
    order, replays, *_ = reservoir.visit(y.astype(np.int32), 0, weights, stands_for_class)
    again = np.array([row for _, row, *_ in replays], dtype=int)
    numbers = np.concatenate([np.arange(len(y)), again])
    return numbers[order], np.concatenate([weights, [cost for *_, cost, _ in replays]])[order]


@pytest.mark.sampled
@pytest.mark.parametrize("name, n_classes", in_turn(FIRST_ORDER, [2, 3]))
def test_each_visit_equals_the_reference(name, n_classes):
    """A sample that is visited again adds to the coefficient that it has."""
    X, y = sorted_rows(n_classes)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(y))
    model, twin = FIRST_ORDER[name], twin_of(FIRST_ORDER[name], n_classes)
    for i, weight in zip(*visits(y, weights, False), strict=True):
        twin.learn_row(X[i], y[i], weight, row=i)
    model = streamed(model, X, y, 50, weights=weights)
    assert n_replays(model) > 20
    assert_same_solution(model, twin, **CLOSE)
    known = model.support_[model.support_ >= 0]
    assert len(np.unique(known)) == len(known)


@with_classes
def test_weights_of_arow_stand_for_the_class(n_classes):
    X, y = sorted_rows(n_classes)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(y))
    model = clone(ALL["arow"]).set_params(forgetting_factor=1.0)
    twin = KernelAROW(single, 1 if n_classes == 2 else n_classes, 25, model.r)
    numbers, costs = visits(y, weights, True)
    assert costs.max() > 2.0
    for i, weight in zip(numbers, costs, strict=True):
        twin.learn(X[i], y[i], weight)
    model = streamed(model, X, y, 50, weights=weights)
    assert n_replays(model) > 20
    found = model.decision_function(X).reshape(len(X), -1)
    assert_allclose(found, twin.decide(X), atol=2e-3)
    ours, theirs = (np.unique(vectors, axis=0) for vectors in (model.support_vectors_, twin.rows))
    assert_array_equal(ours, theirs)


# -- promises of streams ----------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name, n_classes", in_turn(ALL, [2, 3]))
def test_the_model_does_not_depend_on_chunks(name, n_classes):
    X, y = sorted_rows(n_classes)
    weights = np.random.default_rng(1).choice([0.0, 1.0, 3.0], len(y))
    model = clone(ALL[name]).set_params(class_weight={0: 0.5})
    whole = streamed(model, X, y, weights=weights)
    assert n_replays(whole) > 20
    assert whole.n_samples_seen_ == len(y)
    for size in (1, 7):
        other = streamed(model, X, y, size, weights=weights)
        assert_same(other, whole, X, atol_of(name))


@pytest.mark.sampled
@pytest.mark.parametrize("name, n_classes", in_turn(ALL, [2, 3]))
def test_sparse_samples_give_the_same_model(name, n_classes):
    X, y = sorted_rows(n_classes)
    dense, sparse = (streamed(ALL[name], layout(X), y, 40) for layout in (np.array, csr_matrix))
    assert n_replays(dense) > 20
    assert_same(sparse, dense, X, 1e-9)
    # The layout may change in mid-stream, in either direction.
    for layouts in [(np.array, csr_matrix), (csr_matrix, np.array)]:
        model = streamed(ALL[name], layouts[0](X[:150]), y[:150], 40)
        if len(np.unique(y[:150])) == n_classes:
            assert_same(go_on(model, layouts[1](X), y, 40, 150), dense, X, 1e-9)


@pytest.mark.sampled
@with_all
def test_training_continues_after_an_interrupt(name):
    X, y = sorted_rows(2)
    before, chunk = streamed(ALL[name], X[:150], y[:150], 50), slice(150, 230)
    assert n_replays(before)
    expected = pickle.loads(pickle.dumps(before)).partial_fit(X[chunk], y[chunk])
    go_on(expected, X, y, first=230)
    assert n_replays(expected) > n_replays(before) + 20
    total = n_lines(pickle.loads(pickle.dumps(before)).partial_fit, X[chunk], y[chunk])
    n_interrupted = 0
    for n in range(1, total + 1, 1 if name in ("pa", "arow") else max(1, total // 10)):
        stopped = pickle.loads(pickle.dumps(before))
        n_interrupted += Interrupt(n, stopped.partial_fit, X[chunk], y[chunk]).raised
        go_on(stopped, X, y, first=int(stopped.n_samples_seen_))
        assert_same(stopped, expected, X, atol_of(name))
    assert n_interrupted


class Failing:
    """The rbf kernel, which raises an error in one of its calls."""

    def __init__(self):
        self.n_calls, self.fails_at, self.error = 0, None, None

    def __call__(self, A, B):
        self.n_calls += 1
        if self.n_calls == self.fails_at:
            raise self.error
        return single(A, B)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ZeroDivisionError()], ids=str)
@pytest.mark.parametrize("kind", [pa, KernelAROWClassifier])
def test_errors_within_a_chunk(kind, error):
    """An interrupt keeps the samples before it, with their replays; an error keeps none."""
    X, y = sorted_rows(2, n=600)
    kernel, seen = Failing(), set()
    expected = streamed(kind(kernel=single, replay_size=SIZE), X, y, 200)
    for call in range(1, 30, 2):
        kernel.fails_at = None
        model = kind(kernel=kernel, replay_size=SIZE)
        go_on(model, X[:400], y[:400], 200, classes=[0, 1])
        former = outputs(model, X)
        kernel.fails_at, kernel.error = kernel.n_calls + call, error
        try:
            model.partial_fit(X[400:], y[400:])
        except type(error):
            if not isinstance(error, KeyboardInterrupt):
                kernel.fails_at = None
                for one, other in zip(outputs(model, X), former, strict=True):
                    assert_array_equal(one, other)
        seen.add(int(model.n_samples_seen_))
        kernel.fails_at = None
        go_on(model, X, y, 33, first=int(model.n_samples_seen_))
        assert_same(model, expected, X, 0.0 if kind is pa else 1e-6)
    assert len(seen) > (3 if isinstance(error, KeyboardInterrupt) else 1)
    assert n_replays(expected) > 50


class Keep:
    """A callback that keeps the copies of the model made during training."""

    def __init__(self):
        self.models = []

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self.models.append(fitted_estimator)


@pytest.mark.parametrize("kind", [pa, KernelAROWClassifier])
def test_copies_within_a_chunk_have_the_samples_before_it(kind):
    pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks since 1.9")
    X, y = sorted_rows(2, n=3500)
    model, keep = kind(gamma=GAMMA, max_support_vectors=25), Keep()
    expected = streamed(model, X, y)
    clone(model).set_callbacks(keep).partial_fit(X, y, [0, 1])
    numbers = [int(copied.n_samples_seen_) for copied in keep.models]
    assert len(set(numbers)) > 2
    for n, copied in zip(numbers, keep.models, strict=True):
        if n == len(y):
            assert_same(copied, expected, X)
        else:
            assert_same(go_on(copied, X, y, 500, first=n), expected, X, 1e-9)
    assert n_replays(expected) > 1000


# -- classes ----------------------------------------------------------------------------


@pytest.mark.sampled
@with_all
def test_new_classes_in_mid_stream(name):
    """Chunks and pickles do not matter; former classes are visited again with the new one."""
    X, y = sorted_rows(4, n=400)
    n_early = int(np.searchsorted(y, 2))
    former = streamed(ALL[name], X[:n_early], y[:n_early], 50)
    models = []
    for size in (1, 7, 1000):
        model = pickle.loads(pickle.dumps(former))
        n = n_early + 1
        model.partial_fit(X[n_early:n], y[n_early:n], classes=range(4))
        if size == 7:
            model = pickle.loads(pickle.dumps(model))
        models.append(go_on(model, X, y, size, first=n))
    assert n_replays(models[0]) > n_replays(former) + 50
    for model in models[1:]:
        assert_same(model, models[0], X, atol_of(name))


@with_classes
@pytest.mark.parametrize("name", ["pa", "pa-joint", "perceptron-margin", "arow", "pa, projection"])
def test_a_sorted_stream_is_learned_as_a_shuffled_one(name, n_classes):
    X, y = rows(900, n_classes, seed=5, noise=0.0)
    X, y, others = X[:600], y[:600], (X[600:], y[600:])
    order = np.argsort(y, kind="stable")
    model = clone(ALL[name]).set_params(replay_size=2000)
    if "projection" in name:
        model.set_params(max_support_vectors=50)
    without = clone(model).set_params(replay_size=0)
    errors = [
        1.0 - streamed(one, X[o], y[o], 50).score(*others)
        for one, o in [(model, slice(None)), (model, order), (without, order)]
    ]
    assert errors[1] < errors[0] + 0.05
    assert errors[2] > errors[1] + (0.0 if name == "arow" else 0.08)


@with_all
def test_nothing_is_replayed_in_a_shuffled_stream(name):
    X, y = rows(600, 3)
    model = streamed(ALL[name], X, y, 50)
    assert n_replays(model) == 0
    assert_same(model, streamed(ALL[name].set_params(replay_size=SIZE), X, y, 50), X)
    without = clone(ALL[name]).set_params(replay_size=0)
    assert_same(model, streamed(without, X, y, 50), X)
