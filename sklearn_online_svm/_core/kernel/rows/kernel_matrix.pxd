"""Rows of the kernel matrix over the support set of one problem."""
from libc.stdint cimport int32_t, int64_t

from ...threads.team cimport Team
from .active_set cimport ActiveSet, Front
from ..vectors.block cimport BlockValues
from .gather cimport Gather
from .kernel_cache cimport KernelCache
from .kernel_row cimport RowComputer
from .shared_kernel_cache cimport SharedKernelCache
from ..vectors.stores cimport Store
from ..vectors.support_set cimport SupportSet
from .working_set cimport WorkingSet


# Memory for copies of vectors, in bytes.
cdef class CopiesMemory:
    cdef double most
    cdef double used
    cdef Store spare                # the last one that was dropped, to be used again, or None

    cdef Store take(self, Store source)


cdef class KernelMatrix:
    """Kernel rows over the slots of a support set, cached and computed."""
    cdef Store store                 # of the vectors, or of copies of those of this problem
    cdef Store source                # of the vectors of all problems
    cdef bint copies                 # whether the store has copies, in the slots of the problem
    cdef bint is_loaded              # whether it has them now
    cdef int32_t *copied             # index of the vector in each of its slots, or -1
    cdef Py_ssize_t n_copied
    cdef CopiesMemory memory         # of the copies of all problems
    cdef SupportSet members
    cdef bint identity               # slot numbers are those of the store
    cdef readonly KernelCache rows
    cdef ActiveSet active            # active slots of `finish`, and rows over them
    cdef WorkingSet working          # rows over a working set, or None
    cdef SharedKernelCache shared    # cache over the slots of the store, if these differ
    cdef Py_ssize_t n_problems       # problems that use the shared cache
    cdef Team team                   # threads that share its loops
    cdef RowComputer computer        # if the cache is shared, set for each thread
    cdef readonly Gather gather
    cdef readonly int64_t n_evaluations
    cdef double work                 # array elements accessed, to return to the caller in time
    cdef BlockValues block
    # Slots of the samples of the block added to the support set, in order; store slots released
    # since begin_block.
    cdef int32_t *pending
    cdef Py_ssize_t n_pending
    cdef Py_ssize_t most_pending
    cdef int32_t *released
    cdef Py_ssize_t n_released
    cdef float *gathered             # kernel values of a block sample over the slots
    cdef int32_t *lacking            # slots missing in a row, if the cache is shared
    cdef Py_ssize_t capacity

    cdef int share_loops(self, Team team) except -1
    cdef int resize(self, Py_ssize_t cache_bytes) except -1
    cdef void take_memory(self, Py_ssize_t n_bytes) noexcept
    cdef void divide(self, Py_ssize_t n_bytes, Py_ssize_t n_active) noexcept
    cdef void clear(self) noexcept
    cdef int begin_block(self, BlockValues *block, Py_ssize_t n_rows) except -1
    cdef int load_vectors(self) except -1
    cdef int copy_some(self, const int32_t *slots, const int32_t *index, Py_ssize_t n) except -1
    cdef int load_now(self) noexcept nogil
    cdef void release_vectors(self) noexcept
    cdef void drop_vectors(self) noexcept
    cdef int32_t row_in_block(self, Py_ssize_t slot) noexcept nogil
    cdef int32_t place(self, Py_ssize_t slot) noexcept nogil
    cdef object places(self, slots)
    cdef int use(self, RowComputer computer) except -1
    cdef void take_block_values(self, Py_ssize_t r, float *out) noexcept nogil
    cdef float *block_row(self, Py_ssize_t r) noexcept nogil
    cdef float *gathered_row(self, float *values) noexcept nogil
    cdef bint has_shared(self, Py_ssize_t slot) noexcept nogil
    cdef const float *shared_row(self, Py_ssize_t slot) except NULL
    cdef void give_back(self, Py_ssize_t slot, const float *values) noexcept nogil
    cdef void add(self, Py_ssize_t slot) noexcept nogil
    cdef int cache(self, Py_ssize_t slot, const float *k) noexcept nogil
    cdef void remove(self, Py_ssize_t slot) noexcept nogil
    cdef const float *row(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef const float *front_row(self, const Front *front, Py_ssize_t q,
                                Py_ssize_t pinned) noexcept nogil
    cdef const float *working_row(self, Py_ssize_t q, Py_ssize_t pinned) noexcept nogil
    cdef int load_working_set(self) except -1
    cdef Py_ssize_t working_set_limit(self) noexcept nogil
    cdef void unload_working_set(self) noexcept
    cdef int raise_errors(self, Py_ssize_t code) except -1
    cdef Py_ssize_t list_violating(self, int32_t *slots, Py_ssize_t n) noexcept nogil
    cdef bint is_worth_fetching(self, Py_ssize_t slot, KernelCache rows) noexcept nogil
    cdef Py_ssize_t list_wanted(self, Py_ssize_t slot, int32_t *slots) noexcept nogil
    cdef void fetch(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef void fetch_shared(self, Py_ssize_t slot) noexcept nogil
    cdef int compute_row(self, Py_ssize_t slot, float *out) noexcept nogil
    cdef void computed(self, Py_ssize_t n) noexcept nogil
    cdef void grant_memory(self) noexcept nogil
    cdef const float *take(self, int32_t index) noexcept nogil
    cdef bint fill_by_symmetry(self, int32_t index, Py_ssize_t entered, float *row) noexcept nogil
    cdef int complete_row(self, Py_ssize_t slot) noexcept nogil
    cdef int take_values(self, int32_t index, Py_ssize_t n_lacking, float *row) noexcept nogil
