"""Maps from decision values to class probabilities.

Each map maximizes a weighted likelihood, which is a convex problem in a few coefficients. As
proposed by Platt, the targets are not 0 and 1: with :math:`N_c` samples of the class the target of
a sample is :math:`(N_c + 1) / (N_c + 2)` for its own class, so that no probability is 0 or 1 even
if the classes are separated.
"""

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from .. import _limits
from .._pairs import n_classes_of
from ._newton import minimize_convex

# SplineMap: decision values at which the slope changes, those of the margins and of the decision
# boundary, and half the width of the transition.
KNOTS = np.array([-1.0, 0.0, 1.0])
WIDTH = 0.5
# CouplingMap: bounds of the log-odds of a pair, and smallest coupled probability: rounding errors
# of the solution are smaller.
LARGEST_ODDS, SMALLEST = 16.0, 1e-10


def own_targets(codes, weights, n_classes):
    """Return the target probability of the own class of each sample."""
    counts = np.bincount(codes, weights, n_classes)
    return ((counts + 1.0) / (counts + 2.0))[codes]


class SplineMap:
    r"""Map whose log-odds are an increasing, smooth and piecewise nearly linear function.

    The slope of :math:`\log(p / (1 - p))` has a value of its own beyond each margin
    (:math:`f < -1`, :math:`f > 1`) and on each side of the decision boundary within it: logistic
    regression on increasing functions of the decision value, with slopes >= 0. Platt's sigmoid is
    the case of four equal slopes.

    Parameters
    ----------
    scale : float, default=1.0
        Decision value of the margins.

    Attributes
    ----------
    slopes_ : ndarray of shape (4,)
    intercept_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.calibration._maps import SplineMap
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.normal(scale=2, size=1000)
    >>> codes = (rng.uniform(size=1000) < np.where(scores > 0, 0.9, 0.1)).astype(int)
    >>> spline = SplineMap().fit(scores, codes, np.ones(1000))
    >>> np.exp(spline.log_proba(np.array([-2.0, 2.0])))[:, 1].round(1)
    array([0.1, 0.9])
    """

    def __init__(self, scale=1.0):
        self.scale = scale

    def fit(self, scores, codes, sample_weight):
        """Fit the map to scores (n_samples,), class codes and positive weights."""
        basis = self._basis(scores)
        # Functions of unit variance; the coefficients are divided by their deviation at the end.
        total = sample_weight.sum()
        if not total > 0.0:  # no sample yet: both classes are equally likely
            self.slopes_, self.intercept_ = np.zeros(basis.shape[1]), 0.0
            return self
        share = sample_weight / total
        means = share @ basis
        scale = np.sqrt(share @ (basis - means) ** 2)
        scale[scale == 0.0] = 1.0
        basis = np.column_stack([(basis - means) / scale, np.ones(len(scores))])
        own = own_targets(codes, sample_weight, 2)
        target = np.where(codes == 1, own, 1.0 - own)
        difference = np.diff(np.eye(len(scale)), axis=0) / scale
        penalty = np.zeros((len(scale) + 1,) * 2)
        penalty[:-1, :-1] = _limits.SPLINE_STIFFNESS * difference.T @ difference / total

        def loss(coefs):
            logits = basis @ coefs
            p = expit(logits)
            value = -share @ (target * log_expit(logits) + (1.0 - target) * log_expit(-logits))
            gradient = basis.T @ (share * (p - target))
            hessian = (basis * (share * p * (1.0 - p))[:, None]).T @ basis
            slope = penalty @ coefs
            return value + 0.5 * coefs @ slope, gradient + slope, hessian + penalty

        # From 0, where slopes remain that the samples do not determine.
        start = np.zeros(len(scale) + 1)
        coefs = minimize_convex(loss, start, np.arange(len(start)) < len(scale))
        self.slopes_ = coefs[:-1] / scale
        self.intercept_ = coefs[-1] - self.slopes_ @ means
        return self

    def log_proba(self, scores):
        """Return log-probabilities of shape (n_samples, 2)."""
        logits = self._basis(scores) @ self.slopes_ + self.intercept_
        return np.column_stack([log_expit(-logits), log_expit(logits)])

    def _basis(self, scores):
        """Return the increasing functions of the decision value, (n_samples, 4)."""
        scores = scores[:, None] / self.scale
        beyond = WIDTH * np.logaddexp(0.0, (scores - KNOTS) / WIDTH)
        return np.diff(-beyond, axis=1, prepend=-scores, append=0.0)


class MultinomialMap:
    r"""Multinomial map, :math:`p_c \propto \exp(a_c f_c + b_c)` with :math:`a_c \ge 0`.

    Attributes
    ----------
    slopes_, intercepts_ : ndarray of shape (n_classes,)

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.calibration._maps import MultinomialMap
    >>> scores, codes = np.eye(3)[[0, 0, 1, 1, 2, 0]], np.array([0, 0, 1, 1, 2, 2])
    >>> multinomial = MultinomialMap().fit(scores, codes, np.ones(6))
    >>> np.exp(multinomial.log_proba(np.eye(3))).argmax(axis=1)
    array([0, 1, 2])
    """

    def fit(self, scores, codes, sample_weight):
        """Fit the map to scores (n_samples, n_classes), class codes and positive weights."""
        n_samples, n = scores.shape
        own = own_targets(codes, sample_weight, n)
        target = np.repeat(((1.0 - own) / (n - 1))[:, None], n, axis=1)
        target[np.arange(n_samples), codes] = own
        share = (sample_weight / sample_weight.sum())[:, None]
        diagonal = np.arange(n)

        def loss(coefs):
            logits = scores * coefs[:n] + coefs[n:]
            log_p = logits - logsumexp(logits, axis=1, keepdims=True)
            p = np.exp(log_p)
            residual = share * (p - target)
            gradient = np.concatenate([(residual * scores).sum(axis=0), residual.sum(axis=0)])
            p_scores = p * scores
            both = np.hstack([p_scores, p])
            hessian = -(both * share).T @ both
            hessian[diagonal, diagonal] += (share * p_scores * scores).sum(axis=0)
            mixed = (share * p_scores).sum(axis=0)
            hessian[diagonal, n + diagonal] += mixed
            hessian[n + diagonal, diagonal] += mixed
            hessian[n + diagonal, n + diagonal] += (share * p).sum(axis=0)
            return -(share * target * log_p).sum(), gradient, hessian

        coefs = minimize_convex(loss, np.zeros(2 * n), np.repeat([True, False], n))
        self.slopes_, self.intercepts_ = coefs[:n], coefs[n:] - coefs[n:].mean()
        return self

    def log_proba(self, scores):
        """Return log-probabilities of shape (n_samples, n_classes)."""
        logits = scores * self.slopes_ + self.intercepts_
        return logits - logsumexp(logits, axis=1, keepdims=True)


class CouplingMap:
    """Map from decision values of pairs of classes to class probabilities, by pairwise coupling.

    A :class:`SplineMap` for each pair gives the probability of its first class among the two,
    :func:`coupled` the class probabilities that agree best with those of all pairs, and a
    :class:`MultinomialMap` of their logarithms corrects them. They need it, as the map of a pair
    knows nothing of samples of other classes, and as many targets other than 0 and 1 add up.

    Attributes
    ----------
    pair_slopes_ : ndarray of shape (4, n_pairs)
    pair_intercepts_ : ndarray of shape (n_pairs,)
        Those of the map of each pair; 0 if it has no samples, so that both are equally likely.
    slopes_, intercepts_ : ndarray of shape (n_classes,)
        Those of the multinomial map.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.calibration._maps import CouplingMap
    >>> codes = np.repeat([0, 1, 2], 20)
    >>> scores = np.array([[2.0, 2.0, 0.0], [-2.0, 0.0, 2.0], [0.0, -2.0, -2.0]])
    >>> coupling = CouplingMap().fit(scores[codes], codes, np.ones(60))
    >>> np.exp(coupling.log_proba(scores)).argmax(axis=1)
    array([0, 1, 2])
    """

    def fit(self, scores, codes, sample_weight):
        """Fit the maps of the pairs, each on the samples of its classes, and their correction.

        ``scores`` (n_samples, n_pairs) are positive for the first class of a pair.
        """
        n_pairs = scores.shape[1]
        self.pair_slopes_ = np.zeros((len(KNOTS) + 1, n_pairs))
        self.pair_intercepts_ = np.zeros(n_pairs)
        pairs = np.transpose(np.triu_indices(n_classes_of(n_pairs), 1))
        for pair, (first, second) in enumerate(pairs):
            members = np.flatnonzero((codes == first) | (codes == second))
            is_first = (codes[members] == first).astype(np.intp)
            spline = SplineMap().fit(scores[members, pair], is_first, sample_weight[members])
            self.pair_slopes_[:, pair] = spline.slopes_
            self.pair_intercepts_[pair] = spline.intercept_
        correction = MultinomialMap().fit(self._log_coupled(scores), codes, sample_weight)
        self.slopes_, self.intercepts_ = correction.slopes_, correction.intercepts_
        return self

    def log_proba(self, scores):
        """Return log-probabilities of shape (n_samples, n_classes)."""
        logits = self._log_coupled(scores) * self.slopes_ + self.intercepts_
        return logits - logsumexp(logits, axis=1, keepdims=True)

    def _log_coupled(self, scores):
        log_odds = scores * self.pair_slopes_[0] + self.pair_intercepts_
        for knot, change in zip(KNOTS, np.diff(self.pair_slopes_, axis=0), strict=True):
            log_odds += WIDTH * change * np.logaddexp(0.0, (scores - knot) / WIDTH)
        return np.log(np.maximum(coupled(log_odds), SMALLEST))


def coupled(log_odds):
    r"""Return the class probabilities that agree best with those of pairs.

    The second method of Wu, Lin and Weng [1]_: with :math:`r_{ab}` the probability of a among a
    and b, the minimum of :math:`\sum_{a < b} (r_{ba} p_a - r_{ab} p_b)^2` over p of sum 1. None
    of them is negative.

    ``log_odds`` (n_samples, n_pairs): :math:`\log(r_{ab} / r_{ba})` of the pairs (0, 1), (0, 2),
    ...; cut at ``LARGEST_ODDS``.

    References
    ----------
    .. [1] T.-F. Wu, C.-J. Lin, R. C. Weng: Probability estimates for multi-class classification
       by pairwise coupling. JMLR 5, 2004.
    """
    n_samples, n_pairs = log_odds.shape
    n = n_classes_of(n_pairs)
    first, second = np.triu_indices(n, 1)
    diagonal = np.arange(n)
    p = np.empty((n_samples, n))
    size = max(1, _limits.COUPLING_VALUES_AT_ONCE // (n * n))
    for start in range(0, n_samples, size):
        some = slice(start, start + size)
        r = expit(np.clip(log_odds[some], -LARGEST_ODDS, LARGEST_ODDS))
        matrix = np.zeros((len(r), n, n))
        matrix[:, first, second], matrix[:, second, first] = r, 1.0 - r
        squares = (matrix**2).sum(axis=1)
        # Q + 1 is regular; the constant does not change the minimum, given the sum of p.
        matrix = 1.0 - matrix * matrix.transpose(0, 2, 1)
        matrix[:, diagonal, diagonal] += squares
        p[some] = np.linalg.solve(matrix, np.ones((len(r), n, 1)))[:, :, 0]
    p = np.maximum(p, 0.0)  # but for rounding
    return p / p.sum(axis=1, keepdims=True)
