"""Which tables and figures of the papers are reproduced, from ``coverage.json``.

Each entry has an item, its subject, a status, the page that shows it (or None), and a note, which
may be empty only if the item is reproduced.
"""

import json
from collections import Counter
from pathlib import Path

from .bench.rst import count, list_table

STATUSES = ("reproduced", "partly", "substitute", "not reproduced")


def papers():
    return json.loads(Path(__file__).with_name("coverage.json").read_text())


def tables():
    """Name and text of each table: the numbers of entries, and one table for each paper."""
    rows, made = [], {}
    for paper in papers():
        entries = paper["entries"]
        counts = Counter(entry["status"] for entry in entries)
        rows.append([paper["paper"], *(count(counts[status]) for status in STATUSES)])
        made[f"coverage_{paper['key']}"] = list_table(
            ["item", "subject", "status", "page, differences"],
            [[e["item"], e["subject"], e["status"], _where(e)] for e in entries],
            paper["paper"],
        )
    return {"coverage": list_table(["entries", *STATUSES], rows), **made}


def _where(entry):
    parts = [f":doc:`/{entry['page']}`" if entry["page"] else "", entry["note"]]
    return ": ".join(filter(None, parts))
