"""Weights of the linear models: vectors, with variances, with a full covariance, with advice.

Problem: for a sample x compute the margin w.x + b and the variance v = x'S x; given alpha and beta
of an update rule (``rules.h``), set

    w <- w + alpha S x,    S <- S - beta S x x'S,

where S is the identity (constant), a diagonal (Crammer, Dredze and Pereira 2008: only
the diagonal of the last term) or a full matrix. The intercept is the weight of a constant feature
s, which x has in addition; it is stored as b = s times that weight.

The arrays belong to the estimator and are changed in place. Dense samples need the weights of one
class to be contiguous (C order), sparse samples those of one feature (Fortran order), so that a
nonzero finds the weights of all classes together. ``zeros`` allocates arrays with the room behind
their end that the primitives need.
"""
import math

from libc.float cimport DBL_EPSILON, DBL_MAX, FLT_MAX

from ..memory cimport CACHE_LINE, address, aligned_bytes
from ..simd.primitives cimport simd_products, table
from .refinement cimport Refinement
from .rows cimport Dataset, Row, value_of

import numpy as np


cdef class Weights:
    """One weight vector for each problem, optionally with variances.

    ``coef`` (n_problems, n_features), float32 or float64: C order for dense samples, Fortran order
        for sparse ones. With an additional first axis, all arrays contain the weights of several
        regions, see ``select``.
    ``intercept`` (n_problems,), float64.
    ``sparse``: whether the samples are sparse.
    ``scaling``: the constant feature s; 1 with variances.
    ``sums``: two arrays for averages, with the shapes of coef and intercept.
    ``variances``: two arrays, the variances of coef and intercept, with their shapes.
    ``start_variance``: initial value of the variances.
    """

    def __init__(self, coef, intercept, bint fit_intercept, bint sparse, double scaling=1.0,
                 sums=None, variances=None, double start_variance=1.0):
        self._set_arrays(coef, intercept, fit_intercept, sparse)
        self._set_limits(start_variance, FLT_MAX if self.single else DBL_MAX)
        self.constant = scaling * scaling
        if sums is not None:
            _check_order(sums[0], sparse)
            self.arrays += sums
            self.averaged = True
            self.w_sum = <char *>_data(sums[0])
            self.b_sum = <double *>address(sums[1])
        if variances is not None:
            _check_order(variances[0], sparse)
            self.arrays += variances
            self.second_order = True
            self.s = <char *>_data(variances[0])
            self.s_b = <double *>address(variances[1])

    cdef _set_arrays(self, coef, intercept, bint fit_intercept, bint sparse):
        _check_order(coef, sparse)
        self.arrays = (coef, intercept)
        *_, self.n_problems, self.n_features = coef.shape
        self.intercept = fit_intercept
        self.constant = 1.0
        self.sparse = sparse
        self.n_vectors = self.n_problems
        self.single = coef.dtype == np.float32
        self.primitives = table().linear_f32 if self.single else table().linear_f64
        self.itemsize = coef.itemsize
        self.w = <char *>_data(coef)
        self.b = <double *>address(intercept)
        if sparse:
            self.class_stride, self.feature_stride = 1, self.n_problems
        else:
            self.class_stride, self.feature_stride = self.n_features, 1
        # Margins, variances, and two arrays for `steps`.
        self.buffers = np.zeros((4, self.n_problems))
        self.margins = <double *>address(self.buffers)
        self.variances = self.margins + self.n_problems
        self._set_limits(1.0, FLT_MAX if self.single else DBL_MAX)

    cdef _set_limits(self, double start_variance, double largest):
        self.start_variance = start_variance
        self.largest_squared_norm = largest / max(1.0, start_variance)

    cdef Py_ssize_t begin(self, Dataset dataset, Py_ssize_t position, Py_ssize_t stop) except -1:
        return stop

    cdef int end(self, Py_ssize_t position) except -1:
        return 0

    cdef void look(self, const Row *row) noexcept nogil:
        """Compute margins, variances and the squared norm of a sample."""
        cdef simd_products products
        cdef Py_ssize_t c, offset
        if self.n_problems > 1 and (row.columns != NULL or self.s == NULL):
            products.squared_norm = self.primitives.squared_norm(row.values, row.n)
            self.primitives.margins(row.values, row.columns, row.n, self.w, self.class_stride,
                                    self.n_problems, self.margins)
            if self.s != NULL:
                self.primitives.variances(row.values, row.columns, row.n, self.s, self.n_problems,
                                          self.variances)
        else:
            for c in range(self.n_problems):
                offset = c * self.class_stride * self.itemsize
                self.primitives.products(row.values, row.columns, row.n, self.w + offset,
                                         self.s + offset if self.s != NULL else NULL, &products)
                self.margins[c] = products.margin
                self.variances[c] = products.variance
        self.squared_norm = self.extended_squared_norm = products.squared_norm
        if self.intercept:
            self.extended_squared_norm += self.constant
            for c in range(self.n_problems):
                self.margins[c] += self.b[c]
                if self.s != NULL:
                    self.variances[c] += self.s_b[c]

    cdef void prepare(self) noexcept nogil:
        """Prepare the update on the current sample; margins may change."""

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        """Return ``x'S x`` of the current sample."""
        return self.variances[c] if self.s != NULL else self.extended_squared_norm

    cdef void step(self, const Row *row, Py_ssize_t c, double alpha, double beta) noexcept nogil:
        """Set ``w += alpha * S x`` and ``S -= beta * S x x'S`` in problem c."""
        # Before the variances change.
        if self.averaged and self.lag != 0.0:
            self.add(row, c, alpha * self.lag, 0.0, self.w_sum, self.b_sum)
        self.add(row, c, alpha, beta, self.w, self.b)

    cdef void steps(self, const Row *row, const double *alphas, const double *betas,
                    Py_ssize_t n_taken) noexcept nogil:
        """Make a ``step`` in every problem whose alpha is not 0."""
        cdef Py_ssize_t c
        cdef double *lagged = self.margins + 2 * self.n_problems
        cdef double *zeros = lagged + self.n_problems
        if row.columns == NULL or n_taken <= 2:
            for c in range(self.n_problems):
                if alphas[c] != 0.0:
                    self.step(row, c, alphas[c], betas[c])
            return
        if self.averaged and self.lag != 0.0:
            for c in range(self.n_problems):
                lagged[c] = alphas[c] * self.lag
            self.primitives.add_all(lagged, zeros, row.values, row.columns, row.n, self.w_sum,
                                    self.s, self.n_problems)
        self.primitives.add_all(alphas, betas, row.values, row.columns, row.n, self.w, self.s,
                                self.n_problems)
        if self.intercept:
            for c in range(self.n_problems):
                if alphas[c] == 0.0:
                    continue
                if self.s != NULL:
                    if self.averaged:
                        self.add_variances(c, alphas[c] * self.lag, 0.0, self.b_sum)
                    self.add_variances(c, alphas[c], betas[c], self.b)
                else:
                    if self.averaged:
                        self.b_sum[c] += self.constant * alphas[c] * self.lag
                    self.b[c] += self.constant * alphas[c]

    cdef void follow(self, const Row *row) noexcept nogil:
        """Update what changes with every sample, after the steps."""

    cdef void select(self, Py_ssize_t region) noexcept nogil:
        """Use the weights of a region; those of all regions are contiguous."""
        cdef Py_ssize_t n = self.n_problems * (region - self.region)
        cdef Py_ssize_t n_bytes = n * self.n_features * self.itemsize
        self.w += n_bytes
        self.b += n
        if self.averaged:
            self.w_sum += n_bytes
            self.b_sum += n
        if self.s != NULL:
            self.s += n_bytes
            self.s_b += n
        self.region = region

    cdef void add(self, const Row *row, Py_ssize_t c, double alpha, double beta, char *w,
                  double *b) noexcept nogil:
        cdef Py_ssize_t offset = c * self.class_stride * self.itemsize
        self.primitives.add(alpha, beta, row.values, row.columns, row.n, w + offset,
                            self.s + offset if self.s != NULL else NULL, self.feature_stride)
        if not self.intercept:
            return
        if self.s != NULL:
            self.add_variances(c, alpha, beta, b)
        else:
            b[c] += self.constant * alpha

    cdef void add_variances(self, Py_ssize_t c, double alpha, double beta,
                            double *b) noexcept nogil:
        """``add`` for an intercept with a variance."""
        b[c] += alpha * self.s_b[c]
        # Positive, as in the primitives.
        self.s_b[c] *= max(1.0 - beta * self.s_b[c], DBL_EPSILON)


cdef class FullWeights(Weights):
    """Weights with a full covariance, which includes the intercept as the last feature.

    Weights and covariance are float64 for float32 samples, too: the rounding errors of thousands
    of small subtractions would make a float32 matrix indefinite.

    ``covariance`` (n_problems, n, n), float64: n = n_features, or n_features + 1 with an
        intercept.
    ``single``: whether the samples are float32.
    ``start_variance``: the initial covariance is this times the identity.
    """

    def __init__(self, coef, intercept, covariance, bint fit_intercept, bint sparse, bint single,
                 double start_variance):
        self._set_arrays(coef, intercept, fit_intercept, False)
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
        cdef simd_products products
        if row.columns != NULL:
            for k in range(self.n_features):
                self.x[k] = 0.0
        for k in range(row.n):
            self.x[k if row.columns == NULL else row.columns[k]] = value_of(row, k, self.single)
        if self.intercept:
            self.x[self.n_features] = 1.0
        for c in range(self.n_problems):
            self.primitives.products(self.x, NULL, self.n_features,
                                     self.w + c * self.n_features * sizeof(double), NULL,
                                     &products)
            self.margins[c] = products.margin + (self.b[c] if self.intercept else 0.0)
        self.squared_norm = self.extended_squared_norm = products.squared_norm
        if self.intercept:
            self.extended_squared_norm += 1.0

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        cdef double variance = table().covariance_times(
            self.S + c * self.n_inputs * self.n_inputs, self.x, self.u, self.n_inputs
        )
        # |S x|^2 <= start_variance x'S x. If it is larger, rounding errors have made S indefinite
        # along x, and no step is made.
        if (self.primitives.squared_norm(self.u, self.n_inputs)
                > 2.0 * self.start_variance * variance):
            variance = 0.0
        self.variances[c] = variance
        return variance

    cdef void step(self, const Row *row, Py_ssize_t c, double alpha, double beta) noexcept nogil:
        """Make a step with S x of the last ``variance_of``, which must be of the same problem."""
        self.primitives.add(alpha, 0.0, self.u, NULL, self.n_features,
                            self.w + c * self.n_features * sizeof(double), NULL, 1)
        if self.intercept:
            self.b[c] += alpha * self.u[self.n_features]
        if beta != 0.0:
            table().covariance_shrink(beta, self.u, self.S + c * self.n_inputs * self.n_inputs,
                                      self.n_inputs)


cdef class AdvisedWeights(Weights):
    """Weights r + scale w that each sample moves towards the advice r (Kunapuli et al. 2010).

    ``v <- decay v + (1 - decay) r`` of the weights v is ``scale <- decay scale``; then comes the
    step of the update rule.

    ``coef``, ``intercept``: arrays of w and its intercept, as for ``Weights``.
    ``advice``, ``intercept_advice``: r and its intercept, of the same shapes.
    ``scale`` (1,), float64.
    ``decay``: in [0, 1].
    ``refinement``: updates r after each sample.
    """

    def __init__(self, coef, intercept, advice, intercept_advice, scale, double decay,
                 bint fit_intercept, bint sparse, Refinement refinement=None):
        self._set_arrays(coef, intercept, fit_intercept, sparse)
        _check_order(advice, sparse)
        margins = np.zeros((3, self.n_problems))
        self.arrays += (advice, intercept_advice, scale, margins)
        self.r = <char *>_data(advice)
        self.r_b = <double *>address(intercept_advice)
        self.scale = <double *>address(scale)
        self.decay = decay
        # 10^9 of the longest steps, divided by it, stay finite.
        self.min_scale = 1e-9 if self.single else 1e-100
        self.advice_margins = <double *>address(margins)
        self.own_margins = self.advice_margins + self.n_problems
        self.lengths = self.own_margins + self.n_problems
        self.n_vectors = 2 * self.n_problems
        self.refinement = refinement
        if refinement is not None:
            self.follows, self.n_repeats = True, refinement.n_alternations - 1
            self.extra_cost = self.n_problems * refinement.n_alternations * refinement.cost

    cdef void look(self, const Row *row) noexcept nogil:
        cdef simd_products products
        cdef Py_ssize_t c
        Weights.look(self, row)
        if self.n_problems == 1:
            self.primitives.products(row.values, row.columns, row.n, self.r, NULL, &products)
            self.advice_margins[0] = products.margin
        else:
            self.primitives.margins(row.values, row.columns, row.n, self.r, self.class_stride,
                                    self.n_problems, self.advice_margins)
        for c in range(self.n_problems):
            self.own_margins[c] = self.margins[c]
            self.advice_margins[c] += self.r_b[c]
            self.margins[c] = self.advice_margins[c] + self.scale[0] * self.own_margins[c]

    cdef void prepare(self) noexcept nogil:
        cdef Py_ssize_t c
        self.scale[0] *= self.decay
        for c in range(self.n_problems):
            self.margins[c] = self.advice_margins[c] + self.scale[0] * self.own_margins[c]
        if self.scale[0] < self.min_scale:
            self.primitives.multiply(self.scale[0], self.w, self.n_problems * self.n_features)
            for c in range(self.n_problems):
                self.b[c] *= self.scale[0]
            self.scale[0] = 1.0

    cdef void step(self, const Row *row, Py_ssize_t c, double alpha, double beta) noexcept nogil:
        self.lengths[c] = alpha
        self.add(row, c, alpha / self.scale[0], 0.0, self.w, self.b)

    cdef void steps(self, const Row *row, const double *alphas, const double *betas,
                    Py_ssize_t n_taken) noexcept nogil:
        cdef Py_ssize_t c
        cdef const double *scaled = alphas
        if row.columns != NULL and n_taken > 2:
            # `Weights.steps` does not call `step`, which divides by the scale.
            for c in range(self.n_problems):
                self.lengths[c] = alphas[c]
                self.variances[c] = alphas[c] / self.scale[0]
            scaled = self.variances
        Weights.steps(self, row, scaled, betas, n_taken)

    cdef void follow(self, const Row *row) noexcept nogil:
        """Refine the advice; the weights r + scale w stay the same.

        If the steps will be made again, undo them, and let c = nu v + (1 - nu) r follow the
        advice, where v are the weights before the sample.
        """
        cdef Py_ssize_t c, j
        cdef double *values = self.refinement.values
        cdef bint last = self.refinement.alternation == self.n_repeats
        for c in range(self.n_problems):
            for j in range(self.refinement.n_columns):
                values[j] = self.weight_at(c, j)
            self.refinement.refine(c)
            if not last and self.lengths[c] != 0.0:
                self.add(row, c, -self.lengths[c] / self.scale[0], 0.0, self.w, self.b)
            self.lengths[c] = 0.0
            for j in range(self.refinement.n_columns):
                self.move_advice(c, j, values[j], 1.0 if last else self.decay)
        self.refinement.alternation = 0 if last else self.refinement.alternation + 1
        if not last:
            self.look(row)

    cdef double weight_at(self, Py_ssize_t c, Py_ssize_t j) noexcept nogil:
        """Return the weight of column j of the refinement."""
        cdef Py_ssize_t at
        if self.refinement.intercept and j == self.refinement.n_columns - 1:
            return self.r_b[c] + self.scale[0] * self.b[c]
        at = c * self.class_stride + self.refinement.columns[j] * self.feature_stride
        if self.single:
            return (<float *>self.r)[at] + self.scale[0] * (<float *>self.w)[at]
        return (<double *>self.r)[at] + self.scale[0] * (<double *>self.w)[at]

    cdef void move_advice(self, Py_ssize_t c, Py_ssize_t j, double value,
                          double share) noexcept nogil:
        """Set the advice of column j; w compensates for this share of the change."""
        cdef Py_ssize_t at
        if self.refinement.intercept and j == self.refinement.n_columns - 1:
            self.b[c] -= share * (value - self.r_b[c]) / self.scale[0]
            self.r_b[c] = value
            return
        at = c * self.class_stride + self.refinement.columns[j] * self.feature_stride
        if self.single:
            value = <float>value
            (<float *>self.w)[at] -= <float>(
                share * (value - (<float *>self.r)[at]) / self.scale[0])
            (<float *>self.r)[at] = <float>value
        else:
            (<double *>self.w)[at] -= share * (value - (<double *>self.r)[at]) / self.scale[0]
            (<double *>self.r)[at] = value


def zeros(shape, dtype, order="C"):
    """Return zeros, aligned to a cache line and with another cache line behind their end.

    The order is that of the last two axes; a first of three axes is contiguous.
    """
    n_bytes = math.prod(shape) * np.dtype(dtype).itemsize
    memory = aligned_bytes(n_bytes, CACHE_LINE).view(dtype)
    if order == "C":
        return memory.reshape(shape)
    *first, n, m = shape
    return memory.reshape(*first, m, n).swapaxes(-1, -2)


cdef _check_order(array, bint sparse):
    # The loops have no strides, and access whole vectors at the end.
    if not (array.swapaxes(-1, -2) if sparse else array).flags.c_contiguous:
        raise ValueError(f"an array is not in {'Fortran' if sparse else 'C'} order")
    memory = array.base
    if not (isinstance(memory, np.ndarray) and memory.flags.c_contiguous
            and <size_t>_data(array) + array.nbytes + CACHE_LINE
            <= <size_t>address(memory) + memory.nbytes):
        raise ValueError("an array has no room behind its end; allocate it with zeros()")


cdef void *_data(array) except? NULL:
    return address(array if array.flags.c_contiguous else array.swapaxes(-1, -2))
