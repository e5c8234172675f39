"""The update loop itself, without an estimator."""

import numpy as np
from numpy.testing import assert_array_equal

from sklearn_online_svm._core.linear.epochs import DONE, LABEL_WANTED, NOT_FINITE, learn
from sklearn_online_svm._core.linear.queries import ALL, Asker, Purchases
from sklearn_online_svm._core.linear.rows import Dataset
from sklearn_online_svm.linear._state import LinearState
from sklearn_online_svm.linear._update_spec import UpdateSpec
from tests.support.linear_kinds import clouds


def loop_of(n_features, n_problems=1, **params):
    """Weights at zero, and the loop that changes them."""
    method = UpdateSpec(rule={"name": "hinge", "C": 0.5}, **params)
    state = LinearState(method, n_problems, n_features, np.float64, False)
    return state.arrays["coef"], state.loop


def test_the_loop_visits_rows_in_the_order_given():
    X, y = clouds(40, n_classes=3)
    codes, order = y.astype(np.int32), np.random.default_rng(0).permutation(40)[:30]
    weights = np.random.default_rng(1).choice([0.0, 1.0, 2.0], 40)
    coef, loop = loop_of(4, 3)
    assert learn(loop, Dataset(X, codes, weights, order), 10) == (DONE, 30)
    wanted, other = loop_of(4, 3)
    rows = order[10:]
    assert learn(other, Dataset(X[rows], codes[rows], weights[rows])) == (DONE, 20)
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


def test_the_loop_ends_at_a_row_that_is_no_number():
    X, y = clouds(30)
    codes = y.astype(np.int32)
    X[17, 2] = np.nan
    coef, loop = loop_of(4)
    assert learn(loop, Dataset(X, codes)) == (NOT_FINITE, 17)
    wanted, other = loop_of(4)
    learn(other, Dataset(X[:17], codes[:17]))
    assert_array_equal(coef, wanted)
    assert loop.n_rows == 17
    # In another order, the place in the order; a row of weight 0 is not looked at.
    order = np.arange(29, -1, -1)
    coef, loop = loop_of(4)
    assert learn(loop, Dataset(X, codes, None, order)) == (NOT_FINITE, 12)
    weights = np.ones(30)
    weights[17] = 0.0
    assert learn(loop_of(4)[1], Dataset(X, codes, weights)) == (DONE, 30)


def test_the_loop_waits_for_labels():
    X, y = clouds(30)
    codes, unknown = y.astype(np.int32), [4, 11, 29]
    known = codes.copy()
    codes[unknown] = -1
    left = np.array([100])
    marks = np.zeros(30, np.int32), np.zeros(30, np.uint8), None, left
    asker, position, wanted = Asker(ALL), 0, []
    dataset, purchases = Dataset(X, codes), Purchases(asker, *marks)
    coef, loop = loop_of(4)
    while True:
        end, position = learn(loop, dataset, position, purchases)
        if end == DONE:
            break
        assert end == LABEL_WANTED
        assert marks[1].sum() == asker.n_asked == 100 - left[0] == position
        wanted.append(position)
        codes[position] = known[position]
    assert wanted == unknown and position == 30
    assert_array_equal(coef, _coef_after(X, known))
    assert marks[1].all()


def test_the_loop_spends_what_is_left_and_knows_what_nobody_knows():
    X, y = clouds(30)
    codes = y.astype(np.int32)
    codes[[2, 5, 20]] = -2
    owned, left = np.zeros(30, np.uint8), np.array([10])
    coef, loop = loop_of(4)
    marks = np.full(30, 7, np.int32), owned, None, left
    purchases = Purchases(Asker(ALL), *marks)
    assert learn(loop, Dataset(X, codes), 0, purchases) == (DONE, 30)
    bought = np.setdiff1d(np.arange(12), [2, 5])
    assert left[0] == 0
    assert_array_equal(np.flatnonzero(owned == 1), bought)
    assert_array_equal(np.flatnonzero(owned), np.arange(12))
    assert_array_equal(coef, _coef_after(X[bought], codes[bought]))
    # All are predicted, whatever is known of them.
    assert set(marks[0]) == {0, 1}


def _coef_after(X, codes):
    coef, loop = loop_of(X.shape[1])
    learn(loop, Dataset(X, codes))
    return coef
