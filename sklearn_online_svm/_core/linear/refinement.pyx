"""Advice vectors that follow the weights, row by row.

A rule ``D x <= d  =>  z w.x >= 1`` holds if there is a u >= 0 with ``D'u + z w = 0`` and
``d.u <= -1`` (Farkas): u says by which of its conditions a rule gives the margin, and
``r = -z D'u`` is the weight vector that it stands for. Where rules are taken at their word, u
stays; where the rows may have their say, it is moved, after each row, to the minimum of

    1/2 |u - u_before|^2 + mu/2 (|D'u + z w|^2 + max(0, 1 + d.u)^2)   such that   u >= 0 .
"""
cimport cython
from libc.math cimport fabs, sqrt

from ..memory cimport address

import numpy as np

# Rounds over the conditions of a rule end when a sweep moves none of them by more than this part
# of the largest; and they end, since a minimum that is missed by a little is sought again after
# the next row, from there.
cdef double EXACT = 1e-13
cdef Py_ssize_t MOST_ROUNDS = 100


@cython.final
cdef class Refinement:
    """The rules of a model and their vectors.

    Parameters
    ----------
    rules : dict
        ``weight``, mu; ``rows``, ndarray of shape (n_conditions, n_columns), the conditions of all
        rules over the features that they speak of, and over the constant feature, the last one,
        where there is an ``intercept``; ``bounds`` of shape (n_conditions,); ``starts`` of shape
        (n_rules + 1,), where the conditions of a rule begin; ``signs`` of shape (n_problems,
        n_rules); ``columns``, those features.
    vectors : ndarray of shape (n_problems * n_conditions,), float64
        u of each problem, changed in place.
    """

    def __init__(self, dict rules, vectors):
        rows, bounds = rules["rows"], rules["bounds"]
        starts = np.ascontiguousarray(rules["starts"], dtype=np.intp)
        columns = np.ascontiguousarray(rules["columns"], dtype=np.intp)
        self.weight = rules["weight"]
        self.n_problems, self.n_rules = rules["signs"].shape
        self.n_conditions, self.n_columns = rows.shape
        self.intercept = self.n_columns > len(columns)
        blocks = [rows[a:b] @ rows[a:b].T for a, b in zip(starts, starts[1:])]
        products = np.concatenate([np.zeros(0), *(block.ravel() for block in blocks)])
        product_starts = np.cumsum([0, *(block.size for block in blocks)], dtype=np.intp)
        longest = max(map(len, blocks))
        buffers = np.zeros(self.n_columns + 3 * self.n_conditions + longest * (longest + 1))
        constants = [
            np.ascontiguousarray(array, dtype=np.float64)
            for array in (rows, bounds, rules["signs"])
        ]
        self.arrays = (*constants, starts, columns, products, product_starts, buffers, vectors)
        self.rows = <const double *>address(constants[0])
        self.bounds = <const double *>address(constants[1])
        self.signs = <const double *>address(constants[2])
        self.starts = <const Py_ssize_t *>address(starts)
        self.columns = <const Py_ssize_t *>address(columns)
        self.products = <const double *>address(products)
        self.product_starts = <const Py_ssize_t *>address(product_starts)
        self.values = <double *>address(buffers)
        self.linear = self.values + self.n_columns
        self.targets = self.linear + self.n_conditions
        self.former = self.targets + self.n_conditions
        self.newton = self.former + self.n_conditions
        self.vectors = <double *>address(vectors)

    cdef void refine(self, Py_ssize_t c) noexcept nogil:
        """Move the vectors of a problem; ``values`` are its weights, and its mean advice then."""
        cdef Py_ssize_t i, j, k
        cdef const double *row
        cdef double step
        cdef double *vectors = self.vectors + c * self.n_conditions
        for i in range(self.n_rules):
            self._solve(c, i)
        for j in range(self.n_columns):
            self.values[j] = 0.0
        for i in range(self.n_rules):
            for k in range(self.starts[i], self.starts[i + 1]):
                step = -self.signs[c * self.n_rules + i] * vectors[k] / <double>self.n_rules
                row = self.rows + k * self.n_columns
                for j in range(self.n_columns):
                    self.values[j] += step * row[j]

    cdef void _solve(self, Py_ssize_t c, Py_ssize_t i) noexcept nogil:
        """The problem of one rule: a sweep over its coordinates, each to its minimum, says which
        of them are 0; a step with all others together spares many more sweeps."""
        cdef Py_ssize_t first = self.starts[i], n = self.starts[i + 1] - first
        cdef Py_ssize_t _, j, k
        cdef double *u = self.vectors + c * self.n_conditions + first
        cdef double *product = self.linear + first
        cdef double *target = self.targets + first
        cdef double *former = self.former + first
        cdef const double *row = self.rows + first * self.n_columns
        cdef const double *Q = self.products + self.product_starts[i]
        cdef const double *d = self.bounds + first
        cdef double z = self.signs[c * self.n_rules + i], mu = self.weight
        # lack: 1 + d.u, what the margin lacks where the conditions hold.
        cdef double step, slope, moved, size, lack = 1.0
        for k in range(n):
            former[k] = u[k]
            lack += d[k] * u[k]
            target[k] = product[k] = 0.0
            for j in range(self.n_columns):
                target[k] += z * row[k * self.n_columns + j] * self.values[j]
            for j in range(n):
                product[k] += Q[k * n + j] * u[j]
        for _ in range(MOST_ROUNDS):
            moved = size = 0.0
            for k in range(n):
                slope = u[k] - former[k] + mu * (product[k] + target[k])
                step = -slope / (1.0 + mu * Q[k * n + k])
                if lack + d[k] * step > 0.0:
                    slope += mu * d[k] * lack
                    step = -slope / (1.0 + mu * (Q[k * n + k] + d[k] * d[k]))
                step = max(step, -u[k])
                if step != 0.0:
                    u[k] += step
                    lack += d[k] * step
                    for j in range(n):
                        product[j] += step * Q[k * n + j]
                moved = max(moved, fabs(step))
                size = max(size, u[k])
            if moved <= EXACT * size:
                break
            lack = self._step_together(i, u, lack)

    cdef double _step_together(self, Py_ssize_t i, double *u, double lack) noexcept nogil:
        """To the minimum over the coordinates that are not 0, or as far on the way to it as they
        stay positive and ``max(0, lack)`` what it is; returns the new lack."""
        cdef Py_ssize_t first = self.starts[i], n = self.starts[i + 1] - first
        cdef Py_ssize_t j, k, m
        cdef double *product = self.linear + first
        cdef double *target = self.targets + first
        cdef double *former = self.former + first
        cdef const double *Q = self.products + self.product_starts[i]
        cdef const double *d = self.bounds + first
        cdef double mu = self.weight, part = 1.0, along = 0.0, squared, value
        cdef double *step = self.newton
        cdef double *L = self.newton + n
        squared = mu if lack > 0.0 else 0.0
        # Cholesky, the rows and columns of coordinates at 0 being those of the unit matrix: the
        # matrix is 1 and something positive, so the roots are of numbers of 1 or more.
        for k in range(n):
            for j in range(k + 1):
                value = 1.0 if j == k else 0.0
                if u[k] > 0.0 and u[j] > 0.0:
                    value += mu * Q[k * n + j] + squared * d[k] * d[j]
                for m in range(j):
                    value -= L[k * n + m] * L[j * n + m]
                L[k * n + j] = sqrt(max(value, 1.0)) if j == k else value / L[j * n + j]
        for k in range(n):
            value = 0.0
            if u[k] > 0.0:
                value = former[k] - u[k] - mu * (product[k] + target[k]) - squared * d[k] * lack
            for m in range(k):
                value -= L[k * n + m] * step[m]
            step[k] = value / L[k * n + k]
        for k in range(n - 1, -1, -1):
            for m in range(k + 1, n):
                step[k] -= L[m * n + k] * step[m]
            step[k] /= L[k * n + k]
            if step[k] < 0.0:
                part = min(part, -u[k] / step[k])
            along += d[k] * step[k]
        if lack != 0.0 and along / lack < 0.0:
            part = min(part, -lack / along)
        for k in range(n):
            value = max(part * step[k], -u[k])
            if value != 0.0:
                u[k] += value
                lack += d[k] * value
                for j in range(n):
                    product[j] += value * Q[k * n + j]
        return lack
