"""Which of the scored rows of a block is visited next: one decision over all problems."""


cdef class Selection:
    pass
