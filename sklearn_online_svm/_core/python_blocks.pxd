"""Stores whose kernel values come from Python; the contract is that of ``blocks.pxd``."""
from libc.stdint cimport int32_t

from .blocks cimport Block, SparseStore, Store


cdef class CallableStore(Store):
    cdef readonly object rows_array      # (capacity, n_features)
    cdef object function

    cdef int fetch(self, Block block, const int32_t *slots, Py_ssize_t n) except -1


cdef class CallableSparseStore(SparseStore):
    cdef object function

    cdef object fresh_rows(self, Block block)
    cdef void call(self, Block block, Py_ssize_t first, Py_ssize_t last, float *out,
                   Py_ssize_t ld) noexcept
    cdef tuple pair(self, Block block, Py_ssize_t first, Py_ssize_t last)


cdef class PrecomputedStore(Store):
    cdef readonly object ids_array       # column of the kernel matrix, per slot
    cdef object matrix                   # the matrix of the running fit; never pickled

    cdef int fetch(self, Block block, const int32_t *slots, Py_ssize_t n) except -1
    cdef void take(self, Block block, object columns, float *out, Py_ssize_t ld) noexcept
