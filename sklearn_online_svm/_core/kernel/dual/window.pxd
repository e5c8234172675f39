"""Sliding window: members of a support set are evicted after a number of samples."""
from libc.stdint cimport int64_t

from ..vectors.support_set cimport SupportSet


cdef class Window:
    cdef public int64_t size            # number of samples
    cdef readonly int64_t now           # samples processed so far
    cdef int64_t *born                  # value of `now` when the member was added
    cdef int64_t least_born             # lower bound of `born` over the members
    cdef Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef void add(self, Py_ssize_t slot) noexcept nogil
    # Return a member older than the window, or -1.
    cdef Py_ssize_t outdated(self, SupportSet members) noexcept nogil
