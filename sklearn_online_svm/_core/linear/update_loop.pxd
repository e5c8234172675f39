"""Contract of the update loop: rows, one after the other, through the problems of a model."""
from libc.stdint cimport int32_t, int64_t

cimport cython

from ..guard cimport Shelf
from .target_margins cimport TargetMargins
from .queries cimport Purchases, Query
from .rows cimport Dataset, Row
from .rules cimport rule_numbers
from .weights cimport Weights

# How a run ends: at its stop, or before a row that needs the attention of the caller.
cdef enum:
    RUN_DONE
    RUN_NOT_FINITE
    RUN_LABEL_WANTED
    RUN_HELD                            # nothing is learnt: only of `learn`


@cython.final
cdef class UpdateLoop:
    cdef readonly Weights weights
    cdef Shelf shelf                    # from which others read the weights
    cdef readonly int64_t n_rows        # learnt from, those of weight 0 included
    cdef readonly int64_t n_updates
    cdef public Py_ssize_t position     # rows of this call gone through
    cdef readonly double loss           # since the last reset
    cdef rule_numbers rule
    cdef TargetMargins demands
    cdef bint crammer_singer
    cdef bint is_leaf                   # a whole pass is one leaf
    cdef int64_t average_from
    cdef object buffers
    cdef double *along
    cdef double *shrink

    # Rows from `position` on until `stop`; labels have prices where there are purchases.
    cdef int run(self, Dataset dataset, Purchases purchases, Py_ssize_t *position,
                 Py_ssize_t stop) noexcept nogil

    # Its parts.
    cdef _set_limits(self)
    cdef int _run(self, Dataset dataset, Py_ssize_t *position, Py_ssize_t stop) noexcept nogil
    cdef int _run_primitive(self, Dataset dataset, Py_ssize_t *position,
                            Py_ssize_t stop) noexcept nogil
    cdef int _run_asking(self, Dataset dataset, Purchases purchases, Py_ssize_t *position,
                         Py_ssize_t stop) noexcept nogil
    cdef bint _look(self, const Row *row) noexcept nogil
    cdef bint _teach(self, const Row *row, int32_t label, double weight) noexcept nogil
    cdef bint _teach_target(self, const Row *row, double target, double weight) noexcept nogil
    cdef bint _teach_problems(self, const Row *row, int32_t label, double weight) noexcept nogil
    cdef bint _teach_classes(self, const Row *row, int32_t label, double weight) noexcept nogil
    cdef int32_t _predicted(self) noexcept nogil
    cdef double _probability(self, const Query *query, const Row *row) noexcept nogil
