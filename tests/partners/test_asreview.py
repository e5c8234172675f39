"""The classifier that ASReview finds through its entry point, in simulations of ASReview."""

import json
from dataclasses import asdict
from importlib.metadata import entry_points

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.svm import LinearSVC

from sklearn_online_svm import PassiveAggressiveClassifier
from sklearn_online_svm.asreview import OnlineSVM


def test_parameters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 5)), rng.normal(size=200) > 0
    weight = rng.uniform(0.5, 2, 200)
    model = clone(OnlineSVM(C=0.5, max_iter=3, random_state=1))
    assert model.get_params() == dict(C=0.5, max_iter=3, random_state=1)
    same = PassiveAggressiveClassifier(
        C=0.5, loss="squared_hinge", average=True, max_iter=3, tol=None, random_state=1
    )
    expected = same.fit(X, y, sample_weight=weight).decision_function(X)
    found = model.fit(X, y, sample_weight=weight).decision_function(X)
    np.testing.assert_array_equal(found, expected)


@pytest.fixture
def asreview(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # ASReview stores a cache in the working directory
    module = pytest.importorskip("asreview", reason="asreview is missing")
    if not entry_points(group="asreview.models.classifiers", name="online-svm"):
        pytest.skip("the package was installed before it had this entry point; install it again")
    return module


def abstracts(n=300):
    import pandas as pd

    rng = np.random.default_rng(0)
    words = rng.integers(0, 400, (n, 40))
    y = (rng.random(n) < 0.1).astype(int)
    words[y == 1, :10] = rng.integers(400, 420, (y.sum(), 10))
    texts = [" ".join(f"w{word}" for word in sample) for sample in words]
    return pd.DataFrame({"title": "", "abstract": texts}), y


def default_settings():
    from asreview.models.models import get_ai_config

    return get_ai_config()["value"]


def test_the_default_of_asreview_is_the_linear_svm_of_the_page(asreview):
    from asreview.extensions import load_extension

    settings = default_settings()
    assert (settings.classifier, settings.balancer) == ("svm", "balanced")
    svm = load_extension("models.classifiers", "svm")(**settings.classifier_param)
    assert isinstance(svm, LinearSVC)
    assert (svm.loss, svm.penalty, svm.C) == ("squared_hinge", "l2", OnlineSVM().C)


@pytest.mark.parametrize("querier", ["max", "uncertainty"])
def test_simulation(asreview, querier):
    from asreview.learner import ActiveLearningCycle

    texts, y = abstracts()
    settings = default_settings()
    fields = asdict(settings) | dict(classifier="online-svm", classifier_param={}, querier=querier)
    cycle = ActiveLearningCycle.from_meta(type(settings)(**fields))
    assert isinstance(cycle.classifier, OnlineSVM)
    simulation = asreview.Simulate(texts, y, [cycle], stopper=70, print_progress=False)
    simulation.label([np.flatnonzero(y == label)[0] for label in (0, 1)])
    simulation.review()
    results = simulation._results
    assert set(results["classifier"].dropna()) == {"online-svm"}
    assert len(results) == 70
    if querier == "max":
        assert results["label"].sum() > 0.9 * y.sum()  # 16 of the 70 would be a random share


def test_settings_are_stored(asreview, tmp_path):
    from asreview.learner import ActiveLearningCycle

    fields = dict(querier="max", classifier="online-svm", classifier_param={"C": 0.5})
    path = tmp_path / "cycle.json"
    cycle = ActiveLearningCycle.from_meta(type(default_settings())(**fields))
    cycle.to_file(path)
    stored = json.loads(path.read_text())
    assert stored["classifier"] == "online-svm"
    assert stored["classifier_param"] == dict(C=0.5, max_iter=5, random_state=0)
    assert ActiveLearningCycle.from_file(path).classifier.C == 0.5
