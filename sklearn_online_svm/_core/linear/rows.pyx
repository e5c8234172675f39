"""What the linear models learn from: rows with labels, weights and an order; CSR rows checked."""
cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t

from ..memory cimport address
from ..random cimport next_state, uniform

import numpy as np


cdef Rows rows_of(object X, Py_ssize_t n_features, bint single) except *:
    """Where the rows lie of an ndarray, or of (data, indices, indptr)."""
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
    """Rows in the order in which they are learnt, with their labels and weights.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features), or tuple (data, indices, indptr)
        Float32 or float64 as the weights want it; indices int32, indptr int64.
    labels : ndarray of int32, or of float64 for regression
        Class of each row, -1: not known, -2: nobody knows.
    weights : ndarray of float64, optional
    order : ndarray of int64, optional
        Rows to visit, in this order.
    source : {ndarray, csr_matrix}, optional
        X as a kernel model takes it.
    """

    def __init__(self, X, labels, weights=None, order=None, source=None):
        self.arrays = X, labels, weights, order
        self.source = source

    cdef int lay_out(self, Py_ssize_t n_features, bint single, bint is_regression) except -1:
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
    """Whether the columns of each CSR row are those of a matrix so wide, and differ.

    False, too, of a few rows whose columns do not ascend."""
    cdef Py_ssize_t i, k, n = indptr.shape[0] - 1
    cdef int32_t[::1] met
    cdef int32_t bad = 0
    cdef const int32_t *column
    cdef Py_ssize_t length
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
                bad |= column[k] >= column[k + 1]
            bad |= (column[0] < 0) | (column[length - 1] >= n_features)
    if n < 0:
        return False
    if not bad:
        return True
    # Not ascending: in any order they will do. Few are sorted sooner than every column is marked.
    if indptr[n] < n_features:
        return False
    met = np.full(n_features, -1, dtype=np.int32)
    with nogil:
        bad = 0
        for i in range(n):
            for k in range(indptr[i], indptr[i + 1]):
                if indices[k] < 0 or indices[k] >= n_features or met[indices[k]] == <int32_t>i:
                    bad = 1
                    break
                met[indices[k]] = <int32_t>i
            if bad:
                break
    return not bad


def shuffled(Py_ssize_t n, uint64_t seed):
    """A permutation of n rows, int64; all are alike likely (Fisher and Yates)."""
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
