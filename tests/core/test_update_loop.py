"""The update loop without an estimator."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm._core.linear.queries import ALL, LabelQueries, SelectiveSampler
from sklearn_online_svm._core.linear.rows import Dataset
from sklearn_online_svm._core.linear.update_loop import DONE, LABEL_NEEDED, NOT_FINITE
from sklearn_online_svm._updates import UpdateSpec
from sklearn_online_svm.linear._state import LinearState
from tests.support.linear_kinds import clouds


def loop_of(n_features, n_problems=1, **params):
    """Return weights of 0 and the update loop that trains them."""
    spec = UpdateSpec(rule={"name": "hinge", "C": 0.5}, **params)
    state = LinearState(spec, n_problems, n_features, np.float64, False)
    return state.arrays["coef"], state.loop


def test_samples_are_used_in_the_given_order():
    X, y = clouds(40, n_classes=3)
    codes, order = y.astype(np.int32), np.random.default_rng(0).permutation(40)[:30]
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.0], 40)
    coef, loop = loop_of(4, 3)
    assert loop.train(Dataset(X, codes, weights, order), 10) == (DONE, 30)
    wanted, other = loop_of(4, 3)
    rows = order[10:]
    assert other.train(Dataset(X[rows], codes[rows], weights[rows])) == (DONE, 20)
    assert_array_equal(coef, wanted)
    assert loop.n_rows == other.n_rows == 20 and loop.n_updates == other.n_updates > 5
    assert loop.loss == other.loss > 0
    assert_array_equal(loop.counts, np.bincount(y[rows[weights[rows] > 0]], minlength=3))
    loop.reset_loss()
    assert loop.loss == 0.0 and loop.n_rows == 20
    fresh, again = loop_of(4, 3)
    again.restore(loop.state())
    assert again.state().keys() == loop.state().keys()
    assert again.n_updates == loop.n_updates
    assert_array_equal(again.counts, loop.counts)


def test_training_stops_at_a_sample_that_is_not_finite():
    X, y = clouds(30)
    codes = y.astype(np.int32)
    X[17, 2] = np.nan
    coef, loop = loop_of(4)
    assert loop.train(Dataset(X, codes)) == (NOT_FINITE, 17)
    wanted, other = loop_of(4)
    other.train(Dataset(X[:17], codes[:17]))
    assert_array_equal(coef, wanted)
    assert loop.n_rows == 17
    # The position is that in the order; samples of weight 0 are skipped.
    order = np.arange(29, -1, -1)
    coef, loop = loop_of(4)
    assert loop.train(Dataset(X, codes, None, order)) == (NOT_FINITE, 12)
    weights = np.ones(30)
    weights[17] = 0.0
    assert loop_of(4)[1].train(Dataset(X, codes, weights)) == (DONE, 30)


def test_training_stops_at_a_missing_label_and_continues():
    X, y = clouds(30)
    codes, unknown = y.astype(np.int32), [4, 11, 29]
    known = codes.copy()
    codes[unknown] = -1
    left = np.array([100])
    marks = np.zeros(30, np.int32), np.zeros(30, np.uint8), None, left
    sampler, position, wanted = SelectiveSampler(ALL), 0, []
    dataset, queries = Dataset(X, codes), LabelQueries(sampler, *marks)
    coef, loop = loop_of(4)
    while True:
        end, position = loop.train(dataset, position, queries)
        if end == DONE:
            break
        assert end == LABEL_NEEDED
        assert marks[1].sum() == sampler.n_asked == 100 - left[0] == position
        wanted.append(position)
        codes[position] = known[position]
    assert wanted == unknown and position == 30
    assert_array_equal(coef, _coef_after(X, known))
    assert marks[1].all()


def test_queries_respect_the_budget_and_abstentions():
    X, y = clouds(30)
    codes = y.astype(np.int32)
    codes[[2, 5, 20]] = -2
    owned, left = np.zeros(30, np.uint8), np.array([10])
    coef, loop = loop_of(4)
    marks = np.full(30, 7, np.int32), owned, None, left
    queries = LabelQueries(SelectiveSampler(ALL), *marks)
    assert loop.train(Dataset(X, codes), 0, queries) == (DONE, 30)
    bought = np.setdiff1d(np.arange(12), [2, 5])
    assert left[0] == 0
    assert_array_equal(np.flatnonzero(owned == 1), bought)
    assert_array_equal(np.flatnonzero(owned), np.arange(12))
    assert_array_equal(coef, _coef_after(X[bought], codes[bought]))
    # All samples are predicted.
    assert set(marks[0]) == {0, 1}


@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize("variance", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_steps_that_are_too_long_are_omitted(dtype, variance, covariance):
    """The longest ones are 1e140 long; 1e20 if variances have single precision."""
    longest = 1e20 if dtype == np.float32 and covariance == "diag" else 1e140
    options = dict(fit_intercept=False, covariance=covariance, start_variance=variance)
    spec, x = UpdateSpec(rule={"name": "second_order"}, **options), np.array([[1.0, 0.0]], dtype)
    for factor in (0.9, 1.1):
        state = LinearState(spec, 1, 2, dtype, False)
        # The first step is (1 - w.x) / (1 + v) S x with v = x.Sx, and S = variance I.
        state.arrays["coef"][0, 0] = -factor * longest * (1.0 + variance) / variance
        state.loop.train(Dataset(x, np.ones(1, np.int32)))
        assert state.loop.n_updates == (factor < 1)


def _coef_after(X, codes):
    coef, loop = loop_of(X.shape[1])
    loop.train(Dataset(X, codes))
    return coef
