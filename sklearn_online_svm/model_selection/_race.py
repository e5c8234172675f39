"""Racing: candidates are trained and scored on the same samples, and eliminated by rungs.

Each step can be repeated after an interrupt: candidates count what they have been trained on, and
are not trained or scored twice.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import FitFailedWarning

from ._candidates import CALL_NS
from ._learning_curves import (
    FIRST_GROWTH,
    HANDICAP,
    MOST_GROWTH,
    N_LEADERS,
    Neighbourhood,
    fit_costs,
    interleaved,
    n_survivors,
    predicted_scores,
)
from ._scoring import compute_scores, score_differences

__all__ = ["Race", "Rules"]

# Distance in the grid up to which candidates are recalled beside the winner: diagonals included.
ADJACENT = 1.5


@dataclass(frozen=True)
class Rules:
    """Parameters of a race.

    ``cheapest``: the cheapest candidate within one standard error of the best wins.
    ``error_score``: score of a candidate that fails, or ``"raise"``.
    """

    max_cost: float = 8.0
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
            if not candidate.models:
                candidate.start(len(subset.indices), self.n_parts - 1)
        self._train(subset, candidates, self.n_parts - 1)
        self.alive = sorted({*self.alive, *candidates}, key=lambda c: c.number)
        self._drop_failed()

    def _train(self, subset, candidates, part):
        todo = [
            (candidate, fold)
            for candidate in candidates
            for fold in range(len(candidate.models))
            if candidate.n_parts[fold] == part and candidate.error is None
        ]
        todo = [work for work in todo if self._select(subset, *work)]
        self._in_threads(lambda work: self._train_one(subset, *work), todo)
        self._drop_failed()

    def _train_one(self, subset, candidate, fold):
        X, y, arguments, _ = subset.of(candidate.transformers, fold)
        start = perf_counter()
        try:
            candidate.train(fold, X, y, arguments, self.classes)
        except Exception as error:
            self._failed(candidate, error)
            return
        candidate.finish_part(fold, X, perf_counter() - start)

    def _select(self, subset, candidate, fold):
        """Select the data of a model before threads need them; return whether that worked."""
        try:
            subset.of(candidate.transformers, fold)
        except Exception as error:
            self._failed(candidate, error)
        return candidate.error is None

    # ---------------------------------------------------------------------------- scoring

    def compare(self, subset, number):
        """Score all surviving candidates on the same samples, once for each ``number``."""
        if number < len(self.comparisons):
            return  # completed before an interrupt
        todo = [
            candidate
            for candidate in self.alive
            if number not in candidate.scores
            and all(self._select(subset, candidate, f) for f in range(len(candidate.models)))
        ]
        self._in_threads(lambda candidate: self._score_one(subset, candidate, number), todo)
        self._drop_failed()
        self.comparisons.append(Comparison(number, list(self.alive), self.n_samples))

    def _score_one(self, subset, candidate, number):
        start = perf_counter()
        try:
            folds = []
            for fold, model in enumerate(candidate.models):
                X, y, _, given = subset.of(candidate.transformers, fold)
                folds.append((model, X, y, given))
            candidate.scores[number] = compute_scores(self.scorers, folds)
        except Exception as error:
            self._failed(candidate, error)
            return
        candidate.note_scored([X for _, X, _, _ in folds], perf_counter() - start)

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
        predicted = predicted_scores(last.scores, gains, last.n_samples, later)
        last.rank(predicted)

    # ---------------------------------------------------------------------------- elimination

    def eliminate(self, later, scored, n_total):
        """Eliminate candidates so that the rest of the search stays within the budget.

        Parameters
        ----------
        later, scored : list of int
            Training samples of the further rungs, and samples that serve for the scores there.
        n_total : int
            Samples of the whole fit.
        """
        last = self.comparisons[-1]
        if len(self.alive) < len(last.candidates):
            return  # completed before an interrupt
        self.predict(later)
        ranking = last.ranking
        n_kept = len(ranking)
        if np.isfinite(last.scores).any():
            n_folds = len(ranking[0].models)
            increments = np.diff(self._training_costs(ranking, [last.n_samples, *later]), axis=0)
            increments += self._score_costs(ranking, later, scored) + 2 * n_folds * CALL_NS
            unit = self._unit(ranking[:N_LEADERS], n_total)
            # The winner is trained on the rest of the samples, too.
            budget = (n_folds * self.rules.max_cost - (1 - later[-1] / n_total)) * unit
            n_kept = n_survivors(increments, budget - self.cost, self.rules.min_candidates)
        self.keep(ranking[:n_kept])

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

    def _unit(self, candidates, n_total):
        """Return the predicted cost of one fit: the lower quartile over some candidates."""
        costs = self._training_costs(candidates, [n_total]) / len(candidates[0].models)
        return CALL_NS + np.quantile(costs, 0.25)

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
        self.predict()
        winner = last.ranking[0]
        threshold = last.score(winner) - winner.scores[last.number].standard_error
        distance = self.neighbourhood.distances(np.arange(len(self.candidates)))[winner.number]
        found = []
        for candidate in self.candidates:
            if candidate in last.candidates or candidate.error is not None:
                continue
            comparison = self.comparisons[max(candidate.scores)]
            predicted = comparison.predicted.get(candidate.number, np.nan)
            if distance[candidate.number] <= ADJACENT and predicted >= threshold:
                found.append((-predicted, candidate.number, candidate))
        spent = self.cost / self._unit([winner], n_total) / len(winner.models)
        left = self.rules.max_cost - spent
        # The winner is trained on all samples, and each of these costs a fit.
        return [c for k, (*_, c) in enumerate(sorted(found), start=1) if k + 1 <= left]

    def decide(self):
        """End the race: eliminate all but the winner of the last comparison."""
        last = self.comparisons[-1]
        self.predict()
        ranked = [candidate for candidate in last.ranking if candidate in self.alive]
        winner = ranked[0]
        if self.rules.cheapest:
            difference, error = last.against(ranked, winner)
            close = [c for c, d, e in zip(ranked, difference, error) if d >= -e]
            winner = min(close, key=lambda c: (_size(c), c.number))
        self.keep([winner])

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
            candidate.start(1, self.n_parts)
        self.alive = sorted([*self.alive, *candidates], key=lambda candidate: candidate.number)

    def best(self):
        """Return the leading candidate."""
        ranking = self.comparisons[-1].ranking if self.comparisons else []
        return next((candidate for candidate in ranking if candidate in self.alive), self.alive[0])

    @property
    def cost(self):
        """Estimated cost of all candidates so far."""
        return sum(candidate.cost for candidate in self.candidates)

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
        warnings.warn(
            f"{len(failed)} of {len(self.alive)} candidates failed and have the score "
            f"error_score={self.rules.error_score!r}. The first one, with {failed[0].params}, "
            f"raised {type(error).__name__}: {error}",
            FitFailedWarning,
            stacklevel=4,
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


class Comparison:
    """Scores of all surviving candidates on the same samples.

    Attributes
    ----------
    number : int
        Number of the rung.
    candidates : list of Candidate
    n_samples : int
        Samples that they have been trained on.
    predicted, superlinear_costs : dict
        By number of the candidate: the predicted final score, and the part of the cost of training
        so far that is not proportional to the number of samples.
    ranking : list of Candidate
        By turns the next best by present and by predicted score; candidates with equal scores by
        support vectors.
    """

    def __init__(self, number, candidates, n_samples):
        self.number, self.candidates, self.n_samples = number, candidates, n_samples
        self.superlinear_costs = {c.number: c.training_costs[1] for c in candidates}
        self.scores = np.array([candidate.scores[number].value for candidate in candidates])
        self.rank(self.scores)

    def rank(self, predicted):
        """Set the predicted scores, and rank by scores minus handicaps."""
        handicaps = self._handicaps()
        self.predicted = {c.number: float(p) for c, p in zip(self.candidates, predicted)}
        # Of equal candidates those with fewer support vectors come first.
        n_support = [np.nan_to_num(candidate.n_support) for candidate in self.candidates]
        first = np.argsort(n_support, kind="stable")
        present = np.where(self._duplicates(first), -np.inf, self.scores - handicaps)
        ranked = interleaved(present[first], (predicted - handicaps)[first])
        self.ranking = [self.candidates[k] for k in first[ranked]]

    def _duplicates(self, order):
        """Return which candidates make the same errors as one before them in an order.

        They rank last by present score, so that constant predictions do not displace others.
        """
        seen, found = set(), np.zeros(len(order), dtype=bool)
        for k in order:
            scores = self.candidates[k].scores[self.number]
            key = scores.value, scores.replicates.tobytes()
            found[k] = key in seen
            seen.add(key)
        return found

    def _handicaps(self):
        """Return handicaps by cost, which resolve differences within the noise."""
        best = self.candidates[int(np.argmax(np.nan_to_num(self.scores, nan=-np.inf)))]
        cost = np.array([candidate.cost for candidate in self.candidates])
        error = best.scores[self.number].standard_error
        # Rounded: kernel values computed again after a pickle change the cost a little.
        return HANDICAP * error * np.round(np.log2(cost / cost.min()))

    def score(self, candidate):
        """Return the score of a candidate."""
        return candidate.scores[self.number].value

    def against(self, candidates, other):
        """Return the scores of candidates minus that of another one, with standard errors."""
        of = [candidate.scores[self.number] for candidate in candidates]
        return score_differences(of, other.scores[self.number])


def _size(candidate):
    """Return the number of support vectors, or the seconds of training if there are none."""
    n_support = candidate.n_support
    return candidate.fit_seconds if np.isnan(n_support) else n_support


class Results:
    """Lines of ``cv_results_``."""

    def __init__(self):
        self._lines, self._table = [], None

    def record(self, comparison, kept):
        """Record a comparison and its survivors; called again if the survivors change."""
        self._table = None
        survivors = {candidate.number for candidate in kept}
        known = [line for line in self._lines if line["rung"] == comparison.number
                 and "scores" in line]  # fmt: skip
        if known:
            for line in known:
                line["survives"] = line["number"] in survivors
            return
        ranked, number = comparison.ranking, comparison.number
        difference, error = comparison.against(ranked, ranked[0])
        for candidate, by, uncertain in zip(ranked, difference, error):
            scores = candidate.scores[number]
            self._lines.append(
                _line(candidate, number, comparison.n_samples)
                | dict(
                    n_scored=scores.n_samples,
                    scores=scores.values,
                    predicted=comparison.predicted[candidate.number],
                    se_test=scores.standard_error,
                    difference=by,
                    se_difference=uncertain,
                    survives=candidate.number in survivors,
                )
            )

    def record_failure(self, candidate, rung, n_resources):
        """Record a candidate without a score."""
        self._table = None
        self._lines.append(_line(candidate, rung, n_resources))

    def best_index(self, candidate):
        """Return the index of the last line of a candidate, None if it has none."""
        lines = [k for k, line in enumerate(self._lines) if line["number"] == candidate.number]
        return lines[-1] if lines else None

    def columns(self, metrics, error_score):
        """Return the table as a dict of arrays; metrics by name, the first one decides."""
        if self._table is None:
            self._table = self._columns(metrics, error_score)
        return self._table

    def _columns(self, metrics, error_score):
        lines, main = self._lines, metrics[0]
        failed = np.nan if error_score == "raise" else error_score

        def of(name, kind=float, missing=np.nan):
            return np.array([line.get(name, missing) for line in lines], dtype=kind)

        columns = {
            "rung": of("rung", int),
            "n_resources": of("n_resources", int),
            "n_scored": of("n_scored", int, 0),
            "candidate": of("number", int),
            **self._parameters(),
            "params": [line["params"] for line in lines],
        }
        for name in metrics:
            columns[f"mean_test_{name}"] = np.array(
                [line.get("scores", {}).get(name, failed) for line in lines]
            )
        columns[f"se_test_{main}"] = of("se_test")
        columns[f"predicted_test_{main}"] = of("predicted", missing=failed)
        columns["difference_to_best"] = of("difference")
        columns["se_difference_to_best"] = of("se_difference")
        columns[f"rank_test_{main}"] = _ranks(columns["rung"], np.isnan(of("se_test")))
        columns["survives"] = of("survives", bool, False)
        columns["n_support"] = of("n_support")
        columns["cost"] = of("cost")
        columns["mean_fit_time"] = of("fit_time")
        columns["mean_score_time"] = of("score_time")
        return columns

    def _parameters(self):
        """Return a masked column for each parameter, as in scikit-learn."""
        columns = {}
        for name in sorted({name for line in self._lines for name in line["params"]}):
            values = [line["params"].get(name) for line in self._lines]
            kinds = {type(value) for value in values}
            plain = kinds <= {int, float, bool, np.float64, np.int64}
            array = np.array(values) if plain else np.empty(len(values), dtype=object)
            if not plain:
                array[:] = values
            missing = [name not in line["params"] for line in self._lines]
            columns[f"param_{name}"] = np.ma.MaskedArray(array, mask=missing)
        return columns


def _line(candidate, rung, n_resources):
    return dict(
        number=candidate.number,
        params=candidate.params,
        rung=rung,
        n_resources=n_resources,
        n_support=candidate.n_support,
        cost=candidate.cost,
        fit_time=candidate.fit_seconds,
        score_time=candidate.score_seconds,
    )


def _ranks(rungs, failed):
    """Return the rank of each line: later rungs come first, and within a rung earlier lines."""
    ranks = np.empty(len(rungs), dtype=np.int32)
    ranks[np.lexsort((failed, -rungs))] = np.arange(1, len(rungs) + 1)
    return ranks
