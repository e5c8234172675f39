"""Decision values of pairs of classes: votes, values of classes, margins.

A classifier that may be one-vs-one has ``_is_one_vs_one``, which is False before it is fitted, and
``_pair_values``, which returns the :class:`PairValues` of samples. Others use the functions of
this module, which find it within pipelines and searches. They do not depend on
``decision_function_shape``.
"""

from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import isqrt

import numpy as np

from ._core.kernel.dual.pairs import votes_and_sums
from ._feature_space import split_model
from ._suspects import margins


def n_classes_of(n_pairs):
    """Return the number of classes that have so many pairs."""
    return (1 + isqrt(1 + 8 * n_pairs)) // 2


@cache
def pairs_by_class(n_classes):
    """Return the pairs of each class, (n_classes, n_classes - 1), and their signs.

    The sign is 1 if the class is the first of the pair, else -1.
    """
    pairs = np.array(list(combinations(range(n_classes), 2)))
    columns = [np.flatnonzero((pairs == code).any(axis=1)) for code in range(n_classes)]
    sides = [np.where(pairs[of, 0] == code, 1.0, -1.0) for code, of in enumerate(columns)]
    return np.array(columns), np.array(sides)


def codes_of(scores):
    """Return the codes of the predicted classes, from decision values."""
    return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)


@dataclass(frozen=True)
class PairValues:
    """Decision values of a one-vs-one model, in the order (0, 1), (0, 2), ... of class codes."""

    # Positive for the first class of the pair, (n_samples, n_classes * (n_classes - 1) / 2).
    values: np.ndarray
    n_classes: int
    # Whether classes with the same number of votes are compared by their values.
    break_ties: bool = False

    def predicted(self):
        """Return the class codes with the most votes; without ``break_ties`` the first ones."""
        if self.break_ties:
            return self.of_classes().argmax(axis=1)
        return self._votes_and_sums(False)[0].argmax(axis=1)

    def of_classes(self):
        """Return a decision value for each class, as ``SVC`` does.

        It is the number of votes plus a number between -1/3 and 1/3 that increases with the sum of
        the decision values in favour of the class.
        """
        votes, sums = self._votes_and_sums(True)
        return votes + sums / (3.0 * (np.abs(sums) + 1.0))

    def against_predicted(self):
        """Return 0 for the predicted class; for others, minus the distance to their boundary.

        This is the absolute value of the pair with the predicted class. The gap between the two
        largest scores is thus the margin of the pair that decides. The gap between votes is
        nearly an integer, also close to a boundary.
        """
        columns, sides = pairs_by_class(self.n_classes)
        rows, codes = np.arange(len(self.values)), self.predicted()
        # Not 0, so that the largest score is that of the predicted class.
        distances = np.maximum(np.abs(self.values), np.finfo(np.float64).tiny)
        scores = np.zeros((len(rows), self.n_classes))
        others = np.arange(self.n_classes - 1) + (sides[codes] > 0.0)
        scores[rows[:, None], others] = -distances[rows[:, None], columns[codes]]
        return scores

    def smallest(self, codes):
        """Return the smallest value in favour of the class of each sample, among its pairs."""
        columns, sides = pairs_by_class(self.n_classes)
        of_class = np.take_along_axis(self.values, columns[codes], axis=1)
        return (of_class * sides[codes]).min(axis=1)

    def _votes_and_sums(self, zero_is_first):
        values = np.ascontiguousarray(self.values, dtype=np.float64)
        return votes_and_sums(values, self.n_classes, zero_is_first)


@dataclass(frozen=True)
class ClassScores:
    """Decision values of all problems of a classifier, and what follows for its classes."""

    # Decision values: of one problem for two classes, otherwise for each class or pair,
    # (n_samples, n_problems).
    values: np.ndarray
    n_classes: int  # number of classes
    one_vs_one: bool = False  # whether there is a problem for each pair of classes
    shape: str = "ovr"  # ``decision_function_shape``
    break_ties: bool = False  # whether sums of decision values break ties of votes

    @property
    def _pairs(self):
        return PairValues(self.values, self.n_classes, self.break_ties)

    def shaped(self):
        """Return the values in the form of ``decision_function``."""
        if self.one_vs_one and self.shape == "ovr":
            return self._pairs.of_classes()
        return self.values[:, 0] if self.values.shape[1] == 1 else self.values

    def predicted(self):
        """Return the codes of the predicted classes."""
        return self._pairs.predicted() if self.one_vs_one else codes_of(self.values)

    def margins(self, codes):
        """Return the margin of each sample, given the code of its class."""
        return self._pairs.smallest(codes) if self.one_vs_one else margins(self.values, codes)


def among_more_classes(values, places, n_classes):
    """Return values of the pairs of more classes, given those of the classes at ``places``.

    Pairs of one of these and another class are in favour of it, as of a sample on the margin;
    those of two other classes have the value 0.
    """
    first, second = (np.isin(codes, places) for codes in np.triu_indices(n_classes, 1))
    found = np.tile(1.0 * first - 1.0 * second, (len(values), 1))
    found[:, first & second] = values
    return found


def compares_pairs(model):
    """Return whether a model is one-vs-one; False before it is fitted."""
    return getattr(split_model(model)[1], "_is_one_vs_one", False)


def pair_values(model, X):
    """Return the :class:`PairValues` of a fitted model; None if it is not one-vs-one."""
    if not compares_pairs(model):
        return None
    transformers, classifier = split_model(model)
    for transformer in transformers:
        X = transformer.transform(X)
    return classifier._pair_values(X)


def class_values(model, X):
    """Return decision values, with more than two classes a column for each."""
    pairs = pair_values(model, X)
    return model.decision_function(X) if pairs is None else pairs.of_classes()


def margin_scores(model, X):
    """Return decision values of which the largest is predicted, and gaps are margins."""
    pairs = pair_values(model, X)
    return model.decision_function(X) if pairs is None else pairs.against_predicted()
