"""Passive-aggressive learning with advice in plain NumPy, one row at a time.

Kunapuli, Bennett, Maclin, Shavlik (2010), "Online learning with knowledge-based SVMs". The weights
are explicit, the constant feature 1 is the last one of every row, and each of the m rules
`D x <= d  =>  z w.x >= 1` of a problem gets the conditions `x_0 <= 1`, `-x_0 <= -1` for it.

Deviations from the paper: w begins at the mean advice r, unless `zero_start`; the step is the
exact minimum of its problem. With `refine`, the weights and u take turns: `joint_minimum` is what
they tend to.
"""

import numpy as np
from scipy.optimize import lsq_linear, nnls


def nonnegative(A, b):
    """The x >= 0 with the least |A x - b|.

    Where columns are opposite, as those of w+ and w-, `nnls` of SciPy sometimes returns another x
    than that of the norm which it returns.
    """
    x, norm = nnls(A, b, maxiter=10000)
    if not np.isclose(np.linalg.norm(A @ x - b), norm, rtol=1e-6, atol=1e-9):
        x = lsq_linear(A, b, (0, np.inf), method="bvls", tol=1e-15).x
    return x


class AdviceTwin:
    """One vector of weights for two classes, one for each of several.

    Parameters
    ----------
    rules : list of (D, d, label)
        label is the index of a class.
    n_features, n_classes : int
    C, weight : float
    refine : int
        How often weights and u take turns on each row; 0: u is fixed.
    fit_intercept, zero_start : bool
    """

    def __init__(
        self,
        rules,
        n_features,
        n_classes=2,
        *,
        C=1.0,
        weight=0.01,
        refine=0,
        fit_intercept=True,
        zero_start=False,
    ):
        self.C, self.weight, self.refine, self.fit_intercept = C, weight, refine, fit_intercept
        self.m = len(rules)
        self.nu = 1 / (1 + self.m * weight)
        self.positive = [1] if n_classes == 2 else list(range(n_classes))
        self.D, self.d, self.labels = [], [], [label for _, _, label in rules]
        for D, d, _ in rules:
            D, d = np.asarray(D, float), np.asarray(d, float)
            if fit_intercept:
                constant = np.zeros((2, n_features + 1))
                constant[:, -1] = 1, -1
                D = np.vstack([np.hstack([D, np.zeros((len(D), 1))]), constant])
                d = np.append(d, [1, -1])
            self.D.append(D)
            self.d.append(d)
        # u[c][i]: of problem c and rule i.
        self.u = [self._first(c) for c in range(len(self.positive))]
        self.W = np.array([self.mean_advice(c) for c in range(len(self.positive))])
        if zero_start:
            self.W = np.zeros_like(self.W)
        self.loss = 0.0

    def sign(self, c, i):
        return 1.0 if self.labels[i] == self.positive[c] else -1.0

    def mean_advice(self, c):
        points = [-self.sign(c, i) * self.D[i].T @ u for i, u in enumerate(self.u[c])]
        return np.mean(points, axis=0)

    def _first(self, c):
        """The problem without rows, over (w+, w-, u_1, s_1, ..., u_m, s_m) >= 0.

        It is left whole: w is not eliminated. Divided by the weight, which may be 0, it is

            |w|^2 / weight + sum_i |D_i'u_i + z_i w|^2 + (1 + d_i.u_i + s_i)^2 .

        In the limit 0 the least squares for w = t weight, t = sum r_i, ..., are those of
        sum |r_i|^2 + (1 + d_i.u_i + s_i)^2.
        """
        n = self.D[0].shape[1]
        sizes = [len(d) for d in self.d]
        total = 2 * n + sum(sizes) + self.m
        rows, wanted = [], []
        if self.weight > 0:
            top = np.zeros((n, total))
            top[:, :n], top[:, n : 2 * n] = np.eye(n), -np.eye(n)
            rows.append(top / np.sqrt(self.weight))
            wanted.append(np.zeros(n))
        at, places = 2 * n, []
        for i in range(self.m):
            z, k = self.sign(c, i), sizes[i]
            block = np.zeros((n, total))
            if self.weight > 0:
                block[:, :n], block[:, n : 2 * n] = z * np.eye(n), -z * np.eye(n)
            block[:, at : at + k] = self.D[i].T
            lack = np.zeros((1, total))
            lack[0, at : at + k], lack[0, at + k] = self.d[i], 1.0
            rows += [block, lack]
            wanted += [np.zeros(n), [-1.0]]
            places.append(slice(at, at + k))
            at += k + 1
        x = nonnegative(np.vstack(rows), np.concatenate(wanted))
        u = [x[place] for place in places]
        if self.fit_intercept:
            for part in u:  # only the difference of the last two matters
                part[-2:] -= min(part[-2:])
        return u

    def learn_row(self, x, label, weight=1.0):
        """Learn one row; returns the decision values before it."""
        x = np.asarray(x, float)
        x = np.append(x, 1.0) if self.fit_intercept else x
        scores = self.W @ x
        if weight == 0:
            return scores
        for c, positive in enumerate(self.positive):
            y = 1.0 if label == positive else -1.0
            w, before = self.W[c].copy(), self.u[c]
            for turn in range(max(1, self.refine)):
                centre = self.nu * w + (1 - self.nu) * self.mean_advice(c)
                loss = max(0.0, 1 - y * centre @ x)
                self.loss += loss if turn == 0 else 0.0
                alpha = loss / (1 / (2 * self.C * weight) + self.nu * x @ x)
                self.W[c] = centre + self.nu * alpha * y * x
                if self.refine:
                    self.u[c] = [self.refined(c, i, u) for i, u in enumerate(before)]
        return scores

    def objective(self, c, x, y, w, before, w_new, u_new):
        """What a step of problem c minimizes over w_new and u_new; x has the constant feature."""
        total = 0.5 * ((w_new - w) ** 2).sum() + self.C * max(0.0, 1 - y * w_new @ x) ** 2
        for i, (u, v) in enumerate(zip(before, u_new, strict=True)):
            eta = self.D[i].T @ v + self.sign(c, i) * w_new
            zeta = max(0.0, 1 + self.d[i] @ v)
            total += 0.5 * ((v - u) ** 2).sum() + 0.5 * self.weight * (eta @ eta + zeta**2)
        return total

    def joint_minimum(self, c, x, y, w, before):
        """The minimum of `objective`: w_new and u_new.

        Nonnegative least squares over (w+, w-, t, v_1, s_1, ..., v_m, s_m), with the slacks t of
        the row and s_i of the rules: max(0, a)^2 is the least (a + t)^2 over t >= 0.
        """
        n, sizes, root = len(w), [len(u) for u in before], np.sqrt(self.weight)
        total = 2 * n + 1 + sum(sizes) + self.m
        both = np.hstack([np.eye(n), -np.eye(n)])
        A, b = [np.hstack([both, np.zeros((n, total - 2 * n))])], [w]
        lack = np.zeros((1, total))
        lack[0, : 2 * n], lack[0, 2 * n] = -y * x @ both, 1.0
        A.append(np.sqrt(2 * self.C) * lack)
        b.append([-np.sqrt(2 * self.C)])
        at, places = 2 * n + 1, []
        for i, u in enumerate(before):
            k = sizes[i]
            near, eta, lack = np.zeros((k, total)), np.zeros((n, total)), np.zeros((1, total))
            near[:, at : at + k] = np.eye(k)
            eta[:, : 2 * n], eta[:, at : at + k] = self.sign(c, i) * both, self.D[i].T
            lack[0, at : at + k], lack[0, at + k] = self.d[i], 1.0
            A += [near, root * eta, root * lack]
            b += [u, np.zeros(n), [-root]]
            places.append(slice(at, at + k))
            at += k + 1
        solution = nonnegative(np.vstack(A), np.concatenate(b))
        return both @ solution[: 2 * n], [solution[place] for place in places]

    def refined(self, c, i, u):
        """min 1/2 |v - u|^2 + mu/2 (|D'v + z w|^2 + (1 + d.v + s)^2) over v, s >= 0."""
        D, d, z, root = self.D[i], self.d[i], self.sign(c, i), np.sqrt(self.weight)
        k = len(u)
        A = np.vstack(
            [
                np.hstack([np.eye(k), np.zeros((k, 1))]),
                root * np.hstack([D.T, np.zeros((D.shape[1], 1))]),
                root * np.append(d, 1.0),
            ]
        )
        wanted = np.concatenate([u, -root * z * self.W[c], [-root]])
        return nnls(A, wanted, maxiter=10000)[0][:k]

    @property
    def coef(self):
        return self.W[:, :-1] if self.fit_intercept else self.W

    @property
    def intercept(self):
        return self.W[:, -1] if self.fit_intercept else np.zeros(len(self.W))
