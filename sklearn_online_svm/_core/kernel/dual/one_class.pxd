"""LASVM on the one-class problem; the equations are in ``one_class.pyx``."""
from ...simd.primitives cimport simd_extremes
from ..vectors.support_set cimport Example
from .lasvm cimport Lasvm


cdef double inner_bias(const simd_extremes *e, double tau, double b) noexcept nogil


cdef class OneClass(Lasvm):
    cdef double nu
    cdef readonly double n_inside    # weight of the samples seen, or number of those in the window
    cdef public bint grows           # samples that are not members are new, and add to n_inside
    # Samples up to this far inside the boundary are added, and kept at alpha = 0.
    cdef double inner_margin

    cdef void count(self, double weight) noexcept nogil
    cdef void adapt_margin(self) noexcept nogil
    cdef int add_and_scan(self, const Example *row, float *k, double g) noexcept nogil
    cdef Py_ssize_t nearest(self, Py_ssize_t slot, const float *k, double *cost) noexcept nogil
