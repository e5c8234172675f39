"""One binary problem: the constraints on its solution, and steps until they are met.

The loop drives a problem by ``begin_finish``, then ``finish`` until done. A subclass decides which
steps are made.
"""
from ..simd.leaves cimport leaves_extremes
from .active_set cimport Front
from .learning cimport Learning


cdef class Solving(Learning):
    # What a subclass defines; what is missing raises NotImplementedError, but for the constraints
    # and limits that there need not be.
    cdef int finish_step(self, Front *front) except -2 nogil
    cdef double violation_of(self, const leaves_extremes *e) except? -1.0 nogil
    cdef double violation_by(self, double g, bint rises, bint falls) except? -1.0 nogil
    cdef double low_of(self, const leaves_extremes *e) noexcept nogil
    cdef double high_of(self, const leaves_extremes *e) noexcept nogil
    cdef int finished(self) noexcept nogil
    cdef int refresh(self) except -2 nogil
    cdef int balance(self, double total) noexcept nogil

    # What all share.
    cdef void begin_finish(self) noexcept nogil
    cdef int finish(self, double work) except -2 nogil
    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil
    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil
    cdef int unshrink(self) except -2 nogil
