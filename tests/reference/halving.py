"""Successive halving as it is said: every model is trained anew whenever it is wanted."""

import numpy as np
from sklearn.base import clone


def trained(estimator, params, X, y, ends, classes):
    """Return a model that has learnt the rows up to each of ``ends``, part by part."""
    model, begin = clone(estimator).set_params(**params), 0
    for end in ends:
        model.partial_fit(X[begin:end], y[begin:end], classes=classes)
        begin = end
    return model


def jackknife(values):
    """Variance of a mean, from the means without each block."""
    n = len(values)
    return (n - 1) / n * np.sum((values - values.mean()) ** 2)


def hits_without_blocks(hits, n_blocks=10):
    blocks = np.array_split(np.arange(len(hits)), min(n_blocks, len(hits)))
    return np.array([np.delete(hits, block).mean() for block in blocks])


def successive_halving(estimator, settings, X, y, ends, *, fading=0.5, slack=0.25):
    """Indices of the candidates of each comparison, their standings, and the winner.

    ``ends``: rows at which the rungs end; the first one is learnt, the others tested and learnt.
    """
    classes = np.unique(y)
    alive, hits, log = list(range(len(settings))), {k: [] for k in range(len(settings))}, []
    n_comparisons = len(ends) - 1
    for number in range(n_comparisons):
        rows = slice(ends[number], ends[number + 1])
        n_support = {}
        for k in alive:
            model = trained(estimator, settings[k], X, y, ends[: number + 1], classes)
            hits[k].append(model.predict(X[rows]) == y[rows])
            n_support[k] = np.sum(getattr(model, "n_support_", 0))
        weights = np.array([len(h) * fading ** (number - i) for i, h in enumerate(hits[alive[0]])])
        weights = weights / weights.sum()

        def standing(k, weights=weights):
            return sum(w * h.mean() for w, h in zip(weights, hits[k]))

        def is_close(k, other, weights=weights):
            by = standing(k) - standing(other)
            variance = sum(
                w**2 * jackknife(hits_without_blocks(mine) - hits_without_blocks(theirs))
                for w, mine, theirs in zip(weights, hits[k], hits[other])
            )
            return by >= -np.sqrt(variance)

        ranked = sorted(alive, key=lambda k: (-standing(k), n_support[k], k))
        log.append({k: standing(k) for k in alive})
        if number == n_comparisons - 1:
            return log, ranked[0]
        n = max(1, round(len(settings) ** (1 - (number + 1) / n_comparisons)))
        kept, rest = ranked[:n], ranked[n:]
        if n > 1:
            close = [k for k in rest if is_close(k, kept[-1])]
            kept = kept + close[: int(slack * n)]
        alive = sorted(kept)
