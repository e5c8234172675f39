"""Problems over one vector store: state, limits of a call, and how a call may end."""
from libc.stdint cimport int64_t

from ..guard cimport Guard, Halt
from .fresh_rows cimport FreshRows
from .problem cimport Problem
from .slots cimport Slots
from .solution cimport Solution
from .stores cimport Store


cdef places_of(running, bint shares)


cdef class Engine:
    cdef readonly Store store
    cdef readonly list problems
    cdef bint several
    cdef readonly bint shares       # whether members of one problem may share a vector
    cdef readonly Guard guard  # to be held while an engine visible to other threads is changed
    cdef Slots slots
    cdef FreshRows fresh
    cdef int64_t n_evaluations      # in blocks; problems count what they compute themselves
    # The state at the end of the last block, or None: to be computed on request.
    cdef Solution solution
    cdef bint busy                  # within a call that changes the state, whoever holds the guard
    # For values that the caller derives from a solution; shared with each Solution.
    cdef dict kept
    cdef Halt halt
    cdef object interrupt           # raised by a signal within a block, to be raised at its end

    cdef int class_of(self, Py_ssize_t c) noexcept nogil
    cdef int begin_alone(self, Problem problem) except -1
    cdef int raise_interrupts(self) except -1
    cdef int raise_errors(self, Py_ssize_t code) except -1
    cdef list saved(self)
    cdef int take_back(self, list saved) except -1
    cdef bint is_read(self)
    cdef int write_store(self) except -1
