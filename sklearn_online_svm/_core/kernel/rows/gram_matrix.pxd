"""Kernel values of some samples with each other, in one matrix of single precision."""
from libc.stdint cimport int32_t, int64_t

from ...threads.team cimport Team
from ..vectors.stores cimport Store


cdef class GramMatrix:
    cdef readonly Py_ssize_t n      # number of samples
    cdef Py_ssize_t ld              # floats from one row to the next
    cdef float *values
    cdef readonly int64_t n_evaluations

    cdef int fill(self, Store store, X, const int64_t[::1] rows, Team team) except -1
    cdef int load(self, Store store, X, const int64_t[::1] rows) except -1
    cdef int ask_function(self, Store store, X, const int64_t[::1] rows) except -1
