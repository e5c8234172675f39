"""Members of one binary problem: the rows it keeps.

The dual is ``max sum_s alpha[s] target[s] - 1/2 alpha' K alpha`` within the boxes
``[lower[s], upper[s]]``, and ``g[s] = target[s] - sum_j alpha[j] K[s, j]`` its gradient, bias
excluded. Targets and boxes are data. In classification the target is the label, and the box lies
on its side of 0, so ``alpha`` carries the sign of the label. ``y[s]`` is the side on which f is to
be: with y = 1 it costs to lie below the target, with y = -1 above. A box lies on that side of 0,
but for the one of a ramp loss beyond its ramp. ``up[s]`` and ``down[s]`` are -1 (all bits) while
alpha may still rise or fall, else 0.

``alive[s]`` is 1 for a member, 0 for a free slot. That one has an empty box and alpha 0, so no
mask is needed in any loop over memory; its other numbers mean nothing. ``row_id[s]`` says which
row a member is, ``origin[s]`` of what: no two members of one origin have the same number.

Slots are numbered [0, n). ``index[s]`` is the place of the vector in the store, or ``-(q + 1)``
while the vector is still row q of the block being learnt.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from ..simd.leaves cimport leaves_extremes


# Where a member comes from, and what its number counts.
cdef enum:
    OF_DATA = 0             # a row of the X that `fit` was given
    OF_STREAM = 1           # a row of a stream
    MADE_UP = 2             # a row that nobody has observed
    N_ORIGINS = 3


# A row on its way into the set. Its box holds 0; one end of it is 0.
cdef struct Example:
    Py_ssize_t place        # number in the block being learnt, -1: needs no kernel values
    double target
    int8_t y
    int8_t origin
    int8_t region           # a mark that the set keeps for the owner
    double lower
    double upper
    int64_t row_id


cdef class Members:
    cdef readonly Py_ssize_t n           # slots ever used
    cdef readonly Py_ssize_t n_members
    cdef readonly Py_ssize_t capacity
    cdef readonly leaves_extremes extremes
    cdef double *alpha
    cdef double *g
    cdef double *target
    cdef double *lower
    cdef double *upper
    cdef float *bound           # the end of the box that is not 0, rounded: what steers the gap
    cdef float *diag
    cdef int8_t *y
    cdef int8_t *region
    cdef int8_t *up
    cdef int8_t *down
    cdef int8_t *alive
    cdef int8_t *origin
    cdef int32_t *index
    cdef int64_t *row_id
    # Free slots, last freed first out; slots with alpha = 0, the candidates for eviction.
    cdef int32_t *free_slots
    cdef Py_ssize_t n_free
    cdef int32_t *zeros
    cdef int32_t *zero_place
    cdef Py_ssize_t n_zeros
    cdef dict arrays
    cdef bint owned             # the arrays may be written, no one else reads them

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef int attach(self, dict arrays) except -1
    cdef Py_ssize_t first_fault(self, Py_ssize_t n, Py_ssize_t n_stored, bint identity,
                                Py_ssize_t n_loaded, int *fault) noexcept nogil
    cdef int check_lists(self, state, Py_ssize_t n) except -1
    cdef Py_ssize_t next_slot(self) noexcept nogil
    cdef void add(self, Py_ssize_t slot, const Example *row, double g, float diag,
                  int32_t index) noexcept nogil
    cdef void remove(self, Py_ssize_t slot) noexcept nogil
    cdef void enter_zeros(self, Py_ssize_t slot) noexcept nogil
    cdef void leave_zeros(self, Py_ssize_t slot) noexcept nogil
    cdef void widen(self, Py_ssize_t slot, double lower, double upper) noexcept nogil
    cdef void move(self, Py_ssize_t slot, double by) noexcept nogil
    cdef void mark(self) noexcept nogil
    cdef void scan(self) noexcept nogil
