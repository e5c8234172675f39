"""Values of members out of rows over the store."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_online_svm._core.kernel.gather import Gather


def members_of(n_slots, share, n_moved, seed):
    """Members that keep a share of a store in its order, but for some: index and alive."""
    rng = np.random.default_rng(seed)
    index = np.flatnonzero(rng.random(n_slots) < share).astype(np.int32)
    moved = rng.choice(len(index), min(n_moved, len(index)), replace=False)
    index[moved] = rng.permutation(index[moved])
    alive = (rng.random(len(index)) < 0.9).astype(np.int8)
    return index, alive


@given(
    n_slots=st.integers(1, 700),
    share=st.sampled_from([0.1, 0.3, 0.6, 0.9, 1.0]),
    n_moved=st.sampled_from([0, 3, 40, 1000]),
    seed=st.integers(0, 2**16),
)
def test_each_member_gets_its_value(n_slots, share, n_moved, seed):
    index, alive = members_of(n_slots, share, n_moved, seed)
    if len(index) == 0:
        return
    row = np.random.default_rng(seed).normal(size=n_slots).astype(np.float32)
    values = Gather().gathered(row, index, alive)
    assert_array_equal(values[alive != 0], row[index][alive != 0])
    assert np.isfinite(values).all()


def test_neighbours_are_gathered_in_groups():
    index, alive = members_of(1000, 0.7, 30, seed=0)
    gathering = Gather()
    gathering.gathered(np.zeros(1000, np.float32), index, alive)
    assert gathering.close
    assert gathering.n_groups == len(index) // 16
    # Those that were moved, and what is left behind the last group.
    assert gathering.n_odd < 30 + 16


@pytest.mark.parametrize("share", [0.05, 1.0])
def test_members_far_apart_are_fetched_one_by_one(share):
    index, alive = members_of(2000, share, 0 if share < 1 else 2000, seed=0)
    gathering = Gather()
    gathering.gathered(np.zeros(2000, np.float32), index, alive)
    assert not gathering.close
    assert gathering.n_groups == 0


def test_members_that_are_not_in_the_store_do_no_harm():
    """Rows of the running block have negative places, and so may free slots."""
    index, alive = members_of(300, 0.8, 0, seed=1)
    index[::7] = -5
    values = Gather().gathered(np.arange(300, dtype=np.float32), index, alive)
    stored = (alive != 0) & (index >= 0)
    assert_array_equal(values[stored], index[stored])
