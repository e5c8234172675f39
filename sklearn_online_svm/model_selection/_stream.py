"""A search along a stream: rows that wait for their rung, and the model that users hold."""

import numpy as np
from scipy import sparse
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from ._candidates import Table
from ._race import Part

__all__ = ["Stream"]


class Stream:
    """Candidates in a race whose rows come in chunks of any size.

    A rung is taken when all of its rows are there. Meanwhile a twin of the best learns them: it is
    what users hold. When one candidate is left, it learns rows as they come, and nothing waits.

    Parameters
    ----------
    race : Race
        Whose candidates have not learnt anything, or one that is over.
    course : Course
    """

    def __init__(self, race, course):
        self.race, self.course = race, course
        self.everyone = list(race.alive)
        self.waiting = []
        # Rows of the present rung, and what is left to do with them.
        self.rung = None
        self.n_rungs = 0
        self.twin = None

    @property
    def is_over(self):
        """Whether one is left, who learns rows as they come."""
        goes_on = self.course.n_challengers and not self.course.is_last(self.n_rungs - 1)
        return len(self.race.alive) == 1 and not goes_on and self.rung is None

    @property
    def is_behind(self):
        """Whether there is something to do without further rows."""
        if self.rung is not None or self.is_over:
            return self.rung is not None or bool(self.waiting)
        return self.n_waiting >= self.course.length(self.n_rungs)

    @property
    def n_waiting(self):
        return sum(_num_samples(table.X) for table in self.waiting)

    # ---------------------------------------------------------------------------- rows

    def take(self, table):
        """Let rows wait for their turn, and have the model that is shown learn them.

        Rows that it refuses are not taken, nor where an interrupt comes meanwhile. When one is
        left the rows wait for ``advance`` alone.
        """
        if not self.is_over:
            if self.waiting:
                refuse_another_kind(self.waiting[0], table)
            shown = self.shown()
            try:
                self.learn(shown, table)
            except BaseException:
                self.twin = None  # it is made again
                raise
        self.waiting.append(table if self.is_over else table.copied())

    def learn(self, candidate, table):
        """Have one candidate alone learn rows."""
        if not candidate.preparation.is_fitted:
            candidate.preparation.fit(table.X, table.y, slice(None))
        rows = np.arange(_num_samples(table.X))
        X, y, arguments, _ = table.take(candidate.preparation, rows)
        candidate.learn(0, X, y, arguments, self.race.classes, wholly=False)

    def shown(self):
        """Return the best, or its twin, which has learnt the rows that wait, too."""
        best = self.race.best()
        if self.is_over:
            return best
        if self.twin is None:
            twin = best.twin()
            # In the midst of a rung, after an interrupt, it may not have learnt that either.
            midst = self.rung is not None and best.n_learnt[0] == self.race.n_parts
            for table in [self.rung[0], *self.waiting] if midst else self.waiting:
                self.learn(twin, table)
            self.twin = twin
        return self.twin

    # ---------------------------------------------------------------------------- rungs

    def advance(self, report):
        """Take all rungs whose rows are there; when one is left, the rows that wait."""
        while self.is_behind:
            if self.is_over:
                self.learn_waiting()
                return
            if self.rung is None:
                table, waiting = self.next_rung()
                steps = self.course.steps(self.n_rungs, len(self.everyone))
                self.rung, self.waiting = (table, steps), waiting
                self.n_rungs += 1
            table, steps = self.rung
            part = Part(table, [np.arange(_num_samples(table.X))])
            while steps:
                self.take_step(part, *steps[0])
                if steps.pop(0)[0] in ("cut", "decide"):
                    report()
            self.rung, self.twin = None, None

    def learn_waiting(self):
        """Have the one that is left learn the rows that wait; those that it refuses are lost."""
        while self.waiting:
            try:
                self.learn(self.race.alive[0], self.waiting[0])
            except Exception:
                self.waiting.pop(0)
                raise
            except BaseException:
                self.waiting = [table.copied() for table in self.waiting]
                raise
            self.waiting.pop(0)

    def take_step(self, part, name, *arguments):
        race = self.race
        if name == "learn":
            race.fit_transformers(part.table.X, part.table.y, slice(None))
            race.learn(part, self.course.end(self.n_rungs - 1))
        elif name == "compare":
            race.compare(part)
        elif name == "cut":
            race.cut(*arguments)
        elif name == "decide":
            race.decide()
        elif name == "join":
            left = [c for c in self.everyone if c not in race.alive and c.error is None]
            n = min(len(left), max(0, race.rules.floor + arguments[0] - len(race.alive)))
            chosen = self.course.random.choice(len(left), n, replace=False)
            race.join([left[k] for k in chosen])

    def next_rung(self):
        """Return the rows of a rung, and those that wait behind them."""
        n, length, taken = 0, self.course.length(self.n_rungs), []
        left = list(self.waiting)
        while n < length:
            taken.append(left.pop(0))
            n += _num_samples(taken[-1].X)
        if n > length:
            last = taken.pop()
            size = _num_samples(last.X) - (n - length)
            taken.append(part_of(last, slice(0, size)))
            left.insert(0, part_of(last, slice(size, None)))
        return joined(taken), left


class Course:
    """How a race along a stream goes: its rungs, and who leaves at each.

    Parameters
    ----------
    first : int
        Rows of the first rung.
    factor : float
        By which rows grow from rung to rung, and candidates become fewer.
    most : float
        Rows after which the best goes on alone.
    floor : int
        Candidates that stay.
    n_challengers : int
        Candidates that begin anew with each rung when there are no more than ``floor``.
    random : RandomState
        Draws these.
    """

    def __init__(self, first, factor, most, floor, n_challengers, random):
        self.first, self.factor, self.most = first, factor, most
        self.floor, self.n_challengers, self.random = floor, n_challengers, random
        self.n_growing = None

    def grows_until(self, n_candidates):
        """Say how many candidates there are: rungs grow until the race is down to its floor."""
        n_growing, n_left = 0, n_candidates
        while n_left > self.floor:
            n_growing, n_left = n_growing + 1, n_left / self.factor
        self.n_growing = n_growing
        return self

    def end(self, rung):
        """Rows that have been learnt when a rung is over."""
        grown = min(rung, self.n_growing)
        return self.grown(grown) + (rung - grown) * self.longest()

    def grown(self, rung):
        # A factor near 1 adds a row at least.
        return max(self.first + rung, round(self.first * self.factor**rung))

    def longest(self):
        grown = self.n_growing
        return self.grown(grown) - (self.grown(grown - 1) if grown else 0)

    def is_last(self, rung):
        """Whether the best goes on alone after a rung, whoever else might come."""
        return rung > 0 and self.end(rung) >= self.most

    def length(self, rung):
        """Rows of a rung."""
        return self.end(rung) - (self.end(rung - 1) if rung else 0)

    def steps(self, rung, n_candidates):
        """Return what is done at a rung: names of steps, and their arguments."""
        if rung == 0:
            return [("learn",)]
        n_places = max(self.floor, int(np.ceil(n_candidates / self.factor**rung)))
        is_last = self.is_last(rung)
        ends = is_last or (n_places == 1 and not self.n_challengers)
        steps = [("compare",), ("decide",) if ends else ("cut", n_places)]
        if self.n_challengers and n_places <= self.floor and not is_last:
            steps.append(("join", self.n_challengers))
        return [*steps, ("learn",)]


def refuse_another_kind(table, other):
    """Raise an error where rows cannot be joined with those that wait."""
    if hasattr(table.X, "iloc") != hasattr(other.X, "iloc"):
        raise ValueError(
            f"X must be of one kind all along a stream, got {type(other.X).__name__} after "
            f"{type(table.X).__name__}."
        )
    if table.learning.keys() != other.learning.keys():
        raise ValueError(
            "Metadata must be the same all along a stream, got "
            f"{sorted(other.learning)} after {sorted(table.learning)}."
        )


def part_of(table, rows):
    """Return some rows of a table."""
    learning = {name: _safe_indexing(values, rows) for name, values in table.learning.items()}
    scoring = {
        metric: {name: _safe_indexing(values, rows) for name, values in given.items()}
        for metric, given in table.scoring.items()
    }
    y = None if table.y is None else _safe_indexing(table.y, rows)
    return Table(_safe_indexing(table.X, rows), y, learning, scoring)


def joined(tables):
    """Return one table of the rows of several."""
    if len(tables) == 1:
        return tables[0]
    first = tables[0]
    y = None if first.y is None else stacked([table.y for table in tables])
    return Table(
        stacked([table.X for table in tables]),
        y,
        {name: stacked([table.learning[name] for table in tables]) for name in first.learning},
        {
            metric: {
                name: stacked([table.scoring[metric][name] for table in tables]) for name in given
            }
            for metric, given in first.scoring.items()
        },
    )


def stacked(parts):
    """Put rows one below the other: arrays, sparse matrices, data frames, lists."""
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack([sparse.csr_matrix(part) for part in parts], format="csr")
    if hasattr(parts[0], "iloc"):
        from pandas import concat

        return concat(parts)
    if isinstance(parts[0], list):
        return [row for part in parts for row in part]
    return np.concatenate(parts)
