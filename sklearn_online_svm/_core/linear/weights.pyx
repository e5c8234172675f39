"""Weight states: first order, with a diagonal covariance, with a full one, with advice.

The arrays belong to the estimator and are changed in place. Dense rows want the weights of a
class in one piece (C order), sparse rows those of a feature (Fortran order), so that one nonzero
finds the weights of all classes side by side; a single problem is both. ``zeros`` makes arrays
with the room behind their end that the leaves want.
"""
import math

from libc.float cimport DBL_MAX, FLT_MAX

from ..memory cimport CACHE_LINE, address, aligned_bytes
from ..simd.primitives cimport simd_look, table
from .refinement cimport Refinement
from .rows cimport Dataset, Row

import numpy as np

cdef double EPSILON = np.finfo(np.float64).eps


cdef class Weights:
    """First order: a weight vector per problem.

    Parameters
    ----------
    coef : ndarray of shape (n_problems, n_features), float32 or float64
        C order for dense rows, Fortran order for sparse ones. With one axis more all arrays are
        several sets of weights, of which the first is used until ``turn_to``.
    intercept : ndarray of shape (n_problems,), float64
    fit_intercept : bool
        Whether every row has one more feature, a constant, which makes the intercept.
    sparse : bool
        What the rows are.
    scaling : float
        The constant feature of every row, s. Its weight v is kept as what it adds to the margin,
        the intercept b = s v: a step of v by s a is one of b by s^2 a.
    sums : tuple of two ndarrays, optional
        Of the shapes of coef and intercept, for averages.
    """

    def __init__(self, coef, intercept, bint fit_intercept, bint sparse, double scaling=1.0,
                 sums=None):
        self._lay_out(coef, intercept, fit_intercept, sparse)
        self.constant = scaling * scaling
        self._keep_sums(sums)

    cdef _keep_sums(self, sums):
        if sums is None:
            return
        _check_order(sums[0], self.sparse)
        self.arrays += sums
        self.averaged = True
        self.w_sum = <char *>_data(sums[0])
        self.b_sum = <double *>address(sums[1])

    cdef _lay_out(self, coef, intercept, bint fit_intercept, bint sparse):
        _check_order(coef, sparse)
        self.arrays = (coef, intercept)
        *_, self.n_problems, self.n_features = coef.shape
        self.intercept = fit_intercept
        self.constant = 1.0
        self.sparse = sparse
        self.n_vectors = self.n_problems
        self.single = coef.dtype == np.float32
        self.leaf = table().linear_f32 if self.single else table().linear_f64
        self.itemsize = coef.itemsize
        self.w = <char *>_data(coef)
        self.b = <double *>address(intercept)
        if sparse:
            self.class_stride, self.feature_stride = 1, self.n_problems
        else:
            self.class_stride, self.feature_stride = self.n_features, 1
        self.buffers = np.zeros((4, self.n_problems))
        self.margins = <double *>address(self.buffers)
        self.variances = self.margins + self.n_problems
        self.r = NULL
        self._set_limits(1.0, FLT_MAX if self.single else DBL_MAX)

    cdef _set_limits(self, double start_variance, double largest):
        self.start_variance = start_variance
        self.largest_squared_norm = largest / max(1.0, start_variance)

    cdef Py_ssize_t begin(self, Dataset dataset, Py_ssize_t position, Py_ssize_t stop) except -1:
        return stop

    cdef int end(self, Py_ssize_t position) except -1:
        return 0

    cdef void look(self, const Row *row) noexcept nogil:
        """Margins of all problems and the squared norm of the row."""
        cdef simd_look seen
        cdef Py_ssize_t c
        if row.columns == NULL:
            self.leaf.look_dense(row.values, self.w, row.n, &seen)
            if self.n_problems > 1:
                self.leaf.margins_dense(row.values, self.w, self.class_stride, self.n_problems,
                                        row.n, self.margins)
            else:
                self.margins[0] = seen.margin
        elif self.n_problems == 1:
            self.leaf.look_sparse(row.values, row.columns, row.n, self.w, &seen)
            self.margins[0] = seen.margin
        else:
            seen.squared_norm = self.leaf.squared_norm(row.values, row.n)
            self.leaf.margins_sparse(row.values, row.columns, row.n, self.w, self.n_problems,
                                     self.margins)
        self.squared_norm = self.extended_squared_norm = seen.squared_norm
        if self.intercept:
            self.extended_squared_norm += self.constant
            for c in range(self.n_problems):
                self.margins[c] += self.b[c]

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        """``x'S x`` of a problem, for the row looked at last; S = 1 without a covariance."""
        return self.extended_squared_norm

    cdef void prepare(self) noexcept nogil:
        """Before the steps of the row looked at last; margins may change."""

    cdef void step(self, const Row *row, Py_ssize_t c, double along, double shrink) noexcept nogil:
        """``w += along * S x`` and ``S -= shrink * S x x' S`` in problem c."""
        self.add(row, c, along, self.w, self.b)
        if self.averaged and self.lag != 0.0:
            self.add(row, c, along * self.lag, self.w_sum, self.b_sum)

    cdef void steps(self, const Row *row, const double *along, const double *shrink,
                    Py_ssize_t n_taken) noexcept nogil:
        """``step`` for every problem whose ``along`` is not 0."""
        cdef Py_ssize_t c
        cdef double *lagged = self.variances
        if row.columns == NULL or n_taken <= 2:
            for c in range(self.n_problems):
                if along[c] != 0.0:
                    self.step(row, c, along[c], 0.0)
            return
        self.leaf.add_sparse_all(along, row.values, row.columns, row.n, self.w, self.n_problems)
        if self.averaged and self.lag != 0.0:
            for c in range(self.n_problems):
                lagged[c] = along[c] * self.lag
            self.leaf.add_sparse_all(lagged, row.values, row.columns, row.n, self.w_sum,
                                     self.n_problems)
        if self.intercept:
            for c in range(self.n_problems):
                self.b[c] += self.constant * along[c]
                if self.averaged:
                    self.b_sum[c] += self.constant * along[c] * self.lag

    cdef void follow(self, const Row *row) noexcept nogil:
        """What else a row moves, when it has been learnt."""

    cdef void turn_to(self, Py_ssize_t piece) noexcept nogil:
        """Look and step with another set of weights; they lie one behind the other."""
        cdef Py_ssize_t n = self.n_problems * (piece - self.piece)
        cdef Py_ssize_t n_bytes = n * self.n_features * self.itemsize
        self.w += n_bytes
        self.b += n
        if self.averaged:
            self.w_sum += n_bytes
            self.b_sum += n
        self.piece = piece

    cdef void add(self, const Row *row, Py_ssize_t c, double along, char *w,
                  double *b) noexcept nogil:
        w += c * self.class_stride * self.itemsize
        if row.columns == NULL:
            self.leaf.add_dense(along, row.values, w, row.n)
        else:
            self.leaf.add_sparse(along, row.values, row.columns, row.n, w, self.feature_stride)
        if self.intercept:
            b[c] += self.constant * along


cdef class DiagonalWeights(Weights):
    """With a variance for each weight, ever smaller.

    Parameters
    ----------
    variances : ndarray, of the shape, type and order of coef
    intercept_variances : ndarray of shape (n_problems,), float64
    start_variance : float
        Of all of them at first.
    sums : tuple of two ndarrays, optional
        As of Weights.
    """

    def __init__(self, coef, intercept, variances, intercept_variances, bint fit_intercept,
                 bint sparse, double start_variance, sums=None):
        self._lay_out(coef, intercept, fit_intercept, sparse)
        self._set_limits(start_variance, FLT_MAX if self.single else DBL_MAX)
        _check_order(variances, sparse)
        self.arrays += (variances, intercept_variances)
        self.second_order = True
        self.s = <char *>_data(variances)
        self.s_b = <double *>address(intercept_variances)
        self._keep_sums(sums)

    cdef void look(self, const Row *row) noexcept nogil:
        cdef simd_look seen
        cdef Py_ssize_t c, bytes_apart = self.class_stride * self.itemsize
        if row.columns != NULL and self.n_problems > 1:
            seen.squared_norm = self.leaf.squared_norm(row.values, row.n)
            self.leaf.margins_sparse(row.values, row.columns, row.n, self.w, self.n_problems,
                                     self.margins)
            self.leaf.variances_sparse(row.values, row.columns, row.n, self.s, self.n_problems,
                                       self.variances)
        else:
            for c in range(self.n_problems):
                if row.columns == NULL:
                    self.leaf.look_dense_diagonal(row.values, self.w + c * bytes_apart,
                                                  self.s + c * bytes_apart, row.n, &seen)
                else:
                    self.leaf.look_sparse_diagonal(row.values, row.columns, row.n, self.w, self.s,
                                                   &seen)
                self.margins[c] = seen.margin
                self.variances[c] = seen.variance
        self.squared_norm = self.extended_squared_norm = seen.squared_norm
        if self.intercept:
            self.extended_squared_norm += 1.0
            for c in range(self.n_problems):
                self.margins[c] += self.b[c]
                self.variances[c] += self.s_b[c]

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        return self.variances[c]

    cdef void steps(self, const Row *row, const double *along, const double *shrink,
                    Py_ssize_t n_taken) noexcept nogil:
        cdef Py_ssize_t c
        cdef double *lagged = self.variances + self.n_problems
        cdef double *nothing = lagged + self.n_problems
        if row.columns == NULL or n_taken <= 2:
            for c in range(self.n_problems):
                if along[c] != 0.0:
                    self.step(row, c, along[c], shrink[c])
            return
        if self.averaged and self.lag != 0.0:
            # With the variances of before the step.
            for c in range(self.n_problems):
                lagged[c] = along[c] * self.lag
            self.leaf.add_sparse_diagonal_all(lagged, nothing, row.values, row.columns,
                                              row.n, self.w_sum, self.s, self.n_problems)
        self.leaf.add_sparse_diagonal_all(along, shrink, row.values, row.columns, row.n, self.w,
                                          self.s, self.n_problems)
        if self.intercept:
            for c in range(self.n_problems):
                if along[c] != 0.0:
                    self.step_intercept(c, along[c], shrink[c])

    cdef void turn_to(self, Py_ssize_t piece) noexcept nogil:
        cdef Py_ssize_t n = self.n_problems * (piece - self.piece)
        self.s += n * self.n_features * self.itemsize
        self.s_b += n
        Weights.turn_to(self, piece)

    cdef void step_intercept(self, Py_ssize_t c, double along, double shrink) noexcept nogil:
        if self.averaged:
            self.b_sum[c] += along * self.lag * self.s_b[c]
        self.b[c] += along * self.s_b[c]
        # Positive, as in the leaves.
        self.s_b[c] *= max(1.0 - shrink * self.s_b[c], EPSILON)

    cdef void step(self, const Row *row, Py_ssize_t c, double along, double shrink) noexcept nogil:
        if self.averaged and self.lag != 0.0:
            # With the variances of before the step.
            self._add_diagonal(row, c, along * self.lag, 0.0, self.w_sum)
        self._add_diagonal(row, c, along, shrink, self.w)
        if self.intercept:
            self.step_intercept(c, along, shrink)

    cdef void _add_diagonal(self, const Row *row, Py_ssize_t c, double along, double shrink,
                            char *w) noexcept nogil:
        cdef Py_ssize_t at = c * self.class_stride * self.itemsize
        if row.columns == NULL:
            self.leaf.add_dense_diagonal(along, shrink, row.values, w + at, self.s + at, row.n)
        else:
            self.leaf.add_sparse_diagonal(along, shrink, row.values, row.columns, row.n, w + at,
                                          self.s + at, self.feature_stride)


cdef class FullWeights(Weights):
    """With a covariance of all weights, the intercept among them as the last.

    Weights and covariance are float64 whatever the rows are: thousands of small subtractions would
    cost a float32 matrix its positive eigenvalues.

    Parameters
    ----------
    covariance : ndarray of shape (n_problems, n, n), float64
        n = n_features, and one more with an intercept.
    single : bool
        Whether the rows are float32.
    start_variance : float
        The covariance is this times the unit matrix at first.
    """

    def __init__(self, coef, intercept, covariance, bint fit_intercept, bint sparse, bint single,
                 double start_variance):
        self._lay_out(coef, intercept, fit_intercept, False)
        self._set_limits(start_variance, DBL_MAX)
        self.sparse = sparse
        self.single = single
        self.itemsize = 4 if single else 8
        self.is_full = self.second_order = True
        self.n_inputs = self.n_features + (1 if fit_intercept else 0)
        buffers = np.zeros((2, self.n_inputs))
        self.arrays += (covariance, buffers)
        self.S = <double *>address(covariance)
        self.x = <double *>address(buffers)
        self.u = self.x + self.n_inputs

    cdef void look(self, const Row *row) noexcept nogil:
        cdef Py_ssize_t k, c
        cdef simd_look seen
        cdef double *x = self.x
        if row.columns == NULL:
            for k in range(row.n):
                x[k] = (<const float *>row.values)[k] if self.single \
                    else (<const double *>row.values)[k]
        else:
            for k in range(self.n_features):
                x[k] = 0.0
            for k in range(row.n):
                x[row.columns[k]] = (<const float *>row.values)[k] if self.single \
                    else (<const double *>row.values)[k]
        if self.intercept:
            x[self.n_features] = 1.0
        for c in range(self.n_problems):
            self.leaf.look_dense(x, self.w + c * self.n_features * sizeof(double),
                                 self.n_features, &seen)
            self.margins[c] = seen.margin + (self.b[c] if self.intercept else 0.0)
        self.squared_norm = self.extended_squared_norm = seen.squared_norm
        if self.intercept:
            self.extended_squared_norm += 1.0

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        cdef double variance = table().covariance_times(
            self.S + c * self.n_inputs * self.n_inputs, self.x, self.u, self.n_inputs
        )
        # |S x|^2 is at most as much: if not, rounding has cost S its positive eigenvalues in the
        # direction of x, in which nothing more can be learnt.
        if self.leaf.squared_norm(self.u, self.n_inputs) > 2.0 * self.start_variance * variance:
            variance = 0.0
        self.variances[c] = variance
        return variance

    cdef void step(self, const Row *row, Py_ssize_t c, double along, double shrink) noexcept nogil:
        """After ``variance_of`` for the same problem: S x is that of the row."""
        self.leaf.add_dense(along, self.u, self.w + c * self.n_features * sizeof(double),
                            self.n_features)
        if self.intercept:
            self.b[c] += along * self.u[self.n_features]
        if shrink != 0.0:
            table().covariance_shrink(shrink, self.u, self.S + c * self.n_inputs * self.n_inputs,
                                      self.n_inputs)


cdef class AdvisedWeights(Weights):
    """With advice r, to which each row first draws the weights: ``w <- keep w + (1 - keep) r``.

    What is kept is z with ``w = r + scale z``, so that this costs one number. Steps are those of
    the rule, from there.

    Parameters
    ----------
    coef, intercept : ndarray
        z, as the weights are without advice.
    advice, intercept_advice : ndarray
        r, of the same shapes.
    scale : ndarray of shape (1,), float64
    keep : float
        In [0, 1].
    fit_intercept, sparse : bool
    refinement : Refinement, optional
        What changes the advice after each row.
    """

    def __init__(self, coef, intercept, advice, intercept_advice, scale, double keep,
                 bint fit_intercept, bint sparse, Refinement refinement=None):
        self._lay_out(coef, intercept, fit_intercept, sparse)
        _check_order(advice, sparse)
        more = np.zeros((2, self.n_problems))
        self.arrays += (advice, intercept_advice, scale, more)
        self.r = <char *>_data(advice)
        self.r_b = <double *>address(intercept_advice)
        self.scale = <double *>address(scale)
        self.keep = keep
        # A thousand million of the longest steps stay finite when they are divided by it.
        self.least = 1e-9 if self.single else 1e-100
        self.of_r = <double *>address(more)
        self.of_w = self.of_r + self.n_problems
        self.refinement = refinement
        self.follows = refinement is not None
        self.n_vectors = 2 * self.n_problems

    cdef void look(self, const Row *row) noexcept nogil:
        cdef simd_look seen
        cdef Py_ssize_t c
        Weights.look(self, row)
        if self.n_problems == 1:
            if row.columns == NULL:
                self.leaf.look_dense(row.values, self.r, row.n, &seen)
            else:
                self.leaf.look_sparse(row.values, row.columns, row.n, self.r, &seen)
            self.of_r[0] = seen.margin
        elif row.columns == NULL:
            self.leaf.margins_dense(row.values, self.r, self.class_stride, self.n_problems, row.n,
                                    self.of_r)
        else:
            self.leaf.margins_sparse(row.values, row.columns, row.n, self.r, self.n_problems,
                                     self.of_r)
        for c in range(self.n_problems):
            self.of_w[c] = self.margins[c]
            self.of_r[c] += self.r_b[c]
            self.margins[c] = self.of_r[c] + self.scale[0] * self.of_w[c]

    cdef void prepare(self) noexcept nogil:
        cdef Py_ssize_t c
        self.scale[0] *= self.keep
        for c in range(self.n_problems):
            self.margins[c] = self.of_r[c] + self.scale[0] * self.of_w[c]
        if self.scale[0] < self.least:
            self.leaf.multiply(self.scale[0], self.w, self.n_problems * self.n_features)
            for c in range(self.n_problems):
                self.b[c] *= self.scale[0]
            self.scale[0] = 1.0

    cdef void step(self, const Row *row, Py_ssize_t c, double along, double shrink) noexcept nogil:
        self.add(row, c, along / self.scale[0], self.w, self.b)

    cdef void steps(self, const Row *row, const double *along, const double *shrink,
                    Py_ssize_t n_taken) noexcept nogil:
        cdef Py_ssize_t c
        if row.columns == NULL or n_taken <= 2:
            for c in range(self.n_problems):
                if along[c] != 0.0:
                    self.step(row, c, along[c], 0.0)
            return
        for c in range(self.n_problems):
            self.variances[c] = along[c] / self.scale[0]
        self.leaf.add_sparse_all(self.variances, row.values, row.columns, row.n, self.w,
                                 self.n_problems)
        if self.intercept:
            for c in range(self.n_problems):
                self.b[c] += self.variances[c]

    cdef void follow(self, const Row *row) noexcept nogil:
        """Let the advice follow the weights, which stay where they are."""
        cdef Py_ssize_t c, j
        cdef double *values = self.refinement.values
        for c in range(self.n_problems):
            for j in range(self.refinement.n_columns):
                values[j] = self.weight_at(c, j)
            self.refinement.refine(c)
            for j in range(self.refinement.n_columns):
                self.move_advice(c, j, values[j])

    cdef double weight_at(self, Py_ssize_t c, Py_ssize_t j) noexcept nogil:
        """The weight of the j-th feature that the rules speak of."""
        cdef Py_ssize_t at
        if self.refinement.intercept and j == self.refinement.n_columns - 1:
            return self.r_b[c] + self.scale[0] * self.b[c]
        at = c * self.class_stride + self.refinement.columns[j] * self.feature_stride
        if self.single:
            return (<float *>self.r)[at] + self.scale[0] * (<float *>self.w)[at]
        return (<double *>self.r)[at] + self.scale[0] * (<double *>self.w)[at]

    cdef void move_advice(self, Py_ssize_t c, Py_ssize_t j, double value) noexcept nogil:
        """Another advice about that feature; z makes up for it."""
        cdef Py_ssize_t at
        if self.refinement.intercept and j == self.refinement.n_columns - 1:
            self.b[c] -= (value - self.r_b[c]) / self.scale[0]
            self.r_b[c] = value
            return
        at = c * self.class_stride + self.refinement.columns[j] * self.feature_stride
        if self.single:
            value = <float>value
            (<float *>self.w)[at] -= <float>((value - (<float *>self.r)[at]) / self.scale[0])
            (<float *>self.r)[at] = <float>value
        else:
            (<double *>self.w)[at] -= (value - (<double *>self.r)[at]) / self.scale[0]
            (<double *>self.r)[at] = value


def zeros(shape, dtype, order="C"):
    """Zeros that begin at a cache line, with another one behind their end.

    Of three axes the first is that of pieces, which have the order each."""
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    memory = aligned_bytes(n_bytes, CACHE_LINE).view(dtype)
    if order == "C":
        return memory.reshape(shape)
    *first, n, m = shape
    return memory.reshape(*first, m, n).swapaxes(-1, -2)


cdef _check_order(array, bint sparse):
    # The loops know no strides, and use whole vectors at the end.
    if not (array.swapaxes(-1, -2) if sparse else array).flags.c_contiguous:
        raise ValueError("the order of an array does not fit the rows")
    memory = array.base
    if not (isinstance(memory, np.ndarray) and memory.flags.c_contiguous
            and <size_t>_data(array) + array.nbytes + CACHE_LINE
            <= <size_t>address(memory) + memory.nbytes):
        raise ValueError("there is no room behind an array; make it with zeros()")


cdef void *_data(array) except? NULL:
    return address(array if array.flags.c_contiguous else array.swapaxes(-1, -2))
