"""LASVC with a sliding window."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVC
from tests.reference.path import violation
from tests.support.internals import engine_of
from tests.support.pairs import noisy_classes, solutions_of_pairs
from tests.support.robust import assert_same_model
from tests.support.samples import ALGORITHMS, three_classes, two_classes

PARAMS = dict(C=3.0, gamma=0.1, random_state=0)


@pytest.mark.sampled
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("samples", "multi_class"),
    [(two_classes, "ovr"), (three_classes, "ovr"), (three_classes, "ovo")],
)
def test_model_is_independent_of_threads_and_caches(samples, multi_class, algorithm):
    X, y = samples(250)
    params = dict(PARAMS, algorithm=algorithm, multi_class=multi_class, window_size=50)
    whole, *others = (
        LASVC(**params, **more).partial_fit(X, y, np.unique(y))
        for more in ({}, {"n_jobs": 3}, {"cache_size": 1e-3})
    )
    for other in others:
        assert_same_model(other, whole)


def test_float32_samples():
    """lasvm-full ends at the optimum over the window, which depends on rounding but little."""
    X, y = two_classes(400)
    params = dict(PARAMS, algorithm="lasvm-full", tol=1e-6, window_size=100)
    double, single = (LASVC(**params).fit(X.astype(t), y) for t in (np.float64, np.float32))
    values = single.decision_function(X.astype(np.float32))
    assert_allclose(values, double.decision_function(X), rtol=0, atol=1e-3)


def test_unreached_window_does_not_change_the_model():
    X, y = two_classes(300)
    plain = LASVC(max_iter=1, **PARAMS).fit(X, y)
    assert_same_model(LASVC(window_size=300, **PARAMS).fit(X, y), plain)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_window_size_bounds_the_age_of_support_vectors(multi_class, algorithm):
    X, y = three_classes(300)
    model = LASVC(algorithm=algorithm, multi_class=multi_class, window_size=60, **PARAMS)
    for first in range(0, 300, 20):
        model.partial_fit(X[first : first + 20], y[first : first + 20], [10, 20, 30])
        assert model.support_.min() >= first + 20 - 60
        for problem in engine_of(model).problems:
            ids = problem.members["row_id"][problem.slots()]
            assert ids.min() >= first + 20 - 60
    assert len(model.support_) > 20


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-full"])
@pytest.mark.parametrize("window_size", [40, 100])
def test_a_pair_is_optimal_over_its_samples_in_the_window(window_size, algorithm):
    """The window counts the samples of all classes."""
    X, y = noisy_classes(400, 4)
    params = dict(PARAMS, multi_class="ovo", algorithm=algorithm, tol=1e-6)
    model, K = LASVC(window_size=window_size, **params), rbf_kernel(X, gamma=PARAMS["gamma"])
    for first in range(0, 400, 23):
        rows = slice(first, first + 23)
        model.partial_fit(X[rows], y[rows], range(4))
    model.finish()
    in_window = np.arange(400) >= 400 - window_size
    for pair in solutions_of_pairs(model, y):
        rows = pair.rows[in_window[pair.rows]]
        assert not pair.alpha[~in_window].any()
        found = violation(
            K[np.ix_(rows, rows)],
            pair.terms[rows],
            np.full(len(rows), PARAMS["C"]),
            pair.alpha[rows],
            has_bias=algorithm == "lasvm",
        )
        assert found < 1e-5


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_window_size_follows_concept_drift(algorithm):
    """The class labels are swapped halfway."""
    X, y = two_classes(1200, noise=0.1)
    y = np.where(np.arange(1200) < 600, y == "yes", y != "yes")
    remembers = LASVC(algorithm=algorithm, **PARAMS)
    forgets = LASVC(algorithm=algorithm, window_size=200, **PARAMS)
    for first in range(0, 1200, 100):
        rows = slice(first, first + 100)
        for model in (remembers, forgets):
            model.partial_fit(X[rows], y[rows], [False, True])
    assert remembers.support_.min() < 600 < 1000 <= forgets.support_.min()
    assert forgets.score(X[1000:], y[1000:]) > 0.85 > 0.5 > forgets.score(X[:600], y[:600])


def test_precomputed_and_callable_kernels():
    X, y = two_classes(200)
    rbf = partial(rbf_kernel, gamma=0.1)
    # lasvm-full ends at the optimum over the window, which depends on rounding but little.
    params = dict(PARAMS, window_size=50, algorithm="lasvm-full", tol=1e-6)
    model = LASVC(**params).fit(X, y)
    assert len(model.support_) <= 50
    function = LASVC(**{**params, "kernel": rbf}).fit(X, y)
    matrix = LASVC(**{**params, "kernel": "precomputed"}).fit(rbf(X, X), y)
    for values in (function.decision_function(X), matrix.decision_function(rbf(X, X))):
        assert_allclose(values, model.decision_function(X), rtol=0, atol=1e-3)


def test_window_may_be_changed_during_training():
    X, y = two_classes(400)
    model = LASVC(**PARAMS).partial_fit(X[:200], y[:200], np.unique(y))
    before = model.decision_function(X)
    model.set_params(window_size=50)
    assert_array_equal(model.decision_function(X), before)
    model.partial_fit(X[200:], y[200:])
    assert model.support_.min() >= 350
    model.set_params(window_size=None).partial_fit(X[:100], y[:100])
    assert model.support_.max() >= 400 and len(model.support_) > 50


def test_hard_margin():
    X, y = two_classes(300, noise=0.0)
    model = LASVC(C=np.inf, gamma=0.5, window_size=100, random_state=0).fit(X, y)
    assert len(model.support_) <= 100 and model.score(X, y) > 0.75


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (dict(window_size=9, max_iter=2), "window_size=9 .* max_iter=1 .* got max_iter=2"),
        (dict(window_size=9, max_iter=-1), "max_iter=1 .* got max_iter=-1"),
        (dict(window_size=9, warm_start=True), "warm_start=False, got .*warm_start=True"),
    ],
)
def test_errors_name_the_parameter(params, message):
    X, y = two_classes(60)
    model = LASVC(**PARAMS).fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match=message):
        model.set_params(**params).fit(X, y)
    model.set_params(**LASVC(**PARAMS).get_params())
    assert_array_equal(model.decision_function(X), before)
