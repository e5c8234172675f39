"""Samples of a search: their data, the rungs and the folds."""

import math
from numbers import Integral, Real

import numpy as np
from sklearn.model_selection import check_cv

from .._chunks import copied, stacked
from .._sklearn_compat import _num_samples, _safe_indexing

__all__ = [
    "Folds",
    "Samples",
    "StreamRungs",
    "Subset",
    "concatenate",
    "first_rung",
    "make_folds",
    "refuse_another_kind",
    "rung_ends",
]

# Samples of the first rung, and for each class.
FIRST_SAMPLES, SAMPLES_OF_A_CLASS = 125, 10
# For small data: fraction and minimum number of samples of the first rung.
FIRST_PART, FEWEST_SAMPLES = 1 / 16, 30
# Held-out samples: fraction and maximum number.
HELD_OUT_PART, MOST_HELD_OUT = 0.25, 5000
# Samples scored at early rungs: number per training sample, and minimum number.
SCORED_PER_SAMPLE, FEWEST_SCORED = 4, 1000


class Samples:
    """Data with targets and metadata.

    Parameters
    ----------
    X, y : data and targets
    fit_params : dict
        Arguments of ``partial_fit``, one value for each sample.
    score_params : dict of dicts
        Arguments of each scorer, likewise.
    """

    def __init__(self, X, y, fit_params, score_params):
        self.X, self.y = X, y
        self.fit_params, self.score_params = fit_params, score_params
        self._transformed = {}

    def __len__(self):
        return _num_samples(self.X)

    def transformed(self, transformers):
        """Return the transformed X; computed once."""
        if transformers not in self._transformed:
            self._transformed[transformers] = transformers.transform(self.X)
        return self._transformed[transformers]

    def keep_transformed(self, kept):
        """Release transformed data, except that of some transformers."""
        self._transformed = {key: X for key, X in self._transformed.items() if key in kept}

    def select(self, transformers, indices):
        """Return X, y, and the arguments of ``partial_fit`` and of scorers, of some samples."""
        chosen = self._map(lambda values: _safe_indexing(values, indices))
        X = _safe_indexing(self.transformed(transformers), indices)
        return X, chosen.y, chosen.fit_params, chosen.score_params

    def part(self, indices):
        """Return some of the samples."""
        chosen = self._map(lambda values: _safe_indexing(values, indices))
        chosen.X = _safe_indexing(self.X, indices)
        return chosen

    def copy(self):
        """Return a copy that shares no memory with the caller's arrays."""
        own = self._map(copied)
        own.X = copied(self.X)
        return own

    def _map(self, function):
        return Samples(
            None,
            None if self.y is None else function(self.y),
            {name: function(values) for name, values in self.fit_params.items()},
            {
                metric: {name: function(values) for name, values in given.items()}
                for metric, given in self.score_params.items()
            },
        )


class Subset:
    """Indices of samples for each model of a candidate; the data are selected once for all.

    Parameters
    ----------
    samples : Samples
    indices : list of ndarray
        One array for each fold.
    """

    def __init__(self, samples, indices):
        self.samples, self.indices = samples, indices
        self._selected = {}

    def with_indices(self, indices):
        """Return a subset with these indices: itself if they are its own."""
        if len(indices) == len(self.indices) and all(map(np.array_equal, indices, self.indices)):
            return self
        return Subset(self.samples, indices)

    def of(self, transformers, fold):
        """Return what :meth:`Samples.select` does, for the model of a fold."""
        key = transformers, fold
        if key not in self._selected:
            self._selected[key] = self.samples.select(transformers, self.indices[fold])
        return self._selected[key]


def refuse_another_kind(samples, other):
    """Raise an error if the samples of two chunks cannot be concatenated."""
    if hasattr(samples.X, "iloc") != hasattr(other.X, "iloc"):
        raise ValueError(
            "X must be of the same kind in all calls of partial_fit, got "
            f"{type(other.X).__name__} after {type(samples.X).__name__}."
        )
    if samples.fit_params.keys() != other.fit_params.keys():
        raise ValueError(
            "Metadata must be the same in all calls of partial_fit, got "
            f"{sorted(other.fit_params)} after {sorted(samples.fit_params)}."
        )


def concatenate(chunks):
    """Return the samples of several chunks as one."""
    if len(chunks) == 1:
        return chunks[0]
    first = chunks[0]
    return Samples(
        stacked([chunk.X for chunk in chunks]),
        None if first.y is None else stacked([chunk.y for chunk in chunks]),
        {name: stacked([c.fit_params[name] for c in chunks]) for name in first.fit_params},
        {
            metric: {
                name: stacked([c.score_params[metric][name] for c in chunks]) for name in given
            }
            for metric, given in first.score_params.items()
        },
    )


# ---------------------------------------------------------------------------- rungs and folds


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
