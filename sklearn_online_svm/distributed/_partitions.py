"""Partitions of a data set, as delayed triples of samples, targets and weights."""

from .._chunks import stacked
from .._optional import import_optional
from ..readers import read_svmlight

# Number of results that a task of a reduction merges.
_FAN_IN = 8


def read_partitions(reader, paths, **options):
    """Return a partition for each file, read when a worker needs it.

    Parameters
    ----------
    reader : callable
        :func:`~sklearn_online_svm.readers.read_svmlight`,
        :func:`~sklearn_online_svm.readers.read_csv`,
        :func:`~sklearn_online_svm.readers.read_parquet`, or another function that returns an
        iterator of pairs ``(X, y)`` for a path.
    paths : list of str, or list of path-like
        Paths of the files, which all workers must be able to read.
    **options : dict
        Other parameters of the reader, such as ``target``.

    Returns
    -------
    partitions : list of Delayed
        The argument `X` of :func:`fit_cells` and :func:`fit_linear`.

    Raises
    ------
    ImportError
        If dask is not installed.
    ValueError
        If there is no path, or if the reader is ``read_svmlight`` and ``n_features`` or
        ``zero_based`` is missing: one file does not show how many features the others have.

    See Also
    --------
    fit_cells : Fit one model per cell.
    fit_linear : Fit a linear model.

    Notes
    -----
    A worker holds a whole file in memory. Split large files, or read CSV and Parquet files with
    ``dask.dataframe``, which divides them.

    Examples
    --------
    >>> import os, tempfile
    >>> from sklearn.datasets import dump_svmlight_file
    >>> from sklearn_online_svm import AROWClassifier
    >>> from sklearn_online_svm.datasets import make_banana_like
    >>> from sklearn_online_svm.distributed import fit_linear, read_partitions
    >>> from sklearn_online_svm.readers import read_svmlight
    >>> folder, paths = tempfile.mkdtemp(), []
    >>> for seed in range(3):
    ...     X, y = make_banana_like(500, random_state=seed)
    ...     paths.append(os.path.join(folder, f"{seed}.svm"))
    ...     dump_svmlight_file(X, y, paths[-1], zero_based=False)
    >>> partitions = read_partitions(read_svmlight, paths, n_features=2, zero_based=False)
    >>> fit_linear(AROWClassifier(), partitions).t_
    1501.0
    """
    dask = import_optional("dask", "read_partitions")
    if not len(paths):
        raise ValueError("paths is empty; pass at least one path.")
    if reader is read_svmlight and (
        options.get("n_features") is None or not isinstance(options.get("zero_based"), bool)
    ):
        raise ValueError(
            "read_svmlight needs n_features, and zero_based=True or False: the indices in one "
            "file do not show those of the others."
        )
    read = dask.delayed(_read)
    return [read(reader, path, options) for path in paths]


def _read(reader, path, options):
    """Return all samples of a file, and their targets."""
    chunks = list(reader(path, **options))
    if not chunks:
        raise ValueError(f"The file {path!r} has no samples.")
    return tuple(map(stacked, zip(*chunks)))


def as_partitions(X, y, sample_weight, caller):
    """Return a list of delayed triples (X, y, sample_weight); weights may be None."""
    dask = import_optional("dask", caller)
    if isinstance(X, list) and X and all(map(dask.is_dask_collection, X)):
        if y is not None or sample_weight is not None:
            raise ValueError(
                "y and sample_weight must be None if X is a list of partitions: each is a pair "
                "(X, y) or a triple (X, y, sample_weight)."
            )
        return [dask.delayed(_triple)(part) for part in X]
    blocks = _blocks(X, "X")
    if isinstance(y, str):
        if not hasattr(X, "columns") or y not in X.columns:
            raise ValueError(f"y={y!r} is not the name of a column of X.")
        blocks = [dask.delayed(_without_target)(block, y) for block in blocks]
    else:
        blocks = list(zip(blocks, _matching_blocks(X, y, "y", len(blocks)), strict=True))
    weights = [None] * len(blocks)
    if sample_weight is not None:
        weights = _matching_blocks(X, sample_weight, "sample_weight", len(blocks))
    return [dask.delayed(_triple)(block, part) for block, part in zip(blocks, weights)]


def _blocks(collection, name):
    """Return the partitions of a dask collection, with all features in each."""
    if not hasattr(collection, "to_delayed"):
        raise TypeError(
            f"{name} must be a dask array, a dask DataFrame or a list of Delayed, got "
            f"{type(collection).__name__}. Use dask.array.from_array for an array in memory."
        )
    if hasattr(collection, "rechunk") and collection.ndim > 1 and collection.numblocks[1] > 1:
        collection = collection.rechunk({1: -1})
    parts = collection.to_delayed()
    return list(parts.ravel() if hasattr(parts, "ravel") else parts)


def _matching_blocks(X, other, name, n_blocks):
    """Return the partitions of ``other``, in the chunks of X if both are known."""
    if hasattr(X, "rechunk") and hasattr(other, "rechunk") and X.shape[0] == other.shape[0]:
        other = other.rechunk({0: X.chunks[0]})
    blocks = _blocks(other, name)
    if len(blocks) != n_blocks:
        raise ValueError(
            f"{name} has {len(blocks)} partitions and X has {n_blocks}; they must be the same. "
            "Use rechunk or repartition."
        )
    return blocks


def _triple(part, weights=None):
    X, y, *given = part
    return X, y, given[0] if given else weights


def _without_target(frame, name):
    return frame.drop(columns=name), frame[name]


def reduced(results, merge):
    """Return the delayed result of merging results, a few at a time, in a fixed order."""
    dask = import_optional("dask", "reduced")
    while len(results) > 1:
        groups = [results[i : i + _FAN_IN] for i in range(0, len(results), _FAN_IN)]
        results = [dask.delayed(merge)(group) for group in groups]
    return results[0]
