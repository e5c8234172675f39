"""Scores and standard errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.dummy import DummyClassifier
from sklearn.metrics import get_scorer

from sklearn_online_svm import LASVC
from sklearn_online_svm.model_selection._scoring import (
    N_BLOCKS,
    Scores,
    compute_scores,
    score_differences,
)
from tests.reference.racing import hits_without_blocks, jackknife
from tests.support.samples import three_classes, two_classes

X, Y = two_classes(300, noise=1.0)


@settings(deadline=None)
@given(st.integers(10, 200), st.integers(0, 2**32 - 1))
def test_the_standard_error_is_the_jackknife_of_the_difference(n, seed):
    mine, theirs = np.random.default_rng(seed).integers(0, 2, (2, n))
    a, b = (
        Scores({"score": h.mean()}, np.array([hits_without_blocks(h)]), n) for h in (mine, theirs)
    )
    difference, error = score_differences([a], b)
    assert_allclose(difference, mine.mean() - theirs.mean())
    expected = jackknife(hits_without_blocks(mine.astype(float) - theirs))
    assert_allclose(np.square(error), expected, atol=1e-15)
    assert_allclose(a.standard_error**2, jackknife(hits_without_blocks(mine)), atol=1e-15)


def test_the_standard_error_of_accuracy_is_that_of_a_mean():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(300):
        hits = rng.random(500) < 0.8
        scores = Scores({"score": hits.mean()}, hits_without_blocks(hits)[None], 500)
        found.append(scores.standard_error**2)
    assert_allclose(np.mean(found), 0.8 * 0.2 / 500, rtol=0.05)


def test_candidates_with_the_same_errors_differ_by_nothing():
    hits = np.random.default_rng(0).random(400) < 0.6
    same = Scores({"score": hits.mean()}, hits_without_blocks(hits)[None], 400)
    difference, error = score_differences([same], same)
    assert same.standard_error > 1e-2
    assert difference == error == 0


@pytest.mark.parametrize(
    "scoring", ["accuracy", "balanced_accuracy", "roc_auc", "f1_macro", "average_precision"]
)
def test_scores_are_those_of_the_scorer(scoring):
    model = LASVC(gamma=0.3).fit(X[:150], Y[:150] == "yes")
    test, y = X[150:], Y[150:] == "yes"
    scorer = get_scorer(scoring)
    scores = compute_scores({"score": scorer}, [(model, test, y, {})])
    assert_allclose(scores.value, scorer(model, test, y))
    blocks = np.array_split(np.arange(150), N_BLOCKS)
    expected = [
        scorer(model, np.delete(test, block, axis=0), np.delete(y, block)) for block in blocks
    ]
    assert_allclose(scores.replicates[0], expected)


def test_probabilities_are_used_if_the_scorer_needs_them():
    test, y = three_classes(90)
    model = DummyClassifier(strategy="prior").fit(test, y)
    scorer = get_scorer("neg_log_loss")
    scores = compute_scores({"score": scorer}, [(model, test, y, {})])
    assert_allclose(scores.value, scorer(model, test, y))


def test_samples_are_predicted_once():
    class Counting(DummyClassifier):
        calls = 0

        def predict(self, X):
            Counting.calls += 1
            return super().predict(X)

    model = Counting(strategy="most_frequent").fit(X, Y)
    scorers = {"a": get_scorer("accuracy"), "b": get_scorer("balanced_accuracy")}
    compute_scores(scorers, [(model, X, Y, {})])
    assert Counting.calls == 1
