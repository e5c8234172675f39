"""Stores whose kernel values come from Python: callable and precomputed kernels.

The kernel function is called once per block, with the GIL held. An exception is kept in the
store's ``error`` until the loop has left its nogil section and raises it.
"""
cimport cython
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ...interrupts cimport call_function
from ...memory cimport address, grown, round_up
from .sparse_store cimport SparseStore
from .stores cimport Block, Store, row_array
from ...simd.primitives cimport SIMD_TILE

import numpy as np
from scipy.sparse import csr_matrix, issparse


cdef int _copy_values(object values, Py_ssize_t n_rows, Py_ssize_t n_columns, float *out,
                      Py_ssize_t ld) except -1:
    cdef const float[:, ::1] rounded
    cdef Py_ssize_t r
    if issparse(values):
        values = values.toarray()
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise ValueError(
            f"The kernel function must return real numbers, got an array of {values.dtype}.")
    with np.errstate(over="ignore"):
        values = np.ascontiguousarray(values, dtype=np.float32)
    if values.shape != (n_rows, n_columns):
        raise ValueError(
            f"The kernel function must return an array of shape {(n_rows, n_columns)}, "
            f"got {values.shape}.")
    # Cheaper than isfinite of each value; but a sum of finite numbers may overflow.
    if not isfinite(values.sum(dtype=np.float64)) and not np.isfinite(values).all():
        raise ValueError(
            "Kernel values are not finite in single precision; scaling the features, or another "
            "kernel, may help.")
    rounded = values
    for r in range(n_rows):
        if n_columns:
            memcpy(out + r * ld, &rounded[r, 0], n_columns * sizeof(float))
    return 0


cdef void _compute(Store store, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                   Py_ssize_t ld) noexcept:
    """Compute the block against slots [first, last), or against itself (``first`` < 0).

    An exception is kept in ``store.error``, for the caller to raise with the GIL held.
    """
    cdef Py_ssize_t r, s, n = block.n_rows if first < 0 else last - first
    if store.error is None:
        try:
            _copy_values(store.python_values(block, first, last), block.n_rows, n, out, ld)
            return
        except BaseException as error:
            store.error = error
            store.failed = True
    for r in range(block.n_rows):
        for s in range(n):
            out[r * ld + s] = 0.0


cdef int _load(Store store, Block block, const int32_t *slots, Py_ssize_t n) noexcept:
    """Load vectors of the store into the block; an exception is kept in ``store.error``."""
    cdef Py_ssize_t r
    block.n_rows = n
    try:
        store.take_slots(block, [slots[r] for r in range(n)])
        return 0
    except BaseException as error:
        if store.error is None:
            store.error = error
            store.failed = True
        return -1


@cython.final
cdef class CallableStore(Store):
    def __init__(self, Py_ssize_t n_features, dtype, function):
        super().__init__(n_features, dtype)
        self.function = function
        self.rows_array = np.zeros((0, n_features), dtype=self.dtype)

    cdef int lend(self, Store view) noexcept:
        cdef CallableStore other = <CallableStore>view
        Store.lend(self, view)
        other.function, other.rows_array = self.function, self.rows_array
        return 0

    def resize(self, Py_ssize_t capacity):
        rows_array = grown(self.rows_array, capacity)
        cdef void *rows = address(rows_array)
        Store.resize(self, capacity)
        self.rows_array, self.rows = rows_array, <char *>rows

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        X = X[row_array(rows, n)]
        # C-contiguous, for `put`.
        block.X = np.ascontiguousarray(X if isinstance(X, np.ndarray) else X.toarray())
        block.rows_in_X = <const char *>address(block.X)
        block.n_rows = n
        return 0

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        with gil:
            return _load(self, block, slots, n)

    cdef int take_slots(self, Block block, list slots) except -1:
        block.X = self.rows_array[slots]
        block.rows_in_X = <const char *>address(block.X)
        return 0

    cdef object python_values(self, Block block, Py_ssize_t first, Py_ssize_t last):
        return call_function(
            self.function, block.X, block.X if first < 0 else self.rows_array[first:last])

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        last = min(last, self.n_slots)
        if first < last:
            with gil:
                _compute(self, block, first, last, out + first, ld)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        with gil:
            _compute(self, block, -1, -1, out, ld)
        return 0

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        cdef Py_ssize_t width = self.n_features * block.itemsize
        memcpy(self.rows + slot * width, block.rows_in_X + row * width, width)
        self.n_slots = max(self.n_slots, slot + 1)
        return 0

    def vectors(self, slots):
        return self.rows_array[np.asarray(slots, dtype=np.intp)]

    def state(self):
        state = Store.state(self)
        state["rows"] = self.rows_array[:round_up(self.n_slots, SIMD_TILE)].copy()
        return state

    def take_arrays(self, state):
        self.rows_array = state["rows"]


@cython.final
cdef class CallableSparseStore(SparseStore):
    def __init__(self, Py_ssize_t n_features, dtype, function):
        super().__init__(n_features, dtype)
        self.cost = INFINITY
        self.function = function

    cdef void norm(self, Block block, Py_ssize_t r) noexcept nogil:
        pass                            # the norm of a sample is not limited

    cdef int lend(self, Store view) noexcept:
        SparseStore.lend(self, view)
        (<CallableSparseStore>view).function = self.function
        return 0

    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil:
        Store.values_of_tiles(self, block, tiles, n, out)  # not the primitive for sparse vectors

    cdef object fresh_rows(self, Block block):
        cdef Py_ssize_t nnz = block.nnz, r
        indices, data = np.empty(nnz, np.int32), np.empty(nnz, self.dtype)
        memcpy(address(indices), block.indices, nnz * sizeof(int32_t))
        memcpy(address(data), block.data, nnz * block.itemsize)
        indptr = [block.start[r] for r in range(block.n_rows)] + [nnz]
        rows = csr_matrix((data, indices, indptr), shape=(block.n_rows, self.n_features))
        rows.eliminate_zeros()
        return rows

    cdef object python_values(self, Block block, Py_ssize_t first, Py_ssize_t last):
        rows = self.fresh_rows(block)
        return call_function(
            self.function, rows, rows if first < 0 else self.vectors(range(first, last)))

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        last = min(last, self.n_slots)
        if first < last:
            with gil:
                _compute(self, block, first, last, out + first, ld)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        with gil:
            _compute(self, block, -1, -1, out, ld)
        return 0


@cython.final
cdef class PrecomputedStore(Store):
    """Vectors are columns of a kernel matrix: ``X`` is (samples, training samples)."""

    def __init__(self, Py_ssize_t n_features, dtype):
        super().__init__(n_features, dtype)
        self.ids_array = np.zeros(0, dtype=np.int64)

    def attach(self, matrix):
        """Set the kernel matrix of the current fit, or None: uncached rows come from it."""
        self.matrix = matrix

    cdef int lend(self, Store view) noexcept:
        cdef PrecomputedStore other = <PrecomputedStore>view
        Store.lend(self, view)
        other.ids_array, other.matrix = self.ids_array, self.matrix
        return 0

    def resize(self, Py_ssize_t capacity):
        ids_array = grown(self.ids_array, capacity)
        cdef void *ids = address(ids_array)
        Store.resize(self, capacity)
        self.ids_array, self.ids = ids_array, <int64_t *>ids

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        block.ids = row_array(rows, n)
        block.X = X[block.ids]
        memcpy(block.own_ids, rows, n * sizeof(int64_t))
        block.n_rows = n
        return 0

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        with gil:
            return _load(self, block, slots, n)

    cdef int take_slots(self, Block block, list slots) except -1:
        if self.matrix is None:
            raise ValueError(
                "finish() with kernel='precomputed' needs the kernel matrix of fit, which is not "
                "kept with a pickled model.")
        cdef Py_ssize_t r
        block.ids = self.ids_array[slots]
        block.X = self.matrix[block.ids]
        for r in range(len(slots)):
            block.own_ids[r] = block.ids[r]
        return 0

    cdef object python_values(self, Block block, Py_ssize_t first, Py_ssize_t last):
        return block.X[:, block.ids if first < 0 else self.ids_array[first:last]]

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        last = min(last, self.n_slots)
        if first < last:
            with gil:
                _compute(self, block, first, last, out + first, ld)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        with gil:
            _compute(self, block, -1, -1, out, ld)
        return 0

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        self.ids[slot] = block.own_ids[row]
        self.n_slots = max(self.n_slots, slot + 1)
        return 0

    def vectors(self, slots):
        return np.zeros((0, self.n_features), dtype=self.dtype)

    def state(self):
        state = Store.state(self)
        state["ids"] = self.ids_array[:round_up(self.n_slots, SIMD_TILE)].copy()
        return state

    def take_arrays(self, state):
        self.ids_array = state["ids"]
