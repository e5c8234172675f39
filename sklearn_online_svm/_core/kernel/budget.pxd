"""Limits on the support set of a problem, and the choice of the member to evict.

A member has alpha = 0, or it represents itself and, with its box, the samples that have been
merged into it. The choice uses the *neighbour* of each member: the nearest member in kernel space
on the same side. Neighbours follow from the support set alone; ``find_neighbour`` computes one,
and none of them is stored with a model.
"""
from libc.stdint cimport int32_t, int64_t

from .support_set cimport SupportSet


cdef class Budget:
    cdef readonly Py_ssize_t most       # largest size of the support set
    cdef readonly int64_t window_size       # samples after which a member is evicted
    cdef readonly double merge_cosine        # smallest cosine of two vectors that may be merged
    cdef readonly int64_t now           # samples processed so far
    # Members merged, and members with alpha other than 0 evicted as none could be merged.
    cdef readonly int64_t n_merged
    cdef readonly int64_t n_lost
    cdef int64_t *born                  # value of `now` when the member entered
    cdef int64_t least_born             # lower bound of `born` over the members
    cdef int32_t *neighbour             # a slot, NO_NEIGHBOUR, or UNKNOWN: not computed
    cdef double *distance               # squared, to the neighbour
    cdef double *cosine
    cdef Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef void enter(self, Py_ssize_t slot) noexcept nogil
    cdef void leave(self, Py_ssize_t slot, Py_ssize_t n) noexcept nogil
    cdef void find_neighbour(self, SupportSet members, Py_ssize_t slot,
                             const float *k) noexcept nogil
    # Each returns a slot, or -1: the next member without a computed neighbour; the member to evict
    # by each criterion.
    cdef Py_ssize_t next_without_neighbour(self, SupportSet members,
                                           Py_ssize_t first) noexcept nogil
    cdef Py_ssize_t outdated(self, SupportSet members) noexcept nogil
    cdef Py_ssize_t idle(self, SupportSet members, double b) noexcept nogil
    cdef Py_ssize_t mergeable(self, SupportSet members) noexcept nogil
    cdef Py_ssize_t oldest(self, SupportSet members) noexcept nogil
