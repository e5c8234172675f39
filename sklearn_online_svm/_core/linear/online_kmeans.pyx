"""Online k-means (MacQueen 1967): centres that are the means of the rows they were next to.

The first distinct rows become centres. Every later row is looked at first and followed when it has
been learnt: the nearest centre moves, ``c += (x - c) / n``, n the rows it has followed. It is kept
as a number times a vector, so that a sparse row costs its nonzeros.
"""
from libc.float cimport DBL_EPSILON, FLT_EPSILON
from libc.math cimport sqrt
from libc.stdint cimport int64_t

from ..memory cimport address
from ..simd.primitives cimport table
from .rows cimport Row, Rows, row_of, rows_of

import numpy as np

# Where the number falls below it, it is multiplied into the vector.
cdef double LEAST_SCALE = 1.0 / 1024.0


cdef class OnlineKMeans:
    """OnlineKMeans next to rows.

    Parameters
    ----------
    vectors : ndarray of shape (n_centres, n_features), float32 or float64
        C order for dense rows, Fortran order for sparse ones.
    scales, squared_norms : ndarray of shape (n_centres,), float64
        What the vectors are multiplied with; the squared norms of the products.
    counts : ndarray of shape (n_centres,), int64
        Rows that each centre has followed; those without any are not there yet.
    n_neighbors : int
        How many of them a row is to know.
    sparse : bool
        What the rows are.
    """

    def __init__(self, vectors, scales, squared_norms, counts, Py_ssize_t n_neighbors,
                 bint sparse):
        self.arrays = (vectors, scales, squared_norms, counts)
        self.n_centres, self.n_features = vectors.shape
        self.sparse = sparse
        self.single = vectors.dtype == np.float32
        self.itemsize = vectors.itemsize
        self.leaf = table().linear_f32 if self.single else table().linear_f64
        if not (vectors.flags.f_contiguous if sparse else vectors.flags.c_contiguous):
            raise ValueError("the order of the centres does not fit the rows")
        self.c = <char *>address(vectors.T if sparse else vectors)
        self.apart = 1 if sparse else self.n_features
        self.stride = self.n_centres if sparse else 1
        self.scales = <double *>address(scales)
        self.squared_norms = <double *>address(squared_norms)
        self.counts = <int64_t *>address(counts)
        self.n_neighbors = min(n_neighbors, self.n_centres)
        near = np.zeros(self.n_neighbors, dtype=np.intp)
        numbers = np.zeros((3, self.n_centres))
        self.buffers = (near, numbers)
        self.near = <Py_ssize_t *>address(near)
        self.products = <double *>address(numbers)
        self.distances = self.products + self.n_centres
        self.shares = self.distances + self.n_centres

    # -------------------------------------------------------------------------- looking

    cdef void look(self, const Row *row, double squared_norm, bint may_open) noexcept nogil:
        """Find the centres next to a row; if it may open one and is a new one, that."""
        cdef Py_ssize_t k
        # The counts may have been put back, too.
        while self.n_open and self.counts[self.n_open - 1] == 0:
            self.n_open -= 1
        while self.n_open < self.n_centres and self.counts[self.n_open] > 0:
            self.n_open += 1
        self.opens = False
        if may_open and self.n_open < self.n_centres:
            self.opens = True
            for k in range(self.n_open):
                if self._is(k, row):
                    self.opens = False
                    break
            else:
                k = self.n_open
            self.n_near = 1
            self.near[0] = k
            self.shares[0] = 1.0
            return
        if self.n_open == 0:
            self.n_near = 0
            return
        self._measure(row, squared_norm)
        self._choose()

    cdef void _measure(self, const Row *row, double squared_norm) noexcept nogil:
        """Squared distances of all centres."""
        cdef Py_ssize_t k
        cdef double distance, both, blur = 16.0 * (FLT_EPSILON if self.single else DBL_EPSILON)
        if row.columns == NULL:
            self.leaf.distances_dense(row.values, self.c, self.scales, self.n_open, row.n,
                                      self.distances)
            return
        self.leaf.margins_sparse(row.values, row.columns, row.n, self.c, self.n_centres,
                                 self.products)
        for k in range(self.n_open):
            both = squared_norm + self.squared_norms[k]
            distance = both - 2.0 * self.scales[k] * self.products[k]
            # What rounding leaves of 0 is 0.
            self.distances[k] = distance if distance > blur * both else 0.0

    cdef void _choose(self) noexcept nogil:
        """The nearest centres, of those at the same distance the first ones.

        A centre counts by the inverse of its distance, and alone where that is 0."""
        cdef Py_ssize_t i, k, n = 0
        cdef double total = 0.0
        for k in range(self.n_open):
            if n == self.n_neighbors and self.distances[k] >= self.distances[self.near[n - 1]]:
                continue
            i = n if n < self.n_neighbors else n - 1
            while i > 0 and self.distances[k] < self.distances[self.near[i - 1]]:
                self.near[i] = self.near[i - 1]
                i -= 1
            self.near[i] = k
            n = n + 1 if n < self.n_neighbors else n
        self.n_near = n
        self.shares[0] = 1.0
        if n == 1:
            return
        if self.distances[self.near[0]] == 0.0:
            self.n_near = 1
            return
        for i in range(n):
            # Of the nearest, so that no quotient is beyond the range of numbers.
            self.shares[i] = sqrt(self.distances[self.near[0]] / self.distances[self.near[i]])
            total += self.shares[i]
        for i in range(n):
            self.shares[i] /= total

    cdef bint _is(self, Py_ssize_t k, const Row *row) noexcept nogil:
        """Whether a centre that has followed only one row, and its like, is that row."""
        cdef Py_ssize_t i, j, n = 0
        cdef double value
        for i in range(row.n):
            j = i if row.columns == NULL else row.columns[i]
            value = (<const float *>row.values)[i] if self.single \
                else (<const double *>row.values)[i]
            if value != self._value(k, j):
                return False
            n += value != 0.0
        if row.columns != NULL:
            for j in range(self.n_features):
                n -= self._value(k, j) != 0.0
        return row.columns == NULL or n == 0

    cdef double _value(self, Py_ssize_t k, Py_ssize_t j) noexcept nogil:
        cdef Py_ssize_t at = k * self.apart + j * self.stride
        return (<float *>self.c)[at] if self.single else (<double *>self.c)[at]

    # -------------------------------------------------------------------------- following

    cdef void follow(self, const Row *row, double squared_norm) noexcept nogil:
        """The centre nearest to the row looked at last moves towards it."""
        cdef Py_ssize_t k
        cdef double part, scale
        if self.n_near == 0:
            return
        k = self.near[0]
        self.counts[k] += 1
        if self.n_open < self.n_centres:
            # Its first row, or one like it.
            if self.opens:
                self._add(row, k, 1.0)
                self.scales[k] = 1.0
                self.squared_norms[k] = squared_norm
            return
        part = 1.0 / <double>self.counts[k]
        # Of the squared norm of (1 - a) c + a x; positive but for rounding.
        self.squared_norms[k] += part * (squared_norm - self.squared_norms[k]) \
            - part * (1.0 - part) * self.distances[k]
        if self.squared_norms[k] < 0.0:
            self.squared_norms[k] = 0.0
        scale = self.scales[k] * (1.0 - part)
        self._add(row, k, part / scale)
        self.scales[k] = scale
        if scale < LEAST_SCALE:
            self._fold(k)

    cdef void _add(self, const Row *row, Py_ssize_t k, double step) noexcept nogil:
        cdef char *at = self.c + k * self.apart * self.itemsize
        if row.columns == NULL:
            self.leaf.add_dense(step, row.values, at, row.n)
        else:
            self.leaf.add_sparse(step, row.values, row.columns, row.n, at, self.stride)

    cdef void _fold(self, Py_ssize_t k) noexcept nogil:
        cdef Py_ssize_t j, at
        cdef double scale = self.scales[k]
        for j in range(self.n_features):
            at = k * self.apart + j * self.stride
            if self.single:
                (<float *>self.c)[at] = <float>(scale * (<float *>self.c)[at])
            else:
                (<double *>self.c)[at] *= scale
        self.scales[k] = 1.0

    # -------------------------------------------------------------------------- for Python

    def near_rows(self, X):
        """The centres next to each row.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_features), or tuple (data, indices, indptr)

        Returns
        -------
        near : ndarray of shape (n_rows, n_neighbors), intp
            The nearest first; -1 behind them where there are fewer: a row that is a centre has no
            other.
        shares : ndarray of shape (n_rows, n_neighbors), float64
            What they count; they sum to 1.
        """
        cdef Rows rows = rows_of(X, self.n_features, self.single)
        cdef Row row
        cdef Py_ssize_t i, m
        near = np.full((rows.n, self.n_neighbors), -1, dtype=np.intp)
        shares = np.zeros((rows.n, self.n_neighbors))
        cdef Py_ssize_t[:, ::1] all_near = near
        cdef double[:, ::1] all_shares = shares
        with nogil:
            for i in range(rows.n):
                row_of(&rows, i, &row)
                self.look(&row, self.leaf.squared_norm(row.values, row.n), False)
                for m in range(self.n_near):
                    all_near[i, m] = self.near[m]
                    all_shares[i, m] = self.shares[m]
        return near, shares
