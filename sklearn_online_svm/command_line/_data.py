"""Data files: chunks of samples and targets, whatever the format."""

import os
import zlib
from itertools import chain
from lzma import LZMAError

import numpy as np
from scipy.sparse import csr_matrix

from .._chunks import stacked
from ..readers import read_svmlight
from ..readers._tables import csv_frames, parquet_frames

__all__ = ["FORMATS", "DataFiles"]

FORMATS = ("svmlight", "csv", "parquet")
_COMPRESSED = (".gz", ".bz2", ".xz", ".zip", ".zst")
# Without a number of features every index is accepted.
_MAX_FEATURES = 2**31 - 1


class DataFiles:
    """Samples and targets of files with the same format.

    Parameters
    ----------
    paths : list of str
        The files, which are read one after the other.
    kind : {"auto", "svmlight", "csv", "parquet"}
        Format of the files.
    target : str or None
        Column of tables with the targets; None: the tables have no targets.
    zero_based : bool
        Whether the first index in svmlight files is 0.
    chunk_size : int
        Number of samples of a chunk.
    columns : list of str or None, default=None
        Columns of tables that are features; None: all except the target.
    n_features : int or None, default=None
        Number of features of svmlight files; None: any.
    dtype : dtype or None, default=None
        Type of the targets of tables; None: strings.
    """

    def __init__(
        self, paths, *, kind, target, zero_based, chunk_size,
        columns=None, n_features=None, dtype=None,
    ):  # fmt: skip
        for path in paths:
            with open(path, "rb"):  # raises an error with the path
                pass
        found = {_format_of(path) if kind == "auto" else kind for path in paths}
        if len(found) > 1:
            raise ValueError(f"the files have different formats: {', '.join(sorted(found))}")
        self.paths, self.kind = paths, found.pop()
        self.target, self.zero_based, self.chunk_size = target, zero_based, chunk_size
        self.columns, self.n_features, self.dtype = columns, n_features, dtype

    @property
    def is_table(self):
        """Whether the files have columns with names."""
        return self.kind != "svmlight"

    def chunks(self):
        """Yield pairs of samples and targets; targets are None if there are none."""
        if self.is_table:
            return chain.from_iterable(map(self._pairs, self.paths))
        return read_svmlight(
            list(self.paths),
            chunk_size=self.chunk_size,
            n_features=self.n_features or _MAX_FEATURES,
            zero_based=self.zero_based,
        )

    def scan(self, *, classes):
        """Read all files once: set the number of features, and find the classes if asked.

        Returns
        -------
        classes : ndarray or None
            All labels, sorted.
        """
        labels, n_features = [], 0
        for X, y in self.chunks():
            n_features = max(n_features, _n_features(X))
            if classes:
                labels.append(np.unique(y))
        if not labels and classes:
            raise ValueError(f"{self.paths[0]} has no samples")
        self._set_n_features(n_features)
        return self._set_labels(np.unique(np.concatenate(labels))) if classes else None

    def load(self, *, is_classification):
        """Return all samples and targets."""
        parts = list(self.chunks())
        if not parts:
            raise ValueError(f"{self.paths[0]} has no samples")
        X, y = (stacked([part[k] for part in parts]) for k in (0, 1))
        if self.is_table:
            X.index = range(len(X))
            if is_classification:
                self._set_labels(np.unique(y))
                y = self._typed(y)
        elif self.n_features is None:
            self._set_n_features(_n_features(X))
            X = csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], self.n_features))
        return X, y

    def _set_n_features(self, n_features):
        if n_features == 0:
            raise ValueError(f"{self.paths[0]} has no features")
        if not self.is_table and self.n_features is None:
            self.n_features = n_features

    def _set_labels(self, labels):
        """Decide on the type of the labels of tables, and return them."""
        if self.is_table:
            labels = numbers_if_possible(labels)
            self.dtype = labels.dtype
        return labels

    def _typed(self, y):
        """Return targets of a table, which are strings, in the type of the labels."""
        return y if self.dtype is None or self.dtype.kind == "U" else y.astype(self.dtype)

    def _pairs(self, path):
        """Yield samples and targets of a table."""
        n_before = 0
        for frame in self._frames(path):
            place = self._place(path, n_before)
            n_before += len(frame)
            y = None
            if self.target is not None:
                if self.target not in frame:
                    raise ValueError(f"{path}: there is no column {self.target!r}")
                y = self._targets(frame.pop(self.target), place)
            yield _numbers(self._features(frame, path), place), y

    def _frames(self, path):
        try:
            if self.kind == "parquet":
                yield from parquet_frames(path, self.chunk_size)
            else:
                # Labels such as 1 in one chunk and x in the next one must have the same type.
                types = {} if self.target is None else {self.target: str}
                yield from csv_frames(path, self.chunk_size, dtype=types)
        except (EOFError, LZMAError, OSError, ValueError, zlib.error) as error:
            raise ValueError(f"{path}: {error}") from None

    def _place(self, path, n_before):
        """Return a function of a mask: the path and the line of the first sample in it."""
        unit, first = ("line", 2) if self.kind == "csv" else ("sample", 1)
        return lambda mask: f"{path}, {unit} {n_before + int(np.argmax(mask)) + first}"

    def _features(self, frame, path):
        if self.columns is None:
            return frame
        missing = [name for name in self.columns if name not in frame]
        if missing:
            raise ValueError(f"{path}: there is no column {missing[0]!r}, a feature of the model")
        return frame[self.columns]

    def _targets(self, y, place):
        if y.isna().any():
            raise ValueError(f"{place(y.isna())}: column {y.name!r} has no value")
        y = y.astype(str).to_numpy(dtype=str)
        try:
            return self._typed(y)
        except ValueError:
            raise ValueError(
                f"{place(np.array([not _is_float(value) for value in y]))}: column "
                f"{self.target!r} must contain numbers"
            ) from None


def numbers_if_possible(labels):
    """Return sorted labels, which are strings, as integers or floats if all are such numbers.

    Floats with a fraction remain strings: scikit-learn has no classes of this kind.
    """
    for dtype in (np.int64, np.float64):
        try:
            numbers = np.unique(np.asarray(labels).astype(dtype))
        except ValueError:
            continue
        if np.all(numbers == np.floor(numbers)):
            return numbers
    return np.unique(np.asarray(labels, dtype=str))


def _format_of(path):
    root, ending = os.path.splitext(os.fspath(path).lower())
    if ending in _COMPRESSED:
        ending = os.path.splitext(root)[1]
    return {".csv": "csv", ".parquet": "parquet"}.get(ending, "svmlight")


def _n_features(X):
    if hasattr(X, "columns"):
        return X.shape[1]
    return int(X.indices.max()) + 1 if X.nnz else 0


def _numbers(frame, place):
    """Return a data frame of floats; an error has the line and the column."""
    for name, column in frame.items():
        if column.isna().any():
            raise ValueError(f"{place(column.isna())}: column {name!r} has no value")
        if column.dtype.kind not in "biuf":
            wrong = np.array([not _is_float(value) for value in column])
            found = column[wrong].iloc[0] if wrong.any() else column.iloc[0]
            raise ValueError(
                f"{place(wrong)}: column {name!r} must contain numbers, got {str(found)!r:.40}"
            )
    return frame.astype(np.float64)


def _is_float(value):
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
