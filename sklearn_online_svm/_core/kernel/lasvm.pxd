"""LASVM on one binary problem: PROCESS, REPROCESS, finish; the equations are in ``lasvm.pyx``."""
from .problem cimport Problem
from .support_set cimport Example


cdef class Lasvm(Problem):
    cdef double delta_max            # REPROCESS until delta <= delta_max; +inf: once
    cdef Py_ssize_t n_init           # size of the support set while only one class has been seen
    cdef bint evicts                 # whether REPROCESS evicts members at alpha = 0
    cdef readonly double violation   # largest violation found by PROCESS since begin_pass
    cdef readonly double high  # largest g, since begin_pass, of a new sample that may increase
    cdef readonly double low  # smallest g, since begin_pass, of a new sample that may decrease
    cdef int changed

    cdef int process(self, const Example *row) noexcept nogil
    cdef int reprocess(self) noexcept nogil
    cdef void set_b(self) noexcept nogil
    cdef void evict(self) noexcept nogil
    cdef bint step(self, Py_ssize_t i, Py_ssize_t j, const float *k_i,
                   const float *k_j) noexcept nogil
    cdef double length_of_step(self, Py_ssize_t i, Py_ssize_t j, double gap,
                               float k_ij) noexcept nogil
