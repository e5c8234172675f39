"""Tables and numbers in reStructuredText."""

import numpy as np
import pandas as pd

from .frames import median, verdict, where

# Numbers and their units stay on one line in a narrow table.
NBSP = "\N{NO-BREAK SPACE}"


def list_table(header, rows, parts="", n_keys=1):
    """Return a table of texts; None without rows.

    Parameters
    ----------
    header : sequence of str
    rows : list of sequences of str
    parts : str or dict
        The title; or, for several narrow tables instead of a wide one, which a telephone cannot
        show, the number of columns of each, by its title. Each part has the keys, too.
    n_keys : int
        Number of first columns that name a row. Of several, equal texts in the first one are
        written once.
    """
    if not rows:
        return None
    if n_keys > 1:
        above = [None, *(row[0] for row in rows)]
        rows = [["" if row[0] == a else row[0], *row[1:]] for row, a in zip(rows, above)]
    if isinstance(parts, str):
        parts = {parts: len(header) - n_keys}
    if sum(parts.values()) != len(header) - n_keys:
        raise ValueError(f"The parts have {sum(parts.values())} of {len(header)} columns.")
    tables, start = [], n_keys
    for title, n_columns in parts.items():
        lines = [f".. list-table:: {title}".rstrip(), "   :header-rows: 1", ""]
        for row in (header, *rows):
            cells = [*row[:n_keys], *row[start : start + n_columns]]
            lines += [
                f"   {'  -' if i else '* -'} {cell}".rstrip() for i, cell in enumerate(cells)
            ]
        tables.append("\n".join(lines) + "\n")
        start += n_columns
    return "\n".join(tables)


def joined(tables):
    """Several tables, below each other; None where there is none."""
    return "\n".join(filter(None, tables)) or None


def number(value, factor=1):
    """Three digits without a unit, which the header has: columns of a narrow table."""
    if value is None:
        return "–"
    value = factor * value
    return count(value) if value >= 1000 else f"{value:#.3g}".rstrip(".")


def seconds(value):
    """Time with as many digits as say something."""
    if value is None:
        return "–"
    if value < 0.1:
        return f"{value * 1000:.3g}{NBSP}ms"
    return f"{value:.2f}{NBSP}s" if value < 10 else f"{value:.0f}{NBSP}s"


def percent(fraction, digits=2):
    return "–" if fraction is None else f"{fraction:.{digits}%}".replace("%", f"{NBSP}%")


def change(before, after):
    """Relative change in percent, with its sign."""
    if not before:
        return "–"
    # + 0.0 turns a rounded -0 into 0.
    return f"{round(100 * (after - before) / before) + 0.0:+.0f}{NBSP}%"


def count(value):
    return "–" if value is None else f"{value:,.0f}".replace(",", NBSP)


def millions(value):
    return "–" if value is None else f"{value / 1e6:.3g}{NBSP}M"


def megabytes(value):
    return "–" if value is None else f"{value:.0f}{NBSP}MB"


def times(ratio):
    """A ratio: 12.3x, 12 300x."""
    if ratio is None:
        return "–"
    rounded = f"{ratio:.3g}"
    return f"{count(float(rounded)) if ratio >= 1000 else rounded}×"


def table(rows, parts="", n_keys=1):
    """Return a `list_table` of dicts from header to cell, or of a dict from header to column."""
    if isinstance(rows, dict):
        rows = [dict(zip(rows, cells)) for cells in zip(*rows.values())]
    return (
        list_table([*rows[0]], [[*row.values()] for row in rows], parts, n_keys) if rows else None
    )


def text_table(found, columns=None, parts="", keys=None):
    """Return a `list_table` of a frame, whose index has the titles of the rows.

    Parameters
    ----------
    found : DataFrame
    columns : dict
        From the name of a column to its title and the function that writes its values. None: all
        columns, which are texts.
    parts : str or dict
    keys : list of str
        Headers of the titles; None: they have none.
    """
    header, n_keys = [*found.columns], found.index.nlevels
    if columns is not None:
        header = [title for title, _ in columns.values()]
        cells = {c: found[c].map(form, na_action="ignore") for c, (_, form) in columns.items()}
        found = pd.DataFrame(cells, index=found.index)
    cells = found.astype(object).fillna("–")
    rows = np.column_stack([found.index.to_frame().astype(object), cells]).tolist()
    return list_table([*(keys or [""] * n_keys), *header], rows, parts, n_keys)


def cross_table(corner, rows, columns, cell, parts=""):
    """Return a `list_table` of ``cell(row, column)``; both are dicts from key to title.

    Rows of which nothing was measured are left out.
    """
    cells = [[title, *(cell(row, column) for column in columns)] for row, title in rows.items()]
    found = [of_row for of_row in cells if set(of_row[1:]) != {"–"}]
    return list_table([corner, *columns.values()], found, parts)


def _titles(axis):
    return axis if isinstance(axis, dict) else {value: str(value) for value in axis}


def cross(found, row, column, field, form=number, parts="", *, corner=None, middle=median):
    """Return a `cross_table` of medians of a field, or of another statistic.

    Parameters
    ----------
    found : DataFrame
    row, column : tuple
        The name of a field and its values: a dict from value to title, or a list.
    field : str
    form : callable
        Writes a value.
    parts : str or dict
    corner : str
        Header of the titles of the rows; None: the name of the field.
    """

    def cell(of_row, of_column):
        here = where(found, **{row[0]: of_row, column[0]: of_column})
        value = middle(here, field)
        if value is None:
            return verdict(here) if "status" in here else "–"
        return form(value)

    corner = row[0] if corner is None else corner
    return cross_table(corner, _titles(row[1]), _titles(column[1]), cell, parts)


def cross_fields(found, row, fields, parts="", *, corner=None, middle=median):
    """Return a table as `cross`, with a column for each field: a title, and what writes it."""

    def cell(value, field):
        return fields[field][1](middle(found, field, **{row[0]: value}))

    titles = {field: title for field, (title, _) in fields.items()}
    return cross_table(row[0] if corner is None else corner, _titles(row[1]), titles, cell, parts)


def points(value, digits=2):
    """Write percentage points with their sign; + 0.0 turns a rounded -0 into 0."""
    return "–" if value is None or value != value else f"{round(value, digits) + 0.0:+.{digits}f}"
