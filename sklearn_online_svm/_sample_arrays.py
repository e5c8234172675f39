"""Arrays of samples for the linear update loop."""

import numpy as np
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import assert_all_finite

from ._core.linear.rows import is_canonical


def sample_arrays(X):
    """Return the array of dense samples, or data, indices and indptr of CSR samples."""
    if isinstance(X, np.ndarray):
        return X
    return (
        X.data,
        X.indices.astype(np.int32, copy=False),
        X.indptr.astype(np.int64, copy=False),
    )


def canonical_csr(X):
    """Return CSR samples with sorted columns and no duplicates."""
    if X.indices.dtype != np.int32:
        X.check_format(full_check=True)
    _, indices, indptr = sample_arrays(X)
    if indptr[-1] > len(X.data) or not is_canonical(indices, indptr, X.shape[1]):
        X.check_format(full_check=True)  # raises an error for an invalid matrix
        X = X.copy()
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
