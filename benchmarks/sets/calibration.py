"""The sets: training and test samples in random order, scaled features, gamma="scale"."""

from dataclasses import dataclass

import numpy as np

from ..bench.data import load_all_samples, scaled

# Training and test samples at most.
N_TRAIN, N_TEST, N_QUICK = 10_000, 10_000, 400
# Share of the samples that are held out for the test, if a set has no test part.
TEST_SHARE = 0.3


@dataclass(frozen=True)
class Set:
    """A set of samples; ``file`` is its name among the sets of the papers."""

    title: str
    file: str
    # Divides all features; None: they are standardized.
    scale: float | None = None
    # The class against the rest, or None.
    positive: int | None = None
    # Share of labels that are flipped.
    flips: float = 0.0

    def load(self, seed, quick=False):
        """Return training samples and labels, test samples and labels; a split for each seed."""
        rng = np.random.default_rng(seed)
        X, y, n_train = load_all_samples(self.file, dense=True)
        n_test = len(y) - n_train if n_train < len(y) else int(TEST_SHARE * len(y))
        order = rng.permutation(len(y))
        n_train = min(len(y) - n_test, N_QUICK if quick else N_TRAIN)
        n_test = min(n_test, N_QUICK if quick else N_TEST)
        train, test = order[n_test : n_test + n_train], order[:n_test]
        if self.positive is not None:
            y = np.where(y == self.positive, 1, -1)
        if self.flips:
            y = np.where(rng.uniform(size=len(y)) < self.flips, -y, y)
        X_train, X_test = (X[rows].astype(np.float64) for rows in (train, test))
        X_train, X_test = scaled(X_train, X_test, self.scale)
        return X_train, y[train], X_test, y[test]


SETS = {
    "adult": Set("Adult", "adult_a9a", scale=1.0),
    "mnist_8": Set("MNIST, 8", "mnist", scale=255.0, positive=8),
    "w8a": Set("w8a", "w8a", scale=1.0),
    "magic04": Set("MAGIC", "magic04"),
    "spambase": Set("Spambase", "spambase"),
    "svmguide1": Set("svmguide1", "svmguide1"),
    "banana_20": Set("Banana, 20 % flipped", "banana", flips=0.2),
    "letter": Set("Letter", "letter"),
    "usps": Set("USPS", "usps", scale=1.0),
    "satimage": Set("Satimage", "satimage"),
}
BANANA = Set("Banana", "banana")
