"""The support set of one binary problem; the contract is in the ``.pxd``."""
from libc.math cimport INFINITY, fabs, fmax, fmin, isfinite
from libc.stdint cimport int8_t, int32_t, int64_t

from ..memory cimport address, grown, round_up
from ..simd.primitives cimport SIMD_BLOCK, SIMD_TILE

import numpy as np

# The origins, for Python callers.
DATA = OF_DATA
STREAM = OF_STREAM
VIRTUAL = MADE_UP

cdef double EPSILON = np.finfo(np.float64).eps

# Stands for an infinite bound, or one too large for float32, in the duality gap.
cdef double LARGEST_BOUND = 1e30


cdef inline float _bound_of(double lower, double upper) noexcept nogil:
    return <float>fmin(fmax(lower + upper, -LARGEST_BOUND), LARGEST_BOUND)


cdef enum:
    N_FIELDS = 18

# Name and type of the arrays; ``attach`` relies on their order.
_FIELDS = {
    "alpha": np.float64, "g": np.float64, "target": np.float64,
    "lower": np.float64, "upper": np.float64,
    "bound": np.float32, "diag": np.float32, "y": np.int8, "region": np.int8,
    "up": np.int8, "down": np.int8, "alive": np.int8, "origin": np.int8,
    "index": np.int32, "row_id": np.int64,
    "free_slots": np.int32, "zeros": np.int32, "zero_place": np.int32,
}

# Faults of a slot that are detected when a state is restored.
cdef enum:
    _SOUND
    _BAD_ALIVE
    _BAD_ROW_ID
    _BAD_ORIGIN
    _BAD_BOX
    _BAD_ALPHA
    _BAD_BOUND
    _BAD_UP
    _BAD_DOWN
    _BAD_Y
    _BAD_REGION
    _BAD_INDEX
    _BAD_G
    _BAD_TARGET
    _BAD_DIAG

_FAULTS = {
    _BAD_ALIVE: ("alive", "must be 1 for a member, 0 for a free slot"),
    _BAD_ROW_ID: ("row_id", "must be the number of a sample, and -1 where a slot is free"),
    _BAD_ORIGIN: ("origin", "must be one of 0, 1, 2"),
    _BAD_BOX: ("lower", "and upper must be an interval with one end at 0, [0, 0] for a free slot"),
    _BAD_ALPHA: ("alpha", "must be finite and between lower and upper"),
    _BAD_BOUND: ("bound", "must be the nonzero end of the box"),
    _BAD_UP: ("up", "must be -1 where alpha is below upper, else 0"),
    _BAD_DOWN: ("down", "must be -1 where alpha is above lower, else 0"),
    _BAD_Y: ("y", "must be 1 or -1"),
    _BAD_REGION: ("region", "must be one of -1, 0, 1, 2"),
    _BAD_INDEX: ("index", "must be a slot of the store"),
    _BAD_G: ("g", "must be finite"),
    _BAD_TARGET: ("target", "must be finite"),
    _BAD_DIAG: ("diag", "must be finite"),
}


cdef class Members:
    def __init__(self):
        self.attach({name: np.zeros(0, dtype) for name, dtype in _FIELDS.items()})
        self.scan()

    cdef int attach(self, dict arrays) except -1:
        """Use ``arrays``. Addresses come first, as these may fail: then nothing has changed."""
        cdef void *at[N_FIELDS]
        cdef Py_ssize_t k = 0
        for name in _FIELDS:
            at[k] = address(arrays[name])
            k += 1
        self.alpha, self.g = <double *>at[0], <double *>at[1]
        self.target = <double *>at[2]
        self.lower, self.upper = <double *>at[3], <double *>at[4]
        self.bound, self.diag = <float *>at[5], <float *>at[6]
        self.y, self.region = <int8_t *>at[7], <int8_t *>at[8]
        self.up, self.down = <int8_t *>at[9], <int8_t *>at[10]
        self.alive, self.origin = <int8_t *>at[11], <int8_t *>at[12]
        self.index, self.row_id = <int32_t *>at[13], <int64_t *>at[14]
        self.free_slots = <int32_t *>at[15]
        self.zeros, self.zero_place = <int32_t *>at[16], <int32_t *>at[17]
        self.capacity = len(arrays["alpha"])
        self.arrays = arrays
        return 0

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Allocate at least ``n`` slots in writable memory."""
        cdef Py_ssize_t capacity = self.capacity
        if n <= capacity and self.owned:
            return 0
        if n > capacity:
            capacity = round_up(max(n, capacity + capacity // 4), SIMD_TILE)
        self.attach({name: grown(array, capacity) for name, array in self.arrays.items()})
        self.owned = True
        return 0

    def __getitem__(self, str name):
        """Return the array ``name`` over the slots [0, n)."""
        return self.arrays[name][:self.n]

    def alpha_of(self, int64_t row_id, int8_t origin):
        """Return alpha of a sample, 0.0 if it is not in the support set."""
        cdef Py_ssize_t s
        for s in range(self.n - 1, -1, -1):
            if self.alive[s] and self.row_id[s] == row_id and self.origin[s] == origin:
                return self.alpha[s]
        return 0.0

    def state(self):
        """Return the complete state: the arrays, trimmed to n slots, and the counts."""
        state = {name: self.arrays[name][:self.n].copy() for name in _FIELDS}
        state["counts"] = np.array([self.n, self.n_members, self.n_free, self.n_zeros], np.int64)
        return state

    def restore(self, state, Py_ssize_t n_stored, bint identity, Py_ssize_t n_loaded=0):
        """Use the arrays of ``state``, a :class:`Stored`; they are copied before the first write.

        The store has ``n_stored`` slots, which are those of the support set if ``identity``.
        Within a block of ``n_loaded`` samples some members are not yet in the store.
        """
        counts = state.array("counts", np.int64, (4,), low=0, high=2**31 - 1)
        cdef Py_ssize_t n = counts[0], slot
        cdef int fault = _SOUND
        if identity and not n_stored <= n <= n_stored + n_loaded:
            state.refuse("counts", f"must begin with {n_stored}, the number of vectors")
        self.n = 0
        self.attach({name: state.array(name, dtype, (n,)) for name, dtype in _FIELDS.items()})
        self.owned = False
        slot = self.first_fault(n, n_stored, identity, n_loaded, &fault)
        if fault != _SOUND:
            name, problem = _FAULTS[fault]
            state.refuse(name, f"{problem}; slot {slot} violates this")
        self.n_members, self.n_free, self.n_zeros = counts[1], counts[2], counts[3]
        self.check_lists(state, n)
        self.n = n
        self.scan()

    cdef Py_ssize_t first_fault(self, Py_ssize_t n, Py_ssize_t n_stored, bint identity,
                                Py_ssize_t n_loaded, int *fault) noexcept nogil:
        """Return the first slot with inconsistent values, else ``n``; ``fault`` tells which."""
        cdef Py_ssize_t s, index
        cdef double alpha, lower, upper
        cdef bint alive
        for s in range(n):
            alpha, lower, upper, index = self.alpha[s], self.lower[s], self.upper[s], self.index[s]
            alive = self.alive[s] != 0
            fault[0] = _SOUND
            if self.alive[s] != 0 and self.alive[s] != 1:
                fault[0] = _BAD_ALIVE
            elif not (self.row_id[s] >= 0 if alive else self.row_id[s] == -1):
                fault[0] = _BAD_ROW_ID
            elif not 0 <= self.origin[s] < N_ORIGINS:
                fault[0] = _BAD_ORIGIN
            elif not (lower <= 0.0 <= upper and (lower == 0.0 or upper == 0.0)
                      and alive == (lower < upper)):
                fault[0] = _BAD_BOX
            elif not (lower <= alpha <= upper and isfinite(alpha)):
                fault[0] = _BAD_ALPHA
            elif self.bound[s] != _bound_of(lower, upper):
                fault[0] = _BAD_BOUND
            elif self.up[s] != -<int8_t>(alpha < upper):
                fault[0] = _BAD_UP
            elif self.down[s] != -<int8_t>(alpha > lower):
                fault[0] = _BAD_DOWN
            elif self.y[s] != 1 and self.y[s] != -1:
                fault[0] = _BAD_Y
            elif not -1 <= self.region[s] <= 2:
                fault[0] = _BAD_REGION
            # A free slot keeps the index of its last vector, which may never have left its block.
            elif not (-n_loaded if alive else -SIMD_BLOCK) <= index < n_stored or (
                    alive and identity and index != s and index >= 0):
                fault[0] = _BAD_INDEX
            elif alive and not isfinite(self.g[s]):
                fault[0] = _BAD_G
            elif alive and not isfinite(self.target[s]):
                fault[0] = _BAD_TARGET
            elif alive and not isfinite(self.diag[s]):
                fault[0] = _BAD_DIAG
            if fault[0] != _SOUND:
                return s
        return n

    cdef int check_lists(self, state, Py_ssize_t n) except -1:
        """Raise an error if counts or lists of slots do not match the slots."""
        cdef Py_ssize_t s, p, n_members = 0, n_zeros = 0
        for s in range(n):
            n_members += self.alive[s]
            n_zeros += self.alive[s] and self.alpha[s] == 0.0
        if not (self.n_members == n_members and self.n_free == n - n_members
                and self.n_zeros == n_zeros):
            state.refuse("counts", f"must be {[n, n_members, n - n_members, n_zeros]}")
        for p in range(n_zeros):
            s = self.zeros[p]
            if not (0 <= s < n and self.alive[s] and self.alpha[s] == 0.0):
                state.refuse("zeros", "must begin with the members at alpha = 0")
            if self.zero_place[s] != p:
                state.refuse("zero_place", "must hold the position of each slot in zeros")
        for p in range(self.n_free):
            s = self.free_slots[p]
            if not (0 <= s < n and not self.alive[s]):
                state.refuse("free_slots", "must begin with the free slots")
        freed = self.arrays["free_slots"][:self.n_free]
        state.require(len(np.unique(freed)) == self.n_free, "free_slots",
                      "must name no slot twice")
        return 0

    cdef Py_ssize_t next_slot(self) noexcept nogil:
        """Return the slot that the next ``add`` fills."""
        return self.free_slots[self.n_free - 1] if self.n_free else self.n

    def rebox(self, slots, lower, upper, alpha):
        """Set boxes and alpha of members; the caller updates g and the extremes."""
        cdef Py_ssize_t s
        cdef const int64_t[::1] members
        self.reserve(self.n)
        members = np.ascontiguousarray(slots, dtype=np.int64)
        self["lower"][slots], self["upper"][slots] = lower, upper
        for s in members:
            self.bound[s] = _bound_of(self.lower[s], self.upper[s])
        self["alpha"][slots] = alpha
        self["up"][slots] = -(alpha < upper).astype(np.int8)
        self["down"][slots] = -(alpha > lower).astype(np.int8)
        self.n_zeros = 0
        for s in members:
            if self.alpha[s] == 0.0:
                self.enter_zeros(s)

    cdef void add(self, Py_ssize_t slot, const Example *row, double g, float diag,
                  int32_t index) noexcept nogil:
        """Add a member with alpha = 0 in ``slot``, the result of ``next_slot``."""
        if self.n_free:
            self.n_free -= 1
        else:
            self.n += 1
        self.n_members += 1
        self.alive[slot] = 1
        self.origin[slot] = row.origin
        self.target[slot] = row.target
        self.y[slot] = row.y
        self.region[slot] = row.region
        self.lower[slot] = row.lower
        self.upper[slot] = row.upper
        self.bound[slot] = _bound_of(row.lower, row.upper)
        self.g[slot] = g
        self.diag[slot] = diag
        self.index[slot] = index
        self.row_id[slot] = row.row_id
        self.alpha[slot] = 0.0
        self.up[slot] = -1 if row.upper > 0.0 else 0
        self.down[slot] = -1 if row.lower < 0.0 else 0
        self.enter_zeros(slot)

    cdef void remove(self, Py_ssize_t slot) noexcept nogil:
        """Free ``slot``. Its alpha must be 0, so no g changes."""
        self.leave_zeros(slot)
        self.lower[slot] = self.upper[slot] = 0.0
        self.bound[slot] = 0.0
        self.up[slot] = self.down[slot] = 0
        self.alive[slot] = 0
        self.row_id[slot] = -1
        self.free_slots[self.n_free] = <int32_t>slot
        self.n_free += 1
        self.n_members -= 1

    cdef void enter_zeros(self, Py_ssize_t slot) noexcept nogil:
        self.zero_place[slot] = <int32_t>self.n_zeros
        self.zeros[self.n_zeros] = <int32_t>slot
        self.n_zeros += 1

    cdef void leave_zeros(self, Py_ssize_t slot) noexcept nogil:
        cdef int32_t place = self.zero_place[slot]
        cdef int32_t last = self.zeros[self.n_zeros - 1]
        self.zeros[place] = last
        self.zero_place[last] = place
        self.n_zeros -= 1

    cdef void widen(self, Py_ssize_t slot, double lower, double upper) noexcept nogil:
        """Add the box [lower, upper], on the same side of 0, to the box of a member."""
        self.lower[slot] += lower
        self.upper[slot] += upper
        self.bound[slot] = _bound_of(self.lower[slot], self.upper[slot])
        self.up[slot] = -1 if self.alpha[slot] < self.upper[slot] else 0
        self.down[slot] = -1 if self.alpha[slot] > self.lower[slot] else 0

    cdef void move(self, Py_ssize_t slot, double by) noexcept nogil:
        """Add ``by`` to alpha, rounded to 0 or to a bound that is within rounding error.

        The tolerance around 0 scales with the step, not with C: alpha is of the order of 1 / K.
        """
        cdef double lower = self.lower[slot], upper = self.upper[slot]
        cdef double alpha = self.alpha[slot] + by
        cdef bint was_zero = self.alpha[slot] == 0.0
        if fabs(alpha) <= 4.0 * EPSILON * fabs(by):
            alpha = 0.0
        elif alpha >= upper - 4.0 * EPSILON * upper and upper != INFINITY:
            alpha = upper
        elif alpha <= lower - 4.0 * EPSILON * lower and lower != -INFINITY:
            alpha = lower
        self.alpha[slot] = alpha
        self.up[slot] = -1 if alpha < upper else 0
        self.down[slot] = -1 if alpha > lower else 0
        if alpha == 0.0 and not was_zero:
            self.enter_zeros(slot)
        elif was_zero and alpha != 0.0:
            self.leave_zeros(slot)

    cdef void mark(self) noexcept nogil:
        """Recompute the flags and the list of zeros from alpha."""
        cdef Py_ssize_t s
        self.n_zeros = 0
        for s in range(self.n):
            self.up[s] = -1 if self.alpha[s] < self.upper[s] else 0
            self.down[s] = -1 if self.alpha[s] > self.lower[s] else 0
            if self.alpha[s] == 0.0 and self.alive[s]:
                self.enter_zeros(s)

    cdef void scan(self) noexcept nogil:
        """Recompute the extremes of g."""
        cdef Py_ssize_t s
        self.extremes.g_max = -INFINITY
        self.extremes.g_min = INFINITY
        self.extremes.i_max = self.extremes.j_min = -1
        for s in range(self.n):
            if self.up[s] and self.g[s] > self.extremes.g_max:
                self.extremes.g_max = self.g[s]
                self.extremes.i_max = s
            if self.down[s] and self.g[s] < self.extremes.g_min:
                self.extremes.g_min = self.g[s]
                self.extremes.j_min = s
