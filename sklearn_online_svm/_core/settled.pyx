"""A second solution over the members of a problem; the contract is in the ``.pxd``."""
from libc.math cimport isfinite, isnan
from libc.stdint cimport int8_t, int32_t

cimport cython

from .blocks cimport address, grown
from .leaves cimport leaves_extremes, table
from .support_set cimport SupportSet

import numpy as np

from .stored import LARGEST_COUNT, LARGEST_NUMBER

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

    def restore(self, state, SupportSet members, double tol):
        """Take what ``state`` gave, wrapped in a :class:`Stored`, if there was a solution for
        ``members``."""
        cdef Py_ssize_t p, n = members.n
        cdef const double[::1] alpha
        cdef const double[::1] g
        cdef const double[::1] numbers
        self.drop()
        if not state.has("settled_alpha"):
            return
        alpha = state.array("settled_alpha", np.float64, (n,))
        g = state.array("settled_g", np.float64, (n,))
        numbers = state.array("settled_numbers", np.float64, (N_NUMBERS + 1,))
        counts = state.array("settled_counts", np.int64, (2,), low=-1, high=LARGEST_COUNT)
        for p in range(n):
            if not (members.lower[p] <= alpha[p] <= members.upper[p] and isfinite(alpha[p])):
                state.refuse("settled_alpha", "must be finite and between lower and upper; slot "
                                              f"{p} breaks that")
            if members.row_id[p] >= 0 and not isfinite(g[p]):
                state.refuse("settled_g", f"must be finite; slot {p} breaks that")
        state.require(isfinite(numbers[0]) and not isnan(numbers[1])
                      and tol <= numbers[2] <= LARGEST_NUMBER and isfinite(numbers[N_NUMBERS]),
                      "settled_numbers", "must hold a finite bias, a violation and a tolerance of "
                                         f"at least {tol}, and end with a finite residual")
        self.arrays = {name: np.zeros(n, FIELDS[name]) for name in FIELDS}
        self.arrays["alpha"][:] = alpha
        self.arrays["g"][:] = g
        self.attach()
        for p in range(N_NUMBERS):
            self.numbers[p] = numbers[p]
        self.residual = numbers[N_NUMBERS]
        self.at, self.n_entered = counts[0], max(0, counts[1])
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
