"""Tables of `thresholds`."""

from functools import partial
from statistics import mean

import numpy as np

from ..bench.rst import cross_table, joined, list_table, percent, pivot
from ..bench.summary import measured, stored_records
from .sets import SETS
from .steps import N_POSITIVE, SCORES
from .tasks import N_BEGIN

# A cell of fewer draws in which the target was reached is left out.
N_DRAWS = 50
TITLES = {
    "recall": "recall 0.9",
    "precision": "precision 0.7",
    "alarm_rate": "alarm rate 0.05",
    "costs": "costs 10 to 1",
}
RATES = {"recall": "recall", "precision": "precision", "alarm_rate": "alarm rate", "cost": "cost"}
DAYS_OF_WEEK = 7


def attained(results):
    """Mean of the target on test samples, with leave-one-out values; a table for each target."""
    found = stored_records("thresholds_coverage", results).ok().where(scores=SCORES[0])

    def cell(target, name, n_positive):
        records = found.where(set=name, n_positive=n_positive).records
        of = records[0]["targets"][target] if records else {"n_reached": 0}
        if not of["n_reached"]:
            return "–"
        share = of["n_reached"] / records[0]["n_draws"]
        share = "" if share == 1 else f" ({percent(share, 0)})"
        return f"{of[target]['mean']:.3f}{share}"

    titles = {name: of.title for name, of in SETS.items()}
    columns = {n: f"n = {n}" for n in N_POSITIVE}
    return joined(
        cross_table("", titles, columns, partial(cell, target), TITLES[target])
        for target in ("recall", "precision", "alarm_rate")
    )


def shares(found, target, rate, field, scores):
    """Return mean and smallest share of draws, over sets and numbers of samples, as cells."""
    values = [
        record["targets"][target][rate][field]
        for record in found.where(scores=scores).records
        if record["targets"][target]["n_reached"] >= N_DRAWS
    ]
    return [percent(mean(values), 0), percent(min(values), 0)] if values else ["–", "–"]


HEADER = [f"{scores}, {part}" for scores in SCORES for part in ("mean", "lowest")]


def coverage(results):
    """How often intervals contain the rate on test samples."""
    found = stored_records("thresholds_coverage", results).ok()
    rows = [
        [title, RATES[rate], *sum((shares(found, target, rate, "covered", s) for s in SCORES), [])]
        for target, title in TITLES.items()
        for rate in RATES
        if rate != "cost" or target == "costs"
    ]
    return list_table(["target", "interval of", *HEADER], rows) if found else None


def guarantee(results):
    """How often a guaranteed target was reached on test samples."""
    found = stored_records("thresholds_coverage", results).ok()
    rows = [
        [
            TITLES[rate],
            *sum((shares(found, f"{rate}, guarantee", rate, "reached", s) for s in SCORES), []),
        ]
        for rate in ("recall", "precision", "alarm_rate")
    ]
    return list_table(["target", *HEADER], rows) if found else None


def tuned(results):
    """Recall and cost, compared with TunedThresholdClassifierCV."""
    ours = stored_records("thresholds_coverage", results).ok().where(scores=SCORES[0])
    theirs = measured("thresholds_tuned", results)

    def cell(records, target, rate, name):
        (record,) = records.where(set=name, n_positive=100).records
        value = record["targets"][target][rate]
        return f"{value['mean'] if isinstance(value, dict) else value:.3f}"

    columns = [
        ("", lambda name: SETS[name].title),
        ("recall", partial(cell, ours, "recall", "recall")),
        ("recall, tuned", partial(cell, theirs, "recall", "recall")),
        ("alarm rate", partial(cell, ours, "recall", "alarm_rate")),
        ("alarm rate, tuned", partial(cell, theirs, "recall", "alarm_rate")),
        ("cost", partial(cell, ours, "costs", "cost")),
        ("cost, tuned", partial(cell, theirs, "costs", "cost")),
    ]
    return pivot([name for name in SETS if theirs.where(set=name)], columns)


def streams(results):
    """Alarms per day, and the recall of a week, of three kinds of thresholds."""
    found = measured("thresholds_streams", results)
    rows = []
    for way in ("fixed", "window", "adaptive"):
        row = [way]
        for target in ("alarm_rate", "recall"):
            values = []
            for record in found.where(target=target).records:
                alarms, hits = np.array(record["days"][way])[N_BEGIN:].T
                n_positive = np.array(record["n_positive"])[N_BEGIN:]
                weeks = range(len(hits) - DAYS_OF_WEEK + 1)
                recalls = [
                    hits[i : i + DAYS_OF_WEEK].sum() / n_positive[i : i + DAYS_OF_WEEK].sum()
                    for i in weeks
                ]
                whole = hits.sum() / n_positive.sum()
                values.append(
                    [alarms.min(), alarms.mean(), alarms.max()]
                    if target == "alarm_rate"
                    else [min(recalls), whole, max(recalls)]
                )
            digits = 0 if target == "alarm_rate" else 2
            row += [f"{value:.{digits}f}" for value in np.mean(values, axis=0)]
        rows.append(row)
    header = [f"{of}, {part}" for of in ("alarms", "recall") for part in ("least", "mean", "most")]
    return list_table(["", *header], rows)


TABLES = {
    "thresholds_attained": attained,
    "thresholds_coverage": coverage,
    "thresholds_guarantee": guarantee,
    "thresholds_tuned": tuned,
    "thresholds_streams": streams,
}
