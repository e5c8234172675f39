"""Limits of a support set: which members are evicted after a sample.

A window evicts those that are older than a number of samples, a budget those of smallest alpha
beyond a number of members.
"""
from libc.stdint cimport int64_t

from ..vectors.support_set cimport SupportSet


cdef class Eviction:
    cdef readonly int64_t window        # number of samples; 0: no limit
    cdef readonly Py_ssize_t budget     # number of members; 0: no limit
    cdef int64_t now                    # samples processed so far
    cdef int64_t *born                  # value of `now` when the member was added
    cdef int64_t least_born             # lower bound of `born` over the members
    cdef Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef void add(self, Py_ssize_t slot) noexcept nogil
    # Return the oldest member if it is older than the window, or -1.
    cdef Py_ssize_t outdated(self, SupportSet members) noexcept nogil
    # Return the member of smallest |alpha| if there are more than the budget, or -1.
    cdef Py_ssize_t least(self, SupportSet members) noexcept nogil
