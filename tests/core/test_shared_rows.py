"""Kernel rows over the store, which the problems of several classes share."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm import LASVC
from sklearn_online_svm._core.kernel.block import Samples
from tests.support.engine import make_loop, make_store

N, N_CLASSES, D = 360, 12, 30


def many_classes(layout="dense", seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, N_CLASSES, N)
    X = rng.normal(size=(N, D)) + 1.5 * rng.normal(size=(N_CLASSES, D))[y]
    if layout == "sparse":
        X[rng.random(X.shape) < 0.5] = 0
        return csr_matrix(X), y
    return X, y


def worth_keeping(X):
    """The same rows with so many features that values take longer than memory."""
    return np.tile(X, 20) / np.sqrt(20)


def fitted(X, y, **params):
    return LASVC(C=3, gamma=0.03, random_state=0, **params).fit(X, y)


@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-nc"])
def test_memory_and_threads_change_nothing(layout, algorithm):
    X, y = many_classes(layout)
    plenty = fitted(X, y, algorithm=algorithm)
    for cache_size in (1e-3, 0.2, 1.0):
        for n_jobs in (1, 3):
            model = fitted(X, y, algorithm=algorithm, cache_size=cache_size, n_jobs=n_jobs)
            assert_array_equal(model.dual_coef_, plenty.dual_coef_)
            assert_array_equal(model.intercept_, plenty.intercept_)


@pytest.mark.parametrize("cache_size", [500, 4, 1])
def test_a_row_is_computed_once_for_all_classes(cache_size):
    """Of several hundred features, so that values are worth keeping; 12 classes have kept 4 MB."""
    X, y = many_classes()
    X = worth_keeping(X)
    model = fitted(X, y, cache_size=cache_size)
    kept = sum(problem.members.n_members for problem in model._engine.problems)
    assert kept > 5 * N
    # The rows as they come, against those that came before and their block of 64; the rest follows
    # by symmetry, or each row is computed once.
    assert model.n_kernel_evaluations_ <= 0.5 * N * (N + 64) + N * N


@pytest.mark.parametrize("cache_size", [500, 6])
def test_where_all_rows_are_vectors_each_value_is_computed_once(cache_size):
    """Samples come with the blocks and stay as they grow: 4 MB in the end."""
    rng = np.random.default_rng(0)
    n = 1000
    X, y = worth_keeping(rng.normal(size=(n, 20))), rng.integers(0, 6, n)
    model = LASVC(C=3, gamma=1, cache_size=cache_size, shuffle=False).fit(X, y)
    assert len(model.support_) == n
    assert all(problem.matrix.gather.close for problem in model._engine.problems)
    assert model.n_kernel_evaluations_ <= 0.5 * n * (n + 64) + 64 * n


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_what_rows_of_a_problem_lack_comes_from_shared_ones(n_jobs, algorithm):
    X, y = many_classes()
    X = worth_keeping(X)
    params = dict(C=3, gamma=0.03, algorithm=algorithm, n_jobs=n_jobs)
    models = [LASVC(**params, cache_size=size) for size in (500, 6, 2, 1)]
    for first in range(0, N, 60):
        rows = slice(first, first + 60)
        for model in models:
            model.partial_fit(X[rows], y[rows], range(N_CLASSES))
    for model in models[1:]:
        assert_array_equal(model.dual_coef_, models[0].dual_coef_)
        assert_array_equal(model.decision_function(X), models[0].decision_function(X))


def test_chunks_in_which_vectors_come_and_go():
    """Slots of the store change hands; rows that were kept are completed for the new ones."""
    X, y = many_classes()
    params = dict(C=3, gamma=0.03, algorithm="lasvm-i", finishing=False)
    models = []
    for cache_size in (500, 0.05):
        model = LASVC(**params, cache_size=cache_size)
        for first in range(0, N, 50):
            model.partial_fit(
                X[first : first + 50], y[first : first + 50], classes=range(N_CLASSES)
            )
            model.finish()
        models.append(model)
    assert_array_equal(*(model.dual_coef_ for model in models))


def test_a_restored_engine_goes_on_alike():
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


def test_new_rows_are_shared_after_a_warm_start():
    X, y = many_classes()
    model = LASVC(C=3, gamma=0.03, random_state=0, warm_start=True, max_iter=-1).fit(X, y)
    cold = LASVC(C=6, gamma=0.03, random_state=0, max_iter=-1, tol=1e-6).fit(X, y)
    warm = model.set_params(C=6, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(
        warm.decision_function(X), cold.decision_function(X), rtol=0, atol=1e-4
    )


def test_another_cache_size_while_learning():
    X, y = many_classes()
    model, other = (LASVC(C=3, gamma=0.03, cache_size=size) for size in (500, 0.1))
    for first in range(0, N, 90):
        for each in (model, other):
            each.partial_fit(X[first : first + 90], y[first : first + 90], range(N_CLASSES))
        other.set_params(cache_size=500 / (1 + first))
    assert_array_equal(model.dual_coef_, other.dual_coef_)
