"""Contract of online k-means: which centres are next to a row, and how they follow it."""
from libc.stdint cimport int64_t

cimport cython

from ..simd.primitives cimport simd_linear
from .rows cimport Row


@cython.final
cdef class OnlineKMeans:
    cdef readonly Py_ssize_t n_centres  # there may be
    cdef readonly Py_ssize_t n_open     # there are
    cdef Py_ssize_t n_features
    cdef bint sparse
    cdef bint single
    cdef Py_ssize_t itemsize
    cdef const simd_linear *leaf
    cdef object arrays                  # kept alive
    # Centre k is scales[k] times the vector of which element j lies at k * apart + j * stride.
    cdef char *c
    cdef Py_ssize_t apart
    cdef Py_ssize_t stride
    cdef double *scales
    cdef double *squared_norms
    cdef int64_t *counts                # rows that each has followed
    cdef object buffers
    cdef double *products
    cdef double *distances              # squared, of the row looked at last
    # Of that row: the centres next to it, the nearest first, and what each counts; they sum to 1.
    cdef Py_ssize_t n_neighbors
    cdef Py_ssize_t n_near
    cdef Py_ssize_t *near
    cdef double *shares
    cdef bint opens                     # it will be a centre itself, the nearest

    cdef void look(self, const Row *row, double squared_norm, bint may_open) noexcept nogil
    cdef void follow(self, const Row *row, double squared_norm) noexcept nogil
    cdef void _measure(self, const Row *row, double squared_norm) noexcept nogil
    cdef void _choose(self) noexcept nogil
    cdef bint _is(self, Py_ssize_t k, const Row *row) noexcept nogil
    cdef double _value(self, Py_ssize_t k, Py_ssize_t j) noexcept nogil
    cdef void _add(self, const Row *row, Py_ssize_t k, double step) noexcept nogil
    cdef void _fold(self, Py_ssize_t k) noexcept nogil
