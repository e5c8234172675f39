# Written by `make stubs`.

from collections.abc import Iterator
from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike
from scipy.sparse import sparray, spmatrix

__all__ = ["fit_stream", "read_arrays", "read_csv", "read_parquet", "read_svmlight"]

def fit_stream(
    estimator: Any,
    chunks: Any,
    *,
    epochs: int = ...,
    classes: ArrayLike | None = ...,
    checkpoint: str | PathLike[str] | None = ...,
    checkpoint_every: float = ...,
) -> Any: ...
def read_arrays(
    X: ArrayLike | spmatrix | sparray, y: ArrayLike, *, chunk_size: int = ...
) -> Iterator[Any]: ...
def read_csv(
    path: Any, *, target: str, chunk_size: int = ..., **options: Any
) -> Iterator[Any]: ...
def read_parquet(
    path: str | PathLike[str],
    *,
    target: str,
    columns: list[str] | None = ...,
    chunk_size: int = ...,
) -> Iterator[Any]: ...
def read_svmlight(
    path: str | PathLike[str] | list[str] | list[PathLike[str]],
    *,
    chunk_size: int = ...,
    n_features: int | None = ...,
    dtype: Any = ...,
    zero_based: bool | Literal["auto"] = ...,
) -> Iterator[Any]: ...
