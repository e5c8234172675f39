"""LASVM on one binary problem (Bordes, Ertekin, Weston and Bottou 2005; Ertekin 2009, ch. 3).

The problem stepped on is the dual of the support vector machine with a bias,

    max  sum_i alpha_i y_i - 1/2 sum_ij alpha_i alpha_j K_ij
    s.t. sum_i alpha_i = 0,   lower_i <= alpha_i <= upper_i,

with signed alpha; ``g_i = y_i - sum_j alpha_j K_ij`` is its gradient and
``f(x) = sum_i alpha_i K(x_i, x) + b`` the decision function.
A pair (i, j) is violating when alpha_i may rise, alpha_j may fall and ``g_i - g_j > tau``.

A problem learns from a block of fresh rows whose kernel values against the store have been
computed beforehand. What happens inside the block (rows kept, members let go, slots reused) is
settled with values of the block against itself; the store is written when the block is over.
So the problems of a one-vs-rest model can learn from one block side by side.
"""
cimport cython
from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from .blocks cimport Store, address, round_up
from .leaves cimport LEAVES_BLOCK, LEAVES_CURVATURE, LEAVES_TILE, leaves_extremes, table
from .support_set cimport KernelRows, Row, SupportSet, prefetch

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

cdef double EPSILON = np.finfo(np.float64).eps


cdef void *_grown(void *buffer, size_t n_bytes) except NULL:
    cdef void *grown = realloc(buffer, n_bytes)
    if grown == NULL:
        raise MemoryError()
    return grown


cdef inline bint _may_move(double g, int8_t up, int8_t down, double g_min,
                           double g_max) noexcept nogil:
    return (up != 0 and g > g_min) or (down != 0 and g < g_max)


@cython.final
cdef class Lasvm:
    def __init__(self, Store store, bint identity, double tol, double delta_max,
                 Py_ssize_t n_init, bint shrinking, Py_ssize_t cache_bytes):
        self.store = store
        self.identity = identity
        self.policy.tol = self.tau = tol
        self.policy.delta_max = delta_max
        self.policy.n_init = n_init
        self.policy.shrinking = shrinking
        self.members = SupportSet()
        # A quarter of the budget is for the rows of `finish` while shrunk.
        self.active_bytes = cache_bytes // 4
        self.rows = KernelRows(cache_bytes - self.active_bytes)
        self.scratch = store.new_block()
        self.begin_pass(None)

    def __cinit__(self):
        self.pending = <int32_t *>malloc(LEAVES_BLOCK * sizeof(int32_t))
        if self.pending == NULL:
            raise MemoryError()

    def __dealloc__(self):
        self.forget_active()
        free(self.gathered)
        free(self.wide)
        free(self.pending)
        free(self.released)
        free(self.missing)
        free(self.tiles)
        free(self.tile_place)

    def state(self):
        """Arrays from which ``restore`` rebuilds the problem; kernel rows are not among them."""
        state = self.members.state()
        state["scalars"] = np.array([self.b, self.delta, self.tau, self.both_seen])
        state["counters"] = np.array([self.n_evaluations, self.n_changes], dtype=np.int64)
        return state

    def restore(self, dict state):
        self.members.restore(state)
        self.b, self.delta, self.tau = (float(v) for v in state["scalars"][:3])
        self.both_seen = bool(state["scalars"][3])
        self.n_evaluations, self.n_changes = (int(c) for c in state["counters"])

    def begin_pass(self, known):
        """``known``: int32 array with the slot of each row of the data set, or None."""
        self.known = known
        self.slot_of_row = NULL if known is None else <int32_t *>address(known)
        self.violation = 0.0
        self.high = -INFINITY
        self.low = INFINITY

    # -------------------------------------------------------------------------- the block

    cdef int begin_block(self, Fresh *fresh, Py_ssize_t n_rows) except -1:
        cdef Py_ssize_t n = self.members.n + n_rows
        self.fresh = fresh[0]
        self.n_pending = self.n_released = 0
        self.grant_memory()
        self.members.reserve(n)
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
        return self.slot_of_row != NULL and self.slot_of_row[row_id] >= 0

    cdef int learn(self, Py_ssize_t r, int8_t y, double cost, int64_t row_id) noexcept nogil:
        """One online iteration on row ``r`` of the block. -1 when memory is short, else 0."""
        cdef int changed = 0
        if not cost > 0.0:
            return 0                            # as if the row did not exist
        if not self.knows(row_id):
            changed = self.process(r, y, cost, row_id)
            if changed < 0:
                return -1
        if not self.both_seen:
            return 0
        while True:
            if not changed and self.delta <= self.tau:
                return 0                        # nothing has moved since the last REPROCESS
            changed = self.reprocess()
            if changed <= 0 or not self.delta > self.policy.delta_max:
                return changed if changed < 0 else 0

    # -------------------------------------------------------------------------- PROCESS

    cdef int process(self, Py_ssize_t r, int8_t y, double cost, int64_t row_id) noexcept nogil:
        """PROCESS: keep the row if it makes a violating pair with the extreme of the other side,
        and step along that pair. 1 when kept, 0 when not, -1 when memory is short.

        As in the authors' program a row that violates nothing is not kept (the thesis leaves it
        in the set with alpha = 0 for REPROCESS to evict).

        Deviation: a row that would be the extreme of its own side is kept all the same. When all
        members are at a bound, g_max < g_min, and rows of the two classes whose gradients lie
        between the two violate with each other but with no member: unless one of them stays,
        they never meet, and passes stop far from the optimum.
        """
        cdef float *k = self.block_row(r)
        cdef const float *k_partner
        cdef double g, gap
        cdef Py_ssize_t partner, slot
        if not self.both_seen:
            if (self.members.n_members == 0 or self.members.extremes.i_max >= 0 and y > 0
                    or self.members.extremes.j_min >= 0 and y < 0):
                # One class so far: alpha stays 0 and so does f.
                if self.members.n_members >= self.policy.n_init:
                    return 0
                if self.keep(r, k, y, cost, y, row_id) < 0:
                    return -1
                self.members.scan()
                self.b = y
                return 1
            self.both_seen = True
        g = y - table().dot(k, self.members.alpha, self.members.n)
        if y > 0:
            partner = self.members.extremes.j_min
            gap = g - self.members.extremes.g_min
            self.high = fmax(self.high, g)
        else:
            partner = self.members.extremes.i_max
            gap = self.members.extremes.g_max - g
            self.low = fmin(self.low, g)
        if partner < 0:
            return 0
        self.violation = fmax(self.violation, gap)
        if not gap > self.tau:
            if g > self.members.extremes.g_max if y > 0 else g < self.members.extremes.g_min:
                if self.keep(r, k, y, cost, g, row_id) < 0:
                    return -1
                self.members.scan()
                return 1
            return 0
        slot = self.keep(r, k, y, cost, g, row_id)
        if slot < 0:
            return -1
        # The new row is at hand; a step needs only the partner's from the cache.
        k_partner = self.kernel_row(partner, slot)
        if k_partner == NULL:
            return -1
        if y > 0:
            self.step(slot, partner, k, k_partner)
        else:
            self.step(partner, slot, k_partner, k)
        return 1

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

    cdef Py_ssize_t keep(self, Py_ssize_t r, float *k, int8_t y, double cost, double g,
                         int64_t row_id) noexcept nogil:
        """Make block row ``r`` a member; its kernel row is its block row ``k``. -1: no memory."""
        cdef float *row
        cdef Py_ssize_t slot = self.members.next_slot()
        cdef float diag = self.fresh.gram[r * self.fresh.gram_ld + r]
        self.members.add(slot, y, cost, g, diag, <int32_t>(-r - 1), row_id)
        if self.slot_of_row != NULL:
            self.slot_of_row[row_id] = <int32_t>slot
        self.pending[self.n_pending] = <int32_t>slot
        self.n_pending += 1
        self.rows.enter(slot)
        k[slot] = diag
        row = self.rows.allocate(slot, -1)
        if row == NULL:
            return -1
        memcpy(row, k, self.members.n * sizeof(float))
        self.rows.rows[slot].synced = self.rows.log_length
        self.n_changes += 1
        return slot

    cdef Py_ssize_t seed(self, Py_ssize_t r, int8_t y, double cost, int64_t row_id,
                         double alpha) noexcept nogil:
        """Make block row ``r`` a member with ``alpha``; g has to be computed afterwards."""
        cdef Py_ssize_t slot = self.members.next_slot()
        self.members.add(slot, y, cost, 0.0, self.fresh.gram[r * self.fresh.gram_ld + r],
                         <int32_t>(-r - 1), row_id)
        self.members.move(slot, alpha)
        if self.slot_of_row != NULL:
            self.slot_of_row[row_id] = <int32_t>slot
        self.pending[self.n_pending] = <int32_t>slot
        self.n_pending += 1
        self.rows.enter(slot)
        self.both_seen = True
        return slot

    # -------------------------------------------------------------------------- REPROCESS

    cdef int reprocess(self) noexcept nogil:
        """REPROCESS: step along the most violating pair of members, let go those that cannot
        matter, and set b and delta. 1 when a step was made, 0 when not, -1: no memory."""
        cdef Py_ssize_t i = self.members.extremes.i_max, j = self.members.extremes.j_min
        cdef const float *k_i
        cdef const float *k_j
        cdef bint violating = self.members.extremes.g_max - self.members.extremes.g_min > self.tau
        if violating:
            k_i = self.kernel_row(i, -1)
            k_j = self.kernel_row(j, i)
            if k_i == NULL or k_j == NULL:
                return -1
            self.step(i, j, k_i, k_j)
        self.set_b()
        self.evict()
        return violating

    cdef void set_b(self) noexcept nogil:
        cdef leaves_extremes e = self.members.extremes
        if e.i_max >= 0 and e.j_min >= 0:
            self.b = 0.5 * (e.g_max + e.g_min)
        elif e.i_max >= 0 or e.j_min >= 0:
            self.b = e.g_max if e.i_max >= 0 else e.g_min
        self.delta = e.g_max - e.g_min

    cdef void evict(self) noexcept nogil:
        """Let go members at alpha = 0 whose gradient lies beyond the extreme of the other side,
        except one that is the extreme of its own (see ``process``)."""
        cdef leaves_extremes e = self.members.extremes
        cdef Py_ssize_t p = self.members.n_zeros - 1, s
        cdef double g
        if e.i_max < 0 or e.j_min < 0:
            return
        while p >= 0:
            # From the end: remove() fills the gap with the last one, which has been looked at.
            s = self.members.zeros[p]
            g = self.members.g[s]
            if (self.members.upper[s] == 0.0 and g >= e.g_max and g > e.g_min
                    or self.members.lower[s] == 0.0 and g <= e.g_min and g < e.g_max):
                if self.slot_of_row != NULL:
                    self.slot_of_row[self.members.row_id[s]] = -1
                if self.members.index[s] >= 0:
                    self.released[self.n_released] = self.members.index[s]
                    self.n_released += 1
                self.members.remove(s)
                self.rows.leave(s)
            p -= 1

    cdef void step(self, Py_ssize_t i, Py_ssize_t j, const float *k_i,
                   const float *k_j) noexcept nogil:
        """alpha_i += lam, alpha_j -= lam; g and its extremes in one pass."""
        cdef double lam = self.length_of_step(i, j, self.members.g[i] - self.members.g[j], k_i[j])
        self.members.move(i, lam)
        self.members.move(j, -lam)
        table().update(self.members.g, k_i, k_j, lam, self.members.up, self.members.down,
                       self.members.n, &self.members.extremes)
        self.n_changes += 1

    cdef double length_of_step(self, Py_ssize_t i, Py_ssize_t j, double gap,
                               float k_ij) noexcept nogil:
        cdef double curvature = <double>self.members.diag[i] + self.members.diag[j] - 2.0 * k_ij
        cdef double room = fmin(self.members.upper[i] - self.members.alpha[i],
                                self.members.alpha[j] - self.members.lower[j])
        return fmin(gap / fmax(curvature, LEAVES_CURVATURE), room)

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
        cdef Py_ssize_t n_missing = 0
        if self.store.cost * self.members.n < SYMMETRY_COST * (n - row.synced):
            return self.compute_row(slot, row.values)
        for t in range(row.synced, n - self.n_pending):
            if t + AHEAD < n:
                other = &self.rows.rows[log[t + AHEAD]]
                if other.values != NULL:
                    prefetch(other.values + slot)
            entered = log[t]
            other = &self.rows.rows[entered]
            if other.values != NULL:
                row.values[entered] = other.values[slot]
            elif other.filled and not self.settle(index, entered, row.values):
                self.missing[n_missing] = entered
                n_missing += 1
                if 2 * n_missing > self.members.n:
                    return self.compute_row(slot, row.values)
        # The last entries are those of this block.
        for t in range(max(row.synced, n - self.n_pending), n):
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

    # -------------------------------------------------------------------------- finish

    cdef void begin_finish(self) noexcept nogil:
        """tau is tol, but not below the rounding of g: no step can mend that."""
        cdef double total = 1.0
        cdef Py_ssize_t s
        for s in range(self.members.n):
            total += fabs(self.members.alpha[s]) * fabs(self.members.diag[s])
        self.tau = fmax(self.policy.tol, 4.0 * EPSILON * total)
        self.steps_to_shrink = min(self.members.n, 1000)

    cdef int finish(self, double work) noexcept nogil:
        """REPROCESS until delta <= tau, the partner chosen by second-order gain (Fan, Chen and
        Lin 2005, WSS 2), on a set that shrinks to the slots that may still move.

        Called again until done, after ``begin_finish``. Returns after about ``work`` values
        touched: 1 when done, 0 when not, -1: no memory. Where it returns does not change the
        steps. Between calls the problem may be left shrunk; ``unshrink`` makes it whole.
        """
        cdef Active *a = &self.active
        cdef leaves_extremes *e
        cdef Py_ssize_t i, j, n, s_i, s_j
        cdef const float *k_i
        cdef const float *k_j
        cdef const float *diag
        cdef double *g
        cdef double lam, before_i, before_j
        cdef int8_t *up
        cdef int8_t *down
        if not self.both_seen:
            return 1
        self.work = 0.0
        while self.work < work:
            if self.shrunk:
                n, g, diag, up, down, e = a.m, a.g, a.diag, a.up, a.down, &a.extremes
            else:
                n, g, diag = self.members.n, self.members.g, self.members.diag
                up, down, e = self.members.up, self.members.down, &self.members.extremes
            if not e.g_max - e.g_min > self.tau:
                if not self.shrunk:
                    break
                if self.unshrink() < 0:
                    return -1
                continue
            i = e.i_max
            s_i = a.slots[i] if self.shrunk else i
            k_i = self.active_row(i, -1) if self.shrunk else self.kernel_row(i, -1)
            if k_i == NULL:
                return -1
            j = table().partner(g, k_i, diag, e.g_max, diag[i], down, n)
            j = e.j_min if j < 0 else j
            s_j = a.slots[j] if self.shrunk else j
            k_j = self.active_row(j, i) if self.shrunk else self.kernel_row(j, i)
            if k_j == NULL:
                return -1
            lam = self.length_of_step(s_i, s_j, g[i] - g[j], k_i[j])
            before_i, before_j = self.members.alpha[s_i], self.members.alpha[s_j]
            self.members.move(s_i, lam)
            self.members.move(s_j, -lam)
            if self.members.alpha[s_i] == before_i and self.members.alpha[s_j] == before_j:
                # The step is lost in rounding: the solution is as exact as doubles can say.
                if not self.shrunk:
                    break
                if self.unshrink() < 0:
                    return -1
                continue
            if self.shrunk:
                up[i], down[i] = self.members.up[s_i], self.members.down[s_i]
                up[j], down[j] = self.members.up[s_j], self.members.down[s_j]
            table().update(g, k_i, k_j, lam, up, down, n, e)
            self.n_changes += 1
            self.work += 2.0 * n + 100.0
            self.steps_to_shrink -= 1
            if self.policy.shrinking and self.steps_to_shrink <= 0:
                self.steps_to_shrink = min(n, 1000)
                if self.shrink() < 0:
                    return -1
        if self.work >= work:
            return 0
        self.set_b()
        self.evict()
        return 1

    cdef int shrink(self) noexcept nogil:
        """Set aside the slots at a bound whose gradient says that they want to stay there.

        Slots at the upper bound can only fall: they matter while g < g_max. Slots at the lower
        bound can only rise: they matter while g > g_min.
        """
        cdef Active *a = &self.active
        cdef Py_ssize_t s, q, kept = 0, n = a.m if self.shrunk else self.members.n
        cdef double *g = a.g if self.shrunk else self.members.g
        cdef int8_t *up = a.up if self.shrunk else self.members.up
        cdef int8_t *down = a.down if self.shrunk else self.members.down
        cdef double g_max, g_min
        g_max = a.extremes.g_max if self.shrunk else self.members.extremes.g_max
        g_min = a.extremes.g_min if self.shrunk else self.members.extremes.g_min
        for s in range(n):
            kept += _may_move(g[s], up[s], down[s], g_min, g_max)
        if kept > n - n // 8 or kept < 2:
            return 0                             # not worth moving memory
        if not self.shrunk and self.begin_active() < 0:
            return -1
        kept = 0
        for s in range(n):
            if _may_move(g[s], up[s], down[s], g_min, g_max):
                a.slots[kept] = a.slots[s] if self.shrunk else <int32_t>s
                a.g[kept] = g[s]
                a.diag[kept] = a.diag[s] if self.shrunk else self.members.diag[s]
                a.up[kept] = up[s]
                a.down[kept] = down[s]
                a.rows[kept] = a.rows[s] if self.shrunk else NULL
                if a.rows[kept] != NULL and kept != s:
                    a.rows[s] = NULL
                # The numbers of the slots that stay, for the rows below.
                if self.shrunk:
                    a.kept[kept] = <int32_t>s
                kept += 1
            elif self.shrunk and a.rows[s] != NULL:
                free(a.rows[s])
                a.rows[s] = NULL
        if self.shrunk:
            for s in range(kept):
                if a.rows[s] != NULL:
                    for q in range(kept):
                        a.rows[s][q] = a.rows[s][a.kept[q]]
        a.m = kept
        a.n_rows = 0
        for s in range(kept):
            a.n_rows += a.rows[s] != NULL
        self.shrunk = True
        memset(a.rows + kept, 0, (n - kept) * sizeof(float *))
        table().update(a.g, a.diag, a.diag, 0.0, a.up, a.down, a.m, &a.extremes)
        return 0

    cdef int begin_active(self) noexcept nogil:
        cdef Active *a = &self.active
        cdef Py_ssize_t n = self.members.n
        self.forget_active()
        a.slots = <int32_t *>malloc(n * sizeof(int32_t))
        a.kept = <int32_t *>malloc(n * sizeof(int32_t))
        a.g = <double *>malloc(n * sizeof(double))
        a.diag = <float *>malloc(n * sizeof(float))
        a.up = <int8_t *>malloc(n)
        a.down = <int8_t *>malloc(n)
        a.rows = <float **>calloc(n, sizeof(float *))
        a.old_alpha = <double *>malloc(n * sizeof(double))
        if (a.slots == NULL or a.kept == NULL or a.g == NULL or a.diag == NULL
                or a.up == NULL or a.down == NULL or a.rows == NULL or a.old_alpha == NULL):
            self.forget_active()
            return -1
        memcpy(a.old_alpha, self.members.alpha, n * sizeof(double))
        a.m = n
        return 0

    cdef void forget_active(self) noexcept nogil:
        cdef Active *a = &self.active
        cdef Py_ssize_t q
        if a.rows != NULL:
            for q in range(a.m):
                free(a.rows[q])
        free(a.slots)
        free(a.kept)
        free(a.g)
        free(a.diag)
        free(a.up)
        free(a.down)
        free(a.rows)
        free(a.old_alpha)
        memset(a, 0, sizeof(Active))
        self.shrunk = False

    cdef const float *active_row(self, Py_ssize_t q, Py_ssize_t pinned) noexcept nogil:
        """Row of the q-th slot over those that may still move. NULL: no memory."""
        cdef Active *a = &self.active
        cdef const float *row
        cdef Py_ssize_t other
        if a.rows[q] == NULL:
            if (a.n_rows + 1) * a.m * <Py_ssize_t>sizeof(float) > self.active_bytes:
                # Rarely: all start anew, which costs a copy of each from the cache.
                for other in range(a.m):
                    if other != pinned and a.rows[other] != NULL:
                        free(a.rows[other])
                        a.rows[other] = NULL
                a.n_rows = 1 if pinned >= 0 else 0
            a.n_rows += 1
            row = self.kernel_row(a.slots[q], -1)
            if row == NULL:
                return NULL
            a.rows[q] = <float *>malloc(round_up(a.m, LEAVES_TILE) * sizeof(float))
            if a.rows[q] == NULL:
                return NULL
            for other in range(a.m):
                a.rows[q][other] = row[a.slots[other]]
            self.work += self.members.n
        return a.rows[q]

    cdef int unshrink(self) noexcept nogil:
        """Bring the g of all slots up to date; the active ones are, the others by what their
        alpha moved since shrinking began."""
        cdef Active *a = &self.active
        cdef const float *row
        cdef Py_ssize_t s, q
        if not self.shrunk:
            return 0
        for s in range(self.members.n):
            if self.members.alpha[s] != a.old_alpha[s]:
                row = self.kernel_row(s, -1)
                if row == NULL:
                    return -1
                table().axpy(a.old_alpha[s] - self.members.alpha[s], row, self.members.g,
                             self.members.n)
                self.work += self.members.n
        for q in range(a.m):
            self.members.g[a.slots[q]] = a.g[q]
        self.forget_active()
        self.refresh()
        return 0

    cdef void refresh(self) noexcept nogil:
        """Extremes, b and delta from g as it is."""
        self.members.scan()
        self.set_b()

    # -------------------------------------------------------------------------- what was reached

    @property
    def objective(self):
        """Dual objective, sum alpha y - 1/2 alpha' K alpha = 1/2 sum alpha (y + g)."""
        m = self.members
        alive = m["row_id"] >= 0
        return 0.5 * float(m["alpha"][alive] @ (m["y"] + m["g"])[alive])

    @property
    def gap(self):
        """Primal minus dual objective over the members; g - b stands for g as there is a bias."""
        m = self.members
        alive = m["row_id"] >= 0
        residual = m["g"][alive] - self.b
        return float(np.maximum((m["upper"] - m["alpha"])[alive] * residual,
                                (m["lower"] - m["alpha"])[alive] * residual).sum())
