"""Samples to train on, and a block of them with its kernel values."""
cimport cython
from libc.math cimport INFINITY, isfinite
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from ...memory cimport address, grown, grown_buffer, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE
from ...threads.slices cimport share_values
from ...threads.team cimport Team
from .stores cimport Block, Store, holds_values
from .support_set cimport OF_DATA, Example

import numpy as np


cdef int check_type(Store store, X) except -1:
    if X.dtype != store.dtype or X.shape[1] != store.n_features or (
            isinstance(X, np.ndarray) and not X.flags.c_contiguous):
        raise ValueError(
            f"X must be a CSR matrix or a C-contiguous array with {store.n_features} features of "
            f"dtype {store.dtype}, got shape {X.shape} and dtype {X.dtype}")
    return 0


cdef int check_norms(Store store, Block block, const int64_t *rows) except -1:
    """Raise an error if squared norms are so large that products are not finite."""
    cdef Py_ssize_t r
    for r in range(block.n_rows):
        if not store.holds_norm(store.norm_of(block, r)):
            raise ValueError(
                f"Row {rows[r]} of X has a squared norm that is too large for {store.dtype}; "
                "scale the features.")
    return 0


cdef int check_gram(Store store, Block block, const float *gram, Py_ssize_t ld,
                    const int64_t *rows) except -1:
    """Raise an error if kernel values of samples overflow; the diagonal bounds the others."""
    cdef Py_ssize_t r
    for r in range(block.n_rows):
        if not (isfinite(gram[r * ld + r])
                and holds_values(&store.map, store.norm_of(block, r))):
            raise ValueError(
                f"Kernel values of row {rows[r]} of X are not finite in single "
                "precision; scaling the features, or other kernel parameters, may help.")
    return 0


cdef class SampleBlock:
    """A block of samples of X.

    The caller sets ``rows``, ``labels`` and ``n``, then loads the samples and computes their
    kernel values.
    """

    def __cinit__(self, Store store, Py_ssize_t size=SIMD_BLOCK):
        self.size = size
        self.rows = <int64_t *>grown_buffer(NULL, size * sizeof(int64_t))
        self.labels = <int32_t *>grown_buffer(NULL, size * sizeof(int32_t))
        self.stored = <int32_t *>grown_buffer(NULL, size * sizeof(int32_t))
        self.stored_ids = <int64_t *>grown_buffer(NULL, size * sizeof(int64_t))
        self.visits.row = <Py_ssize_t *>grown_buffer(NULL, size * sizeof(Py_ssize_t))
        self.visits.place = <int32_t *>grown_buffer(NULL, size * sizeof(int32_t))
        self.visits.cost = <double *>grown_buffer(NULL, size * sizeof(double))
        self.visits.row_id = <int64_t *>grown_buffer(NULL, size * sizeof(int64_t))

    def __dealloc__(self):
        free(self.gram)
        free(self.rows)
        free(self.labels)
        free(self.stored)
        free(self.stored_ids)
        free(self.visits.row)
        free(self.visits.place)
        free(self.visits.cost)
        free(self.visits.row_id)

    def __init__(self, Store store, Py_ssize_t size=SIMD_BLOCK):
        self.store = store
        cdef Py_ssize_t ld = round_up(size, SIMD_TILE)
        self.block = store.new_block()
        if size > SIMD_BLOCK:
            self.block.enlarge(size)
            self.part = store.new_block()
        self.gram = <float *>grown_buffer(self.gram, size * ld * sizeof(float))
        self.scored.gram, self.scored.gram_ld = self.gram, ld

    cdef int load(self, X) except -1:
        """Load the samples from X, and allocate memory for them in the store."""
        cdef Store store = self.store
        cdef Py_ssize_t n_slots = store.n_slots + self.size
        cdef Py_ssize_t capacity, ld = round_up(n_slots, SIMD_TILE) + SIMD_TILE
        self.is_scored = False
        store.reserve(n_slots)
        if self.capacity < max(SIMD_BLOCK, self.n) * ld:
            capacity = max(SIMD_BLOCK, self.n) * (ld + ld // 4)
            values = grown(np.zeros(0, np.float32), capacity)
            self.scored.values = <float *>address(values)
            self.values_array, self.capacity = values, capacity
        self.scored.ld = ld
        if self.n:
            store.load(self.block, X, self.rows, self.n)
            check_norms(store, self.block, self.rows)
        if self.n > SIMD_BLOCK:
            store.reserve_block(self.part, self.block)
        return 0

    cdef void take_part(self, Py_ssize_t first) noexcept nogil:
        """Let ``part`` be up to ``SIMD_BLOCK`` samples of a larger block, from ``first`` on."""
        cdef int32_t rows[SIMD_BLOCK]
        cdef Py_ssize_t r, size = min(SIMD_BLOCK, self.n - first)
        for r in range(size):
            rows[r] = <int32_t>(first + r)
        self.store.select(self.part, self.block, rows, size)

    cdef int score_values(self, Team team) except -1:
        """Compute the kernel values against the store."""
        cdef Py_ssize_t first, last = round_up(self.store.n_slots, SIMD_TILE)
        cdef Block part = self.block if self.n <= SIMD_BLOCK else self.part
        for first in range(0, self.n, SIMD_BLOCK):
            with nogil:
                if self.n > SIMD_BLOCK:
                    self.take_part(first)
                share_values(team, self.store, part, last,
                             self.scored.values + first * self.scored.ld, self.scored.ld)
            self.is_scored = True
        return 0

    cdef int keep_only(self, X, Py_ssize_t k) except -1:
        """Keep only the ``k``-th of the visited samples, with its kernel values."""
        cdef Visits *visits = &self.visits
        cdef Py_ssize_t r = visits.place[k]
        visits.n = 1
        visits.row[0], visits.row_id[0] = visits.row[k], visits.row_id[k]
        visits.cost[0] = visits.cost[k]
        visits.place[0] = min(0, visits.place[k])
        self.n = 1 + visits.place[0]
        if r > 0:
            self.rows[0], self.labels[0] = self.rows[r], self.labels[r]
            memcpy(self.scored.values, self.scored.values + r * self.scored.ld,
                   self.scored.ld * sizeof(float))
        if self.n:
            self.store.load(self.block, X, self.rows, 1)
            self.score_themselves()
        return 0

    cdef int score_themselves(self) except -1:
        """Compute the Gram matrix of the block; raise an error if it is not finite."""
        cdef int code
        cdef Py_ssize_t first, r, ld = self.scored.gram_ld
        if self.n <= SIMD_BLOCK:
            with nogil:
                code = self.store.gram(self.block, self.gram, ld)
            self.store.raise_errors(code)
            return check_gram(self.store, self.block, self.gram, ld, self.rows)
        if self.own is None:
            self.own = self.store.empty()
        self.own.reserve(self.n)
        self.own.make_room(self.block)
        for r in range(self.n):
            self.own.put(r, self.block, r)
        self.own.n_slots = self.n
        for first in range(0, self.n, SIMD_BLOCK):
            with nogil:
                self.take_part(first)
                self.own.values(self.part, 0, round_up(self.n, SIMD_TILE), self.gram + first * ld,
                                ld)
            check_gram(self.store, self.part, self.gram + first * (ld + 1), ld, &self.rows[first])
        return 0

    cdef int load_slots(self, const int32_t *slots, Py_ssize_t n) except -1:
        """Load vectors of the store as a block."""
        cdef int code
        with nogil:
            code = self.store.load_slots(self.block, slots, n)
        return self.store.raise_errors(code)

    def check(self, X):
        """Raise the errors that ``load`` and scoring would raise, before any sample is used."""
        cdef Py_ssize_t at, r
        cdef double largest, norm
        check_type(self.store, X)
        if self.store.cost == INFINITY:
            return                      # a Python kernel function is not called twice
        values = X if isinstance(X, np.ndarray) else X.data
        largest = max(float(values.max(initial=0)), -float(values.min(initial=0)))
        norm = largest * largest * self.store.n_features
        if self.store.holds_norm(norm) and holds_values(&self.store.map, norm):
            return
        for at in range(0, X.shape[0], SIMD_BLOCK):
            self.n = min(SIMD_BLOCK, X.shape[0] - at)
            for r in range(self.n):
                self.rows[r] = at + r
            self.store.load(self.block, X, self.rows, self.n)
            check_norms(self.store, self.block, self.rows)
            self.score_themselves()


@cython.final
cdef class Samples:
    """Data of the samples of X besides their features: labels, costs, targets.

    ``labels`` (int32): class of each sample, which determines its label in a problem: 1 or -1.
    ``cost`` (float64): upper bound of each sample's \\|alpha\\|; a sample of cost 0 is skipped.
    ``row_ids`` (int64): identifiers that do not change during training.
    ``shifted`` (n_problems, n_rows), int8: nonzero for samples on the flat part of a ramp loss:
        the box is on the other side of 0.
    ``targets`` (n_problems, n_rows), float64: linear terms of the dual. Default: the labels. The
        label determines the side of the box.
    ``epsilon``: in regression half the width of the tube around the targets in which the loss is
        0.
    ``squared``: in regression whether the loss is squared, so that alpha has no upper bound.
    ``origin``: origin of the samples, common or per sample: DATA, STREAM or VIRTUAL of
        ``support_set``.

    Further attributes: ``n_new``: number of samples that have not been visited before, the first
    ones. Default: all.
    """
    def __init__(self, labels, cost, row_ids, shifted=None, *, targets=None, epsilon=None,
                 bint squared=False, origin=OF_DATA):
        self.labels, self.cost, self.row_ids = labels, cost, row_ids
        self.shifted, self.targets = shifted, targets
        self.epsilon, self.squared = -1.0 if epsilon is None else epsilon, squared
        self.n_new = len(labels)
        self.origins = origin if isinstance(origin, np.ndarray) else None
        self.origin = OF_DATA if isinstance(origin, np.ndarray) else origin

    cdef bint belongs(self, Py_ssize_t r, ClassCodes codes) noexcept nogil:
        """Return whether sample ``r`` is of a class that a problem separates."""
        return (codes.negative == OTHERS or self.labels[r] == codes.positive
                or self.labels[r] == codes.negative)

    cdef void describe(self, Example *row, Py_ssize_t r, Py_ssize_t c,
                       ClassCodes codes) noexcept nogil:
        """Describe sample ``r`` in problem ``c``: fill all fields of ``row`` but its place.

        The box of a sample that does not belong to the problem is empty. In regression the sample
        is on the lower side of its tube.
        """
        cdef double cost = self.cost[r] if self.belongs(r, codes) else 0.0
        row.row_id, row.region, row.is_new = self.row_ids[r], 0, r < self.n_new
        row.origin = self.origin if self.origins is None else self.origins[r]
        row.y = 1 if self.labels[r] == codes.positive or self.epsilon >= 0.0 else -1
        row.target = row.y if self.targets is None else self.targets[c, r]
        row.ridge = 0.0
        if self.epsilon >= 0.0:
            row.target -= self.epsilon
        if self.squared and cost > 0.0:
            row.ridge = 0.5 / cost
            cost = INFINITY
        if (row.y > 0) != (self.shifted is not None and self.shifted[c, r] != 0):
            row.lower, row.upper = 0.0, cost
        else:
            row.lower, row.upper = -cost, 0.0

    def ridges(self, rows):
        """Return the ridges of samples: with a squared loss 1 / (2 cost), else 0."""
        if not self.squared:
            return np.zeros(len(rows))
        return 0.5 / np.asarray(self.cost)[rows]

    def boxes(self, Py_ssize_t c, classes, rows):
        """Return the lower and upper ends of the boxes of samples in problem ``c``.

        ``classes`` are those of the problem. In regression these are the boxes of both sides of
        the tube together.
        """
        cdef Example row
        cdef Py_ssize_t i
        cdef ClassCodes codes
        codes.positive, codes.negative = classes
        cdef const int64_t[::1] places = np.ascontiguousarray(rows, dtype=np.int64)
        if len(rows) and not 0 <= np.min(rows) <= np.max(rows) < self.cost.shape[0]:
            raise IndexError(f"rows must be below {self.cost.shape[0]}, got {np.max(rows)}")
        cdef double[::1] lower = np.empty(len(rows))
        cdef double[::1] upper = np.empty(len(rows))
        for i in range(places.shape[0]):
            self.describe(&row, places[i], c, codes)
            lower[i], upper[i] = row.lower, row.upper
            if self.epsilon >= 0.0:
                lower[i] = -row.upper
        return np.asarray(lower), np.asarray(upper)
