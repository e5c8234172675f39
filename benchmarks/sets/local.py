"""The sets of the local models: boundaries of many forms, samples without an order.

Features have mean 0 and deviation 1 over the training samples; pixels have one deviation for all
of them. Then all samples are divided by the square root of the number of features, so that the
squared length of a sample is about 1 and C means the same everywhere.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from benchmarks.bench.data import load_paper_dataset

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
        data, rng = load_paper_dataset(self.file), np.random.default_rng(0)
        X, y = _dense(data["X_train"]), data["y_train"]
        rows = rng.permutation(len(y))
        if data["X_test"] is not None:
            X_test, y_test = _dense(data["X_test"]), data["y_test"]
            test_rows = rng.permutation(len(y_test))
        else:
            n_test = int(TEST_SHARE * len(y))
            X_test, y_test, test_rows, rows = X, y, rows[:n_test], rows[n_test:]
        rows = rows[: N_QUICK if quick else N_TRAIN]
        test_rows = test_rows[: N_QUICK if quick else N_TEST]
        X, y, X_test, y_test = X[rows], y[rows], X_test[test_rows], y_test[test_rows]
        mean, deviation = X.mean(axis=0), X.std(axis=0)
        if self.pixels:
            deviation = np.full(X.shape[1], X.std())
        scale = np.sqrt(X.shape[1]) * np.where(deviation > 0, deviation, 1)
        return (X - mean) / scale, y, (X_test - mean) / scale, y_test


def _dense(X):
    return (X.toarray() if issparse(X) else X).astype(np.float64)


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
