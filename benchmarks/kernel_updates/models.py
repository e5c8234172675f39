"""The same algorithm in NumPy, sample by sample, and the models of the sets."""

import numpy as np

from sklearn_online_svm import KernelPassiveAggressiveClassifier, LabelEfficientClassifier
from sklearn_online_svm.active import MarginQuery


class NumpyBudgetPA:
    """Kernel PA-I of two classes with a budget, blocks of one sample: as fast as NumPy makes it.

    The kernel matrix of the vectors and their decision values are kept, as in the engine.
    """

    def __init__(self, C, gamma, most, policy, n_features):
        self.C, self.gamma, self.most, self.policy = C, gamma, most, policy
        self.X = np.zeros((most + 1, n_features))
        self.squares = np.zeros(most + 1)
        self.alpha = np.zeros(most + 1)
        self.y = np.zeros(most + 1)
        self.f = np.zeros(most + 1)
        self.K = np.zeros((most + 1, most + 1))
        self.n = self.n_updates = 0
        self.free = []

    def partial_fit(self, X, y):
        """Update on samples with labels -1 and 1."""
        for x, label in zip(X, y, strict=True):
            self._learn(x, label)
        return self

    def _learn(self, x, y):
        n = self.n
        square = x @ x
        k = np.exp(-self.gamma * (self.squares[:n] + square - 2.0 * (self.X[:n] @ x)))
        p = k @ self.alpha[:n]
        loss = 1.0 - y * p
        if loss <= 0.0:
            return
        tau = min(self.C, loss) * y
        self.f[:n] += tau * k
        if self.free:
            slot = self.free.pop()
        else:
            slot, self.n = n, n + 1
        self.X[slot], self.squares[slot] = x, square
        self.alpha[slot], self.y[slot], self.f[slot] = tau, y, p + tau
        self.K[slot, :n] = k
        self.K[:n, slot] = k
        self.K[slot, slot] = 1.0
        self.n_updates += 1
        if self.n - len(self.free) > self.most:
            self._let_go()

    def _let_go(self):
        n = self.n
        if self.policy == "margin":
            slot = int(np.argmax(self.y[:n] * (self.f[:n] - self.alpha[:n])))
        else:
            slot = int(np.argmin(np.abs(self.alpha[:n])))
        self.f[:n] -= self.alpha[slot] * self.K[slot, :n]
        self.alpha[slot] = 0.0
        self.free.append(slot)


VARIANTS = {
    "PA": dict(C=np.inf),
    "PA-I": dict(loss="hinge"),
    "PA-II": dict(loss="squared_hinge"),
}


def kernel_pa(variant, C, **params):
    """One of the three, with every label."""
    fixed = VARIANTS[variant]
    return KernelPassiveAggressiveClassifier(**{"C": C, **fixed, **params})


def asking(model, rate, seed):
    """The same with a share of the labels queried by margin."""
    return LabelEfficientClassifier(
        model, MarginQuery(rate=rate, random_state=seed), random_state=seed
    )
