"""The slots of a problem that may still move while it is being finished (shrinking).

Copies of g, diag and the flags over those slots, and kernel rows over them. The support set's own
alpha and flags are always current; its g is not, except for slots listed here once ``g`` is
written back.
"""
from libc.stdint cimport int8_t, int32_t

from ..simd.leaves cimport leaves_extremes
from .members cimport Members


# What a step of finishing works on: all slots of a problem, or the active ones.
cdef struct Front:
    Py_ssize_t n
    const int32_t *slots     # NULL: all, in their order
    double *g
    const float *diag
    int8_t *up
    int8_t *down
    leaves_extremes *extremes


cdef class ActiveSet:
    cdef bint shrunk
    cdef Py_ssize_t m
    cdef int32_t *slots
    cdef int32_t *kept          # numbers, among the m, of those that stay when it shrinks again
    cdef double *g
    cdef float *diag
    cdef int8_t *up
    cdef int8_t *down
    cdef float **rows           # kernel rows over the m slots, NULL until wanted
    cdef Py_ssize_t n_rows
    cdef Py_ssize_t max_bytes   # for rows
    cdef double *old_alpha      # alpha of every slot when shrinking began
    cdef leaves_extremes extremes

    cdef Front front(self, Members members) noexcept nogil
    cdef int shrink(self, Members members, double low, double high) noexcept nogil
    cdef const float *row(self, Py_ssize_t q) noexcept nogil
    cdef const float *keep_row(self, Py_ssize_t q, const float *row,
                               Py_ssize_t pinned) noexcept nogil
    cdef int restore(self, Members members, state) except -1
    cdef int begin(self, Members members) noexcept nogil
    cdef void write_back(self, Members members) noexcept nogil
    cdef void forget(self) noexcept nogil
