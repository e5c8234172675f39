"""Kernel cache of limited size; the contract is in the ``.pxd``."""
from libc.math cimport INFINITY, fmin
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memcpy, memset

from ...memory cimport round_up
from ...simd.primitives cimport SIMD_TILE
from ...threads.slices cimport n_parts_of
from ...threads.team cimport Team, team_next

import numpy as np

# Prefetch distance: each value copied by symmetry lies in a different row.
cdef enum:
    AHEAD = 24

SYMMETRY_COST = 6.0

# Memory for rows: an initial grant, and bytes per recomputed value. Writing a new page takes 0.2
# to 2 ns per byte, computing a kernel value 0.5 to 100 ns. Both are for values of DEAR ns; for
# others they are in proportion, up to MOST times: values of a hundred nonzeros are computed much
# more slowly than memory is written, and evicting their rows early would recompute them.
cdef enum:
    FIRST_GRANT = 64 << 20
    BYTES_PER_VALUE = 4
cdef double DEAR = 10.0
cdef double MOST = 4.0


# A row that is to be moved.
cdef struct Placed:
    Py_ssize_t slab
    const float *values
    Py_ssize_t slot


cdef int in_order(const void *a, const void *b) noexcept nogil:
    cdef const Placed *one = <const Placed *>a
    cdef const Placed *other = <const Placed *>b
    if one.slab != other.slab:
        return 1 if one.slab > other.slab else -1
    return (one.values > other.values) - (one.values < other.values)


cdef double memory_worth(double cost, int64_t n_evaluations, double n_grants) noexcept nogil:
    """Return the bytes that rows may use, in proportion to the time that caching saves.

    First use of memory costs time too, and values of low ``cost`` (ns) are faster to recompute.
    """
    if cost == INFINITY:
        return INFINITY
    return fmin(MOST, cost / DEAR) * (
        n_grants * FIRST_GRANT + BYTES_PER_VALUE * <double>n_evaluations)


# A search for the values of a row in the rows of newer slots, in a range of the log.
cdef struct Symmetry:
    const CachedRow *rows
    const int32_t *log
    Py_ssize_t slot
    int64_t begin
    int64_t upto
    int32_t *missing        # slots without a value, in any order
    Py_ssize_t n_missing
    Py_ssize_t most         # from so many missing values on the search ends


cdef void find_values(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Symmetry *search = <Symmetry *>context
    cdef const int32_t *log = search.log
    cdef const CachedRow *rows = search.rows
    cdef const CachedRow *other
    cdef float *values = rows[search.slot].values
    cdef int32_t entered
    cdef Py_ssize_t place
    cdef int64_t t, n = search.upto - search.begin
    cdef int64_t end = search.begin + n * (part + 1) // n_parts
    for t in range(search.begin + n * part // n_parts, end):
        if t + AHEAD < end and log[t + AHEAD] >= 0:
            other = &rows[log[t + AHEAD]]
            if other.values != NULL:
                prefetch(other.values + search.slot)
        entered = log[t]
        if entered < 0:
            continue
        other = &rows[entered]
        if other.values != NULL and not other.busy:
            values[entered] = other.values[search.slot]
        else:
            place = team_next(&search.n_missing)
            search.missing[place] = entered
            if place >= search.most:
                return


cdef class KernelCache:
    def __cinit__(self, Py_ssize_t max_bytes):
        self.max_bytes = max_bytes
        self.newest = self.oldest = -1

    def __dealloc__(self):
        while self.newest >= 0:
            self.discard(self.newest)
        pool_clear(&self.pool)
        free(self.rows)
        free(self.log)

    @property
    def n_bytes(self):
        """Memory allocated for rows."""
        return self.pool.bytes

    cdef void grant(self, double n_bytes) noexcept nogil:
        """Raise the memory that rows may use to ``n_bytes``, within ``max_bytes``."""
        n_bytes = min(n_bytes, <double>self.max_bytes)
        self.pool.max_bytes = max(self.pool.max_bytes, <size_t>n_bytes)

    cdef void limit(self, Py_ssize_t max_bytes) noexcept nogil:
        """Set ``max_bytes``; if the rows exceed it by more than an eighth, all are dropped."""
        self.max_bytes = max_bytes
        self.pool.max_bytes = min(self.pool.max_bytes, <size_t>max_bytes)
        if self.pool.bytes > self.pool.max_bytes + self.pool.max_bytes // 8:
            self.n_evicted += self.n_rows
            while self.newest >= 0:
                self.discard(self.newest)
            pool_clear(&self.pool)

    cdef int reserve(self, Py_ssize_t n_slots, Py_ssize_t n_entries) except -1:
        """Allocate ``n_slots`` slots in all rows, and ``n_entries`` more in the log."""
        cdef Py_ssize_t capacity
        cdef void *moved
        if n_slots > self.capacity:
            capacity = max(n_slots, self.capacity * 5 // 4)
            moved = realloc(self.rows, capacity * sizeof(CachedRow))
            if moved == NULL:
                raise MemoryError()
            self.rows = <CachedRow *>moved
            memset(self.rows + self.capacity, 0, (capacity - self.capacity) * sizeof(CachedRow))
            self.capacity = capacity
        if self.log_length > 2 * self.capacity:
            self.compact_log()
        if self.log_length + n_entries > self.log_capacity:
            moved = realloc(self.log, 2 * (self.log_length + n_entries) * sizeof(int32_t))
            if moved == NULL:
                raise MemoryError()
            self.log = <int32_t *>moved
            self.log_capacity = 2 * (self.log_length + n_entries)
        self.width = round_up(n_slots, SIMD_TILE)
        if self.width > self.pool.length:
            # With little spare length if more would displace rows.
            capacity = round_up(self.width + self.width // 4, SIMD_TILE)
            if self.tight or (
                    n_slots * capacity * <Py_ssize_t>sizeof(float) > self.max_bytes * 7 // 8):
                capacity = round_up(self.width + self.width // 16, SIMD_TILE)
            self.lengthen_all(capacity)
        # Two rows are necessary: within a block, allocating them must not fail.
        if self.n_rows < 2 and self.pool.length and pool_reserve(&self.pool, 2 - self.n_rows) < 0:
            raise MemoryError()
        return 0

    cdef int compact_log(self) except -1:
        """Remove the entries of slots freed since; positions in the log are adjusted."""
        cdef Py_ssize_t slot, t
        cdef const int64_t[::1] before
        cdef const int32_t[::1] kept
        entries = np.array(<int32_t[:self.log_length]>self.log)
        kept = entries[entries >= 0]
        before = np.concatenate([[0], np.cumsum(entries >= 0)])
        # Nothing can fail from here on.
        for slot in range(self.capacity):
            if self.rows[slot].values != NULL:
                self.rows[slot].synced = before[self.rows[slot].synced]
            if self.rows[slot].filled:
                self.rows[slot].entry = before[self.rows[slot].entry]
        self.log_length = kept.shape[0]
        for t in range(self.log_length):
            self.log[t] = kept[t]
        return 0

    cdef void add(self, Py_ssize_t slot) noexcept nogil:
        """Append ``slot`` to the log: its column is missing in every older row."""
        self.rows[slot].filled = True
        self.rows[slot].entry = self.log_length
        self.log[self.log_length] = <int32_t>slot
        self.log_length += 1

    cdef void remove(self, Py_ssize_t slot) noexcept nogil:
        """Discard the row of ``slot`` and remove it from the log: its column is not read."""
        self.discard(slot)
        if self.rows[slot].filled:          # False for a restored support set
            self.log[self.rows[slot].entry] = -1
            self.rows[slot].filled = False

    cdef int lengthen_all(self, Py_ssize_t length) except -1:
        """Move all rows into memory of another length; discard the oldest ones if necessary."""
        cdef Placed *placed
        cdef Py_ssize_t slot, n = 0
        while self.n_rows * length * <Py_ssize_t>sizeof(float) > <Py_ssize_t>self.pool.max_bytes:
            self.discard(self.oldest)
        placed = <Placed *>malloc((self.n_rows + 1) * sizeof(Placed))
        if placed == NULL:
            raise MemoryError()
        pool_set_length(&self.pool, length)
        slot = self.newest
        while slot >= 0:
            placed[n].slab, placed[n].slot = self.rows[slot].slab.number, slot
            placed[n].values = self.rows[slot].values
            n += 1
            slot = self.rows[slot].older
        # In memory order, so that slabs become free one after the other.
        qsort(placed, n, sizeof(Placed), in_order)
        for slot in range(n):
            self.lengthen(placed[slot].slot)
        free(placed)
        return 0

    cdef void lengthen(self, Py_ssize_t slot) noexcept nogil:
        """Move a row into memory of the pool's present length, or discard it if there is none."""
        cdef CachedRow *row = &self.rows[slot]
        cdef row_slab *slab = row.slab
        cdef float *values = pool_take(&self.pool, False, &slab)
        if values == NULL:
            self.discard(slot)
            return
        memcpy(values, row.values, row.slab.length * sizeof(float))
        pool_give(&self.pool, row.slab, row.values)
        row.values, row.slab = values, slab

    cdef float *allocate(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil:
        """Allocate memory for the row of ``slot``, which is not cached.

        Least recently used rows are evicted, except ``pinned`` and rows that have readers. Returns
        NULL if out of memory.
        """
        cdef CachedRow *row = &self.rows[slot]
        cdef int32_t victim = self.oldest, next_victim
        row.values = pool_take(&self.pool, False, &row.slab)
        while row.values == NULL and victim >= 0:
            next_victim = self.rows[victim].newer
            if victim != pinned and not self.rows[victim].users:
                self.discard(victim)
                self.n_evicted += 1
                row.values = pool_take(&self.pool, False, &row.slab)
            victim = next_victim
        if row.values == NULL:
            # Two rows are necessary, even if they exceed the budget.
            row.values = pool_take(&self.pool, True, &row.slab)
            if row.values == NULL:
                return NULL
        self.n_rows += 1
        self.link(slot)
        return row.values

    cdef Py_ssize_t by_symmetry(self, Team team, Py_ssize_t slot, int64_t upto,
                                Py_ssize_t n_columns, double cost,
                                int32_t *missing) noexcept nogil:
        """Complete a row, up to position ``upto`` of the log, from the rows of newer slots.

        K is symmetric. Returns the number of values still missing, whose slots are in ``missing``,
        or -1 if recomputing the row, at ``cost`` ns per value, is faster. The caller updates
        ``synced``.
        """
        cdef Symmetry search
        cdef int64_t t, n = self.log_length
        cdef Py_ssize_t n_entered = 0
        search.begin, search.upto = self.rows[slot].synced, upto
        if cost * n_columns < SYMMETRY_COST * (n - search.begin):
            for t in range(search.begin, n):
                n_entered += self.log[t] >= 0
            if cost * n_columns < SYMMETRY_COST * n_entered:
                return -1
        search.rows, search.log, search.slot = self.rows, self.log, slot
        search.missing, search.n_missing, search.most = missing, 0, n_columns // 2
        # Each value lies in another row: finding one takes as long as several slots of a pass.
        team.run(find_values, &search, n_parts_of(team, 4 * (upto - search.begin)))
        return search.n_missing if search.n_missing <= search.most else -1

    cdef void link(self, Py_ssize_t slot) noexcept nogil:
        cdef CachedRow *row = &self.rows[slot]
        row.older = self.newest
        row.newer = -1
        if self.newest >= 0:
            self.rows[self.newest].newer = <int32_t>slot
        self.newest = <int32_t>slot
        if self.oldest < 0:
            self.oldest = <int32_t>slot

    cdef void unlink(self, Py_ssize_t slot) noexcept nogil:
        cdef CachedRow *row = &self.rows[slot]
        if row.newer >= 0:
            self.rows[row.newer].older = row.older
        else:
            self.newest = row.older
        if row.older >= 0:
            self.rows[row.older].newer = row.newer
        else:
            self.oldest = row.newer

    cdef void use(self, Py_ssize_t slot) noexcept nogil:
        if self.newest != slot:
            self.unlink(slot)
            self.link(slot)

    cdef void clear(self) noexcept nogil:
        """Discard all rows and clear the log."""
        while self.newest >= 0:
            self.discard(self.newest)
        if self.capacity:
            memset(self.rows, 0, self.capacity * sizeof(CachedRow))
        self.log_length = 0

    cdef void discard(self, Py_ssize_t slot) noexcept nogil:
        cdef CachedRow *row = &self.rows[slot]
        if row.values == NULL:
            return
        self.unlink(slot)
        pool_give(&self.pool, row.slab, row.values)
        row.values = NULL
        self.n_rows -= 1
