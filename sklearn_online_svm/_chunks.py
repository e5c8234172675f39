"""Chunks of samples of any kind: arrays, sparse matrices, data frames, lists."""

import copy

import numpy as np
from scipy import sparse

from ._sklearn_compat import _safe_indexing


def copied(array):
    """Return a copy that shares no memory with the caller's array, or None for None."""
    if hasattr(array, "clone"):  # polars
        return array.clone()
    return array.copy() if hasattr(array, "copy") else copy.copy(array)


def part_of(samples, *arrays):
    """Return some samples of arrays that may be None."""
    return tuple(None if a is None else _safe_indexing(a, samples) for a in arrays)


def selected(rows, *arrays):
    """Return some rows of arrays and CSR matrices that may be None."""
    return tuple(None if a is None else a[rows] for a in arrays)


def joined_weights(weights, sizes):
    """Concatenate the weights of parts of these sizes, 1 where there are none; None if all are."""
    if all(given is None for given in weights):
        return None
    pairs = zip(weights, sizes, strict=True)
    return np.concatenate([np.ones(n) if given is None else given for given, n in pairs])


def stacked(parts):
    """Concatenate arrays, sparse matrices, data frames or lists along the samples."""
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack([sparse.csr_matrix(part) for part in parts], format="csr")
    if hasattr(parts[0], "iloc"):
        from pandas import concat

        return concat(parts)
    if hasattr(parts[0], "clone"):
        from polars import concat

        return concat(parts)
    if isinstance(parts[0], list):
        return [value for part in parts for value in part]
    return np.concatenate(parts)
