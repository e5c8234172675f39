"""A problem that is trained sample by sample.

The stream calls ``begin_block``, then for each sample ``learn``, followed by ``improve`` until it
returns 0. A subclass defines which samples are added and which steps are made.
"""
from libc.stdint cimport int64_t

from .active_set cimport ActiveSet
from .fresh_rows cimport Fresh
from .members cimport Example
from .membership cimport Membership

# Array elements accessed by one problem between checks for signals: about 20 ms.
cdef enum:
    WORK_LIMIT = 50_000_000


cdef class Learning(Membership):
    cdef Py_ssize_t cache_bytes
    cdef double tol
    cdef bint shrinking
    cdef readonly double b
    cdef readonly double delta       # largest violation in the support set
    cdef readonly bint both_seen     # steps are possible: samples of both classes were seen
    cdef readonly double tau         # tol, or the rounding error of g if that is larger
    cdef bint settling  # the support set holds the optimized solution, not the online one
    cdef int64_t solved_at           # n_changes when the online solution was optimized
    cdef public double patience      # WORK_LIMIT; tests set a smaller value
    cdef bint stop_requested         # end `improve` early, after an interrupt
    # Remaining steps of REPROCESS and finish. REPROCESS leaves `steps_kept` of them, and makes at
    # most `row_limit` per sample.
    cdef readonly int64_t steps_left
    cdef int64_t steps_kept
    cdef int64_t row_limit
    cdef int64_t row_steps
    cdef readonly bint cut_short     # REPROCESS has reached a limit since `allow`
    # For each sample of X the hinge residual y (g - b) at its last visit.
    cdef double *hinge_residual
    cdef Py_ssize_t n_hinge_residuals
    cdef object hinge_residual_array
    # Position in the current block or in finish, and a copy of the state at an interrupt.
    cdef Py_ssize_t at               # current sample of the block
    cdef bint improving              # `learn` has been called for it, `improve` has not returned 0
    cdef bint finishing              # begin_finish has been called
    cdef bint is_finished            # finish has returned 1
    cdef dict suspended
    cdef ActiveSet active
    cdef Py_ssize_t steps_to_shrink

    # Defined by subclasses, together with ``met`` and ``meet``, which cover what these two keep
    # and ``state`` leaves out. Methods without a default raise NotImplementedError.
    cdef int blank(self, double[::1] g) except -1
    cdef int learn(self, Example *row) except -2 nogil
    cdef int improve(self) except -2 nogil

    # Common to all problems.
    cdef void take_memory(self, Py_ssize_t n_bytes) noexcept
    cdef bint may_reprocess(self) noexcept nogil
    cdef void note_hinge_residual(self, const Example *row, double residual) noexcept nogil
    cdef int begin_block(self, Fresh *fresh, Py_ssize_t n_rows) except -1
    cdef Py_ssize_t seed(self, const Example *row, double alpha) noexcept nogil
    cdef int take_back(self, dict state) except -1
    cdef int suspend(self) except -1
    cdef int resume_midst(self, running) except -1
