"""LASVM without a bias, driven by the duality gap.

References: Ertekin 2009, ch. 6; Ertekin, Bottou and Giles 2011. This is LASVM-G; with an admission
rule it is LASVM-NC or LASVM-I; without CLEAN it is FULL SVM.

The problem is that of ``problem.pyx`` without a bias: there is no equality constraint, and a step
changes one or two alphas. Every box has one end at 0; the other is ``bound``. For the hinge loss
that is C_i y_i; the ramp loss shifts the box of an outlier by -beta_i y_i, beta_i = C_i, to the
other side of 0.

The duality gap over the support set is

    sum_i max((upper_i - alpha_i) g_i, (lower_i - alpha_i) g_i)
        = sum_i max(0, bound_i g_i) - sum_i alpha_i g_i.

The first sum is computed in the pass that updates g; the second is updated from the step.
"""
cimport cython
from libc.math cimport INFINITY, fabs, fmax, fmin, sqrt
from libc.stdlib cimport free, qsort

from ...memory cimport grown_buffer
from ..rows.active_set cimport Front
from ..vectors.block cimport BlockValues
from .admission cimport LEFT, RAMP, RIGHT, Admission
from ...simd.primitives cimport SIMD_CURVATURE, simd_extremes, simd_moments, table
from ...threads.slices cimport dot, select_companion, update_one, update_two
from ..vectors.support_set cimport Example, inward_g, turn_to_f
from .problem cimport Problem

import numpy as np

# Relative determinant of a 2 x 2 kernel matrix up to which it is treated as singular.
cdef double FLAT = 1e-9
# Gain, in ordinary steps, from which a step to the end of a flat direction is made.
cdef double CRAWL = 1e5


cdef int _farthest_first(const void *a, const void *b) noexcept nogil:
    cdef const Idle *one = <const Idle *>a
    cdef const Idle *other = <const Idle *>b
    if one.distance != other.distance:
        return -1 if one.distance > other.distance else 1
    return -1 if one.slot < other.slot else 1


cdef void best_of_two(Coordinates *two) noexcept nogil:
    """Find the step on two coordinates of largest gain, in their boxes."""
    cdef double g_i = two.g_i, g_j = two.g_j, k_ii = two.k_ii, k_jj = two.k_jj, k_ij = two.k_ij
    cdef double det = k_ii * k_jj - k_ij * k_ij, by_i = two.alone, by_j
    two.by_i, two.by_j = two.alone, 0.0
    if det > FLAT * k_ii * k_jj:
        by_i = clipped((g_i * k_jj - g_j * k_ij) / det, two.low_i, two.high_i)
    # The exact optimum if both are free; if one is clipped, alternate maximization.
    by_j = clipped((g_j - k_ij * by_i) / k_jj, two.low_j, two.high_j)
    by_i = clipped((g_i - k_ij * by_j) / k_ii, two.low_i, two.high_i)
    if gain_of(two, by_i, by_j) >= two.alone * (g_i - 0.5 * k_ii * two.alone):
        two.by_i, two.by_j = by_i, by_j
    if not det > FLAT * k_ii * k_jj:
        follow_valley(two)


cdef void follow_valley(Coordinates *two) noexcept nogil:
    """Replace the step by one to the end of a flat direction if the gain is far larger.

    If two vectors are parallel in feature space, as with equal samples of both classes, the
    objective has no curvature in one direction: the maximum is at an end of the box, and for large
    C ordinary steps would need about C iterations to get there.
    """
    cdef double by_i, by_j, gain, best = CRAWL * gain_of(two, two.by_i, two.by_j)
    cdef int end
    for end in range(4):
        if end < 2:
            by_i = two.high_i if end else two.low_i
            by_j = clipped((two.g_j - two.k_ij * by_i) / two.k_jj, two.low_j, two.high_j)
        else:
            by_j = two.high_j if end == 3 else two.low_j
            by_i = clipped((two.g_i - two.k_ij * by_j) / two.k_ii, two.low_i, two.high_i)
        gain = gain_of(two, by_i, by_j)
        # False for an infinite box, where the gain is NaN or infinite.
        if gain > best and gain < INFINITY:
            two.by_i, two.by_j, best = by_i, by_j, gain


cdef inline double clipped(double step, double low, double high) noexcept nogil:
    return fmin(fmax(step, low), high)


cdef inline double gain_of(const Coordinates *two, double by_i, double by_j) noexcept nogil:
    return (by_i * (two.g_i - 0.5 * two.k_ii * by_i - two.k_ij * by_j)
            + by_j * (two.g_j - 0.5 * two.k_jj * by_j))


@cython.final
cdef class GapDriven(Problem):
    def __cinit__(self, *args, **kwargs):
        self.both_seen = True

    def configure(self, *, Admission admission, double gap_floor, Py_ssize_t single_steps,
                  Py_ssize_t clean_interval, Py_ssize_t max_non_sv, **common):
        Problem.configure(self, **common)
        self.admission = admission
        self.gap_floor = gap_floor
        self.single_steps = single_steps
        self.clean_interval = clean_interval
        self.max_non_sv = max_non_sv

    def __dealloc__(self):
        free(self.idle)

    cdef int begin_block(self, BlockValues *block, Py_ssize_t n_rows) except -1:
        Problem.begin_block(self, block, n_rows)
        if self.members.capacity > self.idle_capacity and self.max_non_sv >= 0:
            self.idle = <Idle *>grown_buffer(self.idle, self.members.capacity * sizeof(Idle))
            self.idle_capacity = self.members.capacity
        return 0

    def state(self):
        state = Problem.state(self)
        state["moments"] = np.array([self.loss, self.alpha_g, self.h, self.h_squared, self.stale])
        state["epoch"] = np.array([self.violation])
        state["flow"] = self.flow()
        return state

    def restore(self, state):
        Problem.restore(self, state)
        self.loss, self.alpha_g, self.h, self.h_squared = (float(v) for v in state["moments"][:4])
        self.stale, self.violation = state["moments"][4] == 1.0, state["epoch"][0]
        for region in range(3):
            self.admitted[region] = state["flow"][0, region]
            self.cleaned[region] = state["flow"][1, region]
            self.skipped[region] = state["flow"][2, region]

    def flow(self):
        """Return (3, 3) counts of samples: admitted, removed by CLEAN, not admitted.

        Columns: by position at arrival, left of the ramp, on it, right of it.
        """
        return np.array([self.admitted, self.cleaned, self.skipped], dtype=np.int64)

    def count_work_of(self, Problem former):
        cdef Py_ssize_t region
        cdef GapDriven replaced = former
        Problem.count_work_of(self, former)
        for region in range(3):
            self.admitted[region] += replaced.admitted[region]
            self.cleaned[region] += replaced.cleaned[region]
            self.skipped[region] += replaced.skipped[region]

    def begin_pass(self):
        self.violation = 0.0

    cdef int process_sample(self, Example *row) except -2 nogil:
        if not row.upper > row.lower:
            return 0                            # empty box: a sample of weight 0
        self.added = False
        self.n_steps = 0
        if self.members.knows(row.row_id, row.is_new):
            self.set_target()
            return 1
        return self.process(row)

    # -------------------------------------------------------------------------- PROCESS

    cdef int process(self, Example *row) noexcept nogil:
        """PROCESS: add an admitted sample and make a step on it.

        Returns 1 if it was added, 0 if not, -1 if out of memory.

        Deviation: no step on a sample that violates by at most tol. The thesis steps for any g;
        then repeated epochs would never converge.
        """
        cdef float *k = self.matrix.block_row(row.place)
        cdef simd_extremes *e = &self.members.extremes
        cdef double g = row.target - dot(self.team, k, self.members.alpha, self.members.n), z, h
        cdef Py_ssize_t slot
        self.record_residual(row, g)
        g = turn_to_f(self.members, row, g)
        z = row.y * (row.target - g)
        row.region = LEFT if z < self.admission.ramp_s else RIGHT if z > 1.0 else RAMP
        if not self.admission.admit(row, z, self.members.n_members - self.members.n_zeros):
            self.skipped[row.region] += 1
            return 0
        self.set_target()
        slot = self.add(row, k, g)
        if slot < 0:
            return -1
        self.admitted[row.region] += 1
        self.added = True
        h = fabs(self.members.bound[slot]) * row.y * g
        self.h += h
        self.h_squared += h * h
        self.loss += fmax(0.0, self.members.bound[slot] * g)
        if row.upper > 0.0 and g > e.g_max:
            e.g_max, e.i_max = g, slot
        if row.lower < 0.0 and g < e.g_min:
            e.g_min, e.j_min = g, slot
        g = g if row.upper > 0.0 else -g
        self.violation = fmax(self.violation, g)
        if g > self.tau:
            self.step(slot, k)
        else:
            self.delta = self.violation_of(e)
        return 1

    cdef void set_target(self) noexcept nogil:
        """Set the target of the duality gap for REPROCESS (thesis, eq. 6.3).

        It is the standard deviation of the members' contributions to the primal objective, times
        the square root of their number.

        Deviation: the number of terms is the size of the support set. With the number of support
        vectors, as printed, the argument of the root can be negative.
        """
        cdef double variance = 0.0
        if self.turn_zeros():
            self.refresh()
        if self.stale:
            self.sum_up()
        if self.members.n_members:
            variance = self.h_squared - self.h * self.h / self.members.n_members
        self.threshold = fmax(self.gap_floor, sqrt(fmax(0.0, variance)))

    cdef void sum_up(self) noexcept nogil:
        cdef simd_moments moments
        table().moments(self.members.g, self.members.alpha, self.members.bound, self.members.y,
                        self.members.n, &moments)
        self.h, self.h_squared, self.alpha_g = moments.h, moments.h_squared, moments.alpha_g
        self.stale = False

    cdef double gap_now(self) noexcept nogil:
        return self.loss - self.alpha_g

    # -------------------------------------------------------------------------- REPROCESS

    cdef int reprocess_as_needed(self) except -2 nogil:
        """Run REPROCESS until the gap reaches its target; then CLEAN if it is due."""
        cdef int stepped
        cdef Py_ssize_t n_admitted
        self.matrix.work = 0.0
        while self.gap_now() > self.threshold and self.may_reprocess():
            stepped = self.reprocess() if self.n_steps < self.single_steps else self.step_on_two()
            self.n_steps += 1
            if stepped < 0:
                return -1
            if not stepped:
                break  # no violation is left, even if the gap is above its target
            self.matrix.work += 2.0 * self.members.n
            if self.matrix.work > self.work_limit:
                return 1
        n_admitted = self.admitted[LEFT] + self.admitted[RAMP] + self.admitted[RIGHT]
        if self.added and self.clean_interval > 0 and n_admitted % self.clean_interval == 0:
            return self.clean()
        return 0

    cdef int reprocess(self) noexcept nogil:
        """REPROCESS: make a step on the most violating member.

        Returns 1 if alpha changed, 0 if no step is left, -1 if out of memory.

        Deviation: the criterion is max(g_j, -g_i) > tol. The thesis tests g_j - g_i, the criterion
        of the problem with a bias.
        """
        cdef const simd_extremes *e = &self.members.extremes
        cdef Py_ssize_t slot = e.j_min if -e.g_min > e.g_max else e.i_max
        cdef const float *k
        if not self.violation_of(e) > self.tau:
            return 0
        k = self.matrix.row(slot, -1)
        return -1 if k == NULL else self.step(slot, k)

    cdef int step(self, Py_ssize_t slot, const float *k) noexcept nogil:
        """Make a step on one coordinate; update g, its extremes and the gap in one pass.

        lam = g / K_ss, clipped to the box. Returns whether alpha changed.
        """
        cdef double g = self.members.g[slot], before = self.members.alpha[slot], lam
        cdef double diag = fmax(self.members.diag[slot], SIMD_CURVATURE)
        lam = fmin(fmax(g / diag, self.members.lower[slot] - before),
                   self.members.upper[slot] - before)
        self.members.move(slot, lam)
        # Change of sum alpha g, from K alpha = target - g.
        self.alpha_g += lam * (2.0 * g - self.members.target[slot] - lam * self.members.diag[slot])
        self.members.turn_if_crossed(slot, before)
        self.loss = update_one(self.team, self.members.g, k, lam, self.members.up,
                               self.members.down, self.members.bound, self.members.n,
                               &self.members.extremes)
        self.delta = self.violation_of(&self.members.extremes)
        self.stale = True
        self.n_operations += self.members.n
        self.n_changes += 1
        # Equal if the step was lost in rounding: then no gain is left here.
        return self.members.alpha[slot] != before

    cdef int step_on_two(self) noexcept nogil:
        """REPROCESS on two coordinates, as in ``finish``.

        Deviation: the thesis steps on one coordinate only. Where kernel values are nearly equal,
        each such step undoes most of the one before, and a few samples would take most of the
        time.
        """
        cdef Front front = self.matrix.active.front(self.members)
        cdef Two step
        cdef double *g = self.members.g
        cdef double bent, alpha_i, alpha_j
        cdef bint moved
        if not self.violation_of(front.extremes) > self.tau:
            return 0
        if self.choose_two(&front, &step) < 0:
            return -1
        alpha_i, alpha_j = self.members.alpha[step.i], self.members.alpha[step.j]
        moved = self.move(&front, step.i, step.by_i)
        if step.j != step.i:
            moved |= self.move(&front, step.j, step.by_j)
        bent = (self.members.diag[step.i] * step.by_i * step.by_i
                + self.members.diag[step.j] * step.by_j * step.by_j
                + 2.0 * step.k_i[step.j] * step.by_i * step.by_j)
        self.alpha_g += (step.by_i * (2.0 * g[step.i] - self.members.target[step.i])
                         + step.by_j * (2.0 * g[step.j] - self.members.target[step.j]) - bent)
        self.turn_if_crossed(&front, step.i, alpha_i)
        if step.j != step.i:
            self.turn_if_crossed(&front, step.j, alpha_j)
        self.loss = update_two(self.team, g, step.k_i, step.by_i, step.k_j, step.by_j, front.up,
                               front.down, self.members.bound, front.n, front.extremes)
        self.delta = self.violation_of(front.extremes)
        self.stale = True
        self.n_operations += 2 * front.n
        self.n_changes += 1
        return moved

    # -------------------------------------------------------------------------- CLEAN

    cdef int clean(self) noexcept nogil:
        """CLEAN: keep ``max_non_sv`` members at alpha = 0, evict those farthest from a step.

        Deviation: the distance is the signed gradient (thesis: its absolute value), so that
        violating members are kept.
        """
        cdef Py_ssize_t p, slot, n = self.members.n_zeros
        if n <= self.max_non_sv or self.max_non_sv < 0:
            return 0
        for p in range(n):
            slot = self.members.zeros[p]
            self.idle[p].slot = slot
            self.idle[p].distance = -inward_g(self.members, slot)
        qsort(self.idle, n, sizeof(Idle), &_farthest_first)
        for p in range(n - self.max_non_sv):
            slot = self.idle[p].slot
            if self.members.region[slot] >= 0:
                self.cleaned[self.members.region[slot]] += 1
            self.evict_slot(slot)
        self.refresh()
        return 0

    cdef int refresh(self) except -2 nogil:
        cdef Py_ssize_t s
        self.members.scan()
        self.delta = self.violation_of(&self.members.extremes)
        self.loss = 0.0
        for s in range(self.members.n):
            if self.members.bound[s] != 0.0:
                self.loss += fmax(0.0, self.members.bound[s] * self.members.g[s])
        self.sum_up()

    # -------------------------------------------------------------------------- finish

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
        cdef double alpha_i, alpha_j
        cdef bint moved
        if self.choose_two(front, &step) < 0:
            return -1
        alpha_i, alpha_j = self.alpha_of(front, step.i), self.alpha_of(front, step.j)
        moved = self.move(front, step.i, step.by_i)
        if step.j != step.i:
            moved |= self.move(front, step.j, step.by_j)
        if moved:
            self.turn_if_crossed(front, step.i, alpha_i)
            if step.j != step.i:
                self.turn_if_crossed(front, step.j, alpha_j)
            update_two(self.team, front.g, step.k_i, step.by_i, step.k_j, step.by_j, front.up,
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
        cdef double alone
        cdef Coordinates two
        step.i = step.j = i
        step.k_i = step.k_j = self.matrix.front_row(front, i, -1)
        if step.k_i == NULL:
            return -1
        step.by_i = alone = self.pull(front, i, g_i / k_ii)
        step.by_j = 0.0
        j = select_companion(self.team, front.g, step.k_i, front.diag, alone, <float>k_ii,
                             front.up, front.down, front.n)
        if j < 0 or j == i:
            return 0
        step.k_j = self.matrix.front_row(front, j, i)
        if step.k_j == NULL:
            return -1
        step.j = j
        two.g_i, two.g_j, two.k_ij = g_i, front.g[j], step.k_i[j]
        two.k_ii, two.k_jj = k_ii, fmax(front.diag[j], SIMD_CURVATURE)
        two.alone = alone
        two.low_i, two.high_i = self.pull(front, i, -INFINITY), self.pull(front, i, INFINITY)
        two.low_j, two.high_j = self.pull(front, j, -INFINITY), self.pull(front, j, INFINITY)
        best_of_two(&two)
        step.by_i, step.by_j = two.by_i, two.by_j
        return 0

    cdef double pull(self, const Front *front, Py_ssize_t q, double wanted) noexcept nogil:
        """Return the step ``wanted`` for the q-th slot of the front, clipped to its box."""
        cdef Py_ssize_t slot = q if front.slots == NULL else front.slots[q]
        cdef double alpha = self.alpha_of(front, q)
        return fmin(fmax(wanted, self.members.lower[slot] - alpha),
                    self.members.upper[slot] - alpha)

    cdef int evict_at_optimum(self) noexcept nogil:
        self.refresh()
        return 0 if self.optimizing else self.clean()

    cdef void exchange(self) noexcept nogil:
        cdef double *other = &self.optimized.numbers[3]
        cdef bint stale = self.stale
        Problem.exchange(self)
        self.loss, other[0] = other[0], self.loss
        self.alpha_g, other[1] = other[1], self.alpha_g
        self.h, other[2] = other[2], self.h
        self.h_squared, other[3] = other[3], self.h_squared
        self.stale, other[4] = other[4] != 0.0, stale

    @property
    def violation_met(self):
        return max(self.violation, self.delta)
