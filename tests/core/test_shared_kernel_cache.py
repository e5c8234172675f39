"""Kernel rows shared by the problems of several classes, and computed in blocks."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm import LASVC
from sklearn_online_svm._core.kernel.vectors.block import Samples
from sklearn_online_svm._threads import thread_pool
from tests.support.engine import make_loop, make_store, wide_samples
from tests.support.internals import engine_of

N, N_CLASSES, D = 360, 12, 30
with_two_algorithms = pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])


def many_classes(layout="dense", seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, N_CLASSES, N)
    X = rng.normal(size=(N, D)) + 1.5 * rng.normal(size=(N_CLASSES, D))[y]
    if layout == "sparse":
        X[rng.random(X.shape) < 0.5] = 0
        return csr_matrix(X), y
    return X, y


def widened(X):
    """Repeat the features until kernel values are expensive enough to be cached."""
    return np.tile(X, 20) / np.sqrt(20)


def fitted(X, y, **params):
    return LASVC(C=3, gamma=0.03, random_state=0, multi_class="ovr", **params).fit(X, y)


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc"])
def test_model_is_independent_of_cache_size_and_threads(layout, algorithm):
    X, y = many_classes(layout)
    plenty = fitted(X, y, algorithm=algorithm)
    for cache_size in (1e-3, 0.2, 1.0):
        for n_jobs in (1, 3):
            model = fitted(X, y, algorithm=algorithm, cache_size=cache_size, n_jobs=n_jobs)
            assert_array_equal(model.dual_coef_, plenty.dual_coef_)
            assert_array_equal(model.intercept_, plenty.intercept_)


@pytest.mark.parametrize("cache_size", [500, 4, 1])
def test_kernel_row_is_computed_once_for_all_classes(cache_size):
    """The kernel rows of all 12 classes take 4 MB."""
    X, y = many_classes()
    X = widened(X)
    model = fitted(X, y, cache_size=cache_size, max_iter=1)
    kept = sum(problem.members.n_members for problem in engine_of(model).problems)
    assert kept > 5 * N
    # Each sample with the earlier ones and its block of 64; the others follow by symmetry, or each
    # kernel row is computed once.
    assert model.n_kernel_evaluations_ <= 0.5 * N * (N + 64) + N * N


@pytest.mark.parametrize("cache_size", [500, 6])
def test_each_value_is_computed_once_if_all_samples_are_support_vectors(cache_size):
    """The kernel rows grow with the support set, up to 4 MB."""
    rng = np.random.default_rng(0)
    n = 1000
    X, y = widened(rng.normal(size=(n, 20))), rng.integers(0, 6, n)
    params = dict(C=3, gamma=1, max_iter=1, shuffle=False)
    model = LASVC(multi_class="ovr", **params, cache_size=cache_size).fit(X, y)
    assert len(model.support_) == n
    assert all(problem.matrix.gather.close for problem in engine_of(model).problems)
    assert model.n_kernel_evaluations_ <= 0.5 * n * (n + 64) + 64 * n


@with_two_algorithms
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_missing_values_are_taken_from_shared_kernel_rows(n_jobs, algorithm):
    X, y = many_classes()
    X = widened(X)
    params = dict(C=3, gamma=0.03, algorithm=algorithm, n_jobs=n_jobs)
    models = [LASVC(multi_class="ovr", **params, cache_size=size) for size in (500, 6, 2, 1)]
    for first in range(0, N, 60):
        rows = slice(first, first + 60)
        for model in models:
            model.partial_fit(X[rows], y[rows], range(N_CLASSES))
    for model in models[1:]:
        assert_array_equal(model.dual_coef_, models[0].dual_coef_)
        assert_array_equal(model.decision_function(X), models[0].decision_function(X))


def test_chunks_that_add_and_remove_support_vectors():
    """Slots of the store are reused, and cached kernel rows are extended by the new samples."""
    X, y = many_classes()
    params = dict(C=3, gamma=0.03, algorithm="lasvm-i", finishing=False)
    models = []
    for cache_size in (500, 0.05):
        model = LASVC(multi_class="ovr", **params, cache_size=cache_size)
        for first in range(0, N, 50):
            model.partial_fit(
                X[first : first + 50], y[first : first + 50], classes=range(N_CLASSES)
            )
            model.finish()
        models.append(model)
    assert_array_equal(*(model.dual_coef_ for model in models))


def test_restored_engine_continues_identically():
    X, y = many_classes()
    given = Samples(y.astype(np.int32), np.full(N, 3.0), np.arange(N))

    def empty():
        return make_loop(make_store(X, gamma=0.03), N_CLASSES)

    whole, first, second = empty(), empty(), empty()
    whole.learn(X, np.arange(N), given)
    first.learn(X, np.arange(192), given)
    second.restore(first.state())
    second.learn(X, np.arange(192, N), given)
    for one, other in zip(whole.problems, second.problems, strict=True):
        assert_array_equal(one.members["alpha"], other.members["alpha"])


def test_kernel_rows_are_shared_after_a_warm_start():
    X, y = many_classes()
    model = LASVC(
        C=3, gamma=0.03, random_state=0, multi_class="ovr", warm_start=True, max_iter=-1
    ).fit(X, y)
    cold = LASVC(C=6, gamma=0.03, random_state=0, multi_class="ovr", max_iter=-1, tol=1e-6).fit(
        X, y
    )
    warm = model.set_params(C=6, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(
        warm.decision_function(X), cold.decision_function(X), rtol=0, atol=1e-4
    )


def test_cache_size_may_change_during_training():
    X, y = many_classes()
    model, other = (
        LASVC(C=3, gamma=0.03, multi_class="ovr", cache_size=size) for size in (500, 0.1)
    )
    for first in range(0, N, 90):
        for each in (model, other):
            each.partial_fit(X[first : first + 90], y[first : first + 90], range(N_CLASSES))
        other.set_params(cache_size=500 / (1 + first))
    assert_array_equal(model.dual_coef_, other.dual_coef_)


# -- kernel rows computed in blocks, with few of them in the cache ----------------------


def trained_loop(X, y, algorithm, cache_bytes=500 << 20, n_jobs=1):
    layout = "dense" if isinstance(X, np.ndarray) else "sparse"
    n = len(y)
    n_problems = 1 if y.max() == 1 else y.max() + 1
    store = make_store(X, layout=layout, gamma=0.3)
    loop = make_loop(store, n_problems, cache_bytes=cache_bytes, algorithm=algorithm)
    given = Samples(y.astype(np.int32), np.full(n, 5.0), np.arange(n))
    with thread_pool(n_jobs) as threads:
        loop.learn(X, np.arange(n), given, threads)
        loop.finish(threads)
    return loop


@pytest.mark.slow
@pytest.mark.parametrize(
    "layout, n_classes, n_jobs",
    [
        pytest.param("dense", 2, 1, marks=pytest.mark.slow),
        pytest.param("sparse", 2, 1, marks=pytest.mark.slow),
        ("dense", 5, 3),
        pytest.param("sparse", 5, 3, marks=pytest.mark.slow),
        pytest.param("dense", 5, 1, marks=pytest.mark.slow),
        pytest.param("sparse", 5, 1, marks=pytest.mark.slow),
    ],
)
@with_two_algorithms
def test_small_cache_does_not_change_the_model(layout, algorithm, n_classes, n_jobs):
    """The small cache has 700 kB: some 200 kernel rows, of up to 600 values each."""
    X, y = wide_samples(600, layout), np.random.default_rng(1).integers(0, n_classes, 600)
    large = trained_loop(X, y, algorithm)
    small = trained_loop(X, y, algorithm, 700_000, n_jobs)
    ratio = small.n_kernel_evaluations / large.n_kernel_evaluations
    assert ratio > (1 if n_classes == 2 else 1.5)
    for expected, problem in zip(large.problems, small.problems, strict=True):
        if n_classes == 2:
            assert problem.matrix.rows.n_rows < expected.matrix.rows.n_rows
        slots = expected.slots()
        assert_array_equal(problem.slots(), slots)
        for name in ("row_id", "alpha", "g"):
            assert_array_equal(problem.members[name][slots], expected.members[name][slots])
        assert problem.b == expected.b
