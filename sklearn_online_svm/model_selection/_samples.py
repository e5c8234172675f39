"""Samples of a search: their data, the rungs and the splits."""

import math
from numbers import Integral, Real

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv

from .._chunks import copied, stacked
from .._sklearn_compat import _num_samples, _safe_indexing

__all__ = [
    "HeldOut",
    "Samples",
    "StreamRungs",
    "Subset",
    "concatenate",
    "first_rung",
    "make_splits",
    "refuse_another_kind",
    "repeated_folds",
    "rung_ends",
    "stratified",
]

# The number of training samples grows by this factor from rung to rung.
GROWTH = 2
# Samples of the first rung, and for each class.
FIRST_SAMPLES, SAMPLES_OF_A_CLASS = 125, 10
# For small data: fraction and minimum number of samples of the first rung.
FIRST_PART, FEWEST_SAMPLES = 1 / 4, 30
# Held-out samples: fraction and maximum number.
HELD_OUT_PART, MOST_HELD_OUT = 0.25, 5000
# Samples scored at early rungs: number per training sample, and minimum number.
SCORED_PER_SAMPLE, FEWEST_SCORED = 4, 1000
# Held-out and scored samples of the rarest class, at least, if there are as many.
FEWEST_OF_A_CLASS = 20
# Classes with a smaller share count as if they had this one.
SMALLEST_SHARE = 1e-3
# Folds of the cross-validation: at best, at least; and how often they are drawn.
N_FOLDS, FEWEST_FOLDS, N_REPEATS = 5, 3, 3


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
    """Some of the samples; the data are selected once for all candidates.

    Parameters
    ----------
    samples : Samples
    indices : ndarray
    """

    def __init__(self, samples, indices):
        self.samples, self.indices = samples, indices
        self._selected = {}

    def with_indices(self, indices):
        """Return a subset with these indices: itself if they are its own."""
        return self if np.array_equal(indices, self.indices) else Subset(self.samples, indices)

    def of(self, transformers):
        """Return what :meth:`Samples.select` does."""
        if transformers not in self._selected:
            self._selected[transformers] = self.samples.select(transformers, self.indices)
        return self._selected[transformers]


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


def rung_ends(n_samples, first, *, exact):
    """Return the numbers of training samples at the rungs; the last one is ``n_samples``.

    ``exact``: the first rung has ``first`` samples; otherwise about as many, so that the numbers
    grow by the same factor from rung to rung.
    """
    if first >= n_samples:
        return [n_samples]
    n_steps = max(1, round(math.log(n_samples / first, GROWTH)))
    begin = first if exact else n_samples / GROWTH**n_steps
    ends = {max(1, round(begin * GROWTH**k)) for k in range(n_steps)}
    return [*sorted(end for end in ends if end < n_samples), n_samples]


def stratified(order, y):
    """Return an order rearranged so that each part of it has the same shares of the classes."""
    codes = np.unique(y, return_inverse=True)[1].ravel()[order]
    by_class, counts = np.argsort(codes, kind="stable"), np.bincount(codes)
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = np.empty(len(codes))
    place[by_class] = (rank + 0.5) / np.repeat(counts, counts)
    return order[np.argsort(place, kind="stable")]


class HeldOut:
    """Training samples of the rungs, and the samples held out for their scores.

    Parameters
    ----------
    order : ndarray of int
        All samples, in the order of training.
    train, test : ndarray of int
        The winner is finally trained on all samples of ``order`` that are not in ``train``.
    share : float
        Share of the rarest class.
    """

    def __init__(self, order, train, test, share):
        is_train = np.isin(order, train)
        self.order, self.rest, self.share = order[is_train], order[~is_train], share
        # Early rungs are scored on the first ones.
        self.test = order[np.isin(order, test)]

    def scored(self, n_trained):
        """Return the samples for scores after training on so many."""
        n = max(FEWEST_SCORED, SCORED_PER_SAMPLE * n_trained, int(FEWEST_OF_A_CLASS / self.share))
        return self.test[:n]

    def tells_classes_apart(self, n_trained):
        """Return whether there are enough training samples of the rarest class."""
        return n_trained >= len(self.order) or self.share * n_trained >= SAMPLES_OF_A_CLASS


def make_splits(cv, order, y, *, is_classifier, split_params):
    """Return the held-out part for the parameter ``cv``, and its folds if it has several."""
    n_samples = len(order)
    share = _smallest_share(y) if is_classifier else 1.0
    if cv is None or isinstance(cv, Real) and not isinstance(cv, Integral):
        n_test = max(1, int((HELD_OUT_PART if cv is None else cv) * n_samples))
        most = max(MOST_HELD_OUT, int(FEWEST_OF_A_CLASS / share))
        n_train = n_samples - (min(n_test, most) if cv is None else n_test)
        return HeldOut(order, order[:n_train], order[n_train:], share), []
    cv = check_cv(cv, y, classifier=is_classifier)
    folds = list(cv.split(np.zeros((n_samples, 1)), y, **split_params))
    train, test = max(folds, key=lambda fold: len(fold[0]))
    return HeldOut(order, train, test, share), folds if len(folds) > 1 else []


def repeated_folds(n_folds, order, y, *, is_classifier):
    """Return the folds of a repeated cross-validation; none for too few samples of a class."""
    n = np.unique(y, return_counts=True)[1].min() if is_classifier else len(order)
    if n < n_folds:
        return []
    kind = RepeatedStratifiedKFold if is_classifier else RepeatedKFold
    draws = kind(n_splits=n_folds, n_repeats=N_REPEATS, random_state=0)
    labels = np.asarray(y)[order] if is_classifier else None
    return [(order[train], order[test]) for train, test in draws.split(order, labels)]


def _smallest_share(y):
    return max(SMALLEST_SHARE, np.unique(y, return_counts=True)[1].min() / len(y))


class StreamRungs:
    """Rungs of a stream: lengths double up to the last rung and then stay constant.

    Parameters
    ----------
    first : int
        Samples of the first rung.
    most : float
        Samples after which one candidate is left; infinite: those at which halving would have
        reduced ``n_candidates`` to one.
    n_candidates : int
    continues : bool
        Whether further rungs follow until ``most``, for challengers.
    """

    def __init__(self, first, most, n_candidates, *, continues):
        self.ends, self.most = [first], most
        n_rungs = math.ceil(math.log(max(n_candidates, 2), GROWTH)) + 1
        by_number = continues or math.isinf(most)
        while self.ends[-1] < most and (not by_number or len(self.ends) < n_rungs):
            self.ends.append(int(min(first * GROWTH ** len(self.ends), most)))

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
