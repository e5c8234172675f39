"""Which of some rows is learnt next: one decision over all problems; and when to stop."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from .stopping cimport Stopping


# Of ``pool_size``: every row that is left.
cdef enum:
    ALL = -1


cdef class Selection:
    """Takes rows as they come, one by one; subclasses draw candidates and choose the best.

    A decision is made by ``draw``, ``begin`` and ``look``; it counts once it has been followed
    (``commit``), and leaves no trace before.
    """
    cdef readonly Py_ssize_t pool_size
    cdef readonly Py_ssize_t most           # rows that may be learnt
    cdef readonly Stopping stopping         # or None
    cdef readonly bint stopped
    cdef uint64_t random, next_random       # of the generator; ``next``: when committed
    # Candidates: places among the rows that are left. The best so far, what it is worth, and its
    # decision values.
    cdef int64_t *drawn
    cdef Py_ssize_t capacity
    cdef Py_ssize_t best
    cdef double best_key
    cdef double *best_scores
    cdef Py_ssize_t n_problems

    # How many candidates there are among so many rows; the numbers of them are in ``drawn``.
    cdef Py_ssize_t draw(self, Py_ssize_t n_left) except -1
    cdef void draw_some(self, Py_ssize_t n, Py_ssize_t n_left) noexcept nogil
    cdef double next_uniform(self) noexcept nogil
    cdef int begin(self, Py_ssize_t n_problems, double delta) except -1
    # How many candidates are worth scoring next, ``n_done`` of ``n`` have been.
    cdef Py_ssize_t n_next(self, Py_ssize_t n_done, Py_ssize_t n) noexcept nogil
    # Take note of a candidate with these decision values; whether others need not be looked at.
    cdef bint look(self, Py_ssize_t candidate, const double *scores, int32_t label) noexcept nogil
    # What a candidate is worth: the smallest is chosen.
    cdef double key(self, const double *scores, int32_t label) noexcept nogil
    cdef bint is_over(self, list problems)
    # Move the chosen row to the front of those that are left.
    cdef void commit(self, int64_t *left) noexcept nogil
