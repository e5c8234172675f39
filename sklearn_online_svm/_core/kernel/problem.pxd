"""One binary problem, as used by the loop; what subclasses define is in ``solving.pxd``."""
from .settled cimport Settled
from .solving cimport Solving


cdef class Problem(Solving):
    cdef int enforce_budget(self) noexcept nogil
    cdef int evict_over_budget(self, double *total) noexcept nogil
    cdef int update_neighbours(self) noexcept nogil
    cdef int merge(self, Py_ssize_t slot, Py_ssize_t merge_target) noexcept nogil
    cdef void exchange(self) noexcept nogil
    cdef int begin_settling(self) except -1
    cdef int end_settling(self, bint done, Settled former) except -1
    cdef bint shows_settled(self) noexcept nogil
