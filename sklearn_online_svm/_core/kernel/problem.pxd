"""One binary problem: what every algorithm does alike to solve it over its members.

The loop drives a problem by ``begin_finish``, then ``finish`` until done. A subclass decides which
steps are made.
"""
from ..simd.leaves cimport leaves_extremes
from .active_set cimport Front
from .learning cimport Learning
from .settled cimport Settled


cdef class Problem(Learning):
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
    cdef void exchange(self) noexcept nogil

    # What all share.
    cdef void begin_finish(self) noexcept nogil
    cdef int finish(self, double work) except -2 nogil
    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil
    cdef bint move(self, Front *front, Py_ssize_t q, double by) noexcept nogil
    cdef int unshrink(self) except -2 nogil
    cdef int begin_settling(self) except -1
    cdef int end_settling(self, bint done, Settled former) except -1
    cdef bint shows_settled(self) noexcept nogil
