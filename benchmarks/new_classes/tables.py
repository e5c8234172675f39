"""Tables of `new_classes`."""

from statistics import mean

from ..bench.rst import list_table
from ..bench.summary import stored_records
from .tasks import AFTER, MODELS


def _table(columns, results):
    """Return a table with a row for each model.

    A column is a title, a field and the place of its time in AFTER. Cells are means in percent: of
    the model that classes were added to / that was given all of them in its first call.
    """
    found = stored_records("new_classes", results).ok()
    rows = []
    for model in MODELS:
        records = found.where(model=model).records
        if records:
            rows.append([model])
            for _, field, k in columns:
                pair = (mean(r[way][k][field] for r in records) for way in ("added", "known"))
                rows[-1].append(" / ".join(f"{100 * error:.1f}" for error in pair))
    return list_table(["model", *(title for title, _, _ in columns)], rows)


def former_classes(results):
    """Errors on former classes, and samples of them that are predicted as late ones."""
    columns = [
        ("error at once", "former", 0),
        (f"after {AFTER[-1]}", "former", -1),
        ("predicted as late, at once", "taken", 0),
    ]
    return _table(columns, results)


def new_classes(results):
    """Errors on late classes."""
    return _table([(f"after {n}", "new", k) for k, n in enumerate(AFTER) if n], results)


TABLES = {"new_classes_former": former_classes, "new_classes_new": new_classes}
