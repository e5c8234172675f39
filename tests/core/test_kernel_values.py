"""Kernel values are correct, and bitwise identical however they are computed."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_matrix, csr_matrix

from benchmarks.studies.kernels import fingerprints
from sklearn_online_svm import LASVC
from sklearn_online_svm._core.kernel.vectors import python_stores
from sklearn_online_svm.kernel._spec import NONNEGATIVE
from tests.support.cases import together
from tests.support.engine import Learner, expansion, kernel_values, make_store

KERNELS = {
    "linear": ("linear", {}),
    **{f"poly{d}": ("poly", dict(degree=d, gamma=0.4, coef0=0.7)) for d in range(5)},
    "rbf": ("rbf", dict(gamma=0.15)),
    "sigmoid": ("sigmoid", dict(gamma=0.1, coef0=-0.3)),
    "laplacian": ("laplacian", dict(gamma=0.15)),
    "chi2": ("chi2", dict(gamma=0.3)),
    "intersection": ("intersection", {}),
    "tanimoto": ("tanimoto", {}),
    "cosine": ("cosine", {}),
    # Dense rows without negative features have loops of their own.
    "laplacian, nonnegative": ("laplacian", dict(gamma=0.15)),
    "laplacian, some nonnegative": ("laplacian", dict(gamma=0.15)),
    # Some of the rows are far from the origin, see `rows`.
    "rbf, far": ("rbf", dict(gamma=0.15)),
    "chi2, far": ("chi2", dict(gamma=1e6)),
}
with_every_kernel = pytest.mark.parametrize("kernel", KERNELS)
with_every_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64])
of_every_type = together(dtype=[np.float32, np.float64], layout=["dense", "sparse"])

# Rows of the block by stored rows: whole tiles of 16, tails, and more than one block of 64.
SHAPES = [(1, 1), (3, 16), (64, 17), (65, 48), (130, 70)]


def store_for(X, kernel, layout="dense"):
    name, params = KERNELS[kernel]
    return make_store(X, name, layout=layout, **params)


def rows(n, n_features, dtype, seed=0, share_of_zeros=0.0, kernel=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    if kernel is not None and (KERNELS[kernel][0] in NONNEGATIVE or "nonnegative" in kernel):
        signed = kernel == "laplacian, some nonnegative"
        X = np.where((np.arange(n) % 3 == 0)[:, None] & signed, X, np.abs(X))
    X[rng.random(X.shape) < share_of_zeros] = 0.0
    if kernel is not None and "far" in kernel:
        half = n_features // 2
        X[np.arange(n) % 3 > 0, half:] += 1e6
        if kernel == "chi2, far":
            X[:, :half] *= 1e-6  # whose distances are as large as those of the others
    return X.astype(dtype)


def as_csr(X, index_dtype=np.int32):
    X = csr_matrix(X)
    X.indices, X.indptr = X.indices.astype(index_dtype), X.indptr.astype(index_dtype)
    return X


def exact_values(X, Y, kernel):
    """Kernel values in more than double precision where there is more."""
    name, params = KERNELS[kernel]
    X, Y = X.astype(np.longdouble), Y.astype(np.longdouble)
    dots = X @ Y.T
    if name == "linear":
        return dots
    if name in ("tanimoto", "cosine"):
        squares = (X**2).sum(axis=1)[:, None], (Y**2).sum(axis=1)
        if name == "cosine":
            size = np.sqrt(squares[0]) * np.sqrt(squares[1])
            return np.divide(dots, size, out=np.zeros_like(dots), where=size > 0)
        size = squares[0] + squares[1] - dots
        return np.divide(dots, size, out=np.ones_like(dots), where=size > 0)
    pairs = X[:, None], Y[None]
    if name == "intersection":
        return np.minimum(*pairs).sum(axis=2)
    gamma = params["gamma"]
    if name == "laplacian":
        return np.exp(-gamma * np.abs(pairs[0] - pairs[1]).sum(axis=2))
    if name == "chi2":
        size = pairs[0] + pairs[1]
        terms = np.divide(
            (pairs[0] - pairs[1]) ** 2, size, out=np.zeros_like(size), where=size > 0
        )
        return np.exp(-gamma * terms.sum(axis=2))
    if name == "rbf":
        return np.exp(-gamma * ((X[:, None] - Y[None]) ** 2).sum(axis=2))
    z = gamma * dots + params["coef0"]
    return np.tanh(z) if name == "sigmoid" else z ** params["degree"]


def ulps_apart(a, b):
    """Number of float32 steps between two arrays."""

    def number(x):
        bits = x.view(np.int32).astype(np.int64)
        return np.where(bits < 0, -(2**31) - bits, bits)

    return np.abs(number(a) - number(b))


# -- against NumPy ----------------------------------------------------------------------


@with_every_kernel
@pytest.mark.parametrize("n, m", SHAPES)
@together(layout=["dense", "sparse"])
def test_float64_rows_give_the_exact_value_rounded_to_float32(kernel, layout, n, m):
    X, Y = (
        rows(n, 11, np.float64, 1, 0.4, kernel=kernel),
        rows(m, 11, np.float64, 2, 0.4, kernel=kernel),
    )
    K = kernel_values(store_for(X, kernel, layout), X, Y)
    expected = exact_values(X, Y, kernel).astype(np.float32)
    assert ulps_apart(K, expected).max() <= 1
    assert np.mean(ulps_apart(K, expected) == 0) > 0.99


@with_every_kernel
@pytest.mark.parametrize("n, m", SHAPES)
@together(layout=["dense", "sparse"])
def test_float32_rows_give_the_value_within_float32_rounding(kernel, layout, n, m):
    X, Y = (
        rows(n, 11, np.float32, 1, 0.4, kernel=kernel),
        rows(m, 11, np.float32, 2, 0.4, kernel=kernel),
    )
    K = kernel_values(store_for(X, kernel, layout), X, Y)
    # Values are of the order of 10 at most, powers of 1e4.
    expected = exact_values(X, Y, kernel).astype(np.float64)
    assert_allclose(K, expected, rtol=1e-5, atol=1e-5 if kernel != "poly4" else 1e-3)


@with_every_dtype
@together(n_features=[1, 2, 3, 4, 5, 15, 16, 17, 33, 500], layout=["dense", "sparse"])
def test_any_number_of_features(layout, n_features, dtype):
    X = rows(20, n_features, dtype, 3) / np.sqrt(n_features).astype(dtype)
    K = kernel_values(store_for(X, "rbf", layout), X, X)
    assert_allclose(K, exact_values(X, X, "rbf").astype(np.float64), rtol=2e-6)


@with_every_dtype
@pytest.mark.parametrize("layout", ["dense", "sparse"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "chi2", "tanimoto"])
def test_kernel_of_a_row_with_itself_is_exactly_one(kernel, layout, dtype):
    X = rows(40, 23, dtype, 4, 0.5, kernel=kernel) * dtype(37)
    X[3] = 0.0
    store = make_store(X, kernel, layout=layout, gamma=0.3)
    assert_array_equal(kernel_values(store, X, X).diagonal(), 1)


@with_every_dtype
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_laplacian_and_chi2_of_tiny_and_of_large_values(layout, dtype):
    tiny, large = np.finfo(dtype).smallest_subnormal, dtype(1e30)
    X = np.array([[0, 0, 0], [tiny, 0, 0], [large, 0, 0], [0, 0, large]], dtype=dtype)
    same = np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    for kernel in ("laplacian", "chi2"):
        assert_array_equal(kernel_values(make_store(X, kernel, layout=layout), X, X), same)


@with_every_dtype
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_cosine_with_a_zero_vector_is_zero(layout, dtype):
    X = np.array([[0.0, 0.0], [3.0, 4.0], [-3e-15, -4e-15]], dtype=dtype)
    K = kernel_values(make_store(X, "cosine", layout=layout), X, X)
    assert_allclose(K, [[0, 0, 0], [0, 1, -1], [0, -1, 1]], rtol=3e-7)


@with_every_dtype
def test_overlap_is_the_fraction_of_equal_values(dtype):
    X = np.random.default_rng(3).integers(-1, 3, (70, 7)).astype(dtype)
    K = kernel_values(make_store(X, "overlap"), X, X[:20])
    assert_array_equal(K, (X[:, None] == X[None, :20]).mean(axis=2).astype(np.float32))


def test_rbf_of_far_rows_is_zero():
    X = np.array([[0.0], [100.0], [1e150]])
    assert_array_equal(kernel_values(make_store(X, "rbf", gamma=1.0), X, X), np.eye(3))


def test_sigmoid_of_large_products_is_one():
    X = np.array([[-1e3], [1e3], [1e150]])
    K = kernel_values(make_store(X, "sigmoid", gamma=10.0, coef0=0.0), X, X)
    assert_array_equal(K, [[1, -1, -1], [-1, 1, 1], [-1, 1, 1]])


def test_poly_of_degree_zero_is_one_everywhere():
    X = np.array([[0.0], [1.0], [-2.0]])
    K = kernel_values(make_store(X, "poly", degree=0, gamma=1.0, coef0=0.0), X, X)
    assert_array_equal(K, np.ones((3, 3)))


# -- the same bits on every path --------------------------------------------------------


@with_every_kernel
@of_every_type
def test_kernel_matrix_is_symmetric(layout, dtype, kernel):
    X = rows(70, 13, dtype, 5, 0.4, kernel=kernel)
    K = kernel_values(store_for(X, kernel, layout), X, X)
    assert_array_equal(K, K.T)


@with_every_kernel
@of_every_type
def test_decision_values_are_independent_of_the_block_size(layout, dtype, kernel):
    X, Y = rows(64, 13, dtype, 6, 0.4, kernel=kernel), rows(50, 13, dtype, 7, 0.4, kernel=kernel)
    stored = expansion(store_for(X, kernel, layout), Y, alpha=np.linspace(-1, 1, 50))
    whole = stored.decide(X)
    for size in (1, 2, 3, 5, 8, 31, 63):
        parts = [stored.decide(X[i : i + size]) for i in range(0, 64, size)]
        assert_array_equal(np.concatenate(parts), whole)


@with_every_kernel
@with_every_dtype
def test_dense_csr_and_dense_rows_in_the_sparse_layout(dtype, kernel):
    X, Y = rows(70, 24, dtype, 8, 0.7, kernel=kernel), rows(30, 24, dtype, 9, 0.7, kernel=kernel)
    X[5] = X[69] = Y[0] = 0.0
    dense = kernel_values(store_for(X, kernel), X, Y)
    layouts = {
        "dense rows": (X, Y),
        "int32": (as_csr(X), as_csr(Y)),
        "int64": (as_csr(X, np.int64), as_csr(Y, np.int64)),
        "int32, int64": (as_csr(X), as_csr(Y, np.int64)),
    }
    for name, (fresh, stored) in layouts.items():
        sparse = kernel_values(store_for(X, kernel, "sparse"), fresh, stored)
        assert_array_equal(sparse, dense, err_msg=name)
    # Row by row other loops are used.
    sparse = expansion(store_for(X, kernel, "sparse"), Y, alpha=1.0)
    dense = expansion(store_for(X, kernel), Y, alpha=1.0)
    one_by_one = [sparse.decide(as_csr(X[i : i + 1]))[0] for i in range(70)]
    assert_array_equal(one_by_one, dense.decide(X))


@with_every_kernel
@of_every_type
def test_model_is_independent_of_block_and_cache_size(layout, dtype, kernel):
    """In blocks of 64, row by row, and with hardly any memory for kernel rows.

    Values of rows of the same block come from its Gram matrix, of earlier ones from the store,
    those of dropped rows from the store again: one bit of difference, and paths part.
    """
    X = rows(150, 5, dtype, 10, 0.3, kernel=kernel)
    noise = 0.3 * np.random.default_rng(0).normal(size=150)
    score = X[:, 0] + X[:, 1] ** 2 + noise
    y = np.where(score > np.quantile(score, 0.7), 1, -1)

    def learnt(size, cache_bytes):
        learner = Learner(X, y, 1.0, store_for(X, kernel, layout), cache_bytes=cache_bytes)
        for first in range(0, 150, size):
            learner.learn(np.arange(first, min(first + size, 150)))
        return learner

    whole = learnt(150, 1 << 20)
    assert len(whole.members()) > 20
    for size, cache_bytes in [(1, 1 << 20), (7, 1 << 20), (150, 0), (1, 0), (40, 5000)]:
        other = learnt(size, cache_bytes)
        assert_array_equal(other.alive(), whole.alive())
        for name in ("row_id", "alpha", "g"):
            assert_array_equal(other.over_rows(name), whole.over_rows(name))
        assert other.problem.b == whole.problem.b
        assert_array_equal(other.decide(), whole.decide())


def test_rows_of_costly_values_are_not_evicted_early():
    """The memory of rows grew too slowly, so a third of the values was computed again."""
    n = 9000
    X, y = fingerprints(n, np.random.default_rng(0))
    model = LASVC(kernel="tanimoto", random_state=0).fit(X, y)
    assert len(model.support_) > 0.5 * n
    assert model.n_kernel_evaluations_ < 0.4 * n**2


@with_every_kernel
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_refreshed_gradients_are_exact(layout, kernel):
    """`refresh` takes the stored rows as fresh ones: the same values again."""
    X = rows(90, 7, np.float64, 11, 0.3, kernel=kernel)
    alpha = np.random.default_rng(1).normal(size=90)
    learner = expansion(store_for(X, kernel, layout), X, alpha=alpha)
    K = kernel_values(store_for(X, kernel, layout), X, X)
    learner.loop.refresh()
    scale = np.abs(K.astype(float)) @ np.abs(alpha)
    error = np.abs(learner.problem.members["g"] - (1 - K.astype(float) @ alpha))
    assert (error <= 1e-15 * scale + 1e-15).all()


@with_every_dtype
@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_stored_vectors_equal_the_samples(layout, dtype):
    X = rows(50, 9, dtype, 12, 0.5)
    X[7] = 0.0
    learner = expansion(store_for(X, "rbf", layout), X)
    slots = np.random.default_rng(0).permutation(50)[:30]
    vectors = learner.loop.store.vectors(slots)
    assert vectors.dtype == dtype
    assert_array_equal(vectors if layout == "dense" else vectors.toarray(), X[slots])


def test_reused_slots_of_the_sparse_store():
    """The sparse store keeps rows in a heap: what moves there must stay itself."""
    rng = np.random.default_rng(13)
    X = rows(600, 40, np.float64, 13)
    X[rng.random(X.shape) < rng.random((600, 1))] = 0.0  # from full to empty rows
    y = np.where(X.sum(axis=1) + rng.normal(size=600) > 0, 1, -1)
    sparse = Learner(csr_matrix(X), y, 100.0, make_store(X, "linear", layout="sparse"))
    dense = Learner(X, y, 100.0, make_store(X, "linear"))
    for learner in (sparse, dense):
        learner.learn(np.arange(600))
    assert len(sparse.members()) < sparse.members().max() - 50
    assert (np.diff(sparse.members()) < 0).sum() > 50  # so slots have been used again
    assert_array_equal(sparse.problem.members["row_id"], dense.problem.members["row_id"])
    assert_array_equal(sparse.loop.store.vectors(sparse.alive()).toarray(), X[sparse.members()])
    assert_array_equal(sparse.decide(), dense.decide(X))


# -- kernels in Python ------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["dense", "sparse"])
def test_kernel_functions_are_called_with_rows_and_rounded_to_float32(layout):
    shapes = []

    def function(A, B):
        shapes.append((type(A), A.shape, B.shape, A.dtype, B.dtype))
        return (A @ B.T).toarray() if layout == "sparse" else A @ B.T

    X, Y = rows(70, 6, np.float64, 14, 0.5), rows(20, 6, np.float64, 15, 0.5)
    expected = (X @ Y.T).astype(np.float32)
    if layout == "sparse":
        X, Y = csr_matrix(X), csr_matrix(Y)
        store = python_stores.CallableSparseStore(6, X.dtype, function)
    else:
        store = python_stores.CallableStore(6, X.dtype, function)
    assert_array_equal(kernel_values(store, X, Y), expected)
    assert {s[0] for s in shapes} == {type(X)}
    assert {s[3:] for s in shapes} == {(X.dtype, X.dtype)}
    # Once for a block, not for a row.
    assert (type(X), (64, 6), (20, 6), X.dtype, X.dtype) in shapes


def test_precomputed_values_are_taken_from_the_columns():
    K = rows(30, 30, np.float64, 16)
    store = python_stores.PrecomputedStore(30, K.dtype)
    store.attach(K)
    stored = expansion(store, K, alpha=0.0)
    stored.problem.members["alpha"][11] = 1.0
    stored.loop.touched()
    assert_array_equal(stored.decide(K[:5]), K[:5, 11].astype(np.float32))


# -- unusual sparse rows ----------------------------------------------------------------

fit = partial(LASVC, gamma=0.5, C=10.0, random_state=0)


def decisions(X, y, X_test):
    return fit().fit(X, y).decision_function(X_test)


@pytest.fixture
def sparse_rows():
    rng = np.random.default_rng(17)
    X = rows(120, 15, np.float64, 17, 0.7)
    X[3] = X[50] = 0.0
    return X, np.where(X[:, :4].sum(axis=1) + 0.3 * rng.normal(size=120) > 0, "a", "b")


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
@with_every_dtype
def test_csr_indices_of_both_widths(sparse_rows, index_dtype, dtype):
    X, y = sparse_rows
    X = X.astype(dtype)
    sparse = as_csr(X, index_dtype)
    assert_array_equal(decisions(sparse, y, sparse), decisions(X, y, X))
    assert_array_equal(decisions(X, y, X), fit().fit(sparse, y).decision_function(sparse))


def test_explicit_zeros_unsorted_and_duplicate_indices(sparse_rows):
    X, y = sparse_rows
    expected = decisions(csr_matrix(X), y, csr_matrix(X))

    full = csr_matrix((X.ravel(), np.tile(np.arange(15), 120), np.arange(0, 1801, 15)))
    assert full.nnz == X.size  # zeros are among the values
    assert_array_equal(decisions(full, y, full), expected)

    backwards = csr_matrix(X)
    for r in range(120):
        part = slice(*backwards.indptr[r : r + 2])
        backwards.indices[part] = backwards.indices[part][::-1].copy()
        backwards.data[part] = backwards.data[part][::-1].copy()
    backwards.has_sorted_indices = False
    before = backwards.copy()
    assert_array_equal(decisions(backwards, y, backwards), expected)
    assert_array_equal(backwards.indices, before.indices)

    # Each value as two halves.
    halves = coo_matrix(X)
    data, row, col = (np.r_[a, a] for a in (halves.data / 2, halves.row, halves.col))
    order = np.argsort(row, kind="stable")
    indptr = np.searchsorted(row[order], np.arange(121))
    twice = csr_matrix((data[order], col[order], indptr), shape=X.shape)
    assert twice.nnz == 2 * csr_matrix(X).nnz
    assert_array_equal(decisions(twice, y, twice), expected)
    assert twice.nnz == 2 * csr_matrix(X).nnz


def test_a_million_features():
    n_features = 1_000_000
    rng = np.random.default_rng(18)
    y = np.arange(200) % 2
    row, col = np.repeat(np.arange(200), 20), rng.integers(0, n_features, 4000)
    col[::20] = np.where(y, 0, n_features - 1)
    X = csr_matrix((rng.normal(size=4000), (row, col)), shape=(200, n_features))
    columns = np.unique(X.indices)
    assert columns[0] == 0 and columns[-1] == n_features - 1
    narrow = X[:, columns]
    assert_array_equal(decisions(X, y, X), decisions(narrow, y, narrow))
    model = fit().fit(X, y)
    assert model.support_vectors_.shape == (model.n_support_.sum(), n_features)
    assert (model.support_vectors_ != X[model.support_]).nnz == 0


def test_samples_without_nonzeros():
    X = csr_matrix((40, 5))
    y = np.arange(40) % 2
    model = fit(C=1.0).fit(X, y)
    assert_array_equal(np.unique(model.decision_function(X)).size, 1)
    assert model.support_vectors_.nnz == 0
