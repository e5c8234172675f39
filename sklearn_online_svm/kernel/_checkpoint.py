"""Checkpoint of an interrupted call, from which ``resume`` continues exactly.

It is a dict of plain values and arrays, pickled with the model: the position, the parameters, and
checksums of the samples. The state of the engine is in it only after an interrupt within finish;
otherwise the engine of the model still has that state.
"""

import zlib

import numpy as np

from .._validation import check_weights
from ._epochs import Rows

# Maximum number of bytes in a checksum; larger data are subsampled at even intervals.
_MOST_BYTES = 2**24

# Parameters that may change before resume, as they do not influence the model.
_FREE = ("n_jobs", "verbose")


def checkpoint_of(plan, machine, method, rows, at):
    """Return the checkpoint of a method that was interrupted at a position."""
    engine, read_state = None, None
    if machine.optimum is None:
        engine = machine.engine
        with engine.guard.reading():  # other threads may be optimizing for their predictions
            read_state = engine.read_state()
    return {
        "method": method,
        "at": at,
        "cost": None if rows is None else rows.cost,
        "checksums": None if rows is None else checksums(rows.X, rows.encoded, rows.weights),
        "parameters": vars(plan.params).copy(),
        # Within finish. Otherwise None: the engine, if any, has the state.
        "engine": None if engine is None else engine.checkpoint,
        "read_state": read_state,
    }


def note_interrupt(plan, machine, error, method, rows, at):
    """Store what ``resume`` needs, and add a note to the traceback of the KeyboardInterrupt."""
    machine.checkpoint = checkpoint_of(plan, machine, method, rows, at)
    data = "" if rows is None else "X, y"
    error.add_note(
        f"{plan.name} holds the result of the training so far and can be used as it is; "
        f"resume({data}) continues the interrupted {method}."
    )


def same_rows(estimator, plan, machine, X, y, sample_weight):
    """Validate the samples; raise ValueError unless they are those of the interrupted call."""
    checkpoint, targets = machine.checkpoint, machine.targets
    method = checkpoint["method"]
    if X is None or (y is None and targets.has_y):
        raise ValueError(
            f"resume needs the X and y of the interrupted {method}: they are not stored."
        )
    options = dict(reset=False, dtype=machine.dtype, accept_sparse=plan.layouts)
    X, y = targets.validated(estimator, X, y, **options)
    encoded = targets.encode(X, y)
    weights = check_weights(sample_weight, X, allow_all_zero=True)
    present = checksums(X, encoded, weights)
    for name, former in checkpoint["checksums"].items():
        if present[name] != former:
            raise ValueError(
                f"resume needs the data of the interrupted {method}, but {name} differs from it. "
                f"Call {method} to train on other data."
            )
    return Rows(X, encoded, weights, checkpoint["cost"])


def refuse_new_parameters(plan, checkpoint):
    """Raise ValueError for parameters that have changed since the interrupt."""
    for name, new in vars(plan.params).items():
        old = checkpoint["parameters"].get(name, new)
        if name in _FREE or new is old:
            continue
        if callable(new) or callable(old) or not np.array_equal(new, old):
            raise ValueError(
                f"{name} cannot change between an interrupt and resume: it was {old!r} and is now "
                f"{new!r}. Set it back, or call {checkpoint['method']}."
            )


def checksums(X, encoded, weights):
    """Return shape, dtype and checksum of each array; large arrays are subsampled."""
    return {"X": _checksum(X), "y": _checksum(encoded), "sample_weight": _checksum(weights)}


def _checksum(array):
    if isinstance(array, np.ndarray):
        step = max(1, array.nbytes // _MOST_BYTES)
        part = np.ascontiguousarray(array[::step])
        return f"{array.shape} {array.dtype.name} {zlib.crc32(part.view(np.uint8))}"
    parts = [_checksum(part) for part in (array.data, array.indices, array.indptr)]
    return f"{array.shape} csr: {', '.join(parts)}"
