"""Rungs, folds and held-out samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import KFold, TimeSeriesSplit

from tests.support.internals import (
    StreamRungs,
    first_rung,
    make_folds,
    n_scored_at,
    rung_ends,
    stratified,
)


def folds_of(cv, order, y=None, *, is_classifier=False, shuffle=True):
    return make_folds(cv, order, y, is_classifier=is_classifier, shuffle=shuffle, split_params={})


@given(st.integers(2, 10**6), st.one_of(st.none(), st.integers(1, 10**5)))
def test_rungs_double_below_the_number_of_samples(n, first):
    if first is None:
        first = first_rung(2, 0.1, n)
        assert 1 <= first <= max(1, n / 4)
    assert rung_ends(n, first) == [first * 2**k for k in range(20) if first * 2**k < n]


@given(
    st.integers(1, 500), st.one_of(st.just(math.inf), st.integers(2, 5000)), st.integers(1, 200)
)
def test_rungs_of_a_stream(first, most, n_candidates):
    rungs = StreamRungs(first, most, n_candidates)
    assert rungs.ends[0] == first
    lengths = [rungs.length(rung) for rung in range(len(rungs.ends) + 3)]
    assert_array_equal(np.cumsum(lengths)[: len(rungs.ends)], rungs.ends)
    assert len(set(lengths[len(rungs.ends) - 1 :])) == 1 and min(lengths) > 0
    assert all(b <= 2 * a for a, b in zip(rungs.ends, rungs.ends[1:]))
    if math.isinf(most):
        assert 2 ** (len(rungs.ends) - 1) >= n_candidates > 2 ** (len(rungs.ends) - 3)
    else:
        assert rungs.ends[-1] == max(first, most)


@given(st.integers(2, 30_000), st.one_of(st.none(), st.floats(0.05, 0.9)))
def test_held_out_samples_are_the_last_ones(n, cv):
    order = np.random.default_rng(0).permutation(n)
    ((train, test),), n_folds = folds_of(cv, order, shuffle=False)
    assert n_folds == 1
    assert_array_equal(np.concatenate([train, test]), order)
    assert 1 <= len(test) <= max(1, int((cv or 0.25) * n))
    if cv is None:
        assert len(test) <= 5000


@given(st.integers(1, 10**5), st.floats(1e-3, 1))
def test_the_rarest_class_has_samples_that_are_scored(n, share):
    found = n_scored_at(n, share)
    assert found >= max(1000, 4 * n)
    assert found * share > 19 - share
    assert first_rung(2, share) * share > 9


@given(st.lists(st.integers(1, 300), min_size=1, max_size=6), st.integers(0, 99))
def test_each_part_of_a_stratified_order_has_all_classes_in_their_shares(counts, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    given_order = np.random.default_rng(seed).permutation(len(y))
    order = stratified(given_order, y)
    assert_array_equal(np.sort(order), np.arange(len(y)))
    # The first samples contain the same share of each class, rounded to a number of samples.
    seen = np.cumsum(y[order][:, None] == np.arange(len(counts)), axis=0)
    least, most = (seen - 0.5) / counts, (seen + 0.5) / counts
    assert np.all(least.max(axis=1) <= most.min(axis=1) + 1e-12)
    for code in range(len(counts)):
        # Those of a class keep their order.
        assert_array_equal(order[y[order] == code], given_order[y[given_order] == code])


def test_samples_of_a_rare_class_are_held_out():
    y = np.repeat([0, 1], [59_700, 300])
    order = stratified(np.random.default_rng(0).permutation(60_000), y)
    ((_, test),), _ = folds_of(None, order, y, is_classifier=True)
    assert y[test].sum() >= 20
    assert y[test[: n_scored_at(125, 300 / 60_000)]].sum() >= 19


def test_one_split_keeps_the_order():
    order = np.random.default_rng(0).permutation(20)
    ((train, test),), n_folds = folds_of([(np.arange(8), np.arange(10, 20))], order)
    assert n_folds == 1
    assert_array_equal(train, [i for i in order if i < 8])
    assert_array_equal(test, [i for i in order if i >= 10])


def test_rungs_use_the_split_with_the_most_training_samples():
    folds, n_folds = folds_of(TimeSeriesSplit(3), np.random.default_rng(0).permutation(40))
    assert n_folds == 3
    assert [len(train) for train, _ in folds] == [30, 20, 10]
    assert all(max(train) < min(test) for train, test in folds)


def test_a_splitter_sees_the_samples_that_are_used_in_the_order_of_the_caller():
    order = np.random.default_rng(0).permutation(40)[:30]
    folds, _ = folds_of(KFold(3), order)
    assert_array_equal(np.concatenate([np.sort(test) for _, test in folds]), np.sort(order))


@pytest.mark.parametrize("cv, n_folds, n_rounds", [(KFold(5), 5, 1), (5, 5, 1), (None, 3, 3)])
@pytest.mark.parametrize("is_classifier", [True, False])
def test_every_sample_is_held_out_once_in_each_round_of_folds(
    cv, n_folds, n_rounds, is_classifier
):
    y, order = np.arange(60) % 3, np.random.default_rng(0).permutation(60)
    folds, n_found = folds_of(cv, order, y, is_classifier=is_classifier)
    assert (n_found, len(folds)) == (n_folds, n_folds * n_rounds)
    for first in range(0, len(folds), n_folds):
        tests = [test for _, test in folds[first : first + n_folds]]
        assert_array_equal(np.sort(np.concatenate(tests)), np.arange(60))
    for train, test in folds:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(60))
        if is_classifier and not isinstance(cv, KFold):
            assert np.ptp(np.bincount(y[test])) <= 1


@pytest.mark.parametrize("n, n_rare, shuffle", [(100, 2, True), (100, 50, False), (8001, 9, True)])
def test_one_split_with_a_rare_class_without_shuffling_and_of_many_samples(n, n_rare, shuffle):
    y = np.repeat([0, 1], [n - n_rare, n_rare])
    folds, n_folds = folds_of(None, np.arange(n), y, is_classifier=True, shuffle=shuffle)
    assert len(folds) == n_folds == 1
