"""One binary problem, as the loop sees it; what its subclasses define is in ``solving.pxd``."""
from .settled cimport Settled
from .solving cimport Solving


cdef class Problem(Solving):
    cdef int shed(self) noexcept nogil
    cdef int let_some_go(self, double *total) noexcept nogil
    cdef int meet_strangers(self) noexcept nogil
    cdef int merge(self, Py_ssize_t slot, Py_ssize_t heir) noexcept nogil
    cdef void exchange(self) noexcept nogil
    cdef int begin_settling(self) except -1
    cdef int end_settling(self, bint done, Settled former) except -1
    cdef bint shows_settled(self) noexcept nogil
