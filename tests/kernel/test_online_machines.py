"""What LASVR and OneClassLASVM share: the same model however it is computed, and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

from sklearn_online_svm import LASVR, OneClassLASVM
from tests.support.fitted_models import rbf
from tests.support.internals import engine_of, support_arrays
from tests.support.samples import targets

KERNEL = dict(gamma=0.5, random_state=0)
MODELS = {
    "lasvr": LASVR(C=5.0, **KERNEL),
    "lasvr, lasvm-g": LASVR(C=5.0, algorithm="lasvm-g", **KERNEL),
    "lasvr, squared": LASVR(C=5.0, loss="squared_epsilon_insensitive", **KERNEL),
    "one class": OneClassLASVM(nu=0.2, **KERNEL),
}
LIMITED = {
    "lasvr, window": LASVR(C=5.0, window_size=60, **KERNEL),
    "lasvr, budget": LASVR(C=5.0, max_support_vectors=30, **KERNEL),
    "one class, window": OneClassLASVM(nu=0.2, window_size=60, **KERNEL),
    "one class, budget": OneClassLASVM(nu=0.5, max_support_vectors=20, **KERNEL),
}
with_models = pytest.mark.parametrize("name", MODELS)
with_all = pytest.mark.parametrize("name", MODELS | LIMITED)
with_learn = pytest.mark.parametrize("learn", ["fit", "partial_fit"])
X, Y = targets(300)
TEST = targets(200, seed=1)


def make(name, **params):
    return clone((MODELS | LIMITED)[name]).set_params(**params)


def scores(model, samples=TEST[0]):
    return getattr(model, "decision_function", model.predict)(samples)


def assert_same(model, other):
    for name in ("support_", "dual_coef_", "intercept_", "n_samples_seen_", "n_iter_"):
        assert_array_equal(getattr(model, name), getattr(other, name), err_msg=name)
    assert_array_equal(scores(model), scores(other))
    for problem, peer in zip(engine_of(model).problems, engine_of(other).problems, strict=True):
        slots = problem.slots()
        for name in ("alpha", "g", "y", "lower", "upper", "row_id"):
            assert_array_equal(problem.members[name][slots], peer.members[name][peer.slots()])


# ------------------------------------------------------------------------------- the same model


@with_all
@with_learn
def test_threads_layouts_and_caches(name, learn):
    y = np.column_stack([Y, -Y]) if name.startswith("lasvr") else None
    reference = getattr(make(name), learn)(X, y)
    for params in ({"n_jobs": 2}, {"cache_size": 1e-3}):
        assert_same(getattr(make(name, **params), learn)(X, y), reference)
    sparse = getattr(make(name), learn)(csr_matrix(X), y)
    assert_allclose(scores(sparse), scores(reference), rtol=0, atol=1e-4)


@with_models
def test_kernels_as_a_matrix_and_as_a_function(name):
    compiled = make(name, max_iter=1).fit(X, Y)
    function = make(name, kernel=rbf, max_iter=1).fit(X, Y)
    matrix = make(name, kernel="precomputed", max_iter=1).fit(rbf(X, X), Y)
    values = scores(matrix, rbf(TEST[0], X))
    assert_allclose(scores(function), values, rtol=0, atol=1e-6)
    assert_array_equal(function.dual_coef_, matrix.dual_coef_)
    # In a single pass, rounding changes which samples become support vectors. Over seeds the mean
    # difference is at most 0.001 of the range.
    assert np.abs(scores(compiled) - values).mean() < 0.005 * np.ptp(values)
    exact = dict(max_iter=-1, tol=1e-5)
    compiled, function = (make(name, **exact, **k).fit(X, Y) for k in ({}, {"kernel": rbf}))
    assert_allclose(scores(compiled), scores(function), rtol=0, atol=1e-3)
    assert not hasattr(matrix, "partial_fit")


@with_models
def test_float32_samples(name):
    exact = dict(max_iter=-1, tol=1e-5)
    single, double = (make(name, **exact).fit(X.astype(t), Y) for t in (np.float32, np.float64))
    assert single.support_vectors_.dtype == np.float32
    assert_allclose(scores(single, TEST[0].astype(np.float32)), scores(double), rtol=0, atol=1e-3)


@with_all
def test_snapshot(name):
    """It is optimal over the support set, to tol."""
    model = make(name).partial_fit(X, Y)
    copy = model.snapshot()
    for problem in engine_of(copy).problems:
        assert problem.delta <= problem.tau if "lasvm-g" not in name else True
    assert copy.dual_objective_[0] >= model.dual_objective_[0] - 1e-6 * abs(
        model.dual_objective_[0]
    )


# ------------------------------------------------------------------------------- limits


@pytest.mark.parametrize("name", ["lasvr, window", "one class, window"])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_vectors_are_not_older_than_the_window(name, size):
    model = make(name)
    for first in range(0, 300, size):
        rows = slice(first, min(first + size, 300))
        model.partial_fit(X[rows], Y[rows])
        assert (model.support_ >= rows.stop - 60).all()
        problem = engine_of(model).problems[0]
        members, slots = problem.members, problem.slots()
        alpha, g = members["alpha"][slots], members["g"][slots]
        if name.startswith("lasvr"):
            assert abs(alpha.sum()) < 1e-9
        else:
            # The sum is nu n unless all members are at their bounds.
            assert alpha.sum() <= 0.2 * min(rows.stop, 60) * (1 + 1e-12)
            if (alpha < 1).any():
                assert_allclose(alpha.sum(), 0.2 * min(rows.stop, 60), rtol=1e-9)
        # The gradients are those of the members that are left.
        K = rbf(X[members["row_id"][slots]], X[members["row_id"][slots]])
        assert_allclose(g, members["target"][slots] - K @ alpha, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", ["lasvr, window", "one class, window"])
def test_a_window_that_is_not_reached_changes_nothing(name):
    model = make(name, window_size=300).fit(X, Y)
    assert_same(model, make(name, window_size=None, max_iter=1).fit(X, Y))


def test_a_window_forgets():
    """The target changes its sign: the model is that of the new part only."""
    stream, new = targets(400, seed=2), targets(400, seed=3)
    model = LASVR(C=5.0, window_size=200, gamma=0.5).partial_fit(*stream)
    model.partial_fit(new[0], -new[1])
    fresh = LASVR(C=5.0, window_size=200, gamma=0.5).partial_fit(new[0][200:], -new[1][200:])
    assert model.score(TEST[0], -TEST[1]) > fresh.score(TEST[0], -TEST[1]) - 0.02 > 0.9


def test_a_one_class_window_forgets():
    rng = np.random.default_rng(0)
    model = OneClassLASVM(nu=0.1, gamma=0.5, window_size=200)
    model.partial_fit(rng.normal(size=(400, 2))).partial_fit(rng.normal(size=(400, 2)) + 6.0)
    assert (model.predict(rng.normal(size=(300, 2))) == -1).all()
    share = np.mean(model.predict(rng.normal(size=(1000, 2)) + 6.0) == -1)
    assert 0.05 < share < 0.35


@pytest.mark.parametrize("name", ["lasvr, budget", "one class, budget"])
@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
@pytest.mark.parametrize("budget", [2, 5, 30])
def test_max_support_vectors_is_not_exceeded(name, learn, budget):
    model = make(name, max_support_vectors=budget)
    y = np.column_stack([Y, X[:, 2]]) if name.startswith("lasvr") else None
    for first in range(0, 300, 50 if learn == "partial_fit" else 300):
        rows = slice(first, first + (50 if learn == "partial_fit" else 300))
        getattr(model, learn)(X[rows], None if y is None else y[rows])
        for problem in engine_of(model).problems:
            assert problem.members.n_members <= budget
            alpha = problem.members["alpha"][problem.slots()]
            total = 0.0 if y is not None else 0.5 * rows.stop
            assert_allclose(alpha.sum(), total, rtol=1e-9, atol=1e-9)
        assert np.isfinite(scores(model)).all()
    assert len(model.support_) <= budget * len(engine_of(model).problems)


# ------------------------------------------------------------------------------- streams


@pytest.mark.parametrize(
    "params", [{}, {"algorithm": "lasvm-g"}, {"loss": "squared_epsilon_insensitive"}], ids=str
)
@pytest.mark.parametrize("stream", ["friedman", "diabetes", "sine"])
def test_predictions_within_a_stream_are_those_of_a_snapshot(stream, params):
    samples, y = {
        "friedman": lambda: make_friedman1(600, noise=1.0, random_state=0),
        "diabetes": lambda: load_diabetes(return_X_y=True),
        "sine": lambda: targets(600),
    }[stream]()
    samples = StandardScaler().fit_transform(samples)
    y, n = (y - y.mean()) / y.std(), len(y) * 3 // 4
    model = LASVR(gamma=0.1, epsilon=0.1, **params)
    for first in range(0, n, 50):
        rows = slice(first, min(first + 50, n))
        model.partial_fit(samples[rows], y[rows])
        shown, optimal = (
            r2_score(y[n:], m.predict(samples[n:])) for m in (model, model.snapshot())
        )
        assert abs(shown - optimal) < 0.01
    assert optimal > 0.3


@pytest.mark.parametrize("nu", [0.05, 0.3])
def test_outliers_within_a_stream_are_those_of_a_snapshot(nu):
    model = OneClassLASVM(nu=nu, gamma=0.5)
    for first in range(0, 300, 50):
        model.partial_fit(X[first : first + 50])
        shown, optimal = (m.predict(TEST[0]) for m in (model, model.snapshot()))
        assert np.mean(shown == optimal) > 0.97


# ------------------------------------------------------------------------------- corner cases


@with_all
def test_a_first_chunk_of_weight_zero(name):
    model = make(name)
    if "one class, window" in name:
        model.set_params(window_size=None)
    model.partial_fit(X, Y, sample_weight=np.zeros(300))
    assert (scores(model) == 0).all() and len(model.support_) == 0
    model.partial_fit(X, Y)
    assert_array_equal(
        scores(model), scores(make(name, window_size=model.window_size).partial_fit(X, Y))
    )


@pytest.mark.parametrize("name", ["lasvr", "one class"])
def test_limits_may_change_in_a_stream(name):
    model = make(name).partial_fit(X, Y)
    model.set_params(window_size=100).partial_fit(X, Y)
    assert (model.support_ >= 500).all()
    model.set_params(window_size=40).partial_fit(X[:1], Y[:1])
    assert (model.support_ >= 561).all()
    if name == "one class":
        for _ in range(2):  # what left the window at a time is taken over by samples that follow
            model.partial_fit(X[:40])
        assert_allclose(support_arrays(model)["alpha"].sum(), 0.2 * 40, rtol=1e-9)
    model.set_params(window_size=None, max_support_vectors=10).partial_fit(X[:1], Y[:1])
    assert support_arrays(model).n_members <= 10
