"""The linear online learners in plain NumPy, one row at a time.

A rule sees numbers only: the label y (-1 or +1, or a real target), the margin `p = w.x`, the
quadratic term `quad` (`|x|^2`, or `x'Sx` where there is a covariance S), the weight of the row
and the margin that is demanded of it. It answers with a step (a, b), meaning::

    w += a S x,   S -= b S x x' S        (S = I and no b in the rules of first order)

or with None. `LinearTwin` has the vectors: one problem, one per class, or Crammer and Singer's.

- Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), "Online passive-aggressive algorithms".
- Li, Zaragoza, Herbrich, Shawe-Taylor, Kandola (2002), "The perceptron algorithm with uneven
  margins".
- Cesa-Bianchi, Conconi, Gentile (2005), "A second-order perceptron algorithm".
- Crammer, Dredze, Pereira (2008), "Exact convex confidence-weighted learning".
- Crammer, Kulesza, Dredze (2009), "Adaptive regularization of weight vectors".
- Wang, Zhao, Hoi (2012), "Exact soft confidence-weighted learning".
- Wang, Zhao, Hoi (2014), "Cost-sensitive online classification".

Deviations from the papers:

- The intercept is the weight of a last feature 1, which is part of x everywhere; with a scaling s
  the feature is s, and the intercept s times its weight.
- Weights of rows: they multiply C, never the finished step; see the rules without a C.
- The second-order perceptron predicts before the row enters A: the same signs, the same updates.
- A row with `quad = 0` is not learnt (the papers divide by it).
- Crammer et al. take the predicted class in their prediction-based rule; it is here the best
  class other than the label's, so that a tie is a mistake, as everywhere.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

# -- rules ------------------------------------------------------------------------------


class Rule:
    """What most rules share: a margin of 1 is demanded, the loss is the hinge below it."""

    is_regression = False

    def demand(self, y, n_positive, n_negative):
        """The margin demanded; the counts are those of the rows seen, plus 1 each."""
        return 1.0

    def demands(self, label, n_classes):
        """The gap demanded to each class (Crammer-Singer)."""
        return np.full(n_classes, self.demand(1.0, 1, 1))

    def pick_rival(self, gaps, demands):
        """The class to be pushed down, by the gaps to all classes but the label's (inf there)."""
        return int(np.argmin(gaps))

    def loss(self, y, p, demand):
        return max(0.0, demand - y * p)

    def step(self, y, p, quad, weight, demand):
        raise NotImplementedError


class PassiveAggressive(Rule):
    """PA (C = inf), PA-I (loss "hinge"), PA-II ("squared_hinge").

    min 1/2 |w - w_t|^2 + C H or C H^2,  H = max(0, 1 - y w.x)
    """

    def __init__(self, C=1.0, loss="hinge"):
        self.C = C
        self.squared = {"hinge": False, "squared_hinge": True}[loss]

    def step(self, y, p, quad, weight, demand):
        loss = self.loss(y, p, demand)
        if loss == 0:
            return None
        C = self.C * weight
        if self.squared:
            tau = loss / (quad + 1 / (2 * C))
        else:
            tau = min(C, loss / quad)
        return tau * self.sign(y, p), 0.0

    def sign(self, y, p):
        return y


class PassiveAggressiveRegression(PassiveAggressive):
    """The same with `H = max(0, |y - w.x| - epsilon)`."""

    is_regression = True

    def __init__(self, C=1.0, loss="epsilon_insensitive", epsilon=0.1):
        self.C = C
        self.squared = {"epsilon_insensitive": False, "squared_epsilon_insensitive": True}[loss]
        self.epsilon = epsilon

    def loss(self, y, p, demand):
        return max(0.0, abs(y - p) - self.epsilon)

    def sign(self, y, p):
        return np.sign(y - p)


class CostSensitivePassiveAggressive(Rule):
    """PA-I with the margin demanded depending on what a mistake costs.

    rho is the cost of a mistake on a positive over that on a negative. None: from the counts and
    `eta_p`. With several classes in Crammer-Singer form (and allowed with two) it is a matrix:
    rho[y, r] is the cost of saying r for y; None: ones. C = None: by the row, so that a step moves
    its margin by 2 demand at most.
    """

    def __init__(self, C=1.0, rule="cost_sensitive", rho=None, eta_p=0.5):
        self.C = C
        self.rule = rule
        self.rho = rho
        self.eta_p = eta_p

    def positive_rho(self, n_positive, n_negative):
        if self.rho is not None:
            return self.rho
        return self.eta_p * n_negative / ((1 - self.eta_p) * n_positive)

    def demand(self, y, n_positive, n_negative):
        if np.ndim(self.rho) == 2:
            rho = self.rho[1][0] if y > 0 else self.rho[0][1]
        else:
            rho = self.positive_rho(n_positive, n_negative) if y > 0 else 1.0
        return rho if self.rule == "cost_sensitive" else np.sqrt(rho)

    def demands(self, label, n_classes):
        if self.rho is None:
            return np.ones(n_classes)
        return np.sqrt(np.asarray(self.rho, dtype=np.float64)[label])

    def pick_rival(self, gaps, demands):
        if self.rule == "max_loss":
            return int(np.argmax(demands - gaps))
        return int(np.argmin(gaps))

    def loss(self, y, p, demand):
        if self.rule == "prediction" and y * p > 0:
            return 0.0
        return max(0.0, demand - y * p)

    def step(self, y, p, quad, weight, demand):
        loss = self.loss(y, p, demand)
        if loss == 0:
            return None
        C = 2.0 * demand / quad if self.C is None else self.C
        return min(C * weight, loss / quad) * y, 0.0


class Perceptron(Rule):
    """Uneven margins: a step of y (times the weight) where `y w.x <= margin_y`."""

    def __init__(self, positive_margin=0.0, negative_margin=0.0):
        self.positive_margin = positive_margin
        self.negative_margin = negative_margin

    def demand(self, y, n_positive, n_negative):
        return self.positive_margin if y > 0 else self.negative_margin

    def step(self, y, p, quad, weight, demand):
        if y * p > demand:
            return None
        return weight * y, 0.0


class SecondOrderPerceptron(Rule):
    """`w = A^-1 v` with `A = a I + sum c x x'`, `v = sum c y x` over the mistakes, c the weight.

    S is A^-1 and starts at I / a (`start_variance`).
    """

    def step(self, y, p, quad, weight, demand):
        if y * p > 0:
            return None
        # Sherman-Morrison: (A + c x x')^-1 = S - c S x x' S / (1 + c x'Sx).
        shrink = weight / (1 + weight * quad)
        return shrink * (y - p), shrink


class ConfidenceWeighted(Rule):
    """min KL(new || old)  s.t.  y mu.x >= phi sqrt(x'Sx),  phi = the eta-quantile of N(0, 1).

    There is no C for a weight to multiply: any weight but 0 is 1.
    """

    def __init__(self, eta=0.7):
        self.phi = NormalDist().inv_cdf(eta)

    def multiplier(self, m, v, weight):
        """alpha, the multiplier of the constraint."""
        phi = self.phi
        psi, zeta = 1 + phi**2 / 2, 1 + phi**2
        return max(0.0, (-m * psi + np.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta))

    def step(self, y, p, quad, weight, demand):
        v, phi = quad, self.phi
        alpha = self.multiplier(y * p, v, weight)
        if alpha == 0:
            return None
        # u is x'Sx after the step.
        u = (-alpha * v * phi + np.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
        return alpha * y, alpha * phi / (np.sqrt(u) + v * alpha * phi)


class SoftConfidenceWeighted(ConfidenceWeighted):
    """min KL + C H (SCW-I) or + C H^2 (SCW-II),  H = max(0, phi sqrt(x'Sx) - y mu.x)."""

    def __init__(self, C=1.0, eta=0.7, loss="hinge"):
        super().__init__(eta)
        self.C = C
        self.squared = {"hinge": False, "squared_hinge": True}[loss]

    def multiplier(self, m, v, weight):
        C, phi = self.C * weight, self.phi
        if not self.squared:
            return min(C, super().multiplier(m, v, weight))
        n = v + 1 / (2 * C)
        gamma = phi * np.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
        return max(0.0, (-(2 * m * n + phi**2 * m * v) + gamma) / (2 * (n**2 + n * v * phi**2)))


class Arow(Rule):
    """min KL + 1/(2r) H^2 + 1/(2r) x'Sx,  H = max(0, 1 - y mu.x); the weight divides r.

    As in the paper S moves only with mu (the objective alone would move it on every row).
    """

    def __init__(self, r=1.0):
        self.r = r

    def step(self, y, p, quad, weight, demand):
        loss = self.loss(y, p, demand)
        if loss == 0:
            return None
        beta = 1 / (quad + self.r / weight)
        return loss * beta * y, beta


# -- the learner ------------------------------------------------------------------------


@dataclass
class RowRecord:
    """What became of a row."""

    scores: np.ndarray  # of all problems, before the update
    updated: bool  # whether any problem made a step
    loss: float  # before the update, summed over the problems; 0 for a row of weight 0


class LinearTwin:
    """A linear model that learns by a rule, row by row.

    Parameters
    ----------
    n_features, n_classes : int
        Two classes are one problem, in which class 1 is the positive one. For regression
        `n_classes` means nothing.
    rule : Rule
    covariance : {None, "diag", "full"}
        Needed by the rules of second order, and by them only. The diagonal form drops what falls
        off the diagonal, after each step.
    multi_class : {"ovr", "crammer_singer"}
        With more than two classes.
    fit_intercept : bool
    intercept_scaling : float
        The last feature of every row.
    average : int or None
        The number of rows after which the mean begins: `averaged_coef` is the mean of the states
        after each of the rows number average + 1, average + 2, ... (before there is one, it is
        the newest state). None: no mean.
    start_variance : float
        Covariances start at this times I.

    Attributes
    ----------
    coef, intercept, averaged_coef, averaged_intercept : ndarray
        Of shape (n_problems, n_features) and (n_problems,).
    covariance : ndarray of shape (n_problems, D) or (n_problems, D, D), or None
        D is n_features, and 1 more with an intercept, which comes last.
    n_rows : int
        Rows seen, those of weight 0 included.
    """

    def __init__(
        self,
        n_features,
        n_classes,
        rule,
        *,
        covariance=None,
        multi_class="ovr",
        fit_intercept=True,
        intercept_scaling=1.0,
        average=None,
        start_variance=1.0,
    ):
        self.n_features = n_features
        self.n_classes = 1 if rule.is_regression else n_classes
        self.rule = rule
        self.joint = multi_class == "crammer_singer" and self.n_classes > 2
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average

        n_problems = self.n_classes if self.n_classes > 2 else 1
        D = n_features + bool(fit_intercept)
        self.W = np.zeros((n_problems, D))
        self.covariance = None
        if covariance == "diag":
            self.covariance = np.full((n_problems, D), float(start_variance))
        elif covariance == "full":
            self.covariance = np.stack([start_variance * np.eye(D)] * n_problems)
        self.counts = np.zeros(self.n_classes, dtype=int)
        self.n_rows = 0
        self.sum_of_W = np.zeros_like(self.W)
        self.n_summed = 0

    def learn_row(self, x, label, weight=1.0):
        """Learn one row; `label` is the index of its class, or its target."""
        x = self._with_constant(x)
        scores = self.W @ x
        updated, loss = False, 0.0
        if weight != 0:
            if not self.rule.is_regression:
                self.counts[label] += 1
            if self.joint:
                updated, loss = self._learn_jointly(x, label, weight, scores)
            else:
                for k in range(len(self.W)):
                    moved, its_loss = self._learn_problem(k, x, label, weight, scores[k])
                    updated, loss = updated or moved, loss + its_loss
        self.n_rows += 1
        if self.average is not None and self.n_rows > self.average:
            self.sum_of_W += self.W
            self.n_summed += 1
        return RowRecord(scores, updated, loss)

    def _learn_problem(self, k, x, label, weight, p):
        if self.rule.is_regression:
            y, demand = label, None
        else:
            positive = k if self.n_classes > 2 else 1
            y = 1.0 if label == positive else -1.0
            n_positive = 1 + self.counts[positive]
            n_negative = 1 + self.counts.sum() - self.counts[positive]
            demand = self.rule.demand(y, n_positive, n_negative)
        loss = self.rule.loss(y, p, demand)
        Sx = self._times_covariance(k, x)
        quad = Sx @ x
        step = self.rule.step(y, p, quad, weight, demand) if quad > 0 else None
        if step is None:
            return False, loss
        a, b = step
        self.W[k] += a * Sx
        if self.covariance is not None:
            if self.covariance.ndim == 2:
                self.covariance[k] -= b * Sx**2
            else:
                self.covariance[k] -= b * np.outer(Sx, Sx)
        return True, loss

    def _learn_jointly(self, x, label, weight, scores):
        """One binary step on the gap between the label's class and a rival."""
        gaps = scores[label] - scores
        gaps[label] = np.inf
        demands = self.rule.demands(label, self.n_classes)
        rival = self.rule.pick_rival(gaps, demands)
        gap, demand = gaps[rival], demands[rival]
        loss = self.rule.loss(1.0, gap, demand)
        quad = 2 * (x @ x)
        step = self.rule.step(1.0, gap, quad, weight, demand) if quad > 0 else None
        if step is None:
            return False, loss
        self.W[label] += step[0] * x
        self.W[rival] -= step[0] * x
        return True, loss

    def _with_constant(self, x):
        x = np.asarray(x, dtype=np.float64)
        return np.append(x, self.intercept_scaling) if self.fit_intercept else x

    def _times_covariance(self, k, x):
        if self.covariance is None:
            return x
        if self.covariance.ndim == 2:
            return self.covariance[k] * x
        return self.covariance[k] @ x

    # -- reports ------------------------------------------------------------------------

    def scores(self, x):
        """w.x of all problems."""
        return self.W @ self._with_constant(x)

    def variances(self, x):
        """|x|^2, or x'Sx, of all problems."""
        x = self._with_constant(x)
        return np.array([self._times_covariance(k, x) @ x for k in range(len(self.W))])

    @property
    def coef(self):
        return self.W[:, : self.n_features].copy()

    @property
    def intercept(self):
        return self._intercepts_of(self.W)

    def _averaged_W(self):
        return self.sum_of_W / self.n_summed if self.n_summed else self.W

    @property
    def averaged_coef(self):
        return self._averaged_W()[:, : self.n_features].copy()

    @property
    def averaged_intercept(self):
        return self._intercepts_of(self._averaged_W())

    def _intercepts_of(self, W):
        return self.intercept_scaling * W[:, -1] if self.fit_intercept else np.zeros(len(W))
