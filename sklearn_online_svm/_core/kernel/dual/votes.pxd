"""Majority vote of all functions of a stream."""
from libc.stdint cimport int32_t, int64_t

from ..vectors.stores cimport Store


cdef class Votes:
    cdef bint joint                 # whether functions vote for classes, not for signs
    cdef Py_ssize_t n_problems
    cdef readonly Py_ssize_t n      # number of steps
    cdef int64_t n_rows             # number of samples processed when the view was created
    cdef Py_ssize_t capacity
    cdef object slots_array         # slot of the vector of each step
    cdef object problems_array      # its problem
    cdef object lengths_array       # its length
    cdef object rows_array          # number of samples processed before it
    cdef int32_t *slots
    cdef int32_t *problems
    cdef double *lengths
    cdef int64_t *rows

    cdef int reserve(self, Py_ssize_t n_more) except -1
    cdef void record(self, int32_t slot, int32_t problem, double length,
                     int64_t row) noexcept nogil
    cdef Votes shown(self, int64_t n_rows)
    cdef int decide(self, X, Store store, double[:, ::1] out) except -1
    cdef void count(self, const float *k, double *f, int64_t *since, double *out) noexcept nogil
    cdef void count_jointly(self, const float *k, double *f, double *out) noexcept nogil
