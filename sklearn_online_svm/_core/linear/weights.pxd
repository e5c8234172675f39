"""Weights of the linear models: margins of a sample, and steps of an update rule on it."""
from ..simd.primitives cimport simd_linear
from .refinement cimport Refinement
from .rows cimport Dataset, Row


# Element (c, k) of an array of weights lies at c * class_stride + k * feature_stride.
cdef class Weights:
    cdef readonly Py_ssize_t n_problems
    cdef readonly Py_ssize_t n_features
    cdef readonly bint intercept
    cdef readonly bint sparse
    cdef readonly bint averaged
    cdef readonly bint is_full      # whether there is a full covariance
    cdef bint second_order          # whether there are variances or a full covariance
    cdef bint follows               # whether `follow` must be called
    cdef int code                   # not 0: an error in `follow`; `end` raises it
    cdef Py_ssize_t n_repeats       # how often the steps are made again after `follow`
    cdef Py_ssize_t n_vectors       # number of vectors in the margins of a sample
    cdef double extra_cost          # multiplications for a sample, besides those of its margins
    cdef object arrays              # owns the arrays
    cdef bint single                # float32
    cdef Py_ssize_t itemsize
    cdef const simd_linear *primitives
    cdef char *w
    cdef Py_ssize_t class_stride
    cdef Py_ssize_t feature_stride
    cdef double *b                  # intercepts
    cdef Py_ssize_t region          # index of the weights in use, of several ones
    cdef double constant            # square of the constant feature
    # Variances, with the layout of w, and of the intercepts; NULL without them.
    cdef char *s
    cdef double *s_b
    # Weighted sums of the steps, from which averages are computed. The weight of a step is the
    # number of samples before it: the averages over n samples are w - w_sum / n.
    cdef char *w_sum
    cdef double *b_sum
    cdef double lag                 # weight of the next step
    # Of the current sample, for each problem: w.x + b, and x'S x with variances or covariance.
    cdef object buffers
    cdef double *margins
    cdef double *variances
    cdef double squared_norm        # |x|^2
    cdef double extended_squared_norm   # |x|^2 plus the square of the constant feature
    cdef double largest_squared_norm    # larger norms would overflow
    cdef double start_variance      # variance of each weight at first; 1 without covariance
    # Advice, with the layout of w, or NULL. The weights of the model are r + scale * w.
    cdef char *r
    cdef double *r_b
    cdef double *scale
    cdef double decay               # factor of the scale for each sample
    cdef double min_scale           # a smaller scale is multiplied into w

    cdef _set_arrays(self, coef, intercept, bint fit_intercept, bint sparse)
    cdef _set_limits(self, double start_variance, double largest)
    # Prepare for the samples from `position` to `stop`; return how far they are prepared. Called
    # with the GIL, and `end` after them.
    cdef Py_ssize_t begin(self, Dataset dataset, Py_ssize_t position, Py_ssize_t stop) except -1
    cdef int end(self, Py_ssize_t position) except -1
    # For one sample: `look`, `prepare`, then `variance_of` and `step` for each problem or `steps`
    # for all, then `follow`.
    cdef void look(self, const Row *row) noexcept nogil
    cdef void prepare(self) noexcept nogil
    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil
    cdef void step(self, const Row *row, Py_ssize_t c, double alpha, double beta) noexcept nogil
    cdef void steps(self, const Row *row, const double *alphas, const double *betas,
                    Py_ssize_t n_taken) noexcept nogil
    cdef void follow(self, const Row *row) noexcept nogil
    cdef void select(self, Py_ssize_t region) noexcept nogil
    cdef void add(self, const Row *row, Py_ssize_t c, double alpha, double beta, char *w,
                  double *b) noexcept nogil
    cdef void add_variances(self, Py_ssize_t c, double alpha, double beta,
                            double *b) noexcept nogil


cdef class FullWeights(Weights):
    cdef double *S                  # (n_problems, n, n), n = n_features + intercept
    cdef double *x                  # the sample: dense, float64, with the constant feature
    cdef double *u                  # S x of the problem of the last `variance_of`
    cdef Py_ssize_t n_inputs


cdef class AdvisedWeights(Weights):
    cdef double *advice_margins     # r.x + r_b of the current sample, and w.x + b
    cdef double *own_margins
    cdef double *lengths            # alpha of the last step of each problem
    cdef Refinement refinement

    cdef double weight_at(self, Py_ssize_t c, Py_ssize_t j) noexcept nogil
    cdef void move_advice(self, Py_ssize_t c, Py_ssize_t j, double value,
                          double share) noexcept nogil
