"""Early stopping; the contract is in the ``.pxd``."""
from libc.math cimport fabs, fmax
from libc.stdint cimport int64_t

from ..memory cimport address
from .problem cimport Problem

import numpy as np


cdef class Stopping:
    cdef bint is_over(self, list problems, const double *scores):
        raise NotImplementedError(f"{type(self).__name__}.is_over")

    cdef void commit(self) noexcept nogil:
        pass

    def history(self):
        """Return the state, an array of int64."""
        return np.zeros(0, dtype=np.int64)

    def restore(self, history):
        """Restore a result of ``history``; None: the initial state."""


cdef class MarginExhausted(Stopping):
    """Stop when the last ``n_rows`` samples were outside the margin, in all problems.

    Outside: \\|f(x)\\| is at least the largest \\|f(x_s)\\| of a free support vector. Without a
    free support vector there is no margin.
    """
    cdef int64_t n_rows, n_outside, now

    def __init__(self, Py_ssize_t n_rows):
        self.n_rows, self.n_outside = n_rows, 0

    cdef bint is_over(self, list problems, const double *scores):
        self.now = self.n_outside + 1 if is_outside(problems, scores) else 0
        return self.now >= self.n_rows

    cdef void commit(self) noexcept nogil:
        self.n_outside = self.now

    def history(self):
        return np.array([self.n_outside], dtype=np.int64)

    def restore(self, history):
        self.n_outside = 0 if history is None else history[0]


cdef bint is_outside(list problems, const double *scores):
    """Return whether a sample with these decision values is outside all margins."""
    cdef Py_ssize_t c, s
    cdef Problem problem
    cdef double margin
    for c in range(len(problems)):
        problem = problems[c]
        margin = -1.0
        for s in range(problem.members.n):
            if problem.members.up[s] and problem.members.down[s]:
                margin = fmax(margin, fabs(
                    problem.members.target[s] - problem.members.g[s] + problem.b))
        if margin < 0.0 or fabs(scores[c]) < margin:
            return False
    return True


cdef class SupportStable(Stopping):
    """Stop when the number of support vectors is nearly constant.

    Criterion: over the last ``n_rows`` samples it grew by less than ``share * n_rows``, summed
    over all problems.
    """
    cdef Py_ssize_t n_rows, n_seen
    cdef double share
    cdef int64_t now
    cdef object counts_array            # ring buffer: count before sample t, at t % n_rows
    cdef int64_t *counts

    def __init__(self, Py_ssize_t n_rows, double share):
        self.n_rows, self.share = n_rows, share
        self.restore(None)

    cdef bint is_over(self, list problems, const double *scores):
        cdef Problem problem
        cdef Py_ssize_t s
        self.now = 0
        for problem in problems:
            for s in range(problem.members.n):
                self.now += problem.members.alpha[s] != 0.0
        if self.n_seen < self.n_rows:
            return False
        return self.now - self.counts[self.n_seen % self.n_rows] < self.share * self.n_rows

    cdef void commit(self) noexcept nogil:
        self.counts[self.n_seen % self.n_rows] = self.now
        self.n_seen += 1

    def history(self):
        n = min(self.n_seen, self.n_rows)
        return np.array([self.counts[t % self.n_rows]
                         for t in range(self.n_seen - n, self.n_seen)], dtype=np.int64)

    def restore(self, history):
        history = np.zeros(0, np.int64) if history is None else history
        counts = np.zeros(self.n_rows, dtype=np.int64)
        counts[:len(history)] = history
        self.counts_array, self.counts = counts, <int64_t *>address(counts)
        self.n_seen = len(history)
