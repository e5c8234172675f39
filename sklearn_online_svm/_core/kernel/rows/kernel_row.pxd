"""Computation of kernel rows of stored vectors."""
from libc.stdint cimport int32_t

from ...threads.team cimport Team
from ..vectors.stores cimport Block, Store


# Rows computed at once if the kernel cache is too small: the vectors of the store are read from
# memory, which takes as long for one row as for several.
cdef enum:
    TOGETHER = 32


cdef class RowComputer:
    """Computes rows over the slots of a store, or missing values of rows; one per thread."""
    cdef Store store
    cdef Team team              # threads that share the work; set with the store
    cdef Block scratch
    cdef float *wide            # work array for a row over the store, also for the caller
    cdef float *several         # rows of several vectors, for the caller, or NULL
    cdef int32_t *missing       # slots missing in a row, set by the caller
    cdef int32_t *tiles  # tiles of the store to compute, and the position of each in the list
    cdef int32_t *tile_place
    cdef Py_ssize_t capacity
    cdef Py_ssize_t several_bytes
    cdef float *gathered        # values of a block over the slots of a problem, for the caller
    cdef Py_ssize_t n_gathered

    cdef int reserve(self) except -1
    cdef int reserve_gathered(self, Py_ssize_t n) except -1
    # Return the number of values computed, or -1 if out of memory or if a Python kernel failed.
    cdef Py_ssize_t whole(self, int32_t slot, float *row) noexcept nogil
    cdef Py_ssize_t together(self, const int32_t *slots, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t some(self, int32_t slot, Py_ssize_t n_missing, float *row) noexcept nogil
