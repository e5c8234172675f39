"""Online k-means (MacQueen 1967): centers that are the means of the samples assigned to them.

The first distinct samples become centers. Each later sample x moves its nearest center c,

    c <- c + (x - c) / n,

n the number of samples assigned to c so far, x included. A center is stored as a scalar times a
vector, so that a sparse sample costs only its nonzeros.

Distances of sparse samples are computed from products. Those that differ by no more than their
rounding errors are computed again, like those of dense samples, so that ties have one result.

The ``coefficients`` of the nearest centers are their inverse distances, scaled to sum to 1, with
which the models of neighboring regions are interpolated.
"""
from libc.float cimport DBL_EPSILON, FLT_EPSILON
from libc.math cimport fabs, sqrt
from libc.stdint cimport int8_t, int64_t
from libc.string cimport memcpy, memset

from ..memory cimport address
from ..simd.primitives cimport table
from .rows cimport Row, Rows, row_of, rows_of, value_of

import numpy as np

# A smaller scale is multiplied into its vector.
cdef double MIN_SCALE = 1.0 / 1024.0


cdef class OnlineKMeans:
    """Centers of online k-means.

    ``vectors`` (n_centers, n_features), float32 or float64: C order for dense samples, Fortran
        order for sparse ones.
    ``scales``, ``squared_norms`` (n_centers,), float64: scalar factors of the vectors; squared
        norms of the products.
    ``counts`` (n_centers,), int64: number of samples assigned to each center; 0 for centers that
        do not exist yet.
    ``n_neighbors``: number of nearest centers that ``assign`` finds.
    ``sparse``: whether the samples are sparse.
    """

    def __init__(self, vectors, scales, squared_norms, counts, Py_ssize_t n_neighbors,
                 bint sparse):
        self.arrays = (vectors, scales, squared_norms, counts)
        self.n_centers, self.n_features = vectors.shape
        self.sparse = sparse
        self.single = vectors.dtype == np.float32
        self.itemsize = vectors.itemsize
        self.rounding = 16.0 * (FLT_EPSILON if self.single else DBL_EPSILON)
        self.primitives = table().linear_f32 if self.single else table().linear_f64
        if not (vectors.flags.f_contiguous if sparse else vectors.flags.c_contiguous):
            raise ValueError(f"vectors must be in {'Fortran' if sparse else 'C'} order")
        self.vectors = <char *>address(vectors.T if sparse else vectors)
        self.center_stride = 1 if sparse else self.n_features
        self.feature_stride = self.n_centers if sparse else 1
        self.scales = <double *>address(scales)
        self.squared_norms = <double *>address(squared_norms)
        self.counts = <int64_t *>address(counts)
        self.n_neighbors = min(n_neighbors, self.n_centers)
        nearest = np.zeros(self.n_neighbors, dtype=np.intp)
        numbers = np.zeros((3, self.n_centers))
        # For sparse samples: marks of centers, and a dense sample and center.
        is_close = np.zeros(self.n_centers, dtype=np.int8)
        pair = np.zeros((2, self.n_features if sparse else 0), dtype=vectors.dtype)
        self.buffers = (nearest, numbers, is_close, pair)
        self.is_close = <int8_t *>address(is_close)
        self.dense_row = <char *>address(pair)
        self.dense_center = self.dense_row + self.n_features * self.itemsize
        self.nearest = <Py_ssize_t *>address(nearest)
        self.products = <double *>address(numbers)
        self.distances = self.products + self.n_centers
        self.coefficients = self.distances + self.n_centers

    cdef void assign(self, const Row *row, double squared_norm, bint may_add) noexcept nogil:
        """Find the nearest centers; with ``may_add`` a new sample may become a center."""
        cdef Py_ssize_t k
        # Restored counts may be smaller or larger than before.
        while self.n_active and self.counts[self.n_active - 1] == 0:
            self.n_active -= 1
        while self.n_active < self.n_centers and self.counts[self.n_active] > 0:
            self.n_active += 1
        self.is_new = False
        if may_add and self.n_active < self.n_centers:
            for k in range(self.n_active):
                if self._equals(k, row):
                    break
            else:
                k, self.is_new = self.n_active, True
            self.n_nearest, self.nearest[0], self.coefficients[0] = 1, k, 1.0
            return
        self.n_nearest = 0
        if self.n_active > 0:
            self._compute_distances(row, squared_norm)
            self._select_nearest()
            if row.columns != NULL and self._mark_close(squared_norm):
                self._compute_like_dense(row)
                self._select_nearest()

    cdef void _compute_distances(self, const Row *row, double squared_norm) noexcept nogil:
        cdef Py_ssize_t k
        cdef double distance, norms
        if row.columns == NULL:
            self.primitives.distances(row.values, self.vectors, self.scales, self.n_active, row.n,
                                      self.distances)
            return
        self.primitives.margins(row.values, row.columns, row.n, self.vectors, 1, self.n_centers,
                                self.products)
        for k in range(self.n_active):
            norms = squared_norm + self.squared_norms[k]
            distance = norms - 2.0 * self.scales[k] * self.products[k]
            # Not larger than the rounding error: 0.
            self.distances[k] = distance if distance > self.rounding * norms else 0.0

    cdef bint _mark_close(self, double squared_norm) noexcept nogil:
        """Mark centers that rounding might have sorted wrongly; return whether there are any."""
        cdef Py_ssize_t i, j, k
        cdef double norms
        cdef bint found = False
        for k in range(self.n_active):
            self.is_close[k] = False
        for k in range(self.n_active):
            for i in range(self.n_nearest):
                j = self.nearest[i]
                norms = squared_norm + max(self.squared_norms[j], self.squared_norms[k])
                if j != k and fabs(self.distances[j] - self.distances[k]) <= self.rounding * norms:
                    self.is_close[j] = self.is_close[k] = found = True
        return found

    cdef void _compute_like_dense(self, const Row *row) noexcept nogil:
        """Compute the distances of marked centers as those of dense samples, to the last bit."""
        cdef Py_ssize_t i, j, k, size = self.itemsize
        for i in range(row.n):
            memcpy(self.dense_row + row.columns[i] * size,
                   <const char *>row.values + i * size, size)
        for k in range(self.n_active):
            if self.is_close[k]:
                for j in range(self.n_features):
                    memcpy(self.dense_center + j * size,
                           self.vectors + (j * self.feature_stride + k) * size, size)
                self.primitives.distances(self.dense_row, self.dense_center, &self.scales[k], 1,
                                          self.n_features, &self.distances[k])
        for i in range(row.n):
            memset(self.dense_row + row.columns[i] * size, 0, size)

    cdef void _select_nearest(self) noexcept nogil:
        """Sort the nearest centers by distance, then by index, and compute their coefficients."""
        cdef Py_ssize_t i, k, n = 0
        cdef double total = 0.0
        for k in range(self.n_active):
            if n == self.n_neighbors and self.distances[k] >= self.distances[self.nearest[n - 1]]:
                continue
            i = n if n < self.n_neighbors else n - 1
            while i > 0 and self.distances[k] < self.distances[self.nearest[i - 1]]:
                self.nearest[i] = self.nearest[i - 1]
                i -= 1
            self.nearest[i] = k
            n = n + 1 if n < self.n_neighbors else n
        self.n_nearest = n
        self.coefficients[0] = 1.0
        if n == 1:
            return
        if self.distances[self.nearest[0]] == 0.0:
            self.n_nearest = 1
            return
        for i in range(n):
            # Relative to the smallest distance, to avoid overflow.
            self.coefficients[i] = sqrt(
                self.distances[self.nearest[0]] / self.distances[self.nearest[i]])
            total += self.coefficients[i]
        for i in range(n):
            self.coefficients[i] /= total

    cdef bint _equals(self, Py_ssize_t k, const Row *row) noexcept nogil:
        """Return whether center k, which has not moved yet, equals the sample."""
        cdef Py_ssize_t i, j, n_nonzero = 0
        cdef double value
        for i in range(row.n):
            value = value_of(row, i, self.single)
            if value != self._value(k, i if row.columns == NULL else row.columns[i]):
                return False
            n_nonzero += value != 0.0
        if row.columns != NULL:
            for j in range(self.n_features):
                n_nonzero -= self._value(k, j) != 0.0
        return row.columns == NULL or n_nonzero == 0

    cdef double _value(self, Py_ssize_t k, Py_ssize_t j) noexcept nogil:
        cdef Py_ssize_t at = k * self.center_stride + j * self.feature_stride
        return (<float *>self.vectors)[at] if self.single else (<double *>self.vectors)[at]

    cdef void update(self, const Row *row, double squared_norm) noexcept nogil:
        """Move the nearest center towards the sample assigned last."""
        cdef Py_ssize_t k
        cdef double rate, scale
        if self.n_nearest == 0:
            return
        k = self.nearest[0]
        self.counts[k] += 1
        if self.n_active < self.n_centers:
            # The first sample of this center, or an equal one, which does not move it.
            if self.is_new:
                self._add(row, k, 1.0)
                self.scales[k] = 1.0
                self.squared_norms[k] = squared_norm
            return
        rate = 1.0 / <double>self.counts[k]
        # Squared norm of (1 - rate) c + rate x; rounding may make it negative.
        self.squared_norms[k] += rate * (squared_norm - self.squared_norms[k]) \
            - rate * (1.0 - rate) * self.distances[k]
        if self.squared_norms[k] < 0.0:
            self.squared_norms[k] = 0.0
        scale = self.scales[k] * (1.0 - rate)
        self._add(row, k, rate / scale)
        self.scales[k] = scale
        if scale < MIN_SCALE:
            self._apply_scale(k)

    cdef void _add(self, const Row *row, Py_ssize_t k, double step) noexcept nogil:
        self.primitives.add(step, 0.0, row.values, row.columns, row.n,
                            self.vectors + k * self.center_stride * self.itemsize, NULL,
                            self.feature_stride)

    cdef void _apply_scale(self, Py_ssize_t k) noexcept nogil:
        cdef Py_ssize_t j, at
        cdef double scale = self.scales[k]
        for j in range(self.n_features):
            at = k * self.center_stride + j * self.feature_stride
            if self.single:
                (<float *>self.vectors)[at] = <float>(scale * (<float *>self.vectors)[at])
            else:
                (<double *>self.vectors)[at] *= scale
        self.scales[k] = 1.0

    def near_rows(self, X):
        """Find the nearest centers of each sample.

        ``X`` (n_samples, n_features), or (data, indices, indptr).

        Returns ``nearest`` (n_samples, n_neighbors), intp: in ascending order of distance, padded
        with -1: a sample that equals a center has no other. ``coefficients`` (n_samples,
        n_neighbors), float64: their coefficients, which sum to 1 for each sample.
        """
        cdef Rows rows = rows_of(X, self.n_features, self.single)
        cdef Row row
        cdef Py_ssize_t i, m
        nearest = np.full((rows.n, self.n_neighbors), -1, dtype=np.intp)
        coefficients = np.zeros((rows.n, self.n_neighbors))
        cdef Py_ssize_t[:, ::1] all_nearest = nearest
        cdef double[:, ::1] all_coefficients = coefficients
        with nogil:
            for i in range(rows.n):
                row_of(&rows, i, &row)
                self.assign(&row, self.primitives.squared_norm(row.values, row.n), False)
                for m in range(self.n_nearest):
                    all_nearest[i, m] = self.nearest[m]
                    all_coefficients[i, m] = self.coefficients[m]
        return nearest, coefficients
