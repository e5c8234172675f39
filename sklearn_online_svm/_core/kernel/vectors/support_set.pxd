"""The support set of one binary problem; a *member* is a sample in it.

The problem is the dual of the support vector machine,

    max sum_s alpha[s] target[s] - 1/2 alpha' K alpha   s.t. lower[s] <= alpha[s] <= upper[s],

and ``g[s]`` is its gradient, target[s] - sum_j alpha[j] K[s, j], without the bias. Targets and
boxes are data. In classification the target is the label and the box lies on its side of 0, so
``alpha`` carries the sign of the label. ``y[s]`` is the side of the target on which the loss is 0:
with y = 1 the loss penalizes values of f below the target, with y = -1 values above. The box lies
on the same side of 0, except for a sample on the flat part of a ramp loss. ``up[s]`` and
``down[s]`` are -1 (all bits set) while alpha may increase or decrease, else 0.

In regression the loss is 0 in a tube of ``width`` 2 epsilon, and alpha may have either sign
(``two_sided``). A member has one side at a time: with y = 1 the target is the lower end of the
tube and the box is [0, C], with y = -1 the upper end and [-C, 0]. At alpha = 0 it may be turned to
the other side, where its gradient is ``other_g``.

A squared loss adds ``ridge[s]`` alpha[s]^2 / 2 to the objective. It is part of ``diag[s]``, and of
the kernel row of the member.

``alive[s]`` is 1 for a member and 0 for a free slot. A free slot has an empty box and alpha = 0,
so that loops over the slots need no mask; its other values are undefined. ``row_id[s]`` identifies
the sample and ``origin[s]`` says what kind of identifier it is; identifiers are unique within an
origin.

Slots are numbered [0, n). ``index[s]`` is the slot of the vector in the vector store, or -(q + 1)
while the vector is still sample q of the current block.
"""
from libc.math cimport INFINITY, fmax, fmin
from libc.stdint cimport int8_t, int32_t, int64_t

from ...simd.primitives cimport simd_extremes
from ...threads.team cimport Team
from .slot_arrays cimport SlotArrays


# Origin of a sample: what its identifier counts.
cdef enum:
    OF_DATA = 0             # a sample of the X passed to `fit`
    OF_STREAM = 1           # a sample of a stream
    MADE_UP = 2             # a synthetic sample
    N_ORIGINS = 3


# A sample to be added. Its box contains 0; one end of it is 0.
cdef struct Example:
    Py_ssize_t place        # number in the current block, -1: needs no kernel values
    double target
    double ridge
    int8_t y
    int8_t origin
    int8_t region           # region of the ramp loss at arrival, -1: unknown
    bint is_new             # False: it has been visited before, and may be a member
    double lower
    double upper
    int64_t row_id


cdef class SupportSet:
    cdef readonly Py_ssize_t n           # slots in use or free
    cdef readonly Py_ssize_t n_members
    cdef readonly Py_ssize_t capacity
    cdef readonly simd_extremes extremes
    cdef readonly bint two_sided         # regression: members are on a side of their tube
    cdef double width                    # of the tube; 0 in classification
    cdef double *alpha
    cdef double *g
    cdef double *target
    cdef double *lower
    cdef double *upper
    cdef double *ridge
    cdef float *bound           # the nonzero end of the box in float32; used for the gap
    cdef float *diag
    cdef int8_t *y
    cdef int8_t *region
    cdef int8_t *up
    cdef int8_t *down
    cdef int8_t *alive
    cdef int8_t *origin
    cdef int32_t *index
    cdef int64_t *row_id
    # Free slots, used as a stack; slots with alpha = 0, the candidates for eviction.
    cdef int32_t *free_slots
    cdef Py_ssize_t n_free
    cdef int32_t *zeros
    cdef int32_t *zero_place
    cdef Py_ssize_t n_zeros
    cdef SlotArrays solution    # the memory of these arrays
    cdef SlotArrays samples
    # Slot of each sample of X, or -1; set only during epochs over X. A pair of classes has only
    # those of its samples: ``places`` are positions of all samples in an order by class, in which
    # the samples of the pair are two ranges.
    cdef object known
    cdef int32_t *slot_of_row
    cdef Py_ssize_t n_known
    cdef object places_array
    cdef const int32_t *places      # or NULL: all samples, in the order of X
    cdef Py_ssize_t first, n_first, second, n_second

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef int allocate(self, Py_ssize_t n) except -1
    cdef void attach_solution(self) noexcept
    cdef void attach_samples(self) noexcept
    cdef void set_flags(self, Py_ssize_t s) noexcept nogil
    cdef Py_ssize_t place_of(self, int64_t row_id) noexcept nogil
    cdef bint knows(self, int64_t row_id, bint is_new) noexcept nogil
    cdef bint holds(self, int64_t row_id) noexcept nogil
    cdef void record(self, Py_ssize_t slot, int32_t at) noexcept nogil
    cdef Py_ssize_t next_slot(self) noexcept nogil
    cdef void add(self, Py_ssize_t slot, const Example *row, double g, float diag,
                  int32_t index) noexcept nogil
    cdef void remove(self, Py_ssize_t slot) noexcept nogil
    cdef void add_zero(self, Py_ssize_t slot) noexcept nogil
    cdef void remove_zero(self, Py_ssize_t slot) noexcept nogil
    cdef void move(self, Py_ssize_t slot, double by) noexcept nogil
    cdef void mirror_box(self, Py_ssize_t slot) noexcept nogil
    cdef double turn_box(self, Py_ssize_t slot) noexcept nogil
    cdef double turn(self, Py_ssize_t slot) noexcept nogil
    cdef double turn_if_crossed(self, Py_ssize_t slot, double before) noexcept nogil
    cdef void turn_for_step(self, Py_ssize_t slot, bint rises) noexcept nogil
    cdef void take_sides(self, const int8_t *y) noexcept nogil
    cdef bint has_both_sides(self) noexcept nogil
    cdef simd_extremes ends(self, Team team) noexcept nogil
    cdef void merge(self, Py_ssize_t slot, Py_ssize_t into) noexcept nogil
    cdef void mark(self) noexcept nogil
    cdef void update_extremes(self, Py_ssize_t s) noexcept nogil
    cdef void scan(self) noexcept nogil


cdef double moved_alpha(double alpha, double by, double lower, double upper) noexcept nogil


cdef inline double other_g(SupportSet members, Py_ssize_t slot) noexcept nogil:
    """Return the gradient that a member has on the other side of its tube."""
    return members.g[slot] + members.y[slot] * members.width


cdef inline bint may_step_on_other_side(SupportSet members, Py_ssize_t slot,
                                        const simd_extremes *e) noexcept nogil:
    """Return whether a member at alpha = 0 violates, or is an extreme, on its other side."""
    cdef double g = other_g(members, slot)
    return members.two_sided and (
        g < e.g_max or g <= e.g_min if members.y[slot] > 0 else g > e.g_min or g >= e.g_max)


cdef inline double distance_of(SupportSet members, Py_ssize_t slot,
                               const simd_extremes *e) noexcept nogil:
    """Return by how much g of a member at alpha = 0 may change before it violates on any side."""
    cdef double g = members.g[slot], other = other_g(members, slot)
    cdef bint rises = members.lower[slot] == 0.0
    cdef double distance = e.g_min - g if rises else g - e.g_max
    if members.two_sided:
        distance = fmin(distance, other - e.g_max if rises else e.g_min - other)
    return distance


cdef inline double inward_g(SupportSet members, Py_ssize_t slot) noexcept nogil:
    """Return the gradient of \\|alpha\\| of a member at alpha = 0, the larger one of its sides."""
    cdef double g = members.g[slot] if members.upper[slot] > 0.0 else -members.g[slot]
    return fmax(g, -g - members.width) if members.two_sided else g


cdef inline double tube_tolerance(SupportSet members) noexcept nogil:
    """Return the largest tolerance that is small compared with the tube."""
    return 0.125 * members.width if members.two_sided else INFINITY


# These are for new samples, which begin on the lower side of their tube, if there is one.

cdef inline double falling_g(SupportSet members, const Example *row, double g) noexcept nogil:
    """Return the gradient of a new sample where its alpha may decrease; nowhere: INFINITY."""
    if row.lower < 0.0:
        return g
    return g + members.width if members.two_sided else INFINITY


cdef inline void turn_example(SupportSet members, Example *row) noexcept nogil:
    """Turn a sample with a two-sided loss to the other side of its tube."""
    cdef double upper = -row.lower
    row.target += row.y * members.width
    row.y = -row.y
    row.lower, row.upper = -row.upper, upper


cdef inline void turn_to_alpha(SupportSet members, Example *row, double alpha) noexcept nogil:
    """Turn a sample to the side of its tube, if there is one, that ``alpha`` is on."""
    if members.two_sided and alpha < 0.0:
        turn_example(members, row)


cdef inline double turn_to_f(SupportSet members, Example *row, double g) noexcept nogil:
    """Turn a sample to the side of its tube, if there is one, nearer to f; return its g there."""
    if members.two_sided and 2.0 * g + members.width < 0.0:
        turn_example(members, row)
        g += members.width
    return g
