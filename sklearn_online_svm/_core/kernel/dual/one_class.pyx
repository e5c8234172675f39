"""LASVM on the one-class problem (Schoelkopf et al. 2001).

All targets are 0, and the constraint is

    sum_i alpha_i = nu n,   0 <= alpha_i <= 1,

for n samples seen: the problem of the paper (sum 1, upper bounds 1 / (nu n)) times nu n, so that
the boxes do not change when n grows. With weights, n is their sum, and each is the upper bound.

A new sample adds nu to the sum: those with the largest g, which are farthest outside, take it,
before PROCESS and REPROCESS make their steps. Steps, shrinking and ``finish`` are those of
``lasvm.pyx``. Samples at alpha = 0 are kept near the boundary, which moves inwards as n grows.
"""
cimport cython
from libc.math cimport INFINITY, fabs, fmax, fmin
from libc.stdint cimport uint64_t

from ...simd.primitives cimport simd_extremes, table
from ...threads.slices cimport dot
from ..vectors.support_set cimport Example
from .lasvm cimport Lasvm
from .problem cimport Problem

import numpy as np

# Part of nu, the share of a sample in the sum of alpha, below which a difference is rounding.
cdef double SMALL = 1e-9

# Number of members at alpha = 0 from which on the inner margin shrinks, if there is no budget and
# there are not more support vectors. Relative change of the margin after a sample.
RESERVE = 300
cdef Py_ssize_t MOST_ZEROS = RESERVE
cdef double MARGIN_RATE = 0.01

# Relative rounding error of a sum of kernel values, which are in single precision.
cdef double ROUNDING = 4.0 * np.finfo(np.float32).eps

# Number of members whose nearest one is searched before two are merged, and a factor that spreads
# them over the slots.
cdef enum:
    CANDIDATES = 8
cdef uint64_t SPREAD = 2654435761


cdef double inner_bias(const simd_extremes *e, double tau, double b) noexcept nogil:
    """Return b so that all samples with alpha < C are inside.

    Their g is at most g_min + tau, and those that equal a free support vector would otherwise be
    outside by rounding.
    """
    cdef double margin = tau + ROUNDING * fabs(e.g_min)
    if e.i_max >= 0 and e.j_min >= 0 and e.g_max > e.g_min - margin:
        return e.g_min + margin
    return b


@cython.final
cdef class OneClass(Lasvm):
    def __cinit__(self, *args, **kwargs):
        self.grows = True

    def configure(self, *, double nu, **common):
        Lasvm.configure(self, **common)
        self.nu = nu

    def state(self):
        state = Lasvm.state(self)
        state["inside"] = np.array([self.n_inside, self.grows, self.inner_margin])
        return state

    def restore(self, state):
        Lasvm.restore(self, state)
        self.n_inside, self.grows, self.inner_margin = state["inside"]

    def begin_at(self, double n_inside, double inner_margin):
        """Begin with a solution over samples with weights of this sum; members follow."""
        self.n_inside, self.inner_margin = n_inside, inner_margin

    # -------------------------------------------------------------------------- PROCESS

    cdef int process(self, Example *row) noexcept nogil:
        """PROCESS: the sum of alpha grows by nu.

        A sample that violates with a member is added, or one that is farther outside than all
        members that can increase; and if no member can take the rest of the sum. Samples little
        inside the boundary are added, too, about as many as there are support vectors: the
        boundary moves inwards as n grows, and when vectors leave the window. Without them, their
        part of the sum would go to samples far inside, or far outside, and the share outside would
        not be nu.

        Returns 1 if the sample was added or counted, 0 if not, -1 if out of memory.
        """
        cdef float *k = self.matrix.block_row(row.place)
        cdef const simd_extremes *e = &self.members.extremes
        cdef double g = -dot(self.team, k, self.members.alpha, self.members.n)
        cdef double least = (-self.inner_margin if self.grows and self.inner_margin > 0.0
                             else self.tol * self.unit())
        cdef bint adds = e.j_min < 0 or g - e.g_min > least or g > e.g_max
        cdef bint counts = adds or self.grows
        self.both_seen = True
        if e.j_min >= 0:
            self.violation = fmax(self.violation, g - e.g_min)
        self.high = fmax(self.high, g)
        if self.grows:
            self.adapt_margin()
            self.count(row.upper)
        self.tau = self.tol * self.unit()
        if adds and self.add_and_scan(row, k, g) < 0 or self.balance() < 0:
            return -1
        if not adds and self.total < -SMALL * self.nu:
            g = -dot(self.team, k, self.members.alpha, self.members.n)
            if self.add_and_scan(row, k, g) < 0 or self.balance() < 0:
                return -1
        self.n_changes += counts
        return counts

    cdef void count(self, double weight) noexcept nogil:
        """Count a new sample: the sum of alpha has to grow."""
        cdef double former = self.n_inside
        self.n_inside += weight
        if self.eviction is not None and self.eviction.window:
            self.n_inside = fmin(self.n_inside, <double>self.eviction.window)
        self.total -= self.nu * (self.n_inside - former)
        self.optimized.residual += self.nu * (self.n_inside - former)

    cdef void adapt_margin(self) noexcept nogil:
        """Widen the inner margin if few members are at alpha = 0, else narrow it."""
        cdef const simd_extremes *e = &self.members.extremes
        cdef bint limited = self.eviction is not None and self.eviction.budget > 0
        if e.j_min < 0:
            return
        if self.members.n_zeros > max(0 if limited else MOST_ZEROS, self.members.n_members // 2):
            self.inner_margin *= 1.0 - MARGIN_RATE
        elif self.inner_margin == 0.0:
            self.inner_margin = fabs(e.g_min)
        else:
            self.inner_margin = fmin(self.inner_margin * (1.0 + MARGIN_RATE), fabs(e.g_min))

    cdef int add_and_scan(self, const Example *row, float *k, double g) noexcept nogil:
        """Add a sample with kernel row ``k``; returns -1 if out of memory."""
        if self.add(row, k, g) < 0:
            return -1
        self.members.scan()
        return 0

    # -------------------------------------------------------------------------- eviction

    cdef void evict(self, const simd_extremes *e) noexcept nogil:
        """Evict members at alpha = 0 that are beyond the inner margin."""
        cdef Py_ssize_t p = self.members.n_zeros - 1, s
        if e.i_max < 0 or e.j_min < 0:
            return
        while p >= 0:
            # Backwards, as remove() replaces an entry by the last one, which has been visited.
            s = self.members.zeros[p]
            if (self.members.g[s] <= e.g_min - self.inner_margin
                    and self.members.g[s] < e.g_max):
                self.evict_slot(s)
            p -= 1

    cdef int evict_excess(self) noexcept nogil:
        return Problem.evict_excess(self)

    cdef int evict_least(self, Py_ssize_t least) noexcept nogil:
        """Merge two members, as the sum of alpha may need all boxes.

        One is replaced by another copy of the other: alphas and boxes are added. Of the pairs of
        some members with their nearest ones, the pair with the least increase of the within-group
        variance is merged (Ward 1963). Returns -1 if out of memory.
        """
        cdef Py_ssize_t slot = -1, other = -1, s, near
        cdef double cost, least_cost = INFINITY
        cdef const float *k
        cdef const float *k_other
        if self.members.n_zeros:
            return Problem.evict_least(self, least)
        s = <Py_ssize_t>(<uint64_t>self.n_changes * SPREAD % <uint64_t>self.members.n)
        for _ in range(min(CANDIDATES, self.members.n)):
            if self.members.alive[s]:
                k = self.matrix.row(s, -1)
                if k == NULL:
                    return -1
                near = self.nearest(s, k, &cost)
                if cost < least_cost:
                    slot, other, least_cost = s, near, cost
            s = (s + 1) % self.members.n
        if slot < 0:
            return Problem.evict_least(self, least)
        if self.members.upper[slot] > self.members.upper[other]:
            slot, other = other, slot
        k = self.matrix.row(slot, -1)
        k_other = self.matrix.row(other, slot) if k != NULL else NULL
        if k_other == NULL:
            return -1
        table().axpy(self.members.alpha[slot], k, self.members.g, self.members.n)
        table().axpy(-self.members.alpha[slot], k_other, self.members.g, self.members.n)
        self.members.merge(slot, other)
        self.n_changes += 1
        self.optimized.discard()
        self.evict_slot(slot)
        return self.refresh()

    cdef Py_ssize_t nearest(self, Py_ssize_t slot, const float *k, double *cost) noexcept nogil:
        """Return the other member to merge with at the least cost; ``k`` is the row of the slot.

        The cost is the squared distance in the feature space times half the harmonic mean of the
        weights.
        """
        cdef Py_ssize_t s, nearest = -1
        cdef double weight = self.members.upper[slot], other, found
        cost[0] = INFINITY
        for s in range(self.members.n):
            if s != slot and self.members.alive[s]:
                other = self.members.upper[s]
                found = (<double>self.members.diag[slot] + self.members.diag[s] - 2.0 * k[s]) * (
                    weight * other / (weight + other))
                if found < cost[0]:
                    nearest, cost[0] = s, found
        return nearest

    # -------------------------------------------------------------------------- the solution

    cdef void set_final_b(self) noexcept nogil:
        """Set b and delta (see ``inner_bias``)."""
        self.set_b()
        self.b = inner_bias(&self.members.extremes, self.tau, self.b)

    cdef int balance(self) noexcept nogil:
        # The remainder is left to the samples to come.
        return self.restore_sum()

    cdef double scale(self) noexcept nogil:
        cdef double total = self.nu * self.n_inside + self.total
        return 1.0 / total if total > 0.0 else 1.0

    cdef double unit(self) noexcept nogil:
        """Return nu n, by which g is less than f where nu n < 1; else 1."""
        return fmin(1.0, self.nu * self.n_inside)

    cdef double final_tolerance(self) noexcept nogil:
        # f is flat at the boundary: a little less precision changes the share outside a lot.
        return self.tol * self.unit()
