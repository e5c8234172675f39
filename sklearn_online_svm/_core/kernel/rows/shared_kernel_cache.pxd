"""Shared kernel cache: kernel rows over a store, once for all problems."""
from cpython.pythread cimport PyThread_type_lock
from libc.stdint cimport int32_t, int64_t

from ..vectors.block cimport SampleBlock
from .kernel_cache cimport KernelCache
from .kernel_row cimport RowComputer
from ..vectors.stores cimport Store


cdef class SharedKernelCache:
    """Kernel rows over the slots of the store, of limited size; used by problems in parallel.

    A problem gathers from them the values missing in its own rows. At the end of a block, rows of
    vectors that were stored are copied from the block; missing values are filled in by symmetry or
    computed when a row is used.
    """
    cdef Store store
    cdef readonly KernelCache rows
    cdef PyThread_type_lock lock
    cdef RowComputer maker             # computes several rows at once, for one thread at a time
    cdef bint fetching              # whether `maker` is in use
    cdef int64_t n_evaluations
    cdef Py_ssize_t n_filled        # slots in use
    cdef readonly Py_ssize_t max_bytes  # of this cache and the caches of the problems
    cdef Py_ssize_t planned         # number of vectors for which the budget was divided
    cdef Py_ssize_t left            # bytes left for the caches of the problems
    # whether it pays to cache rows of blocks: problems evict rows, or share most vectors
    cdef bint is_wanted
    # Vectors that the current block added to the store: slots, and samples of the block.
    cdef int32_t *added
    cdef int32_t *added_row
    cdef Py_ssize_t n_added

    cdef bint plan(self)
    cdef int reserve(self) except -1
    # Whether nearly all rows are cached.
    cdef bint has_most(self) noexcept nogil
    # Time until a row can be read, in ns.
    cdef double time_of(self, int32_t slot) noexcept nogil
    cdef bint keeps(self, int32_t slot) noexcept nogil
    # Compute and cache those of ``slots`` that are missing; the first one is needed now. Returns
    # the number of values computed; what fails is left to ``take``.
    cdef Py_ssize_t fetch(self, int32_t *slots, Py_ssize_t n) noexcept nogil
    # Acquire a whole row, to be given back; NULL if out of memory or if a Python kernel failed.
    # ``n_computed`` receives the number of values computed for it.
    cdef const float *take(self, int32_t slot, RowComputer maker,
                           Py_ssize_t *n_computed) noexcept nogil
    cdef void give_back(self, int32_t slot, const float *row, RowComputer maker) noexcept nogil
    # Changes of slots when a block is written.
    cdef void remove(self, int32_t slot) noexcept nogil
    cdef void add(self, int32_t slot, Py_ssize_t row) noexcept nogil
    cdef int cache(self, SampleBlock fresh, Py_ssize_t n_slots) noexcept nogil
    cdef void clear(self, Py_ssize_t n_filled) noexcept nogil
