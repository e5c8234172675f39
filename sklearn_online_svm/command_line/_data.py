"""Data files: chunks of samples and targets, whatever the format."""

import re
import warnings
from contextlib import contextmanager
from decimal import Decimal
from math import isfinite

import numpy as np

from .._sklearn_compat import InvalidParameterError
from ..readers import read_svmlight
from ..readers._tables import csv_frames, parquet_frames

_CSV = tuple(f".csv{ending}" for ending in ("", ".gz", ".bz2", ".xz", ".zip", ".zst"))
# With this number of features every index is accepted.
_MAX_FEATURES = 2**31 - 1
# Labels that are integers; 01 and +1 are text.
_INTEGER = r"0|-?[1-9]\d{0,17}"


class DataFiles:
    """Files of the same format, which are read one after the other.

    ``n_features``: number of features of svmlight files. None: it is set by ``scan``.
    ``columns``: columns of tables that are features. None: all except the target.
    ``dtype``: type of the targets of tables. None: strings, until ``scan`` or ``set_labels`` sets
        it.
    """

    def __init__(self, paths, args, *, n_features=None, columns=None, dtype=None):
        self.paths, self.n_features, self.columns = paths, n_features, columns
        self.target, self.zero_based = args.target, args.zero_based
        self.chunk_size = args.chunk_size
        self._labels = self._given = None
        kind = "U" if dtype is None else dtype.kind
        self.dtype = np.dtype({"i": np.int64, "u": np.int64, "f": np.float64}.get(kind, str))
        for path in paths:
            with open(path, "rb"):  # raises an error with the path
                pass
        formats = sorted({*map(_format_of, paths)})
        if len(formats) > 1:
            raise ValueError(f"the files have different formats: {', '.join(formats)}")
        self.format = formats[0]
        self.is_table = self.format != "svmlight"

    def chunks(self, *, targets_only=False):
        """Yield pairs of samples and targets, which are None without a column of targets.

        With ``targets_only`` the samples of tables are not read.
        """
        names = ", ".join(self.paths)
        if self.is_table:
            sources = [(path, self._pairs(path, targets_only)) for path in self.paths]
        else:
            pairs = read_svmlight(
                list(self.paths),
                chunk_size=self.chunk_size,
                n_features=self.n_features or _MAX_FEATURES,
                zero_based=self.zero_based,
            )
            sources = [(names, pairs)]
        self._given = None
        is_empty = True
        try:
            for name, pairs in sources:
                for pair in pairs:
                    self._given = name
                    yield pair
                    self._given, is_empty = None, False
        except ValueError as error:
            if "exceeds the number of features" not in str(error):
                raise
            raise ValueError(
                f"{error} Train with --n-features set to the number of features of all files, "
                "training and test."
            ) from None
        if is_empty:
            raise ValueError(f"{self.paths[0]} has no samples")
        self._given = None if targets_only else names

    @contextmanager
    def named_in_errors(self):
        """Name the files of the samples that a model has been given in its errors."""
        try:
            yield
        except InvalidParameterError:
            raise
        except ValueError as error:
            if self._given is None:  # an error of reading, which names the file
                raise
            raise ValueError(f"{self._given}: {error}") from error

    def scan(self, *, is_classification):
        """Read the files, set the number of features, and return the sorted labels, if any."""
        if not is_classification and (self.is_table or self.n_features):
            return None
        largest, labels = -1, []
        for X, y in self.chunks(targets_only=True):
            if not self.is_table:
                largest = max(largest, X.indices.max(initial=-1))
            if is_classification:
                labels.append(np.unique(y))
        if not self.is_table and self.n_features is None:
            if largest < 0:
                raise ValueError(f"{self.paths[0]} has no features")
            self.n_features = int(largest) + 1
        if not is_classification:
            return None
        labels = np.concatenate(labels)
        return self.set_labels(labels) if self.is_table else np.unique(labels)

    def set_labels(self, labels):
        """Set the type of the labels of tables, which are strings, and return them sorted.

        They are integers if all of them look like integers: 01 and 1 are different labels.
        """
        is_integer = all(re.fullmatch(_INTEGER, label) for label in labels)
        self.dtype = np.dtype(np.int64 if is_integer else str)
        self._labels = np.unique(np.asarray(labels).astype(self.dtype))
        return self._labels

    def _pairs(self, path, targets_only):
        """Yield the pairs of a table."""
        unit, first = ("line", 2) if self.format == "csv" else ("sample", 1)
        for frame in self._frames(path, targets_only):
            if self.target is not None and self.target not in frame:
                raise ValueError(f"{path} has no column {self.target!r}")
            place = (f"{path}, {unit}", first)
            first += len(frame)
            if len(frame):
                y = None if self.target is None else self._targets(frame.pop(self.target), place)
                yield None if targets_only else _numbers(self._features(frame, path), place), y

    def _frames(self, path, targets_only):
        """Yield data frames; errors name the file."""
        try:
            if self.format == "parquet":
                only = [self.target] if targets_only else None
                yield from parquet_frames(path, self.chunk_size, only)
            else:
                # Labels such as 1 in one chunk and x in the next one must have the same type. NA
                # is a label, too; as a feature it is an error, like any other text.
                options = {
                    "dtype": {} if self.target is None else {self.target: str},
                    "usecols": (lambda name: name == self.target) if targets_only else None,
                    "keep_default_na": False,
                }
                yield from csv_frames(path, self.chunk_size, **options)
        except (ImportError, MemoryError):
            raise
        except Exception as error:  # pandas and pyarrow raise almost any for a damaged file
            raise ValueError(f"{path}: {str(error) or type(error).__name__}") from None

    def _features(self, frame, path):
        if self.columns is not None:
            missing = [name for name in self.columns if name not in frame]
            if missing:
                raise ValueError(f"{path} has no column {missing[0]!r}, a feature of the model")
            return frame[self.columns]
        # What pandas calls a column without a name.
        unnamed = [name for name in frame if re.fullmatch(r"Unnamed: \d+", str(name))]
        if unnamed and self.format == "csv":
            warnings.warn(f"{path}: a column without a name is not used.", stacklevel=2)
            frame = frame.drop(columns=unnamed)
        if not len(frame.columns):
            raise ValueError(f"{path} has no features")
        return frame

    def _targets(self, column, place):
        if self.dtype.kind == "f":
            return _numbers(column.to_frame(), place).to_numpy().ravel()
        texts = column if self.format == "csv" else column.map(_label, na_action="ignore")
        y = texts.astype(str).to_numpy(dtype=str)
        _require(column.notna() & (y != ""), column, place, "must contain labels")
        if self.dtype.kind == "i":
            is_integer = [re.fullmatch(_INTEGER, label) is not None for label in y]
            _require(is_integer, column, place, "must contain integers")
        y = y.astype(self.dtype)
        if self._labels is not None:
            _require(np.isin(y, self._labels), column, place, "must contain one of --classes")
        return y


def _label(value):
    """Return a label of a Parquet file; a number without a fractional part as an integer."""
    is_whole = isinstance(value, (Decimal, float)) and isfinite(value) and value == int(value)
    return int(value) if is_whole else value


def _format_of(path):
    name = path.lower()
    if name.endswith(".parquet"):
        return "parquet"
    return "csv" if name.endswith(_CSV) else "svmlight"


def _numbers(frame, place):
    """Return a data frame of floats; an error has the line and the column."""
    from pandas import to_numeric

    for _, column in frame.items():
        # Others are converted to text first, so that dates are not numbers.
        is_number = column.dtype.kind in "biuf"
        numbers = column if is_number else to_numeric(column.astype(str), errors="coerce")
        is_finite = np.isfinite(numbers.astype(np.float64))
        _require(is_finite, column, place, "must contain finite numbers")
    return frame.astype(np.float64)


def _require(is_valid, column, place, expected):
    """Raise an error with the place of the first value that is invalid."""
    if not np.all(is_valid):
        where, first = place
        k = int(np.flatnonzero(~np.asarray(is_valid, dtype=bool))[0])
        raise ValueError(
            f"{where} {first + k}: column {column.name!r} {expected}, "
            f"got {str(column.iloc[k])!r:.40}"
        )
