"""Rows as the linear models take them, and what each of them teaches."""
from libc.stdint cimport int32_t, int64_t

from ..simd.primitives cimport SIMD_AHEAD, simd_fetch


# One row: n values, and their columns where it is sparse (NULL: dense); its place in the order.
cdef struct Row:
    Py_ssize_t at
    const void *values
    const int32_t *columns
    Py_ssize_t n


# Many of them: dense, one after the other, or CSR.
cdef struct Rows:
    const char *values
    const int32_t *columns          # NULL: dense
    const int64_t *starts
    Py_ssize_t n_features
    Py_ssize_t itemsize
    Py_ssize_t n                    # rows there are


cdef inline void row_of(const Rows *rows, Py_ssize_t i, Row *row) noexcept nogil:
    if rows.columns == NULL:
        row.values = rows.values + i * rows.n_features * rows.itemsize
        row.columns = NULL
        row.n = rows.n_features
    else:
        row.values = rows.values + rows.starts[i] * rows.itemsize
        row.columns = rows.columns + rows.starts[i]
        row.n = rows.starts[i + 1] - rows.starts[i]


cdef Rows rows_of(object X, Py_ssize_t n_features, bint single) except *


cdef class Dataset:
    cdef object arrays              # kept alive: X, labels, weights, order
    cdef object source              # X as the stores of kernel models take it, or None
    cdef Rows rows
    cdef Py_ssize_t n               # rows to visit
    cdef const int64_t *order       # NULL: as they lie
    cdef const int32_t *labels
    cdef const double *targets
    cdef const double *weights      # NULL: all are 1

    cdef int lay_out(self, Py_ssize_t n_features, bint single, bint is_regression) except -1


cdef inline Py_ssize_t visited(Dataset dataset, Py_ssize_t at, Row *row) noexcept nogil:
    """The row that comes at a place of the order; one that comes later is asked for."""
    cdef const Rows *rows = &dataset.rows
    cdef Py_ssize_t ahead, i = dataset.order[at] if dataset.order != NULL else at
    row_of(rows, i, row)
    row.at = at
    if dataset.order != NULL and at + SIMD_AHEAD < dataset.n:
        ahead = dataset.order[at + SIMD_AHEAD]
        # A sparse one is taken to be as long as the one that is there.
        ahead = rows.starts[ahead] if rows.starts != NULL else ahead * row.n
        simd_fetch(rows.values + ahead * rows.itemsize, row.n * rows.itemsize)
        if rows.columns != NULL:
            simd_fetch(rows.columns + ahead, row.n * 4)
    return i
