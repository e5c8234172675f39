"""Predicted scores and costs of candidates, and the number that the budget allows."""

from numbers import Number

import numpy as np

__all__ = [
    "Neighbourhood",
    "chances",
    "fit_costs",
    "interleaved",
    "key_of",
    "n_survivors",
    "predicted_scores",
]

# Exponent of the number of samples by which the gains of later rungs shrink.
GAIN_DECAY = 0.5

# Exponent of superlinear costs in the number of samples before it is measured, and the largest.
FIRST_GROWTH, MOST_GROWTH = 1.7, 3.0
# Standard error of a predicted gain, as a part of it.
GAIN_ERROR = 0.5
# At least this share of the candidates survives a rung, whatever the budget, unless an even
# decline to the number at the last rung is faster.
MIN_SHARE = 0.6


class Neighbourhood:
    """Distances between candidates in the space of their numeric parameters.

    The coordinate of a candidate is the rank of its value among those of the parameter, so that
    neighbouring values of a grid are at distance 1. Candidates that differ in another parameter
    are not neighbours.

    Parameters
    ----------
    settings : list of dict
        Parameters of each candidate.

    Attributes
    ----------
    positions : ndarray of shape (n_candidates, n_numeric)
    groups : ndarray of shape (n_candidates,)
    numeric : list of str
        Names of the numeric parameters with more than one value.
    """

    def __init__(self, settings):
        names = sorted({name for params in settings for name in params})
        numeric, keys = {}, [() for _ in settings]
        for name in names:
            values = [params.get(name) for params in settings]
            if all(isinstance(v, Number) and not isinstance(v, bool) for v in values):
                unique, ranks = np.unique(np.array(values, dtype=float), return_inverse=True)
                if len(unique) > 1:
                    numeric[name] = (len(unique), ranks)
            else:
                keys = [(*key, key_of(value)) for key, value in zip(keys, values)]
        # The values of a random search are all different; scaled, they are as dense as a grid.
        n_points = np.prod([float(n_unique) for n_unique, _ in numeric.values()])
        scale = min(1.0, len(settings) / n_points) ** (1 / max(1, len(numeric)))
        columns = [ranks * scale for _, ranks in numeric.values()]
        self.numeric = list(numeric)
        self.positions = np.column_stack(columns) if columns else np.zeros((len(settings), 0))
        places = {}
        self.groups = np.array([places.setdefault(key, len(places)) for key in keys])

    def distances(self, some):
        """Return the distances between some candidates; infinite between groups.

        Parameters
        ----------
        some : ndarray of int
        """
        if not self.numeric:
            return np.where(np.eye(len(some), dtype=bool), 0.0, np.inf)
        at, group = self.positions[some], self.groups[some]
        distance = np.sqrt(np.square(at[:, None] - at[None]).sum(axis=2))
        return np.where(group[:, None] == group[None], distance, np.inf)

    def smooth(self, values, some):
        """Return Gaussian-weighted means of values over neighbours; nan values have no weight."""
        weights = np.exp(-0.5 * np.square(self.distances(some)))
        known = np.isfinite(values)
        total = weights @ known
        sums = weights @ np.where(known, values, 0.0)
        return np.divide(sums, total, out=np.zeros(len(some)), where=total > 0)


def key_of(value):
    """Return a key that is equal for equal values of a parameter, as far as that can be told."""
    return (type(value), value) if value is None or isinstance(value, (str, Number)) else id(value)


def predicted_scores(scores, gains, n_samples, later):
    """Return the scores expected after further rungs.

    Gains shrink as they do for an error :math:`a + b n^{-1/2}`.

    Parameters
    ----------
    scores, gains : ndarray of shape (n_candidates,)
        Present scores, and what they have gained since the rung before.
    n_samples : int
        Training samples of the present rung.
    later : list of int
        Training samples of the further rungs.
    """
    ratios = np.asarray(later, dtype=float) / n_samples
    return scores + gains * np.sum(ratios**-GAIN_DECAY)


def chances(scores, predicted, standard_error, is_known):
    """Return the chances of the candidates to be the best, which add up to 1.

    They decline like a normal density with the distance of the predicted score from the best one.

    Parameters
    ----------
    scores, predicted : ndarray of shape (n_candidates,)
    standard_error : float
        Standard error of the best score.
    is_known : bool
        Whether gains are known. Before, all candidates have the same chance.
    """
    n = len(scores)
    possible = np.isfinite(predicted)
    if not is_known or not possible.any() or not np.isfinite(standard_error):
        return np.full(n, 1.0 / n)
    best = int(np.argmax(np.where(possible, predicted, -np.inf)))
    of_gains = GAIN_ERROR * np.abs(predicted - scores)
    error = np.sqrt(standard_error**2 + of_gains**2 + of_gains[best] ** 2)
    with np.errstate(over="ignore"):  # of a distance, if the errors are 0
        distance = (predicted[best] - predicted) / np.maximum(error, np.finfo(float).tiny)
        weight = np.where(possible, np.exp(-0.5 * np.square(distance)), 0.0)
    return weight / weight.sum()


def interleaved(scores, predicted):
    """Return indices of candidates, by turns the next best by present and by predicted score.

    Equal scores keep their order; nan comes last.
    """
    ranks = []
    for values in (scores, predicted):
        order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")
        rank = np.empty(len(order))
        rank[order] = np.arange(len(order))
        ranks.append(rank)
    return np.argsort(np.minimum(ranks[0], ranks[1] + 0.5), kind="stable")


def fit_costs(costs, growth, n_samples, later):
    """Return the costs of training with more samples, of shape (len(later), n_candidates).

    Parameters
    ----------
    costs : ndarray of shape (n_candidates,)
        Costs so far, with ``n_samples`` samples.
    growth : float or ndarray of shape (n_candidates,)
        Exponents of the cost in the number of samples.
    later : list of int
        Numbers of samples.
    """
    ratio = np.asarray(later, dtype=float)[:, None] / n_samples
    return costs * ratio**growth


def n_survivors(increments, budget, floor):
    """Return the number of candidates that the budget allows for the next rung.

    After that the number falls geometrically to ``floor`` at the last rung.

    Parameters
    ----------
    increments : ndarray of shape (n_rungs_left, n_candidates)
        Costs of the further rungs, the best candidates first.
    budget : float
        Cost that may still be spent.
    floor : int
        Candidates at the last rung.
    """
    n_rungs, n = increments.shape
    floor = min(floor, n)
    totals = np.hstack([np.zeros((n_rungs, 1)), np.cumsum(increments, axis=1)])
    # Never fewer than an even decline would leave, unless that is more than needed.
    fewest = min(round(n * (floor / n) ** (1 / n_rungs)), int(np.ceil(MIN_SHARE * n)))
    rungs = np.arange(n_rungs)
    for n_kept in range(n, max(floor, fewest), -1):
        path = np.round(n_kept * (floor / n_kept) ** (rungs / max(1, n_rungs - 1))).astype(int)
        if totals[rungs, np.maximum(path, 1)].sum() <= budget:
            return n_kept
    return max(floor, fewest)
