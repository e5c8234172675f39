"""Sample selection (thesis, sections 3.3 and 4.2), in plain NumPy.

A decision is made for each row, from the decision values of the rows that are left. The numbers
drawn are those of SplitMix64, one for each draw.
"""

import numpy as np

from tests.reference.queries import SplitMix64


class SplitMix(SplitMix64):
    """The generator with samples without repetition."""

    def sample(self, n, n_left):
        """``n`` different numbers below ``n_left``."""
        if n >= n_left or n == 1:
            return list(range(min(n, n_left)))
        drawn = []
        if n > n_left // 4:
            for place in range(n_left):
                if self.uniform() * (n_left - place) < n - len(drawn):
                    drawn.append(place)
            return drawn
        while len(drawn) < n:
            place = int(self.uniform() * n_left)
            if place not in drawn:
                drawn.append(place)
        return drawn


def closeness(scores):
    """Distance from the boundary: \\|f\\|, or the gap between the two largest of several."""
    scores = np.atleast_1d(scores)
    if len(scores) == 1:
        return abs(scores[0])
    second, best = np.sort(scores)[-2:]
    return best - second


def margin_of(scores, label):
    """y f, or that of the row's class less the largest other."""
    scores = np.atleast_1d(scores)
    if len(scores) == 1:
        return scores[0] if label == 1 else -scores[0]
    return scores[label] - np.delete(scores, label).max()


class Chooser:
    """Chooses among the rows that are left.

    Parameters
    ----------
    selection : {"random", "gradient", "active", "autoactive"}
    pool_size : int or "all"
    seed : int
        State of the generator.
    """

    def __init__(self, selection, pool_size, seed, n_close=5):
        self.selection, self.pool_size, self.n_close = selection, pool_size, n_close
        self.random = SplitMix(seed)

    # Label and margin of each candidate of the last selection.
    seen = ()

    def choose(self, left, decide, labels, delta):
        """Return the place in ``left`` of the next sample.

        ``decide(row)`` is the decision function, ``delta`` the largest violation left, infinite
        while there is but one class.
        """
        if self.selection == "random":
            return 0
        n = len(left) if self.pool_size == "all" else self.pool_size
        if self.selection == "autoactive":
            n *= 2
        drawn = self.random.sample(n, len(left))
        best, best_key, n_close = None, np.inf, 0
        self.seen = []
        for place in drawn:
            row = left[place]
            scores = decide(row)
            self.seen.append((labels[row], margin_of(scores, labels[row])))
            key = margin_of(scores, labels[row])
            if self.selection != "gradient":
                key = closeness(scores)
            if best is None or key < best_key:
                best, best_key = place, key
            if self.selection == "autoactive":
                n_close += key < 1 + max(delta, 0) / 2
                if n_close == self.n_close or delta == np.inf:
                    break
        return best


def is_outside_margin(scores, free_scores):
    """Whether a row lies outside the margin of each problem, ``free_scores`` those of its free
    support vectors; without them there is no margin."""
    return all(
        len(free) and abs(f) >= np.abs(free).max()
        for f, free in zip(np.atleast_1d(scores), free_scores, strict=True)
    )


def has_few_errors(window, share, error):
    """Whether few of the last samples became support vectors, and few candidates of each class
    were misclassified; ``window`` has for each sample whether it did, and ``Chooser.seen``."""
    labels, margins = np.array([seen for _, candidates in window for seen in candidates]).T
    wrong = [np.mean(margins[labels == label] < 0) for label in np.unique(labels)]
    return sum(entered for entered, _ in window) < share * len(window) and max(wrong) <= error
