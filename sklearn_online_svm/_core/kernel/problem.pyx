"""One binary problem: its budget, its optimized solution, objective and duality gap."""
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from ..simd.primitives cimport table
from .settled cimport Settled
from .solving cimport Solving

import numpy as np


cdef class Problem(Solving):
    # -------------------------------------------------------------------------- the budget

    cdef int enforce_budget(self) noexcept nogil:
        """Enforce the budget after a sample.

        Returns 1 if members were evicted, 0 if not, -1 if out of memory.
        """
        cdef double total = 0.0
        cdef int64_t n_changes = self.n_changes
        cdef int code
        self.budget.now += 1
        code = self.evict_over_budget(&total)
        if self.n_changes == n_changes:
            return code
        # Also if memory ran out midway: evicted members are gone.
        self.refresh()
        if total != 0.0:
            if self.balance(total) < 0:
                code = -1
            self.refresh()
        return -1 if code < 0 else 1

    cdef int evict_over_budget(self, double *total) noexcept nogil:
        """Evict and merge until the budget is met; return -1 if out of memory.

        ``total`` receives the resulting sum of alpha.
        """
        cdef double alpha
        cdef Py_ssize_t slot = self.budget.outdated(self.members)
        cdef bint merges = self.budget.closest < INFINITY
        while slot >= 0 or self.members.n_members > self.budget.most:
            if slot < 0:
                slot = self.budget.idle(self.members, self.b)
            if slot < 0 and merges:
                if self.update_neighbours() < 0:
                    return -1
                slot = self.budget.mergeable(self.members)
                if slot >= 0:
                    if self.merge(slot, self.budget.neighbour[slot]) < 0:
                        return -1
                    slot = -1
                    continue
            if slot < 0:
                slot = self.budget.oldest(self.members)
            alpha = self.members.alpha[slot]
            if self.drop(slot) < 0:
                return -1
            total[0] -= alpha
            slot = self.budget.outdated(self.members)
        return 0

    cdef int update_neighbours(self) noexcept nogil:
        """Compute all missing neighbours; return -1 if out of memory."""
        cdef const float *k
        cdef Py_ssize_t slot = self.budget.next_without_neighbour(self.members, 0)
        while slot >= 0:
            k = self.kernel_row(slot, -1)
            if k == NULL:
                return -1
            self.budget.find_neighbour(self.members, slot, k)
            slot = self.budget.next_without_neighbour(self.members, slot + 1)
        return 0

    cdef int merge(self, Py_ssize_t slot, Py_ssize_t merge_target) noexcept nogil:
        """Merge a member into ``merge_target``, which takes over box and alpha.

        The sum of alpha does not change. Returns -1 if out of memory.
        """
        cdef double alpha = self.members.alpha[slot]
        cdef const float *k
        cdef const float *k_target
        if alpha != 0.0:
            # Get both rows before anything changes.
            k_target = self.kernel_row(merge_target, -1)
            k = self.kernel_row(slot, merge_target)
            if k_target == NULL or k == NULL:
                return -1
            table().axpy(alpha, k, self.members.g, self.members.n)
            table().axpy(-alpha, k_target, self.members.g, self.members.n)
        self.members.widen(merge_target, self.members.lower[slot], self.members.upper[slot])
        self.members.move(merge_target, alpha)
        self.members.move(slot, -alpha)
        self.n_changes += 1
        self.evict_slot(slot)
        return 0

    # -------------------------------------------------------------------------- optimized solution

    @property
    def is_settled(self):
        """Whether the online or the optimized solution is optimal over the support set."""
        return (not self.both_seen or self.solved_at == self.n_changes
                or self.settled.at == self.n_changes)

    cdef int begin_settling(self) except -1:
        """Put the optimized solution in place of the online one, for ``finish``."""
        if not self.settled.live:
            self.settled.begin(self.members)
        self.settled.swap(self.members)
        self.settling = True
        self.exchange()
        self.members.mark()
        return 0

    cdef int end_settling(self, bint done, Settled former) except -1:
        """Put the online solution back.

        ``former`` is the optimized solution before ``begin_settling``, restored if not ``done``.
        """
        self.active.forget()
        self.finishing = False
        self.exchange()
        self.settled.swap(self.members)
        self.settling = False
        if done:
            self.settled.at, self.settled.n_entered = self.n_changes, 0
        else:
            self.settled = former
        return 0

    cdef void exchange(self) noexcept nogil:
        """Exchange the scalars of the online solution with those in ``settled``."""
        cdef double *other = self.settled.numbers
        self.b, other[0] = other[0], self.b
        self.delta, other[1] = other[1], self.delta
        self.tau, other[2] = other[2], self.tau

    def unsettle(self):
        """Discard the optimized solution."""
        self.settled.drop()

    cdef bint shows_settled(self) noexcept nogil:
        """Return whether predictions use the optimized solution."""
        return self.settled.at == self.n_changes

    def solution(self):
        """Return alpha and g of every slot, and b, as used for predictions."""
        if self.shows_settled():
            n = self.members.n
            return self.settled["alpha"][:n], self.settled["g"][:n], self.settled.b
        return self.members["alpha"], self.members["g"], self.b

    # -------------------------------------------------------------------------- convergence

    @property
    def violation_met(self):
        """Largest violation found since ``begin_pass``, or left in the support set."""
        raise NotImplementedError

    @property
    def violation_left(self):
        """Largest violation over all samples; exact if the epoch changed nothing."""
        raise NotImplementedError

    @property
    def squared_norm(self):
        """\\|w\\|^2 = alpha' K alpha."""
        alpha, g, _ = self.solution()
        alive = self.slots()
        return float(alpha[alive] @ (self.members["target"] - g)[alive])

    @property
    def objective(self):
        """Dual objective, sum (alpha target + beta) - 1/2 alpha' K alpha.

        beta is the size of a box on the other side of 0 than y, else 0.
        """
        m, alive = self.members, self.slots()
        alpha, g, _ = self.solution()
        bound = (m["lower"] + m["upper"])[alive]
        shifted = np.where(bound * m["y"][alive] < 0, np.abs(bound), 0.0)
        return float(0.5 * (alpha[alive] @ (m["target"] + g)[alive]) + shifted.sum())

    @property
    def gap(self):
        """Duality gap over the support set, with g - b in place of g if there is a bias."""
        m, alive = self.members, self.slots()
        alpha, g, b = self.solution()
        residual = g[alive] - b
        room = np.where(residual > 0, m["upper"][alive], m["lower"][alive]) - alpha[alive]
        return float((room * residual)[residual != 0].sum())
