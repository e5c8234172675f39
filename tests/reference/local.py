"""Local online learning in plain NumPy, one row at a time.

One hyperplane learns the long row `(x / sqrt(lam), a_1 x, ..., a_K x)`, by a rule of
`reference/linear.py`; its weights are `(sqrt(lam) u, v_1, ..., v_K)`. `a` are the shares of the
prototypes next to x, each of which is the mean of the rows it has followed.

- Zhou, Zheng, Hu, Xu, You (2016), "One-pass online learning: A local approach". The text that we
  have ends before the algorithm: the step is derived from the problem that the model poses.
"""

import numpy as np


class LocalTwin:
    """A common component, and one for each region.

    Parameters
    ----------
    n_features, n_classes : int
    rule : Rule
        Of `reference/linear.py`: passive-aggressive, or soft confidence-weighted.
    n_prototypes, n_neighbors : int
    lam : float
    second_order : bool
        With a variance of each weight.
    joint : bool
        Whether several classes compete (Crammer-Singer) or stand against the rest.
    average : int or None
        The number of rows after which the mean of the weights begins. None: no mean.
    fit_intercept : bool
    """

    def __init__(
        self,
        n_features,
        n_classes,
        rule,
        *,
        n_prototypes,
        lam,
        n_neighbors=1,
        second_order=False,
        joint=True,
        average=None,
        fit_intercept=True,
    ):
        n_problems = n_classes if n_classes > 2 else 1
        D = n_features + bool(fit_intercept)
        self.rule, self.n_prototypes, self.n_neighbors = rule, n_prototypes, n_neighbors
        self.root = np.sqrt(lam)
        self.W = np.zeros((n_problems, 1 + n_prototypes, D))
        self.S = np.ones_like(self.W) if second_order else None
        self.joint = joint and n_problems > 1
        self.fit_intercept = fit_intercept
        self.n_features = n_features
        # Of each prototype the rows that it has followed.
        self.followed = []
        self.average = average
        self.sum_of_W, self.n_summed = np.zeros_like(self.W), 0
        self.n_rows = self.n_updates = 0
        self.loss = 0.0

    @property
    def prototypes(self):
        return np.array([np.mean(rows, axis=0) for rows in self.followed])

    @property
    def counts(self):
        return np.array([len(rows) for rows in self.followed])

    def neighbours(self, x, learning=False):
        """Numbers of the prototypes next to x, and their shares."""
        if learning and len(self.followed) < self.n_prototypes:
            for k, rows in enumerate(self.followed):
                if np.array_equal(rows[0], x):
                    return [k], [1.0]
            return [len(self.followed)], [1.0]
        distances = np.linalg.norm(self.prototypes - x, axis=1)
        near = np.argsort(distances, kind="stable")[: self.n_neighbors]
        if distances[near[0]] == 0.0 or len(near) == 1:
            return near[:1], [1.0]
        shares = 1.0 / distances[near]
        return near, shares / shares.sum()

    def long_row(self, x, near, shares):
        if self.fit_intercept:
            x = np.append(x, 1.0)
        row = np.zeros(self.W.shape[1:])
        row[0] = x / self.root
        for k, share in zip(near, shares, strict=True):
            row[1 + k] = share * x
        return row

    def scores(self, x):
        """Decision values of all problems."""
        row = self.long_row(x, *self.neighbours(x))
        return np.array([np.sum(w * row) for w in self.shown])

    def learn_row(self, x, label, weight=1.0):
        if weight != 0.0:
            self._learn(x, label, weight)
        self.n_rows += 1
        if self.average is not None and self.n_rows > self.average:
            self.sum_of_W += self.W
            self.n_summed += 1

    def _learn(self, x, label, weight):
        x = np.asarray(x, dtype=np.float64)
        near, shares = self.neighbours(x, learning=True)
        row = self.long_row(x, near, shares)
        scores = np.array([np.sum(w * row) for w in self.W])
        if self.joint:
            updated = self._learn_jointly(row, label, weight, scores)
        else:
            updated = False
            for c in range(len(self.W)):
                positive = c if len(self.W) > 1 else 1
                signs = {c: 1.0 if label == positive else -1.0}
                updated |= self._step(row, signs, signs[c] * scores[c], weight)
        self.n_updates += updated
        if near[0] == len(self.followed):
            self.followed.append([])
        self.followed[near[0]].append(x)

    def _learn_jointly(self, row, label, weight, scores):
        others = scores.copy()
        others[label] = -np.inf
        rival = int(np.argmax(others))
        return self._step(row, {label: 1.0, rival: -1.0}, scores[label] - scores[rival], weight)

    def _step(self, row, signs, margin, weight):
        """Move the classes by their signs, so that the margin grows."""
        along = {c: row if self.S is None else self.S[c] * row for c in signs}
        quad = sum(np.sum(row * Sx) for Sx in along.values())
        self.loss += max(0.0, 1.0 - margin)
        step = self.rule.step(1.0, margin, quad, weight, 1.0) if quad > 0 else None
        if step is None:
            return False
        for c, sign in signs.items():
            self.W[c] += step[0] * sign * along[c]
            if self.S is not None:
                self.S[c] -= step[1] * along[c] ** 2
        return True

    # -- reports ------------------------------------------------------------------------

    @property
    def shown(self):
        """The weights that predict."""
        return self.sum_of_W / self.n_summed if self.n_summed else self.W

    @property
    def common(self):
        return self.shown[:, 0] / self.root

    @property
    def local(self):
        return self.shown[:, 1 : 1 + len(self.followed)].swapaxes(0, 1)

    def state(self):
        """What the estimator shows, in the order of its attributes."""
        d = self.n_features
        both = []
        for W in (self.common, self.local):
            constants = W[..., d] if self.fit_intercept else np.zeros(W.shape[:-1])
            both += [W[..., :d], constants]
        return [self.prototypes, self.counts, *both]
