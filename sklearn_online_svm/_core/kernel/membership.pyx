"""What one binary problem keeps: its members, and the rows of their kernel matrix.

A problem learns from a block of fresh rows whose kernel values against the store have been
computed beforehand. What happens inside the block (rows kept, members let go, slots reused) is
settled with values of the block against itself; the store is written when the block is over.
So the problems of a one-vs-rest model can learn from one block side by side.
"""
from libc.math cimport INFINITY, fmin
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from ..memory cimport address, round_up
from ..simd.leaves cimport LEAVES_BLOCK, LEAVES_TILE, table
from .fresh_rows cimport Fresh
from .kernel_rows cimport Row, prefetch
from .members cimport OF_DATA, Example, Members
from .settled cimport Settled
from .stores cimport Store

import numpy as np

# Each value that completes a row by symmetry lies in another row: fetched that many ahead.
cdef enum:
    AHEAD = 24

# Time to take a value from another row, in ns, beside which a whole row may be cheaper to compute.
cdef double SYMMETRY_COST = 6.0

# Memory for rows: a first grant, and what one value computed again is worth. Writing a new page
# takes 0.2 to 2 ns per byte, a kernel value on its own from 0.5 to 100 ns; those of DEAR ns and
# more are worth all of it, cheaper ones in proportion.
cdef enum:
    FIRST_GRANT = 64 << 20
    BYTES_PER_VALUE = 4
cdef double DEAR = 10.0


cdef void *_grown(void *buffer, size_t n_bytes) except NULL:
    cdef void *grown = realloc(buffer, n_bytes)
    if grown == NULL:
        raise MemoryError()
    return grown


cdef class Membership:
    def __init__(self, Store store, bint identity):
        self.store = store
        self.identity = identity
        self.members = Members()
        self.settled = Settled()
        self.scratch = store.new_block()
        self.begin_pass(None)

    def __cinit__(self, *args, **kwargs):
        self.pending = <int32_t *>malloc(LEAVES_BLOCK * sizeof(int32_t))
        if self.pending == NULL:
            raise MemoryError()

    def __dealloc__(self):
        free(self.gathered)
        free(self.wide)
        free(self.pending)
        free(self.released)
        free(self.missing)
        free(self.tiles)
        free(self.tile_place)

    def begin_pass(self, known):
        """``known``: int32 array with the slot of each row of X, or None."""
        self.known = known
        self.slot_of_row = NULL if known is None else <int32_t *>address(known)
        self.n_known = 0 if known is None else len(known)

    def slots(self):
        """Slots of the members."""
        return np.flatnonzero(self.members["alive"])

    # -------------------------------------------------------------------------- the block

    cdef int begin_rows(self, Fresh *fresh, Py_ssize_t n_rows) except -1:
        """Make room for the rows of a block: what comes of them cannot fail then."""
        cdef Py_ssize_t n = self.members.n + n_rows
        self.fresh = fresh[0]
        self.n_pending = self.n_released = 0
        self.grant_memory()
        self.members.reserve(n)
        self.settled.reserve(self.members.capacity)
        self.rows.reserve(n, n_rows)
        if n > self.slots_capacity:
            n = n * 5 // 4
            self.released = <int32_t *>_grown(self.released, n * sizeof(int32_t))
            self.missing = <int32_t *>_grown(self.missing, n * sizeof(int32_t))
            if not self.identity:
                self.gathered = <float *>_grown(self.gathered,
                                                round_up(n, LEAVES_TILE) * sizeof(float))
            self.slots_capacity = n
        if self.store.capacity > self.wide_capacity:
            n = self.store.capacity
            self.wide = <float *>_grown(self.wide, n * sizeof(float))
            self.tiles = <int32_t *>_grown(self.tiles, n // LEAVES_TILE * sizeof(int32_t))
            self.tile_place = <int32_t *>_grown(self.tile_place,
                                                n // LEAVES_TILE * sizeof(int32_t))
            memset(self.tile_place, 0xff, n // LEAVES_TILE * sizeof(int32_t))
            self.wide_capacity = n
        return 0

    cdef bint knows(self, int64_t row_id) noexcept nogil:
        """Whether the row of X with this number is a member; of others it is not known."""
        return 0 <= row_id < self.n_known and self.slot_of_row[row_id] >= 0

    cdef void note(self, Py_ssize_t slot, int32_t at) noexcept nogil:
        """Note that the row in ``slot``, if it is one of X, is to be found at ``at``."""
        cdef int64_t row_id = self.members.row_id[slot]
        if self.members.origin[slot] == OF_DATA and 0 <= row_id < self.n_known:
            self.slot_of_row[row_id] = at

    cdef float *block_row(self, Py_ssize_t r) noexcept nogil:
        """Kernel values of block row ``r`` against this problem's slots."""
        cdef Py_ssize_t p
        cdef float *values = self.fresh.values + r * self.fresh.ld
        if not self.identity:
            self.gather(values, self.gathered)
            values = self.gathered
        for p in range(self.n_pending):
            self.settle(<int32_t>(-r - 1), self.pending[p], values)
        return values

    cdef void gather(self, const float *stored, float *out) noexcept nogil:
        cdef const int32_t *index = self.members.index
        cdef Py_ssize_t s, n = self.members.n
        for s in range(n):
            out[s] = stored[index[s] if index[s] > 0 else 0]

    cdef Py_ssize_t enter(self, const Example *row, double g) noexcept nogil:
        """Make a row of the block a member; its kernel row is left to the caller."""
        cdef Py_ssize_t slot = self.members.next_slot()
        cdef Py_ssize_t r = row.place
        self.members.add(slot, row, g, self.fresh.gram[r * self.fresh.gram_ld + r],
                         <int32_t>(-r - 1))
        self.note(slot, <int32_t>slot)
        self.pending[self.n_pending] = <int32_t>slot
        self.n_pending += 1
        self.rows.enter(slot)
        return slot

    cdef Py_ssize_t keep(self, const Example *row, float *k, double g) noexcept nogil:
        """Make a row of the block a member; its kernel row is its block row ``k``. -1: no
        memory."""
        cdef float *values
        cdef Py_ssize_t slot
        if self.settled.live:
            self.settled.enter(self.members.next_slot(),
                               row.target - table().dot(k, self.settled.alpha, self.members.n))
            # So stale that the next one may as well start anew.
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
        """Take a member out of the solution, and let it go; what ties the others together, and
        all that follows from g, is left to ``balance`` and ``refresh``. -1: no memory."""
        cdef double alpha = self.members.alpha[slot]
        cdef const float *k
        if alpha != 0.0:
            k = self.kernel_row(slot, -1)
            if k == NULL:
                return -1
            table().axpy(alpha, k, self.members.g, self.members.n)
            self.members.move(slot, -alpha)
        self.n_changes += 1
        self.let_go(slot)
        return 0

    cdef void let_go(self, Py_ssize_t slot) noexcept nogil:
        """Forget a member; its alpha is 0."""
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
        self.members.remove(slot)
        self.rows.leave(slot)

    # -------------------------------------------------------------------------- kernel rows

    cdef const float *kernel_row(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil:
        """Row of a member over all slots, kept or computed. NULL: no memory.

        The row of ``pinned`` stays where it is."""
        cdef Row *row = &self.rows.rows[slot]
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

    cdef int compute_row(self, Py_ssize_t slot, float *out) noexcept nogil:
        """Values of a member's row against all members."""
        cdef int32_t index = self.members.index[slot]
        cdef Py_ssize_t p
        cdef const float *values
        self.rows.rows[slot].synced = self.rows.log_length
        if index < 0:
            values = self.fresh.values - (index + 1) * self.fresh.ld
            if self.identity:
                memcpy(out, values, self.members.n * sizeof(float))
            else:
                self.gather(values, out)
        else:
            self.computed(self.store.n_slots)
            if self.store.load_slots(self.scratch, &index, 1) < 0:
                return -1
            values = out if self.identity else self.wide
            self.store.values(self.scratch, 0, round_up(self.store.n_slots, LEAVES_TILE),
                              <float *>values, 0)
            if self.store.failed:
                return -1
            if not self.identity:
                self.gather(self.wide, out)
        for p in range(self.n_pending):
            self.settle(index, self.pending[p], out)
        return 0

    cdef void computed(self, Py_ssize_t n) noexcept nogil:
        """Count ``n`` values computed again."""
        self.n_evaluations += n
        self.work += n * (32.0 + self.store.n_features)
        self.grant_memory()

    cdef void grant_memory(self) noexcept nogil:
        """Let rows take as much of the budget as keeping them has shown to be worth: memory never
        touched before costs time, too, and some values cost next to none."""
        cdef double worth = fmin(1.0, self.store.cost / DEAR)
        if self.store.cost == INFINITY:
            self.rows.grant(INFINITY)
        self.rows.grant(worth * (FIRST_GRANT + BYTES_PER_VALUE * <double>self.n_evaluations))

    cdef bint settle(self, int32_t index, Py_ssize_t entered, float *row) noexcept nogil:
        """Value of a row (of the vector at ``index``) for a member that entered in this block, by
        symmetry. False when ``entered`` is no such member."""
        cdef int32_t q = -self.members.index[entered] - 1
        if q < 0:
            return False
        if index >= 0:
            row[entered] = self.fresh.values[q * self.fresh.ld + index]
        else:
            row[entered] = self.fresh.gram[q * self.fresh.gram_ld - index - 1]
        return True

    cdef int complete_row(self, Py_ssize_t slot) noexcept nogil:
        """Bring a row up to date for members that entered since it was last used: by symmetry
        from their rows where those are kept, else by computing."""
        cdef Row *row = &self.rows.rows[slot]
        cdef Row *other
        cdef int32_t index = self.members.index[slot], entered
        cdef const int32_t *log = self.rows.log
        cdef int64_t t, n = self.rows.log_length
        cdef Py_ssize_t n_missing = 0, n_entered = 0
        if self.store.cost * self.members.n < SYMMETRY_COST * (n - row.synced):
            for t in range(row.synced, n):
                n_entered += log[t] >= 0
            if self.store.cost * self.members.n < SYMMETRY_COST * n_entered:
                return self.compute_row(slot, row.values)
        for t in range(row.synced, n - self.n_pending):
            if t + AHEAD < n and log[t + AHEAD] >= 0:
                other = &self.rows.rows[log[t + AHEAD]]
                if other.values != NULL:
                    prefetch(other.values + slot)
            entered = log[t]
            if entered < 0:
                continue
            other = &self.rows.rows[entered]
            if other.values != NULL:
                row.values[entered] = other.values[slot]
            elif not self.settle(index, entered, row.values):
                self.missing[n_missing] = entered
                n_missing += 1
                if 2 * n_missing > self.members.n:
                    return self.compute_row(slot, row.values)
        # The last entries are those of this block.
        for t in range(max(row.synced, n - self.n_pending), n):
            if log[t] >= 0:
                self.settle(index, log[t], row.values)
        row.synced = n
        return self.compute_values(slot, n_missing) if n_missing else 0

    cdef int compute_values(self, Py_ssize_t slot, Py_ssize_t n_missing) noexcept nogil:
        """Compute the values of a row for the slots in ``missing``, tile by tile."""
        cdef float *row = self.rows.rows[slot].values
        cdef int32_t index = self.members.index[slot], tile
        cdef Py_ssize_t p, n_tiles = 0
        for p in range(n_missing):
            tile = self.members.index[self.missing[p]] // LEAVES_TILE
            if self.tile_place[tile] < 0:
                self.tile_place[tile] = <int32_t>n_tiles
                self.tiles[n_tiles] = tile
                n_tiles += 1
        self.computed(n_tiles * LEAVES_TILE)
        if self.store.load_slots(self.scratch, &index, 1) < 0:
            return -1
        self.store.values_of_tiles(self.scratch, self.tiles, n_tiles, self.wide)
        for p in range(n_missing):
            index = self.members.index[self.missing[p]]
            row[self.missing[p]] = self.wide[self.tile_place[index // LEAVES_TILE] * LEAVES_TILE
                                             + index % LEAVES_TILE]
        for p in range(n_tiles):
            self.tile_place[self.tiles[p]] = -1
        return -1 if self.store.failed else 0
