"""Rungs and held-out samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import KFold, TimeSeriesSplit

from tests.support.internals import (
    HeldOut,
    StreamRungs,
    first_rung,
    make_splits,
    repeated_folds,
    rung_ends,
    stratified,
)


def splits(cv, order, y=None, *, is_classifier=False):
    return make_splits(cv, order, y, is_classifier=is_classifier, split_params={})


@given(st.integers(2, 10**6), st.one_of(st.none(), st.integers(1, 10**5)))
def test_rungs_grow_to_the_last_sample(n, first):
    found = rung_ends(n, first or first_rung(n, 2), exact=first is not None)
    assert found[-1] == n
    assert found[0] >= 1
    assert all(a <= b for a, b in zip(found, found[1:]))
    if first is not None and first < n:
        assert found[0] == first


@given(
    st.integers(1, 500),
    st.one_of(st.just(math.inf), st.integers(2, 5000)),
    st.integers(1, 200),
    st.booleans(),
)
def test_rungs_of_a_stream(first, most, n_candidates, continues):
    rungs = StreamRungs(first, most, n_candidates, continues=continues)
    ends = [rungs.end(rung) for rung in range(len(rungs.ends) + 4)]
    assert ends[0] == first
    assert all(a < b for a, b in zip(ends, ends[1:]))
    lengths = np.diff(ends, prepend=0)
    assert_array_equal(lengths, [rungs.length(rung) for rung in range(len(ends))])
    # After the race all rungs have the same length.
    assert len(set(lengths[len(rungs.ends) - 1 :])) == 1
    if math.isinf(most):
        assert not any(rungs.is_end(rung) for rung in range(len(ends)))
        n_halvings = len(rungs.ends) - 1
        assert max(n_candidates, 2) / 2**n_halvings < 1 + 1e-9
    elif not continues:
        assert rungs.ends[-1] == max(first, most)


@given(st.integers(2, 30_000), st.one_of(st.none(), st.floats(0.05, 0.9)))
def test_held_out_samples_are_not_trained_on(n, cv):
    order = np.random.default_rng(0).permutation(n)
    held_out, _ = splits(cv, order)
    assert_array_equal(np.concatenate([held_out.order, held_out.rest]), order)
    assert_array_equal(held_out.rest, held_out.test)
    assert 1 <= len(held_out.test) <= max(1, int((cv or 0.25) * n))
    if cv is None:
        assert len(held_out.test) <= 5000
    scored = [held_out.scored(n_trained) for n_trained in (1, 100, 1000, n)]
    assert all(len(a) <= len(b) for a, b in zip(scored, scored[1:]))
    assert_array_equal(scored[0], held_out.test[:1000])


@given(st.lists(st.integers(1, 300), min_size=1, max_size=6), st.integers(0, 99))
def test_each_part_of_a_stratified_order_has_all_classes_in_their_shares(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    given_order = np.random.default_rng(seed).permutation(len(y))
    order = stratified(given_order, y)
    assert_array_equal(np.sort(order), np.arange(len(y)))
    shares = np.array(counts) / len(y)
    for code, share in enumerate(shares):
        seen = np.cumsum(y[order] == code)
        # As many as the share of the samples before, within one of each class.
        assert np.all(np.abs(seen - share * np.arange(1, len(y) + 1)) <= 1 + len(counts) * share)
        # Those of a class keep their order.
        assert_array_equal(order[y[order] == code], given_order[y[given_order] == code])


def test_samples_of_a_rare_class_are_held_out_and_scored():
    y = np.repeat([0, 1], [59_700, 300])
    order = stratified(np.random.default_rng(0).permutation(60_000), y)
    held_out, _ = splits(None, order, y, is_classifier=True)
    assert y[held_out.test].sum() >= 20
    assert y[held_out.scored(125)].sum() >= 19
    assert not held_out.tells_classes_apart(1000)
    assert held_out.tells_classes_apart(4000)
    # 5 in 100 000: with the whole training part it is never too early.
    few = HeldOut(order, order[:50_000], order[50_000:], 5e-5)
    assert not few.tells_classes_apart(40_000)
    assert few.tells_classes_apart(50_000)


def test_one_split_keeps_the_order():
    order = np.random.default_rng(0).permutation(20)
    held_out, folds = splits([(np.arange(8), np.arange(10, 20))], order)
    assert_array_equal(held_out.order, [i for i in order if i < 8])
    assert_array_equal(held_out.test, [i for i in order if i >= 10])
    # The winner is also trained on samples in neither part.
    assert_array_equal(held_out.rest, [i for i in order if i >= 8])
    assert folds == []


def test_rungs_use_the_split_with_the_most_training_samples():
    held_out, folds = splits(TimeSeriesSplit(3), np.random.default_rng(0).permutation(40))
    assert len(folds) == 3
    assert max(held_out.order) < min(held_out.test)
    assert_array_equal(np.sort(held_out.order), folds[-1][0])


@pytest.mark.parametrize("cv", [KFold(5), 5])
def test_folds_are_those_of_the_splitter(cv):
    y = np.arange(60) % 3
    _, folds = splits(cv, np.random.default_rng(0).permutation(60), y, is_classifier=True)
    assert len(folds) == 5
    assert_array_equal(np.sort(np.concatenate([test for _, test in folds])), np.arange(60))


@pytest.mark.parametrize("n_folds", [3, 5])
@pytest.mark.parametrize("is_classifier", [True, False])
def test_every_sample_is_held_out_once_in_each_round_of_folds(n_folds, is_classifier):
    y, order = np.arange(60) % 3, np.random.default_rng(0).permutation(60)
    folds = repeated_folds(n_folds, order, y, is_classifier=is_classifier)
    assert len(folds) == 3 * n_folds
    for first in range(0, len(folds), n_folds):
        tests = [test for _, test in folds[first : first + n_folds]]
        assert_array_equal(np.sort(np.concatenate(tests)), np.arange(60))
    for train, test in folds:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(60))
        if is_classifier:
            assert np.ptp(np.bincount(y[test])) <= 1


def test_no_folds_of_a_class_with_less_samples():
    y = np.repeat([0, 1], [96, 4])
    assert repeated_folds(5, np.arange(100), y, is_classifier=True) == []
    assert len(repeated_folds(3, np.arange(100), y, is_classifier=True)) == 9
