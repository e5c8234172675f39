"""The loops of the dual solvers, shared by a team; the contract is in the ``.pxd``."""
from cpython.ref cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t
from libc.string cimport memcpy

from ..simd.primitives cimport SIMD_STRETCH, SIMD_TILE, simd_extremes, table
from .team cimport TEAM_MOST

import time

import numpy as np

# Slots that a thread has at least in a pass over the gradient, and kernel values in ns: it then
# takes several times as long as sharing it.
cdef enum:
    LEAST = 1536
cdef double LEAST_TIME = 2000.0

# Slots of a slice, at least, and number of slices, at most.
cdef enum:
    SLICE = 2048
    MOST_SLICES = 64


cdef struct Pass:
    double *g
    const float *k_i
    const float *k_j            # or NULL
    double step_i
    double step_j
    const int8_t *up            # or NULL: the pass selects a partner
    const int8_t *down
    const float *bound          # or NULL: without losses
    const float *diag
    float k_ii
    const double *a
    Py_ssize_t n
    double *sums                # of each slice
    simd_extremes *extremes     # of each part
    Py_ssize_t *found           # slot that each part has selected, and its gain
    float *gain


cdef Py_ssize_t n_parts_of(Team team, Py_ssize_t n) noexcept nogil:
    return max(1, min(team.size, n // LEAST))


cdef void place(simd_extremes *e, Py_ssize_t first) noexcept nogil:
    """Turn positions within a part, which begins at ``first``, into slots."""
    if e.i_max >= 0:
        e.i_max += first
    if e.j_min >= 0:
        e.j_min += first


# ------------------------------------------------------------------------------ passes over g

cdef void update_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Pass *p = <Pass *>context
    cdef Py_ssize_t first = begin_of(part, n_parts, p.n), end = begin_of(part + 1, n_parts, p.n)
    table().update(p.g + first, p.k_i + first, p.k_j + first, p.step_i, p.up + first,
                   p.down + first, end - first, p.extremes + part)
    place(p.extremes + part, first)


cdef void join(const simd_extremes *parts, Py_ssize_t n_parts, simd_extremes *e) noexcept nogil:
    """Find the extremes of all parts: of equal ones those of the lowest slot."""
    cdef Py_ssize_t p
    e[0] = parts[0]
    for p in range(1, n_parts):
        if parts[p].i_max >= 0 and (
                e.i_max < 0 or parts[p].g_max > e.g_max):
            e.g_max, e.i_max = parts[p].g_max, parts[p].i_max
        if parts[p].j_min >= 0 and (
                e.j_min < 0 or parts[p].g_min < e.g_min):
            e.g_min, e.j_min = parts[p].g_min, parts[p].j_min


cdef void update(Team team, double *g, const float *ki, const float *kj, double step,
                 const int8_t *up, const int8_t *down, Py_ssize_t n,
                 simd_extremes *extremes) noexcept nogil:
    cdef Pass p
    cdef simd_extremes parts[TEAM_MOST]
    cdef Py_ssize_t n_parts = n_parts_of(team, n)
    p.g, p.k_i, p.k_j, p.step_i, p.up, p.down, p.n = g, ki, kj, step, up, down, n
    p.extremes = parts
    team.run(update_part, &p, n_parts)
    join(parts, n_parts, extremes)


cdef void partner_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Pass *p = <Pass *>context
    cdef Py_ssize_t first = begin_of(part, n_parts, p.n), end = begin_of(part + 1, n_parts, p.n)
    cdef Py_ssize_t found
    if p.up == NULL:
        found = table().partner(p.g + first, p.k_i + first, p.diag + first, p.step_i, p.k_ii,
                                p.down + first, end - first, p.gain + part)
    else:
        found = table().companion(p.g + first, p.k_i + first, p.diag + first, p.step_i, p.k_ii,
                                  p.up + first, p.down + first, end - first, p.gain + part)
    p.found[part] = found + first if found >= 0 else -1


cdef Py_ssize_t best(Team team, Pass *p) noexcept nogil:
    """Return the slot of largest gain, of equal ones the lowest; -1 if there is none."""
    cdef Py_ssize_t found[TEAM_MOST]
    cdef float gains[TEAM_MOST]
    cdef Py_ssize_t n_parts = n_parts_of(team, p.n), part, winner = 0
    p.found, p.gain = found, gains
    team.run(partner_part, p, n_parts)
    for part in range(1, n_parts):
        if found[part] >= 0 and (
                found[winner] < 0 or gains[part] > gains[winner]):
            winner = part
    return found[winner]


cdef Py_ssize_t select_partner(Team team, const double *g, const float *ki, const float *diag,
                               double g_i, float k_ii, const int8_t *down,
                               Py_ssize_t n) noexcept nogil:
    cdef Pass p
    p.g, p.k_i, p.diag, p.step_i, p.k_ii = <double *>g, ki, diag, g_i, k_ii
    p.up, p.down, p.n = NULL, down, n
    return best(team, &p)


cdef Py_ssize_t select_companion(Team team, const double *g, const float *ki, const float *diag,
                                 double step_i, float k_ii, const int8_t *up, const int8_t *down,
                                 Py_ssize_t n) noexcept nogil:
    cdef Pass p
    p.g, p.k_i, p.diag, p.step_i, p.k_ii = <double *>g, ki, diag, step_i, k_ii
    p.up, p.down, p.n = up, down, n
    return best(team, &p)


# ------------------------------------------------------------------------------ sums

cdef inline Py_ssize_t slice_of(Py_ssize_t n) noexcept nogil:
    """Return the length of a slice: the least multiple of SLICE with at most MOST_SLICES."""
    return max(1, (n + SLICE * MOST_SLICES - 1) // (SLICE * MOST_SLICES)) * SLICE


cdef inline Py_ssize_t n_slices_of(Py_ssize_t n) noexcept nogil:
    return max(1, (n + slice_of(n) - 1) // slice_of(n))


cdef double total(const double *sums, Py_ssize_t n) noexcept nogil:
    """Return the sum of the sums of slices, added in order."""
    cdef double result = sums[0]
    cdef Py_ssize_t s
    for s in range(1, n):
        result += sums[s]
    return result


cdef void dot_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Pass *p = <Pass *>context
    cdef Py_ssize_t size = slice_of(p.n), n = n_slices_of(p.n), s
    for s in range(n * part // n_parts, n * (part + 1) // n_parts):
        p.sums[s] = table().dot(p.k_i + s * size, p.a + s * size, min(size, p.n - s * size))


cdef double dot(Team team, const float *k, const double *a, Py_ssize_t n) noexcept nogil:
    cdef Pass p
    cdef double sums[MOST_SLICES]
    if n <= SLICE:
        return table().dot(k, a, n)
    p.k_i, p.a, p.n, p.sums = k, a, n, sums
    team.run(dot_part, &p, min(n_parts_of(team, n), n_slices_of(n)))
    return total(sums, n_slices_of(n))


cdef double change(const Pass *p, Py_ssize_t first, Py_ssize_t size,
                   simd_extremes *e) noexcept nogil:
    """Change g by a step on one coordinate or on two, in some slots; return their losses."""
    cdef const float *bound = NULL if p.bound == NULL else p.bound + first
    cdef double losses
    if p.k_j == NULL:
        losses = table().update_one(p.g + first, p.k_i + first, p.step_i, p.up + first,
                                    p.down + first, bound, size, e)
    else:
        losses = table().update_two(p.g + first, p.k_i + first, p.step_i, p.k_j + first, p.step_j,
                                    p.up + first, p.down + first, bound, size, e)
    place(e, first)
    return losses


cdef void change_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    """Change g of a part in one pass, or in slices if the losses are wanted."""
    cdef Pass *p = <Pass *>context
    cdef Py_ssize_t size = slice_of(p.n), n = n_slices_of(p.n), s
    cdef Py_ssize_t first = begin_of(part, n_parts, p.n)
    cdef simd_extremes both[2]
    if p.bound == NULL:
        change(p, first, begin_of(part + 1, n_parts, p.n) - first, p.extremes + part)
        return
    p.extremes[part].i_max = p.extremes[part].j_min = -1
    p.extremes[part].g_max, p.extremes[part].g_min = -INFINITY, INFINITY
    for s in range(n * part // n_parts, n * (part + 1) // n_parts):
        both[0] = p.extremes[part]
        p.sums[s] = change(p, s * size, min(size, p.n - s * size), &both[1])
        join(both, 2, p.extremes + part)


cdef double update_one(Team team, double *g, const float *k, double step, const int8_t *up,
                       const int8_t *down, const float *bound, Py_ssize_t n,
                       simd_extremes *extremes) noexcept nogil:
    return update_two(team, g, k, step, NULL, 0.0, up, down, bound, n, extremes)


cdef double update_two(Team team, double *g, const float *ki, double step_i, const float *kj,
                       double step_j, const int8_t *up, const int8_t *down, const float *bound,
                       Py_ssize_t n, simd_extremes *extremes) noexcept nogil:
    cdef Pass p
    cdef simd_extremes parts[TEAM_MOST]
    cdef double sums[MOST_SLICES]
    cdef Py_ssize_t n_parts = n_parts_of(team, n)
    p.g, p.k_i, p.step_i, p.k_j, p.step_j = g, ki, step_i, kj, step_j
    p.up, p.down, p.bound, p.n = up, down, bound, n
    p.extremes, p.sums = parts, sums
    if bound != NULL:
        n_parts = min(n_parts, n_slices_of(n))
    team.run(change_part, &p, n_parts)
    join(parts, n_parts, extremes)
    return 0.0 if bound == NULL else total(sums, n_slices_of(n))


# ------------------------------------------------------------------------------ single rows

cdef struct Row:
    double step
    const float *k
    const int32_t *at
    double *g
    float *to
    Py_ssize_t n


cdef void axpy_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Row *r = <Row *>context
    cdef Py_ssize_t first = begin_of(part, n_parts, r.n)
    table().axpy(r.step, r.k + first, r.g + first, begin_of(part + 1, n_parts, r.n) - first)


cdef void axpy(Team team, double step, const float *k, double *g, Py_ssize_t n) noexcept nogil:
    cdef Row r
    r.step, r.k, r.g, r.n = step, k, g, n
    team.run(axpy_part, &r, n_parts_of(team, n))


cdef void copy_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Row *r = <Row *>context
    cdef Py_ssize_t first = begin_of(part, n_parts, r.n), end = begin_of(part + 1, n_parts, r.n), s
    if r.at == NULL:
        memcpy(r.to + first, r.k + first, (end - first) * sizeof(float))
        return
    for s in range(first, end):
        r.to[s] = r.k[r.at[s]]


cdef void copy(Team team, float *to, const float *values, Py_ssize_t n) noexcept nogil:
    gather(team, to, values, NULL, n)


cdef void gather(Team team, float *to, const float *values, const int32_t *at,
                 Py_ssize_t n) noexcept nogil:
    cdef Row r
    r.to, r.k, r.at, r.n = to, values, at, n
    team.run(copy_part, &r, n_parts_of(team, n))


# ------------------------------------------------------------------------------ kernel values

cdef struct Values:
    PyObject *store
    PyObject *block
    const int32_t *tiles        # or NULL: slots
    Py_ssize_t n                # of slots or tiles
    float *out
    Py_ssize_t ld


cdef void values_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Values *v = <Values *>context
    (<Store>v.store).values(<Block>v.block, begin_of(part, n_parts, v.n),
                            begin_of(part + 1, n_parts, v.n), v.out, v.ld)


cdef void tiles_part(void *context, Py_ssize_t part, Py_ssize_t n_parts) noexcept nogil:
    cdef Values *v = <Values *>context
    cdef Py_ssize_t first = v.n * part // n_parts, last = v.n * (part + 1) // n_parts
    (<Store>v.store).values_of_tiles(<Block>v.block, v.tiles + first, last - first,
                                     v.out + first * SIMD_TILE)


cdef Py_ssize_t parts_of_time(Team team, Store store, double n_values) noexcept nogil:
    """Return the number of parts; a kernel function in Python is called once."""
    if team.size == 1 or store.cost == INFINITY:
        return 1
    return <Py_ssize_t>max(1.0, min(<double>team.size, n_values * store.cost / LEAST_TIME))


cdef void share_values(Team team, Store store, Block block, Py_ssize_t last, float *out,
                       Py_ssize_t ld) noexcept nogil:
    cdef Values v
    cdef Py_ssize_t n_parts = parts_of_time(team, store, <double>block.n_rows * last)
    if n_parts == 1:
        store.values(block, 0, last, out, ld)
        return
    v.store, v.block, v.n, v.out, v.ld = <PyObject *>store, <PyObject *>block, last, out, ld
    team.run(values_part, &v, min(n_parts, (last + SIMD_STRETCH - 1) // SIMD_STRETCH))


cdef void share_values_of_tiles(Team team, Store store, Block block, const int32_t *tiles,
                                Py_ssize_t n, float *out) noexcept nogil:
    cdef Values v
    cdef Py_ssize_t n_parts = parts_of_time(team, store, <double>SIMD_TILE * n)
    v.store, v.block, v.n, v.out = <PyObject *>store, <PyObject *>block, n, out
    v.tiles = tiles
    team.run(tiles_part, &v, min(n_parts, max(1, n)))


# ------------------------------------------------------------------------------ measurements

def time_of_pass(Py_ssize_t n, executor=None, Py_ssize_t repeats=20_000):
    """Return the time of a pass over ``n`` slots in ns, shared by the threads of an executor.

    The pass of a step: the update of the gradient and its extremes.
    """
    cdef double[::1] g = np.zeros(n)
    cdef float[:, ::1] rows = np.full((2, n), 0.5, dtype=np.float32)
    cdef int8_t[::1] may_move = np.full(n, -1, dtype=np.int8)
    cdef simd_extremes e
    cdef Py_ssize_t _k
    cdef Team team = Team()
    team.open(executor)
    try:
        team.call_helpers()
        start = time.perf_counter_ns()
        with nogil:
            for _k in range(repeats):
                update(team, &g[0], &rows[0, 0], &rows[1, 0], 0.1, &may_move[0], &may_move[0], n,
                       &e)
        return (time.perf_counter_ns() - start) / repeats
    finally:
        team.close()
