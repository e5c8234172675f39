"""OnlineCalibratedClassifier."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import log_loss
from sklearn.svm import SVC

from sklearn_online_svm import (
    LASVC,
    AROWClassifier,
    KernelAROWClassifier,
    PassiveAggressiveClassifier,
)
from sklearn_online_svm.calibration import OnlineCalibratedClassifier
from sklearn_online_svm.datasets import make_waveform
from sklearn_online_svm.model_selection import ProgressiveSearch
from tests.support.internals import BLOCK, SplineMap
from tests.support.samples import LAYOUTS, three_classes, two_classes


def streamed(model, X, y, size, **params):
    for first in range(0, X.shape[0], size):
        chunk = slice(first, first + size)
        given = {name: values[chunk] for name, values in params.items()}
        model.partial_fit(X[chunk], y[chunk], classes=np.unique(y), **given)
    return model


@pytest.mark.sampled
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [1, 30, 250])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_base_estimator_is_trained_as_if_alone(layout, size, weighted):
    X, y = three_classes(250)
    X = LAYOUTS[layout](X)
    given = {"sample_weight": np.linspace(0.5, 2, 250)} if weighted else {}
    model = streamed(OnlineCalibratedClassifier(AROWClassifier()), X, y, size, **given)
    alone = AROWClassifier().partial_fit(X, y, classes=np.unique(y), **given)
    assert_array_equal(model.decision_function(X), alone.decision_function(X))
    assert_array_equal(model.predict(X), alone.predict(X))
    assert model.n_samples_seen_ == 250


def test_scores_come_from_before_training():
    X, y = two_classes(330)
    model = streamed(OnlineCalibratedClassifier(AROWClassifier()), X, y, 330)
    alone, expected = AROWClassifier(), [np.zeros(30)]
    ends = [30, 60, 100, 200, 300, 330]
    for first, end in zip([0, *ends], ends, strict=False):
        chunk = slice(first, end)
        if first:
            expected.append(alone.decision_function(X[chunk]))
        alone.partial_fit(X[chunk], y[chunk], classes=np.unique(y))
    assert_array_equal(model._window.scores[:, 0], np.concatenate(expected))


def test_the_first_block_is_large_enough_for_gamma():
    X, y = two_classes(330)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OnlineCalibratedClassifier(LASVC()).fit(X, y)


def test_the_map_is_that_of_the_last_samples():
    X, y = two_classes(1000)
    weights = np.linspace(0, 2, 1000)
    model = OnlineCalibratedClassifier(AROWClassifier(), window_size=300)
    streamed(model, X, y, 250, sample_weight=weights)
    assert len(model._window.codes) <= 300 + BLOCK
    scores, codes, weights = (
        values[-300:] for values in (model._window.scores[:, 0], model._window.codes, weights)
    )
    assert_array_equal(codes, np.searchsorted(model.classes_, y[-300:]))
    fitted = SplineMap(np.average(np.abs(scores), weights=weights)).fit(scores, codes, weights)
    expected = fitted.log_proba(model.decision_function(X))
    assert_allclose(model.predict_log_proba(X), expected)


def test_the_map_is_fitted_after_each_block(monkeypatch):
    X, y = two_classes(450)
    model = streamed(OnlineCalibratedClassifier(AROWClassifier()), X[:400], y[:400], 100)
    fits = []
    fit = SplineMap.fit
    monkeypatch.setattr(SplineMap, "fit", lambda self, *data: fits.append(1) or fit(self, *data))
    model.predict_proba(X)
    for i in range(400, 450):
        model.partial_fit(X[i : i + 1], y[i : i + 1]).predict_proba(X[:1])
    assert len(fits) == 1
    other = pickle.loads(pickle.dumps(model))
    assert_array_equal(other.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    "estimator",
    [
        None,
        PassiveAggressiveClassifier(C=0.01, average=True),
        SGDClassifier(random_state=0, average=True),
        KernelAROWClassifier(max_support_vectors=50),
        LASVC(),
    ],
    ids=str,
)
def test_probabilities_are_close_to_those_of_logistic_regression(estimator):
    ratios = []
    for seed in range(4):
        X, y = make_waveform(4000, random_state=seed)
        model = OnlineCalibratedClassifier(estimator, random_state=seed).fit(X[:3000], y[:3000])
        peer = LogisticRegression(max_iter=1000).fit(X[:3000], y[:3000])
        found, expected = (log_loss(y[3000:], m.predict_proba(X[3000:])) for m in (model, peer))
        ratios.append(found / expected)
    # The largest mean is 1.04, the standard deviation over seeds 0.04, so 0.02 for four.
    assert np.mean(ratios) < 1.15


def test_several_classes():
    X, y = three_classes(3000)
    model = OnlineCalibratedClassifier(random_state=0).fit(X[:2000], y[:2000])
    peer = LogisticRegression(max_iter=1000).fit(X[:2000], y[:2000])
    probabilities = model.predict_proba(X[2000:])
    assert probabilities.shape == (1000, 3)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    expected = log_loss(y[2000:], peer.predict_proba(X[2000:]))
    assert log_loss(y[2000:], probabilities) < 1.2 * expected + 0.02


@pytest.mark.parametrize("make", [two_classes, three_classes])
@pytest.mark.parametrize("estimator", [AROWClassifier(), LASVC(gamma=0.3)])
def test_probabilities_without_scores_are_reported(estimator, make):
    X, y = make(300)
    model = OnlineCalibratedClassifier(estimator)
    model.partial_fit(X[:20], y[:20], classes=np.unique(y))
    with pytest.warns(UserWarning, match="the model has been trained on 20 samples and"):
        probabilities = model.predict_proba(X)
    assert_allclose(probabilities, probabilities[:1].repeat(300, axis=0))
    model.partial_fit(X[20:], y[20:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(X)


def test_probabilities_follow_a_drift():
    X, y = make_waveform(10_800, random_state=0)
    noisy = (np.random.RandomState(1).uniform(size=10_800) < 0.3) & (np.arange(10_800) > 4500)
    y = np.where(noisy, -y, y)
    model = OnlineCalibratedClassifier(AROWClassifier(r=10), window_size=1000)
    streamed(model, X[:4000], y[:4000], 500)
    before = copy.deepcopy(model)
    streamed(model, X[4000:8800], y[4000:8800], 500)
    rest = X[8800:], y[8800:]
    frozen = before._window.map_of(1000).log_proba(model.decision_function(rest[0]))
    now = log_loss(rest[1], model.predict_proba(rest[0]))
    # The mean over seeds is 0.93, and the standard deviation 0.007.
    assert now < 0.97 * log_loss(rest[1], np.exp(frozen))


def test_fit_starts_again_in_random_order():
    X, y = two_classes(300)
    order = np.argsort(y, kind="stable")
    model = OnlineCalibratedClassifier(random_state=0).fit(X[order], y[order])
    again = copy.deepcopy(model).fit(X[order], y[order])
    assert_array_equal(model.predict_proba(X), again.predict_proba(X))
    assert log_loss(y, model.predict_proba(X)) < 0.55
    assert model.n_samples_seen_ == again.n_samples_seen_ == 300


def test_the_first_chunk_may_have_one_class():
    X, y = two_classes(100)
    of_one = y == y[0]
    model = OnlineCalibratedClassifier()
    model.partial_fit(X[of_one], y[of_one], classes=np.unique(y))
    column = list(model.classes_).index(y[0])
    assert (model.predict_proba(X)[:, column] > 0.9).all()


def test_sparse_and_dense_agree():
    X, y = two_classes(300)
    X = np.where(np.abs(X) > 0.5, X, 0.0)
    # The default of its intercept_scaling depends on the layout.
    base = PassiveAggressiveClassifier(intercept_scaling=1.0)
    dense, thin = (
        streamed(OnlineCalibratedClassifier(base), rows, y, 60)
        for rows in (X, sparse.csr_matrix(X))
    )
    assert_allclose(dense.predict_proba(X), thin.predict_proba(X), atol=1e-9)


# ------------------------------------------------------------------------------ errors


def test_an_error_leaves_the_model_unchanged():
    X, y = two_classes(200)
    model = streamed(OnlineCalibratedClassifier(AROWClassifier(r=1.0)), X, y, 50)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="not among the classes"):
        model.partial_fit(X[:2], ["a", "b"])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :1], y)
    with pytest.raises(ValueError, match="number of classes"):
        model.fit(X, np.ones(200))
    assert_array_equal(model.predict_proba(X), before)
    assert model.n_samples_seen_ == 200


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"estimator__r": -1.0}, r"'r' parameter of AROWClassifier"),
        ({"estimator__covariance": "full"}, r"covariance cannot change"),
    ],
)
def test_a_refused_parameter_of_the_estimator_leaves_the_model_unchanged(changed, message):
    X, y = two_classes(300)
    model = streamed(OnlineCalibratedClassifier(AROWClassifier(r=1.0)), X[:200], y[:200], 50)
    alike, params = copy.deepcopy(model), model.estimator.get_params()
    before = pickle.dumps(model.estimator_)
    for _ in range(2):
        with pytest.raises(ValueError, match=message):
            model.set_params(**changed).partial_fit(X[200:], y[200:])
        assert pickle.dumps(model.estimator_) == before
        assert_array_equal(model.predict_proba(X), alike.predict_proba(X))
    model.estimator.set_params(**params)
    for each in (model, alike):
        each.partial_fit(X[200:], y[200:])
    assert_array_equal(model.predict_proba(X), alike.predict_proba(X))


def test_an_error_after_the_first_block_keeps_a_new_parameter():
    class Failing(AROWClassifier):
        def partial_fit(self, X, y, classes=None, sample_weight=None):
            if np.any(X == 99):
                raise RuntimeError("no more")
            return super().partial_fit(X, y, classes, sample_weight)

    X, y = two_classes(400)
    X[350] = 99
    model = streamed(OnlineCalibratedClassifier(Failing(r=1.0)), X[:100], y[:100], 50)
    model.set_params(estimator__r=5.0)
    with pytest.raises(RuntimeError, match="no more"):
        model.partial_fit(X[100:], y[100:])
    assert model.n_samples_seen_ == 300
    assert model.estimator_.r == 5.0


def test_estimators_without_partial_fit_are_refused():
    X, y = two_classes(50)
    with pytest.raises(ValueError, match="'estimator' parameter of OnlineCalibratedClassifier"):
        OnlineCalibratedClassifier(SVC()).fit(X, y)


def test_a_search_on_a_stream():
    """Each chunk but the first was refused: a copy of the estimator counted as another one."""
    X, y = two_classes(200)
    search = ProgressiveSearch(AROWClassifier(), {"r": [0.1, 10.0]}, random_state=0)
    model, alone = OnlineCalibratedClassifier(search), clone(search)
    for each in (model, alone):
        for chunk in (slice(100), slice(100, None)):
            each.partial_fit(X[chunk], y[chunk], classes=np.unique(y))
    assert_array_equal(model.decision_function(X), alone.decision_function(X))
