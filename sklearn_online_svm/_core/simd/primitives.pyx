"""Run-time selection of the SIMD level of the primitives (``primitives.h``)."""
import os

cdef extern from "primitives_levels.h" nogil:
    enum:
        SIMD_MAX_LEVELS
    int simd_available(const simd_table **)

cdef const simd_table *_tables[SIMD_MAX_LEVELS]
cdef int _n_tables = simd_available(_tables)
cdef const simd_table *_table = _tables[0]

ENVIRONMENT_VARIABLE = "SOSVM_SIMD"


cdef const simd_table *table() noexcept nogil:
    return _table


def simd_levels():
    """Return the levels that this machine and build support, best first."""
    return [_tables[i].name.decode() for i in range(_n_tables)]


def simd_level():
    """Return the level in use: the best one, or the one that ``SOSVM_SIMD`` names."""
    return _table.name.decode()


def _addresses(str level):
    """Return the addresses of the functions of a level that are tested one by one, by name."""
    cdef const simd_table *t = _tables[simd_levels().index(level)]
    return {
        "exp_f32": <size_t>t.exp_f32, "exp_f64": <size_t>t.exp_f64, "dot": <size_t>t.dot,
        "gather": <size_t>t.gather, "transpose": <size_t>t.transpose,
        "functions": <size_t>t.functions, "functions_of_block": <size_t>t.functions_of_block,
        "axpy": <size_t>t.axpy, "update": <size_t>t.update,
        "partner": <size_t>t.partner, "update_one": <size_t>t.update_one,
        "update_two": <size_t>t.update_two, "companion": <size_t>t.companion,
        "moments": <size_t>t.moments,
    }


if os.environ.get(ENVIRONMENT_VARIABLE):
    _level = os.environ[ENVIRONMENT_VARIABLE]
    if _level not in simd_levels():
        raise ImportError(
            f"{ENVIRONMENT_VARIABLE}={_level!r} is not a SIMD level of this machine; "
            f"available: {', '.join(simd_levels())}."
        )
    _table = _tables[simd_levels().index(_level)]
