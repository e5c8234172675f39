"""Pieces of reStructuredText."""


def list_table(header, rows, title=None):
    """A table; cells are strings. None without rows."""
    if not rows:
        return None
    lines = [f".. list-table:: {title}" if title else ".. list-table::"]
    lines += ["   :header-rows: 1", ""]
    for row in [header, *rows]:
        lines += [f"   {'* -' if i == 0 else '  -'} {cell}".rstrip() for i, cell in enumerate(row)]
    return "\n".join(lines) + "\n"


def joined(tables):
    """Several tables, below each other; None where there is none."""
    return "\n".join(filter(None, tables)) or None


def seconds(value):
    """Time with as many digits as say something."""
    if value is None:
        return "–"
    if value < 0.1:
        return f"{value * 1000:.3g} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"


def percent(fraction, digits=2):
    return "–" if fraction is None else f"{fraction:.{digits}%}".replace("%", " %")


def change(before, after):
    """Relative change in percent, with its sign."""
    if not before:
        return "–"
    # + 0.0 turns a rounded -0 into 0.
    return f"{round(100 * (after - before) / before) + 0.0:+.0f} %"


def count(value):
    return "–" if value is None else f"{value:,.0f}".replace(",", " ")


def millions(value):
    return "–" if value is None else f"{value / 1e6:.3g} M"


def megabytes(value):
    return "–" if value is None else f"{value:.0f} MB"


def times(ratio):
    """A ratio: 12.3x, 12 300x."""
    if ratio is None:
        return "–"
    rounded = f"{ratio:.3g}"
    return f"{count(float(rounded)) if ratio >= 1000 else rounded}×"
