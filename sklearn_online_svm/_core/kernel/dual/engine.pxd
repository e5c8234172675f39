"""The engine of a kernel model: problems over one vector store."""
from libc.stdint cimport int64_t

from ...guard cimport Guard
from .finisher cimport Finisher
from .slots cimport Slots
from .solution cimport Solution
from ..vectors.stores cimport Store
from .stream cimport Stream


cdef class Engine:
    cdef readonly Store store
    cdef readonly list problems
    cdef readonly Guard guard  # to be held while an engine visible to other threads is changed
    cdef Slots slots
    cdef readonly Stream stream
    cdef Finisher finisher
    cdef bint busy                  # within a call that changes the state, whoever holds the guard
    # State of an interrupted ``finish``, or None: the present state.
    cdef readonly dict checkpoint
    # For values that the caller derives from a solution; shared with each Solution.
    cdef dict kept

    cdef Solution compute_solution(self, bint optimized, int64_t steps, executor)
    cpdef Solution current_solution(self)
