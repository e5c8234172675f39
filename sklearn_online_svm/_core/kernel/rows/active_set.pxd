"""The active slots of a problem during ``finish``: the rest of shrinking, or a working set.

Holds copies of g, diag and the flags over these slots, and kernel rows restricted to them. alpha
and the flags of the support set are always current; its g is current only for the slots listed
here, and only after ``write_back``.
"""
from libc.stdint cimport int8_t, int32_t

from ...simd.primitives cimport simd_extremes
from ...threads.team cimport Team
from ..vectors.support_set cimport SupportSet


# The slots that a step of finish works on: all slots of a problem, or the active ones.
cdef struct Front:
    Py_ssize_t n
    const int32_t *slots     # NULL: all slots
    double *g
    const float *diag
    int8_t *up
    int8_t *down
    simd_extremes *extremes


cdef class ActiveSet:
    cdef bint shrunk            # whether not all slots are active
    cdef bint chosen            # they are a working set, whose rows are not cached here
    cdef double goal            # violation up to which steps are made on a working set
    cdef object former          # slots of the latest working set, or None
    cdef Py_ssize_t m
    cdef int32_t *slots
    cdef int32_t *kept          # positions, among the m, of the slots that remain active
    cdef double *g
    cdef float *diag
    cdef int8_t *up
    cdef int8_t *down
    cdef float **rows           # kernel rows over the m slots, NULL: not cached
    cdef Py_ssize_t n_rows
    cdef Py_ssize_t max_bytes   # limit for rows
    cdef double *old_alpha      # alpha of every slot when shrinking began
    cdef simd_extremes extremes

    cdef Front front(self, SupportSet members) noexcept nogil
    cdef int shrink(self, Team team, SupportSet members, double low, double high) noexcept nogil
    cdef const float *row(self, Py_ssize_t q) noexcept nogil
    cdef const float *keep_row(self, Team team, Py_ssize_t q, const float *row,
                               Py_ssize_t pinned) noexcept nogil
    cdef int choose(self, Team team, SupportSet members, slots, double goal) except -1
    cdef int restore(self, SupportSet members, state) except -1
    cdef int take(self, SupportSet members, slots) except -1
    cdef int begin(self, SupportSet members) noexcept nogil
    cdef void write_back(self, SupportSet members) noexcept nogil
    cdef void forget(self) noexcept nogil
