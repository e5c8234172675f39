"""Gathering the values of the support set from a kernel row over the store."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from sklearn_online_svm._core.kernel.rows.gather import Gather


def members_of(n_slots, share, n_moved, seed):
    """Return index and alive of members, a share of the store; all but some are in its order."""
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
def test_gathered_values_are_those_of_the_members(n_slots, share, n_moved, seed):
    index, alive = members_of(n_slots, share, n_moved, seed)
    if len(index) == 0:
        return
    row = np.random.default_rng(seed).normal(size=n_slots).astype(np.float32)
    values = Gather().gathered(row, index, alive)
    assert_array_equal(values[alive != 0], row[index][alive != 0])
    assert np.isfinite(values).all()


def test_adjacent_members_are_gathered_in_groups():
    index, alive = members_of(1000, 0.7, 30, seed=0)
    gather = Gather()
    gather.gathered(np.zeros(1000, np.float32), index, alive)
    assert gather.close
    assert gather.n_groups == len(index) // 16
    # The moved members, and the rest after the last group.
    assert gather.n_odd < 30 + 16


@pytest.mark.parametrize("share", [0.05, 1.0])
def test_distant_members_are_gathered_one_by_one(share):
    index, alive = members_of(2000, share, 0 if share < 1 else 2000, seed=0)
    gather = Gather()
    gather.gathered(np.zeros(2000, np.float32), index, alive)
    assert not gather.close
    assert gather.n_groups == 0


def test_members_outside_the_store_are_ignored():
    """Samples of the current block have negative indices, and so may free slots."""
    index, alive = members_of(300, 0.8, 0, seed=1)
    index[::7] = -5
    values = Gather().gathered(np.arange(300, dtype=np.float32), index, alive)
    stored = (alive != 0) & (index >= 0)
    assert_array_equal(values[stored], index[stored])
