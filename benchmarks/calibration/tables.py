"""Tables of `calibration`."""

from functools import partial
from statistics import mean

from ..bench.harness import grid
from ..bench.rst import pivot, times
from ..bench.summary import stored_records
from ..sets.calibration import SETS
from .steps import CS, DRIFTS, STREAMS


def _loss(field, records):
    return f"{mean(records.values(field)):.4f}"


def _relative(field, records):
    """Mean ratio of log-losses, with ``probability=True`` in the denominator."""
    return f"{mean(r[field] / r['ours'] for r in records.records):.3f}"


def _fits(field, C, records):
    """Mean ratio of times, with a fit without probabilities in the denominator."""
    return f"{mean(r[field] / r['seconds_plain'] for r in records.where(C=C).records):.2f}"


def by_sets(columns, title, results, **wanted):
    """A row for each set."""
    found = stored_records("calibration_sets", results).ok().where(**wanted)
    names = [name for name in SETS if found.where(set=name)]
    cells = [(header, lambda name, f=f: f(found.where(set=name))) for header, f in columns]
    return pivot(names, [("", lambda name: SETS[name].title), *cells], title)


def streams(results):
    """Log-loss of the second half of a stream."""
    found = stored_records("calibration_streams", results).ok()

    def cell(function):
        return lambda case: function(found.where(**case))

    def time(records):
        return times(mean(r["seconds_asked"] / r["seconds_trained"] for r in records.records))

    columns = [
        ("", lambda case: f"{SETS[case['set']].title}, {case['drift']}"),
        ("LASVC", cell(partial(_loss, "ours_second_half"))),
        ("first map", cell(partial(_loss, "frozen_second_half"))),
        ("time", cell(time)),
    ]
    cases = [case for case in grid(set=STREAMS, drift=DRIFTS) if found.where(**case)]
    return pivot(cases, columns, "Log-loss on streams")


# Narrow columns break at a soft hyphen.
LOSSES = [
    ("LASVC", partial(_loss, "ours")),
    ("sig\N{SOFT HYPHEN}moid", partial(_relative, "folds_sigmoid")),
    ("train\N{SOFT HYPHEN}ing", partial(_relative, "training")),
]
TIMES = [
    (f"C = {C:g}{title}", partial(_fits, field, C))
    for C in CS
    for title, field in {"": "seconds", ", CV": "seconds_folds"}.items()
]
TABLES = {
    **{
        f"calibration_c{C:g}": partial(by_sets, LOSSES, f"Log-loss with C = {C:g}", C=C)
        for C in CS
    },
    "calibration_time": partial(by_sets, TIMES, "Time relative to a fit without probabilities"),
    "calibration_streams": streams,
}
