"""Extreme values: linear models stay finite, or an error names the reason."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from sklearn_online_svm.active import (
    LabelEfficientClassifier,
    MarginQuery,
    RandomQuery,
)
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

HUGE = 2**70
# Parameters that are converted to integers, and to floats, by the engine.
INTEGERS = ["average", "max_iter", "n_iter_no_change", "verbose", "n_jobs", "random_state"]
FLOATS = ["C", "epsilon", "positive_margin", "a", "r"]
ESTIMATORS = [
    AROWClassifier,
    CostSensitivePassiveAggressiveClassifier,
    LabelEfficientClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SCWClassifier,
    SecondOrderPerceptronClassifier,
]


@pytest.mark.parametrize("make", ESTIMATORS)
@pytest.mark.parametrize("value", [HUGE, 10**400])
def test_huge_integers_are_refused_by_name(make, value):
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    first = {} if make is PassiveAggressiveRegressor else {"classes": [0, 1]}
    for name in set(INTEGERS + FLOATS).intersection(make().get_params()):
        if value == HUGE and name in FLOATS:
            make(**{name: value}).fit(X, y)
            continue
        with pytest.raises(ValueError, match=f"{name}.*{value}"):
            make(**{name: value}).fit(X, y)
        with pytest.raises(ValueError, match=f"{name}.*{value}"):
            make(**{name: value}).partial_fit(X, y, **first)


@pytest.mark.parametrize("name", ["delta", "offset", "rate", "random_state"])
def test_huge_integers_of_query_strategies(name):
    for value in (HUGE, 10**400):
        for make in (MarginQuery, RandomQuery):
            if name not in make().get_params():
                continue
            if value == HUGE and name in ("delta", "offset"):
                assert make(**{name: value}).query([0.1, 0.2]).shape == (2,)
                continue
            with pytest.raises(ValueError, match=f"{name}.*{value}"):
                make(**{name: value}).query([0.1, 0.2])
            with pytest.raises(ValueError, match=f"{name}.*{value}"):
                rule = make(**{name: value})
                LabelEfficientClassifier(query_strategy=rule).fit([[0.0], [1.0]], [0, 1])


def test_huge_integers_of_other_arguments():
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    with pytest.raises(ValueError, match=r"class_weight\[1\] must be a finite number >= 0"):
        PassiveAggressiveClassifier(class_weight={1: 10**400}).fit(X, y)
    for costs in ({1: 10**400}, [[0, 10**400], [1, 0]]):
        with pytest.raises(ValueError, match=r"costs.* number.* got .*10{400}"):
            CostSensitivePassiveAggressiveClassifier(costs=costs).fit(X, y)
    # More suspects than samples.
    model = AROWClassifier().fit(X, y)
    assert len(model.suspect_labels(X, y, n_suspects=HUGE)) == 40


# -- finite models ----------------------------------------------------------------------

LEARNERS = [
    *(SecondOrderPerceptronClassifier(a=a) for a in (1e-30, 1e-6, 1e6)),
    *(ConfidenceWeightedClassifier(eta=eta) for eta in (0.6, 0.999)),
    *(SCWClassifier(C=1e6, loss=loss, eta=0.999) for loss in ("hinge", "squared_hinge")),
    SCWClassifier(C=np.inf),
    *(AROWClassifier(r=r) for r in (1e-30, 1e-6, 1e6)),
]
SHAPES = {
    "noise": lambda rng, X: X,
    "one feature": lambda rng, X: X[:, :1],
    "large": lambda rng, X: 1e9 * X,
    "small": lambda rng, X: 1e-9 * X,
    "of all sizes": lambda rng, X: X * 10.0 ** rng.uniform(-9, 9, (len(X), 1)),
    "far from the origin": lambda rng, X: X + 1e8,
    "nearly the same": lambda rng, X: 1e4 * (X[:1] + 1e-9 * X),
}


def arrays_of(model):
    return [np.asarray(a) for a in (model.coef_, model.intercept_, model.covariance_)]


@pytest.mark.sampled
@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_second_order_models_stay_finite(shape, dtype, covariance):
    """With random labels, hard margins need larger and larger steps."""
    n_fitted = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = SHAPES[shape](rng, rng.normal(size=(300, 4))).astype(dtype)
        y = rng.integers(2, size=300)
        for learner in LEARNERS:
            model = clone(learner).set_params(covariance=covariance)
            if dtype == np.float32 and getattr(model, "a", 1.0) < 1e-20:
                continue  # refused: see below
            for _ in range(5):
                model.partial_fit(X, y, classes=[0, 1])
            assert all(np.isfinite(array).all() for array in arrays_of(model)), model
            n_fitted += model.n_updates_ > 0
    assert n_fitted > 20


@pytest.mark.parametrize(
    "dtype, a, covariance",
    [(np.float32, 1e-40, "diag"), (np.float64, 1e-310, "diag"), (np.float64, 1e-200, "full")],
)
def test_initial_variance_beyond_the_dtype(dtype, a, covariance):
    X, y = np.eye(4, dtype=dtype), [0, 1, 0, 1]
    model = SecondOrderPerceptronClassifier(a=a, covariance=covariance)
    with pytest.raises(ValueError, match="1 / a = .* too large for float.*: choose a larger a"):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_samples_too_large_for_the_variances():
    X, y = np.eye(4, dtype=np.float32), np.array([0, 1, 0, 1])
    model = SecondOrderPerceptronClassifier(a=1e-30, covariance="diag")
    model.partial_fit(X, y, classes=[0, 1])
    before = arrays_of(model)
    X[2] = 1e5
    for samples, n in ((X, 2), (X[2:3], 0)):
        with pytest.raises(ValueError, match=f"Row {n} of X has .* or choose a larger a than"):
            model.partial_fit(samples, y[: len(samples)])
    for array, old in zip(arrays_of(model), before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_tiny_samples_with_a_hard_margin():
    for dtype, size in ((np.float32, 1e-19), (np.float64, 1e-155)):
        X = np.full((4, 2), size, dtype=dtype)
        for average in (False, True):
            model = PassiveAggressiveClassifier(C=np.inf, fit_intercept=False, average=average)
            for _ in range(3):
                model.partial_fit(X, [0, 1, 0, 1], classes=[0, 1])
            assert np.isfinite(model.coef_).all()


def test_sample_weights_beyond_the_dtype():
    X = np.eye(2, dtype=np.float32)
    for average in (False, True):
        model = PerceptronClassifier(average=average)
        for _ in range(3):
            model.partial_fit(X, [0, 1], classes=[0, 1], sample_weight=[1e300, 1.0])
        assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("covariance", ["diag", "full"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_variances_that_underflow_are_reported(covariance, dtype):
    """With noisy labels, the hard margin of CW makes variances so small that learning ends."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 3)).astype(dtype)
    noisy, clean = rng.random(len(X)) < 0.5, X[:, 0] > 0
    message = "does not learn any more: after 100000 samples"
    model = ConfidenceWeightedClassifier(covariance=covariance, max_iter=1, tol=None)
    with pytest.warns(ConvergenceWarning, match=message):
        model.fit(X, noisy)
    with pytest.warns(ConvergenceWarning, match=message):
        clone(model).partial_fit(X, noisy, classes=[False, True])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SCWClassifier(covariance=covariance, max_iter=1, tol=None).fit(X, noisy)
        model.fit(X, clean)
