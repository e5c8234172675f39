"""Predictions of LASVR for samples left out, compared with one fit per sample."""

import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from sklearn_online_svm import LASVR
from tests.support.internals import _left_out, engine_of
from tests.support.limits import set_limits
from tests.support.samples import LAYOUTS

X, Y = make_friedman1(60, noise=1.0, random_state=0)
SQUARED = "squared_epsilon_insensitive"
with_layouts = pytest.mark.parametrize("layout", LAYOUTS)


def machine(**params):
    given = {"gamma": 0.3, "epsilon": 0.5, "max_iter": -1, "tol": 1e-7, "random_state": 0}
    return LASVR(**{**given, **params})


def predictions_without(model, X, y):
    """Predictions for each sample of a model fitted without it."""
    rest = [np.delete(np.arange(len(y)), i) for i in range(len(y))]
    return np.array(
        [clone(model).fit(X[r], y[r]).predict(X[i : i + 1])[0] for i, r in enumerate(rest)]
    )


@pytest.mark.sampled
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize(
    "params", [{}, {"algorithm": "lasvm-g"}, {"loss": SQUARED}, {"epsilon": 2.0}], ids=str
)
def test_equal_to_separate_fits(params, C):
    model = machine(C=C, **params).fit(X, Y)
    left_out, expected = model.leave_one_out_predict(X, Y), predictions_without(model, X, Y)
    assert_allclose(left_out, expected, atol=1e-3)
    assert np.abs(model.predict(X) - expected).max() > 0.1
    outside = np.setdiff1d(np.arange(len(Y)), model.support_)
    assert_array_equal(left_out[outside], model.predict(X)[outside])
    assert len(outside) > 10 or "epsilon" not in params


@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
def test_spans_are_exact_for_kernel_ridge_regression(C, monkeypatch):
    """Without a tube all vectors are free, with or without the sample: none need be solved."""
    set_limits(monkeypatch, LEFT_OUT_WORK=0.0)
    model = machine(C=C, epsilon=0.0, loss=SQUARED).fit(X, Y)
    expected = predictions_without(model, X, Y)
    assert_allclose(model.leave_one_out_predict(X, Y), expected, atol=1e-3)


@pytest.mark.parametrize(("kernel", "C"), [("linear", 10.0), ("rbf", 10.0), ("rbf", 1000.0)])
def test_close_to_separate_fits_for_repeated_samples(kernel, C):
    """Spans assume that samples at a bound stay there: they gave values from -53 to 53."""
    Z, z = of_integers(60)
    model = LASVR(C=C, epsilon=0.05, gamma=0.5, kernel=kernel, random_state=0).fit(Z, z)
    left_out = model.leave_one_out_predict(Z, z)
    expected = predictions_without(model.set_params(max_iter=-1), Z, z)
    assert_allclose(left_out, expected, atol=0.05)


def of_integers(n):
    random = np.random.default_rng(0)
    Z = random.integers(0, 6, (n, 2)).astype(float)
    return Z, np.sin(2 * Z[:, 0]) + 0.2 * random.normal(size=n)


def test_intervals_have_their_coverage_for_repeated_samples():
    Z, z = of_integers(3100)
    model = LASVR(C=100.0, epsilon=0.05, gamma=0.5, random_state=0).fit(Z[:100], z[:100])
    left_out = model.leave_one_out_predict(Z[:100], z[:100])
    half = np.quantile(np.abs(z[:100] - left_out), 0.9)
    assert half < 0.6
    assert 0.82 < np.mean(np.abs(z[100:] - model.predict(Z[100:])) < half) < 0.96


def test_estimates_where_work_is_limited(monkeypatch):
    """The samples of the largest shifts are solved; without any work all are estimated."""
    model = machine(C=10.0).fit(X, Y)
    expected, found = predictions_without(model, X, Y), []
    for work in (0.0, 5e4, 1e9):
        set_limits(monkeypatch, LEFT_OUT_WORK=work)
        found.append(np.abs(model.leave_one_out_predict(X, Y) - expected))
    estimated, partly, solved = found
    assert 0.01 < np.median(estimated) < 0.1 * Y.std()
    assert solved.max() < 1e-3 < partly.max() and partly.mean() < estimated.mean()
    assert 0 < np.count_nonzero(partly < 1e-3) - np.count_nonzero(estimated < 1e-3) < 40


def test_work_is_divided_by_the_size_of_the_largest_problem():
    class Engine:
        problems = [SimpleNamespace(members=SimpleNamespace(n_members=n)) for n in (10, 500, 40)]

        def allow(self, n_steps):
            self.n_steps = n_steps
            raise InterruptedError

    engine = Engine()
    with pytest.raises(InterruptedError):
        _left_out.solve_without(engine, [[0]] * 3, None, None, 1e9)
    # A step accesses two kernel rows.
    assert engine.n_steps == int(1e9 / (2 * 500 * 3))


def test_residuals_are_those_of_new_samples():
    """Over ten draws, while those of the training samples are far too small."""
    ratios, of_training = [], []
    for seed in range(10):
        Z, z = make_friedman1(1200, noise=1.0, random_state=seed)
        model = LASVR(C=10, epsilon=0.2, random_state=0).fit(Z[:200], z[:200])
        new = np.abs(z[200:] - model.predict(Z[200:])).mean()
        left_out = model.leave_one_out_predict(Z[:200], z[:200])
        ratios.append(np.abs(z[:200] - left_out).mean() / new)
        of_training.append(np.abs(z[:200] - model.predict(Z[:200])).mean() / new)
    error = np.std(ratios) / np.sqrt(len(ratios))
    assert abs(np.mean(ratios) - 1) < 0.05 + 3 * error
    assert np.mean(of_training) < 0.6


@pytest.mark.parametrize("params", [{}, {"loss": SQUARED, "C": 10.0}], ids=str)
def test_several_outputs_are_problems_of_their_own(params):
    """Also one without support vectors."""
    targets = np.column_stack([Y, X[:, 0] * 10, np.full(len(Y), 3.0)])
    left_out = machine(**params).fit(X, targets).leave_one_out_predict(X, targets)
    for c, y in enumerate(targets.T):
        alone = machine(**params).fit(X, y).leave_one_out_predict(X, y)
        assert_allclose(left_out[:, c], alone, atol=1e-5)
    column = Y[:, None]
    assert machine().fit(X, column).leave_one_out_predict(X, column).shape == (60, 1)


@with_layouts
def test_layouts_and_precomputed_values_agree(layout):
    expected = machine().fit(X, Y).leave_one_out_predict(X, Y)
    rows = LAYOUTS[layout](X)
    assert_allclose(machine().fit(rows, Y).leave_one_out_predict(rows, Y), expected, atol=1e-4)
    K = rbf_kernel(X, gamma=0.3)
    model = machine(kernel="precomputed").fit(K, Y)
    assert_allclose(model.leave_one_out_predict(K, Y), expected, atol=1e-4)


def test_in_a_stream_and_in_copies():
    model = LASVR(gamma=0.3, epsilon=0.5, random_state=0)
    for first in range(0, 60, 20):
        model.partial_fit(X[first : first + 20], Y[first : first + 20])
    before = pickle.dumps(engine_of(model).state())
    left_out = model.leave_one_out_predict(X, Y)
    assert pickle.dumps(engine_of(model).state()) == before
    assert_array_equal(pickle.loads(pickle.dumps(model)).leave_one_out_predict(X, Y), left_out)
    expected = predictions_without(machine(), X, Y)
    training = np.abs(model.predict(X) - expected).mean()
    assert np.abs(left_out - expected).mean() < 0.5 * training


def test_weights_of_zero_are_ignored():
    weights = np.where(np.arange(60) % 3, 1.0, 0.0)
    left_out = machine().fit(X, Y, weights).leave_one_out_predict(X, Y, weights)
    rest = weights > 0
    alone = machine().fit(X[rest], Y[rest]).leave_one_out_predict(X[rest], Y[rest])
    assert_allclose(left_out[rest], alone, atol=1e-4)


@pytest.mark.parametrize(
    "rows, y",
    [
        (X[:50], Y[:50]),
        (X[::-1], Y),
        (X, Y[::-1]),
        (X, Y + 1e-6),
        (np.vstack([X, X[:1]]), np.append(Y, 0)),
    ],
    ids=["fewer", "other order", "other targets", "changed targets", "more"],
)
def test_other_samples_are_rejected(rows, y):
    model = machine().fit(X, Y)
    with pytest.raises(ValueError, match="leave_one_out_predict needs the training samples"):
        model.leave_one_out_predict(rows, y)


@pytest.mark.parametrize("name", ["window_size", "max_support_vectors"])
def test_missing_where_samples_are_removed(name):
    model = LASVR(**{name: 20}, random_state=0).fit(X, Y)
    assert not hasattr(model, "leave_one_out_predict")
    with pytest.raises(AttributeError) as caught:
        model.leave_one_out_predict(X, Y)
    assert f"{name}=20: samples have been removed" in str(caught.value.__cause__)


def test_requires_a_fitted_model():
    with pytest.raises(NotFittedError):
        LASVR().leave_one_out_predict(X, Y)
