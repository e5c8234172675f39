"""Refinement of advice: dual vectors of the advice that follow the weights.

A rule ``D x <= d  =>  z w.x >= 1`` holds if there is a u >= 0 with ``D'u + z w = 0`` and
``d.u <= -1`` (Farkas' lemma). Its advice is the weight vector ``r = -z D'u`` (Kunapuli, Bennett,
Maclin and Shavlik 2010). Without refinement u is constant; with it, after each sample u becomes
the solution of

    min_u 1/2 |u - u_before|^2 + mu/2 (|D'u + z w|^2 + max(0, 1 + d.u)^2)   such that   u >= 0,

found by coordinate descent with Newton steps on the free coordinates. ``hinge`` is 1 + d.u.
Weights and u may alternate several times on one sample; u_before stays that of its beginning.
"""
cimport cython
from libc.math cimport fabs, sqrt

from ..memory cimport address

import numpy as np

# Coordinate descent ends when no coordinate of an epoch changes by more than TOL times the largest
# one, or after MAX_EPOCHS: it continues after the next sample, from there.
cdef double TOL = 1e-13
cdef Py_ssize_t MAX_EPOCHS = 100


@cython.final
cdef class Refinement:
    """The rules of a model and their dual vectors.

    ``rules``: ``weight``, mu; ``refine``, the number of alternations; ``rows``, ndarray of shape
    (n_conditions, n_columns), D of all rules, over the features that occur in them and, with an
    ``intercept``, the constant feature, which is the last; ``bounds``, d, of shape
    (n_conditions,); ``starts`` of shape (n_rules + 1,), the first condition of each rule;
    ``signs``, z, of shape (n_problems, n_rules); ``columns``, the features without the constant
    one.

    ``vectors`` (n_problems * n_conditions,), float64: u of each problem, changed in place.
    """

    def __init__(self, dict rules, vectors):
        rows, bounds = rules["rows"], rules["bounds"]
        starts = np.ascontiguousarray(rules["starts"], dtype=np.intp)
        columns = np.ascontiguousarray(rules["columns"], dtype=np.intp)
        self.weight, self.n_alternations = rules["weight"], rules["refine"]
        self.n_problems, self.n_rules = rules["signs"].shape
        self.n_conditions, self.n_columns = rows.shape
        self.intercept = self.n_columns > len(columns)
        blocks = [rows[a:b] @ rows[a:b].T for a, b in zip(starts, starts[1:])]
        products = np.concatenate([np.zeros(0), *(block.ravel() for block in blocks)])
        product_starts = np.cumsum([0, *(block.size for block in blocks)], dtype=np.intp)
        longest = max(map(len, blocks))
        # One epoch of coordinate descent with one Newton step.
        self.cost = sum(n * (self.n_columns + n + n * n / 6.0) for n in map(len, blocks))
        buffers = np.zeros(self.n_columns + (2 + self.n_problems) * self.n_conditions
                           + longest * (longest + 1))
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
        self.newton = self.former + self.n_problems * self.n_conditions
        self.vectors = <double *>address(vectors)

    cdef void refine(self, Py_ssize_t c) noexcept nogil:
        """Update u of problem c; ``values`` are its weights, replaced by its mean advice."""
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
        """Solve the problem of rule i for problem c."""
        cdef Py_ssize_t first = self.starts[i], n = self.starts[i + 1] - first
        cdef Py_ssize_t _, j, k
        cdef double *u = self.vectors + c * self.n_conditions + first
        cdef double *product = self.linear + first
        cdef double *target = self.targets + first
        cdef double *former = self.former + c * self.n_conditions + first
        cdef const double *row = self.rows + first * self.n_columns
        cdef const double *Q = self.products + self.product_starts[i]
        cdef const double *d = self.bounds + first
        cdef double z = self.signs[c * self.n_rules + i], mu = self.weight
        cdef double step, gradient, change, size, hinge = 1.0
        for k in range(n):
            if self.alternation == 0:
                former[k] = u[k]
            hinge += d[k] * u[k]
            target[k] = product[k] = 0.0
            for j in range(self.n_columns):
                target[k] += z * row[k * self.n_columns + j] * self.values[j]
            for j in range(n):
                product[k] += Q[k * n + j] * u[j]
        for _ in range(MAX_EPOCHS):
            change = size = 0.0
            for k in range(n):
                gradient = u[k] - former[k] + mu * (product[k] + target[k])
                step = -gradient / (1.0 + mu * Q[k * n + k])
                if hinge + d[k] * step > 0.0:
                    gradient += mu * d[k] * hinge
                    step = -gradient / (1.0 + mu * (Q[k * n + k] + d[k] * d[k]))
                step = max(step, -u[k])
                if step != 0.0:
                    u[k] += step
                    hinge += d[k] * step
                    for j in range(n):
                        product[j] += step * Q[k * n + j]
                change = max(change, fabs(step))
                size = max(size, u[k])
            if change <= TOL * size:
                break
            hinge = self._newton_step(i, u, former, hinge)

    cdef double _newton_step(self, Py_ssize_t i, double *u, const double *former,
                             double hinge) noexcept nogil:
        """Minimize over the coordinates that are not 0; return the new hinge.

        The step is shortened so that no coordinate becomes negative and ``hinge`` keeps its sign.
        """
        cdef Py_ssize_t first = self.starts[i], n = self.starts[i + 1] - first
        cdef Py_ssize_t j, k, m
        cdef double *product = self.linear + first
        cdef double *target = self.targets + first
        cdef const double *Q = self.products + self.product_starts[i]
        cdef const double *d = self.bounds + first
        cdef double mu = self.weight, length = 1.0, slope = 0.0, curvature, value
        cdef double *step = self.newton
        cdef double *L = self.newton + n
        curvature = mu if hinge > 0.0 else 0.0
        # Cholesky factorization of the Hessian, with rows and columns of the identity for
        # coordinates at 0. It is the identity plus a positive semidefinite matrix, so the
        # pivots are at least 1.
        for k in range(n):
            for j in range(k + 1):
                value = 1.0 if j == k else 0.0
                if u[k] > 0.0 and u[j] > 0.0:
                    value += mu * Q[k * n + j] + curvature * d[k] * d[j]
                for m in range(j):
                    value -= L[k * n + m] * L[j * n + m]
                L[k * n + j] = sqrt(max(value, 1.0)) if j == k else value / L[j * n + j]
        for k in range(n):
            value = 0.0
            if u[k] > 0.0:
                value = former[k] - u[k] - mu * (product[k] + target[k]) - curvature * d[k] * hinge
            for m in range(k):
                value -= L[k * n + m] * step[m]
            step[k] = value / L[k * n + k]
        for k in range(n - 1, -1, -1):
            for m in range(k + 1, n):
                step[k] -= L[m * n + k] * step[m]
            step[k] /= L[k * n + k]
            if step[k] < 0.0:
                length = min(length, -u[k] / step[k])
            slope += d[k] * step[k]
        if hinge != 0.0 and slope / hinge < 0.0:
            length = min(length, -hinge / slope)
        for k in range(n):
            value = max(length * step[k], -u[k])
            if value != 0.0:
                u[k] += value
                hinge += d[k] * value
                for j in range(n):
                    product[j] += value * Q[k * n + j]
        return hinge
