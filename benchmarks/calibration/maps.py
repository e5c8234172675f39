"""Other maps from decision values to probabilities, compared with those of the package.

Each function returns a map fitted to decision values (n_samples, n_problems) and class codes: a
function from decision values to probabilities.
"""

from functools import partial

import numpy as np
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from sklearn_online_svm.calibration._maps import (
    BinaryMap,
    MultinomialMap,
    SigmoidMap,
    SplineMap,
    own_targets,
)

# Probabilities of isotonic regression can be 0.
LEAST = 1e-6


class BetaMap(BinaryMap):
    """Beta calibration (Kull, Silva Filho, Flach 2017) of the sigmoid of the decision value."""

    def _basis(self, scores):
        return np.column_stack([-np.logaddexp(0.0, -scores), np.logaddexp(0.0, scores)])


def of_package(kind, scores, codes):
    """Return a map of the package, binary or multinomial."""
    scores = scores if kind is MultinomialMap else scores[:, 0]
    fitted = kind().fit(scores, codes, np.ones(len(codes)))

    def probabilities(new):
        return np.exp(fitted.log_proba(new if kind is MultinomialMap else new[:, 0]))

    return probabilities


def quadratic(scores, codes):
    """Return the map whose log-odds are a quadratic function, with the targets of Platt."""

    def basis(scores):
        return np.column_stack([scores[:, 0], scores[:, 0] ** 2])

    own = own_targets(codes, np.ones(len(codes)), 2)
    fitted = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(
        np.vstack([basis(scores)] * 2),
        np.append(codes, 1 - codes),
        sample_weight=np.append(own, 1.0 - own),
    )
    return lambda new: fitted.predict_proba(basis(new))


def isotonic(scores, codes):
    """Return the map of isotonic regression."""
    fitted = IsotonicRegression(y_min=LEAST, y_max=1.0 - LEAST, out_of_bounds="clip")
    fitted.fit(scores[:, 0], codes)

    def probabilities(new):
        p = fitted.predict(new[:, 0])
        return np.column_stack([1.0 - p, p])

    return probabilities


def one_vs_rest(kind, scores, codes):
    """Return the normalized probabilities of a binary map for each class."""
    maps = [
        of_package(kind, scores[:, [c]], (codes == c).astype(int)) for c in range(scores.shape[1])
    ]

    def probabilities(new):
        columns = [fitted(new[:, [c]])[:, 1] for c, fitted in enumerate(maps)]
        found = np.maximum(np.column_stack(columns), np.finfo(float).tiny)
        return found / found.sum(axis=1, keepdims=True)

    return probabilities


def pairwise_coupling(scores, codes):
    """Return the coupling of a sigmoid for each pair (Wu, Lin, Weng 2004, second method)."""
    n = scores.shape[1]
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    slopes, intercepts = np.empty(len(pairs)), np.empty(len(pairs))
    for place, (i, j) in enumerate(pairs):
        rows = np.flatnonzero((codes == i) | (codes == j))
        difference = scores[rows, i] - scores[rows, j]
        fitted = SigmoidMap().fit(difference, (codes[rows] == i).astype(int), np.ones(len(rows)))
        slopes[place], intercepts[place] = fitted.slopes_[0], fitted.intercept_
    first, second = np.array(pairs).T

    def probabilities(new):
        logits = (new[:, first] - new[:, second]) * slopes + intercepts
        r = np.zeros((len(new), n, n))
        r[:, first, second], r[:, second, first] = expit(logits), expit(-logits)
        # Minimum of sum (r_ji p_i - r_ij p_j)^2 over p with sum 1.
        system = np.zeros((len(new), n + 1, n + 1))
        system[:, :n, :n] = -r * r.transpose(0, 2, 1)
        system[:, np.arange(n), np.arange(n)] = (r**2).sum(axis=1)
        system[:, :n, n] = system[:, n, :n] = 1.0
        right = np.zeros((len(new), n + 1, 1))
        right[:, n] = 1.0
        found = np.maximum(np.linalg.solve(system, right)[:, :n, 0], LEAST)
        return found / found.sum(axis=1, keepdims=True)

    return probabilities


BINARY = {
    "spline": partial(of_package, SplineMap),
    "sigmoid": partial(of_package, SigmoidMap),
    "quadratic": quadratic,
    "beta": partial(of_package, BetaMap),
    "isotonic": isotonic,
}
MULTICLASS = {
    "multinomial": partial(of_package, MultinomialMap),
    "sigmoid": partial(one_vs_rest, SigmoidMap),
    "spline": partial(one_vs_rest, SplineMap),
    "pairwise": pairwise_coupling,
}
