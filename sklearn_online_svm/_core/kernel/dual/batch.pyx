"""Optimization of binary problems over samples whose kernel values are in one matrix.

The problems are those of ``problem.pyx``: one, one per class or output, or one per pair of
classes. Samples of pairs are in an order by class, so that the members of a pair are two ranges of
samples. Each problem starts from alpha = 0 and makes the steps of ``finish`` (``lasvm.pyx``;
``gap_driven.pyx`` without a bias) on a shrinking set of active members, until none violates. Then
g is computed again from alpha, which removes rounding errors, and determines whether the problem
is solved.

The problems are independent: threads take one after the other. A single problem shares its loops.
If there are more than ``GRAM_SAMPLES`` samples, pairs are solved tile by tile: this bounds the
memory.
"""
cimport cython
from libc.math cimport INFINITY, fabs, fmax, fmin, log, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

from ...guard cimport Halt, share
from ...interrupts cimport check_interrupts
from ...memory cimport address, grown_buffer, round_up
from ...simd.primitives cimport SIMD_CURVATURE, SIMD_TILE, simd_extremes, table
from ...threads.slices cimport (
    axpy, select_companion, select_partner, update, update_two,
)
from ...threads.team cimport Team, team_next
from ..rows.gram_matrix cimport GramMatrix
from ..vectors.block cimport OTHERS
from ..vectors.support_set cimport moved_alpha
from .gap_driven cimport Coordinates, best_of_two
from .lasvm cimport final_bias, middle
from .one_class cimport inner_bias

from .... import _limits

from .problem import WORK_LIMIT

import numpy as np

cdef extern from "row_pool.h" nogil:
    float *pool_allocate(size_t)

cdef double EPSILON = np.finfo(np.float64).eps

# Relative rounding error of kernel values, which are in single precision.
cdef double ROUNDING = 2.0**-24

# Entries of ``numbers``: the fields of the struct.
NUMBERS = np.dtype(
    [(name, np.float64) for name in
     ("b", "delta", "tau", "objective", "gap", "uncertainty", "spread", "squares")]
    + [(name, np.int64) for name in ("steps_left", "n_changes", "n_operations")])


cdef int _descending(const void *a, const void *b) noexcept nogil:
    cdef double x = (<const double *>a)[0], y = (<const double *>b)[0]
    return (x < y) - (x > y)


@cython.final
cdef class Work:
    def __cinit__(self):
        self.team, self.problem = Team(), -1

    def __dealloc__(self):
        free(self.alpha)
        free(self.target)
        free(self.lower)
        free(self.upper)
        free(self.y)
        free(self.active)
        free(self.g)
        free(self.diag)
        free(self.up)
        free(self.down)
        free(self.rows)
        free(self.pool)

    cdef int reserve(self, Py_ssize_t m, size_t pool_bytes) except -1:
        """Allocate memory for up to ``m`` members, in whole tiles."""
        m = round_up(m, SIMD_TILE)
        self.alpha = <double *>grown_buffer(self.alpha, m * sizeof(double))
        self.target = <double *>grown_buffer(self.target, m * sizeof(double))
        self.lower = <double *>grown_buffer(self.lower, m * sizeof(double))
        self.upper = <double *>grown_buffer(self.upper, m * sizeof(double))
        self.y = <int8_t *>grown_buffer(self.y, m)
        self.active = <int32_t *>grown_buffer(self.active, m * sizeof(int32_t))
        self.g = <double *>grown_buffer(self.g, m * sizeof(double))
        self.diag = <float *>grown_buffer(self.diag, m * sizeof(float))
        self.up = <int8_t *>grown_buffer(self.up, m)
        self.down = <int8_t *>grown_buffer(self.down, m)
        self.rows = <float **>grown_buffer(self.rows, m * sizeof(float *))
        self.pool = pool_allocate(pool_bytes)
        if self.pool == NULL:
            raise MemoryError(f"Out of memory for {pool_bytes} bytes of kernel values.")
        return 0

    def state(self):
        """Return what ``restore`` needs to continue; the rest follows from the problem."""
        return {
            "counts": np.array([
                self.problem, self.n, self.shrunk, self.is_fresh, self.n_steps, self.turned_at,
                self.n_refreshes, self.steps_to_shrink], dtype=np.int64),
            "tau": np.array([self.tau]),
            "alpha": np.array(<double[:self.m]>self.alpha),
            "y": np.array(<int8_t[:self.m]>self.y),
            "active": np.array(<int32_t[:self.n]>self.active),
            "g": np.array(<double[:self.n]>self.g),
        }


cdef int _copy(array, void *to) except -1:
    """Copy an array to memory that is large enough."""
    if len(array):
        memcpy(to, address(np.ascontiguousarray(array)), array.nbytes)
    return 0


cdef inline Py_ssize_t sample_of(Work w, Py_ssize_t s) noexcept nogil:
    """Return the number of the sample that a member is."""
    return w.first + s if s < w.n_first else w.second + s - w.n_first


cdef inline Py_ssize_t gram_place_of(Work w, Py_ssize_t s) noexcept nogil:
    """Return the row of the Gram matrix that belongs to a member."""
    return w.gram_first + s if s < w.n_first else w.gram_second + s - w.n_first


@cython.final
cdef class Batch:
    """Problems over samples.

    ``labels`` (n_samples,), int32: class codes, in ascending order if there is a problem for each
        pair of classes.
    ``cost`` (n_samples,), float64: upper bound of each sample's \\|alpha\\|, positive.
    ``codes`` (n_problems, 2), int32: codes of the positive and the negative class of each problem,
        -1: all others.
    ``targets`` (n_problems, n_samples), float64: the target values in regression; 0 for one
        class; None: the labels.
    ``has_bias``: whether the sum of alpha is fixed.
    ``nu``: one class: the sum of alpha is nu times that of the costs; None: it is 0.
    ``epsilon``: regression: half the width of the tube.
    ``max_non_sv``: without a bias, and of one class: number of members with alpha = 0; negative:
        all.
    ``most_steps``: maximum number of steps of each problem.

    Further attributes:
    ``coef`` (n_problems, n_samples), or in one-vs-one (n_classes - 1, n_samples): signed alpha, in
        the layout of ``dual_coef_``.
    ``is_member``, int8, of the same shape: whether the sample is needed when training is
        continued: alpha is not 0, or the gradient is between the extremes.
    ``numbers`` (n_problems,): a structured array of what is known of each problem.
    """
    def __init__(self, labels, cost, codes, targets, *, bint has_bias=True, nu=None,
                 epsilon=None, double tol, bint shrinking, Py_ssize_t max_non_sv=0,
                 int64_t most_steps=0):
        self.n, self.n_problems = len(labels), len(codes)
        self.labels, self.codes, self.cost, self.targets = labels, codes, cost, targets
        self.labels_at, self.codes_at = labels, codes
        self.two_sided = epsilon is not None
        self.epsilon = epsilon if self.two_sided else 0.0
        self.width, self.shrinking = 2.0 * self.epsilon, shrinking
        self.weight = float(np.sum(cost))
        self.total = 0.0 if nu is None else nu * self.weight
        self.has_targets, self.is_one_class = targets is not None, nu is not None
        # Where the sum of alpha is less than 1, g is less than the decision values by it.
        self.tol = tol * min(1.0, self.total) if self.is_one_class else tol
        self.scale = 1.0 / self.total if self.total > 0.0 else 1.0
        self.has_bias, self.max_non_sv = has_bias, max_non_sv
        self.one_vs_one = codes[0, 1] != OTHERS
        n_rows, sizes = self.n_problems, np.full(self.n_problems, self.n)
        if self.one_vs_one:
            n_rows = codes[:, 1].max()
            counts = np.bincount(labels, minlength=n_rows + 1)
            self.starts = np.concatenate([[0], np.cumsum(counts)])
            sizes = counts[codes].sum(axis=1)
        self.plan_tiles(sizes)
        self.coef = np.zeros((n_rows, self.n))
        self.is_member = np.zeros((n_rows, self.n), dtype=np.int8)
        self.numbers = np.zeros(self.n_problems, dtype=NUMBERS)
        self.numbers["steps_left"], self.numbers["delta"] = most_steps, np.inf
        self.numbers["tau"] = self.tol
        self.coef_at, self.is_member_at = self.coef, self.is_member
        self.numbers_at = <Numbers *>address(self.numbers)
        self.works, self.suspended, self.halt, self.team = [], [], Halt(), Team()
        self.most_refreshes, self.work_limit = _limits.MAX_REFRESHES, WORK_LIMIT

    def plan_tiles(self, sizes):
        """Divide the problems into tiles, of which one Gram matrix is in memory at a time.

        With pairs of many samples, a tile has the pairs of two groups of classes, and those within
        a group that has not been in a tile before. The largest problems of a tile come first.
        """
        numbers, groups = np.arange(self.n_problems), []
        self.tiles = [range(self.n)]
        tile_of = np.zeros(self.n_problems, dtype=np.int64)
        if self.one_vs_one and self.n > _limits.GRAM_SAMPLES:
            starts, first = np.asarray(self.starts), 0
            while first < len(starts) - 1:
                most = starts[first] + _limits.GRAM_SAMPLES // 2
                last = max(first + 1, int(np.searchsorted(starts, most, side="right")) - 1)
                groups.append((first, last))
                first = last
        if len(groups) > 1:
            group_of = np.repeat(np.arange(len(groups)), [last - first for first, last in groups])
            a, b = group_of[self.codes].T
            b = np.where(a == b, np.minimum(a + 1, len(groups) - 1), b)
            a = np.where(a == b, a - 1, a)
            pairs, tile_of = np.unique(a * len(groups) + b, return_inverse=True)
            self.tiles = [[groups[g] for g in divmod(int(pair), len(groups))] for pair in pairs]
        self.order = np.lexsort((numbers, -sizes, tile_of))
        self.tile_ends = np.cumsum(np.bincount(tile_of, minlength=len(self.tiles)))
        self.shifts = np.zeros(0 if not self.one_vs_one else len(self.starts), dtype=np.int64)

    def attach(self, new_store, X, rows):
        """Set the features: ``X[rows]``; ``new_store`` returns an empty store for them."""
        self.samples = new_store, X, rows

    def load_tile(self, executor=None):
        """Compute the kernel values of the present tile."""
        cdef GramMatrix gram
        new_store, X, rows = self.samples
        if len(self.tiles) > 1:
            at, shifts = [], np.zeros(len(self.starts), dtype=np.int64)
            for first, last in self.tiles[self.tile]:
                begin, end = self.starts[first], self.starts[last]
                shifts[first:last] = sum(map(len, at)) - begin
                at.append(np.arange(begin, end))
            rows, self.shifts = rows[np.concatenate(at)], shifts
        self.gram = None            # its memory is needed
        gram = GramMatrix(len(rows))
        self.team.open(executor)
        try:
            gram.fill(new_store(), X, rows, self.team)
        finally:
            self.team.close()
        self.gram = gram
        self.n_kernel_evaluations += gram.n_evaluations

    # -------------------------------------------------------------------------- solve

    def solve(self, executor=None, progress=None):
        """Solve all problems.

        ``progress`` is called several times per second, while no thread makes steps. May be
        interrupted: the steps made are kept, and another call continues.
        """
        while not self.is_solved:
            if self.gram is None:
                self.load_tile(executor)
                self.reserve(1 if executor is None else executor._max_workers)
                self.resume()
            self.make_round(executor)
            if self.next_problem >= self.tile_ends[self.tile] and not self.is_working:
                self.next_problem = self.tile_ends[self.tile]
                self.tile += 1
                self.gram = None
            check_interrupts()
            if progress is not None:
                progress()

    @property
    def is_solved(self):
        """Whether all problems have been solved."""
        return self.tile == len(self.tiles)

    @property
    def is_working(self):
        """Whether a problem has begun and is not solved."""
        return any([(<Work>w).problem >= 0 for w in self.works])

    def reserve(self, n_threads):
        """Allocate memory for each thread."""
        cdef Work w
        cdef Py_ssize_t most = self.n, length
        if self.one_vs_one:
            counts = np.diff(self.starts)[self.codes].sum(axis=1)
            most = counts.max()
        # Rows of a single range are those of the matrix, unless the problem is shrunk.
        length = round_up(most if self.one_vs_one else most // 2, SIMD_TILE)
        n_works = max(1, min(n_threads, self.n_problems))
        while len(self.works) < n_works:
            w = Work()
            w.reserve(max(1, most), max(1, length * length) * sizeof(float))
            self.works.append(w)

    def make_round(self, executor):
        """Make steps for some milliseconds."""
        cdef Work w = self.works[0]
        if executor is None:
            for w in self.works:    # several ones after an interrupt of as many threads
                with nogil:
                    self.work(w)
        elif len(self.works) == 1:
            w.team.open(executor)
            try:
                w.team.call_helpers()
                with nogil:
                    self.work(w)
            finally:
                w.team.close()
        else:
            share([(self.work_alone, w) for w in self.works], executor, self.halt)

    def work_alone(self, Work w):
        with nogil:
            self.work(w)

    cdef void work(self, Work w) noexcept nogil:
        """Solve one problem after the other until ``work_limit`` is reached."""
        cdef bint moved
        cdef double violation
        w.elements = 0.0
        while w.elements < self.work_limit and not self.halt.now:
            if w.problem < 0 and not self.begin(w):
                return
            violation = self.violation_of(&w.extremes)
            moved = False
            if violation > w.tau and w.numbers.steps_left > 0:
                moved = self.step(w)
                w.numbers.steps_left -= 1
            w.elements += 2.0 * w.n + 100.0
            if moved:
                w.is_fresh = False
                w.n_steps += 1
                w.steps_to_shrink -= 1
                if w.steps_to_shrink <= 0 and self.shrinking:
                    w.steps_to_shrink = min(w.n, 1000)
                    self.shrink(w)
            elif (self.two_sided and not w.shrunk
                    # At the precision of doubles, only after other steps: it may change nothing.
                    and (violation <= w.tau or w.n_steps > w.turned_at) and self.turn_zeros(w)):
                w.turned_at = w.n_steps
            elif w.shrunk or not w.is_fresh and w.n_refreshes <= self.most_refreshes:
                w.n_refreshes += not w.shrunk
                self.refresh(w)
            else:
                self.end(w)

    cdef int begin(self, Work w) noexcept nogil:
        """Begin the next problem; return whether there is one."""
        cdef Py_ssize_t k = team_next(&self.next_problem), s
        cdef double left = self.total
        if k >= self.tile_ends[self.tile]:
            return False
        self.describe(w, self.order[k])
        w.n_steps = w.n_refreshes = 0
        w.turned_at, w.steps_to_shrink, w.tau = -1, min(w.m, 1000), self.tol
        memset(w.alpha, 0, w.m * sizeof(double))
        if self.is_one_class:       # any alpha with the required sum
            for s in range(w.m):
                # At the bound if it misses it by rounding: as if free, it would fix the bias.
                w.alpha[s] = moved_alpha(0.0, fmin(left, w.upper[s]), 0.0, w.upper[s])
                left -= w.alpha[s]
            self.refresh(w)
            return True
        for s in range(w.m):
            w.g[s] = w.target[s]
        w.is_fresh = True
        self.add_rows(w)
        self.scan(w)
        return True

    cdef void describe(self, Work w, Py_ssize_t problem) noexcept nogil:
        """Set members, targets and boxes, in regression those of the lower side of the tube."""
        cdef int positive = self.codes_at[problem, 0], negative = self.codes_at[problem, 1]
        cdef Py_ssize_t s, sample
        cdef double cost
        w.problem, w.numbers = problem, self.numbers_at + problem
        w.first, w.n_first, w.second, w.n_second = 0, self.n, 0, 0
        w.gram_first = w.gram_second = 0
        if self.one_vs_one:
            w.first, w.second = self.starts[positive], self.starts[negative]
            w.n_first = self.starts[positive + 1] - w.first
            w.n_second = self.starts[negative + 1] - w.second
            w.gram_first = w.first + self.shifts[positive]
            w.gram_second = w.second + self.shifts[negative]
        w.m = w.n_first + w.n_second
        for s in range(w.m):
            sample = sample_of(w, s)
            cost = self.cost[sample]
            w.y[s] = 1 if self.two_sided or self.labels_at[sample] == positive else -1
            w.target[s] = self.target_of(w, s)
            w.lower[s] = 0.0 if w.y[s] > 0 else -cost
            w.upper[s] = cost if w.y[s] > 0 else 0.0

    # -------------------------------------------------------------------------- kernel rows

    cdef void add_rows(self, Work w) noexcept nogil:
        """Make all members active; g is set by the caller."""
        cdef Py_ssize_t s, at
        w.n, w.shrunk = w.m, False
        w.row_length = round_up(w.m, SIMD_TILE)
        for s in range(w.m):
            at = gram_place_of(w, s)
            w.active[s] = <int32_t>s
            w.diag[s] = self.gram.values[at * self.gram.ld + at]
            w.up[s] = -1 if w.alpha[s] < w.upper[s] else 0
            w.down[s] = -1 if w.alpha[s] > w.lower[s] else 0
        if w.n_second:
            memset(w.rows, 0, w.m * sizeof(float *))

    cdef const float *row(self, Work w, Py_ssize_t q) noexcept nogil:
        """Return the kernel row of a place over all places."""
        cdef Py_ssize_t s = w.active[q], p, m
        cdef const float *whole = self.gram.values + self.gram.ld * gram_place_of(w, s)
        cdef const float *second = whole + w.gram_second - w.n_first
        cdef float *row
        if not w.shrunk and not w.n_second:
            return whole + w.gram_first
        row = w.rows[q]
        if row != NULL:
            return row
        w.rows[q] = row = w.pool + q * w.row_length
        w.elements += w.n
        memset(row + w.n, 0, (w.row_length - w.n) * sizeof(float))
        if not w.shrunk:
            memcpy(row, whole + w.gram_first, w.n_first * sizeof(float))
            memcpy(row + w.n_first, whole + w.gram_second, w.n_second * sizeof(float))
            return row
        for p in range(w.n):
            m = w.active[p]
            row[p] = (whole + w.gram_first if m < w.n_first else second)[m]
        return row

    # -------------------------------------------------------------------------- steps

    cdef double violation_of(self, const simd_extremes *e) noexcept nogil:
        """Return the violation that corresponds to the extremes of g."""
        return e.g_max - e.g_min if self.has_bias else fmax(0.0, fmax(e.g_max, -e.g_min))

    cdef bint step(self, Work w) noexcept nogil:
        """Make a step along the pair of largest gain; return whether alpha changed."""
        cdef Py_ssize_t i = w.extremes.i_max, j, s_i, s_j
        cdef const float *k_i = self.row(w, i)
        cdef const float *k_j
        cdef double curvature, lam
        cdef bint moved
        if not self.has_bias:
            return self.step_on_two(w)
        j = self.partner(w, k_i)
        j = w.extremes.j_min if j < 0 else j
        k_j = self.row(w, j)
        s_i, s_j = w.active[i], w.active[j]
        curvature = <double>w.diag[i] + w.diag[j] - 2.0 * k_i[j]
        lam = fmin((w.g[i] - w.g[j]) / fmax(curvature, SIMD_CURVATURE),
                   fmin(w.upper[s_i] - w.alpha[s_i], w.alpha[s_j] - w.lower[s_j]))
        moved = self.move_and_turn(w, i, lam)
        moved |= self.move_and_turn(w, j, -lam)
        if not moved:
            return False
        self.update_g(w, k_i, k_j, lam)
        w.numbers.n_changes += 1
        w.numbers.n_operations += 2 * w.n
        return True

    cdef bint step_on_two(self, Work w) noexcept nogil:
        """Make a step without a bias, as ``GapDriven`` does; return whether alpha changed."""
        cdef Coordinates two
        cdef Py_ssize_t i, j, s_i, s_j
        cdef simd_extremes *e = &w.extremes
        cdef const float *k_i
        cdef const float *k_j
        cdef bint moved
        i = e.j_min if -e.g_min > e.g_max else e.i_max
        k_i = k_j = self.row(w, i)
        s_i = w.active[i]
        two.g_i, two.k_ii = w.g[i], fmax(w.diag[i], SIMD_CURVATURE)
        two.low_i, two.high_i = w.lower[s_i] - w.alpha[s_i], w.upper[s_i] - w.alpha[s_i]
        two.by_i = two.alone = fmin(fmax(two.g_i / two.k_ii, two.low_i), two.high_i)
        two.by_j = 0.0
        j = select_companion(w.team, w.g, k_i, w.diag, two.alone, <float>two.k_ii, w.up, w.down,
                             round_up(w.n, SIMD_TILE))
        if j >= 0 and j != i:
            k_j, s_j = self.row(w, j), w.active[j]
            two.g_j, two.k_jj = w.g[j], fmax(w.diag[j], SIMD_CURVATURE)
            two.k_ij = k_i[j]
            two.low_j, two.high_j = w.lower[s_j] - w.alpha[s_j], w.upper[s_j] - w.alpha[s_j]
            best_of_two(&two)
        moved = self.move_and_turn(w, i, two.by_i)
        if k_j != k_i:
            moved |= self.move_and_turn(w, j, two.by_j)
        if moved:
            update_two(w.team, w.g, k_i, two.by_i, k_j, two.by_j, w.up, w.down, NULL,
                       round_up(w.n, SIMD_TILE), e)
            w.numbers.n_changes += 1
            w.numbers.n_operations += 2 * w.n
        return moved

    cdef bint move_and_turn(self, Work w, Py_ssize_t q, double by) noexcept nogil:
        """Add ``by`` to the alpha of a place; at 0 the step may continue on the other side."""
        cdef Py_ssize_t s = w.active[q]
        cdef double before = w.alpha[s]
        cdef bint moved = self.move(w, q, by)
        if self.two_sided and before != 0.0 and w.alpha[s] == 0.0:
            self.turn(w, q)
        return moved

    cdef Py_ssize_t partner(self, Work w, const float *k_i) noexcept nogil:
        """Return the second place of a step, -1: none."""
        cdef simd_extremes *e = &w.extremes
        cdef Py_ssize_t n = round_up(w.n, SIMD_TILE)
        cdef float gain
        if w.team.size > 1:
            return select_partner(w.team, w.g, k_i, w.diag, e.g_max, w.diag[e.i_max], w.down, n)
        return table().partner(w.g, k_i, w.diag, e.g_max, w.diag[e.i_max], w.down, n, &gain)

    cdef void update_g(self, Work w, const float *k_i, const float *k_j,
                       double lam) noexcept nogil:
        """Subtract lam (k_i - k_j) from g, and find its extremes."""
        cdef Py_ssize_t n = round_up(w.n, SIMD_TILE)
        if w.team.size > 1:
            update(w.team, w.g, k_i, k_j, lam, w.up, w.down, n, &w.extremes)
        else:
            table().update(w.g, k_i, k_j, lam, w.up, w.down, n, &w.extremes)

    cdef void subtract(self, Work w, double alpha, const float *row, double *g,
                       Py_ssize_t n) noexcept nogil:
        """Subtract a multiple of a kernel row from g."""
        if w.team.size > 1:
            axpy(w.team, -alpha, row, g, n)
        else:
            table().axpy(-alpha, row, g, n)

    cdef bint move(self, Work w, Py_ssize_t q, double by) noexcept nogil:
        """Add ``by`` to the alpha of a place; return whether it changed."""
        cdef Py_ssize_t s = w.active[q]
        cdef double before = w.alpha[s]
        w.alpha[s] = moved_alpha(before, by, w.lower[s], w.upper[s])
        w.up[q] = -1 if w.alpha[s] < w.upper[s] else 0
        w.down[q] = -1 if w.alpha[s] > w.lower[s] else 0
        return w.alpha[s] != before

    cdef void scan(self, Work w) noexcept nogil:
        """Recompute the extremes of g; places beyond the last one, in its tile, have none."""
        cdef Py_ssize_t q
        for q in range(w.n, round_up(w.n, SIMD_TILE)):
            w.g[q], w.diag[q], w.up[q], w.down[q] = 0.0, 1.0, 0, 0
        self.update_g(w, w.diag, w.diag, 0.0)

    # -------------------------------------------------------------------------- two sides

    cdef void turn(self, Work w, Py_ssize_t q) noexcept nogil:
        """Turn a member at alpha = 0 to the other side of its tube; extremes do not follow."""
        cdef Py_ssize_t s = w.active[q]
        w.g[q] += w.y[s] * self.width
        self.turn_member(w, s)
        w.up[q] = -1 if w.upper[s] > 0.0 else 0
        w.down[q] = -1 if w.lower[s] < 0.0 else 0

    cdef void turn_member(self, Work w, Py_ssize_t s) noexcept nogil:
        """Exchange target and box of a member for those of the other side."""
        cdef double upper = -w.lower[s]
        w.y[s] = -w.y[s]
        w.lower[s], w.upper[s] = -w.upper[s], upper
        w.target[s] = self.target_of(w, s)

    cdef double target_of(self, Work w, Py_ssize_t s) noexcept nogil:
        """Return the target of a member on its side, without rounding errors of former turns."""
        if not self.has_targets:
            return w.y[s]
        return self.targets[w.problem, sample_of(w, s)] - self.epsilon + (
            self.width if w.y[s] < 0 else 0.0)

    cdef simd_extremes ends(self, Work w) noexcept nogil:
        """Return the extremes of g, where members at alpha = 0 count on both sides."""
        cdef simd_extremes e = w.extremes
        cdef Py_ssize_t s
        cdef double g
        for s in range(w.m if self.two_sided else 0):
            if w.alpha[s] == 0.0:
                g = w.g[s] + w.y[s] * self.width
                if w.y[s] > 0 and g < e.g_min:
                    e.g_min, e.j_min = g, s
                elif w.y[s] < 0 and g > e.g_max:
                    e.g_max, e.i_max = g, s
        return e

    cdef bint turn_zeros(self, Work w) noexcept nogil:
        """Turn the members at alpha = 0 that violate on their other side; return whether any did.

        If none violates with the present sides, two may violate with each other on their other
        sides: then these count in the extremes, too.
        """
        return self.turn_violating(w, w.extremes) or self.turn_violating(w, self.ends(w))

    cdef bint turn_violating(self, Work w, simd_extremes e) noexcept nogil:
        """Turn the members at alpha = 0 whose other side violates with extremes of g."""
        cdef Py_ssize_t s
        cdef double g, violation
        cdef bint turned = False
        for s in range(w.m):
            if w.alpha[s] == 0.0:
                g = w.g[s] + w.y[s] * self.width
                if not self.has_bias:
                    violation = -g if w.y[s] > 0 else g
                else:
                    violation = e.g_max - g if w.y[s] > 0 else g - e.g_min
                if violation > w.tau:
                    self.turn(w, s)
                    turned = True
        if turned:
            self.scan(w)
        return turned

    # -------------------------------------------------------------------------- active members

    cdef void shrink(self, Work w) noexcept nogil:
        """Remove places at a bound that are expected to stay there."""
        cdef double low = w.extremes.g_min, high = w.extremes.g_max
        cdef Py_ssize_t q, kept = 0
        if not self.has_bias:
            high = self.violation_of(&w.extremes)
            low = -high
        for q in range(w.n):
            kept += w.up[q] != 0 and w.g[q] > low or w.down[q] != 0 and w.g[q] < high
        # Otherwise copies of kernel rows take longer than they save.
        if kept > (w.n - w.n // 8 if w.shrunk else w.n // 2) or kept < 2:
            return
        kept = 0
        for q in range(w.n):
            if w.up[q] != 0 and w.g[q] > low or w.down[q] != 0 and w.g[q] < high:
                w.active[kept], w.g[kept], w.diag[kept] = w.active[q], w.g[q], w.diag[q]
                w.up[kept], w.down[kept] = w.up[q], w.down[q]
                kept += 1
        w.n, w.shrunk, w.row_length = kept, True, round_up(kept, SIMD_TILE)
        memset(w.rows, 0, kept * sizeof(float *))
        self.scan(w)

    cdef void refresh(self, Work w) noexcept nogil:
        """Make all members active, and recompute g and tau from alpha."""
        cdef Py_ssize_t s
        cdef const float *row
        cdef double total = 1.0
        for s in range(w.m):
            w.g[s] = w.target[s]
        self.add_rows(w)
        for s in range(w.m):
            if w.alpha[s] != 0.0:
                row = self.gram.values + gram_place_of(w, s) * self.gram.ld
                self.subtract(w, w.alpha[s], row + w.gram_first, w.g, w.n_first)
                if w.n_second:
                    self.subtract(w, w.alpha[s], row + w.gram_second, w.g + w.n_first, w.n_second)
                w.elements += w.m
                w.numbers.n_operations += w.m
                total += fabs(w.alpha[s]) * fabs(w.diag[s])
        # At least the rounding error of g; one class: f is flat at the boundary, and with less
        # precision the share outside changes a lot.
        w.tau = self.tol if self.is_one_class else fmax(self.tol, 4.0 * EPSILON * total)
        w.is_fresh = True
        self.scan(w)

    # -------------------------------------------------------------------------- results

    cdef void end(self, Work w) noexcept nogil:
        """Write the solution down, and what is known of it; g is that of all members."""
        cdef Numbers *found = w.numbers
        cdef simd_extremes e = self.ends(w)
        cdef Py_ssize_t s, n = 0
        cdef double b = 0.0, f, size, sizes = 0.0, weighted = 0.0, mean = 0.0, square = 0.0
        cdef double alpha, residual, loss, distance, least = -INFINITY
        cdef bint stays
        if self.is_one_class:
            b = inner_bias(&e, w.tau, middle(&e, 0.0))
        elif self.has_bias:
            b = middle(&e, 0.0)
            b = final_bias(w.alpha, w.g, w.y, w.lower, w.upper, w.m, self.two_sided, self.width,
                           &e, w.tau, b)
        if self.is_one_class or not self.has_bias:
            least = self.least_residual(w)
        found.b, found.delta, found.tau = b, self.violation_of(&e), w.tau
        found.objective = found.gap = found.squares = 0.0
        for s in range(w.m):
            alpha, residual = w.alpha[s], w.g[s] - b
            stays = alpha != 0.0 or (
                self.may_be_needed(w, s, &e) if self.has_bias and not self.is_one_class
                else self.idle_residual(w, s) >= least)
            self.is_member_at[self.row_of(w, s), sample_of(w, s)] = stays
            if not stays:
                continue
            found.objective += 0.5 * alpha * (w.target[s] + w.g[s])
            found.squares += alpha * alpha
            if self.two_sided:
                # What f lacks to the side of the member; the loss may be on the other one.
                residual = w.y[s] * residual
                loss = fmax(0.0, fmax(residual, -residual - self.width))
                if loss > 0.0:
                    found.gap += (w.upper[s] - w.lower[s]) * loss
                found.gap -= fabs(alpha) * residual
            elif residual != 0.0:
                found.gap += ((w.upper[s] if residual > 0.0 else w.lower[s]) - alpha) * residual
            f, size = w.target[s] - w.g[s], fabs(<double>w.diag[s])
            n += 1
            distance = f - mean
            mean += distance / n
            square += distance * (f - mean)
            sizes += size
            weighted += size * alpha * alpha
        n = max(1, n)
        # The root mean square over the members, for random rounding errors of kernel values of
        # size sqrt(K_ii K_jj).
        found.uncertainty = ROUNDING * sqrt(sizes / n * weighted)
        found.spread = sqrt(square / n)
        found.objective *= self.scale * self.scale
        found.gap *= self.scale * self.scale
        self.write(w)
        w.problem = -1

    cdef bint may_be_needed(self, Work w, Py_ssize_t s, const simd_extremes *e) noexcept nogil:
        """Return whether a member at alpha = 0 is not beyond the extreme of the other side."""
        cdef double g = w.g[s], other = g + w.y[s] * self.width
        if e.i_max < 0 or e.j_min < 0:
            return True
        if self.two_sided and (
                (other < e.g_max or other <= e.g_min) if w.y[s] > 0
                else (other > e.g_min or other >= e.g_max)):
            return True
        return not (w.upper[s] == 0.0 and g >= e.g_max and g > e.g_min
                    or w.lower[s] == 0.0 and g <= e.g_min and g < e.g_max)

    cdef double idle_residual(self, Work w, Py_ssize_t s) noexcept nogil:
        """Return the distance from alpha = 0, in terms of g; negative for most members there."""
        cdef double g = w.g[s], other = -g - self.width
        if w.y[s] < 0:
            g, other = -g, g - self.width
        return fmax(g, other) if self.two_sided else g

    cdef double least_residual(self, Work w) noexcept nogil:
        """Return the least residual of the members at alpha = 0 that are kept.

        One class: at least as many as there are support vectors.
        """
        cdef double *residuals
        cdef double least = -INFINITY
        cdef Py_ssize_t s, n = 0, most = self.max_non_sv
        if most < 0:
            return least
        residuals = <double *>malloc((w.m + 1) * sizeof(double))
        if residuals == NULL:
            return least                # all are kept
        for s in range(w.m):
            if w.alpha[s] == 0.0:
                residuals[n] = self.idle_residual(w, s)
                n += 1
        if self.is_one_class:
            most = max(most, w.m - n)
        if n > most:
            qsort(residuals, n, sizeof(double), &_descending)
            least = residuals[most - 1] if most else INFINITY
        free(residuals)
        return least

    cdef Py_ssize_t row_of(self, Work w, Py_ssize_t s) noexcept nogil:
        """Return the row of ``coef`` in which the alpha of a member is."""
        if not self.one_vs_one:
            return w.problem
        return self.codes_at[w.problem, 1] - 1 if s < w.n_first else self.codes_at[w.problem, 0]

    cdef void write(self, Work w) noexcept nogil:
        """Write alpha to ``coef``."""
        if w.n_first:
            memcpy(&self.coef_at[self.row_of(w, 0), w.first], w.alpha,
                   w.n_first * sizeof(double))
        if w.n_second:
            memcpy(&self.coef_at[self.row_of(w, w.n_first), w.second], w.alpha + w.n_first,
                   w.n_second * sizeof(double))

    def write_unsolved(self):
        """Write the present solution of problems that are not solved, as after an interrupt."""
        cdef Work w
        cdef Py_ssize_t s
        for w in self.works:
            if w.problem >= 0:
                self.write(w)
                w.numbers.b = middle(&w.extremes, 0.0) if self.has_bias else 0.0
                w.numbers.delta = self.violation_of(&w.extremes)
                for s in range(w.m):
                    self.is_member_at[self.row_of(w, s), sample_of(w, s)] = w.alpha[s] != 0.0

    @property
    def distances(self):
        """log(violation / tau) of each problem: 0 if solved, NaN if not begun."""
        cdef Work w
        found = np.zeros(self.n_problems)
        found[np.asarray(self.order)[self.next_problem:]] = np.nan
        for w in self.works:
            if w.problem >= 0:
                found[w.problem] = log(max(1.0, self.violation_of(&w.extremes) / w.tau))
        return found

    def gradients(self, const double[:, ::1] coef, executor=None):
        """Return g of each sample in each problem for given coefficients, shaped as ``coef``.

        In regression it is that of the side on which alpha is, of the lower one for alpha = 0. The
        bits are those from which the bias was computed.
        """
        cdef Work w
        cdef Py_ssize_t k, s
        cdef double[:, ::1] g = np.full((coef.shape[0], self.n), np.nan)
        self.reserve(1)
        w = self.works[0]
        self.tile, self.gram = 0, None
        for k in range(self.n_problems):
            if self.gram is None or k == self.tile_ends[self.tile]:
                self.tile += self.gram is not None
                self.load_tile(executor)
            self.describe(w, self.order[k])
            for s in range(w.m):
                w.alpha[s] = coef[self.row_of(w, s), sample_of(w, s)]
                if self.two_sided and w.alpha[s] < 0.0:
                    self.turn_member(w, s)
            self.refresh(w)
            for s in range(w.m):
                g[self.row_of(w, s), sample_of(w, s)] = w.g[s]
        w.problem = -1
        return np.asarray(g)

    # -------------------------------------------------------------------------- state

    def state(self):
        """Return copies of all arrays from which ``restore`` continues; not the kernel values."""
        return {
            "coef": self.coef.copy(), "is_member": self.is_member.copy(),
            "numbers": {name: self.numbers[name].copy() for name in NUMBERS.names},
            "tile": self.tile,
            "next_problem": min(self.next_problem, self.n_problems),
            "n_kernel_evaluations": self.n_kernel_evaluations,
            "works": self.suspended + [
                w.state() for w in self.works if (<Work>w).problem >= 0],
        }

    def restore(self, state):
        """Restore a result of ``state``, before ``solve``."""
        self.coef[:], self.is_member[:] = state["coef"], state["is_member"]
        for name, values in state["numbers"].items():
            self.numbers[name] = values
        self.next_problem = state["next_problem"]
        self.tile, self.suspended = state["tile"], state["works"]
        self.n_kernel_evaluations = state["n_kernel_evaluations"]

    def resume(self):
        """Continue problems that were suspended; their kernel values are known."""
        cdef Work w
        cdef Py_ssize_t s
        works, self.suspended = self.suspended, []
        self.reserve(len(works))
        for w, former in zip(self.works, works):
            counts = former["counts"].tolist()
            self.describe(w, counts[0])
            for s in np.flatnonzero(former["y"] != np.asarray(<int8_t[:w.m]>w.y)):
                self.turn_member(w, s)
            _copy(former["alpha"], w.alpha)
            self.add_rows(w)
            (_, w.n, w.shrunk, w.is_fresh, w.n_steps, w.turned_at, w.n_refreshes,
             w.steps_to_shrink) = counts
            w.tau = former["tau"][0]
            _copy(former["active"], w.active)
            _copy(former["g"], w.g)
            w.row_length = round_up(w.n, SIMD_TILE)
            memset(w.rows, 0, w.m * sizeof(float *))
            for s in range(w.n):
                w.diag[s] = w.diag[w.active[s]]     # active is ascending
                w.up[s], w.down[s] = w.up[w.active[s]], w.down[w.active[s]]
            self.scan(w)
