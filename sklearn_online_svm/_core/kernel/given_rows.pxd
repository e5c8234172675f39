"""Data of the samples to train on, besides their features."""
from libc.stdint cimport int8_t, int32_t, int64_t

from .members cimport Example


cdef class Rows:
    cdef const int32_t[::1] labels
    cdef const double[::1] cost
    cdef const int64_t[::1] row_ids
    cdef const int8_t[:, ::1] shifted
    cdef const double[::1] targets
    cdef const int64_t[::1] vectors
    cdef int8_t origin
    cdef const int8_t[::1] origins

    cdef int64_t place(self, Py_ssize_t row) noexcept nogil
    cdef void describe(self, Example *row, Py_ssize_t r, Py_ssize_t c, int positive) noexcept nogil
