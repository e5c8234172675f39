"""Stores whose kernel values come from Python; the contract is that of ``stores.pxd``."""
from libc.stdint cimport int64_t

from .sparse_store cimport SparseStore
from .stores cimport Block, Store


cdef class CallableStore(Store):
    cdef readonly object rows_array      # (capacity, n_features)
    cdef char *rows
    cdef object function


cdef class CallableSparseStore(SparseStore):
    cdef object function

    cdef object fresh_rows(self, Block block)


cdef class PrecomputedStore(Store):
    cdef readonly object ids_array       # column of the kernel matrix, per slot
    cdef int64_t *ids
    cdef object matrix                   # the matrix of the running fit; never pickled
