"""Budget maintenance of kernel expansions: removal, projection, merging.

The contract is that of ``Budget`` in ``expansion.pxd``. Projection and merging are linear in the
coefficients, so they apply in the same way to the sums from which averages are computed.

The cost per step is proportional to the number of vectors, independent of the number of features:
the kernel matrix over the slots is kept, and rows of new samples come with their block.
"""
cimport cython
from libc.math cimport INFINITY, exp, log, sqrt
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from ...memory cimport address, grown, round_up
from ...simd.primitives cimport SIMD_BLOCK, SIMD_TILE, table
from .expansion cimport Budget, KernelExpansion

import numpy as np

# Largest number of vectors for which the kernel matrix is kept (64 MB); beyond, rows are computed.
cdef Py_ssize_t MOST_KEPT = 4096

# Relative to the diagonal: rounded kernel matrices may be singular.
cdef double RIDGE = 1e-5
# Removals, in multiples of the budget, after which the inverse is recomputed, as rounding errors
# accumulate.
cdef Py_ssize_t RENEWED_AFTER = 4
# (sqrt(5) - 1) / 2, for golden-section search.
cdef double GOLDEN = 0.6180339887498949
cdef int N_SECTIONS = 40
# Between maxima that differ by rounding only, take the one nearer to the partner.
cdef double EQUAL = 1.0 + 1e-12


def _py_keep_matrices_up_to(Py_ssize_t n):
    """Set MOST_KEPT, for tests; return the former value."""
    global MOST_KEPT
    cdef Py_ssize_t before = MOST_KEPT
    MOST_KEPT = n
    return before


@cython.final
cdef class SlotKernel:
    """The kernel matrix over the slots, in float32: the values used by the steps.

    ``always``: whether to keep it for any size.
    """

    def __init__(self, bint always=False):
        self.always = always
        self.values_array = np.zeros((0, 0), dtype=np.float32)

    cdef int prepare(self, KernelExpansion expansion, Py_ssize_t most) except -1:
        """Allocate memory for the samples of a block."""
        cdef Py_ssize_t ld = min(expansion.n_slots + SIMD_BLOCK, most + 1), old = self.ld
        self.is_kept = self.always or most <= MOST_KEPT
        if not self.is_kept:
            return 0
        if ld > old:
            ld = round_up(min(max(ld, old + old // 2), most + 1), SIMD_TILE)
            values = grown(np.zeros((0, ld), dtype=np.float32), ld)
            values[:old, :old] = self.values_array
            self.values_array, self.values, self.ld = values, <float *>address(values), ld
        if not self.is_known:
            self.compute(expansion)
        return 0

    cdef int compute(self, KernelExpansion expansion) except -1:
        """Compute the matrix of restored vectors: it is not stored with a model."""
        cdef Py_ssize_t s, n = expansion.n_slots
        for s in range(n):
            if expansion.alive[s]:
                memcpy(self.values + s * self.ld, expansion.kernel_row(<int32_t>s),
                       n * sizeof(float))
                expansion.raise_error()
        self.is_known = True
        return 0

    cdef void enter(self, int32_t slot, const float *k, Py_ssize_t n_slots) noexcept nogil:
        cdef Py_ssize_t s
        if not self.is_kept:
            return
        memcpy(self.values + slot * self.ld, k, n_slots * sizeof(float))
        for s in range(n_slots):
            self.values[s * self.ld + slot] = k[s]

    cdef const float *row(self, KernelExpansion expansion, int32_t slot) noexcept nogil:
        """Return the kernel values of a vector against all slots."""
        if self.is_kept:
            return self.values + slot * self.ld
        return expansion.kernel_row(slot)


@cython.final
cdef class Margin(Budget):
    """Remove the vector classified best without itself (Crammer, Kandola and Singer 2003).

    To this end the decision values of all vectors are updated at every step.
    """

    def __init__(self, Py_ssize_t most, Py_ssize_t n_problems):
        super().__init__(most, n_problems)
        self.kernel = SlotKernel()
        self.f_array = np.zeros((n_problems, 0))

    cdef int prepare(self, KernelExpansion expansion) except -1:
        cdef Py_ssize_t old = self.f_array.shape[1]
        self.kernel.prepare(expansion, self.most)
        if expansion.ld > self.ld:
            f = grown(np.zeros((0, expansion.ld)), expansion.n_problems)
            f[:, :old] = self.f_array
            self.f_array, self.f, self.ld = f, <double *>address(f), expansion.ld
        return 0

    cdef void moved(self, KernelExpansion expansion, int32_t slot, const float *k,
                    bint entered) noexcept nogil:
        cdef Py_ssize_t c
        if entered:
            self.kernel.enter(slot, k, expansion.n_slots)
        for c in range(expansion.n_problems):
            if entered:
                self.f[c * self.ld + slot] = expansion.margins[c]
            if expansion.along[c] != 0.0:
                table().axpy(expansion.along[c], k, self.f + c * self.ld, expansion.n_slots)

    cdef int32_t choose(self, KernelExpansion expansion) noexcept nogil:
        cdef Py_ssize_t s
        cdef int32_t best = -1
        cdef double margin, largest = -INFINITY
        cdef const double *f = self.f
        cdef const double *coef = expansion.coef
        cdef bint binary = expansion.n_problems == 1
        for s in range(expansion.n_slots):
            if not expansion.alive[s]:
                continue
            if binary:
                margin = f[s] - coef[s] * expansion.diag[s]
                if expansion.labels[s] != 1:
                    margin = -margin
            else:
                margin = self.margin_without(expansion, s)
            if best < 0 or margin > largest or (
                    margin == largest and expansion.since[s] < expansion.since[best]):
                best, largest = <int32_t>s, margin
        return best

    cdef double margin_without(self, KernelExpansion expansion, Py_ssize_t s) noexcept nogil:
        """Return the multiclass margin of a vector without its own contribution."""
        cdef double own, other = -INFINITY, square = expansion.diag[s]
        cdef Py_ssize_t c, label = expansion.labels[s]
        own = self.f[label * self.ld + s] - expansion.coef[label * expansion.ld + s] * square
        for c in range(expansion.n_problems):
            if c != label:
                other = max(other, self.f[c * self.ld + s]
                            - expansion.coef[c * expansion.ld + s] * square)
        return own - other

    cdef bint give_up(self, KernelExpansion expansion, int32_t slot) noexcept nogil:
        cdef Py_ssize_t c
        cdef const float *k = self.kernel.row(expansion, slot)
        cdef double a
        if expansion.code:
            return False
        for c in range(expansion.n_problems):
            a = expansion.coef[c * expansion.ld + slot]
            if a != 0.0:
                table().axpy(-a, k, self.f + c * self.ld, expansion.n_slots)
        return True

    def state(self, n_slots):
        return {"f": self.f_array[:, :n_slots].copy()}

    def restore(self, state):
        self.f_array = state["f"]
        self.ld = 0                         # forces a copy in `prepare`


@cython.final
cdef class Projection(Budget):
    """Remove the vector with the smallest projection error; project it onto the others.

    Reference: Wang and Vucetic 2010.

    With P = (K + RIDGE diag(K))^-1 the projection of vector v has the coefficient -P[s, v] / P[v,
    v] at each other vector s, and its squared error is 1 / P[v, v]. P is updated in two passes
    when a vector is added and in one when a vector is removed.
    """
    cdef SlotKernel kernel
    cdef Py_ssize_t ld
    cdef object inverse_array       # (ld, ld), 0 for free slots
    cdef double *inverse
    cdef object buffers
    cdef double *x
    cdef double *u
    cdef Py_ssize_t n_left          # removals since the inverse was computed

    def __init__(self, Py_ssize_t most, Py_ssize_t n_problems):
        super().__init__(most, n_problems)
        self.kernel = SlotKernel(always=True)
        self.inverse_array = np.zeros((0, 0))

    cdef int prepare(self, KernelExpansion expansion) except -1:
        cdef Py_ssize_t ld = min(expansion.n_slots + SIMD_BLOCK, self.most + 1)
        cdef Py_ssize_t old = self.inverse_array.shape[0]
        self.kernel.prepare(expansion, self.most)
        if ld > self.ld:
            ld = round_up(min(max(ld, old + old // 2), self.most + 1), SIMD_TILE)
            inverse = grown(np.zeros((0, ld)), ld)
            inverse[:old, :old] = self.inverse_array
            buffers = grown(np.zeros((0, ld)), 2)
            self.inverse, self.x = <double *>address(inverse), <double *>address(buffers)
            self.u = self.x + ld
            self.inverse_array, self.buffers, self.ld = inverse, buffers, ld
        return 0

    cdef void moved(self, KernelExpansion expansion, int32_t slot, const float *k,
                    bint entered) noexcept nogil:
        if entered:
            self.kernel.enter(slot, k, expansion.n_slots)
            self.enter(expansion, slot, k)

    cdef void enter(self, KernelExpansion expansion, int32_t slot, const float *k) noexcept nogil:
        """Add a row and a column to the inverse."""
        cdef Py_ssize_t s, ld = self.ld
        cdef double square = k[slot], rest
        memset(self.x, 0, ld * sizeof(double))
        for s in range(expansion.n_slots):
            if self.inverse[s * ld + s] != 0.0:
                self.x[s] = k[s]
        rest = square * (1.0 + RIDGE) - table().covariance_times(
            self.inverse, self.x, self.u, ld)
        rest = max(rest, 0.5 * RIDGE * square)
        table().covariance_shrink(-1.0 / rest, self.u, self.inverse, ld)
        for s in range(ld):
            self.inverse[slot * ld + s] = self.inverse[s * ld + slot] = -self.u[s] / rest
        self.inverse[slot * ld + slot] = 1.0 / rest

    cdef int32_t choose(self, KernelExpansion expansion) noexcept nogil:
        cdef Py_ssize_t s
        cdef int32_t best = -1
        cdef double lost, least = INFINITY
        for s in range(expansion.n_slots):
            if not expansion.alive[s]:
                continue
            lost = expansion.size_of(s) / self.inverse[s * self.ld + s]
            if best < 0 or lost < least or (
                    lost == least and expansion.since[s] < expansion.since[best]):
                best, least = <int32_t>s, lost
        return best

    cdef bint give_up(self, KernelExpansion expansion, int32_t slot) noexcept nogil:
        cdef Py_ssize_t c, s, ld = self.ld
        cdef double pivot = self.inverse[slot * ld + slot], a, b
        memcpy(self.u, self.inverse + slot * ld, ld * sizeof(double))
        for c in range(expansion.n_problems):
            a = expansion.coef[c * expansion.ld + slot] / pivot
            for s in range(expansion.n_slots):
                expansion.coef[c * expansion.ld + s] -= a * self.u[s]
            if expansion.averaged:
                b = expansion.sums[c * expansion.ld + slot] / pivot
                for s in range(expansion.n_slots):
                    expansion.sums[c * expansion.ld + s] -= b * self.u[s]
        table().covariance_shrink(1.0 / pivot, self.u, self.inverse, ld)
        for s in range(ld):
            self.inverse[slot * ld + s] = self.inverse[s * ld + slot] = 0.0
        self.n_left += 1
        if self.n_left >= RENEWED_AFTER * self.most:
            self.renew(expansion, slot)
        return True

    cdef void renew(self, KernelExpansion expansion, int32_t leaver) noexcept nogil:
        """Recompute the inverse from the kernel matrix, without vector ``leaver``."""
        cdef Py_ssize_t s
        memset(self.inverse, 0, self.ld * self.ld * sizeof(double))
        for s in range(expansion.n_slots):
            if expansion.alive[s] and s != leaver:
                self.enter(expansion, <int32_t>s, self.kernel.row(expansion, <int32_t>s))
        self.n_left = 0

    def state(self, n_slots):
        return {"inverse": self.inverse_array[:n_slots, :n_slots].copy(), "n_left": self.n_left}

    def restore(self, state):
        self.inverse_array, self.n_left = state["inverse"], state["n_left"]
        self.ld = 0                         # forces a copy in `prepare`


@cython.final
cdef class Merging(Budget):
    """Merge the smallest vector with the partner of least loss. For the rbf kernel only.

    Reference: Wang, Crammer and Vucetic 2012. The new vector lies on the segment between the two.
    The smallest vector is the one whose removal would change the functions least.

    ``a phi(x) + b phi(z)`` is projected onto ``phi(h x + (1 - h) z)``; with ``k = K(x, z)`` the
    coefficient is ``a k^((1 - h)^2) + b k^(h^2)``, and h maximizes its square, summed over the
    problems.
    """
    cdef SlotKernel kernel

    def __init__(self, Py_ssize_t most, Py_ssize_t n_problems):
        super().__init__(most, n_problems)
        self.kernel = SlotKernel()

    cdef int prepare(self, KernelExpansion expansion) except -1:
        return self.kernel.prepare(expansion, self.most)

    cdef void moved(self, KernelExpansion expansion, int32_t slot, const float *k,
                    bint entered) noexcept nogil:
        if entered:
            self.kernel.enter(slot, k, expansion.n_slots)

    cdef int32_t choose(self, KernelExpansion expansion) noexcept nogil:
        """Return the smallest vector; on a tie the oldest."""
        cdef Py_ssize_t s
        cdef int32_t best = -1
        cdef double size, least = INFINITY
        for s in range(expansion.n_slots):
            if not expansion.alive[s]:
                continue
            size = expansion.size_of(s)
            if best < 0 or size < least or (
                    size == least and expansion.since[s] < expansion.since[best]):
                best, least = <int32_t>s, size
        return best

    cdef bint give_up(self, KernelExpansion expansion, int32_t slot) noexcept nogil:
        cdef const float *k = self.kernel.row(expansion, slot)
        cdef int32_t partner = -1, nearest = -1
        cdef Py_ssize_t s
        cdef Pair pair
        cdef double lost, h, best_h = 0.0, least = INFINITY, first, second
        if expansion.code:
            return False
        for s in range(expansion.n_slots):
            if expansion.alive[s] and s != slot and (nearest < 0 or k[s] > k[nearest]):
                nearest = <int32_t>s
        if nearest < 0:
            return True                     # a budget of one vector: it is removed
        # Start with the nearest one: its loss is a bound that excludes most of the others.
        pair_of(expansion, slot, nearest, &pair)
        partner, least = nearest, merged(&pair, k[nearest], INFINITY, &best_h)
        for s in range(expansion.n_slots):
            if not expansion.alive[s] or s == slot or s == nearest:
                continue
            pair_of(expansion, slot, s, &pair)
            lost = merged(&pair, k[s], least, &h)
            if lost < least:
                partner, least, best_h = <int32_t>s, lost, h
        h = best_h
        first, second = share(k[partner], 1.0 - h), share(k[partner], h)
        if h > 0.0 and not expansion.merge(slot, partner, h):
            return False
        for c in range(expansion.n_problems):
            expansion.unite(c, slot, partner, first, second)
        if h > 0.0:
            self.kernel.enter(partner, expansion.row, expansion.n_slots)
        return True


# Products of the coefficients of two vectors, summed over the problems.
cdef struct Pair:
    double aa
    double ab
    double bb


cdef inline void pair_of(KernelExpansion expansion, Py_ssize_t one, Py_ssize_t other,
                         Pair *pair) noexcept nogil:
    cdef Py_ssize_t c
    cdef double first, second
    pair.aa = pair.ab = pair.bb = 0.0
    for c in range(expansion.n_problems):
        first = expansion.coef[c * expansion.ld + one]
        second = expansion.coef[c * expansion.ld + other]
        pair.aa += first * first
        pair.ab += first * second
        pair.bb += second * second


cdef inline double share(double k, double h) noexcept nogil:
    """Return k^(h^2), the kernel value of a vector at relative distance h, where k = K(x, z)."""
    if h == 0.0:
        return 1.0
    return exp(log(k) * h * h) if k > 0.0 else 0.0


cdef inline double kept(const Pair *pair, double first, double second) noexcept nogil:
    return pair.aa * first * first + 2.0 * pair.ab * first * second + pair.bb * second * second


cdef double merged(const Pair *pair, double k, double least, double *h) noexcept nogil:
    """Return the smallest loss of merging a pair, and its ``h``.

    Where a bound shows that the loss cannot be below ``least``, the bound is returned.
    """
    cdef double shares[5]
    cdef double low, high, one, two, at_one, at_two, value, most = 0.0, bound = -INFINITY
    cdef double total = pair.aa + pair.bb + 2.0 * k * pair.ab
    cdef int j, _section, best = 0
    # k^(h^2) at h = 0, 1/4, 1/2, 3/4, 1.
    shares[0], shares[2], shares[4] = 1.0, sqrt(sqrt(k)), k
    shares[1] = sqrt(sqrt(shares[2]))
    shares[3] = sqrt(k) * shares[1]
    for j in range(5):
        value = kept(pair, shares[4 - j], shares[j])
        if value > EQUAL * most:
            most, best = value, j
    for j in range(4):
        # Within the section both kernel values lie between those at its ends.
        one, two = shares[3 - j], shares[j]
        value = pair.aa * one * one + pair.bb * two * two + 2.0 * pair.ab * (
            one * two if pair.ab > 0.0 else shares[4 - j] * shares[j + 1])
        bound = max(bound, value)
    h[0] = 0.25 * best
    if total - bound >= least:
        return total - bound
    low, high = max(0.0, h[0] - 0.25), min(1.0, h[0] + 0.25)
    one, two = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_one = kept(pair, share(k, 1.0 - one), share(k, one))
    at_two = kept(pair, share(k, 1.0 - two), share(k, two))
    for _section in range(N_SECTIONS):
        if at_one > at_two:
            high, two, at_two = two, one, at_one
            one = high - GOLDEN * (high - low)
            at_one = kept(pair, share(k, 1.0 - one), share(k, one))
        else:
            low, one, at_one = one, two, at_two
            two = low + GOLDEN * (high - low)
            at_two = kept(pair, share(k, 1.0 - two), share(k, two))
    one = 0.5 * (low + high)
    value = kept(pair, share(k, 1.0 - one), share(k, one))
    if value > EQUAL * most:
        most, h[0] = value, one
    return total - most
