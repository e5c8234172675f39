# Written by `make stubs`.

from collections.abc import Iterator
from os import PathLike
from typing import Any, Literal

__all__ = ["read_svmlight"]

def read_svmlight(
    path: str | PathLike[str] | list[str] | list[PathLike[str]],
    *,
    chunk_size: int = ...,
    n_features: int | None = ...,
    dtype: Any = ...,
    zero_based: bool | Literal["auto"] = ...,
) -> Iterator[Any]: ...
