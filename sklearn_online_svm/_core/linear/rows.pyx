"""Training data of the linear models, checks of CSR matrices, and random orders."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from ..memory cimport address
from ..random cimport next_state, uniform

import numpy as np


cdef Rows rows_of(object X, Py_ssize_t n_features, bint single) except *:
    """Return the addresses of an ndarray, or of (data, indices, indptr)."""
    cdef Rows rows
    rows.columns = NULL
    rows.starts = NULL
    rows.n_features = n_features
    rows.itemsize = 4 if single else 8
    if isinstance(X, tuple):
        data, indices, indptr = X
        rows.values = <const char *>address(data)
        rows.columns = <const int32_t *>address(indices)
        rows.starts = <const int64_t *>address(indptr)
        rows.n = len(indptr) - 1
    else:
        rows.values = <const char *>address(X)
        rows.n = X.shape[0]
    return rows


@cython.final
cdef class Dataset:
    """Training samples in the order in which they are used, with labels and weights.

    ``X`` (n_samples, n_features), or (data, indices, indptr): of the type of the weights, float32
        or float64; indices int32, indptr int64.
    ``labels`` (n_samples,), int32, or float64 for regression: class of each sample; -1 if it is
        not known, -2 if the oracle abstained.
    ``weights`` (n_samples,), float64.
    ``order`` (int64): indices of the samples to use, in this order.
    ``source``: X in the form that a kernel model takes.
    """

    def __init__(self, X, labels, weights=None, order=None, source=None):
        self.arrays = X, labels, weights, order
        self.source = source

    @property
    def n_samples(self):
        """Number of samples."""
        X = self.arrays[0]
        return len(X[2]) - 1 if isinstance(X, tuple) else len(X)

    cdef int set_pointers(self, Py_ssize_t n_features, bint single, bint is_regression) except -1:
        X, labels, weights, order = self.arrays
        self.rows = rows_of(X, n_features, single)
        self.n = self.rows.n
        self.labels = NULL
        self.targets = self.weights = NULL
        self.order = NULL
        if is_regression:
            self.targets = <const double *>address(labels)
        else:
            self.labels = <const int32_t *>address(labels)
        if weights is not None:
            self.weights = <const double *>address(weights)
        if order is not None:
            self.order = <const int64_t *>address(order)
            self.n = len(order)
        return 0


def is_canonical(const int32_t[::1] indices, const int64_t[::1] indptr, int32_t n_features):
    """Return whether the columns of each CSR row are distinct and in [0, n_features).

    May return False for a small matrix with unsorted columns, which is sorted faster than checked.
    """
    cdef Py_ssize_t i, k, length, n = indptr.shape[0] - 1
    cdef int32_t[::1] last_row
    cdef int32_t invalid = 0
    cdef const int32_t *column
    if n < 0 or indptr[0] != 0 or indptr[n] > indices.shape[0]:
        return False
    with nogil:
        for i in range(n):
            length = indptr[i + 1] - indptr[i]
            if length < 0 or indptr[i + 1] > indices.shape[0]:
                n = -1
                break
            if length == 0:
                continue
            column = &indices[0] + indptr[i]
            for k in range(length - 1):
                invalid |= column[k] >= column[k + 1]
            invalid |= (column[0] < 0) | (column[length - 1] >= n_features)
    if n < 0:
        return False
    if not invalid:
        return True
    if indptr[n] < n_features:
        return False
    # Unsorted: mark each column with the last row that it occurred in.
    last_row = np.full(n_features, -1, dtype=np.int32)
    with nogil:
        invalid = 0
        for i in range(n):
            for k in range(indptr[i], indptr[i + 1]):
                if (indices[k] < 0 or indices[k] >= n_features
                        or last_row[indices[k]] == <int32_t>i):
                    invalid = 1
                    break
                last_row[indices[k]] = <int32_t>i
            if invalid:
                break
    return not invalid


def shuffled(Py_ssize_t n, uint64_t seed):
    """Return a random permutation of range(n), int64 (Fisher and Yates)."""
    order = np.arange(n, dtype=np.int64)
    cdef int64_t[::1] rows = order
    cdef Py_ssize_t i, j
    cdef int64_t row
    with nogil:
        for i in range(n - 1, 0, -1):
            seed = next_state(seed)
            j = <Py_ssize_t>(uniform(seed) * <double>(i + 1))
            row = rows[i]
            rows[i] = rows[j]
            rows[j] = row
    return order
