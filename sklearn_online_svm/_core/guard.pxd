"""One thread at a time changes a model; a thread that helps it counts as the same."""
from libc.stdint cimport int64_t


cdef class Guard:
    cdef readonly bint held
    cdef unsigned long owner        # the thread that holds it
    cdef list waiting               # (thread, lock) in the order of their turns
    cdef Py_ssize_t n_reading       # the first of these: they want to read

    cdef bint is_mine(self)
    cdef int refuse(self) except -1
    cdef int enter(self, bint reads) except -1
    cdef void leave(self)
    cdef int give_way(self) except -1


cdef class Shelf:
    cdef bint closed
    cdef tuple arrays
    cdef tuple memories                 # of those arrays that are views
    cdef int64_t n_rows
    cdef tuple former
    cdef int64_t n_former

    cdef bint close(self, tuple meanwhile)
    cpdef void open(self, int64_t n_rows)
    cdef bint is_held(self)


# Whether threads that share some work should come back.
cdef class Halt:
    cdef bint now


cdef object share(list calls, object executor, Halt halt)
