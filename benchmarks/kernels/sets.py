"""Real sets for each kernel, generated fingerprints, and a generated table of mixed types."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.preprocessing import StandardScaler

from ..bench.data import load_all_samples

N_TEST, N_QUICK = 2000, 400


@dataclass(frozen=True)
class Case:
    """A kernel, and a set of the papers with its features prepared for it."""

    title: str
    kernel: str
    file: str
    n_train: int
    # "standard", "sums" (samples have sum 1), or a number by which features are divided.
    scale: str | float = 1.0
    # Whether even classes are one of two classes, and odd ones the other.
    even: bool = False
    # The class against the rest, or None.
    positive: int | None = None
    C: float = 10.0
    # If the kernel has a gamma. Features are scaled to [0, 1], or to variance 1.
    gamma: float = 1.0

    def load(self, seed, quick=False):
        """Return training samples and labels, test samples and labels; a split for each seed."""
        X, y, _ = load_all_samples(self.file)
        if self.even or self.positive is not None:
            y = np.where(y % 2 == 0 if self.even else y == self.positive, 1, -1)
        n_test = N_QUICK if quick else min(N_TEST, len(y) // 3)
        n_train = N_QUICK if quick else min(self.n_train, len(y) - n_test)
        order = np.random.default_rng(seed).permutation(len(y))[: n_train + n_test]
        X, y = X[order], y[order]
        if self.scale == "standard":
            X = StandardScaler().fit(X[:n_train]).transform(X)
        elif self.scale == "sums":
            X = X / X.sum(axis=1, keepdims=True)
        else:
            X = X / self.scale
        X = X.tocsr() if issparse(X) else X
        X = X.astype(np.float32)
        return X[:n_train], y[:n_train], X[n_train:], y[n_train:]


CASES = {
    "laplacian_letter": Case(
        "Letter", "laplacian", "letter", 8000, "standard", even=True, gamma=0.1
    ),
    "laplacian_magic04": Case("MAGIC", "laplacian", "magic04", 8000, "standard", gamma=0.1),
    "chi2_satimage": Case("Satimage", "chi2", "satimage", 4435, 255.0, even=True),
    "chi2_mnist": Case("MNIST", "chi2", "mnist", 4000, "sums", even=True, gamma=2.0),
    "intersection_satimage": Case("Satimage", "intersection", "satimage", 4435, 255.0, even=True),
    "intersection_mnist": Case("MNIST", "intersection", "mnist", 4000, "sums", even=True, C=100.0),
    "tanimoto_adult": Case("Adult", "tanimoto", "adult_a9a", 8000, C=1.0),
    "tanimoto_mushrooms": Case("Mushrooms", "tanimoto", "mushrooms", 5416),
    "tanimoto_dna": Case("DNA, class 3 against the rest", "tanimoto", "dna", 2000, positive=3),
    "cosine_adult": Case("Adult", "cosine", "adult_a9a", 8000, C=1.0),
    "cosine_newsgroups": Case("20 Newsgroups", "cosine", "newsgroups20", 4000, even=True, C=1.0),
}

N_BITS, N_SET = 2048, 64
# Clusters of two classes; bits that are frequent in one of them; how much more frequent.
N_CLUSTERS, N_OWN, ODDS = 60, 80, 20.0
WRONG = 0.05
# Samples whose fingerprints are drawn at once.
CHUNK = 2000


def fingerprints(n_samples, random):
    """Return bits of samples as CSR matrix, and labels of which 5 % are wrong.

    Each cluster has its own frequent bits, besides those that are frequent in all clusters. Of
    each sample, 64 bits are set: a draw without replacement with the probabilities of its cluster.
    """
    fixed = np.random.default_rng(0)
    weights = np.tile(-np.log(20.0 + np.arange(N_BITS)), (N_CLUSTERS, 1))
    for row in weights:
        row[fixed.choice(N_BITS, N_OWN, replace=False)] += np.log(ODDS)
    clusters = random.integers(N_CLUSTERS, size=n_samples)
    indices = np.empty((n_samples, N_SET), dtype=np.int32)
    for first in range(0, n_samples, CHUNK):
        # The largest of log-weights with Gumbel noise are such a draw.
        keys = weights[clusters[first : first + CHUNK]]
        keys = keys + random.gumbel(size=keys.shape)
        drawn = np.argpartition(keys, N_BITS - N_SET, axis=1)[:, N_BITS - N_SET :]
        indices[first : first + CHUNK] = np.sort(drawn, axis=1)
    indptr = N_SET * np.arange(n_samples + 1, dtype=np.int32)
    bits = np.ones(indices.size, dtype=np.float32)
    y = np.where(clusters % 2 == 0, 1, -1)
    y = np.where(random.random(n_samples) < WRONG, -y, y)
    return csr_matrix((bits, indices.ravel(), indptr), shape=(n_samples, N_BITS)), y


# Numeric features, and the numbers of categories of the others.
N_NUMERIC, CATEGORIES = 4, (3, 5, 10, 20, 50, 100)


# Categorical columns whose categories change the sign of a numeric effect.
TABLES = {"one": 1, "pair": 2}


def mixed_table(name, n_samples, random):
    """Return numeric and categorical columns, and labels that depend on both.

    Each category has an effect. A numeric effect has the sign of a category of the first column,
    or the product of the signs in the first two. Of the labels, 5 % are wrong.
    """
    fixed = np.random.default_rng(0)
    effects = [fixed.normal(size=n) for n in CATEGORIES]
    signs = [1 - 2 * (fixed.permutation(n) % 2) for n in CATEGORIES[: TABLES[name]]]
    numeric = random.normal(size=(n_samples, N_NUMERIC))
    codes = np.column_stack([random.integers(n, size=n_samples) for n in CATEGORIES])
    score = sum(effect[column] for effect, column in zip(effects, codes.T, strict=True)) / 2
    sign = np.prod([sign[codes[:, k]] for k, sign in enumerate(signs)], axis=0)
    score += sign * (numeric[:, 0] + np.sin(2 * numeric[:, 1])) + numeric[:, 2] ** 2 - 1
    y = np.where(score > 0, 1, -1)
    y = np.where(random.random(n_samples) < WRONG, -y, y)
    return numeric.astype(np.float32), codes, y
