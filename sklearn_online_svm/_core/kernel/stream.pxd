"""A stream of rows through the problems of one model."""
from libc.stdint cimport int32_t, int64_t

from .ahead cimport Ahead
from .finishing cimport Finishing
from .fresh_rows cimport FreshRows
from .given_rows cimport Rows
from .problem cimport Problem
from .selection cimport Selection


cdef class DualLoop(Finishing):
    # Which row is next, or None: as they come, a block at a time.
    cdef public Selection selection
    # Told of each row that has been chosen and learnt; it may add others to those that are left,
    # which it returns, with their number. None: nobody.
    cdef public object follower
    # Called with the Events of each problem after each block, or None.
    cdef public object listener
    cdef Ahead ahead
    cdef Rows given

    cdef int load(self, X, const int64_t *rows, Py_ssize_t n) except -1
    cdef int list_rows(self, FreshRows fresh, const int64_t *rows, Py_ssize_t n,
                       const int32_t[::1] places) except -1
    cdef int score(self, executor) except -1
    cdef int score_values(self, executor) except -1
    cdef bint choose(self, X, int64_t[::1] left, executor) except -1
    cdef double delta(self)
    cdef bint look_at_candidates(self, Py_ssize_t first) except -1
    cdef bint looks_ahead(self, executor)
    cdef int load_ahead(self, X, const int64_t[::1] order, Py_ssize_t begin) except -1
    cdef bint take_ahead(self, Py_ssize_t at) except -1
    cdef int begin_visits(self, executor) except -1
    cdef Py_ssize_t visit_rows(self, executor) except -1
    cdef Py_ssize_t visit_in_order(self, Problem problem, Py_ssize_t c) except -2 nogil
    cdef bint needs_values(self, Problem problem, Py_ssize_t r) noexcept nogil
    cdef int visit(self, Problem problem, Py_ssize_t c, Py_ssize_t r) except -2 nogil
    cdef void attend(self, Problem problem) noexcept nogil
