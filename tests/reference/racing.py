"""Racing with predicted learning curves, in plain NumPy: models are trained anew when needed."""

import numpy as np
from sklearn.base import clone


def trained(estimator, params, X, y, ends, classes):
    """Return a model trained on the samples up to each of ``ends``, part by part."""
    model, begin = clone(estimator).set_params(**params), 0
    for end in ends:
        model.partial_fit(X[begin:end], y[begin:end], classes=classes)
        begin = end
    return model


def jackknife(values):
    """Variance of a mean, from the means without each block."""
    n = len(values)
    return (n - 1) / n * np.sum((values - values.mean()) ** 2)


def smoothed(gains, ranks):
    """Gaussian-weighted means over the candidates, whose coordinates are ranks of parameters."""
    found = []
    for here in ranks:
        weights = [np.exp(-np.sum((here - there) ** 2) / 2) for there in ranks]
        found.append(np.dot(weights, gains) / np.sum(weights))
    return np.array(found)


def by_turns(candidates, scores, predicted):
    """The next best by score, then the next best by predicted score, and so on."""
    ranked, queues = [], []
    for values in (scores, predicted):
        queues.append(sorted(candidates, key=lambda c, values=values: -values[c]))
    for pair in zip(*queues):
        ranked += [c for c in pair if c not in ranked]
    # Both at once: a candidate that is first in both lists counts once.
    return list(dict.fromkeys(ranked))


def race(estimator, settings, X, y, order, held_out, ends, n_survivors):
    """Return for each rung the scores and the predicted scores by candidate.

    ``n_survivors``: number of candidates at each rung.
    """
    names = sorted({name for params in settings for name in params})
    values = np.array([[params[name] for name in names] for params in settings])
    ranks = np.column_stack([np.unique(v, return_inverse=True)[1] for v in values.T])
    classes, alive = np.unique(y), list(range(len(settings)))
    log, before = [], None
    for k in range(len(ends)):
        test = held_out[: max(1000, 4 * ends[k])]
        scores, n_support, answers = {}, {}, {}
        for c in alive:
            model = trained(estimator, settings[c], X[order], y[order], ends[: k + 1], classes)
            answers[c] = tuple(model.predict(X[test]))
            scores[c] = np.mean(answers[c] == y[test])
            n_support[c] = np.sum(getattr(model, "n_support_", 0))
        now, gain = np.array(list(scores.values())), np.zeros(len(alive))
        if before is not None:
            gain = smoothed(now - [before[c] for c in alive], ranks[alive])
        further = sum((ends[k] / end) ** 0.5 for end in ends[k + 1 :])
        predicted = dict(zip(alive, now + further * gain))
        log.append((scores, predicted))
        if k + 1 == len(ends):
            return log
        alive.sort(key=lambda c: n_support[c])
        present, later = {}, {}
        for c in alive:
            is_first = answers[c] not in [answers[other] for other in present]
            present[c] = scores[c] if is_first else -np.inf
            is_constant = len(set(answers[c])) == 1
            later[c] = predicted[c] if is_first or not is_constant else -np.inf
        alive = by_turns(alive, present, later)
        alive, before = sorted(alive[: n_survivors[k + 1]]), scores
