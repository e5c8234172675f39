"""Rows on their way into a model: loaded into a block, and scored against the store."""
from libc.stdint cimport int32_t, int64_t

from ..guard cimport Halt
from ..simd.leaves cimport LEAVES_BLOCK
from .stores cimport Block, Store


# Kernel values of the block being learnt; a problem of several only reads them.
cdef struct Fresh:
    float *values           # row r against the store: values[r * ld + slot]
    Py_ssize_t ld
    const float *gram       # row r against row q of the block: gram[r * gram_ld + q]
    Py_ssize_t gram_ld


# Refuse what the engine, which reads memory as it is, would misread; rows too long for numbers.
cdef int check_type(Store store, X) except -1
cdef int check_norms(Store store, Block block, const int64_t *rows) except -1


# Rows of the stream as the problems visit them.
cdef struct Visits:
    Py_ssize_t n
    Py_ssize_t row[LEAVES_BLOCK]    # number among those given
    int32_t place[LEAVES_BLOCK]     # number among the rows loaded, -1: needs no kernel values
    double cost[LEAVES_BLOCK]
    int64_t row_id[LEAVES_BLOCK]


cdef class FreshRows:
    cdef Store store
    cdef Block block
    cdef Py_ssize_t n                       # rows loaded
    cdef int64_t rows[LEAVES_BLOCK]         # their places in X
    cdef int32_t labels[LEAVES_BLOCK]       # and classes
    cdef Visits visits
    cdef Fresh scored
    cdef bint is_scored                     # against the store, since they were loaded
    cdef object values_array
    cdef Py_ssize_t capacity
    cdef float gram[LEAVES_BLOCK * LEAVES_BLOCK]

    cdef int load(self, X) except -1
    cdef int score_values(self, executor, Halt halt) except -1
    cdef int keep_only(self, X, Py_ssize_t k) except -1
    cdef int score_themselves(self) except -1
    cdef int load_slots(self, const int32_t *slots, Py_ssize_t n) except -1
