"""The SIMD primitives at every level of this machine, compared with NumPy at any length."""

import ctypes
import os

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_online_svm._core.simd import primitives as simd
from tests.support.cases import together
from tests.support.programs import FUSED_LEVELS, at_level

# Whole vectors, tails of every length, and lengths around the stretches of 512 of the loops that
# look for an extreme.
LENGTHS = [*range(41), 63, 511, 512, 513, 1024, 1500, 2047]

at_every_level = pytest.mark.parametrize("level", simd.simd_levels())
at_any_length = together(n=LENGTHS)
of_every_kind = together(kind=("mixed", "all", "none", "single"))


def test_best_available_level_is_used():
    levels = simd.simd_levels()
    assert levels[-1] == "portable"
    assert len(set(levels)) == len(levels)
    assert simd.simd_level() == os.environ.get(simd.ENVIRONMENT_VARIABLE, levels[0])


# -- calls ------------------------------------------------------------------------------


class Extremes(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_double) for name in ("g_max", "g_min")),
        *((name, ctypes.c_ssize_t) for name in ("i_max", "j_min")),
    ]


class Moments(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("h", "h_squared", "alpha_g")]


def values_of(structure):
    return tuple(getattr(structure, name) for name, _ in structure._fields_)


def in_c(argument):
    """Return an argument as C takes it: arrays and structures by address."""
    if argument is None:
        return ctypes.c_void_p()
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, ctypes.Structure):
        return ctypes.c_void_p(ctypes.addressof(argument))
    kinds = {int: ctypes.c_ssize_t, np.float32: ctypes.c_float}
    return kinds.get(type(argument), ctypes.c_double)(argument)


def call(level, name, *arguments, returns=None):
    """Call a primitive of a level by its address."""
    arguments = [in_c(argument) for argument in arguments]
    function = ctypes.CFUNCTYPE(returns, *map(type, arguments))
    return function(simd._addresses(level)[name])(*arguments)


def dot(level, k, a):
    return call(level, "dot", k, a, len(k), returns=ctypes.c_double)


def axpy(level, step, k, g):
    call(level, "axpy", step, k, g, len(k))


def update(level, g, ki, kj, step, up, down):
    extremes = Extremes()
    call(level, "update", g, ki, kj, step, up, down, len(g), extremes)
    return values_of(extremes)


def update_one(level, g, k, step, up, down, bound):
    extremes, kind = Extremes(), ctypes.c_double
    loss = call(level, "update_one", g, k, step, up, down, bound, len(g), extremes, returns=kind)
    return loss, *values_of(extremes)


def update_two(level, g, ki, step_i, kj, step_j, up, down, bound=None):
    arguments, extremes = (g, ki, step_i, kj, step_j, up, down, bound, len(g)), Extremes()
    loss = call(level, "update_two", *arguments, extremes, returns=ctypes.c_double)
    return loss, *values_of(extremes)


def partner(level, g, ki, diag, g_i, k_ii, down):
    gain = np.zeros(1, np.float32)
    arguments = g, ki, diag, g_i, np.float32(k_ii), down, len(g), gain
    return call(level, "partner", *arguments, returns=ctypes.c_ssize_t)


def companion(level, g, ki, diag, step_i, k_ii, up, down):
    gain = np.zeros(1, np.float32)
    arguments = g, ki, diag, step_i, np.float32(k_ii), up, down, len(g), gain
    return call(level, "companion", *arguments, returns=ctypes.c_ssize_t)


def moments(level, g, alpha, bound, y):
    sums = Moments()
    call(level, "moments", g, alpha, bound, y, len(g), sums)
    return values_of(sums)


@at_any_length
@pytest.mark.filterwarnings("ignore:(invalid|overflow):RuntimeWarning")
def test_levels_have_the_same_bits(n):
    """Whatever the width of the registers: all results of all primitives of the solvers."""
    ki, kj, g = numbers(n)
    y, bound, up, down = hinge(n, "mixed")
    diag, alpha, x = 2.0 + np.abs(kj), numbers(n, seed=1)[2], np.linspace(-90, 90, n)

    def results(level):
        gs = [g.copy() for _ in range(5)]
        axpy(level, 0.3, ki, gs[0])
        found = [
            dot(level, ki, alpha),
            update(level, gs[1], ki, kj, 0.3, up, down),
            update_one(level, gs[2], ki, 0.3, up, down, bound),
            update_two(level, gs[3], ki, 0.3, kj, -1.7, up, down, bound),
            update_two(level, gs[4], ki, 0.3, kj, -1.7, up, down),
            partner(level, g, ki, diag, 2.0, 3.0, down),
            companion(level, g, ki, diag, 0.4, 3.0, up, down),
            moments(level, g, alpha, bound, y),
        ]
        places, columns = np.arange(n, dtype=np.int32), np.outer(alpha, np.linspace(0, 1, 8))
        gs.append(np.ones(8))
        call(level, "functions", ki, places, columns, n, 8, gs[-1])
        exps = exp_of(level, x), exp_of(level, x.astype(np.float32))
        return np.array(repr(found)), *gs, *exps

    for level in FUSED_LEVELS[1:]:
        for expected, value in zip(results(FUSED_LEVELS[0]), results(level), strict=True):
            assert_array_equal(value, expected)


# -- exp --------------------------------------------------------------------------------


def exp_of(level, x):
    out = np.full_like(x, -1)
    call(level, "exp_f32" if x.dtype == np.float32 else "exp_f64", x, out, len(x))
    return out


def exact_exp(x):
    with np.errstate(over="ignore"):
        return np.exp(x.astype(np.longdouble))


# (type, exp is 0 below, exp is inf above, relative error), see primitives_level.h.
EXP_RANGES = [(np.float32, -87.3, 88.0, 3e-7), (np.float64, -708.0, 709.0, 5e-16)]


@at_every_level
@pytest.mark.parametrize("dtype, low, high, accuracy", EXP_RANGES)
def test_exp_is_accurate_on_its_whole_range(level, dtype, low, high, accuracy):
    rng = np.random.default_rng(0)
    small = np.geomspace(np.finfo(dtype).tiny, 1.0, 2000)
    halves = (np.arange(-1000, 1000) + 0.5) * np.log(2)  # where it rounds to the next power of 2
    x = np.concatenate(
        [
            np.linspace(low, high, 100_000),
            rng.uniform(low, high, 100_000),
            *(halves * (1 + shift) for shift in (-1e-7, -1e-15, 0, 1e-15, 1e-7)),
            small,
            -small,
        ]
    )
    x = x.astype(dtype)
    x = x[(x >= dtype(low)) & (x <= dtype(high))]
    exact = exact_exp(x)
    assert np.abs(exp_of(level, x) / exact - 1).max() < accuracy


@at_every_level
def test_exp_float32_is_accurate_bit_by_bit(level):
    """Every 1009th number of the range."""
    step = 1009
    positive = np.arange(0, np.float32(88.0).view(np.int32), step, dtype=np.int32)
    negative = np.arange(0, np.float32(87.3).view(np.int32), step, dtype=np.int32)
    x = np.concatenate([positive.view(np.float32), -negative.view(np.float32)])
    assert np.abs(exp_of(level, x) / np.exp(x.astype(np.float64)) - 1).max() < 3e-7


@at_every_level
@pytest.mark.parametrize("dtype, low, high, accuracy", EXP_RANGES)
def test_exp_at_the_ends(level, dtype, low, high, accuracy):
    low, high, info = dtype(low), dtype(high), np.finfo(dtype)
    below = np.nextafter(low, dtype(-np.inf))
    above = np.nextafter(high, dtype(np.inf))
    x = np.array(
        [below, 2 * low, info.min, -np.inf, above, 2 * high, info.max, np.inf], dtype=dtype
    )
    assert_array_equal(exp_of(level, x), [0] * 4 + [np.inf] * 4)
    inside = np.array([low, high, 0.0, -0.0, info.tiny, -info.smallest_subnormal], dtype=dtype)
    assert_allclose(exp_of(level, inside), exact_exp(inside).astype(dtype), rtol=accuracy)
    assert_array_equal(exp_of(level, inside)[2:], 1)


@at_every_level
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@together(n=range(1, 41))
def test_exp_in_tails_is_exp_in_vectors_and_nan_passes(level, dtype, n):
    x = np.linspace(-100, 100, 40).astype(dtype)
    x[::7] = np.nan
    out = exp_of(level, np.ascontiguousarray(x[:n]))
    assert_array_equal(out, exp_of(level, x)[:n])
    assert_array_equal(np.isnan(out), np.isnan(x[:n]))


# -- dot, axpy --------------------------------------------------------------------------


def numbers(n, seed=0):
    """(float32, float32, float64) arrays of length n."""
    rng = np.random.default_rng([n, seed])
    k = rng.normal(size=(2, n)).astype(np.float32)
    return k[0], k[1], rng.normal(size=n)


@at_every_level
@at_any_length
def test_dot(level, n):
    k, _, a = numbers(n)
    expected = np.sum(k.astype(np.longdouble) * a)
    bound = 1e-15 * (np.abs(k) @ np.abs(a))
    assert abs(dot(level, k, a) - expected) <= bound


@at_every_level
@at_any_length
def test_dot_with_zeros_behind_is_the_same_to_the_last_bit(level, n):
    """Free slots and the room up to the next tile count for nothing."""
    k, _, a = numbers(n)
    n_more = -n % 16
    padded = np.concatenate([k, np.ones(n_more, np.float32)]), np.r_[a, np.zeros(n_more)]
    shorter, longer = dot(level, k, a), dot(level, *padded)
    assert_allclose(shorter, longer, rtol=0, atol=1e-15 * (np.abs(k) @ np.abs(a)))
    if n % 16 == 0:
        assert shorter == longer


@at_every_level
@pytest.mark.parametrize("n_groups", [1, 2, 7])
def test_gather(level, n_groups):
    rng = np.random.default_rng(n_groups)
    row = rng.normal(size=100).astype(np.float32)
    base = rng.integers(0, 100 - 64 + 1, n_groups).astype(np.int32)
    offset = rng.integers(0, 64, (n_groups, 16)).astype(np.uint8)
    offset[0, :4] = 0, 31, 32, 63
    out = np.full(16 * n_groups + 1, np.nan, dtype=np.float32)
    call(level, "gather", row, base, offset, n_groups, out)
    assert_array_equal(out[:-1], row[base[:, None] + offset].ravel())
    assert np.isnan(out[-1])


@at_every_level
@pytest.mark.parametrize("lanes, n", [(4, 4), (8, 20), (24, 48), (64, 2048)])
def test_transpose(level, lanes, n):
    rows = np.random.default_rng(n).normal(size=(lanes, n + 16)).astype(np.float32)
    out = np.full(n * lanes + 1, np.nan, dtype=np.float32)
    call(level, "transpose", rows, n + 16, lanes, n, out)
    assert_array_equal(out[:-1].reshape(n, lanes), rows[:, :n].T)
    assert np.isnan(out[-1])


def several_functions(n, width, lanes):
    """Kernel values (slots, lanes), places, coefficients of which most are 0, and sums."""
    rng = np.random.default_rng([n, width, lanes])
    k = rng.normal(size=(2 * n, lanes)).astype(np.float32)
    places = rng.permutation(2 * n)[:n].astype(np.int32)
    coef = rng.normal(size=(n, width)) * (rng.random((n, width)) < 0.3)
    return k, places, coef, rng.normal(size=(width, lanes))


@at_every_level
@together(n=[0, 1, 5, 37, 512, 1100], width=[8, 16, 24, 32, 40, 104])
def test_functions(level, n, width):
    k, places, coef, sums = several_functions(n, width, 1)
    expected = sums[:, 0] + coef.T @ k[places, 0].astype(np.float64)
    call(level, "functions", k, places, coef, n, width, sums)
    assert_allclose(sums[:, 0], expected, rtol=0, atol=1e-12)


@at_every_level
@together(n=[0, 1, 5, 37, 512, 1100], lanes=[8, 16, 24, 32, 40, 56, 64])
def test_functions_of_a_block_are_those_of_its_samples_to_the_last_bit(level, n, lanes):
    width, n_functions = 16, 11
    k, places, coef, sums = several_functions(n, width, lanes)
    alone = sums.T.copy()
    expected = sums.copy()
    for r in range(lanes):
        k_alone = np.ascontiguousarray(k[:, r])
        of_sample = np.ascontiguousarray(alone[r])
        call(level, "functions", k_alone, places, coef, n, width, of_sample)
        expected[:n_functions, r] = of_sample[:n_functions]
    call(level, "functions_of_block", k, lanes, places, coef, n, width, n_functions, sums)
    assert_array_equal(sums, expected)


@at_every_level
@at_any_length
def test_axpy(level, n):
    k, _, g = numbers(n)
    expected = g + 0.7 * k.astype(np.float64)
    axpy(level, 0.7, k, g)
    assert_allclose(g, expected, rtol=1e-14, atol=1e-15)


@at_every_level
@together(place=[0, 5, 15, 16], value=[np.nan, np.inf, -np.inf])
def test_dot_and_axpy_pass_on_what_is_not_finite(level, value, place):
    k, _, a = numbers(17)
    a[place] = value
    with np.errstate(invalid="ignore"):
        assert_array_equal(dot(level, k, a), k @ a)
    axpy(level, 2.0, k, a)
    assert_array_equal(a[place], value)
    assert np.isfinite(np.delete(a, place)).all()


# -- update and extremes ----------------------------------------------------------------


def masks(n, kind):
    rng = np.random.default_rng(n)
    if kind == "mixed":
        return [-rng.integers(0, 2, n, dtype=np.int8) for _ in range(2)]
    if kind == "single":
        up, down = np.zeros((2, n), np.int8)
        up[n // 3 : n // 3 + 1] = down[2 * n // 3 : 2 * n // 3 + 1] = -1
        return up, down
    return [np.full(n, -1 if kind == "all" else 0, np.int8)] * 2


def expected_extremes(g, up, down):
    """(g_max, g_min, i_max, j_min), the lowest index of several."""
    g_up, g_down = np.where(up, g, -np.inf), np.where(down, g, np.inf)
    i = int(g_up.argmax()) if up.any() else -1
    j = int(g_down.argmin()) if down.any() else -1
    return (g[i] if i >= 0 else -np.inf), (g[j] if j >= 0 else np.inf), i, j


@at_every_level
@at_any_length
@of_every_kind
def test_update(level, n, kind):
    ki, kj, g = numbers(n)
    up, down = masks(n, kind)
    expected = g - 0.3 * (ki.astype(np.float64) - kj)
    extremes = update(level, g, ki, kj, 0.3, up, down)
    assert_allclose(g, expected, rtol=1e-14, atol=1e-15)
    # Exactly the extremes of the new g.
    assert extremes == expected_extremes(g, up, down)
    # A step of 0 only finds them.
    after = g.copy()
    assert update(level, g, ki, ki, 0.0, up, down) == extremes
    assert_array_equal(g, after)


@at_every_level
@together(n=[1, 7, 16, 40, 513, 1300])
def test_extremes_of_equal_gradients_are_the_lowest_open_slot(level, n):
    zeros, bound, g = np.zeros(n, np.float32), np.ones(n, np.float32), np.full(n, 0.5)
    up, down = np.full((2, n), -1, np.int8)
    for first in {0, n // 2, n - 1}:
        up[:first] = down[:first] = 0
        expected = (0.5, 0.5, first, first)
        assert update(level, g, zeros, zeros, 1.0, up, down) == expected
        found = update_one(level, g, zeros, 1.0, up, down, bound)
        assert found == (n / 2, *expected)
        assert update_two(level, g, zeros, 1.0, zeros, 1.0, up, down)[1:] == expected


@at_every_level
@pytest.mark.parametrize("n", [40, 513, 1300])
def test_extreme_at_every_place(level, n):
    zeros = np.zeros(n, np.float32)
    open_ = np.full(n, -1, np.int8)
    for place in range(n):
        g = np.zeros(n)
        g[place] = 1.0
        assert update(level, g, zeros, zeros, 0.0, open_, open_)[2] == place
        g[place] = -1.0
        assert update(level, g, zeros, zeros, 0.0, open_, open_)[3] == place


# -- partner ----------------------------------------------------------------------------


def gains(g, ki, diag, g_i, k_ii, down):
    curvature = np.maximum(float(k_ii) + diag - 2.0 * ki, 1e-12)
    return np.where(down.astype(bool) & (g < g_i), (g_i - g) ** 2 / curvature, 0.0)


@at_every_level
@at_any_length
@of_every_kind
def test_partner_promises_most(level, n, kind):
    ki, kj, g = numbers(n)
    diag = 1.0 + np.abs(kj)
    down = masks(n, kind)[1]
    for g_i in (0.0, 3.0):
        expected = gains(g, ki.astype(float), diag.astype(float), g_i, 3.0, down)
        j = partner(level, g, ki, diag, g_i, 3.0, down)
        if not (expected > 0).any():
            assert j == -1
        else:
            # Chosen in float32: one that promises as much, up to rounding.
            assert expected[j] >= expected.max() * (1 - 1e-5)


@at_every_level
@together(n=[1, 7, 16, 40, 513, 1300])
def test_partners_of_equal_gains_are_the_lowest_slot(level, n):
    same, g, signs = np.full(n, 0.5, np.float32), np.full(n, -1.0), np.full(n, -1.0)
    signs[::2] = 1.0
    up, down = np.full((2, n), -1, np.int8)
    for first in {0, n // 2, n - 1}:
        up[:first] = down[:first] = 0
        assert partner(level, g, same, 2 * same, 1.0, 1.0, down) == first
        assert companion(level, signs, same, 2 * same, 0.0, 1.0, up, down) == first


@at_every_level
def test_partner_where_the_curvature_is_not_positive(level):
    """It is floored: no division by 0, no negative gain."""
    g = np.array([-1.0, -1.0, -2.0])
    ki = np.array([1.0, 5.0, 0.0], np.float32)  # curvature 0, -8 and 2
    down = np.full(3, -1, np.int8)
    j = partner(level, g, ki, np.ones(3, np.float32), 1.0, 1.0, down)
    assert j in (0, 1)


# -- without a bias: one coordinate, two coordinates, sums --------------------------------


def hinge(n, kind):
    """Labels, bounds and the masks of what may move; a quarter of the slots is free.

    A free slot has bound 0 and moves neither way; the numbers left in it mean nothing.
    """
    rng = np.random.default_rng([n, 1])
    y = rng.choice([-1, 1], n).astype(np.int8)
    free = rng.random(n) < 0.25
    bound = np.where(free, 0.0, y * rng.uniform(0.1, 10.0, n)).astype(np.float32)
    up, down = masks(n, kind)
    return y, bound, np.where(free, 0, up).astype(np.int8), np.where(free, 0, down).astype(np.int8)


GARBAGE = (np.nan, np.inf, -np.inf, 1e300)


def with_garbage(array, bound):
    """Anything at all in the free slots."""
    free = np.flatnonzero(bound == 0)
    array[free] = np.resize(np.array(GARBAGE, array.dtype), len(free))
    return array


@at_every_level
@at_any_length
@of_every_kind
def test_update_one(level, n, kind):
    k, _, g = numbers(n)
    _, bound, up, down = hinge(n, kind)
    expected = g - 0.3 * k.astype(np.float64)
    loss, *extremes = update_one(level, g, k, 0.3, up, down, bound)
    assert_allclose(g, expected, rtol=1e-14, atol=1e-15)
    assert tuple(extremes) == expected_extremes(g, up, down)
    assert_allclose(loss, np.maximum(0.0, bound * g).sum(), rtol=1e-13)


@at_every_level
@at_any_length
@of_every_kind
def test_update_two(level, n, kind):
    ki, kj, g = numbers(n)
    up, down = masks(n, kind)
    expected = g - 0.3 * ki.astype(np.float64) + 1.7 * kj.astype(np.float64)
    with_loss = g.copy()
    none, *extremes = update_two(level, g, ki, 0.3, kj, -1.7, up, down)
    assert none == 0.0
    assert_allclose(g, expected, rtol=1e-14, atol=1e-14)
    assert tuple(extremes) == expected_extremes(g, up, down)
    bound = np.linspace(-2, 2, n).astype(np.float32)
    loss, *same = update_two(level, with_loss, ki, 0.3, kj, -1.7, up, down, bound)
    assert same == extremes
    assert_array_equal(with_loss, g)
    assert_allclose(loss, np.maximum(0, bound.astype(float) * g).sum(), rtol=1e-12)


@at_every_level
@at_any_length
@pytest.mark.filterwarnings("ignore:(invalid|overflow):RuntimeWarning")
def test_updates_are_not_spoilt_by_free_slots(level, n):
    ki, kj, g = numbers(n)
    _, bound, up, down = hinge(n, "all")
    dirty = with_garbage(ki.copy(), bound)

    def one(g, k):
        return update_one(level, g, k, 0.3, up, down, bound)

    def two(g, k):
        return update_two(level, g, k, 0.3, kj, 0.2, up, down)

    for step, rows in ((one, (ki, dirty)), (two, (ki,))):
        clean = g.copy()
        expected = step(clean, ki)
        for row in rows:
            found = with_garbage(g.copy(), bound)
            assert step(found, row) == expected
            assert_array_equal(found[bound != 0], clean[bound != 0])


def gains_of_two(g, ki, diag, step_i, k_ii, up, down):
    """What a step on each slot adds to the dual (twice that), after a step on i."""
    ki, diag = ki.astype(float), diag.astype(float)
    left = g - step_i * ki
    curvature = np.maximum(diag - ki**2 / max(k_ii, 1e-12), 1e-6)
    return np.where(np.where(left > 0, up, down).astype(bool), left**2 / curvature, 0.0)


@at_every_level
@at_any_length
@of_every_kind
def test_companion_promises_most(level, n, kind):
    ki, kj, g = numbers(n)
    k_ii = 3.0
    diag = 0.5 + np.abs(kj) + ki**2 / np.float32(k_ii)  # as of a positive definite kernel
    up, down = masks(n, kind)
    for step_i in (0.0, 0.4, -3.0):
        expected = gains_of_two(g, ki, diag, step_i, k_ii, up, down)
        j = companion(level, g, ki, diag, step_i, k_ii, up, down)
        if not (expected > 0).any():
            assert j == -1
        else:
            # Chosen in float32: one that promises as much, up to rounding.
            assert expected[j] >= expected.max() * (1 - 1e-5)


@at_every_level
@at_any_length
@pytest.mark.filterwarnings("ignore:(invalid|overflow):RuntimeWarning")
def test_companion_is_not_a_free_slot(level, n):
    ki, kj, g = numbers(n)
    diag = 2.0 + np.abs(kj) + ki**2
    _, bound, up, down = hinge(n, "all")
    expected = companion(level, g, ki, diag, 0.4, 1.0, up, down)
    dirty = [with_garbage(array.copy(), bound) for array in (g, ki, diag)]
    assert companion(level, *dirty, 0.4, 1.0, up, down) == expected
    assert expected == -1 or bound[expected] != 0


@at_every_level
def test_companion_follows_its_gradient_after_the_step(level):
    """The second is the largest gradient before the step on i; after it, it is none."""
    g, ki = np.array([0.5, 2.0, -0.4]), np.array([0.0, 1.0, 0.0], np.float32)
    diag, open_ = np.full(3, 2.0, np.float32), np.full(3, -1, np.int8)
    closed = np.zeros(3, np.int8)
    assert companion(level, g, ki, diag, 0.0, 1.0, open_, open_) == 1
    assert companion(level, g, ki, diag, 2.0, 1.0, open_, open_) == 0
    assert companion(level, g, ki, diag, 2.0, 1.0, closed, open_) == 2
    assert companion(level, g, ki, diag, 2.0, 1.0, closed, closed) == -1


@at_every_level
def test_companion_where_the_curvature_is_not_positive(level):
    """It is floored: no division by 0, no negative gain."""
    g, ki = np.array([1.0, 1.0, 2.0]), np.array([1.0, 5.0, 0.0], np.float32)
    open_ = np.full(3, -1, np.int8)
    for k_ii in (1.0, 0.0, -1.0):
        j = companion(level, g, ki, np.ones(3, np.float32), 0.0, k_ii, open_, open_)
        assert j in (0, 1)


@at_every_level
@at_any_length
@pytest.mark.filterwarnings("ignore:(invalid|overflow):RuntimeWarning")
def test_moments(level, n):
    _, _, g = numbers(n)
    y, bound, _, _ = hinge(n, "all")
    bound[::3] *= -1  # boxes on the other side of 0
    limit = bound.astype(np.float64)
    alpha = limit * np.random.default_rng(n).random(n)
    h = np.abs(limit) * y * g
    expected = h.sum(), (h * h).sum(), (alpha * g).sum()
    bounds = [1e-14 * np.abs(terms).sum() for terms in (h, h * h, alpha * g)]
    for g_of_any in (g, with_garbage(g.copy(), bound)):
        found = moments(level, g_of_any, alpha, bound, y)
        for value, right, error in zip(found, expected, bounds):
            assert abs(value - right) <= error


# -- the choice of the level ------------------------------------------------------------

# At the level "unfused" the last bits differ, and may decide between equals: what has to agree is
# the optimum.
PROGRAM = """
import sys
import numpy as np
from scipy.sparse import csr_matrix
from sklearn_online_svm import LASVC, ColumnKernel, show_versions
from sklearn_online_svm._core.simd.primitives import simd_level
from sklearn_online_svm.datasets import make_waveform

X, y = make_waveform(300, random_state=0)
decisions = []
kernels = "linear poly rbf sigmoid laplacian tanimoto cosine intersection chi2".split()
for kernel in kernels:
    gamma = 0.002 if kernel == "sigmoid" else 0.02
    if kernel in ("intersection", "chi2"):
        X = np.abs(X)
    for data in (X, X.astype(np.float32), csr_matrix(X), csr_matrix(X.astype(np.float32))):
        model = LASVC(kernel=kernel, gamma=gamma, max_iter=-1, tol=1e-6, random_state=0)
        decisions.append(model.fit(data[:200], y[:200]).decision_function(data[200:]))
groups = ColumnKernel([("rbf", [0, 1, 2]), ("overlap", [3, 4])], combine="product")
model = LASVC(kernel=groups, max_iter=-1, tol=1e-6, random_state=0)
decisions.append(model.fit(X[:200].round(), y[:200]).decision_function(X[200:].round()))
model = LASVC(algorithm="lasvm-g", gamma=0.02, max_iter=-1, tol=1e-6, random_state=0)
decisions.append(model.fit(X[:200], y[:200]).decision_function(X[200:]))
model = LASVC(multi_class="ovo", gamma=0.02, max_iter=-1, tol=1e-6, random_state=0)
model.fit(X[:200], (y + 4 * (X[:, 5] > np.median(X[:, 5])))[:200])
decisions.append(model.decision_function(X[200:])[:, 1])
np.save(sys.argv[1], decisions)
print("level:", simd_level())
show_versions()
"""


@pytest.mark.slow
def test_each_level_can_be_forced_and_finds_the_same_optimum(tmp_path):
    decisions = {}
    for level in simd.simd_levels():
        path = tmp_path / f"{level}.npy"
        result = at_level(level, PROGRAM, path)
        assert result.returncode == 0, result.stderr
        assert f"level: {level}\n" in result.stdout
        assert f"SIMD level: {level} (" in result.stdout
        assert f"available: {', '.join(simd.simd_levels())})" in result.stdout
        decisions[level] = np.load(path)
    for level in decisions:
        if level in FUSED_LEVELS:
            assert_array_equal(decisions[level], decisions["portable"])
        else:
            assert_allclose(decisions[level], decisions["portable"], rtol=0, atol=1e-3)


def test_invalid_level_is_rejected():
    result = at_level("sse9", "from sklearn_online_svm import LASVC")
    assert result.returncode != 0
    assert (
        "ImportError: SOSVM_SIMD='sse9' is not a SIMD level of this machine; available: "
        f"{', '.join(simd.simd_levels())}." in result.stderr
    )
