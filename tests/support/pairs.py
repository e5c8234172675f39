"""Samples and solutions of one-vs-one models."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sklearn.datasets import make_classification


def noisy_classes(n_samples=400, n_classes=5, seed=0, *, noise=0.1):
    return make_classification(
        n_samples,
        8,
        n_informative=5,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=noise,
        random_state=seed,
    )


@dataclass
class Pair:
    """Solution of a pair of classes, over all training samples.

    ``terms`` are 1 and -1, and 0 outside of the pair, whose samples are ``rows``.
    """

    rows: np.ndarray
    terms: np.ndarray
    alpha: np.ndarray
    intercept: float


def solutions_of_pairs(model, y):
    """Return the solutions of a model trained on labels ``y``, from the attributes of SVC."""
    found, labels = [], y[model.support_]
    pairs = combinations(range(len(model.classes_)), 2)
    for (a, b), intercept in zip(pairs, model.intercept_, strict=True):
        alpha = np.zeros(len(y))
        for code, row in ((a, b - 1), (b, a)):
            mine = labels == model.classes_[code]
            alpha[model.support_[mine]] = model.dual_coef_[row, mine]
        terms = 1.0 * (y == model.classes_[a]) - (y == model.classes_[b])
        found.append(Pair(np.flatnonzero(terms), terms, alpha, intercept))
    return found


def coefficients_of_pairs(model, y):
    """Return the coefficients of the support vectors in each pair, of shape (n_pairs, n_SV)."""
    return np.array([pair.alpha[model.support_] for pair in solutions_of_pairs(model, y)])
