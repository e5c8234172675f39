"""Virtual points: between a row and one of its neighbours in kernel space (VIRTUAL, [1]_).

.. [1] S. Ertekin. Learning in Extreme Conditions. PhD thesis, The Pennsylvania State University,
   2009, chapter 5.
"""

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import gen_batches

# Distances that are held at a time.
_DISTANCES = 2**22


class VirtualPoints:
    """Rows of one class, their nearest neighbours, and points on the segments between them.

    The distance is that in kernel space, :math:`K_{ii} + K_{mm} - 2 K_{im}`; the points lie in
    the space of X, so a precomputed kernel has none.

    Parameters
    ----------
    X : {ndarray, CSR matrix} of shape (n_samples, n_features)
        Of float32 or float64; points are of the same type and layout.
    kernel : Kernel
    n_neighbors : int, default=5
        Where there are fewer other rows, all of them are neighbours.
    seen : {ndarray, CSR matrix} of shape (n_samples, n_seen), default=None
        The rows as the kernel sees them, in a pipeline; None: X.

    Attributes
    ----------
    n_neighbors : int
        Neighbours that a row really has; 0 if X has a single row.
    """

    def __init__(self, X, kernel, n_neighbors=5, seen=None):
        self.X = X
        self._seen = X if seen is None else seen
        self.n_neighbors = min(n_neighbors, X.shape[0] - 1)
        self._kernel = kernel
        # In the space of these kernels the order is that of the input; and where the values of
        # rbf are all 0, because everything is far away, there is still a nearest row.
        self._squares = None if kernel.orders_like_input else kernel.diagonal(self._seen)

    def neighbors(self, rows):
        """Places of the nearest other rows, the nearest first; (len(rows), n_neighbors).

        Of rows equally close the first ones are taken. A row is no neighbour of itself, but rows
        equal to it are.
        """
        rows = np.asarray(rows, dtype=np.intp)
        k = self.n_neighbors
        found = np.empty((len(rows), k), dtype=np.intp)
        for batch in gen_batches(len(rows), max(1, _DISTANCES // self.X.shape[0])):
            distances = self._distances(rows[batch])
            distances[np.arange(len(distances)), rows[batch]] = np.inf
            for nearest, distance in zip(found[batch], distances):
                nearest[:] = _smallest(distance, k)
        return found

    def draw(self, rows, random):
        """Draw a point for each of the rows, and return the points and their other ends.

        Neighbours are drawn first, for all rows, then the places on the segments.

        Parameters
        ----------
        rows : array-like of int of shape (n_points,)
            Places in X; a row of which several points are wanted is there several times.
        random : RandomState instance

        Returns
        -------
        points : {ndarray, CSR matrix} of shape (n_points, n_features)
            ``share * X[rows] + (1 - share) * X[ends]`` with a share that is uniform in (0, 1).
        ends : ndarray of shape (n_points,)
            Places in X.
        """
        distinct, which = np.unique(rows, return_inverse=True)
        chosen = random.randint(self.n_neighbors, size=len(which))
        ends = self.neighbors(distinct)[which, chosen]
        share = np.maximum(random.uniform(size=len(which)), np.finfo(np.float64).tiny)
        return between(self.X, np.asarray(rows, dtype=np.intp), ends, share), ends

    def _distances(self, rows):
        some = self._seen[rows]
        if self._squares is None:
            return euclidean_distances(some, self._seen, squared=True)
        values = self._kernel(some, self._seen)
        return self._squares[rows][:, None] + self._squares - 2 * values


def _smallest(values, k):
    """Places of the k smallest values in ascending order; of equal ones the first."""
    if k == 0:
        return []
    places = np.flatnonzero(values <= np.partition(values, k - 1)[k - 1])
    return places[np.argsort(values[places], kind="stable")[:k]]


def between(X, first, second, share):
    """Points ``share * X[first] + (1 - share) * X[second]``; CSR rows give CSR rows."""
    share, rest = (part.astype(X.dtype) for part in (share, 1 - share))
    if sparse.issparse(X):
        share, rest = (sparse.diags(part, dtype=X.dtype) for part in (share, rest))
        points = (share @ X[first] + rest @ X[second]).tocsr()
        return type(X)(points)
    return share[:, None] * X[first] + rest[:, None] * X[second]
