"""Counts of classes that tell whether a stream is sorted."""

import numpy as np
import pytest

from sklearn_online_svm._core.class_order import add_to_class_order


def is_reported(codes, n_classes=2, size=1000):
    """Whether a chunk of the stream is reported."""
    counts = None
    for first in range(0, len(codes), size):
        chunk = codes[first : first + size].astype(np.int32)
        counts, reason = add_to_class_order(counts, n_classes, chunk)
        if reason is not None:
            return True
    return False


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98, 0.99, 0.999, 0.9999])
@pytest.mark.parametrize("size", [1, 100, 10_000])
def test_random_orders_are_not_reported(share, size):
    """A rare class leaves runs of many thousand samples of the other one."""
    for seed in range(3 if size == 1 else 30):
        rng = np.random.default_rng(seed)
        codes = rng.random(2000 if size == 1 else 200_000) < share
        assert not is_reported(codes, size=size)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("size", [1, 7, 1000, 10_000])
def test_a_run_is_reported_that_a_random_order_does_not_have(share, size):
    rng = np.random.default_rng(0)
    before, after = (rng.random(2000) < share for _ in range(2))
    n = 500 if share < 0.99 else 6000
    for length in (n // 2, n + 100):
        codes = np.concatenate([before, np.ones(length), after])
        # At the end of the run, or within a chunk.
        assert is_reported(codes, size=size) == (length > n)
        assert is_reported(codes[: 2000 + length], size=size) == (length > n)


def test_a_run_of_a_new_class_is_not_reported():
    codes = np.concatenate([np.tile([0, 1], 500), np.full(2000, 2)])
    assert not is_reported(codes, 3)
    assert is_reported(np.concatenate([codes, np.tile([0, 1], 500), np.full(2000, 2)]), 3)
