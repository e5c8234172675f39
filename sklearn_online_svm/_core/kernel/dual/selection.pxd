"""Sample selection: the order in which samples are processed, and early stopping."""
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t


cdef class Stopping:
    """Early stopping."""
    # ``begin`` is called before candidates are drawn, ``look`` for each of them. ``is_over``:
    # whether to stop before a sample with these decision values; ``commit`` follows when the
    # sample has been processed.
    cdef void begin(self) noexcept nogil
    cdef void look(self, double margin, int32_t label) noexcept nogil
    cdef bint is_over(self, list problems, const double *scores)
    cdef int commit(self, list problems, int64_t row_id, int8_t origin) except -1


# Value of ``pool_size``: all remaining samples.
cdef enum:
    ALL = -1


cdef class Selection:
    """Selects samples in their given order; subclasses draw candidates and select the best.

    A selection is made by ``draw``, ``begin`` and ``look``. It takes effect only with ``commit``,
    after the sample has been processed.
    """
    cdef readonly Py_ssize_t pool_size
    cdef readonly Py_ssize_t most           # largest number of samples to process
    cdef readonly Stopping stopping         # or None
    cdef readonly bint stopped
    # The first samples in the given order, which are processed before the selection begins.
    cdef Py_ssize_t n_seeds
    cdef bint is_seed                       # whether the next sample is one of them
    cdef uint64_t random, next_random       # state of the generator, now and after `commit`
    # Candidates: positions among the remaining samples. The best one so far, its criterion, and
    # its decision values.
    cdef int64_t *drawn
    cdef Py_ssize_t capacity
    cdef Py_ssize_t best
    cdef double best_key
    cdef double *best_scores
    cdef Py_ssize_t n_problems

    # Draw candidates among the samples that remain after ``n_processed`` into ``drawn``; return
    # their number.
    cdef Py_ssize_t draw(self, Py_ssize_t n_processed, Py_ssize_t n_left) except -1
    cdef void draw_some(self, Py_ssize_t n, Py_ssize_t n_left) noexcept nogil
    cdef double next_uniform(self) noexcept nogil
    cdef int begin(self, Py_ssize_t n_problems, double delta) except -1
    # Return how many candidates to score next, after ``n_done`` of ``n``.
    cdef Py_ssize_t n_next(self, Py_ssize_t n_done, Py_ssize_t n) noexcept nogil
    # Process a candidate with these decision values; return whether the rest can be skipped.
    cdef bint look(self, Py_ssize_t candidate, const double *scores, int32_t label) noexcept nogil
    # Return the criterion of a candidate: the smallest is selected.
    cdef double key(self, const double *scores, int32_t label) noexcept nogil
    cdef bint is_over(self, list problems)
    # Move the selected sample, which has been processed, to the front of the remaining ones.
    cdef int commit(self, int64_t *left, list problems, int64_t row_id, int8_t origin) except -1
