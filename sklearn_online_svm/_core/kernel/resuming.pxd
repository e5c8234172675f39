"""Checkpoints: an engine that continues where a call was interrupted."""
from libc.stdint cimport int64_t

from .engine cimport Engine


cdef class Resuming(Engine):
    # Position, for callers that may be interrupted at any time.
    cdef readonly Py_ssize_t n_learnt   # samples processed by the last call of ``learn``, in order
    cdef readonly int64_t n_done        # completed calls of finish, refresh and rebox
    cdef readonly dict suspended        # checkpoint of the last call, if it was interrupted
    cdef readonly object midst          # argument of ``resume``, until it is used

    cdef int suspend(self, block) except -1
    cdef int resume_midst(self) except -1
    cdef void begin_call(self)
