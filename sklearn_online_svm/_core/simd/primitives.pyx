"""Run-time choice of the SIMD level, and test hooks for the leaves of ``primitives.h``."""
import os

from libc.stdint cimport int8_t, int32_t, uint8_t


cdef extern from "primitives_levels.h" nogil:
    int simd_available(const simd_table **)

cdef const simd_table *_tables[3]
cdef int _n_tables = simd_available(_tables)
cdef const simd_table *_table = _tables[0]

ENVIRONMENT_VARIABLE = "SOSVM_SIMD"


cdef const simd_table *table() noexcept nogil:
    return _table


def simd_levels():
    """Levels that this machine and build can run, best first."""
    return [_tables[i].name.decode() for i in range(_n_tables)]


def simd_level():
    """Level in use: the best one, or the one that ``SOSVM_SIMD`` names."""
    return _table.name.decode()


cdef int _choose(str name) except -1:
    global _table
    for i in range(_n_tables):
        if _tables[i].name.decode() == name:
            _table = _tables[i]
            return 0
    raise ImportError(
        f"{ENVIRONMENT_VARIABLE}={name!r} is not a SIMD level of this machine; "
        f"available: {', '.join(simd_levels())}."
    )


if os.environ.get(ENVIRONMENT_VARIABLE):
    _choose(os.environ[ENVIRONMENT_VARIABLE])


cdef const simd_table *_named(str level) except NULL:
    for i in range(_n_tables):
        if _tables[i].name.decode() == level:
            return _tables[i]
    raise ValueError(f"no SIMD level {level!r}; available: {simd_levels()}")


# Test hooks: each calls one leaf at one level.

def _py_exp_f32(str level, const float[::1] x, float[::1] out):
    _named(level).exp_f32(&x[0], &out[0], x.shape[0])


def _py_exp_f64(str level, const double[::1] x, double[::1] out):
    _named(level).exp_f64(&x[0], &out[0], x.shape[0])


def _py_dot(str level, const float[::1] k, const double[::1] a):
    if k.shape[0] == 0:
        return _named(level).dot(NULL, NULL, 0)
    return _named(level).dot(&k[0], &a[0], k.shape[0])


def _py_gather(str level, const float[::1] row, const int32_t[::1] base,
               const uint8_t[:, ::1] offset, float[::1] out):
    if base.shape[0]:
        _named(level).gather(&row[0], &base[0], &offset[0, 0], base.shape[0], &out[0])


def _py_axpy(str level, double step, const float[::1] k, double[::1] g):
    if k.shape[0]:
        _named(level).axpy(step, &k[0], &g[0], k.shape[0])


def _py_update(str level, double[::1] g, const float[::1] ki, const float[::1] kj, double step,
               const int8_t[::1] up, const int8_t[::1] down):
    """Returns (g_max, g_min, i_max, j_min); g is changed in place."""
    cdef simd_extremes extremes
    if g.shape[0] == 0:
        _named(level).update(NULL, NULL, NULL, step, NULL, NULL, 0, &extremes)
    else:
        _named(level).update(&g[0], &ki[0], &kj[0], step, &up[0], &down[0], g.shape[0],
                             &extremes)
    return extremes.g_max, extremes.g_min, extremes.i_max, extremes.j_min


def _py_partner(str level, const double[::1] g, const float[::1] ki, const float[::1] diag,
                double g_i, float k_ii, const int8_t[::1] down):
    if g.shape[0] == 0:
        return _named(level).partner(NULL, NULL, NULL, g_i, k_ii, NULL, 0)
    return _named(level).partner(&g[0], &ki[0], &diag[0], g_i, k_ii, &down[0], g.shape[0])


def _py_update_one(str level, double[::1] g, const float[::1] k, double step,
                   const int8_t[::1] up, const int8_t[::1] down, const float[::1] bound):
    """Returns (sum of losses, g_max, g_min, i_max, j_min); g is changed in place."""
    cdef simd_extremes e
    cdef double loss
    if g.shape[0] == 0:
        loss = _named(level).update_one(NULL, NULL, step, NULL, NULL, NULL, 0, &e)
    else:
        loss = _named(level).update_one(&g[0], &k[0], step, &up[0], &down[0], &bound[0],
                                        g.shape[0], &e)
    return loss, e.g_max, e.g_min, e.i_max, e.j_min


def _py_update_two(str level, double[::1] g, const float[::1] ki, double step_i,
                   const float[::1] kj, double step_j, const int8_t[::1] up,
                   const int8_t[::1] down, const float[::1] bound=None):
    """Returns (sum of losses, g_max, g_min, i_max, j_min); g is changed in place."""
    cdef simd_extremes e
    cdef double loss
    cdef const float *bounds = NULL
    if g.shape[0] == 0:
        loss = _named(level).update_two(NULL, NULL, step_i, NULL, step_j, NULL, NULL, NULL, 0, &e)
    else:
        if bound is not None:
            bounds = &bound[0]
        loss = _named(level).update_two(&g[0], &ki[0], step_i, &kj[0], step_j, &up[0], &down[0],
                                        bounds, g.shape[0], &e)
    return loss, e.g_max, e.g_min, e.i_max, e.j_min


def _py_companion(str level, const double[::1] g, const float[::1] ki, const float[::1] diag,
                  double step_i, float k_ii, const int8_t[::1] up, const int8_t[::1] down):
    if g.shape[0] == 0:
        return _named(level).companion(NULL, NULL, NULL, step_i, k_ii, NULL, NULL, 0)
    return _named(level).companion(&g[0], &ki[0], &diag[0], step_i, k_ii, &up[0], &down[0],
                                   g.shape[0])


def _py_moments(str level, const double[::1] g, const double[::1] alpha,
                const float[::1] bound, const int8_t[::1] y):
    """Returns (sum of h, sum of h^2, sum of alpha g)."""
    cdef simd_moments m
    if g.shape[0] == 0:
        _named(level).moments(NULL, NULL, NULL, NULL, 0, &m)
    else:
        _named(level).moments(&g[0], &alpha[0], &bound[0], &y[0], g.shape[0], &m)
    return m.h, m.h_squared, m.alpha_g
