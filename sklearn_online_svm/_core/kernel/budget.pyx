"""Limits on the support set of a problem; the contract is in the ``.pxd``."""
from libc.math cimport INFINITY, fabs, fmax, sqrt
from libc.stdint cimport INT64_MAX, int32_t, int64_t
from libc.stdlib cimport free

from ..memory cimport grown_buffer
from .support_set cimport SupportSet

import numpy as np


cdef enum:
    NO_NEIGHBOUR = -1
    UNKNOWN = -2


cdef class Budget:
    """Limits on the support set of one problem.

    Parameters
    ----------
    most : int, optional
        Largest number of members.
    window_size : int, optional
        Number of samples after which a member is evicted.
    merge_cosine : float, optional
        Smallest cosine of two vectors in kernel space for which one may be merged into the other.
        Without it the oldest member is evicted.
    """
    def __init__(self, *, most=None, window_size=None, merge_cosine=None):
        self.configure(most=most, window_size=window_size, merge_cosine=merge_cosine)

    def __dealloc__(self):
        free(self.born)
        free(self.neighbour)
        free(self.distance)
        free(self.cosine)

    def configure(self, *, most, window_size, merge_cosine):
        """Set other limits; the ages of the members are kept."""
        self.most = np.iinfo(np.intp).max if most is None else most
        self.window_size = INT64_MAX if window_size is None else window_size
        self.merge_cosine = INFINITY if merge_cosine is None else merge_cosine
        self.least_born = 0

    def state(self, Py_ssize_t n):
        """Return the arrays that ``restore`` takes, of ``n`` slots; neighbours are left out."""
        return {
            "budget_counts": np.array([self.now, self.n_merged, self.n_lost], dtype=np.int64),
            "budget_born": np.array([self.born[s] for s in range(n)], dtype=np.int64),
        }

    def restore(self, state, Py_ssize_t n):
        """Restore a result of ``state``."""
        cdef Py_ssize_t s
        cdef const int64_t[::1] born = state["budget_born"]
        self.now, self.n_merged, self.n_lost = state["budget_counts"].tolist()
        self.reserve(n)
        for s in range(n):
            self.born[s] = born[s]
            self.neighbour[s] = UNKNOWN
        self.least_born = 0

    cdef int reserve(self, Py_ssize_t n) except -1:
        """Allocate ``n`` slots; the age of new ones starts now."""
        cdef Py_ssize_t s, former = self.capacity
        if n <= former:
            return 0
        self.born = <int64_t *>grown_buffer(self.born, n * sizeof(int64_t))
        self.neighbour = <int32_t *>grown_buffer(self.neighbour, n * sizeof(int32_t))
        self.distance = <double *>grown_buffer(self.distance, n * sizeof(double))
        self.cosine = <double *>grown_buffer(self.cosine, n * sizeof(double))
        self.capacity = n
        for s in range(former, n):
            self.enter(s)
        return 0

    # -------------------------------------------------------------------------- neighbours

    cdef void enter(self, Py_ssize_t slot) noexcept nogil:
        self.born[slot] = self.now
        self.neighbour[slot] = UNKNOWN

    cdef void leave(self, Py_ssize_t slot, Py_ssize_t n) noexcept nogil:
        """Reset the neighbour of the members whose neighbour was ``slot``."""
        cdef Py_ssize_t s
        for s in range(n):
            if self.neighbour[s] == slot:
                self.neighbour[s] = UNKNOWN

    cdef void find_neighbour(self, SupportSet members, Py_ssize_t slot,
                             const float *k) noexcept nogil:
        """Find the neighbour of a member from its kernel row ``k``.

        Also update members to which this one is nearer than their present neighbour. Of two that
        are equally near the one in the lower slot is taken, so that neighbours do not depend on
        the order of arrival.
        """
        cdef Py_ssize_t s
        cdef double distance, cosine, diag = members.diag[slot]
        self.neighbour[slot] = NO_NEIGHBOUR
        self.distance[slot] = INFINITY
        for s in range(members.n):
            # On the flat part of a ramp loss the box is on the other side of 0.
            if s == slot or not members.alive[s] or members.y[s] != members.y[slot] or (
                    (members.bound[s] > 0.0) != (members.bound[slot] > 0.0)):
                continue
            distance = fmax(0.0, diag + members.diag[s] - 2.0 * k[s])
            if distance < self.distance[slot]:
                self.neighbour[slot], self.distance[slot] = <int32_t>s, distance
            if self.neighbour[s] != UNKNOWN and (distance < self.distance[s] or (
                    distance == self.distance[s] and slot < self.neighbour[s])):
                cosine = k[s] / sqrt(diag * members.diag[s])
                self.neighbour[s], self.distance[s] = <int32_t>slot, distance
                self.cosine[s] = cosine
        if self.neighbour[slot] >= 0:
            s = self.neighbour[slot]
            self.cosine[slot] = k[s] / sqrt(diag * members.diag[s])

    cdef Py_ssize_t next_without_neighbour(self, SupportSet members,
                                           Py_ssize_t first) noexcept nogil:
        """Return the first member >= ``first`` without a computed neighbour, or -1."""
        cdef Py_ssize_t s
        for s in range(first, members.n):
            if members.alive[s] and self.neighbour[s] == UNKNOWN:
                return s
        return -1

    # -------------------------------------------------------------------------- eviction

    cdef Py_ssize_t outdated(self, SupportSet members) noexcept nogil:
        """Return a member older than ``window_size`` samples, or -1."""
        cdef Py_ssize_t slot
        if self.now - self.least_born <= self.window_size:
            return -1
        slot = self.oldest(members)
        if slot < 0:
            return -1
        self.least_born = self.born[slot]
        return slot if self.now - self.least_born > self.window_size else -1

    cdef Py_ssize_t idle(self, SupportSet members, double b) noexcept nogil:
        """Return the member with alpha = 0 whose gradient is farthest from allowing a step, or -1.

        Members that violate the optimality conditions are not returned.
        """
        cdef Py_ssize_t p, s, found = -1
        cdef double want, least = 0.0
        for p in range(members.n_zeros):
            s = members.zeros[p]
            want = (members.g[s] - b) * (1.0 if members.bound[s] > 0.0 else -1.0)
            if want < least or want == least and found >= 0 and s < found:
                found, least = s, want
        return found

    cdef Py_ssize_t mergeable(self, SupportSet members) noexcept nogil:
        """Return the member whose merge into its neighbour changes f least, or -1.

        The bound minimized is the member's weight, which is the size of its box, times the
        distance to the neighbour.
        """
        cdef Py_ssize_t s, found = -1
        cdef double harm, weight, least = INFINITY
        for s in range(members.n):
            # The cosine is NaN where K(x, x) <= 0: a sample of zeros, or an indefinite kernel.
            if not (members.alive[s] and self.neighbour[s] >= 0
                    and self.cosine[s] >= self.merge_cosine):
                continue
            weight = fabs(members.bound[s])
            harm = self.distance[s] if weight == INFINITY else weight * self.distance[s]
            if harm < least:
                found, least = s, harm
        return found

    cdef Py_ssize_t oldest(self, SupportSet members) noexcept nogil:
        """Return the member that entered first, or -1."""
        cdef Py_ssize_t s, found = -1
        for s in range(members.n):
            if members.alive[s] and (found < 0 or self.born[s] < self.born[found]):
                found = s
        return found
