"""One-vs-one in plain NumPy: a twin for each pair of classes, and the votes of the pairs.

The pairs (a, b) of class codes, a < b, are in lexicographic order. A twin has the rows of both
classes, +1 for a and -1 for b, and learns no others. Its decision value is a vote for a if it is
positive, otherwise for b.
"""

from itertools import combinations

import numpy as np


class ReferenceOneVsOne:
    """Twins of two classes, one for each pair.

    Parameters
    ----------
    codes : ndarray of shape (n,)
        Class of each row, 0, 1, ...
    n_classes : int
    make : callable
        Returns a twin for signs of shape (n,).
    """

    def __init__(self, codes, n_classes, make):
        self.codes = np.asarray(codes)
        self.pairs = list(combinations(range(n_classes), 2))
        self.twins = [make(np.where(self.codes == a, 1.0, -1.0)) for a, _ in self.pairs]

    def pairs_of(self, k):
        """Return the indices of the pairs that row k belongs to."""
        return [i for i, pair in enumerate(self.pairs) if self.codes[k] in pair]

    def learn(self, k):
        for i in self.pairs_of(k):
            self.twins[i].learn(k)

    def finish(self):
        for twin in self.twins:
            twin.finish()

    def decision_function(self, K_new=None):
        """Return the values of the pairs, (n_rows, n_pairs)."""
        return np.column_stack([twin.decision_function(K_new) for twin in self.twins])


def predicted(values, n_classes):
    """Return the class with the most votes for each row of values, on a tie the first one."""
    codes = []
    for row in values:
        votes = [0] * n_classes
        for value, (a, b) in zip(row, combinations(range(n_classes), 2), strict=True):
            votes[a if value > 0 else b] += 1
        codes.append(votes.index(max(votes)))
    return np.array(codes)


def class_values(values, n_classes):
    """Return votes plus s / (3 |s| + 3), where s is the sum of the values in favour of a class.

    Unlike in ``predicted``, a value of 0 is a vote for the first class, as in scikit-learn.
    """
    found = np.zeros((len(values), n_classes))
    for row, of_row in zip(values, found, strict=True):
        sums = np.zeros(n_classes)
        for value, (a, b) in zip(row, combinations(range(n_classes), 2), strict=True):
            of_row[a if value >= 0 else b] += 1
            sums[a] += value
            sums[b] -= value
        of_row += sums / (3.0 * np.abs(sums) + 3.0)
    return found
