"""Rare positive samples of several sets, and a stream with drift."""

from dataclasses import dataclass

import numpy as np
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler

from ..bench.data import load_all_samples

# Training samples of the other class for each positive one, and test samples at most.
RATIO, N_POSITIVE_TEST, N_NEGATIVE_TEST = 10, 4000, 20_000


@dataclass(frozen=True)
class Set:
    """A set of samples; ``file`` is its name among the sets of the papers."""

    title: str
    file: str | None
    # The positive class; None: the smaller one.
    positive: int | None = None

    def load(self):
        """Return standardized samples, and whether they are positive."""
        if self.file is None:
            X, y = make_classification(
                *(80_000, 10),
                n_informative=5,
                n_redundant=0,
                class_sep=0.8,
                flip_y=0,
                weights=[0.85],
                random_state=0,
            )
            return StandardScaler().fit_transform(X), y == 1
        X, y, _ = load_all_samples(self.file, dense=True)
        classes, counts = np.unique(y, return_counts=True)
        positive = classes[counts.argmin()] if self.positive is None else self.positive
        X = X[:, X.std(axis=0) > 0].astype(np.float64)
        return StandardScaler().fit_transform(X), y == positive


def draw(positive, n_positive, rng):
    """Return the indices of training samples, and of the test samples of both classes."""
    found, others = (rng.permutation(np.flatnonzero(positive == side)) for side in (True, False))
    n_others = RATIO * n_positive
    train = rng.permutation(np.concatenate([found[:n_positive], others[:n_others]]))
    tests = found[n_positive:][:N_POSITIVE_TEST], others[n_others:][:N_NEGATIVE_TEST]
    return train, *tests


SETS = {
    "adult": Set("Adult", "adult_a9a"),
    "codrna": Set("Cod-RNA", "codrna"),
    "covtype": Set("Covertype, 2", "covtype_first20k", positive=2),
    "magic04": Set("MAGIC", "magic04"),
    "svmguide1": Set("svmguide1", "svmguide1"),
    "generated": Set("generated", None),
}

N_DAYS, PER_DAY, N_FEATURES, POSITIVE_SHARE = 40, 2000, 10, 0.02
# From the first to the second day the classes move slowly; at the third one they move at once.
SLOW, SUDDEN = (12, 24), 30


def days(n_per_day, rng):
    """Yield the samples and labels of each day of a stream."""
    direction = np.zeros(N_FEATURES)
    direction[:5] = 1.6
    for day in range(N_DAYS):
        moved = np.clip((day - SLOW[0]) / (SLOW[1] - SLOW[0]), 0.0, 1.0) + (day >= SUDDEN)
        y = rng.random(n_per_day) < POSITIVE_SHARE
        X = (1.0 + 0.3 * moved) * rng.normal(size=(n_per_day, N_FEATURES))
        X += np.outer(y, np.roll(direction, round(2 * moved))) + 0.3 * moved
        yield X, y.astype(int)
