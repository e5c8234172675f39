"""Decision values; the contract is in the ``.pxd``.

Nobody writes to a solution that is in use: other threads may predict while one learns.
"""
cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t

from ..guard cimport Halt, share
from ..memory cimport address, round_up
from ..simd.leaves cimport LEAVES_BLOCK, LEAVES_TILE, table
from .fresh_rows cimport check_norms, check_type
from .problem cimport Problem
from .stores cimport Block, Store

import numpy as np

# Slots whose kernel values are made and used at once: they stay in the cache.
cdef Py_ssize_t STRETCH = 2048


cdef Solution blank_solution(Store store, list problems):
    """Room for a solution."""
    cdef Solution solution = Solution.__new__(Solution)
    solution.n_problems = len(problems)
    solution.n_slots = round_up(store.n_slots, LEAVES_TILE)
    solution.store = store.view()
    solution.coef_array = np.zeros((solution.n_problems, solution.n_slots))
    solution.b_array = np.zeros(solution.n_problems)
    solution.coef = <double *>address(solution.coef_array)
    solution.b = <double *>address(solution.b_array)
    return solution


@cython.final
cdef class Solution:
    cdef void write_down(self, list problems):
        """Fill in the state as it is."""
        cdef Problem problem
        cdef const int32_t *index
        cdef const int8_t *alive
        cdef const double *alpha
        cdef double *coef = self.coef
        cdef Py_ssize_t c, s
        for c in range(self.n_problems):
            problem = problems[c]
            index, alive = problem.members.index, problem.members.alive
            alpha, self.b[c] = problem.members.alpha, problem.b
            if problem.shows_settled():
                alpha, self.b[c] = problem.settled.alpha, problem.settled.numbers[0]
            for s in range(problem.members.n):
                if alive[s]:
                    coef[index[s]] += alpha[s]
            coef += self.n_slots

    def decide(self, X, double[:, ::1] out, executor=None):
        """out[i, c] = sum_s alpha_cs K(x_s, x_i) + b_c, in blocks of bounded memory."""
        cdef Py_ssize_t n = out.shape[0], part
        cdef Store store = self.store.view()
        halt = Halt()
        check_type(store, X)
        if executor is None or n < 4 * LEAVES_BLOCK:
            self.decide_part(X, store, halt, out, 0, n)
            return
        part = LEAVES_BLOCK * (1 + n // (8 * LEAVES_BLOCK * executor._max_workers))
        share([(self.decide_part, X, store, halt, out, first, min(first + part, n))
               for first in range(0, n, part)], executor, halt)

    def decide_part(self, X, Store store, Halt halt, double[:, ::1] out, Py_ssize_t begin,
                    Py_ssize_t end):
        cdef Py_ssize_t at, r, c, first, stretch, size, width, n_slots = self.n_slots
        cdef int64_t rows[LEAVES_BLOCK]
        cdef Block fresh = store.new_block()
        cdef Py_ssize_t ld = min(n_slots, STRETCH)
        cdef float[::1] values = np.zeros(LEAVES_BLOCK * ld + 1, dtype=np.float32)
        for at in range(begin, end, LEAVES_BLOCK):
            if halt.now:
                return
            size = min(LEAVES_BLOCK, end - at)
            for r in range(size):
                rows[r] = at + r
            store.load(fresh, X, rows, size)
            check_norms(store, fresh, rows)
            with nogil:
                for r in range(size):
                    for c in range(self.n_problems):
                        out[at + r, c] = self.b[c]
                for stretch in range((n_slots + STRETCH - 1) // STRETCH):
                    first = stretch * STRETCH
                    width = min(STRETCH, n_slots - first)
                    # Values land at their slot's place: shift the base so that the stretch
                    # begins the buffer.
                    store.values(fresh, first, first + width, &values[0] - first, ld)
                    for r in range(size):
                        for c in range(self.n_problems):
                            out[at + r, c] += table().dot(
                                &values[r * ld], self.coef + c * n_slots + first, width)
            store.raise_error()
            store.raise_interrupt()
