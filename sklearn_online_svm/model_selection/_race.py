"""Racing: candidates are trained and scored on the same samples, and eliminated.

Each step can be repeated after an interrupt: what has been trained or scored is not repeated.
"""

from concurrent.futures import wait
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import FitFailedWarning

from .. import _limits
from .._threads import started_threads, warn
from .._transactions import PostponedInterrupts
from ._neighbours import ordered_parameters
from ._scoring import compute_scores, jackknife_error, mean_scores, no_scores


@dataclass(frozen=True)
class Rules:
    """Parameters of a race.

    ``cheapest``: the candidate with the fewest support vectors within one standard error of the
    best wins. ``error_score``: score of a candidate that fails, or ``"raise"``.
    """

    max_cost: float = 25.0
    cheapest: bool = False
    error_score: object = np.nan
    n_jobs: object = None


class Race:
    """Candidates that are compared on the same samples.

    ``scorers``: by name; the first one decides. ``racing``: the candidates that are left, or are
    trained and scored at present.
    """

    def __init__(self, candidates, scorers, rules, classes):
        self.candidates, self.racing = list(candidates), list(candidates)
        self.scorers, self.rules, self.classes = scorers, rules, classes

    # ---------------------------------------------------------------------------- training

    def fit(self, split, rung):
        """Fit the candidates of the race to the training samples of a split, and score them.

        Transformers are fitted before threads need them.
        """
        self._score_by(self._fit_one, split, rung, len(split.train))

    def _fit_one(self, split, candidate, rung):
        X, y, arguments = split.training(candidate.step)
        try:
            transformers = split.fitted.of_pipeline(candidate.step)
            candidate.fit(X, y, arguments, transformers, rung)
        except Exception as error:
            self.failed(candidate, error)
            return
        self._score_one(split, candidate, rung)

    def _prepare(self, view, candidate):
        try:
            view.prepare(candidate.step)
        except Exception as error:
            self.failed(candidate, error)
        return candidate.error is None

    def train(self, view, part, n_samples):
        """Train on a part of a stream, which has ``n_samples`` training samples at its end."""
        todo = [c for c in self.racing if c.n_parts == part and self._prepare(view, c)]
        self._in_threads(lambda candidate: self._train_one(view, candidate), todo)
        self.drop_failed(part, n_samples)

    def _train_one(self, view, candidate):
        X, y, arguments = view.training(candidate.step)
        candidate.transformers = view.fitted.of_pipeline(candidate.step)
        try:
            candidate.train_part(X, y, arguments, self.classes)
        except Exception as error:
            self.failed(candidate, error)

    # ---------------------------------------------------------------------------- scores

    def score(self, view, rung, n_samples):
        """Score the candidates of the race on the same samples, once for each rung."""
        self._score_by(self._score_one, view, rung, n_samples)

    def _score_by(self, operation, view, rung, n_samples):
        todo = [c for c in self.racing if rung not in c.scores and self._prepare(view, c)]
        self._in_threads(lambda candidate: operation(view, candidate, rung), todo)
        self._settle_unscored(view, rung)
        self.drop_failed(rung, n_samples)

    def _score_one(self, view, candidate, rung):
        X, y, given = view.scoring(candidate.step)
        start = perf_counter()
        try:
            scores = compute_scores(self.scorers, candidate.model, X, y, given)
        except Exception as error:
            if self.rules.error_score == "raise":
                raise
            candidate.score_error = error
            return
        with PostponedInterrupts():
            candidate.scores[rung] = scores
            candidate.note_scored(X, scores, perf_counter() - start)

    def add_standard_error(self, view, candidate, rung):
        """Compute the standard error of a score, if it is not known."""
        scores = candidate.scores[rung]
        if not np.isnan(scores.standard_error) or np.isnan(scores.value):
            return
        if candidate.model is None:
            return
        view.prepare(candidate.step)  # after an interrupt
        X, y, given = view.scoring(candidate.step)
        name, scorer = next(iter(self.scorers.items()))
        start = perf_counter()
        try:
            error = jackknife_error(scorer, candidate.model, X, y, given.get(name, {}))
        except Exception as reason:
            if self.rules.error_score == "raise":
                raise
            error = np.nan
            warn(
                f"The standard error of the metric {name!r} is unknown, because it failed on a "
                "subset of the scored samples; differences between candidates are compared "
                f"without it. {type(reason).__name__}: {reason}"
            )
        candidate.score_seconds += perf_counter() - start
        candidate.scores[rung] = replace(scores, standard_error=error)

    # ---------------------------------------------------------------------------- ranking

    def ranked(self, candidates, rungs):
        """Return the candidates by their mean scores over some rungs, the best ones first.

        Where a class is rare, many candidates may predict the other one for all samples: the best
        of these keeps its place, the rest come last. Among equal scores those with fewer support
        vectors come first.
        """

        def key(candidate):
            score = np.nan_to_num(mean_of(candidate, rungs).value, nan=-np.inf)
            return -score, np.nan_to_num(candidate.n_support), candidate.number

        ranked = sorted(candidates, key=key)
        constant = [c for c in ranked if mean_of(c, rungs).is_constant][1:]
        return [c for c in ranked if c not in constant] + constant

    def standard_error(self, candidate, rungs):
        """Return the standard error of the mean score over some rungs; infinite if unknown."""
        errors = [candidate.scores[rung].standard_error for rung in rungs]
        known = [error for error in errors if not np.isnan(error)]
        return float(np.sqrt(np.square(known).sum())) / len(known) if known else np.inf

    def near(self, candidates, rungs, n_errors):
        """Return those of ranked candidates within some standard errors of the first one."""
        best = mean_of(candidates[0], rungs).value
        least = best - n_errors * self.standard_error(candidates[0], rungs)
        return [c for c in candidates if c is candidates[0] or not mean_of(c, rungs).value < least]

    def winner(self, candidates, rungs):
        """Return the winner: of the candidates within the noise, the cheapest.

        One that predicts a single value wins only if all of these do.
        """
        scores = np.array([mean_of(candidate, rungs).value for candidate in candidates])
        message = f"One or more of the test scores are non-finite: {scores}"
        if np.isnan(scores).all():
            warn(f"{message}. The first remaining candidate is selected.")
            return min(candidates, key=lambda candidate: candidate.number)
        if not np.isfinite(scores).all():
            warn(message)
        ranked = self.ranked(candidates, rungs)
        error = self.standard_error(ranked[0], rungs)
        n_errors = 1.0 if self.rules.cheapest else _limits.EQUAL_ERRORS
        margin = n_errors * error if np.isfinite(error) else 0.0
        least = mean_of(ranked[0], rungs).value - margin
        close = [c for c in ranked if mean_of(c, rungs).value >= least]
        size = size_of if self.rules.cheapest else fit_cost_of

        def preference(candidate):
            is_constant = mean_of(candidate, rungs).is_constant
            return is_constant, size(candidate), ranked.index(candidate)

        return min(close, key=preference)

    def leader(self):
        """Return the best candidate so far whose model is at hand, None if there is none."""
        known = [candidate for candidate in self.candidates if candidate.model is not None]
        compared = [candidate for candidate in known if candidate.entries]
        if not compared:
            scored = [candidate for candidate in known if candidate.scores]
            return self.ranked(scored, [0])[0] if scored else None

        def key(candidate):
            last = candidate.entries[-1]
            return last.rung, np.nan_to_num(last.scores.value, nan=-np.inf), -candidate.number

        return max(compared, key=key)

    def predicts_one_class(self, winner):
        """Return whether the winner predicts one of several classes for all scored samples."""
        last = winner.entries[-1].scores if winner.entries else None
        several = self.classes is not None and len(self.classes) > 1
        return several and last is not None and last.is_constant

    @property
    def cost(self):
        """Estimated cost of all candidates so far, in nanoseconds."""
        return sum(candidate.cost for candidate in self.candidates)

    @property
    def seconds(self):
        """Seconds of training and scores of all candidates so far."""
        return sum(c.fit_seconds + c.score_seconds for c in self.candidates)

    def edges(self, winner):
        """Return which numeric parameters have their smallest or largest value in the winner.

        A parameter with less than four values does not count.
        """
        found = {}
        ordered = ordered_parameters([candidate.params for candidate in self.candidates])
        for name, values in ordered.items():
            value = winner.params.get(name)
            if len(values) >= 4 and value in (values[0], values[-1]):
                found[name] = "smallest" if value == values[0] else "largest"
        return found

    # ---------------------------------------------------------------------------- failures

    def failed(self, candidate, error):
        """Note the error of a candidate, or raise it."""
        if self.rules.error_score == "raise":
            raise error
        candidate.error = error

    def _settle_unscored(self, view, rung):
        """Let candidates fail that have no scores, or record ``error_score`` for all of them.

        Samples that lack a class tell nothing of the candidates by a metric that needs all
        classes.
        """
        unscored = [candidate for candidate in self.racing if candidate.score_error is not None]
        if not unscored:
            return
        error, missing = unscored[0].score_error, []
        if self.classes is not None and len(unscored) == len(self.racing):
            view.prepare(unscored[0].step)
            y = view.scoring(unscored[0].step)[1]
            missing = np.setdiff1d(self.classes, y).tolist()
        for candidate in unscored:
            if missing:
                scores = no_scores(self.scorers, len(y), self.rules.error_score)
                candidate.scores[rung] = scores
            else:
                candidate.error = candidate.score_error
            candidate.score_error = None
        if missing:
            warn(
                f"Scoring failed for all candidates on {len(y)} samples, which do "
                f"not contain the classes {missing}; their score is "
                f"error_score={self.rules.error_score!r}. Use a metric that accepts missing "
                f"classes, or more samples of them. {type(error).__name__}: {error}"
            )

    def drop_failed(self, rung, n_samples):
        """Eliminate candidates that have failed; raise the error if none is left."""
        failed = [candidate for candidate in self.racing if candidate.error is not None]
        if not failed:
            return
        error = failed[0].error
        # The best one so far, with its model, may win instead.
        if len(failed) == len(self.racing) and all(
            c.error is not None or c.model is None or not c.entries for c in self.candidates
        ):
            for candidate in failed:
                candidate.error = None  # the step may be repeated
            error.add_note(
                f"All {len(failed)} candidates failed; this was the first one, with "
                f"{failed[0].params}."
            )
            raise error
        warn(
            f"{len(failed)} of {len(self.racing)} candidates failed and have the score "
            f"error_score={self.rules.error_score!r}. The first one, with {failed[0].params}, "
            f"raised {type(error).__name__}: {error}",
            FitFailedWarning,
        )
        self.racing = [candidate for candidate in self.racing if candidate.error is None]
        for candidate in failed:
            candidate.release()
            candidate.record(rung, n_samples, None)

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


def mean_of(candidate, rungs):
    """Return the mean :class:`Scores` of a candidate over some rungs or folds."""
    if len(rungs) == 1:
        return candidate.scores[rungs[0]]
    return mean_scores([candidate.scores[rung] for rung in rungs])


def size_of(candidate):
    """Return the number of support vectors, or the seconds of training if there are none."""
    n_support = candidate.n_support
    return candidate.model_seconds if np.isnan(n_support) else n_support


def fit_cost_of(candidate):
    """Return the logarithm of the estimated cost of training."""
    # Rounded: kernel values computed again after a pickle change the cost a little.
    return np.round(np.log2(1.0 + candidate.training_cost))
