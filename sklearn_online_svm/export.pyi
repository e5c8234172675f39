# Written by `make stubs`.

from os import PathLike
from typing import Any

from sklearn_online_svm.kernel import LASVC as LASVC

__all__ = ["load_libsvm", "save_libsvm", "trusted_types"]

def load_libsvm(
    path: str | PathLike[str], n_features: int | None = ..., C: float | None = ...
) -> LASVC: ...
def save_libsvm(model: Any, path: str | PathLike[str], *, label: Any = ...) -> None: ...
def trusted_types() -> list[str]: ...
