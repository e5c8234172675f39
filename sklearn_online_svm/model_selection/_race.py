"""Successive halving over a stream: who learns, who is compared with whom, and who stays.

A step that was begun is not done twice: each candidate counts what it has learnt, so one that an
interrupt has ended is simply called again.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import FitFailedWarning

from ._companies import Company, companies_of
from ._judging import differences
from ._results import Results

__all__ = ["Part", "Race", "Rules", "cost"]

# So much less than those of the next one do rows of a comparison weigh.
FADING = 0.5
# Candidates that may stay because they are within a standard error, for each that has a place.
SLACK = 0.25


class Part:
    """A part of a stream.

    Parameters
    ----------
    table : Table
    rows : list of ndarray
        For each model of a candidate the rows that it learns, or is scored on.
    """

    def __init__(self, table, rows):
        self.table, self.rows = table, rows
        self.taken = {}

    def of(self, preparation, fold):
        """Return X, y and arguments as the model of a fold wants them; they are made once."""
        key = preparation, fold
        if key not in self.taken:
            self.taken[key] = self.table.take(preparation, self.rows[fold])
        return self.taken[key]


@dataclass(frozen=True)
class Rules:
    """What a race goes by.

    ``fading``: whether rows of former comparisons count, and less with each; else each comparison
    is made on the same rows and stands for itself. ``cheapest``: of those within one standard
    error of the best the cheapest wins. ``error_score``: score of who fails, or ``"raise"``.
    """

    floor: int = 1
    fading: bool = True
    cheapest: bool = False
    error_score: object = np.nan
    n_jobs: object = None


class Race:
    """Candidates that learn one stream, and leave it one after the other.

    Parameters
    ----------
    candidates : list of Candidate
    judge : Judge
    rules : Rules
    classes : ndarray or None
        Labels of the stream.
    """

    def __init__(self, candidates, judge, rules, classes):
        self.alive = list(candidates)
        self.judge, self.rules, self.classes = judge, rules, classes
        # Rows learnt at the end of each part.
        self.ends = []
        self.comparisons, self.results = [], Results()
        # Those who share a stream; None: they have not come together yet.
        self.companies = None

    # ---------------------------------------------------------------------------- the steps

    def fit_transformers(self, X, y, first):
        """Fit those that have not been fitted; see :class:`Preparation`."""
        for candidate in self.alive:
            if candidate.preparation.is_fitted:
                continue
            try:
                candidate.preparation.fit(X, y, first)
            except Exception as error:
                self.failed(candidate, error)
        self.drop_failed()

    def learn(self, part, n_rows):
        """Have all learn a part of the stream; ``n_rows`` is where it ends."""
        if n_rows <= self.n_rows:
            return  # it was over when an interrupt came
        todo = [
            (candidate, fold)
            for candidate in self.alive
            for fold in range(len(candidate.models))
            if candidate.n_learnt[fold] == self.n_parts
        ]
        todo = [one for one in todo if self.prepare(part, *one)]
        self.meet(part)
        together = [company for company in self.companies if company.candidates]
        in_company = {(c, company.fold) for company in together for c in company.candidates}
        work = [company for company in together if (company.candidates[0], company.fold) in todo]
        work += [one for one in todo if one not in in_company]
        self.all_at_once(lambda one: self.learn_work(one, part), work)
        self.drop_failed()
        self.ends.append(n_rows)

    @property
    def n_parts(self):
        """Parts of the stream that all have learnt."""
        return len(self.ends)

    @property
    def n_rows(self):
        """Rows that all have learnt."""
        return self.ends[-1] if self.ends else 0

    def compare(self, part):
        """Score all on a part of the stream, and note how they have done."""
        number = len(self.comparisons)
        todo = [
            candidate
            for candidate in self.alive
            if number not in candidate.marks
            and all(self.prepare(part, candidate, fold) for fold in range(len(candidate.models)))
        ]
        self.meet(part)
        answers = {}
        together = [company for company in self.companies if company.candidates]
        self.all_at_once(lambda company: self.ask(company, part, answers), together)
        self.all_at_once(lambda candidate: self.score_one(candidate, part, number, answers), todo)
        self.drop_failed()
        self.comparisons.append(Comparison(list(self.alive), self.n_rows, self.weights()))

    def cut(self, n_places):
        """Let only so many go on, and of those close behind them a quarter as many."""
        last = self.comparisons[-1]
        ranked = last.ranked()
        n_places = min(len(ranked), max(n_places, self.rules.floor))
        kept, others = ranked[:n_places], ranked[n_places:]
        if n_places > 1 and others:
            difference, error = last.against(others, kept[-1])
            close = [c for c, d, e in zip(others, difference, error) if d >= -e]
            kept += close[: int(SLACK * n_places)]
        self.go_on(kept)

    def decide(self):
        """End the race: the winner of the last comparison is the only one left."""
        last = self.comparisons[-1]
        ranked = [candidate for candidate in last.ranked() if candidate in self.alive]
        winner = ranked[0]
        if self.rules.cheapest:
            difference, error = last.against(ranked, winner)
            close = [c for c, d, e in zip(ranked, difference, error) if d >= -e]
            winner = min(close, key=lambda c: (cost(c), c.number))
        self.go_on([winner])

    def go_on(self, kept):
        """Let the others leave; the comparison is written down."""
        self.results.note(self.comparisons[-1], len(self.comparisons) - 1, kept)
        left = [candidate for candidate in self.alive if candidate not in kept]
        self.alive = sorted(kept, key=lambda candidate: candidate.number)
        self.let_go(left)
        for candidate in left:
            candidate.release()

    def meet(self, part):
        """Let those come together who can learn side by side, if they have not."""
        if self.companies is None:
            self.companies = companies_of(self.alive, part)

    def let_go(self, candidates):
        """Take candidates out of their companies."""
        for company in self.companies or ():
            company.leave(candidates)
        if self.companies:
            self.companies = [company for company in self.companies if company.candidates]

    def __getstate__(self):
        # Stored models are independent; they come together again with the next part.
        return {**self.__dict__, "companies": None}

    def best(self):
        """Return who leads."""
        ranked = self.comparisons[-1].ranked() if self.comparisons else []
        return next((candidate for candidate in ranked if candidate in self.alive), self.alive[0])

    def join(self, candidates):
        """Let some begin anew, with the next part that is learnt."""
        for candidate in candidates:
            candidate.begin(1, self.n_parts)
        self.alive = sorted([*self.alive, *candidates], key=lambda candidate: candidate.number)

    # ---------------------------------------------------------------------------- one by one

    def prepare(self, part, candidate, fold):
        """Have the rows of a part made, before threads want them; whether that worked."""
        try:
            part.of(candidate.preparation, fold)
        except Exception as error:
            self.failed(candidate, error)
        return candidate.error is None

    def ask(self, company, part, answers):
        """Note what those in company say of the rows of a part."""
        try:
            answers.update(company.answers(part))
        except Exception:
            return  # each is asked alone, and fails alone

    def learn_work(self, work, part):
        """Have a company learn, or a model of a candidate that is in none."""
        if not isinstance(work, Company):
            self.learn_one(*work, part)
            return
        members = list(work.candidates)
        try:
            work.learn(part, self)
        except Exception:
            # Those that can learn do so alone.
            for candidate in members:
                self.learn_one(candidate, work.fold, part)

    def learn_one(self, candidate, fold, part):
        X, y, arguments, _ = part.of(candidate.preparation, fold)
        start = perf_counter()
        try:
            candidate.learn(fold, X, y, arguments, self.classes)
        except Exception as error:
            self.failed(candidate, error)
            return
        candidate.has_learnt(fold, perf_counter() - start)

    def score_one(self, candidate, part, number, answers):
        start = perf_counter()
        try:
            folds = []
            for fold, model in enumerate(candidate.models):
                X, y, _, given = part.of(candidate.preparation, fold)
                folds.append((model, X, y, given, answers.get((candidate, fold))))
            candidate.marks[number] = self.judge.marks(folds)
        except Exception as error:
            self.failed(candidate, error)
        candidate.score_seconds += perf_counter() - start

    def failed(self, candidate, error):
        if self.rules.error_score == "raise":
            raise error
        candidate.error = error

    def drop_failed(self):
        """Let those go that have failed; an error where there is nobody left."""
        failed = [candidate for candidate in self.alive if candidate.error is not None]
        if not failed:
            return
        error = failed[0].error
        if len(failed) == len(self.alive):
            for candidate in failed:
                candidate.error = None  # they may try again
            error.add_note(
                f"All {len(failed)} candidates failed; this was the first one, with "
                f"{failed[0].params}."
            )
            raise error
        warnings.warn(
            f"{len(failed)} of {len(self.alive)} candidates failed and have the score "
            f"error_score={self.rules.error_score!r}. The first one, with {failed[0].params}, "
            f"raised {type(error).__name__}: {error}",
            FitFailedWarning,
            stacklevel=4,
        )
        self.let_go(failed)
        self.alive = [candidate for candidate in self.alive if candidate.error is None]
        for candidate in failed:
            self.results.note_failure(candidate, len(self.comparisons), self.n_rows)
            candidate.release()

    def all_at_once(self, operation, todo):
        """Do something for each, in threads where there are several.

        Ctrl-C waits for those that have begun: they end with a whole part.
        """
        n_threads = min(effective_n_jobs(self.rules.n_jobs), len(todo))
        if n_threads <= 1:
            for work in todo:
                operation(work)
            return
        with ThreadPoolExecutor(n_threads) as pool:
            futures = [pool.submit(operation, work) for work in todo]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                for future in futures:
                    future.cancel()
                wait(futures)
                raise

    # ---------------------------------------------------------------------------- standings

    def weights(self):
        """Weight of each comparison that all have been in, by its number, the last one included.

        Comparisons that have no score, as of one class alone, have no weight.
        """
        last = len(self.comparisons)
        numbers = {last}
        if self.rules.fading:
            numbers = set.intersection(*(set(candidate.marks) for candidate in self.alive))
        raw = {
            number: self.alive[0].marks[number].n_rows * FADING ** (last - number)
            for number in sorted(numbers)
            if all(np.isfinite(candidate.marks[number].score) for candidate in self.alive)
        }
        return {number: weight / sum(raw.values()) for number, weight in raw.items()}


class Comparison:
    """How all that are in the race do, by the same rows for all."""

    def __init__(self, candidates, n_resources, weights):
        self.candidates, self.n_resources, self.weights = candidates, n_resources, weights
        # Made now: some may begin anew later.
        self.ranking = sorted(candidates, key=self.place)

    def score(self, candidate, metric=None):
        """Weighted mean of a candidate's scores; nan where there is none."""
        if not self.weights:
            return np.nan
        marks = candidate.marks
        return sum(w * marks[number].of(metric) for number, w in self.weights.items())

    def error(self, candidate):
        """Return the standard error of that mean."""
        marks = candidate.marks
        return np.sqrt(sum(w**2 * marks[number].variance for number, w in self.weights.items()))

    def against(self, candidates, other):
        """Score of some less that of another, and the standard errors of these differences."""
        difference, variance = np.zeros(len(candidates)), np.zeros(len(candidates))
        for number, weight in self.weights.items():
            of = [candidate.marks[number] for candidate in candidates]
            by, square = differences(of, other.marks[number])
            difference += weight * by
            variance += weight**2 * square
        return difference, np.sqrt(variance)

    def place(self, candidate):
        """Return what sorts candidates, the best first; of equal ones those with fewer vectors."""
        score = self.score(candidate)
        return np.isnan(score), -score, np.nan_to_num(candidate.n_support), candidate.number

    def ranked(self):
        """Candidates, the best first."""
        return list(self.ranking)


def cost(candidate):
    """Return what makes a candidate dear: support vectors, else time."""
    n_support = candidate.n_support
    return candidate.fit_seconds if np.isnan(n_support) else n_support
