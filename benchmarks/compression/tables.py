"""Tables of `compression`."""

from statistics import mean

from ..bench.rst import count, list_table, percent, times
from ..bench.summary import stored_records
from .sets import CASES, COMPARED_SHARE, SHARES, TOLERANCES


def _rows(places, names, results):
    """Return a row for each set and request; ``places`` are those of the requests."""
    found, rows = stored_records("compression_sets", results).ok(), []
    for name, case in CASES.items():
        records = found.where(set=name).records
        if not records:
            continue
        before = [
            case.title,
            count(mean(r["n_support"] for r in records)),
            percent(mean(r["error"] for r in records)),
        ]
        for place, request in zip(places, names, strict=True):
            small = [r["compressed"][place] for r in records]

            def ratio(field, records=records, small=small):
                pairs = zip(records, small, strict=True)
                return times(mean(r[field] / s[field] for r, s in pairs))

            pairs = zip(records, small, strict=True)
            rows.append(
                [
                    *before,
                    request,
                    count(mean(s["n_support"] for s in small)),
                    percent(mean(s["error"] for s in small)),
                    *(
                        f"{mean(s[field] for s in small):.3f}"
                        for field in ("max_difference", "sample_difference")
                    ),
                    ratio("seconds_batch"),
                    ratio("seconds_single"),
                    times(mean(s["seconds"] / r["seconds_fit"] for r, s in pairs)),
                ]
            )
            before = ["", "", ""]
    return rows


HEADER = [
    *("set", "support vectors", "error"),
    *("compressed to", "vectors", "error", "largest difference", "on test samples"),
    *("faster, batch", "faster, one sample", "time / fit"),
]


def by_tolerance(results):
    """Sizes that meet a tolerance."""
    names = [f"tolerance={tolerance:g}" for tolerance in TOLERANCES]
    rows = _rows(range(len(TOLERANCES)), names, results)
    return list_table(HEADER, rows)


def by_size(results):
    """Errors and differences of given sizes."""
    places = range(len(TOLERANCES), len(TOLERANCES) + len(SHARES))
    rows = _rows(places, [percent(share, 0) for share in SHARES], results)
    return list_table(HEADER, rows)


def methods(results):
    """Errors with selected and with moved vectors, and with the expansion of second order."""
    found, rows = stored_records("compression_methods", results).ok(), []
    fields = [
        *("error", "error_selected", "error_moved"),
        *("error_second_order", "share_second_order"),
    ]
    for name, case in CASES.items():
        records = found.where(set=name)
        if records:
            rows.append([case.title, *(percent(mean(records.values(f))) for f in fields)])
    header = [
        *("set", "original", f"{percent(COMPARED_SHARE, 0)} selected", "moved"),
        *("second order", "samples in its range"),
    ]
    return list_table(header, rows)


TABLES = {
    "compression_methods": methods,
    "compression_tolerance": by_tolerance,
    "compression_size": by_size,
}
