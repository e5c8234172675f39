"""LASVM with a budget in plain NumPy: what happens after each row.

Limits are a number of members, and an age in rows. A member too old is dropped; of too many there
goes, one after the other,

- one with alpha = 0 that would stay there, the one farthest from moving;
- else, where that is allowed, the one that its neighbour can stand for at the smallest price,
  ``C_s |phi(x_s) - phi(x_n)|^2``; the neighbour is the nearest member of the same label, at an
  angle whose cosine is at least ``merge_cosine``, and takes over C and alpha;
- else the oldest.

To drop s is ``g += alpha_s K_s``; what is then missing of ``sum alpha = 0`` is taken over by those
whose gradient wants it most.
"""

import numpy as np

from tests.reference.lasvm import ForkedTwin


class BudgetedTwin(ForkedTwin):
    """A twin with limits.

    Parameters
    ----------
    most : int or None
        Members.
    window_size : int or None
        Rows.
    merge_cosine : float or None
        Cosine from which two members may be merged; None: never.
    """

    def __init__(self, K, y, C, *, most=None, window_size=None, merge_cosine=None, **params):
        super().__init__(K, y, C, **params)
        self.most = np.inf if most is None else most
        self.window_size = np.inf if window_size is None else window_size
        self.merge_cosine = np.inf if merge_cosine is None else merge_cosine
        self.now, self.born = 0, {}
        self.n_merged = self.n_dropped = 0

    def learn(self, k):
        super().learn(k)
        # Copies: the ways to learn a row share what they began with.
        self.born = {s: self.born.get(s, self.now) for s in self.S}
        self.A, self.B, self.C = self.A.copy(), self.B.copy(), self.C.copy()
        self.now += 1
        self.shed()

    def shed(self):
        total, n_before = 0.0, len(self.S)
        for s in list(self.S):
            if self.now - self.born[s] > self.window_size:
                total -= self.drop(s)
        while len(self.S) > self.most:
            idle = [s for s in self.S if self.alpha[s] == 0 and self.wish(s) < 0]
            price = {} if idle else self.prices()
            if idle:
                total -= self.drop(min(idle, key=self.wish))
            elif price:
                self.merge(min(price, key=price.get))
            else:
                total -= self.drop(min(self.S, key=self.born.get))
        if len(self.S) == n_before:
            return
        self.read_off()
        self.balance(total)
        self.read_off()
        labels = {int(self.y[s]) for s in self.S}
        if len(labels) < 2:
            self.seen = labels
            self.alpha[self.S] = 0.0
            self.g[self.S] = self.y[self.S]
            self.read_off()

    def wish(self, s):
        """How much alpha = 0 wants to move into its box; negative: not at all."""
        return self.y[s] * (self.g[s] - self.b)

    def neighbour(self, s):
        """The nearest member of the same label, or None; squared distance; cosine."""
        others = [j for j in self.S if j != s and self.y[j] == self.y[s]]
        if not others:
            return None, np.inf, -1.0
        K, d = self.K, np.diag(self.K)
        distances = np.maximum(0.0, d[s] + d[others] - 2 * K[s, others])
        best = int(np.argmin(distances))
        j = others[best]
        return j, distances[best], K[s, j] / np.sqrt(d[s] * d[j])

    def prices(self):
        prices = {}
        for s in self.S:
            j, distance, cosine = self.neighbour(s)
            if j is not None and cosine >= self.merge_cosine:
                prices[s] = float(np.float32(self.C[s])) * distance
        return prices

    def drop(self, s):
        """Returns the alpha that goes."""
        alpha = self.alpha[s]
        self.S.remove(s)
        self.g[s] = np.nan
        self.alpha[s] = 0.0
        self.g[self.S] += alpha * self.K[s, self.S]
        self.n_dropped += 1
        return alpha

    def merge(self, s):
        heir, _, _ = self.neighbour(s)
        alpha = self.drop(s)
        self.n_dropped -= 1
        self.n_merged += 1
        self.A[heir] += self.A[s]
        self.B[heir] += self.B[s]
        self.C[heir] += self.C[s]
        self.alpha[heir] += alpha
        self._snap(heir, alpha)
        self.g[self.S] -= alpha * self.K[heir, self.S]

    def balance(self, total):
        while total != 0.0:
            i, g_max, j, g_min = self.extremes()
            if g_min == np.inf if total > 0 else g_max == -np.inf:
                return
            s = j if total > 0 else i
            before = self.alpha[s]
            by = -min(total, before - self.A[s]) if total > 0 else min(-total, self.B[s] - before)
            self.alpha[s] += by
            self._snap(s, by)
            by = self.alpha[s] - before
            if by == 0.0:
                return
            total += by
            self.g[self.S] -= by * self.K[s, self.S]

    def read_off(self):
        """b and delta from the extremes as they are."""
        g_max, g_min = self.extreme_gradients()
        finite = [g for g in (g_max, g_min) if np.isfinite(g)]
        if finite:
            self.b = sum(finite) / len(finite)
        self.delta = g_max - g_min
