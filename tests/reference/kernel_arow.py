"""AROW in the span of a dictionary, from the equations, without a basis.

A function in the span of the vectors d_1, ..., d_m has the coefficients a over them. Its scalar
product with K(x, .) is a'k, and the covariance of a is C: in an orthonormal basis, of which a is
the image under the transpose of the inverse Cholesky factor, it is the S of the estimator.
"""

import numpy as np


class KernelAROW:
    """One problem after the other; the dictionary is common to all problems."""

    def __init__(self, kernel, n_problems, most, r=1.0, forgetting=1.0, threshold=1e-4):
        self.kernel, self.most, self.r, self.threshold = kernel, most, r, threshold
        self.forgetting = forgetting
        self.rows, self.labels = [], []
        self.a = [np.zeros(0) for _ in range(n_problems)]
        self.C = [np.zeros((0, 0)) for _ in range(n_problems)]

    def values(self, X):
        if not self.rows:
            return np.zeros((len(X), 0))
        return self.kernel(X, np.array(self.rows))

    def decide(self, X):
        return self.values(X) @ np.column_stack(self.a)

    def forget(self):
        """Move towards a = 0 and C = the inverse kernel matrix (S = I)."""
        if not self.rows or self.forgetting == 1.0:
            return
        inverse = np.linalg.inv(self.values(np.array(self.rows)))
        for p in range(len(self.a)):
            self.a[p] = self.a[p] * np.sqrt(self.forgetting)
            self.C[p] = self.forgetting * self.C[p] + (1 - self.forgetting) * inverse

    def variance(self, x):
        k = self.values(x[None])[0]
        rest, _ = self.distance(x)
        return [k @ C @ k + rest for C in self.C]

    def distance(self, x):
        """Squared distance of a sample from the span, and its coefficients in the span."""
        k = self.values(x[None])[0]
        K = self.values(np.array(self.rows)) if self.rows else np.zeros((0, 0))
        c = np.linalg.solve(K, k) if self.rows else k
        return self.kernel(x[None], x[None])[0, 0] - c @ k, c

    def has_room_for(self, label):
        """Whether a row of a class may join: other classes without a vector keep their share."""
        n_classes, room = max(2, len(self.a)), self.most - len(self.rows)
        n_others = len(set(range(n_classes)) - {label} - set(self.labels))
        share, n = self.most // n_classes, self.labels.count(label)
        if room > n_others * share:
            return True
        return room > 0 and n < min(share, (room + n) // (n_others + 1))

    def learn(self, x, label, weight=1.0):
        if weight == 0:
            return False
        self.forget()
        rest, c = self.distance(x)
        square = self.kernel(x[None], x[None])[0, 0]
        joins = rest > self.threshold * square and self.has_room_for(label)
        k = self.values(x[None])[0]
        steps = []
        for p in range(len(self.a)):
            y = 1 if label == (p if len(self.a) > 1 else 1) else -1
            margin = y * (self.a[p] @ k)
            if margin < 1:
                variance = k @ self.C[p] @ k + max(0.0, rest)
                beta = 1.0 / (variance + self.r / weight)
                steps.append((p, beta, beta * (1 - margin) * y))
        if steps and joins:
            # The new direction is (x - sum_i c_i d_i) / sqrt(rest), with variance 1.
            new = np.append(-c, 1.0) / np.sqrt(rest)
            for p in range(len(self.a)):
                self.a[p] = np.append(self.a[p], 0.0)
                self.C[p] = np.pad(self.C[p], (0, 1)) + np.outer(new, new)
            self.rows.append(x)
            self.labels.append(label)
            k = np.append(k, square)
        for p, beta, alpha in steps:
            v = self.C[p] @ k
            self.a[p] = self.a[p] + alpha * v
            self.C[p] = self.C[p] - beta * np.outer(v, v)
        return bool(steps)
