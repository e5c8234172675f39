"""Virtual points between a sample and one of its neighbours in kernel space.

VIRTUAL [1]_ adds such points to the training samples.

.. [1] S. Ertekin. Learning in Extreme Conditions. PhD thesis, The Pennsylvania State University,
   2009, chapter 5.
"""

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from .. import _limits


class VirtualPoints:
    """Samples of one class, their nearest neighbours, and points on the segments between them.

    The distance is that in kernel space, :math:`K_{ii} + K_{mm} - 2 K_{im}`. The points lie in
    the space of X, so a precomputed kernel cannot be used.

    ``n_neighbors``: number of neighbours; if there are fewer other samples, all of them are
        neighbours.
    ``seen``: the samples as transformed by a pipeline before they reach the kernel; None: X.
    """

    def __init__(self, X, kernel, n_neighbors=5, seen=None):
        self.X = X
        self._seen = X if seen is None else seen
        self.n_neighbors = min(int(n_neighbors), X.shape[0] - 1)
        self._kernel = kernel
        # These kernels order distances like the input space. Input distances also work where all
        # values of an rbf kernel are 0 because the samples are far apart.
        self._squares = None if kernel.preserves_distance_order else kernel.diagonal(self._seen)
        if self._squares is None and sparse.issparse(self._seen):
            # As euclidean_distances, which transposes the samples for each call.
            self._seen = self._seen.astype(np.float64)
            self._transposed = self._seen.T.tocsr()
            self._norms = row_norms(self._seen, squared=True)

    def neighbors(self, rows):
        """Return the indices of the nearest other samples, of shape (len(rows), n_neighbors).

        Sorted by distance; ties are resolved by index. A sample is not its own neighbour, but
        duplicates of it are.
        """
        rows = np.asarray(rows, dtype=np.intp)
        k = self.n_neighbors
        found = np.empty((len(rows), k), dtype=np.intp)
        size = max(1, _limits.VIRTUAL_DISTANCES_AT_ONCE // self.X.shape[0])
        for batch in gen_batches(len(rows), size):
            distances = self._distances(rows[batch])
            distances[np.arange(len(distances)), rows[batch]] = np.inf
            for nearest, distance in zip(found[batch], distances):
                nearest[:] = _smallest(distance, k)
        return found

    def draw(self, rows, random):
        """Draw a point for each of the samples; return the points and the neighbours used.

        Neighbours are drawn first, for all samples, then the positions on the segments. An index
        in ``rows`` that is repeated has several points.
        """
        distinct, which = np.unique(rows, return_inverse=True)
        chosen = random.randint(self.n_neighbors, size=len(which))
        ends = self.neighbors(distinct)[which, chosen]
        share = np.maximum(self._shares(len(which), random), np.finfo(np.float64).tiny)
        return between(self.X, np.asarray(rows, dtype=np.intp), ends, share), ends

    def _shares(self, n, random):
        """Draw the positions on the segments; studies of VIRTUAL place the points elsewhere."""
        return random.uniform(size=n)

    def _distances(self, rows):
        some = self._seen[rows]
        if self._squares is None and sparse.issparse(self._seen):
            products = (some @ self._transposed).toarray()
            return np.maximum(self._norms[rows][:, None] + self._norms - 2 * products, 0)
        if self._squares is None:
            return euclidean_distances(some, self._seen, squared=True)
        values = self._kernel(some, self._seen)
        return self._squares[rows][:, None] + self._squares - 2 * values


def _smallest(values, k):
    """Return the indices of the k smallest values in ascending order; ties by index."""
    if k == 0:
        return []
    places = np.flatnonzero(values <= np.partition(values, k - 1)[k - 1])
    return places[np.argsort(values[places], kind="stable")[:k]]


def between(X, first, second, share):
    """Return ``share * X[first] + (1 - share) * X[second]``, in CSR format for CSR input."""
    share, rest = (part.astype(X.dtype) for part in (share, 1 - share))
    if sparse.issparse(X):
        ends = X[first], X[second]
        for rows, part in zip(ends, (share, rest), strict=True):
            rows.data *= np.repeat(part, np.diff(rows.indptr))
        return ends[0] + ends[1]
    return share[:, None] * X[first] + rest[:, None] * X[second]
