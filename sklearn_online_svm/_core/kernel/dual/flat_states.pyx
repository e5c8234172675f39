"""States of all problems of an engine in flat arrays: one per field, over all problems.

With many problems, arrays of their own for each field of each problem would take most of the time
and the size of a file. Integers have the smallest type that holds them, and numbers with few
distinct values are places in a table of these.
"""
import numpy as np

# Largest size of a table, and the number of values that are looked at first.
TABLE = 256
FIRST = 1 << 12


def flattened(list states):
    """Return plain arrays with the content of the states of problems, dicts of arrays."""
    fields, lengths = {}, {}
    for name in dict.fromkeys([name for state in states for name in state]):
        parts = [state.get(name) for state in states]
        sizes = np.array([-1 if part is None else len(part) for part in parts])
        # Most fields have the same lengths: these are stored once.
        place, _ = lengths.setdefault(sizes.tobytes(), (len(lengths), narrowed(sizes)))
        values = np.concatenate([part for part in parts if part is not None])
        fields[name] = {"lengths": place, "dtype": values.dtype.name, **coded(values)}
    return {"n": len(states), "lengths": [sizes for _, sizes in lengths.values()],
            "fields": fields}


def split(flat):
    """Return the states of the problems; their arrays are views of the flat ones."""
    states = [{} for _ in range(flat["n"])]
    lengths = [sizes.tolist() for sizes in flat["lengths"]]
    for name, field in flat["fields"].items():
        values, end = decoded(field), 0
        for state, size in zip(states, lengths[field["lengths"]], strict=True):
            if size >= 0:
                state[name] = values[end:end + size]
                end += size
    return states


def narrowed(values):
    """Return integers in the smallest type that holds them, other values as they are."""
    if values.dtype.kind != "i" or not values.size:
        return values
    largest = max(int(values.max()), -1 - int(values.min()))
    return values.astype(np.min_scalar_type(-largest - 1))


def coded(values):
    """Return the values, or a table and places in it; if all values are equal, their number."""
    if values.dtype.kind == "f" and values.ndim == 1 and values.size > TABLE:
        bits = values.view(f"u{values.itemsize}")       # zeros keep their signs
        table = np.unique(bits[:FIRST])
        if len(table) <= TABLE:
            table = np.unique(bits)
        if len(table) == 1:
            return {"table": table.view(values.dtype), "size": len(bits)}
        if len(table) <= TABLE:
            places = np.searchsorted(table, bits).astype(np.uint8)
            return {"table": table.view(values.dtype), "values": places}
    return {"values": narrowed(values)}


def decoded(field):
    """Return the values that ``coded`` has been given."""
    if "size" in field:
        return np.broadcast_to(field["table"], field["size"])
    if "table" in field:
        return field["table"][field["values"]]
    return field["values"].astype(field["dtype"], copy=False)
