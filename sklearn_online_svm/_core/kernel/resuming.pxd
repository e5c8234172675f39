"""An engine that goes on where an interrupt has ended a call."""
from libc.stdint cimport int64_t

from .engine cimport Engine


cdef class Resuming(Engine):
    # Where it is, for a program that an interrupt may end at any time.
    cdef readonly Py_ssize_t n_learnt   # rows of the last call of ``learn``, in their order
    cdef readonly int64_t n_done        # calls of finish, refresh and rebox that came to their end
    cdef readonly dict suspended        # what ``suspend`` kept when the last call was interrupted
    cdef readonly object midst          # what ``resume`` was given, until it is gone on with

    cdef int suspend(self, block) except -1
    cdef int resume_midst(self) except -1
    cdef void begin_call(self)
