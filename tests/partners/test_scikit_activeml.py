"""Classifiers in the pool and stream loops of scikit-activeml."""

import numpy as np
import pytest

from sklearn_online_svm import LASVC, AROWClassifier
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from tests.support.samples import two_classes

classifier = pytest.importorskip("skactiveml.classifier", reason="scikit-activeml is missing")
pool = pytest.importorskip("skactiveml.pool")
stream = pytest.importorskip("skactiveml.stream")

X, Y = two_classes(600)
Y = (Y == "yes").astype(int)
TRAIN, TEST = slice(0, 400), slice(400, None)
PROBABILITIES = LASVC(C=10.0, probability=True, random_state=0)


def wrapped(model):
    return classifier.SklearnClassifier(model, classes=[0, 1], random_state=0)


@pytest.mark.parametrize(
    "strategy",
    [
        pool.UncertaintySampling(method="margin_sampling", random_state=0),
        pool.ProbabilisticAL(random_state=0, metric="rbf"),
        pool.RandomSampling(random_state=0),
    ],
    ids=lambda strategy: type(strategy).__name__,
)
def test_pool_loop(strategy):
    labels = np.full(400, np.nan)
    first = np.r_[np.flatnonzero(Y[TRAIN] == 0)[:5], np.flatnonzero(Y[TRAIN] == 1)[:5]]
    labels[first] = Y[first]
    model = wrapped(PROBABILITIES)
    options = {} if isinstance(strategy, pool.RandomSampling) else dict(clf=model)
    if isinstance(strategy, pool.ProbabilisticAL):
        options["clf"] = classifier.ParzenWindowClassifier(classes=[0, 1])
    for _ in range(15):
        chosen = strategy.query(X[TRAIN], labels, batch_size=4, **options)
        assert np.isnan(labels[chosen]).all()
        labels[chosen] = Y[chosen]
    assert np.isfinite(labels).sum() == 70
    assert model.fit(X[TRAIN], labels).score(X[TEST], Y[TEST]) > 0.75


def test_query_by_committee():
    labels = np.full(400, np.nan)
    labels[:40] = Y[:40]
    committee = [wrapped(PROBABILITIES), wrapped(LASVC(C=0.1, probability=True, random_state=0))]
    strategy = pool.QueryByCommittee(random_state=0)
    chosen = strategy.query(X[TRAIN], labels, ensemble=committee, batch_size=3)
    assert len(set(chosen)) == 3
    assert chosen.min() >= 40


@pytest.mark.parametrize("name", ["Split", "VariableUncertainty", "FixedUncertainty"])
@pytest.mark.parametrize(
    "model",
    [PROBABILITIES, OnlineCalibratedClassifier(AROWClassifier())],
    ids=lambda model: type(model).__name__,
)
def test_stream_loop(name, model):
    """The model is trained with ``partial_fit`` on the queried samples only."""
    target = (X[:, 0] > 0).astype(int)
    model = wrapped(model).partial_fit(X[:20], target[:20])
    classes = dict(classes=[0, 1]) if name == "FixedUncertainty" else {}
    strategy = getattr(stream, name)(budget=0.2, random_state=0, **classes)
    right, queried = [], 0
    for sample, label in zip(X[20:], target[20:]):
        sample = sample[np.newaxis]
        right.append(model.predict(sample)[0] == label)
        chosen, utilities = strategy.query(sample, clf=model, return_utilities=True)
        strategy.update(sample, chosen, budget_manager_param_dict={"utilities": utilities})
        if len(chosen):
            queried += 1
            model.partial_fit(sample, [label])
    assert 0 < queried < 0.25 * 580
    assert np.mean(right[-300:]) > 0.85
    assert isinstance(model.estimator_, type(model.estimator))
