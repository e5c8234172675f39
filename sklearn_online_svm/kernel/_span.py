"""Span estimates and bounds of the change of a decision value when its sample is left out.

All signs follow the package convention: alpha_i and its shift alpha_i S_i^2 have the sign of y_i.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import linalg

# Number of samples whose kernel values are computed at a time.
BLOCK = 512
# Ridge added to the diagonal of the kernel matrix before inversion, relative to the mean of the
# diagonal; the second one for float32 values. It is needed for support vectors that are
# combinations of others, such as duplicates, whose span is about 0.
RIDGE, COARSE_RIDGE = 1e-10, 1e-6
# Factors of the ridge that are tried for a Cholesky factor, and maximum number of samples of a
# factor (512 MB).
RIDGE_FACTORS = (1.0, 10.0, 100.0)
MAX_BASIS = 8000


@dataclass(frozen=True)
class BinarySolution:
    """Solution of one binary problem over n samples; those not stored have empty boxes.

    ``ridge`` is what a squared loss adds to K(x, x).
    """

    alpha: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    g: np.ndarray
    ridge: np.ndarray
    b: float
    tol: float
    has_bias: bool

    @classmethod
    def of(cls, problem, has_bias, numbering, n):
        """Return the solution of a problem; ``numbering`` of samples: "index" or "row_id"."""
        slots, members = problem.slots(), problem.members
        alpha, g, b = problem.solution()

        def spread(values):
            by_row = np.zeros(n)
            by_row[members[numbering][slots]] = values[slots]
            return by_row

        return cls(
            spread(alpha),
            spread(members["lower"]),
            spread(members["upper"]),
            spread(g),
            spread(members["ridge"]),
            b,
            problem.tau,
            has_bias,
        )

    def on(self, rows, n_more=0):
        """Return the solution over some of the samples, and ``n_more`` with empty boxes."""
        arrays = [
            np.concatenate([values[rows], np.zeros(n_more)])
            for values in (self.alpha, self.lower, self.upper, self.g, self.ridge)
        ]
        return BinarySolution(*arrays, self.b, self.tol, self.has_bias)

    @cached_property
    def support(self):
        """Indices of the support vectors."""
        return np.flatnonzero(self.alpha)

    @cached_property
    def free(self):
        """Indices of the free support vectors, those not at a bound."""
        within = (self.lower < self.alpha) & (self.alpha < self.upper)
        return np.flatnonzero(within & (self.alpha != 0))

    @property
    def leeway(self):
        """Length of the interval of optimal biases if no support vector is free."""
        rising, falling = self.alpha < self.upper, self.alpha > self.lower
        return max(0.0, self.g[falling].min(initial=np.inf) - self.g[rising].max(initial=-np.inf))


class PairwiseKernel:
    """Kernel values between samples that are given by their indices, in float64.

    Parameters
    ----------
    kernel : Kernel or None
        None: ``rows`` is the kernel matrix.
    rows : {ndarray, CSR matrix} of shape (n_rows, n_features) or (n_rows, n_rows)
    ridge : ndarray of shape (n_rows,), default=None
        Added to K(x, x) of each sample.
    """

    def __init__(self, kernel, rows, ridge=None):
        self.kernel, self.rows = kernel, rows
        self._ridge = ridge if ridge is not None and ridge.any() else None
        self.n_rows = rows.shape[0]
        # Kernels of scikit-learn get doubles; callables get the dtype of the data.
        self._widens = kernel is not None and not callable(kernel.kernel)
        is_coarse = rows.dtype == np.float32 and not self._widens
        self.ridge = COARSE_RIDGE if is_coarse else RIDGE

    def __call__(self, i, j):
        if self.kernel is None:
            values = self.rows[np.ix_(i, j)].astype(np.float64, copy=False)
        else:
            values = self.kernel(self._of(i), self._of(j))
        if self._ridge is not None:
            values = values + np.where(i[:, None] == j, self._ridge[j], 0.0)
        return values

    def diagonal(self, i):
        """Return K(x, x) of each sample."""
        if self.kernel is None:
            values = self.rows[i, i].astype(np.float64, copy=False)
        else:
            values = self.kernel.diagonal(self._of(i)) if len(i) else np.zeros(0)
        return values if self._ridge is None else values + self._ridge[i]

    def _of(self, i):
        rows = self.rows[i]
        return rows.astype(np.float64, copy=False) if self._widens else rows


# ------------------------------------------------------------------------------ the span


@dataclass(frozen=True)
class Spans:
    """Spans: how well free support vectors can replace each support vector.

    Arrays over all samples; samples that are not support vectors have a span of 0.
    """

    squares: np.ndarray  # S_i^2; infinite if there is no other free support vector
    reach: np.ndarray  # largest multiple of alpha_i that they can replace within their boxes
    length: np.ndarray  # sum of |lambda_j|


def spans(problem, pairwise):
    """Return the spans of all support vectors, by one inversion over the free ones."""
    n = len(problem.alpha)
    squares, reach, length = np.zeros(n), np.full(n, np.inf), np.zeros(n)
    frame = Frame(problem, pairwise)
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

    def __init__(self, problem, pairwise):
        self.problem, self.pairwise = problem, pairwise
        self.free = free = problem.free
        self.room_above = (problem.upper - problem.alpha)[free, None]
        self.room_below = (problem.lower - problem.alpha)[free, None]
        if not len(free):
            return
        K = pairwise(free, free)
        self.means = K.mean(axis=0)
        if problem.has_bias:
            K = self._centred(K, self.means[None, :])
        n = len(free)
        self.scale = np.trace(K) / n if np.trace(K) > 0 else 1.0
        K[np.diag_indices(n)] += pairwise.ridge * self.scale
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
        squares = self.pairwise.diagonal(rows)
        if not len(self.free):
            nothing = np.zeros((0, len(rows)))
            return np.full(len(rows), np.inf) if self.problem.has_bias else squares, nothing
        values = self.pairwise(self.free, rows)
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

    def __init__(self, rows, pairwise, has_bias):
        self.rows, self.pairwise, self.has_bias = rows, pairwise, has_bias
        K = pairwise(rows, rows)
        n = len(rows)
        self.means = K.mean(axis=0, dtype=np.float64)
        self.scale = max(np.trace(K) / n, np.finfo(np.float64).tiny)
        if has_bias:
            means = self.means.astype(K.dtype)
            K -= means - means.mean()
            K -= means[:, None]
            # For coefficients that sum to 1 a constant changes nothing; it makes K regular.
            self.constant = max(np.trace(K) / n, self.scale * 1e-3)
            K += self.constant
            self.scale = np.trace(K) / n
        self.root, self.inverse = None, None
        potrf, trtri = linalg.get_lapack_funcs(("potrf", "trtri"), (K,))
        for factor in RIDGE_FACTORS:
            regular = K.copy("F")
            regular[np.diag_indices(n)] += factor * pairwise.ridge * self.scale
            root, failed = potrf(regular, lower=1, clean=1, overwrite_a=1)
            if not failed:
                self.root, _ = trtri(root, lower=1, overwrite_c=1)
                break
        else:  # the kernel is not positive semidefinite
            try:
                self.inverse = linalg.inv(regular, check_finite=False)
            except linalg.LinAlgError:  # duplicates, with a ridge below the rounding of K
                regular[np.diag_indices(n)] += COARSE_RIDGE * self.scale
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
        values, squares = self.pairwise(self.rows, rows), self.pairwise.diagonal(rows)
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


def span_shifts(problem, pairwise):
    """Return the decrease of f(x_i) if the same vectors stay free and the same at their bounds."""
    return shifts_by_spans(problem, pairwise, spans(problem, pairwise).squares)


def replacement_shifts(problem, pairwise, rows, joining):
    """Return the decrease of f(x_i) of support vectors, with more samples to replace them.

    Parameters
    ----------
    problem : BinarySolution
    pairwise : PairwiseKernel
    rows : ndarray of int
        Support vectors to leave out.
    joining : ndarray of int
        Samples with alpha = 0 that would become support vectors in another epoch. Without them,
        the solution after a single epoch looks as if it depended on each of its vectors.
    """
    squares = np.zeros(len(problem.alpha))
    basis = np.union1d(problem.free, joining)
    if len(basis) > MAX_BASIS:
        basis = basis[np.linspace(0, len(basis) - 1, MAX_BASIS).astype(np.intp)]
    if len(basis):
        squares[rows] = Basis(basis, pairwise, problem.has_bias).squared_spans(rows)
    else:
        squares[rows] = np.inf if problem.has_bias else pairwise.diagonal(rows)
    return shifts_by_spans(problem, pairwise, squares)


def shifts_by_spans(problem, pairwise, squares):
    """Return the shifts for squared spans; for infinite ones, from the next free vector."""
    squares = squares.copy()
    lost = np.isinf(squares)
    squares[lost] = 0.0
    shifts = problem.alpha * (squares - problem.ridge)
    rows = np.flatnonzero(lost)
    for sign in (1.0, -1.0):
        side = rows[sign * problem.alpha[rows] > 0]
        if len(side):
            shifts[side] = _shifts_by_next(problem, pairwise, side, sign)
    return shifts


def _shifts_by_next(problem, pairwise, rows, sign):
    """Return the shifts of samples on one side if no other support vector is free.

    The vector that would become free next replaces the sample, and determines the bias.
    """
    if sign > 0:
        may_move = problem.alpha < problem.upper
    else:
        may_move = problem.alpha > problem.lower
    may_move[rows] = False
    candidates = np.flatnonzero(may_move)
    if not len(candidates):
        return np.full(len(rows), sign * np.inf)
    k = candidates[[np.argmax(sign * problem.g[candidates])]]
    return (
        problem.b
        - problem.g[k[0]]
        + problem.alpha[rows] * squared_distances(pairwise, rows, k)[:, 0]
    )


def proven_shifts(problem, pairwise):
    """Return bounds of the shifts that always hold; infinite where there is no proof.

    As a function of the alpha of the sample left out, with the others optimal, the dual objective
    is concave, and its slope is y_i - f(x_i). If the free vectors can replace the sample t > 1
    times, the objective at (1 - t) alpha_i is at least that of this replacement, and the slope
    at 0 differs by at most t^2 / (2 (t - 1)) |alpha_i| S_i^2; t = 2 is the best. Without a bias,
    putting the sample back into the solution without it gives |alpha_i| K(x_i, x_i).
    """
    found = spans(problem, pairwise)
    t = np.clip(found.reach, 1.0, 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shifts = found.squares * t**2 / (2.0 * (t - 1.0)) * np.abs(problem.alpha)
    shifts[(t == 1.0) & (problem.alpha != 0)] = np.inf
    # Slopes are known to the tolerance: that of the sample, and those of the free vectors.
    shifts += 2.0 * problem.tol * (1.0 + found.length)
    if not problem.has_bias:
        rows = problem.support
        bound = np.abs(problem.alpha[rows]) * pairwise.diagonal(rows) + 2.0 * problem.tol
        shifts[rows] = np.minimum(shifts[rows], bound)
    return np.where(problem.alpha == 0, 0.0, np.sign(problem.alpha) * shifts)


def xi_alpha_shifts(problem, pairwise):
    """Return the bounds of Joachims, or without a bias of Jaakkola and Haussler.

    If no support vector is free the bias may move, and there is no bound.
    """
    rows, shifts = problem.support, np.zeros(len(problem.alpha))
    if not problem.has_bias:
        shifts[rows] = problem.alpha[rows] * pairwise.diagonal(rows)
        return shifts
    if not len(problem.free):
        shifts[rows] = np.copysign(np.inf, problem.alpha[rows])
        return shifts
    all_samples = np.arange(pairwise.n_rows)
    for first in range(0, len(rows), BLOCK):
        block = rows[first : first + BLOCK]
        farthest = squared_distances(pairwise, block, all_samples).max(axis=1)
        shifts[block] = problem.alpha[block] * farthest
    return shifts


def squared_distances(pairwise, i, j):
    """Return squared distances of samples in kernel space, of shape (len(i), len(j))."""
    squares = pairwise.diagonal(i)[:, None] + pairwise.diagonal(j) - 2.0 * pairwise(i, j)
    return np.maximum(squares, 0.0)
