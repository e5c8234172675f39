"""Tables of the page on reliability, from the stored results."""

import re
from pathlib import Path

from benchmarks.bench import results, rst

from . import CAMPAIGNS, part

RESULTS = Path(__file__).with_name("results")
# Headers of columns that are not the names of the fields.
HEADERS = {
    "what": "test",
    "delay": "median delay (s)",
    "longest": "longest delay (s)",
    "refused": "rejected with ValueError",
    "slowest_seconds": "slowest (s)",
    "allocated": "malloc, bytes per sample",
    "resident": "resident, bytes per sample",
    "objects": "objects per sample",
    "time": "time, end / start",
    "score": "accuracy or R²",
    "fresh": "the same of a fresh model",
    "error": "largest relative error",
    "largest, of the tolerance": "largest difference / bound",
    "without convergence": "this package did not converge",
    "peer without convergence": "other solver did not converge",
}
LEFT_OUT = ("seconds",)


def tables(folder=RESULTS):
    """Name and text of each table: one with all campaigns, and one for each."""
    stored = results.load_those_stored(CAMPAIGNS, folder)
    rows = [[part(name).PROMISE, *totals(found), command(name)] for name, found in stored.items()]
    header = ["property tested", "cases", "failures", "command"]
    made = {"reliability": rst.list_table(header, rows)} if rows else {}
    return made | {f"reliability_{name}": records(found) for name, found in stored.items()}


def totals(found):
    cases = sum(record["cases"] for record in found["records"])
    failures = sum(len(record["failures"]) for record in found["records"])
    return rst.count(cases), rst.count(failures)


def command(name):
    return f"``make reliability ONLY={name}``"


def records(found):
    """A row for each record, and a line for each failure."""
    names = [name for name in found["records"][0] if name not in LEFT_OUT]
    rows = [[cell(record[name]) for name in names] for record in found["records"]]
    table = rst.list_table([HEADERS.get(name, name) for name in names], rows)
    failures = [failure for record in found["records"] for failure in record["failures"]]
    shown = [" ".join(failure.split())[:200].strip() for failure in failures]
    lines = "".join(f"- ``{failure}``\n" for failure in shown)
    return f"{table}\nRun on {found['environment']['date']}.\n\n{lines}"


def cell(value):
    if isinstance(value, list):  # failures
        return rst.count(len(value))
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, int):
        return rst.count(value)
    # Names of classes and files are code, which may break anywhere on narrow screens.
    is_name = " " not in value and re.search("[A-Z/]", value)
    return f"``{value}``" if is_name else value
