"""Kernel rows over the slots of one set of members, within a memory budget."""
from libc.stdint cimport int32_t, int64_t


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


cdef struct Row:
    float *values           # NULL: not kept
    row_slab *slab
    int64_t synced          # entries of the log that are in the row
    int32_t newer           # neighbours in order of use, -1 at the ends
    int32_t older
    bint filled             # the slot holds a member
    bint busy               # being filled in: its values are not to be read
    int32_t users           # who read it now: it stays where it is
    int64_t entry           # the slot's place in the log, where it is filled


cdef class KernelRows:
    """Kernel rows over the slots of one support set, within a memory budget.

    A row is complete up to its place in the log; the owner of the rows completes it when it is
    wanted. Dropping a row only costs the time to compute values again."""
    cdef Row *rows
    cdef Py_ssize_t capacity             # slots that have a Row
    cdef readonly Py_ssize_t n_rows
    cdef int64_t n_evicted               # rows that had to make room
    cdef row_pool pool
    cdef readonly Py_ssize_t max_bytes
    cdef bint tight                      # little is kept free in rows for slots to come
    cdef int32_t newest
    cdef int32_t oldest
    # Slots in the order in which they were filled; -1 where one has been freed since.
    cdef int32_t *log
    cdef int64_t log_length
    cdef int64_t log_capacity
    # Every row has room for the slots that may be in use by the end of the running block.
    cdef Py_ssize_t width

    cdef int reserve(self, Py_ssize_t n_slots, Py_ssize_t n_entries) except -1
    cdef int compact_log(self) except -1
    cdef int lengthen_all(self, Py_ssize_t length) except -1
    cdef void lengthen(self, Py_ssize_t slot) noexcept nogil
    cdef void grant(self, double n_bytes) noexcept nogil
    cdef void limit(self, Py_ssize_t max_bytes) noexcept nogil
    cdef void enter(self, Py_ssize_t slot) noexcept nogil
    cdef void leave(self, Py_ssize_t slot) noexcept nogil
    cdef float *allocate(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef Py_ssize_t by_symmetry(self, Py_ssize_t slot, int64_t upto, Py_ssize_t n_columns,
                                double cost, int32_t *missing) noexcept nogil
    cdef void use(self, Py_ssize_t slot) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef void drop(self, Py_ssize_t slot) noexcept nogil
    cdef void link(self, Py_ssize_t slot) noexcept nogil
    cdef void unlink(self, Py_ssize_t slot) noexcept nogil


# Problems up to which each gets a first grant; more of them share what these would have.
cdef enum:
    FEW = 8

# Time to take a value from another row, in ns, beside which a whole row may be cheaper to compute.
cdef double SYMMETRY_COST

# Bytes of the budget that rows may take; so many times the first grant to begin with.
cdef double memory_worth(double cost, int64_t n_evaluations, double n_grants) noexcept nogil
