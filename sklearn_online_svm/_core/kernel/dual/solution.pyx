"""A solution and its decision values; the contract is in the ``.pxd``.

A solution does not change, so other threads may predict with it during training.
"""
cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t

from ...interrupts cimport check_interrupts
from ...guard cimport Halt, share
from ...memory cimport address, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE, table
from ..vectors.block cimport OTHERS, check_norms, check_type
from ..vectors.support_set cimport MADE_UP
from .pairs cimport ByClass, PairSums
from .problem cimport Problem
from .slots cimport Slots
from ..vectors.stores cimport Block, Store

import numpy as np

# Number of slots whose kernel values are computed and used at once: they stay in the CPU cache.
cdef Py_ssize_t STRETCH = 2048
# Number of samples for which the coefficients of all problems are read: their kernel values and
# the coefficients of a problem stay in the CPU cache, those of many problems do not.
cdef enum:
    GROUP = 8


cdef Solution written_down(Store store, Slots slots, list problems):
    """Return the current solution of the problems."""
    cdef Solution solution = Solution.__new__(Solution)
    cdef Problem problem
    cdef const int32_t *index
    cdef const int32_t *labels
    cdef const int8_t *alive
    cdef const double *alpha
    cdef double *coef
    cdef double scale
    cdef int64_t *row_id
    cdef Py_ssize_t c, s, row, n_rows = len(problems)
    solution.n_problems = len(problems)
    solution.classes = np.array([problem.classes for problem in problems], dtype=np.int32)
    solution.one_vs_one = len(problems) > 1 and solution.classes[0, 1] >= 0
    if solution.one_vs_one:
        n_rows = solution.classes[:, 1].max()
    solution.n_slots = round_up(store.n_slots, SIMD_TILE)
    solution.store = store.view()
    solution.coef = np.zeros((n_rows, solution.n_slots))
    solution.bias = np.zeros(solution.n_problems)
    solution.row_id_of_slot = np.empty(solution.n_slots, dtype=np.int64)
    solution.label_of_slot = slots.labels[:store.n_slots].copy()
    coef = solution.coef_at = <double *>address(solution.coef)
    solution.b = <double *>address(solution.bias)
    row_id = <int64_t *>address(solution.row_id_of_slot)
    labels = <const int32_t *>address(solution.label_of_slot)
    for c in range(solution.n_problems):
        problem = problems[c]
        index, alive = problem.members.index, problem.members.alive
        alpha, solution.b[c] = problem.members.alpha, problem.b
        if problem.shows_optimized():
            alpha, solution.b[c] = problem.optimized.alpha, problem.optimized.numbers[0]
        scale = problem.scale()
        solution.b[c] *= scale
        for s in range(problem.members.n):
            if alive[s]:
                row = c
                if solution.one_vs_one:
                    row = (problem.codes.negative - 1
                           if labels[index[s]] == problem.codes.positive
                           else problem.codes.positive)
                coef[row * solution.n_slots + index[s]] = scale * alpha[s]
                row_id[index[s]] = (
                    -1 if problem.members.origin[s] == MADE_UP else problem.members.row_id[s])
    return solution


cdef Solution solution_of(Store store, coef, bias, row_ids, labels, classes=None):
    """Return the solution with the given coefficients over the vectors of a store.

    ``coef`` is in the layout of :class:`Solution`, and its number of columns a multiple of the
    tile size. ``classes`` are those of each problem; None: one, or one and the others in each.
    Arrays over the slots are copied.
    """
    cdef Solution solution = Solution.__new__(Solution)
    if classes is None:
        codes = range(len(coef)) if len(coef) > 1 else [1]
        classes = np.array([(code, OTHERS) for code in codes], dtype=np.int32)
    solution.classes, solution.kept, solution.n_changes = classes, {}, 0
    solution.n_problems, solution.n_slots = len(classes), coef.shape[1]
    solution.one_vs_one = len(classes) > 1 and classes[0, 1] >= 0
    solution.store = store.view()
    solution.coef, solution.bias = coef, bias
    solution.coef_at, solution.b = <double *>address(coef), <double *>address(bias)
    solution.row_id_of_slot = np.full(solution.n_slots, -1)
    solution.row_id_of_slot[:len(row_ids)] = row_ids
    solution.label_of_slot = labels.copy()
    return solution


def optimum_of(Store store, coef, bias, row_ids, labels, classes):
    """Return the solution of problems that were solved at once, see ``solution_of``."""
    n_slots = round_up(store.n_slots, SIMD_TILE)
    padded = np.zeros((len(coef), n_slots))
    padded[:, :coef.shape[1]] = coef
    solution = solution_of(store, padded, bias, row_ids, labels, classes)
    solution.optimized = True
    return solution


@cython.final
cdef class Solution:
    """Functions f_c(x) = sum_s coef[c, s] K(v_s, x) + bias[c] over vectors v of a store."""

    # -------------------------------------------------------------------------- as arrays

    @property
    def support(self):
        """Slots of the support vectors, by class and, within a class, in order of arrival."""
        if self.places is None:
            slots = np.flatnonzero((self.coef != 0).any(axis=0))
            order = np.lexsort((self.row_id_of_slot[slots], self.label_of_slot[slots]))
            self.places = slots[order]
        return self.places

    @property
    def row_ids(self):
        """Identifier of each support vector, -1 for a synthetic sample."""
        return self.row_id_of_slot[self.support]

    @property
    def labels(self):
        """Class code of each support vector."""
        return self.label_of_slot[self.support]

    @property
    def dual_coef(self):
        """Coefficients of the support vectors, in the rows of ``coef``."""
        return np.ascontiguousarray(self.coef[:, self.support])

    @property
    def alpha(self):
        """(n_problems, n_SV) coefficients of the support vectors."""
        if not self.one_vs_one:
            return self.dual_coef
        labels, dual_coef = self.labels, self.dual_coef
        alpha = np.zeros((self.n_problems, len(labels)))
        for of_pair, (first, second) in zip(alpha, self.classes):
            of_first, of_second = labels == first, labels == second
            of_pair[of_first] = dual_coef[second - 1, of_first]
            of_pair[of_second] = dual_coef[first, of_second]
        return alpha

    @property
    def beyond_ramp(self):
        """(n_problems, n_SV) whether the sign of alpha is opposite to the label."""
        side = np.where(self.labels == self.classes[:, :1], 1, -1)
        return self.alpha * side < 0

    @property
    def offset(self):
        """Vector subtracted from all samples for a linear kernel, or None."""
        return self.store.offset

    def vectors(self):
        """Return the support vectors, as an array or a CSR matrix."""
        return self.store.vectors(self.support)

    @property
    def n_vectors(self):
        """Number of vectors, with those of coefficients 0."""
        return self.store.n_slots

    def all_vectors(self):
        """Return all vectors, in the order of their slots."""
        return self.store.vectors(np.arange(self.store.n_slots))

    def store_state(self):
        """Return the arrays of the store, and the number of vectors, for ``Store.restore``."""
        return self.store.state(), self.store.n_slots

    # -------------------------------------------------------------------------- decision values

    def decide(self, X, double[:, ::1] out, executor=None):
        """Compute out[i, c] = sum_s alpha_cs K(x_s, x_i) + b_c, in blocks of bounded memory."""
        cdef Py_ssize_t n = out.shape[0], part
        cdef Store store = self.store.view()
        halt = Halt()
        check_type(store, X)
        if self.votes is not None:
            self.votes.decide(X, store, out)
            return
        if self.one_vs_one and self.by_class is None:
            self.by_class = ByClass(self.coef, self.label_of_slot, STRETCH)
        if executor is None or n < 4 * SIMD_BLOCK:
            self.decide_part(X, store, halt, out, 0, n)
            return
        part = SIMD_BLOCK * (1 + n // (8 * SIMD_BLOCK * executor._max_workers))
        while not all(share(
                [(self.decide_part, X, store, halt, out, first, min(first + part, n))
                 for first in range(0, n, part)], executor, halt)):
            check_interrupts()          # a signal has ended the threads early

    def decide_part(self, X, Store store, Halt halt, double[:, ::1] out, Py_ssize_t begin,
                    Py_ssize_t end):
        """Compute a part; return whether it is complete."""
        cdef Py_ssize_t at, r, c, first, stretch, size, width, group, n_slots = self.n_slots
        cdef int64_t rows[SIMD_BLOCK]
        cdef Block fresh = store.new_block()
        # Rows whose distance is a power of 2 would share few lines of the CPU cache.
        cdef Py_ssize_t ld = min(n_slots, STRETCH) + (SIMD_TILE if self.one_vs_one else 0)
        cdef Py_ssize_t unit = SIMD_TILE if self.one_vs_one else 1  # pairs read whole tiles
        cdef Py_ssize_t most = round_up(min(SIMD_BLOCK, end - begin), unit)
        cdef float[::1] values = np.zeros(most * ld + 1, dtype=np.float32)
        cdef PairSums sums
        if self.one_vs_one:
            sums = self.by_class.new_sums(end - begin, ld)
        for at in range(begin, end, SIMD_BLOCK):
            if halt.now:
                return False
            size = min(SIMD_BLOCK, end - at)
            for r in range(size):
                rows[r] = at + r
            store.load(fresh, X, rows, size)
            check_norms(store, fresh, rows)
            with nogil:
                if self.one_vs_one:
                    sums.clear(size)
                else:
                    for r in range(size):
                        for c in range(self.n_problems):
                            out[at + r, c] = self.b[c]
                for stretch in range((n_slots + STRETCH - 1) // STRETCH):
                    first = stretch * STRETCH
                    width = min(STRETCH, n_slots - first)
                    # Values are written at the position of their slot: shift the base, so that the
                    # stretch starts at the beginning of the buffer.
                    store.values(fresh, first, first + width, &values[0] - first, ld)
                    if self.one_vs_one:
                        sums.add(&values[0], size, stretch, width)
                        continue
                    for group in range((size + GROUP - 1) // GROUP):
                        for c in range(self.n_problems):
                            for r in range(group * GROUP, min((group + 1) * GROUP, size)):
                                out[at + r, c] += table().dot(
                                    &values[r * ld], self.coef_at + c * n_slots + first, width)
                if self.one_vs_one:
                    sums.write(size, self.b, &out[at, 0])
            store.raise_errors()
            check_interrupts()
        return True
