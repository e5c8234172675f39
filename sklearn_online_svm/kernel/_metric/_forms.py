"""Forms of a metric: what its parameters do to samples, and the derivatives of distances.

A form maps scores of features to samples whose kernel is exp(-D), and computes the distances D of
such samples. Its derivatives are those of sum W D over pairs: the pairs of A above the diagonal
with the weights W_AA, and all pairs of B and A with the weights W_BA.
"""

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from ..._core.kernel import manhattan


class LaplacianWidths:
    """D = sum_j theta_j |a_j - b_j|, with a parameter log theta for each group of features."""

    # Scores are multiplied by this power of theta.
    _power = 1.0

    def __init__(self, groups):
        self.groups = groups

    def start(self, mean_differences):
        """Return the parameters of equal widths, with which the mean of D is 1."""
        return np.full(self.groups.max() + 1, -np.log(mean_differences.sum() or 1.0))

    @staticmethod
    def mean_differences(Z, weights):
        """Return the mean of |a_j - b_j| over all pairs of samples."""
        order = np.argsort(Z, axis=0)
        ascending = np.take_along_axis(Z, order, axis=0).astype(np.float64)
        below = np.cumsum(weights[order], axis=0)[:-1] / weights.sum()
        return 2.0 * np.einsum("ij,ij->j", below * (1.0 - below), np.diff(ascending, axis=0))

    def widths(self, parameters):
        """Return theta of each feature."""
        return np.exp(parameters)[self.groups]

    def factors(self, parameters):
        """Return what scores are multiplied by: a number for each feature, or a matrix."""
        return self.widths(parameters) ** self._power

    def distances(self, A, B):
        """Return those of A, which may be 0 below the diagonal, and those of B and A."""
        tiles = manhattan.tiled(A)
        return [
            manhattan.distances(samples, tiles, samples is A)[:, : len(A)] for samples in (A, B)
        ]

    def derivatives(self, Z_A, Z_B, parameters, W_AA, W_BA):
        factors = self.factors(parameters)
        sums = self._sums(apply(factors, Z_A), apply(factors, Z_B), W_AA, W_BA)
        return np.bincount(self.groups, sums)

    @staticmethod
    def _sums(A, B, W_AA, W_BA):
        tiles = manhattan.tiled(A)
        n_padding = len(tiles) * tiles.shape[2] - len(A)
        return sum(
            manhattan.sums_of_differences(
                samples, tiles, np.pad(W.astype(A.dtype), ((0, 0), (0, n_padding))), samples is A
            )
            for samples, W in ((A, W_AA), (B, W_BA))
        )

    @staticmethod
    def deviations(parameters):
        """Return the differences from equal widths."""
        return parameters - parameters.mean()


class RBFWidths(LaplacianWidths):
    """D = sum_j theta_j (a_j - b_j)^2, with a parameter log theta for each group of features."""

    _power = 0.5

    @staticmethod
    def mean_differences(Z, weights):
        """Return the mean of (a_j - b_j)^2 over all pairs of samples."""
        mean = np.average(Z, axis=0, weights=weights)
        return 2.0 * np.average((Z - mean) ** 2, axis=0, weights=weights)

    def distances(self, A, B):
        return [euclidean_distances(samples, A, squared=True) for samples in (A, B)]

    @staticmethod
    def _sums(A, B, W_AA, W_BA):
        sums = 0.0
        for samples, W in ((A, W_AA), (B, W_BA)):
            sums += W.sum(axis=1) @ samples**2 + W.sum(axis=0) @ A**2
            sums -= 2.0 * np.einsum("ij,ij->j", W @ A, samples)
        return sums


class RBFMap:
    """D = |L (a - b)|^2 with a matrix L = scale (I + P / sqrt(d)); P are the parameters."""

    mean_differences = staticmethod(RBFWidths.mean_differences)
    distances = RBFWidths.distances

    def start(self, mean_differences):
        """Return zeros, with which the mean of D is 1."""
        self._scale = (mean_differences.sum() or 1.0) ** -0.5
        return np.zeros((len(mean_differences),) * 2)

    def widths(self, parameters):
        """Return the squared length of the column of each feature."""
        return (self.factors(parameters) ** 2).sum(axis=0)

    def factors(self, parameters):
        d = len(parameters)
        return self._scale * (np.eye(d) + parameters / d**0.5)

    def derivatives(self, Z_A, Z_B, parameters, W_AA, W_BA):
        scatter = 0.0
        for Z, W in ((Z_A, W_AA), (Z_B, W_BA)):
            cross = Z.T @ (W @ Z_A)
            scatter += (Z.T * W.sum(axis=1)) @ Z + (Z_A.T * W.sum(axis=0)) @ Z_A - cross - cross.T
        return 2.0 * self._scale / len(parameters) ** 0.5 * self.factors(parameters) @ scatter

    @staticmethod
    def deviations(parameters):
        """Return the differences from a multiple of the identity."""
        return parameters - np.eye(len(parameters)) * np.trace(parameters) / len(parameters)


def apply(factors, Z):
    """Return the samples whose kernel is exp(-D)."""
    factors = factors.astype(Z.dtype)
    return Z * factors if factors.ndim == 1 else Z @ factors.T
