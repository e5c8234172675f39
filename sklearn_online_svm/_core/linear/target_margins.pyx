"""Margins demanded by the sign of a row, by running counts, or by a matrix of prices.

The perceptron with uneven margins, CSPA and CPA are other rules' formulas with other demands.
"""
from ..memory cimport address

import numpy as np


cdef class TargetMargins:
    """What is demanded of the rows of a model.

    Parameters
    ----------
    demands : dict
        ``negative``, ``positive``; ``running``, ``eta_ratio``, ``root``, ``sign``, ``relative``;
        ``pairs``, ``max_loss``; ``counted``: see the contract.
    n_classes : int
    """

    def __init__(self, dict demands, Py_ssize_t n_classes):
        self.negative = demands.get("negative", 1.0)
        self.positive = demands.get("positive", 1.0)
        self.running = demands.get("running", False)
        self.eta_ratio = demands.get("eta_ratio", 1.0)
        self.root = demands.get("root", False)
        self.sign = demands.get("sign", 1.0)
        self.relative = demands.get("relative", False)
        self.max_loss = demands.get("max_loss", False)
        self.counted = demands.get("counted", False)
        self.n_classes = n_classes
        self.counts = np.zeros(n_classes)
        self.seen = <double *>address(self.counts)
        self.pairs = NULL
        if demands.get("pairs") is not None:
            self.arrays = np.ascontiguousarray(demands["pairs"], dtype=np.float64)
            self.pairs = <const double *>address(self.arrays)

    cdef double by_counts(self, int32_t positive) noexcept nogil:
        cdef double rho, t_p, t_n
        cdef Py_ssize_t r
        # With two classes the positive one may be the first.
        if self.sign < 0.0:
            positive = 0
        t_p = 1.0 + self.seen[positive]
        t_n = 1.0
        for r in range(self.n_classes):
            if r != positive:
                t_n += self.seen[r]
        rho = self.eta_ratio * t_n / t_p
        return sqrt(rho) if self.root else rho
