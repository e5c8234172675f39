"""Span estimates and bounds of the change of a decision value when its sample is left out.

All signs follow the package convention: alpha_i and its shift alpha_i S_i^2 have the sign of y_i.
"""

import numpy as np
from scipy import linalg

from ._solution_view import COARSE_JITTER

# Number of samples whose kernel values are computed at a time.
BLOCK = 512
# Factors of the jitter that are tried for a Cholesky factor, and maximum number of samples of a
# factor (512 MB).
JITTER_FACTORS = (1.0, 10.0, 100.0)
MAX_BASIS = 8000
# Maximum number of samples that join the free support vectors in replacing others.
N_JOINING = 250


# ------------------------------------------------------------------------------ the span


class Basis:
    """Samples that can replace a support vector, and squared spans with respect to them.

    With a bias the coefficients sum to 1. Then only differences of samples matter, and samples are
    centered at the mean of the basis, which keeps the matrix accurate far from the origin.
    """

    def __init__(self, solution, rows):
        self.solution, self.rows, self.has_bias = solution, rows, solution.has_bias
        if not len(rows):
            return
        self.values = solution.values_with(rows)
        K = self.values(rows)
        n = len(rows)
        self.means = K.mean(axis=0, dtype=np.float64)
        # With kernel values of 0 the matrix and its inverse have to be in the range of its type.
        self.scale = max(np.trace(K) / n, np.sqrt(np.finfo(K.dtype).tiny))
        if self.has_bias:
            means = self.means.astype(K.dtype)
            K -= means - means.mean()
            K -= means[:, None]
            # For coefficients that sum to 1 a constant changes nothing; it makes K regular.
            self.constant = max(np.trace(K) / n, self.scale * 1e-3)
            K += self.constant
            self.scale = np.trace(K) / n
        self.root, self.inverse = None, None
        potrf, trtri = linalg.get_lapack_funcs(("potrf", "trtri"), (K,))
        for factor in JITTER_FACTORS:
            regular = K.copy("F")
            regular[np.diag_indices(n)] += factor * solution.kernel.jitter * self.scale
            root, failed = potrf(regular, lower=1, clean=1, overwrite_a=1)
            if not failed:
                self.root, _ = trtri(root, lower=1, overwrite_c=1)
                break
        else:  # the kernel is not positive semidefinite
            try:
                self.inverse = linalg.inv(regular, check_finite=False)
            except linalg.LinAlgError:  # duplicates, with a jitter below the rounding of K
                regular[np.diag_indices(n)] += COARSE_JITTER * self.scale
                self.inverse = linalg.inv(regular, overwrite_a=True, check_finite=False)
        self.ones = self._solve(np.ones((n, 1), K.dtype))[:, 0]
        self.total = self.ones.sum(dtype=np.float64)

    def _solve(self, V):
        return self.inverse @ V if self.root is None else self.root.T @ (self.root @ V)

    def _own(self, rows):
        """Return the places of samples in the basis, and whether they are in it."""
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        return places, self.rows[places] == rows

    def squared_spans(self, rows):
        """Return the squared span of each sample; infinite if no other sample can replace it."""
        if not len(self.rows):
            return np.full(len(rows), np.inf) if self.has_bias else self.solution.diagonal(rows)
        squares = np.empty(len(rows))
        places, own = self._own(rows)
        squares[own] = self._of_own(places[own])
        others = np.flatnonzero(~own)
        for first in range(0, len(others), BLOCK):
            block = others[first : first + BLOCK]
            squares[block] = self._of_others(rows[block])
        return np.maximum(squares, 0.0)

    def _of_own(self, places):
        if self.has_bias and len(self.rows) == 1:
            return np.full(len(places), np.inf)
        if self.root is None:
            diagonal = self.inverse[places, places]
        else:
            diagonal = np.einsum("ij,ij->j", self.root, self.root)[places]
        if self.has_bias:
            diagonal = diagonal - self.ones[places] ** 2 / self.total
        with np.errstate(divide="ignore"):
            return 1.0 / diagonal

    def _of_others(self, rows):
        values, squares = self._centred(rows)
        if self.root is None:
            explained = (values * (self.inverse @ values)).sum(axis=0)
        else:
            (trmm,) = linalg.get_blas_funcs(("trmm",), (self.root, values))
            product = trmm(1.0, self.root, values, lower=1)
            explained = np.einsum("ij,ij->j", product, product)
        return squares - explained

    def _centred(self, rows):
        """Return centered kernel values of the basis and other samples, and their K(x, x)."""
        values, squares = self.values(rows), self.solution.diagonal(rows)
        if self.has_bias:
            means, constant = values.mean(axis=0, dtype=np.float64), self.means.mean()
            squares = squares - 2.0 * means + constant
            values -= self.means[:, None] + (means - constant - self.constant)
            squares = squares + self.constant
        return values, squares

    def combinations(self, rows):
        """Return the coefficients that replace each sample best, of shape (n_basis, n_rows)."""
        found = np.zeros((len(self.rows), len(rows)))
        if not len(self.rows):
            return found
        places, own = self._own(rows)
        if not own.all():
            found[:, ~own] = self._solve(self._centred(rows[~own])[0])
        places, diagonal = places[own], (places[own], np.arange(np.count_nonzero(own)))
        inverse = (
            self.inverse[:, places] if self.root is None else self.root.T @ self.root[:, places]
        )
        if self.has_bias:
            inverse -= np.outer(self.ones, self.ones[places]) / self.total
        with np.errstate(invalid="ignore"):  # 0 / 0 for the only sample of the basis
            inverse /= -inverse[diagonal]
        inverse[diagonal] = 0.0
        found[:, own] = inverse
        return found


# ------------------------------------------------------------------------------ shifts


def span_shifts(solution):
    """Return the decrease of f(x_i) if the same vectors stay free and the same at their bounds."""
    return shifts_by_spans(solution, solution.support, solution.free)


def replacement_shifts(solution, rows, joining):
    """Return the decrease of f(x_i) of support vectors, with more samples to replace them.

    ``joining``: samples with alpha = 0 that would become support vectors in another epoch; a part
    of them is used if there are many. Without them, the solution after a single epoch looks as if
    it depended on each of its vectors.
    """
    basis = np.union1d(solution.free, even_part(joining, N_JOINING))
    return shifts_by_spans(solution, rows, even_part(basis, MAX_BASIS))


def even_part(rows, n_most):
    """Return at most ``n_most`` of the rows, at even intervals."""
    if len(rows) <= n_most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, n_most).astype(np.intp)]


def shifts_by_spans(solution, rows, basis):
    """Return the decrease of f(x_i) of support vectors that the samples of a basis replace.

    If no sample can replace them, the vector that would become free next does.
    """
    squares, shifts = Basis(solution, basis).squared_spans(rows), np.zeros(len(solution.alpha))
    lost = np.isinf(squares)
    squares[lost] = 0.0
    shifts[rows] = solution.alpha[rows] * (squares - solution.ridge[rows])
    rows = rows[lost]
    for sign in (1.0, -1.0):
        side = rows[sign * solution.alpha[rows] > 0]
        if len(side):
            shifts[side] = _shifts_by_next(solution, side, sign)
    return shifts


def _shifts_by_next(solution, rows, sign):
    """Return the shifts of samples on one side if no other support vector is free.

    The vector that would become free next replaces the sample, and determines the bias.
    """
    alpha = solution.alpha
    may_move = alpha < solution.upper if sign > 0 else alpha > solution.lower
    may_move[rows] = False
    candidates = np.flatnonzero(may_move)
    if not len(candidates):
        return np.full(len(rows), sign * np.inf)
    k = candidates[[np.argmax(sign * solution.g[candidates])]]
    squares = solution.squared_distances(rows, k)[:, 0]
    return solution.b - solution.g[k[0]] + solution.alpha[rows] * squares


def proven_shifts(solution):
    """Return bounds of the shifts that always hold; infinite where there is no proof.

    As a function of the alpha of the sample left out, with the others optimal, the dual objective
    is concave, and its slope is y_i - f(x_i). If the free vectors can replace the sample t > 1
    times, the objective at (1 - t) alpha_i is at least that of this replacement, and the slope
    at 0 differs by at most t^2 / (2 (t - 1)) |alpha_i| S_i^2; t = 2 is the best. Without a bias,
    putting the sample back into the solution without it gives |alpha_i| K(x_i, x_i).
    """
    rows, shifts = solution.support, np.zeros(len(solution.alpha))
    alpha, basis = solution.alpha[rows], Basis(solution, solution.free)
    times, length = np.empty((2, len(rows)))
    for first in range(0, len(rows), BLOCK):
        block = slice(first, first + BLOCK)
        combinations = basis.combinations(rows[block])
        times[block] = reach(solution, alpha[block] * combinations)
        length[block] = np.abs(combinations).sum(axis=0)
    t = np.clip(times, 1.0, 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = basis.squared_spans(rows) * t**2 / (2.0 * (t - 1.0)) * np.abs(alpha)
    bounds[t == 1.0] = np.inf
    # Slopes are known to the tolerance: that of the sample, and those of the free vectors.
    bounds += 2.0 * solution.tol * (1.0 + length)
    if not solution.has_bias:
        others = np.abs(alpha) * solution.diagonal(rows) + 2.0 * solution.tol
        bounds = np.minimum(bounds, others)
    shifts[rows] = np.sign(alpha) * bounds
    return shifts


def may_limit_bias(solution, margins):
    """Return whether each sample may limit the bias, of a solution without free vectors.

    Such a sample changes the solution when it is left out, even with alpha = 0.
    """
    if not solution.has_bias or len(solution.free):
        return np.zeros(len(margins), dtype=bool)
    rising, falling = solution.alpha < solution.upper, solution.alpha > solution.lower
    highest = solution.g[rising].max(initial=-np.inf)
    leeway = max(0.0, solution.g[falling].min(initial=np.inf) - highest)
    return margins <= 1.0 + 0.5 * leeway + solution.tol


def reach(solution, moves):
    """Return how often the free vectors can make moves (n_free, n_rows) within their boxes."""
    above, below = (
        (bound - solution.alpha)[solution.free, None] for bound in (solution.upper, solution.lower)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(moves > 0, above, below) / moves
    return np.where(moves == 0, np.inf, room).min(axis=0, initial=np.inf)


def xi_alpha_shifts(solution):
    """Return the bounds of Joachims, or without a bias of Jaakkola and Haussler.

    If no support vector is free the bias may move, and there is no bound.
    """
    alpha, rows, shifts = solution.alpha, solution.support, np.zeros(len(solution.alpha))
    if not solution.has_bias:
        shifts[rows] = alpha[rows] * solution.diagonal(rows)
        return shifts
    if not len(solution.free):
        shifts[rows] = np.copysign(np.inf, alpha[rows])
        return shifts
    others = np.arange(len(alpha)) if solution.samples is None else solution.samples
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        farthest = solution.squared_distances(block, others).max(axis=1)
        shifts[block] = alpha[block] * farthest
    return shifts
