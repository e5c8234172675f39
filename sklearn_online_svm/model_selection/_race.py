"""Racing: candidates are trained and scored on the same samples, and eliminated by rungs.

Each step can be repeated after an interrupt: candidates count what they have been trained on, and
are not trained or scored twice.
"""

from concurrent.futures import wait
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import FitFailedWarning

from .. import _limits
from .._validation import started_threads, warn
from ._candidates import CALL_NS
from ._comparisons import Comparison, Results, fit_cost_of, size_of
from ._learning_curves import (
    FIRST_GROWTH,
    MOST_GROWTH,
    Neighbourhood,
    chances,
    fit_costs,
    n_survivors,
    predicted_scores,
)
from ._samples import Subset
from ._scoring import N_BLOCKS, compute_scores, jackknife_error, mean_scores, no_scores

__all__ = ["Race", "Rules"]

# Distance in the grid up to which candidates are recalled beside the winner: diagonals included.
ADJACENT = 1.5
# A call of fit costs so many times as much as calls of partial_fit for all samples, about.
FIT_BY_PARTS = 2.0
# What scikit-learn spends on each fit of a grid search beside the fit, in nanoseconds.
GRID_CALL_NS = 1.5e6


@dataclass(frozen=True)
class Rules:
    """Parameters of a race.

    ``cheapest``: the cheapest candidate within one standard error of the best wins.
    ``error_score``: score of a candidate that fails, or ``"raise"``.
    """

    max_cost: float = 8.0
    min_seconds: float = 0.0
    min_candidates: int = 3
    cheapest: bool = False
    error_score: object = np.nan
    n_jobs: object = None


class Race:
    """Candidates that are trained on the same samples.

    Parameters
    ----------
    candidates : list of Candidate
    scorers : dict of callables
        By name; the first one decides.
    rules : Rules
    classes : ndarray or None
        Class labels.
    """

    def __init__(self, candidates, scorers, rules, classes):
        self.candidates, self.alive = list(candidates), list(candidates)
        self.scorers, self.rules, self.classes = scorers, rules, classes
        self.neighbourhood = Neighbourhood([candidate.params for candidate in candidates])
        # Number of completed parts of the training data, and of samples in them.
        self.n_parts = self.n_samples = 0
        self.comparisons, self.results = [], Results()
        # Predicted cost of a fit of each candidate on all samples.
        self.whole_costs = np.full(len(candidates), np.nan)
        self._fold_costs = []  # predicted
        self._is_refitted = False

    # ---------------------------------------------------------------------------- training

    def fit_transformers(self, X, y, first):
        """Fit the transformers that have not been fitted; see :class:`FrozenTransformers`."""
        for candidate in self.alive:
            if candidate.transformers.is_fitted:
                continue
            try:
                candidate.transformers.fit(X, y, first)
            except Exception as error:
                self._failed(candidate, error)
        self._drop_failed()

    def train(self, subset, n_samples):
        """Train all surviving candidates on a part of the data.

        ``n_samples`` is the number of training samples at its end.
        """
        if n_samples <= self.n_samples:
            return  # completed before an interrupt
        self._train(subset, self.alive, self.n_parts)
        self.n_parts, self.n_samples = self.n_parts + 1, n_samples

    def catch_up(self, subset, candidates):
        """Train recalled candidates from the beginning on all previous parts."""
        for candidate in candidates:
            if candidate.model is None:
                candidate.start(self.n_parts - 1)
        self._train(subset, candidates, self.n_parts - 1)
        self.alive = sorted({*self.alive, *candidates}, key=lambda c: c.number)
        self._drop_failed()

    def _train(self, subset, candidates, part):
        todo = [c for c in candidates if c.n_parts == part and c.error is None]
        todo = [candidate for candidate in todo if self._select(subset, candidate)]
        self._in_threads(lambda candidate: self._train_one(subset, candidate), todo)
        self._drop_failed()

    def _train_one(self, subset, candidate):
        X, y, arguments, _ = subset.of(candidate.transformers)
        start = perf_counter()
        try:
            candidate.train(X, y, arguments, self.classes)
        except Exception as error:
            self._failed(candidate, error)
            return
        candidate.finish_part(X, perf_counter() - start)

    def _select(self, subset, candidate):
        """Select the data of a model before threads need them; return whether that worked."""
        try:
            subset.of(candidate.transformers)
        except Exception as error:
            self._failed(candidate, error)
        return candidate.error is None

    # ---------------------------------------------------------------------------- scoring

    def compare(self, subset, number):
        """Score all surviving candidates on the same samples, once for each ``number``."""
        if number < len(self.comparisons):
            return  # completed before an interrupt
        todo = [c for c in self.alive if number not in c.scores and self._select(subset, c)]
        self._in_threads(lambda candidate: self._score_one(subset, candidate, number), todo)
        self._settle_unscored(subset, lambda c, scores: c.scores.update({number: scores}))
        self._drop_failed()
        best = max(self.alive, key=lambda c: np.nan_to_num(c.scores[number].value, nan=-np.inf))
        found = best.scores[number]
        # At the first rung gains are not known, and all chances are equal.
        if number or self.rules.cheapest:
            error = self._standard_error(found, best, subset)
            best.scores[number] = replace(found, standard_error=error)
        self.comparisons.append(Comparison(number, list(self.alive), self.n_samples))

    def _score_one(self, subset, candidate, number):
        start = perf_counter()
        try:
            X, y, _, given = subset.of(candidate.transformers)
            candidate.scores[number] = compute_scores(self.scorers, candidate.model, X, y, given)
        except Exception as error:
            self._unscored(candidate, error)
            return
        candidate.note_scored(X, len(self.scorers), perf_counter() - start)

    def _standard_error(self, scores, best, subset):
        """Return the standard error of the best score, which is the only one that is needed."""
        if not np.isnan(scores.standard_error) or np.isnan(scores.value):
            return scores.standard_error
        X, y, _, given = subset.of(best.transformers)
        name, scorer = next(iter(self.scorers.items()))
        start = perf_counter()
        try:
            error = jackknife_error(scorer, best.model, X, y, given.get(name, {}))
        except Exception as reason:
            if self.rules.error_score == "raise":
                raise
            error = np.nan
            warn(
                f"The standard error of the metric {name!r} is unknown, because it failed on a "
                "subset of the scored samples; differences between candidates are compared "
                f"without it. {type(reason).__name__}: {reason}"
            )
        best.note_scored(X, N_BLOCKS, perf_counter() - start)
        return error

    def predict(self, later=()):
        """Predict the scores after further rungs, and rank the candidates.

        ``later``: numbers of training samples at these rungs.
        """
        last = self.comparisons[-1]
        candidates = last.candidates
        some = np.array([candidate.number for candidate in candidates])
        gains = np.full(len(some), np.nan)
        if last.number:
            before = self.comparisons[last.number - 1]
            for k, candidate in enumerate(candidates):
                if before.number in candidate.scores:
                    gains[k] = last.scores[k] - candidate.scores[before.number].value
        gains = self.neighbourhood.smooth(gains, some)
        last.rank(predicted_scores(last.scores, gains, last.n_samples, later))

    # ---------------------------------------------------------------------------- folds

    def affords_folds(self, n_folds, n_total):
        """Return whether a cross-validation of the candidates left takes less than the floor.

        Most of the candidates leave after one or two folds.
        """
        part = FIT_BY_PARTS * ((n_folds - 1) / n_folds) ** FIRST_GROWTH
        scores = self._score_costs(self.alive, [n_total], [n_total / n_folds])[0]
        for candidate, score in zip(self.alive, scores):
            candidate.fold_cost = part * self.whole_costs[candidate.number] + score + 2 * CALL_NS
        return np.isfinite(self.rules.max_cost) and self.affords_round(n_folds / 2)

    @property
    def fold_errors(self):
        """Standard error of the best score of each fold."""
        return [c.fold_error for c in self.comparisons if c.fold_error is not None]

    def affords_round(self, n_folds):
        """Return whether so many folds for the candidates left are within the floor."""
        return n_folds * sum(candidate.fold_cost for candidate in self.alive) <= self._left()

    def _left(self):
        return self._floor() - self.cost - self._unit()

    def cross_validate(self, samples, fold, done):
        """Fit the candidates left on the training samples of a fold, and score them on the others.

        Parameters
        ----------
        samples : Samples
        fold : tuple of ndarray
            Training and test samples.
        done : int
            Number of folds before.
        """
        if len(self.fold_errors) > done:
            return  # completed before an interrupt
        number = len(self.comparisons)
        train, test = (Subset(samples, indices) for indices in fold)
        todo = [candidate for candidate in self.alive if len(candidate.folds) == done]
        self._start_anew(samples, fold[0], todo)
        todo = [c for c in todo if self._select(train, c) and self._select(test, c)]
        self._in_threads(lambda candidate: self._fit_and_score(train, test, candidate), todo)
        self._settle_unscored(test, lambda c, scores: setattr(c, "folds", [*c.folds, scores]))
        if len(self._fold_costs) == done:  # not before an interrupt
            self._fold_costs.append(sum(candidate.fold_cost for candidate in self.alive))
        self._drop_failed()
        # Folds without a score of any candidate tell nothing.
        values = np.array([[scores.value for scores in c.folds] for c in self.alive])
        counted = np.isfinite(values).any(axis=0)
        counted |= not counted.any()
        means = values[:, counted].mean(axis=1)
        best = self.alive[int(np.argmax(np.nan_to_num(means, nan=-np.inf)))]
        fold_error = self._standard_error(best.folds[-1], best, test)
        errors = [error for error in (*self.fold_errors, fold_error) if not np.isnan(error)]
        error = float(np.sqrt(np.square(errors).sum())) / len(errors) if errors else np.nan
        for candidate in self.alive:
            folds = [scores for scores, counts in zip(candidate.folds, counted) if counts]
            candidate.scores[number] = mean_scores(folds, error)
        found = Comparison(number, list(self.alive), len(fold[0]), fold_error)
        self.comparisons.append(found)
        samples.keep_transformed({candidate.transformers for candidate in self.alive})

    def _start_anew(self, samples, indices, candidates):
        """Start with unfitted models, and with transformers fitted on some of the samples."""
        fitted = {}
        for candidate in candidates:
            former = candidate.transformers
            if getattr(candidate.model, "interrupted_", False):
                continue  # resumed on the same samples
            try:
                if former not in fitted:
                    fitted[former] = former.refitted(samples.X, samples.y, indices)
            except Exception as error:
                self._failed(candidate, error)
            else:
                candidate.start(transformers=fitted[former])

    def drop_worse(self, n_left, *, is_limited):
        """Eliminate the candidates that are far below the best one.

        ``is_limited``: the candidates whose ``n_left`` folds are not within the floor leave, too,
        except for the two best ones.
        """
        last = self.comparisons[-1]
        best = np.nan_to_num(last.scores, nan=-np.inf).max()
        # Without a standard error, no candidate is eliminated.
        least = best - _limits.MOST_ERRORS_BELOW * np.nan_to_num(last.standard_error, nan=np.inf)
        near = [c for c in last.ranking if not last.score(c) < least and c in self.alive]
        if is_limited:
            costs = n_left * np.cumsum([candidate.fold_cost for candidate in near])
            near = near[: max(2, np.searchsorted(costs, self._left(), side="right"))]
        self.keep(near)

    def _fit_and_score(self, train, test, candidate):
        try:
            start = perf_counter()
            X, y, arguments, _ = train.of(candidate.transformers)
            candidate.fit(X, y, arguments)
            candidate.note_trained(X, perf_counter() - start)
            start = perf_counter()
            X, y, _, given = test.of(candidate.transformers)
        except Exception as error:
            self._failed(candidate, error)
            return
        try:
            scores = compute_scores(self.scorers, candidate.model, X, y, given)
        except Exception as error:
            self._unscored(candidate, error)
            return
        candidate.note_scored(X, len(self.scorers), perf_counter() - start)
        candidate.folds = [*candidate.folds, scores]

    def refit(self, samples):
        """Fit the remaining candidate on all samples."""
        winner, indices = self.alive[0], np.arange(len(samples))
        if self._is_refitted:
            return  # completed before an interrupt
        self._start_anew(samples, indices, [winner])
        self._drop_failed()
        X, y, arguments, _ = samples.select(winner.transformers, indices)
        start = perf_counter()
        winner.fit(X, y, arguments)
        winner.note_trained(X, perf_counter() - start)
        self.n_samples, self._is_refitted = len(samples), True

    def finish(self):
        """Optimize the remaining candidate over its support set, if it can."""
        winner = self.alive[0]
        start = perf_counter()
        if getattr(winner.model, "interrupted_", False):
            winner.model.resume()
        elif hasattr(winner.model, "finish") and getattr(winner.model, "finishing", True):
            winner.model.finish()
        winner.fit_seconds += perf_counter() - start
        winner.model_seconds += perf_counter() - start

    # ---------------------------------------------------------------------------- elimination

    def eliminate(self, later, scored, n_total, *, is_informed=True):
        """Eliminate candidates so that the rest of the search stays within the budget.

        Parameters
        ----------
        later, scored : list of int
            Training samples of the further rungs, and samples that serve for the scores there.
        n_total : int
            Samples of the whole fit.
        is_informed : bool
            Whether there are enough samples of each class to tell candidates apart.
        """
        last = self.comparisons[-1]
        if len(self.alive) < len(last.candidates):
            return  # completed before an interrupt
        self.foresee(later, n_total)
        kept = last.ranking
        if np.isfinite(last.scores).any():
            unit, max_cost = self._unit(), self.rules.max_cost
            increments = self._increments(kept, later, scored)
            share = _limits.FREE_SHARE if is_informed else _limits.UNINFORMED_SHARE
            if self.cost + increments[0].sum() > share * max(max_cost * unit, self._floor()):
                # One that alone would take the budget leaves. If it is clearly better, as gains
                # show, it raises the unit.
                whole = self.whole_costs[[candidate.number for candidate in kept]]
                is_dear = (whole > max_cost * unit) & (last.number > 0)
                kept = [c for c, dear in zip(kept, is_dear) if not dear] or kept
                increments = self._increments(kept, later, scored)
                # The winner is trained on the rest of the samples, too.
                left = (max_cost - (1 - later[-1] / n_total)) * unit - self.cost
                kept = kept[: n_survivors(increments, left, self.rules.min_candidates)]
        self.keep(kept)

    def _increments(self, candidates, later, scored):
        """Return the predicted costs of the further rungs, of shape (len(later), n_candidates)."""
        now = self.comparisons[-1].n_samples
        costs = np.diff(self._training_costs(candidates, [now, *later]), axis=0)
        return costs + self._score_costs(candidates, later, scored) + 2 * CALL_NS

    def foresee(self, later, n_total):
        """Predict the scores at the last rung, and the costs of fits on all samples."""
        self.predict(later)
        candidates = self.comparisons[-1].candidates
        numbers = [candidate.number for candidate in candidates]
        self.whole_costs[numbers] = CALL_NS + self._training_costs(candidates, [n_total])[0]

    def _score_costs(self, candidates, later, scored):
        """Return the predicted costs of scores, of shape (len(later), n_candidates).

        The number of support vectors grows like that of the samples.
        """
        last = self.comparisons[-1]
        costs = np.array([candidate.score_cost for candidate in candidates])
        has_support = np.isfinite([candidate.n_support for candidate in candidates])
        n_scored = candidates[0].scores[last.number].n_samples
        return fit_costs(costs, 1.0 * has_support, last.n_samples, later) * (
            np.array(scored)[:, None] / n_scored
        )

    def keep_best(self):
        """Eliminate all but the best ``min_candidates`` candidates."""
        self.predict()
        self.keep(self.comparisons[-1].ranking[: self.rules.min_candidates])

    def _floor(self):
        """Return what may be spent in any case: no more than on a grid search with three folds."""
        fits = FIT_BY_PARTS * fit_costs(self.whole_costs, FIRST_GROWTH, 3, [2])
        folds = 3 * np.nansum(fits + GRID_CALL_NS)
        return min(1e9 * self.rules.min_seconds, folds + self._unit())

    def _unit(self):
        """Return the cost of one fit of the winner on all samples, as far as it is known.

        The harmonic mean over the chances: a cost divided by it is the expected number of fits.
        """
        last = self.comparisons[-1]
        numbers = [candidate.number for candidate in last.candidates]
        chance = chances(last.scores, last.predictions, last.standard_error, last.number > 0)
        return 1.0 / float(np.sum(chance / self.whole_costs[numbers]))

    def _training_costs(self, candidates, n_samples):
        """Return the costs of training with so many samples, of shape (len(n_samples), n)."""
        linear, rest = np.array([candidate.training_costs for candidate in candidates]).T
        growth, now = self._growth(candidates), self.comparisons[-1].n_samples
        return fit_costs(linear, 1.0, now, n_samples) + fit_costs(rest, growth, now, n_samples)

    def _growth(self, candidates):
        """Return the exponents of superlinear costs of training in the number of samples."""
        last = self.comparisons[-1]
        some = np.array([candidate.number for candidate in candidates])
        before = self.comparisons[last.number - 1] if last.number else last
        if before.n_samples == last.n_samples:
            return np.full(len(some), FIRST_GROWTH)
        now, former = (
            np.array([comparison.superlinear_costs.get(number, np.nan) for number in some])
            for comparison in (last, before)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            measured = np.log(now / former) / np.log(last.n_samples / before.n_samples)
        return np.clip(self.neighbourhood.smooth(measured, some), 1.0, MOST_GROWTH)

    def recalled(self, n_total):
        """Return eliminated candidates that may be better, as many as the budget allows.

        They are adjacent to the winner in the grid, and their predicted score is at most one
        standard error below its score.
        """
        last = self.comparisons[-1]
        self.foresee((), n_total)
        winner = last.ranking[0]
        threshold = last.score(winner) - last.standard_error
        distance = self.neighbourhood.distances(np.arange(len(self.candidates)))[winner.number]
        found = []
        for candidate in self.candidates:
            if candidate in last.candidates or candidate.error is not None:
                continue
            comparison = self.comparisons[max(candidate.scores)]
            predicted = comparison.predicted.get(candidate.number, np.nan)
            if distance[candidate.number] <= ADJACENT and predicted >= threshold:
                found.append((-predicted, candidate.number, candidate))
        left = self.rules.max_cost - self.cost / self.whole_costs[winner.number]
        # The winner is trained on all samples, and each of these costs a fit.
        return [c for k, (*_, c) in enumerate(sorted(found), start=1) if k + 1 <= left]

    def decide(self):
        """End the race: eliminate all but the winner of the last comparison.

        The cheapest of the candidates within the noise wins. One that predicts a single class
        wins only if all of them do.
        """
        last = self.comparisons[-1]
        self.predict()
        message = f"One or more of the test scores are non-finite: {last.scores}"
        if np.isnan(last.scores).all():
            warn(f"{message}. The first remaining candidate is selected.")
            self.keep(self.alive[:1])
            return
        if not np.isfinite(last.scores).all():
            warn(message)
        ranked = [candidate for candidate in last.ranking if candidate in self.alive]
        scores = {c: np.nan_to_num(last.score(c), nan=-np.inf) for c in ranked}
        n_errors = 1.0 if self.rules.cheapest else _limits.EQUAL_ERRORS
        margin = n_errors * np.nan_to_num(last.standard_error)
        close = [c for c in ranked if scores[c] >= max(scores.values()) - margin]
        size = size_of if self.rules.cheapest else fit_cost_of

        def preference(candidate):
            is_constant = candidate.scores[last.number].is_constant
            return is_constant, size(candidate), ranked.index(candidate)

        self.keep([min(close, key=preference)])

    def keep(self, kept):
        """Eliminate all other candidates; the comparison is recorded."""
        self.results.record(self.comparisons[-1], kept)
        eliminated = [candidate for candidate in self.alive if candidate not in kept]
        self.alive = sorted(kept, key=lambda candidate: candidate.number)
        for candidate in eliminated:
            candidate.release()

    def join(self, candidates):
        """Restart eliminated candidates with the next part of the data."""
        for candidate in candidates:
            candidate.start(self.n_parts)
        self.alive = sorted([*self.alive, *candidates], key=lambda candidate: candidate.number)

    def best(self):
        """Return the leading candidate."""
        ranking = self.comparisons[-1].ranking if self.comparisons else []
        return next((candidate for candidate in ranking if candidate in self.alive), self.alive[0])

    def predicts_one_class(self):
        """Return whether the winner predicts one of several classes for all held-out samples."""
        scores = self.alive[0].scores[len(self.comparisons) - 1]
        return self.classes is not None and len(self.classes) > 1 and scores.is_constant

    @property
    def cost(self):
        """Estimated cost of all candidates so far."""
        return sum(self._fold_costs) + sum(candidate.cost for candidate in self.candidates)

    @property
    def seconds(self):
        """Seconds of training and scores of all candidates so far."""
        return sum(c.fit_seconds + c.score_seconds for c in self.candidates)

    def edges(self, winner):
        """Return which numeric parameters have their smallest or largest value in the winner.

        A parameter with less than four values does not count.
        """
        found = {}
        for name in self.neighbourhood.numeric:
            values = {float(candidate.params[name]) for candidate in self.candidates}
            value = float(winner.params[name])
            if len(values) >= 4 and value in (min(values), max(values)):
                found[name] = "smallest" if value == min(values) else "largest"
        return found

    # ---------------------------------------------------------------------------- failures

    def _failed(self, candidate, error):
        if self.rules.error_score == "raise":
            raise error
        candidate.error = error

    def _unscored(self, candidate, error):
        if self.rules.error_score == "raise":
            raise error
        candidate.score_error = error

    def _settle_unscored(self, subset, record):
        """Let candidates fail that have no scores, or record ``error_score`` for all of them.

        Samples that lack a class tell nothing of the candidates by a metric that needs all
        classes.
        """
        unscored = [candidate for candidate in self.alive if candidate.score_error is not None]
        if not unscored:
            return
        error, missing = unscored[0].score_error, []
        if self.classes is not None and len(unscored) == len(self.alive):
            y = subset.of(unscored[0].transformers)[1]
            missing = np.setdiff1d(self.classes, y).tolist()
        for candidate in unscored:
            if missing:
                n_samples = len(subset.indices)
                record(candidate, no_scores(self.scorers, n_samples, self.rules.error_score))
            else:
                candidate.error = candidate.score_error
            candidate.score_error = None
        if missing:
            warn(
                f"Scoring failed for all candidates on {len(subset.indices)} samples, which do "
                f"not contain the classes {missing}; their score is "
                f"error_score={self.rules.error_score!r}. Use a metric that accepts missing "
                f"classes, or more samples of them. {type(error).__name__}: {error}"
            )

    def _drop_failed(self):
        """Eliminate candidates that have failed; raise the error if none is left."""
        failed = [candidate for candidate in self.alive if candidate.error is not None]
        if not failed:
            return
        error = failed[0].error
        if len(failed) == len(self.alive):
            for candidate in failed:
                candidate.error = None  # the step may be repeated
            error.add_note(
                f"All {len(failed)} candidates failed; this was the first one, with "
                f"{failed[0].params}."
            )
            raise error
        warn(
            f"{len(failed)} of {len(self.alive)} candidates failed and have the score "
            f"error_score={self.rules.error_score!r}. The first one, with {failed[0].params}, "
            f"raised {type(error).__name__}: {error}",
            FitFailedWarning,
        )
        self.alive = [candidate for candidate in self.alive if candidate.error is None]
        for candidate in failed:
            self.results.record_failure(candidate, len(self.comparisons), self.n_samples)
            candidate.release()

    def _in_threads(self, operation, todo):
        """Call a function for each item, in threads if there are several.

        Ctrl-C waits for the calls that have begun.
        """
        n_threads = min(effective_n_jobs(self.rules.n_jobs), len(todo))
        if n_threads <= 1:
            for work in todo:
                operation(work)
            return
        with started_threads(n_threads) as pool:
            futures = [pool.submit(operation, work) for work in todo]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                for future in futures:
                    future.cancel()
                wait(futures)
                raise
