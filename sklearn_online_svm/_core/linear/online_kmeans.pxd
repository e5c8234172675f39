"""Contract of online k-means: ``assign`` a sample to its nearest centers, then ``update`` them."""
from libc.stdint cimport int8_t, int64_t

cimport cython

from ..simd.primitives cimport simd_linear
from .rows cimport Row


@cython.final
cdef class OnlineKMeans:
    cdef readonly Py_ssize_t n_centers  # maximum number
    cdef readonly Py_ssize_t n_active   # number of centers with samples; the first ones
    cdef Py_ssize_t n_features
    cdef bint sparse
    cdef bint single
    cdef Py_ssize_t itemsize
    cdef const simd_linear *primitives
    cdef object arrays                  # owns the arrays
    # Center k is scales[k] * v, with v[j] at k * center_stride + j * feature_stride.
    cdef char *vectors
    cdef Py_ssize_t center_stride
    cdef Py_ssize_t feature_stride
    cdef double *scales
    cdef double *squared_norms
    cdef int64_t *counts                # of the samples of each center
    cdef object buffers
    cdef double *products
    cdef double rounding                # of distances of sparse samples, relative to norms
    cdef int8_t *is_close
    cdef char *dense_row
    cdef char *dense_center
    # Of the sample assigned last: squared distances; nearest centers in ascending order of
    # distance, with coefficients that sum to 1; whether it becomes a center (the nearest one).
    cdef double *distances
    cdef Py_ssize_t n_neighbors
    cdef Py_ssize_t n_nearest
    cdef Py_ssize_t *nearest
    cdef double *coefficients
    cdef bint is_new

    cdef void assign(self, const Row *row, double squared_norm, bint may_add) noexcept nogil
    cdef void update(self, const Row *row, double squared_norm) noexcept nogil
    cdef void _compute_distances(self, const Row *row, double squared_norm) noexcept nogil
    cdef bint _mark_close(self, double squared_norm) noexcept nogil
    cdef void _compute_like_dense(self, const Row *row) noexcept nogil
    cdef void _select_nearest(self) noexcept nogil
    cdef bint _equals(self, Py_ssize_t k, const Row *row) noexcept nogil
    cdef double _value(self, Py_ssize_t k, Py_ssize_t j) noexcept nogil
    cdef void _add(self, const Row *row, Py_ssize_t k, double step) noexcept nogil
    cdef void _apply_scale(self, Py_ssize_t k) noexcept nogil
