"""Support set of one binary problem, and its kernel rows.

``alpha`` is signed: it carries the sign of y. ``g[s] = y[s] - sum_j alpha[j] K[s, j]``, bias
excluded. The box of slot s is ``[lower[s], upper[s]]``; ``up[s]`` and ``down[s]`` are -1 (all
bits) while alpha may still rise or fall, else 0. A free slot has an empty box and alpha 0, so no
mask is needed anywhere; its other numbers mean nothing.

Slots are numbered [0, n). ``index[s]`` is the place of the vector in the store, or ``-(q + 1)``
while the vector is still row q of the block being learnt.
"""
from libc.stdint cimport int8_t, int32_t, int64_t

from .leaves cimport leaves_extremes


# A row on its way into the set. Its box holds 0; one end of it is 0.
cdef struct Example:
    Py_ssize_t place        # number in the block being learnt, -1: needs no kernel values
    int8_t y
    int8_t region           # a mark that the set keeps for the owner
    double lower
    double upper
    int64_t row_id          # lasting number


cdef class SupportSet:
    cdef readonly Py_ssize_t n           # slots ever used
    cdef readonly Py_ssize_t n_members
    cdef readonly Py_ssize_t capacity
    cdef readonly leaves_extremes extremes
    cdef double *alpha
    cdef double *g
    cdef double *lower
    cdef double *upper
    cdef float *bound           # the end of the box that is not 0, rounded: what steers the gap
    cdef float *diag
    cdef int8_t *y
    cdef int8_t *region
    cdef int8_t *up
    cdef int8_t *down
    cdef int32_t *index
    cdef int64_t *row_id
    # Free slots, last freed first out; slots with alpha = 0, the candidates for eviction.
    cdef int32_t *free_slots
    cdef Py_ssize_t n_free
    cdef int32_t *zeros
    cdef int32_t *zero_place
    cdef Py_ssize_t n_zeros
    cdef dict arrays
    cdef bint owned             # the arrays may be written, no one else reads them

    cdef int reserve(self, Py_ssize_t n) except -1
    cdef int attach(self, dict arrays) except -1
    cdef Py_ssize_t first_fault(self, Py_ssize_t n, Py_ssize_t n_stored, bint identity,
                                Py_ssize_t n_loaded, int *fault) noexcept nogil
    cdef int check_lists(self, state, Py_ssize_t n) except -1
    cdef Py_ssize_t next_slot(self) noexcept nogil
    cdef void add(self, Py_ssize_t slot, const Example *row, double g, float diag,
                  int32_t index) noexcept nogil
    cdef void remove(self, Py_ssize_t slot) noexcept nogil
    cdef void enter_zeros(self, Py_ssize_t slot) noexcept nogil
    cdef void leave_zeros(self, Py_ssize_t slot) noexcept nogil
    cdef void move(self, Py_ssize_t slot, double by) noexcept nogil
    cdef void mark(self) noexcept nogil
    cdef void scan(self) noexcept nogil


cdef extern from "row_pool.h" nogil:
    ctypedef struct row_slab:
        ptrdiff_t length

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
    int64_t entry           # the slot's place in the log, where it is filled


cdef class KernelRows:
    """Kernel rows over the slots of one support set, within a memory budget.

    A row is complete up to its place in the log; the owner of the rows completes it when it is
    wanted. Dropping a row only costs the time to compute values again."""
    cdef Row *rows
    cdef Py_ssize_t capacity             # slots that have a Row
    cdef readonly Py_ssize_t n_rows
    cdef row_pool pool
    cdef readonly Py_ssize_t max_bytes
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
    cdef void lengthen(self, Py_ssize_t slot) noexcept nogil
    cdef void grant(self, double n_bytes) noexcept nogil
    cdef void enter(self, Py_ssize_t slot) noexcept nogil
    cdef void leave(self, Py_ssize_t slot) noexcept nogil
    cdef float *allocate(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef void use(self, Py_ssize_t slot) noexcept nogil
    cdef void clear(self) noexcept nogil
    cdef void drop(self, Py_ssize_t slot) noexcept nogil
    cdef void link(self, Py_ssize_t slot) noexcept nogil
    cdef void unlink(self, Py_ssize_t slot) noexcept nogil
