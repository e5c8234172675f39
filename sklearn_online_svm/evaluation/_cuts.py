"""Thresholds for given rates of errors, and intervals of the rates on new samples."""

from typing import NamedTuple

import numpy as np
from scipy.stats import beta

from ._adaptive_quantile import ROUNDING

# Ratio of the numbers of alarms for which a guaranteed precision is tested.
GRID_RATIO = 1.25


def limits(counts, n, level):
    """Return the Clopper-Pearson interval of a probability, given ``counts`` among n."""
    counts, tail = np.asarray(counts), 0.5 * (1.0 - level)
    low = np.where(counts > 0, beta.ppf(tail, np.maximum(counts, 1), n - counts + 1), 0.0)
    high = np.where(counts < n, beta.isf(tail, counts + 1, np.maximum(n - counts, 1)), 1.0)
    return low, high


class Cuts(NamedTuple):
    """Numbers of alarms, and of hits among them, for each threshold in descending order."""

    thresholds: np.ndarray
    alarms: np.ndarray
    hits: np.ndarray
    n_positive: int
    n_samples: int

    @classmethod
    def of(cls, scores, labels):
        """Return the cuts at all distinct scores, given whether each sample is positive."""
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        last = np.flatnonzero(np.diff(ordered, append=-np.inf))
        hits = np.cumsum(labels[order])
        return cls(ordered[last], last + 1, hits[last], int(labels.sum()), len(scores))

    def cheapest(self, cost_negative, cost_positive):
        """Return the threshold of the smallest cost; the largest one if there are several."""
        false_negatives = self.n_positive - np.append(0, self.hits)
        false_positives = np.append(0, self.alarms - self.hits)
        costs = cost_positive * false_negatives + cost_negative * false_positives
        return float(np.append(np.inf, self.thresholds)[costs.argmin()])

    def reaching(self, target, value, level=None):
        """Return the threshold for a target, infinite if there is none, and the best estimate.

        ``target``: {"recall", "precision", "alarm_rate"}. ``level``: probability of reaching the
        target; None: it is reached in expectation.
        """
        estimates = self._estimates(target, level)
        sign = -1 if target == "alarm_rate" else 1
        reached = np.flatnonzero(sign * estimates >= sign * value - ROUNDING)
        best = float(sign * max(sign * estimates, default=np.nan))
        if not len(reached):
            return np.inf, best
        # As few alarms as possible for a recall, as many as possible for the other targets.
        return float(self.thresholds[reached[0 if target == "recall" else -1]]), best

    def _estimates(self, target, level):
        """Return the expected value of a target at each cut, or its limit with a given level."""
        counts, n = {
            "recall": (self.hits, np.full(len(self.hits), self.n_positive)),
            "precision": (self.hits, self.alarms),
            "alarm_rate": (self.alarms, np.full(len(self.alarms), self.n_samples)),
        }[target]
        if level is None:
            return counts / (n + 1)
        if target != "precision":
            # A limit of a two-sided interval is one-sided with half the error.
            return limits(counts, n, 2 * level - 1)[target == "alarm_rate"]
        n_steps = 1 + int(np.log(max(1, self.n_samples)) / np.log(GRID_RATIO))
        numbers = np.unique(np.floor(GRID_RATIO ** np.arange(n_steps)))
        tested = np.unique(self.alarms.searchsorted(numbers))
        # All limits on the grid hold together (Bonferroni).
        level = 1 - (1 - level) / len(numbers)
        estimates = np.zeros(len(counts))
        estimates[tested] = limits(counts[tested], n[tested], 2 * level - 1)[0]
        return estimates


def rates_at(threshold, scores, labels):
    """Return a count and its total for each rate."""
    alarms = scores >= threshold
    n_alarms, n_hits, n_positive = alarms.sum(), (alarms & labels).sum(), labels.sum()
    return {
        "recall": (n_hits, n_positive),
        "precision": (n_hits, n_alarms),
        "alarm_rate": (n_alarms, len(scores)),
        "false_alarms": (n_alarms - n_hits, len(scores) - n_positive),
    }


def share_of(rate):
    """Return a rate as a number, nan if its total is 0."""
    count, total = rate
    return float(count / total) if total else np.nan


def interval_of(rate, halved, n_folds, level):
    """Return the interval of a rate; with cross-validation, extended by its trend.

    The difference between the rates of models that are trained on a part q of the samples and on
    all of them is assumed to be in proportion to sqrt(1 / q - 1). This is 1 for ``halved``, the
    rate with models that are trained on halves; None without cross-validation.
    """
    low, high = map(float, limits(*rate, level))
    if halved is None or not rate[1] or not halved[1]:
        return low, high
    factor = 1.0 / (np.sqrt(n_folds - 1) - 1.0)
    change = factor * (share_of(rate) - share_of(halved))
    return max(0.0, low + min(0.0, change)), min(1.0, high + max(0.0, change))


def cost_of(values, intervals, weights):
    """Return the cost of a sample, and its interval from those of recall and false alarms.

    ``weights`` are the products of the cost and the share of each class, the negative one first.
    The two intervals are combined by the method of variance estimates recovery (MOVER).
    """
    recall, false_alarms = values["recall"], values["false_alarms"]
    cost = weights[0] * false_alarms + weights[1] * (1.0 - recall)
    below, above = (
        np.hypot(
            weights[0] * (intervals["false_alarms"][end] - false_alarms),
            weights[1] * (intervals["recall"][1 - end] - recall),
        )
        for end in (0, 1)
    )
    return cost, (float(max(0.0, cost - below)), float(cost + above))
