"""States of many problems in flat arrays."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import LASVC
from tests.support.internals import engine_of, flattened, split
from tests.support.trainable import state_of


def states(n, seed=0):
    """States of problems of different sizes, some with further fields."""
    rng = np.random.default_rng(seed)
    for k in range(n):
        size = int(rng.integers(0, 9))
        few = np.array([-0.0, 0.0, 1.0, np.inf, np.nan])
        state = {
            "index": rng.integers(-1, 10 ** rng.integers(1, 9), size).astype(np.int32),
            "y": rng.choice([-1, 1], size).astype(np.int8),
            "row_id": rng.integers(-(2**40), 2**40, size),
            "alpha": rng.normal(size=size),
            "lower": rng.choice(few, size),
            "upper": np.full(size, -0.0),
            "diag": rng.choice([1.0, 0.5], size).astype(np.float32),
            "flow": rng.integers(0, 9, (3, 3)),
        }
        if k % 3 == 1:
            state["zeros"] = rng.integers(0, 200, k).astype(np.int32)
        yield state


@pytest.mark.parametrize("n", [1, 2, 300])
def test_states_keep_all_bits(n):
    before = list(states(n))
    assert state_of(split(pickle.loads(pickle.dumps(flattened(before))))) == state_of(before)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_integers_keep_their_type(dtype):
    ends = np.iinfo(dtype)
    for values in ([0], [-1, 0], [-128, 127], [-129], [128], [ends.min, ends.max]):
        state = {"values": np.array(values).astype(dtype)}
        (after,) = split(flattened([state]))
        assert_array_equal(after["values"], state["values"], strict=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [5, 200, 256, 257, 5000])
@pytest.mark.parametrize("n_distinct", [1, 2, 200, 256, 257, 5000])
def test_few_distinct_numbers_take_a_byte_each(n, n_distinct, dtype):
    """In arrays of more than 256 numbers, besides these: other ones take their own bytes."""
    values = np.resize(np.arange(min(n, n_distinct), dtype=dtype), n)
    flat, size = flattened([{"values": values}]), values.itemsize
    stored = flat["fields"]["values"]
    n_bytes = sum(stored[name].nbytes for name in {"table", "values"} & stored.keys())
    if n <= 256 or n_distinct > 256:
        assert n_bytes == n * size
    else:
        assert n_bytes == n_distinct * size + (n if n_distinct > 1 else 0)
    assert_array_equal(split(flat)[0]["values"], values, strict=True)


@pytest.mark.parametrize("n_distinct", [1, 255, 256])
def test_a_new_number_after_many_others(n_distinct):
    values = np.append(np.resize(np.arange(float(n_distinct)), 5000), -1.0)
    (after,) = split(flattened([{"values": values}]))
    assert_array_equal(after["values"], values, strict=True)


@pytest.mark.parametrize("n", [5, 5000])
@pytest.mark.parametrize("largest, size", [(100, 1), (200, 2), (10**4, 2), (10**9, 4)])
def test_integers_take_the_bytes_of_the_largest(largest, size, n):
    values = np.resize([0, largest], n)
    flat = flattened([{"values": values}])
    assert flat["fields"]["values"]["values"].nbytes == n * size


def many_classes(n_classes, n_of_class=4):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(n_classes), n_of_class)
    X = rng.normal(size=(n_classes, 5))[y] + 0.1 * rng.normal(size=(len(y), 5))
    order = rng.permutation(len(y))
    return LASVC(C=10.0, gamma=0.1, random_state=0).partial_fit(X[order], y[order], np.unique(y))


def test_stored_models_have_no_arrays_for_each_pair():
    few, many = many_classes(5), many_classes(30)
    assert len(engine_of(many).problems) == 435
    parts = [model._machine.as_dict()["engine"]["problems"] for model in (few, many)]
    assert len(parts[0]["fields"]) == len(parts[1]["fields"])
    # Two numbers in double precision, and little else, for each vector and each other class.
    n_members = sum(problem.members.n for problem in engine_of(many).problems)
    size = len(pickle.dumps(parts[1]))
    assert size < 32 * n_members + 400 * len(engine_of(many).problems)
