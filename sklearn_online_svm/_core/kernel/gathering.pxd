"""Values of a problem's members out of rows over the store."""
from libc.stdint cimport int8_t, int32_t, uint8_t


# A member that lies far from its neighbours in the store.
cdef struct Odd:
    int32_t slot
    int32_t index


cdef class Gathering:
    """Members that are neighbours here are so in the store, more or less, where problems keep
    most rows: they are gathered in groups, each out of one stretch of the row."""
    cdef int32_t *base
    cdef uint8_t *offset
    cdef Odd *odd
    cdef readonly bint close             # members lie as close together as in the store
    cdef readonly Py_ssize_t n_groups
    cdef readonly Py_ssize_t n_odd
    cdef Py_ssize_t capacity

    cdef int reserve(self, Py_ssize_t n) except -1
    # Find out how members lie: slot s at index[s] of a store of n_slots. What is not alive, or
    # not in the store, may have any value.
    cdef void plan(self, const int32_t *index, const int8_t *alive, Py_ssize_t n,
                   Py_ssize_t n_slots) noexcept nogil
    cdef Py_ssize_t best_base(self, const int32_t *index, const int8_t *alive,
                              Py_ssize_t n_slots) noexcept nogil
    # Slots entered since ``plan`` are left to the caller.
    cdef void take(self, const float *row, const int32_t *index, Py_ssize_t n,
                   float *out) noexcept nogil
    # Time of a value, in ns.
    cdef double cost(self) noexcept nogil
