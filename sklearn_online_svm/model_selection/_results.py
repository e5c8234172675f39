"""The table of a search: one line for each candidate and comparison."""

import numpy as np

__all__ = ["Results"]


class Results:
    """What is written down of a race, as columns of ``cv_results_``."""

    def __init__(self):
        self.lines, self.n_noted = [], 0
        self.table = None

    def note(self, comparison, rung, kept):
        """Write down a comparison, and who goes on; if that is known, who does so after all."""
        self.table = None
        if rung < self.n_noted:
            for line in self.lines:
                if line["rung"] == rung:
                    line["goes_on"] = line["number"] in [candidate.number for candidate in kept]
            return
        ranked, self.n_noted = comparison.ranked(), rung + 1
        difference, error = comparison.against(ranked, ranked[0])
        for candidate, by, uncertain in zip(ranked, difference, error):
            marks = candidate.marks[rung]
            self.lines.append(
                self.line(candidate, rung, comparison.n_resources)
                | dict(
                    n_scored=marks.n_rows,
                    scores={name: comparison.score(candidate, name) for name in marks.scores},
                    rung_scores=marks.scores,
                    se_test=comparison.error(candidate),
                    difference=by,
                    se_difference=uncertain,
                    goes_on=candidate in kept,
                )
            )

    def note_failure(self, candidate, rung, n_resources):
        """Write down who has left without a score."""
        self.table = None
        self.lines.append(self.line(candidate, rung, n_resources))

    @staticmethod
    def line(candidate, rung, n_resources):
        return dict(
            number=candidate.number,
            params=candidate.params,
            rung=rung,
            n_resources=n_resources,
            n_support=candidate.n_support,
            fit_time=candidate.fit_seconds,
            score_time=candidate.score_seconds,
        )

    def best_index(self, candidate):
        """Index of the last line of a candidate, None where it has none."""
        lines = [k for k, line in enumerate(self.lines) if line["number"] == candidate.number]
        return lines[-1] if lines else None

    def columns(self, metrics, error_score):
        """Return the table as a dict of arrays; metrics by name, the first one decides."""
        if self.table is None:
            self.table = self.made_columns(metrics, error_score)
        return self.table

    def made_columns(self, metrics, error_score):
        lines, main = self.lines, metrics[0]
        failed = np.nan if error_score == "raise" else error_score

        def of(name, kind=float, missing=np.nan):
            return np.array([line.get(name, missing) for line in lines], dtype=kind)

        columns = {
            "rung": of("rung", int),
            "n_resources": of("n_resources", int),
            "n_scored": of("n_scored", int, 0),
            "candidate": of("number", int),
            **self.parameters(),
            "params": [line["params"] for line in lines],
        }
        for name in metrics:
            for column, source in ((f"mean_test_{name}", "scores"), (f"rung_test_{name}", None)):
                columns[column] = np.array(
                    [line.get(source or "rung_scores", {}).get(name, failed) for line in lines]
                )
        columns[f"se_test_{main}"] = of("se_test")
        columns["difference_to_best"] = of("difference")
        columns["se_difference_to_best"] = of("se_difference")
        columns[f"rank_test_{main}"] = self.ranks(columns["rung"], columns[f"mean_test_{main}"])
        columns["goes_on"] = of("goes_on", bool, False)
        columns["n_support"] = of("n_support")
        columns["mean_fit_time"] = of("fit_time")
        columns["mean_score_time"] = of("score_time")
        return columns

    def parameters(self):
        """Return a masked column for each parameter, as the searches of scikit-learn have them."""
        columns = {}
        for name in sorted({name for line in self.lines for name in line["params"]}):
            values = [line["params"].get(name) for line in self.lines]
            kinds = {type(value) for value in values}
            plain = kinds <= {int, float, bool, np.float64, np.int64}
            array = np.array(values) if plain else np.empty(len(values), dtype=object)
            if not plain:
                array[:] = values
            missing = [name not in line["params"] for line in self.lines]
            columns[f"param_{name}"] = np.ma.MaskedArray(array, mask=missing)
        return columns

    @staticmethod
    def ranks(rungs, scores):
        """Rank of each line: later rungs come first, and within a rung better scores."""
        ranks = np.empty(len(rungs), dtype=np.int32)
        ranks[np.lexsort((-scores, -rungs))] = np.arange(1, len(rungs) + 1)
        return ranks
