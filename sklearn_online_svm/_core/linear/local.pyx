"""Weights of local online learning: a hyperplane for each region, with a common component.

The regions are those of online k-means. With coefficients a_k of the centers nearest to a sample
x, the decision function is ``(u + sum_k a_k v_k).x`` (Zhou, Zheng, Hu, Xu and You 2016): one
weight vector ``(sqrt(lam) u, v_1, v_2, ...)``, applied to the extended sample
``(x / sqrt(lam), a_1 x, a_2 x, ...)``. The update rules use only scalars, so they apply unchanged;
this module computes the scalars of the extended sample, and its steps.
"""
from ..memory cimport address
from .online_kmeans cimport OnlineKMeans
from .rows cimport Row
from .weights cimport Weights

import numpy as np


cdef class LocalWeights(Weights):
    """A common component u, and a local component v for each center.

    ``common``: u, with or without variances.
    ``local``: v of all regions.
    ``centers``: OnlineKMeans.
    ``mobility``: 1 / lam, the step of u relative to that of v.
    """

    def __init__(self, Weights common, Weights local, OnlineKMeans centers, double mobility):
        coef, intercept = common.arrays[:2]
        self._set_arrays(coef, intercept, common.intercept, common.sparse)
        # Owned by `common`; a second reference would count as a reader (see SharedArrays).
        self.arrays = ()
        self.common = common
        self.local = local
        self.centers = centers
        self.mobility = mobility
        self.second_order = common.second_order
        self.averaged = common.averaged
        self.follows = True
        self.n_vectors = centers.n_centers + self.n_problems * (1 + centers.n_neighbors)
        # Squared distances are up to 4 times as large as norms; centers have a scale of at least
        # 2^-10.
        self._set_limits(max(1.0, mobility), common.largest_squared_norm / 4096.0)
        self.step_buffers = np.zeros((2, self.n_problems))
        self.alphas = <double *>address(self.step_buffers)
        self.betas = self.alphas + self.n_problems

    cdef void look(self, const Row *row) noexcept nogil:
        cdef Py_ssize_t c, i
        cdef double a, factor = self.mobility
        self.common.look(row)
        self.squared_norm = self.common.squared_norm
        if not self.squared_norm <= self.largest_squared_norm:
            return
        self.centers.assign(row, self.squared_norm, True)
        for c in range(self.n_problems):
            self.margins[c] = self.common.margins[c]
            self.variances[c] = self.mobility * self.common.variance_of(row, c)
        for i in range(self.centers.n_nearest):
            a = self.centers.coefficients[i]
            factor += a * a
            self.local.select(self.centers.nearest[i])
            self.local.look(row)
            for c in range(self.n_problems):
                self.margins[c] += a * self.local.margins[c]
                self.variances[c] += a * a * self.local.variance_of(row, c)
        self.extended_squared_norm = factor * self.common.extended_squared_norm

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        return self.variances[c] if self.second_order else self.extended_squared_norm

    cdef void step(self, const Row *row, Py_ssize_t c, double alpha, double beta) noexcept nogil:
        cdef Py_ssize_t i
        cdef double a
        self.common.lag = self.local.lag = self.lag
        if self.mobility > 0.0:
            self.common.step(row, c, self.mobility * alpha, self.mobility * beta)
        for i in range(self.centers.n_nearest):
            a = self.centers.coefficients[i]
            self.local.select(self.centers.nearest[i])
            self.local.step(row, c, a * alpha, a * a * beta)

    cdef void steps(self, const Row *row, const double *alphas, const double *betas,
                    Py_ssize_t n_taken) noexcept nogil:
        cdef Py_ssize_t c, i
        cdef double a
        self.common.lag = self.local.lag = self.lag
        if self.mobility > 0.0:
            for c in range(self.n_problems):
                self.alphas[c] = self.mobility * alphas[c]
                self.betas[c] = self.mobility * betas[c]
            self.common.steps(row, self.alphas, self.betas, n_taken)
        for i in range(self.centers.n_nearest):
            a = self.centers.coefficients[i]
            for c in range(self.n_problems):
                self.alphas[c] = a * alphas[c]
                self.betas[c] = a * a * betas[c]
            self.local.select(self.centers.nearest[i])
            self.local.steps(row, self.alphas, self.betas, n_taken)

    cdef void follow(self, const Row *row) noexcept nogil:
        self.centers.update(row, self.squared_norm)
