"""The optimization of one binary problem over all its samples, in plain NumPy.

The problems are those of ``lasvm.py``, ``gap_driven.py`` (without a bias) and ``targets.py``; all
rows are there from the beginning, with alpha = 0. In regression each row is on one side of its
tube, at first on the lower one, which limits its alpha to one sign. A step that ends at alpha = 0
turns the row to its other side; when no pair violates, rows at 0 turn that violate there.

Gradients are computed from their definition before each step.
"""

import numpy as np

from tests.reference.lasvm import MIN_CURVATURE, ReferenceLasvm, as_float64

AT_BOUND = 1e-12


class ReferenceBatch:
    """One problem.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        float32 numbers.
    y : ndarray of shape (n,)
        -1 or 1; regression: 1; one class: 1.
    cost : ndarray of shape (n,)
    target : ndarray of shape (n,), default=y
    epsilon : float or None
        Regression: half the width of the tube.
    total : float
        The sum of alpha, with a bias.
    tol, has_bias : float, bool

    Attributes
    ----------
    alpha : ndarray of shape (n,)
    side : ndarray of shape (n,)
        1 or -1: y, or in regression the side of the tube.
    n_steps : int
    """

    def __init__(
        self, K, y, cost, target=None, *, epsilon=None, total=None, tol=1e-3, has_bias=True
    ):
        self.K, self.cost = as_float64(K), as_float64(cost)
        self.side = as_float64(y).copy()
        self.target = self.side.copy() if target is None else as_float64(target)
        self.two_sided, self.epsilon = epsilon is not None, epsilon or 0.0
        self.is_one_class, self.has_bias = total is not None, has_bias
        self.tol = tol * min(1.0, total) if self.is_one_class else tol
        self.alpha, self.n_steps = np.zeros(len(self.side)), 0
        if self.is_one_class:
            for s, cost_s in enumerate(self.cost):
                self.alpha[s] = cost_s if total >= cost_s * (1 - AT_BOUND) else max(total, 0.0)
                total -= self.alpha[s]

    # -- the state ------------------------------------------------------------------------

    @property
    def lower(self):
        return np.where(self.side > 0, 0.0, -self.cost)

    @property
    def upper(self):
        return np.where(self.side > 0, self.cost, 0.0)

    def g(self, side=None):
        """Gradients, in regression those of the given sides."""
        side = self.side if side is None else side
        return self.target - self.epsilon * side * self.two_sided - self.K @ self.alpha

    def extremes(self, told=()):
        """(i, g_max, j, g_min) of the rows that can rise, and of those that can fall."""
        g_up = np.where(self.alpha < self.upper, self.g(), -np.inf)
        g_down = np.where(self.alpha > self.lower, self.g(), np.inf)
        i, j = self._argmax(g_up, told), self._argmax(-g_down, told)
        return i, g_up[i], j, g_down[j]

    def violation(self):
        _, g_max, _, g_min = self.extremes()
        return g_max - g_min if self.has_bias else max(0.0, g_max, -g_min)

    def _argmax(self, values, told, rounding=1e-11):
        """The largest entry; of several that differ by rounding, one of those ``told``."""
        best = int(np.argmax(values))
        near = values[best] - rounding * max(1.0, np.abs(self.K).max())
        tied = [s for s in told if values[s] >= near]
        return tied[0] if tied and np.isfinite(values[best]) else best

    # -- steps ----------------------------------------------------------------------------

    def step(self, told=()):
        """Make a step, or turn rows until there is one; return whether there was one.

        ``told``: rows of the step of another implementation, which are taken among equal ones.
        """
        while self.violation() <= self.tol:
            if not (self.two_sided and self._turn_violating()):
                return False
        (self._step_with_bias if self.has_bias else self._step_without_bias)(told)
        self.n_steps += 1
        return True

    def _step_with_bias(self, told):
        i, g_max, _, _ = self.extremes(told)
        g, diag = self.g(), self.K.diagonal()
        curvature = np.maximum(diag[i] + diag - 2.0 * self.K[i], MIN_CURVATURE)
        gain = np.where(self.alpha > self.lower, np.maximum(g_max - g, 0.0) ** 2 / curvature, 0.0)
        # Gains are in single precision.
        j = self._argmax(gain / gain.max(), told, 1e-5)
        lam = (g[i] - g[j]) / curvature[j]
        lam = min(lam, self.upper[i] - self.alpha[i], self.alpha[j] - self.lower[j])
        self._move(i, lam)
        self._move(j, -lam)

    def _step_without_bias(self, told):
        i, g_max, j, g_min = self.extremes(told)
        i = j if -g_min > g_max else i
        g, diag = self.g(), np.maximum(self.K.diagonal(), MIN_CURVATURE)
        low, high = self.lower - self.alpha, self.upper - self.alpha
        alone = np.clip(g[i] / diag[i], low[i], high[i])
        left = g - alone * self.K[i]
        can = np.where(left > 0.0, high > 0.0, low < 0.0)
        gain = can * left**2 / np.maximum(diag - self.K[i] ** 2 / diag[i], 1e-6)
        j = self._argmax(gain / max(gain.max(), 1e-300), [s for s in told if s != i], 1e-4)
        by_i, by_j = alone, 0.0
        if gain.max() > 0.0 and j != i:
            k_ij, det = self.K[i, j], diag[i] * diag[j] - self.K[i, j] ** 2
            assert det > 1e-9 * diag[i] * diag[j]  # parallel vectors are not of this twin
            by_i = np.clip((g[i] * diag[j] - g[j] * k_ij) / det, low[i], high[i])
            by_j = np.clip((g[j] - k_ij * by_i) / diag[j], low[j], high[j])
            by_i = np.clip((g[i] - k_ij * by_j) / diag[i], low[i], high[i])
            both = by_i * (g[i] - 0.5 * diag[i] * by_i - k_ij * by_j)
            both += by_j * (g[j] - 0.5 * diag[j] * by_j)
            if both < alone * (g[i] - 0.5 * diag[i] * alone):
                by_i, by_j = alone, 0.0
        self._move(i, by_i)
        if by_j:
            self._move(j, by_j)

    def _move(self, s, by):
        lower, upper, before = self.lower[s], self.upper[s], self.alpha[s]
        self.alpha[s] += by
        if abs(self.alpha[s]) <= 4 * np.finfo(np.float64).eps * abs(by):
            self.alpha[s] = 0.0
        for bound in (lower, upper):
            if abs(self.alpha[s] - bound) <= AT_BOUND * abs(bound):
                self.alpha[s] = bound
        if self.two_sided and before != 0.0 and self.alpha[s] == 0.0:
            self.side[s] *= -1

    def _turn_violating(self):
        """Turn rows at 0 that violate on their other side, at last with each other."""
        _, g_max, _, g_min = self.extremes()
        zero, other = self.alpha == 0.0, self.g(-self.side)
        rising, falling = zero & (self.side < 0), zero & (self.side > 0)
        for with_zeros in (False, True):
            if with_zeros:
                g_max = max(g_max, np.max(other[rising], initial=-np.inf))
                g_min = min(g_min, np.min(other[falling], initial=np.inf))
            low, high = (g_min, g_max) if self.has_bias else (0.0, 0.0)
            violates = (rising & (other - low > self.tol)) | (falling & (high - other > self.tol))
            if violates.any():
                self.side[violates] *= -1
                return True
        return False

    # -- reports --------------------------------------------------------------------------

    def b(self):
        """The bias of a solution."""
        if not self.has_bias:
            return 0.0
        _, g_max, _, g_min = self.extremes()
        zero, other = self.alpha == 0.0, self.g(-self.side)
        if self.two_sided:
            g_max = max(g_max, np.max(other[zero & (self.side < 0)], initial=-np.inf))
            g_min = min(g_min, np.min(other[zero & (self.side > 0)], initial=np.inf))
        margin = self.tol + 4 * np.finfo(np.float32).eps * abs(g_min)
        if self.is_one_class and g_min < np.inf and g_max > g_min - margin:
            return g_min + margin
        weights = np.abs(self.alpha)
        if not (np.isfinite(g_max) and np.isfinite(g_min)):
            return g_max if np.isfinite(g_max) else g_min
        if g_max - g_min > 100 * self.tol and not self.is_one_class:
            return self.least_loss()
        if not g_max < g_min or self.is_one_class or not weights.any():
            return 0.5 * (g_max + g_min)
        # All alpha at a bound: the mean of the residuals, or the nearest b with fewer errors.
        b = np.clip(np.average(self.target - self.K @ self.alpha, weights=weights), g_max, g_min)
        if self.two_sided:
            return b
        twin = ReferenceLasvm(self.K, self.side, self.cost)
        twin.S, twin.alpha, twin.g = [*range(len(weights))], self.alpha, self.g()
        return twin._least_errors(g_max, g_min, b)

    def least_loss(self):
        """The bias with the least loss of all rows; the middle, if there is an interval."""
        rise, fall = (self.cost * ((self.side == s) | self.two_sided) for s in (1, -1))
        above, below = self.g(1.0), self.g(-1.0)
        ends = np.unique(np.append(above[rise > 0], below[fall > 0]))
        losses = np.maximum(0, above - ends[:, None]) @ rise
        losses += np.maximum(0, ends[:, None] - below) @ fall
        best = ends[losses <= losses.min() + 1e-9 * self.cost.sum()]
        return 0.5 * (best[0] + best[-1])
