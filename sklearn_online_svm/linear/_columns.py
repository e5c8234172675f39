"""Columns of sparse rows that have occurred: the only ones that a model of many vectors keeps."""

import numpy as np
from scipy import sparse


class Columns:
    """Places of columns in arrays: their own, or in the order in which they have occurred.

    Place 0 stands then for all columns that have not; nothing is ever learnt there.

    Parameters
    ----------
    n_features : int
    met : ndarray of int32, optional
        Columns that have occurred; without it each column has its own place.
    """

    def __init__(self, n_features, met=None):
        self.n_features = n_features
        self.met = None
        if met is not None:
            self.place = np.zeros(n_features, dtype=np.int32)
            self.met = np.zeros(0, dtype=np.int32)
            self.admit(met)

    @property
    def n_places(self):
        return self.n_features if self.met is None else 1 + len(self.met)

    def unmet(self, indices):
        """Return the columns among these that have no place yet."""
        new = indices[self.place[indices] == 0]
        return np.unique(new) if len(new) else new

    def admit(self, new):
        """Give columns a place."""
        self.place[new] = np.arange(self.n_places, self.n_places + len(new))
        self.met = np.concatenate([self.met, new])

    def rows(self, X, width):
        """Rows with the columns of arrays that are so wide.

        Columns that have got a place since these arrays were made are at place 0, too.
        """
        if self.met is None:
            return X
        X = sparse.csr_matrix(X)
        places = self.place[X.indices]
        places[places >= width] = 0
        return sparse.csr_matrix((X.data, places, X.indptr), (X.shape[0], width))

    def spread(self, array):
        """Return an array with all columns at their own places; 0 where they have none here."""
        if self.met is None:
            return array
        width = min(array.shape[-1], self.n_places)
        full = np.zeros((*array.shape[:-1], self.n_features), array.dtype)
        full[..., self.met[: width - 1]] = array[..., 1:width]
        return full
