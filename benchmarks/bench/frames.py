"""Stored results as data frames, and statistics of them."""

import statistics

import numpy as np
import pandas as pd

from .results import NoResults, load_those_stored


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


def entries(found, field, key, *labels):
    """As `points`, for a dict of dicts in each row; its keys are in the column `key`."""
    listed = [[{key: k, **part} for k, part in parts.items()] for parts in found[field]]
    return points(found.assign(**{field: listed}), field, *labels)


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


def unnest(found, path, *labels):
    """Return a row for each part of a list of each row, with some labels of its row.

    `path`: the field of the list, or several of lists within lists; None: the rows themselves.
    The values of a dict get columns of their own, such as "errors.lasvc".
    """
    return pd.json_normalize(found.to_dict("records"), path, [*labels])


def means(found, *by):
    """Return the means of all numbers, a row for each combination of values in some columns."""
    numbers = found[[name for name in found.select_dtypes("number") if name not in by]]
    groups = numbers.groupby([found[name] for name in by], sort=False)
    return groups.agg(
        lambda column: statistics.fmean(column.dropna()) if any(column.notna()) else None
    )
