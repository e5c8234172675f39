"""Stored results as data frames, and tables of their medians."""

import statistics

import numpy as np
import pandas as pd

from .results import NoResults, load_those_stored
from .rst import cross_table, number


def frame(steps, results, *, failed=False):
    """Return a row for each record of a step, or of several; `failed`: also where it failed.

    The name of its step is in the column ``step``. Raises NoResults if there is none.
    """
    names = [steps] if isinstance(steps, str) else list(steps)
    stored = load_those_stored(names, results)
    records = [
        {"step": name, **record}
        for name in names
        if name in stored
        for record in stored[name]["records"]
    ]
    found = pd.DataFrame([r for r in records if failed or r.get("status", "ok") == "ok"])
    if found.empty:
        raise NoResults(f"Nothing was measured in {', '.join(names)}.")
    return found


def points(found, field, *labels):
    """Return a row for each point, a dict, in a list of each row, with some labels of its row."""
    return pd.DataFrame(
        {**dict(zip(labels, values)), **point}
        for *values, listed in found[[*labels, field]].itertuples(index=False)
        for point in listed
    )


def where(found, **wanted):
    """Return the rows with these values; None: the value, or the field, is missing."""
    for name, value in wanted.items():
        if name not in found:
            found = found if value is None else found[:0]
        else:
            found = found[found[name].isna() if value is None else found[name] == value]
    return found


def values(found, field, **wanted):
    """Return the values of a field, a list; of repeated times, the median of each row."""
    column = where(found, **wanted).get(field, ())
    column = [statistics.median(v) if isinstance(v, list) else v for v in column]
    return [value for value in column if not pd.isna(value)]


def median(found, field, **wanted):
    """Return the median of a field over the rows with these values; None without rows."""
    known = values(found, field, **wanted)
    return statistics.median(known) if known else None


def mean(found, field, **wanted):
    """As `median`."""
    known = values(found, field, **wanted)
    return statistics.fmean(known) if known else None


def verdict(found, **wanted):
    """Return why there is no number: how it ended, in a word; "–" if it was not tried."""
    for row in where(found, **wanted).to_dict("records"):
        if row["status"] == "no result":
            return f"no result in {row['limit']:g} s"
        if row["status"] == "failed":
            return "failed"
    return "–"


def cross(found, row, column, field, form=number, parts="", *, corner=None, middle=median):
    """Return a table of medians of a field, or of another statistic.

    Parameters
    ----------
    found : DataFrame
    row, column : tuple
        The name of a field and its values: a dict from value to title, or a list. Rows of which
        nothing was measured are left out.
    field : str
    form : callable
        Writes a value.
    parts : str or dict
        The title, or those of `rst.split_table`.
    corner : str
        Header of the titles of the rows; None: the name of the field.
    """
    rows, columns = (
        axis if isinstance(axis, dict) else {value: str(value) for value in axis}
        for axis in (row[1], column[1])
    )

    def cell(of_row, of_column):
        here = where(found, **{row[0]: of_row, column[0]: of_column})
        value = middle(here, field)
        if value is None:
            return verdict(here) if "status" in here else "–"
        return form(value)

    return cross_table(row[0] if corner is None else corner, rows, columns, cell, parts)


def cross_fields(found, row, fields, parts="", *, corner=None, middle=median):
    """Return a table as `cross`, with a column for each field: a title, and what writes it."""
    rows = row[1] if isinstance(row[1], dict) else {value: str(value) for value in row[1]}
    titles = {field: title for field, (title, _) in fields.items()}

    def cell(value, field):
        return fields[field][1](middle(found, field, **{row[0]: value}))

    return cross_table(row[0] if corner is None else corner, rows, titles, cell, parts)


def ratio(slow, fast):
    """Return how many times as fast; None if one side is missing."""
    return slow / fast if slow is not None and fast else None


def curve(found, x, field, middle=median):
    """Return values of x in their order, and medians of a field there, or another statistic."""
    known = {value: middle(found, field, **{x: value}) for value in sorted(found[x].unique())}
    known = {value: y for value, y in known.items() if y is not None}
    return np.array([*known]), np.array([*known.values()])


def pointwise(found, field, statistic="mean"):
    """Return means of the first points in the lists of a field, of the second points, ..."""
    lists = [pd.DataFrame(listed) for listed in found[field]]
    return pd.concat(lists).groupby(level=0).agg(statistic) if lists else pd.DataFrame()
