"""The support set of one binary problem, and the rows of its kernel matrix.

A problem processes a block of samples whose kernel values against the store have been computed
beforehand. Within the block, samples are added and evicted and slots are reused; kernel values
between samples of the block come from the Gram matrix of the block, and the store is written only
at its end. So the problems of a one-vs-rest model can process the same block in parallel.
"""
from libc.math cimport INFINITY, fmin
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from ..memory cimport address, grown_buffer, round_up
from ..simd.primitives cimport SIMD_BLOCK, SIMD_TILE, table
from .fresh_rows cimport Fresh
from .gathering cimport Gathering
from .kernel_rows cimport FEW, Row, memory_worth
from .members cimport OF_DATA, Example, Members
from .row_maker cimport TOGETHER, RowMaker
from .settled cimport Settled
from .stores cimport Store

import numpy as np

# Cost of a kernel row, in ns, above which several rows are computed at once.
cdef double WORTH_FETCHING = 3e4


cdef class Membership:
    def __init__(self, Store store, bint identity):
        self.store = store
        self.identity = identity
        self.members = Members()
        self.settled = Settled()
        self.n_problems = 1
        self.maker = RowMaker(store)
        self.gathering = Gathering()
        self.begin_pass(None)

    def __cinit__(self, *args, **kwargs):
        self.pending = <int32_t *>malloc(SIMD_BLOCK * sizeof(int32_t))
        if self.pending == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.gathered)
        free(self.lacking)
        free(self.pending)
        free(self.released)

    def begin_pass(self, known):
        """Begin an epoch. ``known``: int32 array with the slot of each sample of X, or None."""
        self.known = known
        self.slot_of_row = NULL if known is None else <int32_t *>address(known)
        self.n_known = 0 if known is None else len(known)

    def slots(self):
        """Return the slots of the support set."""
        return np.flatnonzero(self.members["alive"])

    # -------------------------------------------------------------------------- the block

    cdef int begin_rows(self, Fresh *fresh, Py_ssize_t n_rows) except -1:
        """Allocate memory for all samples of a block, so that processing them cannot fail."""
        cdef Py_ssize_t n = self.members.n + n_rows
        self.fresh = fresh[0]
        self.n_pending = self.n_released = 0
        self.members.reserve(n)
        self.settled.reserve(self.members.capacity)
        if self.budget is not None:
            self.budget.reserve(self.members.capacity)
        if n > self.slots_capacity:
            n = n * 5 // 4
            self.released = <int32_t *>grown_buffer(self.released, n * sizeof(int32_t))
            if not self.identity:
                self.gathered = <float *>grown_buffer(self.gathered,
                                                      round_up(n, SIMD_TILE) * sizeof(float))
                self.lacking = <int32_t *>grown_buffer(self.lacking, n * sizeof(int32_t))
                self.gathering.reserve(n)
            self.slots_capacity = n
        self.maker.reserve()
        if self.shared is not None:
            self.shared.reserve()
            self.gathering.plan(self.members.index, self.members.alive, self.members.n,
                                self.store.n_slots)
        self.grant_memory()
        self.rows.reserve(self.members.n + n_rows, n_rows)
        return 0

    cdef bint knows(self, int64_t row_id) noexcept nogil:
        """Return whether a sample of X is in the support set; False for other samples."""
        return 0 <= row_id < self.n_known and self.slot_of_row[row_id] >= 0

    cdef void note(self, Py_ssize_t slot, int32_t at) noexcept nogil:
        """Record that the sample in ``slot``, if it is one of X, is now at slot ``at``."""
        cdef int64_t row_id = self.members.row_id[slot]
        if self.members.origin[slot] == OF_DATA and 0 <= row_id < self.n_known:
            self.slot_of_row[row_id] = at

    cdef float *block_row(self, Py_ssize_t r) noexcept nogil:
        """Return the kernel values of block sample ``r`` against this problem's slots."""
        cdef Py_ssize_t p
        cdef float *values = self.fresh.values + r * self.fresh.ld
        if not self.identity:
            self.gathering.take(values, self.members.index, self.members.n, self.gathered)
            values = self.gathered
        for p in range(self.n_pending):
            self.settle(<int32_t>(-r - 1), self.pending[p], values)
        return values

    cdef Py_ssize_t enter(self, const Example *row, double g) noexcept nogil:
        """Add a sample of the block to the support set; the caller provides its kernel row."""
        cdef Py_ssize_t slot = self.members.next_slot()
        cdef Py_ssize_t r = row.place
        self.members.add(slot, row, g, self.fresh.gram[r * self.fresh.gram_ld + r],
                         <int32_t>(-r - 1))
        self.note(slot, <int32_t>slot)
        if self.budget is not None:
            self.budget.enter(slot)
        self.pending[self.n_pending] = <int32_t>slot
        self.n_pending += 1
        self.rows.enter(slot)
        return slot

    cdef Py_ssize_t keep(self, const Example *row, float *k, double g) noexcept nogil:
        """Add a sample of the block to the support set, with kernel row ``k``.

        Returns its slot, or -1 if out of memory.
        """
        cdef float *values
        cdef Py_ssize_t slot
        if self.settled.live:
            self.settled.enter(self.members.next_slot(),
                               row.target - table().dot(k, self.settled.alpha, self.members.n))
            # After that many additions, optimizing from the online solution is as fast.
            if 2 * self.settled.n_entered > self.members.n:
                self.settled.drop()
        slot = self.enter(row, g)
        k[slot] = self.members.diag[slot]
        values = self.rows.allocate(slot, -1)
        if values == NULL:
            return -1
        memcpy(values, k, self.members.n * sizeof(float))
        self.rows.rows[slot].synced = self.rows.log_length
        return slot

    cdef int drop(self, Py_ssize_t slot) noexcept nogil:
        """Subtract a member from the solution and evict it; return -1 if out of memory.

        The caller restores the constraints with ``balance`` and derived values with ``refresh``.
        """
        cdef double alpha = self.members.alpha[slot]
        cdef const float *k
        if alpha != 0.0:
            k = self.kernel_row(slot, -1)
            if k == NULL:
                return -1
            table().axpy(alpha, k, self.members.g, self.members.n)
            self.members.move(slot, -alpha)
        self.n_changes += 1
        self.evict_slot(slot)
        return 0

    cdef void evict_slot(self, Py_ssize_t slot) noexcept nogil:
        """Evict a member; its alpha is 0."""
        cdef const float *row
        if self.settled.live and self.settled.alpha[slot] != 0.0:
            row = self.kernel_row(slot, -1)
            if row == NULL:
                self.settled.drop()
            else:
                self.settled.leave(slot, row, self.members.n)
        self.note(slot, -1)
        if self.members.index[slot] >= 0:
            self.released[self.n_released] = self.members.index[slot]
            self.n_released += 1
        if self.budget is not None:
            self.budget.leave(slot, self.members.n)
        self.members.remove(slot)
        self.rows.leave(slot)

    # -------------------------------------------------------------------------- kernel rows

    cdef const float *kernel_row(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil:
        """Return the kernel row of a member over all slots, cached or computed.

        The row of ``pinned`` is not evicted from the cache. Returns NULL if out of memory.
        """
        cdef Row *row = &self.rows.rows[slot]
        if row.values == NULL and self.identity:
            self.fetch(slot, pinned)
        if row.values == NULL:
            if self.rows.allocate(slot, pinned) == NULL:
                return NULL
            if self.compute_row(slot, row.values) < 0:
                self.rows.drop(slot)
                return NULL
        else:
            self.rows.use(slot)
            if row.synced < self.rows.log_length and self.complete_row(slot) < 0:
                self.rows.drop(slot)
                return NULL
        return row.values

    cdef Py_ssize_t wanted_soon(self, int32_t *slots, Py_ssize_t n) noexcept nogil:
        """List up to ``n`` slots whose rows are likely to be used next; returns their number."""
        return 0

    cdef bint is_worth_fetching(self, Py_ssize_t slot, KernelRows rows) noexcept nogil:
        """Return whether to compute several rows at once; ``rows`` is the cache they go to."""
        return (rows.n_evicted > 0 and rows.n_rows >= 4 * TOGETHER
                and self.members.index[slot] >= 0 and self.store.cost < INFINITY
                and self.store.cost * self.store.n_slots >= WORTH_FETCHING)

    cdef Py_ssize_t list_wanted(self, Py_ssize_t slot, int32_t *slots) noexcept nogil:
        """List ``slot`` and other uncached slots likely to be used next; returns their number."""
        cdef int32_t other
        cdef Py_ssize_t k, before, n = 1, n_soon = self.wanted_soon(&slots[1], TOGETHER - 1)
        slots[0] = <int32_t>slot
        for k in range(1, 1 + n_soon):
            other = slots[k]
            if self.rows.rows[other].values != NULL or self.members.index[other] < 0:
                continue
            # A slot that may increase and decrease occurs twice.
            before = 0
            while before < n and slots[before] != other:
                before += 1
            if before == n:
                slots[n] = other
                n += 1
        return n

    cdef void fetch(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil:
        """Compute an uncached row together with others that are likely to be used next.

        Computing one row alone takes about as long. Errors are ignored here: they occur again when
        the row is computed alone.
        """
        cdef int32_t slots[TOGETHER]
        cdef Py_ssize_t k, n, n_computed
        cdef float *values
        if not self.is_worth_fetching(slot, self.rows):
            return
        n = self.list_wanted(slot, slots)
        n_computed = self.maker.together(slots, n) if n > 1 else 0
        if n_computed <= 0:
            return
        self.computed(n_computed)
        # The requested row comes last, so that it is the most recently used.
        for k in range(n - 1, -1, -1):
            values = self.rows.allocate(slots[k], pinned)
            if values == NULL:
                return
            memcpy(values, self.maker.several + k * self.maker.capacity,
                   self.members.n * sizeof(float))
            self.rows.rows[slots[k]].synced = self.rows.log_length - self.n_pending

    cdef void fetch_shared(self, Py_ssize_t slot) noexcept nogil:
        """Do the same in the shared cache, for rows over the store."""
        cdef int32_t slots[TOGETHER]
        cdef Py_ssize_t k, n, n_computed
        if not self.is_worth_fetching(slot, self.shared.rows) or (
                self.shared.keeps(self.members.index[slot])):
            return
        n = self.list_wanted(slot, slots)
        for k in range(n):
            slots[k] = self.members.index[slots[k]]
        n_computed = self.shared.fetch(slots, n)
        if n_computed > 0:
            self.computed(n_computed)

    cdef int compute_row(self, Py_ssize_t slot, float *out) noexcept nogil:
        """Compute the kernel row of a member against all slots; return -1 if out of memory."""
        cdef int32_t index = self.members.index[slot]
        cdef Py_ssize_t p, n_computed
        cdef const float *values
        self.rows.rows[slot].synced = self.rows.log_length
        if index < 0:
            values = self.fresh.values - (index + 1) * self.fresh.ld
            if self.identity:
                memcpy(out, values, self.members.n * sizeof(float))
            else:
                self.gathering.take(values, self.members.index, self.members.n, out)
        elif self.identity:
            n_computed = self.maker.whole(index, out)
            if n_computed < 0:
                return -1
            self.computed(n_computed)
        else:
            self.fetch_shared(slot)
            values = self.take(index)
            if values == NULL:
                return -1
            self.gathering.take(values, self.members.index, self.members.n, out)
            self.shared.give_back(index, values, self.maker)
        for p in range(self.n_pending):
            self.settle(index, self.pending[p], out)
        return 0

    cdef void computed(self, Py_ssize_t n) noexcept nogil:
        """Count ``n`` kernel values that were computed outside a block."""
        self.n_evaluations += n
        self.work += n * (32.0 + self.store.n_features)
        self.grant_memory()

    cdef void grant_memory(self) noexcept nogil:
        cdef double cost = self.store.cost
        if not self.identity and self.gathering.close and self.shared.has_most():
            cost = self.gathering.cost()
        self.rows.grant(memory_worth(cost, self.n_evaluations,
                                     fmin(1.0, FEW / <double>self.n_problems)))

    cdef const float *take(self, int32_t index) noexcept nogil:
        """Acquire the row of a stored vector over the store, to be given back.

        Returns NULL if out of memory.
        """
        cdef Py_ssize_t n_computed
        cdef const float *values = self.shared.take(index, self.maker, &n_computed)
        if n_computed > 0:
            self.computed(n_computed)
        return values

    cdef bint settle(self, int32_t index, Py_ssize_t entered, float *row) noexcept nogil:
        """Set the value of a row for a member that entered in this block, by symmetry.

        ``index`` is that of the row's vector. Returns False if ``entered`` did not enter in this
        block.
        """
        cdef int32_t q = -self.members.index[entered] - 1
        if q < 0:
            return False
        if index >= 0:
            row[entered] = self.fresh.values[q * self.fresh.ld + index]
        else:
            row[entered] = self.fresh.gram[q * self.fresh.gram_ld - index - 1]
        return True

    cdef int complete_row(self, Py_ssize_t slot) noexcept nogil:
        """Update a row for members added since its last use, by symmetry where possible."""
        cdef Row *row = &self.rows.rows[slot]
        cdef int32_t index = self.members.index[slot]
        cdef int32_t *missing = self.maker.missing if self.identity else self.lacking
        cdef int64_t t, n = self.rows.log_length
        cdef Py_ssize_t n_missing, n_computed
        cdef double cost = self.store.cost
        if not self.identity:
            cost = self.gathering.cost()
            if index >= 0:
                cost += self.shared.time_of(index) / self.members.n
        n_missing = self.rows.by_symmetry(slot, n - self.n_pending, self.members.n, cost, missing)
        if n_missing < 0:
            return self.compute_row(slot, row.values)
        # The last entries of the log are those of this block.
        for t in range(max(row.synced, n - self.n_pending), n):
            if self.rows.log[t] >= 0:
                self.settle(index, self.rows.log[t], row.values)
        row.synced = n
        if not n_missing:
            return 0
        if not self.identity:
            return self.take_values(index, n_missing, row.values)
        n_computed = self.maker.some(index, n_missing, row.values)
        if n_computed < 0:
            return -1
        self.computed(n_computed)
        return 0

    cdef int take_values(self, int32_t index, Py_ssize_t n_lacking, float *row) noexcept nogil:
        """Fill in the missing values of a row from the row over the store."""
        cdef Py_ssize_t p
        cdef const float *stored = self.take(index)
        if stored == NULL:
            return -1
        for p in range(n_lacking):
            row[self.lacking[p]] = stored[self.members.index[self.lacking[p]]]
        self.shared.give_back(index, stored, self.maker)
        return 0
