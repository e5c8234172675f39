"""Kernel rows over a working set, for ``finish`` with many support vectors."""
from libc.stdint cimport int32_t

from ...threads.team cimport Team
from ..vectors.stores cimport Block, Store


cdef class WorkingSet:
    """Copies of the vectors of a working set, and kernel rows over it.

    Rows are computed in groups of ``SIMD_BLOCK`` when one of them is used, and replaced in turn if
    they do not fit into the memory given.
    """
    cdef Store store
    cdef Block block
    cdef Py_ssize_t n                  # number of vectors
    cdef Py_ssize_t ld                 # length of a row
    cdef float *values
    cdef Py_ssize_t n_places           # groups of rows that fit into `values`
    cdef Py_ssize_t next_place
    cdef int32_t[::1] place_of         # of each group, -1: none
    cdef int32_t[::1] group_at         # of each place, -1: none

    cdef const float *row(self, Py_ssize_t q) noexcept nogil
    cdef Py_ssize_t compute(self, Team team, Py_ssize_t q, Py_ssize_t pinned,
                            const float *diag) noexcept nogil
