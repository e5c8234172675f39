"""Comparisons of candidates at the rungs, and the table of all of them."""

import numpy as np

from ._learning_curves import interleaved

__all__ = ["Comparison", "Results", "fit_cost_of", "size_of"]


class Comparison:
    """Scores of all surviving candidates on the same samples.

    Attributes
    ----------
    number : int
        Number of the rung.
    candidates : list of Candidate
    n_samples : int
        Samples that they have been trained on.
    scores, predictions : ndarray of shape (n_candidates,)
        Present scores, and those expected at the last rung.
    standard_error : float
        Standard error of the best score.
    fold_error : float or None
        The same on the last fold alone; None at a rung.
    superlinear_costs : dict
        By number of the candidate: the part of the cost of training so far that is not
        proportional to the number of samples.
    ranking : list of Candidate
        By turns the next best by present and by predicted score; candidates with equal scores by
        support vectors.
    """

    def __init__(self, number, candidates, n_samples, fold_error=None):
        self.number, self.candidates, self.n_samples = number, candidates, n_samples
        self.fold_error = fold_error
        self.superlinear_costs = {c.number: c.training_costs[1] for c in candidates}
        found = [candidate.scores[number] for candidate in candidates]
        self.scores = np.array([scores.value for scores in found])
        best = found[int(np.argmax(np.nan_to_num(self.scores, nan=-np.inf)))]
        self.standard_error = best.standard_error
        self.rank(self.scores)

    @property
    def predicted(self):
        """Predicted scores by number of the candidate."""
        return {c.number: float(p) for c, p in zip(self.candidates, self.predictions)}

    def rank(self, predictions):
        """Set the predicted scores, and rank."""
        self.predictions = predictions
        # Among equal scores, those of models with fewer support vectors rank first.
        n_support = [np.nan_to_num(candidate.n_support) for candidate in self.candidates]
        first = np.argsort(n_support, kind="stable")
        again, constant = self._duplicates(first)
        present = np.where(again, -np.inf, self.scores)
        later = np.where(constant, -np.inf, predictions)
        ranked = interleaved(present[first], later[first])
        self.ranking = [self.candidates[k] for k in first[ranked]]

    def _duplicates(self, order):
        """Return which candidates predict the same as one before them, and constants among them.

        These rank last, so that constant predictions do not displace others.
        """
        seen = set()
        again, constant = np.zeros((2, len(order)), dtype=bool)
        for k in order:
            scores = self.candidates[k].scores[self.number]
            again[k] = scores.key in seen
            constant[k] = again[k] and scores.is_constant
            seen.add(scores.key)
        return again, constant

    def score(self, candidate):
        """Return the score of a candidate."""
        return candidate.scores[self.number].value


def size_of(candidate):
    """Return the number of support vectors, or the seconds of training if there are none."""
    n_support = candidate.n_support
    return candidate.fit_seconds if np.isnan(n_support) else n_support


def fit_cost_of(candidate):
    """Return the logarithm of the estimated cost of training."""
    # Rounded: kernel values computed again after a pickle change the cost a little.
    return np.round(np.log2(1.0 + sum(candidate.training_costs)))


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
        number, predicted = comparison.number, comparison.predicted
        for candidate in comparison.ranking:
            scores = candidate.scores[number]
            self._lines.append(
                _line(candidate, number, comparison.n_samples)
                | dict(
                    n_scored=scores.n_samples,
                    scores=scores.values,
                    predicted=predicted[candidate.number],
                    se_test=scores.standard_error,
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
        is_failure = np.array(["scores" not in line for line in lines], dtype=bool)
        columns[f"rank_test_{main}"] = _ranks(columns["rung"], is_failure)
        columns["survives"] = of("survives", bool, False)
        columns["n_support"] = of("n_support")
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
        fit_time=candidate.fit_seconds,
        score_time=candidate.score_seconds,
    )


def _ranks(rungs, failed):
    """Return the rank of each line: later rungs come first, and within a rung earlier lines."""
    ranks = np.empty(len(rungs), dtype=np.int32)
    ranks[np.lexsort((failed, -rungs))] = np.arange(1, len(rungs) + 1)
    return ranks
