"""Rows of the kernel matrix over the support set of one problem.

The kernel values of a block of samples against the store have been computed beforehand. Within the
block, samples are added to the support set and evicted, and slots are reused; kernel values
between samples of the block come from its Gram matrix, and the store is written only at its end.
So the problems of a one-vs-rest model can process the same block in parallel.

A single problem has the slots of the store (``identity``). The problems of one-vs-rest share most
vectors: each gathers its rows from rows over the store, which they share. Those of one-vs-one have
few vectors each, and share few: each computes its rows from copies of its vectors, in its own
slots (``copies``), which are made when a row is computed, and kept if there is memory for them.
"""
cimport cython
from libc.math cimport INFINITY, fmin, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from ...memory cimport grown_buffer, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE
from ...threads.slices cimport copy
from .active_set cimport ActiveSet, Front
from ..vectors.block cimport BlockValues
from .gather cimport Gather
from .kernel_cache cimport FEW, CachedRow, KernelCache, memory_worth
from .kernel_row cimport TOGETHER, RowComputer
from ..vectors.dense_store cimport DenseStore
from ..vectors.stores cimport Block, Store
from ..vectors.support_set cimport SupportSet
from .working_set cimport WorkingSet

import numpy as np

# Cost of a kernel row, in ns, above which several rows are computed at once.
cdef double WORTH_FETCHING = 3e4


# Cost of copying a feature of a vector, in ns.
cdef double COPY_COST = 4.0


# The most violating slots whose alpha may increase, or decrease.
cdef struct Violating:
    const Front *front
    Py_ssize_t most
    Py_ssize_t n
    int32_t *slots


cdef void list_on_side(void *context, Py_ssize_t side, Py_ssize_t n_sides) noexcept nogil:
    cdef Violating *listed = <Violating *>context + side
    cdef const Front *front = listed.front
    cdef const int8_t *may_move = front.up if side == 0 else front.down
    cdef double highest[TOGETHER]
    cdef double g
    cdef Py_ssize_t at, n = 0
    cdef int32_t q
    for q in range(<int32_t>front.n):
        if not may_move[q]:
            continue
        g = front.g[q] if side == 0 else -front.g[q]
        if n == listed.most and g <= highest[n - 1]:
            continue
        at = n if n < listed.most else n - 1
        while at > 0 and highest[at - 1] < g:
            highest[at] = highest[at - 1]
            listed.slots[at] = listed.slots[at - 1]
            at -= 1
        highest[at] = g
        listed.slots[at] = q if front.slots == NULL else front.slots[q]
        n = min(n + 1, listed.most)
    listed.n = n


@cython.final
cdef class CopiesMemory:
    cdef Store take(self, Store source):
        """Return an empty store for copies of vectors of another one."""
        cdef Store store = self.spare
        self.spare = None
        if store is None:
            return source.empty()
        store.n_slots = 0
        return store


@cython.final
cdef class KernelMatrix:
    def __init__(self, Store store, SupportSet members, bint identity, bint copies):
        self.source, self.members, self.identity = store, members, identity or copies
        self.copies, self.store = copies, store
        self.n_problems = 1
        if identity:
            self.computer = RowComputer(store)
        if not self.identity:
            self.gather = Gather()

    def __dealloc__(self):
        free(self.gathered)
        free(self.lacking)
        free(self.pending)
        free(self.released)
        free(self.copied)

    cdef int share_loops(self, Team team) except -1:
        self.team = team
        if self.computer is not None:
            self.computer.team = team
        return 0

    cdef int resize(self, Py_ssize_t cache_bytes) except -1:
        """Replace the caches by empty ones of another size."""
        # A quarter of the cache is for the rows of `finish` over the active slots.
        active = ActiveSet(cache_bytes // 4)
        self.rows = KernelCache(cache_bytes - cache_bytes // 4)
        self.active = active
        return 0

    cdef void take_memory(self, Py_ssize_t n_bytes) noexcept:
        """Change the size of the caches, between blocks, as the shared cache has grown."""
        self.divide(n_bytes, n_bytes // 4)

    cdef void divide(self, Py_ssize_t n_bytes, Py_ssize_t n_active) noexcept:
        """Set the size of the caches; ``n_active`` bytes are for the active slots."""
        self.active.max_bytes = n_active
        self.rows.limit(n_bytes - n_active)

    cdef void clear(self) noexcept:
        """Discard all cached rows and the changes of the block."""
        self.rows.clear()
        self.active.forget()
        self.n_pending = self.n_released = 0
        self.drop_vectors()

    # -------------------------------------------------------------------------- the block

    cdef int begin_block(self, BlockValues *block, Py_ssize_t n_rows) except -1:
        """Allocate memory for all samples of a block, so that processing them cannot fail.

        The slots of the support set have been reserved.
        """
        cdef Py_ssize_t n = self.members.n + n_rows
        self.block = block[0]
        self.n_pending = 0
        if self.identity and not self.copies:
            self.n_released = 0         # else until the store is written
        if n_rows > self.most_pending:
            self.pending = <int32_t *>grown_buffer(self.pending, n_rows * sizeof(int32_t))
            self.most_pending = n_rows
        if n > self.capacity:
            n = n * 5 // 4
            self.released = <int32_t *>grown_buffer(self.released, n * sizeof(int32_t))
            if not self.identity:
                self.gathered = <float *>grown_buffer(self.gathered,
                                                      round_up(n, SIMD_TILE) * sizeof(float))
                self.lacking = <int32_t *>grown_buffer(self.lacking, n * sizeof(int32_t))
                self.gather.reserve(n)
            self.capacity = n
        self.use(self.computer)
        if self.shared is not None:
            self.shared.reserve()
            self.gather.plan(self.members.index, self.members.alive, self.members.n,
                             self.store.n_slots)
        self.grant_memory()
        self.rows.reserve(self.members.n + n_rows, n_rows)
        return 0

    cdef int use(self, RowComputer computer) except -1:
        """Compute rows by this object, which other problems may use at other times."""
        self.computer, computer.store, computer.team = computer, self.store, self.team
        return computer.reserve()

    # -------------------------------------------------------------------------- copies

    cdef int load_vectors(self) except -1:
        """Copy the vectors of the members that are in the store and have not been copied."""
        cdef int32_t slots[SIMD_BLOCK]
        cdef int32_t index[SIMD_BLOCK]
        cdef Py_ssize_t s, size = 0
        if not self.copies or self.is_loaded:
            return 0
        if self.copied == NULL:
            self.store = self.memory.take(self.source)
        self.store.reserve(self.members.n)
        if self.store.capacity > self.n_copied:
            self.copied = <int32_t *>grown_buffer(
                self.copied, self.store.capacity * sizeof(int32_t))
            for s in range(self.n_copied, self.store.capacity):
                self.copied[s] = -1
            self.memory.used += (self.store.capacity - self.n_copied) * self.source.vector_bytes()
            self.n_copied = self.store.capacity
        for s in range(self.members.n):
            if (self.members.alive[s] and self.members.index[s] >= 0
                    and self.copied[s] != self.members.index[s]):
                slots[size], index[size] = <int32_t>s, self.members.index[s]
                size += 1
            if size == SIMD_BLOCK or size and s == self.members.n - 1:
                self.copy_some(slots, index, size)
                size = 0
        self.store.n_slots = self.members.n
        self.use(self.computer)
        self.is_loaded = True
        return 0

    cdef int copy_some(self, const int32_t *slots, const int32_t *index, Py_ssize_t n) except -1:
        """Copy up to ``SIMD_BLOCK`` vectors."""
        cdef Block block = self.computer.scratch
        cdef Py_ssize_t r
        self.source.raise_errors(self.source.load_slots(block, index, n))
        self.store.make_room(block)
        for r in range(n):
            self.store.put(slots[r], block, r)
            self.copied[slots[r]] = index[r]
        return 0

    cdef int load_now(self) noexcept nogil:
        """Do so without the GIL; return -1 after an error, for ``raise_errors``."""
        if not self.copies or self.is_loaded:
            return 0
        with gil:
            try:
                return self.load_vectors()
            except MemoryError:
                return -1
            except BaseException as error:
                self.store.error, self.store.failed = error, True
                return -1

    cdef void release_vectors(self) noexcept:
        """Drop the copies if those of all problems take too much memory."""
        if self.n_copied and self.memory.used > self.memory.most:
            self.drop_vectors()

    cdef void drop_vectors(self) noexcept:
        """Drop the copies; they are made again when they are needed."""
        if self.n_copied:
            self.memory.used -= self.n_copied * self.source.vector_bytes()
            if isinstance(self.store, DenseStore):      # others keep what is in unused slots
                self.memory.spare = self.store
        free(self.copied)
        self.copied, self.n_copied, self.is_loaded, self.store = NULL, 0, False, self.source

    # -------------------------------------------------------------------------- places

    cdef int32_t row_in_block(self, Py_ssize_t slot) noexcept nogil:
        """Return the number of a member among the samples of the block; -1: it is in the store."""
        cdef int32_t index = self.members.index[slot]
        return -1 if index >= 0 else -index - 1

    cdef int32_t place(self, Py_ssize_t slot) noexcept nogil:
        """Return the slot of a member in ``store``, or -(q + 1) for sample q of the block."""
        cdef int32_t index = self.members.index[slot]
        return <int32_t>slot if self.copies and index >= 0 else index

    cdef object places(self, slots):
        """Return the slots of stored members in ``store``, as an array of int32."""
        if self.copies:
            return np.asarray(slots, dtype=np.int32)
        return self.members["index"][slots]

    cdef float *block_row(self, Py_ssize_t r) noexcept nogil:
        """Return the kernel values of block sample ``r`` against the slots of the problem."""
        cdef Py_ssize_t p
        cdef float *row = self.block.values + r * self.block.ld
        if self.copies:
            self.take_block_values(r, self.computer.gathered)
            row = self.computer.gathered
        elif not self.identity:
            row = self.gathered_row(row)
        for p in range(self.n_pending):
            self.fill_by_symmetry(<int32_t>(-r - 1), self.pending[p], row)
        return row

    cdef void take_block_values(self, Py_ssize_t r, float *out) noexcept nogil:
        """Copy the kernel values of block sample ``r`` over the slots of the problem."""
        cdef const float *values = self.block.values + r * self.block.ld
        cdef const int32_t *index = self.members.index
        cdef Py_ssize_t s
        if self.copies:
            for s in range(self.members.n):
                out[s] = values[index[s] if index[s] > 0 else 0]
        elif self.identity:
            memcpy(out, values, self.members.n * sizeof(float))
        else:
            self.gather.take(values, index, self.members.n, out)

    cdef float *gathered_row(self, float *values) noexcept nogil:
        """Return kernel values over the slots of the problem, given those over ``store``."""
        if self.identity:
            return values
        self.gather.take(values, self.members.index, self.members.n, self.gathered)
        return self.gathered

    cdef bint has_shared(self, Py_ssize_t slot) noexcept nogil:
        """Return whether the shared cache has the row of a stored member."""
        return not self.identity and self.members.index[slot] >= 0 and (
            self.shared.keeps(self.members.index[slot]))

    cdef const float *shared_row(self, Py_ssize_t slot) except NULL:
        """Return the row of a stored member over the store, to be given back."""
        cdef const float *values
        with nogil:
            values = self.take(self.members.index[slot])
        if values == NULL:
            self.raise_errors(-1)
        return values

    cdef void give_back(self, Py_ssize_t slot, const float *values) noexcept nogil:
        """Give back a result of ``shared_row``."""
        self.shared.give_back(self.members.index[slot], values, self.computer)

    cdef void add(self, Py_ssize_t slot) noexcept nogil:
        """Record that a sample of the block has been added in ``slot``."""
        self.pending[self.n_pending] = <int32_t>slot
        self.n_pending += 1
        self.rows.add(slot)

    cdef int cache(self, Py_ssize_t slot, const float *k) noexcept nogil:
        """Cache the row ``k`` of a slot that has been added; return -1 if out of memory."""
        cdef float *values = self.rows.allocate(slot, -1)
        if values == NULL:
            return -1
        copy(self.team, values, k, self.members.n)
        self.rows.rows[slot].synced = self.rows.log_length
        return 0

    cdef void remove(self, Py_ssize_t slot) noexcept nogil:
        """Record that a member is evicted; the members still have its index."""
        if self.members.index[slot] >= 0:
            self.released[self.n_released] = self.members.index[slot]
            self.n_released += 1
        if slot < self.n_copied:
            self.copied[slot] = -1
        self.rows.remove(slot)

    # -------------------------------------------------------------------------- kernel rows

    cdef const float *row(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil:
        """Return the kernel row of a member over all slots, cached or computed.

        The row of ``pinned`` is not evicted from the cache. Returns NULL if out of memory.
        """
        cdef CachedRow *row = &self.rows.rows[slot]
        if row.values == NULL and self.identity:
            self.fetch(slot, pinned)
        if row.values == NULL:
            if self.rows.allocate(slot, pinned) == NULL:
                return NULL
            if self.compute_row(slot, row.values) < 0:
                self.rows.discard(slot)
                return NULL
        else:
            self.rows.use(slot)
            if row.synced < self.rows.log_length and self.complete_row(slot) < 0:
                self.rows.discard(slot)
                return NULL
        # The ridge of a squared loss is part of the diagonal.
        row.values[slot] = self.members.diag[slot]
        return row.values

    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil:
        """Return the kernel row of the q-th slot of the front, over the front.

        Returns NULL if out of memory.
        """
        cdef const float *row
        if front.slots == NULL:
            return self.row(q, pinned)
        if self.active.chosen:
            return self.working_row(q, pinned)
        row = self.active.row(q)
        if row == NULL:
            row = self.row(front.slots[q], -1)
            if row == NULL:
                return NULL
            row = self.active.keep_row(self.team, q, row, pinned)
            self.work += self.members.n
        return row

    cdef const float *working_row(self, Py_ssize_t q, Py_ssize_t pinned) noexcept nogil:
        """Return the kernel row of the q-th slot of the working set; NULL after an error."""
        cdef const float *row = self.working.row(q)
        cdef Py_ssize_t n
        if row == NULL:
            n = self.working.compute(self.team, q, pinned, self.active.diag)
            if n < 0:
                return NULL
            self.computed(n)
            row = self.working.row(q)
        return row

    cdef int load_working_set(self) except -1:
        """Copy the vectors of the working set, if there is one."""
        cdef Py_ssize_t n_bytes = self.active.max_bytes + self.rows.max_bytes
        self.working = None
        if self.active.chosen:
            self.load_vectors()
            self.divide(n_bytes, n_bytes - n_bytes // 4)
            slots = np.array(<int32_t[:self.active.m]>self.active.slots)
            self.working = WorkingSet(self.store, self.places(slots), self.active.max_bytes)
        return 0

    cdef Py_ssize_t working_set_limit(self) noexcept nogil:
        """Return the size of a working set whose rows fit into three quarters of the cache."""
        cdef double n_bytes = <double>self.active.max_bytes + self.rows.max_bytes
        return max(2 * SIMD_BLOCK, <Py_ssize_t>sqrt(0.75 * n_bytes / sizeof(float)))

    cdef void unload_working_set(self) noexcept:
        """Free its memory, and divide the cache as before."""
        self.working = None
        self.take_memory(self.active.max_bytes + self.rows.max_bytes)

    cdef int raise_errors(self, Py_ssize_t code) except -1:
        """Raise the exception of a Python kernel, or a MemoryError for ``code`` -1."""
        if self.working is not None:
            self.working.store.raise_errors()
        return self.store.raise_errors(code)

    # -------------------------------------------------------------------------- several at once

    cdef Py_ssize_t list_violating(self, int32_t *slots, Py_ssize_t n) noexcept nogil:
        """List the n / 2 most violating slots on either side; return their number."""
        cdef Front front = self.active.front(self.members)
        cdef Violating listed[2]
        cdef int32_t on_side[2][TOGETHER]
        cdef Py_ssize_t side
        for side in range(2):
            listed[side].front, listed[side].slots = &front, on_side[side]
            listed[side].most = n // 2
        self.team.run(list_on_side, listed, 2)
        for side in range(2):
            memcpy(slots, on_side[side], listed[side].n * sizeof(int32_t))
            slots += listed[side].n
        return listed[0].n + listed[1].n

    cdef bint is_worth_fetching(self, Py_ssize_t slot, KernelCache rows) noexcept nogil:
        """Return whether to compute several rows at once; ``rows`` is the cache they go to."""
        cdef Py_ssize_t n = self.members.n if self.copies else self.store.n_slots
        return (rows.n_rows >= 4 * TOGETHER
                and self.members.index[slot] >= 0 and self.store.cost < INFINITY
                and self.store.cost * n >= WORTH_FETCHING)

    cdef Py_ssize_t list_wanted(self, Py_ssize_t slot, int32_t *slots) noexcept nogil:
        """List ``slot`` and other uncached slots likely to be used next; returns their number."""
        cdef int32_t other
        cdef Py_ssize_t k, before, n = 1, n_soon = self.list_violating(&slots[1], TOGETHER - 1)
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
        if not self.is_worth_fetching(slot, self.rows) or self.load_now() < 0:
            return
        n = self.list_wanted(slot, slots)
        n_computed = self.computer.together(slots, n) if n > 1 else 0
        if n_computed <= 0:
            return
        self.computed(n_computed)
        # The requested row comes last, so that it is the most recently used.
        for k in range(n - 1, -1, -1):
            values = self.rows.allocate(slots[k], pinned)
            if values == NULL:
                return
            copy(self.team, values, self.computer.several + k * self.computer.capacity,
                 self.members.n)
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

    # -------------------------------------------------------------------------- computing rows

    cdef int compute_row(self, Py_ssize_t slot, float *out) noexcept nogil:
        """Compute the kernel row of a member against all slots; return -1 if out of memory."""
        cdef int32_t index = self.place(slot)
        cdef Py_ssize_t p, n_computed
        cdef const float *values
        self.rows.rows[slot].synced = self.rows.log_length
        if index < 0:
            self.take_block_values(-index - 1, out)
        elif self.identity:
            if self.load_now() < 0:
                return -1
            n_computed = self.computer.whole(index, out)
            if n_computed < 0:
                return -1
            self.computed(n_computed)
        else:
            self.fetch_shared(slot)
            values = self.take(index)
            if values == NULL:
                return -1
            self.gather.take(values, self.members.index, self.members.n, out)
            self.shared.give_back(index, values, self.computer)
        for p in range(self.n_pending):
            self.fill_by_symmetry(self.members.index[slot], self.pending[p], out)
        return 0

    cdef void computed(self, Py_ssize_t n) noexcept nogil:
        """Count ``n`` kernel values that were computed outside a block."""
        self.n_evaluations += n
        self.work += n * (32.0 + self.store.n_features)
        self.grant_memory()

    cdef void grant_memory(self) noexcept nogil:
        cdef double cost = self.store.cost
        if not self.identity and self.gather.close and self.shared.has_most():
            cost = self.gather.cost()
        self.rows.grant(memory_worth(cost, self.n_evaluations,
                                     fmin(1.0, FEW / <double>self.n_problems)))

    cdef const float *take(self, int32_t index) noexcept nogil:
        """Acquire the row of a stored vector over the store, to be given back.

        Returns NULL if out of memory.
        """
        cdef Py_ssize_t n_computed
        cdef const float *values = self.shared.take(index, self.computer, &n_computed)
        if n_computed > 0:
            self.computed(n_computed)
        return values

    cdef bint fill_by_symmetry(self, int32_t index, Py_ssize_t entered, float *row) noexcept nogil:
        """Set the value of a row for a member that entered in this block, by symmetry.

        ``index`` is that of the row's member. Returns False if ``entered`` did not enter in this
        block.
        """
        cdef int32_t q = -self.members.index[entered] - 1
        if q < 0:
            return False
        if index >= 0:
            row[entered] = self.block.values[q * self.block.ld + index]
        else:
            row[entered] = self.block.gram[q * self.block.gram_ld - index - 1]
        return True

    cdef int complete_row(self, Py_ssize_t slot) noexcept nogil:
        """Update a row for members added since its last use, by symmetry where possible."""
        cdef CachedRow *row = &self.rows.rows[slot]
        cdef int32_t index = self.place(slot)
        cdef int32_t *missing = self.computer.missing if self.identity else self.lacking
        cdef int64_t t, n = self.rows.log_length
        cdef Py_ssize_t n_missing, n_computed
        cdef double cost = self.store.cost
        if self.copies and not self.is_loaded:
            cost += COPY_COST * self.store.n_features
        if not self.identity:
            cost = self.gather.cost()
            if index >= 0:
                cost += self.shared.time_of(index) / self.members.n
        n_missing = self.rows.by_symmetry(self.team, slot, n - self.n_pending, self.members.n,
                                          cost, missing)
        if n_missing < 0:
            return self.compute_row(slot, row.values)
        # The last entries of the log are those of this block.
        for t in range(max(row.synced, n - self.n_pending), n):
            if self.rows.log[t] >= 0:
                self.fill_by_symmetry(self.members.index[slot], self.rows.log[t], row.values)
        row.synced = n
        if not n_missing:
            return 0
        if not self.identity:
            return self.take_values(index, n_missing, row.values)
        if self.load_now() < 0:
            return -1
        n_computed = self.computer.some(index, n_missing, row.values)
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
        self.shared.give_back(index, stored, self.computer)
        return 0
