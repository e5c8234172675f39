"""Rungs and held-out samples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.model_selection import KFold, TimeSeriesSplit

from sklearn_online_svm.model_selection._samples import (
    StreamRungs,
    first_rung,
    make_folds,
    rung_ends,
)


@given(st.integers(2, 10**6), st.floats(1.01, 10), st.one_of(st.none(), st.integers(1, 10**5)))
def test_rungs_grow_to_the_last_sample(n, factor, first):
    found = rung_ends(n, first or first_rung(n, 2), factor, exact=first is not None)
    assert found[-1] == n
    assert found[0] >= 1
    assert all(a <= b for a, b in zip(found, found[1:]))
    if first is not None and first < n:
        assert found[0] == first


@given(
    st.integers(1, 500),
    st.floats(1.1, 5),
    st.one_of(st.just(math.inf), st.integers(2, 5000)),
    st.integers(1, 200),
    st.booleans(),
)
def test_rungs_of_a_stream(first, factor, most, n_candidates, continues):
    rungs = StreamRungs(first, factor, most, n_candidates, continues=continues)
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
        assert max(n_candidates, 2) / factor**n_halvings < 1 + 1e-9
    elif not continues:
        assert rungs.ends[-1] == max(first, most)


@given(st.integers(2, 30_000), st.one_of(st.none(), st.floats(0.05, 0.9)))
def test_held_out_samples_are_not_trained_on(n, cv):
    order = np.random.default_rng(0).permutation(n)
    folds = make_folds(cv, order, None, is_classifier=False, split_params={})
    held_out = folds.test
    assert_array_equal(np.concatenate([folds.order, folds.rest]), order)
    assert_array_equal(folds.rest, held_out)
    assert 1 <= len(held_out) <= max(1, int((cv or 0.25) * n))
    if cv is None:
        assert len(held_out) <= 5000
    scored = [folds.scoring(n_trained)[0] for n_trained in (1, 100, 1000, n)]
    assert all(len(a) <= len(b) for a, b in zip(scored, scored[1:]))
    assert_array_equal(scored[0], held_out[:1000])


def test_folds_train_and_score_on_different_samples():
    order = np.random.default_rng(0).permutation(50)
    folds = make_folds(5, order, np.zeros(50), is_classifier=False, split_params={})
    for train, test in zip(folds.training(0, 50), folds.scoring(10)):
        assert sorted([*train, *test]) == list(range(50))
    assert [len(part) for part in folds.training(0, 25)] == [
        25 - np.isin(order[:25], test).sum() for _, test in folds.splits
    ]


def test_one_split_keeps_the_order():
    order = np.random.default_rng(0).permutation(20)
    split = [(np.arange(8), np.arange(10, 20))]
    folds = make_folds(split, order, None, is_classifier=False, split_params={})
    assert_array_equal(folds.order, [i for i in order if i < 8])
    assert_array_equal(folds.test, [i for i in order if i >= 10])
    # The winner is also trained on samples in neither part.
    assert_array_equal(folds.rest, [i for i in order if i >= 8])


def test_models_are_trained_on_the_training_part_alone():
    order = np.random.default_rng(0).permutation(40)
    folds = make_folds(TimeSeriesSplit(3), order, None, is_classifier=False, split_params={})
    for train, test in zip(folds.training(0, 40), folds.scoring(40)):
        assert max(train) < min(test)


@pytest.mark.parametrize("cv", [KFold(3), 3])
def test_every_sample_is_held_out_once(cv):
    folds = make_folds(cv, np.arange(30), np.zeros(30), is_classifier=False, split_params={})
    assert_array_equal(np.sort(np.concatenate(folds.scoring(20))), np.arange(30))
