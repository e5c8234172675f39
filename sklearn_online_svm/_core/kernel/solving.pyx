"""One binary problem: its constraints, and steps until it is solved over the support set."""
from libc.math cimport INFINITY, fabs, fmax
from libc.stdint cimport int32_t

from ..simd.primitives cimport simd_extremes, table
from .active_set cimport Front
from .learning cimport Learning
from .row_maker cimport TOGETHER

import numpy as np

cdef double EPSILON = np.finfo(np.float64).eps

# The optimized solution of a stream has this multiple of tol as its tolerance: the effect on
# predictions is small, and updating it from sample to sample takes a third of the time.
cdef double LOOSE = 10.0


cdef class Solving(Learning):
    cdef int finish_step(self, Front *front) except -2 nogil:
        """Make a step on the front, which has a violation.

        Returns 1 if alpha changed, 0 if the step was lost in rounding, -1 if out of memory.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.finish_step")

    cdef double violation_of(self, const simd_extremes *e) except? -1.0 nogil:
        """Return the violation that corresponds to the extremes of g."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.violation_of")

    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil:
        """Return the violation of a sample with gradient g, with respect to the support set.

        ``rises``, ``falls``: its alpha may increase, may decrease.
        """
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.violation_by")

    cdef double low_of(self, const simd_extremes *e) noexcept nogil:
        """Return g up to which a slot that can only increase is removed by shrinking."""
        return -INFINITY

    cdef double high_of(self, const simd_extremes *e) noexcept nogil:
        """Return g from which a slot that can only decrease is removed by shrinking."""
        return INFINITY

    cdef int finished(self) noexcept nogil:
        """Evict members that are not needed at the optimum; return -1 if out of memory."""
        return 0

    cdef int refresh(self) except -2 nogil:
        """Recompute the extremes of g and all values that follow from g."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.refresh")

    cdef int balance(self, double total) noexcept nogil:
        """Restore the equality constraint, where there is one; return -1 if out of memory.

        ``total`` is the sum of alpha minus its required value.
        """
        return 0

    def moved(self, alpha, lower, upper):
        """Return ``alpha`` moved into the boxes and to where the equality constraint holds."""
        return np.clip(alpha, lower, upper)

    # -------------------------------------------------------------------------- finishing

    cdef void begin_finish(self) noexcept nogil:
        """Set the tolerance tau.

        It is tol (times LOOSE for the optimized solution of a stream), but at least the rounding
        error of g, which no step can correct.
        """
        cdef double total = 1.0, tol = LOOSE * self.tol if self.settling else self.tol
        cdef Py_ssize_t s
        for s in range(self.members.n):
            total += fabs(self.members.alpha[s]) * fabs(self.members.diag[s])
        self.tau = fmax(tol, 4.0 * EPSILON * total)
        self.steps_to_shrink = min(self.members.n, 1000)

    cdef int finish(self, double work) except -2 nogil:
        """Make steps until the violation is at most tau, on a shrinking set of active slots.

        To be called after ``begin_finish``, until it returns 1. Returns after about ``work``
        accessed array elements: 1 if solved, 0 if not yet, -1 if out of memory. Where it returns
        does not change the steps. Between calls the problem may be shrunk; ``unshrink`` restores
        all g.
        """
        cdef Front front
        cdef int moved
        if not self.both_seen:
            return 1
        self.work = 0.0
        while self.work < work:
            front = self.active.front(self.members)
            moved = 0
            if self.violation_of(front.extremes) > self.tau and self.steps_left > 0:
                self.steps_left -= 1
                moved = self.finish_step(&front)
                if moved < 0:
                    return -1
            if not moved:
                # Solved, or to the precision of doubles, or the limit of steps is reached.
                if not self.active.shrunk:
                    break
                if self.unshrink() < 0:
                    return -1
                continue
            self.n_changes += 1
            self.work += 2.0 * front.n + 100.0
            self.n_operations += 2 * front.n
            self.steps_to_shrink -= 1
            if self.shrinking and self.steps_to_shrink <= 0:
                self.steps_to_shrink = min(front.n, 1000)
                if self.active.shrink(self.members, self.low_of(front.extremes),
                                      self.high_of(front.extremes)) < 0:
                    return -1
        if self.work >= work:
            return 0
        return -1 if self.finished() < 0 else 1

    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil:
        """Return the kernel row of the q-th slot of the front, over the front.

        Returns NULL if out of memory.
        """
        cdef const float *row
        if front.slots == NULL:
            return self.kernel_row(q, pinned)
        row = self.active.row(q)
        if row == NULL:
            row = self.kernel_row(front.slots[q], -1)
            if row == NULL:
                return NULL
            row = self.active.keep_row(q, row, pinned)
            self.work += self.members.n
        return row

    cdef Py_ssize_t wanted_soon(self, int32_t *slots, Py_ssize_t n) noexcept nogil:
        """List the most violating slots on either side; return their number."""
        cdef Front front = self.active.front(self.members)
        cdef double highest[TOGETHER]
        cdef int32_t q, side, n_side = <int32_t>(n // 2), at, n_found = 0, n_here
        cdef double g
        for side in range(2):
            n_here = 0
            for q in range(<int32_t>front.n):
                if not (front.up[q] if side == 0 else front.down[q]):
                    continue
                g = front.g[q] if side == 0 else -front.g[q]
                if n_here == n_side and g <= highest[n_side - 1]:
                    continue
                at = n_here if n_here < n_side else n_side - 1
                while at > 0 and highest[at - 1] < g:
                    highest[at] = highest[at - 1]
                    slots[n_found + at] = slots[n_found + at - 1]
                    at -= 1
                highest[at] = g
                slots[n_found + at] = q if front.slots == NULL else front.slots[q]
                n_here = min(n_here + 1, n_side)
            n_found += n_here
        return n_found

    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil:
        """Add ``by`` to the alpha of the q-th slot of the front; returns whether alpha changed."""
        cdef Py_ssize_t slot = q if front.slots == NULL else front.slots[q]
        cdef double before = self.members.alpha[slot]
        self.members.move(slot, by)
        front.up[q], front.down[q] = self.members.up[slot], self.members.down[slot]
        return self.members.alpha[slot] != before

    cdef int unshrink(self) except -2 nogil:
        """Recompute g of the slots removed by shrinking; return -1 if out of memory.

        g of the active slots is current. The others change by the alphas changed since shrinking
        began.
        """
        cdef double *old_alpha = self.active.old_alpha
        cdef const float *row
        cdef Py_ssize_t s
        if not self.active.shrunk:
            return 0
        for s in range(self.members.n):
            if self.members.alpha[s] != old_alpha[s]:
                row = self.kernel_row(s, -1)
                if row == NULL:
                    return -1
                table().axpy(old_alpha[s] - self.members.alpha[s], row, self.members.g,
                             self.members.n)
                # If the next row fails, as a kernel function may, a second call must not repeat
                # this one.
                old_alpha[s] = self.members.alpha[s]
                self.work += self.members.n
        self.active.write_back(self.members)
        self.active.forget()
        self.refresh()
        return 0
