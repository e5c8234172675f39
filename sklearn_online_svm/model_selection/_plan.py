"""A search over rows that are all at hand: which rows, in which steps."""

import math
from numbers import Integral, Real

import numpy as np
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit, check_cv

from ._race import Part

__all__ = ["Folds", "Run", "first_rows", "folds_of", "planned", "rungs"]

# Rows of the first rung where nothing is said, and for each class.
FIRST_ROWS = 250
ROWS_OF_A_CLASS = 20
# Of few rows the first rung has such a part, and no fewer than this.
FIRST_PART = 16
FEWEST_ROWS = 30


def first_rows(n_rows, n_classes):
    """Rows of the first rung; ``n_rows`` is None where a stream has no end."""
    wanted = max(FIRST_ROWS, ROWS_OF_A_CLASS * n_classes)
    if n_rows is None:
        return wanted
    fewest = max(FEWEST_ROWS, ROWS_OF_A_CLASS * n_classes // 2)
    return max(1, min(wanted, max(fewest, n_rows // FIRST_PART), n_rows // 2))


def rungs(n_rows, first, factor, *, exact):
    """Return the numbers of rows at which candidates are compared; the last one is ``n_rows``.

    ``exact``: the first rung has ``first`` rows; else about as many, so that all steps are equal.
    """
    if first >= n_rows:
        return [n_rows]
    n_steps = max(1, round(math.log(n_rows / first, factor)))
    begin = first if exact else n_rows / factor**n_steps
    ends = {max(1, round(begin * factor**k)) for k in range(n_steps)}
    return [*sorted(end for end in ends if end < n_rows), n_rows]


def places(n_candidates, n_comparisons):
    """Candidates that go on after each comparison but the last, which one survives."""
    return [
        max(1, round(n_candidates ** (1 - k / n_comparisons))) for k in range(1, n_comparisons)
    ]


class Folds:
    """Which rows are learnt, in their order, and which are for scores.

    Parameters
    ----------
    order : ndarray of int
        All rows, in the order of learning.
    held : list of ndarray of int
        For each model the rows that it is scored on and does not learn. Empty: there is one
        model, which is scored on all rows before it learns them.
    """

    def __init__(self, order, held=()):
        self.all_rows, self.held = order, list(held)
        self.order = order
        if len(self.held) == 1:
            self.order = order[~np.isin(order, self.held[0])]

    @property
    def is_progressive(self):
        return not self.held

    def learning(self, first, last):
        """Return the rows that each model learns of a stretch of the order."""
        rows = self.order[first:last]
        if len(self.held) > 1:
            return [rows[~np.isin(rows, held)] for held in self.held]
        return [rows]

    def check(self, first):
        """Refuse a first rung in which a model would learn nothing."""
        for number, rows in enumerate(self.learning(0, first)):
            if not len(rows):
                raise ValueError(
                    f"All of the first {first} rows are in the test part of split {number} of cv: "
                    "its model would learn nothing. shuffle=True mixes them."
                )

    def scoring(self, first, last):
        """Return the rows that each model is scored on, before it learns a stretch."""
        return self.held or [self.order[first:last]]


def folds_of(scores, cv, order, y, *, is_classifier, split, random):
    """Return the folds that ``scores`` and ``cv`` ask for; ``split`` are arguments for ``cv``."""
    if scores == "progressive":
        if cv is not None:
            raise ValueError(
                f"cv is for scores='holdout' or 'cv', got cv={cv!r} with scores='progressive'."
            )
        return Folds(order)
    if scores == "holdout" and isinstance(cv, Integral):
        raise ValueError(
            f"cv must be a share of the rows, or a splitter, where scores='holdout', got {cv!r}. "
            "scores='cv' takes a number of folds."
        )
    if scores == "cv" and isinstance(cv, Real) and not isinstance(cv, Integral):
        raise ValueError(f"cv must be a number of folds where scores='cv', got {cv!r}.")
    if scores == "holdout" and (cv is None or isinstance(cv, Real)):
        kind = StratifiedShuffleSplit if is_classifier else ShuffleSplit
        cv = kind(n_splits=1, test_size=0.2 if cv is None else cv, random_state=random)
    cv = check_cv(cv, y, classifier=is_classifier)
    held = [test for _, test in cv.split(np.zeros((len(order), 1)), y, **split)]
    if scores == "holdout" and len(held) != 1:
        raise ValueError(
            f"cv must have one split where scores='holdout', got {len(held)} of {cv!r}. "
            "scores='cv' takes several."
        )
    if scores == "cv" and len(held) < 2:
        raise ValueError(
            f"cv must have two splits or more where scores='cv', got {len(held)} of {cv!r}."
        )
    return Folds(order, held)


def planned(folds, targets, n_candidates):
    """Return the steps of a search: names of methods of :class:`Run`, and their arguments.

    Rows that are scored before they are learnt are no use after the last comparison, nor before
    anything has been learnt; rows that are held out are.
    """
    stretches = list(zip([0, *targets[:-1]], targets))
    n_comparisons = len(targets) - folds.is_progressive
    ways_out = [("cut", n) for n in places(n_candidates, max(1, n_comparisons))] + [("decide",)]
    comparisons = iter(ways_out[:n_comparisons])
    steps = []
    for stretch in stretches:
        before = folds.is_progressive and stretch[0] > 0
        if before:
            steps += [("compare", *stretch), next(comparisons)]
        steps.append(("learn", *stretch))
        if not folds.is_progressive:
            steps += [("compare", *stretch), next(comparisons)]
    return [*steps, ("learn_rest", targets[-1]), ("finish",)]


class Run:
    """A search on its way through its steps; one that was interrupted is taken again.

    Parameters
    ----------
    race : Race
    table : Table
    folds : Folds
    steps : list of tuples
    """

    def __init__(self, race, table, folds, steps):
        self.race, self.table, self.folds, self.steps = race, table, folds, steps
        self.at, self.parts = 0, {}

    def go_on(self, over):
        """Take all steps that are left.

        ``over(race)`` is called when a comparison is over; if it returns True the best goes on
        alone.
        """
        while self.at < len(self.steps):
            name, *arguments = self.steps[self.at]
            getattr(self, name)(*arguments)
            self.at += 1
            if name in ("cut", "decide") and over(self.race) and name == "cut":
                self.end_early()

    def end_early(self):
        """Go on with the best alone."""
        self.race.decide()
        left = self.steps[self.at :]
        self.steps = [step for step in left if step[0] not in ("compare", "cut", "decide")]
        self.at = 0

    def learn(self, first, last):
        self.race.learn(self.part("learning", first, last), last)

    def compare(self, first, last):
        self.race.compare(self.part("scoring", first, last))

    def part(self, purpose, first, last):
        """Return a part of the table, the same object as long as it has the same rows."""
        key = (first, last) if self.folds.is_progressive else (purpose, first, last)
        if purpose == "scoring" and self.folds.held:
            key = purpose
        if key not in self.parts:
            rows = getattr(self.folds, purpose)(first, last)
            # Of the others only the rows that are held out come back.
            self.parts = {k: part for k, part in self.parts.items() if k == "scoring"}
            self.parts[key] = Part(self.table, rows)
        return self.parts[key]

    def cut(self, n_places):
        self.race.cut(n_places)
        self.table.keep_prepared({candidate.preparation for candidate in self.race.alive})

    def decide(self):
        self.race.decide()
        self.table.keep_prepared({candidate.preparation for candidate in self.race.alive})

    def without_rows(self):
        """Let go of the rows: who goes on has to give them again."""
        self.parts = {}
        self.table.X = self.table.y = None
        self.table.keep_prepared(())

    def with_rows(self, X, y):
        """Take the rows again."""
        self.table.X, self.table.y = X, y
        return self

    def learn_rest(self, first):
        """Have the best learn what it has not: rows beyond the race, and those held out."""
        best, n_parts = self.race.alive[0], self.race.n_parts
        rows = self.folds.order[first:]
        if len(self.folds.held) == 1:
            rows = np.concatenate([rows, self.folds.held[0]])
        elif self.folds.held:
            rows = self.folds.order
            if len(best.models) > 1:
                best.restart(1, n_parts)
        if len(rows):
            self.race.learn(Part(self.table, [rows]), self.race.n_rows + len(rows))

    def finish(self):
        """Solve to the end what can be solved."""
        best = self.race.alive[0]
        model = best.models[0]
        if getattr(model, "interrupted_", False):
            model.resume()
        elif hasattr(model, "finish") and getattr(model, "finishing", True):
            model.finish()
