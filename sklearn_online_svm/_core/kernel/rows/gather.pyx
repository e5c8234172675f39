"""Gather of values from rows over the store; the contract is in the ``.pxd``."""
from libc.stdint cimport int8_t, int32_t, uint8_t
from libc.stdlib cimport free

from ...memory cimport grown_buffer
from ...simd.primitives cimport SIMD_GROUP, SIMD_WINDOW, table

import numpy as np

# Number of slots tried as the start of a window, and of store slots left before each.
cdef enum:
    STARTS = 4
    BEFORE = 3

# At most one in so many slots may be outside its window.
cdef enum:
    ODD = 2

# Cost of a value, in ns, gathered alone and in a group.
cdef double ALONE, IN_GROUP
ALONE, IN_GROUP = 1.0, 0.3


cdef class Gather:
    def __dealloc__(self):
        free(self.base)
        free(self.offset)
        free(self.odd)

    cdef int reserve(self, Py_ssize_t n) except -1:
        if n <= self.capacity:
            return 0
        self.base = <int32_t *>grown_buffer(
            self.base, (n // SIMD_GROUP + 1) * sizeof(int32_t))
        self.offset = <uint8_t *>grown_buffer(self.offset, n + SIMD_GROUP)
        self.odd = <Odd *>grown_buffer(self.odd, (n + 1) * sizeof(Odd))
        self.capacity = n
        return 0

    cdef void plan(self, const int32_t *index, const int8_t *alive, Py_ssize_t n,
                   Py_ssize_t n_slots) noexcept nogil:
        cdef Py_ssize_t group, first, base, s, place
        cdef Py_ssize_t n_groups = n // SIMD_GROUP
        self.n_groups = self.n_odd = 0
        self.close = True
        if n_slots < SIMD_WINDOW:
            return
        for group in range(n_groups):
            first = group * SIMD_GROUP
            base = self.best_base(index + first, alive + first, n_slots)
            self.base[group] = <int32_t>base
            for s in range(first, first + SIMD_GROUP):
                place = index[s] - base if alive[s] and index[s] >= 0 else 0
                if not 0 <= place < SIMD_WINDOW:
                    self.odd[self.n_odd].slot, self.odd[self.n_odd].index = <int32_t>s, index[s]
                    self.n_odd += 1
                    place = 0
                self.offset[s] = <uint8_t>place
            if ODD * self.n_odd > n:
                self.close = False
                return
        for s in range(n_groups * SIMD_GROUP, n):
            if alive[s] and index[s] >= 0:
                self.odd[self.n_odd].slot, self.odd[self.n_odd].index = <int32_t>s, index[s]
                self.n_odd += 1
        self.n_groups = n_groups

    cdef Py_ssize_t best_base(self, const int32_t *index, const int8_t *alive,
                              Py_ssize_t n_slots) noexcept nogil:
        """Return the start of the window that contains most slots of a group."""
        cdef Py_ssize_t k, s, base, n_inside, n_most = -1, best = 0
        for k in range(STARTS):
            base = min(max(index[k] - BEFORE * k, 0), n_slots - SIMD_WINDOW)
            n_inside = 0
            for s in range(SIMD_GROUP):
                n_inside += (not alive[s]) | (base <= index[s] < base + SIMD_WINDOW)
            if n_inside > n_most:
                n_most, best = n_inside, base
            if n_most == SIMD_GROUP:
                break
        return best

    cdef void take(self, const float *row, const int32_t *index, Py_ssize_t n,
                   float *out) noexcept nogil:
        cdef Py_ssize_t s
        if not self.n_groups:
            for s in range(n):
                out[s] = row[index[s] if index[s] > 0 else 0]
            return
        table().gather(row, self.base, self.offset, self.n_groups, out)
        for s in range(self.n_groups * SIMD_GROUP, n):
            out[s] = 0.0
        for s in range(self.n_odd):
            out[self.odd[s].slot] = row[self.odd[s].index]

    cdef double cost(self) noexcept nogil:
        return IN_GROUP if self.close else ALONE

    def gathered(self, const float[::1] row, const int32_t[::1] index, const int8_t[::1] alive):
        """Run ``plan`` and ``take``, for tests."""
        cdef Py_ssize_t n = index.shape[0]
        cdef float[::1] out = np.empty(n + 1, dtype=np.float32)
        self.reserve(n)
        self.plan(&index[0], &alive[0], n, row.shape[0])
        self.take(&row[0], &index[0], n, &out[0])
        return np.asarray(out)[:n]
