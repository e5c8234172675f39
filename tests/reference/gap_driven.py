"""LASVM-G, -NC, -I and FULL in plain NumPy, one step at a time.

The problem, over the stored rows S, without a bias and with signed coefficients alpha::

    max  D(alpha) = sum_i alpha_i y_i - 1/2 sum_ij alpha_i alpha_j K_ij
    s.t. A_i <= alpha_i <= B_i,
         A_i = min(0, C_i y_i) - beta_i y_i,  B_i = max(0, C_i y_i) - beta_i y_i

    f(x) = sum_i alpha_i K(x_i, x),   g_i = y_i - f(x_i)

There is no equality constraint: a step moves one alpha. beta_i is 0 or, for an outlier under the
ramp loss (only LASVM-NC), C_i. Dual of

    P(w) = 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i f(x_i)) + beta_i y_i f(x_i)

up to the constant sum_i beta_i, which belongs to the dual (see `primal_minus_dual`).

Ertekin (2009), "Learning in extreme conditions: online and active learning with massive,
imbalanced and noisy data", chapter 6; Ertekin, Bottou, Giles (2011), "Nonconvex online support
vector machines".

Deviations from the thesis:

- PROCESS clips an upward step with min (the thesis prints max twice).
- PROCESS steps on a row only if it violates by more than tol (the thesis: on any g); otherwise
  passes over the data would never come to rest.
- REPROCESS has nothing to do when no single coordinate violates, max(g_j, -g_i) <= tol (the
  thesis tests g_j - g_i, which is the test of the problem with a bias).
- The gap is derived anew (equation 6.4 has lost a sign and a y), for shifted boxes, too.
- The gap target divides by |S| (the thesis: by the number of support vectors, with which the root
  may be of a negative number).
- CLEAN keeps violators, and in shifted boxes it turns the sign round with the box (the thesis
  sorts by |g|).
- LASVM-I has LASVM-NC's start: a few rows of one class at first could make it skip the other for
  ever.
- REPROCESS moves two rows when `single_steps` on one did not suffice.
- The bounds, and h in the gap target, are those of the row; the C below which the gap need not
  fall is the parameter.
"""

import numpy as np

from tests.reference.lasvm import (
    MAX_FINISH_STEPS,
    MIN_CURVATURE,
    as_float64,
)

ALGORITHMS = ("lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full")


class ReferenceGapDriven:
    """LASVM-G and relatives for two classes, given the kernel matrix of all rows.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric; every value must be a float32 number (see `round_to_float32`).
    y : ndarray of shape (n,)
        -1 or +1.
    C_rows : ndarray of shape (n,)
        The bound of each row, finite and >= 0; a row with bound 0 is skipped.
    C : float
        The gap is never driven below this.
    algorithm : {"lasvm-g", "lasvm-nc", "lasvm-i", "lasvm-full"}
    ramp_s : float
        The ramp loss is flat where `y f < ramp_s`, and where `y f > 1`.
    ramp_start : int
        LASVM-NC shifts boxes, and LASVM-I skips rows left of the ramp, only while there are more
        support vectors than this.
    clean_interval : int
        CLEAN after so many admitted rows (not FULL).
    max_non_sv : int
        So many rows with alpha = 0 are left by CLEAN.
    tol : float
        A coordinate is violating when its gradient exceeds this in a direction it can go.
    single_steps : int
        Steps of REPROCESS on one row for each example; further ones are on two rows.
    upper_filter : bool
        False: LASVM-I does not skip the rows with `y f > 1`.

    Attributes
    ----------
    S : list of int
        Stored rows in the order in which they came in.
    alpha : ndarray of shape (n,)
        Signed coefficients; 0 outside S.
    g : ndarray of shape (n,)
        Gradients on S; nan outside S.
    beta, A, B : ndarray of shape (n,)
        Shift and box; outside S 0 and the box without a shift.
    region : ndarray of int of shape (n,)
        Where the row lay when it was admitted: 0 left of the ramp (y f < ramp_s), 1 on it,
        2 right of it (y f > 1); -1 outside S.
    n_admitted, n_cleaned, n_skipped : list of int
        Counts by region; rows are skipped only by LASVM-I.
    n_steps : int
        Steps so far.
    last_step : int or None
        The row of the newest step.
    """

    def __init__(
        self,
        K,
        y,
        C_rows,
        C,
        algorithm="lasvm-g",
        ramp_s=-1.0,
        ramp_start=100,
        clean_interval=300,
        max_non_sv=100,
        tol=1e-3,
        upper_filter=True,
        single_steps=MAX_FINISH_STEPS,
    ):
        self.K = as_float64(K)
        self.y = as_float64(y)
        self.C_rows = as_float64(C_rows)
        n = len(self.y)
        self.C = C
        self.algorithm = algorithm
        self.ramp_s = ramp_s
        self.ramp_start = ramp_start
        self.clean_interval = clean_interval
        self.max_non_sv = max_non_sv
        self.tol = tol
        self.upper_filter = upper_filter
        self.single_steps = single_steps

        self.S = []
        self.alpha = np.zeros(n)
        self.g = np.full(n, np.nan)
        self.beta = np.zeros(n)
        self.A = np.minimum(0.0, self.C_rows * self.y)
        self.B = np.maximum(0.0, self.C_rows * self.y)
        self.region = np.full(n, -1)
        self.n_admitted = [0, 0, 0]
        self.n_cleaned = [0, 0, 0]
        self.n_skipped = [0, 0, 0]
        self.n_steps = 0
        self.last_step = None

    # -- the verbs of the thesis --------------------------------------------------------

    def learn(self, k):
        """One example of the stream; returns whether row k was admitted to S by it."""
        k = int(k)
        if self.C_rows[k] == 0:
            return False
        is_new = k not in self.S
        threshold = max(self.C, self.gap_target())  # of S without k, if k is new
        if is_new and not self.process(k):
            return False
        n_steps = 0
        while self.gap() > threshold:
            stepped = self.reprocess() if n_steps < self.single_steps else self.reprocess_two()
            if not stepped:
                break
            n_steps += 1
        if is_new and sum(self.n_admitted) % self.clean_interval == 0:
            self.clean()
        return is_new

    def process(self, k):
        """PROCESS: offer row k, which is not in S; returns False if LASVM-I skips it."""
        g_k = self.y[k] - self.K[k, self.S] @ self.alpha[self.S]
        region = self.region_of(self.y[k] * (self.y[k] - g_k))
        skipped = (region == 0 and self.n_sv() > self.ramp_start) or (
            region == 2 and self.upper_filter
        )
        if self.algorithm == "lasvm-i" and skipped:
            self.n_skipped[region] += 1
            return False
        if self.algorithm == "lasvm-nc" and region == 0 and self.n_sv() > self.ramp_start:
            self._set_shift(k, self.C_rows[k])
        self.S.append(k)
        self.alpha[k] = 0.0
        self.g[k] = g_k
        self.region[k] = region
        self.n_admitted[region] += 1
        can_rise, can_fall = self.alpha[k] < self.B[k], self.alpha[k] > self.A[k]
        if (g_k > self.tol and can_rise) or (g_k < -self.tol and can_fall):
            self._step(k)
        return True

    def reprocess(self):
        """REPROCESS: at most one step within S; returns whether there was one to make."""
        i, g_min, j, g_max = self.extremes()
        if max(g_max, -g_min) <= self.tol:
            return False
        self._step(i if -g_min > g_max else j)
        return True

    def reprocess_two(self):
        """A step on two rows: the one REPROCESS takes, and the one that gains most with it.

        Returns whether there was a step to make. Steinwart, Hush, Scovel (2011), "Training SVMs
        without offset".
        """
        i, g_min, j, g_max = self.extremes()
        if max(g_max, -g_min) <= self.tol:
            return False
        i = i if -g_min > g_max else j
        alone = self._clip(i, self.g[i] / max(self.K[i, i], MIN_CURVATURE))
        j = self._companion(i, alone)
        if j is None or j == i:
            self._move({i: alone})
            return True
        K_ii, K_jj = (max(self.K[k, k], MIN_CURVATURE) for k in (i, j))
        K_ij, g_i, g_j = self.K[i, j], self.g[i], self.g[j]
        det, by_i = K_ii * K_jj - K_ij**2, alone
        if det > 1e-9 * K_ii * K_jj:
            by_i = self._clip(i, (g_i * K_jj - g_j * K_ij) / det)
        by_j = self._clip(j, (g_j - K_ij * by_i) / K_jj)
        by_i = self._clip(i, (g_i - K_ij * by_j) / K_ii)
        both = by_i * (g_i - 0.5 * K_ii * by_i - K_ij * by_j) + by_j * (g_j - 0.5 * K_jj * by_j)
        if both < alone * (g_i - 0.5 * K_ii * alone):
            by_i, by_j = alone, 0.0
        self._move({i: by_i, j: by_j})
        return True

    def clean(self):
        """CLEAN: drop rows with alpha = 0, farthest from ever moving first, down to max_non_sv."""
        if self.algorithm == "lasvm-full":
            return
        for _ in range(self.n_non_sv() - self.max_non_sv):
            key = np.full(len(self.y), -np.inf)
            for s in self.S:
                # One end of each box is 0. At alpha = 0 = A a row can only rise, for which it
                # needs g > 0; at alpha = 0 = B it can only fall.
                if self.alpha[s] == 0:
                    key[s] = -self.g[s] if self.A[s] == 0 else self.g[s]
            self._remove(self._argmax(key))

    def finish(self):
        """REPROCESS until nothing in S violates by more than tol, then CLEAN."""
        for _ in range(MAX_FINISH_STEPS):
            if not self.reprocess():
                self.clean()
                return
        raise RuntimeError(f"no end after {MAX_FINISH_STEPS} steps, gap={self.gap()}")

    def fit(self, order, n_passes=1):
        """Learn the rows of `order`, `n_passes` times; returns the number of passes made.

        With `n_passes=-1`: pass and `finish` in turn, until a whole pass makes no step (and none
        is left in S, which it may be where no `finish` came before). Otherwise does not finish.
        """
        done = 0
        while done != n_passes:
            n_steps = self.n_steps
            for k in order:
                self.learn(k)
            done += 1
            if n_passes == -1:
                if self.n_steps == n_steps and self.violation() <= self.tol:
                    break
                self.finish()
        return done

    # -- parts --------------------------------------------------------------------------

    def region_of(self, z):
        """0 left of the ramp, 1 on it, 2 right of it, for z = y f."""
        if z < self.ramp_s:
            return 0
        if z > 1:
            return 2
        return 1

    def n_sv(self):
        return sum(self.alpha[s] != 0 for s in self.S)

    def n_non_sv(self):
        return sum(self.alpha[s] == 0 for s in self.S)

    def violation(self):
        """Largest maintained gradient of S in a direction its coordinate can go, at least 0."""
        _, g_min, _, g_max = self.extremes()
        return max(0.0, g_max, -g_min)

    def gap(self):
        """Primal minus dual of the problem over S, from the maintained gradients."""
        S = self.S
        up, down = self.B[S] - self.alpha[S], self.A[S] - self.alpha[S]
        return float(np.sum(np.maximum(up * self.g[S], down * self.g[S])))

    def gap_target(self):
        """Standard deviation of h over S, times the root of |S|; h_s = C_s y_s g_s."""
        if not self.S:
            return 0.0
        h = self.C_rows[self.S] * self.y[self.S] * self.g[self.S]
        return float(np.sqrt(max(0.0, np.sum(h**2) - np.sum(h) ** 2 / len(h))))

    def extremes(self):
        """(i, g_min, j, g_max): argmin of g where alpha > A, argmax where alpha < B, over S.

        Over nothing: g_max = -inf, g_min = +inf (and the index means nothing).
        """
        stored = np.zeros(len(self.y), dtype=bool)
        stored[self.S] = True
        g_down = np.where(stored & (self.alpha > self.A), self.g, np.inf)
        g_up = np.where(stored & (self.alpha < self.B), self.g, -np.inf)
        i, j = self._argmax(-g_down), self._argmax(g_up)
        return i, g_down[i], j, g_up[j]

    def _argmax(self, values):
        """The row with the largest entry; the lowest of several."""
        return int(np.argmax(values))

    def _step(self, k):
        """Maximise the dual along alpha_k, as far as the box allows."""
        self._move({k: self._clip(k, self.g[k] / max(self.K[k, k], MIN_CURVATURE))})

    def _clip(self, k, lam):
        """The step wanted on row k, as far as its box allows."""
        return min(max(lam, self.A[k] - self.alpha[k]), self.B[k] - self.alpha[k])

    def _move(self, steps):
        """Move the alpha of one row or two, and g with them."""
        for k, lam in steps.items():
            self.alpha[k] += lam
            self._snap(k, lam)
        for s in self.S:
            self.g[s] -= sum(lam * self.K[k, s] for k, lam in steps.items())
        self.n_steps += 1
        self.last_step = next(iter(steps))

    def _companion(self, i, step):
        """The row of S that gains most after `step` on row i; None if none can follow."""
        best, best_gain = None, 0.0
        for s in sorted(self.S):
            left = self.g[s] - step * self.K[i, s]
            curvature = self.K[s, s] - self.K[i, s] ** 2 / max(self.K[i, i], MIN_CURVATURE)
            can = self.alpha[s] < self.B[s] if left > 0 else self.alpha[s] > self.A[s]
            gain = left**2 / max(curvature, 1e-6)
            if can and gain > best_gain:
                best, best_gain = s, gain
        return best

    def _snap(self, k, lam):
        # alpha is of the order of 1 / K, far from C maybe: what counts as 0 scales with the step.
        rounding = 4 * np.finfo(np.float64).eps
        if abs(self.alpha[k]) <= rounding * abs(lam):
            self.alpha[k] = 0.0
            return
        for bound in (self.A[k], self.B[k]):
            if abs(self.alpha[k] - bound) <= rounding * abs(bound):
                self.alpha[k] = bound

    def _set_shift(self, k, beta):
        self.beta[k] = beta
        self.A[k] = min(0.0, self.C_rows[k] * self.y[k]) - beta * self.y[k]
        self.B[k] = max(0.0, self.C_rows[k] * self.y[k]) - beta * self.y[k]

    def _remove(self, s):
        self.n_cleaned[self.region[s]] += 1
        self.S.remove(s)
        self.g[s] = np.nan
        self.region[s] = -1
        self._set_shift(s, 0.0)

    # -- reports ------------------------------------------------------------------------

    def fresh_g(self):
        """Gradients of all rows, from the definition."""
        return self.y - self.K @ self.alpha

    def decision_function(self, K_new=None):
        """f at all rows, or at new rows given by their kernel values against all rows."""
        return (self.K if K_new is None else K_new) @ self.alpha

    def objective(self):
        """The dual objective D(alpha), without the constant sum of beta."""
        return self.alpha @ self.y - 0.5 * self.alpha @ self.K @ self.alpha

    def primal_minus_dual(self):
        """The gap over S from its definition."""
        S = self.S
        alpha, beta, y = self.alpha[S], self.beta[S], self.y[S]
        K = self.K[np.ix_(S, S)]
        margin = y * (K @ alpha)
        squared_norm = alpha @ K @ alpha
        hinge = self.C_rows[S] * np.maximum(0.0, 1.0 - margin)
        primal = 0.5 * squared_norm + np.sum(hinge + beta * margin)
        dual = np.sum(alpha * y + beta) - 0.5 * squared_norm
        return primal - dual

    def violation_all(self):
        """Largest gradient in a direction its coordinate can go, at least 0.

        Over all rows of the problem, stored or not, with gradients from the definition.
        """
        g = self.fresh_g()
        up = np.max(g[self.alpha < self.B], initial=0.0)
        down = np.max(-g[self.alpha > self.A], initial=0.0)
        return max(up, down)
