"""Samples of a search: their data, the rungs and the splits."""

import math
from numbers import Integral, Real

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold, check_cv

from .._chunks import copied, stacked
from .._sklearn_compat import _num_samples, _safe_indexing
from ._transformers import FittedSteps

# The number of training samples grows by this factor from rung to rung.
GROWTH = 2
# Samples of the first rung, and of each class.
FIRST_SAMPLES, SAMPLES_OF_A_CLASS = 125, 10
# Up to so many samples candidates are compared by so many folds, which may be drawn so often.
FEW_SAMPLES, N_FOLDS, N_ROUNDS = 8000, 3, 3
# Held-out samples: fraction and maximum number.
HELD_OUT_PART, MOST_HELD_OUT = 0.25, 5000
# Samples scored at early rungs: number per training sample, and minimum number.
SCORED_PER_SAMPLE, FEWEST_SCORED = 4, 1000
# Held-out and scored samples of the rarest class, at least, if there are as many.
FEWEST_OF_A_CLASS = 20
# Classes with a smaller share count as if they had this one.
SMALLEST_SHARE = 1e-3


class Samples:
    """Data with targets, and arguments of ``fit`` and of scorers, one value for each sample."""

    def __init__(self, X, y, fit_params, score_params):
        self.X, self.y = X, y
        self.fit_params, self.score_params = fit_params, score_params

    def __len__(self):
        return _num_samples(self.X)

    def select(self, indices):
        """Return X, y, and the arguments of ``fit`` and of scorers, of some samples."""
        chosen = self.part(indices)
        return chosen.X, chosen.y, chosen.fit_params, chosen.score_params

    def part(self, indices):
        """Return some of the samples."""
        return mapped(lambda values: _safe_indexing(values, indices), self)

    def copy(self):
        """Return a copy that shares no memory with the caller's arrays."""
        return mapped(copied, self)


def mapped(function, *chunks):
    """Return samples with the values of a function of the arrays of one or several chunks."""
    first = chunks[0]
    return Samples(
        function(*(chunk.X for chunk in chunks)),
        None if first.y is None else function(*(chunk.y for chunk in chunks)),
        {name: function(*(c.fit_params[name] for c in chunks)) for name in first.fit_params},
        {
            metric: {
                name: function(*(c.score_params[metric][name] for c in chunks)) for name in given
            }
            for metric, given in first.score_params.items()
        },
    )


def concatenated(chunks):
    """Return the samples of several chunks as one."""
    return chunks[0] if len(chunks) == 1 else mapped(lambda *parts: stacked(parts), *chunks)


class Split:
    """Training samples, and samples for scores; transformers are fitted on the training samples.

    ``keeps_data``: transformed samples are kept, as candidates will be fitted on them again.
    """

    def __init__(self, samples, train, test, *, keeps_data=False):
        self.samples, self.train, self.test = samples, train, test
        self.keeps_data = keeps_data
        self.release()

    def release(self):
        """Release all samples and transformers."""
        self.fitted, self._data, self._rest = FittedSteps(), {}, None

    def prepare(self, step):
        """Fit the transformers up to this step, and transform the samples; each once."""
        if self._rest is None:
            X, *training = self.samples.select(self.train)
            X_test, y_test, _, given = self.samples.select(self.test)
            self._rest = (training[0], training[1]), (y_test, given)
            self._data[None] = X, X_test
        if step not in self._data:
            self.prepare(step.parent)
            X, X_test = self._data[step.parent]
            X = self.fitted.fit_transform(step, X, self._rest[0][0])
            if len(self.test):
                X_test = self.fitted.transform_one(step, X_test)
            self._data[step] = X, X_test

    def training(self, step):
        """Return X, y and the arguments of ``fit``."""
        return self._data[step][0], *self._rest[0]

    def scoring(self, step):
        """Return X, y and the arguments of the scorers."""
        return self._data[step][1], *self._rest[1]


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


# ---------------------------------------------------------------------------- rungs and folds


def first_rung(n_classes, share=1.0, n_samples=np.inf):
    """Return the number of samples of the first rung.

    ``share``: share of the rarest class. ``n_samples``: training samples in all; infinite in a
    stream.
    """
    wanted = max(FIRST_SAMPLES, SAMPLES_OF_A_CLASS * n_classes, int(SAMPLES_OF_A_CLASS / share))
    return int(max(1, min(wanted, n_samples / 4)))


def rung_ends(n_samples, first):
    """Return the numbers of training samples at the rungs: doubling, below ``n_samples``."""
    ends = [first]
    while GROWTH * ends[-1] < n_samples:
        ends.append(GROWTH * ends[-1])
    return [end for end in ends if end < n_samples]


def stratified(order, y):
    """Return an order rearranged so that each part of it has the same shares of the classes."""
    codes = np.unique(y, return_inverse=True)[1].ravel()[order]
    by_class, counts = np.argsort(codes, kind="stable"), np.bincount(codes)
    rank = np.arange(len(codes)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = np.empty(len(codes))
    place[by_class] = (rank + 0.5) / np.repeat(counts, counts)
    return order[np.argsort(place, kind="stable")]


def make_folds(cv, order, y, *, is_classifier, shuffle, split_params):
    """Return the splits that candidates are compared on, and the number of a round of folds.

    ``order``: the samples, in the order of training, as in the folds. More than one round: the
    same number of folds drawn again.
    """
    n_samples, labels = len(order), None if y is None else np.asarray(y)[order]
    share = smallest_share(labels) if is_classifier else 1.0
    if cv is None or isinstance(cv, Real) and not isinstance(cv, Integral):
        fewest = np.unique(labels, return_counts=True)[1].min() if is_classifier else n_samples
        if cv is None and shuffle and n_samples <= FEW_SAMPLES and fewest >= N_FOLDS:
            kind = RepeatedStratifiedKFold if is_classifier else RepeatedKFold
            draws = kind(n_splits=N_FOLDS, n_repeats=N_ROUNDS, random_state=0)
            return [(order[a], order[b]) for a, b in draws.split(order, labels)], N_FOLDS
        n_test = max(1, int((HELD_OUT_PART if cv is None else cv) * n_samples))
        if cv is None:
            n_test = min(n_test, max(MOST_HELD_OUT, int(FEWEST_OF_A_CLASS / share)))
        return [(order[: n_samples - n_test], order[n_samples - n_test :])], 1
    cv = check_cv(cv, labels, classifier=is_classifier)
    # A splitter sees the samples in the caller's order.
    some = np.sort(order)
    given = {name: _safe_indexing(values, some) for name, values in split_params.items()}
    targets = None if y is None else _safe_indexing(y, some)
    rank = np.empty(some[-1] + 1, dtype=int)
    rank[order] = np.arange(n_samples)
    folds = [
        tuple(some[part][np.argsort(rank[some[part]])] for part in fold)
        for fold in cv.split(np.zeros((n_samples, 1)), targets, **given)
    ]
    # Rungs use the first one.
    folds.sort(key=lambda fold: -len(fold[0]))
    return folds, len(folds)


def n_scored_at(n_trained, share):
    """Return the number of samples scored after training on so many, if there are as many."""
    return max(FEWEST_SCORED, SCORED_PER_SAMPLE * n_trained, int(FEWEST_OF_A_CLASS / share))


def smallest_share(y):
    """Return the share of the rarest class."""
    return max(SMALLEST_SHARE, np.unique(y, return_counts=True)[1].min() / len(y))


class StreamRungs:
    """Rungs of a stream, whose numbers of samples double, from ``first`` to ``most``.

    With an infinite ``most`` they end where halving would have reduced ``n_candidates`` to one.
    """

    def __init__(self, first, most, n_candidates):
        self.ends = [first]
        n_rungs = math.ceil(math.log(max(n_candidates, 2), GROWTH)) + 1
        while self.ends[-1] < most and (math.isfinite(most) or len(self.ends) < n_rungs):
            self.ends.append(int(min(GROWTH * self.ends[-1], most)))

    def length(self, rung):
        """Return the number of samples of a rung; those after the last one are as long."""
        rung = min(rung, len(self.ends) - 1)
        return self.ends[rung] - (self.ends[rung - 1] if rung else 0)
