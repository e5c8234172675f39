"""A problem without a bias: optimality conditions, and steps on one or two coordinates.

    max  D = sum_i (alpha_i t_i + beta_i) - 1/2 sum_ij alpha_i alpha_j K_ij
    s.t. lower_i <= alpha_i <= upper_i,

with signed alpha. As f(x) = sum_i alpha_i K(x_i, x) has no bias, there is no equality constraint,
and a single alpha may move. In classification the targets t are the labels y. The gradient is g_i
= t_i - f(x_i). beta_i is C_i for a sample on the flat part of a ramp loss, else 0.
"""
from libc.math cimport INFINITY, fmax, fmin

from ..simd.primitives cimport SIMD_CURVATURE, simd_extremes, table
from .active_set cimport Front
from .problem cimport Problem

# Relative determinant of a 2 x 2 kernel matrix up to which it is treated as singular.
cdef double FLAT = 1e-9
# Gain, in ordinary steps, from which a step to the end of a flat direction is made.
cdef double CRAWL = 1e5


cdef class WithoutBias(Problem):
    cdef double violation_of(self, const simd_extremes *e) except? -1.0 nogil:
        return fmax(0.0, fmax(e.g_max, -e.g_min))

    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil:
        # Without an equality constraint, each sample violates independently of the others.
        return fmax(g if rises else 0.0, -g if falls else 0.0)

    cdef double low_of(self, const simd_extremes *e) noexcept nogil:
        return -self.violation_of(e)

    cdef double high_of(self, const simd_extremes *e) noexcept nogil:
        return self.violation_of(e)

    cdef int finish_step(self, Front *front) except -2 nogil:
        cdef Two step
        cdef bint moved
        if self.choose_two(front, &step) < 0:
            return -1
        moved = self.move(front, step.i, step.by_i)
        if step.j != step.i:
            moved |= self.move(front, step.j, step.by_j)
        if moved:
            table().update_two(front.g, step.k_i, step.by_i, step.k_j, step.by_j, front.up,
                               front.down, NULL, front.n, front.extremes)
        return moved

    cdef int choose_two(self, Front *front, Two *step) noexcept nogil:
        """Choose a step on two coordinates; return -1 if out of memory.

        The first is the most violating one, the second the one that adds the largest gain
        (Steinwart, Hush and Scovel 2011). Where kernel values are nearly equal, steps on single
        coordinates converge very slowly.
        """
        cdef simd_extremes *e = front.extremes
        cdef Py_ssize_t i = e.j_min if -e.g_min > e.g_max else e.i_max, j
        cdef double k_ii = fmax(front.diag[i], SIMD_CURVATURE), g_i = front.g[i]
        cdef double k_jj, k_ij, g_j, det, by_i, by_j, alone
        step.i = step.j = i
        step.k_i = step.k_j = self.front_row(front, i, -1)
        if step.k_i == NULL:
            return -1
        step.by_i = alone = self.pull(front, i, g_i / k_ii)
        step.by_j = 0.0
        j = table().companion(front.g, step.k_i, front.diag, alone, <float>k_ii, front.up,
                              front.down, front.n)
        if j < 0 or j == i:
            return 0
        step.k_j = self.front_row(front, j, i)
        if step.k_j == NULL:
            return -1
        step.j = j
        k_jj, k_ij, g_j = fmax(front.diag[j], SIMD_CURVATURE), step.k_i[j], front.g[j]
        det = k_ii * k_jj - k_ij * k_ij
        by_i = alone
        if det > FLAT * k_ii * k_jj:
            by_i = self.pull(front, i, (g_i * k_jj - g_j * k_ij) / det)
        # The exact optimum if both are free; if one is clipped, alternate maximization.
        by_j = self.pull(front, j, (g_j - k_ij * by_i) / k_jj)
        by_i = self.pull(front, i, (g_i - k_ij * by_j) / k_ii)
        if (by_i * (g_i - 0.5 * k_ii * by_i - k_ij * by_j) + by_j * (g_j - 0.5 * k_jj * by_j)
                >= alone * (g_i - 0.5 * k_ii * alone)):
            step.by_i, step.by_j = by_i, by_j
        if not det > FLAT * k_ii * k_jj:
            self.follow_valley(front, step, k_ii, k_jj)
        return 0

    cdef void follow_valley(self, const Front *front, Two *step, double k_ii,
                            double k_jj) noexcept nogil:
        """Replace the step by one to the end of a flat direction if the gain is far larger.

        If two vectors are parallel in feature space, as with equal samples of both classes, the
        objective has no curvature in one direction: the maximum is at an end of the box, and for
        large C ordinary steps would need about C iterations to get there.
        """
        cdef double g_i = front.g[step.i], g_j = front.g[step.j], k_ij = step.k_i[step.j]
        cdef double by_i = step.by_i, by_j = step.by_j, gain
        cdef double best = CRAWL * (by_i * (g_i - 0.5 * k_ii * by_i - k_ij * by_j)
                                    + by_j * (g_j - 0.5 * k_jj * by_j))
        cdef int end
        for end in range(4):
            if end < 2:
                by_i = self.pull(front, step.i, INFINITY if end else -INFINITY)
                by_j = self.pull(front, step.j, (g_j - k_ij * by_i) / k_jj)
            else:
                by_j = self.pull(front, step.j, INFINITY if end == 3 else -INFINITY)
                by_i = self.pull(front, step.i, (g_i - k_ij * by_j) / k_ii)
            gain = (by_i * (g_i - 0.5 * k_ii * by_i - k_ij * by_j)
                    + by_j * (g_j - 0.5 * k_jj * by_j))
            # False for an infinite box, where the gain is NaN or infinite.
            if gain > best and gain < INFINITY:
                step.by_i, step.by_j, best = by_i, by_j, gain

    cdef double pull(self, const Front *front, Py_ssize_t q, double wanted) noexcept nogil:
        """Return the step ``wanted`` for the q-th slot of the front, clipped to its box."""
        cdef Py_ssize_t slot = q if front.slots == NULL else front.slots[q]
        cdef double alpha = self.members.alpha[slot]
        return fmin(fmax(wanted, self.members.lower[slot] - alpha),
                    self.members.upper[slot] - alpha)
