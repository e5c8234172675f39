"""Threads that prefetch the kernel values of the next block during training."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sklearn_online_svm import LASVC
from sklearn_online_svm._core.kernel.vectors.block import Samples
from tests.support.engine import make_loop, make_store, wide_samples

N = 700


def samples(layout="dense"):
    """Return wide samples and noisy labels."""
    X = wide_samples(N, layout)
    noise = 0.02 * np.random.default_rng(1).normal(size=N)
    return X, np.where(wide_samples(N)[:, 0] + noise > 0, 1, -1)


class CountingExecutor(ThreadPoolExecutor):
    """Counts the blocks that are prefetched."""

    n_prefetched = 0

    def submit(self, function, *arguments):
        self.n_prefetched += getattr(function, "__name__", "") == "work"
        return super().submit(function, *arguments)


def trained_loop(X, y, n_threads, **solver):
    layout = "dense" if isinstance(X, np.ndarray) else "sparse"
    loop = make_loop(make_store(X, layout=layout, gamma=0.3), **solver)
    given = Samples((y > 0).astype(np.int32), np.full(N, 5.0), np.arange(N))
    order = np.random.default_rng(1).permutation(N)
    if n_threads == 1:
        loop.learn(X, order, given)
    else:
        with CountingExecutor(n_threads) as executor:
            loop.learn(X, order, given, executor)
            # All blocks except the first two, which need few kernel values, and those in which
            # prefetched samples were evicted.
            assert executor.n_prefetched >= (n_threads - 1) * (N // 64 - 3)
    return loop


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-i"])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_state_is_independent_of_the_number_of_threads(layout, algorithm):
    X, y = samples(layout)
    alone = trained_loop(X, y, 1, algorithm=algorithm).state()
    for n_threads in (2, 3):
        state = trained_loop(X, y, n_threads, algorithm=algorithm).state()
        assert state["n_evaluations"] == alone["n_evaluations"]
        for name, value in alone["problems"][0].items():
            assert_array_equal(state["problems"][0][name], value, err_msg=name)


def test_narrow_samples_are_not_prefetched():
    X = np.random.default_rng(0).normal(size=(N, 3))
    loop = make_loop(make_store(X))
    given = Samples((X[:, 0] > 0).astype(np.int32), np.full(N, 5.0), np.arange(N))
    with CountingExecutor(2) as executor:
        loop.learn(X, np.arange(N), given, executor)
        assert executor.n_prefetched == 0


def test_further_epochs():
    """Members of the support set are not prefetched; some are evicted before their turn."""
    X, y = samples()
    params = dict(C=5, gamma=0.3, max_iter=3, random_state=0)
    one, two = (LASVC(**params, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert one.n_iter_ == two.n_iter_ > 1


def test_chunks_of_a_stream():
    X, y = samples()
    models = []
    for n_jobs in (1, 2):
        model = LASVC(C=5, gamma=0.3, n_jobs=n_jobs)
        for first in range(0, N, 150):
            model.partial_fit(X[first : first + 150], y[first : first + 150], classes=[-1, 1])
        models.append(model)
    assert_array_equal(*(model.dual_coef_ for model in models))


@pytest.mark.parametrize("bad", [N - 1, N // 2, 64])
def test_samples_before_an_invalid_one_are_used(bad):
    X, y = samples()
    X[bad] = 1e25
    loop = make_loop(make_store(X, gamma=0.3))
    given = Samples((y > 0).astype(np.int32), np.full(N, 5.0), np.arange(N))
    with ThreadPoolExecutor(2) as executor, pytest.raises(ValueError, match=f"Row {bad} of X"):
        loop.learn(X, np.arange(N), given, executor)
    assert loop.n_processed == bad // 64 * 64
    X[bad] = 0
    with ThreadPoolExecutor(2) as executor:
        loop.learn(X, np.arange(N), given, executor, loop.n_processed)
    whole = make_loop(make_store(X, gamma=0.3))
    whole.learn(X, np.arange(N), given)
    assert_array_equal(loop.problems[0].members["alpha"], whole.problems[0].members["alpha"])
