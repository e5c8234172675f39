"""Label errors found by cleanlab with our models, and by ``suspect_labels``."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_predict

from sklearn_online_svm import LASVC, RampSVC
from sklearn_online_svm.datasets import flip_labels
from tests.support.samples import digits_pair

cleanlab = pytest.importorskip("cleanlab", reason="cleanlab is missing")
classification = pytest.importorskip("cleanlab.classification")
filters = pytest.importorskip("cleanlab.filter")

X, Y = digits_pair()
Y = (Y.max() == Y).astype(int)
NOISY, FLIPPED = flip_labels(Y, 0.15, random_state=0, return_mask=True)
MODEL = LASVC(C=1.0, probability=True, random_state=0)


def test_clean_learning():
    learning = classification.CleanLearning(MODEL, seed=0, cv_n_folds=3).fit(X, NOISY)
    issues = learning.get_label_issues()["is_label_issue"].to_numpy()
    assert FLIPPED[issues].mean() > 0.8
    assert issues[FLIPPED].mean() > 0.7
    assert learning.score(X, Y) > 0.95


def test_suspect_labels_find_what_cleanlab_finds():
    """As many samples from each; both rankings consist mostly of flipped labels."""
    probabilities = cross_val_predict(MODEL, X, NOISY, cv=3, method="predict_proba")
    ranked = filters.find_label_issues(
        NOISY, probabilities, return_indices_ranked_by="self_confidence"
    )
    model = clone(RampSVC(C=10.0, random_state=0)).fit(X, NOISY)
    suspects = model.suspect_labels(X, NOISY, n_suspects=len(ranked))
    assert FLIPPED[ranked].mean() > 0.8
    assert FLIPPED[suspects].mean() > 0.7
    assert len(np.intersect1d(ranked, suspects)) > 0.7 * len(ranked)
