"""LASVR: the optimum of SVR, what SVR's tests demand, and what is special to regression."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes, load_iris, make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.utils._param_validation import InvalidParameterError

from sklearn_online_svm import LASVR
from sklearn_online_svm.cells import CellRegressor
from tests.support.internals import engine_of, noise, support_arrays
from tests.support.limits import set_limits
from tests.support.samples import random_problem, targets


def exact(**params):
    return LASVR(**{"max_iter": -1, "tol": 1e-7, "random_state": 0, **params})


def over_samples(model, n):
    """alpha of all samples."""
    alpha = np.zeros(n)
    alpha[model.support_] = model.dual_coef_[0]
    return alpha


# ------------------------------------------------------------------------------- the optimum


def compare_with_svr(seed):
    """Whether both solvers have reached tol; the duality gap is checked in any case."""
    rng, X, y, weights, kernel = random_problem(seed)
    C = 10 ** rng.uniform(-2, 3 if kernel["kernel"] == "rbf" else 1)
    epsilon = float(rng.choice([0.0, 10 ** rng.uniform(-3, 0)]))
    params = dict(C=float(C), epsilon=epsilon, **kernel)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = exact(**params).fit(X, y, weights)
        twice = np.repeat(np.arange(len(y)), weights.astype(int))
        svr = SVR(**params, tol=1e-8, max_iter=10**5).fit(X[twice], y[twice])
    assert all(issubclass(w.category, (ConvergenceWarning, UserWarning)) for w in caught)
    K = pairwise_kernels(
        X, metric=kernel["kernel"], **{k: v for k, v in kernel.items() if k != "kernel"}
    )
    alpha, alpha_svr = over_samples(model, len(y)), np.zeros(len(y))
    np.add.at(alpha_svr, twice[svr.support_], svr.dual_coef_[0])
    assert abs(alpha.sum()) <= 1e-10 * C * weights.sum()
    assert (np.abs(alpha) <= C * weights).all()
    if any(issubclass(w.category, ConvergenceWarning) for w in caught):
        return False

    def dual(alpha):
        return alpha @ y - epsilon * np.abs(alpha).sum() - alpha @ K @ alpha / 2

    # Kernel values are rounded to single precision.
    rounding = 2e-7 * (np.abs(alpha) @ K.diagonal())
    f, f_svr = model.predict(X), svr.predict(X)
    assert_allclose(f, K @ alpha + model.intercept_, rtol=0, atol=1e-6 + rounding)
    loss = C * weights @ np.maximum(0.0, np.abs(y - f) - epsilon)
    gap = loss + alpha @ K @ alpha / 2 - dual(alpha)
    assert abs(gap) <= (1e-6 + rounding) * C * weights.sum() + 1e-9
    assert_allclose(dual(alpha), dual(alpha_svr), rtol=1e-6, atol=1e-10)
    if not (np.abs(alpha)[alpha != 0] < (C * weights)[alpha != 0] * (1 - 1e-6)).any():
        # All support vectors are at a bound: the bias may be anything within an interval.
        f, f_svr = f - f.mean(), f_svr - f_svr.mean()
    assert_allclose(f, f_svr, rtol=0, atol=1e-3 + rounding)
    return True


def test_small_problems_have_the_optimum_of_svr():
    # Both reach tol on 19 of them.
    assert sum(compare_with_svr(seed) for seed in range(20)) >= 18


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 100))
def test_many_small_problems_have_the_optimum_of_svr(first):
    assert sum(compare_with_svr(1000 + first + k) for k in range(100)) >= 80


# ------------------------------------------------------------------------------- tests of SVR


def test_diabetes():
    X, y = load_diabetes(return_X_y=True)
    assert exact(kernel="linear", C=10.0, tol=1e-3).fit(X, y).score(X, y) > 0.02
    for params in ({}, {"algorithm": "lasvm-g"}, {"loss": "squared_epsilon_insensitive"}):
        model = LASVR(**params).fit(X, np.ones(len(y)))
        assert_allclose(model.predict(X), 1.0, rtol=0, atol=0.1 + 0.011)


def test_predictions_follow_from_the_attributes():
    X, y = load_iris(return_X_y=True)
    model = LASVR(kernel="linear", C=0.1).fit(X, y)
    expected = X @ model.coef_[0] + model.intercept_
    assert_allclose(model.predict(X), expected, rtol=0, atol=1e-5)
    model = LASVR(gamma=1.0).fit(X, y)
    assert not hasattr(model, "coef_")
    values = rbf_kernel(X, model.support_vectors_, gamma=model.gamma_)
    assert_allclose(
        model.predict(X), values @ model.dual_coef_[0] + model.intercept_, rtol=0, atol=1e-5
    )


@pytest.mark.parametrize(
    ("loss", "algorithm"),
    [
        ("epsilon_insensitive", "lasvm"),
        ("epsilon_insensitive", "lasvm-g"),
        ("squared_epsilon_insensitive", "lasvm"),
    ],
)
def test_weights(loss, algorithm):
    """Weights rescale C; weight 2 is the sample twice; weight 0 is none."""
    X, y = targets(60)
    rng = np.random.default_rng(0)
    weights = rng.integers(0, 3, 60)
    make = dict(loss=loss, algorithm=algorithm, gamma=0.5, tol=1e-6)
    if algorithm == "lasvm-g":
        make["tol"] = 1e-5
    weighted = exact(C=2.0, **make).fit(X, y, weights)
    rows = np.repeat(np.arange(60), weights)
    repeated = exact(C=2.0, **make).fit(X[rows], y[rows])
    scaled = exact(C=0.2, **make).fit(X, y, 10.0 * weights)
    assert (weights[weighted.support_] > 0).all()
    for other in (repeated, scaled):
        assert_allclose(other.predict(X), weighted.predict(X), rtol=0, atol=2e-3)
        assert_allclose(other.dual_objective_, weighted.dual_objective_, rtol=1e-4)


# ------------------------------------------------------------------------------- outputs


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"algorithm": "lasvm-g"},
        {"loss": "squared_epsilon_insensitive"},
        {"max_support_vectors": 20},
        {"window_size": 50},
        {"max_iter": 1},
        {"max_iter": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_outputs_are_separate_models(params, learn):
    X, y = targets(150)
    Y = np.column_stack([y, X[:, 2] ** 2, -y])
    params = {"C": 5.0, "gamma": 0.5, "random_state": 0} | params
    joint = getattr(LASVR(**params), learn)(X, Y)
    assert joint.predict(X).shape == (150, 3)
    for k in range(3):
        alone = getattr(LASVR(**params), learn)(X, Y[:, k])
        assert_allclose(joint.predict(X)[:, k], alone.predict(X), rtol=1e-9, atol=1e-9)
        assert_allclose(joint.intercept_[k], alone.intercept_[0], rtol=1e-9, atol=1e-9)
    column = getattr(LASVR(**params), learn)(X, Y[:, :1])
    assert column.predict(X).shape == (150, 1)
    assert len(joint.support_) == joint.n_support_[0] == joint.dual_coef_.shape[1]


# ------------------------------------------------------------------------------- epsilon


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*samples are support vectors:UserWarning")
@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("kind", ["friedman", "linear"])
def test_automatic_epsilon_follows_the_noise(kind, sigma):
    n, errors = 1000, []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        if kind == "friedman":
            X, y = make_friedman1(n, noise=sigma, random_state=seed)
            model = LASVR(epsilon="auto", C=10.0, random_state=0)
        else:
            X = rng.normal(size=(n, 5))
            y = X @ rng.normal(size=5) + sigma * rng.normal(size=n)
            model = LASVR(epsilon="auto", kernel="linear", random_state=0)
        model.fit(X, y)
        errors.append(model.epsilon_ / (3 * np.sqrt(np.log(n) / n)) / sigma - 1)
        assert abs(errors[-1]) < 0.15, errors
        assert 0.3 < model.n_support_[0] / n < 0.95


def test_automatic_epsilon_scales_with_the_targets_and_not_with_the_kernel():
    X, y = make_friedman1(300, noise=1.0, random_state=0)
    epsilon = [
        LASVR(epsilon="auto", random_state=0).fit(X, factor * y + shift).epsilon_
        for factor, shift in [(1, 0), (10, 0), (1, 1000), (0.001, 0)]
    ]
    assert_allclose(np.array(epsilon) / epsilon[0], [1, 10, 1, 0.001], rtol=1e-6)
    # epsilon is that of the output with the least noise, here nearly none.
    Y = np.column_stack([10 * y, y])
    assert_allclose(LASVR(epsilon="auto", random_state=0).fit(X, Y).epsilon_, epsilon[0])
    assert LASVR(epsilon="auto").fit(X, np.full(300, 7.0)).epsilon_ == 0.0
    K = rbf_kernel(X, gamma=0.1)
    assert_allclose(noise(1e4 * K, Y), noise(K, Y), rtol=1e-6)
    # The first chunk of a stream decides.
    model = LASVR(epsilon="auto", gamma=0.1, random_state=0).partial_fit(X, y)
    first = model.epsilon_
    assert model.partial_fit(X, 10 * y).epsilon_ == first > 0


def test_many_support_vectors_warn_and_name_epsilon():
    X, y = targets(1200, noise=0.3)
    with pytest.warns(UserWarning, match=r"1\d\d\d of 1200 samples.*epsilon=0.001"):
        LASVR(epsilon=1e-3, random_state=0).fit(X, y)
    model = LASVR(epsilon=1e-3, gamma=0.3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X[:900], y[:900])
        LASVR(epsilon=0.3, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match="epsilon=0.001"):
        model.partial_fit(X[900:], y[900:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.partial_fit(X[:5], y[:5])  # said once


# ------------------------------------------------------------------------------- errors


def test_invalid_targets_are_refused_and_nothing_is_lost():
    X, y = targets(60)
    model = LASVR(gamma=0.5).partial_fit(X, y)
    before = model.predict(X)
    for bad, message in [
        (np.where(y == y[3], np.nan, y), "y contains NaN"),
        (np.where(y == y[3], np.inf, y), "y contains infinity"),
        (np.column_stack([y, y]), "y has 2 outputs, but LASVR was fitted with 1"),
        (y[:-1], "inconsistent numbers of samples"),
    ]:
        with pytest.raises(ValueError, match=f"(?i){message}"):
            model.partial_fit(X, bad)
        assert_array_equal(model.predict(X), before)
    with pytest.raises(ValueError, match="LASVR was fitted with 2"):
        LASVR(gamma=0.5).partial_fit(X, np.column_stack([y, y])).partial_fit(X, y)


def test_combinations_that_are_refused():
    X, y = targets(30)
    for name in ("max_support_vectors", "window_size"):
        with pytest.raises(ValueError, match=f"{name}=10 requires a single epoch.*max_iter=3"):
            LASVR(**{name: 10}, max_iter=3).fit(X, y)
    squared = LASVR(loss="squared_epsilon_insensitive", algorithm="lasvm-g")
    for learn in (squared.fit, squared.partial_fit):
        with pytest.raises(ValueError, match="requires algorithm='lasvm'.*got algorithm='lasvm-g"):
            learn(X, y)


@pytest.mark.parametrize(
    "params",
    [
        {"C": 0.0},
        {"epsilon": -0.1},
        {"epsilon": "scale"},
        {"loss": "huber"},
        {"algorithm": "lasvm-nc"},
        {"max_support_vectors": 1},
        *({"max_iter": value} for value in ("foo", 0, -2, 1.5)),
    ],
)
def test_invalid_parameters(params):
    (name,) = params
    with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of LASVR"):
        LASVR(**params).fit(*targets(30))


# ------------------------------------------------------------------------------- tools


@pytest.mark.parametrize("budget", [None, 30])
def test_a_stream_with_a_budget_has_no_reserve(budget, monkeypatch):
    set_limits(monkeypatch, RESERVE=40)
    X, y = targets(300)
    model = LASVR(C=0.1, epsilon=0.5, max_support_vectors=budget, random_state=0)
    members = support_arrays(model.partial_fit(X, y))
    n_zeros = np.sum(members["alpha"][members["alive"] != 0] == 0.0)
    assert engine_of(model).problems[0].reserve == (40 if budget is None else 0)
    assert n_zeros > 10 or budget is not None


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_hard_tube(loss):
    """C=inf as in SVR: no training sample is outside of the tube."""
    X, y = targets(100)
    model = exact(C=np.inf, gamma=0.5, epsilon=0.1, loss=loss, tol=1e-5)
    peer = SVR(C=np.inf, gamma=0.5, epsilon=0.1, tol=1e-5).fit(X, y)
    assert_allclose(model.fit(X, y).predict(X), peer.predict(X), rtol=0, atol=1e-3)
    assert np.abs(model.predict(X) - y).max() < 0.1 + 1e-3
    stream = LASVR(C=np.inf, gamma=0.5, epsilon=0.1, loss=loss)
    for first in range(0, 100, 20):
        stream.partial_fit(X[first : first + 20], y[first : first + 20])
    assert np.abs(stream.predict(X) - y).max() < 0.1 + 0.05


@pytest.mark.parametrize("epsilon", [0.1, "auto"])
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_a_C_that_is_small_for_the_targets_is_reported(epsilon, learn):
    X, y = make_friedman1(1200, random_state=0)
    message = "vary much less than the targets .*: C=.* bounds the coefficients of"
    with pytest.warns(UserWarning, match=message):
        getattr(LASVR(epsilon=epsilon, random_state=0), learn)(X, 1e4 * y)
    scaled = TransformedTargetRegressor(LASVR(random_state=0), transformer=StandardScaler())
    noise = np.random.default_rng(0).normal(size=len(y))
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message)
        assert scaled.fit(X, 1e4 * y).score(X, 1e4 * y) > 0.8
        LASVR(C=0.1, random_state=0).fit(X, y / y.std())
        LASVR(kernel="linear", random_state=0).fit(X, noise)


@pytest.mark.parametrize("scale", [1e-6, [1.0, 1e-6]])
@pytest.mark.parametrize(
    "params",
    [{}, {"algorithm": "lasvm-g"}, {"max_iter": 1}, {"epsilon": "auto"}, {"kernel": "linear"}],
    ids=str,
)
def test_a_tube_that_contains_all_targets_is_reported(params, scale):
    """The model was constant, without a warning."""
    X, y = make_friedman1(1200, random_state=0)
    small = np.squeeze(y[:, None] * scale)
    model, message = LASVR(random_state=0).set_params(**params), "epsilon=.* range of y, 2.*e-05"
    if params.get("epsilon") == "auto" and small.ndim == 2:
        pytest.skip("that of the other output")
    with pytest.warns(UserWarning, match=message):
        model.fit(X, small)
    with pytest.warns(UserWarning, match=message):
        clone(model).partial_fit(X, small)
    with pytest.warns(UserWarning, match=message):
        clone(model).set_params(max_iter="auto").fit_path(X[:200], small[:200], [0.1, 1.0])
    flat = np.where(X[:, 0] > 0.5, y, 1.0)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "This LASVR is constant")
        clone(model).partial_fit(X[:20], small[:20])
        clone(model).fit(X, np.ones(1200))
        clone(model).fit(X, np.where(y < 20.0, 0.3, 0.1 + 0.2))  # rounding
        clone(model).fit(X, flat, sample_weight=X[:, 0] <= 0.5)
        clone(model).partial_fit(X, 1.0 + 0.0 * small, sample_weight=np.zeros(1200))
        CellRegressor(LASVR(epsilon=0.5), cell_size=100, random_state=0).fit(X[:, :1], flat)


@pytest.mark.parametrize("n", [50, 442])
def test_a_C_that_is_small_for_few_samples_is_reported(n):
    """By ``fit`` only: in a stream, more samples may come, which fit the same targets better."""
    X, y = (array[:n] for array in load_diabetes(return_X_y=True))
    message = "vary much less than the targets .*: C=1 bounds the coefficients of (9|100)"
    for params in ({}, {"kernel": "linear"}, {"algorithm": "lasvm-g"}, {"epsilon": "auto"}):
        with pytest.warns(UserWarning, match=message):
            LASVR(**params, random_state=0).fit(X, y)
    with pytest.warns(UserWarning, match=message.replace("C=1", "C=0.1")):
        LASVR(random_state=0).fit_path(X, y, [0.01, 0.1])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "The predictions of this LASVR")
        LASVR(C=y.std(), random_state=0).fit(X, y)
        LASVR(random_state=0).partial_fit(X, y)
        LASVR(random_state=0).fit(X, np.full(n, 1e4))
