"""Tables of `budget`."""

from functools import partial
from statistics import mean

from ..bench.rst import count, list_table, megabytes, percent, seconds
from ..bench.summary import stored_records
from .steps import CS, POLICIES, SIZES
from .streams import TITLES


def _cell(records):
    if not records:
        return "–"
    error, time = mean(records.values("error")), mean(records.values("seconds"))
    return f"{percent(error)} / {seconds(time)}"


def adult(results):
    """Error and time by the number of vectors."""
    records = stored_records("budget_adult", results).ok()
    if not records:
        return None
    columns = [(C, policy) for C in CS for policy in POLICIES]
    rows = []
    for size in SIZES:
        rows.append([count(size)])
        for C, policy in columns:
            options = {"max_support_vectors": size, "budget_policy": policy}
            rows[-1].append(_cell(records.where(C=C, options=options)))
    rows.append(["no limit"])
    for C, _ in columns:
        whole = records.where(C=C, options={})
        rows[-1].append(f"{_cell(whole)} / {count(whole.median('n_support'))} vectors")
    header = ["vectors", *(f"C = {C:g}, {policy}" for C, policy in columns)]
    return list_table(header, rows)


def stream(world, results):
    """What each model came to."""
    records = stored_records(f"budget_{world}", results).ok()
    rows = []
    for model, title in TITLES.items():
        found = records.where(model=model).records
        if not found:
            continue
        points = found[0]["points"]
        last = points[-1]
        rows.append([title, count(last["rows"]), percent(mean(p["error"] for p in points))])
        rows[-1] += [count(last["rows"] / last["seconds"]), megabytes(last["megabytes"])]
    header = ["", "samples used", "error before training", "samples per second", "memory"]
    return list_table(header, rows)


TABLES = {"budget_adult": adult}
TABLES |= {f"budget_{world}": partial(stream, world) for world in ("gradual", "abrupt")}
