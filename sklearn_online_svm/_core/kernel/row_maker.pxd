"""Kernel values of one stored vector, computed."""
from libc.stdint cimport int32_t

from .stores cimport Block, Store


# Rows that are computed at once where they come and go: the vectors of the store are read from
# memory, and that takes as long for one row as for several.
cdef enum:
    TOGETHER = 32


cdef class RowMaker:
    """Computes rows over the slots of a store, or what is missing in them; one for each thread."""
    cdef Store store
    cdef Block scratch
    cdef float *wide            # a row over the store, for the caller, too
    cdef float *several         # rows of several vectors, for the caller, or NULL
    cdef int32_t *missing       # slots whose values a row lacks, for the caller
    cdef int32_t *tiles         # tiles of the store wanted, and the place of each in the list
    cdef int32_t *tile_place
    cdef Py_ssize_t capacity
    cdef Py_ssize_t several_bytes

    cdef int reserve(self) except -1
    # How many values were computed; -1: no memory, or a Python kernel failed.
    cdef Py_ssize_t whole(self, int32_t slot, float *row) noexcept nogil
    cdef Py_ssize_t together(self, const int32_t *slots, Py_ssize_t n) noexcept nogil
    cdef Py_ssize_t some(self, int32_t slot, Py_ssize_t n_missing, float *row) noexcept nogil
