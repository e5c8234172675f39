"""A second solution over the members of a problem; the contract is in the ``.pxd``."""
from libc.stdint cimport int8_t, int32_t

cimport cython

from .blocks cimport address, grown
from .leaves cimport leaves_extremes, table
from .support_set cimport SupportSet

import numpy as np

# What belongs to a solution, among the arrays of a support set; boxes and rows are shared. Flags
# and zeros are made anew from alpha whenever this one is to be moved.
FIELDS = {
    "alpha": np.float64, "g": np.float64, "up": np.int8, "down": np.int8,
    "zeros": np.int32, "zero_place": np.int32,
}


@cython.final
cdef class Settled:
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
        """Arrays over the first ``n`` slots, and numbers; the rest follows from them."""
        return {
            "settled_alpha": self.arrays["alpha"][:n].copy(),
            "settled_g": self.arrays["g"][:n].copy(),
            "settled_numbers": np.array(list(self.numbers) + [self.residual]),
            "settled_counts": np.array([self.at, self.n_entered], dtype=np.int64),
        }

    def restore(self, dict state):
        """Take what ``state`` gave, if there was a solution."""
        cdef Py_ssize_t p
        self.drop()
        if "settled_alpha" not in state:
            return
        n = len(state["settled_alpha"])
        self.arrays = {name: np.zeros(n, FIELDS[name]) for name in FIELDS}
        for name in ("alpha", "g"):
            self.arrays[name][:] = state["settled_" + name]
        self.attach()
        for p in range(N_NUMBERS):
            self.numbers[p] = state["settled_numbers"][p]
        self.residual = state["settled_numbers"][N_NUMBERS]
        self.at, self.n_entered = (int(count) for count in state["settled_counts"])
        self.live = True

    cdef void attach(self):
        arrays = self.arrays
        self.alpha = <double *>address(arrays["alpha"])
        self.g = <double *>address(arrays["g"])
        self.up = <int8_t *>address(arrays["up"])
        self.down = <int8_t *>address(arrays["down"])
        self.zeros = <int32_t *>address(arrays["zeros"])
        self.zero_place = <int32_t *>address(arrays["zero_place"])

    cdef int begin(self, SupportSet members) except -1:
        """Start from the solution of the stream."""
        self.arrays = {name: grown(members.arrays[name], members.capacity) for name in FIELDS}
        self.attach()
        self.residual = 0.0
        self.at = -1
        self.live = True
        return 0

    cdef int reserve(self, Py_ssize_t capacity) except -1:
        """Room for as many slots as the support set has."""
        if self.live and len(self.arrays["alpha"]) < capacity:
            self.arrays = {name: grown(self.arrays[name], capacity) for name in FIELDS}
            self.attach()
        return 0

    cdef int swap(self, SupportSet members) except -1:
        """Exchange this solution for that in the support set."""
        cdef leaves_extremes extremes = members.extremes
        cdef Py_ssize_t n_zeros = members.n_zeros
        mine, theirs = self.arrays, members.arrays
        self.arrays = {name: theirs[name] for name in FIELDS}
        members.arrays = {**theirs, **mine}
        members.extremes, self.extremes = self.extremes, extremes
        members.n_zeros, self.n_zeros = self.n_zeros, n_zeros
        self.attach()
        members.attach()
        return 0

    cdef void enter(self, Py_ssize_t slot, double g) noexcept nogil:
        """A new member, with alpha 0."""
        self.alpha[slot] = 0.0
        self.g[slot] = g
        self.n_entered += 1
        self.at = -1                # it may violate here, whatever it does in the stream

    cdef void leave(self, Py_ssize_t slot, const float *row, Py_ssize_t n) noexcept nogil:
        """A member goes, and its part of every g; ``row`` is its kernel row."""
        table().axpy(self.alpha[slot], row, self.g, n)
        self.residual += self.alpha[slot]
        self.alpha[slot] = 0.0
        self.at = -1

    cdef void drop(self) noexcept nogil:
        """Forget the solution; the next one starts from that of the stream."""
        self.live = False
        self.at = -1
        self.n_entered = 0
