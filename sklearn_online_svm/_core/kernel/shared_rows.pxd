"""Kernel rows over a store, once for all problems."""
from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int32_t, int64_t

from .fresh_rows cimport FreshRows
from .kernel_rows cimport KernelRows
from .row_maker cimport RowMaker
from .stores cimport Store


cdef class SharedRows:
    """Rows over the slots of the store, within a memory budget; problems learn side by side.

    A problem gathers from them what its own rows lack. Between two blocks the rows of vectors that
    have been stored are kept as the block had them; what they lack is filled in by symmetry, or
    computed, when it is wanted."""
    cdef Store store
    cdef readonly KernelRows rows
    cdef PyThread_type_lock lock
    cdef RowMaker maker             # of several rows at once, for one thread at a time
    cdef bint fetching              # it is at work
    cdef int64_t n_evaluations
    cdef Py_ssize_t n_filled        # slots in use
    cdef readonly Py_ssize_t max_bytes  # of these rows, and of those that problems keep themselves
    cdef Py_ssize_t planned         # vectors that the budget has been divided for
    cdef Py_ssize_t left            # what problems may have
    cdef bint is_wanted             # problems have had to give up rows of their own, or share most
    # Vectors that the running block has brought into the store: slots, and rows of the block.
    cdef int32_t *entered
    cdef int32_t *entered_row
    cdef Py_ssize_t n_entered

    cdef bint plan(self)
    cdef int reserve(self) except -1
    # Whether nearly all rows are there.
    cdef bint has_most(self) noexcept nogil
    # What it takes until a row can be read, in ns.
    cdef double time_of(self, int32_t slot) noexcept nogil
    cdef bint keeps(self, int32_t slot) noexcept nogil
    # Compute and keep rows at once: those of ``slots``, the first of which is wanted, that are not
    # there. How many values were computed; what could not be had is left to ``take``.
    cdef Py_ssize_t fetch(self, int32_t *slots, Py_ssize_t n) noexcept nogil
    # A whole row, to be given back; NULL: no memory, or a Python kernel failed. How many values
    # had to be computed for it is left in ``n_computed``.
    cdef const float *take(self, int32_t slot, RowMaker maker,
                           Py_ssize_t *n_computed) noexcept nogil
    cdef void give_back(self, int32_t slot, const float *row, RowMaker maker) noexcept nogil
    # What becomes of slots when a block is written.
    cdef void leave(self, int32_t slot) noexcept nogil
    cdef void enter(self, int32_t slot, Py_ssize_t row) noexcept nogil
    cdef int keep(self, FreshRows fresh, Py_ssize_t n_slots) noexcept nogil
    cdef void clear(self, Py_ssize_t n_filled) noexcept nogil
