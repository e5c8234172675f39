"""Learners of modAL; ``tests/active/test_pool.py`` tests our query function in them."""

import numpy as np
import pytest
import sklearn
from sklearn.utils.fixes import parse_version

from sklearn_online_svm import LASVC
from sklearn_online_svm.active import margin_sampling
from tests.support.samples import two_classes

models = pytest.importorskip("modAL.models", reason="modAL-python is missing")

X, Y = two_classes(300)
REMOVED = parse_version(sklearn.__version__) >= parse_version("1.8")


def learner(query_strategy):
    model = LASVC(C=10.0, probability=True, random_state=0).fit(X[:100], Y[:100])
    return models.ActiveLearner(estimator=model, query_strategy=query_strategy)


def test_queries_of_modal():
    from modAL.uncertainty import uncertainty_sampling

    ours = learner(uncertainty_sampling)
    chosen, samples = ours.query(X[100:], n_instances=3)
    uncertainty = 1 - ours.predict_proba(X[100:]).max(axis=1)
    assert set(chosen) == set(np.argsort(-uncertainty)[:3])
    np.testing.assert_array_equal(samples, X[100:][chosen])
    assert ours.score(X[100:], Y[100:]) > 0.65


@pytest.mark.skipif(REMOVED, reason="modAL 0.4.2 needs scikit-learn < 1.8 for teach")
def test_teach():
    ours = learner(margin_sampling)
    ours.teach(X[:150], Y[:150])
    ours.teach(X[150:160], Y[150:160])
    assert len(ours.X_training) == 160
    assert ours.score(X[160:], Y[160:]) > 0.65


@pytest.mark.skipif(not REMOVED, reason="scikit-learn has the parameter force_all_finite")
def test_teach_is_broken():
    """When this test fails, modAL works with current scikit-learn, and the page has to say so."""
    with pytest.raises(TypeError, match="force_all_finite"):
        learner(margin_sampling).teach(X[:150], Y[:150])
