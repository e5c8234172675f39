"""A block of samples and its kernel values; the contract is in the ``.pxd``."""
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

from ..guard cimport Halt, share
from ..memory cimport address, grown, round_up
from ..simd.primitives cimport SIMD_BLOCK, SIMD_TILE
from .stores cimport Block, Store, holds_values

import numpy as np

# Multiplications below which a block is not worth sharing between threads.
cdef double WORTH_SHARING = 2e7


cdef int check_type(Store store, X) except -1:
    if X.dtype != store.dtype or X.shape[1] != store.n_features or (
            isinstance(X, np.ndarray) and not X.flags.c_contiguous):
        raise ValueError(
            f"X must be a CSR matrix or a C-contiguous array with {store.n_features} features of "
            f"dtype {store.dtype}, got shape {X.shape} and dtype {X.dtype}")
    return 0


cdef int check_norms(Store store, Block block, const int64_t *rows) except -1:
    """Raise an error if squared norms are so large that products are not finite."""
    cdef Py_ssize_t r
    for r in range(block.n_rows):
        if not store.holds_norm(store.norm_of(block, r)):
            raise ValueError(
                f"Row {rows[r]} of X has a squared norm that is too large for {store.dtype}; "
                "scale the features.")
    return 0


cdef class FreshRows:
    """A block of samples of X.

    The caller sets ``rows``, ``labels`` and ``n``, then loads the samples and computes their
    kernel values.
    """

    def __init__(self, Store store):
        self.store = store
        self.block = store.new_block()
        self.scored.gram, self.scored.gram_ld = self.gram, SIMD_BLOCK

    cdef int load(self, X) except -1:
        """Load the samples from X, and allocate memory for them in the store."""
        cdef Store store = self.store
        # With prefetch, the samples of the previous block may still be added, too.
        cdef Py_ssize_t n_slots = store.n_slots + 2 * SIMD_BLOCK
        cdef Py_ssize_t capacity, ld = round_up(n_slots, SIMD_TILE) + SIMD_TILE
        self.is_scored = False
        store.reserve(n_slots)
        if self.capacity < SIMD_BLOCK * ld:
            capacity = SIMD_BLOCK * (ld + ld // 4)
            values = grown(np.zeros(0, np.float32), capacity)
            self.scored.values = <float *>address(values)
            self.values_array, self.capacity = values, capacity
        self.scored.ld = ld
        if self.n:
            store.load(self.block, X, self.rows, self.n)
            check_norms(store, self.block, self.rows)
        return 0

    cdef int score_values(self, executor, Halt halt) except -1:
        """Compute the kernel values against the store."""
        cdef Store store = self.store
        cdef Py_ssize_t part, last = round_up(store.n_slots, SIMD_TILE)
        if not self.n:
            return 0
        if executor is None or <double>self.n * last * store.n_features < WORTH_SHARING:
            self.score_part(0, last)
        else:
            part = round_up(last // executor._max_workers + 1, SIMD_TILE)
            share([(self.score_part, first, min(first + part, last))
                   for first in range(0, last, part)], executor, halt)
        self.is_scored = True
        return 0

    cdef int keep_only(self, X, Py_ssize_t k) except -1:
        """Keep only the ``k``-th of the visited samples, with its kernel values."""
        cdef Visits *visits = &self.visits
        cdef Py_ssize_t r = visits.place[k]
        visits.n = 1
        visits.row[0], visits.row_id[0] = visits.row[k], visits.row_id[k]
        visits.cost[0] = visits.cost[k]
        visits.place[0] = min(0, visits.place[k])
        self.n = 1 + visits.place[0]
        if r > 0:
            self.rows[0], self.labels[0] = self.rows[r], self.labels[r]
            memcpy(self.scored.values, self.scored.values + r * self.scored.ld,
                   self.scored.ld * sizeof(float))
        if self.n:
            self.store.load(self.block, X, self.rows, 1)
            self.score_themselves()
        return 0

    def score_part(self, Py_ssize_t first, Py_ssize_t last):
        with nogil:
            self.store.values(self.block, first, last, self.scored.values, self.scored.ld)

    cdef int score_themselves(self) except -1:
        """Compute the Gram matrix of the block; raise an error if it is not finite."""
        cdef Py_ssize_t r
        cdef int code
        with nogil:
            code = self.store.gram(self.block, self.gram, SIMD_BLOCK)
        self.store.raise_errors(code)
        # In float32 kernel values may overflow; the diagonal bounds the others.
        for r in range(self.block.n_rows):
            if not (isfinite(self.gram[r * SIMD_BLOCK + r])
                    and holds_values(&self.store.map, self.store.norm_of(self.block, r))):
                raise ValueError(
                    f"Kernel values of row {self.rows[r]} of X are not finite in single "
                    "precision; scaling the features, or other kernel parameters, may help.")
        return 0

    cdef int load_slots(self, const int32_t *slots, Py_ssize_t n) except -1:
        """Load vectors of the store as a block."""
        cdef int code
        with nogil:
            code = self.store.load_slots(self.block, slots, n)
        return self.store.raise_errors(code)

    def check(self, X):
        """Raise the errors that ``load`` and scoring would raise, before any sample is used."""
        cdef Py_ssize_t at, r
        cdef double largest, norm
        check_type(self.store, X)
        if self.store.cost == INFINITY:
            return                      # a Python kernel function is not called twice
        values = X if isinstance(X, np.ndarray) else X.data
        largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
        norm = largest * largest * self.store.n_features
        if self.store.holds_norm(norm) and holds_values(&self.store.map, norm):
            return
        for at in range(0, X.shape[0], SIMD_BLOCK):
            self.n = min(SIMD_BLOCK, X.shape[0] - at)
            for r in range(self.n):
                self.rows[r] = at + r
            self.store.load(self.block, X, self.rows, self.n)
            check_norms(self.store, self.block, self.rows)
            self.score_themselves()
