"""Gather: values of a problem's slots taken from a row over the store."""
from libc.stdint cimport int8_t, int32_t, uint8_t


# A member whose store slot is far from those of its neighbours.
cdef struct Odd:
    int32_t slot
    int32_t index


cdef class Gather:
    """Gathers values in groups, each from one short window of the row.

    If a problem keeps most vectors of the store, its slots are in nearly the same order as those
    of the store, and a gather within a window is faster.
    """
    cdef int32_t *base
    cdef uint8_t *offset
    cdef Odd *odd
    cdef readonly bint close             # slots are about as close together as in the store
    cdef readonly Py_ssize_t n_groups
    cdef readonly Py_ssize_t n_odd
    cdef Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t n) except -1
    # Find the windows: slot s is at index[s] of a store of n_slots. Values of slots that are not
    # alive, or not in the store, are undefined.
    cdef void plan(self, const int32_t *index, const int8_t *alive, Py_ssize_t n,
                   Py_ssize_t n_slots) noexcept nogil
    cdef Py_ssize_t best_base(self, const int32_t *index, const int8_t *alive,
                              Py_ssize_t n_slots) noexcept nogil
    # Slots filled since ``plan`` are left to the caller.
    cdef void take(self, const float *row, const int32_t *index, Py_ssize_t n,
                   float *out) noexcept nogil
    # Cost of a value, in ns.
    cdef double cost(self) noexcept nogil
