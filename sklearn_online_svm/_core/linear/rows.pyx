"""What is done with the rows of the linear models before they are learnt."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from ..memory cimport address
from ..simd.leaves cimport leaves_linear
from ..random cimport next_state, uniform
from .weights cimport FullWeights, Weights

import numpy as np


def first_not_finite(X, Weights weights):
    """The first row of X with a squared norm that cannot be worked with, -1 if there is none."""
    cdef Py_ssize_t i, n, found = -1
    cdef const char *values
    cdef const int64_t *starts = NULL
    cdef Py_ssize_t itemsize = 4 if weights.single else 8, width = weights.n_features
    cdef const leaves_linear *leaf = weights.leaf
    cdef double norm, largest = weights.largest_norm
    # A full covariance makes float64 of float32 rows.
    cdef bint wide = weights.single and isinstance(weights, FullWeights)
    cdef const char *row
    if isinstance(X, tuple):
        values = <const char *>address(X[0])
        starts = <const int64_t *>address(X[2])
        n = len(X[2]) - 1
    else:
        values = <const char *>address(X)
        n = X.shape[0]
    with nogil:
        for i in range(n):
            row = values + (starts[i] if starts != NULL else i * width) * itemsize
            if starts != NULL:
                width = starts[i + 1] - starts[i]
            norm = _square(row, width) if wide else leaf.square(row, width)
            if not norm <= largest:
                found = i
                break
    return found


cdef double _square(const char *row, Py_ssize_t n) noexcept nogil:
    """The squared norm of a float32 row, in float64."""
    cdef Py_ssize_t k
    cdef double value, total = 0.0
    for k in range(n):
        value = (<const float *>row)[k]
        total += value * value
    return total


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
