"""Sums of pairs of classes, and votes; the contract is in the ``.pxd``.

A vector of class a has a coefficient in each of the n_classes - 1 pairs of a, of which usually
most are 0. A value is the sum over the vectors in the order (stretch, class, slot), the same for
any number of samples.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from ...memory cimport address, round_up
from ...simd.primitives cimport SIMD_BLOCK, table

import numpy as np

cdef enum:
    LANES = 8                       # numbers of functions and samples are padded to a multiple


@cython.final
cdef class ByClass:
    """The support vectors by class.

    ``coef`` (n_classes - 1, n_slots): rows as in ``SVC.dual_coef_``.
    ``labels`` (n_slots,) or less, int32: class codes.
    ``stretch``: number of slots whose kernel values are computed together.
    """

    def __init__(self, coef, labels, Py_ssize_t stretch):
        cdef Py_ssize_t v, row, n_slots = coef.shape[1], n_rows = coef.shape[0]
        # From about this number of samples on it is faster to add for one pair and all samples,
        # without the coefficients that are 0, than for one sample and all pairs of a class.
        self.min_block = min(max(n_rows + 1, 8), 32)
        slots = np.flatnonzero(coef.any(axis=0))
        n_stretches = (n_slots + stretch - 1) // stretch
        keys = slots // stretch * (n_rows + 1) + labels[slots]
        order = np.argsort(keys, kind="stable")
        slots, keys = slots[order], keys[order]
        begins = np.flatnonzero(np.diff(keys, prepend=-1))
        self.n_classes, self.width = n_rows + 1, round_up(n_rows, LANES)
        self.places, self.labels = (slots % stretch).astype(np.int32), labels[slots[begins]]
        self.begins = np.append(begins, len(slots)).astype(np.int64)
        self.first = np.searchsorted(
            keys[begins], np.arange(n_stretches + 1) * self.n_classes).astype(np.int64)
        by_slot = np.zeros((len(slots), self.width))
        cdef const double *rows = <const double *>address(coef)
        cdef const int64_t[::1] of_vector = slots.astype(np.int64)
        cdef double[:, ::1] columns = by_slot
        for v in range(len(of_vector)):
            for row in range(n_rows):
                columns[v, row] = rows[row * n_slots + of_vector[v]]
        self.coef = by_slot

    cdef PairSums new_sums(self, Py_ssize_t n_samples, Py_ssize_t ld):
        """Return sums for blocks of up to ``n_samples`` samples; ld as in :class:`PairSums`."""
        cdef PairSums sums = PairSums.__new__(PairSums)
        cdef Py_ssize_t size = min(n_samples, SIMD_BLOCK)
        if size >= self.min_block:
            size = round_up(size, LANES)
            sums.transposed = np.empty(size * ld, dtype=np.float32)
        sums.by_class, sums.ld = self, ld
        sums.sums = np.empty(self.n_classes * self.width * size)
        return sums


@cython.final
cdef class PairSums:
    cdef void clear(self, Py_ssize_t size) noexcept nogil:
        """Begin a block of samples."""
        cdef Py_ssize_t lanes = round_up(size, LANES) if size >= self.by_class.min_block else size
        cdef Py_ssize_t n = self.by_class.n_classes * self.by_class.width * lanes
        memset(&self.sums[0], 0, n * sizeof(double))

    cdef void add(self, const float *values, Py_ssize_t size, Py_ssize_t stretch,
                  Py_ssize_t n_slots) noexcept nogil:
        """Add the part of a stretch; ``values`` has a row of length ld for each sample.

        In a block there are rows of arbitrary numbers up to a multiple of ``LANES``.
        """
        cdef Py_ssize_t q, r, begin, n, lanes = round_up(size, LANES)
        cdef Py_ssize_t n_classes = self.by_class.n_classes, width = self.by_class.width
        cdef const int32_t *places
        cdef const double *coef
        cdef double *sums
        if size >= self.by_class.min_block:
            table().transpose(values, self.ld, lanes, n_slots, &self.transposed[0])
        for q in range(self.by_class.first[stretch], self.by_class.first[stretch + 1]):
            begin = self.by_class.begins[q]
            n = self.by_class.begins[q + 1] - begin
            places, coef = &self.by_class.places[begin], &self.by_class.coef[begin, 0]
            if size >= self.by_class.min_block:
                sums = &self.sums[0] + self.by_class.labels[q] * width * lanes
                table().functions_of_block(&self.transposed[0], lanes, places, coef, n, width,
                                           n_classes - 1, sums)
                continue
            for r in range(size):
                sums = &self.sums[0] + (r * n_classes + self.by_class.labels[q]) * width
                table().functions(values + r * self.ld, places, coef, n, width, sums)

    cdef void write(self, Py_ssize_t size, const double *bias, double *out) noexcept nogil:
        """Write the values of all pairs, (size, n_pairs)."""
        cdef Py_ssize_t n_classes = self.by_class.n_classes, width = self.by_class.width
        cdef Py_ssize_t n_pairs = n_classes * (n_classes - 1) // 2
        # Distances between samples and between pairs of a class.
        cdef Py_ssize_t step = n_classes * width, stride = 1, a, b, r, c = 0
        cdef const double *first
        cdef const double *second
        if size >= self.by_class.min_block:
            step, stride = 1, round_up(size, LANES)
        for a in range(n_classes):
            for b in range(a + 1, n_classes):
                first = &self.sums[(a * width + b - 1) * stride]
                second = &self.sums[(b * width + a) * stride]
                for r in range(size):
                    out[r * n_pairs + c] = bias[c] + (first[r * step] + second[r * step])
                c += 1


def votes_and_sums(const double[:, :] scores, Py_ssize_t n_classes, bint zero_is_first):
    """Return votes, and sums of decision values in favour, (n_samples, n_classes).

    ``scores`` are decision values of all pairs (a, b), a < b, positive in favour of a;
    ``zero_is_first``: whether a value of 0 is a vote for a.
    """
    cdef Py_ssize_t r, a, b, c, n = scores.shape[0]
    votes, sums = np.zeros((n, n_classes)), np.zeros((n, n_classes))
    cdef double[:, ::1] votes_of = votes, sums_of = sums
    cdef double value, is_first, votes_of_a, sum_of_a
    with nogil:
        for r in range(n):
            c = 0
            for a in range(n_classes):
                votes_of_a, sum_of_a = 0.0, 0.0
                for b in range(a + 1, n_classes):
                    value = scores[r, c]
                    is_first = (value > 0.0) | (zero_is_first & (value == 0.0))  # no branch
                    votes_of_a += is_first
                    votes_of[r, b] += 1.0 - is_first
                    sum_of_a += value
                    sums_of[r, b] -= value
                    c += 1
                votes_of[r, a] += votes_of_a
                sums_of[r, a] += sum_of_a
    return votes, sums
