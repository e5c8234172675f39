"""Which tables and figures of the papers are reproduced, from ``coverage.json``.

Each entry has an item, its subject, a status, the page that shows it (or None), and a note, which
may be empty only if the item is reproduced.
"""

import json
from collections import Counter
from pathlib import Path

from .bench.rst import list_table

STATUSES = ("reproduced", "partly", "substitute", "not reproduced")


def papers():
    return json.loads(Path(__file__).with_name("coverage.json").read_text())


def tables():
    """Name and text of each table: the numbers of entries, and one table for each paper."""
    rows, made = [], {}
    for paper in papers():
        entries = paper["entries"]
        counts = Counter(entry["status"] for entry in entries)
        text = ", ".join(f"{counts[s]} {s}" for s in STATUSES if counts[s])
        rows.append([paper["paper"], text])
        made[f"coverage_{paper['key']}"] = list_table(
            ["item", "status, page, differences"],
            [[f"{e['item']}: {e['subject']}", _where(e)] for e in entries],
            paper["paper"],
        )
    return {"coverage": list_table(["paper", "entries"], rows), **made}


def _where(entry):
    page = f", :doc:`/{entry['page']}`" if entry["page"] else ""
    note = f": {entry['note']}" if entry["note"] else ""
    return f"**{entry['status']}**{page}{note}"
