"""Sets on which linear models are compared at their best parameters.

Dense features have mean 0 and deviation 1 over the training samples; sparse ones are binary, or
tf-idf values of unit length.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse
from sklearn.model_selection import train_test_split

from ..bench.data import load_paper_dataset, scaled

# Share of the samples that are held out for the test, if a set has no test part.
TEST_SHARE = 0.3
N_QUICK = 400


@dataclass(frozen=True)
class Set:
    """A set of samples; `file` is its name among the sets of the papers."""

    title: str
    file: str

    def load(self, quick=False):
        """Training samples, test samples, and the labels of both; the same in each call."""
        data = load_paper_dataset(self.file)
        X, X_test, y, y_test = data.X_train, data.X_test, data.y_train, data.y_test
        if X_test is None:
            X, X_test, y, y_test = train_test_split(X, y, test_size=TEST_SHARE, random_state=0)
        # Some sets are sorted by class.
        order = np.random.default_rng(0).permutation(len(y))[: N_QUICK if quick else None]
        X, X_test, y = X[order].astype(np.float64), X_test.astype(np.float64), y[order]
        if not issparse(X):
            X, X_test = scaled(X, X_test)
        return X, X_test, y, y_test


SETS = {
    "newsgroups20": Set("20 News\N{SOFT HYPHEN}groups", "newsgroups20"),
    "reuters": Set("Reuters money-fx", "reuters_moneyfx_lasvm"),
    "w8a": Set("w8a", "w8a"),
    "adult": Set("Adult", "adult_a9a"),
    "mushrooms": Set("mush\N{SOFT HYPHEN}rooms", "mushrooms"),
    "spambase": Set("spambase", "spambase"),
    "codrna": Set("cod-rna", "codrna"),
    "magic04": Set("magic04", "magic04"),
    "covtype_3v4": Set("covtype, 3 against 4", "covtype_3v4"),
    "svmguide1": Set("svm\N{SOFT HYPHEN}guide1", "svmguide1"),
    "splice": Set("splice", "splice"),
    "dna": Set("dna", "dna"),
    "satimage": Set("satimage", "satimage"),
    "shuttle": Set("shuttle", "shuttle"),
    "letter": Set("letter", "letter"),
}
