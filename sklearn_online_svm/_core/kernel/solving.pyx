"""One binary problem: the constraints on its solution, and steps until they are met."""
from libc.math cimport INFINITY, fabs, fmax
from libc.stdint cimport int32_t

from ..simd.leaves cimport leaves_extremes, table
from .active_set cimport Front
from .learning cimport Learning
from .row_maker cimport TOGETHER

import numpy as np

cdef double EPSILON = np.finfo(np.float64).eps

# A solution on the side is finished to so many times tol: decisions hardly feel it, and following
# a stream from row to row takes a third of the time.
cdef double LOOSE = 10.0


cdef class Solving(Learning):
    cdef int finish_step(self, Front *front) except -2 nogil:
        """A step towards the optimum over the front, which violates. 1 when it moved, 0 when the
        step was lost in rounding, -1: no memory."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.finish_step")

    cdef double violation_of(self, const leaves_extremes *e) except? -1.0 nogil:
        """Violation that extremes show."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.violation_of")

    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil:
        """Violation, with the members, of a row with gradient g whose alpha may rise, or fall."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.violation_by")

    cdef double low_of(self, const leaves_extremes *e) noexcept nogil:
        """Gradient below which a slot that can only rise has no part in finishing."""
        return -INFINITY

    cdef double high_of(self, const leaves_extremes *e) noexcept nogil:
        """Gradient above which a slot that can only fall has no part in finishing."""
        return INFINITY

    cdef int finished(self) noexcept nogil:
        """The optimum over the members is reached: let go those that are of no use. -1: no
        memory."""
        return 0

    cdef int refresh(self) except -2 nogil:
        """Extremes and all that follows from g as it is."""
        with gil:
            raise NotImplementedError(f"{type(self).__name__}.refresh")

    cdef int balance(self, double total) noexcept nogil:
        """Make alpha, whose sum is ``total``, fit constraints that tie members together; here
        there are none. -1: no memory."""
        return 0

    def moved(self, alpha, lower, upper):
        """alpha of members, moved into boxes and to where constraints that tie them together
        hold; here there are none."""
        return np.clip(alpha, lower, upper)

    # -------------------------------------------------------------------------- finishing

    cdef void begin_finish(self) noexcept nogil:
        """tau is tol (looser on the side), but not below the rounding of g: no step can mend
        that."""
        cdef double total = 1.0, tol = LOOSE * self.tol if self.settling else self.tol
        cdef Py_ssize_t s
        for s in range(self.members.n):
            total += fabs(self.members.alpha[s]) * fabs(self.members.diag[s])
        self.tau = fmax(tol, 4.0 * EPSILON * total)
        self.steps_to_shrink = min(self.members.n, 1000)

    cdef int finish(self, double work) except -2 nogil:
        """Steps until the violation is at most tau, on a set that shrinks to the slots that may
        still move.

        Called again until done, after ``begin_finish``. Returns after about ``work`` values
        touched: 1 when done, 0 when not, -1: no memory. Where it returns does not change the
        steps. Between calls the problem may be left shrunk; ``unshrink`` makes it whole.
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
                # Solved, or as exact as doubles can say, or no step is left.
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
        """Kernel row of the q-th slot of the front over the front. NULL: no memory."""
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
        """Those that violate most, on either side."""
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
        """Move the alpha of the q-th slot of the front; whether that changed it."""
        cdef Py_ssize_t slot = q if front.slots == NULL else front.slots[q]
        cdef double before = self.members.alpha[slot]
        self.members.move(slot, by)
        front.up[q], front.down[q] = self.members.up[slot], self.members.down[slot]
        return self.members.alpha[slot] != before

    cdef int unshrink(self) except -2 nogil:
        """Bring the g of all slots up to date; the active ones are, the others by what their
        alpha moved since shrinking began."""
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
                # Done, should the next row fail (kernel functions may raise) and this be repeated.
                old_alpha[s] = self.members.alpha[s]
                self.work += self.members.n
        self.active.write_back(self.members)
        self.active.forget()
        self.refresh()
        return 0
