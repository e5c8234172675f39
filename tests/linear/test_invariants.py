"""Properties of the linear models for random problems, and invalid samples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_regressor

from sklearn_online_svm.linear import (
    AROWClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    PerceptronClassifier,
    SecondOrderPerceptronClassifier,
)
from tests.support.cases import in_turn
from tests.support.linear_kinds import (
    JOINT,
    MODELS,
    SECOND_ORDER,
    assert_close,
    clouds,
    cspa,
    quickly,
    regression,
    trained,
)
from tests.support.linear_models import assert_same
from tests.support.samples import LAYOUTS

# -- random problems ------------------------------------------------------------------------


class Problem:
    """A model, training samples, and their weights."""

    def __init__(self, model, X, y, n_classes, weights):
        self.model, self.X, self.y, self.weights = model, X, y, weights
        self.n_classes = n_classes

    def __repr__(self):
        return f"Problem({self.__dict__})"

    def trained(self, X=None, y=None, model=None, weights=None, chunk=None, **params):
        """Return a clone of the model trained on these samples, in one chunk by default."""
        model = clone(self.model if model is None else model).set_params(**params)
        X, y = self.X if X is None else X, self.y if y is None else y
        weights = self.weights if weights is None else weights
        return trained(model, X, y, np.arange(self.n_classes), chunk, weights)


@st.composite
def problems(draw, models=MODELS, *, coarse=True, dtype=None, weighted=True):
    """Small problems; `coarse` ones have equal samples, and margins that are met exactly."""
    model = clone(draw(st.sampled_from(models)))
    n, n_features = draw(st.integers(1, 20)), draw(st.integers(1, 9))
    n_classes = draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    X = rng.normal(size=(n, n_features)) * 10 ** draw(st.floats(-1, 1))
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.3, 0.8]))] = 0.0
    y = rng.normal(size=n) if is_regressor(model) else rng.integers(n_classes, size=n)
    if coarse and draw(st.booleans()):
        X = np.round(X)
    if coarse and draw(st.booleans()):
        X = X[rng.integers(0, n, n)]
    weights = None
    if weighted and draw(st.booleans()):
        weights = rng.choice([0.0, 0.5, 1.0, 3.0], n)
    dtype = draw(st.sampled_from([np.float32, np.float64])) if dtype is None else dtype
    if not draw(st.booleans()):
        model.set_params(fit_intercept=False)
    return Problem(model, X.astype(dtype), y, n_classes, weights)


layouts = st.sampled_from(list(LAYOUTS))


def with_zeros(X, rng):
    """Return a CSR matrix with explicit zeros."""
    X = csr_matrix(X)
    samples, columns = X.nonzero()
    extra = np.argwhere((X.toarray() == 0) & (rng.random(X.shape) < 0.5))
    values = np.concatenate([X.data, np.zeros(len(extra), X.dtype)])
    samples = np.concatenate([samples, extra[:, 0]])
    columns = np.concatenate([columns, extra[:, 1]])
    stored = csr_matrix((values, (samples, columns)), shape=X.shape)
    assert stored.nnz == X.nnz + len(extra)
    return stored


def scrambled(X, rng):
    """Return a CSR matrix with unsorted indices, some of them twice."""
    X = csr_matrix(X)
    indptr, columns, values = [0], [], []
    for i in range(X.shape[0]):
        row = X[i]
        twice = rng.random(row.nnz) < 0.5
        its_columns = np.concatenate([row.indices, row.indices[twice]])
        its_values = np.concatenate([np.where(twice, row.data / 2, row.data), row.data[twice] / 2])
        order = rng.permutation(len(its_columns))
        columns.extend(its_columns[order])
        values.extend(its_values[order])
        indptr.append(len(columns))
    out = csr_matrix(X.shape, dtype=X.dtype)
    out.data = np.array(values, X.dtype)
    out.indices, out.indptr = np.array(columns, np.int32), np.array(indptr, np.int32)
    return out


@quickly
@given(problems(coarse=False, dtype=np.float64), st.integers(0, 1000))
def test_explicit_zeros(problem, seed):
    stored = with_zeros(problem.X, np.random.default_rng(seed))
    assert_close(problem.trained(stored), problem.trained(csr_matrix(problem.X)))


@quickly
@given(problems(coarse=False, dtype=np.float64), st.integers(0, 1000))
def test_unsorted_and_duplicate_indices(problem, seed):
    X = scrambled(problem.X, np.random.default_rng(seed))
    before = [array.copy() for array in (X.data, X.indices, X.indptr)]
    assert_close(problem.trained(X), problem.trained(csr_matrix(problem.X)))
    for array, old in zip((X.data, X.indices, X.indptr), before):
        assert_array_equal(array, old)
    # 64-bit indices, and fit.
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert_same(problem.trained(wide), problem.trained(X))
    all_there = problem.n_classes in (None, len(np.unique(problem.y)))
    if all_there and problem.weights is None:
        passes = dict(max_iter=2, tol=None, random_state=0)
        model = clone(problem.model).set_params(**passes)
        plain = clone(model).fit(csr_matrix(problem.X), problem.y)
        assert_close(model.fit(X, problem.y), plain)


@quickly
@given(problems(coarse=False, dtype=np.float64), layouts, st.data())
def test_permuted_features(problem, layout, data):
    order = np.array(data.draw(st.permutations(range(problem.X.shape[1]))))
    one = problem.trained(LAYOUTS[layout](problem.X))
    other = problem.trained(LAYOUTS[layout](problem.X[:, order]))
    scale = max(1.0, np.abs(one.coef_).max())
    assert_allclose(other.coef_, one.coef_[..., order], rtol=1e-9, atol=1e-9 * scale)
    assert_allclose(other.intercept_, one.intercept_, rtol=1e-9, atol=1e-9 * scale)
    if hasattr(one, "covariance_"):
        covariance = one.covariance_
        everything = np.append(order, np.arange(len(order), covariance.shape[1]))
        covariance = covariance[:, everything]
        if covariance.ndim == 3:
            covariance = covariance[:, :, everything]
        assert_allclose(other.covariance_, covariance, rtol=1e-9, atol=1e-12)


# Model; parameters and factor of the weights after scaling the samples by s.
SCALED = [
    (PassiveAggressiveClassifier(C=0.5), lambda s: dict(C=0.5 / s**2), lambda s: 1 / s),
    (
        PassiveAggressiveClassifier(C=0.5, loss="squared_hinge", average=True, **JOINT),
        lambda s: dict(C=0.5 / s**2),
        lambda s: 1 / s,
    ),
    (
        cspa(C=0.5, rule="prediction"),
        lambda s: dict(C=0.5 / s**2),
        lambda s: 1 / s,
    ),
    (PassiveAggressiveRegressor(C=0.5), lambda s: dict(C=0.5 / s**2), lambda s: 1 / s),
    (PerceptronClassifier(), lambda s: {}, lambda s: s),
    (AROWClassifier(r=0.5), lambda s: dict(r=0.5 * s**2), lambda s: 1 / s),
    (AROWClassifier(covariance="full"), lambda s: dict(r=s**2), lambda s: 1 / s),
    (SecondOrderPerceptronClassifier(a=0.5), lambda s: dict(a=0.5 * s**2), lambda s: 1 / s),
    (
        SecondOrderPerceptronClassifier(covariance="diag"),
        lambda s: dict(a=s**2),
        lambda s: 1 / s,
    ),
]


# The ids of functions differ between the processes of pytest-xdist.
@pytest.mark.parametrize(
    "model, numbers, weights", SCALED, ids=[str(model)[:60] for model, *_ in SCALED]
)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("s", [0.25, 8.0])
def test_scaled_samples(model, numbers, weights, layout, s):
    """Scaling by a power of 2 changes only the exponents."""
    model = clone(model).set_params(fit_intercept=False)
    X, y = regression() if is_regressor(model) else clouds(n_classes=3)
    one = trained(model, LAYOUTS[layout](X), y)
    other = trained(clone(model).set_params(**numbers(s)), LAYOUTS[layout](s * X), y)
    assert_array_equal(other.coef_, weights(s) * one.coef_)
    assert other.n_updates_ == one.n_updates_ > 3
    assert (trained(model, LAYOUTS[layout](s * X), y).coef_ != other.coef_).any() or not numbers(s)


@quickly
@given(problems(dtype=np.float64, weighted=False), layouts, st.sampled_from([0.5, 4.0]))
def test_weights_multiply_C(problem, layout, c):
    """Weights divide r; rules without C ignore weights other than 0."""
    model, X = problem.model, LAYOUTS[layout](problem.X)
    weighted = problem.trained(X, weights=np.full(len(problem.y), c))
    if isinstance(model, SecondOrderPerceptronClassifier):
        return  # see the twin
    if isinstance(model, PerceptronClassifier):
        margins = ("positive_margin", "negative_margin")
        params = {name: getattr(model, name) / c for name in margins}
        plain = problem.trained(X, **params)
        assert_array_equal(weighted.coef_, c * plain.coef_)
        return
    params = {}
    if hasattr(model, "C"):
        params["C"] = c * model.C
    if hasattr(model, "r"):
        params["r"] = model.r / c
    assert_same(weighted, problem.trained(X, **params))


@quickly
@given(problems(SECOND_ORDER), layouts)
def test_covariances_stay_positive_and_shrink(problem, layout):
    model, X = clone(problem.model), LAYOUTS[layout](problem.X)
    n_inputs = problem.X.shape[1] + model.fit_intercept
    largest = 1 / getattr(model, "a", 1.0)
    diagonal = model.covariance == "diag"
    before = np.full(n_inputs, largest) if diagonal else largest * np.eye(n_inputs)
    start, moved = before, False
    for i in range(len(problem.y)):
        model.partial_fit(X[i : i + 1], problem.y[i : i + 1], np.arange(problem.n_classes))
        now = model.covariance_
        if diagonal:
            assert (now > 0).all() and (now <= before).all()
        else:
            assert_array_equal(now, now.transpose(0, 2, 1))
            assert (np.linalg.eigvalsh(now) > 0).all()
            assert (np.linalg.eigvalsh(before - now) > -1e-13).all()
        moved |= model.n_updates_ > 0 and problem.X[i].any()
        before = now.copy()
    assert (before != start).any() or not moved


@pytest.mark.sampled
@pytest.mark.parametrize("model, layout", in_turn(SECOND_ORDER, LAYOUTS), ids=str)
@pytest.mark.parametrize("dtype, most", [(np.float32, 5), (np.float64, 7)])
def test_variances_are_positive_for_features_of_any_scale(model, dtype, most, layout):
    """If x'Sx comes from one feature, its variance falls by many orders in one step."""
    for exponent in range(most + 1):
        for seed in range(5):
            rng = np.random.default_rng(seed)
            X = (rng.normal(size=(30, 3)) * [1, 1, 10.0**exponent]).astype(dtype)
            y = rng.integers(2, size=30)
            fitted = trained(clone(model).set_params(fit_intercept=False), LAYOUTS[layout](X), y)
            if model.covariance == "diag":
                assert (fitted.covariance_ > 0).all()
                assert (fitted.decision_variance(LAYOUTS[layout](X)) > 0).all()
            elif exponent <= 5:
                # Rounding of the large variances may exceed the small ones.
                assert np.linalg.eigvalsh(fitted.covariance_[0]).min() > -1e-12
            assert np.isfinite(fitted.coef_).all()


# -- invalid samples --------------------------------------------------------------------------
