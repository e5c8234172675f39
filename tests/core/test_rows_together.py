"""Rows computed together where memory holds too few of them."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from sklearn_online_svm._core.kernel.given_rows import Rows
from tests.support.engine import make_loop, make_store

N = 600
# For some 200 of the rows, each of up to N values.
LITTLE = 700_000


def learnt(X, y, cache_bytes, algorithm):
    layout = "dense" if isinstance(X, np.ndarray) else "sparse"
    store = make_store(X, layout=layout, gamma=0.3)
    loop = make_loop(store, cache_bytes=cache_bytes, algorithm=algorithm)
    given = Rows((y > 0).astype(np.int32), np.full(N, 5.0), np.arange(N))
    loop.learn(X, np.arange(N), given)
    loop.finish()
    return loop


@pytest.mark.parametrize("algorithm", ["lasvm", "lasvm-g"])
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_the_model_is_that_of_plenty_of_memory(layout, algorithm):
    """Of so many features that a row takes long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3000)).astype(np.float32) / 50
    if layout == "sparse":
        X[rng.random(X.shape) < 0.9] = 0
        X = csr_matrix(X)
    y = rng.choice([-1, 1], N)
    plenty = learnt(X, y, 500 << 20, algorithm)
    little = learnt(X, y, LITTLE, algorithm)
    assert little.problems[0].rows.n_rows < plenty.problems[0].rows.n_rows
    assert little.n_kernel_evaluations > plenty.n_kernel_evaluations
    for name, value in plenty.state()["problems"][0].items():
        if name != "counters":  # of kernel values
            assert_array_equal(little.state()["problems"][0][name], value, err_msg=name)
