"""Sparse vectors; the contract is that of ``stores.pxd``."""
from libc.stdint cimport int32_t, int64_t

from ...simd.primitives cimport simd_csr
from .stores cimport Block, Store


cdef class SparseStore(Store):
    cdef readonly object indices_array, data_array, start_array, length_array
    cdef int32_t *indices
    cdef void *data
    cdef int64_t *start
    cdef int32_t *length
    cdef int64_t heap_used
    cdef int64_t heap_capacity

    cdef int collect(self, Py_ssize_t wanted) except -1
    cdef int load_array(self, Block block, object X, const int64_t *rows, Py_ssize_t n) except -1
    cdef int room(self, Block block, Py_ssize_t nnz) noexcept nogil
    cdef void norm(self, Block block, Py_ssize_t r) noexcept nogil
    cdef int load_rows(self, Block block, const int32_t *indices, const void *data,
                       const int64_t *start, const int32_t *length, const void *norms,
                       const int32_t *rows, Py_ssize_t n) noexcept nogil
    cdef bint has_far(self, Block block) noexcept nogil
    cdef int spread(self, Block block) noexcept nogil
    cdef simd_csr as_csr(self) noexcept nogil
