"""LASVM in plain NumPy for targets other than labels: regression and the one-class problem.

Regression has one residual ``r_i = y_i - sum_j alpha_j K_ij`` and one signed coefficient per row,
with ``|alpha_i| <= C_i``. The derivative of the dual

    alpha' y - epsilon |alpha|_1 - 1/2 alpha' K alpha

differs at alpha_i = 0 for increases and decreases, ``r_i - epsilon`` and ``r_i + epsilon``, and a
step ends where a coefficient becomes 0: the gradient of the first half does not hold beyond it.
The twin has no sides and no turns; these are how the engine represents the same.

In the one-class problem the sum of alpha is nu times the number of rows seen. Each new row raises
it; the rows of largest gradient ``-sum_j alpha_j K_ij`` take what is to be added.
"""

import numpy as np

from tests.reference.lasvm import ForkedTwin


class ReferenceLasvr(ForkedTwin):
    """LASVM with the epsilon-insensitive loss; `g` has the residuals, without epsilon.

    The squared loss has ``K + I / (2 C)`` in place of K, and no bounds.
    """

    def __init__(self, K, y, C, epsilon, **params):
        super().__init__(K, y, C, **params)
        self.epsilon = epsilon
        self.seen = {-1, 1}  # rows of both signs are not waited for

    def slopes(self):
        """(up, down): derivatives of the dual for increases and decreases of alpha."""
        up = self.g - np.where(self.alpha >= 0, self.epsilon, -self.epsilon)
        down = self.g - np.where(self.alpha > 0, self.epsilon, -self.epsilon)
        return up, down

    def process(self, k):
        if k in self.S:
            return False
        r = self.y[k] - self.K[k, self.S] @ self.alpha[self.S]
        i_max, g_max, j_min, g_min = self.extremes()
        up, down = r - self.epsilon, r + self.epsilon
        if g_max - down > up - g_min:
            i, j, violation, is_extreme = i_max, k, g_max - down, down < g_min
        else:
            i, j, violation, is_extreme = k, j_min, up - g_min, up > g_max
        is_close = violation > self.tol or is_extreme or self._is_within_reserve(violation)
        if not is_close:
            return False
        self._insert(k, r)
        if violation > self.tol:
            self._step(i, j)
        return True

    def _movable(self):
        stored = np.isin(np.arange(len(self.y)), self.S)
        up, down = self.slopes()
        return (
            np.where(stored & (self.alpha < self.C), up, -np.inf),
            np.where(stored & (self.alpha > -self.C), down, np.inf),
        )

    def _second_order_partner(self, i):
        g_up, g_down = self._movable()
        gain = [max(g_up[i] - g_down[j], 0.0) ** 2 / self._curvature(i, j) for j in self.S]
        return self.S[int(np.argmax(gain))]

    def _step(self, i, j):
        up, down = self.slopes()
        alpha = self.alpha
        lam = min(
            (up[i] - down[j]) / self._curvature(i, j),
            self.C[i] - alpha[i] if alpha[i] >= 0 else -alpha[i],
            alpha[j] if alpha[j] > 0 else self.C[j] + alpha[j],
        )
        alpha[i] += lam
        alpha[j] -= lam
        self._snap(i, lam)
        self._snap(j, lam)
        self.g[self.S] -= lam * (self.K[i, self.S] - self.K[j, self.S])
        self.n_steps += 1
        self.last_pair = (i, j)

    def _snap(self, s, lam):
        rounding = 4 * np.finfo(np.float64).eps
        if abs(self.alpha[s]) <= rounding * abs(lam):
            self.alpha[s] = 0.0
        elif abs(abs(self.alpha[s]) - self.C[s]) <= 1e-12 * self.C[s] < np.inf:
            self.alpha[s] = np.copysign(self.C[s], self.alpha[s])

    def _least_errors(self, low, high, b):
        return b

    def _distance(self, s, g_max, g_min):
        return min(g_min - (self.g[s] - self.epsilon), self.g[s] + self.epsilon - g_max)

    def _evict(self, g_max, g_min):
        if g_max == -np.inf or g_min == np.inf:
            return
        if self.reserve:
            self._thin_reserve(g_max, g_min)
            return
        up, down = self.slopes()
        for s in list(self.S):
            # Needed: with a partner, or as an extreme.
            rises, falls = up[s] > g_min or up[s] >= g_max, down[s] < g_max or down[s] <= g_min
            if self.alpha[s] == 0 and not rises and not falls:
                self.S.remove(s)
                self.g[s] = np.nan

    def objective(self):
        return super().objective() - self.epsilon * np.abs(self.alpha).sum()

    def duality_gap(self):
        """Primal minus dual of the problem over S, at the bias b, without the squared loss."""
        S = self.S
        residual = self.g[S] - self.b
        loss = self.C[S] * np.maximum(0.0, np.abs(residual) - self.epsilon)
        return float(
            np.sum(loss + self.epsilon * np.abs(self.alpha[S]) - self.alpha[S] * residual)
        )


class ReferenceOneClass(ForkedTwin):
    """LASVM for the one-class problem; `weights` are the upper bounds of alpha."""

    def __init__(self, K, weights, nu, **params):
        self.nu, self.n_inside, self.missing = nu, 0.0, 0.0
        super().__init__(K, np.zeros(len(weights)), weights, **params)
        # Rows so far inside the boundary are kept; of fewer than 300, all of them.
        self.slack = 0.0
        self.A, self.B = np.zeros(len(weights)), self.C
        self.seen = {-1, 1}

    @property
    def tol(self):
        """In units of nu n f, or of f where nu n < 1."""
        return self._tol * min(1.0, self.nu * self.n_inside)

    @tol.setter
    def tol(self, value):
        self._tol = value

    def _settle_b(self):
        """All rows with alpha < C are inside: none of them has a larger g than g_min + tol."""
        g_max, g_min = self.extreme_gradients()
        margin = self.tol + 4 * np.finfo(np.float32).eps * abs(g_min)
        if np.isfinite([g_max, g_min]).all() and g_max > g_min - margin:
            self.b = g_min + margin

    def process(self, k):
        g_k = -self.K[k, self.S] @ self.alpha[self.S]
        g_max, g_min = self.extreme_gradients()
        least = -self.slack if self.slack > 0.0 else self.tol
        enters = g_k - g_min > least or g_k > g_max or g_min == np.inf
        if g_min < np.inf:
            n_zeros = sum(self.alpha[s] == 0.0 for s in self.S)
            if n_zeros > max(300, len(self.S) // 2):
                self.slack *= 0.99
            else:
                self.slack = min(self.slack * 1.01, abs(g_min)) if self.slack else abs(g_min)
        former = self.n_inside
        self.n_inside += self.C[k]
        self.missing += self.nu * (self.n_inside - former)
        if enters:
            self._insert(k, g_k)
        self._raise_sum()
        if not enters and self.missing > 1e-9 * self.nu:
            self._insert(k, -self.K[k, self.S] @ self.alpha[self.S])
            self._raise_sum()
        return True

    def _evict(self, g_max, g_min):
        super()._evict(g_max, g_min - self.slack)

    def _raise_sum(self):
        # What is missing is summed up, not the difference to the sum of alpha: its rounding error
        # would decide whether the last alpha reaches its bound.
        while self.missing > 0.0:
            i, g_max, _, _ = self.extremes()
            if g_max == -np.inf:
                return
            former = self.alpha[i]
            lam = min(self.missing, self.B[i] - former)
            self.alpha[i] += lam
            self._snap(i, lam)
            if self.alpha[i] == former:
                return
            self.missing -= self.alpha[i] - former
            self.g[self.S] -= (self.alpha[i] - former) * self.K[i, self.S]

    def _snap(self, s, lam):
        rounding = 4 * np.finfo(np.float64).eps
        if abs(self.alpha[s]) <= rounding * abs(lam):
            self.alpha[s] = 0.0
        elif abs(self.alpha[s] - self.C[s]) <= rounding * self.C[s]:
            self.alpha[s] = self.C[s]
