"""Span estimates and bounds of the change of a decision value when its sample is left out.

All signs follow the package convention: alpha_i and its shift alpha_i S_i^2 have the sign of y_i.
"""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Spans:
    """Spans: how well free support vectors can replace each support vector.

    Arrays over all samples; samples that are not support vectors have a span of 0.
    """

    squares: np.ndarray  # S_i^2; infinite if there is no other free support vector
    reach: np.ndarray  # largest multiple of alpha_i that they can replace within their boxes
    length: np.ndarray  # sum of |lambda_j|


def spans(problem):
    """Return the spans of all support vectors, by one inversion over the free ones."""
    n = len(problem.alpha)
    squares, reach, length = np.zeros(n), np.full(n, np.inf), np.zeros(n)
    frame = Frame(problem)
    bounded = np.setdiff1d(problem.support, problem.free)
    for rows, replaced in ((problem.free, frame.of_free), (bounded, frame.of_others)):
        for first in range(0, len(rows), BLOCK):
            block = rows[first : first + BLOCK]
            squares[block], combinations = replaced(block)
            reach[block] = frame.reach(problem.alpha[block] * combinations)
            length[block] = np.abs(combinations).sum(axis=0)
    return Spans(squares, reach, length)


class Frame:
    """Free support vectors of a problem, and their combinations closest to other support vectors.

    With a bias the coefficients sum to 1. Then only differences of samples matter, and samples are
    centered at the mean of the free ones, which keeps the matrix accurate far from the origin.
    """

    def __init__(self, problem):
        self.problem, self.free = problem, problem.free
        free = self.free
        self.room_above = (problem.upper - problem.alpha)[free, None]
        self.room_below = (problem.lower - problem.alpha)[free, None]
        if not len(free):
            return
        self.values = problem.values_with(free)
        K = self.values(free)
        self.means = K.mean(axis=0)
        if problem.has_bias:
            K = self._centred(K, self.means[None, :])
        n = len(free)
        self.scale = np.trace(K) / n if np.trace(K) > 0 else 1.0
        K[np.diag_indices(n)] += problem.kernel.jitter * self.scale
        if problem.has_bias:
            K = np.block([[K, np.full((n, 1), self.scale)], [np.full((1, n), self.scale), 0.0]])
        self.inverse = linalg.inv(K, overwrite_a=True, check_finite=False)

    def _centred(self, values, means):
        """Return kernel values with the free support vectors, centered at their mean."""
        return values - self.means[:, None] - means + self.means.mean()

    def of_free(self, rows):
        """Return squared spans and coefficients of free vectors, replaced by the other ones."""
        if self.problem.has_bias and len(self.free) == 1:
            return np.full(1, np.inf), np.zeros((1, 1))
        places = np.searchsorted(self.free, rows)
        inverse = self.inverse[: len(self.free), places]
        own = places, np.arange(len(rows))
        squares = np.maximum(1.0 / inverse[own], 0.0)
        combinations = -inverse / inverse[own]
        combinations[own] = 0.0
        return squares, combinations

    def of_others(self, rows):
        """Return squared spans and coefficients of vectors at a bound, replaced by free ones."""
        squares = self.problem.diagonal(rows)
        if not len(self.free):
            nothing = np.zeros((0, len(rows)))
            return np.full(len(rows), np.inf) if self.problem.has_bias else squares, nothing
        values = self.values(rows)
        if self.problem.has_bias:
            means = values.mean(axis=0)
            values = self._centred(values, means)
            squares = squares - 2.0 * means + self.means.mean()
            values = np.vstack([values, np.full(len(rows), self.scale)])
        combinations = self.inverse @ values
        squares = squares - (values * combinations).sum(axis=0)
        return np.maximum(squares, 0.0), combinations[: len(self.free)]

    def reach(self, moves):
        """Return how often the free vectors can make moves (n_free, n_rows) within their boxes."""
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(moves > 0, self.room_above, self.room_below) / moves
        return np.where(moves == 0, np.inf, room).min(axis=0, initial=np.inf)


class Basis:
    """Samples that replace a support vector, and squared spans with respect to them.

    The squares are those of ``Frame``, for any set of samples, and at a third of the cost: half of
    an inversion, and no combinations.
    """

    def __init__(self, solution, rows):
        self.solution, self.rows, self.has_bias = solution, rows, solution.has_bias
        self.values = solution.values_with(rows)
        K = self.values(rows)
        n = len(rows)
        self.means = K.mean(axis=0, dtype=np.float64)
        self.scale = max(np.trace(K) / n, np.finfo(np.float64).tiny)
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

    def squared_spans(self, rows):
        """Return the squared span of each sample; infinite if no other sample can replace it."""
        squares = np.empty(len(rows))
        places = np.minimum(np.searchsorted(self.rows, rows), len(self.rows) - 1)
        own = self.rows[places] == rows
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
        values, squares = self.values(rows), self.solution.diagonal(rows)
        if self.has_bias:
            means, constant = values.mean(axis=0, dtype=np.float64), self.means.mean()
            squares = squares - 2.0 * means + constant
            values -= self.means[:, None] + (means - constant - self.constant)
            squares = squares + self.constant
        if self.root is None:
            explained = (values * (self.inverse @ values)).sum(axis=0)
        else:
            (trmm,) = linalg.get_blas_funcs(("trmm",), (self.root, values))
            product = trmm(1.0, self.root, values, lower=1)
            explained = np.einsum("ij,ij->j", product, product)
        return squares - explained


# ------------------------------------------------------------------------------ shifts


def without_each(solutions, scores, violates):
    """Return estimated decision values of the training samples, each without the sample.

    ``violates`` are flags of the shape of the decision values ``scores``, (n_samples, n_problems):
    samples that would become support vectors in another epoch if they are none.
    """
    scores = scores.copy()
    for c, solution in enumerate(solutions):
        joining = np.flatnonzero((solution.alpha == 0.0) & violates[:, c])
        scores[:, c] -= replacement_shifts(solution, solution.support, joining)
    return scores


def span_shifts(solution):
    """Return the decrease of f(x_i) if the same vectors stay free and the same at their bounds."""
    return shifts_by_spans(solution, spans(solution).squares)


def replacement_shifts(solution, rows, joining):
    """Return the decrease of f(x_i) of support vectors, with more samples to replace them.

    Parameters
    ----------
    solution : SolutionView
    rows : ndarray of int
        Support vectors to leave out.
    joining : ndarray of int
        Samples with alpha = 0 that would become support vectors in another epoch; a part of them
        is used if there are many. Without them, the solution after a single epoch looks as if it
        depended on each of its vectors.
    """
    squares = np.zeros(len(solution.alpha))
    basis = even_part(np.union1d(solution.free, even_part(joining, N_JOINING)), MAX_BASIS)
    if len(basis):
        squares[rows] = Basis(solution, basis).squared_spans(rows)
    else:
        squares[rows] = np.inf if solution.has_bias else solution.diagonal(rows)
    return shifts_by_spans(solution, squares)


def even_part(rows, n_most):
    """Return at most ``n_most`` of the rows, at even intervals."""
    if len(rows) <= n_most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, n_most).astype(np.intp)]


def shifts_by_spans(solution, squares):
    """Return the shifts for squared spans; for infinite ones, from the next free vector."""
    squares = squares.copy()
    lost = np.isinf(squares)
    squares[lost] = 0.0
    shifts = solution.alpha * (squares - solution.ridge)
    rows = np.flatnonzero(lost)
    for sign in (1.0, -1.0):
        side = rows[sign * solution.alpha[rows] > 0]
        if len(side):
            shifts[side] = _shifts_by_next(solution, side, sign)
    return shifts


def _shifts_by_next(solution, rows, sign):
    """Return the shifts of samples on one side if no other support vector is free.

    The vector that would become free next replaces the sample, and determines the bias.
    """
    if sign > 0:
        may_move = solution.alpha < solution.upper
    else:
        may_move = solution.alpha > solution.lower
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
    found = spans(solution)
    t = np.clip(found.reach, 1.0, 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shifts = found.squares * t**2 / (2.0 * (t - 1.0)) * np.abs(solution.alpha)
    shifts[(t == 1.0) & (solution.alpha != 0)] = np.inf
    # Slopes are known to the tolerance: that of the sample, and those of the free vectors.
    shifts += 2.0 * solution.tol * (1.0 + found.length)
    if not solution.has_bias:
        rows = solution.support
        bound = np.abs(solution.alpha[rows]) * solution.diagonal(rows) + 2.0 * solution.tol
        shifts[rows] = np.minimum(shifts[rows], bound)
    return np.where(solution.alpha == 0, 0.0, np.sign(solution.alpha) * shifts)


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
    all_samples = np.arange(len(alpha))
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        farthest = solution.squared_distances(block, all_samples).max(axis=1)
        shifts[block] = alpha[block] * farthest
    return shifts
