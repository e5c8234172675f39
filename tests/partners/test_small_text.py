"""Classifiers in the loop of small-text, on sparse texts."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.calibration import OnlineCalibratedClassifier

small_text = pytest.importorskip("small_text", reason="small-text is missing")

WORDS = [f"word{i}" for i in range(300)]
MODELS = [
    LASVC(kernel="linear", probability=True, random_state=0),
    OnlineCalibratedClassifier(AROWClassifier()),
]


def texts(n_classes, n=400):
    """Texts of 20 words; a third of them from the words of the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_classes, n)
    common = rng.choice(WORDS[60:], size=(n, 14))
    own = np.array([rng.choice(WORDS[20 * k : 20 * k + 20], 6) for k in y])
    return [" ".join(words) for words in np.hstack([common, own])], y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("strategy", ["LeastConfidence", "BreakingTies", "PredictionEntropy"])
def test_pool_loop(model, strategy, n_classes):
    documents, y = texts(n_classes)
    X = TfidfVectorizer().fit_transform(documents)
    train = small_text.SklearnDataset(X[:300], y[:300])
    learner = small_text.PoolBasedActiveLearner(
        small_text.SklearnClassifierFactory(model, n_classes),
        getattr(small_text, strategy)(),
        train,
    )
    learner.initialize_data(np.arange(20), y[:20])
    for _ in range(4):
        chosen = learner.query(num_samples=10)
        assert len(set(chosen)) == 10
        assert min(chosen) >= 20
        learner.update(y[chosen])
    found = learner.classifier.predict(small_text.SklearnDataset(X[300:], y[300:]))
    assert np.mean(found == y[300:]) > 0.9
