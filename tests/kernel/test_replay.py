"""Replay: sorted streams in chunks of any size, copies, predictions in between."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal, assert_equal
from scipy.sparse import csr_matrix

from tests.support.cases import in_turn
from tests.support.copies import COPIES
from tests.support.internals import (
    engine_of,
    has_joint_solution,
    replayed_samples,
    reservoir_of,
    training_state,
)
from tests.support.sorted_streams import JOINT, REPLAYING, SIZE, learn, new, stream, values

with_replaying = pytest.mark.parametrize("name", REPLAYING)
LAYOUTS = {
    "dense": np.asarray,
    "csr": csr_matrix,
    "float32": np.float32,
    "csr, float32": lambda X: csr_matrix(X.astype(np.float32)),
}


def check_replays(name, model):
    """Check that samples were replayed, that none is stored twice, and the bound of memory."""
    reservoir, samples = reservoir_of(model), reservoir_of(model).samples
    assert reservoir.n_replays > 10 and reservoir.n == SIZE
    assert len(np.unique(samples["row_id"])) == reservoir.n
    assert has_joint_solution(model) == (name in JOINT)
    for problem in engine_of(model).problems:
        row_ids = problem.members["row_id"][problem.slots()]
        assert len(np.unique(row_ids)) == len(row_ids)
    assert len(np.unique(model.support_)) == len(model.support_)


def check_same_training(model, other):
    """Compare all that training continues from."""
    for ours, theirs in zip(engine_of(model).problems, engine_of(other).problems, strict=True):
        for field in ("row_id", "alpha", "g", "lower", "upper"):
            mine, yours = (p.members[field][p.slots()] for p in (ours, theirs))
            assert_array_equal(mine, yours, err_msg=field)
    assert_equal(reservoir_of(model).state(), reservoir_of(other).state())
    for mine, yours in zip(replayed_samples(model), replayed_samples(other), strict=True):
        mine, yours = (v.toarray() if hasattr(v, "toarray") else v for v in (mine, yours))
        assert_array_equal(mine, yours)


def check_same(model, other, X):
    """Compare training and predictions: the same bits.

    Slots of a vector store that several problems share depend on how a stream is divided; so do
    the last bits of sums over them.
    """
    check_same_training(model, other)
    assert model.n_samples_seen_ == other.n_samples_seen_
    assert_array_equal(np.sort(model.support_), np.sort(other.support_))
    is_exact = len(engine_of(model).problems) == 1 or (
        model.finishing and has_joint_solution(model)
    )
    tolerance = 0.0 if is_exact else 1e-12
    np.testing.assert_allclose(values(model, X), values(other, X), rtol=0, atol=tolerance)


@pytest.mark.sampled
@pytest.mark.parametrize("name, layout, finishing", in_turn(REPLAYING, LAYOUTS, [True, False]))
def test_chunks_of_any_size(name, layout, finishing):
    X, y = stream(name)
    X = LAYOUTS[layout](X)
    models = [new(name, finishing=finishing) for _ in range(3)]
    for model, size in zip(models, (1, 7, None), strict=True):
        learn(name, model, X[:250], y[:250], size)
    for other in models[1:]:
        check_same(other, models[0], X)
    for model, size in zip(models, (None, 1, 7), strict=True):
        learn(name, model, X[250:], y[250:], size)
    check_replays(name, models[0])
    for other in models[1:]:
        check_same(other, models[0], X)


@pytest.mark.sampled
@pytest.mark.parametrize("name, kind", in_turn(REPLAYING, COPIES))
def test_copy_in_mid_stream(name, kind, tmp_path):
    """The copy continues with the same bits, also the solution for predictions."""
    X, y = stream(name)
    n = len(y) * 3 // 5
    second = n + 10
    model = learn(name, new(name), X[:n], y[:n], 50)
    values(model, X)
    copied = COPIES[kind](model, tmp_path)
    for at in (n, n + 10, len(y) - 60, len(y) - 20):
        for one in (model, copied):
            learn(name, one, X[n : at + 10], y[n : at + 10], 3)
        if at != second:
            assert_array_equal(values(copied, X), values(model, X))
        n = at + 10
        (tmp_path / str(at)).mkdir()  # a memory-mapped file must not change
        copied = COPIES[kind](copied, tmp_path / str(at))
    for one in (model, copied):
        learn(name, one, X[n:], y[n:])
    check_replays(name, model)
    check_same(copied, model, X)


@pytest.mark.sampled
@with_replaying
def test_predictions_change_nothing(name):
    """Neither training nor the next prediction, whatever is read and stored in between."""
    X, y = stream(name)
    model, other = new(name), new(name)
    for at in range(0, len(y), 40):
        part = slice(at, at + 40)
        for one in (model, other):
            learn(name, one, X[part], y[part])
        if at >= 160:
            expected = values(model, X)
            for attribute in ("dual_objective_", "duality_gap_", "dual_coef_"):
                getattr(model, attribute)
            assert_array_equal(values(model, X), expected)
            assert_array_equal(values(COPIES["pickle"](model, None), X), expected)
            values(other, X)
            assert_array_equal(values(other, X), values(model, X))
    silent = learn(name, new(name), X, y)
    check_replays(name, silent)
    check_same_training(model, silent)


@pytest.mark.sampled
@with_replaying
def test_shuffled_stream(name):
    """Nothing is replayed: the same bits as without a reservoir."""
    X, y = stream(name, shuffled=True)
    model, other = new(name), new(name, replay_size=0)
    for one in (model, other):
        learn(name, one, X, y, 30)
    assert reservoir_of(model).n_replays == 0 and training_state(other)["replay"] is None
    assert_equal(training_state(model)["engine"], training_state(other)["engine"])
    assert_array_equal(values(model, X), values(other, X))


@pytest.mark.parametrize("name", ["lasvr", "lasvr, squared"])
def test_chunks_of_long_streams(name):
    """Regression test: a look at the number of support vectors was taken as a prediction."""
    X, y = stream(name)
    X, y = np.vstack([X, X]), np.concatenate([y, y])
    models = [learn(name, new(name), X, y, size) for size in (1, 90, None)]
    assert all(training_state(model)["joint"] is None for model in models)
    for other in models[1:]:
        check_same(other, models[0], X)
