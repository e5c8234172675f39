"""One binary problem: its solution, and a second one on the side; what was reached."""
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

from ..simd.leaves cimport table
from .settled cimport Settled
from .solving cimport Solving

import numpy as np


cdef class Problem(Solving):
    # -------------------------------------------------------------------------- the budget

    cdef int shed(self) noexcept nogil:
        """After a row: let members go that are too old, or too many. 1 when some went, 0 when not,
        -1: no memory."""
        cdef double total = 0.0
        cdef int64_t n_changes = self.n_changes
        cdef int code
        self.budget.now += 1
        code = self.let_some_go(&total)
        if self.n_changes == n_changes:
            return code
        # Also when memory was short halfway: what has gone has gone.
        self.refresh()
        if total != 0.0:
            if self.balance(total) < 0:
                code = -1
            self.refresh()
        return -1 if code < 0 else 1

    cdef int let_some_go(self, double *total) noexcept nogil:
        """Drop and merge until the limits are kept; ``total`` is what then is the sum of alpha."""
        cdef double alpha
        cdef Py_ssize_t slot = self.budget.outdated(self.members)
        cdef bint merges = self.budget.closest < INFINITY
        while slot >= 0 or self.members.n_members > self.budget.most:
            if slot < 0:
                slot = self.budget.idle(self.members, self.b)
            if slot < 0 and merges:
                if self.meet_strangers() < 0:
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

    cdef int meet_strangers(self) noexcept nogil:
        """Bring all neighbours up to date. -1: no memory."""
        cdef const float *k
        cdef Py_ssize_t slot = self.budget.stranger(self.members, 0)
        while slot >= 0:
            k = self.kernel_row(slot, -1)
            if k == NULL:
                return -1
            self.budget.meet(self.members, slot, k)
            slot = self.budget.stranger(self.members, slot + 1)
        return 0

    cdef int merge(self, Py_ssize_t slot, Py_ssize_t heir) noexcept nogil:
        """Let another member stand for one that goes: it takes over box and alpha, so what ties
        the members together holds. -1: no memory."""
        cdef double alpha = self.members.alpha[slot]
        cdef const float *k
        cdef const float *k_heir
        if alpha != 0.0:
            # Both rows before anything changes.
            k_heir = self.kernel_row(heir, -1)
            k = self.kernel_row(slot, heir)
            if k_heir == NULL or k == NULL:
                return -1
            table().axpy(alpha, k, self.members.g, self.members.n)
            table().axpy(-alpha, k_heir, self.members.g, self.members.n)
        self.members.widen(heir, self.members.lower[slot], self.members.upper[slot])
        self.members.move(heir, alpha)
        self.members.move(slot, -alpha)
        self.n_changes += 1
        self.let_go(slot)
        return 0

    # -------------------------------------------------------------------------- settling

    @property
    def is_settled(self):
        """Whether the solution of the stream, or that on the side, is the optimum."""
        return (not self.both_seen or self.solved_at == self.n_changes
                or self.settled.at == self.n_changes)

    cdef int begin_settling(self) except -1:
        """Let the members hold the solution on the side, for ``finish``."""
        if not self.settled.live:
            self.settled.begin(self.members)
        self.settled.swap(self.members)
        self.settling = True
        self.exchange()
        self.members.mark()
        return 0

    cdef int end_settling(self, bint done, Settled former) except -1:
        """Give the members back what they held; ``former`` was there before ``begin_settling``
        and comes back if it is not done."""
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
        """Exchange the numbers that go with a solution for those in ``settled``."""
        cdef double *other = self.settled.numbers
        self.b, other[0] = other[0], self.b
        self.delta, other[1] = other[1], self.delta
        self.tau, other[2] = other[2], self.tau

    def unsettle(self):
        """Forget the solution on the side."""
        self.settled.drop()

    cdef bint shows_settled(self) noexcept nogil:
        """Whether decisions come from the solution on the side."""
        return self.settled.at == self.n_changes

    def solution(self):
        """alpha and g of every slot, and b, that decisions come from."""
        if self.shows_settled():
            n = self.members.n
            return self.settled["alpha"][:n], self.settled["g"][:n], self.settled.b
        return self.members["alpha"], self.members["g"], self.b

    # -------------------------------------------------------------------------- what was reached

    @property
    def violation_met(self):
        """Largest violation met since ``begin_pass``, or left among the members."""
        raise NotImplementedError

    @property
    def violation_left(self):
        """Largest violation over all rows; exact when the pass changed nothing."""
        raise NotImplementedError

    @property
    def squared_norm(self):
        """\\|w\\|^2 = alpha' K alpha."""
        alpha, g, _ = self.solution()
        alive = self.slots()
        return float(alpha[alive] @ (self.members["target"] - g)[alive])

    @property
    def objective(self):
        """Dual objective, sum (alpha target + beta) - 1/2 alpha' K alpha; beta is the size of a
        box on the other side of 0 than y, else 0."""
        m, alive = self.members, self.slots()
        alpha, g, _ = self.solution()
        bound = (m["lower"] + m["upper"])[alive]
        shifted = np.where(bound * m["y"][alive] < 0, np.abs(bound), 0.0)
        return float(0.5 * (alpha[alive] @ (m["target"] + g)[alive]) + shifted.sum())

    @property
    def gap(self):
        """Primal minus dual objective over the members; g - b stands for g where there is a
        bias."""
        m, alive = self.members, self.slots()
        alpha, g, b = self.solution()
        residual = g[alive] - b
        room = np.where(residual > 0, m["upper"][alive], m["lower"][alive]) - alpha[alive]
        return float((room * residual)[residual != 0].sum())
