"""Kernel rows over a working set; the contract is in the ``.pxd``."""
cimport cython
from libc.stdint cimport int32_t
from libc.stdlib cimport free

from ...memory cimport round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE
from ...threads.slices cimport share_values
from ...threads.team cimport Team
from ..vectors.stores cimport Store

import numpy as np

cdef extern from "row_pool.h" nogil:
    float *pool_allocate(size_t)


def _largest(values, slots, size):
    """Return the ``size`` slots of ``slots`` with the largest values, in descending order."""
    values = -values[slots]
    if len(slots) > size:
        nearest = np.argpartition(values, size)[:size]
        values, slots = values[nearest], slots[nearest]
    return slots[np.argsort(values, kind="stable")]


def most_violating(g, up, down, low, high, former, size):
    """Return up to ``size`` slots for a working set: the most violating ones on either side.

    Up to half of them are slots of the ``former`` set whose alpha is not at a bound: without
    these, the same pairs would be solved again and again (Zanghirati and Zanni 2003).

    A slot violates if alpha may increase and g > low, or if it may decrease and g < high.
    """
    rising = _largest(g, np.flatnonzero(up & (g > low)), size)
    falling = _largest(-g, np.flatnonzero(down & (g < high)), size)
    n_pairs = min(len(rising), len(falling))
    slots = np.concatenate([
        former[up[former] & down[former]][:size // 2],
        np.ravel([rising[:n_pairs], falling[:n_pairs]], order="F"),
        rising[n_pairs:], falling[n_pairs:],
    ])
    _, first = np.unique(slots, return_index=True)
    return slots[np.sort(first)][:size].astype(np.int32)


@cython.final
cdef class WorkingSet:
    def __init__(self, Store store, const int32_t[::1] index, Py_ssize_t max_bytes):
        """Copy the vectors in the slots ``index`` of the store."""
        cdef Py_ssize_t first, r, size, n_groups
        self.n, self.store = index.shape[0], store.empty()
        self.block = store.new_block()
        self.store.reserve(self.n)
        for first in range(0, self.n, SIMD_BLOCK):
            size = min(SIMD_BLOCK, self.n - first)
            store.raise_errors(store.load_slots(self.block, &index[first], size))
            self.store.make_room(self.block)
            for r in range(size):
                self.store.put(first + r, self.block, r)
        self.ld = round_up(self.n, SIMD_TILE)
        n_groups = (self.n + SIMD_BLOCK - 1) // SIMD_BLOCK
        # A step needs the rows of two members.
        self.n_places = min(n_groups, max(
            2, max_bytes // (SIMD_BLOCK * self.ld * <Py_ssize_t>sizeof(float))))
        self.values = pool_allocate(self.n_places * SIMD_BLOCK * self.ld * sizeof(float))
        if self.values == NULL:
            raise MemoryError("Out of memory for kernel rows. Try a smaller cache_size.")
        self.place_of = np.full(n_groups, -1, dtype=np.int32)
        self.group_at = np.full(self.n_places, -1, dtype=np.int32)

    def __dealloc__(self):
        free(self.values)

    cdef const float *row(self, Py_ssize_t q) noexcept nogil:
        """Return the row of the q-th vector; NULL: to be computed."""
        cdef Py_ssize_t place = self.place_of[q // SIMD_BLOCK]
        if place < 0:
            return NULL
        return self.values + (place * SIMD_BLOCK + q % SIMD_BLOCK) * self.ld

    cdef Py_ssize_t compute(self, Team team, Py_ssize_t q, Py_ssize_t pinned,
                            const float *diag) noexcept nogil:
        """Compute the group of rows of the q-th vector; the row of ``pinned`` remains.

        Returns the number of values computed, or -1 after an error.
        """
        cdef int32_t positions[SIMD_BLOCK]
        cdef Py_ssize_t place = self.next_place, group = q // SIMD_BLOCK, r
        cdef Py_ssize_t first = group * SIMD_BLOCK, size = min(SIMD_BLOCK, self.n - first)
        cdef float *rows
        if pinned >= 0 and self.group_at[place] == pinned // SIMD_BLOCK:
            place = place + 1 if place + 1 < self.n_places else 0
        if self.group_at[place] >= 0:
            self.place_of[self.group_at[place]] = -1
        self.group_at[place] = -1
        for r in range(size):
            positions[r] = <int32_t>(first + r)
        rows = self.values + place * SIMD_BLOCK * self.ld
        if self.store.load_slots(self.block, positions, size) < 0:
            return -1
        share_values(team, self.store, self.block, self.ld, rows, self.ld)
        if self.store.failed:
            return -1
        # The ridge of a squared loss is part of the diagonal.
        for r in range(size):
            rows[r * self.ld + first + r] = diag[first + r]
        self.group_at[place], self.place_of[group] = <int32_t>group, <int32_t>place
        self.next_place = place + 1 if place + 1 < self.n_places else 0
        return size * self.ld
