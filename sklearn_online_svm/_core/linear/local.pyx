"""Weights of a hyperplane for each region of the rows, all with one component in common.

The regions are those of the centres (``OnlineKMeans``). For a sample x with shares ``a`` in the
regions next to it the decision function is ``(u + sum_k a_k v_k).x``, which is one weight vector
``(sqrt(lam) u, v_1, v_2, ...)`` applied to the sample ``(x / sqrt(lam), a_1 x, a_2 x, ...)``. The
update rules use scalars only, so they are those of one hyperplane; this module computes the
scalars of the extended sample and its updates.
"""
from ..memory cimport address
from .online_kmeans cimport OnlineKMeans
from .rows cimport Row
from .weights cimport Weights

import numpy as np


cdef class LocalWeights(Weights):
    """A common component u, and a component v for each centre.

    Parameters
    ----------
    common : Weights
        u, with or without variances.
    local : Weights
        v of the first centre; those of the others lie behind it.
    centres : OnlineKMeans
    mobility : float
        1 / lam: how far u moves while v moves by 1.
    """

    def __init__(self, Weights common, Weights local, OnlineKMeans centres, double mobility):
        coef, intercept = common.arrays[:2]
        self._lay_out(coef, intercept, common.intercept, common.sparse)
        # Held by `common`; one who holds them more is taken for a reader (Shelf).
        self.arrays = ()
        self.common = common
        self.local = local
        self.centres = centres
        self.mobility = mobility
        self.second_order = common.second_order
        self.averaged = common.averaged
        self.follows = True
        # Looked at with each row.
        self.n_vectors = centres.n_centres + self.n_problems * (1 + centres.n_neighbors)
        # Squared distances are up to four times as much; centres are scaled by 2^-10 at least.
        self._set_limits(max(1.0, mobility), common.largest_squared_norm / 4096.0)
        self.more_buffers = np.zeros((2, self.n_problems))
        self.along = <double *>address(self.more_buffers)
        self.shrink = self.along + self.n_problems

    cdef void look(self, const Row *row) noexcept nogil:
        cdef Py_ssize_t c, i
        cdef double share, quadratic = self.mobility
        cdef const double *seen = self.local.margins
        self.common.look(row)
        self.squared_norm = self.common.squared_norm
        if not self.squared_norm <= self.largest_squared_norm:
            return
        self.centres.look(row, self.squared_norm, True)
        for c in range(self.n_problems):
            self.margins[c] = self.common.margins[c]
            self.variances[c] = self.mobility * self.common.variance_of(row, c)
        for i in range(self.centres.n_near):
            share = self.centres.shares[i]
            quadratic += share * share
            self.local.turn_to(self.centres.near[i])
            self.local.look(row)
            for c in range(self.n_problems):
                self.margins[c] += share * seen[c]
                self.variances[c] += share * share * self.local.variance_of(row, c)
        self.extended_squared_norm = quadratic * self.common.extended_squared_norm

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        return self.variances[c] if self.second_order else self.extended_squared_norm

    cdef void step(self, const Row *row, Py_ssize_t c, double along, double shrink) noexcept nogil:
        cdef Py_ssize_t i
        cdef double share
        self.common.lag = self.local.lag = self.lag
        if self.mobility > 0.0:
            self.common.step(row, c, self.mobility * along, self.mobility * shrink)
        for i in range(self.centres.n_near):
            share = self.centres.shares[i]
            self.local.turn_to(self.centres.near[i])
            self.local.step(row, c, share * along, share * share * shrink)

    cdef void steps(self, const Row *row, const double *along, const double *shrink,
                    Py_ssize_t n_taken) noexcept nogil:
        cdef Py_ssize_t c, i
        cdef double share
        self.common.lag = self.local.lag = self.lag
        if self.mobility > 0.0:
            for c in range(self.n_problems):
                self.along[c] = self.mobility * along[c]
                self.shrink[c] = self.mobility * shrink[c]
            self.common.steps(row, self.along, self.shrink, n_taken)
        for i in range(self.centres.n_near):
            share = self.centres.shares[i]
            for c in range(self.n_problems):
                self.along[c] = share * along[c]
                self.shrink[c] = share * share * shrink[c]
            self.local.turn_to(self.centres.near[i])
            self.local.steps(row, self.along, self.shrink, n_taken)

    cdef void follow(self, const Row *row) noexcept nogil:
        self.centres.follow(row, self.squared_norm)
