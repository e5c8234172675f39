"""Data of the linear models: sets of Lu, Zhao and Hoi (2016), and generated ones.

The paper does not say how it scaled its features. Here each feature has mean 0 and standard
deviation 1 over the whole set, and then each sample length 1; there is no intercept. Of 18 ways
tried, combinations of a scale (as the files come; to [-1, 1] or [0, 1]; by the largest value;
standardised), unit length or not, and a constant feature or none, it is the one with which
RPE, the random perceptron, gives the values of Tables 2 and 3 on all six sets. RPE has no
parameter that could make up for another scale. Text is tf-idf, of unit length as it comes.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_matrix, issparse, vstack

from benchmarks.bench.data import load_paper_dataset

QUICK_ROWS = 1500


@dataclass(frozen=True)
class Stream:
    """A set of samples."""

    name: str
    title: str
    load_all: Callable = field(repr=False)

    def load(self, quick=False):
        """Samples and labels, in the order of the file: permute them."""
        X, y = self.load_all()
        if quick:
            rows = np.random.default_rng(0).permutation(len(y))[:QUICK_ROWS]
            X, y = X[rows], y[rows]
        return X, y


# ---------------------------------------------------------------------------
# Sets of the paper
# ---------------------------------------------------------------------------


def _rows(name, parts):
    """The training part, the test part or both of them, one after the other."""
    data = load_paper_dataset(name)
    Xs = [data[f"X_{part}"] for part in parts]
    X = vstack(Xs).tocsr() if issparse(Xs[0]) else np.concatenate(Xs)
    return X, np.concatenate([data[f"y_{part}"] for part in parts])


def unit_rows(X):
    """Samples of length 1; a sample of zeros stays."""
    norms = np.sqrt(np.einsum("ij,ij->i", X, X))
    return X / np.where(norms > 0, norms, 1)[:, np.newaxis]


def standard_unit_rows(X):
    """Dense samples: features of mean 0 and deviation 1, then samples of length 1."""
    X = X.toarray() if issparse(X) else X
    X = X.astype(np.float64)
    deviation = X.std(axis=0)
    return unit_rows((X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1))


def _table(name, parts=("train",)):
    def load():
        X, y = _rows(name, parts)
        return standard_unit_rows(X), y

    return load


_BOTH = ("train", "test")

BINARY = [
    Stream("svmguide1", "svmguide1", _table("svmguide1", _BOTH)),
    Stream("mushrooms", "mushrooms", _table("mushrooms")),
    Stream("a8a", "a8a", _table("adult_a8a", _BOTH)),
    Stream("spambase", "spambase", _table("spambase")),
    Stream("splice", "splice", _table("splice", _BOTH)),
    Stream("w8a", "w8a (training part)", _table("w8a")),
    Stream("codrna", "codrna (training part)", _table("codrna")),
    Stream("magic04", "magic04", _table("magic04")),
]

MULTICLASS = [
    Stream("dna", "dna", _table("dna")),
    Stream("satimage", "satimage", _table("satimage")),
    Stream("usps", "usps", _table("usps")),
    Stream("mnist", "mnist (10 000 samples)", _table("mnist", ("test",))),
    Stream("letter", "letter", _table("letter")),
    Stream("shuttle", "shuttle", _table("shuttle")),
    Stream("covtype", "covtype (stand-in)", _table("covtype_first20k", _BOTH)),
    Stream("poker", "poker (training part)", _table("poker_train25010")),
]


def _newsgroups(positive=None, negative=None):
    """All groups, or two of their families, such as comp.* (1) and rec.* (-1)."""

    def load():
        X, y = _rows("newsgroups20", _BOTH)
        X = X.astype(np.float64)
        if positive is None:
            return X, y
        names = load_paper_dataset("newsgroups20").target_names
        family = np.array([str(name).split(".")[0] for name in names])[y]
        label = (family == positive).astype(int) - (family == negative)
        return X[label != 0], label[label != 0]

    return load


# Topics of Reuters-21578 with at least a hundred documents that have no other topic.
_REUTERS_TOPICS = ("earn", "acq", "money-fx", "grain", "crude", "trade", "interest", "ship")


def _reuters(topics):
    """The documents that have one of the topics and no other of the ten largest; the labels are
    places in `topics`, of two topics 1 and -1.
    """

    def load():
        X, topics_of_rows = _rows("reuters21578_modapte", _BOTH)
        names = [str(name) for name in load_paper_dataset("reuters21578_modapte").target_names]
        one = topics_of_rows[:, [names.index(topic) for topic in topics]].astype(bool)
        rows = (topics_of_rows.sum(axis=1) == 1) & one.any(axis=1)
        y = one[rows].argmax(axis=1)
        return X[rows].astype(np.float64), 1 - 2 * y if len(topics) == 2 else y

    return load


# 18 846 documents by date without duplicates; the paper's sizes are those of LIBSVM's news20.
TEXT = [
    Stream("comp_rec", "20 Newsgroups, comp against rec", _newsgroups("comp", "rec")),
    Stream("rec_sci", "20 Newsgroups, rec against sci", _newsgroups("rec", "sci")),
    Stream("reuters_two", "Reuters-21578, earn against acq", _reuters(("earn", "acq"))),
]
TEXT_MULTICLASS = [
    Stream("newsgroups", "20 Newsgroups, 20 classes", _newsgroups()),
    Stream("reuters_eight", "Reuters-21578, 8 topics", _reuters(_REUTERS_TOPICS)),
]

# The shape of the malicious URLs: as many features and nonzeros, one sample in three positive.
URLS = dict(n_columns=3_231_961, per_row=115, positive_share=1 / 3)


def _url_like():
    return TextLike(**URLS, seed=0).rows(20_000)


WEB = [Stream("url_like", "generated, shaped like the URLs", _url_like)]


def _newsgroups_rec():
    """The four groups rec.* against the other sixteen."""
    X, y = _rows("newsgroups20", _BOTH)
    names = load_paper_dataset("newsgroups20").target_names
    rec = np.array([str(name).startswith("rec.") for name in names])[y]
    return X.astype(np.float64), np.where(rec, 1, -1)


# Stand-ins for the malicious URLs of the paper; their classes are made uneven by `imbalanced`.
COST = [
    Stream("w8a", "w8a", _table("w8a")),
    Stream("codrna", "codrna", _table("codrna")),
    Stream("newsgroups_rec", "20 Newsgroups, rec against the rest", _newsgroups_rec),
]
COST_STREAMS = {stream.name: stream for stream in COST}

STREAMS = {stream.name: stream for stream in BINARY + MULTICLASS + TEXT + TEXT_MULTICLASS + WEB}


def imbalanced(X, y, ratio, seed=0):
    """As many samples as give `ratio` negative ones for each positive one, drawn once.

    All negative samples and a part of the positive ones; where there are too few of these, all of
    them and a part of the negative ones.
    """
    rng = np.random.default_rng(seed)
    positive, negative = (rng.permutation(np.flatnonzero(y == label)) for label in (1, -1))
    n_positive = min(len(positive), len(negative) // ratio)
    rows = np.concatenate([positive[:n_positive], negative[: ratio * n_positive]])
    return X[rows], y[rows]


# ---------------------------------------------------------------------------
# Generated samples
# ---------------------------------------------------------------------------

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
