"""OneClassLASVM: the optimum of OneClassSVM, and what OneClassSVM's tests demand."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import OneClassSVM
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import LabelEfficientClassifier, OneClassLASVM
from sklearn_online_svm.evaluation import progressive_validation
from tests.support.internals import support_arrays
from tests.support.samples import random_problem

POINTS = np.array([[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]])
FAR = np.array([[-1.0, -1], [2, 2], [3, 2]])


def exact(**params):
    return OneClassLASVM(**{"max_iter": -1, "tol": 1e-7, "random_state": 0, **params})


# ------------------------------------------------------------------------------- the optimum


def compare_with_one_class_svm(seed):
    """Whether both solvers have reached tol."""
    rng, X, _, weights, kernel = random_problem(seed)
    params = dict(nu=float(rng.uniform(0.01, 1)), **kernel)
    twice = np.repeat(np.arange(len(X)), weights.astype(int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # With a linear kernel w is nearly 0, and the rounding of kernel values is above 1e-7.
        tol = 1e-5 if kernel["kernel"] == "linear" else 1e-7
        model = exact(**params, tol=tol).fit(X, None, weights)
        peer = OneClassSVM(**params, tol=tol / 10, max_iter=10**5).fit(X[twice])
    K = pairwise_kernels(
        X, metric=kernel["kernel"], **{k: v for k, v in kernel.items() if k != "kernel"}
    )
    size = params["nu"] * weights.sum()
    alpha, other = np.zeros(len(X)), np.zeros(len(X))
    alpha[model.support_] = size * model.dual_coef_[0]
    np.add.at(other, twice[peer.support_], peer.dual_coef_[0])
    assert_allclose(alpha.sum(), size, rtol=1e-9)
    assert ((alpha >= 0) & (alpha <= weights * (1 + 1e-9))).all()
    assert_allclose(
        model.decision_function(X) * size,
        K @ alpha + size * model.intercept_,
        rtol=0,
        atol=1e-6 * (1 + alpha @ K.diagonal()),
    )
    if not model.kkt_violation_ <= tol or peer.fit_status_:
        return False
    norms = alpha @ K @ alpha, other @ K @ other
    assert_allclose(*norms, rtol=1e-6, atol=1e-6 * np.sqrt(K.diagonal().max()))
    f, f_peer = size * model.decision_function(X), peer.decision_function(X)
    if not ((alpha > 0) & (alpha < weights * (1 - 1e-6))).any():
        # All support vectors are at their bounds: an interval of thresholds is optimal.
        f, f_peer = f - f.mean(), f_peer - f_peer.mean()
    assert_allclose(f, f_peer, rtol=0, atol=1e-3 + 2e-7 * (alpha @ K.diagonal()))
    return True


def test_small_problems_have_the_optimum_of_one_class_svm():
    # Both reach tol on 36 of them.
    assert sum(compare_with_one_class_svm(seed) for seed in range(40)) >= 35


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_many_small_problems_have_the_optimum_of_one_class_svm(first):
    assert sum(compare_with_one_class_svm(1000 + first + k) for k in range(100)) >= 80


# ------------------------------------------------------------------------------- its tests


def test_six_points():
    model = exact(nu=0.5).fit(POINTS)
    predicted = model.predict(FAR)
    assert_array_equal(predicted, [1, -1, -1])
    assert_array_equal(model.decision_function(FAR) > 0, predicted == 1)
    assert predicted.dtype == np.dtype("intp")
    # OneClassSVM returns nu n times these.
    assert_allclose(3 * model.intercept_, [-1.218], atol=1e-3)
    assert_allclose(3 * model.dual_coef_, [[0.75] * 4], atol=1e-3)
    with pytest.raises(AttributeError, match="coef_"):
        _ = model.coef_
    assert_array_equal(model.offset_, -model.intercept_[0])
    assert_array_equal(model.score_samples(FAR), model.decision_function(FAR) + model.offset_)
    linear = exact(nu=0.5, kernel="linear").fit(POINTS)
    expected = POINTS @ linear.coef_[0] - linear.offset_
    assert_allclose(expected, linear.decision_function(POINTS), atol=1e-6)


@pytest.mark.filterwarnings("ignore:Kernel values are rounded:UserWarning")
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_a_linear_kernel_keeps_its_origin(learn):
    """The sum of alpha is not 0: unlike in SVC and SVR, inner products must not be moved."""
    X = np.random.default_rng(0).normal(size=(200, 2)) + [3.0, 300.0]
    params = dict(max_iter=-1) if learn == "fit" else {}
    model = OneClassLASVM(nu=0.2035, kernel="linear", random_state=0, tol=1e-2, **params)
    f = getattr(model, learn)(X).decision_function(X)
    expected = OneClassSVM(nu=0.2035, kernel="linear", tol=1e-2).fit(X).decision_function(X)
    if learn == "fit":
        assert_allclose(40.7 * f, expected, rtol=0, atol=1e-3 * np.ptp(expected))
    assert np.corrcoef(f, expected)[0, 1] > 0.99
    assert_allclose(model.score_samples(X), X @ model.coef_[0], rtol=1e-5)


def test_fit_predict_and_labels_are_ignored():
    X, y = load_iris(return_X_y=True)
    one, other = (OneClassLASVM(nu=0.2, random_state=0).fit(X, labels) for labels in (None, y))
    assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert_array_equal(OneClassLASVM(nu=0.2, random_state=0).fit_predict(X), one.predict(X))


# ------------------------------------------------------------------------------- nu


@settings(max_examples=25, deadline=None)
@given(nu=st.floats(0.02, 1.0), seed=st.integers(0, 1000), n=st.integers(5, 80))
def test_nu_bounds_the_shares(nu, seed, n):
    X = np.random.default_rng(seed).normal(size=(n, 2))
    model = exact(nu=nu, gamma=0.5, tol=1e-6).fit(X)
    outside = np.mean(model.predict(X) == -1)
    assert outside <= nu + 1e-9 <= model.n_support_[0] / n + 2e-9
    assert_allclose(model.dual_coef_.sum(), 1.0, rtol=1e-6)
    assert (model.dual_coef_ <= (1 + 1e-9) / (nu * n)).all()


TABLES = {
    "counts": lambda rng, n: rng.poisson(3, (n, 2)).astype(float),
    "half degrees": lambda rng, n: np.round(rng.normal(20, 1, (n, 1)) * 2) / 2,
    "categories": lambda rng, n: np.eye(8)[rng.integers(0, 8, n)],
    "constant": lambda rng, n: np.full((n, 3), 7.0),
    "rare value": lambda rng, n: rng.choice([0.0, 1.0], (n, 1), p=[0.95, 0.05]),
    "flags": lambda rng, n: (rng.random((n, 12)) < 0.2).astype(float),
    "mixed": lambda rng, n: np.c_[rng.normal(size=n), rng.integers(0, 3, n)],
    "uniform": lambda rng, n: rng.uniform(size=(n, 4)),
    "heavy tails": lambda rng, n: rng.standard_t(3, (n, 1)),
    "normal": lambda rng, n: rng.normal(size=(n, 3)),
}


def table(name, n):
    return TABLES[name](np.random.default_rng(n), n)


@pytest.mark.sampled
@pytest.mark.parametrize("n", [30, 400, 1500])
@pytest.mark.parametrize("name", TABLES)
def test_at_most_the_share_nu_is_outside(name, n):
    """Also where many samples equal a support vector, or nu n is less than 1."""
    X = table(name, n)
    for nu in (1e-6, 0.01, 0.05, 0.3):
        for params in ({}, dict(max_iter=-1, tol=1e-6), dict(kernel="linear", max_iter=-1)):
            model = OneClassLASVM(nu=nu, random_state=0, **params).fit(X)
            assert np.mean(model.predict(X) == -1) <= nu, f"nu={nu}, {params}"


@pytest.mark.parametrize("params", [{}, dict(window_size=200), dict(max_support_vectors=100)])
@pytest.mark.parametrize("name", ["half degrees", "categories", "constant", "rare value"])
def test_equal_samples_are_inside_during_a_stream(name, params):
    """The samples of the commonest value."""
    X = table(name, 400)
    values, n_equal = np.unique(X, axis=0, return_counts=True)
    model = OneClassLASVM(nu=0.01, gamma=0.5, **params)
    for first in range(0, 400, 50):
        model.partial_fit(X[first : first + 50])
        assert model.predict(values[[np.argmax(n_equal)]]) == 1


def test_equal_samples_with_weights_are_inside():
    X = table("half degrees", 400)
    weights = np.random.default_rng(0).uniform(0.0, 3.0, len(X))
    model = OneClassLASVM(nu=0.05, random_state=0).fit(X, sample_weight=weights)
    assert weights[model.predict(X) == -1].sum() <= 0.05 * weights.sum()


def test_tolerance_where_nu_n_is_below_1():
    X = table("uniform", 300)
    model = exact(nu=1e-5, gamma=1.0, tol=1e-4).fit(X)
    scores = model.score_samples(X)
    # The support vectors are on the boundary, up to tol in units of the scores.
    assert_allclose(scores[model.support_], model.offset_, rtol=0, atol=2e-4)
    assert scores.min() >= model.offset_ - 1e-4


def test_nu_of_1_is_the_density_estimate():
    X = np.random.default_rng(0).normal(size=(50, 2))
    for model in (exact(nu=1.0, gamma=0.5).fit(X), OneClassLASVM(1.0, gamma=0.5).partial_fit(X)):
        K = pairwise_kernels(X, metric="rbf", gamma=0.5)
        assert_allclose(model.dual_coef_, np.full((1, 50), 1 / 50), rtol=1e-9)
        assert_allclose(model.score_samples(X), K.mean(axis=0), rtol=0, atol=1e-6)


def test_the_sum_of_alpha_grows_with_the_stream():
    X = np.random.default_rng(0).normal(size=(200, 2))
    weights = np.random.default_rng(1).uniform(0, 2, 200)
    for given_weights in (np.ones(200), weights):
        model = OneClassLASVM(nu=0.15, gamma=0.5)
        for i in range(200):
            model.partial_fit(X[i : i + 1], sample_weight=given_weights[i : i + 1])
            alpha = support_arrays(model)["alpha"]
            assert_allclose(alpha.sum(), 0.15 * given_weights[: i + 1].sum(), rtol=1e-9)


def test_a_stream_ends_near_the_optimum():
    X = np.random.default_rng(0).normal(size=(500, 2))
    model = OneClassLASVM(nu=0.1, gamma=0.5)
    for first in range(0, 500, 25):
        model.partial_fit(X[first : first + 25])
    optimum = OneClassSVM(nu=0.1, gamma=0.5, tol=1e-8).fit(X)
    f, expected = 50 * model.decision_function(X), optimum.decision_function(X)
    assert np.corrcoef(f, expected)[0, 1] > 0.95


@pytest.mark.parametrize("nu, highest", [(0.05, 2.4), (0.15, 1.5)])
def test_share_outside_after_a_single_pass(nu, highest):
    shares = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        model = OneClassLASVM(nu=nu, gamma=0.5, max_iter=1, random_state=0)
        model.fit(rng.normal(size=(2000, 2)))
        shares.append(np.mean(model.predict(rng.normal(size=(4000, 2))) == -1))
    # The optimum gives 1.3 nu and 1.1 nu for 1000 samples. A single pass gives 1.77 nu with a
    # standard deviation of 0.42 nu over seeds, and 1.24 nu with one of 0.15 nu: the highest means
    # are five standard errors above.
    assert 0.9 * nu < np.mean(shares) < highest * nu


def test_epochs_end_when_nothing_changes():
    X = np.random.default_rng(0).normal(size=(200, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OneClassLASVM(nu=0.2, gamma=0.5, max_iter=-1, random_state=0).fit(X)
    assert model.n_iter_ < 10


@pytest.mark.parametrize("n", [1, 2])
def test_few_samples(n):
    for model in (
        OneClassLASVM(0.5, gamma=1.0).fit(POINTS[:n]),
        OneClassLASVM(0.5, gamma=1.0).partial_fit(POINTS[:n]),
    ):
        assert np.isfinite(model.decision_function(FAR)).all()
        assert_allclose(model.dual_coef_.sum(), 1.0)
        assert (model.predict(FAR + 50.0) == -1).all()


# ------------------------------------------------------------------------------- errors


def test_errors():
    X = np.random.default_rng(0).normal(size=(40, 2))
    for nu in (0.0, 1.1, -0.5):
        with pytest.raises(ValueError, match="The 'nu' parameter of OneClassLASVM"):
            OneClassLASVM(nu=nu).fit(X)
    for value in ("foo", 0, -2, 1.5):
        with pytest.raises(InvalidParameterError, match="The 'max_iter' parameter of OneClassLA"):
            OneClassLASVM(max_iter=value).fit(X)
    for name in ("max_support_vectors", "window_size"):
        with pytest.raises(ValueError, match=f"{name}=10 requires a single epoch.*max_iter=-1"):
            OneClassLASVM(**{name: 10}, max_iter=-1).fit(X)
    both = OneClassLASVM(max_support_vectors=10, window_size=20)
    windowed = OneClassLASVM(window_size=20)
    for learn in ("fit", "partial_fit"):
        with pytest.raises(ValueError, match="max_support_vectors=10 cannot be combined with"):
            getattr(both, learn)(X)
        with pytest.raises(ValueError, match="sample_weight is not supported with window_size=20"):
            getattr(windowed, learn)(X, sample_weight=np.linspace(0.1, 1, 40))


def test_tools_for_supervised_models_refuse_it():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="a classifier or a regressor, got OneClassLASVM"):
        progressive_validation(OneClassLASVM(), X, y)
    with pytest.raises(
        TypeError, match=r"OneClassLASVM.partial_fit\(\) got an unexpected .*class"
    ):
        LabelEfficientClassifier(OneClassLASVM()).fit(X, y)
