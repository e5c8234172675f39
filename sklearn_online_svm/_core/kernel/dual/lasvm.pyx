"""LASVM on one binary problem (Bordes, Ertekin, Weston and Bottou 2005; Ertekin 2009, ch. 3).

The problem is the dual of the support vector machine with a bias,

    max  sum_i alpha_i t_i - 1/2 sum_ij alpha_i alpha_j K_ij
    s.t. sum_i alpha_i = 0,   lower_i <= alpha_i <= upper_i,

with signed alpha and targets t (in classification the labels, 1 and -1). Its gradient, and the
decision function, are

    g_i = t_i - sum_j alpha_j K_ij,   f(x) = sum_i alpha_i K(x_i, x) + b.

A pair (i, j) is tau-violating if alpha_i < upper_i, alpha_j > lower_j and g_i - g_j > tau. A step
along it is

    lam = min((g_i - g_j) / (K_ii + K_jj - 2 K_ij), upper_i - alpha_i, alpha_j - lower_j),
    alpha_i += lam,   alpha_j -= lam,   g_s -= lam (K_is - K_js) for all s in the support set.

PROCESS makes a step with a new sample that violates with a member of the support set, and adds it.
REPROCESS makes a step along the most violating pair of the support set and evicts samples that are
not needed. Online training runs PROCESS and REPROCESS for each sample; ``finish`` makes steps with
second-order working set selection until no pair is tau-violating, and evicts once, at its end.

Regression differs by the members at alpha = 0, which count on both sides
(``SupportSet.ends``). The one-class
problem differs by the sum of alpha, which grows with the samples (``one_class.pyx``).
"""
from libc.math cimport INFINITY, fabs, fmax, fmin
from cpython.ref cimport PyObject
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, malloc, qsort

from ..rows.active_set cimport Front
from ...simd.primitives cimport SIMD_CURVATURE, simd_extremes
from ...threads.slices cimport (
    SORTED, begin_of, dot, n_parts_of_zeros, own_slots, select_partner, update, update_one,
)
from ...threads.team cimport team_next
from .problem cimport Problem
from ..vectors.support_set cimport (
    Example, SupportSet, distance_of, falling_g, may_step_on_other_side, turn_example,
)

import numpy as np

# Part of the sum of weights up to which a difference of errors is rounding.
cdef double SMALL = 1e-9

# Violation, in multiples of tau, above which a solution is far from the optimum.
cdef double FAR = 100.0

# Relative change of the slack after a sample, while the reserve is not full.
cdef double SLACK_RATE = 0.01

# Factor by which the slack is reduced at a time when the reserve is too large.
cdef double THINNING = 0.95

# Smaller numbers may not change when they are multiplied by THINNING.
cdef double LEAST_SLACK = 1e-300


# A value of b at which the prediction of a sample changes, and the change of the errors beyond it.
cdef struct Crossing:
    double b, change


cdef int _by_b(const void *a, const void *b) noexcept nogil:
    cdef double x = (<const Crossing *>a).b, y = (<const Crossing *>b).b
    return (x > y) - (x < y)


cdef int _descending(const void *a, const void *b) noexcept nogil:
    cdef int32_t x = (<const int32_t *>a)[0], y = (<const int32_t *>b)[0]
    return (x < y) - (x > y)


cdef inline bint is_evictable(SupportSet members, Py_ssize_t s,
                              const simd_extremes *e) noexcept nogil:
    """Return whether the gradient of a member at alpha = 0 is beyond the other extreme."""
    cdef double g = members.g[s]
    return not may_step_on_other_side(members, s, e) and (
        members.upper[s] == 0.0 and g >= e.g_max and g > e.g_min
        or members.lower[s] == 0.0 and g <= e.g_min and g < e.g_max)


# Members at alpha = 0 that are to be evicted: places in the list of these members, in any order.
# If there are more than MOST_LISTED, the others are not listed.
cdef enum:
    MOST_LISTED = 64

cdef struct Evictable:
    PyObject *members
    const simd_extremes *e
    int32_t places[MOST_LISTED]
    Py_ssize_t n


cdef void list_evictable(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Evictable *found = <Evictable *>context
    cdef const int32_t *slots = (<SupportSet>found.members).zeros
    cdef Py_ssize_t begin = begin_of(part, n_parts, (<SupportSet>found.members).n)
    cdef Py_ssize_t end = begin_of(part + 1, n_parts, (<SupportSet>found.members).n)
    cdef Py_ssize_t first = 0, k, place, n_own, n = (<SupportSet>found.members).n_zeros
    cdef int32_t own[SORTED]
    while first < n:
        n_own = own_slots(slots + first, min(SORTED, n - first), begin, end, own)
        for k in range(n_own):
            if is_evictable(<SupportSet>found.members, slots[first + own[k]], found.e):
                place = team_next(&found.n)
                if place < MOST_LISTED:
                    found.places[place] = <int32_t>(first + own[k])
        first += SORTED


cdef double least_errors(const double *alpha, const double *g, const int8_t *y, Py_ssize_t n,
                         double low, double high, double b) noexcept nogil:
    """Return the b between two values with the least training errors, weighted by |alpha|.

    The present b is returned if it is one of them; otherwise the middle of the nearest interval.
    """
    cdef Crossing *crossings = <Crossing *>malloc(n * sizeof(Crossing))
    cdef Py_ssize_t s, k, n_crossings = 0
    cdef double left, right, weight, errors = 0.0, least = INFINITY, total = 0.0
    cdef double distance, nearest = INFINITY, chosen = b
    if crossings == NULL:
        return b
    for s in range(n):
        weight = fabs(alpha[s])
        if weight > 0.0:
            # The sample is predicted as positive if b is larger.
            crossings[n_crossings].b = g[s] - y[s]
            crossings[n_crossings].change = -weight if y[s] > 0 else weight
            total += weight
            n_crossings += 1
    qsort(crossings, n_crossings, sizeof(Crossing), &_by_b)
    left = low
    for k in range(n_crossings + 1):
        right = high if k == n_crossings else fmin(crossings[k].b, high)
        if right > left:
            distance = fmax(0.0, fmax(left - b, b - right))
            # Sums of weights that differ by rounding are equal.
            if (errors < least - SMALL * total
                    or errors < least + SMALL * total and distance < nearest):
                least, nearest = errors, distance
                chosen = b if distance == 0.0 else 0.5 * (left + right)
            left = right
        if k < n_crossings:
            errors += crossings[k].change
    free(crossings)
    return chosen


cdef double least_loss(const double *g, const int8_t *y, const double *lower, const double *upper,
                       Py_ssize_t n, bint two_sided, double width, double b) noexcept nogil:
    """Return the b with the least training loss for these coefficients; ``b`` if out of memory.

    The loss is convex and piecewise linear in b; in classification its slope grows by C at each
    g_i, in regression at both ends of the tube. Far from the optimum the middle of the extremes of
    g can be anywhere: one sample decides it.
    """
    cdef Crossing *crossings = <Crossing *>malloc(2 * n * sizeof(Crossing))
    cdef Py_ssize_t s, k, n_crossings = 0
    cdef double cost, total = 0.0, slope = 0.0
    if crossings == NULL:
        return b
    for s in range(n):
        cost = upper[s] - lower[s]
        cost = 1.0 if cost == INFINITY else cost
        total += cost
        # Below g the loss decreases with b for a sample of the upper side.
        if two_sided or y[s] > 0:
            slope -= cost
        crossings[n_crossings].b, crossings[n_crossings].change = g[s], cost
        n_crossings += 1
        if two_sided:
            crossings[n_crossings].b = g[s] + (width if y[s] > 0 else -width)
            crossings[n_crossings].change = cost
            n_crossings += 1
    qsort(crossings, n_crossings, sizeof(Crossing), &_by_b)
    for k in range(n_crossings):
        slope += crossings[k].change
        if slope >= -SMALL * total:
            b = crossings[k].b
            if slope <= SMALL * total and k + 1 < n_crossings:
                b = 0.5 * (b + crossings[k + 1].b)
            break
    free(crossings)
    return b


cdef double middle(const simd_extremes *e, double b) noexcept nogil:
    """Return (g_max + g_min) / 2; if only one of the two exists, it; if none, ``b``."""
    if e.i_max >= 0 and e.j_min >= 0:
        return 0.5 * (e.g_max + e.g_min)
    if e.i_max >= 0 or e.j_min >= 0:
        return e.g_max if e.i_max >= 0 else e.g_min
    return b


cdef double final_bias(const double *alpha, const double *g, const int8_t *y,
                       const double *lower, const double *upper, Py_ssize_t n, bint two_sided,
                       double width, const simd_extremes *e, double tau,
                       double b) noexcept nogil:
    """Return b at the optimum: ``b``, or if all members are at a bound, one of an interval.

    Far from the optimum, where the limit of steps was reached, it is that of ``least_loss``.

    Any b between g_max < g_min is optimal. The mean of the residuals weighted by |alpha|,
    which is C here, clipped to the interval, minimizes the weighted sum of squares. It is chosen
    in regression; in classification if no other b has fewer training errors (``least_errors``).
    LIBSVM takes the middle of the interval, or an end of it if one alpha misses its bound by
    rounding.
    """
    cdef double weight, total = 0.0, mean = 0.0, half = 0.5 * width
    cdef Py_ssize_t s
    if e.i_max < 0 or e.j_min < 0:
        return b
    if e.g_max - e.g_min > FAR * tau:
        return least_loss(g, y, lower, upper, n, two_sided, width, b)
    if not e.g_max < e.g_min:
        return b
    for s in range(n):
        weight = fabs(alpha[s])
        total += weight
        mean += weight * (g[s] + half * y[s])
    if total > 0.0:
        b = fmin(fmax(mean / total, e.g_max), e.g_min)
        if not two_sided:
            b = least_errors(alpha, g, y, n, e.g_max, e.g_min, b)
    return b


cdef class Lasvm(Problem):
    def __cinit__(self, *args, **kwargs):
        self.begin_pass()

    def configure(self, *, double delta_max=INFINITY, Py_ssize_t n_init=5, bint evicts=True,
                  **common):
        Problem.configure(self, **common)
        self.delta_max = delta_max
        self.n_init = n_init
        self.evicts = evicts

    def begin_pass(self):
        self.violation = 0.0
        self.high = -INFINITY
        self.low = INFINITY

    def state(self):
        state = Problem.state(self)
        state["epoch"] = np.array([self.violation, self.high, self.low])
        state["reserve"] = np.array([self.slack, self.n_reserve])
        return state

    def restore(self, state):
        Problem.restore(self, state)
        self.violation, self.high, self.low = (float(v) for v in state["epoch"])
        self.slack, n_reserve = state["reserve"]
        self.n_reserve = int(n_reserve)

    def mirror(self):
        Problem.mirror(self)
        self.high, self.low = -self.low, -self.high

    @property
    def reserve(self):
        """Number of members at alpha = 0 that are kept; they may be support vectors later."""
        return self.n_reserve

    @reserve.setter
    def reserve(self, Py_ssize_t n):
        if (n > 0) != (self.n_reserve > 0):
            self.slack = INFINITY if n > 0 else 0.0
        self.n_reserve = n

    cdef int process_sample(self, Example *row) except -2 nogil:
        self.changed = 0
        if not row.upper > row.lower:
            return 0                            # empty box: a sample of weight 0
        if not self.members.knows(row.row_id, row.is_new):
            self.changed = self.process(row)
            if self.changed < 0:
                return -1
        return self.both_seen

    cdef int reprocess_as_needed(self) except -2 nogil:
        """Run REPROCESS once, or until delta <= delta_max."""
        self.matrix.work = 0.0
        # Without a change since the last REPROCESS, its result is still valid.
        while self.changed or self.delta > self.tau:
            self.changed = self.reprocess()
            if self.changed <= 0:
                return self.changed
            if not self.delta > self.delta_max or not self.may_reprocess():
                return 0
            self.matrix.work += 2.0 * self.members.n
            if self.matrix.work > self.work_limit:
                return 1
        return 0

    # -------------------------------------------------------------------------- PROCESS

    cdef int process(self, Example *row) noexcept nogil:
        """PROCESS(k): add a sample to the support set and make a step with it.

        Sets alpha_k = 0 and g_k = t_k - sum_s alpha_s K_ks. The partner is the extreme of the
        other side: the pair is (k, argmin g) if alpha_k may increase, (argmax g, k) if it may
        decrease. If the pair is tau-violating, k is added and a step is made along it. Returns 1
        if k was added, 0 if not, -1 if out of memory.

        Deviation: if the pair is not violating, k is not added, as in the authors' program. In the
        thesis it stays in the set with alpha = 0 until REPROCESS evicts it.

        Deviation: a sample that would be the extreme of its own side is added all the same. If all
        members are at a bound, then g_max < g_min, and two new samples of different classes with
        gradients between these may violate with each other but with no member. Unless one of them
        is kept, they are never paired, and training stops far from the optimum.
        """
        cdef float *k = self.matrix.block_row(row.place)
        cdef const float *k_partner
        cdef simd_extremes e = self.members.ends(self.team)
        cdef bint two_sided = self.members.two_sided, rises = row.upper > 0.0
        cdef double g, g_falling, gap
        cdef Py_ssize_t partner, slot
        if not self.both_seen:
            if not two_sided and (self.members.n_members == 0 or e.i_max >= 0 and rises
                                  or e.j_min >= 0 and not rises):
                # Only one class so far: alpha and f remain 0.
                if self.members.n_members >= max(self.n_init, self.n_reserve):
                    return 0
                if self.add(row, k, row.target) < 0:
                    return -1
                self.n_changes += 1
                self.members.scan()
                self.b = row.target
                return 1
            self.both_seen = True
        g = row.target - dot(self.team, k, self.members.alpha, self.members.n)
        self.record_residual(row, g - self.b)
        g_falling = falling_g(self.members, row, g)
        self.low = fmin(self.low, g_falling)
        if rises:
            self.high = fmax(self.high, g)
            if e.i_max >= 0 and e.g_max - g_falling > g - e.g_min:
                turn_example(self.members, row)
                g, rises = g_falling, False
        partner = e.j_min if rises else e.i_max
        gap = g - e.g_min if rises else e.g_max - g
        if partner < 0 and not two_sided:
            return 0
        self.violation = fmax(self.violation, gap)
        if not gap > self.tau and not (g > e.g_max if rises else g < e.g_min):
            if self.n_reserve == 0:
                return 0
            if self.members.n_zeros < self.n_reserve:
                self.slack *= 1.0 + SLACK_RATE
            if not -gap < self.slack:
                return 0
        slot = self.add(row, k, g)
        if slot < 0:
            return -1
        self.n_changes += 1
        if not gap > self.tau or partner < 0:
            self.members.update_extremes(slot)
            return 1
        self.members.turn_for_step(partner, not rises)
        # The row of the new sample is available; only the partner's comes from the cache.
        k_partner = self.matrix.row(partner, slot)
        if k_partner == NULL:
            return -1
        if rises:
            self.step(slot, partner, k, k_partner)
        else:
            self.step(partner, slot, k_partner, k)
        return 1

    # -------------------------------------------------------------------------- REPROCESS

    cdef int reprocess(self) noexcept nogil:
        """REPROCESS: make a step along the most violating pair, then set b and delta and evict.

        The pair is i = argmax g over alpha_i < upper_i and j = argmin g over alpha_j > lower_j.
        Returns 1 if alpha changed, 0 if the pair was not tau-violating or the step was lost in
        rounding, -1 if out of memory.
        """
        cdef simd_extremes e = self.members.ends(self.team)
        cdef Py_ssize_t i = e.i_max, j = e.j_min
        cdef const float *k_i
        cdef const float *k_j
        cdef bint violating = e.g_max - e.g_min > self.tau
        if violating:
            self.members.turn_for_step(i, True)
            self.members.turn_for_step(j, False)
            k_i = self.matrix.row(i, -1)
            k_j = self.matrix.row(j, i)
            if k_i == NULL or k_j == NULL:
                return -1
            violating = self.step(i, j, k_i, k_j)
            e = self.members.ends(self.team)
        self.set_b_from(&e)
        self.evict(&e)
        return violating

    cdef void set_b(self) noexcept nogil:
        cdef simd_extremes e = self.members.ends(self.team)
        self.set_b_from(&e)

    cdef void set_b_from(self, const simd_extremes *e) noexcept nogil:
        """Set b and delta = g_max - g_min from the extremes of g."""
        self.b, self.delta = middle(e, self.b), e.g_max - e.g_min

    cdef void set_final_b(self) noexcept nogil:
        """Set b and delta at the optimum (see ``final_bias``)."""
        cdef simd_extremes e = self.members.ends(self.team)
        self.set_b_from(&e)
        self.b = final_bias(self.members.alpha, self.members.g, self.members.y,
                            self.members.lower, self.members.upper, self.members.n,
                            self.members.two_sided, self.members.width, &e, self.tau, self.b)

    cdef void evict(self, const simd_extremes *e) noexcept nogil:
        """Evict members at alpha = 0 whose gradient is beyond the extreme of the other side.

        These have upper_s = 0 and g_s >= g_max, or lower_s = 0 and g_s <= g_min.

        Deviation: the extreme of its own side is kept (see ``process``).
        """
        cdef Evictable found
        cdef Py_ssize_t k, p = self.members.n_zeros, n_parts
        if e.i_max < 0 or e.j_min < 0 or not self.evicts:
            return
        if self.n_reserve > 0:
            self.thin_reserve(e)
            return
        # Backwards, as remove() replaces an entry by the last one, which has been visited.
        n_parts = n_parts_of_zeros(self.team, self.members.n, p)
        if n_parts > 1:
            found.members, found.e, found.n = <PyObject *>self.members, e, 0
            self.team.run(list_evictable, &found, n_parts)
            if found.n <= MOST_LISTED:
                qsort(found.places, found.n, sizeof(int32_t), &_descending)
                for k in range(found.n):
                    self.evict_slot(self.members.zeros[found.places[k]])
                return
        while p > 0:
            p -= 1
            if is_evictable(self.members, self.members.zeros[p], e):
                self.evict_slot(self.members.zeros[p])

    cdef void thin_reserve(self, const simd_extremes *e) noexcept nogil:
        """Evict members at alpha = 0 that are farthest from violating, if there are too many.

        ``slack`` becomes the distance of the farthest one left, at which new samples are added. It
        is not less than the distance of the extremes, which are kept (see ``process``).
        """
        cdef Py_ssize_t p, n = self.members.n_zeros, n_left = n
        cdef double farthest = 0.0, nearest = fmax(e.g_min - e.g_max, fmax(self.tau, LEAST_SLACK))
        cdef double *distances
        if n <= self.n_reserve + self.n_reserve // 4:
            return
        distances = <double *>malloc(n * sizeof(double))
        if distances == NULL:
            return  # until a later sample
        for p in range(n):
            distances[p] = distance_of(self.members, self.members.zeros[p], e)
            farthest = fmax(farthest, distances[p])
        self.slack = fmax(fmin(self.slack, farthest), nearest)
        while n_left > self.n_reserve and self.slack > nearest:
            self.slack = fmax(self.slack * THINNING, nearest)
            n_left = 0
            for p in range(n):
                n_left += distances[p] <= self.slack
        # Backwards, as in ``evict``.
        for p in range(n - 1, -1, -1):
            if distances[p] > self.slack:
                self.evict_slot(self.members.zeros[p])
        free(distances)

    cdef bint step(self, Py_ssize_t i, Py_ssize_t j, const float *k_i,
                   const float *k_j) noexcept nogil:
        """Make a step along the pair (i, j); update g and its extremes in one pass.

        Returns whether alpha changed.
        """
        cdef double alpha_i = self.members.alpha[i], alpha_j = self.members.alpha[j]
        cdef double lam = self.length_of_step(i, j, self.members.g[i] - self.members.g[j], k_i[j])
        cdef bint moved
        self.members.move(i, lam)
        self.members.move(j, -lam)
        moved = self.members.alpha[i] != alpha_i or self.members.alpha[j] != alpha_j
        self.members.turn_if_crossed(i, alpha_i)
        self.members.turn_if_crossed(j, alpha_j)
        update(self.team, self.members.g, k_i, k_j, lam, self.members.up, self.members.down,
               self.members.n, &self.members.extremes)
        self.n_operations += 2 * self.members.n
        self.n_changes += 1
        return moved

    cdef double length_of_step(self, Py_ssize_t i, Py_ssize_t j, double gap,
                               float k_ij) noexcept nogil:
        """Return lam, the length of a step along the pair (i, j)."""
        cdef double curvature = <double>self.members.diag[i] + self.members.diag[j] - 2.0 * k_ij
        cdef double room = fmin(self.members.upper[i] - self.members.alpha[i],
                                self.members.alpha[j] - self.members.lower[j])
        return fmin(gap / fmax(curvature, SIMD_CURVATURE), room)

    # -------------------------------------------------------------------------- finishing

    cdef double violation_of(self, const simd_extremes *e) except? -1.0 nogil:
        return e.g_max - e.g_min

    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil:
        cdef double most = 0.0
        if rises:
            most = fmax(most, g - self.members.extremes.g_min)
        if falls:
            most = fmax(most, self.members.extremes.g_max - g)
        return most

    cdef double low_of(self, const simd_extremes *e) noexcept nogil:
        return e.g_min

    cdef double high_of(self, const simd_extremes *e) noexcept nogil:
        return e.g_max

    cdef int finish_step(self, Front *front) except -2 nogil:
        """One step with second-order working set selection (Fan, Chen and Lin 2005, WSS 2)."""
        cdef simd_extremes *e = front.extremes
        cdef Py_ssize_t i = e.i_max, j, s_i, s_j
        cdef const float *k_i = self.matrix.front_row(front, i, -1)
        cdef const float *k_j
        cdef double lam, alpha_i, alpha_j
        cdef bint moved
        if k_i == NULL:
            return -1
        j = select_partner(self.team, front.g, k_i, front.diag, e.g_max, front.diag[i],
                           front.down, front.n)
        j = e.j_min if j < 0 else j
        k_j = self.matrix.front_row(front, j, i)
        if k_j == NULL:
            return -1
        s_i = i if front.slots == NULL else front.slots[i]
        s_j = j if front.slots == NULL else front.slots[j]
        lam = self.length_of_step(s_i, s_j, front.g[i] - front.g[j], k_i[j])
        alpha_i, alpha_j = self.alpha_of(front, i), self.alpha_of(front, j)
        moved = self.move(front, i, lam)
        moved |= self.move(front, j, -lam)
        if moved:
            self.turn_if_crossed(front, i, alpha_i)
            self.turn_if_crossed(front, j, alpha_j)
            update(self.team, front.g, k_i, k_j, lam, front.up, front.down, front.n, e)
        return moved

    cdef int evict_at_optimum(self) noexcept nogil:
        cdef simd_extremes e
        self.set_final_b()
        if not self.optimizing:
            e = self.members.ends(self.team)
            self.evict(&e)
        return 0

    cdef int balance(self) noexcept nogil:
        if self.restore_sum() < 0:
            return -1
        self.total = 0.0                # only a rounding error is left
        return 0

    cdef int restore_sum(self) noexcept nogil:
        """Restore the sum of alpha; the alpha with the most favourable gradient is moved first.

        ``total`` is what it exceeds its value by. A remainder is left if all members are at a
        bound. Returns -1 if out of memory.
        """
        cdef double before
        cdef Py_ssize_t slot
        cdef const float *k
        cdef simd_extremes e
        while self.total != 0.0:
            e = self.members.ends(self.team)
            slot = e.j_min if self.total > 0.0 else e.i_max
            if slot < 0:
                break
            k = self.matrix.row(slot, -1)
            if k == NULL:
                return -1
            self.members.turn_for_step(slot, self.total < 0.0)
            before = self.members.alpha[slot]
            self.members.move(slot, fmin(fmax(-self.total, self.members.lower[slot] - before),
                                         self.members.upper[slot] - before))
            before = self.members.alpha[slot] - before
            if before == 0.0:
                break
            self.total += before
            update_one(self.team, self.members.g, k, before, self.members.up, self.members.down,
                       self.members.bound, self.members.n, &self.members.extremes)
        return 0

    def moved(self, alpha, lower, upper):
        """Clip ``alpha`` to the boxes, and restore the constraint sum alpha = 0.

        The side of larger sum is scaled down. This stays inside the boxes, as each contains 0.
        """
        alpha = Problem.moved(self, alpha, lower, upper)
        up, down = alpha[alpha > 0].sum(), -alpha[alpha < 0].sum()
        if up > down:
            alpha[alpha > 0] *= down / up
        elif down > up:
            alpha[alpha < 0] *= up / down
        return alpha

    cdef int refresh(self) except -2 nogil:
        self.members.scan()
        if self.solved_at == self.n_changes:
            self.set_final_b()
        else:
            self.set_b()

    cdef int evict_excess(self) noexcept nogil:
        cdef int64_t n_changes = self.n_changes
        cdef int code = Problem.evict_excess(self)
        cdef Py_ssize_t s
        if code < 0 or self.n_changes == n_changes or self.members.has_both_sides():
            return code
        # Only one class is left: return to the state before the other class was seen.
        self.both_seen = False
        for s in range(self.members.n):
            if self.members.alive[s]:
                self.members.move(s, -self.members.alpha[s])
                self.members.g[s] = self.members.target[s]
        self.refresh()
        return code

    @property
    def violation_met(self):
        return max(self.violation, self.delta, 0.0) / (self.unit() or 1.0)

    @property
    def violation_left(self):
        e = self.members.extremes
        left = max(self.high, e.g_max) - min(self.low, e.g_min)
        return max(0.0, left) / (self.unit() or 1.0)
