"""The table ``cv_results_``: a line for each result of a candidate."""

import numpy as np


def _lines(candidates):
    """Return pairs of a candidate and a result, by rungs, the best results of a rung first."""
    lines = [(candidate, entry) for candidate in candidates for entry in candidate.entries]

    def key(line):
        entry = line[1]
        score = np.nan if entry.scores is None else entry.scores.value
        return entry.rung, -np.nan_to_num(score, nan=-np.inf), line[0].number

    return sorted(lines, key=key)


def rungs_of(candidates):
    """Return the number of candidates at each rung or fold, and that of their samples."""
    found = {}
    for candidate in candidates:
        for entry in candidate.entries:
            if entry.scores is not None:
                found.setdefault(entry.rung, []).append(entry.n_samples)
    return [len(found[r]) for r in sorted(found)], [found[r][0] for r in sorted(found)]


def best_line(candidates, number):
    """Return the index of the last line of a candidate, None if it has none."""
    lines = [k for k, (c, _) in enumerate(_lines(candidates)) if c.number == number]
    return lines[-1] if lines else None


def results_table(candidates, remaining, metrics, error_score):
    """Return ``cv_results_``; ``remaining``: candidates that have not been eliminated.

    The first of the metrics decides. ``error_score`` is the score of those that have failed.
    """
    lines, main = _lines(candidates), metrics[0]
    failed = np.nan if error_score == "raise" else error_score
    entries = [entry for _, entry in lines]
    is_failure = np.array([entry.scores is None for entry in entries], dtype=bool)
    rungs = np.array([entry.rung for entry in entries], dtype=int)
    table = {
        "rung": rungs,
        "n_resources": np.array([entry.n_samples for entry in entries], dtype=int),
        "n_scored": np.array([0 if e.scores is None else e.scores.n_samples for e in entries]),
        "candidate": np.array([candidate.number for candidate, _ in lines], dtype=int),
        **_parameters([candidate.params for candidate, _ in lines]),
        "params": [candidate.params for candidate, _ in lines],
    }
    for name in metrics:
        table[f"mean_test_{name}"] = np.array(
            [failed if entry.scores is None else entry.scores.values[name] for entry in entries]
        )
    table[f"se_test_{main}"] = np.array([entry.standard_error for entry in entries])
    ranks = np.empty(len(lines), dtype=np.int32)
    order = np.lexsort((np.arange(len(lines)), is_failure, -rungs))
    ranks[order] = np.arange(1, len(lines) + 1)
    table[f"rank_test_{main}"] = ranks
    table["survives"] = np.array(
        [entry is not c.entries[-1] or c in remaining for c, entry in lines], dtype=bool
    )
    table["n_support"] = np.array([entry.n_support for entry in entries], dtype=float)
    table["mean_fit_time"] = np.array([entry.fit_seconds for entry in entries])
    table["mean_score_time"] = np.array([entry.score_seconds for entry in entries])
    return table


def _parameters(settings):
    """Return a masked column for each parameter, as in scikit-learn."""
    columns = {}
    for name in sorted({name for params in settings for name in params}):
        values = [params.get(name) for params in settings]
        plain = {type(value) for value in values} <= {int, float, bool, np.float64, np.int64}
        array = np.array(values) if plain else np.empty(len(values), dtype=object)
        if not plain:
            array[:] = values
        missing = [name not in params for params in settings]
        columns[f"param_{name}"] = np.ma.MaskedArray(array, mask=missing)
    return columns
