"""The sets of the local models: boundaries of many forms, samples without an order.

Features have mean 0 and deviation 1 over the training samples; pixels have one deviation for all
of them. Then all samples are divided by the square root of the number of features, so that the
squared length of a sample is about 1 and C means the same everywhere.
"""

from dataclasses import dataclass

import numpy as np

from ..bench.data import load_all_samples

# Samples at most.
N_TRAIN, N_TEST, N_QUICK = 20_000, 10_000, 400
# Share of the samples that are held out for the test, if a set has no test part.
TEST_SHARE = 0.3


@dataclass(frozen=True)
class Set:
    """A set of samples; `file` is its name among the sets of the papers."""

    title: str
    file: str
    pixels: bool = False
    # Whether defaults were chosen on it.
    for_defaults: bool = False

    def load(self, quick=False):
        """Training samples and labels, test samples and labels."""
        X, y, n_train = load_all_samples(self.file, dense=True)
        rng = np.random.default_rng(0)
        order = rng.permutation(n_train)
        if n_train < len(y):
            rows, test_rows = order, n_train + rng.permutation(len(y) - n_train)
        else:
            test_rows, rows = np.split(order, [int(TEST_SHARE * n_train)])
        rows = rows[: N_QUICK if quick else N_TRAIN]
        test_rows = test_rows[: N_QUICK if quick else N_TEST]
        X_train, X_test = (X[some].astype(np.float64) for some in (rows, test_rows))
        mean, deviation = X_train.mean(axis=0), X_train.std(axis=0)
        if self.pixels:
            deviation = np.full(X.shape[1], X_train.std())
        scale = np.sqrt(X.shape[1]) * np.where(deviation > 0, deviation, 1)
        return (X_train - mean) / scale, y[rows], (X_test - mean) / scale, y[test_rows]


SETS = {
    "banana": Set("banana", "banana"),
    "usps": Set("usps", "usps", pixels=True),
    "letter": Set("letter", "letter"),
    "mnist": Set("mnist", "mnist", pixels=True),
    "shuttle": Set("shuttle", "shuttle"),
    "spambase": Set("spambase", "spambase"),
    "splice": Set("splice", "splice"),
    "dna": Set("dna", "dna"),
    "poker": Set("poker", "poker_train25010"),
    "adult": Set("adult", "adult_a9a"),
    "satimage": Set("satimage", "satimage", for_defaults=True),
    "magic04": Set("magic04", "magic04", for_defaults=True),
    "svmguide1": Set("svm\N{SOFT HYPHEN}guide1", "svmguide1", for_defaults=True),
    "covtype": Set("covtype", "covtype_first20k", for_defaults=True),
    "codrna": Set("cod-rna", "codrna", for_defaults=True),
}
