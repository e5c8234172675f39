"""Quantiles of recent scores whose level adapts to errors: adaptive conformal inference."""

import math
from bisect import bisect_left, insort

import numpy as np

# Rounding errors of a rank.
ROUNDING = 1e-9


def threshold_of(ordered, alpha):
    """Return the k-th smallest of n scores, k = floor((n + 1) alpha), or an infinite value."""
    # 10 * (1 - 0.9) is less than 1.
    rank = math.floor((len(ordered) + 1) * alpha + ROUNDING)
    if rank < 1:
        return -math.inf
    return ordered[rank - 1] if rank <= len(ordered) else math.inf


def follow(recent, scores, alpha, *, target, step_size, window_size):
    """Compare scores with a quantile of those before them, and adapt its level after each one.

    ``recent``: scores before the first one. ``alpha``: level of the quantile for the first one.
    ``target``: desired share of scores below their thresholds.

    Returns the threshold of each score and of the score to come, and ``alpha`` and ``recent``
    after the last one.
    """
    first, recent = len(recent), [*recent, *scores]
    oldest = max(0, first - window_size)
    ordered = sorted(recent[oldest:first])
    thresholds = np.empty(len(scores) + 1)
    for i, score in enumerate(scores):
        thresholds[i] = threshold_of(ordered, alpha)
        alpha += step_size * (target - (score < thresholds[i]))
        insort(ordered, score)
        if len(ordered) > window_size:
            del ordered[bisect_left(ordered, recent[oldest])]
            oldest += 1
    thresholds[-1] = threshold_of(ordered, alpha)
    return thresholds, float(alpha), np.array(recent[oldest:], dtype=np.float64)
