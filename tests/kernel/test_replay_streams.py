"""Streams that replay: invalid chunks, new classes, weights, parameters, threads, kernels."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal, assert_equal
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from sklearn_online_svm import LASVC
from sklearn_online_svm.kernel import ColumnKernel
from tests.kernel.test_replay import check_replays, check_same, check_same_training, with_replaying
from tests.support.cases import in_turn
from tests.support.copies import COPIES
from tests.support.internals import (
    Vectors,
    engine_of,
    has_joint_solution,
    replayed_samples,
    reservoir_end,
    reservoir_of,
    spec_of,
    training_state,
)
from tests.support.sorted_streams import REPLAYING, SIZE, learn, new, stream, values


def half(name, **params):
    """Return a model in mid-stream, after a prediction, and the next samples."""
    X, y = stream(name)
    n = len(y) * 3 // 4
    model = learn(name, new(name, **params), X[:n], y[:n], 60)
    values(model, X)
    return model, X, y, n


# -- errors -----------------------------------------------------------------------------


@pytest.mark.sampled
@with_replaying
def test_invalid_chunks(name):
    model, X, y, n = half(name)
    before, rest = training_state(model), slice(n, n + 40)
    bad = X[rest].copy()
    bad[20, 0] = np.nan
    labels = y[rest].copy()
    labels[-1] = 17 if labels.dtype.kind == "i" else np.inf
    for chunk in ((bad, y[rest]), (X[rest], labels), (X[rest, :2], y[rest]), (X[rest], y[:3])):
        with pytest.raises(ValueError):
            model.partial_fit(*chunk)
    with pytest.raises(ValueError, match="sample_weight"):
        model.partial_fit(X[rest], y[rest], sample_weight=-np.ones(40))
    assert_equal(training_state(model), before)


class Failing:
    """Kernel function that raises an error in its n-th call."""

    def __init__(self):
        self.calls_left = -1

    def __call__(self, A, B):
        self.calls_left -= 1
        if self.calls_left == 0:
            raise ZeroDivisionError
        return np.exp(-0.3 * cdist(A, B, "sqeuclidean"))


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["lasvm", "pairs", "lasvm-g, 4 classes", "lasvr"])
def test_errors_of_a_kernel_function(name):
    """Training has the blocks before it; predictions and ``finish`` change nothing."""
    model, X, y, n = half(name, kernel=Failing(), cache_size=1e-3)
    learn(name, model, X[n : n + 10], y[n : n + 10])
    n += 10
    expected = values(COPIES["pickle"](model, None), X)
    for deed in (lambda m: values(m, X), lambda m: m.finish()):
        before = COPIES["pickle"](model, None)
        for at in (1, 2, 5):
            model.kernel.calls_left = at
            try:
                deed(model)
            except ZeroDivisionError:
                check_same_training(model, before)
                assert_equal(training_state(model)["joint"], training_state(before)["joint"])
            else:
                break
        model.kernel.calls_left = -1
        assert_allclose(values(model, X), expected, atol=0.05)
    for at in (1, 3, 5):
        model, X, y, n = half(name, kernel=Failing(), cache_size=1e-3)
        model.kernel.calls_left = at
        with pytest.raises(ZeroDivisionError):
            model.partial_fit(X[n:], y[n:])
        model.kernel.calls_left, seen = -1, model.n_samples_seen_
        assert_equal(
            reservoir_of(model).state(),
            reservoir_of(learn(name, new(name), X[:seen], y[:seen])).state(),
        )
        learn(name, model, X[seen:], y[seen:], 20)
        assert_equal(
            reservoir_of(model).state(), reservoir_of(learn(name, new(name), X, y)).state()
        )


@pytest.mark.parametrize("name", ["lasvm", "pairs", "lasvr", "lasvr, 2 outputs"])
@pytest.mark.parametrize("method", ["put", "take"])
@pytest.mark.parametrize("layout", [np.asarray, csr_matrix])
def test_lack_of_memory(name, method, layout, monkeypatch):
    """A chunk that cannot be stored leaves reservoir and model unchanged."""
    X, y = stream(name)
    X, n = layout(X), len(y) * 3 // 4
    model = learn(name, new(name), X[:n], y[:n], 60)
    work, calls = getattr(Vectors, method), []

    def limited(*arguments):
        calls.append(None)
        if len(calls) == at:
            raise MemoryError
        return work(*arguments)

    for at in (1, 2):
        before = COPIES["pickle"](model, None)
        with monkeypatch.context() as patch:
            patch.setattr(Vectors, method, limited)
            calls.clear()
            try:
                model.partial_fit(X[n : n + 30], y[n : n + 30])
            except MemoryError:
                check_same_training(model, before)
            else:
                assert len(calls) < at
                n += 30
    learn(name, model, X[n:], y[n:], 20)
    check_same_training(model, learn(name, new(name), X, y))


# -- classes and weights ----------------------------------------------------------------


@pytest.mark.parametrize("kind", [None, "pickle"])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_new_classes(multi_class, kind):
    """Their arrival replays the old ones: the error is close to that of ``fit``."""
    X, y = stream("pairs")
    labels = np.array([30, 10, 40, 20])[y]
    params = dict(C=2.0, gamma=0.3, multi_class=multi_class)
    model = LASVC(**params, replay_size=2 * SIZE)
    model.partial_fit(X[y < 2], labels[y < 2], classes=[10, 30])
    before = dict(zip(*known(model), strict=True))
    if kind is not None:
        values(model, X)
        model = COPIES[kind](model, None)
    model.partial_fit(X[y == 2], labels[y == 2], classes=[10, 30, 40])
    model.partial_fit(X[y == 3], labels[y == 3], classes=[10, 20, 30, 40])
    reservoir = reservoir_of(model)
    for row_id, label in zip(*known(model), strict=True):
        assert label == labels[row_id] and before.get(row_id, label) == label
    assert reservoir.n_replays > 50
    assert reservoir.classes["count"].tolist() == [np.sum(labels == c) for c in model.classes_]
    check_unique(model)
    whole, silent = LASVC(**params).fit(X, labels), LASVC(**params, replay_size=0)
    silent.partial_fit(X[y < 2], labels[y < 2], classes=[10, 30])
    silent.partial_fit(X[y >= 2], labels[y >= 2], classes=[10, 20, 30, 40])
    score, best, worst = (m.score(X, labels) for m in (model, whole, silent))
    assert score > best - 0.08 and score > worst


def known(model):
    """Return numbers and labels of the stored samples."""
    samples = reservoir_of(model).samples
    return samples["row_id"].tolist(), model.classes_[samples["code"]].tolist()


def check_unique(model):
    """Check that no sample is twice among the support vectors of a problem."""
    assert len(np.unique(model.support_)) == len(model.support_)
    for problem in engine_of(model).problems:
        row_ids = problem.members["row_id"][problem.slots()]
        assert len(np.unique(row_ids)) == len(row_ids)


@pytest.mark.sampled
@with_replaying
def test_sample_weights(name):
    """Samples of weight 0 are never stored, and a chunk without weight changes nothing."""
    X, y = stream(name)
    weights = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(y))
    if name == "hard":
        weights = np.minimum(weights, 1.0)
    models = [learn(name, new(name), X, y, size, weights) for size in (1, 7, None)]
    samples = reservoir_of(models[0]).samples
    assert (weights[samples["row_id"]] > 0.0).all()
    vectors, _ = replayed_samples(models[0])
    assert_array_equal(vectors, X[samples["row_id"]])
    for other in models[1:]:
        check_same(other, models[0], X)
    check_unique(models[0])
    before = reservoir_of(models[0]).state()
    models[0].partial_fit(X[:30], y[:30], sample_weight=np.zeros(30))
    assert_equal(reservoir_of(models[0]).state(), before)


def test_class_weights():
    X, y = stream("pairs")
    weight = {0: 0.0, 1: 4.0, 2: 0.25}
    model = learn("pairs", new("pairs", class_weight=weight), X, y, 40)
    samples = reservoir_of(model).samples
    assert set(samples["code"]) == {1, 2, 3}
    assert_array_equal(samples["cost"], 2.0 * np.array([0.0, 4.0, 0.25, 1.0])[samples["code"]])


# -- parameters -------------------------------------------------------------------------


@pytest.mark.sampled
@with_replaying
def test_changes_of_the_size(name):
    """A reservoir of another size begins anew, and so does the solution for predictions."""
    model, X, y, n = half(name)
    for size in (30, 0, 45):
        model.set_params(replay_size=size)
        learn(name, model, X[n:], y[n:], 20)
        values(model, X)
        if size == 0:
            assert training_state(model)["replay"] is None
            assert training_state(model)["joint"] is None
        else:
            reservoir = reservoir_of(model)
            assert reservoir.n <= size and reservoir.n_seen == len(y) - n
            assert training_state(model)["joint"] is None or has_joint_solution(model)
    model.set_params(replay_size=0).finish()
    assert training_state(model)["replay"] is None


@pytest.mark.parametrize(
    "params", [dict(replay_size=0), dict(window_size=50), dict(algorithm="lasvm-full")]
)
def test_models_without_reservoir(params):
    X, y = stream("lasvm")
    model = learn("lasvm", new("lasvm", **params), X, y, 60)
    state = training_state(model)
    assert state["replay"] is None and state["joint"] is None
    if "algorithm" not in params:
        regressor = learn("lasvr", new("lasvr", max_support_vectors=20), *stream("lasvr"), 60)
        assert training_state(regressor)["replay"] is None


def test_parameters_reach_the_solution_for_predictions():
    model, X, y, n = half("lasvm")
    learn("lasvm", model, X[n : n + 10], y[n : n + 10])
    values(model, X)
    model.set_params(tol=1e-6)
    learn("lasvm", model, X[n + 10 :], y[n + 10 :])
    values(model, X)
    assert model.duality_gap_[0] < 1e-3


@pytest.mark.parametrize("name", ["lasvm", "pairs", "lasvr, 2 outputs", "lasvm-g, 4 classes"])
def test_fit_before_the_stream(name):
    """Only the stream is stored, whose samples follow those of ``fit``."""
    X, y = stream(name)
    rng = np.random.default_rng(1)
    some = rng.permutation(len(y))[:80]
    models = [new(name).fit(X[some], y[some]) for _ in range(3)]
    for model, size in zip(models, (1, 7, None), strict=True):
        learn(name, model, X, y, size)
    assert reservoir_of(models[0]).samples["row_id"].min() >= 80
    check_replays(name, models[0])
    for other in models[1:]:
        check_same(other, models[0], X)


# -- layouts, kernels, threads ----------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["lasvm", "pairs", "lasvr", "linear"])
@pytest.mark.parametrize("first", [csr_matrix, np.asarray])
def test_layouts_in_turn(name, first):
    """Chunks of another layout than the first one; of any size."""
    X, y = stream(name)
    other = np.asarray if first is csr_matrix else csr_matrix
    models = [learn(name, new(name), first(X[:40]), y[:40]) for _ in range(3)]
    for model, size in zip(models, (1, 7, None), strict=True):
        learn(name, model, other(X[40:]), y[40:], size)
    check_replays(name, models[0])
    for model in models[1:]:
        check_same(model, models[0], X)
    check_same_training(learn(name, new(name), X, y), models[0])


KERNELS = {
    "linear": dict(kernel="linear"),
    "poly": dict(kernel="poly", coef0=1.0, degree=2),
    "function": dict(kernel=Failing()),
    "columns": dict(kernel=ColumnKernel([("rbf", [0, 1]), ("overlap", [2])])),
    "product": dict(kernel=ColumnKernel([("rbf", [0, 1]), ("overlap", [2])], combine="product")),
}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "name, kernel", in_turn(["lasvm", "pairs", "lasvm-g, 4 classes", "lasvr"], KERNELS)
)
def test_kernels(name, kernel):
    X, y = stream(name)
    X[:, 2] = np.round(X[:, 2])
    models = [learn(name, new(name, **KERNELS[kernel]), X, y, size) for size in (1, 7, None)]
    check_replays(name, models[0])
    for model in models[1:]:
        check_same(model, models[0], X)
    check_same(COPIES["pickle"](models[0], None), models[0], X)


@pytest.mark.filterwarnings("ignore:Kernel values are rounded")
@pytest.mark.parametrize("name", ["linear", "lasvr"])
def test_origin_of_far_features(name):
    """The origin moves in mid-stream; decision values are those of features near the origin."""
    X, y = stream(name)
    params = dict(kernel="linear")
    near = learn(name, new(name, **params), X, y, 60)
    far = learn(name, new(name, **params), X + 1e4, y, 60)
    assert spec_of(far).offset is not None
    check_replays(name, far)
    differences = np.abs(values(far, X + 1e4) - values(near, X))
    # With several classes these are votes, of which those of pairs near 0 may differ.
    assert np.mean(differences > 0.05 * np.ptp(values(near, X))) < 0.1


@pytest.mark.sampled
@pytest.mark.parametrize("name", REPLAYING)
def test_two_threads(name):
    X, y = stream(name)
    model, other = new(name, n_jobs=2), new(name)
    for one in (model, other):
        learn(name, one, X, y, 90)
        values(one, X)
    check_same_training(model, other)
    assert_array_equal(values(model, X), values(other, X))


@pytest.mark.parametrize("name", ["lasvm", "pairs", "lasvr"])
def test_predictions_and_copies_of_another_thread(name):
    """They change no training, and a copy made in the middle of a chunk can continue."""
    model, X, y, n = half(name)
    other, errors, done = COPIES["pickle"](model, None), [], threading.Event()
    copies = []

    def read():
        try:
            while not done.is_set():
                values(model, X[:20])
                copies.append(COPIES["pickle"](model, None))
        except BaseException as error:
            errors.append(error)
            raise

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(3):
        learn(name, model, X[n:], y[n:], 70)
    done.set()
    reader.join(60)
    assert not errors and copies
    for _ in range(3):
        learn(name, other, X[n:], y[n:], 70)
    check_same_training(model, other)
    for copied in copies[:: max(1, len(copies) // 10)]:
        learn(name, copied, X[:5], y[:5])
        check_unique(copied)
        assert len(np.unique(reservoir_of(copied).samples["row_id"])) <= SIZE


@pytest.mark.parametrize("name", ["lasvm", "4 classes", "lasvr"])
def test_finish_uses_a_reservoir_that_it_removes(name):
    """Regression test: ``set_params(replay_size=0).finish()`` optimized without the reservoir."""
    X, y = stream(name)
    kept, removed = (learn(name, new(name), X, y, 60) for _ in range(2))
    assert has_joint_solution(kept)
    kept.finish()
    removed.set_params(replay_size=0).finish()
    assert_array_equal(values(removed, X), values(kept, X))
    assert reservoir_end(removed) is None
