"""The searches of ``fit`` and ``partial_fit`` in plain NumPy: all comparisons, and the winner."""

from functools import partial
from itertools import product

import numpy as np
from sklearn.base import clone

CALL, FEWEST_SCORED, PER_SAMPLE = 7e5, 1000, 4


class Choice:
    """Parameters with their scores, and the estimated costs of their last fit."""

    def __init__(self, number, params):
        self.number, self.params, self.model = number, params, None
        self.score, self.constant, self.last = {}, {}, -1
        self.n, self.growth, self.spent, self.last_score = 0, 1.8, 0.0, -np.inf

    def fit(self, model, X, y):
        before = (self.n, self.square) if self.n else None
        self.model, self.n = model.fit(X, y), len(X)
        self.note_trained(X.shape[1])
        if before and before[0] < self.n and before[1] > 0:
            growth = np.log(self.square / before[1]) / np.log(self.n / before[0])
            self.growth = np.clip(growth, 1.2, 2.3)
        self.spent += CALL + self.line + self.square

    def note_trained(self, n_values):
        """Note the cost of training: linear in the number of samples, and the rest."""
        if hasattr(self.model, "_estimated_cost"):
            self.line, self.square = self.model._estimated_cost(n_values)
        else:
            rows = len(self.model.coef_)
            self.line, self.square = (self.model.t_ - 1) * rows * (100 + 0.5 * n_values), 0.0
        self.n_support = np.sum(getattr(self.model, "n_support_", 0))

    def test(self, rung, X, y):
        answers, n_values = self.model.predict(X), X.shape[1]
        self.score[rung], self.constant[rung] = np.mean(answers == y), len(set(answers)) == 1
        n_classes = len(getattr(self.model, "n_support_", ()))
        by_support = 0.5 + 0.01 * n_values + 0.1 * n_classes
        self.scoring = len(X) * (100 + 0.5 * n_values + self.n_support * by_support)
        self.spent += 2 * CALL + self.scoring

    def cost(self, n, scored=0.0):
        """Predicted cost of a fit of n samples, and of scores on a multiple of the last ones."""
        ratio = n / self.n
        cost = CALL + self.line * ratio + self.square * ratio**self.growth
        return cost + (2 * CALL + self.scoring * ratio * scored if scored else 0.0)

    def mean(self, rungs):
        return np.mean([self.score[rung] for rung in rungs])


def ranked(choices, rungs):
    """The best first; of equal scores that with fewer support vectors; one constant at most."""
    order = sorted(choices, key=lambda c: (-c.mean(rungs), c.n_support, c.number))
    constant = [c for c in order if all(c.constant[rung] for rung in rungs)][1:]
    return [c for c in order if c not in constant] + constant


def near(order, rungs, n_test, n_errors):
    """Those within some standard errors of the first one; ``n_test``: samples of each score."""
    variance = sum(order[0].score[r] * (1 - order[0].score[r]) / n_test[r] for r in rungs)
    least = order[0].mean(rungs) - n_errors * np.sqrt(variance) / len(rungs)
    return [c for c in order if c is order[0] or c.mean(rungs) >= least]


def cheapest(order, rungs, n_test):
    """Return the cheapest choice within a quarter of the standard error; costs are rounded."""
    return min(
        near(order, rungs, n_test, 0.25),
        key=lambda c: (
            all(c.constant[r] for r in rungs), np.round(np.log2(1 + c.line + c.square)),
            order.index(c),
        ),
    )  # fmt: skip


def neighbours(centre, choices):
    """One step in one parameter, or up in one and down in another."""
    names = sorted(centre.params)
    ranks = np.column_stack(
        [np.unique([c.params[n] for c in choices], return_inverse=True)[1] for n in names]
    )
    steps = [s for s in product((-1, 0, 1), repeat=len(names))
             if sorted(filter(None, s)) in ([-1], [1], [-1, 1])]  # fmt: skip
    return [
        other for other, there in zip(choices, ranks)
        if tuple(there - ranks[choices.index(centre)]) in steps
    ]  # fmt: skip


def affordable(order, cost, budget, least=0):
    kept, left = [], budget
    for choice in order:
        if cost(choice) <= left or len(kept) < least and cost(choice) <= budget:
            kept.append(choice)
            left -= cost(choice)
    return kept


def search(estimator, settings, X, y, folds, n_folds, ends, share, max_cost, free, parts):
    """Return the comparisons, pairs of a rung and the score of each candidate, and the winner.

    ``folds``: training and test samples; ``ends``: training samples of the rungs. ``share``: of
    the rarest class. ``parts``: of the budget, for a rung and for the first folds; the number of
    candidates that a rung leaves in any case; and the size of folds as a multiple of a rung.
    """
    choices = [Choice(*pair) for pair in enumerate(settings)]
    log, n_test, (by_rung, by_folds, least, farthest) = [], {}, parts

    def compare(racing, rung, train, test):
        for c in racing:
            c.fit(clone(estimator).set_params(**c.params), X[train], y[train])
            c.test(rung, X[test], y[test])
        n_test[rung] = len(test)
        log.append((rung, {c.number: c.score[rung] for c in racing}))

    def left(unit):
        return max(max_cost * unit, free) - sum(c.spent for c in choices) - unit

    def of_folds(c, scored=1.0):
        return n_folds * c.cost(len(folds[0][0]), scored)

    def n_scored(end):
        return min(len(folds[0][1]), max(FEWEST_SCORED, PER_SAMPLE * end, int(20 / share)))

    racing = choices
    for rung, end in enumerate(ends):
        compare(racing, rung, folds[0][0][:end], folds[0][1][: n_scored(end)])
        order = ranked(racing, [rung])
        for c in racing:
            c.last, c.last_score = rung, c.score[rung]
        unit = np.exp(np.mean([np.log(c.cost(len(X))) for c in near(order, [rung], n_test, 1)]))
        more = len(folds[0][1]) / n_scored(end)
        part = by_folds * left(unit)
        racing = affordable(order, partial(of_folds, scored=more), part, least) or order[:1]
        is_near = len(folds[0][0]) <= farthest * end
        if len(racing) == len(order) and is_near or end == ends[-1]:
            break
        more = n_scored(ends[rung + 1]) / n_scored(end)
        budget = by_rung * max(max_cost * unit, free)
        cost = partial(Choice.cost, n=ends[rung + 1], scored=more)
        racing = affordable(order, cost, budget, least) or order[:1]
    first, done, n_rounds = rung + 1, set(), 1
    begin = first
    while True:
        for rung in range(begin, begin + n_folds):
            compare(racing, rung, *folds[rung - first])
            rungs = range(first, rung + 1)
            for c in racing:
                c.last, c.last_score = rung, c.mean(rungs)
            known = ranked([c for c in choices if rung in c.score], rungs)
            racing = [c for c in racing if c in near(known, rungs, n_test, 2.0)]
            if not racing:
                break
        last = max(c.last for c in choices)
        rungs = range(first, last + 1)
        order, racing = ranked([c for c in choices if c.last == last], rungs), []
        budget = left(cheapest(order, rungs, n_test).cost(len(X)))
        for centre in near(order, rungs, n_test, 0.25) if n_rounds == 1 else []:
            if not racing and centre not in done:
                done.add(centre)
                found = [c for c in neighbours(centre, choices) if first not in c.score]
                found.sort(key=lambda c: (-c.last, -c.last_score))
                racing = affordable(found, of_folds, budget)
        begin = first
        if not racing:
            kept = near(order, rungs, n_test, 1.0)
            racing, begin = affordable(kept, of_folds, budget), last + 1
            if len(racing) < 2 or begin - first + n_folds > len(folds):
                return log, cheapest(order, rungs, n_test).number
            n_rounds += 1


def stream(estimator, settings, X, y, ends, least):
    """Return the scores at the rungs, and the winner: scored on a rung, then trained on it."""
    racing, log, begin = [Choice(*pair) for pair in enumerate(settings)], [], 0
    for c in racing:
        c.model = clone(estimator).set_params(**c.params)
    for rung, end in enumerate(ends):
        part, last = slice(begin, end), rung - 1
        if rung:
            for c in racing:
                c.test(last, X[part], y[part])
            log.append((last, {c.number: c.score[last] for c in racing}))
            order = ranked(racing, [last])
            racing = order[: max(least, (len(order) + 1) // 2)]
        if rung + 1 == len(ends):
            return log, cheapest(order, [last], {last: end - begin}).number
        for c in racing:
            c.model.partial_fit(X[part], y[part], classes=np.unique(y))
            c.note_trained(X.shape[1])
        begin = end
    raise AssertionError("No rung.")
