"""Kernel cache: rows of the kernel matrix over the slots of a support set, of limited size."""
from libc.stdint cimport int8_t, int32_t, int64_t

from ...threads.team cimport Team


cdef extern from "row_pool.h" nogil:
    ctypedef struct row_slab:
        ptrdiff_t length
        ptrdiff_t number

    ctypedef struct row_pool:
        size_t max_bytes
        size_t bytes
        ptrdiff_t length

    void pool_set_length(row_pool *, ptrdiff_t)
    float *pool_take(row_pool *, int, row_slab **)
    int pool_reserve(row_pool *, ptrdiff_t)
    void pool_give(row_pool *, row_slab *, float *)
    void pool_clear(row_pool *)


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define prefetch(p) __builtin_prefetch(p)
    #else
    #define prefetch(p) ((void)(p))
    #endif
    """
    void prefetch(const void *) noexcept nogil


cdef struct CachedRow:
    float *values           # NULL: not cached
    row_slab *slab
    int32_t synced          # number of log entries that the row contains
    int32_t entry           # position of the slot in the log, if filled
    int32_t newer           # neighbours in the order of use, -1 at the ends
    int32_t older
    int32_t users           # number of readers; the row stays in place
    int8_t filled           # whether the slot is in use
    int8_t busy             # being computed: its values must not be read


cdef class KernelCache:
    """Cached kernel rows over the slots of one support set; least recently used are evicted first.

    The log lists slots in the order in which they were filled. A row is valid up to its position
    in the log; the owner completes it when it is used. Discarding a row costs time only.
    """
    cdef CachedRow *rows
    cdef Py_ssize_t capacity             # number of allocated Rows
    cdef readonly Py_ssize_t n_rows
    cdef int64_t n_evicted               # rows evicted for others
    cdef row_pool pool
    cdef readonly Py_ssize_t max_bytes
    cdef bint tight                      # allocate rows with little spare length
    cdef int32_t newest
    cdef int32_t oldest
    # Slots in the order in which they were filled; -1: freed since.
    cdef int32_t *log
    cdef int64_t log_length
    cdef int64_t log_capacity
    # Length of rows: the slots that may be in use at the end of the current block.
    cdef Py_ssize_t width

    cdef int reserve(self, Py_ssize_t n_slots, Py_ssize_t n_entries) except -1
    cdef int compact_log(self) except -1
    cdef int lengthen_all(self, Py_ssize_t length) except -1
    cdef void lengthen(self, Py_ssize_t slot) noexcept nogil
    cdef void grant(self, double n_bytes) noexcept nogil
    cdef void limit(self, Py_ssize_t max_bytes) noexcept nogil
    cdef void add(self, Py_ssize_t slot) noexcept nogil
    cdef void remove(self, Py_ssize_t slot) noexcept nogil
    cdef float *allocate(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef Py_ssize_t by_symmetry(self, Team team, Py_ssize_t slot, int64_t upto,
                                Py_ssize_t n_columns, double cost,
                                int32_t *missing) noexcept nogil
    cdef void use(self, Py_ssize_t slot) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef void discard(self, Py_ssize_t slot) noexcept nogil
    cdef void link(self, Py_ssize_t slot) noexcept nogil
    cdef void unlink(self, Py_ssize_t slot) noexcept nogil


# Number of problems up to which each gets a full initial grant; more problems share these.
cdef enum:
    FEW = 8

# Time to copy a value from another row, in ns, compared with computing a whole row.
cdef double SYMMETRY_COST

# Bytes that the rows may use; the first grant counts `n_grants` times.
cdef double memory_worth(double cost, int64_t n_evaluations, double n_grants) noexcept nogil
