"""Manhattan distances and sums of differences, at each SIMD level."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sklearn_online_svm._core.kernel import manhattan
from sklearn_online_svm._core.simd import primitives as simd
from tests.support.programs import FUSED_LEVELS, at_level

SHAPES = [(1, 1, 1), (3, 16, 2), (9, 17, 5), (64, 64, 7), (65, 130, 33), (150, 100, 4)]

PROGRAM = """
import sys
import numpy as np
from sklearn_online_svm._core.simd.primitives import simd_level
from tests.core.test_manhattan import SHAPES, computed
np.savez(sys.argv[1], *[
    array for shape in SHAPES for dtype in (np.float32, np.float64)
    for array in computed(*shape, dtype)
])
print(simd_level())
"""


def computed(n, n_others, d, dtype):
    """Samples, weights, and what the engine computes of them."""
    rng = np.random.default_rng([n, n_others, d])
    X, Z = (rng.normal(size=(rows, d)).astype(dtype) for rows in (n, n_others))
    tiles = manhattan.tiled(Z)
    n_slots = len(tiles) * tiles.shape[2]
    W = np.zeros((n, n_slots), dtype=dtype)
    W[:, :n_others] = rng.normal(size=(n, n_others))
    distances = manhattan.distances(X, tiles)
    own = manhattan.tiled(X)
    V = np.zeros((n, len(own) * own.shape[2]), dtype=dtype)
    V[:, :n] = np.triu(rng.normal(size=(n, n)))
    return (
        X, Z, W, V, distances, manhattan.sums_of_differences(X, tiles, W),
        manhattan.distances(X, own, True), manhattan.sums_of_differences(X, own, V, True),
    )  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", SHAPES)
def test_values_are_those_of_numpy(shape, dtype):
    X, Z, W, V, distances, sums, own, own_sums = computed(*shape, dtype)
    accuracy = dict(rtol=0, atol=1e-4 if dtype == np.float32 else 1e-11)
    accuracy_of_sums = dict(rtol=0, atol=1e-3 if dtype == np.float32 else 1e-10)
    between, among = np.abs(X[:, None] - Z), np.abs(X[:, None] - X)
    assert_allclose(distances[:, : len(Z)], between.sum(axis=2), **accuracy)
    assert_allclose(np.triu(own[:, : len(X)]), np.triu(among.sum(axis=2)), **accuracy)
    expected = np.einsum("ij,ijk->k", W[:, : len(Z)], between)
    assert_allclose(sums, expected, **accuracy_of_sums)
    expected = np.einsum("ij,ijk->k", V[:, : len(X)], among)
    assert_allclose(own_sums, expected, **accuracy_of_sums)


@pytest.mark.slow
def test_levels_have_the_same_bits(tmp_path):
    found = {}
    for level in simd.simd_levels():
        result = at_level(level, PROGRAM, str(tmp_path / "values.npz"))
        assert result.stdout.strip() == level, result.stderr
        with np.load(tmp_path / "values.npz") as arrays:
            found[level] = [arrays[name] for name in arrays]
    for level in FUSED_LEVELS:
        for values, expected in zip(found[level], found["portable"], strict=True):
            assert values.tobytes() == expected.tobytes()
