"""What one binary problem keeps: its members, and the rows of their kernel matrix."""
from libc.stdint cimport int32_t, int64_t

from .budget cimport Budget
from .fresh_rows cimport Fresh
from .gathering cimport Gathering
from .kernel_rows cimport KernelRows
from .members cimport Example, Members
from .row_maker cimport RowMaker
from .settled cimport Settled
from .shared_rows cimport SharedRows
from .stores cimport Store


cdef class Membership:
    cdef readonly Members members
    cdef readonly KernelRows rows    # over the slots of this problem
    cdef SharedRows shared           # over those of the store, where they are not the same
    cdef RowMaker maker
    cdef Py_ssize_t n_problems       # that share them
    cdef Store store
    cdef bint identity               # slot numbers are those of the store (a single problem)
    cdef readonly int64_t n_evaluations
    # Values touched by the steps of the solver: their cost, whatever the machine.
    cdef readonly int64_t n_operations
    cdef readonly int64_t n_changes  # what a pass has to be free of to be the last one
    cdef readonly Budget budget      # or None: members are kept as long as they matter
    cdef readonly Settled settled    # the optimum on the side, where decisions were asked for
    cdef double work                 # values touched, for returning in time to the caller
    cdef Fresh fresh
    cdef int32_t *lacking            # slots whose values a row lacks, where rows are shared
    cdef readonly Gathering gathering
    cdef float *gathered             # block row over this problem's slots
    # Block rows kept as members, in order of entry; store slots given up since begin_block.
    cdef int32_t *pending
    cdef Py_ssize_t n_pending
    cdef int32_t *released
    cdef Py_ssize_t n_released
    cdef Py_ssize_t slots_capacity
    # Slot of each row of X, or -1; only while passes over X are made.
    cdef object known
    cdef int32_t *slot_of_row
    cdef Py_ssize_t n_known

    cdef int begin_rows(self, Fresh *fresh, Py_ssize_t n_rows) except -1
    cdef bint knows(self, int64_t row_id) noexcept nogil
    cdef void note(self, Py_ssize_t slot, int32_t at) noexcept nogil
    cdef float *block_row(self, Py_ssize_t r) noexcept nogil
    cdef Py_ssize_t keep(self, const Example *row, float *k, double g) noexcept nogil
    cdef Py_ssize_t enter(self, const Example *row, double g) noexcept nogil
    cdef int drop(self, Py_ssize_t slot) noexcept nogil
    cdef void let_go(self, Py_ssize_t slot) noexcept nogil
    cdef const float *kernel_row(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef int compute_row(self, Py_ssize_t slot, float *out) noexcept nogil
    cdef void computed(self, Py_ssize_t n) noexcept nogil
    cdef void grant_memory(self) noexcept nogil
    cdef bint settle(self, int32_t index, Py_ssize_t entered, float *row) noexcept nogil
    cdef Py_ssize_t wanted_soon(self, int32_t *slots, Py_ssize_t n) noexcept nogil
    cdef bint is_worth_fetching(self, Py_ssize_t slot, KernelRows rows) noexcept nogil
    cdef Py_ssize_t list_wanted(self, Py_ssize_t slot, int32_t *slots) noexcept nogil
    cdef void fetch(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef void fetch_shared(self, Py_ssize_t slot) noexcept nogil
    cdef int complete_row(self, Py_ssize_t slot) noexcept nogil
    cdef int take_values(self, int32_t index, Py_ssize_t n_lacking, float *row) noexcept nogil
    cdef const float *take(self, int32_t index) noexcept nogil
