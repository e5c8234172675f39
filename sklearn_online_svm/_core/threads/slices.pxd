"""The loops of the dual solvers (``primitives.h``), shared by the threads of a team.

Slots are divided into contiguous parts, the same for most loops, so that the part of g and of the
kernel rows that a thread works on remains in the cache of its core. (Parts of many short
stretches would be fetched by the other cores, too, which read ahead.) The results do not depend
on the team: extremes are the same for any division, of equal ones that of the lowest slot, and
sums are over slices, added in order. The length of a slice depends on the number of slots only.
"""
from libc.stdint cimport int8_t, int32_t

from ..simd.primitives cimport SIMD_STRETCH, simd_extremes
from ..kernel.vectors.stores cimport Block, Store
from .team cimport Team


# Members at alpha = 0 from which on threads share a pass over them.
cdef enum:
    MANY_ZEROS = 64

# Number of parts into which a pass over n slots is divided.
cdef Py_ssize_t n_parts_of(Team team, Py_ssize_t n) noexcept nogil


# The same for a pass over the members at alpha = 0: as for g, if there are enough of them.
cdef inline Py_ssize_t n_parts_of_zeros(Team team, Py_ssize_t n,
                                        Py_ssize_t n_zeros) noexcept nogil:
    return n_parts_of(team, n) if n_zeros >= MANY_ZEROS else 1


# Slots that are sorted out at a time.
cdef enum:
    SORTED = 256


cdef inline Py_ssize_t begin_of(Py_ssize_t part, Py_ssize_t n_parts, Py_ssize_t n) noexcept nogil:
    """Return the first slot of a part of n slots; n for the end of the last part."""
    return min(n, (n + SIMD_STRETCH - 1) // SIMD_STRETCH * part // n_parts * SIMD_STRETCH)


cdef inline Py_ssize_t own_slots(const int32_t *slots, Py_ssize_t n, Py_ssize_t begin,
                                 Py_ssize_t end, int32_t *places) noexcept nogil:
    """List the places of those of up to SORTED slots that belong to a part; return their number.

    Without branches, which could not be predicted.
    """
    cdef int32_t p
    cdef Py_ssize_t n_own = 0
    for p in range(<int32_t>n):
        places[n_own] = p
        n_own += begin <= slots[p] < end
    return n_own


cdef double dot(Team team, const float *k, const double *a, Py_ssize_t n) noexcept nogil
cdef void update(Team team, double *g, const float *ki, const float *kj, double step,
                 const int8_t *up, const int8_t *down, Py_ssize_t n,
                 simd_extremes *extremes) noexcept nogil
cdef double update_one(Team team, double *g, const float *k, double step, const int8_t *up,
                       const int8_t *down, const float *bound, Py_ssize_t n,
                       simd_extremes *extremes) noexcept nogil
cdef double update_two(Team team, double *g, const float *ki, double step_i, const float *kj,
                       double step_j, const int8_t *up, const int8_t *down, const float *bound,
                       Py_ssize_t n, simd_extremes *extremes) noexcept nogil
cdef Py_ssize_t select_partner(Team team, const double *g, const float *ki, const float *diag,
                               double g_i, float k_ii, const int8_t *down,
                               Py_ssize_t n) noexcept nogil
cdef Py_ssize_t select_companion(Team team, const double *g, const float *ki, const float *diag,
                                 double step_i, float k_ii, const int8_t *up, const int8_t *down,
                                 Py_ssize_t n) noexcept nogil
cdef void axpy(Team team, double step, const float *k, double *g, Py_ssize_t n) noexcept nogil
# to[s] = values[s], and to[s] = values[at[s]]
cdef void copy(Team team, float *to, const float *values, Py_ssize_t n) noexcept nogil
cdef void gather(Team team, float *to, const float *values, const int32_t *at,
                 Py_ssize_t n) noexcept nogil
# Kernel values of a block against the first slots of a store, or against tiles of it, as in
# ``stores.pxd``.
cdef void share_values(Team team, Store store, Block block, Py_ssize_t last, float *out,
                       Py_ssize_t ld) noexcept nogil
cdef void share_values_of_tiles(Team team, Store store, Block block, const int32_t *tiles,
                                Py_ssize_t n, float *out) noexcept nogil
