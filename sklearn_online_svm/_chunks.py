"""Chunks of samples of any kind: arrays, sparse matrices, data frames, lists."""

import copy

import numpy as np
from scipy import sparse


def copied(array):
    """Return a copy that shares no memory with the caller's array."""
    if hasattr(array, "clone"):  # polars
        return array.clone()
    return array.copy() if hasattr(array, "copy") else copy.copy(array)


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
