"""Budgets of vectors; the contract is in ``expansion.pxd``.

The cost per step is proportional to the number of vectors, independent of the number of features:
the kernel matrix over the slots is kept, and rows of new samples come with their block.
"""
cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.string cimport memcpy

from ..memory cimport address, grown, round_up
from ..simd.primitives cimport SIMD_BLOCK, SIMD_TILE, table
from .expansion cimport Budget, KernelExpansion

import numpy as np

# Largest number of vectors for which the kernel matrix is kept (64 MB); beyond, rows are computed.
cdef Py_ssize_t MOST_KEPT = 4096


def _py_keep_matrices_up_to(Py_ssize_t n):
    """Set MOST_KEPT, for tests; return the former value."""
    global MOST_KEPT
    cdef Py_ssize_t before = MOST_KEPT
    MOST_KEPT = n
    return before


@cython.final
cdef class SlotKernel:
    """The kernel matrix over the slots, in float32: the values used by the steps.

    Parameters
    ----------
    always : bool, default=False
        Whether to keep it for any size.
    """

    def __init__(self, bint always=False):
        self.always = always
        self.values_array = np.zeros((0, 0), dtype=np.float32)

    cdef int prepare(self, KernelExpansion held, Py_ssize_t most) except -1:
        """Allocate memory for the samples of a block."""
        cdef Py_ssize_t ld = min(held.n_slots + SIMD_BLOCK, most + 1), old = self.ld
        self.is_kept = self.always or most <= MOST_KEPT
        if not self.is_kept:
            return 0
        if ld > old:
            ld = round_up(min(max(ld, old + old // 2), most + 1), SIMD_TILE)
            values = grown(np.zeros((0, ld), dtype=np.float32), ld)
            values[:old, :old] = self.values_array
            self.values_array, self.values, self.ld = values, <float *>address(values), ld
        if not self.is_known:
            self.compute(held)
        return 0

    cdef int compute(self, KernelExpansion held) except -1:
        """Compute the matrix of restored vectors: it is not stored with a model."""
        cdef Py_ssize_t s, n = held.n_slots
        for s in range(n):
            if held.alive[s]:
                memcpy(self.values + s * self.ld, held.kernel_row(<int32_t>s), n * sizeof(float))
                held.store.raise_errors(held.code)
        self.is_known = True
        return 0

    cdef void enter(self, int32_t slot, const float *k, Py_ssize_t n_slots) noexcept nogil:
        cdef Py_ssize_t s
        if not self.is_kept:
            return
        memcpy(self.values + slot * self.ld, k, n_slots * sizeof(float))
        for s in range(n_slots):
            self.values[s * self.ld + slot] = k[s]

    cdef const float *row(self, KernelExpansion held, int32_t slot) noexcept nogil:
        """Return the kernel values of a vector against all slots."""
        if self.is_kept:
            return self.values + slot * self.ld
        return held.kernel_row(slot)


@cython.final
cdef class Oldest(Budget):
    """Remove the oldest vector."""

    cdef int32_t choose(self, KernelExpansion held) noexcept nogil:
        cdef Py_ssize_t s
        cdef int32_t oldest = -1
        for s in range(held.n_slots):
            if held.alive[s] and (oldest < 0 or held.since[s] < held.since[oldest]):
                oldest = <int32_t>s
        return oldest


@cython.final
cdef class Smallest(Budget):
    """Remove the vector whose removal changes the functions least; on a tie the oldest.

    The change is ``sum_c coef[c, s]^2 K(v_s, v_s)``.
    """

    cdef int32_t choose(self, KernelExpansion held) noexcept nogil:
        return held.smallest()


@cython.final
cdef class Margin(Budget):
    """Remove the vector classified best without itself (Crammer, Kandola and Singer 2003).

    To this end the decision values of all vectors are updated at every step.
    """

    def __init__(self, Py_ssize_t most, Py_ssize_t n_problems):
        super().__init__(most, n_problems)
        self.kernel = SlotKernel()
        self.f_array = np.zeros((n_problems, 0))

    cdef int prepare(self, KernelExpansion held) except -1:
        cdef Py_ssize_t old = self.f_array.shape[1]
        self.kernel.prepare(held, self.most)
        if held.ld > self.ld:
            f = grown(np.zeros((0, held.ld)), held.n_problems)
            f[:, :old] = self.f_array
            self.f_array, self.f, self.ld = f, <double *>address(f), held.ld
        return 0

    cdef void moved(self, KernelExpansion held, int32_t slot, const float *k,
                    bint entered) noexcept nogil:
        cdef Py_ssize_t c
        if entered:
            self.kernel.enter(slot, k, held.n_slots)
        for c in range(held.n_problems):
            if entered:
                self.f[c * self.ld + slot] = held.margins[c]
            if held.along[c] != 0.0:
                table().axpy(held.along[c], k, self.f + c * self.ld, held.n_slots)

    cdef int32_t choose(self, KernelExpansion held) noexcept nogil:
        cdef Py_ssize_t s
        cdef int32_t best = -1
        cdef double margin, largest = -INFINITY
        cdef const double *f = self.f
        cdef const double *coef = held.coef
        cdef bint binary = held.n_problems == 1
        for s in range(held.n_slots):
            if not held.alive[s]:
                continue
            if binary:
                margin = f[s] - coef[s] * held.diag[s]
                if held.labels[s] != 1:
                    margin = -margin
            else:
                margin = self.margin_without(held, s)
            if best < 0 or margin > largest or (
                    margin == largest and held.since[s] < held.since[best]):
                best, largest = <int32_t>s, margin
        return best

    cdef double margin_without(self, KernelExpansion held, Py_ssize_t s) noexcept nogil:
        """Return the multiclass margin of a vector without its own contribution."""
        cdef double own, other = -INFINITY, square = held.diag[s]
        cdef Py_ssize_t c, label = held.labels[s]
        own = self.f[label * self.ld + s] - held.coef[label * held.ld + s] * square
        for c in range(held.n_problems):
            if c != label:
                other = max(other, self.f[c * self.ld + s] - held.coef[c * held.ld + s] * square)
        return own - other

    cdef void give_up(self, KernelExpansion held, int32_t slot) noexcept nogil:
        cdef Py_ssize_t c
        cdef const float *k = self.kernel.row(held, slot)
        cdef double a
        for c in range(held.n_problems):
            a = held.coef[c * held.ld + slot]
            if a != 0.0:
                table().axpy(-a, k, self.f + c * self.ld, held.n_slots)

    def state(self, n_slots):
        return {"f": self.f_array[:, :n_slots].copy()}

    def restore(self, state, n_problems, n_slots):
        self.f_array = state.array("f", np.float64, (n_problems, n_slots), finite=True)
        self.ld = 0                         # forces a copy in `prepare`
        state.end()
