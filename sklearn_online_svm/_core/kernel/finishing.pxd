"""Optimization over the support set: ``finish``, and the optimized solution for predictions."""
from libc.stdint cimport int64_t

from .resuming cimport Resuming
from .solution cimport Solution


cdef class Finishing(Resuming):
    cdef int make_whole(self) except -1
    cdef Solution renew(self, bint settling, int64_t steps, executor)
    cpdef Solution present(self)
