"""Which tables and figures of the papers are reproduced, from ``coverage.json``.

Each entry has an item, its subject, a status, the page that shows it (or None), the steps of
`benchmarks.run` that it is made from (none if it is not reproduced), and a note, which is empty if
and only if the item is reproduced.
"""

import json
from collections import Counter
from itertools import takewhile
from pathlib import Path

from .bench.results import RESULTS, load_those_stored
from .bench.rst import list_table

STATUSES = ("reproduced", "partly", "substitute", "not reproduced")


def papers():
    return json.loads(Path(__file__).with_name("coverage.json").read_text())


def tables(results=RESULTS):
    """Name and text of each table: the numbers of entries, one table for each paper, the commands
    of each page, and the number of runs of each step, which pages name as ``|runs_STEP|``.
    """
    rows, made, steps, commands = [], {}, set(), {}
    for paper in papers():
        entries = paper["entries"]
        counts = Counter(entry["status"] for entry in entries)
        text = ", ".join(f"{counts[s]} {s}" for s in STATUSES if counts[s])
        rows.append([paper["paper"], text])
        made[f"coverage_{paper['key']}"] = list_table(
            ["item", "status, page, differences, command"],
            [[f"{e['item']}: {e['subject']}", _cell(e, results)] for e in entries],
            paper["paper"],
        )
        steps.update(step for entry in entries for step in entry["steps"])
        for entry in entries:
            if entry["steps"] and entry["page"].startswith("reproduction/"):
                name = f"commands_{Path(entry['page']).name}"
                commands.setdefault(name, []).append([entry["item"], _command(entry)])
    lines = [f".. |runs_{s}| replace:: {_runs([s], results)}\n" for s in sorted(steps)]
    made |= {name: list_table(["item", "command"], rows) for name, rows in commands.items()}
    return {"coverage": list_table(["paper", "entries"], rows), "runs": "".join(lines), **made}


def _runs(steps, results, counted=None):
    least, most = n_runs(steps, results, counted) or (0, 0)
    return f"{least}" if least == most else f"{least} to {most}"


def _cell(entry, results):
    page = f", :doc:`/{entry['page']}`" if entry["page"] else ""
    note = f": {entry['note']}" if entry["note"] else ""
    text = f"**{entry['status']}**{page}{note}"
    if not entry["steps"]:
        return text
    number = _runs(entry["steps"], results, entry.get("counted"))
    return f"{text}; {number} {'run' if number == '1' else 'runs'}; {_command(entry)}"


def _command(entry):
    return f"``python -m benchmarks.run --only {' '.join(entry['steps'])}``"


def n_runs(steps, results, counted=None):
    """How often the cases of some steps were measured: the smallest and the largest number.

    A case is what was asked of a record except for its seed; None without results. `counted`:
    a field of the runs that count.
    """
    numbers = []
    for stored in load_those_stored(steps, results).values():
        seeds = {}
        for record in stored["records"]:
            if record.get("status", "ok") == "ok":
                asked = takewhile(lambda item: item[0] != "status", record.items())
                case = [item for item in asked if item[0] != "seed"]
                case = tuple(item for item in case if not isinstance(item[1], (dict, list)))
                seeds.setdefault(case, {})[record.get("seed")] = _runs_within(record, counted)
        for of_case in seeds.values():
            numbers += [sum(map(min, of_case.values())), sum(map(max, of_case.values()))]
    return (min(numbers), max(numbers)) if numbers else None


def _runs_within(record, counted):
    """Numbers of orders of the samples within a record, which has one of these fields, or one."""
    if "n_orders" in record:
        return [record["n_orders"]]
    if "runs" in record:
        return [sum(not counted or bool(run.get(counted)) for run in record["runs"])]
    orders = {point.get("order") for point in record.get("sweep", ())}
    models = record.get("models", {}).values()
    lists = [part["score"] for part in record.get("fixed", ())]
    lists += [model["errors"] for model in models if "errors" in model]
    return [len(found) for found in lists or [orders or [0]]]
