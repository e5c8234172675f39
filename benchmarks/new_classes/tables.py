"""Tables of `new_classes`."""

from statistics import mean

from ..bench.rst import list_table
from ..bench.summary import stored_records
from .tasks import AFTER, MODELS

TIMES = ["at once", *(f"after {n}" for n in AFTER[1:])]


def _errors(records, field, k):
    """Mean error, of a model that the classes were added to / that knew them."""
    added, known = (
        100 * mean(record[way][k][field] for record in records) for way in ("added", "known")
    )
    return f"{added:.1f} / {known:.1f}"


def _table(field, results):
    found = stored_records("new_classes", results).ok()
    rows = []
    for model in MODELS:
        records = found.where(model=model).records
        if records:
            errors = [_errors(records, field, k) for k in range(len(AFTER))]
            rows.append([f"``{model}``", *errors])
    return list_table(["model", *TIMES], rows)


def former_classes(results):
    return _table("former", results)


def new_classes(results):
    return _table("new", results)


def taken(results):
    return _table("taken", results)


TABLES = {
    "new_classes_former": former_classes,
    "new_classes_new": new_classes,
    "new_classes_taken": taken,
}
