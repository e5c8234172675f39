"""LASVM on one binary problem: PROCESS, REPROCESS, finish; the equations are in ``lasvm.pyx``."""
from libc.stdint cimport int8_t, int32_t, int64_t

from .blocks cimport Block, Store
from .leaves cimport leaves_extremes
from .support_set cimport KernelRows, SupportSet


cdef struct Policy:
    double tol
    double delta_max        # REPROCESS until delta <= delta_max; +inf: once
    Py_ssize_t n_init       # members kept while only one class has been seen
    bint shrinking


# Kernel values of the block being learnt; a problem of several only reads them.
cdef struct Fresh:
    float *values           # row r against the store: values[r * ld + slot]
    Py_ssize_t ld
    const float *gram       # row r against row q of the block: gram[r * gram_ld + q]
    Py_ssize_t gram_ld


# What ``finish`` works on while shrunk: copies over the m slots that may still move.
cdef struct Active:
    Py_ssize_t m
    int32_t *slots
    int32_t *kept           # numbers, among the m, of those that stay when it shrinks again
    double *g
    float *diag
    int8_t *up
    int8_t *down
    float **rows            # kernel rows over the m slots, NULL until wanted
    Py_ssize_t n_rows
    double *old_alpha       # alpha of every slot when shrinking began
    leaves_extremes extremes


cdef class Lasvm:
    cdef readonly SupportSet members
    cdef readonly KernelRows rows
    cdef Store store
    cdef Block scratch
    cdef Policy policy
    cdef bint identity               # slot numbers are those of the store (a single problem)
    cdef readonly double b
    cdef readonly double delta
    cdef readonly bint both_seen
    cdef readonly double tau         # tol, or the rounding of g where that is larger
    cdef readonly int64_t n_evaluations
    cdef readonly int64_t n_changes  # rows kept and steps made
    cdef readonly double violation   # largest met by PROCESS since begin_pass
    cdef readonly double high        # largest g of a positive, smallest of a negative row ...
    cdef readonly double low         # ... outside the set, met since begin_pass
    cdef double work                 # values touched, for returning in time to the caller
    cdef Fresh fresh
    cdef float *gathered             # block row over this problem's slots
    cdef float *wide                 # row over the store's slots
    cdef int32_t *tiles              # tiles of the store wanted, and the place of each in the list
    cdef int32_t *tile_place
    cdef Py_ssize_t wide_capacity
    cdef int32_t *missing            # slots whose values a row lacks
    # Block rows kept as members, in order of entry; store slots given up since begin_block.
    cdef int32_t *pending
    cdef Py_ssize_t n_pending
    cdef int32_t *released
    cdef Py_ssize_t n_released
    cdef Py_ssize_t slots_capacity
    # Slot of each row of the data set, or -1; only while passes over one data set are made.
    cdef object known
    cdef int32_t *slot_of_row
    cdef Active active
    cdef Py_ssize_t steps_to_shrink
    cdef Py_ssize_t active_bytes
    cdef bint shrunk

    cdef int begin_block(self, Fresh *fresh, Py_ssize_t n_rows) except -1
    cdef bint knows(self, int64_t row_id) noexcept nogil
    cdef int learn(self, Py_ssize_t r, int8_t y, double cost, int64_t row_id) noexcept nogil
    cdef int process(self, Py_ssize_t r, int8_t y, double cost, int64_t row_id) noexcept nogil
    cdef int reprocess(self) noexcept nogil
    cdef int finish(self, double work) noexcept nogil
    cdef float *block_row(self, Py_ssize_t r) noexcept nogil
    cdef void gather(self, const float *stored, float *out) noexcept nogil
    cdef Py_ssize_t keep(self, Py_ssize_t r, float *k, int8_t y, double cost, double g,
                         int64_t row_id) noexcept nogil
    cdef Py_ssize_t seed(self, Py_ssize_t r, int8_t y, double cost, int64_t row_id,
                         double alpha) noexcept nogil
    cdef void set_b(self) noexcept nogil
    cdef void evict(self) noexcept nogil
    cdef void step(self, Py_ssize_t i, Py_ssize_t j, const float *k_i,
                   const float *k_j) noexcept nogil
    cdef double length_of_step(self, Py_ssize_t i, Py_ssize_t j, double gap,
                               float k_ij) noexcept nogil
    cdef const float *kernel_row(self, Py_ssize_t slot, Py_ssize_t pinned) noexcept nogil
    cdef int compute_row(self, Py_ssize_t slot, float *out) noexcept nogil
    cdef void computed(self, Py_ssize_t n) noexcept nogil
    cdef void grant_memory(self) noexcept nogil
    cdef bint settle(self, int32_t index, Py_ssize_t entered, float *row) noexcept nogil
    cdef int complete_row(self, Py_ssize_t slot) noexcept nogil
    cdef int compute_values(self, Py_ssize_t slot, Py_ssize_t n_missing) noexcept nogil
    cdef int shrink(self) noexcept nogil
    cdef int begin_active(self) noexcept nogil
    cdef void forget_active(self) noexcept nogil
    cdef const float *active_row(self, Py_ssize_t q, Py_ssize_t pinned) noexcept nogil
    cdef int unshrink(self) noexcept nogil
    cdef void refresh(self) noexcept nogil
    cdef void begin_finish(self) noexcept nogil
