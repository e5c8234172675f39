"""Dictionary expansions; the contract is in the ``.pxd``.

S changes with nearly every sample. Subtracting each change at once would read and write the whole
matrix. Instead, the changes of a block are kept as columns and subtracted at its end by a product
of matrices; S z is computed for all samples at the beginning of the block, and corrected by the
columns.

References: kernel recursive least squares (Engel, Mannor and Meir 2004) have the same dictionary
and covariance with a squared loss.
"""
from libc.math cimport sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from scipy.linalg.cython_blas cimport daxpy, ddot, dgemv, dscal, dsymm, dsyrk, dtrmm, dtrmv

from ...linear.rows cimport Dataset, Row
from ...memory cimport address
from ...simd.primitives cimport SIMD_BLOCK
from .expansion cimport KernelExpansion
from ..vectors.stores cimport Store

import numpy as np

# Room for vectors in an empty dictionary, if it may have as many; doubled when it is full.
cdef enum:
    LEAST_CAPACITY = 512


cdef class DictionaryExpansion(KernelExpansion):
    """Functions w_c.z(x) of the coordinates z in the span of a dictionary, initially 0.

    ``store``: empty.
    ``most``: maximum number of vectors.
    ``threshold``: a sample joins the dictionary with its first step if its squared distance from
        the span of the dictionary is larger than this times K(x, x).
    ``decay``: in (0, 1].
    """

    def __init__(self, Store store, Py_ssize_t n_problems, Py_ssize_t most, double threshold,
                 double decay):
        super().__init__(store, n_problems)
        self.most, self.threshold, self.decay = most, threshold, decay
        self.faded = 1.0
        self.second_order = True
        self.n_absent = max(2, n_problems)
        self.reserve(min(most, LEAST_CAPACITY))

    cdef reserve(self, Py_ssize_t capacity):
        """Make room for this many vectors. Changes of S have been applied."""
        cdef Py_ssize_t n = self.n_slots, n_problems = self.n_problems
        basis = np.zeros((capacity, capacity))
        covariance = np.zeros((n_problems, capacity, capacity))
        weights = np.zeros((n_problems, capacity))
        if n:
            basis[:n, :n] = self.basis_array[:n, :n]
            covariance[:, :n, :n] = self.covariance_array[:, :n, :n]
            weights[:, :n] = self.weights_array[:, :n]
        rows = np.zeros((SIMD_BLOCK + n_problems, capacity))
        steps = np.zeros((2, n_problems, SIMD_BLOCK, capacity))
        products, counts = np.zeros(SIMD_BLOCK), np.zeros(n_problems, dtype=np.intc)
        # Nothing changes if there is not enough memory for one of the arrays.
        self.capacity = capacity
        self.basis_array, self.covariance_array, self.weights_array = basis, covariance, weights
        self.M = <double *>address(basis)
        self.S = <double *>address(covariance)
        self.weights = <double *>address(weights)
        self.buffer_arrays = (rows, steps, products, counts)
        self.Z, self.V = <double *>address(rows), <double *>address(steps)
        self.v = self.Z + SIMD_BLOCK * capacity
        self.U = self.V + n_problems * SIMD_BLOCK * capacity
        self.products, self.n_pending = <double *>address(products), <int *>address(counts)

    # -------------------------------------------------------------------------- a block

    cdef Py_ssize_t begin(self, Dataset dataset, Py_ssize_t position, Py_ssize_t stop) except -1:
        """Compute the coordinates of the next block, and S times them."""
        cdef Py_ssize_t c, r, s, last = KernelExpansion.begin(self, dataset, position, stop)
        cdef int m = <int>self.n_slots, n = <int>self.block.n, ld
        cdef double one = 1.0, zero = 0.0
        cdef const float *k
        if self.capacity < min(self.most, m + n):
            self.reserve(min(self.most, 2 * self.capacity))
        ld = <int>self.capacity
        self.n_at_begin = m
        if m == 0 or last == position:
            return last
        with nogil:
            for r in range(n):
                k = self.values_of(r)
                for s in range(m):
                    self.Z[r * ld + s] = k[s]
            # BLAS expects columns: the rows of these arrays are columns, lower triangles upper.
            dtrmm("L", "U", "T", "N", &m, &n, &one, self.M, &ld, self.Z, &ld)
            for c in range(self.n_problems):
                dsymm("L", "U", &m, &n, &one, self.S + c * ld * ld, &ld, self.Z, &ld, &zero,
                      self.V + c * SIMD_BLOCK * ld, &ld)
        return last

    cdef int end(self, Py_ssize_t position) except -1:
        with nogil:
            self.apply_changes()
        return KernelExpansion.end(self, position)

    cdef void apply_changes(self) noexcept nogil:
        """Apply the changes of w and S made in the block to the stored ones."""
        cdef Py_ssize_t c, s
        cdef int m = <int>self.n_slots, ld = <int>self.capacity, one = 1
        cdef double minus = -self.faded, root = sqrt(self.faded)
        cdef double *S
        for c in range(self.n_problems):
            if self.n_pending[c] == 0:
                if self.faded == 1.0:
                    continue
                memset(self.U + c * SIMD_BLOCK * ld, 0, ld * sizeof(double))
                self.n_pending[c] = 1
            S = self.S + c * ld * ld
            # S <- faded (S - U U').
            dsyrk("U", "N", &m, &self.n_pending[c], &minus, self.U + c * SIMD_BLOCK * ld, &ld,
                  &self.faded, S, &ld)
            self.n_pending[c] = 0
            if self.faded < 1.0:
                for s in range(m):
                    S[s * ld + s] += 1.0 - self.faded
                dscal(&m, &root, self.weights + c * ld, &one)
        self.faded = 1.0

    # -------------------------------------------------------------------------- a sample

    cdef void look(self, const Row *row) noexcept nogil:
        """Compute the coordinates of a sample, its margins, and its distance from the span."""
        cdef Py_ssize_t c, p, s, t, r = row.at - self.first
        cdef int m = <int>self.n_slots, one = 1
        cdef float *k = self.values_of(r)
        cdef const float *gram = self.block.scored.gram + r * self.block.scored.gram_ld
        cdef double *z = self.Z + r * self.capacity
        cdef double value, root = sqrt(self.faded)
        for p in range(self.n_here):
            k[self.slot_of[self.entered[p]]] = gram[self.entered[p]]
        # The coordinates of vectors that have been added in this block.
        for s in range(self.n_at_begin, m):
            value = 0.0
            for t in range(s + 1):
                value += self.M[s * self.capacity + t] * k[t]
            z[s] = value
            for c in range(self.n_problems):
                self.V[(c * SIMD_BLOCK + r) * self.capacity + s] = value
        self.z, self.place = z, r
        self.squared_norm = self.extended_squared_norm = gram[r]
        for c in range(self.n_problems):
            self.margins[c] = root * ddot(&m, z, &one, self.weights + c * self.capacity, &one)
        self.distance = max(0.0, self.squared_norm - ddot(&m, z, &one, z, &one))
        self.joins = (self.distance > self.threshold * self.squared_norm
                      and self.has_room_for(self.row_labels[self.block.rows[r]]))

    cdef bint has_room_for(self, int32_t label) noexcept nogil:
        """Return whether a sample of a class may join the dictionary.

        As long as other classes have no vector, each of them has its share of the room reserved,
        as the stream may be sorted by class.
        """
        cdef Py_ssize_t room = self.most - self.n_slots, n, n_others, share
        if room <= 0 or self.n_absent == 0:
            return room > 0
        n, share = self.count(label), self.most // max(2, self.n_problems)
        n_others = self.n_absent - (n == 0)
        return room > n_others * share or n < min(share, (room + n) // (n_others + 1))

    cdef Py_ssize_t count(self, int32_t label) noexcept nogil:
        """Return the number of vectors of a class."""
        cdef Py_ssize_t s, n = 0
        for s in range(self.n_slots):
            n += self.labels[s] == label
        return n

    cdef void prepare(self) noexcept nogil:
        """Move the model towards its initial state."""
        cdef Py_ssize_t c
        cdef double root = sqrt(self.decay)
        if self.decay < 1.0:
            self.faded *= self.decay
            for c in range(self.n_problems):
                self.margins[c] *= root

    cdef double variance_of(self, const Row *row, Py_ssize_t c) noexcept nogil:
        """Return the variance of the sample, ``z'S z`` plus its squared distance from the span.

        ``v`` contains S z afterwards.
        """
        cdef int m = <int>self.n_slots, ld = <int>self.capacity, one = 1
        cdef double *v = self.v + c * ld
        cdef double *U = self.U + c * SIMD_BLOCK * ld
        cdef double plus = 1.0, minus = -1.0, zero = 0.0, rest
        memcpy(v, self.V + (c * SIMD_BLOCK + self.place) * ld, m * sizeof(double))
        if self.n_pending[c]:
            dgemv("T", &m, &self.n_pending[c], &plus, U, &ld, self.z, &one, &zero, self.products,
                  &one)
            dgemv("N", &m, &self.n_pending[c], &minus, U, &ld, self.products, &one, &plus, v, &one)
        if self.faded < 1.0:
            dscal(&m, &self.faded, v, &one)
            rest = 1.0 - self.faded
            daxpy(&m, &rest, self.z, &one, v, &one)
        # S is positive definite; the rounding errors of its changes may make z'S z negative.
        return max(0.0, ddot(&m, v, &one, self.z, &one)) + self.distance

    cdef void step(self, const Row *row, Py_ssize_t c, double alpha, double beta) noexcept nogil:
        """Make a step with S z of the last ``variance_of`` of this problem and sample."""
        cdef int m, one = 1
        cdef double root = sqrt(max(0.0, beta) / self.faded)
        cdef double length = alpha / sqrt(self.faded)
        cdef double *v = self.v + c * self.capacity
        cdef double *u
        if self.joins:
            self.extend()
        m = <int>self.n_slots
        daxpy(&m, &length, v, &one, self.weights + c * self.capacity, &one)
        if beta > 0.0:
            u = self.U + (c * SIMD_BLOCK + self.n_pending[c]) * self.capacity
            memset(u, 0, self.capacity * sizeof(double))
            daxpy(&m, &root, v, &one, u, &one)
            self.n_pending[c] += 1
        self.stepped = True

    cdef void steps(self, const Row *row, const double *alphas, const double *betas,
                    Py_ssize_t n_taken) noexcept nogil:
        cdef Py_ssize_t c
        for c in range(self.n_problems):
            if alphas[c] != 0.0:
                self.step(row, c, alphas[c], betas[c])

    cdef void extend(self) noexcept nogil:
        """Add the sample to the dictionary: append a coordinate, along its distance."""
        cdef int m = <int>self.n_slots, ld = <int>self.capacity, one = 1
        cdef Py_ssize_t c, s, slot = self.enter(self.place)
        cdef double *basis = self.M + slot * ld
        cdef double length = sqrt(self.distance)
        if self.n_absent:
            self.n_absent -= self.count(self.labels[slot]) == 1
        # Row [-z'M, 1] / length.
        memcpy(basis, self.z, m * sizeof(double))
        dtrmv("U", "N", "N", &m, self.M, &ld, basis, &one)
        for s in range(m):
            basis[s] /= -length
        basis[m] = 1.0 / length
        self.z[m] = length
        for c in range(self.n_problems):
            self.S[(c * ld + m) * ld + m] = 1.0
            self.v[c * ld + m] = length
        self.joins = False

    cdef void follow(self, const Row *row) noexcept nogil:
        self.n_steps += self.stepped
        self.stepped = False

    # -------------------------------------------------------------------------- state

    def show(self, n_rows):
        """Return the solution used for predictions, computed if necessary."""
        if self.solution is None:
            self.set_coefficients()
        return KernelExpansion.show(self, n_rows)

    def set_coefficients(self):
        """Compute the coefficients of the vectors from the weights of the coordinates."""
        n = self.n_slots
        if n:
            self.coef_array[:, :n] = self.weights_array[:, :n] @ self.basis_array[:n, :n]

    @property
    def vectors(self):
        """Vectors of the dictionary, in the order of the slots."""
        return self.store.vectors(np.arange(self.n_slots))

    @property
    def basis(self):
        """Matrix M of shape (n_slots, n_slots): the coordinates of a sample are M k."""
        return self.basis_array[:self.n_slots, :self.n_slots].copy()

    @property
    def covariance(self):
        """Covariance of the coordinates, of shape (n_problems, n_slots, n_slots)."""
        lower = np.tril(self.covariance_array[:, :self.n_slots, :self.n_slots])
        return lower + np.tril(lower, -1).swapaxes(1, 2)

    def state(self):
        """Return copies of all arrays from which ``restore`` rebuilds the expansion."""
        n = self.n_slots
        self.set_coefficients()
        return {
            **KernelExpansion.state(self),
            "basis": self.basis_array[:n, :n].copy(),
            "covariance": self.covariance_array[:, :n, :n].copy(),
            "weights": self.weights_array[:, :n].copy(),
        }

    def restore(self, state):
        """Restore a result of ``state()`` into an empty expansion."""
        n = state["n_slots"]
        if n > self.capacity:
            self.reserve(n)
        KernelExpansion.restore(self, state)
        self.n_absent = max(0, self.n_absent - len(np.unique(state["labels"])))
        self.basis_array[:n, :n] = state["basis"]
        self.covariance_array[:, :n, :n] = state["covariance"]
        self.weights_array[:, :n] = state["weights"]
