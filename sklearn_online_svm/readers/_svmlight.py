"""Reader of files in svmlight format."""

import bz2
import gzip
import lzma
import os
import sys
import zlib
from functools import partial
from numbers import Integral

import numpy as np
from scipy.sparse import csr_matrix

from .. import _limits
from .._core.svmlight import SvmlightParser
from .._sklearn_compat import Interval, Options, StrOptions, validated
from ._reader_chunks import ReaderChunks

_OPENERS = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
# Largest number of features: indices are int32.
_MAX_FEATURES = 2**31 - 1


@validated(
    path=[str, os.PathLike, list],
    chunk_size=[Interval(Integral, 1, sys.maxsize, closed="both")],
    n_features=[Interval(Integral, 1, _MAX_FEATURES, closed="both"), None],
    dtype=[StrOptions({"float64", "float32"}), Options(type, {np.float64, np.float32})],
    zero_based=[bool, StrOptions({"auto"})],
)
def read_svmlight(path, *, chunk_size=10_000, n_features=None, dtype="float64", zero_based="auto"):
    """Read files in svmlight (LIBSVM) format in chunks.

    Memory is needed for one chunk and for one block of 1 MB of the file.

    Parameters
    ----------
    path : str, path-like, list of str, or list of path-like
        Path of the file. Files that end in ``.gz``, ``.bz2`` or ``.xz`` are decompressed. Several
        files are read as one.
    chunk_size : int, default=10000
        Number of samples of a chunk. The last chunk may be smaller.
    n_features : int, default=None
        Number of features. With None the files are read twice, the first time to determine the
        largest index.
    dtype : {"float64", "float32"} or dtype, default="float64"
        Type of the values, by its name or as ``np.float64`` or ``np.float32``.
    zero_based : bool or "auto", default="auto"
        Whether the index of the first feature is 0 (True) or 1 (False). With ``"auto"`` it is 0 if
        some index is 0, otherwise 1; this, too, is determined by reading the files twice. The
        largest index that can be read is 2147483647, or 2147483646 if the first one is 0.

    Returns
    -------
    chunks : iterator
        Pairs ``(X, y)``. ``X`` is a csr_matrix of shape (n_samples, n_features). ``y`` is an
        ndarray of shape (n_samples,), of dtype int64 if all targets of the chunk are integers,
        otherwise float64.

    Raises
    ------
    ValueError
        If a parameter is invalid. While the chunks are read: if a line is malformed, if an index
        is not greater than the one before it or exceeds `n_features`, or if a number is not
        finite; the message has the file and the number of the line. If a compressed file is
        damaged or incomplete. If a file changes between two readings.

    See Also
    --------
    fit_stream : Train an estimator on chunks.
    sklearn.datasets.load_svmlight_file : Load a whole file.

    Notes
    -----
    A line is ``target index:value index:value ... # comment``. Empty lines, comments and ``qid:``
    are ignored. Numbers are decimal, and have the same value as in Python. ``nan`` and ``inf`` are
    refused, and numbers that overflow.

    Pass `n_features` and `zero_based` if they are known: the first of two readings takes nearly as
    long as the second.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import dump_svmlight_file
    >>> from sklearn_online_svm import AROWClassifier
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.readers import read_svmlight
    >>> X, y = make_banana_like(1000, random_state=0)
    >>> path = os.path.join(tempfile.mkdtemp(), "banana.svm")
    >>> dump_svmlight_file(X, y, path, zero_based=False)
    >>> model = AROWClassifier()
    >>> for X_chunk, y_chunk in read_svmlight(path, chunk_size=400):
    ...     model = model.partial_fit(X_chunk, y_chunk, classes=[-1, 1])
    ...     print(X_chunk.shape)
    (400, 2)
    (400, 2)
    (200, 2)
    """
    paths = [os.fspath(each) for each in (path if isinstance(path, list) else [path])]
    dtype = np.dtype(dtype)
    return ReaderChunks(
        _chunks(paths, chunk_size, n_features, dtype, zero_based),
        path,
        reader="read_svmlight",
        chunk_size=chunk_size,
        n_features=n_features,
        dtype=dtype.name,
        zero_based=zero_based,
    )


def _chunks(paths, chunk_size, n_features, dtype, zero_based):
    """Yield the chunks, after a first reading if it is needed."""
    if n_features is None or zero_based == "auto":
        versions = [*map(_version, paths)]
        n_found, zero_based = _first_reading(paths, dtype, zero_based)
        n_features = n_found if n_features is None else n_features
        paths = _unchanged(paths, versions)
    parser = SvmlightParser(dtype, n_features, 0 if zero_based else 1)
    for _ in _parsed(parser, paths, chunk_size):
        *arrays, y = parser.take()
        X = csr_matrix(tuple(arrays), shape=(len(y), n_features))
        X.has_sorted_indices = X.has_canonical_format = True
        # Above 2^53 a float64 is always an integer, though the number in the file need not be.
        is_integer = np.all((y == np.floor(y)) & (np.abs(y) < 2**53))
        yield X, y.astype(np.int64) if is_integer else y


def _first_reading(paths, dtype, zero_based):
    """Return the number of features, and whether the first index is 0."""
    # With "auto" the index 2147483647 is counted from 0 here, and may yet turn out to be the last
    # one of _MAX_FEATURES, counted from 1.
    limit = _MAX_FEATURES + (zero_based == "auto")
    parser = SvmlightParser(dtype, limit, 0 if zero_based else 1)
    try:
        for _ in _parsed(parser, paths, 10_000):
            parser.clear()
    except ValueError as error:  # there is no number of features yet
        largest = _MAX_FEATURES - (zero_based is True)
        message = str(error).replace(
            f"exceeds the number of features, {limit}", f"exceeds the largest one, {largest}"
        )
        raise ValueError(message) from None
    if zero_based == "auto":
        zero_based = parser.min_index <= 0
        n_features = parser.max_index + zero_based
    else:
        n_features = parser.max_index + 1
    return min(n_features, _MAX_FEATURES), zero_based


def _version(path):
    """Return what differs if a file is replaced or written."""
    found = os.stat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


def _unchanged(paths, versions):
    """Yield paths; raise an error for a file that is not the one of the first reading."""
    for path, version in zip(paths, versions, strict=True):
        if _version(path) != version:
            raise ValueError(
                f"{path} has changed between its two readings. Read it again, or pass n_features "
                "and zero_based, so that one reading is enough."
            )
        yield path


def _parsed(parser, paths, chunk_size):
    """Yield each time that the parser has a chunk, which the caller removes."""
    for path in paths:
        n_before = parser.n_lines
        for text in _lines(path):
            offset = 0
            while offset < len(text):
                try:
                    offset = parser.parse(text, offset, chunk_size)
                except ValueError as error:
                    number = parser.n_lines - n_before + 1
                    raise ValueError(f"{path}, line {number}: {error}.") from None
                if parser.n_samples == chunk_size:
                    yield
    if parser.n_samples:
        yield


def _lines(path):
    """Yield the content of a file in blocks of whole lines, each with a newline at its end."""
    pieces = []  # of an incomplete line
    for block in _blocks(path):
        end = block.rfind(b"\n") + 1
        if end:
            yield b"".join([*pieces, block[:end]])
            pieces = []
        if end < len(block):
            pieces.append(block[end:])
    if pieces:
        yield b"".join([*pieces, b"\n"])


def _blocks(path):
    """Yield the content of a file, decompressed."""
    opener = _OPENERS.get(os.path.splitext(path)[1])
    if opener is None:
        with open(path, "rb", buffering=0) as file:
            yield from iter(partial(file.read, _limits.SVMLIGHT_BLOCK_SIZE), b"")
        return
    with opener(path, "rb") as file:
        try:
            yield from iter(partial(file.read, _limits.SVMLIGHT_BLOCK_SIZE), b"")
        except (EOFError, OSError, lzma.LZMAError, zlib.error) as error:
            # These have no name of a file.
            raise ValueError(f"{path} cannot be decompressed: {error}.") from None
