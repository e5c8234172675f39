"""Columns of the features that have occurred in sparse samples."""

import numpy as np
from scipy import sparse

from .._transactions import PostponedInterrupts


class FeatureMap:
    """Map from features to columns of the weight arrays.

    Local models keep one weight vector per region. With sparse samples they allocate columns only
    for features that have occurred, in the order of their first occurrence; column 0 stands for
    all other features, and its weights stay at their initial values.

    ``seen`` (int32): features that have occurred. If None, each feature has its own column.
    """

    def __init__(self, n_features, seen=None):
        self.n_features = n_features
        self.seen = None
        if seen is not None:
            self.column_of = np.zeros(n_features, dtype=np.int32)
            self.seen = np.zeros(0, dtype=np.int32)
            self.add(seen)

    @property
    def n_columns(self):
        return self.n_features if self.seen is None else 1 + len(self.seen)

    def new_features(self, indices):
        """Return the features among these that have no column yet."""
        new = indices[self.column_of[indices] == 0]
        return np.unique(new) if len(new) else new

    def add(self, new):
        """Assign columns to features."""
        columns = np.arange(self.n_columns, self.n_columns + len(new))
        seen = np.concatenate([self.seen, new])
        with PostponedInterrupts():  # two features must not have the same column
            self.column_of[new], self.seen = columns, seen

    def map_samples(self, X, width):
        """Return samples with the columns of arrays of this width.

        Features whose column was assigned after the arrays were made are mapped to column 0.
        """
        if self.seen is None:
            return X
        X = sparse.csr_matrix(X)
        columns = self.column_of[X.indices]
        columns[columns >= width] = 0
        return sparse.csr_matrix((X.data, columns, X.indptr), (X.shape[0], width))

    def expand(self, array):
        """Return an array with one column per feature; 0 for features without a column."""
        if self.seen is None:
            return array
        width = min(array.shape[-1], self.n_columns)
        full = np.zeros((*array.shape[:-1], self.n_features), array.dtype)
        full[..., self.seen[: width - 1]] = array[..., 1:width]
        return full
