"""Checkpoint of an interrupted call, from which ``resume`` continues exactly.

It holds everything but the samples: a dict of plain values and arrays, pickled with the model.
"""

import zlib

import numpy as np

from .._validation import check_weights

# Maximum number of bytes in a checksum; larger data are subsampled at even intervals.
_MOST_BYTES = 2**24

# Parameters that may change before resume, as they do not influence the model.
_FREE = ("n_jobs", "verbose")


def checkpoint_of(model, method, rows, cost, at):
    """Return the checkpoint of an interrupted method.

    ``rows``: X, what is learned, and weights, or None; ``at``: the position in the method.
    """
    engine = model._engine
    with engine.guard.reading():  # other threads may be optimizing for their predictions
        read_states = [problem.read_state() for problem in engine.problems]
    return {
        "method": method,
        "at": at.as_dict(),
        "cost": cost,
        "checksums": None if rows is None else checksums(*rows),
        "parameters": model.get_params(deep=False),
        # Within finish. Otherwise None: the engine of the model has the state.
        "engine": engine.checkpoint,
        "read_states": read_states,
    }


def note_interrupt(model, error, method, rows, cost, at):
    """Store what ``resume`` needs, and add a note to the traceback of the KeyboardInterrupt."""
    model._checkpoint = checkpoint_of(model, method, rows, cost, at)
    error.add_note(advice(model))


def advice(model):
    """Return the note that is added to the traceback of the KeyboardInterrupt."""
    checkpoint = model._checkpoint
    data = "" if checkpoint["checksums"] is None else "X, y"
    return (
        f"{type(model).__name__} holds the result of the training so far and can be used as it "
        f"is; resume({data}) continues the interrupted {checkpoint['method']}."
    )


def same_rows(model, checkpoint, X, y, sample_weight):
    """Validate the samples; raise ValueError unless they are those of the interrupted call."""
    method = checkpoint["method"]
    targets = model._targets
    if X is None or (y is None and targets.has_y):
        raise ValueError(
            f"resume needs the X and y of the interrupted {method}: they are not stored."
        )
    sparse = False if model._is_precomputed() else "csr"
    X, y = targets.validated(model, X, y, reset=False, dtype=model._dtype, accept_sparse=sparse)
    encoded = targets.encode(X, y)
    weights = check_weights(sample_weight, X, allow_all_zero=True)
    present = checksums(X, encoded, weights)
    for name, former in checkpoint["checksums"].items():
        if present[name] != former:
            raise ValueError(
                f"resume needs the data of the interrupted {method}, but {name} differs from it. "
                f"Call {method} to train on other data."
            )
    return X, encoded, weights


def refuse_new_parameters(model, checkpoint):
    """Raise ValueError for parameters that have changed since the interrupt."""
    for name, new in model.get_params(deep=False).items():
        # A parameter that the version that stored it did not have: the value of the class.
        old = checkpoint["parameters"].get(name, getattr(type(model), name, new))
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
