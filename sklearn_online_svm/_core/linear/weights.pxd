"""Weight states of the linear learners: what a row is looked at with, and what a step moves."""
from ..simd.primitives cimport simd_linear
from .refinement cimport Refinement
from .rows cimport Dataset, Row


cdef class Weights:
    cdef readonly Py_ssize_t n_problems
    cdef readonly Py_ssize_t n_features
    cdef readonly bint intercept
    cdef readonly bint sparse
    cdef readonly bint averaged
    cdef readonly bint is_full      # with a covariance of all weights
    cdef bint second_order          # with variances, or that
    cdef bint follows               # something moves with every row, whatever it teaches
    cdef Py_ssize_t n_vectors       # looked at with every row
    cdef object arrays              # kept alive
    cdef bint single                # float32
    cdef Py_ssize_t itemsize
    cdef const simd_linear *leaf
    # Element (c, k) of the weights lies at c * class_stride + k * feature_stride.
    cdef char *w
    cdef Py_ssize_t class_stride
    cdef Py_ssize_t feature_stride
    cdef double *b
    cdef Py_ssize_t piece           # of several sets of weights, one behind the other, this one
    cdef double constant            # square of the feature that they are the weights of
    # Sums from which the average follows: each step times the rows that came before it.
    cdef char *w_sum
    cdef double *b_sum
    cdef double lag
    # Of the row looked at last, one per problem: w.x, and x'S x where there is a covariance.
    cdef object buffers
    cdef double *margins
    cdef double *variances
    cdef double squared_norm        # |x|^2
    cdef double extended_squared_norm   # the same with the constant feature
    cdef double largest_squared_norm    # with more the loops would meet infinity
    # Variance of each weight before anything is learnt, 1 without a covariance.
    cdef double start_variance
    # Advice, laid out as w is, NULL without: r + scale * w are the weights then.
    cdef char *r
    cdef double *r_b
    cdef double *scale
    cdef double keep                # what a row leaves of the scale
    cdef double least               # a smaller scale is multiplied into w

    cdef _lay_out(self, coef, intercept, bint fit_intercept, bint sparse)
    cdef _keep_sums(self, sums)
    cdef _set_limits(self, double start_variance, double largest)
    # Before rows of the dataset, from `position` to `stop`, are looked at, and after, with the
    # GIL. How far they are ready; what has been learnt is whole after `end`.
    cdef Py_ssize_t begin(self, Dataset dataset, Py_ssize_t position, Py_ssize_t stop) except -1
    cdef int end(self, Py_ssize_t position) except -1
    cdef void look(self, const Row *row) noexcept nogil
    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef void step(self, const Row *row, Py_ssize_t c, double along, double shrink) noexcept nogil
    cdef void steps(self, const Row *row, const double *along, const double *shrink,
                    Py_ssize_t n_taken) noexcept nogil
    cdef void follow(self, const Row *row) noexcept nogil
    cdef void turn_to(self, Py_ssize_t piece) noexcept nogil
    cdef void add(self, const Row *row, Py_ssize_t c, double along, char *w,
                  double *b) noexcept nogil


cdef class DiagonalWeights(Weights):
    cdef void _add_diagonal(self, const Row *row, Py_ssize_t c, double along, double shrink,
                            char *w) noexcept nogil
    cdef void step_intercept(self, Py_ssize_t c, double along, double shrink) noexcept nogil
    # Variances lie as the weights do, those of the intercepts apart.
    cdef char *s
    cdef double *s_b


cdef class FullWeights(Weights):
    cdef double *S                  # (n_problems, n, n), n features and the intercept
    cdef double *x                  # the row, dense, double, with its feature 1
    cdef double *u                  # S x of the problem asked for last
    cdef Py_ssize_t n_inputs


cdef class AdvisedWeights(Weights):
    cdef double *of_r               # margins of the row looked at last: r.x, w.x
    cdef double *of_w
    cdef Refinement refinement

    cdef double weight_at(self, Py_ssize_t c, Py_ssize_t j) noexcept nogil
    cdef void move_advice(self, Py_ssize_t c, Py_ssize_t j, double value) noexcept nogil
