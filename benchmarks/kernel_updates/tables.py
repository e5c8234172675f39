"""Tables of `kernel_updates`."""

import statistics

from ..bench import rst
from ..bench.results import load
from ..bench.summary import Records, ratio
from .steps import POLICIES


def _rate(records):
    """Samples per second; the median over the seeds."""
    rates = [r["rows"] / r["pass_seconds"] for r in records.ok().records]
    return statistics.median(rates) if rates else None


def kernel_stream(results):
    stored = load("kernel_stream", results)
    records, rows = Records(stored["records"]), []
    for policy in POLICIES:
        ours = records.where(policy=policy, rival=False)
        rival = _rate(records.where(policy=policy, rival=True))
        if not ours.ok():
            continue
        shares = [r["updates"] / r["rows"] for r in ours.ok().records]
        growth = [r["memory"][-1][1] - r["memory"][0][1] for r in ours.ok().records if r["memory"]]
        rows.append(
            [
                f'``"{policy}"``',
                rst.count(_rate(ours)),
                rst.times(ratio(_rate(ours), rival)),
                rst.percent(statistics.median(shares)),
                rst.percent(ours.median("error")),
                f"{ours.median('row_seconds') * 1e6:.0f} µs",
                f"{max(growth, default=0.0):+.1f} MB",
            ]
        )
    header = [
        "policy",
        "samples per second",
        "relative to NumPy",
        "samples with an update",
        "error",
        "``partial_fit`` of one sample",
        "memory, from sample 10 000 to the last",
    ]
    return rst.list_table(header, rows)


def kernel_pa_sets(results):
    stored = load("kernel_pa_sets", results)
    records = [r for r in stored["records"] if r["status"] == "ok"]
    names = list(dict.fromkeys(r["name"] for r in records))
    rows = []
    for model in records[0]["models"] if records else ():
        cells = []
        for name in names:
            here = [r["models"][model] for r in records if r["name"] == name]
            error = statistics.median(m["error"] for m in here)
            vectors = statistics.median(m["n_vectors"] for m in here)
            cells.append(f"{rst.percent(error)}; {rst.count(vectors)}")
        labels = statistics.median(r["models"][model]["labels"] for r in records)
        seconds = statistics.median(r["models"][model]["fit_seconds"] for r in records)
        rows.append([model, *cells, rst.percent(labels, 0), rst.seconds(seconds)])
    return rst.list_table(["model", *names, "labels", "time, median"], rows)


def kernel_perceptrons(results):
    stored = load("kernel_perceptrons", results)
    records = [r for r in stored["records"] if r["status"] == "ok"]
    rows = []
    for model in records[0]["models"] if records else ():
        of_digits = [r["models"][model] for r in records]
        errors = [rst.percent(m["error"]) for m in of_digits]
        seconds = statistics.median(m["fit_seconds"] for m in of_digits)
        vectors = statistics.median(m["n_vectors"] for m in of_digits)
        rows.append([model, *errors, rst.count(vectors), rst.seconds(seconds)])
    digits = [str(r["digit"]) for r in records]
    return rst.list_table(["model", *digits, "vectors, median", "time, median"], rows)


TABLES = {table.__name__: table for table in (kernel_stream, kernel_pa_sets, kernel_perceptrons)}
