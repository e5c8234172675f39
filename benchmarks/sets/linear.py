"""Generated samples, dense and like those of text."""

import numpy as np
from scipy.sparse import csr_matrix

# Added to the decision value, in its standard deviations: about one label in ten is wrong.
NOISE = 0.35


def noisy_plane(n_rows, n_features, seed, n_classes=2, dtype=np.float64):
    """Dense normal samples; the label is the sign of a linear function with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_features), dtype=dtype)
    rule = rng.standard_normal((n_features, 1 if n_classes == 2 else n_classes)).astype(dtype)
    values = X @ rule
    values += NOISE * values.std() * rng.standard_normal(values.shape)
    return X, np.where(values[:, 0] > 0, 1, -1) if n_classes == 2 else values.argmax(axis=1)


class TextLike:
    """An unbounded stream of sparse samples like those of text.

    Of all words, the k-th most frequent has a probability proportional to 1 / (k + 20). A word of
    a sample is drawn from this distribution or, with probability OWN, from that of its class,
    in which the ranks are shifted by so many for each class. Words lie in random order over the
    columns. Samples have unit length, weights as of inverse document frequencies. Some labels are
    wrong: any other class.
    """

    OFFSET, OWN, SHIFT, WRONG = 20, 0.3, 500, 0.001

    def __init__(self, n_columns, per_row, seed, n_classes=2, positive_share=None):
        self._rng = np.random.default_rng([seed, 23])
        self.n_columns = n_columns
        self.per_row = per_row
        self._shares = np.full(n_classes, 1 / n_classes)
        if positive_share is not None:
            self._shares = np.array([1 - positive_share, positive_share])
        self._column = self._rng.permutation(n_columns).astype(np.int32)
        self._weight = np.empty(n_columns)
        self._weight[self._column] = np.log(2 + np.arange(n_columns))

    def rows(self, n_rows):
        """The next samples and their labels: -1 and 1, or 0, 1, 2, ..."""
        n_classes = len(self._shares)
        label = self._rng.choice(n_classes, size=n_rows, p=self._shares)
        X = self._draw(label)
        wrong = self._rng.random(n_rows) < self.WRONG
        other = self._rng.choice(n_classes, size=n_rows, p=self._shares)
        label = np.where(wrong, other, label)
        return X, 2 * label - 1 if n_classes == 2 else label

    def _draw(self, label):
        n_rows = len(label)
        lengths = self._rng.poisson(self.per_row * self._drawn_per_distinct(), size=n_rows)
        row = np.repeat(np.arange(n_rows, dtype=np.int64), lengths)
        # By inversion of the distribution function, log(1 + k / OFFSET) up to a factor.
        share = self._rng.random(len(row))
        rank = (self.OFFSET * ((1 + self.n_columns / self.OFFSET) ** share - 1)).astype(np.int64)
        own = self._rng.random(len(row)) < self.OWN
        rank[own] += self.SHIFT * (1 + label[row[own]])
        keys = row * self.n_columns + self._column[rank % self.n_columns]
        keys, counts = np.unique(keys, return_counts=True)
        row, columns = np.divmod(keys, self.n_columns)
        data = self._weight[columns] * (1 + np.log(counts))
        norms = np.sqrt(np.bincount(row, weights=data**2, minlength=n_rows))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))])
        shape = (n_rows, self.n_columns)
        return csr_matrix((data / norms[row], columns.astype(np.int32), indptr), shape=shape)

    def _drawn_per_distinct(self):
        """Draws for each distinct word of a sample, by the expected number of repetitions."""
        ranks = np.arange(min(self.n_columns, 2000)) + self.OFFSET
        probability = 1 / ranks / np.log(1 + self.n_columns / self.OFFSET)
        repeated = self.per_row * probability
        lost = np.sum(repeated - (1 - np.exp(-repeated)))
        return 1 / (1 - lost / self.per_row)


def csr_text(n_rows, n_columns, per_row, seed, n_classes=2, dtype=np.float64):
    """Sparse samples of `TextLike` at once."""
    X, y = TextLike(n_columns, per_row, seed, n_classes).rows(n_rows)
    return X.astype(dtype), y
