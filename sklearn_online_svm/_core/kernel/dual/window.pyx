"""Sliding window over the samples of a problem; the contract is in the ``.pxd``."""
from libc.stdint cimport int64_t
from libc.stdlib cimport free

from ...memory cimport grown_buffer
from ..vectors.support_set cimport SupportSet

import numpy as np


cdef class Window:
    """Ages of the members of one problem.

    Parameters
    ----------
    size : int
        Number of samples after which a member is evicted. It can be changed.
    """
    def __init__(self, int64_t size):
        self.size = size

    def __dealloc__(self):
        free(self.born)

    def state(self, Py_ssize_t n):
        """Return the arrays that ``restore`` takes, of ``n`` slots."""
        return {
            "window_now": np.array([self.now], dtype=np.int64),
            "window_born": np.array([self.born[s] for s in range(n)], dtype=np.int64),
        }

    def restore(self, state, Py_ssize_t n):
        """Restore a result of ``state``."""
        cdef Py_ssize_t s
        cdef const int64_t[::1] born = state["window_born"]
        self.now, = state["window_now"].tolist()
        self.reserve(n)
        for s in range(n):
            self.born[s] = born[s]
        self.least_born = 0

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Allocate ``n`` slots; the age of new ones starts now."""
        cdef Py_ssize_t s, former = self.capacity
        if n <= former:
            return 0
        self.born = <int64_t *>grown_buffer(self.born, n * sizeof(int64_t))
        self.capacity = n
        for s in range(former, n):
            self.add(s)
        return 0

    cdef void add(self, Py_ssize_t slot) noexcept nogil:
        self.born[slot] = self.now

    cdef Py_ssize_t outdated(self, SupportSet members) noexcept nogil:
        cdef Py_ssize_t s, oldest = -1
        if self.now - self.least_born <= self.size:
            return -1
        for s in range(members.n):
            if members.alive[s] and (oldest < 0 or self.born[s] < self.born[oldest]):
                oldest = s
        if oldest < 0:
            return -1
        self.least_born = self.born[oldest]
        return oldest if self.now - self.least_born > self.size else -1
