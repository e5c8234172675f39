"""Manhattan distances of samples, and the sums that their derivatives with respect to widths need.

Used by the descent of ``KernelMetric``, in single precision; tests use double precision. Samples
are C-contiguous arrays, and the others are in the tiles of :func:`tiled`, padded by zeros. With
``symmetric`` both are the same samples, and only the tiles from the diagonal on are computed.
"""
from ..memory cimport address
from ..simd.primitives cimport SIMD_TILE, simd_manhattan, table

import numpy as np

# Rows of a block, a multiple of the tile; in a symmetric matrix it begins at the diagonal.
cdef enum:
    STRIPE = 4 * SIMD_TILE


cdef const simd_manhattan *loops(samples) except NULL:
    if samples.dtype == np.float32:
        return table().manhattan_f32
    assert samples.dtype == np.float64
    return table().manhattan_f64


def tiled(samples):
    """Return the samples in tiles: (n_tiles, n_features, lanes)."""
    n, d = samples.shape
    tiles = np.zeros((-(-n // SIMD_TILE), d, SIMD_TILE), dtype=samples.dtype)
    for first in range(0, n, SIMD_TILE):
        part = samples[first : first + SIMD_TILE]
        tiles[first // SIMD_TILE, :, : len(part)] = part.T
    return tiles


def distances(samples, tiles, bint symmetric=False):
    """Return |x - z|_1 of all pairs, with columns of the padding: (n_samples, n_slots).

    With ``symmetric``, elements below the diagonal may be 0.
    """
    cdef:
        Py_ssize_t n = len(samples), d = samples.shape[1], stripe, first, rows
        Py_ssize_t n_slots = len(tiles) * SIMD_TILE
        const simd_manhattan *use = loops(samples)
        Py_ssize_t size = samples.itemsize
    out = np.zeros((n, n_slots), dtype=samples.dtype)
    cdef:
        char *x = <char *>address(samples)
        char *z = <char *>address(tiles)
        char *to = <char *>address(out)
    with nogil:
        for stripe in range((n + STRIPE - 1) // STRIPE):
            first = stripe * STRIPE
            rows = min(STRIPE, n - first)
            use.distances(x + first * d * size, rows, d, z, first if symmetric else 0, n_slots,
                          to + first * n_slots * size, n_slots)
    return out


def sums_of_differences(samples, tiles, weights, bint symmetric=False):
    """Return sum_rs W_rs |x_r[k] - z_s[k]| of each feature k: (n_features,), float64.

    ``weights`` has the type of the samples and the shape of :func:`distances`, with zeros in the
    columns of the padding.
    """
    assert weights.dtype == samples.dtype == tiles.dtype
    assert weights.shape == (len(samples), len(tiles) * SIMD_TILE)
    cdef:
        Py_ssize_t n = len(samples), d = samples.shape[1], stripe, first, rows
        Py_ssize_t n_slots = len(tiles) * SIMD_TILE
        const simd_manhattan *use = loops(samples)
        Py_ssize_t size = samples.itemsize
    out = np.zeros(d)
    scratch = np.empty(d * SIMD_TILE, dtype=samples.dtype)
    cdef:
        char *x = <char *>address(samples)
        char *z = <char *>address(tiles)
        char *w = <char *>address(weights)
        char *lanes = <char *>address(scratch)
        double *sums = <double *>address(out)
    with nogil:
        for stripe in range((n + STRIPE - 1) // STRIPE):
            first = stripe * STRIPE
            rows = min(STRIPE, n - first)
            use.sums(x + first * d * size, rows, d, z, first if symmetric else 0, n_slots,
                     w + first * n_slots * size, n_slots, lanes, sums)
    return out
