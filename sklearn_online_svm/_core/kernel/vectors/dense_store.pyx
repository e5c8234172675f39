"""Dense vectors, in tiles of 16 slots: ``tile[k, lane]``.

A vector register holds one feature of 16 stored vectors, and a feature of a new sample is
broadcast against it. Nothing has to be packed per block.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ...memory cimport address, grown, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE, simd_rows
from .stores cimport Block, Store, fit, real, row_array

import numpy as np


cdef void _from_tiles(const real *tiles, Py_ssize_t slot, Py_ssize_t d, real *row) noexcept nogil:
    cdef const real *lane = tiles + slot // SIMD_TILE * SIMD_TILE * d + slot % SIMD_TILE
    cdef Py_ssize_t k
    for k in range(d):
        row[k] = lane[k * SIMD_TILE]


cdef void _to_tiles(real *tiles, Py_ssize_t slot, Py_ssize_t d, const real *row) noexcept nogil:
    cdef real *lane = tiles + slot // SIMD_TILE * SIMD_TILE * d + slot % SIMD_TILE
    cdef Py_ssize_t k
    for k in range(d):
        lane[k * SIMD_TILE] = row[k]


@cython.final
cdef class DenseStore(Store):
    def __init__(self, Py_ssize_t n_features, dtype, **kernel):
        super().__init__(n_features, dtype, **kernel)
        # Memory bound: consecutive features of one vector are 16 values apart.
        self.cost = 0.4 + 0.06 * n_features
        self.tiles_array = np.zeros((0, n_features, SIMD_TILE), dtype=self.dtype)

    cdef int lend(self, Store view) noexcept:
        cdef DenseStore other = <DenseStore>view
        Store.lend(self, view)
        other.tiles_array, other.tiles = self.tiles_array, self.tiles
        return 0

    def resize(self, Py_ssize_t capacity):
        tiles_array = grown(self.tiles_array, capacity // SIMD_TILE)
        cdef void *tiles = address(tiles_array)
        Store.resize(self, capacity)
        self.tiles_array, self.tiles = tiles_array, tiles

    cdef int load(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1:
        """Load samples of ``X``, a C-contiguous array or a CSR matrix of the store's dtype."""
        cdef Py_ssize_t r, width = self.n_features * block.itemsize
        cdef const char *source
        cdef bint gathered = not isinstance(X, np.ndarray)
        if gathered:
            X = X[row_array(rows, n)].toarray()
        source = <const char *>address(X)
        if fit(&block.rows, &block.rows_capacity, n * width):
            raise MemoryError()
        block.n_rows = n
        with nogil:
            for r in range(n):
                memcpy(<char *>block.rows + r * width,
                       source + (r if gathered else rows[r]) * width, width)
            self.norm(block)
        return 0

    cdef void norm(self, Block block) noexcept nogil:
        cdef Py_ssize_t d = self.n_features, r, k
        cdef const double *row
        cdef double sum
        if self.offset_values != NULL:
            for r in range(block.n_rows):
                row = <const double *>block.rows + r * d
                sum = 0.0
                for k in range(d):
                    sum += row[k] * self.offset_values[k]
                (<double *>block.norms)[r] = sum - self.half_square
        else:
            self.loops.dense_norms(block.rows, block.n_rows, self.n_features, block.norms)

    cdef int load_slots(self, Block block, const int32_t *slots, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t d = self.n_features, r
        if fit(&block.rows, &block.rows_capacity, n * d * block.itemsize):
            return -1
        block.n_rows = n
        for r in range(n):
            if self.is_double:
                _from_tiles(<double *>self.tiles, slots[r], d, <double *>block.rows + r * d)
                (<double *>block.norms)[r] = (<double *>self.norms)[slots[r]]
            else:
                _from_tiles(<float *>self.tiles, slots[r], d, <float *>block.rows + r * d)
                (<float *>block.norms)[r] = (<float *>self.norms)[slots[r]]
        return 0

    cdef int reserve_block(self, Block block, Block source) except -1:
        cdef Py_ssize_t n_bytes = SIMD_BLOCK * self.n_features * block.itemsize
        if (fit(&block.rows, &block.rows_capacity, n_bytes)
                or fit(&block.tiles, &block.tiles_capacity, n_bytes)):
            raise MemoryError()
        return 0

    cdef int select(self, Block block, Block source, const int32_t *rows,
                    Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t r, size = block.itemsize, width = self.n_features * size
        if fit(&block.rows, &block.rows_capacity, n * width):
            return -1
        block.n_rows = n
        for r in range(n):
            memcpy(<char *>block.rows + r * width, <char *>source.rows + rows[r] * width, width)
            memcpy(<char *>block.norms + r * size, <char *>source.norms + rows[r] * size, size)
        return 0

    cdef void values(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                     Py_ssize_t ld) noexcept nogil:
        cdef simd_rows fresh = block.as_rows()
        self.loops.dense_block(&self.map, &fresh, self.tiles, self.norms, first, last, out, ld)

    cdef void values_of_tiles(self, Block block, const int32_t *tiles, Py_ssize_t n,
                              float *out) noexcept nogil:
        cdef simd_rows fresh = block.as_rows()
        self.loops.dense_tiles(&self.map, &fresh, self.tiles, self.norms, tiles, n, out)

    cdef int gram(self, Block block, float *out, Py_ssize_t ld) noexcept nogil:
        """Compute the kernel values of the block against itself, laid out as tiles."""
        cdef Py_ssize_t d = self.n_features, r, width = round_up(block.n_rows, SIMD_TILE)
        cdef simd_rows fresh = block.as_rows()
        if fit(&block.tiles, &block.tiles_capacity, width * d * block.itemsize):
            return -1
        for r in range(width):
            # The last tile is padded with copies of the last row; these values are not used.
            if self.is_double:
                _to_tiles(<double *>block.tiles, r, d,
                          <double *>block.rows + min(r, block.n_rows - 1) * d)
            else:
                _to_tiles(<float *>block.tiles, r, d,
                          <float *>block.rows + min(r, block.n_rows - 1) * d)
        self.loops.dense_block(&self.map, &fresh, block.tiles, block.norms, 0, width, out, ld)
        return 0

    cdef int put(self, Py_ssize_t slot, Block block, Py_ssize_t row) except -1:
        cdef Py_ssize_t d = self.n_features
        if self.is_double:
            _to_tiles(<double *>self.tiles, slot, d, <double *>block.rows + row * d)
            (<double *>self.norms)[slot] = (<double *>block.norms)[row]
        else:
            _to_tiles(<float *>self.tiles, slot, d, <float *>block.rows + row * d)
            (<float *>self.norms)[slot] = (<float *>block.norms)[row]
        self.n_slots = max(self.n_slots, slot + 1)
        return 0

    def vectors(self, slots):
        slots = np.asarray(slots, dtype=np.intp)
        return np.ascontiguousarray(
            self.tiles_array[slots // SIMD_TILE, :, slots % SIMD_TILE])

    def state(self):
        state = Store.state(self)
        last = round_up(self.n_slots, SIMD_TILE)
        state["tiles"] = self.tiles_array[:last // SIMD_TILE].copy()
        return state

    def take_arrays(self, state):
        self.tiles_array = state["tiles"]
        self.tiles = address(self.tiles_array)
