"""Problems over one store: their state, the limits of a call, and how it may end."""
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
    cdef readonly bint shares       # members of one problem may have a vector in common
    cdef readonly Guard guard       # to be held by those who change an engine that others may read
    cdef Slots slots
    cdef FreshRows fresh
    cdef int64_t n_evaluations      # of blocks; problems count what they compute themselves
    # The state at the end of the last block, or None: to be made when it is wanted.
    cdef Solution solution
    cdef bint busy                  # in the midst of something, whoever holds the guard
    # For the caller, to keep what follows from a solution; each Solution has it, too.
    cdef dict kept
    cdef Halt halt
    cdef object interrupt           # what a signal raised in the midst of a block

    cdef int class_of(self, Py_ssize_t c) noexcept nogil
    cdef int begin_alone(self, Problem problem) except -1
    cdef int raise_interrupts(self) except -1
    cdef int raise_errors(self, Py_ssize_t code) except -1
    cdef list saved(self)
    cdef int take_back(self, list saved) except -1
    cdef bint is_read(self)
    cdef int write_store(self) except -1
