"""Pieces of reStructuredText."""

# Numbers and their units stay on one line in a narrow table.
NBSP = "\N{NO-BREAK SPACE}"


def list_table(header, rows, title=None):
    """A table; cells are strings. None without rows."""
    if not rows:
        return None
    lines = [f".. list-table:: {title}" if title else ".. list-table::"]
    lines += ["   :header-rows: 1", ""]
    for row in [header, *rows]:
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}".rstrip() for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def split_table(header, rows, parts, n_keys=1):
    """Several narrow tables instead of a wide one, which a telephone cannot show.

    Each has the first `n_keys` columns, then those of its part; `parts` maps the title of each
    part to its number of columns.
    """
    tables, start = [], n_keys
    for title, n_columns in parts.items():
        chosen = [*range(n_keys), *range(start, start + n_columns)]
        part_rows = [[row[i] for i in chosen] for row in rows]
        tables.append(list_table([header[i] for i in chosen], part_rows, title))
        start += n_columns
    if start != len(header):
        raise ValueError(f"The parts have {start} of {len(header)} columns.")
    return joined(tables)


def grouped(rows):
    """Rows without the first cell where it is that of the row above."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == first else row[0], *row[1:]] for row, first in zip(rows, above)]


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


def pivot(keys, columns, parts="", n_keys=1):
    """A row for each key, with cells from the functions of the columns.

    `columns` are pairs of a header and a function of the key, of which the first `n_keys` name
    the key. `parts` is a title, or those of `split_table`.
    """
    header, cells = zip(*columns)
    rows = [[cell(key) for cell in cells] for key in keys]
    if not rows or isinstance(parts, str):
        return list_table(header, rows, parts)
    return split_table(header, rows, parts, n_keys)


def cross_table(corner, rows, columns, cell, parts=""):
    """`pivot` of ``cell(row, column)`` for each row and column, dicts from key to title.

    Rows of which nothing was measured are left out.
    """
    cells = {row: [cell(row, column) for column in columns] for row in rows}
    found = [row for row in rows if set(cells[row]) != {"–"}]
    of = [(title, lambda row, i=i: cells[row][i]) for i, title in enumerate(columns.values())]
    return pivot(found, [(corner, rows.get), *of], parts)


def table(rows, parts="", n_keys=1):
    """Return a table of rows that are dicts from header to cell; None without rows.

    `parts`: the title, or those of `split_table`. With several keys, equal ones in the first
    column are named once.
    """
    if not rows:
        return None
    header, cells = list(rows[0]), [list(row.values()) for row in rows]
    cells = cells if n_keys == 1 else grouped(cells)
    if isinstance(parts, str):
        return list_table(header, cells, parts)
    return split_table(header, cells, parts, n_keys)


def column_table(columns, parts="", n_keys=1):
    """Return a `table` of columns: a dict from header to cells."""
    return table([dict(zip(columns, row)) for row in zip(*columns.values())], parts, n_keys)


def points(value, digits=2):
    """Write percentage points with their sign; + 0.0 turns a rounded -0 into 0."""
    return "–" if value is None or value != value else f"{round(value, digits) + 0.0:+.{digits}f}"
