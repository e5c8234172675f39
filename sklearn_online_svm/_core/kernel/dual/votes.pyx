"""Majority vote of all functions of a stream; the contract is in the ``.pxd``.

Each function is the one before it plus a step, so all functions are given by the list of steps:
their values for a sample are running sums over the list. A function has as many votes as samples
were processed while it was current, including the sample on which the step was made. Entries of
the list never change.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

from ...interrupts cimport check_interrupts
from ...memory cimport address, grown, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE
from ..vectors.block cimport check_norms
from ..vectors.stores cimport Block, Store

import numpy as np


@cython.final
cdef class Votes:
    """The list of steps, in order.

    ``joint``: whether each function votes for the class of its largest value; otherwise it votes
    for a sign in each problem.
    """

    def __init__(self, Py_ssize_t n_problems, bint joint):
        self.n_problems, self.joint = n_problems, joint
        self.slots_array = np.zeros(0, dtype=np.int32)
        self.problems_array = np.zeros(0, dtype=np.int32)
        self.lengths_array = np.zeros(0)
        self.rows_array = np.zeros(0, dtype=np.int64)

    cdef int reserve(self, Py_ssize_t n_more) except -1:
        cdef Py_ssize_t capacity = self.n + n_more
        if capacity <= self.capacity:
            return 0
        capacity = max(capacity, self.capacity + self.capacity // 2)
        arrays = [grown(array, capacity) for array in (
            self.slots_array, self.problems_array, self.lengths_array, self.rows_array)]
        self.slots_array, self.problems_array, self.lengths_array, self.rows_array = arrays
        self.slots, self.problems = <int32_t *>address(arrays[0]), <int32_t *>address(arrays[1])
        self.lengths, self.rows = <double *>address(arrays[2]), <int64_t *>address(arrays[3])
        self.capacity = capacity
        return 0

    cdef void record(self, int32_t slot, int32_t problem, double length,
                     int64_t row) noexcept nogil:
        """Append a step; memory has been reserved."""
        self.slots[self.n], self.problems[self.n] = slot, problem
        self.lengths[self.n], self.rows[self.n] = length, row
        self.n += 1

    cdef Votes shown(self, int64_t n_rows):
        """Return a view of the steps so far, after ``n_rows`` samples; more may be appended."""
        cdef Votes votes = Votes.__new__(Votes)
        votes.joint, votes.n_problems, votes.n = self.joint, self.n_problems, self.n
        votes.n_rows = n_rows
        votes.slots_array, votes.problems_array = self.slots_array, self.problems_array
        votes.lengths_array, votes.rows_array = self.lengths_array, self.rows_array
        votes.slots, votes.problems = self.slots, self.problems
        votes.lengths, votes.rows = self.lengths, self.rows
        return votes

    cdef int decide(self, X, Store store, double[:, ::1] out) except -1:
        """Compute out[i, c]: the share of votes or, per problem, votes for minus votes against."""
        cdef Py_ssize_t at, r, size, n = out.shape[0], ld = round_up(store.n_slots, SIMD_TILE)
        cdef int64_t rows[SIMD_BLOCK]
        cdef Block fresh = store.new_block()
        cdef float[::1] values = np.zeros(SIMD_BLOCK * ld + 1, dtype=np.float32)
        cdef double[::1] f = np.zeros(self.n_problems)
        cdef int64_t[::1] since = np.zeros(self.n_problems, dtype=np.int64)
        for at in range(0, n, SIMD_BLOCK):
            size = min(SIMD_BLOCK, n - at)
            for r in range(size):
                rows[r] = at + r
            store.load(fresh, X, rows, size)
            check_norms(store, fresh, rows)
            with nogil:
                store.values(fresh, 0, ld, &values[0], ld)
                for r in range(size):
                    if self.joint:
                        self.count_jointly(&values[r * ld], &f[0], &out[at + r, 0])
                    else:
                        self.count(&values[r * ld], &f[0], &since[0], &out[at + r, 0])
            store.raise_errors()
            check_interrupts()
        return 0

    cdef void count(self, const float *k, double *f, int64_t *since, double *out) noexcept nogil:
        """Count the votes on one sample, per problem."""
        cdef Py_ssize_t e
        cdef int32_t c
        for c in range(<int32_t>self.n_problems):
            f[c] = out[c] = 0.0
            since[c] = 0
        for e in range(self.n):
            c = self.problems[e]
            out[c] += <double>(self.rows[e] - since[c]) * _sign(f[c])
            since[c] = self.rows[e]
            f[c] += self.lengths[e] * k[self.slots[e]]
        for c in range(<int32_t>self.n_problems):
            out[c] += <double>(self.n_rows - since[c]) * _sign(f[c])
            out[c] /= max(1, self.n_rows)

    cdef void count_jointly(self, const float *k, double *f, double *out) noexcept nogil:
        """Count the votes on one sample, for classes."""
        cdef Py_ssize_t e
        cdef int32_t c
        cdef int64_t since = 0
        for c in range(<int32_t>self.n_problems):
            f[c] = out[c] = 0.0
        for e in range(self.n):
            if e and self.rows[e] != since:
                out[_largest(f, self.n_problems)] += <double>(self.rows[e] - since)
            since = self.rows[e]
            f[self.problems[e]] += self.lengths[e] * k[self.slots[e]]
        if self.n:
            out[_largest(f, self.n_problems)] += <double>(self.n_rows - since)
        for c in range(<int32_t>self.n_problems):
            out[c] /= max(1, self.n_rows)

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return copies of all arrays."""
        return {
            "slots": self.slots_array[:self.n].copy(),
            "problems": self.problems_array[:self.n].copy(),
            "lengths": self.lengths_array[:self.n].copy(),
            "rows": self.rows_array[:self.n].copy(),
        }

    def restore(self, state):
        """Restore a result of ``state``."""
        self.reserve(len(state["slots"]))
        for array, name in ((self.slots_array, "slots"), (self.problems_array, "problems"),
                            (self.lengths_array, "lengths"), (self.rows_array, "rows")):
            array[:len(state[name])] = state[name]
        self.n = len(state["slots"])


cdef inline double _sign(double f) noexcept nogil:
    return <double>((f > 0.0) - (f < 0.0))


cdef inline int32_t _largest(const double *f, Py_ssize_t n) noexcept nogil:
    """Return the index of the largest value; on a tie the first."""
    cdef int32_t c, best = 0
    for c in range(1, <int32_t>n):
        if f[c] > f[best]:
            best = c
    return best
