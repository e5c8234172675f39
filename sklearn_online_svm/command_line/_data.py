"""Data files: chunks of samples and targets, whatever the format."""

import os
import re
import warnings
from itertools import chain

import numpy as np
from scipy.sparse import csr_matrix

from .._chunks import stacked
from ..readers import read_svmlight
from ..readers._tables import csv_frames, parquet_frames

__all__ = [
    "SvmlightFiles",
    "TableFiles",
    "data_files",
    "numbers_if_possible",
    "shortened",
    "some_chunks",
]

_COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
# With this number of features every index is accepted.
_MAX_FEATURES = 2**31 - 1
# What pandas calls a column without a name.
_UNNAMED = re.compile(r"Unnamed: \d+")
# Labels that are integers; 01 and +1 are text.
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
# Values that are missing in a column of features, as for pandas.
_MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A")
# Number of columns that are listed in a message.
_MOST_SHOWN = 20


def data_files(paths, **options):
    """Return the files as an object with ``chunks``, ``scan`` and ``load``.

    Parameters
    ----------
    paths : list of str
        The files, which are read one after the other.
    **options : dict
        Parameters of ``SvmlightFiles`` and ``TableFiles``; each uses its own.
    """
    for path in paths:
        with open(path, "rb"):  # raises an error with the path
            pass
    found = {*map(_format_of, paths)}
    if len(found) > 1:
        raise ValueError(f"the files have different formats: {', '.join(sorted(found))}")
    kind = found.pop()
    if kind == "svmlight":
        names = ("chunk_size", "n_features", "zero_based")
        return SvmlightFiles(paths, **{name: options[name] for name in names})
    names = ("chunk_size", "columns", "dtype", "target")
    return TableFiles(paths, kind, **{name: options[name] for name in names})


def _format_of(path):
    root, ending = os.path.splitext(os.fspath(path).lower())
    if ending in _COMPRESSED:
        ending = os.path.splitext(root)[1]
    return {".csv": "csv", ".parquet": "parquet"}.get(ending, "svmlight")


class SvmlightFiles:
    """Files in svmlight format.

    Parameters
    ----------
    paths : list of str
        The files.
    chunk_size : int
        Number of samples of a chunk.
    n_features : int or None
        Number of features. None: it is set by ``scan`` and ``load``.
    zero_based : bool
        Whether the first index is 0.
    """

    is_table = False

    def __init__(self, paths, *, chunk_size, n_features, zero_based):
        self.paths, self.chunk_size = paths, chunk_size
        self.n_features, self.zero_based = n_features, zero_based

    def chunks(self):
        """Return an iterator of pairs of samples and targets."""
        return read_svmlight(
            list(self.paths),
            chunk_size=self.chunk_size,
            n_features=self.n_features or _MAX_FEATURES,
            zero_based=self.zero_based,
        )

    def scan(self, *, is_classification):
        """Read the files, set the number of features, and return the sorted labels, if any."""
        n_samples, largest, labels = 0, -1, np.empty(0, dtype=np.int64)
        for X, y in self.chunks():
            n_samples += X.shape[0]
            largest = max(largest, X.indices.max(initial=-1))
            if is_classification:
                labels = np.union1d(labels, y)
        self._check(n_samples, largest)
        return labels if is_classification else None

    def load(self, *, is_classification):
        """Return all samples and targets."""
        parts = list(self.chunks())
        largest = max((X.indices.max(initial=-1) for X, _ in parts), default=-1)
        self._check(len(parts), largest)
        X, y = (stacked([part[k] for part in parts]) for k in (0, 1))
        return csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], self.n_features)), y

    def _check(self, n_samples, largest):
        """Check that there are samples and features, and set the number of features."""
        if not n_samples:
            raise ValueError(f"{self.paths[0]} has no samples")
        if self.n_features is None:
            if largest < 0:
                raise ValueError(f"{self.paths[0]} has no features")
            self.n_features = int(largest) + 1


class TableFiles:
    """Tables: CSV and Parquet files.

    Parameters
    ----------
    paths : list of str
        The files.
    kind : {"csv", "parquet"}
        Their format.
    chunk_size : int
        Number of samples of a chunk.
    columns : array-like of str or None
        Columns that are features. None: all except the target.
    dtype : dtype or None
        Type of the targets. None: strings, until ``scan`` or ``load`` sets it.
    target : str or None
        Column with the targets. None: there are no targets.
    """

    is_table = True

    def __init__(self, paths, kind, *, chunk_size, columns, dtype, target):
        self.paths, self.kind, self.chunk_size = paths, kind, chunk_size
        self.columns, self.dtype, self.target = columns, dtype, target

    def chunks(self):
        """Return an iterator of pairs of samples and targets; without targets these are None."""
        return chain.from_iterable(map(self._pairs, self.paths))

    def scan(self, *, is_classification):
        """Read the column of the targets, set their type, and return the sorted labels."""
        if not is_classification:
            return None
        labels = np.empty(0, dtype=str)
        for path in self.paths:
            for frame, place in self._frames(path, only=self.target):
                labels = np.union1d(labels, self._targets(frame, place))
        if not len(labels):
            raise ValueError(f"{self.paths[0]} has no samples")
        return self._set_labels(labels)

    def load(self, *, is_classification):
        """Return all samples and targets."""
        parts = list(self.chunks())
        if not parts:
            raise ValueError(f"{self.paths[0]} has no samples")
        X, y = (stacked([part[k] for part in parts]) for k in (0, 1))
        X.index = range(len(X))
        if is_classification:
            self._set_labels(y)
        return X, self._typed(y)

    def _set_labels(self, labels):
        """Decide on the type of the labels, and return them sorted."""
        labels = numbers_if_possible(labels)
        self.dtype = labels.dtype
        return labels

    def _typed(self, y):
        """Return targets, which are strings, in the type of the targets."""
        return y if self.dtype is None or self.dtype.kind == "U" else y.astype(self.dtype)

    def _pairs(self, path):
        for frame, place in self._frames(path):
            y = None if self.target is None else self._targets(frame, place)
            X = frame.drop(columns=[] if self.target is None else self.target)
            yield _numbers(self._features(X, path), place), y

    def _frames(self, path, only=None):
        """Yield data frames, and a function that returns the place of the first sample of a mask.

        If ``only`` is given, the frames have this column only.
        """
        unit, n_before = ("line", 2) if self.kind == "csv" else ("sample", 1)
        for frame in self._read(path, only):
            if self.target is not None and self.target not in frame:
                raise ValueError(f"{path}: {_no_column(self.target, frame)}")

            def place(mask, first=n_before):
                return f"{path}, {unit} {first + int(np.argmax(mask))}"

            if len(frame):
                yield frame, place
            n_before += len(frame)

    def _read(self, path, only):
        try:
            if self.kind == "parquet":
                yield from parquet_frames(path, self.chunk_size, only and [only])
            else:
                # Labels such as 1 in one chunk and x in the next one must have the same type. NA
                # is a label, too; as a feature it is an error, like any other text.
                options = {
                    "dtype": {} if self.target is None else {self.target: str},
                    "usecols": only and (lambda name: name == only),
                    "keep_default_na": False,
                }
                yield from csv_frames(path, self.chunk_size, **options)
        except (ImportError, MemoryError):
            raise
        except Exception as error:  # pandas and pyarrow raise almost any for a damaged file
            raise ValueError(f"{path}: {error or type(error).__name__}") from None

    def _features(self, frame, path):
        if not len(frame.columns):
            raise ValueError(f"{path} has no features")
        if self.columns is None:
            unnamed = [name for name in frame if self.kind == "csv" and _UNNAMED.fullmatch(name)]
            if unnamed:
                warnings.warn(
                    f"{path}: column {1 + frame.columns.get_loc(unnamed[0])} has no name and is "
                    "not used. pandas writes its index like this, unless index=False.",
                    UserWarning,
                    stacklevel=2,
                )
            return frame.drop(columns=unnamed)
        missing = [name for name in self.columns if name not in frame]
        if missing:
            raise ValueError(
                f"{path}: {_no_column(missing[0], frame, ', a feature of the model')}"
            )
        return frame[self.columns]

    def _targets(self, frame, place):
        y = frame[self.target]
        missing = y.isna() | (y.astype(str) == "")
        if missing.any():
            raise ValueError(f"{place(missing)}: column {self.target!r} has no value")
        y = y.astype(str).to_numpy(dtype=str)
        try:
            return self._typed(y)
        except ValueError:
            wrong = [not _is_float(value) for value in y]
            raise ValueError(
                f"{place(wrong)}: column {self.target!r} must contain numbers"
            ) from None


def numbers_if_possible(labels):
    """Return sorted labels, which are strings, as integers if all of them look like integers.

    Others remain strings: 01 and 1 are different labels.
    """
    labels = np.unique(labels)
    if all(_INTEGER.fullmatch(label) for label in labels):
        return np.unique(labels.astype(np.int64))
    return labels


def shortened(names):
    """Return a list of names as text, the first ones only if there are many."""
    return ", ".join(names[:_MOST_SHOWN]) + (", ..." if len(names) > _MOST_SHOWN else "")


def some_chunks(data):
    """Yield the chunks of data files; raise an error if there are none."""
    is_empty = True
    for chunk in data.chunks():
        is_empty = False
        yield chunk
    if is_empty:
        raise ValueError(f"{data.paths[0]} has no samples")


def _no_column(name, frame, role=""):
    """Return a message that lists the columns, and guesses the separator if there is only one."""
    columns = [str(column) for column in frame]
    message = f"there is no column {name!r}{role}; the columns are {shortened(columns)}"
    separators = [c for c in (";", "\t", "|") if len(columns) == 1 and c in columns[0]]
    if separators:
        message += f" (columns must be separated by commas; this file has {separators[0]!r})"
    return message


def _numbers(frame, place):
    """Return a data frame of floats; an error has the line and the column."""
    for name, column in frame.items():
        is_text, missing = column.dtype.kind not in "biuf", column.isna()
        if is_text:
            missing |= column.isin(_MISSING)
        if missing.any():
            raise ValueError(f"{place(missing)}: column {name!r} has no value")
        if is_text:
            wrong = [not _is_float(value) for value in column]
            found = column.iloc[int(np.argmax(wrong))]
            raise ValueError(
                f"{place(wrong)}: column {name!r} must contain numbers, got {str(found)!r:.40}"
            )
    frame = frame.astype(np.float64)
    for name, column in frame.items():
        infinite = ~np.isfinite(column)
        if infinite.any():
            raise ValueError(f"{place(infinite)}: column {name!r} must contain finite numbers")
    return frame


def _is_float(value):
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
