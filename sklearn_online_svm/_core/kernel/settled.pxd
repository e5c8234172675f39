"""A second solution over the members of a problem: the one that decisions come from in a stream.

The online steps leave alpha on its way; between two rows a model with a large C can be far from
any optimum. So, when a decision is asked for, the problem is finished on the side: ``Settled``
holds its own alpha and g over the same slots. Rows that enter or leave later are entered here,
too, and the next decision goes on from there. What the stream does is not touched by any of it.

While ``swap`` has been called an odd number of times, the support set holds this solution and
``Settled`` that of the stream.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from ..simd.leaves cimport leaves_extremes
from .members cimport Members

# Of a problem: b, delta, tau; five sums of the gap-driven ones.
cdef enum:
    N_NUMBERS = 8
    N_FIELDS = 6            # arrays of a solution


cdef class Settled:
    cdef readonly bint live          # there is a solution, kept in step with the members
    cdef readonly int64_t at         # n_changes of the problem for which it is the optimum, or -1
    cdef double residual             # sum of the alpha that members took along when they left
    cdef Py_ssize_t n_entered        # members since it was the optimum
    cdef double numbers[N_NUMBERS]
    cdef leaves_extremes extremes
    cdef dict arrays
    cdef double *alpha
    cdef double *g
    cdef int8_t *up
    cdef int8_t *down
    cdef int32_t *zeros
    cdef int32_t *zero_place
    cdef Py_ssize_t n_zeros

    cdef int attach(self, dict arrays) except -1
    cdef Settled copy(self)
    cdef int begin(self, Members members) except -1
    cdef int reserve(self, Py_ssize_t capacity) except -1
    cdef int swap(self, Members members) except -1
    cdef void enter(self, Py_ssize_t slot, double g) noexcept nogil
    cdef void leave(self, Py_ssize_t slot, const float *row, Py_ssize_t n) noexcept nogil
    cdef void drop(self) noexcept nogil
