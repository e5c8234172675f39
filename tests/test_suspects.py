"""``suspect_labels`` of all classifiers."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import SGDClassifier
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC, LASVR, ActiveLASVC, RampSVC
from sklearn_online_svm.active import AllQuery, LabelEfficientClassifier
from sklearn_online_svm.datasets import flip_labels
from sklearn_online_svm.linear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    CostSensitivePassiveAggressiveClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.internals import _suspects
from tests.support.samples import LAYOUTS, three_classes, two_classes

KERNEL_MODELS = [
    LASVC(gamma=0.5, C=5.0, ramp_s=-0.3, multi_class="ovr"),
    LASVC(gamma=0.5, C=5.0, ramp_s=-0.3, algorithm="lasvm-nc"),
    LASVC(gamma=0.5, C=5.0, ramp_s=-0.3, algorithm="lasvm-i"),
    RampSVC(gamma=0.5, C=5.0, ramp_s=-0.3, multi_class="ovr"),
    LASVC(gamma=0.5, C=5.0, ramp_s=-0.3, multi_class="ovo"),
    RampSVC(gamma=0.5, C=5.0, multi_class="ovo", decision_function_shape="ovo"),
]
LINEAR_MODELS = [
    PassiveAggressiveClassifier(C=0.1),
    PassiveAggressiveClassifier(average=True, multi_class="crammer_singer"),
    PerceptronClassifier(),
    SecondOrderPerceptronClassifier(),
    ConfidenceWeightedClassifier(),
    SCWClassifier(C=0.1),
    AROWClassifier(),
    CostSensitivePassiveAggressiveClassifier(),
    LabelEfficientClassifier(AROWClassifier(), AllQuery()),
]
with_models = pytest.mark.parametrize("model", [*KERNEL_MODELS, *LINEAR_MODELS], ids=str)


def margins_of(model, X, y, held_out=False):
    """Return the margins by their definition, ``held_out``: each without the sample."""
    if getattr(model, "multi_class", "ovr") == "ovo" and len(model.classes_) > 2:
        return margins_of_pairs(model, X, y, held_out)
    scores = values_of(model, X, y, held_out)
    if scores.ndim == 1:
        return np.where(y == model.classes_[1], scores, -scores)
    codes = np.searchsorted(model.classes_, y)
    others = [np.delete(row, code).max() for row, code in zip(scores, codes)]
    return 0.5 * (scores[np.arange(len(y)), codes] - others)


def values_of(model, X, y, held_out):
    if held_out and hasattr(model, "leave_one_out_decision_function"):
        return model.leave_one_out_decision_function(X, y)
    return model.decision_function(X)


def margins_of_pairs(model, X, y, held_out):
    shape = model.decision_function_shape
    scores = values_of(model.set_params(decision_function_shape="ovo"), X, y, held_out)
    model.set_params(decision_function_shape=shape)
    pairs = [*combinations(model.classes_, 2)]
    return [
        min(f if label == a else -f for f, (a, b) in zip(row, pairs) if label in (a, b))
        for label, row in zip(y, scores)
    ]


@pytest.mark.sampled
@with_models
@pytest.mark.parametrize("problem", [two_classes, three_classes])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_suspects_are_the_samples_with_the_smallest_margins(model, problem, layout, monkeypatch):
    monkeypatch.setattr(_suspects, "LOOSE", 10.0)  # as for leave_one_out_decision_function
    X, y = problem(200)
    model = clone(model).set_params(random_state=0).fit(LAYOUTS[layout](X), y)
    before = pickle.dumps(model)
    cases = ((X, y), True), ((X[:100], y[:100]), False), (problem(150, seed=3), False)
    for samples, held_out in cases:
        X, y = LAYOUTS[layout](samples[0]), samples[1]
        expected = np.array(margins_of(model, X, y, held_out))
        suspects, margins = model.suspect_labels(X, y, return_margins=True)
        assert_allclose(margins, expected[suspects], rtol=1e-12, atol=1e-12)
        assert set(suspects) == set(np.flatnonzero(expected < getattr(model, "ramp_s", -1.0)))
        assert_array_equal(model.suspect_labels(X, y), suspects)
        order = np.argsort(expected, kind="stable")
        for n in (0, 7, np.int64(3), len(y), 10**9):
            suspects, margins = model.suspect_labels(X, y, n_suspects=n, return_margins=True)
            assert_array_equal(suspects, order[:n])
            assert_allclose(margins, expected[suspects], rtol=1e-12, atol=1e-12)
    assert pickle.dumps(model) == before


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_margins_of_training_samples_have_the_tolerance_of_an_order(multi_class):
    X, y = three_classes(200)
    model = LASVC(gamma=0.5, C=5.0, multi_class=multi_class, random_state=0).fit(X, y)
    suspects, margins = model.suspect_labels(X, y, n_suspects=len(y), return_margins=True)
    difference = np.abs(margins - np.array(margins_of(model, X, y, held_out=True))[suspects])
    assert 10 * model.tol < difference.max() < 100 * model.tol


@pytest.mark.parametrize("tol", [0.01, 0.1])
def test_a_large_tol_is_not_multiplied_by_100(tol):
    """Decision values were uncertain by the margin, and many correct labels were suspects."""
    X, y = three_classes(200)
    model = LASVC(gamma=0.5, C=5.0, tol=tol, random_state=0).fit(X, y)
    suspects, margins = model.suspect_labels(X, y, n_suspects=len(y), return_margins=True)
    assert_array_equal(margins, np.array(margins_of(model, X, y, held_out=True))[suspects])


def test_equal_margins_keep_the_order_of_the_samples():
    X, y = two_classes()
    model = clone(KERNEL_MODELS[1]).fit(X, y)
    X, y = np.tile(X[:1], (5, 1)), np.tile(y[:1], 5)
    assert_array_equal(model.suspect_labels(X, y, n_suspects=5), np.arange(5))


@with_models
def test_invalid_input_is_refused(model):
    X, y = two_classes(100)
    with pytest.raises((NotFittedError, AttributeError)):
        clone(model).suspect_labels(X, y)
    model = clone(model).fit(X, y)
    for value in (-1, 1.5, 3.0, "all", np.nan, np.float64(2)):
        with pytest.raises(ValueError, match="n_suspects must be an integer >= 0 or None, got"):
            model.suspect_labels(X, y, n_suspects=value)
    with pytest.raises(ValueError, match=r"classes \['no', 'yes'\]: \['maybe'\]. The classes are"):
        model.suspect_labels(X, np.r_[y[:-1], ["maybe"]])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.suspect_labels(X, y[:-1])
    with pytest.raises(ValueError, match="y should be a 1d array"):
        model.suspect_labels(X, np.c_[y, y])
    with pytest.raises(ValueError, match="X has 3 features"):
        model.suspect_labels(X[:, 1:], y)
    with pytest.raises(ValueError, match="NaN"):
        model.suspect_labels(np.full_like(X, np.nan), y)
    with pytest.raises(TypeError):
        model.suspect_labels(X, y, 10)


@pytest.mark.parametrize("model", [LASVC(algorithm="lasvm-nc", shuffle=False), RampSVC()])
def test_precomputed_kernel(model):
    X, y = two_classes()
    K = rbf_kernel(X, gamma=0.5)
    model = clone(model).set_params(kernel="precomputed").fit(K, y)
    order = np.argsort(margins_of(model, K, y), kind="stable")
    assert_array_equal(model.suspect_labels(K, y, n_suspects=7), order[:7])


@pytest.mark.parametrize("model", [LASVC, ActiveLASVC])
@pytest.mark.parametrize("C", [1.0, 10.0, 100.0])
def test_training_labels_are_judged_without_them(model, C):
    """Also where the model fits most of the wrong labels: their margins are about 1."""
    X, y = load_digits(return_X_y=True)
    X, y = X[:600] / 16, y[:600]
    noisy, flipped = flip_labels(y, 0.15, random_state=0, return_mask=True)
    model = model(C=C, random_state=0).fit(X, noisy)
    found = flipped[model.suspect_labels(X, noisy, n_suspects=flipped.sum())]
    assert found.mean() > 0.85


@pytest.mark.parametrize("model", [AROWClassifier(), PassiveAggressiveClassifier(average=True)])
def test_linear_models_find_flipped_labels(model):
    X = np.random.default_rng(0).normal(size=(2000, 10))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    noisy, flipped = flip_labels(y, 0.1, random_state=0, return_mask=True)
    model = clone(model).set_params(random_state=0).fit(X, noisy)
    assert flipped[model.suspect_labels(X, noisy, n_suspects=flipped.sum())].mean() > 0.85


@pytest.mark.parametrize(
    "model",
    [
        LASVC(algorithm="lasvm-nc", multi_class="ovr"),
        LASVC(algorithm="lasvm-i"),
        RampSVC(multi_class="ovr"),
        LASVC(algorithm="lasvm-nc", multi_class="ovo"),
        RampSVC(multi_class="ovo"),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 10])
def test_kernel_models_find_flipped_digits(model, n_classes):
    X, y = load_digits(return_X_y=True)
    X, y = X / 16, y if n_classes == 10 else (y >= 5).astype(int)
    train, test = slice(900), slice(900, None)
    noisy, flipped = flip_labels(y[train], 0.15, random_state=0, return_mask=True)
    model = clone(model).set_params(C=10.0, random_state=0).fit(X[train], noisy)
    n = flipped.sum()
    found = flipped[model.suspect_labels(X[train], noisy, n_suspects=n)]
    assert found.mean() > 0.5 > 3 * flipped.mean()
    assert found[: n // 4].mean() > 0.6
    noisy, flipped = flip_labels(y[test], 0.15, random_state=1, return_mask=True)
    assert flipped[model.suspect_labels(X[test], noisy, n_suspects=flipped.sum())].mean() > 0.6


def test_other_models_have_no_suspect_labels():
    for regressor in (PassiveAggressiveRegressor(), LASVR()):
        assert not hasattr(regressor, "suspect_labels")
    other = LabelEfficientClassifier(SGDClassifier()).fit(*two_classes(100))
    assert not hasattr(other, "suspect_labels")
