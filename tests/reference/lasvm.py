"""LASVM in plain NumPy, one step at a time.

The problem, over the stored rows S and with signed coefficients alpha (alpha_i carries the
sign of y_i)::

    max  D(alpha) = sum_i alpha_i y_i - 1/2 sum_ij alpha_i alpha_j K_ij
    s.t. sum_i alpha_i = 0,   A_i <= alpha_i <= B_i,
         A_i = min(0, C_i y_i),  B_i = max(0, C_i y_i)

    f(x) = sum_i alpha_i K(x_i, x) + b,   g_i = y_i - sum_j alpha_j K_ij   (without the bias)

Bordes, Ertekin, Weston, Bottou (2005), "Fast kernel classifiers with online and active
learning"; the second-order choice of the pair is working set selection 2 of Fan, Chen, Lin
(2005), "Working set selection using second order information for training SVM".

Deviations from the paper:

- A row that violates nothing when it arrives is not kept (the paper leaves it in S with
  alpha = 0 until the next REPROCESS), unless it would be the extreme of its own side; and no row
  is evicted while it is that. With all support vectors at a bound g_max < g_min, and rows of
  opposite labels whose gradients lie between the two violate with each other but with nothing in
  S: they would never meet.
- Nothing is evicted while one side has no extreme.
- `finish` evicts once, at its end: a row let go halfway could not come back.
- With a reserve, rows with alpha = 0 stay if they are close to violating: those within `slack`,
  which follows from how many there are.
"""

import copy

import numpy as np

MIN_CURVATURE = 1e-12
MAX_FINISH_STEPS = 1_000_000


def linear_kernel(X, Y):
    return np.array([[float(np.sum(x * y)) for y in as_float64(Y)] for x in as_float64(X)])


def poly_kernel(X, Y, gamma, coef0, degree):
    return (gamma * linear_kernel(X, Y) + coef0) ** degree


def rbf_kernel(X, Y, gamma):
    return np.array(
        [[np.exp(-gamma * np.sum((x - y) ** 2)) for y in as_float64(Y)] for x in as_float64(X)]
    )


def sigmoid_kernel(X, Y, gamma, coef0):
    return np.tanh(gamma * linear_kernel(X, Y) + coef0)


def as_float64(X):
    return np.asarray(X, dtype=np.float64)


def round_to_float32(K):
    """Kernel values as the engine keeps them: float32 numbers, here held as float64."""
    return np.asarray(K).astype(np.float32).astype(np.float64)


class ReferenceLasvm:
    """LASVM for two classes, given the kernel matrix of all rows.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric; every value must be a float32 number (see `round_to_float32`).
    y : ndarray of shape (n,)
        -1 or +1.
    C : ndarray of shape (n,)
        The bound of each row, finite and >= 0; a row with bound 0 is skipped.
    tol : float
        A pair is violating when its gradients differ by more than this.
    n_init : int
        Rows of the first class that are kept while the second has not been seen.
    delta_max : float or None
        None: one REPROCESS after each PROCESS; else REPROCESS until `delta <= delta_max`,
        or until there is nothing to step on.
    reserve : int
        Number of rows with alpha = 0 that are kept although they do not violate.

    Attributes
    ----------
    S : list of int
        Stored rows in the order in which they came in.
    alpha : ndarray of shape (n,)
        Signed coefficients; 0 outside S.
    g : ndarray of shape (n,)
        Gradients on S; nan outside S.
    b, delta : float
        Bias and g_max - g_min, set by `reprocess`. While only one class has been seen b is its
        label (0 before any row) and delta is inf.
    seen : set of int
        Labels met so far in rows with a positive bound.
    n_steps : int
        Pairs moved so far.
    last_pair : tuple of int or None
        (i, j) of the newest step: alpha_i went up, alpha_j went down.
    """

    def __init__(self, K, y, C, tol=1e-3, n_init=5, delta_max=None, reserve=0):
        self.K = as_float64(K)
        self.y = as_float64(y)
        self.C = as_float64(C)
        n = len(self.y)
        self.tol = tol
        self.n_init = max(n_init, reserve)
        self.delta_max = delta_max
        self.reserve = reserve
        self.slack = np.inf if reserve else 0.0

        self.A = np.minimum(0.0, self.C * self.y)
        self.B = np.maximum(0.0, self.C * self.y)
        self.S = []
        self.alpha = np.zeros(n)
        self.g = np.full(n, np.nan)
        self.b = 0.0
        self.delta = np.inf
        self.seen = set()
        self.n_steps = 0
        self.last_pair = None

    # -- the verbs of the paper ---------------------------------------------------------

    def process(self, k):
        """PROCESS: offer row k; returns whether it was kept."""
        k = int(k)
        if self.C[k] == 0 or k in self.S:
            return False
        self.seen.add(int(self.y[k]))
        g_k = self.y[k] - self.K[k, self.S] @ self.alpha[self.S]

        if len(self.seen) < 2:
            if len(self.S) >= self.n_init:
                return False
            self._insert(k, g_k)
            self.b = self.y[k]
            return True

        # alpha_k = 0, so k can only move away from 0: up for y = +1, down for y = -1.
        i_max, g_max, j_min, g_min = self.extremes()
        if self.y[k] > 0:
            i, j, violation = k, j_min, g_k - g_min
            has_partner, is_extreme = g_min < np.inf, g_k > g_max
        else:
            i, j, violation = i_max, k, g_max - g_k
            has_partner, is_extreme = g_max > -np.inf, g_k < g_min
        if not has_partner:
            return False
        violating = violation > self.tol
        if not violating and not is_extreme and not self._is_within_reserve(violation):
            return False
        self._insert(k, g_k)
        if violating:
            self._step(i, j)
        return True

    def reprocess(self, second_order=False, evict=True):
        """REPROCESS: at most one step within S, then b, delta and eviction.

        Returns whether there was a violating pair to step on.
        """
        if len(self.seen) < 2:
            return False
        i, g_max, j, g_min = self.extremes()
        violating = g_max - g_min > self.tol
        if violating:
            if second_order:
                j = self._second_order_partner(i)
            self._step(i, j)

        # The extremes after the step, and before the eviction.
        g_max, g_min = self.extreme_gradients()
        if evict:
            self._evict(g_max, g_min)
        if g_max == -np.inf and g_min == np.inf:
            self.b = 0.0
        elif g_max == -np.inf:
            self.b = g_min
        elif g_min == np.inf:
            self.b = g_max
        else:
            self.b = (g_max + g_min) / 2
        self.delta = g_max - g_min
        return violating

    def learn(self, k):
        """One example of the stream: PROCESS, then REPROCESS once or until delta_max."""
        if self.C[k] == 0:
            return
        self.process(k)
        while self.reprocess():
            if self.delta_max is None or self.delta <= self.delta_max:
                break

    def finish(self, second_order=True):
        """REPROCESS until delta <= tol: the optimum over S (not over all rows)."""
        for _ in range(MAX_FINISH_STEPS):
            if not self.reprocess(second_order=second_order, evict=False):
                self.reprocess()
                self._settle_b()
                return
        raise RuntimeError(f"no end after {MAX_FINISH_STEPS} steps, delta={self.delta}")

    def _residuals(self):
        return self.g[self.S]

    def _settle_b(self):
        """With all rows at a bound, every b between the extremes is optimal: take the mean.

        Or the nearest one with fewer training errors, if there is one.
        """
        g_max, g_min = self.extreme_gradients()
        weights = np.abs(self.alpha[self.S])
        if -np.inf < g_max < g_min < np.inf and weights.any():
            b = np.clip(np.average(self._residuals(), weights=weights), g_max, g_min)
            self.b = self._least_errors(g_max, g_min, b)

    def _least_errors(self, low, high, b):
        rows = [s for s in self.S if self.alpha[s] != 0]
        y, weights = self.y[rows], np.abs(self.alpha[rows])
        f = y - self.g[rows]
        ends = np.unique(np.concatenate([[low, high], -f]))
        ends = ends[(ends >= low) & (ends <= high)]
        middles = 0.5 * (ends[1:] + ends[:-1])
        wrong = np.sign(f[:, None] + middles) != y[:, None]
        errors = weights @ wrong
        best = np.flatnonzero(errors <= errors.min() + 1e-9 * weights.sum())
        distances = np.maximum(0, np.maximum(ends[best] - b, b - ends[best + 1]))
        k = best[distances.argmin()]
        return b if ends[k] <= b <= ends[k + 1] else middles[k]

    def fit(self, order, n_passes=1):
        """Learn the rows of `order`, `n_passes` times; returns the number of passes made.

        With `n_passes=-1`: until a whole pass neither steps nor changes S. Does not finish.
        """
        done = 0
        while done != n_passes:
            n_steps, S = self.n_steps, list(self.S)
            for k in order:
                self.learn(k)
            done += 1
            if n_passes == -1 and self.n_steps == n_steps and self.S == S:
                break
        return done

    # -- parts --------------------------------------------------------------------------

    def extremes(self):
        """(i, g_max, j, g_min): argmax of g where alpha < B, argmin where alpha > A, over S.

        Over nothing: g_max = -inf, g_min = +inf (and the index means nothing).
        """
        g_up, g_down = self._movable()
        i, j = self._argmax(g_up), self._argmax(-g_down)
        return i, g_up[i], j, g_down[j]

    def extreme_gradients(self):
        """(g_max, g_min)."""
        g_up, g_down = self._movable()
        return g_up.max(), g_down.min()

    def _movable(self):
        stored = np.zeros(len(self.y), dtype=bool)
        stored[self.S] = True
        g_up = np.where(stored & (self.alpha < self.B), self.g, -np.inf)
        g_down = np.where(stored & (self.alpha > self.A), self.g, np.inf)
        return g_up, g_down

    def _argmax(self, g):
        """The row with the largest entry; the lowest of several."""
        return int(np.argmax(g))

    def _curvature(self, i, j):
        return max(self.K[i, i] + self.K[j, j] - 2 * self.K[i, j], MIN_CURVATURE)

    def _second_order_partner(self, i):
        # Fan, Chen, Lin: every j with g_j < g_i may be chosen, not only the tau-violating.
        best, best_gain = None, -np.inf
        for j in sorted(self.S):
            if self.alpha[j] > self.A[j] and self.g[j] < self.g[i]:
                gain = (self.g[i] - self.g[j]) ** 2 / self._curvature(i, j)
                if gain > best_gain:
                    best, best_gain = j, gain
        return best

    def _step(self, i, j):
        """Maximise the dual along alpha_i up, alpha_j down, as far as the box allows."""
        lam = min(
            (self.g[i] - self.g[j]) / self._curvature(i, j),
            self.B[i] - self.alpha[i],
            self.alpha[j] - self.A[j],
        )
        self.alpha[i] += lam
        self.alpha[j] -= lam
        self._snap(i, lam)
        self._snap(j, lam)
        for s in self.S:
            self.g[s] -= lam * (self.K[i, s] - self.K[j, s])
        self.n_steps += 1
        self.last_pair = (i, j)

    def _snap(self, s, lam):
        # alpha is of the order of 1 / K, far from C maybe: what counts as 0 scales with the step.
        rounding = 4 * np.finfo(np.float64).eps
        bound = self.C[s] * self.y[s]
        if abs(self.alpha[s]) <= rounding * abs(lam):
            self.alpha[s] = 0.0
        elif abs(self.alpha[s] - bound) <= 1e-12 * abs(bound):
            self.alpha[s] = bound

    def _insert(self, k, g_k):
        self.S.append(k)
        self.alpha[k] = 0.0
        self.g[k] = g_k

    def _is_within_reserve(self, violation):
        if not self.reserve:
            return False
        if self._n_zeros() < self.reserve:
            self.slack *= 1.01
        return -violation < self.slack

    def _n_zeros(self):
        return sum(self.alpha[s] == 0 for s in self.S)

    def _distance(self, s, g_max, g_min):
        """How far the gradient of a row with alpha = 0 is from violating."""
        return g_min - self.g[s] if self.y[s] > 0 else self.g[s] - g_max

    def _thin_reserve(self, g_max, g_min):
        """Evict the rows with alpha = 0 that are farthest from violating, if they are many."""
        if self._n_zeros() <= self.reserve + self.reserve // 4:
            return
        zeros = [s for s in self.S if self.alpha[s] == 0]
        distances = np.array([self._distance(s, g_max, g_min) for s in zeros])
        self.slack = min(self.slack, max(distances.max(), 0.0))
        n_left = len(zeros)
        while n_left > self.reserve and self.slack > self.tol:
            self.slack *= 0.95
            n_left = np.sum(distances <= self.slack)
        for s, distance in zip(zeros, distances, strict=True):
            if distance > self.slack:
                self.S.remove(s)
                self.g[s] = np.nan

    def _evict(self, g_max, g_min):
        if g_max == -np.inf or g_min == np.inf:
            return
        if self.reserve:
            self._thin_reserve(g_max, g_min)
            return
        for s in list(self.S):
            # At alpha = 0 a row may only move to its label's side. It is let go if no pair of S
            # violates with it there, unless it is the extreme of that side.
            useless_up = self.A[s] == 0 and self.g[s] <= g_min and self.g[s] < g_max
            useless_down = self.B[s] == 0 and self.g[s] >= g_max and self.g[s] > g_min
            if self.alpha[s] == 0 and (useless_up or useless_down):
                self.S.remove(s)
                self.g[s] = np.nan

    # -- reports ------------------------------------------------------------------------

    def fresh_g(self):
        """Gradients of all rows, from the definition."""
        return self.y - self.K @ self.alpha

    def decision_function(self, K_new=None):
        """f at all rows, or at new rows given by their kernel values against all rows."""
        return (self.K if K_new is None else K_new) @ self.alpha + self.b

    def objective(self):
        """The dual objective D(alpha)."""
        return self.alpha @ self.y - 0.5 * self.alpha @ self.K @ self.alpha

    def duality_gap(self):
        """Primal minus dual of the problem over S, at the bias b."""
        S = self.S
        slope = self.g[S] - self.b
        up, down = self.B[S] - self.alpha[S], self.A[S] - self.alpha[S]
        return float(np.sum(np.maximum(up * slope, down * slope)))

    def kkt_violation_all(self):
        """Largest g_i - g_j over all pairs with alpha_i < B_i, alpha_j > A_j, at least 0.

        Over all rows of the problem, stored or not, with gradients from the definition.
        """
        g = self.fresh_g()
        g_max = np.max(g[self.alpha < self.B], initial=-np.inf)
        g_min = np.min(g[self.alpha > self.A], initial=np.inf)
        return max(0.0, g_max - g_min)


class ForkedTwin(ReferenceLasvm):
    """A twin that can be told which row to take where several are the extreme.

    A step that the box does not cut leaves two gradients equal: which of the two is larger is
    decided by the rounding of the last bit, and both ways of going on are right.
    """

    path = ()
    forks = ()

    def _argmax(self, g):
        tied = np.flatnonzero(g >= g.max() - 1e-12 * max(1.0, np.abs(self.K).max()))
        if len(tied) <= 1 or g.max() == -np.inf:
            return super()._argmax(g)
        taken = self.path[len(self.forks)] if len(self.forks) < len(self.path) else 0
        self.forks = (*self.forks, len(tied))
        return int(tied[taken])

    def ways_to_learn(self, row):
        """The twins that `row` may lead to; mostly one."""
        path = ()
        while path is not None:
            twin = copy.copy(self)
            twin.S, twin.alpha, twin.g = list(self.S), self.alpha.copy(), self.g.copy()
            twin.seen = set(self.seen)
            twin.path, twin.forks = path, ()
            twin.learn(row)
            yield twin
            # The next path in lexicographic order: the last fork that has a way left.
            path, forks = [*path, *[0] * (len(twin.forks) - len(path))], list(twin.forks)
            while path and path[-1] + 1 == forks[-1]:
                path.pop()
                forks.pop()
            path = (*path[:-1], path[-1] + 1) if path else None
