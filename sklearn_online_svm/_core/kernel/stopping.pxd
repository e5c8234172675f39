"""When enough rows have been learnt."""


cdef class Stopping:
    # Whether to stop before a row with these decision values; what follows from the answer counts
    # when the row has been learnt (``commit``).
    cdef bint is_over(self, list problems, const double *scores)
    cdef void commit(self) noexcept nogil
