"""Shared kernel cache; the contract is in the ``.pxd``."""
from cpython.pythread cimport (
    PyThread_acquire_lock, PyThread_allocate_lock, PyThread_free_lock, PyThread_release_lock,
    WAIT_LOCK,
)
from libc.math cimport fmin
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from ...simd.primitives cimport SIMD_BLOCK
from ..vectors.block cimport SampleBlock
from .kernel_cache cimport FEW, SYMMETRY_COST, KernelCache, CachedRow, memory_worth
from .kernel_row cimport RowComputer
from ..vectors.stores cimport Store

# Largest share of the budget for shared rows; memory per row relative to its length.
cdef double LARGEST_SHARE = 0.875
cdef double ROOM = 1.25


cdef class SharedKernelCache:
    def __cinit__(self, Store store, Py_ssize_t max_bytes):
        self.added = <int32_t *>malloc(2 * SIMD_BLOCK * sizeof(int32_t))
        self.lock = PyThread_allocate_lock()
        if self.added == NULL or self.lock == NULL:
            raise MemoryError()
        self.added_row = self.added + SIMD_BLOCK

    def __init__(self, Store store, Py_ssize_t max_bytes):
        self.store = store
        self.rows = KernelCache(0)
        self.rows.tight = True
        self.maker = RowComputer(store)
        self.max_bytes = max_bytes

    def __dealloc__(self):
        free(self.added)
        if self.lock != NULL:
            PyThread_free_lock(self.lock)

    cdef bint plan(self):
        """Divide the cache memory if the store has outgrown the last division.

        Shared rows get the memory for all vectors, up to LARGEST_SHARE; ``left`` is for the caches
        of the problems. Returns whether anything changed.
        """
        cdef double wanted
        if self.store.n_slots + SIMD_BLOCK <= self.planned:
            return False
        self.planned = (self.store.n_slots + SIMD_BLOCK) * 5 // 4
        wanted = ROOM * sizeof(float) * <double>self.planned * self.planned
        self.rows.max_bytes = <Py_ssize_t>fmin(wanted, LARGEST_SHARE * self.max_bytes)
        self.left = self.max_bytes - self.rows.max_bytes
        return True

    cdef int reserve(self) except -1:
        """Allocate the slots needed at the end of the block; there are no readers now."""
        self.rows.grant(memory_worth(self.store.cost, self.n_evaluations, FEW))
        self.maker.reserve()
        return self.rows.reserve(self.store.n_slots + SIMD_BLOCK, SIMD_BLOCK)

    cdef bint has_most(self) noexcept nogil:
        return 4 * (self.rows.n_rows + SIMD_BLOCK) >= 3 * self.n_filled

    cdef double time_of(self, int32_t slot) noexcept nogil:
        cdef CachedRow *row
        cdef double time = self.store.cost * self.store.n_slots
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        row = &self.rows.rows[slot]
        if row.values != NULL:
            time = fmin(time, SYMMETRY_COST * (self.rows.log_length - row.synced))
        PyThread_release_lock(self.lock)
        return time

    cdef bint keeps(self, int32_t slot) noexcept nogil:
        cdef bint kept
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        kept = self.rows.rows[slot].values != NULL
        PyThread_release_lock(self.lock)
        return kept

    cdef Py_ssize_t fetch(self, int32_t *slots, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t k, n_lacking = 0, n_computed
        cdef float *values
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        for k in range(n):
            if self.rows.rows[slots[k]].values == NULL:
                slots[n_lacking] = slots[k]
                n_lacking += 1
        if self.fetching or n_lacking < 2:
            # A single row is computed by the caller.
            PyThread_release_lock(self.lock)
            return 0
        self.fetching = True
        self.rows.grant(memory_worth(self.store.cost, self.n_evaluations, FEW))
        PyThread_release_lock(self.lock)
        n_computed = self.maker.together(slots, n_lacking)
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        # The row needed now comes last, so that it is the most recently used.
        for k in range(n_lacking - 1 if n_computed > 0 else -1, -1, -1):
            if self.rows.rows[slots[k]].values != NULL:
                continue                # computed by another thread meanwhile
            values = self.rows.allocate(slots[k], -1)
            if values == NULL:
                break
            memcpy(values, self.maker.several + k * self.maker.capacity,
                   self.store.n_slots * sizeof(float))
            self.rows.rows[slots[k]].synced = self.rows.log_length
        self.n_evaluations += max(0, n_computed)
        self.fetching = False
        PyThread_release_lock(self.lock)
        return n_computed

    cdef const float *take(self, int32_t slot, RowComputer maker,
                           Py_ssize_t *n_computed) noexcept nogil:
        cdef CachedRow *row
        cdef Py_ssize_t n_missing = 0
        n_computed[0] = 0
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        row = &self.rows.rows[slot]
        if row.busy:
            # Another thread is computing this row; waiting for it would take as long.
            PyThread_release_lock(self.lock)
            n_computed[0] = maker.whole(slot, maker.wide)
            return NULL if n_computed[0] < 0 else maker.wide
        if row.values != NULL:
            self.rows.use(slot)
            if row.synced < self.rows.log_length:
                n_missing = self.rows.by_symmetry(
                    maker.team, slot, self.rows.log_length, self.store.n_slots, self.store.cost,
                    maker.missing)
        else:
            self.rows.grant(memory_worth(self.store.cost, self.n_evaluations, FEW))
            n_missing = -1
            if self.rows.allocate(slot, -1) == NULL:
                PyThread_release_lock(self.lock)
                return NULL
        row.users += 1
        row.busy = n_missing != 0
        row.synced = self.rows.log_length
        PyThread_release_lock(self.lock)
        if n_missing:
            if n_missing < 0:
                n_computed[0] = maker.whole(slot, row.values)
            else:
                n_computed[0] = maker.some(slot, n_missing, row.values)
            PyThread_acquire_lock(self.lock, WAIT_LOCK)
            row.busy = False
            if n_computed[0] < 0:
                row.users -= 1
                self.rows.discard(slot)
                PyThread_release_lock(self.lock)
                return NULL
            self.n_evaluations += n_computed[0]
            PyThread_release_lock(self.lock)
        return row.values

    cdef void give_back(self, int32_t slot, const float *row, RowComputer maker) noexcept nogil:
        cdef CachedRow *kept = &self.rows.rows[slot]
        if row == maker.wide:
            return
        PyThread_acquire_lock(self.lock, WAIT_LOCK)
        kept.users -= 1
        PyThread_release_lock(self.lock)

    cdef void remove(self, int32_t slot) noexcept nogil:
        """Remove the vector in ``slot``."""
        self.n_filled -= 1
        self.rows.remove(slot)

    cdef void add(self, int32_t slot, Py_ssize_t row) noexcept nogil:
        """Record that a sample of the block was stored in ``slot``."""
        self.n_filled += 1
        self.rows.add(slot)
        self.added[self.n_added] = slot
        self.added_row[self.n_added] = <int32_t>row
        self.n_added += 1

    cdef int cache(self, SampleBlock fresh, Py_ssize_t n_slots) noexcept nogil:
        """Cache the rows of the vectors added in this block.

        Values against the ``n_slots`` former slots, and against each other, are those of the
        block.
        """
        cdef Py_ssize_t p, q, n_added = self.n_added
        cdef const float *gram
        cdef float *values
        self.n_added = 0
        if not (self.is_wanted and fresh.is_scored):
            return 0
        self.rows.grant(memory_worth(self.store.cost, self.n_evaluations, FEW))
        for p in range(n_added):
            values = self.rows.allocate(self.added[p], -1)
            if values == NULL:
                return 0                # to be computed when used
            memcpy(values, fresh.scored.values + self.added_row[p] * fresh.scored.ld,
                   n_slots * sizeof(float))
            gram = fresh.scored.gram + self.added_row[p] * fresh.scored.gram_ld
            for q in range(n_added):
                values[self.added[q]] = gram[self.added_row[q]]
            self.rows.rows[self.added[p]].synced = self.rows.log_length
        return 0

    cdef void clear(self, Py_ssize_t n_filled) noexcept nogil:
        """Discard all rows; ``n_filled`` slots are in use."""
        self.n_filled = n_filled
        self.rows.clear()
