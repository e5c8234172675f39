"""A problem that learns rows.

The stream drives it by ``begin_block``, then ``learn`` for each row, each followed by ``improve``
until that has nothing left to do. A subclass decides which rows enter and which steps are made.
"""
from libc.stdint cimport int64_t

from .active_set cimport ActiveSet
from .fresh_rows cimport Fresh
from .members cimport Example
from .membership cimport Membership

# Values touched by one problem before signals are looked at: some 20 ms.
cdef enum:
    PATIENCE = 50_000_000


cdef class Learning(Membership):
    cdef Py_ssize_t cache_bytes
    cdef double tol
    cdef bint shrinking
    cdef readonly double b
    cdef readonly double delta       # largest violation among the members
    cdef readonly bint both_seen     # steps are possible; finishing makes sense
    cdef readonly double tau         # tol, or the rounding of g where that is larger
    cdef bint settling               # the members hold that solution, not the stream's
    cdef int64_t solved_at           # n_changes when the solution of the stream was finished
    cdef public double patience      # PATIENCE; tests have less
    cdef bint hurry                  # improve no more: someone wants to stop
    # Steps that may still be made by REPROCESS and finishing; REPROCESS leaves `steps_kept` of
    # them, and makes at most `row_limit` after one row.
    cdef readonly int64_t steps_left
    cdef int64_t steps_kept
    cdef int64_t row_limit
    cdef int64_t row_steps
    cdef readonly bint cut_short     # REPROCESS has been, since `allow`
    # What each row of X, by its number, lacked to the margin when it was visited last: y (g - b).
    cdef double *lack
    cdef Py_ssize_t n_lack
    cdef object lack_array
    # Where the running block or finishing is, and what it was when an interrupt came.
    cdef Py_ssize_t at               # row of the block
    cdef bint improving              # ... which has been learnt, and is to be improved
    cdef bint finishing              # begin_finish has been called, and ...
    cdef bint is_finished            # ... finish has nothing left to do
    cdef dict suspended
    cdef ActiveSet active
    cdef Py_ssize_t steps_to_shrink

    # What a subclass defines, ``met`` and ``meet`` included: all that these two remember and
    # ``state`` does not hold. What is missing raises NotImplementedError.
    cdef int blank(self, double[::1] g) except -1
    cdef int learn(self, Example *row) except -2 nogil
    cdef int improve(self) except -2 nogil

    # What all share.
    cdef void take_memory(self, Py_ssize_t n_bytes) noexcept
    cdef bint may_reprocess(self) noexcept nogil
    cdef void note_lack(self, const Example *row, double residual) noexcept nogil
    cdef int begin_block(self, Fresh *fresh, Py_ssize_t n_rows) except -1
    cdef Py_ssize_t seed(self, const Example *row, double alpha) noexcept nogil
    cdef int take_back(self, dict state) except -1
    cdef int suspend(self) except -1
    cdef int resume_midst(self, running) except -1
