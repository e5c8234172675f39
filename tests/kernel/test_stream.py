"""LASVC in streams; see tests/test_streams.py for the promises of all estimators."""

import pickle
import re
import sys
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn.datasets import make_blobs

from sklearn_online_svm import LASVC
from tests.support.internals import LasvmSpec, engine_of, support_arrays
from tests.support.limits import set_limits
from tests.support.robust import BOTH, Busy, with_both
from tests.support.samples import ALGORITHMS, two_classes


def samples_of(problem, dtype=np.float64):
    X, y = BOTH[problem](300)
    X[np.abs(X) < 0.3] = 0.0  # some zeros
    return X.astype(dtype), y


def new_model(algorithm="lasvm", **params):
    return Busy(**{"gamma": 0.3, "C": 2.0, "random_state": 0, "algorithm": algorithm, **params})


@pytest.fixture(params=ALGORITHMS)
def model_of(request):
    """Make models of one algorithm."""
    return partial(new_model, request.param)


def train(model, X, y, size=None, begin=0):
    """Call partial_fit with chunks, from sample ``begin`` on."""
    n = X.shape[0]
    for first in range(begin, n, size or n):
        part = slice(first, first + (size or n))
        model.partial_fit(X[part], y[part], classes=np.unique(y) if first == 0 else None)
    return model


def assert_same(model, other, X):
    """Check that two models are bitwise identical.

    Decision values of several classes agree only to rounding: sums run over the stored vectors in
    another order.
    """
    if len(model.classes_) == 2:
        assert_array_equal(model.decision_function(X), other.decision_function(X))
    else:
        decisions = other.decision_function(X)
        assert_allclose(model.decision_function(X), decisions, rtol=1e-12, atol=1e-12)
    assert_array_equal(model.support_, other.support_)
    assert_array_equal(model.dual_coef_, other.dual_coef_)
    assert_array_equal(model.intercept_, other.intercept_)
    assert model.n_samples_seen_ == other.n_samples_seen_
    if model.algorithm != "lasvm":
        for name in ("n_admitted_", "n_cleaned_", "n_skipped_", "duality_gap_"):
            assert_array_equal(getattr(model, name), getattr(other, name))


# -- chunks -----------------------------------------------------------------------------


@with_both
def test_chunks_after_fit(model_of, problem):
    X, y = samples_of(problem)
    models = []
    for size in (None, 9):
        model = model_of().fit(X[:100], y[:100])
        models.append(train(model, X, y, size, begin=100))
    assert_same(*models, X)
    assert models[0].n_samples_seen_ == 300
    # Positions in the stream, which begins with the samples of fit.
    vectors = models[0].support_vectors_
    assert_array_equal(vectors, X[models[0].support_])
    assert models[0].support_.max() >= 100


def test_repeated_samples_of_a_stream_are_new_samples():
    X, y = samples_of("binary")
    model = train(new_model(), X, y)
    model.partial_fit(X, y)
    assert model.n_samples_seen_ == 600
    assert model.support_.max() >= 300


@with_both
def test_mostly_zero_dense_samples_give_the_same_model(model_of, problem):
    """Dense samples with few nonzeros are stored as sparse vectors, and so are later samples."""
    X, y = BOTH[problem](300, 40)
    X[np.random.default_rng(0).random(X.shape) < 0.9] = 0.0
    X[200:] += 1.0  # no zeros any more
    assert_same(train(model_of(), X, y), train(model_of(), X, y, 7), X)
    assert_same(train(model_of(), X, y), train(model_of(), csr_matrix(X), y), X)


@with_both
def test_float32_and_float64_give_similar_models(model_of, problem):
    X, y = samples_of(problem)
    double = model_of(max_iter=-1, tol=1e-6).fit(X, y)
    single = model_of(max_iter=-1, tol=1e-6).fit(X.astype(np.float32), y)
    assert_allclose(single.decision_function(X), double.decision_function(X), atol=1e-3)


def test_later_chunks_are_converted_to_the_dtype_of_the_first(model_of):
    X, y = samples_of("binary", dtype=np.float32)
    model = model_of().partial_fit(X[:100], y[:100], classes=["no", "yes"])
    model.partial_fit(X[100:].astype(np.float64), y[100:])
    assert_same(model, train(model_of(), X, y), X)
    assert model.support_vectors_.dtype == np.float32


# -- copies -----------------------------------------------------------------------------


def linear(A, B):
    return A @ B.T


def test_pickles_contain_no_kernel_rows():
    X, y = two_classes(2000, noise=2.0)
    model = train(new_model(), X, y)
    n_vectors = len(model.support_)
    assert n_vectors > 1000
    # A kernel row would be 4 n_vectors bytes for each vector.
    assert len(pickle.dumps(model)) < 300 * n_vectors
    assert sys.getsizeof(model) < 10_000


# -- classes that appear late -----------------------------------------------------------


def test_the_first_class_is_predicted_until_another_is_seen(monkeypatch):
    set_limits(monkeypatch, RESERVE=40)
    X, y = samples_of("binary")
    yes = X[y == "yes"]
    model = new_model().partial_fit(yes, np.full(len(yes), "yes"), classes=["no", "yes"])
    assert_array_equal(model.predict(X), "yes")
    assert len(model.support_) == 0
    assert support_arrays(model).n_members == 40
    plain = new_model().set_params(finishing=False)
    plain.partial_fit(yes, np.full(len(yes), "yes"), classes=["no", "yes"])
    assert support_arrays(plain).n_members == LasvmSpec.n_init
    model.finish()
    model.partial_fit(X[y == "no"], np.full((y == "no").sum(), "no"))
    assert set(model.predict(X)) == {"no", "yes"}


@pytest.mark.parametrize("C", [1e-3, 1e-2, 1e-1])
def test_a_small_reserve_keeps_the_partners_of_the_next_samples(C, monkeypatch):
    """With alpha at its bounds, these are members with alpha = 0."""
    set_limits(monkeypatch, RESERVE=3)
    X, y = make_blobs(600, centers=4, cluster_std=6.0, random_state=0)
    model = LASVC(C=C, gamma=0.01).partial_fit(X, y, classes=range(4)).finish()
    for problem in engine_of(model).problems:
        members, slots = problem.members, problem.slots()
        alpha, g = members["alpha"][slots], members["g"][slots]
        rising, falling = g[alpha < members["upper"][slots]], g[alpha > members["lower"][slots]]
        assert len(rising) and len(falling)
        assert rising.max() - falling.min() <= model.tol


# -- weights of zero --------------------------------------------------------------------


def test_a_first_chunk_of_weight_zero(model_of):
    X, y = samples_of("binary")
    model = model_of(gamma="scale")
    model.partial_fit(X[:50], y[:50], classes=["no", "yes"], sample_weight=np.zeros(50))
    assert len(model.support_) == 0
    assert_array_equal(model.decision_function(X), 0)
    model.partial_fit(X[50:], y[50:])
    assert model.score(X, y) > 0.8


# -- parameters that change during a stream (see tests/test_parameters.py) --------------


def test_a_small_cache_frees_memory():
    X, y = two_classes(300, noise=1.0)
    model = train(LASVC(gamma=0.3, C=100.0), X[:150], y[:150])
    rows = engine_of(model).problems[0].matrix.rows
    assert rows.max_bytes == 375 * 2**20 and rows.n_rows > 10
    model.set_params(cache_size=0.01).partial_fit(X[150:], y[150:])
    rows = engine_of(model).problems[0].matrix.rows
    assert rows.max_bytes < 2**14 and rows.n_bytes <= rows.max_bytes


def test_finish_uses_a_new_tol():
    model = train(LASVC(gamma=0.3, C=100.0), *two_classes(300, noise=1.0)).finish()
    assert 1e-6 < engine_of(model).problems[0].delta <= 1e-3
    model.set_params(tol=1e-6).finish()
    assert engine_of(model).problems[0].delta <= 1e-6
    with pytest.raises(ValueError, match="'tol' parameter of LASVC must be"):
        model.set_params(tol=-1.0).finish()


@pytest.mark.parametrize(
    "name, old, new",
    [
        *[("kernel", "rbf", new) for new in ("linear", linear, "precomputed")],
        *[("kernel", linear, "rbf"), ("gamma", 0.3, "scale"), ("gamma", "scale", 0.3)],
        *[("degree", 3, 2), ("coef0", 0.0, 1.0), ("algorithm", "lasvm-g", "lasvm-full")],
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_finish_rejects_changed_fixed_parameters(name, old, new, method):
    X, y = two_classes(150, noise=1.0)
    params = {"gamma": 0.3, "random_state": 0, name: old}
    model = LASVC(**params)
    model = model.fit(X, y) if method == "fit" else train(model, X, y)
    loaded = pickle.loads(pickle.dumps(model))
    message = f"{name} cannot change .*: it was {re.escape(repr(old))} and is now "
    with pytest.raises(ValueError, match=message + re.escape(repr(new))):
        model.set_params(C=7.0, **{name: new}).finish()
    model.set_params(C=1.0, **{name: old})
    assert_same(model.partial_fit(X, y), loaded.partial_fit(X, y), X)
