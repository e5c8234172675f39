"""Early stopping."""


cdef class Stopping:
    # Whether to stop before a sample with these decision values; ``commit`` follows when the
    # sample has been processed.
    cdef bint is_over(self, list problems, const double *scores)
    cdef void commit(self) noexcept nogil
