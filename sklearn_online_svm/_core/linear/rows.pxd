"""Samples of the linear models (rows of X), with their labels, weights and order."""
from libc.stdint cimport int32_t, int64_t

from ..simd.primitives cimport SIMD_PREFETCH_DISTANCE, simd_prefetch


# One sample: n values and, if it is sparse, their columns (else NULL); its position in the order.
cdef struct Row:
    Py_ssize_t at
    const void *values
    const int32_t *columns
    Py_ssize_t n


# The samples of X: contiguous if dense, else CSR.
cdef struct Rows:
    const char *values
    const int32_t *columns          # NULL: dense
    const int64_t *starts
    Py_ssize_t n_features
    Py_ssize_t itemsize
    Py_ssize_t n


cdef inline void row_of(const Rows *rows, Py_ssize_t i, Row *row) noexcept nogil:
    if rows.columns == NULL:
        row.values = rows.values + i * rows.n_features * rows.itemsize
        row.columns = NULL
        row.n = rows.n_features
    else:
        row.values = rows.values + rows.starts[i] * rows.itemsize
        row.columns = rows.columns + rows.starts[i]
        row.n = rows.starts[i + 1] - rows.starts[i]


cdef inline double value_of(const Row *row, Py_ssize_t k, bint single) noexcept nogil:
    return (<const float *>row.values)[k] if single else (<const double *>row.values)[k]


cdef Rows rows_of(object X, Py_ssize_t n_features, bint single) except *


cdef class Dataset:
    cdef object arrays              # owns X, labels, weights and order
    cdef object source              # X in the form that kernel models take, or None
    cdef Rows rows
    cdef Py_ssize_t n               # number of positions in the order
    cdef const int64_t *order       # NULL: the order of X
    cdef const int32_t *labels
    cdef const double *targets
    cdef const double *weights      # NULL: all are 1

    cdef int set_pointers(self, Py_ssize_t n_features, bint single, bint is_regression) except -1


# Write the sample at a position of the order, and prefetch a later one; return its index in X.
cdef inline Py_ssize_t row_at(Dataset dataset, Py_ssize_t at, Row *row) noexcept nogil:
    cdef const Rows *rows = &dataset.rows
    cdef Py_ssize_t later, i = dataset.order[at] if dataset.order != NULL else at
    row_of(rows, i, row)
    row.at = at
    if dataset.order != NULL and at + SIMD_PREFETCH_DISTANCE < dataset.n:
        later = dataset.order[at + SIMD_PREFETCH_DISTANCE]
        # The length of a sparse sample is assumed to be that of the current one.
        later = rows.starts[later] if rows.starts != NULL else later * row.n
        simd_prefetch(rows.values + later * rows.itemsize, row.n * rows.itemsize)
        if rows.columns != NULL:
            simd_prefetch(rows.columns + later, row.n * 4)
    return i
