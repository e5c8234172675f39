"""The block of rows behind the one that is learnt: loaded and scored ahead of its turn."""
from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int32_t, int64_t

from .fresh_rows cimport FreshRows


cdef class Ahead:
    """Threads score a block against the store as it stands, while another is learnt.

    What that one brings into the store is filled in afterwards, so that all values are there, the
    same to the last bit as if they had been computed in their turn."""
    cdef FreshRows fresh
    cdef Py_ssize_t begin           # their place in the order of visiting, -1: there are none
    cdef Py_ssize_t next_slot       # what has not been taken by a thread
    cdef Py_ssize_t last_slot
    cdef Py_ssize_t part            # slots that are taken at a time
    cdef bint is_open               # threads may take parts
    cdef int64_t turn
    cdef int n_working              # threads at work; who ends the turn waits for the last of them
    cdef bint is_awaited
    cdef PyThread_type_lock done

    cdef int start(self, executor) except -1
    cdef void score_parts(self) noexcept
    cdef void stop(self, bint whole) noexcept
    cdef int fill_in(self, const int32_t *slots, Py_ssize_t n) except -1
