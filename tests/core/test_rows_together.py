"""Samples computed together where memory holds too few of them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm._base import thread_pool
from sklearn_online_svm._core.kernel.block import Samples
from tests.support.engine import make_loop, make_store

N = 600
# For some 200 of the rows, each of up to N values.
LITTLE = 700_000


def learnt(X, y, cache_bytes, algorithm, n_jobs=1):
    layout = "dense" if isinstance(X, np.ndarray) else "sparse"
    n_problems = 1 if y.max() == 1 else y.max() + 1
    store = make_store(X, layout=layout, gamma=0.3)
    loop = make_loop(store, n_problems, cache_bytes=cache_bytes, algorithm=algorithm)
    given = Samples(y.astype(np.int32), np.full(N, 5.0), np.arange(N))
    with thread_pool(n_jobs) as threads:
        loop.learn(X, np.arange(N), given, threads)
        loop.finish(threads)
    return loop


def many_features(layout):
    """Samples of so many features that their kernel values take long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3000)).astype(np.float32) / 50
    if layout == "sparse":
        X[rng.random(X.shape) < 0.9] = 0
        X = csr_matrix(X)
    return X


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_the_model_is_that_of_plenty_of_memory(layout, algorithm):
    X, y = many_features(layout), np.random.default_rng(1).integers(0, 2, N)
    plenty = learnt(X, y, 500 << 20, algorithm)
    little = learnt(X, y, LITTLE, algorithm)
    assert little.problems[0].matrix.rows.n_rows < plenty.problems[0].matrix.rows.n_rows
    assert little.n_kernel_evaluations > plenty.n_kernel_evaluations
    for name, value in plenty.state()["problems"][0].items():
        if name != "counters":  # of kernel values
            assert_array_equal(little.state()["problems"][0][name], value, err_msg=name)


@pytest.mark.parametrize("n_jobs", [pytest.param(1, marks=pytest.mark.slow), 3])
@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_so_are_models_of_several_classes(layout, algorithm, n_jobs):
    """Which share the rows: those that one class wants are computed together."""
    X, y = many_features(layout), np.random.default_rng(1).integers(0, 5, N)
    plenty = learnt(X, y, 500 << 20, algorithm)
    little = learnt(X, y, LITTLE, algorithm, n_jobs)
    assert little.n_kernel_evaluations > 1.5 * plenty.n_kernel_evaluations
    for expected, problem in zip(plenty.problems, little.problems, strict=True):
        slots = expected.slots()
        assert_array_equal(problem.slots(), slots)
        for name in ("row_id", "alpha", "g"):
            assert_array_equal(problem.members[name][slots], expected.members[name][slots])
        assert problem.b == expected.b
