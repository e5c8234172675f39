"""Threads that score the next block while one is learnt."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm import LASVC
from sklearn_online_svm._core.kernel.block import Samples
from tests.support.engine import make_loop, make_store

N = 700


def wide_rows(layout="dense", seed=0):
    """Samples of so many features that a block is worth a thread, and noisy labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 3000)).astype(np.float32) / 50
    y = np.where(X[:, 0] + 0.02 * rng.normal(size=N) > 0, 1, -1)
    if layout == "sparse":
        X[rng.random(X.shape) < 0.9] = 0
        return csr_matrix(X), y
    return X, y


class Counting(ThreadPoolExecutor):
    """Counts the blocks that threads have begun to score ahead."""

    n_ahead = 0

    def submit(self, function, *arguments):
        self.n_ahead += getattr(function, "__name__", "") == "work"
        return super().submit(function, *arguments)


def learnt(X, y, n_threads, **solver):
    layout = "dense" if isinstance(X, np.ndarray) else "sparse"
    loop = make_loop(make_store(X, layout=layout, gamma=0.3), **solver)
    given = Samples((y > 0).astype(np.int32), np.full(N, 5.0), np.arange(N))
    order = np.random.default_rng(1).permutation(N)
    if n_threads == 1:
        loop.learn(X, order, given)
    else:
        with Counting(n_threads) as executor:
            loop.learn(X, order, given, executor)
            # All blocks but the first two, before which there is little to compare with, and what
            # a row that was let go ahead of its turn costs.
            assert executor.n_ahead >= (n_threads - 1) * (N // 64 - 3)
    return loop


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g", "lasvm-i"])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_the_number_of_threads_changes_nothing(layout, algorithm):
    X, y = wide_rows(layout)
    alone = learnt(X, y, 1, algorithm=algorithm).state()
    for n_threads in (2, 3):
        state = learnt(X, y, n_threads, algorithm=algorithm).state()
        assert state["n_evaluations"] == alone["n_evaluations"]
        for name, value in alone["problems"][0].items():
            assert_array_equal(state["problems"][0][name], value, err_msg=name)


def test_a_little_is_not_worth_a_thread():
    X = np.random.default_rng(0).normal(size=(N, 3))
    loop = make_loop(make_store(X))
    given = Samples((X[:, 0] > 0).astype(np.int32), np.full(N, 5.0), np.arange(N))
    with Counting(2) as executor:
        loop.learn(X, np.arange(N), given, executor)
        assert executor.n_ahead == 0


def test_a_second_pass():
    """Members need no values; some are let go before it is their turn."""
    X, y = wide_rows()
    params = dict(C=5, gamma=0.3, max_iter=3, random_state=0)
    one, two = (LASVC(**params, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, 2))
    assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert one.n_iter_ == two.n_iter_ > 1


def test_chunks():
    X, y = wide_rows()
    models = []
    for n_jobs in (1, 2):
        model = LASVC(C=5, gamma=0.3, n_jobs=n_jobs)
        for first in range(0, N, 150):
            model.partial_fit(X[first : first + 150], y[first : first + 150], classes=[-1, 1])
        models.append(model)
    assert_array_equal(*(model.dual_coef_ for model in models))


@pytest.mark.parametrize("bad", [N - 1, N // 2, 64])
def test_a_row_that_is_refused_is_refused_in_its_turn(bad):
    """Those before it have been learnt."""
    X, y = wide_rows()
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
