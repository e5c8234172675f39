"""Tables of `calibration`."""

from functools import partial
from statistics import mean

from ..bench.rst import pivot, times
from ..bench.summary import stored_records
from .sets import SETS
from .steps import CS, DRIFTS, STREAMS


def _loss(field, records):
    return f"{mean(records.values(field)):.4f}"


def _relative(field, records):
    """Mean ratio of log-losses, with ``probability=True`` in the denominator."""
    return f"{mean(r[field] / r['ours'] for r in records.records):.3f}"


def _fits(field, C, records):
    """Mean ratio of times, with a fit without probabilities in the denominator."""
    return f"{mean(r[field] / r['seconds_plain'] for r in records.where(C=C).records):.2f}"


def by_sets(columns, title, results, C=None):
    """A row for each set."""
    found = stored_records("calibration_sets", results).ok()
    found = found if C is None else found.where(C=C)
    rows = {of_set.title: found.where(set=name) for name, of_set in SETS.items()}
    return pivot({name: records for name, records in rows.items() if records}, columns, title)


def streams(results):
    """Log-loss of the second half of a stream."""
    found = stored_records("calibration_streams", results).ok()
    rows = {
        f"{SETS[name].title}, {drift}": found.where(set=name, drift=drift)
        for name in STREAMS
        for drift in DRIFTS
    }
    columns = {
        "LASVC": partial(_loss, "ours_second_half"),
        "first map": partial(_loss, "frozen_second_half"),
        "time": lambda records: times(
            mean(r["seconds_asked"] / r["seconds_trained"] for r in records.records)
        ),
    }
    rows = {name: records for name, records in rows.items() if records}
    return pivot(rows, columns, "Log-loss on streams")


LOSSES = {
    "LASVC": partial(_loss, "ours"),
    "sig\N{SOFT HYPHEN}moid": partial(_relative, "folds_sigmoid"),
    "train\N{SOFT HYPHEN}ing": partial(_relative, "training"),
}
TIMES = {
    f"C = {C:g}{title}": partial(_fits, field, C)
    for C in CS
    for title, field in {"": "seconds", ", CV": "seconds_folds"}.items()
}

TABLES = {
    **{
        f"calibration_c{C:g}": partial(by_sets, LOSSES, f"Log-loss with C = {C:g}", C=C)
        for C in CS
    },
    "calibration_time": partial(by_sets, TIMES, "Time, in fits without probabilities"),
    "calibration_streams": streams,
}
