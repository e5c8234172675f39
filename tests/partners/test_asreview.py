"""A classifier of this package in simulations of ASReview."""

import numpy as np
import pytest
from sklearn.svm import LinearSVC

from sklearn_online_svm import PassiveAggressiveClassifier


class OnlineSVM(PassiveAggressiveClassifier):
    name = label = "online-svm"


@pytest.fixture
def asreview(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # ASReview stores a cache in the working directory
    return pytest.importorskip("asreview", reason="asreview is missing")


def abstracts(n=300):
    import pandas as pd

    rng = np.random.default_rng(0)
    words = rng.integers(0, 400, (n, 40))
    y = (rng.random(n) < 0.1).astype(int)
    words[y == 1, :10] = rng.integers(400, 420, (y.sum(), 10))
    texts = [" ".join(f"w{word}" for word in sample) for sample in words]
    return pd.DataFrame({"title": "", "abstract": texts}), y


def default_cycle():
    from asreview.learner import ActiveLearningCycle
    from asreview.models.models import get_ai_config

    return ActiveLearningCycle.from_meta(get_ai_config()["value"])


def test_the_default_of_asreview_is_the_linear_svm_of_the_page(asreview):
    svm = default_cycle().classifier
    assert isinstance(svm, LinearSVC)
    assert (svm.loss, svm.penalty, svm.C) == ("squared_hinge", "l2", 0.11)


def test_simulation(asreview):
    texts, y = abstracts()
    cycle = default_cycle()
    cycle.classifier = OnlineSVM(
        C=0.11, loss="squared_hinge", average=True, max_iter=5, tol=None, random_state=0
    )
    simulation = asreview.Simulate(texts, y, [cycle], stopper=70, print_progress=False)
    simulation.label([np.flatnonzero(y == label)[0] for label in (0, 1)])
    simulation.review()
    results = simulation._results
    assert set(results["classifier"].dropna()) == {"online-svm"}
    assert len(results) == 70
    assert results["label"].sum() > 0.9 * y.sum()  # 16 of the 70 would be a random share
