"""Data of the samples to train on, besides their features."""
cimport cython
from libc.stdint cimport int64_t

from .members cimport OF_DATA, Example

import numpy as np


@cython.final
cdef class Rows:
    """Data of the samples of X besides their features: labels, costs, targets.

    Parameters
    ----------
    labels : ndarray of int32
        Class of each sample; in problem c class c has label +1 (in a single problem: class 1).
    cost : ndarray of float64
        Upper bound of each sample's \\|alpha\\|; a sample of cost 0 is skipped.
    row_ids : ndarray of int64
        Identifiers that do not change during training.
    shifted : ndarray of int8 of shape (n_problems, n_rows), optional
        Nonzero for samples on the flat part of a ramp loss: the box is on the other side of 0.
    targets : ndarray of float64, optional
        Linear terms of the dual. Default: 1 for the class and -1 for the others. The label
        determines the side of the box.
    vectors : ndarray of int64, optional
        Row of X of each sample, where several samples share a vector. Only samples that are
        adjacent in the order of visiting share it. All other arrays are indexed by sample.
    origin : int or ndarray of int8, default=DATA
        Origin of the samples, common or per sample: a constant of ``members``.
    """
    def __init__(self, labels, cost, row_ids, shifted=None, *, targets=None, vectors=None,
                 origin=OF_DATA):
        self.labels, self.cost, self.row_ids = labels, cost, row_ids
        self.shifted, self.targets, self.vectors = shifted, targets, vectors
        self.origins = origin if isinstance(origin, np.ndarray) else None
        self.origin = OF_DATA if isinstance(origin, np.ndarray) else origin

    cdef int64_t place(self, Py_ssize_t row) noexcept nogil:
        """Return the row of X of a sample."""
        return row if self.vectors is None else self.vectors[row]

    cdef void describe(self, Example *row, Py_ssize_t r, Py_ssize_t c,
                       int positive) noexcept nogil:
        """Describe sample ``r`` in problem ``c``: fill all fields of ``row`` but its place.

        ``positive`` is the class whose label is +1.
        """
        cdef double cost = self.cost[r]
        row.row_id, row.region = self.row_ids[r], 0
        row.origin = self.origin if self.origins is None else self.origins[r]
        row.y = 1 if self.labels[r] == positive else -1
        row.target = row.y if self.targets is None else self.targets[r]
        if (row.y > 0) != (self.shifted is not None and self.shifted[c, r] != 0):
            row.lower, row.upper = 0.0, cost
        else:
            row.lower, row.upper = -cost, 0.0

    def boxes(self, Py_ssize_t c, int positive, rows):
        """Return the lower and upper ends of the boxes of samples in problem ``c``."""
        cdef Example row
        cdef Py_ssize_t i
        cdef const int64_t[::1] places = np.ascontiguousarray(rows, dtype=np.int64)
        if len(rows) and not 0 <= np.min(rows) <= np.max(rows) < self.cost.shape[0]:
            raise IndexError(f"rows must be below {self.cost.shape[0]}, got {np.max(rows)}")
        cdef double[::1] lower = np.empty(len(rows))
        cdef double[::1] upper = np.empty(len(rows))
        for i in range(places.shape[0]):
            self.describe(&row, places[i], c, positive)
            lower[i], upper[i] = row.lower, row.upper
        return np.asarray(lower), np.asarray(upper)
