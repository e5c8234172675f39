"""Sliding window and budget of a problem; the contract is in the ``.pxd``."""
from libc.math cimport fabs
from libc.stdint cimport int64_t
from libc.stdlib cimport free

from ...memory cimport grown_buffer
from ..vectors.support_set cimport SupportSet

import numpy as np


cdef class Eviction:
    """Limits of the members of one problem, and their ages.

    Both limits can be changed; with a new window all members begin at age 0.
    """
    def __dealloc__(self):
        free(self.born)

    def limit(self, window, Py_ssize_t budget):
        """Set the limits; ``window`` is None without one."""
        if not self.window:
            self.now = self.least_born = self.capacity = 0
        self.window, self.budget = window or 0, budget

    def arrivals(self, Py_ssize_t n):
        """Return for each of ``n`` slots the number of samples before; 0 without a window."""
        return np.array([self.born[s] if self.window else 0 for s in range(n)], dtype=np.int64)

    def state(self, born):
        """Return the arrays that ``restore`` takes, for such ``arrivals``."""
        if not self.window:
            return {}
        return {"window_now": np.array([self.now], dtype=np.int64), "window_born": born}

    def restore(self, state):
        """Restore a result of ``state``."""
        cdef Py_ssize_t s
        cdef const int64_t[::1] born = state.get("window_born", np.zeros(0, dtype=np.int64))
        self.now, = state.get("window_now", np.zeros(1, dtype=np.int64)).tolist()
        self.reserve(born.shape[0])
        for s in range(born.shape[0]):
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
        if not self.window or self.now - self.least_born <= self.window:
            return -1
        for s in range(members.n):
            if members.alive[s] and (oldest < 0 or self.born[s] < self.born[oldest]):
                oldest = s
        if oldest < 0:
            return -1
        self.least_born = self.born[oldest]
        return oldest if self.now - self.least_born > self.window else -1

    cdef Py_ssize_t least(self, SupportSet members) noexcept nogil:
        cdef Py_ssize_t s, least = -1
        if not self.budget or members.n_members <= self.budget:
            return -1
        if members.n_zeros:
            return members.zeros[0]
        for s in range(members.n):
            if members.alive[s] and (
                    least < 0 or fabs(members.alpha[s]) < fabs(members.alpha[least])):
                least = s
        return least
