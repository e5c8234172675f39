"""Dense vectors; the contract is that of ``stores.pxd``."""
from .stores cimport Block, Store


cdef class DenseStore(Store):
    cdef readonly object tiles_array     # (capacity / 16, n_features, 16)
    cdef void *tiles

    cdef void norm(self, Block block) noexcept nogil
