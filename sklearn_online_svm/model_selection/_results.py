"""The table of a search: one line for each candidate and rung."""

import numpy as np

__all__ = ["Results"]


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
