"""One binary problem: its constraints, and steps until it is solved over the support set.

The loop calls ``begin_finish``, then ``finish`` until it returns 1. A subclass defines the steps.
"""
from ..simd.primitives cimport simd_extremes
from .active_set cimport Front
from .learning cimport Learning


cdef class Solving(Learning):
    # Defined by subclasses. Methods without a default raise NotImplementedError.
    cdef int finish_step(self, Front *front) except -2 nogil
    cdef double violation_of(self, const simd_extremes *e) except? -1.0 nogil
    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil
    cdef double low_of(self, const simd_extremes *e) noexcept nogil
    cdef double high_of(self, const simd_extremes *e) noexcept nogil
    cdef int finished(self) noexcept nogil
    cdef int refresh(self) except -2 nogil
    cdef int balance(self, double total) noexcept nogil

    # Common to all problems.
    cdef void begin_finish(self) noexcept nogil
    cdef int finish(self, double work) except -2 nogil
    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil
    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil
    cdef int unshrink(self) except -2 nogil
