"""A block of samples, and its kernel values against the store and against itself."""
from libc.stdint cimport int8_t, int32_t, int64_t

from ...simd.primitives cimport SIMD_BLOCK
from ...threads.team cimport Team
from .stores cimport Block, Store
from .support_set cimport Example


# Kernel values of the current block; read-only if there are several problems.
cdef struct BlockValues:
    float *values           # sample r against the store: values[r * ld + slot]
    Py_ssize_t ld
    const float *gram       # sample r against sample q: gram[r * gram_ld + q]
    Py_ssize_t gram_ld


# Raise an error for data that the engine, which accesses memory directly, would misread; and for
# samples whose norm overflows.
cdef int check_type(Store store, X) except -1
cdef int check_norms(Store store, Block block, const int64_t *rows) except -1
cdef int check_gram(Store store, Block block, const float *gram, Py_ssize_t ld,
                    const int64_t *rows) except -1


# The samples of a block in the order in which the problems visit them.
cdef struct Visits:
    Py_ssize_t n
    Py_ssize_t *row         # number of the sample among those passed to `learn`
    int32_t *place          # number among those loaded, -1: needs no kernel values
    double *cost
    int64_t *row_id


# The classes that a problem separates, by code; negative: OTHERS for all others.
cdef enum:
    OTHERS = -1

cdef struct ClassCodes:
    int positive
    int negative


cdef class SampleBlock:
    cdef Store store
    cdef Block block
    cdef Py_ssize_t size                    # largest number of samples
    cdef Py_ssize_t n                       # number of samples loaded
    cdef int64_t *rows                      # their positions in X
    cdef int32_t *labels                    # their classes
    cdef Py_ssize_t n_new                   # positions from here on: samples visited before
    cdef int32_t *stored                    # work space of `Slots.write`: their slots, and row ids
    cdef int64_t *stored_ids
    cdef Visits visits
    cdef BlockValues scored
    cdef bint is_scored                     # whether their kernel values have been computed
    cdef object values_array
    cdef Py_ssize_t capacity
    cdef float *gram
    # Used by a larger block: up to SIMD_BLOCK of its samples, and a store of all of them.
    cdef Block part
    cdef Store own

    cdef int load(self, X) except -1
    cdef int score_values(self, Team team) except -1
    cdef void take_part(self, Py_ssize_t first) noexcept nogil
    cdef int keep_only(self, X, Py_ssize_t k) except -1
    cdef int score_themselves(self) except -1
    cdef int load_slots(self, const int32_t *slots, Py_ssize_t n) except -1


cdef class Samples:
    cdef const int32_t[::1] labels
    cdef const double[::1] cost
    cdef const int64_t[::1] row_ids
    cdef const int8_t[:, ::1] shifted
    cdef const double[:, ::1] targets
    cdef double epsilon
    cdef bint squared
    cdef int8_t origin
    cdef const int8_t[::1] origins
    cdef public Py_ssize_t n_new

    cdef bint belongs(self, Py_ssize_t r, ClassCodes codes) noexcept nogil
    cdef void describe(self, Example *row, Py_ssize_t r, Py_ssize_t c,
                       ClassCodes codes) noexcept nogil
