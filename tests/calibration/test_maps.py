"""Maps from decision values to probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from scipy.special import expit, log_expit, log_softmax
from sklearn.calibration import _SigmoidCalibration

from tests.support.internals import MultinomialMap, SplineMap, minimize_convex
from tests.support.limits import set_limits


def scored(n=500, seed=0, n_classes=2):
    rng = np.random.default_rng(seed)
    codes = rng.integers(n_classes, size=n)
    if n_classes == 2:
        return (2.0 * codes - 1.0) + rng.normal(size=n) * 1.5, codes, rng.uniform(0.1, 2.0, n)
    return np.eye(n_classes)[codes] + rng.normal(size=(n, n_classes)), codes, np.ones(n)


def test_equal_slopes_are_the_sigmoid_of_scikit_learn(monkeypatch):
    set_limits(monkeypatch, SPLINE_STIFFNESS=1e9)
    scores, codes, _ = scored()
    ours = SplineMap().fit(scores, codes, np.ones(len(scores)))
    theirs = _SigmoidCalibration().fit(scores, codes)
    points = np.linspace(-5, 5, 21)
    assert_allclose(np.exp(ours.log_proba(points)[:, 1]), theirs.predict(points), atol=1e-4)


def reference_spline(scores, codes, weights):
    """Return log-odds at given points, by L-BFGS-B with the slopes as coefficients."""
    knots, width, stiffness = np.array([-1.0, 0.0, 1.0]), 0.5, 0.01

    def ramps(f):
        soft = [width * np.logaddexp(0, (f - knot) / width) for knot in knots]
        return np.stack([f - soft[0], soft[0] - soft[1], soft[1] - soft[2], soft[2]], axis=1)

    n_pos, n_neg = (weights[codes == c].sum() for c in (1, 0))
    target = np.where(codes == 1, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    phi = ramps(scores)

    def loss(p):
        z = phi @ p[:4] + p[4]
        value = -(weights * (target * log_expit(z) + (1 - target) * log_expit(-z))).sum()
        bends = np.diff(p[:4])
        residual = weights * (expit(z) - target)
        gradient = np.append(phi.T @ residual, residual.sum())
        gradient[1:4] += stiffness * bends
        gradient[:3] -= stiffness * bends
        return value + 0.5 * stiffness * bends @ bends, gradient

    found = minimize(
        loss, [1, 1, 1, 1, 0], jac=True, method="L-BFGS-B",
        bounds=[(0, None)] * 4 + [(None, None)], options=dict(maxiter=5000, ftol=1e-15, gtol=1e-9),
    )  # fmt: skip
    return found.fun, lambda f: ramps(f) @ found.x[:4] + found.x[4], loss


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("scale", "share"), [(0.1, 1.0), (1.0, 1.0), (5.0, 1.0), (1.0, 1e-3)])
def test_spline_is_the_optimum(seed, scale, share):
    scores, codes, weights = scored(seed=seed)
    scores *= scale
    weights *= share  # with 1e-3 they are about half a sample
    value, logits, loss = reference_spline(scores, codes, weights)
    spline = SplineMap().fit(scores, codes, weights)
    assert loss(np.append(spline.slopes_, spline.intercept_))[0] <= value + 1e-6 * abs(value)
    points = np.linspace(scores.min(), scores.max(), 21)
    ours = spline.log_proba(points)
    assert_allclose(ours[:, 1] - ours[:, 0], logits(points), atol=0.02)


def test_few_evaluations_are_needed():
    """Full Newton steps decrease the loss by about half of its first-order change: enough."""
    scores, codes, _ = scored()
    n_calls = 0
    basis = np.column_stack([scores, np.ones(len(scores))])

    def loss(p):
        nonlocal n_calls
        n_calls += 1
        z, sign = basis @ p, 2.0 * codes - 1.0
        slope = -sign * expit(-sign * z)
        hessian = (basis * (expit(z) * expit(-z))[:, None]).T @ basis / len(codes)
        return -log_expit(sign * z).mean(), basis.T @ slope / len(codes), hessian

    minimize_convex(loss, np.zeros(2), np.array([True, False]))
    assert n_calls < 12


@pytest.mark.parametrize("scale", [1.0, 100.0])
def test_steps_that_are_too_long_are_halved(scale):
    def loss(x):  # Newton's method diverges from |x| > 1.1
        slope = np.tanh(x)
        value = scale * np.logaddexp(x, -x).sum()
        return value, scale * slope, scale * np.diag(1.0 - slope**2)

    found = minimize_convex(loss, np.array([2.0, -3.0]), np.zeros(2, dtype=bool))
    assert_allclose(found, 0.0, atol=1e-6)


def test_multinomial_is_the_optimum():
    scores, codes, weights = scored(n_classes=4)
    counts = np.bincount(codes, minlength=4)
    own = ((counts + 1) / (counts + 2))[codes]
    target = np.repeat((1 - own)[:, None] / 3, 4, axis=1)
    target[np.arange(len(codes)), codes] = own

    def loss(p):
        log_p = log_softmax(scores * p[:4] + p[4:], axis=1)
        residual = np.exp(log_p) - target
        gradient = np.concatenate([(residual * scores).sum(axis=0), residual.sum(axis=0)])
        return -(target * log_p).sum(), gradient

    bounds = [(0, None)] * 4 + [(None, None)] * 4
    found = minimize(loss, np.repeat([1.0, 0], 4), jac=True, method="L-BFGS-B", bounds=bounds)
    fitted = MultinomialMap().fit(scores, codes, weights)
    assert loss(np.append(fitted.slopes_, fitted.intercepts_))[0] <= found.fun + 1e-6


@pytest.mark.parametrize("kind", [SplineMap, MultinomialMap])
def test_weights_are_repetitions(kind):
    scores, codes, _ = scored(60, n_classes=2 if kind is SplineMap else 3)
    times = np.random.default_rng(1).integers(1, 4, len(codes))
    weighted = kind().fit(scores, codes, times.astype(float))
    repeated = kind().fit(scores.repeat(times, axis=0), codes.repeat(times), np.ones(times.sum()))
    assert_allclose(weighted.log_proba(scores), repeated.log_proba(scores), atol=1e-6)


# Scores of equal, of extreme and of usual size, any labels.
SCORES = st.lists(
    st.tuples(
        st.one_of(st.floats(-3, 3), st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -1.0])),
        st.integers(0, 1),
        st.floats(1e-3, 1e3),
    ),
    min_size=1,
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(sample=SCORES)
def test_splines_are_monotone(sample):
    scores, codes, weights = (np.array(column) for column in zip(*sample, strict=True))
    fitted = SplineMap().fit(scores, codes, weights)
    points = np.concatenate([np.linspace(-4, 4, 81), scores])
    points.sort()
    log_p = fitted.log_proba(points)
    assert np.isfinite(fitted.slopes_).all() and np.isfinite(fitted.intercept_)
    assert (fitted.slopes_ >= 0.0).all()
    assert (np.diff(log_p[:, 1]) >= -1e-9 * np.abs(log_p[1:, 1])).all()
    assert_allclose(np.exp(log_p).sum(axis=1), 1.0)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(sample=SCORES, shift=st.floats(-2, 2))
def test_multinomial_increases_with_the_own_score(sample, shift):
    scores, codes, weights = (np.array(column) for column in zip(*sample, strict=True))
    scores = np.clip(np.column_stack([scores, shift - scores, scores * 0.5]), -1e3, 1e3)
    fitted = MultinomialMap().fit(scores, codes, weights)
    assert (fitted.slopes_ >= 0.0).all() and np.isfinite(fitted.intercepts_).all()
    for c in range(3):
        higher = scores.copy()
        higher[:, c] += 0.5
        gain = fitted.log_proba(higher)[:, c] - fitted.log_proba(scores)[:, c]
        assert (gain >= -1e-9).all()


def test_splines_of_a_single_class():
    """The first chunk of a stream may have one class only."""
    fitted = SplineMap().fit(np.linspace(-1, 1, 20), np.ones(20, dtype=int), np.ones(20))
    assert_allclose(np.exp(fitted.log_proba(np.zeros(1)))[0, 1], 21 / 22, atol=1e-3)


def test_opposite_scores_give_a_constant():
    """Slopes are not negative: scores that contradict the labels are ignored."""
    scores, codes, weights = scored()
    fitted = SplineMap().fit(-scores, codes, weights)
    assert_array_equal(fitted.slopes_, 0.0)
