"""Tables of the page on reliability, from the stored results."""

from pathlib import Path

from benchmarks.bench import results, rst

from . import CAMPAIGNS, part

RESULTS = Path(__file__).with_name("results")


def tables(folder=RESULTS):
    """Name and text of each table: one with all campaigns, and one for each."""
    stored = results.load_those_stored(CAMPAIGNS, folder)
    rows = [[part(name).PROMISE, *totals(found), command(name)] for name, found in stored.items()]
    header = ["promise", "cases", "failures", "command"]
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
    rows = [[cell(value) for value in record.values()] for record in found["records"]]
    day, version = found["environment"]["date"], found["environment"]["versions"]["python"]
    table = rst.list_table(list(found["records"][0]), rows) + f"\n{day}, Python {version}.\n"
    failures = [failure for record in found["records"] for failure in record["failures"]]
    return table + "".join(f"\n- ``{failure[:200]}``" for failure in failures) + "\n"


def cell(value):
    if isinstance(value, list):  # failures
        return rst.count(len(value))
    if isinstance(value, float):
        return f"{value:.3g}"
    return rst.count(value) if isinstance(value, int) else value
