"""A second, optimized solution over the support set; the contract is in the ``.pxd``."""
from libc.stdint cimport int8_t, int32_t

cimport cython

from ...memory cimport address, grown
from ...simd.primitives cimport simd_extremes, table
from ..vectors.support_set cimport Example, SupportSet

import numpy as np


# The arrays of a support set that belong to a solution; boxes and samples are shared. Flags and
# zeros are recomputed from alpha before it is optimized.
FIELDS = {
    "alpha": np.float64, "g": np.float64, "up": np.int8, "down": np.int8,
    "zeros": np.int32, "zero_place": np.int32, "y": np.int8,
    "target": np.float64,
}
cdef tuple NAMES = tuple(FIELDS)


@cython.final
cdef class OptimizedSolution:
    def __init__(self):
        self.at = -1
        self.arrays = {}

    def __getitem__(self, str name):
        return self.arrays[name]

    @property
    def b(self):
        """The bias."""
        return self.numbers[0]

    def state(self, Py_ssize_t n):
        """Return arrays over the first ``n`` slots, and scalars; the rest follows from them."""
        return {
            "optimized_alpha": self.arrays["alpha"][:n].copy(),
            "optimized_g": self.arrays["g"][:n].copy(),
            "optimized_y": self.arrays["y"][:n].copy(),
            "optimized_target": self.arrays["target"][:n].copy(),
            "optimized_numbers": np.array(list(self.numbers) + [self.residual]),
            "optimized_counts": np.array([self.at, self.n_added], dtype=np.int64),
        }

    def restore(self, state):
        """Restore a result of ``state``, if it has this solution."""
        cdef Py_ssize_t p
        self.discard()
        if "optimized_alpha" not in state:
            return
        n = len(state["optimized_alpha"])
        arrays = {name: np.zeros(n, FIELDS[name]) for name in FIELDS}
        arrays["alpha"][:], arrays["g"][:] = state["optimized_alpha"], state["optimized_g"]
        arrays["y"][:], arrays["target"][:] = state["optimized_y"], state["optimized_target"]
        self.attach(arrays)
        for p in range(N_NUMBERS):
            self.numbers[p] = state["optimized_numbers"][p]
        self.residual = state["optimized_numbers"][N_NUMBERS]
        self.at, self.n_added = state["optimized_counts"]
        self.live = True

    cdef int attach(self, dict arrays) except -1:
        """Use ``arrays``; if that fails, nothing has changed."""
        cdef void *at[N_FIELDS]
        cdef Py_ssize_t k
        for k in range(N_FIELDS):
            at[k] = address(arrays[NAMES[k]])
        self.alpha, self.g = <double *>at[0], <double *>at[1]
        self.up, self.down = <int8_t *>at[2], <int8_t *>at[3]
        self.zeros, self.zero_place = <int32_t *>at[4], <int32_t *>at[5]
        self.y, self.target = <int8_t *>at[6], <double *>at[7]
        self.arrays = arrays
        return 0

    cdef OptimizedSolution copy(self):
        """Return a copy."""
        cdef OptimizedSolution copy = OptimizedSolution()
        if self.live:
            copy.attach({name: self.arrays[name].copy() for name in FIELDS})
            copy.live, copy.at = self.live, self.at
            copy.residual, copy.n_added = self.residual, self.n_added
            copy.numbers, copy.extremes = self.numbers, self.extremes
            copy.n_zeros = self.n_zeros
        return copy

    cdef int begin(self, SupportSet members) except -1:
        """Start from the online solution."""
        self.attach({name: grown(members.arrays[name], members.capacity) for name in FIELDS})
        self.residual = 0.0
        self.at = -1
        self.live = True
        return 0

    def mirror(self):
        """Exchange the two classes: f becomes -f."""
        if self.live:
            for name in ("alpha", "g", "y", "target"):
                self.arrays[name][:] = 0 - self.arrays[name]
            self.numbers[0] = 0.0 - self.numbers[0]         # the bias
            self.residual = 0.0 - self.residual

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        """Allocate as many slots as the support set has."""
        if self.live and len(self.arrays["alpha"]) < capacity:
            self.attach({name: grown(self.arrays[name], capacity) for name in FIELDS})
        return 0

    cdef int swap(self, SupportSet members) except -1:
        """Exchange this solution with that in the support set.

        It creates no objects, so that exchanging back cannot fail.
        """
        cdef simd_extremes extremes = members.extremes
        cdef Py_ssize_t s
        cdef dict mine = self.arrays, theirs = members.arrays
        for s in range(members.n if members.two_sided else 0):
            if members.y[s] != self.y[s] and members.alive[s]:
                members.turn_box(s)
                self.y[s] = -self.y[s]
        for name in NAMES:
            if name != "y":
                array = mine[name]
                mine[name] = theirs[name]
                theirs[name] = array
        self.alpha, members.alpha = members.alpha, self.alpha
        self.g, members.g = members.g, self.g
        self.target, members.target = members.target, self.target
        self.up, members.up = members.up, self.up
        self.down, members.down = members.down, self.down
        self.zeros, members.zeros = members.zeros, self.zeros
        self.zero_place, members.zero_place = members.zero_place, self.zero_place
        members.extremes, self.extremes = self.extremes, extremes
        members.n_zeros, self.n_zeros = self.n_zeros, members.n_zeros
        return 0

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
