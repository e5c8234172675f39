"""LASVM on one binary problem: PROCESS, REPROCESS, finish; the equations are in ``lasvm.pyx``."""
from libc.stdint cimport int8_t

from ...simd.primitives cimport simd_extremes
from .problem cimport Problem
from ..vectors.support_set cimport Example


cdef double middle(const simd_extremes *e, double b) noexcept nogil
cdef double final_bias(const double *alpha, const double *g, const int8_t *y,
                       const double *lower, const double *upper, Py_ssize_t n, bint two_sided,
                       double width, const simd_extremes *e, double tau, double b) noexcept nogil


cdef class Lasvm(Problem):
    cdef double delta_max            # REPROCESS until delta <= delta_max; +inf: once
    cdef Py_ssize_t n_init           # size of the support set while only one class has been seen
    cdef bint evicts                 # whether REPROCESS evicts members at alpha = 0
    cdef readonly double violation   # largest violation found by PROCESS since begin_pass
    cdef readonly double high  # largest g, since begin_pass, of a new sample that may increase
    cdef readonly double low  # smallest g, since begin_pass, of a new sample that may decrease
    cdef int changed
    # Number of members at alpha = 0 that are kept, those closest to violating; 0: as the thesis.
    cdef Py_ssize_t n_reserve
    # With a reserve: members at alpha = 0 are kept, and new samples added, if they violate but for
    # so much.
    cdef double slack

    cdef int process(self, Example *row) noexcept nogil
    cdef int reprocess(self) noexcept nogil
    cdef void set_b(self) noexcept nogil
    cdef void set_b_from(self, const simd_extremes *e) noexcept nogil
    cdef void set_final_b(self) noexcept nogil
    cdef void evict(self, const simd_extremes *e) noexcept nogil
    cdef void thin_reserve(self, const simd_extremes *e) noexcept nogil
    cdef int restore_sum(self) noexcept nogil
    cdef bint step(self, Py_ssize_t i, Py_ssize_t j, const float *k_i,
                   const float *k_j) noexcept nogil
    cdef double length_of_step(self, Py_ssize_t i, Py_ssize_t j, double gap,
                               float k_ij) noexcept nogil
