"""Probabilities of one-vs-one models: coupling, leave-one-out values of pairs, streams."""

import copy
import pickle
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, make_classification
from sklearn.metrics import log_loss
from sklearn.svm import SVC

from sklearn_online_svm import LASVC, RampSVC
from tests.kernel.test_probabilities import values_of
from tests.support.internals import (
    CouplingMap,
    coupled,
)
from tests.support.limits import set_limits


def pairwise(**params):
    return LASVC(multi_class="ovo", probability=True, **params)


def noisy_classes(n_samples, n_classes=5, seed=0):
    X, y = make_classification(
        n_samples,
        12,
        n_informative=7,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.15,
        random_state=seed,
    )
    return X, y


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


# ------------------------------------------------------------------------------ coupling


def disagreement(p, r):
    """Return the sum of squares that coupling minimizes; r[a, b] is P(a | a or b)."""
    return sum((r[b, a] * p[a] - r[a, b] * p[b]) ** 2 for a, b in combinations(range(len(p)), 2))


@pytest.mark.parametrize("n_classes", [3, 4, 7])
def test_coupling_minimizes_the_disagreement(n_classes):
    rng = np.random.default_rng(n_classes)
    log_odds = rng.normal(scale=2.0, size=(5, n_classes * (n_classes - 1) // 2))
    for values, found in zip(log_odds, coupled(log_odds), strict=True):
        r = np.zeros((n_classes, n_classes))
        for (a, b), value in zip(combinations(range(n_classes), 2), values, strict=True):
            r[a, b], r[b, a] = expit(value), expit(-value)
        expected = minimize(
            disagreement,
            np.full(n_classes, 1.0 / n_classes),
            (r,),
            bounds=[(0.0, 1.0)] * n_classes,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1.0},
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        assert_allclose(found, expected.x, atol=1e-5)
        assert disagreement(found, r) <= expected.fun + 1e-12


def test_coupling_of_extreme_and_cyclic_pairs(monkeypatch):
    odds = np.array([[1e300, 1e300, 0.0], [-1e300, 5.0, 1e300], [9.0, -9.0, 9.0], [0.0, 0.0, 0.0]])
    found = coupled(odds)
    assert (found >= 0.0).all()
    assert_allclose(found.sum(axis=1), 1.0)
    assert found[0, 0] > 0.999
    assert_allclose(found[2:], 1.0 / 3.0)
    set_limits(monkeypatch, COUPLING_VALUES_AT_ONCE=9)
    assert_array_equal(coupled(odds), found)


def test_a_pair_without_samples_is_undecided():
    """Two classes without samples have the same probability, a small one."""
    codes = np.repeat([0, 1], 50)
    scores = np.random.default_rng(0).normal(size=(100, 6))
    scores[:, 0] += np.where(codes == 0, 2.0, -2.0)
    fitted = CouplingMap().fit(scores, codes, np.ones(100))
    assert fitted.pair_intercepts_[5] == 0.0 and not fitted.pair_slopes_[:, 5].any()
    p = np.exp(fitted.log_proba(scores))
    assert_allclose(p.sum(axis=1), 1.0)
    assert p[:, 2:].max() < 0.1
    assert ((p[:, 0] > p[:, 1]) == (codes == 0)).mean() > 0.95


# ------------------------------------------------------------------------------ left out


def test_a_sample_changes_only_the_pairs_of_its_class():
    X, y = noisy_classes(200)
    model = pairwise(random_state=0, decision_function_shape="ovo").fit(X, y)
    scores, codes, _ = values_of(model, CouplingMap)
    exact = model.decision_function(X)
    for pair, (first, second) in enumerate(combinations(range(5), 2)):
        others = ~np.isin(codes, (first, second))
        expected = exact[~np.isin(y, (first, second)), pair]
        assert_allclose(np.sort(scores[others, pair]), np.sort(expected), atol=1e-6)


# ------------------------------------------------------------------------------ quality


@pytest.mark.slow
@pytest.mark.parametrize("kind", [LASVC, RampSVC])
@pytest.mark.parametrize("n_classes", [4, 10])
def test_log_loss_is_below_that_of_other_probabilities(n_classes, kind):
    X, y = noisy_classes(2600, n_classes)
    X_train, y_train, X_test, y_test = X[:600], y[:600], X[600:], y[600:]

    def loss(model):
        return log_loss(y_test, model.fit(X_train, y_train).predict_proba(X_test))

    found = loss(kind(multi_class="ovo", probability=True, random_state=0))
    assert found < 1.02 * loss(kind(probability=True, random_state=0))
    assert found < loss(CalibratedClassifierCV(kind(multi_class="ovo"), ensemble=False))
    assert found < 1.02 * loss(CalibratedClassifierCV(SVC(), ensemble=False))


def test_classes_that_are_separated_have_probabilities_close_to_1():
    """Without the correction, targets of nine pairs add up to a probability below 0.93."""
    X, y = digits()
    model = pairwise(C=10, random_state=0).fit(X[:900], y[:900])
    p = model.predict_proba(X[900:])
    assert log_loss(y[900:], p) < 0.2
    assert np.median(p.max(axis=1)) > 0.97


# ------------------------------------------------------------------------------ models


@pytest.mark.parametrize("kind", [LASVC, RampSVC])
def test_shape_ties_and_storage_do_not_matter(kind):
    X, y = noisy_classes(200)
    options = dict(multi_class="ovo", probability=True, tol=1e-6, random_state=0)
    model = kind(**options).fit(X, y)
    p = model.predict_proba(X)
    assert p.shape == (200, 5)
    assert_allclose(p.sum(axis=1), 1.0)
    assert np.isfinite(model.predict_log_proba(1e3 * X)).all()
    assert_array_equal(model.predict_proba(X[:1]), p[:1])
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert_array_equal(other.predict_proba(X), p)
        other.decision_function_shape = "ovo"
        assert_array_equal(other.predict_proba(X), p)
        other.set_params(decision_function_shape="ovr", break_ties=True)
        assert_array_equal(other.predict_proba(X), p)
    single = kind(gamma=model.gamma_, **options).fit(X.astype(np.float32), y)
    assert_allclose(single.predict_proba(X.astype(np.float32)), p, atol=1e-4)


# ------------------------------------------------------------------------------ streams


def test_classes_without_samples():
    X, y = digits()
    few = np.isin(y, [2, 5, 7])
    model = pairwise(gamma=0.3).partial_fit(X[few][:200], y[few][:200], classes=np.arange(10))
    p = model.predict_proba(X[few])
    assert_allclose(p.sum(axis=1), 1.0)
    assert p[:, [0, 1, 3, 4, 6, 8, 9]].max() < 0.03
    assert (p.argmax(axis=1) == y[few]).mean() > 0.95
