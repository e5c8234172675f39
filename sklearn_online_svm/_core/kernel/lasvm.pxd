"""LASVM on one binary problem: PROCESS, REPROCESS, finish; the equations are in ``lasvm.pyx``."""
from .problem cimport Problem
from .members cimport Example


cdef class Lasvm(Problem):
    cdef double delta_max            # REPROCESS until delta <= delta_max; +inf: once
    cdef Py_ssize_t n_init           # members kept while only one class has been seen
    cdef bint evicts                 # whether members that cannot matter are let go
    cdef readonly double violation   # largest met by PROCESS since begin_pass
    cdef readonly double high        # largest g of a row that may rise, smallest of one that ...
    cdef readonly double low         # ... may fall, outside the set, met since begin_pass
    cdef int changed

    cdef int process(self, const Example *row) noexcept nogil
    cdef int reprocess(self) noexcept nogil
    cdef void set_b(self) noexcept nogil
    cdef void evict(self) noexcept nogil
    cdef bint step(self, Py_ssize_t i, Py_ssize_t j, const float *k_i,
                   const float *k_j) noexcept nogil
    cdef double length_of_step(self, Py_ssize_t i, Py_ssize_t j, double gap,
                               float k_ij) noexcept nogil
