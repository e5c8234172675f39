"""Tables of `search`."""

from collections import Counter
from statistics import mean, median

from ..bench.results import load
from ..bench.rst import count, list_table, megabytes, percent, seconds, times
from ..bench.summary import Records, ratio
from .models import SEARCHES
from .sets import SETS
from .steps import SGD_FACTORS

# In which order peers have their lines.
PEERS = ["halving_lasvc", "halving", "random", "boosting"]


def records_of(step, results):
    """Records of a step; empty without results."""
    stored = load(step, results)
    return Records(stored["records"] if stored else ())


def searched(results):
    """Sets whose searches have been measured, with their records."""
    found = {work: records_of(f"search_{work}", results) for work in SETS}
    return {work: records for work, records in found.items() if records}


def exhaustive(work, results):
    """What was chosen from all pairs; None if it was not measured."""
    found = records_of(f"grid_{work}", results).ok().records
    return found[0] if found else None


def points(fraction):
    """A difference of errors, in points."""
    return f"{100 * fraction + 0.0:+.2f}"


def spread(values):
    """Mean, and from where to where."""
    if not values:
        return "–"
    if len(values) == 1:
        return percent(values[0])
    return f"{percent(mean(values))} ({100 * min(values):.2f} to {100 * max(values):.2f})"


def times_of(results):
    """What the search takes, beside single fits."""
    rows = []
    for work, records in searched(results).items():
        ours = records.where(search="progressive")
        took, one = ours.median("seconds"), ours.median("one_fit_seconds")
        ratios = [ratio(r["seconds"], r["one_fit_seconds"]) for r in ours.ok().records]
        fits = [records.where(search="one_fit", threads=n) for n in (1, 2)]
        others = [seconds(of.median("seconds")) if of.ok() else of.verdict() for of in fits]
        memory = megabytes(ours.median("peak_mb"))
        row = [
            SETS[work].title,
            seconds(took),
            seconds(one),
            times(median(ratios) if ratios else None),
        ]
        rows.append([*row, *others, memory])
    header = [
        "", "the search", "one fit of its choice", "times as long",
        "one fit, scikit-learn-intelex", "... 2 threads", "memory of the search",
    ]  # fmt: skip
    return list_table(header, rows) if rows else None


def plain(value):
    """Two digits, and no powers of ten."""
    return f"{float(f'{value:.2g}'):g}"


def _pair(record):
    return f"{plain(record['C'])}, {plain(record['gamma'])}"


def _pairs(records):
    """Each pair that was found, and how often."""
    found = Counter(map(_pair, records)).most_common()
    return "; ".join(f"{pair} ({n}×)" if n > 1 else pair for pair, n in found)


def errors_of(results):
    """What the choice is worth, beside the exhaustive one."""
    rows = []
    for work, records in searched(results).items():
        ours, best = records.where(search="progressive").ok(), exhaustive(work, results)
        if not ours or best is None:
            continue
        errors, theirs = ours.values("error"), best["lasvc_errors"]
        row = [SETS[work].title, spread(errors), spread(theirs)]
        row += [points(mean(errors) - mean(theirs)), percent(best["error"])]
        rows.append([*row, _pairs(ours.records), _pair(best)])
    header = [
        "", "the search", "``LASVC``, exhaustive choice", "difference in points",
        "exact solver, exhaustive choice", "``C``, ``gamma`` of the search", "... exhaustive",
    ]  # fmt: skip
    return list_table(header, rows) if rows else None


def _peer_cell(records):
    ok = records.ok()
    if not ok:
        return records.verdict()
    cell = f"{percent(mean(ok.values('error')))} / {seconds(ok.median('seconds'))}"
    rows, tried = ok.records[0].get("n_chosen_on"), ok.median("n_tried")
    notes = [f"chosen on {count(rows)} rows"] if rows else []
    notes += [f"{tried:g} tried"] if tried else []
    return f"{cell} ({', '.join(notes)})" if notes else cell


def peers(results):
    """Error and time of all searches."""
    found = searched(results)
    rows = [
        [SEARCHES[search].title]
        + [_peer_cell(records.where(search=search)) for records in found.values()]
        for search in ("progressive", *PEERS)
    ]
    return list_table(["", *(SETS[work].title for work in found)], rows) if found else None


def _linear_row(title, records, prefix=""):
    error, took, memory = (
        records.median(prefix + name) for name in ("error", "seconds", "peak_mb")
    )
    return [title, percent(error), seconds(took), megabytes(memory)]


def linear(results):
    """Sixty linear models, beside one pass of the best of them and SGD in the same time."""
    records = records_of("search_linear", results)
    if not records:
        return None
    ours = records.where(search="progressive")
    rows = [
        _linear_row("``ProgressiveSearch``, 60 candidates", ours),
        _linear_row("one pass of its choice", ours, "one_fit_"),
    ]
    for factor in SGD_FACTORS:
        sgd = records.where(search="sgd", factor=factor)
        time = "as long" if factor == 1 else f"{factor} times as long"
        title = f"``SGDClassifier``, {time}; candidates: {count(sgd.median('n_tried'))}"
        rows.append(_linear_row(title, sgd))
    return list_table(["", "test error", "time", "memory beside the rows"], rows)


TABLES = {
    "search_times": times_of,
    "search_errors": errors_of,
    "search_peers": peers,
    "search_linear": linear,
}
