"""Kernel learners that make one step per row, in plain NumPy, one row at a time.

The rules are those of `linear.py`, with K(x, x) for |x|^2. `KernelTwin` keeps a list of vectors,
with a coefficient for each problem, and computes all that it wants to know from them anew.

- Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), "Online passive-aggressive algorithms",
  sections 3, 7 and 8.
- Freund, Schapire (1999), "Large margin classification using the perceptron algorithm".
- Crammer, Kandola, Singer (2003), "Online classification on a budget".
- Wang, Vucetic (2010), "Online passive-aggressive algorithms on a budget".
- Wang, Crammer, Vucetic (2012), "Breaking the curse of kernelization".

Deviations from the papers:

- A row that makes a step in a later pass adds it to the coefficient that it has.
- With several classes all of them share the vectors. The margin by which one is let go is that of
  its class over the best of the others.
- A vector is projected onto the others with a ridge, RIDGE times K(x, x) of each: rounded kernel
  matrices have no inverse.
- Vectors are merged within the segment between them.
"""

from dataclasses import dataclass, field

import numpy as np

# Of the diagonal, for projections.
RIDGE = 1e-5


@dataclass
class Vector:
    """A row, or what was made of two, and what it adds to the functions."""

    x: np.ndarray
    label: int
    row: object  # the number of the row, or None
    coef: np.ndarray  # of each problem
    sums: np.ndarray  # steps times the rows that came before them


@dataclass
class KernelTwin:
    """A kernel model that learns by a rule, row by row.

    Parameters
    ----------
    kernel : callable
        Of two arrays of rows.
    n_classes : int
        Two classes are one problem, in which class 1 is the positive one.
    rule : Rule
        Of `linear.py`, first order.
    multi_class : {"ovr", "crammer_singer"}
    most : int or None
        Vectors, at most.
    policy : {"margin", "projection", "merging"}
    gamma : float
        Of the rbf kernel, for merging.
    """

    kernel: object
    n_classes: int
    rule: object
    multi_class: str = "ovr"
    most: int | None = None
    policy: str = "margin"
    gamma: float = 1.0
    vectors: list = field(default_factory=list)
    n_rows: int = 0

    def __post_init__(self):
        self.n_problems = self.n_classes if self.n_classes > 2 else 1
        self.joint = self.multi_class == "crammer_singer" and self.n_problems > 1

    def learn_row(self, x, label, weight=1.0, row=None):
        """Learn one row; `row` is its number, by which it is known again. Returns whether a step
        was made."""
        x = np.asarray(x, dtype=np.float64)
        along = np.zeros(self.n_problems)
        if weight != 0:
            scores, square = self.scores(x), self.square(x)
            if square > 0:
                along = self.step_of(label, weight, scores, square)
        if along.any():
            self.add(x, label, row, along)
            if self.most is not None and len(self.vectors) > self.most:
                getattr(self, f"give_up_{self.policy}")()
        self.n_rows += 1
        return bool(along.any())

    def step_of(self, label, weight, scores, square):
        along = np.zeros(self.n_problems)
        if self.joint:
            gaps = scores[label] - scores
            gaps[label] = np.inf
            rival = int(np.argmin(gaps))
            demand = self.rule.demand(1.0, 1, 1)
            step = self.rule.step(1.0, gaps[rival], 2 * square, weight, demand)
            if step is not None:
                along[label], along[rival] = step[0], -step[0]
            return along
        for c in range(self.n_problems):
            y = 1.0 if label == (c if self.n_problems > 1 else 1) else -1.0
            step = self.rule.step(y, scores[c], square, weight, self.rule.demand(y, 1, 1))
            if step is not None:
                along[c] = step[0]
        return along

    def add(self, x, label, row, along):
        for v in self.vectors:
            if row is not None and v.row == row:
                v.coef = v.coef + along
                v.sums = v.sums + along * self.n_rows
                return
        self.vectors.append(Vector(x, label, row, along, along * self.n_rows))

    # -- what there is ------------------------------------------------------------------

    def square(self, x):
        return float(self.kernel(x[None], x[None])[0, 0])

    @property
    def X(self):
        return np.array([v.x for v in self.vectors])

    @property
    def coef(self):
        """(n_problems, n_vectors)"""
        return np.array([v.coef for v in self.vectors]).T.reshape(self.n_problems, -1)

    @property
    def mean_coef(self):
        """The mean of the coefficients after each row, of the vectors that are still there."""
        return self.coef - np.array([v.sums for v in self.vectors]).T / self.n_rows

    def scores(self, x):
        """f(x) of all problems."""
        if not self.vectors:
            return np.zeros(self.n_problems)
        return self.coef @ self.kernel(self.X, x[None])[:, 0]

    def matrix(self):
        return self.kernel(self.X, self.X)

    # -- budgets ------------------------------------------------------------------------

    def drop(self, i):
        del self.vectors[i]

    def give_up_margin(self):
        """argmax of the margin that a vector has without itself."""
        K = self.matrix()
        without = self.coef @ K - self.coef * np.diag(K)
        margins = []
        for i, v in enumerate(self.vectors):
            if self.n_problems == 1:
                margins.append(without[0, i] * (1 if v.label == 1 else -1))
            else:
                margins.append(without[v.label, i] - np.delete(without[:, i], v.label).max())
        self.drop(int(np.argmax(margins)))

    def give_up_projection(self):
        """The vector that loses least when it is projected onto the others."""
        K = self.matrix()
        ridge = K + RIDGE * np.diag(np.diag(K))
        P = np.linalg.inv(ridge)
        i = int(np.argmin((self.coef**2).sum(axis=0) / np.diag(P)))
        others = np.delete(np.arange(len(K)), i)
        beta = np.linalg.solve(ridge[np.ix_(others, others)], K[others, i])
        gone = self.vectors[i]
        for b, j in zip(beta, others, strict=True):
            self.vectors[j].coef = self.vectors[j].coef + b * gone.coef
            self.vectors[j].sums = self.vectors[j].sums + b * gone.sums
        self.drop(i)

    def give_up_merging(self):
        """The smallest vector and the one with which least is lost become one, on the segment
        between them."""
        coef = self.coef
        i = int(np.argmin((coef**2).sum(axis=0)))
        best = None
        for j, v in enumerate(self.vectors):
            if j == i:
                continue
            k = float(self.kernel(self.X[i : i + 1], v.x[None])[0, 0])
            h, kept = best_point(coef[:, i], coef[:, j], k)
            a, b = coef[:, i], coef[:, j]
            lost = a @ a + b @ b + 2 * k * (a @ b) - kept
            if best is None or lost < best[0]:
                best = lost, j, h, k
        _, j, h, k = best
        one, other = self.vectors[i], self.vectors[j]
        shares = k ** ((1 - h) ** 2), k ** (h**2)
        if h == 0:  # the other one stays what it is
            other.coef = shares[0] * one.coef + shares[1] * other.coef
            other.sums = shares[0] * one.sums + shares[1] * other.sums
            self.drop(i)
            return
        x = h * one.x + (1 - h) * other.x
        larger = one if (one.coef**2).sum() > (other.coef**2).sum() else other
        merged = Vector(
            x,
            larger.label,
            None,
            shares[0] * one.coef + shares[1] * other.coef,
            shares[0] * one.sums + shares[1] * other.sums,
        )
        for gone in sorted((i, j), reverse=True):
            self.drop(gone)
        self.vectors.append(merged)


def best_point(a, b, k, n_points=2001):
    """h in [0, 1] at which a phi(x) + b phi(z) keeps most of its length when it is projected onto
    phi(h x + (1 - h) z), and the square of that length; k = exp(-gamma |x - z|^2)."""

    def kept(h):
        shares = k ** ((1 - h) ** 2), k ** (h**2)
        return sum((shares[0] * p + shares[1] * q) ** 2 for p, q in zip(a, b, strict=True))

    grid = np.linspace(0, 1, n_points)
    values = kept(grid)
    # Of vectors alike, and far apart, two places are as good: the one nearer to the other vector.
    h, step = grid[values >= values.max() * (1 - 1e-12)][0], 1 / (n_points - 1)
    low, high = max(0.0, h - step), min(1.0, h + step)
    for _ in range(60):  # one third less each time
        one, two = low + (high - low) / 3, high - (high - low) / 3
        if kept(one) < kept(two):
            low = one
        else:
            high = two
    best = 0.0
    for h in ((low + high) / 2, 1.0):
        # Of two that are equal but for rounding, the one that moves the other vector less.
        if kept(h) > kept(best) * (1 + 1e-12):
            best = h
    return best, kept(best)


def vote(steps, x_values, n_problems, n_rows, joint):
    """The majority of all functions, each with as many votes as rows it was the newest after.

    `steps` has after each row (of T) the coefficients of all vectors ever kept, as (T, n_problems,
    n_vectors); `x_values` their kernel values with a row.
    """
    votes = np.zeros(n_problems)
    for coef in steps[:n_rows]:
        f = coef @ x_values
        if joint:
            votes[int(np.argmax(f))] += 1
        else:
            votes += np.sign(f)
    return votes / n_rows
