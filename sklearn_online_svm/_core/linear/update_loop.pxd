"""Contract of the update loop: train a linear model on one sample after the other."""
from libc.stdint cimport int32_t, int64_t

cimport cython

from ..guard cimport SharedArrays
from .queries cimport LabelQueries, Query
from .rows cimport Dataset, Row
from .rules cimport TargetMargins, rule_parameters
from .weights cimport Weights


@cython.final
cdef class UpdateLoop:
    cdef readonly Weights weights
    cdef SharedArrays shared                    # from which other threads read the weights
    cdef readonly int64_t n_rows        # number of training samples, including those of weight 0
    cdef readonly int64_t n_updates
    cdef public Py_ssize_t position     # in the order, during `train`
    cdef readonly double loss           # since the last reset
    cdef rule_parameters rule
    cdef TargetMargins demands
    cdef bint crammer_singer
    cdef bint is_primitive              # whether a pass is the SIMD primitive `train`
    cdef int64_t average_from
    cdef object buffers
    cdef double *alphas                 # of all problems
    cdef double *betas

    cdef _set_limits(self)
    cdef double _cost(self, Dataset dataset)
    # Train on the samples from `position` to `stop`.
    cdef int _run(self, Dataset dataset, Py_ssize_t *position, Py_ssize_t stop) noexcept nogil
    cdef int _run_primitive(self, Dataset dataset, Py_ssize_t *position,
                            Py_ssize_t stop) noexcept nogil
    cdef int _run_with_queries(self, Dataset dataset, LabelQueries queries, Py_ssize_t *position,
                               Py_ssize_t stop) noexcept nogil
    # Compute the margins of a sample; return False if its norm is not finite or too large.
    cdef bint _look(self, const Row *row) noexcept nogil
    # Make an update step on it; return whether the weights changed.
    cdef bint _update_regression(self, const Row *row, double target, double weight) noexcept nogil
    cdef bint _update(self, const Row *row, int32_t label, double weight) noexcept nogil
    cdef void _repeat_update(self, const Row *row, int32_t label, double weight) noexcept nogil
    cdef bint _update_one_vs_rest(self, const Row *row, int32_t label,
                                  double weight) noexcept nogil
    cdef bint _update_crammer_singer(self, const Row *row, int32_t label,
                                     double weight) noexcept nogil
    cdef int32_t _predicted(self) noexcept nogil
    cdef double _query_probability(self, const Query *query, const Row *row) noexcept nogil
