"""The support set of one binary problem; the contract is in the ``.pxd``."""
from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.stdint cimport int8_t, int32_t, int64_t

from ...memory cimport address, round_up
from ...simd.primitives cimport SIMD_TILE, simd_extremes
from ...threads.slices cimport SORTED, begin_of, n_parts_of_zeros, own_slots
from ...threads.team cimport TEAM_MOST, Team
from .slot_arrays cimport SlotArrays

import numpy as np

# The origins, for Python callers.
DATA = OF_DATA
STREAM = OF_STREAM
VIRTUAL = MADE_UP

cdef double EPSILON = np.finfo(np.float64).eps

# Part of a bound by which alpha may miss it and still count as equal to it.
cdef double AT_BOUND = 1e-12

# Stands for an infinite bound, or one too large for float32, in the duality gap.
cdef double LARGEST_BOUND = 1e30


cdef inline float _bound_of(double lower, double upper) noexcept nogil:
    return <float>fmin(fmax(lower + upper, -LARGEST_BOUND), LARGEST_BOUND)


# Arrays that belong to a solution, of which there may be two (see ``optimized_solution.pyx``), and
# those that belong to the samples; ``attach`` relies on their order.
OF_SOLUTION = {
    "alpha": np.float64, "g": np.float64, "target": np.float64,
    "zeros": np.int32, "zero_place": np.int32, "up": np.int8, "down": np.int8, "y": np.int8,
}
OF_SAMPLES = {
    "lower": np.float64, "upper": np.float64, "ridge": np.float64, "row_id": np.int64,
    "bound": np.float32, "diag": np.float32, "index": np.int32, "free_slots": np.int32,
    "region": np.int8, "alive": np.int8, "origin": np.int8,
}
cdef SlotArrays SOLUTION = SlotArrays(OF_SOLUTION)
cdef SlotArrays SAMPLES = SlotArrays(OF_SAMPLES)

# What ``restore`` needs, over all slots; other arrays follow from it.
STORED = ("alpha", "g", "target", "y", "lower", "upper", "ridge", "row_id", "diag", "index",
          "region", "origin")


cdef double moved_alpha(double alpha, double by, double lower, double upper) noexcept nogil:
    """Return alpha + by, rounded to 0 or to a bound that is within rounding error.

    The tolerance around 0 scales with the step, not with C: alpha is of the order of 1 / K. At a
    bound, errors of many steps may have added up: a vector that misses its bound by rounding would
    count as free, and fix the bias alone if all others are at their bounds.
    """
    alpha += by
    if fabs(alpha) <= 4.0 * EPSILON * fabs(by):
        return 0.0
    if alpha >= upper - AT_BOUND * upper and upper != INFINITY:
        return upper
    if alpha <= lower - AT_BOUND * lower and lower != -INFINITY:
        return lower
    return alpha


# The extremes of g, and the places, in the list of members at alpha = 0, of those that have them
# on their other side; -1: none.
cdef struct Ends:
    simd_extremes e
    Py_ssize_t high
    Py_ssize_t low


# Members at alpha = 0, and the extremes without their other sides.
cdef struct Zeros:
    Py_ssize_t n
    Py_ssize_t n_slots
    const int32_t *slots
    const double *g
    const int8_t *y
    double width
    simd_extremes start
    Ends *ends              # of each part


cdef void find_ends(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Zeros *zeros = <Zeros *>context
    # In local variables, as the compiler cannot know that these are different memory.
    cdef Ends ends
    cdef double g, g_max = zeros.start.g_max, g_min = zeros.start.g_min, width = zeros.width
    cdef Py_ssize_t first = 0, k, p, high = -1, low = -1, n = zeros.n, n_own
    cdef const int8_t *y = zeros.y
    cdef const double *own_g = zeros.g
    cdef const int32_t *slots = zeros.slots
    cdef int32_t own[SORTED]
    cdef int32_t s
    while first < n:
        n_own = n
        if n_parts > 1:
            n_own = own_slots(slots + first, min(SORTED, n - first),
                              begin_of(part, n_parts, zeros.n_slots),
                              begin_of(part + 1, n_parts, zeros.n_slots), own)
        for k in range(n_own):
            p = k if n_parts == 1 else first + own[k]
            s = slots[p]
            g = own_g[s] + y[s] * width
            if y[s] > 0 and g < g_min:
                g_min, low = g, p
            elif y[s] < 0 and g > g_max:
                g_max, high = g, p
        first += n if n_parts == 1 else SORTED
    ends.e, ends.high, ends.low = zeros.start, high, low
    if high >= 0:
        ends.e.g_max, ends.e.i_max = g_max, slots[high]
    if low >= 0:
        ends.e.g_min, ends.e.j_min = g_min, slots[low]
    zeros.ends[part] = ends


cdef class SupportSet:
    def __init__(self):
        self.solution, self.samples = SOLUTION.like(), SAMPLES.like()
        self.scan()

    cdef void attach_solution(self) noexcept:
        """Take the addresses of the arrays of the solution."""
        cdef SlotArrays arrays = self.solution
        self.alpha, self.g = <double *>arrays.at(0), <double *>arrays.at(1)
        self.target = <double *>arrays.at(2)
        self.zeros, self.zero_place = <int32_t *>arrays.at(3), <int32_t *>arrays.at(4)
        self.up, self.down, self.y = (
            <int8_t *>arrays.at(5), <int8_t *>arrays.at(6), <int8_t *>arrays.at(7))

    cdef void attach_samples(self) noexcept:
        """Take the addresses of the arrays of the samples."""
        cdef SlotArrays arrays = self.samples
        self.lower, self.upper = <double *>arrays.at(0), <double *>arrays.at(1)
        self.ridge, self.row_id = <double *>arrays.at(2), <int64_t *>arrays.at(3)
        self.bound, self.diag = <float *>arrays.at(4), <float *>arrays.at(5)
        self.index, self.free_slots = <int32_t *>arrays.at(6), <int32_t *>arrays.at(7)
        self.region, self.alive, self.origin = (
            <int8_t *>arrays.at(8), <int8_t *>arrays.at(9), <int8_t *>arrays.at(10))

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Allocate at least ``n`` slots."""
        if n > self.capacity:
            # With many problems each has few members, and would often be enlarged by a quarter.
            self.allocate(max(n, self.capacity + max(self.capacity // 4, SIMD_TILE)))
        return 0

    cdef int allocate(self, Py_ssize_t n) except -1:
        """Allocate ``n`` slots, in whole tiles; an error changes nothing that is used."""
        cdef Py_ssize_t capacity = round_up(n, SIMD_TILE)
        self.solution.reserve(capacity, self.n)
        self.attach_solution()
        self.samples.reserve(capacity, self.n)
        self.attach_samples()
        self.capacity = capacity
        return 0

    def __getitem__(self, str name):
        """Return the array ``name`` over the slots [0, n), valid until members are added."""
        return (self.solution if name in OF_SOLUTION else self.samples).view(name, self.n)

    def alpha_of(self, int64_t row_id, int8_t origin):
        """Return alpha of a sample, 0.0 if it is not in the support set."""
        cdef Py_ssize_t s
        for s in range(self.n - 1, -1, -1):
            if self.alive[s] and self.row_id[s] == row_id and self.origin[s] == origin:
                return self.alpha[s]
        return 0.0

    def state(self):
        """Return the arrays of `STORED`, the lists of free slots and zeros, and the counts."""
        return {
            **{name: self[name].copy() for name in STORED},
            "free_slots": self["free_slots"][:self.n_free].copy(),
            "zeros": self["zeros"][:self.n_zeros].copy(),
            "counts": np.array([self.n, self.n_members], dtype=np.int64),
        }

    def restore(self, state):
        """Restore a result of ``state``; no memory is allocated for fewer slots than before."""
        cdef Py_ssize_t s, p
        n, self.n_members = (int(count) for count in state["counts"])
        self.n = 0                      # nothing is copied
        if n > self.capacity:
            self.allocate(n)
        self.n, self.n_free, self.n_zeros = n, len(state["free_slots"]), len(state["zeros"])
        for name in STORED:
            self[name][:] = state[name]
        self["free_slots"][:self.n_free] = state["free_slots"]
        self["zeros"][:self.n_zeros] = state["zeros"]
        for s in range(self.n):
            self.alive[s] = 1
            self.bound[s] = _bound_of(self.lower[s], self.upper[s])
            self.set_flags(s)
        for p in range(self.n_free):
            self.alive[self.free_slots[p]] = 0
        for p in range(self.n_zeros):
            self.zero_place[self.zeros[p]] = <int32_t>p
        self.scan()

    cdef inline void set_flags(self, Py_ssize_t s) noexcept nogil:
        """Set whether alpha may increase and decrease."""
        self.up[s] = -1 if self.alpha[s] < self.upper[s] else 0
        self.down[s] = -1 if self.alpha[s] > self.lower[s] else 0

    # -------------------------------------------------------------------------- samples of X

    def track(self, known, places=None, first=range(0), second=range(0)):
        """Keep track of the samples of X; ``known``: int32 array of their slots or -1, or None.

        If ``places`` is given, the array is over those in the range ``first``, then ``second``.
        """
        self.places = NULL if places is None else <const int32_t *>address(places)
        self.places_array = places
        self.first, self.n_first = first.start, len(first)
        self.second, self.n_second = second.start, len(second)
        self.known = known
        self.slot_of_row = NULL if known is None else <int32_t *>address(known)
        self.n_known = 0 if known is None else len(known)

    cdef Py_ssize_t place_of(self, int64_t row_id) noexcept nogil:
        """Return the position of a sample of X in ``slot_of_row``; -1 for other samples."""
        cdef Py_ssize_t place
        if self.places == NULL:
            return row_id if 0 <= row_id < self.n_known else -1
        place = self.places[row_id] - self.first
        if 0 <= place < self.n_first:
            return place
        place = self.places[row_id] - self.second
        return self.n_first + place if 0 <= place < self.n_second else -1

    cdef bint knows(self, int64_t row_id, bint is_new) noexcept nogil:
        """Return whether a sample of X, or one of a stream that is not new, is a member."""
        cdef Py_ssize_t place
        if not self.n_known:
            return not is_new and self.holds(row_id)
        place = self.place_of(row_id)
        return place >= 0 and self.slot_of_row[place] >= 0

    cdef bint holds(self, int64_t row_id) noexcept nogil:
        """Return whether a sample of a stream is a member."""
        cdef Py_ssize_t s
        for s in range(self.n):
            if self.row_id[s] == row_id and self.alive[s] and self.origin[s] != MADE_UP:
                return True
        return False

    cdef void record(self, Py_ssize_t slot, int32_t at) noexcept nogil:
        """Record that the sample in ``slot``, if it is one of X, is now at slot ``at``."""
        cdef Py_ssize_t place
        if self.n_known and self.origin[slot] == OF_DATA:
            place = self.place_of(self.row_id[slot])
            if place >= 0:
                self.slot_of_row[place] = at

    # -------------------------------------------------------------------------- two sides

    def set_tube(self, epsilon):
        """Set the width of the tube to 2 epsilon; None: classification."""
        self.two_sided = epsilon is not None
        self.width = 2.0 * epsilon if self.two_sided else 0.0

    cdef double turn_box(self, Py_ssize_t slot) noexcept nogil:
        """Exchange the box for that of the other side of the tube; return the change of g.

        Target and g are left to the caller.
        """
        cdef double change = self.y[slot] * self.width
        self.y[slot] = -self.y[slot]
        self.mirror_box(slot)
        return change

    cdef void mirror_box(self, Py_ssize_t slot) noexcept nogil:
        """Exchange the box for that of the other side of 0."""
        cdef double upper = -self.lower[slot]
        self.lower[slot], self.upper[slot] = -self.upper[slot], upper
        self.bound[slot] = -self.bound[slot]

    cdef double turn(self, Py_ssize_t slot) noexcept nogil:
        """Turn a member at alpha = 0 to the other side of its tube.

        Returns the change of its g. The extremes are left to the caller.
        """
        cdef double change = self.turn_box(slot)
        self.target[slot] += change
        self.g[slot] += change
        self.up[slot] = -1 if self.upper[slot] > 0.0 else 0
        self.down[slot] = -1 if self.lower[slot] < 0.0 else 0
        return change

    cdef double turn_if_crossed(self, Py_ssize_t slot, double before) noexcept nogil:
        """Turn a member whose alpha, ``before`` a step, was not 0 and now is.

        The step may continue on the other side. Returns the change of g, 0 if there is none.
        """
        if self.two_sided and before != 0.0 and self.alpha[slot] == 0.0:
            return self.turn(slot)
        return 0.0

    cdef void turn_for_step(self, Py_ssize_t slot, bint rises) noexcept nogil:
        """Turn a member of which ``ends`` has found the other side."""
        if not (self.up[slot] if rises else self.down[slot]):
            self.turn(slot)

    def turn_to(self, slots, alpha):
        """Turn members to the side of the tube that their new ``alpha`` is on, if it is not 0.

        The caller sets boxes, alpha and g.
        """
        if not self.two_sided:
            return
        turned = slots[alpha * self["y"][slots] < 0.0]
        self["target"][turned] += self["y"][turned] * self.width
        self["y"][turned] *= -1

    def from_lower_side(self, slots, g):
        """Return gradients given for the lower side of the tube on the sides of the members."""
        return np.where(self["y"][slots] > 0, g, g + self.width)

    def to_lower_side(self, y, g):
        """Return gradients given for the sides ``y`` of the tube on its lower side."""
        return g - self.width * (y < 0)

    def losses(self, slack):
        """Return losses, given how much f lacks to a side of the tube of each sample."""
        return np.maximum(0.0, np.maximum(slack, -slack - self.width))

    cdef void take_sides(self, const int8_t *y) noexcept nogil:
        """Exchange the boxes of members whose side is another one in ``y``."""
        cdef Py_ssize_t s
        for s in range(self.n if self.two_sided else 0):
            if self.y[s] != y[s] and self.alive[s]:
                self.mirror_box(s)

    cdef bint has_both_sides(self) noexcept nogil:
        """Return whether some alpha may be positive, and some negative."""
        cdef Py_ssize_t s
        cdef bint rises = self.two_sided, falls = self.two_sided
        for s in range(self.n):
            rises |= self.upper[s] > 0.0
            falls |= self.lower[s] < 0.0
        return rises and falls

    cdef simd_extremes ends(self, Team team) noexcept nogil:
        """Return the extremes of g, where members at alpha = 0 count on both sides."""
        cdef Zeros zeros
        cdef Ends parts[TEAM_MOST]
        cdef Ends best
        cdef Py_ssize_t part, n_parts
        if not self.two_sided:
            return self.extremes
        zeros.n, zeros.n_slots, zeros.slots = self.n_zeros, self.n, self.zeros
        zeros.g, zeros.y = self.g, self.y
        zeros.width, zeros.start, zeros.ends = self.width, self.extremes, parts
        n_parts = n_parts_of_zeros(team, self.n, self.n_zeros)
        team.run(find_ends, &zeros, n_parts)
        best = parts[0]
        for part in range(1, n_parts):
            # If values are equal, the first member of the list wins, as in a single part.
            if parts[part].high >= 0 and (
                    best.high < 0 or parts[part].e.g_max > best.e.g_max
                    or parts[part].e.g_max == best.e.g_max and parts[part].high < best.high):
                best.e.g_max, best.e.i_max = parts[part].e.g_max, parts[part].e.i_max
                best.high = parts[part].high
            if parts[part].low >= 0 and (
                    best.low < 0 or parts[part].e.g_min < best.e.g_min
                    or parts[part].e.g_min == best.e.g_min and parts[part].low < best.low):
                best.e.g_min, best.e.j_min = parts[part].e.g_min, parts[part].e.j_min
                best.low = parts[part].low
        return best.e

    # -------------------------------------------------------------------------- changes

    cdef Py_ssize_t next_slot(self) noexcept nogil:
        """Return the slot that the next ``add`` fills."""
        return self.free_slots[self.n_free - 1] if self.n_free else self.n

    def rebox(self, slots, lower, upper, alpha):
        """Set boxes and alpha of members; the caller updates g and the extremes.

        With a two-sided loss the sides remain: alpha has no other sign than before.
        """
        cdef Py_ssize_t s
        cdef const int64_t[::1] members
        members = np.ascontiguousarray(slots, dtype=np.int64)
        if self.two_sided:
            lower = np.where(self["y"][slots] > 0, 0.0, lower)
            upper = np.where(self["y"][slots] > 0, upper, 0.0)
        self["lower"][slots], self["upper"][slots] = lower, upper
        for s in members:
            self.bound[s] = _bound_of(self.lower[s], self.upper[s])
        self["alpha"][slots] = alpha
        self["up"][slots] = -(alpha < upper).astype(np.int8)
        self["down"][slots] = -(alpha > lower).astype(np.int8)
        self.n_zeros = 0
        for s in members:
            if self.alpha[s] == 0.0:
                self.add_zero(s)

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
        self.ridge[slot] = row.ridge
        self.bound[slot] = _bound_of(row.lower, row.upper)
        self.g[slot] = g
        self.diag[slot] = diag
        self.index[slot] = index
        self.row_id[slot] = row.row_id
        self.alpha[slot] = 0.0
        self.up[slot] = -1 if row.upper > 0.0 else 0
        self.down[slot] = -1 if row.lower < 0.0 else 0
        self.add_zero(slot)
        self.record(slot, <int32_t>slot)

    cdef void remove(self, Py_ssize_t slot) noexcept nogil:
        """Free ``slot``. Its alpha must be 0, so no g changes."""
        self.record(slot, -1)
        self.remove_zero(slot)
        self.lower[slot] = self.upper[slot] = 0.0
        self.bound[slot] = 0.0
        self.up[slot] = self.down[slot] = 0
        self.alive[slot] = 0
        self.row_id[slot] = -1
        self.free_slots[self.n_free] = <int32_t>slot
        self.n_free += 1
        self.n_members -= 1

    cdef void add_zero(self, Py_ssize_t slot) noexcept nogil:
        self.zero_place[slot] = <int32_t>self.n_zeros
        self.zeros[self.n_zeros] = <int32_t>slot
        self.n_zeros += 1

    cdef void remove_zero(self, Py_ssize_t slot) noexcept nogil:
        cdef int32_t place = self.zero_place[slot]
        cdef int32_t last = self.zeros[self.n_zeros - 1]
        self.zeros[place] = last
        self.zero_place[last] = place
        self.n_zeros -= 1

    cdef void move(self, Py_ssize_t slot, double by) noexcept nogil:
        """Add ``by`` to alpha (see ``moved_alpha``)."""
        cdef double lower = self.lower[slot], upper = self.upper[slot]
        cdef double alpha = moved_alpha(self.alpha[slot], by, lower, upper)
        cdef bint was_zero = self.alpha[slot] == 0.0
        self.alpha[slot] = alpha
        self.up[slot] = -1 if alpha < upper else 0
        self.down[slot] = -1 if alpha > lower else 0
        if alpha == 0.0 and not was_zero:
            self.add_zero(slot)
        elif was_zero and alpha != 0.0:
            self.remove_zero(slot)

    cdef void merge(self, Py_ssize_t slot, Py_ssize_t into) noexcept nogil:
        """Add alpha and the box of a member to those of another; its own alpha becomes 0.

        The caller updates g.
        """
        cdef double alpha = self.alpha[slot]
        self.lower[into] += self.lower[slot]
        self.upper[into] += self.upper[slot]
        self.bound[into] = _bound_of(self.lower[into], self.upper[into])
        self.move(into, alpha)
        self.move(slot, -alpha)

    def mirror(self):
        """Exchange the two sides: alpha, g, targets and boxes change their sign."""
        cdef simd_extremes *e = &self.extremes
        for name in ("alpha", "g", "target", "bound", "y"):
            # A difference: -0.0 would differ from the 0.0 of a problem that began on this side.
            self[name][:] = 0 - self[name]
        self["lower"][:], self["upper"][:] = 0.0 - self["upper"], 0.0 - self["lower"]
        self["up"][:], self["down"][:] = self["down"].copy(), self["up"].copy()
        e.g_max, e.g_min = -e.g_min, -e.g_max
        e.i_max, e.j_min = e.j_min, e.i_max

    cdef void mark(self) noexcept nogil:
        """Recompute the flags and the list of zeros from alpha."""
        cdef Py_ssize_t s
        self.n_zeros = 0
        for s in range(self.n):
            self.set_flags(s)
            if self.alpha[s] == 0.0 and self.alive[s]:
                self.add_zero(s)

    cdef void update_extremes(self, Py_ssize_t s) noexcept nogil:
        """Update the extremes of g for a member that has been added; of equal ones the first."""
        cdef simd_extremes *e = &self.extremes
        cdef double g = self.g[s]
        if self.up[s] and (g > e.g_max or g == e.g_max and s < e.i_max):
            e.g_max, e.i_max = g, s
        if self.down[s] and (g < e.g_min or g == e.g_min and s < e.j_min):
            e.g_min, e.j_min = g, s

    cdef void scan(self) noexcept nogil:
        """Recompute the extremes of g."""
        cdef Py_ssize_t s
        cdef simd_extremes e            # local: the loop writes no memory
        e.g_max, e.g_min = -INFINITY, INFINITY
        e.i_max = e.j_min = -1
        for s in range(self.n):
            if self.up[s] and self.g[s] > e.g_max:
                e.g_max, e.i_max = self.g[s], s
            if self.down[s] and self.g[s] < e.g_min:
                e.g_min, e.j_min = self.g[s], s
        self.extremes = e
