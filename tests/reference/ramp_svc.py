"""Batch SVM under the ramp loss in plain NumPy, by the concave-convex procedure (CCCP).

The problem, with z_i = y_i f(x_i) and f(x) = w.x + b (without an intercept b = 0)::

    min  J(w, b) = 1/2 |w|^2 + sum_i C_i R_s(z_i),   R_s = H_1 - H_s,  H_a(z) = max(0, a - z)

Each iteration replaces the concave part, -sum_i C_i H_s(z_i), by its tangent at the present f::

    beta_i = C_i if z_i < s else 0
    min  1/2 |w|^2 + sum_i C_i H_1(z_i) + beta_i z_i

whose dual is that of the hinge loss with shifted boxes (signed alpha, w = sum_i alpha_i x_i)::

    max  sum_i alpha_i y_i - 1/2 sum_ij alpha_i alpha_j K_ij
    s.t. A_i <= alpha_i <= B_i  (and, with an intercept, sum_i alpha_i = 0),
         A_i = min(0, C_i y_i) - beta_i y_i,  B_i = max(0, C_i y_i) - beta_i y_i

J does not rise from one iteration to the next. All betas 0, the hinge loss, is the start.

Collobert, Sinz, Weston, Bottou (2006), "Trading convexity for scalability"; Ertekin (2009),
"Learning in extreme conditions: online and active learning with massive, imbalanced and noisy
data", section 6.2.
"""

import numpy as np

from tests.reference.lasvm import MIN_CURVATURE, as_float64

MAX_STEPS = 1_000_000


class ReferenceRampSVC:
    """Ramp-loss SVM for two classes, given the kernel matrix of all rows.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Symmetric.
    y : ndarray of shape (n,)
        -1 or +1.
    C_rows : ndarray of shape (n,)
        The bound of each row, finite and >= 0.
    ramp_s : float
        The ramp loss is flat where `y f < ramp_s`; below 1.
    fit_intercept : bool
        Whether f has a bias.
    max_iter : int
        Times that the betas are set anew, at most.
    tol : float
        Accuracy of the convex problems: the largest violation that is left.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        Signed coefficients.
    beta, A, B : ndarray of shape (n,)
        Shift and box.
    b : float
        Bias: the midpoint of g_max and g_min, g = y - K alpha.
    objective_history : list of float
        J after the hinge solution and after each further iteration.
    n_iter : int
        Times that the betas were set anew.
    converged : bool
        Whether the last solution gives the betas with which it was found.
    """

    def __init__(self, K, y, C_rows, ramp_s=-1.0, fit_intercept=True, max_iter=100, tol=1e-10):
        self.K = as_float64(K)
        self.y = as_float64(y)
        self.C_rows = as_float64(C_rows)
        n = len(self.y)
        self.ramp_s = ramp_s
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

        self.alpha = np.zeros(n)
        self.set_beta(np.zeros(n))
        self.b = 0.0
        self.objective_history = []
        self.n_iter = 0
        self.converged = False

    def fit(self):
        """CCCP from alpha = 0 until the betas stay, or max_iter times; returns self."""
        n = len(self.y)
        self.alpha = np.zeros(n)
        self.set_beta(np.zeros(n))
        self.solve()
        self.objective_history = [self.primal_objective()]
        self.n_iter = 0
        self.converged = False
        while True:
            beta = self.next_beta()
            if np.array_equal(beta, self.beta):
                self.converged = True
                break
            if self.n_iter == self.max_iter:
                break
            self.set_beta(beta)
            self.warm_start()
            self.solve()
            self.objective_history.append(self.primal_objective())
            self.n_iter += 1
        return self

    # -- parts --------------------------------------------------------------------------

    def next_beta(self):
        """The betas that belong to the present f."""
        margin = self.y * self.decision_function()
        return np.where(margin < self.ramp_s, self.C_rows, 0.0)

    def set_beta(self, beta):
        """Set the shifts and with them the boxes; alpha may be outside them afterwards."""
        self.beta = as_float64(beta)
        shift = self.beta * self.y
        self.A = np.minimum(0.0, self.C_rows * self.y) - shift
        self.B = np.maximum(0.0, self.C_rows * self.y) - shift

    def warm_start(self):
        """Bring alpha into the present boxes and, with an intercept, back to the sum 0."""
        self.alpha = np.clip(self.alpha, self.A, self.B)
        if not self.fit_intercept:
            return
        # Every box holds 0: towards it a coefficient stays inside.
        up, down = self.alpha > 0, self.alpha < 0
        total_up, total_down = self.alpha[up].sum(), -self.alpha[down].sum()
        if total_up > total_down:
            self.alpha[up] *= total_down / total_up
        elif total_down > total_up:
            self.alpha[down] *= total_up / total_down

    def solve(self):
        """Solve the convex problem from the present alpha, which must be feasible; set b."""
        step = self._step_pair if self.fit_intercept else self._step_single
        g = self.fresh_g()
        is_fresh = True
        for _ in range(MAX_STEPS):
            if step(g):
                is_fresh = False
            elif is_fresh:
                self.b = self._bias(g) if self.fit_intercept else 0.0
                return
            else:
                g, is_fresh = self.fresh_g(), True
        raise RuntimeError(f"no end after {MAX_STEPS} steps")

    def _step_pair(self, g):
        """Alpha_i up, alpha_j down; updates g in place; False if no pair violates."""
        can_rise, can_fall = self.alpha < self.B, self.alpha > self.A
        i = int(np.argmax(np.where(can_rise, g, -np.inf)))
        slope = np.where(can_fall, g[i] - g, -np.inf)
        if not can_rise[i] or slope.max() <= self.tol:
            return False
        curvature = np.maximum(self.K[i, i] + self.K.diagonal() - 2 * self.K[i], MIN_CURVATURE)
        # The partner with the largest gain, if the box did not matter.
        j = int(np.argmax(np.where(slope > 0, slope**2 / curvature, -np.inf)))
        room_i, room_j = self.B[i] - self.alpha[i], self.alpha[j] - self.A[j]
        lam = min(slope[j] / curvature[j], room_i, room_j)
        self.alpha[i] = self.B[i] if lam == room_i else self.alpha[i] + lam
        self.alpha[j] = self.A[j] if lam == room_j else self.alpha[j] - lam
        g -= lam * (self.K[i] - self.K[j])
        return True

    def _step_single(self, g):
        """One alpha; updates g in place; False if none violates."""
        can_go = np.where(g > 0, self.alpha < self.B, self.alpha > self.A)
        violation = np.where(can_go, np.abs(g), 0.0)
        if violation.max() <= self.tol:
            return False
        curvature = np.maximum(self.K.diagonal(), MIN_CURVATURE)
        # The one with the largest gain, if the box did not matter.
        k = int(np.argmax(violation**2 / curvature))
        old = self.alpha[k]
        self.alpha[k] = np.clip(old + g[k] / curvature[k], self.A[k], self.B[k])
        g -= (self.alpha[k] - old) * self.K[k]
        return True

    def _bias(self, g):
        g_max = np.max(g[self.alpha < self.B], initial=-np.inf)
        g_min = np.min(g[self.alpha > self.A], initial=np.inf)
        if g_max == -np.inf and g_min == np.inf:
            return 0.0
        if g_max == -np.inf:
            return g_min
        if g_min == np.inf:
            return g_max
        return (g_max + g_min) / 2

    # -- reports ------------------------------------------------------------------------

    def fresh_g(self):
        """Gradients of all rows, without the bias."""
        return self.y - self.K @ self.alpha

    def decision_function(self, K_new=None):
        """f at all rows, or at new rows given by their kernel values against all rows."""
        return (self.K if K_new is None else K_new) @ self.alpha + self.b

    def primal_objective(self):
        """J, under the ramp loss."""
        margin = self.y * self.decision_function()
        ramp = np.maximum(0.0, 1.0 - margin) - np.maximum(0.0, self.ramp_s - margin)
        return 0.5 * self.alpha @ self.K @ self.alpha + np.sum(self.C_rows * ramp)

    def dual_objective(self):
        """The dual of the present convex problem, without the constant sum of beta."""
        return self.alpha @ self.y - 0.5 * self.alpha @ self.K @ self.alpha
