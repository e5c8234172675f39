"""One binary problem: membership, kernel rows, and the frame of finishing.

A problem learns from a block of fresh rows whose kernel values against the store have been
computed beforehand. What happens inside the block (rows kept, members let go, slots reused) is
settled with values of the block against itself; the store is written when the block is over.
So the problems of a one-vs-rest model can learn from one block side by side.
"""
from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

from ..memory cimport address, round_up
from .stores cimport Store, is_own_value
from ..simd.leaves cimport LEAVES_BLOCK, LEAVES_TILE, leaves_extremes, table
from .settled cimport Settled
from .kernel_rows cimport KernelRows, Row, prefetch
from .members cimport OF_DATA, Example, Members

import numpy as np

from ..stored import LARGEST_COUNT, LARGEST_NUMBER, Stored

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

# A solution on the side is finished to so many times tol: decisions hardly feel it, and following
# a stream from row to row takes a third of the time.
cdef double LOOSE = 10.0


cdef void *_grown(void *buffer, size_t n_bytes) except NULL:
    cdef void *grown = realloc(buffer, n_bytes)
    if grown == NULL:
        raise MemoryError()
    return grown


cdef class Problem:
    def __init__(self, Store store, bint identity, **options):
        self.store = store
        self.identity = identity
        self.members = Members()
        self.settled = Settled()
        self.solved_at = -1
        self.scratch = store.new_block()
        self.patience = PATIENCE
        self.configure(**options)
        self.allow(INT64_MAX)
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

    def configure(self, *, double tol, bint shrinking, Py_ssize_t cache_bytes,
                  int64_t row_limit=INT64_MAX):
        """Options that may change while learning goes on; a subclass has some of its own. A row of
        the cache that is dropped costs time only."""
        if tol != self.tol:
            self.solved_at = self.settled.at = -1
        self.tol = self.tau = tol
        self.shrinking = shrinking
        self.row_limit = row_limit
        if self.rows is None or cache_bytes != self.cache_bytes:
            # A quarter of the budget is for the rows of `finish` while shrunk.
            active = ActiveSet(cache_bytes // 4)
            self.rows = KernelRows(cache_bytes - cache_bytes // 4)
            self.active = active
            self.cache_bytes = cache_bytes

    def allow(self, int64_t steps):
        """Steps for the call that begins: REPROCESS may take half of them, finishing the rest."""
        self.steps_left = steps
        self.steps_kept = steps // 2
        self.cut_short = False

    def state(self):
        """Arrays from which ``restore`` rebuilds the problem; kernel rows are not among them."""
        state = self.members.state()
        state["scalars"] = np.array([self.b, self.delta, self.tau, self.both_seen])
        state["counters"] = np.array(
            [self.n_evaluations, self.n_changes, self.solved_at], dtype=np.int64)
        if self.settled.live:
            state.update(self.settled.state(self.members.n))
        return state

    def restore(self, state, bint same_kernel=True, Py_ssize_t n_loaded=0):
        """Take what ``state()`` gave, wrapped in a :class:`Stored`; the store comes first.

        Without ``same_kernel`` the values come from another one, and are to be computed anew. In
        the midst of a block of ``n_loaded`` rows some members are not yet in the store."""
        cdef Py_ssize_t s
        scalars = state.array("scalars", np.float64, (4,))
        counters = state.array("counters", np.int64, (3,), low=-1, high=LARGEST_COUNT)
        state.require(np.isfinite(scalars[0]), "scalars", "must begin with a finite bias")
        state.require(not np.isnan(scalars[1]), "scalars", "must not be nan")
        state.require(self.tol <= scalars[2] <= LARGEST_NUMBER, "scalars",
                      f"must have a tolerance of at least {self.tol} in the third place")
        state.require(scalars[3] == 0.0 or scalars[3] == 1.0, "scalars", "must end with a flag")
        state.require((counters[:2] >= 0).all(), "counters", "must be >= 0, but for the last")
        self.members.restore(state, self.store.n_slots, self.identity, n_loaded)
        for s in range(self.members.n if same_kernel else 0):
            if (self.members.alive[s] and self.members.index[s] >= 0
                    and not is_own_value(
                        self.store, self.members.index[s], self.members.diag[s])):
                state.refuse("diag", "must hold the kernel values of the vectors with themselves; "
                                     f"slot {s} breaks that")
        self.b, self.delta, self.tau = (float(v) for v in scalars[:3])
        self.both_seen = scalars[3] == 1.0
        self.n_evaluations, self.n_changes, self.solved_at = (int(c) for c in counters)
        self.settled.restore(state, self.members, self.tol)

    cdef int take_back(self, dict state) except -1:
        """Back to what ``state`` gave; kernel rows are computed again."""
        self.rows.clear()
        self.active.forget()
        self.n_pending = self.n_released = 0
        self.restore(Stored(state), True, LEAVES_BLOCK)
        return 0

    # -------------------------------------------------------------------------- interrupts

    def met(self):
        """What a pass has met, and the newest row: numbers and counts that ``state`` does not
        hold."""
        return [], []

    def meet(self, numbers, counts):
        """Take what ``met`` gave."""

    def running(self):
        """What ``state`` leaves out, as arrays: with both a problem goes on as if it had never
        stopped, also in the midst of a block or of finishing. Kernel rows are not among them."""
        e = self.members.extremes
        met, counts = self.met()
        running = {
            "met": np.array(met, dtype=np.float64),
            "counts": np.array(counts, dtype=np.int64),
            "extremes": np.array([e.g_max, e.g_min]),
            "extreme_slots": np.array([e.i_max, e.j_min], dtype=np.int64),
            "place": np.array([self.at, self.improving, self.finishing, self.is_finished,
                               self.steps_to_shrink], dtype=np.int64),
            "steps": np.array([self.steps_left, self.steps_kept, self.row_steps, self.cut_short],
                              dtype=np.int64),
            "pending": np.array([self.pending[p] for p in range(self.n_pending)], dtype=np.int32),
            "released": np.array([self.released[p] for p in range(self.n_released)],
                                 dtype=np.int32),
        }
        if self.active.shrunk:
            running["active"] = self.active.state(self.members.n)
        return running

    cdef int suspend(self) except -1:
        """Keep a copy of all that is, before the block or finishing is brought to an end."""
        state = {name: np.array(array) for name, array in self.state().items()}
        self.suspended = {"state": state, "running": self.running()}
        return 0

    def resume(self, running):
        """Take what ``running`` gave, wrapped in a :class:`Stored`: all but the midst of a block
        or of finishing. Returns whether it was there."""
        cdef leaves_extremes *e = &self.members.extremes
        slots = running.array("extreme_slots", np.int64, (2,), low=-1, high=self.members.n - 1)
        extremes = running.array("extremes", np.float64, (2,))
        steps = running.array("steps", np.int64, (4,), low=-LARGEST_COUNT)
        met, counts = self.met()
        met = running.array("met", np.float64, (len(met),))
        counts = running.array("counts", np.int64, (len(counts),), low=0, high=LARGEST_COUNT)
        e.i_max, e.j_min = slots
        e.g_max, e.g_min = extremes
        self.steps_left, self.steps_kept, self.row_steps = steps[:3]
        self.cut_short = bool(steps[3])
        self.meet(met, counts)
        return bool(running.array("place", np.int64, (5,))[2])

    cdef int resume_midst(self, running) except -1:
        """Go back into the midst of a block, or of finishing, that has been begun anew."""
        cdef Py_ssize_t p, n = self.members.n
        pending = running.array("pending", np.int32, (None,), low=0, high=n - 1)
        released = running.array("released", np.int32, (None,), low=0, high=self.store.n_slots - 1)
        place = running.array("place", np.int64, (5,))
        running.require(0 <= place[0] <= LEAVES_BLOCK, "place",
                        f"must begin within {LEAVES_BLOCK}")
        # Each row enters once, and what is in the store leaves once: the lists have room for that.
        running.require(len(pending) <= place[0] + bool(place[1]), "pending",
                        "must be of the rows before")
        n -= np.count_nonzero((self.members["alive"] != 0) & (self.members["index"] >= 0))
        running.require(len(released) <= n, "released", f"must be {n} at most")
        if running.has("active"):
            self.active.restore(self.members, running.part("active"))
        self.at, self.steps_to_shrink = place[0], place[4]
        self.improving, self.finishing, self.is_finished = (bool(flag) for flag in place[1:4])
        self.n_pending, self.n_released = len(pending), len(released)
        for p in range(self.n_pending):
            self.pending[p] = pending[p]
        for p in range(self.n_released):
            self.released[p] = released[p]
        return 0

    def begin_pass(self, known):
        """``known``: int32 array with the slot of each row of X, or None."""
        self.known = known
        self.slot_of_row = NULL if known is None else <int32_t *>address(known)
        self.n_known = 0 if known is None else len(known)

    # -------------------------------------------------------------------------- the algorithm

    cdef int learn(self, Example *row) except -2 nogil:
        """One row of the stream, up to the first call of ``improve``. -1 when memory is short,
        0 when nothing is left to improve, else 1."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.learn")

    cdef int improve(self) except -2 nogil:
        """REPROCESS as often as the policy wants. 1: to be called again, 0: done, -1: no
        memory."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.improve")

    cdef int finish_step(self, Front *front) except -2 nogil:
        """A step towards the optimum over the front, which violates. 1 when it moved, 0 when the
        step was lost in rounding, -1: no memory."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.finish_step")

    cdef double violation_of(self, const leaves_extremes *e) except? -1.0 nogil:
        """Violation that extremes show."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.violation_of")

    cdef double low_of(self, const leaves_extremes *e) noexcept nogil:
        """Gradient below which a slot that can only rise has no part in finishing."""
        return -INFINITY

    cdef double high_of(self, const leaves_extremes *e) noexcept nogil:
        """Gradient above which a slot that can only fall has no part in finishing."""
        return INFINITY

    cdef int finished(self) noexcept nogil:
        """The optimum over the members is reached: let go those that are of no use. -1: no
        memory."""
        return 0

    cdef int refresh(self) except -2 nogil:
        """Extremes and all that follows from g as it is."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.refresh")

    cdef int balance(self, double total) noexcept nogil:
        """Make alpha, whose sum is ``total``, fit constraints that tie members together; here
        there are none. -1: no memory."""
        return 0

    cdef void exchange(self) noexcept nogil:
        """Exchange the numbers that go with a solution for those in ``settled``."""
        cdef double *other = self.settled.numbers
        self.b, other[0] = other[0], self.b
        self.delta, other[1] = other[1], self.delta
        self.tau, other[2] = other[2], self.tau

    cdef bint may_reprocess(self) noexcept nogil:
        """Take one step from those left for REPROCESS; False when there is none. Where kernel
        values make no sense, or the best alpha is far away, it would go on for hours."""
        if self.row_steps <= 0 or self.steps_left <= self.steps_kept:
            self.cut_short = True
            return False
        self.row_steps -= 1
        self.steps_left -= 1
        return True

    # -------------------------------------------------------------------------- the block

    cdef int begin_block(self, Fresh *fresh, Py_ssize_t n_rows) except -1:
        cdef Py_ssize_t n = self.members.n + n_rows
        self.fresh = fresh[0]
        self.n_pending = self.n_released = 0
        self.hurry = self.improving = self.finishing = self.is_finished = False
        self.at = 0
        self.suspended = None
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

    cdef double decision(self, Py_ssize_t r) noexcept nogil:
        """Decision value of block row ``r``."""
        return table().dot(self.block_row(r), self.members.alpha, self.members.n) + self.b

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

    cdef Py_ssize_t seed(self, const Example *row, double alpha) noexcept nogil:
        """Make a row of the block a member with ``alpha``; g has to be computed afterwards."""
        cdef Py_ssize_t slot = self.enter(row, 0.0)
        self.members.move(slot, alpha)
        self.both_seen = True
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

    # -------------------------------------------------------------------------- finishing

    cdef void begin_finish(self) noexcept nogil:
        """tau is tol (looser on the side), but not below the rounding of g: no step can mend
        that."""
        cdef double total = 1.0, tol = LOOSE * self.tol if self.settling else self.tol
        cdef Py_ssize_t s
        for s in range(self.members.n):
            total += fabs(self.members.alpha[s]) * fabs(self.members.diag[s])
        self.tau = fmax(tol, 4.0 * EPSILON * total)
        self.steps_to_shrink = min(self.members.n, 1000)

    cdef int finish(self, double work) except -2 nogil:
        """Steps until the violation is at most tau, on a set that shrinks to the slots that may
        still move.

        Called again until done, after ``begin_finish``. Returns after about ``work`` values
        touched: 1 when done, 0 when not, -1: no memory. Where it returns does not change the
        steps. Between calls the problem may be left shrunk; ``unshrink`` makes it whole.
        """
        cdef Front front
        cdef int moved
        if not self.both_seen:
            return 1
        self.work = 0.0
        while self.work < work:
            front = self.active.front(self.members)
            moved = 0
            if self.violation_of(front.extremes) > self.tau and self.steps_left > 0:
                self.steps_left -= 1
                moved = self.finish_step(&front)
                if moved < 0:
                    return -1
            if not moved:
                # Solved, or as exact as doubles can say, or no step is left.
                if not self.active.shrunk:
                    break
                if self.unshrink() < 0:
                    return -1
                continue
            self.n_changes += 1
            self.work += 2.0 * front.n + 100.0
            self.steps_to_shrink -= 1
            if self.shrinking and self.steps_to_shrink <= 0:
                self.steps_to_shrink = min(front.n, 1000)
                if self.active.shrink(self.members, self.low_of(front.extremes),
                                      self.high_of(front.extremes)) < 0:
                    return -1
        if self.work >= work:
            return 0
        return -1 if self.finished() < 0 else 1

    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil:
        """Kernel row of the q-th slot of the front over the front. NULL: no memory."""
        cdef const float *row
        if front.slots == NULL:
            return self.kernel_row(q, pinned)
        row = self.active.row(q)
        if row == NULL:
            row = self.kernel_row(front.slots[q], -1)
            if row == NULL:
                return NULL
            row = self.active.keep_row(q, row, pinned)
            self.work += self.members.n
        return row

    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil:
        """Move the alpha of the q-th slot of the front; whether that changed it."""
        cdef Py_ssize_t slot = q if front.slots == NULL else front.slots[q]
        cdef double before = self.members.alpha[slot]
        self.members.move(slot, by)
        front.up[q], front.down[q] = self.members.up[slot], self.members.down[slot]
        return self.members.alpha[slot] != before

    cdef int unshrink(self) except -2 nogil:
        """Bring the g of all slots up to date; the active ones are, the others by what their
        alpha moved since shrinking began."""
        cdef double *old_alpha = self.active.old_alpha
        cdef const float *row
        cdef Py_ssize_t s
        if not self.active.shrunk:
            return 0
        for s in range(self.members.n):
            if self.members.alpha[s] != old_alpha[s]:
                row = self.kernel_row(s, -1)
                if row == NULL:
                    return -1
                table().axpy(old_alpha[s] - self.members.alpha[s], row, self.members.g,
                             self.members.n)
                # Done, should the next row fail (kernel functions may raise) and this be repeated.
                old_alpha[s] = self.members.alpha[s]
                self.work += self.members.n
        self.active.write_back(self.members)
        self.active.forget()
        self.refresh()
        return 0

    # -------------------------------------------------------------------------- settling

    @property
    def is_settled(self):
        """Whether the solution of the stream, or that on the side, is the optimum."""
        return (not self.both_seen or self.solved_at == self.n_changes
                or self.settled.at == self.n_changes)

    cdef int begin_settling(self) except -1:
        """Let the members hold the solution on the side, for ``finish``."""
        if not self.settled.live:
            self.settled.begin(self.members)
        self.settled.swap(self.members)
        self.settling = True
        self.exchange()
        self.members.mark()
        return 0

    cdef int end_settling(self, bint done, Settled former) except -1:
        """Give the members back what they held; ``former`` was there before ``begin_settling``
        and comes back if it is not done."""
        self.active.forget()
        self.finishing = False
        self.exchange()
        self.settled.swap(self.members)
        self.settling = False
        if done:
            self.settled.at, self.settled.n_entered = self.n_changes, 0
        else:
            self.settled = former
        return 0

    def unsettle(self):
        """Forget the solution on the side."""
        self.settled.drop()

    # -------------------------------------------------------------------------- what was reached

    cdef bint shows_settled(self) noexcept nogil:
        """Whether decisions come from the solution on the side."""
        return self.settled.at == self.n_changes

    def solution(self):
        """alpha and g of every slot, and b, that decisions come from."""
        if self.shows_settled():
            n = self.members.n
            return self.settled["alpha"][:n], self.settled["g"][:n], self.settled.b
        return self.members["alpha"], self.members["g"], self.b

    def slots(self):
        """Slots of the members."""
        return np.flatnonzero(self.members["alive"])

    @property
    def violation_met(self):
        """Largest violation met since ``begin_pass``, or left among the members."""
        raise NotImplementedError

    @property
    def violation_left(self):
        """Largest violation over all rows; exact when the pass changed nothing."""
        raise NotImplementedError

    @property
    def squared_norm(self):
        """\\|w\\|^2 = alpha' K alpha."""
        alpha, g, _ = self.solution()
        alive = self.slots()
        return float(alpha[alive] @ (self.members["target"] - g)[alive])

    @property
    def objective(self):
        """Dual objective, sum (alpha target + beta) - 1/2 alpha' K alpha; beta is the size of a
        box on the other side of 0 than y, else 0."""
        m, alive = self.members, self.slots()
        alpha, g, _ = self.solution()
        bound = (m["lower"] + m["upper"])[alive]
        shifted = np.where(bound * m["y"][alive] < 0, np.abs(bound), 0.0)
        return float(0.5 * (alpha[alive] @ (m["target"] + g)[alive]) + shifted.sum())

    @property
    def gap(self):
        """Primal minus dual objective over the members; g - b stands for g where there is a
        bias."""
        m, alive = self.members, self.slots()
        alpha, g, b = self.solution()
        residual = g[alive] - b
        room = np.where(residual > 0, m["upper"][alive], m["lower"][alive]) - alpha[alive]
        return float((room * residual)[residual != 0].sum())
