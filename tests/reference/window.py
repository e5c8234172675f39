"""LASVM with a sliding window in plain NumPy: what happens after each row.

A member that is older than the window is dropped: ``g += alpha_s K_s``. What is then missing of
``sum alpha = 0`` is taken over by those whose gradient wants it most.
"""

import numpy as np

from tests.reference.lasvm import ForkedTwin


class WindowTwin(ForkedTwin):
    """A twin with a window of ``window_size`` rows."""

    def __init__(self, K, y, C, *, window_size, **params):
        super().__init__(K, y, C, **params)
        self.window_size = window_size
        self.now, self.born = 0, {}
        self.n_dropped = 0

    def learn(self, k):
        super().learn(k)
        # A copy: the ways to learn a row share what they began with.
        self.born = {s: self.born.get(s, self.now) for s in self.S}
        self.now += 1
        self.shed()

    def shed(self):
        total, n_before = 0.0, len(self.S)
        for s in list(self.S):
            if self.now - self.born[s] > self.window_size:
                total -= self.drop(s)
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

    def drop(self, s):
        """Returns the alpha that goes."""
        alpha = self.alpha[s]
        self.S.remove(s)
        self.g[s] = np.nan
        self.alpha[s] = 0.0
        self.g[self.S] += alpha * self.K[s, self.S]
        self.n_dropped += 1
        return alpha

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
