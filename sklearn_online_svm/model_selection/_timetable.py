"""Training samples at each rung, held-out samples and folds."""

import math
from numbers import Integral, Real

import numpy as np
from sklearn.model_selection import check_cv

__all__ = ["Folds", "StreamRungs", "first_rung", "make_folds", "rung_ends"]

# Samples of the first rung, and for each class.
FIRST_SAMPLES, SAMPLES_OF_A_CLASS = 125, 10
# For small data: fraction and minimum number of samples of the first rung.
FIRST_PART, FEWEST_SAMPLES = 1 / 16, 30
# Held-out samples: fraction and maximum number.
HELD_OUT_PART, MOST_HELD_OUT = 0.25, 5000
# Samples scored at early rungs: number per training sample, and minimum number.
SCORED_PER_SAMPLE, FEWEST_SCORED = 4, 1000


def first_rung(n_samples, n_classes):
    """Return the number of samples of the first rung; ``n_samples`` is None in a stream."""
    wanted = max(FIRST_SAMPLES, SAMPLES_OF_A_CLASS * n_classes)
    if n_samples is None:
        return wanted
    fewest = max(FEWEST_SAMPLES, SAMPLES_OF_A_CLASS * n_classes // 2)
    return max(1, min(wanted, max(fewest, int(FIRST_PART * n_samples)), n_samples // 2))


def rung_ends(n_samples, first, factor, *, exact):
    """Return the numbers of training samples at the rungs; the last one is ``n_samples``.

    ``exact``: the first rung has ``first`` samples; otherwise about as many, so that the numbers
    grow by the same factor from rung to rung.
    """
    if first >= n_samples:
        return [n_samples]
    n_steps = max(1, round(math.log(n_samples / first, factor)))
    begin = first if exact else n_samples / factor**n_steps
    ends = {max(1, round(begin * factor**k)) for k in range(n_steps)}
    return [*sorted(end for end in ends if end < n_samples), n_samples]


class Folds:
    """Training and test samples of the models of a candidate.

    Parameters
    ----------
    order : ndarray of int
        All samples, in the order of training.
    splits : list of tuples
        For each model its training and its test samples. With one split the winner is finally
        trained on the samples that are left.
    """

    def __init__(self, order, splits):
        train, test = splits[0]
        self.order, self.rest = order, order[:0]
        self.splits, self.n_folds, self.n_samples = splits, len(splits), len(order)
        if len(splits) == 1:
            is_train = np.isin(order, train)
            self.order, self.rest = order[is_train], order[~is_train]
            # Early rungs are scored on the first ones.
            self.test = order[np.isin(order, test)]

    def training(self, first, last):
        """Return the samples of a part of the order, for each model."""
        part = self.order[first:last]
        if self.n_folds == 1:
            return [part]
        return [part[np.isin(part, train)] for train, _ in self.splits]

    def scoring(self, n_trained):
        """Return the samples for scores after training on so many, for each model."""
        if self.n_folds > 1:
            return [test for _, test in self.splits]
        return [self.test[: max(FEWEST_SCORED, SCORED_PER_SAMPLE * n_trained)]]

    def check(self, first):
        """Raise an error if a model has no training samples in the first rung."""
        for number, indices in enumerate(self.training(0, first)):
            if not len(indices):
                raise ValueError(
                    f"None of the first {first} samples is in the training part of split {number} "
                    "of cv: its model has no training samples. shuffle=True mixes them."
                )


def make_folds(cv, order, y, *, is_classifier, split_params):
    """Return the folds for the parameter ``cv``."""
    n_samples = len(order)
    if cv is None or isinstance(cv, Real) and not isinstance(cv, Integral):
        n_test = max(1, int((HELD_OUT_PART if cv is None else cv) * n_samples))
        n_train = n_samples - (min(n_test, MOST_HELD_OUT) if cv is None else n_test)
        return Folds(order, [(order[:n_train], order[n_train:])])
    cv = check_cv(cv, y, classifier=is_classifier)
    return Folds(order, list(cv.split(np.zeros((n_samples, 1)), y, **split_params)))


class StreamRungs:
    """Rungs of a stream: lengths grow by a factor up to the last rung and then stay constant.

    Parameters
    ----------
    first : int
        Samples of the first rung.
    factor : float
    most : float
        Samples after which one candidate is left; infinite: those at which the factor would have
        reduced ``n_candidates`` to one.
    n_candidates : int
    continues : bool
        Whether further rungs follow until ``most``, for challengers.
    """

    def __init__(self, first, factor, most, n_candidates, *, continues):
        self.ends, self.most = [first], most
        n_rungs = math.ceil(math.log(max(n_candidates, 2), factor)) + 1
        by_number = continues or math.isinf(most)
        while self.ends[-1] < most and (not by_number or len(self.ends) < n_rungs):
            # A factor close to 1 adds a sample at least.
            end = max(self.ends[-1] + 1, round(first * factor ** len(self.ends)))
            self.ends.append(int(min(end, most)))

    def length(self, rung):
        """Return the number of samples of a rung."""
        rung = min(rung, len(self.ends) - 1)
        return self.ends[rung] - (self.ends[rung - 1] if rung else 0)

    def end(self, rung):
        """Return the number of samples at the end of a rung."""
        last = len(self.ends) - 1
        return self.ends[min(rung, last)] + max(0, rung - last) * self.length(last)

    def is_end(self, rung):
        """Return whether the race ends with a rung."""
        return self.end(rung) >= self.most
