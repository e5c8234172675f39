"""Arrays of samples in memory: their validity, and what the linear update loop takes of them."""

import copy

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import assert_all_finite

from ._core.linear.rows import is_canonical

_PARTS = ("data", "indices", "indptr")
_INT32_MAX = np.iinfo(np.int32).max


def with_valid_indices(X, name="X"):
    """Return samples; raise an error for a sparse matrix with invalid indices.

    SciPy checks them only in its constructors, and reads and writes outside of arrays if they were
    changed later. Arrays, and CSR matrices in the usual form, are returned as they are.
    """
    if not sparse.issparse(X):
        return X
    if X.format not in ("csr", "csc", "bsr", "coo"):
        X = X.tocsr()
    of_coo = X.format == "coo"
    indices = (X.row, X.col) if of_coo else (X.indices, X.indptr)
    try:
        if not all(array.dtype.kind in "iu" for array in indices):
            raise ValueError("indices must be integers")
        if of_coo:
            return type(X)((X.data, indices), shape=X.shape)  # the constructor checks
        if X.format == "csr" and _is_canonical(X):
            return X
        if (X.indptr[1:] < X.indptr[:-1]).any():  # not checked if the last one is 0
            raise ValueError("indptr must be a non-decreasing sequence")
        X = copy.copy(X)  # the check replaces arrays
        X.check_format(full_check=True)
        if not X.has_canonical_format:
            X = X.copy()  # a change of the dtype would sum duplicates in the caller's arrays
    except ValueError as error:
        raise ValueError(f"{name} is not a valid {X.format.upper()} matrix: {error}.") from None
    for part in _PARTS:
        setattr(X, part, np.require(getattr(X, part), requirements=["C", "A"]))
    return X


def _is_canonical(X):
    """Return whether CSR samples have the usual arrays, and valid and distinct columns."""
    data, indices, indptr = X.data, X.indices, X.indptr
    n_samples, n_features = X.shape
    return (
        indices.dtype == np.int32
        and indptr.dtype in (np.int32, np.int64)
        and data.dtype.isnative
        and data.shape == indices.shape == (indptr[-1] if indptr.size else 0,)
        and indptr.shape == (n_samples + 1,)
        and n_features <= _INT32_MAX
        and _is_plain(data)
        and _is_plain(indices)
        and _is_plain(indptr)
        and is_canonical(indices, indptr.astype(np.int64, copy=False), n_features)
    )


def _is_plain(array):
    flags = array.flags
    return flags.c_contiguous and flags.aligned


def sample_arrays(X):
    """Return the array of dense samples, or data, indices and indptr of CSR samples."""
    if isinstance(X, np.ndarray):
        return X
    return (X.data, X.indices.astype(np.int32, copy=False), X.indptr.astype(np.int64, copy=False))


def canonical_csr(X):
    """Return CSR samples with sorted columns and no duplicates."""
    if not _is_canonical(X):
        X = with_valid_indices(X).copy()
        X.sum_duplicates()
    return X


def check_norms(estimator, X, largest):
    """Raise the error for the first sample whose squared norm exceeds ``largest``.

    For a caller that trains sample by sample, and must refuse a chunk before the first one.
    """
    with np.errstate(over="ignore"):
        norms = row_norms(X, squared=True)
    too_large = np.flatnonzero(~(norms <= largest))
    if len(too_large):
        raise_sample_error(estimator, X, too_large[0])


def raise_sample_error(estimator, X, row):
    """Raise the error for a sample that is not finite or has too large a norm."""
    name = type(estimator).__name__
    values = X[row] if isinstance(X, np.ndarray) else X[row].data
    assert_all_finite(values, input_name="X", estimator_name=name)
    remedy = "scale the features"
    if getattr(estimator, "a", 1.0) < 1.0:
        remedy += f", or choose a larger a than {estimator.a!r}"
    raise ValueError(
        f"Row {row} of X has a squared norm that is too large for {X.dtype}; {remedy}."
    )
