"""Readers of arrays and of tables in files."""

import os
import sys
import warnings
from numbers import Integral

from scipy.sparse import issparse
from sklearn.utils import check_consistent_length

from .._optional import import_optional
from .._sample_arrays import with_valid_indices
from .._sklearn_compat import Interval, _num_samples, validated
from ._reader_chunks import ReaderChunks

_CHUNK_SIZE = [Interval(Integral, 1, sys.maxsize, closed="both")]


@validated(chunk_size=_CHUNK_SIZE)
def read_arrays(X, y, *, chunk_size=10_000):
    """Read arrays in chunks, such as memory maps or data sets of HDF5 and Zarr files.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Samples: an array, a CSR matrix, a data frame, or any other object that has slices
        ``X[begin:end]``. Only one slice at a time is read.
    y : array-like of shape (n_samples,)
        Their labels or targets.
    chunk_size : int, default=10000
        Number of samples of a chunk. The last chunk may be smaller.

    Returns
    -------
    chunks : iterator
        Pairs ``(X[begin:end], y[begin:end])``.

    Raises
    ------
    ValueError
        If `X` and `y` have different numbers of samples, or `chunk_size` is invalid.

    See Also
    --------
    fit_stream : Train an estimator on chunks.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_online_svm.readers import read_arrays
    >>> X, y = np.zeros((5, 3)), np.arange(5)
    >>> [(X_chunk.shape, y_chunk) for X_chunk, y_chunk in read_arrays(X, y, chunk_size=3)]
    [((3, 3), array([0, 1, 2])), ((2, 3), array([3, 4]))]
    """
    X = with_valid_indices(X)
    X = X.tocsr() if issparse(X) else X  # others have no slices
    check_consistent_length(X, y)
    n_samples = _num_samples(X)
    # Integers in the index of a data frame need not be positions.
    X, y = getattr(X, "iloc", X), getattr(y, "iloc", y)
    begins = range(0, n_samples, chunk_size)
    chunks = ((X[i : i + chunk_size], y[i : i + chunk_size]) for i in begins)
    return ReaderChunks(chunks, reader="read_arrays", chunk_size=chunk_size)


@validated(target=[str], chunk_size=_CHUNK_SIZE)
def read_csv(path, *, target, chunk_size=10_000, **options):
    r"""Read a CSV file in chunks, with pandas.

    Parameters
    ----------
    path : str, path-like or file
        First argument of ``pandas.read_csv``.
    target : str
        Name of the column with the labels or targets.
    chunk_size : int, default=10000
        Number of samples of a chunk. The last chunk may be smaller.
    **options : dict
        Other parameters of ``pandas.read_csv``, such as ``dtype``, ``sep`` and ``usecols``.

    Returns
    -------
    chunks : iterator
        Pairs ``(X, y)`` of a data frame and a series.

    Raises
    ------
    ImportError
        If pandas is not installed.
    ValueError
        If a parameter is invalid, or, while the chunks are read, if there is no column `target`,
        or if a line has more fields than the header.

    See Also
    --------
    fit_stream : Train an estimator on chunks.

    Notes
    -----
    pandas infers the types of the columns in each chunk. Pass ``dtype`` if a column may look
    different in some chunks, for example integers with missing values in one of them. pandas
    reads the texts NA and None as missing: pass ``keep_default_na=False`` if they are classes.

    Examples
    --------
    >>> import io
    >>> from sklearn_online_svm.readers import read_csv
    >>> file = io.StringIO("a,b,label\n1,2,x\n3,4,y\n5,6,x\n")
    >>> for X, y in read_csv(file, target="label", chunk_size=2, dtype={"a": float}):
    ...     print(X.to_numpy(), y.to_list())
    [[1. 2.]
     [3. 4.]] ['x', 'y']
    [[5. 6.]] ['x']
    """
    chunks = _pairs(csv_frames(path, chunk_size, **options), target)
    options.pop("storage_options", None)  # access to the file; may contain a password
    options |= {"reader": "read_csv", "target": target, "chunk_size": chunk_size}
    return ReaderChunks(chunks, path, **options)


@validated(path=[str, os.PathLike], target=[str], columns=[list, None], chunk_size=_CHUNK_SIZE)
def read_parquet(path, *, target, columns=None, chunk_size=10_000):
    """Read a Parquet file in chunks, with pyarrow.

    Parameters
    ----------
    path : str or path-like
        Path of the file.
    target : str
        Name of the column with the labels or targets.
    columns : list of str, default=None
        Names of the columns of ``X``. With None these are all columns except `target`.
    chunk_size : int, default=10000
        Maximum number of samples of a chunk.

    Returns
    -------
    chunks : iterator
        Pairs ``(X, y)`` of a data frame and a series.

    Raises
    ------
    ImportError
        If pyarrow or pandas is not installed.
    ValueError
        If a parameter is invalid, or, while the chunks are read, if a column does not exist.

    See Also
    --------
    fit_stream : Train an estimator on chunks.

    Notes
    -----
    Memory is needed for the row groups of a chunk, at least one. A chunk ends with its last row
    group, so that it may be smaller than `chunk_size`.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.readers import read_parquet
    >>> X, y = make_banana_like(50, random_state=0)
    >>> import pandas, pyarrow  # doctest: +SKIP
    >>> path = os.path.join(tempfile.mkdtemp(), "banana.parquet")
    >>> table = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "label": y})  # doctest: +SKIP
    >>> table.to_parquet(path)  # doctest: +SKIP
    >>> chunks = read_parquet(path, target="label", chunk_size=30)  # doctest: +SKIP
    >>> [X.shape for X, y in chunks]  # doctest: +SKIP
    [(30, 2), (20, 2)]
    """
    selected = None if columns is None else [*columns, target]
    return ReaderChunks(
        _pairs(parquet_frames(path, chunk_size, selected), target, columns),
        path,
        reader="read_parquet",
        target=target,
        columns=columns,
        chunk_size=chunk_size,
    )


def csv_frames(path, chunk_size, **options):
    """Return an iterator of data frames of a CSV file."""
    pandas = import_optional("pandas", "read_csv")
    warning = import_optional("pandas.errors", "read_csv").ParserWarning
    # Otherwise, if there are more fields than names in the header, the first fields are an index
    # and the others belong to the wrong columns. With this option pandas warns.
    options = {"index_col": False} | options
    moves = {"comment", "header", "names", "skiprows"} & options.keys()

    def frames():
        with pandas.read_csv(path, chunksize=chunk_size, **options) as reader:
            line = 2
            while True:
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("error", warning)
                        frame = next(reader, None)
                except warning:
                    place = "the line of the first sample" if moves else f"line {line}"
                    raise ValueError(
                        f"{place} has more fields than the header. Add the missing column names, "
                        "or quote fields that contain the separator."
                    ) from None
                if frame is None:
                    return
                yield frame
                line += len(frame)

    return frames()


def parquet_frames(path, chunk_size, columns=None):
    """Return an iterator of data frames of a Parquet file."""
    parquet = import_optional("pyarrow.parquet", "read_parquet")
    import_optional("pandas", "read_parquet")

    def frames():
        with parquet.ParquetFile(path) as file:
            groups, n_samples = [], 0
            for group in range(file.num_row_groups):
                groups.append(group)
                n_samples += file.metadata.row_group(group).num_rows
                # A call with all row groups would read the whole file into memory.
                if n_samples >= chunk_size or group == file.num_row_groups - 1:
                    for batch in file.iter_batches(chunk_size, row_groups=groups, columns=columns):
                        yield _frame_of(batch, path)
                    groups, n_samples = [], 0

    return frames()


def _frame_of(batch, path):
    try:
        return batch.to_pandas()
    except (AttributeError, IndexError, KeyError, NotImplementedError, TypeError) as error:
        # What pandas has stored in the file is damaged, although its schema is not.
        raise ValueError(
            f"{path} cannot be converted to a data frame ({type(error).__name__}: {error})."
        ) from error


def _pairs(frames, target, columns=None):
    """Yield data frames without the target, and the target."""
    for frame in frames:
        for name in (target, *(columns or ())):
            if name not in frame:
                raise ValueError(f"There is no column {name!r}; found {list(frame)}.")
        y = frame.pop(target)
        yield (frame if columns is None else frame[columns]), y
