"""The optimized solution: a second solution over the support set, for predictions in a stream.

Online steps do not solve the problem: between two samples, a model with a large C can be far from
the optimum. So predictions use a second solution, which is optimized over the support set.
It has its own alpha and g over the same slots. Later additions and evictions are applied to it
too, so that the next optimization starts near the optimum. The online solution is not affected.

After an odd number of calls of ``swap``, the support set holds the optimized solution and
``OptimizedSolution`` the online one.
"""
from libc.stdint cimport int8_t, int64_t

from ...simd.primitives cimport simd_extremes
from ..vectors.slot_arrays cimport SlotArrays
from ..vectors.support_set cimport Example, SupportSet

# Scalars of a solution: b, delta, tau; five sums of gap-driven problems.
cdef enum:
    N_NUMBERS = 8


cdef class OptimizedSolution:
    cdef readonly bint live          # there is such a solution, kept in step with the support set
    cdef readonly int64_t at         # n_changes of the problem at which it is optimal, or -1
    cdef double residual             # sum of the alphas of evicted members
    cdef Py_ssize_t n_added        # members added since it was optimal
    cdef double numbers[N_NUMBERS]
    cdef simd_extremes extremes
    cdef SlotArrays arrays      # None if there has never been one
    cdef double *alpha
    cdef double *g
    cdef int8_t *y
    cdef double *target
    cdef Py_ssize_t n_zeros

    cdef void attach(self) noexcept
    cdef OptimizedSolution copy(self)
    cdef int begin(self, SupportSet members) except -1
    cdef int restore(self, state, SupportSet members) except -1
    cdef int reserve(self, Py_ssize_t capacity) except -1
    cdef void swap(self, SupportSet members) noexcept
    cdef void add(self, Py_ssize_t slot, const Example *row, double g) noexcept nogil
    cdef void remove(self, Py_ssize_t slot, const float *row, Py_ssize_t n) noexcept nogil
    cdef void discard(self) noexcept nogil
