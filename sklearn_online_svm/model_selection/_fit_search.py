"""The steps of ``fit``: a race on parts of the samples, then the neighbours of its winner."""

import numpy as np

from .. import _limits
from .._transactions import PostponedInterrupts
from ._race import mean_of
from ._samples import FEW_SAMPLES, Split, n_scored_at, smallest_share

# Parts of the budget: of one rung at most, and of the first comparison at full size.
RUNG_PART, FIRST_PART = 0.06, 0.4
# The cost at full size is extrapolated from rungs with at least one part in so many.
FARTHEST = 8
# Candidates left by a rung, at least.
LEAST_LEFT = 3


class FitSearch:
    """A search in one training set.

    Candidates are fitted to growing parts of the first split, and the worst ones are eliminated,
    until the others can be compared at full size. Then the best one is compared with its
    neighbours, and so on from a better one, as far as the budget allows.

    ``ends``: training samples at the rungs.
    ``folds``: training and test samples of the comparison at full size, perhaps of several rounds
    of ``n_folds``.
    ``rung``: number of the present rung; folds continue the numbers of the rungs.
    ``n_rungs``: number of rungs before the folds, None as long as it is not known.
    ``winner``: None as long as candidates are compared.
    """

    def __init__(self, race, samples, ends, folds, n_folds, neighbours):
        self.race, self.samples, self.ends = race, samples, ends
        self.folds, self.n_folds, self.neighbours = folds, n_folds, neighbours
        self.share = 1.0 if race.classes is None else smallest_share(samples.y)
        self.rung, self.n_rungs, self.winner = 0, None, None
        if not ends or len(race.candidates) == 1:
            self.n_rungs = 0
        self.is_over = False
        self._unit, self._splits = 0.0, {}

    # ---------------------------------------------------------------------------- steps

    def advance(self, report):
        """Take all steps; a step that was interrupted is repeated by the next call.

        ``report()`` is called after each comparison; if it returns True, the best candidate so far
        wins.
        """
        race = self.race
        while self.winner is None:
            split = self._split(self.rung)
            race.fit(split, self.rung)
            # None is left if all neighbours have failed.
            for best in race.ranked(race.racing, [self.rung])[:1]:
                race.add_standard_error(split, best, self.rung)
            with PostponedInterrupts():
                if not split.keeps_data:
                    split.release()
                self._record(len(split.train))
                self._continue()
            if report() and self.winner is None:
                self._decide()
        if not self.is_over:
            self._fit_winner()

    def _split(self, rung):
        """Return the samples of a rung or fold."""
        if rung not in self._splits:
            if self._is_fold(rung):
                keeps_data = len(self.samples) <= FEW_SAMPLES
                train, test = self.folds[rung - self.n_rungs]
            else:
                keeps_data, (train, test) = False, self.folds[0]
                train, test = train[: self.ends[rung]], test[: self._n_scored(self.ends[rung])]
            self._splits[rung] = Split(self.samples, train, test, keeps_data=keeps_data)
        return self._splits[rung]

    def _is_fold(self, rung):
        return self.n_rungs is not None and rung >= self.n_rungs

    def _n_scored(self, n_trained):
        return min(len(self.folds[0][1]), n_scored_at(n_trained, self.share))

    def _compared_on(self, rung):
        """Return the rungs whose mean score counts after a rung: the folds so far."""
        return [rung] if not self._is_fold(rung) else list(range(self.n_rungs, rung + 1))

    def _record(self, n_samples):
        """Record the scores of the present rung, and release all models but the best one."""
        race, rungs = self.race, self._compared_on(self.rung)
        for candidate in race.ranked(race.racing, rungs):
            scores = mean_of(candidate, rungs)
            candidate.record(self.rung, n_samples, scores, race.standard_error(candidate, rungs))
        best = race.leader()
        for candidate in race.candidates:
            if candidate is not best and candidate.model is not None:
                candidate.release()

    def _fit_winner(self):
        """Fit the winner to all samples."""
        winner, everything = self.winner, np.arange(len(self.samples))
        split = Split(self.samples, everything, everything[:0])
        split.prepare(winner.step)
        winner.fit(*split.training(winner.step), split.fitted.of_pipeline(winner.step), "all")
        for candidate in self.race.candidates:
            if candidate is not winner:
                candidate.release()
        self.is_over = True

    # ---------------------------------------------------------------------------- decisions

    def _continue(self):
        """Decide what is compared next."""
        if not self._is_fold(self.rung):
            self._eliminate()
            return
        race, rungs = self.race, self._compared_on(self.rung)
        known = [c for c in race.candidates if self.rung in c.scores]
        near = race.near(race.ranked(known, rungs), rungs, _limits.MOST_ERRORS_BELOW)
        race.racing = [candidate for candidate in race.racing if candidate in near]
        if race.racing and len(rungs) % self.n_folds:
            self.rung += 1
        else:
            self._seek()

    def _eliminate(self):
        """Begin the comparison at full size if that is cheap; otherwise keep the best."""
        race, end = self.race, self.ends[self.rung]
        ranked = race.ranked(race.racing, [self.rung])
        if not ranked:
            self._decide()
            return
        # The winner is not known: the mean cost of those that it may be.
        near = race.near(ranked, [self.rung], 1.0)
        costs = [candidate.predicted_cost(len(self.samples)) for candidate in near]
        self._unit = float(np.exp(np.mean(np.log(costs))))
        more_scored = len(self.folds[0][1]) / self._n_scored(end)
        kept = self._affordable(ranked, FIRST_PART * self._left(), more_scored, LEAST_LEFT)
        self.rung += 1
        is_near = len(self.folds[0][0]) <= FARTHEST * end
        if len(kept) == len(ranked) and is_near or self.rung == len(self.ends):
            race.racing, self.n_rungs = kept or ranked[:1], self.rung
            return
        later = self.ends[self.rung]
        more_scored = self._n_scored(later) / self._n_scored(end)
        kept = _affordable(
            ranked,
            lambda candidate: candidate.predicted_cost(later, more_scored),
            RUNG_PART * self._budget(),
            LEAST_LEFT,
        )
        race.racing = kept or ranked[:1]

    def _budget(self):
        return max(self.race.rules.max_cost * self._unit, _limits.FREE_NS)

    def _left(self):
        """Return what is left of the budget besides the fit of the winner."""
        return self._budget() - self.race.cost - self._unit

    def _affordable(self, ranked, left, more_scored=1.0, least=0):
        """Return the best candidates for which a round of folds is affordable.

        ``more_scored``: samples that are scored, as a multiple of those that were last scored.
        """
        n_samples = len(self.folds[0][0])
        # The cost of new candidates is not known.
        known = [candidate for candidate in self.race.candidates if candidate.cost]
        new = np.median([c.predicted_cost(n_samples, more_scored) for c in known])

        def cost(candidate):
            own = candidate.predicted_cost(n_samples, more_scored) if candidate.cost else new
            return self.n_folds * own

        return _affordable(ranked, cost, left, least)

    def _compared(self):
        """Return the candidates with the most folds, the best ones first, and these folds."""
        known = [c for c in self.race.candidates if c.scores and c.error is None]
        last = max(max(candidate.scores) for candidate in known)
        rungs = self._compared_on(last)
        return self.race.ranked([c for c in known if last in c.scores], rungs), rungs

    def _seek(self):
        """Compare neighbours of the best candidates next."""
        race, (ranked, rungs) = self.race, self._compared()
        self._unit = race.winner(ranked, rungs).predicted_cost(len(self.samples))
        left = self._left()
        # Further rounds of folds are for the best candidates only.
        is_first = len(rungs) <= self.n_folds
        centres = race.near(ranked, rungs, _limits.EQUAL_ERRORS) if is_first else []
        for centre in centres:
            found = [
                candidate
                for candidate in self.neighbours.of(centre, race)
                if candidate.error is None and self.n_rungs not in candidate.scores
            ]
            found.sort(key=_last_score, reverse=True)
            race.racing = self._affordable(found, left)
            if race.racing:
                self.rung = self.n_rungs
                return
        self._repeat(ranked, rungs, left)

    def _repeat(self, ranked, rungs, left):
        """Compare the best candidates by further folds, if there are some; end otherwise."""
        near, n_compared = self.race.near(ranked, rungs, 1.0), rungs[-1] + 1 - self.n_rungs
        kept = self._affordable(near, left)
        if len(kept) > 1 and n_compared + self.n_folds <= len(self.folds):
            self.race.racing, self.rung = kept, rungs[-1] + 1
        else:
            self._decide()

    def _decide(self):
        race = self.race
        self.winner = race.winner(*self._compared())
        race.racing = [self.winner]
        self._splits.clear()

    # ---------------------------------------------------------------------------- interrupts

    def release_samples(self):
        """Release the samples, which are passed again to continue."""
        self.samples.X = self.samples.y = None
        for split in self._splits.values():
            split.release()
        for candidate in self.race.candidates:
            if candidate.step is not None:  # transformers are fitted again
                candidate.fitted_rung = None


def _affordable(ranked, cost, budget, least):
    """Return the best candidates whose costs the budget allows.

    ``least``: so many are kept if each of them is within the budget.
    """
    kept, left = [], budget
    for candidate in ranked:
        own = cost(candidate)
        if own <= left or len(kept) < least and own <= budget:
            kept.append(candidate)
            left -= own
    return kept


def _last_score(candidate):
    """Return the last rung of a candidate, and its score there."""
    if not candidate.entries:
        return -1, -np.inf
    last = candidate.entries[-1]
    return last.rung, np.nan_to_num(last.scores.value, nan=-np.inf)
