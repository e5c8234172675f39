"""Prefetch of the next block of samples, while the current one is processed."""
from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int32_t, int64_t

from .block cimport SampleBlock


cdef class Prefetch:
    """Threads compute kernel values of the next block while the current one is processed.

    Values against vectors that the current block adds to the store are computed afterwards, so
    that all values are identical to those computed without prefetch.
    """
    cdef SampleBlock fresh
    cdef Py_ssize_t begin           # position of the block in the order of visiting, -1: no block
    cdef Py_ssize_t next_slot       # next slot not yet taken by a thread
    cdef Py_ssize_t last_slot
    cdef Py_ssize_t part            # number of slots that a thread takes at a time
    cdef bint is_open               # whether threads may take parts
    cdef int64_t turn
    cdef int n_working              # threads at work; `stop` waits for them
    cdef bint is_awaited
    cdef PyThread_type_lock done

    cdef int start(self, executor) except -1
    cdef void score_parts(self) noexcept
    cdef void stop(self, bint whole) noexcept
    cdef int fill_in(self, const int32_t *slots, Py_ssize_t n) except -1
