"""The support set of one binary problem, and the rows of its kernel matrix."""
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
    cdef readonly KernelRows rows    # kernel cache over the slots of this problem
    cdef SharedRows shared           # cache over the slots of the store, if these differ
    cdef RowMaker maker
    cdef Py_ssize_t n_problems       # problems that use the shared cache
    cdef Store store
    cdef bint identity               # slot numbers are those of the store (a single problem)
    cdef readonly int64_t n_evaluations
    # Array elements accessed by solver steps: a machine-independent measure of cost.
    cdef readonly int64_t n_operations
    cdef readonly int64_t n_changes  # 0 during an epoch: converged
    cdef readonly Budget budget      # or None: no limit
    cdef readonly Settled settled    # the optimized solution used for predictions in a stream
    cdef double work                 # array elements accessed, to return to the caller in time
    cdef Fresh fresh
    cdef int32_t *lacking            # slots missing in a row, if the cache is shared
    cdef readonly Gathering gathering
    cdef float *gathered             # kernel values of a block sample over this problem's slots
    # Samples of the block added to the support set, in order; store slots released since
    # begin_block.
    cdef int32_t *pending
    cdef Py_ssize_t n_pending
    cdef int32_t *released
    cdef Py_ssize_t n_released
    cdef Py_ssize_t slots_capacity
    # Slot of each sample of X, or -1; set only during epochs over X.
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
    cdef void evict_slot(self, Py_ssize_t slot) noexcept nogil
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
