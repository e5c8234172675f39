"""Members of one binary problem: the rows it keeps.

``alpha`` is signed: it carries the sign of y. ``g[s] = y[s] - sum_j alpha[j] K[s, j]``, bias
excluded. The box of slot s is ``[lower[s], upper[s]]``; ``up[s]`` and ``down[s]`` are -1 (all
bits) while alpha may still rise or fall, else 0. A free slot has an empty box and alpha 0, so no
mask is needed anywhere; its other numbers mean nothing.

Slots are numbered [0, n). ``index[s]`` is the place of the vector in the store, or ``-(q + 1)``
while the vector is still row q of the block being learnt.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from ..simd.leaves cimport leaves_extremes


# A row on its way into the set. Its box holds 0; one end of it is 0.
cdef struct Example:
    Py_ssize_t place        # number in the block being learnt, -1: needs no kernel values
    int8_t y
    int8_t region           # a mark that the set keeps for the owner
    double lower
    double upper
    int64_t row_id          # lasting number


cdef class Members:
    cdef readonly Py_ssize_t n           # slots ever used
    cdef readonly Py_ssize_t n_members
    cdef readonly Py_ssize_t capacity
    cdef readonly leaves_extremes extremes
    cdef double *alpha
    cdef double *g
    cdef double *lower
    cdef double *upper
    cdef float *bound           # the end of the box that is not 0, rounded: what steers the gap
    cdef float *diag
    cdef int8_t *y
    cdef int8_t *region
    cdef int8_t *up
    cdef int8_t *down
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
    cdef void move(self, Py_ssize_t slot, double by) noexcept nogil
    cdef void mark(self) noexcept nogil
    cdef void scan(self) noexcept nogil
