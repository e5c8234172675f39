"""The majority of all functions that a stream has made."""
from libc.stdint cimport int32_t, int64_t

from .stores cimport Store


cdef class Votes:
    cdef bint joint                 # classes compete
    cdef Py_ssize_t n_problems
    cdef readonly Py_ssize_t n      # steps
    cdef int64_t n_rows             # of those that are shown: learnt from
    cdef Py_ssize_t capacity
    cdef object slots_array         # of the vector each step was along,
    cdef object problems_array      # in which problem,
    cdef object lengths_array       # how far,
    cdef object rows_array          # and the rows that had been learnt before
    cdef int32_t *slots
    cdef int32_t *problems
    cdef double *lengths
    cdef int64_t *rows

    cdef int reserve(self, Py_ssize_t n_more) except -1
    cdef void note(self, int32_t slot, int32_t problem, double length, int64_t row) noexcept nogil
    cdef Votes shown(self, int64_t n_rows)
    cdef int decide(self, X, Store store, double[:, ::1] out) except -1
    cdef void count(self, const float *k, double *f, int64_t *since, double *out) noexcept nogil
    cdef void count_jointly(self, const float *k, double *f, double *out) noexcept nogil
