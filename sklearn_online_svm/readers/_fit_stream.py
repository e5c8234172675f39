"""``fit_stream``: training on chunks, with checkpoints."""

import hashlib
import io
import os
import sys
from itertools import islice
from numbers import Integral, Real
from time import monotonic

import joblib
import numpy as np

from .._atomic_dump import atomic_file
from .._sklearn_compat import HasMethods, Interval, _num_samples, validated
from .._threads import warn
from ._reader_chunks import ReaderChunks

# Number of the format of checkpoints, increased when their fields change.
_FORMAT = 1
# Bytes of the checksum at the end of a checkpoint: damaged pickles can crash the interpreter.
_N_DIGEST = hashlib.sha256().digest_size
_POSITION = ("epoch", "n_chunks", "n_samples")


@validated(
    skip_nested=False,
    estimator=[HasMethods(["partial_fit", "get_params"])],
    epochs=[Interval(Integral, 1, None, closed="left")],
    classes=["array-like", None],
    checkpoint=[str, os.PathLike, None],
    checkpoint_every=[Interval(Real, 0.0, None, closed="left")],
)
def fit_stream(
    estimator, chunks, *, epochs=1, classes=None, checkpoint=None, checkpoint_every=60.0
):
    """Train an estimator on chunks with ``partial_fit``, and continue after a crash.

    Parameters
    ----------
    estimator : estimator
        Estimator with ``partial_fit``. It is trained in place, unless a checkpoint exists.
    chunks : callable or iterable
        Pairs ``(X, y)``, or triples ``(X, y, sample_weight)``. A callable without parameters
        returns an iterator of them and is called once per epoch. An iterator can only be used for
        one epoch.
    epochs : int, default=1
        Number of epochs in all, including those before a crash.
    classes : array-like of shape (n_classes,), default=None
        All classes of a classifier, for the first call of ``partial_fit``, also after a
        checkpoint has been read.
    checkpoint : str or path-like, default=None
        Path of a file with the estimator and the position in the stream. If the file exists,
        training continues after the last chunk that it contains. Its directory must exist.
    checkpoint_every : float, default=60.0
        Minimum number of seconds between two writes of the checkpoint. With 0 it is written after
        each chunk. It is always written at the end.

    Returns
    -------
    estimator : estimator
        The trained estimator; the one of the checkpoint if there was one.

    Raises
    ------
    FileNotFoundError
        If the folder of the checkpoint does not exist.
    ValueError
        If a parameter is invalid, if `chunks` is empty, a path, or an iterator that is needed for
        several epochs, or if the checkpoint is from other code, another estimator, other
        options of the reader or other sizes of chunks, or is past the last of the `epochs`.

    See Also
    --------
    sklearn_online_svm.callback.Checkpoint : Checkpoints within ``fit`` or ``partial_fit``.

    Notes
    -----
    The file is replaced atomically, so that it is complete even if the process is killed during a
    write. ``joblib.load`` reads it: load only files that you trust.

    The chunks must be the same in each call. Those before the position are read again and
    discarded. With estimators of this package, the model is the same as without an interruption.
    The options of a reader of this package are compared if `chunks` is, or returns, its iterator.

    Delete the file to train from the beginning. With larger `epochs`, training continues after
    the last epoch.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn_online_svm import LASVC
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.readers import fit_stream, read_arrays
    >>> X, y = make_banana_like(1000, random_state=0)
    >>> checkpoint = os.path.join(tempfile.mkdtemp(), "checkpoint.joblib")
    >>> def chunks():
    ...     return read_arrays(X, y, chunk_size=300)
    >>> model = fit_stream(
    ...     LASVC(gamma=1.0, random_state=0), chunks, classes=[-1, 1], checkpoint=checkpoint
    ... )
    >>> model.n_samples_seen_
    1000
    """
    if epochs > 1 and hasattr(chunks, "__next__"):
        raise ValueError(
            f"chunks is an iterator, which cannot be read again for epochs={epochs}. Pass a "
            "function that returns a new iterator in each call."
        )
    if checkpoint is not None and not os.path.isdir(os.path.dirname(checkpoint) or "."):
        raise FileNotFoundError(
            f"checkpoint={os.fspath(checkpoint)!r}: the folder does not exist."
        )
    iterator = _iterator(chunks)
    reader = _as_text(iterator.options) if isinstance(iterator, ReaderChunks) else {}
    first, n_chunks, n_samples = 0, 0, 0
    if checkpoint is not None and os.path.exists(checkpoint):
        stored = _stored(checkpoint, estimator, reader)
        estimator = stored["estimator"]
        first, n_chunks, n_samples = (stored[name] for name in _POSITION)
        if (first, n_chunks) > (epochs, 0):
            raise ValueError(
                f"The checkpoint {os.fspath(checkpoint)!r} is in epoch {first + 1}, got "
                f"epochs={epochs}. Delete it to train from the beginning."
            )
        if first == epochs:
            warn(
                f"The checkpoint {os.fspath(checkpoint)!r} is of a finished training, so no chunk "
                "is read. Delete it to train from the beginning, or increase epochs."
            )
    written, given_classes = monotonic(), {} if classes is None else {"classes": classes}
    for epoch in range(first, epochs):
        if epoch > first:
            iterator = _iterator(chunks)
        found = sum(_num_samples(X) for X, *_ in islice(iterator, n_chunks))
        if found != n_samples:
            raise ValueError(
                f"The checkpoint {os.fspath(checkpoint)!r} was written after {n_samples} samples "
                f"in {n_chunks} chunks, but these chunks have {found} samples. Pass the same "
                "chunks as before, or delete it to train from the beginning."
            )
        for chunk in iterator:
            n_chunks += 1
            parts = chunk if isinstance(chunk, (tuple, list)) else [chunk]
            if len(parts) not in (2, 3):
                raise ValueError(
                    f"Chunk {n_chunks} is a {type(chunk).__name__} with {len(parts)} part(s); "
                    "chunks must be pairs (X, y) or triples (X, y, sample_weight)."
                )
            X, y, *weights = parts
            if not _num_samples(X):
                continue
            given = given_classes
            if weights and weights[0] is not None:
                given = {**given, "sample_weight": weights[0]}
            try:
                estimator.partial_fit(X, y, **given)
            except Exception as error:
                place = getattr(iterator, "path", None) or "the stream"
                last = n_samples + _num_samples(X) - 1
                place = f"samples {n_samples} to {last}, counted from 0, of {place}"
                error.add_note(f"In epoch {epoch + 1}, chunk {n_chunks}: {place}.")
                raise
            given_classes = {}  # only in the first call, also after a checkpoint
            n_samples += _num_samples(X)
            if checkpoint is not None and monotonic() >= written + checkpoint_every:
                _store(checkpoint, estimator, reader, epoch, n_chunks, n_samples)
                written = monotonic()
        if n_samples == 0:
            raise ValueError(f"chunks is empty in epoch {epoch + 1}.")
        n_chunks = n_samples = 0
    if checkpoint is not None and first < epochs:
        _store(checkpoint, estimator, reader, epochs, 0, 0)
    return estimator


def _iterator(chunks):
    chunks = chunks() if callable(chunks) else chunks
    if isinstance(chunks, (str, os.PathLike)):
        advice = "Read a file with a reader, such as read_csv(path, target=...)."
        raise ValueError(f"chunks must be an iterable of pairs (X, y), got {chunks!r}. {advice}")
    return iter(chunks)


def _store(path, estimator, reader, epoch, n_chunks, n_samples):
    """Write a checkpoint; ``n_chunks`` and ``n_samples`` are those of its epoch."""
    position = dict(zip(_POSITION, (epoch, n_chunks, n_samples), strict=True))
    buffer = io.BytesIO()
    content = {"fit_stream": _FORMAT, "estimator": estimator, "reader": reader, **position}
    joblib.dump(content, buffer)
    with atomic_file(path) as file:
        file.write(buffer.getbuffer())
        file.write(hashlib.sha256(buffer.getbuffer()).digest())


def _stored(path, estimator, reader):
    """Return the content of a checkpoint that belongs to the estimator and the reader."""
    with open(path, "rb") as file:
        content = file.read()
    path = repr(os.fspath(path))
    view = memoryview(content)
    if hashlib.sha256(view[:-_N_DIGEST]).digest() != view[-_N_DIGEST:]:
        raise ValueError(
            f"{path} is damaged, or not a checkpoint of fit_stream. Delete it, or choose another "
            "path."
        )
    try:
        stored = joblib.load(io.BytesIO(content))
    except Exception as error:  # as of a class that there is no longer
        raise ValueError(
            f"The checkpoint {path} cannot be loaded ({type(error).__name__}: {error}). Delete "
            "it, or choose another path."
        ) from error
    if not isinstance(stored, dict) or stored.get("fit_stream") != _FORMAT:
        raise ValueError(
            f"{path} is not a checkpoint of fit_stream of format {_FORMAT}. Choose another path."
        )
    try:
        found, found_reader = _description(stored["estimator"]), stored["reader"]
        position = [stored[name] for name in _POSITION]
        is_valid = all(isinstance(n, Integral) and 0 <= n <= sys.maxsize for n in position)
    except (AttributeError, KeyError):
        is_valid = False
    if not is_valid:
        raise ValueError(
            f"{path} is damaged: it has no valid estimator and position. Delete it, or choose "
            "another path."
        )
    _check_same(path, "another estimator", found, _description(estimator))
    if found_reader and reader:  # chunks of other sources have no options
        _check_same(path, "other options of the reader", found_reader, reader)
    return stored


def _check_same(path, what, found, expected):
    """Raise an error with the first name that has different values."""
    # The class comes first: others have other parameters.
    for name in found | expected:
        old, new = (values.get(name, "the default") for values in (found, expected))
        if old != new:
            raise ValueError(
                f"The checkpoint {path} has {what}: {name} is {old}, got {new}. Delete it to "
                "train from the beginning."
            )


def _description(estimator):
    """Return the class and the parameters, as text."""
    return {"its class": type(estimator).__name__, **_as_text(estimator.get_params(deep=True))}


def _as_text(values):
    """Return values as text that is the same in each process."""
    return {name: _text(value) for name, value in values.items()}


def _text(value):
    """Return a text, the same for equal numbers or dicts; for objects, the name of the class."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(f'{_text(k)}: {_text(v)}' for k, v in value.items()))}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, (str, int, float, bool, type, type(None))):
        return repr(value)
    return type(value).__name__
