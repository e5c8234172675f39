"""Checkpoint of an interrupted call, from which ``resume`` continues exactly.

It holds everything but the samples: a dict of plain values and arrays, pickled with the model.
"""

import zlib

import numpy as np

from .._base import check_rows, check_weights, encode_labels

# Maximum number of bytes in a checksum; larger data are subsampled at even intervals.
LOOKED_AT = 2**24

# Counts in the state of a run of epochs or a chunk, with their smallest values.
COUNTS = dict.fromkeys(("n_done", "changes", "n_rounds", "n_solved", "first", "n_labels"), 0)
COUNTS |= {"n_pass": 1, "settled": -1}
# Required counts; a run of epochs has them from its second stage on.
NEEDED = {
    "fit": ("n_done", "changes", "n_rounds"),
    "partial_fit": ("first", "n_labels"),
    "finish": ("n_done",),
}

# Parameters that may change before resume, as they do not influence the model.
FREE = ("n_jobs", "verbose")


def remember(model, method, rows, cost, at):
    """Return the checkpoint, or None if a kernel function was interrupted within a step.

    ``rows``: X, class codes and weights, or None; ``at``: the state of the method.
    """
    engine = model._engine
    if engine.cut:
        return None
    suspended = engine.suspended or {"state": None, "running": engine.running()}
    return {
        "method": method,
        "at": at,
        "cost": cost,
        "checksums": None if rows is None else checksums(*rows),
        "parameters": model.get_params(deep=False),
        # State within a block or within finish; otherwise the state of the model suffices.
        "engine": suspended["state"],
        "running": suspended["running"],
    }


def advice(model):
    """Return the note that is added to the traceback of the KeyboardInterrupt."""
    interrupted = model.__dict__.get("_interrupted")
    name = type(model).__name__
    if interrupted is None:
        return f"{name} holds the result of the training so far and can be used as it is."
    data = "" if interrupted["checksums"] is None else "X, y"
    return (
        f"{name} holds the result of the training so far and can be used as it is; resume({data}) "
        f"continues the interrupted {interrupted['method']}."
    )


def same_rows(model, interrupted, X, y, sample_weight):
    """Validate the samples; raise ValueError unless they are those of the interrupted call."""
    method = interrupted.value("method")
    if X is None or y is None:
        raise ValueError(
            f"resume needs the X and y of the interrupted {method}: they are not stored."
        )
    sparse = False if model._is_precomputed() else "csr"
    X, y = check_rows(model, X, y, reset=False, dtype=model._dtype, accept_sparse=sparse)
    codes = encode_labels(y, model.classes_)
    weights = check_weights(sample_weight, X, allow_all_zero=True)
    present = checksums(X, codes, weights)
    former = interrupted.part("checksums")
    for name in present:
        former.require(isinstance(former.value(name), str), name, "must be a string")
        if present[name] != former.value(name):
            raise ValueError(
                f"resume needs the data of the interrupted {method}, but {name} differs from it. "
                f"Call {method} to train on other data."
            )
    return X, codes, weights


def checked_place(model, interrupted, n_rows):
    """Return ``cost`` and ``at``; raise ValueError if they do not fit the samples."""
    at = interrupted.part("at")
    checked = {name: at.value(name) for name in at}
    method = interrupted.choice("method", [*model._stages])
    stage = at.choice("stage", model._stages[method])
    needed = () if method == "fit" and stage == "begin" else NEEDED[method]
    for name, lowest in COUNTS.items():
        if at.has(name) or name in needed:
            checked[name] = at.integer(name, lowest)
    if method == "finish":
        return None, checked
    cost, n_order = interrupted.array("cost", np.float64, (n_rows,), low=0), n_rows
    if method == "fit":
        checked |= model._passes.checked(model, at, n_rows)
        n_order = len(checked["order"])
    else:
        for name in ("counts_before", "counts"):
            checked[name] = at.array(name, np.float64, (len(model.classes_),), low=0)
        checked |= model._choice.checked(model, at, n_rows)
        n_order = len(checked["order"])
    n_learnt = interrupted.part("running").integer("n_learnt")
    running = stage == "learn"
    at.require(n_learnt <= n_order or not running, "order", f"must be at least {n_learnt} long")
    return cost, checked


def refuse_new_parameters(model, interrupted):
    """Raise ValueError for parameters that have changed since the interrupt."""
    parameters = interrupted.part("parameters")
    for name, new in model.get_params(deep=False).items():
        old = parameters.value(name)
        if name in FREE or new is old:
            continue
        if callable(new) or callable(old) or not np.array_equal(new, old):
            raise ValueError(
                f"{name} cannot change between an interrupt and resume: it was {old!r} and is now "
                f"{new!r}. Set it back, or call {interrupted.value('method')}."
            )


def checksums(X, codes, weights):
    """Return shape, dtype and checksum of each array; large arrays are subsampled."""
    return {"X": _checksum(X), "y": _checksum(codes), "sample_weight": _checksum(weights)}


def _checksum(array):
    if isinstance(array, np.ndarray):
        step = max(1, array.nbytes // LOOKED_AT)
        part = np.ascontiguousarray(array[::step])
        return f"{array.shape} {array.dtype.name} {zlib.crc32(part.view(np.uint8))}"
    parts = [_checksum(part) for part in (array.data, array.indices, array.indptr)]
    return f"{array.shape} csr: {', '.join(parts)}"


def copied(state):
    """Return a copy of dicts and lists of arrays; arrays are not shared."""
    if isinstance(state, dict):
        return {name: copied(value) for name, value in state.items()}
    if isinstance(state, list):
        return [copied(value) for value in state]
    return state.copy() if isinstance(state, np.ndarray) else state
