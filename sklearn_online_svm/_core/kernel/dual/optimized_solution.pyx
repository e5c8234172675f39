"""A second, optimized solution over the support set; the contract is in the ``.pxd``."""
from libc.stdint cimport int8_t

cimport cython

from ...simd.primitives cimport simd_extremes, table
from ..vectors.slot_arrays cimport SlotArrays
from ..vectors.support_set cimport Example, SupportSet

import numpy as np

# The arrays that are stored. Flags and zeros are recomputed from alpha before it is optimized.
STORED = ("alpha", "g", "y", "target")


@cython.final
cdef class OptimizedSolution:
    def __init__(self):
        self.at = -1

    def __getitem__(self, str name):
        return self.arrays.view(name, self.arrays.capacity)

    @property
    def b(self):
        """The bias."""
        return self.numbers[0]

    def state(self, Py_ssize_t n):
        """Return arrays over the first ``n`` slots, and scalars; the rest follows from them."""
        return {
            **{f"optimized_{name}": self[name][:n].copy() for name in STORED},
            "optimized_numbers": np.array(list(self.numbers) + [self.residual]),
            "optimized_counts": np.array([self.at, self.n_added], dtype=np.int64),
        }

    cdef int restore(self, state, SupportSet members) except -1:
        """Restore a result of ``state``, if it has this solution."""
        cdef Py_ssize_t p
        self.discard()
        if "optimized_alpha" not in state:
            return 0
        n = len(state["optimized_alpha"])
        self.arrays = members.solution.like()
        self.arrays.reserve(members.capacity, 0)
        for name in STORED:
            self[name][:n] = state[f"optimized_{name}"]
        self.attach()
        for p in range(N_NUMBERS):
            self.numbers[p] = state["optimized_numbers"][p]
        self.residual = state["optimized_numbers"][N_NUMBERS]
        self.at, self.n_added = state["optimized_counts"]
        self.live = True
        return 0

    cdef void attach(self) noexcept:
        """Take the addresses of the arrays."""
        cdef SlotArrays arrays = self.arrays
        self.alpha, self.g = <double *>arrays.at(0), <double *>arrays.at(1)
        self.target, self.y = <double *>arrays.at(2), <int8_t *>arrays.at(7)

    cdef OptimizedSolution copy(self):
        """Return a copy."""
        cdef OptimizedSolution copy = OptimizedSolution()
        if self.live:
            copy.arrays = self.arrays.copy(self.arrays.capacity)
            copy.attach()
            copy.live, copy.at = self.live, self.at
            copy.residual, copy.n_added = self.residual, self.n_added
            copy.numbers, copy.extremes = self.numbers, self.extremes
            copy.n_zeros = self.n_zeros
        return copy

    cdef int begin(self, SupportSet members) except -1:
        """Start from the online solution."""
        self.arrays = members.solution.copy(members.n)
        self.attach()
        self.residual = 0.0
        self.at = -1
        self.live = True
        return 0

    def mirror(self):
        """Exchange the two classes: f becomes -f."""
        if self.live:
            for name in ("alpha", "g", "y", "target"):
                self[name][:] = 0 - self[name]
            self.numbers[0] = 0.0 - self.numbers[0]         # the bias
            self.residual = 0.0 - self.residual

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        """Allocate as many slots as the support set has."""
        if self.live and self.arrays.capacity < capacity:
            self.arrays.reserve(capacity, self.arrays.capacity)
            self.attach()
        return 0

    cdef void swap(self, SupportSet members) noexcept:
        """Exchange this solution with that in the support set."""
        cdef simd_extremes extremes = members.extremes
        cdef SlotArrays arrays = self.arrays
        members.take_sides(self.y)
        self.arrays, members.solution = members.solution, arrays
        self.attach()
        members.attach_solution()
        members.extremes, self.extremes = self.extremes, extremes
        members.n_zeros, self.n_zeros = self.n_zeros, members.n_zeros

    cdef void add(self, Py_ssize_t slot, const Example *row, double g) noexcept nogil:
        """Add a member with alpha = 0."""
        self.alpha[slot] = 0.0
        self.y[slot], self.target[slot] = row.y, row.target
        self.g[slot] = g
        self.n_added += 1
        self.at = -1  # it may violate here, even if it does not in the online solution

    cdef void remove(self, Py_ssize_t slot, const float *row, Py_ssize_t n) noexcept nogil:
        """Evict a member and subtract it from every g; ``row`` is its kernel row."""
        table().axpy(self.alpha[slot], row, self.g, n)
        self.residual += self.alpha[slot]
        self.alpha[slot] = 0.0
        self.at = -1

    cdef void discard(self) noexcept nogil:
        """Discard the solution; the next one starts from the online solution."""
        self.live = False
        self.at = -1
        self.n_added = 0
