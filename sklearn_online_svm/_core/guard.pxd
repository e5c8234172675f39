"""Locks of models: one thread at a time changes a model; its helper threads count as the same."""
from libc.stdint cimport int64_t


cdef class Guard:
    cdef readonly bint held
    cdef unsigned long owner        # the thread that holds the guard
    cdef list waiting               # (thread, lock) in the order in which they will be served
    cdef Py_ssize_t n_reading       # number of readers, which come first in `waiting`

    cpdef bint is_mine(self)
    cdef int refuse(self) except -1
    cdef int enter(self, bint reads) except -1
    cdef void leave(self)
    cdef int yield_to_readers(self) except -1


cdef class SharedArrays:
    cdef bint closed
    cdef tuple arrays
    cdef tuple memories                 # memory of those arrays that are views
    cdef int64_t n_rows
    cdef tuple former
    cdef int64_t n_former

    cdef bint begin_write(self, tuple meanwhile)
    cpdef void end_write(self, int64_t n_rows)
    cdef bint has_readers(self)


# Stop flag of threads that work on parts of one call.
cdef class Halt:
    cdef bint now


cdef object share(list calls, object executor, Halt halt)
