"""Scores, standard errors and rungs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.dummy import DummyClassifier
from sklearn.metrics import get_scorer

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection._judging import N_BLOCKS, Judge, Marks, differences
from sklearn_online_svm.model_selection._plan import first_rows, places, rungs
from sklearn_online_svm.model_selection._stream import Course
from tests.reference.halving import hits_without_blocks, jackknife
from tests.support.samples import three_classes, two_classes

X, Y = two_classes(300, noise=1.0)


@settings(deadline=None)
@given(st.integers(10, 200), st.integers(0, 2**32 - 1))
def test_the_standard_error_is_the_jackknife_of_the_difference(n, seed):
    mine, theirs = np.random.default_rng(seed).integers(0, 2, (2, n))
    a, b = (
        Marks({"score": h.mean()}, np.array([hits_without_blocks(h)]), n) for h in (mine, theirs)
    )
    difference, variance = differences([a], b)
    assert_allclose(difference, mine.mean() - theirs.mean())
    expected = jackknife(hits_without_blocks(mine.astype(float) - theirs))
    assert_allclose(variance, expected, atol=1e-15)
    assert_allclose(a.variance, jackknife(hits_without_blocks(mine)), atol=1e-15)


def test_the_standard_error_of_accuracy_is_that_of_a_mean():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(300):
        hits = rng.random(500) < 0.8
        found.append(Marks({"score": hits.mean()}, hits_without_blocks(hits)[None], 500).variance)
    assert_allclose(np.mean(found), 0.8 * 0.2 / 500, rtol=0.05)


def test_candidates_are_compared_on_the_same_rows():
    # Both miss the same rows: how many there are is no reason to doubt that they are equal.
    hits = np.random.default_rng(0).random(400) < 0.6
    same = Marks({"score": hits.mean()}, hits_without_blocks(hits)[None], 400)
    difference, variance = differences([same], same)
    assert same.variance > 1e-4
    assert difference == variance == 0


@pytest.mark.parametrize(
    "scoring", ["accuracy", "balanced_accuracy", "roc_auc", "f1_macro", "average_precision"]
)
def test_scores_are_those_of_the_scorer(scoring):
    model = LASVC(gamma=0.3).fit(X[:150], Y[:150] == "yes")
    rows, y = X[150:], Y[150:] == "yes"
    scorer = get_scorer(scoring)
    marks = Judge({"score": scorer}).marks([(model, rows, y, {}, None)])
    assert_allclose(marks.score, scorer(model, rows, y))
    blocks = np.array_split(np.arange(150), N_BLOCKS)
    expected = [
        scorer(model, np.delete(rows, block, axis=0), np.delete(y, block)) for block in blocks
    ]
    assert_allclose(marks.replicates[0], expected)


def test_probabilities_are_asked_for_where_there_are_some():
    rows, y = three_classes(90)
    model = DummyClassifier(strategy="prior").fit(rows, y)
    scorer = get_scorer("neg_log_loss")
    marks = Judge({"score": scorer}).marks([(model, rows, y, {}, None)])
    assert_allclose(marks.score, scorer(model, rows, y))


def test_rows_are_predicted_once():
    class Counting(DummyClassifier):
        calls = 0

        def predict(self, X):
            Counting.calls += 1
            return super().predict(X)

    model = Counting(strategy="most_frequent").fit(X, Y)
    scorers = {"a": get_scorer("accuracy"), "b": get_scorer("balanced_accuracy")}
    Judge(scorers).marks([(model, X, Y, {}, None)])
    assert Counting.calls == 1


@given(st.integers(2, 10**6), st.floats(1.01, 10), st.one_of(st.none(), st.integers(1, 10**5)))
def test_rungs_rise_to_the_last_row(n, factor, first):
    found = rungs(n, first or first_rows(n, 2), factor, exact=first is not None)
    assert found[-1] == n
    assert found[0] >= 1
    assert all(a <= b for a, b in zip(found, found[1:]))
    if first is not None and first < n:
        assert found[0] == first


@given(st.integers(1, 1000), st.integers(1, 20))
def test_places_fall(n_candidates, n_comparisons):
    found = places(n_candidates, n_comparisons)
    assert len(found) == n_comparisons - 1
    assert all(a >= b >= 1 for a, b in zip([n_candidates, *found], found))


@given(
    st.integers(1, 500),
    st.floats(1.1, 5),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(1, 200),
)
def test_rungs_of_a_stream_grow_until_the_floor_is_reached(first, factor, floor, more, n):
    course = Course(first, factor, np.inf, floor, more, None).grows_until(n)
    lengths = [course.length(rung) for rung in range(course.n_growing + 4)]
    assert lengths[0] == first
    assert all(length >= 0 for length in lengths)
    assert len(set(lengths[max(1, course.n_growing) :])) == 1
    n_left = [course.steps(rung, n)[1][1:] for rung in range(1, course.n_growing + 1)]
    assert all(not left or left[0] >= floor for left in n_left)
