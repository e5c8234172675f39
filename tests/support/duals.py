"""Solutions of the dual problems of support vector machines, checked in double precision.

    max  target.alpha - epsilon |alpha|_1 - alpha'K alpha / 2
    s.t. lower <= alpha <= upper,  sum alpha = total (with a bias)

Classification (target = -1 or 1), regression (target = y) and the one-class SVM (target = 0).
A solution with the violation v allows no ascent of more than v per unit that is moved from one
coefficient to another. So for two solutions with the difference D and the violations v and v':

- the objectives differ by at most max(v, v') |D|_1 / 2;
- D'KD <= (v + v') |D|_1 / 2, from which |f - f'|(x) <= sqrt(D'KD K(x, x)) without the biases;
- g - b is in [-v, v] for a free vector, hence |b - b'| <= v + v' + sqrt(D'KD K(i, i)) if a
  vector i is free in both.

Without a bias, the same holds with |D|_1 instead of |D|_1 / 2.
"""

from dataclasses import dataclass

import numpy as np

# A coefficient is at a bound if its distance from it is at most this share of its range.
AT_BOUND = 1e-9


@dataclass
class Dual:
    """A problem; ``rounding``: the errors of the kernel values of solvers, which round them."""

    K: np.ndarray
    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    epsilon: float = 0.0
    has_bias: bool = True
    total: float = 0.0
    rounding: np.ndarray | float = 0.0

    def objective(self, alpha):
        return (
            alpha @ self.target - self.epsilon * np.abs(alpha).sum() - alpha @ self.K @ alpha / 2.0
        )

    def room(self, alpha):
        """Return which coefficients can rise, and which can fall."""
        margin = AT_BOUND * (self.upper - self.lower)
        return alpha < self.upper - margin, alpha > self.lower + margin

    def free(self, alpha):
        """Return which coefficients have a slope of 0, but for the violation."""
        can_rise, can_fall = self.room(alpha)
        inside = can_rise & can_fall
        return inside & (np.abs(alpha) > AT_BOUND * self.upper) if self.epsilon else inside

    def ends(self, alpha):
        """Return the least and the largest bias of an optimum, in this order if it is none."""
        g = self.target - self.K @ alpha
        can_rise, can_fall = self.room(alpha)
        positive, negative = alpha > AT_BOUND * self.upper, alpha < -AT_BOUND * self.upper
        rising = np.where(negative, g + self.epsilon, g - self.epsilon)
        falling = np.where(positive, g - self.epsilon, g + self.epsilon)
        return np.max(rising[can_rise], initial=-np.inf), np.min(falling[can_fall], initial=np.inf)

    def violation(self, alpha):
        low, high = self.ends(alpha)
        return max(low - high, 0.0) if self.has_bias else max(low, -high, 0.0)

    def exactness(self, alpha, tol):
        """Return the violation that a solver may leave, with its rounded kernel values."""
        errors = np.broadcast_to(self.rounding, self.K.shape) @ np.abs(alpha)
        return tol + 2.0 * errors.max()

    def faults(self, alpha, b, tol, margin=0.0):
        """Yield what is wrong with a solution; ``margin``: what may be added to its bias."""
        exactness, range_ = self.exactness(alpha, tol), np.abs(self.upper).max(initial=0.0)
        if not (np.isfinite(alpha).all() and np.isfinite(b)):
            yield "not finite"
        over = max((alpha - self.upper).max(), (self.lower - alpha).max())
        if over > 1e-9 * range_:
            yield f"outside its bounds by {over:.3g}"
        off = abs(alpha.sum() - self.total)
        if self.has_bias and off > 1e-9 * np.maximum(self.upper, -self.lower).sum():
            yield f"the sum is {alpha.sum():.6g}, not {self.total:.6g}"
        violation = self.violation(alpha)
        if violation > exactness:
            yield f"violation {violation:.3g} > {exactness:.3g} with tol={tol:.3g}"
        low, high = self.ends(alpha)
        if self.has_bias and not low - exactness <= b <= high + exactness + margin:
            yield f"bias {b:.6g} not in [{low:.6g}, {high:.6g}] with tol={tol:.3g}"

    def difference(self, alpha, other, tol, other_tol):
        """Return the largest differences of objectives, of f without bias, and of biases.

        The second is in units of the square root of K(x, x). The last is infinite if no vector is
        free in both solutions: any bias in an interval may be optimal.
        """
        size = np.abs(alpha - other).sum() / (2.0 if self.has_bias else 1.0)
        v, v_other = self.exactness(alpha, tol), self.exactness(other, other_tol)
        of_w = np.sqrt((v + v_other) * size)
        both = self.free(alpha) & self.free(other)
        diagonal = self.K.diagonal()[both]
        of_b = v + v_other + of_w * np.sqrt(diagonal.min()) if both.any() else np.inf
        return max(v, v_other) * size, of_w, of_b if self.has_bias else 0.0
