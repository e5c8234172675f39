"""Virtual points: neighbours in kernel space, and segments between them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import polynomial_kernel

from tests.support.internals import Kernel, VirtualPoints
from tests.support.limits import set_limits

KERNELS = {
    "linear": Kernel("linear"),
    "rbf": Kernel("rbf", gamma=0.3),
    "poly": Kernel("poly", gamma=0.5, degree=3, coef0=1.0),
    "sigmoid": Kernel("sigmoid", gamma=0.01, coef0=0.1),
    "function": Kernel(lambda A, B: polynomial_kernel(A, B, degree=2)),
}


def rows(n=60, n_features=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, n_features))
    X[np.abs(X) < 0.4] = 0.0
    return X


def nearest(X, kernel, i, k):
    """Neighbours by the definition."""
    K = kernel(X, X)
    distance = {m: K[i, i] + K[m, m] - 2 * K[i, m] for m in range(len(X)) if m != i}
    return sorted(distance, key=distance.get)[:k]


@pytest.mark.parametrize("layout", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("name", KERNELS)
def test_neighbors_are_those_in_kernel_space(name, layout):
    X, kernel = rows(), KERNELS[name]
    found = VirtualPoints(layout(X), kernel, 4).neighbors([7, 0, 7, 59])
    assert_array_equal(found, [nearest(X, kernel, i, 4) for i in (7, 0, 7, 59)])


def test_neighbors_are_independent_of_the_block_size(monkeypatch):
    virtual = VirtualPoints(rows(), KERNELS["poly"])
    whole = virtual.neighbors(np.arange(60))
    set_limits(monkeypatch, VIRTUAL_DISTANCES_AT_ONCE=7 * 60)
    assert_array_equal(virtual.neighbors(np.arange(60)), whole)


def test_rbf_neighbors_if_all_kernel_values_are_zero():
    X = 1e3 * rows()
    kernel = Kernel("rbf", gamma=1.0)
    assert (kernel(X, X) == np.eye(60)).all()
    found = VirtualPoints(X, kernel).neighbors(np.arange(60))
    assert_array_equal(found, VirtualPoints(X, KERNELS["linear"]).neighbors(np.arange(60)))


def test_sample_is_not_its_own_neighbor_but_its_duplicate_is():
    X = np.repeat(rows(10), 2, axis=0)
    for kernel in KERNELS.values():
        found = VirtualPoints(X, kernel, 1).neighbors([4, 5])
        assert_array_equal(found, [[5], [4]])


def test_ties_are_resolved_by_index():
    X = np.array([[0.0], [1.0], [-1.0], [2.0], [-2.0]])
    found = VirtualPoints(X, KERNELS["linear"], 3).neighbors([0])
    assert_array_equal(found, [[1, 2, 3]])


@pytest.mark.parametrize(("n", "expected"), [(1, 0), (2, 1), (5, 4), (6, 5), (20, 5)])
def test_no_more_neighbors_than_samples(n, expected):
    virtual = VirtualPoints(rows(n), KERNELS["rbf"])
    assert virtual.n_neighbors == expected
    assert virtual.neighbors([0]).shape == (1, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", KERNELS)
def test_points_lie_between_samples_and_their_neighbors(name, dtype, global_random_seed):
    X = rows(seed=global_random_seed).astype(dtype)
    virtual = VirtualPoints(X, KERNELS[name], 3)
    parents = np.random.default_rng(global_random_seed).integers(60, size=400)
    points, ends = virtual.draw(parents, np.random.RandomState(global_random_seed))
    assert points.dtype == dtype
    assert points.shape == (400, 5)
    assert (ends[:, None] == virtual.neighbors(parents)).any(axis=1).all()
    along = X[parents] - X[ends]
    share = ((points - X[ends]) * along).sum(axis=1) / (along**2).sum(axis=1)
    assert ((share > 0) & (share < 1)).all()
    assert_allclose(
        points, X[ends] + share[:, None] * along, atol=1e-13 if dtype == np.float64 else 1e-5
    )
    # Uniform: about 400 / 4 in each quarter, up to five standard deviations.
    assert np.abs(np.histogram(share, 4, (0, 1))[0] - 100).max() < 5 * np.sqrt(75)
    # All neighbours are drawn.
    rank = (ends[:, None] == virtual.neighbors(parents)).argmax(axis=1)
    assert np.abs(np.bincount(rank) - 400 / 3).max() < 5 * np.sqrt(400 * 2 / 9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("name", KERNELS)
def test_sparse_points_equal_dense_points(name, layout, dtype):
    X = rows().astype(dtype)
    parents = np.arange(60).repeat(3)
    dense, ends = VirtualPoints(X, KERNELS[name]).draw(parents, np.random.RandomState(0))
    given = layout(X)
    found, ends_found = VirtualPoints(given, KERNELS[name]).draw(parents, np.random.RandomState(0))
    assert type(found) is type(given)
    assert found.dtype == dtype
    assert_array_equal(ends_found, ends)
    assert_array_equal(found.toarray(), dense)
    # Features that are 0 in both samples are not stored.
    assert found.nnz == ((X[parents] != 0) | (X[ends] != 0)).sum()


def test_neighbors_of_transformed_samples():
    """Neighbours are found in one space, points are drawn in another one."""
    X = rows()
    seen = X[:, ::-1] ** 2
    virtual = VirtualPoints(X, KERNELS["rbf"], 2, seen)
    assert_array_equal(
        virtual.neighbors(np.arange(60)),
        VirtualPoints(seen, KERNELS["rbf"], 2).neighbors(np.arange(60)),
    )
    points, ends = virtual.draw([3], np.random.RandomState(0))
    share = np.linalg.norm(points[0] - X[ends[0]]) / np.linalg.norm(X[3] - X[ends[0]])
    assert_allclose(points[0], share * X[3] + (1 - share) * X[ends[0]])
