"""Scores and standard errors."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.dummy import DummyClassifier
from sklearn.metrics import get_scorer, make_scorer

from sklearn_online_svm import LASVC
from tests.support.internals import N_BLOCKS, compute_scores, jackknife_error, mean_scores
from tests.support.samples import three_classes, two_classes

X, Y = two_classes(300, noise=1.0)


def test_the_standard_error_of_accuracy_is_that_of_a_mean():
    model = LASVC(gamma=0.3).fit(X[:150], Y[:150])
    found = compute_scores({"score": get_scorer("accuracy")}, model, X[150:], Y[150:], {})
    hits = model.predict(X[150:]) == Y[150:]
    assert_allclose(found.standard_error, hits.std() / np.sqrt(150))


def test_the_jackknife_of_a_mean_is_its_standard_error():
    rng, found = np.random.default_rng(0), []
    share = make_scorer(lambda y, predicted: np.mean(y == predicted))
    for _ in range(300):
        y = (rng.random(500) < 0.8).astype(int)
        model = DummyClassifier(strategy="constant", constant=1).fit(np.zeros((500, 1)), y)
        found.append(jackknife_error(share, model, np.zeros((500, 1)), y, {}) ** 2)
    assert_allclose(np.mean(found), 0.8 * 0.2 / 500, rtol=0.05)


@pytest.mark.parametrize(
    "scoring", ["accuracy", "balanced_accuracy", "roc_auc", "f1_macro", "average_precision"]
)
def test_scores_are_those_of_the_scorer(scoring):
    model = LASVC(gamma=0.3).fit(X[:150], Y[:150] == "yes")
    test, y = X[150:], Y[150:] == "yes"
    scorer = get_scorer(scoring)
    scores = compute_scores({"score": scorer}, model, test, y, {})
    assert_allclose(scores.value, scorer(model, test, y))
    blocks = np.array_split(np.arange(150), N_BLOCKS)
    without = [
        scorer(model, np.delete(test, block, axis=0), np.delete(y, block)) for block in blocks
    ]
    expected = np.sqrt((N_BLOCKS - 1) * np.var(without))
    assert_allclose(jackknife_error(scorer, model, test, y, {}), expected)


def test_probabilities_are_used_if_the_scorer_needs_them():
    test, y = three_classes(90)
    model = DummyClassifier(strategy="prior").fit(test, y)
    scorer = get_scorer("neg_log_loss")
    scores = compute_scores({"score": scorer}, model, test, y, {})
    assert_allclose(scores.value, scorer(model, test, y))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc_ovr", "neg_brier_score"])
@pytest.mark.parametrize("n_rare", [1, 2, 3])
def test_a_rare_class_is_never_left_out_of_the_jackknife(scoring, n_rare):
    test, y = three_classes(90)
    rare = np.flatnonzero(y == 30)
    kept = np.r_[np.flatnonzero(y != 30), rare[:n_rare]]  # all in the last block
    model = LASVC(gamma=0.3, probability=True).fit(test, y)
    error = jackknife_error(get_scorer(scoring), model, test[kept], y[kept], {})
    assert 0.0 < error < 1.0


def test_samples_are_predicted_once():
    class Counting(DummyClassifier):
        calls = 0

        def predict(self, X):
            Counting.calls += 1
            return super().predict(X)

    model = Counting(strategy="most_frequent").fit(X, Y)
    scorers = {"a": get_scorer("accuracy"), "b": get_scorer("balanced_accuracy")}
    compute_scores(scorers, model, X, Y, {})
    assert Counting.calls == 1


def test_constant_predictions_are_noticed():
    model = DummyClassifier(strategy="most_frequent").fit(X, Y)
    for scoring in ("accuracy", "balanced_accuracy"):
        assert compute_scores({"score": get_scorer(scoring)}, model, X, Y, {}).is_constant


def test_means_over_folds():
    scorers = {"a": get_scorer("accuracy"), "b": get_scorer("balanced_accuracy")}
    model = LASVC(gamma=0.3).fit(X[:150], Y[:150])
    parts = [compute_scores(scorers, model, X[k : k + 50], Y[k : k + 50], {}) for k in (150, 200)]
    mean = mean_scores(parts)
    for name in scorers:
        assert_allclose(mean.values[name], np.mean([part.values[name] for part in parts]))
    assert mean.n_samples == 100
    # Scores that are not known do not count.
    unknown = replace(parts[0], values=dict.fromkeys(scorers, np.nan))
    assert mean_scores([parts[0], unknown]).values == parts[0].values
    assert np.isnan(mean_scores([unknown]).value)
