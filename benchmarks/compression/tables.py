"""Tables of `compression`."""

from statistics import mean

from ..bench.rst import count, list_table, number, percent, times
from ..bench.summary import stored_records
from .sets import CASES, COMPARED_SHARE, SHARES, TOLERANCES


def _requests(places, names, results):
    """Return a table with rows for each set: the model, and one for each request.

    ``places`` are those of the requests among the compressed models of a record.
    """
    found, rows = stored_records("compression_sets", results).ok(), []
    for name, case in CASES.items():
        records = found.where(set=name).records
        if not records:
            continue
        vectors, error = (mean(r[field] for r in records) for field in ("n_support", "error"))
        rows.append([case.title, count(vectors), number(error, 100), "–", "1×"])
        for place, request in zip(places, names, strict=True):
            small = [r["compressed"][place] for r in records]
            pairs = zip(records, small, strict=True)
            rows.append(
                [
                    request,
                    count(mean(s["n_support"] for s in small)),
                    number(mean(s["error"] for s in small), 100),
                    f"{mean(s['sample_difference'] for s in small):.3f}",
                    times(mean(r["seconds_batch"] / s["seconds_batch"] for r, s in pairs)),
                ]
            )
    return list_table(["set", "vectors", "error (%)", "differs by", "faster"], rows)


def by_tolerance(results):
    """Sizes that meet a tolerance."""
    names = [f"{tolerance:g}" for tolerance in TOLERANCES]
    return _requests(range(len(TOLERANCES)), names, results)


def by_size(results):
    """Errors and differences of given sizes."""
    places = range(len(TOLERANCES), len(TOLERANCES) + len(SHARES))
    return _requests(places, [percent(share, 0) for share in SHARES], results)


def methods(results):
    """Errors with selected and with moved vectors."""
    found, rows = stored_records("compression_methods", results).ok(), []
    fields = ("error", "error_selected", "error_moved")
    for name, case in CASES.items():
        records = found.where(set=name)
        if records:
            rows.append([case.title, *(percent(mean(records.values(f))) for f in fields)])
    header = ["set", "original", f"{percent(COMPARED_SHARE, 0)} selected", "moved"]
    return list_table(header, rows)


TABLES = {
    "compression_methods": methods,
    "compression_tolerance": by_tolerance,
    "compression_size": by_size,
}
